/* SPDX-License-Identifier: Apache-2.0
 *
 * PostgreSQL's binary formats: values of results, and arrays. All numbers are big endian.
 *
 *   array       int32 dimensions = 1, int32 whether some are NULL, int32 element type, int32 n, int32 1,
 *               then per element int32 length (-1: NULL) and bytes
 */
#ifndef SHARC_STORE_PG_WIRE_H
#define SHARC_STORE_PG_WIRE_H

#include "store_int.h"

/* An array of elements of a type (i, r, t or b as in sharc__store_load) that grows: begin, add n of them, end. */
void sharc__store_pg_array_begin(struct sharc_buf *out, char type);
void sharc__store_pg_array_add(struct sharc_buf *out, char type, const struct sharc_store_value *v);
void sharc__store_pg_array_end(struct sharc_buf *out, size_t n);
/* SHARC_STORE_BYTES value in out. */
void sharc__store_pg_array(struct sharc_buf *out, const int64_t *v, size_t n);
/* Rows into a table as one statement with an array for each column, a few of them when there are many rows. */
int sharc__store_pg_load(struct sharc__store_db *db, const struct sharc__store_load *l, size_t n,
                         sharc__store_row_fn *row, void *arg, struct sharc_err *reterr);
/* A field of a binary result; type is its oid. Unknown types are given as bytes. */
void sharc__store_pg_value(unsigned type, const char *p, size_t n, struct sharc_store_value *ret);

#endif

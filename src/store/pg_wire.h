/* SPDX-License-Identifier: Apache-2.0
 *
 * PostgreSQL's binary formats: values of results, arrays, COPY. All numbers are
 * big endian.
 *
 *   COPY        "PGCOPY\n\377\r\n\0", int32 flags = 0, int32 extension = 0, rows, int16 -1
 *   row         int16 fields, then per field int32 length (-1: NULL) and bytes
 *   bigint[]    int32 dimensions = 1, int32 0, int32 element type = 20, int32 n, int32 1, then as fields
 */
#ifndef SHARC_STORE_PG_WIRE_H
#define SHARC_STORE_PG_WIRE_H

#include "store_int.h"

void sharc__store_pg_copy_head(struct sharc_buf *out);
void sharc__store_pg_copy_row(struct sharc_buf *out, const char *types, const struct sharc_store_value *v);
void sharc__store_pg_copy_tail(struct sharc_buf *out);
/* SHARC_STORE_BYTES value in out. */
void sharc__store_pg_array(struct sharc_buf *out, const int64_t *v, size_t n);
/* A field of a binary result; type is its oid. Unknown types are given as bytes. */
void sharc__store_pg_value(unsigned type, const char *p, size_t n, struct sharc_store_value *ret);

#endif

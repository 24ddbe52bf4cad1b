/* SPDX-License-Identifier: Apache-2.0
 *
 * Certificates as documents: written, taken apart, compared.
 */
#ifndef SHARC_CERTIFY_DOCUMENT_H
#define SHARC_CERTIFY_DOCUMENT_H

#include "certify_int.h"

#define CERTIFY_NAME "certificate.json"
#define CERTIFY_STATEMENT "statement.json"
#define CERTIFY_STATEMENT_FORMAT "sharc-certificate-statement-1"
#define CERTIFY_PAGE_FORMAT "sharc-certificate-page-1"

/* The value of "root", and the SHA-256 of bytes as a JSON string, appended. */
void sharc__certify_root(const struct sharc_merkle *tree, struct sharc_buf *out);
void sharc__certify_quoted_digest(struct sharc_span bytes, struct sharc_buf *out);

/* statement.json, appended. put appends the value of a member as the certificate has it. */
typedef void certify_member_fn(void *arg, const char *member, struct sharc_buf *out);
void sharc__certify_statement(certify_member_fn *put, void *arg, const struct sharc_digest *digest, uint64_t size,
                              struct sharc_buf *out);

/* The next member of an object, or element of an array, of canonical JSON that was checked. rest begins as all of it,
 * and then belongs to this function. False: there is no more. */
bool sharc__certify_member(struct sharc_span *rest, struct sharc_span *ret_name, struct sharc_span *ret_value);
bool sharc__certify_element(struct sharc_span *rest, struct sharc_span *ret);
/* Is the next element this object, byte by byte? Then past it; it need not be searched for its end, as an object has
 * only one. False: rest is as it was. */
bool sharc__certify_element_is(struct sharc_span *rest, struct sharc_span object);
/* The value of a member; SHARC_SPAN_NONE. */
struct sharc_span sharc__certify_get(struct sharc_span object, const char *name);
/* A JSON string's text without escapes undone (names, digests and PEM have none but \n), malloc'ed; NULL: no string. */
char *sharc__certify_string(struct sharc_span value);

/* Where two canonical values differ first: "/visit/status" appended to out, and both sides in short, as JSON. */
struct certify_difference {
    struct sharc_span said, found; /* .p == NULL: absent */
};
bool sharc__certify_differ(struct sharc_span said, struct sharc_span found, struct sharc_buf *path,
                           struct certify_difference *ret);

/* --- findings -------------------------------------------------------------------------------- */

void sharc__certify_find(struct sharc_certify_checked *c, const char *file, uint64_t offset, const char *path,
                         const char *fmt, ...) SHARC_PRINTF(5, 6);

#endif

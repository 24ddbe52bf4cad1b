/* SPDX-License-Identifier: Apache-2.0
 *
 * The JSON object of a CDXJ line, member by member, without building a tree:
 * an index has a hundred million of them.
 */
#ifndef SHARC_WARC_CDX_JSON_H
#define SHARC_WARC_CDX_JSON_H

#include "sharc/base.h"
#include "sharc/base_buf.h"

struct cdx_json {
    const char *p, *end; /* what is left */
    const char *start;
    bool begun;
};

struct cdx_member {
    struct sharc_span name, value; /* strings without their quotes, escapes as written */
    bool name_escaped, value_escaped;
    bool null; /* the literal null */
};

/* 1: *m is set; 0: the object has ended (s->p is behind it); SHARC_ESYNTAX at
 * s->p. Linear in total. */
int sharc__cdx_json_next(struct cdx_json *s, struct cdx_member *m);

/* The text of an escaped string, appended to out, which must have room (it never
 * needs more bytes than s). A lone surrogate becomes U+FFFD. */
struct sharc_span sharc__cdx_json_text(struct sharc_span s, struct sharc_buf *out);

#endif

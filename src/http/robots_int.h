/* SPDX-License-Identifier: Apache-2.0
 *
 * What robots.c (reading) and robots_match.c (asking) share.
 *
 * INVARIANTS
 *  (1) rules are sorted: longest first, allow before disallow, then by line;
 *      so the first match decides.
 *  (2) no rule has an empty pattern.
 *  (3) every piece lies inside text.
 */
#ifndef SHARC_HTTP_ROBOTS_INT_H
#define SHARC_HTTP_ROBOTS_INT_H

#include "sharc/http_robots.h"

struct robots_piece {
    uint32_t at, n; /* of text */
};

struct robots_rule {
    struct robots_piece value;  /* as written */
    struct robots_piece strict; /* as a search engine compares: bytes >= 0x80 and hex digits made uniform */
    struct robots_piece loose;  /* as RFC 9309 compares: %62 is b as well */
    unsigned line;
    bool allow;
};

struct sharc_robots {
    struct robots_rule *rules;
    struct robots_piece *sitemaps;
    size_t count, sitemaps_count;
    sharc_time delay;
    bool fixed, fixed_allowed;
    struct sharc_buf text;
};

static inline struct sharc_span sharc__http_robots_text(const struct sharc_robots *r, struct robots_piece p)
{
    return sharc_span(r->text.p + p.at, p.n);
}

/* Append s in the form in which it is compared: bytes >= 0x80 percent-encoded,
 * hex digits in upper case; with decode, encoded letters, digits and -._~ plain. */
int sharc__http_robots_normal(struct sharc_span s, bool decode, struct sharc_buf *out);

#endif

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
    struct robots_piece strict; /* as a search engine compares, after sharc__http_robots_normal */
    struct robots_piece loose;  /* as RFC 9309 compares: ROBOTS_LOOSE */
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

/* Append s in the form in which it is compared. A URL holds no raw space and no
 * raw " < > \ ^ ` { | } and ', but rules do: they are percent-encoded. So are
 * bytes >= 0x80 (of a URL only with LOOSE: the reference parser leaves these
 * alone), and hex digits become upper case. * and $ are percent-encoded too,
 * except where a rule gives them a meaning; so %2A in a rule is a star in a URL
 * (RFC 9309, 2.2.3). */
enum {
    ROBOTS_URL = 0,
    ROBOTS_RULE = 1,  /* every raw * and a $ at the end keep their meaning */
    ROBOTS_LOOSE = 2, /* as RFC 9309, 2.2.2: whatever may stand plain in a path is made plain, %62 is b
                       * and %3A is a colon; behind a question mark, %2F and %3F as well */
};
int sharc__http_robots_normal(struct sharc_span s, unsigned how, struct sharc_buf *out);

#endif

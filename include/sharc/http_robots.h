/* SPDX-License-Identifier: Apache-2.0
 *
 * What a server asks of its visitors: robots.txt (RFC 9309), Retry-After, and
 * how long to stay away when it says that it is too much. All of it pure: no
 * network, no clock; time is an argument.
 */
#ifndef SHARC_HTTP_ROBOTS_H
#define SHARC_HTTP_ROBOTS_H

#include "sharc/base.h"
#include "sharc/base_clock.h"
#include "sharc/base_rng.h"
#include "sharc/http_fetch.h"

SHARC_API_BEGIN

/* --- the file ------------------------------------------------------------ */

/* Bytes of the file that are read; what stands behind does not count. Fetch it
 * with max_body = SHARC_ROBOTS_BYTES: a larger one is a result TOO_LARGE with
 * its beginning, which is what is wanted. */
#define SHARC_ROBOTS_BYTES ((size_t)500 << 10)
#define SHARC_ROBOTS_TOKEN "sharc"

/* The rules of one file for one product token. */
struct sharc_robots;

/* Read a file (decoded: no transfer or content coding) for the product token
 * ("sharc": the name alone, without version). The groups that name the token
 * are merged; when there is none, those of "*". Never fails: what is not
 * understood is skipped, as the standard wants. Linear time. UTF-8, and UTF-16
 * with a byte order mark; CR, LF and CRLF, common misspellings and a missing
 * colon are taken. Lines are cut behind 16,664 bytes. */
struct sharc_robots *sharc_robots_new(struct sharc_span file, const char *token);
/* Everything allowed, or nothing: for files that could not be fetched. */
struct sharc_robots *sharc_robots_new_fixed(bool allowed);
void sharc_robots_free(struct sharc_robots *r);
void sharc_robots_freep(struct sharc_robots **r);

struct sharc_robots_rule {
    bool allow;
    unsigned line;           /* in the file, from 1; 0: no rule applies */
    struct sharc_span value; /* as written; lives as long as the rules */
};
/* May this URL (or its path and query) be fetched? The longest matching rule
 * decides, an allow wins a tie, no rule allows. *ret_rule, when not NULL, is the
 * rule that decided. /robots.txt itself is always allowed. Linear in the rules
 * and the URL.
 *
 * Rules and URLs are compared after the same percent-encoding: a raw space or
 * brace in a rule is %20 or %7B in a URL, hex digits have no case, and %2A and
 * %24 in a rule are a star and a dollar sign in a URL.
 *
 * Two readings of further encoding are about: RFC 9309 compares %62 and b, %3A
 * and a colon as equal, the widely used parser of a search engine does not. Here
 * a disallow counts when either reading matches, an allow only when the strict
 * one does: nothing is fetched that either reading forbids. */
bool sharc_robots_allowed(const struct sharc_robots *r, struct sharc_span url, struct sharc_robots_rule *ret_rule);

/* Crawl-delay of the groups that apply (the longest), up to 300 s; 0 when there
 * is none. Fractions are taken. It is for the agents named right above it, even
 * where the next User-agent line follows without a rule between them. */
sharc_time sharc_robots_delay(const struct sharc_robots *r);
/* Sitemap lines, in order, of the whole file whatever the group; i counts from
 * 0. .p == NULL behind the last. At most 1,000 are kept. They are as written:
 * resolve them against the file's URL, and do not trust them. */
struct sharc_span sharc_robots_sitemap(const struct sharc_robots *r, size_t i);
/* Is this line of a robots.txt "Sitemap: URL", in any accepted spelling? *ret is the URL as written. */
bool sharc_robots_sitemap_line(struct sharc_span line, struct sharc_span *ret);
size_t sharc_robots_rules(const struct sharc_robots *r); /* how many apply */
size_t sharc_robots_bytes(const struct sharc_robots *r); /* memory held */

/* --- getting it ---------------------------------------------------------- */

#define SHARC_ROBOTS_KEPT SHARC_DAY            /* rules are used this long */
#define SHARC_ROBOTS_RETRY (10 * SHARC_MINUTE) /* until the next try at one that could not be fetched */
#define SHARC_ROBOTS_STALE (30 * SHARC_DAY)    /* old rules serve this long when no new ones can be fetched */
#define SHARC_ROBOTS_REDIRECTS 5u

enum sharc_robots_act {
    SHARC_ROBOTS_PARSE,    /* decode the body, sharc_robots_new */
    SHARC_ROBOTS_ALLOW,    /* sharc_robots_new_fixed(true): the site has none */
    SHARC_ROBOTS_DISALLOW, /* sharc_robots_new_fixed(false): it could not be fetched */
    SHARC_ROBOTS_KEEP,     /* the rules from before hold on */
    SHARC_ROBOTS_FOLLOW,   /* fetch the Location, count one redirect more */
};
struct sharc_robots_plan {
    enum sharc_robots_act act;
    sharc_time expires; /* ask again then; not for FOLLOW */
    const char *why;    /* one sentence, for the log */
};
/* What the answer to a request for robots.txt means.
 *   2xx PARSE · 3xx FOLLOW, from the sixth on ALLOW · 304 KEEP · 429 and 5xx
 *   DISALLOW · other 4xx ALLOW · no whole answer DISALLOW
 * redirects: followed so far. kept_since: when the rules in hand were fetched,
 * SHARC_TIME_NONE when there are none; a site that cannot be reached keeps them
 * for SHARC_ROBOTS_STALE instead of DISALLOW. */
struct sharc_robots_plan sharc_robots_judge(enum sharc_fetch_state state, int status, unsigned redirects,
                                            sharc_time kept_since, sharc_time now);

/* --- when a server says it is too much ----------------------------------- */

/* The value of Retry-After: seconds or a date, as a duration from now; in the
 * past: 0; at most a year. SHARC_ESYNTAX. */
int sharc_http_retry_after(struct sharc_span value, sharc_time now, sharc_time *ret);

/* One per host, or per group of hosts that share a server. Zeroed storage is a
 * fresh one; plain numbers, may be written to disk.
 *
 *   QUIET --429, 503--> AWAY until `until` --any other answer--> QUIET
 *                        |  ^                  `step` is kept: trouble within
 *                        +--+ longer           SHARC_BACKOFF_FORGIVEN goes on
 */
struct sharc_backoff {
    sharc_time until; /* no request before; 0: any time */
    sharc_time last;  /* of the last trouble */
    unsigned step;    /* how often the wait has been doubled, plus one */
};
#define SHARC_BACKOFF_FIRST SHARC_MINUTE
#define SHARC_BACKOFF_MOST SHARC_DAY
#define SHARC_BACKOFF_FORGIVEN (30 * SHARC_MINUTE)
#define SHARC_BACKOFF_JITTER 0.1

/* This status asks us to stay away: 429, 503. */
bool sharc_backoff_wanted(int status);
/* Such an answer came. retry_after: as parsed above, SHARC_TIME_NONE when the
 * field is missing or nonsense. With it we stay away that long, at least one
 * second and at most SHARC_BACKOFF_MOST; without it 60 s, doubled each time up
 * to a day, with 10 % jitter either way. Returns b->until. */
sharc_time sharc_backoff_trouble(struct sharc_backoff *b, sharc_time now, sharc_time retry_after,
                                 struct sharc_rng *rng);
/* Any other answer came. After SHARC_BACKOFF_FORGIVEN without trouble (counted
 * from the end of the last wait) the next wait begins at 60 s again. */
void sharc_backoff_quiet(struct sharc_backoff *b, sharc_time now);

/* The pause before the next request to a site: the longest of what the operator
 * wants, what robots.txt asks, and factor × the last download's time (that one
 * at most `most`). */
sharc_time sharc_polite_delay(sharc_time wanted, sharc_time robots, sharc_time last_took, double factor,
                              sharc_time most);

SHARC_API_END
#endif

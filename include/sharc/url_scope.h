/* SPDX-License-Identifier: Apache-2.0
 *
 * Scope: which URLs belong to a capture, and why.
 *
 * A scope is a list of rules in order. Of the rules that match a URL the LAST
 * one decides (as in Heritrix); if none matches, the URL is out. Limits stand
 * beside the list: whatever exceeds one is out, no rule can bring it back.
 *
 * A rule is one line of text:
 *
 *   surt:http://(org,example,       URLs whose SURT starts like this; https
 *                                   counts as http
 *   prefix:https://example.org/a/   this URL and all that begin with it; http,
 *                                   https and www[N]. are one and the same
 *   page:https://example.org/a      this page alone; as with prefix:
 *   host:www.example.org            this host, any port, any path
 *   domain:example.org              this domain and all below it
 *   glob:*.pdf                      the whole URL, * standing for any run of
 *                                   bytes; without "://" before the first *,
 *                                   the scheme may be anything
 *   regex:/calendar/\d{4}/          found anywhere in the URL; ^ and $ anchor
 *   all                             every URL
 *
 *   max-depth:5      links away from a seed        max-length:2000  bytes
 *   max-segments:20  path segments                 max-repeats:3    times one
 *                    path segment, or run of them, is repeated in a row
 *
 * A later limit of the same kind replaces the earlier one; the value "off"
 * removes it. A line without a kind is read as what it looks like: "http://("
 * a surt, with '*' a glob, with ':' or '/' a prefix, else a domain.
 *
 * Globs and regular expressions see the URL as sharc writes it (whatwg, no
 * fragment, no credentials). Regular expressions are matched by automaton: time
 * is bounded by length of URL × length of expression, whatever a hostile site
 * invents; back-references and look-around do not exist for that reason.
 * Supported: . [a-z] [^a] \d \w \s \D \W \S \xHH ( ) (?: ) | * + ? {n,m} ^ $ and
 * (?i) at the start.
 *
 * Building a scope is for one thread. After sharc_scope_seal() checking is
 * const and safe from all threads.
 */
#ifndef SHARC_URL_SCOPE_H
#define SHARC_URL_SCOPE_H

#include "sharc/base.h"
#include "sharc/base_buf.h"
#include "sharc/url.h"

SHARC_API_BEGIN

struct sharc_scope;
struct sharc_scope *sharc_scope_new(void);
void sharc_scope_free(struct sharc_scope *s);
void sharc_scope_freep(struct sharc_scope **s);

enum sharc_scope_sign { SHARC_INCLUDE, SHARC_EXCLUDE };

/* Add one rule at the end; limits may come with either sign. origin says where
 * it was written ("settings.yaml:12", "--exclude") and is copied. SHARC_ECONFIG
 * with a sentence that names origin, rule and cure; SHARC_ELIMIT beyond
 * SHARC_LIMIT_SCOPE_RULES or SHARC_LIMIT_REGEX_BYTES. */
int sharc_scope_add(struct sharc_scope *s, enum sharc_scope_sign sign, struct sharc_span rule, const char *origin,
                    struct sharc_err *reterr);

/* What a seed opens when nobody says more, as an include rule with the origin
 * "seed". PREFIX is the default: everything in the seed's directory and below.
 * HOST is the prefix of its host and port. */
enum sharc_scope_reach { SHARC_REACH_PAGE, SHARC_REACH_PREFIX, SHARC_REACH_HOST, SHARC_REACH_DOMAIN, SHARC_REACH_ANY };
/* DOMAIN takes the registered domain by `list` (NULL: built in); a host that
 * has none gives HOST. */
int sharc_scope_add_seed(struct sharc_scope *s, const struct sharc_url *seed, enum sharc_scope_reach reach,
                         const struct sharc_suffixes *list, struct sharc_err *reterr);
/* The limits against traps that hold unless somebody sets others:
 * max-length:2000, max-segments:20, max-repeats:3; origin "built in". Call it
 * first. */
void sharc_scope_add_limits(struct sharc_scope *s);

/* After the last rule, before the first check; adding more unseals. */
void sharc_scope_seal(struct sharc_scope *s);

enum sharc_scope_why {
    SHARC_SCOPE_RULE,    /* a rule decided */
    SHARC_SCOPE_NO_RULE, /* none matched: out */
    SHARC_SCOPE_LIMIT,   /* a limit is exceeded: out */
    SHARC_SCOPE_SCHEME,  /* neither http nor https: out */
};
struct sharc_scope_verdict {
    bool in;
    enum sharc_scope_why why;
    struct sharc_span rule;   /* text of the rule or limit; of the scope */
    struct sharc_span origin; /* where it was written; of the scope */
    uint32_t number;          /* of the rule, counted from 1; 0: none */
    uint64_t measured;        /* LIMIT: the value that was too large */
};

/* depth: links away from the nearest seed. O(log rules) for surt, prefix, host
 * and domain rules, linear in the number of globs and regular expressions.
 * Returns ret->in; ret may be NULL. */
bool sharc_scope_check(const struct sharc_scope *s, const struct sharc_url *u, unsigned depth,
                       struct sharc_scope_verdict *ret);

/* Its rules and limits in order, counted from 1: text, sign and where it was written; false: there is no such one. */
bool sharc_scope_rule(const struct sharc_scope *s, uint32_t number, enum sharc_scope_sign *ret_sign,
                      struct sharc_span *ret_rule, struct sharc_span *ret_origin);

/* One sentence for a person, appended to out:
 *   out: exclude rule "glob:*.pdf" (--exclude) matches and comes after include
 *   rule "prefix:https://example.org/" (seed) */
int sharc_scope_explain(const struct sharc_scope *s, const struct sharc_url *u, unsigned depth, struct sharc_buf *out);

SHARC_API_END
#endif

/* SPDX-License-Identifier: Apache-2.0
 *
 * What the files of the scope share: a rule, read from its text.
 */
#ifndef SHARC_URL_SCOPE_INT_H
#define SHARC_URL_SCOPE_INT_H

#include "regex_int.h"
#include "sharc/url_scope.h"
#include "url_int.h"

enum rule_kind {
    RULE_SURT,
    RULE_PREFIX,
    RULE_PAGE,
    RULE_HOST,
    RULE_DOMAIN,
    RULE_GLOB,
    RULE_REGEX,
    RULE_ALL,
    RULE_MAX_DEPTH,
    RULE_MAX_LENGTH,
    RULE_MAX_SEGMENTS,
    RULE_MAX_REPEATS,
};
#define FIRST_LIMIT RULE_MAX_DEPTH
#define LIMIT_KINDS 4u

struct rule {
    enum rule_kind kind;
    enum sharc_scope_sign sign;
    char *text, *origin;
    /* The four kinds about hosts and paths are prefixes of a SURT: either of
     * the SURT as it is, or of the one without www[N]. A host has two, with
     * and without a port. */
    char *prefix[2];
    bool without_www;
    char *glob; /* pattern; with_scheme false: matched from behind "://" */
    bool with_scheme;
    struct regex *regex;
    uint64_t limit; /* UINT64_MAX: off */
};

/* Read text into rule; r->sign and r->origin are the caller's. */
int sharc__url_rule_read(struct rule *r, struct sharc_span text, const char *origin, struct sharc_err *reterr);
void sharc__url_rule_done(struct rule *r);
/* Without tables, for a single question. key[0] and key[1]: the two SURTs. */
bool sharc__url_rule_matches(const struct rule *r, struct sharc_span page, const struct sharc_span key[2]);

/* The SURT that scope rules see: scheme always http, no user info, no dot at
 * the end of the host, and a line feed behind it all (so that a whole page is
 * a prefix too). out holds SCOPE_KEY bytes. */
#define SCOPE_KEY (SHARC_LIMIT_URL + 64u)
struct sharc_span sharc__url_scope_key(const struct sharc_url *u, bool without_www, char out[SCOPE_KEY]);

bool sharc__url_glob_matches(const char *pattern, struct sharc_span s);

#endif

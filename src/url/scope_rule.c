/* SPDX-License-Identifier: Apache-2.0
 *
 * One rule from its text. Every complaint names where the rule was written,
 * the rule, and what to write instead.
 */
#include "scope_int.h"

#include <stdio.h>

#include <stdlib.h>

struct reading {
    struct rule *rule;
    struct sharc_span text;  /* all of it */
    struct sharc_span value; /* behind "kind:" */
    const char *origin;
    struct sharc_err *reterr;
};

static int refuse(const struct reading *r, const char *why)
{
    int shown = r->text.n > 200 ? 200 : (int)r->text.n;
    return sharc_fail(r->reterr, SHARC_ECONFIG, "%s: rule \"%.*s\": %s", r->origin, shown, r->text.p, why);
}

/* --- prefixes ---------------------------------------------------------------- */

/* http://(org,example, : the host part is lowered, https is http. */
static int read_surt(struct reading *r)
{
    struct sharc_span s = r->value;
    if (sharc_span_istarts(s, SHARC_SPAN("https://")))
        s = sharc_span_from(s, 8);
    else if (sharc_span_istarts(s, SHARC_SPAN("http://")))
        s = sharc_span_from(s, 7);
    if (s.n && s.p[0] == '(')
        s = sharc_span_from(s, 1);
    else if (s.p != r->value.p)
        return refuse(r, "this is a URL, not a SURT; write prefix: in front of it, or surt:http://(org,example,");
    if (!s.n) return refuse(r, "it would match everything; write all if you mean that");
    size_t close = sharc_span_find(s, ')', 0);
    struct sharc_span host = sharc_span_sub(s, 0, close);
    if (sharc_span_find(host, ',', 0) == SHARC_NPOS && sharc_span_find(host, '.', 0) != SHARC_NPOS &&
        !sharc_is_digit(host.p[0]))
        return refuse(r, "in a SURT the host is reversed, with commas: surt:http://(org,example,");
    char *prefix = sharc_asprintf("http://(%.*s", SHARC_SPAN_ARG(s));
    sharc__url_lower(prefix, 8 + host.n);
    r->rule->prefix[0] = prefix;
    return 0;
}

/* A URL, its scheme optional; http and https only. */
static int read_url(const struct reading *r, struct sharc_url *u)
{
    struct sharc_err err = SHARC_ERR_INIT;
    bool has_scheme = sharc_span_search(r->value, SHARC_SPAN("://")) != SHARC_NPOS;
    char *text = sharc_asprintf("%s%.*s", has_scheme ? "" : "http://", SHARC_SPAN_ARG(r->value));
    int result = sharc_url_parse(u, sharc_span_of(text), NULL, &err);
    free(text);
    if (result < 0) return refuse(r, err.text);
    if (!sharc_url_is_http(u)) return refuse(r, "only http and https are crawled; begin it with one of them");
    return 0;
}

/* prefix:, page: the latter with the line feed that ends a key. */
static int read_prefix(struct reading *r)
{
    struct sharc_url u = SHARC_URL_INIT;
    char key[SCOPE_KEY];
    int result = read_url(r, &u);
    if (result == 0) {
        struct sharc_span k = sharc__url_scope_key(&u, /* without_www= */ true, key);
        r->rule->prefix[0] = sharc_strndup(k.p, r->rule->kind == RULE_PAGE ? k.n : k.n - 1);
        r->rule->without_www = true;
    }
    sharc_url_done(&u);
    return result;
}

/* host:, domain: "http://(org,example," and what must follow. */
static int read_name(struct reading *r)
{
    struct sharc_url u = SHARC_URL_INIT;
    char key[SCOPE_KEY];
    bool host = r->rule->kind == RULE_HOST;
    if (sharc_span_find(r->value, '/', 0) != SHARC_NPOS || sharc_span_find(r->value, '@', 0) != SHARC_NPOS)
        return refuse(r, "a host or domain has no path; write prefix: for a part of a site");
    int result = read_url(r, &u);
    if (result == 0 && sharc_url_port_text(&u).p)
        result = refuse(r, "a host or domain stands for all its ports; write prefix: for one of them");
    if (result == 0) {
        struct sharc_span k = sharc__url_scope_key(&u, /* without_www= */ false, key);
        k.n = (size_t)((char *)memchr(k.p, ')', k.n) - k.p);
        bool name = u.host_kind == SHARC_HOST_DOMAIN && !host; /* below an address there is nothing */
        r->rule->prefix[0] = sharc_asprintf("%.*s%s", SHARC_SPAN_ARG(k), name ? "" : ")");
        if (!name) r->rule->prefix[1] = sharc_asprintf("%.*s:", SHARC_SPAN_ARG(k));
    }
    sharc_url_done(&u);
    return result;
}

/* --- patterns ---------------------------------------------------------------- */

static int read_glob(struct reading *r)
{
    if (!sharc__url_is_ascii(r->value))
        return refuse(r, "URLs are ASCII; write the character percent-encoded, and a host in punycode");
    size_t star = sharc_span_find(r->value, '*', 0);
    r->rule->with_scheme =
        star == 0 || sharc_span_search(sharc_span_sub(r->value, 0, star), SHARC_SPAN("://")) != SHARC_NPOS;
    r->rule->glob = sharc_span_dup(r->value);
    return 0;
}

static int read_regex(struct reading *r)
{
    const char *wrong;
    size_t at;
    char why[256];
    r->rule->regex = sharc__url_regex_new(r->value, &wrong, &at);
    if (r->rule->regex) return 0;
    snprintf(why, sizeof why, "at character %zu of the expression: %s", at, wrong);
    return refuse(r, why);
}

static int read_all(struct reading *r)
{
    return r->value.n ? refuse(r, "all stands alone, with nothing after it") : 0;
}

static int read_limit(struct reading *r)
{
    r->rule->limit = UINT64_MAX;
    if (sharc_span_is(r->value, "off")) return 0;
    if (sharc_span_to_u64(r->value, &r->rule->limit) < 0 || r->rule->limit > UINT32_MAX)
        return refuse(r, "a limit is a whole number, or off; for example max-depth:5");
    return 0;
}

/* --- which kind --------------------------------------------------------------- */

static const struct {
    const char *name; /* with its colon */
    enum rule_kind kind;
    int (*read)(struct reading *r);
} kinds[] = {
    {"surt:", RULE_SURT, read_surt},
    {"prefix:", RULE_PREFIX, read_prefix},
    {"page:", RULE_PAGE, read_prefix},
    {"host:", RULE_HOST, read_name},
    {"domain:", RULE_DOMAIN, read_name},
    {"glob:", RULE_GLOB, read_glob},
    {"regex:", RULE_REGEX, read_regex},
    {"all", RULE_ALL, read_all},
    {"max-depth:", RULE_MAX_DEPTH, read_limit},
    {"max-length:", RULE_MAX_LENGTH, read_limit},
    {"max-segments:", RULE_MAX_SEGMENTS, read_limit},
    {"max-repeats:", RULE_MAX_REPEATS, read_limit},
};

/* Something like "hots:example.org": a kind that does not exist. */
static bool looks_like_kind(struct sharc_span s)
{
    size_t colon = sharc_span_find(s, ':', 0);
    if (colon == SHARC_NPOS || colon == 0) return false;
    for (size_t i = 0; i < colon; i++)
        if (!sharc_is_lower(s.p[i]) && s.p[i] != '-') return false;
    struct sharc_span behind = sharc_span_from(s, colon + 1);
    return behind.n && !sharc_is_digit(behind.p[0]) && !sharc_span_starts(behind, SHARC_SPAN("//"));
}

static enum rule_kind guess_kind(struct sharc_span s)
{
    if (sharc_span_search(s, SHARC_SPAN("://(")) != SHARC_NPOS) return RULE_SURT;
    if (sharc_span_find(s, '*', 0) != SHARC_NPOS) return RULE_GLOB;
    bool url = sharc_span_find(s, '/', 0) != SHARC_NPOS || sharc_span_find(s, ':', 0) != SHARC_NPOS;
    return url ? RULE_PREFIX : RULE_DOMAIN;
}

static size_t find_kind(const struct reading *r, struct sharc_span *ret_value)
{
    for (size_t i = 0; i < SHARC_LENGTH(kinds); i++) {
        struct sharc_span name = sharc_span_of(kinds[i].name);
        if (!sharc_span_starts(r->text, name) || (kinds[i].kind == RULE_ALL && r->text.n != name.n)) continue;
        *ret_value = sharc_span_from(r->text, name.n);
        return i;
    }
    *ret_value = r->text;
    enum rule_kind guess = guess_kind(r->text);
    for (size_t i = 0; i < SHARC_LENGTH(kinds); i++)
        if (kinds[i].kind == guess) return i;
    return 0;
}

int sharc__url_rule_read(struct rule *rule, struct sharc_span text, const char *origin, struct sharc_err *reterr)
{
    struct reading r = {.rule = rule, .text = sharc_span_trim(text), .origin = origin, .reterr = reterr};
    SHARC_FAIL_IF(r.text.n > SHARC_LIMIT_REGEX_BYTES, reterr, SHARC_ELIMIT,
                  "%s: a rule of %zu bytes is too long, it may have %u (SHARC_LIMIT_REGEX_BYTES)", origin, r.text.n,
                  SHARC_LIMIT_REGEX_BYTES);
    if (!r.text.n) return refuse(&r, "it is empty; write for example domain:example.org");
    if (memchr(r.text.p, '\n', r.text.n) || memchr(r.text.p, 0, r.text.n))
        return refuse(&r, "a rule is one line; write two rules");
    size_t i = find_kind(&r, &r.value);
    rule->kind = kinds[i].kind;
    rule->text = sharc_span_dup(r.text);
    rule->origin = sharc_strdup(origin);
    if (r.value.p == r.text.p && rule->kind != RULE_ALL && looks_like_kind(r.text))
        return refuse(
            &r, "its kind is not known; the kinds are surt: prefix: page: host: domain: glob: regex: all max-depth: "
                "max-length: max-segments: max-repeats:");
    if (!r.value.n && rule->kind != RULE_ALL) return refuse(&r, "nothing follows the colon");
    return kinds[i].read(&r);
}

void sharc__url_rule_done(struct rule *r)
{
    free(r->text);
    free(r->origin);
    free(r->prefix[0]);
    free(r->prefix[1]);
    free(r->glob);
    sharc__url_regex_free(r->regex);
}

bool sharc__url_rule_matches(const struct rule *r, struct sharc_span page, const struct sharc_span key[2])
{
    if (r->kind == RULE_ALL) return true;
    if (r->regex) return sharc__url_regex_search(r->regex, page);
    if (r->glob) {
        size_t scheme = r->with_scheme ? SHARC_NPOS : sharc_span_search(page, SHARC_SPAN("://"));
        return sharc__url_glob_matches(r->glob, scheme == SHARC_NPOS ? page : sharc_span_from(page, scheme + 3));
    }
    for (int i = 0; i < 2; i++)
        if (r->prefix[i] && sharc_span_starts(key[r->without_www], sharc_span_of(r->prefix[i]))) return true;
    return false;
}

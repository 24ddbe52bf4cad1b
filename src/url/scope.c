/* SPDX-License-Identifier: Apache-2.0
 *
 * The list of rules and its verdicts. A library may bring a hundred thousand
 * seeds, so prefixes are not tried one after the other:
 *
 * INVARIANTS of a sealed table of prefixes
 *  (1) entries are sorted bytewise;
 *  (2) parent is the longest other entry that is a prefix of this one, so all
 *      entries that are prefixes of a key form one chain of parents;
 *  (3) best is the largest rule number along that chain.
 * The greatest entry not above the key, or one of its parents, is the longest
 * prefix of the key: anything between the two begins with that prefix as well.
 */
#include "scope_int.h"

#include "sharc/base_order.h"

#include <stdlib.h>

#define NO_ENTRY UINT32_MAX

struct entry {
    struct sharc_span text; /* of the rule */
    uint32_t rule;          /* number from 1 */
    uint32_t parent, best;
};

struct table {
    struct entry *items;
    size_t count, room;
};

struct sharc_scope {
    struct rule *rules;
    size_t count, room;
    struct table prefixes[2]; /* of the SURT; of the one without www */
    uint32_t *patterns;       /* numbers of globs and regular expressions, ascending */
    size_t pattern_count, pattern_room;
    uint32_t all;                 /* number of the last `all` */
    uint32_t limits[LIMIT_KINDS]; /* number of the rule that set it, 0: none */
    bool sealed;
};

struct sharc_scope *sharc_scope_new(void)
{
    return SHARC_NEW(struct sharc_scope);
}

void sharc_scope_free(struct sharc_scope *s)
{
    if (!s) return;
    for (size_t i = 0; i < s->count; i++) sharc__url_rule_done(&s->rules[i]);
    free(s->rules);
    free(s->prefixes[0].items);
    free(s->prefixes[1].items);
    free(s->patterns);
    free(s);
}

void sharc_scope_freep(struct sharc_scope **s)
{
    sharc_scope_free(*s);
    *s = NULL;
}

/* --- building ----------------------------------------------------------------- */

static void index_rule(struct sharc_scope *s, const struct rule *r)
{
    uint32_t number = (uint32_t)s->count;
    if (r->kind >= FIRST_LIMIT) {
        s->limits[r->kind - FIRST_LIMIT] = number;
    } else if (r->kind == RULE_ALL) {
        s->all = number;
    } else if (r->glob || r->regex) {
        SHARC_GROW(s->patterns, s->pattern_room, s->pattern_count + 1);
        s->patterns[s->pattern_count++] = number;
    }
    struct table *t = &s->prefixes[r->without_www];
    for (int i = 0; i < 2 && r->prefix[i]; i++) {
        SHARC_GROW(t->items, t->room, t->count + 1);
        t->items[t->count++] = (struct entry){.text = sharc_span_of(r->prefix[i]), .rule = number};
    }
}

/* Takes over what r holds. */
static void append(struct sharc_scope *s, struct rule *r)
{
    SHARC_GROW(s->rules, s->room, s->count + 1);
    s->rules[s->count++] = *r;
    s->sealed = false;
    index_rule(s, r);
}

int sharc_scope_add(struct sharc_scope *s, enum sharc_scope_sign sign, struct sharc_span text, const char *origin,
                    struct sharc_err *reterr)
{
    struct rule r = {.sign = sign};
    SHARC_FAIL_IF(s->count >= SHARC_LIMIT_SCOPE_RULES, reterr, SHARC_ELIMIT,
                  "%s: there are more than %u rules (SHARC_LIMIT_SCOPE_RULES); put many hosts under one domain: rule",
                  origin, SHARC_LIMIT_SCOPE_RULES);
    int result = sharc__url_rule_read(&r, text, origin, reterr);
    if (result < 0)
        sharc__url_rule_done(&r);
    else
        append(s, &r);
    return result;
}

void sharc_scope_add_limits(struct sharc_scope *s)
{
    static const char *const defaults[] = {"max-length:2000", "max-segments:20", "max-repeats:3"};
    for (size_t i = 0; i < SHARC_LENGTH(defaults); i++)
        if (sharc_scope_add(s, SHARC_EXCLUDE, sharc_span_of(defaults[i]), "built in", NULL) < 0)
            SHARC_BUG("a built-in limit is refused");
}

/* The text of the rule that a seed stands for; malloc'ed. */
static char *seed_rule(const struct sharc_url *seed, enum sharc_scope_reach reach, const struct sharc_suffixes *list)
{
    struct sharc_span scheme = sharc_url_scheme(seed), host = sharc_url_host_port(seed);
    struct sharc_span path = sharc_url_path(seed), domain = sharc_url_registered_domain(seed, list);
    switch (reach) {
    case SHARC_REACH_ANY: return sharc_strdup("all");
    case SHARC_REACH_DOMAIN:
        if (domain.n) return sharc_asprintf("domain:%.*s", SHARC_SPAN_ARG(domain));
        break;
    case SHARC_REACH_PAGE: {
        struct sharc_span target = sharc_url_target(seed);
        return sharc_asprintf("page:%.*s://%.*s%.*s", SHARC_SPAN_ARG(scheme), SHARC_SPAN_ARG(host),
                              SHARC_SPAN_ARG(target));
    }
    case SHARC_REACH_PREFIX:
        while (path.n && path.p[path.n - 1] != '/') path.n--;
        return sharc_asprintf("prefix:%.*s://%.*s%.*s", SHARC_SPAN_ARG(scheme), SHARC_SPAN_ARG(host),
                              SHARC_SPAN_ARG(path));
    case SHARC_REACH_HOST: break;
    }
    return sharc_asprintf("prefix:%.*s://%.*s/", SHARC_SPAN_ARG(scheme), SHARC_SPAN_ARG(host));
}

int sharc_scope_add_seed(struct sharc_scope *s, const struct sharc_url *seed, enum sharc_scope_reach reach,
                         const struct sharc_suffixes *list, struct sharc_err *reterr)
{
    SHARC_FAIL_IF(!seed->p || !sharc_url_is_http(seed), reterr, SHARC_ECONFIG,
                  "seed \"%.200s\": only http and https are crawled; begin it with one of them",
                  seed->p ? seed->p : "");
    char *text = seed_rule(seed, reach, list);
    int r = sharc_scope_add(s, SHARC_INCLUDE, sharc_span_of(text), "seed", reterr);
    free(text);
    return r;
}

static int compare_entries(const void *a, const void *b)
{
    const struct entry *x = a, *y = b;
    int order = sharc_span_cmp(x->text, y->text);
    return order ? order : (x->rule > y->rule) - (x->rule < y->rule);
}

static void seal_table(struct table *t)
{
    if (!t->count) return;
    qsort(t->items, t->count, sizeof *t->items, compare_entries);
    uint32_t open = NO_ENTRY; /* the entry before, whose chain may hold the parent */
    for (size_t i = 0; i < t->count; i++) {
        struct entry *e = &t->items[i];
        while (open != NO_ENTRY && !sharc_span_starts(e->text, t->items[open].text)) open = t->items[open].parent;
        e->parent = open;
        e->best = open == NO_ENTRY || t->items[open].best < e->rule ? e->rule : t->items[open].best;
        open = (uint32_t)i;
    }
}

void sharc_scope_seal(struct sharc_scope *s)
{
    if (s->sealed) return;
    seal_table(&s->prefixes[0]);
    seal_table(&s->prefixes[1]);
    s->sealed = true;
}

/* --- checking ------------------------------------------------------------------ */

/* Number of the last rule whose prefix the key has; 0: none. */
static uint32_t look_up(const struct table *t, struct sharc_span key)
{
    size_t n = SHARC_COUNT_WHILE(i, t->count, sharc_span_cmp(t->items[i].text, key) <= 0);
    uint32_t at = n ? (uint32_t)(n - 1) : NO_ENTRY;
    while (at != NO_ENTRY && !sharc_span_starts(key, t->items[at].text)) at = t->items[at].parent;
    return at == NO_ENTRY ? 0 : t->items[at].best;
}

#define MAX_SEGMENTS (SHARC_LIMIT_URL + 1u)

/* How often the same run of up to eight segments follows itself. */
static uint64_t count_repeats(const struct sharc_span *segments, size_t n)
{
    size_t most = n ? 1 : 0;
    for (size_t period = 1; period <= 8 && period < n; period++) {
        size_t same = 0;
        for (size_t i = period; i < n; i++) {
            same = sharc_span_eq(segments[i], segments[i - period]) ? same + 1 : 0;
            if (same / period + 1 > most) most = same / period + 1;
        }
    }
    return most;
}

/* Segments of the path that are not empty. */
static size_t cut_path(const struct sharc_url *u, struct sharc_span *segments, size_t room)
{
    size_t n = 0;
    struct sharc_span rest = sharc_url_path(u), part;
    while (sharc_span_next(&rest, '/', &part))
        if (part.n && n < room) segments[n++] = part;
    return n;
}

static bool exceeds(const struct sharc_scope *s, enum rule_kind kind, uint64_t value, struct sharc_scope_verdict *v)
{
    uint32_t number = s->limits[kind - FIRST_LIMIT];
    if (!number || value <= s->rules[number - 1].limit) return false;
    v->why = SHARC_SCOPE_LIMIT;
    v->number = number;
    v->measured = value;
    return true;
}

static bool beyond_limits(const struct sharc_scope *s, const struct sharc_url *u, unsigned depth,
                          struct sharc_scope_verdict *v)
{
    if (exceeds(s, RULE_MAX_DEPTH, depth, v) || exceeds(s, RULE_MAX_LENGTH, sharc_url_page(u).n, v)) return true;
    if (!s->limits[RULE_MAX_SEGMENTS - FIRST_LIMIT] && !s->limits[RULE_MAX_REPEATS - FIRST_LIMIT]) return false;
    struct sharc_span segments[MAX_SEGMENTS / 2 + 1];
    size_t n = cut_path(u, segments, SHARC_LENGTH(segments));
    return exceeds(s, RULE_MAX_SEGMENTS, n, v) || exceeds(s, RULE_MAX_REPEATS, count_repeats(segments, n), v);
}

/* What rules see of a URL. */
struct view {
    struct sharc_span page, key[2];
    char text[SHARC_LIMIT_URL], room[2][SCOPE_KEY];
};

static void view_init(struct view *w, const struct sharc_url *u)
{
    w->page = sharc_url_page(u);
    if (sharc_url_user(u).p) { /* rules do not see credentials */
        size_t start = u->scheme_end + 3u;
        memcpy(w->text, w->page.p, start);
        memcpy(w->text + start, w->page.p + u->host_start, w->page.n - u->host_start);
        w->page = sharc_span(w->text, w->page.n - (u->host_start - start));
    }
    for (int i = 0; i < 2; i++) w->key[i] = sharc__url_scope_key(u, i, w->room[i]);
}

static uint32_t last_match(const struct sharc_scope *s, const struct view *w)
{
    uint32_t best = s->all;
    for (int i = 0; i < 2; i++) {
        uint32_t found = look_up(&s->prefixes[i], w->key[i]);
        if (found > best) best = found;
    }
    for (size_t i = s->pattern_count; i-- > 0 && s->patterns[i] > best;)
        if (sharc__url_rule_matches(&s->rules[s->patterns[i] - 1], w->page, w->key)) best = s->patterns[i];
    return best;
}

bool sharc_scope_check(const struct sharc_scope *s, const struct sharc_url *u, unsigned depth,
                       struct sharc_scope_verdict *ret)
{
    SHARC_ASSERT(s->sealed);
    struct sharc_scope_verdict v = {.why = SHARC_SCOPE_SCHEME};
    if (u->p && sharc_url_is_http(u) && !beyond_limits(s, u, depth, &v)) {
        struct view w;
        view_init(&w, u);
        v.number = last_match(s, &w);
        v.why = v.number ? SHARC_SCOPE_RULE : SHARC_SCOPE_NO_RULE;
        v.in = v.number && s->rules[v.number - 1].sign == SHARC_INCLUDE;
    }
    if (v.number) {
        v.rule = sharc_span_of(s->rules[v.number - 1].text);
        v.origin = sharc_span_of(s->rules[v.number - 1].origin);
    }
    if (ret) *ret = v;
    return v.in;
}

/* --- explaining ------------------------------------------------------------------ */

static void put_rule(const struct sharc_scope *s, uint32_t number, struct sharc_buf *out)
{
    const struct rule *r = &s->rules[number - 1];
    sharc_buf_printf(out, "%s rule \"%.300s\" (%s)", r->sign == SHARC_INCLUDE ? "include" : "exclude", r->text,
                     r->origin);
}

bool sharc_scope_rule(const struct sharc_scope *s, uint32_t number, enum sharc_scope_sign *ret_sign,
                      struct sharc_span *ret_rule, struct sharc_span *ret_origin)
{
    if (number == 0 || number > s->count) return false;
    const struct rule *r = &s->rules[number - 1];
    *ret_sign = r->sign;
    *ret_rule = sharc_span_of(r->text);
    *ret_origin = sharc_span_of(r->origin);
    return true;
}

/* The last rule before `number` that would have said the opposite. */
static uint32_t overruled(const struct sharc_scope *s, const struct sharc_url *u, uint32_t number)
{
    struct view w;
    view_init(&w, u);
    for (uint32_t i = number - 1; i > 0; i--) {
        const struct rule *r = &s->rules[i - 1];
        if (r->kind < FIRST_LIMIT && r->sign != s->rules[number - 1].sign && sharc__url_rule_matches(r, w.page, w.key))
            return i;
    }
    return 0;
}

static void explain_limit(const struct sharc_scope *s, const struct sharc_scope_verdict *v, struct sharc_buf *out)
{
    static const char *const before[LIMIT_KINDS] = {"it is ", "it is ", "its path has ",
                                                    "its path repeats the same part "};
    static const char *const after[LIMIT_KINDS] = {" links away from a seed", " bytes long", " segments",
                                                   " times in a row"};
    unsigned kind = s->rules[v->number - 1].kind - FIRST_LIMIT;
    sharc_buf_printf(out, "out: %s%llu%s, more than the limit \"%.*s\" (%.*s) allows", before[kind],
                     (unsigned long long)v->measured, after[kind], SHARC_SPAN_ARG(v->rule), SHARC_SPAN_ARG(v->origin));
}

int sharc_scope_explain(const struct sharc_scope *s, const struct sharc_url *u, unsigned depth, struct sharc_buf *out)
{
    struct sharc_scope_verdict v;
    sharc_scope_check(s, u, depth, &v);
    switch (v.why) {
    case SHARC_SCOPE_SCHEME:
        sharc_buf_printf(out, "out: its scheme is \"%.*s\", only http and https are crawled", u->p ? u->scheme_end : 0,
                         u->p ? u->p : "");
        break;
    case SHARC_SCOPE_LIMIT: explain_limit(s, &v, out); break;
    case SHARC_SCOPE_NO_RULE:
        sharc_buf_printf(out, "out: none of the %zu rules includes it; an include rule like \"host:%.*s\" would",
                         s->count, SHARC_SPAN_ARG(sharc_url_host(u)));
        break;
    case SHARC_SCOPE_RULE: {
        uint32_t other = overruled(s, u, v.number);
        sharc_buf_put_str(out, v.in ? "in: " : "out: ");
        put_rule(s, v.number, out);
        sharc_buf_put_str(out, " matches");
        if (other) {
            sharc_buf_put_str(out, " and comes after ");
            put_rule(s, other, out);
        }
        break;
    }
    }
    return sharc_buf_result(out, NULL);
}

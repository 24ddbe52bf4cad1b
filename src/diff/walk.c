/* SPDX-License-Identifier: Apache-2.0
 *
 * The lines of a side's indexes: what they tell of a capture, all pages in the order of
 * their keys, and the capture of a URL nearest to a time.
 */
#include "sharc/url_canon.h"
#include "side.h"

#include <stdio.h>
#include <stdlib.h>

/* --- facts of a line ------------------------------------------------------------------- */

static bool is_page(const struct sharc_cdx *c)
{
    struct sharc_span url = c->field[SHARC_CDX_URL];
    return (sharc_span_istarts(url, SHARC_SPAN("http://")) || sharc_span_istarts(url, SHARC_SPAN("https://"))) &&
           !sharc_span_is(c->field[SHARC_CDX_MIME], "application/warc-fields");
}

static int status_of(const struct sharc_cdx *c)
{
    uint64_t status;
    return sharc_cdx_number(c, SHARC_CDX_STATUS, &status) && status < 1000 ? (int)status : 0;
}

/* Of an unknown kind, or none: n == 0. Older indexes write SHA-1 without its name. */
static struct sharc_digest digest_of(const struct sharc_cdx *c)
{
    struct sharc_span text = c->field[SHARC_CDX_DIGEST];
    struct sharc_digest d;
    if (sharc_digest_parse(text, &d) == 0) return d;
    SHARC_AUTO(sharc_freep) char *named = sharc_asprintf("sha1:%.*s", SHARC_SPAN_ARG(text));
    return sharc_digest_parse(sharc_span_of(named), &d) == 0 ? d : (struct sharc_digest){.n = 0};
}

static struct sharc_span keep(const struct sharc__diff_memory *m, struct sharc_span s)
{
    return sharc_intern_text(m->names, sharc_intern_add(m->names, s, NULL));
}

static int facts_of(struct sharc_diff_side *s, const struct source *source, const struct sharc_cdx *c,
                    const struct sharc__diff_memory *m, struct sharc_diff_facts *ret, struct sharc_err *reterr)
{
    struct sharc_span name = c->field[SHARC_CDX_FILENAME];
    struct sharc_diff_facts f = {.there = true, .status = status_of(c), .when = SHARC_TIME_NONE, .source = source};
    int r = sharc__diff_side_bytes(s, source, name, &f.bytes, reterr);
    if (r < 0) return r;
    SHARC_FAIL_IF(!sharc_cdx_number(c, SHARC_CDX_OFFSET, &f.offset), reterr, SHARC_ESYNTAX,
                  "%.*s: an index line names no offset in it", SHARC_SPAN_ARG(name));
    sharc_time_parse(c->field[SHARC_CDX_TIMESTAMP], &f.when, NULL);
    f.ended = f.when;
    f.revisit = sharc_span_is(c->field[SHARC_CDX_MIME], "warc/revisit");
    f.mime = f.revisit ? SHARC_SPAN_NONE : keep(m, c->field[SHARC_CDX_MIME]);
    f.file = keep(m, source->wacz || source->directory ? name : sharc__diff_last_part(name));
    f.digest = digest_of(c);
    *ret = f;
    return 0;
}

/* --- spelling -------------------------------------------------------------------------- */

static bool is_name(char c)
{
    return sharc_is_alnum(c) || (unsigned char)c >= 0x80;
}

/* Is the word, in lower case, a part of the key? Session ids and the like are not. */
static bool in_key(struct sharc_span word, struct sharc_span key)
{
    char lower[64];
    if (word.n > sizeof lower) word = sharc_span_sub(word, 0, sizeof lower);
    for (size_t i = 0; i < word.n; i++) lower[i] = sharc_to_lower(word.p[i]);
    return sharc_span_search(key, sharc_span(lower, word.n)) != SHARC_NPOS;
}

static struct sharc_span behind_host(struct sharc_span url)
{
    size_t at = sharc_span_search(url, SHARC_SPAN("://"));
    if (at == SHARC_NPOS) return SHARC_SPAN_NONE;
    url = sharc_span_from(url, at + 3);
    for (at = 0; at < url.n && url.p[at] != '/' && url.p[at] != '?';) at++;
    return sharc_span_from(url, at);
}

#define MOST_WORDS 64u /* looked for in the key: a URL of nothing but capitals costs no more than others */

uint64_t sharc__diff_spelling(struct sharc_span url, struct sharc_span key)
{
    struct sharc_span s = behind_host(url);
    uint64_t sum = 0;
    unsigned words = 0;
    for (size_t i = 0; i < s.n;) {
        size_t from = i;
        bool upper = false;
        for (; i < s.n && is_name(s.p[i]); i++) upper |= s.p[i] >= 'A' && s.p[i] <= 'Z';
        struct sharc_span word = sharc_span_sub(s, from, i);
        if (upper && (words++ >= MOST_WORDS || in_key(word, key))) sum += sharc_fingerprint(word, 1);
        if (i < s.n && s.p[i] == '%') i += 2; /* %2F and %2f are one */
        i++;
    }
    return sum;
}

/* --- walking ------------------------------------------------------------------------------ */

struct lane {
    struct source *source;
    struct sharc_cdx_cursor *cursor;
    struct sharc_cdx now;
    bool live;
};

/* A page of the current key: the capture of it that counts so far. */
struct found {
    uint64_t spelling;
    char *url;
    char when[24]; /* the timestamp as it stands in the index */
    struct sharc_diff_facts facts;
};

struct sharc__diff_walk {
    struct sharc_diff_side *side;
    struct lane *lanes;
    size_t count;
    struct sharc_buf key;
    struct found *found; /* of the current key, by spelling */
    size_t found_count, found_room, next;
    struct sharc_map64 spellings; /* of the current key: place in found + 1 */
};

static void forget_found(struct sharc__diff_walk *w)
{
    for (size_t i = 0; i < w->found_count; i++) free(w->found[i].url);
    w->found_count = w->next = 0;
    sharc_map64_done(&w->spellings);
    sharc_map64_init(&w->spellings);
}

void sharc__diff_walk_free(struct sharc__diff_walk *w)
{
    if (!w) return;
    for (size_t i = 0; i < w->count; i++) sharc_cdx_cursor_free(w->lanes[i].cursor);
    free(w->lanes);
    forget_found(w);
    sharc_map64_done(&w->spellings);
    free(w->found);
    sharc_buf_done(&w->key);
    free(w);
}

void sharc__diff_walk_freep(struct sharc__diff_walk **w)
{
    sharc__diff_walk_free(*w);
    *w = NULL;
}

static int advance(struct lane *lane, struct sharc_err *reterr)
{
    int r = sharc_cdx_next(lane->cursor, &lane->now, reterr);
    lane->live = r > 0;
    return r < 0 ? r : 0;
}

int sharc__diff_walk_new(struct sharc_diff_side *s, struct sharc__diff_walk **ret, struct sharc_err *reterr)
{
    SHARC_AUTO(sharc__diff_walk_freep) struct sharc__diff_walk *w = SHARC_NEW(struct sharc__diff_walk);
    w->side = s;
    w->lanes = SHARC_NEW_ARRAY(struct lane, s->source_count);
    sharc_buf_init(&w->key, SHARC_LIMIT_CDX_LINE);
    sharc_map64_init(&w->spellings);
    for (; w->count < s->source_count; w->count++) {
        struct lane *lane = &w->lanes[w->count];
        lane->source = s->sources[w->count];
        const struct sharc_cdx_query all = {.sort = SHARC_CDX_FORWARD};
        int r = sharc_cdx_ask(lane->source->index, &all, &lane->cursor, reterr);
        if (r == 0) r = advance(lane, reterr);
        if (r < 0) {
            w->count++;
            return r;
        }
    }
    *ret = SHARC_TAKE(w);
    return 0;
}

static bool least_key(struct sharc__diff_walk *w)
{
    const struct lane *least = NULL;
    for (size_t i = 0; i < w->count; i++) {
        const struct lane *l = &w->lanes[i];
        if (l->live && (!least || sharc_span_cmp(l->now.field[SHARC_CDX_KEY], least->now.field[SHARC_CDX_KEY]) < 0))
            least = l;
    }
    sharc_buf_clear(&w->key);
    if (least) sharc_buf_put(&w->key, least->now.field[SHARC_CDX_KEY]);
    return least != NULL;
}

/* The last capture counts. A redirect among others of the same key is that from http
 * to https, or to the name without www: it says nothing about the page. */
static bool counts_more(const struct found *best, const struct sharc_cdx *c)
{
    bool redirect = sharc_change_is_redirect(status_of(c)),
         best_redirect = sharc_change_is_redirect(best->facts.status);
    if (redirect != best_redirect) return best_redirect;
    return sharc_span_cmp(c->field[SHARC_CDX_TIMESTAMP], sharc_span_of(best->when)) >= 0;
}

static int take_line(struct sharc__diff_walk *w, const struct lane *l, const struct sharc__diff_memory *m,
                     struct sharc_err *reterr)
{
    const struct sharc_cdx *c = &l->now;
    struct sharc_span url = c->field[SHARC_CDX_URL];
    if (!is_page(c)) return 0;
    uint64_t spelling = sharc__diff_spelling(url, sharc_buf_span(&w->key));
    uint64_t *place = sharc_map64_at(&w->spellings, spelling);
    if (*place && !counts_more(&w->found[*place - 1], c)) return 0;
    if (!*place) {
        SHARC_GROW(w->found, w->found_room, w->found_count + 1);
        w->found[w->found_count++] = (struct found){.spelling = spelling};
        *place = w->found_count;
    }
    struct found *f = &w->found[*place - 1];
    free(f->url);
    f->url = sharc_span_dup(url);
    snprintf(f->when, sizeof f->when, "%.*s", SHARC_SPAN_ARG(c->field[SHARC_CDX_TIMESTAMP]));
    return facts_of(w->side, l->source, c, m, &f->facts, reterr);
}

static int by_spelling(const void *a, const void *b)
{
    const struct found *x = a, *y = b;
    return (x->spelling > y->spelling) - (x->spelling < y->spelling);
}

/* All pages of the least key that is left. */
static int find_next_key(struct sharc__diff_walk *w, const struct sharc__diff_memory *m, struct sharc_err *reterr)
{
    forget_found(w);
    while (!w->found_count && least_key(w)) {
        for (size_t i = 0; i < w->count; i++) {
            struct lane *l = &w->lanes[i];
            while (l->live && sharc_span_eq(l->now.field[SHARC_CDX_KEY], sharc_buf_span(&w->key))) {
                int r = take_line(w, l, m, reterr);
                if (r == 0) r = advance(l, reterr);
                if (r < 0) return r;
            }
        }
    }
    if (w->found_count > 1) qsort(w->found, w->found_count, sizeof *w->found, by_spelling);
    return 0;
}

int sharc__diff_walk_next(struct sharc__diff_walk *w, const struct sharc__diff_memory *m, struct sharc__diff_step *ret,
                          struct sharc_err *reterr)
{
    if (w->next == w->found_count) {
        int r = find_next_key(w, m, reterr);
        if (r < 0) return r;
    }
    if (w->next == w->found_count) return 0;
    const struct found *f = &w->found[w->next++];
    *ret = (struct sharc__diff_step){.key = sharc_buf_span(&w->key),
                                     .spelling = f->spelling,
                                     .url = sharc_span_of(f->url),
                                     .facts = f->facts};
    return 1;
}

/* --- asking -------------------------------------------------------------------------------- */

static sharc_time distance(sharc_time a, sharc_time b)
{
    if (a == SHARC_TIME_NONE || b == SHARC_TIME_NONE) return INT64_MAX;
    return a > b ? a - b : b - a;
}

/* Is a better than b for somebody who wants `when`, or the last? */
static bool nearer(const struct sharc_diff_facts *a, const struct sharc_diff_facts *b, sharc_time when)
{
    if (!b->there) return true;
    if (when == SHARC_TIME_NONE) return a->when >= b->when;
    return distance(a->when, when) < distance(b->when, when);
}

int sharc__diff_side_nearest(struct sharc_diff_side *s, struct sharc_span url, sharc_time when,
                             const struct sharc__diff_memory *m, struct sharc_diff_facts *ret, struct sharc_err *reterr)
{
    /* Those of another spelling count only when there is none of the one asked for. */
    struct sharc_diff_facts best[2] = {{.there = false}, {.there = false}};
    SHARC_AUTO(sharc_buf_done) struct sharc_buf key = SHARC_BUF_INIT(SHARC_LIMIT_CDX_LINE);
    sharc_url_key(url, &key, NULL);
    const uint64_t spelling = sharc__diff_spelling(url, sharc_buf_span(&key));
    for (size_t i = 0; i < s->source_count; i++) {
        SHARC_AUTO(sharc_cdx_cursor_freep) struct sharc_cdx_cursor *cursor = NULL;
        struct sharc_cdx_query q = {.url = url, .match = SHARC_CDX_EXACT, .sort = SHARC_CDX_FORWARD};
        struct sharc_cdx c;
        int r = sharc_cdx_ask(s->sources[i]->index, &q, &cursor, reterr);
        while (r == 0 && (r = sharc_cdx_next(cursor, &c, reterr)) > 0) {
            struct sharc_diff_facts f = {.there = false};
            r = is_page(&c) ? facts_of(s, s->sources[i], &c, m, &f, reterr) : 0;
            if (r < 0 || !f.there) continue;
            bool other = sharc__diff_spelling(c.field[SHARC_CDX_URL], c.field[SHARC_CDX_KEY]) != spelling;
            if (nearer(&f, &best[other], when)) best[other] = f;
        }
        if (r < 0) return r;
    }
    if (best[0].there || best[1].there) *ret = best[best[0].there ? 0 : 1];
    return best[0].there || best[1].there;
}

static bool is_original(const struct sharc_cdx *c, const struct sharc_digest *digest, sharc_time when)
{
    sharc_time t;
    if (sharc_span_is(c->field[SHARC_CDX_MIME], "warc/revisit")) return false;
    const struct sharc_digest d = digest_of(c);
    if (digest->n && d.n && d.kind == digest->kind) return sharc_digest_eq(&d, digest);
    return when != SHARC_TIME_NONE && sharc_time_parse(c->field[SHARC_CDX_TIMESTAMP], &t, NULL) == 0 &&
           distance(t, when) < SHARC_SEC;
}

int sharc__diff_side_original(struct sharc_diff_side *s, struct sharc_span url, const struct sharc_digest *digest,
                              sharc_time when, struct sharc_span *ret_bytes, uint64_t *ret_offset)
{
    for (size_t i = 0; i < s->source_count; i++) {
        SHARC_AUTO(sharc_cdx_cursor_freep) struct sharc_cdx_cursor *cursor = NULL;
        struct sharc_cdx_query q = {.url = url, .match = SHARC_CDX_EXACT, .sort = SHARC_CDX_FORWARD};
        struct sharc_cdx c;
        if (sharc_cdx_ask(s->sources[i]->index, &q, &cursor, NULL) < 0) continue;
        while (sharc_cdx_next(cursor, &c, NULL) > 0)
            if (is_original(&c, digest, when) && sharc_cdx_number(&c, SHARC_CDX_OFFSET, ret_offset) &&
                sharc__diff_side_bytes(s, s->sources[i], c.field[SHARC_CDX_FILENAME], ret_bytes, NULL) == 0)
                return 1;
    }
    return 0;
}

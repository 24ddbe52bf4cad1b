/* SPDX-License-Identifier: Apache-2.0
 *
 * Two captures compared: a full outer join over the URL. Both sides are read in
 * the order of their primary key and merged here: SQLite runs a FULL JOIN of
 * this size for minutes (it has no merge join), PostgreSQL's takes twice as long
 * as this, and this way both give the same rows in the same order with no
 * memory to speak of.
 *
 * Only what decides is read of every page. What the caller will see of the pairs
 * it asked for (URL, times, places, features) is fetched for CHUNK pairs at once:
 * most pages of two captures are unchanged, and most questions are about the rest.
 */
#include "sharc/store_sightings.h"

#include "store_int.h"

#include <stdio.h>
#include <stdlib.h>

static const char *const difference_texts[] = {"unchanged", "insignificant", "changed", "new", "deleted", "failed"};

const char *sharc_store_difference_text(enum sharc_store_difference d)
{
    return (unsigned)d < SHARC_LENGTH(difference_texts) ? difference_texts[d] : "unknown";
}

/* --- one side ------------------------------------------------------------------ */

/* What decides, in this order; the URL's text only where the order or a prefix needs it. */
#define PRINT "p.url, p.status, p.digest, p.text_digest, p.redirect, p.link_set, p.content"
enum { COL_URL, COL_STATUS, COL_DIGEST, COL_TEXT_DIGEST, COL_REDIRECT, COL_LINK_SET, COL_CONTENT, COL_TEXT };

#define CHUNK 512

struct side {
    struct sharc__store_cursor *cursor;
    bool there; /* the cursor stands on a row that is not used up */
};

struct pair_state {
    struct side a, b;
    struct sharc_store_pair_filter filter;
    bool bare, alike;  /* fetch no details; fetch only the minhashes of what changed */
    bool has_a, has_b; /* of the current pair */
    struct sharc_store_print print_a, print_b;
    enum sharc_store_difference difference;
    struct sharc_buf folded[3]; /* folded URLs: of a, of b, and the last one seen */

    /* Pairs with all their details, waiting to be handed out. */
    struct sharc_store_pair *items; /* CHUNK */
    size_t count, at;
    struct sharc_arena texts;
    bool detail_b;                /* which side details are being fetched for */
    struct sharc_map64 detail_at; /* URL number -> index in items */
};

static int open_side(struct sharc_store *s, const struct sharc_store_pair_filter *f, sharc_store_id capture,
                     struct side *ret, struct sharc_err *reterr)
{
    SHARC_AUTO(sharc__store_sql_done) struct sharc__store_sql q = SHARC__SQL_INIT;
    bool text = f->fold_case || f->prefix.p;
    sharc__store_sql_add(&q, "SELECT " PRINT);
    if (text) sharc__store_sql_add(&q, ", u.text");
    sharc__store_sql_add(&q, " FROM page p");
    if (text) sharc__store_sql_add(&q, " JOIN url u ON u.id = p.url");
    sharc__store_sql_with(&q, " WHERE p.capture = ?", sharc__store_int(capture));
    if (f->prefix.p) sharc__store_sql_prefix(&q, "u.surt", f->prefix);
    sharc__store_sql_add(&q, f->fold_case ? " ORDER BY lower(u.text), p.visit DESC, p.url DESC" : " ORDER BY p.url");
    int r = sharc_buf_result(&q.text, reterr);
    if (r < 0) return r;
    return s->db->ops->query(s->db, sharc_buf_str(&q.text), q.p, q.n, true, &ret->cursor, reterr);
}

static struct sharc_span fold(struct sharc_span s, struct sharc_buf *out)
{
    sharc_buf_clear(out);
    for (size_t i = 0; i < s.n; i++) sharc_buf_put_char(out, sharc_to_lower(s.p[i]));
    return sharc_buf_span(out);
}

/* Move on when the row was used; with folded case, over the older spellings too. */
static int advance(struct pair_state *st, struct side *side, struct sharc_buf *last, struct sharc_err *reterr)
{
    if (side->there) return 0;
    for (;;) {
        int r = side->cursor->ops->next(side->cursor, reterr);
        if (r <= 0) return r;
        side->there = !st->filter.fold_case;
        if (side->there) return 0;
        struct sharc_span now = fold(sharc__store_cursor_span(side->cursor, COL_TEXT), &st->folded[2]);
        if (last->n > 0 && sharc_span_eq(now, sharc_buf_span(last))) continue;
        sharc_buf_clear(last);
        sharc_buf_put(last, now);
        side->there = true;
        return 0;
    }
}

static int order(struct pair_state *st)
{
    if (!st->a.there) return 1;
    if (!st->b.there) return -1;
    if (st->filter.fold_case) return sharc_span_cmp(sharc_buf_span(&st->folded[0]), sharc_buf_span(&st->folded[1]));
    int64_t a = sharc__store_cursor_int(st->a.cursor, COL_URL, 0),
            b = sharc__store_cursor_int(st->b.cursor, COL_URL, 0);
    return (a > b) - (a < b);
}

/* --- what happened to a page ------------------------------------------------------ */

enum answer { NOTHING, GONE, CONTENT, REDIRECT, SILENT };

static enum answer answer_of(const struct sharc_store_print *p)
{
    if (!p) return NOTHING;
    if ((p->status >= 200 && p->status <= 299) || p->status == 304) return CONTENT;
    if (p->status >= 300 && p->status <= 399) return REDIRECT;
    return p->status == 404 || p->status == 410 ? GONE : SILENT;
}

static enum sharc_store_difference contents(const struct sharc_store_print *a, const struct sharc_store_print *b)
{
    struct sharc_span da = a->digest, db = b->digest, ta = a->text_digest, tb = b->text_digest;
    /* Digests of different kinds (the first byte) say nothing about each other. */
    bool bytes = da.n > 0 && db.n > 0 && da.p[0] == db.p[0], text = ta.n > 0 && tb.n > 0 && ta.p[0] == tb.p[0];
    if (bytes && sharc_span_eq(da, db)) return SHARC_DIFF_UNCHANGED;
    if (text) return sharc_span_eq(ta, tb) ? SHARC_DIFF_INSIGNIFICANT : SHARC_DIFF_CHANGED;
    return bytes ? SHARC_DIFF_CHANGED : SHARC_DIFF_FAILED;
}

enum sharc_store_difference sharc_store_differ(const struct sharc_store_print *pa, const struct sharc_store_print *pb)
{
    enum answer a = answer_of(pa), b = answer_of(pb);
    bool answered_a = a == CONTENT || a == REDIRECT, answered_b = b == CONTENT || b == REDIRECT;
    if (a == SILENT || b == SILENT || (!answered_a && !answered_b)) return SHARC_DIFF_FAILED;
    if (!answered_b) return SHARC_DIFF_DELETED;
    if (!answered_a) return SHARC_DIFF_NEW;
    if (a != b) return SHARC_DIFF_CHANGED;
    if (a == CONTENT) return contents(pa, pb);
    return pa->redirect == pb->redirect ? SHARC_DIFF_UNCHANGED : SHARC_DIFF_CHANGED;
}

bool sharc_store_links_differ(const struct sharc_store_print *a, const struct sharc_store_print *b)
{
    return a && b && a->link_set && b->link_set && a->link_set != b->link_set;
}

static void read_print(struct sharc__store_cursor *c, struct sharc_store_print *ret)
{
    *ret = (struct sharc_store_print){
        .url = sharc__store_cursor_int(c, COL_URL, 0),
        .status = (int)sharc__store_cursor_int(c, COL_STATUS, 0),
        .digest = sharc__store_cursor_span(c, COL_DIGEST),
        .text_digest = sharc__store_cursor_span(c, COL_TEXT_DIGEST),
        .redirect = sharc__store_cursor_int(c, COL_REDIRECT, 0),
        .link_set = sharc__store_cursor_int(c, COL_LINK_SET, 0),
        .content = sharc__store_cursor_int(c, COL_CONTENT, 0),
    };
}

/* The next pair, whatever its difference. */
static int step(struct pair_state *st, struct sharc_err *reterr)
{
    if (st->has_a) st->a.there = false;
    if (st->has_b) st->b.there = false;
    int r = advance(st, &st->a, &st->folded[0], reterr);
    if (r == 0) r = advance(st, &st->b, &st->folded[1], reterr);
    if (r < 0) return r;
    st->has_a = st->has_b = false;
    if (!st->a.there && !st->b.there) return 0;
    int o = order(st);
    st->has_a = o <= 0;
    st->has_b = o >= 0;
    if (st->has_a) read_print(st->a.cursor, &st->print_a);
    if (st->has_b) read_print(st->b.cursor, &st->print_b);
    st->difference = sharc_store_differ(st->has_a ? &st->print_a : NULL, st->has_b ? &st->print_b : NULL);
    return 1;
}

static bool wanted(const struct pair_state *st)
{
    return !st->filter.only || st->filter.only & 1u << st->difference;
}

static void state_free(struct pair_state *st)
{
    sharc__store_cursor_freep(&st->a.cursor);
    sharc__store_cursor_freep(&st->b.cursor);
    for (size_t i = 0; i < SHARC_LENGTH(st->folded); i++) sharc_buf_done(&st->folded[i]);
    free(st->items);
    sharc_arena_done(&st->texts);
    sharc_map64_done(&st->detail_at);
}

static int state_open(struct sharc_store *s, struct pair_state *st, const struct sharc_store_pair_filter *f,
                      struct sharc_err *reterr)
{
    *st = (struct pair_state){.filter = *f};
    for (size_t i = 0; i < SHARC_LENGTH(st->folded); i++) sharc_buf_init(&st->folded[i], 4 * SHARC_LIMIT_URL);
    sharc_arena_init(&st->texts, SIZE_MAX / 2);
    sharc_map64_init(&st->detail_at);
    int r = open_side(s, f, f->a, &st->a, reterr);
    if (r == 0) r = open_side(s, f, f->b, &st->b, reterr);
    if (r < 0) state_free(st);
    return r;
}

int sharc_store_compare_counts(struct sharc_store *s, const struct sharc_store_pair_filter *f,
                               uint64_t ret[SHARC_DIFF_COUNT], struct sharc_err *reterr)
{
    struct pair_state st;
    uint64_t counts[SHARC_DIFF_COUNT] = {0};
    int r = state_open(s, &st, f, reterr);
    if (r < 0) return r;
    while ((r = step(&st, reterr)) > 0)
        if (wanted(&st)) counts[st.difference]++;
    state_free(&st);
    if (r == 0) memcpy(ret, counts, sizeof counts);
    return r;
}

/* --- details ------------------------------------------------------------------------- */

static void begin_side(const struct sharc_store_print *p, sharc_store_id capture, struct sharc_store_page *ret)
{
    *ret = (struct sharc_store_page)SHARC_STORE_PAGE_INIT;
    ret->capture = capture;
    ret->url_id = p->url;
    ret->visit.status = p->status;
    sharc__store_digest_unpack(p->digest, &ret->visit.digest);
    sharc__store_digest_unpack(p->text_digest, &ret->visit.text_digest);
    ret->link_set = p->link_set;
    ret->has_links = ret->link_set != 0;
}

static void begin_pair(struct pair_state *st)
{
    struct sharc_store_pair *p = &st->items[st->count++];
    *p = (struct sharc_store_pair){.difference = st->difference, .in_a = st->has_a, .in_b = st->has_b};
    if (p->in_a) begin_side(&st->print_a, st->filter.a, &p->a);
    if (p->in_b) begin_side(&st->print_b, st->filter.b, &p->b);
    p->url_id = p->in_b ? p->b.url_id : p->a.url_id;
    p->links_changed = p->in_a && p->in_b && sharc_store_links_differ(&st->print_a, &st->print_b);
}

static struct sharc_span kept(struct pair_state *st, struct sharc__store_cursor *c, size_t column)
{
    struct sharc_span s = sharc__store_cursor_span(c, column);
    return s.p ? sharc_arena_copy(&st->texts, s) : s;
}

#define DETAILS                                                                                           \
    "p.url, u.text, p.visit, p.size, p.modified, p.mime, p.record, p.warc, p.warc_offset, p.warc_length," \
    " p.body_warc, p.body_offset, p.body_length, p.etag, v.text AS redirect"
#define FEATURES ", c.title, c.minhash, c.stated, c.words, c.images, c.tables, c.out_links"
enum { AT_FEATURES = 15 };

static struct sharc_store_place place_at(struct sharc__store_cursor *c, size_t at)
{
    return (struct sharc_store_place){sharc__store_cursor_int(c, at, 0),
                                      (uint64_t)sharc__store_cursor_int(c, at + 1, 0),
                                      (uint64_t)sharc__store_cursor_int(c, at + 2, 0)};
}

static void detail_found(void *arg, struct sharc__store_cursor *c)
{
    struct pair_state *st = arg;
    const uint64_t *at = sharc_map64_find(&st->detail_at, (uint64_t)sharc__store_cursor_int(c, 0, 0));
    if (!at) return;
    struct sharc_store_page *p = st->detail_b ? &st->items[*at].b : &st->items[*at].a;
    p->url = kept(st, c, 1);
    p->visit.when = sharc__store_cursor_int(c, 2, SHARC_TIME_NONE);
    p->visit.size = sharc__store_cursor_int(c, 3, -1);
    p->visit.last_modified = sharc__store_cursor_int(c, 4, SHARC_TIME_NONE);
    p->mime = kept(st, c, 5);
    p->record = (enum sharc_store_record)sharc__store_cursor_int(c, 6, 0);
    p->visit.place = place_at(c, 7);
    p->body = place_at(c, 10);
    p->visit.etag = kept(st, c, 13);
    p->redirect = kept(st, c, 14);
    if (!st->filter.features) return;
    p->title = kept(st, c, AT_FEATURES);
    p->minhash = kept(st, c, AT_FEATURES + 1);
    p->stated = sharc__store_cursor_int(c, AT_FEATURES + 2, SHARC_TIME_NONE);
    p->words = sharc__store_cursor_int(c, AT_FEATURES + 3, -1);
    p->images = sharc__store_cursor_int(c, AT_FEATURES + 4, -1);
    p->tables = sharc__store_cursor_int(c, AT_FEATURES + 5, -1);
    p->out_links = sharc__store_cursor_int(c, AT_FEATURES + 6, -1);
}

static void minhash_found(void *arg, struct sharc__store_cursor *c)
{
    struct pair_state *st = arg;
    const uint64_t *at = sharc_map64_find(&st->detail_at, (uint64_t)sharc__store_cursor_int(c, 0, 0));
    if (at) (st->detail_b ? &st->items[*at].b : &st->items[*at].a)->minhash = kept(st, c, 1);
}

static int fetch_details(struct sharc_store *s, struct pair_state *st, bool b, struct sharc_err *reterr)
{
    const bool alike = st->alike;
    int64_t keys[CHUNK];
    size_t n = 0;
    sharc_map64_done(&st->detail_at);
    sharc_map64_init(&st->detail_at);
    st->detail_b = b;
    for (size_t i = 0; i < st->count; i++) {
        const struct sharc_store_pair *p = &st->items[i];
        if (!(b ? p->in_b : p->in_a) || (alike && p->difference != SHARC_DIFF_CHANGED)) continue;
        keys[n] = b ? p->b.url_id : p->a.url_id;
        *sharc_map64_at(&st->detail_at, (uint64_t)keys[n]) = i;
        n++;
    }
    const long long capture = b ? st->filter.b : st->filter.a;
    char head[800];
    if (alike) {
        snprintf(head, sizeof head,
                 "SELECT p.url, c.minhash FROM page p JOIN content c ON c.id = p.content WHERE p.capture = %lld"
                 " AND p.url",
                 capture);
        return n ? s->db->ops->find(s->db, head, keys, n, minhash_found, st, reterr) : 0;
    }
    snprintf(head, sizeof head,
             "SELECT " DETAILS "%s FROM page p JOIN url u ON u.id = p.url LEFT JOIN url v ON v.id = p.redirect%s"
             " WHERE p.capture = %lld AND p.url",
             st->filter.features ? FEATURES : "", st->filter.features ? " LEFT JOIN content c ON c.id = p.content" : "",
             capture);
    return n ? s->db->ops->find(s->db, head, keys, n, detail_found, st, reterr) : 0;
}

static int fetch_chunk(struct sharc_store *s, struct pair_state *st, struct sharc_err *reterr)
{
    int r = 1;
    st->count = st->at = 0;
    sharc_arena_clear(&st->texts);
    while (st->count < CHUNK && (r = step(st, reterr)) > 0)
        if (wanted(st)) begin_pair(st);
    if (r < 0 || (st->bare && !st->alike)) return r;
    r = fetch_details(s, st, false, reterr);
    return r < 0 ? r : fetch_details(s, st, true, reterr);
}

/* --- rows --------------------------------------------------------------------------- */

static int pair_next(struct sharc_store_rows *rows, struct sharc_err *reterr)
{
    struct pair_state *st = rows->state;
    if (st->at < st->count) st->at++;
    if (st->at < st->count) return 1;
    int r = fetch_chunk(rows->store, st, reterr);
    if (r < 0) return r;
    return st->count > 0;
}

static const char *const pair_names[] = {"url",    "difference", "status_a", "status_b", "visit_a", "visit_b",
                                         "size_a", "size_b",     "mime_a",   "mime_b",   NULL};

void sharc_store_read_pair(struct sharc_store_rows *rows, struct sharc_store_pair *ret)
{
    const struct pair_state *st = rows->state;
    *ret = st->items[st->at];
    ret->url = ret->in_b ? ret->b.url : ret->a.url;
}

static void pair_value(struct sharc_store_rows *rows, size_t column, struct sharc_store_value *ret)
{
    const struct pair_state *st = rows->state;
    const struct sharc_store_pair *pair = &st->items[st->at];
    bool b = column == 0 ? pair->in_b : column % 2 == 1;
    const struct sharc_store_page *p = b ? &pair->b : &pair->a;
    bool there = b ? pair->in_b : pair->in_a;
    *ret = sharc__store_null();
    switch (column) {
    case 0: *ret = sharc__store_text(p->url); break;
    case 1: *ret = sharc__store_int((int)pair->difference); break;
    case 2:
    case 3:
        if (there) *ret = sharc__store_int(p->visit.status);
        break;
    case 4:
    case 5:
        if (there) *ret = sharc__store_time(p->visit.when);
        break;
    case 6:
    case 7:
        if (there) *ret = sharc__store_count(p->visit.size);
        break;
    default:
        if (there) *ret = sharc__store_text(p->mime);
        break;
    }
}

static void pair_free(struct sharc_store_rows *rows)
{
    state_free(rows->state);
    free(rows->state);
}

static const struct sharc__store_rows_ops pair_ops = {pair_next, pair_value, pair_free};

static int pair_rows(struct sharc_store *s, const struct sharc_store_pair_filter *f, bool bare, bool alike,
                     struct sharc_store_rows **ret, struct sharc_err *reterr)
{
    struct pair_state *st = SHARC_NEW(struct pair_state);
    int r = state_open(s, st, f, reterr);
    if (r < 0) {
        free(st);
        return r;
    }
    st->bare = bare;
    st->alike = alike;
    st->items = SHARC_NEW_ARRAY(struct sharc_store_pair, CHUNK);
    *ret = sharc__store_rows_new(s);
    (*ret)->ops = &pair_ops;
    (*ret)->names = pair_names;
    (*ret)->state = st;
    return 0;
}

int sharc_store_compare(struct sharc_store *s, const struct sharc_store_pair_filter *f, struct sharc_store_rows **ret,
                        struct sharc_err *reterr)
{
    return pair_rows(s, f, false, false, ret, reterr);
}

int sharc_store_compare_bare(struct sharc_store *s, const struct sharc_store_pair_filter *f, bool alike,
                             struct sharc_store_rows **ret, struct sharc_err *reterr)
{
    return pair_rows(s, f, true, alike, ret, reterr);
}

/* --- one side alone ------------------------------------------------------------------- */

int sharc_store_prints(struct sharc_store *s, sharc_store_id capture, struct sharc_store_rows **ret,
                       struct sharc_err *reterr)
{
    return sharc__store_rows_query(s, "SELECT " PRINT " FROM page p WHERE p.capture = $1 ORDER BY p.url",
                                   SHARC__PARAMS(sharc__store_int(capture)), ret, reterr);
}

void sharc_store_read_print(struct sharc_store_rows *rows, struct sharc_store_print *ret)
{
    read_print(rows->cursor, ret);
}

struct finding {
    sharc_store_minhash_fn *fn;
    void *arg;
};

static void signature_found(void *arg, struct sharc__store_cursor *c)
{
    const struct finding *f = arg;
    struct sharc_span minhash = sharc__store_cursor_span(c, 1);
    if (minhash.n) f->fn(f->arg, sharc__store_cursor_int(c, 0, 0), minhash);
}

int sharc_store_minhashes(struct sharc_store *s, const sharc_store_id *contents, size_t n, sharc_store_minhash_fn *fn,
                          void *arg, struct sharc_err *reterr)
{
    struct finding f = {fn, arg};
    return n ? s->db->ops->find(s->db, "SELECT id, minhash FROM content WHERE id", contents, n, signature_found, &f,
                                reterr)
             : 0;
}

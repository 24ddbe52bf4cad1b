/* SPDX-License-Identifier: Apache-2.0
 *
 * Two captures compared: a full outer join over the URL. Both sides are read in
 * the order of their primary key and merged here. SQLite runs a FULL JOIN
 * of this size for minutes (it has no merge join), and this way both databases
 * give the same rows in the same order with no memory to speak of.
 */
#include "store_int.h"

#include <stdlib.h>

static const char *const difference_texts[] = {"unchanged", "insignificant", "changed", "new", "deleted", "failed"};

const char *sharc_store_difference_text(enum sharc_store_difference d)
{
    return (unsigned)d < SHARC_LENGTH(difference_texts) ? difference_texts[d] : "unknown";
}

/* --- one side ------------------------------------------------------------------ */

/* What is selected, in this order; the narrow form ends before COL_TEXT. */
enum {
    COL_URL,
    COL_STATUS,
    COL_DIGEST,
    COL_TEXT_DIGEST,
    COL_REDIRECT,
    COL_LINK_SET,
    COL_TEXT,
    COL_VISIT,
    COL_SIZE,
    COL_MODIFIED,
    COL_MIME,
    COL_RECORD,
    COL_WARC,
    COL_OFFSET,
    COL_LENGTH,
    COL_BODY_WARC,
    COL_BODY_OFFSET,
    COL_BODY_LENGTH,
    COL_TITLE,
    COL_MINHASH,
    COL_STATED,
    COL_WORDS,
    COL_IMAGES,
    COL_TABLES,
    COL_OUT_LINKS,
};

struct side {
    struct sharc__cursor *cursor;
    bool there; /* the cursor stands on a row that is not used up */
};

struct pair_state {
    struct side a, b;
    unsigned only;
    bool wide, features, fold_case;
    bool has_a, has_b; /* of the current pair */
    struct sharc_store_pair_filter filter;
    enum sharc_store_difference difference;
    struct sharc_buf folded[3]; /* folded URLs: of a, of b, and the last one seen */
};

static int open_side(struct sharc_store *s, const struct pair_state *st, sharc_store_id capture, struct side *ret,
                     struct sharc_err *reterr)
{
    AUTO(sharc__sql_done) struct sharc__sql q = SHARC__SQL_INIT;
    bool text = st->wide || st->fold_case || st->filter.prefix.p;
    sharc__sql_add(&q, "SELECT p.url, p.status, p.digest, p.text_digest, p.redirect, p.link_set");
    if (text) sharc__sql_add(&q, ", u.text");
    if (st->wide)
        sharc__sql_add(&q, ", p.visit, p.size, p.modified, p.mime, p.record, p.warc, p.warc_offset, p.warc_length,"
                           " p.body_warc, p.body_offset, p.body_length");
    if (st->features) sharc__sql_add(&q, ", c.title, c.minhash, c.stated, c.words, c.images, c.tables, c.out_links");
    sharc__sql_add(&q, " FROM page p");
    if (text) sharc__sql_add(&q, " JOIN url u ON u.id = p.url");
    if (st->features) sharc__sql_add(&q, " LEFT JOIN content c ON c.id = p.content");
    sharc__sql_with(&q, " WHERE p.capture = ?", sharc__int(capture));
    if (st->filter.prefix.p) sharc__sql_prefix(&q, "u.surt", st->filter.prefix);
    sharc__sql_add(&q, st->fold_case ? " ORDER BY lower(u.text), p.visit DESC, p.url DESC" : " ORDER BY p.url");
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
        side->there = true;
        if (!st->fold_case) return 0;
        struct sharc_span now = fold(sharc__cursor_span(side->cursor, COL_TEXT), &st->folded[2]);
        if (last->n > 0 && sharc_span_eq(now, sharc_buf_span(last))) continue;
        sharc_buf_clear(last);
        sharc_buf_put(last, now);
        return 0;
    }
}

static int order(struct pair_state *st)
{
    if (!st->a.there) return 1;
    if (!st->b.there) return -1;
    if (st->fold_case) return sharc_span_cmp(sharc_buf_span(&st->folded[0]), sharc_buf_span(&st->folded[1]));
    int64_t a = sharc__cursor_int(st->a.cursor, COL_URL, 0), b = sharc__cursor_int(st->b.cursor, COL_URL, 0);
    return (a > b) - (a < b);
}

/* --- what happened to a page ------------------------------------------------------ */

enum answer { NOTHING, GONE, CONTENT, REDIRECT, SILENT };

static enum answer answer_of(struct sharc__cursor *c)
{
    int64_t status = sharc__cursor_int(c, COL_STATUS, 0);
    if ((status >= 200 && status <= 299) || status == 304) return CONTENT;
    if (status >= 300 && status <= 399) return REDIRECT;
    return status == 404 || status == 410 ? GONE : SILENT;
}

static enum sharc_store_difference contents(struct sharc__cursor *a, struct sharc__cursor *b)
{
    struct sharc_span da = sharc__cursor_span(a, COL_DIGEST), db = sharc__cursor_span(b, COL_DIGEST);
    struct sharc_span ta = sharc__cursor_span(a, COL_TEXT_DIGEST), tb = sharc__cursor_span(b, COL_TEXT_DIGEST);
    /* Digests of different kinds (the first byte) say nothing about each other. */
    bool bytes = da.n > 0 && db.n > 0 && da.p[0] == db.p[0], text = ta.n > 0 && tb.n > 0 && ta.p[0] == tb.p[0];
    if (bytes && sharc_span_eq(da, db)) return SHARC_DIFF_UNCHANGED;
    if (text) return sharc_span_eq(ta, tb) ? SHARC_DIFF_INSIGNIFICANT : SHARC_DIFF_CHANGED;
    return bytes ? SHARC_DIFF_CHANGED : SHARC_DIFF_FAILED;
}

static enum sharc_store_difference differ(const struct pair_state *st)
{
    enum answer a = st->has_a ? answer_of(st->a.cursor) : NOTHING;
    enum answer b = st->has_b ? answer_of(st->b.cursor) : NOTHING;
    bool answered_a = a == CONTENT || a == REDIRECT, answered_b = b == CONTENT || b == REDIRECT;
    if (a == SILENT || b == SILENT || (!answered_a && !answered_b)) return SHARC_DIFF_FAILED;
    if (!answered_b) return SHARC_DIFF_DELETED;
    if (!answered_a) return SHARC_DIFF_NEW;
    if (a != b) return SHARC_DIFF_CHANGED;
    if (a == CONTENT) return contents(st->a.cursor, st->b.cursor);
    return sharc__cursor_int(st->a.cursor, COL_REDIRECT, 0) == sharc__cursor_int(st->b.cursor, COL_REDIRECT, 0)
               ? SHARC_DIFF_UNCHANGED
               : SHARC_DIFF_CHANGED;
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
    st->difference = differ(st);
    return 1;
}

static void state_free(struct pair_state *st)
{
    sharc__cursor_freep(&st->a.cursor);
    sharc__cursor_freep(&st->b.cursor);
    for (size_t i = 0; i < SHARC_LENGTH(st->folded); i++) sharc_buf_done(&st->folded[i]);
}

static int state_open(struct sharc_store *s, struct pair_state *st, const struct sharc_store_pair_filter *f, bool wide,
                      struct sharc_err *reterr)
{
    *st = (struct pair_state){
        .only = f->only, .wide = wide, .features = wide && f->features, .fold_case = f->fold_case, .filter = *f};
    for (size_t i = 0; i < SHARC_LENGTH(st->folded); i++) sharc_buf_init(&st->folded[i], 4 * LIMIT_URL);
    int r = open_side(s, st, f->a, &st->a, reterr);
    if (r == 0) r = open_side(s, st, f->b, &st->b, reterr);
    if (r < 0) state_free(st);
    return r;
}

int sharc_store_compare_counts(struct sharc_store *s, const struct sharc_store_pair_filter *f,
                               uint64_t ret[SHARC_DIFF_COUNT], struct sharc_err *reterr)
{
    struct pair_state st;
    uint64_t counts[SHARC_DIFF_COUNT] = {0};
    int r = state_open(s, &st, f, false, reterr);
    if (r < 0) return r;
    while ((r = step(&st, reterr)) > 0)
        if (!st.only || st.only & 1u << st.difference) counts[st.difference]++;
    state_free(&st);
    if (r == 0) memcpy(ret, counts, sizeof counts);
    return r;
}

/* --- rows --------------------------------------------------------------------------- */

static int pair_next(struct sharc_store_rows *rows, struct sharc_err *reterr)
{
    struct pair_state *st = rows->state;
    int r;
    while ((r = step(st, reterr)) > 0)
        if (!st->only || st->only & 1u << st->difference) return 1;
    return r;
}

static const char *const pair_names[] = {"url",    "difference", "status_a", "status_b", "visit_a", "visit_b",
                                         "size_a", "size_b",     "mime_a",   "mime_b",   NULL};

static void pair_value(struct sharc_store_rows *rows, size_t column, struct sharc_store_value *ret)
{
    static const int from[] = {COL_TEXT,  -1,       COL_STATUS, COL_STATUS, COL_VISIT,
                               COL_VISIT, COL_SIZE, COL_SIZE,   COL_MIME,   COL_MIME};
    struct pair_state *st = rows->state;
    if (column == 1) {
        *ret = sharc__int((int)st->difference);
        return;
    }
    struct sharc__cursor *a = st->has_a ? st->a.cursor : NULL, *b = st->has_b ? st->b.cursor : NULL;
    struct sharc__cursor *c = column == 0 ? (b ? b : a) : column % 2 == 0 ? a : b;
    *ret = sharc__null();
    if (c) c->ops->value(c, (size_t)from[column], ret);
}

static void pair_free(struct sharc_store_rows *rows)
{
    state_free(rows->state);
    free(rows->state);
}

static const struct sharc__rows_ops pair_ops = {pair_next, pair_value, pair_free};

int sharc_store_compare(struct sharc_store *s, const struct sharc_store_pair_filter *f, struct sharc_store_rows **ret,
                        struct sharc_err *reterr)
{
    struct pair_state *st = SHARC_NEW(struct pair_state);
    int r = state_open(s, st, f, true, reterr);
    if (r < 0) {
        free(st);
        return r;
    }
    *ret = sharc__rows_new(s);
    (*ret)->ops = &pair_ops;
    (*ret)->names = pair_names;
    (*ret)->state = st;
    return 0;
}

static void read_side(struct sharc__cursor *c, const struct pair_state *st, sharc_store_id capture,
                      struct sharc_store_page *ret)
{
    *ret = (struct sharc_store_page)SHARC_STORE_PAGE_INIT;
    ret->capture = capture;
    ret->url_id = sharc__cursor_int(c, COL_URL, 0);
    ret->url = sharc__cursor_span(c, COL_TEXT);
    ret->visit.status = (int)sharc__cursor_int(c, COL_STATUS, 0);
    sharc__digest_unpack(sharc__cursor_span(c, COL_DIGEST), &ret->visit.digest);
    sharc__digest_unpack(sharc__cursor_span(c, COL_TEXT_DIGEST), &ret->visit.text_digest);
    ret->link_set = sharc__cursor_int(c, COL_LINK_SET, 0);
    ret->has_links = ret->link_set != 0;
    ret->visit.when = sharc__cursor_int(c, COL_VISIT, SHARC_TIME_NONE);
    ret->visit.size = sharc__cursor_int(c, COL_SIZE, -1);
    ret->visit.last_modified = sharc__cursor_int(c, COL_MODIFIED, SHARC_TIME_NONE);
    ret->mime = sharc__cursor_span(c, COL_MIME);
    ret->record = (enum sharc_store_record)sharc__cursor_int(c, COL_RECORD, 0);
    ret->visit.place =
        (struct sharc_store_place){sharc__cursor_int(c, COL_WARC, 0), (uint64_t)sharc__cursor_int(c, COL_OFFSET, 0),
                                   (uint64_t)sharc__cursor_int(c, COL_LENGTH, 0)};
    ret->body = (struct sharc_store_place){sharc__cursor_int(c, COL_BODY_WARC, 0),
                                           (uint64_t)sharc__cursor_int(c, COL_BODY_OFFSET, 0),
                                           (uint64_t)sharc__cursor_int(c, COL_BODY_LENGTH, 0)};
    if (!st->features) return;
    ret->title = sharc__cursor_span(c, COL_TITLE);
    ret->minhash = sharc__cursor_span(c, COL_MINHASH);
    ret->stated = sharc__cursor_int(c, COL_STATED, SHARC_TIME_NONE);
    ret->words = sharc__cursor_int(c, COL_WORDS, -1);
    ret->images = sharc__cursor_int(c, COL_IMAGES, -1);
    ret->tables = sharc__cursor_int(c, COL_TABLES, -1);
    ret->out_links = sharc__cursor_int(c, COL_OUT_LINKS, -1);
}

void sharc_store_read_pair(struct sharc_store_rows *rows, struct sharc_store_pair *ret)
{
    struct pair_state *st = rows->state;
    *ret = (struct sharc_store_pair){.difference = st->difference, .in_a = st->has_a, .in_b = st->has_b};
    if (st->has_a) read_side(st->a.cursor, st, st->filter.a, &ret->a);
    if (st->has_b) read_side(st->b.cursor, st, st->filter.b, &ret->b);
    const struct sharc_store_page *known = st->has_b ? &ret->b : &ret->a;
    ret->url_id = known->url_id;
    ret->url = known->url;
    ret->links_changed =
        st->has_a && st->has_b && ret->a.link_set && ret->b.link_set && ret->a.link_set != ret->b.link_set;
}

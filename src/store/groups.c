/* SPDX-License-Identifier: Apache-2.0
 *
 * Pages in groups: sub-sites by path, duplicates by content.
 */
#include "store_int.h"

#include <stdlib.h>

/* --- sub-sites -------------------------------------------------------------------- */

struct subsite_state {
    struct sharc_intern *names;
    struct sharc_store_subsite *items; /* prefix points into names */
    size_t count, room, at;
};

/* "http://(org,example,)/a/b/c.html" cut behind the depth-th folder: at 1 "http://(org,example,)/a/".
 * A page in a folder above that stands for its folder. The query is no path. */
static struct sharc_span prefix_of(struct sharc_span surt, unsigned depth)
{
    surt.n = sharc_span_find(surt, '?', 0) == SHARC_NPOS ? surt.n : sharc_span_find(surt, '?', 0);
    size_t end = sharc_span_find(surt, ')', 0);
    if (end == SHARC_NPOS) return surt; /* no host, no path */
    size_t cut = end + 1;
    if (depth == 0) return sharc_span_sub(surt, 0, cut);
    for (unsigned i = 0; i <= depth; i++) {
        size_t slash = sharc_span_find(surt, '/', cut);
        if (slash == SHARC_NPOS) break;
        cut = slash + 1;
    }
    return sharc_span_sub(surt, 0, cut);
}

static struct sharc_store_subsite *subsite_at(struct subsite_state *st, struct sharc_span surt, unsigned depth)
{
    bool fresh = false;
    uint32_t i = sharc_intern_add(st->names, prefix_of(surt, depth), &fresh);
    SHARC_GROW(st->items, st->room, (size_t)i + 1);
    if (fresh) {
        st->items[i] = (struct sharc_store_subsite){.prefix = sharc_intern_text(st->names, i)};
        st->count = (size_t)i + 1;
    }
    return &st->items[i];
}

static int count_pages(struct sharc_store *s, struct subsite_state *st, sharc_store_id capture, unsigned depth,
                       struct sharc_err *reterr)
{
    SHARC_AUTO(sharc_store_rows_freep) struct sharc_store_rows *rows = NULL;
    struct sharc_store_value id = sharc__store_int(capture);
    int r =
        sharc__store_rows_query(s,
                                "SELECT u.surt, p.size, p.status, p.planned_rate FROM page p JOIN url u ON u.id = p.url"
                                " WHERE p.capture = $1",
                                &id, 1, &rows, reterr);
    while (r >= 0 && (r = sharc_store_rows_next(rows, reterr)) > 0) {
        struct sharc_store_subsite *g = subsite_at(st, sharc__store_rows_span(rows, 0), depth);
        int64_t status = sharc__store_rows_int(rows, 2, 0);
        double rate = sharc__store_rows_real(rows, 3);
        g->pages++;
        g->bytes += (uint64_t)sharc__store_rows_int(rows, 1, 0);
        if (status < 200 || status >= 400) g->failed++;
        if (!isnan(rate)) g->planned_rate += rate;
    }
    return r;
}

static int count_differences(struct sharc_store *s, struct subsite_state *st, sharc_store_id before,
                             sharc_store_id capture, unsigned depth, struct sharc_err *reterr)
{
    SHARC_AUTO(sharc_store_rows_freep) struct sharc_store_rows *rows = NULL;
    SHARC_AUTO(sharc_buf_done) struct sharc_buf surt = SHARC_BUF_INIT(4 * SHARC_LIMIT_URL);
    struct sharc_store_pair_filter f = {.a = before, .b = capture};
    int r = sharc_store_compare(s, &f, &rows, reterr);
    while (r >= 0 && (r = sharc_store_rows_next(rows, reterr)) > 0) {
        struct sharc_store_pair pair;
        sharc_store_read_pair(rows, &pair);
        sharc__store_surt_of(pair.url, &surt);
        subsite_at(st, sharc_buf_span(&surt), depth)->difference[pair.difference]++;
    }
    return r;
}

static int by_prefix(const void *a, const void *b)
{
    return sharc_span_cmp(((const struct sharc_store_subsite *)a)->prefix,
                          ((const struct sharc_store_subsite *)b)->prefix);
}

static int subsite_next(struct sharc_store_rows *rows, struct sharc_err *reterr SHARC_UNUSED)
{
    struct subsite_state *st = rows->state;
    if (st->at >= st->count) return 0;
    st->at++;
    return 1;
}

static const char *const subsite_names[] = {"prefix",       "pages",     "bytes",         "failed",
                                            "planned_rate", "unchanged", "insignificant", "changed",
                                            "new_pages",    "deleted",   "failed_pairs",  NULL};

static void subsite_value(struct sharc_store_rows *rows, size_t column, struct sharc_store_value *ret)
{
    const struct subsite_state *st = rows->state;
    const struct sharc_store_subsite *g = &st->items[st->at - 1];
    switch (column) {
    case 0: *ret = sharc__store_text(g->prefix); break;
    case 1: *ret = sharc__store_int((int64_t)g->pages); break;
    case 2: *ret = sharc__store_int((int64_t)g->bytes); break;
    case 3: *ret = sharc__store_int((int64_t)g->failed); break;
    case 4: *ret = sharc__store_real(g->planned_rate); break;
    default: *ret = sharc__store_int((int64_t)g->difference[column - 5]); break;
    }
}

static void subsite_free(struct sharc_store_rows *rows)
{
    struct subsite_state *st = rows->state;
    sharc_intern_free(st->names);
    free(st->items);
    free(st);
}

static const struct sharc__store_rows_ops subsite_ops = {subsite_next, subsite_value, subsite_free};

int sharc_store_subsites(struct sharc_store *s, sharc_store_id capture, unsigned depth, sharc_store_id against,
                         struct sharc_store_rows **ret, struct sharc_err *reterr)
{
    SHARC_AUTO(sharc_store_rows_freep) struct sharc_store_rows *rows = sharc__store_rows_new(s);
    struct subsite_state *st = SHARC_NEW(struct subsite_state);
    st->names = sharc_intern_new();
    rows->ops = &subsite_ops;
    rows->names = subsite_names;
    rows->state = st;
    int r = count_pages(s, st, capture, depth, reterr);
    if (r >= 0 && against) r = count_differences(s, st, against, capture, depth, reterr);
    if (r < 0) return r;
    if (st->count) qsort(st->items, st->count, sizeof *st->items, by_prefix);
    *ret = SHARC_TAKE(rows);
    return 0;
}

void sharc_store_read_subsite(struct sharc_store_rows *rows, struct sharc_store_subsite *ret)
{
    const struct subsite_state *st = rows->state;
    *ret = st->items[st->at - 1];
}

/* --- duplicates ------------------------------------------------------------------------ */

struct duplicate_state {
    uint64_t group;
    uint8_t digest[SHARC__DIGEST_ROOM];
    size_t n; /* bytes of digest; 0 before the first row */
};

/* The group's number counts the different digests seen so far. */
static int duplicate_next(struct sharc_store_rows *rows, struct sharc_err *reterr)
{
    struct duplicate_state *st = rows->state;
    int r = rows->cursor->ops->next(rows->cursor, reterr);
    if (r <= 0) return r;
    struct sharc_span d = sharc__store_cursor_span(rows->cursor, 2);
    if (sharc_span_eq(d, sharc_span(st->digest, st->n))) return 1;
    if (st->n > 0) st->group++;
    st->n = d.n < sizeof st->digest ? d.n : sizeof st->digest;
    memcpy(st->digest, d.p, st->n);
    return 1;
}

static const char *const duplicate_names[] = {"copies_group", "copies", "digest", "url_id", "url", NULL};

static void duplicate_value(struct sharc_store_rows *rows, size_t column, struct sharc_store_value *ret)
{
    const struct duplicate_state *st = rows->state;
    if (column == 0)
        *ret = sharc__store_int((int64_t)st->group);
    else
        rows->cursor->ops->value(rows->cursor, column, ret);
}

static void duplicate_free(struct sharc_store_rows *rows)
{
    free(rows->state);
}

static const struct sharc__store_rows_ops duplicate_ops = {duplicate_next, duplicate_value, duplicate_free};

int sharc_store_duplicates(struct sharc_store *s, sharc_store_id capture, bool text, struct sharc_store_rows **ret,
                           struct sharc_err *reterr)
{
    static const char by_bytes[] =
        "SELECT 0, x.copies, x.digest, x.url, u.text FROM (SELECT url, digest, count(*) OVER (PARTITION BY digest)"
        " AS copies FROM page WHERE capture = $1 AND digest IS NOT NULL AND status BETWEEN 200 AND 299) x"
        " JOIN url u ON u.id = x.url WHERE x.copies > 1 ORDER BY x.copies DESC, x.digest, x.url";
    static const char by_text[] =
        "SELECT 0, x.copies, x.digest, x.url, u.text FROM (SELECT url, text_digest AS digest,"
        " count(*) OVER (PARTITION BY text_digest) AS copies FROM page WHERE capture = $1"
        " AND text_digest IS NOT NULL AND status BETWEEN 200 AND 299) x"
        " JOIN url u ON u.id = x.url WHERE x.copies > 1 ORDER BY x.copies DESC, x.digest, x.url";
    struct sharc_store_value id = sharc__store_int(capture);
    int r = sharc__store_rows_query(s, text ? by_text : by_bytes, &id, 1, ret, reterr);
    if (r < 0) return r;
    (*ret)->ops = &duplicate_ops;
    (*ret)->names = duplicate_names;
    (*ret)->state = SHARC_NEW(struct duplicate_state);
    return 0;
}

void sharc_store_read_duplicate(struct sharc_store_rows *rows, struct sharc_store_duplicate *ret)
{
    *ret = (struct sharc_store_duplicate){
        .group = (uint64_t)sharc__store_rows_int(rows, 0, 0),
        .size = (uint64_t)sharc__store_rows_int(rows, 1, 0),
        .url_id = sharc__store_rows_int(rows, 3, 0),
        .url = sharc__store_rows_span(rows, 4),
    };
}

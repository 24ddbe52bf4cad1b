/* SPDX-License-Identifier: Apache-2.0
 *
 * What each URL showed over time: the evidence for change rates.
 */
#include "store_int.h"

#include "sharc/store_watch.h"

#include <stdlib.h>

enum {
    COL_URL,
    COL_TEXT,
    COL_CAPTURE,
    COL_LOOK,
    COL_VISIT,
    COL_STATUS,
    COL_SIZE,
    COL_DIGEST,
    COL_TEXT_DIGEST,
    COL_MODIFIED,
    COL_STATED,
    COL_MIME,
    COL_IMAGES,
    COL_TABLES,
    COL_OUT_LINKS,
    COL_REDIRECT,
};

/* The last look at the same URL that said something. */
struct seen_state {
    sharc_store_id url;
    bool any, gone;
    sharc_store_id redirect;
    struct sharc_digest digest, text;
};

static void conditions(struct sharc__store_sql *q, const struct sharc_store_seen_filter *f)
{
    /* As a list of captures: a join lets SQLite read all pages of all sites. */
    sharc__store_sql_add(q, " WHERE p.capture IN (SELECT id FROM capture");
    if (f->site) sharc__store_sql_with(q, " WHERE site = ?", sharc__store_int(f->site));
    sharc__store_sql_add(q, ")");
    if (f->url) sharc__store_sql_with(q, " AND p.url = ?", sharc__store_int(f->url));
    if (f->from != SHARC_TIME_NONE) sharc__store_sql_with(q, " AND p.visit >= ?", sharc__store_int(f->from));
    if (f->to != SHARC_TIME_NONE) sharc__store_sql_with(q, " AND p.visit <= ?", sharc__store_int(f->to));
}

static const struct sharc__store_rows_ops seen_ops = {.free = sharc__store_rows_free_state};

_Static_assert(SHARC_SHOWN_SAME == 1 && SHARC_SHOWN_NOISE == 2, "the numbers stand in the SQL");

int sharc_store_observations(struct sharc_store *s, const struct sharc_store_seen_filter *f,
                             struct sharc_store_rows **ret, struct sharc_err *reterr)
{
    SHARC_AUTO(sharc__store_sql_done) struct sharc__store_sql q = SHARC__SQL_INIT;
    sharc__store_sql_add(
        &q, "SELECT x.url AS url_id, u.text AS url, x.capture, x.look, x.visit, x.status, x.size, x.digest,"
            " x.text_digest, x.modified, x.stated, x.mime, x.images, x.tables, x.out_links, x.redirect"
            " FROM (SELECT p.url, p.capture, 0 AS look, p.visit, p.status, p.size, p.digest,"
            " p.text_digest, p.modified, c.stated, p.mime, c.images, c.tables, c.out_links, p.redirect"
            " FROM page p LEFT JOIN content c ON c.id = p.content");
    conditions(&q, f);
    sharc__store_sql_add(
        &q, " UNION ALL SELECT p.url, p.capture, p.kind, p.visit, p.status, p.size, p.digest, p.text_digest,"
            " p.modified, NULL, NULL, NULL, NULL, NULL, NULL"
            " FROM look p");
    conditions(&q, f);
    /* A watch knows better than digests what was noise: a look that found nothing new has no content of its own. The
     * row of the page is its last look. */
    sharc__store_sql_add(&q, " UNION ALL SELECT p.url, p.capture, 0, p.visit,"
                             " CASE WHEN p.shown IN (1, 2) THEN 304 ELSE p.status END, p.size,"
                             " CASE WHEN p.shown IN (1, 2) THEN NULL ELSE p.digest END,"
                             " CASE WHEN p.shown IN (1, 2) THEN NULL ELSE p.text_digest END,"
                             " NULL, NULL, NULL, NULL, NULL, NULL, NULL FROM watch_look p");
    conditions(&q, f);
    sharc__store_sql_add(&q, " AND NOT EXISTS (SELECT 1 FROM page o WHERE o.capture = p.capture AND o.url = p.url"
                             " AND o.visit = p.visit)");
    sharc__store_sql_add(&q, ") x JOIN url u ON u.id = x.url ORDER BY x.url, x.visit, x.capture, x.look");
    int r = sharc__store_sql_rows(s, &q, ret, reterr);
    if (r < 0) return r;
    (*ret)->ops = &seen_ops;
    (*ret)->state = SHARC_NEW(struct seen_state);
    return 0;
}

static bool same_kind(const struct sharc_digest *a, const struct sharc_digest *b)
{
    return a->n > 0 && b->n > 0 && a->kind == b->kind;
}

/* Has what was seen changed since the last look? A redirect has its target as its
 * payload; when nothing can be compared, nothing is known to have changed. */
static bool changed_since(const struct seen_state *last, const struct sharc_store_seen *now, bool gone,
                          sharc_store_id redirect)
{
    if (gone || last->gone) return gone != last->gone;
    if (redirect || last->redirect) return now->kind == SHARC_LOOK_VISIT && redirect != last->redirect;
    if (same_kind(&last->text, &now->text_digest)) return !sharc_digest_eq(&last->text, &now->text_digest);
    return same_kind(&last->digest, &now->digest) && !sharc_digest_eq(&last->digest, &now->digest);
}

static void compare_with_last(struct seen_state *st, struct sharc_store_seen *now, sharc_store_id redirect)
{
    if (st->url != now->url_id) *st = (struct seen_state){.url = now->url_id};
    bool gone = now->status == 404 || now->status == 410;
    bool said = gone || (now->status >= 200 && now->status <= 399);
    now->first = !st->any;
    now->changed = false;
    if (!said) return;
    if (st->any) now->changed = changed_since(st, now, gone, redirect);
    /* "Not modified" carries no digest of its own: the last one stands. */
    if (now->status == 304 && st->any && now->digest.n == 0) return;
    /* A text digest is told once for payloads that are equal. */
    bool same_bytes = st->any && same_kind(&st->digest, &now->digest) && sharc_digest_eq(&st->digest, &now->digest);
    struct sharc_digest text = same_bytes && now->text_digest.n == 0 ? st->text : now->text_digest;
    *st = (struct seen_state){
        .url = st->url, .any = true, .gone = gone, .redirect = redirect, .digest = now->digest, .text = text};
}

static void read_seen(struct sharc_store_rows *rows, struct sharc_store_seen *ret)
{
    *ret = (struct sharc_store_seen){
        .url_id = sharc__store_rows_int(rows, COL_URL, 0),
        .url = sharc__store_rows_span(rows, COL_TEXT),
        .capture = sharc__store_rows_int(rows, COL_CAPTURE, 0),
        .kind = (enum sharc_look_kind)sharc__store_rows_int(rows, COL_LOOK, 0),
        .when = sharc__store_rows_int(rows, COL_VISIT, SHARC_TIME_NONE),
        .status = (int)sharc__store_rows_int(rows, COL_STATUS, 0),
        .size = sharc__store_rows_int(rows, COL_SIZE, -1),
        .last_modified = sharc__store_rows_int(rows, COL_MODIFIED, SHARC_TIME_NONE),
        .stated = sharc__store_rows_int(rows, COL_STATED, SHARC_TIME_NONE),
        .mime = sharc__store_rows_span(rows, COL_MIME),
        .images = sharc__store_rows_int(rows, COL_IMAGES, -1),
        .tables = sharc__store_rows_int(rows, COL_TABLES, -1),
        .out_links = sharc__store_rows_int(rows, COL_OUT_LINKS, -1),
    };
    sharc__store_rows_digest(rows, COL_DIGEST, &ret->digest);
    sharc__store_rows_digest(rows, COL_TEXT_DIGEST, &ret->text_digest);
    int64_t redirect = ret->status >= 300 && ret->status <= 399 ? sharc__store_rows_int(rows, COL_REDIRECT, 0) : 0;
    compare_with_last(rows->state, ret, redirect);
}

int sharc_store_seen_next(struct sharc_store_rows *rows, struct sharc_store_seen *ret, struct sharc_err *reterr)
{
    int r = sharc_store_rows_next(rows, reterr);
    if (r > 0) read_seen(rows, ret);
    return r;
}

/* SPDX-License-Identifier: Apache-2.0
 *
 * Pages of captures, and the numbers over them.
 */
#include "store_int.h"

#include <stdlib.h>

/* Columns of a download in this order wherever one is selected. */
#define LOOK(t)                                                                                                     \
    t ".visit, " t ".slot, " t ".took, " t ".size, " t ".modified, " t ".warc, " t ".warc_offset, " t               \
      ".warc_length, " t ".importance, " t ".rate, " t ".status, " t ".change, " t ".digest, " t ".text_digest, " t \
      ".etag"
#define LOOK_AS(t, name)                                                                                               \
    t ".visit AS " name ", " t ".slot AS " name "_slot, " t ".took AS " name "_took, " t ".size AS " name "_size, " t  \
      ".modified AS " name "_modified, " t ".warc AS " name "_warc, " t ".warc_offset AS " name "_warc_offset, " t     \
      ".warc_length AS " name "_warc_length, " t ".importance AS " name "_importance, " t ".rate AS " name "_rate, " t \
      ".status AS " name "_status, " t ".change AS " name "_change, " t ".digest AS " name "_digest, " t               \
      ".text_digest AS " name "_text_digest, " t ".etag AS " name "_etag"
enum {
    AT_LOOK = 3, /* behind capture, url, text */
    LOOK_COLUMNS = 15,
    AT_REST = AT_LOOK + LOOK_COLUMNS,
    REST_COLUMNS = 14,
    AT_FEATURES = AT_REST + REST_COLUMNS,
    FEATURE_COLUMNS = 7,
};

/* What is asked for beside the page and its visit. */
struct page_state {
    bool features, looks, grades;
};

/* --- reading -------------------------------------------------------------------- */

static void read_place(struct sharc_store_rows *rows, size_t at, struct sharc_store_place *ret)
{
    ret->warc = sharc__store_rows_int(rows, at, 0);
    ret->offset = (uint64_t)sharc__store_rows_int(rows, at + 1, 0);
    ret->length = (uint64_t)sharc__store_rows_int(rows, at + 2, 0);
}

static void read_look(struct sharc_store_rows *rows, size_t at, struct sharc_store_look *ret)
{
    ret->when = sharc__store_rows_int(rows, at, SHARC_TIME_NONE);
    ret->slot = sharc__store_rows_int(rows, at + 1, -1);
    ret->took = sharc__store_rows_int(rows, at + 2, -1);
    ret->size = sharc__store_rows_int(rows, at + 3, -1);
    ret->last_modified = sharc__store_rows_int(rows, at + 4, SHARC_TIME_NONE);
    read_place(rows, at + 5, &ret->place);
    double importance = sharc__store_rows_real(rows, at + 8);
    ret->importance = isnan(importance) ? 0 : importance;
    ret->rate = sharc__store_rows_real(rows, at + 9);
    ret->status = (int)sharc__store_rows_int(rows, at + 10, 0);
    ret->change = (int)sharc__store_rows_int(rows, at + 11, SHARC_STORE_NO_CHANGE);
    sharc__store_rows_digest(rows, at + 12, &ret->digest);
    sharc__store_rows_digest(rows, at + 13, &ret->text_digest);
    ret->etag = sharc__store_rows_span(rows, at + 14);
}

/* Most pages have no further looks: nothing is joined to them then, and when it was says so. */
static void read_later_look(struct sharc_store_rows *rows, size_t at, struct sharc_store_look *ret)
{
    if (sharc__store_rows_int(rows, at, SHARC_TIME_NONE) != SHARC_TIME_NONE) read_look(rows, at, ret);
}

static void read_rest(struct sharc_store_rows *rows, struct sharc_store_page *ret)
{
    read_place(rows, AT_REST, &ret->body);
    ret->parent_id = sharc__store_rows_int(rows, AT_REST + 3, 0);
    ret->parent = sharc__store_rows_span(rows, AT_REST + 4);
    ret->redirect = sharc__store_rows_span(rows, AT_REST + 5);
    ret->link_set = sharc__store_rows_int(rows, AT_REST + 7, 0);
    ret->has_links = ret->link_set != 0;
    ret->planned_rate = sharc__store_rows_real(rows, AT_REST + 8);
    ret->weight = sharc__store_rows_real(rows, AT_REST + 9);
    ret->hops = (int)sharc__store_rows_int(rows, AT_REST + 10, -1);
    ret->record = (enum sharc_store_record)sharc__store_rows_int(rows, AT_REST + 11, 0);
    ret->hopeless = sharc__store_rows_int(rows, AT_REST + 12, 0) != 0;
    ret->mime = sharc__store_rows_span(rows, AT_REST + 13);
}

static void read_features(struct sharc_store_rows *rows, size_t at, struct sharc_store_page *ret)
{
    ret->title = sharc__store_rows_span(rows, at);
    ret->minhash = sharc__store_rows_span(rows, at + 1);
    ret->stated = sharc__store_rows_int(rows, at + 2, SHARC_TIME_NONE);
    ret->words = sharc__store_rows_int(rows, at + 3, -1);
    ret->images = sharc__store_rows_int(rows, at + 4, -1);
    ret->tables = sharc__store_rows_int(rows, at + 5, -1);
    ret->out_links = sharc__store_rows_int(rows, at + 6, -1);
}

static void read_grade(struct sharc_store_rows *rows, size_t at, struct sharc_store_grade *ret)
{
    int64_t reason = sharc__store_rows_int(rows, at, SHARC_GRADED_NOT_GRADED);
    /* A reason of a newer sharc says nothing here. */
    bool known = reason >= 0 && reason < SHARC_GRADE_REASON_COUNT;
    ret->reason = known ? (enum sharc_grade_reason)reason : SHARC_GRADED_NOT_GRADED;
    ret->from = sharc__store_rows_int(rows, at + 1, SHARC_TIME_NONE);
    ret->to = sharc__store_rows_int(rows, at + 2, SHARC_TIME_NONE);
    ret->detail = sharc__store_rows_span(rows, at + 3);
}

void sharc_store_read_page(struct sharc_store_rows *rows, struct sharc_store_page *ret)
{
    const struct page_state *st = rows->state;
    *ret = (struct sharc_store_page)SHARC_STORE_PAGE_INIT;
    ret->capture = sharc__store_rows_int(rows, 0, 0);
    ret->url_id = sharc__store_rows_int(rows, 1, 0);
    ret->url = sharc__store_rows_span(rows, 2);
    read_look(rows, AT_LOOK, &ret->visit);
    read_rest(rows, ret);
    size_t at = AT_FEATURES;
    if (st->features) {
        read_features(rows, at, ret);
        at += FEATURE_COLUMNS;
    }
    if (st->looks) {
        read_later_look(rows, at, &ret->second);
        read_later_look(rows, at + LOOK_COLUMNS, &ret->revisit);
        at += 2 * LOOK_COLUMNS;
    }
    if (st->grades) read_grade(rows, at, &ret->grade);
}

static const struct sharc__store_rows_ops page_ops = {.free = sharc__store_rows_free_state};

/* --- asking ------------------------------------------------------------------------- */

static void select_pages(struct sharc__store_sql *q, const struct page_state *with)
{
    sharc__store_sql_add(
        q, "SELECT p.capture, p.url AS url_id, u.text AS url, " LOOK(
               "p") ", p.body_warc, p.body_offset, p.body_length, p.parent AS parent_id, pu.text AS parent,"
                    " ru.text AS redirect, p.content, p.link_set, p.planned_rate, p.weight, p.hops, p.record,"
                    " p.hopeless, p.mime");
    if (with->features)
        sharc__store_sql_add(q, ", c.title, c.minhash, c.stated, c.words, c.images, c.tables, c.out_links");
    if (with->looks) sharc__store_sql_add(q, ", " LOOK_AS("l1", "second") ", " LOOK_AS("l2", "revisit"));
    if (with->grades)
        sharc__store_sql_add(q, ", g.reason AS grade_reason, g.known_from, g.known_to, g.detail AS grade_detail");
}

static void join_pages(struct sharc__store_sql *q, const struct page_state *with)
{
    sharc__store_sql_add(q, " JOIN url u ON u.id = p.url LEFT JOIN url pu ON pu.id = p.parent"
                            " LEFT JOIN url ru ON ru.id = p.redirect");
    if (with->features) sharc__store_sql_add(q, " LEFT JOIN content c ON c.id = p.content");
    if (with->looks)
        sharc__store_sql_add(q, " LEFT JOIN look l1 ON l1.capture = p.capture AND l1.url = p.url AND l1.kind = 1"
                                " LEFT JOIN look l2 ON l2.capture = p.capture AND l2.url = p.url AND l2.kind = 2");
    if (with->grades) sharc__store_sql_add(q, " LEFT JOIN grade g ON g.capture = p.capture AND g.url = p.url");
}

/* Everything that begins with prefix lies between it and it followed by the last character there is. */
void sharc__store_sql_prefix(struct sharc__store_sql *q, const char *column, struct sharc_span prefix)
{
    sharc__store_sql_add(q, " AND ");
    sharc__store_sql_add(q, column);
    sharc__store_sql_with(q, " >= ?", sharc__store_text(prefix));
    sharc__store_sql_add(q, " AND ");
    sharc__store_sql_add(q, column);
    sharc__store_sql_with(q, " < CAST(? AS TEXT) || '\xf4\x8f\xbf\xbf'", sharc__store_text(prefix));
}

static int page_rows(struct sharc_store *s, struct sharc__store_sql *q, const struct page_state *with,
                     struct sharc_store_rows **ret, struct sharc_err *reterr)
{
    int r = sharc__store_sql_rows(s, q, ret, reterr);
    if (r < 0) return r;
    struct page_state *st = SHARC_NEW(struct page_state);
    *st = *with;
    (*ret)->ops = &page_ops;
    (*ret)->state = st;
    return 0;
}

int sharc_store_pages(struct sharc_store *s, const struct sharc_store_page_filter *f, struct sharc_store_rows **ret,
                      struct sharc_err *reterr)
{
    SHARC_AUTO(sharc__store_sql_done) struct sharc__store_sql q = SHARC__SQL_INIT;
    const struct page_state with = {f->features, f->looks, f->grades};
    select_pages(&q, &with);
    bool through = f->capture == 0 && f->url != 0;
    sharc__store_sql_add(&q, " FROM page p");
    join_pages(&q, &with);
    sharc__store_sql_add(&q, " WHERE 1 = 1");
    if (f->capture) sharc__store_sql_with(&q, " AND p.capture = ?", sharc__store_int(f->capture));
    /* Pages are kept by (capture, url): one URL of all captures is found through the captures. */
    if (through) sharc__store_sql_add(&q, " AND p.capture IN (SELECT id FROM capture)");
    if (f->url) sharc__store_sql_with(&q, " AND p.url = ?", sharc__store_int(f->url));
    if (f->prefix.p) sharc__store_sql_prefix(&q, "u.surt", f->prefix);
    if (f->mime.p && f->mime.n > 0 && f->mime.p[f->mime.n - 1] == '/')
        sharc__store_sql_prefix(&q, "p.mime", f->mime);
    else if (f->mime.p)
        sharc__store_sql_with(&q, " AND p.mime = ?", sharc__store_text(f->mime));
    if (f->answered) sharc__store_sql_add(&q, " AND (p.status BETWEEN 200 AND 299 OR p.status = 304)");
    if (f->by_slot)
        sharc__store_sql_add(&q, " ORDER BY CASE WHEN p.slot IS NULL THEN 1 ELSE 0 END, p.slot, p.capture, p.url");
    else
        sharc__store_sql_add(&q, f->by_surt ? " ORDER BY u.surt, p.url, p.capture"
                                 : through  ? " ORDER BY p.visit, p.capture"
                                            : " ORDER BY p.capture, p.url");
    return page_rows(s, &q, &with, ret, reterr);
}

int sharc_store_history(struct sharc_store *s, struct sharc_span url, struct sharc_store_rows **ret,
                        struct sharc_err *reterr)
{
    sharc_store_id id = 0;
    int r = sharc_store_url_find(s, url, &id, reterr);
    if (r < 0) return r;
    struct sharc_store_page_filter f = {.url = id, .looks = true, .features = true};
    return sharc_store_pages(s, &f, ret, reterr);
}

int sharc_store_grade_counts(struct sharc_store *s, sharc_store_id capture, uint64_t ret[SHARC_GRADE_REASON_COUNT],
                             struct sharc_err *reterr)
{
    struct sharc_store_value id = sharc__store_int(capture);
    SHARC_AUTO(sharc_store_rows_freep) struct sharc_store_rows *rows = NULL;
    int r = sharc__store_kept_grades(s, capture, ret, reterr);
    if (r != 0) return r < 0 ? r : 0;
    r = sharc__store_rows_query(s,
                                "SELECT reason AS grade_reason, count(*) AS pages FROM grade WHERE capture = $1"
                                " GROUP BY reason UNION ALL SELECT 0, count(*) FROM page p WHERE p.capture = $1"
                                " AND NOT EXISTS (SELECT 1 FROM grade g WHERE g.capture = p.capture"
                                " AND g.url = p.url)",
                                &id, 1, &rows, reterr);
    uint64_t counts[SHARC_GRADE_REASON_COUNT] = {0};
    while (r >= 0 && (r = sharc_store_rows_next(rows, reterr)) > 0) {
        int64_t reason = sharc__store_rows_int(rows, 0, 0);
        bool known = reason >= 0 && reason < SHARC_GRADE_REASON_COUNT;
        counts[known ? reason : SHARC_GRADED_NOT_GRADED] += (uint64_t)sharc__store_rows_int(rows, 1, 0);
    }
    if (r < 0) return r;
    memcpy(ret, counts, sizeof counts);
    return 0;
}

/* --- grades ---------------------------------------------------------------------------- */

int sharc_store_grades(struct sharc_store *s, sharc_store_id capture, struct sharc_store_rows **ret,
                       struct sharc_err *reterr)
{
    SHARC_AUTO(sharc__store_sql_done) struct sharc__store_sql q = SHARC__SQL_INIT;
    sharc__store_sql_add(&q, "SELECT g.capture, u.text AS url, g.reason AS grade_reason, g.known_from, g.known_to,"
                             " g.detail FROM grade g JOIN url u ON u.id = g.url");
    if (capture) sharc__store_sql_with(&q, " WHERE g.capture = ?", sharc__store_int(capture));
    sharc__store_sql_add(&q, " ORDER BY g.capture, g.url");
    return sharc__store_sql_rows(s, &q, ret, reterr);
}

void sharc_store_read_grade(struct sharc_store_rows *rows, struct sharc_span *ret_url, struct sharc_store_grade *ret)
{
    *ret_url = sharc__store_rows_span(rows, 1);
    read_grade(rows, 2, ret);
}

/* --- sums -------------------------------------------------------------------------------- */

int sharc_store_capture_sum(struct sharc_store *s, sharc_store_id capture, struct sharc_store_capture_sums *ret,
                            struct sharc_err *reterr)
{
    /* The numbers of classes are those of enum sharc_change_class. */
    static const char pages[] =
        "SELECT count(*), coalesce(sum(CASE WHEN status < 200 OR status >= 400 THEN 1 ELSE 0 END), 0),"
        " CAST(coalesce(sum(size), 0) AS BIGINT), coalesce(sum(CASE WHEN change = 5 THEN 1 ELSE 0 END), 0),"
        " coalesce(sum(CASE WHEN change IN (2, 3, 4, 6) THEN 1 ELSE 0 END), 0),"
        " coalesce(sum(CASE WHEN change IN (0, 1) THEN 1 ELSE 0 END), 0),"
        " coalesce(sum(CASE WHEN text_digest IS NOT NULL THEN 1 ELSE 0 END), 0), min(visit), max(visit)"
        " FROM page WHERE capture = $1";
    static const char looks[] =
        "SELECT count(*), coalesce(sum(CASE WHEN change IN (0, 1) THEN 1 ELSE 0 END), 0), max(visit)"
        " FROM look WHERE capture = $1 AND kind = 2";
    struct sharc_store_value id = sharc__store_int(capture);
    SHARC_AUTO(sharc__store_cursor_freep) struct sharc__store_cursor *p = NULL;
    SHARC_AUTO(sharc__store_cursor_freep) struct sharc__store_cursor *l = NULL;
    int r = sharc__store_kept_sums(s, capture, ret, reterr);
    if (r != 0) return r < 0 ? r : 0;
    r = sharc__store_get_row(s->db, pages, &id, 1, &p, reterr);
    if (r > 0) r = sharc__store_get_row(s->db, looks, &id, 1, &l, reterr);
    if (r < 0) return r;
    SHARC_ASSERT(r == 1);
    *ret = (struct sharc_store_capture_sums){
        .pages = (uint64_t)sharc__store_cursor_int(p, 0, 0),
        .failed = (uint64_t)sharc__store_cursor_int(p, 1, 0),
        .bytes = (uint64_t)sharc__store_cursor_int(p, 2, 0),
        .new_pages = (uint64_t)sharc__store_cursor_int(p, 3, 0),
        .changed = (uint64_t)sharc__store_cursor_int(p, 4, 0),
        .unchanged = (uint64_t)sharc__store_cursor_int(p, 5, 0),
        .with_text = (uint64_t)sharc__store_cursor_int(p, 6, 0),
        .first = sharc__store_cursor_int(p, 7, SHARC_TIME_NONE),
        .last = sharc__store_cursor_int(p, 8, SHARC_TIME_NONE),
        .revisited = (uint64_t)sharc__store_cursor_int(l, 0, 0),
        .coherent = (uint64_t)sharc__store_cursor_int(l, 1, 0),
    };
    sharc_time last = sharc__store_cursor_int(l, 2, SHARC_TIME_NONE);
    if (last != SHARC_TIME_NONE && last > ret->last) ret->last = last;
    return 0;
}

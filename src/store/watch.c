/* SPDX-License-Identifier: Apache-2.0
 *
 * Questions about watches.
 */
#include "sharc/store_watch.h"

#include "store_int.h"

const char *sharc_store_found_word(enum sharc_store_found f)
{
    static const char *const words[] = {
#define X(name, word) word,
        SHARC_FOUND_WORDS(X)
#undef X
    };
    return (unsigned)f < SHARC_FOUND_COUNT ? words[f] : "";
}

const char *sharc_store_shown_word(enum sharc_store_shown s)
{
    static const char *const words[] = {
#define X(name, word) word,
        SHARC_SHOWN_WORDS(X)
#undef X
    };
    return (unsigned)s < SHARC_SHOWN_COUNT ? words[s] : "";
}

/* --- pages ------------------------------------------------------------------------ */

int sharc_store_watched(struct sharc_store *s, sharc_store_id capture, struct sharc_store_rows **ret,
                        struct sharc_err *reterr)
{
    SHARC_AUTO(sharc__store_sql_done) struct sharc__store_sql q = SHARC__SQL_INIT;
    sharc__store_sql_add(&q, "SELECT w.capture, w.url AS url_id, u.text AS url, w.number, w.since, w.until, w.found,"
                             " w.weight, w.shortest, w.longest, w.gone FROM watched w JOIN url u ON u.id = w.url");
    if (capture) sharc__store_sql_with(&q, " WHERE w.capture = ?", sharc__store_int(capture));
    sharc__store_sql_add(&q, " ORDER BY w.number");
    return sharc__store_sql_rows(s, &q, ret, reterr);
}

void sharc_store_read_watched(struct sharc_store_rows *rows, struct sharc_store_watched *ret)
{
    double weight = sharc__store_rows_real(rows, 7);
    *ret = (struct sharc_store_watched){
        .capture = sharc__store_rows_int(rows, 0, 0),
        .url_id = sharc__store_rows_int(rows, 1, 0),
        .url = sharc__store_rows_span(rows, 2),
        .number = (uint32_t)sharc__store_rows_int(rows, 3, 0),
        .since = sharc__store_rows_int(rows, 4, SHARC_TIME_NONE),
        .until = sharc__store_rows_int(rows, 5, SHARC_TIME_NONE),
        .weight = isnan(weight) ? 1 : weight,
        .shortest = sharc__store_rows_int(rows, 8, 0),
        .longest = sharc__store_rows_int(rows, 9, 0),
        .gone = (uint32_t)sharc__store_rows_int(rows, 10, 0),
    };
    int64_t found = sharc__store_rows_int(rows, 6, 0);
    if (found > 0 && found < SHARC_FOUND_COUNT) ret->found = (enum sharc_store_found)found;
}

/* --- looks ------------------------------------------------------------------------- */

static void where(struct sharc__store_sql *q, const struct sharc_store_watch_filter *f)
{
    sharc__store_sql_add(q, " WHERE 1 = 1");
    if (f->capture) sharc__store_sql_with(q, " AND l.capture = ?", sharc__store_int(f->capture));
    if (f->url) sharc__store_sql_with(q, " AND l.url = ?", sharc__store_int(f->url));
    if (f->from != SHARC_TIME_NONE) sharc__store_sql_with(q, " AND l.visit >= ?", sharc__store_int(f->from));
    if (f->to != SHARC_TIME_NONE) sharc__store_sql_with(q, " AND l.visit <= ?", sharc__store_int(f->to));
    if (f->changes) sharc__store_sql_add(q, " AND l.shown IN (0, 3, 4, 5)");
}

int sharc_store_watch_looks(struct sharc_store *s, const struct sharc_store_watch_filter *f,
                            struct sharc_store_rows **ret, struct sharc_err *reterr)
{
    _Static_assert(SHARC_SHOWN_FIRST == 0 && SHARC_SHOWN_CHANGED == 3 && SHARC_SHOWN_GONE == 4 && SHARC_SHOWN_BACK == 5,
                   "the numbers stand in the SQL");
    SHARC_AUTO(sharc__store_sql_done) struct sharc__store_sql q = SHARC__SQL_INIT;
    sharc__store_sql_add(&q, "SELECT l.capture, l.url AS url_id, u.text AS url, l.visit, l.took, l.why, l.status,"
                             " l.shown, l.change, l.importance, l.size, l.record, l.digest, l.text_digest, l.warc,"
                             " l.warc_offset, l.warc_length FROM watch_look l JOIN url u ON u.id = l.url");
    where(&q, f);
    if (f->by_url)
        sharc__store_sql_add(&q, " ORDER BY l.url, l.visit, l.capture");
    else
        sharc__store_sql_add(&q, f->newest_first ? " ORDER BY l.visit DESC, l.url DESC" : " ORDER BY l.visit, l.url");
    return sharc__store_sql_rows(s, &q, ret, reterr);
}

void sharc_store_read_watch_look(struct sharc_store_rows *rows, struct sharc_store_watch_look *ret)
{
    *ret = (struct sharc_store_watch_look){
        .capture = sharc__store_rows_int(rows, 0, 0),
        .url_id = sharc__store_rows_int(rows, 1, 0),
        .url = sharc__store_rows_span(rows, 2),
        .when = sharc__store_rows_int(rows, 3, SHARC_TIME_NONE),
        .took = sharc__store_rows_int(rows, 4, -1),
        .why = (int)sharc__store_rows_int(rows, 5, 0),
        .status = (int)sharc__store_rows_int(rows, 6, 0),
        .change = (int)sharc__store_rows_int(rows, 8, SHARC_STORE_NO_CHANGE),
        .importance = sharc__store_rows_real(rows, 9),
        .size = sharc__store_rows_int(rows, 10, -1),
        .record = (enum sharc_store_record)sharc__store_rows_int(rows, 11, 0),
        .place = {.warc = sharc__store_rows_int(rows, 14, 0),
                  .offset = (uint64_t)sharc__store_rows_int(rows, 15, 0),
                  .length = (uint64_t)sharc__store_rows_int(rows, 16, 0)},
    };
    int64_t shown = sharc__store_rows_int(rows, 7, 0);
    if (shown > 0 && shown < SHARC_SHOWN_COUNT) ret->shown = (enum sharc_store_shown)shown;
    if (isnan(ret->importance)) ret->importance = 0;
    sharc__store_rows_digest(rows, 12, &ret->digest);
    sharc__store_rows_digest(rows, 13, &ret->text_digest);
}

/* --- notes ------------------------------------------------------------------------- */

int sharc_store_watch_note(struct sharc_store *s, struct sharc_span name, struct sharc_buf *out,
                           struct sharc_err *reterr)
{
    SHARC_AUTO(sharc__store_cursor_freep) struct sharc__store_cursor *c = NULL;
    int r = sharc__store_get_row(s->db, "SELECT data FROM watch_note WHERE name = $1",
                                 SHARC__PARAMS(sharc__store_text(name)), &c, reterr);
    if (r <= 0) return r;
    sharc_buf_put(out, sharc__store_cursor_span(c, 0));
    r = sharc_buf_result(out, reterr);
    return r < 0 ? r : 1;
}

int sharc_store_watch_notes(struct sharc_store *s, struct sharc_span begin, struct sharc_buf *out,
                            struct sharc_err *reterr)
{
    SHARC_AUTO(sharc__store_sql_done) struct sharc__store_sql q = SHARC__SQL_INIT;
    SHARC_AUTO(sharc_store_rows_freep) struct sharc_store_rows *rows = NULL;
    SHARC_AUTO(sharc_freep) char *end = sharc_span_dup(begin);
    SHARC_ASSERT(begin.n > 0 && (unsigned char)begin.p[begin.n - 1] < '~');
    end[begin.n - 1]++;
    sharc__store_sql_with(&q, "SELECT name FROM watch_note WHERE name >= ?", sharc__store_text(begin));
    sharc__store_sql_with(&q, " AND name < ? ORDER BY name", sharc__store_text(sharc_span_of(end)));
    int r = sharc__store_sql_rows(s, &q, &rows, reterr);
    while (r >= 0 && (r = sharc_store_rows_next(rows, reterr)) > 0) {
        sharc_buf_put(out, sharc__store_rows_span(rows, 0));
        sharc_buf_put_char(out, '\n');
    }
    return r < 0 ? r : sharc_buf_result(out, reterr);
}

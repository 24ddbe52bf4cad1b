/* SPDX-License-Identifier: Apache-2.0
 *
 * Downloads as narrow rows. Both questions give the same columns, so that one function
 * reads them.
 */
#include "sharc/store_sightings.h"

#include "store_int.h"

enum {
    KIND,
    URL,
    WHEN,
    TOOK,
    STATUS,
    MODIFIED,
    DIGEST,
    TEXT_DIGEST,
    RATE,
    LOOK_SLOT, /* of looks, which end here */
    HOST = LOOK_SLOT,
    RECORD,
    REDIRECT,
    WEIGHT,
    MIME,
    REASON,
    SLOT,
    KNOWN_FROM,
    KNOWN_TO,
    SIZE,
};

int sharc_store_visits(struct sharc_store *s, sharc_store_id capture, struct sharc_store_rows **ret,
                       struct sharc_err *reterr)
{
    static const char sql[] =
        "SELECT 0 AS kind, p.url, p.visit, p.took, p.status, p.modified, p.digest, p.text_digest,"
        " coalesce(p.rate, p.planned_rate), u.host, p.record, p.redirect, p.weight, p.mime, g.reason,"
        " p.slot, g.known_from, g.known_to, p.size"
        " FROM page p JOIN url u ON u.id = p.url LEFT JOIN grade g ON g.capture = p.capture AND g.url = p.url"
        " WHERE p.capture = $1 ORDER BY p.url";
    return sharc__store_rows_query(s, sql, SHARC__PARAMS(sharc__store_int(capture)), ret, reterr);
}

int sharc_store_looks(struct sharc_store *s, sharc_store_id capture, struct sharc_store_rows **ret,
                      struct sharc_err *reterr)
{
    static const char sql[] =
        "SELECT kind, url, visit, took, status, modified, digest, text_digest, rate, slot FROM look"
        " WHERE capture = $1 ORDER BY url, kind";
    return sharc__store_rows_query(s, sql, SHARC__PARAMS(sharc__store_int(capture)), ret, reterr);
}

void sharc_store_read_sighting(struct sharc_store_rows *rows, struct sharc_store_sighting *ret)
{
    *ret = (struct sharc_store_sighting){
        .kind = (enum sharc_look_kind)sharc__store_rows_int(rows, KIND, 0),
        .url = sharc__store_rows_int(rows, URL, 0),
        .when = sharc__store_rows_int(rows, WHEN, SHARC_TIME_NONE),
        .took = sharc__store_rows_int(rows, TOOK, -1),
        .status = (int)sharc__store_rows_int(rows, STATUS, 0),
        .modified = sharc__store_rows_int(rows, MODIFIED, SHARC_TIME_NONE),
        .digest = sharc__store_rows_span(rows, DIGEST),
        .text_digest = sharc__store_rows_span(rows, TEXT_DIGEST),
        .rate = sharc__store_rows_real(rows, RATE),
        .weight = 1,
        .size = -1,
        .known_from = SHARC_TIME_NONE,
        .known_to = SHARC_TIME_NONE,
    };
    ret->follower = sharc__store_rows_int(rows, ret->kind == SHARC_LOOK_VISIT ? SLOT : LOOK_SLOT, -1) < 0;
    if (ret->kind != SHARC_LOOK_VISIT) return;
    ret->host = sharc__store_rows_int(rows, HOST, 0);
    ret->record = (enum sharc_store_record)sharc__store_rows_int(rows, RECORD, 0);
    ret->redirect = sharc__store_rows_int(rows, REDIRECT, 0);
    double weight = sharc__store_rows_real(rows, WEIGHT);
    if (weight >= 0) ret->weight = weight;
    ret->mime = sharc__store_rows_span(rows, MIME);
    ret->known_from = sharc__store_rows_int(rows, KNOWN_FROM, SHARC_TIME_NONE);
    ret->known_to = sharc__store_rows_int(rows, KNOWN_TO, SHARC_TIME_NONE);
    ret->size = sharc__store_rows_int(rows, SIZE, -1);
    int64_t reason = sharc__store_rows_int(rows, REASON, 0);
    if (reason > 0 && reason < SHARC_GRADE_REASON_COUNT) ret->reason = (enum sharc_grade_reason)reason;
}

int sharc_store_grades_alone(struct sharc_store *s, sharc_store_id capture, struct sharc_store_rows **ret,
                             struct sharc_err *reterr)
{
    struct sharc_store_value id = sharc__store_int(capture);
    return sharc__store_rows_query(s,
                                   "SELECT g.reason, count(*) AS urls FROM grade g LEFT JOIN page p"
                                   " ON p.capture = g.capture AND p.url = g.url"
                                   " WHERE g.capture = $1 AND p.url IS NULL GROUP BY g.reason ORDER BY g.reason",
                                   &id, 1, ret, reterr);
}

int sharc_store_outlines(struct sharc_store *s, sharc_store_id capture, struct sharc_store_rows **ret,
                         struct sharc_err *reterr)
{
    static const char sql[] = "SELECT p.url, p.visit, p.took, s.links, p.mime FROM page p"
                              " LEFT JOIN link_set s ON s.id = p.link_set WHERE p.capture = $1 ORDER BY p.url";
    return sharc__store_rows_query(s, sql, SHARC__PARAMS(sharc__store_int(capture)), ret, reterr);
}

void sharc_store_read_outline(struct sharc_store_rows *rows, struct sharc_store_outline *ret)
{
    int64_t links = sharc__store_rows_int(rows, 3, 0);
    *ret = (struct sharc_store_outline){
        .url = sharc__store_rows_int(rows, 0, 0),
        .when = sharc__store_rows_int(rows, 1, SHARC_TIME_NONE),
        .took = sharc__store_rows_int(rows, 2, -1),
        .links = links > 0 ? (uint64_t)links : 0,
        .mime = sharc__store_rows_span(rows, 4),
    };
}

int sharc_store_page_urls(struct sharc_store *s, sharc_store_id capture, struct sharc_store_rows **ret,
                          struct sharc_err *reterr)
{
    return sharc__store_rows_query(s, "SELECT url FROM page WHERE capture = $1 ORDER BY url",
                                   SHARC__PARAMS(sharc__store_int(capture)), ret, reterr);
}

int sharc_store_look_span(struct sharc_store *s, sharc_store_id capture, sharc_time *ret_first, sharc_time *ret_last,
                          struct sharc_err *reterr)
{
    static const char sql[] = "SELECT min(visit), max(visit + CASE WHEN took > 0 THEN took ELSE 0 END) FROM look"
                              " WHERE capture = $1";
    SHARC_AUTO(sharc__store_cursor_freep) struct sharc__store_cursor *c = NULL;
    int r = sharc__store_get_row(s->db, sql, SHARC__PARAMS(sharc__store_int(capture)), &c, reterr);
    if (r < 0) return r;
    SHARC_ASSERT(r == 1);
    *ret_first = sharc__store_cursor_int(c, 0, SHARC_TIME_NONE);
    *ret_last = sharc__store_cursor_int(c, 1, SHARC_TIME_NONE);
    return 0;
}

struct finding {
    sharc_store_text_fn *fn;
    void *arg;
};

static void found(void *arg, struct sharc__store_cursor *c)
{
    const struct finding *f = arg;
    f->fn(f->arg, sharc__store_cursor_int(c, 0, 0), sharc__store_cursor_span(c, 1));
}

int sharc_store_url_texts(struct sharc_store *s, const sharc_store_id *urls, size_t n, sharc_store_text_fn *fn,
                          void *arg, struct sharc_err *reterr)
{
    struct finding f = {fn, arg};
    return n ? s->db->ops->find(s->db, "SELECT id, text FROM url WHERE id", urls, n, found, &f, reterr) : 0;
}

/* SPDX-License-Identifier: Apache-2.0
 *
 * What people decided about pages.
 */
#include "sharc/store_review.h"

#include "store_int.h"

static const char *const words[] = {
#define X(name, word) word,
    SHARC_REVIEW_STATES(X)
#undef X
};

const char *sharc_review_state_word(enum sharc_review_state state)
{
    return (unsigned)state < SHARC_LENGTH(words) ? words[state] : "unknown";
}

bool sharc_review_state_of(struct sharc_span word, enum sharc_review_state *ret)
{
    for (size_t i = 0; i < SHARC_LENGTH(words); i++)
        if (sharc_span_is(word, words[i])) {
            *ret = (enum sharc_review_state)i;
            return true;
        }
    return false;
}

/* --- writing ------------------------------------------------------------------------- */

static int check(const struct sharc_store_review *v, struct sharc_err *reterr)
{
    SHARC_FAIL_IF((unsigned)v->state >= SHARC_REVIEW_STATE_COUNT, reterr, SHARC_EINVAL, "a review has no state %d",
                  (int)v->state);
    SHARC_FAIL_IF(v->when == SHARC_TIME_NONE, reterr, SHARC_EINVAL, "a review needs the time it was made");
    SHARC_FAIL_IF(v->note.n > SHARC_REVIEW_NOTE_MAX, reterr, SHARC_EINVAL,
                  "the note has %zu bytes, at most %d are kept: shorten it", v->note.n, SHARC_REVIEW_NOTE_MAX);
    SHARC_FAIL_IF(v->who.n > SHARC_REVIEW_WHO_MAX, reterr, SHARC_EINVAL,
                  "the name of the reviewer has %zu bytes, at most %d are kept: shorten it", v->who.n,
                  SHARC_REVIEW_WHO_MAX);
    return 0;
}

/* A page that could not be fetched at all has a grade only, and can be reviewed like others. */
static int page_exists(struct sharc_store *s, const struct sharc_store_review *v, struct sharc_err *reterr)
{
    int64_t there = 0;
    int r =
        sharc__store_get_int(s->db,
                             "SELECT (SELECT count(*) FROM page WHERE capture = $1 AND url = $2) +"
                             " (SELECT count(*) FROM grade WHERE capture = $1 AND url = $2)",
                             SHARC__PARAMS(sharc__store_int(v->capture), sharc__store_int(v->url_id)), &there, reterr);
    SHARC_FAIL_IF(r >= 0 && there == 0, reterr, SHARC_ENOENT, "capture %lld has no page with the URL number %lld",
                  (long long)v->capture, (long long)v->url_id);
    return r < 0 ? r : 0;
}

static int write_row(struct sharc_store *s, const struct sharc_store_review *v, struct sharc_err *reterr)
{
    struct sharc_store_value capture = sharc__store_int(v->capture), url = sharc__store_int(v->url_id);
    if (v->state == SHARC_REVIEW_OPEN && v->note.n == 0)
        return sharc__store_run(s, "DELETE FROM review WHERE capture = $1 AND url = $2", SHARC__PARAMS(capture, url),
                                NULL, reterr);
    SHARC_AUTO(sharc_buf_done) struct sharc_buf note = SHARC_BUF_INIT(4 * SHARC_REVIEW_NOTE_MAX);
    SHARC_AUTO(sharc_buf_done) struct sharc_buf who = SHARC_BUF_INIT(4 * SHARC_REVIEW_WHO_MAX);
    return sharc__store_run(s,
                            "INSERT INTO review (capture, url, review, note, who, reviewed)"
                            " VALUES ($1, $2, $3, $4, $5, $6) ON CONFLICT (capture, url) DO UPDATE SET"
                            " review = excluded.review, note = excluded.note, who = excluded.who,"
                            " reviewed = excluded.reviewed",
                            SHARC__PARAMS(capture, url, sharc__store_int((int)v->state),
                                          sharc__store_text(sharc__store_clean(v->note, false, &note)),
                                          sharc__store_text(sharc__store_clean(v->who, false, &who)),
                                          sharc__store_time(v->when)),
                            NULL, reterr);
}

int sharc_store_review_put(struct sharc_store *s, const struct sharc_store_review *review, struct sharc_err *reterr)
{
    int r = check(review, reterr);
    if (r == 0) r = sharc__store_may_write(s, reterr);
    if (r == 0) r = s->db->ops->begin(s->db, false, reterr);
    if (r < 0) return r;
    r = page_exists(s, review, reterr);
    if (r == 0) r = write_row(s, review, reterr);
    if (r == 0) r = sharc__store_touch(s, review->capture, reterr);
    if (r == 0) r = s->db->ops->commit(s->db, reterr);
    if (r < 0) s->db->ops->rollback(s->db);
    return r;
}

/* --- reading --------------------------------------------------------------------------- */

int sharc_store_reviews(struct sharc_store *s, const struct sharc_store_review_filter *f, struct sharc_store_rows **ret,
                        struct sharc_err *reterr)
{
    SHARC_AUTO(sharc__store_sql_done) struct sharc__store_sql q = SHARC__SQL_INIT;
    sharc__store_sql_add(&q, "SELECT v.capture, v.url AS url_id, u.text AS url, v.review, v.note, v.who, v.reviewed"
                             " FROM review v JOIN url u ON u.id = v.url WHERE 1 = 1");
    if (f->capture) sharc__store_sql_with(&q, " AND v.capture = ?", sharc__store_int(f->capture));
    if (f->url) sharc__store_sql_with(&q, " AND v.url = ?", sharc__store_int(f->url));
    if (f->state >= 0) sharc__store_sql_with(&q, " AND v.review = ?", sharc__store_int(f->state));
    sharc__store_sql_add(&q, " ORDER BY v.capture, v.url");
    return sharc__store_sql_rows(s, &q, ret, reterr);
}

void sharc_store_read_review(struct sharc_store_rows *rows, struct sharc_store_review *ret)
{
    *ret = (struct sharc_store_review){
        .capture = sharc__store_rows_int(rows, 0, 0),
        .url_id = sharc__store_rows_int(rows, 1, 0),
        .url = sharc__store_rows_span(rows, 2),
        .note = sharc__store_rows_span(rows, 4),
        .who = sharc__store_rows_span(rows, 5),
        .when = sharc__store_rows_int(rows, 6, SHARC_TIME_NONE),
    };
    int64_t state = sharc__store_rows_int(rows, 3, 0);
    if (state > 0 && state < SHARC_REVIEW_STATE_COUNT) ret->state = (enum sharc_review_state)state;
}

int sharc_store_review_counts(struct sharc_store *s, sharc_store_id capture, uint64_t ret[SHARC_REVIEW_STATE_COUNT],
                              struct sharc_err *reterr)
{
    memset(ret, 0, SHARC_REVIEW_STATE_COUNT * sizeof *ret);
    SHARC_AUTO(sharc_store_rows_freep) struct sharc_store_rows *rows = NULL;
    int r = sharc__store_rows_query(s, "SELECT review, count(*) FROM review WHERE capture = $1 GROUP BY review",
                                    SHARC__PARAMS(sharc__store_int(capture)), &rows, reterr);
    while (r >= 0 && (r = sharc_store_rows_next(rows, reterr)) > 0) {
        int64_t state = sharc__store_rows_int(rows, 0, -1);
        if (state >= 0 && state < SHARC_REVIEW_STATE_COUNT) ret[state] = (uint64_t)sharc__store_rows_int(rows, 1, 0);
    }
    return r;
}

/* SPDX-License-Identifier: Apache-2.0
 *
 * Jobs as people and workers see them.
 */
#include "store_int.h"

#include "sharc/store_job.h"

static const char *const job_states[] = {
#define X(name, text) text,
    SHARC_JOB_STATES(X)
#undef X
};

const char *sharc_job_state_text(enum sharc_job_state state)
{
    return (unsigned)state < SHARC_LENGTH(job_states) ? job_states[state] : "unknown";
}

/* A lease counts as long as it holds for the epoch that the job has. */
#define JOB_ROWS                                                                                                     \
    "SELECT j.id, s.name AS site, j.kind, j.collection, j.state AS job_state, j.due, j.made, j.begun, j.ended,"      \
    " j.owner, l.until AS lease, j.epoch, j.failures, j.capture, j.message, j.schedule, j.params, j.site AS site_id" \
    " FROM job j LEFT JOIN site s ON s.id = j.site LEFT JOIN lease l ON l.job = j.id AND l.epoch = j.epoch"

static void read_job(struct sharc__store_cursor *c, struct sharc_store_job *ret)
{
    *ret = (struct sharc_store_job){
        .id = sharc__store_cursor_int(c, 0, 0),
        .site_name = sharc__store_cursor_span(c, 1),
        .kind = sharc__store_cursor_span(c, 2),
        .collection = sharc__store_cursor_span(c, 3),
        .state = (enum sharc_job_state)sharc__store_cursor_int(c, 4, 0),
        .due = sharc__store_cursor_int(c, 5, SHARC_TIME_NONE),
        .made = sharc__store_cursor_int(c, 6, SHARC_TIME_NONE),
        .begun = sharc__store_cursor_int(c, 7, SHARC_TIME_NONE),
        .ended = sharc__store_cursor_int(c, 8, SHARC_TIME_NONE),
        .owner = sharc__store_cursor_span(c, 9),
        .lease = sharc__store_cursor_int(c, 10, SHARC_TIME_NONE),
        .epoch = sharc__store_cursor_int(c, 11, 0),
        .failures = sharc__store_cursor_int(c, 12, 0),
        .capture = sharc__store_cursor_int(c, 13, 0),
        .message = sharc__store_cursor_span(c, 14),
        .schedule = sharc__store_cursor_span(c, 15),
        .params = sharc__store_cursor_span(c, 16),
        .site = sharc__store_cursor_int(c, 17, 0),
    };
}

int sharc_store_job_get(struct sharc_store *s, sharc_store_id job, struct sharc_store_job *ret,
                        struct sharc_err *reterr)
{
    SHARC_AUTO(sharc__store_cursor_freep) struct sharc__store_cursor *c = NULL;
    int r = sharc__store_get_row(s->db, JOB_ROWS " WHERE j.id = $1", SHARC__PARAMS(sharc__store_int(job)), &c, reterr);
    if (r < 0) return r;
    SHARC_FAIL_IF(r == 0, reterr, SHARC_ENOENT, "there is no job %lld", (long long)job);
    read_job(c, ret);
    sharc_arena_clear(&s->answer);
    struct sharc_span *const texts[] = {&ret->site_name, &ret->kind,     &ret->collection, &ret->owner,
                                        &ret->message,   &ret->schedule, &ret->params};
    for (size_t i = 0; i < SHARC_LENGTH(texts); i++) *texts[i] = sharc__store_keep(s, *texts[i]);
    return 0;
}

static void states_in(struct sharc__store_sql *q, unsigned states)
{
    sharc__store_sql_add(q, " AND j.state IN (-1");
    for (unsigned i = 0; i < SHARC_JOB_STATE_COUNT; i++)
        if (states & 1u << i) sharc_buf_printf(&q->text, ", %u", i);
    sharc__store_sql_add(q, ")");
}

int sharc_store_jobs(struct sharc_store *s, const struct sharc_store_job_filter *filter, struct sharc_store_rows **ret,
                     struct sharc_err *reterr)
{
    static const struct sharc_store_job_filter all = {0};
    const struct sharc_store_job_filter *f = filter ? filter : &all;
    SHARC_AUTO(sharc__store_sql_done) struct sharc__store_sql q = SHARC__SQL_INIT;
    sharc__store_sql_add(&q, JOB_ROWS " WHERE 1 = 1");
    if (f->states) states_in(&q, f->states);
    if (f->collection.p) sharc__store_sql_with(&q, " AND j.collection = ?", sharc__store_text(f->collection));
    if (f->site.p) sharc__store_sql_with(&q, " AND s.name = ?", sharc__store_text(f->site));
    sharc__store_sql_add(&q, " ORDER BY CASE WHEN j.state = 1 THEN 0 ELSE 1 END, j.state, j.due, j.id");
    return sharc__store_sql_rows(s, &q, ret, reterr);
}

void sharc_store_read_job(struct sharc_store_rows *rows, struct sharc_store_job *ret)
{
    read_job(rows->cursor, ret);
}

int sharc_store_jobs_ahead(struct sharc_store *s, const struct sharc_store_job *j, int64_t *ret,
                           struct sharc_err *reterr)
{
    int r =
        sharc__store_get_int(s->db, "SELECT count(*) FROM job WHERE collection = $1 AND state = 0 AND due < $2",
                             SHARC__PARAMS(sharc__store_text(j->collection), sharc__store_int(j->due)), ret, reterr);
    return r < 0 ? r : 0;
}

int sharc_store_jobs_left(struct sharc_store *s, int64_t *ret, struct sharc_err *reterr)
{
    SHARC_AUTO(sharc_freep)
    char *sql = sharc__store_words(s->db, "SELECT count(*) FROM job WHERE state = 1"
                                          " OR (state = 0 AND (due <= {now} OR failures > 0))");
    int r = sharc__store_get_int(s->db, sql, NULL, 0, ret, reterr);
    return r < 0 ? r : 0;
}

/* SPDX-License-Identifier: Apache-2.0
 *
 * Jobs: claimed, kept, given back. Every step is one short transaction, so that two workers can never
 * both succeed, and nothing waits inside of one.
 */
#include "store_int.h"

#include "sharc/store_job.h"

#include <stdlib.h>

#define NOW "{now}"

static int lost(sharc_store_id job, struct sharc_err *reterr)
{
    return sharc_fail(reterr, SHARC_EACCESS, "job %lld belongs to another worker now", (long long)job);
}

/* A statement with words in braces. */
static int run(struct sharc_store *s, const char *sql, const struct sharc_store_value *p, size_t n,
               int64_t *ret_changed, struct sharc_err *reterr)
{
    SHARC_AUTO(sharc_freep) char *text = sharc__store_words(s->db, sql);
    return sharc__store_run(s, text, p, n, ret_changed, reterr);
}

static int get_int(struct sharc_store *s, const char *sql, const struct sharc_store_value *p, size_t n, int64_t *ret,
                   struct sharc_err *reterr)
{
    SHARC_AUTO(sharc_freep) char *text = sharc__store_words(s->db, sql);
    return sharc__store_get_int(s->db, text, p, n, ret, reterr);
}

/* Steps that are done together or not at all. */
typedef int step_fn(struct sharc_store *s, void *arg, struct sharc_err *reterr);
static int together(struct sharc_store *s, step_fn *fn, void *arg, struct sharc_err *reterr)
{
    int r = sharc__store_may_write(s, reterr);
    if (r == 0) r = s->db->ops->begin(s->db, false, reterr);
    if (r < 0) return r;
    int got = fn(s, arg, reterr);
    r = got < 0 ? got : s->db->ops->commit(s->db, reterr);
    if (r < 0) s->db->ops->rollback(s->db);
    return r < 0 ? r : got;
}

int sharc_store_now(struct sharc_store *s, sharc_time *ret, struct sharc_err *reterr)
{
    int r = get_int(s, "SELECT " NOW, NULL, 0, ret, reterr);
    return r < 0 ? r : 0;
}

/* --- added --------------------------------------------------------------------------- */

struct adding {
    const struct sharc_store_job *job;
    sharc_store_id id;
};

#define IS_OPEN "state IN (0, 1, 4)"

static int has_another(struct sharc_store *s, sharc_store_id site, struct sharc_span kind, sharc_store_id but,
                       struct sharc_err *reterr)
{
    int64_t other = 0;
    int r = site ? get_int(s, "SELECT id FROM job WHERE site = $1 AND kind = $2 AND id <> $3 AND " IS_OPEN,
                           SHARC__PARAMS(sharc__store_int(site), sharc__store_text(kind), sharc__store_int(but)),
                           &other, reterr)
                 : 0;
    SHARC_FAIL_IF(r > 0, reterr, SHARC_EEXIST, "the site has such a job already: number %lld", (long long)other);
    return r;
}

static int add(struct sharc_store *s, void *arg, struct sharc_err *reterr)
{
    struct adding *a = arg;
    const struct sharc_store_job *j = a->job;
    const struct sharc_store_value collection = sharc__store_text(j->collection.p ? j->collection : SHARC_SPAN(""));
    int r = has_another(s, j->site, j->kind, 0, reterr);
    if (r < 0) return r;
    r = run(s, "INSERT INTO collection (name) VALUES ($1) ON CONFLICT (name) DO NOTHING", &collection, 1, NULL, reterr);
    if (r < 0) return r;
    r = get_int(s,
                "INSERT INTO job (site, kind, collection, params, schedule, state, due, made, capture)"
                " VALUES ($1, $2, $3, $4, $5, 0, coalesce(CAST($6 AS BIGINT), " NOW "), " NOW ", $7) RETURNING id",
                SHARC__PARAMS(sharc__store_id(j->site), sharc__store_text(j->kind), collection,
                              sharc__store_text(j->params), sharc__store_text(j->schedule), sharc__store_time(j->due),
                              sharc__store_id(j->capture)),
                &a->id, reterr);
    return r;
}

int sharc_store_job_add(struct sharc_store *s, const struct sharc_store_job *j, sharc_store_id *ret,
                        struct sharc_err *reterr)
{
    SHARC_FAIL_IF(!j->kind.p || j->kind.n == 0, reterr, SHARC_EINVAL, "a job needs a kind");
    struct adding a = {.job = j};
    int r = together(s, add, &a, reterr);
    if (r < 0) return r;
    *ret = a.id;
    return 0;
}

/* --- claimed ------------------------------------------------------------------------- */

struct claiming {
    const char *kind;
    struct sharc_span owner;
    sharc_time lease;
    sharc_store_id id;
};

static struct sharc_store_value kind_of(const struct claiming *c)
{
    return c->kind ? sharc__store_text(sharc_span_of(c->kind)) : sharc__store_null();
}

/* One whose worker lets nothing be heard any more. Mostly there is none: that is seen in the leases alone, without
 * trusting the database to begin with them. */
static int find_abandoned(struct sharc_store *s, struct claiming *c, struct sharc_err *reterr)
{
    int64_t some;
    int r = get_int(s, "SELECT job FROM lease WHERE until < " NOW " LIMIT 1", NULL, 0, &some, reterr);
    if (r <= 0) return r;
    return get_int(s,
                   "SELECT id FROM job WHERE state = 1 AND kind = coalesce($1, kind)"
                   " AND id IN (SELECT job FROM lease WHERE until < " NOW ") ORDER BY due, id LIMIT 1{take}",
                   SHARC__PARAMS(kind_of(c)), &c->id, reterr);
}

/* Whose turn is it? Of the collections in which something is due, the one with the fewest running jobs, and of
 * these the one that has waited longest. What is due first is asked of each collection by itself, one step into an
 * index: an EXISTS may be planned as a join that reads the whole queue for each claim. */
static int find_turn(struct sharc_store *s, const struct claiming *c, char **ret, struct sharc_err *reterr)
{
    SHARC_AUTO(sharc__store_cursor_freep) struct sharc__store_cursor *row = NULL;
    SHARC_AUTO(sharc_freep)
    char *sql = sharc__store_words(
        s->db, "SELECT c.name FROM collection c WHERE (SELECT j.due FROM job j WHERE j.collection = c.name"
               " AND j.state = 0 AND j.kind = coalesce($1, j.kind) ORDER BY j.due LIMIT 1) <= " NOW
               " ORDER BY (SELECT count(*) FROM job r WHERE r.collection = c.name AND r.state = 1),"
               " (SELECT coalesce(max(b.begun), 0) FROM job b WHERE b.collection = c.name), c.name LIMIT 1");
    int r = sharc__store_get_row(s->db, sql, SHARC__PARAMS(kind_of(c)), &row, reterr);
    if (r > 0) *ret = sharc_span_dup(sharc__store_cursor_span(row, 0));
    return r;
}

static int find_due(struct sharc_store *s, struct claiming *c, struct sharc_err *reterr)
{
    SHARC_AUTO(sharc_freep) char *collection = NULL;
    int r = find_turn(s, c, &collection, reterr);
    if (r <= 0) return r;
    const struct sharc_store_value name = sharc__store_text(sharc_span_of(collection));
    return get_int(s,
                   "SELECT id FROM job WHERE collection = $1 AND state = 0 AND due <= " NOW
                   " AND kind = coalesce($2, kind)"
                   " AND NOT EXISTS (SELECT 1 FROM lease l WHERE l.job = job.id AND l.until >= " NOW ")"
                   " ORDER BY due LIMIT 1{take}",
                   SHARC__PARAMS(name, kind_of(c)), &c->id, reterr);
}

static int take(struct sharc_store *s, const struct claiming *c, struct sharc_err *reterr)
{
    int r = run(s,
                "UPDATE job SET failures = failures + CASE WHEN state = 1 THEN 1 ELSE 0 END,"
                " message = CASE WHEN state = 1 THEN 'its worker ' || coalesce(owner, '') || ' vanished' ELSE message"
                " END, state = 1, epoch = epoch + 1, begun = " NOW ", owner = $1 WHERE id = $2",
                SHARC__PARAMS(sharc__store_text(c->owner), sharc__store_int(c->id)), NULL, reterr);
    if (r < 0) return r;
    return run(s,
               "INSERT INTO lease (job, epoch, until) SELECT id, epoch, " NOW " + CAST($1 AS BIGINT) FROM job"
               " WHERE id = $2 ON CONFLICT (job) DO UPDATE SET epoch = excluded.epoch, until = excluded.until",
               SHARC__PARAMS(sharc__store_int(c->lease), sharc__store_int(c->id)), NULL, reterr);
}

/* Whatever it is that kills its workers, it is not tried for ever. */
static int give_up(struct sharc_store *s, sharc_store_id id, struct sharc_err *reterr)
{
    int64_t changed = 0;
    int r = run(s,
                "UPDATE job SET state = 3, epoch = epoch + 1, ended = " NOW ", message = 'its workers vanished, the"
                " last was ' || coalesce(owner, '') WHERE id = $1 AND failures >= $2",
                SHARC__PARAMS(sharc__store_int(id), sharc__store_int(SHARC_JOB_VANISHED - 1)), &changed, reterr);
    if (r == 0 && changed > 0)
        r = run(s, "DELETE FROM lease WHERE job = $1", SHARC__PARAMS(sharc__store_int(id)), NULL, reterr);
    return r < 0 ? r : changed > 0;
}

/* 1: *c has one; 0: there is none; 2: something was tidied up, look again. */
static int claim(struct sharc_store *s, void *arg, struct sharc_err *reterr)
{
    struct claiming *c = arg;
    int r = find_abandoned(s, c, reterr);
    if (r > 0) {
        r = give_up(s, c->id, reterr);
        if (r != 0) return r < 0 ? r : 2;
        r = 1;
    } else if (r == 0) {
        r = find_due(s, c, reterr);
    }
    if (r <= 0) return r;
    r = take(s, c, reterr);
    return r < 0 ? r : 1;
}

int sharc_store_job_claim(struct sharc_store *s, const char *kind, struct sharc_span owner, sharc_time lease,
                          struct sharc_store_job *ret, struct sharc_err *reterr)
{
    struct claiming c = {.kind = kind, .owner = owner, .lease = lease};
    int r;
    do r = together(s, claim, &c, reterr);
    while (r == 2);
    if (r <= 0) return r;
    r = sharc_store_job_get(s, c.id, ret, reterr);
    return r < 0 ? r : 1;
}

/* --- kept and given back -------------------------------------------------------------- */

int sharc_store_job_beat(struct sharc_store *s, struct sharc_job_claim claim, sharc_time lease,
                         struct sharc_err *reterr)
{
    int64_t changed = 0, state = 0;
    int r = sharc__store_may_write(s, reterr);
    if (r == 0)
        r = run(s, "UPDATE lease SET until = " NOW " + CAST($1 AS BIGINT) WHERE job = $2 AND epoch = $3",
                SHARC__PARAMS(sharc__store_int(lease), sharc__store_int(claim.job), sharc__store_int(claim.epoch)),
                &changed, reterr);
    if (r < 0) return r;
    if (changed == 0) return lost(claim.job, reterr);
    r = get_int(s, "SELECT state FROM job WHERE id = $1 AND epoch = $2",
                SHARC__PARAMS(sharc__store_int(claim.job), sharc__store_int(claim.epoch)), &state, reterr);
    if (r < 0) return r;
    return r == 0 ? lost(claim.job, reterr) : state == SHARC_JOB_RUNNING;
}

/* How a claim ends: the job is changed, if it is still ours, and the lease goes. */
struct ending {
    struct sharc_job_claim claim;
    const char *sql; /* its last two parameters are job and epoch */
    const struct sharc_store_value *p;
    size_t n;
};

static int end(struct sharc_store *s, void *arg, struct sharc_err *reterr)
{
    const struct ending *e = arg;
    int64_t changed = 0;
    int r = run(s, e->sql, e->p, e->n, &changed, reterr);
    if (r < 0) return r;
    if (changed == 0) return lost(e->claim.job, reterr);
    return run(s, "DELETE FROM lease WHERE job = $1 AND epoch = $2",
               SHARC__PARAMS(sharc__store_int(e->claim.job), sharc__store_int(e->claim.epoch)), NULL, reterr);
}

static int end_claim(struct sharc_store *s, struct sharc_job_claim claim, const char *sql,
                     const struct sharc_store_value *p, size_t n, struct sharc_err *reterr)
{
    struct ending e = {claim, sql, p, n};
    return together(s, end, &e, reterr);
}

int sharc_store_job_release(struct sharc_store *s, struct sharc_job_claim claim, struct sharc_err *reterr)
{
    return end_claim(s, claim,
                     "UPDATE job SET state = CASE WHEN state = 1 THEN 0 ELSE state END WHERE id = $1 AND epoch = $2",
                     SHARC__PARAMS(sharc__store_int(claim.job), sharc__store_int(claim.epoch)), reterr);
}

int sharc_store_job_done(struct sharc_store *s, struct sharc_job_claim claim, sharc_time next, struct sharc_err *reterr)
{
    return end_claim(s, claim,
                     "UPDATE job SET ended = " NOW ", failures = 0, message = NULL,"
                     " capture = CASE WHEN CAST($1 AS BIGINT) IS NULL THEN capture END,"
                     " due = coalesce(CAST($1 AS BIGINT), due),"
                     " state = CASE WHEN CAST($1 AS BIGINT) IS NULL THEN 2 WHEN state = 1 THEN 0 ELSE state END"
                     " WHERE id = $2 AND epoch = $3",
                     SHARC__PARAMS(sharc__store_time(next), sharc__store_int(claim.job), sharc__store_int(claim.epoch)),
                     reterr);
}

int sharc_store_job_again(struct sharc_store *s, struct sharc_job_claim claim, sharc_time next,
                          struct sharc_err *reterr)
{
    return end_claim(s, claim,
                     "UPDATE job SET ended = " NOW ", failures = 0, message = NULL, due = $1,"
                     " state = CASE WHEN state = 1 THEN 0 ELSE state END WHERE id = $2 AND epoch = $3",
                     SHARC__PARAMS(sharc__store_int(next), sharc__store_int(claim.job), sharc__store_int(claim.epoch)),
                     reterr);
}

int sharc_store_job_failed(struct sharc_store *s, struct sharc_job_claim claim, struct sharc_span message,
                           sharc_time pause, struct sharc_err *reterr)
{
    return end_claim(s, claim,
                     "UPDATE job SET message = $1, failures = failures + 1, ended = " NOW ","
                     " due = " NOW " + coalesce(CAST($2 AS BIGINT), 0),"
                     " state = CASE WHEN state <> 1 THEN state WHEN CAST($2 AS BIGINT) IS NULL THEN 3 ELSE 0 END"
                     " WHERE id = $3 AND epoch = $4",
                     SHARC__PARAMS(sharc__store_text(message), sharc__store_time(pause), sharc__store_int(claim.job),
                                   sharc__store_int(claim.epoch)),
                     reterr);
}

/* --- what people want ------------------------------------------------------------------ */

static const struct wish {
    const char *word, *sql;
    unsigned from; /* states that allow it */
} wishes[] = {
    [SHARC_JOB_PAUSE] = {"paused", "UPDATE job SET state = 4 WHERE id = $1",
                         1u << SHARC_JOB_QUEUED | 1u << SHARC_JOB_RUNNING},
    [SHARC_JOB_RESUME] = {"resumed", "UPDATE job SET state = 0 WHERE id = $1", 1u << SHARC_JOB_PAUSED},
    [SHARC_JOB_CANCEL] = {"cancelled", "UPDATE job SET state = 5, ended = {now} WHERE id = $1",
                          1u << SHARC_JOB_QUEUED | 1u << SHARC_JOB_RUNNING | 1u << SHARC_JOB_PAUSED},
    [SHARC_JOB_RETRY] = {"retried", "UPDATE job SET state = 0, failures = 0, due = {now} WHERE id = $1",
                         1u << SHARC_JOB_FAILED | 1u << SHARC_JOB_CANCELLED | 1u << SHARC_JOB_QUEUED},
};

struct wishing {
    sharc_store_id job;
    const struct wish *wish;
};

static int fulfil(struct sharc_store *s, void *arg, struct sharc_err *reterr)
{
    const struct wishing *w = arg;
    const struct sharc_store_value id = sharc__store_int(w->job);
    SHARC_AUTO(sharc__store_cursor_freep) struct sharc__store_cursor *row = NULL;
    SHARC_AUTO(sharc_freep)
    char *sql = sharc__store_words(s->db, "SELECT state, site, kind FROM job WHERE id = $1{share}");
    int r = sharc__store_get_row(s->db, sql, &id, 1, &row, reterr);
    if (r < 0) return r;
    SHARC_FAIL_IF(r == 0, reterr, SHARC_ENOENT, "there is no job %lld", (long long)w->job);
    const unsigned state = (unsigned)sharc__store_cursor_int(row, 0, 0);
    const sharc_store_id site = sharc__store_cursor_int(row, 1, 0);
    SHARC_AUTO(sharc_freep) char *kind = sharc_span_dup(sharc__store_cursor_span(row, 2));
    sharc__store_cursor_freep(&row);
    SHARC_FAIL_IF(!(w->wish->from & 1u << state), reterr, SHARC_EINVAL, "job %lld is %s: it cannot be %s",
                  (long long)w->job, sharc_job_state_text((enum sharc_job_state)state), w->wish->word);
    r = has_another(s, site, sharc_span_of(kind), w->job, reterr);
    return r < 0 ? r : run(s, w->wish->sql, &id, 1, NULL, reterr);
}

int sharc_store_job_wish(struct sharc_store *s, sharc_store_id job, enum sharc_job_wish wish, struct sharc_err *reterr)
{
    struct wishing w = {job, &wishes[wish]};
    return together(s, fulfil, &w, reterr);
}

int sharc_store_jobs_forget(struct sharc_store *s, sharc_time older, int64_t *ret, struct sharc_err *reterr)
{
    int r = sharc__store_may_write(s, reterr);
    if (r < 0) return r;
    return run(s, "DELETE FROM job WHERE state IN (2, 3, 5) AND ended < " NOW " - CAST($1 AS BIGINT)",
               SHARC__PARAMS(sharc__store_int(older)), ret, reterr);
}

/* SPDX-License-Identifier: Apache-2.0
 *
 * Jobs and leases, and the turns of hosts. Every step is one statement or one
 * transaction, so that two workers can never both succeed.
 */
#include "store_int.h"

#include "sharc/store_job.h"

#include <stdlib.h>

static const char *const job_states[] = {
#define X(name, text) text,
    SHARC_JOB_STATES(X)
#undef X
};

const char *sharc_job_state_text(enum sharc_job_state state)
{
    return (unsigned)state < SHARC_LENGTH(job_states) ? job_states[state] : "unknown";
}

/* --- jobs ------------------------------------------------------------------------ */

int sharc_store_job_add(struct sharc_store *s, const struct sharc_store_job *j, sharc_store_id *ret,
                        struct sharc_err *reterr)
{
    SHARC_FAIL_IF(!j->kind.p || j->kind.n == 0, reterr, SHARC_EINVAL, "a job needs a kind");
    int r = sharc__store_insert(s,
                                "INSERT INTO job (site, kind, params, state, priority, due, attempts, capture)"
                                " VALUES ($1, $2, $3, 0, $4, $5, 0, $6) RETURNING id",
                                SHARC__PARAMS(sharc__store_id(j->site), sharc__store_text(j->kind),
                                              sharc__store_text(j->params), sharc__store_int(j->priority),
                                              sharc__store_time(j->due), sharc__store_id(j->capture)),
                                ret, reterr);
    return r < 0 ? r : 0;
}

#define JOB_COLUMNS                                                                                           \
    "j.id, j.site, j.kind, j.params, j.state AS job_state, j.priority, j.due, j.owner, j.lease, j.attempts, " \
    "j.capture, j.message"

static void read_job(struct sharc__store_cursor *c, struct sharc_store_job *ret)
{
    *ret = (struct sharc_store_job){
        .id = sharc__store_cursor_int(c, 0, 0),
        .site = sharc__store_cursor_int(c, 1, 0),
        .kind = sharc__store_cursor_span(c, 2),
        .params = sharc__store_cursor_span(c, 3),
        .state = (enum sharc_job_state)sharc__store_cursor_int(c, 4, 0),
        .priority = sharc__store_cursor_int(c, 5, 0),
        .due = sharc__store_cursor_int(c, 6, SHARC_TIME_NONE),
        .owner = sharc__store_cursor_span(c, 7),
        .lease = sharc__store_cursor_int(c, 8, SHARC_TIME_NONE),
        .attempts = sharc__store_cursor_int(c, 9, 0),
        .capture = sharc__store_cursor_int(c, 10, 0),
        .message = sharc__store_cursor_span(c, 11),
    };
}

/* Answers outlive their row, which must be let go: an open row keeps SQLite in the
 * past, and whoever wants to write from there is refused. */
static struct sharc_span keep(struct sharc_store *s, struct sharc_span text)
{
    return text.p ? sharc_arena_copy(&s->answer, text) : SHARC_SPAN_NONE;
}

int sharc_store_job_claim(struct sharc_store *s, const char *kind, struct sharc_span owner, sharc_time now,
                          sharc_time lease, struct sharc_store_job *ret, struct sharc_err *reterr)
{
    SHARC_AUTO(sharc__store_sql_done) struct sharc__store_sql q = SHARC__SQL_INIT;
    sharc__store_sql_with(&q, "UPDATE job SET state = 1, owner = ?", sharc__store_text(owner));
    sharc__store_sql_with(&q, ", lease = ?, attempts = attempts + 1, message = NULL", sharc__store_int(now + lease));
    sharc__store_sql_with(&q, " WHERE id = (SELECT id FROM job WHERE ((state = 0 AND coalesce(due, 0) <= ?)",
                          sharc__store_int(now));
    sharc__store_sql_with(&q, " OR (state = 1 AND lease < ?))", sharc__store_int(now));
    if (kind) sharc__store_sql_with(&q, " AND kind = ?", sharc__store_text(sharc_span_of(kind)));
    sharc__store_sql_add(&q, " ORDER BY priority DESC, coalesce(due, 0), id LIMIT 1");
    sharc__store_sql_add(&q, s->db->ops->skip_locked);
    sharc__store_sql_add(&q, ") RETURNING id");
    sharc_store_id id;
    int r = sharc__store_insert(s, sharc_buf_str(&q.text), q.p, q.n, &id, reterr);
    if (r <= 0) return r;
    SHARC_AUTO(sharc__store_cursor_freep) struct sharc__store_cursor *c = NULL;
    r = sharc__store_get_row(s->db, "SELECT " JOB_COLUMNS " FROM job j WHERE j.id = $1",
                             SHARC__PARAMS(sharc__store_int(id)), &c, reterr);
    if (r <= 0) return r;
    read_job(c, ret);
    sharc_arena_clear(&s->answer);
    ret->kind = keep(s, ret->kind);
    ret->params = keep(s, ret->params);
    ret->owner = keep(s, ret->owner);
    ret->message = keep(s, ret->message);
    return 1;
}

/* Change a job that is still ours. */
static int change_own(struct sharc_store *s, const char *sql, const struct sharc_store_value *p, size_t n,
                      sharc_store_id job, struct sharc_err *reterr)
{
    int64_t changed = 0;
    int r = sharc__store_may_write(s, reterr);
    if (r == 0) r = sharc__store_run(s, sql, p, n, &changed, reterr);
    if (r < 0) return r;
    SHARC_FAIL_IF(changed == 0, reterr, SHARC_EBUSY, "job %lld belongs to another worker now", (long long)job);
    return 0;
}

int sharc_store_job_renew(struct sharc_store *s, sharc_store_id job, struct sharc_span owner, sharc_time now,
                          sharc_time lease, sharc_store_id capture, struct sharc_err *reterr)
{
    return change_own(s,
                      "UPDATE job SET lease = $1, capture = coalesce($2, capture)"
                      " WHERE id = $3 AND owner = $4 AND state = 1",
                      SHARC__PARAMS(sharc__store_int(now + lease), sharc__store_id(capture), sharc__store_int(job),
                                    sharc__store_text(owner)),
                      job, reterr);
}

int sharc_store_job_finish(struct sharc_store *s, sharc_store_id job, struct sharc_span owner,
                           enum sharc_job_state state, struct sharc_span message, struct sharc_err *reterr)
{
    SHARC_FAIL_IF(state == SHARC_JOB_RUNNING, reterr, SHARC_EINVAL, "a job is finished as done, failed or queued");
    return change_own(s,
                      "UPDATE job SET state = $1, message = $2, lease = NULL, owner = NULL"
                      " WHERE id = $3 AND owner = $4 AND state = 1",
                      SHARC__PARAMS(sharc__store_int((int)state), sharc__store_text(message), sharc__store_int(job),
                                    sharc__store_text(owner)),
                      job, reterr);
}

int sharc_store_jobs(struct sharc_store *s, struct sharc_store_rows **ret, struct sharc_err *reterr)
{
    return sharc__store_rows_query(s,
                                   "SELECT " JOB_COLUMNS " FROM job j ORDER BY CASE WHEN j.state = 1 THEN 0 ELSE 1 END,"
                                   " j.state, j.priority DESC, j.id",
                                   NULL, 0, ret, reterr);
}

void sharc_store_read_job(struct sharc_store_rows *rows, struct sharc_store_job *ret)
{
    read_job(rows->cursor, ret);
}

/* --- hosts -------------------------------------------------------------------------- */

struct host_key {
    struct sharc_store_value name, key, mark;
};

static int host_key(struct sharc_span name, struct host_key *ret, struct sharc_err *reterr)
{
    SHARC_FAIL_IF(!name.p || name.n == 0 || name.n > SHARC_LIMIT_URL, reterr, SHARC_EINVAL, "a host needs a name");
    SHARC_FAIL_IF(sharc_utf8_check(name) != SHARC_NPOS || sharc_span_find(name, '\0', 0) != SHARC_NPOS, reterr,
                  SHARC_EINVAL, "the name of a host must be UTF-8");
    int64_t key, mark;
    sharc__store_key(name, &key, &mark);
    *ret = (struct host_key){sharc__store_text(name), sharc__store_int(key), sharc__store_int(mark)};
    return 0;
}

static int put_host(struct sharc_store *s, const struct sharc_store_host *h, struct sharc_err *reterr)
{
    struct host_key k;
    int r = host_key(h->name, &k, reterr);
    if (r < 0) return r;
    return sharc__store_run(
        s,
        "INSERT INTO host (key, mark, name, next, backoff, robots, robots_when, robots_status)"
        " VALUES ($1, $2, $3, $4, $5, $6, $7, $8) ON CONFLICT (key, mark) DO UPDATE SET"
        " next = excluded.next, backoff = excluded.backoff,"
        " robots = CASE WHEN excluded.robots_when IS NULL THEN host.robots ELSE excluded.robots END,"
        " robots_status = CASE WHEN excluded.robots_when IS NULL THEN host.robots_status"
        " ELSE excluded.robots_status END,"
        " robots_when = coalesce(excluded.robots_when, host.robots_when)",
        SHARC__PARAMS(k.key, k.mark, k.name, sharc__store_time(h->next), sharc__store_int(h->backoff),
                      sharc__store_bytes(h->robots), sharc__store_time(h->robots_when),
                      sharc__store_int(h->robots_status)),
        NULL, reterr);
}

int sharc_store_host_put(struct sharc_store *s, const struct sharc_store_host *h, struct sharc_err *reterr)
{
    int r = sharc__store_may_write(s, reterr);
    return r < 0 ? r : put_host(s, h, reterr);
}

int sharc_store_hosts_put(struct sharc_store *s, const struct sharc_store_host *hosts, size_t count,
                          struct sharc_err *reterr)
{
    int r = sharc__store_may_write(s, reterr);
    if (r < 0 || count == 0) return r;
    r = s->db->ops->begin(s->db, false, reterr);
    for (size_t i = 0; i < count && r == 0; i++) r = put_host(s, &hosts[i], reterr);
    if (r == 0) r = s->db->ops->commit(s->db, reterr);
    if (r < 0) s->db->ops->rollback(s->db);
    return r;
}

int sharc_store_host_get(struct sharc_store *s, struct sharc_span name, struct sharc_store_host *ret,
                         struct sharc_err *reterr)
{
    struct host_key k;
    int r = host_key(name, &k, reterr);
    if (r < 0) return r;
    SHARC_AUTO(sharc__store_cursor_freep) struct sharc__store_cursor *c = NULL;
    r = sharc__store_get_row(s->db,
                             "SELECT name, next, backoff, robots, robots_when, robots_status FROM host"
                             " WHERE key = $1 AND mark = $2",
                             SHARC__PARAMS(k.key, k.mark), &c, reterr);
    if (r < 0) return r;
    SHARC_FAIL_IF(r == 0, reterr, SHARC_ENOENT, "%s: nothing is known about the host %.*s", s->name,
                  SHARC_SPAN_ARG(name));
    sharc_arena_clear(&s->answer);
    *ret = (struct sharc_store_host){
        .name = keep(s, sharc__store_cursor_span(c, 0)),
        .next = sharc__store_cursor_int(c, 1, SHARC_TIME_NONE),
        .backoff = sharc__store_cursor_int(c, 2, 0),
        .robots = keep(s, sharc__store_cursor_span(c, 3)),
        .robots_when = sharc__store_cursor_int(c, 4, SHARC_TIME_NONE),
        .robots_status = (int)sharc__store_cursor_int(c, 5, 0),
    };
    return 0;
}

int sharc_store_host_turn(struct sharc_store *s, struct sharc_span name, sharc_time now, sharc_time delay,
                          sharc_time *ret_when, struct sharc_err *reterr)
{
    struct host_key k;
    int64_t changed = 0;
    int r = sharc__store_may_write(s, reterr);
    if (r == 0) r = host_key(name, &k, reterr);
    if (r < 0) return r;
    /* One statement: it makes the host, or takes its turn, or changes nothing. */
    r = sharc__store_run(s,
                         "INSERT INTO host (key, mark, name, next) VALUES ($1, $2, $3, $4) ON CONFLICT (key, mark)"
                         " DO UPDATE SET next = excluded.next WHERE coalesce(host.next, $5) <= $5",
                         SHARC__PARAMS(k.key, k.mark, k.name, sharc__store_int(now + delay), sharc__store_int(now)),
                         &changed, reterr);
    if (r < 0 || changed > 0) return r < 0 ? r : 1;
    *ret_when = now;
    r = sharc__store_get_int(s->db, "SELECT next FROM host WHERE key = $1 AND mark = $2", SHARC__PARAMS(k.key, k.mark),
                             ret_when, reterr);
    return r < 0 ? r : 0;
}

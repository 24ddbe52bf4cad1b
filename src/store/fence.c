/* SPDX-License-Identifier: Apache-2.0
 *
 * A back-end around another one, for a worker that has claimed a job. Every transaction ends with
 * the question whether the claim still holds; the row that answers it cannot be changed until
 * the commit is over. It begins with the same question, which takes no lock, so as not to write in vain: a worker
 * may be suspended in the middle of a transaction, and must not keep others from the job while it sleeps. What is
 * written outside of one gets a transaction of its own. So a worker that was paused past its lease, whenever it wakes
 * up, writes nothing: either its commit came before the next claim, or the epoch is another.
 */
#include "store_int.h"

#include <stdlib.h>

struct fence_db {
    struct sharc__store_db db;
    struct sharc__store_db_ops ops; /* the inner ones with our functions where something is written */
    struct sharc__store_db *inner;
    struct sharc_job_claim claim;
    sharc_time most;    /* that a transaction may stand still */
    char *first, *last; /* questions of a transaction: whether to begin, and whether to commit */
    bool open;          /* a transaction */
};

static struct fence_db *of(struct sharc__store_db *db)
{
    return (struct fence_db *)db;
}

static int check(struct fence_db *f, const char *question, struct sharc_err *reterr)
{
    int64_t epoch;
    int r = sharc__store_get_int(f->inner, question,
                                 SHARC__PARAMS(sharc__store_int(f->claim.job), sharc__store_int(f->claim.epoch)),
                                 &epoch, reterr);
    if (r < 0) return r;
    SHARC_FAIL_IF(r == 0, reterr, SHARC_EACCESS, "job %lld was taken over by another worker; nothing was written",
                  (long long)f->claim.job);
    return 0;
}

static int db_begin(struct sharc__store_db *db, bool schema, struct sharc_err *reterr)
{
    struct fence_db *f = of(db);
    int r = f->inner->ops->begin(f->inner, schema, reterr);
    if (r < 0) return r;
    r = check(f, f->first, reterr);
    if (r < 0) f->inner->ops->rollback(f->inner);
    f->open = r == 0;
    return r;
}

static int db_commit(struct sharc__store_db *db, struct sharc_err *reterr)
{
    struct fence_db *f = of(db);
    int r = check(f, f->last, reterr);
    if (r == 0) r = f->inner->ops->commit(f->inner, reterr);
    if (r == 0) f->open = false;
    return r;
}

static void db_rollback(struct sharc__store_db *db)
{
    struct fence_db *f = of(db);
    f->open = false;
    f->inner->ops->rollback(f->inner);
}

/* A statement alone: is it in a transaction? Else it gets one. */
#define FENCED(f, call)                                \
    do {                                               \
        if ((f)->open) return (call);                  \
        int r_ = db_begin(&(f)->db, false, reterr);    \
        if (r_ == 0) r_ = (call);                      \
        if (r_ == 0) r_ = db_commit(&(f)->db, reterr); \
        if (r_ < 0) db_rollback(&(f)->db);             \
        return r_;                                     \
    } while (0)

static int db_script(struct sharc__store_db *db, const char *sql, struct sharc_err *reterr)
{
    struct fence_db *f = of(db);
    FENCED(f, f->inner->ops->script(f->inner, sql, reterr));
}

static int db_run(struct sharc__store_db *db, const char *sql, const struct sharc_store_value *p, size_t n,
                  int64_t *ret_changed, struct sharc_err *reterr)
{
    struct fence_db *f = of(db);
    FENCED(f, f->inner->ops->run(f->inner, sql, p, n, ret_changed, reterr));
}

static int db_load(struct sharc__store_db *db, const struct sharc__store_load *l, size_t n, sharc__store_row_fn *row,
                   void *arg, int64_t *ret_ids, struct sharc_err *reterr)
{
    struct fence_db *f = of(db);
    FENCED(f, f->inner->ops->load(f->inner, l, n, row, arg, ret_ids, reterr));
}

/* What gives rows back reads, unless it stands in a transaction. */
static int db_query(struct sharc__store_db *db, const char *sql, const struct sharc_store_value *p, size_t n,
                    bool stream, struct sharc__store_cursor **ret, struct sharc_err *reterr)
{
    struct fence_db *f = of(db);
    SHARC_ASSERT(f->open || strncmp(sql, "SELECT", 6) == 0 || strncmp(sql, "WITH", 4) == 0);
    return f->inner->ops->query(f->inner, sql, p, n, stream, ret, reterr);
}

static int db_find(struct sharc__store_db *db, const char *head, const int64_t *keys, size_t n,
                   sharc__store_found_fn *fn, void *arg, struct sharc_err *reterr)
{
    struct fence_db *f = of(db);
    return f->inner->ops->find(f->inner, head, keys, n, fn, arg, reterr);
}

static int db_sync(struct sharc__store_db *db, struct sharc_err *reterr)
{
    struct fence_db *f = of(db);
    return f->inner->ops->sync(f->inner, reterr);
}

static int db_check(struct sharc__store_db *db, sharc_store_finding_fn *fn, void *arg, uint64_t *found,
                    struct sharc_err *reterr)
{
    struct fence_db *f = of(db);
    return f->inner->ops->check(f->inner, fn, arg, found, reterr);
}

static int db_reconnect(struct sharc__store_db *db, struct sharc_err *reterr)
{
    struct fence_db *f = of(db);
    f->open = false;
    int r = f->inner->ops->reconnect(f->inner, reterr);
    return r < 0 ? r : f->inner->ops->hurry(f->inner, f->most, reterr);
}

static void db_free(struct sharc__store_db *db)
{
    struct fence_db *f = of(db);
    f->inner->ops->free(f->inner);
    free(f->first);
    free(f->last);
    free(f);
}

static int db_hurry(struct sharc__store_db *db, sharc_time most, struct sharc_err *reterr)
{
    struct fence_db *f = of(db);
    f->most = most;
    return f->inner->ops->hurry(f->inner, most, reterr);
}

struct sharc__store_db *sharc__store_fence(struct sharc__store_db *inner, struct sharc_job_claim claim,
                                           sharc_time lease)
{
    struct fence_db *f = SHARC_NEW(struct fence_db);
    *f = (struct fence_db){.ops = *inner->ops, .inner = inner, .claim = claim, .most = lease};
    if (f->most < SHARC_FENCE_LEAST) f->most = SHARC_FENCE_LEAST;
    if (f->most > SHARC_FENCE_MOST) f->most = SHARC_FENCE_MOST;
    f->first = sharc__store_words(inner, "SELECT epoch FROM job WHERE id = $1 AND epoch = $2");
    f->last = sharc__store_words(inner, "SELECT epoch FROM job WHERE id = $1 AND epoch = $2{share}");
    f->ops.script = db_script;
    f->ops.run = db_run;
    f->ops.query = db_query;
    f->ops.load = db_load;
    f->ops.find = db_find;
    f->ops.begin = db_begin;
    f->ops.commit = db_commit;
    f->ops.rollback = db_rollback;
    f->ops.sync = db_sync;
    f->ops.check = db_check;
    f->ops.reconnect = db_reconnect;
    f->ops.hurry = db_hurry;
    f->ops.free = db_free;
    f->db.ops = &f->ops;
    (void)inner->ops->hurry(inner, f->most, NULL); /* if it is lost, reconnecting says it */
    return &f->db;
}

void sharc_store_fence(struct sharc_store *s, struct sharc_job_claim claim, sharc_time lease)
{
    struct sharc__store_db **at = sharc__store_behind(s);
    *at = sharc__store_fence(*at, claim, lease);
    s->job = claim.job;
}

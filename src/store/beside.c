/* SPDX-License-Identifier: Apache-2.0
 *
 * Commits in a thread of their own. A connection serves one thread at a time: while a batch is being written, every
 * other call of the back-end waits here until that is over.
 */
#include "batch_int.h"

#include "sharc/base_pool.h"

#include <stdlib.h>

struct beside_db {
    struct sharc__store_db db;
    struct sharc__store_db_ops ops; /* the inner ones' words with our functions */
    struct sharc__store_db *inner;
    struct sharc_pool *pool; /* of one thread */
    bool begun;              /* it may have something to do */
};

static _Thread_local bool is_writer;

/* The back-end, when it is the caller's turn. */
static struct sharc__store_db *turn_of(struct sharc__store_db *db)
{
    struct beside_db *w = (struct beside_db *)db;
    if (!is_writer && w->begun) {
        sharc_pool_wait(w->pool);
        w->begun = false;
    }
    return w->inner;
}

static int db_script(struct sharc__store_db *db, const char *sql, struct sharc_err *reterr)
{
    struct sharc__store_db *d = turn_of(db);
    return d->ops->script(d, sql, reterr);
}

static int db_run(struct sharc__store_db *db, const char *sql, const struct sharc_store_value *p, size_t n,
                  int64_t *ret_changed, struct sharc_err *reterr)
{
    struct sharc__store_db *d = turn_of(db);
    return d->ops->run(d, sql, p, n, ret_changed, reterr);
}

static int db_query(struct sharc__store_db *db, const char *sql, const struct sharc_store_value *p, size_t n,
                    bool stream, struct sharc__store_cursor **ret, struct sharc_err *reterr)
{
    struct sharc__store_db *d = turn_of(db);
    return d->ops->query(d, sql, p, n, stream, ret, reterr);
}

static int db_load(struct sharc__store_db *db, const struct sharc__store_load *l, size_t n, sharc__store_row_fn *row,
                   void *arg, int64_t *ret_ids, struct sharc_err *reterr)
{
    struct sharc__store_db *d = turn_of(db);
    return d->ops->load(d, l, n, row, arg, ret_ids, reterr);
}

static int db_find(struct sharc__store_db *db, const char *head, const int64_t *keys, size_t n,
                   sharc__store_found_fn *fn, void *arg, struct sharc_err *reterr)
{
    struct sharc__store_db *d = turn_of(db);
    return d->ops->find(d, head, keys, n, fn, arg, reterr);
}

static int db_begin(struct sharc__store_db *db, bool schema, struct sharc_err *reterr)
{
    struct sharc__store_db *d = turn_of(db);
    return d->ops->begin(d, schema, reterr);
}

static int db_commit(struct sharc__store_db *db, struct sharc_err *reterr)
{
    struct sharc__store_db *d = turn_of(db);
    return d->ops->commit(d, reterr);
}

static void db_rollback(struct sharc__store_db *db)
{
    struct sharc__store_db *d = turn_of(db);
    d->ops->rollback(d);
}

static int db_sync(struct sharc__store_db *db, struct sharc_err *reterr)
{
    struct sharc__store_db *d = turn_of(db);
    return d->ops->sync(d, reterr);
}

static int db_check(struct sharc__store_db *db, sharc_store_finding_fn *fn, void *arg, uint64_t *found,
                    struct sharc_err *reterr)
{
    struct sharc__store_db *d = turn_of(db);
    return d->ops->check(d, fn, arg, found, reterr);
}

static int db_reconnect(struct sharc__store_db *db, struct sharc_err *reterr)
{
    struct sharc__store_db *d = turn_of(db);
    return d->ops->reconnect(d, reterr);
}

static int db_hurry(struct sharc__store_db *db, sharc_time most, struct sharc_err *reterr)
{
    struct sharc__store_db *d = turn_of(db);
    return d->ops->hurry(d, most, reterr);
}

static void db_free(struct sharc__store_db *db)
{
    struct beside_db *w = (struct beside_db *)db;
    sharc_pool_free(w->pool);
    w->inner->ops->free(w->inner);
    free(w);
}

static struct sharc__store_db *beside_new(struct sharc__store_db *inner)
{
    struct beside_db *w = SHARC_NEW(struct beside_db);
    w->inner = inner;
    w->pool = sharc_pool_new(1);
    w->ops = *inner->ops;
    w->ops.script = db_script;
    w->ops.run = db_run;
    w->ops.query = db_query;
    w->ops.load = db_load;
    w->ops.find = db_find;
    w->ops.begin = db_begin;
    w->ops.commit = db_commit;
    w->ops.rollback = db_rollback;
    w->ops.sync = db_sync;
    w->ops.check = db_check;
    w->ops.reconnect = db_reconnect;
    w->ops.hurry = db_hurry;
    w->ops.free = db_free;
    w->db.ops = &w->ops;
    return &w->db;
}

void sharc__store_quiet(struct sharc_store *s)
{
    if (s->beside) (void)turn_of(s->beside);
}

struct sharc__store_db **sharc__store_behind(struct sharc_store *s)
{
    sharc__store_quiet(s);
    return s->beside ? &((struct beside_db *)s->beside)->inner : &s->db;
}

static void commit_task(void *arg)
{
    struct sharc_store_batch *b = arg;
    is_writer = true;
    b->err = (struct sharc_err)SHARC_ERR_INIT;
    b->result = sharc_store_batch_commit(b, &b->err);
    sharc_store_committed_fn *done = b->done;
    void *done_arg = b->done_arg;
    atomic_store(&b->under_way, false); /* from now on the batch is its owner's again */
    if (done) done(done_arg);
}

void sharc_store_batch_begin(struct sharc_store_batch *b, sharc_store_committed_fn *done, void *arg)
{
    struct sharc_store *s = b->store;
    if (!s->beside) s->db = s->beside = beside_new(s->db);
    sharc__store_quiet(s);
    b->done = done;
    b->done_arg = arg;
    b->begun = true;
    atomic_store(&b->under_way, true);
    ((struct beside_db *)s->beside)->begun = true;
    sharc_pool_submit(((struct beside_db *)s->beside)->pool, commit_task, b);
}

bool sharc_store_batch_under_way(const struct sharc_store_batch *b)
{
    return atomic_load(&b->under_way);
}

int sharc_store_batch_settle(struct sharc_store_batch *b, struct sharc_err *reterr)
{
    sharc__store_quiet(b->store);
    b->begun = false;
    if (b->result < 0 && reterr) *reterr = b->err;
    return b->result;
}

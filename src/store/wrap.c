/* SPDX-License-Identifier: Apache-2.0
 *
 * A back-end around another one: it counts every call, tells a listener what
 * was asked and how long it took, and fails when told to. A call that is told
 * to fail does not reach the inner back-end.
 */
#include "store_int.h"

#include <stdlib.h>

struct wrap_db {
    struct sharc__store_db db;
    struct sharc__store_db_ops ops; /* the inner ones' words with our functions */
    struct sharc__store_db *inner;
    sharc_store_trace_fn *trace;
    void *trace_arg;
    uint64_t calls, fail_at;
    int fail_code;
};

struct wrap_cursor {
    struct sharc__store_cursor cursor;
    struct wrap_db *db;
    struct sharc__store_cursor *inner;
};

static struct wrap_db *of(struct sharc__store_db *db)
{
    return (struct wrap_db *)db;
}

/* Count a call; < 0 when it is the one that fails. */
static int enter(struct wrap_db *w, double *ret_start, struct sharc_err *reterr)
{
    w->calls++;
    if (w->fail_at && w->calls == w->fail_at)
        return sharc_fail(reterr, w->fail_code, "call %llu of the database was told to fail",
                          (unsigned long long)w->calls);
    *ret_start = w->trace ? sharc_clock_mono() : 0;
    return 0;
}

static int leave(struct wrap_db *w, const char *what, double start, int r)
{
    if (w->trace) w->trace(w->trace_arg, what, sharc_clock_mono() - start);
    return r;
}

/* Run a call of the inner back-end between enter and leave. */
#define WRAPPED(w, what, call)                 \
    do {                                       \
        double start_ = 0;                     \
        int r_ = enter((w), &start_, reterr);  \
        if (r_ < 0) return r_;                 \
        r_ = (call);                           \
        return leave((w), (what), start_, r_); \
    } while (0)

static int cursor_next(struct sharc__store_cursor *base, struct sharc_err *reterr)
{
    struct wrap_cursor *c = (struct wrap_cursor *)base;
    /* Rows are counted, but not traced: there are too many. */
    double start = 0;
    int r = enter(c->db, &start, reterr);
    return r < 0 ? r : c->inner->ops->next(c->inner, reterr);
}

static void cursor_value(struct sharc__store_cursor *base, size_t column, struct sharc_store_value *ret)
{
    struct wrap_cursor *c = (struct wrap_cursor *)base;
    c->inner->ops->value(c->inner, column, ret);
}

static size_t cursor_columns(const struct sharc__store_cursor *base)
{
    const struct wrap_cursor *c = (const struct wrap_cursor *)base;
    return c->inner->ops->columns(c->inner);
}

static const char *cursor_name(const struct sharc__store_cursor *base, size_t column)
{
    const struct wrap_cursor *c = (const struct wrap_cursor *)base;
    return c->inner->ops->name(c->inner, column);
}

static void cursor_free(struct sharc__store_cursor *base)
{
    struct wrap_cursor *c = (struct wrap_cursor *)base;
    c->inner->ops->free(c->inner);
    free(c);
}

static const struct sharc__store_cursor_ops cursor_ops = {cursor_next, cursor_value, cursor_columns, cursor_name,
                                                          cursor_free};

static int db_script(struct sharc__store_db *db, const char *sql, struct sharc_err *reterr)
{
    struct wrap_db *w = of(db);
    WRAPPED(w, sql, w->inner->ops->script(w->inner, sql, reterr));
}

static int db_run(struct sharc__store_db *db, const char *sql, const struct sharc_store_value *p, size_t n,
                  int64_t *ret_changed, struct sharc_err *reterr)
{
    struct wrap_db *w = of(db);
    WRAPPED(w, sql, w->inner->ops->run(w->inner, sql, p, n, ret_changed, reterr));
}

static int db_query(struct sharc__store_db *db, const char *sql, const struct sharc_store_value *p, size_t n,
                    bool stream, struct sharc__store_cursor **ret, struct sharc_err *reterr)
{
    struct wrap_db *w = of(db);
    double start = 0;
    struct sharc__store_cursor *inner = NULL;
    int r = enter(w, &start, reterr);
    if (r == 0) r = leave(w, sql, start, w->inner->ops->query(w->inner, sql, p, n, stream, &inner, reterr));
    if (r < 0) return r;
    struct wrap_cursor *c = SHARC_NEW(struct wrap_cursor);
    *c = (struct wrap_cursor){{&cursor_ops}, w, inner};
    *ret = &c->cursor;
    return 0;
}

static int db_load(struct sharc__store_db *db, const struct sharc__store_load *l, size_t n, sharc__store_row_fn *row,
                   void *arg, int64_t *ret_ids, struct sharc_err *reterr)
{
    struct wrap_db *w = of(db);
    WRAPPED(w, l->table, w->inner->ops->load(w->inner, l, n, row, arg, ret_ids, reterr));
}

static int db_find(struct sharc__store_db *db, const char *head, const int64_t *keys, size_t n,
                   sharc__store_found_fn *fn, void *arg, struct sharc_err *reterr)
{
    struct wrap_db *w = of(db);
    WRAPPED(w, head, w->inner->ops->find(w->inner, head, keys, n, fn, arg, reterr));
}

static int db_begin(struct sharc__store_db *db, bool schema, struct sharc_err *reterr)
{
    struct wrap_db *w = of(db);
    WRAPPED(w, "BEGIN", w->inner->ops->begin(w->inner, schema, reterr));
}

static int db_commit(struct sharc__store_db *db, struct sharc_err *reterr)
{
    struct wrap_db *w = of(db);
    WRAPPED(w, "COMMIT", w->inner->ops->commit(w->inner, reterr));
}

static void db_rollback(struct sharc__store_db *db)
{
    struct wrap_db *w = of(db);
    w->inner->ops->rollback(w->inner);
}

static int db_sync(struct sharc__store_db *db, struct sharc_err *reterr)
{
    struct wrap_db *w = of(db);
    WRAPPED(w, "sync", w->inner->ops->sync(w->inner, reterr));
}

static int db_check(struct sharc__store_db *db, sharc_store_finding_fn *fn, void *arg, uint64_t *found,
                    struct sharc_err *reterr)
{
    struct wrap_db *w = of(db);
    WRAPPED(w, "check", w->inner->ops->check(w->inner, fn, arg, found, reterr));
}

static int db_reconnect(struct sharc__store_db *db, struct sharc_err *reterr)
{
    struct wrap_db *w = of(db);
    WRAPPED(w, "reconnect", w->inner->ops->reconnect(w->inner, reterr));
}

static int db_hurry(struct sharc__store_db *db, sharc_time most, struct sharc_err *reterr)
{
    struct wrap_db *w = of(db);
    return w->inner->ops->hurry(w->inner, most, reterr);
}

static void db_free(struct sharc__store_db *db)
{
    struct wrap_db *w = of(db);
    w->inner->ops->free(w->inner);
    free(w);
}

struct sharc__store_db *sharc__store_wrap(struct sharc__store_db *inner)
{
    struct wrap_db *w = SHARC_NEW(struct wrap_db);
    w->inner = inner;
    w->ops = (struct sharc__store_db_ops){
        .name = inner->ops->name,
        .id = inner->ops->id,
        .text = inner->ops->text,
        .bytes = inner->ops->bytes,
        .keyed = inner->ops->keyed,
        .has_schema = inner->ops->has_schema,
        .now = inner->ops->now,
        .take = inner->ops->take,
        .share = inner->ops->share,
        .script = db_script,
        .run = db_run,
        .query = db_query,
        .load = db_load,
        .load_tells = inner->ops->load_tells,
        .find = db_find,
        .begin = db_begin,
        .commit = db_commit,
        .rollback = db_rollback,
        .sync = db_sync,
        .check = db_check,
        .reconnect = db_reconnect,
        .hurry = db_hurry,
        .free = db_free,
    };
    w->db.ops = &w->ops;
    return &w->db;
}

void sharc__store_wrap_trace(struct sharc__store_db *db, sharc_store_trace_fn *fn, void *arg)
{
    struct wrap_db *w = of(db);
    w->trace = fn;
    w->trace_arg = arg;
}

uint64_t sharc__store_wrap_fail(struct sharc__store_db *db, uint64_t n, int code)
{
    struct wrap_db *w = of(db);
    uint64_t calls = w->calls;
    w->calls = 0;
    w->fail_at = n;
    w->fail_code = code;
    return calls;
}

/* SPDX-License-Identifier: Apache-2.0
 *
 * PostgreSQL through libpq. One connection holds the transactions; each stream
 * of rows has a connection of its own (kept for the next stream) in single-row
 * mode. Loads: pg_load.c.
 */
#include "pg_wait.h"
#include "pg_wire.h"

#include <stdio.h>
#include <stdlib.h>

struct idle {
    PGconn *pg;
    struct idle *next;
};

struct pg_db {
    struct sharc__store_db db;
    char *url, *shown; /* shown: without password */
    bool read_only;
    PGconn *main;
    struct sharc_intern *texts;    /* statements; number N is called "sN" on main */
    bool ready[SHARC__STATEMENTS]; /* and prepared there */
    size_t ready_count;
    uint64_t loaded, analyzed; /* rows loaded since the connection was made; when statistics were last taken */
    struct idle *idle;
};

struct pg_cursor {
    struct sharc__store_cursor cursor;
    struct pg_db *db;
    PGconn *pg; /* of a stream; NULL: the result is complete */
    PGresult *res;
    int row;
    bool peeked; /* the first answer of a stream is there and not yet handed out */
    bool done;
};

/* --- errors ------------------------------------------------------------------- */

static int code_of_state(const char *state)
{
    static const struct {
        const char *prefix;
        int code;
    } rows[] = {
        {"08", SHARC_ENET},        {"57P", SHARC_ENET},      {"40", SHARC_EBUSY},      {"55P03", SHARC_EBUSY},
        {"53100", SHARC_ENOSPC},   {"25006", SHARC_EACCESS}, {"42501", SHARC_EACCESS}, {"28", SHARC_EACCESS},
        {"3D000", SHARC_ENOENT},   {"23505", SHARC_EEXIST},  {"57014", SHARC_EBUSY},   {"XX001", SHARC_ECORRUPT},
        {"XX002", SHARC_ECORRUPT},
    };
    for (size_t i = 0; state && i < SHARC_LENGTH(rows); i++)
        if (strncmp(state, rows[i].prefix, strlen(rows[i].prefix)) == 0) return rows[i].code;
    return SHARC_EDB;
}

/* An error without a state comes from libpq, not from the server. It may have found the connection
 * closed while sending, and know that the connection is bad only when it reads next. */
static bool is_lost(PGconn *pg, const char *state)
{
    if (PQstatus(pg) == CONNECTION_BAD) return true;
    return !state && (strstr(PQerrorMessage(pg), "server closed the connection") || !PQconsumeInput(pg));
}

static int fail_silent(const struct pg_db *d, struct sharc_err *reterr)
{
    return sharc_fail(reterr, SHARC_ENET, "%s: it does not answer, and was not waited for any longer", d->shown);
}

/* res may be NULL: then the connection itself tells. */
static int fail(struct pg_db *d, PGconn *pg, const PGresult *res, struct sharc_err *reterr)
{
    const char *state = res ? PQresultErrorField(res, PG_DIAG_SQLSTATE) : NULL;
    int code = is_lost(pg, state) ? SHARC_ENET : code_of_state(state);
    const char *text = res ? PQresultErrorField(res, PG_DIAG_MESSAGE_PRIMARY) : NULL;
    if (!text) text = PQerrorMessage(pg);
    struct sharc_span s = sharc_span_trim(sharc_span_of(text));
    size_t line = sharc_span_find(s, '\n', 0);
    if (line != SHARC_NPOS) s.n = line;
    if (code == SHARC_ENET && sharc__store_pg_gave_up()) return fail_silent(d, reterr);
    if (state && strcmp(state, "42501") == 0)
        return sharc_fail(reterr, code,
                          "%s: %.*s; grant this role SELECT, INSERT, UPDATE and DELETE on the tables of sharc",
                          d->shown, SHARC_SPAN_ARG(s));
    if (code == SHARC_ENET)
        return sharc_fail(reterr, code, "%s: the connection is lost: %.*s", d->shown, SHARC_SPAN_ARG(s));
    return sharc_fail(reterr, code, "%s: %.*s", d->shown, SHARC_SPAN_ARG(s));
}

/* --- connections ----------------------------------------------------------------- */

static void no_notice(void *arg SHARC_UNUSED, const PGresult *res SHARC_UNUSED) {}

/* Nothing waits inside a transaction; but a process may be suspended in one, and must not keep its locks for as long
 * as that lasts. The server ends it after this many milliseconds: then the connection is lost, and what was
 * not committed is written again. */
#define IDLE "20000"

/* What stands before the url are defaults it may override; what stands after holds. A server that is cut off without
 * a word is given up after half a minute: TCP alone would wait for a quarter of an hour. */
static int connect_to(struct pg_db *d, PGconn **ret, struct sharc_err *reterr)
{
    static const char *const names[] = {"connect_timeout",
                                        "application_name",
                                        "keepalives_idle",
                                        "keepalives_interval",
                                        "keepalives_count",
                                        "tcp_user_timeout",
                                        "dbname",
                                        "client_encoding",
                                        NULL};
    const char *const values[] = {"10", "sharc", "15", "5", "3", "30000", d->url, "UTF8", NULL};
    PGconn *pg = sharc__store_pg_connect(names, values);
    if (!pg) return fail_silent(d, reterr);
    if (PQstatus(pg) != CONNECTION_OK) {
        struct sharc_span s = sharc_span_trim(sharc_span_of(PQerrorMessage(pg)));
        size_t line = sharc_span_find(s, '\n', 0);
        if (line != SHARC_NPOS) s.n = line;
        int code = PQconnectionNeedsPassword(pg) || PQconnectionUsedPassword(pg) ? SHARC_EACCESS : SHARC_ENET;
        int r = sharc_fail(reterr, code, "%s: cannot connect: %.*s", d->shown, SHARC_SPAN_ARG(s));
        PQfinish(pg);
        return r;
    }
    PQsetNoticeReceiver(pg, no_notice, NULL);
    /* Compiling a plan takes longer than any of ours saves by it. */
    char sql[200];
    snprintf(sql, sizeof sql, "SET client_min_messages=warning; SET idle_in_transaction_session_timeout=" IDLE "%s%s",
             d->read_only ? "; SET default_transaction_read_only=on" : "",
             PQserverVersion(pg) >= 110000 ? "; SET jit=off" : "");
    PGresult *res = sharc__store_pg_exec(pg, sql);
    int r = PQresultStatus(res) == PGRES_COMMAND_OK ? 0 : fail(d, pg, res, reterr);
    PQclear(res);
    if (r < 0) {
        PQfinish(pg);
        return r;
    }
    *ret = pg;
    return 0;
}

static void drop_idle(struct pg_db *d)
{
    while (d->idle) {
        struct idle *i = d->idle;
        d->idle = i->next;
        PQfinish(i->pg);
        free(i);
    }
}

static int borrow(struct pg_db *d, PGconn **ret, struct sharc_err *reterr)
{
    while (d->idle) {
        struct idle *i = d->idle;
        PGconn *pg = i->pg;
        d->idle = i->next;
        free(i);
        if (PQstatus(pg) == CONNECTION_OK) {
            *ret = pg;
            return 0;
        }
        PQfinish(pg);
    }
    return connect_to(d, ret, reterr);
}

/* Give a connection back once it has nothing more to say. */
static void give_back(struct pg_db *d, PGconn *pg, bool unread)
{
    if (unread) {
        bool sent = sharc__store_pg_cancel(pg);
        PGresult *res;
        while (sent && (res = sharc__store_pg_result(pg))) PQclear(res);
        if (!sent) {
            PQfinish(pg);
            return;
        }
    }
    if (PQstatus(pg) != CONNECTION_OK) {
        PQfinish(pg);
        return;
    }
    struct idle *i = SHARC_NEW(struct idle);
    *i = (struct idle){pg, d->idle};
    d->idle = i;
}

/* --- parameters ---------------------------------------------------------------------- */

/* Numbers travel as text, so that the server may read them as whatever width a
 * column has; bytes travel as they are. */
struct params {
    const char *values[SHARC__LOAD_COLUMNS];
    int lengths[SHARC__LOAD_COLUMNS];
    int formats[SHARC__LOAD_COLUMNS];
    char numbers[SHARC__LOAD_COLUMNS][32];
    struct sharc_arena texts; /* copies with a 0 behind */
};

static void params_fill(struct params *q, const struct sharc_store_value *p, size_t n)
{
    SHARC_ASSERT(n <= SHARC__LOAD_COLUMNS);
    for (size_t i = 0; i < n; i++) {
        q->values[i] = q->numbers[i];
        q->formats[i] = 0;
        q->lengths[i] = 0;
        switch (p[i].type) {
        case SHARC_STORE_NULL: q->values[i] = NULL; break;
        case SHARC_STORE_INTEGER: snprintf(q->numbers[i], 32, "%lld", (long long)p[i].i); break;
        case SHARC_STORE_REAL: snprintf(q->numbers[i], 32, "%.17g", p[i].d); break;
        case SHARC_STORE_TEXT: q->values[i] = sharc_arena_copy(&q->texts, p[i].s).p; break;
        case SHARC_STORE_BYTES:
            q->values[i] = p[i].s.p;
            q->lengths[i] = (int)p[i].s.n;
            q->formats[i] = 1;
            break;
        }
    }
}

#define PARAMS_INIT                             \
    {                                           \
        .texts = SHARC_ARENA_INIT(SIZE_MAX / 2) \
    }

static struct pg_db *of(struct sharc__store_db *db)
{
    return (struct pg_db *)db;
}

/* Run a statement that is prepared on the main connection when first seen. */
static int prepared(struct pg_db *d, const char *sql, const struct params *q, size_t n, PGresult **ret,
                    struct sharc_err *reterr)
{
    uint32_t slot = sharc_intern_find(d->texts, sharc_span_of(sql));
    if (slot == SHARC_NO_ID && d->ready_count < SHARC__STATEMENTS) {
        slot = sharc_intern_add(d->texts, sharc_span_of(sql), NULL);
        d->ready[d->ready_count++] = false;
    }
    char name[16] = ""; /* without a name: prepared for this time only */
    if (slot != SHARC_NO_ID) snprintf(name, sizeof name, "s%u", slot);
    if (slot == SHARC_NO_ID || !d->ready[slot]) {
        PGresult *res = sharc__store_pg_prepare(d->main, name, sql, (int)n);
        int r = PQresultStatus(res) == PGRES_COMMAND_OK ? 0 : fail(d, d->main, res, reterr);
        PQclear(res);
        if (r < 0) return r;
        if (slot != SHARC_NO_ID) d->ready[slot] = true;
    }
    PGresult *res = sharc__store_pg_exec_prepared(d->main, name, (int)n, q->values, q->lengths, q->formats);
    ExecStatusType status = PQresultStatus(res);
    if (status != PGRES_COMMAND_OK && status != PGRES_TUPLES_OK) {
        int r = fail(d, d->main, res, reterr);
        PQclear(res);
        return r;
    }
    *ret = res;
    return 0;
}

/* --- the table of functions ------------------------------------------------------------- */

static int db_script(struct sharc__store_db *db, const char *sql, struct sharc_err *reterr)
{
    struct pg_db *d = of(db);
    PGresult *res = sharc__store_pg_exec(d->main, sql);
    ExecStatusType status = PQresultStatus(res);
    int r = status == PGRES_COMMAND_OK || status == PGRES_TUPLES_OK ? 0 : fail(d, d->main, res, reterr);
    PQclear(res);
    return r;
}

static int db_run(struct sharc__store_db *db, const char *sql, const struct sharc_store_value *p, size_t n,
                  int64_t *ret_changed, struct sharc_err *reterr)
{
    struct params q = PARAMS_INIT;
    PGresult *res = NULL;
    params_fill(&q, p, n);
    int r = prepared(of(db), sql, &q, n, &res, reterr);
    sharc_arena_done(&q.texts);
    if (r < 0) return r;
    uint64_t changed = 0;
    if (ret_changed && sharc_span_to_u64(sharc_span_of(PQcmdTuples(res)), &changed) == 0)
        *ret_changed = (int64_t)changed;
    PQclear(res);
    return 0;
}

static int stream_next(struct pg_cursor *c, struct sharc_err *reterr)
{
    if (!c->peeked) {
        PQclear(c->res);
        c->res = sharc__store_pg_result(c->pg);
    }
    c->peeked = false;
    ExecStatusType status = PQresultStatus(c->res);
    if (c->res && status == PGRES_SINGLE_TUPLE) return 1;
    c->done = true;
    if (c->res && status == PGRES_TUPLES_OK) return 0;
    return fail(c->db, c->pg, c->res, reterr);
}

static int cursor_next(struct sharc__store_cursor *base, struct sharc_err *reterr)
{
    struct pg_cursor *c = (struct pg_cursor *)base;
    if (c->done) return 0;
    if (c->pg) return stream_next(c, reterr);
    if (++c->row < PQntuples(c->res)) return 1;
    c->done = true;
    return 0;
}

static void cursor_value(struct sharc__store_cursor *base, size_t column, struct sharc_store_value *ret)
{
    struct pg_cursor *c = (struct pg_cursor *)base;
    int i = (int)column, row = c->pg ? 0 : c->row;
    *ret = (struct sharc_store_value){.type = SHARC_STORE_NULL};
    if (PQgetisnull(c->res, row, i)) return;
    sharc__store_pg_value(PQftype(c->res, i), PQgetvalue(c->res, row, i), (size_t)PQgetlength(c->res, row, i), ret);
}

static size_t cursor_columns(const struct sharc__store_cursor *base)
{
    return (size_t)PQnfields(((const struct pg_cursor *)base)->res);
}

static const char *cursor_name(const struct sharc__store_cursor *base, size_t column)
{
    return PQfname(((const struct pg_cursor *)base)->res, (int)column);
}

static void cursor_free(struct sharc__store_cursor *base)
{
    struct pg_cursor *c = (struct pg_cursor *)base;
    PQclear(c->res);
    if (c->pg) {
        /* The end of a stream is told by one more, empty answer. */
        if (c->done) {
            PGresult *res;
            while ((res = sharc__store_pg_result(c->pg))) PQclear(res);
        }
        give_back(c->db, c->pg, !c->done);
    }
    free(c);
}

static const struct sharc__store_cursor_ops cursor_ops = {cursor_next, cursor_value, cursor_columns, cursor_name,
                                                          cursor_free};

static int open_stream(struct pg_cursor *c, const char *sql, const struct params *q, size_t n, struct sharc_err *reterr)
{
    int r = borrow(c->db, &c->pg, reterr);
    if (r < 0) return r;
    if (!PQsendQueryParams(c->pg, sql, (int)n, NULL, q->values, q->lengths, q->formats, 1) ||
        !PQsetSingleRowMode(c->pg)) {
        c->done = true;
        return fail(c->db, c->pg, NULL, reterr);
    }
    /* The first answer knows the columns, and whether the question was a good one. */
    c->res = sharc__store_pg_result(c->pg);
    c->peeked = true;
    ExecStatusType status = PQresultStatus(c->res);
    if (status == PGRES_SINGLE_TUPLE || status == PGRES_TUPLES_OK) return 0;
    c->done = true;
    return fail(c->db, c->pg, c->res, reterr);
}

static int db_query(struct sharc__store_db *db, const char *sql, const struct sharc_store_value *p, size_t n,
                    bool stream, struct sharc__store_cursor **ret, struct sharc_err *reterr)
{
    struct params q = PARAMS_INIT;
    struct pg_cursor *c = SHARC_NEW(struct pg_cursor);
    *c = (struct pg_cursor){.cursor = {&cursor_ops}, .db = of(db), .row = -1};
    params_fill(&q, p, n);
    int r = stream ? open_stream(c, sql, &q, n, reterr) : prepared(c->db, sql, &q, n, &c->res, reterr);
    sharc_arena_done(&q.texts);
    if (r < 0) {
        cursor_free(&c->cursor);
        return r;
    }
    *ret = &c->cursor;
    return 0;
}

static int db_load(struct sharc__store_db *db, const struct sharc__store_load *l, size_t n, sharc__store_row_fn *row,
                   void *arg, int64_t *ret_ids, struct sharc_err *reterr)
{
    (void)ret_ids;
    of(db)->loaded += n;
    return sharc__store_pg_load(db, l, n, row, arg, reterr);
}

static int db_find(struct sharc__store_db *db, const char *head, const int64_t *keys, size_t n,
                   sharc__store_found_fn *fn, void *arg, struct sharc_err *reterr)
{
    if (n == 0) return 0;
    SHARC_AUTO(sharc_buf_done) struct sharc_buf array = SHARC_BUF_INIT(1u << 30);
    SHARC_AUTO(sharc_buf_done) struct sharc_buf sql = SHARC_BUF_INIT(16u << 10);
    sharc_buf_printf(&sql, "%s = ANY(CAST($1 AS BIGINT[]))", head);
    sharc__store_pg_array(&array, keys, n);
    struct sharc_store_value p = sharc__store_bytes(sharc_buf_span(&array));
    SHARC_AUTO(sharc__store_cursor_freep) struct sharc__store_cursor *c = NULL;
    int r = db_query(db, sharc_buf_str(&sql), &p, 1, false, &c, reterr);
    while (r >= 0 && (r = cursor_next(c, reterr)) > 0) fn(arg, c);
    return r;
}

static int db_begin(struct sharc__store_db *db, bool schema, struct sharc_err *reterr)
{
    /* Two programs that make the same catalogue at once take turns. */
    return db_script(db, schema ? "BEGIN; SELECT pg_advisory_xact_lock(7310000071)" : "BEGIN", reterr);
}

/* The server takes statistics by itself, but minutes late; until then it plans for
 * empty tables and reads them from end to end. So: once in the beginning, then
 * whenever what was loaded has doubled. A failure harms nothing. */
static void analyze(struct pg_db *d)
{
    if (d->loaded < 5000 || d->loaded < 2 * d->analyzed) return;
    d->analyzed = d->loaded;
    PQclear(sharc__store_pg_exec(d->main, "ANALYZE url, host, page, look, content, link_set, skipped"));
}

static int db_commit(struct sharc__store_db *db, struct sharc_err *reterr)
{
    struct pg_db *d = of(db);
    PGresult *res = sharc__store_pg_exec(d->main, "COMMIT");
    int r = PQresultStatus(res) == PGRES_COMMAND_OK ? 0 : fail(d, d->main, res, reterr);
    /* A transaction in which something failed is rolled back by COMMIT, politely. */
    if (r == 0 && strcmp(PQcmdStatus(res), "COMMIT") != 0)
        r = sharc_fail(reterr, SHARC_EDB, "%s: the transaction was rolled back", d->shown);
    PQclear(res);
    if (r == 0) analyze(d);
    return r;
}

static void db_rollback(struct sharc__store_db *db)
{
    struct pg_db *d = of(db);
    if (PQtransactionStatus(d->main) != PQTRANS_IDLE) PQclear(sharc__store_pg_exec(d->main, "ROLLBACK"));
}

static int db_sync(struct sharc__store_db *db SHARC_UNUSED, struct sharc_err *reterr SHARC_UNUSED)
{
    return 0; /* the server's settings decide; by default every commit is safe */
}

static int db_check(struct sharc__store_db *db SHARC_UNUSED, sharc_store_finding_fn *fn SHARC_UNUSED,
                    void *arg SHARC_UNUSED, uint64_t *found SHARC_UNUSED, struct sharc_err *reterr SHARC_UNUSED)
{
    return 0; /* the structure is the server's business */
}

static int db_reconnect(struct sharc__store_db *db, struct sharc_err *reterr)
{
    struct pg_db *d = of(db);
    PGconn *pg = NULL;
    int r = connect_to(d, &pg, reterr);
    if (r < 0) return r;
    PQfinish(d->main);
    d->main = pg;
    drop_idle(d);
    for (size_t i = 0; i < d->ready_count; i++) d->ready[i] = false;
    return 0;
}

/* A transaction that waits for its next statement, or for the rest of one, is idle. A statement that waits for
 * a lock of others is tried again (SHARC_EBUSY). An answer that nobody takes ends with the connection. */
static int db_hurry(struct sharc__store_db *db, sharc_time most, struct sharc_err *reterr)
{
    char sql[200];
    const long long ms = most / SHARC_MSEC;
    snprintf(sql, sizeof sql,
             "SET idle_in_transaction_session_timeout=%lld; SET tcp_user_timeout=%lld; SET statement_timeout=30000", ms,
             ms);
    return db_script(db, sql, reterr);
}

static void db_free(struct sharc__store_db *db)
{
    struct pg_db *d = of(db);
    drop_idle(d);
    PQfinish(d->main);
    sharc_intern_free(d->texts);
    free(d->url);
    free(d->shown);
    free(d);
}

static const struct sharc__store_db_ops pg_ops = {
    .name = "postgresql",
    .id = "BIGINT GENERATED BY DEFAULT AS IDENTITY PRIMARY KEY",
    .text = "TEXT COLLATE \"C\"",
    .bytes = "BYTEA",
    .keyed = "",
    .has_schema = "SELECT count(*) FROM pg_catalog.pg_class WHERE oid = to_regclass('schema_version')",
    .now = "CAST(extract(epoch FROM now()) * 1000000 AS BIGINT)",
    .take = " FOR UPDATE SKIP LOCKED",
    .share = " FOR SHARE",
    .script = db_script,
    .run = db_run,
    .query = db_query,
    .load = db_load,
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

int sharc__store_pg_open(const char *url, const char *shown, const struct sharc_store_options *o,
                         struct sharc__store_db **ret, struct sharc_err *reterr)
{
    struct pg_db *d = SHARC_NEW(struct pg_db);
    d->db.ops = &pg_ops;
    d->url = sharc_strdup(url);
    d->shown = sharc_strdup(shown);
    d->read_only = o->read_only;
    d->texts = sharc_intern_new();
    int r = connect_to(d, &d->main, reterr);
    if (r < 0) {
        db_free(&d->db);
        return r;
    }
    *ret = &d->db;
    return 0;
}

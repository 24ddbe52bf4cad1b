/* SPDX-License-Identifier: Apache-2.0
 *
 * SQLite. One connection writes; each stream of rows has a connection of its
 * own (kept for the next stream), so a cursor that is read slowly never stands in
 * the way of a commit, nor a commit in the way of a cursor. A database in
 * memory has one connection for everything.
 */
#include "store_int.h"

#include <errno.h>
#include <sqlite3.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>

struct statement {
    sqlite3_stmt *stmt;
    bool busy;
};

struct conn {
    sqlite3 *sql;
    struct sharc_intern *texts; /* statement text -> index */
    struct statement *items;
    size_t room;
    struct conn *next; /* in the list of idle readers */
};

struct sqlite_db {
    struct sharc__store_db db;
    struct conn *main;
    struct conn *idle;
    char *path; /* NULL: in memory */
    bool read_only, immutable;
};

struct sqlite_cursor {
    struct sharc__store_cursor cursor;
    struct sqlite_db *db;
    struct conn *conn;
    sqlite3_stmt *stmt;
    size_t slot; /* in conn->items, or SIZE_MAX: its own statement */
    bool own_conn, done;
};

/* --- errors ------------------------------------------------------------------ */

static int code_of(int rc)
{
    switch (rc & 0xff) {
    case SQLITE_BUSY:
    case SQLITE_LOCKED: return SHARC_EBUSY;
    case SQLITE_READONLY:
    case SQLITE_PERM:
    case SQLITE_AUTH: return SHARC_EACCESS;
    case SQLITE_FULL: return SHARC_ENOSPC;
    case SQLITE_IOERR: return SHARC_EIO;
    case SQLITE_CORRUPT:
    case SQLITE_NOTADB: return SHARC_ECORRUPT;
    case SQLITE_CANTOPEN: return SHARC_ENOENT;
    case SQLITE_INTERRUPT: return SHARC_EINTR;
    case SQLITE_TOOBIG: return SHARC_ELIMIT;
    case SQLITE_NOMEM: return SHARC_ENOMEM;
    default: return SHARC_EDB;
    }
}

/* What the system said, where SQLite only says that it cannot open, read or write. */
static int errno_of(sqlite3 *sql, int rc)
{
    return sql && ((rc & 0xff) == SQLITE_IOERR || (rc & 0xff) == SQLITE_CANTOPEN) ? sqlite3_system_errno(sql) : 0;
}

static int fail(struct sqlite_db *d, sqlite3 *sql, int rc, struct sharc_err *reterr)
{
    const char *name = d->path ? d->path : "memory:";
    const char *cure = "";
    int e = errno_of(sql, rc);
    /* also when there is no room for the memory that its processes share */
    SHARC_FAIL_IF(e == ENOSPC || e == EDQUOT, reterr, SHARC_ENOSPC, "%s: the disk is full", name);
    SHARC_FAIL_IF(e == EMFILE || e == ENFILE, reterr, SHARC_ELIMIT,
                  "%s: too many files are open at a time; allow more (ulimit -n)", name);
    if (e) {
        /* A file that may not grow is one that cannot be written, as for every other file. */
        const int said = sharc_error_from_errno(e), code = said == SHARC_EIO || e == EFBIG ? code_of(rc) : said;
        return sharc_fail(reterr, code, "%s: %s: %s", name, sqlite3_errmsg(sql), strerrordesc_np(e));
    }
    if ((rc & 0xff) == SQLITE_BUSY) cure = "; another program is writing to it: try again";
    if ((rc & 0xff) == SQLITE_NOTADB) cure = "; name a catalogue made by sharc";
    if ((rc & 0xff) == SQLITE_CORRUPT) cure = "; sharc verify --rebuild ARCHIVE makes it again from the WARC files";
    return sharc_fail(reterr, code_of(rc), "%s: %s%s", name, sql ? sqlite3_errmsg(sql) : sqlite3_errstr(rc), cure);
}

/* --- connections --------------------------------------------------------------- */

static void conn_free(struct conn *c)
{
    if (!c) return;
    for (uint32_t i = 0; c->texts && i < sharc_intern_count(c->texts); i++) sqlite3_finalize(c->items[i].stmt);
    free(c->items);
    sharc_intern_free(c->texts);
    sqlite3_close(c->sql);
    free(c);
}

/* "file:" needs its special characters escaped. */
static char *immutable_uri(const char *path)
{
    SHARC_AUTO(sharc_buf_done) struct sharc_buf b = SHARC_BUF_INIT(64u << 10);
    sharc_buf_put_str(&b, "file:");
    for (const char *p = path; *p; p++) {
        if (*p == '?' || *p == '#' || *p == '%')
            sharc_buf_printf(&b, "%%%02X", (unsigned char)*p);
        else
            sharc_buf_put_char(&b, *p);
    }
    sharc_buf_put_str(&b, "?immutable=1");
    return sharc_buf_take(&b);
}

/* A catalogue may come from anybody, with the archive it describes: nothing that is
 * written in its schema is run, and pages are looked at before they are believed.
 * Files are not mapped: it gains nothing measurable, and a failing disk would
 * kill the program instead of giving an error. */
static int conn_settings(struct sqlite_db *d, struct conn *c, bool writer)
{
    sqlite3_busy_timeout(c->sql, 30000);
    sqlite3_db_config(c->sql, SQLITE_DBCONFIG_DEFENSIVE, 1, NULL);
    sqlite3_db_config(c->sql, SQLITE_DBCONFIG_TRUSTED_SCHEMA, 0, NULL);
    int rc = sqlite3_exec(c->sql, "PRAGMA foreign_keys=ON; PRAGMA cell_size_check=ON", NULL, NULL, NULL);
    if (rc == SQLITE_OK)
        rc = sqlite3_exec(c->sql,
                          writer ? "PRAGMA page_size=8192; PRAGMA cache_size=-65536" : "PRAGMA cache_size=-16384", NULL,
                          NULL, NULL);
    if (rc != SQLITE_OK || !writer || d->read_only || !d->path) return rc;
    return sqlite3_exec(c->sql, "PRAGMA journal_mode=WAL; PRAGMA synchronous=NORMAL; PRAGMA wal_autocheckpoint=16000",
                        NULL, NULL, NULL);
}

static int conn_open(struct sqlite_db *d, bool writer, int flags, struct conn **ret, struct sharc_err *reterr)
{
    struct conn *c = SHARC_NEW(struct conn);
    SHARC_AUTO(sharc_freep) char *uri = d->immutable ? immutable_uri(d->path) : NULL;
    const char *name = uri ? uri : d->path ? d->path : ":memory:";
    int rc = sqlite3_open_v2(name, &c->sql, flags | SQLITE_OPEN_NOMUTEX | (uri ? SQLITE_OPEN_URI : 0), NULL);
    if (rc == SQLITE_OK) rc = conn_settings(d, c, writer);
    /* Settings do not read the file; this does. */
    if (rc == SQLITE_OK) rc = sqlite3_exec(c->sql, "SELECT 1 FROM sqlite_schema LIMIT 1", NULL, NULL, NULL);
    if (rc != SQLITE_OK) {
        int r = fail(d, c->sql, rc, reterr);
        conn_free(c);
        return r;
    }
    c->texts = sharc_intern_new();
    *ret = c;
    return 0;
}

/* Statements are prepared once per connection; one that is being stepped gets a twin, which is not kept. */
static int conn_prepare(struct sqlite_db *d, struct conn *c, const char *text, sqlite3_stmt **ret, size_t *ret_slot,
                        struct sharc_err *reterr)
{
    struct sharc_span key = sharc_span_of(text);
    uint32_t slot = sharc_intern_find(c->texts, key);
    if (slot == SHARC_NO_ID && sharc_intern_count(c->texts) < SHARC__STATEMENTS) {
        slot = sharc_intern_add(c->texts, key, NULL);
        SHARC_GROW(c->items, c->room, slot + 1);
        c->items[slot] = (struct statement){0};
    }
    struct statement *st = slot == SHARC_NO_ID ? NULL : &c->items[slot];
    bool keep = st && !st->busy;
    sqlite3_stmt *stmt = keep ? st->stmt : NULL;
    if (!stmt) {
        int rc = sqlite3_prepare_v3(c->sql, text, -1, keep ? SQLITE_PREPARE_PERSISTENT : 0, &stmt, NULL);
        if (rc != SQLITE_OK) return fail(d, c->sql, rc, reterr);
    }
    if (keep) *st = (struct statement){stmt, true};
    *ret = stmt;
    *ret_slot = keep ? slot : SIZE_MAX;
    return 0;
}

static void conn_release(struct conn *c, sqlite3_stmt *stmt, size_t slot)
{
    if (slot == SIZE_MAX) {
        sqlite3_finalize(stmt);
        return;
    }
    sqlite3_reset(stmt);
    sqlite3_clear_bindings(stmt);
    c->items[slot].busy = false;
}

static int bind_values(sqlite3_stmt *stmt, const struct sharc_store_value *p, size_t n, sqlite3_destructor_type keep)
{
    int rc = SQLITE_OK;
    for (size_t i = 0; i < n && rc == SQLITE_OK; i++) {
        int at = (int)i + 1;
        switch (p[i].type) {
        case SHARC_STORE_NULL: rc = sqlite3_bind_null(stmt, at); break;
        case SHARC_STORE_INTEGER: rc = sqlite3_bind_int64(stmt, at, p[i].i); break;
        case SHARC_STORE_REAL: rc = sqlite3_bind_double(stmt, at, p[i].d); break;
        case SHARC_STORE_TEXT: rc = sqlite3_bind_text64(stmt, at, p[i].s.p, p[i].s.n, keep, SQLITE_UTF8); break;
        case SHARC_STORE_BYTES:
            rc =
                p[i].s.n ? sqlite3_bind_blob64(stmt, at, p[i].s.p, p[i].s.n, keep) : sqlite3_bind_zeroblob(stmt, at, 0);
            break;
        }
    }
    return rc;
}

/* --- the table of functions -------------------------------------------------------- */

static struct sqlite_db *of(struct sharc__store_db *db)
{
    return (struct sqlite_db *)db;
}

static int db_script(struct sharc__store_db *db, const char *sql, struct sharc_err *reterr)
{
    struct sqlite_db *d = of(db);
    int rc = sqlite3_exec(d->main->sql, sql, NULL, NULL, NULL);
    return rc == SQLITE_OK ? 0 : fail(d, d->main->sql, rc, reterr);
}

static int db_run(struct sharc__store_db *db, const char *sql, const struct sharc_store_value *p, size_t n,
                  int64_t *ret_changed, struct sharc_err *reterr)
{
    struct sqlite_db *d = of(db);
    sqlite3_stmt *stmt;
    size_t slot;
    int r = conn_prepare(d, d->main, sql, &stmt, &slot, reterr);
    if (r < 0) return r;
    SHARC_ASSERT((size_t)sqlite3_bind_parameter_count(stmt) == n);
    int rc = bind_values(stmt, p, n, SQLITE_STATIC);
    while (rc == SQLITE_OK || rc == SQLITE_ROW) rc = sqlite3_step(stmt);
    if (rc != SQLITE_DONE)
        r = fail(d, d->main->sql, rc, reterr);
    else if (ret_changed)
        *ret_changed = sqlite3_changes64(d->main->sql);
    conn_release(d->main, stmt, slot);
    return r;
}

static int cursor_next(struct sharc__store_cursor *base, struct sharc_err *reterr)
{
    struct sqlite_cursor *c = (struct sqlite_cursor *)base;
    if (c->done) return 0;
    int rc = sqlite3_step(c->stmt);
    if (rc == SQLITE_ROW) return 1;
    c->done = true;
    if (rc == SQLITE_DONE) return 0;
    return fail(c->db, c->conn->sql, rc, reterr);
}

static void cursor_value(struct sharc__store_cursor *base, size_t column, struct sharc_store_value *ret)
{
    struct sqlite_cursor *c = (struct sqlite_cursor *)base;
    int i = (int)column;
    *ret = (struct sharc_store_value){.type = SHARC_STORE_NULL};
    switch (sqlite3_column_type(c->stmt, i)) {
    case SQLITE_INTEGER:
        ret->type = SHARC_STORE_INTEGER;
        ret->i = sqlite3_column_int64(c->stmt, i);
        break;
    case SQLITE_FLOAT:
        ret->type = SHARC_STORE_REAL;
        ret->d = sqlite3_column_double(c->stmt, i);
        break;
    case SQLITE_TEXT:
        ret->type = SHARC_STORE_TEXT;
        ret->s.p = (const char *)sqlite3_column_text(c->stmt, i);
        ret->s.n = (size_t)sqlite3_column_bytes(c->stmt, i);
        break;
    case SQLITE_BLOB:
        ret->type = SHARC_STORE_BYTES;
        ret->s.p = sqlite3_column_blob(c->stmt, i);
        ret->s.n = (size_t)sqlite3_column_bytes(c->stmt, i);
        if (!ret->s.p) ret->s.p = "";
        break;
    default: break;
    }
}

static size_t cursor_columns(const struct sharc__store_cursor *base)
{
    return (size_t)sqlite3_column_count(((const struct sqlite_cursor *)base)->stmt);
}

static const char *cursor_name(const struct sharc__store_cursor *base, size_t column)
{
    return sqlite3_column_name(((const struct sqlite_cursor *)base)->stmt, (int)column);
}

static void cursor_free(struct sharc__store_cursor *base)
{
    struct sqlite_cursor *c = (struct sqlite_cursor *)base;
    if (c->stmt) conn_release(c->conn, c->stmt, c->slot);
    if (c->own_conn) {
        c->conn->next = c->db->idle;
        c->db->idle = c->conn;
    }
    free(c);
}

static const struct sharc__store_cursor_ops cursor_ops = {cursor_next, cursor_value, cursor_columns, cursor_name,
                                                          cursor_free};

static int reader(struct sqlite_db *d, struct conn **ret, struct sharc_err *reterr)
{
    if (!d->idle) return conn_open(d, false, SQLITE_OPEN_READONLY, ret, reterr);
    *ret = d->idle;
    d->idle = d->idle->next;
    return 0;
}

static int db_query(struct sharc__store_db *db, const char *sql, const struct sharc_store_value *p, size_t n,
                    bool stream, struct sharc__store_cursor **ret, struct sharc_err *reterr)
{
    struct sqlite_db *d = of(db);
    SHARC_AUTO(sharc__store_cursor_freep) struct sharc__store_cursor *made = NULL;
    struct conn *conn = d->main;
    bool own = stream && d->path;
    int r = own ? reader(d, &conn, reterr) : 0;
    if (r < 0) return r;

    struct sqlite_cursor *c = SHARC_NEW(struct sqlite_cursor);
    *c = (struct sqlite_cursor){.cursor = {&cursor_ops}, .db = d, .conn = conn, .own_conn = own};
    made = &c->cursor;
    r = conn_prepare(d, conn, sql, &c->stmt, &c->slot, reterr);
    if (r < 0) return r;
    SHARC_ASSERT((size_t)sqlite3_bind_parameter_count(c->stmt) == n);
    int rc = bind_values(c->stmt, p, n, SQLITE_TRANSIENT);
    if (rc != SQLITE_OK) return fail(d, conn->sql, rc, reterr);
    *ret = SHARC_TAKE(made);
    return 0;
}

static void insert_text(const struct sharc__store_load *l, size_t n, struct sharc_buf *out)
{
    sharc_buf_printf(out, "INSERT INTO %s (", l->table);
    for (size_t i = 0; i < n; i++) sharc_buf_printf(out, "%s%s", i ? ", " : "", l->columns[i]);
    sharc_buf_put_str(out, ") VALUES (");
    for (size_t i = 0; i < n; i++) sharc_buf_printf(out, "%s$%zu", i ? ", " : "", i + 1);
    sharc_buf_printf(out, ") %s", l->conflict);
}

static int db_load(struct sharc__store_db *db, const struct sharc__store_load *l, size_t n, sharc__store_row_fn *row,
                   void *arg, int64_t *ret_ids, struct sharc_err *reterr)
{
    struct sqlite_db *d = of(db);
    SHARC_AUTO(sharc_buf_done) struct sharc_buf text = SHARC_BUF_INIT(16u << 10);
    size_t columns = strlen(l->types);
    insert_text(l, columns, &text);
    sqlite3_stmt *stmt;
    size_t slot;
    int r = conn_prepare(d, d->main, sharc_buf_str(&text), &stmt, &slot, reterr);
    if (r < 0) return r;
    struct sharc_store_value v[SHARC__LOAD_COLUMNS];
    for (size_t i = 0; i < n && r == 0; i++) {
        row(arg, i, v);
        int rc = bind_values(stmt, v, columns, SQLITE_STATIC);
        if (rc == SQLITE_OK) rc = sqlite3_step(stmt);
        if (rc != SQLITE_DONE) r = fail(d, d->main->sql, rc, reterr);
        if (ret_ids) ret_ids[i] = sqlite3_changes(d->main->sql) ? sqlite3_last_insert_rowid(d->main->sql) : 0;
        sqlite3_reset(stmt);
    }
    conn_release(d->main, stmt, slot);
    return r;
}

static int db_find(struct sharc__store_db *db, const char *head, const int64_t *keys, size_t n,
                   sharc__store_found_fn *fn, void *arg, struct sharc_err *reterr)
{
    struct sqlite_db *d = of(db);
    SHARC_AUTO(sharc_buf_done) struct sharc_buf text = SHARC_BUF_INIT(16u << 10);
    sharc_buf_printf(&text, "%s = $1", head);
    struct sqlite_cursor c = {.cursor = {&cursor_ops}, .db = d, .conn = d->main};
    /* One transaction for all: alone, every step would lock and unlock the file. */
    bool alone = sqlite3_get_autocommit(d->main->sql) && db_script(db, "BEGIN", NULL) == 0;
    int r = conn_prepare(d, d->main, sharc_buf_str(&text), &c.stmt, &c.slot, reterr);
    for (size_t i = 0; i < n && r == 0; i++) {
        sqlite3_bind_int64(c.stmt, 1, keys[i]);
        int rc;
        while ((rc = sqlite3_step(c.stmt)) == SQLITE_ROW) fn(arg, &c.cursor);
        if (rc != SQLITE_DONE) r = fail(d, d->main->sql, rc, reterr);
        sqlite3_reset(c.stmt);
    }
    if (c.stmt) conn_release(d->main, c.stmt, c.slot);
    if (alone) sqlite3_exec(d->main->sql, "COMMIT", NULL, NULL, NULL);
    return r;
}

/* IMMEDIATE: the lock is waited for here, where waiting is harmless. */
static int db_begin(struct sharc__store_db *db, bool schema SHARC_UNUSED, struct sharc_err *reterr)
{
    return db_script(db, "BEGIN IMMEDIATE", reterr);
}

static int db_commit(struct sharc__store_db *db, struct sharc_err *reterr)
{
    return db_script(db, "COMMIT", reterr);
}

static void db_rollback(struct sharc__store_db *db)
{
    struct sqlite_db *d = of(db);
    if (!sqlite3_get_autocommit(d->main->sql)) sqlite3_exec(d->main->sql, "ROLLBACK", NULL, NULL, NULL);
}

/* A checkpoint syncs the log before it copies. */
static int db_sync(struct sharc__store_db *db, struct sharc_err *reterr)
{
    struct sqlite_db *d = of(db);
    if (!d->path || d->read_only) return 0;
    int rc = sqlite3_wal_checkpoint_v2(d->main->sql, NULL, SQLITE_CHECKPOINT_FULL, NULL, NULL);
    return rc == SQLITE_OK ? 0 : fail(d, d->main->sql, rc, reterr);
}

static int db_check(struct sharc__store_db *db, sharc_store_finding_fn *fn, void *arg, uint64_t *found,
                    struct sharc_err *reterr)
{
    SHARC_AUTO(sharc__store_cursor_freep) struct sharc__store_cursor *c = NULL;
    int r = db_query(db, "PRAGMA integrity_check", NULL, 0, false, &c, reterr);
    if (r < 0) return r;
    while ((r = cursor_next(c, reterr)) > 0) {
        struct sharc_store_value v;
        cursor_value(c, 0, &v);
        if (v.type != SHARC_STORE_TEXT || sharc_span_is(v.s, "ok")) continue;
        fn(arg, v.s.p);
        (*found)++;
    }
    return r;
}

static int db_reconnect(struct sharc__store_db *db SHARC_UNUSED, struct sharc_err *reterr SHARC_UNUSED)
{
    return 0; /* a file is never lost */
}

static int db_hurry(struct sharc__store_db *db SHARC_UNUSED, sharc_time most SHARC_UNUSED,
                    struct sharc_err *reterr SHARC_UNUSED)
{
    return 0; /* locks of a file end with the process alone */
}

static void db_free(struct sharc__store_db *db)
{
    struct sqlite_db *d = of(db);
    while (d->idle) {
        struct conn *c = d->idle;
        d->idle = c->next;
        conn_free(c);
    }
    conn_free(d->main);
    free(d->path);
    free(d);
}

static const struct sharc__store_db_ops sqlite_ops = {
    .name = "sqlite",
    .id = "INTEGER PRIMARY KEY",
    .text = "TEXT",
    .bytes = "BLOB",
    .keyed = " WITHOUT ROWID",
    .has_schema = "SELECT count(*) FROM sqlite_schema WHERE type = 'table' AND name = 'schema_version'",
    .now = "CAST((julianday('now') - 2440587.5) * 86400000000 AS INTEGER)",
    .take = "",
    .share = "",
    .script = db_script,
    .run = db_run,
    .query = db_query,
    .load = db_load,
    .load_tells = true,
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

/* Commits that are not yet in the file itself: told that nobody writes, SQLite would not see them. */
static bool has_log(const char *path)
{
    SHARC_AUTO(sharc_freep) char *log = sharc_asprintf("%s-wal", path);
    struct stat st;
    return stat(log, &st) == 0 && st.st_size > 0;
}

int sharc__store_sqlite_open(const char *path, const struct sharc_store_options *o, struct sharc__store_db **ret,
                             struct sharc_err *reterr)
{
    struct sqlite_db *d = SHARC_NEW(struct sqlite_db);
    d->db.ops = &sqlite_ops;
    d->path = path ? sharc_strdup(path) : NULL;
    d->read_only = o->read_only;
    int flags = o->read_only    ? SQLITE_OPEN_READONLY
                : o->must_exist ? SQLITE_OPEN_READWRITE
                                : SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE;
    struct sharc_err err = SHARC_ERR_INIT;
    int r = conn_open(d, true, flags, &d->main, &err);
    /* A catalogue with a write-ahead log cannot be read from a medium that cannot be
     * written, unless SQLite is told that nobody writes. */
    if (r == SHARC_ENOENT && o->read_only && path && !has_log(path)) {
        d->immutable = true;
        r = conn_open(d, true, flags | SQLITE_OPEN_URI, &d->main, &err);
    }
    if (r < 0) {
        if (reterr) *reterr = err;
        db_free(&d->db);
        return r;
    }
    *ret = &d->db;
    return 0;
}

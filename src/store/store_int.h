/* SPDX-License-Identifier: Apache-2.0
 *
 * Inside the room: what a back-end is, and the small tools all files share.
 *
 * To add a back-end: write one file with its struct sharc__store_db_ops, give its url
 * a row in sharc_store_open, and add its url to the table of tests/store.
 */
#ifndef SHARC_STORE_INT_H
#define SHARC_STORE_INT_H

#include "sharc/base.h"
#include "sharc/base_arena.h"
#include "sharc/base_buf.h"
#include "sharc/base_limits.h"
#include "sharc/base_map.h"
#include "sharc/store.h"
#include "sharc/store_job.h"
#include "sharc/store_query.h"
#include "sharc/store_write.h"

#include <math.h>

/* --- back-ends ---------------------------------------------------------------
 *
 * SQL is written once. What the two databases call differently stands in braces
 * in schema scripts ({id}, {text}, {bytes}, {keyed}) and in the statements of the queue ({now}, {take},
 * {share}); parameters are $1, $2, … and must first appear in that order, which both understand.
 */

/* Rows of one question. */
struct sharc__store_cursor {
    const struct sharc__store_cursor_ops *ops;
};
struct sharc__store_cursor_ops {
    /* 1: a row; 0: the end, and again 0 afterwards; < 0. */
    int (*next)(struct sharc__store_cursor *c, struct sharc_err *reterr);
    /* Of the row; spans live until next or free. */
    void (*value)(struct sharc__store_cursor *c, size_t column, struct sharc_store_value *ret);
    /* Known before the first row; names live as long as the cursor. */
    size_t (*columns)(const struct sharc__store_cursor *c);
    const char *(*name)(const struct sharc__store_cursor *c, size_t column);
    void (*free)(struct sharc__store_cursor *c); /* also in the middle */
};

/* Rows for one table: columns[i] has the type types[i], one of i (integer),
 * r (real), t (text), b (bytes). conflict is an ON CONFLICT clause or "". No two
 * rows of one load may conflict with each other. */
struct sharc__store_load {
    const char *table;
    const char *const *columns;
    const char *types;
    const char *conflict;
    const char *keep; /* a column in which NULL replaces nothing; NULL: none */
};
#define SHARC__LOAD_COLUMNS 40
/* Fill out[0 … columns) with row i; spans live until the next call. */
typedef void sharc__store_row_fn(void *arg, size_t i, struct sharc_store_value *out);

/* A row that was found; c must not be moved on. */
typedef void sharc__store_found_fn(void *arg, struct sharc__store_cursor *c);

struct sharc__store_db {
    const struct sharc__store_db_ops *ops;
};
struct sharc__store_db_ops {
    const char *name;
    const char *id, *text, *bytes, *keyed; /* what stands for {id}, {text}, {bytes}, {keyed} */
    const char *has_schema;                /* SELECT of 1 when the table schema_version is there, else 0 */
    const char *now;                       /* {now}: microseconds since 1970 by the database's clock */
    const char *take;                      /* {take}: end of a SELECT that takes a row nobody else has taken */
    const char *share;                     /* {share}: end of a SELECT whose row nobody may change until we commit */
    /* Statements without parameters and rows, separated by semicolons. */
    int (*script)(struct sharc__store_db *db, const char *sql, struct sharc_err *reterr);
    /* One statement; *ret_changed (may be NULL) receives the number of rows changed. */
    int (*run)(struct sharc__store_db *db, const char *sql, const struct sharc_store_value *p, size_t n,
               int64_t *ret_changed, struct sharc_err *reterr);
    /* stream: over a connection of its own, outside the transaction, sees what is committed; else inside
     * it, meant for few rows. */
    int (*query)(struct sharc__store_db *db, const char *sql, const struct sharc_store_value *p, size_t n, bool stream,
                 struct sharc__store_cursor **ret, struct sharc_err *reterr);
    /* Many rows into one table, inside a transaction. ret_ids (may be NULL): where load_tells, the number of each row
     * that is new, 0 of those that were there; else it is left alone. */
    int (*load)(struct sharc__store_db *db, const struct sharc__store_load *l, size_t n, sharc__store_row_fn *row,
                void *arg, int64_t *ret_ids, struct sharc_err *reterr);
    bool load_tells;
    /* Rows whose column is one of the keys, in any order; inside the transaction. head ends with
     * the name of the column: "SELECT id, text FROM url WHERE id". */
    int (*find)(struct sharc__store_db *db, const char *head, const int64_t *keys, size_t n, sharc__store_found_fn *fn,
                void *arg, struct sharc_err *reterr);
    /* One writer at a time may hold a schema transaction; others run side by side
     * as far as the database allows. */
    int (*begin)(struct sharc__store_db *db, bool schema, struct sharc_err *reterr);
    /* 0: others see it. After a failure the transaction is still to be rolled back. */
    int (*commit)(struct sharc__store_db *db, struct sharc_err *reterr);
    void (*rollback)(struct sharc__store_db *db); /* harmless without a transaction */
    /* 0: what was committed survives a loss of power; of a server's settings that forbid it nothing is known. */
    int (*sync)(struct sharc__store_db *db, struct sharc_err *reterr);
    /* What the database itself finds wrong with its files: one call of fn each, counted in *found. A server is not
     * asked. */
    int (*check)(struct sharc__store_db *db, sharc_store_finding_fn *fn, void *arg, uint64_t *found,
                 struct sharc_err *reterr);
    /* After SHARC_ENET: a new connection, without the transaction of the old one. SHARC_ENET: not yet. */
    int (*reconnect)(struct sharc__store_db *db, struct sharc_err *reterr);
    /* From now on, until the connection is made anew: what this process has begun and does not go on with for so
     * long, because it was suspended or cannot be reached, is ended by the database. */
    int (*hurry)(struct sharc__store_db *db, sharc_time most, struct sharc_err *reterr);
    void (*free)(struct sharc__store_db *db);
};

/* Statements that a connection keeps prepared; some texts carry numbers of captures, so there is no
 * end of them. */
#define SHARC__STATEMENTS 200

int sharc__store_sqlite_open(const char *path, const struct sharc_store_options *o, struct sharc__store_db **ret,
                             struct sharc_err *reterr); /* NULL: in memory */
/* shown: the url for messages, without its password. */
int sharc__store_pg_open(const char *url, const char *shown, const struct sharc_store_options *o,
                         struct sharc__store_db **ret, struct sharc_err *reterr);

/* A back-end around another one that counts, traces, and fails on demand. */
struct sharc__store_db *sharc__store_wrap(struct sharc__store_db *inner);
void sharc__store_wrap_trace(struct sharc__store_db *db, sharc_store_trace_fn *fn, void *arg);
uint64_t sharc__store_wrap_fail(struct sharc__store_db *db, uint64_t n, int code);

/* Waits until nothing is written in a thread of its own. */
void sharc__store_quiet(struct sharc_store *s);
/* The same; where to note a back-end around the present one: it comes behind that of s->beside. */
struct sharc__store_db **sharc__store_behind(struct sharc_store *s);

/* A back-end around another one that writes only while a claim holds (store_job.h). */
struct sharc__store_db *sharc__store_fence(struct sharc__store_db *inner, struct sharc_job_claim claim,
                                           sharc_time lease);

/* --- the store ----------------------------------------------------------------- */

struct sharc_store {
    struct sharc__store_db *db;      /* what everybody talks to: inner, or wrapper */
    struct sharc__store_db *wrapper; /* NULL until asked for */
    struct sharc__store_db *beside;  /* in front of all others once a batch was committed in a thread of its own */
    char *name;
    const char *kind;
    bool read_only;
    int64_t version;            /* of its schema; in tests an older one */
    struct sharc_map128 *cache; /* key and mark of a URL to its number */
    struct sharc_arena answer;  /* texts of the last sharc_store_job_claim, job_get or host_get */
    sharc_store_id job;         /* for which it writes, behind a fence; 0: for nobody in particular */
};

int sharc__store_migrate(struct sharc_store *s, int to, struct sharc_err *reterr);
int sharc__store_script(struct sharc__store_db *db, const char *sql, struct sharc_err *reterr);
/* The statement with the words of the back-end instead of those in braces, malloc'ed. */
char *sharc__store_words(const struct sharc__store_db *db, const char *sql) __attribute__((malloc));

/* As sharc_store_capture_update, inside the transaction. */
int sharc__store_capture_set(struct sharc_store *s, const struct sharc_store_capture *c, struct sharc_err *reterr);

/* --- summary.c ---------------------------------------------------------------- */

/* Rows of the capture are written: it gets a new revision. Inside the same transaction, as late as possible: two
 * writers of one capture wait for each other from here on. */
int sharc__store_touch(struct sharc_store *s, sharc_store_id capture, struct sharc_err *reterr);
/* The capture goes: so does what is kept of it. */
int sharc__store_forget_summaries(struct sharc_store *s, sharc_store_id capture, struct sharc_err *reterr);
/* What sharc_store_counts_keep wrote; 0: nothing that is current. */
int sharc__store_kept_sums(struct sharc_store *s, sharc_store_id capture, struct sharc_store_capture_sums *ret,
                           struct sharc_err *reterr);
int sharc__store_kept_grades(struct sharc_store *s, sharc_store_id capture, uint64_t ret[SHARC_GRADE_REASON_COUNT],
                             struct sharc_err *reterr);

/* --- values ------------------------------------------------------------------------ */

static inline struct sharc_store_value sharc__store_int(int64_t i)
{
    return (struct sharc_store_value){.type = SHARC_STORE_INTEGER, .i = i};
}
static inline struct sharc_store_value sharc__store_null(void)
{
    return (struct sharc_store_value){.type = SHARC_STORE_NULL};
}
/* 0, negative, NONE, NaN and spans without .p mean unknown and become NULL. */
static inline struct sharc_store_value sharc__store_id(sharc_store_id i)
{
    return i ? sharc__store_int(i) : sharc__store_null();
}
static inline struct sharc_store_value sharc__store_count(int64_t i)
{
    return i >= 0 ? sharc__store_int(i) : sharc__store_null();
}
static inline struct sharc_store_value sharc__store_time(sharc_time t)
{
    return t != SHARC_TIME_NONE ? sharc__store_int(t) : sharc__store_null();
}
static inline struct sharc_store_value sharc__store_real(double d)
{
    return isfinite(d) ? (struct sharc_store_value){.type = SHARC_STORE_REAL, .d = d} : sharc__store_null();
}
static inline struct sharc_store_value sharc__store_text(struct sharc_span s)
{
    return s.p ? (struct sharc_store_value){.type = SHARC_STORE_TEXT, .s = s} : sharc__store_null();
}
static inline struct sharc_store_value sharc__store_bytes(struct sharc_span s)
{
    return s.p ? (struct sharc_store_value){.type = SHARC_STORE_BYTES, .s = s} : sharc__store_null();
}

/* --- shorthands over the back-end ---------------------------------------------------- */

#define SHARC__PARAMS(...) \
    ((const struct sharc_store_value[]){__VA_ARGS__}), SHARC_LENGTH(((const struct sharc_store_value[]){__VA_ARGS__}))

static inline int sharc__store_run(struct sharc_store *s, const char *sql, const struct sharc_store_value *p, size_t n,
                                   int64_t *ret_changed, struct sharc_err *reterr)
{
    return s->db->ops->run(s->db, sql, p, n, ret_changed, reterr);
}
/* One integer out of the first row: 1, or 0 when there is no row or it is NULL. */
int sharc__store_get_int(struct sharc__store_db *db, const char *sql, const struct sharc_store_value *p, size_t n,
                         int64_t *ret, struct sharc_err *reterr);
/* One row: 1 and *ret (to be freed), 0 none. */
int sharc__store_get_row(struct sharc__store_db *db, const char *sql, const struct sharc_store_value *p, size_t n,
                         struct sharc__store_cursor **ret, struct sharc_err *reterr);
void sharc__store_cursor_freep(struct sharc__store_cursor **c);
/* INSERT … RETURNING an integer, in a transaction of its own: 1, or 0 when nothing was inserted. */
int sharc__store_insert(struct sharc_store *s, const char *sql, const struct sharc_store_value *p, size_t n,
                        sharc_store_id *ret, struct sharc_err *reterr);
/* SHARC_EACCESS with a sentence when the store is read-only. */
int sharc__store_may_write(struct sharc_store *s, struct sharc_err *reterr);
/* A text for the caller that outlives its row: it lives until the next such answer. An open row keeps SQLite in
 * the past, and whoever wants to write from there is refused. */
struct sharc_span sharc__store_keep(struct sharc_store *s, struct sharc_span text);
/* Columns of a row as C types; NULL gives the value that means unknown. */
int64_t sharc__store_cursor_int(struct sharc__store_cursor *c, size_t column, int64_t unknown);
struct sharc_span sharc__store_cursor_span(struct sharc__store_cursor *c, size_t column);

/* --- texts and keys --------------------------------------------------------------------- */

/* A database text must be UTF-8 without 0: what is not is written %XX (urls) or as
 * U+FFFD. .p stays s.p when nothing needs to change, else the result lies in out. */
struct sharc_span sharc__store_clean(struct sharc_span s, bool url, struct sharc_buf *out);
/* 128 bits of SHA-256. */
void sharc__store_key(struct sharc_span s, int64_t *ret_key, int64_t *ret_mark);

/* Digests as stored: a byte for the kind, then the bytes. */
#define SHARC__DIGEST_ROOM (1 + SHARC_DIGEST_MAX)
struct sharc_span sharc__store_digest_pack(const struct sharc_digest *d, uint8_t out[SHARC__DIGEST_ROOM]);
void sharc__store_digest_unpack(struct sharc_span s, struct sharc_digest *ret); /* n = 0 when it is none */

/* SURT of a URL into out (cleared before); a URL that is too long as SURT stands for itself. */
void sharc__store_surt_of(struct sharc_span url, struct sharc_buf *out);

/* --- things stored once ---------------------------------------------------------------------- */

/* n things with their keys; id[i] != 0 are known already, the others are found
 * or inserted, inside the transaction. Equal things get equal numbers. row gives the columns of l. */
struct sharc__store_mint {
    const struct sharc__store_load *load;
    size_t n;
    const int64_t *key, *mark;
    sharc_store_id *id;
    sharc__store_row_fn *row;
    void *arg;
};
int sharc__store_mint(struct sharc__store_db *db, struct sharc__store_mint *m, struct sharc_err *reterr);

/* --- link sets ----------------------------------------------------------------------------- */

/* Links as stored: (to, kind) ascending, each once; LEB128 of (to - previous to) * 16 + kind.
 *
 *   links 7/0, 7/1, 300/0:   70  01  d0 24          (7*16+0, 0*16+1, 293*16+0)
 */
struct sharc__store_target {
    int64_t to;
    uint8_t kind;
};
/* Sorts t, drops repeats, appends the bytes to out; returns how many are left. */
size_t sharc__store_links_pack(struct sharc__store_target *t, size_t n, struct sharc_buf *out);
struct sharc__store_unpack {
    struct sharc_span rest;
    int64_t last;
};
/* False at the end, or at bytes that are no link set. */
bool sharc__store_links_next(struct sharc__store_unpack *u, struct sharc__store_target *ret);

/* --- rows ----------------------------------------------------------------------------------- */

/* Rows that do not come from SQL as they are: something computes them. */
struct sharc__store_rows_ops {
    /* 1: there is a row; 0: no more. NULL: that of the cursor. */
    int (*next)(struct sharc_store_rows *rows, struct sharc_err *reterr);
    /* A column of the row; its bytes live until the next one. NULL: that of the cursor. */
    void (*value)(struct sharc_store_rows *rows, size_t column, struct sharc_store_value *ret);
    void (*free)(struct sharc_store_rows *rows); /* what belongs to the kind, not rows itself */
};
struct sharc_store_rows {
    const struct sharc__store_rows_ops *ops; /* NULL: plain SQL */
    struct sharc_store *store;
    struct sharc__store_cursor *cursor;
    const char *const *names; /* of computed rows, ended by NULL */
    void *state;              /* of the kind of question */
};
struct sharc_store_rows *sharc__store_rows_new(struct sharc_store *s);
/* For ops.free of rows whose state is one allocation. */
void sharc__store_rows_free_state(struct sharc_store_rows *rows);
/* Plain SQL rows. */
int sharc__store_rows_query(struct sharc_store *s, const char *sql, const struct sharc_store_value *p, size_t n,
                            struct sharc_store_rows **ret, struct sharc_err *reterr);
/* Column as C type, from the current row. */
int64_t sharc__store_rows_int(struct sharc_store_rows *rows, size_t column, int64_t unknown);
double sharc__store_rows_real(struct sharc_store_rows *rows, size_t column); /* NaN: unknown */
struct sharc_span sharc__store_rows_span(struct sharc_store_rows *rows, size_t column);
void sharc__store_rows_digest(struct sharc_store_rows *rows, size_t column, struct sharc_digest *ret);

/* SQL put together from parts, with its parameters. */
#define SHARC__SQL_PARAMS 12
struct sharc__store_sql {
    struct sharc_buf text;
    struct sharc_store_value p[SHARC__SQL_PARAMS];
    size_t n;
};
#define SHARC__SQL_INIT                   \
    {                                     \
        .text = SHARC_BUF_INIT(64u << 10) \
    }
void sharc__store_sql_done(struct sharc__store_sql *q);
/* Append text; in _with its one ? becomes the next parameter. */
void sharc__store_sql_add(struct sharc__store_sql *q, const char *text);
void sharc__store_sql_with(struct sharc__store_sql *q, const char *text, struct sharc_store_value v);
/* " AND column begins with prefix" */
void sharc__store_sql_prefix(struct sharc__store_sql *q, const char *column, struct sharc_span prefix);
int sharc__store_sql_rows(struct sharc_store *s, struct sharc__store_sql *q, struct sharc_store_rows **ret,
                          struct sharc_err *reterr);

#endif

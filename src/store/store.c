/* SPDX-License-Identifier: Apache-2.0
 *
 * Opening, waiting, and the small tools over a back-end.
 */
#include "store_int.h"

#include <stdio.h>
#include <stdlib.h>

#include <sys/stat.h>

/* --- names ------------------------------------------------------------------ */

/* "postgresql://user:secret@host/db?password=secret" without the secrets. */
static char *without_password(const char *url)
{
    SHARC_AUTO(sharc_buf_done) struct sharc_buf out = SHARC_BUF_INIT(64u << 10);
    struct sharc_span s = sharc_span_of(url);
    size_t start = sharc_span_search(s, SHARC_SPAN("://")) + 3;
    struct sharc_span authority = sharc_span_from(s, start);
    authority.n = strcspn(authority.p, "/?");
    size_t at = authority.n;
    while (at > 0 && authority.p[at - 1] != '@') at--;
    size_t colon = at > 0 ? sharc_span_find(sharc_span_sub(authority, 0, at), ':', 0) : SHARC_NPOS;
    if (colon == SHARC_NPOS) {
        sharc_buf_put(&out, sharc_span_sub(s, 0, start + authority.n));
    } else {
        sharc_buf_put(&out, sharc_span_sub(s, 0, start + colon));
        sharc_buf_put(&out, sharc_span_sub(s, start + at - 1, start + authority.n));
    }
    struct sharc_span rest = sharc_span_from(s, start + authority.n);
    size_t secret;
    while ((secret = sharc_span_search(rest, SHARC_SPAN("password="))) != SHARC_NPOS) {
        sharc_buf_put(&out, sharc_span_sub(rest, 0, secret));
        rest = sharc_span_from(rest, secret);
        rest = sharc_span_from(rest, strcspn(rest.p, "&"));
    }
    sharc_buf_put(&out, rest);
    return sharc_buf_take(&out);
}

static bool is_postgresql(const char *url)
{
    return strncmp(url, "postgresql://", 13) == 0 || strncmp(url, "postgres://", 11) == 0;
}

static int open_file(struct sharc_store *s, const char *url, const struct sharc_store_options *o,
                     struct sharc_err *reterr)
{
    const char *path = strncmp(url, "sqlite:", 7) == 0 ? url + 7 : url;
    SHARC_FAIL_IF(*path == 0, reterr, SHARC_EINVAL, "sqlite: needs a file name, as in sqlite:catalogue.db");
    s->kind = "sqlite";
    s->name = sharc_strdup(path);
    struct stat st;
    bool there = stat(path, &st) == 0;
    SHARC_FAIL_IF(!there && (o->read_only || o->must_exist), reterr, SHARC_ENOENT, "%s: there is no such catalogue",
                  path);
    SHARC_FAIL_IF(there && S_ISDIR(st.st_mode), reterr, SHARC_EINVAL,
                  "%s is a directory; the catalogue is a file, usually catalogue.db in it", path);
    return sharc__store_sqlite_open(path, o, &s->db, reterr);
}

/* "mysql://…" is no path that somebody forgot to make. Only the scheme is repeated: a password may follow. */
static int check_scheme(const char *url, struct sharc_err *reterr)
{
    size_t n = strspn(url, "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+.-");
    bool ours = is_postgresql(url) || (n == 6 && strncmp(url, "sqlite", 6) == 0);
    SHARC_FAIL_IF(n && strncmp(url + n, "://", 3) == 0 && !ours, reterr, SHARC_EINVAL,
                  "%.*s://: sharc keeps no catalogue there; name a path, sqlite:PATH or postgresql://HOST/DATABASE",
                  (int)n, url);
    return 0;
}

static int open_any(struct sharc_store *s, const char *url, const struct sharc_store_options *o,
                    struct sharc_err *reterr)
{
    if (is_postgresql(url)) {
        s->kind = "postgresql";
        s->name = without_password(url);
        return sharc__store_pg_open(url, s->name, o, &s->db, reterr);
    }
    if (strcmp(url, "memory:") != 0) return open_file(s, url, o, reterr);
    s->kind = "memory";
    s->name = sharc_strdup("memory:");
    struct sharc_store_options plain = {.cache_urls = o->cache_urls};
    return sharc__store_sqlite_open(NULL, &plain, &s->db, reterr);
}

static int open_ready(struct sharc_store *s, const char *url, const struct sharc_store_options *o,
                      struct sharc_err *reterr)
{
    int r = check_scheme(url, reterr);
    if (r == 0) r = open_any(s, url, o, reterr);
    if (r < 0) return r;
    s->read_only = o->read_only && strcmp(s->kind, "memory") != 0;
    if (o->must_exist && !s->read_only) {
        /* An empty database is no catalogue either. */
        s->read_only = true;
        r = sharc__store_migrate(s, 1, reterr);
        s->read_only = false;
        if (r < 0) return r;
    }
    return sharc__store_migrate(s, sharc_store_version(), reterr);
}

int sharc_store_open(const char *url, const struct sharc_store_options *o, struct sharc_store **ret,
                     struct sharc_err *reterr)
{
    static const struct sharc_store_options defaults = {0};
    if (!o) o = &defaults;
    SHARC_AUTO(sharc_store_freep) struct sharc_store *s = SHARC_NEW(struct sharc_store);
    sharc_arena_init(&s->answer, SIZE_MAX / 2);
    s->cache = sharc_map128_new(o->cache_urls ? o->cache_urls : 1000000);
    int r = open_ready(s, url, o, reterr);
    if (r < 0) return r;
    *ret = SHARC_TAKE(s);
    return 0;
}

void sharc_store_free(struct sharc_store *s)
{
    if (!s) return;
    sharc_arena_done(&s->answer);
    if (s->db) s->db->ops->free(s->db);
    sharc_map128_free(s->cache);
    free(s->name);
    free(s);
}

void sharc_store_freep(struct sharc_store **s)
{
    sharc_store_free(*s);
    *s = NULL;
}

const char *sharc_store_kind(const struct sharc_store *s)
{
    return s->kind;
}

const char *sharc_store_name(const struct sharc_store *s)
{
    return s->name;
}

int sharc_store_sync(struct sharc_store *s, struct sharc_err *reterr)
{
    return s->db->ops->sync(s->db, reterr);
}

/* --- losing and finding the connection ------------------------------------------- */

int sharc_store_reconnect(struct sharc_store *s, struct sharc_err *reterr)
{
    int r = s->db->ops->reconnect(s->db, reterr); /* this waits for a commit under way, which uses the cache */
    sharc_map128_clear(s->cache);                 /* the server may come back from a backup */
    return r;
}

int sharc_store_wait(struct sharc_store *s, const struct sharc_store_patience *p, struct sharc_err *reterr)
{
    sharc_time start = p->clock->now(p->clock), pause = SHARC_SEC;
    for (;;) {
        struct sharc_err err = SHARC_ERR_INIT;
        int r = sharc_store_reconnect(s, &err);
        sharc_time now = p->clock->now(p->clock);
        if (r != SHARC_ENET || now - start >= p->patience) {
            if (r < 0 && reterr) *reterr = err;
            return r;
        }
        if (p->waiting) p->waiting(p->arg, pause, &err);
        r = p->clock->wait_until(p->clock, now + pause, p->stop);
        if (r < 0) return sharc_fail(reterr, r, "%s: interrupted while waiting for the connection", s->name);
        pause = pause * 2 > 30 * SHARC_SEC ? 30 * SHARC_SEC : pause * 2;
    }
}

/* --- tracing and failing ------------------------------------------------------------ */

static struct sharc__store_db *wrapper(struct sharc_store *s)
{
    struct sharc__store_db **at = sharc__store_behind(s);
    if (!s->wrapper) *at = s->wrapper = sharc__store_wrap(*at);
    return s->wrapper;
}

void sharc_store_trace(struct sharc_store *s, sharc_store_trace_fn *fn, void *arg)
{
    sharc__store_wrap_trace(wrapper(s), fn, arg);
}

uint64_t sharc_store_fail_at(struct sharc_store *s, uint64_t n, int code)
{
    return sharc__store_wrap_fail(wrapper(s), n, code);
}

/* --- shorthands -------------------------------------------------------------------------- */

void sharc__store_cursor_freep(struct sharc__store_cursor **c)
{
    if (*c) (*c)->ops->free(*c);
    *c = NULL;
}

int sharc__store_get_row(struct sharc__store_db *db, const char *sql, const struct sharc_store_value *p, size_t n,
                         struct sharc__store_cursor **ret, struct sharc_err *reterr)
{
    SHARC_AUTO(sharc__store_cursor_freep) struct sharc__store_cursor *c = NULL;
    int r = db->ops->query(db, sql, p, n, false, &c, reterr);
    if (r == 0) r = c->ops->next(c, reterr);
    if (r > 0) *ret = SHARC_TAKE(c);
    return r;
}

int sharc__store_get_int(struct sharc__store_db *db, const char *sql, const struct sharc_store_value *p, size_t n,
                         int64_t *ret, struct sharc_err *reterr)
{
    SHARC_AUTO(sharc__store_cursor_freep) struct sharc__store_cursor *c = NULL;
    int r = sharc__store_get_row(db, sql, p, n, &c, reterr);
    if (r <= 0) return r;
    struct sharc_store_value v;
    c->ops->value(c, 0, &v);
    if (v.type != SHARC_STORE_INTEGER) return 0;
    *ret = v.i;
    return 1;
}

int64_t sharc__store_cursor_int(struct sharc__store_cursor *c, size_t column, int64_t unknown)
{
    struct sharc_store_value v;
    c->ops->value(c, column, &v);
    if (v.type == SHARC_STORE_REAL) return (int64_t)v.d;
    return v.type == SHARC_STORE_INTEGER ? v.i : unknown;
}

struct sharc_span sharc__store_cursor_span(struct sharc__store_cursor *c, size_t column)
{
    struct sharc_store_value v;
    c->ops->value(c, column, &v);
    return v.type == SHARC_STORE_TEXT || v.type == SHARC_STORE_BYTES ? v.s : SHARC_SPAN_NONE;
}

struct sharc_span sharc__store_keep(struct sharc_store *s, struct sharc_span text)
{
    return text.p ? sharc_arena_copy(&s->answer, text) : SHARC_SPAN_NONE;
}

int sharc__store_may_write(struct sharc_store *s, struct sharc_err *reterr)
{
    SHARC_FAIL_IF(s->read_only, reterr, SHARC_EACCESS, "%s: the catalogue was opened for reading only", s->name);
    return 0;
}

int sharc__store_insert(struct sharc_store *s, const char *sql, const struct sharc_store_value *p, size_t n,
                        sharc_store_id *ret, struct sharc_err *reterr)
{
    int r = sharc__store_may_write(s, reterr);
    if (r == 0) r = s->db->ops->begin(s->db, false, reterr);
    if (r < 0) return r;
    int got = sharc__store_get_int(s->db, sql, p, n, ret, reterr);
    r = got < 0 ? got : s->db->ops->commit(s->db, reterr);
    if (r < 0) s->db->ops->rollback(s->db);
    return r < 0 ? r : got;
}

/* SPDX-License-Identifier: Apache-2.0 */
#include "store_test.h"

#include "../../src/store/store_int.h"

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

int test_must(int r, const struct sharc_err *err, const char *file, int line)
{
    if (r >= 0) return r;
    print_error("%s: %s\n", sharc_error_name(r), err->text);
    _fail(file, line);
    return r;
}

/* A schema of its own in the server's database. */
static char *pg_schema(const char *name, const char *before, const char *after)
{
    const char *server = getenv("SHARC_TEST_PG");
    struct sharc_store_options o = {0};
    struct sharc__store_db *db = NULL;
    struct sharc_err err = SHARC_ERR_INIT;
    if (!server || !*server) return NULL;
    must(sharc__store_pg_open(server, server, &o, &db, &err), &err);
    char sql[200];
    snprintf(sql, sizeof sql, "%s %s %s", before, name, after);
    must(db->ops->script(db, sql, &err), &err);
    db->ops->free(db);
    return sharc_asprintf("%s?options=-csearch_path%%3D%s", server, name);
}

static void schema_name(const struct fixture *f, char out[64])
{
    snprintf(out, 64, "t%ld_%lx", (long)getpid(), (unsigned long)(uintptr_t)f);
}

int fixture_setup(void **state)
{
    struct fixture *f = SHARC_NEW(struct fixture);
    f->kind = *state;
    *state = f;
    if (strcmp(f->kind, "memory") == 0) {
        f->url = sharc_strdup("memory:");
    } else if (strcmp(f->kind, "sqlite") == 0) {
        f->dir = test_mkdir();
        f->url = sharc_asprintf("sqlite:%s/catalogue.db", f->dir);
    } else {
        char name[64];
        schema_name(f, name);
        f->url = pg_schema(name, "CREATE SCHEMA", "");
    }
    return 0;
}

int fixture_teardown(void **state)
{
    struct fixture *f = *state;
    sharc_store_free(f->store);
    if (f->dir) test_rmdir(f->dir);
    if (f->url && strcmp(f->kind, "postgresql") == 0) {
        char name[64];
        schema_name(f, name);
        free(pg_schema(name, "DROP SCHEMA", "CASCADE"));
    }
    free(f->url);
    free(f);
    return 0;
}

struct fixture *fixture(void **state)
{
    struct fixture *f = *state;
    if (!f->url) skip();
    struct sharc_err err = SHARC_ERR_INIT;
    must(sharc_store_open(f->url, NULL, &f->store, &err), &err);
    return f;
}

struct sharc_store *fixture_again(struct fixture *f, const struct sharc_store_options *o)
{
    struct sharc_store *s = NULL;
    struct sharc_err err = SHARC_ERR_INIT;
    must(sharc_store_open(f->url, o, &s, &err), &err);
    return s;
}

void fixture_reopen(struct fixture *f)
{
    if (strcmp(f->kind, "memory") == 0) return;
    sharc_store_freep(&f->store);
    f->store = fixture_again(f, NULL);
}

void fixture_wipe(struct fixture *f)
{
    sharc_store_freep(&f->store);
    if (f->dir) {
        test_rmdir(f->dir);
        free(f->url);
        f->dir = test_mkdir();
        f->url = sharc_asprintf("sqlite:%s/catalogue.db", f->dir);
        return;
    }
    char name[64];
    schema_name(f, name);
    free(pg_schema(name, "DROP SCHEMA", "CASCADE"));
    free(pg_schema(name, "CREATE SCHEMA", ""));
}

void fixture_sql(struct fixture *f, const char *sql)
{
    struct sharc_err err = SHARC_ERR_INIT;
    must(f->store->db->ops->script(f->store->db, sql, &err), &err);
}

int64_t fixture_number(struct fixture *f, const char *sql)
{
    struct sharc_err err = SHARC_ERR_INIT;
    int64_t n = -1;
    must(sharc__store_get_int(f->store->db, sql, NULL, 0, &n, &err), &err);
    return n;
}

void make_captures(struct fixture *f)
{
    struct sharc_err err = SHARC_ERR_INIT;
    must(sharc_store_site_put(f->store, &(struct sharc_store_site){.name = SHARC_SPAN("example.org")}, &f->site, &err),
         &err);
    for (int i = 0; i < 3; i++) {
        struct sharc_store_capture c = SHARC_STORE_CAPTURE_INIT;
        char key[32];
        snprintf(key, sizeof key, "week-%d", i + 1);
        c.site = f->site;
        c.key = sharc_span_of(key);
        c.start = (i + 1) * 7 * SHARC_DAY;
        c.strategy = SHARC_SPAN("bfs");
        must(sharc_store_capture_add(f->store, &c, &f->capture[i], NULL, &err), &err);
    }
    struct sharc_store_warc w = {.name = SHARC_SPAN("warcs/a.warc.gz"), .size = 1000000};
    must(sharc_store_warc_open(f->store, &w, &f->warc, NULL, &err), &err);
}

struct sharc_store_page page_of(sharc_store_id capture, const char *url, sharc_time when, int status, const char *body,
                                const char *text)
{
    struct sharc_store_page p = SHARC_STORE_PAGE_INIT;
    p.capture = capture;
    p.url = sharc_span_of(url);
    p.visit.when = when;
    p.visit.status = status;
    if (body) {
        sharc_digest_of(SHARC_SHA256, sharc_span_of(body), &p.visit.digest);
        p.visit.size = (int64_t)strlen(body);
    }
    if (text) sharc_digest_of(SHARC_SHA256, sharc_span_of(text), &p.visit.text_digest);
    p.mime = SHARC_SPAN("text/html");
    return p;
}

void put_page(struct sharc_store_batch *b, const struct sharc_store_page *p)
{
    struct sharc_err err = SHARC_ERR_INIT;
    must(sharc_store_batch_page(b, p, &err), &err);
}

void commit(struct sharc_store_batch *b)
{
    struct sharc_err err = SHARC_ERR_INIT;
    must(sharc_store_batch_commit(b, &err), &err);
}

size_t count_rows(struct sharc_store_rows *rows)
{
    struct sharc_err err = SHARC_ERR_INIT;
    size_t n = 0;
    int r;
    while ((r = must(sharc_store_rows_next(rows, &err), &err)) > 0) n++;
    sharc_store_rows_free(rows);
    return n;
}

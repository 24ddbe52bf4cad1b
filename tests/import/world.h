/* SPDX-License-Identifier: Apache-2.0
 *
 * A catalogue to import into, on each back-end, and how to look into it.
 */
#ifndef SHARC_IMPORT_WORLD_H
#define SHARC_IMPORT_WORLD_H

#include "import_test.h"

#include "../store/store_test.h"

/* A catalogue and a directory for archive files. */
struct world {
    void *fixture;
    char *dir;
    struct sharc_store *store;
};

static inline int set_up(void **state)
{
    struct world *w = SHARC_NEW(struct world);
    fixture_setup(state);
    w->fixture = *state;
    w->dir = test_mkdir();
    *state = w;
    return 0;
}

static inline int tear_down(void **state)
{
    struct world *w = *state;
    test_rmdir(w->dir);
    fixture_teardown(&w->fixture);
    free(w);
    return 0;
}

static inline struct world *world(void **state)
{
    struct world *w = *state;
    w->store = fixture(&w->fixture)->store;
    return w;
}

static inline void import_with(struct world *f, const char *path, const struct sharc_import_options *given,
                               struct sharc_import_result *ret)
{
    struct sharc_import_options o = given ? *given : (struct sharc_import_options){0};
    struct sharc_err err = SHARC_ERR_INIT;
    o.archive = f->dir;
    if (sharc_import(f->store, &path, 1, &o, ret, &err) < 0) fail_msg("%s", err.text);
}

/* Import and forget the result. */
static inline void import(struct world *f, const char *path)
{
    struct sharc_import_result r;
    import_with(f, path, NULL, &r);
    sharc_import_result_done(&r);
}

/* A page by capture and URL, or fail. Spans live until the rows are freed. */
static inline struct sharc_store_rows *get_page(struct world *f, sharc_store_id capture, const char *url,
                                                struct sharc_store_page *ret)
{
    struct sharc_store_rows *rows = NULL;
    struct sharc_err err = SHARC_ERR_INIT;
    sharc_store_id id;
    if (sharc_store_url_find(f->store, sharc_span_of(url), &id, &err) < 0) fail_msg("%s: %s", url, err.text);
    struct sharc_store_page_filter filter = {.capture = capture, .url = id, .looks = true, .features = true};
    if (sharc_store_pages(f->store, &filter, &rows, &err) < 0) fail_msg("%s", err.text);
    if (sharc_store_rows_next(rows, &err) <= 0) fail_msg("%s: not in capture %d", url, (int)capture);
    sharc_store_read_page(rows, ret);
    return rows;
}

static inline uint64_t count_table(struct world *f, const char *table)
{
    struct sharc_store_rows *rows = NULL;
    struct sharc_err err = SHARC_ERR_INIT;
    uint64_t n = 0;
    int r = sharc_store_table(f->store, table, 0, &rows, &err);
    while (r >= 0 && (r = sharc_store_rows_next(rows, &err)) > 0) n++;
    if (r < 0) fail_msg("%s", err.text);
    sharc_store_rows_free(rows);
    return n;
}

/* A table as CSV text without its first column (numbers that depend on history). */
static inline char *dump(struct sharc_store *store, const char *table)
{
    SHARC_AUTO(sharc_buf_done) struct sharc_buf b = SHARC_BUF_INIT(16 << 20);
    struct sharc_store_rows *rows = NULL;
    struct sharc_err err = SHARC_ERR_INIT;
    int r = sharc_store_table(store, table, 0, &rows, &err);
    while (r >= 0 && (r = sharc_store_rows_next(rows, &err)) > 0) {
        for (size_t i = 0; i < sharc_store_rows_columns(rows); i++) {
            struct sharc_store_value v;
            sharc_store_rows_value(rows, i, &v);
            sharc_store_value_text(rows, i, &v, &b);
            sharc_buf_put_char(&b, i + 1 < sharc_store_rows_columns(rows) ? ',' : '\n');
        }
    }
    if (r < 0) fail_msg("%s", err.text);
    sharc_store_rows_free(rows);
    return sharc_strdup(sharc_buf_str(&b));
}

static inline void count_finding(void *arg, const struct sharc_import_finding *finding)
{
    ((unsigned *)arg)[finding->fault]++;
}

static inline char *garden(struct world *f)
{
    struct maker m;
    maker_start(&m, f->dir, "garden.warc.gz", "isPartOf: weekly\r\n");
    PUT(&m, .url = "http://example.org/robots.txt", .when = DAY_ONE, .body = "x",
        .head = "HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\n\r\n");
    PUT(&m, .url = "http://example.org/", .when = DAY_ONE + SHARC_SEC, .body = "<a href=/a>a</a><a href=/b>b</a>");
    PUT(&m, .url = "http://example.org/a", .when = DAY_ONE + 2 * SHARC_SEC, .body = "<a href=/c>c</a>");
    PUT(&m, .url = "http://example.org/b", .when = DAY_ONE + 3 * SHARC_SEC, .body = "<a href=/c>c</a>");
    PUT(&m, .url = "http://example.org/c", .when = DAY_ONE + 4 * SHARC_SEC, .body = "leaf");
    return maker_end(&m);
}

#define TEST(name)                                                           \
    {#name " (memory)", name, set_up, tear_down, (char *)"memory"},          \
    {                                                                        \
#name " (postgresql)", name, set_up, tear_down, (char *)"postgresql" \
    }
#define IN_MEMORY(name)                                  \
    {                                                    \
#name, name, set_up, tear_down, (char *)"memory" \
    }

#endif

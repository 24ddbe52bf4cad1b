/* SPDX-License-Identifier: Apache-2.0
 *
 * Which files a capture is in, by the catalogue: those that its rows point into, and those that were
 * begun while it ran, which may hold records without a row (controls, the closing record).
 */
#include "derive_int.h"

#include "sharc/archive.h"
#include "sharc/base_file.h"
#include "sharc/base_remote.h"
#include "sharc/store_query.h"

#include <stdlib.h>
#include <unistd.h>

struct choosing {
    struct sharc_store *store;
    const char *archive;
    struct sharc_map64 rows; /* numbers of WARC rows */
    sharc_time start, end;
    char **paths;
    size_t count, room;
};

static void use(struct sharc_map64 *rows, const struct sharc_store_place *p)
{
    if (p->warc) *sharc_map64_at(rows, (uint64_t)p->warc) = 1;
}

int sharc_derive_rows(struct sharc_store *store, int64_t capture, struct sharc_map64 *rows, struct sharc_intern *urls,
                      struct sharc_err *reterr)
{
    SHARC_AUTO(sharc_store_rows_freep) struct sharc_store_rows *pages = NULL;
    struct sharc_store_page_filter f = {.capture = capture, .looks = true};
    struct sharc_store_page p;
    int r = sharc_store_pages(store, &f, &pages, reterr);
    while (r >= 0 && (r = sharc_store_rows_next(pages, reterr)) > 0) {
        sharc_store_read_page(pages, &p);
        if (urls) sharc_intern_add(urls, p.url, NULL);
        use(rows, &p.visit.place);
        use(rows, &p.second.place);
        use(rows, &p.revisit.place);
        use(rows, &p.body);
    }
    return r;
}

static bool is_known(const struct choosing *x, const char *path)
{
    for (size_t i = 0; i < x->count; i++)
        if (strcmp(x->paths[i], path) == 0) return true;
    return false;
}

static void add(struct choosing *x, const char *path)
{
    if (is_known(x, path)) return;
    SHARC_GROW(x->paths, x->room, x->count + 1);
    x->paths[x->count++] = sharc_strdup(path);
}

static int name_rows(struct choosing *x, struct sharc_err *reterr)
{
    SHARC_AUTO(sharc_store_rows_freep) struct sharc_store_rows *rows = NULL;
    struct sharc_store_warc w;
    int r = sharc_store_warcs(x->store, &rows, reterr);
    while (r >= 0 && (r = sharc_store_rows_next(rows, reterr)) > 0) {
        sharc_store_read_warc(rows, &w);
        if (!sharc_map64_find(&x->rows, (uint64_t)w.id)) continue;
        SHARC_AUTO(sharc_freep) char *path = sharc_archive_file(x->archive, w.name);
        SHARC_FAIL_IF(
            !path || !sharc_file_is_there(path), reterr, SHARC_ENOENT,
            "%.*s: the capture is in this file, and it cannot be read; restore it, or wait until the crawl that "
            "writes it has ended",
            SHARC_SPAN_ARG(w.name));
        add(x, path);
    }
    return r;
}

/* Its first record says when a file was begun. */
static bool begun_meanwhile(const struct choosing *x, const char *path)
{
    SHARC_AUTO(sharc_warc_closep) struct sharc_warc *w = NULL;
    struct sharc_record rec;
    if (sharc_warc_open(path, NULL, &w, NULL) < 0 || sharc_warc_next(w, &rec, NULL) <= 0) return false;
    return rec.type == SHARC_WARC_INFO && rec.date != SHARC_TIME_NONE && rec.date >= x->start - SHARC_SEC &&
           (x->end == SHARC_TIME_NONE || rec.date <= x->end + SHARC_HOUR);
}

static int add_meanwhile(struct choosing *x, struct sharc_err *reterr)
{
    char **names = NULL;
    size_t count = 0;
    int r = sharc_archive_warcs(x->archive, false, &names, &count, reterr);
    if (r < 0) return r;
    for (size_t i = 0; i < count; i++)
        if (!is_known(x, names[i]) && begun_meanwhile(x, names[i])) add(x, names[i]);
    sharc_names_free(names, count);
    return 0;
}

static int find_capture(struct choosing *x, const char *words, sharc_store_id *ret, char **ret_key,
                        struct sharc_err *reterr)
{
    SHARC_AUTO(sharc_store_rows_freep) struct sharc_store_rows *rows = NULL;
    struct sharc_store_capture_filter f = SHARC_STORE_CAPTURE_FILTER_INIT;
    struct sharc_store_capture c;
    int r = sharc_store_capture_find(x->store, sharc_span_of(words), &f.id, reterr);
    if (r == 0) r = sharc_store_captures(x->store, &f, &rows, reterr);
    if (r == 0) r = sharc_store_rows_next(rows, reterr);
    if (r < 0) return r;
    SHARC_FAIL_IF(r == 0, reterr, SHARC_ENOENT, "there is no capture %s", words);
    sharc_store_read_capture(rows, &c);
    SHARC_FAIL_IF(c.state == SHARC_CAPTURE_RUNNING, reterr, SHARC_EBUSY,
                  "%.*s has not ended: wait for the crawl, or resume it with sharc crawl", SHARC_SPAN_ARG(c.key));
    SHARC_FAIL_IF(c.state == SHARC_CAPTURE_IMPORTED || c.state == SHARC_CAPTURE_IMPORTING, reterr, SHARC_EUNSUPPORTED,
                  "%.*s was imported: only captures that sharc crawl made can be certified", SHARC_SPAN_ARG(c.key));
    x->start = c.start;
    x->end = c.end;
    *ret = f.id;
    *ret_key = sharc_span_dup(c.key);
    return 0;
}

int sharc_derive_files(struct sharc_store *store, const char *archive, const char *capture, char ***ret_paths,
                       size_t *ret_count, sharc_time *ret_began, char **ret_key, struct sharc_err *reterr)
{
    struct choosing x = {.store = store, .archive = archive};
    SHARC_AUTO(sharc_freep) char *key = NULL;
    sharc_store_id id = 0;
    sharc_map64_init(&x.rows);
    int r = find_capture(&x, capture, &id, &key, reterr);
    if (r == 0) r = sharc_derive_rows(store, id, &x.rows, NULL, reterr);
    if (r == 0) r = name_rows(&x, reterr);
    if (r == 0) r = add_meanwhile(&x, reterr);
    if (r == 0 && x.count == 0) r = sharc_fail(reterr, SHARC_ENOENT, "%s holds no page that was answered", key);
    sharc_map64_done(&x.rows);
    if (r < 0) {
        sharc_names_free(x.paths, x.count);
        return r;
    }
    *ret_paths = x.paths;
    *ret_count = x.count;
    *ret_began = x.start;
    *ret_key = SHARC_TAKE(key);
    return 0;
}

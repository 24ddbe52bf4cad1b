/* SPDX-License-Identifier: Apache-2.0
 *
 * After a crash: a WARC file may hold records behind the last commit. Nothing
 * points at them, so they are cut off; what is left is closed, and the catalogue
 * told so.
 */
#include "output.h"

#include "sharc/archive.h"
#include "sharc/base_file.h"
#include "sharc/base_remote.h"
#include "sharc/store_query.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

static int cut(const char *path, uint64_t to, struct sharc_err *reterr)
{
    SHARC_AUTO(sharc_closep) int fd = open(path, O_RDWR | O_CLOEXEC);
    if (fd < 0 && errno == ENOENT) return 0;
    struct stat st;
    SHARC_FAIL_IF(fd < 0 || fstat(fd, &st) < 0, reterr, sharc_error_from_errno(errno), "%s: %s", path, strerror(errno));
    if ((uint64_t)st.st_size <= to) return 0;
    SHARC_FAIL_IF(ftruncate(fd, (off_t)to) < 0 || fsync(fd) < 0, reterr, sharc_error_from_errno(errno),
                  "%s: cannot cut off what was not committed: %s", path, strerror(errno));
    return 0;
}

struct partial {
    sharc_store_id id;
    char *name;
    uint64_t done, records;
};

static int read_partial(struct output *o, struct partial **ret, size_t *ret_count, struct sharc_err *reterr)
{
    SHARC_AUTO(sharc_store_rows_freep) struct sharc_store_rows *rows = NULL;
    struct sharc_store_warc w;
    size_t room = 0;
    int r = sharc_store_warcs(o->ctx->w.store, &rows, reterr);
    while (r >= 0 && (r = sharc_store_rows_next(rows, reterr)) > 0) {
        sharc_store_read_warc(rows, &w);
        const struct sharc_span file = sharc_archive_warc_file(w.name);
        if (w.state != SHARC_STORE_WARC_PARTIAL || !file.p) continue;
        if (w.size != w.done) continue; /* an import under way knows the size beforehand; a crawl writes both alike */
        SHARC_GROW(*ret, room, *ret_count + 1);
        (*ret)[(*ret_count)++] = (struct partial){w.id, sharc_span_dup(file), w.done, w.records};
    }
    return r < 0 ? r : 0;
}

/* What the catalogue thinks unfinished is finished now: nobody else writes here. */
static int close_row(struct output *o, const struct partial *p, struct sharc_err *reterr)
{
    struct sharc_remote_facts facts;
    struct sharc_err err = SHARC_ERR_INIT;
    SHARC_AUTO(sharc_freep) char *name = sharc_archive_warc_name(p->name);
    SHARC_AUTO(sharc_freep) char *path = sharc_archive_file(o->ctx->o.archive, sharc_span_of(name));
    struct sharc_store_warc w = {.id = p->id, .done = p->done, .records = p->records};
    const int r = sharc_file_look(path, &facts, &err);
    bool there = r == 0;
    if (r < 0 && r != SHARC_ENOENT) { /* an object store that cannot be asked: who knows */
        if (reterr) *reterr = err;
        return r;
    }
    if (!there && p->done == 0) return sharc_store_warc_forget(o->ctx->w.store, p->id, reterr);
    w.state = there ? SHARC_STORE_WARC_COMPLETE : SHARC_STORE_WARC_MISSING;
    if (there) w.size = w.done = facts.size;
    return sharc_store_batch_warc(o->batch, &w, reterr);
}

/* A file may have been begun and not written down before the kill: nothing points into it, but it belongs to the
 * archive. What it holds is fetched again, as what stands behind a commit is. */
static int adopt(struct output *o, const char *path_open, struct sharc_err *reterr)
{
    struct stat st;
    sharc_store_id id;
    SHARC_AUTO(sharc_freep) char *path = sharc_strndup(path_open, strlen(path_open) - strlen(".open"));
    SHARC_AUTO(sharc_freep) char *name = sharc_archive_warc_name(sharc_path_last(path));
    if (stat(path, &st) < 0) return 0; /* it held no record */
    struct sharc_store_warc w = {.name = sharc_span_of(name), .state = SHARC_STORE_WARC_COMPLETE};
    w.size = w.done = (uint64_t)st.st_size;
    return sharc_store_warc_open(o->ctx->w.store, &w, &id, NULL, reterr);
}

int sharc__crawl_files_recover(struct output *o, struct sharc_err *reterr)
{
    struct partial *list = NULL;
    size_t n = 0;
    struct sharc_warc_recovered saved = {0};
    char **open = NULL;
    size_t open_count = 0;
    int r = read_partial(o, &list, &n, reterr);
    if (r == 0) r = sharc_archive_warcs(o->ctx->o.archive, /* open= */ true, &open, &open_count, reterr);
    for (size_t i = 0; i < n && r == 0; i++) {
        SHARC_AUTO(sharc_freep) char *path = sharc_asprintf("%s/%s.open", o->warc_dir, list[i].name);
        r = cut(path, list[i].done, reterr);
    }
    if (r == 0) r = sharc_warc_recover_dir(o->warc_dir, &saved, reterr);
    for (size_t i = 0; i < n && r == 0; i++) r = close_row(o, &list[i], reterr);
    for (size_t i = 0; i < open_count && r == 0; i++) r = adopt(o, open[i], reterr);
    if (r == 0) r = sharc_store_batch_commit(o->batch, reterr);
    if (r == 0 && saved.records)
        sharc__crawl_remark(o->ctx, "closed what an interrupted crawl left open: %s",
                            SHARC_COUNT(saved.records, "record"));
    for (size_t i = 0; i < n; i++) free(list[i].name);
    free(list);
    sharc_names_free(open, open_count);
    return r;
}

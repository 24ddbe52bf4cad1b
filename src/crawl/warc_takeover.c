/* SPDX-License-Identifier: Apache-2.0
 *
 * A worker takes over the capture of another one, which may be dead, or only sleep: then it still has its file
 * open and may write to it when it wakes up. So nothing is cut off in place. The file gets a name that
 * nobody else knows, what the catalogue says was committed is copied, and the copy is the archive's:
 *
 *   a.warc.gz.open ──rename──> a.warc.gz.taken ──copy of the committed bytes──> a.warc.gz
 *
 * Whatever the sleeper writes goes to a file without a name; its own rename fails. Every step may be repeated.
 */
#include "output.h"

#include "sharc/archive.h"
#include "sharc/base_file.h"
#include "sharc/store_query.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

enum { PIECE = 1 << 20 };

static int copy_bytes(int from, uint64_t size, struct sharc_atomic_file *to, const char *path, struct sharc_err *reterr)
{
    SHARC_AUTO(sharc_freep) char *piece = SHARC_NEW_ARRAY(char, PIECE);
    for (uint64_t at = 0; at < size;) {
        size_t want = size - at < PIECE ? (size_t)(size - at) : PIECE;
        ssize_t n = pread(from, piece, want, (off_t)at);
        if (n < 0 && errno == EINTR) continue;
        SHARC_FAIL_IF(n <= 0, reterr, n < 0 ? sharc_error_from_errno(errno) : SHARC_ETRUNC,
                      "%s: %llu bytes were committed, but the file cannot be read beyond %llu", path,
                      (unsigned long long)size, (unsigned long long)at);
        int r = sharc_atomic_write(to, sharc_span(piece, (size_t)n), reterr);
        if (r < 0) return r;
        at += (uint64_t)n;
    }
    return 0;
}

static int copy_file(const char *from, uint64_t size, const char *to, struct sharc_err *reterr)
{
    SHARC_AUTO(sharc_closep) int fd = open(from, O_RDONLY | O_CLOEXEC);
    SHARC_FAIL_IF(fd < 0, reterr, sharc_error_from_errno(errno), "%s: %s", from, strerror(errno));
    struct sharc_atomic_file f;
    int r = sharc_atomic_open(&f, to, reterr);
    if (r < 0) return r;
    r = copy_bytes(fd, size, &f, from, reterr);
    if (r == 0) r = sharc_atomic_commit(&f, reterr);
    sharc_atomic_done(&f);
    return r;
}

static bool is_there(const char *path, uint64_t *ret_size)
{
    struct stat st;
    if (stat(path, &st) < 0) return false;
    *ret_size = (uint64_t)st.st_size;
    return true;
}

/* Bring one file to what was committed of it; *ret_there says whether there is one now. */
static int take_file(const char *path, uint64_t done, bool *ret_there, struct sharc_err *reterr)
{
    SHARC_AUTO(sharc_freep) char *open_path = sharc_asprintf("%s.open", path);
    SHARC_AUTO(sharc_freep) char *taken = sharc_asprintf("%s.taken", path);
    uint64_t size = 0;
    int r = 0;
    if (rename(open_path, taken) < 0 && errno != ENOENT)
        return sharc_fail(reterr, sharc_error_from_errno(errno), "%s: cannot be taken over: %s", open_path,
                          strerror(errno));
    const bool half = is_there(taken, &size), whole = is_there(path, &size);
    *ret_there = done > 0 && (half || whole);
    if (done > 0 && whole && size != done) r = copy_file(path, done, path, reterr);
    if (done > 0 && !whole && half) r = copy_file(taken, done, path, reterr);
    if (done == 0 && whole) r = unlink(path) < 0 ? sharc_fail(reterr, SHARC_EIO, "%s: %s", path, strerror(errno)) : 0;
    if (r == 0 && half && unlink(taken) < 0)
        r = sharc_fail(reterr, sharc_error_from_errno(errno), "%s: %s", taken, strerror(errno));
    return r;
}

static int take_row(struct output *o, const struct sharc_store_warc *row, const char *file, struct sharc_err *reterr)
{
    SHARC_AUTO(sharc_freep) char *path = sharc_path_join(o->warc_dir, file);
    struct sharc_store_warc w = {.id = row->id, .done = row->done, .records = row->records, .capture = row->capture};
    bool there = false;
    int r = take_file(path, row->done, &there, reterr);
    if (r < 0) return r;
    if (row->done == 0) return sharc_store_warc_forget(o->ctx->w.store, row->id, reterr);
    w.state = there ? SHARC_STORE_WARC_COMPLETE : SHARC_STORE_WARC_MISSING;
    if (there) w.size = row->done;
    return sharc_store_batch_warc(o->batch, &w, reterr);
}

/* Files are known by their names: "…-j12e3-host.warc.gz.open" belongs to the third claim of job 12. 0: not this job's.
 */
static uint64_t claim_of(const char *path, const struct sharc_crawl_job *job)
{
    SHARC_AUTO(sharc_freep) char *mark = sharc_asprintf("-j%llde", (long long)job->id);
    const char *name = sharc_path_last(path), *at = NULL;
    for (const char *p = name; (p = strstr(p, mark)); p++) at = p;
    if (!at) return 0;
    struct sharc_span rest = sharc_span_of(at + strlen(mark));
    uint64_t epoch = 0;
    size_t end = sharc_span_find(rest, '-', 0);
    return end != SHARC_NPOS && sharc_span_to_u64(sharc_span_sub(rest, 0, end), &epoch) == 0 ? epoch : 0;
}

/* Remove files of these claims that were begun and never written down: nothing points into them. */
static int drop_begun(struct output *o, uint64_t from, uint64_t to, const struct sharc_intern *but,
                      struct sharc_err *reterr)
{
    char **open = NULL;
    size_t count = 0;
    int r = sharc_archive_warcs(o->ctx->o.archive, /* open= */ true, &open, &count, reterr);
    for (size_t i = 0; i < count && r == 0; i++) {
        const uint64_t claim = claim_of(open[i], &o->ctx->o.job);
        struct sharc_span name = sharc_span_of(sharc_path_last(open[i]));
        name.n -= strlen(".open");
        if (claim >= from && claim <= to && (!but || sharc_intern_find(but, name) == SHARC_NO_ID))
            (void)unlink(open[i]);
    }
    sharc_names_free(open, count);
    return r;
}

/* Somebody else has the job. A file of ours that has a row is his to take over; others nobody knows of. */
void sharc__crawl_files_abandon(struct output *o)
{
    const struct sharc_crawl_job *job = &o->ctx->o.job;
    SHARC_AUTO(sharc_intern_freep) struct sharc_intern *known = sharc_intern_new();
    SHARC_AUTO(sharc_store_rows_freep) struct sharc_store_rows *rows = NULL;
    struct sharc_store_warc w;
    int r = o->capture ? sharc_store_warcs_of(o->ctx->w.store, o->capture, &rows, NULL) : 0;
    while (rows && r >= 0 && (r = sharc_store_rows_next(rows, NULL)) > 0) {
        sharc_store_read_warc(rows, &w);
        const struct sharc_span file = sharc_archive_warc_file(w.name);
        if (file.p) (void)sharc_intern_add(known, file, NULL);
    }
    if (r >= 0) (void)drop_begun(o, (uint64_t)job->epoch, (uint64_t)job->epoch, known, NULL);
}

int sharc__crawl_files_take_over(struct output *o, struct sharc_err *reterr)
{
    const struct sharc_crawl_job *job = &o->ctx->o.job;
    if (job->epoch <= 1) return 0; /* nobody was there before */
    SHARC_AUTO(sharc_store_rows_freep) struct sharc_store_rows *rows = NULL;
    struct sharc_store_warc *list = NULL;
    size_t n = 0, room = 0;
    int r = job->capture ? sharc_store_warcs_of(o->ctx->w.store, job->capture, &rows, reterr) : 0;
    while (rows && r >= 0 && (r = sharc_store_rows_next(rows, reterr)) > 0) {
        struct sharc_store_warc w;
        sharc_store_read_warc(rows, &w);
        const struct sharc_span file = sharc_archive_warc_file(w.name);
        if (w.state != SHARC_STORE_WARC_PARTIAL || !file.p) continue;
        SHARC_GROW(list, room, n + 1);
        list[n] = w;
        list[n++].name = sharc_span_of(sharc_span_dup(file));
    }
    for (size_t i = 0; i < n && r >= 0; i++) r = take_row(o, &list[i], list[i].name.p, reterr);
    if (r >= 0) r = drop_begun(o, 1, (uint64_t)job->epoch - 1, NULL, reterr);
    if (r >= 0) r = sharc_store_batch_commit(o->batch, reterr);
    for (size_t i = 0; i < n; i++) free((void *)(uintptr_t)list[i].name.p);
    free(list);
    return r < 0 ? r : 0;
}

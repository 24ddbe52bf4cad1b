/* SPDX-License-Identifier: Apache-2.0
 *
 * A worker takes over the capture of another one, which may be dead, or only sleep: then it still has its file
 * open and may write to it when it wakes up. So nothing is cut off in place. The file gets a name that
 * nobody else knows, what the catalogue says was committed is copied, and the copy is the archive's:
 *
 *   a.warc.gz.open ──rename──> a.warc.gz.taken ──copy of the committed bytes──> a.warc.gz
 *
 * Whatever the sleeper writes goes to a file without a name; its own rename fails. Every step may be repeated. When
 * files go into an object store there is more to it: warc_handover.c.
 */
#include "warc_store.h"

#include "sharc/archive.h"
#include "sharc/base_file.h"
#include "sharc/store_query.h"

#include <stdlib.h>
#include <unistd.h>

static int take_row(struct output *o, const struct sharc_store_warc *row, const char *file, struct sharc_err *reterr)
{
    SHARC_AUTO(sharc_freep) char *path = sharc_path_join(o->warc_dir, file);
    struct sharc_store_warc w = {.id = row->id, .done = row->done, .records = row->records, .capture = row->capture};
    bool there = false;
    if (row->done > 0 && o->objects) return sharc__crawl_hand_over(o, row, file, reterr);
    int r = sharc__crawl_take_file(path, row->done, &there, reterr);
    if (r < 0) return r;
    if (row->done == 0) return sharc_store_warc_forget(o->ctx->w.store, row->id, reterr);
    w.state = there ? SHARC_STORE_WARC_COMPLETE : SHARC_STORE_WARC_MISSING;
    if (there) w.size = row->done;
    return sharc_store_batch_warc(o->batch, &w, reterr);
}

/* Remove files of these claims that were begun and never written down: nothing points into them. */
static int drop_begun(struct output *o, uint64_t from, uint64_t to, const struct sharc_intern *but,
                      struct sharc_err *reterr)
{
    char **open = NULL;
    size_t count = 0;
    int r = sharc_archive_warcs(o->ctx->o.archive, /* open= */ true, &open, &count, reterr);
    for (size_t i = 0; i < count && r == 0; i++) {
        const uint64_t claim = sharc__crawl_claim_of(open[i], &o->ctx->o.job, NULL);
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
    if (r < 0) return; /* who knows which ones count */
    (void)drop_begun(o, (uint64_t)job->epoch, (uint64_t)job->epoch, known, NULL);
    sharc__crawl_store_abandon(o, known);
}

/* Those that may have to be seen to. What is complete stays as it is, unless it is still on its way into a store. */
static bool is_to_take(const struct output *o, const struct sharc_store_warc *w)
{
    return w->state == SHARC_STORE_WARC_PARTIAL || (o->objects && w->state == SHARC_STORE_WARC_COMPLETE);
}

int sharc__crawl_files_take_over(struct output *o, struct sharc_err *reterr)
{
    const struct sharc_crawl_job *job = &o->ctx->o.job;
    if (job->epoch <= 1 && !job->capture) return 0; /* nobody was there before */
    SHARC_AUTO(sharc_store_rows_freep) struct sharc_store_rows *rows = NULL;
    struct sharc_store_warc *list = NULL;
    size_t n = 0, room = 0;
    int r = job->capture ? sharc_store_warcs_of(o->ctx->w.store, job->capture, &rows, reterr) : 0;
    while (rows && r >= 0 && (r = sharc_store_rows_next(rows, reterr)) > 0) {
        struct sharc_store_warc w;
        sharc_store_read_warc(rows, &w);
        const struct sharc_span file = sharc_archive_warc_file(w.name);
        if (!is_to_take(o, &w) || !file.p) continue;
        SHARC_GROW(list, room, n + 1);
        list[n] = w;
        list[n++].name = sharc_span_of(sharc_span_dup(file));
    }
    for (size_t i = 0; i < n && r >= 0; i++) r = take_row(o, &list[i], list[i].name.p, reterr);
    if (r >= 0) r = drop_begun(o, 1, (uint64_t)job->epoch - 1, NULL, reterr);
    if (r >= 0) r = sharc_store_batch_commit(o->batch, reterr);
    if (r >= 0 && o->objects) r = sharc__crawl_handed_over(o, reterr);
    for (size_t i = 0; i < n; i++) free((void *)(uintptr_t)list[i].name.p);
    free(list);
    return r < 0 ? r : 0;
}

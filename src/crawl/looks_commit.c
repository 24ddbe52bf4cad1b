/* SPDX-License-Identifier: Apache-2.0
 *
 * Looks made durable, in the order of commit.c: WARC bytes synced ──> one transaction ──> hosts.
 */
#include "looks_int.h"
#include "warc_store.h"

struct sharc_store_batch *sharc_looks_batch(struct sharc_looks *l)
{
    return l->out.batch;
}

sharc_time sharc_looks_commit_due(const struct sharc_looks *l)
{
    if (l->out.records == 0) return l->committing ? crawl_now(&l->ctx) : SHARC_TIME_NONE;
    return l->out.first_record + (l->ctx.o.commit_time ? l->ctx.o.commit_time : SHARC_SEC);
}

static int sync_files(struct sharc_looks *l, struct sharc_err *reterr)
{
    int r = 0;
    for (size_t i = 0; i < l->sites && r == 0; i++)
        if (l->site[i]->capture.warc) r = sharc_warc_writer_sync(l->site[i]->capture.warc, reterr);
    return r;
}

int sharc_looks_commit(struct sharc_looks *l, struct sharc_err *reterr)
{
    int r = 0;
    if (!l->committing) {
        r = sync_files(l, reterr);
        if (r == 0) r = sharc__crawl_files_put(&l->out, reterr);
        if (r < 0) return r;
        l->committing = true; /* a commit that fails is repeated with the same rows */
    }
    r = sharc__crawl_batch_commit(&l->out, reterr);
    l->lost = l->lost || (r == SHARC_EACCESS && l->ctx.o.job.id);
    if (r < 0) return r;
    l->committing = false;
    return sharc__crawl_hosts_keep(&l->hosts, crawl_now(&l->ctx), reterr);
}

static int close_files(struct sharc_looks *l, struct sharc_err *reterr)
{
    int r = sharc_looks_commit(l, reterr);
    for (size_t i = 0; i < l->sites && r == 0; i++)
        if (l->site[i]->capture.warc) r = sharc_warc_writer_finish(l->site[i]->capture.warc, reterr);
    if (r == 0) r = sharc__crawl_files_closed(&l->out, reterr);
    if (r == 0) r = sharc_looks_commit(l, reterr);
    if (r == 0) r = sharc__crawl_index(&l->out, reterr);
    if (r == 0) r = sharc__crawl_store_rescan(&l->out, reterr);
    return r;
}

int sharc_looks_turn_over(struct sharc_looks *l, struct sharc_err *reterr)
{
    int r = close_files(l, reterr);
    for (size_t i = 0; i < l->sites && r == 0; i++) {
        sharc__crawl_capture_done(&l->site[i]->capture);
        r = sharc__crawl_warc_open(&l->out, &l->site[i]->capture, reterr);
    }
    return r;
}

int sharc_looks_finish(struct sharc_looks *l, enum sharc_capture_state state, struct sharc_err *reterr)
{
    int r = 0;
    for (size_t i = 0; i < l->sites && r == 0; i++) {
        struct sharc_store_capture row = SHARC_STORE_CAPTURE_INIT;
        row.id = l->site[i]->capture.id;
        row.state = state;
        row.end = crawl_now(&l->ctx);
        r = sharc_store_batch_capture(l->out.batch, &row, reterr);
    }
    if (r == 0) r = close_files(l, reterr);
    /* A turn of a job is over when its files are in the store. */
    return r < 0 || !l->ctx.o.job.id ? r : sharc__crawl_store_finish(&l->out, l->no_wait, reterr);
}

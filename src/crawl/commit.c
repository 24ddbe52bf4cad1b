/* SPDX-License-Identifier: Apache-2.0
 *
 * The one order in which things become durable:
 *
 *   WARC bytes synced ──> transaction: pages, looks, skipped, journal, how far
 *   the WARCs go ──> the next one
 *
 * Until when hosts are not to be asked has a transaction of its own, after that one or before it.
 */
#include "engine.h"
#include "warc_store.h"

#include "sharc/base_codec.h"

enum {
    BATCH_BYTES = 8 << 20, /* pages with very many links make it large before it is old */
    BATCH_MOST = 32 << 20, /* of the next one, while one is being written */
};

static sharc_time patience(const struct sharc_crawl *c)
{
    return c->ctx.o.commit_time ? c->ctx.o.commit_time : SHARC_SEC;
}

bool sharc__crawl_commit_is_due(const struct sharc_crawl *c, sharc_time now)
{
    unsigned most = c->ctx.o.commit_records ? c->ctx.o.commit_records : 1000;
    if (c->journaled || c->hosts.urgent || c->out.records >= most) return true;
    if (c->jobs.pool && sharc_store_batch_bytes(c->out.batch) >= BATCH_BYTES) return true;
    return c->out.records > 0 && now - c->out.first_record >= patience(c);
}

sharc_time sharc__crawl_commit_time(const struct sharc_crawl *c)
{
    return c->out.records > 0 ? c->out.first_record + patience(c) : SHARC_TIME_NONE;
}

static int sync_warcs(struct sharc_crawl *c, struct sharc_err *reterr)
{
    int r = c->out.warc ? sharc_warc_writer_sync(c->out.warc, reterr) : 0;
    for (size_t i = 0; i < c->sites && r == 0; i++) {
        struct site *s = c->site[i];
        if (s->journal.dirty && s->capture.warc) r = sharc_warc_writer_sync(s->capture.warc, reterr);
    }
    return r;
}

static void tell_jump(const struct site *s, const struct clock_jump *jump)
{
    char by[SHARC_TIME_TEXT];
    sharc__crawl_remark(&s->crawl->ctx, "%s: this machine's clock was set %s by %s%s", s->name,
                        jump->by < 0 ? "back" : "forward", sharc_duration_text(jump->by < 0 ? -jump->by : jump->by, by),
                        jump->between ? " since the capture was interrupted; what was visited before is not proved"
                                      : "; the times of the capture go on as they began");
}

void sharc__crawl_clock_was_set(struct site *s, const struct clock_jump *jump)
{
    sharc__crawl_times_jumped(&s->times, &s->pages, &s->journal, jump);
    tell_jump(s, jump);
}

void sharc__crawl_look_at_clock(struct site *s)
{
    struct sharc_clock *clock = s->crawl->ctx.w.clock;
    struct clock_jump jump;
    if (sharc__crawl_times_look(&s->times, clock, &jump)) sharc__crawl_clock_was_set(s, &jump);
    if (sharc__crawl_times_compare(&s->times, clock, &jump)) sharc__crawl_clock_was_set(s, &jump);
}

static void note_state(struct site *s)
{
    struct journal_state state = {.first = s->downloaded.first,
                                  .last = s->downloaded.last,
                                  .last_visit = s->downloaded.last_visit,
                                  .interrupted = s->downloaded.interrupted,
                                  .started_at = s->capture.started_at,
                                  .lists = s->sources.lists,
                                  .ahead = s->times.anchor.ahead,
                                  .epoch = (int64_t)s->times.anchor.epoch,
                                  .offset = SHARC_TIME_NONE};
    sharc_time low, high;
    (void)sharc__crawl_times_offset(&s->times, &state.offset, &low, &high);
    sharc__crawl_agenda_state(&s->agenda, &state);
    sharc__crawl_note_state(&s->journal, &state);
    sharc__crawl_note_ran(&s->journal, sharc__crawl_limits_ran(&s->agenda));
}

/* Its pieces are packed: URLs of one site are much alike. */
static int put_journal(struct site *s, struct sharc_deflate *pack, struct sharc_err *reterr)
{
    struct sharc_crawl *c = s->crawl;
    if (!s->journal.dirty) return 0;
    sharc__crawl_look_at_clock(s);
    note_state(s);
    sharc_buf_clear(&c->packed);
    int r = sharc_deflate_member(pack, sharc_buf_span(&s->journal.pending), &c->packed);
    if (r < 0) return sharc_fail(reterr, r, "%s: the journal is too large", s->name);
    return sharc_store_batch_journal(c->out.batch, s->capture.id, sharc__crawl_journal_piece(&s->journal),
                                     sharc_buf_span(&c->packed), reterr);
}

static int put_journals(struct sharc_crawl *c, struct sharc_err *reterr)
{
    struct sharc_deflate *pack = sharc_deflate_new(1);
    int r = 0;
    for (size_t i = 0; i < c->sites && r == 0; i++) r = put_journal(c->site[i], pack, reterr);
    sharc_deflate_free(pack);
    return r;
}

/* All that they hold is committed; the next record begins a new one. */
static int close_warcs(struct sharc_crawl *c, struct sharc_err *reterr)
{
    int r = c->out.warc ? sharc_warc_writer_finish(c->out.warc, reterr) : 0;
    for (size_t i = 0; i < c->sites && r == 0; i++)
        if (c->site[i]->capture.warc) r = sharc_warc_writer_finish(c->site[i]->capture.warc, reterr);
    sharc__crawl_store_follow(&c->out);
    return r;
}

/* All that is to be in the transaction is in the batch. */
static int prepare(struct sharc_crawl *c, struct sharc_err *reterr)
{
    if (c->journaled) return 0;
    int r = sync_warcs(c, reterr);
    if (r == 0) r = sharc__crawl_files_put(&c->out, reterr);
    if (r == 0) r = put_journals(c, reterr); /* last: what fails for want of room is tried again from the beginning */
    c->journaled = r == 0;                   /* a commit that fails is repeated with the same rows */
    return r;
}

/* The batch has them now. */
static void journals_are_kept(struct sharc_crawl *c)
{
    for (size_t i = 0; i < c->sites; i++) sharc__crawl_journal_committed(&c->site[i]->journal);
    c->journaled = false;
}

int sharc__crawl_commit(struct sharc_crawl *c, struct sharc_err *reterr)
{
    int r = sharc__crawl_batch_settle(&c->out, true, reterr);
    if (r == 0) r = prepare(c, reterr);
    if (r == 0) r = sharc__crawl_batch_commit(&c->out, reterr);
    if (r < 0) return r;
    journals_are_kept(c);
    if (sharc__crawl_store_presses(&c->out) && (r = close_warcs(c, reterr)) < 0) return r;
    return sharc__crawl_hosts_keep(&c->hosts, crawl_now(&c->ctx), reterr);
}

/* Files on their way into an object store follow what is committed; a worker has one site. */
bool sharc__crawl_writes_beside(const struct sharc_crawl *c)
{
    return c->jobs.pool && !c->out.outbox && !c->ctx.o.job.id;
}

static size_t most_waiting(const struct sharc_crawl *c)
{
    return c->memory.scarce ? BATCH_BYTES : BATCH_MOST;
}

bool sharc__crawl_rows_wait(const struct sharc_crawl *c)
{
    return c->out.written && sharc_store_batch_bytes(c->out.batch) >= most_waiting(c);
}

static void committed(void *arg)
{
    struct sharc_crawl *c = arg;
    if (atomic_exchange(&c->jobs.asleep, false)) sharc_fetcher_wake(c->ctx.w.fetcher);
}

/* Batches are written one after the other, so a row is never there before those it goes on from. When ordinary pages
 * have filled the next one twice over, because the catalogue is slow or does not answer, all wait for it. */
int sharc__crawl_commit_due(struct sharc_crawl *c, struct sharc_err *reterr)
{
    const bool full = sharc_store_batch_bytes(c->out.batch) / 2 >= most_waiting(c);
    int r = sharc__crawl_batch_settle(&c->out, full, reterr);
    if (r != 0 || !sharc__crawl_commit_is_due(c, crawl_now(&c->ctx))) return r < 0 ? r : 0;
    if (!sharc__crawl_writes_beside(c)) return sharc__crawl_commit(c, reterr);
    /* Hosts first: nothing may fail between the journal's way into the batch and the batch's to the thread. */
    r = sharc__crawl_hosts_keep(&c->hosts, crawl_now(&c->ctx), reterr);
    if (r == 0 || r == SHARC_EBUSY)
        r = prepare(c, reterr); /* somebody else writes: they are kept with the next batch */
    if (r < 0) return r;
    journals_are_kept(c);
    sharc__crawl_batch_begin(&c->out, committed, c);
    return 0;
}

/* SPDX-License-Identifier: Apache-2.0
 *
 * The one order in which things become durable:
 *
 *   WARC bytes synced ──> transaction: pages, looks, skipped, journal, how far
 *   the WARCs go ──> hosts: until when they are not to be asked ──> the next one
 */
#include "engine.h"
#include "warc_store.h"

#include "sharc/base_codec.h"

enum { BATCH_BYTES = 8 << 20 }; /* pages with very many links make it large before it is old */

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

int sharc__crawl_commit(struct sharc_crawl *c, struct sharc_err *reterr)
{
    int r = 0;
    if (!c->journaled) {
        r = sync_warcs(c, reterr);
        if (r == 0) r = put_journals(c, reterr);
        if (r == 0) r = sharc__crawl_files_put(&c->out, reterr);
        if (r < 0) return r;
        c->journaled = true; /* a commit that fails is repeated with the same rows */
    }
    r = sharc__crawl_batch_commit(&c->out, reterr);
    if (r < 0) return r;
    for (size_t i = 0; i < c->sites; i++) sharc__crawl_journal_committed(&c->site[i]->journal);
    c->journaled = false;
    if (sharc__crawl_store_presses(&c->out) && (r = close_warcs(c, reterr)) < 0) return r;
    return sharc__crawl_hosts_keep(&c->hosts, crawl_now(&c->ctx), reterr);
}

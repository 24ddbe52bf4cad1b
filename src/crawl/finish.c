/* SPDX-License-Identifier: Apache-2.0
 *
 * A site is done, or left for another day: its quality, which of its pages are the same,
 * its rates, its rows.
 */
#include "crawl_log.h"
#include "earlier.h"
#include "engine.h"
#include "reasons.h"
#include "verdict.h"

#include "sharc/store_query.h"

#include <stdio.h>

static struct judged judged(const struct site *s)
{
    return (struct judged){.name = s->name,
                           .ops = s->agenda.plan.ops,
                           .pages = &s->pages,
                           .count = &s->count,
                           .capture = s->capture.id,
                           .phase = s->agenda.phase,
                           .resumed = s->resumed,
                           .answered = s->reach.answered,
                           .first = s->downloaded.first,
                           .last = s->downloaded.last,
                           .reference = s->agenda.turn.reference,
                           .interrupted = s->downloaded.interrupted};
}

static void put_clock(struct site *s)
{
    struct sharc_crawl_summary *m = &s->summary;
    m->clock.answers = sharc__crawl_times_offset(&s->times, &m->clock.offset, &m->clock.low, &m->clock.high);
    m->clock.jumps = (uint32_t)s->times.jumps;
    for (size_t i = 0; i < s->times.jumps; i++) {
        const sharc_time by = s->times.jump[i].by;
        if ((by < 0 ? -by : by) > (m->clock.by < 0 ? -m->clock.by : m->clock.by)) m->clock.by = by;
    }
    /* Within a run time counts evenly. */
    m->took = m->start == SHARC_TIME_NONE || m->end == SHARC_TIME_NONE ? SHARC_TIME_NONE : m->end - m->start;
    for (size_t i = 0; i < s->times.jumps && m->took != SHARC_TIME_NONE; i++) {
        const struct clock_jump *jump = &s->times.jump[i];
        if (jump->between) m->took = jump->more ? SHARC_TIME_NONE : m->took - jump->by;
    }
    if (m->took < 0) m->took = SHARC_TIME_NONE;
}

static void judge(struct site *s)
{
    const struct judged g = judged(s);
    sharc__crawl_rates_settle(&s->rates, &s->pages);
    sharc__crawl_judge(&g, &s->summary);
    put_clock(s);
    s->summary.weakened = sharc_store_weakness_text(&s->weakness);
    sharc__crawl_heard_worth(&s->heard, &s->summary);
    if (s->summary.pages == 0) sharc__crawl_explain_nothing(&s->reach, &s->pages);
    snprintf(s->summary.why, sizeof s->summary.why, "%s", s->reach.why);
}

static void log_signals(const struct site *s)
{
    const struct sharc_crawl_summary *m = &s->summary;
    char note[160];
    if (m->signals.readings == 0) return;
    snprintf(note, sizeof note, "lists:%u,read-again:%u,told:%u,missed:%u,right:%u,wrong:%u", m->signals.lists,
             m->signals.readings, m->signals.told, m->signals.missed, m->signals.right, m->signals.wrong);
    sharc__crawl_log_event(&s->crawl->out, &s->capture, 0, SHARC_SPAN("sharc:signals"), sharc_span_of(note));
}

/* All reasons that may not hold any longer. */
static size_t reasons_decided_anew(const char *words[SHARC_CRAWL_REASON_COUNT])
{
    size_t n = 0;
    for (int i = 0; i < SHARC_CRAWL_REASON_COUNT; i++) {
        enum sharc_crawl_reason why = (enum sharc_crawl_reason)i;
        if (sharc__crawl_reason_decided_anew(why)) words[n++] = sharc_crawl_reason_word(why);
    }
    return n;
}

/* Table skipped has the last reason of each URL, and none of those let in after all. */
static int put_skipped_anew(struct site *s, struct sharc_err *reterr)
{
    struct sharc_crawl *c = s->crawl;
    const char *words[SHARC_CRAWL_REASON_COUNT];
    size_t n = reasons_decided_anew(words);
    int r = sharc_store_skipped_forget(c->ctx.w.store, s->capture.id, words, n, reterr);
    for (uint32_t i = 0; i < pages_count(&s->pages) && r == 0; i++) {
        enum sharc_crawl_reason why = (enum sharc_crawl_reason)s->pages.page[i].reason;
        if (!sharc__crawl_reason_decided_anew(why)) continue;
        r = sharc_store_batch_skipped(c->out.batch, s->capture.id, page_url(&s->pages, i),
                                      sharc_span_of(sharc_crawl_reason_word(why)), SHARC_SPAN_NONE, reterr);
        if (r == 0 && sharc_store_batch_full(c->out.batch)) r = sharc__crawl_commit(c, reterr);
    }
    return r;
}

static int put_capture(struct site *s, enum sharc_capture_state state, struct sharc_err *reterr)
{
    struct sharc_store_capture row = SHARC_STORE_CAPTURE_INIT;
    row.id = s->capture.id;
    row.state = state;
    row.end = s->downloaded.last;
    row.reference = s->summary.reference;
    row.reference_from = s->summary.reference_from;
    row.reference_to = s->summary.reference_to;
    SHARC_AUTO(sharc_buf_done) struct sharc_buf params = SHARC_BUF_INIT(4u << 20);
    sharc__crawl_params(s, &s->agenda.plan.params, &s->summary, &params);
    row.params = sharc_buf_span(&params);
    return sharc_store_batch_capture(s->crawl->out.batch, &row, reterr);
}

/* What it came to, before its last rows are committed. */
static void settle(struct site *s)
{
    sharc__crawl_look_at_clock(s);
    judge(s);
    sharc__crawl_log_limits(&s->capture);
    log_signals(s);
    sharc__crawl_journal_touch(&s->journal);
}

/* All of its rows are committed but those about the capture as a whole. */
static int put_end(struct site *s, bool complete, struct sharc_err *reterr)
{
    int r = s->frontier.second_chances ? put_skipped_anew(s, reterr) : 0;
    if (r == 0 && complete && sharc__crawl_judge_aliases(&s->aliases, s->agenda.plan.ops->revisits)) judge(s);
    if (r == 0 && complete) sharc__crawl_keep_rates(&s->frontier, s->downloaded.last);
    const struct judged g = judged(s);
    if (r == 0 && complete) r = sharc__crawl_put_grades(s, &g, reterr);
    if (r == 0 && complete) r = sharc__crawl_hints_keep(&s->controls, s->capture.site, s->downloaded.last, reterr);
    if (r == 0 && s->capture.warc) r = sharc_warc_writer_finish(s->capture.warc, reterr);
    if (r == 0) r = put_capture(s, complete ? SHARC_CAPTURE_COMPLETE : SHARC_CAPTURE_INTERRUPTED, reterr);
    return r;
}

int sharc__crawl_finish_site(struct site *s, struct sharc_err *reterr)
{
    struct sharc_crawl *c = s->crawl;
    const bool complete = s->agenda.phase == SHARC_CRAWL_DONE;
    settle(s);
    /* The capture is over when its file is closed: killed before, it is resumed and ends at once. */
    int r = sharc__crawl_commit(c, reterr);
    if (r == 0) r = put_end(s, complete, reterr);
    if (r == 0) r = sharc__crawl_commit(c, reterr);
    if (r == 0 && complete) r = sharc_store_journal_drop(c->ctx.w.store, s->capture.id, reterr);
    if (r == 0) s->finished = true;
    return r;
}

static bool is_left(const struct site *s)
{
    return !s->finished && s->agenda.plan.ops && s->agenda.phase != SHARC_CRAWL_DONE;
}

int sharc__crawl_leave_sites(struct sharc_crawl *c, struct sharc_err *reterr)
{
    for (size_t i = 0; i < c->sites; i++)
        if (is_left(c->site[i])) settle(c->site[i]);
    int r = sharc__crawl_commit(c, reterr);
    for (size_t i = 0; i < c->sites && r == 0; i++)
        if (is_left(c->site[i])) r = put_end(c->site[i], false, reterr);
    if (r == 0) r = sharc__crawl_commit(c, reterr);
    for (size_t i = 0; i < c->sites && r == 0; i++)
        if (is_left(c->site[i])) c->site[i]->finished = true;
    return r;
}

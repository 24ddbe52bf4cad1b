/* SPDX-License-Identifier: Apache-2.0
 *
 * How far everything is.
 */
#include "crawl_log.h"
#include "engine.h"

enum { DEPTHS_MOST = 100000 }; /* pages of a site whose depth is looked at */

const char *sharc_crawl_phase_text(enum sharc_crawl_phase p)
{
    static const char *const texts[] = {"preparing", "visits", "second looks", "revisits",
                                        "controls",  "done",   "suspended"};
    return (size_t)p < SHARC_LENGTH(texts) ? texts[p] : "";
}

static void add_retries(const struct queue *q, struct sharc_crawl_status *st)
{
    for (size_t i = 0; i < q->count; i++) {
        const sharc_time when = q->items[(q->head + i) % q->room].not_before;
        if (when <= st->now) continue;
        st->retries++;
        if (st->next_retry == SHARC_TIME_NONE || when < st->next_retry) st->next_retry = when;
    }
}

static void add_site(const struct site *s, struct sharc_crawl_status *st)
{
    const struct agenda *a = &s->agenda;
    st->sites_done += s->summary.before;
    if (!a->plan.ops) return; /* not begun */
    uint64_t left = a->plan.waiting + a->after_all.count, again = 0;
    const uint64_t wanted = s->count.visits + left + s->pages.followers_done;
    if (a->plan.ops->revisits && wanted > s->count.revisits) again = wanted - s->count.revisits;
    if (a->phase == SHARC_CRAWL_CONTROLS) again = 0; /* what has no revisit now gets none */
    if (a->phase >= SHARC_CRAWL_DONE) {
        st->sites_done++;
        left = again = 0;
    }
    if (a->phase < st->phase) st->phase = a->phase;
    st->known += s->pages.urls ? pages_count(&s->pages) : s->known;
    st->visited += s->count.visits;
    st->to_visit += left;
    st->revisited += s->count.revisits + s->count.looks;
    st->looks += s->count.looks;
    st->to_revisit += again;
    st->coherent += s->count.coherent;
    st->controls += s->controls.made_count;
    st->downloads += s->count.downloads;
    st->failed += s->count.failed;
    st->skipped += s->count.skipped;
    st->bytes += s->count.bytes;
    if (a->phase < SHARC_CRAWL_DONE) add_retries(&a->retries, st);
    sharc__crawl_trouble_status(&s->reach, st);
}

void sharc_crawl_status(const struct sharc_crawl *c, struct sharc_crawl_status *ret)
{
    struct sharc_crawl_status st = {.now = crawl_now(&c->ctx),
                                    .started = c->next.started,
                                    .paused = c->paused,
                                    .delay = c->ctx.o.pace.delay,
                                    .sites = (uint32_t)c->sites,
                                    .phase = SHARC_CRAWL_DONE,
                                    .expected_end = SHARC_TIME_NONE,
                                    .next_retry = SHARC_TIME_NONE,
                                    .under_way = sharc_fetcher_pending(c->ctx.w.fetcher)};
    for (size_t i = 0; i < c->sites; i++) add_site(c->site[i], &st);
    if (st.downloads > 1 && st.phase >= SHARC_CRAWL_VISITS) {
        double each = (double)(st.now - st.started) / (double)st.downloads;
        st.expected_end = st.now + (sharc_time)(each * (double)(st.to_visit + st.to_revisit));
    }
    *ret = st;
}

void sharc__crawl_write_stats(const struct sharc_crawl *c)
{
    struct sharc_crawl_status st;
    struct depths d = {0};
    sharc_crawl_status(c, &st);
    for (size_t i = 0; i < c->sites; i++) {
        const struct pages *p = &c->site[i]->pages;
        for (uint32_t k = 0; k < pages_count(p) && k < DEPTHS_MOST; k++) {
            d.sum += p->page[k].depth;
            if (p->page[k].depth > d.most) d.most = p->page[k].depth;
            d.pages++;
        }
    }
    sharc__crawl_log_stats(&c->out, &st, &d);
}

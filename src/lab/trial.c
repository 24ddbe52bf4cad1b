/* SPDX-License-Identifier: Apache-2.0
 *
 * One crawl of a living site, and what it was worth.
 */
#include "sharc/lab_trial.h"

#include "bench.h"
#include "sharc/crawl.h"
#include "sharc/store_query.h"
#include "sharc/url.h"

#include <math.h>
#include <stdlib.h>

/* --- one crawl -------------------------------------------------------------------------- */

struct trial {
    struct lab_bench bench;
    struct sharc_fetcher *fetcher;
    struct sharc_crawl *crawl;
};

static void trial_done(struct trial *t)
{
    sharc_crawl_free(t->crawl);
    sharc_fetcher_free(t->fetcher);
    sharc__lab_bench_done(&t->bench);
}

/* The clock of site and crawl, and who downloads by it. */
static int set_time(struct trial *t, const struct sharc_lab_trial_options *o, struct sharc_clock **ret_clock,
                    struct sharc_fetcher **ret_fetcher, struct sharc_err *err)
{
    *ret_clock = o->site.clock;
    if (!o->virtual_time) {
        struct sharc_fetcher_settings fs = {.clock = o->site.clock, .allow_private = true};
        int r = sharc_fetcher_new(&fs, &t->fetcher, err);
        *ret_fetcher = t->fetcher;
        return r;
    }
    struct sharc_clock *real = sharc_clock_real();
    const sharc_time at = o->site.dataset ? sharc_time_of_seconds(o->site.from) : real->now(real);
    int r = sharc__lab_bench_clock(&t->bench, at, o->delay, err);
    *ret_clock = &t->bench.virtual.clock.clock;
    *ret_fetcher = t->bench.virtual.outer;
    return r;
}

static void set_crawl(const struct sharc_lab_trial_options *o, struct sharc_crawl_options *ret)
{
    ret->strategy = o->strategy;
    ret->purpose = o->strategy->revisits ? SHARC_FOR_EVIDENCE : SHARC_FOR_EXPLORATION;
    ret->pace.delay = o->delay;
    if (o->connections > 0 && !o->virtual_time) ret->pace.connections = o->connections;
    if (o->virtual_time) ret->commit_time = LAB_NEVER;
    ret->allow_private = true;
    ret->no_signals = o->no_signals;
    ret->controls = o->controls;
    ret->control_share = o->control_share;
    ret->fresh = true;
}

static int trial_open(struct trial *t, const struct sharc_lab_trial_options *o, unsigned run, struct sharc_err *err)
{
    struct lab_bench *b = &t->bench;
    struct sharc_crawl_world world = {0};
    struct sharc_crawl_options co = SHARC_CRAWL_OPTIONS;
    struct sharc_lab_options lo = o->site;
    int r = sharc__lab_bench_open(b, sharc_asprintf("%s/%s-%u", o->home, o->strategy->name, run + 1), err);
    if (r == 0) r = set_time(t, o, &world.clock, &world.fetcher, err);
    set_crawl(o, &co);
    co.archive = b->archive;
    world.store = b->store;
    lo.seed += run;
    lo.truth = b->truth;
    lo.clock = world.clock;
    if (r == 0) r = sharc_crawl_new(&co, &world, &t->crawl, err);
    if (r == 0) r = sharc_lab_start(&lo, &b->lab, err); /* last: it begins to live now */
    if (r == 0) r = sharc_crawl_seed(t->crawl, sharc_span_of(sharc_lab_url(b->lab)), err);
    return r;
}

/* --- its worth ---------------------------------------------------------------------------- */

struct looks {
    struct sharc_lab_seen *seen;
    size_t count, room;
};

static void looks_done(struct looks *l)
{
    for (size_t i = 0; i < l->count; i++) free((char *)l->seen[i].path.p);
    free(l->seen);
}

static sharc_time middle_of(const struct sharc_store_look *l)
{
    return l->when == SHARC_TIME_NONE ? SHARC_TIME_NONE : l->when + (l->took > 0 ? l->took / 2 : 0);
}

/* robots.txt and sitemap are read for their content, and once. */
static bool is_service(struct sharc_span target)
{
    return sharc_span_is(target, "/robots.txt") || sharc_span_is(target, "/sitemap.xml");
}

/* A page that was looked at twice before its revisit counts from the second look;
 * one that has none (the last one visited needs none) is its own. */
static int read_looks(struct sharc_store *s, sharc_store_id capture, bool revisits, struct looks *ret,
                      struct sharc_err *err)
{
    SHARC_AUTO(sharc_store_rows_freep) struct sharc_store_rows *rows = NULL;
    SHARC_AUTO(sharc_url_done) struct sharc_url u = SHARC_URL_INIT;
    struct sharc_store_page_filter f = {.capture = capture, .answered = true, .looks = true};
    int r = sharc_store_pages(s, &f, &rows, err);
    while (r >= 0 && (r = sharc_store_rows_next(rows, err)) > 0) {
        struct sharc_store_page p = SHARC_STORE_PAGE_INIT;
        sharc_store_read_page(rows, &p);
        if (sharc_url_parse(&u, p.url, NULL, NULL) < 0) continue;
        struct sharc_span target = sharc_url_target(&u);
        if (is_service(target)) continue;
        struct sharc_lab_seen seen = {.visit = middle_of(p.second.when != SHARC_TIME_NONE ? &p.second : &p.visit),
                                      .revisit = middle_of(&p.revisit)};
        if (revisits && seen.revisit == SHARC_TIME_NONE) seen.revisit = seen.visit;
        seen.path = sharc_span(sharc_span_dup(target), target.n);
        SHARC_GROW(ret->seen, ret->room, ret->count + 1);
        ret->seen[ret->count++] = seen;
    }
    return r < 0 ? r : 0;
}

/* How the time that passed differs from the one that was wanted. */
static void weigh_time(const struct sharc_lab_trial_options *o, double requests, double seconds,
                       struct sharc_lab_trial *sum)
{
    sum->lag += fmax(seconds - requests * (double)o->delay / (double)SHARC_SEC, 0);
    if (o->site.dataset) sum->outlived += fmax(seconds * o->site.speed - (o->site.to - o->site.from), 0);
}

static int weigh(const struct trial *trial, const struct sharc_lab_trial_options *o, struct sharc_lab_trial *sum,
                 struct sharc_err *err)
{
    const struct lab_bench *b = &trial->bench;
    struct sharc_crawl_summary told;
    sharc_crawl_site(trial->crawl, 0, &told);
    SHARC_AUTO(sharc_lab_truth_freep) struct sharc_lab_truth *t = NULL;
    SHARC_AUTO(looks_done) struct looks l = {0};
    int r = sharc_lab_tick(b->lab, err); /* the log to its end */
    if (r == 0) r = sharc_lab_truth_open(b->truth, &t, err);
    if (r == 0) r = sharc_lab_verdict(b->store, told.capture, t, &sum->verdict, err);
    if (r == 0) r = read_looks(b->store, told.capture, o->strategy->revisits, &l, err);
    if (r < 0) return r;
    struct sharc_lab_score score = sharc_lab_score(t, l.seen, l.count, told.start, told.end);
    sum->runs++;
    sum->pages += (double)score.pages;
    sum->requests += (double)told.downloads;
    const double seconds = (double)(told.end - told.start) / (double)SHARC_SEC;
    sum->seconds += seconds;
    weigh_time(o, (double)told.downloads, seconds, sum);
    sum->blur += score.average_blur;
    sum->incoherent += (double)score.incoherent;
    sum->removed += (double)score.removed;
    sum->said += (double)(told.judged - told.coherent);
    return 0;
}

int sharc_lab_trial_run(const struct sharc_lab_trial_options *o, unsigned run, struct sharc_lab_trial *sum,
                        struct sharc_err *reterr)
{
    SHARC_AUTO(trial_done) struct trial t = {0};
    int r = trial_open(&t, o, run, reterr);
    if (r < 0) return r;
    if (o->running) o->running(o->arg, t.crawl);
    r = sharc_crawl_run(t.crawl, reterr);
    if (o->running) o->running(o->arg, NULL);
    return r < 0 ? r : weigh(&t, o, sum, reterr);
}

void sharc_lab_trial_done(struct sharc_lab_trial *t)
{
    sharc_lab_verdict_done(&t->verdict);
    *t = (struct sharc_lab_trial){0};
}

/* SPDX-License-Identifier: Apache-2.0
 *
 * One watch of a living site in virtual time, and what it was worth.
 */
#include "sharc/lab_watch.h"

#include "bench.h"
#include "lab_int.h"

#include "sharc/base_file.h"
#include "sharc/lab_truth.h"
#include "sharc/store_watch.h"
#include "sharc/url.h"

#include <math.h>
#include <stdlib.h>

#define MONDAY (INT64_C(1767571200) * SHARC_SEC) /* when invented sites begin to live: the same in every run */
#define LOG_MOST ((size_t)1 << 30)

struct trial {
    struct lab_bench bench;
    struct sharc_watching *watch;
};

static void trial_done(struct trial *t)
{
    sharc_watching_free(t->watch);
    sharc__lab_bench_done(&t->bench);
}

static int start_site(struct lab_bench *b, const struct sharc_lab_watch_options *o, struct sharc_err *err)
{
    struct sharc_lab_options lo = o->site;
    const sharc_time at = lo.dataset ? sharc_time_of_seconds(lo.from) : MONDAY;
    int r = sharc__lab_bench_clock(b, at, o->delay, err);
    lo.truth = b->truth;
    lo.requests = b->requests;
    lo.clock = &b->virtual.clock.clock;
    return r < 0 ? r : sharc_lab_start(&lo, &b->lab, err);
}

static int trial_open(struct trial *t, const struct sharc_lab_watch_options *o, double *ret_full, struct sharc_err *err)
{
    struct lab_bench *b = &t->bench;
    char *dir = sharc_asprintf("%s/%s-%g", o->home, sharc_watch_name(o->strategy), 100 * o->share);
    int r = sharc__lab_bench_open(b, dir, err);
    if (r == 0) r = start_site(b, o, err);
    if (r < 0) return r;
    struct sharc_watching_options wo = SHARC_WATCHING_OPTIONS;
    *ret_full = sharc_lab_totals(b->lab).per_minute * 60;
    SHARC_FAIL_IF(!(*ret_full > 0), err, SHARC_EINVAL, "no page of this site ever changes: there is nothing to watch");
    wo.crawl.archive = b->archive;
    wo.crawl.allow_private = true;
    wo.crawl.reach = SHARC_REACH_HOST;
    wo.crawl.pace.delay = o->delay;
    wo.crawl.pace.pages = SHARC_LIMIT_LAB_PAGES;
    wo.crawl.commit_time = LAB_NEVER;
    wo.strategy = o->strategy;
    wo.per_hour = *ret_full * o->share;
    wo.shortest = o->shortest;
    wo.longest = o->longest;
    wo.time = o->time;
    wo.save = o->time;
    const struct sharc_watching_world world = {.clock = &b->virtual.clock.clock,
                                               .fetcher = b->virtual.outer,
                                               .store = b->store};
    r = sharc_watching_new(&wo, &world, &t->watch, err);
    return r < 0 ? r : sharc_watching_name_line(t->watch, sharc_span_of(sharc_lab_url(b->lab)), err);
}

/* --- the truth ---------------------------------------------------------------------------- */

struct past {
    struct sharc_sim_past is;
    uint32_t *page; /* by item: SHARC_NO_ID is none that is judged */
    double *weight, *born, *died, *when;
    size_t *event_at, events, room;
};

static void past_done(struct past *p)
{
    free(p->page);
    free(p->weight);
    free(p->born);
    free(p->died);
    free(p->when);
    free(p->event_at);
}

/* What readers would call a change, while the page is there. */
static void add_page(struct past *p, const struct sharc_lab_fact *f, size_t n, double from)
{
    const size_t at = p->is.pages++;
    p->weight[at] = 1;
    p->born[at] = n && f[0].exists ? fmax(sharc_time_seconds(f[0].when), from) : HUGE_VAL;
    p->died[at] = HUGE_VAL;
    p->event_at[at] = p->events;
    for (size_t i = 1; i < n && isinf(p->died[at]); i++) {
        if (!f[i].exists && p->born[at] < HUGE_VAL) p->died[at] = sharc_time_seconds(f[i].when);
        if (!f[i].exists) continue;
        if (isinf(p->born[at]))
            p->born[at] = sharc_time_seconds(f[i].when);
        else if (f[i].significant) {
            SHARC_GROW(p->when, p->room, p->events + 1);
            p->when[p->events++] = sharc_time_seconds(f[i].when);
        }
    }
    p->event_at[at + 1] = p->events;
}

static int read_past(const struct lab_bench *b, double from, double to, double full, struct past *ret,
                     struct sharc_err *err)
{
    SHARC_AUTO(sharc_lab_truth_freep) struct sharc_lab_truth *t = NULL;
    const size_t items = b->lab->site.count;
    int r = sharc_lab_tick(b->lab, err); /* the logs to their end */
    if (r == 0) r = sharc_lab_truth_open(b->truth, &t, err);
    if (r < 0) return r;
    ret->page = SHARC_NEW_ARRAY(uint32_t, items);
    ret->weight = SHARC_NEW_ARRAY(double, items);
    ret->born = SHARC_NEW_ARRAY(double, items);
    ret->died = SHARC_NEW_ARRAY(double, items);
    ret->event_at = SHARC_NEW_ARRAY(size_t, items + 1);
    for (uint32_t i = 0; i < items; i++) {
        size_t n = 0;
        ret->page[i] = SHARC_NO_ID;
        if (!sharc__lab_listed(b->lab, i)) continue;
        const struct sharc_lab_fact *f = sharc_lab_truth_of(t, lab_path(&b->lab->site, i), &n);
        ret->page[i] = (uint32_t)ret->is.pages;
        add_page(ret, f, n, from);
    }
    ret->is.name = b->lab->o.dataset ? b->lab->o.dataset->name : "a living site";
    ret->is.weight = ret->weight;
    ret->is.born = ret->born;
    ret->is.died = ret->died;
    ret->is.event_at = ret->event_at;
    ret->is.when = ret->when;
    ret->is.from = from;
    ret->is.to = to;
    ret->is.full = full;
    return 0;
}

/* --- what was archived ------------------------------------------------------------------------ */

struct captures {
    struct sharc_sim_capture *p;
    size_t n, room;
};

static int read_captures(const struct lab_bench *b, const struct past *past, struct captures *ret,
                         struct sharc_err *err)
{
    SHARC_AUTO(sharc_store_rows_freep) struct sharc_store_rows *rows = NULL;
    SHARC_AUTO(sharc_url_done) struct sharc_url u = SHARC_URL_INIT;
    struct sharc_store_watch_filter f = SHARC_STORE_WATCH_FILTER_INIT;
    f.by_url = true;
    int r = sharc_store_watch_looks(b->store, &f, &rows, err);
    while (r >= 0 && (r = sharc_store_rows_next(rows, err)) > 0) {
        struct sharc_store_watch_look l;
        sharc_store_read_watch_look(rows, &l);
        if (l.status != 200 && l.status != 304) continue;
        if (sharc_url_parse(&u, l.url, NULL, NULL) < 0) continue;
        const uint32_t item = sharc_intern_find(b->lab->site.paths, sharc_url_target(&u));
        if (item == SHARC_NO_ID || past->page[item] == SHARC_NO_ID) continue;
        SHARC_GROW(ret->p, ret->room, ret->n + 1);
        /* In virtual time the site answers at the instant of the request. */
        ret->p[ret->n++] = (struct sharc_sim_capture){past->page[item], sharc_time_seconds(l.when)};
    }
    return r < 0 ? r : 0;
}

static void count_pages(const struct past *past, const struct captures *c, struct sharc_lab_watched *ret)
{
    for (size_t p = 0; p < past->is.pages; p++) ret->pages += past->born[p] < past->is.to;
    for (size_t i = 0; i < c->n; i++) ret->looked += i == 0 || c->p[i].page != c->p[i - 1].page;
}

/* The time of each line of the log of requests. */
static int weigh_requests(const struct lab_bench *b, sharc_time began, struct sharc_lab_watched *ret,
                          struct sharc_err *err)
{
    SHARC_AUTO(sharc_buf_done) struct sharc_buf log = SHARC_BUF_INIT(LOG_MOST);
    sharc_time last = SHARC_TIME_NONE;
    int64_t day = -1;
    uint64_t in_day = 0;
    ret->shortest_pause = SHARC_TIME_NONE;
    int r = sharc_file_read(b->requests, &log, err);
    if (r < 0) return r;
    for (const char *p = sharc_buf_str(&log); (p = strstr(p, "{\"time\":\"")); p++) {
        sharc_time t;
        p += strlen("{\"time\":\"");
        if ((r = sharc_time_parse(sharc_span(p, strcspn(p, "\"")), &t, err)) < 0) return r;
        if (last != SHARC_TIME_NONE && (ret->shortest_pause == SHARC_TIME_NONE || t - last < ret->shortest_pause))
            ret->shortest_pause = t - last;
        last = t;
        in_day = (t - began) / SHARC_DAY == day ? in_day + 1 : 1;
        day = (t - began) / SHARC_DAY;
        if (in_day > ret->most_a_day) ret->most_a_day = in_day;
        ret->requests++;
    }
    return 0;
}

static int weigh(const struct lab_bench *b, const struct sharc_lab_watch_options *o, sharc_time from, sharc_time to,
                 double full, struct sharc_lab_watched *ret, struct sharc_sim_scene **ret_scene, struct sharc_err *err)
{
    SHARC_AUTO(past_done) struct past past = {0};
    struct captures c = {0};
    *ret = (struct sharc_lab_watched){.full = full, .worth = {.strategy = o->strategy, .share = o->share}};
    int r = read_past(b, sharc_time_seconds(from), sharc_time_seconds(to), full, &past, err);
    if (r == 0) r = read_captures(b, &past, &c, err);
    if (r == 0) r = weigh_requests(b, from, ret, err);
    if (r == 0) {
        struct sharc_sim_scene *scene = sharc_sim_scene_of(&past.is);
        sharc_sim_watch_judge(scene, c.p, c.n, o->site.seed, &ret->worth);
        count_pages(&past, &c, ret);
        ret->allowed = (uint64_t)(full * o->share * sharc_time_seconds(to - from) / 3600) + 1;
        ret->longest_wait = sharc_time_of_seconds(ret->worth.gap_hours * 3600);
        *ret_scene = scene;
    }
    free(c.p);
    return r;
}

int sharc_lab_watch_run(const struct sharc_lab_watch_options *o, struct sharc_lab_watched *ret,
                        struct sharc_sim_scene **ret_scene, struct sharc_err *reterr)
{
    SHARC_AUTO(trial_done) struct trial t = {0};
    double full = 0;
    int r = trial_open(&t, o, &full, reterr);
    if (r < 0) return r;
    struct sharc_clock *clock = &t.bench.virtual.clock.clock;
    const sharc_time from = clock->now(clock);
    if (o->running) o->running(o->arg, t.watch);
    r = sharc_watching_run(t.watch, reterr);
    if (o->running) o->running(o->arg, NULL);
    return r < 0 ? r : weigh(&t.bench, o, from, clock->now(clock), full, ret, ret_scene, reterr);
}

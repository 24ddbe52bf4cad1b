/* SPDX-License-Identifier: Apache-2.0
 *
 * One strategy watches a scene under a budget, hour by hour, and its archive is
 * judged. Captures are kept as a list in time order; sorted by page at the end
 * they serve both measures.
 */
#include "sharc/sim_watch.h"

#include "grid.h"
#include "scene.h"

#include "sharc/base_pool.h"
#include "sharc/base_rng.h"
#include "sharc/quality.h"
#include "sharc/rate_pattern.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#define QUERIES 40

/* --- what is taught ----------------------------------------------------------- */

static sharc_time instant(double seconds)
{
    return (sharc_time)(seconds * SHARC_SEC);
}

/* Hours of each kind between two instants, for means. */
static void count_hours(double from, double to, double hours[SHARC_RATE_HOURS])
{
    for (double t = from; t < to; t += SCENE_HOUR) hours[sharc_rate_hour(instant(t), 0)]++;
}

static void teach(struct sharc_watch *w, const struct sharc_sim_scene *s, sharc_page_no page,
                  const double hours[SHARC_RATE_HOURS])
{
    struct sharc_rate_pattern changes = {.at = instant(s->from)}, importance = {.at = instant(s->from)};
    memcpy(changes.hours, hours, sizeof changes.hours);
    memcpy(importance.hours, hours, sizeof importance.hours);
    for (size_t i = s->event_at[page]; i < s->event_at[page + 1] && s->when[i] <= s->from; i++) {
        unsigned hour = sharc_rate_hour(instant(s->when[i]), 0);
        changes.importance[hour]++;
        importance.importance[hour] += s->importance[i];
    }
    sharc_watch_teach(w, page, &changes, &importance);
}

/* Changes per hour before judging began, with the usual half change for what was
 * never seen to change. */
static double taught_rate(const struct sharc_sim_scene *s, sharc_page_no page)
{
    double since = fmax(s->taught, s->born[page]), changes = 0.1;
    for (size_t i = s->event_at[page]; i < s->event_at[page + 1] && s->when[i] <= s->from; i++) changes++;
    return changes / ((fmax(s->from - since, 0) + 24 * SCENE_HOUR) / SCENE_HOUR);
}

/* --- one archive -------------------------------------------------------------- */

struct capture {
    sharc_page_no page;
    double at;
};

struct archive {
    const struct sharc_sim_scene *scene;
    struct sharc_watch *watch;
    struct capture *captures;
    size_t n, room;
    size_t *seen; /* per page: event after the one that made the captured version */
    bool *added;
};

/* A page is watched from the first hour in which it exists. */
static void add_newborn(struct archive *a, double now, const double hours[SHARC_RATE_HOURS])
{
    const struct sharc_sim_scene *s = a->scene;
    for (sharc_page_no p = 0; p < s->pages; p++) {
        if (a->added[p] || s->born[p] > now) continue;
        a->added[p] = true;
        sharc_watch_add(a->watch, p, s->site[p], taught_rate(s, p), s->weight[p], instant(now));
        if (s->born[p] < s->from) teach(a->watch, s, p, hours);
    }
}

/* Index of the first event of page p after t. */
static size_t events_until(const struct sharc_sim_scene *s, sharc_page_no p, double t)
{
    size_t at = s->event_at[p];
    return at + sharc_quality_changes(s->when + at, s->event_at[p + 1] - at, -HUGE_VAL, t);
}

static void capture(struct archive *a, sharc_page_no p, double t)
{
    const struct sharc_sim_scene *s = a->scene;
    struct sharc_observation o = {.page = p, .when = instant(t), .rate = -1};
    if (t >= s->died[p]) {
        o.change = SHARC_MISSING;
        sharc_watch_observed(a->watch, &o);
        return;
    }
    size_t now = a->seen[p];
    while (now < s->event_at[p + 1] && s->when[now] <= t) o.importance += s->importance[now++];
    o.change = now > a->seen[p] ? SHARC_TEXT_CHANGED : SHARC_UNCHANGED;
    o.importance = fmin(o.importance, 1);
    a->seen[p] = now;
    SHARC_GROW(a->captures, a->room, a->n + 1);
    a->captures[a->n++] = (struct capture){p, t};
    sharc_watch_observed(a->watch, &o);
}

static void watch_all(struct archive *a, double per_hour)
{
    const struct sharc_sim_scene *s = a->scene;
    double hours[SHARC_RATE_HOURS] = {0}, saved = 0;
    count_hours(s->taught, s->from, hours);
    SHARC_AUTO(sharc_freep) sharc_page_no *pages = SHARC_NEW_ARRAY(sharc_page_no, (size_t)per_hour + 2);
    for (double now = s->from; now < s->to; now += SCENE_HOUR) {
        add_newborn(a, now, hours);
        saved += per_hour;
        size_t budget = (size_t)saved;
        saved -= (double)budget;
        size_t n = sharc_watch_period(a->watch, instant(now), budget, pages);
        for (size_t i = 0; i < n; i++) capture(a, pages[i], now + SCENE_HOUR * ((double)i + 0.5) / (double)budget);
    }
}

/* --- judging ------------------------------------------------------------------- */

static int by_page_and_time(const void *a, const void *b)
{
    const struct capture *x = a, *y = b;
    if (x->page != y->page) return x->page < y->page ? -1 : 1;
    return (x->at > y->at) - (x->at < y->at);
}

/* Importance of the versions that came up while judging and were captured, over
 * that of all; weighted mean over the pages of a site, mean over sites. */
static double completeness(const struct archive *a, const size_t *first)
{
    const struct sharc_sim_scene *s = a->scene;
    SHARC_AUTO(sharc_freep) double *sum = SHARC_NEW_ARRAY(double, s->sites);
    SHARC_AUTO(sharc_freep) double *weight = SHARC_NEW_ARRAY(double, s->sites);
    for (sharc_page_no p = 0; p < s->pages; p++) {
        double all = 0, got = 0;
        size_t start = events_until(s, p, s->from), counted = start;
        for (size_t i = start; i < s->event_at[p + 1]; i++) all += s->importance[i];
        if (all <= 0) continue;
        for (size_t c = first[p]; c < first[p + 1]; c++) {
            size_t version = events_until(s, p, a->captures[c].at);
            if (version > counted) got += s->importance[version - 1];
            counted = version > counted ? version : counted;
        }
        sum[s->site[p]] += s->weight[p] * got / all;
        weight[s->site[p]] += s->weight[p];
    }
    double total = 0, sites = 0;
    for (size_t i = 0; i < s->sites; i++) {
        if (weight[i] <= 0) continue;
        total += sum[i] / weight[i];
        sites++;
    }
    return sites > 0 ? total / sites : 1;
}

/* The version of page p that answers a question about t; false: none captured. */
static bool answer(const struct archive *a, const size_t *first, const double *at, sharc_page_no p, double t,
                   struct sharc_version *ret)
{
    const struct sharc_sim_scene *s = a->scene;
    size_t n = first[p + 1] - first[p];
    if (n == 0) return false;
    size_t k = first[p] + sharc_quality_nearest(at + first[p], n, t);
    *ret = sharc_quality_invariance(s->when + s->event_at[p], s->event_at[p + 1] - s->event_at[p], at[k], s->weight[p]);
    return true;
}

/* A page that was never captured cannot be part of any answer: its weight
 * counts, its version does not (an interval at an instant of its own). */
static double coherence(const struct archive *a, const size_t *first, uint64_t seed)
{
    const struct sharc_sim_scene *s = a->scene;
    SHARC_AUTO(sharc_freep) struct sharc_version *v = SHARC_NEW_ARRAY(struct sharc_version, s->pages);
    SHARC_AUTO(sharc_freep) double *at = SHARC_NEW_ARRAY(double, a->n);
    SHARC_AUTO(sharc_freep) sharc_page_no *order = SHARC_NEW_ARRAY(sharc_page_no, s->pages);
    SHARC_AUTO(sharc_freep) size_t *site_at = SHARC_NEW_ARRAY(size_t, s->sites + 2);
    for (size_t i = 0; i < a->n; i++) at[i] = a->captures[i].at;
    for (sharc_page_no p = 0; p < s->pages; p++) site_at[s->site[p] + 2]++;
    for (size_t i = 0; i < s->sites; i++) site_at[i + 2] += site_at[i + 1];
    for (sharc_page_no p = 0; p < s->pages; p++) order[site_at[s->site[p] + 1]++] = p;
    struct sharc_rng rng = sharc_rng_stream(seed, 77);
    double total = 0;
    for (unsigned q = 0; q < QUERIES; q++) {
        double t = s->from + sharc_rng_uniform(&rng) * (s->to - s->from), sum = 0, sites = 0;
        for (size_t i = 0; i < s->sites; i++) {
            size_t n = 0;
            for (size_t k = site_at[i]; k < site_at[i + 1]; k++) {
                sharc_page_no p = order[k];
                if (s->born[p] > t || s->died[p] <= t) continue;
                if (!answer(a, first, at, p, t, &v[n])) v[n] = (struct sharc_version){-1.0 - p, -1.0 - p, s->weight[p]};
                n++;
            }
            if (n == 0) continue;
            sum += sharc_quality_query_coherence(v, n, NULL);
            sites++;
        }
        total += sites > 0 ? sum / sites : 1;
    }
    return total / QUERIES;
}

static void judge(struct archive *a, uint64_t seed, struct sharc_sim_watched *ret)
{
    const struct sharc_sim_scene *s = a->scene;
    SHARC_AUTO(sharc_freep) size_t *first = SHARC_NEW_ARRAY(size_t, s->pages + 1);
    if (a->n) qsort(a->captures, a->n, sizeof *a->captures, by_page_and_time);
    for (size_t i = 0; i < a->n; i++) first[a->captures[i].page + 1]++;
    for (size_t p = 0; p < s->pages; p++) first[p + 1] += first[p];
    ret->completeness = completeness(a, first);
    ret->coherence = coherence(a, first, seed);
    ret->downloads = (double)a->n;
}

static void archive_done(struct archive *a)
{
    sharc_watch_free(a->watch);
    free(a->captures);
    free(a->seen);
    free(a->added);
}

static int watch_one(const struct sharc_sim_scene *s, uint64_t seed, struct sharc_sim_watched *ret,
                     struct sharc_err *reterr)
{
    SHARC_AUTO(archive_done)
    struct archive a = {.scene = s,
                        .seen = SHARC_NEW_ARRAY(size_t, s->pages),
                        .added = SHARC_NEW_ARRAY(bool, s->pages)};
    int r = sharc_watch_new(ret->strategy, NULL, &a.watch, reterr);
    if (r < 0) return r;
    for (sharc_page_no p = 0; p < s->pages; p++) a.seen[p] = events_until(s, p, s->from);
    watch_all(&a, s->full * ret->share);
    judge(&a, seed, ret);
    return 0;
}

/* --- all of them ------------------------------------------------------------------ */

struct pieces {
    const struct sharc_sim_scene *scene;
    const struct sharc_sim_options *o;
    struct sharc_sim_watched *w;
    size_t n;
    struct sharc_err *errors;
};

static int watch_piece(size_t i, unsigned thread, void *arg)
{
    (void)thread;
    struct pieces *p = arg;
    int r = watch_one(p->scene, p->o->seed, &p->w[i], &p->errors[i]);
    if (p->o->progress) p->o->progress(p->o->progress_arg, p->n);
    return r;
}

int sharc_sim_watch_run(const struct sharc_sim_scene *scene, const double *shares, size_t n,
                        const struct sharc_sim_options *options, struct sharc_sim_watched *ret,
                        struct sharc_err *reterr)
{
    size_t count = sharc_watch_count() * n;
    for (size_t i = 0; i < count; i++) {
        ret[i] = (struct sharc_sim_watched){.strategy = sharc_watch_at(i / n), .share = shares[i % n]};
        SHARC_FAIL_IF(!(ret[i].share > 0), reterr, SHARC_EINVAL, "a share of resources must be greater than 0");
    }
    SHARC_AUTO(sharc_freep) struct sharc_err *errors = SHARC_NEW_ARRAY(struct sharc_err, count);
    struct pieces p = {scene, options, ret, count, errors};
    SHARC_AUTO(sharc_pool_freep) struct sharc_pool *pool = sharc_pool_new(options->threads);
    int r = sharc_pool_each(pool, count, watch_piece, &p);
    for (size_t i = 0; r < 0 && i < count; i++) {
        if (errors[i].code == 0) continue;
        if (reterr) *reterr = errors[i];
        return errors[i].code;
    }
    return r;
}

static void write_watch_json(const struct sharc_sim_scene *scene, const struct sharc_sim_watched *w, size_t n,
                             struct sharc_buf *out)
{
    struct sharc_json j;
    sharc_json_init(&j, out, true);
    sharc_json_object(&j, NULL);
    sharc_json_str(&j, "site", scene->name);
    sharc_json_uint(&j, "pages", scene->pages);
    sharc_json_uint(&j, "sites", scene->sites);
    sharc_json_real(&j, "all_resources_per_hour", scene->full);
    sharc_json_array(&j, "results");
    for (size_t i = 0; i < n; i++) {
        sharc_json_object(&j, NULL);
        sharc_json_str(&j, "strategy", sharc_watch_name(w[i].strategy));
        sharc_json_real(&j, "resources", w[i].share);
        sharc_json_real(&j, "completeness", w[i].completeness);
        sharc_json_real(&j, "coherence", w[i].coherence);
        sharc_json_real(&j, "downloads", w[i].downloads);
        sharc_json_end(&j);
    }
    sharc_json_end(&j);
    sharc_json_end(&j);
    sharc_buf_put_char(out, '\n');
}

/* A row per strategy and measure would be hard to compare: one row per strategy,
 * one column per share, completeness and coherence side by side. */
static void write_watch_grid(const struct sharc_sim_watched *w, size_t n, enum sharc_sim_format format,
                             struct sharc_buf *out)
{
    size_t shares = n / sharc_watch_count();
    SHARC_AUTO(sharc__sim_grid_done) struct grid g = GRID_INIT;
    char names[2][10][32];
    SHARC_ASSERT(shares <= SHARC_LENGTH(names[0]));
    sharc__sim_grid_column(&g, "strategy", false);
    for (unsigned m = 0; m < 2; m++)
        for (size_t k = 0; k < shares; k++) {
            snprintf(names[m][k], sizeof names[m][k], "%s %.0f %%", m ? "coh" : "compl", 100 * w[k].share);
            sharc__sim_grid_column(&g, names[m][k], true);
        }
    for (size_t i = 0; i < n; i += shares) {
        sharc__sim_grid_cell(&g, "%s", sharc_watch_name(w[i].strategy));
        for (unsigned m = 0; m < 2; m++)
            for (size_t k = 0; k < shares; k++)
                sharc__sim_grid_cell(&g, "%.3f", m ? w[i + k].coherence : w[i + k].completeness);
    }
    sharc__sim_grid_write(&g, format, out);
}

static void write_watch_csv(const struct sharc_sim_watched *w, size_t n, struct sharc_buf *out)
{
    SHARC_AUTO(sharc__sim_grid_done) struct grid g = GRID_INIT;
    static const char *const names[] = {"strategy", "resources", "completeness", "coherence", "downloads"};
    for (size_t c = 0; c < SHARC_LENGTH(names); c++) sharc__sim_grid_column(&g, names[c], c > 0);
    for (size_t i = 0; i < n; i++) {
        sharc__sim_grid_cell(&g, "%s", sharc_watch_name(w[i].strategy));
        sharc__sim_grid_number(&g, w[i].share);
        sharc__sim_grid_number(&g, w[i].completeness);
        sharc__sim_grid_number(&g, w[i].coherence);
        sharc__sim_grid_number(&g, w[i].downloads);
    }
    sharc__sim_grid_write(&g, SHARC_SIM_CSV, out);
}

void sharc_sim_watch_write(const struct sharc_sim_scene *scene, const struct sharc_sim_watched *w, size_t n,
                           enum sharc_sim_format format, struct sharc_buf *out)
{
    if (format == SHARC_SIM_JSON)
        write_watch_json(scene, w, n, out);
    else if (format == SHARC_SIM_CSV)
        write_watch_csv(w, n, out);
    else
        write_watch_grid(w, n, format, out);
}

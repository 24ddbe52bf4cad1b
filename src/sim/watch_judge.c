/* SPDX-License-Identifier: Apache-2.0
 *
 * What an archive of watched pages is worth, by the truth of the scene. All measures are weighted means over the pages
 * of a site, and plain means over sites.
 */
#include "watch_int.h"

#include "sharc/base_rng.h"
#include "sharc/quality.h"

#include <math.h>
#include <stdlib.h>

/* Instants asked for, one at random in each of so many equal parts of the time: with 40 anywhere chance decided between
 * strategies that differ by a hundredth. The heaviest set of versions, which takes long to find, is asked for less. */
#define QUERIES 200
#define EVERY 5

/* Captures by page and time; those of page p are first[p] … first[p+1]. */
struct judging {
    const struct sharc_sim_scene *scene;
    const double *at;
    size_t *first;
};

size_t sharc__sim_watch_events_until(const struct sharc_sim_scene *s, sharc_page_no p, double t)
{
    size_t at = s->event_at[p];
    return at + sharc_quality_changes(s->when + at, s->event_at[p + 1] - at, -HUGE_VAL, t);
}

static int by_page_and_time(const void *a, const void *b)
{
    const struct sharc_sim_capture *x = a, *y = b;
    if (x->page != y->page) return x->page < y->page ? -1 : 1;
    return (x->at > y->at) - (x->at < y->at);
}

/* --- page by page ------------------------------------------------------------------------- */

/* A mean over the pages of each site, and over sites. */
struct means {
    double *sum, *weight;
    size_t sites;
};

static void means_add(struct means *m, uint32_t site, double weight, double value)
{
    m->sum[site] += weight * value;
    m->weight[site] += weight;
}

static double means_take(struct means *m)
{
    double total = 0, sites = 0;
    for (size_t i = 0; i < m->sites; i++) {
        if (m->weight[i] > 0) {
            total += m->sum[i] / m->weight[i];
            sites++;
        }
        m->sum[i] = m->weight[i] = 0;
    }
    return sites > 0 ? total / sites : 1;
}

/* Importance of the versions that came up while judging and were captured, over that of all; < 0: there were none. */
static double completeness(const struct judging *g, sharc_page_no p)
{
    const struct sharc_sim_scene *s = g->scene;
    double all = 0, got = 0;
    size_t start = sharc__sim_watch_events_until(s, p, s->from), counted = start;
    for (size_t i = start; i < s->event_at[p + 1]; i++) all += s->importance[i];
    if (all <= 0) return -1;
    for (size_t c = g->first[p]; c < g->first[p + 1]; c++) {
        size_t version = sharc__sim_watch_events_until(s, p, g->at[c]);
        if (version > counted) got += s->importance[version - 1];
        counted = version > counted ? version : counted;
    }
    return got / all;
}

struct shares {
    double fresh;  /* of the time the last capture is what the page shows */
    double proven; /* … lies between two captures without a change between them */
    double gap;    /* longest time without a capture, seconds */
};

/* What the page showed when watching began is in the archive, unless that is bare. < 0: it did not exist. */
static double time_shares(const struct judging *g, sharc_page_no p, struct shares *ret)
{
    const struct sharc_sim_scene *s = g->scene;
    const double begin = fmax(s->from, s->born[p]), end = fmin(s->to, s->died[p]);
    double last = begin;
    *ret = (struct shares){0};
    if (!(end > begin)) return -1;
    for (size_t c = g->first[p]; c <= g->first[p + 1]; c++) {
        bool capture = c < g->first[p + 1];
        double next = capture ? fmin(g->at[c], end) : end;
        size_t event = sharc__sim_watch_events_until(s, p, last);
        double change = event < s->event_at[p + 1] ? s->when[event] : HUGE_VAL;
        const bool held = !s->bare || c > g->first[p];
        if (held) ret->fresh += fmin(change, next) - last;
        if (held && capture && change > next) ret->proven += next - last;
        ret->gap = fmax(ret->gap, next - last);
        last = next;
    }
    ret->fresh /= end - begin;
    ret->proven /= end - begin;
    return end - begin;
}

/* --- questions about an instant -------------------------------------------------------------- */

struct answers {
    double together; /* of the weight, the largest part whose versions existed together at any instant */
    double exact;    /* … whose versions were up at the instant itself */
    double blur;     /* changes between the versions and the instant, mean */
};

/* The version of page p that answers a question about t, and the changes between; false: there is none. What the page
 * showed when watching began, or when it came up, is in the archive, for this as for freshness. */
static bool answer(const struct judging *g, sharc_page_no p, double t, struct sharc_version *ret, double *ret_changes)
{
    const struct sharc_sim_scene *s = g->scene;
    size_t n = g->first[p + 1] - g->first[p], events = s->event_at[p + 1] - s->event_at[p];
    double at = s->bare ? HUGE_VAL : fmax(s->from, s->born[p]);
    if (s->bare && n == 0) return false;
    if (n > 0) {
        const double captured = g->at[g->first[p] + sharc_quality_nearest(g->at + g->first[p], n, t)];
        if (fabs(captured - t) < fabs(at - t)) at = captured;
    }
    *ret = sharc_quality_invariance(s->when + s->event_at[p], events, at, s->weight[p]);
    *ret_changes = (double)sharc_quality_changes(s->when + s->event_at[p], events, fmin(at, t), fmax(at, t));
    return true;
}

/* A page of which there is no version cannot be part of any answer: its weight counts, its version does not (an
 * interval at an instant of its own), and it is as far away as watching is long. */
static bool ask_site(const struct judging *g, const sharc_page_no *pages, size_t n, double t, bool together,
                     struct sharc_version *v, struct answers *ret)
{
    const struct sharc_sim_scene *s = g->scene;
    double weight = 0, exact = 0, blur = 0;
    size_t count = 0;
    for (size_t k = 0; k < n; k++) {
        sharc_page_no p = pages[k];
        double changes = 0;
        if (s->born[p] > t || s->died[p] <= t) continue;
        if (!answer(g, p, t, &v[count], &changes)) {
            v[count] = (struct sharc_version){-1.0 - p, -1.0 - p, s->weight[p]};
            changes =
                1 + (double)(sharc__sim_watch_events_until(s, p, t) - sharc__sim_watch_events_until(s, p, s->from));
        }
        weight += s->weight[p];
        blur += s->weight[p] * changes;
        if (!(changes > 0)) exact += s->weight[p];
        count++;
    }
    if (!(weight > 0)) return false;
    *ret =
        (struct answers){together ? sharc_quality_query_coherence(v, count, NULL) : 0, exact / weight, blur / weight};
    return true;
}

static struct answers ask(const struct judging *g, uint64_t seed)
{
    const struct sharc_sim_scene *s = g->scene;
    SHARC_AUTO(sharc_freep) struct sharc_version *v = SHARC_NEW_ARRAY(struct sharc_version, s->pages);
    SHARC_AUTO(sharc_freep) sharc_page_no *order = SHARC_NEW_ARRAY(sharc_page_no, s->pages);
    SHARC_AUTO(sharc_freep) size_t *site_at = SHARC_NEW_ARRAY(size_t, s->sites + 2);
    for (sharc_page_no p = 0; p < s->pages; p++) site_at[s->site[p] + 2]++;
    for (size_t i = 0; i < s->sites; i++) site_at[i + 2] += site_at[i + 1];
    for (sharc_page_no p = 0; p < s->pages; p++) order[site_at[s->site[p] + 1]++] = p;
    struct sharc_rng rng = sharc_rng_stream(seed, 77);
    struct answers total = {0};
    for (unsigned q = 0; q < QUERIES; q++) {
        double t = s->from + (q + sharc_rng_uniform(&rng)) / QUERIES * (s->to - s->from), sites = 0;
        const bool together = q % EVERY == EVERY / 2;
        struct answers sum = {0}, one;
        for (size_t i = 0; i < s->sites; i++) {
            if (!ask_site(g, order + site_at[i], site_at[i + 1] - site_at[i], t, together, v, &one)) continue;
            sum.together += one.together;
            sum.exact += one.exact;
            sum.blur += one.blur;
            sites++;
        }
        if (together) total.together += sites > 0 ? sum.together / sites : 1;
        total.exact += sites > 0 ? sum.exact / sites : 1;
        total.blur += sites > 0 ? sum.blur / sites : 0;
    }
    return (struct answers){total.together * EVERY / QUERIES, total.exact / QUERIES, total.blur / QUERIES};
}

/* --- all of it ----------------------------------------------------------------------------------- */

static void judge_pages(const struct judging *g, struct sharc_sim_watched *ret)
{
    const struct sharc_sim_scene *s = g->scene;
    struct means m[3];
    for (int i = 0; i < 3; i++)
        m[i] = (struct means){SHARC_NEW_ARRAY(double, s->sites), SHARC_NEW_ARRAY(double, s->sites), s->sites};
    for (sharc_page_no p = 0; p < s->pages; p++) {
        struct shares shares;
        double complete = completeness(g, p), lived = time_shares(g, p, &shares);
        if (complete >= 0) means_add(&m[0], s->site[p], s->weight[p], complete);
        if (lived > 0) means_add(&m[1], s->site[p], s->weight[p], shares.fresh);
        if (lived > 0) means_add(&m[2], s->site[p], s->weight[p], shares.proven);
        ret->gap_hours = fmax(ret->gap_hours, shares.gap / SCENE_HOUR);
    }
    ret->completeness = means_take(&m[0]);
    ret->freshness = means_take(&m[1]);
    ret->proven = means_take(&m[2]);
    for (int i = 0; i < 3; i++) {
        free(m[i].sum);
        free(m[i].weight);
    }
}

void sharc_sim_watch_judge(const struct sharc_sim_scene *s, struct sharc_sim_capture *captures, size_t n, uint64_t seed,
                           struct sharc_sim_watched *ret)
{
    SHARC_AUTO(sharc_freep) size_t *first = SHARC_NEW_ARRAY(size_t, s->pages + 1);
    SHARC_AUTO(sharc_freep) double *at = SHARC_NEW_ARRAY(double, n);
    if (n) qsort(captures, n, sizeof *captures, by_page_and_time);
    for (size_t i = 0; i < n; i++) first[captures[i].page + 1]++;
    for (size_t p = 0; p < s->pages; p++) first[p + 1] += first[p];
    for (size_t i = 0; i < n; i++) at[i] = captures[i].at;
    const struct judging g = {s, at, first};
    judge_pages(&g, ret);
    struct answers a = ask(&g, seed);
    ret->coherence = a.together;
    ret->exact = a.exact;
    ret->blur = a.blur;
    ret->downloads = (double)n;
}

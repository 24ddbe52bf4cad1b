/* SPDX-License-Identifier: Apache-2.0
 *
 * Features of the past at an instant, examples from earlier windows, and the
 * forecast. Constants (half-lives, number of windows, the size of the trees) were
 * fixed beforehand; docs/rates.md tells what was tried on which windows.
 */
#include "sharc/base_order.h"
#include "sharc/rate_forecast.h"

#include "boost.h"
#include "rate_int.h"
#include "sharc/base_map.h"
#include "sharc/base_rng.h"

#include <math.h>
#include <stdlib.h>

#define DAY 86400.0
#define WINDOWS 24
#define FADING 0.9            /* weight of a window, for each newer one */
#define LEAST_STEP (5 * DAY)  /* between the beginnings of two of them */
#define LEAST_PAST (20 * DAY) /* before the first */
#define MOST_EXAMPLES 80000
#define LEAST_EXAMPLES 500 /* fewer teach nothing */
#define CHANGED_MORE 8.0   /* times as many of the changed pages are taken for examples, if they are few */
#define BULK 30            /* pages changed at one instant are one edit of many pages */
#define SITE_WIDE 0.03     /* of all pages: an edit of the whole site, which tells nothing of who is next */
#define MEMORY (730 * DAY) /* how far back changes are counted */
#define COUNT_SHARE 0.3    /* of the page's own count, beside the forecast */
#define BURSTS 0.45        /* of all changes, those that begin a burst */
#define OWN_ENOUGH 10.0    /* changes of its own, lately, from which on a page speaks for itself */

static const double half_life[] = {10, 40, 160, 640}; /* days */
enum { LIVES = SHARC_LENGTH(half_life), SHORT = 1, LONG = 3 };

/* Pages that have something in common. */
enum grouping { FIRST, THREE, FOLDER, NAME, NAME_FOLDER, GROUPINGS };

enum {
    AGE,
    LIFE,
    NEVER,
    COUNT,                     /* by half-life: all changes, then those not in bulk */
    GROUP = COUNT + 2 * LIVES, /* by grouping: changes short, changes long, age */
    DEPTH = GROUP + 3 * GROUPINGS,
    LENGTH,
    COLUMNS,
};

struct past {
    const struct sharc_rate_record *page;
    size_t n;
    const struct sharc_rate_forecast_options *o;
    uint32_t *group[GROUPINGS]; /* by page */
    uint32_t groups[GROUPINGS];
    struct sharc_map64 together; /* pages changed at each second */
    double site_wide;            /* this many of them are an edit of the whole site */
    float *at;                   /* features of all pages at one instant, by columns */
    double *count[LIVES];        /* decayed changes, and the days they stand for */
    double *days[LIVES];
    double *age;
    bool *alive;
};

/* --- groups --------------------------------------------------------------------- */

/* Up to the k-th slash, or the last one if there are fewer. */
static struct sharc_span folders(struct sharc_span place, unsigned k)
{
    size_t end = 0;
    for (size_t i = 0; i < place.n && k > 0; i++)
        if (place.p[i] == '/') end = i + 1, k--;
    return sharc_span_sub(place, 0, end);
}

static void find_groups(struct past *p)
{
    for (int g = 0; g < GROUPINGS; g++) {
        SHARC_AUTO(sharc_intern_freep) struct sharc_intern *names = sharc_intern_new();
        p->group[g] = SHARC_NEW_ARRAY(uint32_t, p->n);
        for (size_t i = 0; i < p->n; i++) {
            struct sharc_span place = sharc__rate_place(p->page[i].url), first = folders(place, 1);
            struct sharc_span rest = sharc_span_from(place, first.n);
            const struct sharc_span key[GROUPINGS] = {
                [FIRST] = first,
                [THREE] = folders(place, 3),
                [FOLDER] = folders(place, UINT32_MAX),
                [NAME] = rest,
                [NAME_FOLDER] = folders(rest, UINT32_MAX),
            };
            p->group[g][i] = sharc_intern_add(names, key[g], NULL);
        }
        p->groups[g] = sharc_intern_count(names);
    }
}

static void count_together(struct past *p)
{
    double alive = 0;
    sharc_map64_init(&p->together);
    for (size_t i = 0; i < p->n; i++) {
        alive += p->page[i].created <= p->o->now && p->page[i].deleted > p->o->now;
        for (size_t k = 0; k < p->page[i].n && p->page[i].changes[k] <= p->o->now; k++)
            (*sharc_map64_at(&p->together, (uint64_t)(int64_t)p->page[i].changes[k]))++;
    }
    /* Looks at one instant, as in an imported archive, are not one edit. */
    p->site_wide = p->o->n_spans ? HUGE_VAL : fmax(SITE_WIDE * alive, BULK);
}

static void past_init(struct past *p, const struct sharc_rate_record *page, size_t n,
                      const struct sharc_rate_forecast_options *o)
{
    *p = (struct past){.page = page, .n = n, .o = o};
    find_groups(p);
    count_together(p);
    p->at = SHARC_NEW_ARRAY(float, n *COLUMNS);
    p->age = SHARC_NEW_ARRAY(double, n);
    p->alive = SHARC_NEW_ARRAY(bool, n);
    for (int h = 0; h < LIVES; h++) {
        p->count[h] = SHARC_NEW_ARRAY(double, n);
        p->days[h] = SHARC_NEW_ARRAY(double, n);
    }
}

static void past_done(struct past *p)
{
    for (int g = 0; g < GROUPINGS; g++) free(p->group[g]);
    for (int h = 0; h < LIVES; h++) {
        free(p->count[h]);
        free(p->days[h]);
    }
    sharc_map64_done(&p->together);
    free(p->at);
    free(p->age);
    free(p->alive);
}

/* --- features ----------------------------------------------------------------- */

static size_t changes_until(const struct sharc_rate_record *r, double t)
{
    return sharc_count_until(r->changes, r->n, t);
}

static bool lives(const struct sharc_rate_record *r, double from, double to)
{
    if (r->n_looks && r->looks[0] > from) return false; /* nobody knew of it */
    return r->created <= from && r->deleted > to;
}

/* The last look at or before t; there is one. */
static double look_before(const struct sharc_rate_record *r, double t)
{
    const size_t n = sharc_count_until(r->looks, r->n_looks, t);
    return r->looks[n > 0 ? n - 1 : 0];
}

/* How long a page was watched in a window; 0: it says nothing about it. */
static double watched(const struct sharc_rate_record *r, double from, double to)
{
    if (!lives(r, from, to)) return 0;
    return r->n_looks ? look_before(r, to) - look_before(r, from) : to - from;
}

static void put(const struct past *p, size_t page, int column, double value)
{
    p->at[(size_t)column * p->n + page] = (float)value;
}

static void own_features(struct past *p, size_t i, double t)
{
    const struct sharc_rate_record *r = &p->page[i];
    const size_t n = changes_until(r, t);
    const double life = (t - r->created) / DAY;
    double alone[LIVES] = {0};
    p->age[i] = (t - (n ? r->changes[n - 1] : r->created)) / DAY;
    for (int h = 0; h < LIVES; h++) p->count[h][i] = 0;
    for (size_t k = 0; k < n; k++) {
        const bool bulk = *sharc_map64_find(&p->together, (uint64_t)(int64_t)r->changes[k]) >= BULK;
        const double back = (t - r->changes[k]) / DAY;
        for (int h = 0; h < LIVES; h++) {
            double weight = exp2(-back / half_life[h]);
            p->count[h][i] += weight;
            if (!bulk) alone[h] += weight;
        }
    }
    put(p, i, AGE, log(p->age[i] + 1.0 / 24));
    put(p, i, LIFE, log(life + 1));
    put(p, i, NEVER, n == 0);
    for (int h = 0; h < LIVES; h++) {
        p->days[h][i] = half_life[h] / M_LN2 * (1 - exp2(-life / half_life[h]));
        put(p, i, COUNT + 2 * h, log((p->count[h][i] + 0.05) / (p->days[h][i] + 10)));
        put(p, i, COUNT + 2 * h + 1, log((alone[h] + 0.05) / (p->days[h][i] + 10)));
    }
}

/* How the others of each page's group fare: changes per day, as if the site's
 * mean page were one more of them. */
static void group_changes(struct past *p, const uint32_t *group, uint32_t groups, int h, int column)
{
    SHARC_AUTO(sharc_freep) double *count = SHARC_NEW_ARRAY(double, groups);
    SHARC_AUTO(sharc_freep) double *days = SHARC_NEW_ARRAY(double, groups);
    double all_count = 0, all_days = 0;
    for (size_t i = 0; i < p->n; i++) {
        if (!p->alive[i]) continue;
        count[group[i]] += p->count[h][i], all_count += p->count[h][i];
        days[group[i]] += p->days[h][i], all_days += p->days[h][i];
    }
    const double life = half_life[h], base = all_count / fmax(all_days, 1) + 1e-4;
    for (size_t i = 0; i < p->n; i++) {
        if (!p->alive[i]) continue;
        double others = fmax(count[group[i]] - p->count[h][i], 0), time = fmax(days[group[i]] - p->days[h][i], 0);
        put(p, i, column, log((others + base * life) / (time + life)));
    }
}

static void group_ages(struct past *p, const uint32_t *group, uint32_t groups, int column)
{
    SHARC_AUTO(sharc_freep) double *sum = SHARC_NEW_ARRAY(double, groups);
    SHARC_AUTO(sharc_freep) uint32_t *count = SHARC_NEW_ARRAY(uint32_t, groups);
    double all = 0, pages = 0;
    for (size_t i = 0; i < p->n; i++) {
        if (!p->alive[i]) continue;
        sum[group[i]] += log1p(p->age[i]), all += log1p(p->age[i]);
        count[group[i]]++, pages++;
    }
    for (size_t i = 0; i < p->n; i++) {
        if (!p->alive[i]) continue;
        put(p, i, column, (sum[group[i]] - log1p(p->age[i]) + all / pages) / count[group[i]]);
    }
}

/* Everything that is known at t; rows of pages that do not exist then mean
 * nothing. */
static void features_at(struct past *p, double t)
{
    for (size_t i = 0; i < p->n; i++) {
        p->alive[i] = lives(&p->page[i], t, t);
        if (!p->alive[i]) continue;
        own_features(p, i, t);
        struct sharc_span place = sharc__rate_place(p->page[i].url);
        unsigned depth = 0;
        for (size_t k = 0; k < place.n; k++) depth += place.p[k] == '/';
        put(p, i, DEPTH, depth);
        put(p, i, LENGTH, log((double)place.n + 1));
    }
    for (int g = 0; g < GROUPINGS; g++) {
        group_changes(p, p->group[g], p->groups[g], SHORT, GROUP + 3 * g);
        group_changes(p, p->group[g], p->groups[g], LONG, GROUP + 3 * g + 1);
        group_ages(p, p->group[g], p->groups[g], GROUP + 3 * g + 2);
    }
}

/* --- examples ------------------------------------------------------------------- */

struct examples {
    size_t n, room, changed;
    float *at; /* by rows while they are gathered, then by columns */
    bool *yes;
    double *odds; /* of a change in the window of each */
    double *weight;
    unsigned windows;
    double weights; /* of the windows */
    double share;   /* mean share of changed pages over the windows */
    double watched; /* seconds, all examples together */
};

static void examples_done(struct examples *e)
{
    free(e->at);
    free(e->yes);
    free(e->odds);
    free(e->weight);
}

/* Edits of the whole site make pages alike; what differs between them is told by the others. */
static bool changes_in(const struct past *p, const struct sharc_rate_record *r, double t, double end)
{
    const size_t to = changes_until(r, end);
    for (size_t k = changes_until(r, t); k < to; k++)
        if ((double)*sharc_map64_find(&p->together, (uint64_t)(int64_t)r->changes[k]) < p->site_wide) return true;
    return false;
}

/* Rows of a window; each page with chance `share`, but more of those that changed: they are
 * few, and teach most. Each counts for those that were left out. */
static void gather(struct past *p, const struct sharc_rate_span *w, double share, double weight, struct sharc_rng *rng,
                   struct examples *e)
{
    const size_t first = e->n;
    double n = 0, changed = 0;
    features_at(p, w->from);
    for (size_t i = 0; i < p->n && e->n < e->room; i++) {
        const double time = watched(&p->page[i], w->from, w->to);
        if (!(time > 0)) continue;
        const bool yes = changes_in(p, &p->page[i], w->from, w->to);
        const double chance = fmin(yes ? CHANGED_MORE * share : share, 1);
        if (sharc_rng_uniform(rng) >= chance) continue;
        e->watched += time;
        for (int c = 0; c < COLUMNS; c++) e->at[e->n * COLUMNS + c] = p->at[(size_t)c * p->n + i];
        e->yes[e->n] = yes;
        e->weight[e->n] = 1 / chance;
        n += 1 / chance;
        changed += yes / chance;
        e->changed += e->yes[e->n++];
    }
    if (e->n == first) return;
    /* One bulk edit makes or breaks a whole window. What the pages of a window
     * have in common is taken as given, and a window weighs by how long ago it was. */
    double part = (changed + 0.5) / (n + 1);
    for (size_t r = first; r < e->n; r++) {
        e->odds[r] = log(part / (1 - part));
        e->weight[r] *= weight / (part * (1 - part) * (n + 1));
    }
    e->share += part * weight;
    e->weights += weight;
    e->windows++;
}

static void even_weights(struct examples *e)
{
    double sum = 0;
    for (size_t r = 0; r < e->n; r++) sum += e->weight[r];
    for (size_t r = 0; r < e->n; r++) e->weight[r] *= (double)e->n / sum;
    e->share /= e->weights;
}

static void by_columns(struct examples *e)
{
    float *turned = SHARC_NEW_ARRAY(float, e->n *COLUMNS);
    for (size_t r = 0; r < e->n; r++)
        for (size_t c = 0; c < COLUMNS; c++) turned[c * e->n + r] = e->at[r * COLUMNS + c];
    free(e->at);
    e->at = turned;
}

/* Newest first. */
static unsigned choose_windows(const struct sharc_rate_forecast_options *o, struct sharc_rate_span window[WINDOWS])
{
    unsigned n = 0;
    for (size_t k = o->n_spans; k > 0 && n < WINDOWS; k--) window[n++] = o->spans[k - 1];
    for (int k = 0; k < WINDOWS && !o->n_spans; k++) {
        double t = o->now - o->window - k * fmax(o->window / 2, LEAST_STEP);
        if (t < o->start + LEAST_PAST) break;
        window[n++] = (struct sharc_rate_span){t, t + o->window};
    }
    return n;
}

static void gather_all(struct past *p, struct examples *e)
{
    struct sharc_rate_span window[WINDOWS];
    const unsigned windows = choose_windows(p->o, window);
    double pages = 0;
    for (unsigned k = 0; k < windows; k++)
        for (size_t i = 0; i < p->n; i++) pages += watched(&p->page[i], window[k].from, window[k].to) > 0;
    *e = (struct examples){.room = (size_t)fmin(pages, MOST_EXAMPLES)};
    if (e->room == 0) return;
    e->at = SHARC_NEW_ARRAY(float, e->room *COLUMNS);
    e->yes = SHARC_NEW_ARRAY(bool, e->room);
    e->odds = SHARC_NEW_ARRAY(double, e->room);
    e->weight = SHARC_NEW_ARRAY(double, e->room);
    struct sharc_rng rng;
    sharc_rng_init(&rng, 1);
    /* A third is left for the changed ones. */
    const double share = (double)e->room / pages / (pages > MOST_EXAMPLES ? 1.5 : 1);
    for (unsigned k = 0; k < windows; k++) gather(p, &window[k], share, pow(FADING, k), &rng, e);
    by_columns(e);
    even_weights(e);
}

/* --- the forecast ---------------------------------------------------------------- */

/* Changes per second of a page over its past. A few changes are held back by a month
 * without any; many speak for themselves. */
static double own_rate(const struct past *p, size_t i)
{
    const double count = p->count[LONG][i];
    return count / (p->days[LONG][i] + 30 / (1 + count / 10)) / DAY;
}

static void by_count(const struct past *p, double *ret)
{
    double all = 0.5, time = p->o->window;
    for (size_t i = 0; i < p->n; i++) {
        if (!p->alive[i]) continue;
        all += p->count[LONG][i];
        time += p->days[LONG][i] * DAY;
    }
    for (size_t i = 0; i < p->n; i++)
        if (p->alive[i]) ret[i] = (p->count[LONG][i] + 1) / (p->days[LONG][i] * DAY + time / all);
}

void sharc_rate_forecast(const struct sharc_rate_record *pages, size_t n, const struct sharc_rate_forecast_options *o,
                         double *ret_rate, double *ret_own, struct sharc_rate_forecast_report *ret_report)
{
    SHARC_ASSERT(o->window > 0);
    SHARC_AUTO(past_done) struct past p;
    SHARC_AUTO(examples_done) struct examples e;
    past_init(&p, pages, n, o);
    gather_all(&p, &e);
    features_at(&p, o->now);
    memset(ret_rate, 0, n * sizeof *ret_rate);
    if (e.changed == 0 || e.n < LEAST_EXAMPLES) {
        e.windows = 0;
        by_count(&p, ret_rate);
    } else {
        const struct rate_boost_options options = RATE_BOOST_OPTIONS;
        const struct rate_matrix known = {e.n, COLUMNS, e.at}, asked = {n, COLUMNS, p.at};
        SHARC_AUTO(sharc__rate_boost_done) struct rate_boost boost;
        sharc__rate_boost_learn(&known, e.yes, e.weight, e.odds, &options, &boost);
        boost.base = log(e.share / (1 - e.share));
        const double length = o->n_spans ? e.watched / (double)e.n : o->window;
        sharc__rate_boost_ask(&boost, &asked, ret_rate);
        for (size_t i = 0; i < n; i++) {
            const double chance = fmin(ret_rate[i], 1 - 1e-12);
            ret_rate[i] = 0;
            if (!p.alive[i]) continue;
            /* Whether, not how often: a page that does change does so once, or as often as it used to.
             * Looks do not tell how often. */
            const double once = o->n_spans ? -log1p(-chance) : chance;
            ret_rate[i] = fmax(once / length, chance * own_rate(&p, i));
        }
    }
    for (size_t i = 0; ret_own && i < n; i++) ret_own[i] = p.alive[i] ? p.count[SHORT][i] : 0;
    if (ret_report) *ret_report = (struct sharc_rate_forecast_report){e.windows, e.n, e.changed};
}

double sharc_rate_counted(const struct sharc_rate_record *r, double now)
{
    const double since = fmax(now - MEMORY, r->created);
    const size_t n = changes_until(r, now) - changes_until(r, since);
    return ((double)n + 0.1) / (fmax(now - since, 0) + 30 * DAY);
}

double sharc_rate_pool_counted(double forecast, double counted)
{
    if (!(forecast > 0)) return counted;
    return exp((1 - COUNT_SHARE) * log(forecast) + COUNT_SHARE * log(counted));
}

double sharc_rate_pool(double forecast, double near, double own)
{
    if (!(forecast > 0)) return near;
    const double few = fmin(OWN_ENOUGH / fmax(own, 1), 1);
    const double share = few * few / 2; /* of the neighbours */
    return exp((1 - share) * log(forecast) + share * log(near));
}

double sharc_rate_of_bursts(double rate)
{
    return BURSTS * rate;
}

/* SPDX-License-Identifier: Apache-2.0
 *
 * sharc-focus: which pages deserve a second look, and how many.
 *
 * All pages have been visited. K of them are looked at once more around the
 * reference time, coldest first, and revisited in reverse: their intervals are
 * 0, 2, …, 2(K-1) instead of something long. The price is K more downloads
 * between the visits and the revisits of everyone else.
 *
 * For a given K every page is scored: what it gains at the place that its heat
 * would give it among those chosen so far, less what the colder ones lose by
 * moving one place on. The K best scores are the next choice; a few rounds settle
 * it, and the best round counts. A page that changes too fast even for its place
 * gains nothing and is passed over, and so is one that was visited late anyway.
 * The expected coherence of the whole capture is one more pass over the pages. K
 * itself is searched for: coarsely over the budget, then around the best.
 */
#include "focus.h"

#include "optimal.h"

#include <math.h>
#include <stdlib.h>

#define ROUNDS 3
#define NO_PAGE UINT32_MAX
#define SAMPLE 40000   /* pages on which K is searched for */
#define WORTH_IT 0.001 /* coherent pages that a second look must bring */

struct choice {
    uint8_t *chosen; /* by rank */
    uint32_t count;
    double value; /* expected coherence of the capture, less the cost of the looks */
};

/* Pages are numbered here by the order of their visits. */
struct focus {
    struct ranking r;
    double *still;       /* by visit: the chance that nothing has happened until the last visit */
    uint32_t *rank_of;   /* by visit */
    float *score, *copy; /* by rank */
    struct choice now, best;
    uint32_t most;   /* second looks that the budget allows */
    uint32_t before; /* second looks made already: revisited before all but the chosen */
    double cost;     /* of one look */
};

/* What is known of the pages visited, in the order of their visits. */
struct known {
    const struct book *b;
    sharc_page_no *page;
    uint32_t n, looked;   /* looked: how many of them were looked at twice already */
    double *rate, *still; /* still: the chance that a page is as it was last seen */
};

static void known_init(struct known *k, const struct book *b, const struct sharc_strategy_params *params)
{
    *k = (struct known){
        .b = b,
        .page = SHARC_NEW_ARRAY(sharc_page_no, b->visits),
        .rate = SHARC_NEW_ARRAY(double, b->visits),
        .still = SHARC_NEW_ARRAY(double, b->visits),
    };
    for (uint32_t v = 0; v < b->visits; v++) {
        sharc_page_no p = b->order[v];
        if (book_state(b, p) != PAGE_VISITED) continue;
        k->looked += (b->state[p] & PAGE_LOOKED) != 0;
        k->rate[k->n] = b->rate[p];
        k->page[k->n++] = p;
    }
    if (params->believe && k->n > 0) {
        const double factor = params->believe(params->believe_arg, k->page, k->rate, k->n, k->still);
        for (uint32_t i = 0; i < k->n; i++) k->rate[i] *= factor;
    } else {
        for (uint32_t i = 0; i < k->n; i++) k->still[i] = exp(-k->rate[i] * (k->n - 1 - i));
    }
}

/* Forget the pages with one of these flags, and `but`. */
static void known_without(struct known *k, unsigned flags, sharc_page_no but)
{
    uint32_t n = 0;
    for (uint32_t i = 0; i < k->n; i++) {
        if ((k->b->state[k->page[i]] & flags) || k->page[i] == but) continue;
        k->page[n] = k->page[i];
        k->rate[n] = k->rate[i];
        k->still[n++] = k->still[i];
    }
    k->n = n;
}

static void known_done(struct known *k)
{
    free(k->page);
    free(k->rate);
    free(k->still);
}

/* Every stride-th page that was visited, standing for its neighbours: time runs
 * stride times faster for them. */
static void focus_init(struct focus *f, const struct known *k, uint32_t most, uint32_t stride)
{
    const struct book *b = k->b;
    const uint32_t room = k->n / stride + 1;
    *f = (struct focus){.still = SHARC_NEW_ARRAY(double, room), .before = k->looked / stride};
    SHARC_AUTO(sharc_freep) double *rate = SHARC_NEW_ARRAY(double, room);
    SHARC_AUTO(sharc_freep) double *weight = b->weight ? SHARC_NEW_ARRAY(double, room) : NULL;
    uint32_t n = 0;
    for (uint32_t v = 0; v < k->n; v += stride) {
        rate[n] = k->rate[v] * stride;
        if (weight) weight[n] = b->weight[k->page[v]];
        f->still[n++] = k->still[v];
    }
    sharc__schedule_ranking_of(&f->r, rate, weight, n);
    f->rank_of = SHARC_NEW_ARRAY(uint32_t, n);
    f->score = SHARC_NEW_ARRAY(float, n);
    f->copy = SHARC_NEW_ARRAY(float, n);
    f->now.chosen = SHARC_NEW_ARRAY(uint8_t, n);
    f->best.chosen = SHARC_NEW_ARRAY(uint8_t, n);
    double sum = 0;
    for (uint32_t i = 0; i < n; i++) {
        f->rank_of[f->r.page[i]] = i;
        sum += ranking_weight(&f->r, i);
    }
    f->cost = n > 0 ? WORTH_IT * sum / n : 0;
    f->most = most / stride < n ? most / stride : n;
}

static void focus_done(struct focus *f)
{
    sharc__schedule_ranking_done(&f->r);
    free(f->still);
    free(f->rank_of);
    free(f->score);
    free(f->copy);
    free(f->now.chosen);
    free(f->best.chosen);
}

/* The chance of being coherent without a second look, when others have `places`. */
static double otherwise(const struct focus *f, uint32_t rank, uint32_t places)
{
    const uint32_t visit = f->r.page[rank];
    return f->still[visit] * exp(-f->r.rate[rank] * (f->before + (f->r.n - 1 - visit) + 2.0 * places));
}

/* --- scores ------------------------------------------------------------------- */

/* What the chosen lose when all of them move one place on. */
static double all_move(const struct focus *f)
{
    double sum = 0, k = 0;
    for (uint32_t i = 0; i < f->r.n; i++) {
        if (!f->now.chosen[i]) continue;
        sum += ranking_weight(&f->r, i) * exp(-2 * f->r.rate[i] * k++) * -expm1(-2 * f->r.rate[i]);
    }
    return sum;
}

/* Before the first round nothing is chosen: all stand at the middle place. */
static void set_scores(struct focus *f, uint32_t places, bool first)
{
    double k = first ? places / 2.0 : 0, price = first ? 0 : all_move(f);
    for (uint32_t i = 0; i < f->r.n; i++) {
        double rate = f->r.rate[i], weight = ranking_weight(&f->r, i), here = exp(-2 * rate * k);
        bool chosen = !first && f->now.chosen[i];
        if (chosen) price -= weight * here * -expm1(-2 * rate);
        f->score[i] = (float)(weight * (here - otherwise(f, i, places)) - price);
        if (chosen) k++;
    }
}

static float middle_of(float a, float b, float c)
{
    float low = fminf(a, b), high = fmaxf(a, b);
    return fminf(fmaxf(low, c), high);
}

/* The k-th largest of v[0..n), 1 <= k <= n; disturbs v. Quickselect with the
 * middle of three as pivot. */
static float kth_largest(float *v, uint32_t n, uint32_t k)
{
    uint32_t low = 0, high = n - 1;
    while (low < high) {
        float pivot = middle_of(v[low], v[low + (high - low) / 2], v[high]);
        uint32_t i = low, j = high;
        for (;;) {
            while (v[i] > pivot) {
                i++;
            }
            while (v[j] < pivot) {
                j--;
            }
            if (i >= j) break;
            float t = v[i];
            v[i++] = v[j];
            v[j--] = t;
        }
        if (k - 1 <= j) {
            high = j;
        } else {
            low = j + 1;
        }
    }
    return v[low];
}

/* The best scores that are worth their cost, at most `places`; ties go to the
 * hotter. */
static void choose(struct focus *f, uint32_t places)
{
    memcpy(f->copy, f->score, f->r.n * sizeof *f->copy);
    float least = kth_largest(f->copy, f->r.n, places);
    if (least < (float)f->cost) least = (float)f->cost;
    uint32_t above = 0, equal = 0;
    for (uint32_t i = 0; i < f->r.n; i++) {
        above += f->score[i] > least;
    }
    f->now.count = 0;
    for (uint32_t i = 0; i < f->r.n; i++) {
        bool take = f->score[i] > least;
        if (!take && !(f->score[i] < least) && least > (float)f->cost && above + equal < places) {
            take = true;
            equal++;
        }
        f->now.chosen[i] = take;
        f->now.count += take;
    }
}

/* --- the whole capture ---------------------------------------------------------- */

/* What the capture is worth with the second looks as they are chosen. */
static double value(const struct focus *f)
{
    const struct ranking *r = &f->r;
    double sum = 0;
    uint32_t k = 0, after = 0;
    for (uint32_t i = 0; i < r->n; i++) {
        if (f->now.chosen[i]) sum += ranking_weight(r, i) * exp(-2 * r->rate[i] * k++);
    }
    /* Others: unchanged until the last visit, then K looks, K-1 revisits, those
     * visited later, then this one. */
    for (uint32_t v = r->n; v > 0; v--) {
        uint32_t i = f->rank_of[v - 1];
        if (f->now.chosen[i]) continue;
        sum += ranking_weight(r, i) * f->still[v - 1] * exp(-r->rate[i] * (f->before + 2.0 * k + after++));
    }
    return sum - f->cost * k;
}

/* Choose for at most `places`; what is better than all before is kept. Returns
 * whether there was something. */
static bool attempt(struct focus *f, uint32_t places)
{
    bool better = false;
    for (int round = 0; round < ROUNDS; round++) {
        set_scores(f, places, round == 0);
        choose(f, places);
        if (f->now.count == 0) break;
        f->now.value = value(f);
        if (f->now.value - f->best.value <= 1e-12 * fabs(f->now.value)) continue;
        better = true;
        f->best.value = f->now.value;
        f->best.count = f->now.count;
        memcpy(f->best.chosen, f->now.chosen, f->r.n);
    }
    return better;
}

/* Coarse steps over the whole budget, then smaller and smaller ones around the
 * best of them. Returns how many were asked for at the best; 0: none. */
static uint32_t search(struct focus *f)
{
    uint32_t at = 0;
    f->best.value = value(f);
    for (uint32_t places = f->most; places > 0; places -= places / 3 + 1) {
        if (attempt(f, places)) at = places;
        if (places < f->most / 512) break;
    }
    for (uint32_t step = at / 6; step >= 1 && step >= at / 64; step /= 2) {
        uint32_t here = at;
        if (here + step <= f->most && attempt(f, here + step)) at = here + step;
        if (here > step && attempt(f, here - step)) at = here - step;
    }
    return at;
}

uint32_t sharc__schedule_focus_budget(const struct book *b, const struct sharc_strategy_params *params)
{
    uint32_t n = 0;
    for (uint32_t v = 0; v < b->visits; v++) n += book_state(b, b->order[v]) == PAGE_VISITED;
    if (n == 0) return 0;
    double most = params->focus_pages;
    if (params->focus_pages == SHARC_FOCUS_CHOOSE) most = floor(params->focus_share * (2.0 * n - 1) + 1e-9);
    return most < n ? (uint32_t)most : n;
}

sharc_page_no *sharc__schedule_focus_choose(const struct book *b, const struct sharc_strategy_params *params,
                                            uint32_t budget, uint32_t *ret_count)
{
    struct focus f;
    SHARC_AUTO(known_done) struct known known;
    known_init(&known, b, params);
    known_without(&known, PAGE_LOOKED, NO_PAGE);
    const bool told = params->focus_pages != SHARC_FOCUS_CHOOSE;
    const uint32_t stride = told ? 1 : known.n / SAMPLE + 1;
    double places = budget;
    if (!told) {
        focus_init(&f, &known, budget, stride);
        places = (double)search(&f) * stride;
        if (stride > 1) focus_done(&f);
    }
    if (told || stride > 1) {
        focus_init(&f, &known, budget, 1);
        if (places > f.most) places = f.most;
        /* Told how many, or decided on the sample: not asked again whether. */
        f.best.value = -HUGE_VAL;
        if (told) f.cost = 0;
        if (places > 0) attempt(&f, (uint32_t)places);
    }
    /* From numbers of visits back to pages. */
    sharc_page_no *pages = SHARC_NEW_ARRAY(sharc_page_no, f.best.count);
    uint32_t k = 0;
    for (uint32_t i = 0; i < f.r.n; i++) {
        if (f.best.chosen[i]) pages[k++] = known.page[f.r.page[i]];
    }
    focus_done(&f);
    *ret_count = k;
    return pages;
}

sharc_page_no *sharc__schedule_focus_revisits(const struct book *b, const struct sharc_strategy_params *params,
                                              sharc_page_no apex, uint32_t *ret_count)
{
    SHARC_AUTO(known_done) struct known known;
    known_init(&known, b, params);
    known_without(&known, PAGE_REVISITED, apex);
    SHARC_AUTO(sharc_freep) uint32_t *interval = SHARC_NEW_ARRAY(uint32_t, known.n);
    for (uint32_t i = 0; i < known.n; i++) {
        known.rate[i] /= 2; /* the optimum's intervals are two slots apart */
        known.still[i] *= book_weight(b, known.page[i]);
    }
    sharc__schedule_optimum_roughly(known.rate, known.still, known.n, interval);
    sharc_page_no *pages = SHARC_NEW_ARRAY(sharc_page_no, known.n);
    for (uint32_t i = 0; i < known.n; i++) pages[interval[i]] = known.page[i];
    *ret_count = known.n;
    return pages;
}

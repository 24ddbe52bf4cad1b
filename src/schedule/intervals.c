/* SPDX-License-Identifier: Apache-2.0
 *
 * sharc-intervals: a page may stay unwatched for I = ln(1/c)/rate slots with
 * confidence c; visits and revisits are placed so that as many pages as possible
 * keep within their I.
 *
 * Positions count from the reference time: a visit at -a, a revisit at b, the
 * length is a + b. The hottest page is the apex (a = b = 0); the others take
 * a and b from 1 … n-1.
 */
#include "selecting.h"

#include <math.h>
#include <stdlib.h>

/* --- free places: the largest free number not above x, by union-find ---------- */

struct places {
    uint32_t *below; /* itself if free; 0 is a sentinel that is never given out */
};

static void places_init(struct places *p, uint32_t n)
{
    p->below = SHARC_NEW_ARRAY(uint32_t, (size_t)n + 1);
    for (uint32_t i = 0; i <= n; i++) {
        p->below[i] = i;
    }
}

static uint32_t places_at_most(struct places *p, uint32_t x)
{
    while (p->below[x] != x) {
        p->below[x] = p->below[p->below[x]];
        x = p->below[x];
    }
    return x;
}

static void places_take(struct places *p, uint32_t x)
{
    p->below[x] = x - 1;
}

static uint64_t whole_slots(double rate, double confidence)
{
    double length = rate > 0 ? log(1 / confidence) / rate : HUGE_VAL;
    return length < 9e15 ? (uint64_t)length : (uint64_t)9e15;
}

/* --- offline --------------------------------------------------------------------- */

struct pair {
    uint32_t a, b;
};

/* Let y run down from the larger half of the length; x is then as large as it may
 * be. A bounded number of tries, because after a few hundred pages some split
 * fits exactly. {0, 0}: nothing found. */
static struct pair widest_from(struct places *xs, struct places *ys, uint32_t last, uint64_t length)
{
    struct pair best = {0, 0};
    uint64_t start = (length + 1) / 2;
    uint32_t y = places_at_most(ys, (uint32_t)(start < last ? start : last));
    for (int tries = 0; tries < 64 && y > 0; tries++) {
        uint64_t left = length - y;
        uint32_t x = places_at_most(xs, (uint32_t)(left < last ? left : last));
        if (x > 0 && (uint64_t)x + y > (uint64_t)best.a + best.b) best = (struct pair){x, y};
        if ((uint64_t)best.a + best.b == length) break;
        y = places_at_most(ys, y - 1);
    }
    return best;
}

/* The free a + b <= length, as large as possible. */
static struct pair widest(struct places *before, struct places *after, uint32_t last, uint64_t length)
{
    struct pair p = widest_from(before, after, last, length);
    if ((uint64_t)p.a + p.b == length) return p;
    struct pair q = widest_from(after, before, last, length);
    return q.a + q.b > p.a + p.b ? (struct pair){q.b, q.a} : p;
}

/* Positions of all pages: hopeful ones by confidence, then what is left, the
 * hottest outermost. */
static void place_pairs(const struct ranking *r, double confidence, struct pair *pairs, bool *hopeless)
{
    struct places before, after;
    uint32_t last = r->n - 1;
    places_init(&before, last);
    places_init(&after, last);
    pairs[0] = (struct pair){0, 0};
    for (uint32_t i = 1; i < r->n; i++) {
        uint64_t length = whole_slots(r->rate[i], confidence);
        if (length > 2 * (uint64_t)last) length = 2 * (uint64_t)last;
        struct pair p = length >= 2 ? widest(&before, &after, last, length) : (struct pair){0, 0};
        hopeless[i] = p.a == 0;
        if (hopeless[i]) continue;
        pairs[i] = p;
        places_take(&before, p.a);
        places_take(&after, p.b);
    }
    uint32_t a = last, b = last;
    for (uint32_t i = 1; i < r->n; i++) {
        if (!hopeless[i]) continue;
        a = places_at_most(&before, a);
        b = places_at_most(&after, b);
        pairs[i] = (struct pair){a, b};
        places_take(&before, a);
        places_take(&after, b);
    }
    free(before.below);
    free(after.below);
}

/* Shrink: swapping a hopeless page with a hopeful one further out makes the
 * hopeful interval shorter; done until none is left, the hopeless pages lie
 * outside and the others keep their order. The same on the revisits' side. */
static void shrink(const struct ranking *r, const bool *hopeless, const struct pair *pairs, struct plan *ret)
{
    uint32_t n = r->n;
    SHARC_AUTO(sharc_freep) uint32_t *at_a = SHARC_NEW_ARRAY(uint32_t, n);
    SHARC_AUTO(sharc_freep) uint32_t *at_b = SHARC_NEW_ARRAY(uint32_t, n);
    for (uint32_t i = 0; i < n; i++) {
        at_a[pairs[i].a] = i;
        at_b[pairs[i].b] = i;
    }
    uint32_t a = 0, b = 0;
    for (int given_up = 0; given_up <= 1; given_up++) {
        for (uint32_t k = 0; k < n; k++) {
            if (hopeless[at_a[k]] == (given_up == 1)) ret->slot[at_a[k]] = n - 1 - a++;
            if (hopeless[at_b[k]] == (given_up == 1)) ret->revisit[at_b[k]] = b++;
        }
    }
    double sum = 0;
    for (uint32_t i = 0; i < n; i++) {
        sum += ranking_weight(r, i) * exp(-r->rate[i] * (n - 1 - ret->slot[i] + ret->revisit[i]));
    }
    ret->expected = sum;
}

void sharc__schedule_plan_intervals(const struct ranking *r, const struct sharc_strategy_params *params,
                                    struct plan *ret)
{
    if (r->n == 0) return;
    SHARC_AUTO(sharc_freep) struct pair *pairs = SHARC_NEW_ARRAY(struct pair, r->n);
    place_pairs(r, params->confidence, pairs, ret->hopeless);
    shrink(r, ret->hopeless, pairs, ret);
}

/* --- online ------------------------------------------------------------------------ */

/* As in the offline plan pages that cannot keep within their I are given up,
 * and visited first; of the others the coldest comes next. With a pages to come
 * after it, its revisit may wait until I - a after the reference time. Revisits
 * are shrunk to the first places in the order of these deadlines, later visits
 * first among equals. Those given up are revisited after all others, in reverse.
 *
 * (The papers' online form gives a page up only when no detected page fits, that
 * is in the middle of the crawl, and every interval planned before is then too
 * long: knowing pages beforehand would not help it. It also reserves places while
 * the number of pages is a guess; only their order lasts.) */
struct online {
    struct selecting selecting; /* first */
    float *deadline;            /* by page; 0: given up */
    uint32_t room;
};

/* Places a and b from 1 … j each, every one once, add up to j(j+1): this many slots
 * must the lengths of j hopeful pages have in all. Hottest to coldest, a whole bin
 * at a time: x more pages of length I fit while sum + xI >= (j+x)(j+x+1), where
 * every page stands for `scale`. */
static void give_up_unfit(struct outline *o, const struct sharc_strategy_params *params)
{
    double j = 0, sum = 0, q = o->scale, all = 2 * o->m * q;
    for (size_t i = 0; i < o->parts; i++) {
        double length = fmin((double)whole_slots(o->part[i].rate, params->confidence), all);
        double half = (length - 2 * j * q - 1) / (2 * q), rest = (sum - j * j * q - j) / q;
        double root = half * half + rest;
        double fits = root > 0 ? half + sqrt(root) : 0;
        double kept = fmin(fmax(fits, 0), o->part[i].count);
        j += kept;
        sum += kept * length;
        o->part[i].lost = floor(o->part[i].count - kept + 0.5);
    }
}

static void *create(struct sharc_strategy *s)
{
    (void)s;
    struct online *o = SHARC_NEW(struct online);
    sharc__schedule_selecting_init(&o->selecting);
    o->selecting.divide = give_up_unfit;
    return o;
}

static void done(void *state)
{
    struct online *o = state;
    sharc__schedule_selecting_done(&o->selecting);
    free(o->deadline);
    free(o);
}

static size_t bytes(const void *state)
{
    const struct online *o = state;
    return sharc__schedule_selecting_bytes(&o->selecting) + o->room * sizeof *o->deadline;
}

static void add(struct sharc_strategy *s, sharc_page_no page)
{
    struct online *o = s->pick;
    sharc__schedule_selecting_add(s, &o->selecting, page);
}

static void moved(struct sharc_strategy *s, sharc_page_no page, double old_rate, double old_weight)
{
    struct online *o = s->pick;
    sharc__schedule_selecting_moved(s, &o->selecting, page, old_rate, old_weight);
}

static sharc_page_no take(struct sharc_strategy *s, bool *ret_hopeless)
{
    struct online *o = s->pick;
    sharc_page_no page = sharc__schedule_selecting_take(s, &o->selecting, ret_hopeless);
    if (s->book.room > o->room) {
        o->deadline = sharc_realloc(o->deadline, s->book.room, sizeof *o->deadline);
        o->room = s->book.room;
    }
    double after = o->selecting.left - 1; /* 0: the apex, which nobody gives up */
    double deadline = (double)whole_slots(s->book.rate[page], s->params.confidence) - after;
    if (deadline <= 0 && after > 0) *ret_hopeless = true;
    o->deadline[page] = *ret_hopeless ? 0 : (float)deadline;
    return page;
}

static double revisit_key(struct sharc_strategy *s, sharc_page_no page)
{
    const struct online *o = s->pick;
    return o->deadline[page] > 0 ? (double)o->deadline[page] : HUGE_VAL;
}

const struct picker sharc__schedule_pick_intervals = {.create = create,
                                                      .free = done,
                                                      .add = add,
                                                      .moved = moved,
                                                      .take = take,
                                                      .revisit_key = revisit_key,
                                                      .bytes = bytes};

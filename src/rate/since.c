/* SPDX-License-Identifier: Apache-2.0
 *
 * The estimator of Kaplan and Meier with time reversed, hazards in proportion to
 * the expected rates (Cox, Breslow), one for each folder, shrunk towards the
 * folder above. Pages are put into the order of a walk through the folders, so that
 * every folder with all below it is a range; the folders are walked from the root down
 * with one array of hazards for each level. Hazards before the first look at any page below a folder
 * are nobody's concern and are not worked out.
 */
#include "rate_int.h"
#include "sharc/base_map.h"
#include "sharc/rate_since.h"

#include <math.h>
#include <stdlib.h>

#define STRETCHES 256 /* that the time since the first look is cut into */
#define WORTH 10.0    /* pages that the folder above is worth */
#define DEPTH 7       /* folders on the way, as for neighbours */
#define SURE 0.98     /* no change is surer than that, in one stretch */
#define MOST 32.0
#define FLOOR 1e-3 /* of the mean rate: nothing is known to stay for ever */

struct one {
    uint32_t page;
    int16_t first, end; /* stretches that it was exposed in: first … end-1 */
    int16_t seen;
    bool hit; /* it changed in the first of them */
    float rate;
};

struct folder {
    uint32_t parent; /* smaller than its own number; the root is 0 */
    uint32_t depth;
    int16_t needed, asked; /* the first stretch that matters to pages below it; and to those judged by itself */
    uint32_t own, all;     /* pages in it; and in those below */
    uint32_t at, next;     /* where its pages begin, its own first; where the next goes */
    uint32_t folders;      /* itself and those below */
    uint32_t rank;         /* in the walk */
};

struct since {
    struct one *one; /* in the order of the walk */
    size_t n;
    double *still;
    struct folder *folder; /* that have looks below them, in the order of the first */
    uint32_t folders;
    size_t folder_room;
    uint32_t *walk; /* folders, each before those below it */
};

static void since_done(struct since *s)
{
    free(s->one);
    free(s->folder);
    free(s->walk);
}

/* --- hazards --------------------------------------------------------------------- */

/* Changes for each unit of rate and stretch among one[from..to), from stretch `needed` on. */
static void hazards(const struct since *s, size_t from, size_t to, int needed, const double *above, double *ret)
{
    double hits[STRETCHES] = {0}, exposed[STRETCHES + 1] = {0}, sum = 0;
    for (size_t i = from; i < to; i++) {
        const struct one *o = &s->one[i];
        sum += (double)o->rate;
        hits[o->first] += o->hit;
        exposed[o->first] += (double)o->rate;
        exposed[o->end] -= (double)o->rate;
    }
    const double prior = (above ? WORTH : 1) * sum / (double)(to - from);
    double rate = 0;
    for (int k = 0; k < STRETCHES; k++) {
        rate += exposed[k];
        exposed[k] = (rate > 0 ? rate : 0) + prior;
    }
    /* Apart from the sums, so that several are divided at once: there is a row of these for every folder. */
    if (above)
        for (int k = needed; k < STRETCHES; k++) ret[k] = (hits[k] + prior * above[k]) / exposed[k];
    else
        for (int k = needed; k < STRETCHES; k++) ret[k] = hits[k] / exposed[k];
}

/* ln of the chance that a page of rate 1 stays from the middle of each stretch on, from stretch `asked` on. */
static void staying(const double *hazard, int asked, double ret[STRETCHES])
{
    double sum = 0;
    for (int k = STRETCHES - 1; k >= asked; k--) {
        const double here = log1p(-(hazard[k] < SURE ? hazard[k] : SURE));
        ret[k] = sum + here / 2;
        sum += here;
    }
}

/* --- folders ---------------------------------------------------------------------- */

#define NONE UINT32_MAX

struct place {
    uint32_t parent, depth;
};

struct sharc_rate_places {
    struct sharc_intern *names;
    struct place *place; /* by number, each behind its parent; the root is 0 */
    size_t room;
    uint32_t *of; /* by page; NONE: not asked for yet */
    size_t pages, page_room;
};

struct sharc_rate_places *sharc_rate_places_new(void)
{
    struct sharc_rate_places *p = SHARC_NEW(struct sharc_rate_places);
    p->names = sharc_intern_new();
    sharc_intern_add(p->names, SHARC_SPAN(""), NULL);
    SHARC_GROW(p->place, p->room, 1);
    p->place[0] = (struct place){0, 0};
    return p;
}

void sharc_rate_places_free(struct sharc_rate_places *p)
{
    if (!p) return;
    sharc_intern_free(p->names);
    free(p->place);
    free(p->of);
    free(p);
}

void sharc_rate_places_freep(struct sharc_rate_places **p)
{
    sharc_rate_places_free(*p);
    *p = NULL;
}

/* Length of the place up to and with the k-th slash, or the last one if there are fewer. */
static size_t prefix_of(struct sharc_span place, unsigned k)
{
    size_t end = 0;
    for (size_t i = 0; i < place.n && k > 0; i++)
        if (place.p[i] == '/') end = i + 1, k--;
    return end;
}

/* The deepest folder of a place; those on the way are made before it. */
static uint32_t place_of(struct sharc_rate_places *p, struct sharc_span place)
{
    uint32_t id = sharc_intern_find(p->names, sharc_span_sub(place, 0, prefix_of(place, DEPTH)));
    if (id != SHARC_NO_ID) return id;
    uint32_t parent = 0;
    for (unsigned depth = 0; depth <= DEPTH; depth++) {
        bool fresh = false;
        id = sharc_intern_add(p->names, sharc_span_sub(place, 0, prefix_of(place, depth)), &fresh);
        if (fresh) {
            SHARC_GROW(p->place, p->room, (size_t)id + 1);
            p->place[id] = (struct place){parent, p->place[parent].depth + 1};
        }
        parent = id;
    }
    return id;
}

bool sharc_rate_places_know(const struct sharc_rate_places *p, uint32_t page)
{
    return page < p->pages && p->of[page] != NONE;
}

uint32_t sharc_rate_places_find(struct sharc_rate_places *p, uint32_t page, struct sharc_span url)
{
    if (sharc_rate_places_know(p, page)) return p->of[page];
    SHARC_GROW(p->of, p->page_room, (size_t)page + 1);
    while (p->pages <= page) p->of[p->pages++] = NONE;
    return p->of[page] = place_of(p, sharc__rate_place(url));
}

/* The folder here of a place, and of those above it: each has its number by the first look below it. */
static uint32_t folder_at(struct since *s, const struct sharc_rate_places *p, uint32_t *number, uint32_t place)
{
    uint32_t way[DEPTH + 1];
    unsigned n = 0;
    while (number[place] == NONE) {
        way[n++] = place;
        place = p->place[place].parent;
    }
    uint32_t id = number[place];
    while (n > 0) {
        const uint32_t parent = id;
        id = number[way[--n]] = s->folders++;
        SHARC_GROW(s->folder, s->folder_room, (size_t)id + 1);
        s->folder[id] =
            (struct folder){.parent = parent, .depth = p->place[way[n]].depth, .needed = STRETCHES, .asked = STRETCHES};
    }
    return id;
}

/* The walk: a folder's own pages, then those of each folder below. */
static void make_walk(struct since *s)
{
    const uint32_t n = s->folders;
    struct folder *f = s->folder;
    for (uint32_t i = n; i > 0; i--) {
        f[i - 1].all += f[i - 1].own;
        f[i - 1].folders++;
        if (i == 1) break;
        f[f[i - 1].parent].all += f[i - 1].all;
        f[f[i - 1].parent].folders += f[i - 1].folders;
    }
    s->walk = SHARC_NEW_ARRAY(uint32_t, n);
    /* Until all of them have their place `next` and `folders` of a parent are those of its next child. */
    for (uint32_t i = 0; i < n; i++) {
        struct folder *above = &f[f[i].parent];
        const uint32_t folders = f[i].folders;
        if (i > 0) {
            f[i].at = above->next, above->next += f[i].all;
            f[i].rank = above->folders, above->folders += folders;
        }
        f[i].next = f[i].at + f[i].own;
        f[i].folders = f[i].rank + 1;
        s->walk[f[i].rank] = i;
    }
    for (uint32_t i = 0; i < n; i++) f[i].next = f[i].at;
}

static void stay_of(const struct since *s, size_t i, const double *stay)
{
    const struct one *o = &s->one[i];
    s->still[o->page] = exp((double)o->rate * stay[o->seen]);
}

/* Nobody else in its folder: its own look tells nothing of later, and the folder above is asked. */
static bool is_alone(const struct folder *f)
{
    return f->depth > 0 && f->all == 1;
}

static void sooner(int16_t *stretch, int16_t than)
{
    if (than < *stretch) *stretch = than;
}

/* From which stretch on hazards are wanted of each folder. */
static void set_needs(const struct since *s)
{
    struct folder *f = s->folder;
    for (uint32_t i = s->folders; i > 0; i--) {
        struct folder *here = &f[i - 1], *asked = here;
        while (is_alone(asked)) asked = &f[asked->parent];
        for (size_t k = here->at; k < here->at + here->own; k++) sooner(&asked->asked, s->one[k].seen);
        sooner(&here->needed, here->asked);
        sooner(&f[here->parent].needed, here->needed);
    }
}

static void judge(const struct since *s)
{
    SHARC_AUTO(sharc_freep) double *hazard = SHARC_NEW_ARRAY(double, (DEPTH + 1) * STRETCHES);
    SHARC_AUTO(sharc_freep) double *stay = SHARC_NEW_ARRAY(double, (DEPTH + 1) * STRETCHES);
    set_needs(s);
    for (uint32_t k = 0; k < s->folders; k++) {
        const struct folder *f = &s->folder[s->walk[k]];
        double *here = hazard + (size_t)f->depth * STRETCHES, *stays = stay + (size_t)f->depth * STRETCHES;
        if (is_alone(f)) {
            const uint32_t above = s->folder[f->parent].depth;
            if (s->folder[f->parent].all > 1) stay_of(s, f->at, stay + (size_t)above * STRETCHES);
            continue;
        }
        hazards(s, f->at, f->at + f->all, f->needed, f->depth ? here - STRETCHES : NULL, here);
        staying(here, f->asked, stays);
        for (size_t i = f->at; i < f->at + f->own; i++) stay_of(s, i, stays);
    }
}

/* --- all ------------------------------------------------------------------------------- */

static int16_t stretch_of(double t, double first, double now)
{
    const double k = (t - first) / (now - first) * STRETCHES;
    return (int16_t)(k > 0 ? k < STRETCHES - 1 ? (int)k : STRETCHES - 1 : 0);
}

static struct one one_of(const struct sharc_rate_look *l, double first, double now, double mean)
{
    const bool hit = l->changed >= fmax(l->from, first);
    struct one o = {
        .first = stretch_of(hit ? l->changed : l->from, first, now),
        .seen = stretch_of(l->seen, first, now),
        .hit = hit,
        .rate = (float)(l->rate / mean + FLOOR),
    };
    o.end = o.seen > o.first ? o.seen : (int16_t)(o.first + hit);
    return o;
}

/* Pages by the number of changes expected of them since they were seen: sixteen cells an octave. */
#define OCTAVES 64
#define OCTAVE 16
struct cell {
    double pages, expected;
};

static void sort_into_cells(const struct sharc_rate_look *look, size_t n, double now, struct cell *cell)
{
    for (size_t i = 0; i < n; i++) {
        const double x = look[i].rate * (now - look[i].seen);
        if (!(x > 0)) continue;
        const double at = (log2(x) + OCTAVES - 16) * OCTAVE;
        struct cell *c = &cell[(size_t)fmin(fmax(at, 0), OCTAVES * OCTAVE - 1)];
        c->pages++;
        c->expected += x;
    }
}

/* The factor on all rates that makes the expected number of changed pages the
 * believed one; the former grows with the factor. */
static double factor_of(const struct sharc_rate_look *look, const double *still, size_t n, double now)
{
    SHARC_AUTO(sharc_freep) struct cell *cell = SHARC_NEW_ARRAY(struct cell, OCTAVES * OCTAVE);
    sort_into_cells(look, n, now, cell);
    double believed = 0, low = 1 / MOST, high = MOST;
    for (size_t i = 0; i < n; i++) believed += 1 - still[i];
    for (int round = 0; round < 24; round++) {
        double middle = sqrt(low * high), expected = 0;
        for (size_t k = 0; k < (size_t)OCTAVES * OCTAVE; k++)
            if (cell[k].pages > 0) expected -= cell[k].pages * expm1(-middle * cell[k].expected / cell[k].pages);
        *(expected < believed ? &low : &high) = middle;
    }
    return sqrt(low * high);
}

/* Every look at its place in the walk. */
static void set_out(struct since *s, const struct sharc_rate_places *p, const struct sharc_rate_look *look,
                    double first, double now, double mean)
{
    SHARC_AUTO(sharc_freep) uint32_t *folder = SHARC_NEW_ARRAY(uint32_t, s->n);
    const uint32_t places = sharc_intern_count(p->names);
    SHARC_AUTO(sharc_freep) uint32_t *number = SHARC_NEW_ARRAY(uint32_t, places);
    for (uint32_t i = 1; i < places; i++) number[i] = NONE; /* the root is 0 */
    SHARC_GROW(s->folder, s->folder_room, 1);
    s->folder[s->folders++] = (struct folder){.needed = STRETCHES, .asked = STRETCHES};
    for (size_t i = 0; i < s->n; i++) {
        folder[i] = folder_at(s, p, number, look[i].place);
        s->folder[folder[i]].own++;
    }
    make_walk(s);
    s->one = SHARC_NEW_ARRAY(struct one, s->n);
    for (size_t i = 0; i < s->n; i++) {
        struct one *o = &s->one[s->folder[folder[i]].next++];
        *o = one_of(&look[i], first, now, mean);
        o->page = (uint32_t)i;
    }
}

double sharc_rate_since(const struct sharc_rate_places *places, const struct sharc_rate_look *look, size_t n,
                        double now, double *ret_still)
{
    double first = now, mean = 0;
    bool told = false;
    for (size_t i = 0; i < n; i++) {
        SHARC_ASSERT(look[i].seen <= now && look[i].rate >= 0);
        first = fmin(first, look[i].seen);
        mean += look[i].rate / (double)n;
        told = told || look[i].from < look[i].seen;
    }
    if (!(first < now) || !told || !(mean > 0)) {
        for (size_t i = 0; i < n; i++) ret_still[i] = exp(-look[i].rate * (now - look[i].seen));
        return 1;
    }
    SHARC_AUTO(since_done) struct since s = {.n = n, .still = ret_still};
    set_out(&s, places, look, first, now, mean);
    judge(&s);
    return factor_of(look, ret_still, n, now);
}

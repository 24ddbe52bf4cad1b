/* SPDX-License-Identifier: Apache-2.0
 *
 * What is the same twice by chance. A teaser that has few values shows the same one now and then, and a page that
 * stands still there speaks against nothing; unless more pages do so than chance explains.
 *
 * How likely that is for one page follows from how pages move between values. If pages that show a go to b with
 * probability q(a, b), as long as they move at all, and all draw from one pool, then a page that shows b stays with
 * s(b) = q(a, b) (1 - s(a)), for every a that pages at b go to. Only those a are asked, so it does not matter whether
 * other pages draw from another pool. Pages that stay are not part of the estimate: however many are pinned to their
 * value, they do not excuse each other.
 */
#include "case_int.h"

#include <math.h>
#include <stdlib.h>

/* --- moves ------------------------------------------------------------------------------------------ */

void sharc__case_note_move(struct sharc_case *c, const struct place *at, uint64_t before, uint64_t after)
{
    SHARC_GROW(c->moves, c->move_room, c->move_count + 1);
    c->moves[c->move_count++] = (struct move){(uint32_t)(at - c->places), before, after};
}

static int by_move(const void *a, const void *b)
{
    const struct move *x = a, *y = b;
    if (x->place != y->place) return x->place < y->place ? -1 : 1;
    if (x->before != y->before) return x->before < y->before ? -1 : 1;
    return (x->after > y->after) - (x->after < y->after);
}

/* From one value to another, so many times; and the way back, as a share of those that leave the other one. */
struct way {
    uint64_t to;
    uint32_t row; /* of the other value, or NONE: nobody leaves it */
    uint32_t times;
    double back;
};

/* A value that pages leave. */
struct row {
    uint64_t value;
    uint32_t first, end; /* ways */
    uint32_t times;
    double stays; /* chance that a page that shows it shows it again */
};

struct graph {
    struct row *rows;
    size_t row_count, row_room;
    struct way *ways;
    size_t way_count, way_room;
};

/* Moves of one place, sorted. */
static void read_moves(struct graph *g, const struct move *m, size_t n)
{
    g->row_count = g->way_count = 0;
    for (size_t i = 0; i < n; i++) {
        if (i == 0 || m[i].before != m[i - 1].before) {
            SHARC_GROW(g->rows, g->row_room, g->row_count + 1);
            g->rows[g->row_count++] = (struct row){.value = m[i].before, .first = (uint32_t)g->way_count};
        }
        struct row *r = &g->rows[g->row_count - 1];
        if (r->times == 0 || m[i].after != m[i - 1].after) {
            SHARC_GROW(g->ways, g->way_room, g->way_count + 1);
            g->ways[g->way_count++] = (struct way){.to = m[i].after, .row = SHARC__EVIDENCE_NONE};
        }
        g->ways[g->way_count - 1].times++;
        r->times++;
        r->end = (uint32_t)g->way_count;
    }
}

static int row_by_value(const void *key, const void *item)
{
    uint64_t x = *(const uint64_t *)key, y = ((const struct row *)item)->value;
    return (x > y) - (x < y);
}

static int way_by_value(const void *key, const void *item)
{
    uint64_t x = *(const uint64_t *)key, y = ((const struct way *)item)->to;
    return (x > y) - (x < y);
}

static void find_ways_back(struct graph *g)
{
    for (size_t i = 0; i < g->row_count; i++)
        for (uint32_t k = g->rows[i].first; k < g->rows[i].end; k++) {
            struct way *w = &g->ways[k];
            const struct row *other = bsearch(&w->to, g->rows, g->row_count, sizeof *g->rows, row_by_value);
            if (!other) continue;
            const struct way *back = bsearch(&g->rows[i].value, g->ways + other->first, other->end - other->first,
                                             sizeof *g->ways, way_by_value);
            w->row = (uint32_t)(other - g->rows);
            w->back = back ? (double)back->times / other->times : 0;
        }
}

enum { STEPS = 24 }; /* each halves what is left: far below what counting so few pages can tell */
#define MOST_STAYS 0.9

/* One step towards s(b) = q(a, b) (1 - s(a)), the mean over all a that pages at b go to. */
static void step(struct graph *g)
{
    for (size_t i = 0; i < g->row_count; i++) {
        struct row *r = &g->rows[i];
        double sum = 0, n = 0;
        for (uint32_t k = r->first; k < r->end; k++) {
            const struct way *w = &g->ways[k];
            if (w->row == SHARC__EVIDENCE_NONE) continue;
            sum += w->times * w->back * (1 - g->rows[w->row].stays);
            n += w->times;
        }
        r->stays = (r->stays + (n > 0 ? fmin(sum / n, MOST_STAYS) : 0)) / 2;
    }
}

/* Of pages that are like those that moved, the share that stays. */
static double chance_to_stay(struct graph *g, const struct move *m, size_t n)
{
    double moved = (double)n, stayed = 0;
    read_moves(g, m, n);
    find_ways_back(g);
    for (int i = 0; i < STEPS; i++) step(g);
    for (size_t i = 0; i < g->row_count; i++) stayed += g->rows[i].times * g->rows[i].stays / (1 - g->rows[i].stays);
    return stayed / (moved + stayed);
}

void sharc__case_weigh_moves(struct sharc_case *c)
{
    struct graph g = {.rows = NULL};
    if (c->move_count > 1) qsort(c->moves, c->move_count, sizeof *c->moves, by_move);
    for (size_t i = 0, end; i < c->move_count; i = end) {
        struct place *p = &c->places[c->moves[i].place];
        for (end = i; end < c->move_count && c->moves[end].place == c->moves[i].place;) end++;
        if (p->by_chance || p->proved < p->pairs) p->stays = chance_to_stay(&g, c->moves + i, end - i);
    }
    free(g.rows);
    free(g.ways);
}

/* --- what chance allows --------------------------------------------------------------------------------- */

/* The chance that two draws are the same: by how often each value was told, if all pages have one pool, or by how they
 * move, if not. */
static double chance_of_same(const struct place *p)
{
    double n = (double)p->values;
    double told = n > 1 ? ((double)p->squares - n) / (n * n - n) : 0;
    return fmax(told, p->stays);
}

enum { DRAWS_MOST = 10000 };
#define RARE_CHANCE 0.01

/* That of n draws, each with chance p, k or more hit. */
static double tail(unsigned n, unsigned k, double p)
{
    if (p <= 0) return k ? 0 : 1;
    if (p >= 1 || k == 0) return 1;
    double sum = 0, one = pow(1 - p, n);
    for (unsigned i = 0; i < k; i++) {
        sum += one;
        one *= (double)(n - i) / (i + 1) * p / (1 - p);
    }
    return 1 - sum;
}

/* Two downloads of a teaser may show the same one, and those of a shuffled list the same order: a place may miss as
 * many pairs as chance allows. Random tokens are never the same twice, nor are orders twice over. */
bool sharc__case_are_misses_chance(const struct place *p)
{
    const unsigned misses = p->pairs - p->proved;
    if (!misses) return true;
    if (p->pairs > DRAWS_MOST || (p->kind == SHARC_HUNK_ORDER && p->tried > 1)) return false;
    if (!p->moving && p->kind != SHARC_HUNK_ORDER && misses == 1 && p->proved > 1) return true;
    return tail(p->pairs, misses, chance_of_same(p)) >= RARE_CHANCE;
}

/* --- pages that stand still ------------------------------------------------------------------------------ */

/* Two: of fifty honest places one would be lost. A page with something fixed counts among those that stood still by
 * chance, so the more are allowed, the more may hide. Up to four, if pages that stood still were looked at again, and
 * turned out to differ by themselves. */
#define DEVIATIONS 2.0
#define DEVIATIONS_TESTED 4.0
#define PINNED_CHANCE 0.003 /* of so many tests one is wrong, and costs an honest place */
enum { TESTS = 12, TRIES = 6 };

/* How many standard deviations more spots stand still than is to be expected: of n that take values at random, n times
 * the chance that two are the same. */
static double excess(const struct place *p)
{
    double n = (double)p->drawn + p->by_chance, values = (double)p->values;
    double same = fmax((double)p->squares / (values * values), p->stays);
    double over = p->by_chance - n * same, variance = n * same * (1 - same);
    if (over <= 1) return 0;
    return variance > 0 ? over / sqrt(variance) : HUGE_VAL;
}

bool sharc__case_is_pinned(const struct place *p)
{
    return p->pinned && tail(p->tested, p->pinned, pow(chance_of_same(p), p->pin_tries)) < PINNED_CHANCE;
}

bool sharc__case_is_suspect(const struct place *p, unsigned tries)
{
    return tries < TRIES && !sharc__case_is_pinned(p);
}

unsigned sharc__case_tests(const struct place *p, unsigned spare)
{
    if (!p->by_chance || p->contradicted || p->kind == SHARC_HUNK_ORDER || sharc__case_is_pinned(p)) return 0;
    double over = excess(p);
    if (over > DEVIATIONS_TESTED) return 0;
    return over > DEVIATIONS ? TESTS : spare < TESTS ? spare : TESTS;
}

bool sharc__case_is_chance(const struct place *p)
{
    if (!p->by_chance) return true;
    if (sharc__case_is_pinned(p)) return false;
    double over = excess(p);
    return over <= DEVIATIONS || (over <= DEVIATIONS_TESTED && p->tested >= TESTS);
}

/* SPDX-License-Identifier: Apache-2.0
 *
 * The book of a capture: every page's rate, weight and fate, 17 bytes each and
 * 8 more once a weight other than 1 is told. Also the guess how many pages the
 * site has, and the pages sorted by heat.
 */
#include "schedule_int.h"

#include <math.h>
#include <stdlib.h>

void sharc__schedule_book_init(struct book *b)
{
    *b = (struct book){0};
}

void sharc__schedule_book_done(struct book *b)
{
    free(b->rate);
    free(b->weight);
    free(b->state);
    free(b->slot);
    free(b->order);
    *b = (struct book){0};
}

size_t sharc__schedule_book_bytes(const struct book *b)
{
    size_t each = sizeof *b->rate + sizeof *b->state + sizeof *b->slot + sizeof *b->order;
    return b->room * (each + (b->weight ? sizeof *b->weight : 0));
}

void sharc__schedule_book_reach(struct book *b, sharc_page_no page)
{
    if (page < b->room) return;
    /* Grows by a half: a million pages should not cost two. */
    size_t room = (size_t)page + 1 + b->room / 2 + 16;
    if (room > UINT32_MAX) room = UINT32_MAX;
    b->rate = sharc_realloc(b->rate, room, sizeof *b->rate);
    b->state = sharc_realloc(b->state, room, sizeof *b->state);
    b->slot = sharc_realloc(b->slot, room, sizeof *b->slot);
    b->order = sharc_realloc(b->order, room, sizeof *b->order);
    memset(b->state + b->room, PAGE_UNKNOWN, room - b->room);
    if (b->weight) {
        b->weight = sharc_realloc(b->weight, room, sizeof *b->weight);
        for (size_t i = b->room; i < room; i++) {
            b->weight[i] = 1;
        }
    }
    b->room = (uint32_t)room;
}

static double sane(double x)
{
    return isfinite(x) && x > 0 ? x : 0;
}

void sharc__schedule_book_set(struct book *b, sharc_page_no page, double rate, double weight)
{
    b->rate[page] = sane(rate);
    weight = sane(weight);
    if (!b->weight) {
        if (fabs(weight - 1) <= 0) return;
        b->weight = SHARC_NEW_ARRAY(double, b->room);
        for (uint32_t i = 0; i < b->room; i++) {
            b->weight[i] = 1;
        }
    }
    b->weight[page] = weight;
}

void sharc__schedule_book_visit(struct book *b, sharc_page_no page, uint32_t slot, bool hopeless)
{
    /* A moving average over the last 32 visits, or the last eighth of them. */
    if (b->visits > 0) {
        double window = fmax(32, b->visits / 8.0);
        b->yield += (b->fresh - b->yield) / fmin(window, b->visits);
    }
    b->fresh = 0;
    b->order[b->visits++] = page;
    b->slot[page] = slot;
    b->state[page] = (uint8_t)(PAGE_VISITED | (hopeless ? PAGE_HOPELESS : 0));
    if (hopeless) b->hopeless++;
}

double sharc__schedule_book_size(const struct book *b, uint32_t told)
{
    if (told > 0) return fmax(told, b->count);
    /* Every page that waits brings `yield` more, and these bring theirs: a
     * geometric series. Early yields (a home page with hundreds of links) would
     * make it diverge, hence the cap. */
    double yield = fmin(b->yield, 0.9);
    return b->visits + book_detected(b) / (1 - yield);
}

/* --- ranking ------------------------------------------------------------------ */

struct heated {
    double heat;
    sharc_page_no page;
};

static int hottest_first(const void *a, const void *b)
{
    const struct heated *x = a, *y = b;
    if (x->heat < y->heat || x->heat > y->heat) return x->heat > y->heat ? -1 : 1;
    return (x->page > y->page) - (x->page < y->page);
}

/* Fill r from items, which are sorted here. */
static void rank(struct ranking *r, struct heated *items, uint32_t n, const double *rate, const double *weight)
{
    qsort(items, n, sizeof *items, hottest_first);
    *r = (struct ranking){.n = n, .page = SHARC_NEW_ARRAY(sharc_page_no, n), .rate = SHARC_NEW_ARRAY(double, n)};
    if (weight) r->weight = SHARC_NEW_ARRAY(double, n);
    for (uint32_t i = 0; i < n; i++) {
        r->page[i] = items[i].page;
        r->rate[i] = rate[items[i].page];
        if (weight) r->weight[i] = weight[items[i].page];
    }
}

void sharc__schedule_ranking_init(struct ranking *r, const struct book *b, enum page_state which)
{
    uint32_t most = which == PAGE_DETECTED ? book_detected(b) : b->visits;
    SHARC_AUTO(sharc_freep) struct heated *items = SHARC_NEW_ARRAY(struct heated, most);
    uint32_t n = 0;
    for (uint32_t p = 0; p < b->room; p++) {
        if (book_state(b, p) == which) items[n++] = (struct heated){book_heat(b, p), p};
    }
    rank(r, items, n, b->rate, b->weight);
}

void sharc__schedule_ranking_of(struct ranking *r, const double *rate, const double *weight, uint32_t n)
{
    SHARC_AUTO(sharc_freep) struct heated *items = SHARC_NEW_ARRAY(struct heated, n);
    for (uint32_t i = 0; i < n; i++) {
        items[i] = (struct heated){rate[i] * (weight ? weight[i] : 1), i};
    }
    rank(r, items, n, rate, weight);
}

void sharc__schedule_ranking_done(struct ranking *r)
{
    free(r->page);
    free(r->rate);
    free(r->weight);
    *r = (struct ranking){0};
}

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

/* Numbers that are not negative have the order of their bits. */
static uint64_t coldness(double heat)
{
    uint64_t bits;
    heat += 0.0; /* no zero below zero */
    memcpy(&bits, &heat, sizeof bits);
    return ~bits;
}

enum { DIGIT = 11, DIGITS = (64 + DIGIT - 1) / DIGIT, VALUES = 1 << DIGIT };

static unsigned digit_of(const struct heated *h, int digit)
{
    return (unsigned)(coldness(h->heat) >> digit * DIGIT) & (VALUES - 1);
}

/* Hottest first; items come in the order of their pages, and those of one heat keep it. Digit by
 * digit from the last: a million pages are sorted again and again, four times as fast as by comparing. */
static void sort_by_heat(struct heated *items, uint32_t n)
{
    SHARC_AUTO(sharc_freep) struct heated *other = SHARC_NEW_ARRAY(struct heated, n);
    SHARC_AUTO(sharc_freep) uint32_t *count = SHARC_NEW_ARRAY(uint32_t, (size_t)DIGITS * VALUES);
    struct heated *from = items, *to = other;
    for (uint32_t i = 0; i < n; i++)
        for (int d = 0; d < DIGITS; d++) count[d * VALUES + digit_of(&items[i], d)]++;
    for (int d = 0; d < DIGITS; d++) {
        uint32_t *at = count + (ptrdiff_t)d * VALUES, sum = 0;
        if (n > 0 && at[digit_of(&from[0], d)] == n) continue; /* all have the same */
        for (int v = 0; v < VALUES; v++) {
            const uint32_t here = at[v];
            at[v] = sum;
            sum += here;
        }
        for (uint32_t i = 0; i < n; i++) to[at[digit_of(&from[i], d)]++] = from[i];
        struct heated *const swap = from;
        from = to;
        to = swap;
    }
    if (from != items) memcpy(items, from, n * sizeof *items);
}

/* Fill r from items, which are sorted here. */
static void rank(struct ranking *r, struct heated *items, uint32_t n, const double *rate, const double *weight)
{
    sort_by_heat(items, n);
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

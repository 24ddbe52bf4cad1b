/* SPDX-License-Identifier: Apache-2.0
 *
 * Online pyramids. With m pages detected and r expected to be visited still, the
 * detected stand for the rest: the page of rank k among them for r/m pages,
 * around the interval k r/m. Some of them are given up if that is worth it;
 * visit the hottest page given up, else the coldest hopeful one. Pages known
 * beforehand so fall into the order of the offline plan, and a page that turns
 * up goes where its rate belongs.
 *
 * Classifying anew at every step would be cubic. How many pages of each heat to
 * give up follows from a histogram in a few passes over its bins; the answer
 * hardly moves while m and r do not, so it is sought again when one of them has
 * moved by a percent. Until then a page that turns up is given up in the
 * proportion of its bin. Few pages, all known, are classified exactly.
 */
#include "selecting.h"

#include <math.h>

#define LOWEST (-70)    /* log2 of the heat in bin 0 */
#define FEW 128         /* exact up to here */
#define ALL_KNOWN 1.001 /* pages that a page stands for, up to which all count as known */
#define EXPLORE 2       /* the same, above which much is unknown */
#define FERTILE 8       /* new pages per visit, where pages are no mere leaves */
#define HUB 32          /* a page that leads to this many new ones */
#define PER_STEP 256    /* operations that one step may cost on average */

void sharc__schedule_selecting_init(struct selecting *c)
{
    *c = (struct selecting){.detected = sharc_ranked_new()};
}

void sharc__schedule_selecting_done(struct selecting *c)
{
    sharc_ranked_free(c->detected);
}

size_t sharc__schedule_selecting_bytes(const struct selecting *c)
{
    return sizeof *c + sharc_ranked_count(c->detected) * (sizeof(double) + sizeof(uint32_t)) * 4 / 3;
}

static uint32_t bin_of(double heat)
{
    double at = heat > 0 ? SELECTING_STEPS * (log2(heat) - LOWEST) : 0;
    return (uint32_t)fmin(fmax(at, 0), SELECTING_BINS - 1);
}

/* The heat at which a bin ends. */
static double upper_edge(uint32_t bin)
{
    return bin + 1 < SELECTING_BINS ? exp2((bin + 1.0) / SELECTING_STEPS + LOWEST) : HUGE_VAL;
}

static void leave(struct selecting *c, double rate, double weight, bool given_up)
{
    struct selecting_bin *b = &c->bins[bin_of(rate * weight)];
    b->rate -= rate;
    b->weight -= weight;
    if (given_up) b->lost -= 1;
    if (--b->count == 0) b->rate = b->weight = b->lost = 0; /* no rounding is carried on */
    if (b->lost > b->count) b->lost = b->count;
}

void sharc__schedule_selecting_add(struct sharc_strategy *s, struct selecting *c, sharc_page_no page)
{
    double rate = s->book.rate[page], weight = book_weight(&s->book, page);
    uint32_t bin = bin_of(rate * weight);
    struct selecting_bin *b = &c->bins[bin];
    b->count++;
    b->rate += rate;
    b->weight += weight;
    b->lost += b->share;
    if (b->share > 0 && bin > c->top) c->top = bin;
    sharc_ranked_insert(c->detected, rate * weight, page);
}

void sharc__schedule_selecting_moved(struct sharc_strategy *s, struct selecting *c, sharc_page_no page, double old_rate,
                                     double old_weight)
{
    sharc_ranked_delete(c->detected, old_rate * old_weight, page);
    leave(c, old_rate, old_weight, /* given_up= */ false);
    sharc__schedule_selecting_add(s, c, page);
}

static void outline(const struct selecting *c, double m, double r, struct outline *ret)
{
    ret->parts = 0;
    ret->m = m;
    ret->scale = r / m;
    for (uint32_t i = SELECTING_BINS; i > 0; i--) {
        const struct selecting_bin *b = &c->bins[i - 1];
        if (b->count == 0) continue;
        ret->part[ret->parts].count = b->count;
        ret->part[ret->parts].rate = fmax(b->rate / b->count, 0);
        ret->part[ret->parts].weight = fmax(b->weight / b->count, 0);
        ret->part[ret->parts].lost = 0;
        ret->part[ret->parts++].bin = i - 1;
    }
}

static void divide(struct sharc_strategy *s, struct selecting *c, double m, double r)
{
    struct outline o;
    outline(c, m, r, &o);
    c->divide(&o, &s->params);
    /* A bin that is empty now goes with the next hotter one. */
    double share = o.parts > 0 && o.part[0].lost > 0 ? 1 : 0;
    uint32_t bin = SELECTING_BINS;
    for (size_t i = 0; i < o.parts; i++) {
        while (bin > o.part[i].bin + 1) {
            c->bins[--bin].share = share;
        }
        share = o.part[i].lost / o.part[i].count;
        c->bins[--bin].share = share;
        c->bins[bin].lost = o.part[i].lost;
    }
    while (bin > 0) {
        c->bins[--bin].share = share;
    }
    /* The hottest page keeps the shortest interval unless it stands for many, or
     * pages lead to so many others that it may hide a branch of the site. */
    c->spare = o.scale <= 2 && c->yield < FERTILE;
    if (c->spare && o.parts > 0) {
        struct selecting_bin *hottest = &c->bins[o.part[0].bin];
        hottest->lost = fmin(hottest->lost, hottest->count - 1.0);
    }
    c->top = SELECTING_BINS - 1;
    c->m = m;
    c->r = r;
    c->credit -= 40.0 * (double)o.parts;
}

/* All that is left is known and few: the offline test itself. */
static bool take_exactly(struct sharc_strategy *s, sharc_page_no *ret)
{
    struct ranking r;
    sharc__schedule_ranking_init(&r, &s->book, PAGE_DETECTED);
    bool hopeless[FEW] = {false}, found = false;
    sharc__schedule_selective_classify(&r, hopeless);
    *ret = r.page[r.n - 1];
    for (uint32_t i = 0; i < r.n && !found; i++) {
        found = hopeless[i];
        if (found) *ret = r.page[i];
    }
    sharc__schedule_ranking_done(&r);
    return found;
}

/* Rank in the list of the hottest page to be given up, or SIZE_MAX. */
static size_t to_give_up(struct selecting *c)
{
    for (; c->top > 0; c->top--) {
        struct selecting_bin *b = &c->bins[c->top];
        if (b->lost < 0.5) continue;
        size_t below = sharc_ranked_below(c->detected, upper_edge(c->top)), all = sharc_ranked_count(c->detected);
        /* The very hottest is spared while its bin holds another. */
        bool spared = c->spare && below == all && b->count > b->lost + 0.5 && below >= 2;
        return spared ? below - 2 : below - 1;
    }
    return SIZE_MAX;
}

static bool moved_much(double then, double now)
{
    return fabs(now - then) > 0.01 * now;
}

/* The hottest pages may lead to the rest of the site, or the coldest. While much
 * is unknown and this end leads nowhere, try a page of the other end, and go on
 * there as long as the pages are hubs; each try in vain makes the pause four times as long. Who
 * knew most pages beforehand has no reason to look. */
static bool look_elsewhere(struct selecting *c, double visits, double m, double r)
{
    bool hub = c->elsewhere && c->found >= HUB;
    if (c->elsewhere) {
        c->pause = hub ? 0 : 4 * c->pause + 4;
        c->wait = c->pause;
    }
    bool onwards = hub && r > ALL_KNOWN * m;
    bool stuck = r > EXPLORE * m && visits + m > 2 * c->ahead && c->yield < 0.5 && c->wait == 0;
    if (c->wait > 0) c->wait--;
    c->elsewhere = m >= 2 && (onwards || stuck);
    return c->elsewhere;
}

sharc_page_no sharc__schedule_selecting_take(struct sharc_strategy *s, struct selecting *c, bool *ret_hopeless)
{
    double m = (double)sharc_ranked_count(c->detected);
    double r = fmax(m, sharc__schedule_book_size(&s->book, s->params.size) - s->book.visits);
    if (c->ahead == 0) c->ahead = m;
    c->found = m - (double)c->known;
    c->yield += 0.2 * (c->found - c->yield);
    c->left = r;
    c->credit = fmin(c->credit + PER_STEP, 1e6);
    sharc_page_no page;
    if (c->exact_if_few && m <= FEW && r - m < 0.5 && c->credit >= 0) {
        c->credit -= m * m;
        *ret_hopeless = take_exactly(s, &page);
        sharc_ranked_delete(c->detected, book_heat(&s->book, page), page);
        leave(c, s->book.rate[page], book_weight(&s->book, page), *ret_hopeless);
    } else {
        if ((moved_much(c->m, m) || moved_much(c->r, r)) && c->credit >= 0) divide(s, c, m, r);
        size_t at = to_give_up(c);
        bool given_up = at != SIZE_MAX;
        if (look_elsewhere(c, s->book.visits, m, r)) at = given_up ? 0 : (size_t)m - 1;
        *ret_hopeless = at != SIZE_MAX && at > 0;
        page = sharc_ranked_take(c->detected, at != SIZE_MAX ? at : 0).id;
        leave(c, s->book.rate[page], book_weight(&s->book, page), given_up && *ret_hopeless);
    }
    c->known = sharc_ranked_count(c->detected);
    return page;
}

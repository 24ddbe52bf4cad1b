/* SPDX-License-Identifier: Apache-2.0
 *
 * Ages and given rates by page, around the neighbours.
 */
#include "sharc/rate_live.h"

#include "rate_int.h"
#include "sharc/rate_near.h"

#include <math.h>
#include <stdlib.h>

#define NOWHERE UINT32_MAX

struct sharc_rate_live {
    struct sharc_rate_near *near;
    double grain;
    double *age;     /* by page; NAN: not stated */
    uint32_t *place; /* by page, in `near`; NOWHERE: not asked for yet */
    size_t places, place_room;
    size_t ages, age_room;
    size_t heard; /* pages that state an age */
    float *given; /* by page; 0: none */
    size_t givens, given_room;
    uint64_t due_at;  /* visits */
    uint64_t done_at; /* visits when it was last due */
};

struct sharc_rate_live *sharc_rate_live_new(double window, double grain)
{
    struct sharc_rate_live *l = SHARC_NEW(struct sharc_rate_live);
    l->near = sharc_rate_near_new(window, grain);
    l->grain = grain;
    return l;
}

void sharc_rate_live_free(struct sharc_rate_live *l)
{
    if (!l) return;
    sharc_rate_near_free(l->near);
    free(l->age);
    free(l->place);
    free(l->given);
    free(l);
}

void sharc_rate_live_freep(struct sharc_rate_live **l)
{
    sharc_rate_live_free(*l);
    *l = NULL;
}

static double age_of(const struct sharc_rate_live *l, uint32_t page)
{
    return page < l->ages ? l->age[page] : (double)NAN;
}

static uint32_t place_of(struct sharc_rate_live *l, uint32_t page, struct sharc_span url)
{
    SHARC_GROW(l->place, l->place_room, (size_t)page + 1);
    while (l->places <= page) l->place[l->places++] = NOWHERE;
    if (l->place[page] == NOWHERE) l->place[page] = sharc_rate_near_place(l->near, url);
    return l->place[page];
}

void sharc_rate_live_given(struct sharc_rate_live *l, uint32_t page, double rate)
{
    bool any = rate > 0 && isfinite(rate);
    if (!any && page >= l->givens) return;
    SHARC_GROW(l->given, l->given_room, (size_t)page + 1);
    while (l->givens <= page) l->given[l->givens++] = 0;
    l->given[page] = any ? (float)rate : 0;
}

double sharc_rate_live_seen(struct sharc_rate_live *l, uint32_t page, struct sharc_span url, double age)
{
    if (!isnan(age)) {
        SHARC_GROW(l->age, l->age_room, (size_t)page + 1);
        while (l->ages <= page) l->age[l->ages++] = (double)NAN;
        l->heard += isnan(l->age[page]);
        sharc_rate_near_replace(l->near, place_of(l, page, url), l->age[page], age);
        l->age[page] = age;
    }
    return sharc_rate_live_rate(l, page, url);
}

void sharc_rate_live_told(const struct sharc_rate_live *l, uint32_t page, double *ret_age, double *ret_given)
{
    *ret_age = age_of(l, page);
    *ret_given = page < l->givens ? (double)l->given[page] : 0;
}

struct sharc_rate_gamma sharc_rate_live_gamma(struct sharc_rate_live *l, uint32_t page, struct sharc_span url)
{
    const double age = age_of(l, page);
    struct sharc_rate_gamma g = sharc_rate_near_prior_at(l->near, place_of(l, page, url), age);
    if (page < l->givens && l->given[page] > 0) {
        const double others = (double)(l->heard - !isnan(age));
        g = sharc_rate_prior(sharc__rate_join((double)l->given[page], sharc_rate_prior_mean(g), others), g.shape);
    }
    if (isnan(age)) return g;
    return (struct sharc_rate_gamma){g.shape + 1, g.time + fmax(age, 0) + l->grain};
}

double sharc_rate_live_rate(struct sharc_rate_live *l, uint32_t page, struct sharc_span url)
{
    return sharc_rate_prior_mean(sharc_rate_live_gamma(l, page, url));
}

bool sharc_rate_live_due(struct sharc_rate_live *l, uint64_t visits, uint64_t known)
{
    if (visits < l->due_at && (visits < known || visits == l->done_at)) return false;
    uint64_t step = visits / 2 + 16;
    l->done_at = visits;
    l->due_at = visits + (step > known / 1024 ? step : known / 1024);
    return true;
}

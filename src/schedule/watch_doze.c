/* SPDX-License-Identifier: Apache-2.0
 *
 * Which of a hundred thousand pages are worth looking at closely, for the strategy `value`.
 *
 * To reckon what a download of a page is worth costs a walk through its hours since the last reckoning, in memory that
 * lies all over the place. But worth grows slowly, and how slowly is known: let u be what is expected to be up and not
 * archived, as a share of the most it can be, and x = −ln(1−u). In no hour does x grow faster than by the highest rate
 * that the page has in any hour. So from x and that rate follows an instant before which the page's worth is surely
 * below a floor; until then the page dozes, and costs one comparison. The x that belongs to a floor is that of which y
 * is g, y = floor / worth of a certain change. It is at least s + s²/3 with s = √(2y), which needs no logarithm.
 *
 * The floor follows what is paid: it is raised when many more pages are awake than are needed, and lowered, and all
 * instants reckoned again, when fewer are.
 */
#include "watch_int.h"

#include <math.h>
#include <stdlib.h>

#define NEVER (INT64_MAX / 2)
enum {
    FEW = 1024,    /* pages: not worth the trouble */
    SPARE = 512,   /* pages awake beyond those that are asked for */
    SAMPLES = 512, /* pages by which a floor is found */
    CROWD = 4,     /* times as many awake as are wanted: the floor is raised */
};

void sharc__schedule_watch_doze_done(struct watch_doze *d)
{
    free(d->p);
    *d = (struct watch_doze){0};
}

void sharc__schedule_watch_wake(struct sharc_watch *w, sharc_page_no page)
{
    if (page < w->doze.room) w->doze.p[page].wake = INT64_MIN;
}

/* What a certain change of the page would be worth. */
static double certain(const struct sharc_watch *w, const struct watched *p, const struct doze *d)
{
    const struct site *s = &w->sites[p->is.site];
    return s->weight > 0 ? s->is.weight / s->weight * d->scale : 0;
}

/* quick: by the bound that needs no logarithm, for all pages at once. */
static void lie_down(const struct sharc_watch *w, const struct watched *p, struct doze *d, bool quick)
{
    const double floor = w->doze.floor, most = certain(w, p, d);
    if (!(floor > 0) || !p->is.held) {
        d->wake = INT64_MIN;
    } else if (!(most > floor) || !(d->rate > 0)) {
        d->wake = NEVER;
    } else {
        const double s = sqrt(2 * floor / most), x = quick ? s + s * s / 3 : sharc_index_g_inverse(floor / most);
        const double hours = (x - d->changes) / (double)d->rate;
        /* A millisecond sooner, so that no rounding makes it late. */
        d->wake = hours > 1e6 ? NEVER : d->at + (sharc_time)(fmax(hours, 0) * (double)SHARC_HOUR) - SHARC_MSEC;
    }
}

void sharc__schedule_watch_doze_again(struct sharc_watch *w)
{
    for (size_t i = 0; i < w->doze.room; i++)
        if (w->pages[i].on && w->doze.p[i].wake != INT64_MIN) lie_down(w, &w->pages[i], &w->doze.p[i], true);
}

/* Its worth, exactly. Below the floor it dozes from here on. */
static double reckon(struct sharc_watch *w, sharc_page_no page, sharc_time now)
{
    struct watched *p = &w->pages[page];
    struct doze *d = &w->doze.p[page];
    const double worth = sharc__schedule_watch_habit_index(w, p, now);
    const struct habit *h = p->habit;
    const double u = h->most > 0 ? fmin(h->value / h->most, 1) : 0;
    d->at = now;
    d->changes = u < 1 ? -log1p(-u) : 700;
    d->rate = h->fastest;
    d->scale = h->level > 0 ? p->is.weight / h->level * h->most : 0;
    if (worth < w->doze.floor) lie_down(w, p, d, false);
    return worth;
}

static bool is_near(const struct choosing *c, const struct watched *p)
{
    return p->on && !p->out && c->now >= watch_rested(c->w, p);
}

/* --- the floor --------------------------------------------------------------------------- */

static int dearest_first(const void *a, const void *b)
{
    const double *x = a, *y = b;
    return (*x < *y) - (*x > *y);
}

/* The worth that about `want` of `all` pages reach, by those of a sample. */
static double floor_of(double *sample, size_t n, size_t want, size_t all)
{
    if (n == 0) return 0;
    qsort(sample, n, sizeof *sample, dearest_first);
    size_t rank = (size_t)((double)want * (double)n / (double)all) + 1;
    return rank < n ? sample[rank] : 0;
}

static size_t wanted_awake(const struct choosing *c)
{
    return 4 * (c->most - c->n) + SPARE;
}

/* Before anything is known: some pages from all over. */
static void first_floor(struct choosing *c)
{
    struct sharc_watch *w = c->w;
    double sample[SAMPLES];
    size_t n = 0;
    const size_t step = w->room / SAMPLES + 1;
    for (size_t i = 0; i < w->room; i += step)
        if (is_near(c, &w->pages[i])) sample[n++] = sharc__schedule_watch_habit_index(w, &w->pages[i], c->now);
    w->doze.floor = floor_of(sample, n, wanted_awake(c), w->count);
}

static void raise_floor(struct choosing *c, const struct urgent *list, size_t n)
{
    struct sharc_watch *w = c->w;
    double sample[SAMPLES];
    size_t taken = 0;
    const size_t step = n / SAMPLES + 1;
    for (size_t i = 0; i < n; i += step) sample[taken++] = list[i].urgency;
    w->doze.floor = floor_of(sample, taken, wanted_awake(c), n);
    for (size_t i = 0; i < n; i++)
        if (list[i].urgency < w->doze.floor) lie_down(w, &w->pages[list[i].page], &w->doze.p[list[i].page], false);
}

/* --- who is awake ------------------------------------------------------------------------- */

static void make_room(struct sharc_watch *w)
{
    struct watch_doze *d = &w->doze;
    if (d->room >= w->room) return;
    d->p = sharc_realloc(d->p, w->room, sizeof *d->p);
    for (size_t i = d->room; i < w->room; i++) d->p[i] = (struct doze){.wake = INT64_MIN};
    d->room = w->room;
}

size_t sharc__schedule_watch_awake(struct choosing *c, struct urgent **list, size_t *room)
{
    struct sharc_watch *w = c->w;
    size_t n = 0;
    make_room(w);
    if (w->count <= FEW) w->doze.floor = 0;
    if (w->count > FEW && !(w->doze.floor > 0)) first_floor(c);
    for (size_t i = 0; i < w->doze.room; i++) {
        if (w->doze.p[i].wake > c->now || !is_near(c, &w->pages[i])) continue;
        const double worth = reckon(w, (sharc_page_no)i, c->now);
        if (worth < w->doze.floor) continue;
        SHARC_GROW(*list, *room, n + 1);
        (*list)[n++] = (struct urgent){worth, w->pages[i].last, (sharc_page_no)i};
    }
    if (w->count > FEW && n > CROWD * wanted_awake(c)) raise_floor(c, *list, n);
    return n;
}

bool sharc__schedule_watch_lower(struct sharc_watch *w)
{
    if (!(w->doze.floor > 0)) return false;
    if (++w->doze.lowered < 3)
        w->doze.floor /= 8;
    else
        w->doze.floor = 0;
    sharc__schedule_watch_doze_again(w);
    return true;
}

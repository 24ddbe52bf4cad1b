/* SPDX-License-Identifier: Apache-2.0
 *
 * The evidence about one page, kept as sufficient statistics: quiet time and
 * counted changes are sums, only looks that saw a change need their lengths.
 */
#include "rate_int.h"

#include <math.h>
#include <stdlib.h>

void sharc_rate_history_done(struct sharc_rate_history *h)
{
    free(h->changed);
    *h = (struct sharc_rate_history)SHARC_RATE_HISTORY_INIT;
}

void sharc_rate_history_clear(struct sharc_rate_history *h)
{
    *h = (struct sharc_rate_history){.changed = h->changed, .room = h->room};
}

/* Join the two neighbours whose lengths are most alike. Their mean length keeps
 * the time covered; the likelihood changes by a second-order term of the ratio,
 * which with 48 lengths over even ten decades is a few per cent of a look. */
static void merge_nearest(struct sharc_rate_history *h)
{
    size_t best = 0;
    double ratio = HUGE_VAL;
    for (size_t i = 0; i + 1 < h->n; i++) {
        double r = h->changed[i + 1].length / h->changed[i].length;
        if (r < ratio) ratio = r, best = i;
    }
    struct sharc_rate_seen *a = &h->changed[best], *b = a + 1;
    double weight = a->weight + b->weight;
    if (weight > 0) a->length = (a->length * a->weight + b->length * b->weight) / weight;
    a->weight = weight;
    memmove(b, b + 1, (h->n - best - 2) * sizeof *b);
    h->n--;
}

static void add_changed(struct sharc_rate_history *h, double length)
{
    size_t at = 0;
    while (at < h->n && h->changed[at].length < length) at++;
    if (at < h->n && h->changed[at].length == length) {
        h->changed[at].weight += 1;
        return;
    }
    SHARC_GROW(h->changed, h->room, h->n + 1);
    memmove(h->changed + at + 1, h->changed + at, (h->n - at) * sizeof *h->changed);
    h->changed[at] = (struct sharc_rate_seen){.length = length, .weight = 1};
    if (++h->n > SHARC_RATE_SEEN_MAX) merge_nearest(h);
}

void sharc_rate_history_look(struct sharc_rate_history *h, double length, bool changed)
{
    if (!(length >= 0) || !isfinite(length)) return;
    h->looks += 1;
    h->looked += length;
    if (!changed)
        h->quiet += length;
    else if (length > 0)
        add_changed(h, length);
    else
        h->events += 1; /* 1 − e^(−λI) → λI: the limit is a dated change */
}

void sharc_rate_history_count(struct sharc_rate_history *h, double changes, double time)
{
    if (!(changes >= 0) || !(time >= 0) || !isfinite(changes) || !isfinite(time)) return;
    h->events += changes;
    h->quiet += time;
}

void sharc_rate_history_age(struct sharc_rate_history *h, double age, bool changed)
{
    sharc_rate_history_count(h, changed ? 1 : 0, age);
}

void sharc_rate_history_forget(struct sharc_rate_history *h, double keep)
{
    if (!(keep >= 0 && keep <= 1)) return;
    h->events *= keep;
    h->quiet *= keep;
    h->looks *= keep;
    h->looked *= keep;
    size_t kept = 0;
    for (size_t i = 0; i < h->n; i++) {
        h->changed[i].weight *= keep;
        /* A look worth less than a millionth moves nothing. */
        if (h->changed[i].weight > 1e-6) h->changed[kept++] = h->changed[i];
    }
    h->n = kept;
}

void sharc_rate_history_recorded(struct sharc_rate_history *h, const double *times, size_t n, double from, double to,
                                 double half_life)
{
    if (!(to > from)) return;
    const double decay = half_life > 0 ? log(2) / half_life : 0;
    double events = 0;
    for (size_t i = 0; i < n; i++)
        if (times[i] > from && times[i] <= to) events += exp(-decay * (to - times[i]));
    double time = decay > 0 ? -expm1(-decay * (to - from)) / decay : to - from;
    sharc_rate_history_count(h, events, time);
}

/* SPDX-License-Identifier: Apache-2.0 */
#include "groups.h"

#include <math.h>
#include <stdlib.h>

static void close_group(const struct ranking *r, struct group *g, uint32_t from, uint32_t to)
{
    double rate = 0, weight = 0;
    for (uint32_t i = from; i < to; i++) {
        rate += r->rate[i];
        weight += ranking_weight(r, i);
    }
    *g = (struct group){from, to, rate / (to - from), weight / (to - from)};
}

/* Rates beyond these bounds all behave alike: never, or always, changed. */
static double log_rate(const struct ranking *r, uint32_t i)
{
    return log(fmin(fmax(r->rate[i], 1e-9 / r->n), 50));
}

struct group *sharc__schedule_groups_make(const struct ranking *r, uint32_t most, uint32_t *ret_count)
{
    /* A third each for the hottest pages, for steps of rate, for sheer size. */
    bool single = r->n <= most;
    uint32_t hot = most / 3, largest = r->n / (most / 3) + 1;
    double low = log(1e-9 / fmax(r->n, 1)), step = (log(50) - low) / hot;
    struct group *groups = SHARC_NEW_ARRAY(struct group, single ? r->n : most + 3);
    uint32_t count = 0, from = 0;
    for (uint32_t i = 1; i <= r->n; i++) {
        bool split = i == r->n || single || i < hot || i - from >= largest ||
                     (!r->weight && log_rate(r, from) - log_rate(r, i) > step);
        if (!split) continue;
        close_group(r, &groups[count++], from, i);
        from = i;
    }
    *ret_count = count;
    return groups;
}

struct group *sharc__schedule_groups_equal(const struct ranking *r, uint32_t size, uint32_t *ret_count)
{
    uint32_t count = (r->n + size - 1) / size;
    struct group *groups = SHARC_NEW_ARRAY(struct group, count);
    for (uint32_t g = 0; g < count; g++) {
        uint32_t from = g * size, to = r->n - from < size ? r->n : from + size;
        close_group(r, &groups[g], from, to);
    }
    *ret_count = count;
    return groups;
}

/* SPDX-License-Identifier: Apache-2.0
 *
 * The version of a URL that existed at an instant: of all its captures the one whose content is known to have been
 * there then, by downloads before by the server's word; where none is known the one that may have been, nearest first;
 * last what was something else then. The choice rests on the captures of the URL alone, so that a page
 * and whoever judges it choose the same for each part.
 */
#include "history.h"

#include <math.h>
#include <stdlib.h>

struct choice {
    size_t sight;
    int rank;
    sharc_time distance;
};

static sharc_time distance_of(const struct sharc_sighting *s, sharc_time at)
{
    return at < s->begun ? s->begun - at : at > s->ended ? at - s->ended : 0;
}

static int by_rank(const void *a, const void *b)
{
    const struct choice *x = a, *y = b;
    if (x->rank != y->rank) return x->rank - y->rank;
    if (x->distance != y->distance) return x->distance < y->distance ? -1 : 1;
    return x->sight < y->sight ? -1 : x->sight > y->sight;
}

static int rank_of(const struct serve_history *h, size_t i, sharc_time at)
{
    enum { NOTHING_KNOWN = SHARC_PART_OPEN };
    struct sharc_part part = {.rate = (double)NAN};
    double p;
    if (!sharc__serve_history_known(h, i, at, &part.known)) return NOTHING_KNOWN;
    return (int)sharc_part_state_of(sharc_quality_part(&part, at, at, &p));
}

int sharc__serve_find_at(const struct sharc_edition *e, struct sharc_span url, sharc_time at, struct sharc_found **ret,
                         struct sharc_err *reterr)
{
    SHARC_AUTO(sharc__serve_history_done) struct serve_history h = SERVE_HISTORY_INIT;
    int r = sharc__serve_history(e, url, at, SERVE_MOST_CHOICES, &h, reterr);
    if (r < 0) return r;
    SHARC_AUTO(sharc_freep) struct choice *choices = SHARC_NEW_ARRAY(struct choice, h.count + 1);
    struct serve_effort effort = sharc__serve_effort();
    size_t n = 0;
    for (size_t i = 0; i < h.count; i++) {
        if (h.sights[i].unreadable || (h.sights[i].status == 304 && !h.sights[i].revisit)) continue;
        bool same = sharc_span_eq(h.sights[i].target, url); /* rather than under https, or with www. */
        choices[n++] = (struct choice){i, 2 * rank_of(&h, i, at) + !same, distance_of(&h.seen[i], at)};
    }
    qsort(choices, n, sizeof *choices, by_rank);
    struct sharc_err kept = SHARC_ERR_INIT;
    for (size_t i = 0; i < n && effort.lines; i++) {
        struct sharc_err why = SHARC_ERR_INIT;
        const struct serve_sight *s = &h.sights[choices[i].sight];
        if (sharc__serve_try(e, s->source, &s->line, &effort, ret, &why) == 0) return 0;
        sharc__serve_keep_reason(&kept, &why);
    }
    return sharc__serve_no_capture(&(struct sharc_wish){.url = url}, &kept, reterr);
}

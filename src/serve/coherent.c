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

/* By the date of the record, which says more than an index in whole seconds. Negative: not this one. */
static int rank_by_date(const struct serve_history *h, size_t i, sharc_time at, enum sharc_mapping mapping)
{
    return mapping == SHARC_LATEST && h->seen[i].begun >= at + SHARC_MSEC ? -1 : 0;
}

static size_t make_choices(const struct serve_history *h, struct sharc_span url, sharc_time at,
                           enum sharc_mapping mapping, struct choice *ret)
{
    size_t n = 0;
    for (size_t i = 0; i < h->count; i++) {
        const struct serve_sight *s = &h->sights[i];
        if (s->unreadable || (s->status == 304 && !s->revisit)) continue;
        bool coherent = mapping == SHARC_COHERENT;
        int rank = coherent ? rank_of(h, i, at) : rank_by_date(h, i, at, mapping);
        if (rank < 0) continue;
        sharc_time begun = h->seen[i].begun, apart = begun > at ? begun - at : at - begun;
        /* Rather the URL itself than under https, or with www. */
        if (coherent) rank = 2 * rank + !sharc_span_eq(s->target, url);
        ret[n++] = (struct choice){i, rank, coherent ? distance_of(&h->seen[i], at) : apart};
    }
    qsort(ret, n, sizeof *ret, by_rank);
    return n;
}

int sharc__serve_find_at(const struct sharc_edition *e, struct sharc_span url, sharc_time at,
                         enum sharc_mapping mapping, struct sharc_found **ret, struct sharc_err *reterr)
{
    SHARC_AUTO(sharc__serve_history_done) struct serve_history h = SERVE_HISTORY_INIT;
    int r = sharc__serve_history(e, url, at, SERVE_MOST_CHOICES, &h, reterr);
    if (r < 0) return r;
    SHARC_AUTO(sharc_freep) struct choice *choices = SHARC_NEW_ARRAY(struct choice, h.count + 1);
    struct serve_effort effort = sharc__serve_effort();
    struct sharc_err kept = SHARC_ERR_INIT;
    size_t n = make_choices(&h, url, at, mapping, choices);
    for (size_t i = 0; i < n && effort.lines; i++) {
        struct sharc_err why = SHARC_ERR_INIT;
        const struct serve_sight *s = &h.sights[choices[i].sight];
        if (sharc__serve_try(e, s->source, &s->line, &effort, ret, &why) == 0) return 0;
        sharc__serve_keep_reason(&kept, &why);
    }
    return sharc__serve_no_capture(&(struct sharc_wish){.url = url}, &kept, reterr);
}

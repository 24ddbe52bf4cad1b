/* SPDX-License-Identifier: Apache-2.0
 *
 * Which time a page speaks for, and when most of them existed together.
 *
 * A page speaks for [end of its visit, start of its revisit]. An answer that a cache had kept for
 * a seconds, and a part of one that Age does not tell, speaks for this long before: the end of the
 * interval moves back by a + 1 seconds. The reference interval is what the intervals of the pages
 * counted have in common.
 */
#include "derive_int.h"

#include <stdlib.h>

static void set_interval(const struct sharc_derived *f, struct sharc_derived_page *p)
{
    if (p->visit == SHARC_DERIVED_NONE || p->revisit == SHARC_DERIVED_NONE) return;
    const struct sharc_download *visit = &f->all.items[p->visit], *revisit = &f->all.items[p->revisit];
    if (visit->to == SHARC_TIME_NONE) return;
    sharc_time to = speaks_for(revisit);
    if (to < visit->to) return;
    p->known_from = visit->to;
    p->known_to = to;
}

struct bound {
    sharc_time at;
    bool ends;
};

/* At one instant intervals begin before others end: both ends belong to them. */
static int by_time(const void *a, const void *b)
{
    const struct bound *x = a, *y = b;
    if (x->at != y->at) return x->at < y->at ? -1 : 1;
    return (int)x->ends - (int)y->ends;
}

static bool speaks(const struct sharc_derived_page *p)
{
    return sharc_grade_is_proof(sharc_derived_grade(p)) && p->known_from != SHARC_TIME_NONE;
}

/* The first interval that the most pages have in common. */
static void find_reference(struct sharc_derived *f)
{
    SHARC_AUTO(sharc_freep) struct bound *bounds = SHARC_NEW_ARRAY(struct bound, 2 * f->page_count);
    size_t n = 0;
    for (size_t i = 0; i < f->page_count; i++) {
        if (!speaks(&f->pages[i])) continue;
        bounds[n++] = (struct bound){.at = f->pages[i].known_from};
        bounds[n++] = (struct bound){.at = f->pages[i].known_to, .ends = true};
    }
    qsort(bounds, n, sizeof *bounds, by_time);
    uint64_t open = 0;
    for (size_t i = 0; i < n; i++) {
        open = bounds[i].ends ? open - 1 : open + 1;
        if (bounds[i].ends || open <= f->together) continue;
        f->together = open;
        f->from = bounds[i].at;
        f->to = bounds[i + 1].at; /* the next bound, if it opens, is a better one */
    }
}

void sharc__derive_intervals(struct sharc_derived *f)
{
    f->from = f->to = SHARC_TIME_NONE;
    f->together = 0;
    for (size_t i = 0; i < f->page_count; i++) set_interval(f, &f->pages[i]);
    find_reference(f);
    memset(f->reasons, 0, sizeof f->reasons);
    for (size_t i = 0; i < f->page_count; i++) f->reasons[f->pages[i].reason]++;
}

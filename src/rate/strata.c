/* SPDX-License-Identifier: Apache-2.0
 *
 * Folders, and in each the pages that last changed together.
 */
#include "rate_int.h"
#include "sharc/base_map.h"
#include "sharc/rate_since.h"

#include <math.h>
#include <stdlib.h>

#define TOGETHER 60.0 /* seconds in which one edit of many pages is published */
#define COHORT 8      /* pages that an edit of many has at least */

struct member {
    uint32_t folder, page;
    double changed;
};

static int by_folder_and_change(const void *a, const void *b)
{
    const struct member *x = a, *y = b;
    if (x->folder != y->folder) return x->folder < y->folder ? -1 : 1;
    if (x->changed < y->changed || x->changed > y->changed) return x->changed < y->changed ? -1 : 1;
    return (x->page > y->page) - (x->page < y->page);
}

/* One folder: cohorts get numbers of their own, the rest shares one. */
static uint32_t number_folder(const struct member *m, size_t n, uint32_t next, uint32_t *ret)
{
    uint32_t rest = SHARC_NO_ID;
    for (size_t i = 0, end; i < n; i = end) {
        for (end = i + 1; end < n && m[end].changed - m[end - 1].changed <= TOGETHER;) end++;
        const bool cohort = end - i >= COHORT && m[i].changed > -HUGE_VAL;
        uint32_t number = cohort ? next++ : rest != SHARC_NO_ID ? rest : (rest = next++);
        for (size_t k = i; k < end; k++) ret[m[k].page] = number;
    }
    return next;
}

uint32_t sharc_rate_strata(const struct sharc_rate_look *look, size_t n, uint32_t *ret_stratum)
{
    SHARC_AUTO(sharc_intern_freep) struct sharc_intern *names = sharc_intern_new();
    SHARC_AUTO(sharc_freep) struct member *m = SHARC_NEW_ARRAY(struct member, n);
    for (size_t i = 0; i < n; i++) {
        const struct sharc_span place = sharc__rate_place(look[i].url);
        size_t end = place.n;
        while (end > 0 && place.p[end - 1] != '/') end--;
        m[i] = (struct member){sharc_intern_add(names, sharc_span_sub(place, 0, end), NULL), (uint32_t)i,
                               isnan(look[i].changed) ? -HUGE_VAL : look[i].changed};
    }
    qsort(m, n, sizeof *m, by_folder_and_change);
    uint32_t next = 0;
    for (size_t i = 0, end; i < n; i = end) {
        for (end = i + 1; end < n && m[end].folder == m[i].folder;) end++;
        next = number_folder(m + i, end - i, next, ret_stratum);
    }
    return next;
}

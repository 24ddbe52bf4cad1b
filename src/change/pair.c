/* SPDX-License-Identifier: Apache-2.0 */
#include "sharc/change_diff.h"

#include <stdlib.h>

struct element {
    uint64_t number;
    size_t at;
};

static int by_number(const void *a, const void *b)
{
    const struct element *x = a, *y = b;
    if (x->number != y->number) return x->number < y->number ? -1 : 1;
    return (x->at > y->at) - (x->at < y->at);
}

/* Those that may be paired; malloc'ed. */
static struct element *sorted(const uint64_t *number, const bool *open, size_t n, size_t *ret_count)
{
    struct element *e = SHARC_NEW_ARRAY(struct element, n);
    size_t count = 0;
    for (size_t i = 0; i < n; i++)
        if (!open || open[i]) e[count++] = (struct element){number[i], i};
    if (count > 1) qsort(e, count, sizeof *e, by_number);
    *ret_count = count;
    return e;
}

size_t sharc_change_pair(const uint64_t *a, const bool *open_a, size_t n, const uint64_t *b, const bool *open_b,
                         size_t m, size_t *ret)
{
    size_t count_a, count_b, pairs = 0;
    SHARC_AUTO(sharc_freep) struct element *x = sorted(a, open_a, n, &count_a);
    SHARC_AUTO(sharc_freep) struct element *y = sorted(b, open_b, m, &count_b);
    for (size_t i = 0, j = 0; i < count_a;) {
        bool equal = j < count_b && x[i].number == y[j].number;
        if (j < count_b && y[j].number < x[i].number) {
            j++;
            continue;
        }
        ret[x[i++].at] = equal ? y[j++].at : SHARC_NPOS;
        pairs += equal;
    }
    return pairs;
}

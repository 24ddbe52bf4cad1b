/* SPDX-License-Identifier: Apache-2.0
 *
 * Datasets that are not read from files, and weights of a dataset's pages.
 */
#include "sharc/sim_dataset.h"

#include "sharc/rate_weight.h"

#include <stdlib.h>

/* Counting sort by the page that links; the order of a page's links is kept. */
static void sort_links(struct sharc_dataset *d, const struct sharc_dataset_moment *m)
{
    d->links = m->links;
    d->link_at = SHARC_NEW_ARRAY(size_t, m->pages + 2);
    d->link_to = SHARC_NEW_ARRAY(sharc_page_no, m->links + 1);
    for (size_t i = 0; i < m->links; i++) d->link_at[m->from[i] + 2]++;
    for (size_t i = 2; i < m->pages + 2; i++) d->link_at[i] += d->link_at[i - 1];
    for (size_t i = 0; i < m->links; i++) d->link_to[d->link_at[m->from[i] + 1]++] = m->to[i];
}

struct sharc_dataset *sharc_dataset_of_moment(const struct sharc_dataset_moment *m)
{
    struct sharc_dataset *d = SHARC_NEW(struct sharc_dataset);
    sharc_buf_init(&d->text, SHARC_LIMIT_DATASET_BYTES);
    d->name = sharc_strdup(m->name);
    d->start = d->end = m->when;
    d->pages = m->pages;
    d->page = SHARC_NEW_ARRAY(struct sharc_dataset_page, m->pages + 1);
    d->change_at = SHARC_NEW_ARRAY(size_t, m->pages + 1);
    d->absence_at = SHARC_NEW_ARRAY(size_t, m->pages + 1);
    for (size_t i = 0; i < m->pages; i++) {
        d->page[i] = (struct sharc_dataset_page){.url = m->url[i],
                                                 .mime = SHARC_SPAN("text/html"),
                                                 .created = m->when,
                                                 .deleted = HUGE_VAL};
    }
    sort_links(d, m);
    return d;
}

int sharc_dataset_weigh(const struct sharc_dataset *d, const char *how, double **ret, struct sharc_err *reterr)
{
    SHARC_AUTO(sharc_freep) struct sharc_span *url = SHARC_NEW_ARRAY(struct sharc_span, d->pages);
    SHARC_AUTO(sharc_freep) uint32_t *from = SHARC_NEW_ARRAY(uint32_t, d->links);
    SHARC_AUTO(sharc_freep) double *weight = SHARC_NEW_ARRAY(double, d->pages);
    for (size_t p = 0; p < d->pages; p++) {
        url[p] = d->page[p].url;
        for (size_t k = d->link_at[p]; k < d->link_at[p + 1]; k++) from[k] = (uint32_t)p;
    }
    const struct sharc_rate_graph g = {d->pages, url, NULL, from, d->link_to, d->links};
    int r = sharc_rate_weigh(how, &g, weight, reterr);
    if (r == 0) *ret = SHARC_TAKE(weight);
    return r;
}

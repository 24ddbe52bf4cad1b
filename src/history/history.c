/* SPDX-License-Identifier: Apache-2.0
 *
 * Pages and links, whatever they come from; weights, and rows for learners.
 */
#include "history_int.h"

#include "sharc/base_file.h"
#include "sharc/rate_weight.h"

#include <stdlib.h>
#include <unistd.h>

void sharc_history_done(struct sharc_history *h)
{
    for (size_t i = 0; i < h->n; i++) sharc_rate_history_done(&h->page[i].seen);
    free(h->name);
    free(h->page);
    free(h->from);
    free(h->to);
    sharc_dataset_free(h->data);
    sharc_rate_past_free(h->past);
    sharc_arena_done(&h->text);
    *h = (struct sharc_history)SHARC_HISTORY_INIT;
}

struct sharc_history_page *sharc_history_add(struct sharc_history *h)
{
    SHARC_GROW(h->page, h->room, h->n + 1);
    h->page[h->n] = (struct sharc_history_page){
        .seen = SHARC_RATE_HISTORY_INIT,
        .age = SHARC_RATE_UNKNOWN,
        .age_now = SHARC_RATE_UNKNOWN,
        .images = SHARC_RATE_UNKNOWN,
        .tables = SHARC_RATE_UNKNOWN,
        .outlinks = SHARC_RATE_UNKNOWN,
        .inlinks = SHARC_RATE_UNKNOWN,
        .frequency = SHARC_FREQ_NONE,
        .priority = SHARC_RATE_UNKNOWN,
        .weight = 1,
    };
    return &h->page[h->n++];
}

void sharc_history_link(struct sharc_history *h, uint32_t from, uint32_t to)
{
    SHARC_GROW(h->from, h->from_room, h->links + 1);
    SHARC_GROW(h->to, h->to_room, h->links + 1);
    h->from[h->links] = from;
    h->to[h->links++] = to;
}

static void count_inlinks(struct sharc_history *h)
{
    if (!h->links) return;
    SHARC_AUTO(sharc_freep) uint32_t *count = SHARC_NEW_ARRAY(uint32_t, h->n);
    sharc_rate_inlinks(h->n, h->from, h->to, h->links, count);
    for (size_t i = 0; i < h->n; i++) h->page[i].inlinks = count[i];
}

int sharc__history_finish(struct sharc_history *h, struct sharc_err *reterr)
{
    count_inlinks(h);
    SHARC_FAIL_IF(h->n == 0, reterr, SHARC_EINVAL, "%s: no page is known there for that time", h->name);
    return 0;
}

/* --- weights ------------------------------------------------------------------------------- */

int sharc_history_weigh(struct sharc_history *h, const char *how, struct sharc_err *reterr)
{
    if (!how) return 0;
    SHARC_AUTO(sharc_freep) struct sharc_span *url = SHARC_NEW_ARRAY(struct sharc_span, h->n);
    SHARC_AUTO(sharc_freep) double *priority = SHARC_NEW_ARRAY(double, h->n);
    SHARC_AUTO(sharc_freep) double *weight = SHARC_NEW_ARRAY(double, h->n);
    for (size_t i = 0; i < h->n; i++) url[i] = h->page[i].url, priority[i] = h->page[i].priority;
    const struct sharc_rate_graph g = {h->n, url, priority, h->from, h->to, h->links};
    int r = sharc_rate_weigh(how, &g, weight, reterr);
    for (size_t i = 0; r == 0 && i < h->n; i++) h->page[i].weight = weight[i];
    return r;
}

/* --- learning ------------------------------------------------------------------------------- */

void sharc_history_features(const struct sharc_history_page *p, struct sharc_rate_value *ret)
{
    const struct sharc_rate_facts f = {
        .url = p->url,
        .mime = p->mime,
        .days_since_change = p->age / HISTORY_DAY,
        .images = p->images,
        .tables = p->tables,
        .outlinks = p->outlinks,
        .inlinks = p->inlinks,
    };
    sharc_rate_features(&f, ret);
}

struct sharc_rate_table *sharc_history_table(const struct sharc_history *h, size_t columns, uint32_t **ret_page)
{
    struct sharc_rate_table *t = sharc_rate_table_new(sharc_rate_columns, columns);
    uint32_t *page = SHARC_NEW_ARRAY(uint32_t, h->n);
    size_t rows = 0;
    for (size_t i = 0; i < h->n; i++) {
        struct sharc_rate_value v[SHARC_RATE_OFFLINE];
        if (!(h->page[i].time > 0)) continue;
        sharc_history_features(&h->page[i], v);
        sharc_rate_table_add(t, v, h->page[i].changes, h->page[i].time);
        page[rows++] = (uint32_t)i;
    }
    *ret_page = page;
    return t;
}

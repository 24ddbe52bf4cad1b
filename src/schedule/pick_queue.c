/* SPDX-License-Identifier: Apache-2.0
 *
 * Breadth-first and depth-first: the orders of crawlers that do not look at
 * rates.
 */
#include "schedule_int.h"

#include <stdlib.h>

struct queue {
    sharc_page_no *pages;
    size_t count, room;
    size_t at;   /* bfs: the first that waits */
    size_t kept; /* dfs: pages below here are in stack order, above in page order */
};

static void *create(struct sharc_strategy *s)
{
    (void)s;
    return SHARC_NEW(struct queue);
}

static void done(void *state)
{
    struct queue *q = state;
    free(q->pages);
    free(q);
}

static void add(struct sharc_strategy *s, sharc_page_no page)
{
    struct queue *q = s->pick;
    SHARC_GROW(q->pages, q->room, q->count + 1);
    q->pages[q->count++] = page;
}

static size_t bytes(const void *state)
{
    const struct queue *q = state;
    return sizeof *q + q->room * sizeof *q->pages;
}

static sharc_page_no take_oldest(struct sharc_strategy *s, bool *ret_hopeless)
{
    (void)ret_hopeless;
    struct queue *q = s->pick;
    return q->pages[q->at++];
}

static sharc_page_no take_newest(struct sharc_strategy *s, bool *ret_hopeless)
{
    (void)ret_hopeless;
    struct queue *q = s->pick;
    /* The links of the newest page come in page order: its first link is taken
     * first, so it goes on top. */
    for (size_t low = q->kept, high = q->count; low + 1 < high; low++, high--) {
        sharc_page_no p = q->pages[low];
        q->pages[low] = q->pages[high - 1];
        q->pages[high - 1] = p;
    }
    q->kept = q->count - 1;
    return q->pages[--q->count];
}

const struct picker sharc__schedule_pick_bfs = {
    .create = create, .free = done, .add = add, .take = take_oldest, .bytes = bytes};
const struct picker sharc__schedule_pick_dfs = {
    .create = create, .free = done, .add = add, .take = take_newest, .bytes = bytes};

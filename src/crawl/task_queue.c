/* SPDX-License-Identifier: Apache-2.0
 *
 * A ring of tasks.
 */
#include "task.h"

#include <stdlib.h>

static void make_room(struct queue *q)
{
    if (q->count < q->room) return;
    size_t room = q->room ? 2 * q->room : 8;
    struct task *items = SHARC_NEW_ARRAY(struct task, room);
    for (size_t i = 0; i < q->count; i++) items[i] = q->items[(q->head + i) % q->room];
    free(q->items);
    *q = (struct queue){.items = items, .count = q->count, .room = room};
}

void sharc__crawl_queue_push(struct queue *q, const struct task *t)
{
    make_room(q);
    q->items[(q->head + q->count++) % q->room] = *t;
}

void sharc__crawl_queue_push_front(struct queue *q, const struct task *t)
{
    make_room(q);
    q->head = (q->head + q->room - 1) % q->room;
    q->items[q->head] = *t;
    q->count++;
}

bool sharc__crawl_queue_pop_due(struct queue *q, sharc_time now, struct task *ret)
{
    size_t best = SIZE_MAX;
    for (size_t i = 0; i < q->count; i++) {
        sharc_time when = q->items[(q->head + i) % q->room].not_before;
        if (when <= now && (best == SIZE_MAX || when < q->items[(q->head + best) % q->room].not_before)) best = i;
    }
    if (best == SIZE_MAX) return false;
    *ret = q->items[(q->head + best) % q->room];
    for (size_t k = best; k > 0; k--) q->items[(q->head + k) % q->room] = q->items[(q->head + k - 1) % q->room];
    q->head = (q->head + 1) % q->room;
    q->count--;
    return true;
}

bool sharc__crawl_queue_pop(struct queue *q, struct task *ret)
{
    if (q->count == 0) return false;
    *ret = q->items[q->head];
    q->head = (q->head + 1) % q->room;
    q->count--;
    return true;
}

void sharc__crawl_queue_remove(struct queue *q, uint32_t page)
{
    struct task t;
    for (size_t n = q->count; n > 0; n--) {
        sharc__crawl_queue_pop(q, &t);
        if (t.page == page) return;
        sharc__crawl_queue_push(q, &t);
    }
}

void sharc__crawl_queue_done(struct queue *q)
{
    free(q->items);
    *q = (struct queue){0};
}

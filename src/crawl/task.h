/* SPDX-License-Identifier: Apache-2.0
 *
 * One thing to download, and queues of them.
 */
#ifndef SHARC_CRAWL_TASK_INT_H
#define SHARC_CRAWL_TASK_INT_H

#include "sharc/base_clock.h"

enum task_kind {
    TASK_ROBOTS,
    TASK_LIST,  /* sitemap, feed or list that is read for its URLs */
    TASK_PROBE, /* a page that cannot exist */
    TASK_VISIT, /* from here on: pages of the capture */
    TASK_EMBED, /* visit of a follower */
    TASK_LOOK,  /* second look */
    TASK_REVISIT,
    TASK_CONTROL, /* one of two downloads in immediate succession: no version of the page */
};

/* Of a control download. */
enum control_step {
    CONTROL_FIRST,  /* of a pair */
    CONTROL_SECOND, /* right after it */
    CONTROL_LATE,   /* much later: compared with the second one of its page */
    CONTROL_AUDIT,  /* no control: is it true that the page was not modified? */
};

struct task {
    enum task_kind kind;
    uint32_t page;
    uint32_t host;
    uint32_t slot;    /* of the strategy; embeds: of their leader */
    bool of_strategy; /* it handed this out, and waits for an observation */
    bool keep_host;   /* robots.txt of that host, wherever it lies */
    uint8_t tries;
    uint8_t step; /* enum control_step */
    sharc_time not_before;
};

static inline bool task_is_visit(const struct task *t)
{
    return t->kind == TASK_VISIT || t->kind == TASK_EMBED;
}
/* robots.txt, lists, the probe: no page of the capture. */
static inline bool task_is_preparation(const struct task *t)
{
    return t->kind < TASK_VISIT;
}

struct queue {
    struct task *items;
    size_t head, count, room; /* a ring */
};
void sharc__crawl_queue_push(struct queue *q, const struct task *t);
void sharc__crawl_queue_push_front(struct queue *q, const struct task *t);
bool sharc__crawl_queue_pop(struct queue *q, struct task *ret);
/* Of those that need not wait any longer the one that waited longest. */
bool sharc__crawl_queue_pop_due(struct queue *q, sharc_time now, struct task *ret);
/* Takes the first one of that page out, if there is one. */
void sharc__crawl_queue_remove(struct queue *q, uint32_t page);
void sharc__crawl_queue_done(struct queue *q);

#endif

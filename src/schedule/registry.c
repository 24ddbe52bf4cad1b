/* SPDX-License-Identifier: Apache-2.0
 *
 * Every capture strategy: one row each, and nothing beside it.
 */
#include "schedule_int.h"

/* The order of the revisits follows from the tail. */
#define ORDER_NONE SHARC_REVISITS_NONE
#define ORDER_FIFO SHARC_REVISITS_SAME
#define ORDER_LIFO SHARC_REVISITS_REVERSE
#define ORDER_FOCUS SHARC_REVISITS_REVERSE
#define ORDER_OWN SHARC_REVISITS_OWN
#define OPS(strategy, what, tail, ahead, takes_long)                                                                   \
    {                                                                                                                  \
        .name = strategy, .purpose = SHARC_PURPOSE_##what, .revisits = TAIL_##tail != TAIL_NONE,                       \
        .revisit_order = ORDER_##tail, .second_looks = TAIL_##tail == TAIL_FOCUS, .offline = ahead, .slow = takes_long \
    }
/* Online, picker and tail. */
#define SINGLE(name, what, picker)                                                           \
    {                                                                                        \
        OPS(name, what, NONE, false, false), &sharc__schedule_pick_##picker, TAIL_NONE, NULL \
    }
#define TWICE_(name, picker, tail, takes_long)                                                           \
    {                                                                                                    \
        OPS(name, COHERENCE, tail, false, takes_long), &sharc__schedule_pick_##picker, TAIL_##tail, NULL \
    }
/* Offline, plan and tail. */
#define PLANNED_(name, what, tail, plan, takes_long)                                         \
    {                                                                                        \
        OPS(name, what, tail, true, takes_long), &sharc__schedule_pick_planned, TAIL_##tail, \
            sharc__schedule_plan_##plan                                                      \
    }
#define TWICE(name, picker, tail) TWICE_(name, picker, tail, false)
#define PLANNED(name, what, tail, plan) PLANNED_(name, what, tail, plan, false)
/* Those that take long. */
#define TWICE_SLOWLY(name, picker, tail) TWICE_(name, picker, tail, true)
#define PLANNED_SLOWLY(name, what, tail, plan) PLANNED_(name, what, tail, plan, true)

static const struct row rows[] = {
    SINGLE("bfs", BLUR, bfs),
    SINGLE("dfs", BLUR, dfs),
    SINGLE("hottest-first", BLUR, hottest_first),
    SINGLE("hottest-last", BLUR, hottest_last),
    {OPS("olston-pandey", BLUR, NONE, true, false), &sharc__schedule_pick_utility, TAIL_NONE,
     NULL}, /* all pages are known to it */
    PLANNED("sharc-offline", BLUR, NONE, organ_pipes),
    SINGLE("sharc-online", BLUR, online),
    PLANNED("measurable", COHERENCE, NONE, measurable),
    TWICE("bfs-fifo", bfs, FIFO),
    TWICE("bfs-lifo", bfs, LIFO),
    TWICE("dfs-fifo", dfs, FIFO),
    TWICE("dfs-lifo", dfs, LIFO),
    TWICE("hottest-first-fifo", hottest_first, FIFO),
    TWICE("hottest-first-lifo", hottest_first, LIFO),
    TWICE("hottest-last-fifo", hottest_last, FIFO),
    TWICE("hottest-last-lifo", hottest_last, LIFO),
    PLANNED("sharc-revisits", BLUR, FIFO, organ_pipes),
    PLANNED("sharc-threshold", COHERENCE, LIFO, threshold),
    PLANNED("sharc-intervals-offline", COHERENCE, OWN, intervals),
    TWICE_SLOWLY("sharc-intervals-online", intervals, OWN),
    PLANNED("sharc-selective-offline", COHERENCE, LIFO, selective),
    TWICE_SLOWLY("sharc-selective-online", selective, LIFO),
    PLANNED_SLOWLY("sharc-optimal", COHERENCE, LIFO, optimal),
    TWICE_SLOWLY("sharc-focus", selective, FOCUS),
    PLANNED("inducible", COHERENCE, LIFO, inducible),
};

size_t sharc_strategy_count(void)
{
    return SHARC_LENGTH(rows);
}

const struct sharc_strategy_ops *sharc_strategy_at(size_t i)
{
    return &rows[i].ops;
}

const struct sharc_strategy_ops *sharc_strategy_find(const char *name)
{
    for (size_t i = 0; i < SHARC_LENGTH(rows); i++) {
        if (strcmp(rows[i].ops.name, name) == 0) return &rows[i].ops;
    }
    return NULL;
}

const struct sharc_strategy_ops *sharc_strategy_usual(enum sharc_purpose purpose)
{
    return sharc_strategy_find(purpose == SHARC_PURPOSE_COHERENCE ? "sharc-focus" : "sharc-online");
}

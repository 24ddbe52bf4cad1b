/* SPDX-License-Identifier: Apache-2.0
 *
 * Continuous capture: the table of strategies.
 */
#include "watch_int.h"

static const struct sharc_watch_ops table[] = {
    {.name = "value", .kind = WATCH_VALUE},
    {.name = "index-freshness", .kind = WATCH_INDEX, .objective = SHARC_OBJECTIVE_FRESHNESS},
    {.name = "index-importance", .kind = WATCH_INDEX, .objective = SHARC_OBJECTIVE_IMPORTANCE},
    {.name = "index-coherence", .kind = WATCH_INDEX, .objective = SHARC_OBJECTIVE_COHERENCE},
    {.name = "index-blur", .kind = WATCH_INDEX, .objective = SHARC_OBJECTIVE_BLUR},
    {.name = "index-evidence", .kind = WATCH_INDEX, .objective = SHARC_OBJECTIVE_EVIDENCE},
    {.name = "relevance", .kind = WATCH_WALK_ALL},
    {.name = "frequency", .kind = WATCH_FREQUENCY},
    {.name = "frequency-by-site", .kind = WATCH_FREQUENCY, .by_site = true},
    {.name = "coherence", .kind = WATCH_WALK_SITES, .capture = "measurable"},
    {.name = "sharc", .kind = WATCH_WALK_SITES, .capture = "sharc-offline"},
    {.name = "importance", .kind = WATCH_LEVEL},
    {.name = "pattern", .kind = WATCH_PATTERN, .counts = true},
    {.name = "importance-pattern", .kind = WATCH_PATTERN},
    /* Heritrix 1.x divides and multiplies the wait by 1.5. */
    {.name = "heritrix-adaptive",
     .kind = WATCH_WAIT,
     .first_wait = SHARC_DAY,
     .least_wait = SHARC_HOUR,
     .most_wait = 28 * SHARC_DAY,
     .of_wait = 1 / 1.5},
    /* StormCrawler goes halfway to the least wait, and multiplies by 1.5. */
    {.name = "storm-adaptive",
     .kind = WATCH_WAIT,
     .first_wait = SHARC_DAY,
     .least_wait = SHARC_HOUR,
     .most_wait = 14 * SHARC_DAY,
     .of_wait = 0.5,
     .of_least = 0.5},
};

const struct sharc_watch_ops *sharc_watch_find(const char *name)
{
    for (size_t i = 0; i < SHARC_LENGTH(table); i++) {
        if (strcmp(table[i].name, name) == 0) return &table[i];
    }
    return NULL;
}

const struct sharc_watch_ops *sharc_watch_for(enum sharc_objective o)
{
    if (o == SHARC_OBJECTIVE_COMPLETENESS) return &table[0];
    for (size_t i = 0; i < SHARC_LENGTH(table); i++)
        if (table[i].kind == WATCH_INDEX && table[i].objective == o) return &table[i];
    return NULL;
}

size_t sharc_watch_count(void)
{
    return SHARC_LENGTH(table);
}

const struct sharc_watch_ops *sharc_watch_at(size_t i)
{
    return &table[i];
}

const char *sharc_watch_name(const struct sharc_watch_ops *ops)
{
    return ops->name;
}

const char *sharc_watch_why_name(enum sharc_watch_why w)
{
    static const char *const names[] = {
        [SHARC_WATCH_WORTH] = "worth", [SHARC_WATCH_LATE] = "late",     [SHARC_WATCH_TOLD] = "told",
        [SHARC_WATCH_FIRST] = "first", [SHARC_WATCH_WANTED] = "wanted", [SHARC_WATCH_TURN] = "turn",
    };
    return w < SHARC_WATCH_WHYS ? names[w] : "";
}

/* SPDX-License-Identifier: Apache-2.0
 *
 * Pages that say they are another page.
 */
#ifndef SHARC_CRAWL_ALIASES_INT_H
#define SHARC_CRAWL_ALIASES_INT_H

#include "frontier.h"

struct alias {
    uint32_t page, canonical;
};

struct aliases {
    const struct context *ctx;
    struct pages *pages;
    struct journal *journal;
    struct frontier *frontier;
    struct capture *capture;

    struct alias *alias;
    size_t count, room;
    bool revisits;        /* what counts as proved is what the revisits showed */
    struct sharc_url url; /* scratch */
};
void sharc__crawl_aliases_done(struct aliases *a);

/* The page was visited: does it say that it is another one? */
void sharc__crawl_find_canonical(struct aliases *a, const struct job *j);
/* As the journal has it. */
void sharc__crawl_alias_add(struct aliases *a, uint32_t page, uint32_t canonical);
/* Target of rel=canonical in a field Link; none. */
struct sharc_span sharc__crawl_link_canonical(struct sharc_span field);
/* At the end, when all rows are committed: which of these claims hold. True when it
 * was looked at. */
bool sharc__crawl_judge_aliases(struct aliases *a, bool revisits);

#endif

/* SPDX-License-Identifier: Apache-2.0
 *
 * The quality of a capture. Reads, and changes nothing but the summary.
 */
#ifndef SHARC_CRAWL_VERDICT_INT_H
#define SHARC_CRAWL_VERDICT_INT_H

#include "counters.h"
#include "pages.h"
#include "sharc/crawl.h"

/* What is judged. */
struct judged {
    const char *name;
    const struct sharc_strategy_ops *ops;
    const struct pages *pages;
    const struct counters *count;
    sharc_store_id capture;
    enum sharc_crawl_phase phase;
    bool resumed;
    bool answered;          /* something did */
    sharc_time first, last; /* downloads */
    sharc_time reference, interrupted;
};

/* Pages that were captured and do not count as pages of their own: by their word and their text, the same at visit and
 * revisit, they are another one, or not there. */
enum aside { ASIDE_NOT, ASIDE_CANONICAL, ASIDE_SOFT_404 };
enum aside sharc__crawl_aside(const struct pages *p, uint32_t page);

/* What visit and revisit of a page prove. */
struct graded {
    uint32_t page;
    enum sharc_grade_reason reason;
    sharc_time from, to; /* end of the visit, start of the revisit; SHARC_TIME_NONE: none */
    bool together;       /* proved, and at the instant that is common to the most */
};
struct grades {
    struct graded *row; /* of all pages that belong to the capture, by number */
    uint32_t n;
    sharc_time from, to; /* in which those together all existed; SHARC_TIME_NONE: none are */
};
/* Of a capture with revisits. */
void sharc__crawl_grade(const struct judged *g, struct grades *ret);
void sharc__crawl_grades_done(struct grades *g);

/* *ret is cleared before; it is to be cleared at the end. Its sentence why is left empty. */
void sharc__crawl_judge(const struct judged *g, struct sharc_crawl_summary *ret);
void sharc__crawl_summary_clear(struct sharc_crawl_summary *m);

#endif

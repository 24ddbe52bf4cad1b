/* SPDX-License-Identifier: Apache-2.0
 *
 * What a download showed: the record that schedule, rate and quality share.
 * How alike two texts are is in change_text.h, how a change is judged and
 * weighed in change_compare.h.
 */
#ifndef SHARC_CHANGE_H
#define SHARC_CHANGE_H

#include "sharc/base.h"
#include "sharc/base_clock.h"

SHARC_API_BEGIN

/* A page's number inside one capture or one experiment: 0, 1, 2, … */
typedef uint32_t sharc_page_no;

enum sharc_change_class {
    SHARC_UNCHANGED,
    SHARC_INSIGNIFICANT, /* markup, counter, advert: counts as unchanged */
    SHARC_TEXT_CHANGED,
    SHARC_LINKS_CHANGED,
    SHARC_MISSING, /* gone since the last download */
    SHARC_NEW,     /* first download, nothing to compare with */
    SHARC_REDIRECTED,
    SHARC_FAILED,
};

/* One download of one page, compared with the download before it. */
struct sharc_observation {
    sharc_page_no page;
    sharc_time when;                /* start of the download */
    enum sharc_change_class change; /* against the page's previous download */
    double importance;              /* of that change, 0 … 1; 0 when unchanged */
    double rate;                    /* new estimate, changes per slot; < 0: keep the old one */
};

/* Does this class break coherence? Everything but unchanged, insignificant
 * and new does. */
static inline bool sharc_change_counts(enum sharc_change_class c)
{
    return c != SHARC_UNCHANGED && c != SHARC_INSIGNIFICANT && c != SHARC_NEW;
}

/* The page says that it is elsewhere: every 3xx but 304, which says that it is as it was. */
static inline bool sharc_change_is_redirect(int status)
{
    return status >= 300 && status < 400 && status != 304;
}

SHARC_API_END
#endif

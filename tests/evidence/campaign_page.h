/* SPDX-License-Identifier: Apache-2.0
 *
 * One page of a campaign, as a server would write it at one moment.
 */
#ifndef SHARC_EVIDENCE_CAMPAIGN_PAGE_H
#define SHARC_EVIDENCE_CAMPAIGN_PAGE_H

#include "campaign.h"

struct campaign_moment {
    unsigned noise;          /* bits */
    enum campaign_edit edit; /* that the page shows by now */
    uint64_t site;           /* seed of what stays */
    unsigned page;
    uint64_t seconds;      /* of the server's clock */
    unsigned views;        /* requests of that page so far */
    struct sharc_rng *rng; /* of what differs on every request */
};

struct campaign_answer {
    int status;
    const char *type, *location;
    struct sharc_buf body;
};
void campaign_write(const struct campaign_moment *m, struct campaign_answer *ret);

/* What may be edited where this page has something fixed and others noise; EDIT_NONE: it has nothing of the kind. */
enum campaign_edit campaign_own_edit(unsigned noise, unsigned page);
/* Does an edit of that kind lie where the page differs on every request anyway? Then nothing can be said about it. */
bool campaign_is_inside(unsigned noise, enum campaign_edit e, unsigned page);

#endif

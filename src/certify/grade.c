/* SPDX-License-Identifier: Apache-2.0
 *
 * The grade of each page, from its downloads alone.
 */
#include "certify_int.h"

static bool same_name(uint32_t a, uint32_t b)
{
    return a == b;
}

static bool same_answer(const struct download *a, const struct download *b)
{
    const unsigned both = DOWNLOAD_HAS_CONTENT;
    return (a->flags & both) && (b->flags & both) && a->status == b->status && same_name(a->type, b->type) &&
           same_name(a->location, b->location) && memcmp(a->content, b->content, sizeof a->content) == 0;
}

static enum sharc_grade_reason reason_of(const struct sharc_certify_facts *f, const struct certified_page *p)
{
    if (p->visit == CERTIFY_NONE) return SHARC_GRADED_FAILED;
    const struct download *visit = &f->all.items[p->visit];
    if (visit->status == 404 || visit->status == 410) return SHARC_GRADED_GONE;
    if (visit->status == 0 || visit->status >= 400) return SHARC_GRADED_FAILED;
    if (p->revisit == CERTIFY_NONE) return SHARC_GRADED_NOT_REVISITED;
    const struct download *revisit = &f->all.items[p->revisit];
    if ((visit->flags | revisit->flags) & DOWNLOAD_CUT) return SHARC_GRADED_CUT;
    if (revisit->flags & DOWNLOAD_NOT_MODIFIED) return SHARC_GRADED_WEAK_VALIDATOR;
    return same_answer(visit, revisit) ? SHARC_GRADED_SAME_CONTENT : SHARC_GRADED_CHANGED;
}

int sharc__certify_grade(struct sharc_certify_facts *f, struct sharc_err *reterr)
{
    (void)reterr;
    for (size_t i = 0; i < f->page_count; i++) f->pages[i].reason = (uint8_t)reason_of(f, &f->pages[i]);
    return 0;
}

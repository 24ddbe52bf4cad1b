/* SPDX-License-Identifier: Apache-2.0
 *
 * One word for a page with everything it embeds, as it is shown to a reader: did this exist
 * at that instant? Five verdicts. "Proven" is kept for what downloads alone show of every
 * part, with nothing missing; everything weaker has a weaker word.
 *
 * Pure functions over what quality_composite.h knows of each part.
 */
#ifndef SHARC_QUALITY_VERDICT_H
#define SHARC_QUALITY_VERDICT_H

#include "sharc/quality_composite.h"

SHARC_PRIVATE_BEGIN

/* Best first. name, word, what it means */
#define SHARC_VERDICTS(X)                                                                            \
    X(PROVEN, "proven", "the page and all its parts existed then: downloads before and after agree") \
    X(PROBABLY, "probably", "nothing speaks against it, but it is not proven")                       \
    X(UNKNOWN, "unknown", "too little is known to say whether all of this existed then")             \
    X(MIXED, "mixed", "some parts are of another time: they did not exist then as they are shown")   \
    X(CONTRADICTED, "contradicted", "what is shown cannot have existed like this")
enum sharc_verdict {
#define X(name, word, text) SHARC_VERDICT_##name,
    SHARC_VERDICTS(X)
#undef X
        SHARC_VERDICT_COUNT,
};
/* "" for a number that nothing has. */
const char *sharc_verdict_word(enum sharc_verdict v);
const char *sharc_verdict_text(enum sharc_verdict v);

struct sharc_verdict_wish {
    sharc_time from, to; /* the instant asked for; or the root's download, begin and end */
    bool own;            /* it is the root's download: any instant at which all is known to have existed will do */
    bool lacking;        /* parts are missing, or not all were looked at: what the page was is not known */
};
struct sharc_judged_page {
    enum sharc_verdict verdict;
    sharc_time from, to; /* the instants that it is about: as asked for, or those that all parts share */
    double probability;  /* that all parts existed then, of those that are open; NaN: a rate is unknown */
    bool word;           /* it rests on the server's word for a part */
    struct sharc_composite composite;
    size_t states[SHARC_PART_STATE_COUNT]; /* parts by their state then, the root among them */
};
/* n > 0 parts, the root first. reasons[n] and probabilities[n]: of each part at the instants judged. */
void sharc_quality_judge(const struct sharc_part *parts, size_t n, const struct sharc_verdict_wish *w,
                         struct sharc_judged_page *ret, enum sharc_part_reason *reasons, double *probabilities);

SHARC_PRIVATE_END
#endif

/* SPDX-License-Identifier: Apache-2.0
 *
 * From the parts of a page to one word.
 */
#include "quality_int.h"

#include "sharc/quality_verdict.h"

#include <math.h>

static const struct {
    const char *word, *text;
} verdicts[] = {
#define X(name, word, text) {word, text},
    SHARC_VERDICTS(X)
#undef X
};

const char *sharc_verdict_word(enum sharc_verdict v)
{
    return v < SHARC_LENGTH(verdicts) ? verdicts[v].word : "";
}
const char *sharc_verdict_text(enum sharc_verdict v)
{
    return v < SHARC_LENGTH(verdicts) ? verdicts[v].text : "";
}

/* Below this a guess is no better than a coin. */
#define LIKELY 0.5

static enum sharc_verdict verdict_of(const struct sharc_judged_page *j, const struct sharc_verdict_wish *w,
                                     enum sharc_part_state root)
{
    if (j->composite.state == SHARC_PART_REFUTED || root == SHARC_PART_REFUTED) return SHARC_VERDICT_CONTRADICTED;
    if (j->states[SHARC_PART_REFUTED]) return SHARC_VERDICT_MIXED;
    if (w->lacking) return SHARC_VERDICT_UNKNOWN;
    if (!j->states[SHARC_PART_OPEN]) return j->word ? SHARC_VERDICT_PROBABLY : SHARC_VERDICT_PROVEN;
    return j->probability >= LIKELY ? SHARC_VERDICT_PROBABLY : SHARC_VERDICT_UNKNOWN;
}

void sharc_quality_judge(const struct sharc_part *parts, size_t n, const struct sharc_verdict_wish *w,
                         struct sharc_judged_page *ret, enum sharc_part_reason *reasons, double *probabilities)
{
    *ret = (struct sharc_judged_page){.from = w->from, .to = w->to, .probability = 1};
    sharc_quality_composite(parts, n, &ret->composite);
    bool together = ret->composite.state == SHARC_PART_PROVEN || ret->composite.state == SHARC_PART_ATTESTED;
    if (w->own && together) {
        ret->from = ret->composite.from;
        ret->to = ret->composite.to;
    }
    for (size_t i = 0; i < n; i++) {
        reasons[i] = sharc_quality_part(&parts[i], ret->from, ret->to, &probabilities[i]);
        /* The root was there at some instant of its own download, even if it is not known at which. */
        bool here = i == 0 && w->own && sharc_part_state_of(reasons[0]) == SHARC_PART_OPEN;
        if (here) reasons[0] = SHARC_PART_BY_AT_ONCE;
        if (here) probabilities[0] = 1;
        enum sharc_part_state state = sharc_part_state_of(reasons[i]);
        ret->states[state]++;
        if (state == SHARC_PART_OPEN) ret->probability *= probabilities[i];
    }
    ret->word = ret->states[SHARC_PART_ATTESTED] > 0;
    if (ret->states[SHARC_PART_REFUTED]) ret->probability = 0;
    ret->verdict = verdict_of(ret, w, sharc_part_state_of(reasons[0]));
}

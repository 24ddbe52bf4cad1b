/* SPDX-License-Identifier: Apache-2.0
 *
 * What a capture was really worth, by the log of the truth.
 */
#include "sharc/lab_truth.h"

#include "sharc/quality.h"

#include <stdlib.h>

static double seconds(sharc_time t, sharc_time start)
{
    return (double)(t - start) / (double)SHARC_SEC;
}

/* Instants at which a reader would have noticed a change. The first version is
 * none: it was there when the log began. */
static size_t changes_of(const struct sharc_lab_fact *f, size_t n, sharc_time start, double *out)
{
    size_t count = 0;
    for (size_t i = 1; i < n; i++)
        if (f[i].significant) out[count++] = seconds(f[i].when, start);
    return count;
}

/* No order of revisits saves a page that is taken away, and no signal: it is counted apart. */
static bool is_removed(const struct sharc_lab_fact *f, size_t n, sharc_time at)
{
    bool exists = true;
    for (size_t i = 0; i < n && f[i].when <= at; i++) exists = f[i].exists;
    return !exists;
}

struct sharc_lab_score sharc_lab_score(const struct sharc_lab_truth *t, const struct sharc_lab_seen *pages, size_t n,
                                       sharc_time start, sharc_time end)
{
    struct sharc_lab_score score = {0};
    double oe = seconds(end, start), sum = 0;
    SHARC_AUTO(sharc_freep) double *h = NULL;
    size_t room = 0;
    for (size_t i = 0; i < n; i++) {
        size_t versions = 0;
        const struct sharc_lab_fact *f = sharc_lab_truth_of(t, pages[i].path, &versions);
        if (!f) continue;
        SHARC_GROW(h, room, versions);
        size_t count = changes_of(f, versions, start, h);
        double v = seconds(pages[i].visit, start);
        score.pages++;
        if (pages[i].revisit == SHARC_TIME_NONE) {
            sum += sharc_quality_actual_blur(h, count, v, 0, oe);
            score.incoherent += sharc_quality_changes(h, count, 0, v) > 0;
        } else {
            double r = seconds(pages[i].revisit, start);
            sum += sharc_quality_actual_blur_revisit(h, count, v, r, 0, oe);
            const bool lost = sharc_quality_changes(h, count, v, r) > 0;
            score.incoherent += lost;
            score.removed += lost && is_removed(f, versions, pages[i].revisit);
        }
    }
    score.average_blur = score.pages ? sum / (double)score.pages : 0;
    return score;
}

/* SPDX-License-Identifier: Apache-2.0
 *
 * A capture's verdict, and that of its series. Both rest on all captures: whatever shows the same URLs counts.
 */
#include "summary_int.h"

#include <stdlib.h>

/* Both follow from the same rows, which take long to read: what asks for one of them keeps both. */
static int judge(struct summary_making *m, sharc_store_id capture, struct sharc_assess_capture *verdict,
                 struct summary_series *series, struct sharc_err *reterr)
{
    SHARC_AUTO(sharc_assess_freep) struct sharc_assess *a = NULL;
    int r = sharc_assess_open(m->store, capture, false, &a, reterr);
    if (r == 0 && verdict) r = sharc_assess_judge(a, 0, verdict, reterr);
    if (r < 0) return r;
    if (series) series->several = sharc_assess_series(a, 0, &series->series);
    return 0;
}

int sharc__summary_verdict(struct summary_making *m, sharc_store_id capture, struct sharc_assess_capture *ret,
                           struct sharc_err *reterr)
{
    struct sharc_assess_capture found = {0};
    struct summary_series series = {0};
    struct sharc_store_summary key = {.capture = capture, .name = "verdict"},
                               beside = {.capture = capture, .name = "series"};
    int r = sharc__summary_find(m->store, &key, NULL, 0, sharc__summary_put_verdict, &found, reterr);
    if (r == 0) {
        sharc_assess_capture_done(&found);
        r = judge(m, capture, &found, m->keep ? &series : NULL, reterr);
        beside.version = key.version;
        beside.stamp = key.stamp;
        if (r == 0 && m->keep) r = sharc__summary_keep(m->store, &key, sharc__summary_put_verdict, &found, reterr);
        if (r == 0 && m->keep) r = sharc__summary_keep(m->store, &beside, sharc__summary_put_series, &series, reterr);
        m->made += m->keep;
        sharc_assess_series_done(&series.series);
    }
    if (r >= 0 && ret)
        *ret = found;
    else
        sharc_assess_capture_done(&found);
    return r < 0 ? r : 0;
}

int sharc__summary_series(struct summary_making *m, sharc_store_id capture, struct summary_series *ret,
                          struct sharc_err *reterr)
{
    struct sharc_store_summary key = {.capture = capture, .name = "series"};
    struct summary_series found = {0};
    int r = sharc__summary_find(m->store, &key, NULL, 0, sharc__summary_put_series, &found, reterr);
    if (r == 0) {
        sharc_assess_series_done(&found.series);
        found = (struct summary_series){0};
        r = judge(m, capture, NULL, &found, reterr);
    }
    if (r < 0) return r;
    *ret = found;
    return 0;
}

int sharc_summary_verdict(struct sharc_store *s, sharc_store_id capture, struct sharc_assess_capture *ret,
                          struct sharc_err *reterr)
{
    struct summary_making m = {.store = s};
    return sharc__summary_verdict(&m, capture, ret, reterr);
}

int sharc_summary_series(struct sharc_store *s, sharc_store_id capture, bool *ret_several,
                         struct sharc_assess_series *ret, struct sharc_err *reterr)
{
    struct summary_making m = {.store = s};
    struct summary_series found = {0};
    int r = sharc__summary_series(&m, capture, &found, reterr);
    if (r < 0) return r;
    *ret_several = found.several;
    if (found.several)
        *ret = found.series;
    else
        sharc_assess_series_done(&found.series);
    return 0;
}

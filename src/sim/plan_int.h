/* SPDX-License-Identifier: Apache-2.0
 *
 * Inside room sim: the files that make and write a plan.
 */
#ifndef SHARC_SIM_PLAN_INT_H
#define SHARC_SIM_PLAN_INT_H

#include "sharc/base_clock.h"
#include "sharc/sim_plan.h"

/* plan_otherwise.c: fills judged, pace and hour; the site's slot and time are put back. */
int sharc__sim_plan_otherwise(struct sharc_sim_site *s, const struct sharc_sim_options *run,
                              struct sharc_sim_plan *plan, struct sharc_err *reterr);
/* plan_words.c: what to do, why, and what to expect. */
void sharc__sim_plan_recommend(const struct sharc_sim_plan *p, struct sharc_buf *out);
double sharc__sim_plan_seconds(const struct sharc_sim_plan *p, const struct sharc_sim_result *r);

/* Seconds for people. */
static inline const char *sharc__sim_duration(double seconds, char text[SHARC_TIME_TEXT])
{
    return sharc_duration_text(sharc_time_of_seconds(seconds), text);
}

#endif

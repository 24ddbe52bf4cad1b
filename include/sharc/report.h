/* SPDX-License-Identifier: Apache-2.0
 *
 * A capture or a series as one document for people who decide: the verdict in words, pictures, tables, how it was
 * found, and what to do next time. It says nothing that the catalogue does not prove.
 */
#ifndef SHARC_REPORT_H
#define SHARC_REPORT_H

#include "sharc/assess.h"
#include "sharc/base.h"
#include "sharc/base_buf.h"
#include "sharc/base_clock.h"
#include "sharc/figure.h"
#include "sharc/store.h"

SHARC_PRIVATE_BEGIN

struct sharc_report_options {
    const sharc_store_id *captures; /* by start, of one site; the verdict is about the last of them */
    size_t count;
    sharc_time now; /* when the report is made */
};
/* Appended to out; *ret_says (malloc'ed) is the verdict in one sentence. */
int sharc_report_html(struct sharc_store *s, const struct sharc_report_options *o, struct sharc_buf *out,
                      char **ret_says, struct sharc_err *reterr);
int sharc_report_pdf(struct sharc_store *s, const struct sharc_report_options *o, struct sharc_buf *out,
                     char **ret_says, struct sharc_err *reterr);

/* What to do next time, as sentences, each with what it rests on. */
struct sharc_report_advice {
    char **sentences; /* owned */
    size_t count, room;
};
void sharc_report_advice_done(struct sharc_report_advice *a);
/* From the parts of the site, its week, and the judged capture; any may be NULL. */
void sharc_report_advise(const struct sharc_assess_capture *c, const struct sharc_figure_schedule *schedule,
                         const struct sharc_figure_subsites *parts, const struct sharc_figure_week *week,
                         struct sharc_report_advice *ret);

SHARC_PRIVATE_END
#endif

/* SPDX-License-Identifier: Apache-2.0
 *
 * What is asked of captures again and again: verdicts, series, calendars. Each function gives what assess.h and
 * figure.h give, and reads it from the catalogue where it is kept and current (store_summary.h), else it computes it.
 * Nothing is written but by sharc_summary_refresh, which those call that have written to captures: a crawl at its end,
 * an import, a rebuild.
 */
#ifndef SHARC_SUMMARY_H
#define SHARC_SUMMARY_H

#include "sharc/assess.h"
#include "sharc/base.h"
#include "sharc/figure.h"
#include "sharc/figure_sheet.h"
#include "sharc/store.h"

SHARC_PRIVATE_BEGIN

/* As sharc_assess_open of that capture alone, without composites, and sharc_assess_judge. SHARC_ENOENT. */
int sharc_summary_verdict(struct sharc_store *s, sharc_store_id capture, struct sharc_assess_capture *ret,
                          struct sharc_err *reterr);
/* As sharc_assess_series of that capture alone. *ret_several false: it is the only one of its site, and ret is
 * untouched. */
int sharc_summary_series(struct sharc_store *s, sharc_store_id capture, bool *ret_several,
                         struct sharc_assess_series *ret, struct sharc_err *reterr);
/* As sharc_figure_series, sharc_figure_calendar and sharc_figure_subsites. */
int sharc_summary_steps(struct sharc_store *s, const sharc_store_id *captures, size_t n,
                        struct sharc_figure_series *ret, struct sharc_err *reterr);
int sharc_summary_calendar(struct sharc_store *s, const sharc_store_id *captures, size_t n, size_t most,
                           struct sharc_figure_calendar *ret, struct sharc_err *reterr);
int sharc_summary_subsites(struct sharc_store *s, const sharc_store_id *captures, size_t n,
                           struct sharc_figure_subsites *ret, struct sharc_err *reterr);

/* As sharc_figure_week of a site. */
int sharc_summary_week(struct sharc_store *s, sharc_store_id site, struct sharc_figure_week *ret,
                       struct sharc_err *reterr);

/* As sharc_figure_sheet. */
int sharc_summary_sheet(struct sharc_store *s, sharc_store_id capture, struct sharc_figure_sheet *ret,
                        struct sharc_err *reterr);
/* The sheets of two captures and what changed between them; sharc_figure_pairs goes through them. How alike changed
 * texts are is told only of captures that follow each other. */
struct sharc_summary_two {
    struct sharc_figure_sheet a, b;
    struct sharc_figure_changes changes;
    struct sharc_figure_prints prints_a,
        prints_b; /* inside the room: what changes were found with, if they were not kept */
    bool read;    /* inside the room */
};
int sharc_summary_two(struct sharc_store *s, sharc_store_id a, sharc_store_id b, struct sharc_summary_two *ret,
                      struct sharc_err *reterr);
void sharc_summary_two_done(struct sharc_summary_two *x);
/* As sharc_figure_schedule, sharc_figure_pair and sharc_figure_graph, the first two thinned to `most` marks (0: all).
 * They are made of sheets and of what changed between a capture and the one before it, which are kept; between two
 * others that is found out from their prints, which are kept, too. Kept as they are: what has SHARC_SUMMARY_MARKS, and
 * folded graphs. */
int sharc_summary_schedule(struct sharc_store *s, sharc_store_id capture, size_t most,
                           struct sharc_figure_schedule *ret, struct sharc_err *reterr);
int sharc_summary_pair(struct sharc_store *s, sharc_store_id a, sharc_store_id b, size_t most,
                       struct sharc_figure_pair *ret, struct sharc_err *reterr);
int sharc_summary_graph(struct sharc_store *s, sharc_store_id capture, sharc_store_id against, bool fold,
                        struct sharc_figure_graph *ret, struct sharc_err *reterr);

/* Rows of a calendar, captures of a series, and marks of a picture that are kept: what the web interface asks for. */
enum { SHARC_SUMMARY_ROWS = 50000, SHARC_SUMMARY_CAPTURES = 100, SHARC_SUMMARY_MARKS = 20000 };

struct sharc_summary_options {
    uint64_t rows;             /* of the catalogue to be read at most, about; 0: 30 million, about a minute */
    const volatile bool *stop; /* may be NULL; true: it ends with what it has */
};
/* Make what is missing or old, the newest captures first. Captures that somebody writes to are left alone. A verdict
 * rests on all downloads of the same URLs, so every new capture makes those of earlier ones old; where the catalogue is
 * so large that they are not made, they are computed when somebody asks. *ret counts what was made. o may be NULL. */
int sharc_summary_refresh(struct sharc_store *s, const struct sharc_summary_options *o, uint64_t *ret,
                          struct sharc_err *reterr);

SHARC_PRIVATE_END
#endif

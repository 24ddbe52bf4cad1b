/* SPDX-License-Identifier: Apache-2.0
 *
 * Results of experiments for people and for programs: aligned text, Markdown,
 * CSV, JSON, and pictures as SVG. Everything is appended to a buffer; what could
 * not be written shows in sharc_buf_result().
 */
#ifndef SHARC_SIM_REPORT_H
#define SHARC_SIM_REPORT_H

#include "sharc/base_buf.h"
#include "sharc/base_json.h"
#include "sharc/sim.h"
#include "sharc/sim_promise.h"

SHARC_PRIVATE_BEGIN

enum sharc_sim_format { SHARC_SIM_TEXT, SHARC_SIM_MARKDOWN, SHARC_SIM_CSV, SHARC_SIM_JSON };

/* What an experiment was, in one line: the site, its window (of a recorded history),
 * the rates, what was known, seed and runs. */
void sharc_sim_describe(const struct sharc_sim_site *site, const struct sharc_sim_options *options,
                        struct sharc_buf *out);

/* Results of sharc_sim_run with what they were made of. The JSON object has
 * "site", "pages", "rates", "known", "seed", "runs" and "results", one object
 * per strategy; the names of its members never change, new ones may be added. So it
 * is with the columns of CSV, whose last ones tell what the experiment was.
 * Strategies that look at pages more than twice are not held by the bound, which is
 * for one visit and one revisit: texts mark them. Promises may be NULL. */
void sharc_sim_results_write(const struct sharc_sim_site *site, const struct sharc_sim_options *options,
                             const struct sharc_sim_result *results, size_t n,
                             const struct sharc_sim_promises *promises, enum sharc_sim_format format,
                             struct sharc_buf *out);

/* Pictures, 900 units wide, readable on light and dark ground. Large sites are
 * thinned to what the eye can see.
 * organ pipes: change rate over the slot of the visit;
 * pyramid: the interval of each page between visit and revisit, hopeless pages
 * marked;
 * bars: one bar per strategy, its blur or incoherence beside the bound. */
void sharc_sim_svg_pipes(const struct sharc_sim_trace *t, const char *title, struct sharc_buf *out);
void sharc_sim_svg_pyramid(const struct sharc_sim_trace *t, const char *title, struct sharc_buf *out);
enum sharc_sim_measure { SHARC_SIM_BLUR, SHARC_SIM_INCOHERENCE };
void sharc_sim_svg_bars(const struct sharc_sim_result *results, size_t n, enum sharc_sim_measure measure,
                        const char *title, struct sharc_buf *out);

/* All of them as files. A path that ends in .svg gets one picture: bars when
 * there are several strategies, else the schedule. Any other path is a directory
 * (made if missing) and gets bars-blur.svg, bars-incoherence.svg and for each
 * strategy <name>.svg, organ pipes or pyramid. */
int sharc_sim_svg_files(const struct sharc_sim_site *site, const struct sharc_sim_options *options,
                        const struct sharc_sim_result *results, size_t n, const char *path, struct sharc_err *reterr);

SHARC_PRIVATE_END
#endif

/* SPDX-License-Identifier: Apache-2.0
 *
 * sharc plan: what a capture can expect, before it is made.
 */
#include "cli.h"

#include "sharc/sim_plan.h"

#include <math.h>
#include <stdlib.h>

#define OUTPUT_MAX (256u << 20)

/* Only what a plan can know. */
static const char *const rates[] = {"combined", "history", "predicted", "age", NULL};
static const enum sharc_sim_rates rates_of[] = {SHARC_SIM_COMBINED, SHARC_SIM_HISTORY, SHARC_SIM_PREDICTED,
                                                SHARC_SIM_AGE};

int cmd_plan(struct cli *c, int argc, char **argv)
{
    const char *strategies = NULL;
    sharc_time at = SHARC_TIME_NONE, delay = 3 * SHARC_SEC;
    double known = 0, focus = 0.1;
    int rate = 0;
    bool csv = false, markdown = false;
    const struct cli_option options[] = {
        OPT_DURATION('d', "delay", &delay, "TIME", "pause between two downloads (3s)"),
        OPT_TIME(0, "at", &at, "TIME", "when the capture begins (where the history ends)"),
        OPT_CHOICE(0, "rates", &rate, rates, "where change rates come from"),
        OPT_SHARE(0, "known", &known, "SHARE", "share of the URLs that online strategies know beforehand (0)"),
        OPT_SHARE(0, "focus", &focus, "SHARE", "sharc-focus: most extra requests (10%)"),
        OPT_STRING('s', "strategy", &strategies, "LIST", "names separated by commas, or all, blur, coherence"),
        OPT_FLAG(0, "csv", &csv, "print the strategies as comma-separated values"),
        OPT_FLAG(0, "markdown", &markdown, "print Markdown"),
        OPT_END,
    };
    if (cli_parse(c, &argc, argv, options)) return cli_stop(c);
    if (argc != 2) return cli_usage(c, "name one dataset directory");
    struct sharc_err err = SHARC_ERR_INIT;
    struct sharc_sim_plan_options o = SHARC_SIM_PLAN_OPTIONS;
    if (at != SHARC_TIME_NONE) o.at = (double)at / SHARC_SEC;
    o.delay = (double)delay / SHARC_SEC;
    o.rates = rates_of[rate];
    o.run.known = known;
    o.run.params.focus_share = focus;
    AUTO(sharc_freep) const struct sharc_strategy_ops **list = NULL;
    if (strategies && sharc_sim_strategies_parse(sharc_span_of(strategies), &list, &o.n, &err) < 0)
        return cli_usage(c, "%s", err.text);
    o.strategies = list;
    AUTO(sharc_dataset_freep) struct sharc_dataset *d = NULL;
    if (sharc_dataset_open(argv[1], &d, &err) < 0) return cli_fail(c, &err);
    AUTO(sharc_sim_plan_done) struct sharc_sim_plan plan = {0};
    if (sharc_sim_plan_make(d, &o, &plan, &err) < 0) return cli_fail(c, &err);
    AUTO(sharc_buf_done) struct sharc_buf out = SHARC_BUF_INIT(OUTPUT_MAX);
    enum sharc_sim_format format = c->json    ? SHARC_SIM_JSON
                                   : csv      ? SHARC_SIM_CSV
                                   : markdown ? SHARC_SIM_MARKDOWN
                                              : SHARC_SIM_TEXT;
    sharc_sim_plan_write(&plan, format, &out);
    if (sharc_buf_result(&out, &err) < 0) return cli_fail(c, &err);
    fwrite(out.p, 1, out.n, c->out);
    return EXIT_OK;
}

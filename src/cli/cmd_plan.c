/* SPDX-License-Identifier: Apache-2.0
 *
 * sharc plan: what a capture can expect, before it is made.
 */
#include "cmd_plan.h"
#include "archive.h"

#include "sharc/crawl.h"
#include "sharc/url.h"

#include <math.h>
#include <stdlib.h>
#include <unistd.h>

#define OUTPUT_MAX (256u << 20)

/* Only what a plan can know. */
static const char *const rates[] = {"combined", "history", "predicted", "age", "near", NULL};
static const enum sharc_sim_rates rates_of[] = {SHARC_SIM_COMBINED, SHARC_SIM_HISTORY, SHARC_SIM_PREDICTED,
                                                SHARC_SIM_AGE, SHARC_SIM_NEAR};

static void settings_done(struct plan_settings *s)
{
    cli_list_done(&s->include);
    cli_list_done(&s->exclude);
}

int plan_print(struct cli *c, const struct plan_settings *s, const struct sharc_dataset *d, const char *seed)
{
    struct sharc_err err = SHARC_ERR_INIT;
    SHARC_AUTO(sharc_sim_plan_done) struct sharc_sim_plan plan = {0};
    if (sharc_sim_plan_make(d, &s->o, &plan, &err) < 0) return cli_fail(c, &err);
    SHARC_AUTO(sharc_buf_done) struct sharc_buf out = SHARC_BUF_INIT(OUTPUT_MAX);
    enum sharc_sim_format format = c->json       ? SHARC_SIM_JSON
                                   : s->csv      ? SHARC_SIM_CSV
                                   : s->markdown ? SHARC_SIM_MARKDOWN
                                                 : SHARC_SIM_TEXT;
    SHARC_AUTO(sharc_freep) char *explore = seed ? plan_command(s, &plan, seed, false) : NULL;
    SHARC_AUTO(sharc_freep) char *evidence = seed ? plan_command(s, &plan, seed, true) : NULL;
    plan.commands[0] = explore;
    plan.commands[1] = evidence;
    plan.width = cli_columns(c->out);
    sharc_sim_plan_write(&plan, format, &out);
    if (sharc_buf_result(&out, &err) < 0) return cli_fail(c, &err);
    fwrite(out.p, 1, out.n, c->out);
    return EXIT_OK;
}

static int plan_dataset(struct cli *c, struct plan_settings *s, const char *directory)
{
    struct sharc_err err = SHARC_ERR_INIT;
    SHARC_AUTO(sharc_dataset_freep) struct sharc_dataset *d = NULL;
    SHARC_AUTO(sharc_freep) double *weight = NULL;
    if (sharc_dataset_open(directory, &d, &err) < 0) return cli_fail(c, &err);
    if (s->weights && sharc_dataset_weigh(d, s->weights, &weight, &err) < 0) return cli_fail(c, &err);
    s->o.weight = weight;
    int code = plan_print(c, s, d, NULL);
    s->o.weight = NULL;
    return code;
}

/* Most likely a site without its scheme, which may as well be the name of a directory. */
static int no_such_directory(struct cli *c, const char *name)
{
    SHARC_AUTO(sharc_url_done) struct sharc_url url = SHARC_URL_INIT;
    if (sharc_url_parse_typed(&url, sharc_span_of(name), NULL) < 0 || !sharc_url_is_http(&url))
        return cli_usage(c, "%s: there is no such directory; name a site by its URL, https://…", name);
    sharc_url_strip_credentials(&url);
    return cli_usage(c, "%s: there is no such directory; name a site by its URL, %.*s", name,
                     SHARC_SPAN_ARG(sharc_url_page(&url)));
}

int cmd_plan(struct cli *c, int argc, char **argv)
{
    SHARC_AUTO(settings_done)
    struct plan_settings s = {.o = SHARC_SIM_PLAN_OPTIONS, .sample = 20, .delay = 3 * SHARC_SEC};
    const char *strategies = NULL;
    sharc_time at = SHARC_TIME_NONE;
    double known = -1, focus = 0.1;
    int rate = 0;
    const struct cli_option options[] = {
        OPT_DURATION('d', "delay", &s.delay, "TIME", "assume this delay between two downloads (default: 3s)"),
        OPT_SHARE(0, "known", &known, "SHARE", "assume that online strategies know this share of the URLs beforehand"),
        OPT_SHARE(0, "focus", &focus, "SHARE",
                  "sharc-focus: allow at most this share of extra requests (default: 10%)"),
        OPT_STRING(
            's', "strategy", &strategies, "LIST",
            "compare these strategies, separated by commas, or all, blur, coherence (default: the recommended ones)"),
        OPT_STRING(0, "weights", &s.weights, "HOW", "weigh pages by priority, pagerank, indegree or a file"),
        OPT_HEADING("Surveying a live site (URL)"),
        OPT_STRING('a', "archive", &s.archive, "DIR", "use what this archive knows about the site"),
        OPT_UINT_IN(1, 1e5, 0, "sample", &s.sample, "N", "fetch N pages to learn about the site (default: 20)"),
        OPT_STRING(0, "contact", &s.contact, "TEXT", "tell the site whom to contact: a URL or an address"),
        OPT_STRINGS(0, "include", &s.include, "RULE", "also count URLs that match this scope rule"),
        OPT_STRINGS(0, "exclude", &s.exclude, "RULE", "leave out URLs that match this scope rule"),
        OPT_FLAG(0, "no-sitemaps", &s.no_sitemaps, "do not read sitemaps"),
        OPT_FLAG(0, "allow-private", &s.allow_private, "allow loopback and private addresses"),
        OPT_HEADING("A recorded history (DATASET)"),
        OPT_TIME(0, "at", &at, "TIME", "start the capture at this time (default: the end of the history)"),
        OPT_CHOICE(0, "rates", &rate, rates, "take change rates from this source (default: combined)"),
        OPT_HEADING("Output"),
        OPT_FLAG(0, "csv", &s.csv, "print comma-separated values"),
        OPT_FLAG(0, "markdown", &s.markdown, "print a Markdown table"),
        OPT_END,
    };
    /* What a capture would be told. Not its strategy: that is what is asked for. */
    static const char *const shared[] = {"contact", "delay",       "include",       "exclude", "focus",
                                         "weights", "no-sitemaps", "allow-private", NULL};
    c->borrows = "crawl";
    c->borrows_what = shared;
    c->archive_argument = true;
    c->site_names = sharc_crawl_setting_names();
    if (cli_parse(c, &argc, argv, options)) return cli_stop(c);
    if (argc != 2) return cli_usage(c, "name one URL, archive or dataset directory");
    int code = cli_one_form(c, s.csv, s.markdown);
    if (code) return code;
    struct sharc_err err = SHARC_ERR_INIT;
    if (at != SHARC_TIME_NONE) s.o.at = (double)at / SHARC_SEC;
    s.o.delay = (double)s.delay / SHARC_SEC;
    s.o.rates = rates_of[rate];
    s.o.run.known = known;
    s.o.run.params.focus_share = focus;
    SHARC_AUTO(sharc_freep) const struct sharc_strategy_ops **list = NULL;
    if (strategies && sharc_sim_strategies_parse(sharc_span_of(strategies), &list, &s.o.n, &err) < 0)
        return cli_usage(c, "%s", err.text);
    s.o.strategies = list;
    if (strstr(argv[1], "://")) return plan_url(c, &s, argv[1]);
    if (sharc_archive_is(argv[1])) return plan_archive(c, &s, argv[1]);
    if (known < 0) s.o.run.known = 0;
    if (access(argv[1], F_OK) != 0) return no_such_directory(c, argv[1]);
    return plan_dataset(c, &s, argv[1]);
}

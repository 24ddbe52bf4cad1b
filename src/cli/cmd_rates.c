/* SPDX-License-Identifier: Apache-2.0
 *
 * sharc rates: how often pages change, estimated, learned and predicted. Rooms
 * history and rate do the work; this file chooses and prints.
 */
#include "cmd_rates.h"
#include "archive.h"

#include <math.h>
#include <unistd.h>

const char *const rates_methods[] = {"posterior", "near", "combined", NULL};
const char *const rates_learners[] = {"naive-bayes", "c4.5", "xgboost", "all", NULL};
const char *const rates_features[] = {"online", "offline", "both", NULL};

void rates_cell(struct cli_table *t, double rate)
{
    if (isnan(rate))
        cli_table_cell(t, "%s", "");
    else
        cli_table_cell(t, "%.3g", rate * RATES_DAY);
}

int rates_print(struct cli *c, const struct sharc_buf *out)
{
    struct sharc_err err = SHARC_ERR_INIT;
    if (sharc_buf_result(out, &err) < 0) return cli_fail(c, &err);
    fwrite(out->p, 1, out->n, c->out);
    return EXIT_OK;
}

static int open_archive(const char *path, const struct rates_settings *set, struct sharc_history *ret,
                        struct sharc_err *err)
{
    const struct sharc_store_options o = {.read_only = true, .must_exist = true};
    SHARC_AUTO(sharc_store_freep) struct sharc_store *store = NULL;
    int r = sharc_archive_open(path, set->store, &o, &store, err);
    return r < 0 ? r : sharc_history_archive(ret, store, path, &set->window, err);
}

int rates_open(const char *path, const struct rates_settings *set, struct sharc_history *ret, struct sharc_err *err)
{
    SHARC_FAIL_IF(access(path, F_OK) < 0, err, SHARC_ENOENT,
                  "%s: there is no such file or directory; name a dataset, an archive or a sitemap", path);
    if (!cli_is_directory(path)) return sharc_history_sitemap(ret, path, &set->window, err);
    if (!sharc_history_is_dataset(path) && sharc_archive_is(path)) return open_archive(path, set, ret, err);
    return sharc_history_dataset(ret, path, &set->window, err);
}

/* --- the command ------------------------------------------------------------------------------------ */

int cmd_rates(struct cli *c, int argc, char **argv)
{
    struct sharc_clock *clock = sharc_clock_real();
    struct rates_settings s = {.window = {.at = SHARC_TIME_NONE, .now = clock->now(clock)},
                               .coming = 30 * 24 * SHARC_HOUR,
                               .delay = 3 * SHARC_SEC,
                               .learner = RATES_ALL,
                               .features = RATES_BOTH,
                               .bins = 10,
                               .folds = 10,
                               .seed = 1,
                               .confidence = 0.25,
                               .smoothing = 1};
    const struct cli_option options[] = {
        OPT_HEADING("What was observed"),
        OPT_REAL_IN(0, 1e6, 0, "days", &s.window.days, "N", "use only the last N days (default: everything recorded)"),
        OPT_TIME(0, "at", &s.window.at, "TIME",
                 "ignore everything after TIME (default: the end of the recording; sitemaps: now)"),
        OPT_STORE(&s.store),
        OPT_HEADING("estimate"),
        OPT_CHOICE('m', "method", &s.method, rates_methods, "choose what rates are computed from (default: posterior)"),
        OPT_DURATION(0, "coming", &s.coming, "TIME",
                     "near and combined: compute rates for this period ahead (default: 30d)"),
        OPT_DURATION('d', "delay", &s.delay, "TIME", "sitemaps: take \"always\" to mean this interval (default: 3s)"),
        OPT_STRING(0, "weights", &s.weights, "HOW", "also print weights by priority, pagerank, indegree or a file"),
        OPT_FLAG(0, "save", &s.save, "save the rates in the archive's catalogue"),
        OPT_UINT('n', "top", &s.top, "N", "print the N pages that change most (default: 20; JSON: all)"),
        OPT_HEADING("train, evaluate"),
        OPT_CHOICE('l', "learner", &s.learner, rates_learners, "learn with this method (default: all)"),
        OPT_CHOICE('f', "features", &s.features, rates_features,
                   "use features of the URL (online), of the page too (offline), or try both (default: both)"),
        OPT_UINT_IN(1, 1e5, 0, "bins", &s.bins, "N", "sort rates into N classes (default: 10)"),
        OPT_REAL(0, "confidence", &s.confidence, "X",
                 "C4.5: set the pruning confidence; smaller prunes more (default: 0.25)"),
        OPT_REAL(0, "smoothing", &s.smoothing, "X", "Naive Bayes: add X to each count (default: 1)"),
        OPT_FLAG(0, "textbook", &s.textbook, "C4.5: make one branch per distinct word, as published"),
        OPT_STRING('o', "output", &s.output, "FILE", "train: write the model to this file"),
        OPT_UINT_IN(2, 1e6, 0, "folds", &s.folds, "N", "evaluate: cross-validate in N parts (default: 10)"),
        OPT_UINT_IN(0, CLI_SEED_MOST, 0, "seed", &s.seed, "N",
                    "evaluate: seed the assignment of pages to parts (default: 1)"),
        OPT_FLAG(0, "worth", &s.worth, "evaluate: also measure what the predictions gain in a crawl"),
        OPT_FLAG(0, "csv", &s.csv, "evaluate: print comma-separated values"),
        OPT_FLAG(0, "markdown", &s.markdown, "evaluate: print a Markdown table"),
        OPT_END,
    };
    if (cli_parse(c, &argc, argv, options)) return cli_stop(c);
    int code = cli_one_form(c, s.csv, s.markdown);
    if (code) return code;
    static const char *const actions[] = {"estimate", "train", "predict", "evaluate", "show", NULL};
    const char *action = argc > 1 ? argv[1] : "";
    int which = 0;
    while (actions[which] && strcmp(actions[which], action) != 0) which++;
    if (!actions[which]) return cli_usage(c, "say what to do: estimate, train, predict, evaluate or show");
    if (argc < 3) return cli_usage(c, "%s needs a dataset, an archive, a sitemap or a model", action);
    argc -= 2, argv += 2;
    bool one = which != 2 && which != 3;
    if (one && argc > 1) return cli_usage(c, "%s takes one argument", action);
    switch (which) {
    case 0: return rates_estimate(c, &s, argv[0]);
    case 1: return rates_train(c, &s, argv[0]);
    case 2: return rates_predict(c, &s, argc, argv);
    case 3: return rates_evaluate(c, &s, argc, argv);
    default: return rates_show(c, &s, argv[0]);
    }
}

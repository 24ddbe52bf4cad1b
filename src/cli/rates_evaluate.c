/* SPDX-License-Identifier: Apache-2.0
 *
 * sharc rates evaluate: cross-validation, and what the predictions of pages that
 * were held out are worth when a strategy plans by them.
 */
#include "rates.h"

#include "sharc/sim.h"

#include <limits.h>
#include <math.h>
#include <stdlib.h>

/* What evaluate says of one learner on one source. */
struct rates_trial {
    const char *source, *learner;
    bool offline;
    struct sharc_rate_report report;
    double blur, incoherent;               /* of the held-out predictions in a strategy; NAN: not asked */
    double blur_oracle, incoherent_oracle; /* with rates counted in the window itself */
    double blur_plain, incoherent_plain;   /* breadth-first, without any */
};
struct rates_trials {
    const struct sharc_rate_options *options;
    unsigned folds;
    uint64_t seed;
    bool worth;
};
enum { BLUR, COHERENCE, PLAIN_BLUR, PLAIN_COHERENCE, STRATEGIES };
static const char *const strategy_names[STRATEGIES] = {"sharc-offline", "sharc-selective-offline", "bfs", "bfs-lifo"};

static int simulate(const struct rates_source *s, const double *rate, struct sharc_sim_result *ret,
                    struct sharc_err *err)
{
    struct sharc_sim_options o = SHARC_SIM_OPTIONS;
    const struct sharc_strategy_ops *ops[STRATEGIES];
    const struct sharc_sim_window w = {.from = s->start, .to = s->end, .rates = SHARC_SIM_GIVEN, .given = rate};
    SHARC_AUTO(sharc_sim_site_freep) struct sharc_sim_site *site = NULL;
    for (int i = 0; i < STRATEGIES; i++) ops[i] = sharc_strategy_find(strategy_names[i]);
    o.bound = false;
    int r = sharc_sim_recorded_new(s->data, &w, &site, err);
    return r < 0 ? r : sharc_sim_run(site, ops, STRATEGIES, &o, ret, err);
}

/* Every page at the mean rate of the bin it was held to be in by a model that had
 * not seen it. */
static int worth(const struct rates_source *s, const struct sharc_rate_table *t, const uint32_t *page,
                 const unsigned *bin, unsigned bins, struct rates_trial *ret, struct sharc_err *err)
{
    const size_t rows = sharc_rate_table_rows(t);
    SHARC_AUTO(sharc_freep) double *known = SHARC_NEW_ARRAY(double, rows);
    SHARC_AUTO(sharc_freep) double *rate = SHARC_NEW_ARRAY(double, s->data->pages);
    struct sharc_rate_bins cut;
    struct sharc_sim_result results[STRATEGIES];
    for (size_t i = 0; i < rows; i++) known[i] = sharc_rate_table_rate(t, i);
    sharc_rate_bins_make(known, rows, bins, &cut);
    for (size_t i = 0; i < rows; i++) rate[s->page[page[i]].origin] = cut.bin[bin[i]].mean;
    int r = simulate(s, rate, results, err);
    if (r < 0) return r;
    ret->blur = results[BLUR].average_blur.mean;
    ret->incoherent = results[COHERENCE].incoherence.mean;
    ret->blur_plain = results[PLAIN_BLUR].average_blur.mean;
    ret->incoherent_plain = results[PLAIN_COHERENCE].incoherence.mean;
    for (size_t i = 0; i < rows; i++) rate[s->page[page[i]].origin] = known[i];
    r = simulate(s, rate, results, err);
    if (r < 0) return r;
    ret->blur_oracle = results[BLUR].average_blur.mean;
    ret->incoherent_oracle = results[COHERENCE].incoherence.mean;
    return 0;
}

static int try_one(const struct rates_source *s, const struct rates_trials *t, bool offline, struct rates_trial *ret,
                   struct sharc_err *err)
{
    const double none = SHARC_RATE_UNKNOWN;
    SHARC_AUTO(sharc_freep) uint32_t *page = NULL;
    SHARC_AUTO(sharc_rate_table_freep)
    struct sharc_rate_table *table = cli__rates_table(s, offline ? SHARC_RATE_OFFLINE : SHARC_RATE_ONLINE, &page);
    SHARC_AUTO(sharc_freep) unsigned *bin = SHARC_NEW_ARRAY(unsigned, sharc_rate_table_rows(table));
    *ret = (struct rates_trial){.source = s->name,
                                .offline = offline,
                                .blur = none,
                                .incoherent = none,
                                .blur_oracle = none,
                                .incoherent_oracle = none,
                                .blur_plain = none,
                                .incoherent_plain = none};
    int r = sharc_rate_evaluate(table, t->options, t->folds, t->seed, &ret->report, bin, err);
    if (r < 0) return sharc_err_prefix(err, r, "%s", s->name);
    return t->worth ? worth(s, table, page, bin, t->options->bins, ret, err) : 0;
}

/* --- evaluate ------------------------------------------------------------------------------------ */

static void trials_json(const struct rates_trial *t, size_t n, struct sharc_buf *out)
{
    struct sharc_json j;
    sharc_json_init(&j, out, true);
    sharc_json_object(&j, NULL);
    sharc_json_array(&j, "trials");
    for (size_t i = 0; i < n; i++) {
        const struct sharc_rate_report *r = &t[i].report;
        sharc_json_object(&j, NULL);
        sharc_json_str(&j, "source", t[i].source);
        sharc_json_str(&j, "features", cli__rates_features_names[t[i].offline]);
        sharc_json_str(&j, "learner", t[i].learner);
        sharc_json_uint(&j, "pages", r->rows);
        sharc_json_uint(&j, "folds", r->folds);
        sharc_json_uint(&j, "bins", r->bins);
        sharc_json_real(&j, "accuracy", r->accuracy);
        sharc_json_real(&j, "majority", r->majority);
        sharc_json_real(&j, "distance", r->distance);
        sharc_json_real(&j, "log_likelihood", r->log_likelihood);
        sharc_json_real(&j, "log_likelihood_without", r->log_likelihood_without);
        sharc_json_real(&j, "blur", t[i].blur);
        sharc_json_real(&j, "blur_oracle", t[i].blur_oracle);
        sharc_json_real(&j, "blur_bfs", t[i].blur_plain);
        sharc_json_real(&j, "incoherent", t[i].incoherent);
        sharc_json_real(&j, "incoherent_oracle", t[i].incoherent_oracle);
        sharc_json_real(&j, "incoherent_bfs", t[i].incoherent_plain);
        sharc_json_end(&j);
    }
    sharc_json_end(&j);
    sharc_json_end(&j);
    sharc_buf_put_char(out, '\n');
}

static const char *const trial_titles[] = {
    "source",       "features", "learner",     "pages",    "fullest",    "accuracy", "bins off", "ln L",
    "ln L without", "blur",     "blur oracle", "blur bfs", "incoherent", "oracle",   "bfs-lifo",
};
enum { TRIAL_COLUMNS = SHARC_LENGTH(trial_titles), TRIAL_PLAIN = 9, CELL_MAX = 64 };

static void trial_cells(const struct rates_trial *t, char cell[TRIAL_COLUMNS][CELL_MAX])
{
    const struct sharc_rate_report *r = &t->report;
    int at = 0;
    snprintf(cell[at++], CELL_MAX, "%s", t->source);
    snprintf(cell[at++], CELL_MAX, "%s", cli__rates_features_names[t->offline]);
    snprintf(cell[at++], CELL_MAX, "%s", t->learner);
    snprintf(cell[at++], CELL_MAX, "%zu", r->rows);
    snprintf(cell[at++], CELL_MAX, "%.1f %%", 100 * r->majority);
    snprintf(cell[at++], CELL_MAX, "%.1f %%", 100 * r->accuracy);
    snprintf(cell[at++], CELL_MAX, "%.2f", r->distance);
    snprintf(cell[at++], CELL_MAX, "%.3f", r->log_likelihood);
    snprintf(cell[at++], CELL_MAX, "%.3f", r->log_likelihood_without);
    snprintf(cell[at++], CELL_MAX, "%.4f", t->blur);
    snprintf(cell[at++], CELL_MAX, "%.4f", t->blur_oracle);
    snprintf(cell[at++], CELL_MAX, "%.4f", t->blur_plain);
    snprintf(cell[at++], CELL_MAX, "%.0f", t->incoherent);
    snprintf(cell[at++], CELL_MAX, "%.0f", t->incoherent_oracle);
    snprintf(cell[at++], CELL_MAX, "%.0f", t->incoherent_plain);
}

static void print_trials(struct cli *c, const struct rates_settings *set, const struct rates_trial *t, size_t n)
{
    char cell[TRIAL_COLUMNS][CELL_MAX];
    const size_t columns = set->worth ? TRIAL_COLUMNS : TRIAL_PLAIN;
    if (!set->csv && !set->markdown) {
        SHARC_AUTO(cli_table_freep) struct cli_table *table = cli_table_new(columns, trial_titles, "lllrrrrrrrrrrrr");
        for (size_t i = 0; i < n; i++) {
            trial_cells(&t[i], cell);
            for (size_t k = 0; k < columns; k++) cli_table_cell(table, "%s", cell[k]);
        }
        cli_table_print(table, c->out);
        return;
    }
    const char *between = set->csv ? "," : " | ", *ends = set->csv ? "" : "|";
    const char *inner = set->csv ? "" : " ";
    for (size_t i = 0; i <= n; i++) {
        if (i) trial_cells(&t[i - 1], cell);
        fprintf(c->out, "%s%s", ends, inner);
        for (size_t k = 0; k < columns; k++) fprintf(c->out, "%s%s", k ? between : "", i ? cell[k] : trial_titles[k]);
        fprintf(c->out, "%s%s\n", inner, ends);
        if (i || set->csv) continue;
        for (size_t k = 0; k < columns; k++) fputs(k < 3 ? "|---" : "|---:", c->out);
        fputs("|\n", c->out);
    }
}

/* All cli__rates_learners and features on one source, appended to trials. */
static int try_source(const struct rates_settings *set, const struct rates_source *s, struct rates_trial *trials,
                      size_t *n, struct sharc_err *err)
{
    SHARC_FAIL_IF(set->worth && (!s->data || !(set->window.days > 0)), err, SHARC_EINVAL,
                  "%s: --worth crawls a window of a recorded history; name datasets and give --days", s->name);
    for (int offline = 0; offline < 2; offline++) {
        if (set->features != RATES_BOTH && set->features != offline) continue;
        for (int learner = 0; learner < RATES_ALL; learner++) {
            if (set->learner != RATES_ALL && set->learner != learner) continue;
            if (set->learner == RATES_ALL && learner == SHARC_RATE_XGBOOST && !sharc_rate_has_xgboost()) continue;
            struct sharc_rate_options o;
            cli__rates_options(set, learner, &o);
            const struct rates_trials t = {&o, set->folds > UINT_MAX ? UINT_MAX : (unsigned)set->folds, set->seed,
                                           set->worth};
            int r = try_one(s, &t, offline, &trials[*n], err);
            if (r < 0) return r;
            trials[(*n)++].learner = cli__rates_learners[learner];
        }
    }
    return 0;
}

static void sources_done(struct rates_source **s)
{
    for (size_t i = 0; *s && (*s)[i].name; i++) cli__rates_done(&(*s)[i]);
    free(*s);
}

int cli__rates_evaluate(struct cli *c, const struct rates_settings *set, int argc, char **argv)
{
    struct sharc_err err = SHARC_ERR_INIT;
    SHARC_AUTO(sources_done) struct rates_source *sources = SHARC_NEW_ARRAY(struct rates_source, (size_t)argc + 1);
    SHARC_AUTO(sharc_freep)
    struct rates_trial *trials = SHARC_NEW_ARRAY(struct rates_trial, (size_t)argc * 2 * RATES_ALL);
    SHARC_AUTO(sharc_progress_freep)
    struct sharc_progress *p = cli_progress(c, "evaluating", "sources", (uint64_t)argc);
    struct sharc_clock *clock = sharc_clock_real();
    size_t n = 0;
    int r = 0;
    for (int i = 0; r == 0 && i < argc; i++) {
        struct rates_source s;
        r = cli__rates_open(argv[i], &set->window, &s, &err);
        if (!s.name) s.name = sharc_strdup(argv[i]);
        sources[i] = s;
        if (r == 0) r = try_source(set, &sources[i], trials, &n, &err);
        sharc_progress_add(p, 1, clock->now(clock));
    }
    sharc_progress_finish(p, clock->now(clock));
    if (r < 0) return cli_fail(c, &err);
    if (!c->json) {
        print_trials(c, set, trials, n);
        return EXIT_OK;
    }
    SHARC_AUTO(sharc_buf_done) struct sharc_buf out = SHARC_BUF_INIT(RATES_OUTPUT_MAX);
    trials_json(trials, n, &out);
    return cli__rates_print(c, &out);
}

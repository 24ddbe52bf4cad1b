/* SPDX-License-Identifier: Apache-2.0
 *
 * sharc rates evaluate: learners put to the test (history_trial.h).
 */
#include "cmd_rates.h"

#include "sharc/history_trial.h"

#include <limits.h>
#include <stdlib.h>

/* What evaluate says of one learner on one source. */
struct rates_trial {
    const char *source, *learner;
    bool offline;
    struct sharc_history_trial t;
};

/* --- evaluate ------------------------------------------------------------------------------------ */

static void trials_json(const struct rates_trial *t, size_t n, struct sharc_buf *out)
{
    struct sharc_json j;
    sharc_json_init(&j, out, true);
    sharc_json_object(&j, NULL);
    sharc_json_array(&j, "trials");
    for (size_t i = 0; i < n; i++) {
        const struct sharc_rate_report *r = &t[i].t.report;
        sharc_json_object(&j, NULL);
        sharc_json_str(&j, "source", t[i].source);
        sharc_json_str(&j, "features", rates_features[t[i].offline]);
        sharc_json_str(&j, "learner", t[i].learner);
        sharc_json_uint(&j, "pages", r->rows);
        sharc_json_uint(&j, "folds", r->folds);
        sharc_json_uint(&j, "bins", r->bins);
        sharc_json_real(&j, "accuracy", r->accuracy);
        sharc_json_real(&j, "majority", r->majority);
        sharc_json_real(&j, "distance", r->distance);
        sharc_json_real(&j, "log_likelihood", r->log_likelihood);
        sharc_json_real(&j, "log_likelihood_without", r->log_likelihood_without);
        sharc_json_real(&j, "blur", t[i].t.blur);
        sharc_json_real(&j, "blur_oracle", t[i].t.blur_oracle);
        sharc_json_real(&j, "blur_bfs", t[i].t.blur_plain);
        sharc_json_real(&j, "incoherent", t[i].t.incoherent);
        sharc_json_real(&j, "incoherent_oracle", t[i].t.incoherent_oracle);
        sharc_json_real(&j, "incoherent_bfs", t[i].t.incoherent_plain);
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
    const struct sharc_rate_report *r = &t->t.report;
    int at = 0;
    snprintf(cell[at++], CELL_MAX, "%s", t->source);
    snprintf(cell[at++], CELL_MAX, "%s", rates_features[t->offline]);
    snprintf(cell[at++], CELL_MAX, "%s", t->learner);
    snprintf(cell[at++], CELL_MAX, "%zu", r->rows);
    snprintf(cell[at++], CELL_MAX, "%.1f %%", 100 * r->majority);
    snprintf(cell[at++], CELL_MAX, "%.1f %%", 100 * r->accuracy);
    snprintf(cell[at++], CELL_MAX, "%.2f", r->distance);
    snprintf(cell[at++], CELL_MAX, "%.3f", r->log_likelihood);
    snprintf(cell[at++], CELL_MAX, "%.3f", r->log_likelihood_without);
    snprintf(cell[at++], CELL_MAX, "%.4f", t->t.blur);
    snprintf(cell[at++], CELL_MAX, "%.4f", t->t.blur_oracle);
    snprintf(cell[at++], CELL_MAX, "%.4f", t->t.blur_plain);
    snprintf(cell[at++], CELL_MAX, "%.0f", t->t.incoherent);
    snprintf(cell[at++], CELL_MAX, "%.0f", t->t.incoherent_oracle);
    snprintf(cell[at++], CELL_MAX, "%.0f", t->t.incoherent_plain);
}

static void print_table(struct cli *c, size_t columns, const struct rates_trial *t, size_t n)
{
    char cell[TRIAL_COLUMNS][CELL_MAX];
    SHARC_AUTO(cli_table_freep) struct cli_table *table = cli_table_new(columns, trial_titles, "lllrrrrrrrrrrrr");
    for (size_t i = 0; i < n; i++) {
        trial_cells(&t[i], cell);
        for (size_t k = 0; k < columns; k++) cli_table_cell(table, "%s", cell[k]);
    }
    cli_table_print(table, c->out);
}

static void print_csv(struct cli *c, size_t columns, const struct rates_trial *t, size_t n)
{
    char cell[TRIAL_COLUMNS][CELL_MAX];
    SHARC_AUTO(sharc_buf_done) struct sharc_buf line = SHARC_BUF_INIT(2 * TRIAL_COLUMNS * CELL_MAX);
    for (size_t k = 0; k < columns; k++) fprintf(c->out, "%s%s", k ? "," : "", trial_titles[k]);
    putc('\n', c->out);
    for (size_t i = 0; i < n; i++) {
        trial_cells(&t[i], cell);
        sharc_buf_clear(&line);
        for (size_t k = 0; k < columns; k++) {
            if (k) sharc_buf_put_char(&line, ',');
            sharc_buf_put_csv(&line, sharc_span_of(cell[k]));
        }
        fprintf(c->out, "%s\n", sharc_buf_str(&line));
    }
}

static void print_markdown(struct cli *c, size_t columns, const struct rates_trial *t, size_t n)
{
    char cell[TRIAL_COLUMNS][CELL_MAX];
    for (size_t k = 0; k < columns; k++) fprintf(c->out, "| %s ", trial_titles[k]);
    fputs("|\n", c->out);
    for (size_t k = 0; k < columns; k++) fputs(k < 3 ? "|---" : "|---:", c->out);
    fputs("|\n", c->out);
    for (size_t i = 0; i < n; i++) {
        trial_cells(&t[i], cell);
        for (size_t k = 0; k < columns; k++) fprintf(c->out, "| %s ", cell[k]);
        fputs("|\n", c->out);
    }
}

static void print_trials(struct cli *c, const struct rates_settings *set, const struct rates_trial *t, size_t n)
{
    const size_t columns = set->worth ? TRIAL_COLUMNS : TRIAL_PLAIN;
    if (set->csv)
        print_csv(c, columns, t, n);
    else if (set->markdown)
        print_markdown(c, columns, t, n);
    else
        print_table(c, columns, t, n);
}

/* All learners and features on one source, appended to trials. */
static int try_source(const struct rates_settings *set, const struct sharc_history *h, struct rates_trial *trials,
                      size_t *n, struct sharc_err *err)
{
    SHARC_FAIL_IF(set->worth && (!h->data || !(set->window.days > 0)), err, SHARC_EINVAL,
                  "%s: --worth crawls a window of a recorded history; name datasets and give --days", h->name);
    for (int offline = 0; offline < 2; offline++) {
        if (set->features != RATES_BOTH && set->features != offline) continue;
        for (int learner = 0; learner < RATES_ALL; learner++) {
            if (set->learner != RATES_ALL && set->learner != learner) continue;
            if (set->learner == RATES_ALL && learner == SHARC_RATE_XGBOOST && !sharc_rate_has_xgboost()) continue;
            struct sharc_history_trial_options o = {.offline = offline,
                                                    .folds = set->folds > UINT_MAX ? UINT_MAX : (unsigned)set->folds,
                                                    .seed = set->seed,
                                                    .worth = set->worth};
            rates_options(set, learner, &o.learn);
            struct rates_trial *trial = &trials[(*n)++];
            *trial = (struct rates_trial){.source = h->name, .learner = rates_learners[learner], .offline = offline};
            int r = sharc_history_try(h, &o, &trial->t, err);
            if (r < 0) return r;
        }
    }
    return 0;
}

static void sources_done(struct sharc_history **h)
{
    for (size_t i = 0; *h && (*h)[i].name; i++) sharc_history_done(&(*h)[i]);
    free(*h);
}

int rates_evaluate(struct cli *c, const struct rates_settings *set, int argc, char **argv)
{
    struct sharc_err err = SHARC_ERR_INIT;
    SHARC_AUTO(sources_done)
    struct sharc_history *sources = SHARC_NEW_ARRAY(struct sharc_history, (size_t)argc + 1);
    SHARC_AUTO(sharc_freep)
    struct rates_trial *trials = SHARC_NEW_ARRAY(struct rates_trial, (size_t)argc * 2 * RATES_ALL);
    SHARC_AUTO(sharc_progress_freep)
    struct sharc_progress *p = cli_progress(c, "evaluating", "sources", (uint64_t)argc);
    struct sharc_clock *clock = sharc_clock_real();
    size_t n = 0;
    int r = 0;
    for (int i = 0; r == 0 && i < argc; i++) {
        sources[i] = (struct sharc_history)SHARC_HISTORY_INIT;
        r = rates_open(argv[i], set, &sources[i], &err);
        if (!sources[i].name) sources[i].name = sharc_strdup(argv[i]);
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
    return rates_print(c, &out);
}

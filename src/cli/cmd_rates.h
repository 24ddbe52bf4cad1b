/* SPDX-License-Identifier: Apache-2.0
 *
 * Shared by the files of sharc rates; the work is done by rooms history and rate.
 */
#ifndef SHARC_CLI_RATES_H
#define SHARC_CLI_RATES_H

#include "cli.h"

#include "sharc/history_rates.h"

extern const char *const rates_methods[], *const rates_learners[], *const rates_features[];
enum { RATES_BOTH = 2 }; /* features */
enum { RATES_ALL = 3 };  /* learners: all that are there */
#define RATES_OUTPUT_MAX ((size_t)1 << 30)
#define RATES_LEVEL 0.95
#define RATES_DAY 86400.0

struct rates_settings {
    struct sharc_history_window window;
    const char *store;
    sharc_time coming, delay;
    const char *weights, *output;
    int method, learner, features;
    uint64_t bins, folds, seed, top;
    double confidence, smoothing;
    bool textbook, worth, save, csv, markdown;
};

/* A dataset or archive directory, or a sitemap file; told apart by what is there. */
int rates_open(const char *path, const struct rates_settings *set, struct sharc_history *ret, struct sharc_err *err);

/* Each returns an exit code; arguments are those after the name of the action. */
int rates_estimate(struct cli *c, const struct rates_settings *set, const char *path);
int rates_train(struct cli *c, const struct rates_settings *set, const char *path);
int rates_predict(struct cli *c, const struct rates_settings *set, int argc, char **argv);
int rates_show(struct cli *c, const struct rates_settings *set, const char *path);
int rates_evaluate(struct cli *c, const struct rates_settings *set, int argc, char **argv);

/* Sort hottest first and print this many (0: as many as fit). */
int rates_list(struct cli *c, const struct sharc_history *h, struct sharc_history_rate *rated, size_t n, uint64_t top,
               const char *method, bool weights);
/* A rate a day; empty when it is unknown. */
void rates_cell(struct cli_table *t, double rate);
int rates_load_model(const char *path, struct sharc_rate_model **ret, struct sharc_err *err);
int rates_print(struct cli *c, const struct sharc_buf *out);
void rates_options(const struct rates_settings *set, int learner, struct sharc_rate_options *ret);

#endif

/* SPDX-License-Identifier: Apache-2.0
 *
 * Shared by the files of sharc rates: pages and what is known of their changes,
 * wherever that comes from.
 */
#ifndef SHARC_CLI_RATES_H
#define SHARC_CLI_RATES_H

#include "cli.h"

#include "sharc/base_arena.h"
#include "sharc/rate.h"
#include "sharc/rate_model.h"
#include "sharc/rate_past.h"
#include "sharc/sim_dataset.h"

enum rates_kind { RATES_DATASET, RATES_SITEMAP, RATES_ARCHIVE };

struct rates_page {
    struct sharc_span url, mime;
    struct sharc_rate_history seen;
    double changes, time; /* what it teaches; time 0: nothing */
    double age;           /* seconds since its last change when that time began; NAN: unknown */
    double age_now;       /* the same at the end */
    double images, tables, outlinks, inlinks;
    enum sharc_changefreq frequency;
    double priority; /* of a sitemap; NAN: none */
    double weight;
    bool gone;            /* deleted when time ends */
    sharc_page_no origin; /* in the dataset */
};

struct rates_source {
    enum rates_kind kind;
    char *name;
    struct rates_page *page;
    size_t n, room;
    uint32_t *from, *to; /* links between pages */
    size_t links, from_room, to_room;
    struct sharc_dataset *data;   /* a dataset; else NULL */
    struct sharc_rate_past *past; /* an archive: page i is its i-th; else NULL */
    double start, end;            /* the time that is looked at, seconds since 1970 */
    struct sharc_arena text;
};
#define RATES_TEXT_MAX ((size_t)4 << 30)

struct rates_window {
    double days;   /* the last so many; 0: all that is recorded */
    sharc_time at; /* where time ends; SHARC_TIME_NONE: where the source does */
    const char *store;
};

/* A dataset or archive directory, or a sitemap file; told apart by what is there. */
int cli__rates_open(const char *path, const struct rates_window *w, struct rates_source *ret, struct sharc_err *err);
int cli__rates_open_archive(const char *path, const struct rates_window *w, struct rates_source *ret,
                            struct sharc_err *err);
void cli__rates_done(struct rates_source *s);
/* A new page, its numbers unknown. */
struct rates_page *cli__rates_add(struct rates_source *s);
void cli__rates_link(struct rates_source *s, uint32_t from, uint32_t to);

/* none, priority, pagerank, indegree, or a file of "WEIGHT URL" lines. */
int cli__rates_weigh(struct rates_source *s, const char *how, struct sharc_err *err);

/* Rows for a learner; ret_page[row] is the page of each row, malloc'ed. */
struct sharc_rate_table *cli__rates_table(const struct rates_source *s, size_t columns, uint32_t **ret_page);
void cli__rates_features(const struct rates_page *p, struct sharc_rate_value *v);

/* --- the command -------------------------------------------------------------------- */

extern const char *const cli__rates_methods[], *const cli__rates_learners[], *const cli__rates_features_names[];
enum { RATES_POSTERIOR, RATES_NEAR, RATES_COMBINED }; /* methods */
enum { RATES_BOTH = 2 };                              /* features */
enum { RATES_ALL = 3 };                               /* learners: all that are there */
#define RATES_OUTPUT_MAX ((size_t)1 << 30)
#define RATES_LEVEL 0.95
#define RATES_DAY 86400.0

struct rates_settings {
    struct rates_window window;
    sharc_time coming, delay;
    const char *weights, *output;
    int method, learner, features;
    uint64_t bins, folds, seed, top;
    double confidence, smoothing;
    bool textbook, worth, save, csv, markdown;
};

/* A page and its rate, for a list. */
struct rates_rated {
    uint32_t page;
    struct sharc_rate_estimate rate;
};

/* Each returns an exit code; arguments are those after the name of the action. */
int cli__rates_estimate(struct cli *c, const struct rates_settings *set, const char *path);
int cli__rates_train(struct cli *c, const struct rates_settings *set, const char *path);
int cli__rates_predict(struct cli *c, const struct rates_settings *set, int argc, char **argv);
int cli__rates_show(struct cli *c, const struct rates_settings *set, const char *path);
int cli__rates_evaluate(struct cli *c, const struct rates_settings *set, int argc, char **argv);

/* Rates that are in an archive's catalogue already. */
struct rates_kept;
struct rates_kept *cli__rates_kept_new(void);
void cli__rates_kept_freep(struct rates_kept **k);
int cli__rates_kept_read(const char *path, const char *store, struct rates_kept *ret, struct sharc_err *err);
void cli__rates_kept_print(struct cli *c, const struct rates_kept *k, uint64_t top);
void cli__rates_kept_json(struct sharc_json *j, const struct rates_kept *k);

/* Sort hottest first and print so many (0: as many as fit). */
int cli__rates_list(struct cli *c, const struct rates_source *s, struct rates_rated *rated, size_t n, uint64_t top,
                    const char *method, bool weights);
int cli__rates_print(struct cli *c, const struct sharc_buf *out);
void cli__rates_options(const struct rates_settings *set, int learner, struct sharc_rate_options *ret);

#endif

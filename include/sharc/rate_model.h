/* SPDX-License-Identifier: Apache-2.0
 *
 * Change rates predicted from features: pages of known history teach, pages
 * without are asked. The rates are cut into bins of equal frequency, and a
 * classifier (Naive Bayes, C4.5 or boosted trees) says which bin a page belongs to.
 *
 *   struct sharc_rate_table *t = sharc_rate_table_new(sharc_rate_columns, SHARC_RATE_ONLINE);
 *   for each page whose changes are known:
 *       struct sharc_rate_facts f = {.url = url, .mime = mime, SHARC_RATE_FACTS_UNKNOWN};
 *       struct sharc_rate_value v[SHARC_RATE_OFFLINE];
 *       sharc_rate_features(&f, v);
 *       sharc_rate_table_add(t, v, changes, time);
 *   struct sharc_rate_options o = SHARC_RATE_OPTIONS;
 *   r = sharc_rate_train(t, &o, &model, &err);
 *   sharc_rate_predict(model, v, &p);            p.rate, p.prior
 *
 * Times are double seconds and rates changes per second, as in rate.h.
 */
#ifndef SHARC_RATE_MODEL_H
#define SHARC_RATE_MODEL_H

#include "sharc/base.h"
#include "sharc/base_buf.h"
#include "sharc/rate.h"

#include <math.h>

SHARC_PRIVATE_BEGIN

/* --- features --------------------------------------------------------------- */

#define SHARC_RATE_COLUMNS_MAX 64

enum sharc_rate_kind {
    SHARC_RATE_WORD,   /* one of a set: a host, a MIME type, yes or no */
    SHARC_RATE_NUMBER, /* ordered */
};
struct sharc_rate_column {
    const char *name;
    enum sharc_rate_kind kind;
};
/* One cell. A word whose span is SHARC_SPAN_NONE (p == NULL) and a number that is
 * NaN are unknown; an empty word (p != NULL, n == 0) is a value like others. */
struct sharc_rate_value {
    struct sharc_span word;
    double number;
};

/* The features that docs/rates.md explains. The first SHARC_RATE_ONLINE columns
 * can be read from the URL alone (host, MIME type, depth, length, three path
 * segments, seven signs), all SHARC_RATE_OFFLINE need the page itself (days
 * since last change, images, tables, out-links, in-links). A caller with more
 * to say copies these rows and appends its own columns. */
#define SHARC_RATE_ONLINE 14
#define SHARC_RATE_OFFLINE 19
extern const struct sharc_rate_column sharc_rate_columns[SHARC_RATE_OFFLINE];

/* What is known of a page. Numbers that are not known are NaN, spans NULL. */
struct sharc_rate_facts {
    struct sharc_span url; /* absolute, or from the path's "/" on */
    struct sharc_span mime;
    double days_since_change, images, tables, outlinks, inlinks;
};
#define SHARC_RATE_UNKNOWN __builtin_nan("") /* NAN as a double, so that no compiler sees a promotion */
#define SHARC_RATE_FACTS_UNKNOWN                                                                         \
    .days_since_change = SHARC_RATE_UNKNOWN, .images = SHARC_RATE_UNKNOWN, .tables = SHARC_RATE_UNKNOWN, \
    .outlinks = SHARC_RATE_UNKNOWN, .inlinks = SHARC_RATE_UNKNOWN

/* Fill v[0 … SHARC_RATE_OFFLINE) from the facts. Spans in v point into the
 * facts' spans (parameters of the MIME type are left out). Nothing is decoded
 * and nothing fails: any bytes are a URL. O(length). */
void sharc_rate_features(const struct sharc_rate_facts *f, struct sharc_rate_value v[SHARC_RATE_OFFLINE]);

/* --- tables of examples ------------------------------------------------------ */

struct sharc_rate_table;
/* Names are copied; n <= SHARC_RATE_COLUMNS_MAX. */
struct sharc_rate_table *sharc_rate_table_new(const struct sharc_rate_column *columns, size_t n);
void sharc_rate_table_free(struct sharc_rate_table *t);
void sharc_rate_table_freep(struct sharc_rate_table **t);
/* Add a page that changed `changes` times (a weighted count is fine) in `time`
 * > 0 seconds. Words are copied. Who only has a rate gives (rate·time, time). */
void sharc_rate_table_add(struct sharc_rate_table *t, const struct sharc_rate_value *v, double changes, double time);
size_t sharc_rate_table_rows(const struct sharc_rate_table *t);
double sharc_rate_table_rate(const struct sharc_rate_table *t, size_t row);

/* --- bins --------------------------------------------------------------------- */

#define SHARC_RATE_BINS_MAX 64
struct sharc_rate_bins {
    unsigned n;
    struct sharc_rate_bin {
        double upper;                  /* rates up to this one; the last bin's is INFINITY */
        double mean;                   /* what the bin stands for */
        struct sharc_rate_gamma prior; /* how the pages in it differ */
        size_t count;
    } bin[SHARC_RATE_BINS_MAX];
};
/* Bins of about equally many rates (equal rates are never parted); rates of 0
 * have bin 0 for themselves when they exceed n/want. Fewer bins than wanted
 * when there are not as many different rates. Every bin's mean is that of its
 * rates, its prior the gamma most likely to have made them. want 1 … SHARC_RATE_BINS_MAX;
 * O(n log n). */
void sharc_rate_bins_make(const double *rates, size_t n, unsigned want, struct sharc_rate_bins *ret);
/* The bin a rate falls into. */
unsigned sharc_rate_bins_find(const struct sharc_rate_bins *b, double rate);

/* --- models ------------------------------------------------------------------- */

enum sharc_rate_learner {
    SHARC_RATE_NAIVE_BAYES,
    SHARC_RATE_C45,
    SHARC_RATE_XGBOOST, /* gradient-boosted trees, if sharc_rate_has_xgboost() */
};

/* Was sharc built with XGBoost? Training needs it; asking a model, saving and
 * loading do not. */
bool sharc_rate_has_xgboost(void);

struct sharc_rate_options {
    enum sharc_rate_learner learner;
    unsigned bins;     /* 10 */
    double smoothing;  /* Naive Bayes: what Laplace adds to each count; 1 */
    double confidence; /* C4.5: of the pessimistic error; smaller prunes more, 1 prunes nothing; 0.25 */
    double least;      /* C4.5: a split needs two branches with that many examples; 2 */
    bool textbook;     /* C4.5: words are parted one branch a word only, as published; false: also
                        * in two at a place in their order, which is better on URLs */
    unsigned grid;     /* numbers are cut into at most this many intervals of equal frequency
                        * before learning (2 … 4096); 0: the learner's own choice */
};
#define SHARC_RATE_OPTIONS                                                                               \
    {                                                                                                    \
        .learner = SHARC_RATE_C45, .bins = 10, .smoothing = 1, .confidence = 0.25, .least = 2, .grid = 0 \
    }

struct sharc_rate_model; /* immutable: may be shared by threads */
void sharc_rate_model_free(struct sharc_rate_model *m);
void sharc_rate_model_freep(struct sharc_rate_model **m);

/* Learn from all rows. SHARC_EINVAL when the table is empty or an option makes
 * no sense, SHARC_EUNSUPPORTED when XGBoost is asked for and not there. The table may be freed afterwards. About O(rows
 * · columns · depth). */
int sharc_rate_train(const struct sharc_rate_table *t, const struct sharc_rate_options *o,
                     struct sharc_rate_model **ret, struct sharc_err *reterr);

struct sharc_rate_prediction {
    unsigned bin;                            /* the most probable bin */
    double rate;                             /* what that bin stands for */
    double expected;                         /* mean over all bins by probability */
    struct sharc_rate_gamma prior;           /* the gamma nearest to that mixture, for sharc_rate_combine */
    double probability[SHARC_RATE_BINS_MAX]; /* of each bin, sums to 1 */
};
/* v has the model's columns, in order. Never fails: unknown values and words
 * that were never seen are treated as unknown. */
void sharc_rate_predict(const struct sharc_rate_model *m, const struct sharc_rate_value *v,
                        struct sharc_rate_prediction *ret);

enum sharc_rate_learner sharc_rate_model_learner(const struct sharc_rate_model *m);
const struct sharc_rate_bins *sharc_rate_model_bins(const struct sharc_rate_model *m);
/* Columns in order, valid as long as the model. */
const struct sharc_rate_column *sharc_rate_model_columns(const struct sharc_rate_model *m, size_t *ret_n);
/* Nodes of the tree or trees, or conditional probabilities of Naive Bayes: its size. */
size_t sharc_rate_model_size(const struct sharc_rate_model *m);
/* For people: the tree as indented text, or the table of each feature's worth. */
int sharc_rate_model_describe(const struct sharc_rate_model *m, struct sharc_buf *out);

/* Append the model to out; SHARC_ELIMIT when out is full. The format is
 * described in src/rate/model_file.c; what was saved and loaded predicts
 * exactly the same. */
#define SHARC_RATE_MODEL_BYTES_MAX (256u << 20)
int sharc_rate_model_save(const struct sharc_rate_model *m, struct sharc_buf *out);
/* Do these bytes begin as a saved model does? */
bool sharc_rate_model_is(struct sharc_span bytes);
/* Hostile bytes are welcome: SHARC_ESYNTAX, SHARC_ETRUNC, SHARC_ECORRUPT,
 * SHARC_EUNSUPPORTED (a newer version) or SHARC_ELIMIT with line and sentence.
 * Memory stays proportional to the bytes. */
int sharc_rate_model_load(struct sharc_span bytes, struct sharc_rate_model **ret, struct sharc_err *reterr);

/* --- evaluation ----------------------------------------------------------------- */

struct sharc_rate_report {
    size_t rows;
    unsigned folds, bins;
    double accuracy;                         /* share in the right bin */
    double distance;                         /* mean |predicted − true bin| of all rows */
    double majority;                         /* accuracy of always naming the fullest bin */
    double by_distance[SHARC_RATE_BINS_MAX]; /* share of rows that far off */
    /* Mean log-likelihood per row of the held-out changes under the predicted
     * prior, and under the one prior that fits all rows: what features add. */
    double log_likelihood, log_likelihood_without;
};
/* The fold (0 … folds−1) of every row: a seeded shuffle dealt round. */
void sharc_rate_folds(size_t rows, unsigned folds, uint64_t seed, unsigned *ret);
/* Cross-validation: train on all folds but one, ask about that one. Bins are
 * made once from all rows, as in the papers. ret_bin (rows, may be NULL)
 * receives the bin that was predicted for each row. */
int sharc_rate_evaluate(const struct sharc_rate_table *t, const struct sharc_rate_options *o, unsigned folds,
                        uint64_t seed, struct sharc_rate_report *ret, unsigned *ret_bin, struct sharc_err *reterr);

SHARC_PRIVATE_END
#endif

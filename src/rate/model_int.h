/* SPDX-License-Identifier: Apache-2.0
 *
 * Inside of tables and models.
 */
#ifndef SHARC_RATE_MODEL_INT_H
#define SHARC_RATE_MODEL_INT_H

#include "rate_int.h"
#include "sharc/base_map.h"
#include "sharc/rate_model.h"

#define RATE_UNKNOWN UINT32_MAX /* code of a value that is not known */
#define RATE_DEPTH_MAX 255      /* levels of a tree below its root */
#define RATE_GRID_MAX 4096

/* --- table ---------------------------------------------------------------- */

struct sharc_rate_table {
    size_t columns, rows, room;
    struct table_column {
        char *name;
        enum sharc_rate_kind kind;
        struct sharc_intern *words; /* of a word column */
        uint32_t *word;             /* its rows, RATE_UNKNOWN allowed */
        double *number;             /* rows of a number column, NaN allowed */
        size_t room;
    } column[SHARC_RATE_COLUMNS_MAX];
    double *changes, *time;
    size_t changes_room, time_room;
};

/* The row as it was added; spans point into the table. */
void sharc__rate_table_values(const struct sharc_rate_table *t, size_t row, struct sharc_rate_value *ret);

/* --- examples ready for learning -------------------------------------------- */

/* The words of each word column of a table in bytewise order. */
struct rate_order {
    size_t columns;
    uint32_t *rank[SHARC_RATE_COLUMNS_MAX]; /* by word id */
    uint32_t *word[SHARC_RATE_COLUMNS_MAX]; /* by rank */
};
void sharc__rate_order_make(const struct sharc_rate_table *t, struct rate_order *ret);
void sharc__rate_order_done(struct rate_order *o);

/* Rows of a table with every value replaced by a small number: the word's rank,
 * or the interval a number falls into. Code i of a number column means
 * cut[i-1] < value <= cut[i]; the last interval is open. */
struct rate_examples {
    const struct sharc_rate_table *table;
    size_t n, columns;
    unsigned classes;
    uint16_t *label; /* n: the bin of each example */
    struct example_column {
        enum sharc_rate_kind kind;
        uint32_t *code;       /* n, RATE_UNKNOWN allowed */
        uint32_t codes;       /* codes are below this */
        double *cut;          /* codes - 1, ascending; number columns only */
        const uint32_t *word; /* of each code, its id in the table; word columns only */
    } column[SHARC_RATE_COLUMNS_MAX];
};
/* rows[0..n) of t; label is by row of t. The order must outlive the examples. */
void sharc__rate_examples_make(const struct sharc_rate_table *t, const struct rate_order *order, const uint32_t *rows,
                               size_t n, const uint16_t *label, unsigned classes, unsigned grid,
                               struct rate_examples *ret);
void sharc__rate_examples_done(struct rate_examples *e);
/* The interval of a number among ascending cuts; RATE_UNKNOWN for NaN. */
uint32_t sharc__rate_interval(const double *cut, size_t cuts, double x);

/* --- models ------------------------------------------------------------------ */

/* Counts of Naive Bayes: by column, value and class, zeros left out. */
struct rate_bayes {
    double *prior; /* examples of each class */
    struct bayes_column {
        uint32_t values; /* different ones seen */
        uint32_t cuts;   /* number columns: values - 1 */
        double *cut;     /* ascending */
        uint32_t *first; /* values + 1: cells of value v are [first[v], first[v+1]) */
        struct bayes_cell {
            uint32_t class;
            double count;
        } * cell;
        double *known; /* of each class, examples whose value is known */
    } column[SHARC_RATE_COLUMNS_MAX];
};

/* A tree in breadth-first order: the children of a node are consecutive, and
 * the children of node i follow those of node i-1. So the number of children
 * says it all, and whatever a file claims, it is a tree. */
struct rate_tree {
    size_t nodes;
    struct tree_node {
        int32_t column;    /* -1: leaf */
        uint32_t first;    /* first child; computed, not stored */
        uint32_t children; /* number columns: 2, <= threshold and > threshold */
        uint32_t pivot;    /* word columns: 2 children, <= this word and > it; or RATE_UNKNOWN: one a word */
        uint32_t word;     /* of the parent's column, by which it is reached; ascending among siblings */
        double threshold;
        double total;    /* examples that came here while learning */
        uint32_t counts; /* first of its cells; computed */
    } * node;
    struct tree_count {
        uint32_t class;
        double count;
    } * count; /* cells of node i: [node[i].counts, node[i+1].counts); node[nodes] is a sentinel */
    size_t count_n;
};

/* Boosted trees: tree t votes for bin t % bins. */
struct rate_forest {
    size_t trees, nodes;
    uint32_t *first; /* node of each tree */
    struct forest_node {
        int32_t column;            /* -1: leaf */
        double value;              /* below it: yes; of a leaf its vote */
        uint32_t yes, no, missing; /* counted from the tree's first node; after this one */
    } * node;
    size_t first_room, node_room;
};

struct sharc_rate_model {
    enum sharc_rate_learner learner;
    size_t columns;
    struct sharc_rate_column column[SHARC_RATE_COLUMNS_MAX]; /* names owned */
    struct sharc_intern *words[SHARC_RATE_COLUMNS_MAX];      /* of word columns: those the model knows */
    struct sharc_rate_bins bins;
    double smoothing;
    struct rate_bayes bayes;
    struct rate_tree tree;
    struct rate_forest forest;
};

/* Learners: fill m->bayes or m->tree, and m->words. */
void sharc__rate_bayes_learn(const struct rate_examples *e, struct sharc_rate_model *m);
void sharc__rate_tree_learn(const struct rate_examples *e, const struct sharc_rate_options *o,
                            struct sharc_rate_model *m);
/* Probability of each bin; ret has m->bins.n places. */
void sharc__rate_bayes_ask(const struct sharc_rate_model *m, const struct sharc_rate_value *v, double *ret);
void sharc__rate_tree_ask(const struct sharc_rate_model *m, const struct sharc_rate_value *v, double *ret);

/* < 0: XGBoost is not there or refuses. rows as given to sharc__rate_examples_make. */
int sharc__rate_forest_learn(const struct rate_examples *e, const uint32_t *rows, struct sharc_rate_model *m);
/* The row as trees see it; m->columns places. */
void sharc__rate_forest_row(const struct sharc_rate_model *m, const struct sharc_rate_value *v, float *ret);
/* One tree from XGBoost's listing; false: not understood. */
bool sharc__rate_forest_add(struct sharc_rate_model *m, struct sharc_span listing);
bool sharc__rate_forest_sound(const struct sharc_rate_model *m);
void sharc__rate_forest_ask(const struct sharc_rate_model *m, const struct sharc_rate_value *v, double *ret);
int sharc__rate_forest_describe(const struct sharc_rate_model *m, struct sharc_buf *out);

int sharc__rate_bayes_describe(const struct sharc_rate_model *m, struct sharc_buf *out);
int sharc__rate_tree_describe(const struct sharc_rate_model *m, struct sharc_buf *out);

struct sharc_rate_model *sharc__rate_model_new(enum sharc_rate_learner learner, size_t columns);
/* Learn from some rows, with bins and labels made before. NULL: the learner is
 * XGBoost, and it refuses. */
struct sharc_rate_model *sharc__rate_learn(const struct sharc_rate_table *t, const struct rate_order *order,
                                           const uint32_t *rows, size_t n, const struct sharc_rate_bins *bins,
                                           const uint16_t *label, const struct sharc_rate_options *o);
/* Bins of all rows and the bin of each; *ret_label is malloc'ed. */
void sharc__rate_label(const struct sharc_rate_table *t, unsigned want, struct sharc_rate_bins *ret,
                       uint16_t **ret_label);
int sharc__rate_options_check(const struct sharc_rate_options *o, struct sharc_err *reterr);

/* --- growing a tree ------------------------------------------------------------ */

/* A tree while it grows; all of it lives in one arena. */
struct grown {
    int column; /* -1: leaf */
    uint32_t children;
    double threshold;
    struct grown **child;
    uint32_t word;           /* the parent's value that leads here; an id of the table */
    struct sharc_span pivot; /* as in tree_node; p == NULL: none. In the table's words */
    double total;
    double *count; /* by class */
};
struct sharc_arena;
struct grown *sharc__rate_tree_grow(const struct rate_examples *e, const struct sharc_rate_options *o,
                                    struct sharc_arena *a);
/* Error-based pruning; returns the errors expected of the tree. */
double sharc__rate_tree_prune(struct grown *g, unsigned classes, double confidence);

#endif

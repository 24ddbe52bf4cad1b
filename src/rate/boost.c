/* SPDX-License-Identifier: Apache-2.0
 *
 * Boosting with the logistic loss. Every column is cut once into intervals of
 * about equal frequency, a leaf keeps sums of gradients by interval, and the
 * leaf with the most to gain is split next. The other half of a split follows
 * by subtraction, so only the smaller half is ever summed.
 */
#include "boost.h"

#include "sharc/base_order.h"

#include <math.h>
#include <stdlib.h>

struct cell {
    double gradient, curve;
    uint32_t count;
};

struct split {
    double gain; /* 0: none is worth it */
    unsigned column, cut;
};

struct leaf {
    size_t from, to; /* its rows in `order` */
    unsigned node;
    struct cell sum;
    struct cell *cells; /* [column][interval] */
    struct split best;
};

struct learning {
    const struct rate_matrix *x;
    const struct rate_boost_options *o;
    float *cut;     /* [column][BOOST_CUTS], ascending */
    unsigned *cuts; /* of each column */
    uint8_t *code;  /* as the matrix */
    double *gradient, *curve, *odds;
    uint32_t *order, *spare;
    struct leaf leaf[BOOST_LEAVES];
    unsigned leaves;
};

/* --- intervals ------------------------------------------------------------- */

static int ascending(const void *a, const void *b)
{
    float x = *(const float *)a, y = *(const float *)b;
    return (x > y) - (x < y);
}

static unsigned make_cuts(const float *sorted, size_t n, float *cut)
{
    unsigned cuts = 0;
    double next = (double)n / (BOOST_CUTS + 1);
    for (size_t i = 1; i < n && cuts < BOOST_CUTS; i++) {
        if (!(sorted[i] > sorted[i - 1]) || (double)i < next) continue;
        cut[cuts++] = sorted[i - 1];
        next = fmax(next, (double)i) + (double)n / (BOOST_CUTS + 1);
    }
    return cuts;
}

static uint8_t code_of(const float *cut, unsigned cuts, float x)
{
    return (uint8_t)SHARC_COUNT_WHILE(i, cuts, !(x <= cut[i]));
}

static void code_columns(struct learning *l)
{
    const size_t rows = l->x->rows;
    SHARC_AUTO(sharc_freep) float *sorted = SHARC_NEW_ARRAY(float, rows);
    for (size_t c = 0; c < l->x->columns; c++) {
        const float *at = l->x->at + c * rows;
        float *cut = l->cut + c * BOOST_CUTS;
        memcpy(sorted, at, rows * sizeof *sorted);
        qsort(sorted, rows, sizeof *sorted, ascending);
        l->cuts[c] = make_cuts(sorted, rows, cut);
        for (size_t r = 0; r < rows; r++) l->code[c * rows + r] = code_of(cut, l->cuts[c], at[r]);
    }
}

/* --- leaves ------------------------------------------------------------------ */

static void sum_cells(struct learning *l, struct leaf *f)
{
    const size_t rows = l->x->rows;
    memset(f->cells, 0, l->x->columns * (BOOST_CUTS + 1) * sizeof *f->cells);
    f->sum = (struct cell){0};
    for (size_t i = f->from; i < f->to; i++) {
        f->sum.gradient += l->gradient[l->order[i]];
        f->sum.curve += l->curve[l->order[i]];
    }
    f->sum.count = (uint32_t)(f->to - f->from);
    for (size_t c = 0; c < l->x->columns; c++) {
        struct cell *cells = f->cells + c * (BOOST_CUTS + 1);
        const uint8_t *code = l->code + c * rows;
        for (size_t i = f->from; i < f->to; i++) {
            uint32_t r = l->order[i];
            struct cell *at = &cells[code[r]];
            at->gradient += l->gradient[r];
            at->curve += l->curve[r];
            at->count++;
        }
    }
}

static void subtract_cells(struct learning *l, struct leaf *f, const struct leaf *other)
{
    size_t n = l->x->columns * (BOOST_CUTS + 1);
    for (size_t i = 0; i < n; i++) {
        f->cells[i].gradient -= other->cells[i].gradient;
        f->cells[i].curve -= other->cells[i].curve;
        f->cells[i].count -= other->cells[i].count;
    }
    f->sum.gradient -= other->sum.gradient;
    f->sum.curve -= other->sum.curve;
    f->sum.count -= other->sum.count;
}

static double worth(const struct cell *c, double ridge)
{
    return c->gradient * c->gradient / (c->curve + ridge);
}

static void find_split(const struct learning *l, struct leaf *f)
{
    const double ridge = l->o->ridge, all = worth(&f->sum, ridge);
    f->best = (struct split){0};
    for (unsigned c = 0; c < l->x->columns; c++) {
        const struct cell *cells = f->cells + (size_t)c * (BOOST_CUTS + 1);
        struct cell low = {0};
        for (unsigned k = 0; k < l->cuts[c]; k++) {
            low.gradient += cells[k].gradient;
            low.curve += cells[k].curve;
            low.count += cells[k].count;
            struct cell high = {f->sum.gradient - low.gradient, f->sum.curve - low.curve, f->sum.count - low.count};
            if (low.count < l->o->least || high.count < l->o->least) continue;
            double gain = worth(&low, ridge) + worth(&high, ridge) - all;
            if (gain > f->best.gain + 1e-9) f->best = (struct split){gain, c, k};
        }
    }
}

/* Rows of the leaf, those up to the cut first; both halves keep their order. */
static size_t part(struct learning *l, const struct leaf *f)
{
    const uint8_t *code = l->code + (size_t)f->best.column * l->x->rows;
    size_t low = f->from, high = 0;
    for (size_t i = f->from; i < f->to; i++) {
        uint32_t r = l->order[i];
        if (code[r] <= f->best.cut)
            l->order[low++] = r;
        else
            l->spare[high++] = r;
    }
    memcpy(l->order + low, l->spare, high * sizeof *l->order);
    return low;
}

static void split_leaf(struct learning *l, struct leaf *f, struct boost_tree *t)
{
    struct boost_node *node = &t->node[f->node];
    node->column = (int)f->best.column;
    node->threshold = l->cut[(size_t)f->best.column * BOOST_CUTS + f->best.cut];
    node->child = t->nodes;
    t->nodes += 2;
    struct leaf *g = &l->leaf[l->leaves++];
    size_t middle = part(l, f);
    g->from = middle;
    g->to = f->to;
    f->to = middle;
    f->node = node->child;
    g->node = node->child + 1;
    /* The smaller half is summed anew, the larger one is what remains. */
    if (f->to - f->from < g->to - g->from) {
        struct cell *cells = g->cells;
        g->cells = f->cells, f->cells = cells;
        g->sum = f->sum;
        sum_cells(l, f);
        subtract_cells(l, g, f);
    } else {
        sum_cells(l, g);
        subtract_cells(l, f, g);
    }
    find_split(l, f);
    find_split(l, g);
}

static void grow(struct learning *l, struct boost_tree *t)
{
    l->leaves = 1;
    l->leaf[0].from = 0;
    l->leaf[0].to = l->x->rows;
    l->leaf[0].node = 0;
    t->nodes = 1;
    sum_cells(l, &l->leaf[0]);
    find_split(l, &l->leaf[0]);
    while (l->leaves < BOOST_LEAVES) {
        struct leaf *best = &l->leaf[0];
        for (unsigned i = 1; i < l->leaves; i++)
            if (l->leaf[i].best.gain > best->best.gain) best = &l->leaf[i];
        if (!(best->best.gain > 0)) break;
        split_leaf(l, best, t);
    }
    for (unsigned i = 0; i < l->leaves; i++) {
        const struct leaf *f = &l->leaf[i];
        double value = -l->o->step * f->sum.gradient / (f->sum.curve + l->o->ridge);
        t->node[f->node] = (struct boost_node){.column = -1, .value = value};
        for (size_t k = f->from; k < f->to; k++) l->odds[l->order[k]] += value;
    }
}

/* --- all ------------------------------------------------------------------------ */

static void learning_init(struct learning *l, const struct rate_matrix *x, const struct rate_boost_options *o)
{
    *l = (struct learning){.x = x, .o = o};
    l->cut = SHARC_NEW_ARRAY(float, x->columns *BOOST_CUTS);
    l->cuts = SHARC_NEW_ARRAY(unsigned, x->columns);
    l->code = SHARC_NEW_ARRAY(uint8_t, x->columns * x->rows);
    l->gradient = SHARC_NEW_ARRAY(double, x->rows);
    l->curve = SHARC_NEW_ARRAY(double, x->rows);
    l->order = SHARC_NEW_ARRAY(uint32_t, x->rows);
    l->spare = SHARC_NEW_ARRAY(uint32_t, x->rows);
    for (unsigned i = 0; i < BOOST_LEAVES; i++)
        l->leaf[i].cells = SHARC_NEW_ARRAY(struct cell, x->columns * (BOOST_CUTS + 1));
}

static void learning_done(struct learning *l)
{
    free(l->cut);
    free(l->cuts);
    free(l->code);
    free(l->gradient);
    free(l->curve);
    free(l->order);
    free(l->spare);
    for (unsigned i = 0; i < BOOST_LEAVES; i++) free(l->leaf[i].cells);
}

static double probability(double odds)
{
    return 1 / (1 + exp(-odds));
}

void sharc__rate_boost_learn(const struct rate_matrix *x, const bool *yes, const double *weight, double *odds,
                             const struct rate_boost_options *o, struct rate_boost *ret)
{
    SHARC_AUTO(learning_done) struct learning l;
    learning_init(&l, x, o);
    code_columns(&l);
    l.odds = odds;
    *ret = (struct rate_boost){.tree = SHARC_NEW_ARRAY(struct boost_tree, o->rounds)};
    while (ret->trees < o->rounds) {
        for (size_t r = 0; r < x->rows; r++) {
            double p = probability(odds[r]);
            l.gradient[r] = weight[r] * (p - yes[r]);
            l.curve[r] = weight[r] * p * (1 - p);
            l.order[r] = (uint32_t)r;
        }
        grow(&l, &ret->tree[ret->trees++]);
    }
}

void sharc__rate_boost_done(struct rate_boost *b)
{
    free(b->tree);
    *b = (struct rate_boost){0};
}

void sharc__rate_boost_ask(const struct rate_boost *b, const struct rate_matrix *x, double *ret)
{
    for (size_t r = 0; r < x->rows; r++) {
        double odds = b->base;
        for (size_t t = 0; t < b->trees; t++) {
            const struct boost_node *node = b->tree[t].node, *at = node;
            while (at->column >= 0) at = &node[at->child + (x->at[(size_t)at->column * x->rows + r] > at->threshold)];
            odds += at->value;
        }
        ret[r] = probability(odds);
    }
}

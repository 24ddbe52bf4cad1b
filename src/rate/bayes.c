/* SPDX-License-Identifier: Apache-2.0
 *
 * Naive Bayes over words and intervals of numbers, with Laplace's correction.
 * Numbers are cut into intervals of equal frequency: on change histories that
 * is several points better than a normal distribution per class, because
 * counts and ages are anything but normal (docs/rates.md has the figures).
 */
#include "model_int.h"

#include <stdlib.h>

/* Codes that occur get numbers 0, 1, … in order of first use: the model's
 * words. Codes of numbers stay as they are. */
static uint32_t *number_values(const struct rate_examples *e, size_t c, struct sharc_rate_model *m)
{
    const struct example_column *col = &e->column[c];
    uint32_t *value = SHARC_NEW_ARRAY(uint32_t, col->codes);
    for (uint32_t i = 0; i < col->codes; i++) value[i] = col->kind == SHARC_RATE_NUMBER ? i : RATE_UNKNOWN;
    if (col->kind == SHARC_RATE_NUMBER) return value;
    for (size_t i = 0; i < e->n; i++) {
        uint32_t code = col->code[i];
        if (code == RATE_UNKNOWN || value[code] != RATE_UNKNOWN) continue;
        value[code] =
            sharc_intern_add(m->words[c], sharc_intern_text(e->table->column[c].words, col->word[code]), NULL);
    }
    return value;
}

struct pair {
    uint32_t value, class;
};

static int by_pair(const void *a, const void *b)
{
    const struct pair *x = a, *y = b;
    if (x->value != y->value) return x->value < y->value ? -1 : 1;
    return (x->class > y->class) - (x->class < y->class);
}

/* Count (value, class) pairs into rows of cells: sorted by value with a
 * counting pass, then each value's classes tallied. */
static void count_cells(const struct pair *pair, size_t n, struct bayes_column *b)
{
    b->first = SHARC_NEW_ARRAY(uint32_t, (size_t)b->values + 1);
    b->cell = SHARC_NEW_ARRAY(struct bayes_cell, n);
    uint32_t cells = 0, value = 0;
    for (size_t i = 0; i < n; i++) {
        while (value < pair[i].value) b->first[++value] = cells;
        if (i > 0 && by_pair(&pair[i], &pair[i - 1]) == 0)
            b->cell[cells - 1].count += 1;
        else
            b->cell[cells++] = (struct bayes_cell){.class = pair[i].class, .count = 1};
    }
    while (value < b->values) b->first[++value] = cells;
    b->cell = sharc_realloc(b->cell, cells, sizeof *b->cell);
}

static void learn_column(const struct rate_examples *e, size_t c, struct sharc_rate_model *m)
{
    const struct example_column *col = &e->column[c];
    struct bayes_column *b = &m->bayes.column[c];
    SHARC_AUTO(sharc_freep) uint32_t *value = number_values(e, c, m);
    SHARC_AUTO(sharc_freep) struct pair *pair = SHARC_NEW_ARRAY(struct pair, e->n);
    b->values = col->kind == SHARC_RATE_NUMBER ? col->codes : sharc_intern_count(m->words[c]);
    b->known = SHARC_NEW_ARRAY(double, e->classes);
    if (col->kind == SHARC_RATE_NUMBER) {
        b->cuts = col->codes - 1;
        b->cut = SHARC_NEW_ARRAY(double, b->cuts);
        for (uint32_t i = 0; i < b->cuts; i++) b->cut[i] = col->cut[i];
    }
    size_t n = 0;
    for (size_t i = 0; i < e->n; i++) {
        if (col->code[i] == RATE_UNKNOWN) continue;
        pair[n++] = (struct pair){value[col->code[i]], e->label[i]};
        b->known[e->label[i]] += 1;
    }
    qsort(pair, n, sizeof *pair, by_pair);
    count_cells(pair, n, b);
}

void sharc__rate_bayes_learn(const struct rate_examples *e, struct sharc_rate_model *m)
{
    m->bayes.prior = SHARC_NEW_ARRAY(double, e->classes);
    for (size_t i = 0; i < e->n; i++) m->bayes.prior[e->label[i]] += 1;
    for (size_t c = 0; c < e->columns; c++) learn_column(e, c, m);
}

/* ln P(value | class) up to the part common to all classes; a value that was
 * not seen in this class has the count 0. */
static void add_column(const struct sharc_rate_model *m, size_t c, uint32_t value, double *ret)
{
    const struct bayes_column *b = &m->bayes.column[c];
    const double s = m->smoothing, floor = log(s);
    for (unsigned k = 0; k < m->bins.n; k++) ret[k] += floor - log(b->known[k] + s * b->values);
    for (uint32_t i = b->first[value]; i < b->first[value + 1]; i++)
        ret[b->cell[i].class] += log(b->cell[i].count + s) - floor;
}

static uint32_t value_of(const struct sharc_rate_model *m, size_t c, const struct sharc_rate_value *v)
{
    if (m->column[c].kind == SHARC_RATE_WORD) return v->word.p ? sharc_intern_find(m->words[c], v->word) : SHARC_NO_ID;
    return sharc__rate_interval(m->bayes.column[c].cut, m->bayes.column[c].cuts, v->number);
}

void sharc__rate_bayes_ask(const struct sharc_rate_model *m, const struct sharc_rate_value *v, double *ret)
{
    double top = -HUGE_VAL, sum = 0;
    for (unsigned k = 0; k < m->bins.n; k++) ret[k] = log(m->bayes.prior[k]);
    for (size_t c = 0; c < m->columns; c++) {
        uint32_t value = value_of(m, c, &v[c]);
        if (value != RATE_UNKNOWN) add_column(m, c, value, ret);
    }
    for (unsigned k = 0; k < m->bins.n; k++) top = fmax(top, ret[k]);
    for (unsigned k = 0; k < m->bins.n; k++) sum += ret[k] = exp(ret[k] - top);
    for (unsigned k = 0; k < m->bins.n; k++) ret[k] /= sum;
}

/* How much knowing a column tells about the bin, in bits. */
static double worth(const struct sharc_rate_model *m, size_t c)
{
    const struct bayes_column *b = &m->bayes.column[c];
    double all = 0, bits = 0;
    for (unsigned k = 0; k < m->bins.n; k++) all += b->known[k];
    for (uint32_t v = 0; v < b->values; v++) {
        double of_value = 0;
        for (uint32_t i = b->first[v]; i < b->first[v + 1]; i++) of_value += b->cell[i].count;
        for (uint32_t i = b->first[v]; i < b->first[v + 1]; i++)
            bits += b->cell[i].count / all * log2(b->cell[i].count * all / of_value / b->known[b->cell[i].class]);
    }
    return bits;
}

int sharc__rate_bayes_describe(const struct sharc_rate_model *m, struct sharc_buf *out)
{
    sharc_buf_put_str(out, "feature             values   bits about the bin\n");
    for (size_t c = 0; c < m->columns; c++)
        sharc_buf_printf(out, "%-18s %7u   %.3f\n", m->column[c].name, m->bayes.column[c].values, worth(m, c));
    return sharc_buf_result(out, NULL);
}

/* SPDX-License-Identifier: Apache-2.0
 *
 * Tables of examples, column by column, and their preparation for learning.
 */
#include "model_int.h"

#include "sharc/base_order.h"

#include <stdlib.h>

struct sharc_rate_table *sharc_rate_table_new(const struct sharc_rate_column *columns, size_t n)
{
    SHARC_ASSERT(n <= SHARC_RATE_COLUMNS_MAX);
    struct sharc_rate_table *t = SHARC_NEW(struct sharc_rate_table);
    t->columns = n;
    for (size_t c = 0; c < n; c++) {
        t->column[c].name = sharc_strdup(columns[c].name);
        t->column[c].kind = columns[c].kind;
        if (columns[c].kind == SHARC_RATE_WORD) t->column[c].words = sharc_intern_new();
    }
    return t;
}

void sharc_rate_table_free(struct sharc_rate_table *t)
{
    if (!t) return;
    for (size_t c = 0; c < t->columns; c++) {
        free(t->column[c].name);
        sharc_intern_free(t->column[c].words);
        free(t->column[c].word);
        free(t->column[c].number);
    }
    free(t->changes);
    free(t->time);
    free(t);
}

void sharc_rate_table_freep(struct sharc_rate_table **t)
{
    sharc_rate_table_free(*t);
    *t = NULL;
}

void sharc_rate_table_add(struct sharc_rate_table *t, const struct sharc_rate_value *v, double changes, double time)
{
    for (size_t c = 0; c < t->columns; c++) {
        struct table_column *col = &t->column[c];
        if (col->kind == SHARC_RATE_WORD) {
            SHARC_GROW(col->word, col->room, t->rows + 1);
            col->word[t->rows] = v[c].word.p ? sharc_intern_add(col->words, v[c].word, NULL) : RATE_UNKNOWN;
        } else {
            SHARC_GROW(col->number, col->room, t->rows + 1);
            col->number[t->rows] = v[c].number;
        }
    }
    SHARC_GROW(t->changes, t->changes_room, t->rows + 1);
    SHARC_GROW(t->time, t->time_room, t->rows + 1);
    t->changes[t->rows] = changes > 0 && isfinite(changes) ? changes : 0;
    t->time[t->rows] = time > 0 && isfinite(time) ? time : 1;
    t->rows++;
}

size_t sharc_rate_table_rows(const struct sharc_rate_table *t)
{
    return t->rows;
}

double sharc_rate_table_rate(const struct sharc_rate_table *t, size_t row)
{
    return t->changes[row] / t->time[row];
}

void sharc__rate_table_values(const struct sharc_rate_table *t, size_t row, struct sharc_rate_value *ret)
{
    for (size_t c = 0; c < t->columns; c++) {
        const struct table_column *col = &t->column[c];
        ret[c] = (struct sharc_rate_value){.number = SHARC_RATE_UNKNOWN};
        if (col->kind == SHARC_RATE_NUMBER)
            ret[c].number = col->number[row];
        else if (col->word[row] != RATE_UNKNOWN)
            ret[c].word = sharc_intern_text(col->words, col->word[row]);
    }
}

/* --- examples ----------------------------------------------------------------- */

static int by_text(const void *a, const void *b, void *words)
{
    return sharc_span_cmp(sharc_intern_text(words, *(const uint32_t *)a),
                          sharc_intern_text(words, *(const uint32_t *)b));
}

void sharc__rate_order_make(const struct sharc_rate_table *t, struct rate_order *ret)
{
    *ret = (struct rate_order){.columns = t->columns};
    for (size_t c = 0; c < t->columns; c++) {
        if (t->column[c].kind != SHARC_RATE_WORD) continue;
        const uint32_t n = sharc_intern_count(t->column[c].words);
        uint32_t *word = ret->word[c] = SHARC_NEW_ARRAY(uint32_t, n);
        ret->rank[c] = SHARC_NEW_ARRAY(uint32_t, n);
        for (uint32_t i = 0; i < n; i++) word[i] = i;
        qsort_r(word, n, sizeof *word, by_text, t->column[c].words);
        for (uint32_t i = 0; i < n; i++) ret->rank[c][word[i]] = i;
    }
}

void sharc__rate_order_done(struct rate_order *o)
{
    for (size_t c = 0; c < o->columns; c++) {
        free(o->rank[c]);
        free(o->word[c]);
    }
}

/* Cuts between different values, halfway, so that about equally many fall
 * between two cuts; all of them when there are no more than grid values.
 * sorted[0..n) ascending. Returns the number of cuts. */
static uint32_t make_cuts(const double *sorted, size_t n, unsigned grid, double *cut)
{
    size_t different = n > 0;
    for (size_t i = 1; i < n; i++) different += sorted[i] != sorted[i - 1];
    const double per_cut = different <= grid ? 0 : (double)n / grid;
    double next = per_cut;
    uint32_t cuts = 0;
    for (size_t i = 1; i < n && cuts + 1 < grid; i++) {
        if (sorted[i] == sorted[i - 1] || (double)i < next) continue;
        double middle = sorted[i - 1] + (sorted[i] - sorted[i - 1]) / 2;
        /* Between neighbouring doubles the middle may be the upper one. */
        cut[cuts++] = middle < sorted[i] ? middle : sorted[i - 1];
        next = (double)i + per_cut;
    }
    return cuts;
}

uint32_t sharc__rate_interval(const double *cut, size_t cuts, double x)
{
    if (isnan(x)) return RATE_UNKNOWN;
    return (uint32_t)SHARC_COUNT_WHILE(i, cuts, cut[i] < x);
}

static void code_numbers(const double *number, const uint32_t *rows, size_t n, unsigned grid,
                         struct example_column *ret)
{
    SHARC_AUTO(sharc_freep) double *sorted = SHARC_NEW_ARRAY(double, n);
    size_t known = 0;
    for (size_t i = 0; i < n; i++)
        if (!isnan(number[rows[i]])) sorted[known++] = number[rows[i]];
    qsort(sorted, known, sizeof *sorted, sharc_order_double);
    ret->cut = SHARC_NEW_ARRAY(double, grid);
    ret->codes = make_cuts(sorted, known, grid, ret->cut) + 1;
    for (size_t i = 0; i < n; i++) ret->code[i] = sharc__rate_interval(ret->cut, ret->codes - 1, number[rows[i]]);
}

void sharc__rate_examples_make(const struct sharc_rate_table *t, const struct rate_order *order, const uint32_t *rows,
                               size_t n, const uint16_t *label, unsigned classes, unsigned grid,
                               struct rate_examples *ret)
{
    *ret = (struct rate_examples){.table = t, .n = n, .columns = t->columns, .classes = classes};
    ret->label = SHARC_NEW_ARRAY(uint16_t, n);
    for (size_t i = 0; i < n; i++) ret->label[i] = label[rows[i]];
    for (size_t c = 0; c < t->columns; c++) {
        struct example_column *e = &ret->column[c];
        e->kind = t->column[c].kind;
        e->code = SHARC_NEW_ARRAY(uint32_t, n);
        if (e->kind == SHARC_RATE_NUMBER) {
            code_numbers(t->column[c].number, rows, n, grid, e);
            continue;
        }
        e->codes = sharc_intern_count(t->column[c].words);
        e->word = order->word[c];
        for (size_t i = 0; i < n; i++) {
            uint32_t word = t->column[c].word[rows[i]];
            e->code[i] = word == RATE_UNKNOWN ? RATE_UNKNOWN : order->rank[c][word];
        }
    }
}

void sharc__rate_examples_done(struct rate_examples *e)
{
    free(e->label);
    for (size_t c = 0; c < e->columns; c++) {
        free(e->column[c].code);
        free(e->column[c].cut);
    }
}

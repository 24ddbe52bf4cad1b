/* SPDX-License-Identifier: Apache-2.0
 *
 * Making the papers' tables again. The papers print one run each, so a small
 * count there carries chance of its own (11 and 20 incoherent pages for the same
 * experiment in tables 5.13 and 5.14): columns are compared by their sums.
 */
#include "sharc/sim_table.h"

#include "grid.h"
#include "paper_tables.h"
#include "sim_int.h"

#include <math.h>
#include <stdlib.h>

#define LARGE 500000

size_t sharc_sim_table_count(void)
{
    return sharc__sim_paper_table_count;
}

const char *sharc_sim_table_name(size_t i)
{
    return sharc__sim_paper_tables[i].name;
}

const char *sharc_sim_table_title(size_t i)
{
    return sharc__sim_paper_tables[i].title;
}

int sharc_sim_table_find(struct sharc_span name, size_t *ret, struct sharc_err *reterr)
{
    for (size_t i = 0; i < sharc__sim_paper_table_count; i++) {
        struct sharc_span candidate = sharc_span_of(sharc__sim_paper_tables[i].name);
        bool first_part = sharc_span_starts(candidate, name) && candidate.n == name.n + 1 && candidate.p[name.n] == 'a';
        if (!sharc_span_eq(candidate, name) && !first_part) continue;
        *ret = i;
        return 0;
    }
    return sharc_fail(reterr, SHARC_ENOENT,
                      "there is no table \"%.*s\"; choose 4.4a 4.4b 4.5a 4.5b 4.6a 4.6b 5.1 5.2 or 5.9 to 5.14",
                      SHARC_SPAN_ARG(sharc_span_sub(name, 0, 60)));
}

static unsigned runs_for(unsigned asked, uint32_t pages)
{
    if (asked) return asked;
    return pages >= LARGE ? 1 : 10;
}

static size_t columns_of(const struct paper_table *t)
{
    return strlen(t->independent);
}

size_t sharc_sim_table_crawls(size_t i, unsigned runs)
{
    const struct paper_table *t = &sharc__sim_paper_tables[i];
    size_t total = 0;
    for (size_t row = 0; row < t->rows; row++)
        total += runs_for(runs, sharc__sim_paper_rows[t->first + row].pages) * columns_of(t);
    return total;
}

/* The papers' offline column is what hindsight gives, the changes counted in the
 * very history that is crawled; their other columns are not. */
static bool with_hindsight(const struct paper_table *t, size_t column)
{
    return t->measure == SHARC_SIM_BLUR && strcmp(t->strategy[column], "sharc-offline") == 0;
}

static int run_cell(const struct paper_table *t, const struct paper_row *row, size_t column,
                    const struct sharc_sim_options *options, struct sharc_sim_result *ret, struct sharc_err *reterr)
{
    struct sharc_sim_synthetic shape = SHARC_SIM_SYNTHETIC;
    shape.pages = row->pages;
    shape.skew = row->skew;
    shape.slowdown = row->slowdown;
    shape.hot_leaves = t->hot_leaves;
    shape.rates = with_hindsight(t, column) ? SHARC_SIM_COUNTED : SHARC_SIM_ORACLE;
    SHARC_AUTO(sharc_sim_site_freep) struct sharc_sim_site *site = NULL;
    int r = sharc_sim_synthetic_new(&shape, &site, reterr);
    if (r < 0) return r;
    struct sharc_sim_options o = *options;
    o.runs = runs_for(options->runs, row->pages);
    o.bound = false;
    o.size_known = true;
    if (row->tau > 0) o.params.confidence = row->tau;
    const struct sharc_strategy_ops *ops = sharc_strategy_find(t->strategy[column]);
    SHARC_ASSERT(ops);
    return sharc_sim_run(site, &ops, 1, &o, ret, reterr);
}

static int run_row(const struct paper_table *t, const struct paper_row *row, const struct sharc_sim_options *options,
                   struct sharc_sim_figure *figure, struct sharc_err *reterr)
{
    for (size_t c = 0; c < columns_of(t); c++) {
        struct sharc_sim_result result;
        int r = run_cell(t, row, c, options, &result, reterr);
        if (r < 0) return r;
        figure[c] = (struct sharc_sim_figure){
            .table = t->name,
            .strategy = t->strategy[c],
            .pages = row->pages,
            .skew = row->skew,
            .slowdown = row->slowdown,
            .tau = row->tau,
            .tree_independent = t->independent[c] == 'y',
            .paper = row->value[c],
            .ours = t->measure == SHARC_SIM_BLUR ? result.average_blur : result.incoherence,
            .runs = result.runs,
        };
    }
    return 0;
}

int sharc_sim_table_run(size_t i, const struct sharc_sim_options *options, struct sharc_sim_figure **ret, size_t *ret_n,
                        struct sharc_err *reterr)
{
    const struct paper_table *t = &sharc__sim_paper_tables[i];
    size_t columns = columns_of(t);
    SHARC_AUTO(sharc_freep) struct sharc_sim_figure *f = SHARC_NEW_ARRAY(struct sharc_sim_figure, t->rows * columns);
    for (size_t row = 0; row < t->rows; row++) {
        int r = run_row(t, &sharc__sim_paper_rows[t->first + row], options, f + row * columns, reterr);
        if (r < 0) return r;
    }
    *ret = SHARC_TAKE(f);
    *ret_n = t->rows * columns;
    return 0;
}

double sharc_sim_column_deviation(const struct sharc_sim_figure *figures, size_t n, const char *strategy)
{
    double paper = 0, ours = 0;
    for (size_t i = 0; i < n; i++) {
        if (strcmp(figures[i].strategy, strategy) != 0) continue;
        paper += figures[i].paper;
        ours += figures[i].ours.mean;
    }
    return paper > 0 ? ours / paper - 1 : (double)NAN;
}

/* --- writing --------------------------------------------------------------- */

static int digits_of(const struct sharc_sim_figure *f)
{
    return f->table[0] == '4' ? 3 : 0;
}

/* The one number in which the rows of a table differ. */
static void cell_parameter(struct grid *g, const struct sharc_sim_figure *f)
{
    sharc__sim_grid_cell(g, "%u", f->pages);
    sharc__sim_grid_cell(g, "%g", f->skew);
    sharc__sim_grid_cell(g, "%g", f->slowdown);
    if (f->tau > 0)
        sharc__sim_grid_cell(g, "%g", f->tau);
    else
        sharc__sim_grid_cell(g, "%s", "");
}

static void write_rows(const struct sharc_sim_figure *figures, size_t n, enum sharc_sim_format format,
                       struct sharc_buf *out)
{
    bool csv = format == SHARC_SIM_CSV;
    SHARC_AUTO(sharc__sim_grid_done) struct grid g = GRID_INIT;
    static const char *const names[] = {"table", "pages", "skew",      "slowdown",        "tau", "strategy", "paper",
                                        "sharc", "ci",    "deviation", "tree_independent"};
    for (size_t c = 0; c < SHARC_LENGTH(names); c++)
        sharc__sim_grid_column(&g, c + 1 == SHARC_LENGTH(names) && !csv ? "tree" : names[c],
                               c != 0 && c != 5 && c != 10);
    for (size_t i = 0; i < n; i++) {
        const struct sharc_sim_figure *f = &figures[i];
        int digits = csv ? 9 : digits_of(f);
        sharc__sim_grid_cell(&g, "%s", f->table);
        cell_parameter(&g, f);
        sharc__sim_grid_cell(&g, "%s", f->strategy);
        sharc__sim_grid_cell(&g, "%.*f", digits_of(f) ? 2 : 0, f->paper);
        sharc__sim_grid_cell(&g, "%.*f", digits, f->ours.mean);
        sharc__sim_grid_cell(&g, "%.*f", digits, f->ours.half);
        sharc__sim_grid_cell(&g, csv ? "%.9f" : "%+.1f %%", (f->ours.mean / f->paper - 1) * (csv ? 1 : 100));
        sharc__sim_grid_cell(&g, "%s", f->tree_independent ? (csv ? "yes" : "any") : (csv ? "no" : ""));
    }
    sharc__sim_grid_write(&g, format, out);
}

/* First occurrence of its strategy in its table. */
static bool leads_column(const struct sharc_sim_figure *figures, size_t i)
{
    for (size_t k = 0; k < i; k++)
        if (figures[k].table == figures[i].table && strcmp(figures[k].strategy, figures[i].strategy) == 0) return false;
    return true;
}

static void write_summary(const struct sharc_sim_figure *figures, size_t n, struct sharc_buf *out)
{
    double worst = 0;
    const char *where = NULL;
    size_t columns = 0;
    for (size_t i = 0; i < n; i++) {
        if (!figures[i].tree_independent || !leads_column(figures, i)) continue;
        double d = fabs(sharc_sim_column_deviation(figures, n, figures[i].strategy));
        columns++;
        if (d < worst) continue;
        worst = d;
        where = figures[i].strategy;
    }
    if (columns == 0) return;
    sharc_buf_printf(out,
                     "\nColumns that do not depend on the tree (\"any\"): %zu; summed over the rows the largest "
                     "deviation is %.1f %% (%s).\n",
                     columns, 100 * worst, where);
}

static void write_table_json(const struct sharc_sim_figure *figures, size_t n, struct sharc_buf *out)
{
    struct sharc_json j;
    sharc_json_init(&j, out, true);
    sharc_json_object(&j, NULL);
    sharc_json_str(&j, "table", n ? figures[0].table : NULL);
    sharc_json_array(&j, "figures");
    for (size_t i = 0; i < n; i++) {
        const struct sharc_sim_figure *f = &figures[i];
        sharc_json_object(&j, NULL);
        sharc_json_uint(&j, "pages", f->pages);
        sharc_json_real(&j, "skew", f->skew);
        sharc_json_real(&j, "slowdown", f->slowdown);
        if (f->tau > 0) sharc_json_real(&j, "tau", f->tau);
        sharc_json_str(&j, "strategy", f->strategy);
        sharc_json_real(&j, "paper", f->paper);
        sharc_json_real(&j, "sharc", f->ours.mean);
        sharc_json_real(&j, "ci", f->ours.half);
        sharc_json_uint(&j, "runs", f->runs);
        sharc_json_bool(&j, "tree_independent", f->tree_independent);
        sharc_json_end(&j);
    }
    sharc_json_end(&j);
    sharc_json_end(&j);
    sharc_buf_put_char(out, '\n');
}

void sharc_sim_table_write(const struct sharc_sim_figure *figures, size_t n, enum sharc_sim_format format,
                           struct sharc_buf *out)
{
    if (format == SHARC_SIM_JSON) {
        write_table_json(figures, n, out);
        return;
    }
    write_rows(figures, n, format, out);
    if (format != SHARC_SIM_CSV) write_summary(figures, n, out);
}

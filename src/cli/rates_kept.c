/* SPDX-License-Identifier: Apache-2.0
 *
 * sharc rates show ARCHIVE: the rates that captures, imports and sharc rates
 * estimate --save left in the catalogue.
 */
#include "rates.h"

#include "archive.h"
#include "sharc/store_query.h"

#include <math.h>
#include <stdlib.h>

struct kept {
    struct sharc_span url, source;
    double value, low, high, observations;
    sharc_time when;
};

struct rates_kept {
    struct kept *row;
    size_t n, room;
    struct sharc_arena text;
};

struct rates_kept *cli__rates_kept_new(void)
{
    struct rates_kept *k = SHARC_NEW(struct rates_kept);
    k->text = (struct sharc_arena)SHARC_ARENA_INIT(RATES_TEXT_MAX);
    return k;
}

void cli__rates_kept_freep(struct rates_kept **k)
{
    if (!*k) return;
    free((*k)->row);
    sharc_arena_done(&(*k)->text);
    free(*k);
    *k = NULL;
}

static int hottest_first(const void *a, const void *b)
{
    const struct kept *x = a, *y = b;
    if (x->value < y->value || x->value > y->value) return x->value > y->value ? -1 : 1;
    int order = sharc_span_cmp(x->url, y->url);
    return order ? order : sharc_span_cmp(x->source, y->source);
}

int cli__rates_kept_read(const char *path, const char *url, struct rates_kept *ret, struct sharc_err *err)
{
    const struct sharc_store_options o = {.read_only = true, .must_exist = true};
    SHARC_AUTO(sharc_store_freep) struct sharc_store *store = NULL;
    SHARC_AUTO(sharc_store_rows_freep) struct sharc_store_rows *rows = NULL;
    int r = cli_archive_open(path, url, &o, &store, err);
    if (r >= 0) r = sharc_store_rates(store, 0, NULL, &rows, err);
    while (r >= 0 && (r = sharc_store_rows_next(rows, err)) > 0) {
        struct sharc_store_rate row;
        sharc_store_read_rate(rows, &row);
        SHARC_GROW(ret->row, ret->room, ret->n + 1);
        ret->row[ret->n++] = (struct kept){sharc_arena_copy(&ret->text, row.url),
                                           sharc_arena_copy(&ret->text, row.source),
                                           row.value,
                                           row.low,
                                           row.high,
                                           row.observations,
                                           row.when};
    }
    if (r == 0 && ret->n) qsort(ret->row, ret->n, sizeof *ret->row, hottest_first);
    return r < 0 ? r : 0;
}

static void rate_cell(struct cli_table *t, double rate)
{
    if (isnan(rate))
        cli_table_cell(t, "%s", "");
    else
        cli_table_cell(t, "%.3g", rate * RATES_DAY);
}

void cli__rates_kept_print(struct cli *c, const struct rates_kept *k, uint64_t top)
{
    static const char *const titles[] = {"per day", "low", "high", "looks", "from", "as of", "page"};
    size_t shown = top ? top : 10;
    if (k->n == 0) return;
    if (shown > k->n) shown = (size_t)k->n;
    fprintf(c->out, "\n%zu rate%s kept in the catalogue, hottest first%s\n\n", k->n, k->n == 1 ? "" : "s",
            shown < k->n ? " (--top for more)" : "");
    SHARC_AUTO(cli_table_freep) struct cli_table *t = cli_table_new(SHARC_LENGTH(titles), titles, "rrrrlll");
    for (size_t i = 0; i < shown; i++) {
        const struct kept *row = &k->row[i];
        char when[SHARC_TIME_TEXT];
        rate_cell(t, row->value);
        rate_cell(t, row->low);
        rate_cell(t, row->high);
        cli_table_cell(t, "%.4g", row->observations);
        cli_table_cell(t, "%.*s", SHARC_SPAN_ARG(row->source));
        cli_table_cell(t, "%s", row->when == SHARC_TIME_NONE ? "" : sharc_time_iso(row->when, 0, when));
        cli_table_cell(t, "%.*s", SHARC_SPAN_ARG(row->url));
    }
    cli_table_print(t, c->out);
}

void cli__rates_kept_json(struct sharc_json *j, const struct rates_kept *k)
{
    sharc_json_array(j, "kept");
    for (size_t i = 0; i < k->n; i++) {
        const struct kept *row = &k->row[i];
        char when[SHARC_TIME_TEXT];
        sharc_json_object(j, NULL);
        sharc_json_span(j, "url", row->url);
        sharc_json_span(j, "source", row->source);
        sharc_json_real(j, "per_day", row->value * RATES_DAY);
        sharc_json_real(j, "low", row->low * RATES_DAY);
        sharc_json_real(j, "high", row->high * RATES_DAY);
        sharc_json_real(j, "looks", row->observations);
        if (row->when != SHARC_TIME_NONE) sharc_json_str(j, "as_of", sharc_time_iso(row->when, 0, when));
        sharc_json_end(j);
    }
    sharc_json_end(j);
}

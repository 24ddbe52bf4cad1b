/* SPDX-License-Identifier: Apache-2.0
 *
 * sharc rates estimate, and lists of pages with their rates.
 */
#include "archive.h"
#include "cmd_rates.h"

#include <math.h>
#include <stdlib.h>

static int keep(const struct sharc_history *h, const struct rates_settings *set, const struct sharc_history_rate *rated,
                size_t n, struct sharc_err *err)
{
    SHARC_FAIL_IF(h->kind != SHARC_HISTORY_ARCHIVE, err, SHARC_EINVAL,
                  "%s: only an archive has a catalogue to save rates in", h->name);
    const struct sharc_store_options o = {.must_exist = true};
    SHARC_AUTO(sharc_store_freep) struct sharc_store *store = NULL;
    int r = sharc_archive_open(h->name, set->store, &o, &store, err);
    return r < 0 ? r : sharc_history_rates_keep(h, (enum sharc_history_method)set->method, rated, n, store, err);
}

static void rates_json(const struct sharc_history *h, const struct sharc_history_rate *rated, size_t n, size_t shown,
                       const char *method, struct sharc_buf *out)
{
    struct sharc_json j;
    sharc_json_init(&j, out, true);
    sharc_json_object(&j, NULL);
    sharc_json_str(&j, "source", h->name);
    sharc_json_str(&j, "method", method);
    sharc_json_uint(&j, "pages", n);
    sharc_json_array(&j, "rates");
    for (size_t i = 0; i < shown; i++) {
        const struct sharc_history_page *p = &h->page[rated[i].page];
        sharc_json_object(&j, NULL);
        sharc_json_span(&j, "url", p->url);
        sharc_json_real(&j, "per_day", rated[i].rate.rate * RATES_DAY);
        sharc_json_real(&j, "low", rated[i].rate.low * RATES_DAY);
        sharc_json_real(&j, "high", rated[i].rate.high * RATES_DAY);
        sharc_json_real(&j, "changes", p->changes);
        sharc_json_real(&j, "days", p->time / RATES_DAY);
        sharc_json_real(&j, "weight", p->weight);
        sharc_json_end(&j);
    }
    sharc_json_end(&j);
    sharc_json_end(&j);
    sharc_buf_put_char(out, '\n');
}

static void rates_text(struct cli *c, const struct sharc_history *h, const struct sharc_history_rate *rated, size_t n,
                       bool weights)
{
    static const char *const titles[] = {"per day", "low", "high", "changes", "days", "weight", "page"};
    const size_t columns = SHARC_LENGTH(titles) - !weights;
    const char *const plain[] = {titles[0], titles[1], titles[2], titles[3], titles[4], titles[6]};
    SHARC_AUTO(cli_table_freep)
    struct cli_table *t = cli_table_new(columns, weights ? titles : plain, weights ? "rrrrrrl" : "rrrrrl");
    for (size_t i = 0; i < n; i++) {
        const struct sharc_history_page *p = &h->page[rated[i].page];
        cli_table_cell(t, "%.4g", rated[i].rate.rate * RATES_DAY);
        rates_cell(t, rated[i].rate.low);
        rates_cell(t, rated[i].rate.high);
        cli_table_cell(t, "%.4g", p->changes);
        cli_table_cell(t, "%.4g", p->time / RATES_DAY);
        if (weights) cli_table_cell(t, "%.3g", p->weight);
        cli_table_cell(t, "%.*s", SHARC_SPAN_ARG(p->url));
    }
    cli_table_print(t, c->out);
}

int rates_list(struct cli *c, const struct sharc_history *h, struct sharc_history_rate *rated, size_t n, uint64_t top,
               const char *method, bool weights)
{
    sharc_history_rates_sort(rated, n);
    size_t shown = top ? (top < n ? (size_t)top : n) : c->json || n < 20 ? n : 20;
    if (!c->json) {
        fprintf(c->out, "%s: %s, %s rates, hottest first%s\n\n", h->name, SHARC_COUNT(n, "page"), method,
                shown < n ? " (--top for more)" : "");
        rates_text(c, h, rated, shown, weights);
        return EXIT_OK;
    }
    SHARC_AUTO(sharc_buf_done) struct sharc_buf out = SHARC_BUF_INIT(RATES_OUTPUT_MAX);
    rates_json(h, rated, n, shown, method, &out);
    return rates_print(c, &out);
}

int rates_estimate(struct cli *c, const struct rates_settings *set, const char *path)
{
    struct sharc_err err = SHARC_ERR_INIT;
    SHARC_AUTO(sharc_history_done) struct sharc_history h = SHARC_HISTORY_INIT;
    if (rates_open(path, set, &h, &err) < 0) return cli_fail(c, &err);
    if (sharc_history_weigh(&h, set->weights, &err) < 0) return cli_fail(c, &err);
    SHARC_AUTO(sharc_freep) struct sharc_history_rate *rated = SHARC_NEW_ARRAY(struct sharc_history_rate, h.n);
    const struct sharc_history_rates_options o = {.method = (enum sharc_history_method)set->method,
                                                  .coming = fmax((double)set->coming / SHARC_SEC, 1),
                                                  .delay = (double)set->delay / SHARC_SEC,
                                                  .level = RATES_LEVEL};
    if (sharc_history_rates(&h, &o, rated, &err) < 0) return cli_fail(c, &err);
    /* What is gone has taught, but nobody will visit it. */
    size_t n = 0;
    for (size_t i = 0; i < h.n; i++)
        if (!h.page[i].gone) rated[n++] = rated[i];
    if (set->save && keep(&h, set, rated, n, &err) < 0) return cli_fail(c, &err);
    return rates_list(c, &h, rated, n, set->top, rates_methods[set->method], set->weights != NULL);
}

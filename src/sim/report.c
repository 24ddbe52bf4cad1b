/* SPDX-License-Identifier: Apache-2.0
 *
 * Results as text, Markdown, CSV and JSON. People get what they compare at a
 * glance; programs get every number unrounded.
 */
#include "grid.h"
#include "promise_write.h"
#include "sim_int.h"

#include "sharc/base_clock.h"

#include <math.h>

/* --- every number, for CSV and JSON --------------------------------------- */

struct field {
    const char *name;
    double value;
};
#define FIELDS 22

static size_t fields_of(const struct sharc_sim_result *r, struct field f[FIELDS])
{
    const struct field all[] = {
        {"average_blur", r->average_blur.mean},
        {"average_blur_ci", r->average_blur.half},
        {"incoherence", r->incoherence.mean},
        {"incoherence_ci", r->incoherence.half},
        {"expected_coherence", r->expected_coherence.mean},
        {"expected_coherence_ci", r->expected_coherence.half},
        {"bound", r->bound},
        {"expected_blur", r->expected_blur.mean},
        {"blur_bound", r->blur_bound},
        {"seconds", r->seconds.mean},
        {"requests", r->requests.mean},
        {"hopeless", r->hopeless.mean},
        {"second_looks", r->second_looks.mean},
        {"captured", r->captured.mean},
        {"missed", r->missed.mean},
        {"incoherence_same_time", r->same_time.mean},
        {"incoherence_same_delay", r->same_delay.mean},
        {"strategy_bytes", (double)r->strategy_bytes},
    };
    memcpy(f, all, sizeof all);
    return SHARC_LENGTH(all);
}

/* What is promised for strategy i; three numbers each. */
#define PROMISED 6
static void promised_of(const struct sharc_sim_promises *p, size_t i, struct field f[PROMISED])
{
    const struct sharc_sim_outlook *o = &p->of[i];
    const struct field all[PROMISED] = {
        {"promised_incoherence", o->lost.median},    {"promised_incoherence_low", o->lost.low},
        {"promised_incoherence_high", o->lost.high}, {"promised_blur", o->blur.median},
        {"promised_blur_low", o->blur.low},          {"promised_blur_high", o->blur.high},
    };
    memcpy(f, all, sizeof all);
}

static void write_json(const struct sharc_sim_site *site, const struct sharc_sim_options *o,
                       const struct sharc_sim_result *results, size_t n, const struct sharc_sim_promises *promises,
                       struct sharc_buf *out)
{
    struct sharc_json j;
    sharc_json_init(&j, out, true);
    sharc_json_object(&j, NULL);
    sharc_json_str(&j, "site", site->name);
    sharc_json_uint(&j, "pages", site->pages);
    if (site->data) {
        sharc_json_uint(&j, "changing", site->changing);
        sharc_json_real(&j, "from", site->from);
        sharc_json_real(&j, "to", site->to);
    } else {
        sharc_json_real(&j, "skew", site->shape.skew);
        sharc_json_uint(&j, "outdegree", site->shape.outdegree);
        sharc_json_str(&j, "leaves", site->shape.hot_leaves ? "hot" : "cold");
        sharc_json_real(&j, "slowdown", site->shape.slowdown);
    }
    sharc_json_str(&j, "rates", sharc_sim_rates_name(site->rates));
    sharc_json_real(&j, "known", o->known);
    if (o->signals.on) {
        sharc_json_object(&j, "signals");
        if (o->signals.teller != SHARC_SIM_LASTMOD) {
            sharc_json_str(&j, "source", o->signals.teller == SHARC_SIM_FEED ? "feed" : "hub");
            sharc_json_uint(&j, "entries", o->signals.entries);
        }
        sharc_json_real(&j, "recall", o->signals.recall);
        sharc_json_real(&j, "precision", o->signals.precision);
        sharc_json_real(&j, "late", o->signals.late);
        sharc_json_end(&j);
    }
    sharc_json_uint(&j, "seed", o->seed);
    sharc_json_uint(&j, "runs", o->runs);
    if (promises) sharc__sim_promises_json(promises, &j);
    sharc_json_array(&j, "results");
    for (size_t i = 0; i < n; i++) {
        struct field f[FIELDS];
        size_t fields = fields_of(&results[i], f);
        sharc_json_object(&j, NULL);
        sharc_json_str(&j, "strategy", results[i].strategy->name);
        sharc_json_str(&j, "judged_by", results[i].strategy->revisits ? "revisit" : "last-modified");
        for (size_t k = 0; k < fields; k++) sharc_json_real(&j, f[k].name, f[k].value);
        if (promises) promised_of(promises, i, f);
        for (size_t k = 0; promises && k < PROMISED; k++) sharc_json_real(&j, f[k].name, f[k].value);
        sharc_json_end(&j);
    }
    sharc_json_end(&j);
    sharc_json_end(&j);
    sharc_buf_put_char(out, '\n');
}

/* Seconds since 1970, as people write instants; an empty cell for a synthetic site. */
static void cell_instant(struct grid *g, const struct sharc_sim_site *site, double t)
{
    char text[SHARC_TIME_TEXT];
    sharc__sim_grid_cell(g, "%s", site->data ? sharc_time_iso(sharc_time_of_seconds(t), 0, text) : "");
}

static void csv_experiment(struct grid *g, const struct sharc_sim_site *site, const struct sharc_sim_options *o)
{
    sharc__sim_grid_cell(g, "%s", site->name);
    sharc__sim_grid_number(g, site->pages);
    cell_instant(g, site, site->from);
    cell_instant(g, site, site->to);
    sharc__sim_grid_cell(g, "%s", sharc_sim_rates_name(site->rates));
    sharc__sim_grid_number(g, o->known);
    sharc__sim_grid_cell(g, "%llu", (unsigned long long)o->seed);
    sharc__sim_grid_number(g, o->runs);
}

static void write_csv(const struct sharc_sim_site *site, const struct sharc_sim_options *o,
                      const struct sharc_sim_result *results, size_t n, const struct sharc_sim_promises *promises,
                      struct sharc_buf *out)
{
    static const char *const experiment[] = {"site", "pages", "from", "to", "rates", "known", "seed", "runs"};
    SHARC_AUTO(sharc__sim_grid_done) struct grid g = GRID_INIT;
    struct field f[FIELDS], p[PROMISED];
    for (size_t i = 0; i < n; i++) {
        size_t fields = fields_of(&results[i], f);
        if (i == 0) {
            sharc__sim_grid_column(&g, "strategy", false);
            for (size_t k = 0; k < fields; k++) sharc__sim_grid_column(&g, f[k].name, true);
            for (size_t k = 0; k < SHARC_LENGTH(experiment); k++) sharc__sim_grid_column(&g, experiment[k], true);
            if (promises) promised_of(promises, i, p);
            for (size_t k = 0; promises && k < PROMISED; k++) sharc__sim_grid_column(&g, p[k].name, true);
        }
        sharc__sim_grid_cell(&g, "%s", results[i].strategy->name);
        for (size_t k = 0; k < fields; k++) sharc__sim_grid_number(&g, f[k].value);
        csv_experiment(&g, site, o);
        if (promises) promised_of(promises, i, p);
        for (size_t k = 0; promises && k < PROMISED; k++) sharc__sim_grid_number(&g, p[k].value);
    }
    sharc__sim_grid_write(&g, SHARC_SIM_CSV, out);
}

/* --- for people ------------------------------------------------------------ */

static void cell_mean(struct grid *g, struct sharc_sim_mean m, int digits, unsigned runs)
{
    if (isnan(m.mean))
        sharc__sim_grid_cell(g, "-");
    else if (runs > 1)
        sharc__sim_grid_cell(g, "%.*f ±%.*f", digits, m.mean, digits, m.half);
    else
        sharc__sim_grid_cell(g, "%.*f", digits, m.mean);
}

static bool any(const struct sharc_sim_result *r, size_t n, size_t offset)
{
    for (size_t i = 0; i < n; i++)
        if (((const struct sharc_sim_mean *)(const void *)((const char *)&r[i] + offset))->mean > 0) return true;
    return false;
}

/* The name of the other form, where some strategy makes more requests than others; or NULL. */
static const char *other_form(const struct sharc_sim_site *site, const struct sharc_sim_result *r, size_t n)
{
    double least = HUGE_VAL, most = 0;
    for (size_t i = 0; i < n; i++) {
        if (isnan(r[i].same_delay.mean) || isnan(r[i].same_time.mean)) continue;
        least = fmin(least, r[i].requests.mean - r[i].second_looks.mean);
        most = fmax(most, r[i].requests.mean);
    }
    if (most <= least + 1.5) return NULL;
    return site->slot > 0 ? "in same time" : "at same delay";
}

/* Which columns a table for people has besides the usual ones. */
struct shown {
    bool looks, missed, seconds;
    const char *other; /* form */
    const struct sharc_sim_promises *promises;
};

static void columns_of(const struct shown *s, struct grid *g)
{
    sharc__sim_grid_column(g, "strategy", false);
    sharc__sim_grid_column(g, "blur/page", true);
    sharc__sim_grid_column(g, "incoherent", true);
    if (s->other) sharc__sim_grid_column(g, s->other, true);
    if (s->promises) {
        sharc__sim_grid_column(g, "promised", true);
        sharc__sim_grid_column(g, "80 %", true);
    }
    sharc__sim_grid_column(g, "expected coherent", true);
    sharc__sim_grid_column(g, "of bound", true);
    sharc__sim_grid_column(g, "requests", true);
    sharc__sim_grid_column(g, "hopeless", true);
    if (s->looks) sharc__sim_grid_column(g, "looks", true);
    if (s->missed) sharc__sim_grid_column(g, "missed", true);
    if (s->seconds) sharc__sim_grid_column(g, "CPU s", true);
}

static void cell_bound(struct grid *g, const struct sharc_sim_result *r)
{
    if (isnan(r->bound) || r->bound <= 0)
        sharc__sim_grid_cell(g, "-");
    else
        sharc__sim_grid_cell(g, "%.2f %%%s", sharc__sim_percent(r->expected_coherence.mean, r->bound),
                             r->second_looks.mean > 0 ? SHARC__SIM_UNBOUND : "");
}

static void write_people(const struct sharc_sim_site *site, const struct sharc_sim_result *results, size_t n,
                         const struct sharc_sim_promises *promises, enum sharc_sim_format format, struct sharc_buf *out)
{
    const struct shown s = {
        .looks = any(results, n, offsetof(struct sharc_sim_result, second_looks)),
        .missed = any(results, n, offsetof(struct sharc_sim_result, missed)),
        .seconds = any(results, n, offsetof(struct sharc_sim_result, seconds)),
        .other = other_form(site, results, n),
        .promises = promises,
    };
    SHARC_AUTO(sharc__sim_grid_done) struct grid g = GRID_INIT;
    columns_of(&s, &g);
    for (size_t i = 0; i < n; i++) {
        const struct sharc_sim_result *r = &results[i];
        sharc__sim_grid_cell(&g, "%s", r->strategy->name);
        cell_mean(&g, r->average_blur, 4, r->runs);
        cell_mean(&g, r->incoherence, r->runs > 1, r->runs);
        if (s.other) cell_mean(&g, site->slot > 0 ? r->same_time : r->same_delay, r->runs > 1, r->runs);
        if (promises) sharc__sim_grid_promise(&g, &promises->of[i].lost, 0);
        cell_mean(&g, r->expected_coherence, 1, r->runs);
        cell_bound(&g, r);
        sharc__sim_grid_cell(&g, "%.0f", r->requests.mean);
        if (r->strategy->purpose == SHARC_PURPOSE_COHERENCE)
            sharc__sim_grid_cell(&g, "%.0f", r->hopeless.mean);
        else
            sharc__sim_grid_cell(&g, "-");
        if (s.looks) sharc__sim_grid_cell(&g, "%.0f", r->second_looks.mean);
        if (s.missed) sharc__sim_grid_cell(&g, "%.0f", r->missed.mean);
        if (s.seconds) sharc__sim_grid_cell(&g, "%.2f", r->seconds.mean);
    }
    sharc__sim_grid_write(&g, format, out);
    for (size_t i = 0; s.looks && i < n; i++) {
        if (!(results[i].second_looks.mean > 0) || isnan(results[i].bound)) continue;
        sharc_buf_put_str(out, "\n" SHARC__SIM_UNBOUND_NOTE "\n");
        break;
    }
}

void sharc_sim_describe(const struct sharc_sim_site *site, const struct sharc_sim_options *options,
                        struct sharc_buf *out)
{
    char from[SHARC_TIME_TEXT], to[SHARC_TIME_TEXT];
    sharc_buf_printf(out, "%s: %s", site->name, SHARC_COUNT(site->pages, "page"));
    if (site->data)
        sharc_buf_printf(out, ", %s to %s", sharc_time_iso(sharc_time_of_seconds(site->from), 0, from),
                         sharc_time_iso(sharc_time_of_seconds(site->to), 0, to));
    else if (site->shape.slowdown < 1 || site->shape.slowdown > 1)
        sharc_buf_printf(out, ", slow-down %g", site->shape.slowdown);
    sharc_buf_printf(out, ", rates: %s, known beforehand: %g %%, seed %llu", sharc_sim_rates_name(site->rates),
                     100 * options->known, (unsigned long long)options->seed);
    if (options->signals.on) {
        sharc_buf_put_str(out, ", signals: ");
        if (options->signals.teller != SHARC_SIM_LASTMOD)
            sharc_buf_printf(out, "%s of %u pages, ", options->signals.teller == SHARC_SIM_FEED ? "feed" : "hub",
                             options->signals.entries);
        sharc_buf_printf(out, "recall %g %%, precision %g %%", 100 * options->signals.recall,
                         100 * options->signals.precision);
    }
    if (options->runs > 1) sharc_buf_printf(out, ", %u runs", options->runs);
}

void sharc_sim_results_write(const struct sharc_sim_site *site, const struct sharc_sim_options *options,
                             const struct sharc_sim_result *results, size_t n,
                             const struct sharc_sim_promises *promises, enum sharc_sim_format format,
                             struct sharc_buf *out)
{
    if (format == SHARC_SIM_JSON)
        write_json(site, options, results, n, promises, out);
    else if (format == SHARC_SIM_CSV)
        write_csv(site, options, results, n, promises, out);
    else
        write_people(site, results, n, promises, format, out);
}

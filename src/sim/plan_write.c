/* SPDX-License-Identifier: Apache-2.0
 *
 * A plan as text, Markdown, CSV and JSON.
 */
#include "sharc/sim_plan.h"

#include "grid.h"
#include "plan_int.h"
#include "promise_write.h"
#include "sim_int.h"

#include "sharc/base_clock.h"

#include <math.h>

#define LISTED 10 /* hopeless pages and parts shown to people */

/* --- for people ------------------------------------------------------------------- */

static void csv_promises(const struct sharc_sim_plan *p, size_t i, struct grid *g)
{
    const struct sharc_sim_outlook *o = &p->promises.of[i];
    const struct sharc_sim_same_time *t = &p->same_time[i];
    const double none = (double)NAN;
    const struct sharc_sim_promise nothing = {none, none, none};
    const struct sharc_sim_promise *lost = p->results[i].strategy->revisits ? &o->lost : &nothing;
    const struct sharc_sim_promise *hurried = isnan(t->delay) ? &nothing : &t->lost;
    const double all[] = {lost->median, lost->low, lost->high,      o->blur.median, o->blur.low,
                          o->blur.high, t->delay,  hurried->median, hurried->low,   hurried->high};
    for (size_t k = 0; k < SHARC_LENGTH(all); k++) sharc__sim_grid_number(g, all[k]);
}

static void write_csv(const struct sharc_sim_plan *p, struct sharc_buf *out)
{
    static const char *const names[] = {
        "strategy",
        "requests",
        "seconds",
        "expected_blur",
        "expected_coherence",
        "bound",
        "lost",
        "lost_low",
        "lost_high",
        "blur",
        "blur_low",
        "blur_high",
        "same_time_delay",
        "same_time_lost",
        "same_time_lost_low",
        "same_time_lost_high",
    };
    SHARC_AUTO(sharc__sim_grid_done) struct grid g = GRID_INIT;
    for (size_t c = 0; c < SHARC_LENGTH(names); c++) sharc__sim_grid_column(&g, names[c], c > 0);
    for (size_t i = 0; i < p->n; i++) {
        const struct sharc_sim_result *r = &p->results[i];
        sharc__sim_grid_cell(&g, "%s", r->strategy->name);
        sharc__sim_grid_number(&g, r->requests.mean);
        sharc__sim_grid_number(&g, sharc__sim_plan_seconds(p, r));
        sharc__sim_grid_number(&g, r->expected_blur.mean);
        sharc__sim_grid_number(&g, r->expected_coherence.mean);
        sharc__sim_grid_number(&g, r->strategy->revisits ? p->bound : (double)NAN);
        csv_promises(p, i, &g);
    }
    sharc__sim_grid_write(&g, SHARC_SIM_CSV, out);
}

/* One visit per page, judged by blur; or two, judged by what is lost. */
static void write_strategies(const struct sharc_sim_plan *p, bool revisits, enum sharc_sim_format format,
                             struct sharc_buf *out)
{
    SHARC_AUTO(sharc__sim_grid_done) struct grid g = GRID_INIT;
    static const char *const one[] = {"strategy", "requests", "duration", "blur/page", "80 %"};
    static const char *const two[] = {"strategy", "requests", "duration", "lost", "80 %", "of bound"};
    for (size_t c = 0; c < (revisits ? SHARC_LENGTH(two) : SHARC_LENGTH(one)); c++)
        sharc__sim_grid_column(&g, revisits ? two[c] : one[c], c > 0);
    size_t rows = 0;
    for (size_t i = 0; i < p->n; i++) {
        const struct sharc_sim_result *r = &p->results[i];
        char text[SHARC_TIME_TEXT];
        if (r->strategy->revisits != revisits) continue;
        rows++;
        sharc__sim_grid_cell(&g, "%s", r->strategy->name);
        sharc__sim_grid_cell(&g, "%.0f", r->requests.mean);
        sharc__sim_grid_cell(&g, "%s", sharc__sim_duration(sharc__sim_plan_seconds(p, r), text));
        sharc__sim_grid_promise(&g, revisits ? &p->promises.of[i].lost : &p->promises.of[i].blur, revisits ? 0 : 5);
        if (revisits)
            sharc__sim_grid_cell(&g, "%.2f %%%s", sharc__sim_percent(r->expected_coherence.mean, p->bound),
                                 r->second_looks.mean > 0 ? SHARC__SIM_UNBOUND : "");
    }
    if (!rows) return;
    sharc_buf_put_char(out, '\n');
    sharc__sim_grid_write(&g, format, out);
}

static struct sharc_span take_word(struct sharc_span *text)
{
    struct sharc_span word = SHARC_SPAN("");
    sharc_span_next(text, ' ', &word);
    return word;
}

/* A paragraph in lines of at most `width` columns; longer words stay whole. */
static void put_wrapped(struct sharc_span text, unsigned width, struct sharc_buf *out)
{
    size_t line = 0;
    struct sharc_span word;
    while (sharc_span_next(&text, ' ', &word)) {
        /* A number and its per cent sign stay together. */
        if (text.p && text.n && text.p[0] == '%') word = sharc_span(word.p, word.n + 1 + take_word(&text).n);
        size_t columns = 0;
        for (size_t i = 0; i < word.n; i++) columns += ((unsigned char)word.p[i] & 0xc0) != 0x80;
        if (line && line + 1 + columns > width) {
            sharc_buf_put_char(out, '\n');
            line = 0;
        } else if (line) {
            sharc_buf_put_char(out, ' ');
            line++;
        }
        sharc_buf_put(out, word);
        line += columns;
    }
    sharc_buf_put_char(out, '\n');
}

static void write_commands(const struct sharc_sim_plan *p, enum sharc_sim_format format, struct sharc_buf *out)
{
    static const char *const purpose[] = {"To explore the site:", "For evidence:"};
    for (size_t i = 0; i < SHARC_LENGTH(purpose); i++) {
        if (!p->commands[i]) continue;
        sharc_buf_printf(out, "\n%s\n%s    %s\n", purpose[i], format == SHARC_SIM_MARKDOWN ? "\n" : "", p->commands[i]);
    }
}

static void write_hopeless(const struct sharc_sim_plan *p, enum sharc_sim_format format, struct sharc_buf *out)
{
    if (p->hopeless_count == 0) return;
    sharc_buf_printf(out, "\nHopeless pages, more likely to change than to stay%s:\n",
                     p->hopeless_count > LISTED ? " (the hottest)" : "");
    if (format == SHARC_SIM_MARKDOWN) sharc_buf_put_char(out, '\n');
    SHARC_AUTO(sharc__sim_grid_done) struct grid g = GRID_INIT;
    sharc__sim_grid_column(&g, "changes every", true);
    sharc__sim_grid_column(&g, "chance", true);
    sharc__sim_grid_column(&g, "page", false);
    for (size_t i = 0; i < p->hopeless_count && i < LISTED; i++) {
        const struct sharc_sim_hopeless *h = &p->hopeless[i];
        char text[SHARC_TIME_TEXT];
        sharc__sim_grid_cell(&g, "%s", sharc__sim_duration(1 / h->rate, text));
        sharc__sim_grid_cell(&g, "%.0f %%", 100 * h->chance);
        sharc__sim_grid_cell(&g, "%.*s", SHARC_SPAN_ARG(sharc_span_sub(p->data->page[h->page].url, 0, 120)));
    }
    sharc__sim_grid_write(&g, format, out);
}

static void write_parts(const struct sharc_sim_plan *p, enum sharc_sim_format format, struct sharc_buf *out)
{
    if (p->part_count == 0) return;
    sharc_buf_put_str(out, "\nParts worth a capture of their own:\n");
    if (format == SHARC_SIM_MARKDOWN) sharc_buf_put_char(out, '\n');
    SHARC_AUTO(sharc__sim_grid_done) struct grid g = GRID_INIT;
    static const char *const names[] = {"pages", "more proved", "80 %", "duration", "part"};
    for (size_t c = 0; c < SHARC_LENGTH(names); c++) sharc__sim_grid_column(&g, names[c], c < 4);
    for (size_t i = 0; i < p->part_count && i < LISTED; i++) {
        const struct sharc_sim_part *part = &p->parts[i];
        char text[SHARC_TIME_TEXT];
        sharc__sim_grid_cell(&g, "%u", part->pages);
        sharc__sim_grid_promise(&g, &part->gained, 0);
        sharc__sim_grid_cell(&g, "%s", sharc__sim_duration(part->seconds, text));
        sharc__sim_grid_cell(&g, "%.*s", SHARC_SPAN_ARG(sharc_span_sub(part->prefix, 0, 120)));
    }
    sharc__sim_grid_write(&g, format, out);
}

static bool looks_again(const struct sharc_sim_plan *p)
{
    for (size_t i = 0; i < p->n; i++)
        if (p->results[i].strategy->revisits && p->results[i].second_looks.mean > 0) return true;
    return false;
}

static void write_people(const struct sharc_sim_plan *p, enum sharc_sim_format format, struct sharc_buf *out)
{
    char delay[SHARC_TIME_TEXT], at[SHARC_TIME_TEXT];
    const unsigned width = p->width ? p->width : 79;
    SHARC_AUTO(sharc_buf_done) struct sharc_buf words = SHARC_BUF_INIT(1u << 16);
    sharc_buf_printf(out, "%s: %s on %s, one download every %s\nrates: %s\n", p->data->name,
                     SHARC_COUNT(p->pages, "page"), sharc_time_iso(sharc_time_of_seconds(p->at), 0, at),
                     sharc__sim_duration(p->delay, delay), p->rates);
    write_strategies(p, false, format, out);
    write_strategies(p, true, format, out);
    write_hopeless(p, format, out);
    write_parts(p, format, out);
    if (looks_again(p)) {
        sharc_buf_put_char(out, '\n');
        put_wrapped(SHARC_SPAN(SHARC__SIM_UNBOUND_NOTE), width, out);
    }
    sharc__sim_plan_recommend(p, &words);
    sharc_buf_put_char(out, '\n');
    put_wrapped(sharc_buf_span(&words), width, out);
    write_commands(p, format, out);
}

/* --- for programs ------------------------------------------------------------------ */

static void json_results(const struct sharc_sim_plan *p, struct sharc_json *j)
{
    sharc_json_array(j, "results");
    for (size_t i = 0; i < p->n; i++) {
        const struct sharc_sim_result *r = &p->results[i];
        sharc_json_object(j, NULL);
        sharc_json_str(j, "strategy", r->strategy->name);
        sharc_json_real(j, "requests", r->requests.mean);
        sharc_json_real(j, "seconds", sharc__sim_plan_seconds(p, r));
        sharc_json_real(j, "expected_blur", r->expected_blur.mean);
        sharc_json_real(j, "expected_coherence", r->expected_coherence.mean);
        sharc_json_real(j, "bound", r->strategy->revisits ? p->bound : (double)NAN);
        if (r->strategy->revisits) sharc__sim_promise_json(&p->promises.of[i].lost, "lost", j);
        sharc__sim_promise_json(&p->promises.of[i].blur, "blur", j);
        if (!isnan(p->same_time[i].delay)) {
            sharc_json_object(j, "same_time");
            sharc_json_real(j, "delay", p->same_time[i].delay);
            sharc__sim_promise_json(&p->same_time[i].lost, "lost", j);
            sharc_json_end(j);
        }
        sharc_json_end(j);
    }
    sharc_json_end(j);
}

static void json_lists(const struct sharc_sim_plan *p, struct sharc_json *j)
{
    sharc_json_array(j, "hopeless");
    for (size_t i = 0; i < p->hopeless_count; i++) {
        sharc_json_object(j, NULL);
        sharc_json_span(j, "url", p->data->page[p->hopeless[i].page].url);
        sharc_json_real(j, "rate", p->hopeless[i].rate);
        sharc_json_real(j, "chance", p->hopeless[i].chance);
        sharc_json_end(j);
    }
    sharc_json_end(j);
    sharc_json_array(j, "parts");
    for (size_t i = 0; i < p->part_count; i++) {
        sharc_json_object(j, NULL);
        sharc_json_span(j, "prefix", p->parts[i].prefix);
        sharc_json_uint(j, "pages", p->parts[i].pages);
        sharc_json_real(j, "coherent_together", p->parts[i].together);
        sharc_json_real(j, "coherent_alone", p->parts[i].alone);
        sharc_json_real(j, "seconds", p->parts[i].seconds);
        sharc__sim_promise_json(&p->parts[i].gained, "gained", j);
        sharc_json_end(j);
    }
    sharc_json_end(j);
}

static void json_one_otherwise(const struct sharc_sim_otherwise *o, struct sharc_json *j)
{
    sharc_json_object(j, NULL);
    sharc_json_real(j, "delay", o->delay);
    sharc_json_real(j, "at", o->at);
    sharc_json_real(j, "seconds", o->seconds);
    sharc__sim_promise_json(&o->lost, "lost", j);
    sharc_json_end(j);
}

static void json_otherwise(const struct sharc_sim_plan *p, struct sharc_json *j)
{
    if (!p->judged) return;
    sharc_json_object(j, "otherwise");
    sharc_json_str(j, "strategy", p->judged->strategy->name);
    sharc_json_array(j, "captures");
    for (size_t i = 0; i < SHARC_SIM_PACES; i++) json_one_otherwise(&p->pace[i], j);
    if (!isnan(p->hour.delay)) json_one_otherwise(&p->hour, j);
    sharc_json_end(j);
    sharc_json_end(j);
}

static void write_json(const struct sharc_sim_plan *p, struct sharc_buf *out)
{
    SHARC_AUTO(sharc_buf_done) struct sharc_buf words = SHARC_BUF_INIT(1u << 16);
    sharc__sim_plan_recommend(p, &words);
    struct sharc_json j;
    sharc_json_init(&j, out, true);
    sharc_json_object(&j, NULL);
    sharc_json_str(&j, "site", p->data->name);
    sharc_json_uint(&j, "pages", p->pages);
    sharc_json_real(&j, "at", p->at);
    sharc_json_real(&j, "delay", p->delay);
    sharc_json_str(&j, "rates", p->rates);
    sharc__sim_promises_json(&p->promises, &j);
    json_results(p, &j);
    json_lists(p, &j);
    json_otherwise(p, &j);
    sharc_json_str(&j, "recommendation", sharc_buf_str(&words));
    if (p->commands[0] || p->commands[1]) {
        sharc_json_object(&j, "commands");
        if (p->commands[0]) sharc_json_str(&j, "exploration", p->commands[0]);
        if (p->commands[1]) sharc_json_str(&j, "evidence", p->commands[1]);
        sharc_json_end(&j);
    }
    sharc_json_end(&j);
    sharc_buf_put_char(out, '\n');
}

void sharc_sim_plan_write(const struct sharc_sim_plan *p, enum sharc_sim_format format, struct sharc_buf *out)
{
    if (format == SHARC_SIM_JSON)
        write_json(p, out);
    else if (format == SHARC_SIM_CSV)
        write_csv(p, out);
    else
        write_people(p, format, out);
}

/* SPDX-License-Identifier: Apache-2.0
 *
 * A plan in words: what to do, why, and what to expect.
 */
#include "sharc/sim_plan.h"

#include "grid.h"
#include "sim_int.h"

#include "sharc/base_clock.h"

#include <math.h>

#define LISTED 10 /* hopeless pages and parts shown to people */

static const char *duration(double seconds, char text[SHARC_TIME_TEXT])
{
    return sharc_duration_text(sharc_time_of_seconds(seconds), text);
}

const struct sharc_sim_result *sharc_sim_plan_best(const struct sharc_sim_plan *p, bool revisits)
{
    const struct sharc_sim_result *found = NULL;
    for (size_t i = 0; i < p->n; i++) {
        const struct sharc_sim_result *r = &p->results[i];
        if (r->strategy->revisits != revisits) continue;
        bool better = !found || (revisits ? r->expected_coherence.mean > found->expected_coherence.mean + 1e-9
                                          : r->expected_blur.mean < found->expected_blur.mean - 1e-12);
        if (better) found = r;
    }
    return found;
}

static const struct sharc_sim_result *named(const struct sharc_sim_plan *p, const char *name)
{
    for (size_t i = 0; i < p->n; i++)
        if (strcmp(p->results[i].strategy->name, name) == 0) return &p->results[i];
    return NULL;
}

static double seconds_of(const struct sharc_sim_plan *p, const struct sharc_sim_result *r)
{
    return p->delay * fmax(r->requests.mean - 1, 0);
}

/* --- recommendation ------------------------------------------------------------- */

static void advise_exploration(const struct sharc_sim_plan *p, struct sharc_buf *out)
{
    const struct sharc_sim_result *b = sharc_sim_plan_best(p, false), *plain = named(p, "bfs");
    char text[SHARC_TIME_TEXT];
    if (!b) return;
    sharc_buf_printf(out, "For exploration use %s: one visit per page, %s, expected blur %.3g changes per page",
                     b->strategy->name, duration(seconds_of(p, b), text), b->expected_blur.mean);
    if (plain && plain != b && plain->expected_blur.mean > 0) {
        double less = 100 * (1 - b->expected_blur.mean / plain->expected_blur.mean);
        if (less < 0.5)
            sharc_buf_put_str(out, "; breadth-first would do as well");
        else
            sharc_buf_printf(out, ", %.0f %% less than breadth-first", less);
    }
    sharc_buf_put_str(out, ". ");
}

/* By what is printed: a difference that rounding hides is none. */
static void compare_losses(const struct sharc_sim_plan *p, const struct sharc_sim_result *b,
                           const struct sharc_sim_result *plain, struct sharc_buf *out)
{
    double lost = round(10 * (p->pages - b->expected_coherence.mean)) / 10;
    double plainly = round(10 * (p->pages - plain->expected_coherence.mean)) / 10;
    if (plainly > lost)
        sharc_buf_printf(out, ", and breadth-first would lose %.1f pages instead of %.1f", plainly, fmax(lost, 0));
    else
        sharc_buf_put_str(out, ". Breadth-first would do as well: the order makes no difference here");
}

static void advise_evidence(const struct sharc_sim_plan *p, struct sharc_buf *out)
{
    const struct sharc_sim_result *b = sharc_sim_plan_best(p, true), *plain = named(p, "bfs-lifo");
    char text[SHARC_TIME_TEXT];
    if (!b) return;
    sharc_buf_printf(out, "For evidence use %s: every page twice, %s, about %.1f of %u pages provable (%.2f %%)",
                     b->strategy->name, duration(seconds_of(p, b), text), b->expected_coherence.mean, p->pages,
                     sharc__sim_percent(b->expected_coherence.mean, p->pages));
    if (b->expected_coherence.mean > p->bound)
        sharc_buf_put_str(out,
                          ", more than any order with one revisit can expect, because it looks at some pages again");
    else
        sharc_buf_printf(out, "; no order with one revisit can expect more than %.1f", ceil(10 * p->bound - 1e-6) / 10);
    if (plain && plain != b) compare_losses(p, b, plain, out);
    sharc_buf_put_str(out, ". ");
    if (b->strategy->offline && named(p, "sharc-focus"))
        sharc_buf_put_str(out,
                          "It needs the URLs beforehand, from an earlier capture or a sitemap; a first capture does "
                          "best with sharc-focus. ");
}

static void advise_parts(const struct sharc_sim_plan *p, struct sharc_buf *out)
{
    if (p->hopeless_count)
        sharc_buf_printf(
            out,
            "%zu page%s likely to change before %s can be checked: leave %s out of the evidence, or capture %s "
            "separately. ",
            p->hopeless_count, p->hopeless_count == 1 ? " is" : "s are", p->hopeless_count == 1 ? "it" : "they",
            p->hopeless_count == 1 ? "it" : "them", p->hopeless_count == 1 ? "it" : "them");
    if (p->part_count) {
        const struct sharc_sim_part *first = &p->parts[0];
        sharc_buf_printf(out, "Capturing %.*s separately would prove %.0f more of its %u pages. ",
                         SHARC_SPAN_ARG(sharc_span_sub(first->prefix, 0, 80)), first->alone - first->together,
                         first->pages);
    }
    if (!p->hopeless_count && !p->part_count)
        sharc_buf_put_str(out, "No page is hopeless at this delay and nothing is gained by splitting the site. ");
}

static void recommend(const struct sharc_sim_plan *p, struct sharc_buf *out)
{
    advise_exploration(p, out);
    advise_evidence(p, out);
    advise_parts(p, out);
    while (out->n && out->p[out->n - 1] == ' ') sharc_buf_truncate(out, out->n - 1);
}

/* --- for people ------------------------------------------------------------------- */

static void write_strategies(const struct sharc_sim_plan *p, enum sharc_sim_format format, struct sharc_buf *out)
{
    bool csv = format == SHARC_SIM_CSV;
    SHARC_AUTO(sharc__sim_grid_done) struct grid g = GRID_INIT;
    static const char *const plain[] = {"strategy",      "requests",           "seconds",
                                        "expected_blur", "expected_coherence", "bound"};
    static const char *const people[] = {"strategy", "requests", "duration", "blur/page", "coherent", "of bound"};
    for (size_t c = 0; c < SHARC_LENGTH(plain); c++) sharc__sim_grid_column(&g, csv ? plain[c] : people[c], c > 0);
    for (size_t i = 0; i < p->n; i++) {
        const struct sharc_sim_result *r = &p->results[i];
        double bound = r->strategy->revisits ? p->bound : (double)NAN;
        char text[SHARC_TIME_TEXT];
        sharc__sim_grid_cell(&g, "%s", r->strategy->name);
        if (csv) {
            sharc__sim_grid_number(&g, r->requests.mean);
            sharc__sim_grid_number(&g, seconds_of(p, r));
            sharc__sim_grid_number(&g, r->expected_blur.mean);
            sharc__sim_grid_number(&g, r->expected_coherence.mean);
            sharc__sim_grid_number(&g, bound);
            continue;
        }
        sharc__sim_grid_cell(&g, "%.0f", r->requests.mean);
        sharc__sim_grid_cell(&g, "%s", duration(seconds_of(p, r), text));
        sharc__sim_grid_cell(&g, "%.5f", r->expected_blur.mean);
        if (r->strategy->revisits) {
            sharc__sim_grid_cell(&g, "%.2f", r->expected_coherence.mean);
            sharc__sim_grid_cell(&g, "%.2f %%%s", sharc__sim_percent(r->expected_coherence.mean, bound),
                                 r->second_looks.mean > 0 ? SHARC__SIM_UNBOUND : "");
        } else {
            sharc__sim_grid_cell(&g, "-");
            sharc__sim_grid_cell(&g, "-");
        }
    }
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
        sharc__sim_grid_cell(&g, "%s", duration(1 / h->rate, text));
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
    static const char *const names[] = {"pages", "coherent together", "alone", "duration", "part"};
    for (size_t c = 0; c < SHARC_LENGTH(names); c++) sharc__sim_grid_column(&g, names[c], c < 4);
    for (size_t i = 0; i < p->part_count && i < LISTED; i++) {
        const struct sharc_sim_part *part = &p->parts[i];
        char text[SHARC_TIME_TEXT];
        sharc__sim_grid_cell(&g, "%u", part->pages);
        sharc__sim_grid_cell(&g, "%.1f", part->together);
        sharc__sim_grid_cell(&g, "%.1f", part->alone);
        sharc__sim_grid_cell(&g, "%s", duration(part->seconds, text));
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
    sharc_buf_printf(out, "%s: %s on %s, one download every %s\nrates: %s\n\n", p->data->name,
                     SHARC_COUNT(p->pages, "page"), sharc_time_iso(sharc_time_of_seconds(p->at), 0, at),
                     duration(p->delay, delay), p->rates);
    write_strategies(p, format, out);
    write_hopeless(p, format, out);
    write_parts(p, format, out);
    if (looks_again(p)) {
        sharc_buf_put_char(out, '\n');
        put_wrapped(SHARC_SPAN(SHARC__SIM_UNBOUND_NOTE), width, out);
    }
    recommend(p, &words);
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
        sharc_json_real(j, "seconds", seconds_of(p, r));
        sharc_json_real(j, "expected_blur", r->expected_blur.mean);
        sharc_json_real(j, "expected_coherence", r->expected_coherence.mean);
        sharc_json_real(j, "bound", r->strategy->revisits ? p->bound : (double)NAN);
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
        sharc_json_end(j);
    }
    sharc_json_end(j);
}

static void write_json(const struct sharc_sim_plan *p, struct sharc_buf *out)
{
    SHARC_AUTO(sharc_buf_done) struct sharc_buf words = SHARC_BUF_INIT(1u << 16);
    recommend(p, &words);
    struct sharc_json j;
    sharc_json_init(&j, out, true);
    sharc_json_object(&j, NULL);
    sharc_json_str(&j, "site", p->data->name);
    sharc_json_uint(&j, "pages", p->pages);
    sharc_json_real(&j, "at", p->at);
    sharc_json_real(&j, "delay", p->delay);
    sharc_json_str(&j, "rates", p->rates);
    json_results(p, &j);
    json_lists(p, &j);
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
        write_strategies(p, format, out);
    else
        write_people(p, format, out);
}

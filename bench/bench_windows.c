/* SPDX-License-Identifier: Apache-2.0
 *
 * What rates and second looks are worth over many windows of recorded sites:
 *
 *   bench_windows [--before DAYS] [--starts N] [--step DAYS] [--days D,D,…] [--captures NAME,NAME,…] DATASET…
 *
 * For each dataset and length, N captures (12) begin some days (30) apart; the last of them
 * ends DAYS days (0) before the recording does. Constants are chosen with --before 365,
 * and judged without. Every window gives one line of tab-separated figures, then each site
 * and length its sums: pages lost by each capture, and the requests made beyond a
 * plain pyramid's. Captures:
 *
 *   combined  all known, the planned order, rates of the whole past
 *   history   the same with plain counts
 *   first     nothing known, breadth-first, rates of neighbours, at most 10 % second looks
 *   online    the same, visits in the order of sharc-selective-online
 *   plain     nothing known, breadth-first, revisits backwards
 *   age       as first, with ages alone
 *   oldest    the same, but 5 % of the pages by age alone are looked at again
 *   second    all known, rates of the whole past, at most 10 % second looks
 */
#include "sharc/sim.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define DAY 86400.0

enum { CAPTURES = 8, LENGTHS = 8 };

static const struct capture {
    const char *name, *strategy;
    enum sharc_sim_rates rates;
    double known;
    bool breadth_first;
    double looks; /* share of the pages; 0: the strategy chooses */
} captures[CAPTURES] = {
    {"combined", "sharc-selective-offline", SHARC_SIM_COMBINED, 1, false, 0},
    {"history", "sharc-selective-offline", SHARC_SIM_HISTORY, 1, false, 0},
    {"first", "sharc-focus", SHARC_SIM_NEAR, 0, true, 0},
    {"online", "sharc-focus", SHARC_SIM_NEAR, 0, false, 0},
    {"plain", "bfs-lifo", SHARC_SIM_NEAR, 0, true, 0},
    {"age", "sharc-focus", SHARC_SIM_AGE, 0, true, 0},
    {"oldest", "sharc-focus", SHARC_SIM_AGE, 0, true, 0.05},
    {"second", "sharc-focus", SHARC_SIM_COMBINED, 1, false, 0},
};

struct settings {
    double before, step, days[LENGTHS];
    unsigned starts, lengths;
    bool wanted[CAPTURES];
};

struct sums {
    double windows, pages, changing, lost[CAPTURES], more[CAPTURES];
};

static void must(int r, const struct sharc_err *err)
{
    if (r >= 0) return;
    fprintf(stderr, "bench_windows: %s\n", err->text);
    exit(1);
}

static struct sharc_sim_result crawl(const struct sharc_sim_site *site, const struct capture *c)
{
    struct sharc_err err = SHARC_ERR_INIT;
    struct sharc_sim_options o = SHARC_SIM_OPTIONS;
    o.threads = 1;
    o.bound = false;
    o.known = c->known;
    o.params.focus_breadth_first = c->breadth_first;
    if (c->looks > 0) o.params.focus_pages = (uint32_t)(c->looks * sharc_sim_site_pages(site));
    const struct sharc_strategy_ops *ops = sharc_strategy_find(c->strategy);
    struct sharc_sim_result result;
    must(sharc_sim_run(site, &ops, 1, &o, &result, &err), &err);
    return result;
}

static void one_window(const struct sharc_dataset *d, const struct settings *s, double from, double to,
                       struct sums *sum)
{
    struct sharc_err err = SHARC_ERR_INIT;
    SHARC_AUTO(sharc_sim_site_freep) struct sharc_sim_site *site = NULL;
    const struct capture *made = NULL;
    sum->windows++;
    for (int i = 0; i < CAPTURES; i++) {
        const struct capture *c = &captures[i];
        if (!s->wanted[i]) continue;
        if (!made || made->rates != c->rates) {
            struct sharc_sim_window w = {.from = from, .to = to, .rates = c->rates};
            sharc_sim_site_free(site);
            site = NULL;
            must(sharc_sim_recorded_new(d, &w, &site, &err), &err);
        }
        if (!made) {
            printf("%s\t%.0f\t%.0f\t%u\t%u", d->name, (to - from) / DAY, (d->end - to) / DAY,
                   sharc_sim_site_pages(site), sharc_sim_site_changing(site));
            sum->pages += sharc_sim_site_pages(site);
            sum->changing += sharc_sim_site_changing(site);
        }
        made = c;
        const struct sharc_sim_result r = crawl(site, c);
        printf("\t%.0f", r.incoherence.mean);
        sum->lost[i] += r.incoherence.mean;
        sum->more[i] += r.second_looks.mean;
    }
    printf("\n");
    fflush(stdout);
}

static void header(const struct settings *s, const char *third)
{
    printf("site\tdays\t%s\tpages\tchanging", third);
    for (int i = 0; i < CAPTURES; i++)
        if (s->wanted[i]) printf("\t%s", captures[i].name);
    printf("\n");
}

static void sum_line(const struct settings *s, const char *name, double days, const struct sums *sum)
{
    printf("%s\t%.0f\t%.0f\t%.0f\t%.0f", name, days, sum->windows, sum->pages, sum->changing);
    for (int i = 0; i < CAPTURES; i++) {
        if (!s->wanted[i]) continue;
        printf("\t%.0f", sum->lost[i]);
        if (sum->more[i] > 0) printf(" (+%.1f %%)", 100 * sum->more[i] / (2 * sum->pages - sum->windows));
    }
    printf("\n");
}

static void add(struct sums *a, const struct sums *b)
{
    a->windows += b->windows;
    a->pages += b->pages;
    a->changing += b->changing;
    for (int i = 0; i < CAPTURES; i++) a->lost[i] += b->lost[i], a->more[i] += b->more[i];
}

/* Hardly a page of some sites lives as long as a window: then there is nothing to judge. */
static bool any_page(const struct sharc_dataset *d, double from, double to)
{
    size_t n = 0;
    for (size_t p = 0; p < d->pages; p++) n += d->page[p].created <= from && d->page[p].deleted > to;
    return n >= 100;
}

static void one_dataset(const char *dir, const struct settings *s, struct sums ret[LENGTHS])
{
    struct sharc_err err = SHARC_ERR_INIT;
    SHARC_AUTO(sharc_dataset_freep) struct sharc_dataset *d = NULL;
    must(sharc_dataset_open(dir, &d, &err), &err);
    for (unsigned k = 0; k < s->lengths; k++) {
        ret[k] = (struct sums){0};
        for (unsigned i = 0; i < s->starts; i++) {
            const double to = d->end - s->before * DAY - i * s->step * DAY, from = to - s->days[k] * DAY;
            if (from > d->start && any_page(d, from, to)) one_window(d, s, from, to, &ret[k]);
        }
    }
}

static void numbers(const char *text, struct settings *s)
{
    s->lengths = 0;
    for (char *end; *text && s->lengths < LENGTHS; text = *end == ',' ? end + 1 : end) {
        s->days[s->lengths++] = strtod(text, &end);
        if (end == text) exit(1);
    }
}

static void names(const char *text, struct settings *s)
{
    for (int i = 0; i < CAPTURES; i++) {
        const char *at = strstr(text, captures[i].name);
        s->wanted[i] = at != NULL;
    }
}

int main(int argc, char **argv)
{
    struct settings s = {
        .starts = 12, .step = 30, .days = {7, 30, 365}, .lengths = 3, .wanted = {true, true, true, true, true}};
    int i = 1;
    for (; i + 1 < argc && strncmp(argv[i], "--", 2) == 0; i += 2) {
        if (strcmp(argv[i], "--before") == 0) s.before = strtod(argv[i + 1], NULL);
        if (strcmp(argv[i], "--step") == 0) s.step = strtod(argv[i + 1], NULL);
        if (strcmp(argv[i], "--starts") == 0) s.starts = (unsigned)strtoul(argv[i + 1], NULL, 10);
        if (strcmp(argv[i], "--days") == 0) numbers(argv[i + 1], &s);
        if (strcmp(argv[i], "--captures") == 0) names(argv[i + 1], &s);
    }
    if (i >= argc) {
        fprintf(stderr,
                "usage: bench_windows [--before DAYS] [--starts N] [--days D,…] [--captures NAME,…] DATASET…\n");
        return 1;
    }
    SHARC_AUTO(sharc_freep) struct sums *sum = SHARC_NEW_ARRAY(struct sums, (size_t)(argc - i) * LENGTHS);
    struct sums all = {0};
    header(&s, "ends");
    for (int a = i; a < argc; a++) one_dataset(argv[a], &s, &sum[(a - i) * LENGTHS]);
    printf("\n");
    header(&s, "windows");
    for (int a = i; a < argc; a++) {
        const char *slash = strrchr(argv[a], '/');
        for (unsigned k = 0; k < s.lengths; k++) {
            const struct sums *here = &sum[(a - i) * LENGTHS + k];
            if (here->windows > 0) sum_line(&s, slash ? slash + 1 : argv[a], s.days[k], here);
            add(&all, here);
        }
    }
    sum_line(&s, "all", 0, &all);
    fprintf(stderr, "bench_windows: %.0f s of CPU\n", (double)clock() / CLOCKS_PER_SEC);
    return 0;
}

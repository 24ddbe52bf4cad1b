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
 *   told      as first, and a sitemap says at every choice what has changed: all that second looks
 *             could learn about the past
 *   hindsight as told, and how often each page changes in the window is known beforehand
 *   guided    as second, with that sitemap
 *   counted   all known, the planned order, and how often each page changes in the window
 *   least     no capture but a bound: what any order of visits and reverse revisits loses that knows
 *             when each page will change
 *   foreseen  no capture but a bound for first: visits are made as there, but who plans second looks, as many, and
 *             revisits knows when each page will change
 */
#include "sharc/sim.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define DAY 86400.0

enum { CAPTURES = 14, LENGTHS = 8, BUDGETS = 20 };

static const struct capture {
    const char *name, *strategy;
    enum sharc_sim_rates rates;
    double known;
    bool breadth_first;
    double looks; /* share of the pages; 0: the strategy chooses */
    bool signals;
} captures[CAPTURES] = {
    {"combined", "sharc-selective-offline", SHARC_SIM_COMBINED, 1, false, 0, false},
    {"history", "sharc-selective-offline", SHARC_SIM_HISTORY, 1, false, 0, false},
    {"first", "sharc-focus", SHARC_SIM_NEAR, 0, true, 0, false},
    {"online", "sharc-focus", SHARC_SIM_NEAR, 0, false, 0, false},
    {"plain", "bfs-lifo", SHARC_SIM_NEAR, 0, true, 0, false},
    {"age", "sharc-focus", SHARC_SIM_AGE, 0, true, 0, false},
    {"oldest", "sharc-focus", SHARC_SIM_AGE, 0, true, 0.05, false},
    {"second", "sharc-focus", SHARC_SIM_COMBINED, 1, false, 0, false},
    {"told", "sharc-focus", SHARC_SIM_NEAR, 0, true, 0, true},
    {"hindsight", "sharc-focus", SHARC_SIM_COUNTED, 0, true, 0, true},
    {"counted", "sharc-selective-offline", SHARC_SIM_COUNTED, 1, false, 0, false},
    {"least", NULL, SHARC_SIM_COUNTED, 1, false, 0, false},
    {"guided", "sharc-focus", SHARC_SIM_COMBINED, 1, false, 0, true},
    {"foreseen", NULL, SHARC_SIM_COUNTED, 0, true, 0, false},
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
    if (c->signals) o.signals = (struct sharc_sim_signals){.on = true, .recall = 1, .precision = 1};
    const struct sharc_strategy_ops *ops = sharc_strategy_find(c->strategy);
    struct sharc_sim_result result;
    must(sharc_sim_run(site, &ops, 1, &o, &result, &err), &err);
    return result;
}

static int ascending(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* Intervals have lengths 0, 2, 4, … around the middle, and a page stands every interval up to its
 * change next to the middle. Pages in the order of that length, each given the shortest
 * interval left if it stands it: nobody can keep more. */
static double least_lost(const struct sharc_dataset *d, double from, double to)
{
    SHARC_AUTO(sharc_freep) double *far = SHARC_NEW_ARRAY(double, d->pages);
    const double middle = (from + to) / 2;
    size_t n = 0, kept = 0;
    for (size_t p = 0; p < d->pages; p++) {
        const double *h;
        if (d->page[p].created > from || d->page[p].deleted <= to) continue;
        const size_t changes = sharc_dataset_between(d, (sharc_page_no)p, from, to, &h);
        far[n] = HUGE_VAL;
        for (size_t k = 0; k < changes; k++) far[n] = fmin(far[n], fabs(h[k] - middle));
        n++;
    }
    qsort(far, n, sizeof *far, ascending);
    for (size_t i = 0; i < n; i++) kept += far[i] >= (double)kept * (to - from) / (2.0 * (double)n - 1);
    return (double)(n - kept);
}

/* The first change of a page after an instant, within the window; HUGE_VAL: none. */
static double next_change(const struct sharc_dataset *d, sharc_page_no page, double after, double to)
{
    const double *h;
    return sharc_dataset_between(d, page, after, to, &h) > 0 ? h[0] : HUGE_VAL;
}

/* Revisits are jobs of one slot, each with the page's next change for its deadline: in the order of deadlines
 * most of them are in time. A second look can save one page more, at best. */
static double lost_with_looks(const struct sharc_dataset *d, const struct sharc_sim_site *site,
                              const struct sharc_sim_trace *t, double from, double to, uint32_t looks)
{
    const double slot = (to - from) / (2.0 * t->pages - 2 + looks);
    SHARC_AUTO(sharc_freep) double *deadline = SHARC_NEW_ARRAY(double, t->pages);
    size_t kept = 0;
    for (uint32_t p = 0; p < t->pages; p++)
        deadline[p] = next_change(d, sharc_sim_site_origin(site, p), from + slot * t->visit[p], to);
    qsort(deadline, t->pages, sizeof *deadline, ascending);
    for (uint32_t p = 0; p < t->pages; p++)
        kept += deadline[p] > from + slot * ((double)t->pages + looks + (double)kept);
    return fmax((double)t->pages - (double)kept - 1 - looks, 0); /* the apex is its own revisit */
}

static double foreseen_lost(const struct sharc_dataset *d, const struct sharc_sim_site *site, double from, double to)
{
    struct sharc_err err = SHARC_ERR_INIT;
    struct sharc_sim_options o = SHARC_SIM_OPTIONS;
    SHARC_AUTO(sharc_sim_trace_done) struct sharc_sim_trace t = {0};
    double least = HUGE_VAL;
    must(sharc_sim_trace_run(site, sharc_strategy_find("bfs-lifo"), &o, &t, &err), &err);
    const double most = floor(o.params.focus_share * (2.0 * t.pages - 1));
    for (int i = 0; i <= BUDGETS && least > 0; i++)
        least = fmin(least, lost_with_looks(d, site, &t, from, to, (uint32_t)(most * (BUDGETS - i) / BUDGETS)));
    return least;
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
        struct sharc_sim_result r = {0};
        if (c->strategy)
            r = crawl(site, c);
        else
            r.incoherence.mean = c->known > 0 ? least_lost(d, from, to) : foreseen_lost(d, site, from, to);
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

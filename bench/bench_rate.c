/* SPDX-License-Identifier: Apache-2.0
 *
 * How well change rates are predicted from features, by cross-validation on
 * recorded histories, and how long learning takes.
 *
 *   bench_rate DATASET DAYS [--export FILE]    accuracy table of one dataset
 *   bench_rate --speed PAGES                   CPU seconds of training
 *
 * The examples are the pages that live through the last DAYS days of the
 * dataset (0: every page, over its own life, and a page's age counts from its
 * birth); the rate is that of the changes in this window; features are as known
 * when the window begins, except the counts taken from a page's last version.
 * --export writes fold, bin and features as TSV for the judge, rate_sklearn.py.
 */
#include "sharc/base_buf.h"
#include "sharc/base_clock.h"
#include "sharc/base_file.h"
#include "sharc/base_rng.h"
#include "sharc/rate_forecast.h"
#include "sharc/rate_model.h"
#include "sharc/rate_weight.h"

#include <stdio.h>
#include <stdlib.h>

#define DAY 86400.0
#define FOLDS 10
#define SEED 1

struct page {
    struct sharc_span url, mime;
    double created, deleted, images, tables, outlinks;
    double changes;     /* in the window */
    double last_change; /* before the window */
};

struct dataset {
    struct sharc_buf pages_text;
    struct page *page; /* by id - 1 */
    size_t n, room;
    uint32_t *inlinks;
    double end, from;
};

static void must(int r, const struct sharc_err *err)
{
    if (r >= 0) return;
    fprintf(stderr, "bench_rate: %s\n", err->text);
    exit(1);
}

static void read_table(const char *dir, const char *name, struct sharc_buf *ret)
{
    struct sharc_err err = SHARC_ERR_INIT;
    SHARC_AUTO(sharc_freep) char *path = sharc_path_join(dir, name);
    sharc_buf_init(ret, 1u << 30);
    must(sharc_file_read_any(path, ret, &err), &err);
}

static double number(struct sharc_span s, double otherwise)
{
    double v;
    return sharc_span_to_double(s, &v) < 0 ? otherwise : v;
}

static size_t fields(struct sharc_span line, struct sharc_span *ret, size_t max)
{
    size_t n = 0;
    while (n < max && sharc_span_next(&line, '\t', &ret[n])) n++;
    return n;
}

static void read_pages(const char *dir, struct dataset *d)
{
    read_table(dir, "pages.tsv.gz", &d->pages_text);
    struct sharc_span rest = sharc_buf_span(&d->pages_text), line, f[12];
    sharc_span_next(&rest, '\n', &line);
    while (sharc_span_next(&rest, '\n', &line)) {
        if (fields(line, f, 12) < 12) continue;
        SHARC_GROW(d->page, d->room, d->n + 1);
        d->page[d->n++] = (struct page){
            .url = f[1],
            .mime = f[2],
            .created = number(f[3], 0),
            .deleted = number(f[4], HUGE_VAL),
            .images = number(f[8], SHARC_RATE_UNKNOWN),
            .tables = number(f[9], SHARC_RATE_UNKNOWN),
            .outlinks = number(f[10], SHARC_RATE_UNKNOWN),
        };
    }
}

static void read_changes(const char *dir, struct dataset *d, double days)
{
    SHARC_AUTO(sharc_buf_done) struct sharc_buf text;
    read_table(dir, "changes.tsv.gz", &text);
    struct sharc_span line, f[2];
    for (int pass = 0; pass < 2; pass++) { /* the end of time first, then what lies before it */
        struct sharc_span rest = sharc_buf_span(&text);
        sharc_span_next(&rest, '\n', &line);
        while (sharc_span_next(&rest, '\n', &line)) {
            if (fields(line, f, 2) < 2) continue;
            size_t id = (size_t)number(f[0], 0);
            double when = number(f[1], 0);
            if (id < 1 || id > d->n) continue;
            struct page *p = &d->page[id - 1];
            if (pass == 0)
                d->end = fmax(d->end, when);
            else if (when > d->from)
                p->changes += 1;
            else
                p->last_change = fmax(p->last_change, when);
        }
        d->from = days > 0 ? d->end - days * DAY : -HUGE_VAL;
    }
}

static void read_links(const char *dir, struct dataset *d)
{
    SHARC_AUTO(sharc_buf_done) struct sharc_buf text;
    read_table(dir, "links.tsv.gz", &text);
    d->inlinks = SHARC_NEW_ARRAY(uint32_t, d->n);
    struct sharc_span rest = sharc_buf_span(&text), line, f[3];
    sharc_span_next(&rest, '\n', &line);
    while (sharc_span_next(&rest, '\n', &line)) {
        if (fields(line, f, 3) < 3) continue;
        size_t to = (size_t)number(f[1], 0);
        if (to >= 1 && to <= d->n && sharc_span_is(f[2], "link")) d->inlinks[to - 1]++;
    }
}

static void facts_of(const struct dataset *d, size_t i, struct sharc_rate_value *v)
{
    const struct page *p = &d->page[i];
    double last = fmax(p->created, p->last_change);
    struct sharc_rate_facts f = {
        .url = p->url,
        .mime = p->mime,
        .days_since_change = isinf(d->from) ? (d->end - p->created) / DAY : (d->from - last) / DAY,
        .images = p->images,
        .tables = p->tables,
        .outlinks = p->outlinks,
        .inlinks = d->inlinks[i],
    };
    sharc_rate_features(&f, v);
}

static struct sharc_rate_table *examples(const struct dataset *d, size_t columns)
{
    struct sharc_rate_table *t = sharc_rate_table_new(sharc_rate_columns, columns);
    struct sharc_rate_value v[SHARC_RATE_OFFLINE];
    for (size_t i = 0; i < d->n; i++) {
        const struct page *p = &d->page[i];
        bool whole = isinf(d->from);
        if (!whole && (p->created > d->from || p->deleted < d->end)) continue;
        facts_of(d, i, v);
        sharc_rate_table_add(t, v, p->changes, whole ? fmin(p->deleted, d->end) - p->created : d->end - d->from);
    }
    return t;
}

static void export(const struct dataset *d, const struct sharc_rate_table *t, const char *path)
{
    FILE *out = fopen(path, "w");
    if (!out) {
        perror(path);
        exit(1);
    }
    const size_t rows = sharc_rate_table_rows(t);
    SHARC_AUTO(sharc_freep) unsigned *fold = SHARC_NEW_ARRAY(unsigned, rows);
    SHARC_AUTO(sharc_freep) double *rates = SHARC_NEW_ARRAY(double, rows);
    struct sharc_rate_bins bins;
    for (size_t i = 0; i < rows; i++) rates[i] = sharc_rate_table_rate(t, i);
    sharc_rate_bins_make(rates, rows, 10, &bins);
    sharc_rate_folds(rows, FOLDS, SEED, fold);
    fputs("fold\tbin", out);
    for (size_t c = 0; c < SHARC_RATE_OFFLINE; c++)
        fprintf(out, "\t%s:%s", sharc_rate_columns[c].kind == SHARC_RATE_WORD ? "w" : "n", sharc_rate_columns[c].name);
    fputc('\n', out);
    struct sharc_rate_value v[SHARC_RATE_OFFLINE];
    for (size_t i = 0, row = 0; i < d->n; i++) {
        const struct page *p = &d->page[i];
        if (!isinf(d->from) && (p->created > d->from || p->deleted < d->end)) continue;
        facts_of(d, i, v);
        fprintf(out, "%u\t%u", fold[row], sharc_rate_bins_find(&bins, rates[row]));
        for (size_t c = 0; c < SHARC_RATE_OFFLINE; c++) {
            if (sharc_rate_columns[c].kind == SHARC_RATE_WORD)
                fprintf(out, "\t%.*s", SHARC_SPAN_ARG(v[c].word));
            else
                fprintf(out, "\t%.17g", v[c].number);
        }
        fputc('\n', out);
        row++;
    }
    fclose(out);
}

static void evaluate(const char *dir, double days, const char *to, unsigned grid)
{
    static const char *const learners[] = {"naive-bayes", "c4.5", "c4.5-textbook"};
    struct dataset d = {.n = 0};
    struct sharc_err err = SHARC_ERR_INIT;
    read_pages(dir, &d);
    read_changes(dir, &d, days);
    read_links(dir, &d);
    const char *name = strrchr(dir, '/') ? strrchr(dir, '/') + 1 : dir;
    for (int offline = 0; offline < 2; offline++) {
        SHARC_AUTO(sharc_rate_table_freep)
        struct sharc_rate_table *t = examples(&d, offline ? SHARC_RATE_OFFLINE : SHARC_RATE_ONLINE);
        if (offline && to) export(&d, t, to);
        for (int l = 0; l < 3; l++) {
            struct sharc_rate_options o = SHARC_RATE_OPTIONS;
            struct sharc_rate_report r;
            o.learner = l ? SHARC_RATE_C45 : SHARC_RATE_NAIVE_BAYES;
            o.textbook = l == 2;
            o.grid = grid;
            double cpu = sharc_clock_cpu();
            must(sharc_rate_evaluate(t, &o, FOLDS, SEED, &r, NULL, &err), &err);
            printf("%s\t%g\t%zu\t%u\t%s\t%s\t%.1f\t%.1f\t%.2f\t%.3f\t%.3f\t%.2f\n", name, days, r.rows, r.bins,
                   offline ? "offline" : "online", learners[l], 100 * r.accuracy, 100 * r.majority, r.distance,
                   r.log_likelihood, r.log_likelihood_without, sharc_clock_cpu() - cpu);
        }
    }
    sharc_buf_done(&d.pages_text);
    free(d.page);
    free(d.inlinks);
}

/* Pages of a made-up site: some sections are hot, others are not, and many
 * words occur only once. */
static void speed(size_t pages)
{
    struct sharc_rng rng;
    sharc_rng_init(&rng, SEED);
    SHARC_AUTO(sharc_rate_table_freep)
    struct sharc_rate_table *t = sharc_rate_table_new(sharc_rate_columns, SHARC_RATE_OFFLINE);
    for (size_t i = 0; i < pages; i++) {
        unsigned section = (unsigned)sharc_rng_zipf(&rng, 50, 1), part = (unsigned)sharc_rng_zipf(&rng, 500, 1);
        SHARC_AUTO(sharc_freep)
        char *url = sharc_asprintf("https://www.example.org/s%u/p%u/page-%zu%s", section, part, i,
                                   sharc_rng_below(&rng, 3) ? ".html" : "?v=1");
        double age = sharc_rng_exponential(&rng, 0.01), hot = exp2(-(double)(section % 7)) / (1 + age / 100);
        struct sharc_rate_facts f = {.url = sharc_span_of(url),
                                     .mime = SHARC_SPAN("text/html"),
                                     .days_since_change = age,
                                     .images = (double)sharc_rng_poisson(&rng, 5),
                                     .tables = (double)sharc_rng_poisson(&rng, 1),
                                     .outlinks = (double)sharc_rng_poisson(&rng, 40),
                                     .inlinks = (double)sharc_rng_zipf(&rng, 1000, 1)};
        struct sharc_rate_value v[SHARC_RATE_OFFLINE];
        sharc_rate_features(&f, v);
        sharc_rate_table_add(t, v, (double)sharc_rng_poisson(&rng, 20 * hot), 365 * DAY);
    }
    static const char *const learners[] = {"naive-bayes", "c4.5", "xgboost"};
    for (int l = 0; l < (sharc_rate_has_xgboost() ? 3 : 2); l++) {
        struct sharc_rate_options o = SHARC_RATE_OPTIONS;
        struct sharc_err err = SHARC_ERR_INIT;
        o.learner = (enum sharc_rate_learner)l;
        SHARC_AUTO(sharc_rate_model_freep) struct sharc_rate_model *m = NULL;
        double cpu = sharc_clock_cpu();
        must(sharc_rate_train(t, &o, &m, &err), &err);
        printf("%s\t%zu pages\t%.2f s\t%zu parts\n", learners[l], pages, sharc_clock_cpu() - cpu,
               sharc_rate_model_size(m));
    }
}

/* A forecast for a site of so many pages, ten changes each. */
static void forecast_speed(size_t pages)
{
    struct sharc_rng rng;
    sharc_rng_init(&rng, SEED);
    enum { CHANGES = 10 };
    SHARC_AUTO(sharc_freep) struct sharc_rate_record *record = SHARC_NEW_ARRAY(struct sharc_rate_record, pages);
    SHARC_AUTO(sharc_freep) double *when = SHARC_NEW_ARRAY(double, pages *CHANGES);
    SHARC_AUTO(sharc_freep) double *rate = SHARC_NEW_ARRAY(double, pages);
    SHARC_AUTO(sharc_freep) char *urls = sharc_malloc(pages * 40);
    for (size_t i = 0; i < pages; i++) {
        double t = 0;
        for (int k = 0; k < CHANGES; k++)
            when[i * CHANGES + k] = t += sharc_rng_exponential(&rng, CHANGES / (1500 * DAY));
        snprintf(urls + i * 40, 40, "/s%u/p%u/%zu.html", (unsigned)sharc_rng_zipf(&rng, 50, 1),
                 (unsigned)sharc_rng_zipf(&rng, 500, 1), i);
        record[i] = (struct sharc_rate_record){.url = sharc_span_of(urls + i * 40),
                                               .deleted = HUGE_VAL,
                                               .changes = when + i * CHANGES,
                                               .n = CHANGES};
    }
    const struct sharc_rate_forecast_options o = {.now = 1500 * DAY, .window = 30 * DAY};
    struct sharc_rate_forecast_report report;
    double cpu = sharc_clock_cpu();
    sharc_rate_forecast(record, pages, &o, rate, NULL, &report);
    printf("forecast\t%zu pages\t%.2f s\t%zu examples of %u windows\n", pages, sharc_clock_cpu() - cpu, report.examples,
           report.windows);
}

int main(int argc, char **argv)
{
    if (argc >= 3 && strcmp(argv[1], "--speed") == 0) {
        speed(strtoul(argv[2], NULL, 10));
        forecast_speed(strtoul(argv[2], NULL, 10));
    } else if (argc >= 3) {
        const char *to = argc >= 5 && strcmp(argv[3], "--export") == 0 ? argv[4] : NULL;
        unsigned grid = argc >= 5 && strcmp(argv[3], "--grid") == 0 ? (unsigned)strtoul(argv[4], NULL, 10) : 0;
        evaluate(argv[1], strtod(argv[2], NULL), to, grid);
    } else {
        fputs("usage: bench_rate DATASET DAYS [--export FILE | --grid N] | bench_rate --speed PAGES\n", stderr);
        return 2;
    }
    return 0;
}

/* SPDX-License-Identifier: Apache-2.0
 *
 * sharc lab run: strategies compared by the real crawler on a living site. Each
 * crawl has a site of its own, made from the same seed, that begins to live when
 * the crawl begins.
 */
#include "lab.h"

#include "sharc/base_file.h"
#include "sharc/crawl.h"
#include "sharc/sim.h"
#include "sharc/store_query.h"
#include "sharc/url.h"

#include <ftw.h>
#include <math.h>
#include <signal.h>
#include <stdlib.h>
#include <unistd.h>

/* Sums over the runs of one strategy. */
struct row {
    const struct sharc_strategy_ops *strategy;
    unsigned runs;
    double pages, requests, seconds, blur, incoherent, said;
    size_t false_unchanged, false_changed, uncertain, wrong_bodies;
};

static struct sharc_crawl *running;

static void on_signal(int number)
{
    (void)number;
    if (running) sharc_crawl_stop(running);
}

/* --- one crawl -------------------------------------------------------------------------- */

struct bench {
    char *dir, *archive, *truth;
    struct sharc_lab *lab;
    struct sharc_store *store;
    struct sharc_fetcher *fetcher;
    struct sharc_crawl *crawl;
};

static void bench_done(struct bench *b)
{
    running = NULL;
    sharc_crawl_free(b->crawl);
    sharc_fetcher_free(b->fetcher);
    sharc_store_free(b->store);
    sharc_lab_stop(b->lab);
    free(b->dir);
    free(b->archive);
    free(b->truth);
}

static int bench_open(struct bench *b, const struct lab_settings *s, const struct sharc_strategy_ops *strategy,
                      unsigned run, const char *home, struct sharc_err *err)
{
    b->dir = sharc_asprintf("%s/%s-%u", home, strategy->name, run + 1);
    b->archive = sharc_path_join(b->dir, "archive");
    b->truth = sharc_path_join(b->dir, "truth.jsonl");
    SHARC_AUTO(sharc_freep) char *catalogue = sharc_path_join(b->archive, "catalogue.db");
    struct sharc_lab_options lo = s->o;
    lo.seed += run;
    lo.truth = b->truth;
    struct sharc_fetcher_settings fs = {.clock = lo.clock, .allow_private = true};
    struct sharc_crawl_options co = SHARC_CRAWL_OPTIONS;
    co.archive = b->archive;
    co.strategy = strategy;
    co.pace.delay = s->delay;
    co.allow_private = true;
    co.fresh = true;
    int r = sharc_dir_make(b->archive, err);
    if (r == 0) r = sharc_store_open(catalogue, NULL, &b->store, err);
    if (r == 0) r = sharc_fetcher_new(&fs, &b->fetcher, err);
    struct sharc_crawl_world world = {.clock = lo.clock, .fetcher = b->fetcher, .store = b->store};
    if (r == 0) r = sharc_crawl_new(&co, &world, &b->crawl, err);
    if (r == 0) r = sharc_lab_start(&lo, &b->lab, err); /* last: it begins to live now */
    if (r == 0) r = sharc_crawl_seed(b->crawl, sharc_span_of(sharc_lab_url(b->lab)), err);
    return r;
}

/* --- its worth ---------------------------------------------------------------------------- */

struct looks {
    struct sharc_lab_seen *seen;
    size_t count, room;
};

static void looks_done(struct looks *l)
{
    for (size_t i = 0; i < l->count; i++) free((char *)l->seen[i].path.p);
    free(l->seen);
}

static sharc_time middle_of(const struct sharc_store_look *l)
{
    return l->when == SHARC_TIME_NONE ? SHARC_TIME_NONE : l->when + (l->took > 0 ? l->took / 2 : 0);
}

/* robots.txt and sitemap are read for their content, and once. */
static bool is_service(struct sharc_span target)
{
    return sharc_span_is(target, "/robots.txt") || sharc_span_is(target, "/sitemap.xml");
}

/* A page that was looked at twice before its revisit counts from the second look;
 * one that has none (the last one visited needs none) is its own. */
static int read_looks(struct sharc_store *s, sharc_store_id capture, bool revisits, struct looks *ret,
                      struct sharc_err *err)
{
    SHARC_AUTO(sharc_store_rows_freep) struct sharc_store_rows *rows = NULL;
    SHARC_AUTO(sharc_url_done) struct sharc_url u = SHARC_URL_INIT;
    struct sharc_store_page_filter f = {.capture = capture, .answered = true, .looks = true};
    int r = sharc_store_pages(s, &f, &rows, err);
    while (r >= 0 && (r = sharc_store_rows_next(rows, err)) > 0) {
        struct sharc_store_page p = SHARC_STORE_PAGE_INIT;
        sharc_store_read_page(rows, &p);
        if (sharc_url_parse(&u, p.url, NULL, NULL) < 0) continue;
        struct sharc_span target = sharc_url_target(&u);
        if (is_service(target)) continue;
        struct sharc_lab_seen seen = {.visit = middle_of(p.second.when != SHARC_TIME_NONE ? &p.second : &p.visit),
                                      .revisit = middle_of(&p.revisit)};
        if (revisits && seen.revisit == SHARC_TIME_NONE) seen.revisit = seen.visit;
        seen.path = sharc_span(sharc_span_dup(target), target.n);
        SHARC_GROW(ret->seen, ret->room, ret->count + 1);
        ret->seen[ret->count++] = seen;
    }
    return r < 0 ? r : 0;
}

static int weigh(struct bench *b, struct row *row, struct sharc_err *err)
{
    struct sharc_crawl_summary sum;
    sharc_crawl_site(b->crawl, 0, &sum);
    SHARC_AUTO(sharc_lab_truth_freep) struct sharc_lab_truth *t = NULL;
    SHARC_AUTO(cli__lab_verdict_done) struct lab_verdict v = {0};
    SHARC_AUTO(looks_done) struct looks l = {0};
    int r = sharc_lab_tick(b->lab, err); /* the log to its end */
    if (r == 0) r = sharc_lab_truth_open(b->truth, &t, err);
    if (r == 0) r = cli__lab_verdict(b->store, sum.capture, t, &v, err);
    if (r == 0) r = read_looks(b->store, sum.capture, row->strategy->revisits, &l, err);
    if (r < 0) return r;
    struct sharc_lab_score score = sharc_lab_score(t, l.seen, l.count, sum.start, sum.end);
    row->runs++;
    row->pages += (double)score.pages;
    row->requests += (double)sum.downloads;
    row->seconds += (double)(sum.end - sum.start) / (double)SHARC_SEC;
    row->blur += score.average_blur;
    row->incoherent += (double)score.incoherent;
    row->said += (double)(sum.judged - sum.coherent);
    row->false_unchanged += v.findings[SHARC_LAB_FALSE_UNCHANGED];
    row->false_changed += v.findings[SHARC_LAB_FALSE_CHANGED];
    row->uncertain += v.findings[SHARC_LAB_UNCERTAIN];
    row->wrong_bodies += v.bodies_late + v.bodies_wrong;
    return 0;
}

static int one_crawl(const struct lab_settings *s, unsigned run, const char *home, struct row *row,
                     struct sharc_err *err)
{
    SHARC_AUTO(bench_done) struct bench b = {0};
    int r = bench_open(&b, s, row->strategy, run, home, err);
    if (r < 0) return r;
    running = b.crawl;
    r = sharc_crawl_run(b.crawl, err);
    running = NULL;
    return r < 0 ? r : weigh(&b, row, err);
}

/* --- output -------------------------------------------------------------------------------- */

static void write_text(struct cli *c, const struct lab_settings *s, const struct row *rows, size_t n)
{
    static const char *const titles[] = {"strategy",  "pages",      "requests",        "time",
                                         "blur/page", "incoherent", "said incoherent", "wrong"};
    SHARC_AUTO(cli_table_freep) struct cli_table *t = cli_table_new(SHARC_LENGTH(titles), titles, "lrrrrrrr");
    char text[SHARC_TIME_TEXT];
    if (s->o.dataset)
        fprintf(c->out, "%s, %g times as fast", s->o.dataset->name, s->o.speed);
    else
        fprintf(c->out, "A living site of %s, seed %llu", SHARC_COUNT(s->o.pages, "page"),
                (unsigned long long)s->o.seed);
    fprintf(c->out, ", one request every %s, %s\n\n", sharc_duration_text(s->delay, text), SHARC_COUNT(s->runs, "run"));
    for (size_t i = 0; i < n; i++) {
        const struct row *r = &rows[i];
        double k = r->runs ? r->runs : 1;
        cli_table_cell(t, "%s", r->strategy->name);
        cli_table_cell(t, "%.0f", r->pages / k);
        cli_table_cell(t, "%.0f", r->requests / k);
        cli_table_cell(t, "%s", sharc_duration_text((sharc_time)(r->seconds / k * (double)SHARC_SEC), text));
        cli_table_cell(t, "%.4f", r->blur / k);
        cli_table_cell(t, "%.1f", r->incoherent / k);
        cli_table_cell(t, "%.1f", r->said / k);
        cli_table_cell(t, "%zu", r->false_changed + r->false_unchanged + r->wrong_bodies);
    }
    cli_table_print(t, c->out);
}

static void write_json(struct cli *c, const struct lab_settings *s, const struct row *rows, size_t n)
{
    SHARC_AUTO(sharc_buf_done) struct sharc_buf out = SHARC_BUF_INIT(4u << 20);
    struct sharc_json j;
    sharc_json_init(&j, &out, true);
    sharc_json_object(&j, NULL);
    if (s->o.dataset)
        sharc_json_str(&j, "dataset", s->o.dataset->name);
    else
        sharc_json_uint(&j, "pages", s->o.pages);
    sharc_json_uint(&j, "seed", s->o.seed);
    sharc_json_uint(&j, "runs", s->runs);
    sharc_json_real(&j, "delay", (double)s->delay / (double)SHARC_SEC);
    sharc_json_array(&j, "results");
    for (size_t i = 0; i < n; i++) {
        const struct row *r = &rows[i];
        double k = r->runs ? r->runs : 1;
        sharc_json_object(&j, NULL);
        sharc_json_str(&j, "strategy", r->strategy->name);
        sharc_json_real(&j, "captured", r->pages / k);
        sharc_json_real(&j, "requests", r->requests / k);
        sharc_json_real(&j, "seconds", r->seconds / k);
        sharc_json_real(&j, "average_blur", r->blur / k);
        sharc_json_real(&j, "incoherence", r->incoherent / k);
        sharc_json_real(&j, "said_incoherent", r->said / k);
        sharc_json_uint(&j, "false_unchanged", r->false_unchanged);
        sharc_json_uint(&j, "false_changed", r->false_changed);
        sharc_json_uint(&j, "uncertain", r->uncertain);
        sharc_json_uint(&j, "wrong_bodies", r->wrong_bodies);
        sharc_json_end(&j);
    }
    sharc_json_end(&j);
    sharc_json_end(&j);
    fprintf(c->out, "%s\n", sharc_buf_str(&out));
}

/* --- the command ----------------------------------------------------------------------------- */

static int remove_entry(const char *path, const struct stat *st, int kind, struct FTW *at)
{
    (void)st, (void)kind, (void)at;
    return remove(path);
}

/* Where archives go: the directory named, or one that goes away with us. */
static char *home_of(const struct lab_settings *s, struct sharc_err *err)
{
    if (s->keep) return sharc_dir_make(s->keep, err) < 0 ? NULL : sharc_strdup(s->keep);
    const char *tmp = getenv("TMPDIR");
    char *home = sharc_asprintf("%s/sharc-lab.XXXXXX", tmp && *tmp ? tmp : "/tmp");
    if (mkdtemp(home)) return home;
    sharc_fail(err, SHARC_EIO, "cannot make a directory like %s", home);
    free(home);
    return NULL;
}

static int run_all(struct cli *c, const struct lab_settings *s, struct row *rows, size_t n, const char *home,
                   struct sharc_err *err)
{
    SHARC_AUTO(sharc_progress_freep)
    struct sharc_progress *p = cli_progress(c, "lab", "crawls", (uint64_t)n * s->runs);
    int r = 0;
    for (size_t i = 0; i < n && r == 0; i++) {
        for (unsigned k = 0; k < s->runs && r == 0; k++) {
            sharc_progress_note(p, rows[i].strategy->name);
            r = one_crawl(s, k, home, &rows[i], err);
            sharc_progress_add(p, 1, s->o.clock->now(s->o.clock));
        }
    }
    sharc_progress_finish(p, s->o.clock->now(s->o.clock));
    return r;
}

int cli__lab_run(struct cli *c, const struct lab_settings *s)
{
    struct sharc_err err = SHARC_ERR_INIT;
    SHARC_AUTO(sharc_freep) const struct sharc_strategy_ops **list = NULL;
    size_t n = 0;
    if (sharc_sim_strategies_parse(sharc_span_of(s->strategies), &list, &n, &err) < 0)
        return cli_usage(c, "%s", err.text);
    SHARC_AUTO(sharc_freep) char *home = home_of(s, &err);
    if (!home) return cli_fail(c, &err);
    SHARC_AUTO(sharc_freep) struct row *rows = SHARC_NEW_ARRAY(struct row, n);
    for (size_t i = 0; i < n; i++) rows[i].strategy = list[i];
    struct sigaction action = {.sa_handler = on_signal};
    sigemptyset(&action.sa_mask);
    sigaction(SIGINT, &action, NULL);
    sigaction(SIGTERM, &action, NULL);
    int r = run_all(c, s, rows, n, home, &err);
    if (!s->keep) nftw(home, remove_entry, 16, FTW_DEPTH | FTW_PHYS);
    if (r < 0) return cli_fail(c, &err);
    if (c->json)
        write_json(c, s, rows, n);
    else
        write_text(c, s, rows, n);
    for (size_t i = 0; i < n; i++)
        if (rows[i].false_unchanged + rows[i].false_changed + rows[i].wrong_bodies > 0) return EXIT_FINDINGS;
    return EXIT_OK;
}

/* SPDX-License-Identifier: Apache-2.0
 *
 * sharc sim: experiments in virtual time. Everything is computed and written by
 * room sim; this file turns options into its structures.
 */
#include "cmd_sim.h"

#include "sharc/base_file.h"
#include "sharc/sim_promise.h"
#include "sharc/sim_table.h"

#include <math.h>
#include <stdlib.h>
#include <time.h>

#define NOT_GIVEN UINT64_MAX

static const char *const leaves[] = {"cold", "hot", NULL};
static const char *const rates[] = {"oracle",   "history", "predicted", "sitemap", "age",
                                    "combined", "counted", "near",      NULL};
static const char *const learners[] = {"naive-bayes", "c4.5", "xgboost", NULL};
static const char *const sizes[] = {"auto", "known", "estimated", NULL};

static void settings_done(struct sim_settings *s)
{
    cli_list_done(&s->measures);
}

static double thread_cpu(void)
{
    struct timespec t;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
    return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

static void crawl_done(void *arg, size_t total)
{
    (void)total;
    sharc_progress_add(arg, 1, sharc_clock_real()->now(sharc_clock_real()));
}

enum sharc_sim_format sim_format(const struct cli *c, const struct sim_settings *s)
{
    if (c->json) return SHARC_SIM_JSON;
    if (s->csv) return SHARC_SIM_CSV;
    return s->markdown ? SHARC_SIM_MARKDOWN : SHARC_SIM_TEXT;
}

int sim_print(struct cli *c, const struct sharc_buf *out)
{
    struct sharc_err err = SHARC_ERR_INIT;
    if (sharc_buf_result(out, &err) < 0) return cli_fail(c, &err);
    fwrite(out->p, 1, out->n, c->out);
    return EXIT_OK;
}

struct sharc_progress *sim_progress(struct cli *c, struct sharc_sim_options *o, size_t crawls)
{
    struct sharc_progress *p = cli_progress(c, "simulating", "crawls", crawls);
    o->progress = crawl_done;
    o->progress_arg = p;
    return p;
}

void sim_progress_end(struct sharc_progress **p)
{
    if (*p) sharc_progress_finish(*p, sharc_clock_real()->now(sharc_clock_real()));
    sharc_progress_freep(p);
}

/* --- tables of the papers -------------------------------------------------------- */

static int one_table(struct cli *c, const struct sim_settings *s, struct sharc_sim_options *o, size_t i)
{
    struct sharc_err err = SHARC_ERR_INIT;
    SHARC_AUTO(sharc_buf_done) struct sharc_buf out = SHARC_BUF_INIT(SIM_OUTPUT_MAX);
    SHARC_AUTO(sharc_freep) struct sharc_sim_figure *figures = NULL;
    SHARC_AUTO(sim_progress_end) struct sharc_progress *p = sim_progress(c, o, sharc_sim_table_crawls(i, o->runs));
    size_t n;
    int r = sharc_sim_table_run(i, o, &figures, &n, &err);
    sim_progress_end(&p);
    if (r < 0) return cli_fail(c, &err);
    enum sharc_sim_format format = sim_format(c, s);
    const char *mark = format == SHARC_SIM_MARKDOWN ? "### " : "";
    if (format == SHARC_SIM_TEXT || format == SHARC_SIM_MARKDOWN)
        sharc_buf_printf(&out, "%sTable %s. %s\n\n", mark, sharc_sim_table_name(i), sharc_sim_table_title(i));
    sharc_sim_table_write(figures, n, format, &out);
    if (format == SHARC_SIM_TEXT || format == SHARC_SIM_MARKDOWN) sharc_buf_put_char(&out, '\n');
    return sim_print(c, &out);
}

static int tables(struct cli *c, const struct sim_settings *s, struct sharc_sim_options *o)
{
    struct sharc_err err = SHARC_ERR_INIT;
    size_t i;
    o->runs = (unsigned)s->runs;
    if (strcmp(s->table, "all") != 0) {
        if (sharc_sim_table_find(sharc_span_of(s->table), &i, &err) < 0) return cli_usage(c, "%s", err.text);
        return one_table(c, s, o, i);
    }
    int code = EXIT_OK;
    for (i = 0; code == EXIT_OK && i < sharc_sim_table_count(); i++) code = one_table(c, s, o, i);
    return code;
}

/* --- the window of a dataset ----------------------------------------------------- */

void sim_window(const struct sim_settings *s, const struct sharc_dataset *d, struct sharc_sim_window *w)
{
    w->to = s->to == SHARC_TIME_NONE ? d->end : (double)s->to / SHARC_SEC;
    w->from = s->from == SHARC_TIME_NONE ? w->to - s->days * 86400 : (double)s->from / SHARC_SEC;
}

/* --- one site ---------------------------------------------------------------------- */

static int load_model(const char *path, struct sharc_rate_model **ret, struct sharc_err *err)
{
    SHARC_AUTO(sharc_buf_done) struct sharc_buf bytes = SHARC_BUF_INIT(SHARC_RATE_MODEL_BYTES_MAX);
    int r = sharc_file_read(path, &bytes, err);
    if (r < 0) return r;
    r = sharc_rate_model_load(sharc_buf_span(&bytes), ret, err);
    return r < 0 ? sharc_err_prefix(err, r, "%s", path) : 0;
}

static int make_site(const struct sim_settings *s, const struct sharc_dataset *d, const struct sharc_rate_model *model,
                     const double *weight, struct sharc_sim_site **ret, struct sharc_err *err)
{
    if (!d) {
        uint64_t pages = s->pages == NOT_GIVEN ? 10000 : s->pages;
        SHARC_FAIL_IF(pages > UINT32_MAX || s->outdegree > UINT32_MAX, err, SHARC_EINVAL,
                      "--pages and --outdegree must be below 4294967296");
        struct sharc_sim_synthetic shape = {
            .pages = (uint32_t)pages,
            .skew = s->skew,
            .outdegree = (uint32_t)s->outdegree,
            .hot_leaves = s->leaves == 1,
            .slowdown = s->slowdown,
            .rates = (enum sharc_sim_rates)s->rates,
            .delay = (double)s->delay / SHARC_SEC,
        };
        return sharc_sim_synthetic_new(&shape, ret, err);
    }
    struct sharc_sim_window w = {
        .births = s->births,
        .absences = s->absences,
        .rates = (enum sharc_sim_rates)s->rates,
        .model = model,
        .weight = weight,
        .learner = (enum sharc_rate_learner)s->learner,
    };
    sim_window(s, d, &w);
    return sharc_sim_recorded_new(d, &w, ret, err);
}

static int experiment(struct cli *c, const struct sim_settings *s, const struct sharc_dataset *d,
                      struct sharc_sim_options *o)
{
    struct sharc_err err = SHARC_ERR_INIT;
    SHARC_AUTO(sharc_freep) const struct sharc_strategy_ops **strategies = NULL;
    SHARC_AUTO(sharc_rate_model_freep) struct sharc_rate_model *model = NULL;
    SHARC_AUTO(sharc_sim_site_freep) struct sharc_sim_site *site = NULL;
    size_t n = 0;
    if (sharc_sim_strategies_parse(sharc_span_of(s->strategies), &strategies, &n, &err) < 0)
        return cli_usage(c, "%s", err.text);
    if (s->model && load_model(s->model, &model, &err) < 0) return cli_fail(c, &err);
    SHARC_AUTO(sharc_freep) double *weight = NULL;
    if (s->weights && !d) return cli_usage(c, "--weights needs pages with names: name a --dataset");
    if (s->weights && sharc_dataset_weigh(d, s->weights, &weight, &err) < 0) return cli_fail(c, &err);
    if (make_site(s, d, model, weight, &site, &err) < 0) return cli_fail(c, &err);
    if (s->focus_pages >= 0) o->params.focus_pages = (uint32_t)ceil(s->focus_pages * sharc_sim_site_pages(site) - 1e-9);
    o->size_known = s->size ? s->size == 1 : d == NULL;
    SHARC_AUTO(sharc_freep) struct sharc_sim_result *results = SHARC_NEW_ARRAY(struct sharc_sim_result, n);
    SHARC_AUTO(sim_progress_end) struct sharc_progress *p = sim_progress(c, o, n * o->runs);
    int r = sharc_sim_run(site, strategies, n, o, results, &err);
    sim_progress_end(&p);
    SHARC_AUTO(sharc_sim_promises_done) struct sharc_sim_promises promises = {0};
    if (r == 0 && s->promises) r = sharc_sim_promise_make(site, results, n, o, &promises, &err);
    if (r == 0 && s->svg) r = sharc_sim_svg_files(site, o, results, n, s->svg, &err);
    if (r < 0) return cli_fail(c, &err);
    SHARC_AUTO(sharc_buf_done) struct sharc_buf out = SHARC_BUF_INIT(SIM_OUTPUT_MAX);
    if (sim_format(c, s) == SHARC_SIM_TEXT) {
        sharc_sim_describe(site, o, &out);
        sharc_buf_put_str(&out, "\n\n");
    }
    sharc_sim_results_write(site, o, results, n, s->promises ? &promises : NULL, sim_format(c, s), &out);
    return sim_print(c, &out);
}

/* What one experiment would do, another would silently leave undone. */
static int check_together(struct cli *c, const struct sim_settings *s)
{
    const char *what = s->table ? "--table" : s->continuous ? "--continuous" : NULL;
    if (s->table && s->svg)
        return cli_usage(c, "--svg draws the crawls of one site; --table has no pictures: leave one of them out");
    if (s->continuous && s->svg && !sharc_span_ends(sharc_span_of(s->svg), SHARC_SPAN(".svg")))
        return cli_usage(c, "--continuous makes one picture: let the path of --svg end in .svg");
    if (s->table && s->continuous) return cli_usage(c, "--table and --continuous are two experiments: choose one");
    if (!s->continuous && (s->measures.count || s->longest || s->step))
        return cli_usage(c, "--measure, --longest and --step belong to --continuous");
    if (s->step && (s->step < SHARC_SEC || s->step > SHARC_HOUR)) return cli_usage(c, "--step must be 1s to 1h");
    if (s->table && s->dataset)
        return cli_usage(c, "--table makes the papers' synthetic sites again; leave out --dataset");
    if (s->promises && (what || !s->dataset))
        return cli_usage(c, "--promises compares captures of a recorded history with its past: name a --dataset%s%s",
                         what ? " and leave out " : "", what ? what : "");
    return 0;
}

int cmd_sim(struct cli *c, int argc, char **argv)
{
    SHARC_AUTO(settings_done)
    struct sim_settings s = {.strategies = "all",
                             .pages = NOT_GIVEN,
                             .skew = 1.2,
                             .outdegree = 400,
                             .slowdown = 1,
                             .seed = 1,
                             .from = SHARC_TIME_NONE,
                             .to = SHARC_TIME_NONE,
                             .days = 30,
                             .delay = 3 * SHARC_SEC,
                             .learner = 1,
                             .confidence = 0.75,
                             .risk = 0.25,
                             .focus = 0.1,
                             .focus_pages = -1};
    const struct cli_option options[] = {
        OPT_STRING('s', "strategy", &s.strategies, "LIST",
                   "run these strategies, separated by commas, or all, blur, coherence (default: all)"),
        OPT_HEADING("A synthetic site"),
        OPT_UINT(0, "pages", &s.pages, "N", "make a site of N pages (default: 10000; with --continuous 1000)"),
        OPT_REAL(0, "skew", &s.skew, "X", "let page i change 1/(i+1)^X times per slot (default: 1.2)"),
        OPT_UINT(0, "outdegree", &s.outdegree, "N", "put N links on each page (default: 400)"),
        OPT_CHOICE(0, "leaves", &s.leaves, leaves,
                   "choose whether the leaves are the pages that change least or most (default: cold)"),
        OPT_REAL(0, "slowdown", &s.slowdown, "X", "make a slot X times as long (default: 1)"),
        OPT_HEADING("A recorded history"),
        OPT_STRING(0, "dataset", &s.dataset, "DIR", "crawl a window of this recorded history"),
        OPT_TIME(0, "from", &s.from, "TIME", "start the window at this time"),
        OPT_TIME(0, "to", &s.to, "TIME", "end the window at this time (default: the end of the history)"),
        OPT_REAL_IN(0, 1e6, 0, "days", &s.days, "N", "without --from, make the window N days long (default: 30)"),
        OPT_FLAG(0, "births", &s.births, "let pages appear and disappear during the crawl"),
        OPT_FLAG(0, "absences", &s.absences, "replay recorded absences as failed downloads"),
        OPT_FLAG(0, "promises", &s.promises, "say what sharc plan would have promised before the window"),
        OPT_HEADING("What strategies know"),
        OPT_CHOICE(0, "rates", &s.rates, rates, "take change rates from this source (default: oracle)"),
        OPT_SHARE(0, "known", &s.known, "SHARE", "let this share of the pages be known before the crawl (default: 0)"),
        OPT_CHOICE(0, "size", &s.size, sizes,
                   "tell online strategies the number of pages, or let them estimate it (default: auto)"),
        OPT_STRING(0, "signals", &s.signals, "HOW",
                   "let the site say itself what has changed: lastmod, lastmod:RECALL,PRECISION,LATE, feed:ENTRIES or "
                   "hub:ENTRIES"),
        OPT_STRING(0, "weights", &s.weights, "HOW", "weigh pages by pagerank, indegree or a file"),
        OPT_STRING(0, "model", &s.model, "FILE", "predict rates with this saved model"),
        OPT_CHOICE(0, "learner", &s.learner, learners,
                   "without --model, train this learner on the time before the window (default: c4.5)"),
        OPT_DURATION(0, "delay", &s.delay, "TIME", "set the length of a slot for synthetic sitemaps (default: 3s)"),
        OPT_HEADING("Strategies"),
        OPT_REAL(0, "confidence", &s.confidence, "C",
                 "set the confidence of sharc-threshold and sharc-intervals (default: 0.75)"),
        OPT_REAL(0, "risk", &s.risk, "R", "set the risk that measurable and inducible accept (default: 0.25)"),
        OPT_SHARE(0, "focus", &s.focus, "SHARE",
                  "sharc-focus: allow at most this share of extra requests (default: 10%)"),
        OPT_SHARE(0, "focus-pages", &s.focus_pages, "SHARE",
                  "sharc-focus: look twice at exactly this share of the pages"),
        OPT_FLAG(0, "focus-bfs", &s.breadth_first, "sharc-focus: make the first visits breadth-first"),
        OPT_HEADING("The experiment"),
        OPT_UINT_IN(1, 1e6, 0, "runs", &s.runs, "N", "average over N runs (default: 1; tables: 10)"),
        OPT_UINT_IN(0, CLI_SEED_MOST, 0, "seed", &s.seed, "N",
                    "seed the random numbers; the same seed gives the same result (default: 1)"),
        OPT_UINT_IN(1, CLI_THREADS_MOST, 't', "threads", &s.threads, "N", "use N threads (default: one per core)"),
        OPT_FLAG(0, "no-bound", &s.no_bound, "do not compute the upper bound of coherence"),
        OPT_STRING(0, "table", &s.table, "NAME",
                   "print a table of the papers beside our figures: 4.4a to 5.14, or all"),
        OPT_HEADING("Continuous capture"),
        OPT_FLAG(0, "continuous", &s.continuous, "simulate continuous capture with 10 to 100 % of the resources"),
        OPT_LIST(
            0, "measure", &s.measures, "NAMES",
            "show these measures, separated by commas: completeness, freshness, coherence, exact, blur, proven, gap"),
        OPT_DURATION(0, "step", &s.step, "TIME",
                     "with --continuous, choose what is due so often, as sharc watch does (default: an hour's "
                     "downloads at once)"),
        OPT_DURATION(0, "longest", &s.longest, "TIME",
                     "visit every page at least this often, as far as the budget allows"),
        OPT_HEADING("Output"),
        OPT_FLAG(0, "csv", &s.csv, "print comma-separated values"),
        OPT_FLAG(0, "markdown", &s.markdown, "print a Markdown table"),
        OPT_STRING(0, "svg", &s.svg, "PATH", "draw pictures into a directory, or one into a .svg file"),
        OPT_END,
    };
    if (cli_parse(c, &argc, argv, options)) return cli_stop(c);
    if (argc > 1) return cli_usage(c, "takes no arguments; name a dataset with --dataset");
    int code = check_together(c, &s);
    if (!code) code = cli_one_form(c, s.csv, s.markdown);
    if (code) return code;
    struct sharc_sim_options o = SHARC_SIM_OPTIONS;
    o.seed = s.seed;
    o.runs = s.runs ? (unsigned)s.runs : 1;
    o.threads = (unsigned)s.threads;
    o.known = s.known;
    o.bound = !s.no_bound;
    o.cpu_seconds = thread_cpu;
    o.params.confidence = s.confidence;
    o.params.risk = s.risk;
    o.params.focus_share = s.focus;
    o.params.focus_breadth_first = s.breadth_first;
    struct sharc_err err = SHARC_ERR_INIT;
    if (s.signals && sharc_sim_signals_parse(sharc_span_of(s.signals), &o.signals, &err) < 0)
        return cli_usage(c, "%s", err.text);
    if (s.table) return tables(c, &s, &o);
    o.both_forms = true;
    SHARC_AUTO(sharc_dataset_freep) struct sharc_dataset *d = NULL;
    if (s.dataset && sharc_dataset_open(s.dataset, &d, &err) < 0) return cli_fail(c, &err);
    return s.continuous ? sim_continuous(c, &s, d, &o) : experiment(c, &s, d, &o);
}

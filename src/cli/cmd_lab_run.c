/* SPDX-License-Identifier: Apache-2.0
 *
 * sharc lab run: strategies compared by the real crawler on a living site.
 */
#include "cli_signals.h"
#include "cmd_lab.h"

#include "sharc/base_file.h"
#include "sharc/crawl.h"
#include "sharc/lab_trial.h"
#include "sharc/sim.h"

#include <ftw.h>
#include <math.h>
#include <stdlib.h>
#include <unistd.h>

struct row {
    const struct sharc_strategy_ops *strategy;
    struct sharc_lab_trial sum;
};

/* --- output -------------------------------------------------------------------------------- */

/* Pairs of visit and revisit, of all runs together. */
static void write_proofs(struct cli *c, const struct row *rows, size_t n)
{
    static const char *const titles[] = {"strategy", "pairs",    "edited",     "equal", "own",
                                         "kind",     "attested", "not proved", "false", "missed"};
    SHARC_AUTO(cli_table_freep) struct cli_table *t = cli_table_new(SHARC_LENGTH(titles), titles, "lrrrrrrrrr");
    size_t shown = 0;
    for (size_t i = 0; i < n; i++) {
        const struct sharc_lab_evidence *e = &rows[i].sum.verdict.evidence;
        if (e->pairs == 0) continue;
        shown++;
        cli_table_cell(t, "%s", rows[i].strategy->name);
        cli_table_cell(t, "%zu", e->pairs);
        cli_table_cell(t, "%zu", e->edited);
        cli_table_cell(t, "%zu", e->grades[SHARC_GRADE_IDENTICAL]);
        cli_table_cell(t, "%zu", e->by_own);
        cli_table_cell(t, "%zu", e->by_kind);
        cli_table_cell(t, "%zu", e->grades[SHARC_GRADE_ATTESTED]);
        cli_table_cell(t, "%zu", e->pairs - e->proved);
        cli_table_cell(t, "%zu", sharc_lab_false_proofs(e));
        cli_table_cell(t, "%zu", e->alarms);
    }
    if (shown == 0) return;
    fputs("\n", c->out);
    cli_table_print(t, c->out);
}

static void write_text(struct cli *c, const struct lab_settings *s, const struct row *rows, size_t n)
{
    static const char *const titles[] = {"strategy",  "pages",      "requests",        "time",
                                         "blur/page", "incoherent", "said incoherent", "wrong"};
    SHARC_AUTO(cli_table_freep) struct cli_table *t = cli_table_new(SHARC_LENGTH(titles), titles, "lrrrrrrr");
    char text[SHARC_TIME_TEXT];
    if (s->o.dataset && s->virtual_time)
        fprintf(c->out, "%s from %s", CLI_SHOWN(s->o.dataset->name),
                sharc_time_iso(sharc_time_of_seconds(s->o.from), 0, text));
    else if (s->o.dataset)
        fprintf(c->out, "%s, %g times as fast", CLI_SHOWN(s->o.dataset->name), s->o.speed);
    else
        fprintf(c->out, "A living site of %s, seed %llu", SHARC_COUNT(s->o.pages, "page"),
                (unsigned long long)s->o.seed);
    fprintf(c->out, ", one request every %s, %s%s\n\n", sharc_duration_text(s->delay, text),
            SHARC_COUNT(s->runs, "run"), s->virtual_time ? ", in virtual time" : "");
    for (size_t i = 0; i < n; i++) {
        const struct row *r = &rows[i];
        double k = r->sum.runs ? r->sum.runs : 1;
        cli_table_cell(t, "%s", r->strategy->name);
        cli_table_cell(t, "%.0f", r->sum.pages / k);
        cli_table_cell(t, "%.0f", r->sum.requests / k);
        cli_table_cell(t, "%s", sharc_duration_text((sharc_time)(r->sum.seconds / k * (double)SHARC_SEC), text));
        cli_table_cell(t, "%.4f", r->sum.blur / k);
        cli_table_cell(t, "%.1f", r->sum.incoherent / k);
        cli_table_cell(t, "%.1f", r->sum.said / k);
        cli_table_cell(t, "%zu", sharc_lab_verdict_wrong(&r->sum.verdict));
    }
    cli_table_print(t, c->out);
    for (size_t i = 0; i < n; i++)
        if (rows[i].sum.removed > 0)
            fprintf(c->out, "\n%s: %.1f of the incoherent pages were gone at their revisit\n", rows[i].strategy->name,
                    rows[i].sum.removed / rows[i].sum.runs);
    write_proofs(c, rows, n);
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
    sharc_json_bool(&j, "virtual", s->virtual_time);
    sharc_json_array(&j, "results");
    for (size_t i = 0; i < n; i++) {
        const struct row *r = &rows[i];
        double k = r->sum.runs ? r->sum.runs : 1;
        sharc_json_object(&j, NULL);
        sharc_json_str(&j, "strategy", r->strategy->name);
        sharc_json_real(&j, "captured", r->sum.pages / k);
        sharc_json_real(&j, "requests", r->sum.requests / k);
        sharc_json_real(&j, "seconds", r->sum.seconds / k);
        sharc_json_real(&j, "lag", r->sum.lag / k);
        sharc_json_real(&j, "outlived", r->sum.outlived / k);
        sharc_json_real(&j, "average_blur", r->sum.blur / k);
        sharc_json_real(&j, "incoherence", r->sum.incoherent / k);
        sharc_json_real(&j, "removed", r->sum.removed / k);
        sharc_json_real(&j, "said_incoherent", r->sum.said / k);
        const struct sharc_lab_verdict *v = &r->sum.verdict;
        lab_put_findings(&j, v);
        sharc_json_uint(&j, "wrong_bodies", v->bodies_late + v->bodies_wrong);
        lab_put_evidence(&j, v);
        sharc_json_end(&j);
    }
    sharc_json_end(&j);
    sharc_json_end(&j);
    fprintf(c->out, "%s\n", sharc_buf_str(&out));
}

/* --- what the figures do not show ------------------------------------------------------------- */

#define GRAINS 1000 /* seconds that a capture should last at least, where dates have whole seconds */

/* Time that passed for another reason than the delay is the machine's, and the site ages in it. */
static void doubt(struct cli *c, const struct lab_settings *s, const struct row *rows, size_t n)
{
    char text[SHARC_TIME_TEXT];
    double worst = 0, shortest = HUGE_VAL, outlived = 0;
    for (size_t i = 0; i < n; i++) {
        const struct sharc_lab_trial *t = &rows[i].sum;
        if (t->runs == 0 || !(t->seconds > 0)) continue;
        worst = fmax(worst, t->lag / t->seconds);
        shortest = fmin(shortest, t->seconds / t->runs);
        outlived = fmax(outlived, t->outlived / t->runs);
    }
    if (outlived > 0)
        cli_note(c, "a capture took %s longer than the history goes, in which nothing changed: start earlier (--from)",
                 sharc_duration_text(sharc_time_of_seconds(outlived), text));
    if (s->virtual_time || s->delay == 0) return;
    if (worst > 0.1)
        cli_note(c,
                 "up to %.0f %% of the time of a capture was not its delay but this machine's work, in which the site "
                 "aged: compare with --virtual, or take a longer delay",
                 100 * worst);
    if (s->o.speed > 1 && shortest < GRAINS)
        cli_note(c,
                 "a date of one second is %s of this site's life, a part in %.0f of a capture: what sitemaps and "
                 "Last-Modified say cannot be put in order; compare with --virtual",
                 sharc_duration_text(sharc_time_of_seconds(s->o.speed), text), shortest);
}

/* --- the command ----------------------------------------------------------------------------- */

static int remove_entry(const char *path, const struct stat *st, int kind, struct FTW *at)
{
    (void)st, (void)kind, (void)at;
    return remove(path);
}

char *lab_home(const struct lab_settings *s, struct sharc_err *err)
{
    if (s->keep) return sharc_dir_make(s->keep, err) < 0 ? NULL : sharc_strdup(s->keep);
    const char *tmp = getenv("TMPDIR");
    char *home = sharc_asprintf("%s/sharc-lab.XXXXXX", tmp && *tmp ? tmp : "/tmp");
    if (mkdtemp(home)) return home;
    sharc_fail(err, SHARC_EIO, "cannot make a directory like %s", home);
    free(home);
    return NULL;
}

void lab_home_done(const struct lab_settings *s, const char *home)
{
    if (!s->keep) nftw(home, remove_entry, 16, FTW_DEPTH | FTW_PHYS);
}

static void watch_signals(void *arg, struct sharc_crawl *crawl)
{
    (void)arg;
    if (crawl)
        cli_signals_crawl(crawl);
    else
        cli_signals_release();
}

static int run_all(struct cli *c, const struct lab_settings *s, struct row *rows, size_t n, const char *home,
                   struct sharc_err *err)
{
    SHARC_AUTO(sharc_progress_freep)
    struct sharc_progress *p = cli_progress(c, "lab", "crawls", (uint64_t)n * s->runs);
    struct sharc_lab_trial_options o = {.site = s->o,
                                        .delay = s->delay,
                                        .virtual_time = s->virtual_time,
                                        .no_signals = s->no_signals,
                                        .controls = s->control_kind,
                                        .control_share = s->control_share,
                                        .connections = (unsigned)s->connections,
                                        .home = home,
                                        .running = watch_signals};
    int r = 0;
    for (size_t i = 0; i < n && r == 0; i++) {
        o.strategy = rows[i].strategy;
        for (unsigned k = 0; k < s->runs && r == 0; k++) {
            sharc_progress_note(p, o.strategy->name);
            r = sharc_lab_trial_run(&o, k, &rows[i].sum, err);
            if (r == 0) sharc_progress_add(p, 1, s->o.clock->now(s->o.clock));
        }
    }
    sharc_progress_finish(p, s->o.clock->now(s->o.clock));
    return r;
}

struct rows {
    struct row *row;
    size_t count;
};

static void rows_done(struct rows *r)
{
    for (size_t i = 0; i < r->count; i++) sharc_lab_trial_done(&r->row[i].sum);
    free(r->row);
}

/* Visits, revisits and a tenth more fill the window. */
static sharc_time usual_delay(const struct lab_settings *s)
{
    const struct sharc_dataset *d = s->o.dataset;
    size_t alive = 0;
    if (!d || !s->virtual_time) return 100 * SHARC_MSEC;
    for (size_t p = 0; p < d->pages; p++) alive += d->page[p].created <= s->o.from && d->page[p].deleted > s->o.from;
    return sharc_time_of_seconds((s->o.to - s->o.from) / (2.2 * (double)(alive + 10)));
}

int lab_run(struct cli *c, struct lab_settings *s)
{
    struct sharc_err err = SHARC_ERR_INIT;
    SHARC_AUTO(sharc_freep) const struct sharc_strategy_ops **list = NULL;
    size_t n = 0;
    const char *names = s->strategies ? s->strategies : "bfs-lifo,sharc-focus";
    if (sharc_sim_strategies_parse(sharc_span_of(names), &list, &n, &err) < 0) return cli_usage(c, "%s", err.text);
    SHARC_AUTO(sharc_freep) char *home = lab_home(s, &err);
    if (!home) return cli_fail(c, &err);
    if (s->delay == SHARC_TIME_NONE) s->delay = usual_delay(s);
    SHARC_AUTO(rows_done) struct rows rows = {SHARC_NEW_ARRAY(struct row, n), n};
    for (size_t i = 0; i < n; i++) rows.row[i].strategy = list[i];
    int r = run_all(c, s, rows.row, n, home, &err);
    lab_home_done(s, home);
    if (r < 0) return cli_fail(c, &err);
    if (c->json)
        write_json(c, s, rows.row, n);
    else
        write_text(c, s, rows.row, n);
    doubt(c, s, rows.row, n);
    for (size_t i = 0; i < n; i++)
        if (sharc_lab_verdict_wrong(&rows.row[i].sum.verdict) > 0) return EXIT_FINDINGS;
    return EXIT_OK;
}

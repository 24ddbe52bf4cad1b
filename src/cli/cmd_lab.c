/* SPDX-License-Identifier: Apache-2.0
 *
 * sharc lab: a site that lives, for experiments that know the truth.
 */
#include "cmd_lab.h"
#include "cli_signals.h"
#include "cmd_crawl.h"

#include "sharc/base_file.h"

#include <math.h>
#include <stdlib.h>
#include <unistd.h>

#define TICK (100 * SHARC_MSEC)

/* --- what is said ------------------------------------------------------------------- */

static void say_start(struct cli *c, const struct lab_settings *s, struct sharc_lab *lab)
{
    struct sharc_lab_totals t = sharc_lab_totals(lab);
    if (c->json) {
        SHARC_AUTO(sharc_buf_done) struct sharc_buf out = SHARC_BUF_INIT(64u << 10);
        struct sharc_json j;
        sharc_json_init(&j, &out, false);
        sharc_json_object(&j, NULL);
        sharc_json_str(&j, "url", sharc_lab_url(lab));
        sharc_json_int(&j, "pid", (int64_t)getpid());
        sharc_json_uint(&j, "pages", t.pages);
        sharc_json_uint(&j, "files", t.files);
        sharc_json_real(&j, "edits_per_minute", t.per_minute);
        sharc_json_str(&j, "truth", s->o.truth);
        sharc_json_end(&j);
        fprintf(c->out, "%s\n", sharc_buf_str(&out));
    } else {
        fprintf(c->out, "A living site at %s\n%s and %s, about %.3g edits per minute\n", sharc_lab_url(lab),
                SHARC_COUNT(t.pages, "page"), SHARC_COUNT(t.files, "other file"), t.per_minute);
        if (s->o.truth) fprintf(c->out, "The truth is written to %s\n", s->o.truth);
    }
    fflush(c->out);
    if (s->how_long == SHARC_TIME_NONE) cli_note(c, "Ctrl-C stops it");
}

static void say_end(struct cli *c, struct sharc_lab *lab)
{
    struct sharc_lab_totals t = sharc_lab_totals(lab);
    if (!c->json) {
        fprintf(c->out,
                "%s: %llu not modified, %llu redirected, %llu not found\n"
                "%s, %s with a new layout, %llu with a new number of visitors, %llu born, %llu gone\n",
                SHARC_COUNT(t.requests, "request"), (unsigned long long)t.not_modified, (unsigned long long)t.redirects,
                (unsigned long long)t.not_found, SHARC_COUNT(t.edits, "edit"), SHARC_COUNT(t.layouts, "page"),
                (unsigned long long)t.counters, (unsigned long long)t.born, (unsigned long long)t.gone);
        return;
    }
    SHARC_AUTO(sharc_buf_done) struct sharc_buf out = SHARC_BUF_INIT(64u << 10);
    struct sharc_json j;
    sharc_json_init(&j, &out, false);
    sharc_json_object(&j, NULL);
    sharc_json_uint(&j, "requests", t.requests);
    sharc_json_uint(&j, "not_modified", t.not_modified);
    sharc_json_uint(&j, "redirects", t.redirects);
    sharc_json_uint(&j, "not_found", t.not_found);
    sharc_json_uint(&j, "edits", t.edits);
    sharc_json_uint(&j, "layouts", t.layouts);
    sharc_json_uint(&j, "counters", t.counters);
    sharc_json_uint(&j, "born", t.born);
    sharc_json_uint(&j, "gone", t.gone);
    sharc_json_end(&j);
    fprintf(c->out, "%s\n", sharc_buf_str(&out));
}

/* --- serve --------------------------------------------------------------------------- */

static int write_ready_file(const char *path, struct sharc_lab *lab, struct sharc_err *err)
{
    SHARC_AUTO(sharc_buf_done) struct sharc_buf line = SHARC_BUF_INIT(4096);
    sharc_buf_printf(&line, "%s\n", sharc_lab_url(lab));
    return sharc_file_replace(path, sharc_buf_span(&line), err);
}

static int live(struct sharc_lab *lab, struct sharc_clock *clock, sharc_time until, const volatile bool *stop,
                struct sharc_err *err)
{
    for (;;) {
        int r = sharc_lab_tick(lab, err);
        if (r < 0) return r;
        sharc_time now = clock->now(clock), next = now + TICK;
        if (until != SHARC_TIME_NONE && now >= until) return 0;
        if (until != SHARC_TIME_NONE && next > until) next = until;
        if (clock->wait_until(clock, next, stop) == SHARC_EINTR) return sharc_lab_tick(lab, err);
    }
}

static int serve(struct cli *c, struct lab_settings *s)
{
    struct sharc_err err = SHARC_ERR_INIT;
    SHARC_AUTO(sharc_lab_stopp) struct sharc_lab *lab = NULL;
    const volatile bool *stop = cli_signals_flag();
    if (sharc_lab_start(&s->o, &lab, &err) < 0) return cli_fail(c, &err);
    sharc_time until = SHARC_TIME_NONE;
    if (s->how_long != SHARC_TIME_NONE) until = s->o.clock->now(s->o.clock) + s->how_long;
    say_start(c, s, lab);
    if (s->ready_file && write_ready_file(s->ready_file, lab, &err) < 0) return cli_fail(c, &err);
    if (live(lab, s->o.clock, until, stop, &err) < 0) return cli_fail(c, &err);
    say_end(c, lab);
    return EXIT_OK;
}

static int with_site(struct cli *c, struct lab_settings *s, int (*what)(struct cli *, struct lab_settings *))
{
    struct sharc_err err = SHARC_ERR_INIT;
    SHARC_AUTO(sharc_dataset_freep) struct sharc_dataset *d = NULL;
    if (s->dataset) {
        if (sharc_dataset_open(s->dataset, &d, &err) < 0) return cli_fail(c, &err);
        s->o.dataset = d;
        s->o.to = s->to == SHARC_TIME_NONE ? d->end : (double)s->to / SHARC_SEC;
        s->o.from = s->from == SHARC_TIME_NONE ? fmax(d->start, s->o.to - 30 * 86400.0) : (double)s->from / SHARC_SEC;
    }
    s->o.clock = sharc_clock_real();
    return what(c, s);
}

static int read_mixes(struct lab_settings *s, struct sharc_err *err)
{
    int r = 0;
    SHARC_FAIL_IF(s->words < 50 || s->words > 100000, err, SHARC_EINVAL, "--words must be 50 to 100000");
    s->o.words = (uint32_t)s->words;
    if (s->edits) r = sharc_lab_edits_parse(sharc_span_of(s->edits), &s->o.edits, err);
    if (r == 0 && s->noise) r = sharc_lab_noise_parse(sharc_span_of(s->noise), &s->o.noise, err);
    if (r == 0 && s->signals) r = sharc_sim_signals_parse(sharc_span_of(s->signals), &s->o.signals, err);
    if (r == 0 && s->faults) r = sharc_lab_faults_parse(sharc_span_of(s->faults), &s->o.faults, err);
    return r;
}

/* Options that only one of the words takes. */
static int check_kind(struct cli *c, const struct lab_settings *s, bool run, bool watch)
{
    const bool other_speed = s->o.speed < 1 || s->o.speed > 1;
    if (!watch && (s->svg || s->longest)) return cli_usage(c, "--svg and --longest are for sharc lab watch");
    if (watch && other_speed) return cli_usage(c, "sharc lab watch has a time of its own: leave out --speed");
    if (s->virtual_time && (!run || s->connections > 1 || other_speed))
        return cli_usage(c, "--virtual is for sharc lab run, with one connection and without --speed");
    return 0;
}

int cmd_lab(struct cli *c, int argc, char **argv)
{
    struct lab_settings s = {.o = SHARC_LAB_OPTIONS,
                             .from = SHARC_TIME_NONE,
                             .to = SHARC_TIME_NONE,
                             .how_long = SHARC_TIME_NONE,
                             .runs_wanted = 1,
                             .connections = 1,
                             .delay = SHARC_TIME_NONE};
    s.pages = s.o.pages;
    s.words = s.o.words;
    const struct cli_option options[] = {
        OPT_HEADING("A synthetic site"),
        OPT_UINT(0, "pages", &s.pages, "N", "make a site of N HTML pages (default: 300)"),
        OPT_UINT_IN(0, CLI_SEED_MOST, 0, "seed", &s.o.seed, "N",
                    "seed the random numbers; the same seed gives the same site (default: 1)"),
        OPT_DURATION(0, "hottest", &s.o.hottest, "TIME",
                     "edit the page that changes most about this often (default: 20s)"),
        OPT_REAL(0, "skew", &s.o.skew, "X", "edit page i 1/(i+1)^X times as often (default: 1)"),
        OPT_SHARE(0, "counters", &s.o.counters, "SHARE",
                  "let this share of the pages count their visitors (default: 10%)"),
        OPT_DURATION(0, "layouts", &s.o.layout_every, "TIME",
                     "change the layout of a section about this often (default: 10min; 0: never)"),
        OPT_DURATION(0, "sitemaps", &s.o.sitemap_every, "TIME",
                     "renew the sitemap this often (default: 1min; 0: never)"),
        OPT_STRING(0, "signals", &s.signals, "HOW",
                   "let sitemap and feed announce the share RECALL of the edits, and be right in the share PRECISION: "
                   "lastmod:RECALL,PRECISION (default: lastmod, honest)"),
        OPT_HEADING("A recorded history"),
        OPT_STRING(0, "dataset", &s.dataset, "DIR", "serve this recorded history"),
        OPT_TIME(0, "from", &s.from, "TIME", "start at this time of the history (default: 30 days before its end)"),
        OPT_TIME(0, "to", &s.to, "TIME", "stop the history at this time (default: its end)"),
        OPT_HEADING("What happens to its pages"),
        OPT_UINT(0, "words", &s.words, "N", "give a page N words that stay (default: 600)"),
        OPT_STRING(0, "edits", &s.edits, "LIST", "make edits of these kinds (default: paragraph,image)"),
        OPT_STRING(0, "noise", &s.noise, "LIST",
                   "let a share of the pages differ on every request: token:1,teaser:0.3 (default: none)"),
        OPT_STRING(0, "faults", &s.faults, "LIST",
                   "serve a share of the pages misleadingly: weak:1,stale:0.2 (default: none)"),
        OPT_HEADING("The server"),
        OPT_REAL_IN(0, 1e6, 0, "speed", &s.o.speed, "X", "let the site's clock run X times as fast (default: 1)"),
        OPT_UINT_IN(0, 65535, 'p', "port", &s.port, "N", "listen on this port (default: 0, any free one)"),
        OPT_STRING(0, "truth", &s.o.truth, "FILE", "log every version of every page to this file, as JSON lines"),
        OPT_STRING(0, "requests", &s.o.requests, "FILE", "log every request to this file, as JSON lines"),
        OPT_STRING(0, "ready-file", &s.ready_file, "FILE",
                   "write the site's URL to this file as soon as the site answers"),
        OPT_DURATION(0, "for", &s.how_long, "TIME",
                     "stop after this long (default: run until interrupted; watch: 14d, or the whole history)"),
        OPT_HEADING("run and watch"),
        OPT_STRING('s', "strategy", &s.strategies, "LIST",
                   "compare these strategies (default: bfs-lifo,sharc-focus; watch: "
                   "value,index-freshness,index-coherence,index-blur)"),
        OPT_DURATION('d', "delay", &s.delay, "TIME", "wait this long between two requests (default: 100ms; watch: 1s)"),
        OPT_STRING(0, "keep", &s.keep, "DIR", "keep the archives and logs in this directory"),
        OPT_HEADING("watch"),
        OPT_DURATION(0, "longest", &s.longest, "TIME", "look at every page at least this often (default: no limit)"),
        OPT_STRING(0, "svg", &s.svg, "FILE", "draw completeness and coherence over the share of resources"),
        OPT_HEADING("run"),
        OPT_FLAG(0, "virtual", &s.virtual_time,
                 "let time pass only while the crawl waits: as fast as the machine can, and not changed by its load"),
        OPT_UINT_IN(1, 64, 0, "connections", &s.connections, "N",
                    "download N pages at a time, without delay (default: 1)"),
        OPT_UINT(0, "runs", &s.runs_wanted, "N",
                 "crawl N times with each strategy, each time with another seed (default: 1)"),
        OPT_STRING(0, "controls", &s.controls, "SHARE|every|none",
                   "make control downloads as sharc crawl does (default: 5% of the pages)"),
        OPT_FLAG(0, "no-signals", &s.no_signals, "let the crawls read sitemaps only once"),
        OPT_END,
    };
    if (cli_parse(c, &argc, argv, options)) return cli_stop(c);
    const char *what = argc > 1 ? argv[1] : "";
    if (strcmp(what, "judge") == 0 && (argc == 3 || argc == 4))
        return lab_judge(c, argv[2], argc == 4 ? argv[3] : "latest", s.o.truth);
    const bool run = strcmp(what, "run") == 0, watch = strcmp(what, "watch") == 0;
    if ((strcmp(what, "serve") != 0 && !run && !watch) || argc != 2)
        return cli_usage(c, "say what to do: sharc lab serve, run, watch, or judge ARCHIVE [CAPTURE]");
    int code = check_kind(c, &s, run, watch);
    if (code) return code;
    if (s.runs_wanted < 1 || s.runs_wanted > 1000) return cli_usage(c, "--runs must be 1 to 1000");
    s.runs = (unsigned)s.runs_wanted;
    code = crawl_read_controls(c, s.controls, &s.control_kind, &s.control_share);
    if (code) return code;
    if (s.port > UINT16_MAX) return cli_usage(c, "--port must be below 65536");
    if (!s.dataset && (s.pages < 10 || s.pages > SHARC_LIMIT_LAB_PAGES))
        return cli_usage(c, "--pages must be 10 to %u", SHARC_LIMIT_LAB_PAGES);
    struct sharc_err err = SHARC_ERR_INIT;
    if (read_mixes(&s, &err) < 0) return cli_usage(c, "%s", err.text);
    s.o.pages = (uint32_t)s.pages;
    s.o.port = (uint16_t)s.port;
    return with_site(c, &s, run ? lab_run : watch ? lab_watch : serve);
}

/* SPDX-License-Identifier: Apache-2.0
 *
 * sharc lab watch: strategies compared by the real watch on a living site, in virtual time.
 */
#include "cli_signals.h"
#include "cmd_lab.h"

#include "sharc/base_file.h"
#include "sharc/lab_watch.h"
#include "sharc/schedule_watch.h"

#include <math.h>
#include <stdlib.h>

static const double shares[] = {0.1, 0.2, 0.4, 0.6, 0.8, 1};

#define OUTPUT_MAX ((size_t)16 << 20)

struct results {
    struct sharc_lab_watched *run;
    struct sharc_sim_watched *worth;
    struct sharc_sim_scene *scene; /* of the last run: the truth is the same in all */
    size_t count;
};

static void results_done(struct results *r)
{
    free(r->run);
    free(r->worth);
    sharc_sim_scene_free(r->scene);
}

static void watch_signals(void *arg, struct sharc_watching *watch)
{
    (void)arg;
    if (watch)
        cli_signals_watch(watch);
    else
        cli_signals_release();
}

/* Whether it kept its word. */
static void write_runs(struct cli *c, const struct results *r)
{
    static const char *const titles[] = {"strategy", "share",    "requests", "allowed",
                                         "most/day", "archived", "pause",    "longest wait"};
    SHARC_AUTO(cli_table_freep) struct cli_table *t = cli_table_new(SHARC_LENGTH(titles), titles, "lrrrrrrr");
    char text[SHARC_TIME_TEXT];
    for (size_t i = 0; i < r->count; i++) {
        const struct sharc_lab_watched *w = &r->run[i];
        cli_table_cell(t, "%s", sharc_watch_name(w->worth.strategy));
        cli_table_cell(t, "%.0f %%", 100 * w->worth.share);
        cli_table_cell(t, "%llu", (unsigned long long)w->requests);
        cli_table_cell(t, "%llu", (unsigned long long)w->allowed);
        cli_table_cell(t, "%llu", (unsigned long long)w->most_a_day);
        cli_table_cell(t, "%llu/%llu", (unsigned long long)w->looked, (unsigned long long)w->pages);
        cli_table_cell(t, "%s",
                       w->shortest_pause == SHARC_TIME_NONE ? "-" : sharc_duration_text(w->shortest_pause, text));
        cli_table_cell(t, "%s", sharc_duration_text(w->longest_wait, text));
    }
    cli_table_print(t, c->out);
}

static void write_json(struct cli *c, const struct lab_settings *s, const struct results *r)
{
    SHARC_AUTO(sharc_buf_done) struct sharc_buf out = SHARC_BUF_INIT(OUTPUT_MAX);
    struct sharc_json j;
    sharc_json_init(&j, &out, true);
    sharc_json_object(&j, NULL);
    sharc_json_str(&j, "site", sharc_sim_scene_name(r->scene));
    sharc_json_uint(&j, "pages", sharc_sim_scene_pages(r->scene));
    sharc_json_uint(&j, "seed", s->o.seed);
    sharc_json_real(&j, "delay", (double)s->delay / (double)SHARC_SEC);
    sharc_json_real(&j, "seconds", (double)s->how_long / (double)SHARC_SEC);
    sharc_json_real(&j, "all_resources_per_hour", sharc_sim_scene_full(r->scene));
    sharc_json_array(&j, "results");
    for (size_t i = 0; i < r->count; i++) {
        const struct sharc_lab_watched *w = &r->run[i];
        sharc_json_object(&j, NULL);
        sharc_json_str(&j, "strategy", sharc_watch_name(w->worth.strategy));
        sharc_json_real(&j, "share", w->worth.share);
        sharc_json_real(&j, "completeness", w->worth.completeness);
        sharc_json_real(&j, "freshness", w->worth.freshness);
        sharc_json_real(&j, "coherence", w->worth.coherence);
        sharc_json_real(&j, "exact", w->worth.exact);
        sharc_json_real(&j, "blur", w->worth.blur);
        sharc_json_uint(&j, "requests", w->requests);
        sharc_json_uint(&j, "allowed", w->allowed);
        sharc_json_uint(&j, "most_a_day", w->most_a_day);
        sharc_json_real(&j, "shortest_pause",
                        w->shortest_pause == SHARC_TIME_NONE ? (double)NAN
                                                             : (double)w->shortest_pause / (double)SHARC_SEC);
        sharc_json_real(&j, "longest_wait", (double)w->longest_wait / (double)SHARC_SEC);
        sharc_json_uint(&j, "site_pages", w->pages);
        sharc_json_uint(&j, "archived", w->looked);
        sharc_json_end(&j);
    }
    sharc_json_end(&j);
    sharc_json_end(&j);
    fprintf(c->out, "%s\n", sharc_buf_str(&out));
}

static int write_all(struct cli *c, const struct lab_settings *s, const struct results *r, struct sharc_err *err)
{
    const unsigned figures = 1u << SHARC_WATCHED_COMPLETENESS | 1u << SHARC_WATCHED_COHERENCE;
    const unsigned tables =
        figures | 1u << SHARC_WATCHED_FRESHNESS | 1u << SHARC_WATCHED_EXACT | 1u << SHARC_WATCHED_BLUR;
    SHARC_AUTO(sharc_buf_done) struct sharc_buf out = SHARC_BUF_INIT(OUTPUT_MAX);
    SHARC_AUTO(sharc_buf_done) struct sharc_buf picture = SHARC_BUF_INIT(OUTPUT_MAX);
    char time[SHARC_TIME_TEXT], delay[SHARC_TIME_TEXT];
    if (s->svg) {
        sharc_sim_watch_svg(r->scene, r->worth, r->count, figures, &picture);
        int n = sharc_file_replace(s->svg, sharc_buf_span(&picture), err);
        if (n < 0) return n;
    }
    if (c->json) {
        write_json(c, s, r);
        return 0;
    }
    fprintf(
        c->out,
        "%s of %s watched for %s in virtual time, %s between requests; all resources are %.2f requests per hour\n\n",
        sharc_sim_scene_name(r->scene), SHARC_COUNT(sharc_sim_scene_pages(r->scene), "page"),
        sharc_duration_text(s->how_long, time), sharc_duration_text(s->delay, delay), sharc_sim_scene_full(r->scene));
    sharc_sim_watch_write(r->scene, r->worth, r->count, tables, SHARC_SIM_TEXT, &out);
    fprintf(c->out, "%s\n", sharc_buf_str(&out));
    write_runs(c, r);
    return 0;
}

/* A watch that asked sooner than it may, or more often, has a fault. */
static bool broke_its_word(const struct lab_settings *s, const struct results *r)
{
    for (size_t i = 0; i < r->count; i++) {
        const struct sharc_lab_watched *w = &r->run[i];
        if (w->shortest_pause != SHARC_TIME_NONE && w->shortest_pause < s->delay) return true;
        /* robots.txt and lists are asked for on credit: sharc_watch_spend. */
        if ((double)w->requests > (double)w->allowed + 1 + fmax(24 * w->full * w->worth.share, 8)) return true;
    }
    return false;
}

static int run_all(struct cli *c, const struct lab_settings *s, const struct sharc_watch_ops **list, const char *home,
                   struct results *ret, struct sharc_err *err)
{
    SHARC_AUTO(sharc_progress_freep) struct sharc_progress *p = cli_progress(c, "lab", "watches", ret->count);
    struct sharc_lab_watch_options o = {.site = s->o,
                                        .time = s->how_long,
                                        .delay = s->delay,
                                        .longest = s->longest,
                                        .home = home,
                                        .running = watch_signals};
    int r = 0;
    for (size_t i = 0; i < ret->count && r == 0; i++) {
        o.strategy = list[i / SHARC_LENGTH(shares)];
        o.share = shares[i % SHARC_LENGTH(shares)];
        sharc_sim_scene_freep(&ret->scene);
        sharc_progress_note(p, sharc_watch_name(o.strategy));
        r = sharc_lab_watch_run(&o, &ret->run[i], &ret->scene, err);
        ret->worth[i] = ret->run[i].worth;
        if (r == 0) sharc_progress_add(p, 1, s->o.clock->now(s->o.clock));
    }
    sharc_progress_finish(p, s->o.clock->now(s->o.clock));
    return r;
}

int lab_watch(struct cli *c, struct lab_settings *s)
{
    struct sharc_err err = SHARC_ERR_INIT;
    SHARC_AUTO(sharc_freep) const struct sharc_watch_ops **list = NULL;
    size_t n = 0;
    const char *names = s->strategies ? s->strategies : "value,index-freshness,index-coherence,index-blur";
    if (sharc_sim_watch_strategies(sharc_span_of(names), &list, &n, &err) < 0) return cli_usage(c, "%s", err.text);
    SHARC_AUTO(sharc_freep) char *home = lab_home(s, &err);
    if (!home) return cli_fail(c, &err);
    if (s->delay == SHARC_TIME_NONE) s->delay = SHARC_SEC;
    if (s->how_long == SHARC_TIME_NONE && s->o.dataset) s->how_long = sharc_time_of_seconds(s->o.to - s->o.from);
    if (s->how_long == SHARC_TIME_NONE) s->how_long = 14 * SHARC_DAY;
    SHARC_AUTO(results_done)
    struct results results = {.run = SHARC_NEW_ARRAY(struct sharc_lab_watched, n * SHARC_LENGTH(shares)),
                              .worth = SHARC_NEW_ARRAY(struct sharc_sim_watched, n * SHARC_LENGTH(shares)),
                              .count = n * SHARC_LENGTH(shares)};
    int r = run_all(c, s, list, home, &results, &err);
    if (r == 0) r = write_all(c, s, &results, &err);
    lab_home_done(s, home);
    if (r < 0) return cli_fail(c, &err);
    return broke_its_word(s, &results) ? EXIT_FINDINGS : EXIT_OK;
}

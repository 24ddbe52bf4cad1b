/* SPDX-License-Identifier: Apache-2.0
 *
 * One run may capture many sites, and be interrupted when some of them are done. Whoever
 * resumes it wants the others only. Captures carry the number of their run (in their
 * parameters), and so do the sites that were given to it (in their settings), begun or not.
 */
#include "engine.h"

#include "sharc/base_json.h"
#include "sharc/base_node.h"
#include "sharc/store_query.h"

#include <stdio.h>

/* The member "crawl" of a JSON object: the number of its run; 0: none. */
static int64_t run_of(struct sharc_span json)
{
    struct sharc_arena arena = SHARC_ARENA_INIT(1u << 20);
    const struct sharc_node *n = NULL;
    int64_t run = sharc_json_read(json, &arena, &n, NULL) == 0 ? sharc_node_int(sharc_node_get(n, "crawl"), 0) : 0;
    sharc_arena_done(&arena);
    return run;
}

static bool is_unfinished(const struct sharc_store_capture *row)
{
    return row->state == SHARC_CAPTURE_RUNNING || row->state == SHARC_CAPTURE_INTERRUPTED;
}

/* --- what the catalogue knows of earlier runs ----------------------------------------- */

/* Captures that a crawl made, the newest of each site first. */
static int crawled(struct sharc_store *store, struct sharc_store_rows **ret, struct sharc_err *reterr)
{
    struct sharc_store_capture_filter f = SHARC_STORE_CAPTURE_FILTER_INIT;
    f.newest_first = true;
    return sharc_store_captures(store, &f, ret, reterr);
}

static int next_crawled(struct sharc_store_rows *rows, struct sharc_store_capture *ret, struct sharc_err *reterr)
{
    int r;
    while ((r = sharc_store_rows_next(rows, reterr)) > 0) {
        sharc_store_read_capture(rows, ret);
        if (sharc_span_is(ret->source, "crawl")) return 1;
    }
    return r;
}

/* The run of the newest capture, among those that are the newest of their site, that is not
 * finished; 0: none. among: sites that count; NULL: all. */
static int unfinished_run(struct sharc_store *store, const struct sharc_intern *among, int64_t *ret,
                          struct sharc_err *reterr)
{
    SHARC_AUTO(sharc_store_rows_freep) struct sharc_store_rows *rows = NULL;
    struct sharc_intern *seen = sharc_intern_new();
    struct sharc_store_capture row;
    *ret = 0;
    int r = crawled(store, &rows, reterr);
    while (r >= 0 && *ret == 0 && (r = next_crawled(rows, &row, reterr)) > 0) {
        bool newest = false;
        (void)sharc_intern_add(seen, row.site_name, &newest);
        bool counts = !among || sharc_intern_find(among, row.site_name) != SHARC_NO_ID;
        if (newest && counts && is_unfinished(&row)) *ret = run_of(row.params);
    }
    sharc_intern_free(seen);
    return r < 0 ? r : 0;
}

/* --- a run that goes on ------------------------------------------------------------------ */

static void captured_before(struct site *s, const struct sharc_store_capture *row)
{
    char when[SHARC_TIME_TEXT];
    s->summary = (struct sharc_crawl_summary){.name = s->name,
                                              .strategy = s->crawl->ctx.o.strategy->name,
                                              .capture = row->id,
                                              .phase = SHARC_CRAWL_DONE,
                                              .before = true,
                                              .start = row->start,
                                              .end = row->end,
                                              .reference = row->reference};
    s->finished = true;
    sharc__crawl_remark(&s->crawl->ctx, "%s was captured before the interruption (capture %lld, until %s)", s->name,
                        (long long)row->id, sharc_time_iso(row->end, 0, when));
}

static int find_captured(struct sharc_crawl *c, struct sharc_err *reterr)
{
    SHARC_AUTO(sharc_store_rows_freep) struct sharc_store_rows *rows = NULL;
    struct sharc_store_capture row;
    int r = crawled(c->ctx.w.store, &rows, reterr);
    while (r >= 0 && (r = next_crawled(rows, &row, reterr)) > 0) {
        uint32_t number = sharc_intern_find(c->site_names, row.site_name);
        if (number == SHARC_NO_ID || row.state != SHARC_CAPTURE_COMPLETE || c->site[number]->finished) continue;
        if (run_of(row.params) == c->run) captured_before(c->site[number], &row);
    }
    return r;
}

/* So that a run can be resumed by whoever does not know what it was about. */
static int put_sites(struct sharc_crawl *c, struct sharc_err *reterr)
{
    char settings[48];
    int r = 0;
    snprintf(settings, sizeof settings, "{\"crawl\":%lld}", (long long)c->run);
    for (size_t i = 0; i < c->sites && r == 0; i++)
        r = sharc__crawl_put_site(c->site[i], sharc_span_of(settings), reterr);
    return r;
}

/* The capture of a job may be complete, and its worker have died before it could say so: then only files and index
 * are left to be seen to. */
static int find_job_done(struct sharc_crawl *c, struct sharc_err *reterr)
{
    const sharc_store_id capture = c->ctx.o.job.capture;
    struct site *s = c->site[0];
    SHARC_AUTO(sharc_store_rows_freep) struct sharc_store_rows *rows = NULL;
    struct sharc_store_capture_filter f = SHARC_STORE_CAPTURE_FILTER_INIT;
    struct sharc_store_capture row;
    f.site = s->capture.site;
    f.newest_first = true;
    int r = sharc_store_captures(c->ctx.w.store, &f, &rows, reterr);
    while (r >= 0 && (r = sharc_store_rows_next(rows, reterr)) > 0) {
        sharc_store_read_capture(rows, &row);
        if (row.id != capture || row.state != SHARC_CAPTURE_COMPLETE) continue;
        sharc__crawl_capture_is(&s->capture, s->capture.site, row.id, row.start, s->seeds[0]);
        captured_before(s, &row);
    }
    return r;
}

int sharc__crawl_run_begin(struct sharc_crawl *c, struct sharc_err *reterr)
{
    int r = c->ctx.o.fresh || c->ctx.o.job.id ? 0 : unfinished_run(c->ctx.w.store, c->site_names, &c->run, reterr);
    if (r == 0 && c->run) r = find_captured(c, reterr);
    if (r == 0 && !c->run) c->run = crawl_now(&c->ctx);
    if (r == 0) r = put_sites(c, reterr);
    return r == 0 && c->ctx.o.job.capture ? find_job_done(c, reterr) : r;
}

/* --- without seeds --------------------------------------------------------------------------- */

static int give_seeds(struct sharc_span json, sharc_crawl_seed_fn *fn, void *arg, struct sharc_err *reterr)
{
    struct sharc_arena arena = SHARC_ARENA_INIT(64u << 20);
    const struct sharc_node *n = NULL;
    int r = sharc_json_read(json, &arena, &n, reterr);
    for (const struct sharc_node *seed = r == 0 && n ? n->first : NULL; seed && r == 0; seed = seed->next)
        r = fn(arg, sharc_node_text(seed), reterr);
    sharc_arena_done(&arena);
    return r;
}

int sharc_crawl_unfinished(struct sharc_store *store, sharc_crawl_seed_fn *fn, void *arg, struct sharc_err *reterr)
{
    int64_t run = 0;
    int r = unfinished_run(store, NULL, &run, reterr);
    if (r < 0 || run == 0) return r;
    SHARC_AUTO(sharc_store_rows_freep) struct sharc_store_rows *rows = NULL;
    struct sharc_store_site row;
    int sites = 0;
    r = sharc_store_sites(store, &rows, reterr);
    while (r >= 0 && (r = sharc_store_rows_next(rows, reterr)) > 0) {
        sharc_store_read_site(rows, &row);
        if (run_of(row.settings) != run || !row.seeds.p) continue;
        r = give_seeds(row.seeds, fn, arg, reterr);
        sites++;
    }
    return r < 0 ? r : sites;
}

/* SPDX-License-Identifier: Apache-2.0
 *
 * The loop. It is that of sim/crawl.c, for many sites, with the network in place of the
 * site's truth: the next page of every site that is due, its download, what became of it,
 * and what the strategy is to know of that. The fetcher waits for the next time and for
 * downloads alike, so this is the only place where time passes.
 */
#include "engine.h"
#include "warc_store.h"

#include <limits.h>

#define SITES_AT_ONCE 200
#define APPLIED_AT_ONCE 16
#define URLS_AT_ONCE 2000             /* that get their numbers in the catalogue before the commit */
#define STOP_PATIENCE (2 * SHARC_SEC) /* for pages that take long, after the first signal */
#define LIGHT_TURNS 8                 /* in a row, at most, while a page with very many links waits */
#define FULL_DISK_PAUSE (10 * SHARC_SEC)
#define ROBOTS_PAUSE (100 * SHARC_MSEC)
#define STATS_EVERY (20 * SHARC_SEC)
#define PROGRESS_EVERY (100 * SHARC_MSEC)
#define SITES_EVERY SHARC_SEC /* sites that wait for memory are looked at */
#define CONTROL_EVERY (500 * SHARC_MSEC)

/* --- sites -------------------------------------------------------------------------- */

/* Begin as many sites as may run side by side. */
static int begin_sites(struct sharc_crawl *c, struct sharc_err *reterr)
{
    size_t most = c->ctx.o.sites ? c->ctx.o.sites : SITES_AT_ONCE;
    int r = 0;
    while (r == 0 && c->begun < c->sites && c->active < most && !c->stop.asked) {
        if (c->active > 0 && sharc__crawl_memory_is_scarce(c)) {
            sharc__crawl_memory_tell(c);
            break;
        }
        struct site *s = c->site[c->begun++];
        if (s->finished) continue; /* captured before the run was interrupted */
        r = sharc__crawl_site_begin(s, reterr);
        c->active++;
        if (r == 0) sharc__crawl_site_due(s, crawl_now(&c->ctx));
    }
    return r;
}

static int end_site(struct site *s, struct sharc_err *reterr)
{
    if (s->finished || s->agenda.outstanding > 0) return 0;
    int r = sharc__crawl_finish_site(s, reterr);
    if (r < 0) return r;
    sharc__crawl_site_shed(s);
    s->crawl->active--;
    return begin_sites(s->crawl, reterr);
}

/* Other workers have their turns as well. */
static int is_turn(struct site *s, sharc_time now, struct sharc_err *reterr)
{
    const struct sharc_crawl_pace pace = sharc__crawl_pace_at(s, s->group);
    sharc_time wait = 0;
    int r = sharc__crawl_host_turn(&s->crawl->hosts, s->agenda.current.host, &pace, &wait, reterr);
    if (r == 0) sharc__crawl_site_due(s, now + wait + TURN_SLACK);
    return r;
}

/* May the task that was chosen begin? If not, the site is looked at again when it may. */
static bool is_time(struct site *s, sharc_time now)
{
    struct group *g = &s->crawl->hosts.group[s->group];
    const struct sharc_crawl_pace pace = sharc__crawl_pace_at(s, s->group);
    unsigned most = sharc__crawl_group_at_once(g, &pace), own = sharc__crawl_group_at_once(g, &s->agenda.pace);
    sharc_time due = sharc__crawl_group_due(g);
    if (s->agenda.current.not_before > due) due = s->agenda.current.not_before;
    if (due > now) {
        sharc__crawl_site_due(s, sharc__crawl_limits_or_time_up(&s->agenda, due));
        return false;
    }
    if (s->agenda.downloading >= (own < most ? own : most)) return false; /* its own download will call */
    bool free = g->busy < most;
    if (!free) sharc__crawl_group_wait(g, s->number);
    return free;
}

/* The next pages of a site: as many downloads as may begin now. */
static int next_pages(struct site *s, sharc_time now, struct sharc_err *reterr)
{
    int r = 0;
    while (r == 0 && !s->finished && s->agenda.phase < SHARC_CRAWL_DONE && sharc__crawl_choose(s)) {
        if (!is_time(s, now)) return 0;
        r = is_turn(s, now, reterr);
        if (r <= 0) return r;
        r = sharc__crawl_start_download(s, reterr);
    }
    if (r == 0 && s->waits_for_robots) {
        s->waits_for_robots = false;
        sharc__crawl_site_due(s, now + ROBOTS_PAUSE);
    }
    if (r == 0 && s->agenda.phase >= SHARC_CRAWL_DONE) r = end_site(s, reterr);
    return r;
}

/* --- beside the loop ----------------------------------------------------------------------- */

static bool may_start(const struct sharc_crawl *c)
{
    return !c->stop.asked && !c->blocked && !c->paused;
}

static bool work_is_left(struct sharc_crawl *c)
{
    if (sharc_fetcher_pending(c->ctx.w.fetcher) > 0 || c->jobs.waiting) return true;
    return sharc__crawl_next_time(c) != SHARC_TIME_NONE && !c->stop.asked;
}

static void sooner(sharc_time *at, sharc_time when)
{
    if (when != SHARC_TIME_NONE && (*at == SHARC_TIME_NONE || when < *at)) *at = when;
}

/* The batch has more new URLs than a commit should have to write. */
static bool many_urls(const struct sharc_crawl *c)
{
    return c->jobs.pool && !sharc__crawl_writes_beside(c) && !c->journaled &&
           sharc_store_batch_unnumbered(c->out.batch) >= URLS_AT_ONCE;
}

static sharc_time wake_up_time(struct sharc_crawl *c)
{
    sharc_time now = crawl_now(&c->ctx), at = SHARC_TIME_NONE;
    const bool more = c->jobs.long_ones.head && !sharc__crawl_rows_wait(c);
    if (!c->blocked && (c->jobs.ready.head || more || many_urls(c))) return now;
    if (may_start(c)) sooner(&at, sharc__crawl_next_time(c));
    if (c->out.written && !c->blocked && !sharc_store_batch_under_way(c->out.written)) return now;
    if (!c->out.written) sooner(&at, sharc__crawl_commit_time(c)); /* the next commit comes after that one */
    if (c->blocked) sooner(&at, now + FULL_DISK_PAUSE);
    if (c->ctx.w.progress) sooner(&at, now + PROGRESS_EVERY);
    if (c->ctx.o.control) sooner(&at, now + CONTROL_EVERY);
    if (c->stop.asked && c->jobs.waiting) sooner(&at, c->stop.patience > now ? c->stop.patience : now + SHARC_SEC);
    return at;
}

static void react_to_signals(struct sharc_crawl *c)
{
    int signals = atomic_load(&c->stop.signals);
    if (signals == c->stop.seen) return;
    c->stop.seen = signals;
    if (!c->stop.asked) c->stop.patience = crawl_now(&c->ctx) + STOP_PATIENCE;
    c->stop.asked = true;
    if (signals >= 2) sharc_fetcher_abort(c->ctx.w.fetcher);
    sharc__crawl_remark(&c->ctx, "%s",
                        signals >= 2 ? "aborting the downloads under way"
                                     : "stopping: finishing the downloads under way (again to abort them)");
}

/* Logs, progress and wishes, from time to time. */
static int tell_the_world(struct sharc_crawl *c, struct sharc_err *reterr)
{
    sharc_time now = crawl_now(&c->ctx);
    if (now >= c->next.stats) {
        sharc__crawl_write_stats(c);
        c->next.stats = now + STATS_EVERY;
    }
    if (c->ctx.w.progress && now >= c->next.progress) {
        struct sharc_crawl_status st;
        sharc_crawl_status(c, &st);
        c->ctx.w.progress(c->ctx.w.arg, &st);
        c->next.progress = now + PROGRESS_EVERY;
    }
    if (c->ctx.o.memory && now >= c->next.sites) {
        c->next.sites = now + SITES_EVERY;
        (void)sharc__crawl_memory_is_scarce(c); /* large pages heed it, too */
        int r = begin_sites(c, reterr);
        if (r < 0) return r;
    }
    if (c->blocked || (now < c->next.control && !atomic_load(&c->steering.reread))) return 0;
    c->next.control = now + CONTROL_EVERY;
    return sharc__crawl_steer(c, reterr);
}

/* A full disk is waited out; everything else is an error. */
static int bear(struct sharc_crawl *c, int r, const struct sharc_err *err)
{
    if (r >= 0) {
        if (c->blocked) sharc__crawl_remark(&c->ctx, "there is room on the disk again: continuing");
        c->blocked = false;
        return 0;
    }
    if (r != SHARC_ENOSPC) return r;
    if (!c->blocked) sharc__crawl_remark(&c->ctx, "%s: waiting until there is room", err->text);
    c->blocked = true;
    return c->stop.asked ? r : 0;
}

/* --- one turn: next page, download, apply, observe -------------------------------------- */

static int start_downloads(struct sharc_crawl *c, struct sharc_err *reterr)
{
    sharc_time now = crawl_now(&c->ctx);
    int r = 0;
    for (struct site *s; r == 0 && (s = sharc__crawl_next_due(c, now)) != NULL;) r = next_pages(s, now, reterr);
    return r;
}

static void download_ended(struct sharc_crawl *c, struct sharc_fetch_result *result)
{
    const struct job *j = result->user;
    struct site *s = j->site;
    uint32_t group = c->hosts.host[j->task.host].group;
    struct group *g = &c->hosts.group[group];
    const struct sharc_crawl_pace pace = sharc__crawl_pace_at(s, group);
    sharc_time end = result->end;
    sharc__crawl_group_ended(g, &pace, end, end - result->start);
    /* What goes wrong with it the next commit will tell; until then the host is held. */
    (void)sharc__crawl_host_rests(&c->hosts, j->task.host, &pace, end, NULL);
    size_t waited = sharc__crawl_group_release(g);
    for (size_t i = 0; i < waited; i++) sharc__crawl_site_due(c->site[g->waiting[i]], end);
    sharc__crawl_download_ended(c, result);
    sharc__crawl_site_due(s, end); /* without a pause the next download begins while this one is processed */
}

static int apply_one(struct sharc_crawl *c, struct job *j, struct sharc_err *reterr)
{
    struct site *s = j->site;
    int r = sharc__crawl_apply(j, reterr); /* and the strategy observes */
    if (r != 0) return r < 0 ? r : 0;      /* 1: there is more of it, for another turn */
    sharc__crawl_job_applied(c, j);
    sharc__crawl_site_due(s, crawl_now(&c->ctx));
    return 0;
}

/* A piece of what takes long: some links of a page with very many of them, or some URLs of such a page that the
 * catalogue does not know. Sites with ordinary pages come first, as long as that is not always. */
static int apply_piece(struct sharc_crawl *c, struct sharc_err *reterr)
{
    struct job *j = sharc__crawl_rows_wait(c) ? NULL : sharc__crawl_next_ready(c, true);
    const bool urls = many_urls(c);
    if (!j && !urls) return 0;
    if (c->jobs.ready.head && ++c->jobs.passed_over < LIGHT_TURNS) return 0;
    c->jobs.passed_over = 0;
    if (urls) return sharc__crawl_number_urls(&c->out, URLS_AT_ONCE, reterr);
    return apply_one(c, j, reterr);
}

/* A few at a time: then the network is looked at again, which should not wait. */
static int apply_downloads(struct sharc_crawl *c, struct sharc_err *reterr)
{
    struct job *j;
    sharc__crawl_jobs_move(c);
    if (c->stop.asked && crawl_now(&c->ctx) >= c->stop.patience) sharc__crawl_jobs_give_back(c);
    for (int left = c->jobs.pool ? APPLIED_AT_ONCE : INT_MAX; left > 0 && (j = sharc__crawl_next_ready(c, false));
         left--) {
        int r = apply_one(c, j, reterr);
        if (r < 0) return r;
    }
    return apply_piece(c, reterr);
}

/* Sleep until a download ends or something is due: 1 when downloads have ended. */
static int wait_for_downloads(struct sharc_crawl *c, struct sharc_err *reterr)
{
    struct sharc_fetch_result *result = NULL;
    /* Asleep before wake_up_time() looks whether something is done already. */
    sharc_time until = sharc__crawl_jobs_sleep(c, true) ? wake_up_time(c) : 0;
    int r = sharc_fetcher_wait(c->ctx.w.fetcher, until, NULL, &result, reterr);
    (void)sharc__crawl_jobs_sleep(c, false);
    bool any = r > 0;
    for (; r > 0; r = sharc_fetcher_wait(c->ctx.w.fetcher, 0, NULL, &result, reterr)) download_ended(c, result);
    return r < 0 && r != SHARC_EINTR ? r : any;
}

static int turn(struct sharc_crawl *c, struct sharc_err *reterr)
{
    react_to_signals(c);
    int r = tell_the_world(c, reterr);
    if (r == 0 && may_start(c)) r = start_downloads(c, reterr);
    if (r < 0 || !work_is_left(c)) return bear(c, r, reterr);
    int ended = wait_for_downloads(c, reterr);
    if (ended < 0) return ended;
    /* While others work on what came, the next downloads are under way. */
    if (ended && c->jobs.pool && may_start(c)) r = start_downloads(c, reterr);
    /* What is applied after the journal has gone into a batch that could not be written would not be in it. */
    if (r == 0 && !c->journaled) r = apply_downloads(c, reterr);
    if (r == 0 && !many_urls(c)) r = sharc__crawl_commit_due(c, reterr);
    return bear(c, r, reterr);
}

/* --- all of it -------------------------------------------------------------------------------- */

/* The index is about objects, too: a store that is away is waited for, unless the crawl is to stop. */
static int index_files(struct sharc_crawl *c, struct sharc_err *reterr)
{
    for (;;) {
        int r = sharc__crawl_index(&c->out, reterr);
        if (r != SHARC_ENET || !c->out.outbox || c->ctx.o.job.id) return r;
        react_to_signals(c);
        if (!c->stop.asked) r = sharc__crawl_store_wait(&c->out, reterr);
        if (r < 0 && r != SHARC_EINTR && !c->stop.asked) return r;
        if (r == 0) continue;
        sharc__crawl_remark(&c->ctx, "the object store is away: the next crawl of this archive makes the index");
        return 0;
    }
}

static int finish_all(struct sharc_crawl *c, struct sharc_err *reterr)
{
    int r = 0;
    for (size_t i = 0; i < c->sites && r == 0; i++) {
        struct site *s = c->site[i];
        if (s->finished || !s->agenda.plan.ops) continue;
        if (s->agenda.phase < SHARC_CRAWL_DONE) sharc__crawl_stopped(&s->reach);
        if (s->agenda.phase == SHARC_CRAWL_DONE) r = sharc__crawl_finish_site(s, reterr);
    }
    if (r == 0) r = sharc__crawl_leave_sites(c, reterr);
    if (r == 0 && c->out.warc) r = sharc_warc_writer_finish(c->out.warc, reterr);
    if (r == 0) r = sharc__crawl_files_closed(&c->out, reterr);
    if (r == 0) r = sharc__crawl_commit(c, reterr);
    if (r == 0) r = index_files(c, reterr);
    if (r == 0) r = sharc__crawl_store_finish(&c->out, c->stop.asked, reterr);
    return r;
}

/* The end needs room as well, above all for the index: it can be tried again. */
static int finish_patiently(struct sharc_crawl *c, struct sharc_err *reterr)
{
    struct sharc_fetch_result *none = NULL;
    for (;;) {
        int r = bear(c, finish_all(c, reterr), reterr);
        if (r < 0 || !c->blocked) return r;
        r = sharc_fetcher_wait(c->ctx.w.fetcher, crawl_now(&c->ctx) + FULL_DISK_PAUSE, NULL, &none, reterr);
        if (r < 0 && r != SHARC_EINTR) return r;
        react_to_signals(c);
    }
}

static int run(struct sharc_crawl *c, struct sharc_err *err)
{
    sharc__crawl_paces_begin(c);
    int r = c->sites > SHARED_WARC ? sharc__crawl_warc_open(&c->out, NULL, err) : 0;
    if (r == 0) r = sharc__crawl_run_begin(c, err);
    if (r == 0) r = begin_sites(c, err);
    while (r == 0 && work_is_left(c)) r = turn(c, err);
    if (c->jobs.pool) sharc_pool_wait(c->jobs.pool);
    return r == 0 ? finish_patiently(c, err) : r;
}

int sharc_crawl_run(struct sharc_crawl *c, struct sharc_err *reterr)
{
    struct sharc_err err = SHARC_ERR_INIT;
    c->next.started = crawl_now(&c->ctx);
    c->next.stats = c->next.started + STATS_EVERY;
    int r = run(c, &err);
    sharc__crawl_write_stats(c);
    c->lost = r == SHARC_EACCESS && c->ctx.o.job.id;
    if (r < 0) {
        if (reterr) *reterr = err;
        return r;
    }
    SHARC_FAIL_IF(c->stop.asked, reterr, SHARC_EINTR, "stopped; run the same command again to resume");
    for (size_t i = 0; i < c->sites; i++) {
        const struct site *s = c->site[i];
        SHARC_FAIL_IF(s->agenda.phase == SHARC_CRAWL_SUSPENDED, reterr, SHARC_ENET,
                      "%s: %s; run the same command again to resume", s->name, s->reach.why);
    }
    return 0;
}

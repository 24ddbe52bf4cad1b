/* SPDX-License-Identifier: Apache-2.0
 *
 * The loop. Sites stand in a heap by the time they are due; the fetcher waits
 * for the next of them and for downloads alike, so this is the only place where
 * time passes.
 */
#include "crawl_int.h"

#include "sharc/base_file.h"

#include <inttypes.h>
#include <limits.h>
#include <math.h>
#include <stdlib.h>

#define SITES_AT_ONCE 200
#define APPLIED_AT_ONCE 4
#define FULL_DISK_PAUSE (10 * SHARC_SEC)
#define STATS_EVERY (20 * SHARC_SEC)
#define PROGRESS_EVERY (100 * SHARC_MSEC)
#define CONTROL_EVERY (500 * SHARC_MSEC)

void sharc__crawl_site_due(struct site *s, sharc_time when)
{
    sharc_heap_push(&s->crawl->due, (double)when, s->crawl->turns++, s->number);
}

/* --- jobs ------------------------------------------------------------------------ */

static struct job *new_job(struct sharc_crawl *c)
{
    struct job *j = c->spare;
    if (j) { /* clear since it was put there */
        c->spare = j->next;
        j->next = NULL;
        return j;
    }
    j = SHARC_NEW(struct job);
    sharc__crawl_job_clear(j);
    return j;
}

static void recycle(struct sharc_crawl *c, struct job *j)
{
    sharc__crawl_job_clear(j);
    j->next = c->spare;
    c->spare = j;
}

/* Jobs are applied in order: the loop is woken for the one that it waits for, and not
 * for those behind it. */
static void work(void *arg)
{
    struct job *j = arg;
    struct sharc_crawl *c = j->site->crawl;
    sharc__crawl_process(j);
    atomic_store(&j->done, true);
    if (atomic_load(&c->awaited) == j) sharc_fetcher_wake(c->w.fetcher); /* j may be gone: only its address counts */
}

/* --- starting downloads -------------------------------------------------------------- */

static void write_uuid(const uint8_t id[16], char out[SHARC_WARC_ID_TEXT])
{
    char hex[SHARC_HEX_SIZE(16)];
    sharc_hex_encode(sharc_span(id, 16), hex);
    snprintf(out, SHARC_WARC_ID_TEXT, "<urn:uuid:%.8s-%.4s-%.4s-%.4s-%.12s>", hex, hex + 8, hex + 12, hex + 16,
             hex + 20);
}

/* Hand the version before to the job, and ask only for a newer one. */
static size_t conditions(struct job *j, const struct seen *v, char date[SHARC_TIME_TEXT])
{
    static const uint8_t no_id[16];
    struct site *s = j->site;
    struct sharc_crawl *c = s->crawl;
    size_t n = 0;
    if (!v || v->status == 0) return 0;
    j->before = *v;
    j->compare = true;
    if (memcmp(v->id, no_id, sizeof no_id) != 0) write_uuid(v->id, j->before_id);
    if (v->file != SHARC_NO_ID) j->before_file = sharc_path_join(c->warc_dir, sharc_intern_text(c->files, v->file).p);
    if (v->answer != SHARC_ANSWER_CONTENT || v->status != 200 || !v->has_digest) return 0;
    if (v->etag != SHARC_NO_ID)
        c->fields[n++] = (struct sharc_http_field){SHARC_SPAN("If-None-Match"), sharc_intern_text(s->etags, v->etag)};
    if (v->modified != SHARC_TIME_NONE)
        c->fields[n++] = (struct sharc_http_field){SHARC_SPAN("If-Modified-Since"),
                                                   sharc_span_of(sharc_http_date_text(v->modified, date))};
    j->conditional = n > 0;
    return n;
}

static int start_download(struct site *s, struct sharc_err *reterr)
{
    struct sharc_crawl *c = s->crawl;
    char date[SHARC_TIME_TEXT];
    struct job *j = new_job(c);
    j->site = s;
    j->task = s->current;
    s->has_current = false;
    j->asked = crawl_now(c);
    j->change_options = &c->change;
    bool page = j->task.kind >= TASK_VISIT;
    j->want_links = j->task.kind == TASK_VISIT || j->task.kind == TASK_EMBED;
    j->want_text = page ? !c->o.no_features || s->has_soft404 : j->task.kind == TASK_PROBE;
    j->want_guesses = c->o.guesses;
    struct sharc_span url = page_url(&s->pages, j->task.page);
    (void)sharc_url_parse(&j->url, url, NULL, NULL);
    size_t n = page ? conditions(j, page_seen(&s->pages, j->task.page), date) : 0;
    struct sharc_fetch_request req = {.url = url,
                                      .fields = c->fields,
                                      .fields_count = n,
                                      .max_body = j->task.kind == TASK_ROBOTS ? SHARC_ROBOTS_BYTES : c->o.max_body,
                                      .allow_private = c->o.allow_private,
                                      .user = j};
    bool choosy = c->o.types_count || c->o.not_types_count;
    if (choosy && (j->task.kind == TASK_VISIT || j->task.kind == TASK_EMBED)) req.wanted = sharc__crawl_wanted;
    int r = sharc_fetcher_submit(c->w.fetcher, &req, reterr);
    if (r < 0) {
        sharc__crawl_job_free(j);
        return r;
    }
    s->pages.page[j->task.page].flags |= PAGE_UNDER_WAY;
    s->downloading++;
    s->outstanding++;
    c->hosts.group[s->group].busy++;
    return 0;
}

/* Downloads that a group bears at a time. */
static unsigned at_once(const struct sharc_crawl *c, const struct group *g)
{
    bool pause = c->o.pace.delay > 0 || g->crawl_delay > 0;
    return pause || c->o.pace.connections == 0 ? 1 : c->o.pace.connections;
}

static void wait_for_group(struct site *s, struct group *g)
{
    SHARC_GROW(g->waiting, g->waiting_room, g->waiting_count + 1);
    g->waiting[g->waiting_count++] = s->number;
}

/* Begin as many sites as may run side by side. */
static int begin_sites(struct sharc_crawl *c, struct sharc_err *reterr)
{
    size_t most = c->o.sites ? c->o.sites : SITES_AT_ONCE;
    int r = 0;
    while (r == 0 && c->begun < c->sites && c->active < most && !c->stopping) {
        struct site *s = c->site[c->begun++];
        r = sharc__crawl_site_begin(s, reterr);
        c->active++;
        if (r == 0) sharc__crawl_site_due(s, crawl_now(c));
    }
    return r;
}

static int end_site(struct site *s, struct sharc_err *reterr)
{
    if (s->finished || s->outstanding > 0) return 0;
    int r = sharc__crawl_finish_site(s, reterr);
    if (r < 0) return r;
    sharc__crawl_site_shed(s);
    s->crawl->active--;
    return begin_sites(s->crawl, reterr);
}

static int dispatch(struct site *s, sharc_time now, struct sharc_err *reterr)
{
    struct sharc_crawl *c = s->crawl;
    int r = 0;
    while (r == 0 && !s->finished && s->phase < SHARC_CRAWL_DONE && sharc__crawl_choose(s)) {
        struct group *g = &c->hosts.group[s->group];
        sharc_time due = sharc__crawl_group_due(g);
        if (s->current.not_before > due) due = s->current.not_before;
        if (due > now) {
            sharc__crawl_site_due(s, sharc__crawl_or_time_up(s, due));
            return 0;
        }
        if (s->downloading >= at_once(c, g)) return 0; /* its own download will call */
        if (g->busy >= at_once(c, g)) {
            wait_for_group(s, g);
            return 0;
        }
        r = start_download(s, reterr);
    }
    if (r == 0 && s->waits_for_robots) {
        s->waits_for_robots = false;
        sharc__crawl_site_due(s, now + 100 * SHARC_MSEC);
    }
    if (r == 0 && s->phase >= SHARC_CRAWL_DONE) r = end_site(s, reterr);
    return r;
}

static int dispatch_due(struct sharc_crawl *c, sharc_time now, struct sharc_err *reterr)
{
    struct sharc_heap_item item;
    int r = 0;
    while (r == 0 && sharc_heap_peek(&c->due, &item) && item.key <= (double)now) {
        sharc_heap_pop(&c->due, &item);
        r = dispatch(c->site[item.value], now, reterr);
    }
    return r;
}

/* --- ended downloads ------------------------------------------------------------------ */

static void ended(struct sharc_crawl *c, struct sharc_fetch_result *result)
{
    struct job *j = result->user;
    struct site *s = j->site;
    struct group *g = &c->hosts.group[c->hosts.host[j->task.host].group];
    j->result = result;
    s->downloading--;
    g->busy--;
    sharc__crawl_group_ended(g, &c->o.pace, result->end, result->end - result->start);
    for (size_t i = 0; i < g->waiting_count; i++) sharc__crawl_site_due(c->site[g->waiting[i]], result->end);
    g->waiting_count = 0;
    j->next = NULL;
    if (c->tail)
        c->tail->next = j;
    else
        c->head = j;
    c->tail = j;
    c->jobs_waiting++;
    atomic_store(&j->done, false);
    sharc__crawl_pack_begin(j);
    if (c->pool) {
        sharc_pool_submit(c->pool, work, j);
    } else {
        sharc__crawl_process(j);
        atomic_store(&j->done, true);
    }
    /* Without a pause the next download begins while this one is processed. */
    sharc__crawl_site_due(s, result->end);
}

static bool is_done(const struct job *j)
{
    return j && atomic_load(&j->done);
}

/* A few at a time: then the network is looked at again, which should not wait. */
static int apply_done(struct sharc_crawl *c, struct sharc_err *reterr)
{
    for (int left = c->pool ? APPLIED_AT_ONCE : INT_MAX; left > 0 && is_done(c->head); left--) {
        struct job *j = c->head;
        j->site->pages.page[j->task.page].flags &= (uint8_t)~PAGE_UNDER_WAY;
        int r = sharc__crawl_apply(j, reterr);
        if (r < 0) return r;
        c->head = j->next;
        if (!c->head) c->tail = NULL;
        c->jobs_waiting--;
        j->site->outstanding--;
        sharc__crawl_site_due(j->site, crawl_now(c));
        recycle(c, j);
    }
    return 0;
}

static bool commit_is_due(const struct sharc_crawl *c, sharc_time now)
{
    unsigned most = c->o.commit_records ? c->o.commit_records : 1000;
    sharc_time wait = c->o.commit_time ? c->o.commit_time : SHARC_SEC;
    return c->journaled || c->records >= most || (c->records > 0 && now - c->first_record >= wait);
}

/* --- the loop ---------------------------------------------------------------------------- */

/* When to wake up at the latest. */
static sharc_time deadline(const struct sharc_crawl *c, sharc_time now)
{
    struct sharc_heap_item item;
    sharc_time at = SHARC_TIME_NONE;
    if (is_done(c->head) && !c->blocked) return now;
    if (!c->stopping && !c->blocked && sharc_heap_peek(&c->due, &item)) at = (sharc_time)item.key;
#define SOONER(t)                                      \
    do {                                               \
        sharc_time t_ = (t);                           \
        if (at == SHARC_TIME_NONE || t_ < at) at = t_; \
    } while (0)
    if (c->records > 0) SOONER(c->first_record + (c->o.commit_time ? c->o.commit_time : SHARC_SEC));
    if (c->blocked) SOONER(now + FULL_DISK_PAUSE);
    if (c->w.progress) SOONER(now + PROGRESS_EVERY);
    if (c->lock >= 0 && c->o.control) SOONER(now + CONTROL_EVERY);
    if (at == SHARC_TIME_NONE && c->jobs_waiting) at = now + 100 * SHARC_MSEC;
    return at;
#undef SOONER
}

static void react_to_signals(struct sharc_crawl *c)
{
    int stops = atomic_load(&c->stops);
    if (stops == c->stops_seen) return;
    c->stops_seen = stops;
    c->stopping = true;
    if (stops >= 2) sharc_fetcher_abort(c->w.fetcher);
    sharc__crawl_remark(c, "%s",
                        stops >= 2 ? "aborting the downloads under way"
                                   : "stopping: finishing the downloads under way (again to abort them)");
}

static int tell_the_world(struct sharc_crawl *c, sharc_time now, struct sharc_err *reterr)
{
    if (c->stats && now >= c->stats_next) {
        sharc__crawl_log_stats(c, now);
        c->stats_next = now + STATS_EVERY;
    }
    if (c->w.progress && now >= c->progress_next) {
        struct sharc_crawl_status st;
        sharc_crawl_status(c, &st);
        c->w.progress(c->w.arg, &st);
        c->progress_next = now + PROGRESS_EVERY;
    }
    if (c->blocked || (now < c->control_next && !atomic_load(&c->reread))) return 0;
    c->control_next = now + CONTROL_EVERY;
    return sharc__crawl_control_poll(c, reterr);
}

static bool work_is_left(struct sharc_crawl *c)
{
    struct sharc_heap_item item;
    if (sharc_fetcher_pending(c->w.fetcher) > 0 || c->head) return true;
    /* A time that was reckoned before the pace changed is no reason to wait for a site that is done. */
    while (sharc_heap_peek(&c->due, &item) && c->site[item.value]->finished) sharc_heap_pop(&c->due, &item);
    return !c->stopping && c->due.count > 0;
}

/* A full disk is waited out; everything else is an error. */
static int bear(struct sharc_crawl *c, int r, const struct sharc_err *err)
{
    if (r >= 0) {
        if (c->blocked) sharc__crawl_remark(c, "there is room on the disk again: going on");
        c->blocked = false;
        return 0;
    }
    if (r != SHARC_ENOSPC) return r;
    if (!c->blocked) sharc__crawl_remark(c, "%s: waiting until there is room", err->text);
    c->blocked = true;
    return c->stopping ? r : 0;
}

static int turn(struct sharc_crawl *c, struct sharc_err *reterr)
{
    struct sharc_fetch_result *result = NULL;
    sharc_time now = crawl_now(c);
    react_to_signals(c);
    int r = tell_the_world(c, now, reterr);
    if (r == 0 && !c->stopping && !c->blocked) r = dispatch_due(c, now, reterr);
    if (r < 0 || !work_is_left(c)) return bear(c, r, reterr);
    atomic_store(&c->awaited, c->head); /* before deadline() looks whether it is done already */
    r = sharc_fetcher_wait(c->w.fetcher, deadline(c, now), NULL, &result, reterr);
    atomic_store(&c->awaited, NULL);
    bool any = r > 0;
    for (; r > 0; r = sharc_fetcher_wait(c->w.fetcher, 0, NULL, &result, reterr)) ended(c, result);
    if (r < 0 && r != SHARC_EINTR) return r;
    r = 0;
    /* While others work on what came, the next downloads are under way. */
    if (any && c->pool && !c->stopping && !c->blocked) r = dispatch_due(c, crawl_now(c), reterr);
    if (r == 0) r = apply_done(c, reterr);
    if (r == 0 && commit_is_due(c, crawl_now(c))) r = sharc__crawl_commit(c, reterr);
    return bear(c, r, reterr);
}

static int finish_all(struct sharc_crawl *c, struct sharc_err *reterr)
{
    int r = 0;
    for (size_t i = 0; i < c->sites && r == 0; i++) {
        struct site *s = c->site[i];
        if (s->finished || !s->ops) continue;
        if (s->phase < SHARC_CRAWL_DONE) {
            s->phase = SHARC_CRAWL_SUSPENDED;
            snprintf(s->why, sizeof s->why, "stopped");
        }
        r = sharc__crawl_finish_site(s, reterr);
    }
    if (r == 0) r = sharc__crawl_commit(c, reterr);
    if (r == 0 && c->warc) r = sharc_warc_writer_finish(c->warc, reterr);
    if (r == 0) r = sharc__crawl_files_closed(c, reterr);
    if (r == 0) r = sharc__crawl_index(c, reterr);
    return r;
}

/* The end needs room as well, above all for the index: it can be tried again. */
static int finish_patiently(struct sharc_crawl *c, struct sharc_err *reterr)
{
    struct sharc_fetch_result *none = NULL;
    for (;;) {
        int r = bear(c, finish_all(c, reterr), reterr);
        if (r < 0 || !c->blocked) return r;
        r = sharc_fetcher_wait(c->w.fetcher, crawl_now(c) + FULL_DISK_PAUSE, NULL, &none, reterr);
        if (r < 0 && r != SHARC_EINTR) return r;
        react_to_signals(c);
    }
}

int sharc_crawl_run(struct sharc_crawl *c, struct sharc_err *reterr)
{
    struct sharc_err err = SHARC_ERR_INIT;
    int r = 0;
    c->started = crawl_now(c);
    c->stats_next = c->started + STATS_EVERY;
    if (c->sites > SHARED_WARC) r = sharc__crawl_shared_warc(c, &err);
    if (r == 0) r = begin_sites(c, &err);
    while (r == 0 && work_is_left(c)) r = turn(c, &err);
    if (c->pool) sharc_pool_wait(c->pool);
    if (r == 0) r = finish_patiently(c, &err);
    if (c->stats) sharc__crawl_log_stats(c, crawl_now(c));
    if (r < 0) {
        if (reterr) *reterr = err;
        return r;
    }
    SHARC_FAIL_IF(c->stopping, reterr, SHARC_EINTR, "stopped; the same command goes on where it was");
    for (size_t i = 0; i < c->sites; i++) {
        const struct site *s = c->site[i];
        SHARC_FAIL_IF(s->phase == SHARC_CRAWL_SUSPENDED, reterr, SHARC_ENET,
                      "%s: %s; the same command goes on where it was", s->name, s->why);
    }
    return 0;
}

void sharc_crawl_stop(struct sharc_crawl *c)
{
    atomic_fetch_add(&c->stops, 1);
    c->no_wait = true;
    sharc_fetcher_wake(c->w.fetcher);
}

/* --- status ------------------------------------------------------------------------------- */

const char *sharc_crawl_phase_text(enum sharc_crawl_phase p)
{
    static const char *const texts[] = {"preparing", "visits", "second looks", "revisits", "done", "suspended"};
    return (size_t)p < SHARC_LENGTH(texts) ? texts[p] : "";
}

static void add_site(const struct site *s, struct sharc_crawl_status *st)
{
    if (!s->ops) return; /* not begun */
    bool again = s->ops->revisits;
    uint64_t left = s->waiting + s->late.count, again_left = 0;
    if (again && s->count.visits + left > s->count.revisits) again_left = s->count.visits + left - s->count.revisits;
    if (s->phase >= SHARC_CRAWL_DONE) {
        st->sites_done++;
        left = again_left = 0;
    }
    if (s->phase < st->phase) st->phase = s->phase;
    st->known += s->pages.urls ? pages_count(&s->pages) : s->known;
    st->visited += s->count.visits;
    st->to_visit += left;
    st->revisited += s->count.revisits + s->count.looks;
    st->to_revisit += again_left;
    st->coherent += s->count.coherent;
    st->downloads += s->count.downloads;
    st->failed += s->count.failed;
    st->skipped += s->count.skipped;
    st->bytes += s->count.bytes;
    sharc__crawl_trouble_status(s, st);
}

void sharc_crawl_status(const struct sharc_crawl *c, struct sharc_crawl_status *ret)
{
    struct sharc_crawl_status st = {.now = crawl_now(c),
                                    .started = c->started,
                                    .sites = (uint32_t)c->sites,
                                    .phase = SHARC_CRAWL_DONE,
                                    .expected_end = SHARC_TIME_NONE,
                                    .under_way = sharc_fetcher_pending(c->w.fetcher)};
    for (size_t i = 0; i < c->sites; i++) add_site(c->site[i], &st);
    if (st.downloads > 1 && st.phase >= SHARC_CRAWL_VISITS) {
        double each = (double)(st.now - st.started) / (double)st.downloads;
        st.expected_end = st.now + (sharc_time)(each * (double)(st.to_visit + st.to_revisit));
    }
    *ret = st;
}

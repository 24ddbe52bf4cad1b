/* SPDX-License-Identifier: Apache-2.0
 *
 * sharc worker: claims jobs and does them, several at a time. This thread talks to the queue; each job
 * has its own (cmd_worker_job.c), and the keeper (fleet_keeper.h) sees to it that what was claimed stays so.
 */
#include "cmd_worker.h"
#include "archive.h"
#include "cli_signals.h"

#include "sharc/fleet_schedule.h"
#include "sharc/store_fleet.h"
#include "sharc/store_query.h"

#include <errno.h>
#include <stdarg.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

#define TRIES 6                        /* failures in a row, then a job is FAILED */
#define FIRST_PAUSE SHARC_MINUTE       /* after a failure; doubled each time … */
#define LONGEST_PAUSE (6 * SHARC_HOUR) /* … up to this */
#define LOOK_EVERY (200 * SHARC_MSEC)  /* at signals */
#define CLOCKS_APART (2 * SHARC_SEC)   /* worth a remark */
#define OPENINGS 4                     /* of the queue's database, before it is said to be away … */
#define BETWEEN_OPENINGS (300 * SHARC_MSEC)

static const char *const worker_kinds[] = {NULL, "crawl", "watch"};
static const char *const worker_onlys[] = {"both", "crawl", "watch", NULL};

void worker_say(struct worker *w, const struct slot *s, const char *fmt, ...)
{
    char text[700];
    va_list args;
    va_start(args, fmt);
    vsnprintf(text, sizeof text, fmt, args);
    va_end(args);
    pthread_mutex_lock(&w->speech);
    cli_note(w->c, "job %lld (%s): %s", (long long)s->claim.job, s->site, text);
    pthread_mutex_unlock(&w->speech);
}

static void kept(void *arg, enum sharc_keeper_state state)
{
    worker_stop(arg, state == SHARC_KEPT_WISHED ? 1 : 2);
}

/* --- the end of a job ------------------------------------------------------------------------- */

/* By the rates of the pages of the capture that the job has just made. */
static int next_change(struct worker *w, const struct slot *s, const struct sharc_fleet_change *change, sharc_time now,
                       sharc_time *ret, struct sharc_err *err)
{
    SHARC_AUTO(sharc_store_rows_freep) struct sharc_store_rows *rows = NULL;
    SHARC_AUTO(sharc_freep) double *rates = NULL;
    struct sharc_store_job job;
    size_t n = 0, room = 0;
    int r = sharc_store_job_get(w->queue, s->claim.job, &job, err);
    if (r == 0) r = sharc_store_rates_of(w->queue, job.capture, "crawl", &rows, err);
    while (r >= 0 && (r = sharc_store_rows_next(rows, err)) > 0) {
        struct sharc_store_rate row;
        sharc_store_read_rate(rows, &row);
        SHARC_GROW(rates, room, n + 1);
        rates[n++] = row.value;
    }
    if (r < 0) return r;
    *ret = now + sharc_fleet_changed_after(change, rates, n);
    return 0;
}

/* When it is due again; SHARC_TIME_NONE: never. */
static int next_time(struct worker *w, const struct slot *s, sharc_time *ret, struct sharc_err *err)
{
    sharc_time now;
    struct sharc_fleet_change change;
    *ret = SHARC_TIME_NONE;
    if (!s->schedule) return 0;
    int r = sharc_store_now(w->queue, &now, err);
    if (r < 0) return r;
    if (s->done && sharc_fleet_by_change(sharc_span_of(s->schedule), &change, NULL) > 0)
        return next_change(w, s, &change, now, ret, err);
    return sharc_fleet_next(sharc_span_of(s->schedule), s->due, now, ret, err);
}

/* A watch goes on when its plan says; its capture is the same all the time. */
static int watch_is_done(struct worker *w, const struct slot *s, struct sharc_err *err)
{
    sharc_time now;
    int r = sharc_store_now(w->queue, &now, err);
    if (r < 0) return r;
    if (s->next == SHARC_TIME_NONE) return sharc_store_job_done(w->queue, s->claim, SHARC_TIME_NONE, err);
    return sharc_store_job_again(w->queue, s->claim, now + s->next, err);
}

static int is_done(struct worker *w, const struct slot *s, struct sharc_err *err)
{
    sharc_time next;
    if (s->kind == JOB_WATCH) return watch_is_done(w, s, err);
    int r = next_time(w, s, &next, err);
    if (r == 0) r = sharc_store_job_done(w->queue, s->claim, next, err);
    return r;
}

/* A site that is captured again and again is tried at its next time, at the latest. */
static int has_failed(struct worker *w, const struct slot *s, struct sharc_err *err)
{
    sharc_time next, now = 0, pause = FIRST_PAUSE;
    int r = next_time(w, s, &next, err);
    if (r == 0) r = sharc_store_now(w->queue, &now, err);
    if (r < 0) return r;
    for (int64_t i = 0; i < s->failures && pause < LONGEST_PAUSE; i++) pause *= 2;
    if (pause > LONGEST_PAUSE) pause = LONGEST_PAUSE;
    if (s->failures + 1 >= TRIES) pause = next == SHARC_TIME_NONE ? SHARC_TIME_NONE : next - now;
    return sharc_store_job_failed(w->queue, s->claim, sharc_span_of(s->err.text), pause, err);
}

enum outcome { LOST, DONE, BACK, FAILED };

static enum outcome outcome_of(const struct slot *s, enum sharc_keeper_state held)
{
    if (held == SHARC_KEPT_LOST) return LOST;
    if (s->done) return DONE;
    return s->result == SHARC_EINTR || held != SHARC_KEPT ? BACK : FAILED;
}

/* SHARC_EACCESS: it is not ours any more. */
static int tell_queue(struct worker *w, const struct slot *s, enum outcome how, struct sharc_err *err)
{
    switch (how) {
    case LOST: return SHARC_EACCESS;
    case DONE: return is_done(w, s, err);
    case BACK: return sharc_store_job_release(w->queue, s->claim, err);
    case FAILED: return has_failed(w, s, err);
    }
    return 0;
}

static void announce(struct worker *w, const struct slot *s, enum outcome how, enum sharc_keeper_state held, bool told)
{
    switch (how) {
    case LOST: worker_say(w, s, "another worker has taken it over; what was not committed is dropped"); return;
    case DONE:
        if (s->kind == JOB_WATCH) {
            w->watched++;
            worker_say(w, s, "watched, %s", SHARC_COUNT(s->pages, "look"));
            return;
        }
        w->captured++;
        worker_say(w, s, "captured, %s", SHARC_COUNT(s->pages, "URL"));
        return;
    case BACK:
        if (told) w->given_back++;
        worker_say(w, s,
                   held == SHARC_KEPT_LATE ? "stopped: the queue could not be reached in time"
                   : told                  ? "handed back"
                                           : "stopped; others can have it when its lease has run out");
        return;
    case FAILED:
        w->failed++;
        worker_say(w, s, "failed: %s", s->err.text);
        return;
    }
}

/* The queue may be away: a while is waited for it. What cannot be told runs out by itself. */
static void settle(struct worker *w, struct slot *s, const volatile bool *stop)
{
    const struct sharc_store_patience patience = {.clock = sharc_clock_real(), .patience = w->o.lease, .stop = stop};
    const enum sharc_keeper_state held = sharc_keeper_state(w->keeper, s->claim);
    enum outcome how = outcome_of(s, held);
    struct sharc_err err = SHARC_ERR_INIT;
    int r = tell_queue(w, s, how, &err);
    while (r == SHARC_ENET && (r = sharc_store_wait(w->queue, &patience, &err)) == 0) r = tell_queue(w, s, how, &err);
    if (r == SHARC_EACCESS) how = LOST;
    announce(w, s, how, held, r == 0);
    if (r < 0 && how != LOST) worker_say(w, s, "the queue could not be told: %s", err.text);
}

static void reap(struct worker *w, const volatile bool *stop)
{
    for (size_t i = 0; i < w->slots; i++) {
        struct slot *s = &w->slot[i];
        pthread_mutex_lock(&w->lock);
        bool ended = s->state == SLOT_ENDED;
        pthread_mutex_unlock(&w->lock);
        if (!ended) continue;
        pthread_join(s->thread, NULL);
        settle(w, s, stop); /* told first, dropped then: the lease must hold until it is */
        (void)sharc_keeper_drop(w->keeper, s->claim);
        worker_clear(s);
    }
}

/* --- claiming ------------------------------------------------------------------------------------ */

static size_t busy(struct worker *w)
{
    size_t n = 0;
    pthread_mutex_lock(&w->lock);
    for (size_t i = 0; i < w->slots; i++) n += w->slot[i].state != SLOT_FREE;
    pthread_mutex_unlock(&w->lock);
    return n;
}

static struct slot *free_slot(struct worker *w)
{
    struct slot *found = NULL;
    pthread_mutex_lock(&w->lock);
    for (size_t i = 0; i < w->slots && !found; i++)
        if (w->slot[i].state == SLOT_FREE) found = &w->slot[i];
    pthread_mutex_unlock(&w->lock);
    return found;
}

/* 1: one was claimed; 0: there is none. */
static int claim_one(struct worker *w, struct sharc_err *err)
{
    struct sharc_store_job job;
    const double asked = sharc_clock_mono();
    struct slot *s = free_slot(w);
    if (!s) return 0;
    int r = sharc_store_job_claim(w->queue, worker_kinds[w->o.only], sharc_span_of(w->name), w->o.lease, &job, err);
    if (r <= 0) return r;
    struct sharc_err why = SHARC_ERR_INIT;
    const struct sharc_job_claim claim = {job.id, job.epoch};
    r = worker_begin(s, &job, &why);
    if (r == 0) {
        sharc_keeper_add(w->keeper, claim, asked, kept, s);
        worker_say(w, s, "%s",
                   s->kind == JOB_WATCH ? (s->capture ? "watching goes on" : "watching begins")
                   : s->capture         ? "taken over; the capture goes on"
                                        : "begun");
        return 1;
    }
    w->failed++;
    worker_say(w, s, "failed: %s", why.text);
    worker_clear(s);
    r = sharc_store_job_failed(w->queue, claim, sharc_span_of(why.text), SHARC_TIME_NONE, err);
    return r < 0 ? r : 1;
}

/* Fill the free slots; *ret_idle: there was nothing to claim. */
static int claim_some(struct worker *w, bool *ret_idle, struct sharc_err *err)
{
    int r = 1;
    *ret_idle = false;
    while (r > 0 && free_slot(w)) {
        r = claim_one(w, err);
        if (r == 0) *ret_idle = true;
    }
    return r < 0 ? r : 0;
}

/* --- the loop --------------------------------------------------------------------------------------- */

static void rest(struct worker *w)
{
    struct timespec until;
    clock_gettime(CLOCK_MONOTONIC, &until);
    until.tv_nsec += LOOK_EVERY * 1000;
    if (until.tv_nsec >= 1000000000) {
        until.tv_sec++;
        until.tv_nsec -= 1000000000;
    }
    pthread_mutex_lock(&w->lock);
    bool ended = false;
    for (size_t i = 0; i < w->slots; i++) ended |= w->slot[i].state == SLOT_ENDED;
    if (!ended) (void)pthread_cond_timedwait(&w->wake, &w->lock, &until);
    pthread_mutex_unlock(&w->lock);
}

/* 1: there is nothing left to do, nor to wait for. */
static int is_drained(struct worker *w, struct sharc_err *err)
{
    int64_t left = 0;
    if (!w->o.drain || busy(w) > 0) return 0;
    int r = sharc_store_jobs_left(w->queue, &left, err);
    return r < 0 ? r : left == 0;
}

/* For people who look at the fleet. Leases are the keeper's. What goes wrong the next claim says, but for a database
 * that lets nobody write: with nothing to claim nobody would hear of it. */
static int show_life(struct worker *w, sharc_time now, sharc_time *next, struct sharc_err *err)
{
    if (now < *next) return 0;
    *next = now + w->o.lease / 4;
    const struct sharc_store_worker row = {.name = sharc_span_of(w->name),
                                           .lease = w->o.lease,
                                           .sites = (int64_t)w->o.sites};
    return sharc_store_worker_beat(w->queue, &row, err) == SHARC_EACCESS ? SHARC_EACCESS : 0;
}

/* Times of the queue are the database's, those of captures the worker's own. */
static int compare_clocks(struct worker *w, struct sharc_err *err)
{
    struct sharc_clock *clock = sharc_clock_real();
    char text[SHARC_TIME_TEXT];
    sharc_time theirs, before = clock->now(clock);
    int r = sharc_store_now(w->queue, &theirs, err);
    if (r < 0) return r;
    const sharc_time after = clock->now(clock);
    const sharc_time apart = theirs < before ? before - theirs : theirs > after ? theirs - after : 0;
    if (apart >= CLOCKS_APART)
        cli_note(
            w->c,
            "this machine's clock is %s %s the database's: leases and pauses do not mind, but captures made here will "
            "tell its times; set it (NTP)",
            sharc_duration_text(apart, text), theirs < before ? "ahead of" : "behind");
    return 0;
}

static int work(struct worker *w, const volatile bool *stop, struct sharc_err *err)
{
    const struct sharc_store_patience patience = {.clock = sharc_clock_real(), .patience = SHARC_DAY, .stop = stop};
    sharc_time next = 0, sign = 0;
    bool compared = false;
    while (!*stop) {
        sharc_time now = sharc_clock_real()->now(sharc_clock_real());
        int r = compared ? 0 : compare_clocks(w, err);
        compared |= r == 0;
        if (r == 0 && (r = show_life(w, now, &sign, err)) < 0) return r;
        bool idle = now < next;
        reap(w, stop);
        if (r == 0 && !idle) r = claim_some(w, &idle, err);
        if (r == 0 && idle && now >= next) {
            next = now + w->o.poll;
            r = is_drained(w, err);
            if (r > 0) return 0;
        }
        if (r == SHARC_ENET) {
            cli_note(w->c, "%s: waiting until the queue is available again", err->text);
            r = sharc_store_wait(w->queue, &patience, err);
            if (r == SHARC_EINTR) return 0;
        }
        if (r < 0 && r != SHARC_EBUSY) return r;
        rest(w);
    }
    return 0;
}

/* Jobs under way come to an end and are handed back, unless the queue is away: after a signal nobody waits for it. */
static void come_home(struct worker *w)
{
    static const volatile bool at_once = true;
    if (busy(w) > 0) cli_note(w->c, "stopping: handing back %s", SHARC_COUNT(busy(w), "job"));
    for (size_t i = 0; i < w->slots; i++) worker_stop(&w->slot[i], 1);
    while (busy(w) > 0) {
        reap(w, &at_once);
        if (busy(w) > 0) rest(w);
    }
}

static int tell(struct worker *w)
{
    struct cli *c = w->c;
    if (c->json) {
        SHARC_AUTO(sharc_buf_done) struct sharc_buf out = SHARC_BUF_INIT(4096);
        struct sharc_json j;
        sharc_json_init(&j, &out, true);
        sharc_json_object(&j, NULL);
        sharc_json_str(&j, "worker", w->name);
        sharc_json_uint(&j, "captured", w->captured);
        sharc_json_uint(&j, "watched", w->watched);
        sharc_json_uint(&j, "failed", w->failed);
        sharc_json_uint(&j, "handed_back", w->given_back);
        sharc_json_end(&j);
        fprintf(c->out, "%s\n", sharc_buf_str(&out));
    } else {
        char watched[40] = "";
        if (w->watched) snprintf(watched, sizeof watched, ", %s of watching", SHARC_COUNT(w->watched, "turn"));
        fprintf(c->out, "%s: %s captured%s, %llu failed, %llu handed back\n", w->name, SHARC_COUNT(w->captured, "site"),
                watched, (unsigned long long)w->failed, (unsigned long long)w->given_back);
    }
    return EXIT_OK;
}

/* A connection may be lost while it is being opened, by a pooler or a database that starts anew: that is tried again.
 * A database that is not there is told soon. */
static int open_queue(struct worker *w, struct sharc_store **ret, struct sharc_err *err)
{
    struct sharc_clock *clock = sharc_clock_real();
    int r = SHARC_ENET;
    for (int i = 0; i < OPENINGS && r == SHARC_ENET; i++) {
        if (i > 0 && clock->wait_until(clock, clock->now(clock) + BETWEEN_OPENINGS, cli_signals_flag()) < 0) break;
        r = sharc_archive_open(w->o.archive, w->o.store, NULL, ret, err);
    }
    return r;
}

static int run(struct worker *w, struct sharc_err *err)
{
    SHARC_AUTO(sharc_store_freep) struct sharc_store *beats = NULL;
    SHARC_AUTO(sharc_closep) int lock = -1;
    struct sharc_clock *clock = sharc_clock_real();
    int r = open_queue(w, &w->queue, err);
    if (r == 0) r = open_queue(w, &beats, err);
    if (r == 0) r = sharc_archive_lock(w->o.archive, SHARC_ARCHIVE_WORKER, clock->now(clock), &lock, err);
    if (r < 0) return r;
    sharc_keeper_new(beats, w->o.lease, NULL, NULL, &w->keeper);
    r = sharc_keeper_start(w->keeper, err);
    const volatile bool *stop = cli_signals_flag();
    if (r == 0) r = work(w, stop, err);
    come_home(w);
    (void)sharc_store_worker_gone(w->queue, sharc_span_of(w->name), NULL);
    sharc_keeper_free(w->keeper);
    return r;
}

int cmd_worker(struct cli *c, int argc, char **argv)
{
    struct worker w = {
        .c = c,
        .o = {.sites = 8, .threads = 1, .lease = SHARC_MINUTE, .poll = 2 * SHARC_SEC, .spool = SHARC_CRAWL_SPOOL}};
    const struct cli_option options[] = {
        OPT_STRING('a', "archive", &w.o.archive, "DIR", "write WARC files to this archive, which all workers reach"),
        OPT_STORE(&w.o.store),
        OPT_UINT_IN(1, 1000, 0, "sites", &w.o.sites, "N", "capture up to N sites at a time (default: 8)"),
        OPT_CHOICE(0, "only", &w.o.only, worker_onlys, "take only jobs of this kind (default: both)"),
        OPT_FLAG(0, "drain", &w.o.drain, "end when no job is due, running or to be tried again"),
        OPT_DURATION_IN(SHARC_SEC, (double)SHARC_DAY, 0, "lease", &w.o.lease, "TIME",
                        "let others take over a job this long after the last sign of life (default: 1min)"),
        OPT_DURATION_IN(100 * SHARC_MSEC, (double)SHARC_HOUR, 0, "poll", &w.o.poll, "TIME",
                        "ask for jobs this often when there are none (default: 2s)"),
        OPT_SIZE_IN(16 << 20, 1e15, 0, "spool", &w.o.spool, "SIZE",
                    "let at most this much of all sites wait here for an object store (default: 4 GB)"),
        OPT_STRING(0, "name", &w.o.name, "TEXT", "show the worker under this name (default: HOST-PID)"),
        OPT_UINT_IN(1, CLI_THREADS_MOST, 't', "threads", &w.o.threads, "N",
                    "process the pages of each site with N threads (default: 1)"),
        OPT_END,
    };
    if (cli_parse(c, &argc, argv, options)) return cli_stop(c);
    if (argc > 1)
        return cli_usage(c, "a worker takes its sites from the queue: \"%s\" is one argument too many", argv[1]);
    if (!w.o.archive) return cli_usage(c, "name the archive to write to: --archive DIR");
    char host[256] = "localhost";
    (void)gethostname(host, sizeof host - 1);
    w.name = w.o.name ? sharc_strdup(w.o.name) : sharc_asprintf("%s-%ld", host, (long)getpid());
    w.slots = (size_t)w.o.sites;
    w.slot = SHARC_NEW_ARRAY(struct slot, w.slots);
    for (size_t i = 0; i < w.slots; i++) w.slot[i].w = &w;
    pthread_condattr_t even;
    pthread_condattr_init(&even);
    pthread_condattr_setclock(&even, CLOCK_MONOTONIC);
    pthread_cond_init(&w.wake, &even);
    pthread_condattr_destroy(&even);
    pthread_mutex_init(&w.lock, NULL);
    pthread_mutex_init(&w.speech, NULL);
    struct sharc_err err = SHARC_ERR_INIT;
    int r = run(&w, &err);
    int code = r < 0 ? cli_fail(c, &err) : tell(&w);
    sharc_store_free(w.queue);
    free(w.slot);
    free(w.name);
    return code;
}

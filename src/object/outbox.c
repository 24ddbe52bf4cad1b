/* SPDX-License-Identifier: Apache-2.0 */
#include "outbox_int.h"

#include "sharc/base_file.h"
#include "sharc/base_map.h"
#include "sharc/base_pool.h"

#include <errno.h>
#include <pthread.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#define POLL (200 * SHARC_MSEC)
#define USUAL_PATIENCE (5 * SHARC_SEC)

struct sharc_outbox {
    struct sharc_object_store *store; /* its own, so that it can be broken off */
    char *dir, *to;
    uint64_t part;
    sharc_time patience;
    int steps_left;
    struct sharc_pool *pool; /* of one thread */
    pthread_mutex_t lock;    /* guards what follows */
    pthread_cond_t changed;
    struct sharc_intern *names; /* of files */
    struct outgoing **files;    /* by number of the name */
    size_t count, room;
    size_t turn; /* whose turn it is */
    uint64_t sent_files, sent_bytes;
    struct sharc_err err;
    bool closing;
};

/* --- the list -------------------------------------------------------------------- */

static struct outgoing *file_named(struct sharc_outbox *b, const char *file)
{
    bool fresh;
    uint32_t n = sharc_intern_add(b->names, sharc_span_of(file), &fresh);
    if (fresh) {
        struct outgoing *g = SHARC_NEW(struct outgoing);
        g->file = sharc_strdup(file);
        g->name = sharc_asprintf("%s%s", b->to, file);
        sharc__outbox_state_read(b->dir, g);
        SHARC_GROW(b->files, b->room, b->count + 1);
        b->files[b->count++] = g;
    }
    return b->files[n];
}

static void outgoing_free(struct outgoing *g)
{
    free(g->file);
    free(g->name);
    free(g->marks);
    free(g->parts);
    free(g->kept);
    free(g);
}

static bool is_closed(const struct sharc_outbox *b, const char *file, uint64_t safe)
{
    struct stat st;
    SHARC_AUTO(sharc_freep) char *path = sharc_path_join(b->dir, file);
    return stat(path, &st) == 0 && (uint64_t)st.st_size == safe;
}

bool sharc_outbox_follow(struct sharc_outbox *b, const char *file, uint64_t safe)
{
    pthread_mutex_lock(&b->lock);
    struct outgoing *g = file_named(b, file);
    if (!g->done && safe >= g->safe) {
        g->safe = safe;
        const uint64_t last = g->mark_count ? g->marks[g->mark_count - 1] : 0;
        if (safe >= last + b->part && g->mark_count < SHARC_OBJECT_PARTS - 1) {
            SHARC_GROW(g->marks, g->mark_room, g->mark_count + 1);
            g->marks[g->mark_count++] = safe;
        }
        g->closed = is_closed(b, file, safe);
        pthread_cond_broadcast(&b->changed);
    }
    const bool ended = g->done || g->closed;
    pthread_mutex_unlock(&b->lock);
    return ended;
}

/* --- the thread --------------------------------------------------------------------- */

/* Where the next part ends. A file that nobody followed has no marks: it is cut where it happens. */
static uint64_t next_mark(const struct sharc_outbox *b, const struct outgoing *g)
{
    const uint64_t sent = outgoing_sent(g);
    for (size_t i = 0; i < g->mark_count; i++)
        if (g->marks[i] > sent && g->marks[i] <= g->safe)
            return g->marks[i] - sent >= SHARC_OBJECT_PART_MIN || b->part < SHARC_OBJECT_PART_MIN ? g->marks[i] : 0;
    return 0;
}

static struct look look_at(const struct sharc_outbox *b, const struct outgoing *g)
{
    struct look l = {.safe = g->safe, .closed = g->closed, .mark = next_mark(b, g)};
    /* The last mark may be the end. */
    if (l.closed && l.mark == l.safe && !g->upload.id[0] && g->part_count == 0 && l.safe <= 2 * b->part) l.mark = 0;
    return l;
}

static bool has_work(const struct sharc_outbox *b, const struct outgoing *g)
{
    const struct look l = look_at(b, g);
    return !g->done && !g->failure.code && (l.closed || l.mark);
}

static struct outgoing *choose(struct sharc_outbox *b)
{
    for (size_t i = 0; i < b->count; i++) {
        struct outgoing *g = b->files[b->turn++ % b->count];
        if (has_work(b, g)) return g;
    }
    return NULL;
}

/* May another try, without anybody doing anything about this file, succeed? */
static bool is_of_store(int code)
{
    return code == SHARC_ENET || code == SHARC_EACCESS || code == SHARC_ECONFIG || code == SHARC_ENOENT;
}

static void wait_for(struct sharc_outbox *b, sharc_time most)
{
    struct timespec until;
    clock_gettime(CLOCK_MONOTONIC, &until);
    const int64_t ns = until.tv_nsec + most * 1000;
    until.tv_sec += ns / 1000000000;
    until.tv_nsec = ns % 1000000000;
    pthread_cond_timedwait(&b->changed, &b->lock, &until);
}

static int one_step(struct sharc_outbox *b, struct outgoing *g, const struct look *l, struct sharc_err *reterr)
{
    const struct sending s = {b->store, b->dir, b->steps_left ? &b->steps_left : NULL};
    return sharc__outbox_advance(&s, g, l, reterr);
}

static void note_result(struct sharc_outbox *b, struct outgoing *g, int r, const struct sharc_err *err)
{
    if (r == 2) {
        g->done = true;
        b->sent_files++;
        b->sent_bytes += g->safe;
    }
    if (r >= 0)
        b->err = (struct sharc_err)SHARC_ERR_INIT;
    else if (is_of_store(r))
        b->err = *err;
    else
        g->failure = *err;
    pthread_cond_broadcast(&b->changed);
    if (!is_of_store(r)) return;
    for (sharc_time waited = 0; waited < b->patience && !b->closing; waited += POLL) wait_for(b, POLL);
}

static void copy_marks(struct outgoing *g)
{
    SHARC_GROW(g->kept, g->kept_room, g->mark_count);
    if (g->mark_count) memcpy(g->kept, g->marks, g->mark_count * sizeof *g->marks);
    g->kept_count = g->mark_count;
}

static void run(void *arg)
{
    struct sharc_outbox *b = arg;
    pthread_mutex_lock(&b->lock);
    while (!b->closing) {
        struct outgoing *g = choose(b);
        if (!g) {
            pthread_cond_broadcast(&b->changed);
            pthread_cond_wait(&b->changed, &b->lock);
            continue;
        }
        const struct look l = look_at(b, g);
        copy_marks(g);
        struct sharc_err err = SHARC_ERR_INIT;
        pthread_mutex_unlock(&b->lock);
        int r = one_step(b, g, &l, &err);
        pthread_mutex_lock(&b->lock);
        note_result(b, g, r, &err);
    }
    pthread_mutex_unlock(&b->lock);
}

/* --- life --------------------------------------------------------------------------------- */

static int nothing(void *arg, const char *name, const struct sharc_object_upload *u, sharc_time begun,
                   struct sharc_err *reterr)
{
    (void)arg, (void)name, (void)u, (void)begun, (void)reterr;
    return 0;
}

/* Files that an earlier outbox was at; their ends are what is there now: nobody writes them any more. */
static int take_up(struct sharc_outbox *b, struct sharc_err *reterr)
{
    char **names = NULL;
    size_t count = 0;
    int r = sharc_dir_list(b->dir, &names, &count, reterr);
    if (r < 0) return r;
    for (size_t i = 0; i < count; i++) {
        struct sharc_span suffix = SHARC_SPAN(SHARC_OUTBOX_SUFFIX), name = sharc_span_of(names[i]);
        if (!sharc_span_ends(name, suffix)) continue;
        SHARC_AUTO(sharc_freep) char *file = sharc_strndup(names[i], name.n - suffix.n);
        SHARC_AUTO(sharc_freep) char *path = sharc_path_join(b->dir, file), *state = sharc_path_join(b->dir, names[i]);
        struct stat st;
        if (stat(path, &st) == 0)
            sharc_outbox_follow(b, file, (uint64_t)st.st_size);
        else if (errno == ENOENT)
            unlink(state); /* killed between the removal of the two */
    }
    sharc_names_free(names, count);
    return 0;
}

static void init_lock(struct sharc_outbox *b)
{
    pthread_condattr_t a;
    pthread_mutex_init(&b->lock, NULL);
    pthread_condattr_init(&a);
    pthread_condattr_setclock(&a, CLOCK_MONOTONIC);
    pthread_cond_init(&b->changed, &a);
    pthread_condattr_destroy(&a);
}

int sharc_outbox_open(const struct sharc_outbox_options *o, struct sharc_outbox **ret, struct sharc_err *reterr)
{
    /* Keys, bucket and region are right when this is answered. */
    int r = sharc_object_uploads(o->store, o->to, nothing, NULL, reterr);
    if (r < 0) return r;
    struct sharc_outbox *b = SHARC_NEW(struct sharc_outbox);
    b->store = sharc_object_store_clone(o->store);
    b->dir = sharc_strdup(o->dir);
    b->to = sharc_strdup(o->to);
    b->part = o->part ? o->part : SHARC_OUTBOX_PART;
    b->patience = o->patience ? o->patience : USUAL_PATIENCE;
    b->steps_left = o->killed_at;
    b->names = sharc_intern_new();
    b->err = (struct sharc_err)SHARC_ERR_INIT;
    init_lock(b);
    r = o->alone ? 0 : take_up(b, reterr);
    if (r < 0) {
        sharc_outbox_free(b);
        return r;
    }
    b->pool = sharc_pool_new(1);
    sharc_pool_submit(b->pool, run, b);
    *ret = b;
    return 0;
}

static void end_thread(struct sharc_outbox *b)
{
    pthread_mutex_lock(&b->lock);
    b->closing = true;
    sharc_object_store_break_off(b->store);
    pthread_cond_broadcast(&b->changed);
    pthread_mutex_unlock(&b->lock);
    sharc_pool_free(b->pool);
    b->pool = NULL;
}

/* The store has been broken off; a new one makes the last requests. Of an upload that may be complete nothing is
 * aborted (object.h). */
void sharc_outbox_abandon(struct sharc_outbox *b)
{
    if (!b) return;
    end_thread(b);
    SHARC_AUTO(sharc_object_store_freep) struct sharc_object_store *store = sharc_object_store_clone(b->store);
    for (size_t i = 0; i < b->count; i++) {
        const struct outgoing *g = b->files[i];
        if (!g->done && !g->completing && g->upload.id[0])
            (void)sharc_object_upload_abort(store, g->name, &g->upload, NULL);
    }
    sharc_outbox_free(b);
}

void sharc_outbox_free(struct sharc_outbox *b)
{
    if (!b) return;
    end_thread(b);
    for (size_t i = 0; i < b->count; i++) outgoing_free(b->files[i]);
    free(b->files);
    sharc_intern_free(b->names);
    sharc_object_store_free(b->store);
    pthread_cond_destroy(&b->changed);
    pthread_mutex_destroy(&b->lock);
    free(b->dir);
    free(b->to);
    free(b);
}

/* --- asking ------------------------------------------------------------------------------ */

static void sum_up(const struct sharc_outbox *b, struct sharc_outbox_status *ret)
{
    *ret = (struct sharc_outbox_status){.sent_files = b->sent_files, .sent_bytes = b->sent_bytes, .err = b->err};
    for (size_t i = 0; i < b->count; i++) {
        const struct outgoing *g = b->files[i];
        if (g->done) continue;
        ret->files++;
        ret->bytes += g->safe;
        ret->closed += g->closed;
        if (g->failure.code && !ret->err.code) ret->err = g->failure;
    }
}

void sharc_outbox_status(struct sharc_outbox *b, struct sharc_outbox_status *ret)
{
    pthread_mutex_lock(&b->lock);
    sum_up(b, ret);
    pthread_mutex_unlock(&b->lock);
}

/* 1: done; 0: not yet. */
static int is_flushed(const struct sharc_outbox *b, const volatile bool *stop, const struct sharc_outbox_status *now,
                      struct sharc_err *reterr)
{
    if (now->closed == 0) return 1;
    if (now->err.code && now->err.code != SHARC_ENET) {
        if (reterr) *reterr = now->err;
        return now->err.code;
    }
    char left[SHARC_TIME_TEXT];
    SHARC_FAIL_IF(stop && *stop, reterr, SHARC_EINTR, "%s: stopped before %s (%s) had gone into the store", b->dir,
                  SHARC_COUNT(now->files, "file"), sharc_size_text(now->bytes, left));
    return 0;
}

int sharc_outbox_flush(struct sharc_outbox *b, const volatile bool *stop, sharc_outbox_told_fn *told, void *arg,
                       struct sharc_err *reterr)
{
    struct sharc_outbox_status now;
    bool away = false;
    int r;
    for (;;) {
        pthread_mutex_lock(&b->lock);
        sum_up(b, &now);
        r = is_flushed(b, stop, &now, reterr);
        if (r == 0 && away == (now.err.code != 0)) wait_for(b, POLL);
        pthread_mutex_unlock(&b->lock);
        if (r != 0) break;
        if (told && away != (now.err.code != 0)) told(arg, now.err.code ? &now.err : NULL);
        away = now.err.code != 0;
    }
    return r < 0 ? r : 0;
}

/* SPDX-License-Identifier: Apache-2.0
 *
 * The pipeline.
 *
 *   caller's thread            pool                     one thread
 *   read a batch  ------->  extract (any order)  --->  write (the batches' order)
 *        ^                                                  |
 *        +----- waits while WINDOW batches are under way ---+
 *
 * The first failure anywhere is kept; batches behind it are dropped.
 */
#include "import_int.h"
#include "sharc/base_pool.h"

#include <pthread.h>
#include <stdlib.h>

struct pipeline {
    const struct sharc_import_options *o;
    const struct import_jobs *jobs;
    struct import_writer *writer;
    struct sharc_pool *workers, *scribe;
    pthread_mutex_t lock;   /* guards all below */
    pthread_cond_t changed; /* a batch is ready, or gone */
    struct import_scratch **free_scratch;
    size_t free_count, free_room;
    unsigned under_way, window;
    int failed;
    struct sharc_err err;
    uint64_t bytes_before; /* of the files that are done */
    /* Of the thread that reads: */
    uint64_t passed; /* files that could not be read at all (lenient) */
    uint64_t unread; /* files that were not read to their end, and why the first was not */
    int first_code;
    struct sharc_err first;
};

struct task {
    struct pipeline *p;
    struct import_batch *batch;
};

static void fail(struct pipeline *p, int code, const struct sharc_err *err)
{
    pthread_mutex_lock(&p->lock);
    if (p->failed == 0) {
        p->failed = code;
        p->err = *err;
    }
    pthread_mutex_unlock(&p->lock);
}

static int failed(struct pipeline *p)
{
    pthread_mutex_lock(&p->lock);
    int code = p->failed;
    pthread_mutex_unlock(&p->lock);
    return code;
}

/* --- extracting -------------------------------------------------------------------- */

static struct import_scratch *take_scratch(struct pipeline *p)
{
    pthread_mutex_lock(&p->lock);
    struct import_scratch *s = p->free_count ? p->free_scratch[--p->free_count] : NULL;
    pthread_mutex_unlock(&p->lock);
    return s ? s : sharc__import_scratch_new();
}

static void work(void *arg)
{
    struct task *t = arg;
    struct pipeline *p = t->p;
    struct import_batch *b = t->batch;
    struct import_scratch *s = take_scratch(p);
    sharc__import_extract(b, s);
    if (b->last && sharc__import_job_digest(&p->jobs->items[b->job], &b->digest, NULL) < 0) b->digest.n = 0;
    pthread_mutex_lock(&p->lock);
    SHARC_GROW(p->free_scratch, p->free_room, p->free_count + 1);
    p->free_scratch[p->free_count++] = s;
    b->ready = true;
    pthread_cond_broadcast(&p->changed);
    pthread_mutex_unlock(&p->lock);
}

/* --- writing ----------------------------------------------------------------------- */

static void write_batch(struct pipeline *p, const struct import_batch *b)
{
    struct sharc_err err = SHARC_ERR_INIT;
    int r = sharc__import_writer_put(p->writer, b, &err);
    if (r < 0) fail(p, r, &err);
    if (b->last) p->bytes_before += p->jobs->items[b->job].size;
    if (p->o->progress)
        p->o->progress(p->o->arg, p->writer->bytes_known + p->bytes_before + (b->last ? 0 : b->next),
                       p->writer->bytes_total);
}

static void scribe(void *arg)
{
    struct task *t = arg;
    struct pipeline *p = t->p;
    pthread_mutex_lock(&p->lock);
    while (!t->batch->ready) pthread_cond_wait(&p->changed, &p->lock);
    bool go = p->failed == 0;
    pthread_mutex_unlock(&p->lock);
    if (go) write_batch(p, t->batch);
    sharc__import_batch_free(t->batch);
    free(t);
    pthread_mutex_lock(&p->lock);
    p->under_way--;
    pthread_cond_broadcast(&p->changed);
    pthread_mutex_unlock(&p->lock);
}

/* --- reading ----------------------------------------------------------------------- */

static void submit(struct pipeline *p, struct import_batch *b)
{
    struct task *t = SHARC_NEW(struct task);
    *t = (struct task){p, b};
    pthread_mutex_lock(&p->lock);
    while (p->under_way >= p->window) pthread_cond_wait(&p->changed, &p->lock);
    p->under_way++;
    pthread_mutex_unlock(&p->lock);
    sharc_pool_submit(p->workers, work, t);
    sharc_pool_submit(p->scribe, scribe, t);
}

/* The warcinfo in force at `done`. */
static int find_run(const struct import_job *job, uint64_t done, struct import_run *ret, struct sharc_err *reterr)
{
    SHARC_AUTO(sharc_buf_done) struct sharc_buf block = SHARC_BUF_INIT(16u << 20);
    SHARC_AUTO(sharc_warc_closep) struct sharc_warc *w = NULL;
    struct sharc_warc_options o = {.lenient = true, .types = SHARC_WARC_BIT(SHARC_WARC_INFO)};
    struct sharc_record rec;
    int r = sharc_warc_input_open(job->input, &o, &w, reterr);
    while (r >= 0 && (r = sharc_warc_next(w, &rec, reterr)) > 0 && rec.offset < done) {
        sharc_buf_clear(&block);
        r = sharc_record_read_all(&rec, SHARC_WARC_BLOCK, &block, reterr);
        if (r >= 0) sharc__import_run_read(ret, sharc_buf_span(&block));
    }
    return r < 0 ? r : 0;
}

static int read_file(struct pipeline *p, size_t i, struct sharc_err *reterr)
{
    SHARC_AUTO(sharc__import_reader_closep) struct import_reader *reader = NULL;
    SHARC_AUTO(sharc__import_run_done) struct import_run run = {0};
    uint64_t from = p->writer->files[i].done;
    SHARC_FAIL_IF(p->jobs->items[i].size == 0, reterr, SHARC_ETRUNC, "%s: offset 0: the file is empty",
                  p->jobs->items[i].name);
    int r = from ? find_run(&p->jobs->items[i], from, &run, reterr) : 0;
    if (r == 0) r = sharc__import_reader_open(&p->jobs->items[i], i, p->o, from, &run, &reader, reterr);
    while (r >= 0) {
        struct import_batch *b;
        SHARC_FAIL_IF(p->o->stop && *p->o->stop, reterr, SHARC_EINTR,
                      "interrupted; what was read is safe, and the same command continues from there");
        r = sharc__import_reader_next(reader, &b, reterr);
        if (b) submit(p, b);
        if (r == 0 || failed(p)) break;
    }
    return r;
}

/* A file that cannot be read does not keep the others from being read. Lenient: it is one more damaged place;
 * else the first of its kind is the result in the end. */
static int read_or_pass(struct pipeline *p, size_t i, struct sharc_err *reterr)
{
    struct sharc_err err = SHARC_ERR_INIT;
    int r = read_file(p, i, &err);
    if (r == SHARC_EINTR && reterr) *reterr = err;
    if (r >= 0 || r == SHARC_EINTR) return r < 0 ? r : 0;
    if (p->o->warn) p->o->warn(p->o->arg, &err);
    if (p->o->lenient) {
        p->passed++;
    } else if (p->unread++ == 0) {
        p->first_code = r;
        p->first = err;
    }
    return 0;
}

static int read_all(struct pipeline *p, struct sharc_err *reterr)
{
    struct sharc_import_result *result = p->writer->result;
    int r = 0;
    for (size_t i = 0; r == 0 && i < p->jobs->count && !failed(p); i++) {
        if (p->writer->files[i].known) {
            result->unchanged++;
            continue;
        }
        result->files++;
        r = read_or_pass(p, i, reterr);
    }
    return r;
}

/* --- all of it ----------------------------------------------------------------------- */

static int run_pipeline(struct import_writer *w, const struct import_jobs *jobs, const struct sharc_import_options *o,
                        struct sharc_err *reterr)
{
    struct pipeline p = {.o = o, .jobs = jobs, .writer = w, .err = SHARC_ERR_INIT};
    for (size_t i = 0; i < jobs->count; i++)
        if (w->files[i].known) w->bytes_known += jobs->items[i].size;
    w->bytes_total = jobs->bytes;
    pthread_mutex_init(&p.lock, NULL);
    pthread_cond_init(&p.changed, NULL);
    p.workers = sharc_pool_new(o->threads);
    p.scribe = sharc_pool_new(1);
    p.window = 2 * sharc_pool_threads(p.workers) + 2;
    int r = read_all(&p, reterr);
    sharc_pool_free(p.workers);
    sharc_pool_free(p.scribe);
    if (p.failed) {
        r = p.failed;
        if (reterr) *reterr = p.err;
    }
    w->result->damaged += p.passed;
    if (r == 0 && p.unread) {
        w->result->failed = p.unread;
        r = p.first_code;
        if (reterr) *reterr = p.first;
    }
    for (size_t i = 0; i < p.free_count; i++) sharc__import_scratch_free(p.free_scratch[i]);
    free(p.free_scratch);
    pthread_cond_destroy(&p.changed);
    pthread_mutex_destroy(&p.lock);
    return r;
}

/* Inputs that cannot be imported at all do not keep the others from it either. */
struct absent {
    const struct sharc_import_options *o;
    uint64_t missing, damaged;
    struct sharc_err first;
};

static void note_absent(void *arg, const struct sharc_err *err)
{
    struct absent *a = arg;
    if (a->o->warn) a->o->warn(a->o->arg, err);
    if (a->o->lenient && err->code != SHARC_ENOENT)
        a->damaged++;
    else if (a->missing++ == 0)
        a->first = *err;
}

int sharc_import(struct sharc_store *store, const char *const *inputs, size_t count,
                 const struct sharc_import_options *o, struct sharc_import_result *ret, struct sharc_err *reterr)
{
    SHARC_AUTO(sharc__import_jobs_done) struct import_jobs jobs = {0};
    SHARC_AUTO(sharc__import_writer_done) struct import_writer w = {0};
    struct absent absent = {.o = o};
    jobs.inputs.bad = note_absent;
    jobs.inputs.bad_arg = &absent;
    *ret = (struct sharc_import_result){0};
    int r = sharc__import_jobs_find(&jobs, inputs, count, o->archive, reterr);
    if (r == 0) r = sharc__import_writer_init(&w, store, &jobs, o, ret, reterr);
    if (r < 0) return r;
    r = run_pipeline(&w, &jobs, o, reterr);
    /* What was read before a damaged place or a signal is worth keeping; a database that failed takes nothing. */
    bool database = r == SHARC_EDB || r == SHARC_ENET || r == SHARC_EBUSY;
    if (database) return r;
    struct sharc_err err = SHARC_ERR_INIT;
    int k = sharc__import_writer_commit(&w, &err);
    if (k == 0 && (r == 0 || ret->failed)) k = sharc__import_finish(&w, &err);
    if (k < 0 && (r == 0 || ret->failed)) {
        ret->failed = 0;
        r = k;
        if (reterr) *reterr = err;
    }
    ret->damaged += absent.damaged;
    if (r == 0 || ret->failed) ret->missing = absent.missing;
    if (r == 0 && ret->missing) {
        r = absent.first.code;
        if (reterr) *reterr = absent.first;
    }
    return r;
}

void sharc_import_result_done(struct sharc_import_result *r)
{
    for (size_t i = 0; i < r->capture_count; i++) {
        free(r->captures[i].key);
        free(r->captures[i].site);
    }
    free(r->captures);
    *r = (struct sharc_import_result){0};
}

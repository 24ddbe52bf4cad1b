/* SPDX-License-Identifier: Apache-2.0
 *
 * Making an index: jobs are read in parallel, each thread with its own maker and its
 * own part of the sorter; then everything is merged, together with what the
 * output holds already.
 */
#include "cdx_int.h"
#include "from_record.h"
#include "jobs.h"
#include "notes.h"
#include "sharc/base_file.h"
#include "sharc/base_limits.h"
#include "sharc/base_map.h"
#include "sharc/base_pool.h"
#include "sharc/base_remote.h"
#include "sharc/base_sort.h"
#include "sharc/cdx_build.h"
#include "sharc/url_canon.h"
#include "sink.h"
#include "sources.h"

#include <errno.h>
#include <inttypes.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

enum { USUAL_MEMORY = 8 << 20, TELL_EVERY = 4 << 20, TELL_MOST = 20 };

struct build {
    const struct sharc_cdx_build *o;
    struct cdx_jobs jobs;
    struct cdx_job **todo; /* to be read, then those whose lines are noted */
    size_t todo_count, noted_count;
    struct sharc_sorter *sorter;
    unsigned first_writer;     /* of the sorter, for the first thread */
    struct cdx_maker **makers; /* one per thread */
    unsigned threads;
    pthread_mutex_t lock; /* guards what follows */
    struct sharc_cdx_built done;
    uint64_t bytes_total;
    struct sharc_err err; /* the first */
    bool failed;
};

struct thread_put { /* where the lines of a thread go */
    struct sharc_sorter *sorter;
    unsigned writer;
    enum sharc_cdx_format format;
    struct sharc_cdx_parser parser; /* for the old formats */
    struct sharc_buf line;
};

static void thread_put_init(struct thread_put *t, const struct build *b, unsigned thread)
{
    *t = (struct thread_put){
        b->sorter, b->first_writer + thread, b->o->format, {.count = 0}, SHARC_BUF_INIT(SHARC_LIMIT_CDX_LINE)};
    sharc_cdx_parser_init(&t->parser);
}

static void thread_put_done(struct thread_put *t)
{
    sharc_cdx_parser_done(&t->parser);
    sharc_buf_done(&t->line);
}

/* Lines are sorted in the form they will have. */
static int put_line(void *arg, struct sharc_span line, struct sharc_err *reterr)
{
    struct thread_put *t = arg;
    if (t->format != SHARC_CDXJ) {
        struct sharc_cdx c;
        int r = sharc_cdx_parse(&t->parser, line, &c, reterr);
        if (r <= 0) return r;
        sharc_buf_clear(&t->line);
        r = sharc_cdx_write(&c, t->format, &t->line);
        SHARC_FAIL_IF(r < 0, reterr, r, "a line of the index is longer than %u bytes", SHARC_LIMIT_CDX_LINE);
        line = sharc_buf_span(&t->line);
    }
    return sharc_sorter_put(t->sorter, t->writer, line, reterr);
}

/* --- telling ------------------------------------------------------------- */

static void tell_bytes(struct build *b, uint64_t more)
{
    pthread_mutex_lock(&b->lock);
    b->done.bytes += more;
    if (b->o->progress) b->o->progress(b->o->arg, b->done.bytes, b->bytes_total);
    pthread_mutex_unlock(&b->lock);
}

static void warn(void *arg, const struct sharc_err *what)
{
    struct build *b = arg;
    if (!b->o->warn) return;
    pthread_mutex_lock(&b->lock);
    b->o->warn(b->o->arg, what);
    pthread_mutex_unlock(&b->lock);
}

/* --- one job ------------------------------------------------------------- */

/* A record that cannot be indexed is counted, told and passed over when lenient; of each file the first few. */
static int take_record(struct build *b, const struct cdx_job *job, struct sharc_record *rec, unsigned thread,
                       uint64_t *left_out, struct sharc_err *reterr)
{
    struct sharc_err err = SHARC_ERR_INIT;
    int r = sharc__cdx_maker_take(b->makers[thread], rec, &err);
    if (r >= 0) return 0;
    if (err.offset == SHARC_NOWHERE) {
        err.offset = rec->offset;
        sharc_err_prefix(&err, r, "%s: offset %" PRIu64, job->input->path, rec->offset);
    }
    bool skip = b->o->lenient && (r == SHARC_ETRUNC || r == SHARC_ECORRUPT || r == SHARC_ESYNTAX || r == SHARC_ELIMIT);
    if (!skip) {
        size_t n = strlen(err.text);
        if (r == SHARC_ESYNTAX && !strstr(err.text, "cure:"))
            snprintf(err.text + n, sizeof err.text - n, "; setting \"lenient\" leaves it out");
        *reterr = err;
        return r;
    }
    if (++*left_out <= TELL_MOST) warn(b, &err);
    return 0;
}

static void tell_rest(struct build *b, const struct cdx_job *job, uint64_t left_out)
{
    struct sharc_err err = SHARC_ERR_INIT;
    if (left_out <= TELL_MOST) return;
    sharc_fail(&err, SHARC_ESYNTAX, "%s: %s left out", job->input->path,
               SHARC_COUNT(left_out - TELL_MOST, "more record|more records"));
    warn(b, &err);
}

static int index_archive(struct build *b, const struct cdx_job *job, unsigned thread, struct sharc_err *reterr)
{
    SHARC_AUTO(sharc_warc_closep) struct sharc_warc *w = NULL;
    struct cdx_maker *m = b->makers[thread];
    struct sharc_warc_options o = {.lenient = b->o->lenient,
                                   .types = sharc__cdx_maker_types(m),
                                   .warn = warn,
                                   .warn_arg = b};
    int r = sharc_warc_input_open(job->input, &o, &w, reterr);
    if (r < 0) return r;
    SHARC_AUTO(thread_put_done) struct thread_put put;
    thread_put_init(&put, b, thread);
    sharc__cdx_maker_start(m, job->name, put_line, &put);
    struct sharc_record rec;
    uint64_t told = 0, left_out = 0;
    while ((r = sharc_warc_next(w, &rec, reterr)) > 0) {
        if ((r = take_record(b, job, &rec, thread, &left_out, reterr)) < 0) break;
        if (rec.offset - told < TELL_EVERY) continue;
        tell_bytes(b, rec.offset - told);
        told = rec.offset;
    }
    if (r == 0) r = sharc__cdx_maker_finish(m, reterr);
    struct sharc_warc_stats s = sharc_warc_stats(w);
    tell_bytes(b, s.bytes > told ? s.bytes - told : 0);
    tell_rest(b, job, left_out);
    pthread_mutex_lock(&b->lock);
    b->done.records += s.records;
    b->done.damaged += s.damaged;
    b->done.left_out += left_out;
    pthread_mutex_unlock(&b->lock);
    return r;
}

/* A line of another index as CDXJ; its key is made when it has none. */
static int convert_line(struct sharc_cdx *c, struct sharc_buf *key, struct sharc_buf *out, struct sharc_err *reterr)
{
    sharc_buf_clear(out);
    if (c->json.p) {
        sharc_buf_put(out, c->line);
        return sharc_buf_put_char(out, '\n');
    }
    if (!c->field[SHARC_CDX_KEY].p) {
        sharc_buf_clear(key);
        int r = sharc_url_key(c->field[SHARC_CDX_URL], key, reterr);
        if (r < 0) return r;
        c->field[SHARC_CDX_KEY] = sharc_buf_span(key);
    }
    return sharc_cdx_write(c, SHARC_CDXJ, out);
}

struct lines_job {
    struct sharc_filemap map;
    struct sharc_buf unpacked, key, line;
    struct sharc_cdx_parser parser;
};

static void lines_job_done(struct lines_job *l)
{
    sharc_filemap_done(&l->map);
    sharc_buf_done(&l->unpacked);
    sharc_buf_done(&l->key);
    sharc_buf_done(&l->line);
    sharc_cdx_parser_done(&l->parser);
}

static int take_lines(const struct cdx_job *job, bool all, struct thread_put *put, struct lines_job *l,
                      struct sharc_span lines, struct sharc_err *reterr)
{
    size_t next = 0;
    struct sharc_cdx c;
    for (size_t at = 0; at < lines.n; at = next) {
        struct sharc_span line = sharc__cdx_line_at(lines, at, &next);
        int r = sharc_cdx_parse(&l->parser, line, &c, reterr);
        bool entry = r > 0 && (all || !sharc__cdx_is_blank(&c));
        if (entry) r = convert_line(&c, &l->key, &l->line, reterr);
        if (r < 0) {
            if (reterr) reterr->offset = at;
            return sharc_err_prefix(reterr, r, "%s: offset %zu", job->input->path, at);
        }
        if (entry && (r = put_line(put, sharc_buf_span(&l->line), reterr)) < 0) return r;
    }
    return 0;
}

/* Other indexes are read line by line: order does not matter. A ZipNum pair is read by its
 * data file, whose members follow each other. */
static int index_lines(struct build *b, const struct cdx_job *job, unsigned thread, struct sharc_err *reterr)
{
    SHARC_AUTO(lines_job_done)
    struct lines_job l = {.unpacked = SHARC_BUF_INIT(SHARC_LIMIT_CDX_GZIP),
                          .key = SHARC_BUF_INIT(4 * SHARC_LIMIT_URL),
                          .line = SHARC_BUF_INIT(SHARC_LIMIT_CDX_LINE)};
    sharc_cdx_parser_init(&l.parser);
    SHARC_FAIL_IF(sharc_span_ends(sharc_span_of(job->input->path), SHARC_SPAN(".idx")), reterr, SHARC_EINVAL,
                  "%s: give the data file of the ZipNum index (.cdx.gz) instead", job->input->path);
    int r = sharc_filemap_open(&l.map, job->input->path, reterr);
    if (r < 0) return r;
    struct sharc_span lines = l.map.bytes;
    if (sharc_span_starts(lines, SHARC_SPAN("\x1f\x8b"))) {
        r = sharc_decode(SHARC_GZIP, lines, &l.unpacked, reterr);
        if (r < 0) return sharc_err_prefix(reterr, r, "%s", job->input->path);
        lines = sharc_buf_span(&l.unpacked);
    }
    SHARC_AUTO(thread_put_done) struct thread_put put;
    thread_put_init(&put, b, thread);
    r = take_lines(job, b->o->all, &put, &l, lines, reterr);
    tell_bytes(b, job->input->size);
    return r;
}

static int do_job(size_t i, unsigned thread, void *arg)
{
    struct build *b = arg;
    const struct cdx_job *job = b->todo[i];
    struct sharc_err err = SHARC_ERR_INIT;
    int r = sharc__cdx_job_is_index(job) ? index_lines(b, job, thread, &err) : index_archive(b, job, thread, &err);
    if (r >= 0) return 0;
    pthread_mutex_lock(&b->lock);
    if (!b->failed) b->err = err;
    b->failed = true;
    pthread_mutex_unlock(&b->lock);
    return r;
}

static int do_jobs(struct build *b, struct sharc_err *reterr)
{
    struct sharc_pool *pool = sharc_pool_new(b->threads);
    struct cdx_maker_options o = {.plain_keys = b->o->plain_keys, .all = b->o->all, .precise = b->o->precise};
    b->makers = SHARC_NEW_ARRAY(struct cdx_maker *, b->threads);
    for (unsigned i = 0; i < b->threads; i++) b->makers[i] = sharc__cdx_maker_new(&o);
    int r = sharc_pool_each(pool, b->todo_count, do_job, b);
    sharc_pool_free(pool);
    for (unsigned i = 0; i < b->threads; i++) sharc__cdx_maker_free(b->makers[i]);
    free(b->makers);
    if (r < 0 && reterr) *reterr = b->err;
    return r;
}

/* --- what is there already ----------------------------------------------- */

struct replaced { /* lines of these files are read anew, the old ones go */
    struct sharc_intern *names;
    bool blank; /* and those that no replay can show */
    struct sharc_cdx_parser parser;
};

static bool keep_line(void *arg, struct sharc_span line)
{
    struct replaced *x = arg;
    struct sharc_cdx c;
    /* Most lines need not be read. */
    bool suspect = x->blank && line.n && memmem(line.p, line.n, "304", 3);
    if (sharc_intern_count(x->names) == 0 && !suspect) return true;
    if (sharc_cdx_parse(&x->parser, line, &c, NULL) <= 0) return true;
    if (suspect && sharc__cdx_is_blank(&c)) return false;
    return sharc_intern_find(x->names, c.field[SHARC_CDX_FILENAME]) == SHARC_NO_ID;
}

/* Are all that a writer noted, and the files, of one mind? */
static bool notes_serve(const struct build *b)
{
    const struct sharc_cdx_build *o = b->o;
    return o->notes && o->format == SHARC_CDXJ && !o->plain_keys && !o->all && !o->precise &&
           sharc__cdx_notes_hold(o->notes, &b->jobs);
}

/* Choose the jobs that have to be done, and note whose old lines go. */
static void choose(struct build *b, const struct cdx_files *known, bool merging, bool listed, struct replaced *x)
{
    size_t end = b->jobs.count;
    bool noted = notes_serve(b);
    b->todo = SHARC_NEW_ARRAY(struct cdx_job *, b->jobs.count);
    for (size_t i = 0; i < b->jobs.count; i++) {
        struct cdx_job *job = &b->jobs.items[i];
        const struct cdx_known *k =
            merging && !sharc__cdx_job_is_index(job) ? sharc__cdx_files_find(known, job->name) : NULL;
        bool have = noted && sharc__cdx_notes_know(b->o->notes, job);
        bool enough = k && !(b->o->all && k->replay);
        /* An object is never replaced, and got its time when it was uploaded. */
        const bool same = enough && k->size == job->input->size &&
                          (k->modified == job->input->modified || sharc_remote_is(job->input->path));
        if (!have && same) {
            b->done.unchanged++;
            continue;
        }
        if (merging && (k || !listed) && !sharc__cdx_job_is_index(job))
            sharc_intern_add(x->names, sharc_span_of(job->name), NULL);
        if (have) {
            b->todo[--end] = job;
            continue;
        }
        b->todo[b->todo_count++] = job;
        b->bytes_total += job->input->size;
    }
    b->noted_count = b->jobs.count - end;
    memmove(b->todo + b->todo_count, b->todo + end, b->noted_count * sizeof *b->todo);
}

static void make_sorter(struct build *b, const char *temporary)
{
    if (b->noted_count > 0) {
        b->sorter = sharc__cdx_notes_take(b->o->notes);
        b->first_writer = NOTES_READERS;
        b->threads =
            b->threads < sharc__cdx_notes_readers(b->o->notes) ? b->threads : sharc__cdx_notes_readers(b->o->notes);
    } else {
        b->sorter = sharc_sorter_new(temporary, b->threads, b->o->memory ? b->o->memory : USUAL_MEMORY);
    }
}

static int write_output(struct build *b, struct cdx_sink *sink, struct sharc_err *reterr)
{
    int r = sharc_sorter_merge(b->sorter, sharc__cdx_sink_line, sink, reterr);
    if (r == 0) r = sharc__cdx_sink_commit(sink, reterr);
    b->done.lines = sink->lines;
    return r;
}

static int remember(const struct build *b, struct cdx_files *known, const char *list, struct sharc_err *reterr)
{
    for (size_t i = 0; !b->o->all && i < known->count; i++) known->items[i].replay = true;
    for (size_t i = 0; i < b->todo_count + b->noted_count; i++) {
        const struct cdx_job *job = b->todo[i];
        if (!sharc__cdx_job_is_index(job) && strcmp(job->input->path, "-") != 0)
            sharc__cdx_files_set(known, job->name, job->input->size, job->input->modified, !b->o->all);
    }
    return sharc__cdx_files_write(known, list, reterr);
}

/* Was an index made with all its lines, or by a version that left none out? */
static bool holds_blank(const struct cdx_files *known)
{
    for (size_t i = 0; i < known->count; i++)
        if (!known->items[i].replay) return true;
    return false;
}

struct merge_state {
    struct cdx_files known;
    struct replaced replaced;
    char *list;
    bool merging;
};

static void merge_state_done(struct merge_state *s)
{
    sharc__cdx_files_done(&s->known);
    sharc_intern_free(s->replaced.names);
    sharc_cdx_parser_done(&s->replaced.parser);
    free(s->list);
}

static int build(struct build *b, const char *output, struct cdx_sink *sink, struct merge_state *s,
                 struct sharc_err *reterr)
{
    bool plain = sink->kind == SINK_FILE && b->o->format == SHARC_CDXJ;
    s->merging = plain && !b->o->fresh && access(output, F_OK) == 0;
    s->list = sharc_asprintf("%s.files", output);
    bool listed = s->merging && access(s->list, F_OK) == 0;
    int r = listed ? sharc__cdx_files_read(&s->known, s->list, reterr) : 0;
    if (r < 0) return r;
    choose(b, &s->known, s->merging, listed, &s->replaced);
    s->replaced.blank = !b->o->all;
    if (s->merging && b->todo_count + b->noted_count == 0 && !(s->replaced.blank && holds_blank(&s->known))) {
        b->done.lines = sharc__cdx_sink_count(output);
        return 0;
    }
    SHARC_AUTO(sharc_freep) char *beside = sharc_path_parent(output);
    const char *temporary = b->o->temporary ? b->o->temporary : sink->kind == SINK_FN ? "/tmp" : beside;
    make_sorter(b, temporary);
    if (b->todo_count > 0) r = do_jobs(b, reterr);
    if (r == 0 && s->merging) r = sharc_sorter_join(b->sorter, output, keep_line, &s->replaced, reterr);
    if (r == 0) r = write_output(b, sink, reterr);
    b->done.files = b->todo_count + b->noted_count;
    return r == 0 && plain ? remember(b, &s->known, s->list, reterr) : r;
}

int sharc_cdx_build(const char *const *inputs, size_t count, const char *output, sharc_line_fn *fn, void *fn_arg,
                    const struct sharc_cdx_build *o, struct sharc_cdx_built *ret, struct sharc_err *reterr)
{
    struct build b = {.o = o, .err = SHARC_ERR_INIT, .threads = o->threads ? o->threads : sharc_cpu_count()};
    SHARC_AUTO(merge_state_done) struct merge_state s = {.replaced.names = sharc_intern_new()};
    SHARC_AUTO(sharc__cdx_sink_done) struct cdx_sink sink = {0};
    sharc_cdx_parser_init(&s.replaced.parser);
    pthread_mutex_init(&b.lock, NULL);
    struct sharc_err err = SHARC_ERR_INIT; /* helpers may write to it freely */
    int r = sharc__cdx_jobs_find(&b.jobs, inputs, count, o->root, &err);
    if (r == 0) r = sharc__cdx_sink_open(&sink, output, o, fn, fn_arg, &err);
    if (r == 0) r = build(&b, output, &sink, &s, &err);
    if (r == 0) *ret = b.done;
    if (r < 0 && reterr) *reterr = err;
    sharc_sorter_free(b.sorter);
    sharc__cdx_jobs_done(&b.jobs);
    free(b.todo);
    pthread_mutex_destroy(&b.lock);
    return r;
}

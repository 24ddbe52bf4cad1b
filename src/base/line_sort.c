/* SPDX-License-Identifier: Apache-2.0
 *
 * INVARIANTS
 *  (1) a run is a sorted range of bytes in the spool, or a chunk still in memory;
 *  (2) the spool only grows: a merge of runs appends its result as a new run;
 *  (3) never more than FAN_IN readers are open, so memory does not depend on the
 *      number of lines.
 * `lock` guards the spool's end and the list of runs; a chunk belongs to its writer.
 */
#include "sharc/base_sort.h"

#include "sharc/base_buf.h"
#include "sharc/base_limits.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <pthread.h>
#include <stdlib.h>
#include <unistd.h>

enum { FAN_IN = 64, WINDOW = 64 << 10, LEAST_CHUNK = 2 << 20 };

struct line_ref {
    uint32_t at, n;
};

struct chunk {
    struct sharc_buf text;
    struct line_ref *refs;
    size_t count, room;
};

struct run {
    uint64_t at, size; /* in the spool */
};

struct joined {
    int fd;
    char *path;
    uint64_t size;
    bool (*keep)(void *arg, struct sharc_span line);
    void *keep_arg;
};

struct sharc_sorter {
    struct chunk *chunks;
    unsigned writers;
    char *directory;
    int fd; /* the spool; -1: none yet */
    uint64_t end;
    struct run *runs;
    size_t run_count, run_room;
    struct joined *joined;
    size_t joined_count, joined_room;
    pthread_mutex_t lock;
};

struct sharc_sorter *sharc_sorter_new(const char *directory, unsigned writers, size_t memory)
{
    struct sharc_sorter *s = SHARC_NEW(struct sharc_sorter);
    s->fd = -1;
    s->writers = writers ? writers : 1;
    s->directory = sharc_strdup(directory);
    s->chunks = SHARC_NEW_ARRAY(struct chunk, s->writers);
    size_t each = memory / s->writers;
    if (each < LEAST_CHUNK) each = LEAST_CHUNK;
    for (unsigned i = 0; i < s->writers; i++) sharc_buf_init(&s->chunks[i].text, each);
    pthread_mutex_init(&s->lock, NULL);
    return s;
}

static void drop_chunk(struct chunk *c)
{
    sharc_buf_done(&c->text);
    free(c->refs);
    c->refs = NULL;
    c->count = c->room = 0;
}

void sharc_sorter_free(struct sharc_sorter *s)
{
    if (!s) return;
    for (unsigned i = 0; i < s->writers; i++) drop_chunk(&s->chunks[i]);
    for (size_t i = 0; i < s->joined_count; i++) {
        close(s->joined[i].fd);
        free(s->joined[i].path);
    }
    sharc_closep(&s->fd);
    pthread_mutex_destroy(&s->lock);
    free(s->chunks);
    free(s->joined);
    free(s->runs);
    free(s->directory);
    free(s);
}

void sharc_sorter_freep(struct sharc_sorter **s)
{
    sharc_sorter_free(*s);
    *s = NULL;
}

/* --- the spool ----------------------------------------------------------- */

static int spool_error(const struct sharc_sorter *s, const char *what, struct sharc_err *reterr)
{
    int e = errno;
    return sharc_fail(reterr, sharc_error_from_errno(e), "%s: cannot %s a temporary file for sorting: %s", s->directory,
                      what, strerror(e));
}

static int open_spool(struct sharc_sorter *s, struct sharc_err *reterr)
{
    if (s->fd >= 0) return 0;
    SHARC_AUTO(sharc_freep) char *path = sharc_asprintf("%s/.sharc-sort-XXXXXX", s->directory);
    s->fd = mkostemp(path, O_CLOEXEC);
    if (s->fd < 0) return spool_error(s, "create", reterr);
    unlink(path);
    return 0;
}

static int write_spool(struct sharc_sorter *s, struct sharc_span bytes, uint64_t at, struct sharc_err *reterr)
{
    while (bytes.n) {
        ssize_t put = pwrite(s->fd, bytes.p, bytes.n, (off_t)at);
        if (put < 0 && errno == EINTR) continue;
        if (put < 0) return spool_error(s, "write", reterr);
        at += (uint64_t)put;
        bytes = sharc_span_from(bytes, (size_t)put);
    }
    return 0;
}

/* Room for a run, known to all from now on. */
static int reserve_run(struct sharc_sorter *s, uint64_t size, uint64_t *ret_at, struct sharc_err *reterr)
{
    pthread_mutex_lock(&s->lock);
    int r = open_spool(s, reterr);
    if (r == 0) {
        *ret_at = s->end;
        s->end += size;
        SHARC_GROW(s->runs, s->run_room, s->run_count + 1);
        s->runs[s->run_count++] = (struct run){*ret_at, size};
    }
    pthread_mutex_unlock(&s->lock);
    return r;
}

/* --- chunks -------------------------------------------------------------- */

static int compare_refs(const void *a, const void *b, void *text)
{
    const struct line_ref *x = a, *y = b;
    const char *base = text;
    int order = memcmp(base + x->at, base + y->at, x->n < y->n ? x->n : y->n);
    return order ? order : (x->n > y->n) - (x->n < y->n);
}

static void sort_chunk(struct chunk *c)
{
    if (c->count) qsort_r(c->refs, c->count, sizeof *c->refs, compare_refs, c->text.p);
}

static int spill(struct sharc_sorter *s, struct chunk *c, struct sharc_err *reterr)
{
    sort_chunk(c);
    uint64_t at;
    int r = reserve_run(s, c->text.n, &at, reterr);
    SHARC_AUTO(sharc_buf_done) struct sharc_buf window = SHARC_BUF_INIT(4 * WINDOW + SHARC_LIMIT_CDX_LINE + 1);
    for (size_t i = 0; r == 0 && i < c->count; i++) {
        sharc_buf_put(&window, sharc_span(c->text.p + c->refs[i].at, c->refs[i].n));
        if (window.n < 4 * WINDOW && i + 1 < c->count) continue;
        r = write_spool(s, sharc_buf_span(&window), at, reterr);
        at += window.n;
        sharc_buf_clear(&window);
    }
    sharc_buf_clear(&c->text);
    c->count = 0;
    return r;
}

int sharc_sorter_put(struct sharc_sorter *s, unsigned writer, struct sharc_span line, struct sharc_err *reterr)
{
    SHARC_ASSERT(writer < s->writers && line.n && line.p[line.n - 1] == '\n');
    struct chunk *c = &s->chunks[writer];
    if (c->text.n + line.n > c->text.max) {
        int r = spill(s, c, reterr);
        if (r < 0) return r;
    }
    SHARC_GROW(c->refs, c->room, c->count + 1);
    c->refs[c->count++] = (struct line_ref){(uint32_t)c->text.n, (uint32_t)line.n};
    int r = sharc_buf_put(&c->text, line);
    SHARC_FAIL_IF(r < 0, reterr, r, "a line of an index is longer than %zu bytes", c->text.max);
    return 0;
}

int sharc_sorter_join(struct sharc_sorter *s, const char *path, bool (*keep)(void *arg, struct sharc_span line),
                      void *keep_arg, struct sharc_err *reterr)
{
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    SHARC_FAIL_IF(fd < 0, reterr, sharc_error_from_errno(errno), "%s: cannot open: %s", path, strerror(errno));
    off_t size = lseek(fd, 0, SEEK_END);
    SHARC_GROW(s->joined, s->joined_room, s->joined_count + 1);
    s->joined[s->joined_count++] =
        (struct joined){fd, sharc_strdup(path), size > 0 ? (uint64_t)size : 0, keep, keep_arg};
    return 0;
}

/* --- readers ------------------------------------------------------------- */

struct reader {
    const struct chunk *chunk; /* a run in memory, or NULL */
    size_t next;               /* line of the chunk */
    int fd;
    uint64_t at, end;        /* what is still to be read of the file */
    struct sharc_buf window; /* read, from window_at on not yet given */
    size_t window_at;
    const struct joined *joined; /* its order must be checked */
    struct sharc_buf before;
    struct sharc_span line; /* the current one */
};

/* Bring more of the file into the window; 0 at its end. */
static int fill(struct reader *r, struct sharc_err *reterr)
{
    if (r->window_at) sharc_buf_splice(&r->window, 0, r->window_at, SHARC_SPAN_NONE);
    r->window_at = 0;
    size_t want = r->end - r->at < WINDOW ? (size_t)(r->end - r->at) : WINDOW;
    if (want == 0) return 0;
    int bad = sharc_buf_reserve(&r->window, want);
    SHARC_FAIL_IF(bad < 0, reterr, bad, "%s: offset %" PRIu64 ": a line is longer than SHARC_LIMIT_CDX_LINE",
                  r->joined ? r->joined->path : "sorting", r->at);
    ssize_t got;
    do {
        got = pread(r->fd, r->window.p + r->window.n, want, (off_t)r->at);
    } while (got < 0 && errno == EINTR);
    SHARC_FAIL_IF(got <= 0, reterr, got ? sharc_error_from_errno(errno) : SHARC_ETRUNC, "%s: cannot read: %s",
                  r->joined ? r->joined->path : "temporary file", got ? strerror(errno) : "it became shorter");
    r->window.n += (size_t)got;
    r->window.p[r->window.n] = 0;
    r->at += (uint64_t)got;
    return 1;
}

static int next_of_file(struct reader *r, struct sharc_err *reterr)
{
    size_t from = r->window_at;
    for (;;) {
        size_t newline = sharc_span_find(sharc_buf_span(&r->window), '\n', from);
        if (newline != SHARC_NPOS) {
            r->line = sharc_span(r->window.p + r->window_at, newline + 1 - r->window_at);
            r->window_at = newline + 1;
            return 1;
        }
        from = r->window.n - r->window_at;
        int got = fill(r, reterr);
        if (got < 0) return got;
        if (got > 0) continue;
        if (r->window.n == 0) return 0;
        sharc_buf_put_char(&r->window, '\n'); /* the last line of a foreign file */
    }
}

static int next_of_joined(struct reader *r, struct sharc_err *reterr)
{
    int got;
    while ((got = next_of_file(r, reterr)) > 0) {
        struct sharc_span line = r->line;
        if (line.n <= 1 || line.p[0] == ' ' || line.p[0] == '!') continue;
        SHARC_FAIL_IF(sharc_span_cmp(line, sharc_buf_span(&r->before)) < 0, reterr, SHARC_ECORRUPT,
                      "%s: offset %" PRIu64 ": not sorted by bytes; sort it with LC_ALL=C or build it again",
                      r->joined->path, r->at - (r->window.n - r->window_at) - line.n);
        sharc_buf_clear(&r->before);
        sharc_buf_put(&r->before, line);
        if (!r->joined->keep || r->joined->keep(r->joined->keep_arg, line)) return 1;
    }
    return got;
}

static int next_line(struct reader *r, struct sharc_err *reterr)
{
    if (r->joined) return next_of_joined(r, reterr);
    if (!r->chunk) return next_of_file(r, reterr);
    if (r->next == r->chunk->count) return 0;
    struct line_ref ref = r->chunk->refs[r->next++];
    r->line = sharc_span(r->chunk->text.p + ref.at, ref.n);
    return 1;
}

static void open_reader(struct reader *r, int fd, uint64_t at, uint64_t size)
{
    *r = (struct reader){.fd = fd, .at = at, .end = at + size};
    sharc_buf_init(&r->window, SHARC_LIMIT_CDX_LINE + WINDOW + 1);
    sharc_buf_init(&r->before, SHARC_LIMIT_CDX_LINE + WINDOW + 1);
}

static void close_readers(struct reader *r, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        sharc_buf_done(&r[i].window);
        sharc_buf_done(&r[i].before);
    }
    free(r);
}

/* --- merging: a heap of readers, the smallest line on top ---------------- */

static void sift_down(struct reader **heap, size_t count, size_t i)
{
    for (;;) {
        size_t least = i, left = 2 * i + 1;
        for (size_t k = left; k < left + 2 && k < count; k++)
            if (sharc_span_cmp(heap[k]->line, heap[least]->line) < 0) least = k;
        if (least == i) return;
        struct reader *t = heap[i];
        heap[i] = heap[least];
        heap[least] = t;
        i = least;
    }
}

static int merge(struct reader *readers, size_t count, sharc_line_fn *fn, void *arg, struct sharc_err *reterr)
{
    SHARC_AUTO(sharc_freep) struct reader **heap = SHARC_NEW_ARRAY(struct reader *, count);
    SHARC_AUTO(sharc_buf_done) struct sharc_buf last = SHARC_BUF_INIT(SHARC_LIMIT_CDX_LINE + WINDOW + 1);
    size_t n = 0;
    int r = 0;
    for (size_t i = 0; i < count; i++) {
        if ((r = next_line(&readers[i], reterr)) < 0) return r;
        if (r > 0) heap[n++] = &readers[i];
    }
    for (size_t i = n / 2; i-- > 0;) sift_down(heap, n, i);
    while (n) {
        if (!sharc_span_eq(heap[0]->line, sharc_buf_span(&last))) {
            sharc_buf_clear(&last);
            sharc_buf_put(&last, heap[0]->line);
            if ((r = fn(arg, sharc_buf_span(&last), reterr)) < 0) return r;
        }
        if ((r = next_line(heap[0], reterr)) < 0) return r;
        if (r == 0) heap[0] = heap[--n];
        sift_down(heap, n, 0);
    }
    return 0;
}

struct to_spool {
    struct sharc_sorter *sorter;
    struct sharc_buf window;
    uint64_t at;
};

static int flush_spool(struct to_spool *t, struct sharc_err *reterr)
{
    int r = write_spool(t->sorter, sharc_buf_span(&t->window), t->at, reterr);
    t->at += t->window.n;
    sharc_buf_clear(&t->window);
    return r;
}

static int line_to_spool(void *arg, struct sharc_span line, struct sharc_err *reterr)
{
    struct to_spool *t = arg;
    sharc_buf_put(&t->window, line);
    return t->window.n < 4 * WINDOW ? 0 : flush_spool(t, reterr);
}

/* Merge the first FAN_IN runs into one at the end of the list. */
static int merge_some_runs(struct sharc_sorter *s, struct sharc_err *reterr)
{
    struct reader *readers = SHARC_NEW_ARRAY(struct reader, FAN_IN);
    for (size_t i = 0; i < FAN_IN; i++) open_reader(&readers[i], s->fd, s->runs[i].at, s->runs[i].size);
    struct to_spool to = {.sorter = s, .at = s->end};
    sharc_buf_init(&to.window, 4 * WINDOW + SHARC_LIMIT_CDX_LINE + 1);
    int r = merge(readers, FAN_IN, line_to_spool, &to, reterr);
    if (r == 0) r = flush_spool(&to, reterr);
    close_readers(readers, FAN_IN);
    sharc_buf_done(&to.window);
    if (r < 0) return r;
    struct run merged = {s->end, to.at - s->end};
    s->end = to.at;
    memmove(s->runs, s->runs + FAN_IN, (s->run_count - FAN_IN) * sizeof *s->runs);
    s->run_count -= FAN_IN;
    s->runs[s->run_count++] = merged;
    return 0;
}

int sharc_sorter_merge(struct sharc_sorter *s, sharc_line_fn *fn, void *arg, struct sharc_err *reterr)
{
    for (unsigned i = 0; i < s->writers; i++) sort_chunk(&s->chunks[i]);
    while (s->run_count > FAN_IN) {
        int r = merge_some_runs(s, reterr);
        if (r < 0) return r;
    }
    size_t count = 0, most = s->run_count + s->writers + s->joined_count;
    struct reader *readers = SHARC_NEW_ARRAY(struct reader, most);
    for (size_t i = 0; i < s->run_count; i++) open_reader(&readers[count++], s->fd, s->runs[i].at, s->runs[i].size);
    for (unsigned i = 0; i < s->writers; i++) readers[count++].chunk = &s->chunks[i];
    for (size_t i = 0; i < s->joined_count; i++) {
        open_reader(&readers[count], s->joined[i].fd, 0, s->joined[i].size);
        readers[count++].joined = &s->joined[i];
    }
    int r = merge(readers, count, fn, arg, reterr);
    close_readers(readers, count);
    return r;
}

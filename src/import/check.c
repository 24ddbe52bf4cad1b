/* SPDX-License-Identifier: Apache-2.0
 *
 * The catalogue held against its files: each file is read once beside the rows
 * that point into it, both in the order of their offsets.
 */
#include "import_int.h"
#include "sharc/base_file.h"
#include "sharc/cdx.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

const char *sharc_import_fault_text(enum sharc_import_fault fault)
{
    static const char *const texts[] = {
#define X(name, text, cure) text,
        SHARC_IMPORT_FAULTS(X)
#undef X
    };
    return texts[fault];
}

const char *sharc_import_fault_cure(enum sharc_import_fault fault)
{
    static const char *const cures[] = {
#define X(name, text, cure) cure,
        SHARC_IMPORT_FAULTS(X)
#undef X
    };
    return cures[fault];
}

/* A file that the catalogue knows. */
struct warc {
    char *name;
    sharc_store_id id;
    uint64_t size, done;
    bool ended;    /* read to its end, such as it was */
    uint64_t seen; /* size of the file; 0: it is not there */
};

struct check {
    struct sharc_store *store;
    const struct sharc_import_check *o;
    struct sharc_import_checked *sum;
    struct sharc_import_options reading; /* how files are read */
    struct warc *warcs;
    size_t count, room;
    uint64_t bytes_done, bytes_total;
    struct sharc_map64 merged; /* prints of URLs that were merged into others */
    struct sharc_cdx_index *index;
    struct sharc_intern *names;        /* last parts of the files' names, as indexes know them */
    struct sharc_intern *strays;       /* the same of files that the catalogue does not know */
    uint64_t *sizes;                   /* of each name: that of the largest file of that name */
    const struct warc *now;            /* the file being read; NULL: none */
    struct sharc_store_rows *pointers; /* into all files, in the order of their numbers; one ahead */
    struct sharc_store_pointer pointer;
    bool have;
};

static void check_done(struct check *k)
{
    for (size_t i = 0; i < k->count; i++) free(k->warcs[i].name);
    free(k->warcs);
    sharc_map64_done(&k->merged);
    sharc_cdx_index_free(k->index);
    sharc_intern_free(k->names);
    sharc_intern_free(k->strays);
    free(k->sizes);
    sharc_store_rows_free(k->pointers);
}

static SHARC_PRINTF(4, 5) void say(struct check *k, enum sharc_import_fault fault, uint64_t offset, const char *fmt,
                                   ...)
{
    char text[2 * SHARC_LIMIT_URL];
    va_list ap;
    va_start(ap, fmt);
    vsnprintf(text, sizeof text, fmt, ap);
    va_end(ap);
    k->sum->findings++;
    k->o->finding(k->o->arg, &(struct sharc_import_finding){
                                 .fault = fault, .file = k->now ? k->now->name : NULL, .offset = offset, .text = text});
}

/* --- what is known -------------------------------------------------------------- */

static int by_number(const void *a, const void *b)
{
    const struct warc *x = a, *y = b;
    return x->id < y->id ? -1 : x->id > y->id;
}

static int load_warcs(struct check *k, struct sharc_err *reterr)
{
    SHARC_AUTO(sharc_store_rows_freep) struct sharc_store_rows *rows = NULL;
    int r = sharc_store_warcs(k->store, &rows, reterr);
    while (r >= 0 && (r = sharc_store_rows_next(rows, reterr)) > 0) {
        struct sharc_store_warc w = {0};
        sharc_store_read_warc(rows, &w);
        if (w.state == SHARC_STORE_WARC_MISSING && w.done == 0) continue; /* gone before anything in it counted */
        SHARC_GROW(k->warcs, k->room, k->count + 1);
        k->warcs[k->count++] =
            (struct warc){.name = sharc_span_dup(w.name),
                          .id = w.id,
                          .size = w.size,
                          .done = w.done,
                          .ended = w.state == SHARC_STORE_WARC_COMPLETE || w.state == SHARC_STORE_WARC_DAMAGED};
        k->bytes_total += w.size;
    }
    if (k->count) qsort(k->warcs, k->count, sizeof *k->warcs, by_number);
    return r;
}

static int load_merged(struct check *k, struct sharc_err *reterr)
{
    SHARC_AUTO(sharc_store_rows_freep) struct sharc_store_rows *rows = NULL;
    int r = sharc_store_skipped(k->store, 0, "case", &rows, reterr);
    while (r >= 0 && (r = sharc_store_rows_next(rows, reterr)) > 0) {
        struct sharc_store_skip skip;
        sharc_store_read_skip(rows, &skip);
        ++*sharc_map64_at(&k->merged, sharc_fingerprint(skip.url, 0));
    }
    return r;
}

/* --- one record ------------------------------------------------------------------- */

/* Was this record left out because a later download of the URL took its place? */
static int was_replaced(struct check *k, const struct import_row *row, bool *ret, struct sharc_err *reterr)
{
    SHARC_AUTO(sharc_store_rows_freep) struct sharc_store_rows *rows = NULL;
    *ret = sharc_map64_find(&k->merged, sharc_fingerprint(row->url, 0)) != NULL;
    if (*ret) return 0;
    int r = sharc_store_history(k->store, row->url, &rows, reterr);
    if (r == SHARC_ENOENT) return 0;
    while (r >= 0 && !*ret && (r = sharc_store_rows_next(rows, reterr)) > 0) {
        struct sharc_store_page p;
        sharc_store_read_page(rows, &p);
        *ret = p.visit.when >= row->when || (p.revisit.when != SHARC_TIME_NONE && p.revisit.when >= row->when);
    }
    return r < 0 ? r : 0;
}

static int check_lone_record(struct check *k, const struct import_row *row, struct sharc_err *reterr)
{
    bool replaced = false;
    int r = was_replaced(k, row, &replaced, reterr);
    if (r < 0) return r;
    if (replaced)
        k->sum->repeated++;
    else
        say(k, SHARC_FAULT_RECORD, row->offset, "the record of %.*s has no row in the catalogue",
            SHARC_SPAN_ARG(row->url));
    return 0;
}

static void check_pair(struct check *k, const struct import_row *row, const struct sharc_store_pointer *p)
{
    char here[SHARC_TIME_TEXT], there[SHARC_TIME_TEXT];
    if (row->when != p->when)
        say(k, SHARC_FAULT_POINTER, p->offset, "%.*s was captured at %s, the catalogue says %s",
            SHARC_SPAN_ARG(row->url), sharc_time_iso(row->when, 6, here), sharc_time_iso(p->when, 6, there));
    else if (row->digest.n && p->digest.n && row->digest.kind == p->digest.kind &&
             !sharc_digest_eq(&row->digest, &p->digest))
        say(k, SHARC_FAULT_POINTER, p->offset, "the record of %.*s has another digest than its row",
            SHARC_SPAN_ARG(row->url));
}

static struct sharc_span last_part(struct sharc_span name)
{
    size_t at = name.n;
    while (at > 0 && name.p[at - 1] != '/' && name.p[at - 1] != '#') at--;
    return sharc_span_from(name, at);
}

static int check_in_index(struct check *k, const struct sharc_store_pointer *p, struct sharc_err *reterr)
{
    SHARC_AUTO(sharc_cdx_cursor_freep) struct sharc_cdx_cursor *c = NULL;
    struct sharc_cdx_query q = {.url = p->url, .match = SHARC_CDX_EXACT};
    struct sharc_cdx e;
    uint64_t offset;
    if (!k->index || p->url.n > SHARC_LIMIT_URL) return 0;
    int r = sharc_cdx_ask(k->index, &q, &c, reterr);
    while (r >= 0 && (r = sharc_cdx_next(c, &e, reterr)) > 0)
        if (sharc_cdx_number(&e, SHARC_CDX_OFFSET, &offset) && offset == p->offset &&
            sharc_span_eq(last_part(sharc_span_of(k->now->name)), last_part(e.field[SHARC_CDX_FILENAME])))
            return 0;
    if (r == 0) say(k, SHARC_FAULT_INDEX, p->offset, "%.*s is in no index", SHARC_SPAN_ARG(p->url));
    return r;
}

/* --- one file ------------------------------------------------------------------- */

static bool points_here(const struct check *k)
{
    return k->have && k->now && k->pointer.warc == k->now->id;
}

static int advance(struct check *k, struct sharc_err *reterr)
{
    int r = sharc_store_rows_next(k->pointers, reterr);
    k->have = r > 0;
    if (k->have) sharc_store_read_pointer(k->pointers, &k->pointer);
    k->sum->pages += k->have;
    return r < 0 ? r : 0;
}

/* A row that points where nothing is. */
static int pass_pointer(struct check *k, struct sharc_err *reterr)
{
    say(k, SHARC_FAULT_POINTER, k->pointer.offset, "%.*s: no such record begins here", SHARC_SPAN_ARG(k->pointer.url));
    return advance(k, reterr);
}

static int check_row(struct check *k, const struct import_row *row, struct sharc_err *reterr)
{
    int r = 0;
    bool met = false;
    k->sum->records++;
    while (r == 0 && points_here(k) && k->pointer.offset < row->offset) r = pass_pointer(k, reterr);
    /* Records that share a gzip member share its offset. */
    while (r == 0 && points_here(k) && k->pointer.offset == row->offset && sharc_span_eq(k->pointer.url, row->url)) {
        check_pair(k, row, &k->pointer);
        met = true;
        /* An index for replay leaves answers 304 out. */
        if (row->status != 304) r = check_in_index(k, &k->pointer, reterr);
        if (r == 0) r = advance(k, reterr);
    }
    return r == 0 && !met ? check_lone_record(k, row, reterr) : r;
}

static int check_batch(struct check *k, const struct import_batch *b, struct sharc_err *reterr)
{
    int r = 0;
    if (b->damaged) say(k, SHARC_FAULT_DAMAGE, SHARC_NOWHERE, "%s cannot be read", SHARC_COUNT(b->damaged, "place"));
    for (size_t i = 0; r == 0 && i < b->count; i++) r = check_row(k, &b->rows[i], reterr);
    if (k->o->progress) k->o->progress(k->o->arg, k->bytes_done + b->next, k->bytes_total);
    SHARC_FAIL_IF(r == 0 && k->o->stop && *k->o->stop, reterr, SHARC_EINTR, "interrupted");
    return r;
}

static int check_rows(struct check *k, struct import_reader *reader, struct sharc_err *reterr)
{
    int result = 0, r = 1;
    while (result == 0 && r > 0) {
        struct sharc_err err = SHARC_ERR_INIT;
        SHARC_AUTO(sharc__import_batch_freep) struct import_batch *b = NULL;
        r = sharc__import_reader_next(reader, &b, &err);
        if (r < 0) say(k, SHARC_FAULT_DAMAGE, err.offset, "%s", err.text);
        if (b) result = check_batch(k, b, reterr);
    }
    return result;
}

static int check_open_file(struct check *k, const struct import_job *job, struct sharc_err *reterr)
{
    SHARC_AUTO(sharc__import_reader_closep) struct import_reader *reader = NULL;
    const struct warc *w = k->now;
    if (w->done < job->size && (!w->ended || w->size < job->size))
        say(k, SHARC_FAULT_BEHIND, w->done, "%s not been read into the catalogue",
            SHARC_COUNT(job->size - w->done, "byte has|bytes have"));
    int r = sharc__import_reader_open(job, 0, &k->reading, 0, NULL, &reader, reterr);
    return r < 0 ? r : check_rows(k, reader, reterr);
}

static bool is_open(const char *path)
{
    SHARC_AUTO(sharc_freep) char *open = sharc_asprintf("%s.open", path);
    return access(open, F_OK) == 0;
}

/* The file of now is still called ….open. */
static void say_open(struct check *k)
{
    if (k->o->running)
        k->sum->open++;
    else
        say(k, SHARC_FAULT_OPEN, SHARC_NOWHERE,
            "its crawl was killed before it closed the file; what it wrote is in %s.open", k->now->name);
}

static int check_file(struct check *k, struct warc *w, struct sharc_err *reterr)
{
    SHARC_AUTO(sharc__import_jobs_done) struct import_jobs jobs = {0};
    SHARC_AUTO(sharc_freep) char *path = sharc_archive_file(k->o->archive, sharc_span_of(w->name));
    const char *input = path;
    struct sharc_err err = SHARC_ERR_INIT;
    bool writing = k->o->running && !w->ended; /* by somebody whose rows go on */
    int r = writing ? SHARC_EBUSY : sharc__import_jobs_find(&jobs, &input, 1, k->o->archive, &err);
    k->now = w;
    const struct import_job *job = NULL;
    for (size_t i = 0; r == 0 && i < jobs.count; i++)
        if (strcmp(jobs.items[i].name, w->name) == 0) job = &jobs.items[i];
    if (r == 0 && jobs.count == 1 && !jobs.items[0].input->zip) job = &jobs.items[0]; /* reached by a link */
    r = 0;
    if (writing || (!job && is_open(path)))
        say_open(k);
    else if (!job)
        say(k, SHARC_FAULT_FILE, SHARC_NOWHERE, "%s", err.text[0] ? err.text : "is not in its container any more");
    else
        r = check_open_file(k, job, reterr);
    w->seen = job ? job->size : 0;
    while (r == 0 && points_here(k)) r = job ? pass_pointer(k, reterr) : advance(k, reterr);
    k->sum->warcs++;
    k->bytes_done += w->size;
    k->now = NULL;
    return r;
}

/* --- files that the catalogue does not know ---------------------------------------- */

static int check_stray(struct check *k, const struct sharc_intern *known, const char *path, bool open,
                       struct sharc_err *reterr)
{
    SHARC_AUTO(sharc_freep) char *name = NULL;
    int r = sharc_archive_name(k->o->archive, path, &name, reterr);
    if (r < 0) return r == SHARC_ENOENT ? 0 : r; /* the crawl closed it just now */
    if (open) name[strlen(name) - strlen(".open")] = 0;
    if (sharc_intern_find(known, sharc_span_of(name)) != SHARC_NO_ID) return 0;
    const struct warc stray = {.name = name};
    k->now = &stray;
    if (open)
        say_open(k);
    else
        say(k, SHARC_FAULT_UNKNOWN, SHARC_NOWHERE, "is in the archive, but not in the catalogue");
    sharc_intern_add(k->strays, last_part(sharc_span_of(name)), NULL);
    k->now = NULL;
    return 0;
}

static int known_names(struct check *k, struct sharc_intern *known, struct sharc_err *reterr)
{
    SHARC_AUTO(sharc_store_rows_freep) struct sharc_store_rows *rows = NULL;
    int r = sharc_store_warcs(k->store, &rows, reterr);
    while (r >= 0 && (r = sharc_store_rows_next(rows, reterr)) > 0) {
        struct sharc_store_warc w = {0};
        sharc_store_read_warc(rows, &w);
        sharc_intern_add(known, w.name, NULL);
    }
    return r;
}

/* As a crawl leaves them that was killed before it wrote a new file down, or somebody who copied one there. The
 * names are asked for after the files were listed: a crawl may be writing new ones. */
static int check_strays(struct check *k, struct sharc_err *reterr)
{
    SHARC_AUTO(sharc_intern_freep) struct sharc_intern *known = sharc_intern_new();
    char **paths[2] = {NULL, NULL};
    size_t count[2] = {0, 0};
    int r = 0;
    k->strays = sharc_intern_new();
    for (int open = 0; k->o->archive && r == 0 && open < 2; open++)
        r = sharc_archive_warcs(k->o->archive, open, &paths[open], &count[open], reterr);
    sharc_store_rows_freep(&k->pointers); /* it would show the database as it was */
    if (r == 0) r = known_names(k, known, reterr);
    for (int open = 0; open < 2; open++) {
        for (size_t i = 0; r >= 0 && i < count[open]; i++) r = check_stray(k, known, paths[open][i], open, reterr);
        sharc_names_free(paths[open], count[open]);
    }
    return r;
}

/* --- indexes -------------------------------------------------------------------- */

static int open_index(struct check *k, struct sharc_err *reterr)
{
    char **paths = NULL;
    size_t count = 0;
    int r = k->o->archive ? sharc_archive_indexes(k->o->archive, &paths, &count, reterr) : 0;
    for (size_t i = 0; i < count; i++) {
        struct sharc_err err = SHARC_ERR_INIT;
        if (!k->index) k->index = sharc_cdx_index_new();
        if (sharc_cdx_index_add(k->index, paths[i], SHARC_CDX_CHECK_ALL, &err) < 0)
            say(k, SHARC_FAULT_INDEX, SHARC_NOWHERE, "%s", err.text);
    }
    sharc_names_free(paths, count);
    return r;
}

static void list_names(struct check *k)
{
    k->names = sharc_intern_new();
    k->sizes = SHARC_NEW_ARRAY(uint64_t, k->count);
    for (size_t i = 0; i < k->count; i++) {
        uint32_t n = sharc_intern_add(k->names, last_part(sharc_span_of(k->warcs[i].name)), NULL);
        if (k->warcs[i].seen > k->sizes[n]) k->sizes[n] = k->warcs[i].seen;
    }
}

/* Every line must point into a file that is there. */
static int check_index(struct check *k, struct sharc_err *reterr)
{
    SHARC_AUTO(sharc_cdx_cursor_freep) struct sharc_cdx_cursor *c = NULL;
    struct sharc_cdx_query all = {.url = SHARC_SPAN_NONE};
    struct sharc_cdx e;
    if (!k->index) return 0;
    SHARC_AUTO(sharc_intern_freep) struct sharc_intern *unknown = sharc_intern_new();
    list_names(k);
    int r = sharc_cdx_ask(k->index, &all, &c, reterr);
    while (r >= 0 && (r = sharc_cdx_next(c, &e, reterr)) > 0) {
        struct sharc_span file = e.field[SHARC_CDX_FILENAME];
        uint32_t n = sharc_intern_find(k->names, last_part(file));
        uint64_t offset = 0;
        bool fresh = false;
        k->sum->index_lines++;
        if (n == SHARC_NO_ID && sharc_intern_find(k->strays, last_part(file)) != SHARC_NO_ID) continue;
        if (n == SHARC_NO_ID) {
            sharc_intern_add(unknown, file, &fresh);
            if (fresh)
                say(k, SHARC_FAULT_UNKNOWN, SHARC_NOWHERE, "the index names %.*s, which the catalogue does not know",
                    SHARC_SPAN_ARG(file));
        } else if (!sharc_cdx_number(&e, SHARC_CDX_OFFSET, &offset) || offset >= k->sizes[n]) {
            say(k, SHARC_FAULT_INDEX, SHARC_NOWHERE, "a line of %.*s points outside %.*s",
                SHARC_SPAN_ARG(e.field[SHARC_CDX_URL]), SHARC_SPAN_ARG(file));
        }
    }
    return r;
}

/* --- all of it -------------------------------------------------------------------- */

static void database_finding(void *arg, const char *sentence)
{
    say(arg, SHARC_FAULT_DATABASE, SHARC_NOWHERE, "%s", sentence);
}

int sharc_import_check(struct sharc_store *store, const struct sharc_import_check *o, struct sharc_import_checked *ret,
                       struct sharc_err *reterr)
{
    *ret = (struct sharc_import_checked){0};
    SHARC_AUTO(check_done) struct check k = {.store = store, .o = o, .sum = ret};
    k.reading = (struct sharc_import_options){.no_extract = true, .lenient = true};
    sharc_map64_init(&k.merged);
    int r = sharc_store_check(store, database_finding, &k, reterr);
    if (r >= 0) r = load_warcs(&k, reterr);
    if (r >= 0) r = load_merged(&k, reterr);
    if (r >= 0) r = open_index(&k, reterr);
    if (r >= 0) r = sharc_store_pointers(store, &k.pointers, reterr);
    if (r >= 0) r = advance(&k, reterr);
    for (size_t i = 0; r >= 0 && i < k.count; i++) r = check_file(&k, &k.warcs[i], reterr);
    if (r >= 0) r = check_strays(&k, reterr);
    if (r >= 0) r = check_index(&k, reterr);
    return r < 0 ? r : 0;
}

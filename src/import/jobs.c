/* SPDX-License-Identifier: Apache-2.0
 *
 * Which files are meant, how the catalogue calls them, and in which order they
 * are read: by the time of their first record, so that captures grow forwards.
 */
#include "import_int.h"
#include "sharc/base_file.h"
#include "sharc/base_remote.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

enum { LOOK_AT = 8 };

void sharc__import_jobs_done(struct import_jobs *j)
{
    for (size_t i = 0; i < j->count; i++) free(j->items[i].name);
    free(j->items);
    sharc_warc_inputs_done(&j->inputs);
    *j = (struct import_jobs){0};
}

/* Read, not mapped: a mapped gigabyte would count as our memory. */
static int hash_file(const char *path, struct sharc_hasher *h, struct sharc_err *reterr)
{
    enum { PIECE = 1 << 18 };
    FILE *f = fopen(path, "rb");
    SHARC_FAIL_IF(!f, reterr, sharc_error_from_errno(errno), "%s: %s", path, strerror(errno));
    SHARC_AUTO(sharc_freep) char *piece = sharc_malloc(PIECE);
    size_t n;
    while ((n = fread(piece, 1, PIECE, f)) > 0) sharc_hasher_add(h, piece, n);
    bool bad = ferror(f);
    fclose(f);
    SHARC_FAIL_IF(bad, reterr, SHARC_EIO, "%s: cannot be read", path);
    return 0;
}

static int hash_remote(const char *name, struct sharc_hasher *h, struct sharc_err *reterr)
{
    enum { PIECE = 8 << 20 };
    struct sharc_remote_facts facts;
    SHARC_AUTO(sharc_freep) char *piece = sharc_malloc(PIECE);
    int r = sharc_remote_look(name, &facts, reterr);
    for (uint64_t at = 0; r == 0 && at < facts.size; at += PIECE) {
        size_t n = facts.size - at < PIECE ? (size_t)(facts.size - at) : PIECE;
        r = sharc_remote_read(name, &facts, at, piece, n, reterr);
        if (r == 0) sharc_hasher_add(h, piece, n);
    }
    return r;
}

int sharc__import_job_digest(const struct import_job *job, struct sharc_digest *ret, struct sharc_err *reterr)
{
    SHARC_AUTO(sharc_hasher_freep) struct sharc_hasher *h = sharc_hasher_new();
    struct sharc_span bytes = SHARC_SPAN_NONE;
    sharc_hasher_start(h, SHARC_SHA256);
    const struct sharc_warc_input *in = job->input;
    int r = in->zip                     ? sharc_zip_raw(in->zip, in->entry, &bytes, reterr)
            : sharc_remote_is(in->path) ? hash_remote(in->path, h, reterr)
                                        : hash_file(in->path, h, reterr);
    if (r < 0) return r;
    sharc_hasher_add(h, bytes.p, bytes.n);
    sharc_hasher_end(h, ret);
    return 0;
}

/* --- finding ---------------------------------------------------------------- */

/* When the file begins: the first date that is not of a warcinfo record. Damage
 * is no concern here. */
static void look_inside(struct import_job *job)
{
    SHARC_AUTO(sharc_warc_closep) struct sharc_warc *w = NULL;
    struct sharc_warc_options o = {.joined = true};
    struct sharc_record rec;
    job->first = SHARC_TIME_NONE;
    if (sharc_warc_input_open(job->input, &o, &w, NULL) < 0) return;
    for (int i = 0; i < LOOK_AT && sharc_warc_next(w, &rec, NULL) > 0; i++) {
        if (rec.date == SHARC_TIME_NONE) continue;
        if (rec.type == SHARC_WARC_INFO && job->first != SHARC_TIME_NONE) continue;
        job->first = rec.date;
        if (rec.type != SHARC_WARC_INFO) return;
    }
}

static int add(struct import_jobs *j, const struct sharc_warc_input *input, const char *archive,
               struct sharc_err *reterr)
{
    SHARC_AUTO(sharc_freep) char *file = NULL;
    SHARC_FAIL_IF(strcmp(input->path, "-") == 0, reterr, SHARC_EUNSUPPORTED,
                  "standard input cannot be imported: the catalogue points into files; save it first");
    SHARC_FAIL_IF(input->kind == SHARC_WARC_KIND_INDEX, reterr, SHARC_EINVAL,
                  "%s: an index, where archive files are needed; name the WARC files that it points into", input->path);
    int r = sharc_archive_name(archive, input->path, &file, reterr);
    if (r < 0) return r;
    struct import_job *job = &j->items[j->count++];
    *job = (struct import_job){.input = input, .size = input->size};
    job->name = input->inside ? sharc_asprintf("%s#%s", file, input->inside) : SHARC_TAKE(file);
    look_inside(job);
    j->bytes += job->size;
    return 0;
}

static int by_time(const void *a, const void *b)
{
    const struct import_job *x = a, *y = b;
    if (x->first != y->first) return x->first < y->first ? -1 : 1;
    return strcmp(x->name, y->name);
}

/* A file named twice is one file. */
static void drop_repeated(struct import_jobs *j)
{
    size_t kept = 0;
    for (size_t i = 0; i < j->count; i++) {
        if (kept && strcmp(j->items[kept - 1].name, j->items[i].name) == 0) {
            j->bytes -= j->items[i].size;
            free(j->items[i].name);
        } else {
            j->items[kept++] = j->items[i];
        }
    }
    j->count = kept;
}

int sharc__import_jobs_find(struct import_jobs *j, const char *const *inputs, size_t count, const char *archive,
                            struct sharc_err *reterr)
{
    struct sharc_warc_inputs *in = &j->inputs;
    int r = 0;
    for (size_t i = 0; r == 0 && i < count; i++) r = sharc_warc_inputs_add(in, inputs[i], reterr);
    if (r < 0) return r;
    j->items = SHARC_NEW_ARRAY(struct import_job, in->count);
    for (size_t i = 0; i < in->count; i++) {
        struct sharc_err err = SHARC_ERR_INIT;
        r = add(j, &in->items[i], archive, in->bad ? &err : reterr);
        if (r < 0 && !in->bad) return r;
        if (r < 0) in->bad(in->bad_arg, &err);
    }
    if (j->count) qsort(j->items, j->count, sizeof *j->items, by_time);
    drop_repeated(j);
    return 0;
}

/* SPDX-License-Identifier: Apache-2.0
 *
 * Which files are meant, how the catalogue calls them, and in which order they
 * are read: by the time of their first record, so that captures grow forwards.
 */
#include "import_int.h"
#include "sharc/base_file.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>

enum { MOST_DEPTH = 32, LOOK_AT = 8 };

void sharc__import_jobs_done(struct import_jobs *j)
{
    for (size_t i = 0; i < j->count; i++) {
        free(j->items[i].path);
        free(j->items[i].name);
    }
    for (size_t i = 0; i < j->zip_count; i++) {
        sharc_zip_done(j->zips[i]);
        free(j->zips[i]);
    }
    free(j->items);
    free(j->zips);
    *j = (struct import_jobs){0};
}

bool sharc_import_is_archive(const char *path)
{
    static const char *const ends[] = {".warc", ".warc.gz", ".warc.zst", ".arc", ".arc.gz", ".wacz"};
    struct sharc_span p = sharc_span_of(path);
    for (size_t i = 0; i < SHARC_LENGTH(ends); i++)
        if (sharc_span_ends(p, sharc_span_of(ends[i]))) return true;
    return false;
}

/* Read, not mapped: a mapped gigabyte would count as our memory. */
static int hash_file(const char *path, struct sharc_hasher *h, struct sharc_err *reterr)
{
    enum { PIECE = 1 << 18 };
    FILE *f = fopen(path, "rb");
    SHARC_FAIL_IF(!f, reterr, sharc_error_from_errno(errno), "%s: %s", path, strerror(errno));
    AUTO(sharc_freep) char *piece = sharc_malloc(PIECE);
    size_t n;
    while ((n = fread(piece, 1, PIECE, f)) > 0) sharc_hasher_add(h, piece, n);
    bool bad = ferror(f);
    fclose(f);
    SHARC_FAIL_IF(bad, reterr, SHARC_EIO, "%s: cannot be read", path);
    return 0;
}

int sharc__import_job_digest(const struct import_job *job, struct sharc_digest *ret, struct sharc_err *reterr)
{
    AUTO(sharc_hasher_freep) struct sharc_hasher *h = sharc_hasher_new();
    struct sharc_span bytes = SPAN_NONE;
    sharc_hasher_start(h, SHARC_SHA256);
    int r = job->zip ? sharc_zip_raw(job->zip, job->entry, &bytes, reterr) : hash_file(job->path, h, reterr);
    if (r < 0) return r;
    sharc_hasher_add(h, bytes.p, bytes.n);
    sharc_hasher_end(h, ret);
    return 0;
}

int sharc__import_job_open(const struct import_job *job, const struct sharc_warc_options *o, struct sharc_warc **ret,
                           struct sharc_err *reterr)
{
    if (!job->zip) return sharc_warc_open(job->path, o, ret, reterr);
    struct sharc_span bytes;
    struct sharc_warc_options inside = *o;
    inside.name = job->name;
    int r = sharc_zip_raw(job->zip, job->entry, &bytes, reterr);
    return r < 0 ? r : sharc_warc_open_bytes(bytes, &inside, ret, reterr);
}

/* --- finding ---------------------------------------------------------------- */

/* Relative for what lies inside the archive: it can be moved as a whole. */
static int name_of(const char *path, const char *archive, char **ret, struct sharc_err *reterr)
{
    AUTO(sharc_freep) char *full = realpath(path, NULL);
    SHARC_FAIL_IF(!full, reterr, sharc_error_from_errno(errno), "%s: %s", path, strerror(errno));
    AUTO(sharc_freep) char *base = archive ? realpath(archive, NULL) : NULL;
    size_t n = base ? strlen(base) : 0;
    bool inside = base && strncmp(full, base, n) == 0 && full[n] == '/';
    *ret = sharc_strdup(inside ? full + n + 1 : full);
    return 0;
}

char *sharc__import_path(const char *archive, const char *name)
{
    const char *hash = strstr(name, ".wacz#");
    AUTO(sharc_freep) char *file = hash ? sharc_strndup(name, (size_t)(hash - name) + 5) : sharc_strdup(name);
    if (file[0] == '/' || !archive) return TAKE(file);
    return sharc_path_join(archive, file);
}

/* When the file begins: the first date that is not of a warcinfo record. Damage
 * is no concern here. */
static void look_inside(struct import_job *job)
{
    AUTO(sharc_warc_closep) struct sharc_warc *w = NULL;
    struct sharc_warc_options o = {.joined = true};
    struct sharc_record rec;
    job->first = SHARC_TIME_NONE;
    if (sharc__import_job_open(job, &o, &w, NULL) < 0) return;
    for (int i = 0; i < LOOK_AT && sharc_warc_next(w, &rec, NULL) > 0; i++) {
        if (rec.date == SHARC_TIME_NONE) continue;
        if (rec.type == SHARC_WARC_INFO && job->first != SHARC_TIME_NONE) continue;
        job->first = rec.date;
        if (rec.type != SHARC_WARC_INFO) return;
    }
}

static void add(struct import_jobs *j, struct import_job job)
{
    look_inside(&job);
    SHARC_GROW(j->items, j->room, j->count + 1);
    j->items[j->count++] = job;
    j->bytes += job.size;
}

static int add_container(struct import_jobs *j, const char *path, const char *name, struct sharc_err *reterr)
{
    struct sharc_zip *z = SHARC_NEW(struct sharc_zip);
    int r = sharc_zip_open(z, path, reterr);
    if (r < 0) {
        free(z);
        return r;
    }
    SHARC_GROW(j->zips, j->zip_room, j->zip_count + 1);
    j->zips[j->zip_count++] = z;
    for (size_t i = 0; i < z->count; i++) {
        const struct sharc_zip_entry *e = &z->entries[i];
        if (!sharc_span_starts(e->name, SPAN("archive/")) || e->directory) continue;
        AUTO(sharc_freep) char *inside = sharc_span_dup(e->name);
        if (!sharc_import_is_archive(inside)) continue;
        SHARC_FAIL_IF(e->method != SHARC_ZIP_STORED || e->encrypted, reterr, SHARC_EUNSUPPORTED,
                      "%s: %s is compressed inside the ZIP, which WACZ does not allow; unpack it and import the WARC",
                      path, inside);
        add(j, (struct import_job){.path = sharc_strdup(path),
                                   .name = sharc_asprintf("%s#%s", name, inside),
                                   .zip = z,
                                   .entry = e,
                                   .size = e->size});
    }
    return 0;
}

static int add_file(struct import_jobs *j, const char *path, const struct stat *st, const char *archive,
                    struct sharc_err *reterr)
{
    AUTO(sharc_freep) char *name = NULL;
    int r = name_of(path, archive, &name, reterr);
    if (r < 0) return r;
    if (sharc_span_ends(sharc_span_of(path), SPAN(".wacz"))) return add_container(j, path, name, reterr);
    add(j, (struct import_job){.path = sharc_strdup(path),
                               .name = TAKE(name),
                               .size = st->st_size > 0 ? (uint64_t)st->st_size : 0});
    return 0;
}

static int add_path(struct import_jobs *j, const char *path, const char *archive, unsigned depth,
                    struct sharc_err *reterr)
{
    struct stat st;
    SHARC_FAIL_IF(strcmp(path, "-") == 0, reterr, SHARC_EUNSUPPORTED,
                  "standard input cannot be imported: the catalogue points into files; save it first");
    SHARC_FAIL_IF(stat(path, &st) < 0, reterr, sharc_error_from_errno(errno), "%s: %s", path, strerror(errno));
    if (!S_ISDIR(st.st_mode))
        return depth && !sharc_import_is_archive(path) ? 0 : add_file(j, path, &st, archive, reterr);
    SHARC_FAIL_IF(depth == MOST_DEPTH, reterr, SHARC_ELIMIT, "%s: directories are nested more than %d deep", path,
                  MOST_DEPTH);
    char **names;
    size_t count;
    int r = sharc_dir_list(path, &names, &count, reterr);
    if (r < 0) return r;
    for (size_t i = 0; r == 0 && i < count; i++) {
        AUTO(sharc_freep) char *below = sharc_path_join(path, names[i]);
        r = add_path(j, below, archive, depth + 1, reterr);
    }
    sharc_names_free(names, count);
    return r;
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
            free(j->items[i].path);
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
    for (size_t i = 0; i < count; i++) {
        int r = add_path(j, inputs[i], archive, 0, reterr);
        if (r < 0) return r;
    }
    if (j->count) qsort(j->items, j->count, sizeof *j->items, by_time);
    drop_repeated(j);
    return 0;
}

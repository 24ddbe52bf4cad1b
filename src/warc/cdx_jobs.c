/* SPDX-License-Identifier: Apache-2.0 */
#include "cdx_jobs.h"

#include "sharc/base_file.h"
#include "sharc/base_map.h"

#include <errno.h>
#include <stdlib.h>
#include <sys/stat.h>

enum { MOST_DEPTH = 32 };

void sharc__cdx_jobs_done(struct cdx_jobs *j)
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
    *j = (struct cdx_jobs){0};
}

static bool ends_with_any(const char *path, const char *const *ends)
{
    struct sharc_span p = sharc_span_of(path);
    for (; *ends; ends++)
        if (sharc_span_ends(p, sharc_span_of(*ends))) return true;
    return false;
}

static bool is_archive_name(const char *path)
{
    static const char *const ends[] = {".warc", ".warc.gz", ".warc.zst", ".arc", ".arc.gz", ".wacz", NULL};
    return ends_with_any(path, ends);
}

static bool is_index_name(const char *path)
{
    static const char *const ends[] = {".cdx", ".cdxj", ".cdx.gz", ".cdxj.gz", ".idx", NULL};
    return ends_with_any(path, ends);
}

static int name_of(const char *path, const char *root, char **ret, struct sharc_err *reterr)
{
    if (!root || strcmp(path, "-") == 0) {
        *ret = sharc_strdup(sharc_path_last(path));
        return 0;
    }
    AUTO(sharc_freep) char *full = realpath(path, NULL);
    AUTO(sharc_freep) char *base = realpath(root, NULL);
    SHARC_FAIL_IF(!full || !base, reterr, sharc_error_from_errno(errno), "%s: %s", full ? root : path, strerror(errno));
    struct sharc_span f = sharc_span_of(full), b = sharc_span_of(base);
    if (sharc_span_ends(b, SPAN("/"))) b.n--;
    SHARC_FAIL_IF(!sharc_span_starts(f, b) || full[b.n] != '/', reterr, SHARC_EINVAL, "%s: does not lie below %s", path,
                  root);
    *ret = sharc_strdup(full + b.n + 1);
    return 0;
}

static void add(struct cdx_jobs *j, struct cdx_job job)
{
    SHARC_GROW(j->items, j->room, j->count + 1);
    j->items[j->count++] = job;
    j->bytes += job.size;
}

/* The WARCs inside; a container without any gives none. */
static int add_container(struct cdx_jobs *j, const char *path, int64_t modified, struct sharc_err *reterr)
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
        if (!is_archive_name(inside)) continue;
        SHARC_FAIL_IF(e->method != SHARC_ZIP_STORED || e->encrypted, reterr, SHARC_EUNSUPPORTED,
                      "%s: %s is compressed inside the ZIP, which WACZ does not allow; pack it again", path, inside);
        add(j, (struct cdx_job){.path = sharc_strdup(path),
                                .name = sharc_strdup(sharc_path_last(inside)),
                                .zip = z,
                                .entry = e,
                                .size = e->size,
                                .modified = modified});
    }
    return 0;
}

static int add_file(struct cdx_jobs *j, const char *path, const struct stat *st, const char *root,
                    struct sharc_err *reterr)
{
    int64_t modified = (int64_t)st->st_mtim.tv_sec * 1000000000 + st->st_mtim.tv_nsec;
    if (sharc_span_ends(sharc_span_of(path), SPAN(".wacz"))) return add_container(j, path, modified, reterr);
    struct cdx_job job = {.kind = is_index_name(path) ? JOB_INDEX : JOB_ARCHIVE,
                          .size = st->st_size > 0 ? (uint64_t)st->st_size : 0,
                          .modified = modified};
    int r = name_of(path, root, &job.name, reterr);
    if (r < 0) return r;
    job.path = sharc_strdup(path);
    add(j, job);
    return 0;
}

static int add_path(struct cdx_jobs *j, const char *path, const char *root, unsigned depth, struct sharc_err *reterr)
{
    struct stat st = {0};
    if (strcmp(path, "-") == 0) return add_file(j, path, &st, root, reterr);
    SHARC_FAIL_IF(stat(path, &st) < 0, reterr, sharc_error_from_errno(errno), "%s: %s", path, strerror(errno));
    if (!S_ISDIR(st.st_mode)) return depth && !is_archive_name(path) ? 0 : add_file(j, path, &st, root, reterr);
    SHARC_FAIL_IF(depth == MOST_DEPTH, reterr, SHARC_ELIMIT, "%s: directories are nested more than %d deep", path,
                  MOST_DEPTH);
    char **names;
    size_t count;
    int r = sharc_dir_list(path, &names, &count, reterr);
    if (r < 0) return r;
    for (size_t i = 0; r == 0 && i < count; i++) {
        AUTO(sharc_freep) char *below = sharc_path_join(path, names[i]);
        r = add_path(j, below, root, depth + 1, reterr);
    }
    sharc_names_free(names, count);
    return r;
}

static int by_size(const void *a, const void *b)
{
    const struct cdx_job *x = a, *y = b;
    return x->size != y->size ? (x->size < y->size ? 1 : -1) : strcmp(x->path, y->path);
}

static int check_names(const struct cdx_jobs *j, struct sharc_err *reterr)
{
    struct sharc_intern *names = sharc_intern_new();
    int r = 0;
    for (size_t i = 0; r == 0 && i < j->count; i++) {
        bool fresh;
        sharc_intern_add(names, sharc_span_of(j->items[i].name), &fresh);
        if (!fresh)
            r = sharc_fail(reterr, SHARC_EINVAL,
                           "%s: another file is also named %s, and an index could not tell them apart; name a common "
                           "directory with --root",
                           j->items[i].path, j->items[i].name);
    }
    sharc_intern_free(names);
    return r;
}

int sharc__cdx_jobs_find(struct cdx_jobs *j, const char *const *paths, size_t count, const char *root,
                         struct sharc_err *reterr)
{
    for (size_t i = 0; i < count; i++) {
        int r = add_path(j, paths[i], root, 0, reterr);
        if (r < 0) return r;
    }
    return 0;
}

int sharc__cdx_jobs_settle(struct cdx_jobs *j, struct sharc_err *reterr)
{
    int r = check_names(j, reterr);
    if (r == 0 && j->count) qsort(j->items, j->count, sizeof *j->items, by_size);
    return r;
}

int sharc__cdx_job_open(const struct cdx_job *job, const struct sharc_warc_options *o, struct sharc_warc **ret,
                        struct sharc_err *reterr)
{
    if (!job->zip) return sharc_warc_open(job->path, o, ret, reterr);
    struct sharc_span bytes;
    struct sharc_warc_options inside = *o;
    inside.name = job->name;
    int r = sharc_zip_raw(job->zip, job->entry, &bytes, reterr);
    return r < 0 ? r : sharc_warc_open_bytes(bytes, &inside, ret, reterr);
}

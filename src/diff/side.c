/* SPDX-License-Identifier: Apache-2.0
 *
 * One side of a comparison: archive files and their indexes.
 *
 * A side has sources, each an index of its own: a WACZ brings one, an index file is one,
 * and all plain archive files together get one, made when the side is opened. A line
 * therefore always knows in which container its record lies, also when two WACZ files
 * name their WARCs alike.
 */
#include "side.h"
#include "sharc/base_file.h"
#include "sharc/cdx_build.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

/* --- life ------------------------------------------------------------------------- */

struct sharc_diff_side *sharc_diff_side_new(const char *temporary)
{
    struct sharc_diff_side *s = SHARC_NEW(struct sharc_diff_side);
    s->temporary = sharc_strdup(temporary ? temporary : "/tmp");
    s->paths = sharc_intern_new();
    pthread_mutex_init(&s->lock, NULL);
    return s;
}

static void source_free(struct source *s)
{
    sharc_cdx_index_free(s->index);
    sharc_wacz_close(s->wacz);
    sharc_filemap_done(&s->lines);
    free(s->directory);
    free(s);
}

void sharc_diff_side_free(struct sharc_diff_side *s)
{
    if (!s) return;
    for (size_t i = 0; i < s->source_count; i++) source_free(s->sources[i]);
    for (size_t i = 0; i < s->archive_count; i++) free(s->archives[i]);
    for (uint32_t i = 0; i < sharc_intern_count(s->paths); i++) sharc_filemap_done(&s->maps[i]);
    sharc_intern_free(s->paths);
    free(s->sources);
    free(s->archives);
    free(s->maps);
    pthread_mutex_destroy(&s->lock);
    free(s->temporary);
    free(s);
}

void sharc_diff_side_freep(struct sharc_diff_side **s)
{
    sharc_diff_side_free(*s);
    *s = NULL;
}

/* --- adding ------------------------------------------------------------------------ */

bool sharc_diff_is_archive(const char *path)
{
    struct stat st;
    return sharc_warc_kind_of(sharc_span_of(path)) != SHARC_WARC_KIND_OTHER ||
           (stat(path, &st) == 0 && S_ISDIR(st.st_mode));
}

static struct source *add_source(struct sharc_diff_side *s)
{
    struct source *source = SHARC_NEW(struct source);
    source->index = sharc_cdx_index_new();
    SHARC_GROW(s->sources, s->source_room, s->source_count + 1);
    s->sources[s->source_count++] = source;
    return source;
}

static int add_container(struct sharc_diff_side *s, const char *path, struct sharc_err *reterr)
{
    struct source *source = add_source(s);
    int r = sharc_wacz_open(path, &source->wacz, reterr);
    return r < 0 ? r : sharc_wacz_add_index(source->wacz, source->index, SHARC_CDX_CHECK_SOME, reterr);
}

static int add_index(struct sharc_diff_side *s, const char *path, struct sharc_err *reterr)
{
    struct source *source = add_source(s);
    source->directory = sharc_path_parent(path);
    s->has_index = true;
    return sharc_cdx_index_add(source->index, path, SHARC_CDX_CHECK_SOME, reterr);
}

static int add_input(struct sharc_diff_side *s, const struct sharc_warc_input *input, struct sharc_err *reterr)
{
    SHARC_FAIL_IF(strcmp(input->path, "-") == 0, reterr, SHARC_EUNSUPPORTED,
                  "standard input cannot be compared: its records are read in the order of their URLs; save it first");
    if (input->kind == SHARC_WARC_KIND_CONTAINER) return add_container(s, input->path, reterr);
    if (input->kind == SHARC_WARC_KIND_INDEX) return add_index(s, input->path, reterr);
    SHARC_GROW(s->archives, s->archive_room, s->archive_count + 1);
    s->archives[s->archive_count++] = sharc_strdup(input->path);
    return 0;
}

int sharc_diff_side_add(struct sharc_diff_side *s, const char *path, struct sharc_err *reterr)
{
    SHARC_AUTO(sharc_warc_inputs_done) struct sharc_warc_inputs in = {.whole = true};
    int r = sharc_warc_inputs_add(&in, path, reterr);
    for (size_t i = 0; r == 0 && i < in.count; i++) r = add_input(s, &in.items[i], reterr);
    return r;
}

/* --- opening ------------------------------------------------------------------------- */

static int write_line(void *arg, struct sharc_span line, struct sharc_err *reterr)
{
    SHARC_FAIL_IF(fwrite(line.p, 1, line.n, arg) != line.n, reterr, sharc_error_from_errno(errno),
                  "the temporary index: %s", strerror(errno));
    return 0;
}

/* The lines go to a file that has no name any more when this returns. */
static int index_archives(struct sharc_diff_side *s, unsigned threads, uint64_t *damaged, struct sharc_err *reterr)
{
    struct source *source = add_source(s);
    SHARC_AUTO(sharc_freep) char *path = sharc_asprintf("%s/sharc-diff.XXXXXX", s->temporary);
    int fd = mkstemp(path);
    SHARC_FAIL_IF(fd < 0, reterr, sharc_error_from_errno(errno), "%s: cannot make a temporary file: %s", s->temporary,
                  strerror(errno));
    FILE *out = fdopen(fd, "w");
    struct sharc_cdx_build o = {
        .threads = threads, .temporary = s->temporary, .root = "/", .lenient = true, .all = true};
    struct sharc_cdx_built built;
    int r =
        sharc_cdx_build((const char *const *)s->archives, s->archive_count, "-", write_line, out, &o, &built, reterr);
    if (fclose(out) != 0 && r == 0) r = sharc_fail(reterr, SHARC_EIO, "%s: cannot write", path);
    if (r == 0) r = sharc_filemap_open(&source->lines, path, reterr);
    unlink(path);
    if (r < 0) return r;
    *damaged = built.damaged;
    return sharc_cdx_index_add_lines(source->index, "the index just made", source->lines.bytes, SHARC_CDX_CHECK_SOME,
                                     reterr);
}

int sharc_diff_side_open(struct sharc_diff_side *s, unsigned threads, uint64_t *ret_damaged, struct sharc_err *reterr)
{
    uint64_t damaged = 0;
    SHARC_FAIL_IF(!s->source_count && !s->archive_count, reterr, SHARC_ENOENT,
                  "no archive file was found there; name WARC, ARC or WACZ files or a directory of them");
    int r = s->archive_count && !s->has_index ? index_archives(s, threads, &damaged, reterr) : 0;
    if (r == 0 && ret_damaged) *ret_damaged = damaged;
    return r;
}

/* --- files --------------------------------------------------------------------------- */

static int map_file(struct sharc_diff_side *s, const char *path, struct sharc_span *ret, struct sharc_err *reterr)
{
    uint32_t id = sharc_intern_find(s->paths, sharc_span_of(path));
    if (id == SHARC_NO_ID) {
        struct sharc_filemap map;
        int r = sharc_filemap_open(&map, path, reterr);
        if (r < 0) return r;
        id = sharc_intern_add(s->paths, sharc_span_of(path), NULL);
        SHARC_GROW(s->maps, s->map_room, id + 1u);
        s->maps[id] = map;
    }
    *ret = s->maps[id].bytes;
    return 0;
}

int sharc__diff_side_file(struct sharc_diff_side *s, const char *path, struct sharc_span *ret, struct sharc_err *reterr)
{
    pthread_mutex_lock(&s->lock);
    int r = map_file(s, path, ret, reterr);
    pthread_mutex_unlock(&s->lock);
    return r;
}

struct sharc_span sharc__diff_last_part(struct sharc_span path)
{
    for (size_t i = path.n; i-- > 0;)
        if (path.p[i] == '/') return sharc_span_from(path, i + 1);
    return path;
}

static bool open_below(struct sharc_diff_side *s, const char *directory, const char *middle, struct sharc_span name,
                       struct sharc_span *ret)
{
    SHARC_AUTO(sharc_freep) char *path = sharc_asprintf("%s%s/%.*s", directory, middle, SHARC_SPAN_ARG(name));
    return sharc__diff_side_file(s, path, ret, NULL) == 0;
}

/* The file that a line of an index file names. */
static int open_named(struct sharc_diff_side *s, const struct source *source, struct sharc_span name,
                      struct sharc_span *ret, struct sharc_err *reterr)
{
    static const char *const near[] = {"", "/../warcs", "/../archive", "/.."};
    for (size_t i = 0; i < s->archive_count; i++)
        if (sharc_span_eq(sharc__diff_last_part(sharc_span_of(s->archives[i])), sharc__diff_last_part(name)))
            return sharc__diff_side_file(s, s->archives[i], ret, reterr);
    for (size_t i = 0; i < SHARC_LENGTH(near); i++)
        if (open_below(s, source->directory, near[i], name, ret)) return 0;
    if (name.n && name.p[0] == '/' && open_below(s, "", "", sharc_span_from(name, 1), ret)) return 0;
    return sharc_fail(reterr, SHARC_ENOENT,
                      "%.*s: named by the index in %s, but not found; name it with setting \"in\"",
                      SHARC_SPAN_ARG(name), source->directory);
}

int sharc__diff_side_bytes(struct sharc_diff_side *s, const struct source *source, struct sharc_span name,
                           struct sharc_span *ret, struct sharc_err *reterr)
{
    if (source->wacz) return sharc_wacz_warc(source->wacz, name, ret, reterr);
    if (source->directory) return open_named(s, source, name, ret, reterr);
    SHARC_AUTO(sharc_freep) char *path = sharc_asprintf("/%.*s", SHARC_SPAN_ARG(name));
    return sharc__diff_side_file(s, path, ret, reterr);
}

/* SPDX-License-Identifier: Apache-2.0
 *
 * One side of a comparison: archive files and their indexes.
 *
 * A side has sources, each an index of its own: a WACZ brings one, an index file is one,
 * and all plain archive files together get one, made when the side is opened. A line
 * therefore always knows in which container its record lies, also when two WACZ files
 * name their WARCs alike.
 */
#include "diff_int.h"
#include "sharc/base_file.h"
#include "sharc/cdx_build.h"

#include <errno.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

struct source {
    struct sharc_cdx_index *index;
    struct sharc_wacz *wacz; /* a container, or NULL */
    char *directory;         /* of an index file, or NULL */
    struct sharc_filemap lines;
};

struct sharc_diff_side {
    char *temporary;
    struct source **sources;
    size_t source_count, source_room;
    char **archives; /* plain archive files */
    size_t archive_count, archive_room;
    bool has_index;
    pthread_mutex_t lock;       /* guards the rest */
    struct sharc_intern *paths; /* path -> number of its map */
    struct sharc_filemap *maps;
    size_t map_room;
};

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

static struct sharc_span last_part(struct sharc_span path)
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
        if (sharc_span_eq(last_part(sharc_span_of(s->archives[i])), last_part(name)))
            return sharc__diff_side_file(s, s->archives[i], ret, reterr);
    for (size_t i = 0; i < SHARC_LENGTH(near); i++)
        if (open_below(s, source->directory, near[i], name, ret)) return 0;
    if (name.n && name.p[0] == '/' && open_below(s, "", "", sharc_span_from(name, 1), ret)) return 0;
    return sharc_fail(reterr, SHARC_ENOENT, "%.*s: named by the index in %s, but not found; name it with --in",
                      SHARC_SPAN_ARG(name), source->directory);
}

static int open_bytes(struct sharc_diff_side *s, const struct source *source, struct sharc_span name,
                      struct sharc_span *ret, struct sharc_err *reterr)
{
    if (source->wacz) return sharc_wacz_warc(source->wacz, name, ret, reterr);
    if (source->directory) return open_named(s, source, name, ret, reterr);
    SHARC_AUTO(sharc_freep) char *path = sharc_asprintf("/%.*s", SHARC_SPAN_ARG(name));
    return sharc__diff_side_file(s, path, ret, reterr);
}

/* --- facts of a line ------------------------------------------------------------------- */

static bool is_page(const struct sharc_cdx *c)
{
    struct sharc_span url = c->field[SHARC_CDX_URL];
    return (sharc_span_istarts(url, SHARC_SPAN("http://")) || sharc_span_istarts(url, SHARC_SPAN("https://"))) &&
           !sharc_span_is(c->field[SHARC_CDX_MIME], "application/warc-fields");
}

static int status_of(const struct sharc_cdx *c)
{
    uint64_t status;
    return sharc_cdx_number(c, SHARC_CDX_STATUS, &status) && status < 1000 ? (int)status : 0;
}

/* Of an unknown kind, or none: n == 0. Older indexes write SHA-1 without its name. */
static struct sharc_digest digest_of(const struct sharc_cdx *c)
{
    struct sharc_span text = c->field[SHARC_CDX_DIGEST];
    struct sharc_digest d;
    if (sharc_digest_parse(text, &d) == 0) return d;
    SHARC_AUTO(sharc_freep) char *named = sharc_asprintf("sha1:%.*s", SHARC_SPAN_ARG(text));
    return sharc_digest_parse(sharc_span_of(named), &d) == 0 ? d : (struct sharc_digest){.n = 0};
}

static struct sharc_span keep(const struct sharc__diff_memory *m, struct sharc_span s)
{
    return sharc_intern_text(m->names, sharc_intern_add(m->names, s, NULL));
}

static int facts_of(struct sharc_diff_side *s, const struct source *source, const struct sharc_cdx *c,
                    const struct sharc__diff_memory *m, struct sharc_diff_facts *ret, struct sharc_err *reterr)
{
    struct sharc_span name = c->field[SHARC_CDX_FILENAME];
    struct sharc_diff_facts f = {.there = true, .status = status_of(c), .when = SHARC_TIME_NONE, .source = source};
    int r = open_bytes(s, source, name, &f.bytes, reterr);
    if (r < 0) return r;
    SHARC_FAIL_IF(!sharc_cdx_number(c, SHARC_CDX_OFFSET, &f.offset), reterr, SHARC_ESYNTAX,
                  "%.*s: an index line names no offset in it", SHARC_SPAN_ARG(name));
    sharc_time_parse(c->field[SHARC_CDX_TIMESTAMP], &f.when, NULL);
    f.revisit = sharc_span_is(c->field[SHARC_CDX_MIME], "warc/revisit");
    f.mime = f.revisit ? SHARC_SPAN_NONE : keep(m, c->field[SHARC_CDX_MIME]);
    f.file = keep(m, source->wacz || source->directory ? name : last_part(name));
    f.digest = digest_of(c);
    *ret = f;
    return 0;
}

/* --- walking ------------------------------------------------------------------------------ */

struct lane {
    struct source *source;
    struct sharc_cdx_cursor *cursor;
    struct sharc_cdx now;
    bool live;
};

struct sharc__diff_walk {
    struct sharc_diff_side *side;
    struct lane *lanes;
    size_t count;
    struct sharc_buf key, best; /* best: the timestamp of the page so far */
};

void sharc__diff_walk_free(struct sharc__diff_walk *w)
{
    if (!w) return;
    for (size_t i = 0; i < w->count; i++) sharc_cdx_cursor_free(w->lanes[i].cursor);
    free(w->lanes);
    sharc_buf_done(&w->key);
    sharc_buf_done(&w->best);
    free(w);
}

void sharc__diff_walk_freep(struct sharc__diff_walk **w)
{
    sharc__diff_walk_free(*w);
    *w = NULL;
}

static int advance(struct lane *lane, struct sharc_err *reterr)
{
    int r = sharc_cdx_next(lane->cursor, &lane->now, reterr);
    lane->live = r > 0;
    return r < 0 ? r : 0;
}

int sharc__diff_walk_new(struct sharc_diff_side *s, struct sharc__diff_walk **ret, struct sharc_err *reterr)
{
    SHARC_AUTO(sharc__diff_walk_freep) struct sharc__diff_walk *w = SHARC_NEW(struct sharc__diff_walk);
    w->side = s;
    w->lanes = SHARC_NEW_ARRAY(struct lane, s->source_count);
    sharc_buf_init(&w->key, SHARC_LIMIT_CDX_LINE);
    sharc_buf_init(&w->best, SHARC_LIMIT_CDX_LINE);
    for (; w->count < s->source_count; w->count++) {
        struct lane *lane = &w->lanes[w->count];
        lane->source = s->sources[w->count];
        const struct sharc_cdx_query all = {.sort = SHARC_CDX_FORWARD};
        int r = sharc_cdx_ask(lane->source->index, &all, &lane->cursor, reterr);
        if (r == 0) r = advance(lane, reterr);
        if (r < 0) {
            w->count++;
            return r;
        }
    }
    *ret = SHARC_TAKE(w);
    return 0;
}

static bool least_key(struct sharc__diff_walk *w)
{
    const struct lane *least = NULL;
    for (size_t i = 0; i < w->count; i++) {
        const struct lane *l = &w->lanes[i];
        if (l->live && (!least || sharc_span_cmp(l->now.field[SHARC_CDX_KEY], least->now.field[SHARC_CDX_KEY]) < 0))
            least = l;
    }
    sharc_buf_clear(&w->key);
    if (least) sharc_buf_put(&w->key, least->now.field[SHARC_CDX_KEY]);
    return least != NULL;
}

/* The last capture counts. A redirect among others of the same key is that from http
 * to https, or to the name without www: it says nothing about the page. */
static bool counts_more(const struct sharc__diff_walk *w, bool found, int best_status, const struct sharc_cdx *c)
{
    int status = status_of(c);
    bool redirect = status >= 300 && status < 400 && status != 304;
    bool best_redirect = best_status >= 300 && best_status < 400 && best_status != 304;
    if (!found) return true;
    if (redirect != best_redirect) return best_redirect;
    return sharc_span_cmp(c->field[SHARC_CDX_TIMESTAMP], sharc_buf_span(&w->best)) >= 0;
}

int sharc__diff_walk_next(struct sharc__diff_walk *w, const struct sharc__diff_memory *m, struct sharc_span *ret_key,
                          struct sharc_span *ret_url, struct sharc_diff_facts *ret, struct sharc_err *reterr)
{
    bool found = false;
    while (!found && least_key(w)) {
        for (size_t i = 0; i < w->count; i++) {
            struct lane *l = &w->lanes[i];
            while (l->live && sharc_span_eq(l->now.field[SHARC_CDX_KEY], sharc_buf_span(&w->key))) {
                int r = 0;
                if (is_page(&l->now) && counts_more(w, found, ret->status, &l->now)) {
                    r = facts_of(w->side, l->source, &l->now, m, ret, reterr);
                    sharc_buf_clear(&w->best);
                    sharc_buf_put(&w->best, l->now.field[SHARC_CDX_TIMESTAMP]);
                    *ret_url = sharc_arena_copy(m->texts, l->now.field[SHARC_CDX_URL]);
                    found = true;
                }
                if (r == 0) r = advance(l, reterr);
                if (r < 0) return r;
            }
        }
    }
    *ret_key = sharc_buf_span(&w->key);
    return found;
}

/* --- asking -------------------------------------------------------------------------------- */

static sharc_time distance(sharc_time a, sharc_time b)
{
    if (a == SHARC_TIME_NONE || b == SHARC_TIME_NONE) return INT64_MAX;
    return a > b ? a - b : b - a;
}

/* Is a better than b for somebody who wants `when`, or the last? */
static bool nearer(const struct sharc_diff_facts *a, const struct sharc_diff_facts *b, sharc_time when)
{
    if (!b->there) return true;
    if (when == SHARC_TIME_NONE) return a->when >= b->when;
    return distance(a->when, when) < distance(b->when, when);
}

int sharc__diff_side_nearest(struct sharc_diff_side *s, struct sharc_span url, sharc_time when,
                             const struct sharc__diff_memory *m, struct sharc_diff_facts *ret, struct sharc_err *reterr)
{
    struct sharc_diff_facts best = {.there = false};
    for (size_t i = 0; i < s->source_count; i++) {
        SHARC_AUTO(sharc_cdx_cursor_freep) struct sharc_cdx_cursor *cursor = NULL;
        struct sharc_cdx_query q = {.url = url, .match = SHARC_CDX_EXACT, .sort = SHARC_CDX_FORWARD};
        struct sharc_cdx c;
        int r = sharc_cdx_ask(s->sources[i]->index, &q, &cursor, reterr);
        while (r == 0 && (r = sharc_cdx_next(cursor, &c, reterr)) > 0) {
            struct sharc_diff_facts f = {.there = false};
            r = is_page(&c) ? facts_of(s, s->sources[i], &c, m, &f, reterr) : 0;
            if (r == 0 && f.there && nearer(&f, &best, when)) best = f;
        }
        if (r < 0) return r;
    }
    if (best.there) *ret = best;
    return best.there;
}

static bool is_original(const struct sharc_cdx *c, const struct sharc_digest *digest, sharc_time when)
{
    sharc_time t;
    if (sharc_span_is(c->field[SHARC_CDX_MIME], "warc/revisit")) return false;
    const struct sharc_digest d = digest_of(c);
    if (digest->n && d.n && d.kind == digest->kind) return sharc_digest_eq(&d, digest);
    return when != SHARC_TIME_NONE && sharc_time_parse(c->field[SHARC_CDX_TIMESTAMP], &t, NULL) == 0 &&
           distance(t, when) < SHARC_SEC;
}

int sharc__diff_side_original(struct sharc_diff_side *s, struct sharc_span url, const struct sharc_digest *digest,
                              sharc_time when, struct sharc_span *ret_bytes, uint64_t *ret_offset)
{
    for (size_t i = 0; i < s->source_count; i++) {
        SHARC_AUTO(sharc_cdx_cursor_freep) struct sharc_cdx_cursor *cursor = NULL;
        struct sharc_cdx_query q = {.url = url, .match = SHARC_CDX_EXACT, .sort = SHARC_CDX_FORWARD};
        struct sharc_cdx c;
        if (sharc_cdx_ask(s->sources[i]->index, &q, &cursor, NULL) < 0) continue;
        while (sharc_cdx_next(cursor, &c, NULL) > 0)
            if (is_original(&c, digest, when) && sharc_cdx_number(&c, SHARC_CDX_OFFSET, ret_offset) &&
                open_bytes(s, s->sources[i], c.field[SHARC_CDX_FILENAME], ret_bytes, NULL) == 0)
                return 1;
    }
    return 0;
}

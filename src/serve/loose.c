/* SPDX-License-Identifier: Apache-2.0
 *
 * One index for all archive files that nobody has indexed. It is a file without a name: whatever ends this process,
 * nothing of it remains. When files come, change or go, their lines are merged with those of the edition before, so
 * that a file is read once.
 */
#include "serve_int.h"

#include "sharc/base_map.h"
#include "sharc/cdx_build.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <unistd.h>

enum { BUFFER = 1 << 20 };

/* --- a file without a name --------------------------------------------------------------- */

struct nameless {
    int fd;
    const char *directory;
    struct sharc_buf pending;
};

static void nameless_done(struct nameless *n)
{
    sharc_closep(&n->fd);
    sharc_buf_done(&n->pending);
}

static int nameless_open(struct nameless *n, const char *directory, struct sharc_err *reterr)
{
    *n = (struct nameless){-1, directory, SHARC_BUF_INIT(BUFFER)};
    n->fd = open(directory, O_TMPFILE | O_RDWR | O_CLOEXEC, 0600);
    if (n->fd >= 0) return 0;
    SHARC_AUTO(sharc_freep) char *path = sharc_asprintf("%s/sharc-serve.XXXXXX", directory);
    n->fd = mkostemp(path, O_CLOEXEC);
    SHARC_FAIL_IF(n->fd < 0, reterr, sharc_error_from_errno(errno), "%s: cannot make a temporary file there: %s",
                  directory, strerror(errno));
    unlink(path);
    return 0;
}

static int flush(struct nameless *n, struct sharc_err *reterr)
{
    for (size_t at = 0; at < n->pending.n;) {
        ssize_t done = write(n->fd, n->pending.p + at, n->pending.n - at);
        if (done < 0 && errno == EINTR) continue;
        SHARC_FAIL_IF(done < 0, reterr, sharc_error_from_errno(errno),
                      "%s: cannot write the index of files that have none: %s; set TMPDIR to a directory with room",
                      n->directory, strerror(errno));
        at += (size_t)done;
    }
    sharc_buf_clear(&n->pending);
    return 0;
}

static int put_line(void *arg, struct sharc_span line, struct sharc_err *reterr)
{
    struct nameless *n = arg;
    if (n->pending.n + line.n > BUFFER) {
        int r = flush(n, reterr);
        if (r < 0) return r;
    }
    sharc_buf_put(&n->pending, line);
    return 0;
}

/* --- what has changed ----------------------------------------------------------------------- */

struct change {
    const char **fresh; /* paths of files to be read */
    size_t fresh_count;
    struct sharc_intern *stale; /* names whose lines are no longer true */
};

static void change_done(struct change *c)
{
    free(c->fresh);
    sharc_intern_free(c->stale);
}

/* A file that has not changed is the same object in both editions. */
static void compare(const struct serve_source *old, struct serve_file *const *files, size_t count, struct change *ret)
{
    SHARC_AUTO(sharc_intern_freep) struct sharc_intern *now = sharc_intern_new();
    SHARC_AUTO(sharc_intern_freep) struct sharc_intern *then = sharc_intern_new();
    ret->fresh = SHARC_NEW_ARRAY(const char *, count);
    ret->stale = sharc_intern_new();
    for (size_t i = 0; old && i < old->loose_count; i++)
        sharc_intern_add(then, sharc_span((const char *)&old->loose[i], sizeof old->loose[i]), NULL);
    for (size_t i = 0; i < count; i++) {
        struct sharc_span id = sharc_span((const char *)&files[i], sizeof files[i]);
        sharc_intern_add(now, id, NULL);
        if (sharc_intern_find(then, id) == SHARC_NO_ID) ret->fresh[ret->fresh_count++] = files[i]->path;
    }
    for (size_t i = 0; old && i < old->loose_count; i++) {
        struct sharc_span id = sharc_span((const char *)&old->loose[i], sizeof old->loose[i]);
        if (sharc_intern_find(now, id) == SHARC_NO_ID)
            sharc_intern_add(ret->stale, sharc_span_of(old->loose[i]->full + 1), NULL);
    }
}

/* --- lines ------------------------------------------------------------------------------------ */

static void bad_record(void *arg, const struct sharc_err *what)
{
    sharc__serve_warn(arg, what);
}

static int read_fresh(struct sharc_collection *c, const struct change *change, struct nameless *out,
                      struct sharc_err *reterr)
{
    const struct sharc_cdx_build o = {.all = true, /* "not modified" is something that is known of a page */
                                      .threads = c->o.threads,
                                      .temporary = c->o.temporary,
                                      .root = "/",
                                      .lenient = true,
                                      .precise = true,
                                      .warn = bad_record,
                                      .arg = c};
    struct sharc_cdx_built built;
    if (!change->fresh_count) return 0;
    int r = sharc_cdx_build(change->fresh, change->fresh_count, "-", put_line, out, &o, &built, reterr);
    return r < 0 ? r : flush(out, reterr);
}

static int put_until(struct sharc_span *rest, const struct sharc_span *end, struct nameless *out,
                     struct sharc_err *reterr)
{
    while (rest->n) {
        size_t newline = sharc_span_find(*rest, '\n', 0);
        struct sharc_span line = sharc_span_sub(*rest, 0, newline == SHARC_NPOS ? rest->n : newline + 1);
        if (end && sharc_span_cmp(line, *end) >= 0) return 0;
        int r = put_line(out, line, reterr);
        if (r < 0) return r;
        *rest = sharc_span_from(*rest, line.n);
    }
    return 0;
}

/* The old lines that are still true and the fresh ones, in order. */
static int merge(const struct serve_source *old, const struct change *change, struct sharc_span fresh,
                 struct nameless *out, struct sharc_err *reterr)
{
    SHARC_AUTO(sharc_cdx_cursor_freep) struct sharc_cdx_cursor *cursor = NULL;
    const struct sharc_cdx_query all = {.sort = SHARC_CDX_FORWARD};
    struct sharc_cdx line;
    int r = sharc_cdx_ask(old->index, &all, &cursor, reterr);
    while (r >= 0 && (r = sharc_cdx_next(cursor, &line, reterr)) > 0) {
        if (sharc_intern_find(change->stale, line.field[SHARC_CDX_FILENAME]) != SHARC_NO_ID) continue;
        r = put_until(&fresh, &line.line, out, reterr);
        if (r == 0) r = put_line(out, line.line, reterr);
        if (r == 0) r = put_line(out, SHARC_SPAN("\n"), reterr);
    }
    if (r == 0) r = put_until(&fresh, NULL, out, reterr);
    return r < 0 ? r : flush(out, reterr);
}

static int make_lines(struct sharc_collection *c, const struct serve_source *old, const struct change *change,
                      struct nameless *out, struct sharc_err *reterr)
{
    if (!old) return read_fresh(c, change, out, reterr);
    SHARC_AUTO(nameless_done) struct nameless some;
    struct sharc_filemap map;
    int r = nameless_open(&some, c->o.temporary, reterr);
    if (r == 0) r = read_fresh(c, change, &some, reterr);
    if (r == 0) r = sharc_filemap_open_fd(&map, some.fd, c->o.temporary, reterr);
    if (r < 0) return r;
    r = merge(old, change, map.bytes, out, reterr);
    sharc_filemap_done(&map);
    return r;
}

/* --- the source ----------------------------------------------------------------------------------- */

static const struct serve_source *before(const struct sharc_collection *c)
{
    for (size_t i = 0; c->newest && i < c->newest->source_count; i++)
        if (c->newest->sources[i].full_names) return &c->newest->sources[i];
    return NULL;
}

int sharc__serve_loose_open(struct sharc_collection *c, struct serve_file *const *files, size_t count,
                            struct serve_source *ret, struct sharc_err *reterr)
{
    const struct serve_source *old = before(c);
    SHARC_AUTO(change_done) struct change change = {0};
    SHARC_AUTO(nameless_done) struct nameless made = {.fd = -1};
    compare(old, files, count, &change);
    bool same = old && !change.fresh_count && !sharc_intern_count(change.stale);
    int r = same ? 0 : nameless_open(&made, c->o.temporary, reterr);
    if (r == 0 && !same) r = make_lines(c, old, &change, &made, reterr);
    if (r < 0) return r;
    ret->lines_fd = fcntl(same ? old->lines_fd : made.fd, F_DUPFD_CLOEXEC, 0);
    r = sharc_filemap_open_fd(&ret->lines, ret->lines_fd, c->o.temporary, reterr);
    if (r < 0) return r;
    ret->full_names = true;
    ret->loose = SHARC_NEW_ARRAY(struct serve_file *, count);
    ret->loose_count = count;
    for (size_t i = 0; i < count; i++) ret->loose[i] = files[i];
    return sharc_cdx_index_add_lines(ret->index, "index of files without one", ret->lines.bytes, SHARC_CDX_CHECK_SOME,
                                     reterr);
}

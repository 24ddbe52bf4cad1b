/* SPDX-License-Identifier: Apache-2.0
 *
 * One file on its way. What is known of an upload is written down behind each part; killed between the two, the
 * part is sent again under its number, which replaces it.
 */
#include "outbox_int.h"

#include "sharc/base_file.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

enum { COMPARED = 4 << 20 };

/* Something has happened that can be seen from outside: a test may kill us here. */
static void step(const struct sending *s)
{
    if (s->steps_left && *s->steps_left > 0 && --*s->steps_left == 0) raise(SIGKILL);
}

static char *path_of(const struct sending *s, const struct outgoing *g)
{
    return sharc_path_join(s->dir, g->file);
}

static int open_file(const struct sending *s, const struct outgoing *g, int *ret, struct sharc_err *reterr)
{
    SHARC_AUTO(sharc_freep) char *path = path_of(s, g);
    SHARC_AUTO(sharc_freep) char *open_path = sharc_asprintf("%s.open", path);
    /* It may be renamed between the first try and the second. */
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    if (fd < 0) fd = open(open_path, O_RDONLY | O_CLOEXEC);
    if (fd < 0) fd = open(path, O_RDONLY | O_CLOEXEC);
    SHARC_FAIL_IF(fd < 0, reterr, sharc_error_from_errno(errno), "%s: cannot be read, and is not in the store yet: %s",
                  path, strerror(errno));
    *ret = fd;
    return 0;
}

static int keep(const struct sending *s, struct outgoing *g, struct sharc_err *reterr)
{
    int r = sharc__outbox_state_write(s->dir, g, reterr);
    if (r == 0) step(s);
    return r;
}

/* --- is it there already? ------------------------------------------------------------ */

static int same_bytes(const struct sending *s, const struct outgoing *g, int fd, const struct sharc_object_facts *f,
                      bool *ret, struct sharc_err *reterr)
{
    SHARC_AUTO(sharc_freep) char *here = sharc_malloc(COMPARED), *there = sharc_malloc(COMPARED);
    *ret = false;
    for (uint64_t at = 0; at < f->size; at += COMPARED) {
        size_t n = f->size - at < COMPARED ? (size_t)(f->size - at) : COMPARED;
        int r = sharc_object_get(s->store, g->name, f, at, there, n, reterr);
        if (r < 0) return r;
        if (pread(fd, here, n, (off_t)at) != (ssize_t)n || memcmp(here, there, n) != 0) return 0;
    }
    *ret = true;
    return 0;
}

/* 1: the object is there, with these very bytes; 0: there is none of this name. */
static int is_there(const struct sending *s, const struct outgoing *g, const struct look *look,
                    struct sharc_err *reterr)
{
    struct sharc_object_facts facts;
    char etag[SHARC_OBJECT_ETAG];
    int r = sharc_object_head(s->store, g->name, &facts, reterr);
    if (r == SHARC_ENOENT) return 0;
    if (r < 0) return r;
    bool same = false;
    sharc_object_parts_etag(g->parts, g->part_count, etag);
    if (look->closed && facts.size == look->safe) {
        if (etag[0] && strcmp(etag, facts.etag) == 0 && outgoing_sent(g) == facts.size) return 1;
        SHARC_AUTO(sharc_closep) int fd = -1;
        r = open_file(s, g, &fd, reterr);
        if (r == 0) r = same_bytes(s, g, fd, &facts, &same, reterr);
        if (r < 0) return r;
    }
    SHARC_FAIL_IF(!same, reterr, SHARC_EEXIST,
                  "%s: the store has an object of this name with other bytes; it is not replaced: move one of the two "
                  "away",
                  g->name);
    return 1;
}

/* --- steps -------------------------------------------------------------------------------- */

static int remove_here(const struct sending *s, struct outgoing *g, struct sharc_err *reterr)
{
    SHARC_AUTO(sharc_freep) char *path = path_of(s, g), *state = sharc__outbox_state_path(s->dir, g->file);
    SHARC_FAIL_IF(unlink(path) < 0 && errno != ENOENT, reterr, sharc_error_from_errno(errno),
                  "%s: is in the store, but cannot be removed here: %s", path, strerror(errno));
    step(s);
    SHARC_FAIL_IF(unlink(state) < 0 && errno != ENOENT, reterr, sharc_error_from_errno(errno),
                  "%s: cannot be removed: %s", state, strerror(errno));
    step(s);
    return 2;
}

struct only {
    const struct sending *s;
    const char *name;
};

/* Uploads that nobody goes on with: begun, and killed before that was written down. */
static int abort_same(void *arg, const char *name, const struct sharc_object_upload *u, sharc_time begun,
                      struct sharc_err *reterr)
{
    const struct only *o = arg;
    (void)begun;
    if (strcmp(name, o->name) != 0) return 0;
    int r = sharc_object_upload_abort(o->s->store, name, u, reterr);
    step(o->s);
    return r;
}

static void start_anew(struct outgoing *g)
{
    g->upload = (struct sharc_object_upload){0};
    g->completing = false;
    g->part_count = 0;
}

/* The parts that both sides know alike are kept. */
static int compare_parts(const struct sending *s, struct outgoing *g, struct sharc_err *reterr)
{
    struct sharc_object_part *there = NULL;
    size_t count = 0, same = 0;
    int r = sharc_object_upload_parts(s->store, g->name, &g->upload, &there, &count, reterr);
    if (r < 0) return r;
    while (same < g->part_count && same < count && there[same].number == g->parts[same].number &&
           there[same].size == g->parts[same].size && strcmp(there[same].etag, g->parts[same].etag) == 0)
        same++;
    free(there);
    g->part_count = same;
    return 0;
}

/* An upload is aborted only when there is no object of its name: Swift would delete the parts of one that it has
 * completed, and the object with them. */
static int compare(const struct sending *s, struct outgoing *g, const struct look *look, struct sharc_err *reterr)
{
    struct sharc_err err = SHARC_ERR_INIT;
    int r = is_there(s, g, look, reterr);
    if (r < 0) return r;
    if (r > 0) return remove_here(s, g, reterr);
    r = g->upload.id[0] ? compare_parts(s, g, &err) : SHARC_ENOENT;
    if (r == SHARC_ENOENT) {
        struct only only = {s, g->name};
        start_anew(g);
        r = sharc_object_uploads(s->store, g->name, abort_same, &only, &err);
    }
    if (r < 0) {
        if (reterr) *reterr = err;
        return r;
    }
    g->compared = true;
    return 1;
}

static int begin(const struct sending *s, struct outgoing *g, struct sharc_err *reterr)
{
    int r = sharc_object_upload_begin(s->store, g->name, sharc_object_type_of(g->file), &g->upload, reterr);
    if (r < 0) return r;
    step(s);
    return keep(s, g, reterr);
}

static int send_part(const struct sending *s, struct outgoing *g, uint64_t end, struct sharc_err *reterr)
{
    SHARC_AUTO(sharc_closep) int fd = -1;
    struct sharc_object_part part;
    int r = g->upload.id[0] ? 0 : begin(s, g, reterr);
    if (r == 0) r = open_file(s, g, &fd, reterr);
    if (r < 0) return r;
    const uint64_t from = outgoing_sent(g);
    const struct sharc_object_body body = {.fd = fd, .at = from, .size = end - from};
    r = sharc_object_upload_part(s->store, g->name, &g->upload, (unsigned)g->part_count + 1, &body, &part, reterr);
    if (r < 0) return r;
    step(s);
    SHARC_GROW(g->parts, g->part_room, g->part_count + 1);
    g->parts[g->part_count++] = part;
    r = keep(s, g, reterr);
    return r < 0 ? r : 1;
}

/* The store's word counts, not ours: promise (2). */
static int check_size(const struct sending *s, const struct outgoing *g, uint64_t size, struct sharc_err *reterr)
{
    struct sharc_object_facts facts;
    int r = sharc_object_head(s->store, g->name, &facts, reterr);
    if (r < 0) return r;
    SHARC_FAIL_IF(facts.size != size, reterr, SHARC_ECORRUPT,
                  "%s: the store says that it has %llu bytes, the file has %llu; it stays here", g->name,
                  (unsigned long long)facts.size, (unsigned long long)size);
    return 0;
}

static int complete(const struct sending *s, struct outgoing *g, uint64_t size, struct sharc_err *reterr)
{
    g->completing = true;
    int r = sharc_object_upload_complete(s->store, g->name, &g->upload, g->parts, g->part_count, reterr);
    if (r < 0) return r;
    step(s);
    r = check_size(s, g, size, reterr);
    return r < 0 ? r : remove_here(s, g, reterr);
}

/* Small files go in one piece, which is there or not. */
static int put_whole(const struct sending *s, struct outgoing *g, uint64_t size, struct sharc_err *reterr)
{
    SHARC_AUTO(sharc_closep) int fd = -1;
    int r = open_file(s, g, &fd, reterr);
    if (r < 0) return r;
    const struct sharc_object_body body = {.fd = fd, .size = size};
    r = sharc_object_put(s->store, g->name, &body, sharc_object_type_of(g->file), NULL, reterr);
    if (r < 0) return r;
    step(s);
    r = check_size(s, g, size, reterr);
    return r < 0 ? r : remove_here(s, g, reterr);
}

int sharc__outbox_advance(const struct sending *s, struct outgoing *g, const struct look *look,
                          struct sharc_err *reterr)
{
    struct sharc_err err = SHARC_ERR_INIT;
    int r;
    if (!look->closed && !look->mark) return 0;
    if (!g->compared)
        r = compare(s, g, look, &err);
    else if (look->mark)
        r = send_part(s, g, look->mark, &err);
    else if (!g->upload.id[0])
        r = put_whole(s, g, look->safe, &err);
    else if (outgoing_sent(g) < look->safe)
        r = send_part(s, g, look->safe, &err);
    else
        r = complete(s, g, look->safe, &err);
    /* The store has forgotten the upload, or completed it and the answer was lost: look again. */
    if (r == SHARC_ENOENT || r == SHARC_ECORRUPT) g->compared = false;
    if (r < 0 && reterr) *reterr = err;
    return r;
}

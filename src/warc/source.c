/* SPDX-License-Identifier: Apache-2.0
 *
 * Bytes of an archive file. A regular file is mapped, so nothing is copied and
 * blocks that nobody reads are never touched; pages behind us are let go, so a
 * map of any size stays small in memory. Everything else goes through a window; a
 * file that lies elsewhere (base_remote.h) fills it by range, little at first, because
 * most who begin at an offset want one record, and more for who reads on.
 */
#include "warc_int.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

static int map_file(struct sharc__warc_source *s, const char *path, uint64_t offset, struct sharc_err *reterr)
{
    int r = sharc_filemap_open(&s->map, path, reterr);
    if (r < 0) return r;
    if (s->map.base) madvise(s->map.base, s->map.length, MADV_SEQUENTIAL);
    return sharc__warc_source_open_bytes(s, s->map.bytes, offset, reterr);
}

/* Pipes cannot seek: read up to the offset and forget it. */
static int pass_to(struct sharc__warc_source *s, uint64_t offset, struct sharc_err *reterr)
{
    while (s->at < offset) {
        int r = sharc__warc_source_fill(s, 1, reterr);
        if (r < 0) return r;
        if (s->n == 0) return sharc_fail(reterr, SHARC_EINVAL, "there is no offset %llu", (unsigned long long)offset);
        sharc__warc_source_take(s, s->n < offset - s->at ? s->n : (size_t)(offset - s->at));
    }
    return 0;
}

int sharc__warc_source_open_remote(struct sharc__warc_source *s, const char *name,
                                   const struct sharc_remote_facts *known, uint64_t offset, struct sharc_err *reterr)
{
    *s = (struct sharc__warc_source){.fd = -1};
    if (known) s->facts = *known;
    int r = known ? 0 : sharc_remote_look(name, &s->facts, reterr);
    if (r < 0) return r;
    SHARC_FAIL_IF(offset > s->facts.size, reterr, SHARC_EINVAL, "there is no offset %llu: the file has %llu bytes",
                  (unsigned long long)offset, (unsigned long long)s->facts.size);
    s->remote = sharc_strdup(name);
    s->ahead = SOURCE_FIRST;
    s->room = SOURCE_WINDOW;
    s->window = sharc_malloc(s->room);
    sharc__warc_source_seek(s, offset);
    return 0;
}

int sharc__warc_source_open(struct sharc__warc_source *s, const char *path, uint64_t offset, struct sharc_err *reterr)
{
    struct stat st = {0};
    *s = (struct sharc__warc_source){.fd = -1};
    if (sharc_remote_is(path)) return sharc__warc_source_open_remote(s, path, NULL, offset, reterr);
    if (strcmp(path, "-") != 0) {
        s->fd = open(path, O_RDONLY | O_CLOEXEC);
        if (s->fd < 0) return sharc_fail(reterr, sharc_error_from_errno(errno), "%s: %s", path, strerror(errno));
        if (fstat(s->fd, &st) == 0 && S_ISREG(st.st_mode)) {
            sharc_closep(&s->fd);
            return map_file(s, path, offset, reterr);
        }
        if (S_ISDIR(st.st_mode)) return sharc_fail(reterr, SHARC_EINVAL, "%s: is a directory", path);
    } else {
        s->fd = dup(STDIN_FILENO);
        if (s->fd < 0) return sharc_fail(reterr, SHARC_EIO, "standard input: %s", strerror(errno));
    }
    s->room = SOURCE_WINDOW;
    s->window = sharc_malloc(s->room);
    s->p = s->window;
    return pass_to(s, offset, reterr);
}

int sharc__warc_source_open_bytes(struct sharc__warc_source *s, struct sharc_span bytes, uint64_t offset,
                                  struct sharc_err *reterr)
{
    SHARC_FAIL_IF(offset > bytes.n, reterr, SHARC_EINVAL, "there is no offset %llu: the file has %zu bytes",
                  (unsigned long long)offset, bytes.n);
    if (!s->map.base) s->fd = -1;
    s->memory = true;
    s->ended = true;
    s->all = bytes;
    sharc__warc_source_seek(s, offset);
    return 0;
}

void sharc__warc_source_done(struct sharc__warc_source *s)
{
    sharc_closep(&s->fd);
    free(s->window);
    sharc_filemap_done(&s->map);
    free(s->remote);
    s->window = NULL;
    s->remote = NULL;
}

void sharc__warc_source_seek(struct sharc__warc_source *s, uint64_t offset)
{
    if (s->remote) {
        s->p = s->window;
        s->n = 0;
        s->at = offset;
        s->ended = offset >= s->facts.size;
        return;
    }
    s->p = s->all.p ? s->all.p + offset : "";
    s->n = s->all.n - (size_t)offset;
    s->at = offset;
    if (s->dropped > offset) s->dropped = offset;
}

void sharc__warc_source_drop(struct sharc__warc_source *s)
{
    uint64_t page = (uint64_t)sysconf(_SC_PAGESIZE);
    uint64_t from = s->dropped / page * page, to = s->at / page * page;
    if (to > from) madvise((char *)s->map.base + from, (size_t)(to - from), MADV_DONTNEED);
    s->dropped = to;
}

/* Behind what the window holds. */
static int fetch(struct sharc__warc_source *s, size_t want, struct sharc_err *reterr)
{
    const uint64_t from = s->at + s->n, left = s->facts.size - from;
    size_t n = s->room - s->n < s->ahead ? s->room - s->n : s->ahead;
    if (n < want - s->n) n = want - s->n;
    if (n > left) n = (size_t)left;
    int r = sharc_remote_read(s->remote, &s->facts, from, s->window + s->n, n, reterr);
    if (r < 0) return SHARC_EIO; /* whatever it was: nothing is known of the file's bytes */
    s->n += n;
    s->ended = n == left;
    if (s->ahead < SOURCE_MOST) s->ahead *= 2;
    return 0;
}

int sharc__warc_source_fill(struct sharc__warc_source *s, size_t want, struct sharc_err *reterr)
{
    if (s->n >= want || s->ended) return 0;
    size_t before = (size_t)(s->p - s->window);
    const size_t room = s->remote && s->ahead > want ? s->ahead : want;
    if (room > s->room) {
        s->room = room;
        char *larger = sharc_malloc(s->room);
        memcpy(larger, s->p, s->n);
        free(s->window);
        s->window = larger;
    } else if (before > 0) {
        memmove(s->window, s->p, s->n);
    }
    s->p = s->window;
    if (s->remote) return fetch(s, want, reterr);
    while (s->n < want) {
        ssize_t got = read(s->fd, s->window + s->n, s->room - s->n);
        if (got < 0 && errno == EINTR) continue;
        if (got < 0) return sharc_fail(reterr, SHARC_EIO, "cannot read: %s", strerror(errno));
        if (got == 0) {
            s->ended = true;
            break;
        }
        s->n += (size_t)got;
    }
    return 0;
}

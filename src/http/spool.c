/* SPDX-License-Identifier: Apache-2.0
 *
 * Bytes in memory while they are few, in a file without a name when they are
 * many: nothing is left behind, however the program ends.
 */
#include "sharc/http_fetch.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <unistd.h>

enum { PIECE = 64 << 10 };

void sharc_spool_init(struct sharc_spool *s, size_t threshold, const char *dir)
{
    *s = (struct sharc_spool){.memory = SHARC_BUF_INIT(threshold), .fd = -1, .dir_ = dir ? dir : "/tmp"};
}

void sharc_spool_done(struct sharc_spool *s)
{
    sharc_buf_done(&s->memory);
    if (s->fd >= 0) close(s->fd);
    s->fd = -1;
    s->fd_size = 0;
}

static int open_unlinked(const char *dir, struct sharc_err *reterr)
{
    int fd = open(dir, O_TMPFILE | O_RDWR | O_CLOEXEC, 0600);
    if (fd >= 0) return fd;
    /* Not every file system can make a file without a name. */
    SHARC_AUTO(sharc_freep) char *path = sharc_asprintf("%s/sharc-spool.XXXXXX", dir);
    fd = mkostemp(path, O_CLOEXEC);
    if (fd < 0)
        return sharc_fail(reterr, sharc_error_from_errno(errno), "%s: cannot make a temporary file: %s", dir,
                          strerrordesc_np(errno));
    unlink(path);
    return fd;
}

static int write_all(struct sharc_spool *s, struct sharc_span bytes, struct sharc_err *reterr)
{
    uint64_t at = s->fd_size;
    while (bytes.n > 0) {
        ssize_t n = pwrite(s->fd, bytes.p, bytes.n, (off_t)at);
        if (n < 0 && errno == EINTR) continue;
        if (n <= 0)
            return sharc_fail(reterr, sharc_error_from_errno(n < 0 ? errno : ENOSPC),
                              "%s: cannot write a body to a temporary file: %s", s->dir_,
                              strerrordesc_np(n < 0 ? errno : ENOSPC));
        bytes = sharc_span_from(bytes, (size_t)n);
        at += (uint64_t)n;
    }
    s->fd_size = at;
    return 0;
}

int sharc_spool_to_file(struct sharc_spool *s, struct sharc_err *reterr)
{
    if (s->fd >= 0) return 0;
    int fd = open_unlinked(s->dir_, reterr);
    if (fd < 0) return fd;
    s->fd = fd;
    int r = write_all(s, sharc_buf_span(&s->memory), reterr);
    if (r < 0) {
        close(s->fd);
        s->fd = -1;
        s->fd_size = 0;
        return r;
    }
    size_t max = s->memory.max;
    sharc_buf_done(&s->memory);
    sharc_buf_init(&s->memory, max);
    return 0;
}

int sharc_spool_put(struct sharc_spool *s, struct sharc_span bytes, struct sharc_err *reterr)
{
    if (s->fd < 0 && bytes.n <= s->memory.max - s->memory.n) return sharc_buf_put(&s->memory, bytes);
    int r = sharc_spool_to_file(s, reterr);
    return r < 0 ? r : write_all(s, bytes, reterr);
}

int sharc_spool_pull(void *reader, struct sharc_span *ret, struct sharc_err *reterr)
{
    struct sharc_spool_reader *rd = reader;
    const struct sharc_spool *s = rd->spool;
    if (rd->at >= sharc_spool_size(s)) return 0;
    if (s->fd < 0) {
        *ret = sharc_span_from(sharc_buf_span(&s->memory), (size_t)rd->at);
        rd->at = s->memory.n;
        return 1;
    }
    if (!rd->piece_) rd->piece_ = sharc_malloc(PIECE);
    ssize_t n;
    do {
        n = pread(s->fd, rd->piece_, PIECE, (off_t)rd->at);
    } while (n < 0 && errno == EINTR);
    if (n <= 0)
        return sharc_fail(reterr, SHARC_EIO, "a temporary file with a body cannot be read back: %s",
                          n < 0 ? strerrordesc_np(errno) : "it has become shorter");
    *ret = sharc_span(rd->piece_, (size_t)n);
    rd->at += (uint64_t)n;
    return 1;
}

void sharc_spool_reader_done(struct sharc_spool_reader *r)
{
    free(r->piece_);
    r->piece_ = NULL;
}

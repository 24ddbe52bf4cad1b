/* SPDX-License-Identifier: Apache-2.0 */
#include "sharc/base_remote.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

enum { PIECE = 8 << 20 };

/* Set once, before there are threads. */
static struct {
    const struct sharc_remote_ops *ops;
    void *arg;
    const char *temporary;
} remote;

void sharc_remote_set(const struct sharc_remote_ops *ops, void *arg, const char *temporary)
{
    remote.ops = ops;
    remote.arg = arg;
    remote.temporary = temporary;
}

bool sharc_remote_is(const char *path)
{
    struct sharc_span s = sharc_span_of(path);
    return sharc_span_starts(s, SHARC_SPAN("s3://")) || sharc_span_starts(s, SHARC_SPAN("s3+http://")) ||
           sharc_span_starts(s, SHARC_SPAN("s3+https://"));
}

static int missing(const char *name, struct sharc_err *reterr)
{
    return sharc_fail(reterr, SHARC_EUNSUPPORTED, "%s: this program cannot read from object stores", name);
}

int sharc_remote_look(const char *name, struct sharc_remote_facts *ret, struct sharc_err *reterr)
{
    return remote.ops ? remote.ops->look(remote.arg, name, ret, reterr) : missing(name, reterr);
}

int sharc_remote_read(const char *name, const struct sharc_remote_facts *as, uint64_t from, void *out, size_t n,
                      struct sharc_err *reterr)
{
    return remote.ops ? remote.ops->read(remote.arg, name, as, from, out, n, reterr) : missing(name, reterr);
}

int sharc_remote_list(const char *prefix, sharc_remote_list_fn *fn, void *arg, struct sharc_err *reterr)
{
    return remote.ops ? remote.ops->list(remote.arg, prefix, fn, arg, reterr) : missing(prefix, reterr);
}

/* --- copies ------------------------------------------------------------------ */

static int write_all(int fd, const char *dir, const char *bytes, size_t n, struct sharc_err *reterr)
{
    while (n > 0) {
        ssize_t k = write(fd, bytes, n);
        if (k < 0 && errno == EINTR) continue;
        SHARC_FAIL_IF(k < 0, reterr, sharc_error_from_errno(errno), "%s: cannot write a temporary file: %s", dir,
                      strerror(errno));
        bytes += k;
        n -= (size_t)k;
    }
    return 0;
}

int sharc_remote_copy(const char *name, int *ret, struct sharc_err *reterr)
{
    const char *dir = remote.temporary && remote.temporary[0] ? remote.temporary : "/tmp";
    struct sharc_remote_facts facts;
    int r = sharc_remote_look(name, &facts, reterr);
    if (r < 0) return r;
    SHARC_AUTO(sharc_closep) int fd = open(dir, O_TMPFILE | O_RDWR | O_CLOEXEC, 0600);
    SHARC_FAIL_IF(fd < 0, reterr, sharc_error_from_errno(errno), "%s: cannot make a temporary file: %s", dir,
                  strerror(errno));
    SHARC_AUTO(sharc_freep) char *piece = sharc_malloc(PIECE);
    for (uint64_t at = 0; r == 0 && at < facts.size; at += PIECE) {
        size_t n = facts.size - at < PIECE ? (size_t)(facts.size - at) : PIECE;
        r = sharc_remote_read(name, &facts, at, piece, n, reterr);
        if (r == 0) r = write_all(fd, dir, piece, n, reterr);
    }
    if (r < 0) return r;
    *ret = fd;
    fd = -1;
    return 0;
}

/* --- here or elsewhere --------------------------------------------------------- */

int sharc_file_look(const char *path, struct sharc_remote_facts *ret, struct sharc_err *reterr)
{
    if (sharc_remote_is(path)) return sharc_remote_look(path, ret, reterr);
    struct stat st;
    SHARC_FAIL_IF(stat(path, &st) < 0, reterr, sharc_error_from_errno(errno), "%s: %s", path, strerror(errno));
    *ret = (struct sharc_remote_facts){.size = st.st_size > 0 ? (uint64_t)st.st_size : 0,
                                       .modified = (int64_t)st.st_mtim.tv_sec * 1000000000 + st.st_mtim.tv_nsec};
    snprintf(ret->version, sizeof ret->version, "%llu", (unsigned long long)st.st_ino);
    return 0;
}

bool sharc_file_is_there(const char *path)
{
    struct sharc_remote_facts facts;
    return sharc_file_look(path, &facts, NULL) == 0;
}

/* SPDX-License-Identifier: Apache-2.0
 *
 * The file a writer appends to. Bytes go to offsets, never "to the end", so a
 * record that could not be written whole is taken back by cutting the file.
 */
#include "write_int.h"

#include "sharc/base_file.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/file.h>
#include <sys/uio.h>
#include <unistd.h>

enum { NAME_PART = 80, SERIALS = 100000 };

/* Letters, digits, dot and underscore stay; the name is divided by dashes. */
static void put_part(struct sharc_buf *b, const char *part)
{
    size_t n = 0;
    for (; part && part[n] && n < NAME_PART; n++) {
        char c = part[n];
        sharc_buf_put_char(b, sharc_is_alnum(c) || c == '.' || c == '_' ? c : '-');
    }
    if (n == 0) sharc_buf_put_char(b, '-');
}

static char *make_name(const struct sharc_warc_writer *w, sharc_time now)
{
    char digits[SHARC_TIME_TEXT];
    struct sharc_buf b = SHARC_BUF_INIT(sizeof w->file - sizeof OPEN_SUFFIX);
    sharc_buf_put_str(&b, "sharc-");
    put_part(&b, w->o.site);
    sharc_buf_printf(&b, "-%s-%05u-", sharc_time_compact(now, 17, digits), w->serial);
    put_part(&b, w->o.host);
    sharc_buf_put_str(&b, w->o.plain ? ".warc" : ".warc.gz");
    return sharc_buf_take(&b);
}

/* Only the writer that holds the lock appends; recovery asks for it too. */
static int open_locked(const char *path, int *ret, struct sharc_err *reterr)
{
    SHARC_AUTO(sharc_freep) char *open_path = sharc_asprintf("%s" OPEN_SUFFIX, path);
    if (access(path, F_OK) == 0) return SHARC_EEXIST;
    SHARC_AUTO(sharc_closep) int fd = open(open_path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
    if (fd < 0 && errno == EEXIST) return SHARC_EEXIST;
    if (fd < 0) return sharc_fail(reterr, sharc_error_from_errno(errno), "%s: %s", open_path, strerror(errno));
    SHARC_FAIL_IF(flock(fd, LOCK_EX | LOCK_NB) < 0, reterr, SHARC_EBUSY, "%s: in use by another process", open_path);
    *ret = fd;
    fd = -1;
    return 0;
}

static void use_file(struct sharc_warc_writer *w, int fd, char *path)
{
    snprintf(w->file, sizeof w->file, "%s", sharc_path_last(path));
    free(w->path);
    w->path = path;
    w->fd = fd;
    w->at = 0;
    sharc_intern_freep(&w->chains);
    w->new_name = true;
    w->broken = false;
}

int sharc__warc_file_open(struct sharc_warc_writer *w, sharc_time now, struct sharc_err *reterr)
{
    if (w->fd >= 0) return 0;
    int fd = -1;
    if (w->o.path) {
        int r = open_locked(w->o.path, &fd, reterr);
        if (r == SHARC_EEXIST)
            return sharc_fail(reterr, r, "%s: already there (perhaps as " OPEN_SUFFIX "); choose another name",
                              w->o.path);
        if (r < 0) return r;
        use_file(w, fd, sharc_strdup(w->o.path));
        return 1;
    }
    int r = sharc_dir_make(w->o.dir, reterr);
    if (r < 0) return r;
    for (int i = 0; i < SERIALS; i++, w->serial++) {
        SHARC_AUTO(sharc_freep) char *name = make_name(w, now);
        SHARC_AUTO(sharc_freep) char *path = sharc_path_join(w->o.dir, name);
        r = open_locked(path, &fd, reterr);
        if (r == SHARC_EEXIST) continue;
        if (r < 0) return r;
        use_file(w, fd, SHARC_TAKE(path));
        w->serial++;
        return 1;
    }
    return sharc_fail(reterr, SHARC_EEXIST, "%s: no free serial number for a new file", w->o.dir);
}

int sharc__warc_file_append_two(struct sharc_warc_writer *w, uint64_t at, struct sharc_span first,
                                struct sharc_span second, struct sharc_err *reterr)
{
    while (first.n + second.n > 0) {
        const struct iovec pieces[] = {{(void *)(uintptr_t)first.p, first.n}, {(void *)(uintptr_t)second.p, second.n}};
        ssize_t n = pwritev(w->fd, pieces, SHARC_LENGTH(pieces), (off_t)at);
        if (n < 0 && errno == EINTR) continue;
        if (n < 0) {
            int code = sharc_error_from_errno(errno);
            return sharc_fail(reterr, code, "%s" OPEN_SUFFIX ": offset %llu: %s", w->path, (unsigned long long)at,
                              strerror(errno));
        }
        size_t done = (size_t)n, of_first = done < first.n ? done : first.n;
        at += done;
        first = sharc_span_from(first, of_first);
        second = sharc_span_from(second, done - of_first);
    }
    return 0;
}

int sharc__warc_file_append(struct sharc_warc_writer *w, uint64_t at, struct sharc_span bytes, struct sharc_err *reterr)
{
    return sharc__warc_file_append_two(w, at, bytes, SHARC_SPAN_NONE, reterr);
}

void sharc__warc_file_take_back(struct sharc_warc_writer *w, uint64_t to)
{
    if (ftruncate(w->fd, (off_t)to) < 0) w->broken = true;
    w->at = to;
}

int sharc__warc_dir_sync(const char *path, struct sharc_err *reterr)
{
    SHARC_AUTO(sharc_freep) char *dir = sharc_path_parent(path);
    SHARC_AUTO(sharc_closep) int fd = open(dir, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    SHARC_FAIL_IF(fd < 0 || fsync(fd) < 0, reterr, SHARC_EIO, "%s: cannot sync the directory: %s", dir,
                  strerror(errno));
    return 0;
}

int sharc_warc_writer_sync(struct sharc_warc_writer *w, struct sharc_err *reterr)
{
    if (w->fd < 0) return 0;
    SHARC_FAIL_IF(fdatasync(w->fd) < 0, reterr, sharc_error_from_errno(errno), "%s" OPEN_SUFFIX ": cannot sync: %s",
                  w->path, strerror(errno));
    if (!w->new_name) return 0;
    int r = sharc__warc_dir_sync(w->path, reterr);
    if (r == 0) w->new_name = false;
    return r;
}

int sharc_warc_writer_finish(struct sharc_warc_writer *w, struct sharc_err *reterr)
{
    if (w->fd < 0) return 0;
    int r = sharc_warc_writer_sync(w, reterr);
    if (r < 0) return r;
    SHARC_AUTO(sharc_freep) char *open_path = sharc_asprintf("%s" OPEN_SUFFIX, w->path);
    SHARC_FAIL_IF(rename(open_path, w->path) < 0, reterr, sharc_error_from_errno(errno), "%s: cannot rename: %s",
                  open_path, strerror(errno));
    sharc_closep(&w->fd);
    return sharc__warc_dir_sync(w->path, reterr);
}

void sharc__warc_file_discard(struct sharc_warc_writer *w)
{
    if (w->fd < 0) return;
    SHARC_AUTO(sharc_freep) char *half = sharc_asprintf("%s" OPEN_SUFFIX, w->path);
    unlink(half);
    sharc_closep(&w->fd);
}

/* SPDX-License-Identifier: Apache-2.0 */
#include "base_int.h"
#include "sharc/base_file.h"
#include "sharc/base_remote.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

int sharc__base_fail_errno(struct sharc_err *reterr, const char *path, const char *what)
{
    int e = errno;
    return sharc_fail(reterr, sharc_error_from_errno(e), "%s: %s: %s", path, what, strerror(e));
}

/* --- reading ------------------------------------------------------------- */

int sharc__base_open_for_reading(const char *path, int *ret, struct sharc_err *reterr)
{
    if (strcmp(path, "-") == 0) {
        *ret = dup(STDIN_FILENO);
        return *ret < 0 ? sharc__base_fail_errno(reterr, "standard input", "cannot read") : 0;
    }
    SHARC_AUTO(sharc_closep) int fd = open(path, O_RDONLY | O_CLOEXEC);
    if (fd < 0) return sharc__base_fail_errno(reterr, path, "cannot open");
    struct stat st;
    if (fstat(fd, &st) == 0 && S_ISDIR(st.st_mode))
        return sharc_fail(reterr, SHARC_EIO, "%s: is a directory, a file is needed", path);
    *ret = fd;
    fd = -1;
    return 0;
}

int sharc_file_read(const char *path, struct sharc_buf *buf, struct sharc_err *reterr)
{
    SHARC_AUTO(sharc_closep) int fd = -1;
    int r = sharc__base_open_for_reading(path, &fd, reterr);
    if (r < 0) return r;
    sharc_buf_clear(buf);
    struct stat st;
    if (fstat(fd, &st) == 0 && S_ISREG(st.st_mode) && (uint64_t)st.st_size < buf->max)
        sharc_buf_reserve(buf, (size_t)st.st_size + 1);
    for (;;) {
        /* One byte beyond the maximum tells "exactly full" from "too long". */
        char over[1];
        size_t room = buf->max - buf->n;
        if (room > 65536) room = 65536;
        if (room && buf->room > buf->n + 1 && buf->room - buf->n - 1 > room) room = buf->room - buf->n - 1;
        if (room && (r = sharc_buf_reserve(buf, room)) < 0) return sharc_fail(reterr, r, "%s: too large", path);
        ssize_t got = room ? read(fd, buf->p + buf->n, room) : read(fd, over, 1);
        if (got < 0 && errno == EINTR) continue;
        if (got < 0) return sharc__base_fail_errno(reterr, path, "cannot read");
        if (got == 0) return 0;
        if (!room) return sharc_fail(reterr, SHARC_ELIMIT, "%s: larger than %zu bytes, the limit here", path, buf->max);
        buf->n += (size_t)got;
        buf->p[buf->n] = 0;
    }
}

/* --- replacing ----------------------------------------------------------- */

static int sync_directory_of(const char *path)
{
    SHARC_AUTO(sharc_freep) char *dir = sharc_path_parent(path);
    SHARC_AUTO(sharc_closep) int fd = open(dir, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (fd < 0) return -1;
    /* Some file systems cannot sync directories and say EINVAL: nothing to do. */
    return fsync(fd) < 0 && errno != EINVAL ? -1 : 0;
}

/* The path under which a file of ours without a name can be given one. */
enum { DESCRIPTOR_PATH = 40 };
static char *descriptor_path(int fd, char out[DESCRIPTOR_PATH])
{
    snprintf(out, DESCRIPTOR_PATH, "/proc/self/fd/%d", fd);
    return out;
}

/* A file without a name in path's directory: whatever ends this process, nothing
 * of it remains. -1 when the file system has no such files, or when it could
 * not be named later. */
static int open_nameless(const char *path)
{
    char via[DESCRIPTOR_PATH];
    SHARC_AUTO(sharc_freep) char *dir = sharc_path_parent(path);
    SHARC_AUTO(sharc_closep) int fd = open(dir, O_TMPFILE | O_WRONLY | O_CLOEXEC, 0666);
    if (fd < 0 || access(descriptor_path(fd, via), F_OK) < 0) return -1;
    int kept = fd;
    fd = -1;
    return kept;
}

/* Call make(name, arg) with names beside path until one is free; what it
 * returns, and the name, or -1 and errno. */
static int with_free_name(const char *path, int (*make)(const char *name, int arg), int arg, char **ret_name)
{
    static atomic_uint serial;
    for (int attempt = 0; attempt < 1000; attempt++) {
        uint64_t unique = sharc__base_hash_seed() ^ (uint64_t)getpid() << 20 ^ atomic_fetch_add(&serial, 1);
        SHARC_AUTO(sharc_freep)
        char *name = sharc_asprintf("%s.new-%08" PRIx32, path, (uint32_t)(unique ^ unique >> 32));
        int made = make(name, arg);
        if (made >= 0) *ret_name = SHARC_TAKE(name);
        if (made >= 0 || errno != EEXIST) return made;
    }
    return -1;
}

/* Not mkstemp: its mode is 0600, and widening that to what the user's mask
 * allows would need the mask, which cannot be asked for without changing it
 * under the feet of other threads. */
static int create(const char *name, int unused)
{
    (void)unused;
    return open(name, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
}

static int give_name(const char *name, int fd)
{
    char via[DESCRIPTOR_PATH];
    return linkat(AT_FDCWD, descriptor_path(fd, via), AT_FDCWD, name, AT_SYMLINK_FOLLOW);
}

/* Root could put a file in the place of /dev/null. */
static bool is_special(const char *path)
{
    struct stat st;
    return stat(path, &st) == 0 && !S_ISREG(st.st_mode) && !S_ISDIR(st.st_mode);
}

/* "s3://bucket/x" would be a file below a directory "s3:". */
static int must_be_local(const char *path, struct sharc_err *reterr)
{
    SHARC_FAIL_IF(
        sharc_remote_is(path), reterr, SHARC_EUNSUPPORTED,
        "%s: cannot be written to an object store; name a local file or directory and copy it there afterwards", path);
    return 0;
}

int sharc__base_atomic_open(struct sharc_atomic_file *f, const char *path, bool nameless, struct sharc_err *reterr)
{
    *f = (struct sharc_atomic_file){.fd = -1, .direct = is_special(path), .pending = SHARC_BUF_INIT(1u << 20)};
    f->path = sharc_strdup(path);
    int r = must_be_local(path, reterr);
    if (r < 0) {
        sharc_atomic_done(f);
        return r;
    }
    if (f->direct)
        f->fd = open(path, O_WRONLY | O_CLOEXEC);
    else if (nameless)
        f->fd = open_nameless(path);
    if (f->fd < 0 && !f->direct) f->fd = with_free_name(path, create, 0, &f->temporary);
    struct stat st;
    if (f->fd < 0)
        r = sharc__base_fail_errno(reterr, path, "cannot create");
    else if (!f->direct && stat(path, &st) == 0 &&
             fchmod(f->fd, st.st_mode & 07777) < 0) /* an existing file keeps its permissions */
        r = sharc__base_fail_errno(reterr, path, "cannot set permissions");
    if (r < 0) sharc_atomic_done(f);
    return r;
}

int sharc_atomic_open(struct sharc_atomic_file *f, const char *path, struct sharc_err *reterr)
{
    return sharc__base_atomic_open(f, path, /* nameless= */ true, reterr);
}

static int flush_pending(struct sharc_atomic_file *f, struct sharc_err *reterr)
{
    size_t at = 0;
    while (at < f->pending.n) {
        ssize_t put = write(f->fd, f->pending.p + at, f->pending.n - at);
        if (put < 0 && errno == EINTR) continue;
        if (put < 0) return sharc__base_fail_errno(reterr, f->path, "cannot write");
        at += (size_t)put;
    }
    sharc_buf_clear(&f->pending);
    return 0;
}

int sharc_atomic_write(struct sharc_atomic_file *f, struct sharc_span bytes, struct sharc_err *reterr)
{
    while (bytes.n) {
        size_t room = f->pending.max - f->pending.n;
        size_t n = bytes.n < room ? bytes.n : room;
        sharc_buf_put(&f->pending, sharc_span(bytes.p, n));
        bytes = sharc_span_from(bytes, n);
        if (f->pending.n < f->pending.max) continue;
        int r = flush_pending(f, reterr);
        if (r < 0) return r;
    }
    return 0;
}

/* A link cannot replace: a new version of a file needs a name of its own for
 * the moment between two calls, and only then. */
static int put_in_place(struct sharc_atomic_file *f)
{
    if (!f->temporary && give_name(f->path, f->fd) == 0) return 0;
    if (!f->temporary && (errno != EEXIST || with_free_name(f->path, give_name, f->fd, &f->temporary) < 0)) return -1;
    if (rename(f->temporary, f->path) < 0) return -1;
    sharc_freep(&f->temporary); /* it is no longer there to be removed */
    return 0;
}

int sharc_atomic_commit(struct sharc_atomic_file *f, struct sharc_err *reterr)
{
    int r = flush_pending(f, reterr);
    if (r < 0 || f->direct) return r;
    if (fsync(f->fd) < 0) return sharc__base_fail_errno(reterr, f->path, "cannot sync");
    if (put_in_place(f) < 0) return sharc__base_fail_errno(reterr, f->path, "cannot replace");
    if (sync_directory_of(f->path) < 0) return sharc__base_fail_errno(reterr, f->path, "cannot sync its directory");
    return 0;
}

void sharc_atomic_done(struct sharc_atomic_file *f)
{
    sharc_closep(&f->fd);
    if (f->temporary) unlink(f->temporary);
    sharc_freep(&f->temporary);
    sharc_freep(&f->path);
    sharc_buf_done(&f->pending);
}

int sharc_file_replace(const char *path, struct sharc_span bytes, struct sharc_err *reterr)
{
    SHARC_AUTO(sharc_atomic_done) struct sharc_atomic_file f;
    int r = sharc_atomic_open(&f, path, reterr);
    if (r == 0) r = sharc_atomic_write(&f, bytes, reterr);
    if (r == 0) r = sharc_atomic_commit(&f, reterr);
    return r;
}

/* --- directories --------------------------------------------------------- */

int sharc_dir_make(const char *path, struct sharc_err *reterr)
{
    int r = must_be_local(path, reterr);
    if (r < 0) return r;
    SHARC_AUTO(sharc_freep) char *part = sharc_strdup(path);
    for (char *p = part;; p++) {
        if (*p && (*p != '/' || p == part)) continue;
        char keep = *p;
        *p = 0;
        if (mkdir(part, 0777) < 0 && errno != EEXIST)
            return sharc__base_fail_errno(reterr, part, "cannot create the directory");
        *p = keep;
        if (!keep) break;
    }
    struct stat st;
    if (stat(path, &st) < 0) return sharc__base_fail_errno(reterr, path, "cannot examine");
    SHARC_FAIL_IF(!S_ISDIR(st.st_mode), reterr, SHARC_EEXIST, "%s: is not a directory", path);
    return 0;
}

static int by_bytes(const void *a, const void *b)
{
    return strcmp(*(const char *const *)a, *(const char *const *)b);
}

int sharc_dir_list(const char *path, char ***ret_names, size_t *ret_count, struct sharc_err *reterr)
{
    DIR *d = opendir(path);
    if (!d) return sharc__base_fail_errno(reterr, path, "cannot list the directory");
    char **names = NULL;
    size_t count = 0, room = 0;
    for (;;) {
        errno = 0;
        const struct dirent *e = readdir(d);
        if (!e) break;
        if (strcmp(e->d_name, ".") == 0 || strcmp(e->d_name, "..") == 0) continue;
        SHARC_GROW(names, room, count + 1);
        names[count++] = sharc_strdup(e->d_name);
    }
    int r = errno ? sharc__base_fail_errno(reterr, path, "cannot list the directory") : 0;
    closedir(d);
    if (r < 0) {
        sharc_names_free(names, count);
        return r;
    }
    if (count) qsort(names, count, sizeof *names, by_bytes);
    *ret_names = names;
    *ret_count = count;
    return 0;
}

void sharc_names_free(char **names, size_t count)
{
    for (size_t i = 0; i < count; i++) free(names[i]);
    free(names);
}

char *sharc_path_join(const char *dir, const char *name)
{
    size_t n = strlen(dir);
    return sharc_asprintf("%s%s%s", dir, n && dir[n - 1] == '/' ? "" : "/", name);
}

const char *sharc_path_last(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash ? slash + 1 : path;
}

char *sharc_path_parent(const char *path)
{
    const char *slash = strrchr(path, '/');
    if (!slash) return sharc_strdup(".");
    return slash == path ? sharc_strdup("/") : sharc_strndup(path, (size_t)(slash - path));
}

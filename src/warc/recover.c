/* SPDX-License-Identifier: Apache-2.0
 *
 * After a crash: invariant (4) of sharc/warc_write.h.
 */
#include "warc_int.h"
#include "write_int.h"

#include "sharc/base_file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

/* Of a packed record the checksum proves that it is whole; of a plain one only
 * the empty lines behind it do. */
static bool is_whole(const struct sharc_warc *w)
{
    return w->in.packing == SHARC_WARC_PLAIN ? w->ended_whole : w->in.unit_end && w->in.n == 0;
}

/* Where the last whole record ends. */
static int measure(const char *path, struct sharc_warc_recovered *ret, struct sharc_err *reterr)
{
    SHARC_AUTO(sharc_warc_closep) struct sharc_warc *w = NULL;
    struct sharc_record rec;
    uint64_t length;
    int r = sharc_warc_open(path, NULL, &w, reterr);
    if (r == SHARC_ECORRUPT || r == SHARC_ETRUNC) return 0;
    if (r < 0) return r;
    while (sharc_warc_next(w, &rec, NULL) > 0) {
        if (sharc_record_length(&rec, &length, NULL) < 0 || !is_whole(w)) break;
        ret->records++;
        ret->bytes = w->in.src.at;
    }
    return 0;
}

static int cut(int fd, const char *path, uint64_t to, struct sharc_err *reterr)
{
    SHARC_FAIL_IF(ftruncate(fd, (off_t)to) < 0 || fsync(fd) < 0, reterr, sharc_error_from_errno(errno),
                  "%s: cannot cut off its broken end: %s", path, strerror(errno));
    return 0;
}

int sharc_warc_recover(const char *path_open, struct sharc_warc_recovered *ret, struct sharc_err *reterr)
{
    struct sharc_warc_recovered done = {0};
    struct stat st;
    size_t n = strlen(path_open), suffix = strlen(OPEN_SUFFIX);
    SHARC_FAIL_IF(n <= suffix || strcmp(path_open + n - suffix, OPEN_SUFFIX) != 0, reterr, SHARC_EINVAL,
                  "%s: its name does not end in " OPEN_SUFFIX, path_open);
    SHARC_AUTO(sharc_freep) char *path = sharc_strndup(path_open, n - suffix);
    SHARC_AUTO(sharc_closep) int fd = open(path_open, O_RDWR | O_CLOEXEC);
    SHARC_FAIL_IF(fd < 0 || fstat(fd, &st) < 0, reterr, sharc_error_from_errno(errno), "%s: %s", path_open,
                  strerror(errno));
    SHARC_FAIL_IF(flock(fd, LOCK_EX | LOCK_NB) < 0, reterr, SHARC_EBUSY, "%s: another process is writing it",
                  path_open);
    int r = measure(path_open, &done, reterr);
    if (r < 0) return r;
    done.cut = (uint64_t)st.st_size - done.bytes;
    if (done.records == 0) {
        SHARC_FAIL_IF(unlink(path_open) < 0, reterr, sharc_error_from_errno(errno), "%s: cannot remove: %s", path_open,
                      strerror(errno));
    } else {
        SHARC_FAIL_IF(access(path, F_OK) == 0, reterr, SHARC_EEXIST,
                      "%s: is there beside its " OPEN_SUFFIX " file; move one of them away", path);
        r = cut(fd, path_open, done.bytes, reterr);
        if (r < 0) return r;
        SHARC_FAIL_IF(rename(path_open, path) < 0, reterr, sharc_error_from_errno(errno), "%s: cannot rename: %s",
                      path_open, strerror(errno));
        snprintf(done.file, sizeof done.file, "%s", sharc_path_last(path));
    }
    r = sharc__warc_dir_sync(path, reterr);
    if (r == 0) *ret = done;
    return r;
}

int sharc_warc_recover_dir(const char *dir, struct sharc_warc_recovered *ret, struct sharc_err *reterr)
{
    struct sharc_warc_recovered sum = {0}, one;
    char **names = NULL;
    size_t count = 0;
    int r = sharc_dir_list(dir, &names, &count, reterr);
    if (r < 0) return r;
    for (size_t i = 0; i < count && r == 0; i++) {
        if (!sharc_span_ends(sharc_span_of(names[i]), SHARC_SPAN(OPEN_SUFFIX))) continue;
        SHARC_AUTO(sharc_freep) char *path = sharc_path_join(dir, names[i]);
        r = sharc_warc_recover(path, &one, reterr);
        if (r < 0) break;
        sum.records += one.records;
        sum.bytes += one.bytes;
        sum.cut += one.cut;
        memcpy(sum.file, one.file, sizeof sum.file);
    }
    sharc_names_free(names, count);
    if (r == 0) *ret = sum;
    return r;
}

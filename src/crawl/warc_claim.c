/* SPDX-License-Identifier: Apache-2.0
 *
 * Files of earlier claims of a job: whose they are, and what was committed of them (warc_takeover.c).
 */
#include "warc_store.h"

#include "sharc/base_file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

enum { PIECE = 1 << 20 };

static int copy_bytes(int from, uint64_t size, struct sharc_atomic_file *to, const char *path, struct sharc_err *reterr)
{
    SHARC_AUTO(sharc_freep) char *piece = SHARC_NEW_ARRAY(char, PIECE);
    for (uint64_t at = 0; at < size;) {
        size_t want = size - at < PIECE ? (size_t)(size - at) : PIECE;
        ssize_t n = pread(from, piece, want, (off_t)at);
        if (n < 0 && errno == EINTR) continue;
        SHARC_FAIL_IF(n <= 0, reterr, n < 0 ? sharc_error_from_errno(errno) : SHARC_ETRUNC,
                      "%s: %llu bytes were committed, but the file cannot be read beyond %llu", path,
                      (unsigned long long)size, (unsigned long long)at);
        int r = sharc_atomic_write(to, sharc_span(piece, (size_t)n), reterr);
        if (r < 0) return r;
        at += (uint64_t)n;
    }
    return 0;
}

static int copy_file(const char *from, uint64_t size, const char *to, struct sharc_err *reterr)
{
    SHARC_AUTO(sharc_closep) int fd = open(from, O_RDONLY | O_CLOEXEC);
    SHARC_FAIL_IF(fd < 0, reterr, sharc_error_from_errno(errno), "%s: %s", from, strerror(errno));
    struct sharc_atomic_file f;
    int r = sharc_atomic_open(&f, to, reterr);
    if (r < 0) return r;
    r = copy_bytes(fd, size, &f, from, reterr);
    if (r == 0) r = sharc_atomic_commit(&f, reterr);
    sharc_atomic_done(&f);
    return r;
}

static bool is_there(const char *path, uint64_t *ret_size)
{
    struct stat st;
    if (stat(path, &st) < 0) return false;
    *ret_size = (uint64_t)st.st_size;
    return true;
}

int sharc__crawl_take_file(const char *path, uint64_t done, bool *ret_there, struct sharc_err *reterr)
{
    SHARC_AUTO(sharc_freep) char *open_path = sharc_asprintf("%s.open", path);
    SHARC_AUTO(sharc_freep) char *taken = sharc_asprintf("%s.taken", path);
    uint64_t size = 0;
    int r = 0;
    if (rename(open_path, taken) < 0 && errno != ENOENT)
        return sharc_fail(reterr, sharc_error_from_errno(errno), "%s: cannot be taken over: %s", open_path,
                          strerror(errno));
    const bool half = is_there(taken, &size), whole = is_there(path, &size);
    *ret_there = done > 0 && (half || whole);
    if (done > 0 && whole && size != done) r = copy_file(path, done, path, reterr);
    if (done > 0 && !whole && half) r = copy_file(taken, done, path, reterr);
    if (done == 0 && whole) r = unlink(path) < 0 ? sharc_fail(reterr, SHARC_EIO, "%s: %s", path, strerror(errno)) : 0;
    if (r == 0 && half && unlink(taken) < 0)
        r = sharc_fail(reterr, sharc_error_from_errno(errno), "%s: %s", taken, strerror(errno));
    return r;
}

uint64_t sharc__crawl_claim_of(const char *path, const struct sharc_crawl_job *job, struct sharc_span *ret_digits)
{
    SHARC_AUTO(sharc_freep) char *mark = sharc_asprintf("-j%llde", (long long)job->id);
    const char *name = sharc_path_last(path), *at = NULL;
    for (const char *p = name; (p = strstr(p, mark)); p++) at = p;
    if (!at) return 0;
    struct sharc_span rest = sharc_span_of(at + strlen(mark));
    uint64_t epoch = 0;
    size_t end = sharc_span_find(rest, '-', 0);
    if (end == SHARC_NPOS || sharc_span_to_u64(sharc_span_sub(rest, 0, end), &epoch) < 0) return 0;
    if (ret_digits) *ret_digits = sharc_span_sub(rest, 0, end);
    return epoch;
}

void sharc__crawl_handover_free(struct handover *h)
{
    if (!h) return;
    sharc_names_free(h->replaced, h->replaced_count);
    sharc_names_free(h->now, h->now_count);
    sharc_intern_free(h->stems);
    free(h);
}

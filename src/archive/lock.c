/* SPDX-License-Identifier: Apache-2.0
 *
 * Who writes to an archive. An open file description lock: unlike flock's it can be asked about without
 * being taken, so that a question never stands in the way of a crawl that begins.
 */
#include "sharc/archive.h"

#include "sharc/base_buf.h"
#include "sharc/base_file.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <unistd.h>

#define WORKS(X)                                                            \
    X(CRAWL, "crawl", "another crawl is running on this archive")           \
    X(WATCH, "watch", "a watch is running on this archive")                 \
    X(REBUILD, "rebuild", "the catalogue of this archive is being rebuilt") \
    X(IMPORT, "import", "files are being imported into this archive")       \
    X(WORKER, "worker", "workers are writing to this archive")

static const char *const names[] = {
#define X(name, word, sentence) word,
    WORKS(X)
#undef X
};
static const char *const sentences[] = {
#define X(name, word, sentence) sentence,
    WORKS(X)
#undef X
};

const char *sharc_archive_work_name(enum sharc_archive_work work)
{
    return names[work];
}

/* "crawl 4711 2026-01-31T12:00:00.000000Z host"; what cannot be understood stays unknown. */
static void read_holder(struct sharc_span line, struct sharc_archive_holder *ret)
{
    struct sharc_span word[4] = {0};
    size_t n = 0;
    line = sharc_span_trim(line);
    for (; line.n && n < SHARC_LENGTH(word); n++) {
        size_t at = 0;
        while (at < line.n && line.p[at] != ' ') at++;
        word[n] = sharc_span_sub(line, 0, at);
        line = at < line.n ? sharc_span_from(line, at + 1) : SHARC_SPAN("");
    }
    for (size_t i = 0; i < SHARC_LENGTH(names); i++)
        if (sharc_span_is(word[0], names[i])) ret->work = (enum sharc_archive_work)i;
    if (sharc_span_to_i64(word[1], &ret->pid) < 0 || ret->pid < 0) ret->pid = 0;
    if (sharc_time_parse(word[2], &ret->since, NULL) < 0) ret->since = SHARC_TIME_NONE;
    snprintf(ret->host, sizeof ret->host, "%.*s", SHARC_SPAN_ARG(word[3]));
    for (char *p = ret->host; *p; p++)
        if (*p < '!' || *p > '~') *p = '?'; /* goes to terminals */
}

/* --- two locks ------------------------------------------------------------------------ */

/* WRITER: one process writes archive files, or workers share it. CATALOGUE: who adds to the catalogue shares it, who
 * replaces it has it alone. They are the first two bytes of the file, whether these exist or not. */
enum byte { WRITER, CATALOGUE };

static int take(int fd, enum byte byte, short type)
{
    struct flock lock = {.l_type = type, .l_whence = SEEK_SET, .l_start = byte, .l_len = 1};
    return fcntl(fd, F_OFD_SETLK, &lock);
}

static bool is_taken(int fd, enum byte byte)
{
    struct flock lock = {.l_type = F_WRLCK, .l_whence = SEEK_SET, .l_start = byte, .l_len = 1};
    return fcntl(fd, F_OFD_GETLK, &lock) == 0 && lock.l_type != F_UNLCK;
}

static int take_for(int fd, enum sharc_archive_work work)
{
    const short writer = work == SHARC_ARCHIVE_WORKER ? F_RDLCK : F_WRLCK;
    int r = work == SHARC_ARCHIVE_IMPORT ? 0 : take(fd, WRITER, writer);
    return r < 0 ? r : take(fd, CATALOGUE, work == SHARC_ARCHIVE_REBUILD ? F_WRLCK : F_RDLCK);
}

bool sharc_archive_holder(const char *dir, struct sharc_archive_holder *ret)
{
    SHARC_AUTO(sharc_freep) char *path = sharc_archive_path(dir, SHARC_ARCHIVE_LOCK);
    SHARC_AUTO(sharc_closep) int fd = open(path, O_RDONLY | O_CLOEXEC);
    if (fd < 0) return false;
    bool writer = is_taken(fd, WRITER);
    if (!writer && !is_taken(fd, CATALOGUE)) return false;
    *ret = (struct sharc_archive_holder){.work = SHARC_ARCHIVE_IMPORT, .since = SHARC_TIME_NONE};
    if (!writer) return true; /* perhaps several, and none of them wrote its name */
    char line[512];
    ssize_t n = pread(fd, line, sizeof line, 0);
    ret->work = SHARC_ARCHIVE_CRAWL;
    read_holder(sharc_span(line, n > 0 ? (size_t)n : 0), ret);
    return true;
}

static const char *host_name(char name[static 256])
{
    memset(name, 0, 256);
    gethostname(name, 255);
    return name;
}

static int is_busy(const char *dir, struct sharc_err *reterr)
{
    char since[SHARC_TIME_TEXT], here[256];
    struct sharc_archive_holder h;
    bool known = sharc_archive_holder(dir, &h) && (h.pid || h.work == SHARC_ARCHIVE_IMPORT);
    if (!known || !h.pid)
        return sharc_fail(reterr, SHARC_EBUSY, "%s: %s; wait until that has ended", dir,
                          known ? sentences[h.work] : "another process is writing to this archive");
    bool away = h.host[0] && strcmp(h.host, host_name(here)) != 0;
    return sharc_fail(reterr, SHARC_EBUSY, "%s: %s: process %" PRId64 "%s%s%s%s; wait until it ends", dir,
                      sentences[h.work], h.pid, away ? " on " : "", away ? h.host : "",
                      h.since == SHARC_TIME_NONE ? "" : " since ",
                      h.since == SHARC_TIME_NONE ? "" : sharc_time_iso(h.since, 0, since));
}

/* Only for messages: a full disk must not keep anybody from working. */
static void write_name(int fd, enum sharc_archive_work work, sharc_time now)
{
    char host[256], since[SHARC_TIME_TEXT];
    SHARC_AUTO(sharc_freep)
    char *line =
        sharc_asprintf("%s %ld %s %s\n", names[work], (long)getpid(), sharc_time_iso(now, 6, since), host_name(host));
    if (ftruncate(fd, 0) == 0) (void)!pwrite(fd, line, strlen(line), 0);
}

int sharc_archive_lock(const char *dir, enum sharc_archive_work work, sharc_time now, int *ret,
                       struct sharc_err *reterr)
{
    SHARC_AUTO(sharc_freep) char *path = sharc_archive_path(dir, SHARC_ARCHIVE_LOCK);
    SHARC_AUTO(sharc_closep) int fd = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0666);
    SHARC_FAIL_IF(fd < 0, reterr, sharc_error_from_errno(errno), "%s: %s", path, strerror(errno));
    int r = take_for(fd, work), why = errno;
    if (r < 0) sharc_closep(&fd); /* with what was taken of it */
    if (r < 0 && (why == EAGAIN || why == EACCES)) return is_busy(dir, reterr);
    SHARC_FAIL_IF(r < 0, reterr, sharc_error_from_errno(why), "%s: cannot be locked: %s", path, strerror(why));
    if (work != SHARC_ARCHIVE_IMPORT) write_name(fd, work, now);
    *ret = fd;
    fd = -1;
    return 0;
}

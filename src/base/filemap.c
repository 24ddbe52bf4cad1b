/* SPDX-License-Identifier: Apache-2.0
 *
 * Maps of files, and what becomes of them when somebody shortens the file: the system sends SIGBUS to whoever reads
 * what is gone. With the guard the page that was asked for becomes one of zeros, the map is marked, and reading goes
 * on; readers of foreign bytes can bear zeros, and whoever must not be deceived asks whether the map is intact.
 *
 * The handler may run at any instant in any thread. It takes no lock and frees nothing: maps have watches in blocks
 * that are never freed, and a watch that is not in use has no bytes.
 */
#include "base_int.h"
#include "sharc/base_file.h"
#include "sharc/base_remote.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

enum { BLOCK = 64 };

struct sharc__filemap_watch {
    atomic_uintptr_t base; /* 0: not in use */
    atomic_size_t length;
    atomic_bool damaged;
    char *path; /* NULL: the file has no name that could be asked again */
    dev_t device;
    ino_t inode;
    struct sharc__filemap_watch *next_free;
};

struct block {
    struct block *next; /* set before the block can be seen */
    struct sharc__filemap_watch watches[BLOCK];
};

static _Atomic(struct block *) blocks;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER; /* guards what follows */
static struct sharc__filemap_watch *free_watches;
static struct sigaction before;

/* --- watches -------------------------------------------------------------------------- */

static struct sharc__filemap_watch *take_watch(void)
{
    pthread_mutex_lock(&lock);
    if (!free_watches) {
        struct block *b = SHARC_NEW(struct block);
        for (size_t i = 0; i < BLOCK; i++) {
            b->watches[i].next_free = free_watches;
            free_watches = &b->watches[i];
        }
        b->next = atomic_load(&blocks);
        atomic_store(&blocks, b);
    }
    struct sharc__filemap_watch *w = free_watches;
    free_watches = w->next_free;
    pthread_mutex_unlock(&lock);
    return w;
}

static void leave_watch(struct sharc__filemap_watch *w)
{
    free(w->path);
    w->path = NULL;
    pthread_mutex_lock(&lock);
    w->next_free = free_watches;
    free_watches = w;
    pthread_mutex_unlock(&lock);
}

/* --- the guard ------------------------------------------------------------------------- */

static struct sharc__filemap_watch *watch_of(uintptr_t address)
{
    for (struct block *b = atomic_load(&blocks); b; b = b->next)
        for (size_t i = 0; i < BLOCK; i++) {
            uintptr_t base = atomic_load(&b->watches[i].base);
            if (base && address >= base && address - base < atomic_load(&b->watches[i].length)) return &b->watches[i];
        }
    return NULL;
}

static void on_sigbus(int number, siginfo_t *info, void *context)
{
    (void)context;
    int kept = errno;
    uintptr_t page = (uintptr_t)sysconf(_SC_PAGESIZE), address = (uintptr_t)info->si_addr;
    struct sharc__filemap_watch *w = info->si_code == BUS_ADRERR ? watch_of(address) : NULL;
    void *at = (void *)(address & ~(page - 1)); /* NOLINT(performance-no-int-to-ptr) */
    if (w && mmap(at, page, PROT_READ, MAP_PRIVATE | MAP_FIXED | MAP_ANONYMOUS, -1, 0) == at)
        atomic_store(&w->damaged, true);
    else
        sigaction(number, &before, NULL); /* not ours: it comes again, and does what it would have done */
    errno = kept;
}

int sharc_filemap_guard(struct sharc_err *reterr)
{
    struct sigaction a = {.sa_sigaction = on_sigbus, .sa_flags = SA_SIGINFO | SA_ONSTACK}, now;
    sigemptyset(&a.sa_mask);
    pthread_mutex_lock(&lock);
    int r = sigaction(SIGBUS, NULL, &now);
    bool ours = r == 0 && (now.sa_flags & SA_SIGINFO) && now.sa_sigaction == on_sigbus;
    if (r == 0 && !ours) {
        before = now;
        r = sigaction(SIGBUS, &a, NULL);
    }
    pthread_mutex_unlock(&lock);
    SHARC_FAIL_IF(r < 0, reterr, sharc_error_from_errno(errno), "cannot guard against files that are shortened: %s",
                  strerror(errno));
    return 0;
}

/* --- maps ------------------------------------------------------------------------------- */

int sharc_filemap_open_fd(struct sharc_filemap *m, int fd, const char *path, struct sharc_err *reterr)
{
    struct stat st;
    *m = (struct sharc_filemap){0};
    if (fstat(fd, &st) < 0) return sharc__base_fail_errno(reterr, path, "cannot examine");
    SHARC_FAIL_IF(!S_ISREG(st.st_mode), reterr, SHARC_EINVAL, "%s: not a regular file", path);
    if (st.st_size == 0) {
        m->bytes = SHARC_SPAN("");
        return 0;
    }
    void *base = mmap(NULL, (size_t)st.st_size, PROT_READ, MAP_PRIVATE, fd, 0);
    if (base == MAP_FAILED) return sharc__base_fail_errno(reterr, path, "cannot map");
    struct sharc__filemap_watch *w = take_watch();
    if (st.st_nlink) w->path = sharc_strdup(path);
    w->device = st.st_dev;
    w->inode = st.st_ino;
    atomic_store(&w->damaged, false);
    atomic_store(&w->length, (size_t)st.st_size);
    atomic_store(&w->base, (uintptr_t)base);
    *m = (struct sharc_filemap){sharc_span(base, (size_t)st.st_size), base, (size_t)st.st_size, w};
    return 0;
}

int sharc_filemap_open(struct sharc_filemap *m, const char *path, struct sharc_err *reterr)
{
    *m = (struct sharc_filemap){0};
    SHARC_AUTO(sharc_closep) int fd = -1;
    int r =
        sharc_remote_is(path) ? sharc_remote_copy(path, &fd, reterr) : sharc__base_open_for_reading(path, &fd, reterr);
    return r < 0 ? r : sharc_filemap_open_fd(m, fd, path, reterr);
}

void sharc_filemap_done(struct sharc_filemap *m)
{
    if (m->base) {
        atomic_store(&m->watch->base, 0); /* first: another map may get the same place */
        munmap(m->base, m->length);
        leave_watch(m->watch);
    }
    *m = (struct sharc_filemap){0};
}

/* Shortened within its last page a file has zeros there, and no signal tells. A file that was replaced under its
 * name is another one: the map still has the old one, whole. */
bool sharc_filemap_intact(const struct sharc_filemap *m)
{
    struct stat st;
    if (!m->base) return true;
    if (atomic_load(&m->watch->damaged)) return false;
    if (!m->watch->path || stat(m->watch->path, &st) < 0) return true;
    return st.st_dev != m->watch->device || st.st_ino != m->watch->inode || (uint64_t)st.st_size >= m->length;
}

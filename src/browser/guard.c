/* SPDX-License-Identifier: Apache-2.0
 *
 * The process between us and the browser. It waits for the end of a pipe that we hold open: when that comes,
 * because we close it or because we are no more, it ends all processes of the browser and removes its directory.
 *
 *   we --fork--> guard --fork, exec--> browser --> its own processes
 *
 * As their subreaper the guard inherits what the browser leaves behind, so that nothing escapes it. Between fork
 * and exec nothing is called that may not be called there; what removes the directory needs malloc, which
 * glibc keeps usable in a child.
 */
#include "browser_int.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/signalfd.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

/* --- removing -------------------------------------------------------------------------------- */

static void remove_in(int dir, const char *name, unsigned depth)
{
    if (unlinkat(dir, name, 0) == 0 || depth > 64) return;
    int fd = openat(dir, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    DIR *d = fd < 0 ? NULL : fdopendir(fd);
    if (!d && fd >= 0) close(fd);
    if (!d) return;
    const struct dirent *e;
    while ((e = readdir(d)))
        if (strcmp(e->d_name, ".") != 0 && strcmp(e->d_name, "..") != 0) remove_in(fd, e->d_name, depth + 1);
    closedir(d);
    unlinkat(dir, name, AT_REMOVEDIR);
}

void sharc__browser_remove(const char *directory)
{
    remove_in(AT_FDCWD, directory, 0);
}

/* --- the browser's side ------------------------------------------------------------------------ */

static void write_file(const char *path, const char *text)
{
    int fd = open(path, O_WRONLY | O_CLOEXEC);
    if (fd < 0) return;
    ssize_t n = write(fd, text, strlen(text));
    (void)n;
    close(fd);
}

/* A network of its own, in which there is nothing, not even loopback. Who is not root needs users of his own
 * for that, as whom he stays who he is. */
static bool leave_network(void)
{
    unsigned uid = (unsigned)geteuid(), gid = (unsigned)getegid();
    char map[64];
    if (uid == 0) return unshare(CLONE_NEWNET) == 0;
    if (unshare(CLONE_NEWUSER | CLONE_NEWNET) < 0) return false;
    write_file("/proc/self/setgroups", "deny");
    snprintf(map, sizeof map, "%u %u 1", uid, uid);
    write_file("/proc/self/uid_map", map);
    snprintf(map, sizeof map, "%u %u 1", gid, gid);
    write_file("/proc/self/gid_map", map);
    return true;
}

/* What is told through the pipe of the status, in pieces that a pipe keeps whole. */
struct news {
    enum { BEGINS = 1, NOT_STARTED, ENDED } what;
    int value; /* has it left the network; errno; what waitpid gave */
    pid_t pid; /* BEGINS: its own */
};

static void tell(int fd, const struct news *n)
{
    ssize_t done = write(fd, n, sizeof *n);
    (void)done; /* nobody is left to hear it */
}

struct ends { /* of pipes, as the other side has them */
    int commands, messages, errors, life, status;
};

SHARC_NORETURN static void become_browser(const struct browser_launch *l, const struct ends *e)
{
    static const int usual[] = {SIGINT, SIGTERM, SIGHUP, SIGPIPE, SIGCHLD, SIGQUIT};
    sigset_t none;
    struct news news = {BEGINS, 0, getpid()};
    for (size_t i = 0; i < SHARC_LENGTH(usual); i++) signal(usual[i], SIG_DFL);
    sigemptyset(&none);
    sigprocmask(SIG_SETMASK, &none, NULL);
    setpgid(0, 0);
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    news.value = l->isolate && leave_network();
    /* The numbers 3 and 4 may be taken by the very pipes that are to go there. */
    int in = fcntl(e->commands, F_DUPFD_CLOEXEC, 10), out = fcntl(e->messages, F_DUPFD_CLOEXEC, 10);
    int err = fcntl(e->errors, F_DUPFD_CLOEXEC, 10), status = fcntl(e->status, F_DUPFD_CLOEXEC, 10);
    int null = open("/dev/null", O_RDWR | O_CLOEXEC);
    dup2(null, 0);
    dup2(err, 1);
    dup2(err, 2);
    dup2(in, 3);
    dup2(out, 4);
    tell(status, &news);
    execve(l->program, l->arguments, l->environment);
    news = (struct news){NOT_STARTED, errno, 0};
    tell(status, &news);
    _exit(127);
}

/* --- the guard's side ----------------------------------------------------------------------------- */

static void reap(pid_t browser, int status_fd)
{
    int status;
    for (pid_t p; (p = waitpid(-1, &status, WNOHANG)) > 0;) {
        const struct news news = {ENDED, status, p};
        if (p == browser) tell(status_fd, &news);
    }
}

/* Whoever left the group has become a child of ours. */
static void kill_children(void)
{
    char path[64], text[4096];
    snprintf(path, sizeof path, "/proc/self/task/%d/children", (int)getpid());
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    ssize_t n = fd < 0 ? -1 : read(fd, text, sizeof text - 1);
    if (fd >= 0) close(fd);
    if (n <= 0) return;
    text[n] = 0;
    for (char *at = text, *next; *at; at = next) {
        long pid = strtol(at, &next, 10);
        if (next == at) return;
        if (pid > 1) kill((pid_t)pid, SIGKILL);
    }
}

static void end_all(pid_t browser)
{
    int status;
    do {
        kill(-browser, SIGKILL);
        kill_children();
        struct timespec pause = {0, 2000000};
        nanosleep(&pause, NULL);
        while (waitpid(-1, &status, WNOHANG) > 0) {
        }
    } while (waitpid(-1, &status, WNOHANG) == 0 || errno == EINTR);
}

SHARC_NORETURN static void be_guard(const struct browser_launch *l, const struct ends *e)
{
    static const int ignored[] = {SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGPIPE};
    sigset_t child;
    setsid();
    for (size_t i = 0; i < SHARC_LENGTH(ignored); i++) signal(ignored[i], SIG_IGN);
    signal(SIGCHLD, SIG_DFL);
    prctl(PR_SET_CHILD_SUBREAPER, 1);
    prctl(PR_SET_NAME, "sharc-guard");
    pid_t browser = fork();
    if (browser == 0) become_browser(l, e);
    sigemptyset(&child);
    sigaddset(&child, SIGCHLD);
    sigprocmask(SIG_SETMASK, &child, NULL);
    /* Nothing of what is ours may stay open here: others wait for its end. */
    int life = fcntl(e->life, F_DUPFD_CLOEXEC, 200), status = fcntl(e->status, F_DUPFD_CLOEXEC, 200);
    int dead = signalfd(-1, &child, SFD_CLOEXEC);
    if (dead >= 0) dead = fcntl(dead, F_DUPFD_CLOEXEC, 200);
    for (int fd = 0; fd < 200; fd++) close(fd);
    unsigned next = 200, kept[] = {(unsigned)life, (unsigned)status, (unsigned)dead};
    for (size_t i = 0; i < SHARC_LENGTH(kept); i++) { /* they were made in rising order */
        if (kept[i] > next) close_range(next, kept[i] - 1, 0);
        next = kept[i] + 1;
    }
    close_range(next, ~0u, 0);
    for (int i = 0; i < 3; i++) open("/dev/null", O_RDWR);
    struct pollfd p[] = {{.fd = life, .events = POLLIN}, {.fd = dead, .events = POLLIN}};
    reap(browser, status);
    while (browser > 0 && !(p[0].revents & (POLLIN | POLLHUP | POLLERR))) {
        if (poll(p, SHARC_LENGTH(p), -1) < 0 && errno != EINTR) break;
        struct signalfd_siginfo info;
        if (p[1].revents & POLLIN && read(dead, &info, sizeof info) > 0) reap(browser, status);
    }
    if (browser > 0) end_all(browser);
    sharc__browser_remove(l->directory);
    _exit(0);
}

/* --- ours -------------------------------------------------------------------------------------------- */

static void close_both(int pair[2])
{
    sharc_closep(&pair[0]);
    sharc_closep(&pair[1]);
}

/* False: nobody is there who could say something, or nothing was said in that time. */
static bool hear(const struct browser_guard *g, int milliseconds, struct news *ret)
{
    struct pollfd p = {.fd = g->status, .events = POLLIN};
    int n;
    while ((n = poll(&p, 1, milliseconds)) < 0 && errno == EINTR) {
    }
    return n > 0 && read(g->status, ret, sizeof *ret) == sizeof *ret;
}

static int hear_start(struct browser_guard *g, const char *program, bool *ret_isolated, struct sharc_err *reterr)
{
    struct news news;
    SHARC_FAIL_IF(!hear(g, -1, &news), reterr, SHARC_EIO, "a process for %s could not be started", program);
    *ret_isolated = news.value;
    g->browser = news.pid;
    return 0;
}

/* The guard keeps its pipes above 200, and a browser of many processes needs more than that itself. */
static int make_room_for_files(struct sharc_err *reterr)
{
    enum { LEAST = 256, WANTED = 1024 };
    struct rlimit files;
    if (getrlimit(RLIMIT_NOFILE, &files) < 0 || files.rlim_cur >= WANTED) return 0;
    files.rlim_cur = files.rlim_max < WANTED ? files.rlim_max : WANTED;
    (void)setrlimit(RLIMIT_NOFILE, &files);
    SHARC_FAIL_IF(
        files.rlim_cur < LEAST, reterr, SHARC_ELIMIT,
        "only %llu files may be open at a time, which is too few for a browser; allow at least %d (ulimit -n)",
        (unsigned long long)files.rlim_cur, LEAST);
    return 0;
}

int sharc__browser_guard_start(const struct browser_launch *l, struct browser_guard *ret,
                               struct browser_pipes *ret_pipes, bool *ret_isolated, struct sharc_err *reterr)
{
    int commands[2] = {-1, -1}, messages[2] = {-1, -1}, errors[2] = {-1, -1}, life[2] = {-1, -1}, status[2] = {-1, -1};
    int *all[] = {commands, messages, errors, life, status};
    int r = access(l->program, X_OK);
    SHARC_FAIL_IF(r < 0, reterr, sharc_error_from_errno(errno), "%s: %s", l->program, strerror(errno));
    r = make_room_for_files(reterr);
    if (r < 0) return r;
    for (size_t i = 0; r == 0 && i < SHARC_LENGTH(all); i++) r = pipe2(all[i], O_CLOEXEC);
    pid_t pid = r == 0 ? fork() : -1;
    if (pid == 0) {
        const struct ends e = {commands[0], messages[1], errors[1], life[0], status[1]};
        close(life[1]); /* else it would keep itself alive, and the browser with it */
        be_guard(l, &e);
    }
    int why = errno;
    if (pid < 0) {
        for (size_t i = 0; i < SHARC_LENGTH(all); i++) close_both(all[i]);
        return sharc_fail(reterr, sharc_error_from_errno(why), "%s cannot be started: %s", l->program, strerror(why));
    }
    close(commands[0]);
    close(messages[1]);
    close(errors[1]);
    close(life[0]);
    close(status[1]);
    *ret = (struct browser_guard){.pid = pid, .life = life[1], .status = status[0]};
    *ret_pipes = (struct browser_pipes){commands[1], messages[0], errors[0]};
    return hear_start(ret, l->program, ret_isolated, reterr);
}

bool sharc__browser_guard_why(const struct browser_guard *g, char out[SHARC_TIME_TEXT])
{
    struct news news;
    if (!hear(g, 1000, &news)) return false;
    if (news.what == NOT_STARTED)
        snprintf(out, SHARC_TIME_TEXT, "%s", strerror(news.value));
    else if (WIFSIGNALED(news.value))
        snprintf(out, SHARC_TIME_TEXT, "signal %d", WTERMSIG(news.value));
    else
        snprintf(out, SHARC_TIME_TEXT, "exit code %d", WEXITSTATUS(news.value));
    return true;
}

void sharc__browser_guard_end(struct browser_guard *g, const char *directory)
{
    int status = 0;
    sharc_closep(&g->life);
    if (g->pid > 0)
        while (waitpid(g->pid, &status, 0) < 0 && errno == EINTR) {
        }
    sharc_closep(&g->status);
    g->pid = 0;
    /* It has done all, unless somebody killed it: then the browser is dying, and what it had started may live on. */
    bool killed = WIFSIGNALED(status) && g->browser > 0;
    for (int i = 0; i < 250 && ((killed && kill(-g->browser, SIGKILL) == 0) || access(directory, F_OK) == 0); i++) {
        const struct timespec pause = {0, 20000000};
        sharc__browser_remove(directory);
        nanosleep(&pause, NULL);
    }
}

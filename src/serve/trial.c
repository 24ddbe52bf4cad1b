/* SPDX-License-Identifier: Apache-2.0
 *
 * /api/trial: what each strategy would give on the site of the newest capture. The simulator runs as a process of its
 * own, `sharc plan --json`, one strategy after the other and one request at a time: so it can be ended at any moment,
 * has limits that the system keeps, and cannot take the server down. Whoever closes the connection ends it.
 */
#include "api.h"

#include "sharc/base_pool.h"

#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum {
    MOST_WAITING = 4,
    MOST_TEXT = 4 << 20, /* of an answer */
    CPU_SECONDS = 60,    /* of one strategy … */
    REAL_SECONDS = 240,  /* … and by the clock: others may need the machine */
    MEMORY = 1 << 30,    /* bytes of address space, twice */
    TICK = 100,          /* ms between looks whether anybody still listens */
    PING = 50,           /* ticks without news, then a word */
};

static const char *const strategies[] = {
    "bfs",         "sharc-online",   "sharc-offline",          "bfs-fifo",
    "bfs-lifo",    "sharc-revisits", "sharc-selective-online", "sharc-selective-offline",
    "sharc-focus", "sharc-optimal"};

struct trial {
    struct serve_trials *trials;
    struct sharc_http_stream *stream;
    char *directory;
    double delay, known, focus; /* known NAN: it is not given */
    pthread_mutex_t lock;       /* guards what follows */
    struct sharc_buf text, sending;
    bool gone, over; /* nobody listens; nothing more will come */
    unsigned users;  /* the stream and the worker */
};

struct serve_trials {
    struct sharc_serve *server;
    struct sharc_pool *pool; /* of one thread */
    unsigned waiting;        /* atomic */
    bool stop;               /* atomic */
};

/* --- telling ---------------------------------------------------------------------------------- */

static void release(struct trial *t)
{
    pthread_mutex_lock(&t->lock);
    bool last = --t->users == 0;
    pthread_mutex_unlock(&t->lock);
    if (!last) return;
    pthread_mutex_destroy(&t->lock);
    sharc_buf_done(&t->text);
    sharc_buf_done(&t->sending);
    free(t->directory);
    free(t);
}

static void wake(struct trial *t) /* under the lock: the stream lives as long as somebody listens */
{
    if (!t->gone) sharc_http_stream_wake(t->stream);
}

/* An event; the plan is JSON, in which line ends mean nothing. */
static void tell(struct trial *t, size_t done, const char *strategy, const char *error, struct sharc_span plan)
{
    SHARC_AUTO(sharc_buf_done) struct sharc_buf event = SHARC_BUF_INIT(MOST_TEXT);
    struct sharc_json j;
    sharc_json_init(&j, &event, false);
    sharc_json_object(&j, NULL);
    sharc_json_uint(&j, "done", done);
    sharc_json_uint(&j, "of", SHARC_LENGTH(strategies));
    sharc_json_str(&j, "strategy", strategy);
    sharc_json_str(&j, "error", error);
    sharc_json_end(&j);
    pthread_mutex_lock(&t->lock);
    sharc_buf_put_str(&t->text, "data: ");
    sharc_buf_put(&t->text, sharc_span_sub(sharc_buf_span(&event), 0, event.n - 1)); /* without its last brace */
    sharc_buf_put_str(&t->text, ",\"plan\":");
    for (size_t i = 0; i < plan.n; i++) sharc_buf_put_char(&t->text, plan.p[i] == '\n' ? ' ' : plan.p[i]);
    sharc_buf_put_str(&t->text, plan.n ? "}\n\n" : "null}\n\n");
    wake(t);
    pthread_mutex_unlock(&t->lock);
}

static bool is_unwanted(struct trial *t)
{
    pthread_mutex_lock(&t->lock);
    bool gone = t->gone;
    pthread_mutex_unlock(&t->lock);
    return gone || __atomic_load_n(&t->trials->stop, __ATOMIC_ACQUIRE);
}

static void ping(struct trial *t)
{
    pthread_mutex_lock(&t->lock);
    if (!t->text.n) sharc_buf_put_str(&t->text, ": at work\n\n"); /* whoever has gone is noticed by it */
    wake(t);
    pthread_mutex_unlock(&t->lock);
}

/* --- the process ------------------------------------------------------------------------------- */

/* Its answers: [0] what it prints, [1] what it complains of. */
struct child {
    pid_t pid;
    int fd[2];
    struct sharc_buf out[2];
};

static void limit(pid_t pid)
{
    const struct rlimit cpu = {CPU_SECONDS, CPU_SECONDS}, memory = {2ull * MEMORY, 2ull * MEMORY};
    (void)prlimit(pid, RLIMIT_CPU, &cpu, NULL);
    (void)prlimit(pid, RLIMIT_AS, &memory, NULL);
    (void)setpriority(PRIO_PROCESS, (id_t)pid, 10);
}

static void arguments_free(char ***arguments)
{
    for (size_t i = 0; *arguments && (*arguments)[i]; i++) free((*arguments)[i]);
    free(*arguments);
}

static int start(const struct trial *t, const char *strategy, struct child *c)
{
    const struct sharc_serve_trial trial = {t->directory, strategy, t->delay, t->known, t->focus};
    SHARC_AUTO(arguments_free) char **arguments = t->trials->server->o.trial(&trial);
    int out[2], err[2];
    if (pipe2(out, O_CLOEXEC) < 0) return -1;
    if (pipe2(err, O_CLOEXEC) < 0) {
        close(out[0]);
        close(out[1]);
        return -1;
    }
    posix_spawn_file_actions_t actions;
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0);
    posix_spawn_file_actions_adddup2(&actions, out[1], 1);
    posix_spawn_file_actions_adddup2(&actions, err[1], 2);
    int r = posix_spawn(&c->pid, arguments[0], &actions, NULL, arguments, environ);
    posix_spawn_file_actions_destroy(&actions);
    close(out[1]);
    close(err[1]);
    c->fd[0] = out[0];
    c->fd[1] = err[0];
    if (r == 0) limit(c->pid);
    return r == 0 ? 0 : -1;
}

/* Read what there is; false: both are at their end. */
static bool read_some(struct child *c)
{
    struct pollfd p[2] = {{.fd = c->fd[0], .events = POLLIN}, {.fd = c->fd[1], .events = POLLIN}};
    char bytes[16 << 10];
    if (poll(p, 2, TICK) < 0 && errno != EINTR) return false;
    for (int i = 0; i < 2; i++) {
        if (c->fd[i] < 0 || !p[i].revents) continue;
        ssize_t n = read(c->fd[i], bytes, sizeof bytes);
        if (n > 0) {
            sharc_buf_put(&c->out[i], sharc_span(bytes, (size_t)n));
        } else if (n == 0 || errno != EINTR) {
            close(c->fd[i]);
            c->fd[i] = -1;
        }
    }
    return c->fd[0] >= 0 || c->fd[1] >= 0;
}

/* Why there is no plan, in words; NULL: there is one. */
static const char *watch(struct trial *t, struct child *c)
{
    const double until = sharc_clock_mono() + REAL_SECONDS;
    const char *why = NULL;
    unsigned ticks = 0;
    int status = 0;
    while (read_some(c) && !why) {
        if (is_unwanted(t)) why = "nobody waits for it any more";
        if (sharc_clock_mono() > until) why = "it took too long";
        if (c->out[0].failed || c->out[1].failed) why = "its answer is too large";
        if (++ticks % PING == 0) ping(t);
    }
    if (why) kill(c->pid, SIGKILL);
    while (waitpid(c->pid, &status, 0) < 0 && errno == EINTR) {
    }
    if (why) return why;
    if (WIFSIGNALED(status)) return "it needed more time or memory than a trial may have";
    if (status == 0) return NULL;
    struct sharc_span rest = sharc_span_trim(sharc_buf_span(&c->out[1])), line = SHARC_SPAN_NONE;
    while (rest.n && rest.n != SHARC_NPOS && sharc_span_next(&rest, '\n', &line)) {
    }
    sharc_buf_clear(&c->out[0]);
    sharc_buf_put(&c->out[0], line); /* the last thing it said */
    return line.n ? sharc_buf_str(&c->out[0]) : "it failed";
}

static void try_one(struct trial *t, size_t i)
{
    struct child c = {.fd = {-1, -1}, .out = {SHARC_BUF_INIT(MOST_TEXT / 2), SHARC_BUF_INIT(64u << 10)}};
    const char *why = start(t, strategies[i], &c) < 0 ? "the simulator cannot be started" : watch(t, &c);
    tell(t, i + 1, strategies[i], why, why ? SHARC_SPAN_NONE : sharc_span_trim(sharc_buf_span(&c.out[0])));
    for (int k = 0; k < 2; k++) {
        if (c.fd[k] >= 0) close(c.fd[k]);
        sharc_buf_done(&c.out[k]);
    }
}

static void run(void *arg)
{
    struct trial *t = arg;
    for (size_t i = 0; i < SHARC_LENGTH(strategies) && !is_unwanted(t); i++) try_one(t, i);
    __atomic_sub_fetch(&t->trials->waiting, 1, __ATOMIC_ACQ_REL);
    pthread_mutex_lock(&t->lock);
    t->over = true;
    wake(t);
    pthread_mutex_unlock(&t->lock);
    release(t);
}

/* --- the stream ----------------------------------------------------------------------------------- */

static int pull(void *arg, struct sharc_span *ret, struct sharc_err *reterr)
{
    struct trial *t = arg;
    (void)reterr;
    pthread_mutex_lock(&t->lock);
    sharc_buf_clear(&t->sending);
    sharc_buf_put(&t->sending, sharc_buf_span(&t->text));
    sharc_buf_clear(&t->text);
    bool over = t->over;
    pthread_mutex_unlock(&t->lock);
    *ret = sharc_buf_span(&t->sending);
    return t->sending.n ? 1 : over ? 0 : SHARC_EBUSY;
}

static void done(void *arg)
{
    struct trial *t = arg;
    pthread_mutex_lock(&t->lock);
    t->gone = true;
    pthread_mutex_unlock(&t->lock);
    release(t);
}

struct serve_trials *sharc__serve_trials_new(struct sharc_serve *s)
{
    struct serve_trials *k = SHARC_NEW(struct serve_trials);
    k->server = s;
    k->pool = sharc_pool_new(1);
    return k;
}

void sharc__serve_trials_stop(struct serve_trials *k)
{
    if (k) __atomic_store_n(&k->stop, true, __ATOMIC_RELEASE);
}

void sharc__serve_trials_free(struct serve_trials *k)
{
    if (!k) return;
    sharc_pool_free(k->pool);
    free(k);
}

/* --- asking --------------------------------------------------------------------------------------- */

/* A number from least to most; SHARC_EINVAL. */
static int read_number(const struct api_call *a, const char *name, double usual, double least, double most, double *ret,
                       struct sharc_err *reterr)
{
    SHARC_AUTO(sharc_freep) char *text = sharc__serve_api_text(a, name);
    double x = usual;
    *ret = x;
    if (!*text) return 0;
    SHARC_FAIL_IF(sharc_span_to_double(sharc_span_of(text), &x) < 0 || !(x >= least && x <= most), reterr, SHARC_EINVAL,
                  "%s must be a number from %g to %g", name, least, most);
    *ret = x;
    return 0;
}

static int read_trial(const struct api_call *a, struct trial *t, struct sharc_err *reterr)
{
    int r = read_number(a, "delay", 3, 0.001, 3600, &t->delay, reterr);
    if (r == 0) r = read_number(a, "known", (double)NAN, 0, 1, &t->known, reterr);
    return r < 0 ? r : read_number(a, "focus", 0.1, 0, 1, &t->focus, reterr);
}

int sharc__serve_api_trial(struct api_call *a, struct sharc_err *reterr)
{
    struct trial probe = {.users = 0};
    int r = read_trial(a, &probe, reterr);
    if (r < 0) return r;
    sharc_json_bool(&a->json, "available", a->call->server->o.trial != NULL);
    sharc_json_array(&a->json, "strategies");
    for (size_t i = 0; i < SHARC_LENGTH(strategies); i++) sharc_json_str(&a->json, NULL, strategies[i]);
    sharc_json_end(&a->json);
    return 0;
}

int sharc__serve_trial_stream(struct api_call *a, struct sharc_err *reterr)
{
    struct serve_call *c = a->call;
    struct serve_trials *k = c->server->trials;
    SHARC_FAIL_IF(!c->server->o.trial, reterr, SHARC_EUNSUPPORTED, "this server makes no trials");
    SHARC_AUTO(sharc_freep) char *directory = realpath(a->directory, NULL);
    SHARC_FAIL_IF(!directory, reterr, SHARC_ENOENT, "the archive is gone");
    struct trial probe = {.users = 0};
    int r = read_trial(a, &probe, reterr);
    if (r < 0) return r;
    if (__atomic_add_fetch(&k->waiting, 1, __ATOMIC_ACQ_REL) > MOST_WAITING) {
        __atomic_sub_fetch(&k->waiting, 1, __ATOMIC_ACQ_REL);
        return sharc_fail(reterr, SHARC_EBUSY, "others make trials now; try again in a moment");
    }
    struct trial *t = SHARC_NEW(struct trial);
    *t = probe;
    t->trials = k;
    t->users = 2;
    t->directory = SHARC_TAKE(directory);
    pthread_mutex_init(&t->lock, NULL);
    sharc_buf_init(&t->text, MOST_TEXT);
    sharc_buf_init(&t->sending, MOST_TEXT);
    sharc__serve_policy(c);
    sharc__serve_header(c, "Content-Type", SHARC_SPAN("text/event-stream"));
    sharc__serve_header(c, "Cache-Control", SHARC_SPAN("no-store"));
    c->size = UINT64_MAX;
    t->stream = sharc_http_answer_stream(c->answer, UINT64_MAX, pull, done, t);
    sharc_pool_submit(k->pool, run, t);
    return 0;
}

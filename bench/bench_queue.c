/* SPDX-License-Identifier: Apache-2.0
 *
 * What one database bears of a fleet: bench_queue [URL [JOBS [PAGES [TURNS]]]]
 *
 * URL: $SHARC_TEST_PG when it is not given, so that this measures all by itself, on a server that lives as long:
 *
 *   tools/pg-temp run build/bench/bench/bench_queue
 *
 * With 1, 2 and 4 workers, each a process with a connection of its own: they queue JOBS together, empty that queue
 * (claim, heartbeat, done), write PAGES pages each of a capture of its own through a fence, 1,000 a transaction, as a
 * crawl without pauses would, and take and give back TURNS turns of hosts each. Printed are things a second over the
 * wall clock of all, and per thing the CPU time of the workers, that of the server (of $SHARC_TEST_PG_DIR; "-"
 * where it cannot be seen), and how often the database was called. If more workers do more at the same CPU time for
 * each thing, it is the machine that is the limit, not a lock of the database.
 */
#include "sharc/base.h"
#include "sharc/base_clock.h"
#include "sharc/store_job.h"
#include "sharc/store_query.h"
#include "sharc/store_write.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

static void must(int r, const struct sharc_err *err)
{
    if (r >= 0) return;
    fprintf(stderr, "bench_queue: %s\n", err->text);
    exit(1);
}

/* What one process does for one line of the table; calls is shared by all of them. */
struct task {
    const char *url;
    unsigned round, number, count;
    _Atomic uint64_t *calls;
};

static void called(void *arg, const char *what SHARC_UNUSED, double seconds SHARC_UNUSED)
{
    ++*((const struct task *)arg)->calls;
}

static struct sharc_store *open_store(const struct task *t)
{
    struct sharc_err err = SHARC_ERR_INIT;
    struct sharc_store *s = NULL;
    must(sharc_store_open(t->url, NULL, &s, &err), &err);
    sharc_store_trace(s, called, (void *)(uintptr_t)t);
    return s;
}

static void add_jobs(const struct task *t)
{
    struct sharc_err err = SHARC_ERR_INIT;
    struct sharc_store *s = open_store(t);
    for (unsigned i = 0; i < t->count; i++) {
        char name[60], collection[20];
        snprintf(name, sizeof name, "s%u-%u-%u.example", t->round, t->number, i);
        snprintf(collection, sizeof collection, "c%u", i % 10);
        struct sharc_store_site site = {.name = sharc_span_of(name)};
        struct sharc_store_job j = {.kind = SHARC_SPAN("crawl"),
                                    .collection = sharc_span_of(collection),
                                    .params = SHARC_SPAN("{\"seeds\":[\"http://s.example/\"],\"options\":[]}"),
                                    .due = SHARC_TIME_NONE};
        sharc_store_id id;
        must(sharc_store_site_put(s, &site, &j.site, &err), &err);
        must(sharc_store_job_add(s, &j, &id, &err), &err);
    }
    sharc_store_free(s);
}

/* --- what a worker does ------------------------------------------------------------- */

static void empty_queue(const struct task *t)
{
    struct sharc_err err = SHARC_ERR_INIT;
    struct sharc_store *s = open_store(t);
    struct sharc_store_job j;
    int r;
    while ((r = sharc_store_job_claim(s, "crawl", SHARC_SPAN("bench"), SHARC_HOUR, &j, &err)) != 0) {
        if (r == SHARC_EBUSY) continue;
        must(r, &err);
        const struct sharc_job_claim claim = {j.id, j.epoch};
        must(sharc_store_job_beat(s, claim, SHARC_HOUR, &err), &err);
        must(sharc_store_job_done(s, claim, SHARC_TIME_NONE, &err), &err);
    }
    sharc_store_free(s);
}

static void write_pages(const struct task *t)
{
    struct sharc_err err = SHARC_ERR_INIT;
    struct sharc_store *s = open_store(t);
    char name[40], text[120];
    snprintf(name, sizeof name, "w%u-%u.example", t->round, t->number);
    struct sharc_store_site site = {.name = sharc_span_of(name)};
    struct sharc_store_job j = {.kind = SHARC_SPAN("crawl"), .due = SHARC_TIME_NONE};
    sharc_store_id id, capture;
    must(sharc_store_site_put(s, &site, &j.site, &err), &err);
    sharc_store_id site_id = j.site;
    must(sharc_store_job_add(s, &j, &id, &err), &err);
    must(sharc_store_job_claim(s, "crawl", SHARC_SPAN("bench"), SHARC_HOUR, &j, &err), &err);
    sharc_store_fence(s, (struct sharc_job_claim){j.id, j.epoch}, SHARC_HOUR);
    struct sharc_store_capture c = SHARC_STORE_CAPTURE_INIT;
    c.site = site_id;
    must(sharc_store_capture_add(s, &c, &capture, NULL, &err), &err);
    struct sharc_store_batch *b;
    sharc_store_batch_new(s, &b);
    for (unsigned i = 0; i < t->count; i++) {
        snprintf(text, sizeof text, "http://%s/section/%u/page-%u.html", name, i % 97, i);
        struct sharc_store_page p = SHARC_STORE_PAGE_INIT;
        p.capture = capture;
        p.url = sharc_span_of(text);
        p.title = sharc_span_of(text);
        p.mime = SHARC_SPAN("text/html");
        p.words = i % 1000;
        p.visit.when = 1000 + i;
        p.visit.status = 200;
        p.visit.size = 1000;
        sharc_digest_of(SHARC_SHA256, p.url, &p.visit.digest);
        must(sharc_store_batch_page(b, &p, &err), &err);
        if (i % 1000 == 999) must(sharc_store_batch_commit(b, &err), &err);
    }
    must(sharc_store_batch_commit(b, &err), &err);
    sharc_store_batch_free(b);
    sharc_store_free(s);
}

static void take_turns(const struct task *t)
{
    struct sharc_err err = SHARC_ERR_INIT;
    struct sharc_store *s = open_store(t);
    char name[60];
    sharc_time ticket, wait;
    for (unsigned i = 0; i < t->count; i++) {
        snprintf(name, sizeof name, "h%u-%u-%u.example", t->round, t->number, i % 50);
        must(sharc_store_host_turn(s, sharc_span_of(name), SHARC_SEC, &ticket, &wait, &err), &err);
        must(sharc_store_host_rest(s, sharc_span_of(name), ticket, 0, 0, &err), &err);
    }
    sharc_store_free(s);
}

/* --- CPU time ---------------------------------------------------------------------- */

static double cpu_of_workers(void)
{
    struct rusage u;
    getrusage(RUSAGE_CHILDREN, &u);
    return (double)u.ru_utime.tv_sec + (double)u.ru_stime.tv_sec +
           (double)(u.ru_utime.tv_usec + u.ru_stime.tv_usec) / 1e6;
}

/* Seconds of a process; with those of its children that have ended, when it is asked for. *ret_parent: whose child. */
static double cpu_of(long pid, bool children, long *ret_parent)
{
    char path[40];
    long long own[2] = {0}, ended[2] = {0};
    snprintf(path, sizeof path, "/proc/%ld/stat", pid);
    FILE *f = fopen(path, "r");
    if (!f) return 0;
    if (fscanf(f, "%*d (%*[^)]) %*c %ld %*d %*d %*d %*d %*u %*u %*u %*u %*u %lld %lld %lld %lld", ret_parent, &own[0],
               &own[1], &ended[0], &ended[1]) != 5)
        *ret_parent = 0;
    fclose(f);
    return (double)(own[0] + own[1] + (children ? ended[0] + ended[1] : 0)) / (double)sysconf(_SC_CLK_TCK);
}

/* The postmaster, those it has started, and those of them that have ended; < 0: it is not here. *ret_living: how many
 * it has started that have not ended. */
static double cpu_of_server(unsigned *ret_living)
{
    const char *dir = getenv("SHARC_TEST_PG_DIR");
    char path[300];
    long postmaster = 0, parent;
    snprintf(path, sizeof path, "%s/data/postmaster.pid", dir ? dir : "");
    FILE *f = fopen(path, "r");
    if (!f) return -1;
    bool known = fscanf(f, "%ld", &postmaster) == 1;
    fclose(f);
    DIR *proc = known ? opendir("/proc") : NULL;
    if (!proc) return -1;
    double sum = cpu_of(postmaster, true, &parent);
    *ret_living = 0;
    for (struct dirent *e; (e = readdir(proc));) {
        uint64_t pid;
        if (sharc_span_to_u64(sharc_span_of(e->d_name), &pid) < 0) continue;
        double seconds = cpu_of((long)pid, false, &parent);
        if (parent != postmaster) continue;
        sum += seconds;
        ++*ret_living;
    }
    closedir(proc);
    return sum;
}

/* The same when those who served the workers have ended and were counted; what the server does by itself is waited
 * for only a while. */
static double cpu_of_server_after(unsigned living)
{
    unsigned now = 0;
    double sum = cpu_of_server(&now);
    for (int i = 0; i < 100 && now > living; i++) {
        usleep(50000);
        sum = cpu_of_server(&now);
    }
    return sum;
}

/* --- all of them ---------------------------------------------------------------------- */

static void together(const char *what, struct task t, unsigned workers, double things,
                     void (*work)(const struct task *t))
{
    *t.calls = 0;
    unsigned living = 0;
    double start = sharc_clock_mono(), cpu = cpu_of_workers(), server = cpu_of_server(&living);
    for (; t.number < workers; t.number++) {
        if (fork() != 0) continue;
        work(&t);
        _exit(0);
    }
    int status, bad = 0;
    while (wait(&status) > 0) bad |= status;
    if (bad) exit(1);
    const double took = sharc_clock_mono() - start;
    printf("%u  %-18s %9.0f /s %9.1f us", workers, what, things / took, 1e6 * (cpu_of_workers() - cpu) / things);
    if (server < 0)
        printf(" %12s", "-");
    else
        printf(" %9.1f us", 1e6 * (cpu_of_server_after(living) - server) / things);
    printf(" %9.3f\n", (double)*t.calls / things);
    fflush(stdout);
}

static unsigned number_of(int argc, char **argv, int i, unsigned otherwise)
{
    uint64_t n;
    return i < argc && sharc_span_to_u64(sharc_span_of(argv[i]), &n) == 0 && n > 0 ? (unsigned)n : otherwise;
}

int main(int argc, char **argv)
{
    struct task t = {.url = argc > 1 ? argv[1] : getenv("SHARC_TEST_PG")};
    const unsigned jobs = number_of(argc, argv, 2, 4000), pages = number_of(argc, argv, 3, 100000);
    const unsigned turns = number_of(argc, argv, 4, 2000);
    if (!t.url) {
        puts("bench_queue: there is no database: tools/pg-temp run build/bench/bench/bench_queue");
        return 0;
    }
    t.calls = mmap(NULL, sizeof *t.calls, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (t.calls == MAP_FAILED) return 1;
    puts("workers, what               a second   workers' CPU  server's CPU  calls, each per thing");
    for (unsigned workers = 1; workers <= 4; workers *= 2) {
        t.round = workers;
        t.count = jobs / workers;
        together("jobs queued", t, workers, (double)t.count * workers, add_jobs);
        together("claim, beat, done", t, workers, (double)t.count * workers, empty_queue);
        t.count = pages;
        together("page rows", t, workers, (double)pages * workers, write_pages);
        t.count = turns;
        together("turns of hosts", t, workers, (double)turns * workers, take_turns);
    }
    return 0;
}

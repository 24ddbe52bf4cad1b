/* SPDX-License-Identifier: Apache-2.0
 *
 * What one database bears of a fleet: bench_queue URL [WORKERS [JOBS [PAGES]]]
 *
 * Each worker is a process with a connection of its own. First they empty a queue of JOBS (claim, heartbeat, done),
 * then each writes PAGES pages of its own capture through a fence, 1,000 a transaction, as a crawl
 * without pauses would; then each takes and gives back turns of hosts. Rates are over the wall clock of all.
 */
#include "sharc/base.h"
#include "sharc/base_clock.h"
#include "sharc/store_job.h"
#include "sharc/store_query.h"
#include "sharc/store_write.h"

#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

static void must(int r, const struct sharc_err *err)
{
    if (r >= 0) return;
    fprintf(stderr, "bench_queue: %s\n", err->text);
    exit(1);
}

static struct sharc_store *open_store(const char *url)
{
    struct sharc_err err = SHARC_ERR_INIT;
    struct sharc_store *s = NULL;
    must(sharc_store_open(url, NULL, &s, &err), &err);
    return s;
}

static void add_jobs(const char *url, unsigned jobs)
{
    struct sharc_err err = SHARC_ERR_INIT;
    struct sharc_store *s = open_store(url);
    for (unsigned i = 0; i < jobs; i++) {
        char name[40], collection[20];
        snprintf(name, sizeof name, "s%u.example", i);
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

static void empty_queue(const char *url, unsigned number, unsigned count)
{
    struct sharc_err err = SHARC_ERR_INIT;
    struct sharc_store *s = open_store(url);
    struct sharc_store_job j;
    int r;
    (void)number;
    (void)count;
    while ((r = sharc_store_job_claim(s, "crawl", SHARC_SPAN("bench"), SHARC_HOUR, &j, &err)) != 0) {
        if (r == SHARC_EBUSY) continue;
        must(r, &err);
        const struct sharc_job_claim claim = {j.id, j.epoch};
        must(sharc_store_job_beat(s, claim, SHARC_HOUR, &err), &err);
        must(sharc_store_job_done(s, claim, SHARC_TIME_NONE, &err), &err);
    }
    sharc_store_free(s);
}

static void write_pages(const char *url, unsigned number, unsigned count)
{
    struct sharc_err err = SHARC_ERR_INIT;
    struct sharc_store *s = open_store(url);
    char name[40], text[80];
    snprintf(name, sizeof name, "w%u.example", number);
    struct sharc_store_site site = {.name = sharc_span_of(name)};
    struct sharc_store_job j = {.kind = SHARC_SPAN("crawl"), .due = SHARC_TIME_NONE};
    sharc_store_id id, capture;
    must(sharc_store_site_put(s, &site, &j.site, &err), &err);
    sharc_store_id site_id = j.site;
    must(sharc_store_job_add(s, &j, &id, &err), &err);
    must(sharc_store_job_claim(s, "crawl", SHARC_SPAN("bench"), SHARC_HOUR, &j, &err), &err);
    sharc_store_fence(s, (struct sharc_job_claim){j.id, j.epoch});
    struct sharc_store_capture c = SHARC_STORE_CAPTURE_INIT;
    c.site = site_id;
    must(sharc_store_capture_add(s, &c, &capture, NULL, &err), &err);
    struct sharc_store_batch *b;
    sharc_store_batch_new(s, &b);
    for (unsigned i = 0; i < count; i++) {
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

static void take_turns(const char *url, unsigned number, unsigned count)
{
    struct sharc_err err = SHARC_ERR_INIT;
    struct sharc_store *s = open_store(url);
    char name[40];
    sharc_time ticket, wait;
    for (unsigned i = 0; i < count; i++) {
        snprintf(name, sizeof name, "h%u-%u.example", number, i % 50);
        must(sharc_store_host_turn(s, sharc_span_of(name), SHARC_SEC, &ticket, &wait, &err), &err);
        must(sharc_store_host_rest(s, sharc_span_of(name), ticket, 0, 0, &err), &err);
    }
    sharc_store_free(s);
}

/* --- all of them ---------------------------------------------------------------------- */

static double together(const char *url, unsigned workers, unsigned count,
                       void (*work)(const char *url, unsigned number, unsigned count))
{
    double start = sharc_clock_mono();
    for (unsigned i = 0; i < workers; i++) {
        if (fork() != 0) continue;
        work(url, i, count);
        _exit(0);
    }
    int status, bad = 0;
    while (wait(&status) > 0) bad |= status;
    if (bad) exit(1);
    return sharc_clock_mono() - start;
}

static unsigned number_of(int argc, char **argv, int i, unsigned otherwise)
{
    uint64_t n;
    return i < argc && sharc_span_to_u64(sharc_span_of(argv[i]), &n) == 0 && n > 0 ? (unsigned)n : otherwise;
}

int main(int argc, char **argv)
{
    const char *url = argc > 1 ? argv[1] : NULL;
    const unsigned workers = number_of(argc, argv, 2, 4), jobs = number_of(argc, argv, 3, 4000);
    const unsigned pages = number_of(argc, argv, 4, 100000);
    if (!url) return fprintf(stderr, "bench_queue URL [WORKERS [JOBS [PAGES]]]\n"), 2;
    double start = sharc_clock_mono();
    add_jobs(url, jobs);
    printf("%u workers\n", workers);
    printf("jobs added      %9.0f /s\n", jobs / (sharc_clock_mono() - start));
    printf("claim, beat, done %7.0f /s\n", jobs / together(url, workers, 0, empty_queue));
    printf("page rows       %9.0f /s\n", (double)workers * pages / together(url, workers, pages, write_pages));
    printf("turns of hosts  %9.0f /s\n", workers * 2000.0 / together(url, workers, 2000, take_turns));
    return 0;
}

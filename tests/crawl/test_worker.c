/* SPDX-License-Identifier: Apache-2.0
 *
 * Captures that workers make for a job: killed at any request, another one goes on; asleep at any request while
 * another one brings it to its end, and then awake again, a worker writes not a row and harms no file.
 */
#include "world.h"

#include "sharc/base_file.h"
#include "sharc/store_job.h"
#include "sharc/warc_verify.h"

#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

enum { PAGES = 10 };
#define H "http://site.test"

struct site10 {
    struct web_page web[PAGES];
    char url[PAGES][40], body[PAGES][120];
};

static void make_site(struct site10 *s)
{
    for (size_t i = 0; i < PAGES; i++) {
        snprintf(s->url[i], sizeof s->url[i], H "/%s%.0zu", i ? "p" : "", i);
        snprintf(s->body[i], sizeof s->body[i], "<a href=/p%zu>a</a> <a href=/p%zu>b</a> page %zu", 2 * i + 1,
                 2 * i + 2, i);
        s->web[i] = (struct web_page){.url = s->url[i], .body = s->body[i]};
    }
}

static void add_job(const char *dir)
{
    struct sharc_err err = SHARC_ERR_INIT;
    SHARC_AUTO(sharc_freep) char *path = sharc_path_join(dir, "catalogue.db");
    struct sharc_store *s = NULL;
    if (sharc_store_open(path, NULL, &s, &err) < 0) fail_msg("%s", err.text);
    struct sharc_store_site site = {.name = SHARC_SPAN("site.test")};
    struct sharc_store_job j = {.kind = SHARC_SPAN("crawl"), .due = SHARC_TIME_NONE};
    sharc_store_id id;
    assert_int_equal(sharc_store_site_put(s, &site, &j.site, &err), 0);
    assert_int_equal(sharc_store_job_add(s, &j, &id, &err), 0);
    sharc_store_free(s);
}

/* A worker that has claimed the job, with a lease that runs out at once: whoever comes next takes it over. */
static struct sharc_job_claim worker_at(struct world *w, const struct site10 *s, const char *dir, const char *strategy,
                                        unsigned hours)
{
    struct sharc_err err = SHARC_ERR_INIT;
    struct sharc_store_job j;
    world_init(w, s->web, PAGES);
    w->clock.at += hours * SHARC_HOUR;
    test_rmdir(w->dir);
    w->dir = sharc_strdup(dir);
    w->o.archive = w->dir;
    w->o.strategy = sharc_strategy_find(strategy);
    w->o.commit_records = 3;
    w->o.params.focus_share = 0; /* every page twice, none a third time */
    w->o.pace.delay = 0;         /* turns of hosts go by the catalogue's clock, which is real */
    w->o.locked = true;
    sharc_store_free(w->store);
    SHARC_AUTO(sharc_freep) char *path = sharc_path_join(dir, "catalogue.db");
    if (sharc_store_open(path, NULL, &w->store, &err) < 0) fail_msg("%s", err.text);
    int r;
    while ((r = sharc_store_job_claim(w->store, NULL, SHARC_SPAN("w"), 1, &j, &err)) == 0) usleep(1000);
    if (r < 0) fail_msg("%s", err.text);
    w->o.job = (struct sharc_crawl_job){j.id, j.epoch, j.capture};
    sharc_store_fence(w->store, (struct sharc_job_claim){j.id, j.epoch}, SHARC_HOUR);
    return (struct sharc_job_claim){j.id, j.epoch};
}

/* The directory stays: others look at it. */
static void worker_done(struct world *w)
{
    free(w->dir);
    w->dir = test_mkdir();
    world_done(w);
}

/* Of each page: how often a file holds it as an answer. */
static void each_page_is_there(const char *dir, unsigned times)
{
    unsigned count[PAGES] = {0};
    struct site10 s;
    make_site(&s);
    SHARC_AUTO(sharc_freep) char *warcs = sharc_path_join(dir, "warcs");
    char **names = NULL;
    size_t n = 0;
    assert_int_equal(sharc_dir_list(warcs, &names, &n, NULL), 0);
    for (size_t i = 0; i < n; i++) {
        SHARC_AUTO(sharc_freep) char *path = sharc_path_join(warcs, names[i]);
        SHARC_AUTO(sharc_warc_closep) struct sharc_warc *w = NULL;
        struct sharc_record rec;
        struct sharc_err err = SHARC_ERR_INIT;
        if (!sharc_span_ends(sharc_span_of(names[i]), SHARC_SPAN(".warc.gz"))) fail_msg("%s is left", names[i]);
        assert_int_equal(sharc_warc_open(path, NULL, &w, &err), 0);
        int r;
        while ((r = sharc_warc_next(w, &rec, &err)) > 0)
            for (size_t k = 0; k < PAGES; k++)
                count[k] += (rec.type == SHARC_WARC_RESPONSE || rec.type == SHARC_WARC_REVISIT) &&
                            sharc_span_is(rec.target, s.url[k]);
        if (r < 0) fail_msg("%s: %s", names[i], err.text);
    }
    sharc_names_free(names, n);
    for (size_t k = 0; k < PAGES; k++)
        if (count[k] != times) fail_msg("%s is there %u times, not %u", s.url[k], count[k], times);
}

static size_t captures(struct sharc_store *store)
{
    struct sharc_store_capture_filter f = SHARC_STORE_CAPTURE_FILTER_INIT;
    struct sharc_store_rows *rows;
    struct sharc_store_capture c;
    size_t n = 0;
    assert_int_equal(sharc_store_captures(store, &f, &rows, NULL), 0);
    for (; sharc_store_rows_next(rows, NULL) > 0; n++) {
        sharc_store_read_capture(rows, &c);
        assert_int_equal(c.state, SHARC_CAPTURE_COMPLETE);
    }
    sharc_store_rows_free(rows);
    return n;
}

static void is_whole(struct world *w, const char *dir, unsigned times)
{
    struct sharc_crawl_summary m = world_summary(w, 0);
    assert_int_equal(m.phase, SHARC_CRAWL_DONE);
    if (!m.before) assert_int_equal(m.pages, PAGES);
    assert_int_equal(captures(w->store), 1);
    each_page_is_there(dir, times);
    SHARC_AUTO(sharc_freep) char *index = world_file(w, "index/job-1.cdxj");
    assert_non_null(strstr(index, "p9"));
}

/* --- killed ---------------------------------------------------------------------------- */

static bool work_and_die(const struct site10 *s, const char *dir, const char *strategy, size_t k, unsigned hours)
{
    fflush(NULL);
    pid_t child = fork();
    if (child == 0) {
        struct world w;
        (void)worker_at(&w, s, dir, strategy, hours);
        w.exit_at = k;
        (void)world_crawl(&w, H "/", NULL);
        _exit(0);
    }
    int status = 0;
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_true(WIFEXITED(status));
    return WEXITSTATUS(status) == 77;
}

static void killed(const char *strategy, unsigned times)
{
    static struct site10 s;
    make_site(&s);
    bool died = true;
    for (size_t k = 1; died && k < 60; k += 3) {
        char *dir = test_mkdir();
        add_job(dir);
        died = work_and_die(&s, dir, strategy, k, 0);
        if (died) (void)work_and_die(&s, dir, strategy, 4, 1);
        struct world w;
        const struct sharc_job_claim claim = worker_at(&w, &s, dir, strategy, 2);
        assert_int_equal(world_crawl(&w, H "/", NULL), 0);
        is_whole(&w, dir, times);
        assert_int_equal(sharc_store_job_done(w.store, claim, SHARC_TIME_NONE, NULL), 0);
        worker_done(&w);
        test_rmdir(dir);
    }
    assert_false(died);
}

static void killed_while_visiting(void **state)
{
    (void)state;
    killed("bfs", 1);
}

static void killed_while_revisiting(void **state)
{
    (void)state;
    killed("sharc-focus", 2);
}

/* --- asleep ----------------------------------------------------------------------------- */

struct sleep {
    const struct site10 *s;
    const char *dir, *strategy;
    size_t at;
    unsigned times;
    bool slept;
    char *rows; /* as they were when it woke up */
};
static struct sleep asleep;

static char *rows_of(const char *dir)
{
    SHARC_AUTO(sharc_buf_done) struct sharc_buf out = SHARC_BUF_INIT(16u << 20);
    SHARC_AUTO(sharc_freep) char *path = sharc_path_join(dir, "catalogue.db");
    struct sharc_store *s = NULL;
    assert_int_equal(sharc_store_open(path, NULL, &s, NULL), 0);
    static const char *const tables[] = {"capture", "page", "look", "grade", "warc", "skipped", "url", "site", "host"};
    for (size_t i = 0; i < SHARC_LENGTH(tables); i++) {
        struct sharc_store_rows *rows;
        assert_int_equal(sharc_store_table(s, tables[i], 0, &rows, NULL), 0);
        while (sharc_store_rows_next(rows, NULL) > 0)
            for (size_t c = 0; c < sharc_store_rows_columns(rows); c++) {
                struct sharc_store_value v;
                sharc_store_rows_value(rows, c, &v);
                sharc_buf_printf(&out, "%d %lld %g %.*s|", (int)v.type, (long long)v.i, v.d, SHARC_SPAN_ARG(v.s));
            }
        sharc_store_rows_free(rows);
    }
    sharc_store_free(s);
    return sharc_buf_take(&out);
}

/* While one sleeps in the middle of a request, another one takes over and comes to the end. */
static void another_one_does_it(struct world *w)
{
    if (asleep.slept || w->asked_count != asleep.at) return;
    asleep.slept = true;
    struct world b;
    const struct sharc_job_claim claim = worker_at(&b, asleep.s, asleep.dir, asleep.strategy, 2);
    assert_int_equal(world_crawl(&b, H "/", NULL), 0);
    is_whole(&b, asleep.dir, asleep.times);
    assert_int_equal(sharc_store_job_done(b.store, claim, SHARC_TIME_NONE, NULL), 0);
    worker_done(&b);
    asleep.rows = rows_of(asleep.dir);
}

static void slept(const char *strategy, unsigned times)
{
    static struct site10 s;
    make_site(&s);
    bool did = true;
    for (size_t k = 1; did && k < 60; k += 3) {
        char *dir = test_mkdir();
        add_job(dir);
        struct world a;
        asleep = (struct sleep){&s, dir, strategy, k, times, false, NULL};
        (void)worker_at(&a, &s, dir, strategy, 0);
        a.at_request = another_one_does_it;
        int r = world_crawl(&a, H "/", NULL);
        did = asleep.slept;
        assert_int_equal(r, did ? SHARC_EACCESS : 0);
        world_end_crawl(&a);
        SHARC_AUTO(sharc_freep) char *after = rows_of(dir);
        if (did) assert_string_equal(asleep.rows, after);
        free(asleep.rows);
        assert_int_equal(captures(a.store), 1);
        each_page_is_there(dir, times);
        worker_done(&a);
        test_rmdir(dir);
    }
    assert_false(did);
}

static void asleep_while_visiting(void **state)
{
    (void)state;
    slept("bfs", 1);
}

static void asleep_while_revisiting(void **state)
{
    (void)state;
    slept("sharc-focus", 2);
}

/* Complete, but its worker could not say so: the next one makes no second capture. */
static void done_and_not_told(void **state)
{
    (void)state;
    static struct site10 s;
    make_site(&s);
    char *dir = test_mkdir();
    add_job(dir);
    for (unsigned i = 0; i < 2; i++) {
        struct world w;
        (void)worker_at(&w, &s, dir, "bfs", i);
        assert_int_equal(world_crawl(&w, H "/", NULL), 0);
        is_whole(&w, dir, 1);
        if (i == 1) assert_int_equal(w.asked_count, 0);
        worker_done(&w);
    }
    test_rmdir(dir);
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(killed_while_visiting), cmocka_unit_test(killed_while_revisiting),
    cmocka_unit_test(asleep_while_visiting), cmocka_unit_test(asleep_while_revisiting),
    cmocka_unit_test(done_and_not_told),
};

TEST_MAIN(tests)

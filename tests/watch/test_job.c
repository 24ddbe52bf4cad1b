/* SPDX-License-Identifier: Apache-2.0
 *
 * The watch of a job: worker after worker takes it up, in virtual time. Hosts have no delay here, since turns go by the
 * clock of the catalogue, which is real.
 */
#include "../crawl/world.h"

#include "sharc/base_file.h"
#include "sharc/store_job.h"
#include "sharc/watch.h"
#include "sharc/watched.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

struct fleet {
    struct world world;
    struct sharc_store *queue; /* a connection without a fence */
    sharc_store_id job;
    struct sharc_watching_options o;
    struct sharc_watching_counts counts;
    struct sharc_err err;
    sharc_time next, lease;
    char remarks[4096];
    size_t steal_at; /* before so many requests were made somebody else claims the job; 0: nobody */
};

static const sharc_time often[] = {3 * SHARC_HOUR,  9 * SHARC_HOUR,  14 * SHARC_HOUR,
                                   25 * SHARC_HOUR, 36 * SHARC_HOUR, 50 * SHARC_HOUR};
static const struct web_page site[] = {
    {.url = "http://a.example/", .body = "<p>home <a href=/new>n</a>"},
    {.url = "http://a.example/news", .body = "<p>news ", .changes = often, .changes_count = SHARC_LENGTH(often)},
    {.url = "http://a.example/new", .body = "<p>new", .etag = true},
};

static void remarked(void *arg, const char *sentence)
{
    struct fleet *f = arg;
    size_t n = strlen(f->remarks);
    snprintf(f->remarks + n, sizeof f->remarks - n, "%s\n", sentence);
}

static struct sharc_store *open_store(struct fleet *f)
{
    SHARC_AUTO(sharc_freep) char *path = sharc_asprintf("sqlite:%s/catalogue.db", f->world.dir);
    struct sharc_store *s = NULL;
    if (sharc_store_open(path, NULL, &s, &f->err) < 0) fail_msg("%s", f->err.text);
    return s;
}

static void add_job(struct fleet *f)
{
    const struct sharc_store_site row = {.name = SHARC_SPAN("a.example")};
    struct sharc_store_job j = {.kind = SHARC_SPAN("watch"), .params = SHARC_SPAN("{}"), .due = SHARC_TIME_NONE};
    int r = sharc_store_site_put(f->queue, &row, &j.site, &f->err);
    if (r == 0) r = sharc_store_job_add(f->queue, &j, &f->job, &f->err);
    if (r < 0) fail_msg("%s", f->err.text);
}

static void begin(struct fleet *f, const char *const *pages, size_t n)
{
    *f = (struct fleet){.o = SHARC_WATCHING_OPTIONS, .err = SHARC_ERR_INIT};
    world_init(&f->world, site, SHARC_LENGTH(site));
    sharc_store_freep(&f->world.store);
    f->queue = open_store(f);
    f->o.crawl = f->world.o;
    f->o.crawl.reach = SHARC_REACH_PAGE;
    f->o.crawl.pace.delay = 0;
    f->o.crawl.locked = true;
    f->o.per_hour = 2;
    f->o.pages = pages;
    f->o.pages_count = n;
    f->lease = SHARC_HOUR;
    f->o.idle = 10 * SHARC_MINUTE;
    add_job(f);
}

static void end(struct fleet *f)
{
    sharc_store_free(f->queue);
    world_done(&f->world);
}

static struct sharc_job_claim claim(struct fleet *f, sharc_store_id *ret_capture)
{
    struct sharc_store_job j;
    int r = sharc_store_job_wish(f->queue, f->job, SHARC_JOB_RETRY, NULL); /* due now, by the real clock */
    r = sharc_store_job_claim(f->queue, "watch", SHARC_SPAN("ann"), f->lease, &j, &f->err);
    if (r != 1) fail_msg("%d: %s", r, f->err.text);
    assert_int_equal(j.id, f->job);
    *ret_capture = j.capture;
    return (struct sharc_job_claim){j.id, j.epoch};
}

static void steal(struct world *w)
{
    struct fleet *f = (struct fleet *)w; /* its first member */
    if (f->steal_at == 0 || w->asked_count < f->steal_at) return;
    f->steal_at = 0;
    struct sharc_store_job j;
    int r;
    while ((r = sharc_store_job_claim(f->queue, "watch", SHARC_SPAN("bob"), SHARC_HOUR, &j, &f->err)) == 0)
        usleep(1000);
    if (r < 0) fail_msg("%s", f->err.text);
}

/* One turn of one worker. */
static int turn_of(struct fleet *f, struct sharc_job_claim c, sharc_store_id capture)
{
    struct sharc_store *store = open_store(f);
    struct sharc_watching *w = NULL;
    const struct sharc_watching_world world = {
        .clock = &f->world.clock.clock, .fetcher = f->world.fetcher, .store = store, .remark = remarked, .arg = f};
    sharc_store_fence(store, c, SHARC_HOUR);
    f->o.crawl.job = (struct sharc_crawl_job){c.job, c.epoch, capture};
    int r = sharc_watching_new(&f->o, &world, &w, &f->err);
    if (r == 0) r = sharc_watching_run(w, &f->err);
    if (w) {
        sharc_watching_counts(w, &f->counts);
        f->next = sharc_watching_next(w);
    }
    sharc_watching_freep(&w);
    sharc_store_free(store);
    return r;
}

static void turn(struct fleet *f)
{
    sharc_store_id capture;
    const struct sharc_job_claim c = claim(f, &capture);
    if (turn_of(f, c, capture) < 0) fail_msg("%s", f->err.text);
    if (sharc_store_job_again(f->queue, c, f->next, &f->err) < 0) fail_msg("%s", f->err.text);
}

/* Files of the archive with such a piece in their names. */
static unsigned files_with(struct fleet *f, const char *piece)
{
    SHARC_AUTO(sharc_freep) char *path = sharc_path_join(f->world.dir, "warcs");
    unsigned n = 0;
    DIR *d = opendir(path);
    for (struct dirent *e; d && (e = readdir(d));) n += strstr(e->d_name, piece) != NULL;
    if (d) closedir(d);
    return n;
}

struct sum {
    unsigned looks, first, changed, lost;
};

static struct sum looks(struct fleet *f)
{
    SHARC_AUTO(sharc_store_rows_freep) struct sharc_store_rows *rows = NULL;
    struct sharc_store_watch_filter filter = SHARC_STORE_WATCH_FILTER_INIT;
    struct sum s = {0};
    int r = sharc_store_watch_looks(f->queue, &filter, &rows, &f->err);
    while (r >= 0 && (r = sharc_store_rows_next(rows, &f->err)) > 0) {
        struct sharc_store_watch_look l;
        sharc_store_read_watch_look(rows, &l);
        s.looks++;
        s.first += l.shown == SHARC_SHOWN_FIRST;
        s.changed += l.shown == SHARC_SHOWN_CHANGED;
        s.lost += l.place.warc == 0;
    }
    if (r < 0) fail_msg("%s", f->err.text);
    return s;
}

static const char *const two[] = {"http://a.example/", "http://a.example/news weight=3"};

static void turns_are_one_watch(void **state)
{
    (void)state;
    struct fleet f;
    unsigned turns = 0, requests = 0;
    begin(&f, two, SHARC_LENGTH(two));
    const sharc_time last = f.world.began + 60 * SHARC_HOUR;
    for (; f.world.clock.at < last; turns++) {
        turn(&f);
        requests += (unsigned)f.counts.requests;
        assert_true(f.next > f.world.clock.at && f.next != SHARC_TIME_NONE);
        f.world.clock.at = f.next; /* as the queue waits */
    }
    assert_true(turns > 20);
    assert_in_range(requests, 100, 2 * 60 + 2); /* two an hour, whoever makes them */
    const struct sum s = looks(&f);
    assert_int_equal(s.first, 2);
    assert_true(s.changed >= 5);
    assert_int_equal(s.lost, 0);
    assert_int_equal(world_asked(&f.world, "http://a.example/robots.txt"), 3); /* once a day: it is remembered */
    assert_string_equal(f.remarks, "");
    assert_int_equal(files_with(&f, "-j1e2-"), 1);
    assert_int_equal(files_with(&f, ".open"), 0);
    struct sharc_store_job j;
    assert_int_equal(sharc_store_job_get(f.queue, f.job, &j, &f.err), 0);
    assert_int_equal(j.state, SHARC_JOB_QUEUED);
    assert_int_equal(j.due, f.next);
    assert_true(j.capture > 0);
    end(&f);
}

static void a_thief_gets_all_that_was_committed_and_nothing_later(void **state)
{
    (void)state;
    struct fleet f;
    sharc_store_id capture;
    begin(&f, two, SHARC_LENGTH(two));
    f.o.per_hour = 60;
    f.o.shortest = SHARC_MINUTE;
    f.o.crawl.commit_time = 1;
    f.world.at_request = steal;
    f.steal_at = 40;
    f.lease = 1; /* it runs out at once */
    const struct sharc_job_claim c = claim(&f, &capture);
    assert_int_equal(turn_of(&f, c, capture), SHARC_EACCESS);
    const struct sum before = looks(&f);
    assert_in_range(before.looks, 36, 39);
    f.world.at_request = NULL;
    struct sharc_store_job j;
    assert_int_equal(sharc_store_job_get(f.queue, f.job, &j, &f.err), 0);
    assert_int_equal(j.epoch, c.epoch + 1);
    f.o.requests = 30;
    if (turn_of(&f, (struct sharc_job_claim){j.id, j.epoch}, j.capture) < 0) fail_msg("%s", f.err.text);
    const struct sum after = looks(&f);
    assert_int_equal(after.looks, before.looks + f.counts.looks);
    assert_int_equal(after.first, 2);
    assert_int_equal(after.lost, 0);
    assert_int_equal(files_with(&f, ".open") + files_with(&f, ".taken"), 0);
    assert_int_equal(files_with(&f, "-j1e1-"), 1);
    assert_int_equal(files_with(&f, "-j1e2-"), 1);
    assert_string_equal(f.remarks, "");
    end(&f);
}

static void pages_are_named_once_for_each_job(void **state)
{
    (void)state;
    struct fleet f;
    static const char *const three[] = {"http://a.example/", "http://a.example/news", "http://a.example/new"};
    begin(&f, two, SHARC_LENGTH(two));
    turn(&f);
    f.o.pages = three;
    f.o.pages_count = SHARC_LENGTH(three);
    f.world.clock.at = f.next;
    turn(&f); /* the same job: nothing new */
    f.world.clock.at = f.next + SHARC_DAY;
    turn(&f);
    assert_int_equal(world_asked(&f.world, "http://a.example/new"), 0);
    if (sharc_store_job_wish(f.queue, f.job, SHARC_JOB_CANCEL, &f.err) < 0) fail_msg("%s", f.err.text);
    add_job(&f);
    turn(&f);
    f.world.clock.at = f.next + SHARC_DAY;
    turn(&f);
    assert_true(world_asked(&f.world, "http://a.example/new") > 0);
    assert_int_equal(looks(&f).first, 3); /* the others are known from the job before */
    end(&f);
}

static void a_watch_without_a_job_is_taken_up_and_left_alone_then(void **state)
{
    (void)state;
    struct fleet f;
    begin(&f, two, SHARC_LENGTH(two));
    struct sharc_watching *w = NULL;
    struct sharc_watching_options alone = f.o;
    const struct sharc_watching_world world = {
        .clock = &f.world.clock.clock, .fetcher = f.world.fetcher, .store = f.queue, .remark = remarked, .arg = &f};
    alone.pages_count = 0;
    alone.idle = 0;
    alone.time = SHARC_DAY;
    alone.crawl.job.id = 0;
    alone.crawl.locked = false;
    const struct sharc_watching_page usual = {0};
    assert_int_equal(sharc_watching_new(&alone, &world, &w, &f.err), 0);
    assert_int_equal(sharc_watching_name(w, SHARC_SPAN("http://b.example/"), &usual, &f.err), 0);
    assert_int_equal(sharc_watching_name(w, SHARC_SPAN("http://a.example/"), &usual, &f.err), 0);
    assert_int_equal(sharc_watching_name(w, SHARC_SPAN("http://a.example/news"), &usual, &f.err), 0);
    assert_int_equal(sharc_watching_run(w, &f.err), 0);
    sharc_watching_freep(&w);
    turn(&f);
    assert_int_equal(looks(&f).first, 2); /* not again */
    /* The watch without a job keeps b.example, and does not touch a.example. */
    assert_int_equal(sharc_watching_new(&alone, &world, &w, &f.err), 0);
    assert_int_equal(sharc_watching_pages(w), 1);
    assert_int_equal(sharc_watching_name(w, SHARC_SPAN("http://a.example/"), &usual, &f.err), SHARC_EINVAL);
    sharc_watching_freep(&w);
    struct sharc_watched_status s;
    assert_int_equal(sharc_watched_status(f.queue, 0, f.world.clock.at, 10, &s, &f.err), 0);
    assert_int_equal(s.pages, 3);
    assert_int_equal(s.count, 3);
    sharc_watched_status_done(&s);
    end(&f);
}

static void a_job_watches_one_site(void **state)
{
    (void)state;
    struct fleet f;
    static const char *const strangers[] = {"http://a.example/", "http://b.example/"};
    sharc_store_id capture;
    begin(&f, strangers, SHARC_LENGTH(strangers));
    const struct sharc_job_claim c = claim(&f, &capture);
    assert_int_equal(turn_of(&f, c, capture), SHARC_EINVAL);
    assert_non_null(strstr(f.err.text, "b.example"));
    end(&f);
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(turns_are_one_watch),
    cmocka_unit_test(a_thief_gets_all_that_was_committed_and_nothing_later),
    cmocka_unit_test(pages_are_named_once_for_each_job),
    cmocka_unit_test(a_watch_without_a_job_is_taken_up_and_left_alone_then),
    cmocka_unit_test(a_job_watches_one_site),
};
TEST_MAIN(tests)

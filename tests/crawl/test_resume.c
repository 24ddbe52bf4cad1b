/* SPDX-License-Identifier: Apache-2.0
 *
 * A crawl that is cut off goes on where it was: killed at every step, stopped by
 * a signal, left by a full disk of the catalogue.
 */
#include "world.h"

#include "sharc/base_file.h"
#include "sharc/cdx.h"
#include "sharc/cdx_build.h"
#include "sharc/warc_verify.h"

#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

enum { PAGES = 14 };
#define H "http://site.test"

struct site14 {
    struct web_page web[PAGES + 2];
    char url[PAGES][40], body[PAGES][120];
};

static void make_site(struct site14 *s)
{
    static const char *const ages[] = {"Last-Modified: Tue, 14 Nov 2023 21:00:00 GMT\r\n",
                                       "Last-Modified: Sun, 12 Nov 2023 21:00:00 GMT\r\n",
                                       "Last-Modified: Wed, 01 Jan 2020 21:00:00 GMT\r\n"};
    for (size_t i = 0; i < PAGES; i++) {
        snprintf(s->url[i], sizeof s->url[i], H "/%s%.0zu", i ? "p" : "", i);
        snprintf(s->body[i], sizeof s->body[i], "<a href=/p%zu>a</a> <a href=/p%zu>b</a> %s", 2 * i + 1, 2 * i + 2,
                 i == 3 ? "<img src=/i.png>" : "");
        s->web[i] = (struct web_page){.url = s->url[i], .body = s->body[i], .etag = i % 3 == 0};
        /* Ages of all kinds: what they teach is a part of what must come back. */
        if (i % 3 == 0) s->web[i].fields = ages[i / 3 % SHARC_LENGTH(ages)];
    }
    s->web[PAGES] = (struct web_page){.url = H "/i.png", .type = "image/png", .body = "png"};
    s->web[PAGES + 1] = (struct web_page){.url = H "/robots.txt", .type = "text/plain", .body = "Sitemap: /map.xml\n"};
}

static unsigned threads; /* of the crawls; with some, a thread of its own writes the rows */

/* The world on an archive that is there already, with its catalogue in a file. */
static void world_at(struct world *w, const struct site14 *s, char *dir, const char *strategy, unsigned hours)
{
    struct sharc_err err = SHARC_ERR_INIT;
    world_init(w, s->web, SHARC_LENGTH(s->web));
    w->clock.at += hours * SHARC_HOUR; /* time goes on while nothing runs */
    test_rmdir(w->dir);
    w->dir = dir;
    w->o.archive = dir;
    w->o.no_sitemaps = false;
    w->o.strategy = sharc_strategy_find(strategy);
    w->o.commit_records = 3;
    w->o.commit_time = 0;
    w->o.threads = threads;
    sharc_store_free(w->store);
    SHARC_AUTO(sharc_freep) char *path = sharc_path_join(dir, "catalogue.db");
    if (sharc_store_open(path, NULL, &w->store, &err) < 0) fail_msg("%s", err.text);
}

/* Run until the k-th request, then die without a word. False: it was over before. */
static bool run_and_die(const struct site14 *s, const char *dir, const char *strategy, size_t k, unsigned hours)
{
    fflush(NULL);
    pid_t child = fork();
    if (child == 0) {
        struct world w;
        world_at(&w, s, sharc_strdup(dir), strategy, hours);
        w.exit_at = k;
        (void)world_crawl(&w, H "/", NULL);
        _exit(0);
    }
    int status = 0;
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_true(WIFEXITED(status));
    return WEXITSTATUS(status) == 77;
}

/* Whatever happened on the way: the index is what the files give when they are read. */
static void check_index(const struct world *w)
{
    SHARC_AUTO(sharc_freep) char *dir = sharc_path_join(w->dir, "warcs");
    SHARC_AUTO(sharc_freep) char *output = sharc_path_join(w->dir, "fresh.cdxj");
    struct sharc_cdx_build o = {.threads = 1, .fresh = true};
    struct sharc_cdx_built built;
    const char *input = dir;
    assert_int_equal(sharc_cdx_build(&input, 1, output, NULL, NULL, &o, &built, NULL), 0);
    SHARC_AUTO(sharc_freep) char *fresh = world_file(w, "fresh.cdxj");
    SHARC_AUTO(sharc_freep) char *made = world_file(w, "index/index.cdxj");
    assert_string_equal(made, fresh);
    assert_true(built.lines > PAGES);
}

static void check_archive(const struct world *w)
{
    struct sharc_crawl_summary s = world_summary(w, 0);
    assert_int_equal(s.phase, SHARC_CRAWL_DONE);
    assert_int_equal(s.pages, PAGES + 1);
    struct sharc_err err = SHARC_ERR_INIT;
    SHARC_AUTO(sharc_freep) char *dir = sharc_path_join(w->dir, "warcs");
    char **names = NULL;
    size_t count = 0;
    assert_int_equal(sharc_dir_list(dir, &names, &count, &err), 0);
    for (size_t i = 0; i < count; i++) assert_true(sharc_span_ends(sharc_span_of(names[i]), SHARC_SPAN(".warc.gz")));
    sharc_names_free(names, count);
    check_index(w);
}

static void killed_at_every_request(const char *strategy)
{
    static struct site14 s;
    make_site(&s);
    bool died = true;
    for (size_t k = 1; died && k < 100; k += 2) {
        char *dir = test_mkdir();
        died = run_and_die(&s, dir, strategy, k, 0);
        /* A second time, a little later. */
        if (died) (void)run_and_die(&s, dir, strategy, 4, 1);
        struct world w;
        world_at(&w, &s, dir, strategy, 2);
        if (died) {
            assert_int_equal(world_crawl(&w, H "/", NULL), 0);
            check_archive(&w);
            if (sharc_strategy_find(strategy)->revisits) assert_int_equal(world_summary(&w, 0).coherent, PAGES + 1);
        }
        world_done(&w);
    }
    assert_false(died);
}

static void killed_while_visiting(void **state)
{
    (void)state;
    killed_at_every_request("bfs");
}

static void killed_while_revisiting(void **state)
{
    (void)state;
    killed_at_every_request("sharc-focus");
}

static void killed_while_a_thread_writes(void **state)
{
    (void)state;
    threads = 2;
    killed_at_every_request("sharc-focus");
    threads = 0;
}

/* Any call of the catalogue, while the loop or a thread writes, finds the disk full; the crawl goes on when there is
 * room again, and is killed a little later. What it found on the way must not be missing when it goes on. */
static void killed_after_a_full_disk(void **state)
{
    (void)state;
    static struct site14 s;
    make_site(&s);
    unsigned died = 0;
    for (unsigned n = 1; n <= 300; n += 23) {
        char *dir = test_mkdir();
        threads = n % 2 ? 2 : 0;
        fflush(NULL);
        pid_t child = fork();
        if (child == 0) {
            struct world w;
            world_at(&w, &s, sharc_strdup(dir), "sharc-focus", 0);
            w.exit_at = 8 + n % 16;
            w.o.commit_records = 1 + n % 3;
            sharc_store_fail_at(w.store, n, SHARC_ENOSPC);
            _exit(world_crawl(&w, H "/", NULL) < 0 ? 78 : 0);
        }
        int status = 0;
        assert_int_equal(waitpid(child, &status, 0), child);
        assert_true(WIFEXITED(status));
        died += WEXITSTATUS(status) == 77;
        assert_int_not_equal(WEXITSTATUS(status), 0);
        struct world w;
        world_at(&w, &s, dir, "sharc-focus", 1);
        assert_int_equal(world_crawl(&w, H "/", NULL), 0);
        check_archive(&w);
        world_done(&w);
    }
    assert_true(died > 4);
    threads = 0;
}

/* robots.txt was read, and a list that it names was not: the list must not wait for ever for the robots.txt that is
 * asked for again. */
static void killed_before_the_first_page(void **state)
{
    (void)state;
    static struct site14 s;
    make_site(&s);
    for (size_t k = 1; k <= 4; k++) {
        char *dir = test_mkdir();
        fflush(NULL);
        pid_t child = fork();
        if (child == 0) {
            struct world w;
            world_at(&w, &s, sharc_strdup(dir), "bfs", 0);
            w.o.commit_records = 1;
            w.exit_at = k;
            (void)world_crawl(&w, H "/", NULL);
            _exit(0);
        }
        int status = 0;
        assert_int_equal(waitpid(child, &status, 0), child);
        assert_true(WIFEXITED(status) && WEXITSTATUS(status) == 77);
        struct world w;
        world_at(&w, &s, dir, "bfs", 1);
        assert_int_equal(world_crawl(&w, H "/", NULL), 0);
        check_archive(&w);
        world_done(&w);
    }
}

/* What another version wrote down may mean something else. */
static void captures_of_other_versions_are_left_alone(void **state)
{
    (void)state;
    static struct site14 s;
    struct sharc_err err = SHARC_ERR_INIT;
    struct world w;
    make_site(&s);
    world_init(&w, s.web, SHARC_LENGTH(s.web));
    w.die_at = 5;
    w.stops = 1;
    assert_int_equal(world_crawl(&w, H "/", NULL), SHARC_EINTR);
    world_end_crawl(&w);
    w.die_at = 0;
    struct sharc_store_capture update = SHARC_STORE_CAPTURE_INIT;
    assert_int_equal(sharc_store_capture_find(w.store, SHARC_SPAN("latest"), &update.id, &err), 0);
    update.params = SHARC_SPAN("{\"journal\":1}");
    update.state = SHARC_CAPTURE_INTERRUPTED;
    assert_int_equal(sharc_store_capture_update(w.store, &update, &err), 0);
    size_t before = w.asked_count;
    assert_int_equal(world_crawl(&w, H "/", NULL), SHARC_EUNSUPPORTED);
    assert_int_equal(w.asked_count, before);
    world_end_crawl(&w);
    w.o.fresh = true;
    assert_int_equal(world_crawl(&w, H "/", NULL), 0);
    check_archive(&w);
    world_done(&w);
}

static void stopped_by_a_signal(void **state)
{
    (void)state;
    static struct site14 s;
    make_site(&s);
    for (int stops = 1; stops <= 2; stops++) {
        struct world w;
        world_at(&w, &s, test_mkdir(), "bfs-lifo", 0);
        w.latency = 100 * SHARC_MSEC;
        w.die_at = 8;
        w.stops = stops;
        assert_int_equal(world_crawl(&w, H "/", NULL), SHARC_EINTR);
        assert_int_equal(world_summary(&w, 0).phase, SHARC_CRAWL_SUSPENDED);
        assert_int_equal(w.asked_count, 8);
        world_end_crawl(&w);
        w.die_at = 0;
        w.clock.at += 2 * SHARC_HOUR;
        assert_int_equal(world_crawl(&w, H "/", NULL), 0);
        check_archive(&w);
        struct sharc_crawl_summary sum = world_summary(&w, 0);
        assert_true(sum.resumed);
        assert_true(sum.interrupted >= 2 * SHARC_HOUR);
        world_done(&w);
    }
}

static int collect(void *arg, struct sharc_span url, struct sharc_err *reterr)
{
    (void)reterr;
    struct sharc_buf *all = arg;
    sharc_buf_printf(all, "%s%.*s", all->n ? " " : "", SHARC_SPAN_ARG(url));
    return 0;
}

/* Three sites, one after the other: one is done, one in progress, one not begun when the crawl is stopped. */
static void sites_that_are_done_are_not_captured_again(void **state)
{
    (void)state;
    const struct web_page web[] = {
        {"http://a.test/", .body = "a"},  {"http://b.test/", .body = "<a href=/1>1</a><a href=/2>2</a>"},
        {"http://b.test/1", .body = "1"}, {"http://b.test/2", .body = "2"},
        {"http://c.test/", .body = "c"},
    };
    struct world w;
    struct sharc_err err = SHARC_ERR_INIT;
    struct sharc_buf seeds = SHARC_BUF_INIT(1000);
    world_init(&w, web, SHARC_LENGTH(web));
    w.o.strategy = sharc_strategy_find("bfs");
    w.o.no_sitemaps = true;
    w.o.sites = 1;
    w.die_at = 5; /* two of a; robots.txt, / and /1 of b */
    w.stops = 1;
    assert_int_equal(world_crawl(&w, "http://a.test/", "http://b.test/", "http://c.test/", NULL), SHARC_EINTR);
    world_end_crawl(&w);
    assert_int_equal(sharc_crawl_unfinished(w.store, collect, &seeds, &err), 3);
    assert_string_equal(sharc_buf_str(&seeds), "http://a.test/ http://b.test/ http://c.test/");
    w.die_at = 0;
    assert_int_equal(world_crawl(&w, "http://a.test/", "http://b.test/", "http://c.test/", NULL), 0);
    assert_true(world_summary(&w, 0).before);
    assert_int_equal(world_summary(&w, 0).phase, SHARC_CRAWL_DONE);
    assert_true(world_summary(&w, 1).resumed);
    assert_false(world_summary(&w, 2).resumed);
    for (size_t i = 0; i < SHARC_LENGTH(web); i++) assert_int_equal(world_asked(&w, web[i].url), 1);
    assert_non_null(strstr(w.remarks, "a.test was captured before the interruption"));
    world_end_crawl(&w);
    /* Now all is done: nothing to resume, and the same seeds are a new run. */
    assert_int_equal(sharc_crawl_unfinished(w.store, collect, &seeds, &err), 0);
    assert_int_equal(world_crawl(&w, "http://a.test/", "http://b.test/", "http://c.test/", NULL), 0);
    assert_int_equal(world_asked(&w, "http://a.test/"), 2);
    sharc_buf_done(&seeds);
    world_done(&w);
}

/* A capture that was given up for a newer one is not taken up again. */
static void what_was_given_up_stays_so(void **state)
{
    (void)state;
    static struct site14 s;
    struct sharc_err err = SHARC_ERR_INIT;
    struct world w;
    make_site(&s);
    world_init(&w, s.web, SHARC_LENGTH(s.web));
    w.die_at = 5;
    w.stops = 1;
    assert_int_equal(world_crawl(&w, H "/", NULL), SHARC_EINTR);
    world_end_crawl(&w);
    w.die_at = 0;
    w.o.fresh = true;
    assert_int_equal(world_crawl(&w, H "/", NULL), 0);
    world_end_crawl(&w);
    w.o.fresh = false;
    assert_int_equal(sharc_crawl_unfinished(w.store, collect, NULL, &err), 0);
    assert_int_equal(world_crawl(&w, H "/", NULL), 0);
    assert_false(world_summary(&w, 0).resumed);
    world_done(&w);
}

static void a_second_capture_uses_the_first(void **state)
{
    (void)state;
    static struct site14 s;
    make_site(&s);
    struct world w;
    world_at(&w, &s, test_mkdir(), "bfs", 0);
    assert_int_equal(world_crawl(&w, H "/", NULL), 0);
    check_archive(&w);
    world_end_crawl(&w);
    for (int again = 0; again < 2; again++) {
        size_t before = w.asked_count;
        w.clock.at += SHARC_DAY;
        assert_int_equal(world_crawl(&w, H "/", NULL), 0);
        check_archive(&w);
        struct sharc_crawl_summary sum = world_summary(&w, 0);
        assert_false(sum.resumed);
        size_t conditional = 0;
        for (size_t i = before; i < w.asked_count; i++) conditional += w.asked[i].conditional;
        assert_int_equal(conditional, 5); /* pages 0, 3, 6, 9, 12 have an ETag */
        assert_int_equal(sum.not_modified, 5);
        assert_int_equal(sum.identical, PAGES + 1 - 5);
        world_end_crawl(&w);
    }
    world_done(&w);
}

/* Pages and images that the archive's WARC files hold whole. */
static unsigned stored_whole(const struct world *w)
{
    SHARC_AUTO(sharc_freep) char *warcs = sharc_path_join(w->dir, "warcs");
    char **names = NULL;
    size_t n = 0;
    unsigned count = 0;
    assert_int_equal(sharc_dir_list(warcs, &names, &n, NULL), 0);
    for (size_t i = 0; i < n; i++) {
        SHARC_AUTO(sharc_freep) char *path = sharc_path_join(warcs, names[i]);
        SHARC_AUTO(sharc_warc_closep) struct sharc_warc *file = NULL;
        struct sharc_record rec;
        assert_int_equal(sharc_warc_open(path, NULL, &file, NULL), 0);
        while (sharc_warc_next(file, &rec, NULL) > 0) {
            if (rec.type != SHARC_WARC_RESPONSE || sharc_span_ends(rec.target, SHARC_SPAN("/robots.txt"))) continue;
            const struct sharc_http *h = sharc_record_http(&rec);
            assert_non_null(h);
            count += h->status == 200;
        }
    }
    sharc_names_free(names, n);
    return count;
}

/* Neither a visit nor its second look is stored whole when an earlier capture holds the same bytes. */
static void what_is_there_is_not_stored_again(void **state)
{
    (void)state;
    static struct site14 s;
    make_site(&s);
    struct world w;
    world_at(&w, &s, test_mkdir(), "sharc-revisits", 0);
    assert_int_equal(world_crawl(&w, H "/", NULL), 0);
    world_end_crawl(&w);
    assert_int_equal(stored_whole(&w), PAGES + 1);
    w.clock.at += SHARC_DAY;
    assert_int_equal(world_crawl(&w, H "/", NULL), 0);
    assert_int_equal(world_summary(&w, 0).revisited, PAGES + 1);
    world_end_crawl(&w);
    assert_int_equal(stored_whole(&w), PAGES + 1);
    world_done(&w);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_is_there_is_not_stored_again),
        cmocka_unit_test(killed_before_the_first_page),
        cmocka_unit_test(killed_while_visiting),
        cmocka_unit_test(killed_while_revisiting),
        cmocka_unit_test(killed_while_a_thread_writes),
        cmocka_unit_test(killed_after_a_full_disk),
        cmocka_unit_test(captures_of_other_versions_are_left_alone),
        cmocka_unit_test(stopped_by_a_signal),
        cmocka_unit_test(sites_that_are_done_are_not_captured_again),
        cmocka_unit_test(what_was_given_up_stays_so),
        cmocka_unit_test(a_second_capture_uses_the_first),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

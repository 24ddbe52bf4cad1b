/* SPDX-License-Identifier: Apache-2.0
 *
 * How a crawl is steered, and what it says when it cannot go on: sites out of reach,
 * limits, settings changed while it runs.
 */
#include "world.h"

#include "sharc/base_file.h"

#include <stdio.h>
#include <stdlib.h>

#define H "http://site.test"

static bool said(const struct world *w, const char *words)
{
    if (strstr(w->remarks, words)) return true;
    print_message("not said: %s\nsaid:\n%s", words, w->remarks);
    return false;
}

/* --- sites out of reach ------------------------------------------------------------- */

static struct sharc_crawl_status status_then;

static void look_at_status(struct world *w)
{
    if (w->asked_count == 2) sharc_crawl_status(w->crawl, &status_then);
}

static void refused_connections_are_told(void **state)
{
    (void)state;
    const struct web_page web[] = {{H "/robots.txt", .fails = 99, .fail_as = -SHARC_FETCH_CONNECT}};
    struct world w;
    world_init(&w, web, SHARC_LENGTH(web));
    w.at_request = look_at_status;
    assert_int_equal(world_crawl(&w, H "/", NULL), SHARC_ENET);
    assert_true(
        said(&w, "site.test cannot be reached: no connection could be made; trying again in 10 s (attempt 2 of 4)\n"));
    assert_true(said(&w, "trying again in 40 s (attempt 3 of 4)\n"));
    assert_true(said(&w, "trying again in 2 min 40 s (attempt 4 of 4)\n"));
    assert_int_equal(w.asked_count, 4);
    assert_int_equal(status_then.troubled, 1);
    assert_string_equal(status_then.trouble_site, "site.test");
    struct sharc_crawl_summary s = world_summary(&w, 0);
    assert_int_equal(s.phase, SHARC_CRAWL_SUSPENDED);
    assert_true(s.unreached);
    assert_string_equal(s.why, "it cannot be reached: no connection could be made");
    world_done(&w);
}

static void names_without_address_are_told(void **state)
{
    (void)state;
    const struct web_page web[] = {{H "/robots.txt", .fails = 1, .fail_as = -SHARC_FETCH_DNS, .status = 404},
                                   {H "/", .body = "here"}};
    struct world w;
    world_init(&w, web, SHARC_LENGTH(web));
    assert_int_equal(world_crawl(&w, H "/", NULL), 0);
    assert_true(said(&w, "site.test cannot be reached: the host name has no address; trying again in 10 s"));
    assert_true(said(&w, "site.test answers again\n"));
    assert_int_equal(world_summary(&w, 0).pages, 1);
    assert_false(world_summary(&w, 0).unreached);
    world_done(&w);
}

static void robots_that_cannot_be_had_are_told(void **state)
{
    (void)state;
    const struct web_page web[] = {{H "/robots.txt", .fails = 2, .fail_as = 500, .fields = "Retry-After: 300\r\n",
                                    .status = 404},
                                   {H "/", .body = "here"},
                                   {"http://never.test/robots.txt", .fails = 99, .fail_as = 500}};
    struct world w;
    world_init(&w, web, SHARC_LENGTH(web));
    assert_int_equal(world_crawl(&w, H "/", "http://never.test/", NULL), SHARC_ENET);
    assert_true(
        said(&w,
             "site.test does not give its robots.txt: the server says 500; trying again in 5 min (attempt 2 of 4)"));
    assert_true(
        said(&w,
             "never.test does not give its robots.txt: the server says 500; trying again in 1 min (attempt 2 of 4)"));
    assert_true(said(&w, "never.test is left for another day: its robots.txt cannot be had: the server says 500\n"));
    assert_int_equal(world_summary(&w, 0).pages, 1);
    assert_int_equal(world_summary(&w, 1).phase, SHARC_CRAWL_SUSPENDED);
    assert_int_equal(world_asked(&w, H "/robots.txt"), 3);
    world_done(&w);
}

/* Nobody repairs a certificate within a minute. */
static void refused_certificates_end_it_at_once(void **state)
{
    (void)state;
    const struct web_page web[] = {{H "/robots.txt", .fails = 99, .fail_as = -SHARC_FETCH_TLS}};
    struct world w;
    world_init(&w, web, SHARC_LENGTH(web));
    assert_int_equal(world_crawl(&w, H "/", NULL), SHARC_ENET);
    assert_int_equal(w.asked_count, 1);
    assert_non_null(strstr(world_summary(&w, 0).why, "--ca-file"));
    world_done(&w);
}

static void seeds_without_a_page_have_a_reason(void **state)
{
    (void)state;
    const struct web_page web[] = {{H "/robots.txt", .type = "text/plain", .body = "User-agent: *\nDisallow: /no\n"}};
    struct world w;
    world_init(&w, web, SHARC_LENGTH(web));
    assert_int_equal(world_crawl(&w, H "/no", "http://b.test/", "http://c.test/", NULL), 0);
    assert_string_equal(world_summary(&w, 0).why, H "/no: robots.txt does not allow it");
    assert_string_equal(world_summary(&w, 1).why, "http://b.test/: the server says 404");
    assert_false(world_summary(&w, 1).unreached);
    world_done(&w);
}

/* --- limits of time -------------------------------------------------------------------- */

static void time_ends_while_waiting_for_robots(void **state)
{
    (void)state;
    const struct web_page web[] = {{H "/robots.txt", .fails = 9, .fail_as = 503, .fields = "Retry-After: 3600\r\n"}};
    struct world w;
    world_init(&w, web, SHARC_LENGTH(web));
    w.o.pace.time = SHARC_MINUTE;
    assert_int_equal(world_crawl(&w, H "/", NULL), 0);
    assert_int_equal(w.asked_count, 1);
    assert_int_equal(w.clock.at - w.began, SHARC_MINUTE);
    AUTO(sharc_freep) char *why = world_skipped(&w, H "/");
    assert_string_equal(why, "limit-time");
    world_done(&w);
}

static void time_ends_while_a_server_wants_peace(void **state)
{
    (void)state;
    const struct web_page web[] = {
        {H "/", .body = "<a href=/a>a</a><a href=/b>b</a>"},
        {H "/a", .fails = 9, .fail_as = 429, .fields = "Retry-After: 7200\r\n"},
        {H "/b", .body = "b"},
    };
    for (int evidence = 0; evidence < 2; evidence++) {
        struct world w;
        world_init(&w, web, SHARC_LENGTH(web));
        w.o.strategy = sharc_strategy_find(evidence ? "bfs-lifo" : "bfs");
        w.o.pace.time = SHARC_MINUTE;
        assert_int_equal(world_crawl(&w, H "/", NULL), 0);
        assert_in_range(w.clock.at - w.began, SHARC_MINUTE - SHARC_SEC, SHARC_MINUTE + SHARC_SEC);
        AUTO(sharc_freep) char *a = world_skipped(&w, H "/a");
        AUTO(sharc_freep) char *b = world_skipped(&w, H "/b");
        assert_string_equal(a, "limit-time");
        assert_string_equal(b, "limit-time");
        world_done(&w);
    }
}

enum { ROW = 100 };

/* A site of a hundred pages in a row of links, without an end in sight. */
static void world_of_row(struct world *w)
{
    static char body[ROW * 24];
    static char url[ROW][32];
    struct web_page web[ROW + 1] = {{H "/", .body = body}};
    body[0] = 0;
    for (size_t i = 0; i < ROW; i++) {
        snprintf(url[i], sizeof url[i], H "/p%zu", i);
        snprintf(body + strlen(body), sizeof body - strlen(body), "<a href=/p%zu>x</a>", i);
        web[i + 1] = (struct web_page){.url = url[i], .body = "leaf"};
    }
    world_init(w, web, ROW + 1);
    w->o.strategy = sharc_strategy_find("bfs");
}

/* Four hours in the drawer are not four hours of work. */
static void time_between_runs_does_not_count(void **state)
{
    (void)state;
    struct world w;
    world_of_row(&w);
    w.o.pace.time = 60 * SHARC_SEC;
    w.die_at = 30;
    w.stops = 1;
    assert_int_equal(world_crawl(&w, H "/", NULL), SHARC_EINTR);
    assert_int_equal(w.asked_count, 30);
    world_end_crawl(&w);
    w.clock.at += 4 * SHARC_HOUR;
    w.die_at = 0;
    assert_int_equal(world_crawl(&w, H "/", NULL), 0);
    assert_true(world_summary(&w, 0).resumed);
    assert_in_range(w.asked_count, 58, 63); /* robots.txt is asked for once more */
    world_done(&w);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(refused_connections_are_told),         cmocka_unit_test(names_without_address_are_told),
        cmocka_unit_test(robots_that_cannot_be_had_are_told),   cmocka_unit_test(refused_certificates_end_it_at_once),
        cmocka_unit_test(seeds_without_a_page_have_a_reason),   cmocka_unit_test(time_ends_while_waiting_for_robots),
        cmocka_unit_test(time_ends_while_a_server_wants_peace), cmocka_unit_test(time_between_runs_does_not_count),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

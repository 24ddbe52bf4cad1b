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

static uint64_t most_retries;

static void look_at_retries(struct world *w)
{
    struct sharc_crawl_status st;
    sharc_crawl_status(w->crawl, &st);
    if (st.retries)
        assert_true(st.next_retry > st.now);
    else
        assert_true(st.next_retry == SHARC_TIME_NONE);
    if (st.retries > most_retries) most_retries = st.retries;
    assert_true(st.looks <= st.revisited);
}

/* Who watches can tell a standstill from a page that waits for another try. */
static void pages_that_wait_for_a_retry_are_counted(void **state)
{
    (void)state;
    const struct web_page web[] = {
        {H "/", .body = "<a href=/a>a</a> <a href=/b>b</a> <a href=/c>c</a>"},
        {H "/a", .body = "a", .fails = 2, .fail_as = -SHARC_FETCH_RESET},
        {H "/b", .body = "b"},
        {H "/c", .body = "c"},
    };
    struct world w;
    world_init(&w, web, SHARC_LENGTH(web));
    w.o.strategy = sharc_strategy_find("bfs");
    w.at_request = look_at_retries;
    most_retries = 0;
    assert_int_equal(world_crawl(&w, H "/", NULL), 0);
    assert_int_equal(world_asked(&w, H "/a"), 3);
    assert_int_equal(most_retries, 1);
    struct sharc_crawl_status st;
    sharc_crawl_status(w.crawl, &st);
    assert_int_equal(st.retries, 0);
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
             "site.test does not deliver its robots.txt: the server says 500; trying again in 5 min (attempt 2 of 4)"));
    assert_true(said(
        &w, "never.test does not deliver its robots.txt: the server says 500; trying again in 1 min (attempt 2 of 4)"));
    assert_true(said(&w, "never.test was not finished: its robots.txt could not be fetched: the server says 500\n"));
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
    assert_non_null(strstr(world_summary(&w, 0).why, "\"ca-file\""));
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
    SHARC_AUTO(sharc_freep) char *why = world_skipped(&w, H "/");
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
        SHARC_AUTO(sharc_freep) char *a = world_skipped(&w, H "/a");
        SHARC_AUTO(sharc_freep) char *b = world_skipped(&w, H "/b");
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

/* --- settings changed while it runs -------------------------------------------------------- */

/* What is set when so many were asked. */
static struct {
    size_t when;
    const char *setting;
} orders[4];

static void give_orders(struct world *w)
{
    struct sharc_err err = SHARC_ERR_INIT;
    for (size_t i = 0; i < SHARC_LENGTH(orders); i++) {
        if (!orders[i].setting || orders[i].when != w->asked_count) continue;
        if (sharc_crawl_set(w->dir, sharc_span_of(orders[i].setting), 0, &err) < 0) fail_msg("%s", err.text);
    }
}

static void order(struct world *w, size_t when, const char *setting)
{
    memset(orders, 0, sizeof orders);
    orders[0].when = when;
    orders[0].setting = setting;
    w->at_request = give_orders;
    w->o.control = true;
}

static unsigned pages_asked(const struct world *w)
{
    unsigned n = 0;
    for (size_t i = 0; i < w->asked_count; i++) n += strstr(w->asked[i].url, "/robots.txt") == NULL;
    return n;
}

static uint64_t skipped_rows(const struct world *w, const char *reason)
{
    SHARC_AUTO(sharc_store_rows_freep) struct sharc_store_rows *rows = NULL;
    uint64_t n = 0;
    assert_int_equal(sharc_store_skipped(w->store, world_summary(w, 0).capture, reason, &rows, NULL), 0);
    while (sharc_store_rows_next(rows, NULL) > 0) n++;
    return n;
}

static void limit_of_pages_is_lifted(void **state)
{
    (void)state;
    struct world w;
    world_of_row(&w);
    w.o.pace.pages = 10;
    order(&w, 5, "limit-pages=30");
    assert_int_equal(world_crawl(&w, H "/", NULL), 0);
    assert_int_equal(pages_asked(&w), 30);
    assert_int_equal(world_summary(&w, 0).pages, 30);
    assert_int_equal(world_summary(&w, 0).skipped, ROW + 1 - 30);
    assert_int_equal(skipped_rows(&w, "limit-pages"), ROW + 1 - 30);
    SHARC_AUTO(sharc_freep) char *log = world_file(&w, "logs/crawl.log");
    assert_non_null(strstr(log, "sharc:set/limit-pages=30"));
    assert_non_null(strstr(log, " -5003          - sharc:limit-pages - - unknown #000 - - " H "/ limit-pages,urls:71"));
    unsigned lines = 0;
    for (const char *p = log; (p = strstr(p, " -5003 ")); p++) lines++;
    assert_int_equal(lines, 1);
    world_done(&w);
}

static void limit_of_pages_is_lowered_and_lifted(void **state)
{
    (void)state;
    struct world w;
    world_of_row(&w);
    w.o.pace.pages = 40;
    order(&w, 5, "limit-pages=8");
    orders[1].when = 6;
    orders[1].setting = "limit-pages=20";
    assert_int_equal(world_crawl(&w, H "/", NULL), 0);
    assert_int_equal(pages_asked(&w), 20);
    assert_int_equal(skipped_rows(&w, "limit-pages"), ROW + 1 - 20);
    world_done(&w);
}

static void limit_of_bytes_is_lifted_during_revisits(void **state)
{
    (void)state;
    struct world w;
    world_of_row(&w);
    w.o.strategy = sharc_strategy_find("bfs-lifo");
    w.o.pace.bytes = 4000; /* the first page and some leaves are half of it */
    order(&w, 60, "limit-bytes=1M");
    assert_int_equal(world_crawl(&w, H "/", NULL), 0);
    struct sharc_crawl_summary s = world_summary(&w, 0);
    assert_int_equal(s.pages, ROW + 1); /* all of them, in the end */
    assert_true(s.coherent < s.pages);
    assert_int_equal(skipped_rows(&w, "limit-bytes"), 0);
    world_done(&w);
}

static void scope_is_tightened(void **state)
{
    (void)state;
    struct world w;
    world_of_row(&w);
    order(&w, 5, "exclude=regex:/p[5-9]");
    assert_int_equal(world_crawl(&w, H "/", NULL), 0);
    assert_int_equal(skipped_rows(&w, "excluded"), 55);
    assert_int_equal(pages_asked(&w), ROW + 1 - 55);
    SHARC_AUTO(sharc_freep) char *why = world_skipped(&w, H "/p50");
    assert_string_equal(why, "excluded");
    world_done(&w);
}

static const struct web_page chain[] = {
    {H "/", .body = "<a href=/1>1</a> <a href=/x>x</a><a href=http://b.test/>b</a>"},
    {H "/x", .body = "x"},
    {H "/1", .body = "<a href=/2>2</a>"},
    {H "/2", .body = "<a href=/3>3</a>"},
    {H "/3", .body = "<a href=/4>4</a>"},
    {H "/4", .body = "end"},
    {"http://b.test/", .body = "elsewhere"},
};

static void depth_and_scope_are_widened(void **state)
{
    (void)state;
    const char *rules[] = {"+max-depth:1"};
    struct world w;
    world_init(&w, chain, SHARC_LENGTH(chain));
    w.o.strategy = sharc_strategy_find("dfs");
    w.o.rules = rules;
    w.o.rules_count = 1;
    order(&w, 3, "depth=3");
    orders[1].when = 4;
    orders[1].setting = "include=host:b.test";
    assert_int_equal(world_crawl(&w, H "/", NULL), 0);
    assert_int_equal(world_asked(&w, H "/3"), 1);
    assert_int_equal(world_asked(&w, H "/4"), 0);
    assert_int_equal(world_asked(&w, "http://b.test/"), 1);
    SHARC_AUTO(sharc_freep) char *four = world_skipped(&w, H "/4");
    SHARC_AUTO(sharc_freep) char *two = world_skipped(&w, H "/2");
    SHARC_AUTO(sharc_freep) char *b = world_skipped(&w, "http://b.test/");
    assert_string_equal(four, "depth");
    assert_string_equal(two, ""); /* skipped no more */
    assert_string_equal(b, "");
    world_done(&w);
}

static void depth_is_narrowed(void **state)
{
    (void)state;
    struct world w;
    world_init(&w, chain, SHARC_LENGTH(chain));
    w.o.strategy = sharc_strategy_find("bfs");
    order(&w, 3, "depth=2");
    assert_int_equal(world_crawl(&w, H "/", NULL), 0);
    assert_int_equal(world_asked(&w, H "/2"), 1);
    assert_int_equal(world_asked(&w, H "/3"), 0);
    world_done(&w);
}

/* The change is in the journal of the capture. */
static void changes_survive(void **state)
{
    (void)state;
    struct world w;
    world_of_row(&w);
    w.o.pace.pages = 10;
    order(&w, 4, "limit-pages=30");
    orders[1].when = 5;
    orders[1].setting = "exclude=regex:/p1";
    w.die_at = 8;
    w.stops = 2;
    assert_int_equal(world_crawl(&w, H "/", NULL), SHARC_EINTR);
    world_end_crawl(&w);
    w.die_at = 0;
    w.at_request = NULL;
    assert_int_equal(world_crawl(&w, H "/", NULL), 0);
    assert_true(said(&w, "keeping the earlier setting: limit-pages=30\n"));
    assert_true(said(&w, "keeping the earlier setting: exclude=regex:/p1\n"));
    assert_in_range(world_summary(&w, 0).pages, 20, 30);
    assert_int_equal(world_asked(&w, H "/p10"), 0);
    world_end_crawl(&w);

    /* Another limit on the command line is newer than the change. */
    world_done(&w);
    world_of_row(&w);
    w.o.pace.pages = 10;
    order(&w, 4, "limit-pages=30");
    w.die_at = 8;
    w.stops = 1;
    assert_int_equal(world_crawl(&w, H "/", NULL), SHARC_EINTR);
    world_end_crawl(&w);
    w.die_at = 0;
    w.at_request = NULL;
    w.o.pace.pages = 15;
    assert_int_equal(world_crawl(&w, H "/", NULL), 0);
    assert_in_range(world_summary(&w, 0).pages, 10, 15);
    world_done(&w);
}

/* --- media types ------------------------------------------------------------------------------- */

static const struct web_page many_types[] = {
    {H "/",
     .body =
         "<a href=/d.pdf>d</a><a href=/v>v</a><a href=/a>a</a><img src=/i.png><a href=/moved>m</a><a href=/no>n</a>"},
    {H "/d.pdf", .type = "application/PDF", .body = "%PDF"},
    {H "/v", .type = "video/mp4; codecs=x", .body = "a long film"},
    {H "/i.png", .type = "image/png", .body = "png"},
    {H "/a", .body = "a"},
    {H "/moved", .status = 301, .type = "video/mp4", .fields = "Location: /a\r\n"},
};

static void types_are_left_out(void **state)
{
    (void)state;
    static const char *const not_types[] = {"video/*", "application/pdf", "image/png>100"};
    for (int evidence = 0; evidence < 2; evidence++) {
        struct world w;
        world_init(&w, many_types, SHARC_LENGTH(many_types));
        w.o.strategy = sharc_strategy_find(evidence ? "bfs-lifo" : "bfs");
        w.o.not_types = not_types;
        w.o.not_types_count = SHARC_LENGTH(not_types);
        assert_int_equal(world_crawl(&w, H "/", NULL), 0);
        struct sharc_crawl_summary s = world_summary(&w, 0);
        assert_int_equal(s.pages, 4); /* with the redirect, and the image, which is small */
        assert_int_equal(s.failed, 0);
        assert_int_equal(s.skipped, 2);
        assert_int_equal(s.downloads, evidence ? 10 : 6);
        assert_int_equal(world_asked(&w, H "/v"), 1);
        SHARC_AUTO(sharc_freep) char *v = world_skipped(&w, H "/v");
        SHARC_AUTO(sharc_freep) char *d = world_skipped(&w, H "/d.pdf");
        assert_string_equal(v, "type");
        assert_string_equal(d, "type");
        SHARC_AUTO(sharc_freep) char *log = world_file(&w, "logs/crawl.log");
        assert_non_null(strstr(log, " -5001          0 " H "/v L " H "/ video/mp4 #000 "));
        world_done(&w);
    }
}

static void only_some_types(void **state)
{
    (void)state;
    static const char *const types[] = {"text/html"};
    struct world w;
    world_init(&w, many_types, SHARC_LENGTH(many_types));
    w.o.types = types;
    w.o.types_count = 1;
    w.o.pace.pages = 4; /* what is not wanted takes nobody's place */
    w.o.strategy = sharc_strategy_find("bfs");
    assert_int_equal(world_crawl(&w, H "/", NULL), 0);
    assert_int_equal(world_summary(&w, 0).pages, 3);
    assert_int_equal(world_asked(&w, H "/no"), 1);
    assert_int_equal(skipped_rows(&w, "type"), 3);
    assert_int_equal(skipped_rows(&w, "limit-pages"), 0);
    world_done(&w);
}

static void type_rules(void **state)
{
    (void)state;
    static const char *const good[] = {"text/html", "image/*", "video/*>50M", "application/vnd.ms-excel",
                                       "image/svg+xml > 1k"};
    static const char *const bad[] = {"",        "html",  "image/",        "/png",         "*/*",
                                      "text/h*", "a/b/c", "image/png>big", "text/html;q=1"};
    struct sharc_err err = SHARC_ERR_INIT;
    for (size_t i = 0; i < SHARC_LENGTH(good); i++)
        assert_int_equal(sharc_crawl_type_check(sharc_span_of(good[i]), &err), 0);
    for (size_t i = 0; i < SHARC_LENGTH(bad); i++) assert_true(sharc_crawl_type_check(sharc_span_of(bad[i]), &err) < 0);
}

/* --- settings read again --------------------------------------------------------------------- */

static void settings_are_read_again(void **state)
{
    (void)state;
    static const char *const rules[] = {"-regex:/p[5-9]"};
    struct world w;
    world_of_row(&w);
    w.o.pace.pages = 50;
    order(&w, 4, "delay=2s");
    orders[1].when = 8;
    orders[1].setting = "reload";
    w.reread = (struct sharc_crawl_reread){.pace = w.o.pace, .rules = rules, .rules_count = 1};
    w.reread.pace.pages = 20;
    assert_int_equal(world_crawl(&w, H "/", NULL), 0);
    assert_true(said(&w, "setting taken: limit-pages=20\n"));
    assert_true(said(&w, "the scope rules have changed: 1 is in force\n"));
    assert_int_equal(world_summary(&w, 0).pages, 20);
    assert_true(skipped_rows(&w, "excluded") > 30);
    /* What was not changed in the settings stays as --set has it. */
    assert_int_equal(w.asked[20].when - w.asked[19].when, 2 * SHARC_SEC);
    world_done(&w);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(refused_connections_are_told),
        cmocka_unit_test(pages_that_wait_for_a_retry_are_counted),
        cmocka_unit_test(names_without_address_are_told),
        cmocka_unit_test(robots_that_cannot_be_had_are_told),
        cmocka_unit_test(refused_certificates_end_it_at_once),
        cmocka_unit_test(seeds_without_a_page_have_a_reason),
        cmocka_unit_test(time_ends_while_waiting_for_robots),
        cmocka_unit_test(time_ends_while_a_server_wants_peace),
        cmocka_unit_test(time_between_runs_does_not_count),
        cmocka_unit_test(limit_of_pages_is_lifted),
        cmocka_unit_test(limit_of_pages_is_lowered_and_lifted),
        cmocka_unit_test(limit_of_bytes_is_lifted_during_revisits),
        cmocka_unit_test(scope_is_tightened),
        cmocka_unit_test(depth_and_scope_are_widened),
        cmocka_unit_test(depth_is_narrowed),
        cmocka_unit_test(changes_survive),
        cmocka_unit_test(types_are_left_out),
        cmocka_unit_test(only_some_types),
        cmocka_unit_test(type_rules),
        cmocka_unit_test(settings_are_read_again),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

/* SPDX-License-Identifier: Apache-2.0
 *
 * Settings of single sites: who has which delay, limits and rules, on whose hosts, and
 * what becomes of that when settings change while a crawl runs, or it is resumed.
 */
#include "world.h"

#include <stdio.h>
#include <stdlib.h>

#define A "http://a.test"
#define B "http://b.test"
#define C "http://cdn.test"
#define LINKS "<a href=/1>1</a> <a href=/2>2</a> <a href=/3>3</a> <a href=/4>4</a> <a href=/5>5</a>"

static const struct web_page two_sites[] = {
    {A "/", .body = LINKS}, {A "/1", .body = "1"}, {A "/2", .body = "2"},  {A "/3", .body = "3"},
    {A "/4", .body = "4"},  {A "/5", .body = "5"}, {B "/", .body = LINKS}, {B "/1", .body = "1"},
    {B "/2", .body = "2"},  {B "/3", .body = "3"}, {B "/4", .body = "4"},  {B "/5", .body = "5"},
};

static void begin(struct world *w, const struct web_page *web, size_t n, const char *const *own)
{
    world_init(w, web, n);
    w->o.strategy = sharc_strategy_find("bfs");
    w->own = own;
}

static bool is_on(const struct asked *a, const char *host)
{
    return strncmp(a->url, host, strlen(host)) == 0;
}

/* Time between the i-th request to a host (from 0) and the one before it. */
static sharc_time gap(const struct world *w, const char *host, size_t i)
{
    sharc_time before = SHARC_TIME_NONE;
    for (size_t k = 0, n = 0; k < w->asked_count; k++) {
        if (!is_on(&w->asked[k], host)) continue;
        if (n++ == i) return w->asked[k].when - before;
        before = w->asked[k].when;
    }
    fail_msg("%s was not asked so often", host);
    return 0;
}

static unsigned asked_on(const struct world *w, const char *host)
{
    unsigned n = 0;
    for (size_t k = 0; k < w->asked_count; k++) n += is_on(&w->asked[k], host);
    return n;
}

static bool said(const struct world *w, const char *words)
{
    if (strstr(w->remarks, words)) return true;
    print_message("not said: %s\nsaid:\n%s", words, w->remarks);
    return false;
}

/* --- each its own --------------------------------------------------------------------- */

static void sites_have_their_own_delays_and_limits(void **state)
{
    (void)state;
    const char *const own[] = {B "/x", "delay=10s", B "/", "limit-pages=3", NULL};
    struct world w;
    begin(&w, two_sites, SHARC_LENGTH(two_sites), own);
    assert_int_equal(world_crawl(&w, A "/", B "/", NULL), 0);
    assert_int_equal(asked_on(&w, A), 7); /* with robots.txt */
    assert_int_equal(asked_on(&w, B), 4);
    for (size_t i = 1; i < 7; i++) assert_int_equal(gap(&w, A, i), SHARC_SEC);
    for (size_t i = 1; i < 4; i++) assert_int_equal(gap(&w, B, i), 10 * SHARC_SEC);
    assert_int_equal(world_summary(&w, 0).pages, 6);
    assert_int_equal(world_summary(&w, 1).pages, 3);
    world_done(&w);
}

static void a_limit_of_time_or_bytes_may_be_one_sites(void **state)
{
    (void)state;
    const char *const own[] = {B "/", "limit-time=3s", A "/", "limit-bytes=50", NULL};
    struct world w;
    begin(&w, two_sites, SHARC_LENGTH(two_sites), own);
    assert_int_equal(world_crawl(&w, A "/", B "/", NULL), 0);
    assert_int_equal(world_summary(&w, 0).pages, 1);
    assert_int_equal(world_summary(&w, 1).pages, 2); /* after robots.txt, at 1 and 2 s */
    world_done(&w);
}

static void a_site_may_have_its_own_connections(void **state)
{
    (void)state;
    const char *const own[] = {A "/", "delay=0", A "/", "connections=2", NULL};
    struct world w;
    begin(&w, two_sites, SHARC_LENGTH(two_sites), own);
    w.latency = 100 * SHARC_MSEC;
    assert_int_equal(world_crawl(&w, A "/", B "/", NULL), 0);
    assert_int_equal(gap(&w, A, 2), 100 * SHARC_MSEC); /* after the first page */
    assert_int_equal(gap(&w, A, 3), 0);
    assert_int_equal(gap(&w, A, 4), 100 * SHARC_MSEC);
    assert_int_equal(gap(&w, A, 5), 0);
    for (size_t i = 1; i < 7; i++) assert_int_equal(gap(&w, B, i), 1100 * SHARC_MSEC);
    world_done(&w);
}

/* 0 takes the limit of all sites away. */
static void a_site_may_be_without_the_general_limit(void **state)
{
    (void)state;
    const char *const own[] = {B "/", "limit-pages=0", NULL};
    struct world w;
    begin(&w, two_sites, SHARC_LENGTH(two_sites), own);
    w.o.pace.pages = 2;
    assert_int_equal(world_crawl(&w, A "/", B "/", NULL), 0);
    assert_int_equal(world_summary(&w, 0).pages, 2);
    assert_int_equal(world_summary(&w, 1).pages, 6);
    world_done(&w);
}

static void rules_of_a_site_come_after_those_of_all(void **state)
{
    (void)state;
    const struct web_page web[] = {
        {A "/", .body = "<a href=/x/1>x</a> <a href=/y/1>y</a> <a href=" C "/p>p</a>"},
        {A "/x/1", .body = "<a href=/x/2>x</a>"},
        {A "/x/2", .body = "x"},
        {A "/y/1", .body = "y"},
        {B "/", .body = "<a href=/x/1>x</a> <a href=/y/1>y</a> <a href=" C "/p>p</a>"},
        {B "/x/1", .body = "<a href=/x/2>x</a>"},
        {B "/x/2", .body = "x"},
        {B "/y/1", .body = "y"},
        {C "/p", .body = "p"},
    };
    const char *const general[] = {"-glob:*/x/*"};
    /* Includes come first, in whatever order they are written. */
    const char *const own[] = {B "/", "exclude=*/y/*",   B "/", "depth=1", B "/", "include=*/x/*",
                               B "/", "include=" C "/*", NULL};
    struct world w;
    begin(&w, web, SHARC_LENGTH(web), own);
    w.o.rules = general;
    w.o.rules_count = 1;
    assert_int_equal(world_crawl(&w, A "/", B "/", NULL), 0);
    assert_int_equal(world_asked(&w, A "/x/1"), 0);
    assert_int_equal(world_asked(&w, A "/y/1"), 1);
    assert_int_equal(world_asked(&w, B "/x/1"), 1);
    assert_int_equal(world_asked(&w, B "/x/2"), 0); /* too deep */
    assert_int_equal(world_asked(&w, B "/y/1"), 0);
    assert_int_equal(world_asked(&w, C "/p"), 1);
    world_done(&w);
}

static void wrong_settings_are_refused(void **state)
{
    (void)state;
    const char *const twice[] = {B "/", "delay=10s", B "/x", "delay=10s", "http://www.b.test/", "delay=5s", NULL};
    const char *const unknown[] = {B "/", "dellay=10s", NULL};
    const char *const bad[] = {B "/", "delay=soon", NULL};
    const char *const endless[] = {B "/", "delay=400000d", NULL};
    const char *const no_site[] = {"ftp://b.test/", "delay=5s", NULL};
    const char *const *const all[] = {twice, unknown, bad, endless, no_site};
    for (size_t i = 0; i < SHARC_LENGTH(all); i++) {
        struct world w;
        begin(&w, two_sites, SHARC_LENGTH(two_sites), all[i]);
        assert_int_equal(world_crawl(&w, A "/", NULL), i == 0 ? SHARC_ECONFIG : SHARC_ESYNTAX);
        assert_int_equal(w.asked_count, 0);
        world_done(&w);
    }
    assert_true(sharc_crawl_same_site(SHARC_SPAN("http://www.b.test/x"), SHARC_SPAN("https://b.test/")));
    assert_false(sharc_crawl_same_site(SHARC_SPAN(A "/"), SHARC_SPAN(B "/")));
    assert_false(sharc_crawl_same_site(SHARC_SPAN("//"), SHARC_SPAN("//")));
}

/* --- on whose hosts ---------------------------------------------------------------------- */

static void hosts_that_share_a_delay_take_the_longest(void **state)
{
    (void)state;
    const char *const groups[] = {"a.test b.test"};
    const char *const own[] = {A "/", "delay=2s", B "/", "delay=10s", NULL};
    struct world w;
    begin(&w, two_sites, SHARC_LENGTH(two_sites), own);
    w.o.host_groups = groups;
    w.o.host_groups_count = 1;
    assert_int_equal(world_crawl(&w, A "/", B "/", NULL), 0);
    for (size_t i = 1; i < w.asked_count; i++) assert_int_equal(w.asked[i].when - w.asked[i - 1].when, 10 * SHARC_SEC);
    world_done(&w);
}

/* Its delay is kept by whoever asks the host, also when its site is not crawled now. */
static void the_delay_of_a_site_holds_for_guests(void **state)
{
    (void)state;
    const struct web_page web[] = {
        {A "/", .body = "<img src=" B "/1.png><img src=" B "/2.png><img src=" B "/3.png>"},
        {B "/1.png", .type = "image/png", .body = "1"},
        {B "/2.png", .type = "image/png", .body = "2"},
        {B "/3.png", .type = "image/png", .body = "3"},
        {B "/", .body = "b"},
    };
    const char *const own[] = {B "/", "delay=10s", NULL};
    for (int crawled = 0; crawled < 2; crawled++) {
        struct world w;
        begin(&w, web, SHARC_LENGTH(web), own);
        assert_int_equal(world_crawl(&w, A "/", crawled ? B "/" : NULL, NULL), 0);
        assert_int_equal(asked_on(&w, B), 4 + crawled);
        for (size_t i = 1; i < 4; i++) assert_int_equal(gap(&w, B, i), 10 * SHARC_SEC);
        world_done(&w);
    }
}

/* Who may be quick at home is no quicker elsewhere than everybody. */
static void a_short_delay_holds_at_home_only(void **state)
{
    (void)state;
    const struct web_page web[] = {
        {A "/", .status = 301, .fields = "Location: http://www.a.test/\r\n"},
        {"http://www.a.test/", .body = LINKS "<img src=" C "/1.png><img src=" C "/2.png>"},
        {"http://www.a.test/1", .body = "1"},
        {"http://www.a.test/2", .body = "2"},
        {C "/1.png", .type = "image/png", .body = "1"},
        {C "/2.png", .type = "image/png", .body = "2"},
    };
    const char *const own[] = {A "/", "delay=1s", NULL};
    struct world w;
    begin(&w, web, SHARC_LENGTH(web), own);
    w.o.pace.delay = 5 * SHARC_SEC;
    w.o.reach = SHARC_REACH_HOST;
    assert_int_equal(world_crawl(&w, A "/", NULL), 0);
    assert_int_equal(gap(&w, A, 1), SHARC_SEC);
    assert_int_equal(gap(&w, "http://www.a.test", 1), SHARC_SEC);
    assert_true(gap(&w, C, 1) >= 5 * SHARC_SEC);
    assert_true(gap(&w, C, 2) >= 5 * SHARC_SEC);
    world_done(&w);
}

/* --- while it runs --------------------------------------------------------------------------- */

static struct {
    size_t when;
    const char *setting;
} orders[2];

static void give_orders(struct world *w)
{
    struct sharc_err err = SHARC_ERR_INIT;
    for (size_t i = 0; i < SHARC_LENGTH(orders); i++) {
        if (!orders[i].setting || orders[i].when != w->asked_count) continue;
        if (sharc_crawl_set(w->dir, sharc_span_of(orders[i].setting), 0, &err) < 0) fail_msg("%s", err.text);
    }
}

static void order(struct world *w, size_t i, size_t when, const char *setting)
{
    if (i == 0) memset(orders, 0, sizeof orders);
    orders[i].when = when;
    orders[i].setting = setting;
    w->at_request = give_orders;
    w->o.control = true;
    w->reread = (struct sharc_crawl_reread){.pace = w->o.pace};
    w->own_again = w->own;
}

static void what_is_set_by_hand_holds_for_every_site(void **state)
{
    (void)state;
    const char *const own[] = {B "/", "delay=10s", NULL};
    struct world w;
    begin(&w, two_sites, SHARC_LENGTH(two_sites), own);
    order(&w, 0, 3, "delay=4s");
    order(&w, 1, 7, "reload"); /* nothing has changed: it stands */
    assert_int_equal(world_crawl(&w, A "/", B "/", NULL), 0);
    assert_int_equal(gap(&w, A, 6), 4 * SHARC_SEC);
    assert_int_equal(gap(&w, B, 6), 4 * SHARC_SEC);
    assert_true(said(&w, "nothing has changed"));
    world_done(&w);
}

static void a_new_general_value_leaves_a_sites_own(void **state)
{
    (void)state;
    const char *const own[] = {B "/", "delay=10s", NULL};
    struct world w;
    begin(&w, two_sites, SHARC_LENGTH(two_sites), own);
    order(&w, 0, 3, "reload");
    w.reread.pace.delay = 4 * SHARC_SEC;
    assert_int_equal(world_crawl(&w, A "/", B "/", NULL), 0);
    assert_int_equal(gap(&w, A, 6), 4 * SHARC_SEC);
    assert_int_equal(gap(&w, B, 6), 10 * SHARC_SEC);
    world_done(&w);
}

static void new_values_of_a_site_are_taken_over(void **state)
{
    (void)state;
    const char *const own[] = {B "/", "delay=10s", B "/", "limit-pages=3", NULL};
    const char *const again[] = {A "/", "exclude=*/5", B "/", "delay=7s", NULL};
    struct world w;
    begin(&w, two_sites, SHARC_LENGTH(two_sites), own);
    order(&w, 0, 3, "reload");
    w.own_again = again;
    assert_int_equal(world_crawl(&w, A "/", B "/", NULL), 0);
    assert_true(said(&w, "the settings of 2 sites have changed\n"));
    assert_int_equal(world_asked(&w, A "/5"), 0);
    assert_int_equal(world_summary(&w, 1).pages, 6); /* the general limit: none */
    assert_int_equal(gap(&w, B, 6), 7 * SHARC_SEC);
    world_done(&w);
}

static void wrong_new_values_change_nothing(void **state)
{
    (void)state;
    const char *const own[] = {B "/", "delay=10s", NULL};
    const char *const again[] = {B "/", "delay=2s", B "/", "limit-pages=many", NULL};
    struct world w;
    begin(&w, two_sites, SHARC_LENGTH(two_sites), own);
    order(&w, 0, 3, "reload");
    w.own_again = again;
    assert_int_equal(world_crawl(&w, A "/", B "/", NULL), 0);
    assert_true(said(&w, "the settings were not read again: "));
    assert_int_equal(gap(&w, B, 6), 10 * SHARC_SEC);
    world_done(&w);
}

/* --- resumed, and written down ----------------------------------------------------------------- */

static char *params_of(const struct world *w, const char *site)
{
    SHARC_AUTO(sharc_store_rows_freep) struct sharc_store_rows *rows = NULL;
    struct sharc_store_capture_filter f = SHARC_STORE_CAPTURE_FILTER_INIT;
    struct sharc_err err = SHARC_ERR_INIT;
    struct sharc_store_capture row;
    if (sharc_store_captures(w->store, &f, &rows, &err) < 0) fail_msg("%s", err.text);
    for (size_t i = 0; i < sharc_crawl_sites(w->crawl); i++) {
        struct sharc_crawl_summary s = world_summary(w, i);
        if (strcmp(s.name, site) != 0) continue;
        while (sharc_store_rows_next(rows, &err) > 0) {
            sharc_store_read_capture(rows, &row);
            if (row.id == s.capture) return sharc_span_dup(row.params);
        }
    }
    fail_msg("no capture of %s", site);
    return NULL;
}

static void the_captures_parameters_are_those_of_the_site(void **state)
{
    (void)state;
    const char *const own[] = {B "/", "delay=10s", B "/", "exclude=*/5", NULL};
    struct world w;
    begin(&w, two_sites, SHARC_LENGTH(two_sites), own);
    assert_int_equal(world_crawl(&w, A "/", B "/", NULL), 0);
    SHARC_AUTO(sharc_freep) char *a = params_of(&w, "a.test"), *b = params_of(&w, "b.test");
    assert_non_null(strstr(a, "\"delay\":1,"));
    assert_null(strstr(a, "site_settings"));
    assert_non_null(strstr(b, "\"delay\":10,"));
    assert_non_null(strstr(b, "\"site_settings\":[\"delay=10s\",\"exclude=*/5\"]"));
    world_done(&w);
}

static void a_resumed_crawl_has_them_again(void **state)
{
    (void)state;
    const char *const own[] = {B "/", "delay=10s", B "/", "limit-pages=4", NULL};
    for (int by_hand = 0; by_hand < 2; by_hand++) {
        struct world w;
        begin(&w, two_sites, SHARC_LENGTH(two_sites), own);
        memset(orders, 0, sizeof orders);
        if (by_hand) order(&w, 0, 3, "delay=4s");
        w.die_at = 8;
        w.stops = 1;
        assert_int_equal(world_crawl(&w, A "/", B "/", NULL), SHARC_EINTR);
        world_end_crawl(&w);
        w.die_at = 0;
        assert_int_equal(world_crawl(&w, A "/", B "/", NULL), 0);
        assert_int_equal(world_summary(&w, 0).pages, 6);
        assert_int_equal(world_summary(&w, 1).pages, 4);
        assert_int_equal(gap(&w, B, 4), (by_hand ? 4 : 10) * SHARC_SEC);
        world_done(&w);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(sites_have_their_own_delays_and_limits),
        cmocka_unit_test(a_limit_of_time_or_bytes_may_be_one_sites),
        cmocka_unit_test(a_site_may_have_its_own_connections),
        cmocka_unit_test(a_site_may_be_without_the_general_limit),
        cmocka_unit_test(rules_of_a_site_come_after_those_of_all),
        cmocka_unit_test(wrong_settings_are_refused),
        cmocka_unit_test(hosts_that_share_a_delay_take_the_longest),
        cmocka_unit_test(the_delay_of_a_site_holds_for_guests),
        cmocka_unit_test(a_short_delay_holds_at_home_only),
        cmocka_unit_test(what_is_set_by_hand_holds_for_every_site),
        cmocka_unit_test(a_new_general_value_leaves_a_sites_own),
        cmocka_unit_test(new_values_of_a_site_are_taken_over),
        cmocka_unit_test(wrong_new_values_change_nothing),
        cmocka_unit_test(the_captures_parameters_are_those_of_the_site),
        cmocka_unit_test(a_resumed_crawl_has_them_again),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

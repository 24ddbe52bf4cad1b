/* SPDX-License-Identifier: Apache-2.0
 *
 * Whole crawls of small scripted sites: which URLs are fetched, in which order,
 * at which times, and what is said about the others.
 */
#include "world.h"

#include <stdio.h>
#include <stdlib.h>

#define H "http://site.test"

static void follows_links_and_obeys_robots(void **state)
{
    (void)state;
    const struct web_page web[] = {
        {H "/robots.txt", .type = "text/plain", .body = "User-agent: *\nDisallow: /private/\n"},
        {H "/", .body = "<a href=/a>a</a> <a href=/private/b>b</a> <a href=http://other.test/>o</a>"},
        {H "/a", .body = "leaf <a href=/>home</a>"},
    };
    struct world w;
    world_init(&w, web, SHARC_LENGTH(web));
    w.o.strategy = sharc_strategy_find("bfs");
    assert_int_equal(world_crawl(&w, H "/", NULL), 0);
    SHARC_AUTO(sharc_freep) char *order = world_order(&w);
    assert_string_equal(order, "/robots.txt / /a");
    SHARC_AUTO(sharc_freep) char *b = world_skipped(&w, H "/private/b");
    assert_string_equal(b, "robots");
    SHARC_AUTO(sharc_freep) char *o = world_skipped(&w, "http://other.test/");
    assert_string_equal(o, "scope");
    struct sharc_crawl_summary s = world_summary(&w, 0);
    assert_int_equal(s.phase, SHARC_CRAWL_DONE);
    assert_int_equal(s.pages, 2);
    assert_string_equal(s.name, "site.test");
    world_done(&w);
}

static void pauses_between_requests(void **state)
{
    (void)state;
    const struct web_page web[] = {
        {H "/", .body = "<a href=/a>a</a><a href=/b>b</a><a href=/c>c</a>"},
        {H "/a", .body = "a"},
        {H "/b", .body = "b"},
        {H "/c", .body = "c"},
    };
    struct world w;
    world_init(&w, web, SHARC_LENGTH(web));
    w.latency = 100 * SHARC_MSEC;
    w.o.strategy = sharc_strategy_find("bfs");
    assert_int_equal(world_crawl(&w, H "/", NULL), 0);
    assert_int_equal(w.asked_count, 5);
    for (size_t i = 1; i < w.asked_count; i++)
        assert_int_equal(w.asked[i].when - w.asked[i - 1].when, SHARC_SEC + 100 * SHARC_MSEC);
    world_done(&w);
}

static void embeds_follow_their_page(void **state)
{
    (void)state;
    const struct web_page web[] = {
        {H "/", .body = "<link rel=stylesheet href=/s.css><img src=http://cdn.test/i.png><a href=/a>a</a>"},
        {H "/s.css", .type = "text/css", .body = "body { background: url(/bg.png) }"},
        {H "/bg.png", .type = "image/png", .body = "png"},
        {"http://cdn.test/i.png", .type = "image/png", .body = "png too"},
        {H "/a", .body = "<img src=/bg.png>"},
    };
    struct world w;
    world_init(&w, web, SHARC_LENGTH(web));
    w.o.strategy = sharc_strategy_find("bfs");
    assert_int_equal(world_crawl(&w, H "/", NULL), 0);
    SHARC_AUTO(sharc_freep) char *order = world_order(&w);
    assert_string_equal(order, "/robots.txt / /s.css /robots.txt /bg.png /i.png /a");
    struct sharc_crawl_summary s = world_summary(&w, 0);
    assert_int_equal(s.pages, 5);
    assert_int_equal(s.embeds, 3);
    world_done(&w);
}

static void revisits_in_reverse_with_embeds(void **state)
{
    (void)state;
    static const sharc_time late[] = {6 * SHARC_SEC};
    const struct web_page web[] = {
        {H "/", .body = "<a href=/a>a</a><a href=/b>b</a>"},
        {H "/a", .body = "<img src=/i.png>", .etag = true},
        {H "/i.png", .type = "image/png", .body = "png", .changes = late, .changes_count = 1},
        {H "/b", .body = "b"},
    };
    struct world w;
    world_init(&w, web, SHARC_LENGTH(web));
    w.o.strategy = sharc_strategy_find("bfs-lifo");
    assert_int_equal(world_crawl(&w, H "/", NULL), 0);
    SHARC_AUTO(sharc_freep) char *order = world_order(&w);
    /* 0 robots, 1 /, 2 /a, 3 /i.png, 4 /b is the apex, 5 /b again, 6 /a, 7 /i.png, 8 / */
    assert_string_equal(order, "/robots.txt / /a /i.png /b /b /a /i.png /");
    struct sharc_crawl_summary s = world_summary(&w, 0);
    assert_int_equal(s.reference, w.began + 4 * SHARC_SEC);
    assert_int_equal(s.judged, 4);
    assert_int_equal(s.reference_from, w.began + 4 * SHARC_SEC);
    assert_int_equal(s.reference_to, w.began + 5 * SHARC_SEC);
    assert_int_equal(s.coherent, 3);
    assert_int_equal(s.reason[SHARC_GRADED_SAME_CONTENT], 3);
    assert_int_equal(s.reason[SHARC_GRADED_CHANGED], 1);
    assert_int_equal(s.not_modified, 0); /* downloaded in full, though there is an ETag */
    assert_int_equal(s.changed, 1);
    world_done(&w);
}

static uint64_t revisits_promised, revisits_least;

static void note_revisits(struct world *w)
{
    struct sharc_crawl_status st;
    sharc_crawl_status(w->crawl, &st);
    if (st.phase != SHARC_CRAWL_REVISITS) return;
    revisits_promised = st.revisited + st.to_revisit;
    if (revisits_least == 0 || revisits_promised < revisits_least) revisits_least = revisits_promised;
}

/* "100 %, 0 s left" while every image is still to be asked for again would be untrue. */
static void progress_of_revisits_counts_embeds(void **state)
{
    (void)state;
    const struct web_page web[] = {
        {H "/", .body = "<img src=/1.png><img src=/2.png><img src=/3.png><a href=/a>a</a>"},
        {H "/1.png", .type = "image/png", .body = "1"},
        {H "/2.png", .type = "image/png", .body = "2"},
        {H "/3.png", .type = "image/png", .body = "3"},
        {H "/a", .body = "<img src=/4.png>"},
        {H "/4.png", .type = "image/png", .body = "4"},
    };
    for (size_t stopped = 0; stopped < 2; stopped++) {
        struct world w;
        world_init(&w, web, SHARC_LENGTH(web));
        w.o.strategy = sharc_strategy_find("bfs-lifo");
        w.at_request = note_revisits;
        revisits_least = 0;
        w.die_at = stopped ? 9 : 0;
        w.stops = 1;
        int r = world_crawl(&w, H "/", NULL);
        if (stopped) {
            assert_int_equal(r, SHARC_EINTR);
            world_end_crawl(&w);
            w.die_at = 0;
            r = world_crawl(&w, H "/", NULL);
        }
        assert_int_equal(r, 0);
        assert_int_equal(world_summary(&w, 0).revisited, 6);
        assert_int_equal(revisits_least, 6);
        assert_int_equal(revisits_promised, 6);
        world_done(&w);
    }
}

static void apex_with_embeds_is_proved_too(void **state)
{
    (void)state;
    const struct web_page web[] = {
        {H "/", .body = "<img src=/1.png><img src=/2.png>"},
        {H "/1.png", .type = "image/png", .body = "1"},
        {H "/2.png", .type = "image/png", .body = "2"},
    };
    struct world w;
    world_init(&w, web, SHARC_LENGTH(web));
    w.o.strategy = sharc_strategy_find("bfs-lifo");
    assert_int_equal(world_crawl(&w, H "/", NULL), 0);
    SHARC_AUTO(sharc_freep) char *order = world_order(&w);
    assert_string_equal(order, "/robots.txt / /1.png /2.png / /2.png /1.png");
    struct sharc_crawl_summary s = world_summary(&w, 0);
    assert_int_equal(s.judged, 3);
    assert_int_equal(s.coherent, 3);
    world_done(&w);
}

/* The last second look is the reference; what the page shows was visited before. */
static void embeds_of_a_second_look_are_revisited(void **state)
{
    (void)state;
    enum { COLD = 30 };
    char url[COLD][32], links[COLD * 24 + 64] = "<a href=/hot>h</a>";
    struct web_page web[COLD + 4] = {
        {H "/sitemap.xml", .type = "text/xml",
         .body = "<urlset xmlns='http://www.sitemaps.org/schemas/sitemap/0.9'><url><loc>" H
                 "/hot</loc><changefreq>hourly</changefreq></url></urlset>"},
        {H "/", .body = links},
        {H "/hot", .body = "<img src=/hot.png>News"},
        {H "/hot.png", .type = "image/png", .body = "png"},
    };
    for (size_t i = 0; i < COLD; i++) {
        snprintf(url[i], sizeof url[i], H "/p%zu", i);
        snprintf(links + strlen(links), sizeof links - strlen(links), "<a href=/p%zu>p</a>", i);
        web[4 + i] = (struct web_page){url[i], .body = "cold"};
    }
    struct world w;
    world_init(&w, web, SHARC_LENGTH(web));
    w.o.pace.delay = 5 * SHARC_MINUTE;
    w.o.strategy = sharc_strategy_find("sharc-focus");
    w.o.no_sitemaps = false;
    w.o.params.focus_breadth_first = true;
    assert_int_equal(world_crawl(&w, H "/", NULL), 0);
    struct sharc_crawl_summary s = world_summary(&w, 0);
    assert_int_equal(world_asked(&w, H "/hot"), 3); /* visited, looked at when all others had been, and revisited */
    assert_int_equal(world_asked(&w, H "/hot.png"), 2);
    assert_int_equal(s.judged, COLD + 3);
    assert_int_equal(s.coherent, COLD + 3);
    world_done(&w);
}

/* Each list names another one, without end. */
static void endless_lists_are_left(void **state)
{
    (void)state;
    enum { LISTS = 503, READ = 500 };
    static char url[LISTS][32], body[LISTS][160];
    static struct web_page web[LISTS + 1];
    for (size_t i = 0; i < LISTS; i++) {
        snprintf(url[i], sizeof url[i], i ? H "/s%zu.xml" : H "/sitemap.xml", i);
        snprintf(body[i], sizeof body[i],
                 "<sitemapindex xmlns='http://www.sitemaps.org/schemas/sitemap/0.9'><sitemap><loc>" H
                 "/s%zu.xml</loc></sitemap></sitemapindex>",
                 i + 1);
        web[i] = (struct web_page){url[i], .type = "text/xml", .body = body[i]};
    }
    web[LISTS] = (struct web_page){H "/", .body = "home"};
    struct world w;
    world_init(&w, web, SHARC_LENGTH(web));
    w.o.no_sitemaps = false;
    assert_int_equal(world_crawl(&w, H "/", NULL), 0);
    assert_int_equal(world_asked(&w, url[READ - 1]), 1);
    assert_int_equal(world_asked(&w, url[READ]), 0);
    assert_int_equal(world_asked(&w, H "/"), 1);
    SHARC_AUTO(sharc_freep) char *why = world_skipped(&w, url[READ]);
    assert_string_equal(why, "limit-lists");
    world_done(&w);
}

static void nothing_is_proved_before_the_revisits(void **state)
{
    (void)state;
    const struct web_page web[] = {
        {H "/", .body = "<a href=/a>a</a><a href=/b>b</a><a href=/c>c</a>"},
        {H "/a", .body = "a"},
        {H "/b", .body = "b"},
        {H "/c", .body = "c"},
    };
    struct world w;
    world_init(&w, web, SHARC_LENGTH(web));
    w.o.strategy = sharc_strategy_find("bfs-lifo");
    w.die_at = 3;
    w.stops = 1;
    assert_int_equal(world_crawl(&w, H "/", NULL), SHARC_EINTR);
    struct sharc_crawl_summary s = world_summary(&w, 0);
    assert_in_range(s.pages, 1, 3);
    assert_int_equal(s.judged, 0);
    assert_int_equal(s.coherent, 0);
    assert_true(s.coherent_share <= 0);
    world_done(&w);
}

static void redirects_are_pages_of_their_own(void **state)
{
    (void)state;
    const struct web_page web[] = {
        {H "/", .status = 301, .fields = "Location: https://www.site.test/start\r\n"},
        {"https://www.site.test/start", .body = "<a href=/old>x</a>"},
        {"https://www.site.test/old", .status = 302, .fields = "Location: http://elsewhere.test/\r\n"},
    };
    struct world w;
    world_init(&w, web, SHARC_LENGTH(web));
    w.o.strategy = sharc_strategy_find("bfs");
    assert_int_equal(world_crawl(&w, H "/", NULL), 0);
    assert_int_equal(world_asked(&w, "https://www.site.test/start"), 1);
    assert_int_equal(world_asked(&w, "http://elsewhere.test/"), 0);
    SHARC_AUTO(sharc_freep) char *why = world_skipped(&w, "http://elsewhere.test/");
    assert_string_equal(why, "scope");
    world_done(&w);
}

static void busy_servers_are_left_alone(void **state)
{
    (void)state;
    const struct web_page web[] = {
        {H "/", .body = "<a href=/a>a</a>"},
        {H "/a", .body = "a", .fails = 2, .fail_as = 429, .fields = "Retry-After: 120\r\n"},
    };
    struct world w;
    world_init(&w, web, SHARC_LENGTH(web));
    w.o.strategy = sharc_strategy_find("bfs");
    assert_int_equal(world_crawl(&w, H "/", NULL), 0);
    assert_int_equal(world_asked(&w, H "/a"), 3);
    size_t n = w.asked_count;
    assert_true(w.asked[n - 1].when - w.asked[n - 2].when >= 120 * SHARC_SEC);
    assert_int_equal(world_summary(&w, 0).pages, 2);
    assert_non_null(strstr(w.remarks, "429"));
    world_done(&w);
}

/* What a server asked for holds for the next run too, and so does the delay. */
static void the_next_run_is_polite_too(void **state)
{
    (void)state;
    const struct web_page web[] = {
        {H "/", .body = "<a href=/a>a</a><a href=/b>b</a>"},
        {H "/a", .body = "a"},
        {H "/b", .body = "b", .fails = 1, .fail_as = 429, .fields = "Retry-After: 3600\r\n"},
    };
    struct world w;
    world_init(&w, web, SHARC_LENGTH(web));
    w.o.strategy = sharc_strategy_find("bfs");
    w.die_at = 3;
    w.stops = 1;
    assert_int_equal(world_crawl(&w, H "/", NULL), SHARC_EINTR);
    world_end_crawl(&w);
    size_t n = w.asked_count;
    w.die_at = n + 2; /* /a, then /b, which asks to be left alone */
    w.stops = 1;
    assert_int_equal(world_crawl(&w, H "/", NULL), SHARC_EINTR);
    assert_int_equal(w.asked_count, n + 2);
    assert_true(w.asked[n].when - w.asked[n - 1].when >= SHARC_SEC);
    n++;
    world_end_crawl(&w);
    w.die_at = 0;
    assert_int_equal(world_crawl(&w, H "/", NULL), 0);
    assert_true(w.asked_count > n + 1);
    assert_true(w.asked[n + 1].when - w.asked[n].when >= 3600 * SHARC_SEC);
    assert_non_null(strstr(w.remarks, "asked an earlier run to wait; the next request is in "));
    assert_int_equal(world_summary(&w, 0).pages, 3);
    world_done(&w);
}

/* The first run's clock was two hours ahead. Pauses that it wrote down are no longer than they were meant to be. */
static void a_clock_put_back_does_not_lengthen_pauses(void **state)
{
    (void)state;
    const struct web_page web[] = {
        {H "/", .body = "<a href=/a>a</a><a href=/b>b</a>"},
        {H "/a", .body = "a", .fails = 1, .fail_as = 429, .fields = "Retry-After: 600\r\n"},
        {H "/b", .body = "b"},
    };
    for (size_t stop = 2; stop <= 3; stop++) { /* behind a page; behind a page that asks to be left alone */
        struct world w;
        world_init(&w, web, SHARC_LENGTH(web));
        w.o.strategy = sharc_strategy_find("bfs");
        w.die_at = stop;
        w.stops = 1;
        assert_int_equal(world_crawl(&w, H "/", NULL), SHARC_EINTR);
        world_end_crawl(&w);
        size_t n = w.asked_count;
        w.clock.at -= 2 * SHARC_HOUR;
        sharc_time put_back = w.clock.at - w.began;
        w.die_at = 0;
        assert_int_equal(world_crawl(&w, H "/", NULL), 0);
        assert_true(w.asked_count > n);
        const sharc_time waited = w.asked[n].when - put_back;
        assert_in_range(waited, stop == 2 ? SHARC_SEC : 599 * SHARC_SEC, stop == 2 ? 10 * SHARC_SEC : 601 * SHARC_SEC);
        assert_int_equal(world_summary(&w, 0).pages, 3);
        world_done(&w);
    }
}

/* robots.txt is asked for again, after the Crawl-delay that it had. */
static void a_crawl_delay_is_remembered(void **state)
{
    (void)state;
    const struct web_page web[] = {
        {H "/robots.txt", .type = "text/plain", .body = "User-agent: *\nCrawl-delay: 40\n"},
        {H "/", .body = "<a href=/a>a</a>"},
        {H "/a", .body = "a"},
    };
    struct world w;
    world_init(&w, web, SHARC_LENGTH(web));
    w.o.strategy = sharc_strategy_find("bfs");
    assert_int_equal(world_crawl(&w, H "/", NULL), 0);
    world_end_crawl(&w);
    size_t n = w.asked_count;
    assert_int_equal(world_crawl(&w, H "/", NULL), 0); /* a second capture, at once */
    for (size_t i = 1; i < w.asked_count; i++) assert_true(w.asked[i].when - w.asked[i - 1].when >= 40 * SHARC_SEC);
    assert_true(w.asked_count > n);
    world_done(&w);
}

/* It failed when a capture was resumed, and is tried again a minute later: pages that wait for it must not keep it
 * from its turn. */
static void robots_are_tried_again_when_resumed(void **state)
{
    (void)state;
    const struct web_page web[] = {
        {H "/robots.txt", .type = "text/plain", .body = "User-agent: *\nDisallow: /private/\n"},
        {H "/", .body = "<a href=/a>a</a><a href=/b>b</a>"},
        {H "/a", .body = "a"},
        {H "/b", .body = "b"},
    };
    static const int ways[] = {500, -SHARC_FETCH_RESET};
    for (size_t i = 0; i < SHARC_LENGTH(ways); i++) {
        struct world w;
        world_init(&w, web, SHARC_LENGTH(web));
        w.o.strategy = sharc_strategy_find("bfs");
        w.o.pace.time = SHARC_DAY;
        w.die_at = 3;
        w.stops = 1;
        assert_int_equal(world_crawl(&w, H "/", NULL), SHARC_EINTR);
        world_end_crawl(&w);
        w.die_at = 0;
        w.pages[0].fails = 1;
        w.pages[0].fail_as = ways[i];
        assert_int_equal(world_crawl(&w, H "/", NULL), 0);
        assert_int_equal(world_asked(&w, H "/robots.txt"), 3);
        assert_int_equal(world_summary(&w, 0).pages, 3);
        world_done(&w);
    }
}

static void lost_networks_suspend_a_site(void **state)
{
    (void)state;
    const struct web_page web[] = {
        {H "/", .body = "<a href=/a>a</a><a href=/b>b</a><a href=/c>c</a><a href=/d>d</a><a href=/e>e</a>"},
        {H "/e", .body = "e", .fails = 100, .fail_as = -SHARC_FETCH_CONNECT},
        {H "/a", .body = "a", .fails = 1, .fail_as = -SHARC_FETCH_RESET},
        {H "/b", .body = "b", .fails = 100, .fail_as = -SHARC_FETCH_CONNECT},
        {H "/c", .body = "c", .fails = 100, .fail_as = -SHARC_FETCH_CONNECT},
        {H "/d", .body = "d", .fails = 100, .fail_as = -SHARC_FETCH_CONNECT},
    };
    struct world w;
    world_init(&w, web, SHARC_LENGTH(web));
    w.o.strategy = sharc_strategy_find("bfs");
    assert_int_equal(world_crawl(&w, H "/", NULL), SHARC_ENET);
    assert_int_equal(world_asked(&w, H "/a"), 2);
    struct sharc_crawl_summary s = world_summary(&w, 0);
    assert_int_equal(s.phase, SHARC_CRAWL_SUSPENDED);
    /* The network is back: the same seeds go on. */
    world_end_crawl(&w);
    for (size_t i = 0; i < w.pages_count; i++) w.pages[i].fails = 0;
    size_t before = world_asked(&w, H "/");
    assert_int_equal(world_crawl(&w, H "/", NULL), 0);
    s = world_summary(&w, 0);
    assert_int_equal(s.phase, SHARC_CRAWL_DONE);
    assert_true(s.resumed);
    assert_true(s.pages >= 3);
    assert_int_equal(world_asked(&w, H "/"), before);
    world_done(&w);
}

static void limits_end_the_visits(void **state)
{
    (void)state;
    struct web_page web[30];
    static char urls[30][40], bodies[30][80];
    for (int i = 0; i < 30; i++) {
        snprintf(urls[i], sizeof urls[i], H "/%s%.0d", i ? "p" : "", i);
        snprintf(bodies[i], sizeof bodies[i], "<a href=/p%d>x</a><a href=/p%d>y</a>", 2 * i + 1, 2 * i + 2);
        web[i] = (struct web_page){.url = urls[i], .body = bodies[i]};
    }
    struct world w;
    world_init(&w, web, 30);
    w.o.strategy = sharc_strategy_find("bfs-lifo");
    w.o.pace.pages = 10;
    assert_int_equal(world_crawl(&w, H "/", NULL), 0);
    struct sharc_crawl_summary s = world_summary(&w, 0);
    assert_int_equal(s.pages, 10);
    assert_int_equal(s.coherent, 10);
    SHARC_AUTO(sharc_freep) char *why = world_skipped(&w, H "/p11");
    assert_string_equal(why, "limit-pages");
    world_done(&w);

    world_init(&w, web, 30);
    w.o.strategy = sharc_strategy_find("bfs-lifo");
    w.o.pace.time = 20 * SHARC_SEC;
    assert_int_equal(world_crawl(&w, H "/", NULL), 0);
    s = world_summary(&w, 0);
    assert_in_range(s.pages, 8, 11);
    assert_int_equal(s.coherent, s.pages);
    assert_true(s.end - s.start <= 20 * SHARC_SEC);
    world_done(&w);
}

static void depth_and_traps(void **state)
{
    (void)state;
    const struct web_page web[] = {
        {H "/", .body = "<a href=/1>1</a><a href=/a/a/a/a/a/x>t</a>"},
        {H "/1", .body = "<a href=/2>2</a>"},
        {H "/2", .body = "<a href=/3>3</a>"},
        {H "/3", .body = "3"},
    };
    static const char *const rules[] = {"+max-depth:2"};
    struct world w;
    world_init(&w, web, SHARC_LENGTH(web));
    w.o.strategy = sharc_strategy_find("bfs");
    w.o.rules = rules;
    w.o.rules_count = 1;
    assert_int_equal(world_crawl(&w, H "/", NULL), 0);
    assert_int_equal(world_asked(&w, H "/2"), 1);
    assert_int_equal(world_asked(&w, H "/3"), 0);
    SHARC_AUTO(sharc_freep) char *deep = world_skipped(&w, H "/3");
    assert_string_equal(deep, "depth");
    SHARC_AUTO(sharc_freep) char *trap = world_skipped(&w, H "/a/a/a/a/a/x");
    assert_string_equal(trap, "trap-repeat");
    world_done(&w);
}

static void calendars_come_to_an_end(void **state)
{
    (void)state;
    struct web_page web[400];
    static char urls[400][60], bodies[400][100];
    size_t n = 0;
    web[n++] = (struct web_page){.url = H "/", .body = "<a href='/cal?month=2020-1'>calendar</a>"};
    for (int i = 0; i < 399; i++, n++) {
        snprintf(urls[n], sizeof urls[n], H "/cal?month=%d-%d", 2020 + i / 12, 1 + i % 12);
        snprintf(bodies[n], sizeof bodies[n], "<a href='/cal?month=%d-%d'>next</a>", 2020 + (i + 1) / 12,
                 1 + (i + 1) % 12);
        web[n] = (struct web_page){.url = urls[n], .body = bodies[n]};
    }
    struct world w;
    world_init(&w, web, n);
    w.o.strategy = sharc_strategy_find("bfs");
    assert_int_equal(world_crawl(&w, H "/", NULL), 0);
    assert_in_range(world_summary(&w, 0).pages, 10, 40);
    world_done(&w);
}

static void sitemaps_are_read_first(void **state)
{
    (void)state;
    const struct web_page web[] = {
        {H "/robots.txt", .type = "text/plain", .body = "Sitemap: /sitemap-index.xml\n"},
        {H "/sitemap-index.xml", .type = "text/xml",
         .body = "<sitemapindex xmlns='http://www.sitemaps.org/schemas/sitemap/0.9'><sitemap><loc>" H
                 "/map.xml</loc></sitemap></sitemapindex>"},
        {H "/map.xml", .type = "text/xml",
         .body = "<urlset xmlns='http://www.sitemaps.org/schemas/sitemap/0.9'><url><loc>" H
                 "/hot</loc><changefreq>hourly</changefreq></url><url><loc>" H
                 "/cold</loc><changefreq>never</changefreq></url></urlset>"},
        {H "/", .body = "nothing links"},
        {H "/hot", .body = "hot"},
        {H "/cold", .body = "cold"},
    };
    struct world w;
    world_init(&w, web, SHARC_LENGTH(web));
    w.o.no_sitemaps = false;
    w.o.strategy = sharc_strategy_find("hottest-first");
    assert_int_equal(world_crawl(&w, H "/", NULL), 0);
    SHARC_AUTO(sharc_freep) char *order = world_order(&w);
    assert_string_equal(order, "/robots.txt /sitemap-index.xml /map.xml /hot / /cold");
    world_done(&w);
}

/* A name and a password in the URL of a list: in no record, and no host of its own with its own delay. */
static void lists_lose_their_credentials(void **state)
{
    (void)state;
    const struct web_page web[] = {
        {H "/robots.txt", .type = "text/plain",
         .body = "Sitemap: http://a:secret@site.test/map.xml\nSitemap: /map.xml\n"},
        {H "/map.xml", .type = "text/xml",
         .body = "<urlset xmlns='http://www.sitemaps.org/schemas/sitemap/0.9'><url><loc>" H "/x</loc></url></urlset>"},
        {H "/more.xml", .type = "text/xml",
         .body = "<urlset xmlns='http://www.sitemaps.org/schemas/sitemap/0.9'><url><loc>" H "/y</loc></url></urlset>"},
        {H "/", .fields = "Link: <http://c:secret@site.test/z>; rel=canonical\r\n", .body = "nothing links"},
        {H "/x", .body = "x"},
        {H "/y", .body = "y"},
        {H "/z", .body = "z"},
    };
    const char *const sources[] = {"http://b:secret@site.test/more.xml"};
    struct world w;
    world_init(&w, web, SHARC_LENGTH(web));
    w.o.no_sitemaps = false;
    w.o.sources = sources;
    w.o.sources_count = 1;
    assert_int_equal(world_crawl(&w, H "/", NULL), 0);
    SHARC_AUTO(sharc_freep) char *order = world_order(&w);
    assert_string_equal(order, "/robots.txt /more.xml /map.xml / /x /y /z");
    world_done(&w);
}

static void soft_404_is_seen(void **state)
{
    (void)state;
    /* Every unknown page is answered with status 200 and the same words. */
    static const char *sorry = "<title>Sorry</title><p>We are sorry but the page that you are looking for is not here "
                               "any more, please try the front page or the search or write to us.";
    struct web_page web[] = {
        {H "/", .body = "<a href=/real>r</a><a href=/dead>d</a>"},
        {H "/real", .body = "<p>This is a real page with words of its own that nobody else has said before, honestly"},
        {H "/dead", .body = sorry},
        {"", .body = sorry},
    };
    struct world w;
    char probe[100];
    snprintf(probe, sizeof probe, H "/%016llx-no-such-page", (unsigned long long)sharc_fingerprint(SHARC_SPAN(H), 404));
    web[3].url = probe;
    for (int stopped = 0; stopped <= 1; stopped++) {
        world_init(&w, web, SHARC_LENGTH(web));
        w.o.no_probe = false;
        w.o.strategy = sharc_strategy_find("bfs");
        if (stopped) { /* what the probe showed is known to whoever goes on */
            w.die_at = 3;
            w.stops = 1;
            assert_int_equal(world_crawl(&w, H "/", NULL), SHARC_EINTR);
            assert_int_equal(world_summary(&w, 0).gone, 0);
            world_end_crawl(&w);
            w.die_at = 0;
        }
        assert_int_equal(world_crawl(&w, H "/", NULL), 0);
        struct sharc_crawl_summary s = world_summary(&w, 0);
        assert_int_equal(s.pages, 2);
        assert_int_equal(s.gone, 1);
        SHARC_AUTO(sharc_freep) char *log = world_file(&w, "logs/crawl.log");
        assert_non_null(strstr(log, "soft404"));
        world_done(&w);
    }
}

static void many_sites_keep_their_delays(void **state)
{
    (void)state;
    enum { SITES = 20, PAGES = 5 };
    static struct web_page web[SITES * PAGES];
    static char urls[SITES * PAGES][48], bodies[SITES * PAGES][64];
    for (int i = 0; i < SITES * PAGES; i++) {
        snprintf(urls[i], sizeof urls[i], "http://s%d.test/%.0d", i / PAGES, i % PAGES);
        snprintf(bodies[i], sizeof bodies[i], "<a href=/%d>n</a>", i % PAGES + 1);
        web[i] = (struct web_page){.url = urls[i], .body = bodies[i]};
    }
    struct world w;
    world_init(&w, web, SITES * PAGES);
    w.latency = 70 * SHARC_MSEC;
    w.o.strategy = sharc_strategy_find("bfs-lifo");
    static const char *const groups[] = {"s0.test s1.test"};
    w.o.host_groups = groups;
    w.o.host_groups_count = 1;
    assert_int_equal(world_crawl(&w, "http://s0.test/", "http://s1.test/", "http://s2.test/", "http://s3.test/",
                                 "http://s4.test/", "http://s5.test/", NULL),
                     0);
    for (size_t site = 0; site < 6; site++) assert_int_equal(world_summary(&w, site).pages, PAGES);
    for (size_t i = 0; i < w.asked_count; i++) {
        for (size_t k = i + 1; k < w.asked_count; k++) {
            bool shared = w.asked[i].url[8] <= '1' && w.asked[k].url[8] <= '1';
            if (!shared && w.asked[i].url[8] != w.asked[k].url[8]) continue;
            assert_true(w.asked[k].when - w.asked[i].when >= SHARC_SEC + 70 * SHARC_MSEC);
        }
    }
    /* Side by side: not six times as long as one. */
    assert_true(w.asked[w.asked_count - 1].when < 30 * SHARC_SEC);
    world_done(&w);
}

static void long_lists_take_turns(void **state)
{
    (void)state;
    enum { SITES = 40 };
    static struct web_page web[SITES * 2];
    static char urls[SITES * 2][48];
    for (int i = 0; i < SITES * 2; i++) {
        snprintf(urls[i], sizeof urls[i], "http://s%d.test/%s", i / 2, i % 2 ? "deep" : "");
        web[i] = (struct web_page){.url = urls[i], .body = i % 2 ? "<a href=/deeper>x</a>" : "<a href=/deep>x</a>"};
    }
    static const char *const rules[] = {"+max-depth:1"};
    struct world w;
    world_init(&w, web, SITES * 2);
    w.o.sites = 3;
    w.o.rules = rules;
    w.o.rules_count = 1;
    struct sharc_err err = SHARC_ERR_INIT;
    struct sharc_crawl_world world = {.clock = &w.clock.clock, .fetcher = w.fetcher, .store = w.store};
    assert_int_equal(sharc_crawl_new(&w.o, &world, &w.crawl, &err), 0);
    for (int i = 0; i < SITES; i++) assert_int_equal(sharc_crawl_seed(w.crawl, sharc_span_of(urls[2 * i]), &err), 0);
    assert_int_equal(sharc_crawl_run(w.crawl, &err), 0);
    for (size_t i = 0; i < SITES; i++) {
        assert_int_equal(world_summary(&w, i).phase, SHARC_CRAWL_DONE);
        assert_int_equal(world_summary(&w, i).pages, 2);
    }
    struct sharc_crawl_status st;
    sharc_crawl_status(w.crawl, &st);
    assert_int_equal(st.sites_done, SITES);
    assert_int_equal(st.visited, 2 * SITES);
    world_done(&w);
}

#define OAI "<OAI-PMH xmlns='http://www.openarchives.org/OAI/2.0/'><ListRecords>"
#define RECORD(n)                                                                                                \
    "<record><header><identifier>oai:site.test:" n "</identifier><datestamp>2023-01-0" n "</datestamp></header>" \
    "<metadata><dc xmlns:dc='http://purl.org/dc/elements/1.1/'><dc:identifier>" H "/record/" n                   \
    "</dc:identifier></dc></metadata></record>"

static void lists_are_read_in_pieces(void **state)
{
    (void)state;
    const struct web_page web[] = {
        {H "/", .body = "nothing links to the records"},
        {H "/oai?verb=ListRecords&metadataPrefix=oai_dc", .type = "text/xml",
         .body = OAI RECORD("1") "<resumptionToken>a/b</resumptionToken></ListRecords></OAI-PMH>"},
        {H "/oai?verb=ListRecords&resumptionToken=a%2Fb", .type = "text/xml",
         .body = OAI RECORD("2") "</ListRecords></OAI-PMH>"},
        {H "/feed", .type = "application/rss+xml",
         .body = "<rss version='2.0'><channel><item><title>n</title><link>" H "/news</link></item></channel></rss>"},
        {H "/record/1", .body = "one"},
        {H "/record/2", .body = "two"},
        {H "/news", .body = "news"},
    };
    static const char *const sources[] = {H "/oai?verb=ListRecords&metadataPrefix=oai_dc", H "/feed"};
    struct world w;
    world_init(&w, web, SHARC_LENGTH(web));
    w.o.strategy = sharc_strategy_find("bfs");
    w.o.sources = sources;
    w.o.sources_count = 2;
    assert_int_equal(world_crawl(&w, H "/", NULL), 0);
    assert_int_equal(world_summary(&w, 0).pages, 4);
    assert_int_equal(world_asked(&w, H "/record/1"), 1);
    assert_int_equal(world_asked(&w, H "/record/2"), 1);
    assert_int_equal(world_asked(&w, H "/news"), 1);
    world_done(&w);
}

/* Of many sites only the one concerned reads a list; a list elsewhere is for all. */
static void sources_are_read_where_they_belong(void **state)
{
    (void)state;
#define MAP(url) "<urlset xmlns='http://www.sitemaps.org/schemas/sitemap/0.9'><url><loc>" url "</loc></url></urlset>"
    const struct web_page web[] = {
        {"http://a.test/", .body = "a"},
        {"http://b.test/", .body = "b"},
        {"http://a.test/map.xml", .type = "text/xml", .body = MAP("http://a.test/listed")},
        {"http://lists.test/map.xml", .type = "text/xml", .body = MAP("http://b.test/listed")},
        {"http://a.test/listed", .body = "a"},
        {"http://b.test/listed", .body = "b"},
    };
    static const char *const sources[] = {"http://a.test/map.xml", "http://lists.test/map.xml"};
    struct world w;
    world_init(&w, web, SHARC_LENGTH(web));
    w.o.sources = sources;
    w.o.sources_count = 2;
    assert_int_equal(world_crawl(&w, "http://a.test/", "http://b.test/", NULL), 0);
    assert_int_equal(world_asked(&w, "http://a.test/map.xml"), 1);
    assert_int_equal(world_asked(&w, "http://lists.test/map.xml"), 2);
    assert_int_equal(world_summary(&w, 0).pages, 2);
    assert_int_equal(world_summary(&w, 1).pages, 2);
    world_done(&w);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(follows_links_and_obeys_robots),
        cmocka_unit_test(pauses_between_requests),
        cmocka_unit_test(embeds_follow_their_page),
        cmocka_unit_test(revisits_in_reverse_with_embeds),
        cmocka_unit_test(progress_of_revisits_counts_embeds),
        cmocka_unit_test(apex_with_embeds_is_proved_too),
        cmocka_unit_test(embeds_of_a_second_look_are_revisited),
        cmocka_unit_test(endless_lists_are_left),
        cmocka_unit_test(nothing_is_proved_before_the_revisits),
        cmocka_unit_test(redirects_are_pages_of_their_own),
        cmocka_unit_test(busy_servers_are_left_alone),
        cmocka_unit_test(the_next_run_is_polite_too),
        cmocka_unit_test(a_clock_put_back_does_not_lengthen_pauses),
        cmocka_unit_test(a_crawl_delay_is_remembered),
        cmocka_unit_test(robots_are_tried_again_when_resumed),
        cmocka_unit_test(lost_networks_suspend_a_site),
        cmocka_unit_test(limits_end_the_visits),
        cmocka_unit_test(depth_and_traps),
        cmocka_unit_test(calendars_come_to_an_end),
        cmocka_unit_test(sitemaps_are_read_first),
        cmocka_unit_test(lists_lose_their_credentials),
        cmocka_unit_test(soft_404_is_seen),
        cmocka_unit_test(many_sites_keep_their_delays),
        cmocka_unit_test(long_lists_take_turns),
        cmocka_unit_test(lists_are_read_in_pieces),
        cmocka_unit_test(sources_are_read_where_they_belong),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

/* SPDX-License-Identifier: Apache-2.0
 *
 * Surveys of sites that exist as a table, in virtual time.
 */
#include "test.h"

#include "sharc/base_clock.h"
#include "sharc/base_digest.h"
#include "sharc/crawl_survey.h"
#include "sharc/store_job.h"
#include "sharc/store_write.h"

#include <stdio.h>
#include <stdlib.h>

#define START (1700000000 * SHARC_SEC) /* 2023-11-14T22:13:20Z */

struct world {
    struct sharc_clock_virtual clock;
    struct sharc_fetch_pages table;
    struct sharc_survey_options o;
    struct sharc_survey found;
    struct sharc_err err;
};

static int survey(struct world *w, const struct sharc_fetch_page *pages, size_t n, const char *url)
{
    sharc_clock_virtual_init(&w->clock, START);
    w->table = (struct sharc_fetch_pages){.pages = pages, .count = n, .latency = 100 * SHARC_MSEC};
    struct sharc_fetcher *f = sharc_fetcher_new_scripted(&w->clock.clock, sharc_fetch_script_pages, &w->table);
    w->o.url = sharc_span_of(url);
    w->o.clock = &w->clock.clock;
    w->o.fetcher = f;
    int r = sharc_survey_make(&w->o, &w->found, &w->err);
    sharc_fetcher_free(f);
    sharc_buf_done(&w->table.buf_);
    return r;
}
#define WORLD                                            \
    {                                                    \
        .o = SHARC_SURVEY_OPTIONS, .err = SHARC_ERR_INIT \
    }

static const struct sharc_survey_page *page(const struct world *w, const char *target)
{
    for (size_t i = 0; i < w->found.count; i++)
        if (sharc_span_is(w->found.pages[i].target, target)) return &w->found.pages[i];
    return NULL;
}

static const struct sharc_fetch_page site[] = {
    {"http://a.example/robots.txt", 0, "text/plain", NULL,
     "User-agent: *\nDisallow: /secret/\nCrawl-delay: 7\nSitemap: /maps.xml\n"},
    {"http://a.example/maps.xml", 0, "application/xml", NULL,
     "<sitemapindex xmlns=\"http://www.sitemaps.org/schemas/sitemap/0.9\"><sitemap><loc>http://a.example/map.xml</loc>"
     "</sitemap></sitemapindex>"},
    {"http://a.example/map.xml", 0, "application/xml", NULL,
     "<urlset xmlns=\"http://www.sitemaps.org/schemas/sitemap/0.9\">"
     "<url><loc>http://a.example/</loc><changefreq>hourly</changefreq></url>"
     "<url><loc>http://a.example/hot?x=1</loc><changefreq>always</changefreq></url>"
     "<url><loc>http://a.example/cold</loc><changefreq>yearly</changefreq><lastmod>2020-01-01</lastmod></url>"
     "<url><loc>http://a.example/secret/map</loc></url><url><loc>http://b.example/other</loc></url></urlset>"},
    {"http://a.example/", 0, NULL, "Last-Modified: Tue, 14 Nov 2023 22:00:00 GMT\r\n",
     "<link rel=stylesheet href=/s.css><a href=/linked>l</a><a href=/secret/x>s</a><a href=http://b.example/>b</a>"
     "<a href=/moved>m</a><a href=/lost>z</a><img src=/i.png>"},
    {"http://a.example/linked", 0, NULL, NULL, "<link rel=stylesheet href=/s.css><a href=/>home</a>"},
    {"http://a.example/hot?x=1", 0, NULL, NULL, "<link rel=stylesheet href=/s.css><img src=/j.png>"},
    {"http://a.example/cold", 0, NULL, "Last-Modified: Wed, 01 Jan 2020 15:00:00 GMT\r\n", "cold"},
    {"http://a.example/moved", 301, NULL, "Location: /target\r\n", ""},
    {"http://a.example/target", 0, NULL, NULL, "here"},
};

static void everything_that_is_told_is_known(void **state)
{
    (void)state;
    struct world w = WORLD;
    if (survey(&w, site, SHARC_LENGTH(site), "http://a.example/#top") < 0) fail_msg("%s", w.err.text);
    assert_int_equal(w.found.count, 5); /* /, hot, cold, linked, target */
    assert_span(w.found.pages[0].url, "http://a.example/");
    assert_int_equal(w.found.pages[0].source, SHARC_SURVEY_SEED);
    assert_int_equal(page(&w, "/hot?x=1")->source, SHARC_SURVEY_SITEMAP);
    assert_int_equal(page(&w, "/linked")->source, SHARC_SURVEY_LINK);
    assert_null(page(&w, "/secret/map"));
    assert_null(page(&w, "/other"));
    assert_null(page(&w, "/moved"));
    assert_null(page(&w, "/lost"));
    assert_true(page(&w, "/hot?x=1")->rate > page(&w, "/")->rate);
    assert_true(page(&w, "/")->rate > page(&w, "/linked")->rate);
    assert_true(page(&w, "/linked")->rate > page(&w, "/cold")->rate);
    assert_int_equal(w.found.sitemaps, 2);
    assert_int_equal(w.found.from_sitemaps, 2);
    /* It states the change of one page, which says the same itself. */
    assert_int_equal(w.found.signals.stated, 1);
    assert_int_equal(w.found.signals.right, 1);
    assert_int_equal(w.found.signals.wrong + w.found.signals.missed, 0);
    assert_int_equal(w.found.sampled, 5);
    assert_int_equal(w.found.requests, 3 + 7); /* robots, maps; five pages, one moved, one lost */
    assert_int_equal(w.found.requests, w.table.asked);
    assert_true(w.found.embeds >= 3);
    assert_false(w.found.more);
    assert_int_equal(w.found.robots_delay, 7 * SHARC_SEC);
    assert_int_equal(w.found.took, 100 * SHARC_MSEC);
    bool linked = false;
    for (size_t i = 0; i < w.found.link_count; i++) {
        struct sharc_survey_link l = w.found.links[i];
        linked = linked || (l.from == 0 && sharc_span_is(w.found.pages[l.to].target, "/linked"));
    }
    assert_true(linked);
    /* The pause was kept from the second request on: 3 s until robots.txt is read. */
    assert_true(w.clock.at - START >= 3 * SHARC_SEC + 8 * 7 * SHARC_SEC);
    sharc_survey_done(&w.found);
}

static void without_a_sitemap_links_lead(void **state)
{
    (void)state;
    struct world w = WORLD;
    w.o.no_sitemaps = true;
    w.o.sample = 1;
    if (survey(&w, site, SHARC_LENGTH(site), "http://a.example/") < 0) fail_msg("%s", w.err.text);
    assert_int_equal(w.found.sitemaps, 0);
    assert_int_equal(w.found.count, 4); /* /, linked, moved, lost: nobody knows better */
    assert_true(w.found.more);
    sharc_survey_done(&w.found);
    w = (struct world)WORLD;
    const char *rules[] = {"-prefix:http://a.example/linked"};
    w.o.rules = rules;
    w.o.rules_count = 1;
    w.o.max_pages = 3;
    if (survey(&w, site, SHARC_LENGTH(site), "http://a.example/") < 0) fail_msg("%s", w.err.text);
    assert_null(page(&w, "/linked"));
    assert_int_equal(w.found.count, 3);
    sharc_survey_done(&w.found);
}

static void refusals_have_reasons(void **state)
{
    (void)state;
    struct world w = WORLD;
    assert_int_equal(survey(&w, site, SHARC_LENGTH(site), "http://a.example/secret/"), SHARC_EROBOTS);
    assert_non_null(strstr(w.err.text, "robots.txt does not allow http://a.example/secret/"));
    assert_int_equal(survey(&w, site, SHARC_LENGTH(site), "ftp://a.example/"), SHARC_ESYNTAX);
    assert_int_equal(survey(&w, site, SHARC_LENGTH(site), "no url"), SHARC_ESYNTAX);
    static const struct sharc_fetch_page closed[] = {{"http://c.example/robots.txt", 503, NULL, NULL, ""}};
    assert_int_equal(survey(&w, closed, 1, "http://c.example/"), SHARC_EROBOTS);
    const char *rules[] = {"-all"};
    w.o.rules = rules;
    w.o.rules_count = 1;
    assert_int_equal(survey(&w, site, SHARC_LENGTH(site), "http://a.example/"), SHARC_EINVAL);
    w = (struct world)WORLD;
    volatile bool stop = true;
    w.o.stop = &stop;
    assert_int_equal(survey(&w, site, SHARC_LENGTH(site), "http://a.example/"), SHARC_EINTR);
}

static void a_busy_site_is_left_alone(void **state)
{
    (void)state;
    struct world w = WORLD;
    static const struct sharc_fetch_page busy[] = {
        {"http://d.example/", 0, NULL, NULL, "<a href=/1>1</a><a href=/2>2</a>"},
        {"http://d.example/1", 429, NULL, NULL, ""},
    };
    if (survey(&w, busy, SHARC_LENGTH(busy), "http://d.example/") < 0) fail_msg("%s", w.err.text);
    assert_int_equal(w.found.requests, 4); /* robots.txt, sitemap.xml, /, /1 */
    assert_non_null(strstr(w.found.note, "429"));
    sharc_survey_done(&w.found);
}

static void a_busy_sitemap_is_heeded(void **state)
{
    (void)state;
    struct world w = WORLD;
    static const struct sharc_fetch_page busy[] = {
        {"http://d.example/robots.txt", 0, "text/plain", NULL, "Sitemap: /1.xml\nSitemap: /2.xml\n"},
        {"http://d.example/1.xml", 503, NULL, NULL, ""},
        {"http://d.example/2.xml", 0, "application/xml", NULL, "<urlset/>"},
        {"http://d.example/", 0, NULL, NULL, "home"},
    };
    if (survey(&w, busy, SHARC_LENGTH(busy), "http://d.example/") < 0) fail_msg("%s", w.err.text);
    assert_int_equal(w.found.requests, 2); /* robots.txt and the first list */
    assert_non_null(strstr(w.found.note, "503"));
    sharc_survey_done(&w.found);
}

/* A page of another host is asked for when the robots.txt of that host allows it. */
static void every_host_has_rules_of_its_own(void **state)
{
    (void)state;
    struct world w = WORLD;
    static const struct sharc_fetch_page hosts[] = {
        {"http://e.example/robots.txt", 0, "text/plain", NULL,
         "User-agent: *\nDisallow: /x\nSitemap: http://g.example/m"},
        {"http://g.example/robots.txt", 0, "text/plain", NULL, "User-agent: *\nDisallow: /"},
        {"http://g.example/m", 0, "application/xml", NULL,
         "<urlset><url><loc>http://e.example/in</loc></url></urlset>"},
        {"http://f.e.example/robots.txt", 0, "text/plain", NULL, "User-agent: *\nDisallow: /no\nCrawl-delay: 9\n"},
        {"http://e.example/", 0, NULL, NULL, "<a href=http://f.e.example/x>x</a><a href=http://f.e.example/no>no</a>"},
        {"http://f.e.example/x", 0, NULL, NULL, "here"},
        {"http://f.e.example/no", 0, NULL, NULL, "<a href=http://f.e.example/behind>b</a>"},
    };
    w.o.reach = SHARC_REACH_ANY;
    if (survey(&w, hosts, SHARC_LENGTH(hosts), "http://e.example/") < 0) fail_msg("%s", w.err.text);
    assert_int_equal(w.found.requests, 5); /* three robots.txt, / and /x */
    assert_int_equal(w.found.sampled, 2);
    assert_null(page(&w, "/in"));
    assert_null(page(&w, "/no"));
    assert_non_null(page(&w, "/x"));
    assert_int_equal(w.found.robots_delay, 9 * SHARC_SEC);
    sharc_survey_done(&w.found);
}

/* --- earlier captures --------------------------------------------------------------- */

static void put_page(struct sharc_store_batch *b, sharc_store_id capture, const char *url, double day, const char *body,
                     const struct sharc_store_link *links, size_t n)
{
    struct sharc_store_page p = SHARC_STORE_PAGE_INIT;
    p.capture = capture;
    p.url = sharc_span_of(url);
    p.mime = SHARC_SPAN("text/html");
    p.visit.when = START - (sharc_time)(day * (double)SHARC_DAY);
    p.visit.status = 200;
    p.visit.slot = day >= 0 ? 0 : -1;
    sharc_digest_of(SHARC_SHA256, sharc_span_of(body), &p.visit.digest);
    p.links = links;
    p.n_links = n;
    p.has_links = true;
    assert_int_equal(sharc_store_batch_page(b, &p, NULL), 0);
}

static struct sharc_store *earlier_captures(void)
{
    struct sharc_store *s = NULL;
    struct sharc_store_batch *b = NULL;
    struct sharc_err err = SHARC_ERR_INIT;
    struct sharc_store_site where = {.name = SHARC_SPAN("e.example")};
    if (sharc_store_open("memory:", NULL, &s, &err) < 0) fail_msg("%s", err.text);
    sharc_store_id site_id = 0;
    assert_int_equal(sharc_store_site_put(s, &where, &site_id, NULL), 0);
    sharc_store_batch_new(s, &b);
    static const struct sharc_store_link links[] = {{SHARC_SPAN("http://e.example/still"), 0},
                                                    {SHARC_SPAN("http://e.example/busy"), 0}};
    for (int i = 0; i < 4; i++) { /* one a week, the newest last */
        struct sharc_store_capture c = SHARC_STORE_CAPTURE_INIT;
        sharc_store_id id = 0;
        double day = 28 - 7 * i;
        char busy[20];
        c.site = site_id;
        c.start = START - (sharc_time)(day * (double)SHARC_DAY);
        c.state = SHARC_CAPTURE_COMPLETE;
        assert_int_equal(sharc_store_capture_add(s, &c, &id, NULL, NULL), 0);
        snprintf(busy, sizeof busy, "busy %d", i);
        put_page(b, id, "http://e.example/", day, "root", links, 2);
        put_page(b, id, "http://e.example/still", day, "still", NULL, 0);
        put_page(b, id, "http://e.example/busy", day, busy, NULL, 0);
    }
    if (sharc_store_batch_commit(b, &err) < 0) fail_msg("%s", err.text);
    sharc_store_batch_free(b);
    return s;
}

static void earlier_captures_are_remembered(void **state)
{
    (void)state;
    struct world w = WORLD;
    w.o.store = earlier_captures();
    w.o.url = SHARC_SPAN("http://e.example/");
    sharc_clock_virtual_init(&w.clock, START);
    w.o.clock = &w.clock.clock;
    if (sharc_survey_make(&w.o, &w.found, &w.err) < 0) fail_msg("%s", w.err.text);
    assert_int_equal(w.found.count, 3);
    assert_int_equal(w.found.from_earlier, 3);
    assert_int_equal(w.found.watched, 3);
    assert_int_equal(w.found.requests, 0);
    assert_int_equal(w.found.link_count, 2);
    assert_true(page(&w, "/busy")->rate > 5 * page(&w, "/still")->rate);
    assert_true(page(&w, "/busy")->rate > 1.0 / (14 * 86400.0));
    assert_true(page(&w, "/still")->rate < 1.0 / (21 * 86400.0));
    sharc_survey_done(&w.found);
    w.o.url = SHARC_SPAN("http://unknown.example/");
    assert_int_equal(sharc_survey_make(&w.o, &w.found, &w.err), SHARC_ENOENT);
    sharc_store_free(w.o.store);
}

/* Politeness belongs to the site: what it asked of a crawl, a survey heeds. */
static void what_a_host_asked_for_is_remembered(void **state)
{
    (void)state;
    struct world w = WORLD;
    static const struct sharc_fetch_page pages[] = {{"http://e.example/", 0, NULL, NULL, "hello"}};
    struct sharc_store_host row = {.name = SHARC_SPAN("e.example"),
                                   .next = START + SHARC_HOUR,
                                   .backoff = SHARC_HOUR,
                                   .robots_when = SHARC_TIME_NONE};
    w.o.store = earlier_captures();
    assert_int_equal(sharc_store_hosts_put(w.o.store, &row, 1, NULL), 0);
    assert_int_equal(survey(&w, pages, 1, "http://e.example/"), SHARC_ENET);
    assert_non_null(strstr(w.err.text, "e.example asked an earlier run to stay away until 2023-11-14T23:13:20"));
    assert_true(w.clock.clock.now(&w.clock.clock) == START); /* nobody was asked */
    row.backoff = 0;
    assert_int_equal(sharc_store_hosts_put(w.o.store, &row, 1, NULL), 0);
    if (survey(&w, pages, 1, "http://e.example/") < 0) fail_msg("%s", w.err.text);
    assert_true(w.clock.clock.now(&w.clock.clock) > START + SHARC_HOUR);
    sharc_survey_done(&w.found);
    sharc_store_free(w.o.store);
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(what_a_host_asked_for_is_remembered), cmocka_unit_test(everything_that_is_told_is_known),
    cmocka_unit_test(without_a_sitemap_links_lead),        cmocka_unit_test(refusals_have_reasons),
    cmocka_unit_test(a_busy_site_is_left_alone),           cmocka_unit_test(a_busy_sitemap_is_heeded),
    cmocka_unit_test(every_host_has_rules_of_its_own),     cmocka_unit_test(earlier_captures_are_remembered),
};
TEST_MAIN(tests)

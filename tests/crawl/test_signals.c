/* SPDX-License-Identifier: Apache-2.0
 *
 * Some pages change after their visit, and nothing that was visited tells of it: the
 * sitemap does, when it is read again.
 */
#include "world.h"

#include "sharc/base_clock.h"
#include "sharc/store_query.h"

#include <stdio.h>
#include <stdlib.h>

enum { PAGES = 201, STEP = 20 }; /* every STEP-th page changes */
#define H "http://signals.test"

static const sharc_time edit = 190500 * SHARC_MSEC;

enum sitemap { HONEST, DAYS, NOW };

struct told {
    struct web_page web[PAGES + 2];
    char url[PAGES][40];
    char root[PAGES * 40];
    char *map; /* of the sitemap */
};
static enum sitemap how;
static struct told site;

static bool changes(size_t i)
{
    return i > 0 && i % STEP == 0 && i < 180;
}

static void make_site(void)
{
    site.root[0] = 0;
    for (size_t i = 1; i < PAGES; i++) {
        snprintf(site.url[i], sizeof site.url[i], H "/p%zu", i);
        size_t n = strlen(site.root);
        snprintf(site.root + n, sizeof site.root - n, "<a href=/p%zu>x</a> ", i);
        site.web[i] = (struct web_page){.url = site.url[i], .body = "text"};
        if (changes(i)) {
            site.web[i].changes = &edit;
            site.web[i].changes_count = 1;
        }
    }
    site.web[0] = (struct web_page){.url = H "/", .body = site.root};
    site.web[PAGES] = (struct web_page){.url = H "/robots.txt", .type = "text/plain", .body = "Sitemap: /map.xml\n"};
    site.web[PAGES + 1] = (struct web_page){
        .url = H "/map.xml", .type = "text/xml", .body = "", .etag = true, .changes = &edit, .changes_count = 1};
}

/* The sitemap as it is at the time of the request. */
static void write_map(struct world *w)
{
    const sharc_time now = w->clock.at;
    SHARC_AUTO(sharc_buf_done) struct sharc_buf b = SHARC_BUF_INIT(1u << 20);
    sharc_buf_put_str(&b, "<urlset xmlns='http://www.sitemaps.org/schemas/sitemap/0.9'>");
    for (size_t i = 1; i < PAGES; i++) {
        char when[SHARC_TIME_TEXT];
        sharc_time t = w->began - 400 * SHARC_DAY;
        if (changes(i) && now >= w->began + edit) t = w->began + edit;
        if (how == NOW) t = now;
        sharc_time_iso(t, 0, when);
        if (how == DAYS) when[10] = 0;
        sharc_buf_printf(&b, "<url><loc>%s</loc><lastmod>%s</lastmod></url>", site.url[i], when);
    }
    sharc_buf_put_str(&b, "</urlset>");
    free(site.map);
    site.map = sharc_strdup(sharc_buf_str(&b));
    w->pages[PAGES + 1].body = site.map;
    if (how == NOW) w->pages[PAGES + 1].etag = false;
}

static void crawl(struct world *w, enum sitemap kind, bool signals, size_t stop_at)
{
    how = kind;
    w->o.strategy = sharc_strategy_find("sharc-focus");
    w->o.params.focus_breadth_first = true;
    w->o.no_sitemaps = false;
    w->o.no_signals = !signals;
    w->at_request = write_map;
    w->die_at = stop_at;
    w->stops = 1;
    assert_int_equal(world_crawl(w, H "/", NULL), stop_at ? SHARC_EINTR : 0);
}

static void begin(struct world *w)
{
    make_site();
    world_init(w, site.web, SHARC_LENGTH(site.web));
}

static void end(struct world *w)
{
    world_done(w);
    free(site.map);
    site.map = NULL;
}

static unsigned conditional(const struct world *w, const char *url)
{
    unsigned n = 0;
    for (size_t i = 0; i < w->asked_count; i++) n += w->asked[i].conditional && strcmp(w->asked[i].url, url) == 0;
    return n;
}

static unsigned looked_at_changed(const struct world *w)
{
    unsigned n = 0;
    for (size_t i = 1; i < PAGES; i++) n += changes(i) && world_asked(w, site.url[i]) == 3;
    return n;
}

static void honest_sitemap_saves_the_pages_it_names(void **state)
{
    (void)state;
    struct world w;
    begin(&w);
    crawl(&w, HONEST, true, 0);
    struct sharc_crawl_summary s = world_summary(&w, 0);
    assert_int_equal(s.pages, PAGES);
    assert_int_equal(looked_at_changed(&w), 8);
    assert_int_equal(s.coherent, PAGES);
    const unsigned readings = world_asked(&w, H "/map.xml");
    assert_in_range(readings, 2, 1 + 2 * PAGES / 50 + 1);
    /* Only a newer one is asked for. */
    assert_int_equal(conditional(&w, H "/map.xml"), readings - 1);
    /* The front page is looked at once more, too, in case it lists what is new. */
    assert_int_equal(s.signals.lists, 2);
    assert_int_equal(s.signals.readings, readings - 1 + world_asked(&w, H "/") - 2);
    assert_int_equal(s.signals.right, 8);
    assert_int_equal(s.signals.wrong, 0);
    assert_int_equal(s.signals.told, 8);
    SHARC_AUTO(sharc_freep) char *log = world_file(&w, "logs/crawl.log");
    assert_non_null(strstr(log, "sharc:signals"));
    assert_non_null(strstr(log, "told:8,missed:0,right:8,wrong:0"));
    end(&w);
}

static void without_it_they_are_lost(void **state)
{
    (void)state;
    struct world w;
    begin(&w);
    crawl(&w, HONEST, false, 0);
    struct sharc_crawl_summary s = world_summary(&w, 0);
    assert_int_equal(world_asked(&w, H "/map.xml"), 1);
    assert_true(s.coherent < PAGES);
    assert_int_equal(s.signals.readings, 0);
    end(&w);
}

static void days_are_enough(void **state)
{
    (void)state;
    struct world w;
    begin(&w);
    crawl(&w, DAYS, true, 0);
    assert_int_equal(world_summary(&w, 0).coherent, PAGES);
    end(&w);
}

/* A sitemap that stamps everything names no page that deserves a look before others. */
static void stamps_for_all_change_little(void **state)
{
    (void)state;
    struct world with, without;
    begin(&with);
    crawl(&with, NOW, true, 0);
    begin(&without);
    crawl(&without, NOW, false, 0);
    assert_true(world_summary(&with, 0).coherent + 2 >= world_summary(&without, 0).coherent);
    assert_true(with.asked_count <= without.asked_count + world_asked(&with, H "/map.xml"));
    world_done(&without);
    end(&with);
}

static void break_map(struct world *w)
{
    write_map(w);
    if (w->asked_count > PAGES / 2) w->pages[PAGES + 1].fail_as = -SHARC_FETCH_TIMEOUT, w->pages[PAGES + 1].fails = 1;
}

/* A sitemap that does not answer any more keeps nobody waiting: it is not tried again before the
 * next part. */
static void a_sitemap_that_is_lost_is_not_waited_for(void **state)
{
    (void)state;
    struct world w;
    begin(&w);
    w.o.strategy = sharc_strategy_find("sharc-focus");
    w.o.params.focus_breadth_first = true;
    w.o.no_sitemaps = false;
    w.at_request = break_map;
    how = HONEST;
    assert_int_equal(world_crawl(&w, H "/", NULL), 0);
    struct sharc_crawl_summary s = world_summary(&w, 0);
    assert_int_equal(s.phase, SHARC_CRAWL_DONE);
    assert_int_equal(s.pages, PAGES);
    assert_int_equal(s.signals.readings, world_asked(&w, H "/") - 2); /* of the front page */
    for (size_t i = 1; i < w.asked_count; i++) {
        if (strcmp(w.asked[i - 1].url, H "/map.xml") != 0 || i < PAGES) continue;
        assert_string_not_equal(w.asked[i].url, H "/map.xml");
        assert_true(w.asked[i].when - w.asked[i - 1].when < 40 * SHARC_SEC);
    }
    assert_in_range(world_asked(&w, H "/map.xml"), 2, 12);
    end(&w);
}

/* Stopped before, between and after the readings, it believes the same as before: the journal
 * tells what was said, or the crawl would fail. */
static void what_was_said_survives_an_interruption(void **state)
{
    (void)state;
    for (size_t at = PAGES - 2; at < PAGES + 60; at += 7) {
        struct world w;
        begin(&w);
        crawl(&w, HONEST, true, at);
        world_end_crawl(&w);
        crawl(&w, HONEST, true, 0);
        assert_true(world_summary(&w, 0).coherent >= PAGES - 1);
        end(&w);
    }
}

/* The parameters of the newest capture. */
static char *newest_params(const struct world *w)
{
    SHARC_AUTO(sharc_store_rows_freep) struct sharc_store_rows *rows = NULL;
    struct sharc_store_capture_filter f = SHARC_STORE_CAPTURE_FILTER_INIT;
    struct sharc_store_capture row;
    f.newest_first = true;
    assert_int_equal(sharc_store_captures(w->store, &f, &rows, NULL), 0);
    assert_int_equal(sharc_store_rows_next(rows, NULL), 1);
    sharc_store_read_capture(rows, &row);
    return sharc_span_dup(row.params);
}

/* What a capture says of its lists is its own; what the next one begins with is all of it. */
static void what_a_sitemap_was_worth_is_remembered(void **state)
{
    (void)state;
    struct world w;
    begin(&w);
    crawl(&w, HONEST, true, 0);
    SHARC_AUTO(sharc_freep) char *first = newest_params(&w);
    assert_non_null(strstr(first, "\"signals\":[{\"source\":\"sitemaps\",\"kind\":\"sitemap\""));
    assert_non_null(strstr(first, "\"told\":8,\"missed\":0,\"right\":8,\"wrong\":0"));
    world_end_crawl(&w);
    crawl(&w, HONEST, true, 0);
    SHARC_AUTO(sharc_freep) char *second = newest_params(&w), *counts = NULL;
    const struct sharc_crawl_summary s = world_summary(&w, 0);
    counts = sharc_asprintf("\"told\":%u,\"missed\":%u,\"right\":%u,", 8 + s.signals.told, s.signals.missed,
                            8 + s.signals.right);
    assert_non_null(strstr(second, counts));
    world_end_crawl(&w);
    w.o.forget = true; /* nothing of earlier captures */
    crawl(&w, HONEST, true, 0);
    SHARC_AUTO(sharc_freep) char *third = newest_params(&w), *own = NULL;
    const struct sharc_crawl_summary t = world_summary(&w, 0);
    own = sharc_asprintf("\"told\":%u,\"missed\":%u,\"right\":%u,", t.signals.told, t.signals.missed, t.signals.right);
    assert_non_null(strstr(third, own));
    end(&w);
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(honest_sitemap_saves_the_pages_it_names),
    cmocka_unit_test(without_it_they_are_lost),
    cmocka_unit_test(days_are_enough),
    cmocka_unit_test(stamps_for_all_change_little),
    cmocka_unit_test(a_sitemap_that_is_lost_is_not_waited_for),
    cmocka_unit_test(what_was_said_survives_an_interruption),
    cmocka_unit_test(what_a_sitemap_was_worth_is_remembered),
};
TEST_MAIN(tests)

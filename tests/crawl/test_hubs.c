/* SPDX-License-Identifier: Apache-2.0
 *
 * Some pages change after their visit, there is no sitemap, and the pages state no dates. What
 * tells of the edits are pages of the site itself: a feed that the front page names, or a page
 * that lists what is new. They are looked at again before the revisits.
 */
#include "world.h"

#include "sharc/base_clock.h"
#include "sharc/base_rng.h"
#include "sharc/http.h"

#include <stdio.h>
#include <stdlib.h>

enum { PAGES = 201, STEP = 20, FEEDS = 40 }; /* every STEP-th page changes */
#define H "http://hubs.test"

static const sharc_time edit = 190500 * SHARC_MSEC;

enum teller { NOBODY, FEED, WIKI_FEED, LYING_FEED, HUB, SHUFFLED, MANY_FEEDS };

struct site {
    struct web_page web[PAGES + FEEDS];
    char url[PAGES + FEEDS][48];
    char root[(PAGES + FEEDS) * 60];
    char *told; /* body of feed or hub */
    size_t count;
    enum teller teller;
};
static struct site site;

static bool changes(size_t i)
{
    return i > 0 && i % STEP == 0 && i < 180;
}

static void add_teller(const char *path, const char *type)
{
    const size_t at = site.count++;
    snprintf(site.url[at], sizeof site.url[at], H "%s", path);
    site.web[at] = (struct web_page){.url = site.url[at], .type = type, .body = ""};
    if (site.teller != LYING_FEED && site.teller != SHUFFLED && site.teller != MANY_FEEDS) {
        site.web[at].changes = &edit;
        site.web[at].changes_count = 1;
    }
}

static void make_site(enum teller teller)
{
    free(site.told);
    site = (struct site){.teller = teller, .count = PAGES};
    const char *head = teller == HUB || teller == SHUFFLED ? "<a href=/recent>new</a>" : "";
    if (teller == FEED || teller == WIKI_FEED || teller == LYING_FEED)
        head = "<link rel=alternate type=application/rss+xml href=/feed.xml>";
    snprintf(site.root, sizeof site.root, "%s", head);
    for (size_t i = 1; i < PAGES; i++) {
        snprintf(site.url[i], sizeof site.url[i], H "/p%zu", i);
        size_t n = strlen(site.root);
        snprintf(site.root + n, sizeof site.root - n, "<a href=/p%zu>x</a> ", i);
        site.web[i] = (struct web_page){.url = site.url[i], .body = "text"};
        if (!changes(i)) continue;
        site.web[i].changes = &edit;
        site.web[i].changes_count = 1;
    }
    if (*head)
        add_teller(teller == HUB || teller == SHUFFLED ? "/recent" : "/feed.xml",
                   *head == '<' && head[1] == 'l' ? "application/rss+xml" : NULL);
    for (size_t i = 0; teller == MANY_FEEDS && i < FEEDS; i++) {
        char path[32];
        snprintf(path, sizeof path, "/feed%zu.xml", i);
        size_t n = strlen(site.root);
        snprintf(site.root + n, sizeof site.root - n, "<link rel=alternate type=application/rss+xml href=%s>", path);
        add_teller(path, "application/rss+xml");
    }
    site.web[0] = (struct web_page){.url = H "/", .body = site.root};
}

static void put_item(struct sharc_buf *b, size_t page, sharc_time when)
{
    char date[SHARC_TIME_TEXT];
    sharc_buf_printf(b, "<item><link>" H "/p%zu</link><pubDate>%s</pubDate></item>", page,
                     sharc_http_date_text(when, date));
}

/* Newest first; what was there before the crawl comes last. */
static void put_feed(const struct world *w, struct sharc_buf *b)
{
    const bool edited = w->clock.at >= w->began + edit;
    sharc_buf_put_str(b, "<rss><channel>");
    for (size_t i = 1; i < PAGES && site.teller == LYING_FEED; i += 2) put_item(b, i, w->clock.at);
    for (size_t i = 1; i < PAGES && edited && site.teller != LYING_FEED; i++)
        if (changes(i)) put_item(b, i, w->began + edit);
    /* As wikis do: every edit has an entry, also the earlier ones of a page. */
    for (size_t i = 1; i < PAGES && site.teller == WIKI_FEED; i++)
        if (changes(i)) put_item(b, i, w->began - SHARC_HOUR);
    for (size_t i = 1; i < 5; i++) put_item(b, i, w->began - (sharc_time)i * SHARC_DAY);
    sharc_buf_put_str(b, "<item><link>http://elsewhere.test/p7</link><pubDate>Tue, 14 Nov 2023 22:00:00 GMT</pubDate>"
                         "</item><item><link>" H "/p3</link><pubDate>Fri, 01 Jan 2100 00:00:00 GMT</pubDate></item>"
                         "</channel></rss>");
}

static void put_hub(const struct world *w, struct sharc_buf *b)
{
    const bool edited = w->clock.at >= w->began + edit;
    struct sharc_rng rng;
    sharc_rng_init(&rng, (uint64_t)w->asked_count);
    sharc_buf_put_str(b, "<a href=/>front</a>");
    for (size_t i = 1; i < PAGES && edited && site.teller == HUB; i++)
        if (changes(i)) sharc_buf_printf(b, "<a href=/p%zu>new</a>", i);
    for (size_t i = 0; i < 30; i++)
        sharc_buf_printf(b, "<a href=/p%zu>x</a>",
                         site.teller == HUB ? 3 * i + 1 : 1 + (size_t)sharc_rng_below(&rng, PAGES - 1));
    sharc_buf_put_str(b, "<a href=/p2>foot</a>");
}

/* What it tells at the time of the request. */
static void write_teller(struct world *w)
{
    SHARC_AUTO(sharc_buf_done) struct sharc_buf b = SHARC_BUF_INIT(1u << 20);
    if (site.teller == NOBODY) return;
    if (site.teller == HUB || site.teller == SHUFFLED)
        put_hub(w, &b);
    else
        put_feed(w, &b);
    free(site.told);
    site.told = sharc_strdup(sharc_buf_str(&b));
    for (size_t i = PAGES; i < site.count; i++) w->pages[i].body = site.told;
}

static void begin(struct world *w, enum teller teller)
{
    make_site(teller);
    world_init(w, site.web, site.count);
    w->o.strategy = sharc_strategy_find("sharc-focus");
    w->o.params.focus_breadth_first = true;
    w->at_request = write_teller;
}

static void end(struct world *w)
{
    world_done(w);
    free(site.told);
    site.told = NULL;
}

static unsigned looked_at_changed(const struct world *w)
{
    unsigned n = 0;
    for (size_t i = 1; i < PAGES; i++) n += changes(i) && world_asked(w, site.url[i]) == 3;
    return n;
}

static struct sharc_crawl_summary crawl(struct world *w, enum teller teller)
{
    begin(w, teller);
    assert_int_equal(world_crawl(w, H "/", NULL), 0);
    return world_summary(w, 0);
}

static void edits_that_nobody_tells_of_are_lost(void **state)
{
    (void)state;
    struct world w;
    const struct sharc_crawl_summary s = crawl(&w, NOBODY);
    assert_int_equal(s.pages, PAGES);
    assert_int_equal(s.coherent, PAGES - 8);
    /* The front page is a hub; nothing is new on it. */
    assert_int_equal(s.signals.lists, 1);
    assert_int_equal(s.signals.told, 0);
    assert_int_equal(s.signals.wrong, 0);
    end(&w);
}

static void a_feed_that_pages_name_saves_them(void **state)
{
    (void)state;
    for (int wiki = 0; wiki < 2; wiki++) {
        struct world w;
        const struct sharc_crawl_summary s = crawl(&w, wiki ? WIKI_FEED : FEED);
        assert_int_equal(s.pages, PAGES + 1);
        assert_int_equal(looked_at_changed(&w), 8);
        assert_int_equal(s.coherent, PAGES + 1);
        assert_int_equal(s.signals.right, 8);
        assert_int_equal(s.signals.wrong, 0);
        assert_int_equal(s.signals.told, 8);
        assert_in_range(world_asked(&w, H "/feed.xml"), 3, 5); /* visit, look, revisit */
        end(&w);
    }
}

static void without_signals_pages_are_not_asked_for_again(void **state)
{
    (void)state;
    struct world w;
    begin(&w, FEED);
    w.o.no_signals = true;
    assert_int_equal(world_crawl(&w, H "/", NULL), 0);
    const struct sharc_crawl_summary s = world_summary(&w, 0);
    assert_int_equal(world_asked(&w, H "/feed.xml"), 2);
    assert_int_equal(s.signals.lists, 0);
    assert_true(s.coherent < PAGES);
    end(&w);
}

static void a_list_of_what_is_new_saves_them(void **state)
{
    (void)state;
    struct world w;
    const struct sharc_crawl_summary s = crawl(&w, HUB);
    assert_int_equal(s.pages, PAGES + 1);
    assert_int_equal(looked_at_changed(&w), 8);
    assert_int_equal(s.coherent, PAGES + 1);
    assert_int_equal(s.signals.told, 8);
    assert_int_equal(s.signals.wrong, 0);
    end(&w);
}

/* One that names pages at random, or half of the site at each reading, costs little. */
static void liars_cost_little(void **state)
{
    (void)state;
    static const enum teller liars[] = {LYING_FEED, SHUFFLED};
    for (size_t i = 0; i < SHARC_LENGTH(liars); i++) {
        struct world with, without;
        const struct sharc_crawl_summary s = crawl(&with, liars[i]);
        const unsigned readings = s.signals.readings;
        begin(&without, liars[i]);
        without.o.no_signals = true;
        assert_int_equal(world_crawl(&without, H "/", NULL), 0);
        assert_true(s.coherent + 3 >= world_summary(&without, 0).coherent);
        assert_true(with.asked_count <= without.asked_count + readings + (2 * PAGES) / 10 + 1);
        world_done(&without);
        end(&with);
    }
}

/* Blogs have a feed of comments for every page. */
static void only_few_feeds_are_asked_for_again(void **state)
{
    (void)state;
    struct world w;
    const struct sharc_crawl_summary s = crawl(&w, MANY_FEEDS);
    unsigned again = 0;
    for (size_t i = PAGES; i < site.count; i++) again += world_asked(&w, site.url[i]) > 2;
    assert_in_range(s.signals.lists, 2, 8);
    assert_true(again <= 7);
    assert_true(s.signals.readings <= 2 * (PAGES + FEEDS) / 8);
    end(&w);
}

/* Stopped before, between and after the readings, it believes the same as before, or the crawl would fail. */
static void what_was_said_survives_an_interruption(void **state)
{
    (void)state;
    static const enum teller tellers[] = {FEED, HUB};
    for (size_t i = 0; i < SHARC_LENGTH(tellers); i++) {
        for (size_t at = PAGES - 3; at < PAGES + 30; at += at < PAGES + 8 ? 1 : 6) {
            struct world w;
            begin(&w, tellers[i]);
            w.die_at = at;
            w.stops = 1;
            assert_int_equal(world_crawl(&w, H "/", NULL), SHARC_EINTR);
            world_end_crawl(&w);
            w.die_at = 0;
            assert_int_equal(world_crawl(&w, H "/", NULL), 0);
            assert_int_equal(world_summary(&w, 0).coherent, PAGES + 1);
            end(&w);
        }
    }
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(edits_that_nobody_tells_of_are_lost),
    cmocka_unit_test(a_feed_that_pages_name_saves_them),
    cmocka_unit_test(without_signals_pages_are_not_asked_for_again),
    cmocka_unit_test(a_list_of_what_is_new_saves_them),
    cmocka_unit_test(liars_cost_little),
    cmocka_unit_test(only_few_feeds_are_asked_for_again),
    cmocka_unit_test(what_was_said_survives_an_interruption),
};
TEST_MAIN(tests)

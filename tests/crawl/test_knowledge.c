/* SPDX-License-Identifier: Apache-2.0
 *
 * What a crawl knows about how often pages change: from the ages that its own
 * visits show, from sitemaps, and from captures before.
 */
#include "world.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#define H "http://site.test"
enum { HOT = 30, COLD = 30 };

#define AN_HOUR_OLD "Last-Modified: Tue, 14 Nov 2023 21:00:00 GMT\r\n"
#define YEARS_OLD "Last-Modified: Wed, 01 Jan 2020 21:00:00 GMT\r\n"

/* Two folders, linked one page of each in turn from the front page. */
struct folders {
    struct web_page web[1 + HOT + COLD];
    char url[1 + HOT + COLD][40];
    char front[64 * (HOT + COLD)];
};

static void make_folders(struct folders *s)
{
    s->front[0] = 0;
    for (size_t i = 0; i < HOT + COLD; i++) {
        bool hot = i % 2;
        snprintf(s->url[i + 1], sizeof s->url[i + 1], H "/%s/%zu", hot ? "news" : "archive", i);
        snprintf(s->front + strlen(s->front), sizeof s->front - strlen(s->front), "<a href=%s>%zu</a>\n", s->url[i + 1],
                 i);
        s->web[i + 1] =
            (struct web_page){.url = s->url[i + 1], .body = "text", .fields = hot ? AN_HOUR_OLD : YEARS_OLD};
    }
    s->web[0] = (struct web_page){.url = H "/", .body = s->front, .fields = AN_HOUR_OLD};
}

/* Places in the order of the last requests of a folder's pages. */
static size_t first_of(const struct world *w, const char *folder, size_t from)
{
    while (from < w->asked_count && !strstr(w->asked[from].url, folder)) from++;
    return from;
}

static void a_first_capture_learns_from_neighbours(void **state)
{
    (void)state;
    static struct folders s;
    struct world w;
    make_folders(&s);
    world_init(&w, s.web, SHARC_LENGTH(s.web));
    w.o.strategy = sharc_strategy_find("hottest-first");
    assert_int_equal(world_crawl(&w, H "/", NULL), 0);
    assert_int_equal(w.asked_count, 2 + HOT + COLD);
    /* Of both kinds some are needed to learn which is which; then the hot ones come
     * first, though nobody has ever seen one of those pages. */
    size_t last_hot = 0, late_cold = 0;
    for (size_t i = 0; i < w.asked_count; i++)
        if (strstr(w.asked[i].url, "/news/")) last_hot = i;
    for (size_t i = 20; i < last_hot; i++) late_cold += strstr(w.asked[i].url, "/archive/") != NULL;
    assert_int_equal(late_cold, 0);
    assert_true(first_of(&w, "/archive/", last_hot) < w.asked_count);
    world_done(&w);
}

static double planned(const struct world *w, const char *url)
{
    SHARC_AUTO(sharc_store_rows_freep) struct sharc_store_rows *rows = NULL;
    struct sharc_err err = SHARC_ERR_INIT;
    struct sharc_store_page p = SHARC_STORE_PAGE_INIT;
    assert_int_equal(sharc_store_history(w->store, sharc_span_of(url), &rows, &err), 0);
    assert_int_equal(sharc_store_rows_next(rows, &err), 1);
    sharc_store_read_page(rows, &p);
    return p.planned_rate;
}

static void sitemaps_speak_of_pages_and_of_their_neighbours(void **state)
{
    (void)state;
    const struct web_page web[] = {
        {H "/robots.txt", .type = "text/plain", .body = "Sitemap: " H "/map.xml\n"},
        {H "/map.xml", .type = "application/xml",
         .body = "<urlset xmlns='http://www.sitemaps.org/schemas/sitemap/0.9'>"
                 "<url><loc>" H "/a/1</loc><lastmod>2023-11-14T20:00:00Z</lastmod></url>"
                 "<url><loc>" H "/a/2</loc><lastmod>2023-11-14T20:00:00Z</lastmod></url>"
                 "<url><loc>" H "/b/1</loc><lastmod>2020-01-01T20:00:00Z</lastmod></url>"
                 "<url><loc>" H "/b/2</loc><lastmod>2020-01-01T20:00:00Z</lastmod></url>"
                 "<url><loc>" H "/c/1</loc><changefreq>hourly</changefreq></url>"
                 "<url><loc>" H "/c/2</loc><changefreq>yearly</changefreq></url>"
                 "</urlset>"},
        {H "/", .body = "<a href=/a/new>a</a> <a href=/b/new>b</a>"},
        {H "/a/1", .body = "a"},
        {H "/a/2", .body = "a"},
        {H "/b/1", .body = "b"},
        {H "/b/2", .body = "b"},
        {H "/c/1", .body = "c"},
        {H "/c/2", .body = "c"},
        {H "/a/new", .body = "a"},
        {H "/b/new", .body = "b"},
    };
    struct world w;
    world_init(&w, web, SHARC_LENGTH(web));
    w.o.no_sitemaps = false;
    w.o.strategy = sharc_strategy_find("bfs");
    assert_int_equal(world_crawl(&w, H "/", NULL), 0);
    assert_true(planned(&w, H "/a/1") > 10 * planned(&w, H "/b/1"));
    assert_true(planned(&w, H "/a/new") > 1.2 * planned(&w, H "/b/new"));
    assert_true(planned(&w, H "/c/1") > 10 * planned(&w, H "/c/2"));
    world_done(&w);
}

/* --- captures before ------------------------------------------------------------------ */

enum { WATCHED = 24, DAYS = 8 };

/* One folder in which every fourth page changes every day. Nothing says how old it is. */
struct watched {
    struct web_page web[1 + WATCHED];
    char url[1 + WATCHED][40], front[64 * WATCHED];
    sharc_time daily[DAYS];
};

static void make_watched(struct watched *s)
{
    s->front[0] = 0;
    for (size_t k = 0; k < DAYS; k++) s->daily[k] = (sharc_time)k * SHARC_DAY + SHARC_DAY / 2;
    for (size_t i = 1; i <= WATCHED; i++) {
        snprintf(s->url[i], sizeof s->url[i], H "/a/%zu", i);
        snprintf(s->front + strlen(s->front), sizeof s->front - strlen(s->front), "<a href=%s>x</a>\n", s->url[i]);
        s->web[i] = (struct web_page){.url = s->url[i], .body = "text of a page that is there"};
        if (i % 4) continue;
        s->web[i].changes = s->daily;
        s->web[i].changes_count = DAYS;
    }
    s->web[0] = (struct web_page){.url = H "/", .body = s->front};
}

/* The row that captures left behind; false: there is none. */
static bool kept_rate(const struct world *w, const char *url, struct sharc_store_rate *ret)
{
    struct sharc_err err = SHARC_ERR_INIT;
    SHARC_AUTO(sharc_store_rows_freep) struct sharc_store_rows *rows = NULL;
    sharc_store_id id = 0;
    assert_int_equal(sharc_store_url_find(w->store, sharc_span_of(url), &id, &err), 0);
    assert_int_equal(sharc_store_rates(w->store, id, "crawl", &rows, &err), 0);
    if (sharc_store_rows_next(rows, &err) <= 0) return false;
    sharc_store_read_rate(rows, ret);
    ret->url = ret->source = SHARC_SPAN_NONE;
    return true;
}

static void captures_leave_rates_behind_and_use_them(void **state)
{
    (void)state;
    static struct watched s;
    struct world w;
    struct sharc_store_rate busy, calm;
    make_watched(&s);
    world_init(&w, s.web, SHARC_LENGTH(s.web));
    for (int capture = 0; capture < 5; capture++) {
        w.clock.at = w.began + capture * SHARC_DAY;
        w.o.strategy = sharc_strategy_find(capture < 4 ? "bfs" : "hottest-last");
        assert_int_equal(world_crawl(&w, H "/", NULL), 0);
        assert_int_equal(world_summary(&w, 0).pages, 1 + WATCHED);
        assert_true(kept_rate(&w, s.url[4], &busy) && kept_rate(&w, s.url[5], &calm));
        assert_int_equal((int)busy.observations, capture);
        assert_true(busy.when > w.began + capture * SHARC_DAY);
        assert_true(busy.low < busy.value && busy.value < busy.high);
        if (capture == 0)
            assert_true(fabs(busy.value - calm.value) < 1e-9); /* nobody can know yet */
        else
            assert_true(busy.value > (capture == 1 ? 1.2 : 2) * calm.value);
        world_end_crawl(&w);
    }
    /* About once a day, and next to never. */
    assert_true(busy.value * 86400 > 0.4 && busy.value * 86400 < 3);
    assert_true(calm.value * 86400 < 0.1);
    /* The fifth capture had the busy pages at its end. */
    for (size_t i = w.asked_count - WATCHED / 4; i < w.asked_count; i++)
        assert_int_equal(strtol(strrchr(w.asked[i].url, '/') + 1, NULL, 10) % 4, 0);
    world_done(&w);
}

static void what_is_gone_has_no_rate(void **state)
{
    (void)state;
    const struct web_page web[] = {{H "/", .body = "<a href=/gone>x</a>"}};
    struct world w;
    struct sharc_store_rate rate;
    world_init(&w, web, SHARC_LENGTH(web));
    assert_int_equal(world_crawl(&w, H "/", NULL), 0);
    assert_true(kept_rate(&w, H "/", &rate));
    assert_false(kept_rate(&w, H "/gone", &rate));
    world_done(&w);
}

/* --- weights --------------------------------------------------------------------------- */

static double heavy(void *arg, struct sharc_span url)
{
    return sharc_span_ends(url, sharc_span_of(arg)) ? 9 : -1;
}

static void weights_move_pages(void **state)
{
    (void)state;
    const struct web_page web[] = {
        {H "/", .body = "<a href=/a>a</a> <a href=/b>b</a> <a href=/c>c</a>"},
        {H "/a", .body = "<a href=/c>c</a> <a href=/>r</a>"},
        {H "/b", .body = "<a href=/c>c</a> <a href=/>r</a>"},
        {H "/c", .body = "<a href=/>r</a>"},
    };
    struct world w;
    world_init(&w, web, SHARC_LENGTH(web));
    w.o.strategy = sharc_strategy_find("hottest-first");
    w.o.weights = SHARC_CRAWL_WEIGHTS_GIVEN;
    w.o.weigh = heavy;
    w.o.weigh_arg = (char[]){"/b"};
    assert_int_equal(world_crawl(&w, H "/", NULL), 0);
    SHARC_AUTO(sharc_freep) char *first = world_order(&w);
    assert_string_equal(first, "/robots.txt / /b /a /c");
    world_end_crawl(&w);
    /* The links of that capture make the front page and /c heavy. */
    size_t before = w.asked_count;
    w.clock.at += SHARC_HOUR;
    w.o.weights = SHARC_CRAWL_WEIGHTS_INDEGREE;
    assert_int_equal(world_crawl(&w, H "/", NULL), 0);
    assert_string_equal(w.asked[before + 1].url, H "/");
    assert_string_equal(w.asked[before + 2].url, H "/c");
    world_end_crawl(&w);
    before = w.asked_count;
    w.clock.at += SHARC_HOUR;
    w.o.weights = SHARC_CRAWL_WEIGHTS_PAGERANK;
    assert_int_equal(world_crawl(&w, H "/", NULL), 0);
    assert_string_equal(w.asked[before + 2].url, H "/c");
    world_done(&w);
}

/* --- pages under several addresses ---------------------------------------------------- */

#define WORDS "one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen"

static void the_same_page_counts_once(void **state)
{
    (void)state;
    const struct web_page web[] = {
        {H "/", .body = "<a href=/p>1</a> <a href=/p?print>2</a> <a href=/liar>3</a> <a href=/q>4</a> <a href=/r>5</a>"
                        " <a href=/head?x>6</a> and words of the front page that nobody else has"},
        {H "/p", .body = "<link rel=canonical href=/p><p>" WORDS},
        {H "/p?print", .body = "<link rel=canonical href=/p><p>" WORDS},
        /* Says it is the front page, and is not. */
        {H "/liar", .body = "<link rel=canonical href=/><p>nothing of the front page at all but words of its own here"},
        /* Each says it is the other: one of them counts. */
        {H "/q", .body = "<link rel=canonical href=/r><p>round and round it goes and never comes to any end " WORDS},
        {H "/r", .body = "<link rel=canonical href=/q><p>round and round it goes and never comes to any end " WORDS},
        {H "/head?x", .fields = "Link: </s.css>; rel=preload, </head>; rel=\"canonical\"\r\n",
         .body = "<p>head " WORDS},
        {H "/head", .body = "<p>head " WORDS},
    };
    for (int stopped = 0; stopped <= 1; stopped++) {
        struct world w;
        struct sharc_store_rate rate;
        world_init(&w, web, SHARC_LENGTH(web));
        w.o.strategy = sharc_strategy_find("bfs-lifo");
        if (stopped) {
            w.die_at = 8;
            w.stops = 1;
            assert_int_equal(world_crawl(&w, H "/", NULL), SHARC_EINTR);
            world_end_crawl(&w);
            w.die_at = 0;
        }
        assert_int_equal(world_crawl(&w, H "/", NULL), 0);
        struct sharc_crawl_summary m = world_summary(&w, 0);
        assert_int_equal(m.aliases, 3); /* print, head?x, one of q and r */
        assert_int_equal(m.pages, 5);
        assert_int_equal(m.judged, 5);
        SHARC_AUTO(sharc_freep) char *print = world_skipped(&w, H "/p?print");
        assert_string_equal(print, "canonical");
        SHARC_AUTO(sharc_freep) char *liar = world_skipped(&w, H "/liar");
        assert_string_equal(liar, "");
        assert_false(kept_rate(&w, H "/p?print", &rate));
        assert_true(kept_rate(&w, H "/p", &rate));
        world_done(&w);
    }
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(a_first_capture_learns_from_neighbours),
    cmocka_unit_test(sitemaps_speak_of_pages_and_of_their_neighbours),
    cmocka_unit_test(captures_leave_rates_behind_and_use_them),
    cmocka_unit_test(what_is_gone_has_no_rate),
    cmocka_unit_test(weights_move_pages),
    cmocka_unit_test(the_same_page_counts_once),
};
TEST_MAIN(tests)

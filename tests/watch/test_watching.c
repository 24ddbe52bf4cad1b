/* SPDX-License-Identifier: Apache-2.0
 *
 * Watching sites that exist as a table, in virtual time.
 */
#include "../crawl/world.h"

#include "sharc/base_file.h"
#include "sharc/watch.h"
#include "sharc/watched.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

struct watch {
    struct world world;
    struct sharc_watching_options o;
    struct sharc_watching *w;
    struct sharc_err err;
    struct sharc_watching_counts counts;
    uint64_t events[SHARC_WATCHING_EVENT_COUNT];
    char remarks[2048];
    sharc_time set_clock; /* somebody sets the clock of the machine after five looks */
};

static void heard(void *arg, const struct sharc_watching_event *e)
{
    struct watch *t = arg;
    t->events[e->kind]++;
    if (t->set_clock && t->events[SHARC_WATCHING_LOOK] == 5) t->world.clock.anchor.set = t->set_clock;
}

static void remarked(void *arg, const char *sentence)
{
    struct watch *t = arg;
    size_t n = strlen(t->remarks);
    snprintf(t->remarks + n, sizeof t->remarks - n, "%s\n", sentence);
}

static void begin(struct watch *t, const struct web_page *pages, size_t n)
{
    *t = (struct watch){.o = SHARC_WATCHING_OPTIONS, .err = SHARC_ERR_INIT};
    world_init(&t->world, pages, n);
    t->o.crawl = t->world.o;
    t->o.crawl.reach = SHARC_REACH_PAGE;
    t->o.per_hour = 6;
    t->o.time = 2 * SHARC_DAY;
}

/* One stretch of watching, as one process would do it. */
static void run(struct watch *t, ...)
{
    const struct sharc_watching_world world = {.clock = &t->world.clock.clock,
                                               .fetcher = t->world.fetcher,
                                               .store = t->world.store,
                                               .event = heard,
                                               .remark = remarked,
                                               .arg = t};
    int r = sharc_watching_new(&t->o, &world, &t->w, &t->err);
    va_list args;
    va_start(args, t);
    for (const char *line = va_arg(args, const char *); r == 0 && line; line = va_arg(args, const char *))
        r = sharc_watching_name_line(t->w, sharc_span_of(line), &t->err);
    va_end(args);
    if (r == 0) r = sharc_watching_run(t->w, &t->err);
    if (r < 0 && r != SHARC_EINTR) fail_msg("%s", t->err.text);
    sharc_watching_counts(t->w, &t->counts);
    sharc_watching_freep(&t->w);
}

/* The longest time without a request for a URL, from an instant to the end. */
static sharc_time longest_gap(const struct world *w, const char *url)
{
    sharc_time last = 0, most = 0;
    for (size_t i = 0; i < w->asked_count; i++) {
        if (strcmp(w->asked[i].url, url) != 0) continue;
        if (w->asked[i].when - last > most) most = w->asked[i].when - last;
        last = w->asked[i].when;
    }
    sharc_time end = w->clock.at - w->began;
    return end - last > most ? end - last : most;
}

static void delays_were_kept(const struct world *w, sharc_time delay)
{
    for (size_t i = 1; i < w->asked_count; i++)
        if (w->asked[i].when - w->asked[i - 1].when < delay)
            fail_msg("%s was asked for %" PRId64 " ms after the request before it", w->asked[i].url,
                     (w->asked[i].when - w->asked[i - 1].when) / 1000);
}

static struct sharc_store_watch_look *looks(struct watch *t, size_t *ret_count)
{
    struct sharc_store_rows *rows = NULL;
    struct sharc_store_watch_filter f = SHARC_STORE_WATCH_FILTER_INIT;
    struct sharc_store_watch_look *list = NULL;
    size_t n = 0, room = 0;
    int r = sharc_store_watch_looks(t->world.store, &f, &rows, &t->err);
    while (r >= 0 && (r = sharc_store_rows_next(rows, &t->err)) > 0) {
        SHARC_GROW(list, room, n + 1);
        sharc_store_read_watch_look(rows, &list[n]);
        list[n].url = SHARC_SPAN_NONE;
        n++;
    }
    if (r < 0) fail_msg("%s", t->err.text);
    sharc_store_rows_free(rows);
    *ret_count = n;
    return list;
}

static const sharc_time hourly[] = {3 * SHARC_HOUR,  5 * SHARC_HOUR,  9 * SHARC_HOUR,  14 * SHARC_HOUR,
                                    19 * SHARC_HOUR, 25 * SHARC_HOUR, 31 * SHARC_HOUR, 36 * SHARC_HOUR};
static const struct web_page site[] = {
    {.url = "http://a.example/", .body = "<p>home <a href=/new>n</a> <a href=/far/away>f</a>"},
    {.url = "http://a.example/news", .body = "<p>news ", .changes = hourly, .changes_count = SHARC_LENGTH(hourly)},
    {.url = "http://a.example/new", .body = "<p>new", .etag = true},
};

static void pages_are_looked_at_within_the_budget(void **state)
{
    (void)state;
    struct watch t;
    begin(&t, site, SHARC_LENGTH(site));
    run(&t, "http://a.example/", "\thttp://a.example/news \t longest=3h\r", "# nothing", "", NULL);
    /* Two days of six an hour, and what was saved at the beginning. */
    assert_true(t.counts.requests <= 2 * 24 * 6 + 7);
    assert_true(t.counts.requests >= 2 * 24 * 6 - 7);
    assert_int_equal(t.counts.requests, t.world.asked_count);
    assert_int_equal(t.counts.first, 2);
    assert_int_equal(t.counts.changed, SHARC_LENGTH(hourly));
    assert_true(longest_gap(&t.world, "http://a.example/news") <= 3 * SHARC_HOUR + 5 * SHARC_SEC);
    assert_int_equal(world_asked(&t.world, "http://a.example/new"), 0);
    delays_were_kept(&t.world, SHARC_SEC);
    size_t n;
    struct sharc_store_watch_look *l = looks(&t, &n);
    assert_int_equal(n, t.counts.looks);
    uint64_t changed = 0, stored = 0;
    for (size_t i = 0; i < n; i++) {
        changed += l[i].shown == SHARC_SHOWN_CHANGED;
        stored += l[i].record == SHARC_STORE_RESPONSE;
    }
    assert_int_equal(changed, SHARC_LENGTH(hourly));
    assert_int_equal(stored, SHARC_LENGTH(hourly) + 2); /* the others are revisit records */
    free(l);
    world_done(&t.world);
}

static void what_is_watched_is_taken_up_again(void **state)
{
    (void)state;
    struct watch t;
    begin(&t, site, SHARC_LENGTH(site));
    t.o.time = SHARC_DAY;
    run(&t, "http://a.example/", "http://a.example/news", NULL);
    const size_t before = t.world.asked_count;
    uint64_t first = t.counts.first;
    run(&t, NULL); /* another process, the same archive */
    assert_int_equal(first, 2);
    assert_int_equal(t.counts.first, 0);
    assert_true(t.counts.changed >= 3);
    assert_true(t.world.asked_count - before <= 24 * 6 + 7);
    struct sharc_watched_status s;
    if (sharc_watched_status(t.world.store, 0, t.world.clock.at, 10, &s, &t.err) < 0) fail_msg("%s", t.err.text);
    assert_int_equal(s.pages, 2);
    assert_int_equal(s.count, 2);
    assert_string_equal(s.strategy, "value");
    assert_true(fabs(s.per_hour - 6) < 1e-9);
    assert_true(s.changes >= SHARC_LENGTH(hourly));
    sharc_watched_status_done(&s);
    /* Another strategy learns from all looks that were made. */
    t.o.strategy = sharc_watch_find("index-freshness");
    t.o.time = SHARC_HOUR;
    t.o.per_hour = 0;
    run(&t, NULL);
    if (sharc_watched_status(t.world.store, 0, t.world.clock.at, 1, &s, &t.err) < 0) fail_msg("%s", t.err.text);
    assert_string_equal(s.strategy, "index-freshness");
    assert_int_equal(s.count, 1);
    assert_true(s.next[0].view.last_change != SHARC_TIME_NONE || s.next[0].view.rate < 0.1);
    sharc_watched_status_done(&s);
    world_done(&t.world);
}

static void links_join_within_the_scope(void **state)
{
    (void)state;
    struct watch t;
    begin(&t, site, SHARC_LENGTH(site));
    t.o.crawl.reach = SHARC_REACH_PREFIX;
    const char *rules[] = {"-glob:*away*"};
    t.o.crawl.rules = rules;
    t.o.crawl.rules_count = 1;
    run(&t, "http://a.example/", NULL);
    assert_true(world_asked(&t.world, "http://a.example/new") > 1);
    assert_int_equal(world_asked(&t.world, "http://a.example/far/away"), 0);
    assert_int_equal(t.events[SHARC_WATCHING_JOINED], 1);
    world_done(&t.world);
}

static void a_page_that_is_gone_leaves(void **state)
{
    (void)state;
    struct watch t;
    begin(&t, site, SHARC_LENGTH(site));
    t.o.crawl.reach = SHARC_REACH_PREFIX;
    run(&t, "http://a.example/", NULL);
    assert_int_equal(t.events[SHARC_WATCHING_LEFT], 1); /* /far/away is a 404 */
    const unsigned asked = world_asked(&t.world, "http://a.example/far/away");
    assert_true(asked >= 3 && longest_gap(&t.world, "http://a.example/far/away") < SHARC_DAY);
    run(&t, NULL);
    assert_int_equal(world_asked(&t.world, "http://a.example/far/away"), asked);
    world_done(&t.world);
}

/* A page that was named by a link alone is away for some hours while its site is put in order. */
static void a_page_that_comes_back_has_not_left(void **state)
{
    (void)state;
    struct watch t;
    const struct web_page pages[] = {{.url = "http://a.example/", .body = "<p>home <a href=/new>n</a>"},
                                     {.url = "http://a.example/new", .fails = 12, .fail_as = 404}};
    begin(&t, pages, SHARC_LENGTH(pages));
    t.o.crawl.reach = SHARC_REACH_PREFIX;
    t.o.longest = SHARC_HOUR;
    run(&t, "http://a.example/", NULL);
    assert_int_equal(t.events[SHARC_WATCHING_LEFT], 0);
    assert_true(world_asked(&t.world, "http://a.example/new") > 40);
    world_done(&t.world);
}

static unsigned turns;
static char noise[2][200];

/* A counter that differs on every request, and once a change. */
static void make_noise(struct world *w)
{
    turns++;
    const bool later = w->clock.at - w->began > 20 * SHARC_HOUR;
    snprintf(noise[turns % 2], sizeof noise[0],
             "<html><body><p>the story %s</p><p>you are visitor number %u of this page</p></body></html>",
             later ? "has had quite another end since then" : "is as it was for a long time", 1000 + 7 * turns);
    w->pages[0].body = noise[turns % 2];
}

static void noise_is_no_change(void **state)
{
    (void)state;
    struct watch t;
    const struct web_page pages[] = {{.url = "http://a.example/"}};
    begin(&t, pages, 1);
    t.world.at_request = make_noise;
    t.o.per_hour = 2;
    run(&t, "http://a.example/", NULL);
    assert_true(t.counts.looks > 50);
    assert_true(t.counts.controls >= 1);
    assert_int_equal(t.counts.changed, 1);
    size_t n, changed = 0;
    struct sharc_store_watch_look *l = looks(&t, &n);
    for (size_t i = 0; i < n; i++) changed += l[i].shown == SHARC_SHOWN_CHANGED;
    assert_int_equal(changed, 1);
    free(l);
    world_done(&t.world);
}

static void robots_are_obeyed(void **state)
{
    (void)state;
    struct watch t;
    const struct web_page pages[] = {{.url = "http://a.example/robots.txt",
                                      .type = "text/plain",
                                      .body = "User-agent: *\nDisallow: /x\n"},
                                     {.url = "http://a.example/"},
                                     {.url = "http://a.example/x"}};
    begin(&t, pages, SHARC_LENGTH(pages));
    run(&t, "http://a.example/", "http://a.example/x", NULL);
    assert_int_equal(world_asked(&t.world, "http://a.example/x"), 0);
    assert_true(t.events[SHARC_WATCHING_REFUSED] >= 2);
    assert_true(world_asked(&t.world, "http://a.example/robots.txt") >= 2); /* once a day */
    assert_true(world_asked(&t.world, "http://a.example/robots.txt") <= 4);
    world_done(&t.world);
}

static sharc_time last_asked(const struct world *w, const char *url)
{
    sharc_time last = 0;
    for (size_t i = 0; i < w->asked_count; i++)
        if (strcmp(w->asked[i].url, url) == 0) last = w->asked[i].when;
    return last;
}

/* From the second day on robots.txt forbids /x and allows /y. */
static void forbid_later(struct world *w)
{
    if (w->clock.at - w->began > SHARC_DAY) w->pages[0].body = "User-agent: *\nDisallow: /x\n";
}

static void a_robots_txt_that_changes_is_heeded(void **state)
{
    (void)state;
    struct watch t;
    const struct web_page pages[] = {{.url = "http://a.example/robots.txt",
                                      .type = "text/plain",
                                      .body = "User-agent: *\nDisallow: /y\n"},
                                     {.url = "http://a.example/x"},
                                     {.url = "http://a.example/y"}};
    begin(&t, pages, SHARC_LENGTH(pages));
    t.o.time = 5 * SHARC_DAY;
    t.world.at_request = forbid_later;
    run(&t, "http://a.example/x", "http://a.example/y", NULL);
    assert_true(world_asked(&t.world, "http://a.example/x") > 10);
    assert_true(last_asked(&t.world, "http://a.example/x") < 2 * SHARC_DAY + SHARC_HOUR); /* it is read once a day */
    assert_true(world_asked(&t.world, "http://a.example/y") > 10);
    world_done(&t.world);
}

static void a_host_that_is_away_is_left_alone(void **state)
{
    (void)state;
    struct watch t;
    const struct web_page pages[] = {
        {.url = "http://a.example/", .fields = "Retry-After: 36000\r\n", .fails = 1, .fail_as = 503},
        {.url = "http://b.example/"}};
    begin(&t, pages, SHARC_LENGTH(pages));
    t.o.time = SHARC_HOUR;
    run(&t, "http://a.example/", "http://b.example/", NULL);
    assert_int_equal(world_asked(&t.world, "http://a.example/"), 1);
    t.o.time = 8 * SHARC_HOUR; /* another process: the pause holds */
    run(&t, NULL);
    assert_int_equal(world_asked(&t.world, "http://a.example/"), 1);
    assert_true(world_asked(&t.world, "http://b.example/") > 20);
    run(&t, NULL);
    assert_true(world_asked(&t.world, "http://a.example/") > 1);
    world_done(&t.world);
}

/* A server that says "later" for one of its pages for ever does not keep us from the others. */
static void one_page_in_trouble_keeps_nobody_waiting(void **state)
{
    (void)state;
    static const int troubles[] = {503, 429, 502, -SHARC_FETCH_EMPTY};
    for (size_t i = 0; i < SHARC_LENGTH(troubles); i++) {
        struct watch t;
        const struct web_page pages[] = {{.url = "http://a.example/sick", .fails = 1000000, .fail_as = troubles[i]},
                                         {.url = "http://a.example/fine"}};
        begin(&t, pages, SHARC_LENGTH(pages));
        run(&t, "http://a.example/sick", "http://a.example/fine", NULL);
        assert_true(world_asked(&t.world, "http://a.example/fine") > 100);
        assert_true(world_asked(&t.world, "http://a.example/sick") < 20);
        assert_true(longest_gap(&t.world, "http://a.example/fine") < 2 * SHARC_HOUR);
        world_done(&t.world);
    }
}

enum { DOWN_PAGES = 12 };

static unsigned asked_of_all(const struct world *w)
{
    unsigned n = 0;
    for (size_t i = 0; i < DOWN_PAGES; i++) n += world_asked(w, w->pages[i].url);
    return n;
}

/* A site that is down for days, in whatever way, costs a few requests a day, is told from pages that are gone, and is
 * watched as before a day after it came back at the latest. */
static void a_site_that_is_down_costs_little(void **state)
{
    (void)state;
    static const int troubles[] = {502, -SHARC_FETCH_EMPTY, -SHARC_FETCH_CONNECT, 503};
    for (size_t i = 0; i < SHARC_LENGTH(troubles); i++) {
        struct watch t;
        char url[DOWN_PAGES][40];
        struct web_page pages[DOWN_PAGES];
        for (int k = 0; k < DOWN_PAGES; k++) {
            snprintf(url[k], sizeof url[k], "http://a.example/%d", k);
            pages[k] = (struct web_page){.url = url[k], .body = "<p>it stays as it is"};
        }
        begin(&t, pages, DOWN_PAGES);
        t.o.longest = 12 * SHARC_HOUR;
        t.o.time = SHARC_DAY;
        run(&t, url[0], url[1], url[2], url[3], url[4], url[5], url[6], url[7], url[8], url[9], url[10], url[11], NULL);
        const unsigned before = asked_of_all(&t.world);
        for (int k = 0; k < DOWN_PAGES; k++) t.world.pages[k].fails = 1000000, t.world.pages[k].fail_as = troubles[i];
        t.o.time = 4 * SHARC_DAY;
        run(&t, NULL);
        const unsigned down = asked_of_all(&t.world) - before;
        assert_true(down >= 4);
        if (down > 30) fail_msg("%u requests to a site that was down for four days (%d)", down, troubles[i]);
        assert_int_equal(t.events[SHARC_WATCHING_LEFT], 0);
        for (int k = 0; k < DOWN_PAGES; k++) t.world.pages[k].fails = 0;
        t.o.time = 2 * SHARC_DAY;
        run(&t, NULL);
        assert_true(asked_of_all(&t.world) - before - down >= DOWN_PAGES);
        world_done(&t.world);
    }
}

static const sharc_time at_noon[] = {30 * SHARC_HOUR};
static char sitemap[500];

static void tell_in_sitemap(struct world *w)
{
    char when[SHARC_TIME_TEXT];
    const bool changed = w->clock.at - w->began >= at_noon[0];
    sharc_time_iso(changed ? w->began + at_noon[0] : w->began - SHARC_DAY, 0, when);
    snprintf(sitemap, sizeof sitemap,
             "<urlset xmlns=\"http://www.sitemaps.org/schemas/sitemap/0.9\"><url><loc>http://a.example/listed</loc>"
             "<lastmod>%s</lastmod></url><url><loc>http://b.example/</loc></url></urlset>",
             when);
    w->pages[1].body = sitemap;
}

static void sitemaps_bring_pages_and_signals(void **state)
{
    (void)state;
    struct watch t;
    const struct web_page pages[] = {
        {.url = "http://a.example/robots.txt", .type = "text/plain", .body = "Sitemap: http://a.example/map.xml\n"},
        {.url = "http://a.example/map.xml", .type = "application/xml"},
        {.url = "http://a.example/", .body = "home"},
        {.url = "http://a.example/listed", .body = "listed ", .changes = at_noon, .changes_count = 1}};
    begin(&t, pages, SHARC_LENGTH(pages));
    t.o.crawl.reach = SHARC_REACH_HOST;
    t.o.crawl.no_sitemaps = false;
    t.o.shortest = 12 * SHARC_HOUR; /* else it would have been seen before anybody told */
    t.world.at_request = tell_in_sitemap;
    run(&t, "http://a.example/", NULL);
    assert_int_equal(t.events[SHARC_WATCHING_JOINED], 1);
    assert_true(world_asked(&t.world, "http://a.example/listed") > 1);
    assert_int_equal(world_asked(&t.world, "http://b.example/"), 0);
    assert_int_equal(t.counts.changed, 1);
    size_t n, told = 0;
    struct sharc_store_watch_look *l = looks(&t, &n);
    for (size_t i = 0; i < n; i++) told += l[i].why == SHARC_WATCH_TOLD && l[i].shown == SHARC_SHOWN_CHANGED;
    assert_int_equal(told, 1);
    free(l);
    /* Lists take a tenth of the budget at most. */
    assert_true(world_asked(&t.world, "http://a.example/map.xml") <= 2 * 24 + 1);
    world_done(&t.world);
}

static void a_feed_of_changes_is_written(void **state)
{
    (void)state;
    struct watch t;
    begin(&t, site, SHARC_LENGTH(site));
    run(&t, "http://a.example/news", NULL);
    SHARC_AUTO(sharc_freep) char *path = sharc_asprintf("%s/reports/changes-a.example.atom", t.world.dir);
    SHARC_AUTO(sharc_buf_done) struct sharc_buf b = SHARC_BUF_INIT(1u << 20);
    if (sharc_file_read(path, &b, &t.err) < 0) fail_msg("%s", t.err.text);
    unsigned entries = 0;
    for (const char *p = sharc_buf_str(&b); (p = strstr(p, "<entry>")); p++) entries++;
    assert_int_equal(entries, SHARC_LENGTH(hourly) + 1);
    world_done(&t.world);
}

static void a_burst_captures_the_whole_site(void **state)
{
    (void)state;
    struct watch t;
    begin(&t, site, SHARC_LENGTH(site));
    t.o.crawl.reach = SHARC_REACH_PREFIX;
    t.o.snapshot = 18 * SHARC_HOUR;
    run(&t, "http://a.example/", NULL);
    assert_int_equal(t.counts.snapshots, 3);
    assert_int_equal(t.events[SHARC_WATCHING_SNAPSHOT], 3);
    delays_were_kept(&t.world, SHARC_SEC);
    struct sharc_store_rows *rows = NULL;
    struct sharc_store_capture_filter f = SHARC_STORE_CAPTURE_FILTER_INIT;
    unsigned bursts = 0, watches = 0;
    int r = sharc_store_captures(t.world.store, &f, &rows, &t.err);
    while (r >= 0 && (r = sharc_store_rows_next(rows, &t.err)) > 0) {
        struct sharc_store_capture c;
        sharc_store_read_capture(rows, &c);
        watches += sharc_span_is(c.purpose, "watch");
        bursts += sharc_span_is(c.purpose, "evidence") && c.state == SHARC_CAPTURE_COMPLETE;
    }
    sharc_store_rows_free(rows);
    assert_int_equal(watches, 1);
    assert_int_equal(bursts, 3);
    world_done(&t.world);
}

static char always[2][100];

/* Another text at every request. */
static void change_always(struct world *w)
{
    turns++;
    snprintf(always[turns % 2], sizeof always[0], "<html><body><p>%s number %u</p></body></html>",
             turns % 2 ? "an odd story" : "quite another tale", turns);
    w->pages[0].body = always[turns % 2];
}

static void a_page_that_changes_always_gets_its_share(void **state)
{
    (void)state;
    struct watch t;
    enum { PAGES = 9 };
    char url[PAGES][40];
    struct web_page pages[PAGES];
    for (int i = 0; i < PAGES; i++) {
        snprintf(url[i], sizeof url[i], "http://a.example/%d", i);
        pages[i] = (struct web_page){.url = url[i], .body = "<p>it stays as it is"};
    }
    begin(&t, pages, PAGES);
    t.world.at_request = change_always;
    t.o.per_hour = 30;
    run(&t, url[0], url[1], url[2], url[3], url[4], url[5], url[6], url[7], url[8], NULL);
    /* One request in three for nine pages, control downloads aside. */
    size_t n, hot = 0;
    struct sharc_store_watch_look *l = looks(&t, &n);
    free(l);
    hot = world_asked(&t.world, url[0]) - t.counts.controls;
    if (hot > 2 * 24 * 30 / 3 + 2) fail_msg("%zu of %zu looks went to the page that changes always", hot, n);
    assert_true(hot > 2 * 24 * 30 / 6); /* and it gets more than its equal share */
    /* A shortest interval that is given goes for it, too. */
    t.o.shortest = SHARC_HOUR;
    t.o.time = SHARC_DAY;
    const uint64_t before = world_asked(&t.world, url[0]);
    run(&t, NULL);
    assert_true(world_asked(&t.world, url[0]) - before - t.counts.controls <= 25);
    world_done(&t.world);
}

/* --- a clock that was set ------------------------------------------------------------------------- */

/* The first run's clock was five hours ahead: the second looks on, and does not wait until that time has come. */
static void a_clock_put_back_does_not_stop_the_watch(void **state)
{
    (void)state;
    struct watch t;
    begin(&t, site, SHARC_LENGTH(site));
    t.o.time = 6 * SHARC_HOUR;
    run(&t, "http://a.example/", "http://a.example/news", NULL);
    const size_t before = t.world.asked_count;
    assert_null(strstr(t.remarks, "clock"));
    t.world.clock.at -= 5 * SHARC_HOUR;
    t.o.time = 3 * SHARC_HOUR;
    run(&t, NULL);
    assert_in_range(t.world.asked_count - before, 10, 3 * 6 + 7); /* six an hour, and robots.txt */
    if (!strstr(t.remarks, "the clock is 5 h behind the last run's")) fail_msg("%s", t.remarks);
    assert_int_equal(t.counts.first, 0);
    /* What it learned then is kept as ever. */
    t.remarks[0] = 0;
    run(&t, NULL);
    assert_null(strstr(t.remarks, "clock"));
    world_done(&t.world);
}

/* --- a kill ----------------------------------------------------------------------------------- */

static void open_store(struct watch *t)
{
    SHARC_AUTO(sharc_freep) char *path = sharc_asprintf("sqlite:%s/catalogue.db", t->world.dir);
    sharc_store_freep(&t->world.store);
    if (sharc_store_open(path, NULL, &t->world.store, &t->err) < 0) fail_msg("%s", t->err.text);
}

static void a_kill_costs_nothing_that_was_committed(void **state)
{
    (void)state;
    struct watch t;
    begin(&t, site, SHARC_LENGTH(site));
    t.o.crawl.commit_time = 1;
    t.o.save = 100 * SHARC_DAY; /* never but at the start: all is told again */
    open_store(&t);
    pid_t child = fork();
    if (child == 0) {
        t.world.exit_at = 100;
        run(&t, "http://a.example/", "http://a.example/news", NULL);
        _exit(1);
    }
    int status = 0;
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_true(WIFEXITED(status) && WEXITSTATUS(status) == 77);
    open_store(&t);
    size_t n;
    free(looks(&t, &n));
    assert_in_range(n, 97, 98); /* without robots.txt, the request at which it was killed, and what was not committed */
    t.world.clock.at = t.world.began + 17 * SHARC_HOUR;
    t.o.time = SHARC_DAY;
    run(&t, NULL);
    assert_int_equal(t.counts.first, 0);
    assert_true(t.counts.changed >= 3);
    struct sharc_store_watch_look *l = looks(&t, &n);
    unsigned first = 0, changed = 0;
    for (size_t i = 0; i < n; i++) {
        first += l[i].shown == SHARC_SHOWN_FIRST;
        changed += l[i].shown == SHARC_SHOWN_CHANGED;
    }
    free(l);
    assert_int_equal(first, 2);
    assert_true(changed >= 7);
    world_done(&t.world);
}

/* --- a month ------------------------------------------------------------------------------------ */

static void a_month_has_no_drift(void **state)
{
    (void)state;
    struct watch t;
    enum { PAGES = 40 };
    struct web_page pages[PAGES];
    sharc_time changes[PAGES][60];
    char url[PAGES][40];
    for (int i = 0; i < PAGES; i++) {
        snprintf(url[i], sizeof url[i], "http://%c.example/p%d", 'a' + i % 3, i);
        for (int k = 0; k < 60; k++) changes[i][k] = (k + 1) * (sharc_time)(1 + i) * 3 * SHARC_HOUR;
        pages[i] = (struct web_page){.url = url[i], .body = "page ", .changes = changes[i], .changes_count = 60};
    }
    begin(&t, pages, PAGES);
    t.o.longest = 2 * SHARC_DAY;
    t.o.per_hour = 4;
    t.o.time = 30 * SHARC_DAY;
    const struct sharc_watching_world world = {.clock = &t.world.clock.clock,
                                               .fetcher = t.world.fetcher,
                                               .store = t.world.store};
    if (sharc_watching_new(&t.o, &world, &t.w, &t.err) < 0) fail_msg("%s", t.err.text);
    for (int i = 0; i < PAGES; i++) assert_int_equal(sharc_watching_name_line(t.w, sharc_span_of(url[i]), &t.err), 0);
    assert_int_equal(sharc_watching_run(t.w, &t.err), 0);
    sharc_watching_freep(&t.w);
    assert_true(t.world.asked_count <= 30 * 24 * 4 + 5);
    assert_true(t.world.asked_count >= 30 * 24 * 4 - 10);
    sharc_time worst = 0;
    for (int i = 0; i < PAGES; i++) {
        sharc_time gap = longest_gap(&t.world, url[i]);
        if (gap > worst) worst = gap;
    }
    if (worst > 2 * SHARC_DAY + SHARC_HOUR) fail_msg("a page waited %.2f days", (double)worst / (double)SHARC_DAY);
    sharc_time last[3] = {0};
    for (size_t i = 0; i < t.world.asked_count; i++) {
        int host = t.world.asked[i].url[7] - 'a';
        assert_true(last[host] == 0 || t.world.asked[i].when - last[host] >= SHARC_SEC);
        last[host] = t.world.asked[i].when;
    }
    world_done(&t.world);
}

static void a_clock_that_is_set_is_told(void **state)
{
    (void)state;
    struct watch t;
    begin(&t, site, SHARC_LENGTH(site));
    t.set_clock = -2 * SHARC_HOUR;
    run(&t, "http://a.example/news", NULL);
    assert_non_null(strstr(t.remarks, "the clock of this machine was put back by 2 h"));
    const char *first = strstr(t.remarks, "the clock of this machine");
    assert_null(strstr(first + 1, "the clock of this machine")); /* once */
    delays_were_kept(&t.world, SHARC_SEC);
    world_done(&t.world);
}

static void budgets_are_read(void **state)
{
    (void)state;
    double x;
    assert_int_equal(sharc_watching_budget_parse(SHARC_SPAN("480/day"), &x, NULL), 0);
    assert_true(fabs(x - 20) < 1e-12);
    assert_int_equal(sharc_watching_budget_parse(SHARC_SPAN("2/min"), &x, NULL), 0);
    assert_true(fabs(x - 120) < 1e-12);
    const char *bad[] = {"", "500", "500/", "/day", "0/day", "-1/h", "nan/h", "1e300/h", "5/year"};
    for (size_t i = 0; i < SHARC_LENGTH(bad); i++)
        assert_int_equal(sharc_watching_budget_parse(sharc_span_of(bad[i]), &x, NULL), SHARC_ESYNTAX);
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(pages_are_looked_at_within_the_budget),
    cmocka_unit_test(what_is_watched_is_taken_up_again),
    cmocka_unit_test(links_join_within_the_scope),
    cmocka_unit_test(a_page_that_is_gone_leaves),
    cmocka_unit_test(a_page_that_comes_back_has_not_left),
    cmocka_unit_test(a_robots_txt_that_changes_is_heeded),
    cmocka_unit_test(one_page_in_trouble_keeps_nobody_waiting),
    cmocka_unit_test(a_site_that_is_down_costs_little),
    cmocka_unit_test(noise_is_no_change),
    cmocka_unit_test(robots_are_obeyed),
    cmocka_unit_test(a_host_that_is_away_is_left_alone),
    cmocka_unit_test(sitemaps_bring_pages_and_signals),
    cmocka_unit_test(a_feed_of_changes_is_written),
    cmocka_unit_test(a_burst_captures_the_whole_site),
    cmocka_unit_test(a_page_that_changes_always_gets_its_share),
    cmocka_unit_test(a_clock_put_back_does_not_stop_the_watch),
    cmocka_unit_test(a_kill_costs_nothing_that_was_committed),
    cmocka_unit_test(a_month_has_no_drift),
    cmocka_unit_test(a_clock_that_is_set_is_told),
    cmocka_unit_test(budgets_are_read),
};
TEST_MAIN(tests)

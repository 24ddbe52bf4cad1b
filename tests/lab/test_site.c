/* SPDX-License-Identifier: Apache-2.0
 *
 * The living site, asked over loopback while a clock of the test's own moves.
 */
#include "test.h"

#include "client.h"
#include "sharc/base_arena.h"
#include "sharc/base_codec.h"
#include "sharc/base_digest.h"
#include "sharc/base_file.h"
#include "sharc/base_map.h"
#include "sharc/base_node.h"
#include "sharc/lab.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#define START (1700000000 * SHARC_SEC)

struct world {
    char *dir;
    char truth[256], requests[256];
    struct sharc_clock_virtual clock;
    struct sharc_lab_options o;
    struct sharc_lab *lab;
    struct sharc_buf log;
    struct sharc_arena arena;
};

static void world_new(struct world *w)
{
    *w =
        (struct world){.o = SHARC_LAB_OPTIONS, .log = SHARC_BUF_INIT(64u << 20), .arena = SHARC_ARENA_INIT(256u << 20)};
    w->dir = test_mkdir();
    snprintf(w->truth, sizeof w->truth, "%s/truth.jsonl", w->dir);
    snprintf(w->requests, sizeof w->requests, "%s/requests.jsonl", w->dir);
    sharc_clock_virtual_init(&w->clock, START);
    w->o.clock = &w->clock.clock;
    w->o.truth = w->truth;
    w->o.requests = w->requests;
}

static void world_start(struct world *w)
{
    struct sharc_err err = SHARC_ERR_INIT;
    if (sharc_lab_start(&w->o, &w->lab, &err) < 0) fail_msg("%s", err.text);
}

static void world_pass(struct world *w, sharc_time time)
{
    struct sharc_err err = SHARC_ERR_INIT;
    w->clock.at += time;
    if (sharc_lab_tick(w->lab, &err) < 0) fail_msg("%s", err.text);
}

static void world_done(struct world *w)
{
    sharc_lab_stop(w->lab);
    sharc_buf_done(&w->log);
    sharc_arena_done(&w->arena);
    test_rmdir(w->dir);
}

/* --- reading the truth -------------------------------------------------------------- */

typedef void line_fn(struct world *w, const struct sharc_node *line, void *arg);

static size_t each_line(struct world *w, const char *path, line_fn *fn, void *arg)
{
    struct sharc_err err = SHARC_ERR_INIT;
    if (sharc_file_read(path, &w->log, &err) < 0) fail_msg("%s", err.text);
    struct sharc_span rest = sharc_span(w->log.p, w->log.n), line;
    size_t n = 0;
    while (sharc_span_next(&rest, '\n', &line)) {
        if (line.n == 0) continue;
        const struct sharc_node *node = NULL;
        sharc_arena_clear(&w->arena);
        if (sharc_json_read(line, &w->arena, &node, &err) < 0) fail_msg("%.*s: %s", SHARC_SPAN_ARG(line), err.text);
        fn(w, node, arg);
        n++;
    }
    return n;
}

static struct sharc_span text(const struct sharc_node *line, const char *name)
{
    return sharc_node_text(sharc_node_get(line, name));
}

static int64_t number(const struct sharc_node *line, const char *name)
{
    return sharc_node_int(sharc_node_get(line, name), -1);
}

static void hex_of(struct sharc_span body, char hex[SHARC_HEX_SIZE(SHARC_DIGEST_MAX)])
{
    struct sharc_digest d;
    sharc_digest_of(SHARC_SHA256, body, &d);
    sharc_hex_encode(sharc_span(d.bytes, d.n), hex);
}

/* --- asking -------------------------------------------------------------------------- */

static uint16_t port_of(const struct world *w)
{
    const char *colon = strrchr(sharc_lab_url(w->lab), ':');
    return (uint16_t)strtoul(colon + 1, NULL, 10);
}

static char *get(struct world *w, struct sharc_span path, const char *fields)
{
    struct sharc_buf b = SHARC_BUF_INIT(64u << 10);
    sharc_buf_printf(&b, "GET %.*s HTTP/1.1\r\nHost: x\r\nConnection: close\r\n%s\r\n", SHARC_SPAN_ARG(path), fields);
    char *got = client_ask(port_of(w), b.p);
    sharc_buf_done(&b);
    return got;
}

static struct sharc_span field(const char *answer, const char *name)
{
    const char *at = strcasestr(answer, name);
    assert_non_null(at);
    at += strlen(name) + 2;
    return sharc_span(at, strcspn(at, "\r"));
}

static struct sharc_span body_of(const char *answer, size_t n)
{
    const char *end = strstr(answer, "\r\n\r\n");
    assert_non_null(end);
    end += 4;
    return sharc_span(end, n);
}

/* --- tests ---------------------------------------------------------------------------- */

struct tally {
    size_t lines, starts, checked, counters, layouts, edits;
    struct sharc_intern *paths;
    char before[1000][SHARC_TIME_TEXT]; /* by path */
};

/* A body made again from its version has the digest that was logged. */
static void check_body(struct world *w, const struct sharc_node *line, void *arg)
{
    struct tally *t = arg;
    struct sharc_buf body = SHARC_BUF_INIT(1u << 20);
    struct sharc_lab_version v = {(uint32_t)number(line, "edit"), (uint32_t)number(line, "layout"),
                                  (uint32_t)number(line, "counter")};
    struct sharc_span cause = text(line, "cause"), time = text(line, "time");
    const uint32_t path = sharc_intern_add(t->paths, text(line, "path"), NULL);
    assert_true(path < SHARC_LENGTH(t->before));
    assert_true(sharc_span_cmp(time, sharc_span_of(t->before[path])) >= 0);
    memcpy(t->before[path], time.p, time.n);
    t->lines++;
    t->starts += sharc_span_is(cause, "start");
    t->counters += sharc_span_is(cause, "counter");
    t->layouts += sharc_span_is(cause, "layout");
    t->edits += sharc_span_is(cause, "edit");
    assert_int_equal(sharc_node_bool(sharc_node_get(line, "significant"), true), !sharc_span_is(cause, "counter"));
    if (sharc_lab_body(w->lab, text(line, "path"), v, &body, NULL) == 0) {
        char hex[SHARC_HEX_SIZE(SHARC_DIGEST_MAX)];
        hex_of(sharc_buf_span(&body), hex);
        assert_span(text(line, "sha256"), hex);
        assert_int_equal(number(line, "bytes"), body.n);
        t->checked++;
    }
    sharc_buf_done(&body);
}

static void versions_follow_from_the_truth(void **state)
{
    (void)state;
    struct world w;
    struct tally t = {.paths = sharc_intern_new()};
    world_new(&w);
    w.o.pages = 120;
    w.o.layout_every = 100 * SHARC_SEC;
    world_start(&w);
    for (int i = 0; i < 60; i++) world_pass(&w, 10 * SHARC_SEC);
    struct sharc_lab_totals totals = sharc_lab_totals(w.lab);
    assert_int_equal(totals.pages, 120);
    each_line(&w, w.truth, check_body, &t);
    assert_int_equal(t.starts, totals.pages + totals.files);
    assert_int_equal(t.edits, totals.edits);
    assert_int_equal(t.counters, totals.counters);
    assert_int_equal(t.layouts, totals.layouts);
    assert_int_equal(t.lines, t.starts + t.edits + t.counters + t.layouts + totals.renewals);
    assert_int_equal(t.checked, t.lines - totals.renewals - 3 /* robots, sitemap, feed */ - 4 /* redirects */);
    /* Poisson: within five standard deviations. */
    double expected = totals.per_minute * 10;
    assert_close((double)totals.edits, expected, 5 * sqrt(expected));
    sharc_intern_free(t.paths);
    world_done(&w);
}

static void copy_pure(struct world *w, const struct sharc_node *line, void *arg)
{
    (void)w;
    struct sharc_span path = text(line, "path");
    if (sharc_span_ends(path, SHARC_SPAN(".xml")) || sharc_span_is(path, "/robots.txt"))
        return; /* they name the port */
    sharc_buf_printf(arg, "%.*s %.*s %.*s\n", SHARC_SPAN_ARG(text(line, "time")), SHARC_SPAN_ARG(path),
                     SHARC_SPAN_ARG(text(line, "sha256")));
}

/* One seed, one history, however often one looks and however fast it runs. */
static void one_seed_one_history(void **state)
{
    (void)state;
    struct sharc_buf logs[3] = {SHARC_BUF_INIT(16u << 20), SHARC_BUF_INIT(16u << 20), SHARC_BUF_INIT(16u << 20)};
    for (int i = 0; i < 3; i++) {
        struct world w;
        world_new(&w);
        w.o.pages = 50;
        w.o.seed = i < 2 ? 7 : 8;
        world_start(&w);
        for (int k = 0; k < (i ? 30 : 1); k++) world_pass(&w, i ? 10 * SHARC_SEC : 300 * SHARC_SEC);
        each_line(&w, w.truth, copy_pure, &logs[i]);
        world_done(&w);
    }
    assert_string_equal(logs[0].p, logs[1].p);
    assert_string_not_equal(logs[0].p, logs[2].p);
    for (int i = 0; i < 3; i++) sharc_buf_done(&logs[i]);
}

struct asked {
    size_t n, images;
};

/* What is served is what the last line about a path says. */
static void ask_for_it(struct world *w, const struct sharc_node *line, void *arg)
{
    struct asked *a = arg;
    struct sharc_span path = text(line, "path");
    if (!sharc_span_is(text(line, "cause"), "start") || number(line, "status") != 200) return;
    char *got = get(w, path, "");
    struct sharc_buf body = SHARC_BUF_INIT(1u << 20);
    assert_non_null(strstr(got, "HTTP/1.1 200 OK\r\n"));
    uint64_t n = 0;
    assert_int_equal(sharc_span_to_u64(field(got, "Content-Length"), &n), 0);
    assert_int_equal(number(line, "bytes"), n);
    if (strstr(got, "image/png")) {
        a->images++; /* client_ask gives text: bytes are compared below */
    } else {
        char hex[SHARC_HEX_SIZE(SHARC_DIGEST_MAX)];
        hex_of(body_of(got, n), hex);
        assert_span(text(line, "sha256"), hex);
    }
    a->n++;
    sharc_buf_done(&body);
    free(got);
}

static void pages_are_served(void **state)
{
    (void)state;
    struct world w;
    struct asked a = {0};
    world_new(&w);
    w.o.pages = 60;
    world_start(&w);
    each_line(&w, w.truth, ask_for_it, &a);
    struct sharc_lab_totals t = sharc_lab_totals(w.lab);
    assert_int_equal(a.n, t.requests);
    assert_int_equal(a.images, 60 / 4 + 1);
    char *got = get(&w, SHARC_SPAN("/lost/0.html"), "");
    assert_non_null(strstr(got, " 404 "));
    free(got);
    got = get(&w, SHARC_SPAN("/index.html"), "");
    assert_non_null(strstr(got, " 301 "));
    assert_span(field(got, "Location"), "/");
    free(got);
    got = client_ask(port_of(&w), "DELETE / HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n");
    assert_non_null(strstr(got, " 405 "));
    free(got);
    got = get(&w, SHARC_SPAN("/?utm=1"), "");
    assert_non_null(strstr(got, " 200 "));
    free(got);
    t = sharc_lab_totals(w.lab);
    assert_int_equal(t.not_found, 1);
    assert_int_equal(t.redirects, 1);
    world_done(&w);
}

/* An unconditional answer, its tag, and then the same page asked for again. */
static char *ask_again(struct world *w, const char *name, struct sharc_span value)
{
    char line[256];
    snprintf(line, sizeof line, "%s: %.*s\r\n", name, SHARC_SPAN_ARG(value));
    return get(w, SHARC_SPAN("/"), line);
}

static void validators_fit_the_version(void **state)
{
    (void)state;
    struct world w;
    world_new(&w);
    w.o.pages = 10;
    w.o.counters = 0;
    w.o.seed = 3; /* its front page has validators */
    world_start(&w);
    world_pass(&w, 2 * SHARC_SEC);
    char *first = get(&w, SHARC_SPAN("/"), ""), *again;
    struct sharc_span tag = field(first, "ETag"), date = field(first, "Last-Modified");
    again = ask_again(&w, "If-None-Match", tag);
    assert_non_null(strstr(again, " 304 "));
    free(again);
    again = ask_again(&w, "If-Modified-Since", date);
    assert_non_null(strstr(again, " 304 "));
    free(again);
    uint64_t edits = sharc_lab_totals(w.lab).edits;
    struct sharc_buf now = SHARC_BUF_INIT(1u << 20), then = SHARC_BUF_INIT(1u << 20);
    sharc_lab_body(w.lab, SHARC_SPAN("/"), (struct sharc_lab_version){0}, &then, NULL);
    int changes = 0, hidden = 0;
    for (int i = 0; i < 4000 && changes < 3; i++) { /* until the front page is another */
        world_pass(&w, SHARC_SEC / 4);
        again = ask_again(&w, "If-None-Match", tag);
        if (strstr(again, " 200 ")) {
            changes++;
            hidden += !strstr(again, "Last-Modified"); /* still the second of the change */
            free(first);
            first = again;
            tag = field(first, "ETag");
            continue;
        }
        free(again);
    }
    assert_int_equal(changes, 3);
    assert_true(hidden > 0);
    assert_true(sharc_lab_totals(w.lab).edits > edits);
    world_pass(&w, 2 * SHARC_SEC);
    again = get(&w, SHARC_SPAN("/"), "");
    assert_non_null(strstr(again, "Last-Modified"));
    free(again);
    free(first);
    sharc_buf_done(&now);
    sharc_buf_done(&then);
    world_done(&w);
}

static void services_tell_of_the_site(void **state)
{
    (void)state;
    struct world w;
    world_new(&w);
    w.o.pages = 40;
    world_start(&w);
    world_pass(&w, 5 * SHARC_MINUTE);
    char *got = get(&w, SHARC_SPAN("/sitemap.xml"), "");
    size_t urls = 0;
    for (const char *at = got; (at = strstr(at, "<url><loc>http://127.0.0.1:")); at++) urls++;
    assert_int_equal(urls, 40);
    assert_non_null(strstr(got, "<changefreq>always</changefreq>"));
    assert_non_null(strstr(got, "<priority>1.0</priority>"));
    assert_null(strstr(got, "/private/"));
    free(got);
    got = get(&w, SHARC_SPAN("/feed.xml"), "");
    assert_non_null(strstr(got, "<item><title>"));
    free(got);
    got = get(&w, SHARC_SPAN("/robots.txt"), "");
    assert_non_null(strstr(got, "Disallow: /private/\n"));
    assert_non_null(strstr(got, "/sitemap.xml\n"));
    free(got);
    world_done(&w);
}

/* Pages whose lastmod is another one than at the start; ret_different: how many lastmods there are. */
static size_t pages_said_to_have_changed(const char *signals, size_t *ret_different)
{
    struct world w;
    world_new(&w);
    w.o.pages = 40;
    w.o.layout_every = 0;
    if (signals) assert_int_equal(sharc_sim_signals_parse(sharc_span_of(signals), &w.o.signals, NULL), 0);
    world_start(&w);
    char *before = get(&w, SHARC_SPAN("/sitemap.xml"), "");
    world_pass(&w, 5 * SHARC_MINUTE);
    char *after = get(&w, SHARC_SPAN("/sitemap.xml"), "");
    const char *a = before, *b = after, *last = "";
    size_t n = 0;
    *ret_different = 0;
    while ((a = strstr(a + 1, "<lastmod>")) && (b = strstr(b + 1, "<lastmod>"))) {
        n += strncmp(a, b, 29) != 0;
        *ret_different += strncmp(b, last, 29) != 0;
        last = b;
    }
    free(before);
    free(after);
    world_done(&w);
    return n;
}

static void lists_may_be_silent_and_may_lie(void **state)
{
    (void)state;
    size_t different;
    const size_t honest = pages_said_to_have_changed(NULL, &different);
    assert_in_range(honest, 10, 39);
    assert_int_equal(pages_said_to_have_changed("lastmod", &different), honest);
    assert_int_equal(pages_said_to_have_changed("lastmod:0,1", &different), 0);
    const size_t sparse = pages_said_to_have_changed("lastmod:0.3,1", &different);
    assert_in_range(sparse, 1, honest - 1);
    assert_true(pages_said_to_have_changed("lastmod:1,0.3", &different) > honest);
    assert_int_equal(pages_said_to_have_changed("lastmod:1,0", &different), 40);
    assert_int_equal(different, 1);
}

/* Every page can be reached from the front page by links that never go. */
static void every_page_is_linked(void **state)
{
    (void)state;
    struct world w;
    world_new(&w);
    w.o.pages = 80;
    world_start(&w);
    char *map = get(&w, SHARC_SPAN("/sitemap.xml"), "");
    struct sharc_buf all = SHARC_BUF_INIT(8u << 20);
    size_t base = strlen(sharc_lab_url(w.lab)) - 1, pages = 0;
    for (const char *at = map; (at = strstr(at, "<loc>")); at++) {
        const char *path = at + 5 + base;
        sharc_lab_body(w.lab, sharc_span(path, strcspn(path, "<")), (struct sharc_lab_version){5, 2, 1}, &all, NULL);
    }
    for (const char *at = map; (at = strstr(at, "<loc>")); at++, pages++) {
        char link[300];
        const char *path = at + 5 + base;
        snprintf(link, sizeof link, "<li><a href=\"%.*s\">", (int)strcspn(path, "<"), path);
        if (pages > 0 && !strstr(all.p, link)) fail_msg("nothing links to %s", link);
    }
    assert_int_equal(pages, 80);
    free(map);
    sharc_buf_done(&all);
    world_done(&w);
}

static uint32_t u32_at(const char *p)
{
    const uint8_t *b = (const uint8_t *)p;
    return (uint32_t)b[0] << 24 | (uint32_t)b[1] << 16 | (uint32_t)b[2] << 8 | b[3];
}

static void find_image(struct world *w, const struct sharc_node *line, void *arg)
{
    (void)w;
    struct sharc_span path = text(line, "path");
    if (sharc_span_ends(path, SHARC_SPAN(".png"))) snprintf(arg, 100, "%.*s", SHARC_SPAN_ARG(path));
}

static void images_are_png(void **state)
{
    (void)state;
    struct world w;
    char path[100] = "";
    struct sharc_buf png = SHARC_BUF_INIT(1u << 20), rows = SHARC_BUF_INIT(1u << 20), other = SHARC_BUF_INIT(1u << 20);
    world_new(&w);
    world_start(&w);
    each_line(&w, w.truth, find_image, path);
    assert_int_equal(sharc_lab_body(w.lab, sharc_span_of(path), (struct sharc_lab_version){0}, &png, NULL), 0);
    sharc_lab_body(w.lab, sharc_span_of(path), (struct sharc_lab_version){.edit = 1}, &other, NULL);
    assert_false(sharc_span_eq(sharc_buf_span(&png), sharc_buf_span(&other)));
    assert_memory_equal(png.p, "\x89PNG\r\n\x1a\n", 8);
    for (size_t at = 8; at < png.n;) {
        uint32_t n = u32_at(png.p + at);
        struct sharc_span data = sharc_span(png.p + at + 8, n);
        assert_int_equal(sharc_crc32(0, sharc_span(png.p + at + 4, n + 4)), u32_at(png.p + at + 8 + n));
        if (memcmp(png.p + at + 4, "IDAT", 4) == 0) assert_int_equal(sharc_decode(SHARC_DEFLATE, data, &rows, NULL), 0);
        at += 12 + n;
    }
    assert_int_equal(rows.n, 48 * 9);
    sharc_buf_done(&png);
    sharc_buf_done(&rows);
    sharc_buf_done(&other);
    world_done(&w);
}

/* --- a recorded history ------------------------------------------------------------------ */

static void write_file(const char *dir, const char *name, const char *content)
{
    char *path = sharc_path_join(dir, name);
    assert_int_equal(sharc_file_replace(path, sharc_span_of(content), NULL), 0);
    free(path);
}

static void count_causes(struct world *w, const struct sharc_node *line, void *arg)
{
    (void)w;
    sharc_buf_printf(arg, "%.*s %.*s %.*s\n", SHARC_SPAN_ARG(sharc_span_sub(text(line, "time"), 11, 23)),
                     SHARC_SPAN_ARG(text(line, "path")), SHARC_SPAN_ARG(text(line, "cause")));
}

static void recorded_histories_are_played(void **state)
{
    (void)state;
    struct world w;
    struct sharc_err err = SHARC_ERR_INIT;
    struct sharc_dataset *d = NULL;
    struct sharc_buf log = SHARC_BUF_INIT(1u << 20);
    world_new(&w);
    write_file(w.dir, "pages.tsv",
               "id\turl\tmime\tcreated\tdeleted\tsize\ttitle_words\ttext_words\timages\ttables\toutlinks\tabsences\n"
               "1\t/\ttext/html\t1000\t\t9\t1\t50\t0\t0\t0\t0\n"
               "2\t/a b.html\ttext/html\t1000\t5000\t9\t1\t50\t0\t0\t0\t0\n"
               "3\t/c?d=1\ttext/html\t4000\t\t9\t1\t50\t0\t0\t0\t0\n"
               "4\t/e.png\timage/gif\t1000\t\t9\t1\t50\t0\t0\t0\t1\n"
               "5\t/before\ttext/html\t1000\t1500\t9\t1\t50\t0\t0\t0\t0\n");
    write_file(w.dir, "changes.tsv", "id\ttime\n1\t1500\n1\t3000\n2\t3500\n1\t6000\n1\t20000\n");
    write_file(w.dir, "links.tsv", "from\tto\tkind\n1\t2\tlink\n1\t5\tlink\n");
    write_file(w.dir, "absences.tsv", "id\tfrom\tto\n4\t7000\t8000\n");
    write_file(w.dir, "site.json", "{\"name\":\"little\",\"start\":1000,\"end\":30000}");
    if (sharc_dataset_open(w.dir, &d, &err) < 0) fail_msg("%s", err.text);
    w.o.dataset = d;
    w.o.from = 2000;
    w.o.to = 12000;
    w.o.speed = 1000;
    w.o.sitemap_every = 0;
    world_start(&w);
    char *got = get(&w, SHARC_SPAN("/"), "");
    assert_non_null(strstr(got, "href=\"/a%20b.html\""));
    assert_null(strstr(got, "/before"));
    assert_span(field(got, "Last-Modified"), "Tue, 14 Nov 2023 22:13:19 GMT"); /* 500 s before, half a second here */
    free(got);
    got = get(&w, SHARC_SPAN("/c?d=1"), "");
    assert_non_null(strstr(got, " 404 "));
    free(got);
    world_pass(&w, 2500 * SHARC_MSEC);
    got = get(&w, SHARC_SPAN("/c?d=1"), "");
    assert_non_null(strstr(got, " 200 "));
    free(got);
    world_pass(&w, 20 * SHARC_SEC);
    each_line(&w, w.truth, count_causes, &log);
    const char *news = strstr(log.p, "/feed.xml start\n");
    assert_non_null(news);
    assert_string_equal(news + 16, "22:13:21.000 / edit\n22:13:21.000 /feed.xml renewal\n"
                                   "22:13:21.500 /a%20b.html edit\n22:13:21.500 /feed.xml renewal\n"
                                   "22:13:22.000 /c?d=1 born\n22:13:23.000 /a%20b.html gone\n"
                                   "22:13:24.000 / edit\n22:13:24.000 /feed.xml renewal\n"
                                   "22:13:25.000 /e.png gone\n22:13:26.000 /e.png born\n");
    sharc_buf_done(&log);
    world_done(&w);
    sharc_dataset_free(d);
}

static void senseless_options_are_refused(void **state)
{
    (void)state;
    struct world w;
    world_new(&w);
    w.o.pages = 9;
    assert_int_equal(sharc_lab_start(&w.o, &w.lab, NULL), SHARC_EINVAL);
    w.o.pages = 10;
    w.o.speed = 0;
    assert_int_equal(sharc_lab_start(&w.o, &w.lab, NULL), SHARC_EINVAL);
    w.o.speed = 1;
    w.o.hottest = 0;
    assert_int_equal(sharc_lab_start(&w.o, &w.lab, NULL), SHARC_EINVAL);
    w.o.hottest = 1;
    w.o.truth = "/nowhere/at/all/truth.jsonl";
    struct sharc_err err = SHARC_ERR_INIT;
    assert_int_equal(sharc_lab_start(&w.o, &w.lab, &err), SHARC_ENOENT);
    assert_non_null(strstr(err.text, "/nowhere/at/all/truth.jsonl"));
    w.lab = NULL;
    world_done(&w);
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(versions_follow_from_the_truth),
    cmocka_unit_test(one_seed_one_history),
    cmocka_unit_test(pages_are_served),
    cmocka_unit_test(validators_fit_the_version),
    cmocka_unit_test(services_tell_of_the_site),
    cmocka_unit_test(every_page_is_linked),
    cmocka_unit_test(images_are_png),
    cmocka_unit_test(lists_may_be_silent_and_may_lie),
    cmocka_unit_test(recorded_histories_are_played),
    cmocka_unit_test(senseless_options_are_refused),
};
TEST_MAIN(tests)

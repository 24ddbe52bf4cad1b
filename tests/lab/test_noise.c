/* SPDX-License-Identifier: Apache-2.0
 *
 * Noise, small edits and faults of a living site, and that its log knows the truth of them.
 */
#include "test.h"

#include "client.h"
#include "sharc/base_codec.h"
#include "sharc/base_file.h"
#include "sharc/lab.h"
#include "sharc/lab_truth.h"

#include <stdio.h>
#include <stdlib.h>

#define START (1700000000 * SHARC_SEC)

struct world {
    char *dir, *log;
    struct sharc_clock_virtual clock;
    struct sharc_lab_options o;
    struct sharc_lab *lab;
    struct sharc_lab_truth *truth;
};

static void world_new(struct world *w, const char *edits, const char *noise, const char *faults)
{
    *w = (struct world){.o = SHARC_LAB_OPTIONS};
    w->dir = test_mkdir();
    w->log = sharc_path_join(w->dir, "truth.jsonl");
    sharc_clock_virtual_init(&w->clock, START);
    w->o.clock = &w->clock.clock;
    w->o.truth = w->log;
    w->o.pages = 10;
    w->o.counters = 0;
    w->o.layout_every = 0;
    w->o.skew = 0;
    w->o.hottest = 10 * SHARC_SEC;
    assert_int_equal(sharc_lab_edits_parse(sharc_span_of(edits), &w->o.edits, NULL), 0);
    assert_int_equal(sharc_lab_noise_parse(sharc_span_of(noise), &w->o.noise, NULL), 0);
    assert_int_equal(sharc_lab_faults_parse(sharc_span_of(faults), &w->o.faults, NULL), 0);
    struct sharc_err err = SHARC_ERR_INIT;
    if (sharc_lab_start(&w->o, &w->lab, &err) < 0) fail_msg("%s", err.text);
}

static void world_done(struct world *w)
{
    sharc_lab_truth_free(w->truth);
    sharc_lab_stop(w->lab);
    test_rmdir(w->dir);
    free(w->log);
}

static struct sharc_lab_truth *world_truth(struct world *w)
{
    struct sharc_err err = SHARC_ERR_INIT;
    sharc_lab_truth_freep(&w->truth);
    if (sharc_lab_tick(w->lab, &err) < 0 || sharc_lab_truth_open(w->log, &w->truth, &err) < 0) fail_msg("%s", err.text);
    return w->truth;
}

/* The answer, as text. */
static char *get(struct world *w, const char *path, const char *fields)
{
    const char *colon = strrchr(sharc_lab_url(w->lab), ':');
    char *request = sharc_asprintf("GET %s HTTP/1.1\r\nHost: x\r\nConnection: close\r\n%s\r\n", path, fields);
    char *got = client_ask((uint16_t)strtoul(colon + 1, NULL, 10), request);
    free(request);
    return got;
}

static const char *body_of(const char *answer)
{
    const char *end = strstr(answer, "\r\n\r\n");
    assert_non_null(end);
    return end + 4;
}

static struct sharc_lab_look look_of(struct world *w, const char *answer)
{
    struct sharc_lab_look l = {.when = w->clock.at, .took = 0, .found = true};
    sharc_digest_of(SHARC_SHA256, sharc_span_of(body_of(answer)), &l.digest);
    return l;
}

/* --- kinds ------------------------------------------------------------------------------- */

static void kinds_are_read(void **state)
{
    (void)state;
    uint32_t edits = 0;
    struct sharc_lab_mix m;
    struct sharc_err err = SHARC_ERR_INIT;
    assert_int_equal(sharc_lab_edits_parse(SHARC_SPAN("price, title"), &edits, NULL), 0);
    assert_int_equal(edits, SHARC_LAB_BIT(SHARC_LAB_EDIT_PRICE) | SHARC_LAB_BIT(SHARC_LAB_EDIT_TITLE));
    assert_int_equal(sharc_lab_edits_parse(SHARC_SPAN("all"), &edits, NULL), 0);
    assert_int_equal(edits, SHARC_LAB_BIT(SHARC_LAB_EDIT_COUNT) - 1);
    assert_int_equal(sharc_lab_edits_parse(SHARC_SPAN("prize"), &edits, &err), SHARC_ESYNTAX);
    assert_non_null(strstr(err.text, "\"prize\", only paragraph, price,"));
    assert_int_equal(sharc_lab_noise_parse(SHARC_SPAN("token,teaser:0.3,all:0.1,nonce:0"), &m, NULL), 0);
    assert_true(m.share[SHARC_LAB_NOISE_TOKEN] == 1 && m.share[SHARC_LAB_NOISE_TEASER] == 0.3);
    assert_true(m.share[SHARC_LAB_NOISE_NONCE] == 0 && m.share[SHARC_LAB_NOISE_CLOCK] == 0.1);
    assert_true(sharc_lab_mix_any(&m));
    assert_int_equal(sharc_lab_noise_parse(SHARC_SPAN(""), &m, NULL), 0);
    assert_false(sharc_lab_mix_any(&m));
    assert_int_equal(sharc_lab_noise_parse(SHARC_SPAN("token:2"), &m, &err), SHARC_ESYNTAX);
    assert_int_equal(sharc_lab_noise_parse(SHARC_SPAN("token:x"), &m, &err), SHARC_ESYNTAX);
    assert_int_equal(sharc_lab_faults_parse(SHARC_SPAN("stale:0.5"), &m, NULL), 0);
    assert_true(m.share[SHARC_LAB_FAULT_STALE] == 0.5);
    assert_int_equal(sharc_lab_faults_parse(SHARC_SPAN("token"), &m, &err), SHARC_ESYNTAX);
}

/* --- edits ------------------------------------------------------------------------------- */

/* Bytes between the first and the last that differ, of the longer one. */
static size_t hunk(struct sharc_span a, struct sharc_span b)
{
    size_t front = 0, back = 0, least = a.n < b.n ? a.n : b.n, most = a.n > b.n ? a.n : b.n;
    while (front < least && a.p[front] == b.p[front]) front++;
    while (back < least - front && a.p[a.n - 1 - back] == b.p[b.n - 1 - back]) back++;
    return most - front - back;
}

static void an_edit_is_small_and_alone(void **state)
{
    (void)state;
    for (unsigned k = SHARC_LAB_EDIT_PRICE; k < SHARC_LAB_EDIT_VOLATILE; k++) {
        struct world w;
        world_new(&w, sharc_lab_edit_word((enum sharc_lab_edit)k), "token:0.5,teaser:0.5", "");
        struct sharc_buf before = SHARC_BUF_INIT(1u << 20), after = SHARC_BUF_INIT(1u << 20);
        size_t changed = 0;
        for (uint32_t e = 0; e < 6; e++) {
            sharc_buf_clear(&before);
            sharc_buf_clear(&after);
            sharc_lab_body(w.lab, SHARC_SPAN("/"), (struct sharc_lab_version){.edit = e}, &before, NULL);
            sharc_lab_body(w.lab, SHARC_SPAN("/"), (struct sharc_lab_version){.edit = e + 1}, &after, NULL);
            size_t n = hunk(sharc_buf_span(&before), sharc_buf_span(&after));
            changed += n > 0;
            if (n > 100) fail_msg("%s changes %zu bytes", sharc_lab_edit_word((enum sharc_lab_edit)k), n);
        }
        /* A word may be drawn twice in a row, not often. */
        if (changed < 4) fail_msg("%s changes nothing", sharc_lab_edit_word((enum sharc_lab_edit)k));
        assert_true(before.n > 3000);
        sharc_buf_done(&before);
        sharc_buf_done(&after);
        world_done(&w);
    }
}

/* A page is A, then B, then A again; the log calls the first and the last the same. */
static void an_undone_edit_leaves_no_trace(void **state)
{
    (void)state;
    struct world w;
    world_new(&w, "undone", "", "");
    size_t n = 0;
    const struct sharc_lab_fact *f = NULL;
    for (int i = 0; i < 100 && n < 3; i++) {
        w.clock.at += SHARC_SEC;
        f = sharc_lab_truth_of(world_truth(&w), SHARC_SPAN("/"), &n);
    }
    assert_true(n >= 3);
    assert_true(f[0].state == f[2].state && f[0].state != f[1].state);
    struct sharc_lab_look a = {.when = f[0].when, .found = true, .digest = f[0].digest}, b = a, between = a;
    b.when = f[2].when;
    between.when = f[1].when;
    between.digest = f[1].digest;
    struct sharc_lab_between r = sharc_lab_between(w.truth, SHARC_SPAN("/"), &a, &b);
    assert_true(r.known && r.certain && r.undone && !r.edited);
    r = sharc_lab_between(w.truth, SHARC_SPAN("/"), &a, &between);
    assert_true(r.certain && r.edited && !r.undone);
    assert_int_equal(r.cause, SHARC_LAB_EDIT_UNDONE);
    assert_true(sharc_lab_held(w.truth, SHARC_SPAN("/"), &a, f[0].when, f[2].when));
    assert_false(sharc_lab_held(w.truth, SHARC_SPAN("/"), &a, f[0].when, f[1].when + 10 * SHARC_MSEC));
    world_done(&w);
}

/* --- noise ------------------------------------------------------------------------------- */

static void noise_differs_and_is_no_edit(void **state)
{
    (void)state;
    for (unsigned k = 0; k < SHARC_LAB_NOISE_COUNT; k++) {
        struct world w;
        world_new(&w, "", sharc_lab_noise_word((enum sharc_lab_noise)k), "");
        char *first = get(&w, "/", "");
        struct sharc_lab_look a = look_of(&w, first), b = a;
        size_t differed = 0;
        for (int i = 0; i < 8; i++) {
            w.clock.at += 2 * SHARC_MINUTE; /* clocks to the minute move too */
            char *again = get(&w, "/", "");
            differed += strcmp(body_of(first), body_of(again)) != 0;
            b = look_of(&w, again);
            assert_int_equal(sharc_lab_check_body(world_truth(&w), SHARC_SPAN("/"), &b), SHARC_LAB_BODY_RIGHT);
            free(again);
        }
        if (differed < 4) fail_msg("%s does not differ", sharc_lab_noise_word((enum sharc_lab_noise)k));
        assert_int_equal(sharc_lab_truth_noise(w.truth, SHARC_SPAN("/")), SHARC_LAB_BIT(k));
        a.digest.bytes[0] ^= 1;
        assert_int_equal(sharc_lab_check_body(w.truth, SHARC_SPAN("/"), &a), SHARC_LAB_BODY_WRONG);
        free(first);
        world_done(&w);
    }
}

/* The log knows which version an answer was, although no body has the digest of its version. */
static void an_edit_is_told_from_noise(void **state)
{
    (void)state;
    struct world w;
    world_new(&w, "price", "token,clock,teaser", "");
    char *first = get(&w, "/", ""), *again = get(&w, "/", "");
    struct sharc_lab_look a = look_of(&w, first), b = look_of(&w, again);
    struct sharc_lab_between r = sharc_lab_between(world_truth(&w), SHARC_SPAN("/"), &a, &b);
    assert_true(r.certain && !r.edited);
    size_t n = 0;
    for (int i = 0; i < 100 && n < 2; i++) {
        w.clock.at += SHARC_SEC;
        sharc_lab_truth_of(world_truth(&w), SHARC_SPAN("/"), &n);
    }
    free(again);
    again = get(&w, "/", "");
    b = look_of(&w, again);
    r = sharc_lab_between(world_truth(&w), SHARC_SPAN("/"), &a, &b);
    assert_true(r.certain && r.edited);
    assert_int_equal(r.cause, SHARC_LAB_EDIT_PRICE);
    free(first);
    free(again);
    world_done(&w);
}

/* What is edited inside a place that always differs is no edit of the rest. */
static void an_edit_inside_noise_is_told_apart(void **state)
{
    (void)state;
    struct world w;
    world_new(&w, "volatile", "teaser,advert", "");
    char *first = get(&w, "/", "");
    struct sharc_lab_look a = look_of(&w, first);
    size_t n = 0;
    for (int i = 0; i < 100 && n < 2; i++) {
        w.clock.at += SHARC_SEC;
        sharc_lab_truth_of(world_truth(&w), SHARC_SPAN("/"), &n);
    }
    char *again = get(&w, "/", "");
    struct sharc_lab_look b = look_of(&w, again);
    struct sharc_lab_between r = sharc_lab_between(world_truth(&w), SHARC_SPAN("/"), &a, &b);
    assert_true(r.certain && r.inside && !r.edited);
    free(first);
    free(again);
    world_done(&w);
}

/* --- faults ------------------------------------------------------------------------------ */

static void edit_front(struct world *w)
{
    size_t n = 0, before = 0;
    sharc_lab_truth_of(world_truth(w), SHARC_SPAN("/"), &before);
    for (int i = 0; i < 1000 && n <= before; i++) {
        w->clock.at += SHARC_SEC / 10;
        sharc_lab_truth_of(world_truth(w), SHARC_SPAN("/"), &n);
    }
    assert_true(n > before);
}

static void validators_lie(void **state)
{
    (void)state;
    static const char *const faults[] = {"frozen", "always-304", "fixed"};
    for (size_t i = 0; i < SHARC_LENGTH(faults); i++) {
        struct world w;
        world_new(&w, "price", "", faults[i]);
        char *first = get(&w, "/", "");
        bool tagged = strstr(first, "\r\nETag: ");
        assert_int_equal(tagged, strcmp(faults[i], "fixed") != 0);
        const char *value = strstr(first, tagged ? "ETag: " : "Last-Modified: ");
        assert_non_null(value);
        value = strchr(value, ' ') + 1;
        char *fields = sharc_asprintf("%s: %.*s\r\n", tagged ? "If-None-Match" : "If-Modified-Since",
                                      (int)strcspn(value, "\r"), value);
        edit_front(&w);
        char *again = get(&w, "/", fields);
        assert_non_null(strstr(again, " 304 "));
        struct sharc_lab_look a = look_of(&w, first), b = {.when = w.clock.at, .found = true, .confirmed = true};
        a.when = START;
        struct sharc_lab_between r = sharc_lab_between(world_truth(&w), SHARC_SPAN("/"), &a, &b);
        assert_true(r.certain && r.edited);
        free(first);
        free(again);
        free(fields);
        world_done(&w);
    }
}

static void a_cache_is_old_and_says_so(void **state)
{
    (void)state;
    struct world w;
    world_new(&w, "price", "token", "stale");
    char *first = get(&w, "/", ""), *again;
    assert_non_null(strstr(first, "\r\nAge: 0\r\n"));
    w.clock.at += 2 * SHARC_SEC;
    again = get(&w, "/", "");
    assert_non_null(strstr(again, "\r\nAge: 2\r\n"));
    assert_string_equal(body_of(first), body_of(again));
    free(again);
    w.clock.at += 2 * SHARC_SEC;
    again = get(&w, "/", "");
    assert_non_null(strstr(again, "\r\nAge: 0\r\n"));
    assert_string_not_equal(body_of(first), body_of(again));
    free(again);
    free(first);
    world_done(&w);
}

static void gzip_differs_in_its_head(void **state)
{
    (void)state;
    struct world w;
    world_new(&w, "price", "", "gzip");
    char *first = get(&w, "/", "Accept-Encoding: gzip\r\n"), *again = get(&w, "/", "Accept-Encoding: gzip\r\n");
    assert_non_null(strstr(first, "\r\nContent-Encoding: gzip\r\n"));
    assert_memory_equal(body_of(first), "\x1f\x8b\x08", 3);
    assert_memory_not_equal(body_of(first) + 4, body_of(again) + 4, 4);
    free(again);
    again = get(&w, "/", "");
    assert_null(strstr(again, "Content-Encoding"));
    struct sharc_lab_look b = look_of(&w, again);
    assert_int_equal(sharc_lab_check_body(world_truth(&w), SHARC_SPAN("/"), &b), SHARC_LAB_BODY_RIGHT);
    free(first);
    free(again);
    world_done(&w);
}

static void bodies_break_off(void **state)
{
    (void)state;
    struct world w;
    world_new(&w, "price", "", "cut");
    char *got = get(&w, "/", "");
    const char *length = strstr(got, "Content-Length: ");
    assert_non_null(length);
    assert_true(strlen(body_of(got)) < strtoul(length + 16, NULL, 10));
    free(got);
    world_done(&w);
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(kinds_are_read),
    cmocka_unit_test(an_edit_is_small_and_alone),
    cmocka_unit_test(an_undone_edit_leaves_no_trace),
    cmocka_unit_test(noise_differs_and_is_no_edit),
    cmocka_unit_test(an_edit_is_told_from_noise),
    cmocka_unit_test(an_edit_inside_noise_is_told_apart),
    cmocka_unit_test(validators_lie),
    cmocka_unit_test(a_cache_is_old_and_says_so),
    cmocka_unit_test(gzip_differs_in_its_head),
    cmocka_unit_test(bodies_break_off),
};
TEST_MAIN(tests)

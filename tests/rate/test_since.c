/* SPDX-License-Identifier: Apache-2.0 */
#include "test.h"

#include "sharc/base_rng.h"
#include "sharc/rate_since.h"

#include <math.h>
#include <stdio.h>

#define PAGES 400
#define NEVER (-HUGE_VAL)
#define assert_near(a, b, by) assert_true(fabs((a) - (b)) <= (by))

struct site {
    char url[PAGES][32];
    struct sharc_rate_look look[PAGES];
    double still[PAGES];
    size_t n;
};

static void add(struct site *s, const char *folder, double seen, double changed, double rate)
{
    assert_true(s->n < PAGES);
    snprintf(s->url[s->n], sizeof s->url[0], "/%s/%zu.html", folder, s->n);
    s->look[s->n] = (struct sharc_rate_look){0, seen, NEVER, changed, rate};
    s->n++;
}

static double judge(struct site *s, double now)
{
    SHARC_AUTO(sharc_rate_places_freep) struct sharc_rate_places *places = sharc_rate_places_new();
    for (uint32_t i = 0; i < s->n; i++) s->look[i].place = sharc_rate_places_find(places, i, sharc_span_of(s->url[i]));
    return sharc_rate_since(places, s->look, s->n, now, s->still);
}

static void without_signs_the_rate_alone_speaks(void **state)
{
    (void)state;
    struct site s = {.n = 0};
    for (int i = 0; i < 10; i++) {
        add(&s, "a", i, (double)NAN, 0.01);
        s.look[i].from = i; /* it does not say when it changed */
    }
    assert_near(judge(&s, 10), 1, 0);
    for (int i = 0; i < 10; i++) assert_near(s.still[i], exp(-0.01 * (10 - i)), 1e-12);
}

/* Pages of two folders are seen in turn over 100 seconds; at 60 an edit reaches
 * `share` of the pages of the first. */
static void an_edit_at_60(struct site *s, double share)
{
    s->n = 0;
    for (int i = 0; i < 200; i++) {
        bool reached = (double)(i * 7 % 200) < share * 200;
        add(s, "edited", i / 2.0, reached && i / 2.0 > 60 ? 60 : NEVER, 0.001);
        add(s, "quiet", i / 2.0, NEVER, 0.001);
    }
}

static void an_edit_reaches_those_seen_before_it(void **state)
{
    (void)state;
    struct site s;
    an_edit_at_60(&s, 1);
    judge(&s, 100);
    for (size_t i = 0; i < s.n; i += 2) {
        if (s.look[i].seen < 59)
            assert_true(s.still[i] < 0.1);
        else if (s.look[i].seen > 61)
            assert_true(s.still[i] > 0.85);
        assert_true(s.look[i + 1].seen > 59.5 || s.still[i + 1] > 0.85);
    }
}

static void half_an_edit_is_half_a_doubt(void **state)
{
    (void)state;
    struct site s;
    an_edit_at_60(&s, 0.5);
    judge(&s, 100);
    for (size_t i = 0; i < s.n && s.look[i].seen < 59; i += 2) assert_in_range((int)(s.still[i] * 100), 40, 65);
}

static void a_folder_that_was_not_seen_again_asks_the_one_above(void **state)
{
    (void)state;
    struct site s;
    an_edit_at_60(&s, 1);
    s.n = 398;
    add(&s, "edited/below", 10, NEVER, 0.001);
    add(&s, "quiet/below", 10, NEVER, 0.001);
    judge(&s, 100);
    assert_true(s.still[398] < 0.1);
    assert_true(s.still[399] > 0.85);
}

static void hot_pages_are_doubted_first(void **state)
{
    (void)state;
    struct site s = {.n = 0};
    for (int i = 0; i < 100; i++) {
        add(&s, "a", 0.2 + i, i % 10 == 9 ? i : NEVER, 0.0003);
        add(&s, "a", 0.7 + i, i % 3 == 2 ? i : NEVER, 0.003);
    }
    judge(&s, 100);
    for (size_t i = 0; i < 100; i += 2) assert_true(s.still[i + 1] < s.still[i]);
}

/* Without Last-Modified two looks compared are all there is. */
static void looks_compared_count_from_the_first(void **state)
{
    (void)state;
    struct site s = {.n = 0};
    for (int i = 0; i < 100; i++) { /* seen at 0 … 49, and half of them again at 50 … 99: changed */
        add(&s, "a", i % 2 ? 50 + i / 2.0 : i / 2.0, i % 2 ? 49.5 : (double)NAN, 0.001);
        s.look[i].from = i / 2.0;
        add(&s, "b", i % 2 ? 50 + i / 2.0 : i / 2.0, (double)NAN, 0.001);
        s.look[s.n - 1].from = i / 2.0;
    }
    judge(&s, 100);
    for (size_t i = 0; i < 190; i += 4) {
        assert_true(s.still[i] < 0.15);
        assert_true(s.still[i + 1] > 0.6);
    }
}

/* Poisson changes: belief, truth and the factor agree. */
static void beliefs_are_worth_what_they_say(void **state)
{
    (void)state;
    struct sharc_rng rng;
    sharc_rng_init(&rng, 7);
    double believed = 0, true_count = 0, factor = 0;
    const int runs = 40;
    for (int run = 0; run < runs; run++) {
        struct site s = {.n = 0};
        bool later[PAGES];
        for (int i = 0; i < PAGES; i++) {
            /* They change three times as often as is thought. */
            const double seen = i * 0.25, thought = i % 2 ? 0.002 : 0.004, rate = 3 * thought;
            double last = seen + log(1 - sharc_rng_uniform(&rng)) / rate,
                   next = -log(1 - sharc_rng_uniform(&rng)) / rate;
            add(&s, i % 4 < 2 ? "a" : "b", seen, last, thought);
            later[i] = seen + next <= 100;
        }
        factor += judge(&s, 100) / runs;
        for (int i = 0; i < PAGES; i++) {
            believed += 1 - s.still[i];
            true_count += later[i];
        }
    }
    assert_true(fabs(believed / true_count - 1) < 0.1);
    assert_true(factor > 2.5 && factor < 3.5);
}

/* Folders are found by their names, in whatever order pages come; and a folder of one page is none. */
static void the_order_of_looks_does_not_matter(void **state)
{
    (void)state;
    struct site s, turned;
    an_edit_at_60(&s, 0.7);
    s.n = 396;
    add(&s, "edited/a/b/c/d/e", 10, NEVER, 0.001);
    add(&s, "quiet/a/b", 10, NEVER, 0.001);
    add(&s, "quiet/a/b", 20, 15, 0.001);
    add(&s, "alone", 30, NEVER, 0.001);
    const double factor = judge(&s, 100);
    turned.n = s.n;
    for (size_t i = 0; i < s.n; i++) {
        turned.look[i] = s.look[s.n - 1 - i];
        memcpy(turned.url[i], s.url[s.n - 1 - i], sizeof turned.url[i]);
    }
    assert_near(judge(&turned, 100), factor, 1e-9);
    for (size_t i = 0; i < s.n; i++) assert_near(turned.still[s.n - 1 - i], s.still[i], 1e-9);
    assert_true(s.still[396] < 0.5); /* asks "edited" */
    assert_true(s.still[397] > s.still[396]);
}

static void anything_is_a_url(void **state)
{
    (void)state;
    const char *const urls[] = {"",   "/", "//",       "://",        "http://", "https://a.example",
                                "?/", "#", "a//b///c", "/\xff/\x01/"};
    struct sharc_rate_look look[SHARC_LENGTH(urls)];
    double still[SHARC_LENGTH(urls)];
    SHARC_AUTO(sharc_rate_places_freep) struct sharc_rate_places *places = sharc_rate_places_new();
    for (uint32_t i = 0; i < SHARC_LENGTH(urls); i++) {
        const uint32_t place = sharc_rate_places_find(places, i, sharc_span_of(urls[i]));
        look[i] = (struct sharc_rate_look){place, (double)i, NEVER, i % 3 ? NEVER : (double)i, i % 2};
        assert_true(sharc_rate_places_know(places, i));
        assert_int_equal(sharc_rate_places_find(places, i, SHARC_SPAN_NONE), place);
    }
    assert_false(sharc_rate_places_know(places, SHARC_LENGTH(urls)));
    double factor = sharc_rate_since(places, look, SHARC_LENGTH(urls), 10, still);
    assert_true(factor >= 1 / 32.0 && factor <= 32);
    for (size_t i = 0; i < SHARC_LENGTH(urls); i++) assert_true(still[i] >= 0 && still[i] <= 1);
    /* No time has passed, nobody was seen, nothing ever changes. */
    for (size_t i = 0; i < SHARC_LENGTH(urls); i++) look[i].seen = 10, look[i].rate = 0;
    assert_near(sharc_rate_since(places, look, SHARC_LENGTH(urls), 10, still), 1, 0);
    assert_near(sharc_rate_since(places, look, SHARC_LENGTH(urls), 20, still), 1, 0);
    assert_near(still[3], 1, 0);
    assert_near(sharc_rate_since(places, NULL, 0, 10, NULL), 1, 0);
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(without_signs_the_rate_alone_speaks),
    cmocka_unit_test(an_edit_reaches_those_seen_before_it),
    cmocka_unit_test(half_an_edit_is_half_a_doubt),
    cmocka_unit_test(a_folder_that_was_not_seen_again_asks_the_one_above),
    cmocka_unit_test(hot_pages_are_doubted_first),
    cmocka_unit_test(looks_compared_count_from_the_first),
    cmocka_unit_test(beliefs_are_worth_what_they_say),
    cmocka_unit_test(the_order_of_looks_does_not_matter),
    cmocka_unit_test(anything_is_a_url),
};

TEST_MAIN(tests)

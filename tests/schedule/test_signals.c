/* SPDX-License-Identifier: Apache-2.0
 *
 * What sources say of changes, and what that is worth.
 */
#include "test.h"

#include <math.h>
#include <stdlib.h>

#include "sharc/schedule_signals.h"

enum { N = 1000 };
#define SEEN 100.0
#define READ 200.0
#define NOW 210.0

struct world {
    struct sharc_signals *s;
    sharc_page_no page[N];
    double still[N];
};

/* All pages are visited at SEEN; answers state a change long before, or nothing. */
static void world_init(struct world *w, bool stated)
{
    w->s = sharc_signals_new(150, 1);
    sharc_signals_source(w->s, 0, SHARC_SIGNAL_SITEMAP);
    for (uint32_t p = 0; p < N; p++) {
        w->page[p] = p;
        w->still[p] = 0.98;
        sharc_signals_seen(w->s, p, SEEN, stated ? 10 + p % 50 : (double)NAN, SHARC_SIGNAL_FIRST);
    }
}

static void believe(struct world *w)
{
    sharc_signals_believe(w->s, w->page, N, NOW, w->still);
}

static void world_done(struct world *w)
{
    sharc_signals_free(w->s);
}

static void honest_sitemap_is_believed(void **state)
{
    (void)state;
    struct world w;
    world_init(&w, true);
    for (uint32_t p = 0; p < N; p++) sharc_signals_say(w.s, 0, p, p < 20 ? 150 + p : 10 + p % 50, 0, READ);
    sharc_signals_read(w.s, 0, -HUGE_VAL, READ);
    believe(&w);
    struct sharc_signal_worth worth;
    assert_true(sharc_signals_worth(w.s, 0, &worth));
    assert_int_equal(worth.pages, N);
    assert_int_equal(worth.signalled, 20);
    assert_true(worth.recall > 0.99 && worth.precision > 0.99 && worth.gain > 1000);
    for (uint32_t p = 0; p < N; p++) {
        if (p < 20)
            assert_true(w.still[p] < 0.1);
        else
            assert_true(w.still[p] > 0.98);
    }
    world_done(&w);
}

/* Nothing was ever compared, so nothing is known of the source, and still it moves
 * nothing: there is no page that is not stamped. */
static void everything_stamped_now_says_nothing(void **state)
{
    (void)state;
    for (int stated = 0; stated < 2; stated++) {
        struct world w;
        world_init(&w, stated);
        for (uint32_t p = 0; p < N; p++) sharc_signals_say(w.s, 0, p, READ, 0, READ);
        sharc_signals_read(w.s, 0, -HUGE_VAL, READ);
        believe(&w);
        for (uint32_t p = 0; p < N; p++) assert_close(w.still[p], 0.98, 0.001);
        world_done(&w);
    }
}

/* Looks go to doubted pages, and many of these have changed; a source that names all pages
 * is none the better for it. */
static void all_named_is_none_named_whatever_looks_find(void **state)
{
    (void)state;
    struct world w;
    world_init(&w, true);
    for (uint32_t p = 0; p < N; p++) sharc_signals_say(w.s, 0, p, READ, 0, READ);
    sharc_signals_read(w.s, 0, -HUGE_VAL, READ);
    for (uint32_t p = 0; p < 300; p++) sharc_signals_seen(w.s, p, NOW, p % 2 ? 150 : 20, p % 2);
    for (uint32_t p = 0; p < N; p++) sharc_signals_say(w.s, 0, p, NOW + 5, 0, NOW + 5);
    sharc_signals_read(w.s, 0, -HUGE_VAL, NOW + 5);
    sharc_signals_believe(w.s, w.page, N, NOW + 10, w.still);
    struct sharc_signal_worth worth;
    assert_true(sharc_signals_worth(w.s, 0, &worth));
    assert_true(worth.now.right >= 150);
    for (uint32_t p = 0; p < N; p++) assert_close(w.still[p], 0.98, 0.001);
    world_done(&w);
}

/* The share that is false is found out by second looks. */
static void looks_find_false_stamps_out(void **state)
{
    (void)state;
    struct world w;
    world_init(&w, false);
    for (uint32_t p = 0; p < N; p++) sharc_signals_say(w.s, 0, p, p % 5 == 0 ? 150 : 10, 0, READ);
    sharc_signals_read(w.s, 0, -HUGE_VAL, READ);
    believe(&w);
    const double before = w.still[0];
    for (uint32_t p = 0; p < 400; p += 5) sharc_signals_seen(w.s, p, NOW, (double)NAN, 0);
    for (uint32_t p = 0; p < N; p++) w.still[p] = 0.98;
    believe(&w);
    struct sharc_signal_worth worth;
    assert_true(sharc_signals_worth(w.s, 0, &worth));
    assert_close(worth.now.wrong, 80, 1e-9);
    assert_true(worth.precision < 0.02);
    assert_true(w.still[500] > before);
    assert_true(w.still[500] > 0.9);
    world_done(&w);
}

/* Changes that it does not tell of are counted; its silence then means little. */
static void silence_of_a_sparse_source_means_little(void **state)
{
    (void)state;
    struct world w;
    world_init(&w, false);
    for (uint32_t p = 0; p < N; p++) sharc_signals_say(w.s, 0, p, p < 5 ? 150 : 10, 0, READ);
    sharc_signals_say(w.s, 0, 5, READ, 0, READ); /* it is up to date */
    sharc_signals_read(w.s, 0, -HUGE_VAL, READ);
    for (uint32_t p = 0; p < 100; p++) sharc_signals_seen(w.s, p, NOW, 160, p < 50);
    believe(&w);
    struct sharc_signal_worth worth;
    assert_true(sharc_signals_worth(w.s, 0, &worth));
    assert_close(worth.now.told, 6, 1e-9);
    assert_close(worth.now.missed, 44, 1e-9);
    assert_close(w.still[900], 0.98, 0.005);
    world_done(&w);
}

/* What was made long before it was read says nothing of the time since. */
static void late_source_is_silent_about_the_end(void **state)
{
    (void)state;
    struct world w;
    world_init(&w, true);
    for (uint32_t p = 0; p < N; p++) sharc_signals_say(w.s, 0, p, p < 20 ? 110 : 10 + p % 50, 0, READ);
    sharc_signals_read(w.s, 0, -HUGE_VAL, READ);
    for (uint32_t p = 0; p < N; p++) w.still[p] = 0.5;
    believe(&w);
    assert_true(w.still[0] < 0.01);
    assert_close(w.still[900], pow(0.5, 100 / 110.0), 0.01);
    world_done(&w);
}

static void dates_without_a_time_may_mean_the_change_before(void **state)
{
    (void)state;
    struct world w;
    world_init(&w, true);
    sharc_signals_seen(w.s, 1, SEEN, 95, SHARC_SIGNAL_FIRST);
    sharc_signals_say(w.s, 0, 1, 90, 50, READ);
    sharc_signals_seen(w.s, 2, SEEN, 20, SHARC_SIGNAL_FIRST);
    sharc_signals_say(w.s, 0, 2, 90, 50, READ);
    sharc_signals_read(w.s, 0, -HUGE_VAL, READ);
    believe(&w);
    struct sharc_signal_worth worth;
    assert_true(sharc_signals_worth(w.s, 0, &worth));
    assert_int_equal(worth.signalled, 1);
    assert_true(w.still[1] > w.still[2]);
    world_done(&w);
}

/* A feed lists what has changed; what it does not list it is silent about. */
static void pages_a_feed_leaves_out_are_quiet(void **state)
{
    (void)state;
    struct world w;
    world_init(&w, true);
    sharc_signals_source(w.s, 1, SHARC_SIGNAL_FEED);
    for (uint32_t p = 0; p < 10; p++) sharc_signals_say(w.s, 1, p, 190, 0, READ);
    for (uint32_t p = 10; p < 40; p++) sharc_signals_say(w.s, 1, p, 10 + p % 50, 0, READ);
    sharc_signals_read(w.s, 1, -HUGE_VAL, READ);
    believe(&w);
    struct sharc_signal_worth worth;
    assert_true(sharc_signals_worth(w.s, 1, &worth));
    assert_int_equal(worth.pages, 40);
    assert_int_equal(worth.signalled, 10);
    /* It did not tell of the last changes of 960 pages. */
    assert_true(worth.recall < 0.1 && worth.precision > 0.9);
    assert_true(w.still[0] < 0.6);
    assert_close(w.still[900], 0.98, 0.003);
    world_done(&w);
}

static void nonsense_is_ignored(void **state)
{
    (void)state;
    struct world w;
    world_init(&w, true);
    sharc_signals_say(w.s, 0, 1, 1e9, 0, READ);         /* the future */
    sharc_signals_say(w.s, 0, 2, (double)NAN, 0, READ); /* no time */
    sharc_signals_say(w.s, 0, 3, -HUGE_VAL, 0, READ);   /* none either */
    sharc_signals_say(w.s, 7, 3, 150, 0, READ);         /* nobody */
    sharc_signals_say(w.s, 1000, 3, 150, 0, READ);      /* nobody either */
    sharc_signals_source(w.s, 1000, SHARC_SIGNAL_SITEMAP);
    sharc_signals_read(w.s, 7, -HUGE_VAL, READ);
    believe(&w);
    struct sharc_signal_worth worth;
    assert_false(sharc_signals_worth(w.s, 7, &worth));
    assert_false(sharc_signals_worth(w.s, 1000, &worth));
    assert_true(sharc_signals_worth(w.s, 0, &worth));
    assert_int_equal(worth.pages, 0);
    for (uint32_t p = 0; p < N; p++) assert_close(w.still[p], 0.98, 1e-12);
    world_done(&w);
}

static void earlier_captures_are_remembered(void **state)
{
    (void)state;
    struct world w;
    world_init(&w, false);
    const struct sharc_signal_counts before = {.told = 300, .missed = 100, .right = 0, .wrong = 1000};
    sharc_signals_remember(w.s, 0, &before);
    const struct sharc_signal_counts broken = {.told = -1, .missed = 3, .right = HUGE_VAL, .wrong = 1};
    sharc_signals_remember(w.s, 0, &broken);
    struct sharc_signal_worth worth;
    assert_true(sharc_signals_worth(w.s, 0, &worth));
    assert_close(worth.recall, 16.0 / 22, 1e-9);
    assert_close(worth.precision, 1.0 / 22, 1e-9);
    /* They are not what this capture has seen. */
    assert_close(worth.now.told + worth.now.missed + worth.now.right + worth.now.wrong, 0, 1e-9);
    assert_close(worth.before.told, 15, 1e-9);
    assert_close(worth.before.wrong, 20, 1e-9);
    world_done(&w);
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(honest_sitemap_is_believed),
    cmocka_unit_test(everything_stamped_now_says_nothing),
    cmocka_unit_test(all_named_is_none_named_whatever_looks_find),
    cmocka_unit_test(looks_find_false_stamps_out),
    cmocka_unit_test(silence_of_a_sparse_source_means_little),
    cmocka_unit_test(late_source_is_silent_about_the_end),
    cmocka_unit_test(dates_without_a_time_may_mean_the_change_before),
    cmocka_unit_test(pages_a_feed_leaves_out_are_quiet),
    cmocka_unit_test(nonsense_is_ignored),
    cmocka_unit_test(earlier_captures_are_remembered),
};
TEST_MAIN(tests)

/* SPDX-License-Identifier: Apache-2.0 */
#include "test.h"

#include "sharc/rate_live.h"
#include "sharc/rate_model.h"
#include "sharc/rate_near.h"

#include <math.h>
#include <stdio.h>

#define DAY 86400.0
#define assert_same(a, b) assert_true(fabs((a) - (b)) <= 1e-6 * fabs(b))

static void a_visit_teaches_about_the_page_and_its_neighbours(void **state)
{
    (void)state;
    SHARC_AUTO(sharc_rate_live_freep) struct sharc_rate_live *l = sharc_rate_live_new(30 * DAY, 60);
    double before = sharc_rate_live_rate(l, 7, SHARC_SPAN("/news/later"));
    char url[64];
    for (uint32_t i = 0; i < 30; i++) {
        snprintf(url, sizeof url, "/news/%u", i);
        sharc_rate_live_seen(l, 10 + i, sharc_span_of(url), DAY);
    }
    assert_true(sharc_rate_live_rate(l, 7, SHARC_SPAN("/news/later")) > 5 * before);
    double old = sharc_rate_live_seen(l, 3, SHARC_SPAN("/news/old"), 900 * DAY);
    assert_true(old < sharc_rate_live_rate(l, 7, SHARC_SPAN("/news/later")) / 10);
    assert_same(old, sharc_rate_live_rate(l, 3, SHARC_SPAN("/news/old")));
}

static void a_newer_age_replaces_the_old_one(void **state)
{
    (void)state;
    SHARC_AUTO(sharc_rate_live_freep) struct sharc_rate_live *once = sharc_rate_live_new(30 * DAY, 60);
    SHARC_AUTO(sharc_rate_live_freep) struct sharc_rate_live *twice = sharc_rate_live_new(30 * DAY, 60);
    sharc_rate_live_seen(once, 0, SHARC_SPAN("/a/b"), 2 * DAY);
    sharc_rate_live_seen(twice, 0, SHARC_SPAN("/a/b"), 20 * DAY);
    sharc_rate_live_seen(twice, 0, SHARC_SPAN("/a/b"), 2 * DAY);
    double same = sharc_rate_live_seen(twice, 0, SHARC_SPAN("/a/b"), SHARC_RATE_UNKNOWN);
    assert_same(same, sharc_rate_live_rate(once, 0, SHARC_SPAN("/a/b")));
    assert_same(sharc_rate_live_rate(twice, 1, SHARC_SPAN("/a/c")), sharc_rate_live_rate(once, 1, SHARC_SPAN("/a/c")));
}

static void as_the_neighbours_alone_say(void **state)
{
    (void)state;
    SHARC_AUTO(sharc_rate_live_freep) struct sharc_rate_live *l = sharc_rate_live_new(30 * DAY, 3600);
    SHARC_AUTO(sharc_rate_near_freep) struct sharc_rate_near *n = sharc_rate_near_new(30 * DAY, 3600);
    sharc_rate_live_seen(l, 0, SHARC_SPAN("/a/b"), 2 * DAY);
    sharc_rate_live_seen(l, 1, SHARC_SPAN("/a/c"), 70 * DAY);
    sharc_rate_near_age(n, SHARC_SPAN("/a/b"), 2 * DAY);
    sharc_rate_near_age(n, SHARC_SPAN("/a/c"), 70 * DAY);
    assert_same(sharc_rate_live_rate(l, 0, SHARC_SPAN("/a/b")), sharc_rate_near_rate(n, SHARC_SPAN("/a/b"), 2 * DAY));
    struct sharc_rate_gamma g = sharc_rate_near_prior(n, SHARC_SPAN("/a/d"), SHARC_RATE_UNKNOWN);
    assert_same(sharc_rate_live_rate(l, 2, SHARC_SPAN("/a/d")), sharc_rate_prior_mean(g));
}

static void what_is_given_joins_the_neighbours(void **state)
{
    (void)state;
    SHARC_AUTO(sharc_rate_live_freep) struct sharc_rate_live *l = sharc_rate_live_new(30 * DAY, 60);
    double plain = sharc_rate_live_rate(l, 5, SHARC_SPAN("/x"));
    sharc_rate_live_given(l, 5, 16 * plain);
    /* Nobody else has been seen: it is taken at its word. */
    assert_same(sharc_rate_live_rate(l, 5, SHARC_SPAN("/x")), 16 * plain);
    for (uint32_t i = 0; i < 1000; i++) sharc_rate_live_seen(l, 100 + i, SHARC_SPAN("/y/z"), 900 * DAY);
    plain = sharc_rate_live_rate(l, 6, SHARC_SPAN("/y/x"));
    sharc_rate_live_given(l, 7, 16 * plain);
    double both = sharc_rate_live_rate(l, 7, SHARC_SPAN("/y/x"));
    assert_true(both > 4 * plain && both < 4.1 * plain);
    plain = sharc_rate_live_rate(l, 4, SHARC_SPAN("/x"));
    sharc_rate_live_given(l, 5, 0);
    assert_same(sharc_rate_live_rate(l, 5, SHARC_SPAN("/x")), plain);
    sharc_rate_live_given(l, 5000, -1); /* of a page that nobody spoke of */
    assert_same(sharc_rate_live_rate(l, 5000, SHARC_SPAN("/x")), plain);
}

static void told_anew_seldom_and_at_the_end(void **state)
{
    (void)state;
    SHARC_AUTO(sharc_rate_live_freep) struct sharc_rate_live *l = sharc_rate_live_new(30 * DAY, 60);
    unsigned times = 0, last = 0;
    for (unsigned visits = 1; visits <= 100000; visits++) {
        if (!sharc_rate_live_due(l, visits, 100000)) continue;
        times++;
        last = visits;
    }
    assert_in_range(times, 15, 30);
    assert_int_equal(last, 100000);
    assert_false(sharc_rate_live_due(l, 100000, 100000)); /* nothing was visited since */
    assert_true(sharc_rate_live_due(l, 100001, 100001));
}

/* A site that makes up a folder a page costs memory up to a point. */
static void folders_without_end(void **state)
{
    (void)state;
    SHARC_AUTO(sharc_rate_live_freep) struct sharc_rate_live *l = sharc_rate_live_new(30 * DAY, 60);
    char url[64];
    for (uint32_t i = 0; i < 100000; i++) {
        snprintf(url, sizeof url, "/%u/b/c/d", i);
        sharc_rate_live_seen(l, i, sharc_span_of(url), DAY);
    }
    double rate = sharc_rate_live_seen(l, 0, SHARC_SPAN("/99999/b/c/d"), 2 * DAY);
    assert_true(rate > 0 && isfinite(rate));
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(a_visit_teaches_about_the_page_and_its_neighbours),
    cmocka_unit_test(a_newer_age_replaces_the_old_one),
    cmocka_unit_test(as_the_neighbours_alone_say),
    cmocka_unit_test(what_is_given_joins_the_neighbours),
    cmocka_unit_test(told_anew_seldom_and_at_the_end),
    cmocka_unit_test(folders_without_end),
};
TEST_MAIN(tests)

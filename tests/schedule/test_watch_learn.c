/* SPDX-License-Identifier: Apache-2.0
 *
 * Continuous capture: what is learned from looks, from what sites say themselves, and from the hours of a week.
 */
#include "test.h"
#include "watches.h"

#include "sharc/base_rng.h"

/* A source that is always right makes its pages come when it speaks, and hardly otherwise; one that cries wolf does
 * not. */
static void signals_are_learned(void **state)
{
    (void)state;
    static const char *const names[] = {"value", "index-freshness", "index-blur"};
    for (size_t k = 0; k < SHARC_LENGTH(names); k++) {
        struct sharc_watch *w = watch_make(names[k]);
        struct sharc_watch_due due[1];
        for (sharc_page_no p = 0; p < 60; p++) {
            struct sharc_watch_page page = SHARC_WATCH_PAGE;
            page.rate = 0.01;
            page.source = p / 20; /* true, false, silent */
            sharc_watch_add(w, p, &page, 0);
        }
        struct sharc_rng rng = sharc_rng_stream(k, 9);
        bool changed[60] = {false};
        uint32_t told[2] = {0}, soon[2] = {0}, downloads[3] = {0};
        sharc_time when[60] = {0};
        for (int t = 1; t < 6000; t++) {
            sharc_time now = t * SHARC_HOUR;
            for (sharc_page_no p = 0; p < 60; p++) {
                bool change = sharc_rng_uniform(&rng) < 0.01, cry = sharc_rng_uniform(&rng) < 0.01;
                changed[p] |= change;
                if (p < 20 ? change : p < 40 && cry) {
                    sharc_watch_signal(w, p, now);
                    if (t > 1000 && !when[p]) told[p / 20]++, when[p] = now;
                }
            }
            if (sharc_watch_period(w, now, 1, due) != 1) continue;
            sharc_page_no p = due[0].page;
            watch_see(w, p, now, changed[p], 1);
            if (when[p] && now - when[p] <= 6 * SHARC_HOUR) soon[p / 20]++;
            downloads[p / 20] += t > 1000;
            when[p] = 0;
            changed[p] = false;
        }
        if (!(soon[0] > 0.9 * told[0])) fail_msg("%s: %u of %u", names[k], soon[0], told[0]);
        if (!(soon[1] < 0.5 * told[1])) fail_msg("%s: %u of %u false ones", names[k], soon[1], told[1]);
        assert_true(downloads[0] < downloads[2]); /* what nobody tells of must be looked for */
        sharc_watch_free(w);
    }
}

/* Holidays are like Sundays, and each site has its own clock. */
static void sites_have_their_own_hours(void **state)
{
    (void)state;
    struct sharc_watch *w = watch_make("importance-pattern");
    struct sharc_rate_pattern nine = {.at = 0};
    for (int k = 0; k < SHARC_RATE_HOURS; k++) nine.hours[k] = 1, nine.importance[k] = k == 9 ? 1 : 0;
    for (sharc_page_no p = 0; p < 2; p++) {
        watch_add(w, p, p, 0.1, 1, 0);
        sharc_watch_teach(w, p, &nine, &nine, SHARC_TIME_NONE);
    }
    sharc_watch_site(w, 1, &(struct sharc_watch_site){.weight = 1, .east_of_utc = 2 * SHARC_HOUR});
    /* Day 5 after the first of January 1970 was a Tuesday. */
    const sharc_time day = 5 * SHARC_DAY;
    assert_true(sharc_watch_urgency(w, 0, day + 9 * SHARC_HOUR) > 0);
    assert_true(sharc_watch_urgency(w, 1, day + 7 * SHARC_HOUR) > 0);
    assert_close(sharc_watch_urgency(w, 1, day + 9 * SHARC_HOUR), 0, 0);
    sharc_watch_holidays(w, (const int32_t[]){5}, 1);
    assert_close(sharc_watch_urgency(w, 0, day + 9 * SHARC_HOUR), 0, 0);
    assert_true(sharc_watch_urgency(w, 0, day + SHARC_DAY + 9 * SHARC_HOUR) > 0);
    sharc_watch_free(w);
}

/* A change that hits every page of a host at once says nothing of how often one of them changes. */
static void changes_at_once_are_not_the_pages_own(void **state)
{
    (void)state;
    for (int at_once = 0; at_once < 2; at_once++) {
        enum { PAGES = 40 };
        struct sharc_watch *w = NULL;
        struct sharc_watch_view view;
        double rate = 0;
        assert_int_equal(sharc_watch_new(sharc_watch_find("value"), NULL, &w, NULL), 0);
        for (sharc_page_no p = 0; p < PAGES; p++) {
            struct sharc_watch_page page = SHARC_WATCH_PAGE;
            page.host = 0;
            page.rate = 0.001;
            sharc_watch_add(w, p, &page, 0);
        }
        for (int day = 1; day <= 20; day++)
            for (sharc_page_no p = 0; p < PAGES; p++) {
                /* The same number of changes: all on one day, or two pages a day. */
                const bool changed = at_once ? day == 10 : (int)p / 2 == day - 1;
                watch_see(w, p, day * SHARC_DAY + p * SHARC_MINUTE, changed, 1);
            }
        for (sharc_page_no p = 0; p < PAGES; p++) {
            assert_true(sharc_watch_look(w, p, 21 * SHARC_DAY, &view));
            rate += view.rate / PAGES;
        }
        if (at_once)
            assert_true(rate < 0.001);
        else
            assert_true(rate > 0.0012);
        sharc_watch_free(w);
    }
}

/* Every look at a page finds a change: nobody can tell how many there were, and no belief grows by being repeated. */
static void no_rate_without_bound(void **state)
{
    (void)state;
    static const char *const names[] = {"value", "index-freshness", "index-blur"};
    for (size_t k = 0; k < SHARC_LENGTH(names); k++) {
        struct sharc_watch *w = watch_make(names[k]);
        struct sharc_watch_view v;
        watch_add(w, 0, 0, 0.1, 1, 0);
        for (int i = 1; i <= 3000; i++) watch_see(w, 0, i * 2 * SHARC_HOUR, true, 1);
        assert_true(sharc_watch_look(w, 0, 6001 * SHARC_HOUR, &v));
        /* Looks two hours apart tell of at most three changes in between. */
        if (!(v.rate > 0.7 && v.rate < 1.7)) fail_msg("%s: %g changes per hour", names[k], v.rate);
        /* Looks that are closer tell more. */
        for (int i = 1; i <= 3000; i++) watch_see(w, 0, 6000 * SHARC_HOUR + i * SHARC_HOUR / 2, true, 1);
        assert_true(sharc_watch_look(w, 0, 7501 * SHARC_HOUR, &v));
        if (!(v.rate > 2 && v.rate < 7)) fail_msg("%s: %g changes per hour", names[k], v.rate);
        sharc_watch_free(w);
    }
}

/* … but what is known otherwise stays known: a page that changes hourly and is looked at once a day. */
static void a_known_rate_stays(void **state)
{
    (void)state;
    struct sharc_watch *w = watch_make("value");
    struct sharc_rate_pattern known = {.at = 0};
    struct sharc_watch_view v;
    for (int k = 0; k < SHARC_RATE_HOURS; k++) known.hours[k] = 20, known.importance[k] = 20;
    watch_add(w, 0, 0, 1, 1, 0);
    sharc_watch_teach(w, 0, &known, &known, SHARC_TIME_NONE);
    for (int i = 1; i <= 300; i++) watch_see(w, 0, i * SHARC_DAY, true, 1);
    assert_true(sharc_watch_look(w, 0, 300 * SHARC_DAY, &v));
    if (!(v.rate > 0.8 && v.rate < 1.3)) fail_msg("%g changes per hour", v.rate);
    sharc_watch_free(w);
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(signals_are_learned),
    cmocka_unit_test(sites_have_their_own_hours),
    cmocka_unit_test(changes_at_once_are_not_the_pages_own),
    cmocka_unit_test(no_rate_without_bound),
    cmocka_unit_test(a_known_rate_stays),
};
TEST_MAIN(tests)

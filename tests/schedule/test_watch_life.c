/* SPDX-License-Identifier: Apache-2.0
 *
 * Continuous capture of pages that are born, change for a day and come to rest: what others of their kind have been
 * through is known of a new one.
 */
#include "test.h"

#include "sharc/schedule_watch.h"

enum { HOT, ONCE, KINDS }; /* two hours of three on its first day; once, in its second hour */
enum { DAYS = 10 };

static struct sharc_watch *make(void)
{
    struct sharc_watch *w = NULL;
    assert_int_equal(sharc_watch_new(sharc_watch_find("value"), NULL, &w, NULL), 0);
    return w;
}

static void add(struct sharc_watch *w, sharc_page_no page, uint32_t group, sharc_time born, sharc_time since)
{
    struct sharc_watch_page p = SHARC_WATCH_PAGE;
    p.group = group;
    p.born = born;
    sharc_watch_add(w, page, &p, since);
}

static void see(struct sharc_watch *w, sharc_page_no page, sharc_time when, bool changed)
{
    struct sharc_observation o = {.page = page,
                                  .when = when,
                                  .change = changed ? SHARC_TEXT_CHANGED : SHARC_UNCHANGED,
                                  .importance = 1,
                                  .rate = -1};
    sharc_watch_observed(w, &o);
}

static double rate(struct sharc_watch *w, sharc_page_no page, sharc_time now)
{
    struct sharc_watch_view v;
    assert_true(sharc_watch_look(w, page, now, &v));
    return v.rate;
}

/* Two pages a day, looked at every hour. The last two are new when it ends. */
static sharc_time live(struct sharc_watch *w)
{
    sharc_time now = 0;
    for (int hour = 0; hour <= 24 * DAYS; hour++) {
        now = 100 * SHARC_DAY + hour * SHARC_HOUR;
        for (int day = 0; day <= hour / 24; day++)
            for (uint32_t kind = 0; kind < KINDS; kind++) {
                const sharc_page_no page = (sharc_page_no)(day * KINDS) + kind;
                const int age = hour - day * 24;
                if (age == 0)
                    add(w, page, kind, now, now);
                else
                    see(w, page, now, kind == HOT ? age < 24 && age % 3 : age == 2);
            }
    }
    return now;
}

static void what_is_new_lives_like_others_before_it(void **state)
{
    (void)state;
    struct sharc_watch *w = make();
    const sharc_time now = live(w);
    const sharc_page_no newest = DAYS * KINDS, oldest = 0;
    assert_true(rate(w, newest + HOT, now) > 0.5);
    assert_true(rate(w, newest + ONCE, now) < 0.25);
    /* The oldest have come to rest, and it is not only their own rest that says so. */
    assert_true(rate(w, oldest + HOT, now) < 0.02);
    see(w, newest + HOT, now + SHARC_HOUR, true);
    see(w, newest + ONCE, now + SHARC_HOUR, false);
    /* The only version of a page that changes once is worth more than one of two dozen. */
    assert_true(sharc_watch_urgency(w, newest + ONCE, now + 2 * SHARC_HOUR) >
                2 * sharc_watch_urgency(w, newest + HOT, now + 2 * SHARC_HOUR));
    see(w, newest + HOT, now + 2 * SHARC_HOUR, true);
    see(w, newest + ONCE, now + 2 * SHARC_HOUR, true);
    assert_true(rate(w, newest + HOT, now + 2 * SHARC_HOUR) > 0.5);
    assert_true(rate(w, newest + ONCE, now + 2 * SHARC_HOUR) < 0.2);
    sharc_watch_free(w);
}

/* After a day on which nobody looked: a hot page of yesterday is at rest now, though it never showed that. */
static void rest_is_foreseen(void **state)
{
    (void)state;
    struct sharc_watch *w = make();
    const sharc_time now = live(w);
    const sharc_page_no page = DAYS * KINDS + HOT;
    struct sharc_watch_view v;
    for (int hour = 1; hour < 24; hour++) see(w, page, now + hour * SHARC_HOUR, hour % 3);
    see(w, page, now + 40 * SHARC_HOUR, true);
    assert_true(rate(w, page, now + 40 * SHARC_HOUR) < 0.1);
    assert_true(sharc_watch_look(w, page, now + 44 * SHARC_HOUR, &v));
    assert_true(v.changed < 0.4);
    sharc_watch_free(w);
}

/* Told instead of seen; and a page of unknown age is not taken for a new one. */
static void lives_can_be_told(void **state)
{
    (void)state;
    struct sharc_watch *w = make();
    const sharc_time now = 100 * SHARC_DAY;
    for (sharc_page_no p = 0; p < 20; p++) {
        const sharc_time born = now - 10 * SHARC_DAY;
        add(w, p, 0, born, now);
        for (int hour = 0; hour < 24; hour++)
            sharc_watch_teach_life(w, p, born + hour * SHARC_HOUR, born + (hour + 1) * SHARC_HOUR, 1);
        sharc_watch_teach_life(w, p, born + SHARC_DAY, now, 0);
    }
    add(w, 20, 0, now, now);
    add(w, 21, 0, SHARC_TIME_NONE, now);
    assert_true(rate(w, 20, now) > 0.8 && rate(w, 20, now) < 1.2);
    assert_true(rate(w, 21, now) < 0.3);
    /* Nonsense is no lesson. */
    sharc_watch_teach_life(w, 99, now - SHARC_DAY, now, 1);
    sharc_watch_teach_life(w, 20, now, now - SHARC_DAY, 1);
    sharc_watch_free(w);
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(what_is_new_lives_like_others_before_it),
    cmocka_unit_test(rest_is_foreseen),
    cmocka_unit_test(lives_can_be_told),
};
TEST_MAIN(tests)

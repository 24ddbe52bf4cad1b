/* SPDX-License-Identifier: Apache-2.0
 *
 * Continuous capture, one download after the other as the crawler does: budgets, hosts, what comes first, and that of
 * many pages the best are chosen.
 */
#include "test.h"
#include "watches.h"

#include <math.h>

#include "sharc/base_rng.h"

static void downloads_come_as_the_budget_allows(void **state)
{
    (void)state;
    for (size_t k = 0; k < sharc_watch_count(); k++) {
        struct sharc_watch *w = watch_make(sharc_watch_name(sharc_watch_at(k)));
        for (sharc_page_no p = 0; p < 40; p++) watch_add(w, p, p % 3, 0.05, 1, 0);
        sharc_watch_budget(w, 6, 0);
        struct sharc_watch_due due[8];
        uint32_t downloads = 0;
        sharc_time now = SHARC_DAY, end = 3 * SHARC_DAY;
        assert_true(sharc_watch_due(w, 0, 0, due) == 0);
        for (int steps = 0; now < end; steps++) {
            if (steps > 2000) fail_msg("%s never sleeps", sharc_watch_name(sharc_watch_at(k)));
            size_t n = sharc_watch_due(w, now, 8, due);
            for (size_t i = 0; i < n; i++) {
                struct sharc_watch_view v;
                assert_true(sharc_watch_look(w, due[i].page, now, &v) && v.out);
                watch_see(w, due[i].page, now, downloads % 3 == 0, 0.5);
                downloads++;
            }
            sharc_time next = sharc_watch_next(w, now);
            assert_true(next != SHARC_TIME_NONE && next >= now);
            assert_true(n > 0 || next > now); /* else it would be asked for ever */
            now = next > now ? next : now + 1;
        }
        /* An hour's worth was saved in the day before. Controllers want fewer. */
        assert_true(downloads <= 2 * 24 * 6 + 7);
        if (sharc_watch_at(k) != sharc_watch_find("heritrix-adaptive") &&
            sharc_watch_at(k) != sharc_watch_find("storm-adaptive"))
            assert_true(downloads >= 2 * 24 * 6);
        sharc_watch_free(w);
    }
}

static void hosts_are_spared(void **state)
{
    (void)state;
    struct sharc_watch *w = watch_make("value");
    struct sharc_watch_due due[16];
    for (sharc_page_no p = 0; p < 20; p++) {
        struct sharc_watch_page page = SHARC_WATCH_PAGE;
        page.host = p % 2;
        page.rate = p % 2 ? 0.01 : 0.05; /* the host with limits is the one that everybody wants */
        sharc_watch_add(w, p, &page, 0);
    }
    sharc_watch_host(w, 0, &(struct sharc_watch_host){.delay = 10 * SHARC_SEC});
    sharc_time now = SHARC_DAY, last = 0;
    size_t n = sharc_watch_due(w, now, 6, due), of_first = 0;
    assert_int_equal(n, 6);
    for (size_t i = 0; i < n; i++) of_first += due[i].page % 2 == 0;
    assert_int_equal(of_first, 1); /* one, and then others */
    for (size_t i = 0; i < n; i++) watch_see(w, due[i].page, now, false, 0);
    for (int s = 1; s < 100; s++) {
        n = sharc_watch_due(w, now + s * SHARC_SEC, 1, due);
        assert_int_equal(n, 1);
        if (due[0].page % 2 == 0) {
            assert_true(last == 0 || s - last >= 10);
            assert_true(s >= 10);
            last = s;
        }
        sharc_watch_give_back(w, due[0].page);
        watch_see(w, due[0].page, now + s * SHARC_SEC, false, 0);
    }
    assert_true(last > 0);
    sharc_watch_host(w, 0, &(struct sharc_watch_host){.not_before = now + SHARC_DAY});
    sharc_watch_host(w, 1, &(struct sharc_watch_host){.not_before = now + 2 * SHARC_DAY});
    assert_int_equal(sharc_watch_due(w, now + SHARC_HOUR, 16, due), 0);
    assert_true(sharc_watch_next(w, now + SHARC_HOUR) == now + SHARC_DAY);
    /* A whole period: as many as the host gives in an hour. */
    sharc_watch_host(w, 0, &(struct sharc_watch_host){.per_hour = 3});
    sharc_watch_host(w, 1, &(struct sharc_watch_host){0});
    sharc_page_no pages[16];
    watch_period(w, now + 3 * SHARC_DAY, 16, pages);
    of_first = 0;
    n = watch_period(w, now + 3 * SHARC_DAY + SHARC_HOUR, 16, pages);
    for (size_t i = 0; i < n; i++) of_first += pages[i] % 2 == 0;
    assert_int_equal(of_first, 3);
    assert_int_equal(n, 13);
    sharc_watch_free(w);
}

/* What is handed out is worth the most of all, also after pages come and go, sites change their weight and more is
 * asked for. */
static void what_is_left_is_worth_less(void **state)
{
    (void)state;
    enum { PAGES = 400, BATCH = 8 };
    struct sharc_watch *w = watch_make("value");
    struct sharc_watch_due due[4 * BATCH];
    struct sharc_rng rng;
    sharc_rng_init(&rng, 5);
    for (sharc_page_no p = 0; p < PAGES; p++) watch_add(w, p, p % 7, pow(p + 1, -0.8), 1 + p % 3, 0);
    for (int batch = 0; batch < 600; batch++) {
        sharc_time now = SHARC_DAY + batch * 20 * SHARC_MINUTE;
        if (batch % 50 == 30) sharc_watch_drop(w, (sharc_page_no)sharc_rng_below(&rng, PAGES));
        if (batch % 90 == 40) watch_add(w, (sharc_page_no)sharc_rng_below(&rng, PAGES), 3, 0.5, 4, now);
        if (batch % 100 == 60)
            sharc_watch_site(w, 2, &(struct sharc_watch_site){.weight = (double)(batch % 200 > 100 ? 5 : 1)});
        size_t n = sharc_watch_due(w, now, batch % 40 == 20 ? 4 * BATCH : BATCH, due);
        bool given[PAGES] = {0};
        double least = HUGE_VAL;
        assert_true(n >= BATCH);
        for (size_t i = 0; i < n; i++) {
            given[due[i].page] = true;
            least = fmin(least, due[i].worth);
        }
        for (sharc_page_no p = 0; p < PAGES; p++)
            if (!given[p]) assert_true(sharc_watch_urgency(w, p, now) <= least * (1 + 1e-9));
        for (size_t i = 0; i < n; i++) watch_see(w, due[i].page, now, sharc_rng_below(&rng, 3) == 0, 0.5);
    }
    sharc_watch_free(w);
}

static void what_fails_waits(void **state)
{
    (void)state;
    struct sharc_watch *w = watch_make("value");
    struct sharc_watch_due due[1];
    watch_add(w, 0, 0, 1, 1, 0);
    struct sharc_observation o = {.page = 0, .change = SHARC_FAILED, .rate = -1};
    sharc_time now = SHARC_DAY, waits[3];
    for (int i = 0; i < 3; i++) {
        assert_int_equal(sharc_watch_due(w, now, 1, due), 1);
        o.when = now;
        sharc_watch_observed(w, &o);
        assert_int_equal(sharc_watch_due(w, now, 1, due), 0);
        waits[i] = sharc_watch_next(w, now) - now;
        now += waits[i];
    }
    assert_true(waits[0] == 10 * SHARC_MINUTE && waits[1] == 20 * SHARC_MINUTE && waits[2] == 40 * SHARC_MINUTE);
    /* Somebody who wants a page gets it first, and a page that nothing is archived of comes before others. */
    struct sharc_watch_page page = SHARC_WATCH_PAGE;
    page.rate = 1;
    sharc_watch_add(w, 1, &page, 0);
    page.held = false;
    sharc_watch_add(w, 2, &page, now);
    assert_int_equal(sharc_watch_due(w, now, 1, due), 1);
    assert_int_equal(due[0].page, 2);
    assert_int_equal(due[0].why, SHARC_WATCH_FIRST);
    sharc_watch_want(w, 1);
    assert_int_equal(sharc_watch_due(w, now, 1, due), 1);
    assert_int_equal(due[0].page, 1);
    assert_int_equal(due[0].why, SHARC_WATCH_WANTED);
    sharc_watch_free(w);
}

static void a_first_download_does_not_wait(void **state)
{
    (void)state;
    const struct sharc_watch_params params = {.half_life = SHARC_DAY, .risk = 0.25, .shortest = SHARC_DAY};
    for (size_t k = 0; k < sharc_watch_count(); k++) {
        struct sharc_watch *w = NULL;
        struct sharc_watch_due due;
        struct sharc_watch_page page = SHARC_WATCH_PAGE;
        const char *name = sharc_watch_name(sharc_watch_at(k));
        if (strstr(name, "adaptive") || strncmp(name, "frequency", 9) == 0) continue; /* know no first download */
        page.held = false;
        page.rate = 1;
        assert_int_equal(sharc_watch_new(sharc_watch_at(k), &params, &w, NULL), 0);
        sharc_watch_add(w, 0, &page, 0);
        assert_int_equal(sharc_watch_due(w, SHARC_MINUTE, 1, &due), 1);
        watch_see(w, 0, SHARC_MINUTE, true, 1);
        assert_int_equal(sharc_watch_due(w, 20 * SHARC_HOUR, 1, &due), 0);
        assert_int_equal(sharc_watch_due(w, 25 * SHARC_HOUR, 1, &due), 1);
        sharc_watch_free(w);
    }
}

/* Whoever dozes must not be worth more than those that were chosen. */
static void check_choice(struct sharc_watch *w, const struct sharc_watch_due *due, size_t n, sharc_page_no pages,
                         sharc_time now, const bool *gone)
{
    SHARC_AUTO(sharc_freep) bool *chosen = SHARC_NEW_ARRAY(bool, pages);
    for (size_t i = 0; i < n; i++) {
        chosen[due[i].page] = true;
        if (i && due[i].worth > due[i - 1].worth) fail_msg("%g comes after %g", due[i].worth, due[i - 1].worth);
    }
    for (sharc_page_no p = 0; p < pages; p++) {
        if (chosen[p] || gone[p]) continue;
        double worth = sharc_watch_urgency(w, p, now);
        if (worth > due[n - 1].worth * (1 + 1e-12))
            fail_msg("page %u is worth %g, more than %g, and was not chosen", p, worth, due[n - 1].worth);
    }
}

static void of_many_the_best_are_chosen(void **state)
{
    (void)state;
    enum { MANY = 3000, BATCH = 20 };
    struct sharc_watch *w = NULL;
    struct sharc_watch_due due[BATCH];
    struct sharc_rng rng = sharc_rng_stream(5, 0);
    bool gone[MANY] = {false};
    assert_int_equal(sharc_watch_new(sharc_watch_find("value"), NULL, &w, NULL), 0);
    for (sharc_page_no p = 0; p < MANY; p++) {
        struct sharc_watch_page page = SHARC_WATCH_PAGE;
        page.site = p % 7;
        page.host = p % 5;
        page.source = p % 3 ? SHARC_WATCH_NONE : 0;
        page.rate = 2 * pow(p + 1, -0.7);
        page.weight = 1 + p % 4;
        page.held = p % 50 > 0;
        page.group = p % 11;
        if (p % 2) page.born = -(sharc_time)(p % 100) * SHARC_HOUR;
        if (p % 4 == 1) page.rate = -1;
        sharc_watch_add(w, p, &page, 0);
    }
    for (int t = 1; t <= 400; t++) {
        /* An hour, a few minutes, or a long pause. */
        static sharc_time now;
        if (t == 1) now = 0;
        now += t % 40 == 0 ? 9 * SHARC_DAY : t % 3 ? 7 * SHARC_MINUTE : 3 * SHARC_HOUR;
        size_t n = sharc_watch_due(w, now, BATCH, due);
        assert_int_equal(n, BATCH);
        check_choice(w, due, n, MANY, now, gone);
        for (size_t i = 0; i < n; i++)
            watch_see(w, due[i].page, now, sharc_rng_uniform(&rng) < 0.3, sharc_rng_uniform(&rng));
        for (int k = 0; k < 5; k++) sharc_watch_signal(w, (sharc_page_no)sharc_rng_below(&rng, MANY), now + SHARC_SEC);
        sharc_page_no leaves = (sharc_page_no)sharc_rng_below(&rng, MANY);
        if (t % 10 == 0) sharc_watch_drop(w, leaves), gone[leaves] = true; /* weights of its site change */
        if (t % 90 == 0) sharc_watch_site(w, 3, &(struct sharc_watch_site){.weight = 1 + t / 90.0});
    }
    sharc_watch_free(w);
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(downloads_come_as_the_budget_allows), cmocka_unit_test(hosts_are_spared),
    cmocka_unit_test(what_is_left_is_worth_less),          cmocka_unit_test(what_fails_waits),
    cmocka_unit_test(a_first_download_does_not_wait),      cmocka_unit_test(of_many_the_best_are_chosen),
};
TEST_MAIN(tests)

/* SPDX-License-Identifier: Apache-2.0
 *
 * Continuous capture: what is saved goes on.
 */
#include "test.h"
#include "watches.h"

#include "sharc/base_rng.h"

/* Killed and restored it goes on as if nothing had happened. */
static void what_is_saved_goes_on(void **state)
{
    (void)state;
    for (size_t k = 0; k < sharc_watch_count(); k++) {
        struct sharc_watch_params params = SHARC_WATCH_PARAMS;
        params.longest = 20 * SHARC_DAY;
        struct sharc_watch *w = NULL, *again = NULL;
        assert_int_equal(sharc_watch_new(sharc_watch_at(k), &params, &w, NULL), 0);
        const bool walks = !strcmp(sharc_watch_name(sharc_watch_at(k)), "relevance") ||
                           !strcmp(sharc_watch_name(sharc_watch_at(k)), "coherence") ||
                           !strcmp(sharc_watch_name(sharc_watch_at(k)), "sharc");
        for (sharc_page_no p = 0; p < 60; p++) {
            struct sharc_watch_page page = SHARC_WATCH_PAGE;
            page = (struct sharc_watch_page){p % 4,
                                             p % 3,
                                             p % 2,
                                             p % 2 ? 1 : SHARC_WATCH_NONE,
                                             .rate = 0.01 * p,
                                             .weight = 1 + p % 5,
                                             .born = p % 3 ? -(sharc_time)p * SHARC_HOUR : SHARC_TIME_NONE,
                                             .held = p % 7 > 0};
            sharc_watch_add(w, p, &page, 0);
        }
        sharc_watch_drop(w, 13);
        sharc_watch_budget(w, 5, 0);
        sharc_watch_site(w, 2, &(struct sharc_watch_site){.weight = 3, .east_of_utc = -5 * SHARC_HOUR});
        sharc_watch_host(w, 1, &(struct sharc_watch_host){.per_hour = 1});
        sharc_watch_holidays(w, (const int32_t[]){5, 3}, 2);
        struct sharc_rng rng = sharc_rng_stream(k, 4);
        sharc_page_no one[5], two[5];
        for (int t = 1; t < 600; t++) {
            size_t n = watch_period(w, t * SHARC_HOUR, 5, one);
            if (again) {
                assert_int_equal(watch_period(again, t * SHARC_HOUR, 5, two), n);
                if (!walks) assert_memory_equal(one, two, n * sizeof *one); /* walks begin a new round */
            }
            for (size_t i = 0; i < n; i++) {
                bool changed = sharc_rng_uniform(&rng) < 0.2;
                if (t % 13 == 0) sharc_watch_signal(w, one[i], t * SHARC_HOUR);
                if (t % 13 == 0 && again) sharc_watch_signal(again, one[i], t * SHARC_HOUR);
                watch_see(w, one[i], t * SHARC_HOUR, changed, 0.5);
                if (again) watch_see(again, one[i], t * SHARC_HOUR, changed, 0.5);
            }
            if (t % 150 != 0) continue;
            sharc_watch_freep(&again);
            SHARC_AUTO(sharc_buf_done)
            struct sharc_buf bytes = SHARC_BUF_INIT(1 << 20), second = SHARC_BUF_INIT(1 << 20);
            assert_int_equal(sharc_watch_save(w, &bytes, NULL), 0);
            assert_int_equal(sharc_watch_restore(sharc_span(bytes.p, bytes.n), &again, NULL), 0);
            assert_ptr_equal(sharc_watch_ops(again), sharc_watch_at(k));
            assert_int_equal(sharc_watch_pages(again), 59);
            assert_int_equal(sharc_watch_save(again, &second, NULL), 0);
            assert_int_equal(bytes.n, second.n);
            assert_memory_equal(bytes.p, second.p, bytes.n);
            /* Damage anywhere is seen, and so is an end that is missing. */
            struct sharc_watch *bad = NULL;
            for (size_t i = 0; i < bytes.n; i += 1 + bytes.n / 97) {
                bytes.p[i] ^= 0x10;
                assert_true(sharc_watch_restore(sharc_span(bytes.p, bytes.n), &bad, NULL) < 0);
                bytes.p[i] ^= 0x10;
                assert_true(sharc_watch_restore(sharc_span(bytes.p, i), &bad, NULL) < 0);
            }
            /* What was observed before may be told again. */
            for (sharc_page_no p = 0; p < 60; p++) {
                struct sharc_watch_view v;
                if (sharc_watch_look(again, p, t * SHARC_HOUR, &v) && v.settings.held)
                    watch_see(again, p, v.last, true, 1);
            }
        }
        sharc_watch_free(w);
        sharc_watch_free(again);
    }
}

/* A host is held as long as a request of it is under way; saving neither ends that nor outlives it. */
static void a_held_host_is_saved_free(void **state)
{
    (void)state;
    SHARC_AUTO(sharc_buf_done) struct sharc_buf bytes = SHARC_BUF_INIT(1u << 20);
    struct sharc_watch *w = watch_make("value"), *again = NULL;
    struct sharc_watch_page page = SHARC_WATCH_PAGE;
    struct sharc_watch_due due;
    page.host = 0;
    page.rate = 1;
    sharc_watch_add(w, 0, &page, 0);
    sharc_watch_host(w, 0, &(struct sharc_watch_host){.not_before = INT64_MAX / 2});
    assert_int_equal(sharc_watch_save(w, &bytes, NULL), 0);
    assert_int_equal(sharc_watch_due(w, SHARC_DAY, 1, &due), 0);
    assert_int_equal(sharc_watch_restore(sharc_buf_span(&bytes), &again, NULL), 0);
    assert_int_equal(sharc_watch_due(again, SHARC_DAY, 1, &due), 1);
    sharc_watch_free(again);
    sharc_watch_free(w);
}

static void a_debt_is_saved(void **state)
{
    (void)state;
    SHARC_AUTO(sharc_buf_done) struct sharc_buf bytes = SHARC_BUF_INIT(1u << 20);
    struct sharc_watch *w = watch_make("value"), *again = NULL;
    struct sharc_watch_page page = SHARC_WATCH_PAGE;
    struct sharc_watch_due due;
    page.rate = 1;
    sharc_watch_add(w, 0, &page, 0);
    sharc_watch_budget(w, 1, SHARC_DAY);
    sharc_watch_spend(w, 6); /* one was there, five are owed */
    assert_int_equal(sharc_watch_save(w, &bytes, NULL), 0);
    assert_int_equal(sharc_watch_restore(sharc_buf_span(&bytes), &again, NULL), 0);
    sharc_watch_budget(again, 1, SHARC_DAY + SHARC_HOUR);
    const sharc_time next = sharc_watch_next(again, SHARC_DAY + SHARC_HOUR);
    assert_in_range(next, SHARC_DAY + 6 * SHARC_HOUR - SHARC_SEC, SHARC_DAY + 6 * SHARC_HOUR + SHARC_SEC);
    assert_int_equal(sharc_watch_due(again, SHARC_DAY + 6 * SHARC_HOUR - SHARC_MINUTE, 1, &due), 0);
    assert_int_equal(sharc_watch_due(again, SHARC_DAY + 6 * SHARC_HOUR + SHARC_MINUTE, 1, &due), 1);
    sharc_watch_free(again);
    sharc_watch_free(w);
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(what_is_saved_goes_on),
    cmocka_unit_test(a_held_host_is_saved_free),
    cmocka_unit_test(a_debt_is_saved),
};
TEST_MAIN(tests)

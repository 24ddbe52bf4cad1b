/* SPDX-License-Identifier: Apache-2.0
 *
 * What watching has brought: by hand, and against pages whose changes are known.
 */
#include "../store/store_test.h"

#include "sharc/base_rng.h"
#include "sharc/quality.h"
#include "sharc/watched.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

static void put_page_row(struct fixture *f, struct sharc_store_batch *b, const char *url, uint32_t number,
                         double weight, sharc_time until)
{
    struct sharc_err err = SHARC_ERR_INIT;
    struct sharc_store_watched w = {.capture = f->capture[0],
                                    .url = sharc_span_of(url),
                                    .number = number,
                                    .since = T0,
                                    .until = until,
                                    .weight = weight};
    must(sharc_store_batch_watched(b, &w, &err), &err);
}

static void put_look(struct fixture *f, struct sharc_store_batch *b, const char *url, sharc_time when,
                     enum sharc_store_shown shown, double importance)
{
    struct sharc_err err = SHARC_ERR_INIT;
    struct sharc_store_watch_look l = SHARC_STORE_WATCH_LOOK_INIT;
    l.capture = f->capture[0];
    l.url = sharc_span_of(url);
    l.when = when;
    l.status = shown == SHARC_SHOWN_FAILED ? 0 : shown == SHARC_SHOWN_GONE ? 404 : 200;
    l.shown = shown;
    l.importance = importance;
    must(sharc_store_batch_watch_look(b, &l, &err), &err);
}

static struct sharc_watched measure(struct fixture *f)
{
    struct sharc_err err = SHARC_ERR_INIT;
    struct sharc_watched w = {0};
    assert_int_equal(must(sharc_watched_measure(f->store, f->capture[0], &w, &err), &err), 1);
    return w;
}

static void near(double a, double b, double by)
{
    if (!(fabs(a - b) <= by)) fail_msg("%g instead of %g", a, b);
}

static void a_page_by_hand(void **state)
{
    struct fixture *f = fixture(state);
    struct sharc_err err = SHARC_ERR_INIT;
    make_captures(f);
    struct sharc_store_batch *b = NULL;
    sharc_store_batch_new(f->store, &b);
    put_page_row(f, b, "http://a.example/", 0, 1, SHARC_TIME_NONE);
    put_look(f, b, "http://a.example/", T0, SHARC_SHOWN_FIRST, 0);
    put_look(f, b, "http://a.example/", T0 + SHARC_HOUR, SHARC_SHOWN_SAME, 0);
    put_look(f, b, "http://a.example/", T0 + SHARC_HOUR + SHARC_MINUTE, SHARC_SHOWN_FAILED, 0);
    put_look(f, b, "http://a.example/", T0 + 2 * SHARC_HOUR, SHARC_SHOWN_CHANGED, 0.5);
    put_look(f, b, "http://a.example/", T0 + 3 * SHARC_HOUR, SHARC_SHOWN_NOISE, 0);
    put_look(f, b, "http://a.example/", T0 + 4 * SHARC_HOUR, SHARC_SHOWN_GONE, 1);
    commit(b);
    sharc_store_batch_free(b);
    struct sharc_watched w = measure(f);
    assert_int_equal(w.pages, 1);
    assert_int_equal(w.looked, 1);
    assert_int_equal(w.all.looks, 5);
    assert_int_equal(w.all.failed, 1);
    assert_int_equal(w.all.changes, 2);
    assert_int_equal(w.all.from, T0);
    assert_int_equal(w.all.to, T0 + 4 * SHARC_HOUR);
    assert_int_equal(w.count, 5); /* hours; the last look begins a fifth */
    near(w.all.fresh_seen, 0.5, 1e-9);
    assert_true(w.all.fresh_expected > 0.6 && w.all.fresh_expected < 0.75); /* half of the other hours, a little less */
    near(w.periods[0].fresh_seen, 1, 1e-9);
    near(w.periods[1].fresh_seen, 0, 1e-9);
    near(w.periods[2].fresh_seen, 1, 1e-9);
    assert_int_equal(w.periods[2].changes, 1);
    assert_true(w.periods[1].fresh_expected > 0.3 && w.periods[1].fresh_expected < 0.5);
    assert_true(w.all.complete > 0.7 && w.all.complete < 1); /* there may have been more changes between two looks */
    near(w.all.exact_seen, 0.5, 1e-9);                       /* questions are spread evenly */
    near(w.all.together_seen, 1, 1e-9);                      /* a page alone exists with itself */
    assert_true(isnan(w.periods[4].fresh_seen));
    sharc_watched_done(&w);
    /* Another capture is no watch. */
    assert_int_equal(must(sharc_watched_measure(f->store, f->capture[1], &w, &err), &err), 0);
}

static void versions_of_two_pages_meet_or_not(void **state)
{
    struct fixture *f = fixture(state);
    make_captures(f);
    struct sharc_store_batch *b = NULL;
    sharc_store_batch_new(f->store, &b);
    put_page_row(f, b, "http://a.example/", 0, 3, SHARC_TIME_NONE);
    put_page_row(f, b, "http://a.example/b", 1, 1, SHARC_TIME_NONE);
    put_page_row(f, b, "http://a.example/never", 2, 4, SHARC_TIME_NONE);
    /* One stands, the other is another one at each look. */
    for (int i = 0; i <= 10; i++) {
        put_look(f, b, "http://a.example/", T0 + i * SHARC_HOUR, i ? SHARC_SHOWN_SAME : SHARC_SHOWN_FIRST, 0);
        put_look(f, b, "http://a.example/b", T0 + i * SHARC_HOUR + SHARC_MINUTE,
                 i ? SHARC_SHOWN_CHANGED : SHARC_SHOWN_FIRST, 1);
    }
    commit(b);
    sharc_store_batch_free(b);
    struct sharc_watched w = measure(f);
    /* The page without a look is in no answer, and weighs half of all. */
    near(w.all.exact_seen, 3.0 / 8, 0.02);
    /* But for the last minute, in which only the look at the second one shows anything. */
    assert_true(w.all.together_seen > 0.48 && w.all.together_seen < 0.5);
    near(w.all.together_possible, 4.0 / 8, 1e-9);
    assert_true(w.all.exact_expected > 3.0 / 8 && w.all.exact_expected < 4.0 / 8);
    assert_int_equal(w.looked, 2);
    sharc_watched_done(&w);
}

/* --- against the truth -------------------------------------------------------------------------- */

enum { PAGES = 40, DAYS = 10 };
struct truth {
    double changes[PAGES][4000];
    size_t count[PAGES];
};

static void invent(struct truth *t, struct sharc_rng *rng)
{
    for (int p = 0; p < PAGES; p++) {
        double per_hour = 0.01 * pow(60, (double)p / PAGES), at = 0;
        while ((at += sharc_rng_exponential(rng, per_hour)) < DAYS * 24 && t->count[p] < 4000)
            t->changes[p][t->count[p]++] = at;
    }
}

/* Looks every one to seven hours, at which it is seen whether something has changed. */
static void look_at(struct fixture *f, const struct truth *t, struct sharc_rng *rng, double *ret_fresh, double *ret_got,
                    double *ret_all)
{
    double fresh = 0, time = 0, got = 0, all = 0;
    struct sharc_store_batch *b = NULL;
    sharc_store_batch_new(f->store, &b);
    for (int p = 0; p < PAGES; p++) {
        char url[64];
        snprintf(url, sizeof url, "http://a.example/%d", p);
        put_page_row(f, b, url, (uint32_t)p, 1, SHARC_TIME_NONE);
        double last = 0;
        put_look(f, b, url, T0, SHARC_SHOWN_FIRST, 0);
        for (;;) {
            double next = fmin(last + 1 + 6 * sharc_rng_uniform(rng), DAYS * 24);
            size_t n = sharc_quality_changes(t->changes[p], t->count[p], last, next), first = 0;
            while (first < t->count[p] && t->changes[p][first] <= last) first++;
            put_look(f, b, url, T0 + (sharc_time)(next * (double)SHARC_HOUR),
                     n ? SHARC_SHOWN_CHANGED : SHARC_SHOWN_SAME, 1);
            fresh += n ? t->changes[p][first] - last : next - last;
            time += next - last;
            got += n > 0;
            all += (double)n;
            last = next;
            if (next >= DAYS * 24) break;
        }
    }
    commit(b);
    sharc_store_batch_free(b);
    *ret_fresh = fresh / time;
    *ret_got = got;
    *ret_all = all;
}

static void what_is_expected_is_what_comes(void **state)
{
    struct fixture *f = fixture(state);
    make_captures(f);
    struct sharc_rng rng;
    sharc_rng_init(&rng, 7);
    struct truth *t = SHARC_NEW(struct truth);
    double fresh, got, all;
    invent(t, &rng);
    look_at(f, t, &rng, &fresh, &got, &all);
    struct sharc_watched w = measure(f);
    assert_true(w.all.fresh_seen <= fresh);
    near(w.all.fresh_expected, fresh, 0.01);
    near(w.all.complete, got / all, 0.03);
    assert_true(w.all.exact_seen <= w.all.exact_expected);
    assert_true(w.all.together_seen <= w.all.together_possible);
    assert_int_equal(w.count, DAYS + 1);
    double sum = 0;
    for (size_t i = 0; i < DAYS; i++) sum += w.periods[i].fresh_expected;
    near(sum / DAYS, w.all.fresh_expected, 0.002); /* days are of one length */
    assert_int_equal(w.all.changes, (uint64_t)got);
    sharc_watched_done(&w);
    free(t);
}

static void many_years_are_few_periods(void **state)
{
    struct fixture *f = fixture(state);
    make_captures(f);
    struct sharc_store_batch *b = NULL;
    sharc_store_batch_new(f->store, &b);
    put_page_row(f, b, "http://a.example/", 0, 1, T0 + 9000 * SHARC_DAY);
    put_look(f, b, "http://a.example/", T0, SHARC_SHOWN_FIRST, 0);
    put_look(f, b, "http://a.example/", T0 + 10000 * SHARC_DAY, SHARC_SHOWN_SAME, 0);
    commit(b);
    sharc_store_batch_free(b);
    struct sharc_watched w = measure(f);
    assert_true(w.count <= SHARC_WATCHED_PERIODS);
    near(w.all.fresh_seen, 1, 1e-9);
    sharc_watched_done(&w);
}

static void looks_are_evidence_for_rates(void **state)
{
    struct fixture *f = fixture(state);
    struct sharc_err err = SHARC_ERR_INIT;
    struct sharc_store_rows *rows = NULL;
    struct sharc_store_seen seen;
    const struct sharc_store_seen_filter filter = {.from = SHARC_TIME_NONE, .to = SHARC_TIME_NONE};
    make_captures(f);
    struct sharc_store_batch *b = NULL;
    sharc_store_batch_new(f->store, &b);
    static const enum sharc_store_shown shown[] = {SHARC_SHOWN_FIRST, SHARC_SHOWN_NOISE, SHARC_SHOWN_SAME,
                                                   SHARC_SHOWN_CHANGED, SHARC_SHOWN_SAME};
    for (size_t i = 0; i < SHARC_LENGTH(shown); i++) {
        struct sharc_store_watch_look l = SHARC_STORE_WATCH_LOOK_INIT;
        char body[] = {(char)('a' + i), 0}; /* noise differs by bytes, too */
        l.capture = f->capture[0];
        l.url = SHARC_SPAN("http://a.example/");
        l.when = T0 + (sharc_time)i * SHARC_HOUR;
        l.status = 200;
        l.shown = shown[i];
        sharc_digest_of(SHARC_SHA256, sharc_span_of(body), &l.digest);
        must(sharc_store_batch_watch_look(b, &l, &err), &err);
    }
    /* The row of the page is its last look: it is not told twice. */
    struct sharc_store_page page = page_of(f->capture[0], "http://a.example/", T0 + 4 * SHARC_HOUR, 200, "d", NULL);
    put_page(b, &page);
    commit(b);
    sharc_store_batch_free(b);
    must(sharc_store_observations(f->store, &filter, &rows, &err), &err);
    unsigned changed = 0, n = 0;
    int r;
    while ((r = must(sharc_store_seen_next(rows, &seen, &err), &err)) > 0) {
        n++;
        changed += seen.changed;
        if (seen.changed) assert_int_equal(seen.when, T0 + 3 * SHARC_HOUR);
    }
    assert_int_equal(n, 5);
    assert_int_equal(changed, 1);
    sharc_store_rows_free(rows);
}

int main(void)
{
    static const struct CMUnitTest tests[] = {ON_EACH(a_page_by_hand), ON_EACH(versions_of_two_pages_meet_or_not),
                                              ON_EACH(what_is_expected_is_what_comes),
                                              ON_EACH(many_years_are_few_periods),
                                              ON_EACH(looks_are_evidence_for_rates)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}

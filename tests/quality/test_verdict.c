/* SPDX-License-Identifier: Apache-2.0
 *
 * One word for a page: what earns "proven", and what must not.
 */
#include "test.h"

#include <math.h>

#include "sharc/base_rng.h"
#include "sharc/quality_verdict.h"

#define DAY0 ((sharc_time)1700000000 * SHARC_SEC)
#define M(minutes) (DAY0 + (minutes)*SHARC_MINUTE)
#define NONE SHARC_TIME_NONE
#define SEEN(t, b)                                                  \
    {                                                               \
        .begun = M(t), .ended = M(t), .modified = NONE, .body = (b) \
    }

struct story {
    struct sharc_part parts[8];
    size_t n;
    struct sharc_verdict_wish wish;
    struct sharc_judged_page page;
    enum sharc_part_reason reasons[8];
    double probabilities[8];
};

static void add(struct story *y, const struct sharc_sighting *s, size_t n, size_t shown, double rate)
{
    y->parts[y->n].rate = rate;
    sharc_quality_known(s, n, shown, &y->parts[y->n++].known);
}

static enum sharc_verdict judge(struct story *y)
{
    sharc_quality_judge(y->parts, y->n, &y->wish, &y->page, y->reasons, y->probabilities);
    return y->page.verdict;
}

static struct story at(int minute)
{
    return (struct story){.wish = {.from = M(minute), .to = M(minute)}};
}

static void equal_downloads_around_the_instant_prove(void **state)
{
    (void)state;
    const struct sharc_sighting root[] = {SEEN(10, 1), SEEN(50, 1)}, part[] = {SEEN(20, 7), SEEN(60, 7)};
    struct story y = at(30);
    add(&y, root, 2, 0, (double)NAN);
    add(&y, part, 2, 1, (double)NAN);
    assert_int_equal(judge(&y), SHARC_VERDICT_PROVEN);
    assert_int_equal(y.page.from, M(30));
    /* Beyond both: nothing is known any more, and without a rate nothing can be guessed. */
    y.wish.from = y.wish.to = M(70);
    assert_int_equal(judge(&y), SHARC_VERDICT_UNKNOWN);
    assert_true(isnan(y.page.probability));
}

static void a_missing_part_takes_the_proof_away(void **state)
{
    (void)state;
    const struct sharc_sighting root[] = {SEEN(10, 1), SEEN(50, 1)};
    struct story y = at(30);
    add(&y, root, 2, 0, (double)NAN);
    y.wish.lacking = true;
    assert_int_equal(judge(&y), SHARC_VERDICT_UNKNOWN);
    assert_int_equal(y.page.states[SHARC_PART_PROVEN], 1);
}

static void the_word_of_a_server_is_no_proof(void **state)
{
    (void)state;
    const struct sharc_sighting root[] = {SEEN(10, 1), SEEN(50, 1)},
                                dated[] = {{.begun = M(40), .ended = M(40), .modified = M(5), .body = 7}};
    struct story y = at(30);
    add(&y, root, 2, 0, (double)NAN);
    add(&y, dated, 1, 0, (double)NAN);
    assert_int_equal(judge(&y), SHARC_VERDICT_PROBABLY);
    assert_true(y.page.word);
    /* The server lies: other content was seen after that date. */
    const struct sharc_sighting lie[] = {SEEN(20, 8), {.begun = M(40), .ended = M(40), .modified = M(5), .body = 7}};
    struct story z = at(30);
    add(&z, root, 2, 0, (double)NAN);
    add(&z, lie, 2, 1, (double)NAN);
    assert_int_equal(judge(&z), SHARC_VERDICT_UNKNOWN);
    z.wish.from = z.wish.to = M(15);
    assert_int_equal(judge(&z), SHARC_VERDICT_MIXED);
}

static void rates_give_a_probability_and_never_a_proof(void **state)
{
    (void)state;
    const struct sharc_sighting root[] = {SEEN(10, 1), SEEN(50, 1)}, part[] = {SEEN(20, 7)};
    struct story y = at(30);
    add(&y, root, 2, 0, (double)NAN);
    add(&y, part, 1, 0, 1e-9);
    assert_int_equal(judge(&y), SHARC_VERDICT_PROBABLY);
    assert_true(y.page.probability > 0.999 && y.page.probability < 1);
    y.parts[1].rate = 1;
    assert_int_equal(judge(&y), SHARC_VERDICT_UNKNOWN);
    assert_true(y.page.probability < 0.01);
}

static void parts_of_another_time_are_mixed_and_impossible_pages_contradicted(void **state)
{
    (void)state;
    const struct sharc_sighting root[] = {SEEN(10, 1), SEEN(50, 1)};
    /* Shown as of 60, but something else was there at 40. */
    const struct sharc_sighting part[] = {SEEN(20, 6), SEEN(40, 6), SEEN(60, 7)};
    struct story y = at(30);
    add(&y, root, 2, 0, (double)NAN);
    add(&y, part, 3, 2, (double)NAN);
    assert_int_equal(judge(&y), SHARC_VERDICT_MIXED);
    assert_string_equal(sharc_part_reason_word(y.reasons[1]), "other-content");
    /* The root was something else by then: there is no instant for both. */
    const struct sharc_sighting gone[] = {SEEN(10, 1), SEEN(30, 1), SEEN(35, 2)};
    struct story z = at(30);
    add(&z, gone, 3, 0, (double)NAN);
    add(&z, part, 3, 2, (double)NAN);
    assert_int_equal(judge(&z), SHARC_VERDICT_CONTRADICTED);
}

/* At its own time a page is judged at any instant at which all of it is known. */
static void the_roots_own_time_may_move_to_where_all_is_known(void **state)
{
    (void)state;
    const struct sharc_sighting root[] = {SEEN(10, 1), SEEN(50, 1)}, part[] = {SEEN(20, 7), SEEN(60, 7)};
    struct story y = at(10);
    y.wish.own = true;
    add(&y, root, 2, 0, (double)NAN);
    add(&y, part, 2, 0, (double)NAN);
    assert_int_equal(judge(&y), SHARC_VERDICT_PROVEN);
    assert_int_equal(y.page.from, M(20));
    assert_int_equal(y.page.to, M(50));
    /* Asked for that very instant it is not proven: the part was first seen later. */
    y.wish.own = false;
    assert_int_equal(judge(&y), SHARC_VERDICT_UNKNOWN);
}

/* Content went and came back: at neither end is the middle known. */
static void content_that_came_back_proves_nothing_in_between(void **state)
{
    (void)state;
    const struct sharc_sighting root[] = {SEEN(10, 1), SEEN(60, 1)};
    const struct sharc_sighting part[] = {SEEN(20, 7), SEEN(30, 8), SEEN(40, 7)};
    struct story y = at(30);
    add(&y, root, 2, 0, (double)NAN);
    add(&y, part, 3, sharc_quality_same_nearest(part, 3, 0, M(30)), (double)NAN);
    assert_int_not_equal(judge(&y), SHARC_VERDICT_PROVEN);
    assert_int_equal(y.page.states[SHARC_PART_REFUTED], 1);
}

/* A site that changes at random: whatever is called proven was there, whatever refuted was not. */
static void no_verdict_contradicts_a_random_past(void **state)
{
    (void)state;
    struct sharc_rng rng;
    sharc_rng_init(&rng, 20261116);
    size_t proven = 0, mixed = 0;
    for (int round = 0; round < 20000; round++) {
        enum { MINUTES = 40, PARTS = 3 };
        uint64_t past[PARTS][MINUTES];
        struct story y = at((int)sharc_rng_below(&rng, MINUTES));
        uint64_t shown[PARTS];
        for (int k = 0; k < PARTS; k++) {
            struct sharc_sighting s[4];
            uint64_t body = 1;
            for (int m = 0; m < MINUTES; m++) past[k][m] = body += sharc_rng_below(&rng, 12) == 0;
            int t = (int)sharc_rng_below(&rng, 8);
            size_t n = 0;
            for (; n < 4 && t < MINUTES; t += 1 + (int)sharc_rng_below(&rng, 12))
                s[n++] = (struct sharc_sighting){.begun = M(t), .ended = M(t), .modified = NONE, .body = past[k][t]};
            size_t i = sharc_rng_below(&rng, n);
            shown[k] = s[i].body;
            add(&y, s, n, sharc_quality_same_nearest(s, n, i, y.wish.from), 1e-4);
        }
        enum sharc_verdict v = judge(&y);
        int minute = (int)((y.wish.from - DAY0) / SHARC_MINUTE);
        bool all = true;
        for (int k = 0; k < PARTS; k++) all &= past[k][minute] == shown[k];
        if (v == SHARC_VERDICT_PROVEN) assert_true(all);
        if (v == SHARC_VERDICT_MIXED || v == SHARC_VERDICT_CONTRADICTED) assert_false(all);
        proven += v == SHARC_VERDICT_PROVEN;
        mixed += v == SHARC_VERDICT_MIXED;
    }
    assert_true(proven > 100);
    assert_true(mixed > 500);
}

static void words_are_words(void **state)
{
    (void)state;
    assert_string_equal(sharc_verdict_word(SHARC_VERDICT_PROVEN), "proven");
    assert_string_equal(sharc_verdict_word(SHARC_VERDICT_CONTRADICTED), "contradicted");
    assert_string_equal(sharc_verdict_word((enum sharc_verdict)99), "");
    assert_string_equal(sharc_verdict_text((enum sharc_verdict)99), "");
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(equal_downloads_around_the_instant_prove),
    cmocka_unit_test(a_missing_part_takes_the_proof_away),
    cmocka_unit_test(the_word_of_a_server_is_no_proof),
    cmocka_unit_test(rates_give_a_probability_and_never_a_proof),
    cmocka_unit_test(parts_of_another_time_are_mixed_and_impossible_pages_contradicted),
    cmocka_unit_test(the_roots_own_time_may_move_to_where_all_is_known),
    cmocka_unit_test(content_that_came_back_proves_nothing_in_between),
    cmocka_unit_test(no_verdict_contradicts_a_random_past),
    cmocka_unit_test(words_are_words),
};
TEST_MAIN(tests)

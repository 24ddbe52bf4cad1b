/* SPDX-License-Identifier: Apache-2.0
 *
 * Composite pages: every row of the tables of the literature, what sharc knows beyond
 * them, and attempts to make it say more than it knows.
 */
#include "test.h"

#include <math.h>

#include "sharc/base_rng.h"
#include "sharc/quality_composite.h"

/* Times in minutes of one day, so that the 61 seconds of a server's clock matter little. */
#define DAY0 ((sharc_time)1700000000 * SHARC_SEC)
#define M(minutes) (DAY0 + (minutes)*SHARC_MINUTE)
#define NONE SHARC_TIME_NONE
#define SINCE(minutes) (M(minutes) + 61 * SHARC_SEC)

/* A download in no time at minute t of content b with Last-Modified at minute l. */
#define SEEN(t, b)                                                             \
    {                                                                          \
        .begun = M(t), .ended = M(t), .modified = NONE, .body = (b), .text = 0 \
    }
#define DATED(t, b, l)                                                         \
    {                                                                          \
        .begun = M(t), .ended = M(t), .modified = M(l), .body = (b), .text = 0 \
    }
#define SAID_304(t, b)                                                                       \
    {                                                                                        \
        .begun = M(t), .ended = M(t), .modified = NONE, .body = (b), .text = 0, .word = true \
    }

/* From all sightings of the part. */
static enum sharc_memento_pattern pattern(const struct sharc_sighting *s, size_t n, size_t shown, sharc_time begun,
                                          sharc_time ended)
{
    struct sharc_known known;
    sharc_quality_known(s, n, sharc_quality_same_nearest(s, n, shown, begun), &known);
    return sharc_quality_pattern_of(&known, &s[shown], begun, ended);
}

static enum sharc_memento_state state_at(const struct sharc_sighting *s, size_t n, size_t shown, int root,
                                         enum sharc_memento_pattern expected)
{
    enum sharc_memento_pattern p = pattern(s, n, shown, M(root), M(root));
    assert_string_equal(sharc_memento_pattern_word(p), sharc_memento_pattern_word(expected));
    return sharc_memento_state_of(p);
}

/* The rows of the table in their order; the root is captured at minute 30. */
static void every_row_of_the_pattern_table(void **state)
{
    (void)state;
    /* L <= t0 <= t: modified at 10, captured at 40. */
    const struct sharc_sighting right_bracket[] = {DATED(40, 1, 10)};
    assert_int_equal(state_at(right_bracket, 1, 0, 30, SHARC_PATTERN_RIGHT_BRACKET), SHARC_MEMENTO_COHERENT);
    /* Captures at 20 and 40 with equal digests, whichever is shown. */
    const struct sharc_sighting same[] = {SEEN(20, 1), SEEN(40, 1)};
    assert_int_equal(state_at(same, 2, 1, 30, SHARC_PATTERN_SAME_BODY), SHARC_MEMENTO_COHERENT);
    assert_int_equal(state_at(same, 2, 0, 30, SHARC_PATTERN_SAME_BODY), SHARC_MEMENTO_COHERENT);
    /* t0 < L <= t: modified at 35, captured at 40. */
    const struct sharc_sighting newer[] = {DATED(40, 1, 35)};
    assert_int_equal(state_at(newer, 1, 0, 30, SHARC_PATTERN_NEWER), SHARC_MEMENTO_VIOLATIVE);
    /* Captures at 20 and 40 with different digests, the later one is shown, no L. */
    const struct sharc_sighting changed[] = {SEEN(20, 1), SEEN(40, 2)};
    assert_int_equal(state_at(changed, 2, 1, 30, SHARC_PATTERN_RIGHT_CHANGED), SHARC_MEMENTO_PROBABLY_NOT);
    /* The same, the earlier one is shown: nothing says that it changed before 30. */
    assert_int_equal(state_at(changed, 2, 0, 30, SHARC_PATTERN_LEFT_CHANGED), SHARC_MEMENTO_POSSIBLY);
    /* t < t0, nothing later. */
    const struct sharc_sighting left[] = {SEEN(20, 1)};
    assert_int_equal(state_at(left, 1, 0, 30, SHARC_PATTERN_LEFT), SHARC_MEMENTO_POSSIBLY);
    /* The same with a Last-Modified: it says nothing about the time behind the capture. */
    const struct sharc_sighting left_dated[] = {DATED(20, 1, 10)};
    assert_int_equal(state_at(left_dated, 1, 0, 30, SHARC_PATTERN_LEFT), SHARC_MEMENTO_POSSIBLY);
    /* t > t0, no L. */
    const struct sharc_sighting right[] = {SEEN(40, 1)};
    assert_int_equal(state_at(right, 1, 0, 30, SHARC_PATTERN_RIGHT), SHARC_MEMENTO_PROBABLY_NOT);
    /* Downloaded while the root was: the root from 30 to 32, the part from 31 to 31. */
    const struct sharc_sighting within[] = {SEEN(31, 1)};
    assert_int_equal(pattern(within, 1, 0, M(30), M(32)), SHARC_PATTERN_WITHIN);
    /* Both within one second, by dates that were cut off: nobody knows which came first. */
    const struct sharc_sighting second[] = {
        {.begun = M(30), .ended = M(30) + SHARC_SEC - 1, .modified = NONE, .body = 1}};
    assert_int_equal(pattern(second, 1, 0, M(30), M(30) + SHARC_SEC - 1), SHARC_PATTERN_SAME_TIME);
    /* Seen with other content between what is shown and the root. */
    const struct sharc_sighting other[] = {SEEN(10, 1), SEEN(20, 2)};
    assert_int_equal(state_at(other, 2, 0, 30, SHARC_PATTERN_OTHER), SHARC_MEMENTO_PROBABLY_NOT);
}

static void words_have_one_meaning_each(void **state)
{
    (void)state;
    for (unsigned i = 0; i < SHARC_MEMENTO_PATTERN_COUNT; i++)
        for (unsigned k = 0; k < i; k++)
            assert_string_not_equal(sharc_memento_pattern_word(i), sharc_memento_pattern_word(k));
    for (unsigned i = 0; i < SHARC_PART_REASON_COUNT; i++)
        for (unsigned k = 0; k < i; k++) assert_string_not_equal(sharc_part_reason_word(i), sharc_part_reason_word(k));
    assert_string_equal(sharc_part_reason_word(99), "");
    assert_string_equal(sharc_memento_pattern_text(99), "");
    assert_string_equal(sharc_memento_state_word(99), "");
    assert_string_equal(sharc_part_state_word(99), "");
    assert_string_equal(sharc_memento_state_text(SHARC_MEMENTO_COHERENT), "prima facie coherent");
    assert_string_equal(sharc_part_state_word(SHARC_PART_OPEN), "open");
}

static enum sharc_part_reason part_at(const struct sharc_sighting *s, size_t n, size_t shown, int at, double rate,
                                      double *probability)
{
    struct sharc_part p = {.rate = rate};
    sharc_quality_known(s, n, sharc_quality_same_nearest(s, n, shown, M(at)), &p.known);
    return sharc_quality_part(&p, M(at), M(at), probability);
}

static void check_part(const struct sharc_sighting *s, size_t n, size_t shown, int at, enum sharc_part_reason expected)
{
    double probability;
    assert_string_equal(sharc_part_reason_word(part_at(s, n, shown, at, 0.001, &probability)),
                        sharc_part_reason_word(expected));
    enum sharc_part_state state = sharc_part_state_of(expected);
    if (state == SHARC_PART_REFUTED)
        assert_close(probability, 0, 0);
    else if (state == SHARC_PART_OPEN)
        assert_true(probability > 0 && probability < 1);
    else
        assert_close(probability, 1, 0);
}

static void known_and_possible_intervals(void **state)
{
    (void)state;
    /* Another content at 5, ours at 20, 40 and 50 (the first modified at 10), a failure at 45, another at 60. */
    const struct sharc_sighting s[] = {SEEN(5, 9),  DATED(20, 1, 10), SEEN(40, 1),
                                       SEEN(45, 0), SEEN(50, 1),      SEEN(60, 8)};
    struct sharc_known k;
    for (size_t shown = 1; shown < 5; shown += shown == 2 ? 2 : 1) {
        sharc_quality_known(s, 6, shown, &k);
        assert_int_equal(k.from, SINCE(10));
        assert_int_equal(k.to, M(50));
        assert_true(k.by_modified && !k.by_word && !k.contradicted);
        assert_int_equal(k.proven_from, M(20));
        assert_int_equal(k.proven_to, M(50));
        assert_int_equal(k.possible_from, M(10) - SHARC_QUALITY_CLOCK - 1);
        assert_int_equal(k.possible_to, M(60));
    }
    check_part(s, 6, 2, 30, SHARC_PART_BY_EQUAL);
    check_part(s, 6, 2, 45, SHARC_PART_BY_EQUAL);
    check_part(s, 6, 2, 15, SHARC_PART_BY_MODIFIED);
    check_part(s, 6, 2, 8, SHARC_PART_BY_NEWER);
    check_part(s, 6, 2, 5, SHARC_PART_BY_NEWER);
    check_part(s, 6, 2, 55, SHARC_PART_BY_CHANGED_AROUND);
    check_part(s, 6, 2, 60, SHARC_PART_BY_OTHER);
    check_part(s, 6, 2, 70, SHARC_PART_BY_OTHER);
}

static void open_cases_have_a_probability(void **state)
{
    (void)state;
    const struct sharc_sighting s[] = {SEEN(20, 1)};
    double p;
    /* One change a day, ten minutes away: e^(-600/86400). */
    assert_int_equal(part_at(s, 1, 0, 30, 1.0 / 86400, &p), SHARC_PART_BY_SEEN_BEFORE);
    assert_close(p, exp(-600.0 / 86400), 1e-12);
    assert_int_equal(part_at(s, 1, 0, 15, 1.0 / 86400, &p), SHARC_PART_BY_SEEN_AFTER);
    assert_close(p, exp(-300.0 / 86400), 1e-12);
    assert_int_equal(part_at(s, 1, 0, 20, 1.0 / 86400, &p), SHARC_PART_BY_AT_ONCE);
    part_at(s, 1, 0, 30, (double)NAN, &p);
    assert_true(isnan(p));
    /* It changed between 20 and 40: halfway, at a low rate, the chance is one half; never more than without
     * that knowledge. */
    const struct sharc_sighting c[] = {SEEN(20, 1), SEEN(40, 2)};
    assert_int_equal(part_at(c, 2, 0, 30, 1e-9, &p), SHARC_PART_BY_CHANGED_AROUND);
    assert_close(p, 0.5, 1e-3);
    part_at(c, 2, 0, 30, 0, &p);
    assert_close(p, 0.5, 1e-12);
    part_at(c, 2, 0, 30, 1.0 / 600, &p);
    assert_true(p > 0 && p < exp(-1.0));
    assert_int_equal(part_at(c, 2, 1, 30, 1e-9, &p), SHARC_PART_BY_CHANGED_AROUND);
    assert_close(p, 0.5, 1e-3);
}

static void same_at_both_ends_is_an_assumption(void **state)
{
    (void)state;
    /* A at 10, B at 20, A at 30: A is not known to have been there between, and was not at 20. */
    const struct sharc_sighting s[] = {SEEN(10, 1), SEEN(20, 2), SEEN(30, 1)};
    check_part(s, 3, 2, 20, SHARC_PART_BY_OTHER);
    check_part(s, 3, 2, 15, SHARC_PART_BY_CHANGED_AROUND);
    /* Shown is the A of 30, the root is of 10: there was the same A then. */
    check_part(s, 3, 2, 10, SHARC_PART_BY_AT_ONCE);
    /* Nobody looked at 20: the chance of an excursion that nobody saw. Two changes or more in x = 1 expected
     * change: 1 - 2/e. */
    assert_close(sharc_quality_excursion(1.0 / 1200, 1200), 1 - 2 * exp(-1.0), 1e-12);
    assert_close(sharc_quality_excursion(0, 1200), 0, 0);
    assert_close(sharc_quality_excursion(1, 0), 0, 0);
    assert_true(isnan(sharc_quality_excursion((double)NAN, 1)));
    assert_close(sharc_quality_excursion(1, 1e9), 1, 1e-12);
}

static void a_304_is_the_servers_word(void **state)
{
    (void)state;
    const struct sharc_sighting s[] = {SEEN(10, 1), SAID_304(40, 1)};
    struct sharc_known k;
    check_part(s, 2, 0, 30, SHARC_PART_BY_NOT_MODIFIED);
    sharc_quality_known(s, 2, 0, &k);
    assert_true(k.by_word);
    assert_int_equal(k.proven_to, M(10));
    /* A download behind it makes it a proof. */
    const struct sharc_sighting t[] = {SEEN(10, 1), SAID_304(40, 1), SEEN(50, 1)};
    check_part(t, 3, 0, 45, SHARC_PART_BY_EQUAL);
    /* Nothing but a 304: the archive has no download that shows it. */
    const struct sharc_sighting w[] = {SAID_304(40, 1)};
    sharc_quality_known(w, 1, 0, &k);
    assert_true(k.proven_from > k.proven_to);
    check_part(w, 1, 0, 40, SHARC_PART_BY_NOT_MODIFIED);
}

static void last_modified_is_not_believed_blindly(void **state)
{
    (void)state;
    sharc_time year;
    assert_int_equal(sharc_date_to_time(&(struct sharc_date){.year = 2020, .month = 1, .day = 1}, &year), 0);
    assert_true(sharc_quality_is_date(M(5), M(10)));
    assert_true(sharc_quality_is_date(M(10), M(10)));
    assert_false(sharc_quality_is_date(M(11), M(10)));
    assert_false(sharc_quality_is_date(NONE, M(10)));
    assert_false(sharc_quality_is_date(0, M(10)));
    assert_false(sharc_quality_is_date(315532800 * SHARC_SEC, M(10))); /* 1980, as ZIP files have it */
    assert_false(sharc_quality_is_date(year, M(10)));
    assert_true(sharc_quality_is_date(year + SHARC_SEC, M(10)));

    /* Other content was seen at 20, and at 40 the server says: unchanged since 10. It is caught. */
    const struct sharc_sighting lie[] = {SEEN(20, 1), DATED(40, 2, 10)};
    struct sharc_known k;
    sharc_quality_known(lie, 2, 1, &k);
    assert_true(k.contradicted && !k.by_modified);
    assert_int_equal(k.from, M(40));
    check_part(lie, 2, 1, 30, SHARC_PART_BY_CHANGED_AROUND);
    /* A touched file: equal content was there before its Last-Modified. */
    const struct sharc_sighting touched[] = {SEEN(10, 1), DATED(40, 1, 30)};
    check_part(touched, 2, 1, 20, SHARC_PART_BY_EQUAL);
    sharc_quality_known(touched, 2, 1, &k);
    assert_int_equal(k.possible_from, INT64_MIN);
    /* A second short of what the clocks allow. */
    const struct sharc_sighting close[] = {
        {.begun = M(40), .ended = M(40), .modified = M(30) - 60 * SHARC_SEC, .body = 1}};
    check_part(close, 1, 0, 30, SHARC_PART_BY_SEEN_AFTER);
    const struct sharc_sighting enough[] = {
        {.begun = M(40), .ended = M(40), .modified = M(30) - 61 * SHARC_SEC, .body = 1}};
    check_part(enough, 1, 0, 30, SHARC_PART_BY_MODIFIED);
    /* A server that echoes the present time, dated an instant before the download: no proof of anything. */
    const struct sharc_sighting echo[] = {{.begun = M(40), .ended = M(40), .modified = M(40) - SHARC_SEC, .body = 1}};
    sharc_quality_known(echo, 1, 0, &k);
    assert_false(k.by_modified);
}

static void equal_text_is_neither_proof_nor_change(void **state)
{
    (void)state;
    const struct sharc_sighting s[] = {{.begun = M(10), .ended = M(10), .modified = NONE, .body = 1, .text = 7},
                                       {.begun = M(20), .ended = M(20), .modified = NONE, .body = 2, .text = 7},
                                       {.begun = M(30), .ended = M(30), .modified = NONE, .body = 1, .text = 7}};
    check_part(s, 3, 0, 15, SHARC_PART_BY_SEEN_BEFORE);
    struct sharc_known k;
    sharc_quality_known(s, 3, 0, &k);
    assert_int_equal(k.to, M(10));
    assert_int_equal(k.possible_to, INT64_MAX);
    /* Neither does a Last-Modified reach back over other bytes. */
    const struct sharc_sighting d[] = {{.begun = M(10), .ended = M(10), .modified = NONE, .body = 1, .text = 7},
                                       {.begun = M(20), .ended = M(20), .modified = M(1), .body = 2, .text = 7}};
    sharc_quality_known(d, 2, 1, &k);
    assert_false(k.by_modified);
}

static void digests_of_two_kinds_say_nothing_about_each_other(void **state)
{
    (void)state;
    const struct sharc_sighting s[] = {
        {.begun = M(10), .ended = M(10), .modified = NONE, .body = 1, .method = 1},
        {.begun = M(20), .ended = M(20), .modified = NONE, .body = 2, .method = 2},
        {.begun = M(30), .ended = M(30), .modified = NONE, .body = 9, .method = 0}, /* gone: 404 */
    };
    check_part(s, 2, 0, 30, SHARC_PART_BY_SEEN_BEFORE);
    check_part(s, 2, 1, 10, SHARC_PART_BY_SEEN_AFTER);
    check_part(s, 3, 1, 30, SHARC_PART_BY_OTHER);
}

static void a_download_takes_time(void **state)
{
    (void)state;
    /* From 10 to 14 and from 30 to 34: known from 14 to 30, not from 10 to 34. */
    const struct sharc_sighting s[] = {{.begun = M(10), .ended = M(14), .modified = NONE, .body = 1},
                                       {.begun = M(30), .ended = M(34), .modified = NONE, .body = 1}};
    check_part(s, 2, 0, 14, SHARC_PART_BY_EQUAL);
    check_part(s, 2, 0, 30, SHARC_PART_BY_EQUAL);
    check_part(s, 2, 0, 13, SHARC_PART_BY_SEEN_AFTER);
    check_part(s, 2, 0, 31, SHARC_PART_BY_SEEN_BEFORE);
    /* Once: the instant is not known, not even inside. */
    check_part(s, 1, 0, 12, SHARC_PART_BY_SEEN_AFTER);
    /* Other content is possible up to the end of its last download, and from the begin of its first. */
    const struct sharc_sighting c[] = {{.begun = M(10), .ended = M(14), .modified = NONE, .body = 1},
                                       {.begun = M(30), .ended = M(34), .modified = NONE, .body = 2}};
    check_part(c, 2, 0, 33, SHARC_PART_BY_CHANGED_AROUND);
    check_part(c, 2, 0, 34, SHARC_PART_BY_OTHER);
    check_part(c, 2, 1, 11, SHARC_PART_BY_CHANGED_AROUND);
    check_part(c, 2, 1, 10, SHARC_PART_BY_OTHER);
}

static void the_nearest_sighting_answers(void **state)
{
    (void)state;
    const struct sharc_sighting s[] = {SEEN(10, 0), SEEN(20, 1), SEEN(30, 0), SEEN(40, 2), SEEN(50, 0)};
    assert_int_equal(sharc_quality_nearest_sighting(s, 5, M(0)), 1);
    assert_int_equal(sharc_quality_nearest_sighting(s, 5, M(30)), 1); /* a tie: the earlier */
    assert_int_equal(sharc_quality_nearest_sighting(s, 5, M(31)), 3);
    assert_int_equal(sharc_quality_nearest_sighting(s, 5, M(99)), 3);
    assert_true(sharc_quality_nearest_sighting(s, 1, M(10)) == SIZE_MAX);
    assert_true(sharc_quality_nearest_sighting(s, 0, M(10)) == SIZE_MAX);
}

static struct sharc_part part_of(const struct sharc_sighting *s, size_t n, size_t shown, double rate)
{
    struct sharc_part p = {.rate = rate};
    sharc_quality_known(s, n, shown, &p.known);
    return p;
}

static void parts_that_existed_together(void **state)
{
    (void)state;
    /* A visit and revisit capture: root 10 and 50, style 20 and 40, image 25 and 35. Together from 25 to 35,
     * although the root's visit lies before that. */
    const struct sharc_sighting root[] = {SEEN(10, 1), SEEN(50, 1)}, style[] = {SEEN(20, 2), SEEN(40, 2)},
                                image[] = {SEEN(25, 3), SEEN(35, 3)}, late[] = {SEEN(60, 4)},
                                born[] = {DATED(60, 5, 55)};
    struct sharc_part p[4] = {part_of(root, 2, 0, 1e-6), part_of(style, 2, 0, 1e-6), part_of(image, 2, 0, 1e-6),
                              part_of(late, 1, 0, 1e-6)};
    struct sharc_composite c;
    sharc_quality_composite(p, 3, &c);
    assert_int_equal(c.state, SHARC_PART_PROVEN);
    assert_int_equal(c.from, M(25));
    assert_int_equal(c.to, M(35));
    assert_int_equal(c.together, 3);
    assert_int_equal(c.apart, 0);
    assert_close(c.probability, 1, 0);
    /* With a part seen only at 60: three of four together, the fourth 25 minutes behind the end of the image. */
    sharc_quality_composite(p, 4, &c);
    assert_int_equal(c.state, SHARC_PART_OPEN);
    assert_int_equal(c.together, 3);
    assert_int_equal(c.from, M(25));
    assert_int_equal(c.to, M(35));
    assert_int_equal(c.apart, 25 * SHARC_MINUTE);
    assert_close(c.probability, exp(-1e-6 * 35 * 60), 1e-12);
    /* The fourth was born at 55, and the root was another one from 50 on: refuted. */
    const struct sharc_sighting gone[] = {SEEN(10, 1), SEEN(50, 7)};
    p[0] = part_of(gone, 2, 0, 1e-6);
    p[3] = part_of(born, 1, 0, 1e-6);
    sharc_quality_composite(p, 4, &c);
    assert_int_equal(c.state, SHARC_PART_REFUTED);
    assert_close(c.probability, 0, 0);
    /* Born at 55, and the root seen at 10 only: not together then, perhaps at 60. */
    const struct sharc_sighting once[] = {SEEN(10, 1)};
    p[0] = part_of(once, 1, 0, 1e-6);
    p[1] = part_of(born, 1, 0, 1e-6);
    sharc_quality_composite(p, 2, &c);
    assert_int_equal(c.state, SHARC_PART_OPEN);
    assert_close(c.probability, exp(-1e-6 * (46 * 60 + 1)), 1e-12);
    p[1] = part_of(style, 2, 0, 1e-6);
    /* By the server's word only. */
    const struct sharc_sighting dated[] = {DATED(60, 6, 1)};
    p[0] = part_of(root, 2, 0, 1e-6);
    p[3] = part_of(dated, 1, 0, 1e-6);
    sharc_quality_composite(p, 4, &c);
    assert_int_equal(c.state, SHARC_PART_ATTESTED);
    assert_int_equal(c.together, 4);
    /* A page alone. */
    sharc_quality_composite(p, 1, &c);
    assert_int_equal(c.state, SHARC_PART_PROVEN);
    assert_int_equal(c.together, 1);
}

static void parallel_downloads_share_no_certain_instant(void **state)
{
    (void)state;
    const struct sharc_sighting a[] = {{.begun = M(10), .ended = M(20), .modified = NONE, .body = 1}},
                                b[] = {{.begun = M(12), .ended = M(18), .modified = NONE, .body = 2}};
    const struct sharc_part p[2] = {part_of(a, 1, 0, 1e-6), part_of(b, 1, 0, (double)NAN)};
    struct sharc_composite c;
    sharc_quality_composite(p, 2, &c);
    assert_int_equal(c.state, SHARC_PART_OPEN);
    assert_int_equal(c.together, 1);
    assert_true(isnan(c.probability));
}

static void of_a_root_any_instant_is_enough(void **state)
{
    (void)state;
    /* Downloaded from 30 to 31: the part that is known from 20 to 40 was there, one that is known from 30:30 on
     * perhaps was not. */
    const struct sharc_sighting root[] = {{.begun = M(30), .ended = M(31), .modified = NONE, .body = 1}},
                                part[] = {SEEN(20, 2), SEEN(40, 2)},
                                late[] = {{.begun = M(30) + 30 * SHARC_SEC,
                                           .ended = M(30) + 30 * SHARC_SEC,
                                           .modified = NONE,
                                           .body = 3},
                                          SEEN(40, 3)};
    struct sharc_part p[3] = {part_of(root, 1, 0, 1e-6), part_of(part, 2, 0, 1e-6), part_of(late, 2, 0, 1e-6)};
    struct sharc_composite c;
    sharc_quality_composite(p, 1, &c);
    assert_int_equal(c.state, SHARC_PART_PROVEN);
    sharc_quality_composite(p, 2, &c);
    assert_int_equal(c.state, SHARC_PART_PROVEN);
    assert_int_equal(c.from, M(30));
    assert_int_equal(c.to, M(31));
    sharc_quality_composite(p, 3, &c);
    assert_int_equal(c.state, SHARC_PART_OPEN);
    assert_int_equal(c.together, 2);
    /* A root that the archive has by the server's word only. */
    const struct sharc_sighting word[] = {SAID_304(30, 1)};
    p[0] = part_of(word, 1, 0, 1e-6);
    sharc_quality_composite(p, 2, &c);
    assert_int_equal(c.state, SHARC_PART_ATTESTED);
}

static void quantiles(void **state)
{
    (void)state;
    const sharc_time v[10] = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9};
    assert_int_equal(sharc_quality_quantile(v, 10, 0), 0);
    assert_int_equal(sharc_quality_quantile(v, 10, 0.5), 4);
    assert_int_equal(sharc_quality_quantile(v, 10, 0.9), 8);
    assert_int_equal(sharc_quality_quantile(v, 10, 1), 9);
    assert_int_equal(sharc_quality_quantile(v, 1, 0.9), 0);
}

/* A page with an honest server: content changes at random instants, downloads happen at random instants, with durations
 * and failures, some with the true Last-Modified by a clock that is off by up to a minute, some as 304. Whatever is
 * called proven or attested for an instant must be so unless the content went away and came back, which
 * here it never does; whatever is called refuted must not be so. */
static void never_more_than_the_truth(void **state)
{
    (void)state;
    struct sharc_rng rng = sharc_rng_stream(13, 0);
    size_t proofs = 0, refutations = 0;
    for (int round = 0; round < 3000; round++) {
        sharc_time change[9];
        struct sharc_sighting s[8];
        size_t changes = sharc_rng_below(&rng, 8), n = 1 + sharc_rng_below(&rng, 7);
        change[0] = M(-1000);
        for (size_t i = 1; i <= changes; i++)
            change[i] = change[i - 1] + (sharc_time)(1 + sharc_rng_below(&rng, 400)) * SHARC_MINUTE / 2;
        sharc_time at = M(-900);
        sharc_time skew = ((sharc_time)sharc_rng_below(&rng, 121) - 60) * SHARC_SEC;
        for (size_t i = 0; i < n; i++) {
            at += (sharc_time)sharc_rng_below(&rng, 12000) * SHARC_SEC;
            sharc_time took = (sharc_time)sharc_rng_below(&rng, 300) * SHARC_SEC, x = at + took / 2;
            size_t v = 0;
            while (v < changes && change[v + 1] <= x) v++;
            sharc_time dated = (change[v] + skew) / SHARC_SEC * SHARC_SEC;
            s[i] = (struct sharc_sighting){.begun = at,
                                           .ended = at + took,
                                           .modified = sharc_rng_below(&rng, 2) && dated <= at ? dated : NONE,
                                           .body = sharc_rng_below(&rng, 6) ? v + 1 : 0,
                                           .word = i > 0 && sharc_rng_below(&rng, 5) == 0};
            at += took;
        }
        for (int k = 0; k < 20; k++) {
            sharc_time t = M(-1000) + (sharc_time)sharc_rng_below(&rng, 2200) * SHARC_MINUTE;
            size_t shown = sharc_quality_nearest_sighting(s, n, t), v = 0;
            if (shown == SIZE_MAX) continue;
            while (v < changes && change[v + 1] <= t) v++;
            struct sharc_part p = {.rate = 1e-4};
            double probability;
            sharc_quality_known(s, n, sharc_quality_same_nearest(s, n, shown, t), &p.known);
            assert_false(p.known.contradicted);
            enum sharc_part_state said = sharc_part_state_of(sharc_quality_part(&p, t, t, &probability));
            bool was = s[shown].body == v + 1;
            if (said == SHARC_PART_PROVEN || said == SHARC_PART_ATTESTED) assert_true(was);
            if (said == SHARC_PART_REFUTED) assert_false(was);
            proofs += said == SHARC_PART_PROVEN || said == SHARC_PART_ATTESTED;
            refutations += said == SHARC_PART_REFUTED;
            assert_true(probability >= 0 && probability <= 1);
            enum sharc_memento_state m = sharc_memento_state_of(pattern(s, n, shown, t, t));
            if (m == SHARC_MEMENTO_COHERENT) assert_true(was);
            if (m == SHARC_MEMENTO_VIOLATIVE) assert_false(was);
        }
    }
    assert_true(proofs > 1000 && refutations > 1000);
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(every_row_of_the_pattern_table),
    cmocka_unit_test(words_have_one_meaning_each),
    cmocka_unit_test(known_and_possible_intervals),
    cmocka_unit_test(open_cases_have_a_probability),
    cmocka_unit_test(same_at_both_ends_is_an_assumption),
    cmocka_unit_test(a_304_is_the_servers_word),
    cmocka_unit_test(last_modified_is_not_believed_blindly),
    cmocka_unit_test(equal_text_is_neither_proof_nor_change),
    cmocka_unit_test(digests_of_two_kinds_say_nothing_about_each_other),
    cmocka_unit_test(a_download_takes_time),
    cmocka_unit_test(the_nearest_sighting_answers),
    cmocka_unit_test(parts_that_existed_together),
    cmocka_unit_test(parallel_downloads_share_no_certain_instant),
    cmocka_unit_test(of_a_root_any_instant_is_enough),
    cmocka_unit_test(quantiles),
    cmocka_unit_test(never_more_than_the_truth),
};
TEST_MAIN(tests)

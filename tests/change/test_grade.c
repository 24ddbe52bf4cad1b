/* SPDX-License-Identifier: Apache-2.0
 *
 * Grades of evidence.
 */
#include "test.h"

#include "sharc/change_grade.h"

static void words_and_numbers_stay(void **state)
{
    (void)state;
    /* Catalogues and WARC files hold these. */
    assert_int_equal(SHARC_GRADED_SAME_CONTENT, 1);
    assert_int_equal(SHARC_GRADED_SIMILAR, 10);
    assert_int_equal(SHARC_GRADED_CLOCK, 19);
    assert_int_equal(SHARC_GRADED_STALE, 20);
    for (int i = 0; i < SHARC_GRADE_REASON_COUNT; i++) {
        enum sharc_grade_reason r = (enum sharc_grade_reason)i, found = SHARC_GRADED_NOT_GRADED;
        assert_int_equal(sharc_grade_reason_find(sharc_span_of(sharc_grade_reason_word(r)), &found), 0);
        assert_int_equal(found, r);
        assert_true(sharc_grade_reason_text(r)[0] != '\0');
    }
    enum sharc_grade_reason none;
    assert_int_equal(sharc_grade_reason_find(SHARC_SPAN("proved"), &none), SHARC_ENOENT);
    assert_string_equal(sharc_grade_word((enum sharc_grade)99), "");
    assert_string_equal(sharc_grade_reason_word((enum sharc_grade_reason)99), "");
    assert_int_equal(sharc_grade_of((enum sharc_grade_reason)99), SHARC_GRADE_UNPROVED);
}

static void only_two_grades_are_proofs(void **state)
{
    (void)state;
    for (int g = 0; g < SHARC_GRADE_COUNT; g++)
        assert_int_equal(sharc_grade_is_proof((enum sharc_grade)g), g == 1 || g == 2);
    assert_int_equal(sharc_grade_of(SHARC_GRADED_SAME_ITEMS), SHARC_GRADE_IDENTICAL);
    assert_int_equal(sharc_grade_of(SHARC_GRADED_LATE_CONTROL), SHARC_GRADE_VOLATILE);
    assert_int_equal(sharc_grade_of(SHARC_GRADED_STRONG_ETAG), SHARC_GRADE_ATTESTED);
    assert_int_equal(sharc_grade_of(SHARC_GRADED_SIMILAR), SHARC_GRADE_ALIKE);
    assert_int_equal(sharc_grade_of(SHARC_GRADED_CUT), SHARC_GRADE_UNPROVED);
}

static void a_whole_is_as_good_as_its_worst_part(void **state)
{
    (void)state;
    assert_int_equal(sharc_grade_worse(SHARC_GRADE_IDENTICAL, SHARC_GRADE_ATTESTED), SHARC_GRADE_ATTESTED);
    assert_int_equal(sharc_grade_worse(SHARC_GRADE_UNPROVED, SHARC_GRADE_IDENTICAL), SHARC_GRADE_UNPROVED);
    assert_int_equal(sharc_grade_worse(SHARC_GRADE_NONE, SHARC_GRADE_IDENTICAL), SHARC_GRADE_UNPROVED);
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(words_and_numbers_stay),
    cmocka_unit_test(only_two_grades_are_proofs),
    cmocka_unit_test(a_whole_is_as_good_as_its_worst_part),
};
TEST_MAIN(tests)

/* SPDX-License-Identifier: Apache-2.0
 *
 * Edit scripts against the quadratic table, and rows of texts.
 */
#include "sharc/base_buf.h"
#include "sharc/base_rng.h"
#include "sharc/change_diff.h"
#include "test.h"

#include <stdlib.h>

/* --- pairs ------------------------------------------------------------------------ */

static void equal_elements_are_paired_first_with_first(void **state)
{
    (void)state;
    static const uint64_t a[] = {7, 3, 7, 9, 3, 7}, b[] = {3, 5, 7, 7, 3, 3};
    size_t to[6];
    assert_int_equal(sharc_change_pair(a, NULL, 6, b, NULL, 6, to), 4);
    static const size_t all[] = {2, 0, 3, SHARC_NPOS, 4, SHARC_NPOS};
    assert_memory_equal(to, all, sizeof all);
    static const bool open_a[] = {false, true, true, true, false, true},
                      open_b[] = {false, true, true, false, true, true};
    for (int i = 0; i < 6; i++) to[i] = 99;
    assert_int_equal(sharc_change_pair(a, open_a, 6, b, open_b, 6, to), 2);
    static const size_t some[] = {99, 4, 2, SHARC_NPOS, 99, SHARC_NPOS};
    assert_memory_equal(to, some, sizeof some);
    assert_int_equal(sharc_change_pair(NULL, NULL, 0, b, NULL, 6, to), 0);
    assert_int_equal(sharc_change_pair(a, NULL, 6, NULL, NULL, 0, to), 0);
    for (int i = 0; i < 6; i++) assert_int_equal(to[i], SHARC_NPOS);
}

/* --- scripts --------------------------------------------------------------------- */

static size_t longest_common(const uint64_t *a, size_t n, const uint64_t *b, size_t m)
{
    SHARC_AUTO(sharc_freep) size_t *t = SHARC_NEW_ARRAY(size_t, (n + 1) * (m + 1));
    for (size_t i = n; i-- > 0;)
        for (size_t j = m; j-- > 0;) {
            size_t right = t[(i + 1) * (m + 1) + j], down = t[i * (m + 1) + j + 1];
            t[i * (m + 1) + j] = a[i] == b[j] ? 1 + t[(i + 1) * (m + 1) + j + 1] : right > down ? right : down;
        }
    return t[0];
}

/* How many stay; fails when the script does not turn a into b. */
static size_t stay(const uint64_t *a, size_t n, const uint64_t *b, size_t m, uint64_t steps, bool *ret_shortest)
{
    SHARC_AUTO(sharc_freep) bool *goes = SHARC_NEW_ARRAY(bool, n);
    SHARC_AUTO(sharc_freep) bool *comes = SHARC_NEW_ARRAY(bool, m);
    *ret_shortest = sharc_change_script(a, n, b, m, &steps, goes, comes);
    size_t i = 0, j = 0, kept = 0;
    for (;; i++, j++, kept++) {
        while (i < n && goes[i]) i++;
        while (j < m && comes[j]) j++;
        if (i == n || j == m) break;
        assert_int_equal(a[i], b[j]);
    }
    assert_true(i == n && j == m);
    return kept;
}

static void random_scripts_are_shortest(void **state)
{
    (void)state;
    struct sharc_rng rng;
    sharc_rng_init(&rng, 3);
    for (int round = 0; round < 3000; round++) {
        uint64_t a[40], b[40];
        size_t n = sharc_rng_below(&rng, 40), m = sharc_rng_below(&rng, 40), letters = 1 + sharc_rng_below(&rng, 12);
        bool shortest;
        for (size_t i = 0; i < n; i++) a[i] = sharc_rng_below(&rng, letters);
        for (size_t i = 0; i < m; i++) b[i] = sharc_rng_below(&rng, letters);
        assert_int_equal(stay(a, n, b, m, SHARC_CHANGE_STEPS, &shortest), longest_common(a, n, b, m));
        assert_true(shortest);
        stay(a, n, b, m, sharc_rng_below(&rng, 50), &shortest);
    }
}

static void a_hostile_pair_is_cut_short(void **state)
{
    (void)state;
    enum { N = 20000 };
    SHARC_AUTO(sharc_freep) uint64_t *a = SHARC_NEW_ARRAY(uint64_t, N);
    SHARC_AUTO(sharc_freep) uint64_t *b = SHARC_NEW_ARRAY(uint64_t, N);
    struct sharc_rng rng;
    sharc_rng_init(&rng, 4);
    bool shortest;
    for (size_t i = 0; i < N; i++) a[i] = sharc_rng_below(&rng, 3), b[i] = 2 - sharc_rng_below(&rng, 3);
    assert_true(stay(a, N, b, N, SHARC_CHANGE_STEPS, &shortest) > N / 2);
    assert_false(shortest);
    stay(a, N, b, N, SHARC_CHANGE_STEPS / 1000, &shortest);
    assert_false(shortest);
}

static void what_one_side_alone_has_costs_nothing(void **state)
{
    (void)state;
    uint64_t a[1000], b[1000];
    bool shortest;
    for (size_t i = 0; i < 1000; i++) a[i] = i, b[i] = i + 5000;
    b[500] = a[3];
    assert_int_equal(stay(a, 1000, b, 1000, 10, &shortest), 1);
    assert_true(shortest);
}

/* --- rows ------------------------------------------------------------------------- */

/* The rows in one string: sign, line, and marked words in brackets. */
static void put_line(struct sharc_buf *out, char sign, struct sharc_span line, const struct sharc_change_mark *m,
                     uint32_t n)
{
    size_t at = 0;
    sharc_buf_put_char(out, sign);
    for (uint32_t i = 0; i < n; i++) {
        sharc_buf_put(out, sharc_span_sub(line, at, m[i].at));
        at = m[i].at + m[i].n;
        sharc_buf_printf(out, "[%.*s]", (int)m[i].n, line.p + m[i].at);
    }
    sharc_buf_put(out, sharc_span_from(line, at));
    sharc_buf_put_char(out, '\n');
}

static void assert_rows(const char *before, const char *after, size_t context, const char *want)
{
    SHARC_AUTO(sharc_change_rows_done) struct sharc_change_rows r = SHARC_CHANGE_ROWS_INIT;
    SHARC_AUTO(sharc_buf_done) struct sharc_buf out = SHARC_BUF_INIT(1u << 20);
    sharc_change_rows_make(&r, sharc_span_of(before), sharc_span_of(after),
                           &(struct sharc_change_rows_options){.context = context});
    for (size_t i = 0; i < r.count; i++) {
        const struct sharc_change_row *row = &r.rows[i];
        if (row->kind == SHARC_ROW_GAP) sharc_buf_printf(&out, "…%u\n", row->left_out);
        if (row->kind == SHARC_ROW_KEPT) put_line(&out, ' ', row->now, NULL, 0);
        if (row->before && row->kind != SHARC_ROW_KEPT) put_line(&out, '-', row->old, row->old_marks, row->n_old_marks);
        if (row->after && row->kind != SHARC_ROW_KEPT) put_line(&out, '+', row->now, row->now_marks, row->n_now_marks);
    }
    assert_string_equal(sharc_buf_str(&out), want);
    assert_false(r.cut);
}

static void rows_show_what_differs(void **state)
{
    (void)state;
    assert_rows("a\nb\n", "a\nb\n", 3, "");
    assert_rows("a\nb  \r\n", "a\nb", 3, "");
    assert_rows("", "", 3, "");
    assert_rows("", "x\n", 3, "+x\n");
    assert_rows("x", "", 3, "-x\n");
    assert_rows("1\n2\n3\n4\n5\n6\n7\n8\n", "1\n2\n3\n4\nnew\n5\n6\n7\n8\n", 1, "…3\n 4\n+new\n 5\n…3\n");
}

static void words_of_alike_lines_are_marked(void **state)
{
    (void)state;
    assert_rows("The garden opens at nine.\nEnd", "The garden opens at ten on Sundays.\nEnd", 0,
                "-The garden opens at [nine].\n+The garden opens at [ten on Sundays].\n…1\n");
    /* The blank between two changed words is no island. */
    assert_rows("one two three four five six", "one 2 3 four five six", 0,
                "-one [two three] four five six\n+one [2 3] four five six\n");
    /* Alike lines are paired also when others come between; unlike ones are not. */
    assert_rows("Roses are red today\nViolets are blue today",
                "Something else entirely\nRoses are pink today\nViolets are white today", 0,
                "+Something else entirely\n-Roses are [red] today\n+Roses are [pink] today\n"
                "-Violets are [blue] today\n+Violets are [white] today\n");
    assert_rows("aaa bbb", "ccc ddd", 0, "-aaa bbb\n+ccc ddd\n");
    /* Scripts without blanks are compared by their signs. */
    assert_rows("\u4eca\u5929\u5929\u6c14\u5f88\u597d", "\u4eca\u5929\u5929\u6c14\u4e0d\u597d", 0,
                "-\u4eca\u5929\u5929\u6c14[\u5f88]\u597d\n+\u4eca\u5929\u5929\u6c14[\u4e0d]\u597d\n");
}

static void rows_are_bounded(void **state)
{
    (void)state;
    SHARC_AUTO(sharc_buf_done) struct sharc_buf a = SHARC_BUF_INIT(4u << 20);
    SHARC_AUTO(sharc_buf_done) struct sharc_buf b = SHARC_BUF_INIT(4u << 20);
    SHARC_AUTO(sharc_change_rows_done) struct sharc_change_rows r = SHARC_CHANGE_ROWS_INIT;
    for (int i = 0; i < 20000; i++) {
        sharc_buf_printf(&a, "line %d of the first\n", i);
        sharc_buf_printf(&b, "line %d of the second\n", i);
    }
    sharc_change_rows_make(&r, sharc_buf_span(&a), sharc_buf_span(&b),
                           &(struct sharc_change_rows_options){.context = 3, .most = 100});
    assert_int_equal(r.count, 100);
    assert_true(r.cut);
    assert_int_equal(r.added, 20000);
    /* One line of very many words is marked whole. */
    sharc_buf_clear(&a);
    sharc_buf_clear(&b);
    for (int i = 0; i < 30000; i++) sharc_buf_printf(&a, "w%d ", i % 90), sharc_buf_printf(&b, "w%d ", i % 89);
    sharc_change_rows_make(&r, sharc_buf_span(&a), sharc_buf_span(&b),
                           &(struct sharc_change_rows_options){.context = 3});
    assert_int_equal(r.removed, 1);
    assert_int_equal(r.added, 1);
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(equal_elements_are_paired_first_with_first),
    cmocka_unit_test(random_scripts_are_shortest),
    cmocka_unit_test(a_hostile_pair_is_cut_short),
    cmocka_unit_test(what_one_side_alone_has_costs_nothing),
    cmocka_unit_test(rows_show_what_differs),
    cmocka_unit_test(words_of_alike_lines_are_marked),
    cmocka_unit_test(rows_are_bounded),
};
TEST_MAIN(tests)

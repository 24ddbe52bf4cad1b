/* SPDX-License-Identifier: Apache-2.0
 *
 * Verdicts and their evidence, importance, template changes.
 */
#include "test.h"

#include "sharc/base_buf.h"
#include "sharc/base_rng.h"
#include "sharc/change_compare.h"

static const struct sharc_change_options defaults = SHARC_CHANGE_OPTIONS;

static struct sharc_digest digest_of(const char *s)
{
    struct sharc_digest d;
    sharc_digest_of(SHARC_SHA256, sharc_span_of(s), &d);
    return d;
}

static struct sharc_change_version page(const struct sharc_digest *d, const char *text)
{
    return (struct sharc_change_version){.answer = SHARC_ANSWER_CONTENT,
                                         .payload = d,
                                         .last_modified = SHARC_TIME_NONE,
                                         .has_text = text != NULL,
                                         .text = sharc_span_of(text)};
}

static void assert_verdict(const struct sharc_change_version *a, const struct sharc_change_version *b,
                           enum sharc_change_class change, enum sharc_change_step step)
{
    struct sharc_change_verdict v;
    sharc_change_compare(a, b, &defaults, &v);
    assert_string_equal(sharc_change_class_name(v.change), sharc_change_class_name(change));
    assert_string_equal(sharc_change_step_name(v.step), sharc_change_step_name(step));
}

static void the_answer_may_decide(void **state)
{
    (void)state;
    struct sharc_digest d = digest_of("1"), e = digest_of("2");
    struct sharc_change_version content = page(&d, "text"), other = content;
    assert_verdict(NULL, &content, SHARC_NEW, SHARC_STEP_ANSWER);
    other.answer = SHARC_ANSWER_NOT_MODIFIED;
    assert_verdict(&content, &other, SHARC_UNCHANGED, SHARC_STEP_NOT_MODIFIED);
    other.answer = SHARC_ANSWER_GONE;
    assert_verdict(&content, &other, SHARC_MISSING, SHARC_STEP_ANSWER);
    assert_verdict(&other, &other, SHARC_UNCHANGED, SHARC_STEP_ANSWER);
    assert_verdict(&other, &content, SHARC_TEXT_CHANGED, SHARC_STEP_ANSWER);
    other.answer = SHARC_ANSWER_FAILED;
    assert_verdict(&content, &other, SHARC_FAILED, SHARC_STEP_ANSWER);
    assert_verdict(&other, &content, SHARC_NEW, SHARC_STEP_ANSWER);
    struct sharc_change_version to_d = page(&d, NULL), to_e = page(&e, NULL);
    to_d.answer = to_e.answer = SHARC_ANSWER_REDIRECT;
    assert_verdict(&content, &to_d, SHARC_REDIRECTED, SHARC_STEP_ANSWER);
    assert_verdict(&to_d, &to_e, SHARC_REDIRECTED, SHARC_STEP_ANSWER);
    assert_verdict(&to_d, &to_d, SHARC_UNCHANGED, SHARC_STEP_ANSWER);
}

static void bytes_then_text_then_likeness(void **state)
{
    (void)state;
    struct sharc_digest d = digest_of("1"), e = digest_of("2");
    struct sharc_change_version a = page(&d, "Hello  world"), b = page(&d, "other text");
    assert_verdict(&a, &b, SHARC_UNCHANGED, SHARC_STEP_PAYLOAD); /* equal bytes: text not looked at */
    b = page(&e, " Hello world\n");
    assert_verdict(&a, &b, SHARC_INSIGNIFICANT, SHARC_STEP_TEXT);
    b = page(&e, "Hello, World! How are you?");
    assert_verdict(&a, &b, SHARC_TEXT_CHANGED, SHARC_STEP_EDITS);
    a = page(&d, "This page was seen 1234 times since Monday");
    b = page(&e, "This page was seen 1235 times since Monday");
    assert_verdict(&a, &b, SHARC_INSIGNIFICANT, SHARC_STEP_EDITS);
    a = page(&d, NULL);
    b = page(&e, NULL);
    assert_verdict(&a, &b, SHARC_TEXT_CHANGED, SHARC_STEP_PAYLOAD); /* an image */
}

static void long_texts_are_shingled(void **state)
{
    (void)state;
    SHARC_AUTO(sharc_buf_done) struct sharc_buf x = SHARC_BUF_INIT(1 << 20);
    SHARC_AUTO(sharc_buf_done) struct sharc_buf y = SHARC_BUF_INIT(1 << 20);
    SHARC_AUTO(sharc_buf_done) struct sharc_buf z = SHARC_BUF_INIT(1 << 20);
    for (int i = 0; i < 1000; i++) {
        sharc_buf_printf(&x, "word%d ", i);
        sharc_buf_printf(&y, "word%d ", i == 500 ? 5000 : i);
        sharc_buf_printf(&z, "word%d ", i % 20 ? i : -i);
    }
    struct sharc_digest d = digest_of("1"), e = digest_of("2");
    struct sharc_change_version a = page(&d, sharc_buf_str(&x)), b = page(&e, sharc_buf_str(&y));
    assert_verdict(&a, &b, SHARC_INSIGNIFICANT, SHARC_STEP_SHINGLES);
    struct sharc_change_verdict v;
    sharc_change_compare(&a, &b, &defaults, &v);
    assert_close(v.similarity, (991.0 - 10) / (991 + 10), 1e-12); /* ten shingles of 991 hold the word */
    b = page(&e, sharc_buf_str(&z));
    assert_verdict(&a, &b, SHARC_TEXT_CHANGED, SHARC_STEP_SHINGLES);
    struct sharc_change_options strict = SHARC_CHANGE_OPTIONS;
    strict.alike = 1;
    b = page(&e, sharc_buf_str(&y));
    sharc_change_compare(&a, &b, &strict, &v);
    assert_int_equal(v.change, SHARC_TEXT_CHANGED);
}

static void links_are_compared(void **state)
{
    (void)state;
    const uint64_t old[] = {1, 3, 5, 7}, new[] = {1, 4, 5, 8, 9};
    struct sharc_digest d = digest_of("1"), e = digest_of("2");
    struct sharc_change_version a = page(&d, "same"), b = page(&e, "same");
    a.links = old, a.n_links = 4;
    b.links = new, b.n_links = 5;
    assert_verdict(&a, &b, SHARC_LINKS_CHANGED, SHARC_STEP_TEXT);
    struct sharc_change_verdict v;
    sharc_change_compare(&a, &b, &defaults, &v);
    assert_int_equal(v.links_removed, 2);
    assert_int_equal(v.links_added, 3);
    b.links = old, b.n_links = 4;
    assert_verdict(&a, &b, SHARC_INSIGNIFICANT, SHARC_STEP_TEXT);
}

static void times_are_evidence_of_when(void **state)
{
    (void)state;
    struct sharc_digest d = digest_of("1"), e = digest_of("2");
    struct sharc_change_version a = page(&d, "one"), b = page(&e, "Completely different. Last updated 2026-11-15.");
    struct sharc_change_verdict v;
    struct sharc_change_options trusting = SHARC_CHANGE_OPTIONS;
    trusting.trust_last_modified = true;
    sharc_change_compare(&a, &b, &trusting, &v);
    assert_int_equal(v.change, SHARC_TEXT_CHANGED);
    char out[SHARC_TIME_TEXT];
    assert_string_equal(sharc_time_iso(v.stated, 0, out), "2026-11-15T00:00:00Z");
    a.last_modified = b.last_modified = 77;
    sharc_change_compare(&a, &b, &defaults, &v); /* not trusted: looked at */
    assert_int_equal(v.change, SHARC_TEXT_CHANGED);
    assert_int_equal(v.stated, 77);
    sharc_change_compare(&a, &b, &trusting, &v);
    assert_int_equal(v.change, SHARC_UNCHANGED);
    assert_int_equal(v.step, SHARC_STEP_LAST_MODIFIED);
    a = page(&d, "one");
    sharc_change_compare(NULL, &a, &trusting, &v);
    assert_true(v.stated == SHARC_TIME_NONE);
}

/* --- importance ----------------------------------------------------------------- */

#define BLOCK(w, old, new)                                                                                          \
    (struct sharc_change_block)                                                                                     \
    {                                                                                                               \
        .weight = (w), .before = (old), .n_before = SHARC_LENGTH(old), .after = (new), .n_after = SHARC_LENGTH(new) \
    }

static void operations_are_found(void **state)
{
    (void)state;
    struct sharc_change_ops ops;
    const uint64_t a[] = {1, 2, 3, 4, 5};
    const uint64_t inserted[] = {1, 2, 9, 3, 4, 5}, moved[] = {5, 1, 2, 3, 4}, updated[] = {1, 2, 8, 4, 5};
    const uint64_t deleted[] = {1, 5}, twice[] = {1, 1, 2, 3, 4, 5, 5}, reversed[] = {5, 4, 3, 2, 1};
    sharc_change_ops(&BLOCK(1, a, inserted), &ops);
    assert_memory_equal(&ops, &((struct sharc_change_ops){.inserted = 1}), sizeof ops);
    sharc_change_ops(&BLOCK(1, a, moved), &ops);
    assert_memory_equal(&ops, &((struct sharc_change_ops){.moved = 1}), sizeof ops);
    sharc_change_ops(&BLOCK(1, a, updated), &ops);
    assert_memory_equal(&ops, &((struct sharc_change_ops){.updated = 1}), sizeof ops);
    sharc_change_ops(&BLOCK(1, a, deleted), &ops);
    assert_memory_equal(&ops, &((struct sharc_change_ops){.deleted = 3}), sizeof ops);
    sharc_change_ops(&BLOCK(1, a, twice), &ops);
    assert_memory_equal(&ops, &((struct sharc_change_ops){.inserted = 2}), sizeof ops);
    sharc_change_ops(&BLOCK(1, a, reversed), &ops);
    assert_memory_equal(&ops, &((struct sharc_change_ops){.moved = 4}), sizeof ops);
    sharc_change_ops(&BLOCK(1, a, a), &ops);
    assert_memory_equal(&ops, &((struct sharc_change_ops){.moved = 0}), sizeof ops);
    struct sharc_change_block gone = {.weight = 1, .before = a, .n_before = 5};
    sharc_change_ops(&gone, &ops);
    assert_int_equal(ops.deleted, 5);
}

static void importance_follows_its_formula(void **state)
{
    (void)state;
    const uint64_t a[] = {1, 2, 3, 4}, b[] = {1, 2, 3, 4, 5}, c[] = {9, 1, 3, 2};
    struct sharc_change_block blocks[] = {BLOCK(3, a, b), BLOCK(1, a, a)};
    struct sharc_change_ops ops[2];
    assert_close(sharc_change_importance(blocks, 2, ops), 0.75 * (1.0 / 5), 1e-12);
    assert_int_equal(ops[0].inserted, 1);
    /* One of four updated (9 for 4), one moved: mean of the two kinds. */
    blocks[0] = BLOCK(1, a, c);
    assert_close(sharc_change_importance(blocks, 1, NULL), (0.8 / 4 + 0.5 / 4) / 2, 1e-12);
    struct sharc_change_block fresh = {.weight = 2, .after = a, .n_after = 4};
    assert_close(sharc_change_importance(&fresh, 1, NULL), 1, 1e-12);
    assert_close(sharc_change_importance(NULL, 0, NULL), 0, 0);
    struct sharc_change_block weightless = BLOCK(0, a, b);
    assert_close(sharc_change_importance(&weightless, 1, NULL), 0, 0);
}

static void importance_stays_within_bounds(void **state)
{
    (void)state;
    struct sharc_rng rng;
    sharc_rng_init(&rng, 21);
    for (int trial = 0; trial < 2000; trial++) {
        uint64_t old[12], new[12];
        struct sharc_change_block b = {.weight = 1, .before = old, .after = new};
        b.n_before = sharc_rng_below(&rng, 13), b.n_after = sharc_rng_below(&rng, 13);
        for (int i = 0; i < 12; i++) old[i] = sharc_rng_below(&rng, 8), new[i] = sharc_rng_below(&rng, 8);
        struct sharc_change_ops ops;
        double e = sharc_change_importance(&b, 1, &ops);
        assert_true(e >= 0 && e <= 1);
        assert_int_equal(b.n_before - ops.deleted + ops.inserted, b.n_after);
        assert_true((e == 0) == (ops.inserted + ops.updated + ops.moved + ops.deleted == 0));
        assert_true((sharc_change_edit_print(&b, 1) == 0) == (ops.inserted + ops.updated + ops.deleted == 0));
    }
}

static void the_same_edit_on_many_pages_is_a_template(void **state)
{
    (void)state;
    /* "2025" becomes "2026" in every footer; one page has an edit of its own. */
    enum { PAGES = 10 };
    uint64_t print[PAGES + 1];
    bool template[PAGES + 1];
    for (uint64_t i = 0; i < PAGES; i++) {
        const uint64_t old[] = {100 + i, 2025, 7}, new[] = {100 + i, 2026, 7}, own[] = {500, 2026, 7};
        struct sharc_change_block b = BLOCK(1, old, new);
        if (i == 3) b = BLOCK(1, old, own);
        print[i] = sharc_change_edit_print(&b, 1);
    }
    print[PAGES] = 0;
    sharc_change_templates(print, PAGES + 1, 5, template);
    for (int i = 0; i <= PAGES; i++) assert_int_equal(template[i], i != 3 && i != PAGES);
    sharc_change_templates(print, PAGES + 1, 10, template);
    for (int i = 0; i <= PAGES; i++) assert_false(template[i]);
    /* Taking away is not bringing in. */
    const uint64_t one[] = {1}, both[] = {1, 2};
    assert_true(sharc_change_edit_print(&BLOCK(1, one, both), 1) != sharc_change_edit_print(&BLOCK(1, both, one), 1));
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(the_answer_may_decide),
    cmocka_unit_test(bytes_then_text_then_likeness),
    cmocka_unit_test(long_texts_are_shingled),
    cmocka_unit_test(links_are_compared),
    cmocka_unit_test(times_are_evidence_of_when),
    cmocka_unit_test(operations_are_found),
    cmocka_unit_test(importance_follows_its_formula),
    cmocka_unit_test(importance_stays_within_bounds),
    cmocka_unit_test(the_same_edit_on_many_pages_is_a_template),
};
TEST_MAIN(tests)

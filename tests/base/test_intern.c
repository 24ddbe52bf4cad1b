/* SPDX-License-Identifier: Apache-2.0 */
#include "test.h"

#include "sharc/base_map.h"

#include <stdio.h>
#include <stdlib.h>

static struct sharc_span name(uint32_t i, char out[64])
{
    return sharc_span(out, (size_t)snprintf(out, 64, "https://example.org/%u/%x", i % 10, i * 2654435761u));
}

static void test_growth(void **state)
{
    (void)state;
    SHARC_AUTO(sharc_intern_freep) struct sharc_intern *t = sharc_intern_new();
    char text[64];
    enum { N = 100000 };
    for (uint32_t i = 0; i < N; i++) {
        bool fresh = false;
        assert_int_equal(sharc_intern_find(t, name(i, text)), SHARC_NO_ID);
        assert_int_equal(sharc_intern_add(t, name(i, text), &fresh), i);
        assert_true(fresh);
        assert_int_equal(sharc_intern_add(t, name(i / 2, text), &fresh), i / 2);
        assert_false(fresh);
    }
    assert_int_equal(sharc_intern_count(t), N);
    size_t texts = 0;
    for (uint32_t i = 0; i < N; i++) {
        struct sharc_span want = name(i, text), got = sharc_intern_text(t, i);
        assert_true(sharc_span_eq(got, want));
        assert_int_equal(got.p[got.n], 0);
        assert_int_equal(sharc_intern_find(t, want), i);
        texts += got.n;
    }
    double beside = ((double)sharc_intern_bytes(t) - (double)texts) / N;
    assert_true(beside > 8 && beside < 35); /* a million bring it near 18 */
}

/* A text stays where it is while the table grows. */
static void test_texts_stay(void **state)
{
    (void)state;
    SHARC_AUTO(sharc_intern_freep) struct sharc_intern *t = sharc_intern_new();
    char text[64];
    uint32_t id = sharc_intern_add(t, SHARC_SPAN("first"), NULL);
    const char *where = sharc_intern_text(t, id).p;
    for (uint32_t i = 0; i < 20000; i++) sharc_intern_add(t, name(i, text), NULL);
    assert_ptr_equal(sharc_intern_text(t, id).p, where);
}

static void test_any_bytes_any_length(void **state)
{
    (void)state;
    SHARC_AUTO(sharc_intern_freep) struct sharc_intern *t = sharc_intern_new();
    assert_int_equal(sharc_intern_add(t, SHARC_SPAN_NONE, NULL), 0);
    assert_int_equal(sharc_intern_add(t, SHARC_SPAN(""), NULL), 0);
    assert_int_equal(sharc_intern_text(t, 0).n, 0);
    assert_int_equal(sharc_intern_add(t, SHARC_SPAN("\0"), NULL), 1);
    assert_int_equal(sharc_intern_add(t, SHARC_SPAN("\0\0"), NULL), 2);
    static const size_t lengths[] = {126, 127, 128, 129, 16383, 16384, 3000000};
    char *big = sharc_malloc(3000000);
    memset(big, 'x', 3000000);
    for (uint32_t i = 0; i < SHARC_LENGTH(lengths); i++) {
        assert_int_equal(sharc_intern_add(t, sharc_span(big, lengths[i]), NULL), 3 + i);
        assert_int_equal(sharc_intern_text(t, 3 + i).n, lengths[i]);
    }
    for (uint32_t i = 0; i < SHARC_LENGTH(lengths); i++)
        assert_int_equal(sharc_intern_find(t, sharc_span(big, lengths[i])), 3 + i);
    free(big);
    sharc_intern_free(NULL);
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(test_growth),
    cmocka_unit_test(test_texts_stay),
    cmocka_unit_test(test_any_bytes_any_length),
};
TEST_MAIN(tests)

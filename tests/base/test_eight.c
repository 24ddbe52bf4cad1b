/* SPDX-License-Identifier: Apache-2.0 */
#include "test.h"

#include "sharc/base_eight.h"
#include "sharc/base_rng.h"

/* Bytes that lie at the edges of what is asked for, and any others. */
static void random_bytes(struct sharc_rng *r, char out[8])
{
    static const char edges[] = "\0\x01\x08\t\n\r\x0e\x1f !&09@AZ[`az{\x7f\x80\x81\xc1\xc2\xc3\xff";
    for (int i = 0; i < 8; i++)
        out[i] = sharc_rng_below(r, 4) ? edges[sharc_rng_below(r, sizeof edges)] : (char)sharc_rng_below(r, 256);
}

static bool marked(uint64_t marks, int i)
{
    return marks >> (8 * i + 7) & 1;
}

static void every_byte_is_judged(void **state)
{
    (void)state;
    struct sharc_rng r;
    sharc_rng_init(&r, 1);
    for (int round = 0; round < 100000; round++) {
        char b[8], back[8];
        random_bytes(&r, b);
        uint64_t w = sharc_eight(b);
        sharc_eight_put(back, w);
        assert_memory_equal(b, back, 8);
        uint64_t from = sharc_eight_from(w, 'A'), within = sharc_eight_within(w, 'A', 'Z');
        uint64_t spaces = sharc_eight_spaces(w);
        unsigned count = 0;
        for (int i = 0; i < 8; i++) {
            assert_int_equal(marked(from, i), (uint8_t)b[i] >= 'A');
            assert_int_equal(marked(within, i), sharc_is_upper(b[i]));
            assert_int_equal(marked(spaces, i), sharc_is_space(b[i]));
            assert_int_equal(marked(sharc_eight_behind(spaces, round & 1), i),
                             i ? sharc_is_space(b[i - 1]) : (round & 1));
            count += sharc_is_space(b[i]);
        }
        assert_int_equal(sharc_eight_count(spaces), count);
        assert_int_equal((from | within | spaces) & ~SHARC_EIGHT_ALL, 0);
    }
}

static void searches_find_the_first(void **state)
{
    (void)state;
    struct sharc_rng r;
    sharc_rng_init(&r, 2);
    for (int round = 0; round < 100000; round++) {
        char b[8];
        random_bytes(&r, b);
        char wanted = b[sharc_rng_below(&r, 8)];
        uint64_t w = sharc_eight(b), equal = sharc_eight_equal(w, wanted), below = sharc_eight_below(w, ' ');
        assert_int_equal(sharc_eight_first(equal), sharc_span_find(sharc_span(b, 8), wanted, 0));
        size_t first = 0;
        while (first < 8 && (uint8_t)b[first] >= ' ') first++;
        assert_int_equal(below ? sharc_eight_first(below) : 8, first);
    }
    assert_int_equal(sharc_eight_equal(sharc_eight("abcdefgh"), 'x'), 0);
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(every_byte_is_judged),
    cmocka_unit_test(searches_find_the_first),
};
TEST_MAIN(tests)

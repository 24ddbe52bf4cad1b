/* SPDX-License-Identifier: Apache-2.0
 *
 * Digests, shingles, MinHash and edit distance: known answers, and random
 * texts against slow and simple versions.
 */
#include "test.h"

#include "sharc/base_buf.h"
#include "sharc/base_rng.h"
#include "sharc/change_text.h"

#include <math.h>
#include <stdlib.h>

#define SHINGLES(name) \
    SHARC_AUTO(sharc_change_shingles_done) struct sharc_change_shingles name = SHARC_CHANGE_SHINGLES_INIT

static bool same_digest(const char *a, const char *b)
{
    struct sharc_digest x, y;
    sharc_change_text_digest(sharc_span_of(a), &x);
    sharc_change_text_digest(sharc_span_of(b), &y);
    return sharc_digest_eq(&x, &y);
}

static void digest_ignores_layout_only(void **state)
{
    (void)state;
    assert_true(same_digest("one two  three", "  one\n\ttwo three\r\n"));
    assert_true(same_digest("", " \n "));
    assert_false(same_digest("one two", "onetwo"));
    assert_false(same_digest("one two", "one Two"));
    struct sharc_digest d, plain;
    sharc_change_text_digest(SHARC_SPAN(" a  b "), &d);
    sharc_digest_of(SHARC_SHA256, SHARC_SPAN("a b"), &plain);
    assert_true(sharc_digest_eq(&d, &plain));
}

static void shingles_of_the_worked_example(void **state)
{
    (void)state;
    SHINGLES(s);
    SHINGLES(parts);
    sharc_change_shingles_make(&s, SHARC_SPAN("abcab"), SHARC_CHANGE_CHARS, 2); /* ab bc ca */
    assert_int_equal(s.count, 3);
    sharc_change_shingles_make(&parts, SHARC_SPAN("cabc"), SHARC_CHANGE_CHARS, 2); /* ca ab bc */
    assert_close(sharc_change_jaccard(&s, &parts), 1, 0);
    sharc_change_shingles_make(&parts, SHARC_SPAN("abx"), SHARC_CHANGE_CHARS, 2); /* ab bx */
    assert_close(sharc_change_jaccard(&s, &parts), 1.0 / 4, 1e-15);
}

static void shingles_of_words(void **state)
{
    (void)state;
    SHINGLES(a);
    SHINGLES(b);
    sharc_change_shingles_make(&a, SHARC_SPAN("a rose is a rose is a rose"), SHARC_CHANGE_WORDS, 4);
    assert_int_equal(a.count, 3); /* Broder's example */
    sharc_change_shingles_make(&b, SHARC_SPAN(" a rose is\na  rose is a rose "), SHARC_CHANGE_WORDS, 4);
    assert_close(sharc_change_jaccard(&a, &b), 1, 0);
    sharc_change_shingles_make(&b, SHARC_SPAN("a rose is a flower which is a rose"), SHARC_CHANGE_WORDS, 4);
    assert_int_equal(b.count, 6);
    assert_close(sharc_change_jaccard(&a, &b), 1.0 / 8, 1e-15); /* "a rose is a" */

    sharc_change_shingles_make(&a, SHARC_SPAN("too short"), SHARC_CHANGE_WORDS, 10);
    assert_int_equal(a.count, 1);
    sharc_change_shingles_make(&b, SHARC_SPAN("short too"), SHARC_CHANGE_WORDS, 10);
    assert_close(sharc_change_jaccard(&a, &b), 0, 0);
    sharc_change_shingles_make(&a, SHARC_SPAN(" \n"), SHARC_CHANGE_WORDS, 10);
    assert_int_equal(a.count, 0);
    assert_close(sharc_change_jaccard(&a, &b), 0, 0);
    assert_close(sharc_change_jaccard(&a, &a), 1, 0);
    /* Signs written without blanks are words each. */
    sharc_change_shingles_make(&a, SHARC_SPAN("\u4eca\u65e5\u306f\u3001\u4e16\u754c"), SHARC_CHANGE_WORDS, 2);
    assert_int_equal(a.count, 5);
    /* Any bytes are a text. */
    sharc_change_shingles_make(&a, SHARC_SPAN("\xe4\xb8 \xff\xfe \xf0"), SHARC_CHANGE_CHARS, 2);
    sharc_change_shingles_make(&a, SHARC_SPAN("\xe4"), SHARC_CHANGE_WORDS, 99);
    assert_int_equal(a.count, 1);
}

/* A text of n words from a vocabulary; some words replaced. */
static void random_text(struct sharc_rng *rng, size_t words, unsigned vocabulary, struct sharc_buf *b)
{
    sharc_buf_clear(b);
    for (size_t i = 0; i < words; i++)
        sharc_buf_printf(b, "w%u%s", (unsigned)sharc_rng_below(rng, vocabulary), i % 9 ? " " : "\n");
}

static size_t slow_count(struct sharc_span text, size_t k)
{
    /* Distinct runs of k words, by comparing all pairs. */
    struct sharc_span word[256], rest = text;
    size_t n = 0, distinct = 0;
    struct sharc_span w;
    while (sharc_span_next(&rest, ' ', &w))
        if (w.n) word[n++] = w;
    for (size_t i = 0; i + k <= n; i++) {
        bool known = false;
        for (size_t j = 0; j < i && !known; j++) {
            bool same = true;
            for (size_t q = 0; q < k && same; q++) same = sharc_span_eq(word[i + q], word[j + q]);
            known = same;
        }
        distinct += !known;
    }
    return distinct;
}

static void random_shingles_are_counted(void **state)
{
    (void)state;
    struct sharc_rng rng;
    sharc_rng_init(&rng, 14);
    SHARC_AUTO(sharc_buf_done) struct sharc_buf b = SHARC_BUF_INIT(1 << 16);
    SHINGLES(s);
    for (int trial = 0; trial < 200; trial++) {
        random_text(&rng, 100 + sharc_rng_below(&rng, 100), 2 + (unsigned)sharc_rng_below(&rng, 4), &b);
        for (size_t i = 0; i < b.n; i++)
            if (b.p[i] == '\n') b.p[i] = ' ';
        size_t k = 1 + sharc_rng_below(&rng, 5);
        sharc_change_shingles_make(&s, sharc_buf_span(&b), SHARC_CHANGE_WORDS, (unsigned)k);
        assert_int_equal(s.count, slow_count(sharc_buf_span(&b), k));
    }
}

static void jaccard_of_the_worked_columns(void **state)
{
    (void)state;
    /* Columns of the MinHash example as sets of one-letter words. */
    static const char *const column[] = {"a b f g", "c d e", "a f g", "b c d e"};
    SHINGLES(x);
    SHINGLES(y);
    sharc_change_shingles_make(&x, sharc_span_of(column[0]), SHARC_CHANGE_WORDS, 1);
    sharc_change_shingles_make(&y, sharc_span_of(column[2]), SHARC_CHANGE_WORDS, 1);
    assert_close(sharc_change_jaccard(&x, &y), 0.75, 0);
    sharc_change_shingles_make(&x, sharc_span_of(column[1]), SHARC_CHANGE_WORDS, 1);
    sharc_change_shingles_make(&y, sharc_span_of(column[3]), SHARC_CHANGE_WORDS, 1);
    assert_close(sharc_change_jaccard(&x, &y), 0.75, 0);
    sharc_change_shingles_make(&x, sharc_span_of(column[0]), SHARC_CHANGE_WORDS, 1);
    sharc_change_shingles_make(&y, sharc_span_of(column[1]), SHARC_CHANGE_WORDS, 1);
    assert_close(sharc_change_jaccard(&x, &y), 0, 0);
}

static void minhash_estimates_within_its_bound(void **state)
{
    (void)state;
    struct sharc_rng rng;
    sharc_rng_init(&rng, 15);
    SHARC_AUTO(sharc_buf_done) struct sharc_buf x = SHARC_BUF_INIT(1 << 20);
    SHARC_AUTO(sharc_buf_done) struct sharc_buf y = SHARC_BUF_INIT(1 << 20);
    SHINGLES(a);
    SHINGLES(b);
    const unsigned n = SHARC_CHANGE_MINHASH;
    uint32_t p[SHARC_CHANGE_MINHASH], q[SHARC_CHANGE_MINHASH];
    double bias = 0, square = 0, variance = 0;
    const int runs = 300;
    for (int trial = 0; trial < runs; trial++) {
        /* Two texts that share their first part; sets of 60 to 1500 words. */
        size_t shared = sharc_rng_below(&rng, 700), more = 60 + sharc_rng_below(&rng, 800);
        random_text(&rng, shared, 1u << 30, &x);
        sharc_buf_clear(&y);
        sharc_buf_put(&y, sharc_buf_span(&x));
        for (size_t i = 0; i < more; i++) {
            sharc_buf_printf(&x, "x%u ", (unsigned)sharc_rng_u64(&rng));
            if (i % 2) sharc_buf_printf(&y, "y%u ", (unsigned)sharc_rng_u64(&rng));
        }
        sharc_change_shingles_make(&a, sharc_buf_span(&x), SHARC_CHANGE_WORDS, 1);
        sharc_change_shingles_make(&b, sharc_buf_span(&y), SHARC_CHANGE_WORDS, 1);
        double j = sharc_change_jaccard(&a, &b);
        sharc_change_minhash(&a, n, p);
        sharc_change_minhash(&b, n, q);
        double guess = sharc_change_minhash_alike(p, q, n);
        assert_close(guess, j, 5 * sqrt(j * (1 - j) / n) + 0.04);
        bias += (guess - j) / runs;
        square += (guess - j) * (guess - j) / runs;
        variance += j * (1 - j) / n / runs;
    }
    assert_close(bias, 0, 4 * sqrt(variance / runs));
    assert_true(square < 1.5 * variance);
}

static void minhash_edges(void **state)
{
    (void)state;
    SHINGLES(s);
    uint32_t p[8], q[8];
    sharc_change_shingles_make(&s, SHARC_SPAN(""), SHARC_CHANGE_WORDS, 1);
    sharc_change_minhash(&s, 8, p);
    for (int i = 0; i < 8; i++) assert_int_equal(p[i], UINT32_MAX);
    sharc_change_shingles_make(&s, SHARC_SPAN("one"), SHARC_CHANGE_WORDS, 1);
    sharc_change_minhash(&s, 8, p);
    sharc_change_shingles_make(&s, SHARC_SPAN("one one"), SHARC_CHANGE_WORDS, 1);
    sharc_change_minhash(&s, 8, q);
    assert_close(sharc_change_minhash_alike(p, q, 8), 1, 0);
    /* Signatures are stored: these values must never change. */
    assert_int_equal(p[0], p[7]);
    sharc_change_shingles_make(&s, SHARC_SPAN("a rose is a rose is a rose"), SHARC_CHANGE_WORDS, 4);
    sharc_change_minhash(&s, 2, q);
    static const uint32_t stored[2] = {0xa4057439, 0x6b828d3d};
    assert_memory_equal(q, stored, sizeof stored);
}

/* --- edit distance --------------------------------------------------------------- */

static size_t slow_edits(const char *a, const char *b)
{
    size_t n = strlen(a), m = strlen(b), d[40][40];
    for (size_t i = 0; i <= n; i++) d[i][0] = i;
    for (size_t j = 0; j <= m; j++) d[0][j] = j;
    for (size_t i = 1; i <= n; i++)
        for (size_t j = 1; j <= m; j++) {
            size_t best = d[i - 1][j - 1] + (a[i - 1] != b[j - 1]);
            if (d[i - 1][j] + 1 < best) best = d[i - 1][j] + 1;
            if (d[i][j - 1] + 1 < best) best = d[i][j - 1] + 1;
            d[i][j] = best;
        }
    return d[n][m];
}

static void edits_are_least(void **state)
{
    (void)state;
    struct sharc_rng rng;
    sharc_rng_init(&rng, 16);
    for (int trial = 0; trial < 20000; trial++) {
        char a[40] = "", b[40] = "";
        size_t n = sharc_rng_below(&rng, 16), m = sharc_rng_below(&rng, 16);
        for (size_t i = 0; i < n; i++) a[i] = (char)('a' + sharc_rng_below(&rng, 3));
        for (size_t i = 0; i < m; i++) b[i] = (char)('a' + sharc_rng_below(&rng, 3));
        size_t want = slow_edits(a, b), most = sharc_rng_below(&rng, 18);
        size_t got = sharc_change_edits(sharc_span_of(a), sharc_span_of(b), most);
        assert_int_equal(got, want <= most ? want : most + 1);
    }
}

/* Words of many lengths with blanks of all kinds between them. */
static void mixed_text(struct sharc_rng *r, struct sharc_buf *b)
{
    static const char *const parts[] = {"a", "bc", "word", "\xe3\x81\x82", "\xc3\xa9", "longer-than-eight",
                                        " ", "  ", "\n",   "\t\r",         "\v ",      "\x01",
                                        "\f"};
    sharc_buf_clear(b);
    for (size_t n = sharc_rng_below(r, 60); n > 0; n--)
        sharc_buf_put_str(b, parts[sharc_rng_below(r, SHARC_LENGTH(parts))]);
}

static void strides_see_what_single_bytes_do(void **state)
{
    (void)state;
    struct sharc_rng r;
    SHARC_AUTO(sharc_buf_done) struct sharc_buf text = SHARC_BUF_INIT(65536), folded = SHARC_BUF_INIT(65536);
    SHINGLES(set);
    sharc_rng_init(&r, 7);
    for (int round = 0; round < 2000; round++) {
        size_t words = 0;
        bool inside = false;
        mixed_text(&r, &text);
        sharc_buf_clear(&folded);
        for (size_t i = 0; i < text.n; i++) {
            bool space = sharc_is_space(text.p[i]);
            if (!space && !inside && words++) sharc_buf_put_char(&folded, ' ');
            if (!space) sharc_buf_put_char(&folded, text.p[i]);
            inside = !space;
        }
        struct sharc_digest got, want;
        sharc_change_text_digest(sharc_buf_span(&text), &got);
        sharc_digest_of(SHARC_SHA256, sharc_buf_span(&folded), &want);
        assert_true(sharc_digest_eq(&got, &want));
        assert_int_equal(sharc_change_count_words(sharc_buf_span(&text)), words);
        uint32_t a[SHARC_CHANGE_MINHASH], b[SHARC_CHANGE_MINHASH];
        sharc_change_shingles_make(&set, sharc_buf_span(&text), SHARC_CHANGE_WORDS, SHARC_CHANGE_SHINGLE);
        sharc_change_minhash(&set, SHARC_CHANGE_MINHASH, a);
        sharc_change_minhash_text(sharc_buf_span(&text), SHARC_CHANGE_MINHASH, b);
        assert_memory_equal(a, b, sizeof a);
    }
}

static void edits_count_code_points(void **state)
{
    (void)state;
    assert_int_equal(sharc_change_edits(SHARC_SPAN("kitten"), SHARC_SPAN("sitting"), 10), 3);
    assert_int_equal(sharc_change_edits(SHARC_SPAN("na\u00efve"), SHARC_SPAN("naive"), 10), 1);
    assert_int_equal(sharc_change_edits(SHARC_SPAN("a\xff"), SHARC_SPAN("a\xfe"), 10), 1);
    assert_int_equal(sharc_change_edits(SHARC_SPAN(""), SHARC_SPAN("abc"), 3), 3);
    assert_int_equal(sharc_change_edits(SHARC_SPAN(""), SHARC_SPAN("abc"), 2), 3);
    assert_int_equal(sharc_change_edits(SHARC_SPAN("x"), SHARC_SPAN("x"), 0), 0);
    assert_int_equal(sharc_change_edits(SHARC_SPAN("x"), SHARC_SPAN("y"), 0), 1);
    SHARC_AUTO(sharc_freep) char *big = sharc_malloc(SHARC_CHANGE_EDIT_MAX + 2);
    memset(big, 'a', SHARC_CHANGE_EDIT_MAX + 2);
    assert_int_equal(sharc_change_edits(sharc_span(big, SHARC_CHANGE_EDIT_MAX + 2), SHARC_SPAN("a"), 5), 6);
    assert_int_equal(sharc_change_edits(sharc_span(big, SHARC_CHANGE_EDIT_MAX),
                                        sharc_span(big, SHARC_CHANGE_EDIT_MAX - 2), 5),
                     2);
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(digest_ignores_layout_only),
    cmocka_unit_test(shingles_of_the_worked_example),
    cmocka_unit_test(shingles_of_words),
    cmocka_unit_test(random_shingles_are_counted),
    cmocka_unit_test(jaccard_of_the_worked_columns),
    cmocka_unit_test(minhash_estimates_within_its_bound),
    cmocka_unit_test(minhash_edges),
    cmocka_unit_test(strides_see_what_single_bytes_do),
    cmocka_unit_test(edits_are_least),
    cmocka_unit_test(edits_count_code_points),
};
TEST_MAIN(tests)

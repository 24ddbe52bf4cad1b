/* SPDX-License-Identifier: Apache-2.0
 *
 * Models as bytes: what comes back predicts exactly the same, and no damage to
 * the bytes does any to the reader.
 */
#include "test.h"

#include "sharc/base_digest.h"
#include "sharc/base_rng.h"
#include "sharc/rate_model.h"

#include <math.h>
#include <stdio.h>

static const struct sharc_rate_column columns[] = {
    {"word", SHARC_RATE_WORD},
    {"number", SHARC_RATE_NUMBER},
    {"odd word", SHARC_RATE_WORD},
};

static void random_values(struct sharc_rng *rng, struct sharc_rate_value *v, char word[2][16])
{
    for (int i = 0; i < 2; i++)
        snprintf(word[i], 16, "w%u\n%c", (unsigned)sharc_rng_zipf(rng, 30, 1), i ? '\x80' : '0');
    v[0] = (struct sharc_rate_value){.word = sharc_span_of(word[0]), .number = SHARC_RATE_UNKNOWN};
    v[1] = (struct sharc_rate_value){.number = sharc_rng_below(rng, 10) ? sharc_rng_normal(rng) : SHARC_RATE_UNKNOWN};
    v[2] = (struct sharc_rate_value){.word = sharc_rng_below(rng, 8) ? sharc_span_of(word[1]) : SHARC_SPAN_NONE};
}

static struct sharc_rate_model *random_model(enum sharc_rate_learner learner, size_t rows, uint64_t seed)
{
    struct sharc_rng rng;
    sharc_rng_init(&rng, seed);
    SHARC_AUTO(sharc_rate_table_freep) struct sharc_rate_table *t = sharc_rate_table_new(columns, 3);
    for (size_t i = 0; i < rows; i++) {
        struct sharc_rate_value v[3];
        char word[2][16];
        random_values(&rng, v, word);
        double mean = (isnan(v[1].number) ? 1 : exp(v[1].number)) * (word[0][1] - '0');
        sharc_rate_table_add(t, v, (double)sharc_rng_poisson(&rng, mean), 1 + (double)(i % 3));
    }
    struct sharc_rate_options o = SHARC_RATE_OPTIONS;
    o.learner = learner;
    o.textbook = seed % 2;
    struct sharc_rate_model *m = NULL;
    assert_int_equal(sharc_rate_train(t, &o, &m, NULL), 0);
    return m;
}

static void assert_same_predictions(const struct sharc_rate_model *a, const struct sharc_rate_model *b)
{
    struct sharc_rng rng;
    sharc_rng_init(&rng, 99);
    for (int i = 0; i < 500; i++) {
        struct sharc_rate_value v[3];
        struct sharc_rate_prediction p, q;
        char word[2][16];
        random_values(&rng, v, word);
        sharc_rate_predict(a, v, &p);
        sharc_rate_predict(b, v, &q);
        assert_memory_equal(&p, &q, sizeof p);
    }
}

static void a_loaded_model_is_the_saved_one(void **state)
{
    (void)state;
    for (int i = 0; i < 8; i++) {
        enum sharc_rate_learner learner = i / 2 % 2 ? SHARC_RATE_C45 : SHARC_RATE_NAIVE_BAYES;
        SHARC_AUTO(sharc_rate_model_freep)
        struct sharc_rate_model *m = random_model(learner, i < 4 ? 400 : 3, (uint64_t)i);
        SHARC_AUTO(sharc_rate_model_freep) struct sharc_rate_model *back = NULL;
        SHARC_AUTO(sharc_buf_done) struct sharc_buf bytes = SHARC_BUF_INIT(1 << 24);
        SHARC_AUTO(sharc_buf_done) struct sharc_buf again = SHARC_BUF_INIT(1 << 24);
        struct sharc_err err = SHARC_ERR_INIT;
        sharc_buf_put_str(&bytes, "before"); /* appended, not overwritten */
        assert_int_equal(sharc_rate_model_save(m, &bytes), 0);
        int r = sharc_rate_model_load(sharc_span_from(sharc_buf_span(&bytes), 6), &back, &err);
        if (r < 0) fail_msg("%s", err.text);
        assert_same_predictions(m, back);
        assert_int_equal(sharc_rate_model_learner(back), learner);
        assert_int_equal(sharc_rate_model_size(back), sharc_rate_model_size(m));
        assert_int_equal(sharc_rate_model_bins(back)->n, sharc_rate_model_bins(m)->n);
        size_t n;
        const struct sharc_rate_column *c = sharc_rate_model_columns(back, &n);
        assert_int_equal(n, 3);
        assert_string_equal(c[2].name, "odd word");
        assert_int_equal(sharc_rate_model_save(back, &again), 0);
        assert_int_equal(again.n + 6, bytes.n);
        assert_memory_equal(again.p, bytes.p + 6, again.n);
    }
}

static void a_full_buffer_is_reported(void **state)
{
    (void)state;
    SHARC_AUTO(sharc_rate_model_freep) struct sharc_rate_model *m = random_model(SHARC_RATE_C45, 100, 1);
    SHARC_AUTO(sharc_buf_done) struct sharc_buf bytes = SHARC_BUF_INIT(500);
    assert_int_equal(sharc_rate_model_save(m, &bytes), SHARC_ELIMIT);
}

/* Put the right fingerprint behind changed bytes, so that the reader goes on. */
static void seal(struct sharc_buf *b)
{
    uint64_t f = sharc_fingerprint(sharc_span(b->p, b->n - 8), 0x5348415243u);
    for (int i = 0; i < 8; i++) b->p[b->n - 8 + (size_t)i] = (char)(f >> (8 * i) & 0xff);
}

static void load_and_ask(struct sharc_span bytes)
{
    SHARC_AUTO(sharc_rate_model_freep) struct sharc_rate_model *m = NULL;
    struct sharc_err err = SHARC_ERR_INIT;
    int r = sharc_rate_model_load(bytes, &m, &err);
    if (r < 0) {
        assert_int_equal(r, err.code);
        assert_true(err.text[0] != 0);
        return;
    }
    size_t n;
    sharc_rate_model_columns(m, &n);
    struct sharc_rate_value v[SHARC_RATE_COLUMNS_MAX];
    for (int round = 0; round < 3; round++) {
        for (size_t c = 0; c < n; c++)
            v[c] = (struct sharc_rate_value){.word = round ? SHARC_SPAN("w1\n0") : SHARC_SPAN_NONE,
                                             .number = round == 1 ? 0 : SHARC_RATE_UNKNOWN};
        struct sharc_rate_prediction p;
        sharc_rate_predict(m, v, &p);
        double sum = 0;
        for (unsigned k = 0; k < sharc_rate_model_bins(m)->n; k++) sum += p.probability[k];
        assert_close(sum, 1, 1e-6);
        assert_true(isfinite(p.rate) && isfinite(p.expected) && p.prior.shape > 0 && p.prior.time > 0);
    }
}

static void damage_is_found(void **state)
{
    (void)state;
    for (int l = 0; l < 2; l++) {
        SHARC_AUTO(sharc_rate_model_freep)
        struct sharc_rate_model *m = random_model(l ? SHARC_RATE_C45 : SHARC_RATE_NAIVE_BAYES, 60, 2);
        SHARC_AUTO(sharc_buf_done) struct sharc_buf good = SHARC_BUF_INIT(1 << 20);
        assert_int_equal(sharc_rate_model_save(m, &good), 0);
        struct sharc_rate_model *back = NULL;
        struct sharc_err err = SHARC_ERR_INIT;
        for (size_t n = 0; n < good.n; n += n < 200 ? 1 : 17) { /* cut anywhere */
            assert_true(sharc_rate_model_load(sharc_span(good.p, n), &back, &err) < 0);
            SHARC_AUTO(sharc_buf_done) struct sharc_buf cut = SHARC_BUF_INIT(1 << 20);
            sharc_buf_put(&cut, sharc_span(good.p, n));
            if (n >= 16) {
                seal(&cut);
                assert_true(sharc_rate_model_load(sharc_buf_span(&cut), &back, &err) < 0);
            }
        }
        for (size_t i = 12; i < good.n; i += 7) { /* one byte changed: the fingerprint tells */
            good.p[i] ^= 0x10;
            assert_int_equal(sharc_rate_model_load(sharc_buf_span(&good), &back, &err), SHARC_ECORRUPT);
            good.p[i] ^= 0x10;
        }
        good.p[8] = 2;
        assert_int_equal(sharc_rate_model_load(sharc_buf_span(&good), &back, &err), SHARC_EUNSUPPORTED);
        good.p[0] = 'S';
        assert_int_equal(sharc_rate_model_load(sharc_buf_span(&good), &back, &err), SHARC_ESYNTAX);
        assert_null(back);
    }
}

static void malice_is_survived(void **state)
{
    (void)state;
    struct sharc_rng rng;
    sharc_rng_init(&rng, 6);
    for (int l = 0; l < 2; l++) {
        SHARC_AUTO(sharc_rate_model_freep)
        struct sharc_rate_model *m = random_model(l ? SHARC_RATE_C45 : SHARC_RATE_NAIVE_BAYES, 30, 3);
        SHARC_AUTO(sharc_buf_done) struct sharc_buf good = SHARC_BUF_INIT(1 << 20);
        assert_int_equal(sharc_rate_model_save(m, &good), 0);
        for (int trial = 0; trial < 6000; trial++) {
            SHARC_AUTO(sharc_buf_done) struct sharc_buf bad = SHARC_BUF_INIT(1 << 20);
            sharc_buf_put(&bad, sharc_buf_span(&good));
            for (uint64_t k = sharc_rng_below(&rng, 4) + 1; k > 0; k--)
                bad.p[12 + sharc_rng_below(&rng, bad.n - 20)] =
                    (char)(sharc_rng_below(&rng, 3) ? sharc_rng_u64(&rng) : 0xff);
            seal(&bad);
            load_and_ask(sharc_buf_span(&bad));
        }
    }
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(a_loaded_model_is_the_saved_one),
    cmocka_unit_test(a_full_buffer_is_reported),
    cmocka_unit_test(damage_is_found),
    cmocka_unit_test(malice_is_survived),
};
TEST_MAIN(tests)

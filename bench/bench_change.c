/* SPDX-License-Identifier: Apache-2.0
 *
 * How long it takes to compare two texts of 100 KB.
 */
#include "sharc/base_buf.h"
#include "sharc/base_clock.h"
#include "sharc/base_rng.h"
#include "sharc/change_compare.h"
#include "sharc/change_text.h"

#include <stdio.h>

#define BYTES 100000
#define ROUNDS 300

/* English-like: short words often, long ones seldom. */
static void text(struct sharc_rng *rng, struct sharc_buf *b)
{
    while (b->n < BYTES) {
        unsigned word = (unsigned)sharc_rng_zipf(rng, 20000, 1);
        for (unsigned w = word * 2654435761u, i = 2 + word % 8; i > 0; i--, w /= 3)
            sharc_buf_put_char(b, (char)('a' + w % 26));
        sharc_buf_put_char(b, ' ');
    }
    sharc_buf_truncate(b, BYTES);
}

int main(void)
{
    struct sharc_rng rng;
    sharc_rng_init(&rng, 1);
    SHARC_AUTO(sharc_buf_done) struct sharc_buf a = SHARC_BUF_INIT(BYTES + 100);
    SHARC_AUTO(sharc_buf_done) struct sharc_buf b = SHARC_BUF_INIT(BYTES + 100);
    text(&rng, &a);
    sharc_buf_put(&b, sharc_span_sub(sharc_buf_span(&a), 0, BYTES / 2));
    text(&rng, &b);
    SHARC_AUTO(sharc_change_shingles_done) struct sharc_change_shingles x = SHARC_CHANGE_SHINGLES_INIT;
    SHARC_AUTO(sharc_change_shingles_done) struct sharc_change_shingles y = SHARC_CHANGE_SHINGLES_INIT;
    double alike = 0, made = 0, compared = 0, signed_ = 0, digested = 0, judged = 0;
    uint32_t p[SHARC_CHANGE_MINHASH];
    struct sharc_digest d;
    struct sharc_change_version before = {.last_modified = SHARC_TIME_NONE,
                                          .has_text = true,
                                          .text = sharc_buf_span(&a)};
    struct sharc_change_version after = {.last_modified = SHARC_TIME_NONE,
                                         .has_text = true,
                                         .text = sharc_buf_span(&b)};
    const struct sharc_change_options options = SHARC_CHANGE_OPTIONS;
    struct sharc_change_verdict verdict;
    for (int i = 0; i < ROUNDS; i++) {
        double t0 = sharc_clock_cpu();
        sharc_change_shingles_make(&x, sharc_buf_span(&a), SHARC_CHANGE_WORDS, SHARC_CHANGE_SHINGLE);
        sharc_change_shingles_make(&y, sharc_buf_span(&b), SHARC_CHANGE_WORDS, SHARC_CHANGE_SHINGLE);
        double t1 = sharc_clock_cpu();
        alike = sharc_change_jaccard(&x, &y);
        double t2 = sharc_clock_cpu();
        sharc_change_minhash(&x, SHARC_CHANGE_MINHASH, p);
        double t3 = sharc_clock_cpu();
        sharc_change_text_digest(sharc_buf_span(&a), &d);
        double t4 = sharc_clock_cpu();
        sharc_change_compare(&before, &after, &options, &verdict);
        made += t1 - t0, compared += t2 - t1, signed_ += t3 - t2, digested += t4 - t3, judged += sharc_clock_cpu() - t4;
    }
    printf("two texts of %d bytes, %zu and %zu shingles, alike %.3f\n", BYTES, x.count, y.count, alike);
    printf("shingles of both  %.3f ms\ncomparison        %.3f ms\ntogether          %.3f ms\n", 1e3 * made / ROUNDS,
           1e3 * compared / ROUNDS, 1e3 * (made + compared) / ROUNDS);
    printf("signature of one  %.3f ms\ntext digest       %.3f ms\nthe whole cascade %.3f ms\n", 1e3 * signed_ / ROUNDS,
           1e3 * digested / ROUNDS, 1e3 * judged / ROUNDS);
    return 0;
}

/* SPDX-License-Identifier: Apache-2.0
 *
 * Seeded random numbers: one seed, one history, on every machine. The
 * generator is xoshiro256** seeded through splitmix64; floating point is made
 * from the top 53 bits by IEEE arithmetic, whatever the compiler. Poisson and
 * Zipf also ask the C library for logarithms and powers: a library that rounds
 * their last bit otherwise may, very rarely, draw another number. Names of
 * published algorithms stand in rng.c; tests/base/test_rng.c holds the history
 * of one seed, which must not change.
 */
#ifndef SHARC_BASE_RNG_H
#define SHARC_BASE_RNG_H

#include "sharc/base.h"

SHARC_API_BEGIN

struct sharc_rng {
    uint64_t s[4];
};

void sharc_rng_init(struct sharc_rng *r, uint64_t seed);
/* An independent stream: for run number k, thread k, page k of one seed. */
struct sharc_rng sharc_rng_stream(uint64_t seed, uint64_t k);

uint64_t sharc_rng_u64(struct sharc_rng *r);
/* Uniform in 0 … n−1 without bias; n > 0. */
uint64_t sharc_rng_below(struct sharc_rng *r, uint64_t n);
/* Uniform in [0, 1). */
double sharc_rng_uniform(struct sharc_rng *r);
/* Exponential with the given rate > 0 (mean 1/rate). */
double sharc_rng_exponential(struct sharc_rng *r, double rate);
/* Poisson with the given mean >= 0 (at most 2^62), exact for every size of mean;
 * O(1) up to 2^50. */
uint64_t sharc_rng_poisson(struct sharc_rng *r, double mean);
double sharc_rng_normal(struct sharc_rng *r);
/* Zipf over 1 … n (at most 2^53) with exponent skew >= 0: P(k) ~ k^-skew. O(1)
 * per draw, rejection-inversion. */
uint64_t sharc_rng_zipf(struct sharc_rng *r, uint64_t n, double skew);
/* Fisher–Yates. */
void sharc_rng_shuffle_u32(struct sharc_rng *r, uint32_t *items, size_t n);

SHARC_API_END
#endif

/* SPDX-License-Identifier: Apache-2.0
 *
 * Two digests side by side. Every step of SHA-1 and SHA-256 waits for the one
 * before, also where the processor has instructions for them: these units idle
 * most of the time. Two streams that do not depend on each other fill the gaps.
 * Without these instructions, and for other digests, OpenSSL computes both in
 * turn.
 */
#include "sharc/base_digest.h"

#include <stdatomic.h>
#include <stdlib.h>

#if defined(__x86_64__)
#include <cpuid.h>
#include <immintrin.h>
#define HAVE_SHA 1
#define SHA_TARGET __attribute__((target("sha,sse4.1,ssse3")))
#else
#define HAVE_SHA 0
#endif

enum { BLOCK = 64, SIDES = 2 };

struct side {
    uint32_t state[8];
    uint8_t block[BLOCK]; /* what does not fill a block yet */
    size_t n;
    uint64_t total;
};

struct sharc_hasher_pair {
    enum sharc_digest_kind kind;
    bool fast;
    struct side side[SIDES];
    struct sharc_hasher *hasher[SIDES];
};

/* --- blocks ---------------------------------------------------------------- */

#if HAVE_SHA

static bool ask_processor(void)
{
    unsigned a, b, c, d;
    if (!__get_cpuid(1, &a, &b, &c, &d) || !(c & bit_SSE4_1) || !(c & bit_SSSE3)) return false;
    return __get_cpuid_count(7, 0, &a, &b, &c, &d) && (b & bit_SHA);
}

/* Asked once: in a virtual machine the question is slower than a small digest. */
static bool processor_can(void)
{
    static atomic_int known; /* 0: not yet, 1: no, 2: yes */
    int k = atomic_load_explicit(&known, memory_order_relaxed);
    if (!k) {
        k = ask_processor() ? 2 : 1;
        atomic_store_explicit(&known, k, memory_order_relaxed);
    }
    return k == 2;
}

SHA_TARGET static inline __m128i load_words(const uint8_t *p, __m128i order)
{
    return _mm_shuffle_epi8(_mm_loadu_si128((const __m128i *)(const void *)p), order);
}

/* Four rounds of both sides; the last four message words are in w, the next go
 * where the oldest are. */
#define SHA1_ROUNDS(first, function)                                                                                \
    _Pragma("GCC unroll 5") for (int g = (first); g < (first) + 5; g++)                                             \
    {                                                                                                               \
        _Pragma("GCC unroll 2") for (int s = 0; s < SIDES; s++)                                                     \
        {                                                                                                           \
            __m128i *w = words[s];                                                                                  \
            if (g < 4)                                                                                              \
                w[g] = load_words(p[s] + 16 * g, order);                                                            \
            else                                                                                                    \
                w[g & 3] =                                                                                          \
                    _mm_sha1msg2_epu32(_mm_xor_si128(_mm_sha1msg1_epu32(w[g & 3], w[(g + 1) & 3]), w[(g + 2) & 3]), \
                                       w[(g + 3) & 3]);                                                             \
            __m128i sum = g ? _mm_sha1nexte_epu32(before[s], w[g & 3]) : _mm_add_epi32(e[s], w[0]);                 \
            before[s] = abcd[s];                                                                                    \
            abcd[s] = _mm_sha1rnds4_epu32(abcd[s], sum, function);                                                  \
        }                                                                                                           \
    }

SHA_TARGET static void sha1_blocks(struct side *side, const uint8_t *const data[SIDES], size_t count)
{
    const __m128i order = _mm_set_epi64x(0x0001020304050607, 0x08090a0b0c0d0e0f);
    __m128i abcd[SIDES], e[SIDES], before[SIDES], words[SIDES][4];
    const uint8_t *p[SIDES] = {data[0], data[1]};
    for (int s = 0; s < SIDES; s++) {
        abcd[s] = _mm_shuffle_epi32(_mm_loadu_si128((const __m128i *)(const void *)side[s].state), 0x1b);
        e[s] = _mm_set_epi32((int)side[s].state[4], 0, 0, 0);
    }
    for (; count > 0; count--) {
        const __m128i abcd_was[SIDES] = {abcd[0], abcd[1]}, e_was[SIDES] = {e[0], e[1]};
        SHA1_ROUNDS(0, 0)
        SHA1_ROUNDS(5, 1)
        SHA1_ROUNDS(10, 2)
        SHA1_ROUNDS(15, 3)
        for (int s = 0; s < SIDES; s++) {
            e[s] = _mm_sha1nexte_epu32(before[s], e_was[s]);
            abcd[s] = _mm_add_epi32(abcd[s], abcd_was[s]);
            p[s] += BLOCK;
        }
    }
    for (int s = 0; s < SIDES; s++) {
        _mm_storeu_si128((__m128i *)(void *)side[s].state, _mm_shuffle_epi32(abcd[s], 0x1b));
        side[s].state[4] = (uint32_t)_mm_extract_epi32(e[s], 3);
    }
}

/* The first 32 bits of the fractional parts of the cube roots of the first 64 primes. */
static const uint32_t sha256_constants[64] = {0x428a2f98, 0x71374491, 0xb5c0fbcf, 0xe9b5dba5, 0x3956c25b, 0x59f111f1,
                                              0x923f82a4, 0xab1c5ed5, 0xd807aa98, 0x12835b01, 0x243185be, 0x550c7dc3,
                                              0x72be5d74, 0x80deb1fe, 0x9bdc06a7, 0xc19bf174, 0xe49b69c1, 0xefbe4786,
                                              0x0fc19dc6, 0x240ca1cc, 0x2de92c6f, 0x4a7484aa, 0x5cb0a9dc, 0x76f988da,
                                              0x983e5152, 0xa831c66d, 0xb00327c8, 0xbf597fc7, 0xc6e00bf3, 0xd5a79147,
                                              0x06ca6351, 0x14292967, 0x27b70a85, 0x2e1b2138, 0x4d2c6dfc, 0x53380d13,
                                              0x650a7354, 0x766a0abb, 0x81c2c92e, 0x92722c85, 0xa2bfe8a1, 0xa81a664b,
                                              0xc24b8b70, 0xc76c51a3, 0xd192e819, 0xd6990624, 0xf40e3585, 0x106aa070,
                                              0x19a4c116, 0x1e376c08, 0x2748774c, 0x34b0bcb5, 0x391c0cb3, 0x4ed8aa4a,
                                              0x5b9cca4f, 0x682e6ff3, 0x748f82ee, 0x78a5636f, 0x84c87814, 0x8cc70208,
                                              0x90befffa, 0xa4506ceb, 0xbef9a3f7, 0xc67178f2};

/* The instructions want a b e f and c d g h, highest word first. */
SHA_TARGET static inline void sha256_gather(const uint32_t state[8], __m128i *abef, __m128i *cdgh)
{
    *abef = _mm_set_epi32((int)state[0], (int)state[1], (int)state[4], (int)state[5]);
    *cdgh = _mm_set_epi32((int)state[2], (int)state[3], (int)state[6], (int)state[7]);
}

SHA_TARGET static inline void sha256_spread(__m128i abef, __m128i cdgh, uint32_t state[8])
{
    state[0] = (uint32_t)_mm_extract_epi32(abef, 3), state[1] = (uint32_t)_mm_extract_epi32(abef, 2);
    state[4] = (uint32_t)_mm_extract_epi32(abef, 1), state[5] = (uint32_t)_mm_extract_epi32(abef, 0);
    state[2] = (uint32_t)_mm_extract_epi32(cdgh, 3), state[3] = (uint32_t)_mm_extract_epi32(cdgh, 2);
    state[6] = (uint32_t)_mm_extract_epi32(cdgh, 1), state[7] = (uint32_t)_mm_extract_epi32(cdgh, 0);
}

SHA_TARGET static void sha256_blocks(struct side *side, const uint8_t *const data[SIDES], size_t count)
{
    const __m128i order = _mm_set_epi64x(0x0c0d0e0f08090a0b, 0x0405060700010203);
    __m128i abef[SIDES], cdgh[SIDES], words[SIDES][4];
    const uint8_t *p[SIDES] = {data[0], data[1]};
    for (int s = 0; s < SIDES; s++) sha256_gather(side[s].state, &abef[s], &cdgh[s]);
    for (; count > 0; count--) {
        const __m128i abef_was[SIDES] = {abef[0], abef[1]}, cdgh_was[SIDES] = {cdgh[0], cdgh[1]};
        _Pragma("GCC unroll 16") for (int g = 0; g < 16; g++)
        {
            const __m128i constants = _mm_loadu_si128((const __m128i *)(const void *)&sha256_constants[4 * g]);
            _Pragma("GCC unroll 2") for (int s = 0; s < SIDES; s++)
            {
                __m128i *w = words[s];
                if (g < 4)
                    w[g] = load_words(p[s] + 16 * g, order);
                else
                    w[g & 3] = _mm_sha256msg2_epu32(_mm_add_epi32(_mm_sha256msg1_epu32(w[g & 3], w[(g + 1) & 3]),
                                                                  _mm_alignr_epi8(w[(g + 3) & 3], w[(g + 2) & 3], 4)),
                                                    w[(g + 3) & 3]);
                __m128i sum = _mm_add_epi32(w[g & 3], constants);
                cdgh[s] = _mm_sha256rnds2_epu32(cdgh[s], abef[s], sum);
                abef[s] = _mm_sha256rnds2_epu32(abef[s], cdgh[s], _mm_shuffle_epi32(sum, 0x0e));
            }
        }
        for (int s = 0; s < SIDES; s++) {
            abef[s] = _mm_add_epi32(abef[s], abef_was[s]);
            cdgh[s] = _mm_add_epi32(cdgh[s], cdgh_was[s]);
            p[s] += BLOCK;
        }
    }
    for (int s = 0; s < SIDES; s++) sha256_spread(abef[s], cdgh[s], side[s].state);
}

static void blocks(struct sharc_hasher_pair *h, const uint8_t *const data[SIDES], size_t count)
{
    if (h->kind == SHARC_SHA1)
        sha1_blocks(h->side, data, count);
    else
        sha256_blocks(h->side, data, count);
}

#else

static bool processor_can(void)
{
    return false;
}

static void blocks(struct sharc_hasher_pair *h, const uint8_t *const data[SIDES], size_t count)
{
    (void)h;
    (void)data;
    (void)count;
    SHARC_BUG("no instructions for digests");
}

#endif

/* --- streams --------------------------------------------------------------- */

/* Blocks of one side only: the other works for nothing. */
static void lone_blocks(struct sharc_hasher_pair *h, int s, const uint8_t *p, size_t count)
{
    struct side other = h->side[1 - s];
    blocks(h, (const uint8_t *const[SIDES]){p, p}, count);
    h->side[1 - s] = other;
}

/* Up to the end of a block that was begun. */
static struct sharc_span fill(struct sharc_hasher_pair *h, int s, struct sharc_span in)
{
    struct side *x = &h->side[s];
    x->total += in.n;
    if (!x->n || in.n == 0) return in;
    size_t n = BLOCK - x->n < in.n ? BLOCK - x->n : in.n;
    memcpy(x->block + x->n, in.p, n);
    x->n += n;
    if (x->n == BLOCK) {
        lone_blocks(h, s, x->block, 1);
        x->n = 0;
    }
    return sharc_span_from(in, n);
}

static void add_fast(struct sharc_hasher_pair *h, struct sharc_span first, struct sharc_span second)
{
    struct sharc_span in[SIDES] = {fill(h, 0, first), fill(h, 1, second)};
    size_t both = in[0].n < in[1].n ? in[0].n / BLOCK : in[1].n / BLOCK;
    if (both) blocks(h, (const uint8_t *const[SIDES]){(const uint8_t *)in[0].p, (const uint8_t *)in[1].p}, both);
    for (int s = 0; s < SIDES; s++) {
        struct sharc_span rest = sharc_span_from(in[s], both * BLOCK);
        if (rest.n >= BLOCK) lone_blocks(h, s, (const uint8_t *)rest.p, rest.n / BLOCK);
        rest = sharc_span_from(rest, rest.n / BLOCK * BLOCK);
        if (rest.n) {
            memcpy(h->side[s].block, rest.p, rest.n);
            h->side[s].n = rest.n;
        }
    }
}

/* A one bit, zeros, and the number of bits in the last eight bytes of a block. */
static void end_fast(struct sharc_hasher_pair *h, int s, struct sharc_digest *ret)
{
    struct side *x = &h->side[s];
    uint8_t last[2 * BLOCK] = {0};
    uint64_t bits = x->total * 8;
    size_t count = x->n + 9 > BLOCK ? 2 : 1, words = h->kind == SHARC_SHA1 ? 5 : 8;
    memcpy(last, x->block, x->n);
    last[x->n] = 0x80;
    for (size_t i = 0; i < 8; i++) last[count * BLOCK - 1 - i] = (uint8_t)(bits >> 8 * i);
    lone_blocks(h, s, last, count);
    *ret = (struct sharc_digest){.kind = h->kind, .n = (uint8_t)(4 * words)};
    for (size_t i = 0; i < 4 * words; i++) ret->bytes[i] = (uint8_t)(x->state[i / 4] >> (24 - 8 * (i % 4)));
}

/* --- both ways ------------------------------------------------------------- */

struct sharc_hasher_pair *sharc_hasher_pair_new(void)
{
    struct sharc_hasher_pair *h = SHARC_NEW(struct sharc_hasher_pair);
    for (int s = 0; s < SIDES; s++) h->hasher[s] = sharc_hasher_new();
    return h;
}

void sharc_hasher_pair_free(struct sharc_hasher_pair *h)
{
    if (!h) return;
    for (int s = 0; s < SIDES; s++) sharc_hasher_free(h->hasher[s]);
    free(h);
}

void sharc_hasher_pair_start(struct sharc_hasher_pair *h, enum sharc_digest_kind kind)
{
    static const uint32_t sha1[8] = {0x67452301, 0xefcdab89, 0x98badcfe, 0x10325476, 0xc3d2e1f0};
    static const uint32_t sha256[8] = {0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a,
                                       0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19};
    h->kind = kind;
    h->fast = (kind == SHARC_SHA1 || kind == SHARC_SHA256) && processor_can();
    for (int s = 0; s < SIDES; s++) {
        if (!h->fast) sharc_hasher_start(h->hasher[s], kind);
        h->side[s].n = 0;
        h->side[s].total = 0;
        memcpy(h->side[s].state, kind == SHARC_SHA1 ? sha1 : sha256, sizeof sha1);
    }
}

void sharc_hasher_pair_add(struct sharc_hasher_pair *h, struct sharc_span first, struct sharc_span second)
{
    if (h->fast) {
        add_fast(h, first, second);
        return;
    }
    sharc_hasher_add(h->hasher[0], first.p, first.n);
    sharc_hasher_add(h->hasher[1], second.p, second.n);
}

void sharc_hasher_pair_end(struct sharc_hasher_pair *h, struct sharc_digest *ret_first, struct sharc_digest *ret_second)
{
    if (h->fast) {
        end_fast(h, 0, ret_first);
        end_fast(h, 1, ret_second);
        return;
    }
    sharc_hasher_end(h->hasher[0], ret_first);
    sharc_hasher_end(h->hasher[1], ret_second);
}

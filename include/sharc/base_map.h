/* SPDX-License-Identifier: Apache-2.0
 *
 * Three hash tables, open addressing, no deletion (nothing in sharc forgets a
 * URL). Not thread-safe. Their hashes are seeded afresh in every process, so
 * nobody outside can choose keys that collide; no result depends on that.
 */
#ifndef SHARC_BASE_MAP_H
#define SHARC_BASE_MAP_H

#include "sharc/base.h"

SHARC_PRIVATE_BEGIN

#define SHARC_NO_ID UINT32_MAX

/* Byte strings to dense numbers 0, 1, 2, … and back. Strings are copied; beside
 * them an entry costs about 18 bytes. */
struct sharc_intern;
struct sharc_intern *sharc_intern_new(void);
void sharc_intern_free(struct sharc_intern *t);
void sharc_intern_freep(struct sharc_intern **t);
/* Number of s, given a new one if it is not yet known (*ret_new may be NULL). */
uint32_t sharc_intern_add(struct sharc_intern *t, struct sharc_span s, bool *ret_new);
/* SHARC_NO_ID when unknown. */
uint32_t sharc_intern_find(const struct sharc_intern *t, struct sharc_span s);
/* Valid until the table is freed; id < count. A 0 stands behind. */
struct sharc_span sharc_intern_text(const struct sharc_intern *t, uint32_t id);
uint32_t sharc_intern_count(const struct sharc_intern *t);
size_t sharc_intern_bytes(const struct sharc_intern *t); /* memory held */

/* 64-bit keys to 64-bit values. Any key is allowed. */
struct sharc_map64 {
    uint64_t *keys, *values;
    uint8_t *used;
    size_t count, room; /* room is 0 or a power of two */
};
void sharc_map64_init(struct sharc_map64 *m);
void sharc_map64_done(struct sharc_map64 *m);
/* Slot of key, made with value 0 if missing; valid until the next call. */
uint64_t *sharc_map64_at(struct sharc_map64 *m, uint64_t key);
/* NULL when missing. */
const uint64_t *sharc_map64_find(const struct sharc_map64 *m, uint64_t key);

/* Pairs of 64-bit keys (the first 128 bits of a digest, say) to numbers other than 0. With `most` pairs it is full, and
 * starts anew with the next one: SIZE_MAX for no such limit. */
struct sharc_map128;
struct sharc_map128 *sharc_map128_new(size_t most);
void sharc_map128_free(struct sharc_map128 *m);
void sharc_map128_clear(struct sharc_map128 *m);
/* 0: unknown. */
int64_t sharc_map128_get(const struct sharc_map128 *m, int64_t a, int64_t b);
void sharc_map128_put(struct sharc_map128 *m, int64_t a, int64_t b, int64_t value);

SHARC_PRIVATE_END
#endif

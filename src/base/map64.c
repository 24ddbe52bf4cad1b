/* SPDX-License-Identifier: Apache-2.0
 *
 * 64-bit keys to 64-bit values: linear probing, at most three quarters full.
 */
#include "base_int.h"
#include "sharc/base_map.h"

#include <pthread.h>
#include <stdlib.h>
#include <sys/random.h>

static uint64_t hash_seed;

static void draw_hash_seed(void)
{
    /* Without randomness from the kernel the tables still work; they are only
     * easier to attack. */
    if (getrandom(&hash_seed, sizeof hash_seed, GRND_NONBLOCK) != (ssize_t)sizeof hash_seed)
        hash_seed = (uint64_t)(uintptr_t)&hash_seed;
}

uint64_t sharc__base_hash_seed(void)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    pthread_once(&once, draw_hash_seed);
    return hash_seed;
}

uint64_t sharc__base_hash64(uint64_t key)
{
    uint64_t h = key ^ sharc__base_hash_seed();
    h = (h ^ (h >> 32)) * 0xD6E8FEB86659FD93u;
    h = (h ^ (h >> 32)) * 0xD6E8FEB86659FD93u;
    return h ^ (h >> 32);
}

static size_t place_of(const struct sharc_map64 *m, uint64_t key)
{
    return (size_t)sharc__base_hash64(key) & (m->room - 1);
}

/* The slot that holds key, or the empty one where it would go. room > count. */
static size_t find_slot(const struct sharc_map64 *m, uint64_t key)
{
    size_t i = place_of(m, key);
    while (m->used[i] && m->keys[i] != key) i = (i + 1) & (m->room - 1);
    return i;
}

static void grow(struct sharc_map64 *m)
{
    struct sharc_map64 old = *m;
    m->room = old.room ? old.room * 2 : 16;
    m->keys = SHARC_NEW_ARRAY(uint64_t, m->room);
    m->values = SHARC_NEW_ARRAY(uint64_t, m->room);
    m->used = SHARC_NEW_ARRAY(uint8_t, m->room);
    for (size_t i = 0; i < old.room; i++) {
        if (!old.used[i]) continue;
        size_t at = find_slot(m, old.keys[i]);
        m->used[at] = 1;
        m->keys[at] = old.keys[i];
        m->values[at] = old.values[i];
    }
    sharc_map64_done(&old);
}

void sharc_map64_init(struct sharc_map64 *m)
{
    *m = (struct sharc_map64){0};
}

void sharc_map64_done(struct sharc_map64 *m)
{
    free(m->keys);
    free(m->values);
    free(m->used);
    *m = (struct sharc_map64){0};
}

uint64_t *sharc_map64_at(struct sharc_map64 *m, uint64_t key)
{
    if (m->room) {
        size_t i = find_slot(m, key);
        if (m->used[i]) return &m->values[i];
    }
    if (m->count + 1 > m->room / 4 * 3) grow(m);
    size_t i = find_slot(m, key);
    m->used[i] = 1;
    m->keys[i] = key;
    m->count++;
    return &m->values[i];
}

const uint64_t *sharc_map64_find(const struct sharc_map64 *m, uint64_t key)
{
    if (!m->room) return NULL;
    size_t i = find_slot(m, key);
    return m->used[i] ? &m->values[i] : NULL;
}

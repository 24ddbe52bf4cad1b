/* SPDX-License-Identifier: Apache-2.0
 *
 * Pairs of 64-bit keys to numbers: linear probing, at most two thirds full.
 */
#include "base_int.h"
#include "sharc/base_map.h"

#include <stdlib.h>

enum { LEAST = 1024 };

struct entry {
    int64_t a, b, value; /* value 0: free */
};
struct sharc_map128 {
    struct entry *items;
    size_t count, room, most; /* room is 0 or a power of two */
};

struct sharc_map128 *sharc_map128_new(size_t most)
{
    struct sharc_map128 *m = SHARC_NEW(struct sharc_map128);
    m->most = most;
    return m;
}

void sharc_map128_free(struct sharc_map128 *m)
{
    if (!m) return;
    free(m->items);
    free(m);
}

void sharc_map128_clear(struct sharc_map128 *m)
{
    free(m->items);
    m->items = NULL;
    m->count = m->room = 0;
}

static struct entry *place(const struct sharc_map128 *m, int64_t a, int64_t b)
{
    const uint64_t both = (uint64_t)a + (uint64_t)b * UINT64_C(0x9E3779B97F4A7C15);
    size_t i = (size_t)sharc__base_hash64(both) & (m->room - 1);
    while (m->items[i].value && (m->items[i].a != a || m->items[i].b != b)) i = (i + 1) & (m->room - 1);
    return &m->items[i];
}

int64_t sharc_map128_get(const struct sharc_map128 *m, int64_t a, int64_t b)
{
    return m->room ? place(m, a, b)->value : 0;
}

static void grow(struct sharc_map128 *m)
{
    struct sharc_map128 old = *m;
    m->room = old.room ? old.room * 2 : LEAST;
    m->items = SHARC_NEW_ARRAY(struct entry, m->room);
    for (size_t i = 0; i < old.room; i++)
        if (old.items[i].value) *place(m, old.items[i].a, old.items[i].b) = old.items[i];
    free(old.items);
}

void sharc_map128_put(struct sharc_map128 *m, int64_t a, int64_t b, int64_t value)
{
    if (m->count >= m->most) sharc_map128_clear(m);
    if (m->count * 3 >= m->room * 2) grow(m);
    struct entry *e = place(m, a, b);
    if (!e->value) m->count++;
    *e = (struct entry){a, b, value};
}

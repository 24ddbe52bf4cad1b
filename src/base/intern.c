/* SPDX-License-Identifier: Apache-2.0
 *
 * Byte strings to dense numbers. Made for millions of URLs, so the memory
 * beside the text counts: about 17 to 21 bytes per entry.
 *
 *   table   buckets of one cache line: twelve numbers and twelve one-byte tags
 *           taken from the hash; a full bucket overflows into the next. Grows
 *           by half. The hash is not kept: growing computes it again, walking
 *           the texts in the order in which they lie in memory.
 *   places  where the text of number i lies: segments, of which only the first one grows
 *   chunks  the texts, each: length (base_varint.h), bytes, 0
 */
#include "base_int.h"
#include "sharc/base_digest.h"
#include "sharc/base_eight.h"
#include "sharc/base_exhausted.h"
#include "sharc/base_map.h"
#include "sharc/base_varint.h"

#include <stdlib.h>

#define WAYS 12
#define SEGMENT 4096u
#define SEGMENT_FIRST 16u /* places of the first one at its birth: most tables stay small */
#define CHUNK_FIRST ((size_t)512)
#define CHUNK_LARGEST ((size_t)1 << 20)

struct bucket {
    uint32_t n; /* entries used */
    uint8_t tag[WAYS];
    uint32_t id[WAYS];
};
_Static_assert(sizeof(struct bucket) == 64, "a bucket fills one cache line");

struct chunk {
    struct chunk *next;
    char bytes[];
};

struct sharc_intern {
    struct bucket *buckets;
    size_t bucket_count;
    uint32_t count, limit; /* entries; grow the table beyond limit */
    const char ***segments;
    size_t segment_count, segment_room;
    size_t first_room; /* of the first segment */
    struct chunk *chunks;
    char *free;           /* rest of the newest chunk */
    size_t free_n, texts; /* bytes left of it; bytes of all chunks */
    size_t bytes;
    uint64_t seed;
};

/* --- texts ---------------------------------------------------------------- */

static struct sharc_span text_at(const char *p)
{
    size_t n = 0;
    for (int shift = 0;; shift += 7) {
        unsigned char c = (unsigned char)*p++;
        n |= (size_t)(c & 127) << shift;
        if (c < 128) return sharc_span(p, n);
    }
}

static void new_chunk(struct sharc_intern *t, size_t need)
{
    size_t size = t->texts / 4; /* so a quarter at most is empty, of many small tables, too */
    if (size < CHUNK_FIRST) size = CHUNK_FIRST;
    if (size > CHUNK_LARGEST) size = CHUNK_LARGEST;
    if (size < need) size = need;
    struct chunk *c = sharc_malloc(sizeof *c + size);
    c->next = t->chunks;
    t->chunks = c;
    t->free = c->bytes;
    t->free_n = size;
    t->texts += sizeof *c + size;
    t->bytes += sizeof *c + size;
}

static const char *keep_text(struct sharc_intern *t, struct sharc_span s)
{
    char length[SHARC_VARINT_MOST];
    size_t head = sharc_varint_write(length, s.n), need = head + s.n + 1;
    if (need > t->free_n) new_chunk(t, need);
    char *p = t->free;
    memcpy(p, length, head);
    if (s.n) memcpy(p + head, s.p, s.n);
    p[head + s.n] = 0;
    t->free += need;
    t->free_n -= need;
    return p;
}

static void grow_first_segment(struct sharc_intern *t)
{
    const size_t room = t->first_room ? t->first_room * 2 : SEGMENT_FIRST;
    t->segments[0] = sharc_realloc((void *)t->segments[0], room, sizeof(const char *));
    t->bytes += (room - t->first_room) * sizeof(const char *);
    t->first_room = room;
}

static void keep_place(struct sharc_intern *t, const char *place)
{
    size_t segment = t->count / SEGMENT;
    if (segment == t->segment_count) {
        SHARC_GROW(t->segments, t->segment_room, segment + 1);
        t->segments[t->segment_count++] = segment ? SHARC_NEW_ARRAY(const char *, SEGMENT) : NULL;
        if (segment) t->bytes += SEGMENT * sizeof(const char *);
    }
    if (segment == 0 && t->count == t->first_room) grow_first_segment(t);
    t->segments[segment][t->count % SEGMENT] = place;
}

static struct sharc_span text_of(const struct sharc_intern *t, uint32_t id)
{
    return text_at(t->segments[id / SEGMENT][id % SEGMENT]);
}

/* --- table ---------------------------------------------------------------- */

struct probe {
    size_t bucket;
    uint8_t tag;
};

static struct probe probe_of(const struct sharc_intern *t, struct sharc_span s)
{
    uint64_t h = sharc_fingerprint(s, t->seed);
    return (struct probe){(size_t)(((h >> 32) * t->bucket_count) >> 32), (uint8_t)h};
}

static void table_put(struct sharc_intern *t, struct probe p, uint32_t id)
{
    while (t->buckets[p.bucket].n == WAYS) {
        if (++p.bucket == t->bucket_count) p.bucket = 0;
    }
    struct bucket *b = &t->buckets[p.bucket];
    b->tag[b->n] = p.tag;
    b->id[b->n++] = id;
}

/* Among eight entries whose tags are marked, the one with that text. */
static uint32_t find_marked(const struct sharc_intern *t, const uint32_t *id, uint64_t marks, struct sharc_span s)
{
    for (; marks; marks &= marks - 1) {
        uint32_t found = id[sharc_eight_first(marks)];
        if (sharc_span_eq(text_of(t, found), s)) return found;
    }
    return SHARC_NO_ID;
}

/* All tags of a bucket are compared at once: first entries 0 … 7, then 8 … 11. */
static uint32_t bucket_find(const struct sharc_intern *t, const struct bucket *b, uint8_t tag, struct sharc_span s)
{
    const char *tags = (const char *)b->tag;
    uint64_t marks = sharc_eight_equal(sharc_eight(tags), (char)tag);
    if (b->n < 8) marks &= ((uint64_t)1 << 8 * b->n) - 1;
    uint32_t found = find_marked(t, b->id, marks, s);
    if (found != SHARC_NO_ID || b->n <= 8) return found;
    marks = sharc_eight_equal(sharc_eight(tags + WAYS - 8), (char)tag) >> 32;
    return find_marked(t, b->id + 8, marks & (((uint64_t)1 << 8 * (b->n - 8)) - 1), s);
}

static uint32_t table_find(const struct sharc_intern *t, struct probe p, struct sharc_span s)
{
    for (;;) {
        const struct bucket *b = &t->buckets[p.bucket];
        uint32_t found = bucket_find(t, b, p.tag, s);
        if (found != SHARC_NO_ID || b->n < WAYS) return found;
        if (++p.bucket == t->bucket_count) p.bucket = 0;
    }
}

/* Put everything in again. The places are all over the table, so a batch of
 * them is asked for before the first is needed. */
static void table_fill(struct sharc_intern *t)
{
    enum { BATCH = 16 };
    struct probe p[BATCH];
    for (uint32_t id = 0; id < t->count; id += BATCH) {
        uint32_t n = t->count - id < BATCH ? t->count - id : BATCH;
        for (uint32_t i = 0; i < n; i++) {
            p[i] = probe_of(t, text_of(t, id + i));
            __builtin_prefetch(&t->buckets[p[i].bucket], 1);
        }
        for (uint32_t i = 0; i < n; i++) table_put(t, p[i], id + i);
    }
}

static void table_grow(struct sharc_intern *t)
{
    free(t->buckets);
    t->bytes -= t->bucket_count * sizeof *t->buckets;
    t->bucket_count += t->bucket_count / 2;
    t->buckets = aligned_alloc(sizeof *t->buckets, t->bucket_count * sizeof *t->buckets);
    if (!t->buckets) sharc__no_memory();
    memset(t->buckets, 0, t->bucket_count * sizeof *t->buckets);
    t->bytes += t->bucket_count * sizeof *t->buckets;
    size_t limit = t->bucket_count * WAYS * 85 / 100;
    t->limit = limit < SHARC_NO_ID - 1 ? (uint32_t)limit : SHARC_NO_ID - 1;
    table_fill(t);
}

/* --- the interface -------------------------------------------------------- */

struct sharc_intern *sharc_intern_new(void)
{
    struct sharc_intern *t = SHARC_NEW(struct sharc_intern);
    t->seed = sharc__base_hash_seed();
    t->bytes = sizeof *t;
    t->bucket_count = 8;
    t->buckets = SHARC_NEW_ARRAY(struct bucket, t->bucket_count);
    t->bytes += t->bucket_count * sizeof *t->buckets;
    t->limit = 64;
    return t;
}

void sharc_intern_free(struct sharc_intern *t)
{
    if (!t) return;
    for (struct chunk *c = t->chunks, *next; c; c = next) {
        next = c->next;
        free(c);
    }
    for (size_t i = 0; i < t->segment_count; i++) free(t->segments[i]);
    free(t->segments);
    free(t->buckets);
    free(t);
}

void sharc_intern_freep(struct sharc_intern **t)
{
    sharc_intern_free(*t);
    *t = NULL;
}

uint32_t sharc_intern_add(struct sharc_intern *t, struct sharc_span s, bool *ret_new)
{
    struct probe p = probe_of(t, s);
    uint32_t id = table_find(t, p, s);
    if (ret_new) *ret_new = id == SHARC_NO_ID;
    if (id != SHARC_NO_ID) return id;
    SHARC_ASSERT(t->count < SHARC_NO_ID - 1);
    if (t->count >= t->limit) {
        table_grow(t);
        p = probe_of(t, s);
    }
    keep_place(t, keep_text(t, s));
    table_put(t, p, t->count);
    return t->count++;
}

uint32_t sharc_intern_find(const struct sharc_intern *t, struct sharc_span s)
{
    return table_find(t, probe_of(t, s), s);
}

struct sharc_span sharc_intern_text(const struct sharc_intern *t, uint32_t id)
{
    SHARC_ASSERT(id < t->count);
    return text_of(t, id);
}

uint32_t sharc_intern_count(const struct sharc_intern *t)
{
    return t->count;
}

size_t sharc_intern_bytes(const struct sharc_intern *t)
{
    return t->bytes + t->segment_room * sizeof *t->segments;
}

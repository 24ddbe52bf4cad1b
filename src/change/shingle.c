/* SPDX-License-Identifier: Apache-2.0
 *
 * Digests and shingles of texts. One pass: a hash of each unit as its bytes go
 * by, a rolling hash over the last k units, an open-addressing set. Nothing is
 * sorted and no unit is copied.
 */
#include "change_int.h"

#include <endian.h>
#include <stdlib.h>

/* --- digest ------------------------------------------------------------------- */

void sharc_change_text_digest(struct sharc_span text, struct sharc_digest *ret)
{
    AUTO(sharc_hasher_freep) struct sharc_hasher *h = sharc_hasher_new();
    char out[4096]; /* a call for every word would cost more than the digest */
    size_t n = 0;
    sharc_hasher_start(h, SHARC_SHA256);
    text = sharc_span_trim(text);
    for (size_t i = 0; i < text.n; i++) {
        bool blank = sharc_is_space(text.p[i]);
        if (blank && sharc_is_space(text.p[i - 1])) continue; /* i > 0: the text is trimmed */
        out[n++] = blank ? ' ' : text.p[i];
        if (n == sizeof out) sharc_hasher_add(h, out, n), n = 0;
    }
    sharc_hasher_add(h, out, n);
    sharc_hasher_end(h, ret);
}

/* --- the set ------------------------------------------------------------------- */

void sharc_change_shingles_done(struct sharc_change_shingles *s)
{
    free(s->slot);
    free(s->member);
    *s = (struct sharc_change_shingles)SHARC_CHANGE_SHINGLES_INIT;
}

/* Where a hash is, or the free place where it would go. */
static inline size_t place(const uint64_t *slot, size_t mask, uint64_t hash)
{
    size_t at = (size_t)hash & mask;
    while (slot[at] != 0 && slot[at] != hash) at = (at + 1) & mask;
    return at;
}

/* An empty table at most half full with n members: longer runs of taken places
 * cost more in mispredicted branches than the memory does. */
static void clear(struct sharc_change_shingles *s, size_t n)
{
    size_t room = 64;
    while (room < 2 * n) room *= 2;
    if (s->room < room || s->room > 8 * room) {
        free(s->slot);
        s->room = room;
        s->slot = SHARC_NEW_ARRAY(uint64_t, room);
    } else {
        memset(s->slot, 0, s->room * sizeof *s->slot);
    }
}

/* Keep the first of each of the members, and fill the table. A loop of its own:
 * several of its cache misses are under way at a time. */
static void unite(struct sharc_change_shingles *s)
{
    const size_t n = s->count;
    clear(s, n);
    uint64_t *const slot = s->slot, *const member = s->member;
    size_t kept = 0;
    for (size_t i = 0; i < n; i++) {
        uint64_t hash = member[i];
        size_t at = place(slot, s->room - 1, hash);
        member[kept] = hash;
        kept += slot[at] == 0;
        slot[at] = hash;
    }
    s->count = kept;
}

/* --- units --------------------------------------------------------------------- */

/* Rolling hash of the last k units: Σ unit · B^age, mixed before use. */
#define BASE UINT64_C(0x9e3779b97f4a7c15)

struct roller {
    struct sharc_change_shingles *set;
    uint64_t window[SHARC_CHANGE_SHINGLE_MAX];
    unsigned k, next;
    uint64_t oldest; /* B^k */
    uint64_t sum;
    size_t seen;
};

static inline void add(struct sharc_change_shingles *s, uint64_t hash)
{
    SHARC_GROW(s->member, s->member_room, s->count + 1);
    s->member[s->count++] = hash + (hash == 0); /* 0 marks a free place of the table */
}

static inline void roll(struct roller *r, uint64_t unit)
{
    unit = sharc__change_mix(unit);
    r->sum = r->sum * BASE + unit - r->window[r->next] * r->oldest;
    r->window[r->next] = unit;
    if (++r->next == r->k) r->next = 0;
    if (++r->seen >= r->k) add(r->set, sharc__change_mix(r->sum));
}

/* Words end at blanks (and controls), and before and behind a sign: lead bytes
 * E3 … ED begin U+3000 to U+DFFF, scripts that are written without blanks, where
 * every sign is a word. */
static bool is_blank(uint8_t c)
{
    return c <= ' ';
}

static bool is_sign(uint8_t c)
{
    return c >= 0xe3 && c <= 0xed;
}

/* Up to eight bytes as a little-endian number: the same on every machine, since
 * signatures are stored. */
static uint64_t eight(const uint8_t *p, size_t n)
{
    uint64_t v = 0;
    memcpy(&v, p, n);
    return le64toh(v);
}

#define EACH(byte) (UINT64_MAX / 255 * (byte))

/* Length of the word that begins at p. Eight bytes at a time: the first stop
 * marks the first byte that is blank or at least E0 (bytes behind it may be
 * marked wrongly, the first never is). */
static size_t word_length(const uint8_t *p, size_t readable)
{
    size_t n = 1;
    while (readable - n >= 8) {
        uint64_t v = eight(p + n, 8);
        uint64_t stop = (((v - EACH(0x21)) & ~v) | (v & v << 1 & v << 2)) & EACH(0x80);
        if (stop == 0) {
            n += 8;
            continue;
        }
        n += (size_t)__builtin_ctzll(stop) / 8;
        if (is_blank(p[n]) || is_sign(p[n])) return n;
        n++;
    }
    while (n < readable && !is_blank(p[n]) && !is_sign(p[n])) n++;
    return n;
}

/* A word in steps of eight bytes; its length tells trailing zeros apart. Most
 * words are short, and one load of a fixed size is quicker than n bytes. */
static uint64_t hash_word(const uint8_t *p, size_t n, size_t readable)
{
    uint64_t hash = n * BASE;
    for (; n > 8; p += 8, n -= 8, readable -= 8) hash = (hash ^ eight(p, 8)) * BASE, hash ^= hash >> 29;
    return hash ^ (readable >= 8 ? eight(p, 8) & UINT64_MAX >> (64 - 8 * n) : eight(p, n));
}

static void roll_words(struct roller *r, struct sharc_span text)
{
    const uint8_t *p = (const uint8_t *)text.p;
    size_t left = text.n;
    while (left > 0) {
        size_t n = 1;
        if (!is_blank(*p)) {
            n = !is_sign(*p) ? word_length(p, left) : left < 3 ? left : 3;
            roll(r, hash_word(p, n, left));
        }
        p += n;
        left -= n;
    }
}

static void roll_chars(struct roller *r, struct sharc_span text)
{
    while (text.n > 0) {
        uint32_t c = (uint8_t)text.p[0];
        size_t n = c < 0x80 ? 1 : sharc_utf8_decode(text, &c);
        if (n == 0) n = 1, c = 0x110000 + (uint8_t)text.p[0];
        roll(r, c + 1);
        text = sharc_span_from(text, n);
    }
}

void sharc_change_shingles_make(struct sharc_change_shingles *s, struct sharc_span text, enum sharc_change_unit unit,
                                unsigned k)
{
    k = k < 1 ? 1 : k > SHARC_CHANGE_SHINGLE_MAX ? SHARC_CHANGE_SHINGLE_MAX : k;
    s->count = 0;
    struct roller r = {.set = s, .k = k, .oldest = 1};
    for (unsigned i = 0; i < k; i++) r.oldest *= BASE;
    if (unit == SHARC_CHANGE_WORDS)
        roll_words(&r, text);
    else
        roll_chars(&r, text);
    if (r.seen > 0 && r.seen < k) add(s, sharc__change_mix(r.sum));
    unite(s);
}

double sharc_change_jaccard(const struct sharc_change_shingles *a, const struct sharc_change_shingles *b)
{
    if (a->count == 0 && b->count == 0) return 1;
    if (a->count == 0 || b->count == 0) return 0;
    if (a->count > b->count) {
        const struct sharc_change_shingles *other = a;
        a = b;
        b = other;
    }
    size_t both = 0;
    for (size_t i = 0; i < a->count; i++) both += b->slot[place(b->slot, b->room - 1, a->member[i])] != 0;
    return (double)both / (double)(a->count + b->count - both);
}

/* --- MinHash -------------------------------------------------------------------- */

/* Every member is thrown into one of n places by one half of its hash and
 * compared there by the other. Places that stay empty copy another place, chosen
 * by a hash of (place, attempt) only: two sets that agree there agree here. */
void sharc_change_minhash(const struct sharc_change_shingles *s, unsigned n, uint32_t *ret)
{
    n = n < 1 ? 1 : n > SHARC_CHANGE_MINHASH_MAX ? SHARC_CHANGE_MINHASH_MAX : n;
    bool full[SHARC_CHANGE_MINHASH_MAX] = {false};
    for (unsigned i = 0; i < n; i++) ret[i] = UINT32_MAX;
    if (s->count == 0) return;
    for (size_t i = 0; i < s->count; i++) {
        uint64_t hash = sharc__change_mix(s->member[i] ^ BASE);
        unsigned to = (unsigned)((hash >> 32) * n >> 32);
        uint32_t value = (uint32_t)hash;
        if (!full[to] || value < ret[to]) ret[to] = value;
        full[to] = true;
    }
    for (unsigned i = 0; i < n; i++) {
        if (full[i]) continue;
        unsigned from = i;
        for (uint64_t attempt = 1; !full[from]; attempt++)
            from = (unsigned)((sharc__change_mix((uint64_t)i << 32 | attempt) >> 32) * n >> 32);
        ret[i] = ret[from];
    }
}

double sharc_change_minhash_alike(const uint32_t *a, const uint32_t *b, unsigned n)
{
    unsigned same = 0;
    for (unsigned i = 0; i < n; i++) same += a[i] == b[i];
    return n ? (double)same / n : 1;
}

size_t sharc_change_count_words(struct sharc_span text)
{
    size_t words = 0;
    bool inside = false;
    for (size_t i = 0; i < text.n; i++) {
        bool space = sharc_is_space(text.p[i]);
        words += !space && !inside;
        inside = !space;
    }
    return words;
}

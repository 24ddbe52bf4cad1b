/* SPDX-License-Identifier: Apache-2.0
 *
 * Digests and shingles of texts. One pass: a hash of each unit as its bytes go
 * by, a rolling hash over the last k units, an open-addressing set. Nothing is
 * sorted and no unit is copied.
 */
#include "change_int.h"

#include "sharc/base_eight.h"

#include <stdlib.h>

/* --- digest ------------------------------------------------------------------- */

/* Text on its way into a digest: a call for every word would cost more than that. */
struct folded {
    struct sharc_hasher *hasher;
    char out[4096];
    size_t n;
};

static void room_for_eight(struct folded *f)
{
    if (f->n + 8 <= sizeof f->out) return;
    sharc_hasher_add(f->hasher, f->out, f->n);
    f->n = 0;
}

/* Eight bytes that hold no two blanks in a row, nor one at the beginning when a blank
 * was before: all blanks become spaces. Else false, and nothing is done. */
static bool fold_eight(struct folded *f, uint64_t w, bool *blank_before)
{
    uint64_t blanks = sharc_eight_spaces(w);
    if (blanks & sharc_eight_behind(blanks, *blank_before)) return false;
    uint64_t mask = (blanks >> 7) * 0xff;
    sharc_eight_put(f->out + f->n, (w & ~mask) | (SHARC_EIGHT(' ') & mask));
    f->n += 8;
    *blank_before = blanks >> 63;
    return true;
}

void sharc_change_text_digest(struct sharc_span text, struct sharc_digest *ret)
{
    SHARC_AUTO(sharc_hasher_freep) struct sharc_hasher *h = sharc_hasher_new();
    struct folded f;
    f.hasher = h;
    f.n = 0;
    bool blank_before = false;
    sharc_hasher_start(h, SHARC_SHA256);
    text = sharc_span_trim(text);
    for (size_t i = 0; i < text.n;) {
        room_for_eight(&f);
        if (text.n - i >= 8 && fold_eight(&f, sharc_eight(text.p + i), &blank_before)) {
            i += 8;
            continue;
        }
        bool blank = sharc_is_space(text.p[i]);
        if (!blank || !blank_before) f.out[f.n++] = blank ? ' ' : text.p[i];
        blank_before = blank;
        i++;
    }
    sharc_hasher_add(h, f.out, f.n);
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

/* Minima of the members that were thrown into each place. */
struct minima {
    uint32_t *least;
    bool full[SHARC_CHANGE_MINHASH_MAX];
    unsigned n;
};

struct roller {
    struct sharc_change_shingles *set; /* takes the shingles; or, when NULL: */
    struct minima *minima;
    uint64_t window[SHARC_CHANGE_SHINGLE_MAX];
    unsigned k, next;
    uint64_t oldest; /* B^k */
    uint64_t sum;
    size_t seen;
};

/* Every member is thrown into one of n places by one half of its hash and
 * compared there by the other. */
static inline void throw_in(struct minima *m, uint64_t member)
{
    uint64_t hash = sharc__change_mix(member ^ BASE);
    unsigned to = (unsigned)((hash >> 32) * m->n >> 32);
    uint32_t value = (uint32_t)hash;
    if (value < m->least[to]) m->least[to] = value;
    m->full[to] = true;
}

static inline void add(struct roller *r, uint64_t hash)
{
    struct sharc_change_shingles *s = r->set;
    hash += hash == 0; /* 0 marks a free place of the table */
    if (!s) {
        throw_in(r->minima, hash);
        return;
    }
    SHARC_GROW(s->member, s->member_room, s->count + 1);
    s->member[s->count++] = hash;
}

static inline void roll(struct roller *r, uint64_t unit)
{
    unit = sharc__change_mix(unit);
    r->sum = r->sum * BASE + unit - r->window[r->next] * r->oldest;
    r->window[r->next] = unit;
    if (++r->next == r->k) r->next = 0;
    if (++r->seen >= r->k) add(r, sharc__change_mix(r->sum));
}

/* Words end at blanks (and controls), and before and behind a sign: lead bytes
 * E3 … ED begin U+3000 to U+DFFF, scripts that are written without blanks, where
 * every sign is a word. */
static bool is_blank(char c)
{
    return (uint8_t)c <= ' ';
}

static bool is_sign(char c)
{
    return (uint8_t)c >= 0xe3 && (uint8_t)c <= 0xed;
}

/* Length of the word that begins at p. Eight bytes at a time: the first stop
 * marks the first byte that is blank or at least E0 (bytes behind it may be
 * marked wrongly, the first never is). */
static size_t word_length(const char *p, size_t readable)
{
    size_t n = 1;
    while (readable - n >= 8) {
        uint64_t w = sharc_eight(p + n);
        uint64_t stop = sharc_eight_below(w, ' ' + 1) | (w & w << 1 & w << 2 & SHARC_EIGHT_ALL);
        if (stop == 0) {
            n += 8;
            continue;
        }
        n += sharc_eight_first(stop);
        if (is_blank(p[n]) || is_sign(p[n])) return n;
        n++;
    }
    while (n < readable && !is_blank(p[n]) && !is_sign(p[n])) n++;
    return n;
}

/* A word in steps of eight bytes; its length tells trailing zeros apart. Most
 * words are short, and one load of a fixed size is quicker than n bytes. */
static uint64_t hash_word(const char *p, size_t n, size_t readable)
{
    uint64_t hash = n * BASE;
    for (; n > 8; p += 8, n -= 8, readable -= 8) hash = (hash ^ sharc_eight(p)) * BASE, hash ^= hash >> 29;
    char few[8] = "";
    if (readable < 8) memcpy(few, p, n);
    return hash ^ (sharc_eight(readable < 8 ? few : p) & UINT64_MAX >> (64 - 8 * n));
}

static void roll_words(struct roller *r, struct sharc_span text)
{
    const char *p = text.p;
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

/* All runs of k units into the roller's set or minima. */
static void roll_all(struct roller *r, struct sharc_span text, enum sharc_change_unit unit, unsigned k)
{
    r->k = k < 1 ? 1 : k > SHARC_CHANGE_SHINGLE_MAX ? SHARC_CHANGE_SHINGLE_MAX : k;
    r->oldest = 1;
    for (unsigned i = 0; i < r->k; i++) r->oldest *= BASE;
    if (unit == SHARC_CHANGE_WORDS)
        roll_words(r, text);
    else
        roll_chars(r, text);
    if (r->seen > 0 && r->seen < r->k) add(r, sharc__change_mix(r->sum));
}

void sharc_change_shingles_make(struct sharc_change_shingles *s, struct sharc_span text, enum sharc_change_unit unit,
                                unsigned k)
{
    struct roller r = {.set = s};
    s->count = 0;
    roll_all(&r, text, unit, k);
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

static void start(struct minima *m, unsigned n, uint32_t *ret)
{
    m->least = ret;
    m->n = n < 1 ? 1 : n > SHARC_CHANGE_MINHASH_MAX ? SHARC_CHANGE_MINHASH_MAX : n;
    memset(m->full, 0, m->n);
    for (unsigned i = 0; i < m->n; i++) ret[i] = UINT32_MAX;
}

/* Places that stayed empty copy another place, chosen by a hash of (place, attempt)
 * only: two sets that agree there agree here. */
static void fill_empty(struct minima *m)
{
    for (unsigned i = 0; i < m->n; i++) {
        if (m->full[i]) continue;
        unsigned from = i;
        for (uint64_t attempt = 1; !m->full[from]; attempt++)
            from = (unsigned)((sharc__change_mix((uint64_t)i << 32 | attempt) >> 32) * m->n >> 32);
        m->least[i] = m->least[from];
    }
}

void sharc_change_minhash(const struct sharc_change_shingles *s, unsigned n, uint32_t *ret)
{
    struct minima m;
    start(&m, n, ret);
    for (size_t i = 0; i < s->count; i++) throw_in(&m, s->member[i]);
    if (s->count > 0) fill_empty(&m);
}

void sharc_change_minhash_text(struct sharc_span text, unsigned n, uint32_t *ret)
{
    struct minima m;
    struct roller r = {.minima = &m};
    start(&m, n, ret);
    roll_all(&r, text, SHARC_CHANGE_WORDS, SHARC_CHANGE_SHINGLE);
    if (r.seen > 0) fill_empty(&m);
}

double sharc_change_minhash_alike(const uint32_t *a, const uint32_t *b, unsigned n)
{
    unsigned same = 0;
    for (unsigned i = 0; i < n; i++) same += a[i] == b[i];
    return n ? (double)same / n : 1;
}

size_t sharc_change_count_words(struct sharc_span text)
{
    size_t words = 0, i = 0;
    bool inside = false;
    for (; text.n - i >= 8; i += 8) {
        uint64_t within = SHARC_EIGHT_ALL & ~sharc_eight_spaces(sharc_eight(text.p + i));
        words += sharc_eight_count(within & ~sharc_eight_behind(within, inside));
        inside = within >> 63;
    }
    for (; i < text.n; i++) {
        bool space = sharc_is_space(text.p[i]);
        words += !space && !inside;
        inside = !space;
    }
    return words;
}

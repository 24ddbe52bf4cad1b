/* SPDX-License-Identifier: Apache-2.0
 *
 * How alike two texts are, from cheap to dear: a digest that ignores white
 * space, sets of shingles with their Jaccard coefficient, MinHash signatures
 * small enough to store with every page, edit distance for short texts; and
 * the date that a text states about itself.
 *
 * A text is UTF-8 as extract gives it (visible text, no markup). Nothing here
 * fails on bytes that are not.
 */
#ifndef SHARC_CHANGE_TEXT_H
#define SHARC_CHANGE_TEXT_H

#include "sharc/base.h"
#include "sharc/base_clock.h"
#include "sharc/base_digest.h"

SHARC_PRIVATE_BEGIN

/* SHA-256 of the text with every run of white space taken as one blank, none
 * at the ends: layout does not change it, any word does. O(length). */
void sharc_change_text_digest(struct sharc_span text, struct sharc_digest *ret);

/* --- shingles ----------------------------------------------------------------- */

enum sharc_change_unit {
    SHARC_CHANGE_WORDS, /* between white space; a Han, kana or hangul sign is a word */
    SHARC_CHANGE_CHARS, /* code points; bytes where the text is no UTF-8 */
};
#define SHARC_CHANGE_SHINGLE 10     /* words in a shingle, by default */
#define SHARC_CHANGE_ALIKE 0.9      /* Jaccard from which two texts count as the same */
#define SHARC_CHANGE_SHINGLE_MAX 64 /* the most units in a shingle */

/* The set of all runs of k units of a text, each as a 64-bit hash. The chance
 * that two different ones of a million collide is one in ten million. */
struct sharc_change_shingles {
    uint64_t *member; /* each once, in the order of the text */
    size_t count;
    /* private */
    size_t member_room;
    uint64_t *slot; /* the same, hashed; 0: free */
    size_t room;    /* power of two, or 0 */
};
#define SHARC_CHANGE_SHINGLES_INIT \
    {                              \
        .count = 0                 \
    }
void sharc_change_shingles_done(struct sharc_change_shingles *s);
/* Replace s by the shingles of a text; memory is kept for the next one. A text
 * of fewer than k units is one shingle, one without any unit none. k is
 * clamped to 1 … SHARC_CHANGE_SHINGLE_MAX. O(length), memory up to 48 bytes a
 * unit: bound the text before. */
void sharc_change_shingles_make(struct sharc_change_shingles *s, struct sharc_span text, enum sharc_change_unit unit,
                                unsigned k);
/* |a ∩ b| / |a ∪ b|; 1 for two empty sets. O(smaller set). */
double sharc_change_jaccard(const struct sharc_change_shingles *a, const struct sharc_change_shingles *b);

/* --- MinHash --------------------------------------------------------------------- */

#define SHARC_CHANGE_MINHASH 128
#define SHARC_CHANGE_MINHASH_MAX 1024

/* n minima of a set (one-permutation hashing, empty places filled by a second
 * hash): the share of equal places of two signatures estimates the Jaccard
 * coefficient J without bias, with a standard deviation of about √(J(1−J)/n) —
 * 0.03 at worst for 128, somewhat more when a set has fewer than n members. n is
 * clamped to 1 … SHARC_CHANGE_MINHASH_MAX. O(set + n). The values are stable:
 * they may be stored. An empty set has a signature of UINT32_MAX. */
void sharc_change_minhash(const struct sharc_change_shingles *s, unsigned n, uint32_t *ret);
/* The same of a text's words, SHARC_CHANGE_SHINGLE in a shingle, without making the
 * set: a fourth of the time. */
void sharc_change_minhash_text(struct sharc_span text, unsigned n, uint32_t *ret);
/* Share of equal places; both signatures have n. */
double sharc_change_minhash_alike(const uint32_t *a, const uint32_t *b, unsigned n);

/* Runs of bytes between white space. */
size_t sharc_change_count_words(struct sharc_span text);

/* --- edit distance ------------------------------------------------------------ */

#define SHARC_CHANGE_EDIT_MAX 65536 /* code points of a text */

/* Least number of code points to insert, delete or replace to make b of a, or
 * most + 1 when it is more than `most` (also when a text is longer than
 * SHARC_CHANGE_EDIT_MAX and they differ). O(length · most) time. */
size_t sharc_change_edits(struct sharc_span a, struct sharc_span b, size_t most);

/* --- dates --------------------------------------------------------------------- */

/* Read a date at the start of s: 2026-11-15 (with a time as in ISO 8601),
 * 15 November 2026, November 15, 2026, 15 Nov 2026 (names of months in English,
 * German, French, Spanish, Italian, Portuguese, Dutch), 15.11.2026, 15/11/2026 and
 * 11/15/2026 where only one reading is possible; a weekday before and a time
 * "14:30[:05]" behind are read too. UTC unless an offset is given. Years 1990 to
 * 2099. Returns the bytes read, 0 when there is no date; *ret then untouched. */
size_t sharc_change_date_read(struct sharc_span s, sharc_time *ret);

/* The date a text states as its own last change: the first that stands within 40
 * bytes behind words such as "last modified", "updated on", "Stand:", "mis à jour
 * le". ret_at (may be NULL) receives where the date begins. The caller knows the
 * time of the download: a later date is not evidence. O(length). */
bool sharc_change_date_find(struct sharc_span text, sharc_time *ret, size_t *ret_at);

SHARC_PRIVATE_END
#endif

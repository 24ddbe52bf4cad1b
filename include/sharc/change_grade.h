/* SPDX-License-Identifier: Apache-2.0
 *
 * What two downloads of a page, a visit and a later revisit, show about the time between
 * them. A page has one reason; the grade follows from it. docs/evidence.md says what each
 * grade means and what it does not.
 *
 * Only the first two grades count as proved, and every output names them apart. How alike
 * two texts are is no proof: an edited price leaves a page 99 % alike.
 */
#ifndef SHARC_CHANGE_GRADE_H
#define SHARC_CHANGE_GRADE_H

#include "sharc/base.h"

SHARC_API_BEGIN

/* Number, name, word for tables and JSON, what it is called in a sentence. */
#define SHARC_GRADES(X)                                       \
    X(0, NONE, "none", "not graded")                          \
    X(1, IDENTICAL, "identical", "identical")                 \
    X(2, VOLATILE, "volatile", "same but for volatile parts") \
    X(3, ATTESTED, "attested", "attested by the server")      \
    X(4, ALIKE, "alike", "alike, which is no proof")          \
    X(5, UNPROVED, "unproved", "changed, or not comparable")

enum sharc_grade {
#define X(number, name, word, text) SHARC_GRADE_##name = (number),
    SHARC_GRADES(X)
#undef X
        SHARC_GRADE_COUNT,
};

/* Why a page has its grade. Catalogues and WARC files hold the numbers and words: append, never
 * change. Number, name, grade, word, sentence without its subject. */
#define SHARC_GRADE_REASONS(X)                                                                                     \
    X(0, NOT_GRADED, NONE, "not-graded", "was not graded")                                                         \
    X(1, SAME_CONTENT, IDENTICAL, "same-content", "had the same content both times")                               \
    X(2, SAME_ITEMS, IDENTICAL, "same-items",                                                                      \
      "had the same tags, attributes, words and scripts both times, written differently")                          \
    X(3, OWN_CONTROL, VOLATILE, "own-control",                                                                     \
      "differed only where it differs on every request: its own control "                                          \
      "downloads showed it")                                                                                       \
    X(4, KIND_CONTROL, VOLATILE, "kind-control",                                                                   \
      "differed only where pages of its kind differ on every request: "                                            \
      "their control downloads showed it")                                                                         \
    X(5, LATE_CONTROL, VOLATILE, "late-control", "differed only in times and counters that move by themselves")    \
    X(6, STRONG_ETAG, ATTESTED, "strong-etag", "was not modified by the server's word, for a strong ETag")         \
    X(7, LAST_MODIFIED, ATTESTED, "last-modified", "was not modified by the server's word, for its Last-Modified") \
    X(8, WEAK_VALIDATOR, ALIKE, "weak-validator",                                                                  \
      "was not modified by the server's word, for a validator that attests nothing")                               \
    X(9, WORD_BROKEN, ALIKE, "word-broken", "was not modified by the word of a server that was found to be wrong") \
    X(10, SIMILAR, ALIKE, "similar", "differed a little, and no control download explains it")                     \
    X(11, TOO_VOLATILE, ALIKE, "too-volatile", "differs on every request in too many places")                      \
    X(12, CHANGED, UNPROVED, "changed", "had changed")                                                             \
    X(13, GONE, UNPROVED, "gone", "was gone")                                                                      \
    X(14, REDIRECTED, UNPROVED, "redirected", "was redirected elsewhere")                                          \
    X(15, FAILED, UNPROVED, "failed", "could not be fetched")                                                      \
    X(16, NOT_REVISITED, UNPROVED, "not-revisited", "was not revisited")                                           \
    X(17, CUT, UNPROVED, "cut", "was not received completely")                                                     \
    X(18, SECOND_LOOK, UNPROVED, "second-look", "was not there as visited when looked at between")                 \
    X(19, CLOCK, UNPROVED, "clock", "has no certain interval: the clock was set between visit and revisit")        \
    X(20, STALE, UNPROVED, "stale", "was answered by a cache with what it had kept since before the visit")

enum sharc_grade_reason {
#define X(number, name, grade, word, text) SHARC_GRADED_##name = (number),
    SHARC_GRADE_REASONS(X)
#undef X
        SHARC_GRADE_REASON_COUNT,
};

enum sharc_grade sharc_grade_of(enum sharc_grade_reason r);
/* Words and sentences; "" for a number that nothing has, never NULL. */
const char *sharc_grade_word(enum sharc_grade g);
const char *sharc_grade_text(enum sharc_grade g);
const char *sharc_grade_reason_word(enum sharc_grade_reason r);
const char *sharc_grade_reason_text(enum sharc_grade_reason r);
/* The reason of that word; SHARC_ENOENT. */
int sharc_grade_reason_find(struct sharc_span word, enum sharc_grade_reason *ret);

/* Identical, or the same but for volatile parts: the page was the same before and after. */
static inline bool sharc_grade_is_proof(enum sharc_grade g)
{
    return g == SHARC_GRADE_IDENTICAL || g == SHARC_GRADE_VOLATILE;
}

/* The grade of a whole is the worst of its parts. What is not graded proves nothing of a whole. */
static inline enum sharc_grade sharc_grade_worse(enum sharc_grade a, enum sharc_grade b)
{
    if (a == SHARC_GRADE_NONE) a = SHARC_GRADE_UNPROVED;
    if (b == SHARC_GRADE_NONE) b = SHARC_GRADE_UNPROVED;
    return a > b ? a : b;
}

SHARC_API_END
#endif

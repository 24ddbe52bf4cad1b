/* SPDX-License-Identifier: Apache-2.0
 *
 * Did the parts of an archived page exist together? A page is shown with everything it
 * embeds, and each part was downloaded at another time. Two answers, side by side:
 *
 *   as Ainsworth, Nelson and Van de Sompel judge it (arXiv 1402.0928; HT 2015): each part
 *   against the instant at which the root was captured, in four states;
 *   as sharc judges it: every part has an interval in which it is known to have existed
 *   and one in which it may have; the page is coherent if the known intervals share an
 *   instant, and refuted if the possible ones do not.
 *
 * Sightings. A download showed what was there at some instant between its begin and its
 * end. Two equal downloads speak for the time from the end of the first to the begin of
 * the last, under one assumption: that nobody changed the content and changed it back
 * (sharc_quality_excursion bounds the chance). Different content in between ends the
 * interval. Fingerprints are of what was served, not of what it means.
 *
 * The server's word (Last-Modified, 304) is kept apart from what downloads show: `proven`
 * needs downloads alone, `attested` rests on the server.
 *
 * Pure functions: no state, no allocation but where said.
 */
#ifndef SHARC_QUALITY_COMPOSITE_H
#define SHARC_QUALITY_COMPOSITE_H

#include "sharc/base.h"
#include "sharc/base_clock.h"

SHARC_PRIVATE_BEGIN

/* --- what is known of one URL --------------------------------------------------------- */

/* One download of a URL. */
struct sharc_sighting {
    sharc_time begun, ended; /* equal when it is not known how long it took */
    sharc_time modified;     /* Last-Modified if it can be trusted, else SHARC_TIME_NONE */
    uint64_t body;           /* fingerprint of status, content and redirect; 0: nothing was seen (a failure) */
    uint64_t text;           /* fingerprint of the visible text; 0: unknown */
    uint8_t method;          /* how body was made; two that differ and are not 0 cannot be compared */
    bool word;               /* nothing was downloaded: the server said 304, so `body` still stood */
};

/* A server's clock may be this far from ours without our noticing, and Last-Modified counts whole
 * seconds: content dated L was there from L + 61 s on, and not yet at L - 60 s. */
#define SHARC_QUALITY_CLOCK (60 * SHARC_SEC)

/* Whether a Last-Modified can be a date of change at all: known, not after the download, not before the
 * web (1991) and no first instant of a year, as build tools and file systems without a date give it. The
 * other rules need more than one answer and are the caller's: a server whose Date is wrong, or that
 * echoes the present time, dates nothing. */
bool sharc_quality_is_date(sharc_time modified, sharc_time begun);

/* What the sightings of a URL tell about the content that one of them showed. from > to: empty. */
struct sharc_known {
    sharc_time from, to;                   /* existed, by downloads and by the server's word */
    sharc_time proven_from, proven_to;     /* existed, by downloads alone */
    sharc_time possible_from, possible_to; /* may have existed, exclusive; INT64_MIN, INT64_MAX: no limit */
    sharc_time seen_from, seen_to;         /* of that run: first begin, last end */
    bool by_modified;                      /* `from` is a Last-Modified */
    bool by_word;                          /* `from` or `to` rests on a 304 */
    bool possible_by_modified;             /* possible_from is a Last-Modified */
    bool contradicted;                     /* a Last-Modified was older than other content seen after it: ignored */
};
/* s[0..n) ascending by `begun`, shown < n with a body. O(length of its run). */
void sharc_quality_known(const struct sharc_sighting *s, size_t n, size_t shown, struct sharc_known *ret);

/* Of the sightings with the same body as `shown` the nearest to `at`: content that went and came back is
 * judged by the run that matters. O(n). */
size_t sharc_quality_same_nearest(const struct sharc_sighting *s, size_t n, size_t shown, sharc_time at);
/* The sighting nearest to `at` that has a body, the earlier on a tie; SIZE_MAX: none. O(log n) but for failures. */
size_t sharc_quality_nearest_sighting(const struct sharc_sighting *s, size_t n, sharc_time at);

/* --- as Ainsworth, Nelson, Van de Sompel ----------------------------------------------- */

/* Worst last. name, word, what it is called */
#define SHARC_MEMENTO_STATES(X)                                 \
    X(COHERENT, "coherent", "prima facie coherent")             \
    X(POSSIBLY, "possibly-coherent", "possibly coherent")       \
    X(PROBABLY_NOT, "probably-violative", "probably violative") \
    X(VIOLATIVE, "violative", "prima facie violative")
enum sharc_memento_state {
#define X(name, word, text) SHARC_MEMENTO_##name,
    SHARC_MEMENTO_STATES(X)
#undef X
        SHARC_MEMENTO_STATE_COUNT,
};

/* Why a part has its state. t0: the root was captured; t: the part was; L: its Last-Modified.
 * name, state, word, sentence without its subject */
#define SHARC_MEMENTO_PATTERNS(X)                                                                                    \
    X(WITHIN, COHERENT, "within", "was downloaded while the root was")                                               \
    X(RIGHT_BRACKET, COHERENT, "right-bracket", "was last modified before the root's capture and captured after it") \
    X(SAME_BODY, COHERENT, "same-body", "was the same before and after the root's capture")                          \
    X(SAME_TIME, POSSIBLY, "same-time", "was captured about when the root was, and dates do not tell the order")     \
    X(LEFT, POSSIBLY, "left", "was captured before the root, and no later capture is known")                         \
    X(LEFT_CHANGED, POSSIBLY, "left-changed", "was captured before the root, and was another one after it")          \
    X(RIGHT, PROBABLY_NOT, "right", "was captured after the root, and nothing says since when it existed")           \
    X(RIGHT_CHANGED, PROBABLY_NOT, "right-changed", "was captured after the root, and was another one before it")    \
    X(OTHER, PROBABLY_NOT, "other-content", "was seen with other content between the two captures")                  \
    X(NEWER, VIOLATIVE, "newer", "was modified after the root's capture")
enum sharc_memento_pattern {
#define X(name, state, word, text) SHARC_PATTERN_##name,
    SHARC_MEMENTO_PATTERNS(X)
#undef X
        SHARC_MEMENTO_PATTERN_COUNT,
};
enum sharc_memento_state sharc_memento_state_of(enum sharc_memento_pattern p);
/* Words and sentences; "" for a number that nothing has. */
const char *sharc_memento_state_word(enum sharc_memento_state s);
const char *sharc_memento_state_text(enum sharc_memento_state s);
const char *sharc_memento_pattern_word(enum sharc_memento_pattern p);
const char *sharc_memento_pattern_text(enum sharc_memento_pattern p);

/* The pattern of a part that was downloaded as in `shown` and is displayed with a root downloaded from `begun` to
 * `ended`; known: of the run of its content that is nearest to `begun`. */
enum sharc_memento_pattern sharc_quality_pattern_of(const struct sharc_known *known, const struct sharc_sighting *shown,
                                                    sharc_time begun, sharc_time ended);

/* --- as sharc ---------------------------------------------------------------------------- */

/* Best first; what is not archived is a matter of completeness and has no state. name, word, what it means */
#define SHARC_PART_STATES(X)                                       \
    X(PROVEN, "proven", "existed then: equal downloads around it") \
    X(ATTESTED, "attested", "existed then by the server's word")   \
    X(OPEN, "open", "may have existed then; unknown")              \
    X(REFUTED, "refuted", "did not exist then as it is shown")
enum sharc_part_state {
#define X(name, word, text) SHARC_PART_##name,
    SHARC_PART_STATES(X)
#undef X
        SHARC_PART_STATE_COUNT,
};
const char *sharc_part_state_word(enum sharc_part_state s);
const char *sharc_part_state_text(enum sharc_part_state s);

/* Why. name, state, word, sentence without its subject */
#define SHARC_PART_REASONS(X)                                                                           \
    X(EQUAL, PROVEN, "equal-downloads", "was downloaded before and after it, and was the same")         \
    X(AT_ONCE, PROVEN, "downloaded-then", "was downloaded at that instant")                             \
    X(MODIFIED, ATTESTED, "last-modified", "was last modified before it, by the server's word")         \
    X(NOT_MODIFIED, ATTESTED, "not-modified", "was not modified around it, by the server's word (304)") \
    X(SEEN_BEFORE, OPEN, "seen-before", "was seen only before it")                                      \
    X(SEEN_AFTER, OPEN, "seen-after", "was seen only after it")                                         \
    X(CHANGED_AROUND, OPEN, "changed-around", "changed some time around it")                            \
    X(NEWER, REFUTED, "newer", "was modified after it, by the server's word")                           \
    X(OTHER, REFUTED, "other-content", "was seen with other content between it and its own downloads")
enum sharc_part_reason {
#define X(name, state, word, text) SHARC_PART_BY_##name,
    SHARC_PART_REASONS(X)
#undef X
        SHARC_PART_REASON_COUNT,
};
enum sharc_part_state sharc_part_state_of(enum sharc_part_reason r);
const char *sharc_part_reason_word(enum sharc_part_reason r);
const char *sharc_part_reason_text(enum sharc_part_reason r);

struct sharc_part {
    struct sharc_known known;
    double rate; /* changes per second; NaN: unknown */
};
/* Did it exist at every instant from `from` to `to`? *ret_probability: 1 if so, 0 if it did not, else e^(-rate *
 * distance) to the instants at which it is known to have existed; NaN if the rate is unknown. */
enum sharc_part_reason sharc_quality_part(const struct sharc_part *p, sharc_time from, sharc_time to,
                                          double *ret_probability);

/* The chance that a page which was the same at both ends of `length` seconds was changed in between and changed
 * back: at most that of two or more changes, 1 - e^(-x) (1 + x) with x = rate * length. */
double sharc_quality_excursion(double rate, double length);

struct sharc_composite {
    enum sharc_part_state state;
    size_t parts, together; /* parts that are archived; of these, known to have existed at one instant */
    sharc_time from, to;    /* the instants that these share */
    sharc_time apart;       /* 0 if all do; else how far apart the known intervals lie */
    double probability;     /* that all existed together at an instant, at `from` if they can have; NaN: no rate */
};
/* n > 0 parts, the root first: of it one instant is enough, even if it is not known which. The heaviest set is found by
 * a sweep over the begins and ends; allocates when not all share an instant. O(n log n). */
void sharc_quality_composite(const struct sharc_part *parts, size_t n, struct sharc_composite *ret);

/* Value below which a share q (0 … 1) of sorted[0..n) lies: sorted[ceil(q * n) - 1], the first for q = 0. n > 0. */
sharc_time sharc_quality_quantile(const sharc_time *sorted, size_t n, double q);

SHARC_PRIVATE_END
#endif

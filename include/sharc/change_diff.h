/* SPDX-License-Identifier: Apache-2.0
 *
 * Where two texts differ: the shortest edit script between two sequences, and
 * two texts laid side by side as rows of lines with the words that differ
 * marked.
 *
 * The script is Myers' with linear space. Hostile texts cannot make it slow:
 * what stands on one side only is set aside first, a search that becomes dear is
 * cut at the best place found so far, and a budget of steps bounds all of
 * it. A script that is not the shortest is still a correct one.
 */
#ifndef SHARC_CHANGE_DIFF_H
#define SHARC_CHANGE_DIFF_H

#include "sharc/base.h"

SHARC_PRIVATE_BEGIN

/* --- scripts ---------------------------------------------------------------------- */

#define SHARC_CHANGE_STEPS (UINT64_C(1) << 26) /* a fair budget: a fraction of a second */

/* Elements are equal when their numbers are. ret_a[i] (n) says that a[i] goes,
 * ret_b[j] (m) that b[j] comes; those that stay are equally many, and the i-th
 * equals the i-th. *steps is a budget that is drawn from. Returns whether the
 * script is known to be the shortest. Time O(n + m + steps), memory O(n + m). */
bool sharc_change_script(const uint64_t *a, size_t n, const uint64_t *b, size_t m, uint64_t *steps, bool *ret_a,
                         bool *ret_b);

/* Pair equal elements wherever they stand, the first with the first: ret[i] (n) is the
 * place in b of a[i], or SHARC_NPOS. With open_a or open_b (may be NULL) only
 * elements marked there are paired, and ret of the others is left alone. Returns the
 * number of pairs. Time O(n log n + m log m). */
size_t sharc_change_pair(const uint64_t *a, const bool *open_a, size_t n, const uint64_t *b, const bool *open_b,
                         size_t m, size_t *ret);

/* --- texts ------------------------------------------------------------------------- */

#define SHARC_CHANGE_LINES (1u << 20) /* lines of a text that are told apart; the last one is the rest */

enum sharc_change_row_kind {
    SHARC_ROW_KEPT,    /* on both sides, equal but for white space */
    SHARC_ROW_UPDATED, /* on both sides, alike: marks say what differs */
    SHARC_ROW_REMOVED,
    SHARC_ROW_ADDED,
    SHARC_ROW_GAP, /* `left_out` kept lines that stand too far from any change */
};

/* "kept", "updated", "removed", "added", "gap" */
const char *sharc_change_row_word(enum sharc_change_row_kind k);

/* Bytes of a line that the other side does not have. */
struct sharc_change_mark {
    uint32_t at, n;
};

struct sharc_change_row {
    enum sharc_change_row_kind kind;
    uint32_t before, after;                                /* numbers of the line, from 1; 0: not on that side */
    uint32_t left_out;                                     /* GAP */
    struct sharc_span old, now;                            /* into the texts, without the end of line */
    const struct sharc_change_mark *old_marks, *now_marks; /* UPDATED: ascending, apart */
    uint32_t n_old_marks, n_now_marks;
};

struct sharc_change_rows {
    struct sharc_change_row *rows;
    size_t count;
    size_t added, removed; /* lines; an updated one counts in both */
    bool cut;              /* more rows than asked for, or a script that may not be the shortest */
    /* private */
    size_t room;
    struct sharc_change_mark *marks;
    size_t mark_count, mark_room;
};
#define SHARC_CHANGE_ROWS_INIT \
    {                          \
        .count = 0             \
    }
void sharc_change_rows_done(struct sharc_change_rows *r);

struct sharc_change_rows_options {
    size_t context; /* kept lines around a change */
    size_t most;    /* rows; 0: any number */
};
/* Replace r by the difference of two texts, which must outlive it. No rows when
 * they are equal but for white space at the ends of lines. */
void sharc_change_rows_make(struct sharc_change_rows *r, struct sharc_span before, struct sharc_span after,
                            const struct sharc_change_rows_options *o);

SHARC_PRIVATE_END
#endif

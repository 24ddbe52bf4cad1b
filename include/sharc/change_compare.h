/* SPDX-License-Identifier: Apache-2.0
 *
 * Has a page changed, how, and how much does it matter? Verdicts come from a
 * cascade, cheapest evidence first, and carry the evidence that decided. What a
 * page consists of is told in numbers and spans: this room knows no HTTP and no
 * HTML.
 */
#ifndef SHARC_CHANGE_COMPARE_H
#define SHARC_CHANGE_COMPARE_H

#include "sharc/base.h"
#include "sharc/base_clock.h"
#include "sharc/base_digest.h"
#include "sharc/change.h"
#include "sharc/change_text.h"

SHARC_PRIVATE_BEGIN

/* --- versions and verdicts ------------------------------------------------------ */

enum sharc_change_answer {
    SHARC_ANSWER_CONTENT,      /* a body came */
    SHARC_ANSWER_NOT_MODIFIED, /* the server says: as before */
    SHARC_ANSWER_REDIRECT,
    SHARC_ANSWER_GONE,   /* the server says: not there */
    SHARC_ANSWER_FAILED, /* no answer, or an error that says nothing about the page */
};

/* One download, as far as comparing needs it. Unknown parts stay 0 / NULL. */
struct sharc_change_version {
    enum sharc_change_answer answer;
    const struct sharc_digest *payload; /* of the body, or of a redirect's target */
    sharc_time last_modified;           /* SHARC_TIME_NONE when not stated */
    bool has_text;                      /* false: there is no text (image, …), or it was not extracted */
    struct sharc_span text;             /* visible text */
    const uint64_t *links;              /* fingerprints of link targets, ascending, each once */
    size_t n_links;
};

struct sharc_change_options {
    unsigned shingle;         /* words in a shingle; 10 */
    double alike;             /* similarity that counts as the same; 0.9 */
    size_t short_text;        /* texts up to this many bytes are compared by edit distance; 500 */
    bool trust_last_modified; /* an equal Last-Modified proves that nothing changed */
};
#define SHARC_CHANGE_OPTIONS                                                            \
    {                                                                                   \
        .shingle = SHARC_CHANGE_SHINGLE, .alike = SHARC_CHANGE_ALIKE, .short_text = 500 \
    }

/* Which step decided. */
enum sharc_change_step {
    SHARC_STEP_ANSWER,        /* what kind of answer came */
    SHARC_STEP_NOT_MODIFIED,  /* the server's word */
    SHARC_STEP_PAYLOAD,       /* equal bytes, or different bytes and no text to look at */
    SHARC_STEP_LAST_MODIFIED, /* equal, and trusted */
    SHARC_STEP_TEXT,          /* equal text but for white space */
    SHARC_STEP_EDITS,         /* edit distance of short texts */
    SHARC_STEP_SHINGLES,
};
/* "payload digest" …; never NULL. */
const char *sharc_change_step_name(enum sharc_change_step s);
/* "text changed" …; never NULL. */
const char *sharc_change_class_name(enum sharc_change_class c);
/* The class of that name; SHARC_ENOENT. */
int sharc_change_class_find(struct sharc_span name, enum sharc_change_class *ret);

struct sharc_change_verdict {
    enum sharc_change_class change;
    enum sharc_change_step step;
    double similarity; /* of the texts, 0 … 1; 1 when the bytes are equal; < 0: not compared */
    size_t links_added, links_removed;
    sharc_time stated; /* when the change happened: Last-Modified or the text's own date; or SHARC_TIME_NONE */
};

/* Compare a download with the one before (NULL: there is none). A page whose
 * text is (almost) the same but whose links differ counts as links changed. A
 * failed download before it gives nothing to compare with: new. O(length of the
 * texts + links). */
void sharc_change_compare(const struct sharc_change_version *before, const struct sharc_change_version *after,
                          const struct sharc_change_options *o, struct sharc_change_verdict *ret);

/* --- importance -------------------------------------------------------------------- */

/* A block of a page before and after: its elements (texts, links, images) as
 * fingerprints in order. A new block has no elements before, a removed one none
 * after. */
struct sharc_change_block {
    double weight; /* >= 0: position, share of the text, role; the sum is scaled to 1 */
    const uint64_t *before, *after;
    size_t n_before, n_after;
};

/* What was done to a block. Elements found in both, but out of order, were
 * moved; of those found in one only, pairs were updated and the rest inserted or
 * deleted. */
struct sharc_change_ops {
    size_t inserted, updated, moved, deleted;
};
/* O(n log n). */
void sharc_change_ops(const struct sharc_change_block *b, struct sharc_change_ops *ret);

/* E = Σ weight · mean over the kinds of operation found of (kind's weight ·
 * share of the block's elements touched), within 0 … 1. Kinds: insert 1, update
 * 0.8, move 0.5, delete 0.3. ret_ops (n, may be NULL) receives the operations. */
double sharc_change_importance(const struct sharc_change_block *b, size_t n, struct sharc_change_ops *ret_ops);

/* The importance where there are no blocks to look at: the weight of the operation that
 * the class is, all of it inserted (a new page), updated, moved (a redirect) or
 * deleted (a missing one). */
double sharc_change_class_importance(const struct sharc_change_verdict *v);

/* A fingerprint of what a change took away and brought in, wherever it stands on
 * the page: the same edit of a template gives the same number on every page. 0
 * when nothing came or went. */
uint64_t sharc_change_edit_print(const struct sharc_change_block *b, size_t n);
/* Which of n changed pages share their edit with at least `pages` pages in all
 * (>= 2): template changes. ret_template[i] is set for each. Prints of 0 never count. */
void sharc_change_templates(const uint64_t *print, size_t n, size_t pages, bool *ret_template);

SHARC_PRIVATE_END
#endif

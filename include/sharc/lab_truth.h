/* SPDX-License-Identifier: Apache-2.0
 *
 * Judging a crawl by the truth: the log that a living site wrote (lab.h), and
 * what a crawler says it saw.
 *
 * A crawler's claim is about two downloads of one page: it changed in between,
 * or not. Bodies tell exactly which versions it saw, since every version has its
 * own digest; without a digest, whatever was there during the download counts as
 * possible. A claim is right or wrong only if it is so for all that is possible.
 */
#ifndef SHARC_LAB_TRUTH_H
#define SHARC_LAB_TRUTH_H

#include "sharc/base.h"
#include "sharc/base_clock.h"
#include "sharc/base_digest.h"
#include "sharc/base_limits.h"
#include "sharc/lab_mix.h"

SHARC_PRIVATE_BEGIN

/* Why a version is there: an edit of that kind (lab_mix.h), or one of these. */
enum sharc_lab_cause {
    SHARC_LAB_BY_LAYOUT = SHARC_LAB_EDIT_COUNT,
    SHARC_LAB_BY_COUNTER,
    SHARC_LAB_BY_OTHER,   /* the start, birth, removal, renewal; or a log that does not tell */
    SHARC_LAB_BY_SEVERAL, /* several causes */
    SHARC_LAB_CAUSES
};
const char *sharc_lab_cause_word(int cause); /* never NULL */

struct sharc_lab_fact {
    sharc_time when;            /* the version began */
    uint32_t version;           /* of its path */
    uint64_t state;             /* equal numbers: the page said the same, noise and counters apart */
    uint8_t cause;              /* enum sharc_lab_cause */
    bool significant;           /* a reader would call it a change */
    bool exists;                /* else 404 */
    struct sharc_digest digest; /* of the body without noise */
};

struct sharc_lab_truth;
/* Read a log. SHARC_ESYNTAX names the line that makes no sense; a last line cut
 * off in the middle is left out (the site may still be writing). SHARC_LIMIT_LAB_TRUTH
 * bytes at most; about 80 bytes of memory per version. */
int sharc_lab_truth_open(const char *path, struct sharc_lab_truth **ret, struct sharc_err *reterr);
void sharc_lab_truth_free(struct sharc_lab_truth *t);
void sharc_lab_truth_freep(struct sharc_lab_truth **t);
/* Versions of a path (with its query, or else without) in the order of time, *ret_n of them;
 * NULL: not in the log. */
const struct sharc_lab_fact *sharc_lab_truth_of(const struct sharc_lab_truth *t, struct sharc_span path, size_t *ret_n);

/* The noise that the page at that path carries, SHARC_LAB_BIT(…). */
uint32_t sharc_lab_truth_noise(const struct sharc_lab_truth *t, struct sharc_span path);

/* How many answers with a page or file the site wrote down (it does so with noise or faults),
 * robots.txt and sitemap apart. */
size_t sharc_lab_truth_answers(const struct sharc_lab_truth *t);

/* A download as the crawler recorded it. */
struct sharc_lab_look {
    sharc_time when, took;      /* began, and how long; took < 0: unknown, up to a second is assumed */
    bool found;                 /* it had a body: 200, or 304 */
    bool confirmed;             /* it was 304: the digest is that of an earlier look, and shows nothing */
    struct sharc_digest digest; /* of the body; n == 0, or no SHA-256: unknown */
};

/* Is the body of a look one that was really served then? */
enum sharc_lab_body_check {
    SHARC_LAB_BODY_UNKNOWN, /* no digest, or a path that is not in the log */
    SHARC_LAB_BODY_RIGHT,
    SHARC_LAB_BODY_LATE, /* a version of this page, but not of this moment */
    SHARC_LAB_BODY_WRONG /* no version of this page */
};
enum sharc_lab_body_check sharc_lab_check_body(const struct sharc_lab_truth *t, struct sharc_span path,
                                               const struct sharc_lab_look *look);

enum sharc_lab_finding {
    SHARC_LAB_UNCHANGED,       /* said to be unchanged, and was */
    SHARC_LAB_CHANGED,         /* said to have changed, and had */
    SHARC_LAB_FALSE_UNCHANGED, /* said to be unchanged, but had changed: must never be */
    SHARC_LAB_FALSE_CHANGED,   /* said to have changed, but had not */
    SHARC_LAB_UNCERTAIN,       /* a change during a download: both may be */
    SHARC_LAB_NOT_IN_LOG,
    SHARC_LAB_FINDINGS
};
/* "unchanged, as it was" …; never NULL. */
const char *sharc_lab_finding_text(enum sharc_lab_finding f);
/* What to think of the claim that a page changed between two looks. O(log
 * versions) but for versions within a download. */
enum sharc_lab_finding sharc_lab_judge(const struct sharc_lab_truth *t, struct sharc_span path,
                                       const struct sharc_lab_look *before, const struct sharc_lab_look *after,
                                       bool said_changed);

/* What really was between two looks. */
struct sharc_lab_between {
    bool known;     /* the path is in the log */
    bool certain;   /* the log tells which versions were seen; else the rest means nothing */
    bool edited;    /* the page said something else, outside the places of its noise */
    bool undone;    /* not edited: it was edited and back again by the second look */
    bool inside;    /* there were edits inside places of noise */
    bool bytes;     /* the content was the same, all codings undone; false if that is not known */
    uint8_t cause;  /* of the edits; enum sharc_lab_cause */
    uint32_t noise; /* that the page carries */
};
struct sharc_lab_between sharc_lab_between(const struct sharc_lab_truth *t, struct sharc_span path,
                                           const struct sharc_lab_look *before, const struct sharc_lab_look *after);
/* Was the page, at the beginning and at the end of [from, to], as that look saw it? Edits that
 * were undone in between do not count. True when nothing can be told. */
bool sharc_lab_held(const struct sharc_lab_truth *t, struct sharc_span path, const struct sharc_lab_look *look,
                    sharc_time from, sharc_time to);

/* --- a whole capture --------------------------------------------------------- */

struct sharc_lab_seen {
    struct sharc_span path;
    sharc_time visit, revisit; /* revisit SHARC_TIME_NONE: there was none */
};
struct sharc_lab_score {
    size_t pages;        /* that are in the log */
    double average_blur; /* actual: changes between a page as archived and as it was at any instant of the crawl */
    size_t incoherent;   /* changed between visit and revisit; with one visit: since the crawl began */
    size_t removed;      /* of them: pages that were no longer there at the revisit */
};
/* What a capture that lasted from start to end was really worth; only changes that
 * a reader would notice count. Times are those of the middle of a download. */
struct sharc_lab_score sharc_lab_score(const struct sharc_lab_truth *t, const struct sharc_lab_seen *pages, size_t n,
                                       sharc_time start, sharc_time end);

SHARC_PRIVATE_END
#endif

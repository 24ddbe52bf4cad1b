/* SPDX-License-Identifier: Apache-2.0
 *
 * A whole capture in a catalogue, compared with the truth (lab_truth.h).
 */
#ifndef SHARC_LAB_VERDICT_H
#define SHARC_LAB_VERDICT_H

#include "sharc/change_grade.h"
#include "sharc/lab_truth.h"
#include "sharc/store.h"

SHARC_PRIVATE_BEGIN

struct sharc_lab_wrong {
    char *url;
    const char *what; /* a sentence without its subject */
    sharc_time from, to;
};

/* What a capture calls proved, pair by pair of visit and revisit. A graded capture calls proved
 * what its grades do; of one without grades, what counts as unchanged by its change classes. */
struct sharc_lab_alarm {
    uint32_t noise;  /* that the pages carry */
    const char *why; /* word of the reason, or of the change class */
    size_t count;
};
/* Pages with all that they embed, as a reader sees them. Whole is proved what is proved with all its parts, and
 * edited what was edited in one of them. */
struct sharc_lab_wholes {
    size_t pages, parts;                   /* whose truth is known; the parts beside the pages themselves */
    size_t edited, by_part;                /* of the pages; of these: only in a part */
    size_t proved;                         /* called so */
    size_t false_proofs[SHARC_LAB_CAUSES]; /* of these: edited, by the edit. Must never be */
    size_t alarms;                         /* not edited, and not called proved */
    struct sharc_lab_alarm *alarm;         /* by the reason of the worst part, most first; noise is that of the page */
    size_t alarm_count, alarm_room;
    size_t uncertain; /* changed during a download: not in pages */
};

struct sharc_lab_evidence {
    bool graded;
    size_t pairs, edited;                   /* whose truth is known; of these: edited between, outside noise */
    size_t proved;                          /* called so */
    size_t grades[SHARC_GRADE_COUNT];       /* of the pairs … */
    size_t grade_edited[SHARC_GRADE_COUNT]; /* … and of those that were edited */
    size_t by_cause[SHARC_LAB_CAUSES];      /* pairs that were edited */
    size_t false_proofs[SHARC_LAB_CAUSES];  /* of these: called proved. Must never be */
    size_t lies;                            /* attested, and edited: the server's word, apart */
    size_t by_own, by_kind;                 /* of grade 2: by control downloads of their own, or of other pages */
    size_t inside;                          /* proved, and edited inside noise only: the statement does not cover it */
    size_t inside_missed;                   /* the same, and not proved */
    size_t undone;                          /* proved, and edited and back again between */
    size_t alarms;                          /* not edited, also not inside noise, and not called proved */
    struct sharc_lab_alarm *alarm;          /* by noise and reason, most first */
    size_t alarm_count, alarm_room;
    size_t looks;     /* downloads of pages and files that the capture has */
    size_t answers;   /* that the site gave, if it wrote them down: the others were controls and failures */
    size_t uncertain; /* changed during a download: not in pairs */
    size_t unpaired;  /* pages in the log with one download only */
    size_t intervals; /* of proved pages that are said to last longer than the page was as archived */
    size_t together;  /* proved pages whose interval holds the reference interval */
    size_t reference; /* of these: were not as archived during all of it */
    struct sharc_lab_wholes wholes;
};
size_t sharc_lab_false_proofs(const struct sharc_lab_evidence *e);
size_t sharc_lab_false_wholes(const struct sharc_lab_evidence *e);
/* Pairs that nobody edited, inside noise or outside. */
size_t sharc_lab_unedited(const struct sharc_lab_evidence *e);

struct sharc_lab_verdict {
    size_t pages;       /* of the capture */
    size_t in_log;      /* of these, pages that the log knows */
    size_t comparisons; /* claims that a page changed, or did not, between two downloads */
    size_t findings[SHARC_LAB_FINDINGS];
    size_t bodies_right, bodies_late, bodies_wrong;
    struct sharc_lab_evidence evidence;
    struct sharc_lab_wrong *wrong; /* the first SHARC_LAB_WRONG_MOST */
    size_t wrong_count, wrong_room;
};
#define SHARC_LAB_WRONG_MOST 20u

/* Add what this capture says to *ret, which begins as {0}. */
int sharc_lab_verdict(struct sharc_store *s, sharc_store_id capture, const struct sharc_lab_truth *t,
                      struct sharc_lab_verdict *ret, struct sharc_err *reterr);
void sharc_lab_verdict_done(struct sharc_lab_verdict *v);

/* How many statements were wrong. Of a graded capture: false proofs, intervals and bodies; to
 * prove less than one could is no mistake. */
size_t sharc_lab_verdict_wrong(const struct sharc_lab_verdict *v);
/* Was anything judged at all: a claim, or a body? A capture that was imported makes
 * no claims; one of another site has no page in the log. Being free of mistakes
 * means nothing then. */
bool sharc_lab_verdict_judged(const struct sharc_lab_verdict *v);

SHARC_PRIVATE_END
#endif

/* SPDX-License-Identifier: Apache-2.0
 *
 * How good is what an archive holds? Everything the rooms `quality` and `rate` can compute,
 * for the captures of a catalogue, ours or imported: coherence, blur, completeness, pages with
 * what they embed, the answer to "what was there at T".
 *
 * Whatever is said rests on the rows of the catalogue: on digests as they were recorded, and on the
 * times at which downloads began (and ended, where the archive says how long they took).
 *
 * A capture is read once, in the order of its rows; memory is about 150 bytes a download and
 * 8 a link to something embedded.
 */
#ifndef SHARC_ASSESS_H
#define SHARC_ASSESS_H

#include "sharc/base.h"
#include "sharc/base_buf.h"
#include "sharc/base_clock.h"
#include "sharc/change_grade.h"
#include "sharc/quality.h"
#include "sharc/quality_composite.h"
#include "sharc/store.h"

SHARC_PRIVATE_BEGIN

/* --- opening ------------------------------------------------------------------------------ */

struct sharc_assess; /* the downloads of an archive, in memory */

/* Read what is needed to judge `capture` (0: all captures) of the store: its downloads, those of other captures
 * that show the same URLs and, if composites are to be judged, what its pages embed. SHARC_ENOENT: there is no such
 * capture. The store must outlive it. */
int sharc_assess_open(struct sharc_store *store, sharc_store_id capture, bool composites, struct sharc_assess **ret,
                      struct sharc_err *reterr);
void sharc_assess_free(struct sharc_assess *a);
void sharc_assess_freep(struct sharc_assess **a);

/* --- one capture ---------------------------------------------------------------------------- */

/* What is wrong with a page or its dates. name, word, what is counted */
#define SHARC_ASSESS_DEFECTS(X)                                                                  \
    X(NO_ANSWER, "no-answer", "without an answer")                                               \
    X(CLIENT, "client-error", "answered with an error 4xx")                                      \
    X(SERVER, "server-error", "answered with an error 5xx")                                      \
    X(NO_ORIGINAL, "no-original", "revisit records whose original is not archived")              \
    X(NO_DIGEST, "no-digest", "answers without a digest, which nothing can be compared with")    \
    X(BACKWARDS, "backwards", "looked at again before they were visited, by the recorded times") \
    X(OUTSIDE, "outside", "dated outside the capture's begin and end")                           \
    X(UNTRUSTED, "untrusted-date", "with a Last-Modified that cannot be trusted")                \
    X(CONTRADICTED, "contradicted-date", "with a Last-Modified that other downloads contradict")
enum sharc_assess_defect {
#define X(name, word, text) SHARC_DEFECT_##name,
    SHARC_ASSESS_DEFECTS(X)
#undef X
        SHARC_ASSESS_DEFECT_COUNT,
};
const char *sharc_assess_defect_word(enum sharc_assess_defect d);
const char *sharc_assess_defect_text(enum sharc_assess_defect d);

/* Coherent pages of all, and the instants at which they existed together. */
struct sharc_assess_together {
    bool known;          /* it can be said at all */
    uint64_t pages;      /* coherent */
    sharc_time from, to; /* SHARC_TIME_NONE: there is no common instant */
};

struct sharc_assess_blur {
    double average;        /* expected changes between a page as archived and as asked for */
    double least, most;    /* that one visit per page could give */
    uint64_t pages;        /* whose rate is known */
    uint64_t estimated;    /* of these, by what is known of similar pages of their host */
    double actual;         /* by the changes that downloads show */
    uint64_t actual_pages; /* that were seen before and after the whole interval */
};

/* Of the parts of a page, without the page itself: shares of their weight (quality_weight.h) by their states at the
 * instant that most of them share, and of what is missing; 1 together. Of several pages the means. */
struct sharc_assess_weights {
    uint64_t weighed; /* pages that have parts */
    double states[SHARC_PART_STATE_COUNT], missing;
};

/* Pages with everything they embed. */
struct sharc_assess_composites {
    bool known;              /* they were judged */
    uint64_t pages;          /* HTML pages that answered */
    uint64_t parts, missing; /* of all pages, each counted where it is embedded; not archived */
    uint64_t incomplete;     /* pages that lack a part */
    uint64_t whole_of;       /* of a graded capture: pages that a reader opens, with content */
    uint64_t whole;          /* pages that are, with all their parts, the same before and after by their grades */
    uint64_t alone;          /* pages that embed nothing, or nothing that is archived */
    uint64_t cut;            /* pages with more parts than are looked at */
    uint64_t memento[SHARC_MEMENTO_STATE_COUNT], memento_whole[SHARC_MEMENTO_STATE_COUNT]; /* by the worst part */
    uint64_t state[SHARC_PART_STATE_COUNT], state_whole[SHARC_PART_STATE_COUNT];           /* … and complete */
    uint64_t patterns[SHARC_MEMENTO_PATTERN_COUNT];                                        /* parts by reason */
    uint64_t reasons[SHARC_PART_REASON_COUNT];
    struct sharc_assess_weights weights;
    double expected;      /* pages that existed as shown, by proofs and probabilities */
    uint64_t unknown;     /* open pages without a probability: not in `expected` */
    sharc_time spread[4]; /* first to last download of a page's parts: at 0, 50, 90, 100 % of the pages */
    sharc_time apart[4];  /* how far apart the known intervals lie */
};

/* This capture and the one of its site before it, as visit and revisit. */
struct sharc_assess_pair {
    sharc_store_id before;  /* 0: there is none */
    uint64_t same, changed; /* pages in both, by digest; changed: or gone, or redirected elsewhere */
    uint64_t attested;      /* in both, and the same by the server's word (304) */
    uint64_t unknown;       /* in both, and not comparable */
    uint64_t only_before, only_after;
    sharc_time from, to; /* the interval in which the same ones existed together; SHARC_TIME_NONE: none */
};

/* URLs that were not fetched or not kept, by the word that the catalogue has for it. */
struct sharc_assess_left_out {
    char *reason; /* owned */
    uint64_t urls;
};

struct sharc_assess_capture {
    sharc_store_id id;
    char *key, *site, *state, *purpose, *source; /* owned */
    char *weakened;                              /* owned: the settings that weaken what it proves; NULL: none */
    sharc_time start, end;                       /* SHARC_TIME_NONE: unknown */
    bool complete;                               /* nobody is writing to it */
    sharc_time first, last;                      /* begin of the first, end of the last download */
    uint64_t pages, answered, redirects;         /* all; 2xx; 3xx */
    uint64_t revisited;
    uint64_t defects[SHARC_ASSESS_DEFECT_COUNT];
    struct sharc_assess_left_out *left_out; /* owned; most first */
    size_t left_out_count, left_out_room;
    bool graded;
    enum sharc_store_grader grader; /* whose word the grades are */
    struct sharc_store_claim claim; /* of the closing record of an imported file */
    uint64_t judged;                /* pages that belong to the capture: those with a grade, else all */
    uint64_t reasons[SHARC_GRADE_REASON_COUNT];
    struct sharc_assess_together observable, measurable, inducible;
    double excursions;         /* inducible pages that were changed and changed back in between: at most, expected */
    uint64_t excursions_pages; /* that rests on: the others have no rate */
    struct sharc_assess_blur blur;
    struct sharc_assess_pair pair;
    struct sharc_assess_composites composites;
};
void sharc_assess_capture_done(struct sharc_assess_capture *c);
/* Pages that were the same before and after, for whatever time: by their grades, without grades by their digests. At
 * least as many as `inducible`, which all share an instant. */
uint64_t sharc_assess_same(const struct sharc_assess_capture *c);

/* Captures that were asked for, by start. */
size_t sharc_assess_count(const struct sharc_assess *a);
sharc_store_id sharc_assess_id(const struct sharc_assess *a, size_t i);
/* Its site; lives as long as a. */
const char *sharc_assess_site(const struct sharc_assess *a, size_t i);
/* No later one of them is of the same site. */
bool sharc_assess_is_last(const struct sharc_assess *a, size_t i);
/* Judge the i-th of them. */
int sharc_assess_judge(struct sharc_assess *a, size_t i, struct sharc_assess_capture *ret, struct sharc_err *reterr);

/* --- a series ------------------------------------------------------------------------------ */

struct sharc_assess_series {
    char *site; /* owned */
    uint64_t captures, pages;
    uint64_t versions;   /* different contents archived, over all pages */
    double completeness; /* expected share of the versions that existed which is archived; NaN: no rates */
    uint64_t rated;      /* pages it rests on */
    double coherence;    /* mean share of pages whose versions existed together, over `queries` instants */
    uint64_t queries;
    sharc_time from, to;
};
void sharc_assess_series_done(struct sharc_assess_series *s);
/* Over all captures of the site of the i-th capture; false: it has only one. If one capture was asked for, over the
 * pages that it has. */
bool sharc_assess_series(struct sharc_assess *a, size_t i, struct sharc_assess_series *ret);

/* --- what was there at T ----------------------------------------------------------------------- */

enum sharc_assess_by { SHARC_ASSESS_BY_ALL, SHARC_ASSESS_BY_PAGE, SHARC_ASSESS_BY_SUBSITE, SHARC_ASSESS_BY_MIME };

/* A page, or all pages of a group. Of groups `sums` counts, the rest is for single pages. */
struct sharc_assess_answer {
    struct sharc_span name; /* URL, "http://host/folder/", type; "" for all */
    uint64_t pages;
    uint64_t sums[SHARC_PART_STATE_COUNT];
    double expected;  /* pages that were as they are shown, by proofs and probabilities */
    uint64_t unknown; /* open ones without a probability */
    sharc_store_id capture;
    sharc_time when; /* the download that answers */
    int status;
    enum sharc_part_reason reason;
    double probability;
    struct sharc_known known;
};
typedef int sharc_assess_answer_fn(void *arg, const struct sharc_assess_answer *answer, struct sharc_err *reterr);
/* For each page the version that a reader gets who asks for `at`, the nearest one, and what is known of it. Groups and
 * pages by name; spans live during the call. A negative result of fn ends it. */
int sharc_assess_at(struct sharc_assess *a, sharc_time at, enum sharc_assess_by by, sharc_assess_answer_fn *fn,
                    void *arg, struct sharc_err *reterr);

/* --- pages with what they embed, one by one ----------------------------------------------------- */

struct sharc_assess_page {
    struct sharc_span url;
    sharc_time when;
    uint64_t parts, missing; /* with the root; not archived */
    enum sharc_memento_state memento;
    struct sharc_composite composite;
    struct sharc_assess_weights weights;
    sharc_time spread;
};
typedef int sharc_assess_page_fn(void *arg, const struct sharc_assess_page *page, struct sharc_err *reterr);
/* The HTML pages of the i-th capture by URL. */
int sharc_assess_pages(struct sharc_assess *a, size_t i, sharc_assess_page_fn *fn, void *arg, struct sharc_err *reterr);

SHARC_PRIVATE_END
#endif

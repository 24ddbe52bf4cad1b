/* SPDX-License-Identifier: Apache-2.0
 *
 * A case: the pages of one capture of one site, what was downloaded of them, and the
 * grade that each deserves.
 *
 *   c = sharc_case_new(&(struct sharc_case_options)SHARC_CASE_OPTIONS);
 *   for each page: id = sharc_case_page(c, url, &facts);
 *   for each id:   if (sharc_case_wants(c, id) & …) compare, sharc_case_difference / sharc_case_places
 *   while (sharc_case_next_control(c, &want)) download, compare, sharc_case_control
 *   for each id:   sharc_case_result(c, id, &result)
 *
 * Whoever has all downloads already (verification from WARC files) tells what was
 * downloaded and leaves out sharc_case_next_control: results depend on the set of what
 * was told, never on its order.
 */
#ifndef SHARC_EVIDENCE_CASE_H
#define SHARC_EVIDENCE_CASE_H

#include "sharc/change_grade.h"
#include "sharc/evidence.h"

SHARC_PRIVATE_BEGIN

enum sharc_controls { SHARC_CONTROLS_BUDGET, SHARC_CONTROLS_NONE, SHARC_CONTROLS_EVERY };

struct sharc_case_options {
    enum sharc_controls controls;
    double budget;            /* control requests, as a share of the pages; 0.05 */
    unsigned least;           /* control requests that are allowed in any case; 8 */
    unsigned pages_per_place; /* that get a pair for a place they share; 3 */
    double most_volatile;     /* share of the visible words that volatile parts may cover; 0.2 */
    unsigned late_pages;      /* pages that must share a place of slow noise; 3 */
    double alike;             /* likeness from which an unexplained difference is called similar; 0.9 */
    /* Bytes of differences that are kept, about; 1 GiB. Beyond that the largest ones are forgotten, and their pages are
     * not proved. Which ones depends on all that was told, not on its order. */
    size_t memory;
};
#define SHARC_CASE_OPTIONS                                                                                         \
    {                                                                                                              \
        .controls = SHARC_CONTROLS_BUDGET, .budget = 0.05, .least = 8, .pages_per_place = 3, .most_volatile = 0.2, \
        .late_pages = 3, .alike = 0.9, .memory = (size_t)1 << 30                                                   \
    }
#define SHARC_CASE_LATE_SECONDS 90 /* a late control is made this long after the download it is compared with */

struct sharc_case;
struct sharc_case *sharc_case_new(const struct sharc_case_options *o);
void sharc_case_free(struct sharc_case *c);
void sharc_case_freep(struct sharc_case **c);

/* --- pages ------------------------------------------------------------------------------ */

struct sharc_case_answer {
    int status; /* 0: no answer came */
    bool complete;
    struct sharc_span type, location; /* copied where needed */
    struct sharc_digest content;      /* SHA-256, all codings undone */
};

/* What a 304 to the revisit rests on. */
enum sharc_word {
    SHARC_WORD_NONE,          /* the revisit is no 304 */
    SHARC_WORD_STRONG_ETAG,   /* sent with a strong ETag, and the 304 carries no other one */
    SHARC_WORD_LAST_MODIFIED, /* at least 60 s older than the Date of the visit */
    SHARC_WORD_NOTHING,       /* weak ETag, young Last-Modified, another ETag in the 304 */
};

struct sharc_case_facts {
    struct sharc_case_answer visit, revisit;
    bool revisited;
    bool stale; /* by a cache that kept the answer since before the visit ended */
    enum sharc_word word;
    bool word_broken;  /* a 304 of that server was found to be wrong */
    bool look_differs; /* a second look between them answered 404, 403, 5xx */
    bool clock_set;    /* the clock was set between visit and revisit */
};

/* Tell of a page; the URL is copied. Each page once. */
uint32_t sharc_case_page(struct sharc_case *c, struct sharc_span url, const struct sharc_case_facts *facts);

enum sharc_case_want {
    SHARC_CASE_WANTS_DIFFERENCE = 1, /* of visit and revisit */
    SHARC_CASE_WANTS_PLACES = 2,     /* of the visit; asked of a sample of the unchanged pages */
};
/* What is still to be told of a page: 0 or some of enum sharc_case_want. Ask when all
 * pages were told: which are in the sample depends on them. */
unsigned sharc_case_wants(struct sharc_case *c, uint32_t id);
/* When differences and controls were told: can places change a result? They only say where pages stood still, which
 * matters for a place that controls of two pages, or a late one, have shown to move. */
bool sharc_case_needs_places(struct sharc_case *c);
/* Both take over what they are given and leave an empty one behind. */
void sharc_case_difference(struct sharc_case *c, uint32_t id, struct sharc_difference *d);
void sharc_case_places(struct sharc_case *c, uint32_t id, struct sharc_places *p);

/* --- controls ----------------------------------------------------------------------------- */

/* A place that an earlier capture found volatile: two pairs confirm it instead of three. */
void sharc_case_hint(struct sharc_case *c, uint64_t place);

struct sharc_case_control {
    uint32_t id;
    /* False: two downloads back to back, compared with each other. True: one download, at least
     * SHARC_CASE_LATE_SECONDS after the last one of that page, compared with that one. */
    bool late;
};
/* Which control is to be made next. False: no more of them helps, or the budget is used up. */
bool sharc_case_next_control(struct sharc_case *c, struct sharc_case_control *ret);
/* What a control showed; takes over d. Any page may have any number of them. */
void sharc_case_control(struct sharc_case *c, uint32_t id, bool late, struct sharc_difference *d);
/* Requests that the controls told so far needed: two for a pair, one for a late one. */
uint32_t sharc_case_requests(const struct sharc_case *c);

/* --- results -------------------------------------------------------------------------------- */

struct sharc_case_result {
    enum sharc_grade_reason reason;
    const struct sharc_difference *difference; /* of visit and revisit; NULL: none was needed or told */
    /* For each hunk of it: OWN_CONTROL, KIND_CONTROL, LATE_CONTROL, or NOT_GRADED: not explained. */
    const uint8_t *explained;
    size_t volatile_hunks;
    double volatile_share; /* of the visible words */
};
/* Spans and pointers live until something is told or the case is freed. */
void sharc_case_result(struct sharc_case *c, uint32_t id, struct sharc_case_result *ret);
/* One line for people and catalogues: the volatile parts, or what differed first. Appended; may be nothing. */
void sharc_case_detail(struct sharc_case *c, uint32_t id, struct sharc_buf *out);

/* Volatile places learned, in the order of their signatures. */
struct sharc_case_place {
    uint64_t place;
    uint8_t kind;             /* enum sharc_hunk_kind */
    bool late;                /* shown by late controls */
    uint32_t pages;           /* that differed there between visit and revisit */
    uint32_t pairs, differed; /* controls of pages that have it, and those that differed there */
    const char *where;        /* for people */
    const char *example;      /* a value that stood there */
};
size_t sharc_case_volatile_count(struct sharc_case *c);
/* i < count; texts live as long as results. */
void sharc_case_volatile(struct sharc_case *c, size_t i, struct sharc_case_place *ret);

SHARC_PRIVATE_END
#endif

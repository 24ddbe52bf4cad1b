/* SPDX-License-Identifier: Apache-2.0
 *
 * The pages of one capture as columns, and what two captures do not share: from these follow lists of pages, the
 * schedule, the pair and the graph of figure.h. Both are small enough to be kept whole beside the rows of a catalogue
 * (summary.h) and read in a few milliseconds, where the rows of 100,000 pages take a second.
 */
#ifndef SHARC_FIGURE_SHEET_H
#define SHARC_FIGURE_SHEET_H

#include "sharc/base.h"
#include "sharc/base_arena.h"
#include "sharc/figure.h"
#include "sharc/store.h"

SHARC_PRIVATE_BEGIN

struct sharc_figure_sheet {
    sharc_store_id capture;
    size_t count;                /* rows, in order of their URLs; the same row in every column */
    sharc_store_id *id, *parent; /* numbers of the URL and of the page on which it was found; parent 0: none */
    sharc_time *visit, *revisit; /* SHARC_TIME_NONE: there was none */
    int64_t *slot, *size;        /* < 0: none, unknown */
    double *rate, *planned;      /* changes per second: estimate after the visit, and what the plan used; NaN: none */
    int32_t *status;             /* of the visit; 0: none; < 0: enum sharc_error */
    uint32_t *mime;              /* index into mimes */
    uint32_t *end;               /* where the URL ends in `urls`; it begins where the one before ends */
    uint8_t *reason;             /* enum sharc_grade_reason */
    uint8_t *hopeless;           /* 1: the strategy had given up on its coherence */
    char *urls;
    void *block;              /* all columns and the URLs, in this order, eight bytes wide ones first */
    struct sharc_span *mimes; /* each once, "" for none */
    size_t mime_count;
    struct sharc_arena texts; /* of the types */
};
/* SHARC_ENOENT: there is no such capture. SHARC_ELIMIT: its URLs take more than 4 GB. O(pages × log pages). */
int sharc_figure_sheet(struct sharc_store *s, sharc_store_id capture, struct sharc_figure_sheet *ret,
                       struct sharc_err *reterr);
void sharc_figure_sheet_done(struct sharc_figure_sheet *t);
/* Bytes of all columns of `count` rows whose URLs take `bytes`. */
size_t sharc_figure_sheet_size(size_t count, size_t bytes);
/* Let the columns of `count` rows begin at `at`, aligned for all of them, inside a malloc'ed block that the sheet
 * takes. */
void sharc_figure_sheet_over(struct sharc_figure_sheet *t, void *block, void *at, size_t count);

static inline struct sharc_span sharc_figure_sheet_url(const struct sharc_figure_sheet *t, size_t row)
{
    uint32_t from = row ? t->end[row - 1] : 0;
    return sharc_span(t->urls + from, t->end[row] - from);
}
static inline struct sharc_span sharc_figure_sheet_mime(const struct sharc_figure_sheet *t, size_t row)
{
    return t->mimes[t->mime[row]];
}

/* Of a site that has no other capture, without reading its rows again: sharc_figure_subsites; and sharc_figure_week,
 * which returns 1 if every page was looked at once, and otherwise 0 and nothing. */
int sharc_figure_subsites_once(struct sharc_store *s, const struct sharc_figure_sheet *t,
                               struct sharc_figure_subsites *ret, struct sharc_err *reterr);
int sharc_figure_week_once(struct sharc_store *s, const struct sharc_figure_sheet *t, struct sharc_figure_week *ret,
                           struct sharc_err *reterr);

/* Every pair of pages of two captures that is not simply UNCHANGED. */
struct sharc_figure_changes {
    sharc_store_id a, b;
    size_t count;
    sharc_store_id *id; /* rising */
    uint8_t *change;    /* enum sharc_figure_class */
    double *similarity; /* of the texts; NaN: not to be told */
};
int sharc_figure_changes(struct sharc_store *s, sharc_store_id a, sharc_store_id b, struct sharc_figure_changes *ret,
                         struct sharc_err *reterr);
void sharc_figure_changes_done(struct sharc_figure_changes *c);
void sharc_figure_changes_room(struct sharc_figure_changes *c, size_t count);

/* What decides whether a page is the same in two captures, for every page of one. */
enum { SHARC_FIGURE_PRINT = 17 };
struct sharc_figure_prints {
    sharc_store_id capture;
    size_t count;                                  /* rows; the same row in every column */
    sharc_store_id *id;                            /* of the URL, rising */
    sharc_store_id *redirect, *link_set, *content; /* 0: none */
    int32_t *status;
    uint8_t *digest, *text; /* SHARC_FIGURE_PRINT bytes a row: 1 + kind, and the first 16 bytes; 0: there is none */
    void *block;            /* all columns, in this order */
};
int sharc_figure_prints(struct sharc_store *s, sharc_store_id capture, struct sharc_figure_prints *ret,
                        struct sharc_err *reterr);
void sharc_figure_prints_done(struct sharc_figure_prints *t);
/* As sharc_figure_sheet_size and sharc_figure_sheet_over. */
size_t sharc_figure_prints_size(size_t count);
void sharc_figure_prints_over(struct sharc_figure_prints *t, void *block, void *at, size_t count);
/* As sharc_figure_changes, without the rows of the catalogue; similarity of changed texts is NaN. */
void sharc_figure_changes_between(const struct sharc_figure_prints *a, const struct sharc_figure_prints *b,
                                  struct sharc_figure_changes *ret);
/* Fill it in for the points of a pair that was made of such changes. */
int sharc_figure_pair_alike(struct sharc_store *s, const struct sharc_figure_prints *a,
                            const struct sharc_figure_prints *b, struct sharc_figure_pair *f, struct sharc_err *reterr);

/* Every page of two captures, in order of URLs, with its row in each, SHARC_FIGURE_NO_ROW: it is not there. A negative
 * result of fn ends it. */
#define SHARC_FIGURE_NO_ROW SIZE_MAX
typedef int sharc_figure_pair_fn(void *arg, size_t a, size_t b, enum sharc_figure_class change, double similarity,
                                 struct sharc_err *reterr);
int sharc_figure_pairs(const struct sharc_figure_sheet *a, const struct sharc_figure_sheet *b,
                       const struct sharc_figure_changes *c, sharc_figure_pair_fn *fn, void *arg,
                       struct sharc_err *reterr);

/* What the functions of figure.h give, made of these. The sheets may be released afterwards. */
int sharc_figure_schedule_of(struct sharc_store *s, const struct sharc_figure_sheet *t,
                             struct sharc_figure_schedule *ret, struct sharc_err *reterr);
/* most: as sharc_figure_pair_thin. */
int sharc_figure_pair_of(struct sharc_store *s, const struct sharc_figure_sheet *a, const struct sharc_figure_sheet *b,
                         const struct sharc_figure_changes *c, size_t most, struct sharc_figure_pair *ret,
                         struct sharc_err *reterr);
/* against and c NULL: visit against revisit. */
int sharc_figure_graph_of(struct sharc_store *s, const struct sharc_figure_sheet *t,
                          const struct sharc_figure_sheet *against, const struct sharc_figure_changes *c, bool fold,
                          struct sharc_figure_graph *ret, struct sharc_err *reterr);

SHARC_PRIVATE_END
#endif

/* SPDX-License-Identifier: Apache-2.0
 *
 * Pages and what is known of their changes, wherever that comes from: a recorded
 * history (sim_dataset.h), a sitemap, or the captures of an archive. Rates that are
 * made from it are in history_rates.h, tests of learners in history_trial.h.
 *
 *   struct sharc_history h = SHARC_HISTORY_INIT;
 *   sharc_history_archive(&h, store, "my-archive", &window, &err);
 *   for (size_t i = 0; i < h.n; i++) … h.page[i].changes in h.page[i].time seconds
 *   sharc_history_done(&h);
 */
#ifndef SHARC_HISTORY_H
#define SHARC_HISTORY_H

#include "sharc/base.h"
#include "sharc/base_arena.h"
#include "sharc/base_clock.h"
#include "sharc/rate.h"
#include "sharc/rate_model.h"
#include "sharc/rate_past.h"
#include "sharc/sim_dataset.h"
#include "sharc/store.h"

SHARC_PRIVATE_BEGIN

enum sharc_history_kind { SHARC_HISTORY_URLS, SHARC_HISTORY_DATASET, SHARC_HISTORY_SITEMAP, SHARC_HISTORY_ARCHIVE };

/* Numbers are NAN where nothing is known. */
struct sharc_history_page {
    struct sharc_span url, mime; /* live as long as the history */
    struct sharc_rate_history seen;
    double changes, time; /* what it teaches: the number of changes, and the seconds; time 0: nothing */
    double age;           /* seconds since its last change when that time began */
    double age_now;       /* the same at the end */
    double images, tables, outlinks, inlinks;
    enum sharc_changefreq frequency;
    double priority; /* of a sitemap */
    double weight;
    bool gone;            /* deleted when time ends */
    sharc_page_no origin; /* its number in the dataset */
};

struct sharc_history {
    enum sharc_history_kind kind;
    char *name;
    struct sharc_history_page *page;
    size_t n, room;
    uint32_t *from, *to; /* links between pages */
    size_t links, from_room, to_room;
    struct sharc_dataset *data;   /* a dataset; else NULL */
    struct sharc_rate_past *past; /* an archive: page i is its i-th; else NULL */
    double start, end;            /* the time considered, seconds since 1970 */
    struct sharc_arena text;
};
#define LIMIT_HISTORY_TEXT ((size_t)4 << 30)
#define SHARC_HISTORY_INIT                           \
    {                                                \
        .text = SHARC_ARENA_INIT(LIMIT_HISTORY_TEXT) \
    }

/* Which time is considered. */
struct sharc_history_window {
    double days;    /* only the last ones, this many; 0: everything recorded. Any number is safe */
    sharc_time at;  /* where it ends; SHARC_TIME_NONE: where the recording does, and for a sitemap `now` */
    sharc_time now; /* the present */
};

/* Each fills an empty history; release it whatever they return. SHARC_EINVAL when
 * no page is known for that time.
 * A dataset: pages that live during the whole window; without `days` all pages, each
 * over its life. The window must lie inside the recording. */
int sharc_history_dataset(struct sharc_history *h, const char *dir, const struct sharc_history_window *w,
                          struct sharc_err *reterr);
/* A sitemap file: lastmod is one change, then nothing. SHARC_ESYNTAX when it is none. */
int sharc_history_sitemap(struct sharc_history *h, const char *path, const struct sharc_history_window *w,
                          struct sharc_err *reterr);
/* An archive: every look of every capture, and the newest links of each page. Only
 * reads the store. */
int sharc_history_archive(struct sharc_history *h, struct sharc_store *store, const char *name,
                          const struct sharc_history_window *w, struct sharc_err *reterr);
void sharc_history_done(struct sharc_history *h);

/* Does this directory hold a dataset? */
bool sharc_history_is_dataset(const char *dir);

/* A new page of which nothing is known, valid until the next is added; and a link. */
struct sharc_history_page *sharc_history_add(struct sharc_history *h);
void sharc_history_link(struct sharc_history *h, uint32_t from, uint32_t to);

/* Fill `weight` of all pages; how: as in sharc_rate_weigh, NULL: leaves 1. */
int sharc_history_weigh(struct sharc_history *h, const char *how, struct sharc_err *reterr);

/* What a learner sees of a page: SHARC_RATE_OFFLINE values; and the pages that
 * teach as its rows. *ret_page (malloc'ed) has the page of each row. */
void sharc_history_features(const struct sharc_history_page *p, struct sharc_rate_value *ret);
struct sharc_rate_table *sharc_history_table(const struct sharc_history *h, size_t columns, uint32_t **ret_page);

SHARC_PRIVATE_END
#endif

/* SPDX-License-Identifier: Apache-2.0
 *
 * How often each page of a history changes, and rates that are kept in the
 * catalogue of an archive. docs/rates.md explains the methods.
 */
#ifndef SHARC_HISTORY_RATES_H
#define SHARC_HISTORY_RATES_H

#include "sharc/history.h"
#include "sharc/store_query.h"

SHARC_PRIVATE_BEGIN

enum sharc_history_method {
    SHARC_HISTORY_POSTERIOR, /* what the page itself showed, after what all pages or its sitemap suggest */
    SHARC_HISTORY_NEAR,      /* the age of its last change, and pages with similar URLs */
    SHARC_HISTORY_COMBINED,  /* a forecast from the whole past; datasets and archives only */
};
const char *sharc_history_method_name(enum sharc_history_method m);

struct sharc_history_rates_options {
    enum sharc_history_method method;
    double coming; /* near, combined: compute rates for this many seconds from now; >= 1 */
    double delay;  /* seconds: what "always" means in a sitemap */
    double level;  /* of the intervals, 0 < level < 1 */
};

struct sharc_history_rate {
    uint32_t page;
    struct sharc_rate_estimate rate; /* changes per second; bounds are NAN where the method gives none */
};
/* ret has h->n places, one for each page in their order. SHARC_EINVAL when the
 * method needs another kind of history. */
int sharc_history_rates(const struct sharc_history *h, const struct sharc_history_rates_options *o,
                        struct sharc_history_rate *ret, struct sharc_err *reterr);
/* Sort: the pages that change most often first; equal ones by their number. */
void sharc_history_rates_sort(struct sharc_history_rate *rates, size_t n);

/* --- in the catalogue ----------------------------------------------------------- */

/* Keep n rates of the pages of h there, as made by that method. */
int sharc_history_rates_keep(const struct sharc_history *h, enum sharc_history_method method,
                             const struct sharc_history_rate *rates, size_t n, struct sharc_store *store,
                             struct sharc_err *reterr);

/* Those that captures, imports and sharc_history_rates_keep left: the most
 * frequent first, then by URL and source. */
struct sharc_history_kept {
    struct sharc_store_rate *row; /* spans live as long as this */
    size_t n, room;
    struct sharc_arena text;
};
#define SHARC_HISTORY_KEPT_INIT                      \
    {                                                \
        .text = SHARC_ARENA_INIT(LIMIT_HISTORY_TEXT) \
    }
int sharc_history_kept_read(struct sharc_store *store, struct sharc_history_kept *ret, struct sharc_err *reterr);
void sharc_history_kept_done(struct sharc_history_kept *k);

SHARC_PRIVATE_END
#endif

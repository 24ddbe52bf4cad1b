/* SPDX-License-Identifier: Apache-2.0
 *
 * Pickers that keep the detected pages in a ranked list: hottest first, hottest
 * last, by utility, and sharc-online, which builds organ pipes from pages that
 * turn up while it builds.
 */
#include "schedule_int.h"

#include <math.h>

static void *create(struct sharc_strategy *s)
{
    (void)s;
    return sharc_ranked_new();
}

static void done(void *state)
{
    sharc_ranked_free(state);
}

/* The list's nodes are at least 24/64 full and mostly near three quarters. */
static size_t bytes(const void *state)
{
    return sharc_ranked_count(state) * (sizeof(double) + sizeof(uint32_t)) * 4 / 3;
}

/* --- keys ------------------------------------------------------------------- */

static void add_cold_first(struct sharc_strategy *s, sharc_page_no page)
{
    sharc_ranked_insert(s->pick, book_heat(&s->book, page), page);
}

static void moved_cold_first(struct sharc_strategy *s, sharc_page_no page, double old_rate, double old_weight)
{
    sharc_ranked_delete(s->pick, old_rate * old_weight, page);
    add_cold_first(s, page);
}

/* The negative heat: pages equally hot come in order of their numbers. */
static void add_hot_first(struct sharc_strategy *s, sharc_page_no page)
{
    sharc_ranked_insert(s->pick, -book_heat(&s->book, page), page);
}

static void moved_hot_first(struct sharc_strategy *s, sharc_page_no page, double old_rate, double old_weight)
{
    sharc_ranked_delete(s->pick, -(old_rate * old_weight), page);
    add_hot_first(s, page);
}

static void add_useful_first(struct sharc_strategy *s, sharc_page_no page)
{
    double u = s->params.utility ? s->params.utility(s->params.utility_arg, page) : book_heat(&s->book, page);
    sharc_ranked_insert(s->pick, isnan(u) ? 0 : -u, page);
}

/* --- choices ------------------------------------------------------------------ */

static sharc_page_no take_first(struct sharc_strategy *s, bool *ret_hopeless)
{
    (void)ret_hopeless;
    return sharc_ranked_take(s->pick, 0).id;
}

/* Rising while less than half of the site is in sight; then every second page
 * of what is known, as offline planning would; falling in the second half. */
static sharc_page_no take_online(struct sharc_strategy *s, bool *ret_hopeless)
{
    (void)ret_hopeless;
    size_t detected = sharc_ranked_count(s->pick), downloaded = s->book.visits;
    double half = sharc__schedule_book_size(&s->book, s->params.size) / 2;
    size_t at = detected - 1;
    if ((double)(downloaded + detected) <= half) {
        at = 0;
    } else if ((double)downloaded <= half && downloaded < detected) {
        at = downloaded;
    }
    return sharc_ranked_take(s->pick, at).id;
}

#define RANKED .create = create, .free = done, .bytes = bytes
const struct picker sharc__schedule_pick_hottest_first = {RANKED, .add = add_hot_first, .moved = moved_hot_first,
                                                          .take = take_first};
const struct picker sharc__schedule_pick_hottest_last = {RANKED, .add = add_cold_first, .moved = moved_cold_first,
                                                         .take = take_first};
const struct picker sharc__schedule_pick_utility = {RANKED, .add = add_useful_first, .take = take_first};
const struct picker sharc__schedule_pick_online = {RANKED, .add = add_cold_first, .moved = moved_cold_first,
                                                   .take = take_online};

/* SPDX-License-Identifier: Apache-2.0 */
#include "watches.h"

#include "test.h"

struct sharc_watch *watch_make(const char *name)
{
    struct sharc_watch *w = NULL;
    assert_non_null(sharc_watch_find(name));
    assert_int_equal(sharc_watch_new(sharc_watch_find(name), NULL, &w, NULL), 0);
    return w;
}

void watch_add(struct sharc_watch *w, sharc_page_no page, uint32_t site, double rate, double weight, sharc_time since)
{
    struct sharc_watch_page p = SHARC_WATCH_PAGE;
    p.site = site;
    p.rate = rate;
    p.weight = weight;
    sharc_watch_add(w, page, &p, since);
}

size_t watch_period(struct sharc_watch *w, sharc_time now, size_t budget, sharc_page_no *ret)
{
    struct sharc_watch_due due[64];
    assert_true(budget <= 64);
    size_t n = sharc_watch_period(w, now, budget, due);
    for (size_t i = 0; i < n; i++) ret[i] = due[i].page;
    return n;
}

void watch_see(struct sharc_watch *w, sharc_page_no page, sharc_time when, bool changed, double importance)
{
    struct sharc_observation o = {.page = page,
                                  .when = when,
                                  .change = changed ? SHARC_TEXT_CHANGED : SHARC_UNCHANGED,
                                  .importance = importance,
                                  .rate = -1};
    sharc_watch_observed(w, &o);
}

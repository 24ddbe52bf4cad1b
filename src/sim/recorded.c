/* SPDX-License-Identifier: Apache-2.0
 *
 * A window of a recorded history as a site: its pages numbered anew from 0, the
 * links among them, and their changes straight from the dataset.
 */
#include "sim_int.h"

#include "sharc/rate.h"

#include <math.h>
#include <stdlib.h>

static struct sharc_span url_of(const struct sharc_sim_site *s, sharc_page_no page)
{
    return s->data->page[s->origin[page]].url;
}

static double recorded_rate_now(const struct sharc__sim_run *r, sharc_page_no page)
{
    return sharc_rate_live_rate(r->live, page, url_of(r->site, page));
}

static double recorded_rate(const struct sharc__sim_run *r, sharc_page_no page, bool known)
{
    if (r->live && !known) return recorded_rate_now(r, page);
    /* Nobody knows the age of a page before it was seen. */
    if (r->site->rates == SHARC_SIM_AGE && !known) return r->site->neutral;
    return r->site->told[page];
}

static double last_change(const struct sharc_sim_site *s, sharc_page_no page, double t)
{
    const double *h;
    size_t n = sharc_dataset_between(s->data, s->origin[page], -HUGE_VAL, t, &h);
    return n ? h[n - 1] : s->data->page[s->origin[page]].created;
}

static double recorded_rate_at_visit(const struct sharc__sim_run *r, sharc_page_no page, double t)
{
    const struct sharc_sim_site *s = r->site;
    if (s->rates != SHARC_SIM_AGE && !r->live) return -1;
    double age = t - last_change(s, page, t);
    return r->live ? sharc_rate_live_seen(r->live, page, url_of(s, page), age) : sharc_rate_from_age(age, AGE_GRAIN);
}

static double recorded_judged_rate(const struct sharc_sim_site *s, sharc_page_no page)
{
    return s->told[page];
}

static bool alive(const struct sharc_sim_site *s, sharc_page_no page, double t)
{
    const struct sharc_dataset_page *p = &s->data->page[s->origin[page]];
    return p->created <= t && t < p->deleted;
}

static bool recorded_exists(const struct sharc_sim_site *s, sharc_page_no page, double t)
{
    /* Without births only pages that live through the whole window were chosen. */
    if (s->births && !alive(s, page, t)) return false;
    if (!s->absences) return true;
    sharc_page_no p = s->origin[page];
    for (size_t i = s->data->absence_at[p]; i < s->data->absence_at[p + 1]; i++)
        if (s->data->absent_from[i] <= t && t < s->data->absent_to[i]) return false;
    return true;
}

static size_t recorded_links(const struct sharc__sim_run *r, sharc_page_no page, double t)
{
    const struct sharc_sim_site *s = r->site;
    size_t n = 0;
    for (uint32_t i = s->link_at[page]; i < s->link_at[page + 1]; i++)
        if (!s->births || alive(s, s->link_to[i], t)) r->links[n++] = s->link_to[i];
    return n;
}

static void recorded_changes(const struct sharc__sim_run *r, sharc_page_no page, double to, sharc__sim_chunk_fn *fn,
                             void *arg)
{
    const struct sharc_sim_site *s = r->site;
    const double *h;
    size_t n = sharc_dataset_between(s->data, s->origin[page], s->from, to, &h);
    if (n) fn(arg, h, n);
}

static void recorded_free(struct sharc_sim_site *s)
{
    free(s->origin);
    free(s->link_at);
    free(s->link_to);
    free(s->told);
    free(s->weight);
}

static const struct sharc__sim_site_ops recorded_ops = {
    .rate = recorded_rate,
    .rate_at_visit = recorded_rate_at_visit,
    .rate_now = recorded_rate_now,
    .judged_rate = recorded_judged_rate,
    .links = recorded_links,
    .changes = recorded_changes,
    .last_change = last_change,
    .url = url_of,
    .exists = recorded_exists,
    .free = recorded_free,
};

/* The future: nothing is known to happen. */
static double forecast_rate_at_visit(const struct sharc__sim_run *r, sharc_page_no page, double t)
{
    (void)r, (void)page, (void)t;
    return -1;
}

static void forecast_changes(const struct sharc__sim_run *r, sharc_page_no page, double to, sharc__sim_chunk_fn *fn,
                             void *arg)
{
    (void)r, (void)page, (void)to, (void)fn, (void)arg;
}

static const struct sharc__sim_site_ops forecast_ops = {
    .rate = recorded_rate,
    .rate_at_visit = forecast_rate_at_visit,
    .judged_rate = recorded_judged_rate,
    .links = recorded_links,
    .changes = forecast_changes,
    .free = recorded_free,
};

/* --- building ------------------------------------------------------------ */

/* Numbers the pages of the window; returns local numbers by dataset page. */
static sharc_page_no *choose_pages(struct sharc_sim_site *s)
{
    const struct sharc_dataset *d = s->data;
    sharc_page_no *local = SHARC_NEW_ARRAY(sharc_page_no, d->pages);
    s->origin = SHARC_NEW_ARRAY(sharc_page_no, d->pages);
    for (size_t p = 0; p < d->pages; p++) {
        const struct sharc_dataset_page *page = &d->page[p];
        bool inside = s->births ? page->created <= s->to && page->deleted > s->from
                                : page->created <= s->from && page->deleted > s->to;
        local[p] = inside ? s->pages : NEVER;
        if (inside) s->origin[s->pages++] = (sharc_page_no)p;
    }
    return local;
}

/* Breadth-first from page 0: marks what is reached, returns the last page. */
static sharc_page_no reach(const struct sharc_sim_site *s, bool *seen)
{
    SHARC_AUTO(sharc_freep) sharc_page_no *queue = SHARC_NEW_ARRAY(sharc_page_no, s->pages);
    size_t head = 0, tail = 0;
    queue[tail++] = 0;
    seen[0] = true;
    while (head < tail) {
        sharc_page_no p = queue[head++];
        for (uint32_t i = s->link_at[p]; i < s->link_at[p + 1]; i++) {
            sharc_page_no q = s->link_to[i];
            if (seen[q]) continue;
            seen[q] = true;
            queue[tail++] = q;
        }
    }
    return queue[tail - 1];
}

/* Links among the chosen pages, in the dataset's order. */
static void choose_links(struct sharc_sim_site *s, const sharc_page_no *local)
{
    const struct sharc_dataset *d = s->data;
    s->link_at = SHARC_NEW_ARRAY(uint32_t, s->pages + 1);
    s->link_to = SHARC_NEW_ARRAY(sharc_page_no, d->links + s->pages);
    uint32_t n = 0;
    for (uint32_t p = 0; p < s->pages; p++) {
        s->link_at[p] = n;
        for (size_t i = d->link_at[s->origin[p]]; i < d->link_at[s->origin[p] + 1]; i++)
            if (local[d->link_to[i]] != NEVER) s->link_to[n++] = local[d->link_to[i]];
    }
    s->link_at[s->pages] = n;
}

/* Pages that nothing leads to become links of the page found last, so that
 * every order can find them and breadth-first search finds them at the end. */
static void adopt_orphans(struct sharc_sim_site *s)
{
    SHARC_AUTO(sharc_freep) bool *seen = SHARC_NEW_ARRAY(bool, s->pages);
    sharc_page_no last = reach(s, seen);
    uint32_t orphans = 0;
    for (uint32_t p = 0; p < s->pages; p++) orphans += !seen[p];
    uint32_t at = s->link_at[last + 1];
    memmove(s->link_to + at + orphans, s->link_to + at, (s->link_at[s->pages] - at) * sizeof *s->link_to);
    for (uint32_t p = 0; p < s->pages; p++)
        if (!seen[p]) s->link_to[at++] = p;
    for (uint32_t p = last + 1; p <= s->pages; p++) s->link_at[p] += orphans;
    for (uint32_t p = 0; p < s->pages; p++) {
        uint32_t n = s->link_at[p + 1] - s->link_at[p];
        if (n > s->max_links) s->max_links = n;
    }
}

static void count_changing(struct sharc_sim_site *s)
{
    const double *h;
    for (uint32_t p = 0; p < s->pages; p++)
        s->changing += sharc_dataset_between(s->data, s->origin[p], s->from, s->to, &h) > 0;
}

/* Weights of the pages of the window, scaled to a mean of 1. */
static int choose_weights(struct sharc_sim_site *s, const double *weight, struct sharc_err *reterr)
{
    if (!weight) return 0;
    double sum = 0;
    s->weight = SHARC_NEW_ARRAY(double, s->pages);
    for (uint32_t p = 0; p < s->pages; p++) sum += s->weight[p] = weight[s->origin[p]];
    SHARC_FAIL_IF(!(sum > 0 && isfinite(sum)), reterr, SHARC_EINVAL,
                  "the weights of the pages of %s must not be negative, nor all 0", s->name);
    for (uint32_t p = 0; p < s->pages; p++) s->weight[p] *= s->pages / sum;
    return 0;
}

/* Pages, links and rates of a window whose ends are set. */
static int build(struct sharc_sim_site *s, const struct sharc_sim_window *w, struct sharc_err *reterr)
{
    s->births = w->births;
    s->absences = w->absences;
    s->rates = w->rates;
    SHARC_AUTO(sharc_freep) sharc_page_no *local = choose_pages(s);
    SHARC_FAIL_IF(
        s->pages == 0, reterr, SHARC_EINVAL,
        "no page of %s is alive during the whole window; choose a shorter or later one, or setting \"births\"",
        s->name);
    choose_links(s, local);
    adopt_orphans(s);
    count_changing(s);
    int r = choose_weights(s, w->weight, reterr);
    return r < 0 ? r : sharc__sim_rates_fill(s, w, reterr);
}

static struct sharc_sim_site *site_of_dataset(const struct sharc_dataset *d, const struct sharc__sim_site_ops *ops,
                                              double from, double to)
{
    struct sharc_sim_site *s = SHARC_NEW(struct sharc_sim_site);
    s->ops = ops;
    s->name = sharc_strdup(d->name);
    s->data = d;
    s->from = from;
    s->to = to;
    return s;
}

int sharc_sim_recorded_new(const struct sharc_dataset *d, const struct sharc_sim_window *w, struct sharc_sim_site **ret,
                           struct sharc_err *reterr)
{
    SHARC_FAIL_IF(!(w->from < w->to), reterr, SHARC_EINVAL, "the window must begin before it ends");
    SHARC_FAIL_IF(w->from < d->start || w->to > d->end, reterr, SHARC_EINVAL,
                  "the window from @%.0f to @%.0f is not covered by %s, which goes from @%.0f to @%.0f", w->from, w->to,
                  d->name, d->start, d->end);
    SHARC_AUTO(sharc_sim_site_freep) struct sharc_sim_site *s = site_of_dataset(d, &recorded_ops, w->from, w->to);
    int r = build(s, w, reterr);
    if (r < 0) return r;
    *ret = SHARC_TAKE(s);
    return 0;
}

int sharc__sim_forecast_new(const struct sharc_dataset *d, double at, double delay, const struct sharc_sim_window *w,
                            struct sharc_sim_site **ret, struct sharc_err *reterr)
{
    SHARC_FAIL_IF(!(at >= d->start && at <= d->end), reterr, SHARC_EINVAL,
                  "a capture at @%.0f is not covered by %s, which goes from @%.0f to @%.0f", at, d->name, d->start,
                  d->end);
    SHARC_FAIL_IF(w->rates == SHARC_SIM_ORACLE || w->rates == SHARC_SIM_SITEMAP || w->rates == SHARC_SIM_COUNTED,
                  reterr, SHARC_EINVAL,
                  "a plan cannot know the future: use the rates history, predicted, age or combined");
    SHARC_AUTO(sharc_sim_site_freep) struct sharc_sim_site *s = site_of_dataset(d, &forecast_ops, at, at);
    s->slot = delay;
    int r = build(s, w, reterr);
    if (r < 0) return r;
    s->to = NO_SITE_END;
    *ret = SHARC_TAKE(s);
    return 0;
}

/* --- any site ------------------------------------------------------------ */

void sharc_sim_site_free(struct sharc_sim_site *s)
{
    if (!s) return;
    s->ops->free(s);
    free(s->name);
    free(s);
}

void sharc_sim_site_freep(struct sharc_sim_site **s)
{
    sharc_sim_site_free(*s);
    *s = NULL;
}

uint32_t sharc_sim_site_pages(const struct sharc_sim_site *s)
{
    return s->pages;
}

sharc_page_no sharc_sim_site_origin(const struct sharc_sim_site *s, sharc_page_no page)
{
    return s->origin ? s->origin[page] : page;
}

double sharc_sim_site_rate(const struct sharc_sim_site *s, sharc_page_no page)
{
    return s->ops->judged_rate(s, page);
}

uint32_t sharc_sim_site_changing(const struct sharc_sim_site *s)
{
    return s->changing;
}

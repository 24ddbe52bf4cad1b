/* SPDX-License-Identifier: Apache-2.0
 *
 * What happens to a site, and when. A heap holds the next event of every
 * process; each draws or looks up its successor when it happens, so the history
 * depends on the options alone and never on who looks.
 *
 * INVARIANTS, with the lock held and after sharc__lab_advance(l, now):
 *  (1) no event up to now is left in the heap;
 *  (2) states[i] is the version that a request at `now` is served;
 *  (3) the log of the truth has all that happened, but for visitors that were counted on a
 *      page since it was last asked for: the last of them is noted when the page is asked for
 *      or otherwise changes. Nobody can have seen the numbers between, and there are many.
 */
#include "lab_int.h"

#include <math.h>

enum event { EDIT, COUNT, LAYOUT, SITEMAP, RECORDED_CHANGE, RECORDED_LIFE };

#define FOREVER 1e12 /* seconds: not in this life */
#define OLDEST (10.0 * 365.25 * 86400)

/* --- time ------------------------------------------------------------------------- */

/* An instant of the site's clock (seconds since the start) as a real one. */
static sharc_time real_time(const struct sharc_lab *l, double at)
{
    return l->start + llround(at / l->o.speed * (double)SHARC_SEC);
}

static double site_time(const struct sharc_lab *l, sharc_time when)
{
    return (double)(when - l->start) / (double)SHARC_SEC * l->o.speed;
}

static void schedule(struct sharc_lab *l, double at, enum event kind, uint32_t item)
{
    if (!(at < FOREVER)) return;
    double key = (double)(real_time(l, at) - l->start);
    sharc_heap_push(&l->events, key, l->event_count++, (uint64_t)kind << 32 | item);
}

/* --- new versions -------------------------------------------------------------------- */

/* The visitors counted so far become a version. */
void sharc__lab_note_visitors(struct sharc_lab *l, uint32_t item)
{
    struct lab_state *st = &l->states[item];
    if (!st->counted) return;
    st->counted = false;
    st->number++;
    l->totals.counters++;
    sharc__lab_log_version(l, item, LAB_COUNTER, st->changed);
}

static void version_begins(struct sharc_lab *l, uint32_t item, enum lab_cause cause, sharc_time when)
{
    struct lab_state *st = &l->states[item];
    st->number++;
    st->changed = st->edited = when;
    sharc__lab_log_version(l, item, cause, when);
    if (cause == LAB_LAYOUT || cause == LAB_BORN) st->told = when;
    if (cause == LAB_LAYOUT || cause == LAB_BORN || cause == LAB_GONE) l->sitemap_old = true;
}

static uint32_t service(const struct sharc_lab *l, const char *path, enum lab_kind kind)
{
    uint32_t item = sharc_intern_find(l->site.paths, sharc_span_of(path));
    return item != SHARC_NO_ID && l->site.items[item].kind == kind ? item : SHARC_NO_ID;
}

void sharc__lab_tell_the_feed(struct sharc_lab *l, uint32_t item, sharc_time when)
{
    uint32_t feed = service(l, "/feed.xml", LAB_FEED);
    if (feed == SHARC_NO_ID || l->site.items[item].kind != LAB_HTML) return;
    if (l->news_count < LAB_FEED_ENTRIES) l->news_count++;
    memmove(l->news + 1, l->news, (l->news_count - 1) * sizeof *l->news);
    l->news[0] = (struct lab_news){item, when};
    sharc__lab_write_feed(l);
    l->totals.renewals++;
    version_begins(l, feed, LAB_RENEWAL, when);
}

static void edited(struct sharc_lab *l, uint32_t item, sharc_time when)
{
    sharc__lab_note_visitors(l, item);
    l->states[item].version.edit++;
    if (!l->states[item].exists) return; /* shows when it returns */
    l->totals.edits++;
    version_begins(l, item, LAB_EDIT, when);
    sharc__lab_tell(l, item, when);
}

/* At most once in a real second: with tens of thousands of pages it is work. */
static void next_sitemap(struct sharc_lab *l, double at)
{
    if (l->o.sitemap_every > 0) schedule(l, at + fmax((double)l->o.sitemap_every / SHARC_SEC, l->o.speed), SITEMAP, 0);
}

/* --- a synthetic site ----------------------------------------------------------------- */

#define UNDONE_SOONER 4.0 /* times */

/* An edit that is to be undone is so before long. */
static void next_edit(struct sharc_lab *l, uint32_t item, double at)
{
    double rate = l->site.items[item].rate;
    struct lab_wording w;
    sharc__lab_wording(&l->site, item, l->states[item].version.edit, &w);
    if (w.away) rate *= UNDONE_SOONER;
    if (rate > 0) schedule(l, at + sharc_rng_exponential(&l->states[item].rng, rate), EDIT, item);
}

static void next_visitor(struct sharc_lab *l, uint32_t item, double at)
{
    double mean = (double)l->o.counter_every / SHARC_SEC;
    if (l->site.items[item].counts && mean > 0)
        schedule(l, at + sharc_rng_exponential(&l->states[item].rng, 1 / mean), COUNT, item);
}

static void next_layout(struct sharc_lab *l, double at)
{
    double mean = (double)l->o.layout_every / SHARC_SEC;
    if (l->site.sections > 0 && mean > 0) schedule(l, at + sharc_rng_exponential(&l->layout_rng, 1 / mean), LAYOUT, 0);
}

static void count_visitor(struct sharc_lab *l, uint32_t item, sharc_time when)
{
    l->states[item].version.counter++;
    l->states[item].changed = when;
    l->states[item].counted = true;
}

static void new_layout(struct sharc_lab *l, sharc_time when)
{
    uint32_t section = (uint32_t)sharc_rng_below(&l->layout_rng, l->site.sections + 1);
    for (uint32_t i = 0; i < l->site.count; i++) {
        if (l->site.items[i].kind != LAB_HTML || l->site.items[i].section != section) continue;
        sharc__lab_note_visitors(l, i);
        l->states[i].version.layout++;
        l->totals.layouts++;
        version_begins(l, i, LAB_LAYOUT, when);
    }
}

/* --- a recorded one -------------------------------------------------------------------- */

static bool lives(const struct sharc_dataset *d, sharc_page_no p, double t)
{
    if (t < d->page[p].created || t >= d->page[p].deleted) return false;
    for (size_t i = d->absence_at[p]; i < d->absence_at[p + 1]; i++)
        if (d->absent_from[i] <= t && t < d->absent_to[i]) return false;
    return true;
}

static double sooner(double a, double t, double than)
{
    return a > t && a < than ? a : than;
}

/* When p may next come or go after t; FOREVER: never within the window. */
static double next_turn(const struct sharc_dataset *d, sharc_page_no p, double t, double end)
{
    double at = sooner(d->page[p].deleted, t, sooner(d->page[p].created, t, FOREVER));
    for (size_t i = d->absence_at[p]; i < d->absence_at[p + 1]; i++)
        at = sooner(d->absent_from[i], t, sooner(d->absent_to[i], t, at));
    return at <= end ? at : FOREVER;
}

static void next_recorded_change(struct sharc_lab *l, uint32_t item)
{
    const struct sharc_dataset *d = l->o.dataset;
    size_t next = l->states[item].next_change;
    if (next >= d->change_at[l->site.items[item].origin + 1] || d->change_time[next] > l->o.to) return;
    l->states[item].next_change++;
    schedule(l, d->change_time[next] - l->o.from, RECORDED_CHANGE, item);
}

static void recorded_turn(struct sharc_lab *l, uint32_t item, sharc_time when)
{
    const struct sharc_dataset *d = l->o.dataset;
    sharc_page_no p = l->site.items[item].origin;
    /* Recorded times are whole seconds; what rounding took away is put back. */
    double t = round(site_time(l, when) + l->o.from);
    bool now = lives(d, p, t);
    if (now != l->states[item].exists) {
        l->states[item].exists = now;
        if (now)
            l->totals.born++;
        else
            l->totals.gone++;
        version_begins(l, item, now ? LAB_BORN : LAB_GONE, when);
    }
    schedule(l, next_turn(d, p, t, l->o.to) - l->o.from, RECORDED_LIFE, item);
}

static void begin_recorded(struct sharc_lab *l, uint32_t item)
{
    const struct sharc_dataset *d = l->o.dataset;
    sharc_page_no p = l->site.items[item].origin;
    struct lab_state *st = &l->states[item];
    st->exists = lives(d, p, l->o.from);
    size_t k = d->change_at[p];
    double last = d->page[p].created;
    while (k < d->change_at[p + 1] && d->change_time[k] <= l->o.from) last = d->change_time[k++];
    st->next_change = k;
    st->changed = st->edited = real_time(l, fmin(last - l->o.from, 0));
    next_recorded_change(l, item);
    schedule(l, next_turn(d, p, l->o.from, l->o.to) - l->o.from, RECORDED_LIFE, item);
}

/* --- all of it --------------------------------------------------------------------------- */

static void begin_drawn(struct sharc_lab *l, uint32_t item)
{
    struct lab_state *st = &l->states[item];
    double rate = l->site.items[item].rate, age = OLDEST;
    st->exists = true;
    st->rng = sharc__lab_draw(l->site.seed, item, 0, 'E');
    if (rate > 0) age = fmin(sharc_rng_exponential(&st->rng, rate), OLDEST);
    st->changed = st->edited = real_time(l, -age);
    next_edit(l, item, 0);
    next_visitor(l, item, 0);
}

void sharc__lab_begin(struct sharc_lab *l)
{
    l->signal_rng = sharc__lab_draw(l->site.seed, 0, 0, 'G');
    l->sitemap_made = l->start;
    for (uint32_t i = 0; i < l->site.count; i++) {
        if (l->o.dataset && l->site.items[i].origin != LAB_NO_ORIGIN)
            begin_recorded(l, i);
        else
            begin_drawn(l, i);
        l->states[i].told = l->states[i].edited;
        if (l->site.items[i].kind >= LAB_ROBOTS) l->states[i].changed = l->states[i].edited = l->start;
    }
    l->layout_rng = sharc__lab_draw(l->site.seed, 0, 0, 'Y');
    next_layout(l, 0);
    next_sitemap(l, 0);
    sharc__lab_write_robots(l);
    sharc__lab_write_sitemap(l);
    sharc__lab_write_feed(l);
    for (uint32_t i = 0; i < l->site.count; i++)
        if (l->states[i].exists) sharc__lab_log_version(l, i, LAB_START, l->start);
}

/* The sitemap is a new version only if something is new in it. */
static void renew_sitemap(struct sharc_lab *l, sharc_time when)
{
    uint32_t item = service(l, "/sitemap.xml", LAB_SITEMAP);
    if (item == SHARC_NO_ID) return;
    if (!l->sitemap_old && !sharc__lab_stamps_now(l)) return;
    l->sitemap_old = false;
    SHARC_AUTO(sharc_buf_done) struct sharc_buf before = l->sitemap;
    sharc_buf_init(&l->sitemap, LAB_BODY_MAX);
    l->sitemap_made = when;
    sharc__lab_write_sitemap(l);
    if (sharc_span_eq(sharc_buf_span(&before), sharc_buf_span(&l->sitemap))) return;
    l->totals.renewals++;
    version_begins(l, item, LAB_RENEWAL, when);
}

static void happens(struct sharc_lab *l, enum event kind, uint32_t item, sharc_time when)
{
    double at = site_time(l, when);
    switch (kind) {
    case EDIT:
        edited(l, item, when);
        next_edit(l, item, at);
        break;
    case COUNT:
        count_visitor(l, item, when);
        next_visitor(l, item, at);
        break;
    case LAYOUT:
        new_layout(l, when);
        next_layout(l, at);
        break;
    case SITEMAP:
        renew_sitemap(l, when);
        next_sitemap(l, at);
        break;
    case RECORDED_CHANGE:
        edited(l, item, when);
        next_recorded_change(l, item);
        break;
    case RECORDED_LIFE: recorded_turn(l, item, when); break;
    }
}

void sharc__lab_advance(struct sharc_lab *l, sharc_time now)
{
    struct sharc_heap_item next;
    double until = (double)(now - l->start);
    while (sharc_heap_peek(&l->events, &next) && next.key <= until) {
        sharc_heap_pop(&l->events, &next);
        happens(l, (enum event)(next.value >> 32), (uint32_t)next.value, l->start + (sharc_time)next.key);
    }
}

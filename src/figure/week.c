/* SPDX-License-Identifier: Apache-2.0
 *
 * At which hours of the week pages change.
 */
#include "figure_int.h"

#include "sharc/figure_sheet.h"
#include "sharc/store_sightings.h"

#define WEEK (7 * SHARC_DAY)

#define HOURS (7 * 24)

struct watching {
    struct sharc_figure_week *f;
    int64_t edge[HOURS + 1]; /* whole hours watched: at which hour of the week how many more begin than end */
    sharc_store_id url;
    sharc_time last; /* download of that URL that answered; SHARC_TIME_NONE: none yet */
};

/* 1970-01-01 was a Thursday. */
static void cell_of(sharc_time t, int *ret_day, int *ret_hour)
{
    int64_t hours = sharc_floor_div(t, SHARC_HOUR);
    int64_t days = sharc_floor_div(t, SHARC_DAY);
    *ret_hour = (int)(hours - days * 24);
    *ret_day = (int)(((days + 3) % 7 + 7) % 7);
}

/* Add `amount` per hour to every hour between two instants that lie at most a week apart. */
static void spread(double cells[7][24], sharc_time from, sharc_time to, double amount)
{
    while (from < to) {
        int day, hour;
        sharc_time next = (sharc_floor_div(from, SHARC_HOUR) + 1) * SHARC_HOUR;
        if (next > to) next = to;
        cell_of(from, &day, &hour);
        cells[day][hour] += amount * (double)(next - from) / (double)SHARC_HOUR;
        from = next;
    }
}

static sharc_time hour_after(sharc_time t)
{
    return (t / SHARC_HOUR + (t % SHARC_HOUR > 0)) * SHARC_HOUR;
}

/* n hours of which the first is the i-th of the week: only where they begin and end is written down, however long. */
static void watch_hours(struct watching *w, size_t i, size_t n)
{
    w->edge[i]++;
    if (i + n >= HOURS) {
        w->edge[HOURS]--;
        w->edge[0]++;
        n -= HOURS;
    }
    w->edge[i + n]--;
}

static void watch(struct watching *w, sharc_time from, sharc_time to)
{
    int64_t weeks = (to - from) / WEEK;
    w->edge[0] += weeks;
    w->edge[HOURS] -= weeks;
    from += weeks * WEEK;
    sharc_time first = hour_after(from), last = hour_after(to + 1) - SHARC_HOUR;
    if (first >= last) {
        spread(w->f->hours, from, to, 1);
        return;
    }
    int day, hour;
    cell_of(first, &day, &hour);
    spread(w->f->hours, from, first, 1);
    watch_hours(w, (size_t)day * 24 + (size_t)hour, (size_t)((last - first) / SHARC_HOUR));
    spread(w->f->hours, last, to, 1);
}

/* Whole hours join the parts of hours. */
static void sum_up(struct watching *w)
{
    int64_t now = 0;
    for (int i = 0; i < HOURS; i++) {
        now += w->edge[i];
        w->f->hours[i / 24][i % 24] += (double)now;
    }
}

static void note_change(struct sharc_figure_week *f, sharc_time from, const struct sharc_store_seen *seen)
{
    int day, hour;
    f->seen++;
    if (seen->last_modified != SHARC_TIME_NONE && seen->last_modified > from && seen->last_modified <= seen->when) {
        cell_of(seen->last_modified, &day, &hour);
        f->changes[day][hour]++;
        f->stated++;
    } else if (seen->when - from <= WEEK && seen->when > from) {
        spread(f->changes, from, seen->when, (double)SHARC_HOUR / (double)(seen->when - from));
    }
}

static void note(struct watching *w, const struct sharc_store_seen *seen)
{
    struct sharc_figure_week *f = w->f;
    bool answered = (seen->status >= 200 && seen->status <= 399) || seen->status == 404 || seen->status == 410;
    if (!answered || seen->when == SHARC_TIME_NONE) return;
    if (seen->url_id != w->url) {
        w->url = seen->url_id;
        w->last = SHARC_TIME_NONE;
        f->pages++;
    }
    f->looks++;
    if (f->from == SHARC_TIME_NONE || seen->when < f->from) f->from = seen->when;
    if (f->to == SHARC_TIME_NONE || seen->when > f->to) f->to = seen->when;
    if (w->last != SHARC_TIME_NONE && seen->when > w->last) watch(w, w->last, seen->when);
    if (w->last != SHARC_TIME_NONE && seen->changed) note_change(f, w->last, seen);
    w->last = seen->when;
}

int sharc_figure_week(struct sharc_store *s, sharc_store_id site, sharc_store_id url, struct sharc_figure_week *ret,
                      struct sharc_err *reterr)
{
    SHARC_AUTO(sharc_store_rows_freep) struct sharc_store_rows *rows = NULL;
    struct sharc_figure_week f = {.from = SHARC_TIME_NONE, .to = SHARC_TIME_NONE};
    const struct sharc_store_seen_filter filter = {.site = site,
                                                   .url = url,
                                                   .from = SHARC_TIME_NONE,
                                                   .to = SHARC_TIME_NONE};
    struct watching w = {.f = &f, .last = SHARC_TIME_NONE};
    struct sharc_store_seen seen;
    int r = sharc_store_observations(s, &filter, &rows, reterr);
    while (r >= 0 && (r = sharc_store_seen_next(rows, &seen, reterr)) > 0) note(&w, &seen);
    if (r < 0) return r;
    sum_up(&w);
    *ret = f;
    return 0;
}

int sharc_figure_week_once(struct sharc_store *s, const struct sharc_figure_sheet *t, struct sharc_figure_week *ret,
                           struct sharc_err *reterr)
{
    SHARC_AUTO(sharc_store_rows_freep) struct sharc_store_rows *rows = NULL;
    struct sharc_figure_week f = {.from = SHARC_TIME_NONE, .to = SHARC_TIME_NONE};
    struct watching w = {.f = &f, .last = SHARC_TIME_NONE};
    int r = sharc_store_looks(s, t->capture, &rows, reterr);
    if (r >= 0) r = sharc_store_rows_next(rows, reterr);
    if (r != 0) return r < 0 ? r : 0;
    for (size_t i = 0; i < t->count; i++)
        note(&w, &(struct sharc_store_seen){.url_id = t->id[i], .when = t->visit[i], .status = t->status[i]});
    *ret = f;
    return 1;
}

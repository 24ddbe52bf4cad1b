/* SPDX-License-Identifier: Apache-2.0
 *
 * At which hours of the week pages change.
 */
#include "figure_int.h"

#define WEEK (7 * SHARC_DAY)

struct watching {
    struct sharc_figure_week *f;
    sharc_store_id url;
    sharc_time last; /* download of that URL that answered; SHARC_TIME_NONE: none yet */
};

/* 1970-01-01 was a Thursday. */
static void cell_of(sharc_time t, int *ret_day, int *ret_hour)
{
    int64_t hours = t / SHARC_HOUR - (t % SHARC_HOUR < 0);
    int64_t days = hours / 24 - (hours % 24 < 0);
    *ret_hour = (int)(hours - days * 24);
    *ret_day = (int)(((days + 3) % 7 + 7) % 7);
}

/* Add `amount` per hour to every hour between two instants that lie at most a week apart. */
static void spread(double cells[7][24], sharc_time from, sharc_time to, double amount)
{
    while (from < to) {
        int day, hour;
        sharc_time next = (from / SHARC_HOUR - (from % SHARC_HOUR < 0) + 1) * SHARC_HOUR;
        if (next > to) next = to;
        cell_of(from, &day, &hour);
        cells[day][hour] += amount * (double)(next - from) / (double)SHARC_HOUR;
        from = next;
    }
}

static void watch(struct sharc_figure_week *f, sharc_time from, sharc_time to)
{
    int64_t weeks = (to - from) / WEEK;
    if (weeks > 0)
        for (int i = 0; i < 7 * 24; i++) f->hours[i / 24][i % 24] += (double)weeks;
    spread(f->hours, from + weeks * WEEK, to, 1);
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
    if (w->last != SHARC_TIME_NONE && seen->when > w->last) watch(f, w->last, seen->when);
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
    *ret = f;
    return 0;
}

/* SPDX-License-Identifier: Apache-2.0
 *
 * What a watch knows after a restart: its pages, lists and settings from the catalogue, the planner from its last
 * save, and every look since then, which is told to it again.
 *
 * A worker's watch is that of one site. Its notes are called after its capture ("plan:12"), and it numbers its pages
 * for itself. Such a capture has the note "queue:12", the number of the job that named its pages: a watch without a
 * job leaves it alone. What was watched without a job is taken up, with new numbers, and the plan is learned again from
 * all looks.
 */
#include "watching.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#define NOTE_PLAN "plan"
#define NOTE_STATE "state"
#define NOTE_LISTS "lists"
#define NOTE_ROBOTS "robots"
#define PLAN_BYTES ((size_t)1 << 30)
#define STATE_BYTES ((size_t)64 << 10)
#define LISTS_BYTES ((size_t)16 << 20)
#define ROBOTS_BYTES ((size_t)16 << 20)
/* Looks that were under way when the state was saved: telling one twice does no harm. */
#define OVERLAP (5 * SHARC_MINUTE)
#define PAGES_MOST 10000000 /* of a site */
#define SHORTEST_LEAST SHARC_MINUTE
#define PUT_BACK SHARC_MINUTE /* by less a clock creeps, and nobody need be told */

static bool is_job(const struct sharc_watching *w)
{
    return w->o.crawl.job.id != 0;
}

static char *note_name(const struct sharc_watching *w, const char *name)
{
    return is_job(w) ? sharc_watched_note_name(name, w->site[0].capture) : sharc_strdup(name);
}

int sharc__watching_note(struct sharc_watching *w, const char *name, struct sharc_span text, struct sharc_err *reterr)
{
    SHARC_AUTO(sharc_freep) char *full = note_name(w, name);
    return sharc_store_batch_watch_note(sharc_looks_batch(w->looks), sharc_span_of(full), text, watching_now(w),
                                        reterr);
}

static int read_note(const struct sharc_watching *w, const char *name, struct sharc_buf *out, struct sharc_err *reterr)
{
    SHARC_AUTO(sharc_freep) char *full = note_name(w, name);
    return sharc_store_watch_note(w->world.store, sharc_span_of(full), out, reterr);
}

/* --- the state in words --------------------------------------------------------------- */

static int write_state(struct sharc_watching *w, struct sharc_err *reterr)
{
    SHARC_AUTO(sharc_buf_done) struct sharc_buf b = SHARC_BUF_INIT(STATE_BYTES);
    sharc_buf_printf(&b, "budget %.17g\n%s", w->per_hour, w->paused ? "paused\n" : "");
    for (size_t i = 0; i < w->sites; i++)
        if (w->site[i].snapshot != SHARC_TIME_NONE)
            sharc_buf_printf(&b, "snapshot %" PRId64 " %" PRId64 "\n", w->site[i].capture, w->site[i].snapshot);
    return sharc__watching_note(w, NOTE_STATE, sharc_buf_span(&b), reterr);
}

static int write_lists(struct sharc_watching *w, struct sharc_err *reterr)
{
    SHARC_AUTO(sharc_buf_done) struct sharc_buf b = SHARC_BUF_INIT(LISTS_BYTES);
    for (size_t i = 0; i < w->lists; i++) {
        const struct sharc_span url = sharc_looks_url(w->looks, w->list[i].look);
        sharc_buf_printf(&b, "%" PRId64 " %.*s\n", w->site[w->list[i].site].capture, SHARC_SPAN_ARG(url));
    }
    int r = sharc_buf_result(&b, reterr);
    return r < 0 ? r : sharc__watching_note(w, NOTE_LISTS, sharc_buf_span(&b), reterr);
}

static void read_snapshots(struct sharc_watching *w, struct sharc_span text)
{
    struct sharc_span line, word[3];
    while (sharc_span_next(&text, '\n', &line)) {
        int64_t capture, when;
        for (int i = 0; i < 3; i++)
            if (!sharc_span_next(&line, ' ', &word[i])) word[i] = SHARC_SPAN_NONE;
        if (!sharc_span_is(word[0], "snapshot") || sharc_span_to_i64(word[1], &capture) < 0 ||
            sharc_span_to_i64(word[2], &when) < 0)
            continue;
        w->site[sharc__watching_site_of(w, capture)].snapshot = when < watching_now(w) ? when : watching_now(w);
    }
}

static int read_state(struct sharc_watching *w, struct sharc_err *reterr)
{
    SHARC_AUTO(sharc_buf_done) struct sharc_buf b = SHARC_BUF_INIT(STATE_BYTES);
    double per_hour = 0;
    int r = read_note(w, NOTE_STATE, &b, reterr);
    if (r <= 0) return r;
    sharc_watched_read_state(sharc_buf_span(&b), &per_hour, &w->paused);
    if (!(w->per_hour > 0) && per_hour > 0 && per_hour < 1e9) w->per_hour = per_hour;
    read_snapshots(w, sharc_buf_span(&b));
    return 0;
}

/* --- pages ------------------------------------------------------------------------------ */

static int take_up_page(struct sharc_watching *w, const struct sharc_store_watched *row, struct sharc_err *reterr)
{
    const uint32_t site = sharc__watching_site_of(w, row->capture);
    if (row->until == SHARC_TIME_NONE && w->site[site].look == SHARC_NO_ID) {
        uint32_t look = 0;
        int r = sharc_looks_site(w->looks, row->url, &look, reterr);
        if (r < 0) return r;
        w->site[site].look = look;
    }
    sharc__watching_put(w, row->number, site, row, /* held= */ false);
    return 0;
}

static int take_up_pages(struct sharc_watching *w, struct sharc_err *reterr)
{
    SHARC_AUTO(sharc_store_rows_freep) struct sharc_store_rows *rows = NULL;
    const bool anew = is_job(w) && w->named_by == 0; /* numbers of a watch without a job are those of all its sites */
    int r = sharc_store_watched(w->world.store, is_job(w) ? w->site[0].capture : 0, &rows, reterr);
    while (r >= 0 && (r = sharc_store_rows_next(rows, reterr)) > 0) {
        struct sharc_store_watched row;
        sharc_store_read_watched(rows, &row);
        if (!is_job(w) && sharc_map64_find(&w->queued, (uint64_t)row.capture)) continue;
        if (is_job(w) && row.until != SHARC_TIME_NONE) continue; /* its number is free */
        if (anew) row.number = (uint32_t)w->count;
        SHARC_FAIL_IF(row.number > w->count + (is_job(w) ? PAGES_MOST : 1000), reterr, SHARC_ECORRUPT,
                      "the catalogue's numbers of watched pages have a gap before %u", row.number);
        r = take_up_page(w, &row, reterr);
    }
    for (uint32_t i = 0; anew && i < w->count && r >= 0; i++) r = sharc__watching_row(w, i, SHARC_TIME_NONE, reterr);
    return r < 0 ? r : 0;
}

static int take_up_lists(struct sharc_watching *w, struct sharc_err *reterr)
{
    SHARC_AUTO(sharc_buf_done) struct sharc_buf b = SHARC_BUF_INIT(LISTS_BYTES);
    int r = read_note(w, NOTE_LISTS, &b, reterr);
    struct sharc_span text = sharc_buf_span(&b), line, word;
    while (r > 0 && sharc_span_next(&text, '\n', &line)) {
        int64_t capture;
        if (!sharc_span_next(&line, ' ', &word) || !line.p || sharc_span_to_i64(word, &capture) < 0) continue;
        const uint32_t site = sharc__watching_site_of(w, capture);
        if (w->site[site].look != SHARC_NO_ID) (void)sharc__watching_add_list(w, site, line);
    }
    w->lists_changed = false;
    return r < 0 ? r : 0;
}

/* Whose pages these are: of a job, or of the watch without one. */
static int read_queue(struct sharc_watching *w, struct sharc_err *reterr)
{
    SHARC_AUTO(sharc_buf_done) struct sharc_buf b = SHARC_BUF_INIT(STATE_BYTES);
    if (!is_job(w)) return sharc_watched_queued(w->world.store, &w->queued, reterr);
    int r = sharc__watching_first_site(w, reterr);
    if (r == 0) r = read_note(w, SHARC_WATCHED_QUEUE, &b, reterr);
    if (r > 0 && sharc_span_to_i64(sharc_buf_span(&b), &w->named_by) < 0) w->named_by = -1; /* of somebody */
    return r < 0 ? r : 0;
}

/* A turn of a job may be short, and the next one soon. */
static int take_up_robots(struct sharc_watching *w, struct sharc_err *reterr)
{
    SHARC_AUTO(sharc_buf_done) struct sharc_buf b = SHARC_BUF_INIT(ROBOTS_BYTES);
    if (!is_job(w)) return 0;
    int r = read_note(w, NOTE_ROBOTS, &b, reterr);
    if (r > 0) sharc_looks_restore_robots(w->looks, sharc_buf_span(&b));
    return r < 0 ? r : 0;
}

static int write_robots(struct sharc_watching *w, struct sharc_err *reterr)
{
    SHARC_AUTO(sharc_buf_done) struct sharc_buf b = SHARC_BUF_INIT(ROBOTS_BYTES);
    if (!is_job(w)) return 0;
    /* What does not fit is asked for again; what no longer holds is not taken up. */
    if (sharc_looks_save_robots(w->looks, &b, NULL) < 0 || b.n == 0) return 0;
    return sharc__watching_note(w, NOTE_ROBOTS, sharc_buf_span(&b), reterr);
}

/* Once for each job: a page that was taken out since stays out, however often workers take the watch up. */
static int name_pages(struct sharc_watching *w, struct sharc_err *reterr)
{
    char text[24];
    int r = 0;
    if (!is_job(w) || w->named_by == w->o.crawl.job.id) return 0;
    for (size_t i = 0; i < w->o.pages_count && r == 0; i++)
        r = sharc_watching_name_line(w, sharc_span_of(w->o.pages[i]), reterr);
    int n = snprintf(text, sizeof text, "%" PRId64, w->o.crawl.job.id);
    return r < 0 ? r : sharc__watching_note(w, SHARC_WATCHED_QUEUE, sharc_span(text, (size_t)n), reterr);
}

int sharc__watching_take_up(struct sharc_watching *w, struct sharc_err *reterr)
{
    int r = read_queue(w, reterr);
    if (r == 0) r = take_up_pages(w, reterr);
    if (r == 0) r = read_state(w, reterr);
    if (r == 0) r = take_up_lists(w, reterr);
    if (r == 0) r = take_up_robots(w, reterr);
    if (r == 0) r = name_pages(w, reterr);
    if (r == 0) r = sharc_looks_recall(w->looks, reterr);
    return r;
}

/* --- the planner -------------------------------------------------------------------------- */

/* Looks from an instant on, to the planner; those later than it are taken from the budget. Looks that a run with a fast
 * clock dated later than now were made before now all the same: the planner, which goes by time, must not wait for it.
 */
static int tell_again(struct sharc_watching *w, sharc_time from, sharc_time now, struct sharc_err *reterr)
{
    SHARC_AUTO(sharc_store_rows_freep) struct sharc_store_rows *rows = NULL;
    struct sharc_store_watch_filter f = SHARC_STORE_WATCH_FILTER_INIT;
    double spent = 0;
    f.from = from == SHARC_TIME_NONE ? from : from - OVERLAP;
    if (is_job(w)) f.capture = w->site[0].capture;
    int r = sharc_store_watch_looks(w->world.store, &f, &rows, reterr);
    while (r >= 0 && (r = sharc_store_rows_next(rows, reterr)) > 0) {
        struct sharc_store_watch_look l;
        sharc_store_read_watch_look(rows, &l);
        const uint32_t site = sharc__watching_site_of(w, l.capture);
        if (w->site[site].look == SHARC_NO_ID) continue;
        const uint32_t look = sharc_looks_page(w->looks, w->site[site].look, l.url, NULL);
        const uint32_t number = sharc__watching_number(w, look);
        if (number == SHARC_NO_ID) continue;
        struct sharc_observation o = sharc_watched_observation(number, &l);
        if (o.when > now) o.when = now;
        sharc_watch_observed(w->plan, &o);
        if (from != SHARC_TIME_NONE && l.when > from) spent++;
    }
    sharc_watch_spend(w->plan, spent);
    return r < 0 ? r : 0;
}

static bool was_put_back(struct sharc_watching *w, sharc_time saved, sharc_time now)
{
    char by[SHARC_TIME_TEXT];
    if (saved <= now + PUT_BACK) return false;
    sharc__watching_remark(w,
                           "the clock is %s behind the last run's: the plan is learned again, and looks dated later "
                           "than now count as made now",
                           sharc_duration_text(saved - now, by));
    return true;
}

/* 1: the planner of the last save; 0: there is none that fits. */
static int restore(struct sharc_watching *w, sharc_time now, sharc_time *ret_saved, struct sharc_err *reterr)
{
    SHARC_AUTO(sharc_buf_done) struct sharc_buf b = SHARC_BUF_INIT(PLAN_BYTES);
    struct sharc_err why = SHARC_ERR_INIT;
    int64_t saved;
    int r = read_note(w, NOTE_PLAN, &b, reterr);
    if (r <= 0) return r;
    struct sharc_span bytes = sharc_buf_span(&b), head;
    if (!sharc_span_next(&bytes, '\n', &head) || !bytes.p || sharc_span_to_i64(head, &saved) < 0) return 0;
    if (was_put_back(w, saved, now)) return 0;
    r = sharc_watch_restore(bytes, &w->plan, &why);
    if (r < 0) {
        sharc__watching_remark(w, "the saved plan cannot be used, and is learned again from all looks: %s", why.text);
        return 0;
    }
    *ret_saved = saved;
    if (sharc_watch_ops(w->plan) == w->o.strategy) return 1;
    sharc_watch_freep(&w->plan);
    return 0;
}

static void set_zone(struct sharc_watching *w)
{
    for (uint32_t i = 0; i < w->sites; i++)
        sharc_watch_site(w->plan, i, &(struct sharc_watch_site){.weight = 1, .east_of_utc = w->zone});
}

void sharc__watching_pace(struct sharc_watching *w)
{
    sharc_time want = w->o.shortest;
    if (want == 0) {
        double hours = sqrt((double)sharc_watch_pages(w->plan)) / w->per_hour;
        want = (sharc_time)(fmin(hours, 24 * 365) * (double)SHARC_HOUR);
        if (want < SHORTEST_LEAST) want = SHORTEST_LEAST;
        if (w->o.longest > 0 && want > w->o.longest / 2) want = w->o.longest / 2;
    }
    /* Every page is gone through when it is set: not for each one that joins. */
    const sharc_time off = want > w->shortest ? want - w->shortest : w->shortest - want;
    if (off == 0 || (w->shortest > 0 && off < w->shortest / 10)) return;
    w->shortest = want;
    sharc_watch_set_intervals(w->plan, want, w->o.longest);
}

int sharc__watching_plan(struct sharc_watching *w, struct sharc_err *reterr)
{
    struct sharc_watch_params params = SHARC_WATCH_PARAMS;
    sharc_time saved = SHARC_TIME_NONE;
    const sharc_time now = watching_now(w);
    int r = restore(w, now, &saved, reterr);
    if (r < 0) return r;
    w->zone = w->o.zone ? w->o.zone(w->o.zone_arg, now) : 0;
    params.east_of_utc = w->zone;
    params.shortest = w->o.shortest;
    params.longest = w->o.longest;
    if (r == 0) {
        saved = SHARC_TIME_NONE;
        r = sharc_watch_new(w->o.strategy, &params, &w->plan, reterr);
        if (r < 0) return r;
    }
    sharc_watch_set_intervals(w->plan, w->o.shortest, w->o.longest);
    w->shortest = w->o.shortest;
    sharc_watch_holidays(w->plan, w->o.holidays, w->o.holidays_count);
    sharc_watch_budget(w->plan, w->per_hour, now);
    for (uint32_t i = 0; i < w->count; i++) {
        if (w->pages[i].on)
            sharc__watching_plan_page(w, i);
        else
            sharc_watch_drop(w->plan, i);
    }
    set_zone(w);
    sharc__watching_pace(w);
    return tell_again(w, saved, now, reterr);
}

int sharc__watching_save(struct sharc_watching *w, struct sharc_err *reterr)
{
    SHARC_AUTO(sharc_buf_done) struct sharc_buf b = SHARC_BUF_INIT(PLAN_BYTES);
    sharc_buf_printf(&b, "%" PRId64 "\n", watching_now(w));
    int r = sharc_watch_save(w->plan, &b, reterr);
    if (r == 0) r = sharc__watching_note(w, NOTE_PLAN, sharc_buf_span(&b), reterr);
    if (r == 0 && w->lists_changed) r = write_lists(w, reterr);
    if (r == 0) r = write_state(w, reterr);
    if (r == 0) r = write_robots(w, reterr);
    if (r < 0) return r;
    w->lists_changed = w->state_changed = false;
    return 0;
}

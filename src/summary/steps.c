/* SPDX-License-Identifier: Apache-2.0
 *
 * Steps of a series, each of which rests on two captures, and the calendar, which rests on all of its captures.
 */
#include "summary_int.h"

#include <stdlib.h>

/* --- steps ----------------------------------------------------------------------------------- */

static struct sharc_store_summary key_of(const sharc_store_id *captures, size_t i)
{
    return (struct sharc_store_summary){.capture = captures[i], .name = i ? "step" : "first"};
}

/* The i-th step rests on its capture and the one before. */
static int find_step(struct sharc_store *s, const sharc_store_id *captures, size_t i, struct sharc_store_summary *key,
                     struct sharc_figure_step *ret, struct sharc_err *reterr)
{
    *key = key_of(captures, i);
    int r = sharc__summary_find(s, key, captures + (i ? i - 1 : 0), i ? 2 : 1, sharc__summary_put_step, ret, reterr);
    if (r <= 0) sharc_freep(&ret->key);
    return r;
}

/* Step i by itself: the two captures as a series of their own. */
static int make_step(struct summary_making *m, const sharc_store_id *captures, size_t i, struct sharc_figure_step *ret,
                     struct sharc_err *reterr)
{
    struct sharc_figure_series f = {0};
    int r = sharc_figure_series(m->store, captures + (i ? i - 1 : 0), i ? 2 : 1, &f, reterr);
    if (r < 0) return r;
    *ret = f.steps[f.count - 1];
    f.steps[f.count - 1].key = NULL;
    sharc_figure_series_done(&f);
    return 0;
}

int sharc__summary_step(struct summary_making *m, const sharc_store_id *captures, size_t i,
                        struct sharc_figure_step *ret, struct sharc_err *reterr)
{
    struct sharc_store_summary key;
    int r = find_step(m->store, captures, i, &key, ret, reterr);
    if (r != 0) return r;
    r = make_step(m, captures, i, ret, reterr);
    if (r == 0 && m->keep) r = sharc__summary_keep(m->store, &key, sharc__summary_put_step, ret, reterr);
    m->made += r == 0 && m->keep;
    return r;
}

static int none_is_there(struct sharc_store *s, const sharc_store_id *captures, size_t n, struct sharc_err *reterr)
{
    for (size_t i = 0; i < n; i++) {
        struct sharc_figure_step f = {0};
        struct sharc_store_summary key;
        int r = find_step(s, captures, i, &key, &f, reterr);
        sharc_freep(&f.key);
        if (r != 0) return r < 0 ? r : 0;
    }
    return 1;
}

/* The name of the site is not kept: it is in its captures' rows. */
static int name_site(struct sharc_store *s, sharc_store_id capture, char **ret, struct sharc_err *reterr)
{
    SHARC_AUTO(sharc_store_rows_freep) struct sharc_store_rows *rows = NULL;
    struct sharc_store_capture_filter f = SHARC_STORE_CAPTURE_FILTER_INIT;
    struct sharc_store_capture row;
    f.id = capture;
    int r = sharc_store_captures(s, &f, &rows, reterr);
    if (r >= 0) r = sharc_store_rows_next(rows, reterr);
    SHARC_FAIL_IF(r == 0, reterr, SHARC_ENOENT, "there is no capture %lld", (long long)capture);
    if (r < 0) return r;
    sharc_store_read_capture(rows, &row);
    *ret = sharc_span_dup(row.site_name);
    return 0;
}

int sharc_summary_steps(struct sharc_store *s, const sharc_store_id *captures, size_t n,
                        struct sharc_figure_series *ret, struct sharc_err *reterr)
{
    SHARC_AUTO(sharc_figure_series_done) struct sharc_figure_series f = {0};
    struct summary_making m = {.store = s};
    int r = none_is_there(s, captures, n, reterr);
    if (r < 0) return r;
    /* One by one each capture is read twice. */
    if (r > 0) return sharc_figure_series(s, captures, n, ret, reterr);
    f.steps = SHARC_NEW_ARRAY(struct sharc_figure_step, n + 1);
    r = name_site(s, captures[0], &f.site, reterr);
    for (size_t i = 0; r >= 0 && i < n; i++) {
        r = sharc__summary_step(&m, captures, i, &f.steps[i], reterr);
        f.count += r >= 0;
    }
    if (r < 0) return r;
    *ret = f;
    f = (struct sharc_figure_series){0};
    return 0;
}

/* --- calendar --------------------------------------------------------------------------------- */

static int make_calendar(struct sharc_store *s, const sharc_store_id *captures, size_t n, void *x,
                         struct sharc_err *reterr)
{
    return sharc_figure_calendar(s, captures, n, SHARC_SUMMARY_ROWS, x, reterr);
}

static void calendar_done(void *x)
{
    sharc_figure_calendar_done(x);
}

static const struct summary_kind calendar_kind = {"calendar", sharc__summary_put_calendar, make_calendar, calendar_done,
                                                  false};

int sharc__summary_calendar(struct summary_making *m, const sharc_store_id *captures, size_t n, size_t most,
                            struct sharc_figure_calendar *ret, struct sharc_err *reterr)
{
    struct sharc_figure_calendar f = {0};
    if (most != SHARC_SUMMARY_ROWS || n == 0) return sharc_figure_calendar(m->store, captures, n, most, ret, reterr);
    int r = sharc__summary_obtain(m, &calendar_kind, captures, n, true, &f, reterr);
    if (r == 0 && ret)
        *ret = f;
    else
        sharc_figure_calendar_done(&f);
    return r;
}

int sharc_summary_calendar(struct sharc_store *s, const sharc_store_id *captures, size_t n, size_t most,
                           struct sharc_figure_calendar *ret, struct sharc_err *reterr)
{
    struct summary_making m = {.store = s};
    return sharc__summary_calendar(&m, captures, n, most, ret, reterr);
}

/* --- parts -------------------------------------------------------------------------------------- */

static int make_subsites(struct sharc_store *s, const sharc_store_id *captures, size_t n, void *x,
                         struct sharc_err *reterr)
{
    return sharc_figure_subsites(s, captures, n, x, reterr);
}

static void subsites_done(void *x)
{
    sharc_figure_subsites_done(x);
}

static const struct summary_kind subsites_kind = {"subsites", sharc__summary_put_subsites, make_subsites, subsites_done,
                                                  false};

/* Of one capture whose sheet was made just now. */
static int keep_subsites(struct summary_making *m, sharc_store_id capture, struct sharc_err *reterr)
{
    SHARC_AUTO(sharc_figure_sheet_done) struct sharc_figure_sheet t = {0};
    SHARC_AUTO(sharc_figure_subsites_done) struct sharc_figure_subsites f = {0};
    struct sharc_store_summary key = {.capture = capture, .name = subsites_kind.name};
    int r = sharc__summary_find(m->store, &key, &capture, 1, subsites_kind.put, NULL, reterr);
    if (r != 0) return r < 0 ? r : 0;
    r = sharc__summary_sheet(m, capture, &t, reterr);
    if (r == 0) r = sharc_figure_subsites_once(m->store, &t, &f, reterr);
    if (r == 0) r = sharc__summary_keep(m->store, &key, subsites_kind.put, &f, reterr);
    m->made += r == 0;
    return r;
}

int sharc__summary_subsites(struct summary_making *m, const sharc_store_id *captures, size_t n,
                            struct sharc_figure_subsites *ret, struct sharc_err *reterr)
{
    struct sharc_figure_subsites f = {0};
    if (n == 0) return sharc_figure_subsites(m->store, captures, n, ret, reterr);
    if (n == 1 && m->keep && !ret) return keep_subsites(m, captures[0], reterr);
    int r = sharc__summary_obtain(m, &subsites_kind, captures, n, true, &f, reterr);
    if (r == 0 && ret)
        *ret = f;
    else
        sharc_figure_subsites_done(&f);
    return r;
}

int sharc_summary_subsites(struct sharc_store *s, const sharc_store_id *captures, size_t n,
                           struct sharc_figure_subsites *ret, struct sharc_err *reterr)
{
    struct summary_making m = {.store = s};
    return sharc__summary_subsites(&m, captures, n, ret, reterr);
}

/* --- hours of the week ---------------------------------------------------------------------------- */

/* All captures of a site, by start; *ret is malloc'ed. */
static int captures_of(struct sharc_store *s, sharc_store_id site, sharc_store_id **ret, size_t *ret_n,
                       bool *ret_watched, struct sharc_err *reterr)
{
    SHARC_AUTO(sharc_store_rows_freep) struct sharc_store_rows *rows = NULL;
    struct sharc_store_capture_filter f = SHARC_STORE_CAPTURE_FILTER_INIT;
    struct sharc_store_capture row;
    size_t room = 0;
    f.site = site;
    *ret_n = 0;
    *ret_watched = false;
    int r = sharc_store_captures(s, &f, &rows, reterr);
    while (r >= 0 && (r = sharc_store_rows_next(rows, reterr)) > 0) {
        sharc_store_read_capture(rows, &row);
        *ret_watched = *ret_watched || sharc_span_is(row.source, "watch");
        SHARC_GROW(*ret, room, *ret_n + 1);
        (*ret)[(*ret_n)++] = row.id;
    }
    return r;
}

/* A site that was captured once, page by page: the sheet, which was made just now, tells all. 0: it does not. */
static int make_week_once(struct summary_making *m, sharc_store_id capture, struct sharc_figure_week *ret,
                          struct sharc_err *reterr)
{
    SHARC_AUTO(sharc_figure_sheet_done) struct sharc_figure_sheet t = {0};
    int r = sharc__summary_sheet(m, capture, &t, reterr);
    return r < 0 ? r : sharc_figure_week_once(m->store, &t, ret, reterr);
}

/* Kept with the site's newest capture, and rests on all of them. */
int sharc__summary_week(struct summary_making *m, sharc_store_id site, struct sharc_figure_week *ret,
                        struct sharc_err *reterr)
{
    SHARC_AUTO(sharc_freep) sharc_store_id *captures = NULL;
    struct sharc_figure_week w = {.from = SHARC_TIME_NONE, .to = SHARC_TIME_NONE};
    struct sharc_store_summary key = {.name = "week"};
    size_t n = 0;
    bool watched;
    int r = captures_of(m->store, site, &captures, &n, &watched, reterr);
    if (r < 0) return r;
    if (n == 0) return ret ? sharc_figure_week(m->store, site, 0, ret, reterr) : 0;
    key.capture = captures[n - 1];
    r = sharc__summary_find(m->store, &key, captures, n, sharc__summary_put_week, ret ? &w : NULL, reterr);
    if (r == 0) {
        r = n == 1 && m->keep && !watched ? make_week_once(m, captures[0], &w, reterr) : 0;
        if (r == 0) r = sharc_figure_week(m->store, site, 0, &w, reterr);
        if (r > 0) r = 0;
        if (r == 0 && m->keep) r = sharc__summary_keep(m->store, &key, sharc__summary_put_week, &w, reterr);
        m->made += r == 0 && m->keep;
    }
    if (r < 0) return r;
    if (ret) *ret = w;
    return 0;
}

int sharc_summary_week(struct sharc_store *s, sharc_store_id site, struct sharc_figure_week *ret,
                       struct sharc_err *reterr)
{
    struct summary_making m = {.store = s};
    return sharc__summary_week(&m, site, ret, reterr);
}

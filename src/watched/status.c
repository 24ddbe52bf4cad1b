/* SPDX-License-Identifier: Apache-2.0
 *
 * What is watched and what is due next, from the catalogue: the planner is restored from its last save, and told what
 * was looked at since.
 */
#include "sharc/watched.h"

#include "sharc/base_map.h"

#include <stdlib.h>

#define PLAN_BYTES ((size_t)1 << 30)
#define OVERLAP (5 * SHARC_MINUTE)

void sharc_watched_status_done(struct sharc_watched_status *s)
{
    for (size_t i = 0; i < s->count; i++) free(s->next[i].url);
    free(s->next);
    free(s->strategy);
    *s = (struct sharc_watched_status){0};
}

void sharc_watched_read_state(struct sharc_span text, double *ret_per_hour, bool *ret_paused)
{
    struct sharc_span line;
    while (sharc_span_next(&text, '\n', &line)) {
        if (sharc_span_is(line, "paused")) *ret_paused = true;
        if (line.n > 7 && memcmp(line.p, "budget ", 7) == 0)
            (void)sharc_span_to_double(sharc_span_from(line, 7), ret_per_hour);
    }
}

struct sharc_observation sharc_watched_observation(uint32_t number, const struct sharc_store_watch_look *l)
{
    struct sharc_observation o = {.page = number, .when = l->when, .rate = -1, .importance = l->importance};
    switch (l->shown) {
    case SHARC_SHOWN_FIRST: o.change = SHARC_NEW; break;
    case SHARC_SHOWN_CHANGED:
        o.change = l->change == SHARC_LINKS_CHANGED ? SHARC_LINKS_CHANGED : SHARC_TEXT_CHANGED;
        break;
    case SHARC_SHOWN_GONE:
    case SHARC_SHOWN_BACK: o.change = SHARC_TEXT_CHANGED; break;
    case SHARC_SHOWN_FAILED: o.change = SHARC_FAILED; break;
    case SHARC_SHOWN_SAME:
    case SHARC_SHOWN_NOISE:
    case SHARC_SHOWN_COUNT: o.change = SHARC_UNCHANGED; break;
    }
    return o;
}

static int restore(struct sharc_store *store, struct sharc_watch **ret, sharc_time *ret_saved, struct sharc_err *reterr)
{
    SHARC_AUTO(sharc_buf_done) struct sharc_buf b = SHARC_BUF_INIT(PLAN_BYTES);
    int64_t saved;
    int r = sharc_store_watch_note(store, SHARC_SPAN("plan"), &b, reterr);
    if (r <= 0) return r;
    struct sharc_span bytes = sharc_buf_span(&b), head;
    if (!sharc_span_next(&bytes, '\n', &head) || !bytes.p || sharc_span_to_i64(head, &saved) < 0) return 0;
    r = sharc_watch_restore(bytes, ret, reterr);
    if (r == SHARC_EUNSUPPORTED) return 0; /* of another sharc: the next watch learns it again */
    *ret_saved = saved;
    return r;
}

/* Looks since the save, and how many there are of which kind. */
static int tell_again(struct sharc_store *store, sharc_store_id capture, struct sharc_watch *plan,
                      const struct sharc_map64 *numbers, sharc_time now, struct sharc_watched_status *ret,
                      struct sharc_err *reterr)
{
    SHARC_AUTO(sharc_store_rows_freep) struct sharc_store_rows *rows = NULL;
    struct sharc_store_watch_filter f = SHARC_STORE_WATCH_FILTER_INIT;
    int r = sharc_store_watch_looks(store, &f, &rows, reterr);
    while (r >= 0 && (r = sharc_store_rows_next(rows, reterr)) > 0) {
        struct sharc_store_watch_look l;
        sharc_store_read_watch_look(rows, &l);
        const bool asked = !capture || l.capture == capture;
        ret->looks += asked;
        ret->last_day += asked && now - l.when <= SHARC_DAY;
        if (asked)
            ret->changes +=
                l.shown == SHARC_SHOWN_CHANGED || l.shown == SHARC_SHOWN_GONE || l.shown == SHARC_SHOWN_BACK;
        const uint64_t *number = sharc_map64_find(numbers, (uint64_t)l.url_id);
        if (!plan || !number || (ret->saved != SHARC_TIME_NONE && l.when < ret->saved - OVERLAP)) continue;
        const struct sharc_observation o = sharc_watched_observation((uint32_t)*number, &l);
        sharc_watch_observed(plan, &o);
    }
    return r < 0 ? r : 0;
}

static enum sharc_watch_why why(const struct sharc_watch_view *v, sharc_time longest)
{
    if (!v->settings.held) return SHARC_WATCH_FIRST;
    if (v->signals) return SHARC_WATCH_TOLD;
    return longest > 0 && v->due != SHARC_TIME_NONE && v->due >= v->last + longest ? SHARC_WATCH_LATE
                                                                                   : SHARC_WATCH_WORTH;
}

static int sooner(const void *a, const void *b)
{
    const struct sharc_watched_next *x = a, *y = b;
    const sharc_time p = x->view.due == SHARC_TIME_NONE ? INT64_MAX : x->view.due;
    const sharc_time q = y->view.due == SHARC_TIME_NONE ? INT64_MAX : y->view.due;
    if (p != q) return p < q ? -1 : 1;
    return strcmp(x->url, y->url);
}

static void add_next(struct sharc_watched_status *ret, size_t *room, struct sharc_watch *plan,
                     const struct sharc_store_watched *row, sharc_time now)
{
    struct sharc_watch_view v;
    if (!plan || !sharc_watch_look(plan, row->number, now, &v)) return;
    SHARC_GROW(ret->next, *room, ret->count + 1);
    ret->next[ret->count++] = (struct sharc_watched_next){.capture = row->capture,
                                                          .url = sharc_span_dup(row->url),
                                                          .view = v,
                                                          .why = why(&v, v.settings.longest)};
}

static int read_pages(struct sharc_store *store, sharc_store_id capture, struct sharc_map64 *numbers,
                      struct sharc_watched_status *ret, struct sharc_err *reterr)
{
    SHARC_AUTO(sharc_store_rows_freep) struct sharc_store_rows *rows = NULL;
    int r = sharc_store_watched(store, 0, &rows, reterr);
    while (r >= 0 && (r = sharc_store_rows_next(rows, reterr)) > 0) {
        struct sharc_store_watched row;
        sharc_store_read_watched(rows, &row);
        ret->any = true;
        if (row.until != SHARC_TIME_NONE) continue;
        ret->pages += !capture || row.capture == capture;
        *sharc_map64_at(numbers, (uint64_t)row.url_id) = row.number;
    }
    return r < 0 ? r : 0;
}

static int list_next(struct sharc_store *store, sharc_store_id capture, struct sharc_watch *plan, sharc_time now,
                     struct sharc_watched_status *ret, struct sharc_err *reterr)
{
    SHARC_AUTO(sharc_store_rows_freep) struct sharc_store_rows *rows = NULL;
    size_t room = 0;
    int r = sharc_store_watched(store, capture, &rows, reterr);
    while (r >= 0 && (r = sharc_store_rows_next(rows, reterr)) > 0) {
        struct sharc_store_watched row;
        sharc_store_read_watched(rows, &row);
        if (row.until == SHARC_TIME_NONE) add_next(ret, &room, plan, &row, now);
    }
    return r < 0 ? r : 0;
}

static int read_state(struct sharc_store *store, struct sharc_watched_status *ret, struct sharc_err *reterr)
{
    SHARC_AUTO(sharc_buf_done) struct sharc_buf b = SHARC_BUF_INIT((size_t)64 << 10);
    int r = sharc_store_watch_note(store, SHARC_SPAN("state"), &b, reterr);
    if (r > 0) sharc_watched_read_state(sharc_buf_span(&b), &ret->per_hour, &ret->paused);
    return r < 0 ? r : 0;
}

int sharc_watched_status(struct sharc_store *store, sharc_store_id capture, sharc_time now, size_t most,
                         struct sharc_watched_status *ret, struct sharc_err *reterr)
{
    SHARC_AUTO(sharc_watch_freep) struct sharc_watch *plan = NULL;
    struct sharc_map64 numbers;
    *ret = (struct sharc_watched_status){.per_hour = -1, .saved = SHARC_TIME_NONE};
    sharc_map64_init(&numbers);
    int r = read_pages(store, capture, &numbers, ret, reterr);
    if (r == 0 && ret->any) r = read_state(store, ret, reterr);
    if (r == 0 && ret->any) r = restore(store, &plan, &ret->saved, reterr);
    if (r >= 0 && ret->any) r = tell_again(store, capture, plan, &numbers, now, ret, reterr);
    if (r >= 0 && plan) {
        ret->strategy = sharc_strdup(sharc_watch_name(sharc_watch_ops(plan)));
        r = list_next(store, capture, plan, now, ret, reterr);
    }
    sharc_map64_done(&numbers);
    if (ret->count) qsort(ret->next, ret->count, sizeof *ret->next, sooner);
    while (ret->count > most) free(ret->next[--ret->count].url);
    return r < 0 ? r : 0;
}

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
#define NAMES_BYTES ((size_t)64 << 20)

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

/* --- watches of jobs ------------------------------------------------------------------ */

char *sharc_watched_note_name(const char *name, sharc_store_id capture)
{
    return sharc_asprintf("%s:%lld", name, (long long)capture);
}

int sharc_watched_queued(struct sharc_store *store, struct sharc_map64 *ret, struct sharc_err *reterr)
{
    SHARC_AUTO(sharc_buf_done) struct sharc_buf b = SHARC_BUF_INIT(NAMES_BYTES);
    struct sharc_span line, number;
    int r = sharc_store_watch_notes(store, SHARC_SPAN(SHARC_WATCHED_QUEUE ":"), &b, reterr);
    struct sharc_span rest = sharc_buf_span(&b);
    while (r >= 0 && sharc_span_next(&rest, '\n', &line)) {
        int64_t capture;
        if (line.n == 0) continue;
        number = sharc_span_from(line, strlen(SHARC_WATCHED_QUEUE ":"));
        if (sharc_span_to_i64(number, &capture) == 0 && capture > 0) *sharc_map64_at(ret, (uint64_t)capture) = 1;
    }
    return r < 0 ? r : 0;
}

/* One plan: that of the watch without a job (capture 0), or of a job's. */
struct planned {
    struct sharc_store *store;
    sharc_store_id capture;
    const struct sharc_map64 *queued;
    struct sharc_watch *plan;
    sharc_time saved;
    struct sharc_map64 numbers; /* of its pages, by URL */
};

static bool is_of(const struct planned *p, sharc_store_id capture)
{
    return p->capture ? capture == p->capture : !sharc_map64_find(p->queued, (uint64_t)capture);
}

static int read_note(const struct planned *p, const char *name, struct sharc_buf *out, struct sharc_err *reterr)
{
    SHARC_AUTO(sharc_freep)
    char *full = p->capture ? sharc_watched_note_name(name, p->capture) : sharc_strdup(name);
    return sharc_store_watch_note(p->store, sharc_span_of(full), out, reterr);
}

static int restore(struct planned *p, struct sharc_err *reterr)
{
    SHARC_AUTO(sharc_buf_done) struct sharc_buf b = SHARC_BUF_INIT(PLAN_BYTES);
    int64_t saved;
    int r = read_note(p, "plan", &b, reterr);
    if (r <= 0) return r;
    struct sharc_span bytes = sharc_buf_span(&b), head;
    if (!sharc_span_next(&bytes, '\n', &head) || !bytes.p || sharc_span_to_i64(head, &saved) < 0) return 0;
    r = sharc_watch_restore(bytes, &p->plan, reterr);
    if (r == SHARC_EUNSUPPORTED) return 0; /* of another sharc: the next watch learns it again */
    p->saved = saved;
    return r;
}

/* Looks since the save, and how many there are of which kind. */
static int tell_again(struct planned *p, sharc_store_id only, sharc_time now, struct sharc_watched_status *ret,
                      struct sharc_err *reterr)
{
    SHARC_AUTO(sharc_store_rows_freep) struct sharc_store_rows *rows = NULL;
    struct sharc_store_watch_filter f = SHARC_STORE_WATCH_FILTER_INIT;
    f.capture = p->capture;
    int r = sharc_store_watch_looks(p->store, &f, &rows, reterr);
    while (r >= 0 && (r = sharc_store_rows_next(rows, reterr)) > 0) {
        struct sharc_store_watch_look l;
        sharc_store_read_watch_look(rows, &l);
        if (!is_of(p, l.capture)) continue;
        const bool asked = !only || l.capture == only;
        ret->looks += asked;
        ret->last_day += asked && now - l.when <= SHARC_DAY;
        if (asked)
            ret->changes +=
                l.shown == SHARC_SHOWN_CHANGED || l.shown == SHARC_SHOWN_GONE || l.shown == SHARC_SHOWN_BACK;
        const uint64_t *number = sharc_map64_find(&p->numbers, (uint64_t)l.url_id);
        if (!p->plan || !number || (p->saved != SHARC_TIME_NONE && l.when < p->saved - OVERLAP)) continue;
        const struct sharc_observation o = sharc_watched_observation((uint32_t)*number, &l);
        sharc_watch_observed(p->plan, &o);
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

static int read_pages(struct planned *p, sharc_store_id only, struct sharc_watched_status *ret,
                      struct sharc_err *reterr)
{
    SHARC_AUTO(sharc_store_rows_freep) struct sharc_store_rows *rows = NULL;
    int r = sharc_store_watched(p->store, p->capture, &rows, reterr);
    while (r >= 0 && (r = sharc_store_rows_next(rows, reterr)) > 0) {
        struct sharc_store_watched row;
        sharc_store_read_watched(rows, &row);
        if (!is_of(p, row.capture)) continue;
        ret->any = true;
        if (row.until != SHARC_TIME_NONE) continue;
        ret->pages += !only || row.capture == only;
        *sharc_map64_at(&p->numbers, (uint64_t)row.url_id) = row.number;
    }
    return r < 0 ? r : 0;
}

static int list_next(struct planned *p, sharc_store_id only, sharc_time now, size_t *room,
                     struct sharc_watched_status *ret, struct sharc_err *reterr)
{
    SHARC_AUTO(sharc_store_rows_freep) struct sharc_store_rows *rows = NULL;
    int r = sharc_store_watched(p->store, p->capture ? p->capture : only, &rows, reterr);
    while (r >= 0 && (r = sharc_store_rows_next(rows, reterr)) > 0) {
        struct sharc_store_watched row;
        sharc_store_read_watched(rows, &row);
        if (row.until == SHARC_TIME_NONE && is_of(p, row.capture)) add_next(ret, room, p->plan, &row, now);
    }
    return r < 0 ? r : 0;
}

/* Several watches together have the sum of their budgets, and are as old as the oldest save. */
static int read_state(const struct planned *p, struct sharc_watched_status *ret, struct sharc_err *reterr)
{
    SHARC_AUTO(sharc_buf_done) struct sharc_buf b = SHARC_BUF_INIT((size_t)64 << 10);
    double per_hour = -1;
    int r = read_note(p, "state", &b, reterr);
    if (r > 0) sharc_watched_read_state(sharc_buf_span(&b), &per_hour, &ret->paused);
    if (per_hour > 0) ret->per_hour = ret->per_hour > 0 ? ret->per_hour + per_hour : per_hour;
    return r < 0 ? r : 0;
}

static int add_plan(struct planned *p, sharc_store_id only, sharc_time now, size_t *room,
                    struct sharc_watched_status *ret, struct sharc_err *reterr)
{
    const bool any = ret->any;
    ret->any = false;
    int r = read_pages(p, only, ret, reterr);
    const bool here = ret->any;
    ret->any = any || here;
    if (r < 0 || !here) return r;
    r = read_state(p, ret, reterr);
    if (r == 0) r = restore(p, reterr);
    if (r >= 0) r = tell_again(p, only, now, ret, reterr);
    if (r < 0 || !p->plan) return r;
    if (!ret->strategy) ret->strategy = sharc_strdup(sharc_watch_name(sharc_watch_ops(p->plan)));
    if (ret->saved == SHARC_TIME_NONE || p->saved < ret->saved) ret->saved = p->saved;
    return list_next(p, only, now, room, ret, reterr);
}

/* The keys of a map, one after the other. */
static bool next_key(const struct sharc_map64 *m, size_t *at, sharc_store_id *ret)
{
    while (*at < m->room && !m->used[*at]) ++*at;
    if (*at >= m->room) return false;
    *ret = (sharc_store_id)m->keys[(*at)++];
    return true;
}

int sharc_watched_status(struct sharc_store *store, sharc_store_id capture, sharc_time now, size_t most,
                         struct sharc_watched_status *ret, struct sharc_err *reterr)
{
    struct sharc_map64 queued;
    size_t room = 0;
    *ret = (struct sharc_watched_status){.per_hour = -1, .saved = SHARC_TIME_NONE};
    sharc_map64_init(&queued);
    int r = sharc_watched_queued(store, &queued, reterr);
    /* The watch without a job first, then those of jobs. */
    sharc_store_id of = 0;
    size_t at = 0;
    do {
        struct planned p = {.store = store, .capture = of, .queued = &queued, .saved = SHARC_TIME_NONE};
        sharc_map64_init(&p.numbers);
        if (r == 0 && (!capture || is_of(&p, capture))) r = add_plan(&p, capture, now, &room, ret, reterr);
        sharc_map64_done(&p.numbers);
        sharc_watch_free(p.plan);
    } while (r == 0 && next_key(&queued, &at, &of));
    sharc_map64_done(&queued);
    if (ret->count) qsort(ret->next, ret->count, sizeof *ret->next, sooner);
    while (ret->count > most) free(ret->next[--ret->count].url);
    return r < 0 ? r : 0;
}

/* SPDX-License-Identifier: Apache-2.0
 *
 * /api/watch: what watching a site has brought, period by period, and what is due next and why.
 */
#include "api.h"

#include "sharc/schedule_watch.h"
#include "sharc/watched.h"

enum { DUE_USUAL = 50, DUE_MOST = 1000 };

static void put_measures(struct sharc_json *j, const struct sharc_watched *w)
{
    sharc_json_uint(j, "pages", w->pages);
    sharc_json_uint(j, "looked_at", w->looked);
    if (w->count) {
        sharc_json_object(j, "all");
        sharc_watched_put_json(j, &w->all);
        sharc_json_end(j);
    } else {
        sharc_json_null(j, "all");
    }
    sharc_json_array(j, "periods");
    for (size_t i = 0; i < w->count; i++) {
        sharc_json_object(j, NULL);
        sharc_watched_put_json(j, &w->periods[i]);
        sharc_json_end(j);
    }
    sharc_json_end(j);
}

static void put_due(struct sharc_json *j, const struct sharc_watched_next *n)
{
    const struct sharc_watch_view *v = &n->view;
    sharc_json_object(j, NULL);
    sharc_json_str(j, "url", n->url);
    sharc__serve_api_time(j, "due", v->due);
    sharc_json_str(j, "why", sharc_watch_why_name(n->why));
    sharc__serve_api_time(j, "last", v->settings.held ? v->last : SHARC_TIME_NONE);
    sharc__serve_api_time(j, "last_change", v->last_change);
    sharc_json_real(j, "per_second", v->rate / 3600);
    sharc_json_real(j, "changed", v->changed);
    sharc_json_uint(j, "signals", v->signals);
    sharc_json_end(j);
}

int sharc__serve_api_watch(struct api_call *a, struct sharc_err *reterr)
{
    SHARC_AUTO(sharc_watched_done) struct sharc_watched w = {0};
    SHARC_AUTO(sharc_watched_status_done) struct sharc_watched_status s = {0};
    struct sharc_clock *clock = sharc_clock_real();
    struct sharc_json *j = &a->json;
    sharc_store_id capture;
    uint64_t limit;
    int r = sharc__serve_api_capture_of(a, "capture", &capture, reterr);
    if (r == 0) r = sharc__serve_api_number(a, "limit", DUE_USUAL, DUE_MOST, &limit, reterr);
    if (r == 0) r = sharc_watched_measure(a->store, capture, &w, reterr);
    if (r >= 0) r = sharc_watched_status(a->store, capture, clock->now(clock), limit, &s, reterr);
    if (r < 0) return r;
    sharc_json_int(j, "capture", capture);
    put_measures(j, &w);
    sharc_json_str(j, "strategy", s.strategy);
    if (s.per_hour >= 0)
        sharc_json_real(j, "requests_per_hour", s.per_hour);
    else
        sharc_json_null(j, "requests_per_hour");
    sharc_json_bool(j, "paused", s.paused);
    sharc_json_uint(j, "watched", s.pages);
    sharc_json_array(j, "due");
    for (size_t i = 0; i < s.count; i++) put_due(j, &s.next[i]);
    sharc_json_end(j);
    return 0;
}

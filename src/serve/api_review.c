/* SPDX-License-Identifier: Apache-2.0
 *
 * /api/reviews and /api/review: what people decided about pages of a capture. The one thing below /api/ that writes:
 * only where the server has a token, and to whoever shows it. Another site's page cannot make a browser send that
 * header.
 */
#include "api.h"

#include "sharc/archive.h"
#include "sharc/store_review.h"

#include <stdlib.h>

static void put_review(struct sharc_json *j, const struct sharc_store_review *v)
{
    sharc_json_span(j, "url", v->url);
    sharc_json_str(j, "state", sharc_review_state_word(v->state));
    sharc_json_span(j, "note", v->note);
    sharc_json_span(j, "who", v->who);
    sharc__serve_api_time(j, "when", v->when);
}

int sharc__serve_api_reviews(struct api_call *a, struct sharc_err *reterr)
{
    SHARC_AUTO(sharc_store_rows_freep) struct sharc_store_rows *rows = NULL;
    struct sharc_store_review_filter f = SHARC_STORE_REVIEW_FILTER_INIT;
    uint64_t counts[SHARC_REVIEW_STATE_COUNT] = {0}, told = 0;
    struct sharc_json *j = &a->json;
    int r = sharc__serve_api_capture_of(a, "capture", &f.capture, reterr);
    if (r == 0) r = sharc_store_review_counts(a->store, f.capture, counts, reterr);
    if (r == 0) r = sharc_store_reviews(a->store, &f, &rows, reterr);
    if (r < 0) return r;
    sharc_json_int(j, "capture", f.capture);
    sharc_json_bool(j, "writable", a->call->server->token != NULL);
    sharc_json_object(j, "counts");
    for (int i = 0; i < SHARC_REVIEW_STATE_COUNT; i++)
        sharc_json_uint(j, sharc_review_state_word((enum sharc_review_state)i), counts[i]);
    sharc_json_end(j);
    sharc_json_array(j, "reviews");
    while ((r = sharc_store_rows_next(rows, reterr)) > 0 && told++ < 10000) {
        struct sharc_store_review v;
        sharc_store_read_review(rows, &v);
        sharc_json_object(j, NULL);
        put_review(j, &v);
        sharc_json_end(j);
    }
    sharc_json_end(j);
    return r < 0 ? r : 0;
}

int sharc__serve_api_review(struct api_call *a, struct sharc_err *reterr)
{
    SHARC_AUTO(sharc_freep) char *url = sharc__serve_api_text(a, "url"), *state = sharc__serve_api_text(a, "state");
    SHARC_AUTO(sharc_freep) char *note = sharc__serve_api_text(a, "note"), *who = sharc__serve_api_text(a, "who");
    struct sharc_clock *clock = a->call->server->o.clock;
    struct sharc_store_review v = {.url = sharc_span_of(url), .note = sharc_span_of(note), .who = sharc_span_of(who)};
    v.when = clock->now(clock);
    SHARC_FAIL_IF(!*url, reterr, SHARC_EINVAL, "name a page: url=http://example.org/");
    SHARC_FAIL_IF(!sharc_review_state_of(sharc_span_of(state), &v.state), reterr, SHARC_EINVAL,
                  "state must be open, approved or rejected");
    int r = sharc__serve_api_capture_of(a, "capture", &v.capture, reterr);
    if (r == 0) r = sharc_store_url_find(a->store, v.url, &v.url_id, reterr);
    if (r == 0) r = sharc_store_review_put(a->store, &v, reterr);
    if (r == 0) put_review(&a->json, &v);
    return r;
}

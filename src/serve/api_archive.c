/* SPDX-License-Identifier: Apache-2.0
 *
 * /api/archives, /api/archive, /api/captures, /api/series.
 */
#include "api.h"

#include "sharc/archive_status.h"
#include "sharc/assess.h"
#include "sharc/change_grade.h"
#include "sharc/summary.h"

#include <math.h>
#include <stdlib.h>

int sharc__serve_api_archives(struct api_call *a, struct sharc_err *reterr)
{
    (void)reterr;
    const struct sharc_collection *k = a->call->edition->collection;
    uint64_t number = 0;
    sharc_json_array(&a->json, "archives");
    for (size_t i = 0; i < k->path_count; i++) {
        if (!sharc_archive_is(k->paths[i])) continue;
        sharc_json_object(&a->json, NULL);
        sharc_json_uint(&a->json, "archive", number++);
        sharc_json_str(&a->json, "name", sharc_path_last(k->paths[i]));
        sharc_json_end(&a->json);
    }
    sharc_json_end(&a->json);
    return 0;
}

/* --- one archive ------------------------------------------------------------------------------ */

/* A site, how many captures it has, and the times of the first and the last. */
static void put_series(struct sharc_json *j, const struct sharc_archive_status *s)
{
    sharc_json_array(j, "series");
    for (size_t i = 0; i < s->count; i++) {
        uint64_t captures = 0;
        sharc_time first = s->captures[i].start;
        bool told = false;
        for (size_t k = 0; k < i && !told; k++) told = strcmp(s->captures[k].site, s->captures[i].site) == 0;
        if (told) continue;
        for (size_t k = i; k < s->count; k++) {
            if (strcmp(s->captures[k].site, s->captures[i].site) != 0) continue;
            captures++;
            first = s->captures[k].start;
        }
        sharc_json_object(j, NULL);
        sharc_json_str(j, "site", s->captures[i].site);
        sharc_json_uint(j, "captures", captures);
        sharc__serve_api_time(j, "first", first);
        sharc__serve_api_time(j, "last", s->captures[i].start);
        sharc_json_end(j);
    }
    sharc_json_end(j);
}

static void put_progress(struct sharc_json *j, const struct sharc_archive_progress *p)
{
    if (!p->known) {
        sharc_json_null(j, "progress");
        return;
    }
    sharc_json_object(j, "progress");
    sharc__serve_api_time(j, "when", p->when);
    sharc_json_uint(j, "discovered", p->discovered);
    sharc_json_uint(j, "queued", p->queued);
    sharc_json_uint(j, "downloads", p->downloads);
    sharc_json_uint(j, "failed", p->failed);
    sharc_json_end(j);
}

int sharc__serve_api_archive(struct api_call *a, struct sharc_err *reterr)
{
    static const char *const indexes[] = {"none", "current", "behind", "unknown"};
    struct sharc_archive_status s = {0};
    struct sharc_json *j = &a->json;
    int r = sharc_archive_status(a->directory, NULL, &s, reterr);
    if (r < 0) return r;
    sharc_json_str(j, "name", sharc_path_last(a->directory));
    sharc_json_str(j, "catalogue", s.catalogue ? sharc_path_last(s.catalogue) : NULL);
    sharc_json_str(j, "error", s.error.code ? s.error.text : NULL);
    sharc_json_uint(j, "sites", s.sites);
    sharc_json_uint(j, "captures", s.count);
    sharc_json_uint(j, "running", s.running);
    sharc_json_uint(j, "unfinished", s.unfinished);
    sharc_json_object(j, "states");
    for (int i = 0; i < SHARC_CAPTURE_STATE_COUNT; i++)
        sharc_json_uint(j, sharc_capture_state_text((enum sharc_capture_state)i), s.states[i]);
    sharc_json_end(j);
    sharc_json_uint(j, "pages", s.pages);
    sharc_json_uint(j, "failed", s.failed);
    sharc_archive_status_put_files(j, "storage", &s);
    sharc_json_str(j, "index", indexes[s.index]);
    sharc_json_uint(j, "index_behind", s.index_behind);
    sharc_json_bool(j, "held", s.held);
    put_progress(j, &s.progress);
    put_series(j, &s);
    sharc_archive_status_done(&s);
    return 0;
}

/* --- captures ------------------------------------------------------------------------------------ */

void sharc__serve_api_put_capture(struct sharc_json *j, const struct sharc_store_capture *c)
{
    sharc_json_int(j, "id", c->id);
    sharc_json_span(j, "key", c->key);
    sharc_json_span(j, "site", c->site_name);
    sharc_json_str(j, "state", sharc_capture_state_text(c->state));
    sharc_json_span(j, "purpose", c->purpose);
    sharc_json_span(j, "strategy", c->strategy);
    sharc_json_span(j, "source", c->source);
    sharc__serve_api_time(j, "start", c->start);
    sharc__serve_api_time(j, "end", c->end);
    sharc__serve_api_time(j, "reference", c->reference);
    sharc__serve_api_time(j, "reference_from", c->reference_from);
    sharc__serve_api_time(j, "reference_to", c->reference_to);
}

/* How many pages have each grade: counted by the database. */
static int put_grades(struct api_call *a, sharc_store_id capture, struct sharc_err *reterr)
{
    uint64_t reasons[SHARC_GRADE_REASON_COUNT] = {0}, grades[SHARC_GRADE_COUNT] = {0};
    int r = sharc_store_grade_counts(a->store, capture, reasons, reterr);
    for (int i = 0; i < SHARC_GRADE_REASON_COUNT; i++) grades[sharc_grade_of((enum sharc_grade_reason)i)] += reasons[i];
    sharc_json_array(&a->json, "grades");
    for (int i = 0; i < SHARC_GRADE_COUNT; i++) sharc_json_uint(&a->json, NULL, grades[i]);
    sharc_json_end(&a->json);
    return r;
}

int sharc__serve_api_captures(struct api_call *a, struct sharc_err *reterr)
{
    SHARC_AUTO(sharc_store_rows_freep) struct sharc_store_rows *rows = NULL;
    SHARC_AUTO(sharc_freep) char *site = sharc__serve_api_text(a, "site");
    struct sharc_store_capture_filter f = SHARC_STORE_CAPTURE_FILTER_INIT;
    struct sharc_store_capture c;
    uint64_t limit, offset, grades, total = 0;
    f.newest_first = true;
    int r = sharc__serve_api_number(a, "limit", 100, 1000, &limit, reterr);
    if (r == 0) r = sharc__serve_api_number(a, "offset", 0, UINT32_MAX, &offset, reterr);
    if (r == 0) r = sharc__serve_api_number(a, "grades", 0, 1, &grades, reterr);
    if (r == 0) r = sharc_store_captures(a->store, &f, &rows, reterr);
    if (r < 0) return r;
    sharc_json_array(&a->json, "captures");
    while (r >= 0 && (r = sharc_store_rows_next(rows, reterr)) > 0) {
        sharc_store_read_capture(rows, &c);
        if (*site && !sharc_span_is(c.site_name, site)) continue;
        if (total++ < offset || total > offset + limit) continue;
        sharc_json_object(&a->json, NULL);
        sharc__serve_api_put_capture(&a->json, &c);
        if (grades) r = put_grades(a, c.id, reterr);
        sharc_json_end(&a->json);
    }
    sharc_json_end(&a->json);
    sharc_json_uint(&a->json, "total", total);
    sharc_json_uint(&a->json, "offset", offset);
    return r;
}

/* --- a series ------------------------------------------------------------------------------------- */

int sharc__serve_api_series(struct api_call *a, struct sharc_err *reterr)
{
    struct sharc_assess_series s = {.completeness = (double)NAN, .coherence = (double)NAN};
    sharc_store_id capture;
    s.from = s.to = SHARC_TIME_NONE;
    int r = sharc__serve_api_capture_of(a, "capture", &capture, reterr);
    bool several = false;
    if (r == 0) r = sharc_summary_series(a->store, capture, &several, &s, reterr);
    if (r < 0) return r;
    struct sharc_json *j = &a->json;
    sharc_json_str(j, "site", several ? s.site : NULL); /* null: there is only one capture of it */
    sharc_json_uint(j, "captures", several ? s.captures : 1);
    sharc_json_uint(j, "pages", s.pages);
    sharc_json_uint(j, "versions", s.versions);
    sharc_json_real(j, "completeness", s.completeness);
    sharc_json_uint(j, "rated", s.rated);
    sharc_json_real(j, "coherence", s.coherence);
    sharc_json_uint(j, "queries", s.queries);
    sharc__serve_api_time(j, "from", s.from);
    sharc__serve_api_time(j, "to", s.to);
    if (several) sharc_assess_series_done(&s);
    return 0;
}

/* SPDX-License-Identifier: Apache-2.0
 *
 * /api/fleet: who works on the queue of an archive, and what waits in it and why.
 */
#include "api.h"

#include "sharc/fleet_explain.h"
#include "sharc/store_fleet.h"

#include <stdlib.h>

enum { JOBS_USUAL = 100, JOBS_MOST = 1000 };

static const char *state_of(const struct sharc_store_worker *w, sharc_time now)
{
    if (w->beat == SHARC_TIME_NONE) return w->running ? "working" : "silent"; /* of an older version */
    if (now - w->beat > w->lease) return "silent";
    return w->running ? "working" : "idle";
}

static void put_worker(struct sharc_json *j, const struct sharc_store_worker *w, sharc_time now)
{
    sharc_json_object(j, NULL);
    sharc_json_span(j, "name", w->name);
    sharc_json_str(j, "state", state_of(w, now));
    sharc__serve_api_time(j, "begun", w->begun);
    sharc__serve_api_time(j, "heartbeat", w->beat);
    if (w->beat == SHARC_TIME_NONE)
        sharc_json_null(j, "seconds_ago");
    else
        sharc_json_real(j, "seconds_ago", (double)(now - w->beat) / (double)SHARC_SEC);
    sharc_json_int(j, "sites", w->sites);
    sharc_json_int(j, "running", w->running);
    sharc_json_real(j, "pages_per_minute", (double)w->pages / ((double)SHARC_FLEET_RECENT / (double)SHARC_MINUTE));
    sharc_json_end(j);
}

static int put_workers(struct api_call *a, sharc_time now, struct sharc_err *reterr)
{
    SHARC_AUTO(sharc_store_rows_freep) struct sharc_store_rows *rows = NULL;
    struct sharc_store_worker w;
    sharc_json_array(&a->json, "workers");
    int r = sharc_store_workers(a->store, &rows, reterr);
    while (r >= 0 && (r = sharc_store_rows_next(rows, reterr)) > 0) {
        sharc_store_read_worker(rows, &w);
        put_worker(&a->json, &w, now);
    }
    sharc_json_end(&a->json);
    return r;
}

static int put_queue(struct api_call *a, struct sharc_err *reterr)
{
    SHARC_AUTO(sharc_store_rows_freep) struct sharc_store_rows *rows = NULL;
    struct sharc_json *j = &a->json;
    struct sharc_store_queue q;
    sharc_json_array(j, "queue");
    int r = sharc_store_queue(a->store, &rows, reterr);
    while (r >= 0 && (r = sharc_store_rows_next(rows, reterr)) > 0) {
        sharc_store_read_queue(rows, &q);
        sharc_json_object(j, NULL);
        sharc_json_span(j, "collection", q.collection);
        sharc_json_str(j, "state", sharc_job_state_text(q.state));
        sharc_json_int(j, "jobs", q.jobs);
        sharc_json_int(j, "due", q.due);
        sharc_json_int(j, "abandoned", q.lost);
        sharc_json_int(j, "failed_before", q.again);
        sharc__serve_api_time(j, "first_due", q.first);
        sharc_json_end(j);
    }
    sharc_json_end(j);
    return r;
}

static int put_job(struct api_call *a, sharc_store_id id, sharc_time now, struct sharc_err *reterr)
{
    SHARC_AUTO(sharc_buf_done) struct sharc_buf why = SHARC_BUF_INIT(64u << 10);
    struct sharc_json *j = &a->json;
    struct sharc_store_job job;
    int r = sharc_store_job_get(a->store, id, &job, reterr);
    if (r == 0) r = sharc_fleet_explain(a->store, &job, now, &why, reterr);
    if (r < 0) return r;
    sharc_json_object(j, NULL);
    sharc_json_int(j, "job", job.id);
    sharc_json_span(j, "site", job.site_name);
    sharc_json_span(j, "kind", job.kind);
    sharc_json_span(j, "collection", job.collection);
    sharc_json_str(j, "state", sharc_job_state_text(job.state));
    sharc_json_str(j, "why", sharc_buf_str(&why));
    sharc__serve_api_time(j, "due", job.due);
    sharc_json_span(j, "schedule", job.schedule);
    sharc_json_span(j, "worker", job.owner);
    sharc__serve_api_time(j, "lease_until", job.lease);
    sharc_json_int(j, "claims", job.epoch);
    sharc_json_int(j, "failures", job.failures);
    if (job.capture)
        sharc_json_int(j, "capture", job.capture);
    else
        sharc_json_null(j, "capture");
    sharc_json_end(j);
    return 0;
}

/* Those of which something can still be expected, or that somebody should look at. */
static int put_jobs(struct api_call *a, uint64_t limit, sharc_time now, struct sharc_err *reterr)
{
    SHARC_AUTO(sharc_freep) sharc_store_id *ids = SHARC_NEW_ARRAY(sharc_store_id, limit + 1);
    SHARC_AUTO(sharc_store_rows_freep) struct sharc_store_rows *rows = NULL;
    const struct sharc_store_job_filter f = {.states = 1u << SHARC_JOB_QUEUED | 1u << SHARC_JOB_RUNNING |
                                                       1u << SHARC_JOB_PAUSED | 1u << SHARC_JOB_FAILED};
    struct sharc_store_job job;
    uint64_t n = 0, more = 0;
    int r = sharc_store_jobs(a->store, &f, &rows, reterr);
    while (r >= 0 && (r = sharc_store_rows_next(rows, reterr)) > 0) {
        sharc_store_read_job(rows, &job);
        if (n < limit)
            ids[n++] = job.id;
        else
            more++;
    }
    sharc_store_rows_freep(&rows);
    sharc_json_array(&a->json, "jobs");
    for (uint64_t i = 0; i < n && r >= 0; i++) {
        r = put_job(a, ids[i], now, reterr);
        if (r == SHARC_ENOENT) r = 0; /* forgotten since */
    }
    sharc_json_end(&a->json);
    sharc_json_uint(&a->json, "more", more);
    return r;
}

int sharc__serve_api_fleet(struct api_call *a, struct sharc_err *reterr)
{
    sharc_time now = SHARC_TIME_NONE;
    uint64_t limit;
    int r = sharc__serve_api_number(a, "limit", JOBS_USUAL, JOBS_MOST, &limit, reterr);
    if (r == 0) r = sharc_store_now(a->store, &now, reterr);
    if (r < 0) return r;
    sharc__serve_api_time(&a->json, "now", now);
    r = put_workers(a, now, reterr);
    if (r >= 0) r = put_queue(a, reterr);
    return r < 0 ? r : put_jobs(a, limit, now, reterr);
}

/* SPDX-License-Identifier: Apache-2.0
 *
 * sharc jobs: how jobs are shown, and why one does not run.
 */
#include "cmd_jobs.h"

#include "sharc/fleet_explain.h"

#include <inttypes.h>

/* --- JSON ---------------------------------------------------------------------------------- */

static void put_time(struct sharc_json *j, const char *name, sharc_time t)
{
    char text[SHARC_TIME_TEXT];
    if (t != SHARC_TIME_NONE) sharc_json_str(j, name, sharc_time_iso(t, 0, text));
}

static void put_text(struct sharc_json *j, const char *name, struct sharc_span text)
{
    if (text.p && text.n) sharc_json_span(j, name, text);
}

static void put_job(struct sharc_json *j, const struct sharc_store_job *job)
{
    sharc_json_int(j, "job", job->id);
    put_text(j, "kind", job->kind);
    put_text(j, "site", job->site_name);
    sharc_json_span(j, "collection", job->collection);
    sharc_json_str(j, "state", sharc_job_state_text(job->state));
    put_time(j, "due", job->due);
    put_text(j, "schedule", job->schedule);
    put_text(j, "worker", job->owner);
    put_time(j, "lease_until", job->lease);
    sharc_json_int(j, "claims", job->epoch);
    sharc_json_int(j, "failures", job->failures);
    if (job->capture) sharc_json_int(j, "capture", job->capture);
    put_text(j, "message", job->message);
    put_time(j, "added", job->made);
    put_time(j, "begun", job->begun);
    put_time(j, "ended", job->ended);
}

/* The job with its texts copied: the next question to the store takes the others away. */
static int get(struct sharc_store *store, sharc_store_id id, struct sharc_store_job *ret, sharc_time *ret_now,
               struct sharc_buf *ret_why, struct sharc_err *err)
{
    int r = sharc_store_now(store, ret_now, err);
    if (r == 0) r = sharc_store_job_get(store, id, ret, err);
    return r < 0 ? r : sharc_fleet_explain(store, ret, *ret_now, ret_why, err);
}

int jobs_explain(struct cli *c, struct sharc_store *store, sharc_store_id id, struct sharc_err *err)
{
    SHARC_AUTO(sharc_buf_done) struct sharc_buf text = SHARC_BUF_INIT(64u << 10), out = SHARC_BUF_INIT(1u << 20);
    struct sharc_store_job job;
    sharc_time now;
    int r = get(store, id, &job, &now, &text, err);
    if (r < 0) return r;
    if (!c->json) {
        fprintf(c->out, "job %lld (%s): %s\n", (long long)id, CLI_SHOWN_SPAN(job.site_name),
                CLI_SHOWN_SPAN(sharc_buf_span(&text)));
        return 0;
    }
    struct sharc_json j;
    sharc_json_init(&j, &out, true);
    sharc_json_object(&j, NULL);
    put_job(&j, &job);
    sharc_json_str(&j, "why", sharc_buf_str(&text));
    sharc_json_end(&j);
    fprintf(c->out, "%s\n", sharc_buf_str(&out));
    return 0;
}

/* --- one ------------------------------------------------------------------------------------- */

static void line(struct cli *c, const char *name, struct sharc_span value)
{
    if (value.p && value.n) fprintf(c->out, "%-12s%s\n", name, CLI_SHOWN_SPAN(value));
}

static void line_time(struct cli *c, const char *name, sharc_time t)
{
    char text[SHARC_TIME_TEXT];
    if (t != SHARC_TIME_NONE) line(c, name, sharc_span_of(sharc_time_iso(t, 0, text)));
}

int jobs_show(struct cli *c, struct sharc_store *store, sharc_store_id id, struct sharc_err *err)
{
    SHARC_AUTO(sharc_buf_done) struct sharc_buf text = SHARC_BUF_INIT(64u << 10), out = SHARC_BUF_INIT(256u << 20);
    struct sharc_store_job job;
    sharc_time now;
    int r = get(store, id, &job, &now, &text, err);
    if (r < 0) return r;
    if (c->json) {
        struct sharc_json j;
        sharc_json_init(&j, &out, true);
        sharc_json_object(&j, NULL);
        put_job(&j, &job);
        put_text(&j, "params", job.params);
        sharc_json_end(&j);
        fprintf(c->out, "%s\n", sharc_buf_str(&out));
        return 0;
    }
    fprintf(c->out, "%-12s%lld\n", "job", (long long)job.id);
    line(c, "kind", job.kind);
    line(c, "site", job.site_name);
    line(c, "collection", job.collection);
    line(c, "state", sharc_span_of(sharc_job_state_text(job.state)));
    line(c, "why", sharc_buf_span(&text));
    line_time(c, "due", job.due);
    line(c, "schedule", job.schedule);
    line(c, "worker", job.owner);
    line_time(c, "lease until", job.lease);
    fprintf(c->out, "%-12s%lld\n", "claims", (long long)job.epoch);
    if (job.failures) fprintf(c->out, "%-12s%lld\n", "failures", (long long)job.failures);
    if (job.capture) fprintf(c->out, "%-12s%lld\n", "capture", (long long)job.capture);
    line(c, "message", job.message);
    line_time(c, "added", job.made);
    line_time(c, "begun", job.begun);
    line_time(c, "ended", job.ended);
    if (job.params.n) fprintf(c->out, "%-12s%.*s\n", "params", SHARC_SPAN_ARG(job.params)); /* JSON, of any length */
    return 0;
}

/* --- all ---------------------------------------------------------------------------------------- */

static void put_row(struct cli_table *t, const struct sharc_store_job *j, sharc_time now)
{
    char due[SHARC_TIME_TEXT];
    cli_table_cell(t, "%lld", (long long)j->id);
    cli_table_cell(t, "%.*s", SHARC_SPAN_ARG(j->kind));
    cli_table_cell(t, "%.*s", SHARC_SPAN_ARG(j->site_name));
    cli_table_cell(t, "%.*s", SHARC_SPAN_ARG(j->collection));
    cli_table_cell(t, "%s",
                   j->state == SHARC_JOB_RUNNING && j->lease < now ? "abandoned" : sharc_job_state_text(j->state));
    cli_table_cell(t, "%s", j->due == SHARC_TIME_NONE ? "" : sharc_time_iso(j->due, 0, due));
    cli_table_cell(t, "%.*s", SHARC_SPAN_ARG(j->state == SHARC_JOB_RUNNING ? j->owner : j->message));
}

int jobs_list(struct cli *c, struct sharc_store *store, const struct sharc_store_job_filter *f, struct sharc_err *err)
{
    static const char *const titles[] = {
        "job", "kind", "site", "collection", "state", "due", "worker, or what went wrong"};
    SHARC_AUTO(cli_table_freep) struct cli_table *t = cli_table_new(7, titles, "rllllll");
    SHARC_AUTO(sharc_buf_done) struct sharc_buf out = SHARC_BUF_INIT(1u << 30);
    SHARC_AUTO(sharc_store_rows_freep) struct sharc_store_rows *rows = NULL;
    struct sharc_store_job job;
    struct sharc_json j;
    sharc_time now = 0;
    uint64_t n = 0;
    sharc_json_init(&j, &out, true);
    sharc_json_object(&j, NULL);
    sharc_json_array(&j, "jobs");
    int r = sharc_store_now(store, &now, err);
    if (r >= 0) r = sharc_store_jobs(store, f, &rows, err);
    for (; r >= 0 && (r = sharc_store_rows_next(rows, err)) > 0; n++) {
        sharc_store_read_job(rows, &job);
        if (c->json) {
            sharc_json_object(&j, NULL);
            put_job(&j, &job);
            sharc_json_end(&j);
        } else {
            put_row(t, &job, now);
        }
    }
    if (r < 0) return r;
    sharc_json_end(&j);
    sharc_json_end(&j);
    if (c->json)
        fprintf(c->out, "%s\n", sharc_buf_str(&out));
    else if (n == 0)
        fprintf(c->out, "there are no such jobs\n");
    else
        cli_table_print(t, c->out);
    return 0;
}

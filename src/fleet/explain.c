/* SPDX-License-Identifier: Apache-2.0 */
#include "sharc/fleet_explain.h"

static void of_lease(const struct sharc_store_job *j, sharc_time now, struct sharc_buf *out)
{
    char until[SHARC_TIME_TEXT];
    if (j->lease != SHARC_TIME_NONE && j->lease >= now)
        sharc_buf_printf(out, "; worker %.*s still has it, until %s or until it hands it back",
                         SHARC_SPAN_ARG(j->owner), sharc_time_iso(j->lease, 0, until));
}

static void of_failures(const struct sharc_store_job *j, struct sharc_buf *out)
{
    if (j->failures > 0)
        sharc_buf_printf(out, "; it failed %s in a row, last: %.*s", SHARC_COUNT((uint64_t)j->failures, "time"),
                         SHARC_SPAN_ARG(j->message));
}

static int why_queued(struct sharc_store *store, const struct sharc_store_job *j, sharc_time now, struct sharc_buf *out,
                      struct sharc_err *reterr)
{
    char due[SHARC_TIME_TEXT];
    int64_t ahead = 0;
    if (j->due > now) {
        sharc_buf_printf(out, "it is not due before %s", sharc_time_iso(j->due, 0, due));
        of_failures(j, out);
        return 0;
    }
    int r = sharc_store_jobs_ahead(store, j, &ahead, reterr);
    sharc_buf_printf(out, "it has been due since %s and waits for a free worker, behind %s of its collection",
                     sharc_time_iso(j->due, 0, due), SHARC_COUNT((uint64_t)ahead, "job"));
    of_lease(j, now, out);
    return r;
}

int sharc_fleet_explain(struct sharc_store *store, const struct sharc_store_job *j, sharc_time now,
                        struct sharc_buf *out, struct sharc_err *reterr)
{
    char text[SHARC_TIME_TEXT];
    switch (j->state) {
    case SHARC_JOB_QUEUED: return why_queued(store, j, now, out, reterr);
    case SHARC_JOB_RUNNING:
        if (j->lease >= now)
            sharc_buf_printf(out, "it runs: worker %.*s holds it until %s, and renews that", SHARC_SPAN_ARG(j->owner),
                             sharc_time_iso(j->lease, 0, text));
        else
            sharc_buf_printf(out,
                             "worker %.*s has sent no sign of life, and its lease ended at %s; the next free worker "
                             "takes the job over",
                             SHARC_SPAN_ARG(j->owner), sharc_time_iso(j->lease, 0, text));
        return 0;
    case SHARC_JOB_PAUSED:
        sharc_buf_put_str(out, "it is paused; \"sharc jobs resume\" lets it go on");
        of_lease(j, now, out);
        return 0;
    case SHARC_JOB_CANCELLED:
        sharc_buf_put_str(out, "it was cancelled; \"sharc jobs retry\" queues it again");
        of_lease(j, now, out);
        return 0;
    case SHARC_JOB_FAILED:
        sharc_buf_put_str(out, "it has failed and is not tried again; \"sharc jobs retry\" does");
        of_failures(j, out);
        return 0;
    case SHARC_JOB_DONE: sharc_buf_printf(out, "it is done since %s", sharc_time_iso(j->ended, 0, text)); return 0;
    case SHARC_JOB_STATE_COUNT: break;
    }
    sharc_buf_put_str(out, "its state is unknown");
    return 0;
}

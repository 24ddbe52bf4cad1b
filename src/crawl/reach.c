/* SPDX-License-Identifier: Apache-2.0
 *
 * Sites that cannot be reached: what may pass is tried again, and a person hears
 * what the crawl waits for, why, and until when; what does not pass leaves the site
 * for another day.
 */
#include "reach.h"

#include <stdarg.h>
#include <stdio.h>

enum {
    LOST_IN_A_ROW = 12 /* failed connections, after which a site is left for another day */
};

#define DEAD_FOR SHARC_HOUR /* a host elsewhere that could not be reached */

void sharc__crawl_reach_home(struct reach *r, uint32_t group)
{
    r->home = group;
}

/* That says nothing about the page: the whole host is out of reach. */
static bool host_is_away(const struct sharc_fetch_result *r)
{
    return sharc_fetch_never_connected(r) && r->state != SHARC_FETCH_TIMEOUT;
}

/* --- what a person hears --------------------------------------------------------- */

void sharc__crawl_cause(const struct sharc_fetch_result *r, char *out, size_t room)
{
    struct sharc_span text = sharc_span_of(r->text), url = sharc_span_of(r->url);
    if (r->state == SHARC_FETCH_OK && r->status) {
        snprintf(out, room, "the server says %d", r->status);
        return;
    }
    if (sharc_span_starts(text, url)) { /* the site is named beside it */
        text = sharc_span_from(text, url.n);
        if (sharc_span_starts(text, SHARC_SPAN(": "))) text = sharc_span_from(text, 2);
    }
    if (text.n == 0) text = sharc_span_of(sharc_fetch_state_text(r->state));
    snprintf(out, room, "%.*s", SHARC_SPAN_ARG(text));
}

void sharc__crawl_trouble(struct reach *r, unsigned tries, sharc_time now, sharc_time until, const char *fmt, ...)
{
    char wait[SHARC_TIME_TEXT];
    va_list args;
    va_start(args, fmt);
    vsnprintf(r->trouble, sizeof r->trouble, fmt, args);
    va_end(args);
    r->retry_at = until;
    sharc__crawl_remark(r->ctx, "%s %s; trying again in %s (attempt %u of %u)", r->name, r->trouble,
                        sharc_duration_text(until - now, wait), tries + 2, crawl_tries(r->ctx));
}

void sharc__crawl_asked_away(struct reach *r, sharc_time now, sharc_time until)
{
    char wait[SHARC_TIME_TEXT];
    snprintf(r->trouble, sizeof r->trouble, "asked an earlier run to wait");
    r->retry_at = until;
    sharc__crawl_remark(r->ctx, "%s %s; the next request is in %s", r->name, r->trouble,
                        sharc_duration_text(until - now, wait));
}

void sharc__crawl_trouble_over(struct reach *r)
{
    if (r->trouble[0]) sharc__crawl_remark(r->ctx, "%s answers again", r->name);
    r->trouble[0] = 0;
}

void sharc__crawl_suspend(struct reach *r, const char *why)
{
    sharc__crawl_agenda_phase(r->agenda, SHARC_CRAWL_SUSPENDED);
    r->trouble[0] = 0;
    snprintf(r->why, sizeof r->why, "%s", why);
    if (*r->sites > 1) sharc__crawl_remark(r->ctx, "%s was not finished: %s", r->name, why);
}

void sharc__crawl_stopped(struct reach *r)
{
    sharc__crawl_agenda_phase(r->agenda, SHARC_CRAWL_SUSPENDED);
    snprintf(r->why, sizeof r->why, "stopped");
}

void sharc__crawl_explain_nothing(struct reach *r, const struct pages *p)
{
    if (r->why[0]) return;
    for (uint32_t i = 0; i < pages_count(p); i++) {
        const struct page *row = &p->page[i];
        const struct version *v = page_version(p, i);
        if (!(row->flags & PAGE_SEED)) continue;
        struct sharc_span url = page_url(p, i);
        if (r->failure[0])
            snprintf(r->why, sizeof r->why, "%s", r->failure);
        else if (row->reason)
            snprintf(r->why, sizeof r->why, "%.100s: %s", url.p, sharc_crawl_reason_text(row->reason));
        else if (v && v->status)
            snprintf(r->why, sizeof r->why, "%.100s: the server says %d", url.p, v->status);
        if (r->why[0]) return;
    }
}

void sharc__crawl_trouble_status(const struct reach *r, struct sharc_crawl_status *st)
{
    if (!r->trouble[0] || r->agenda->phase >= SHARC_CRAWL_DONE) return;
    st->troubled++;
    if (st->trouble && st->retry_at <= r->retry_at) return;
    st->trouble = r->trouble;
    st->trouble_site = r->name;
    st->retry_at = r->retry_at;
}

/* --- what to do -------------------------------------------------------------------- */

static void later(struct reach *r, const struct job *j, sharc_time not_before)
{
    struct task t = j->task;
    t.tries++;
    t.not_before = not_before;
    sharc__crawl_agenda_retry(r->agenda, &t);
}

static void once_more(struct reach *r, const struct job *j)
{
    sharc__crawl_agenda_retry(r->agenda, &j->task);
}

/* The server asks to be left alone. True: it will be asked again. */
static bool stay_away(struct reach *r, const struct job *j, uint32_t group)
{
    const struct sharc_fetch_result *f = j->result;
    sharc_time wait = SHARC_TIME_NONE;
    struct sharc_span value = sharc_http_get(&f->http, "Retry-After");
    if (!value.p || sharc_http_retry_after(value, f->end, &wait) < 0) wait = SHARC_TIME_NONE;
    sharc_time until = sharc__crawl_group_trouble(r->hosts, group, f->end, wait);
    if (j->task.tries + 1u >= crawl_tries(r->ctx)) return false;
    if (group == r->home) sharc__crawl_trouble(r, j->task.tries, f->end, until, "says %d", f->status);
    later(r, j, until);
    return true;
}

/* The connection was refused, lost, or too slow. True: nothing more to be done now. */
static bool bear_failure(struct reach *r, const struct job *j, struct group *g)
{
    const struct sharc_fetch_result *f = j->result;
    bool more = j->task.tries + 1u < crawl_tries(r->ctx);
    char cause[200];
    r->lost = sharc_fetch_never_connected(f) ? r->lost + 1 : 0;
    sharc__crawl_cause(f, cause, sizeof cause);
    if (r->lost >= LOST_IN_A_ROW || (!more && host_is_away(f))) {
        char why[256];
        once_more(r, j);
        snprintf(why, sizeof why, "it cannot be reached: %s", cause);
        sharc__crawl_suspend(r, why);
        return true;
    }
    if (!more) return false;
    sharc_time until = f->end + ((10 * SHARC_SEC) << (2 * j->task.tries));
    if (sharc_fetch_never_connected(f)) {
        sharc__crawl_group_not_before(g, until); /* no use to try the others meanwhile */
        sharc__crawl_trouble(r, j->task.tries, f->end, until, "cannot be reached: %s", cause);
    }
    later(r, j, until);
    return true;
}

void sharc__crawl_reach_status(struct reach *r, int status)
{
    r->answered = r->answered || status;
}

void sharc__crawl_answered(struct reach *r, uint32_t host)
{
    r->answered = true;
    r->lost = 0;
    if (r->hosts->host[host].group == r->home) sharc__crawl_trouble_over(r);
}

bool sharc__crawl_passing_trouble(struct reach *r, const struct job *j)
{
    const struct sharc_fetch_result *f = j->result;
    if (f->status == 0 && !r->failure[0]) snprintf(r->failure, sizeof r->failure, "%s", f->text);
    if (f->state == SHARC_FETCH_LOCAL && !r->local_told) sharc__crawl_remark(r->ctx, "%s", f->text);
    r->local_told |= f->state == SHARC_FETCH_LOCAL;
    uint32_t group = r->hosts->host[j->task.host].group;
    struct group *g = &r->hosts->group[group];
    bool elsewhere = group != r->home;
    if (f->state == SHARC_FETCH_ABORTED) {
        once_more(r, j); /* we did that ourselves: not a try */
        return true;
    }
    if (sharc_backoff_wanted(f->status) && f->state == SHARC_FETCH_OK) return stay_away(r, j, group);
    if (f->status) sharc__crawl_group_quiet(g, f->end);
    if (f->status && !elsewhere) sharc__crawl_trouble_over(r);
    if (!sharc_fetch_state_transient(f->state)) {
        r->lost = 0;
        return false;
    }
    if (elsewhere && sharc_fetch_never_connected(f)) {
        sharc__crawl_host_dead(r->hosts, j->task.host, f->end + DEAD_FOR);
        return false;
    }
    return bear_failure(r, j, g);
}

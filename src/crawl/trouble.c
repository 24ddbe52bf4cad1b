/* SPDX-License-Identifier: Apache-2.0
 *
 * Sites that cannot be reached: what may pass is tried again, and a person hears
 * what the crawl waits for, why, and until when; what does not pass leaves the site
 * for another day.
 */
#include "crawl_int.h"

#include <stdarg.h>

enum {
    LOST_IN_A_ROW = 12 /* failed connections, after which a site is left for another day */
};

#define DEAD_FOR SHARC_HOUR /* a host elsewhere that could not be reached */

unsigned sharc__crawl_tries(const struct sharc_crawl *c)
{
    return c->o.tries ? c->o.tries : 4;
}

static bool never_connected(const struct sharc_fetch_result *r)
{
    return r->status == 0 && (r->state == SHARC_FETCH_DNS || r->state == SHARC_FETCH_CONNECT ||
                              r->state == SHARC_FETCH_PROXY || r->state == SHARC_FETCH_TIMEOUT);
}

/* That says nothing about the page: the whole host is out of reach. */
static bool host_is_away(const struct sharc_fetch_result *r)
{
    return never_connected(r) && r->state != SHARC_FETCH_TIMEOUT;
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

void sharc__crawl_trouble(struct site *s, unsigned tries, sharc_time now, sharc_time until, const char *fmt, ...)
{
    char wait[SHARC_TIME_TEXT];
    va_list args;
    va_start(args, fmt);
    vsnprintf(s->trouble, sizeof s->trouble, fmt, args);
    va_end(args);
    s->retry_at = until;
    sharc__crawl_remark(s->crawl, "%s %s; trying again in %s (attempt %u of %u)", s->name, s->trouble,
                        sharc_duration_text(until - now, wait), tries + 2, sharc__crawl_tries(s->crawl));
}

void sharc__crawl_trouble_over(struct site *s)
{
    if (s->trouble[0]) sharc__crawl_remark(s->crawl, "%s answers again", s->name);
    s->trouble[0] = 0;
}

void sharc__crawl_suspend(struct site *s, const char *why)
{
    s->phase = SHARC_CRAWL_SUSPENDED;
    s->trouble[0] = 0;
    snprintf(s->why, sizeof s->why, "%s", why);
    if (s->crawl->sites > 1) sharc__crawl_remark(s->crawl, "%s is left for another day: %s", s->name, why);
}

void sharc__crawl_explain_nothing(struct site *s)
{
    if (s->why[0] || !s->pages.urls) return;
    for (uint32_t i = 0; i < pages_count(&s->pages); i++) {
        const struct page *p = &s->pages.page[i];
        const struct seen *v = page_seen(&s->pages, i);
        if (!(p->flags & PAGE_SEED)) continue;
        struct sharc_span url = page_url(&s->pages, i);
        if (s->failure[0])
            snprintf(s->why, sizeof s->why, "%s", s->failure);
        else if (p->reason)
            snprintf(s->why, sizeof s->why, "%.100s: %s", url.p, sharc_crawl_reason_text(p->reason));
        else if (v && v->status)
            snprintf(s->why, sizeof s->why, "%.100s: the server says %d", url.p, v->status);
        if (s->why[0]) return;
    }
}

void sharc__crawl_trouble_status(const struct site *s, struct sharc_crawl_status *st)
{
    if (!s->trouble[0] || s->phase >= SHARC_CRAWL_DONE) return;
    st->troubled++;
    if (st->trouble && st->retry_at <= s->retry_at) return;
    st->trouble = s->trouble;
    st->trouble_site = s->name;
    st->retry_at = s->retry_at;
}

/* --- what to do -------------------------------------------------------------------- */

static void later(struct job *j, sharc_time not_before)
{
    struct task t = j->task;
    t.tries++;
    t.not_before = not_before;
    sharc__crawl_queue_push_front(&j->site->again, &t);
}

static void once_more(struct job *j)
{
    struct task t = j->task;
    sharc__crawl_queue_push_front(&j->site->again, &t);
}

/* The server asks to be left alone. True: it will be asked again. */
static bool stay_away(struct job *j, struct group *g)
{
    struct site *s = j->site;
    const struct sharc_fetch_result *r = j->result;
    sharc_time wait = SHARC_TIME_NONE;
    struct sharc_span value = sharc_http_get(&r->http, "Retry-After");
    if (!value.p || sharc_http_retry_after(value, r->end, &wait) < 0) wait = SHARC_TIME_NONE;
    sharc_time until = sharc_backoff_trouble(&g->backoff, r->end, wait, &s->crawl->rng);
    if (j->task.tries + 1u >= sharc__crawl_tries(s->crawl)) return false;
    if (g == &s->crawl->hosts.group[s->home])
        sharc__crawl_trouble(s, j->task.tries, r->end, until, "says %d", r->status);
    later(j, until);
    return true;
}

/* The connection was refused, lost, or too slow. True: nothing more to be done now. */
static bool bear_failure(struct job *j, struct group *g)
{
    struct site *s = j->site;
    const struct sharc_fetch_result *r = j->result;
    bool more = j->task.tries + 1u < sharc__crawl_tries(s->crawl);
    char cause[200];
    s->lost = never_connected(r) ? s->lost + 1 : 0;
    sharc__crawl_cause(r, cause, sizeof cause);
    if (s->lost >= LOST_IN_A_ROW || (!more && host_is_away(r))) {
        char why[256];
        once_more(j);
        snprintf(why, sizeof why, "it cannot be reached: %s", cause);
        sharc__crawl_suspend(s, why);
        return true;
    }
    if (!more) return false;
    sharc_time until = r->end + ((10 * SHARC_SEC) << (2 * j->task.tries));
    if (never_connected(r)) {
        if (until > g->next) g->next = until; /* no use to try the others meanwhile */
        sharc__crawl_trouble(s, j->task.tries, r->end, until, "cannot be reached: %s", cause);
    }
    later(j, until);
    return true;
}

bool sharc__crawl_passing_trouble(struct job *j)
{
    struct site *s = j->site;
    struct sharc_fetch_result *r = j->result;
    if (r->status == 0 && !s->failure[0]) snprintf(s->failure, sizeof s->failure, "%s", r->text);
    struct host *h = &s->crawl->hosts.host[j->task.host];
    struct group *g = &s->crawl->hosts.group[h->group];
    bool elsewhere = h->group != s->home;
    if (r->state == SHARC_FETCH_ABORTED) {
        once_more(j); /* we did that ourselves: not a try */
        return true;
    }
    if (sharc_backoff_wanted(r->status) && r->state == SHARC_FETCH_OK) return stay_away(j, g);
    if (r->status) sharc_backoff_quiet(&g->backoff, r->end);
    if (r->status && !elsewhere) sharc__crawl_trouble_over(s);
    if (!sharc_fetch_state_transient(r->state)) {
        s->lost = 0;
        return false;
    }
    if (elsewhere && never_connected(r)) {
        h->dead_until = r->end + DEAD_FOR;
        return false;
    }
    return bear_failure(j, g);
}

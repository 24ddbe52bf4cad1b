/* SPDX-License-Identifier: Apache-2.0
 *
 * robots.txt: asked for before anything else of a host, obeyed, and read for its delay
 * and its sitemaps.
 */
#include "sources.h"

#include <stdio.h>

/* --- asking -------------------------------------------------------------------------- */

static uint32_t ask_for(struct sources *s, uint32_t host, uint32_t via)
{
    SHARC_AUTO(sharc_freep) char *url = sharc_asprintf("%s/robots.txt", s->hosts->host[host].origin);
    sharc__crawl_host_asked(s->hosts, host);
    return sharc__crawl_found_preparation(s->frontier, sharc_span_of(url), via, 'P');
}

void sharc__crawl_ask_robots(struct sources *s, uint32_t host)
{
    const struct sharc_crawl_options *o = &s->ctx->o;
    if (s->hosts->host[host].robots != ROBOTS_UNKNOWN || (o->ignore_robots && o->no_sitemaps)) return;
    struct task t = {.kind = TASK_ROBOTS, .host = host, .page = ask_for(s, host, NO_PAGE)};
    /* A capture that goes on may have lists of URLs to read, which wait for it. */
    sharc__crawl_agenda_prepare_first(s->agenda, &t);
}

void sharc__crawl_robots_first(struct sources *s, struct task *t, uint32_t via)
{
    *t = (struct task){.kind = TASK_ROBOTS, .host = t->host};
    t->page = ask_for(s, t->host, via);
}

/* --- reading ---------------------------------------------------------------------------- */

/* Once per site: the sitemaps that robots.txt names, else the usual place. */
static void find_sitemaps(struct sources *s, const struct host *h, uint32_t via)
{
    if (s->ctx->o.no_sitemaps || s->sitemaps_found || s->agenda->plan.started) return;
    s->sitemaps_found = true;
    struct sharc_url base = SHARC_URL_INIT, found = SHARC_URL_INIT;
    size_t named = 0;
    (void)sharc_url_parse(&base, sharc_span_of(h->origin), NULL, NULL);
    for (;; named++) {
        struct sharc_span line = sharc_robots_sitemap(h->rules, named);
        if (!line.p) break;
        if (sharc_url_parse(&found, line, &base, NULL) == 0) sharc__crawl_list(s, sharc_url_page(&found), via);
    }
    if (named == 0) {
        SHARC_AUTO(sharc_freep) char *usual = sharc_asprintf("%s/sitemap.xml", h->origin);
        sharc__crawl_list(s, sharc_span_of(usual), via);
    }
    sharc_url_done(&base);
    sharc_url_done(&found);
}

/* At least this long; longer when the server says so, but not beyond a day. */
static sharc_time asked_to_wait(const struct sharc_fetch_result *r, sharc_time least)
{
    sharc_time wait = 0;
    struct sharc_span value = sharc_http_get(&r->http, "Retry-After");
    if (!r->status || !value.p || sharc_http_retry_after(value, r->end, &wait) < 0 || wait < least) return least;
    return wait < SHARC_BACKOFF_MOST ? wait : SHARC_BACKOFF_MOST;
}

/* 429 and 503 ask to be left alone, also by whoever runs next. */
static void stay_away(struct sources *s, const struct job *j)
{
    const struct sharc_fetch_result *r = j->result;
    if (!sharc_backoff_wanted(r->status)) return;
    struct group *g = &s->hosts->group[s->hosts->host[j->task.host].group];
    sharc__crawl_group_not_before(g, r->end + asked_to_wait(r, SHARC_MINUTE << j->task.tries));
}

/* True: the file is to be fetched from elsewhere, or again. */
static bool fetch_again(struct sources *s, const struct job *j, const struct sharc_robots_plan *plan)
{
    struct task t = j->task;
    if (plan->act == SHARC_ROBOTS_FOLLOW && j->made.location.n) {
        sharc__crawl_host_redirected(s->hosts, t.host);
        t.page = sharc__crawl_found_preparation(s->frontier, sharc_buf_span(&j->made.location), j->task.page, 'R');
        t.keep_host = true;
        sharc__crawl_agenda_retry(s->agenda, &t);
        return true;
    }
    const struct sharc_fetch_result *r = j->result;
    bool home = s->hosts->host[t.host].group == s->reach->home;
    bool passes = r->status || sharc_fetch_state_transient(r->state); /* a certificate will not be better in a minute */
    if (!home || plan->act != SHARC_ROBOTS_DISALLOW) return false;    /* not worth waiting for */
    if (!passes || t.tries + 1u >= crawl_tries(s->ctx)) return false;
    char cause[200];
    sharc__crawl_cause(r, cause, sizeof cause);
    t.not_before = r->end + asked_to_wait(r, SHARC_MINUTE << t.tries);
    sharc__crawl_trouble(s->reach, t.tries, r->end, t.not_before, "does not deliver its robots.txt: %s", cause);
    t.tries++;
    t.keep_host = true;
    sharc__crawl_agenda_retry(s->agenda, &t);
    return true;
}

/* Nothing may be fetched from a site whose rules could not be fetched; to say that is not the
 * same as a site without pages. */
static void leave_for_now(struct sources *s, const struct job *j)
{
    const struct sharc_fetch_result *r = j->result;
    char cause[160], why[256];
    sharc__crawl_cause(r, cause, sizeof cause);
    if (r->state == SHARC_FETCH_TLS)
        snprintf(why, sizeof why,
                 "%s; setting \"ca-file\" names certificates to trust, setting \"insecure\" accepts any", cause);
    else if (r->status)
        snprintf(why, sizeof why, "its robots.txt could not be fetched: %s", cause);
    else
        snprintf(why, sizeof why, "it cannot be reached: %s", cause);
    sharc__crawl_suspend(s->reach, why);
}

/* The rules that hold from now on. */
static void use_rules(struct sources *s, const struct job *j, const struct sharc_robots_plan *plan)
{
    const uint32_t host = j->task.host;
    const sharc_time now = j->result->end;
    if (plan->act == SHARC_ROBOTS_PARSE) {
        sharc__crawl_host_rules(s->hosts, host, sharc_robots_new(j->made.body, SHARC_ROBOTS_TOKEN), now, plan->expires);
        sharc__crawl_host_text(s->hosts, host, sharc_span_sub(j->made.body, 0, SHARC_ROBOTS_BYTES));
    } else if (plan->act == SHARC_ROBOTS_KEEP && s->hosts->host[host].rules)
        sharc__crawl_host_keep_rules(s->hosts, host, plan->expires);
    else
        sharc__crawl_host_rules(s->hosts, host, sharc_robots_new_fixed(plan->act != SHARC_ROBOTS_DISALLOW), now,
                                plan->expires);
}

void sharc__crawl_robots(struct sources *s, struct job *j)
{
    const struct host *h = &s->hosts->host[j->task.host];
    sharc_time now = j->result->end;
    struct sharc_robots_plan plan = sharc_robots_judge(j->result->state, j->result->status, h->redirects,
                                                       h->rules ? h->fetched : SHARC_TIME_NONE, now);
    stay_away(s, j);
    if (fetch_again(s, j, &plan)) return;
    use_rules(s, j, &plan);
    struct group *g = &s->hosts->group[h->group];
    const struct sharc_crawl_pace pace = sharc__crawl_group_pace(g, &s->agenda->pace, &s->ctx->o.pace);
    sharc__crawl_group_asks(g, &pace, sharc_robots_delay(h->rules), now, now - j->result->start);
    bool home = h->group == s->reach->home;
    if (plan.act == SHARC_ROBOTS_DISALLOW && home) {
        leave_for_now(s, j);
        return;
    }
    if (home) sharc__crawl_trouble_over(s->reach);
    find_sitemaps(s, h, j->task.page);
    sharc__crawl_probe(s, h, j->task.page);
}

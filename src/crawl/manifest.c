/* SPDX-License-Identifier: Apache-2.0
 *
 * robots.txt, sitemaps, feeds and lists: sources of URLs and of dates.
 */
#include "crawl_int.h"

#include <stdlib.h>

enum { MANIFESTS = 500 }; /* of one site */

void sharc__crawl_manifest(struct site *s, struct sharc_span url, uint32_t via)
{
    if (s->started) return;
    if (sharc_url_parse(&s->url, url, NULL, NULL) < 0 || !sharc_url_is_http(&s->url)) return;
    struct task t = {.kind = TASK_MANIFEST};
    uint32_t before = pages_count(&s->pages);
    t.page = sharc__crawl_errand(s, sharc_url_page(&s->url), via, 'M');
    if (t.page < before) return; /* known already */
    if (s->manifests >= MANIFESTS) {
        sharc__crawl_skip(s, t.page, SHARC_SKIP_LIMIT_LISTS, SHARC_SPAN_NONE);
        return;
    }
    s->manifests++;
    sharc__crawl_queue_push(&s->errands, &t);
}

/* Once per site: the sitemaps that robots.txt names, else the usual place. */
static void find_sitemaps(struct site *s, const struct host *h, uint32_t via)
{
    if (s->crawl->o.no_sitemaps || s->sitemaps_found || s->started) return;
    s->sitemaps_found = true;
    struct sharc_url base = SHARC_URL_INIT, found = SHARC_URL_INIT;
    size_t named = 0;
    (void)sharc_url_parse(&base, sharc_span_of(h->origin), NULL, NULL);
    for (;; named++) {
        struct sharc_span line = sharc_robots_sitemap(h->rules, named);
        if (!line.p) break;
        if (sharc_url_parse(&found, line, &base, NULL) == 0) sharc__crawl_manifest(s, sharc_url_page(&found), via);
    }
    if (named == 0) {
        SHARC_AUTO(sharc_freep) char *usual = sharc_asprintf("%s/sitemap.xml", h->origin);
        sharc__crawl_manifest(s, sharc_span_of(usual), via);
    }
    sharc_url_done(&base);
    sharc_url_done(&found);
}

static void ask_for_nothing(struct site *s, const struct host *h, uint32_t via)
{
    if (s->crawl->o.no_probe || s->probed || s->started) return;
    s->probed = true;
    SHARC_AUTO(sharc_freep)
    char *url = sharc_asprintf("%s/%016llx-no-such-page", h->origin,
                               (unsigned long long)sharc_fingerprint(sharc_span_of(h->origin), 404));
    struct task t = {.kind = TASK_PROBE, .page = sharc__crawl_errand(s, sharc_span_of(url), via, 'I')};
    sharc__crawl_queue_push(&s->errands, &t);
}

/* --- robots.txt ------------------------------------------------------------------ */

void sharc__crawl_ask_robots(struct site *s, uint32_t host)
{
    struct sharc_crawl *c = s->crawl;
    struct host *h = &c->hosts.host[host];
    if (h->robots != ROBOTS_UNKNOWN || (c->o.ignore_robots && c->o.no_sitemaps)) return;
    SHARC_AUTO(sharc_freep) char *url = sharc_asprintf("%s/robots.txt", h->origin);
    h->robots = ROBOTS_ASKED;
    struct task t = {.kind = TASK_ROBOTS,
                     .host = host,
                     .page = sharc__crawl_errand(s, sharc_span_of(url), NO_PAGE, 'P')};
    sharc__crawl_queue_push(&s->errands, &t);
}

static void use_rules(struct host *h, struct sharc_robots *rules, sharc_time now, sharc_time expires)
{
    sharc_robots_free(h->rules);
    h->rules = rules;
    h->robots = ROBOTS_KNOWN;
    h->fetched = now;
    h->expires = expires;
}

/* At least so long; longer when the server says so, but not beyond a day. */
static sharc_time asked_to_wait(const struct sharc_fetch_result *r, sharc_time least)
{
    sharc_time wait = 0;
    struct sharc_span value = sharc_http_get(&r->http, "Retry-After");
    if (!r->status || !value.p || sharc_http_retry_after(value, r->end, &wait) < 0 || wait < least) return least;
    return wait < SHARC_BACKOFF_MOST ? wait : SHARC_BACKOFF_MOST;
}

/* True: the file is to be fetched from elsewhere, or again. */
static bool robots_again(struct job *j, const struct sharc_robots_plan *plan)
{
    struct site *s = j->site;
    struct host *h = &s->crawl->hosts.host[j->task.host];
    struct task t = j->task;
    if (plan->act == SHARC_ROBOTS_FOLLOW && j->location.n) {
        h->redirects++;
        t.page = sharc__crawl_errand(s, sharc_buf_span(&j->location), j->task.page, 'R');
        t.keep_host = true;
        sharc__crawl_queue_push_front(&s->again, &t);
        return true;
    }
    const struct sharc_fetch_result *r = j->result;
    bool passes = r->status || sharc_fetch_state_transient(r->state); /* a certificate will not be better in a minute */
    if (h->group != s->home || plan->act != SHARC_ROBOTS_DISALLOW) return false; /* not worth waiting for */
    if (!passes || t.tries + 1u >= sharc__crawl_tries(s->crawl)) return false;
    char cause[200];
    sharc__crawl_cause(r, cause, sizeof cause);
    t.not_before = r->end + asked_to_wait(r, SHARC_MINUTE << t.tries);
    sharc__crawl_trouble(s, t.tries, r->end, t.not_before, "does not give its robots.txt: %s", cause);
    t.tries++;
    t.keep_host = true;
    sharc__crawl_queue_push_front(&s->again, &t);
    return true;
}

/* Nothing may be fetched from a site whose rules cannot be had; to say that is not the
 * same as a site without pages. */
static void leave_for_now(struct job *j)
{
    const struct sharc_fetch_result *r = j->result;
    char cause[160], why[256];
    sharc__crawl_cause(r, cause, sizeof cause);
    if (r->state == SHARC_FETCH_TLS)
        snprintf(why, sizeof why, "%s; --ca-file names certificates to trust, --insecure takes any", cause);
    else if (r->status)
        snprintf(why, sizeof why, "its robots.txt cannot be had: %s", cause);
    else
        snprintf(why, sizeof why, "it cannot be reached: %s", cause);
    sharc__crawl_suspend(j->site, why);
}

void sharc__crawl_robots(struct job *j)
{
    struct site *s = j->site;
    struct host *h = &s->crawl->hosts.host[j->task.host];
    sharc_time now = j->result->end;
    struct sharc_robots_plan plan = sharc_robots_judge(j->result->state, j->result->status, h->redirects,
                                                       h->rules ? h->fetched : SHARC_TIME_NONE, now);
    if (robots_again(j, &plan)) return;
    if (plan.act == SHARC_ROBOTS_PARSE)
        use_rules(h, sharc_robots_new(j->body, SHARC_ROBOTS_TOKEN), now, plan.expires);
    else if (plan.act == SHARC_ROBOTS_KEEP && h->rules)
        use_rules(h, SHARC_TAKE(h->rules), h->fetched, plan.expires);
    else
        use_rules(h, sharc_robots_new_fixed(plan.act != SHARC_ROBOTS_DISALLOW), now, plan.expires);
    struct group *g = &s->crawl->hosts.group[h->group];
    sharc_time wanted = sharc_robots_delay(h->rules);
    if (wanted > g->crawl_delay) {
        g->crawl_delay = wanted;
        sharc__crawl_group_ended(g, &s->crawl->o.pace, now, now - j->result->start);
    }
    if (plan.act == SHARC_ROBOTS_DISALLOW && h->group == s->home) {
        leave_for_now(j);
        return;
    }
    if (h->group == s->home) sharc__crawl_trouble_over(s);
    find_sitemaps(s, h, j->task.page);
    ask_for_nothing(s, h, j->task.page);
}

/* --- lists of URLs ------------------------------------------------------------------ */

/* OAI-PMH hands out long lists in pieces. */
static void next_piece(struct job *j)
{
    struct site *s = j->site;
    SHARC_AUTO(sharc_buf_done) struct sharc_buf b = SHARC_BUF_INIT(SHARC_LIMIT_URL);
    struct sharc_span query = sharc_url_query(&j->url), pair, verb = SHARC_SPAN("ListRecords");
    while (query.p && sharc_span_next(&query, '&', &pair))
        if (sharc_span_starts(pair, SHARC_SPAN("verb="))) verb = sharc_span_from(pair, 5);
    sharc_buf_put(&b, sharc_span(j->url.p, j->url.path_start));
    sharc_buf_put(&b, sharc_url_path(&j->url));
    sharc_buf_printf(&b, "?verb=%.*s&resumptionToken=", SHARC_SPAN_ARG(verb));
    for (size_t i = 0; i < j->page.resumption.n; i++) {
        char c = j->page.resumption.p[i];
        if (sharc_is_alnum(c) || c == '-' || c == '_' || c == '.' || c == '~')
            sharc_buf_put_char(&b, c);
        else
            sharc_buf_printf(&b, "%%%02X", (unsigned char)c);
    }
    if (!b.failed) sharc__crawl_manifest(s, sharc_buf_span(&b), j->task.page);
}

bool sharc__crawl_is_list(const struct job *j)
{
    return j->extracted && j->page.entry_count > 0;
}

/* Entries with their dates; what a list of lists names is read next. */
void sharc__crawl_list(struct job *j)
{
    struct site *s = j->site;
    const struct sharc_page *p = &j->page;
    for (size_t i = 0; i < p->entry_count; i++) {
        const struct sharc_entry *e = &p->entries[i];
        if (e->link == SHARC_NO_LINK || e->deleted) continue;
        struct sharc_span url = p->links[e->link].url;
        if (p->type == SHARC_PAGE_SITEMAP_INDEX) {
            sharc__crawl_manifest(s, url, j->task.page);
            continue;
        }
        struct finding f = {.url = url,
                            .via = j->task.page,
                            .hop = 'M',
                            .source = true,
                            .modified = e->modified != SHARC_TIME_NONE ? e->modified : e->published,
                            .frequency = e->frequency,
                            .priority = e->priority};
        sharc__crawl_found(s, &f);
    }
    if (p->type == SHARC_PAGE_OAI && p->resumption.n) next_piece(j);
}

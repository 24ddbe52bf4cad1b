/* SPDX-License-Identifier: Apache-2.0
 *
 * The survey's requests: one at a time, with a pause, robots.txt first.
 */
#include "survey_int.h"

#include "sharc/crawl.h"

#include <stdio.h>

int sharc__survey_get(struct survey *s, struct sharc_span url, uint64_t max_body, struct sharc_fetch_result **ret,
                      struct sharc_err *reterr)
{
    const struct sharc_survey_options *o = s->o;
    int r = o->clock->wait_until(o->clock, s->due, o->stop);
    SHARC_FAIL_IF(r < 0, reterr, r, "the survey was stopped");
    struct sharc_fetch_request request = {.url = url, .max_body = max_body};
    r = sharc_fetcher_submit(o->fetcher, &request, reterr);
    if (r < 0) return r;
    struct sharc_fetch_result *result = NULL;
    r = sharc_fetcher_wait(o->fetcher, SHARC_TIME_NONE, o->stop, &result, reterr);
    SHARC_FAIL_IF(r == SHARC_EINTR, reterr, SHARC_EINTR, "the survey was stopped");
    if (r < 0) return r;
    SHARC_FAIL_IF(!result, reterr, SHARC_ENET, "no answer came from %.*s", SHARC_SPAN_ARG(sharc_span_sub(url, 0, 200)));
    s->requests++;
    if (sharc_backoff_wanted(result->status)) s->origins.refused = result->status;
    sharc_time took = result->end - result->start;
    if (o->delay > 0) {
        sharc_time pause =
            sharc_polite_delay(o->delay, s->origins.delay, took, SHARC_CRAWL_FACTOR, SHARC_CRAWL_FACTOR_MOST);
        s->due = result->end + sharc_clock_surely(o->clock->fast, pause);
    }
    if (o->progress) o->progress(o->arg, s->requests);
    *ret = result;
    return 0;
}

bool sharc__survey_read(struct survey *s, const struct sharc_fetch_result *r, unsigned want)
{
    sharc_buf_clear(&s->body);
    sharc_fetch_decode(r, &s->body, NULL, NULL); /* as far as it goes */
    if (s->body.n == 0 || sharc_url_parse(&s->url, sharc_span_of(r->url), NULL, NULL) < 0) return false;
    struct sharc_extract_input in = {.body = sharc_span(s->body.p, s->body.n),
                                     .url = &s->url,
                                     .content_type = r->http.content_type,
                                     .want = want};
    return sharc_extract(&s->page, &in, NULL) == 0;
}

/* --- robots.txt ------------------------------------------------------------------------ */

static int resolve(struct survey *s, const struct sharc_fetch_result *from, struct sharc_url *ret)
{
    struct sharc_span location = sharc_http_get(&from->http, "Location");
    if (!location.p || sharc_url_parse(&s->url, sharc_span_of(from->url), NULL, NULL) < 0) return SHARC_ENOENT;
    return sharc_url_parse(ret, location, &s->url, NULL);
}

/* Without rules nothing is fetched; why there are none. */
static int no_rules(const struct sharc_fetch_result *r, const char *why, struct sharc_err *reterr)
{
    if (r->status) return sharc_fail(reterr, SHARC_EROBOTS, "%s: %s", r->url, why);
    bool private = r->state == SHARC_FETCH_PRIVATE;
    return sharc_fail(reterr, SHARC_ENET, "%s%s", r->text, private ? "; setting \"allow-private\" allows it" : "");
}

/* The robots.txt of the origin of url. Fails when nothing may be fetched there: then it was *ret_answered; else it
 * could not be asked. */
static int read_rules(struct survey *s, const struct sharc_url *url, struct sharc_robots **ret, bool *ret_answered,
                      struct sharc_err *reterr)
{
    SHARC_AUTO(sharc_url_done) struct sharc_url at = SHARC_URL_INIT;
    *ret_answered = false;
    int r = sharc_url_parse(&at, SHARC_SPAN("/robots.txt"), url, reterr);
    if (r < 0) return r;
    for (unsigned redirects = 0;; redirects++) {
        SHARC_AUTO(sharc_fetch_result_freep) struct sharc_fetch_result *result = NULL;
        r = sharc__survey_get(s, sharc_url_page(&at), SHARC_ROBOTS_BYTES, &result, reterr);
        if (r < 0) return r;
        *ret_answered = true;
        struct sharc_robots_plan plan =
            sharc_robots_judge(result->state, result->status, redirects, SHARC_TIME_NONE, result->end);
        switch (plan.act) {
        case SHARC_ROBOTS_FOLLOW:
            if (resolve(s, result, &at) == 0) continue;
            *ret = sharc_robots_new_fixed(true);
            return 0;
        case SHARC_ROBOTS_PARSE:
            sharc_buf_clear(&s->body);
            sharc_fetch_decode(result, &s->body, NULL, NULL);
            *ret = sharc_robots_new(sharc_buf_span(&s->body), SHARC_ROBOTS_TOKEN);
            return 0;
        case SHARC_ROBOTS_ALLOW: *ret = sharc_robots_new_fixed(true); return 0;
        case SHARC_ROBOTS_KEEP:
        case SHARC_ROBOTS_DISALLOW: return no_rules(result, plan.why, reterr);
        }
    }
}

int sharc__survey_robots(struct survey *s, struct sharc_err *reterr)
{
    struct sharc_robots *rules = NULL;
    SHARC_AUTO(sharc_freep) char *name = NULL;
    bool answered;
    if (s->o->ignore_robots) return 0;
    (void)sharc__survey_knows_origin(s, &s->seed, &name);
    int r = read_rules(s, &s->seed, &rules, &answered, reterr);
    if (r < 0) return r;
    sharc__survey_keep_rules(s, SHARC_TAKE(name), rules);
    SHARC_FAIL_IF(!sharc_robots_allowed(rules, sharc_url_page(&s->seed), NULL), reterr, SHARC_EROBOTS,
                  "robots.txt does not allow %.*s", SHARC_SPAN_ARG(sharc_span_sub(sharc_url_page(&s->seed), 0, 200)));
    return 0;
}

int sharc__survey_may_ask(struct survey *s, struct sharc_span url, struct sharc_err *reterr)
{
    SHARC_AUTO(sharc_url_done) struct sharc_url at = SHARC_URL_INIT;
    SHARC_AUTO(sharc_freep) char *name = NULL;
    if (s->o->ignore_robots) return 1;
    if (sharc_url_parse(&at, url, NULL, NULL) < 0) return 0;
    if (!sharc__survey_knows_origin(s, &at, &name)) {
        struct sharc_robots *rules = NULL;
        bool answered;
        int r = read_rules(s, &at, &rules, &answered, reterr);
        if (r < 0 && !answered) return r;
        if (r < 0) s->origins.refused = 0; /* that host is closed; the others are not */
        sharc__survey_keep_rules(s, SHARC_TAKE(name), r < 0 ? sharc_robots_new_fixed(false) : rules);
    }
    return sharc__survey_is_forbidden(s, &at) ? 0 : 1;
}

/* --- sitemaps ---------------------------------------------------------------------------- */

struct sitemaps {
    struct sharc_intern *urls; /* each once, in order */
    bool guessed;              /* the first was nobody's word */
};

static void name_sitemaps(struct survey *s, struct sitemaps *q)
{
    SHARC_AUTO(sharc_url_done) struct sharc_url at = SHARC_URL_INIT;
    const struct sharc_robots *rules = sharc__survey_home_rules(s);
    for (size_t i = 0; rules; i++) {
        struct sharc_span line = sharc_robots_sitemap(rules, i);
        if (!line.p) break;
        if (sharc_url_parse(&at, line, &s->seed, NULL) < 0 || !sharc_url_is_http(&at)) continue;
        sharc_url_strip_credentials(&at);
        sharc_intern_add(q->urls, sharc_url_page(&at), NULL);
    }
    if (sharc_intern_count(q->urls) > 0 || sharc_url_parse(&at, SHARC_SPAN("/sitemap.xml"), &s->seed, NULL) < 0) return;
    sharc_intern_add(q->urls, sharc_url_page(&at), NULL);
    q->guessed = true;
}

static void take_entries(struct survey *s, sharc_time now)
{
    for (size_t i = 0; i < s->page.entry_count; i++) {
        const struct sharc_entry *e = &s->page.entries[i];
        if (e->link == SHARC_NO_LINK) continue;
        uint32_t known = sharc_intern_count(s->urls);
        uint32_t page = sharc__survey_page(s, s->page.links[e->link].url, SHARC_SURVEY_SITEMAP, 1);
        if (page == SHARC_NO_ID) continue;
        s->from_sitemaps += page >= known;
        if (e->priority >= 0) s->pages[page].priority = e->priority;
        sharc_rate_live_given(s->live, page, sharc__crawl_rate_stated(e->frequency, s->o->delay));
        sharc__survey_age(s, page, e->modified, now);
        sharc__survey_told(s, page, e->modified, now);
    }
}

int sharc__survey_sitemaps(struct survey *s, struct sharc_err *reterr)
{
    if (s->o->no_sitemaps) return 0;
    SHARC_AUTO(sharc_intern_freep) struct sharc_intern *urls = sharc_intern_new();
    struct sitemaps q = {.urls = urls};
    name_sitemaps(s, &q);
    for (uint32_t i = 0; i < sharc_intern_count(urls) && i < SHARC_LIMIT_SURVEY_SITEMAPS && !s->origins.refused; i++) {
        SHARC_AUTO(sharc_fetch_result_freep) struct sharc_fetch_result *result = NULL;
        struct sharc_span url = sharc_intern_text(urls, i);
        int r = sharc__survey_may_ask(s, url, reterr);
        if (r == 0) continue;
        if (r > 0) r = sharc__survey_get(s, url, SHARC_LIMIT_SURVEY_BODY, &result, reterr);
        if (r < 0) return r;
        bool there = result->state == SHARC_FETCH_OK && result->status == 200;
        if (!there || !sharc__survey_read(s, result, SHARC_WANT_LINKS)) {
            if (!q.guessed)
                snprintf(s->note, sizeof s->note, "the sitemap %.*s could not be fetched",
                         SHARC_SPAN_ARG(sharc_span_sub(url, 0, 150)));
            continue;
        }
        s->sitemaps++;
        if (s->page.type == SHARC_PAGE_SITEMAP_INDEX) {
            for (size_t k = 0; k < s->page.link_count; k++)
                if (s->page.links[k].place == SHARC_FROM_SITEMAP_INDEX)
                    sharc_intern_add(urls, s->page.links[k].url, NULL);
        } else {
            take_entries(s, result->end);
        }
    }
    return 0;
}

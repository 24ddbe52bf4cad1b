/* SPDX-License-Identifier: Apache-2.0
 *
 * The survey: the sample, what it and sitemaps say about rates, and all of it together.
 */
#include "survey_int.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

/* --- the sample --------------------------------------------------------------------------- */

static void take_embed(struct survey *s, uint32_t page, struct sharc_span url)
{
    uint32_t id = sharc_intern_add(s->embeds.urls, url, NULL);
    if (id >= s->embeds.room) {
        size_t before = s->embeds.room;
        SHARC_GROW(s->embeds.one, s->embeds.room, (size_t)id + 1);
        memset(s->embeds.one + before, 0, (s->embeds.room - before) * sizeof *s->embeds.one);
    }
    if (s->embeds.one[id].last == page + 1) return;
    s->embeds.one[id].last = page + 1;
    s->embeds.one[id].pages++;
}

static void take_links(struct survey *s, uint32_t page)
{
    for (size_t i = 0; i < s->page.link_count; i++) {
        const struct sharc_link *l = &s->page.links[i];
        if (l->flags & SHARC_LINK_SPECULATIVE) continue;
        if (l->kind == SHARC_LINK_EMBED)
            take_embed(s, page, l->url);
        else
            sharc__survey_link(s, page, sharc__survey_page(s, l->url, SHARC_SURVEY_LINK, s->pages[page].hops + 1u));
    }
}

static void take_age(struct survey *s, uint32_t page, const struct sharc_fetch_result *r)
{
    sharc_time t = SHARC_TIME_NONE;
    struct sharc_span field = sharc_http_get(&r->http, "Last-Modified");
    if (!field.p || sharc_http_date_parse(field, &t) < 0) t = s->page.modified;
    sharc__survey_age(s, page, t, r->end);
    sharc__survey_saw(s, page, t, r->end);
}

static void take_redirect(struct survey *s, uint32_t page, const struct sharc_fetch_result *r)
{
    SHARC_AUTO(sharc_url_done) struct sharc_url to = SHARC_URL_INIT;
    s->pages[page].gone = true;
    struct sharc_span location = sharc_http_get(&r->http, "Location");
    if (!location.p || sharc_url_parse(&s->url, sharc_span_of(r->url), NULL, NULL) < 0) return;
    if (sharc_url_parse(&to, location, &s->url, NULL) < 0) return;
    sharc__survey_link(s, page, sharc__survey_page(s, sharc_url_page(&to), SHARC_SURVEY_LINK, s->pages[page].hops));
}

static void look_at(struct survey *s, uint32_t page, const struct sharc_fetch_result *r)
{
    s->pages[page].sampled = true;
    if (sharc_http_is_redirect(r->status)) {
        take_redirect(s, page, r);
        return;
    }
    if (r->status != 200) {
        s->pages[page].gone = r->status >= 400 && r->status < 500 && r->status != 429;
        return;
    }
    s->sampled++;
    s->took += r->end - r->start;
    if (!sharc__survey_read(s, r, SHARC_WANT_LINKS | SHARC_WANT_DATES))
        s->page.modified = SHARC_TIME_NONE;
    else
        take_links(s, page);
    take_age(s, page, r);
}

/* The seed, then pages spread evenly over all that is known; while nothing but
 * the sample itself makes pages known, breadth-first. */
static uint32_t choose(const struct survey *s, unsigned looked)
{
    uint32_t n = sharc_intern_count(s->urls), start = 0;
    if (s->from_sitemaps + s->from_earlier > 0 && looked > 0)
        start = (uint32_t)((uint64_t)n * looked / (s->o->sample + 1));
    for (uint32_t i = 0; i < n; i++) {
        uint32_t page = (start + i) % n;
        if (!s->pages[page].sampled) return page;
    }
    return SHARC_NO_ID;
}

static int look_at_sample(struct survey *s, struct sharc_err *reterr)
{
    unsigned wanted = s->o->sample > 0 ? s->o->sample : 1;
    for (unsigned looked = 0; looked < wanted && !s->origins.refused; looked++) {
        uint32_t page = choose(s, looked);
        if (page == SHARC_NO_ID) return 0;
        SHARC_AUTO(sharc_fetch_result_freep) struct sharc_fetch_result *result = NULL;
        struct sharc_span url = sharc_intern_text(s->urls, page);
        int r = sharc__survey_may_ask(s, url, reterr);
        if (r == 0) s->pages[page].sampled = s->pages[page].gone = true; /* the crawl will not ask, either */
        if (r == 0) continue;
        if (r > 0 && !s->origins.refused) r = sharc__survey_get(s, url, SHARC_LIMIT_SURVEY_BODY, &result, reterr);
        if (r < 0) return r;
        if (!result) break;
        SHARC_FAIL_IF(page == 0 && result->status == 0, reterr, SHARC_ENET, "%s: %s", result->url, result->text);
        look_at(s, page, result);
    }
    if (s->origins.refused)
        snprintf(s->note, sizeof s->note, "the site refused further requests (%d): the sample ended early",
                 s->origins.refused);
    return 0;
}

/* --- rates ---------------------------------------------------------------------------------- */

/* As a crawl would be told them. */
static double rate_of(const struct survey *s, uint32_t page)
{
    const struct survey_page *p = &s->pages[page];
    return p->learned >= 0 ? p->learned : sharc_rate_live_rate(s->live, page, sharc_intern_text(s->urls, page));
}

/* --- all of it --------------------------------------------------------------------------------- */

struct sharc__survey_private {
    struct sharc_intern *urls;
    struct heard_past remembered;
};

static void survey_release(struct survey *s)
{
    sharc_url_done(&s->seed);
    sharc_signals_free(s->said.now);
    sharc__crawl_heard_past_done(&s->said.before);
    sharc_url_done(&s->url);
    sharc_scope_free(s->scope);
    sharc__survey_origins_done(&s->origins);
    sharc_intern_free(s->urls);
    sharc_intern_free(s->embeds.urls);
    sharc_rate_live_free(s->live);
    sharc_page_done(&s->page);
    sharc_buf_done(&s->body);
    free(s->pages);
    free(s->links);
    free(s->embeds.one);
}

static int make_scope(struct survey *s, struct sharc_err *reterr)
{
    s->scope = sharc_scope_new();
    sharc_scope_add_limits(s->scope);
    int r = sharc_scope_add_seed(s->scope, &s->seed, s->o->reach, NULL, reterr);
    for (size_t i = 0; r == 0 && i < s->o->rules_count; i++) {
        const char *rule = s->o->rules[i];
        r = sharc_scope_add(s->scope, rule[0] == '-' ? SHARC_EXCLUDE : SHARC_INCLUDE, sharc_span_of(rule + 1),
                            rule[0] == '-' ? "setting \"exclude\"" : "setting \"include\"", reterr);
    }
    sharc_scope_seal(s->scope);
    return r;
}

/* How many there are when this many were seen: those seen on one page only tell of
 * those not yet seen (Chao's estimate), but not more than every further page
 * bringing as many new ones as the pages so far. */
static size_t guess_embeds(const struct survey *s, size_t pages)
{
    double known = sharc_intern_count(s->embeds.urls), once = 0, twice = 0;
    if (known <= 0 || s->sampled == 0) return 0;
    for (uint32_t i = 0; i < sharc_intern_count(s->embeds.urls); i++) {
        once += s->embeds.one[i].pages == 1;
        twice += s->embeds.one[i].pages == 2;
    }
    double unseen = once * (once - 1) / (2 * (twice + 1));
    double most = once / (double)s->sampled * (double)(pages > s->sampled ? pages - s->sampled : 0);
    return (size_t)(known + fmin(unseen, most));
}

/* The path and query of a URL of a known origin. */
static struct sharc_span target_of(struct sharc_span url)
{
    size_t at = sharc_span_search(url, SHARC_SPAN("://"));
    at = at == SHARC_NPOS ? SHARC_NPOS : sharc_span_find(url, '/', at + 3);
    return at == SHARC_NPOS ? SHARC_SPAN("/") : sharc_span_from(url, at);
}

/* Pages of the sample that state when they changed: does the sitemap say the same? */
static void put_signals(const struct survey *s, struct sharc_survey *ret)
{
    struct sharc_signal_worth w;
    if (!s->said.now || !sharc_signals_worth(s->said.now, 0, &w)) return;
    ret->signals.stated = w.pages;
    ret->signals.right = (size_t)w.now.right;
    ret->signals.wrong = (size_t)w.now.wrong;
    ret->signals.missed = (size_t)w.now.missed;
}

static void put_remembered(const struct heard_past *p, struct sharc_survey *ret)
{
    ret->remembered = SHARC_NEW_ARRAY(struct sharc_survey_source_worth, p->count + 1);
    ret->remembered_count = p->count;
    for (size_t i = 0; i < p->count; i++)
        ret->remembered[i] = (struct sharc_survey_source_worth){.source = p->one[i].source,
                                                                .told = p->one[i].counts.told,
                                                                .missed = p->one[i].counts.missed,
                                                                .right = p->one[i].counts.right,
                                                                .wrong = p->one[i].counts.wrong};
}

static void hand_over(struct survey *s, struct sharc_survey *ret)
{
    uint32_t n = sharc_intern_count(s->urls);
    SHARC_AUTO(sharc_freep) uint32_t *number = SHARC_NEW_ARRAY(uint32_t, n + 1);
    size_t unfollowed = 0;
    *ret = (struct sharc_survey){.sitemaps = s->sitemaps,
                                 .from_sitemaps = s->from_sitemaps,
                                 .from_earlier = s->from_earlier,
                                 .watched = s->watched,
                                 .sampled = s->sampled,
                                 .requests = s->requests,
                                 .robots_delay = s->origins.delay,
                                 .took = s->sampled ? s->took / (sharc_time)s->sampled : 0};
    put_signals(s, ret);
    ret->pages = SHARC_NEW_ARRAY(struct sharc_survey_page, n + 1);
    for (uint32_t i = 0; i < n; i++) {
        const struct survey_page *p = &s->pages[i];
        number[i] = SHARC_NO_ID;
        if (p->gone) continue;
        struct sharc_span url = sharc_intern_text(s->urls, i);
        number[i] = (uint32_t)ret->count;
        ret->pages[ret->count++] =
            (struct sharc_survey_page){.url = url,
                                       .target = target_of(url),
                                       .rate = rate_of(s, i),
                                       .priority = p->priority < 0 ? (double)NAN : (double)p->priority,
                                       .source = i == 0 ? SHARC_SURVEY_SEED : p->source,
                                       .sampled = p->sampled};
        unfollowed += p->source == SHARC_SURVEY_LINK && !p->sampled;
    }
    ret->more = unfollowed * 10 > ret->count;
    for (size_t i = 0; i < s->link_count; i++) {
        struct sharc_survey_link l = {number[s->links[i].from], number[s->links[i].to]};
        if (l.from != SHARC_NO_ID && l.to != SHARC_NO_ID) s->links[ret->link_count++] = l;
    }
    ret->embeds = guess_embeds(s, ret->count);
    ret->links = SHARC_TAKE(s->links);
    memcpy(ret->note, s->note, sizeof ret->note);
    ret->private_ = SHARC_NEW(struct sharc__survey_private);
    ret->private_->urls = SHARC_TAKE(s->urls);
    ret->private_->remembered = s->said.before;
    s->said.before.count = 0; /* given away */
    put_remembered(&ret->private_->remembered, ret);
}

int sharc_survey_make(const struct sharc_survey_options *o, struct sharc_survey *ret, struct sharc_err *reterr)
{
    SHARC_AUTO(survey_release)
    struct survey s = {.o = o,
                       .urls = sharc_intern_new(),
                       .embeds.urls = sharc_intern_new(),
                       .live = sharc__crawl_live_new()};
    sharc_buf_init(&s.body, SHARC_LIMIT_SURVEY_BODY);
    char shown[SHARC_URL_SHOWN];
    int r = sharc_url_parse_typed(&s.seed, o->url, reterr);
    if (r < 0) return r;
    sharc_url_shown(o->url, shown);
    SHARC_FAIL_IF(!sharc_url_is_http(&s.seed), reterr, SHARC_ESYNTAX, "%s is not an http or https URL", shown);
    sharc_url_strip_fragment(&s.seed);
    sharc_url_strip_credentials(&s.seed);
    r = make_scope(&s, reterr);
    if (r == 0 && o->fetcher && o->store) r = sharc__survey_recall(&s, reterr);
    if (r == 0 && o->fetcher) r = sharc__survey_robots(&s, reterr);
    if (r < 0) return r;
    sharc__survey_page(&s, sharc_url_page(&s.seed), SHARC_SURVEY_LINK, 0);
    SHARC_FAIL_IF(sharc_intern_count(s.urls) == 0, reterr, SHARC_EINVAL, "the scope rules exclude %s itself", shown);
    if (o->fetcher) r = sharc__survey_sitemaps(&s, reterr);
    if (r == 0 && o->store) r = sharc__survey_earlier(&s, reterr);
    SHARC_FAIL_IF(r == 0 && !o->fetcher && s.from_earlier == 0, reterr, SHARC_ENOENT, "no capture of %s is known",
                  shown);
    if (r == 0 && o->fetcher) r = look_at_sample(&s, reterr);
    if (r < 0) return r;
    hand_over(&s, ret);
    return 0;
}

void sharc_survey_done(struct sharc_survey *s)
{
    free(s->pages);
    free(s->links);
    free(s->remembered);
    if (s->private_) sharc_intern_free(s->private_->urls);
    if (s->private_) sharc__crawl_heard_past_done(&s->private_->remembered);
    free(s->private_);
    *s = (struct sharc_survey){0};
}

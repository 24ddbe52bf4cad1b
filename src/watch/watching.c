/* SPDX-License-Identifier: Apache-2.0
 *
 * A watch: made and released; its sites and pages.
 */
#include "watching.h"

#include "sharc/archive_box.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#define USUAL_BUDGET (100.0 / 24) /* requests per hour */

const char *sharc_watching_event_word(enum sharc_watching_event_kind k)
{
    static const char *const words[] = {
#define X(name, word) [SHARC_WATCHING_##name] = (word),
        SHARC_WATCHING_EVENTS(X)
#undef X
    };
    return words[k];
}

void sharc__watching_remark(struct sharc_watching *w, const char *fmt, ...)
{
    char text[512];
    va_list ap;
    if (!w->world.remark) return;
    va_start(ap, fmt);
    vsnprintf(text, sizeof text, fmt, ap);
    va_end(ap);
    w->world.remark(w->world.arg, text);
}

void sharc__watching_event(struct sharc_watching *w, struct sharc_watching_event e)
{
    if (e.when == 0) e.when = watching_now(w);
    if (w->world.event) w->world.event(w->world.arg, &e);
}

/* --- sites --------------------------------------------------------------------------- */

uint32_t sharc__watching_site_of(struct sharc_watching *w, sharc_store_id capture)
{
    for (size_t i = 0; i < w->sites; i++)
        if (w->site[i].capture == capture) return (uint32_t)i;
    SHARC_GROW(w->site, w->site_room, w->sites + 1);
    w->site[w->sites] = (struct site){.capture = capture, .look = SHARC_NO_ID, .snapshot = SHARC_TIME_NONE};
    return (uint32_t)w->sites++;
}

static void add_rules(const struct sharc_watching *w, struct sharc_scope *scope)
{
    const struct sharc_crawl_options *o = &w->o.crawl;
    for (size_t i = 0; i < o->rules_count; i++) {
        bool exclude = o->rules[i][0] == '-';
        (void)sharc_scope_add(scope, exclude ? SHARC_EXCLUDE : SHARC_INCLUDE, sharc_span_of(o->rules[i] + 1),
                              exclude ? "setting \"exclude\"" : "setting \"include\"", NULL);
    }
}

/* What may join: as far as the named pages of the site reach. */
struct sharc_scope *sharc__watching_scope(const struct sharc_watching *w, struct site *s)
{
    if (s->scope) return s->scope;
    SHARC_AUTO(sharc_url_done) struct sharc_url u = SHARC_URL_INIT;
    const uint32_t site = (uint32_t)(s - w->site);
    s->scope = sharc_scope_new();
    sharc_scope_add_limits(s->scope);
    for (size_t i = 0; i < w->count; i++) {
        const struct page *p = &w->pages[i];
        if (!p->on || p->site != site || p->found != SHARC_FOUND_NAMED) continue;
        if (sharc_url_parse(&u, sharc_looks_url(w->looks, p->look), NULL, NULL) == 0)
            (void)sharc_scope_add_seed(s->scope, &u, w->o.crawl.reach, NULL, NULL);
    }
    add_rules(w, s->scope);
    sharc_scope_seal(s->scope);
    return s->scope;
}

/* --- pages ---------------------------------------------------------------------------- */

uint32_t sharc__watching_number(const struct sharc_watching *w, uint32_t look)
{
    return look < w->number_count ? w->number[look] : SHARC_NO_ID;
}

static void set_number(struct sharc_watching *w, uint32_t look, uint32_t number)
{
    SHARC_GROW(w->number, w->number_room, (size_t)look + 1);
    while (w->number_count <= look) w->number[w->number_count++] = SHARC_NO_ID;
    w->number[look] = number;
}

/* Pages in one directory are thought to be alike. */
static uint32_t group_of(struct sharc_watching *w, struct sharc_span url)
{
    size_t n = url.n;
    for (size_t i = 0; i < url.n; i++)
        if (url.p[i] == '?') n = i;
    while (n > 0 && url.p[n - 1] != '/') n--;
    return sharc_intern_add(w->groups, sharc_span_sub(url, 0, n), NULL);
}

void sharc__watching_put(struct sharc_watching *w, uint32_t number, uint32_t site,
                         const struct sharc_store_watched *row, bool held)
{
    SHARC_GROW(w->pages, w->room, (size_t)number + 1);
    while (w->count <= number) w->pages[w->count++] = (struct page){.look = SHARC_NO_ID};
    struct page *p = &w->pages[number];
    const bool was_on = p->on;
    *p = (struct page){.look = SHARC_NO_ID,
                       .site = site,
                       .group = group_of(w, row->url),
                       .since = row->since,
                       .shortest = row->shortest,
                       .longest = row->longest,
                       .weight = row->weight > 0 ? row->weight : 1,
                       .stated = SHARC_TIME_NONE,
                       .list = SHARC_WATCH_NONE,
                       .found = (uint8_t)row->found,
                       .gone = (uint16_t)row->gone,
                       .on = row->until == SHARC_TIME_NONE,
                       .held = held};
    if (!p->on) return;
    p->look = sharc_looks_page(w->looks, w->site[site].look, row->url, NULL);
    set_number(w, p->look, number);
    if (!was_on) w->site[site].pages++;
    if (p->found == SHARC_FOUND_NAMED) sharc_scope_freep(&w->site[site].scope);
}

void sharc__watching_plan_page(struct sharc_watching *w, uint32_t number)
{
    const struct page *p = &w->pages[number];
    struct sharc_watch_page s = SHARC_WATCH_PAGE;
    const uint32_t host = sharc_looks_host_of(w->looks, p->look);
    const sharc_time now = watching_now(w), since = p->since < now ? p->since : now; /* by a clock that was fast? */
    sharc_watch_host(w->plan, host, &(struct sharc_watch_host){.delay = w->o.crawl.pace.delay});
    s.site = p->site;
    s.host = host;
    s.group = p->group;
    s.source = p->list;
    s.weight = p->weight;
    s.shortest = p->shortest;
    s.longest = p->longest;
    s.born = p->found == SHARC_FOUND_NAMED ? SHARC_TIME_NONE : since;
    s.held = p->held;
    sharc_watch_add(w->plan, number, &s, since);
}

int sharc__watching_row(struct sharc_watching *w, uint32_t number, sharc_time until, struct sharc_err *reterr)
{
    const struct page *p = &w->pages[number];
    struct sharc_store_watched row = {.capture = w->site[p->site].capture,
                                      .url = sharc_looks_url(w->looks, p->look),
                                      .number = number,
                                      .since = p->since,
                                      .until = until,
                                      .found = (enum sharc_store_found)p->found,
                                      .weight = p->weight,
                                      .shortest = p->shortest,
                                      .longest = p->longest,
                                      .gone = p->gone};
    return sharc_store_batch_watched(sharc_looks_batch(w->looks), &row, reterr);
}

int sharc__watching_drop(struct sharc_watching *w, uint32_t number, const char *why, struct sharc_err *reterr)
{
    struct page *p = &w->pages[number];
    int r = sharc__watching_row(w, number, watching_now(w), reterr);
    if (r < 0) return r;
    sharc_watch_drop(w->plan, number);
    p->on = false;
    w->site[p->site].pages--;
    w->counts.left++;
    set_number(w, p->look, SHARC_NO_ID);
    sharc__watching_event(w,
                          (struct sharc_watching_event){.kind = SHARC_WATCHING_LEFT,
                                                        .site = sharc_looks_site_name(w->looks, w->site[p->site].look),
                                                        .url = sharc_looks_url(w->looks, p->look),
                                                        .text = why});
    return 0;
}

static int settle_site(struct sharc_watching *w, struct sharc_span url, uint32_t *ret, struct sharc_err *reterr)
{
    uint32_t look = 0;
    int r = sharc_looks_site(w->looks, url, &look, reterr);
    if (r < 0) return r;
    const sharc_store_id capture = sharc_looks_capture(w->looks, look);
    SHARC_FAIL_IF(sharc_map64_find(&w->queued, (uint64_t)capture), reterr, SHARC_EINVAL,
                  "%s is watched by a job: \"sharc jobs\" shows it, and \"sharc watch --queue\" goes on with it",
                  sharc_looks_site_name(w->looks, look));
    *ret = sharc__watching_site_of(w, capture);
    w->site[*ret].look = look;
    return 0;
}

/* The next word of a line of a list; empty: there is none. */
static struct sharc_span next_word(struct sharc_span *rest)
{
    const struct sharc_span text = sharc_span_trim(*rest);
    size_t n = 0;
    while (n < text.n && text.p[n] != ' ' && text.p[n] != '\t') n++;
    *rest = sharc_span_from(text, n);
    return sharc_span_sub(text, 0, n);
}

int sharc__watching_first_site(struct sharc_watching *w, struct sharc_err *reterr)
{
    struct sharc_span line = sharc_span_of(w->o.pages_count ? w->o.pages[0] : "");
    const struct sharc_span url = next_word(&line);
    uint32_t site;
    return settle_site(w, url, &site, reterr);
}

/* New settings of a page that is watched. */
static int name_again(struct sharc_watching *w, uint32_t number, const struct sharc_watching_page *s,
                      struct sharc_err *reterr)
{
    struct page *p = &w->pages[number];
    if (s->weight > 0) p->weight = s->weight;
    if (s->shortest > 0) p->shortest = s->shortest;
    if (s->longest > 0) p->longest = s->longest;
    p->found = SHARC_FOUND_NAMED;
    sharc_scope_freep(&w->site[p->site].scope);
    if (w->plan) sharc__watching_plan_page(w, number);
    w->state_changed = true;
    return sharc__watching_row(w, number, SHARC_TIME_NONE, reterr);
}

int sharc_watching_name(struct sharc_watching *w, struct sharc_span url, const struct sharc_watching_page *s,
                        struct sharc_err *reterr)
{
    uint32_t site = 0;
    SHARC_AUTO(sharc_url_done) struct sharc_url u = SHARC_URL_INIT;
    int r = settle_site(w, url, &site, reterr);
    if (r == 0) r = sharc_url_parse_typed(&u, url, reterr);
    if (r < 0) return r;
    sharc_url_strip_credentials(&u); /* a password belongs into no archive */
    const struct sharc_span page = sharc_url_page(&u);
    uint32_t number = sharc__watching_number(w, sharc_looks_page(w->looks, w->site[site].look, page, NULL));
    if (number != SHARC_NO_ID) return name_again(w, number, s, reterr);
    struct sharc_store_watched row = {.url = page,
                                      .since = watching_now(w),
                                      .until = SHARC_TIME_NONE,
                                      .found = SHARC_FOUND_NAMED,
                                      .weight = s->weight,
                                      .shortest = s->shortest,
                                      .longest = s->longest};
    number = (uint32_t)w->count;
    sharc__watching_put(w, number, site, &row, /* held= */ false);
    if (w->plan) sharc__watching_plan_page(w, number);
    w->state_changed = true;
    w->counts.joined++;
    return sharc__watching_row(w, number, SHARC_TIME_NONE, reterr);
}

static int read_word(struct sharc_span word, struct sharc_watching_page *s, struct sharc_err *reterr)
{
    struct sharc_span value;
    static const char *const names[] = {"shortest=", "longest=", "weight="};
    for (size_t i = 0; i < SHARC_LENGTH(names); i++) {
        size_t n = strlen(names[i]);
        if (word.n <= n || memcmp(word.p, names[i], n) != 0) continue;
        value = sharc_span_from(word, n);
        if (i < 2) return sharc_duration_parse(value, i ? &s->longest : &s->shortest, reterr);
        if (sharc_span_to_double(value, &s->weight) == 0 && s->weight > 0 && isfinite(s->weight)) return 0;
        return sharc_fail(reterr, SHARC_ESYNTAX, "\"%.*s\" is no weight: give a number above 0", SHARC_SPAN_ARG(word));
    }
    return sharc_fail(reterr, SHARC_ESYNTAX,
                      "\"%.*s\" means nothing here: shortest=TIME, longest=TIME, weight=NUMBER do",
                      SHARC_SPAN_ARG(word));
}

/* 0: there is nothing in it. */
static int read_line(struct sharc_span line, struct sharc_span *ret_url, struct sharc_watching_page *ret,
                     struct sharc_err *reterr)
{
    struct sharc_span word;
    int r = 0;
    *ret = (struct sharc_watching_page){0};
    *ret_url = next_word(&line);
    if (ret_url->n == 0 || ret_url->p[0] == '#') return 0;
    while (r == 0 && (word = next_word(&line)).n > 0) r = read_word(word, ret, reterr);
    return r < 0 ? r : 1;
}

int sharc_watching_name_line(struct sharc_watching *w, struct sharc_span line, struct sharc_err *reterr)
{
    struct sharc_watching_page s;
    struct sharc_span url;
    int r = read_line(line, &url, &s, reterr);
    return r <= 0 ? r : sharc_watching_name(w, url, &s, reterr);
}

int sharc_watching_check_line(struct sharc_span line, struct sharc_err *reterr)
{
    struct sharc_watching_page s;
    struct sharc_span url;
    SHARC_AUTO(sharc_url_done) struct sharc_url u = SHARC_URL_INIT;
    int r = read_line(line, &url, &s, reterr);
    if (r <= 0) return r;
    r = sharc_url_parse_typed(&u, url, reterr);
    SHARC_FAIL_IF(r == 0 && !sharc_url_is_http(&u), reterr, SHARC_ESYNTAX,
                  "%.*s: a page must have an http or https URL", SHARC_SPAN_ARG(url));
    return r;
}

uint32_t sharc_watching_pages(const struct sharc_watching *w)
{
    uint32_t n = 0;
    for (size_t i = 0; i < w->count; i++) n += w->pages[i].on;
    return n;
}

/* --- made, released ------------------------------------------------------------------------ */

static int check(const struct sharc_watching_options *o, struct sharc_err *reterr)
{
    SHARC_AUTO(sharc_scope_freep) struct sharc_scope *scope = sharc_scope_new();
    SHARC_FAIL_IF(o->longest > 0 && o->shortest > o->longest, reterr, SHARC_EINVAL,
                  "setting \"shortest\" must not exceed setting \"longest\"");
    for (size_t i = 0; i < o->crawl.rules_count; i++) {
        int r = sharc_scope_add(scope, SHARC_INCLUDE, sharc_span_of(o->crawl.rules[i] + 1), "settings", reterr);
        if (r < 0) return r;
    }
    return 0;
}

int sharc_watching_new(const struct sharc_watching_options *o, const struct sharc_watching_world *world,
                       struct sharc_watching **ret, struct sharc_err *reterr)
{
    int r = check(o, reterr);
    if (r < 0) return r;
    struct sharc_watching *w = SHARC_NEW(struct sharc_watching);
    w->o = *o;
    w->world = *world;
    w->o.crawl.purpose = SHARC_FOR_WATCHING;
    if (!w->o.strategy) w->o.strategy = sharc_watch_at(0);
    w->per_hour = o->per_hour;
    w->groups = sharc_intern_new();
    sharc_map64_init(&w->queued);
    const struct sharc_crawl_world cw = {.clock = world->clock,
                                         .fetcher = world->fetcher,
                                         .store = world->store,
                                         .objects = world->objects,
                                         .remark = world->remark,
                                         .arg = world->arg};
    r = sharc_looks_new(&w->o.crawl, &cw, sharc_watch_name(w->o.strategy), &w->looks, reterr);
    if (r == 0 && o->crawl.control) sharc_box_clear(o->crawl.archive);
    if (r == 0) r = sharc__watching_take_up(w, reterr);
    if (!(w->per_hour > 0)) w->per_hour = USUAL_BUDGET;
    if (r < 0) {
        sharc_watching_free(w);
        return r;
    }
    *ret = w;
    return 0;
}

void sharc_watching_free(struct sharc_watching *w)
{
    if (!w) return;
    sharc_looks_free(w->looks);
    sharc_watch_free(w->plan);
    for (size_t i = 0; i < w->count; i++) free(w->pages[i].doubt);
    for (size_t i = 0; i < w->sites; i++) sharc_scope_free(w->site[i].scope);
    sharc_intern_free(w->groups);
    sharc_map64_done(&w->queued);
    sharc_url_done(&w->url);
    free(w->pages);
    free(w->number);
    free(w->site);
    free(w->list);
    free(w->task);
    free(w);
}

void sharc_watching_freep(struct sharc_watching **w)
{
    sharc_watching_free(*w);
    *w = NULL;
}

sharc_time sharc_watching_next(const struct sharc_watching *w)
{
    return w->next_work >= NEVER ? SHARC_TIME_NONE : w->next_work;
}

void sharc_watching_counts(const struct sharc_watching *w, struct sharc_watching_counts *ret)
{
    *ret = w->counts;
}

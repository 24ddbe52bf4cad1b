/* SPDX-License-Identifier: Apache-2.0
 *
 * Pages that join while watching, found by links, sitemaps or feeds, and what these lists say of pages that are watched
 * already. What the scope of the site does not let in stays out, and so does what exceeds its limit of pages.
 */
#include "watching.h"

#include "sharc/extract.h"
#include "sharc/http_robots.h"

#include <math.h>

#define LIST_SHARE 0.1 /* of the budget may go into reading lists */
#define PAGES_USUAL 10000

int sharc__watching_join(struct sharc_watching *w, uint32_t site, struct sharc_span url, enum sharc_store_found found,
                         uint32_t *ret, struct sharc_err *reterr)
{
    struct site *s = &w->site[site];
    const uint64_t most = w->o.crawl.pace.pages ? w->o.crawl.pace.pages : PAGES_USUAL;
    *ret = SHARC_NO_ID;
    if (sharc_url_parse(&w->url, url, NULL, NULL) < 0 || s->pages >= most) return 0;
    sharc_url_strip_credentials(&w->url);
    if (!sharc_scope_check(sharc__watching_scope(w, s), &w->url, 1, NULL)) return 0;
    struct sharc_store_watched row = {.url = sharc_url_page(&w->url),
                                      .since = watching_now(w),
                                      .until = SHARC_TIME_NONE,
                                      .found = found,
                                      .weight = 1};
    const uint32_t look = sharc_looks_page(w->looks, s->look, row.url, NULL);
    if (sharc__watching_number(w, look) != SHARC_NO_ID) {
        *ret = sharc__watching_number(w, look);
        return 0;
    }
    if (sharc_looks_site_of(w->looks, look) != s->look) return 0; /* of another site, or robots.txt */
    *ret = (uint32_t)w->count;
    sharc__watching_put(w, *ret, site, &row, /* held= */ false);
    sharc__watching_plan_page(w, *ret);
    w->counts.joined++;
    w->next_try = watching_now(w);
    int r = sharc__watching_row(w, *ret, SHARC_TIME_NONE, reterr);
    sharc__watching_event(w, (struct sharc_watching_event){.kind = SHARC_WATCHING_JOINED,
                                                           .site = sharc_looks_site_name(w->looks, s->look),
                                                           .url = sharc_looks_url(w->looks, look),
                                                           .found = found});
    return r;
}

int sharc__watching_links(struct sharc_watching *w, uint32_t site, const struct sharc_page *content,
                          struct sharc_err *reterr)
{
    int r = 0;
    if (w->o.crawl.reach == SHARC_REACH_PAGE && w->o.crawl.rules_count == 0) return 0;
    for (size_t i = 0; i < content->link_count && r == 0; i++) {
        const struct sharc_link *l = &content->links[i];
        uint32_t number;
        if (l->kind == SHARC_LINK_EMBED || (l->flags & (SHARC_LINK_SPECULATIVE | SHARC_LINK_REPEATED))) continue;
        r = sharc__watching_join(w, site, l->url, SHARC_FOUND_LINK, &number, reterr);
    }
    return r;
}

/* --- lists ------------------------------------------------------------------------------- */

sharc_time sharc__watching_list_interval(const struct sharc_watching *w)
{
    double hours = fmax(1, (double)w->lists / (LIST_SHARE * w->per_hour));
    return (sharc_time)(fmin(hours, 24 * 365) * (double)SHARC_HOUR);
}

uint32_t sharc__watching_add_list(struct sharc_watching *w, uint32_t site, struct sharc_span url)
{
    if (w->site[site].lists >= LISTS_MOST || sharc_url_parse(&w->url, url, NULL, NULL) < 0) return SHARC_NO_ID;
    if (!sharc_url_is_http(&w->url)) return SHARC_NO_ID;
    sharc_url_strip_credentials(&w->url);
    const uint32_t look = sharc_looks_page(w->looks, w->site[site].look, sharc_url_page(&w->url), NULL);
    for (size_t i = 0; i < w->lists; i++)
        if (w->list[i].look == look) return (uint32_t)i;
    const bool watched = sharc__watching_number(w, look) != SHARC_NO_ID; /* then its looks are its readings */
    SHARC_GROW(w->list, w->list_room, w->lists + 1);
    w->list[w->lists] = (struct list){
        .look = look, .site = site, .kind = SHARC_FOUND_SITEMAP, .next = watching_now(w), .under_way = watched};
    w->site[site].lists++;
    w->lists_changed = true;
    return (uint32_t)w->lists++;
}

/* The site that a list speaks of: that of its own address, or the only one. */
static uint32_t site_of_list(const struct sharc_watching *w, struct sharc_span url)
{
    uint32_t only = SHARC_NO_ID;
    for (size_t i = 0; i < w->count; i++) {
        if (!w->pages[i].on) continue;
        if (sharc_crawl_same_site(url, sharc_looks_url(w->looks, w->pages[i].look))) return w->pages[i].site;
    }
    for (uint32_t i = 0; i < w->sites; i++) {
        if (w->site[i].look == SHARC_NO_ID) continue;
        if (only != SHARC_NO_ID) return SHARC_NO_ID;
        only = i;
    }
    return only;
}

void sharc__watching_sources(struct sharc_watching *w)
{
    for (size_t i = 0; i < w->o.crawl.sources_count; i++) {
        const char *url = w->o.crawl.sources[i];
        const uint32_t site = site_of_list(w, sharc_span_of(url));
        if (site == SHARC_NO_ID || sharc__watching_add_list(w, site, sharc_span_of(url)) == SHARC_NO_ID)
            sharc__watching_remark(w, "%s: not read, as no watched site is on its host", url);
    }
}

int sharc__watching_robots(struct sharc_watching *w, uint32_t site, struct sharc_span body, struct sharc_err *reterr)
{
    struct sharc_span line, url;
    (void)reterr;
    if (w->o.crawl.no_sitemaps || (w->o.crawl.reach == SHARC_REACH_PAGE && w->o.crawl.rules_count == 0)) return 0;
    while (sharc_span_next(&body, '\n', &line))
        if (sharc_robots_sitemap_line(line, &url)) (void)sharc__watching_add_list(w, site, url);
    return 0;
}

/* A list says when a page was changed: is it news? */
static bool is_news(struct sharc_watching *w, uint32_t number, sharc_time stated)
{
    struct page *p = &w->pages[number];
    struct sharc_watch_view view;
    if (stated == SHARC_TIME_NONE || stated > watching_now(w) || stated == p->stated) return false;
    p->stated = stated;
    return sharc_watch_look(w->plan, number, watching_now(w), &view) && stated > view.last;
}

static int take_entry(struct sharc_watching *w, uint32_t list, struct sharc_span url, sharc_time stated,
                      uint64_t *signals, struct sharc_err *reterr)
{
    uint32_t number;
    const struct list *l = &w->list[list];
    int r = sharc__watching_join(w, l->site, url, l->kind, &number, reterr);
    if (r < 0 || number == SHARC_NO_ID) return r;
    struct page *p = &w->pages[number];
    if (p->list == SHARC_WATCH_NONE) {
        p->list = list;
        sharc__watching_plan_page(w, number);
    }
    if (p->list != list || !is_news(w, number, stated)) return 0;
    sharc_watch_signal(w->plan, number, watching_now(w));
    ++*signals;
    return 0;
}

int sharc__watching_entries(struct sharc_watching *w, uint32_t list, const struct sharc_page *content,
                            struct sharc_err *reterr)
{
    uint64_t signals = 0;
    int r = 0;
    if (content->type == SHARC_PAGE_FEED) w->list[list].kind = SHARC_FOUND_FEED;
    for (size_t i = 0; i < content->entry_count && r == 0; i++) {
        const struct sharc_entry *e = &content->entries[i];
        if (e->link == SHARC_NO_LINK) continue;
        const struct sharc_span url = content->links[e->link].url;
        if (content->type == SHARC_PAGE_SITEMAP_INDEX)
            (void)sharc__watching_add_list(w, w->list[list].site, url);
        else
            r = take_entry(w, list, url, e->modified != SHARC_TIME_NONE ? e->modified : e->published, &signals, reterr);
    }
    if (r < 0) return r;
    w->next_try = watching_now(w);
    const struct list *l = &w->list[list];
    sharc__watching_event(w,
                          (struct sharc_watching_event){.kind = SHARC_WATCHING_LIST,
                                                        .site = sharc_looks_site_name(w->looks, w->site[l->site].look),
                                                        .url = sharc_looks_url(w->looks, l->look),
                                                        .count = signals});
    return 0;
}

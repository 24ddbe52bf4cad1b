/* SPDX-License-Identifier: Apache-2.0
 *
 * What a download showed: to the catalogue, to the planner, to whoever listens.
 */
#include "watching.h"

#include "sharc/extract.h"

#include <stdlib.h>

static void tell(struct sharc_watching *w, enum sharc_watching_event_kind kind, const struct page *p,
                 const struct sharc_store_watch_look *look, const char *text)
{
    sharc__watching_event(w,
                          (struct sharc_watching_event){.kind = kind,
                                                        .when = look->when,
                                                        .site = sharc_looks_site_name(w->looks, w->site[p->site].look),
                                                        .url = look->url,
                                                        .look = look,
                                                        .text = text && text[0] ? text : NULL});
}

static void count(struct sharc_watching *w, const struct sharc_store_watch_look *l)
{
    w->counts.looks++;
    w->counts.first += l->shown == SHARC_SHOWN_FIRST;
    w->counts.changed += l->shown == SHARC_SHOWN_CHANGED || l->shown == SHARC_SHOWN_BACK;
    w->counts.noise += l->shown == SHARC_SHOWN_NOISE;
    w->counts.gone += l->shown == SHARC_SHOWN_GONE;
    w->counts.failed += l->shown == SHARC_SHOWN_FAILED;
}

static bool is_change(enum sharc_store_shown s)
{
    return s == SHARC_SHOWN_FIRST || s == SHARC_SHOWN_CHANGED || s == SHARC_SHOWN_GONE || s == SHARC_SHOWN_BACK;
}

/* The look counts: row, planner, feed. */
static int settle(struct sharc_watching *w, uint32_t number, const struct sharc_store_watch_look *look,
                  struct sharc_err *reterr)
{
    struct page *p = &w->pages[number];
    const struct sharc_observation o = sharc_watched_observation(number, look);
    int r = sharc_store_batch_watch_look(sharc_looks_batch(w->looks), look, reterr);
    if (r < 0) return r;
    sharc_watch_observed(w->plan, &o);
    if (look->shown != SHARC_SHOWN_FAILED) p->held = true;
    if (is_change(look->shown)) w->site[p->site].news = true;
    return 0;
}

/* Looks can follow each other within seconds, and pages come back when a site has been put in order. */
static bool gone_for_long(const struct sharc_watching *w, uint32_t number, sharc_time when)
{
    struct sharc_watch_view view;
    sharc_time since = w->pages[number].since; /* it was gone from the beginning, unless a look found it gone later */
    if (sharc_watch_look(w->plan, number, when, &view) && view.last_change != SHARC_TIME_NONE) since = view.last_change;
    return when - since >= GONE_TIME;
}

/* Gone for good, or back. */
static int note_gone(struct sharc_watching *w, uint32_t number, const struct sharc_store_watch_look *look,
                     struct sharc_err *reterr)
{
    struct page *p = &w->pages[number];
    const bool gone = look->status == 404 || look->status == 410;
    if (!gone && p->gone == 0) return 0;
    p->gone = gone ? (uint16_t)(p->gone < UINT16_MAX ? p->gone + 1 : p->gone) : 0;
    if (gone && p->gone >= GONE_LOOKS && p->found != SHARC_FOUND_NAMED && gone_for_long(w, number, look->when))
        return sharc__watching_drop(w, number, "gone at every one of the last looks", reterr);
    return sharc__watching_row(w, number, SHARC_TIME_NONE, reterr);
}

/* Links of a page; of a feed or sitemap that is watched itself, what it says of others. */
static int read_content(struct sharc_watching *w, uint32_t number, const struct sharc_page *content,
                        struct sharc_err *reterr)
{
    const struct page *p = &w->pages[number];
    const enum sharc_page_type type = (enum sharc_page_type)content->type;
    if (type != SHARC_PAGE_FEED && type != SHARC_PAGE_SITEMAP && type != SHARC_PAGE_SITEMAP_INDEX)
        return sharc__watching_links(w, p->site, content, reterr);
    const uint32_t list = sharc__watching_add_list(w, p->site, sharc_looks_url(w->looks, p->look));
    return list == SHARC_NO_ID ? 0 : sharc__watching_entries(w, list, content, reterr);
}

/* The request was made and is paid for. When the host may be asked again it is another page's turn if this one was
 * answered: some servers say "later" for one page for ever, and its host must not wait with it. */
static void put_off(struct sharc_watching *w, uint32_t number, const struct sharc_store_watch_look *look)
{
    const struct sharc_observation failed = sharc_watched_observation(number, look);
    if (look->status) {
        sharc_watch_observed(w->plan, &failed);
        return;
    }
    sharc_watch_give_back(w->plan, number);
    sharc_watch_spend(w->plan, 1);
}

static int seen_page(struct sharc_watching *w, uint32_t number, const struct sharc_looked *l, struct sharc_err *reterr)
{
    struct page *p = &w->pages[number];
    struct sharc_store_watch_look look = l->look;
    int r = 0;
    if (!p->on) return 0; /* taken out while it was under way */
    look.why = p->why;
    if (l->away && look.shown == SHARC_SHOWN_FAILED) { /* says nothing of the page; its host is left alone */
        put_off(w, number, &look);
        w->counts.failed++;
        tell(w, SHARC_WATCHING_LOOK, p, &look, l->text);
        return 0;
    }
    count(w, &look);
    if (l->doubtful) {
        /* The row stands whatever comes; the planner waits for the control. */
        r = sharc_store_batch_watch_look(sharc_looks_batch(w->looks), &look, reterr);
        p->doubt = SHARC_NEW(struct sharc_store_watch_look);
        *p->doubt = look;
        sharc__watching_add_task(w, p->look, number, SHARC_LOOKS_CONTROL, /* first= */ true);
    } else
        r = settle(w, number, &look, reterr);
    tell(w, SHARC_WATCHING_LOOK, p, &look, l->text);
    if (r == 0) r = note_gone(w, number, &look, reterr);
    p = &w->pages[number]; /* further pages may have joined */
    if (r == 0 && p->on && l->content && is_change(look.shown)) r = read_content(w, number, l->content, reterr);
    return r;
}

static int seen_control(struct sharc_watching *w, uint32_t number, const struct sharc_looked *l,
                        struct sharc_err *reterr)
{
    struct page *p = &w->pages[number];
    SHARC_AUTO(sharc_freep) struct sharc_store_watch_look *look = p->doubt;
    p->doubt = NULL;
    w->counts.controls++;
    if (!look || !p->on) return 0;
    if (l->explained) {
        look->shown = SHARC_SHOWN_NOISE;
        w->counts.changed--;
        w->counts.noise++;
    }
    int r = settle(w, number, look, reterr);
    tell(w, SHARC_WATCHING_CONTROL, p, look, l->explained ? "differs so on every request" : "a change");
    return r;
}

static int seen_list(struct sharc_watching *w, uint32_t number, const struct sharc_looked *l, struct sharc_err *reterr)
{
    struct list *list = &w->list[number];
    struct sharc_page content = {0};
    list->under_way = false;
    list->next = watching_now(w) + sharc__watching_list_interval(w);
    w->counts.lists++;
    if (!l->body.n || l->look.status != 200) return 0;
    SHARC_AUTO(sharc_url_done) struct sharc_url base = SHARC_URL_INIT;
    (void)sharc_url_parse(&base, sharc_looks_url(w->looks, list->look), NULL, NULL);
    const struct sharc_extract_input in = {.body = l->body, .url = &base, .content_type = l->type};
    int r = sharc_extract(&content, &in, NULL);
    if (r == 0) r = sharc__watching_entries(w, number, &content, reterr);
    sharc_page_done(&content);
    return r < 0 && r != SHARC_EINVAL ? r : 0;
}

int sharc__watching_seen(struct sharc_watching *w, struct task t, const struct sharc_looked *l,
                         struct sharc_err *reterr)
{
    w->counts.requests++;
    if (l->kind != SHARC_LOOKS_PAGE) sharc_watch_spend(w->plan, 1);
    switch (l->kind) {
    case SHARC_LOOKS_PAGE: return seen_page(w, t.number, l, reterr);
    case SHARC_LOOKS_CONTROL: return seen_control(w, t.number, l, reterr);
    case SHARC_LOOKS_LIST: return seen_list(w, t.number, l, reterr);
    case SHARC_LOOKS_ROBOTS: break;
    }
    return 0;
}

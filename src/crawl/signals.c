/* SPDX-License-Identifier: Apache-2.0
 *
 * Lists read again, and what they say. Sitemaps of a site are one source: one program
 * makes them; every feed is a source of its own.
 */
#include "signals.h"

#include <math.h>
#include <stdlib.h>

#define GRAIN 2.0             /* seconds: dates of HTTP know no less */
#define DAY 86400             /* a statement at midnight is one of a day */
#define SLOTS_PER_REQUEST 50u /* between two readings */
#define FIRST_AFTER 8u        /* slots per request, before the first */

void sharc__crawl_heard_done(struct heard *h)
{
    sharc_signals_freep(&h->signals);
    sharc_rate_places_freep(&h->places);
    free(h->list_of);
    free(h->entry);
    free(h->list);
    sharc__crawl_heard_forget(h);
    h->list_of = NULL;
    h->entry = NULL;
    h->list = NULL;
    h->count = h->listed = h->entries = 0;
}

static double seconds(sharc_time t)
{
    return (double)t / (double)SHARC_SEC;
}

/* --- lists ---------------------------------------------------------------------------- */

const struct heard_list *sharc__crawl_heard_list_of(const struct heard *h, uint32_t page)
{
    for (size_t i = 0; i < h->count; i++)
        if (h->list[i].page == page) return &h->list[i];
    return NULL;
}

static unsigned source_of(const struct heard *h, enum sharc_signal_kind kind)
{
    unsigned feeds = 0;
    if (kind == SHARC_SIGNAL_SITEMAP) return 0;
    for (size_t i = 0; i < h->count; i++) feeds += h->list[i].source != 0;
    return feeds + 1 < SHARC_SIGNAL_SOURCES ? feeds + 1 : SHARC_SIGNAL_SOURCES - 1;
}

/* NULL: there are too many. */
static struct heard_list *list_at(struct heard *h, uint32_t page, enum sharc_signal_kind kind)
{
    for (size_t i = 0; i < h->count; i++)
        if (h->list[i].page == page) return &h->list[i];
    if (h->count == HEARD_LISTS) return NULL;
    const unsigned source = source_of(h, kind);
    if (!h->signals) h->signals = sharc_signals_new(RATE_WINDOW, GRAIN);
    struct sharc_signal_worth w;
    const bool known = sharc_signals_worth(h->signals, source, &w);
    sharc_signals_source(h->signals, source, kind);
    SHARC_GROW(h->list, h->room, h->count + 1);
    h->list[h->count] = (struct heard_list){page, SHARC_NO_ID, SHARC_TIME_NONE, source};
    if (!known) sharc__crawl_heard_as_before(h, &h->list[h->count]);
    return &h->list[h->count++];
}

static uint32_t number_of(const struct heard *h, const struct heard_list *l)
{
    return (uint32_t)(l - h->list) + 1;
}

static uint32_t spoken_of_by(const struct heard *h, uint32_t page)
{
    return page < h->listed ? h->list_of[page] : 0;
}

static void belongs_to(struct heard *h, uint32_t page, uint32_t list)
{
    SHARC_GROW(h->list_of, h->list_room, (size_t)page + 1);
    while (h->listed <= page) h->list_of[h->listed++] = 0;
    h->list_of[page] = list;
}

/* --- a reading ---------------------------------------------------------------------------- */

void sharc__crawl_heard_entry(struct heard *h, uint32_t list, uint32_t page, sharc_time stated)
{
    if (stated == SHARC_TIME_NONE || stated < 0) return;
    const struct heard_list *l = sharc__crawl_heard_list_of(h, list);
    const double when = floor(seconds(stated));
    if (l && spoken_of_by(h, page) == number_of(h, l) &&
        fabs(sharc_signals_stated(h->signals, l->source, page) - when) < 1)
        return; /* nothing new */
    SHARC_GROW(h->entry, h->entry_room, h->entries + 1);
    h->entry[h->entries++] = (struct heard_entry){page, (int64_t)when};
}

/* What a list said before holds, but for the entries. */
void sharc__crawl_heard_again(struct heard *h, const struct heard_reading *r)
{
    const bool again = sharc__crawl_heard_list_of(h, r->page) != NULL;
    struct heard_list *l = list_at(h, r->page, (enum sharc_signal_kind)r->kind);
    if (!l) return;
    const double now = seconds(r->when);
    const uint32_t number = number_of(h, l);
    l->etag = sharc__crawl_pages_etag(h->pages, r->etag);
    l->modified = r->modified;
    for (size_t i = 0; i < r->count; i++) {
        const struct heard_entry *e = &r->entry[i];
        belongs_to(h, e->page, number);
        sharc_signals_say(h->signals, l->source, e->page, (double)e->stated, e->stated % DAY ? 0 : DAY, now);
    }
    for (uint32_t p = 0; p < h->listed; p++)
        if (h->list_of[p] == number) sharc_signals_say_again(h->signals, l->source, p, now);
    sharc_signals_read(h->signals, l->source, now);
    h->latest = fmax(h->latest, now);
    h->requests += again;
    if (!again || h->slots == r->slots) return; /* the round was counted when it was asked for */
    h->slots = r->slots;
    h->rounds++;
}

static void heard_now(struct heard *h, struct heard_reading *r)
{
    r->slots = h->slots;
    r->entry = h->entry;
    r->count = h->entries;
    sharc__crawl_note_heard(h->journal, r);
    sharc__crawl_heard_again(h, r);
    h->entries = 0;
}

void sharc__crawl_heard_list(struct heard *h, const struct job *j, enum sharc_signal_kind kind)
{
    struct heard_reading r = {.page = j->task.page,
                              .kind = kind,
                              .when = j->result->start,
                              .modified = j->made.modified,
                              .etag = sharc_http_get(&j->result->http, "ETag")};
    if (r.etag.n >= 1024) r.etag = SHARC_SPAN_NONE;
    if (h->entries > 0 || sharc__crawl_heard_list_of(h, j->task.page)) heard_now(h, &r);
}

void sharc__crawl_heard_same(struct heard *h, const struct job *j)
{
    const struct heard_list *l = sharc__crawl_heard_list_of(h, j->task.page);
    if (!l) return;
    struct heard_reading r = {.page = l->page,
                              .kind = l->source ? SHARC_SIGNAL_FEED : SHARC_SIGNAL_SITEMAP,
                              .when = j->result->start,
                              .modified = l->modified};
    if (l->etag != SHARC_NO_ID) r.etag = sharc_intern_text(h->pages->etags, l->etag);
    h->entries = 0;
    heard_now(h, &r);
}

/* --- when ----------------------------------------------------------------------------------- */

bool sharc__crawl_heard_due(struct heard *h, uint32_t slots)
{
    const uint64_t since = slots - h->slots;
    if (h->count == 0 || since < h->count * (h->rounds ? SLOTS_PER_REQUEST : FIRST_AFTER)) return false;
    h->slots = slots;
    h->rounds++;
    h->waiting = true;
    return true;
}

void sharc__crawl_heard_settled(struct heard *h)
{
    h->waiting = false;
}

/* --- pages ------------------------------------------------------------------------------------ */

void sharc__crawl_heard_saw(struct heard *h, uint32_t page)
{
    const struct version *v = page_version(h->pages, page);
    if (!h->signals) return;
    if (!(h->pages->page[page].flags & PAGE_KNOWN_TO_STRATEGY) || !v || v->visit == SHARC_TIME_NONE) return;
    const sharc_time when = v->revisited ? v->revisit : v->visit;
    const double before = sharc_signals_when(h->signals, page);
    if (when == SHARC_TIME_NONE || seconds(when) <= before) return;
    const bool stated = v->changed != SHARC_TIME_NONE && v->since == SHARC_TIME_NONE;
    const double changed = stated ? seconds(v->changed) : (double)NAN;
    if (h->first <= 0) h->first = seconds(when);
    sharc_signals_widen(h->signals, seconds(when) - h->first);
    int differs = SHARC_SIGNAL_FIRST;
    if (!isnan(before)) differs = stated ? changed > before : v->changed != SHARC_TIME_NONE;
    sharc_signals_seen(h->signals, page, seconds(when), changed, differs);
    h->latest = fmax(h->latest, seconds(when));
}

double sharc__crawl_heard_believe(void *heard, const sharc_page_no *page, const double *rate, uint32_t n,
                                  double *ret_still)
{
    struct heard *h = heard;
    (void)rate; /* those written down count */
    if (!h->places) h->places = sharc_rate_places_new();
    const double factor = sharc__crawl_rate_believe(h->pages, h->places, page, n, ret_still);
    if (h->count > 0) sharc_signals_believe(h->signals, page, n, h->latest, ret_still);
    return factor;
}

void sharc__crawl_heard_worth(const struct heard *h, struct sharc_crawl_summary *ret)
{
    struct sharc_signal_worth w;
    double told = 0, missed = 0, right = 0, wrong = 0;
    for (unsigned i = 0; h->signals && i < SHARC_SIGNAL_SOURCES; i++) {
        if (!sharc_signals_worth(h->signals, i, &w)) continue;
        told += w.now.told;
        missed += w.now.missed;
        right += w.now.right;
        wrong += w.now.wrong;
    }
    ret->signals.lists = (uint32_t)h->count;
    ret->signals.readings = h->requests;
    ret->signals.told = (uint32_t)told;
    ret->signals.missed = (uint32_t)(missed + 0.5);
    ret->signals.right = (uint32_t)right;
    ret->signals.wrong = (uint32_t)wrong;
}

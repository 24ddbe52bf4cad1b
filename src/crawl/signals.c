/* SPDX-License-Identifier: Apache-2.0
 *
 * Lists read again, and what they say. Sitemaps of a site are one source: one program
 * makes them; every feed and every hub is a source of its own.
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
    for (size_t i = 0; i < h->count; i++) free(h->list[i].link);
    free(h->list_of);
    free(h->entry);
    free(h->list);
    sharc__crawl_heard_past_done(&h->before);
    h->list_of = NULL;
    h->entry = NULL;
    h->list = NULL;
    h->count = h->listed = h->entries = 0;
}

/* --- lists ---------------------------------------------------------------------------- */

/* The last source is for all the feeds that come too late for one of their own. */
static unsigned source_of(const struct heard *h, enum sharc_signal_kind kind)
{
    unsigned others = 0;
    if (kind == SHARC_SIGNAL_SITEMAP) return 0;
    for (size_t i = 0; i < h->count; i++) others += h->list[i].source != 0;
    return others + 1 < SHARC_SIGNAL_SOURCES ? others + 1 : SHARC_SIGNAL_SOURCES - 1;
}

static struct heard_list *known_list(const struct heard *h, uint32_t page)
{
    for (size_t i = 0; i < h->count; i++)
        if (h->list[i].page == page) return &h->list[i];
    return NULL;
}

/* NULL: there are too many. */
static struct heard_list *list_at(struct heard *h, const struct heard_reading *r)
{
    const enum sharc_signal_kind kind = (enum sharc_signal_kind)r->kind;
    struct heard_list *known = known_list(h, r->page);
    if (known || h->count == HEARD_LISTS) return known;
    const unsigned source = source_of(h, kind);
    if (kind == SHARC_SIGNAL_HUB && source == SHARC_SIGNAL_SOURCES - 1) return NULL;
    if (!h->signals) h->signals = sharc_signals_new(RATE_WINDOW, GRAIN);
    struct sharc_signal_worth w;
    const bool first = !sharc_signals_worth(h->signals, source, &w);
    sharc_signals_source(h->signals, source, kind);
    SHARC_GROW(h->list, h->room, h->count + 1);
    struct heard_list *l = &h->list[h->count];
    *l = (struct heard_list){.page = r->page,
                             .etag = SHARC_NO_ID,
                             .modified = SHARC_TIME_NONE,
                             .source = source,
                             .kind = kind,
                             .is_page = r->is_page,
                             .read = (double)NAN,
                             .since = r->since};
    if (first) sharc__crawl_heard_as_before(h, l);
    h->count++;
    return l;
}

const struct heard_list *sharc__crawl_heard_list_of(const struct heard *h, uint32_t page)
{
    return known_list(h, page);
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

/* What it said of the page before is not said again; what a feed said is not taken back by an older entry. */
static bool is_news(const struct heard *h, const struct heard_list *l, uint32_t page, double when)
{
    if (!l || spoken_of_by(h, page) != number_of(h, l)) return true;
    const double said = sharc_signals_stated(h->signals, l->source, page);
    return !(fabs(said - when) < 1) && !(l->kind == SHARC_SIGNAL_FEED && when < said);
}

void sharc__crawl_heard_entry(struct heard *h, uint32_t list, uint32_t page, sharc_time stated)
{
    if (stated == SHARC_TIME_NONE || stated < 0) return;
    const double when = floor(sharc_time_seconds(stated));
    if (h->oldest > (int64_t)when) h->oldest = (int64_t)when;
    if (!is_news(h, known_list(h, list), page, when)) return;
    SHARC_GROW(h->entry, h->entry_room, h->entries + 1);
    h->entry[h->entries++] = (struct heard_entry){page, (int64_t)when};
}

static double since_of(int64_t since)
{
    if (since == HEARD_EVER) return -HUGE_VAL;
    return since == HEARD_NEVER ? HUGE_VAL : (double)since;
}

/* What a list said before holds, but for the entries. */
static void hear_dates(struct heard *h, const struct heard_list *l, const struct heard_reading *r, double now)
{
    const uint32_t number = number_of(h, l);
    for (size_t i = 0; i < r->count; i++) {
        const struct heard_entry *e = &r->entry[i];
        belongs_to(h, e->page, number);
        sharc_signals_say(h->signals, l->source, e->page, (double)e->stated, e->stated % DAY ? 0 : DAY, now);
    }
    for (uint32_t p = 0; p < h->listed; p++)
        if (h->list_of[p] == number) sharc_signals_say_again(h->signals, l->source, p, now);
    sharc_signals_read(h->signals, l->source, since_of(r->since), now);
}

/* A page is new in a hub: it has changed since the hub was read before. */
struct hub_news {
    const struct heard *h;
    const struct heard_list *l;
    double now;
};

static void hear_news(void *arg, uint32_t page)
{
    const struct hub_news *n = arg;
    if (n->h->pages->page[page].flags & PAGE_KNOWN_TO_STRATEGY)
        sharc_signals_say(n->h->signals, n->l->source, page, n->l->read, n->now - n->l->read, n->now);
}

/* Its first reading is what the next is compared with; one without links shows the same as before. */
static void hear_hub(struct heard *h, struct heard_list *l, const struct heard_reading *r, double now)
{
    struct hub_news news = {h, l, now};
    const bool first = isnan(l->read);
    if (!first && r->count > 0) sharc__crawl_news(l->link, l->links, r->entry, r->count, hear_news, &news);
    if (!first) sharc_signals_read(h->signals, l->source, l->read, now);
    if (r->count == 0) return;
    free(l->link);
    l->link = SHARC_NEW_ARRAY(uint32_t, r->count);
    l->links = r->count;
    for (size_t i = 0; i < r->count; i++) l->link[i] = r->entry[i].page;
}

void sharc__crawl_heard_again(struct heard *h, const struct heard_reading *r)
{
    const bool again = known_list(h, r->page) != NULL;
    struct heard_list *l = list_at(h, r);
    if (!l || l->kind != (enum sharc_signal_kind)r->kind) return;
    const double now = sharc_time_seconds(r->when);
    l->etag = sharc__crawl_pages_etag(h->pages, r->etag);
    l->modified = r->modified;
    l->since = r->since;
    if (l->kind == SHARC_SIGNAL_HUB)
        hear_hub(h, l, r, now);
    else
        hear_dates(h, l, r, now);
    l->read = now;
    h->latest = fmax(h->latest, now);
    if (!again || !r->asked) return;
    h->requests++;
    h->left = r->left;
    if (h->slots != r->slots) { /* else the round was counted when it was asked for */
        h->slots = r->slots;
        h->rounds++;
    }
    l->round = h->rounds;
}

void sharc__crawl_heard_drop(struct heard *h)
{
    h->entries = 0;
    h->oldest = HEARD_NEVER;
}

static void heard_now(struct heard *h, struct heard_reading *r)
{
    r->slots = h->slots;
    r->entry = h->entry;
    r->count = h->entries;
    for (size_t i = 0; i < h->count; i++)
        r->left += h->list[i].asked && h->list[i].round != h->rounds && h->list[i].page != r->page;
    sharc__crawl_note_heard(h->journal, r);
    sharc__crawl_heard_again(h, r);
    sharc__crawl_heard_drop(h);
}

static bool is_asked(const struct task *t)
{
    return t->kind == TASK_LIST || (t->kind == TASK_LOOK && !t->of_strategy);
}

void sharc__crawl_heard_list(struct heard *h, const struct job *j, enum sharc_signal_kind kind)
{
    struct heard_reading r = {.page = j->task.page,
                              .kind = kind,
                              .asked = is_asked(&j->task),
                              .is_page = !task_is_preparation(&j->task),
                              .when = j->result->start,
                              .modified = j->made.modified,
                              .since = kind == SHARC_SIGNAL_FEED ? h->oldest : HEARD_EVER,
                              .etag = sharc_http_get(&j->result->http, "ETag")};
    if (r.etag.n >= 1024) r.etag = SHARC_SPAN_NONE;
    if (h->entries > 0 || known_list(h, j->task.page)) heard_now(h, &r);
    sharc__crawl_heard_drop(h);
}

void sharc__crawl_heard_same(struct heard *h, const struct job *j)
{
    const struct heard_list *l = known_list(h, j->task.page);
    if (!l) return;
    struct heard_reading r = {.page = l->page,
                              .kind = l->kind,
                              .asked = is_asked(&j->task),
                              .is_page = l->is_page,
                              .when = j->result->start,
                              .modified = l->modified,
                              .since = l->since};
    if (l->etag != SHARC_NO_ID) r.etag = sharc_intern_text(h->pages->etags, l->etag);
    sharc__crawl_heard_drop(h);
    heard_now(h, &r);
}

/* --- when ----------------------------------------------------------------------------------- */

/* Cases after which a page that told nothing, or nothing true, is not asked for its own sake any more. */
#define CASES 8.0
#define WORTHLESS 0.1

static bool is_worth_asking(const struct heard *h, const struct heard_list *l)
{
    struct sharc_signal_worth w;
    if (!l->is_page || !sharc_signals_worth(h->signals, l->source, &w)) return true;
    const double told = w.now.told + w.before.told, missed = w.now.missed + w.before.missed;
    const double right = w.now.right + w.before.right, wrong = w.now.wrong + w.before.wrong;
    return !(told + missed >= CASES && told < WORTHLESS * (told + missed)) &&
           !(right + wrong >= CASES && right < WORTHLESS * (right + wrong));
}

/* Lists that are no pages all or none of them: a sitemap of several files is read as a whole. Then pages, as many as
 * are left. */
static bool ask_for(struct heard *h, uint64_t requests, bool may_look)
{
    size_t lists = 0, any = 0;
    for (size_t i = 0; i < h->count; i++) lists += !h->list[i].is_page;
    if (lists > requests) lists = 0;
    uint64_t left = requests - lists;
    for (size_t i = 0; i < h->count; i++) {
        struct heard_list *l = &h->list[i];
        l->asked = l->is_page ? may_look && left > 0 && is_worth_asking(h, l) : lists > 0;
        left -= l->is_page && l->asked;
        any += l->asked;
    }
    return any > 0;
}

/* The capture was cut off in the middle of a round. */
static bool ask_for_the_rest(struct heard *h, bool may_look)
{
    uint32_t left = h->left, any = 0;
    h->left = 0;
    for (size_t i = 0; i < h->count; i++) {
        struct heard_list *l = &h->list[i];
        l->asked = any < left && l->round != h->rounds && (!l->is_page || may_look) && is_worth_asking(h, l);
        any += l->asked;
    }
    h->waiting = any > 0;
    return any > 0;
}

bool sharc__crawl_heard_due(struct heard *h, uint32_t slots, bool may_look)
{
    if (h->left > 0 && ask_for_the_rest(h, may_look)) return true;
    const uint64_t since = slots - h->slots;
    if (!ask_for(h, since / (h->rounds ? SLOTS_PER_REQUEST : FIRST_AFTER), may_look)) return false;
    h->slots = slots;
    h->rounds++;
    h->waiting = true;
    return true;
}

void sharc__crawl_heard_settled(struct heard *h)
{
    if (h->waiting) h->left = 0; /* what has not come does not come any more */
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
    if (when == SHARC_TIME_NONE || sharc_time_seconds(when) <= before) return;
    const bool stated = v->changed != SHARC_TIME_NONE && v->since == SHARC_TIME_NONE;
    const double changed = stated ? sharc_time_seconds(v->changed) : (double)NAN;
    if (h->first <= 0) h->first = sharc_time_seconds(when);
    sharc_signals_widen(h->signals, sharc_time_seconds(when) - h->first);
    int differs = SHARC_SIGNAL_FIRST;
    if (!isnan(before)) differs = stated ? changed > before : v->changed != SHARC_TIME_NONE;
    sharc_signals_seen(h->signals, page, sharc_time_seconds(when), changed, differs);
    h->latest = fmax(h->latest, sharc_time_seconds(when));
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
        /* Each change is told of or missed by every source: the best of them speaks for the site. */
        const bool better = w.now.told > told || (w.now.told >= told && told > 0 && w.now.missed < missed);
        if (better || (!(told > 0) && w.now.missed > missed)) {
            told = w.now.told;
            missed = w.now.missed;
        }
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

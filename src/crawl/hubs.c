/* SPDX-License-Identifier: Apache-2.0
 *
 * Pages of the capture that tell of others: feeds, which the links of pages lead to, and hubs.
 */
#include "sources.h"

enum { HUB_DEPTH = 2, HUB_DATES = 5 }; /* links from a seed, at most; dates that it shows, at least */

/* --- which page may be a hub ---------------------------------------------------------- */

/* "/wiki/Special:RecentChanges", "/news/", "/whats-new.html" */
static bool is_named_so(struct sharc_span url)
{
    static const char *const words[] = {"recent", "changes", "news", "latest", "updates", "whatsnew", "whats-new"};
    size_t at = sharc_span_search(url, SHARC_SPAN("://"));
    at = at == SHARC_NPOS ? at : sharc_span_find(url, '/', at + 3);
    if (at == SHARC_NPOS) return false;
    char path[256];
    size_t n = 0;
    for (size_t i = at; i < url.n && n + 1 < sizeof path; i++) path[n++] = sharc_to_lower(url.p[i]);
    path[n] = 0;
    for (size_t i = 0; i < SHARC_LENGTH(words); i++)
        if (strstr(path, words[i])) return true;
    return false;
}

/* The seeds, and what lies near them and is called so or is full of dates. */
static bool may_be_hub(const struct sources *s, const struct job *j)
{
    const struct page *p = &s->pages->page[j->task.page];
    if (j->task.kind != TASK_VISIT || j->made.page.type != SHARC_PAGE_HTML) return false;
    if (p->flags & (PAGE_SEED | PAGE_MOVED_SEED)) return true;
    return p->depth <= HUB_DEPTH &&
           (j->made.page.date_count >= HUB_DATES || is_named_so(page_url(s->pages, j->task.page)));
}

/* --- what it says ------------------------------------------------------------------------ */

static void hear_links(struct sources *s, const struct job *j)
{
    const struct sharc_page *p = &j->made.page;
    bool more = true;
    for (size_t i = 0; more && i < p->link_count; i++) {
        if (p->links[i].place != SHARC_FROM_A || (p->links[i].flags & SHARC_LINK_REPEATED)) continue;
        const uint32_t page = sharc_intern_find(s->pages->urls, p->links[i].url);
        if (page == SHARC_NO_ID || page == j->task.page || s->pages->page[page].state == PAGE_REJECTED) continue;
        more = sharc__crawl_heard_link(s->heard, page);
    }
}

static void hear_entries(struct sources *s, const struct job *j)
{
    const struct sharc_page *p = &j->made.page;
    for (size_t i = 0; i < p->entry_count; i++) {
        const struct sharc_entry *e = &p->entries[i];
        if (e->link == SHARC_NO_LINK || e->deleted) continue;
        const uint32_t page = sharc_intern_find(s->pages->urls, p->links[e->link].url);
        if (page == SHARC_NO_ID || page == j->task.page) continue;
        sharc__crawl_heard_entry(s->heard, j->task.page, page,
                                 e->modified != SHARC_TIME_NONE ? e->modified : e->published);
    }
}

void sharc__crawl_hear_page(struct sources *s, const struct job *j)
{
    const struct heard_list *l = sharc__crawl_heard_list_of(s->heard, j->task.page);
    const bool visit = j->task.kind == TASK_VISIT;
    if (s->ctx->o.no_signals || (!visit && !l)) return;
    if (!visit && (j->made.answer == SHARC_ANSWER_NOT_MODIFIED || j->made.identical)) {
        sharc__crawl_heard_same(s->heard, j);
        return;
    }
    const bool feed = j->made.page.type == SHARC_PAGE_FEED;
    if (!j->made.extracted || !(feed || l || may_be_hub(s, j))) return;
    const enum sharc_signal_kind kind = feed ? SHARC_SIGNAL_FEED : SHARC_SIGNAL_HUB;
    if (l && l->kind != kind) return; /* another page than before */
    if (feed)
        hear_entries(s, j);
    else
        hear_links(s, j);
    if (l || sharc__crawl_heard_wants(s->heard, kind))
        sharc__crawl_heard_list(s->heard, j, kind);
    else
        sharc__crawl_heard_drop(s->heard);
}

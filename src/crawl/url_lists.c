/* SPDX-License-Identifier: Apache-2.0
 *
 * Sitemaps, feeds and lists: sources of URLs and of dates.
 */
#include "sources.h"

enum { LISTS_MOST = 500 }; /* of one site */

void sharc__crawl_sources_done(struct sources *s)
{
    sharc_url_done(&s->url);
}

void sharc__crawl_sources_restore(struct sources *s, unsigned lists)
{
    s->lists = lists;
}

void sharc__crawl_list(struct sources *s, struct sharc_span url, uint32_t via)
{
    if (s->agenda->plan.started) return;
    if (sharc_url_parse(&s->url, url, NULL, NULL) < 0 || !sharc_url_is_http(&s->url)) return;
    /* A password belongs into no archive, and every user name would be another host with a delay of its own. */
    sharc_url_strip_credentials(&s->url);
    struct task t = {.kind = TASK_LIST};
    uint32_t before = pages_count(s->pages);
    t.page = sharc__crawl_found_preparation(s->frontier, sharc_url_page(&s->url), via, 'M');
    if (t.page < before) return; /* known already */
    if (s->lists >= LISTS_MOST) {
        sharc__crawl_skip(s->frontier, t.page, SHARC_SKIP_LIMIT_LISTS, SHARC_SPAN_NONE);
        return;
    }
    s->lists++;
    sharc__crawl_agenda_prepare(s->agenda, &t);
}

/* OAI-PMH hands out long lists in pieces. */
static void next_piece(struct sources *s, const struct job *j)
{
    SHARC_AUTO(sharc_buf_done) struct sharc_buf b = SHARC_BUF_INIT(SHARC_LIMIT_URL);
    struct sharc_span query = sharc_url_query(&j->in.url), pair, verb = SHARC_SPAN("ListRecords");
    while (query.p && sharc_span_next(&query, '&', &pair))
        if (sharc_span_starts(pair, SHARC_SPAN("verb="))) verb = sharc_span_from(pair, 5);
    sharc_buf_put(&b, sharc_span(j->in.url.p, j->in.url.path_start));
    sharc_buf_put(&b, sharc_url_path(&j->in.url));
    sharc_buf_printf(&b, "?verb=%.*s&resumptionToken=", SHARC_SPAN_ARG(verb));
    for (size_t i = 0; i < j->made.page.resumption.n; i++) {
        char c = j->made.page.resumption.p[i];
        if (sharc_is_alnum(c) || c == '-' || c == '_' || c == '.' || c == '~')
            sharc_buf_put_char(&b, c);
        else
            sharc_buf_printf(&b, "%%%02X", (unsigned char)c);
    }
    if (!b.failed) sharc__crawl_list(s, sharc_buf_span(&b), j->task.page);
}

bool sharc__crawl_is_list(const struct job *j)
{
    return j->made.extracted && j->made.page.entry_count > 0;
}

void sharc__crawl_read_list(struct sources *s, const struct job *j)
{
    const struct sharc_page *p = &j->made.page;
    const bool signals = j->task.kind == TASK_LIST && p->type != SHARC_PAGE_SITEMAP_INDEX;
    const bool again = signals && s->agenda->plan.started;
    for (size_t i = 0; i < p->entry_count; i++) {
        const struct sharc_entry *e = &p->entries[i];
        if (e->link == SHARC_NO_LINK || e->deleted) continue;
        struct sharc_span url = p->links[e->link].url;
        if (p->type == SHARC_PAGE_SITEMAP_INDEX) {
            sharc__crawl_list(s, url, j->task.page);
            continue;
        }
        struct finding f = {.url = url,
                            .via = j->task.page,
                            .hop = 'M',
                            .source = true,
                            .modified = e->modified != SHARC_TIME_NONE ? e->modified : e->published,
                            .frequency = e->frequency,
                            .priority = e->priority};
        /* Read again it tells of pages that are known; new ones would come too late. Both give NO_PAGE for none. */
        const uint32_t page = again ? sharc_intern_find(s->pages->urls, url) : sharc__crawl_found(s->frontier, &f);
        if (signals && page != NO_PAGE) sharc__crawl_heard_entry(s->heard, j->task.page, page, f.modified);
    }
    if (signals)
        sharc__crawl_heard_list(s->heard, j, p->type == SHARC_PAGE_FEED ? SHARC_SIGNAL_FEED : SHARC_SIGNAL_SITEMAP);
    if (again) return;
    if (p->type == SHARC_PAGE_OAI && p->resumption.n) next_piece(s, j);
}

/* SPDX-License-Identifier: Apache-2.0
 *
 * The URLs of a site: 32 bytes each beside the text, and 184 more for those of
 * which a version is known.
 */
#include "pages.h"

#include <stdlib.h>

enum { HOPS_SHOWN = 50, HOPS_MOST = 10000 };

void sharc__crawl_pages_init(struct pages *p)
{
    *p = (struct pages){.urls = sharc_intern_new(), .etags = sharc_intern_new()};
}

void sharc__crawl_pages_done(struct pages *p)
{
    sharc_intern_free(p->urls);
    sharc_intern_free(p->etags);
    sharc_intern_free(p->aside);
    free(p->page);
    free(p->version);
    free(p->aside_version);
    *p = (struct pages){0};
}

size_t sharc__crawl_pages_bytes(const struct pages *p)
{
    return sharc_intern_bytes(p->urls) + p->room * sizeof *p->page + p->version_room * sizeof *p->version;
}

/* Grows by a quarter: a million pages should not cost two, nor a thousand sites with a thousand pages each. */
static void *grow(void *items, size_t *room, size_t need, size_t size)
{
    if (need <= *room) return items;
    *room = need + *room / 4 + 16;
    return sharc_realloc(items, *room, size);
}

uint32_t sharc__crawl_pages_add(struct pages *p, struct sharc_span url, bool *ret_new)
{
    uint32_t number = sharc_intern_add(p->urls, url, ret_new);
    if (!*ret_new) return number;
    p->page = grow(p->page, &p->room, (size_t)number + 1, sizeof *p->page);
    p->page[number] =
        (struct page){.via = NO_PAGE, .version = NO_VERSION, .first = NO_PAGE, .next = NO_PAGE, .weight = 1};
    return number;
}

/* --- rows ------------------------------------------------------------------------ */

unsigned sharc__crawl_pages_depth(const struct pages *p, const struct finding *f)
{
    if (f->earlier) return 1; /* how it was found then does not matter now */
    if (f->via == NO_PAGE) return 0;
    return p->page[f->via].depth + (f->hop != 'E' && f->hop != 'R' ? 1u : 0u);
}

void sharc__crawl_pages_origin(struct pages *p, uint32_t page, const struct finding *f)
{
    struct page *row = &p->page[page];
    const struct page *via = f->via == NO_PAGE ? NULL : &p->page[f->via];
    unsigned depth = sharc__crawl_pages_depth(p, f);
    row->depth = (uint8_t)(depth < UINT8_MAX ? depth : UINT8_MAX);
    row->embed_hops = 0;
    if (via && f->embed) row->embed_hops = (uint8_t)(via->embed_hops + 1);
    if (via && f->hop == 'R') row->embed_hops = via->embed_hops;
    row->via = f->via;
    row->hop = f->hop;
    if (!via && f->hop == 0) row->flags |= PAGE_SEED;
    if (via && f->hop == 'R' && (via->flags & (PAGE_SEED | PAGE_MOVED_SEED))) row->flags |= PAGE_MOVED_SEED;
}

void sharc__crawl_pages_follow(struct pages *p, uint32_t leader, uint32_t follower)
{
    p->page[follower].next = p->page[leader].first; /* in front: a page may have very many */
    p->page[leader].first = follower;
}

/* 1: the row counts among the followers that were visited. */
static uint32_t is_done_follower(const struct page *row)
{
    return (row->flags & PAGE_FOLLOWER) && row->state == PAGE_DONE;
}

void sharc__crawl_pages_restore(struct pages *p, uint32_t page, const struct page *row)
{
    const uint8_t kept = PAGE_KNOWN_TO_STRATEGY | PAGE_HOPELESS;
    struct page *to = &p->page[page], from = *row;
    from.first = to->first;
    from.next = to->next;
    from.version = to->version;
    from.flags = (uint8_t)((from.flags & ~kept) | (to->flags & kept));
    p->followers_done += is_done_follower(&from) - is_done_follower(to);
    *to = from;
}

void sharc__crawl_pages_set_state(struct pages *p, uint32_t page, enum page_state state, uint8_t reason)
{
    struct page *row = &p->page[page];
    p->followers_done -= is_done_follower(row);
    row->state = (uint8_t)state;
    row->reason = reason;
    p->followers_done += is_done_follower(row);
}

void sharc__crawl_pages_set_reason(struct pages *p, uint32_t page, uint8_t reason)
{
    p->page[page].reason = reason;
}

void sharc__crawl_pages_set_rate(struct pages *p, uint32_t page, double rate)
{
    p->page[page].rate = (float)rate;
}

void sharc__crawl_pages_set_weight(struct pages *p, uint32_t page, double weight)
{
    p->page[page].weight = (float)weight;
}

void sharc__crawl_pages_set_run(struct pages *p, uint32_t page, uint16_t run)
{
    p->page[page].run = run;
}

void sharc__crawl_pages_mark(struct pages *p, uint32_t page, enum page_flag flag, bool on)
{
    struct page *row = &p->page[page];
    p->followers_done -= is_done_follower(row);
    row->flags = (uint8_t)(on ? row->flags | flag : row->flags & ~(unsigned)flag);
    p->followers_done += is_done_follower(row);
}

/* --- versions ---------------------------------------------------------------------- */

struct version sharc__crawl_pages_version(const struct pages *p, uint32_t page)
{
    const struct version *v = page_version(p, page);
    return v ? *v : VERSION_NONE;
}

void sharc__crawl_pages_keep(struct pages *p, uint32_t page, const struct version *v)
{
    if (p->page[page].version == NO_VERSION) {
        p->version = grow(p->version, &p->version_room, p->version_count + 1, sizeof *p->version);
        p->page[page].version = (uint32_t)p->version_count++;
    }
    p->version[p->page[page].version] = *v;
}

void sharc__crawl_pages_set_aside(struct pages *p, struct sharc_span url, const struct version *v)
{
    if (!p->aside) p->aside = sharc_intern_new();
    uint32_t number = sharc_intern_add(p->aside, url, NULL);
    SHARC_GROW(p->aside_version, p->aside_room, (size_t)number + 1);
    p->aside_version[number] = *v;
}

bool sharc__crawl_pages_take_aside(struct pages *p, uint32_t page)
{
    uint32_t number = p->aside ? sharc_intern_find(p->aside, page_url(p, page)) : SHARC_NO_ID;
    if (number == SHARC_NO_ID || p->page[page].version != NO_VERSION) return false;
    sharc__crawl_pages_keep(p, page, &p->aside_version[number]);
    return true;
}

uint32_t sharc__crawl_pages_etag(struct pages *p, struct sharc_span etag)
{
    return etag.n ? sharc_intern_add(p->etags, etag, NULL) : SHARC_NO_ID;
}

/* --- the way to a page ----------------------------------------------------------------- */

unsigned sharc__crawl_pages_path_length(const struct pages *p, uint32_t page)
{
    unsigned n = 0;
    for (; page != NO_PAGE && p->page[page].hop && n < HOPS_MOST; page = p->page[page].via) n++;
    return n;
}

void sharc__crawl_pages_path(const struct pages *p, uint32_t page, struct sharc_buf *out)
{
    char path[HOPS_SHOWN];
    size_t n = 0;
    unsigned all = sharc__crawl_pages_path_length(p, page);
    for (; page != NO_PAGE && p->page[page].hop && n < HOPS_SHOWN; page = p->page[page].via)
        path[HOPS_SHOWN - ++n] = p->page[page].hop;
    if (all > n) sharc_buf_printf(out, "%zu+", all - n);
    sharc_buf_put(out, sharc_span(path + HOPS_SHOWN - n, n));
}

uint32_t sharc__crawl_pages_seed_of(const struct pages *p, uint32_t page)
{
    for (unsigned hops = 0; p->page[page].via != NO_PAGE && hops < HOPS_MOST; hops++) page = p->page[page].via;
    return p->page[page].flags & PAGE_SEED ? page : NO_PAGE;
}

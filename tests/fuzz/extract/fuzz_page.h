/* SPDX-License-Identifier: Apache-2.0
 *
 * Any bytes as a page of a given type; what must hold for every page.
 */
#ifndef SHARC_FUZZ_PAGE_H
#define SHARC_FUZZ_PAGE_H

#include "sharc/extract.h"

static inline void check_page(const struct sharc_page *page)
{
    for (size_t i = 0; i < page->link_count; i++) {
        const struct sharc_link *l = &page->links[i];
        SHARC_ASSERT((size_t)l->at + l->n <= page->utf8.n);
        SHARC_ASSERT(sharc_span_starts(l->url, SHARC_SPAN("http")) && sharc_span_find(l->url, '#', 0) == SHARC_NPOS);
        SHARC_ASSERT(l->block == SHARC_NO_BLOCK || l->block < page->block_count);
    }
    SHARC_ASSERT(sharc_utf8_check(page->text) == SHARC_NPOS && sharc_utf8_check(page->title) == SHARC_NPOS);
    size_t at = 0;
    for (size_t i = 0; i < page->block_count; i++) {
        const struct sharc_block *b = &page->blocks[i];
        SHARC_ASSERT(b->text_at >= at && b->text_at - at <= 1 && (size_t)b->at + b->n <= page->utf8.n);
        at = (size_t)b->text_at + b->text_n;
    }
    SHARC_ASSERT(page->block_count == 0 || at == page->text.n);
    for (size_t i = 0; i < page->entry_count; i++)
        SHARC_ASSERT(page->entries[i].link == SHARC_NO_LINK || page->entries[i].link < page->link_count);
}

/* The page object is reused on purpose: what one page leaves must not reach the next. */
static inline int fuzz_page(const uint8_t *data, size_t size, const char *type)
{
    static struct sharc_page page;
    static struct sharc_url url;
    if (!url.p) sharc_url_parse(&url, SHARC_SPAN("http://example.org/dir/sitemap.txt?q"), NULL, NULL);
    struct sharc_extract_input in = {.body = sharc_span(data, size), .url = &url, .content_type = sharc_span_of(type)};
    SHARC_ASSERT(sharc_extract(&page, &in, NULL) == 0);
    check_page(&page);
    return 0;
}

#endif

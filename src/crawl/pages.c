/* SPDX-License-Identifier: Apache-2.0
 *
 * The URLs of a site: 32 bytes each beside the text, and 128 more for those of
 * which a version is known. A page's number is that of its URL, which is also
 * the number the strategy knows it by.
 */
#include "crawl_int.h"

#include <stdlib.h>

void sharc__crawl_pages_init(struct pages *p)
{
    *p = (struct pages){.urls = sharc_intern_new()};
}

void sharc__crawl_pages_done(struct pages *p)
{
    sharc_intern_free(p->urls);
    free(p->page);
    free(p->seen);
    *p = (struct pages){0};
}

/* Grows by a half: a million pages should not cost two. */
static void *grow(void *items, size_t *room, size_t need, size_t size)
{
    if (need <= *room) return items;
    *room = need + *room / 2 + 64;
    return sharc_realloc(items, *room, size);
}

uint32_t sharc__crawl_pages_add(struct pages *p, struct sharc_span url, bool *ret_new)
{
    uint32_t number = sharc_intern_add(p->urls, url, ret_new);
    if (!*ret_new) return number;
    p->page = grow(p->page, &p->room, (size_t)number + 1, sizeof *p->page);
    p->page[number] = (struct page){.via = NO_PAGE, .seen = NO_SEEN, .first = NO_PAGE, .next = NO_PAGE, .weight = 1};
    return number;
}

struct seen *sharc__crawl_pages_see(struct pages *p, uint32_t page)
{
    if (p->page[page].seen == NO_SEEN) {
        p->seen = grow(p->seen, &p->seen_room, p->seen_count + 1, sizeof *p->seen);
        p->seen[p->seen_count] = (struct seen){.visit = SHARC_TIME_NONE,
                                               .revisit = SHARC_TIME_NONE,
                                               .modified = SHARC_TIME_NONE,
                                               .changed = SHARC_TIME_NONE,
                                               .since = SHARC_TIME_NONE,
                                               .date = SHARC_TIME_NONE,
                                               .file = SHARC_NO_ID,
                                               .etag = SHARC_NO_ID};
        p->page[page].seen = (uint32_t)p->seen_count++;
    }
    return &p->seen[p->page[page].seen];
}

size_t sharc__crawl_pages_bytes(const struct pages *p)
{
    return sharc_intern_bytes(p->urls) + p->room * sizeof *p->page + p->seen_room * sizeof *p->seen;
}

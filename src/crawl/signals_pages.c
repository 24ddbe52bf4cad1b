/* SPDX-License-Identifier: Apache-2.0
 *
 * Lists that are pages of the capture: feeds that pages name, and hubs. A hub is a page that
 * lists what is new ("recent changes", a front page): the newest stands first and pushes the
 * others down. Which of its links tell of a change, a comparison with its last reading shows.
 */
#include "signals.h"

bool sharc__crawl_heard_link(struct heard *h, uint32_t page)
{
    if (h->entries >= HEARD_LINKS) return false;
    SHARC_GROW(h->entry, h->entry_room, h->entries + 1);
    h->entry[h->entries++] = (struct heard_entry){page, 0};
    return h->entries < HEARD_LINKS;
}

/* Different pages that the entries told so far name, up to `enough`. */
static size_t different(const struct heard *h, size_t enough)
{
    uint32_t seen[HEARD_FEWEST + 2];
    size_t n = 0;
    for (size_t i = 0; i < h->entries && n < enough; i++) {
        bool known = false;
        for (size_t k = 0; k < n; k++) known |= seen[k] == h->entry[i].page;
        if (!known) seen[n++] = h->entry[i].page;
    }
    return n;
}

bool sharc__crawl_heard_wants(const struct heard *h, enum sharc_signal_kind kind)
{
    const size_t fewest = kind == SHARC_SIGNAL_HUB ? HEARD_FEWEST + 2 : HEARD_FEWEST;
    unsigned pages = 0, hubs = 0;
    for (size_t i = 0; i < h->count; i++) {
        pages += h->list[i].is_page;
        hubs += h->list[i].kind == SHARC_SIGNAL_HUB;
    }
    return pages < HEARD_PAGES && !(kind == SHARC_SIGNAL_HUB && hubs >= HEARD_HUBS) && different(h, fewest) == fewest;
}

/* From the end: a link is new if one behind it stood before it, or it did not stand there at all. Behind the last
 * one that was there before nothing is pushed down by what is new: there a long list is cut, or something else begins.
 */
void sharc__crawl_news(const uint32_t *before, size_t befores, const struct heard_entry *now, size_t count,
                       sharc__crawl_news_fn *fn, void *arg)
{
    SHARC_AUTO(sharc_map64_done) struct sharc_map64 place = {0};
    uint64_t least = UINT64_MAX;
    for (size_t i = befores; i > 0; i--) *sharc_map64_at(&place, before[i - 1]) = i;
    for (size_t i = count; i > 0; i--) {
        const uint64_t *stood = sharc_map64_find(&place, now[i - 1].page);
        if (least != UINT64_MAX && (!stood || *stood > least)) fn(arg, now[i - 1].page);
        if (stood && *stood < least) least = *stood;
    }
}

/* SPDX-License-Identifier: Apache-2.0
 *
 * From a page to the numbers that comparing needs, and which block of one version
 * is which of the other.
 */
#include "sharc/extract_compare.h"

#include "sharc/base_digest.h"
#include "sharc/base_map.h"

#include <stdlib.h>

enum { OF_TEXT = 1, OF_LINK = 2, OF_IMAGE = 3 }; /* seeds: equal bytes of another kind are another element */

bool sharc_link_is_content(const struct sharc_link *link)
{
    static const bool shown[SHARC_LINK_PLACE_COUNT] = {
        [SHARC_FROM_IMG] = true,    [SHARC_FROM_INPUT_IMAGE] = true,   [SHARC_FROM_FRAME] = true,
        [SHARC_FROM_IFRAME] = true, [SHARC_FROM_OBJECT] = true,        [SHARC_FROM_EMBED] = true,
        [SHARC_FROM_APPLET] = true, [SHARC_FROM_VIDEO] = true,         [SHARC_FROM_AUDIO] = true,
        [SHARC_FROM_SOURCE] = true, [SHARC_FROM_SITEMAP_IMAGE] = true,
    };
    if (link->flags & (SHARC_LINK_SPECULATIVE | SHARC_LINK_LATENT)) return false;
    if (link->kind != SHARC_LINK_EMBED) return true;
    return shown[link->place];
}

/* --- prints of one page ---------------------------------------------------------- */

void sharc_page_prints_done(struct sharc_page_prints *p)
{
    free(p->links);
    free(p->parts);
    free(p->elements);
    *p = (struct sharc_page_prints)SHARC_PAGE_PRINTS_INIT;
}

static int by_value(const void *a, const void *b)
{
    const uint64_t *x = a, *y = b;
    return (*x > *y) - (*x < *y);
}

static void take_links(struct sharc_page_prints *p, const struct sharc_page *page)
{
    p->link_count = 0;
    SHARC_GROW(p->links, p->link_room, page->link_count + 1);
    for (size_t i = 0; i < page->link_count; i++)
        if (sharc_link_is_content(&page->links[i]))
            p->links[p->link_count++] = sharc_fingerprint(page->links[i].url, OF_LINK);
    if (p->link_count > 1) qsort(p->links, p->link_count, sizeof *p->links, by_value);
    size_t n = 0;
    for (size_t i = 0; i < p->link_count; i++)
        if (n == 0 || p->links[n - 1] != p->links[i]) p->links[n++] = p->links[i];
    p->link_count = n;
}

static void add_element(struct sharc_page_prints *p, struct sharc_span text, uint64_t seed)
{
    SHARC_GROW(p->elements, p->element_room, p->element_count + 1);
    p->elements[p->element_count++] = sharc_fingerprint(text, seed);
}

/* Where a sentence ends: behind its stop, when a blank follows. */
static size_t sentence(struct sharc_span line)
{
    for (size_t i = 0; i + 1 < line.n; i++)
        if ((line.p[i] == '.' || line.p[i] == '!' || line.p[i] == '?') && line.p[i + 1] == ' ') return i + 1;
    return line.n;
}

static void add_text(struct sharc_page_prints *p, struct sharc_span text)
{
    struct sharc_span line;
    while (sharc_span_next(&text, '\n', &line)) {
        for (line = sharc_span_trim(line); line.n > 0;) {
            size_t n = sentence(line);
            add_element(p, sharc_span_sub(line, 0, n), OF_TEXT);
            line = sharc_span_trim(sharc_span_from(line, n));
        }
    }
}

/* The links of block b, from *at on: they are numbered in page order. */
static void add_links(struct sharc_page_prints *p, const struct sharc_page *page, uint32_t b, size_t *at)
{
    for (; *at < page->link_count && page->links[*at].block <= b; ++*at) {
        const struct sharc_link *link = &page->links[*at];
        if (link->block == b && sharc_link_is_content(link))
            add_element(p, link->url, link->kind == SHARC_LINK_EMBED ? OF_IMAGE : OF_LINK);
    }
}

/* Main text counts most, what stands on every page least. */
static double role_weight(unsigned role)
{
    static const double weight[] = {
        [SHARC_BLOCK_OTHER] = 0.6, [SHARC_BLOCK_HEADER] = 0.4, [SHARC_BLOCK_NAVIGATION] = 0.25,
        [SHARC_BLOCK_MAIN] = 1,    [SHARC_BLOCK_SIDE] = 0.3,   [SHARC_BLOCK_FOOTER] = 0.15};
    return role < SHARC_LENGTH(weight) ? weight[role] : 0;
}

/* Half by the share of the text, half by position, both scaled by the role. */
static void weigh(struct sharc_page_prints *p, const struct sharc_page *page)
{
    double sum = 0;
    for (size_t i = 0; i < p->part_count; i++) {
        double share = page->text.n ? (double)page->blocks[i].text_n / (double)page->text.n : 0;
        double position = 1 - (double)i / (double)p->part_count;
        p->parts[i].weight = role_weight(p->parts[i].role) * (share + position) / 2;
        sum += p->parts[i].weight;
    }
    for (size_t i = 0; i < p->part_count && sum > 0; i++) p->parts[i].weight /= sum;
}

static struct sharc_page_part *add_part(struct sharc_page_prints *p, uint8_t role)
{
    SHARC_GROW(p->parts, p->part_room, p->part_count + 1);
    struct sharc_page_part *part = &p->parts[p->part_count++];
    *part = (struct sharc_page_part){.role = role, .weight = 1, .first = p->element_count};
    return part;
}

void sharc_page_prints_make(struct sharc_page_prints *p, const struct sharc_page *page, struct sharc_span text)
{
    size_t at = 0;
    take_links(p, page);
    p->part_count = p->element_count = 0;
    for (uint32_t b = 0; b < page->block_count; b++) {
        struct sharc_page_part *part = add_part(p, page->blocks[b].role);
        add_text(p,
                 sharc_span_sub(page->text, page->blocks[b].text_at, page->blocks[b].text_at + page->blocks[b].text_n));
        add_links(p, page, b, &at);
        part->count = p->element_count - part->first;
    }
    if (page->block_count) {
        weigh(p, page);
        return;
    }
    struct sharc_page_part *part = add_part(p, SHARC_BLOCK_MAIN);
    add_text(p, text);
    for (; at < page->link_count; at++)
        if (sharc_link_is_content(&page->links[at])) add_element(p, page->links[at].url, OF_LINK);
    part->count = p->element_count - part->first;
}

/* --- two pages -------------------------------------------------------------------- */

struct vote {
    size_t shared;
    bool same_role;
    uint32_t before, after;
};

static int by_votes(const void *a, const void *b)
{
    const struct vote *x = a, *y = b;
    if (x->shared != y->shared) return x->shared > y->shared ? -1 : 1;
    if (x->same_role != y->same_role) return x->same_role ? -1 : 1;
    if (x->before != y->before) return x->before < y->before ? -1 : 1;
    return (x->after > y->after) - (x->after < y->after);
}

/* Elements that each pair of parts shares; an element that stands in several
 * parts before counts for the first. */
static size_t count_votes(const struct sharc_page_prints *before, const struct sharc_page_prints *after,
                          struct vote **ret)
{
    struct sharc_map64 owner;
    struct vote *votes = NULL;
    size_t count = 0, room = 0;
    sharc_map64_init(&owner);
    for (size_t i = before->part_count; i-- > 0;)
        for (size_t k = 0; k < before->parts[i].count; k++)
            *sharc_map64_at(&owner, before->elements[before->parts[i].first + k]) = i + 1;
    AUTO(sharc_freep) size_t *shared = SHARC_NEW_ARRAY(size_t, before->part_count);
    for (uint32_t j = 0; j < after->part_count; j++) {
        const struct sharc_page_part *part = &after->parts[j];
        memset(shared, 0, before->part_count * sizeof *shared);
        for (size_t k = 0; k < part->count; k++) {
            const uint64_t *i = sharc_map64_find(&owner, after->elements[part->first + k]);
            if (i && *i) shared[*i - 1]++;
        }
        for (uint32_t i = 0; i < before->part_count; i++) {
            if (!shared[i]) continue;
            SHARC_GROW(votes, room, count + 1);
            votes[count++] = (struct vote){shared[i], before->parts[i].role == part->role, i, j};
        }
    }
    sharc_map64_done(&owner);
    if (count > 1) qsort(votes, count, sizeof *votes, by_votes);
    *ret = votes;
    return count;
}

/* partner[j]: the part before of part j after, or SHARC_NO_BLOCK. */
static void find_partners(const struct sharc_page_prints *before, const struct sharc_page_prints *after,
                          uint32_t *partner, bool *taken)
{
    AUTO(sharc_freep) struct vote *votes = NULL;
    size_t count = count_votes(before, after, &votes);
    for (size_t k = 0; k < count; k++) {
        const struct vote *v = &votes[k];
        if (partner[v->after] != SHARC_NO_BLOCK || taken[v->before]) continue;
        partner[v->after] = v->before;
        taken[v->before] = true;
    }
    for (size_t j = 0; j < after->part_count; j++)
        for (uint32_t i = 0; i < before->part_count && partner[j] == SHARC_NO_BLOCK; i++)
            if (!taken[i] && before->parts[i].role == after->parts[j].role) partner[j] = i, taken[i] = true;
}

/* At least one of the two is there. */
static struct sharc_page_pair pair_of(const struct sharc_page_prints *before, uint32_t i,
                                      const struct sharc_page_prints *after, uint32_t j)
{
    struct sharc_page_pair p = {.before = i, .after = j};
    unsigned sides = 0;
    if (i != SHARC_NO_BLOCK) {
        const struct sharc_page_part *old = &before->parts[i];
        p.block.before = before->elements + old->first, p.block.n_before = old->count;
        p.block.weight = old->weight, p.role = old->role, sides++;
    }
    if (j != SHARC_NO_BLOCK) {
        const struct sharc_page_part *now = &after->parts[j];
        p.block.after = after->elements + now->first, p.block.n_after = now->count;
        p.block.weight += now->weight, p.role = now->role, sides++;
    }
    if (sides == 2) p.block.weight /= 2;
    return p;
}

size_t sharc_page_pairs(const struct sharc_page_prints *before, const struct sharc_page_prints *after,
                        struct sharc_page_pair **ret)
{
    static const struct sharc_page_prints none = SHARC_PAGE_PRINTS_INIT;
    if (!before) before = &none;
    if (!after) after = &none;
    AUTO(sharc_freep) uint32_t *partner = SHARC_NEW_ARRAY(uint32_t, after->part_count);
    AUTO(sharc_freep) bool *taken = SHARC_NEW_ARRAY(bool, before->part_count);
    memset(partner, 0xff, after->part_count * sizeof *partner); /* SHARC_NO_BLOCK */
    find_partners(before, after, partner, taken);
    struct sharc_page_pair *pairs = SHARC_NEW_ARRAY(struct sharc_page_pair, before->part_count + after->part_count);
    size_t n = 0;
    for (uint32_t j = 0; j < after->part_count; j++) pairs[n++] = pair_of(before, partner[j], after, j);
    for (uint32_t i = 0; i < before->part_count; i++)
        if (!taken[i]) pairs[n++] = pair_of(before, i, after, SHARC_NO_BLOCK);
    *ret = pairs;
    return n;
}

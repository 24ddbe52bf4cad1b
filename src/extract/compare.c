/* SPDX-License-Identifier: Apache-2.0
 *
 * From a page to the numbers that comparing needs, and which block of one version
 * is which of the other.
 */
#include "sharc/base_order.h"
#include "sharc/extract_compare.h"

#include "sharc/base_digest.h"
#include "sharc/change_diff.h"

#include <stdlib.h>

#define MOST_ELEMENTS 200000u /* of a page, from its text; the rest of the text is one more */

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

static void take_links(struct sharc_page_prints *p, const struct sharc_page *page)
{
    p->link_count = 0;
    SHARC_GROW(p->links, p->link_room, page->link_count + 1);
    for (size_t i = 0; i < page->link_count; i++)
        if (sharc_link_is_content(&page->links[i]))
            p->links[p->link_count++] = sharc_fingerprint(page->links[i].url, OF_LINK);
    if (p->link_count > 1) qsort(p->links, p->link_count, sizeof *p->links, sharc_order_u64);
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
    while (p->element_count < MOST_ELEMENTS && sharc_span_next(&text, '\n', &line)) {
        for (line = sharc_span_trim(line); line.n > 0;) {
            size_t n = sentence(line);
            add_element(p, sharc_span_sub(line, 0, n), OF_TEXT);
            line = sharc_span_trim(sharc_span_from(line, n));
        }
    }
    if (p->element_count >= MOST_ELEMENTS && text.n) add_element(p, text, OF_TEXT);
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

/* Where an element of one version is in the other. */
struct match {
    size_t n, m;
    size_t *to;     /* n: place after, or SHARC_NPOS */
    bool *goes;     /* n */
    bool *comes;    /* m */
    uint32_t *part; /* m: the part after that holds it */
};

static void match_done(struct match *m)
{
    free(m->to);
    free(m->goes);
    free(m->comes);
    free(m->part);
}

/* What stayed in order is matched by the shortest script; of the rest, what stands elsewhere now, the first with
 * the first. */
static void match_elements(struct match *m, const struct sharc_page_prints *before,
                           const struct sharc_page_prints *after)
{
    uint64_t steps = SHARC_CHANGE_STEPS / 16;
    sharc_change_script(before->elements, m->n, after->elements, m->m, &steps, m->goes, m->comes);
    for (size_t i = 0, j = 0; i < m->n; i++) {
        if (m->goes[i]) continue;
        while (m->comes[j]) j++;
        m->to[i] = j++;
    }
    sharc_change_pair(before->elements, m->goes, m->n, after->elements, m->comes, m->m, m->to);
}

static void match_init(struct match *m, const struct sharc_page_prints *before, const struct sharc_page_prints *after)
{
    *m = (struct match){.n = before->element_count, .m = after->element_count};
    m->to = SHARC_NEW_ARRAY(size_t, m->n);
    m->goes = SHARC_NEW_ARRAY(bool, m->n);
    m->comes = SHARC_NEW_ARRAY(bool, m->m);
    m->part = SHARC_NEW_ARRAY(uint32_t, m->m);
    for (uint32_t j = 0; j < after->part_count; j++)
        for (size_t k = 0; k < after->parts[j].count; k++) m->part[after->parts[j].first + k] = j;
    match_elements(m, before, after);
}

/* --- blocks ------------------------------------------------------------------------ */

/* Pages are cut into blocks by how their text is spread, so a small edit may move the cuts. Elements therefore
 * follow their matches, not their block: home[i] is the block after to which element i before belongs. One that is
 * gone stays with the last one before it in its block that is not (or the next). */
static void find_homes(const struct sharc_page_part *part, const struct match *m, uint32_t *home)
{
    uint32_t near = SHARC_NO_BLOCK;
    for (size_t i = part->first; i < part->first + part->count; i++) {
        if (m->to[i] != SHARC_NPOS) near = m->part[m->to[i]];
        home[i] = near;
    }
    for (size_t i = part->first + part->count; i-- > part->first;) {
        if (home[i] != SHARC_NO_BLOCK) near = home[i];
        home[i] = near;
    }
}

/* A block without any match belongs to the first one of its role that has none either. */
static void find_partners(const struct sharc_page_prints *before, const struct sharc_page_prints *after, uint32_t *home)
{
    SHARC_AUTO(sharc_freep) bool *taken = SHARC_NEW_ARRAY(bool, after->part_count);
    for (size_t i = 0; i < before->element_count; i++)
        if (home[i] != SHARC_NO_BLOCK) taken[home[i]] = true;
    for (size_t b = 0; b < before->part_count; b++) {
        const struct sharc_page_part *part = &before->parts[b];
        if (part->count == 0 || home[part->first] != SHARC_NO_BLOCK) continue;
        uint32_t j = 0;
        while (j < after->part_count && (taken[j] || after->parts[j].role != part->role)) j++;
        if (j == after->part_count) continue;
        taken[j] = true;
        for (size_t i = 0; i < part->count; i++) home[part->first + i] = j;
    }
}

static void add_pair(struct sharc_page_pairs *p, struct sharc_page_pair pair)
{
    if (pair.block.n_before + pair.block.n_after == 0) return;
    pair.is_new = pair.block.n_before == 0;
    pair.is_gone = pair.block.n_after == 0;
    p->pairs[p->count++] = pair;
}

/* The elements before that belong to a block after, in their order, and their share of the page's weight. */
static size_t collect(const struct sharc_page_prints *before, const uint32_t *home, uint32_t wanted, uint64_t *out,
                      double *ret_weight)
{
    size_t n = 0;
    *ret_weight = 0;
    for (size_t b = 0; b < before->part_count; b++) {
        const struct sharc_page_part *part = &before->parts[b];
        for (size_t i = part->first; i < part->first + part->count; i++) {
            if (home[i] != wanted) continue;
            out[n++] = before->elements[i];
            *ret_weight += part->weight / (double)part->count;
        }
    }
    return n;
}

void sharc_page_pairs_done(struct sharc_page_pairs *p)
{
    free(p->pairs);
    free(p->elements);
    *p = (struct sharc_page_pairs)SHARC_PAGE_PAIRS_INIT;
}

void sharc_page_pairs_make(struct sharc_page_pairs *p, const struct sharc_page_prints *before,
                           const struct sharc_page_prints *after)
{
    SHARC_AUTO(match_done) struct match m;
    SHARC_AUTO(sharc_freep) uint32_t *home = SHARC_NEW_ARRAY(uint32_t, before->element_count);
    match_init(&m, before, after);
    for (size_t b = 0; b < before->part_count; b++) find_homes(&before->parts[b], &m, home);
    find_partners(before, after, home);
    sharc_page_pairs_done(p);
    p->pairs = SHARC_NEW_ARRAY(struct sharc_page_pair, before->part_count + after->part_count);
    p->elements = SHARC_NEW_ARRAY(uint64_t, before->element_count);
    uint64_t *next = p->elements;
    for (uint32_t j = 0; j < after->part_count; j++) {
        const struct sharc_page_part *now = &after->parts[j];
        struct sharc_page_pair pair = {.role = now->role};
        double weight;
        pair.block.after = after->elements + now->first, pair.block.n_after = now->count;
        pair.block.before = next;
        pair.block.n_before = collect(before, home, j, next, &weight);
        pair.block.weight = pair.block.n_before ? (weight + now->weight) / 2 : now->weight;
        next += pair.block.n_before;
        add_pair(p, pair);
    }
    for (size_t b = 0; b < before->part_count; b++) {
        const struct sharc_page_part *old = &before->parts[b];
        if (old->count == 0 || home[old->first] != SHARC_NO_BLOCK) continue;
        add_pair(p, (struct sharc_page_pair){.role = old->role,
                                             .block = {.weight = old->weight,
                                                       .before = before->elements + old->first,
                                                       .n_before = old->count}});
    }
}

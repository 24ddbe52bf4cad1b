/* SPDX-License-Identifier: Apache-2.0
 *
 * What of a page is held against another version of it: the targets of its
 * links, its blocks as lists of elements, and the blocks of two versions paired,
 * ready for room change (change_compare.h).
 */
#ifndef SHARC_EXTRACT_COMPARE_H
#define SHARC_EXTRACT_COMPARE_H

#include "sharc/base.h"
#include "sharc/change_compare.h"
#include "sharc/extract.h"

SHARC_API_BEGIN

/* Is this a link that a reader could follow or see? Style sheets, scripts, icons
 * and guesses are not: their names change with every release of a site. */
bool sharc_link_is_content(const struct sharc_link *link);

/* A block: its role, and its elements (sentences and lines of text, links,
 * images) in order, as fingerprints. */
struct sharc_page_part {
    uint8_t role;        /* enum sharc_block_role */
    double weight;       /* by role, share of the text and position; of one page they sum to 1 */
    size_t first, count; /* of elements */
};

struct sharc_page_prints {
    uint64_t *links; /* targets of content links: ascending, each once */
    size_t link_count;
    struct sharc_page_part *parts;
    size_t part_count;
    uint64_t *elements;
    size_t element_count;
    /* private */
    size_t link_room, part_room, element_room;
};
#define SHARC_PAGE_PRINTS_INIT \
    {                          \
        .link_count = 0        \
    }
void sharc_page_prints_done(struct sharc_page_prints *p);
/* Replace p by the prints of a page of which links, text and blocks were
 * extracted; at most some 200,000 elements of text. text: what is shown of it when it has no blocks (usually
 * page->text, or the source of a style sheet). Independent of the page afterwards. O(n log n). */
void sharc_page_prints_make(struct sharc_page_prints *p, const struct sharc_page *page, struct sharc_span text);

/* A block of the later version with the elements of the earlier one that belong there;
 * or one of the earlier version that is gone. */
struct sharc_page_pair {
    struct sharc_change_block block; /* points into the pairs and the two prints */
    uint8_t role;
    bool is_new, is_gone;
};

struct sharc_page_pairs {
    struct sharc_page_pair *pairs;
    size_t count;
    uint64_t *elements; /* private */
};
#define SHARC_PAGE_PAIRS_INIT \
    {                         \
        .count = 0            \
    }
void sharc_page_pairs_done(struct sharc_page_pairs *p);
/* Replace p by the blocks of two versions, which must outlive it. Elements are matched
 * over the whole page first, since a small edit may cut a page into other blocks: what
 * did not change is in the same block of both. O(n log n + blocks · n), and bounded
 * however different the pages are. */
void sharc_page_pairs_make(struct sharc_page_pairs *p, const struct sharc_page_prints *before,
                           const struct sharc_page_prints *after);

SHARC_API_END
#endif

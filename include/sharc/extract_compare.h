/* SPDX-License-Identifier: Apache-2.0
 *
 * The parts of a page that are compared with another version of it: the targets of its
 * links, its blocks as lists of elements, and the blocks of two versions paired,
 * ready for room change (change_compare.h).
 */
#ifndef SHARC_EXTRACT_COMPARE_H
#define SHARC_EXTRACT_COMPARE_H

#include "sharc/base.h"
#include "sharc/change_compare.h"
#include "sharc/extract.h"

SHARC_PRIVATE_BEGIN

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

/* --- judging two downloads ------------------------------------------------------------- */

/* What an HTTP status says about a page. 0: no HTTP (a plain file, a resource record),
 * which is content. A 3xx other than 304 is a redirect; 404 and 410 say that the page is
 * not there; any other failure says nothing about it. */
enum sharc_change_answer sharc_page_answer(int status);

/* False: a body of that type has no text whatever it holds (pictures but SVG, sound,
 * film, fonts), so extraction can be spared. */
bool sharc_page_may_have_text(struct sharc_span content_type);
/* What of a body is compared as its text: what a reader sees of HTML and SVG, the source
 * of other texts. page: what sharc_extract made of it; body: decoded. False: there is no
 * text to look at (an image, a PDF). */
bool sharc_page_text(const struct sharc_page *page, struct sharc_span content_type, struct sharc_span body,
                     struct sharc_span *ret);

/* One download, as judging needs it. Unknown parts stay 0 / NULL. */
struct sharc_page_version {
    enum sharc_change_answer answer;
    /* Of the content with all codings undone, or of a redirect's target. Never of the bytes
     * as they were sent: a server that packs anew for every request would change without end. */
    const struct sharc_digest *content;
    sharc_time last_modified;       /* SHARC_TIME_NONE when not stated */
    sharc_time stated;              /* the date that the page gives itself, or SHARC_TIME_NONE */
    struct sharc_span content_type; /* of the answer; none: unknown */
    bool front;                     /* the front page of its site */
    bool has_text;
    struct sharc_span text;
    const struct sharc_page_prints *prints; /* with has_text; else NULL */
};

struct sharc_page_judgement {
    struct sharc_change_verdict verdict;
    double importance; /* 0 … 1: what a reader would make of it; docs/changes.md */
    struct sharc_change_ops ops;
    uint64_t edit;   /* fingerprint of what came and went; 0: nothing, or no text to look at */
    bool outer_only; /* all of it in header, navigation, side or footer */
};

/* The one place where two downloads of a page become a verdict: sharc diff and a crawl
 * that looks again must never differ. before NULL: there was none. after NULL: there is
 * none any more. Not both. A page that was not there and is not there is unchanged.
 * ret_pairs (may be NULL) receives the blocks, when there are any to compare. */
void sharc_page_judge(const struct sharc_page_version *before, const struct sharc_page_version *after,
                      const struct sharc_change_options *o, struct sharc_page_judgement *ret,
                      struct sharc_page_pairs *ret_pairs);

/* http://example.org/, with or without a name for the same: the front page of its site. */
bool sharc_page_is_front(struct sharc_span url);

/* How much a change of something of that media type matters to a reader, 0 … 1: pages and
 * documents 1, data and feeds 0.5, pictures, sound and film 0.2, what only makes a page
 * look and work as it does (style sheets, scripts, fonts) 0.1. Unknown types count as pages. */
double sharc_page_type_weight(struct sharc_span content_type);

SHARC_PRIVATE_END
#endif

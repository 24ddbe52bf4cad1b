/* SPDX-License-Identifier: Apache-2.0
 *
 * A certificate for people: one page in plain words, then tables, then a page to fill in. Written once, as a
 * list of blocks, and laid out twice: html.c, pdf.c.
 */
#ifndef SHARC_CERTIFY_STORY_H
#define SHARC_CERTIFY_STORY_H

#include "certify_int.h"

enum block_kind {
    BLOCK_TITLE,
    BLOCK_HEADING, /* of a part of the first page */
    BLOCK_PART,    /* of what comes behind it: a new page on paper */
    BLOCK_TEXT,
    BLOCK_STRONG, /* the sentence that matters */
    BLOCK_ITEM,   /* of a list */
    BLOCK_TABLE,  /* its titles; rows follow */
    BLOCK_ROW,
    BLOCK_LINE, /* to be filled in */
};
enum { STORY_CELLS = 4 };

struct block {
    enum block_kind kind;
    char *cells[STORY_CELLS]; /* text in the first; NULL behind the last */
};

struct story {
    struct block *blocks;
    size_t count, room;
};
/* made: of the certificate that was written. most: rows of each table of pages. */
void sharc__certify_story(const struct sharc_derived *f, const struct sharc_certify_issue *o,
                          const struct sharc_certify_made *made, size_t most, struct story *ret);
void sharc__certify_story_done(struct story *s);

#endif

/* SPDX-License-Identifier: Apache-2.0
 *
 * A small site in two captures: what happened to each page between them, so that each
 * question has an answer worked out by hand.
 */
#ifndef SHARC_STORE_STORIES_H
#define SHARC_STORE_STORIES_H

#include "store_test.h"

#define SITE "http://example.org"

struct story {
    const char *path;
    int status_a, status_b; /* 0: not captured */
    const char *body_a, *body_b, *text_a, *text_b;
    enum sharc_store_difference want;
};
extern const struct story stories[];
extern const size_t story_count;

void put_story(struct sharc_store_batch *b, sharc_store_id capture, const struct story *s, bool second);
/* All of them, the first side in capture 0 and the second in capture 1. */
void tell_stories(struct fixture *f);

/* A page with links: " path", or "!path" for an embed. */
void put_linked(struct fixture *f, struct sharc_store_batch *b, int capture, const char *from, const char *const *to);
#define TO(...) ((const char *const[]){__VA_ARGS__, NULL})

struct sharc_store_rows *ask_pages(struct fixture *f, const struct sharc_store_page_filter *filter);
/* Is there another row? */
int next(struct sharc_store_rows *rows);

#endif

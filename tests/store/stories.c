/* SPDX-License-Identifier: Apache-2.0
 *
 * The site and its captures that questions are asked about.
 */
#include "stories.h"

#include <stdio.h>

const struct story stories[] = {
    {"/same", 200, 200, "x", "x", "x", "x", SHARC_DIFF_UNCHANGED},
    {"/markup", 200, 200, "<p>x", "<b>x", "x", "x", SHARC_DIFF_INSIGNIFICANT},
    {"/text", 200, 200, "<p>x", "<p>y", "x", "y", SHARC_DIFF_CHANGED},
    {"/image", 200, 200, "gif1", "gif2", NULL, NULL, SHARC_DIFF_CHANGED},
    {"/new", 0, 200, NULL, "x", NULL, NULL, SHARC_DIFF_NEW},
    {"/gone", 200, 0, "x", NULL, NULL, NULL, SHARC_DIFF_DELETED},
    {"/404", 200, 404, "x", "no", NULL, NULL, SHARC_DIFF_DELETED},
    {"/back", 404, 200, "no", "x", NULL, NULL, SHARC_DIFF_NEW},
    {"/down", 200, 503, "x", "oops", NULL, NULL, SHARC_DIFF_FAILED},
    {"/never", 404, 404, "no", "no", NULL, NULL, SHARC_DIFF_FAILED},
    {"/no-digest", 200, 200, NULL, NULL, NULL, NULL, SHARC_DIFF_FAILED},
    {"/304", 200, 304, "x", "x", NULL, NULL, SHARC_DIFF_UNCHANGED},
    {"/moved", 200, 301, "x", NULL, NULL, NULL, SHARC_DIFF_CHANGED},
    {"/still-moved", 301, 302, NULL, NULL, NULL, NULL, SHARC_DIFF_UNCHANGED},
    {"/Docs/a", 200, 200, "1", "1", NULL, NULL, SHARC_DIFF_UNCHANGED},
    {"/docs/b?q=/x", 200, 200, "1", "2", NULL, NULL, SHARC_DIFF_CHANGED},
    {"/docs/deep/c", 200, 200, "1", "3", NULL, NULL, SHARC_DIFF_CHANGED},
};
const size_t story_count = SHARC_LENGTH(stories);

void put_story(struct sharc_store_batch *b, sharc_store_id capture, const struct story *s, bool second)
{
    int status = second ? s->status_b : s->status_a;
    char url[100];
    if (!status) return;
    snprintf(url, sizeof url, SITE "%s", s->path);
    struct sharc_store_page p = page_of(capture, url, T0 + (second ? 7 * SHARC_DAY : 0), status,
                                        second ? s->body_b : s->body_a, second ? s->text_b : s->text_a);
    if (status == 301 || status == 302) p.redirect = SHARC_SPAN("http://elsewhere.example/");
    p.planned_rate = 0.5;
    put_page(b, &p);
}

void tell_stories(struct fixture *f)
{
    struct sharc_store_batch *b;
    make_captures(f);
    sharc_store_batch_new(f->store, &b);
    for (size_t i = 0; i < story_count; i++) put_story(b, f->capture[0], &stories[i], false);
    commit(b);
    for (size_t i = 0; i < story_count; i++) put_story(b, f->capture[1], &stories[i], true);
    commit(b);
    sharc_store_batch_free(b);
}

void put_linked(struct fixture *f, struct sharc_store_batch *b, int capture, const char *from, const char *const *to)
{
    char urls[8][64], url[64];
    struct sharc_store_link links[8];
    size_t n = 0;
    for (; to[n]; n++) {
        snprintf(urls[n], sizeof urls[n], SITE "/%.30s", to[n] + 1);
        links[n] = (struct sharc_store_link){sharc_span_of(urls[n]), to[n][0] == '!'};
    }
    snprintf(url, sizeof url, SITE "/%.30s", from);
    struct sharc_store_page p = page_of(f->capture[capture], url, T0, 200, "x", NULL);
    p.links = links;
    p.n_links = n;
    p.has_links = true;
    put_page(b, &p);
}

struct sharc_store_rows *ask_pages(struct fixture *f, const struct sharc_store_page_filter *filter)
{
    struct sharc_err err = SHARC_ERR_INIT;
    struct sharc_store_rows *rows;
    must(sharc_store_pages(f->store, filter, &rows, &err), &err);
    return rows;
}

int next(struct sharc_store_rows *rows)
{
    struct sharc_err err = SHARC_ERR_INIT;
    return must(sharc_store_rows_next(rows, &err), &err);
}

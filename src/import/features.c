/* SPDX-License-Identifier: Apache-2.0
 *
 * What a page says, for the rows of one batch: run by any worker, each with
 * scratch memory of its own. Nothing fails here: a page that cannot be read has
 * no features.
 */
#include "import_int.h"
#include "sharc/http.h"
#include "sharc/url.h"
#include "sharc/warc_own.h"

#include <stdlib.h>

struct import_scratch {
    struct sharc_page page;
    struct sharc_http head;
    struct sharc_buf body, hashed;
    struct sharc_url url, target;
};

struct import_scratch *sharc__import_scratch_new(void)
{
    struct import_scratch *s = SHARC_NEW(struct import_scratch);
    sharc_buf_init(&s->body, SHARC_LIMIT_PAGE_BYTES);
    sharc_buf_init(&s->hashed, SHARC_LIMIT_PAGE_BYTES);
    return s;
}

void sharc__import_scratch_free(struct import_scratch *s)
{
    if (!s) return;
    sharc_page_done(&s->page);
    sharc_http_done(&s->head);
    sharc_buf_done(&s->body);
    sharc_buf_done(&s->hashed);
    sharc_url_done(&s->url);
    sharc_url_done(&s->target);
    free(s);
}

/* --- links -------------------------------------------------------------------- */

static bool add_link(struct import_row *row, struct sharc_span url, enum sharc_link_kind kind,
                     struct sharc_arena *arena)
{
    struct sharc_span copy = sharc_arena_copy(arena, url);
    if (copy.p) row->links[row->link_count++] = (struct sharc_store_link){.url = copy, .kind = (uint8_t)kind};
    return copy.p != NULL;
}

static void keep_links(struct import_row *row, struct import_scratch *s, struct sharc_arena *arena)
{
    const struct sharc_page *page = &s->page;
    row->link_count = 0;
    const bool unread = page->cut & SHARC_CUT_PARTS;
    row->links =
        page->link_count || unread ? sharc_arena_alloc(arena, (page->link_count + 1) * sizeof *row->links) : NULL;
    if (!row->links) return;
    if (unread) (void)add_link(row, SHARC_SPAN(SHARC_OWN_PARTS_UNREAD), SHARC_LINK_EMBED, arena);
    for (size_t i = 0; i < page->link_count; i++) {
        const struct sharc_link *l = &page->links[i];
        if (l->flags & (SHARC_LINK_SPECULATIVE | SHARC_LINK_REPEATED)) continue;
        if (!add_link(row, l->url, (enum sharc_link_kind)l->kind, arena)) break;
    }
}

/* Where a redirect sends us; that is its one link. */
static void keep_redirect(struct import_row *row, bool links, struct import_scratch *s, struct sharc_arena *arena)
{
    bool redirect = row->status >= 300 && row->status < 400 && row->location.n;
    if (!redirect || sharc_url_parse(&s->url, row->url, NULL, NULL) < 0) return;
    if (sharc_url_parse(&s->target, row->location, &s->url, NULL) < 0) return;
    row->redirect = sharc_arena_copy(arena, sharc_url_page(&s->target));
    row->links = links ? sharc_arena_alloc(arena, sizeof *row->links) : NULL;
    row->link_count = 0;
    row->extracted = row->links && add_link(row, row->redirect, SHARC_LINK_REDIRECT, arena);
}

/* --- pages --------------------------------------------------------------------- */

/* The body as a browser would see it; also the payload's digest where the record
 * had none. */
static bool decode(struct import_row *row, struct import_scratch *s, struct sharc_span *ret)
{
    struct sharc_span body = row->block;
    bool coded = false;
    if (row->has_head) {
        if (sharc_http_parse(&s->head, row->block, true, NULL) <= 0) return false;
        body = sharc_span_from(row->block, s->head.head_size);
        coded = sharc_http_get(&s->head, "Transfer-Encoding").p || sharc_http_get(&s->head, "Content-Encoding").p;
    }
    if (row->digest.n == 0) {
        struct sharc_span payload = body;
        sharc_buf_clear(&s->hashed);
        if (coded && sharc_http_decode(&s->head, SHARC_HTTP_TRANSFER, body, &s->hashed, NULL, NULL) == 0)
            payload = sharc_buf_span(&s->hashed);
        sharc_digest_of(SHARC_SHA1, payload, &row->digest);
    }
    if (coded) {
        sharc_buf_clear(&s->body);
        /* What a broken coding gives is still worth reading. */
        sharc_http_decode(&s->head, SHARC_HTTP_CONTENT, body, &s->body, NULL, NULL);
        body = sharc_buf_span(&s->body);
    }
    *ret = body;
    return true;
}

static void keep_text(struct import_row *row, struct import_scratch *s, struct sharc_arena *arena)
{
    const struct sharc_page *page = &s->page;
    sharc_change_text_digest(page->text, &row->text_digest);
    row->words = (int64_t)sharc_change_count_words(page->text);
    row->minhash = sharc_arena_alloc(arena, SHARC_CHANGE_MINHASH * sizeof *row->minhash);
    if (row->minhash) sharc_change_minhash_text(page->text, SHARC_CHANGE_MINHASH, row->minhash);
}

static void extract(struct import_row *row, struct import_scratch *s, struct sharc_arena *arena)
{
    struct sharc_span body;
    if (!decode(row, s, &body) || sharc_url_parse(&s->url, row->url, NULL, NULL) < 0) return;
    struct sharc_extract_input in = {.body = body,
                                     .url = &s->url,
                                     .content_type = row->content_type,
                                     .want = SHARC_WANT_LINKS | SHARC_WANT_TEXT | SHARC_WANT_DATES};
    if (sharc_extract(&s->page, &in, NULL) < 0 || s->page.type == SHARC_PAGE_UNKNOWN) return;
    row->extracted = true;
    row->title = s->page.title.n ? sharc_arena_copy(arena, sharc_span_sub(s->page.title, 0, 512)) : SHARC_SPAN_NONE;
    row->stated = s->page.modified;
    row->images = s->page.images;
    row->tables = s->page.tables;
    keep_links(row, s, arena);
    if (s->page.text.n) keep_text(row, s, arena);
}

void sharc__import_extract(struct import_batch *b, struct import_scratch *s)
{
    for (size_t i = 0; i < b->count; i++) {
        struct import_row *row = &b->rows[i];
        if (row->block.n) extract(row, s, &b->arena);
        keep_redirect(row, !b->heads_only, s, &b->arena);
        row->block = SHARC_SPAN_NONE;
    }
}

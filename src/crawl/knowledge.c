/* SPDX-License-Identifier: Apache-2.0
 *
 * What earlier captures of a site know: its URLs and the versions that a new
 * download may turn out to equal. How often they changed: past.c.
 */
#include "crawl_int.h"

#include "sharc/store_query.h"

#include <stdlib.h>

/* The last finished capture of the site; 0: none. */
static int last_capture(struct site *s, sharc_store_id *ret, struct sharc_err *reterr)
{
    struct sharc_store_capture_filter f = SHARC_STORE_CAPTURE_FILTER_INIT;
    SHARC_AUTO(sharc_store_rows_freep) struct sharc_store_rows *rows = NULL;
    f.site = s->id;
    f.newest_first = true;
    int r = sharc_store_captures(s->crawl->w.store, &f, &rows, reterr);
    *ret = 0;
    while (r >= 0 && *ret == 0 && (r = sharc_store_rows_next(rows, reterr)) > 0) {
        struct sharc_store_capture row;
        sharc_store_read_capture(rows, &row);
        if (row.id != s->capture && (row.state == SHARC_CAPTURE_COMPLETE || row.state == SHARC_CAPTURE_IMPORTED))
            *ret = row.id;
    }
    return r < 0 ? r : 0;
}

/* Names of the WARC files that pages refer to by number. */
static int read_files(struct sharc_crawl *c, struct sharc_map64 *files, struct sharc_err *reterr)
{
    SHARC_AUTO(sharc_store_rows_freep) struct sharc_store_rows *rows = NULL;
    struct sharc_store_warc w;
    int r = sharc_store_warcs(c->w.store, &rows, reterr);
    while (r >= 0 && (r = sharc_store_rows_next(rows, reterr)) > 0) {
        sharc_store_read_warc(rows, &w);
        if (!sharc_span_starts(w.name, SHARC_SPAN("warcs/"))) continue; /* lies elsewhere: cannot be read by name */
        SHARC_AUTO(sharc_freep) char *name = sharc_span_dup(sharc_span_from(w.name, 6));
        *sharc_map64_at(files, (uint64_t)w.id) = 1 + (uint64_t)sharc__crawl_file(c, name);
    }
    return r < 0 ? r : 0;
}

static bool version_of(struct site *s, const struct sharc_store_page *row, const struct sharc_map64 *files,
                       struct seen *v)
{
    const struct sharc_store_place *place = row->record == SHARC_STORE_RESPONSE ? &row->visit.place : &row->body;
    const uint64_t *file = sharc_map64_find(files, (uint64_t)place->warc);
    bool same_still = row->record == SHARC_STORE_NOT_MODIFIED && row->visit.status == 304;
    if (!file || (row->visit.status != 200 && !same_still) || row->visit.digest.kind != SHARC_SHA256 ||
        row->visit.digest.n != 32)
        return false;
    v->status = 200;
    v->answer = SHARC_ANSWER_CONTENT;
    v->modified = row->visit.last_modified;
    v->file = (uint32_t)(*file - 1);
    v->offset = place->offset;
    v->has_digest = true;
    memcpy(v->digest, row->visit.digest.bytes, sizeof v->digest);
    v->etag = row->visit.etag.n ? sharc_intern_add(s->etags, row->visit.etag, NULL) : SHARC_NO_ID;
    v->size = (uint32_t)(row->visit.size > 0 && row->visit.size < UINT32_MAX ? row->visit.size : 0);
    return true;
}

static void keep_version(struct site *s, uint32_t page, const struct sharc_store_page *row,
                         const struct sharc_map64 *files)
{
    struct seen *v = sharc__crawl_pages_see(&s->pages, page);
    if (version_of(s, row, files, v)) sharc__crawl_j_seen(s, page);
}

/* Nobody knows yet whether a page will show it again. */
static void keep_aside(struct site *s, const struct sharc_store_page *row, const struct sharc_map64 *files)
{
    struct seen v = {.visit = SHARC_TIME_NONE,
                     .revisit = SHARC_TIME_NONE,
                     .modified = SHARC_TIME_NONE,
                     .date = SHARC_TIME_NONE,
                     .etag = SHARC_NO_ID};
    if (!version_of(s, row, files, &v)) return;
    if (!s->earlier) s->earlier = sharc_intern_new();
    uint32_t number = sharc_intern_add(s->earlier, row->url, NULL);
    SHARC_GROW(s->earlier_seen, s->earlier_room, (size_t)number + 1);
    s->earlier_seen[number] = v;
}

void sharc__crawl_remember_embed(struct site *s, uint32_t page)
{
    uint32_t number = s->earlier ? sharc_intern_find(s->earlier, page_url(&s->pages, page)) : SHARC_NO_ID;
    if (number == SHARC_NO_ID || s->pages.page[page].seen != NO_SEEN) return;
    *sharc__crawl_pages_see(&s->pages, page) = s->earlier_seen[number];
    sharc__crawl_j_seen(s, page);
}

/* All pages of a capture, as known beforehand. */
static int read_pages(struct site *s, sharc_store_id capture, const struct sharc_map64 *files, struct sharc_err *reterr)
{
    SHARC_AUTO(sharc_store_rows_freep) struct sharc_store_rows *rows = NULL;
    struct sharc_store_page_filter f = {.capture = capture, .answered = true, .by_slot = true};
    int r = sharc_store_pages(s->crawl->w.store, &f, &rows, reterr);
    while (r >= 0 && (r = sharc_store_rows_next(rows, reterr)) > 0) {
        struct sharc_store_page row;
        sharc_store_read_page(rows, &row);
        if (row.visit.slot < 0) { /* an embed: comes with its page */
            keep_aside(s, &row, files);
            continue;
        }
        struct finding found = {
            .url = row.url, .via = NO_PAGE, .hop = 'I', .modified = SHARC_TIME_NONE, .priority = -1, .earlier = true};
        uint32_t page = sharc__crawl_found(s, &found);
        if (page != NO_PAGE && s->pages.page[page].state == PAGE_WAITING) keep_version(s, page, &row, files);
    }
    return r < 0 ? r : 0;
}

int sharc__crawl_remember(struct site *s, struct sharc_err *reterr)
{
    sharc_store_id capture = 0;
    struct sharc_map64 files;
    int r = last_capture(s, &capture, reterr);
    if (r < 0 || capture == 0) return r;
    /* Seeds first: breadth-first begins with them. */
    for (size_t i = 0; i < s->seeds_count; i++) {
        struct finding f = {.url = sharc_span_of(s->seeds[i]),
                            .via = NO_PAGE,
                            .modified = SHARC_TIME_NONE,
                            .priority = -1};
        sharc__crawl_found(s, &f);
    }
    sharc_map64_init(&files);
    r = read_files(s->crawl, &files, reterr);
    if (r == 0) r = read_pages(s, capture, &files, reterr);
    if (r == 0) r = sharc__crawl_remember_weights(s, capture, reterr);
    if (r == 0) r = sharc__crawl_remember_rates(s, reterr);
    sharc_map64_done(&files);
    return r;
}

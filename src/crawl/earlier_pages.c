/* SPDX-License-Identifier: Apache-2.0
 *
 * What earlier captures of a site know: its URLs and the versions that a new
 * download may turn out to equal.
 */
#include "earlier.h"

#include "sharc/archive.h"
#include "sharc/store_query.h"

#include <stdlib.h>

int sharc__crawl_earlier_capture(const struct frontier *s, sharc_store_id *ret, struct sharc_err *reterr)
{
    struct sharc_store_capture_filter f = SHARC_STORE_CAPTURE_FILTER_INIT;
    SHARC_AUTO(sharc_store_rows_freep) struct sharc_store_rows *rows = NULL;
    f.site = s->capture->site;
    f.newest_first = true;
    int r = sharc_store_captures(s->ctx->w.store, &f, &rows, reterr);
    *ret = 0;
    while (r >= 0 && *ret == 0 && (r = sharc_store_rows_next(rows, reterr)) > 0) {
        struct sharc_store_capture row;
        sharc_store_read_capture(rows, &row);
        if (row.id != s->capture->id && (row.state == SHARC_CAPTURE_COMPLETE || row.state == SHARC_CAPTURE_IMPORTED))
            *ret = row.id;
    }
    return r < 0 ? r : 0;
}

int sharc__crawl_earlier_files(struct output *o, struct sharc_map64 *files, struct sharc_err *reterr)
{
    SHARC_AUTO(sharc_store_rows_freep) struct sharc_store_rows *rows = NULL;
    struct sharc_store_warc w;
    int r = sharc_store_warcs(o->ctx->w.store, &rows, reterr);
    while (r >= 0 && (r = sharc_store_rows_next(rows, reterr)) > 0) {
        sharc_store_read_warc(rows, &w);
        const struct sharc_span file = sharc_archive_warc_file(w.name);
        if (!file.p) continue; /* lies elsewhere: cannot be read by name */
        SHARC_AUTO(sharc_freep) char *name = sharc_span_dup(file);
        *sharc_map64_at(files, (uint64_t)w.id) = 1 + (uint64_t)sharc__crawl_file(o, name);
    }
    return r < 0 ? r : 0;
}

bool sharc__crawl_earlier_version(struct pages *p, const struct sharc_store_page *row, const struct sharc_map64 *files,
                                  struct version *v)
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
    v->etag = sharc__crawl_pages_etag(p, row->visit.etag);
    v->size = (uint32_t)(row->visit.size > 0 && row->visit.size < UINT32_MAX ? row->visit.size : 0);
    return true;
}

static void keep_version(struct frontier *s, uint32_t page, const struct sharc_store_page *row,
                         const struct sharc_map64 *files)
{
    struct version v = sharc__crawl_pages_version(s->pages, page);
    if (!sharc__crawl_earlier_version(s->pages, row, files, &v)) return;
    sharc__crawl_pages_keep(s->pages, page, &v);
    sharc__crawl_note_version(s->journal, s->pages, page);
}

/* Nobody knows yet whether a page will show it again. */
static void keep_aside(struct frontier *s, const struct sharc_store_page *row, const struct sharc_map64 *files)
{
    struct version v = VERSION_NONE;
    if (sharc__crawl_earlier_version(s->pages, row, files, &v)) sharc__crawl_pages_set_aside(s->pages, row->url, &v);
}

static int read_pages(struct frontier *s, sharc_store_id capture, const struct sharc_map64 *files,
                      struct sharc_err *reterr)
{
    SHARC_AUTO(sharc_store_rows_freep) struct sharc_store_rows *rows = NULL;
    struct sharc_store_page_filter f = {.capture = capture, .answered = true, .by_slot = true};
    int r = sharc_store_pages(s->ctx->w.store, &f, &rows, reterr);
    while (r >= 0 && (r = sharc_store_rows_next(rows, reterr)) > 0) {
        struct sharc_store_page row;
        sharc_store_read_page(rows, &row);
        if (row.visit.slot < 0) { /* an embed: comes with its page */
            keep_aside(s, &row, files);
            continue;
        }
        struct finding found = FINDING(row.url, NO_PAGE, 'I');
        found.earlier = true;
        uint32_t page = sharc__crawl_found(s, &found);
        if (page != NO_PAGE && s->pages->page[page].state == PAGE_WAITING) keep_version(s, page, &row, files);
    }
    return r < 0 ? r : 0;
}

int sharc__crawl_earlier_pages(struct frontier *s, sharc_store_id capture, struct sharc_err *reterr)
{
    struct sharc_map64 files;
    sharc_map64_init(&files);
    int r = sharc__crawl_earlier_files(s->capture->out, &files, reterr);
    if (r == 0) r = read_pages(s, capture, &files, reterr);
    sharc_map64_done(&files);
    return r;
}

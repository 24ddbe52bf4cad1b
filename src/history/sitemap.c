/* SPDX-License-Identifier: Apache-2.0
 *
 * A sitemap as pages: what it says of each, and when each changed last.
 */
#include "history_int.h"

#include "sharc/base_file.h"
#include "sharc/extract.h"
#include "sharc/url.h"

#include <math.h>
#include <stdlib.h>

#define SITEMAP_BYTES_MAX (256u << 20)

static void add_entry(struct sharc_history *h, const struct sharc_page *from, const struct sharc_entry *e)
{
    if (e->link == SHARC_NO_LINK) return;
    struct sharc_history_page *page = sharc_history_add(h);
    page->url = sharc_arena_copy(&h->text, from->links[e->link].url);
    page->frequency = sharc_rate_changefreq_letter(e->frequency);
    if (e->priority >= 0) page->priority = (double)e->priority;
    if (e->modified == SHARC_TIME_NONE) return;
    page->age_now = fmax(h->end - (double)e->modified / SHARC_SEC, 0);
    /* lastmod is when it last changed: one event, then nothing. */
    sharc_rate_history_age(&page->seen, page->age_now, true);
    page->changes = 1;
    page->time = fmax(page->age_now, 1);
}

int sharc_history_sitemap(struct sharc_history *h, const char *path, const struct sharc_history_window *w,
                          struct sharc_err *reterr)
{
    SHARC_AUTO(sharc_buf_done) struct sharc_buf bytes = SHARC_BUF_INIT(SITEMAP_BYTES_MAX);
    SHARC_AUTO(sharc_page_done) struct sharc_page page = {0};
    SHARC_AUTO(sharc_url_done) struct sharc_url base = SHARC_URL_INIT;
    int r = sharc_file_read_any(path, &bytes, reterr);
    if (r == 0) r = sharc_url_parse(&base, SHARC_SPAN("http://sitemap.invalid/sitemap.xml"), NULL, reterr);
    const struct sharc_extract_input in = {.body = sharc_buf_span(&bytes),
                                           .url = &base,
                                           .content_type = SHARC_SPAN("application/xml"),
                                           .want = SHARC_WANT_LINKS};
    if (r == 0) r = sharc_extract(&page, &in, reterr);
    if (r < 0) return r;
    SHARC_FAIL_IF(page.type == SHARC_PAGE_SITEMAP_INDEX, reterr, SHARC_EINVAL,
                  "%s: an index of sitemaps; name one of the sitemaps it lists", path);
    SHARC_FAIL_IF(page.type != SHARC_PAGE_SITEMAP, reterr, SHARC_ESYNTAX,
                  "%s: neither a sitemap nor a directory with a dataset or an archive", path);
    h->kind = SHARC_HISTORY_SITEMAP;
    h->name = sharc_strdup(path);
    h->end = (double)(w->at == SHARC_TIME_NONE ? w->now : w->at) / SHARC_SEC;
    h->start = h->end;
    for (size_t i = 0; i < page.entry_count; i++) add_entry(h, &page, &page.entries[i]);
    return sharc__history_finish(h, reterr);
}

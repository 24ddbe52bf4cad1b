/* SPDX-License-Identifier: Apache-2.0
 *
 * pages PATH...: every page in WARC, ARC and WACZ files, or in the directories that hold
 * them, with its status and the number of its links.
 *
 *   cc -std=c17 pages.c $(pkg-config --cflags --libs sharc) -o pages
 */
#include <sharc/base_buf.h>
#include <sharc/extract.h>
#include <sharc/url.h>
#include <sharc/warc.h>
#include <sharc/warc_inputs.h>

#include <stdio.h>

/* The number of links of a response's body, or -1 when it cannot be read as a page. */
static long count_links(struct sharc_record *rec, const struct sharc_http *http, struct sharc_page *page,
                        struct sharc_buf *body)
{
    SHARC_AUTO(sharc_url_done) struct sharc_url url = SHARC_URL_INIT;
    sharc_buf_clear(body);
    if (sharc_url_parse(&url, rec->target, NULL, NULL) < 0) return -1;
    if (sharc_record_read_all(rec, SHARC_WARC_CONTENT, body, NULL) < 0) return -1;
    struct sharc_extract_input in = {
        .body = sharc_buf_span(body),
        .url = &url,
        .content_type = sharc_http_get(http, "Content-Type"),
        .want = SHARC_WANT_LINKS,
    };
    return sharc_extract(page, &in, NULL) < 0 ? -1 : (long)page->link_count;
}

static int list_file(const struct sharc_warc_input *input, struct sharc_err *err)
{
    const struct sharc_warc_options o = {.lenient = true, .types = SHARC_WARC_BIT(SHARC_WARC_RESPONSE)};
    SHARC_AUTO(sharc_warc_closep) struct sharc_warc *w = NULL;
    SHARC_AUTO(sharc_page_done) struct sharc_page page = {0};
    SHARC_AUTO(sharc_buf_done) struct sharc_buf body = SHARC_BUF_INIT(16 << 20);
    struct sharc_record rec;
    int r = sharc_warc_input_open(input, &o, &w, err);
    if (r < 0) return r;
    while ((r = sharc_warc_next(w, &rec, err)) > 0) {
        const struct sharc_http *http = sharc_record_http(&rec);
        if (http)
            printf("%d %4ld %.*s\n", http->status, count_links(&rec, http, &page, &body), SHARC_SPAN_ARG(rec.target));
    }
    return r;
}

int main(int argc, char **argv)
{
    SHARC_AUTO(sharc_warc_inputs_done) struct sharc_warc_inputs in = {0};
    struct sharc_err err = SHARC_ERR_INIT;
    int r = 0;
    for (int i = 1; i < argc && r == 0; i++) r = sharc_warc_inputs_add(&in, argv[i], &err);
    for (size_t i = 0; i < in.count && r == 0; i++) r = list_file(&in.items[i], &err);
    if (r < 0) fprintf(stderr, "pages: %s\n", err.text);
    return r < 0;
}

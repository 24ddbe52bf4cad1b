/* SPDX-License-Identifier: Apache-2.0
 *
 * Pages for the tests of room extract, and their links as one text.
 */
#ifndef SHARC_EXTRACT_TEST_H
#define SHARC_EXTRACT_TEST_H

#include "test.h"

#include "sharc/extract.h"

static inline void read_page(struct sharc_page *page, struct sharc_span body, const char *url, const char *type)
{
    struct sharc_url u = SHARC_URL_INIT;
    assert_int_equal(sharc_url_parse(&u, sharc_span_of(url), NULL, NULL), 0);
    assert_int_equal(
        sharc_extract(page, &(struct sharc_extract_input){.body = body, .url = &u, .content_type = sharc_span_of(type)},
                      NULL),
        0);
    sharc_url_done(&u);
}

static inline void read_html(struct sharc_page *page, const char *html)
{
    read_page(page, sharc_span_of(html), "http://h.org/d/p", "text/html; charset=utf-8");
}

/* "place url[ flags]\n" for every link. */
static inline void links_text(const struct sharc_page *page, struct sharc_buf *out)
{
    for (size_t i = 0; i < page->link_count; i++) {
        const struct sharc_link *l = &page->links[i];
        sharc_buf_printf(out, "%s %.*s", sharc_link_place_text(l->place), SHARC_SPAN_ARG(l->url));
        if (l->flags & SHARC_LINK_NOFOLLOW) sharc_buf_put_str(out, " nofollow");
        if (l->flags & SHARC_LINK_SPECULATIVE) sharc_buf_put_str(out, " speculative");
        if (l->flags & SHARC_LINK_LATENT) sharc_buf_put_str(out, " latent");
        sharc_buf_put_char(out, '\n');
        assert_int_equal(l->kind, sharc_link_place_kind(l->place));
        assert_true((size_t)l->at + l->n <= page->utf8.n);
    }
}

#define assert_links(page, want) assert_links_at((page), (want), __FILE__, __LINE__)
static inline void assert_links_at(const struct sharc_page *page, const char *want, const char *file, int line)
{
    struct sharc_buf b = SHARC_BUF_INIT(1u << 20);
    links_text(page, &b);
    bool same = sharc_span_is(sharc_buf_span(&b), want);
    if (!same) print_error("got\n%swant\n%s", sharc_buf_str(&b), want);
    sharc_buf_done(&b);
    if (!same) _fail(file, line);
}

#endif

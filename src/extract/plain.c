/* SPDX-License-Identifier: Apache-2.0
 *
 * Formats made of lines or less: robots.txt, sitemaps as lists of URLs, and the
 * links that stand uncompressed in a PDF.
 */
#include "extract_int.h"

#include "sharc/http_robots.h"

/* The next line without its end; CR, LF and CR LF end one. */
static bool next_line(struct sharc_span text, size_t *at, struct sharc_span *ret)
{
    if (*at >= text.n) return false;
    size_t end = *at;
    while (end < text.n && text.p[end] != '\n' && text.p[end] != '\r') end++;
    *ret = sharc__extract_trim(sharc_span_sub(text, *at, end));
    *at = end + 1;
    return true;
}

static void link_here(struct sharc__page_private *x, struct sharc_span url, enum sharc_link_place place)
{
    if (url.n) sharc__extract_page_link(x, url, place, sharc__extract_page_at(x, url.p), url.n, 0);
}

void sharc__extract_read_robots_txt(struct sharc__page_private *x)
{
    struct sharc_span line, url;
    for (size_t at = 0; next_line(x->page->utf8, &at, &line);)
        if (sharc_robots_sitemap_line(line, &url)) link_here(x, url, SHARC_FROM_ROBOTS_SITEMAP);
}

void sharc__extract_read_url_list(struct sharc__page_private *x)
{
    struct sharc_span line;
    for (size_t at = 0; next_line(x->page->utf8, &at, &line);) {
        if (!sharc_span_istarts(line, SHARC_SPAN("http://")) && !sharc_span_istarts(line, SHARC_SPAN("https://")))
            continue;
        struct sharc_entry *e = sharc__extract_page_entry(x);
        if (!e) return;
        e->link = sharc__extract_page_link(x, line, SHARC_FROM_SITEMAP, sharc__extract_page_at(x, line.p), line.n, 0);
    }
}

/* The string behind '(' with the PDF's escapes undone, to its ')'. False when
 * it has none within the length of a URL. *ret_end is where the look ended. */
static bool take_pdf_string(struct sharc_span pdf, size_t at, struct sharc_buf *out, size_t *ret_end)
{
    sharc_buf_clear(out);
    unsigned depth = 1;
    for (; at < pdf.n && out->n < SHARC_LIMIT_URL; at++) {
        char c = pdf.p[at];
        if (c == '(') depth++;
        if (c == ')' && --depth == 0) break;
        if (c == '\\' && at + 1 < pdf.n) c = pdf.p[++at];
        if (c != '\n' && c != '\r') sharc_buf_put_char(out, c);
    }
    *ret_end = at < pdf.n ? at : pdf.n;
    return depth == 0;
}

void sharc__extract_read_pdf(struct sharc__page_private *x)
{
    struct sharc_span pdf = x->page->utf8;
    for (size_t at = 0, end; at < pdf.n; at = end) {
        const char *hit = memmem(pdf.p + at, pdf.n - at, "/URI", 4);
        if (!hit) return;
        at = end = (size_t)(hit - pdf.p) + 4;
        while (at < pdf.n && sharc_is_space(pdf.p[at])) at++;
        if (at >= pdf.n || pdf.p[at] != '(') continue;
        if (take_pdf_string(pdf, at + 1, &x->leaf, &end))
            sharc__extract_page_link(x, sharc_buf_span(&x->leaf), SHARC_FROM_PDF, at + 1, end - at - 1, 0);
    }
}

/* SPDX-License-Identifier: Apache-2.0
 *
 * From a body to its reader: unpack, find the type, find the charset, convert,
 * read.
 */
#include "extract_int.h"
#include "sharc/base_codec.h"
#include "sharc/http.h"

#include <stdlib.h>

/* --- types -------------------------------------------------------------------------- */

enum family { F_UNKNOWN, F_HTML, F_XHTML, F_XML, F_SVG, F_CSS, F_SCRIPT, F_PDF, F_TEXT };

static const struct {
    struct sharc_span type;
    enum family family;
} media[] = {
    {SHARC_SPAN("text/html"), F_HTML},          {SHARC_SPAN("application/xhtml+xml"), F_XHTML},
    {SHARC_SPAN("image/svg+xml"), F_SVG},       {SHARC_SPAN("text/xml"), F_XML},
    {SHARC_SPAN("application/xml"), F_XML},     {SHARC_SPAN("text/css"), F_CSS},
    {SHARC_SPAN("application/json"), F_SCRIPT}, {SHARC_SPAN("application/pdf"), F_PDF},
    {SHARC_SPAN("text/plain"), F_TEXT},         {SHARC_SPAN("text/xsl"), F_XML},
};

static bool ends_like(struct sharc_span type, struct sharc_span end)
{
    return type.n >= end.n && sharc_span_ieq(sharc_span_from(type, type.n - end.n), end);
}

static enum family family_of_media(struct sharc_span type)
{
    for (size_t i = 0; i < SHARC_LENGTH(media); i++)
        if (sharc_span_ieq(type, media[i].type)) return media[i].family;
    if (ends_like(type, SHARC_SPAN("+xml"))) return F_XML; /* RSS, Atom */
    if (ends_like(type, SHARC_SPAN("+json"))) return F_SCRIPT;
    if (ends_like(type, SHARC_SPAN("javascript")) || ends_like(type, SHARC_SPAN("ecmascript"))) return F_SCRIPT;
    return F_UNKNOWN;
}

/* The path without ".gz". */
static struct sharc_span path_of(const struct sharc_url *url)
{
    struct sharc_span path = sharc_url_path(url);
    return sharc_span_ends(path, SHARC_SPAN(".gz")) ? sharc_span_sub(path, 0, path.n - 3) : path;
}

/* What the first bytes look like, for servers that say nothing. */
static enum family family_of_bytes(struct sharc_span body, const struct sharc_url *url)
{
    static const char *const html[] = {"<!doctype html", "<html", "<head", "<body", "<title", "<script", "<style",
                                       "<table",         "<div",  "<h1",   "<p",    "<a ",    "<br",     "<!--",
                                       "<iframe",        "<meta", "<link", "<b>",   "<font",  "<center"};
    if (sharc_span_starts(body, SHARC_SPAN("%PDF-"))) return F_PDF;
    if (sharc_span_starts(body, SHARC_SPAN("\xef\xbb\xbf"))) body = sharc_span_from(body, 3);
    body = sharc_span_trim(sharc_span_sub(body, 0, 1024));
    if (sharc_span_istarts(body, SHARC_SPAN("<?xml"))) return F_XML;
    for (size_t i = 0; i < SHARC_LENGTH(html); i++)
        if (sharc_span_istarts(body, sharc_span_of(html[i]))) return F_HTML;
    struct sharc_span path = path_of(url);
    if (sharc_span_ends(path, SHARC_SPAN(".css"))) return F_CSS;
    if (sharc_span_ends(path, SHARC_SPAN(".js")) || sharc_span_ends(path, SHARC_SPAN(".json"))) return F_SCRIPT;
    if (sharc_span_ends(path, SHARC_SPAN(".txt"))) return F_TEXT;
    if (sharc_span_ends(path, SHARC_SPAN(".xml"))) return F_XML;
    return F_UNKNOWN;
}

static bool looks_like_xml(struct sharc_span body)
{
    return sharc_span_starts(sharc_span_trim(sharc_span_sub(body, 0, 512)), SHARC_SPAN("<?xml"));
}

static enum family family_of(const struct sharc_extract_input *in, struct sharc_span body, bool unpacked)
{
    enum family f = unpacked ? F_UNKNOWN : family_of_media(sharc_http_media(in->content_type).type);
    if (f == F_UNKNOWN) f = family_of_bytes(body, in->url);
    if (f == F_TEXT && looks_like_xml(body)) f = F_XML;
    return f;
}

enum { LARGEST_STYLE = 1 << 20 }; /* of bytes that look like a program or a picture */

/* Pages without a doctype take what they link as a style sheet for one, whatever its type is. Nobody here knows how
 * this was linked: what may be a style sheet by its bytes is read as one, too. A script or XML is one only by its name.
 */
static bool may_be_style(enum family f, struct sharc_span text, const struct sharc_url *url)
{
    struct sharc_span path = path_of(url), begin = sharc_span_trim(sharc_span_sub(text, 0, 1024));
    if (f == F_CSS || f == F_PDF) return false;
    if (f == F_UNKNOWN && text.n > LARGEST_STYLE && sharc_span_find(begin, 0, 0) != SHARC_NPOS) return false;
    if (sharc_span_find(text, '{', 0) == SHARC_NPOS && sharc_span_find(text, '@', 0) == SHARC_NPOS) return false;
    if (sharc_span_ends(path, SHARC_SPAN(".css"))) return true;
    if (sharc_span_starts(begin, SHARC_SPAN("\xef\xbb\xbf"))) begin = sharc_span_trim(sharc_span_from(begin, 3));
    return f == F_TEXT || f == F_UNKNOWN || (f == F_HTML && !sharc_span_starts(begin, SHARC_SPAN("<")));
}

/* --- reading ------------------------------------------------------------------------- */

static void read_whole(struct sharc__page_private *x, enum family f)
{
    struct sharc__extract_source all = {x->page->utf8, 0, x->page->utf8.n, /* exact= */ true};
    if (f == F_CSS) {
        x->page->type = SHARC_PAGE_CSS;
        sharc__extract_read_css(x, &all, SHARC_FROM_CSS_URL, 0);
    } else if (f == F_SCRIPT) {
        x->page->type = SHARC_PAGE_SCRIPT;
        sharc__extract_read_script(x, &all, 0);
    } else if (f == F_PDF) {
        x->page->type = SHARC_PAGE_PDF;
        sharc__extract_read_pdf(x);
    }
}

static void read_text(struct sharc__page_private *x, const struct sharc_url *url)
{
    struct sharc_span path = path_of(url);
    if (sharc_span_is(path, "/robots.txt")) {
        x->page->type = SHARC_PAGE_ROBOTS;
        sharc__extract_read_robots_txt(x);
        return;
    }
    x->page->type = SHARC_PAGE_TEXT;
    if (sharc_span_search(path, SHARC_SPAN("sitemap")) != SHARC_NPOS) sharc__extract_read_url_list(x);
    if (!(x->want & SHARC_WANT_TEXT)) return;
    sharc__extract_text_put(x, &x->text, x->page->utf8, /* references= */ false);
    sharc__extract_text_mend(&x->text);
    x->page->text = sharc_buf_span(&x->text);
    if (!(x->want & SHARC_WANT_DATES)) return;
    sharc__extract_dates_of_text(x);
    sharc__extract_dates_finish(x->page);
}

/* The first element of what looks like XML decides: sitemaps and feeds are often
 * sent as HTML. */
static void read_markup(struct sharc__page_private *x, enum family f)
{
    enum sharc_page_type root = SHARC_PAGE_HTML;
    if (f != F_HTML || looks_like_xml(x->page->utf8)) root = sharc__extract_xml_type(x);
    if (root == SHARC_PAGE_UNKNOWN && (f == F_HTML || f == F_XHTML)) root = SHARC_PAGE_HTML;
    x->page->type = root;
    if (root == SHARC_PAGE_HTML)
        sharc__extract_read_html(x, f == F_HTML ? SHARC_HTML : SHARC_XML);
    else if (root == SHARC_PAGE_SVG)
        sharc__extract_read_html(x, SHARC_XML);
    else if (root != SHARC_PAGE_UNKNOWN)
        sharc__extract_read_xml(x);
}

/* --- preparing ------------------------------------------------------------------------- */

/* Memory of an earlier use is kept, everything else is as new. */
static struct sharc__page_private *prepare(struct sharc_page *page, unsigned want)
{
    struct sharc__page_private *x = page->private_;
    if (!x) {
        x = SHARC_NEW(struct sharc__page_private);
        sharc_arena_init(&x->arena, SHARC_LIMIT_PAGE_LINK_BYTES);
        sharc_buf_init(&x->unpacked, SHARC_LIMIT_PAGE_BYTES);
        sharc_buf_init(&x->utf8, SHARC_LIMIT_PAGE_BYTES);
        sharc_buf_init(&x->text, SHARC_LIMIT_PAGE_TEXT);
        sharc_buf_init(&x->title, 64u << 10);
        sharc_buf_init(&x->leaf, 64u << 10);
        sharc_buf_init(&x->value, SHARC_LIMIT_PAGE_BYTES);
        sharc_buf_init(&x->css, SHARC_LIMIT_PAGE_BYTES);
        sharc_buf_init(&x->script, SHARC_LIMIT_PAGE_BYTES);
    }
    struct sharc_page kept = *page;
    *page = (struct sharc_page){.links = kept.links,
                                .blocks = kept.blocks,
                                .dates = kept.dates,
                                .entries = kept.entries,
                                .canonical = SHARC_NO_LINK,
                                .refresh = SHARC_NO_LINK,
                                .modified = SHARC_TIME_NONE,
                                .private_ = x};
    sharc_arena_clear(&x->arena);
    sharc_buf_clear(&x->unpacked);
    sharc_buf_clear(&x->utf8);
    sharc_buf_clear(&x->text);
    sharc_buf_clear(&x->title);
    sharc_url_charset_freep(&x->charset);
    x->page = page;
    sharc__extract_page_no_links(x);
    x->has_base = false;
    x->gap = GAP_NONE;
    x->link_text = 0;
    if (!want) want = SHARC_WANT_ALL;
    if (want & (SHARC_WANT_BLOCKS | SHARC_WANT_DATES)) want |= SHARC_WANT_TEXT;
    x->want = want;
    return x;
}

static bool is_gzip(struct sharc_span body)
{
    return sharc_span_starts(body, SHARC_SPAN("\x1f\x8b\x08"));
}

/* A sitemap.xml.gz by its type; not each archive of software that is sent as bytes. */
static bool may_be_packed(struct sharc_span type)
{
    return !type.n || family_of_media(type) != F_UNKNOWN || sharc_span_search(type, SHARC_SPAN("gzip")) != SHARC_NPOS ||
           sharc_span_istarts(type, SHARC_SPAN("text/"));
}

static struct sharc_span unpack(struct sharc__page_private *x, struct sharc_span body)
{
    int r = sharc_decode(SHARC_GZIP, body, &x->unpacked, NULL);
    if (r == SHARC_ELIMIT)
        x->page->cut |= SHARC_CUT_BYTES;
    else if (r < 0)
        x->page->cut |= SHARC_CUT_DAMAGED;
    return sharc_buf_span(&x->unpacked);
}

/* Bytes that are UTF-8 by name are read as they are, so that offsets are those
 * of the body. */
static void convert(struct sharc__page_private *x, struct sharc_span body, struct sharc_span content_type)
{
    struct sharc_page *page = x->page;
    page->charset = sharc_extract_charset(body, content_type, &page->charset_from);
    page->utf8 = body;
    if (page->charset != SHARC_CHARSET_UTF_8) {
        if (sharc_charset_decode(page->charset, body, &x->utf8, NULL) < 0) page->cut |= SHARC_CUT_BYTES;
        page->utf8 = sharc_buf_span(&x->utf8);
        sharc_url_charset_new(sharc_span_of(sharc_charset_name(page->charset)), &x->charset, NULL);
    }
}

static int extract(struct sharc_page *page, const struct sharc_extract_input *in, unsigned depth,
                   struct sharc_err *reterr)
{
    SHARC_FAIL_IF(!in->url || !in->url->p || !sharc_url_is_http(in->url), reterr, SHARC_EINVAL,
                  "only pages with an http or https URL can be read for links");
    struct sharc__page_private *x = prepare(page, in->want);
    x->depth = depth;
    struct sharc_span body = in->body;
    bool unpacked = is_gzip(body) && may_be_packed(sharc_http_media(in->content_type).type);
    if (unpacked) body = unpack(x, body);
    if (body.n > SHARC_LIMIT_PAGE_BYTES) {
        body.n = SHARC_LIMIT_PAGE_BYTES;
        page->cut |= SHARC_CUT_BYTES;
    }
    sharc_url_copy(&x->base, in->url);
    enum family f = family_of(in, body, unpacked);
    if (f == F_PDF || f == F_UNKNOWN)
        page->utf8 = body;
    else
        convert(x, body, unpacked ? SHARC_SPAN_NONE : in->content_type);
    if (f == F_HTML || f == F_XHTML || f == F_XML || f == F_SVG)
        read_markup(x, f);
    else if (f == F_TEXT)
        read_text(x, in->url);
    else
        read_whole(x, f);
    if (may_be_style(f, page->utf8, in->url)) { /* not exact: nobody shall rewrite what may be something else */
        struct sharc__extract_source all = {page->utf8, 0, page->utf8.n, /* exact= */ false};
        sharc__extract_read_css(x, &all, SHARC_FROM_CSS_URL, 0);
        if (page->type == SHARC_PAGE_UNKNOWN && page->link_count > 0) page->type = SHARC_PAGE_CSS;
    }
    page->base = sharc_url_href(&x->base);
    return 0;
}

int sharc_extract(struct sharc_page *page, const struct sharc_extract_input *in, struct sharc_err *reterr)
{
    return extract(page, in, 0, reterr);
}

int sharc__extract_inner(struct sharc_page *page, const struct sharc_extract_input *in, unsigned depth)
{
    return extract(page, in, depth, NULL);
}

void sharc_page_done(struct sharc_page *page)
{
    struct sharc__page_private *x = page->private_;
    if (x) {
        struct sharc_buf *bufs[] = {&x->unpacked, &x->utf8,  &x->text, &x->title,
                                    &x->leaf,     &x->value, &x->css,  &x->script};
        for (size_t i = 0; i < SHARC_LENGTH(bufs); i++) sharc_buf_done(bufs[i]);
        sharc_arena_done(&x->arena);
        sharc_url_done(&x->base);
        sharc_url_done(&x->url);
        sharc_url_charset_free(x->charset);
        sharc__extract_blocks_free(x->blocks);
        free(x->known);
        free(x);
    }
    free(page->links);
    free(page->blocks);
    free(page->dates);
    free(page->entries);
    *page = (struct sharc_page){0};
}

static bool has_one_of(struct sharc_span text, const char *const *parts, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (sharc_span_search(text, sharc_span_of(parts[i])) != SHARC_NPOS) return true;
    return false;
}

/* What is no type, or says nothing ("application/octet-stream"), may be a page or a style sheet by its bytes. */
bool sharc_extract_is_worth(struct sharc_span type)
{
    static const char *const read[] = {"html", "xml", "javascript", "ecmascript", "json", "pdf", "rss", "css", "gzip"};
    static const char *const other[] = {"image/", "audio/", "video/",     "font/",  "model/", "zip", "vnd.",
                                        "msword", "font-",  "shockwave",  "java",   "x-tar",  "rar", "7z",
                                        "wasm",   "x-ms",   "postscript", "x-font", "ogg"};
    char lower[64];
    if (!sharc_http_media_essence(type).n || sharc_span_istarts(type, SHARC_SPAN("text/"))) return true;
    type = sharc_span_sub(type, 0, sizeof lower);
    for (size_t i = 0; i < type.n; i++) lower[i] = sharc_to_lower(type.p[i]);
    type = sharc_span(lower, type.n);
    return has_one_of(type, read, SHARC_LENGTH(read)) || !has_one_of(type, other, SHARC_LENGTH(other));
}

/* SPDX-License-Identifier: Apache-2.0 */
#include "extract_test.h"

#include "sharc/base_codec.h"

/* --- CSS ---------------------------------------------------------------------------- */

static const struct {
    const char *css, *links;
} css_cases[] = {
    {"a{b:url(x)} c{d:URL( \"y\" )} e{f:url('z z')}",
     "css/url() http://h.org/d/x\ncss/url() http://h.org/d/y\ncss/url() http://h.org/d/z%20z\n"},
    {"/* url(x) */ a{b:'url(y)'} c{d:url(/*e*/)}", "css/url() http://h.org/*e*/\n"},
    {"@import 'x'; @IMPORT url(y) screen; @import/**/\"z\"; @importer 'w';",
     "css/@import http://h.org/d/x\ncss/@import http://h.org/d/y\ncss/@import http://h.org/d/z\n"},
    {"a{b:url(x\\29 y\\)z)}", "css/url() http://h.org/d/x)y)z\n"},
    {"a{b:url(\"x\\\ny\")}", "css/url() http://h.org/d/xy\n"},
    {"a{b:url(x y)} c{d:url(z)}", "css/url() http://h.org/d/z\n"},
    {"a{b:image-set('x' 1x, \"y\" 2x type('image/png'), url(z) 3x)} c{content:'w'}",
     "css/url() http://h.org/d/x\ncss/url() http://h.org/d/y\ncss/url() http://h.org/d/z\n"},
    {"a{b:-webkit-image-set(url(x) 1x)} c{d:my-url(y)} e{f:curl(z)}", "css/url() http://h.org/d/x\n"},
    {"a{b:u\\72l(x)} @\\69mport 'y'; c{d:\\55 RL(z)} e{f:\\url(w)} g{h:u\\72 lx(v)} i{j:im\\61ge-set('u' 1x)}",
     "css/url() http://h.org/d/x\ncss/@import http://h.org/d/y\ncss/url() http://h.org/d/z\ncss/url() "
     "http://h.org/d/w\n"
     "css/url() http://h.org/d/u\n"},
    {"a{b:c\\", ""},
    {"@import 'x'\\", "css/@import http://h.org/d/x\n"},
    {"@font-face{src:url(x.woff2)format('woff2'),local('y')}", "css/url() http://h.org/d/x.woff2\n"},
    {"a{b:url(data:image/png;base64,xx)} @namespace 'http://n'; c{d:url()}", ""},
    {"a{b:url(x", "css/url() http://h.org/d/x\n"},
    {"a{b:url('x\n') c:url(y)}", "css/url() http://h.org/d/y\n"},
};

static void test_css(void **state)
{
    (void)state;
    struct sharc_page page = {0};
    for (size_t i = 0; i < SHARC_LENGTH(css_cases); i++) {
        read_page(&page, sharc_span_of(css_cases[i].css), "http://h.org/d/p", "text/css");
        assert_links(&page, css_cases[i].links);
        assert_int_equal(page.type, SHARC_PAGE_CSS);
    }
    sharc_page_done(&page);
}

/* --- scripts -------------------------------------------------------------------------- */

static void test_script_urls(void **state)
{
    (void)state;
    static const char *const urls[] = {
        "http://k.org", "https://k.org/a?b#c", "//k.org/x.js",       "/a/b",         "/ab/",
        "/page.html",   "/find?q=1",           "./x/y.css",          "../img/a.png", "pic.jpg",
        "js/app.js",    "dir/page.php?x=1",    "http://k.org:8080/x"};
    static const char *const others[] = {"text/html",
                                         "/",
                                         "//",
                                         "/i",
                                         "a/b",
                                         "hello.world",
                                         "x.js",
                                         "$.css",
                                         ".html",
                                         "/a b/c",
                                         "m/d/Y",
                                         "http://",
                                         "http://x",
                                         "//comment",
                                         "/[a-z]/g",
                                         "application/x-www-form-urlencoded",
                                         "http://www.w3.org/2000/svg",
                                         "1/2/3",
                                         "/{id}/x.html",
                                         "%s/x.html",
                                         "https://schema.org/Thing",
                                         "12.5",
                                         "a.b.c",
                                         "mailto:x@y.org",
                                         "/*/x/y*/",
                                         "#/a/b",
                                         "key:/a/b",
                                         "/a//b"};
    struct sharc_page page = {0};
    SHARC_AUTO(sharc_buf_done) struct sharc_buf b = SHARC_BUF_INIT(10000);
    for (size_t i = 0; i < SHARC_LENGTH(urls) + SHARC_LENGTH(others); i++) {
        bool is_url = i < SHARC_LENGTH(urls);
        const char *text = is_url ? urls[i] : others[i - SHARC_LENGTH(urls)];
        sharc_buf_clear(&b);
        sharc_buf_printf(&b, "f(\"%s\");", text);
        read_page(&page, sharc_buf_span(&b), "http://h.org/d/p", "text/javascript");
        if (page.link_count != is_url) print_error("\"%s\"\n", text);
        assert_int_equal(page.link_count, is_url);
        if (is_url) assert_int_equal(page.links[0].flags, SHARC_LINK_SPECULATIVE);
    }
    sharc_page_done(&page);
}

static const struct {
    const char *script, *links;
} script_cases[] = {
    {"// don't '/a/b.html'\nx = \"two words\", '/c/d.html'",
     "script/text() http://h.org/a/b.html speculative\nscript/text() http://h.org/c/d.html speculative\n"},
    {"x = '/a/b/' + id + '/c.html'; y = '/d/e' + z; w = '/f/g/'", "script/text() http://h.org/f/g/ speculative\n"},
    {"{\"u\":\"https:\\/\\/k.org\\/x\\u0026y\",\"v\":\"\\x2fa\\x2fb.html\"}",
     "script/text() https://k.org/x&y speculative\nscript/text() http://h.org/a/b.html speculative\n"},
    {"'it\\'s', '/a/b.html', `/c/${d}/e.html`, `/f/g.html`",
     "script/text() http://h.org/a/b.html speculative\nscript/text() http://h.org/f/g.html speculative\n"},
    {"'/a/b.html", ""},
};

static void test_script_context(void **state)
{
    (void)state;
    struct sharc_page page = {0};
    for (size_t i = 0; i < SHARC_LENGTH(script_cases); i++) {
        read_page(&page, sharc_span_of(script_cases[i].script), "http://h.org/d/p", "application/json");
        assert_links(&page, script_cases[i].links);
    }
    sharc_page_done(&page);
}

/* --- sitemaps, feeds, OAI ----------------------------------------------------------------- */

static const char sitemap[] =
    "<?xml version='1.0' encoding='UTF-8'?>\n<urlset xmlns='http://www.sitemaps.org/schemas/sitemap/0.9'>"
    "<url><loc> http://h.org/a?x=1&amp;y=2 </loc><lastmod>2009-05-03</lastmod><changefreq>Weekly</changefreq>"
    "<priority>0.8</priority><image:image><image:loc>/i.png</image:loc></image:image>"
    "<xhtml:link rel='alternate' hreflang='de' href='/de'/></url>"
    "<url><loc><![CDATA[http://h.org/b]]></loc><lastmod>2009-05-03T08:20:30Z</lastmod></url>"
    "<url><lastmod>never</lastmod></url></urlset>";

static void check_sitemap(const struct sharc_page *page)
{
    assert_int_equal(page->type, SHARC_PAGE_SITEMAP);
    assert_links(page, "sitemap/url http://h.org/a?x=1&y=2\nsitemap/image http://h.org/i.png\n"
                       "sitemap/link http://h.org/de\nsitemap/url http://h.org/b\n");
    assert_int_equal(page->entry_count, 3);
    const struct sharc_entry *e = page->entries;
    assert_int_equal(e[0].link, 0);
    assert_true(e[0].modified == 1241308800 * SHARC_SEC);
    assert_int_equal(e[0].frequency, 'w');
    assert_close((double)e[0].priority, 0.8, 1e-6);
    assert_int_equal(e[1].link, 3);
    assert_true(e[1].modified == 1241338830 * SHARC_SEC);
    assert_int_equal(e[1].frequency, 0);
    assert_true(e[1].priority < 0);
    assert_int_equal(e[2].link, SHARC_NO_LINK);
    assert_true(e[2].modified == SHARC_TIME_NONE);
}

static void test_sitemap(void **state)
{
    (void)state;
    struct sharc_page page = {0};
    static const char *const types[] = {"text/xml", "application/xml; charset=utf-8", "text/html", "text/plain", ""};
    for (size_t i = 0; i < SHARC_LENGTH(types); i++) {
        read_page(&page, sharc_span_of(sitemap), "http://h.org/sitemap.xml", types[i]);
        check_sitemap(&page);
    }
    struct sharc_deflate *deflate = sharc_deflate_new(6);
    SHARC_AUTO(sharc_buf_done) struct sharc_buf packed = SHARC_BUF_INIT(10000);
    sharc_deflate_member(deflate, sharc_span_of(sitemap), &packed);
    sharc_deflate_free(deflate);
    read_page(&page, sharc_buf_span(&packed), "http://h.org/sitemap.xml.gz", "application/x-gzip");
    check_sitemap(&page);
    read_page(&page, sharc_span(packed.p, packed.n - 20), "http://h.org/sitemap.xml.gz", "application/x-gzip");
    assert_true(page.cut & SHARC_CUT_DAMAGED);
    sharc_page_done(&page);
}

static void test_sitemap_index_and_list(void **state)
{
    (void)state;
    struct sharc_page page = {0};
    read_page(
        &page,
        SHARC_SPAN(
            "<sitemapindex><sitemap><loc>http://h.org/1.xml</loc><lastmod>2009</lastmod></sitemap></sitemapindex>"),
        "http://h.org/x.xml", "application/xml");
    assert_int_equal(page.type, SHARC_PAGE_SITEMAP_INDEX);
    assert_links(&page, "sitemapindex/sitemap http://h.org/1.xml\n");
    read_page(&page, SHARC_SPAN("http://h.org/a\r\nnot one\nhttps://h.org/b"), "http://h.org/sitemap.txt",
              "text/plain");
    assert_links(&page, "sitemap/url http://h.org/a\nsitemap/url https://h.org/b\n");
    assert_int_equal(page.entry_count, 2);
    assert_span(page.text, "http://h.org/a not one https://h.org/b");
    sharc_page_done(&page);
}

static void test_rss(void **state)
{
    (void)state;
    struct sharc_page page = {0};
    read_page(&page,
              SHARC_SPAN(
                  "<rss version='2.0'><channel><title>T &amp; U</title><link>http://h.org/</link>"
                  "<lastBuildDate>Sun, 03 May 2009 08:20:30 GMT</lastBuildDate>"
                  "<item><title><![CDATA[I<1]]></title><link>/a</link><guid isPermaLink='false'>http://g/1</guid>"
                  "<pubDate>Sun, 03 May 2009 08:20:30 GMT</pubDate><enclosure url='/m.mp3'/></item>"
                  "<item><guid>http://h.org/b</guid><dc:date>2009-05-03</dc:date></item></channel></rss>"),
              "http://h.org/feed", "application/rss+xml");
    assert_int_equal(page.type, SHARC_PAGE_FEED);
    assert_span(page.title, "T & U");
    assert_links(&page, "feed/link http://h.org/\nfeed/link http://h.org/a\nfeed/enclosure http://h.org/m.mp3\n"
                        "feed/link http://h.org/b\n");
    assert_int_equal(page.entry_count, 2);
    assert_span(page.entries[0].title, "I<1");
    assert_span(page.entries[0].id, "http://g/1");
    assert_int_equal(page.entries[0].link, 1);
    assert_int_equal(page.entries[1].link, 3);
    assert_true(page.entries[0].published == 1241338830 * SHARC_SEC);
    assert_true(page.modified == 1241338830 * SHARC_SEC);
    sharc_page_done(&page);
}

static void test_atom(void **state)
{
    (void)state;
    struct sharc_page page = {0};
    read_page(
        &page,
        SHARC_SPAN(
            "<feed xmlns='http://www.w3.org/2005/Atom'><title>T</title><link rel='self' href='/f'/><link href='/'/>"
            "<entry><id>urn:1</id><title>E</title><link rel='alternate' href='/e'/><link rel='enclosure' href='/x'/>"
            "<updated>2009-05-03T08:20:30Z</updated><published>2009-05-03</published></entry></feed>"),
        "http://h.org/feed", "application/atom+xml");
    assert_links(&page, "feed/link http://h.org/\nfeed/link http://h.org/e\nfeed/enclosure http://h.org/x\n");
    assert_span(page.entries[0].id, "urn:1");
    assert_int_equal(page.entries[0].link, 1);
    assert_true(page.entries[0].modified == 1241338830 * SHARC_SEC);
    assert_true(page.entries[0].published == 1241308800 * SHARC_SEC);
    sharc_page_done(&page);
}

static void test_oai(void **state)
{
    (void)state;
    struct sharc_page page = {0};
    read_page(
        &page,
        SHARC_SPAN(
            "<OAI-PMH><ListRecords><record><header><identifier>oai:h:1</identifier><datestamp>2009-05-03</datestamp>"
            "</header><metadata><oai_dc:dc><dc:identifier>http://h.org/1</dc:identifier><dc:identifier>isbn</"
            "dc:identifier>"
            "</oai_dc:dc></metadata></record><record><header status='deleted'><identifier>oai:h:2</identifier>"
            "<datestamp>2009-05-03T08:20:30Z</datestamp></header></record>"
            "<resumptionToken cursor='0'>next&amp;1</resumptionToken></ListRecords></OAI-PMH>"),
        "http://h.org/oai", "text/xml");
    assert_int_equal(page.type, SHARC_PAGE_OAI);
    assert_links(&page, "oai/identifier http://h.org/1\n");
    assert_int_equal(page.entry_count, 2);
    assert_span(page.entries[0].id, "oai:h:1");
    assert_int_equal(page.entries[0].link, 0);
    assert_false(page.entries[0].deleted);
    assert_span(page.entries[1].id, "oai:h:2");
    assert_true(page.entries[1].deleted);
    assert_true(page.entries[1].modified == 1241338830 * SHARC_SEC);
    assert_span(page.resumption, "next&1");
    sharc_page_done(&page);
}

/* Entities that a document declares are not expanded, nothing is fetched. */
static void test_xml_entities(void **state)
{
    (void)state;
    struct sharc_page page = {0};
    read_page(
        &page,
        SHARC_SPAN(
            "<?xml version='1.0'?><!DOCTYPE urlset [<!ENTITY a 'aaaa'><!ENTITY b '&a;&a;'>"
            "<!ENTITY f SYSTEM 'file:///etc/passwd'>]><urlset><url><loc>http://h.org/&b;&f;</loc></url></urlset>"),
        "http://h.org/s", "text/xml");
    assert_links(&page, "sitemap/url http://h.org/&b;&f;\n");
    sharc_page_done(&page);
}

/* --- the rest --------------------------------------------------------------------------- */

static void test_xml_base(void **state)
{
    (void)state;
    struct sharc_page page = {0};
    read_page(&page,
              SHARC_SPAN(
                  "<?xml version='1.0'?><feed xmlns='http://www.w3.org/2005/Atom' xml:base='http://k.org/a/'>"
                  "<link rel=next href='p2'/>"
                  "<entry><link href='one'/><content xml:base='http://no.org/'><link href='c'/></content></entry>"
                  "<entry xml:base='b/'><link href='two'/><link rel='enclosure' xml:base='/m/' href='x'/>"
                  "<link rel='enclosure' href='y'/></entry>"
                  "<entry xml:base='//[bad'><link href='three'/></entry>"
                  "<entry xml:base='http://l.org/'><link href='four'/>"
                  "<entry xml:base='z/'><link href='five'/></entry>"
                  "<entry><link href='six'/></entry></feed>"),
              "http://h.org/feed", "application/atom+xml");
    assert_int_equal(page.type, SHARC_PAGE_FEED);
    assert_links(&page,
                 "feed/link http://k.org/a/p2\nfeed/link http://k.org/a/one\nfeed/link http://k.org/a/c\n"
                 "feed/link http://k.org/a/b/two\nfeed/enclosure http://k.org/m/x\n"
                 "feed/enclosure http://k.org/a/b/y\nfeed/link http://k.org/a/three\nfeed/link http://l.org/four\n"
                 "feed/link http://k.org/a/z/five\nfeed/link http://k.org/a/six\n");
    sharc_page_done(&page);
}

/* People paste addresses with what stands around them. */
static void test_blanks_of_all_kinds(void **state)
{
    (void)state;
    struct sharc_page page = {0};
    read_page(&page,
              SHARC_SPAN("<urlset><url><loc>\xC2\xA0http://h.org/a\xE2\x80\x8B\n</loc><lastmod>&#160;2026-01-02 "
                         "</lastmod></url><url><loc>\xEF\xBB\xBF http://h.org/b&nbsp;</loc></url></urlset>"),
              "http://h.org/sitemap.xml", "application/xml");
    assert_links(&page, "sitemap/url http://h.org/a\nsitemap/url http://h.org/b\n");
    assert_int_equal(page.entries[0].modified, 1767312000 * SHARC_SEC);
    sharc_page_done(&page);
}

static void test_robots_txt(void **state)
{
    (void)state;
    struct sharc_page page = {0};
    read_page(&page,
              SHARC_SPAN("User-agent: *\nDisallow: /\nSITEMAP : /s.xml # here\r\rSitemap:http://k.org/t\n"
                         "Site-map: /u.xml\nSitemap /v.xml\n# Sitemap: /no"),
              "http://h.org/robots.txt", "text/plain");
    assert_int_equal(page.type, SHARC_PAGE_ROBOTS);
    assert_links(&page, "robots/sitemap http://h.org/s.xml\nrobots/sitemap http://k.org/t\n"
                        "robots/sitemap http://h.org/u.xml\nrobots/sitemap http://h.org/v.xml\n");
    sharc_page_done(&page);
}

static void test_pdf(void **state)
{
    (void)state;
    struct sharc_page page = {0};
    read_page(&page,
              SHARC_SPAN(
                  "%PDF-1.4\n<</S /URI /URI (http://k.org/a\\(b\\)c)>> /URI(http://k.org/\xff) /URI <00> /URI (open"),
              "http://h.org/x.pdf", "application/pdf");
    assert_int_equal(page.type, SHARC_PAGE_PDF);
    assert_links(&page, "pdf/uri http://k.org/a(b)c\npdf/uri http://k.org/%FF\n");
    sharc_page_done(&page);
}

static void test_svg_and_sniffing(void **state)
{
    (void)state;
    struct sharc_page page = {0};
    static const char svg[] =
        "<svg xmlns='x'><image xlink:href='a.png'/><style><![CDATA[b{c:url(d)}]]></style><text>t</text></svg>";
    read_page(&page, sharc_span_of(svg), "http://h.org/d/x.svg", "image/svg+xml");
    assert_int_equal(page.type, SHARC_PAGE_SVG);
    assert_links(&page, "svg/@href http://h.org/d/a.png\ncss/url() http://h.org/d/d\n");
    assert_span(page.text, "t");
    read_page(&page, SHARC_SPAN("\n <!DOCTYPE HTML><a href=x>"), "http://h.org/", "");
    assert_links(&page, "a/@href http://h.org/x\n");
    read_page(&page, SHARC_SPAN("<?xml version='1.0'?><html><a href=x></html>"), "http://h.org/", "text/html");
    assert_links(&page, "a/@href http://h.org/x\n");
    read_page(&page, SHARC_SPAN("a{b:url(c)}"), "http://h.org/x.css", "application/octet-stream");
    assert_links(&page, "css/url() http://h.org/c\n");
    read_page(&page, SHARC_SPAN("\x89PNG\r\n<a href=x>"), "http://h.org/x.png", "image/png");
    assert_int_equal(page.type, SHARC_PAGE_UNKNOWN);
    assert_links(&page, "");
    read_page(&page, SHARC_SPAN("<?xml version='1.0'?><other/>"), "http://h.org/x", "text/xml");
    assert_int_equal(page.type, SHARC_PAGE_UNKNOWN);
    sharc_page_done(&page);
}

static void test_refresh(void **state)
{
    (void)state;
    static const struct {
        const char *value, *url; /* NULL: none */
        unsigned seconds;
    } cases[] = {
        {"5;url=x", "x", 5}, {" 0 ; URL = 'x y' z", "x y", 0},
        {"3,x", "x", 3},     {"1.5;url=\"x", "x", 1},
        {"5", NULL, 0},      {"x;url=y", NULL, 0},
        {"5;url=", NULL, 0}, {".;url=x", "x", 0},
        {"5 url=x", "x", 5}, {"5x;url=y", NULL, 0},
    };
    for (size_t i = 0; i < SHARC_LENGTH(cases); i++) {
        struct sharc_extract_ref ref;
        unsigned seconds = 99;
        struct sharc_span v = sharc_span_of(cases[i].value);
        assert_int_equal(sharc_extract_refresh(v, &ref, &seconds), cases[i].url != NULL);
        if (!cases[i].url) continue;
        assert_span(sharc_span_sub(v, ref.at, ref.at + ref.n), cases[i].url);
        assert_int_equal(seconds, cases[i].seconds);
    }
}

/* What browsers take for a page or a style sheet has the parts of one, whatever its type says. */
static void test_types_as_browsers_read_them(void **state)
{
    (void)state;
    static const char page_text[] = "<!doctype html><img src=i>", style[] = "p{background:url(i)}",
                      xhtml[] = "<html xmlns='http://www.w3.org/1999/xhtml'><img src='i'/></html>";
    static const struct {
        const char *type, *body, *url, *links;
    } cases[] = {
        {"text/plain, text/html", page_text, "http://h.org/p", "img/@src http://h.org/i\n"},
        {"text/html, text/plain", page_text, "http://h.org/p", ""},
        {"*/*", page_text, "http://h.org/p", "img/@src http://h.org/i\n"},
        {"text", page_text, "http://h.org/p", "img/@src http://h.org/i\n"},
        {"text/html charset=utf-8", page_text, "http://h.org/p", "img/@src http://h.org/i\n"},
        {"text/xsl", xhtml, "http://h.org/p", "img/@src http://h.org/i\n"},
        {"APPLICATION/X+XML", xhtml, "http://h.org/p", "img/@src http://h.org/i\n"},
        {"text/plain", style, "http://h.org/s", "css/url() http://h.org/i\n"},
        {"text/html", style, "http://h.org/s", "css/url() http://h.org/i\n"},
        {"application/octet-stream", style, "http://h.org/s", "css/url() http://h.org/i\n"},
        {"text/javascript", style, "http://h.org/s.css", "css/url() http://h.org/i\n"},
        {"text/javascript", style, "http://h.org/s", ""},
        {"text/plain", "@import 'i';", "http://h.org/s", "css/@import http://h.org/i\n"},
        {"text/plain", "Plain words, url(i).", "http://h.org/s", ""},
    };
    for (size_t i = 0; i < SHARC_LENGTH(cases); i++) {
        struct sharc_page page = {0};
        read_page(&page, sharc_span_of(cases[i].body), cases[i].url, cases[i].type);
        assert_links(&page, cases[i].links);
        sharc_page_done(&page);
    }
    static const char nul[] = "/*\0*/p{background:url(i)}"; /* browsers read on behind a NUL */
    static const char *const types[] = {"text/plain", "application/octet-stream"};
    for (size_t i = 0; i < SHARC_LENGTH(types); i++) {
        struct sharc_page page = {0};
        read_page(&page, sharc_span(nul, sizeof nul - 1), "http://h.org/s", types[i]);
        assert_links(&page, "css/url() http://h.org/i\n");
        sharc_page_done(&page);
    }
    static const char *const worth[] = {"text/html",     "*/*", "text", "", "application/octet-stream",
                                        "image/svg+xml", "x/y"};
    static const char *const not [] = {"image/png", "VIDEO/mp4", "font/woff2", "application/zip", "application/wasm"};
    for (size_t i = 0; i < SHARC_LENGTH(worth); i++) assert_true(sharc_extract_is_worth(sharc_span_of(worth[i])));
    for (size_t i = 0; i < SHARC_LENGTH(not ); i++) assert_false(sharc_extract_is_worth(sharc_span_of(not [i])));
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(test_css),
    cmocka_unit_test(test_script_urls),
    cmocka_unit_test(test_script_context),
    cmocka_unit_test(test_sitemap),
    cmocka_unit_test(test_sitemap_index_and_list),
    cmocka_unit_test(test_rss),
    cmocka_unit_test(test_atom),
    cmocka_unit_test(test_oai),
    cmocka_unit_test(test_xml_entities),
    cmocka_unit_test(test_xml_base),
    cmocka_unit_test(test_blanks_of_all_kinds),
    cmocka_unit_test(test_robots_txt),
    cmocka_unit_test(test_pdf),
    cmocka_unit_test(test_svg_and_sniffing),
    cmocka_unit_test(test_refresh),
    cmocka_unit_test(test_types_as_browsers_read_them),
};
TEST_MAIN(tests)

/* SPDX-License-Identifier: Apache-2.0 */
#include "test.h"

#include "sharc/extract.h"
#include "sharc/replay.h"

#include <string.h>

/* Shows what was asked for: "<k:url>" with the first letter of the kind; a URL
 * that holds "keep" stays as it is. */
static int show(void *arg, const struct sharc_rewrite_ref *ref, struct sharc_buf *out)
{
    static const char letters[] = "nergb";
    struct sharc_span url = sharc_url_href(ref->url);
    if (arg) ++*(size_t *)arg;
    if (sharc_span_search(url, SHARC_SPAN("keep")) != SHARC_NPOS) return 0;
    if (ref->kind == SHARC_REWRITE_BASE) return 1;
    sharc_buf_printf(out, "%c:%.*s", letters[ref->kind], SHARC_SPAN_ARG(url));
    return 1;
}

static void rewrite(bool css, struct sharc_span page, enum sharc_charset charset, enum sharc_html_dialect dialect,
                    struct sharc_span head, struct sharc_buf *out)
{
    struct sharc_url url = SHARC_URL_INIT;
    struct sharc_err err = SHARC_ERR_INIT;
    assert_int_equal(sharc_url_parse(&url, SHARC_SPAN("http://h/d/p"), NULL, NULL), 0);
    struct sharc_rewrite how = {&url, charset, dialect, show, NULL, head};
    int r = css ? sharc_rewrite_css(page, &how, out, &err) : sharc_rewrite_html(page, &how, out, &err);
    if (r < 0) fail_msg("%s", err.text);
    sharc_url_done(&url);
}

static void expect_bytes(struct sharc_span page, struct sharc_span want, enum sharc_charset charset)
{
    SHARC_AUTO(sharc_buf_done) struct sharc_buf out = SHARC_BUF_INIT(1u << 20);
    rewrite(false, page, charset, SHARC_HTML, SHARC_SPAN_NONE, &out);
    if (!sharc_span_eq(sharc_buf_span(&out), want))
        fail_msg("%.*s\n  became %.*s\n  and not %.*s", SHARC_SPAN_ARG(page), SHARC_SPAN_ARG(sharc_buf_span(&out)),
                 SHARC_SPAN_ARG(want));
}

static void expect(const char *page, const char *want)
{
    expect_bytes(sharc_span_of(page), sharc_span_of(want), SHARC_CHARSET_UTF_8);
}

static void expect_same(const char *page)
{
    expect(page, page);
}

static void test_import_maps(void **state)
{
    (void)state;
    expect("<script type='importmap'>{\"imports\": {\"vue\": \"/v.js\", \"a/\": \"./a/\", \"b\": \"b\"}}</script>",
           "<script type='importmap'>{\"imports\": {\"vue\": \"e:http://h/v.js\", \"a/\": \"e:http://h/d/a/\", \"b\": "
           "\"b\"}}</script>");
    expect("<script type=importmap>{\"scopes\":{\"https://o/s/\":{\"x\":\"https:\\/\\/o\\/x.js\"}}}</script><a href=z>",
           "<script type=importmap>{\"scopes\":{\"e:https://o/s/\":{\"x\":\"https:\\/\\/o\\/x.js\"}}}</script>"
           "<a href=n:http://h/d/z>");
    expect_same("<script type=importmap>{\"x\": \"/unfinished</script>");
    expect_same("<script>var x = \"/v.js\"</script>");
    expect_same("<script type='application/ld+json'>{\"url\": \"/v.js\"}</script>");
}

static void test_referrers_are_told(void **state)
{
    (void)state;
    expect("<meta name=referrer content=no-referrer>", "<meta data-name=referrer content=no-referrer>");
    expect_same("<meta name=author content=x>");
    expect("<img src=i referrerpolicy=no-referrer>", "<img src=e:http://h/d/i data-referrerpolicy=no-referrer>");
}

static void test_link_targets(void **state)
{
    (void)state;
    static const char page[] =
        "<a href=x>1</a><a class=c target=_self href=x>2</a><a href=x target='_TOP'>3</a>"
        "<a target=_blank href=x>4</a><a target=main href=x>5</a><a href=#x>6</a>"
        "<form action=x></form><a href=mailto:x>7</a><blockquote cite=x><area href=x target=\"\">";
    static const char want[] =
        "<a target=\"_top\" href=n:http://h/d/x>1</a><a class=c data-target=_self target=\"_top\" "
        "href=n:http://h/d/x>2</a>"
        "<a target=\"_top\" href=n:http://h/d/x data-target='_TOP'>3</a><a target=_blank href=n:http://h/d/x>4</a>"
        "<a target=main href=n:http://h/d/x>5</a><a href=#x>6</a><form target=\"_top\" action=n:http://h/d/x></form>"
        "<a href=mailto:x>7</a><blockquote cite=n:http://h/d/x><area target=\"_top\" href=n:http://h/d/x "
        "data-target=\"\">";
    SHARC_AUTO(sharc_buf_done) struct sharc_buf out = SHARC_BUF_INIT(1u << 20);
    struct sharc_url url = SHARC_URL_INIT;
    assert_int_equal(sharc_url_parse(&url, SHARC_SPAN("http://h/d/p"), NULL, NULL), 0);
    struct sharc_rewrite how = {.url = &url, .fn = show, .link_target = SHARC_SPAN("_top")};
    how.charset = SHARC_CHARSET_UTF_8;
    assert_int_equal(sharc_rewrite_html(sharc_span_of(page), &how, &out, NULL), 0);
    assert_string_equal(sharc_buf_str(&out), want);
    sharc_url_done(&url);
}

static int show_use(void *arg, const struct sharc_rewrite_ref *ref, struct sharc_buf *out)
{
    (void)arg;
    sharc_buf_put_char(out, "ofcsi"[ref->use == SHARC_USE_SCRIPT ? 2 : ref->use == SHARC_USE_STYLE ? 3 : ref->use]);
    return 1;
}

static void test_uses(void **state)
{
    (void)state;
    static const char page[] =
        "<a href=x><iframe src=x></iframe><script src=x></script><link rel='next stylesheet' href=x>"
        "<link rel=preload as=script href=x><link rel='shortcut icon' href=x><img src=x srcset='x 2x'>"
        "<video src=x poster=x></video><link rel=canonical href=x><p style='background: url(x)'>"
        "<style>@import 'x';</style><svg><image href=x /></svg>";
    static const char want[] =
        "<a href=o><iframe src=f></iframe><script src=c></script><link rel='next stylesheet' href=s>"
        "<link rel=preload as=script href=c><link rel='shortcut icon' href=i><img src=i srcset='i 2x'>"
        "<video src=o poster=o></video><link rel=canonical href=o><p style='background: url(i)'>"
        "<style>@import 's';</style><svg><image href=i /></svg>";
    SHARC_AUTO(sharc_buf_done) struct sharc_buf out = SHARC_BUF_INIT(1u << 20);
    struct sharc_url url = SHARC_URL_INIT;
    assert_int_equal(sharc_url_parse(&url, SHARC_SPAN("http://h/d/p"), NULL, NULL), 0);
    struct sharc_rewrite how = {&url, SHARC_CHARSET_UTF_8, SHARC_HTML, show_use, NULL, SHARC_SPAN_NONE};
    assert_int_equal(sharc_rewrite_html(sharc_span_of(page), &how, &out, NULL), 0);
    assert_string_equal(sharc_buf_str(&out), want);
    sharc_url_done(&url);
}

static void test_attributes(void **state)
{
    (void)state;
    expect("<a href=x>", "<a href=n:http://h/d/x>");
    expect("<A class=b HREF = '../x?a&amp;b#f' id=\"c\">t</A>",
           "<A class=b HREF = 'n:http://h/x?a&amp;b#f' id=\"c\">t</A>");
    expect("<img src=\"//o/i.png\" alt='<a href=y>'>", "<img src=\"e:http://o/i.png\" alt='<a href=y>'>");
    expect("<script src=s.js></script>", "<script src=e:http://h/d/s.js></script>");
    expect("<link rel=stylesheet href=/s.css>", "<link rel=stylesheet href=e:http://h/s.css>");
    expect("<video poster=p src=v><source src=w><track src=t></video><object data=o></object><embed src=m>",
           "<video poster=e:http://h/d/p src=e:http://h/d/v><source src=e:http://h/d/w><track src=e:http://h/d/t>"
           "</video><object data=e:http://h/d/o></object><embed src=e:http://h/d/m>");
    expect(
        "<form action=a><button formaction=b><input type=image src=c></form>",
        "<form action=n:http://h/d/a><button formaction=n:http://h/d/b><input type=image src=e:http://h/d/c></form>");
    expect("<q cite=a><img longdesc=b data-src=c><td background=d><iframe src=e></iframe><frame src=f>",
           "<q cite=n:http://h/d/a><img longdesc=n:http://h/d/b data-src=g:http://h/d/c><td background=e:http://h/d/d>"
           "<iframe src=e:http://h/d/e></iframe><frame src=e:http://h/d/f>");
    expect(
        "<svg><use href=a#b /><image xlink:href='c'/><a xlink:href=d></a></svg><a xlink:href=e>",
        "<svg><use href=e:http://h/d/a#b /><image xlink:href='e:http://h/d/c'/><a xlink:href=n:http://h/d/d></a></svg>"
        "<a xlink:href=e>");
    expect("<a href=\"&#120;&quot;\">", "<a href=\"n:http://h/d/x%22\">");
    expect("<a href='it&#39;s'>", "<a href='n:http://h/d/it&#39;s'>");
    expect("<a href=it's>", "<a href=n:http://h/d/it&#39;s>");
    expect("<a href=\" \n x \">", "<a href=\"n:http://h/d/x\">");
}

static void test_left_alone(void **state)
{
    (void)state;
    expect_same("<a href=''><a href><a href=\"#top\"><a href=mailto:x><a href=javascript:y><img src=data:image/png,x>");
    expect_same("<!-- <a href=x> --><title><a href=x></title><textarea><a href=x></textarea>");
    expect_same("<script>a = '<a href=x>'</script>");
    expect_same("<a href=http://keep/x><a href='http://[bad'><div href=x data=y action=z src=w>");
    expect_same("text &amp; text \xff\r\n <a href=x"); /* a tag that the end cuts off is none */
    expect_same("<p style='color: red; content: \"(\"'><meta name=a content='0; url=x'>");
}

static void test_twice_the_first_counts(void **state)
{
    (void)state;
    expect("<a href=x href=y>", "<a href=n:http://h/d/x href=y>");
}

static void test_grammars(void **state)
{
    (void)state;
    expect("<img srcset='a 1x, b&#32;2x,c'>", "<img srcset='e:http://h/d/a 1x, e:http://h/d/b&#32;2x,e:http://h/d/c'>");
    expect("<source srcset=a,b>", "<source srcset=e:http://h/d/a,b>");
    expect(
        "<amp-img src=a srcset='b 2x'></amp-img><amp-iframe src=c></amp-iframe><amp-list src=d></amp-list>",
        "<amp-img src=e:http://h/d/a srcset='e:http://h/d/b 2x'></amp-img><amp-iframe src=e:http://h/d/c></amp-iframe>"
        "<amp-list src=d></amp-list>");
    expect("<link imagesrcset='a 2x'><img data-srcset='a 2x'>",
           "<link imagesrcset='e:http://h/d/a 2x'><img data-srcset='g:http://h/d/a 2x'>");
    expect("<meta http-equiv=Refresh content='3; url=x'>", "<meta http-equiv=Refresh content='3; url=r:http://h/d/x'>");
    expect("<meta content=\"0;URL='x&amp;y'\" http-equiv=&#82;efresh>",
           "<meta content=\"0;URL='r:http://h/d/x&amp;y'\" http-equiv=&#82;efresh>");
    expect("<p style=\"background: url( a.png ) , url(&quot;b.png&quot;)\">",
           "<p style=\"background: url( e:http://h/d/a.png ) , url(&quot;e:http://h/d/b.png&quot;)\">");
    expect("<p style=background:url(it\\'s)>", "<p style=background:url(e:http://h/d/it\\&#39;s)>");
    expect("<style>@import 'a.css'; b { background: url(c) } /* url(d) */</style>",
           "<style>@import 'e:http://h/d/a.css'; b { background: url(e:http://h/d/c) } /* url(d) */</style>");
    expect("<svg><style>@import &#39;a&amp;b&#39;;</style></svg>",
           "<svg><style>@import &#39;e:http://h/d/a&amp;b&#39;;</style></svg>");
    expect("<svg><style><![CDATA[ a{b:url(c&d)} ]]></style></svg>",
           "<svg><style><![CDATA[ a{b:url(e:http://h/d/c&d)} ]]></style></svg>");
    expect("<iframe srcdoc='&lt;a href=x title=\"y\">z&lt;/a>'></iframe>",
           "<iframe srcdoc='&lt;a href=n:http://h/d/x title=&quot;y&quot;&gt;z&lt;/a&gt;'></iframe>");
    expect_same("<iframe srcdoc='&lt;b title=\"y\">z&lt;/b>'></iframe>");
}

static void test_base(void **state)
{
    (void)state;
    expect("<a href=x><base href=/b/><a href=y><a href='#f'><base href=\"/c/\" target=t>",
           "<a href=n:http://h/b/x><base href=\"\"><a href=n:http://h/b/y><a href='n:http://h/b/#f'>"
           "<base href=\"\" target=t>");
    expect("<base target=t><a href=x>", "<base target=t><a href=n:http://h/d/x>");
    expect("<BASE href=//o/><a href=x>", "<BASE href=\"\"><a href=n:http://o/x>");
    expect("<!-- <base href=/b/> --><a href=x>", "<!-- <base href=/b/> --><a href=n:http://h/d/x>");
}

static void test_guards(void **state)
{
    (void)state;
    expect("<link href=x integrity=sha256-y crossorigin rel=stylesheet>",
           "<link href=e:http://h/d/x data-integrity=sha256-y data-crossorigin rel=stylesheet>");
    expect("<script crossOrigin='' src=x>", "<script data-crossOrigin='' src=e:http://h/d/x>");
    expect("<meta http-equiv='Content-Security-Policy' content=\"default-src 'none'\">",
           "<meta data-http-equiv='Content-Security-Policy' content=\"default-src 'none'\">");
    expect_same("<meta http-equiv=Content-Type content='text/html; charset=utf-8'>");
}

static void test_head(void **state)
{
    static const struct {
        const char *page, *want;
    } cases[] = {
        {"<!doctype html><html><head><title>", "<!doctype html><html><head>[]<title>"},
        {"\xef\xbb\xbf \n<!-- c --><html><HEAD profile=x> ", "\xef\xbb\xbf \n<!-- c --><html><HEAD profile=x>[] "},
        {"<!doctype html>\n<title>t", "<!doctype html>\n[]<title>t"},
        {"<html><body>b", "<html>[]<body>b"},
        {"text", "[]text"},
        {"", "[]"},
        {"<!-- only -->", "<!-- only -->[]"},
        {"<a href=x>", "[]<a href=n:http://h/d/x>"},
    };
    (void)state;
    for (size_t i = 0; i < SHARC_LENGTH(cases); i++) {
        SHARC_AUTO(sharc_buf_done) struct sharc_buf out = SHARC_BUF_INIT(1000);
        rewrite(false, sharc_span_of(cases[i].page), SHARC_CHARSET_UTF_8, SHARC_HTML, SHARC_SPAN("[]"), &out);
        assert_span(sharc_buf_span(&out), cases[i].want);
    }
    SHARC_AUTO(sharc_buf_done) struct sharc_buf out = SHARC_BUF_INIT(1000);
    rewrite(false, SHARC_SPAN("<html><head/></html>"), SHARC_CHARSET_UTF_8, SHARC_XML, SHARC_SPAN("[]"), &out);
    assert_span(sharc_buf_span(&out), "<html><head/></html>");
}

/* Every document that a browser makes of a page has it, where it must be for every script behind it. */
static void test_head_in_all(void **state)
{
    static const struct {
        const char *page, *want;
        enum sharc_html_dialect dialect;
    } cases[] = {
        {"<head><iframe srcdoc='<p>x'>", "<head>[]<iframe srcdoc='[]&lt;p&gt;x'>", SHARC_HTML},
        {"<head><iframe srcdoc=\"<html><head><iframe srcdoc='&lt;b>'>\">",
         "<head>[]<iframe srcdoc=\"&lt;html&gt;&lt;head&gt;[]&lt;iframe srcdoc=&#39;[]&amp;lt;b&amp;gt;&#39;&gt;\">",
         SHARC_HTML},
        {"<head><iframe srcdoc=''>", "<head>[]<iframe srcdoc=''>", SHARC_HTML},
        {"<?xml version='1.0'?><!-- <a> --><html xmlns='x'><head/></html>",
         "<?xml version='1.0'?><!-- <a> --><html xmlns='x'>[]<head/></html>", SHARC_XML},
        {"<!DOCTYPE svg [<!ENTITY a '<b>c</b>'>]><svg><image href='z'/></svg>",
         "<!DOCTYPE svg [<!ENTITY a '<b>c</b>'>]><svg>[]<image href='e:http://h/d/z'/></svg>", SHARC_XML},
        {"<svg/>", "<svg/>", SHARC_XML},
        {"", "", SHARC_XML},
    };
    struct sharc_url url = SHARC_URL_INIT;
    (void)state;
    assert_int_equal(sharc_url_parse(&url, SHARC_SPAN("http://h/d/p"), NULL, NULL), 0);
    for (size_t i = 0; i < SHARC_LENGTH(cases); i++) {
        SHARC_AUTO(sharc_buf_done) struct sharc_buf out = SHARC_BUF_INIT(1000);
        struct sharc_rewrite how = {.url = &url,
                                    .charset = SHARC_CHARSET_UTF_8,
                                    .dialect = cases[i].dialect,
                                    .fn = show,
                                    .head = SHARC_SPAN("[]"),
                                    .head_in_all = true};
        assert_int_equal(sharc_rewrite_html(sharc_span_of(cases[i].page), &how, &out, NULL), 0);
        assert_span(sharc_buf_span(&out), cases[i].want);
    }
    sharc_url_done(&url);
}

static void test_css(void **state)
{
    static const struct {
        const char *css, *want;
    } cases[] = {
        {"a{b:url(x)}", "a{b:url(e:http://h/d/x)}"},
        {"a{b:url('x y')}", "a{b:url('e:http://h/d/x%20y')}"},
        {"a{b:url(\"x'y\")}", "a{b:url(\"e:http://h/d/x'y\")}"},
        {"a{b:url(x\\29 y)}", "a{b:url(e:http://h/d/x\\)y)}"},
        {"@import url(x) screen; @import \"y\";", "@import url(e:http://h/d/x) screen; @import \"e:http://h/d/y\";"},
        {"a{b:image-set('x' 1x, url(y) 2x)}", "a{b:image-set('e:http://h/d/x' 1x, url(e:http://h/d/y) 2x)}"},
        {"a{b:url(#f);c:url(data:x)} /* url(x) */ d::after{content:'url(x)'}",
         "a{b:url(#f);c:url(data:x)} /* url(x) */ d::after{content:'url(x)'}"},
        {"a{b:url(x&amp;y)}", "a{b:url(e:http://h/d/x&amp;y)}"},
        {"a{b:url(", "a{b:url("},
    };
    (void)state;
    for (size_t i = 0; i < SHARC_LENGTH(cases); i++) {
        SHARC_AUTO(sharc_buf_done) struct sharc_buf out = SHARC_BUF_INIT(1000);
        rewrite(true, sharc_span_of(cases[i].css), SHARC_CHARSET_UTF_8, SHARC_HTML, SHARC_SPAN_NONE, &out);
        assert_span(sharc_buf_span(&out), cases[i].want);
    }
}

static void test_xml(void **state)
{
    (void)state;
    SHARC_AUTO(sharc_buf_done) struct sharc_buf out = SHARC_BUF_INIT(1000);
    rewrite(false, SHARC_SPAN("<?xml version=\"1.0\"?><svg><style>a{b:url(x&amp;y)}</style><image href=\"z\"/></svg>"),
            SHARC_CHARSET_UTF_8, SHARC_XML, SHARC_SPAN_NONE, &out);
    assert_span(sharc_buf_span(&out), "<?xml version=\"1.0\"?><svg><style>a{b:url(e:http://h/d/x&amp;y)}</style>"
                                      "<image href=\"e:http://h/d/z\"/></svg>");
}

/* Other charsets: the letters of the page stay as they are, those of a link go
 * into the URL as a browser would send them. */
static void test_charsets(void **state)
{
    (void)state;
    expect_bytes(SHARC_SPAN("\xe9<a href='\xe9?\xe9' title='\xe9'>"),
                 SHARC_SPAN("\xe9<a href='n:http://h/d/%C3%A9?%E9' title='\xe9'>"), SHARC_CHARSET_WINDOWS_1252);
    /* U+8868, whose second byte in Shift_JIS is a backslash, before a quote. */
    expect_bytes(SHARC_SPAN("<style>a{content:'\x95\x5c'} b{c:url(x)}</style>"),
                 SHARC_SPAN("<style>a{content:'\x95\x5c'} b{c:url(e:http://h/d/x)}</style>"), SHARC_CHARSET_SHIFT_JIS);
    expect_bytes(SHARC_SPAN("<a title='\x95\x5c' href='\x95\x5c?\x95\x5c'>"),
                 SHARC_SPAN("<a title='\x95\x5c' href='n:http://h/d/%E8%A1%A8?%95\\'>"), SHARC_CHARSET_SHIFT_JIS);
    expect_bytes(SHARC_SPAN("<p style='font:\"\xb3\x5c\"; b:url(x)'>"),
                 SHARC_SPAN("<p style='font:\"\xb3\x5c\"; b:url(e:http://h/d/x)'>"), SHARC_CHARSET_BIG5);
    /* ESC $ B 3 < ESC ( B: one letter, no tag. */
    expect_bytes(SHARC_SPAN("\x1b$B3<\x1b(B<a href=x>\x1b$B<a\x1b(B"),
                 SHARC_SPAN("\x1b$B3<\x1b(B<a href=n:http://h/d/x>\x1b$B<a\x1b(B"), SHARC_CHARSET_ISO_2022_JP);
    expect_bytes(SHARC_SPAN("<iframe srcdoc='\xe9&lt;a href=x>'>"),
                 SHARC_SPAN("<iframe srcdoc='&#xe9;&lt;a href=n:http://h/d/x&gt;'>"), SHARC_CHARSET_WINDOWS_1252);
}

static void test_utf16(void **state)
{
    (void)state;
    expect_bytes(SHARC_SPAN("\xff\xfe<\0a\0 \0h\0r\0e\0f\0=\0x\0>\0\xe9\0=\xd8\0\xde"),
                 SHARC_SPAN(
                     "\xff\xfe<\0a\0 \0h\0r\0e\0f\0=\0n\0:\0h\0t\0t\0p\0:\0/\0/\0h\0/\0d\0/\0x\0>\0\xe9\0=\xd8\0\xde"),
                 SHARC_CHARSET_UTF_16LE);
    expect_bytes(SHARC_SPAN("\0<\0a\0 \0h\0r\0e\0f\0=\0m\0a\0i\0l\0t\0o\0:\0>"),
                 SHARC_SPAN("\xfe\xff\0<\0a\0 \0h\0r\0e\0f\0=\0m\0a\0i\0l\0t\0o\0:\0>"), SHARC_CHARSET_UTF_16BE);
}

/* What the rewriter finds is what the extractor finds. */
static void test_finds_what_the_extractor_finds(void **state)
{
    static const char page[] =
        "<!doctype html><base href='/sub/'><link rel=stylesheet href=a.css><link rel=icon href=b>"
        "<style>@import 'c.css';d{e:url(f)}</style><a href=g>1</a><a href='h?i#k'>2</a>"
        "<img src=l srcset='m 1x, n 2x'><script src=o></script><video src=p poster=q></video>"
        "<p style='a:url(r)'><form action=s></form><meta http-equiv=refresh content='1;url=t'>"
        "<object data=u></object><svg><image href=v /></svg><iframe src=w></iframe>";
    (void)state;
    struct sharc_url url = SHARC_URL_INIT;
    SHARC_AUTO(sharc_buf_done) struct sharc_buf out = SHARC_BUF_INIT(1u << 16);
    SHARC_AUTO(sharc_page_done) struct sharc_page read = {0};
    size_t found = 0;
    assert_int_equal(sharc_url_parse(&url, SHARC_SPAN("http://h/d/p"), NULL, NULL), 0);
    struct sharc_rewrite how = {&url, SHARC_CHARSET_UTF_8, SHARC_HTML, show, &found, SHARC_SPAN_NONE};
    assert_int_equal(sharc_rewrite_html(sharc_span_of(page), &how, &out, NULL), 0);
    assert_int_equal(sharc_extract(&read, &(struct sharc_extract_input){.body = sharc_span_of(page), .url = &url},
                                   NULL),
                     0);
    assert_int_equal(read.link_count, 18);
    assert_int_equal(found, read.link_count + 1); /* and the base */
    for (size_t i = 0; i < read.link_count; i++)
        if (sharc_span_search(sharc_buf_span(&out), read.links[i].url) == SHARC_NPOS)
            fail_msg("%.*s is not there", SHARC_SPAN_ARG(read.links[i].url));
    sharc_url_done(&url);
}

/* Pages that were built to hurt: a third of a megabyte of one thing. */
static void test_hostile(void **state)
{
    static const struct {
        const char *start, *unit, *end;
    } cases[] = {
        {"<p style='", "url(&", "'>"},
        {"<p style='", "&#117;rl(a)", "'>"},
        {"<p style=\"", "\\", "\">"},
        {"<img srcset='", "a,", "'>"},
        {"<img srcset='", "&#44;a ", "'>"},
        {"<style>", "@import'a';", "</style>"},
        {"<style>", "url(", "</style>"},
        {"<svg><style>", "&lt;url(a)", "</style></svg>"},
        {"", "<base href=a>", ""},
        {"", "<base", ""},
        {"<a ", "href=b ", ">"},
        {"", "<a href=b", ""},
        {"<iframe srcdoc='", "&lt;iframe srcdoc=&quot;", "'>"},
        {"<iframe srcdoc='", "&lt;a href=b>", "'>"},
        {"<meta http-equiv=refresh content='", "0;", "'>"},
        {"<link integrity=x ", "crossorigin ", ">"},
    };
    (void)state;
    for (size_t i = 0; i < SHARC_LENGTH(cases); i++) {
        SHARC_AUTO(sharc_buf_done) struct sharc_buf page = SHARC_BUF_INIT(4u << 20), out = SHARC_BUF_INIT(256u << 20);
        sharc_buf_put_str(&page, cases[i].start);
        while (page.n < 300000) sharc_buf_put_str(&page, cases[i].unit);
        sharc_buf_put_str(&page, cases[i].end);
        rewrite(false, sharc_buf_span(&page), SHARC_CHARSET_UTF_8, SHARC_HTML, SHARC_SPAN_NONE, &out);
        sharc_buf_clear(&out);
        rewrite(false, sharc_buf_span(&page), SHARC_CHARSET_SHIFT_JIS, SHARC_XML, SHARC_SPAN_NONE, &out);
        sharc_buf_clear(&out);
        rewrite(true, sharc_buf_span(&page), SHARC_CHARSET_UTF_8, SHARC_HTML, SHARC_SPAN_NONE, &out);
    }
}

static void test_full(void **state)
{
    (void)state;
    struct sharc_url url = SHARC_URL_INIT;
    struct sharc_err err = SHARC_ERR_INIT;
    SHARC_AUTO(sharc_buf_done) struct sharc_buf out = SHARC_BUF_INIT(10);
    assert_int_equal(sharc_url_parse(&url, SHARC_SPAN("http://h/d/p"), NULL, NULL), 0);
    struct sharc_rewrite how = {&url, SHARC_CHARSET_UTF_8, SHARC_HTML, show, NULL, SHARC_SPAN_NONE};
    assert_int_equal(sharc_rewrite_html(SHARC_SPAN("<a href=x>"), &how, &out, &err), SHARC_ELIMIT);
    sharc_url_done(&url);
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(test_attributes),
    cmocka_unit_test(test_import_maps),
    cmocka_unit_test(test_referrers_are_told),
    cmocka_unit_test(test_uses),
    cmocka_unit_test(test_link_targets),
    cmocka_unit_test(test_left_alone),
    cmocka_unit_test(test_twice_the_first_counts),
    cmocka_unit_test(test_grammars),
    cmocka_unit_test(test_base),
    cmocka_unit_test(test_guards),
    cmocka_unit_test(test_head),
    cmocka_unit_test(test_head_in_all),
    cmocka_unit_test(test_css),
    cmocka_unit_test(test_xml),
    cmocka_unit_test(test_charsets),
    cmocka_unit_test(test_utf16),
    cmocka_unit_test(test_finds_what_the_extractor_finds),
    cmocka_unit_test(test_hostile),
    cmocka_unit_test(test_full),
};
TEST_MAIN(tests)

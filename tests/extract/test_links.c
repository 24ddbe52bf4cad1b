/* SPDX-License-Identifier: Apache-2.0 */
#include "extract_test.h"

static const struct {
    const char *html, *links;
} cases[] = {
    {"<a href=x>y</a><A HREF=' ../z?a=b#c '>", "a/@href http://h.org/d/x\na/@href http://h.org/z?a=b\n"},
    {"<a href='#top'><a href=''><a name=x><a href='p#q'>", "a/@href http://h.org/d/p\n"},
    {"<a href=mailto:x@y><a href=tel:1><a href='data:,x'><a href=ftp://h/>", ""},
    {"<a href='http://[bad'><a href='//k.org'>", "a/@href http://k.org/\n"},
    {"<a href='http://joe:secret@k.org/x#y'><img src=//joe@k.org/z>",
     "a/@href http://k.org/x\nimg/@src http://k.org/z\n"},
    {"<a rel='x NoFollow' href=/a><area href=/b>", "a/@href http://h.org/a nofollow\narea/@href http://h.org/b\n"},
    {"<a href='/a&amp;b&copy=1&quot;'>", "a/@href http://h.org/a&b&copy=1%22\n"},
    {"<img src=a longdesc=b lowsrc=c srcset='d 1x, e,f 2x , g(1,2)h 3w'>",
     "img/@src http://h.org/d/a\nimg/@srcset http://h.org/d/d\nimg/@srcset http://h.org/d/e,f\n"
     "img/@srcset http://h.org/d/g(1,2)h\nimg/@src http://h.org/d/c\n@longdesc http://h.org/d/b\n"},
    /* images that scripts load, as sites write them: lazysizes, WP Rocket, jQuery Lazy Load, Echo,
     * Avada, Revolution Slider, Flickity, lozad */
    {"<img src=a data-src=b.jpg data-srcset='c 2x'>",
     "img/@src http://h.org/d/a\nimg/@data-src http://h.org/d/b.jpg\nimg/@srcset http://h.org/d/c\n"},
    {"<img class=lazyload src='data:image/gif;base64,R0lGOD' data-src=/i/b.webp data-sizes=auto>",
     "img/@data-src http://h.org/i/b.webp\n"},
    {"<img src='data:,' data-lazy-src='/w/p.jpg?x=1&amp;y' data-lazy-srcset='/w/p.jpg 300w, /w/q.jpg 600w'>"
     "<noscript><img src=/w/p.jpg></noscript>",
     "img/@data-src http://h.org/w/p.jpg?x=1&y\nimg/@srcset http://h.org/w/p.jpg\nimg/@srcset http://h.org/w/q.jpg\n"
     "img/@src http://h.org/w/p.jpg latent\n"},
    {"<img data-original=//c.org/o.png><img data-echo=e/f.gif><img data-orig-src=g.jpg><img data-lazyload='h.jpg'>"
     "<img data-flickity-lazyload=i.jpg><img data-lazy=j.jpg>",
     "img/@data-src http://c.org/o.png\nimg/@data-src http://h.org/d/e/f.gif\nimg/@data-src http://h.org/d/g.jpg\n"
     "img/@data-src http://h.org/d/h.jpg\nimg/@data-src http://h.org/d/i.jpg\nimg/@data-src http://h.org/d/j.jpg\n"},
    {"<picture><source data-srcset='a.webp, b.webp 2x'><img data-src=c.jpg></picture>",
     "source/@srcset http://h.org/d/a.webp\nsource/@srcset http://h.org/d/b.webp\nimg/@data-src "
     "http://h.org/d/c.jpg\n"},
    {"<div data-bg=/b/a.jpg></div><section data-background-image='url(\"c.png\")'></section><a href=x "
     "data-bg='url(d)'>",
     "@background http://h.org/b/a.jpg\n@style http://h.org/d/c.png\n@style http://h.org/d/d\na/@href "
     "http://h.org/d/x\n"},
    {"<iframe data-src='https://v.org/e/1'></iframe><video data-src=m.mp4 data-poster=n.jpg></video>",
     "iframe/@src https://v.org/e/1\nvideo/@src http://h.org/d/m.mp4\nvideo/@poster http://h.org/d/n.jpg\n"},
    {"<img data-lazy=true data-src='{\"a\":\"b.c\"}' data-original='{{item.url}}'><div data-bg=dark "
     "data-background=#fff.>"
     "<script data-src=s.js></script><p data-src=q.jpg>",
     ""},
    {"<amp-img src=a srcset='b 2x' layout=fill><noscript><img src=a></noscript></amp-img><AMP-Anim src=c></amp-anim>"
     "<amp-video src=d poster=e><source src=f></amp-video><amp-audio src=g></amp-audio><amp-iframe src=/h></amp-iframe>"
     "<amp-video-iframe src=i poster=j></amp-video-iframe><amp-iframe srcdoc='&lt;img src=k>'></amp-iframe>",
     "img/@src http://h.org/d/a\nimg/@srcset http://h.org/d/b\nimg/@src http://h.org/d/a latent\nimg/@src "
     "http://h.org/d/c\n"
     "video/@src http://h.org/d/d\nvideo/@poster http://h.org/d/e\nsource/@src http://h.org/d/f\naudio/@src "
     "http://h.org/d/g\n"
     "iframe/@src http://h.org/h\niframe/@src http://h.org/d/i\nimg/@src http://h.org/d/k\n"},
    {"<amp-list src=a></amp-list><amp-imgs src=b></amp-imgs><x-amp-img src=c></x-amp-img><svg><amp-img src=d /></svg>",
     ""},
    {"<picture><source srcset=a><source src=b></picture><video src=c poster=d><track src=e></video><audio src=f>",
     "source/@srcset http://h.org/d/a\nsource/@src http://h.org/d/b\nvideo/@src http://h.org/d/c\n"
     "video/@poster http://h.org/d/d\ntrack/@src http://h.org/d/e\naudio/@src http://h.org/d/f\n"},
    {"<link rel=stylesheet href=a><link rel='shortcut icon' href=b><link rel=canonical href=c>"
     "<link rel=alternate href=d><link rel='alternate stylesheet' href=e><link rel=preload href=f imagesrcset='g 1x'>"
     "<link rel=manifest href=h><link rel=next href=i><link rel=dns-prefetch href=//j><link href=k>",
     "link[stylesheet]/@href http://h.org/d/a\nlink[icon]/@href http://h.org/d/b\nlink[canonical]/@href "
     "http://h.org/d/c\n"
     "link[alternate]/@href http://h.org/d/d\nlink[stylesheet]/@href http://h.org/d/e\nlink[preload]/@href "
     "http://h.org/d/f\n"
     "link/@imagesrcset http://h.org/d/g\nlink[manifest]/@href http://h.org/d/h\nlink/@href http://h.org/d/i\n"},
    {"<script src=a></script><iframe src=b></iframe><frame src=c><embed src=d><object data=e></object>"
     "<param name=Movie value=f><param name=x value=g><applet code=i codebase=/j/ archive=k></applet><a href=l>",
     "script/@src http://h.org/d/a\niframe/@src http://h.org/d/b\nframe/@src http://h.org/d/c\nembed/@src "
     "http://h.org/d/d\n"
     "object/@data http://h.org/d/e\nparam/@value http://h.org/d/f\napplet/@code http://h.org/j/i\n"
     "applet/@code http://h.org/j/k\na/@href http://h.org/d/l\n"},
    {"<form action=a><form method=post action=b><form method=GET action=c><input type=image src=d><input src=e>"
     "<button formaction=f></button><input formaction=g formmethod=post>",
     "form/@action http://h.org/d/a\nform/@action http://h.org/d/c\ninput/@src http://h.org/d/d\n@formaction "
     "http://h.org/d/f\n"},
    {"<body background=a><blockquote cite=b><q cite=c>",
     "@background http://h.org/d/a\n@cite http://h.org/d/b\n@cite http://h.org/d/c\n"},
    /* what paints a shape, and frames whose page stands in an attribute */
    {"<svg><rect fill='url(a.svg#p)' mask='url(\"b.svg#m\")' filter=url(#f)></svg><p fill='url(c.svg)'>",
     "svg/@href http://h.org/d/a.svg\nsvg/@href http://h.org/d/b.svg\n"},
    {"<iframe srcdoc='&lt;img src=a>&lt;a href=\"b\">x&lt;/a>'></iframe>",
     "img/@src http://h.org/d/a\na/@href http://h.org/d/b\n"},
    {"<base href=/e/><iframe srcdoc='<base href=/f/><style>@import \"c\"</style>'></iframe>",
     "css/@import http://h.org/f/c\n"},
    {"<iframe srcdoc='<iframe srcdoc=\"<iframe srcdoc=&amp;quot;<img src=d>&amp;quot;></iframe>\"></iframe>'></iframe>",
     "img/@src http://h.org/d/d\n"},
    {"<svg><a xlink:href=a><image href=b /><use xlink:href='c#d'/><use href='#e'/></svg><image src=f>",
     "a/@href http://h.org/d/a\nsvg/@href http://h.org/d/b\nsvg/@href http://h.org/d/c\nimg/@src http://h.org/d/f\n"},
    {"<p style='background: url(a)'><p style=\"x:url(&quot;b&quot;)\"><style>@import 'c'; x{y:url( d )}</style>",
     "@style http://h.org/d/a\n@style http://h.org/d/b\ncss/@import http://h.org/d/c\ncss/url() http://h.org/d/d\n"},
    {"<meta http-equiv=refresh content='5; URL=next'><meta http-equiv=Refresh content='0;other'>",
     "meta[refresh]/@content http://h.org/d/next\nmeta[refresh]/@content http://h.org/d/other\n"},
    {"<script>var a='/x/y.html', b=\"no url\", c='https:\\/\\/k.org\\/z';</script>",
     "script/text() http://h.org/x/y.html speculative\nscript/text() https://k.org/z speculative\n"},
    {"<a href=\"javascript:open('/x/y.html')\">", "script/text() http://h.org/x/y.html speculative\n"},
    {"<script type='text/template'>'/x/y.html'</script>", ""},
    {"<noscript><img src=a></noscript><template><a href=b></template><a href=c>",
     "img/@src http://h.org/d/a latent\na/@href http://h.org/d/b latent\na/@href http://h.org/d/c\n"},
    {"<title><a href=x></title><textarea><a href=y></textarea><!-- <a href=z> --><xmp><a href=w></xmp>", ""},
    {"<base href=/b/><a href=x><base href=/c/>", "a/@href http://h.org/b/x\n"},
    {"<a href=x><base target=y><base href='//k.org/b/c'><a href=z>",
     "a/@href http://k.org/b/x\na/@href http://k.org/b/z\n"},
    {"<base href='data:,x'><a href=x>", "a/@href http://h.org/d/x\n"},
};

static void test_places(void **state)
{
    (void)state;
    struct sharc_page page = {0};
    for (size_t i = 0; i < SHARC_LENGTH(cases); i++) {
        read_html(&page, cases[i].html);
        assert_links(&page, cases[i].links);
    }
    sharc_page_done(&page);
}

/* The bytes that a link was read from. */
static void test_offsets(void **state)
{
    (void)state;
    struct sharc_page page = {0};
    read_html(&page, "<a href='x'><img srcset='aa 1x, bb 2x'><p style='b:url(cc)'><style>@import \"dd\";</style>"
                     "<meta http-equiv=refresh content='1;url=ee'><script>'/f/gg.html'</script><a href='h&amp;i'>");
    static const char *const want[] = {"x", "aa", "bb", "cc", "dd", "ee", "/f/gg.html", "h&amp;i"};
    assert_int_equal(page.link_count, SHARC_LENGTH(want));
    for (size_t i = 0; i < SHARC_LENGTH(want); i++)
        assert_span(sharc_span(page.utf8.p + page.links[i].at, page.links[i].n), want[i]);
    sharc_page_done(&page);
}

static void test_counts(void **state)
{
    (void)state;
    struct sharc_page page = {0};
    read_html(&page, "<html lang=de><meta name=robots content='noindex, NoArchive'><link rel=canonical href=/c>"
                     "<meta http-equiv=refresh content='7;url=r'>"
                     "<a href=1><a href=#2><a name=3><img><img src=x><table><table><form><script></script>");
    assert_span(page.lang, "de");
    assert_int_equal(page.robots, SHARC_ROBOTS_NOINDEX | SHARC_ROBOTS_NOARCHIVE);
    assert_int_equal(page.anchors, 2);
    assert_int_equal(page.images, 2);
    assert_int_equal(page.tables, 2);
    assert_int_equal(page.forms, 1);
    assert_int_equal(page.scripts, 1);
    assert_span(page.links[page.canonical].url, "http://h.org/c");
    assert_span(page.links[page.refresh].url, "http://h.org/d/r");
    assert_int_equal(page.refresh_seconds, 7);
    assert_int_equal(page.links[page.refresh].kind, SHARC_LINK_REDIRECT);
    assert_span(page.base, "http://h.org/d/p");
    sharc_page_done(&page);
}

static void test_wants(void **state)
{
    (void)state;
    struct sharc_page page = {0};
    struct sharc_url u = SHARC_URL_INIT;
    sharc_url_parse(&u, SHARC_SPAN("http://h.org/"), NULL, NULL);
    struct sharc_extract_input in = {.body = SHARC_SPAN("<a href=x>t</a><script>'/a/b.html'</script>"),
                                     .url = &u,
                                     .content_type = SHARC_SPAN("text/html"),
                                     .want = SHARC_WANT_LINKS};
    assert_int_equal(sharc_extract(&page, &in, NULL), 0);
    assert_links(&page, "a/@href http://h.org/x\n");
    assert_int_equal(page.text.n, 0);
    assert_int_equal(page.block_count, 0);
    in.want = SHARC_WANT_TEXT;
    assert_int_equal(sharc_extract(&page, &in, NULL), 0);
    assert_links(&page, "");
    assert_span(page.text, "t");
    sharc_url_parse(&u, SHARC_SPAN("file:///x"), NULL, NULL);
    struct sharc_err err = SHARC_ERR_INIT;
    assert_int_equal(sharc_extract(&page, &in, &err), SHARC_EINVAL);
    sharc_url_done(&u);
    sharc_page_done(&page);
}

static bool is_repeated(const struct sharc_page *page, size_t i)
{
    return page->links[i].flags & SHARC_LINK_REPEATED;
}

static void test_repeated(void **state)
{
    (void)state;
    struct sharc_page page = {0};
    SHARC_AUTO(sharc_buf_done) struct sharc_buf html = SHARC_BUF_INIT(8u << 20);
    read_html(&page, "<a href=x>1</a><a href='x#y'>2</a><img src=x><a href=x rel=nofollow>3</a><a href=./x>4</a>");
    assert_int_equal(page.link_count, 5);
    assert_false(is_repeated(&page, 0));
    assert_true(is_repeated(&page, 1));
    assert_false(is_repeated(&page, 2)); /* another place */
    assert_false(is_repeated(&page, 3)); /* another flag */
    assert_true(is_repeated(&page, 4));
    /* Few or many, and afresh when a base behind the links changes them all. */
    for (unsigned n = 1; n <= 20000; n *= 7) {
        sharc_buf_clear(&html);
        for (unsigned round = 0; round < 2; round++) {
            for (unsigned i = 0; i < n; i++) sharc_buf_printf(&html, "<a href=p%u>", i);
        }
        sharc_buf_put_str(&html, "<base href=/d/>");
        read_html(&page, html.p);
        assert_int_equal(page.link_count, 2 * n);
        unsigned wrong = 0;
        for (size_t i = 0; i < page.link_count; i++) wrong += is_repeated(&page, i) != (i >= n);
        assert_true(wrong <= n / 1000); /* the table looks at few places */
    }
    sharc_page_done(&page);
}

static void test_robots(void **state)
{
    (void)state;
    assert_int_equal(sharc_extract_robots(SHARC_SPAN("none"), SHARC_SPAN_NONE),
                     SHARC_ROBOTS_NOINDEX | SHARC_ROBOTS_NOFOLLOW);
    assert_int_equal(sharc_extract_robots(SHARC_SPAN("all"), SHARC_SPAN_NONE), 0);
    assert_int_equal(sharc_extract_robots(SHARC_SPAN("otherbot: noindex, nofollow"), SHARC_SPAN("sharc")), 0);
    assert_int_equal(sharc_extract_robots(SHARC_SPAN("noarchive, SHARC: nofollow"), SHARC_SPAN("sharc")),
                     SHARC_ROBOTS_NOARCHIVE | SHARC_ROBOTS_NOFOLLOW);
    assert_int_equal(sharc_extract_robots(SHARC_SPAN("unavailable_after: 25 Jun 2030, noindex"), SHARC_SPAN_NONE),
                     SHARC_ROBOTS_NOINDEX);
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(test_places), cmocka_unit_test(test_offsets), cmocka_unit_test(test_counts),
    cmocka_unit_test(test_wants),  cmocka_unit_test(test_robots),  cmocka_unit_test(test_repeated),
};
TEST_MAIN(tests)

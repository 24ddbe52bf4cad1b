/* SPDX-License-Identifier: Apache-2.0 */
#include "extract_test.h"

#include "sharc/base_rng.h"

static const struct {
    const char *html, *text;
} cases[] = {
    {"  a \n\t b&nbsp; c ", "a b c"},
    {"<title>t</title>a<b>b</b>c <i> d</i>", "abc d"},
    {"<p>a<p>b<br>c<div>d</div>e<span>f</span>", "a\nb\nc\nd\nef"},
    {"<ul><li>a<li>b</ul><table><tr><td>c<td>d</table>", "a\nb\nc\nd"},
    {"a<script>x</script><style>y</style><!--z--><noscript>n</noscript><template>t</template>b", "ab"},
    {"a<p hidden>x<p>b", "a\nb"},
    {"a<div hidden>x<div>y</div>z</div>b<span style='x:y; DISPLAY : none'>w</span>c", "a\nbc"},
    {"<img hidden>a<x-y hidden>b</x-y>c", "ac"},
    {"<textarea>a&lt;<b></textarea><iframe>x</iframe><xmp><c></xmp>", "a<<b>\n<c>"},
    {"&lt;&eacute;&#8364;\xc2\xa0x\xc2\xa9", "<\xc3\xa9\xe2\x82\xac x\xc2\xa9"},
    {"a\xff"
     "b",
     "a?b"},
    {"<svg><title>t</title><text>u</text></svg>v", "t\nuv"},
};

static void test_visible(void **state)
{
    (void)state;
    struct sharc_page page = {0};
    for (size_t i = 0; i < SHARC_LENGTH(cases); i++) {
        read_html(&page, cases[i].html);
        assert_span(page.text, cases[i].text);
    }
    sharc_page_done(&page);
}

/* White space folds the same whatever stands around it, and in whatever stride. */
static void test_folding(void **state)
{
    (void)state;
    static const struct {
        const char *html, *text; /* text NULL: white space */
    } parts[] = {{"a", "a"},
                 {"word", "word"},
                 {"a longer run of words", "a longer run of words"},
                 {" ", NULL},
                 {"  ", NULL},
                 {"\n", NULL},
                 {"\t\r\f", NULL},
                 {"\xc2\xa0", NULL},
                 {"&nbsp;", NULL},
                 {"-", "-"},
                 {"\xc2\xa9", "\xc2\xa9"},
                 {"&amp;", "&"},
                 {"& ", "& "},
                 {"\x01", "\x01"}};
    struct sharc_page page = {0};
    struct sharc_rng r;
    SHARC_AUTO(sharc_buf_done) struct sharc_buf html = SHARC_BUF_INIT(65536), text = SHARC_BUF_INIT(65536);
    sharc_rng_init(&r, 3);
    for (int round = 0; round < 3000; round++) {
        bool gap = false;
        sharc_buf_clear(&html);
        sharc_buf_clear(&text);
        sharc_buf_put_str(&html, "<p>");
        for (size_t n = sharc_rng_below(&r, 30); n > 0; n--) {
            size_t i = sharc_rng_below(&r, SHARC_LENGTH(parts));
            sharc_buf_put_str(&html, parts[i].html);
            gap |= !parts[i].text;
            if (!parts[i].text) continue;
            if (gap && text.n) sharc_buf_put_char(&text, ' ');
            sharc_buf_put(&text, sharc_span_trim(sharc_span_of(parts[i].text)));
            gap = sharc_span_ends(sharc_span_of(parts[i].text), SHARC_SPAN(" "));
        }
        read_html(&page, html.p);
        assert_span(page.text, text.n ? text.p : "");
    }
    sharc_page_done(&page);
}

static void test_title(void **state)
{
    (void)state;
    struct sharc_page page = {0};
    read_html(&page, "<svg><title>no</title></svg><title> A\n &amp;  B </title><title>C</title>");
    assert_span(page.title, "A & B");
    read_html(&page, "x");
    assert_int_equal(page.title.n, 0);
    read_page(&page,
              SHARC_SPAN(
                  "<?xml version='1.0'?><html><head><title/><title>X</title></head><body><script/>y</body></html>"),
              "http://h.org/", "application/xhtml+xml");
    assert_span(page.title, "X");
    assert_span(page.text, "y");
    sharc_page_done(&page);
}

/* --- blocks ------------------------------------------------------------------------ */

static void blocks_text(const struct sharc_page *page, struct sharc_buf *out)
{
    uint32_t at = 0;
    for (size_t i = 0; i < page->block_count; i++) {
        const struct sharc_block *b = &page->blocks[i];
        assert_true(b->text_at >= at); /* they follow each other, white space between them apart */
        for (; at < b->text_at; at++) assert_true(sharc_is_space(page->text.p[at]));
        at += b->text_n;
        if (i) assert_int_equal(b->at, page->blocks[i - 1].at + page->blocks[i - 1].n);
        sharc_buf_printf(out, "%s %u/%u %.*s\n", sharc_block_role_text(b->role), b->links, b->images,
                         (int)(b->text_n < 8 ? b->text_n : 8), page->text.p + b->text_at);
    }
    assert_int_equal(at, page->text.n);
}

static void assert_blocks(struct sharc_page *page, const char *html, const char *want)
{
    SHARC_AUTO(sharc_buf_done) struct sharc_buf b = SHARC_BUF_INIT(100000);
    read_html(page, html);
    blocks_text(page, &b);
    assert_span(sharc_buf_span(&b), want);
}

static void test_roles(void **state)
{
    (void)state;
    struct sharc_page page = {0};
    assert_blocks(&page,
                  "<header>Head <nav><a href=1>one</a> <a href=2>two</a></nav> more</header>"
                  "<main>Main <img src=x><article><header>inner</header>text</article><aside>Side</aside>rest</main>"
                  "<footer>Foot</footer>",
                  "header 0/0 Head\nnavigation 2/0 one two\nheader 0/0 more\nmain 0/1 Main\ninn\nside 0/0 Side\n"
                  "main 0/0 rest\nfooter 0/0 Foot\n");
    assert_int_equal(page.links[0].block, 1);
    assert_int_equal(page.links[2].block, 3);
    assert_blocks(&page,
                  "<div id=header>H<div class='x nav'>N</div></div><div role=main>M<div class=footer>m</div></div>"
                  "<div id=sidebar>S<div class=content>s</div></div><td id=footer>F",
                  "header 0/0 H\nnavigation 0/0 N\nmain 0/0 M\nm\nside 0/0 S\ns\nfooter 0/0 F\n");
    assert_blocks(&page, "", "");
    assert_blocks(&page, "just text", "main 0/0 just tex\n");
    sharc_page_done(&page);
}

static void put_words(struct sharc_buf *b, const char *word, int n)
{
    for (int i = 0; i < n; i++) sharc_buf_printf(b, "%s ", word);
}

/* Pages of nothing but <div>: large subtrees become blocks, links make a menu. */
static void test_large_subtrees(void **state)
{
    (void)state;
    struct sharc_page page = {0};
    SHARC_AUTO(sharc_buf_done) struct sharc_buf b = SHARC_BUF_INIT(100000), got = SHARC_BUF_INIT(10000);
    sharc_buf_put_str(&b, "<div><div>");
    for (int i = 0; i < 30; i++) sharc_buf_printf(&b, "<a href=%d>entry %d</a> ", i, i);
    sharc_buf_put_str(&b, "</div><div>");
    put_words(&b, "alpha", 100);
    sharc_buf_put_str(&b, "</div><div>");
    put_words(&b, "beta", 60);
    sharc_buf_put_str(&b, "</div>tail</div>");
    read_html(&page, sharc_buf_str(&b));
    blocks_text(&page, &got);
    assert_span(sharc_buf_span(&got), "navigation 30/0 entry 0 \nmain 0/0 alpha al\nother 0/0 beta bet\n");
    sharc_page_done(&page);
}

static void test_too_many_blocks(void **state)
{
    (void)state;
    struct sharc_page page = {0};
    SHARC_AUTO(sharc_buf_done) struct sharc_buf b = SHARC_BUF_INIT(1u << 20), got = SHARC_BUF_INIT(1u << 20);
    for (int i = 0; i < 1000; i++) sharc_buf_printf(&b, "<nav>n%d</nav><main>m%d</main>", i, i);
    read_html(&page, sharc_buf_str(&b));
    blocks_text(&page, &got);
    assert_int_equal(page.block_count, SHARC_LIMIT_PAGE_BLOCKS);
    assert_true(page.cut & SHARC_CUT_BLOCKS);
    sharc_page_done(&page);
}

/* --- dates --------------------------------------------------------------------------- */

static const struct {
    const char *html, *date; /* NULL: none */
} dates[] = {
    {"<meta property=article:modified_time content='2009-05-03T10:20:30+02:00'>", "2009-05-03T08:20:30Z"},
    {"<meta http-equiv=Last-Modified content='Sun, 03 May 2009 08:20:30 GMT'>", "2009-05-03T08:20:30Z"},
    {"<script type='application/ld+json'>{\"dateModified\" : \"2009-05-03\"}</script>", "2009-05-03T00:00:00Z"},
    {"<time itemprop=dateModified datetime=2009-05-03>", "2009-05-03T00:00:00Z"},
    {"<time class='entry updated' datetime=2009-05-03>", "2009-05-03T00:00:00Z"},
    {"<time datetime=2009-05-03>", NULL},
    {"<meta name=date content=2009-05-03>", NULL},
    {"<p>Last modified: 3 May 2009</p>", "2009-05-03T00:00:00Z"},
    {"<p>Page last <b>updated</b> on Sunday, May 3rd, 2009 at 10:00", "2009-05-03T10:00:00Z"},
    {"Updated: 2009-05-03", "2009-05-03T00:00:00Z"},
    {"last change 5/13/2009", "2009-05-13T00:00:00Z"},
    {"last change 05/03/2009", NULL}, /* May or March? */
    {"Zuletzt ge&auml;ndert am 3. Mai 2009", "2009-05-03T00:00:00Z"},
    {"Stand: 3.5.2009", "2009-05-03T00:00:00Z"},
    {"Derni\xc3\xa8re mise \xc3\xa0 jour : 3 ao\xc3\xbbt 2009", "2009-08-03T00:00:00Z"},
    {"last modified by nobody in particular, as far as anybody knows; born 3 May 2009", NULL},
    {"last modified 31 February 2009", NULL},
    {"unmodified 3 May 2009", NULL},
    {"Updated 3 May 2009 <meta property=article:modified_time content=2008-01-01>", "2008-01-01T00:00:00Z"},
    {"Updated 3 May 2009. Updated 4 May 2009. Updated 2 May 2009", "2009-05-04T00:00:00Z"},
};

static void test_dates(void **state)
{
    (void)state;
    struct sharc_page page = {0};
    char text[SHARC_TIME_TEXT];
    for (size_t i = 0; i < SHARC_LENGTH(dates); i++) {
        read_html(&page, dates[i].html);
        if (!dates[i].date && page.modified != SHARC_TIME_NONE) print_error("%s\n", dates[i].html);
        if (!dates[i].date)
            assert_true(page.modified == SHARC_TIME_NONE);
        else if (page.modified == SHARC_TIME_NONE)
            fail_msg("no date in %s", dates[i].html);
        else
            assert_string_equal(sharc_time_iso(page.modified, 0, text), dates[i].date);
    }
    read_html(&page, "<time datetime=2009-05-03></time><meta name=date content='2009-05-03T01:00Z'>");
    assert_int_equal(page.date_count, 2);
    assert_int_equal(page.dates[0].place, SHARC_DATE_TIME);
    assert_true(page.dates[0].day_only);
    assert_int_equal(page.dates[1].place, SHARC_DATE_META_PUBLISHED);
    assert_false(page.dates[1].day_only);
    sharc_page_done(&page);
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(test_visible), cmocka_unit_test(test_folding),        cmocka_unit_test(test_title),
    cmocka_unit_test(test_roles),   cmocka_unit_test(test_large_subtrees), cmocka_unit_test(test_too_many_blocks),
    cmocka_unit_test(test_dates),
};
TEST_MAIN(tests)

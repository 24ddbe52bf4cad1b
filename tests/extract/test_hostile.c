/* SPDX-License-Identifier: Apache-2.0
 *
 * Pages built to cost much. There is no stopwatch here: each of these takes
 * milliseconds when time is linear and minutes when it is not.
 */
#include "extract_test.h"

#define MEGA (1u << 20)

/* Read n times `piece` as HTML (and as what else it may be), reusing one page. */
static void read_many(struct sharc_page *page, const char *head, const char *piece, size_t bytes, const char *type)
{
    SHARC_AUTO(sharc_buf_done) struct sharc_buf b = SHARC_BUF_INIT(64 * MEGA);
    sharc_buf_put_str(&b, head);
    while (b.n < bytes) sharc_buf_put_str(&b, piece);
    read_page(page, sharc_buf_span(&b), "http://h.org/d/p", type);
}

static void test_repeated_pieces(void **state)
{
    (void)state;
    static const char *const pieces[] = {
        "<div>",
        "</main>",
        "<div></main>",
        "<a ",
        "<",
        "</",
        "<!",
        "<!-",
        "<!--",
        "-",
        "--",
        "&",
        "&#",
        "&#1",
        "&a",
        "<svg>",
        "</svg>",
        "<svg><title>",
        "<math><mi>",
        "<![CDATA[",
        "]]",
        "<title>",
        "</title",
        "<script>",
        "<!--<script>",
        "</script",
        "<style>",
        "</style",
        "<plaintext>",
        "=",
        "\"",
        "'",
        "<a b=\"",
        "<a b='>",
        "<p hidden>",
        "<td>",
        "<table><td>",
        "<base href=/>",
        "<base href=x>",
        "<a href=x>",
        "<meta name=date content=2009-01-01>",
        "<time datetime=2009-01-01>",
        "<nav>",
        "<nav></nav>x",
        "<select><option>",
        "<br/>",
        "last modified ",
        "updated 1 ",
        "\xc2",
        "\xff",
        " ",
        "x",
        "<x-y hidden>",
        "</x-y>",
        "<form>",
        "<li hidden><li>",
        "<template>",
        "<noscript>",
    };
    struct sharc_page page = {0};
    for (size_t i = 0; i < SHARC_LENGTH(pieces); i++) read_many(&page, "", pieces[i], MEGA / 4, "text/html");
    for (size_t i = 0; i < SHARC_LENGTH(pieces); i++)
        read_many(&page, "<?xml?>", pieces[i], MEGA / 4, "application/xhtml+xml");
    sharc_page_done(&page);
}

static void test_repeated_in_other_formats(void **state)
{
    (void)state;
    static const char *const css[] = {"/*", "*/",         "url(", "url('", "@import ", "\\",
                                      "'",  "image-set(", "a",    "(",     "url(x)",   "url( "};
    static const char *const scripts[] = {"'", "'a", "\"", "\\", "\\'", "'/a", "'/a/b'", "'\\u", "`", "'+", "/"};
    static const char *const xml[] = {"<url>",          "<loc>", "<url><loc>x", "<!DOCTYPE [",
                                      "<!DOCTYPE x [>", "]>",    "<item>",      "<![CDATA["};
    static const char *const pdf[] = {"/URI", "/URI(", "/URI (\\", "(", ")"};
    struct sharc_page page = {0};
    for (size_t i = 0; i < SHARC_LENGTH(css); i++) read_many(&page, "", css[i], MEGA / 4, "text/css");
    for (size_t i = 0; i < SHARC_LENGTH(scripts); i++) read_many(&page, "", scripts[i], MEGA / 4, "text/javascript");
    for (size_t i = 0; i < SHARC_LENGTH(xml); i++) {
        read_many(&page, "<urlset>", xml[i], MEGA / 4, "text/xml");
        read_many(&page, "<rss>", xml[i], MEGA / 4, "text/xml");
    }
    for (size_t i = 0; i < SHARC_LENGTH(pdf); i++) read_many(&page, "%PDF-", pdf[i], MEGA / 4, "application/pdf");
    sharc_page_done(&page);
}

static void test_nesting(void **state)
{
    (void)state;
    struct sharc_page page = {0};
    read_many(&page, "", "<div>", 400000 * 5, "text/html");
    assert_int_equal(page.block_count, 0);
    SHARC_AUTO(sharc_buf_done) struct sharc_buf b = SHARC_BUF_INIT(64 * MEGA);
    for (int i = 0; i < 100000; i++) sharc_buf_put_str(&b, "<div>text of some length in it ");
    for (int i = 0; i < 100000; i++) sharc_buf_put_str(&b, "</div>");
    read_page(&page, sharc_buf_span(&b), "http://h.org/", "text/html");
    assert_true(page.block_count > 0);
    sharc_page_done(&page);
}

static void test_limits(void **state)
{
    (void)state;
    struct sharc_page page = {0};
    read_many(&page, "", "<a href=x>", (SHARC_LIMIT_LINKS_PER_PAGE + 10) * 10, "text/html");
    assert_int_equal(page.link_count, SHARC_LIMIT_LINKS_PER_PAGE);
    assert_true(page.cut & SHARC_CUT_LINKS);
    assert_true(page.anchors > SHARC_LIMIT_LINKS_PER_PAGE);
    read_many(&page, "", "<time datetime=2009-01-01>", 100 * 26, "text/html");
    assert_int_equal(page.date_count, SHARC_LIMIT_PAGE_DATES);
    assert_true(page.cut & SHARC_CUT_DATES);
    read_many(&page, "<a", " b=c", 2000 * 4, "text/html");
    read_many(&page, "", "word ", SHARC_LIMIT_PAGE_TEXT + 100000, "text/html");
    assert_true(page.cut & SHARC_CUT_TEXT);
    assert_true(page.text.n <= SHARC_LIMIT_PAGE_TEXT);
    read_many(&page, "", "x", MEGA, "text/html"); /* and the next page is as if nothing had been */
    assert_int_equal(page.cut, 0);
    assert_int_equal(page.text.n, MEGA);
    sharc_page_done(&page);
}

static void test_long_urls(void **state)
{
    (void)state;
    struct sharc_page page = {0};
    SHARC_AUTO(sharc_buf_done) struct sharc_buf b = SHARC_BUF_INIT(64 * MEGA);
    sharc_buf_put_str(&b, "<a href='/");
    for (int i = 0; i < 1000000; i++) sharc_buf_put_char(&b, 'x');
    sharc_buf_put_str(&b, "'><img src='data:image/png;base64,");
    for (int i = 0; i < 1000000; i++) sharc_buf_put_char(&b, 'x');
    sharc_buf_put_str(&b, "'><a href=y>");
    read_page(&page, sharc_buf_span(&b), "http://h.org/", "text/html");
    assert_links(&page, "a/@href http://h.org/y\n");
    assert_int_equal(page.bad_links, 1);
    assert_int_equal(page.other_schemes, 1);
    sharc_page_done(&page);
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(test_repeated_pieces), cmocka_unit_test(test_repeated_in_other_formats),
    cmocka_unit_test(test_nesting),         cmocka_unit_test(test_limits),
    cmocka_unit_test(test_long_urls),
};
TEST_MAIN(tests)

/* SPDX-License-Identifier: Apache-2.0 */
#include "extract_test.h"

/* --- labels and conversion (room base) ------------------------------------------------- */

static void test_labels(void **state)
{
    (void)state;
    enum sharc_charset c;
    static const struct {
        const char *label;
        enum sharc_charset charset;
    } known[] = {
        {"utf8", SHARC_CHARSET_UTF_8},
        {" ISO-8859-1 ", SHARC_CHARSET_WINDOWS_1252},
        {"latin1", SHARC_CHARSET_WINDOWS_1252},
        {"us-ascii", SHARC_CHARSET_WINDOWS_1252},
        {"x-sjis", SHARC_CHARSET_SHIFT_JIS},
        {"GB2312", SHARC_CHARSET_GBK},
        {"big5-hkscs", SHARC_CHARSET_BIG5},
        {"ks_c_5601-1987", SHARC_CHARSET_EUC_KR},
        {"hz-gb-2312", SHARC_CHARSET_REPLACEMENT},
    };
    for (size_t i = 0; i < SHARC_LENGTH(known); i++) {
        assert_int_equal(sharc_charset_of(sharc_span_of(known[i].label), &c), 0);
        assert_int_equal(c, known[i].charset);
    }
    assert_int_equal(sharc_charset_of(SHARC_SPAN("klingon"), &c), SHARC_ENOENT);
    assert_int_equal(sharc_charset_of(SHARC_SPAN(""), &c), SHARC_ENOENT);
    assert_int_equal(sharc_charset_of(SHARC_SPAN("a-label-that-is-far-too-long-to-be-one"), &c), SHARC_ENOENT);
    for (int i = 0; i < SHARC_CHARSET_COUNT; i++) { /* every name is a label of itself */
        assert_int_equal(sharc_charset_of(sharc_span_of(sharc_charset_name((enum sharc_charset)i)), &c), 0);
        assert_int_equal(c, i);
    }
}

static void test_decoding(void **state)
{
    (void)state;
    static const struct {
        const char *label;
        struct sharc_span bytes;
        const char *utf8;
    } cases[] = {
        {"windows-1252", SHARC_SPAN("\x80\x81 \xe4"), "€\xc2\x81 ä"},
        {"iso-8859-16", SHARC_SPAN("\xa4\xaa"), "€Ș"},
        {"koi8-u", SHARC_SPAN("\xae\xd0"), "ўп"},
        {"ibm866", SHARC_SPAN("\x80\x1a"), "А\x1a"},
        {"windows-874", SHARC_SPAN("\xa1\xdb"), "ก\xef\xbf\xbd"},
        {"windows-1255", SHARC_SPAN("\xca\xe0"), "ֺא"},
        {"shift_jis", SHARC_SPAN("\x83\x65\x83\x58\x83\x67"), "テスト"},
        {"euc-jp", SHARC_SPAN("\xa5\xc6\xa5\xb9\xa5\xc8"), "テスト"},
        {"iso-2022-jp", SHARC_SPAN("\x1b$B%F%9%H\x1b(B!"), "テスト!"},
        {"euc-kr", SHARC_SPAN("\xc7\xd1"), "한"},
        {"gbk", SHARC_SPAN("\xb2\xe2\xca\xd4"), "测试"},
        {"gb18030", SHARC_SPAN("\x94\x39\xda\x33"), "💩"},
        {"big5", SHARC_SPAN("\xb4\xfa\xb8\xd5"), "測試"},
        {"utf-16le",
         SHARC_SPAN("\xff\xfe"
                    "a\0\x3d\xd8\x00\xde"),
         "a😀"},
        {"utf-16be", SHARC_SPAN("\0a\xd8\x3d"), "a\xef\xbf\xbd"},
        {"utf-8",
         SHARC_SPAN("\xef\xbb\xbf"
                    "a\xc3\xa4\xff"
                    "b\xe2\x82"),
         "aä\xef\xbf\xbd"
         "b\xef\xbf\xbd"},
        {"x-user-defined", SHARC_SPAN("a\x80"), "a\xef\x9e\x80"},
        {"replacement", SHARC_SPAN("abc"), "\xef\xbf\xbd"},
        {"shift_jis", SHARC_SPAN("\x83"), "\xef\xbf\xbd"},
        {"macintosh", SHARC_SPAN(""), ""},
    };
    for (size_t i = 0; i < SHARC_LENGTH(cases); i++) {
        SHARC_AUTO(sharc_buf_done) struct sharc_buf b = SHARC_BUF_INIT(1000);
        enum sharc_charset c;
        assert_int_equal(sharc_charset_of(sharc_span_of(cases[i].label), &c), 0);
        assert_int_equal(sharc_charset_decode(c, cases[i].bytes, &b, NULL), 0);
        assert_span(sharc_buf_span(&b), cases[i].utf8);
    }
}

static void test_decoding_limit(void **state)
{
    (void)state;
    struct sharc_err err = SHARC_ERR_INIT;
    for (int i = 0; i < SHARC_CHARSET_COUNT; i++) { /* every one of them works, stops, and says so */
        SHARC_AUTO(sharc_buf_done) struct sharc_buf b = SHARC_BUF_INIT(2);
        assert_int_equal(sharc_charset_decode((enum sharc_charset)i, SHARC_SPAN("\xb0\xa1\xb0\xa1\xb0\xa1\xb0\xa1"), &b,
                                              &err),
                         SHARC_ELIMIT);
    }
}

static void test_guess(void **state)
{
    (void)state;
    int certainty;
    assert_int_equal(sharc_charset_guess(SHARC_SPAN("plain"), &certainty), SHARC_CHARSET_UTF_8);
    assert_int_equal(certainty, 100);
    assert_int_equal(sharc_charset_guess(SHARC_SPAN("\xc3\xa4 and a cut \xe2\x82"), NULL), SHARC_CHARSET_UTF_8);
    static const char russian[] = "\xef\xe4\xe8\xed \xe8\xe7 \xf1\xe0\xec\xfb\xf5 \xef\xf0\xee\xf1\xf2\xfb\xf5 "
                                  "\xf1\xef\xee\xf1\xee\xe1\xee\xe2 \xef\xf0\xee\xe2\xe5\xf0\xe8\xf2\xfc "
                                  "\xea\xee\xe4\xe8\xf0\xee\xe2\xea\xf3 \xf2\xe5\xea\xf1\xf2\xe0";
    assert_int_equal(sharc_charset_guess(sharc_span_of(russian), NULL), SHARC_CHARSET_WINDOWS_1251);
    SHARC_AUTO(sharc_buf_done) struct sharc_buf b = SHARC_BUF_INIT(1000);
    for (int i = 0; i < 10; i++) /* "A test page. Japanese" in Shift_JIS */
        sharc_buf_put(&b,
                      SHARC_SPAN("\x83\x65\x83\x58\x83\x67\x82\xcc\x83\x79\x81\x5b\x83\x57\x82\xc5\x82\xb7\x81\x42\x93"
                                 "\xfa\x96\x7b\x8c\xea\x0a"));
    assert_int_equal(sharc_charset_guess(sharc_buf_span(&b), NULL), SHARC_CHARSET_SHIFT_JIS);
}

/* --- which one is it? (room extract) ----------------------------------------------------- */

static const struct {
    const char *body, *type;
    enum sharc_charset charset;
    enum sharc_charset_from from;
} cases[] = {
    {"\xef\xbb\xbf<meta charset=gbk>", "text/html; charset=koi8-r", SHARC_CHARSET_UTF_8, SHARC_CHARSET_FROM_BOM},
    {"<meta charset=gbk>", "text/html; charset=\"KOI8-R\"", SHARC_CHARSET_KOI8_R, SHARC_CHARSET_FROM_HTTP},
    {"<meta charset=gbk>", "text/html; charset=bogus", SHARC_CHARSET_GBK, SHARC_CHARSET_FROM_META},
    {"<META CHARSET='Big5'/>", "text/html", SHARC_CHARSET_BIG5, SHARC_CHARSET_FROM_META},
    {"<meta http-equiv=content-type content='text/html; charset = \"euc-kr\"'>", "", SHARC_CHARSET_EUC_KR,
     SHARC_CHARSET_FROM_META},
    {"<meta content='text/html; charset=euc-kr' http-equiv=Content-Type>", "", SHARC_CHARSET_EUC_KR,
     SHARC_CHARSET_FROM_META},
    {"<meta content='text/html; charset=euc-kr'>", "", SHARC_CHARSET_UTF_8, SHARC_CHARSET_FROM_BYTES},
    {"<meta charset=utf-16>", "", SHARC_CHARSET_UTF_8, SHARC_CHARSET_FROM_META},
    {"<!-- <meta charset=gbk> --><p a='<meta charset=gbk>'><meta charset=koi8-r>", "", SHARC_CHARSET_KOI8_R,
     SHARC_CHARSET_FROM_META},
    {"<?xml version='1.0' encoding='iso-8859-2'?><html>", "", SHARC_CHARSET_ISO_8859_2, SHARC_CHARSET_FROM_META},
    {"@charset \"windows-1251\";", "text/css", SHARC_CHARSET_WINDOWS_1251, SHARC_CHARSET_FROM_META},
    {"<metax charset=gbk></meta charset=gbk><!meta charset=gbk>", "", SHARC_CHARSET_UTF_8, SHARC_CHARSET_FROM_BYTES},
    {"<meta charset=gbk", "", SHARC_CHARSET_GBK, SHARC_CHARSET_FROM_META},
    {"", "", SHARC_CHARSET_UTF_8, SHARC_CHARSET_FROM_BYTES},
};

/* Behind the bytes that the standard scans beforehand, browsers still find it. */
static void test_late_declaration(void **state)
{
    (void)state;
    static const struct {
        const char *first, *then, *type;
        enum sharc_charset charset;
    } late[] = {
        {"<style>", "</style><meta charset=koi8-r>", "text/html", SHARC_CHARSET_KOI8_R},
        {"<script>", "document.write('<meta charset=gbk>')</script><meta charset=koi8-r>", "", SHARC_CHARSET_KOI8_R},
        {"<title>", "<meta charset=gbk></TITLE ><meta charset=koi8-r>", "", SHARC_CHARSET_KOI8_R},
        {"<!--", "<meta charset=gbk>--><meta http-equiv=content-type content='a;charset=koi8-r'>", "",
         SHARC_CHARSET_KOI8_R},
        {"<style>", "<meta charset=gbk>", "", SHARC_CHARSET_UTF_8}, /* never closed */
        {"text", "<meta charset=gbk>", "text/plain", SHARC_CHARSET_UTF_8},
    };
    for (size_t i = 0; i < SHARC_LENGTH(late); i++) {
        SHARC_AUTO(sharc_buf_done) struct sharc_buf page = SHARC_BUF_INIT(1 << 20);
        enum sharc_charset_from from;
        sharc_buf_put_str(&page, late[i].first);
        while (page.n < 20000) sharc_buf_put_str(&page, " x{y:z} ");
        sharc_buf_put_str(&page, late[i].then);
        enum sharc_charset c = sharc_extract_charset(sharc_buf_span(&page), sharc_span_of(late[i].type), &from);
        if (c != late[i].charset) fail_msg("%zu: %s", i, sharc_charset_name(c));
    }
}

static void test_order(void **state)
{
    (void)state;
    for (size_t i = 0; i < SHARC_LENGTH(cases); i++) {
        enum sharc_charset_from from;
        enum sharc_charset c = sharc_extract_charset(sharc_span_of(cases[i].body), sharc_span_of(cases[i].type), &from);
        assert_int_equal(sharc_extract_charset(sharc_span_of(cases[i].body), sharc_span_of(cases[i].type), NULL), c);
        if (c != cases[i].charset || from != cases[i].from)
            print_error("%s: %s\n", cases[i].body, sharc_charset_name(c));
        assert_int_equal(c, cases[i].charset);
        assert_int_equal(from, cases[i].from);
    }
}

/* Text is UTF-8, queries go out in the page's charset, paths in UTF-8. */
static void test_page(void **state)
{
    (void)state;
    struct sharc_page page = {0};
    read_page(&page, SHARC_SPAN("<title>\x83\x65</title><a href='/\x83\x65?q=\x83\x65'>\x83\x58"), "http://h.org/",
              "text/html; charset=shift_jis");
    assert_span(page.title, "テ");
    assert_span(page.text, "ス");
    assert_links(&page, "a/@href http://h.org/%E3%83%86?q=%83e\n");
    assert_int_equal(page.charset, SHARC_CHARSET_SHIFT_JIS);
    read_page(&page, SHARC_SPAN("<a href='?\xc3\xa4'>"), "http://h.org/", "text/html; charset=utf-8");
    assert_links(&page, "a/@href http://h.org/?%C3%A4\n");
    sharc_page_done(&page);
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(test_labels), cmocka_unit_test(test_decoding), cmocka_unit_test(test_decoding_limit),
    cmocka_unit_test(test_guess),  cmocka_unit_test(test_order),    cmocka_unit_test(test_late_declaration),
    cmocka_unit_test(test_page),
};
TEST_MAIN(tests)

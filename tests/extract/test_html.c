/* SPDX-License-Identifier: Apache-2.0 */
#include "test.h"

#include "sharc/extract_html.h"

/* Tokens as one text: "S name attr=value;" "E name;" "T text;" "C body;" "D name;" */
static void tokens_text(const char *page, enum sharc_html_dialect dialect, struct sharc_buf *out)
{
    static struct sharc_html h;
    struct sharc_html_token t;
    sharc_html_init(&h, sharc_span_of(page), dialect);
    while (sharc_html_next(&h, &t)) {
        if (t.type == SHARC_HTML_TEXT) {
            sharc_buf_put_str(out, "T ");
            if (t.mode == SHARC_HTML_DATA || t.mode == SHARC_HTML_RCDATA)
                sharc_html_decode(t.body, false, out);
            else
                sharc_html_decode_raw(t.body, out);
        } else if (t.type == SHARC_HTML_COMMENT || t.type == SHARC_HTML_DOCTYPE) {
            sharc_buf_put_str(out, t.type == SHARC_HTML_COMMENT ? "C " : "D ");
            sharc_buf_put(out, t.type == SHARC_HTML_COMMENT ? t.body : t.name);
        } else {
            sharc_buf_printf(out, "%c %.*s", t.type == SHARC_HTML_START ? 'S' : 'E', SHARC_SPAN_ARG(t.name));
            for (unsigned i = 0; i < t.attr_count; i++) {
                sharc_buf_printf(out, " %.*s=", SHARC_SPAN_ARG(t.attrs[i].name));
                sharc_html_decode(t.attrs[i].value, true, out);
            }
            if (t.self_closing) sharc_buf_put_str(out, " /");
        }
        sharc_buf_put_char(out, ';');
    }
}

static const struct {
    const char *page, *tokens;
} cases[] = {
    {"", ""},
    {"a", "T a;"},
    {"<a>b</a>", "S a;T b;E a;"},
    {"<A HREF=x y = 'z' w=\"1>2\">", "S A HREF=x y=z w=1>2;"},
    {"<a href=x HREF=y b b=2 c=1 C=2>", "S a href=x b= c=1;"},
    {"<a/href=x>", "S a href=x;"},
    {"<br/><br / ><a href=x/>", "S br /;S br;S a href=x/;"},
    {"<a =x ==y \"z>", "S a =x==y \"z=;"},
    {"<a b='>", ""},
    {"x<a", "T x;"},
    {"x<", "T x<;"},
    {"x</", "T x</;"},
    {"a<3 <b", "T a<3 ;"},
    {"</>x</ y>", "C ;T x;C  y;"},
    {"<!-->a<!--->b<!---->c<!--d--!>e<!--f->g", "C ;T a;C ;T b;C ;T c;C d;T e;C f->g;"},
    {"<!--a--", "C a;"},
    {"<!--a<!--b-->c-->", "C a<!--b;T c-->;"},
    {"<!DOCTYPE html><!doctype><!x><?y>", "D html;D ;C x;C ?y;"},
    {"<![CDATA[x]]>", "C [CDATA[x]];"},
    {"<title><b>&amp;</b></titlex></title >x", "S title;T <b>&</b></titlex>;E title;T x;"},
    {"<textarea></TEXTAREA/>", "S textarea;E TEXTAREA /;"},
    {"<style>a<b>&amp;</style><xmp></x></xmp>", "S style;T a<b>&amp;;E style;S xmp;T </x>;E xmp;"},
    {"<script>if (a</b) '</scr'</script>x", "S script;T if (a</b) '</scr';E script;T x;"},
    {"<script><!--<script></script>--></script>x", "S script;T <!--<script></script>-->;E script;T x;"},
    {"<script><!--x</script>y", "S script;T <!--x;E script;T y;"},
    {"<script><!--><script></script>y", "S script;T <!--><script>;E script;T y;"},
    {"<script><!--<scripty></script>y", "S script;T <!--<scripty>;E script;T y;"},
    {"<plaintext><a></plaintext>", "S plaintext;T <a></plaintext>;"},
    {"<svg><title><b>x</b></title><style>a<g></style></svg><style><g></style>",
     "S svg;S title;S b;T x;E b;E title;S style;T a;S g;E style;E svg;S style;T <g>;E style;"},
    {"<svg><![CDATA[<a>]]></svg><![CDATA[<a>]]>", "S svg;T <a>;E svg;C [CDATA[<a;T ]]>;"},
    {"<svg><p><title><a></title>", "S svg;S p;S title;T <a>;E title;"},
    {"<svg/><title><a></title>", "S svg /;S title;T <a>;E title;"},
    {"<math><mi><title><a></title></mi><title><a></title></math>",
     "S math;S mi;S title;T <a>;E title;E mi;S title;S a;E title;E math;"},
    {"&amp;&ampx &copy=1&notit;&notin;&#65&#x42;&#x80;&#0;&#xd800;&#;&;&x;",
     "T &&x ©=1¬it;∉AB€\xef\xbf\xbd\xef\xbf\xbd&#;&;&x;;"},
    {"<a b='&amp;&ampx&copy=1&copy;&copy'>", "S a b=&&ampx&copy=1©©;"},
    {"a\r\nb\rc", "T a\nb\nc;"},
};

static void test_tokens(void **state)
{
    (void)state;
    for (size_t i = 0; i < SHARC_LENGTH(cases); i++) {
        SHARC_AUTO(sharc_buf_done) struct sharc_buf b = SHARC_BUF_INIT(10000);
        tokens_text(cases[i].page, SHARC_HTML, &b);
        if (!sharc_span_is(sharc_buf_span(&b), cases[i].tokens)) print_error("page %s\n", cases[i].page);
        assert_span(sharc_buf_span(&b), cases[i].tokens);
    }
}

static void test_xml_dialect(void **state)
{
    (void)state;
    SHARC_AUTO(sharc_buf_done) struct sharc_buf b = SHARC_BUF_INIT(10000);
    tokens_text("<?xml a='>'?><!DOCTYPE x [<!ENTITY y 'z'>]><title>&lt;<b/></title><![CDATA[<]]>", SHARC_XML, &b);
    assert_span(sharc_buf_span(&b), "C xml a='>';D x;S title;T <;S b /;E title;T <;");
}

/* Whoever rewrites a page needs every byte's place. */
static void test_places(void **state)
{
    (void)state;
    static struct sharc_html h;
    struct sharc_html_token t;
    static const char page[] = "x<a href = \"u&amp;v\" class=c>y</a><!--z--><script>1</script>";
    size_t at = 0;
    sharc_html_init(&h, sharc_span_of(page), SHARC_HTML);
    while (sharc_html_next(&h, &t)) {
        assert_ptr_equal(t.raw.p, page + at);
        at += t.raw.n;
        if (t.tag != SHARC_TAG_A || t.type != SHARC_HTML_START) continue;
        const struct sharc_html_attr *href = sharc_html_attr(&t, SHARC_ATTR_HREF);
        assert_span(href->value, "u&amp;v");
        assert_int_equal(href->quote, '"');
        assert_int_equal(href->value.p - page, 12);
        assert_int_equal(href->name.p - page, 4);
        assert_int_equal(sharc_html_attr(&t, SHARC_ATTR_CLASS)->quote, 0);
        assert_null(sharc_html_attr(&t, SHARC_ATTR_SRC));
    }
    assert_int_equal(at, sizeof page - 1);
}

static void test_names(void **state)
{
    (void)state;
    for (int i = 1; i < SHARC_TAG_COUNT; i++)
        assert_int_equal(sharc_html_tag_of(sharc_span_of(sharc_html_tag_text((enum sharc_html_tag)i))), i);
    for (int i = 1; i < SHARC_ATTR_COUNT; i++)
        assert_int_equal(sharc_html_attr_of(sharc_span_of(sharc_html_attr_text((enum sharc_html_attr_name)i))), i);
    assert_int_equal(sharc_html_tag_of(SHARC_SPAN("ForeignObject")), SHARC_TAG_FOREIGNOBJECT);
    assert_int_equal(sharc_html_tag_of(SHARC_SPAN("foreignobjecy")), SHARC_TAG_OTHER);
    assert_int_equal(sharc_html_tag_of(SHARC_SPAN("")), SHARC_TAG_OTHER);
    assert_null(sharc_html_tag_text(SHARC_TAG_OTHER));
    assert_null(sharc_html_tag_text(SHARC_TAG_COUNT));
}

static void test_many_attributes(void **state)
{
    (void)state;
    static struct sharc_html h;
    struct sharc_html_token t;
    SHARC_AUTO(sharc_buf_done) struct sharc_buf b = SHARC_BUF_INIT(4u << 20);
    sharc_buf_put_str(&b, "<a");
    for (int i = 0; i < 100000; i++) sharc_buf_printf(&b, " a%d=%d", i % 2000, i);
    sharc_buf_put_str(&b, " href=x><b c=1 c=2 C=3 d>");
    sharc_html_init(&h, sharc_buf_span(&b), SHARC_HTML);
    assert_true(sharc_html_next(&h, &t));
    assert_int_equal(t.attr_count, SHARC_LIMIT_HTML_ATTRIBUTES);
    assert_true(t.attrs_cut);
    assert_span(t.attrs[1023].name, "a1023");
    assert_true(sharc_html_next(&h, &t));
    assert_int_equal(t.attr_count, 2);
    assert_span(t.attrs[0].value, "1");
    assert_false(sharc_html_next(&h, &t));
}

/* The first of each name counts, few or many, whatever stands between them. */
static void test_repeated_attributes(void **state)
{
    (void)state;
    static struct sharc_html h;
    struct sharc_html_token t;
    for (unsigned names = 1; names < 40; names++) {
        SHARC_AUTO(sharc_buf_done) struct sharc_buf b = SHARC_BUF_INIT(65536);
        sharc_buf_put_str(&b, "<a");
        for (unsigned i = 0; i < names; i++) sharc_buf_printf(&b, " attribute-%u='%u' href=x class", i, i);
        for (unsigned i = 0; i < names; i++) sharc_buf_printf(&b, " Attribute-%u=again", i);
        sharc_buf_put_str(&b, ">");
        sharc_html_init(&h, sharc_buf_span(&b), SHARC_HTML);
        assert_true(sharc_html_next(&h, &t));
        assert_int_equal(t.attr_count, names + 2);
        assert_span(t.attrs[0].value, "0");
        assert_false(sharc_html_next(&h, &t));
    }
}

static void test_decode_limit(void **state)
{
    (void)state;
    SHARC_AUTO(sharc_buf_done) struct sharc_buf b = SHARC_BUF_INIT(3);
    assert_int_equal(sharc_html_decode(SHARC_SPAN("&lt;ab"), false, &b), 0);
    assert_int_equal(sharc_html_decode(SHARC_SPAN("&lt;"), false, &b), SHARC_ELIMIT);
    SHARC_AUTO(sharc_buf_done) struct sharc_buf c = SHARC_BUF_INIT(100);
    assert_int_equal(sharc_html_decode_raw(SHARC_SPAN("&lt;\0\r\n"), &c), 0);
    assert_span(sharc_buf_span(&c), "&lt;\xef\xbf\xbd\n");
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(test_tokens),          cmocka_unit_test(test_xml_dialect),
    cmocka_unit_test(test_places),          cmocka_unit_test(test_names),
    cmocka_unit_test(test_many_attributes), cmocka_unit_test(test_repeated_attributes),
    cmocka_unit_test(test_decode_limit),
};
TEST_MAIN(tests)

/* SPDX-License-Identifier: Apache-2.0
 *
 * What counts as the same, and what does not.
 */
#include "evidence_test.h"

#include <stdio.h>
#include <stdlib.h>

#define PAGE(head, body)                                                                                          \
    "<!DOCTYPE html><html><head><meta charset=utf-8>" head "</head><body class=shop>" body "<footer>end</footer>" \
    "</body></html>"

static void writing_is_no_difference(void **state)
{
    (void)state;
    static const char *const pairs[][2] = {
        {"<p class=a id=b>x</p>", "<p id=b class=a>x</p>"},
        {"<p class=a id=b>x</p>", "<p class='a'  id=\"b\" >x</p>"},
        {"<P CLASS=a>x</P>", "<p class=a>x</p>"},
        {"<p title=\"a&amp;b\">x</p>", "<p title=\"a&#38;b\">x</p>"},
        {"<p>a &amp; b</p>", "<p>a &#x26; b</p>"},
        {"<p>a\r\nb</p>", "<p>a\nb</p>"},
        {"<input disabled>", "<input disabled=\"\">"},
        {"<a\n href=x >l</a >", "<a href=x>l</a>"},
    };
    for (size_t i = 0; i < SHARC_LENGTH(pairs); i++) {
        char *a = sharc_asprintf(PAGE("<title>t</title>", "%s"), pairs[i][0]);
        char *b = sharc_asprintf(PAGE("<title>t</title>", "%s"), pairs[i][1]);
        if (html_relation(a, b) != SHARC_RELATION_SAME_ITEMS) fail_msg("%s differs from %s", pairs[i][0], pairs[i][1]);
        free(a);
        free(b);
    }
}

/* What is a tag here may be text there: a browser that runs scripts ends noscript inside a value or a comment, one that
 * builds a tree leaves out tags in a select and leaves SVG by an end tag of an element around it. */
static void what_browsers_may_read_otherwise_is(void **state)
{
    (void)state;
    static const char *const pairs[][2] = {
        {"<noscript><p title=\"</noscript>10\" alt=\"</noscript>20\"></noscript>",
         "<noscript><p alt=\"</noscript>20\" title=\"</noscript>10\"></noscript>"},
        {"<noscript><!-- </noscript><xmp> --></noscript><i a=1 b=2></xmp>",
         "<noscript><!-- </noscript><xmp> --></noscript><i b=2 a=1></xmp>"},
        {"<noscript><p title=\"</noscript><xmp>\"></noscript><i a=1 b=2></xmp>",
         "<noscript><p title=\"</noscript><xmp>\"></noscript><i b=2 a=1></xmp>"},
        {"<div><svg></div><xmp><i a=1 b=2></xmp>", "<div><svg></div><xmp><i b=2 a=1></xmp>"},
        {"<div><math></div><title>&lt;i></title>", "<div><math></div><title>&#60;i></title>"},
        {"<svg></p><xmp><i a=1 b=2></xmp>", "<svg></p><xmp><i b=2 a=1></xmp>"},
        {"<div><svg><desc></div><![CDATA[ > <i a=1 b=2>]]>", "<div><svg><desc></div><![CDATA[ > <i b=2 a=1>]]>"},
        {"<svg><title><![CDATA[ > </title></svg><i a=1 b=2>]]></title></svg>",
         "<svg><title><![CDATA[ > </title></svg><i b=2 a=1>]]></title></svg>"},
        {"<svg><foreignObject><p></foreignObject></svg><xmp></svg><i a=1 b=2></xmp>",
         "<svg><foreignObject><p></foreignObject></svg><xmp></svg><i b=2 a=1></xmp>"},
        {"<svg><g></svg></g><i a=1 b=2>", "<svg><g></svg></g><i b=2 a=1>"},
        {"<select><title>&lt;option>5</title></select>", "<select><title><option>5</title></select>"},
        {"<select><option>1<title></select><i a=1 b=2>&amp;", "<select><option>1<title></select><i a=1 b=2>&#38;"},
    };
    for (size_t i = 0; i < SHARC_LENGTH(pairs); i++)
        if (html_relation(pairs[i][0], pairs[i][1]) != SHARC_RELATION_DIFFERENT)
            fail_msg("%s is taken for %s", pairs[i][0], pairs[i][1]);
    /* behind a noscript that everybody reads alike, writing is no difference again */
    assert_int_equal(html_relation("<noscript><img src=a></noscript><p a=1 b=2>",
                                   "<noscript><img src=a></noscript><p b=2 a=1>"),
                     SHARC_RELATION_SAME_ITEMS);
    assert_int_equal(html_relation("<svg><title>x</title><g><path d=\"M0\"/></g></svg><p a=1 b=2>",
                                   "<svg><title>x</title><g><path d=\"M0\"/></g></svg><p b=2 a=1>"),
                     SHARC_RELATION_SAME_ITEMS);
    assert_int_equal(html_relation("<select><option>1</select><p a=1 b=2>", "<select><option>1</select><p b=2 a=1>"),
                     SHARC_RELATION_SAME_ITEMS);
}

static void everything_else_is(void **state)
{
    (void)state;
    static const char *const pairs[][2] = {
        {"<p>1,200 euro</p>", "<p>9,900 euro</p>"},
        {"<p>is not sold</p>", "<p>is sold</p>"},
        {"<p>DE02120300000000202051</p>", "<p>DE02120300000000202052</p>"},
        {"<script>var s={\"price\":12};</script>", "<script>var s={\"price\":13};</script>"},
        {"<script src=/a.js></script>", "<script src=/b.js></script>"},
        {"<a href=/a>x</a>", "<a href=/b>x</a>"},
        {"<a href=\"mailto:a@b.c\">x</a>", "<a href=\"mailto:d@b.c\">x</a>"},
        {"<img alt=cat src=a>", "<img alt=dog src=a>"},
        {"<img srcset=\"a 1x, b 2x\">", "<img srcset=\"a 1x, c 2x\">"},
        {"<meta name=description content=a>", "<meta name=description content=b>"},
        {"<base href=/a/>", "<base href=/b/>"},
        {"<span hidden>a</span>", "<span hidden>b</span>"},
        {"<input name=q value=1>", "<input name=q value=2>"},
        {"<style>p{color:red}</style>", "<style>p{color:tan}</style>"},
        {"<p style=\"color:red\">x</p>", "<p style=\"color:tan\">x</p>"},
        {"<script type=\"application/ld+json\">{\"@type\":\"A\"}</script>",
         "<script type=\"application/ld+json\">{\"@type\":\"B\"}</script>"},
        {"<!-- a -->", "<!-- b -->"},
        {"<p>a b</p>", "<p>a  b</p>"}, /* white-space: pre may be set for it */
        {"<p>a<b>b</b></p>", "<p>a <b>b</b></p>"},
        {"<pre>a\n b</pre>", "<pre>a\nb</pre>"},
        {"<p>ab</p>", "<p>a b</p>"},
        {"<p>a</p><p>b</p>", "<p>b</p><p>a</p>"},
        {"<p>a</p>", "<p>a</p><p>b</p>"},
        {"<p a=b>x</p>", "<p a b>x</p>"},
        {"<p a=\"b c\">x</p>", "<p a=b c>x</p>"},
        {"<p>a</p>", "<p>A</p>"},
        {"<p a>x</p>", "<p>x</p>"},
        {"<br>", "<br/>"},
        {"<script>/a  b/.test(x)</script>", "<script>/a b/.test(x)</script>"},
        {"<p>a&nbsp;b</p>", "<p>a b</p>"},
        {"<svg><path d=\"M0 1\"/></svg>", "<svg><path d=\"M0 2\"/></svg>"},
        {"<noscript><img src=a></noscript>", "<noscript><img src=b></noscript>"},
        {"<textarea>a</textarea>", "<textarea>a </textarea>"},
        {"<p>x<", "<p>x<a"},
    };
    for (size_t i = 0; i < SHARC_LENGTH(pairs); i++) {
        char *a = sharc_asprintf(PAGE("<title>t</title>", "%s"), pairs[i][0]);
        char *b = sharc_asprintf(PAGE("<title>t</title>", "%s"), pairs[i][1]);
        if (html_relation(a, b) != SHARC_RELATION_DIFFERENT) fail_msg("%s is taken for %s", pairs[i][0], pairs[i][1]);
        free(a);
        free(b);
    }
    assert_int_equal(html_relation(PAGE("<title>a</title>", ""), PAGE("<title>b</title>", "")),
                     SHARC_RELATION_DIFFERENT);
}

static void one_digit_is_found_wherever_it_stands(void **state)
{
    (void)state;
    char page[] = "<!DOCTYPE html><html lang=en1><head><title>a 1 b</title><meta name=x1 content=\"1; url=/1\">"
                  "<style>p1{width:1px}</style><script>f(1,'1');var a1={k1:\"1\"}</script><!-- 1 --></head>"
                  "<body id=b1><p class=\"c1 d\">1 word1 2.1</p><a href=\"/1?a=1#1\" data-x=1>1</a><pre> 1\n1</pre>"
                  "<svg viewBox=\"0 0 1 1\"><text>1</text></svg><textarea>1</textarea></body></html> 1";
    char *edited = sharc_strdup(page);
    size_t tried = 0;
    for (size_t i = 0; page[i]; i++) {
        if (page[i] != '1') continue;
        edited[i] = '7';
        if (html_relation(page, edited) != SHARC_RELATION_DIFFERENT) fail_msg("not found at %zu", i);
        edited[i] = '1';
        tried++;
    }
    assert_int_equal(tried, 30);
    free(edited);
}

static void heads_are_compared_first(void **state)
{
    (void)state;
    struct sharc_answer a = html("<p>x</p>"), b = a;
    b.type = SHARC_SPAN("TEXT/HTML;charset=UTF-8");
    assert_int_equal(relation_of(&a, &b), SHARC_RELATION_SAME_CONTENT);
    b.type = SHARC_SPAN("text/html; charset=iso-8859-1");
    assert_int_equal(relation_of(&a, &b), SHARC_RELATION_DIFFERENT);
    b.type = SHARC_SPAN("text/plain; charset=utf-8");
    assert_int_equal(relation_of(&a, &b), SHARC_RELATION_DIFFERENT);
    b = a;
    b.status = 203;
    assert_int_equal(relation_of(&a, &b), SHARC_RELATION_DIFFERENT);
    b = a;
    b.location = SHARC_SPAN("http://a.example/");
    assert_int_equal(relation_of(&a, &b), SHARC_RELATION_DIFFERENT);
    b = a;
    b.complete = false;
    assert_int_equal(relation_of(&a, &b), SHARC_RELATION_NOT_COMPARABLE);
    b = a;
    b.status = 0;
    assert_int_equal(relation_of(&a, &b), SHARC_RELATION_NOT_COMPARABLE);
}

static void other_types_keep_their_bytes(void **state)
{
    (void)state;
    static const char *const types[] = {"text/plain",      "application/json", "text/css",
                                        "text/javascript", "application/xml",  "image/svg+xml",
                                        "image/png",       "application/pdf",  "",
                                        "text/csv"};
    for (size_t i = 0; i < SHARC_LENGTH(types); i++) {
        struct sharc_answer a = answer_of(types[i], "<p a=1  b=2>x</p>"), b = answer_of(types[i], "<p b=2 a=1>x</p>");
        struct sharc_answer c = answer_of(types[i], "<p a=1 b=2>x</p>");
        assert_int_equal(relation_of(&a, &b), SHARC_RELATION_DIFFERENT);
        assert_int_equal(relation_of(&a, &c), SHARC_RELATION_DIFFERENT);
        assert_int_equal(relation_of(&a, &a), SHARC_RELATION_SAME_CONTENT);
    }
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(writing_is_no_difference), cmocka_unit_test(what_browsers_may_read_otherwise_is),
    cmocka_unit_test(everything_else_is),       cmocka_unit_test(one_digit_is_found_wherever_it_stands),
    cmocka_unit_test(heads_are_compared_first), cmocka_unit_test(other_types_keep_their_bytes),
};
TEST_MAIN(tests)

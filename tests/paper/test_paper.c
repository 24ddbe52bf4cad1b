/* SPDX-License-Identifier: Apache-2.0
 *
 * Documents and pictures of hostile text: markup is escaped, and nothing that is no text stops the drawing.
 */
#include "test.h"

#include <stdio.h>
#include <string.h>

#include "sharc/paper.h"

/* Markup, bytes that are no UTF-8, characters that are none, half a character at the end. */
static const char *const hostile[] = {
    "",
    "\"><script>alert(1)</script>&amp;'",
    "http://example.org/\xff\xfe\x80/\xc3",
    "http://example.org/\xef\xbf\xbe\xef\xb7\x90\xed\xa0\x80",
    "\x01\x1b[31m\x7f\n\t",
    "\xf0\x9f\xa6\x88\xf0\x9f\xa6\x88\xf0\x9f\xa6\x88 \xe2\x80\xae",
};

static void fill(char *out, size_t n, const char *with)
{
    size_t at = 0, length = strlen(with);
    while (at + length < n) {
        memcpy(out + at, with, length);
        at += length;
    }
    out[at] = 0;
}

static void draw(struct sharc_pen *pen, const void *arg)
{
    for (double room = 0; room < 60; room += 1)
        sharc_pen_text(pen, 10, 20, sharc_span_of(arg), (struct sharc_pen_text){.size = 10, .room = room});
}

static void write_all(const char *text)
{
    struct sharc_err err = SHARC_ERR_INIT;
    SHARC_AUTO(sharc_paper_done) struct sharc_paper p = {0};
    const struct sharc_picture picture = {200, 50, draw, text, text, text};
    for (int k = SHARC_PAPER_TITLE; k <= SHARC_PAPER_ITEM; k++)
        sharc_paper_say(&p, (enum sharc_paper_kind)k, "%s", text);
    sharc_paper_row(&p, SHARC_PAPER_TABLE, (const char *const[]){text, text, text, NULL});
    sharc_paper_row(&p, SHARC_PAPER_ROW, (const char *const[]){text, text, text, NULL});
    sharc_paper_picture(&p, &picture);
    const struct sharc_paper_about about = {.title = text, .foot = text, .made = 0};
    SHARC_AUTO(sharc_buf_done) struct sharc_buf html = SHARC_BUF_INIT(64u << 20), pdf = SHARC_BUF_INIT(64u << 20);
    int r = sharc_paper_pdf(&p, &about, &pdf, &err);
    if (r == SHARC_EUNSUPPORTED) return; /* built without cairo: there is no HTML with pictures either */
    assert_int_equal(r, 0);
    assert_int_equal(sharc_paper_html(&p, &about, &html, &err), 0);
    assert_null(strstr(sharc_buf_str(&html), "<script"));
    assert_memory_equal(sharc_buf_str(&pdf), "%PDF-", 5);
    for (int form = SHARC_PICTURE_SVG; form <= SHARC_PICTURE_PDF; form++) {
        SHARC_AUTO(sharc_buf_done) struct sharc_buf out = SHARC_BUF_INIT(64u << 20);
        assert_int_equal(sharc_picture_write(&picture, (enum sharc_picture_form)form, form % 2, &out, &err), 0);
        if (form == SHARC_PICTURE_SVG) assert_null(strstr(sharc_buf_str(&out), "<script"));
    }
}

static void test_hostile(void **state SHARC_UNUSED)
{
    for (size_t i = 0; i < SHARC_LENGTH(hostile); i++) write_all(hostile[i]);
}

/* Longer than a line, a cell, a footer: cut between characters wherever the cut falls. */
static void test_long(void **state SHARC_UNUSED)
{
    static const char *const units[] = {"a", "\xc3\xa4", "\xe2\x82\xac", "x\xf0\x9f\xa6\x88", "<b>"};
    char text[3000];
    for (size_t i = 0; i < SHARC_LENGTH(units); i++) {
        fill(text, sizeof text, units[i]);
        write_all(text);
    }
}

static size_t count(const char *text, const char *what)
{
    size_t n = 0;
    for (const char *at = text; (at = strstr(at, what)) != NULL; at += strlen(what)) n++;
    return n;
}

/* Drawings are part of the document, so that browsers print them on white: their names and colours must not meet. */
static void test_pictures_in_one_document(void **state SHARC_UNUSED)
{
    struct sharc_err err = SHARC_ERR_INIT;
    SHARC_AUTO(sharc_paper_done) struct sharc_paper p = {0};
    SHARC_AUTO(sharc_buf_done) struct sharc_buf html = SHARC_BUF_INIT(64u << 20);
    const struct sharc_picture picture = {200, 50, draw, "abc", "a picture", "of letters"};
    const struct sharc_paper_about about = {.title = "two", .foot = "", .made = 0};
    for (int i = 0; i < 2; i++) sharc_paper_picture(&p, &picture);
    int r = sharc_paper_html(&p, &about, &html, &err);
    if (r == SHARC_EUNSUPPORTED) return;
    assert_int_equal(r, 0);
    const char *text = sharc_buf_str(&html);
    assert_int_equal(count(text, "<svg"), 2);
    assert_int_equal(count(text, "data:"), 0);
    assert_int_equal(count(text, "http:"), 0);
    assert_true(count(text, " id=\"p1-") > 0);
    assert_int_equal(count(text, " id=\"p1-"), count(text, " id=\"p2-"));
    assert_int_equal(count(text, " id=\""), 2 * count(text, " id=\"p1-"));
    assert_int_equal(count(text, "#p1-"), count(text, "#p2-"));
    assert_true(count(text, "#p1-") > 0);
    assert_int_equal(count(text, "}@media screen and (prefers-color-scheme:dark){:root{"), 2);
    assert_true(count(text, "var("
                            "-"
                            "-p2c") > 0);
}

static const struct CMUnitTest tests[] = {cmocka_unit_test(test_hostile), cmocka_unit_test(test_long),
                                          cmocka_unit_test(test_pictures_in_one_document)};
TEST_MAIN(tests)

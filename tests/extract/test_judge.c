/* SPDX-License-Identifier: Apache-2.0
 *
 * From two downloads to a verdict: the function that sharc diff and the crawl share.
 */
#include "sharc/extract_compare.h"
#include "sharc/url.h"
#include "test.h"

#include <stdio.h>

struct download {
    struct sharc_page page;
    struct sharc_page_prints prints;
    struct sharc_digest digest;
    struct sharc_page_version v;
};

static void download(struct download *d, int status, const char *type, const char *body)
{
    struct sharc_url url = SHARC_URL_INIT;
    *d = (struct download){.prints = SHARC_PAGE_PRINTS_INIT};
    assert_int_equal(sharc_url_parse(&url, SHARC_SPAN("http://a.example/x"), NULL, NULL), 0);
    struct sharc_extract_input in = {.body = sharc_span_of(body), .url = &url, .content_type = sharc_span_of(type)};
    assert_int_equal(sharc_extract(&d->page, &in, NULL), 0);
    sharc_url_done(&url);
    sharc_digest_of(SHARC_SHA256, in.body, &d->digest);
    d->v = (struct sharc_page_version){.answer = sharc_page_answer(status),
                                       .content = &d->digest,
                                       .last_modified = SHARC_TIME_NONE,
                                       .stated = SHARC_TIME_NONE,
                                       .content_type = in.content_type};
    d->v.has_text = sharc_page_text(&d->page, in.content_type, in.body, &d->v.text);
    if (!d->v.has_text) return;
    sharc_page_prints_make(&d->prints, &d->page, d->v.text);
    d->v.prints = &d->prints;
}

static void download_done(struct download *d)
{
    sharc_page_done(&d->page);
    sharc_page_prints_done(&d->prints);
}

static struct sharc_page_judgement judge(const struct download *before, const struct download *after)
{
    static const struct sharc_change_options o = SHARC_CHANGE_OPTIONS;
    struct sharc_page_judgement j;
    sharc_page_judge(before ? &before->v : NULL, after ? &after->v : NULL, &o, &j, NULL);
    return j;
}

static void a_status_says_what_came(void **state)
{
    (void)state;
    assert_int_equal(sharc_page_answer(0), SHARC_ANSWER_CONTENT);
    assert_int_equal(sharc_page_answer(203), SHARC_ANSWER_CONTENT);
    assert_int_equal(sharc_page_answer(304), SHARC_ANSWER_NOT_MODIFIED);
    assert_int_equal(sharc_page_answer(308), SHARC_ANSWER_REDIRECT);
    assert_int_equal(sharc_page_answer(410), SHARC_ANSWER_GONE);
    assert_int_equal(sharc_page_answer(403), SHARC_ANSWER_FAILED);
    assert_int_equal(sharc_page_answer(500), SHARC_ANSWER_FAILED);
    assert_int_equal(sharc_page_answer(-3), SHARC_ANSWER_FAILED);
}

/* Nobody saw it: it can neither be missing nor new. */
static void what_was_not_there_is_not_missing_again(void **state)
{
    (void)state;
    SHARC_AUTO(download_done) struct download page, gone, failed, moved;
    download(&page, 200, "text/html", "<p>here");
    download(&gone, 404, "text/html", "<p>not here");
    download(&failed, 503, "text/html", "<p>later");
    download(&moved, 301, "text/html", "");
    assert_int_equal(judge(&gone, NULL).verdict.change, SHARC_UNCHANGED);
    assert_int_equal(judge(NULL, &gone).verdict.change, SHARC_UNCHANGED);
    assert_int_equal(judge(&gone, &gone).verdict.change, SHARC_UNCHANGED);
    assert_int_equal(judge(&page, NULL).verdict.change, SHARC_MISSING);
    assert_int_equal(judge(&page, &gone).verdict.change, SHARC_MISSING);
    assert_int_equal(judge(&failed, NULL).verdict.change, SHARC_FAILED);
    assert_int_equal(judge(NULL, &failed).verdict.change, SHARC_FAILED);
    assert_int_equal(judge(NULL, &page).verdict.change, SHARC_NEW);
    assert_true(judge(NULL, &moved).importance < judge(NULL, &page).importance);
}

static void a_reader_cares_for_headlines_more_than_for_dress(void **state)
{
    (void)state;
    const char *const items = "<li>Two lanes for Mill Street<li>Frost until Friday<li>Choir seeks tenors"
                              "<li>Bees on the town hall<li>School fair<li>Library opens on Sundays</ul></main>";
    char old[512], now[512];
    snprintf(old, sizeof old, "<main><ul><li>Bridge to close%s", items);
    snprintf(now, sizeof now, "<main><ul><li>Mayor resigns over bridge contract%s", items);
    SHARC_AUTO(download_done) struct download before, after, style, styled, image, other;
    download(&before, 200, "text/html", old);
    download(&after, 200, "text/html", now);
    download(&style, 200, "text/css", "a { color: red }");
    download(&styled, 200, "text/css; charset=utf-8", "b { margin: 3px; padding: 1em }");
    download(&image, 200, "image/png", "\x89PNG one");
    download(&other, 200, "image/png", "\x89PNG two");
    double headline = judge(&before, &after).importance;
    assert_true(headline > judge(NULL, &style).importance);
    assert_true(headline > judge(&style, &styled).importance);
    assert_true(headline > judge(&image, &other).importance);
    after.v.front = true;
    assert_true(judge(&before, &after).importance > headline);
    assert_true(judge(&before, &after).importance <= 1);
    assert_int_equal(judge(&image, &other).verdict.step, SHARC_STEP_PAYLOAD);
}

static void where_an_edit_stands_is_told(void **state)
{
    (void)state;
    SHARC_AUTO(download_done) struct download plain, linked, corrected;
    download(&plain, 200, "text/html", "<nav>Home Town</nav><main><p>The ticket costs 12 crowns.</main>");
    download(&linked, 200, "text/html", "<nav>Home Town Letters</nav><main><p>The ticket costs 12 crowns.</main>");
    download(&corrected, 200, "text/html", "<nav>Home Town</nav><main><p>The ticket costs 14 crowns.</main>");
    assert_true(judge(&plain, &linked).outer_only);
    assert_false(judge(&plain, &corrected).outer_only);
    assert_true(judge(&plain, &corrected).edit != 0);
    assert_false(judge(&plain, &plain).outer_only);
}

static void pictures_have_no_text(void **state)
{
    (void)state;
    SHARC_AUTO(download_done) struct download image, drawing, data, font;
    download(&image, 200, "image/png", "plain words");
    download(&drawing, 200, "image/svg+xml", "<svg xmlns='http://www.w3.org/2000/svg'><text>words</text></svg>");
    download(&data, 200, "application/x-whatever", "plain words");
    download(&font, 200, "font/woff2", "plain words");
    assert_false(image.v.has_text);
    assert_true(drawing.v.has_text);
    assert_true(data.v.has_text);
    assert_false(font.v.has_text);
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(a_status_says_what_came),
    cmocka_unit_test(what_was_not_there_is_not_missing_again),
    cmocka_unit_test(a_reader_cares_for_headlines_more_than_for_dress),
    cmocka_unit_test(where_an_edit_stands_is_told),
    cmocka_unit_test(pictures_have_no_text),
};
TEST_MAIN(tests)

/* SPDX-License-Identifier: Apache-2.0
 *
 * What is amiss with a page, by weight: a style sheet is more of it than a tracking pixel. And no weight makes a
 * verdict milder.
 */
#include "server_test.h"

#define PNG "HTTP/1.1 200 OK\r\nContent-Type: image/png\r\n\r\n"
#define PAGE                                                                                                      \
    HTML "<link rel=stylesheet href=/s.css><link rel=stylesheet media=print href=/p.css><img src=/big width=800 " \
         "height=600><img src=/pixel width=1 height=1>"
#define CSS "HTTP/1.1 200 OK\r\nContent-Type: text/css\r\n\r\n"
#define DATED(date) "HTTP/1.1 200 OK\r\nContent-Type: image/png\r\nDate: " date "\r\nLast-Modified: "

static char *ask(struct story *s)
{
    char *answer = get(s->pages, "/api/coherence?url=http://a.example/&at=20261101124640");
    if (status_of(answer) != 200) fail_msg("%s", answer);
    return answer;
}

/* The number behind a member of "weights". */
static double share(const char *json, const char *member)
{
    const char *weights = strstr(json, "\"weights\": {");
    SHARC_AUTO(sharc_freep) char *name = sharc_asprintf("\"%s\": ", member);
    const char *at = weights ? strstr(weights, name) : NULL;
    if (!at) fail_msg("no weight of %s in %s", member, json);
    return strtod(at + strlen(name), NULL);
}

/* Of a part. */
static double weight(const char *json, const char *url)
{
    SHARC_AUTO(sharc_freep) char *begin = sharc_asprintf("\"url\": \"%s\",\n      \"t\"", url);
    const char *part = strstr(json, begin), *at = part ? strstr(part, "\"weight\": ") : NULL;
    if (!at) fail_msg("no weight of %s in %s", url, json);
    return strtod(at + strlen("\"weight\": "), NULL);
}

static void all_but(struct story *s, const char *absent)
{
    static const char *const parts[][2] = {{"/s.css", CSS "h1{color:red}"},
                                           {"/p.css", CSS "h1{color:red}"},
                                           {"/big", PNG "big"},
                                           {"/pixel", PNG "pixel"}};
    warc_answer(s->w, 10000, "http://a.example/", PAGE);
    for (size_t i = 0; i < SHARC_LENGTH(parts); i++) {
        SHARC_AUTO(sharc_freep) char *url = sharc_asprintf("http://a.example%s", parts[i][0]);
        if (strcmp(parts[i][0], absent) != 0) warc_answer(s->w, 10000, url, parts[i][1]);
    }
    serve(s);
}

static void a_missing_pixel_is_little(void **state)
{
    all_but(*state, "/pixel");
    SHARC_AUTO(sharc_freep) char *said = ask(*state);
    assert_true(share(said, "missing") > 0 && share(said, "missing") < 0.01);
    double sum = share(said, "proven") + share(said, "attested") + share(said, "open") + share(said, "refuted") +
                 share(said, "missing") + share(said, "refused");
    assert_float_equal(sum, 1, 1e-9);
    assert_non_null(strstr(said, "1 part is missing (0."));
    assert_non_null(strstr(said, "\"state\": \"unknown\""));
}

static void a_missing_picture_is_much(void **state)
{
    all_but(*state, "/big");
    SHARC_AUTO(sharc_freep) char *said = ask(*state);
    assert_true(share(said, "missing") > 0.9); /* the style sheet has few bytes */
    assert_non_null(strstr(said, "\"missing\": 1,"));
    assert_non_null(strstr(said, "\"state\": \"unknown\""));
}

static void a_missing_style_sheet_is_more_than_one_for_print(void **state)
{
    all_but(*state, "/s.css");
    SHARC_AUTO(sharc_freep) char *said = ask(*state);
    assert_true(share(said, "missing") > 0.3);
    assert_true(weight(said, "http://a.example/p.css") < 0.01);
    SHARC_AUTO(sharc_freep)
    char *bar = get(((struct story *)*state)->pages, "/view/web/20261101124640/http://a.example/");
    assert_non_null(strstr(bar, "1 part is missing ("));
    assert_non_null(strstr(bar, " by weight)"));
    assert_non_null(strstr(bar, "<th>Weight"));
}

/* The page was another one when its pixel was made. That nearly all of it by weight is proven does not help. */
static void a_contradicted_page_stays_contradicted(void **state)
{
    struct story *s = *state;
    warc_answer(s->w, 100, "http://a.example/big",
                DATED("Sun, 01 Nov 2026 10:01:40 GMT") "Sun, 01 Nov 2026 09:10:00 GMT\r\n\r\nbig");
    warc_answer(s->w, 1000, "http://a.example/",
                HTML "<img src=/pixel width=1 height=1><img src=/big width=1024 height=768>");
    warc_answer(s->w, 3000, "http://a.example/", HTML "another page");
    warc_answer(s->w, 20000, "http://a.example/pixel",
                DATED("Sun, 01 Nov 2026 15:33:20 GMT") "Sun, 01 Nov 2026 13:30:00 GMT\r\n\r\npixel");
    warc_answer(s->w, 90000, "http://a.example/big",
                DATED("Mon, 02 Nov 2026 11:00:00 GMT") "Sun, 01 Nov 2026 09:10:00 GMT\r\n\r\nbig");
    serve(s);
    SHARC_AUTO(sharc_freep) char *said = get(s->pages, "/api/coherence?url=http://a.example/&at=20261101101640");
    assert_non_null(strstr(said, "\n  \"state\": \"contradicted\""));
    assert_true(share(said, "refuted") < 0.01);
    assert_true(share(said, "proven") > 0.99 && share(said, "proven") < 1);
    assert_non_null(strstr(said, "1 part is newer"));
    assert_non_null(strstr(said, "% of the parts by weight"));
}

/* A frame of 10 by 10 pixels holds a picture of a window full: not more of the page than the frame. */
static void what_stands_in_a_frame_is_not_larger_than_it(void **state)
{
    struct story *s = *state;
    warc_answer(s->w, 10000, "http://a.example/",
                HTML "<iframe width=10 height=10 src=/f></iframe><img src=/i width=10 "
                     "height=10>");
    warc_answer(s->w, 10000, "http://a.example/f", HTML "<img src=/huge width=1000 height=1000>");
    warc_answer(s->w, 10000, "http://a.example/i", PNG "i");
    serve(s);
    SHARC_AUTO(sharc_freep) char *said = ask(s);
    assert_float_equal(weight(said, "http://a.example/i"), 1. / 3, 1e-6);
    assert_float_equal(weight(said, "http://a.example/f"), 1. / 3, 1e-6);
    assert_float_equal(share(said, "missing"), 1. / 3, 1e-6);
}

static void a_page_without_parts_has_no_weights(void **state)
{
    struct story *s = *state;
    warc_answer(s->w, 10000, "http://a.example/", HTML "text");
    serve(s);
    SHARC_AUTO(sharc_freep) char *said = ask(s);
    assert_non_null(strstr(said, "\"weights\": null"));
    assert_null(strstr(said, "by weight"));
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test_setup_teardown(a_missing_pixel_is_little, begin, end),
    cmocka_unit_test_setup_teardown(a_missing_picture_is_much, begin, end),
    cmocka_unit_test_setup_teardown(a_missing_style_sheet_is_more_than_one_for_print, begin, end),
    cmocka_unit_test_setup_teardown(a_contradicted_page_stays_contradicted, begin, end),
    cmocka_unit_test_setup_teardown(what_stands_in_a_frame_is_not_larger_than_it, begin, end),
    cmocka_unit_test_setup_teardown(a_page_without_parts_has_no_weights, begin, end),
};
TEST_MAIN(tests)

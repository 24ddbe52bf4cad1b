/* SPDX-License-Identifier: Apache-2.0
 *
 * How much of a page a part of it is.
 */
#include "test.h"

#include "sharc/quality_weight.h"

static double of(enum sharc_part_kind kind, int64_t width, int64_t height, int64_t bytes)
{
    const struct sharc_part_look l = {.kind = kind, .width = width, .height = height, .bytes = bytes};
    return sharc_quality_part_weight(&l);
}

static void what_is_larger_weighs_more(void **state)
{
    (void)state;
    double pixel = of(SHARC_KIND_IMAGE, 1, 1, 43), unsized_pixel = of(SHARC_KIND_IMAGE, -1, -1, 43);
    double button = of(SHARC_KIND_IMAGE, 88, 31, -1), photograph = of(SHARC_KIND_IMAGE, 800, 600, -1);
    assert_true(pixel < button && button < photograph);
    assert_true(unsized_pixel < button);
    assert_float_equal(of(SHARC_KIND_IMAGE, 1024, 768, -1), 1, 1e-9);
    assert_float_equal(of(SHARC_KIND_IMAGE, 512, 768, -1), 0.5, 1e-9);
    assert_float_equal(of(SHARC_KIND_IMAGE, 99999, 99999, -1), 1, 1e-9);
    assert_float_equal(of(SHARC_KIND_VIDEO, 512, 384, -1), 0.25, 1e-9);
    assert_float_equal(of(SHARC_KIND_FRAME, 0, 0, -1), SHARC_WEIGHT_LEAST, 1e-9);
    /* one side alone */
    assert_float_equal(of(SHARC_KIND_IMAGE, 100, -1, -1), of(SHARC_KIND_IMAGE, 100, 100, -1), 1e-12);
    /* the size that it is shown at counts, not that of the file */
    assert_float_equal(of(SHARC_KIND_IMAGE, 1, 1, 5000000), pixel, 1e-12);
    assert_true(of(SHARC_KIND_IMAGE, -1, -1, 40000) > of(SHARC_KIND_IMAGE, -1, -1, 4000));
    /* of a script nobody knows what it does */
    assert_float_equal(of(SHARC_KIND_SCRIPT, 1, 1, 10), of(SHARC_KIND_SCRIPT, -1, -1, -1), 1e-12);
}

static void the_style_sheet_weighs_more_than_small_things(void **state)
{
    (void)state;
    double style = of(SHARC_KIND_STYLE, -1, -1, -1);
    for (int k = 0; k < SHARC_PART_KIND_COUNT; k++) {
        double usual = of((enum sharc_part_kind)k, -1, -1, -1);
        assert_true(usual >= SHARC_WEIGHT_LEAST && usual <= style);
    }
    assert_float_equal(of(SHARC_KIND_STYLE, -1, -1, 100000), style, 1e-12);
    assert_true(of(SHARC_KIND_STYLE, -1, -1, 200) < style);
    assert_float_equal(of(SHARC_KIND_STYLE, -1, -1, 0), SHARC_WEIGHT_LEAST, 1e-12);
    struct sharc_part_look beside = {.kind = SHARC_KIND_IMAGE, .width = 512, .height = 768, .decorates = true};
    assert_float_equal(sharc_quality_part_weight(&beside), 0.25, 1e-9);
    /* a number that no kind has */
    assert_float_equal(of((enum sharc_part_kind)99, -1, -1, -1), of(SHARC_KIND_OTHER, -1, -1, -1), 1e-12);
    assert_string_equal(sharc_part_kind_word((enum sharc_part_kind)99), "");
}

static void kinds_by_type_and_by_url(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        enum sharc_part_kind kind;
    } types[] = {{"text/css", SHARC_KIND_STYLE},  {"TEXT/CSS; charset=x", SHARC_KIND_STYLE},
                 {"image/png", SHARC_KIND_IMAGE}, {"image/x-icon", SHARC_KIND_ASIDE},
                 {"text/html", SHARC_KIND_FRAME}, {"application/octet-stream", SHARC_KIND_OTHER},
                 {"", SHARC_KIND_OTHER}},
      urls[] = {{"http://a.example/x.css", SHARC_KIND_STYLE},
                {"http://a.example/x.CSS?v=1.js", SHARC_KIND_STYLE},
                {"http://a.example/x.js#y.css", SHARC_KIND_SCRIPT},
                {"http://a.example/v1.css/x", SHARC_KIND_OTHER},
                {"http://a.example/favicon.ico", SHARC_KIND_ASIDE},
                {"http://a.example/", SHARC_KIND_OTHER},
                {"png", SHARC_KIND_OTHER},
                {".", SHARC_KIND_OTHER},
                {"", SHARC_KIND_OTHER}};
    for (size_t i = 0; i < SHARC_LENGTH(types); i++)
        assert_int_equal(sharc_quality_kind_of_type(sharc_span_of(types[i].text)), types[i].kind);
    for (size_t i = 0; i < SHARC_LENGTH(urls); i++)
        assert_int_equal(sharc_quality_kind_of_url(sharc_span_of(urls[i].text)), urls[i].kind);
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(what_is_larger_weighs_more),
    cmocka_unit_test(the_style_sheet_weighs_more_than_small_things),
    cmocka_unit_test(kinds_by_type_and_by_url),
};
TEST_MAIN(tests)

/* SPDX-License-Identifier: Apache-2.0 */
#include "test.h"

#include "sharc/store_weakness.h"

#define ALL                                                                                                        \
    "{\"weakened\":{\"insecure\":true,\"connect_to\":\"a:1:b:2\",\"proxy\":\"http://p/\",\"trust_last_modified\":" \
    "true,\"cookies\":true,\"header\":true,\"max_body\":100}}"

static void all_of_it_is_written_and_read(void **state)
{
    (void)state;
    SHARC_AUTO(sharc_store_weakness_done) struct sharc_store_weakness w = {0};
    SHARC_AUTO(sharc_buf_done) struct sharc_buf out = SHARC_BUF_INIT(1000);
    struct sharc_json j;
    sharc_store_weakness_parse(&w, SHARC_SPAN(ALL));
    sharc_json_init(&j, &out, false);
    sharc_json_object(&j, NULL);
    sharc_store_weakness_put(&w, &j);
    sharc_json_end(&j);
    assert_string_equal(sharc_buf_str(&out), ALL);
    SHARC_AUTO(sharc_freep) char *text = sharc_store_weakened(SHARC_SPAN(ALL));
    assert_string_equal(text, "insecure, connect-to a:1:b:2, proxy http://p/, trust-last-modified, cookies, header, "
                              "max-body 100");
}

static void one_is_enough_and_none_is_nothing(void **state)
{
    (void)state;
    static const struct {
        const char *params, *text;
    } rows[] = {{"{\"weakened\":{\"cookies\":true}}", "cookies"},
                {"{\"weakened\":{\"header\":true}}", "header"},
                {"{\"weakened\":{\"max_body\":7}}", "max-body 7"},
                {"{\"weakened\":{\"max_body\":-7,\"cookies\":false}}", NULL},
                {"{\"weakened\":7}", NULL},
                {"{}", NULL},
                {"", NULL},
                {"no JSON", NULL}};
    for (size_t i = 0; i < SHARC_LENGTH(rows); i++) {
        SHARC_AUTO(sharc_freep) char *text = sharc_store_weakened(sharc_span_of(rows[i].params));
        if (rows[i].text)
            assert_string_equal(text, rows[i].text);
        else
            assert_null(text);
    }
}

/* What a file says of its proxy is the file's word. */
static void foreign_words_steer_nothing(void **state)
{
    (void)state;
    SHARC_AUTO(sharc_freep)
    char *text = sharc_store_weakened(SHARC_SPAN("{\"weakened\":{\"proxy\":\"a\\u001b[31m\\u202eb\\nc\\u00e4\"}}"));
    assert_string_equal(text, "proxy a\xef\xbf\xbd[31m\xef\xbf\xbd"
                              "b\xef\xbf\xbd"
                              "c\xc3\xa4");
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(all_of_it_is_written_and_read),
    cmocka_unit_test(one_is_enough_and_none_is_nothing),
    cmocka_unit_test(foreign_words_steer_nothing),
};
TEST_MAIN(tests)

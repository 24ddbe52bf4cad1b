/* SPDX-License-Identifier: Apache-2.0
 *
 * Canonical forms, SURT and keys, in cases of our own.
 */
#include "test.h"

#include "../../src/url/url_int.h"

struct expectation {
    const char *url, *result;
};

static void expect_form(enum sharc_url_form form, enum sharc_url_layout layout, const struct expectation *cases,
                        size_t n)
{
    for (size_t i = 0; i < n; i++) {
        SHARC_AUTO(sharc_buf_done) struct sharc_buf b = SHARC_BUF_INIT(SHARC_LIMIT_URL);
        assert_int_equal(sharc_url_write(sharc_span_of(cases[i].url), form, layout, &b, NULL), 0);
        assert_span(sharc_buf_span(&b), cases[i].result);
    }
}
#define EXPECT(form, layout, cases) expect_form(form, layout, cases, SHARC_LENGTH(cases))

static void page_is_the_standard_without_fragment(void **state)
{
    (void)state;
    static const struct expectation cases[] = {
        {"HTTPS://A.example/b/../C?x=1#top", "https://a.example/C?x=1"},
        {"https://a.example/?b=2&a=1", "https://a.example/?b=2&a=1"},
        {"https://a.example/a//b/", "https://a.example/a//b/"},
        {"http://exa mple/x y#z", "http://exa%20mple/x%20y"}, /* refused by the standard, kept by us */
        {"www.example.org", "www.example.org"},
    };
    EXPECT(SHARC_FORM_PAGE, SHARC_AS_URL, cases);
}

static void semantic_joins_what_means_the_same(void **state)
{
    (void)state;
    static const struct expectation cases[] = {
        {"a.example", "http://a.example/"},
        {"https://me:pw@A.example:443/x", "https://a.example/x"},
        {"http://a..example./x", "http://a.example/x"},
        {"http://a.example//x///y", "http://a.example/x/y"},
        {"http://a.example/%7Euser/%41%2525", "http://a.example/~user/A%25"},
        {"http://a.example/a%3Fb%23c", "http://a.example/a%3Fb%23c"},
        {"http://a.example/?b=2&a=%26&a=1", "http://a.example/?a=%26&a=1&b=2"},
        {"http://a.example/?", "http://a.example/?"},
        {"http://0x7f.1/", "http://127.0.0.1/"},
        {"http://m\xfcnchen.example/", "http://xn--mnchen-3ya.example/"}, /* Latin-1 */
        {"http://:80/a.example/x", "http://a.example/x"},
        {"other:/%2F%2Fhost/x", "other:/%2F/host/x"},
        {"http://a.example/x#y", "http://a.example/x"},
    };
    EXPECT(SHARC_FORM_SEMANTIC, SHARC_AS_URL, cases);
}

static void aggressive_forgets_more(void **state)
{
    (void)state;
    static const struct expectation cases[] = {
        {"https://www2.A.example/Shelf/", "http://a.example/shelf"},
        {"https://a.example:443/", "http://a.example/"},
        {"https://a.example:80/", "http://a.example/"},
        {"http://a.example/?&b=1&&sid=0123456789abcdef&", "http://a.example/?b=1"},
        {"http://a.example/?sid=short", "http://a.example/?sid=short"},
        {"http://a.example/x;jsessionid=0123456789ABCDEF0123456789ABCDEF", "http://a.example/x"},
        {"http://a.example/(0123456789abcdefghijklmn)/p.aspx", "http://a.example/p.aspx"},
        {"http://a.example/(0123456789abcdefghijklmn)/p.html", "http://a.example/(0123456789abcdefghijklmn)/p.html"},
    };
    EXPECT(SHARC_FORM_AGGRESSIVE, SHARC_AS_URL, cases);
}

static void keys_are_those_of_cdx_files(void **state)
{
    (void)state;
    static const struct expectation cases[] = {
        {"", "-"},
        {"http://www.Example.org/A/?b&a", "org,example)/a?a&b"},
        {"https://user:pw@example.org/", "org,example)/"},
        {"http://example.org:80/x", "org,example)/x"},
        {"http://example.org:8080/x/", "org,example:8080)/x"},
        {"https://example.org:80/", "org,example:80)/"},
        {"http://192.0.2.7/x", "7,2,0,192)/x"},
        {"http://[2001:DB8::1]/x", "2001:db8::1)/x"},
        {"http://[2001:DB8:0::1]:8080/x", "2001:db8::1:8080)/x"},
        {"http://example.org/a%20b%2Fc", "org,example)/a%20b/c"},
        {"http://example.org/caf%C3%A9", "org,example)/caf%c3%a9"},
        {"http://m\xc3\xbcnchen.example/", "example,xn--mnchen-3ya)/"},
        {"http://example.org/?x=%26", "org,example)/?&x="},
        {"http://example.org/x?PHPSESSID=0123456789abcdef0123456789abcdef&y=1", "org,example)/x?y=1"},
        {"http://example.org/x#frag", "org,example)/x"},
        {"http://https://example.org/x", "org,example)/x"},
        {"http:////example.org/x", "org,example)/x"},
        {"example.org/x", "org,example)/x"},
        {"dns:example.org", "dns:example.org"},
        {"warcinfo:Capture.warc.gz", "warcinfo:capture.warc.gz"},
        {"filedesc://Old.arc.gz", "filedesc://Old.arc.gz"},
        {"whois://whois.example.org/x", "org,example,whois)/x"},
        {"urn:uuid:1-2", "urn:uuid:1-2"},
        {"mailto:a@example.org", "mailto:a@example.org"},
        {"file:///usr/share", "file:/usr/share"},
        {"ftp://ftp.example.org:21/x", "org,example,ftp:21)/x"},
    };
    for (size_t i = 0; i < SHARC_LENGTH(cases); i++) {
        SHARC_AUTO(sharc_buf_done) struct sharc_buf b = SHARC_BUF_INIT(SHARC_LIMIT_URL);
        assert_int_equal(sharc_url_key(sharc_span_of(cases[i].url), &b, NULL), 0);
        assert_span(sharc_buf_span(&b), cases[i].result);
    }
}

static void surts_read_like_heritrix(void **state)
{
    (void)state;
    static const struct expectation cases[] = {
        {"http://www.example.org/main/subsection/", "http://(org,example,www,)/main/subsection/"},
        {"HTTPS://u:p@Example.org:8443/X?y#z", "https://(org,example,:8443)/X?y"},
        {"http://10.1.2.3/x", "http://(10.1.2.3)/x"},
        {"mailto:x", "mailto:x"},
    };
    for (size_t i = 0; i < SHARC_LENGTH(cases); i++) {
        SHARC_AUTO(sharc_buf_done) struct sharc_buf b = SHARC_BUF_INIT(SHARC_LIMIT_URL);
        assert_int_equal(sharc_url_surt(sharc_span_of(cases[i].url), &b, NULL), 0);
        assert_span(sharc_buf_span(&b), cases[i].result);
    }
    static const struct expectation ssurts[] = {
        {"https://u@a.example:81/x?y", "example,a,//81:https@u:/x?y"},
        {"http://a,b.example./x", ",example,a.b,//http:/x"},
    };
    EXPECT(SHARC_FORM_AS_IS, SHARC_AS_SSURT, ssurts);
}

static void keys_can_be_read_back(void **state)
{
    (void)state;
    static const struct expectation cases[] = {
        {"org,example)/a?b", "example.org/a?b"},
        {"org,example:8080)/a", "example.org:8080/a"},
        {"[2001:db8::1])/x", "[2001:db8::1]/x"},
        {"2001:db8::1)/x", "[2001:db8::1]/x"},
        {"1:2:3:4:5:6:7:8:80)/x", "[1:2:3:4:5:6:7:8]:80/x"},
        {"2001:db8::1:99999)/", "[2001:db8::1]:99999/"},
        {"::1)/", "[::1]/"},
        {"dns:example.org", "dns:example.org"},
        {"org,example)", "org,example)"},
        {")/x", "/x"},
    };
    for (size_t i = 0; i < SHARC_LENGTH(cases); i++) {
        SHARC_AUTO(sharc_buf_done) struct sharc_buf b = SHARC_BUF_INIT(SHARC_LIMIT_URL);
        assert_int_equal(sharc_url_unkey(sharc_span_of(cases[i].url), &b), 0);
        assert_span(sharc_buf_span(&b), cases[i].result);
    }
}

static void forms_have_names(void **state)
{
    (void)state;
    for (unsigned i = 0; i < SHARC_URL_FORM_COUNT; i++) {
        const char *name = sharc_url_form_name((enum sharc_url_form)i);
        for (unsigned k = 0; k < i; k++) assert_string_not_equal(name, sharc_url_form_name((enum sharc_url_form)k));
    }
}

static void limits_leave_the_buffer_alone(void **state)
{
    (void)state;
    static char url[SHARC_LIMIT_URL + 1];
    SHARC_AUTO(sharc_buf_done) struct sharc_buf b = SHARC_BUF_INIT(100);
    struct sharc_err err = SHARC_ERR_INIT;
    memset(url, ' ', sizeof url);
    memcpy(url, "http://a.example/x", 18);
    url[5000] = 'y';
    sharc_buf_put_str(&b, "before");
    assert_int_equal(sharc_url_key(sharc_span(url, sizeof url), &b, &err), SHARC_ELIMIT);
    assert_int_equal(sharc_url_key(sharc_span(url, 5001), &b, &err), SHARC_ELIMIT);
    assert_int_equal(sharc_url_key(SHARC_SPAN("http://a.example/"), &b, &err), 0);
    assert_span(sharc_buf_span(&b), "beforeexample,a)/");
}

/* 64 times as long must not take much more than 64 times the steps; here only
 * that the nested escape comes out right at full length. */
static void nested_escapes_unfold(void **state)
{
    (void)state;
    static char text[6001];
    text[0] = '%';
    for (size_t i = 1; i + 1 < sizeof text; i += 2) memcpy(text + i, "25", 2);
    assert_int_equal(sharc__url_decode_all(sharc_span(text, sizeof text), text), 1);
    assert_int_equal(text[0], '%');
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(page_is_the_standard_without_fragment),
    cmocka_unit_test(semantic_joins_what_means_the_same),
    cmocka_unit_test(aggressive_forgets_more),
    cmocka_unit_test(keys_are_those_of_cdx_files),
    cmocka_unit_test(surts_read_like_heritrix),
    cmocka_unit_test(keys_can_be_read_back),
    cmocka_unit_test(forms_have_names),
    cmocka_unit_test(limits_leave_the_buffer_alone),
    cmocka_unit_test(nested_escapes_unfold),
};
TEST_MAIN(tests)

/* SPDX-License-Identifier: Apache-2.0
 *
 * Cookies and header fields go where they belong and nowhere else.
 */
#include "test.h"

#include "sharc/http_secret.h"

#include <stdio.h>

#define NOW (1700000000 * SHARC_SEC)

static struct sharc_secrets *cookies(const char *text)
{
    struct sharc_secrets *s = sharc_secrets_new();
    struct sharc_cookie_count n;
    struct sharc_err err;
    if (sharc_secrets_add_cookies(s, sharc_span_of(text), "cookies.txt", NOW, &n, &err) < 0) fail_msg("%s", err.text);
    return s;
}

/* "Name: value\n" of every field that goes with a request for url. */
static const char *sent(const struct sharc_secrets *s, const char *url)
{
    static char text[4096];
    struct sharc_secret_fields f = {0};
    struct sharc_url u = SHARC_URL_INIT;
    assert_int_equal(sharc_url_parse(&u, sharc_span_of(url), NULL, NULL), 0);
    assert_int_equal(sharc_secrets_for(s, &u, NOW, &f, NULL), 0);
    size_t n = 0;
    text[0] = 0;
    for (size_t i = 0; i < f.count; i++)
        n += (size_t)snprintf(text + n, sizeof text - n, "%.*s: %.*s\n", SHARC_SPAN_ARG(f.fields[i].name),
                              SHARC_SPAN_ARG(f.fields[i].value));
    sharc_secret_fields_done(&f);
    sharc_url_done(&u);
    return text;
}

#define JAR                                                        \
    "# Netscape HTTP Cookie File\n"                                \
    "# https://curl.se/docs/http-cookies.html\n\n"                 \
    "h.example\tFALSE\t/\tFALSE\t0\tsession\ts1\n"                 \
    ".d.example\tTRUE\t/\tFALSE\t1800000000\twide\tw=1\r\n"        \
    "#HttpOnly_h.example\tFALSE\t/\tTRUE\t1800000000\tsecure\tx\n" \
    "h.example\tFALSE\t/in\tFALSE\t0\tdeep\td\n"                   \
    "h.example\tFALSE\t/\tFALSE\t1600000000\told\tgone\n"          \
    "h.example\tFALSE\t/\tFALSE\t1800000000.5\tempty\n"            \
    "#HttpOnly_.com\tTRUE\t/\tFALSE\t0\tevil\te\n"                 \
    ".127.0.0.1\tTRUE\t/\tFALSE\t0\tip\ti\n"                       \
    "h.example\tFALSE\t/twice\tFALSE\t0\tt\t1\n"                   \
    "h.example\tFALSE\t/twice\tFALSE\t0\tt\t2\n"

static void cookies_go_where_they_belong(void **state)
{
    (void)state;
    static const char *const cases[][2] = {
        {"http://h.example/", "Cookie: session=s1; empty=\n"},
        {"http://H.example:8080/x?q", "Cookie: session=s1; empty=\n"}, /* ports do not matter */
        {"https://h.example/", "Cookie: session=s1; secure=x; empty=\n"},
        {"http://h.example/in", "Cookie: deep=d; session=s1; empty=\n"}, /* longer paths first */
        {"http://h.example/in/x", "Cookie: deep=d; session=s1; empty=\n"},
        {"http://h.example/inside", "Cookie: session=s1; empty=\n"},
        {"http://h.example/twice", "Cookie: t=2; session=s1; empty=\n"},
        {"http://sub.h.example/", ""}, /* for the host alone */
        {"http://xh.example/", ""},
        {"http://h.example.org/", ""},
        {"http://d.example/", "Cookie: wide=w=1\n"},
        {"http://a.b.d.example/", "Cookie: wide=w=1\n"},
        {"http://d.example./", "Cookie: wide=w=1\n"},
        {"http://xd.example/", ""},
        {"http://shop.com/", ""}, /* a public suffix is nobody's */
        {"http://127.0.0.1/", "Cookie: ip=i\n"},
        {"http://7.127.0.0.1.example/", ""},
    };
    SHARC_AUTO(sharc_secrets_freep) struct sharc_secrets *s = cookies(JAR);
    for (size_t i = 0; i < SHARC_LENGTH(cases); i++)
        if (strcmp(sent(s, cases[i][0]), cases[i][1]) != 0)
            fail_msg("%s got \"%s\"", cases[i][0], sent(s, cases[i][0]));
}

static void counts_what_has_expired(void **state)
{
    (void)state;
    SHARC_AUTO(sharc_secrets_freep) struct sharc_secrets *s = sharc_secrets_new();
    struct sharc_cookie_count n = {0};
    assert_int_equal(sharc_secrets_add_cookies(s, SHARC_SPAN(JAR), "x", NOW, &n, NULL), 0);
    assert_int_equal(n.expired, 1);
    assert_int_equal(n.taken, 9);
}

static void bad_lines_are_named_and_not_quoted(void **state)
{
    (void)state;
    static const char *const bad[] = {
        "h.example FALSE / FALSE 0 name SECRET\n",        "[{\"domain\": \"h.example\", \"value\": \"SECRET\"}]",
        "h.example\tFALSE\t/\tFALSE\tsoon\tn\tSECRET\n",  "h.example\tMAYBE\t/\tFALSE\t0\tn\tSECRET\n",
        "h.example\tTRUE\t/\t1\t0\tn\tSECRET\n",          "a b\tTRUE\t/\tTRUE\t0\tn\tSECRET\n",
        "u@h.example\tTRUE\t/\tTRUE\t0\tn\tSECRET\n",     "h.example/x\tTRUE\t/\tTRUE\t0\tn\tSECRET\n",
        "h.example\tTRUE\t/\tTRUE\t0\tn\tSECRET; x\n",    "h.example\tTRUE\t/\tTRUE\t0\tn\tSECRET\x01\n",
        "h.example\tTRUE\t/\tTRUE\t0\tn\tSECRET\tmore\n", "\tTRUE\t/\tTRUE\t0\tn\tSECRET\n",
        "h.example\tTRUE\t/\tTRUE\t0\ta=b\tSECRET\n",     "h.example:80\tTRUE\t/\tTRUE\t0\ta\n\tSECRET\n",
    };
    for (size_t i = 0; i < SHARC_LENGTH(bad); i++) {
        SHARC_AUTO(sharc_secrets_freep) struct sharc_secrets *s = sharc_secrets_new();
        struct sharc_cookie_count n;
        struct sharc_err err;
        SHARC_AUTO(sharc_freep) char *text = sharc_asprintf("# comment\n\n%s", bad[i]);
        int r = sharc_secrets_add_cookies(s, sharc_span_of(text), "my-cookies", NOW, &n, &err);
        if (r != SHARC_ESYNTAX) {
            if (i == SHARC_LENGTH(bad) - 1) continue; /* port 80 is http's own */
            fail_msg("taken: %s", bad[i]);
        }
        assert_non_null(strstr(err.text, "my-cookies: line "));
        assert_null(strstr(err.text, "SECRET"));
    }
}

static struct sharc_secrets *headers(const char *const *list, size_t n)
{
    struct sharc_secrets *s = sharc_secrets_new();
    struct sharc_err err;
    for (size_t i = 0; i < n; i++)
        if (sharc_secrets_add_header(s, sharc_span_of(list[i]), &err) < 0) fail_msg("%s: %s", list[i], err.text);
    return s;
}

static void add_home(struct sharc_secrets *s, const char *url)
{
    struct sharc_url u = SHARC_URL_INIT;
    assert_int_equal(sharc_url_parse(&u, sharc_span_of(url), NULL, NULL), 0);
    sharc_secrets_add_home(s, &u);
    sharc_url_done(&u);
}

static void headers_go_where_they_belong(void **state)
{
    (void)state;
    static const char *const given[] = {
        "Authorization: Basic dTpw==",
        "a.example=X-A: 1",
        "b.example:8080=X-B:2=3:4",
        ".c.example=X-C: 3",
        "https://d.example=X-D: 4",
        "[2001:db8::1]=X-E:   5 ",
        "X-F:a=b",
        "a.example=Cookie: q=1",
        "e.example:80=X-G: 7",
        "http://f.example:81=X-H:",
    };
    static const char *const cases[][2] = {
        {"https://home.example/x", "Authorization: Basic dTpw==\nX-F: a=b\n"},
        {"http://home.example/x", ""}, /* not in the clear when the seed is https */
        {"https://home.example:8443/x", ""},
        {"https://sub.home.example/", ""},
        {"http://plain.example/", "Authorization: Basic dTpw==\nX-F: a=b\n"},
        {"https://plain.example/", "Authorization: Basic dTpw==\nX-F: a=b\n"},
        {"http://plain.example:8080/", ""},
        {"http://local.example:8000/", "Authorization: Basic dTpw==\nX-F: a=b\n"},
        {"https://local.example/", ""},
        {"http://a.example/", "X-A: 1\nCookie: q=1\n"},
        {"https://a.example/", "X-A: 1\nCookie: q=1\n"},
        {"http://a.example:81/", ""},
        {"http://x.a.example/", ""},
        {"http://b.example:8080/", "X-B: 2=3:4\n"},
        {"http://b.example/", ""},
        {"http://c.example/", "X-C: 3\n"},
        {"http://x.y.c.example/", "X-C: 3\n"},
        {"http://xc.example/", ""},
        {"https://d.example/", "X-D: 4\n"},
        {"http://d.example/", ""},
        {"http://[2001:db8::1]/", "X-E: 5\n"},
        {"http://[2001:db8::2]/", ""},
        {"http://e.example/", "X-G: 7\n"},
        {"https://e.example/", ""},
        {"http://f.example:81/", "X-H: \n"},
        {"http://other.example/", ""},
    };
    SHARC_AUTO(sharc_secrets_freep) struct sharc_secrets *s = headers(given, SHARC_LENGTH(given));
    assert_string_equal(sent(s, "https://home.example/x"), ""); /* no home yet */
    add_home(s, "https://home.example/in/");
    add_home(s, "http://plain.example/");
    add_home(s, "http://local.example:8000/");
    for (size_t i = 0; i < SHARC_LENGTH(cases); i++)
        if (strcmp(sent(s, cases[i][0]), cases[i][1]) != 0)
            fail_msg("%s got \"%s\"", cases[i][0], sent(s, cases[i][0]));
}

static void refuses_what_is_no_header(void **state)
{
    (void)state;
    static const char *const bad[] = {
        "SECRET",
        "",
        ": SECRET",
        "a b: SECRET",
        "X: SECRET\r\nY: z",
        "X: SECRET\n",
        "Host: SECRET",
        "range: SECRET",
        "Proxy-Authorization: SECRET",
        "If-None-Match: SECRET",
        ".com=X: SECRET",
        "ftp://h.example=X: SECRET",
        "h.example/path=X: SECRET",
        "h.example=SECRET",
        "http://=X: SECRET",
        "=X: SECRET",
    };
    for (size_t i = 0; i < SHARC_LENGTH(bad); i++) {
        SHARC_AUTO(sharc_secrets_freep) struct sharc_secrets *s = sharc_secrets_new();
        struct sharc_err err;
        if (sharc_secrets_add_header(s, sharc_span_of(bad[i]), &err) != SHARC_ESYNTAX) {
            if (i == 5) continue; /* white space at the end is no line break */
            fail_msg("taken: %s", bad[i]);
        }
        assert_null(strstr(err.text, "SECRET"));
    }
}

static void withholds_values(void **state)
{
    (void)state;
    static const char *const given[] = {"X-Key: SECRET", "Accept-Language: de"};
    SHARC_AUTO(sharc_secrets_freep) struct sharc_secrets *s = headers(given, 2);
    SHARC_AUTO(sharc_buf_done) struct sharc_buf head = SHARC_BUF_INIT(1 << 16);
    sharc_buf_put_str(&head, "GET http://h/?x:y HTTP/1.1\r\nHost: h\r\nproxy-AUTHORIZATION: Basic SECRET\r\n"
                             "x-key: SECRET\r\nAccept-Language: de\r\nCookie:SECRET\nAuthorization: SECRET\r\n\r\n");
    sharc_secrets_redact(s, &head);
    assert_string_equal(sharc_buf_str(&head),
                        "GET http://h/?x:y HTTP/1.1\r\nHost: h\r\nproxy-AUTHORIZATION: [withheld by sharc]\r\n"
                        "x-key: [withheld by sharc]\r\nAccept-Language: de\r\nCookie: [withheld by sharc]\n"
                        "Authorization: [withheld by sharc]\r\n\r\n");
    sharc_buf_clear(&head);
    sharc_buf_put_str(&head, "Cookie: SECRET"); /* cut anywhere */
    sharc_secrets_redact(NULL, &head);
    assert_string_equal(sharc_buf_str(&head), "Cookie: [withheld by sharc]");
}

static void cookies_of_one_request_are_bounded(void **state)
{
    (void)state;
    SHARC_AUTO(sharc_buf_done) struct sharc_buf file = SHARC_BUF_INIT(1 << 20);
    for (int i = 0; i < 300; i++) sharc_buf_printf(&file, "h.example\tTRUE\t/\tFALSE\t0\tn%d\t%0500d\n", i, i);
    SHARC_AUTO(sharc_secrets_freep) struct sharc_secrets *s = cookies(sharc_buf_str(&file));
    struct sharc_secret_fields f = {0};
    struct sharc_url u = SHARC_URL_INIT;
    struct sharc_err err;
    assert_int_equal(sharc_url_parse(&u, SHARC_SPAN("http://u:p@h.example/"), NULL, NULL), 0);
    assert_int_equal(sharc_secrets_for(s, &u, NOW, &f, &err), SHARC_ELIMIT);
    assert_non_null(strstr(err.text, "***@h.example"));
    sharc_secret_fields_done(&f);
    sharc_url_done(&u);
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(cookies_go_where_they_belong),       cmocka_unit_test(counts_what_has_expired),
    cmocka_unit_test(bad_lines_are_named_and_not_quoted), cmocka_unit_test(headers_go_where_they_belong),
    cmocka_unit_test(refuses_what_is_no_header),          cmocka_unit_test(withholds_values),
    cmocka_unit_test(cookies_of_one_request_are_bounded),
};
TEST_MAIN(tests)

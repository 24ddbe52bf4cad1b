/* SPDX-License-Identifier: Apache-2.0
 *
 * Parsing and resolving, in cases of our own.
 */
#include "test.h"

#include "sharc/base_rng.h"
#include "sharc/url.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

struct expectation {
    const char *base, *input, *href; /* href NULL: refused */
};

static void expect_all(const struct expectation *cases, size_t n)
{
    struct sharc_url base = SHARC_URL_INIT, u = SHARC_URL_INIT;
    for (size_t i = 0; i < n; i++) {
        const struct expectation *c = &cases[i];
        struct sharc_err err = SHARC_ERR_INIT;
        if (c->base) assert_int_equal(sharc_url_parse(&base, sharc_span_of(c->base), NULL, NULL), 0);
        int r = sharc_url_parse(&u, sharc_span_of(c->input), c->base ? &base : NULL, &err);
        if (!c->href) {
            if (r != SHARC_ESYNTAX) print_error("\"%s\" gives \"%s\"\n", c->input, u.p);
            assert_int_equal(r, SHARC_ESYNTAX);
            assert_int_equal(u.n, 0);
            continue;
        }
        if (r < 0) print_error("%s\n", err.text);
        assert_int_equal(r, 0);
        assert_span(sharc_url_href(&u), c->href);
    }
    sharc_url_done(&base);
    sharc_url_done(&u);
}

static void writes_urls_in_one_way(void **state)
{
    (void)state;
    static const struct expectation cases[] = {
        {NULL, "HTTP://Library.Example:80/Shelf", "http://library.example/Shelf"},
        {NULL, "https://library.example:443", "https://library.example/"},
        {NULL, "https://library.example:00444/", "https://library.example:444/"},
        {NULL, "http://library.example:/", "http://library.example/"},
        {NULL, "  \t https://a.example/b\n c  ", "https://a.example/b%20c"},
        {NULL, "ht\ntps://a.exa\tmple/", "https://a.example/"},
        {NULL, "https:a.example", "https://a.example/"},
        {NULL, "https:\\\\a.example\\b\\..\\c", "https://a.example/c"},
        {NULL, "https:////a.example//b", "https://a.example//b"},
        {NULL, "http://a.example/x/%2E%2e/y/./z/..", "http://a.example/y/"},
        {NULL, "http://a.example/../../x", "http://a.example/x"},
        {NULL, "http://a.example/%7euser/%zz", "http://a.example/%7euser/%zz"},
        {NULL, "http://a.example/a b\"c<d>e`f{g}h^i|j", "http://a.example/a%20b%22c%3Cd%3Ee%60f%7Bg%7Dh%5Ei|j"},
        {NULL, "http://a.example/?it's#it's `", "http://a.example/?it%27s#it's%20%60"},
        {NULL, "other://a.example/?it's", "other://a.example/?it's"},
        {NULL, "http://a.example?", "http://a.example/?"},
        {NULL, "http://a.example#", "http://a.example/#"},
        {NULL, "http://me@a.example", "http://me@a.example/"},
        {NULL, "http://me:@a.example", "http://me@a.example/"},
        {NULL, "http://:secret@a.example", "http://:secret@a.example/"},
        {NULL, "http://me@home:x@y@a.example/", "http://me%40home:x%40y@a.example/"},
        {NULL, "ws://a.example:80/s", "ws://a.example/s"},
        {NULL, "ftp://a.example:21/f", "ftp://a.example/f"},
        {NULL, "mailto:Librarian@a.example", "mailto:Librarian@a.example"},
        {NULL, "data:text/plain,a b ?c", "data:text/plain,a b%20?c"},
        {NULL, "urn:isbn:0451450523", "urn:isbn:0451450523"},
        {NULL, "other:/..//x", "other:/.//x"},
        {NULL, "other://HOST/A/../B", "other://HOST/B"},
        {NULL, "other://", "other://"},
    };
    expect_all(cases, SHARC_LENGTH(cases));
}

static void resolves_references(void **state)
{
    (void)state;
    static const char page[] = "https://me:pw@a.example:8443/shelf/book?page=2#top";
    static const struct expectation cases[] = {
        {page, "", "https://me:pw@a.example:8443/shelf/book?page=2"},
        {page, "#end", "https://me:pw@a.example:8443/shelf/book?page=2#end"},
        {page, "?page=3", "https://me:pw@a.example:8443/shelf/book?page=3"},
        {page, "?", "https://me:pw@a.example:8443/shelf/book?"},
        {page, "next", "https://me:pw@a.example:8443/shelf/next"},
        {page, "./next/", "https://me:pw@a.example:8443/shelf/next/"},
        {page, "../../../x", "https://me:pw@a.example:8443/x"},
        {page, "..", "https://me:pw@a.example:8443/"},
        {page, "/x/y", "https://me:pw@a.example:8443/x/y"},
        {page, "\\x", "https://me:pw@a.example:8443/x"},
        {page, "//b.example/x", "https://b.example/x"},
        {page, "/\\b.example/x", "https://b.example/x"},
        {page, "https:next", "https://me:pw@a.example:8443/shelf/next"},
        {page, "http:next", "http://next/"},
        {page, "mailto:x", "mailto:x"},
        {"mailto:x?subject=y", "#z", "mailto:x?subject=y#z"},
        {"mailto:x", "y", NULL},
        {"mailto:x", "?y", NULL},
        {"other://h", "x", "other://h/x"},
        {"other://h/a/b", "//i/c", "other://i/c"},
        {"other:/.//a/b", "c", "other:/.//a/c"},
        {NULL, "/x", NULL},
        {NULL, "", NULL},
    };
    expect_all(cases, SHARC_LENGTH(cases));
}

static void reads_file_urls(void **state)
{
    (void)state;
    static const struct expectation cases[] = {
        {NULL, "file:/etc/hosts", "file:///etc/hosts"},       {NULL, "file://localhost/etc/hosts", "file:///etc/hosts"},
        {NULL, "file://server/share", "file://server/share"}, {NULL, "file:c|/windows", "file:///c:/windows"},
        {NULL, "file://C:/x/../..", "file:///C:/"},           {"file:///C:/a/b", "/d", "file:///C:/d"},
        {"file:///C:/a/b", "D|/d", "file:///D:/d"},           {"file:///a/b?q", "", "file:///a/b?q"},
        {"file://server/a/b", "c", "file://server/a/c"},      {NULL, "file://ser ver/", NULL},
    };
    expect_all(cases, SHARC_LENGTH(cases));
}

static void reads_hosts(void **state)
{
    (void)state;
    static const struct expectation cases[] = {
        {NULL, "http://0x7f.1/", "http://127.0.0.1/"},
        {NULL, "http://3232235777", "http://192.168.1.1/"},
        {NULL, "http://010.020.030.040/", "http://8.16.24.32/"},
        {NULL, "http://1.2.3.4./", "http://1.2.3.4/"},
        {NULL, "http://1.2.3.4.5/", NULL},
        {NULL, "http://256.1.1.1/", NULL},
        {NULL, "http://a.09/", NULL},
        {NULL, "http://[::FFFF:10.0.0.1]:80/", "http://[::ffff:a00:1]/"},
        {NULL, "http://[1:0:0:2:0:0:0:3]/", "http://[1:0:0:2::3]/"},
        {NULL, "http://[::]/", "http://[::]/"},
        {NULL, "http://[1::2::3]/", NULL},
        {NULL, "http://[::1/", NULL},
        {NULL, "http://[::01.2.3.4]/", NULL},
        {NULL, "http://M%c3%bcnchen.example/", "http://xn--mnchen-3ya.example/"},
        {NULL, "http://m\xc3\xbcnchen.example/", "http://xn--mnchen-3ya.example/"},
        {NULL, "http://\xe6\x97\xa5\xe6\x9c\xac\xe3\x80\x82jp/", "http://xn--wgv71a.jp/"},
        {NULL,
         "http://stra\xc3\x9f"
         "e.example/",
         "http://xn--strae-oqa.example/"},
        {NULL, "http://xn--no-such-thing-here.example/", "http://xn--no-such-thing-here.example/"},
        {NULL, "http://\xff.example/", NULL},
        {NULL, "http://a%00b/", NULL},
        {NULL, "http://a b/", NULL},
        {NULL, "http://a<b/", NULL},
        {NULL, "http://under_score.example/", "http://under_score.example/"},
        {NULL, "http:///", NULL},
        {NULL, "http://@/", NULL},
        {NULL, "http://:80/", NULL},
        {NULL, "http://a:65536/", NULL},
        {NULL, "http://a:8x/", NULL},
        {NULL, "other://a b/", NULL},
        {NULL, "other://A%zz\xc3\xbc/", "other://A%zz%C3%BC/"},
    };
    expect_all(cases, SHARC_LENGTH(cases));
}

/* Bytes that are no UTF-8 are kept as they are. */
static void keeps_foreign_bytes(void **state)
{
    (void)state;
    static const struct expectation cases[] = {
        {NULL, "http://a.example/caf\xe9?\xe9#\xe9", "http://a.example/caf%E9?%E9#%E9"},
        {NULL, "http://a.example/\xc3\xa9", "http://a.example/%C3%A9"},
    };
    expect_all(cases, SHARC_LENGTH(cases));
}

static void hands_out_parts(void **state)
{
    (void)state;
    struct sharc_url u = SHARC_URL_INIT;
    SHARC_AUTO(sharc_buf_done) struct sharc_buf b = SHARC_BUF_INIT(SHARC_LIMIT_URL);
    assert_int_equal(sharc_url_parse(&u, SHARC_SPAN("https://me:pw@a.example:8443/x/y?q=1#f"), NULL, NULL), 0);
    assert_span(sharc_url_scheme(&u), "https");
    assert_span(sharc_url_user(&u), "me");
    assert_span(sharc_url_password(&u), "pw");
    assert_span(sharc_url_host(&u), "a.example");
    assert_span(sharc_url_host_port(&u), "a.example:8443");
    assert_span(sharc_url_port_text(&u), "8443");
    assert_int_equal(sharc_url_port(&u), 8443);
    assert_span(sharc_url_path(&u), "/x/y");
    assert_span(sharc_url_query(&u), "q=1");
    assert_span(sharc_url_fragment(&u), "f");
    assert_span(sharc_url_target(&u), "/x/y?q=1");
    assert_span(sharc_url_page(&u), "https://me:pw@a.example:8443/x/y?q=1");
    assert_int_equal(sharc_url_origin(&u, &b), 0);
    assert_span(sharc_buf_span(&b), "https://a.example:8443");

    sharc_url_strip_fragment(&u);
    sharc_url_strip_credentials(&u);
    assert_span(sharc_url_href(&u), "https://a.example:8443/x/y?q=1");
    assert_span(sharc_url_host_port(&u), "a.example:8443");
    assert_span(sharc_url_query(&u), "q=1");
    assert_null(sharc_url_user(&u).p);
    assert_null(sharc_url_fragment(&u).p);

    assert_int_equal(sharc_url_parse(&u, SHARC_SPAN("http://a.example/?#"), NULL, NULL), 0);
    assert_int_equal(sharc_url_port(&u), 80);
    assert_null(sharc_url_port_text(&u).p);
    assert_non_null(sharc_url_query(&u).p); /* there, and empty */
    assert_int_equal(sharc_url_query(&u).n, 0);
    assert_int_equal(u.host_kind, SHARC_HOST_DOMAIN);

    assert_int_equal(sharc_url_parse(&u, SHARC_SPAN("mailto:x"), NULL, NULL), 0);
    assert_int_equal(u.host_kind, SHARC_HOST_NONE);
    assert_null(sharc_url_host(&u).p);
    assert_span(sharc_url_path(&u), "x");
    assert_true(u.opaque_path);
    sharc_url_done(&u);
}

static void copies_and_reuses_memory(void **state)
{
    (void)state;
    struct sharc_url a = SHARC_URL_INIT, b = SHARC_URL_INIT;
    assert_int_equal(sharc_url_parse(&a, SHARC_SPAN("https://a.example/x"), NULL, NULL), 0);
    assert_int_equal(sharc_url_copy(&b, &a), 0);
    assert_int_equal(sharc_url_parse(&a, SHARC_SPAN("http://["), NULL, NULL), SHARC_ESYNTAX);
    assert_int_equal(a.n, 0);
    assert_int_equal(sharc_url_parse(&a, SHARC_SPAN("y"), &b, NULL), 0);
    assert_span(sharc_url_href(&a), "https://a.example/y");
    sharc_url_done(&a);
    sharc_url_done(&b);
}

static void sets_parts(void **state)
{
    (void)state;
    static const struct {
        const char *href;
        enum sharc_url_part part;
        const char *value, *result;
    } cases[] = {
        {"http://a.example:443/x", SHARC_URL_PROTOCOL, "https", "https://a.example/x"},
        {"http://a.example/x", SHARC_URL_PROTOCOL, "mailto", "http://a.example/x"},
        {"http://a.example/x", SHARC_URL_HOST, "b.example:81", "http://b.example:81/x"},
        {"http://a.example/x", SHARC_URL_HOSTNAME, "b.example:81", "http://a.example/x"},
        {"http://a.example:81/x", SHARC_URL_PORT, "", "http://a.example/x"},
        {"http://a.example/x", SHARC_URL_PATHNAME, "y/../z?", "http://a.example/z%3F"},
        {"http://a.example/x?q#f", SHARC_URL_SEARCH, "", "http://a.example/x#f"},
        {"http://a.example/x?q#f", SHARC_URL_HASH, "#g h", "http://a.example/x?q#g%20h"},
        {"http://a.example/", SHARC_URL_USERNAME, "a:b", "http://a%3Ab@a.example/"},
        {"http://u@a.example/", SHARC_URL_PASSWORD, "p", "http://u:p@a.example/"},
        {"http://u@a.example/", SHARC_URL_USERNAME, "", "http://a.example/"},
        {"mailto:x", SHARC_URL_PATHNAME, "y", "mailto:x"},
    };
    struct sharc_url u = SHARC_URL_INIT;
    for (size_t i = 0; i < SHARC_LENGTH(cases); i++) {
        assert_int_equal(sharc_url_parse(&u, sharc_span_of(cases[i].href), NULL, NULL), 0);
        assert_int_equal(sharc_url_set(&u, cases[i].part, sharc_span_of(cases[i].value), NULL), 0);
        assert_span(sharc_url_href(&u), cases[i].result);
    }
    assert_int_equal(sharc_url_set(&u, SHARC_URL_HREF, SHARC_SPAN("nonsense"), NULL), SHARC_ESYNTAX);
    assert_span(sharc_url_href(&u), "mailto:x");
    sharc_url_done(&u);
}

static void refuses_what_is_too_long(void **state)
{
    (void)state;
    static char text[SHARC_LIMIT_URL + 2];
    struct sharc_url u = SHARC_URL_INIT, base = SHARC_URL_INIT;
    struct sharc_err err = SHARC_ERR_INIT;
    memset(text, 'x', sizeof text);
    memcpy(text, "http://a.example/", 17);
    assert_int_equal(sharc_url_parse(&u, sharc_span(text, SHARC_LIMIT_URL), NULL, NULL), 0);
    assert_int_equal(u.n, SHARC_LIMIT_URL);
    assert_int_equal(sharc_url_set(&u, SHARC_URL_HASH, SHARC_SPAN("f"), &err), SHARC_ELIMIT);
    assert_int_equal(u.n, SHARC_LIMIT_URL);
    assert_int_equal(sharc_url_parse(&u, sharc_span(text, SHARC_LIMIT_URL + 1), NULL, &err), SHARC_ELIMIT);
    assert_non_null(strstr(err.text, "SHARC_LIMIT_URL"));
    assert_int_equal(u.n, 0);
    memset(text + 17, ' ', 4000);
    text[4017] = '/';
    assert_int_equal(sharc_url_parse(&u, sharc_span(text, 5000), NULL, &err), SHARC_ELIMIT); /* spaces become %20 */
    memset(text + 17, 'x', 4001);
    text[SHARC_LIMIT_URL - 2] = '/';
    assert_int_equal(sharc_url_parse(&base, sharc_span(text, SHARC_LIMIT_URL - 1), NULL, NULL), 0);
    assert_int_equal(sharc_url_parse(&u, SHARC_SPAN("y"), &base, NULL), 0);
    assert_int_equal(sharc_url_parse(&u, SHARC_SPAN("yz"), &base, &err), SHARC_ELIMIT);
    sharc_url_done(&u);
    sharc_url_done(&base);
}

static void says_what_is_wrong(void **state)
{
    (void)state;
    struct sharc_url u = SHARC_URL_INIT;
    struct sharc_err err = SHARC_ERR_INIT;
    sharc_url_parse(&u, SHARC_SPAN("http://a.example:99999/"), NULL, &err);
    assert_string_equal(err.text, "\"http://a.example:99999/\" is not a URL: its port is larger than 65535");
    sharc_url_parse(&u, SHARC_SPAN("page.html"), NULL, &err);
    assert_string_equal(err.text,
                        "\"page.html\" is not a URL: it is relative and there is no base to resolve it against");
    sharc_url_done(&u);
}

static void encodes_queries_of_old_pages(void **state)
{
    (void)state;
    static const struct {
        const char *label, *input, *href;
    } cases[] = {
        {"ISO-8859-1", "http://a.example/\xc3\xa9?\xc3\xa9&\xe2\x82\xac", "http://a.example/%C3%A9?%E9&%80"},
        {" Windows-1251 ", "http://a.example/?\xd0\xb4", "http://a.example/?%E4"},
        {"shift_jis", "http://a.example/?\xe3\x81\x82'", "http://a.example/?%82%A0%27"},
        {"windows-1252", "http://a.example/?\xd0\xb4#\xd0\xb4", "http://a.example/?%26%231076%3B#%D0%B4"},
        {"euc-jp", "wss://a.example/?\xc3\xa9", "wss://a.example/?%C3%A9"},
        {"utf-16", "http://a.example/?\xc3\xa9", "http://a.example/?%C3%A9"},
    };
    struct sharc_url u = SHARC_URL_INIT;
    struct sharc_err err = SHARC_ERR_INIT;
    for (size_t i = 0; i < SHARC_LENGTH(cases); i++) {
        SHARC_AUTO(sharc_url_charset_freep) struct sharc_url_charset *charset = NULL;
        assert_int_equal(sharc_url_charset_new(sharc_span_of(cases[i].label), &charset, NULL), 0);
        assert_int_equal(sharc_url_parse_charset(&u, sharc_span_of(cases[i].input), NULL, charset, NULL), 0);
        assert_span(sharc_url_href(&u), cases[i].href);
    }
    struct sharc_url_charset *none = NULL;
    assert_int_equal(sharc_url_charset_new(SHARC_SPAN("klingon"), &none, &err), SHARC_EUNSUPPORTED);
    assert_string_equal(err.text, "\"klingon\" is not a known charset");
    sharc_url_done(&u);
}

static void expect_domain(const char *url, const char *domain, const struct sharc_suffixes *list)
{
    struct sharc_url u = SHARC_URL_INIT;
    assert_int_equal(sharc_url_parse(&u, sharc_span_of(url), NULL, NULL), 0);
    assert_span(sharc_url_registered_domain(&u, list), domain);
    sharc_url_done(&u);
}

static void knows_registered_domains(void **state)
{
    (void)state;
    expect_domain("https://news.bbc.co.uk/", "bbc.co.uk", NULL);
    expect_domain("https://www.example.org./", "example.org", NULL);
    expect_domain("https://somebody.github.io/x", "somebody.github.io", NULL);
    expect_domain("https://co.uk/", "", NULL);
    expect_domain("https://localhost/", "", NULL);
    expect_domain("https://10.0.0.1/", "", NULL);
    expect_domain("https://[::1]/", "", NULL);
    expect_domain("mailto:x", "", NULL);
    expect_domain("https://www.\xe9\xa3\x9f\xe7\x8b\xae.com.cn/", "xn--85x722f.com.cn", NULL);
}

static void takes_another_suffix_list(void **state)
{
    (void)state;
    char *dir = test_mkdir(), path[4096];
    snprintf(path, sizeof path, "%s/list.dat", dir);
    FILE *f = fopen(path, "w");
    fputs("org\nlibrary.org\n", f);
    fclose(f);
    SHARC_AUTO(sharc_suffixes_freep) struct sharc_suffixes *list = NULL;
    struct sharc_err err = SHARC_ERR_INIT;
    assert_int_equal(sharc_suffixes_open(path, &list, &err), 0);
    expect_domain("https://a.b.library.org/", "b.library.org", list);
    struct sharc_suffixes *none = NULL;
    assert_int_equal(sharc_suffixes_open("/nowhere/list.dat", &none, &err), SHARC_EIO);
    assert_non_null(strstr(err.text, "/nowhere/list.dat"));
    test_rmdir(dir);
}

static void *parse_many(void *arg)
{
    struct sharc_url u = SHARC_URL_INIT;
    size_t *good = arg;
    for (int i = 0; i < 2000; i++) {
        if (sharc_url_parse(&u, SHARC_SPAN("http://m\xc3\xbcnchen.example/\xc3\xbc?q"), NULL, NULL) == 0 &&
            sharc_span_is(sharc_url_href(&u), "http://xn--mnchen-3ya.example/%C3%BC?q"))
            ++*good;
    }
    sharc_url_done(&u);
    return NULL;
}

static void parses_in_threads(void **state)
{
    (void)state;
    pthread_t threads[4];
    size_t good[4] = {0};
    for (int i = 0; i < 4; i++) assert_int_equal(pthread_create(&threads[i], NULL, parse_many, &good[i]), 0);
    for (int i = 0; i < 4; i++) {
        pthread_join(threads[i], NULL);
        assert_int_equal(good[i], 2000);
    }
}

/* Whatever is joined without parsing is what the parser makes of it. */
static void joins_plain_references(void **state)
{
    (void)state;
    static const char *const bases[] = {"http://h.org/",  "https://u:p@h.org:81/a/b/c.html?q=/x/#f",
                                        "http://h/a//b/", "http://127.0.0.1:8/x",
                                        "ftp://h/a/b",    "mailto:x"};
    static const char *const parts[] = {"a",  "page.html", "/",   "../", "..",    ".", "./", "#",   "#x y",
                                        "?q", "%2e",       "%20", ":",   "\\",    " ", "@",  "-_~", "+,=!()*",
                                        "//", "\xc3\xa9",  "&",   ";",   "http:", "",  "Z9"};
    struct sharc_url base = SHARC_URL_INIT, u = SHARC_URL_INIT;
    struct sharc_rng r;
    unsigned plain = 0;
    sharc_rng_init(&r, 1);
    for (int round = 0; round < 200000; round++) {
        SHARC_AUTO(sharc_buf_done) struct sharc_buf ref = SHARC_BUF_INIT(1024), joined = SHARC_BUF_INIT(4096);
        struct sharc_span head, tail;
        assert_int_equal(sharc_url_parse(&base, sharc_span_of(bases[sharc_rng_below(&r, SHARC_LENGTH(bases))]), NULL,
                                         NULL),
                         0);
        for (uint64_t n = sharc_rng_below(&r, 6); n > 0; n--)
            sharc_buf_put_str(&ref, parts[sharc_rng_below(&r, SHARC_LENGTH(parts))]);
        if (!sharc_url_join_plain(&base, sharc_buf_span(&ref), &head, &tail)) continue;
        sharc_buf_put(&joined, head);
        sharc_buf_put(&joined, tail);
        assert_int_equal(sharc_url_parse(&u, sharc_buf_span(&ref), &base, NULL), 0);
        if (!sharc_span_eq(sharc_url_page(&u), sharc_buf_span(&joined)))
            fail_msg("%s at %s: %s, not %s", ref.p, base.p, joined.p, u.p);
        plain++;
    }
    assert_true(plain > 10000);
    sharc_url_done(&base);
    sharc_url_done(&u);
}

static void takes_what_people_type(void **state)
{
    (void)state;
    static const char *const cases[][2] = {
        {"example.org", "https://example.org/"},
        {" example.org/path?q#f ", "https://example.org/path?q#f"},
        {"example.org?q", "https://example.org/?q"},
        {"//example.org/x", "https://example.org/x"},
        {"EXAMPLE.org:443/x", "https://example.org/x"},
        {"example.org:80/x", "http://example.org/x"},
        {"example.org:8080", "http://example.org:8080/"},
        {"localhost", "http://localhost/"},
        {"localhost:8080", "http://localhost:8080/"},
        {"wiki/page", "http://wiki/page"},
        {"a.localhost", "http://a.localhost/"},
        {"127.0.0.1/x", "http://127.0.0.1/x"},
        {"192.0.2.7:81", "http://192.0.2.7:81/"},
        {"[::1]:8080/x", "http://[::1]:8080/x"},
        {"user:pw@example.org/", NULL}, /* might be a scheme */
        {"b\xC3\xBC"
         "cher.example",
         "https://xn--bcher-kva.example/"},
        {"http://example.org", "http://example.org/"},
        {"https://example.org", "https://example.org/"},
        {"HTTP://example.org", "http://example.org/"},
        {"ftp://example.org/", "ftp://example.org/"},
        {"mailto:a@example.org", "mailto:a@example.org"},
        {"http:example.org", "http://example.org/"},
        {"/path", NULL},
        {"./path", NULL},
        {"?q", NULL},
        {"", NULL},
        {"exa mple.org", NULL},
    };
    struct sharc_url u = SHARC_URL_INIT;
    for (size_t i = 0; i < SHARC_LENGTH(cases); i++) {
        struct sharc_err err;
        int r = sharc_url_parse_typed(&u, sharc_span_of(cases[i][0]), &err);
        if (i == 14) {
            assert_false(r == 0 && sharc_url_is_http(&u));
        } else if (!cases[i][1]) {
            assert_int_equal(r, SHARC_ESYNTAX);
        } else {
            if (r < 0) fail_msg("%s: %s", cases[i][0], err.text);
            assert_span(sharc_url_href(&u), cases[i][1]);
        }
    }
    sharc_url_done(&u);
}

static void shows_no_password(void **state)
{
    (void)state;
    static const char *const cases[][2] = {
        {"http://u:secret@h/x@y", "http://***@h/x@y"},
        {"http://h/a@b:c", "http://h/a@b:c"},
        {"ftp://u:secret@h", "ftp://***@h"},
        {"u:secret@h/", "***@h/"},
        {"//secret@h?x", "//***@h?x"},
        {"http://a@secret@h#", "http://***@h#"},
        {"mailto:a@b", "mailto:a@b"},
        {"", ""},
    };
    char out[SHARC_URL_SHOWN];
    for (size_t i = 0; i < SHARC_LENGTH(cases); i++)
        assert_string_equal(sharc_url_shown(sharc_span_of(cases[i][0]), out), cases[i][1]);
    assert_null(strstr(sharc_url_shown(SHARC_SPAN("http:\\\\u:secret@h"), out), "secret"));
    struct sharc_err err;
    struct sharc_url u = SHARC_URL_INIT;
    assert_int_equal(sharc_url_parse(&u, SHARC_SPAN("http://u:secret@a b/"), NULL, &err), SHARC_ESYNTAX);
    assert_null(strstr(err.text, "secret"));
    sharc_url_done(&u);
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(takes_what_people_type),
    cmocka_unit_test(shows_no_password),
    cmocka_unit_test(writes_urls_in_one_way),
    cmocka_unit_test(resolves_references),
    cmocka_unit_test(reads_file_urls),
    cmocka_unit_test(reads_hosts),
    cmocka_unit_test(keeps_foreign_bytes),
    cmocka_unit_test(hands_out_parts),
    cmocka_unit_test(copies_and_reuses_memory),
    cmocka_unit_test(sets_parts),
    cmocka_unit_test(refuses_what_is_too_long),
    cmocka_unit_test(says_what_is_wrong),
    cmocka_unit_test(encodes_queries_of_old_pages),
    cmocka_unit_test(knows_registered_domains),
    cmocka_unit_test(takes_another_suffix_list),
    cmocka_unit_test(joins_plain_references),
    cmocka_unit_test(parses_in_threads),
};
TEST_MAIN(tests)

/* SPDX-License-Identifier: Apache-2.0 */
#include "test.h"

#include "sharc/base_codec.h"
#include "sharc/http.h"

#include <stdio.h>
#include <stdlib.h>

/* --- chunked ------------------------------------------------------------- */

struct outcome {
    char data[4096];
    size_t n;
    int result; /* of the end, or the first failure */
    struct sharc_chunked c;
    size_t left; /* bytes behind the end */
};

/* Feed text in pieces of the given size. */
static void decode(const char *text, size_t piece, bool tolerant, struct outcome *ret)
{
    struct sharc_span rest = sharc_span_of(text), data;
    memset(ret, 0, sizeof *ret);
    sharc_chunked_init(&ret->c, tolerant);
    while (rest.n > 0 && !ret->c.done) {
        struct sharc_span in = sharc_span_sub(rest, 0, piece);
        rest = sharc_span_from(rest, in.n);
        int r;
        while ((r = sharc_chunked_step(&ret->c, &in, &data)) > 0) {
            memcpy(ret->data + ret->n, data.p, data.n);
            ret->n += data.n;
        }
        ret->result = r;
        if (r < 0) return;
        if (ret->c.done) ret->left = in.n + rest.n;
    }
    ret->result = sharc_chunked_end(&ret->c, &data);
    if (ret->result > 0) {
        memcpy(ret->data + ret->n, data.p, data.n);
        ret->n += data.n;
        ret->result = 0;
    }
}

static void chunks(void **state)
{
    (void)state;
    static const struct {
        const char *text, *data;
        int strict, tolerant;
        bool not_chunked, damaged;
    } cases[] = {
        {"4\r\nWiki\r\n5\r\npedia\r\n0\r\n\r\n", "Wikipedia", 0, 0, false, false},
        {"4\nWiki\n5\npedia\n0\n\n", "Wikipedia", 0, 0, false, false},
        {"4;ext=\"x\"\r\nWiki\r\n00005 \r\npedia\r\n0\r\nTrailer: x\r\n\r\n", "Wikipedia", 0, 0, false, false},
        {"A\r\n0123456789\r\n0\r\n", "0123456789", 0, 0, false, false},
        {"0\r\n\r\n", "", 0, 0, false, false},
        {"", "", 0, 0, false, false},
        {"4\r\nWiki\r\n5\r\nped", "Wikiped", SHARC_ETRUNC, SHARC_ETRUNC, false, false},
        {"4\r\nWiki\r\n", "Wiki", SHARC_ETRUNC, SHARC_ETRUNC, false, false},
        {"<html>not chunked</html>\n", "<html>not chunked</html>\n", SHARC_ESYNTAX, 0, true, false},
        {"abandon hope\n", "abandon hope\n", SHARC_ESYNTAX, 0, true, false},
        {"bad", "bad", SHARC_ETRUNC, 0, true, false},
        {"b", "b", SHARC_ETRUNC, 0, true, false},
        {"4\r\nWiki\r\nrubbish\r\n", "Wikirubbish\r\n", SHARC_ESYNTAX, 0, false, true},
        {"4\r\nWikipedia\r\n0\r\n\r\n", "Wikipedia\r\n0\r\n\r\n", SHARC_ESYNTAX, 0, false, true},
        {"ffffffffffffffffffff\r\nx", "ffffffffffffffffffff\r\nx", SHARC_ESYNTAX, 0, true, false},
        {"4\r\nWiki\rxx", "Wiki\rxx", SHARC_ESYNTAX, 0, false, true},
        {"-4\r\nWiki", "-4\r\nWiki", SHARC_ESYNTAX, 0, true, false},
    };
    for (size_t i = 0; i < SHARC_LENGTH(cases); i++) {
        for (size_t piece = 1; piece < 40; piece++) {
            struct outcome o;
            decode(cases[i].text, piece, false, &o);
            if (o.result != cases[i].strict) fail_msg("strict, by %zu: %d for %s", piece, o.result, cases[i].text);
            decode(cases[i].text, piece, true, &o);
            if (o.result != cases[i].tolerant || strcmp(o.data, cases[i].data) != 0)
                fail_msg("by %zu: %d \"%s\" for %s", piece, o.result, o.data, cases[i].text);
            assert_int_equal(o.c.not_chunked, cases[i].not_chunked);
            assert_int_equal(o.c.damaged, cases[i].damaged);
        }
    }
}

static void bytes_behind_the_end_are_left(void **state)
{
    (void)state;
    struct outcome o;
    decode("0\r\n\r\nHTTP/1.1 200 OK", 100, false, &o);
    assert_true(o.c.done);
    assert_int_equal(o.left, 15);
}

/* --- codings ------------------------------------------------------------- */

static void put_gzip(struct sharc_buf *b, struct sharc_span plain)
{
    struct sharc_deflate *d = sharc_deflate_new(6);
    assert_int_equal(sharc_deflate_member(d, plain, b), 0);
    sharc_deflate_free(d);
}

static void put_chunks(struct sharc_buf *b, struct sharc_span s, size_t size)
{
    for (size_t at = 0; at < s.n; at += size) {
        struct sharc_span piece = sharc_span_sub(s, at, at + size);
        sharc_buf_printf(b, "%zx\r\n", piece.n);
        sharc_buf_put(b, piece);
        sharc_buf_put_str(b, "\r\n");
    }
    sharc_buf_put_str(b, "0\r\n\r\n");
}

static struct sharc_http_body_state decode_body(const char *head, unsigned how, struct sharc_span body,
                                                struct sharc_buf *out)
{
    struct sharc_http h = {0};
    struct sharc_http_body_state s = {0};
    struct sharc_err err = SHARC_ERR_INIT;
    assert_true(sharc_http_parse(&h, sharc_span_of(head), true, NULL) > 0);
    sharc_buf_clear(out);
    int r = sharc_http_decode(&h, how, body, out, &s, &err);
    if (r < 0) fail_msg("%s", err.text);
    sharc_http_done(&h);
    return s;
}

#define GZIP_CHUNKED "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\nContent-Encoding: gzip\r\n\r\n"

static void codings_are_undone(void **state)
{
    (void)state;
    SHARC_AUTO(sharc_buf_done) struct sharc_buf text = SHARC_BUF_INIT(1 << 20), gz = SHARC_BUF_INIT(1 << 20);
    SHARC_AUTO(sharc_buf_done) struct sharc_buf body = SHARC_BUF_INIT(1 << 20), out = SHARC_BUF_INIT(1 << 20);
    for (int i = 0; i < 20000; i++) sharc_buf_printf(&text, "line %d\n", i);
    put_gzip(&gz, sharc_buf_span(&text));
    static const size_t sizes[] = {1, 7, 1000, 100000};
    for (size_t i = 0; i < SHARC_LENGTH(sizes); i++) {
        sharc_buf_clear(&body);
        put_chunks(&body, sharc_buf_span(&gz), sizes[i]);
        decode_body(GZIP_CHUNKED, SHARC_HTTP_CONTENT, sharc_buf_span(&body), &out);
        assert_true(sharc_span_eq(sharc_buf_span(&out), sharc_buf_span(&text)));
        decode_body(GZIP_CHUNKED, SHARC_HTTP_TRANSFER, sharc_buf_span(&body), &out);
        assert_true(sharc_span_eq(sharc_buf_span(&out), sharc_buf_span(&gz)));
        decode_body(GZIP_CHUNKED, 0, sharc_buf_span(&body), &out);
        assert_true(sharc_span_eq(sharc_buf_span(&out), sharc_buf_span(&body)));
    }
    /* twice, named in one field or in two, the last applied last */
    sharc_buf_clear(&body);
    put_gzip(&body, sharc_buf_span(&gz));
    decode_body("HTTP/1.1 200 OK\r\nContent-Encoding: gzip, x-gzip\r\n\r\n", SHARC_HTTP_CONTENT, sharc_buf_span(&body),
                &out);
    assert_true(sharc_span_eq(sharc_buf_span(&out), sharc_buf_span(&text)));
    decode_body("HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\nContent-Encoding: gzip\r\n\r\n", SHARC_HTTP_CONTENT,
                sharc_buf_span(&body), &out);
    assert_true(sharc_span_eq(sharc_buf_span(&out), sharc_buf_span(&text)));
}

/* The content codings that a head names, each by one name only. */
static void codings_have_one_name(void **state)
{
    (void)state;
    static const char *const heads[][2] = {
        {"", ""},
        {"Content-Encoding: identity\r\n", ""},
        {"Content-Encoding: none,, Identity\r\n", ""},
        {"Content-Encoding: GZip\r\n", "gzip"},
        {"content-encoding: X-Gzip;q=1\r\n", "gzip"},
        {"Content-Encoding: br\r\nX: y\r\nContent-Encoding: identity, x-gzip\r\n", "br, gzip"},
        {"Content-Encoding: Zork\r\n", "zork"},
    };
    for (size_t i = 0; i < SHARC_LENGTH(heads); i++) {
        SHARC_AUTO(sharc_freep) char *text = sharc_asprintf("HTTP/1.1 200 OK\r\n%s\r\n", heads[i][0]);
        SHARC_AUTO(sharc_buf_done) struct sharc_buf out = SHARC_BUF_INIT(100), tight = SHARC_BUF_INIT(2);
        struct sharc_http h = {0};
        assert_true(sharc_http_parse(&h, sharc_span_of(text), true, NULL) > 0);
        assert_int_equal(sharc_http_codings(&h, &out, NULL), 0);
        assert_span(sharc_buf_span(&out), heads[i][1]);
        if (out.n > 2) assert_int_equal(sharc_http_codings(&h, &tight, NULL), SHARC_ELIMIT);
        sharc_http_done(&h);
    }
}

static void claims_that_are_not_true(void **state)
{
    (void)state;
    SHARC_AUTO(sharc_buf_done) struct sharc_buf gz = SHARC_BUF_INIT(1 << 20), out = SHARC_BUF_INIT(1 << 20);
    struct sharc_http_body_state s =
        decode_body(GZIP_CHUNKED, SHARC_HTTP_CONTENT, SHARC_SPAN("<p>just text</p>"), &out);
    assert_span(sharc_buf_span(&out), "<p>just text</p>");
    assert_true(s.not_chunked && s.not_coded && !s.truncated);
    s = decode_body(GZIP_CHUNKED, SHARC_HTTP_CONTENT, SHARC_SPAN(""), &out);
    assert_int_equal(out.n, 0);
    assert_false(s.not_chunked || s.not_coded || s.truncated || s.damaged);
    s = decode_body("HTTP/1.1 200 OK\r\nContent-Encoding: zork\r\n\r\n", SHARC_HTTP_CONTENT, SHARC_SPAN("x"), &out);
    assert_span(sharc_buf_span(&out), "x");
    assert_true(s.unknown);
    s = decode_body("HTTP/1.1 200 OK\r\nContent-Encoding: identity, none\r\n\r\n", SHARC_HTTP_CONTENT, SHARC_SPAN("x"),
                    &out);
    assert_span(sharc_buf_span(&out), "x");
    assert_false(s.unknown);
    put_gzip(&gz, SHARC_SPAN("some text that is long enough to be cut somewhere in the middle"));
    s = decode_body("HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\n\r\n", SHARC_HTTP_CONTENT,
                    sharc_span(gz.p, gz.n - 12), &out);
    assert_true(s.truncated);
    assert_true(sharc_span_starts(sharc_buf_span(&out), SHARC_SPAN("some text")));
    sharc_buf_put(&gz, SHARC_SPAN("\0\0\0\0"));
    s = decode_body("HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\n\r\n", SHARC_HTTP_CONTENT, sharc_buf_span(&gz), &out);
    assert_false(s.damaged || s.truncated || s.surplus);
    assert_true(sharc_span_ends(sharc_buf_span(&out), SHARC_SPAN("middle")));
    sharc_buf_put_str(&gz, "what belongs to nothing");
    s = decode_body("HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\n\r\n", SHARC_HTTP_CONTENT, sharc_buf_span(&gz), &out);
    assert_true(s.surplus && !s.damaged && !s.truncated);
    assert_true(sharc_span_ends(sharc_buf_span(&out), SHARC_SPAN("middle")));
    /* Behind a stream of nothing as well. */
    sharc_buf_clear(&gz);
    put_gzip(&gz, SHARC_SPAN(""));
    sharc_buf_put_str(&gz, "tail");
    s = decode_body("HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\n\r\n", SHARC_HTTP_CONTENT, sharc_buf_span(&gz), &out);
    assert_true(s.surplus && !s.not_coded);
    assert_int_equal(out.n, 0);
}

static void bombs_are_bounded(void **state)
{
    (void)state;
    SHARC_AUTO(sharc_buf_done) struct sharc_buf zeros = SHARC_BUF_INIT(8 << 20), gz = SHARC_BUF_INIT(1 << 20);
    SHARC_AUTO(sharc_buf_done) struct sharc_buf out = SHARC_BUF_INIT(100000);
    sharc_buf_reserve(&zeros, 8 << 20);
    memset(zeros.p, 0, 8 << 20);
    zeros.n = 8 << 20;
    put_gzip(&gz, sharc_buf_span(&zeros));
    struct sharc_http h = {0};
    assert_true(sharc_http_parse(&h, SHARC_SPAN("HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\n\r\n"), true, NULL) > 0);
    assert_int_equal(sharc_http_decode(&h, SHARC_HTTP_CONTENT, sharc_buf_span(&gz), &out, NULL, NULL), SHARC_ELIMIT);
    assert_true(
        sharc_http_parse(&h, SHARC_SPAN("HTTP/1.1 200 OK\r\nContent-Encoding: gzip,gzip,gzip,gzip,gzip,gzip\r\n\r\n"),
                         true, NULL) > 0);
    assert_int_equal(sharc_http_decode(&h, SHARC_HTTP_CONTENT, sharc_buf_span(&gz), &out, NULL, NULL), SHARC_ELIMIT);
    sharc_http_done(&h);
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(chunks),
    cmocka_unit_test(bytes_behind_the_end_are_left),
    cmocka_unit_test(codings_are_undone),
    cmocka_unit_test(codings_have_one_name),
    cmocka_unit_test(claims_that_are_not_true),
    cmocka_unit_test(bombs_are_bounded),
};
TEST_MAIN(tests)

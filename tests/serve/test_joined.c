/* SPDX-License-Identifier: Apache-2.0
 *
 * Files that were captured in pieces.
 */
#include "server_test.h"

static void put_piece(struct story *s, int second, const char *url, const char *validator, int from, int to, int total)
{
    SHARC_AUTO(sharc_buf_done) struct sharc_buf b = SHARC_BUF_INIT(1u << 20);
    sharc_buf_printf(&b,
                     "HTTP/1.1 206 Partial Content\r\nContent-Type: application/pdf\r\n%sContent-Range: bytes "
                     "%d-%d/%d\r\n\r\n",
                     validator, from, to - 1, total);
    for (int i = from; i < to; i++) sharc_buf_put_char(&b, (char)('a' + i % 26));
    warc_bytes(s->w, second, url, sharc_buf_span(&b));
}

#define TAG "ETag: \"v1\"\r\n"
#define T "/web/20261101100000im_/http://a.example/"

struct row {
    const char *target, *range;
    int status;
    const char *line; /* NULL: none */
    int from, to;     /* of the body */
};

static void check(struct story *s, const struct row *rows, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        SHARC_AUTO(sharc_freep) char *range = rows[i].range ? sharc_asprintf("Range: %s\r\n", rows[i].range) : NULL;
        SHARC_AUTO(sharc_freep) char *a = get_with(s->replay, rows[i].target, range ? range : "");
        if (status_of(a) != rows[i].status) fail_msg("%s %s: %s", rows[i].target, range, a);
        if (rows[i].line) assert_line(a, rows[i].line);
        assert_line(a, REPLAY_CSP);
        const char *body = body_of(a);
        assert_int_equal(strlen(body), rows[i].to - rows[i].from);
        for (int k = rows[i].from; k < rows[i].to; k++) assert_int_equal(body[k - rows[i].from], 'a' + k % 26);
    }
}

static void test_all_pieces(void **state)
{
    struct story *s = *state;
    put_piece(s, 3, "http://a.example/x", TAG, 0, 100, 300);
    put_piece(s, 1, "http://a.example/x", TAG, 200, 300, 300);
    put_piece(s, 2, "http://a.example/x", TAG, 80, 210, 300);
    put_piece(s, 2, "http://a.example/x", TAG, 90, 110, 300);
    serve(s);
    static const struct row rows[] = {
        {T "x", NULL, 200, "Sharc-Joined: bytes 0-299/300", 0, 300},
        {T "x", "bytes=0-", 206, "Content-Range: bytes 0-299/300", 0, 300},
        {T "x", "bytes=95-205", 206, "Content-Range: bytes 95-205/300", 95, 206},
        {T "x", "bytes=-10", 206, "Content-Range: bytes 290-299/300", 290, 300},
        {T "x", "bytes=300-", 416, "Content-Range: bytes */300", 0, 0},
        {T "x", "bytes=299-", 206, "Content-Range: bytes 299-299/300", 299, 300},
    };
    check(s, rows, SHARC_LENGTH(rows));
    SHARC_AUTO(sharc_freep) char *raw = get(s->replay, "/web/20261101100001id_/http://a.example/x");
    assert_int_equal(status_of(raw), 206); /* as archived */
    assert_line(raw, "Content-Range: bytes 200-299/300");
}

static void test_gaps_are_told(void **state)
{
    struct story *s = *state;
    put_piece(s, 0, "http://a.example/x", TAG, 0, 100, 1000);
    put_piece(s, 0, "http://a.example/x", TAG, 500, 600, 1000);
    serve(s);
    static const struct row rows[] = {
        {T "x", NULL, 206, "Sharc-Partial: bytes 0-99, 500-599/1000", 0, 100},
        {T "x", NULL, 206, "Content-Range: bytes 0-99/1000", 0, 100},
        {T "x", "bytes=550-", 206, "Content-Range: bytes 550-599/1000", 550, 600},
        {T "x", "bytes=90-520", 206, "Content-Range: bytes 90-99/1000", 90, 100},
        {T "x", "bytes=200-300", 404, "Sharc-Partial: bytes 0-99, 500-599/1000", 0, 0},
        {T "x", "bytes=1000-", 416, "Content-Range: bytes */1000", 0, 0},
    };
    check(s, rows, SHARC_LENGTH(rows));
}

/* Pieces of different versions are never put together. */
static void test_versions_stay_apart(void **state)
{
    struct story *s = *state;
    put_piece(s, 0, "http://a.example/x", TAG, 0, 100, 200);
    put_piece(s, 0, "http://a.example/x", "ETag: \"v2\"\r\n", 100, 200, 200);
    put_piece(s, 0, "http://a.example/total", TAG, 0, 100, 200);
    put_piece(s, 1, "http://a.example/total", TAG, 100, 201, 201);
    put_piece(s, 0, "http://a.example/weak", "ETag: W/\"v1\"\r\n", 0, 100, 200);
    put_piece(s, 1, "http://a.example/weak", "ETag: W/\"v1\"\r\n", 100, 200, 200);
    put_piece(s, 0, "http://a.example/none", "", 0, 100, 200);
    put_piece(s, 1, "http://a.example/none", "", 100, 200, 200);
    put_piece(s, 0, "http://a.example/date", "Last-Modified: Sun, 01 Nov 2026 09:00:00 GMT\r\n", 0, 100, 200);
    put_piece(s, 1, "http://a.example/date", "Last-Modified: Sun, 01 Nov 2026 09:00:00 GMT\r\n", 100, 200, 200);
    warc_answer(s->w, 0, "http://a.example/lies",
                "HTTP/1.1 206 Partial\r\nContent-Type: application/pdf\r\nETag: \"v1\"\r\nContent-Range: bytes "
                "0-99/200\r\n\r\nshort");
    serve(s);
    static const struct row rows[] = {
        {T "x", NULL, 206, NULL, 0, 100},
        {T "total", NULL, 206, "Sharc-Partial: bytes 0-99/200", 0, 100},
        {T "weak", NULL, 206, "Content-Range: bytes 0-99/200", 0, 100},
        {T "none", NULL, 206, "Content-Range: bytes 0-99/200", 0, 100},
        {T "date", NULL, 200, "Sharc-Joined: bytes 0-199/200", 0, 200},
    };
    check(s, rows + 1, SHARC_LENGTH(rows) - 1);
    SHARC_AUTO(sharc_freep) char *one = get(s->replay, T "x");
    assert_int_equal(status_of(one), 206);
    assert_int_equal(strlen(body_of(one)), 100);
    SHARC_AUTO(sharc_freep) char *lies = get(s->replay, T "lies");
    assert_string_equal(body_of(lies), "short");
}

/* A PDF in 150 pieces, each of another record. */
static void test_many_pieces(void **state)
{
    struct story *s = *state;
    enum { PIECES = 150, SIZE = 5000 };
    for (int i = 0; i < PIECES; i++)
        put_piece(s, i, "http://a.example/x", TAG, (PIECES - 1 - i) * SIZE, (PIECES - i) * SIZE, PIECES * SIZE);
    serve(s);
    static const struct row rows[] = {
        {T "x", NULL, 200, "Sharc-Joined: bytes 0-749999/750000", 0, PIECES * SIZE},
        {T "x", "bytes=4999-700000", 206, "Content-Range: bytes 4999-700000/750000", 4999, 700001},
    };
    check(s, rows, SHARC_LENGTH(rows));
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test_setup_teardown(test_all_pieces, begin, end),
    cmocka_unit_test_setup_teardown(test_gaps_are_told, begin, end),
    cmocka_unit_test_setup_teardown(test_versions_stay_apart, begin, end),
    cmocka_unit_test_setup_teardown(test_many_pieces, begin, end),
};
TEST_MAIN(tests)

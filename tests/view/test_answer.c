/* SPDX-License-Identifier: Apache-2.0
 *
 * What the browser gets of a capture: bytes and ranges. The rest is told by tests/e2e/view.sh.
 */
#include "../serve/serve_test.h"

#include "../../src/view/view_int.h"

struct fixture {
    char *dir;
    struct sharc_collection *collection;
    const struct sharc_edition *edition;
};

static int begin(void **state)
{
    struct fixture *f = SHARC_NEW(struct fixture);
    struct sharc_err err = SHARC_ERR_INIT;
    f->dir = test_mkdir();
    struct sharc_warc_writer *w = warc_begin(f->dir, "a.warc.gz");
    warc_answer(w, 0, "http://a.test/ten", HTML "0123456789");
    warc_answer(w, 0, "http://a.test/claims", "HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\n\r\nplain");
    warc_answer(w, 0, "http://a.test/error", "HTTP/1.1 500 Oh\r\n\r\nbroken");
    warc_answer(w, 0, "http://a.test/empty", HTML);
    SHARC_AUTO(sharc_buf_done) struct sharc_buf large = SHARC_BUF_INIT(80u << 20);
    sharc_buf_put_str(&large, HTML);
    size_t head = large.n;
    while (large.n < head + (70u << 20)) sharc_buf_put(&large, SHARC_SPAN("0123456789abcdef"));
    warc_bytes(w, 0, "http://a.test/large", sharc_buf_span(&large));
    warc_end(w);
    const char *path = f->dir;
    must(sharc_collection_open(&path, 1, NULL, &f->collection, &err), &err);
    f->edition = sharc_collection_hold(f->collection);
    *state = f;
    return 0;
}

static int end(void **state)
{
    struct fixture *f = *state;
    sharc_collection_release(f->collection, f->edition);
    sharc_collection_free(f->collection);
    test_rmdir(f->dir);
    free(f);
    return 0;
}

static int get(const struct fixture *f, const char *url, const char *range, struct view_body *b)
{
    SHARC_AUTO(sharc_found_freep) struct sharc_found *found = NULL;
    const struct sharc_wish w = {.url = sharc_span_of(url)};
    *b = (struct view_body){.range = 0};
    return sharc__view_body(f->edition, &w, sharc_span_of(range), &found, b, NULL);
}

static void expect(const struct fixture *f, const char *url, const char *range, int kind, uint64_t from,
                   const char *bytes)
{
    struct view_body b;
    assert_int_equal(get(f, url, range, &b), 0);
    assert_int_equal(b.range, kind);
    assert_int_equal(b.from, from);
    assert_span(sharc_buf_span(&b.bytes), bytes);
    sharc_buf_done(&b.bytes);
}

static void ranges_are_cut_out_of_whole_answers(void **state)
{
    const struct fixture *f = *state;
    expect(f, "http://a.test/ten", NULL, 0, 0, "0123456789");
    expect(f, "http://a.test/ten", "bytes=2-4", 1, 2, "234");
    expect(f, "http://a.test/ten", "bytes=7-", 1, 7, "789");
    expect(f, "http://a.test/ten", "bytes=-2", 1, 8, "89");
    expect(f, "http://a.test/ten", "bytes=0-100", 1, 0, "0123456789");
    expect(f, "http://a.test/ten", "bytes=10-", -1, 0, "");
    expect(f, "http://a.test/ten", "bytes=1-2,4-5", 0, 0, "0123456789");
    expect(f, "http://a.test/empty", "bytes=0-", -1, 0, "");
    expect(f, "http://a.test/error", "bytes=0-1", 0, 0, "broken");
}

static void a_coding_that_is_none_is_not_undone(void **state)
{
    expect(*state, "http://a.test/claims", NULL, 0, 0, "plain");
    expect(*state, "http://a.test/claims", "bytes=1-2", 1, 1, "la");
}

static void what_is_too_large_comes_by_ranges(void **state)
{
    const struct fixture *f = *state;
    struct view_body b;
    assert_int_equal(get(f, "http://a.test/large", NULL, &b), SHARC_ELIMIT);
    sharc_buf_done(&b.bytes);
    expect(f, "http://a.test/large", "bytes=73400310-73400315", 1, 73400310, "6789ab");
    assert_int_equal(get(f, "http://a.test/large", "bytes=1-", &b), 0);
    assert_int_equal(b.range, 1);
    assert_int_equal(b.from, 1);
    assert_int_equal(b.size, 70u << 20);
    assert_true(b.bytes.n >= (1u << 20) && b.bytes.n <= (8u << 20));
    assert_memory_equal(b.bytes.p, "123456789abcdef0", 16);
    sharc_buf_done(&b.bytes);
    expect(f, "http://a.test/large", "bytes=73400320-", -1, 73400320 - 73400320, "");
}

static void the_clock_of_a_capture_is_in_the_script(void **state)
{
    (void)state;
    SHARC_AUTO(sharc_buf_done) struct sharc_buf a = SHARC_BUF_INIT(1u << 20), b = SHARC_BUF_INIT(1u << 20);
    sharc__view_freeze(AT(0), &a);
    sharc__view_freeze(AT(0), &b);
    assert_true(sharc_span_search(sharc_buf_span(&a), SHARC_SPAN("t0 = 1793527200000,")) != SHARC_NPOS);
    assert_true(sharc_span_eq(sharc_buf_span(&a), sharc_buf_span(&b)));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(ranges_are_cut_out_of_whole_answers),
        cmocka_unit_test(a_coding_that_is_none_is_not_undone),
        cmocka_unit_test(what_is_too_large_comes_by_ranges),
        cmocka_unit_test(the_clock_of_a_capture_is_in_the_script),
    };
    return cmocka_run_group_tests(tests, begin, end);
}

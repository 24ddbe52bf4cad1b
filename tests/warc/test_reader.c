/* SPDX-License-Identifier: Apache-2.0 */
#include "warc_test.h"

#include "sharc/base_file.h"
#include "sharc/base_rng.h"

#include <fcntl.h>
#include <pthread.h>
#include <unistd.h>

static const struct sharc_warc_options lenient = {.lenient = true};

/* Four records; where each begins in the plain form. */
static void four(struct sharc_buf *b, size_t at[5])
{
    at[0] = b->n;
    put_record(b, "warcinfo", "Content-Type: application/warc-fields\r\n", SHARC_SPAN("software: x\r\n"));
    at[1] = b->n;
    put_record(b, "response", AS_RESPONSE, SHARC_SPAN(HTTP_OK "one and some more text"));
    at[2] = b->n;
    put_record(b, "request", AS_REQUEST, SHARC_SPAN("GET / HTTP/1.1\r\nHost: example.com\r\n\r\n"));
    at[3] = b->n;
    put_record(b, "response", AS_RESPONSE, SHARC_SPAN("HTTP/1.1 404 Not Found\r\n\r\n"));
    at[4] = b->n;
}

/* The same, each record in a gzip member. */
static void four_packed(struct sharc_buf *b, size_t at[5])
{
    SHARC_AUTO(sharc_buf_done) struct sharc_buf plain = SHARC_BUF_INIT(1 << 20);
    size_t in[5];
    four(&plain, in);
    for (int i = 0; i < 4; i++) {
        at[i] = b->n;
        put_gzip(b, sharc_span_sub(sharc_buf_span(&plain), in[i], in[i + 1]));
    }
    at[4] = b->n;
}

static void records_have_their_fields(void **state)
{
    (void)state;
    SHARC_AUTO(sharc_buf_done) struct sharc_buf b = SHARC_BUF_INIT(1 << 20);
    SHARC_AUTO(sharc_warc_closep) struct sharc_warc *w = NULL;
    struct sharc_record rec;
    sharc_buf_put_str(&b,
                      "WARC/0.18\r\nwarc-type: Response\r\nWARC-Target-URI:http://a/\r\nCONTENT-LENGTH: 0\r\n"
                      "WARC-Date: 2001-02-03T04:05:06.789Z\r\nX-Folded: one\r\n two\r\nWARC-Concurrent-To: <a:1>\r\n"
                      "WARC-Concurrent-To: <a:2>\r\nWARC-Profile: <http://p/>\r\n\r\n\r\n\r\n");
    assert_int_equal(sharc_warc_open_bytes(sharc_buf_span(&b), NULL, &w, NULL), 0);
    assert_int_equal(sharc_warc_next(w, &rec, NULL), 1);
    assert_int_equal(rec.type, SHARC_WARC_RESPONSE);
    assert_int_equal(rec.version, 18);
    assert_span(rec.target, "http://a/");
    assert_true(rec.date == 981173106 * SHARC_SEC + 789000);
    assert_span(sharc_record_get(&rec, "x-folded"), "one two");
    assert_span(rec.profile, "http://p/");
    size_t at = 0;
    struct sharc_span v;
    assert_true(sharc_record_each(&rec, "WARC-Concurrent-To", &at, &v));
    assert_true(sharc_record_each(&rec, "WARC-Concurrent-To", &at, &v));
    assert_span(v, "<a:2>");
    assert_null(sharc_record_http(&rec));
    assert_int_equal(sharc_warc_next(w, &rec, NULL), 0);
    assert_int_equal(sharc_warc_stats(w).warnings, 0);
}

static void arc_files(void **state)
{
    (void)state;
    static const char v2[] = "filedesc://x.arc 0.0.0.0 20010203040506 text/plain 200 - - 0 x.arc 11\n2 0 someone\n"
                             "http://a/b c 1.2.3.4 20010203040507 text/html; charset=x 200 abc - 99 x.arc 21\n"
                             "HTTP/1.0 200 OK\r\n\r\nxx\n"
                             "dns:example.com 1.2.3.4 20010203040508 text/dns 200 - - 0 x.arc 3\nabc\n";
    SHARC_AUTO(sharc_warc_closep) struct sharc_warc *w = NULL;
    struct sharc_record rec;
    struct sharc_err err = SHARC_ERR_INIT;
    assert_int_equal(sharc_warc_open_bytes(sharc_span_of(v2), NULL, &w, &err), 0);
    assert_int_equal(sharc_warc_next(w, &rec, &err), 1);
    assert_true(rec.arc);
    assert_int_equal(rec.type, SHARC_WARC_INFO);
    assert_int_equal(rec.version, 200);
    if (sharc_warc_next(w, &rec, &err) != 1) fail_msg("%s", err.text);
    assert_int_equal(rec.type, SHARC_WARC_RESPONSE);
    assert_span(rec.target, "http://a/b%20c");
    assert_span(rec.ip, "1.2.3.4");
    assert_true(rec.date == 981173107 * SHARC_SEC);
    const struct sharc_http *h = sharc_record_http(&rec);
    assert_non_null(h);
    assert_int_equal(h->status, 200);
    assert_int_equal(sharc_warc_next(w, &rec, &err), 1);
    assert_int_equal(rec.type, SHARC_WARC_RESOURCE);
    assert_span(rec.content_type, "text/dns");
    assert_int_equal(sharc_warc_next(w, &rec, &err), 0);
}

static void types_can_be_chosen(void **state)
{
    (void)state;
    SHARC_AUTO(sharc_buf_done) struct sharc_buf b = SHARC_BUF_INIT(1 << 20);
    size_t at[5];
    struct walk k;
    four_packed(&b, at);
    walk_bytes(sharc_buf_span(&b),
               &(struct sharc_warc_options){.types =
                                                SHARC_WARC_BIT(SHARC_WARC_REQUEST) | SHARC_WARC_BIT(SHARC_WARC_INFO)},
               &k);
    assert_string_equal(k.types, "wq");
    assert_int_equal(k.stats.records, 4);
}

/* --- pipes --------------------------------------------------------------- */

struct feeding {
    int fd;
    struct sharc_span bytes;
    size_t step;
};

static void *feed(void *arg)
{
    struct feeding *f = arg;
    while (f->bytes.n > 0) {
        size_t n = f->bytes.n < f->step ? f->bytes.n : f->step;
        ssize_t put = write(f->fd, f->bytes.p, n);
        if (put <= 0) break;
        f->bytes = sharc_span_from(f->bytes, (size_t)put);
    }
    close(f->fd);
    return NULL;
}

/* Walk over bytes that come through a pipe, so many at a time. */
static void walk_pipe(struct sharc_span bytes, size_t step, const struct sharc_warc_options *o, struct walk *ret)
{
    int fds[2];
    assert_int_equal(pipe(fds), 0);
    char path[64];
    snprintf(path, sizeof path, "/dev/fd/%d", fds[0]);
    struct feeding f = {fds[1], bytes, step};
    pthread_t thread;
    pthread_create(&thread, NULL, feed, &f);
    walk_file(path, o, ret);
    close(fds[0]);
    pthread_join(thread, NULL);
}

static void pipes_give_the_same_as_files(void **state)
{
    (void)state;
    for (int packed = 0; packed < 2; packed++) {
        SHARC_AUTO(sharc_buf_done) struct sharc_buf b = SHARC_BUF_INIT(1 << 20);
        size_t at[5];
        (packed ? four_packed : four)(&b, at);
        static const size_t steps[] = {1, 13, 100000};
        for (size_t i = 0; i < SHARC_LENGTH(steps); i++) {
            struct walk k;
            walk_pipe(sharc_buf_span(&b), steps[i], NULL, &k);
            if (k.result != 0) fail_msg("%s", k.err.text);
            assert_string_equal(k.types, "wrqr");
            for (int r = 0; r < 4; r++) {
                assert_int_equal(k.offsets[r], at[r]);
                assert_int_equal(k.lengths[r], at[r + 1] - at[r] - (packed ? 0 : 4));
            }
            assert_int_equal(k.statuses[1], 200);
            walk_pipe(sharc_buf_span(&b), steps[i], &(struct sharc_warc_options){.offset = at[2]}, &k);
            assert_string_equal(k.types, "qr");
        }
    }
}

/* A record larger than every buffer, with its neighbours. */
static void large_records_come_in_pieces(void **state)
{
    (void)state;
    enum { SIZE = 24 << 20 };
    SHARC_AUTO(sharc_buf_done) struct sharc_buf block = SHARC_BUF_INIT(64 << 20), b = SHARC_BUF_INIT(64 << 20);
    SHARC_AUTO(sharc_buf_done) struct sharc_buf z = SHARC_BUF_INIT(64 << 20);
    sharc_buf_put_str(&block, HTTP_OK);
    sharc_buf_reserve(&block, SIZE);
    struct sharc_rng rng;
    sharc_rng_init(&rng, 1);
    for (int i = 0; i < SIZE; i++) block.p[block.n++] = (char)('a' + (i * 7 + i / 1000) % 26);
    for (int i = 0; i < 1000; i++) block.p[sharc_rng_below(&rng, SIZE) + 100] = '*';
    put_record(&b, "response", AS_RESPONSE, sharc_buf_span(&block));
    put_gzip(&z, sharc_buf_span(&b));
    size_t plain_first = b.n, packed_first = z.n;
    put_record(&b, "metadata", "", SHARC_SPAN("x"));
    put_gzip(&z, sharc_span_from(sharc_buf_span(&b), plain_first));
    for (int packed = 0; packed < 2; packed++) {
        SHARC_AUTO(sharc_warc_closep) struct sharc_warc *w = NULL;
        struct sharc_record rec;
        struct sharc_span piece;
        size_t n = 0, pieces = 0;
        assert_int_equal(sharc_warc_open_bytes(sharc_buf_span(packed ? &z : &b), NULL, &w, NULL), 0);
        assert_int_equal(sharc_warc_next(w, &rec, NULL), 1);
        assert_int_equal(rec.block_size, block.n);
        assert_int_equal(sharc_record_http(&rec)->status, 200);
        while (sharc_record_read(&rec, SHARC_WARC_BLOCK, &piece, NULL) > 0) {
            assert_memory_equal(piece.p, block.p + n, piece.n);
            n += piece.n;
            pieces++;
        }
        assert_int_equal(n, block.n);
        if (packed) assert_true(pieces > 10);
        assert_span(rec.target, "http://example.com/"); /* still good */
        assert_int_equal(sharc_warc_next(w, &rec, NULL), 1);
        assert_int_equal(rec.type, SHARC_WARC_METADATA);
        assert_int_equal(rec.offset, packed ? packed_first : plain_first);
    }
}

/* --- damage -------------------------------------------------------------- */

/* Cut anywhere: strict gives the whole records before the cut and then fails,
 * or ends where a record ended; lenient never fails. */
static void every_cut_is_survived(void **state)
{
    (void)state;
    for (int packed = 0; packed < 2; packed++) {
        SHARC_AUTO(sharc_buf_done) struct sharc_buf b = SHARC_BUF_INIT(1 << 20);
        size_t at[5];
        (packed ? four_packed : four)(&b, at);
        for (size_t cut = 0; cut <= b.n; cut++) {
            struct walk k;
            size_t whole = 0;
            while (whole < 4 && at[whole + 1] <= cut) whole++;
            bool at_border = cut == at[whole];
            walk_bytes(sharc_span(b.p, cut), NULL, &k);
            assert_in_range(k.n, whole, whole + 1);
            if (at_border && k.result != 0) fail_msg("cut at %zu: %s", cut, k.err.text);
            /* the last empty lines may be missing, with a warning */
            bool near_end = !packed && cut + 4 >= at[whole + (whole < 4)];
            if (!at_border && !near_end && k.result >= 0) fail_msg("cut at %zu of %zu is not noticed", cut, b.n);
            if (k.result < 0) assert_non_null(strstr(k.err.text, "sharc verify --repair"));
            walk_bytes(sharc_span(b.p, cut), &lenient, &k);
            if (k.result != 0) fail_msg("lenient, cut at %zu: %s", cut, k.err.text);
        }
    }
}

/* One byte changed anywhere: the other records are still found. */
static void every_change_costs_at_most_its_record(void **state)
{
    (void)state;
    for (int packed = 0; packed < 2; packed++) {
        SHARC_AUTO(sharc_buf_done) struct sharc_buf b = SHARC_BUF_INIT(1 << 20);
        size_t at[5];
        (packed ? four_packed : four)(&b, at);
        for (size_t i = 0; i < b.n; i++) {
            struct walk k;
            b.p[i] ^= 0x55;
            walk_bytes(sharc_buf_span(&b), &lenient, &k);
            b.p[i] ^= 0x55;
            if (k.result != 0) fail_msg("byte %zu: %s", i, k.err.text);
            size_t hit = 0;
            while (i >= at[hit + 1]) hit++;
            for (size_t r = 0; r < 4; r++) {
                bool found = r == hit;
                for (size_t j = 0; j < k.n; j++) found |= k.offsets[j] == at[r];
                /* A changed length may hide the next record; nothing else may. */
                if (!found) fail_msg("packed %d, byte %zu: the record at %zu is lost", packed, i, at[r]);
            }
        }
    }
}

static void rubbish_between_records_is_passed(void **state)
{
    (void)state;
    SHARC_AUTO(sharc_buf_done) struct sharc_buf z = SHARC_BUF_INIT(1 << 20), b = SHARC_BUF_INIT(1 << 20);
    size_t at[5];
    four_packed(&z, at);
    sharc_buf_put(&b, sharc_span(z.p, at[2]));
    sharc_buf_put(&b,
                  SHARC_SPAN(
                      "rubbish \x1f\x8b\x08 that looks like\x1f a member \x1f\x8b\x08\x00\x00\x00\x00\x00\x00\x03"));
    sharc_buf_put(&b, sharc_span(z.p + at[2], at[4] - at[2]));
    struct walk k;
    walk_bytes(sharc_buf_span(&b), NULL, &k);
    assert_true(k.result < 0);
    assert_int_equal(k.err.offset, at[2]);
    assert_int_equal(k.n, 2);
    walk_bytes(sharc_buf_span(&b), &lenient, &k);
    assert_string_equal(k.types, "wrqr");
    assert_int_equal(k.stats.damaged, 1);
    walk_pipe(sharc_buf_span(&b), 10, &lenient, &k);
    assert_string_equal(k.types, "wrqr");
}

static void zeros_at_the_end_are_padding(void **state)
{
    (void)state;
    SHARC_AUTO(sharc_buf_done) struct sharc_buf z = SHARC_BUF_INIT(1 << 20);
    size_t at[5];
    struct walk k;
    four_packed(&z, at);
    for (int i = 0; i < 5000; i++) sharc_buf_put_char(&z, 0);
    walk_bytes(sharc_buf_span(&z), NULL, &k);
    assert_int_equal(k.result, 0);
    assert_int_equal(k.stats.warnings, 1);
}

static void one_member_for_all(void **state)
{
    (void)state;
    SHARC_AUTO(sharc_buf_done) struct sharc_buf b = SHARC_BUF_INIT(1 << 20), z = SHARC_BUF_INIT(1 << 20);
    size_t at[5];
    struct walk k;
    four(&b, at);
    put_gzip(&z, sharc_buf_span(&b));
    walk_bytes(sharc_buf_span(&z), NULL, &k);
    assert_int_equal(k.result, SHARC_ESYNTAX);
    assert_non_null(strstr(k.err.text, "several records"));
    walk_bytes(sharc_buf_span(&z), &(struct sharc_warc_options){.joined = true}, &k);
    assert_int_equal(k.result, 0);
    assert_string_equal(k.types, "wrqr");
    assert_int_equal(k.stats.joined, 3);
    walk_pipe(sharc_buf_span(&z), 10, &lenient, &k);
    assert_string_equal(k.types, "wrqr");
}

/* An HTTP head in one member, its body in the next: the head's spans must
 * outlive the first. */
static void heads_outlive_their_member(void **state)
{
    (void)state;
    SHARC_AUTO(sharc_buf_done) struct sharc_buf b = SHARC_BUF_INIT(1 << 20);
    SHARC_AUTO(sharc_buf_done) struct sharc_buf z = SHARC_BUF_INIT(1 << 20);
    SHARC_AUTO(sharc_buf_done) struct sharc_buf block = SHARC_BUF_INIT(1 << 20);
    sharc_buf_put_str(&block, HTTP_OK);
    for (int i = 0; i < 50000; i++) sharc_buf_put_str(&block, "body ");
    put_record(&b, "response", AS_RESPONSE, sharc_buf_span(&block));
    size_t cut = sharc_span_search(sharc_buf_span(&b), SHARC_SPAN("body"));
    put_gzip(&z, sharc_span(b.p, cut));
    put_gzip(&z, sharc_span_from(sharc_buf_span(&b), cut));
    SHARC_AUTO(sharc_warc_closep) struct sharc_warc *w = NULL;
    SHARC_AUTO(sharc_buf_done) struct sharc_buf got = SHARC_BUF_INIT(1 << 20);
    struct sharc_record rec;
    assert_int_equal(sharc_warc_open_bytes(sharc_buf_span(&z), &lenient, &w, NULL), 0);
    assert_int_equal(sharc_warc_next(w, &rec, NULL), 1);
    const struct sharc_http *h = sharc_record_http(&rec);
    assert_non_null(h);
    assert_int_equal(sharc_record_read_all(&rec, SHARC_WARC_BODY, &got, NULL), 0);
    assert_int_equal(got.n, 250000);
    assert_span(sharc_http_get(h, "Content-Type"), "text/html");
    assert_span(rec.target, "http://example.com/");
    assert_int_equal(sharc_warc_next(w, &rec, NULL), 0);
}

static void nonsense_is_refused(void **state)
{
    (void)state;
    static const char *const cases[] = {
        "hello\n",
        "WARC/1.0\n",
        "WARC/x\r\n\r\n",
        "WARC/1.0\r\nContent-Length: x\r\n\r\n",
        "WARC/1.0\r\nWARC-Type: a\r\n\r\n",
        "WARC/1.0\r\nContent-Length: 99999999999999999999\r\n\r\n",
        "\x1f\x8b\x08",
        "\x28\xb5\x2f\xfd",
        "<html>",
        "PK\x03\x04",
        "WARC/1.0\r\nContent-Length: 18446744073709551615\r\n\r\nx",
    };
    for (size_t i = 0; i < SHARC_LENGTH(cases); i++) {
        struct walk k;
        walk_bytes(sharc_span_of(cases[i]), NULL, &k);
        if (k.result >= 0) fail_msg("taken: %s", cases[i]);
        walk_bytes(sharc_span_of(cases[i]), &lenient, &k);
        if (k.result < 0 && i != 7) fail_msg("lenient: %s", k.err.text);
    }
    struct walk k;
    walk_bytes(SHARC_SPAN(""), NULL, &k);
    assert_int_equal(k.result, 0);
    walk_file("/", NULL, &k);
    assert_int_equal(k.result, SHARC_EINVAL);
    walk_file("/nonexistent/file", NULL, &k);
    assert_int_equal(k.result, SHARC_ENOENT);
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(records_have_their_fields),
    cmocka_unit_test(arc_files),
    cmocka_unit_test(types_can_be_chosen),
    cmocka_unit_test(pipes_give_the_same_as_files),
    cmocka_unit_test(large_records_come_in_pieces),
    cmocka_unit_test(every_cut_is_survived),
    cmocka_unit_test(every_change_costs_at_most_its_record),
    cmocka_unit_test(rubbish_between_records_is_passed),
    cmocka_unit_test(zeros_at_the_end_are_padding),
    cmocka_unit_test(one_member_for_all),
    cmocka_unit_test(heads_outlive_their_member),
    cmocka_unit_test(nonsense_is_refused),
};
TEST_MAIN(tests)

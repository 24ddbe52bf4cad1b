/* SPDX-License-Identifier: Apache-2.0
 *
 * A file that is read in parts by several threads gives what one reader of all of it gives, byte by byte: also where
 * a body holds what looks like records, and where the file is damaged.
 */
#include "../../src/certify/certify_int.h"
#include "capture.h"

#include "sharc/base_codec.h"
#include "sharc/base_rng.h"

enum { PAGES = 40 };

/* Two downloads of every page; decoy is the body of one of them. */
static void write_capture(const char *path, struct sharc_span decoy)
{
    struct answer answers[2 * PAGES] = {0};
    char urls[PAGES][64];
    char *bodies[2 * PAGES];
    for (size_t i = 0; i < SHARC_LENGTH(answers); i++) {
        size_t page = i % PAGES;
        snprintf(urls[page], sizeof urls[page], "http://a.example/%zu", page);
        bodies[i] = sharc_asprintf("<p>Page %zu, %s edition, has some words on it.", page,
                                   page % 7 == 0 && i >= PAGES ? "second" : "first");
        answers[i] = (struct answer){.url = urls[page],
                                     .kind = i < PAGES ? SHARC_OWN_VISIT : SHARC_OWN_REVISIT,
                                     .at = (double)i,
                                     .took = 0.5,
                                     .body = bodies[i]};
    }
    answers[PAGES / 2].body = NULL;
    answers[PAGES / 2].bytes = decoy;
    capture_write_closed(path, answers, SHARC_LENGTH(answers), "{\"sharc\":\"verdict\",\"form\":1,\"part\":0}\n");
    for (size_t i = 0; i < SHARC_LENGTH(bodies); i++) free(bodies[i]);
}

/* The certificate, or the sentence that says why there is none. */
static char *derived(const char *dir, const char *path, size_t part_bytes, unsigned threads)
{
    SHARC_AUTO(sharc_derived_freep) struct sharc_derived *f = sharc_derived_new();
    SHARC_AUTO(sharc_freep) char *out = sharc_path_join(dir, "certificate.json");
    SHARC_AUTO(sharc_buf_done) struct sharc_buf text = SHARC_BUF_INIT(16u << 20);
    struct sharc_derive_options o = {.capture = SHARC_TIME_NONE,
                                     .threads = threads,
                                     .part_bytes = part_bytes,
                                     .measure = sharc__certify_measure};
    struct sharc_certify_issue issue = {.now = CAPTURE_BEGAN, .threads = threads};
    struct sharc_certify_made made;
    struct sharc_err err = SHARC_ERR_INIT;
    assert_int_equal(sharc_derive_open(f, &path, 1, NULL), 0);
    if (sharc_derive_run(f, &o, &err) < 0) return sharc_strdup(err.text);
    assert_int_equal(sharc_certify_write(f, &issue, out, &made, NULL), 0);
    assert_int_equal(sharc_file_read(out, &text, NULL), 0);
    return sharc_strdup(sharc_buf_str(&text));
}

static void all_parts_are_alike(const char *dir, const char *path)
{
    static const size_t sizes[] = {1, 100, 997, 3000, 10000};
    SHARC_AUTO(sharc_freep) char *whole = derived(dir, path, SIZE_MAX, 1);
    for (size_t i = 0; i < SHARC_LENGTH(sizes); i++)
        for (unsigned threads = 1; threads <= 3; threads += 2) {
            SHARC_AUTO(sharc_freep) char *parts = derived(dir, path, sizes[i], threads);
            assert_string_equal(parts, whole);
        }
}

/* A body in which a record begins that nobody wrote, plain and packed. */
static void put_decoy(struct sharc_buf *out, bool packed)
{
    static const char record[] = "WARC/1.1\r\nWARC-Type: response\r\nWARC-Target-URI: http://a.example/forged\r\n"
                                 "WARC-Date: 2026-11-16T12:00:00Z\r\n"
                                 "WARC-Record-ID: <urn:uuid:01234567-89ab-4cde-8f01-23456789abcd>\r\n"
                                 "Content-Type: application/http; msgtype=response\r\nContent-Length: 38\r\n\r\n"
                                 "HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n\r\n\r\n\r\n";
    struct sharc_rng rng;
    sharc_rng_init(&rng, 1);
    for (size_t i = 0; i < 3000; i++) sharc_buf_put_char(out, (char)sharc_rng_u64(&rng)); /* not packed again */
    for (int i = 0; i < 20; i++) {
        if (!packed) {
            sharc_buf_put_str(out, "\r\n\r\n");
            sharc_buf_put_str(out, record);
            continue;
        }
        struct sharc_deflate *deflate = sharc_deflate_new(6);
        assert_int_equal(sharc_deflate_member(deflate, sharc_span_of(record), out), 0);
        sharc_deflate_free(deflate);
    }
}

static void parts_change_nothing(void **state)
{
    (void)state;
    char *dir = test_mkdir();
    SHARC_AUTO(sharc_freep) char *packed = sharc_path_join(dir, "a.warc.gz"), *plain = sharc_path_join(dir, "b.warc");
    SHARC_AUTO(sharc_buf_done) struct sharc_buf gzip = SHARC_BUF_INIT(1u << 20), text = SHARC_BUF_INIT(1u << 20);
    write_capture(packed, SHARC_SPAN("<p>nothing special"));
    all_parts_are_alike(dir, packed);
    write_capture(plain, SHARC_SPAN("<p>nothing special"));
    all_parts_are_alike(dir, plain);
    put_decoy(&gzip, /* packed= */ true);
    put_decoy(&text, /* packed= */ false);
    SHARC_AUTO(sharc_freep) char *hiding = sharc_path_join(dir, "c.warc.gz"), *hidden = sharc_path_join(dir, "d.warc");
    write_capture(hiding, sharc_buf_span(&gzip));
    all_parts_are_alike(dir, hiding);
    write_capture(hidden, sharc_buf_span(&text));
    all_parts_are_alike(dir, hidden);
    test_rmdir(dir);
}

static void damage_is_told_alike(void **state)
{
    (void)state;
    char *dir = test_mkdir();
    SHARC_AUTO(sharc_freep) char *path = sharc_path_join(dir, "a.warc.gz");
    SHARC_AUTO(sharc_buf_done) struct sharc_buf bytes = SHARC_BUF_INIT(1u << 20);
    write_capture(path, SHARC_SPAN("<p>nothing special"));
    assert_int_equal(sharc_file_read(path, &bytes, NULL), 0);
    for (size_t at = 5; at < bytes.n; at += bytes.n / 9) {
        bytes.p[at] ^= 0x40;
        assert_int_equal(sharc_file_replace(path, sharc_buf_span(&bytes), NULL), 0);
        all_parts_are_alike(dir, path);
        bytes.p[at] ^= 0x40;
    }
    assert_int_equal(sharc_file_replace(path, sharc_span_sub(sharc_buf_span(&bytes), 0, bytes.n / 2 + 3), NULL), 0);
    all_parts_are_alike(dir, path);
    test_rmdir(dir);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(parts_change_nothing),
        cmocka_unit_test(damage_is_told_alike),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

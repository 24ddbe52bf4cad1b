/* SPDX-License-Identifier: Apache-2.0
 *
 * A copy must not make damage look sound: what is known to be wrong is left out and
 * named, by repair and by a lenient merge alike.
 */
#include "warc_test.h"

#include "sharc/base_digest.h"
#include "sharc/base_file.h"
#include "sharc/warc_export.h"
#include "sharc/warc_verify.h"

#include <unistd.h>

#define BODY HTTP_OK "some text of a page"

/* A response with the digests of other bytes than its own, or of its own. */
static void put_digested(struct sharc_buf *b, const char *block_of, const char *payload_of, const char *block)
{
    char extra[600] = AS_RESPONSE, text[SHARC_DIGEST_TEXT];
    struct sharc_digest d;
    size_t n = strlen(extra);
    if (block_of) {
        sharc_digest_of(SHARC_SHA256, sharc_span_of(block_of), &d);
        n += (size_t)snprintf(extra + n, sizeof extra - n, "WARC-Block-Digest: %s\r\n", sharc_digest_text(&d, text));
    }
    if (payload_of) {
        sharc_digest_of(SHARC_SHA1, sharc_span_of(payload_of), &d);
        snprintf(extra + n, sizeof extra - n, "WARC-Payload-Digest: %s\r\n", sharc_digest_text(&d, text));
    }
    put_record(b, "response", extra, sharc_span_of(block));
}

/* A gzip member that is not compressed, so that a byte of it can be changed; the trailer is right before. */
static void put_stored(struct sharc_buf *b, struct sharc_span plain)
{
    SHARC_AUTO(sharc_buf_done) struct sharc_buf packed = SHARC_BUF_INIT(1 << 20);
    put_gzip(&packed, plain);
    assert_true(plain.n < 65536);
    const unsigned char head[] = {0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 0, 3, 1};
    const unsigned char sizes[] = {(unsigned char)plain.n, (unsigned char)(plain.n >> 8), (unsigned char)~plain.n,
                                   (unsigned char)(~plain.n >> 8)};
    sharc_buf_put(b, sharc_span(head, sizeof head));
    sharc_buf_put(b, sharc_span(sizes, sizeof sizes));
    sharc_buf_put(b, plain);
    sharc_buf_put(b, sharc_span_from(sharc_buf_span(&packed), packed.n - 8));
}

static void flip(struct sharc_buf *b, size_t at)
{
    b->p[at] ^= 1;
}

static size_t place_of(const struct sharc_buf *b, const char *text)
{
    size_t at = sharc_span_search(sharc_buf_span(b), sharc_span_of(text));
    assert_true(at != SHARC_NPOS);
    return at;
}

struct result {
    struct sharc_warc_repaired done;
    char offsets[200]; /* of what was left out: "0 17 " */
    char types[64];    /* in the copy */
    uint64_t findings; /* of the copy */
    uint64_t merged, merged_out;
};

static void note_offset(void *arg, const struct sharc_err *what)
{
    char *out = arg;
    size_t n = strlen(out);
    snprintf(out + n, 200 - n, "%llu ", (unsigned long long)what->offset);
    assert_true(what->text[0] && !strstr(what->text, "offset") && !strstr(what->text, "cure"));
}

static void merge(const char *dir, const char *from, struct result *ret)
{
    SHARC_AUTO(sharc_freep) char *to = sharc_path_join(dir, "merged.warc.gz");
    const struct sharc_warc_selection s = {.from = SHARC_TIME_NONE,
                                           .to = SHARC_TIME_NONE,
                                           .lenient = true,
                                           .no_info = true};
    struct sharc_warc_selected done;
    struct sharc_err err = SHARC_ERR_INIT;
    if (sharc_warc_merge(to, &from, 1, &s, &(struct sharc_warc_merge){.now = 0}, &done, &err) < 0)
        fail_msg("%s", err.text);
    ret->merged = done.chosen;
    ret->merged_out = done.left_out;
}

static struct result repair(const struct sharc_buf *b, bool keep)
{
    struct result ret = {.findings = 0};
    char *dir = test_mkdir();
    SHARC_AUTO(sharc_freep) char *from = sharc_path_join(dir, "from.warc.gz"), *to = sharc_path_join(dir, "to.warc.gz");
    assert_int_equal(sharc_file_replace(from, sharc_buf_span(b), NULL), 0);
    struct sharc_err err = SHARC_ERR_INIT;
    struct sharc_warc_repair_options o = {.keep_doubtful = keep, .left_out = note_offset, .arg = ret.offsets};
    if (sharc_warc_repair(from, to, &o, &ret.done, &err) < 0) fail_msg("%s", err.text);
    if (!keep) merge(dir, from, &ret);
    if (ret.done.records) {
        struct walk k;
        struct sharc_warc_verified v;
        walk_file(to, NULL, &k);
        if (k.result != 0) fail_msg("%s", k.err.text);
        memcpy(ret.types, k.types, sizeof k.types);
        assert_int_equal(sharc_warc_verify(to, NULL, &v, NULL), 0);
        ret.findings = v.found.count;
        sharc_warc_verified_done(&v);
    } else {
        assert_int_not_equal(access(to, F_OK), 0);
    }
    test_rmdir(dir);
    return ret;
}

static void check(const struct sharc_buf *b, uint64_t records, const char *left_out)
{
    struct result r = repair(b, false);
    assert_int_equal(r.done.records, records);
    assert_string_equal(r.offsets, left_out);
    assert_int_equal(r.findings, 0);
    assert_int_equal(r.merged, records);
}

#define BUF(name) SHARC_AUTO(sharc_buf_done) struct sharc_buf name = SHARC_BUF_INIT(1 << 20)

/* CRC, uncompressed size, a byte of the head, a byte of the block: with and without digests. */
static void a_member_with_a_wrong_checksum_is_left_out(void **state)
{
    (void)state;
    for (int digests = 0; digests < 2; digests++)
        for (int where = 0; where < 4; where++) {
            BUF(b);
            BUF(plain);
            put_digested(&plain, digests ? BODY : NULL, digests ? "some text of a page" : NULL, BODY);
            put_stored(&b, sharc_buf_span(&plain));
            size_t second = b.n;
            put_stored(&b, sharc_buf_span(&plain));
            flip(&b, where == 0   ? second - 8
                     : where == 1 ? second - 4
                     : where == 2 ? place_of(&b, "example.com")
                                  : place_of(&b, "some text"));
            check(&b, 1, "0 ");
        }
}

/* Several records in one member: the checksum does not say which of them is wrong. */
static void every_record_of_a_damaged_member_is_left_out(void **state)
{
    (void)state;
    BUF(b);
    BUF(plain);
    for (int i = 0; i < 3; i++) put_digested(&plain, BODY, NULL, BODY);
    put_stored(&b, sharc_buf_span(&plain));
    put_stored(&b, sharc_buf_span(&plain));
    flip(&b, place_of(&b, "example.com"));
    struct result r = repair(&b, false);
    assert_int_equal(r.done.records, 3);
    assert_int_equal(r.done.left_out, 3);
    assert_string_equal(r.offsets, "0 0 0 ");
    assert_int_equal(r.merged, 3);
    assert_int_equal(r.merged_out, 3);
    /* on request they are kept, and the copy says so itself */
    r = repair(&b, true);
    assert_int_equal(r.done.records, 6);
    assert_int_equal(r.done.doubtful, 3);
    assert_string_equal(r.types, "rrrrrr");
    assert_true(r.findings >= 3);
}

/* A record that goes on in a damaged member is damaged, too, and the one that follows. */
static void a_record_that_reaches_into_a_damaged_member_is_left_out(void **state)
{
    (void)state;
    BUF(b);
    BUF(plain);
    put_record(&plain, "response", AS_RESPONSE, SHARC_SPAN(BODY));
    size_t first = plain.n;
    put_record(&plain, "response", AS_RESPONSE, SHARC_SPAN(BODY));
    put_record(&plain, "response", AS_RESPONSE, SHARC_SPAN(BODY));
    /* the first record ends and the second begins in the second member */
    put_stored(&b, sharc_span_sub(sharc_buf_span(&plain), 0, first - 20));
    size_t second = b.n;
    put_stored(&b, sharc_span_sub(sharc_buf_span(&plain), first - 20, first + 100));
    put_stored(&b, sharc_span_from(sharc_buf_span(&plain), first + 100));
    flip(&b, second + 16);
    struct result r = repair(&b, false);
    assert_int_equal(r.done.records, r.merged);
    assert_true(r.done.left_out >= 2);
    assert_true(strncmp(r.offsets, "0 ", 2) == 0);
    assert_true(r.done.records <= 1);
}

/* Bytes before a cut are as good as those of a plain file. */
static void records_before_a_cut_are_kept(void **state)
{
    (void)state;
    BUF(b);
    BUF(plain);
    for (int i = 0; i < 3; i++) put_digested(&plain, BODY, NULL, BODY);
    put_stored(&b, sharc_buf_span(&plain));
    b.n -= 40;
    check(&b, 2, "0 ");
    check(&plain, 3, "");
    plain.n -= 10;
    check(&plain, 2, "796 ");
}

static void a_wrong_block_digest_is_left_out(void **state)
{
    (void)state;
    BUF(b);
    put_digested(&b, "another", NULL, BODY);
    put_digested(&b, BODY, NULL, BODY);
    put_digested(&b, NULL, "another", BODY);
    check(&b, 1, "0 796 ");
    struct result r = repair(&b, true);
    assert_int_equal(r.done.records, 3);
    assert_int_equal(r.done.doubtful, 2);
    assert_int_equal(r.findings, 2);
}

/* The block is proved: the payload digest was wrong when it was written, and stays so. */
static void a_wrong_payload_digest_over_a_right_block_is_kept(void **state)
{
    (void)state;
    BUF(b);
    put_digested(&b, BODY, "another", BODY);
    struct result r = repair(&b, false);
    assert_int_equal(r.done.records, 1);
    assert_int_equal(r.done.left_out, 0);
    assert_int_equal(r.findings, 1);
    assert_int_equal(r.merged, 1);
}

/* A head that cannot be read: its record vanishes, and that is said. */
static void a_place_without_a_record_is_named(void **state)
{
    (void)state;
    BUF(b);
    put_digested(&b, BODY, NULL, BODY);
    size_t second = b.n;
    put_digested(&b, BODY, NULL, BODY);
    put_digested(&b, BODY, NULL, BODY);
    flip(&b, second + 1);
    char want[40];
    snprintf(want, sizeof want, "%zu ", second);
    check(&b, 2, want);
}

static void nothing_whole_gives_no_copy(void **state)
{
    (void)state;
    BUF(b);
    put_digested(&b, "another", NULL, BODY);
    struct result r = repair(&b, false);
    assert_int_equal(r.done.records, 0);
    assert_int_equal(r.done.left_out, 1);
    struct sharc_warc_repaired done;
    assert_int_equal(sharc_warc_repair("-", "x", NULL, &done, NULL), SHARC_EINVAL);
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(a_member_with_a_wrong_checksum_is_left_out),
    cmocka_unit_test(every_record_of_a_damaged_member_is_left_out),
    cmocka_unit_test(a_record_that_reaches_into_a_damaged_member_is_left_out),
    cmocka_unit_test(records_before_a_cut_are_kept),
    cmocka_unit_test(a_wrong_block_digest_is_left_out),
    cmocka_unit_test(a_wrong_payload_digest_over_a_right_block_is_kept),
    cmocka_unit_test(a_place_without_a_record_is_named),
    cmocka_unit_test(nothing_whole_gives_no_copy),
};

TEST_MAIN(tests)

/* SPDX-License-Identifier: Apache-2.0 */
#include "warc_test.h"

#include "sharc/base_file.h"
#include "sharc/warc_verify.h"

#include <unistd.h>

static char *save(const char *dir, const char *name, struct sharc_span bytes)
{
    char *path = sharc_path_join(dir, name);
    assert_int_equal(sharc_file_replace(path, bytes, NULL), 0);
    return path;
}

/* Kinds of the findings as letters: D R B P V H. */
static void letters_of(const struct sharc_warc_verified *v, char *out, size_t room)
{
    size_t n = 0;
    for (const struct sharc_finding *f = v->found.first; f && n + 1 < room; f = f->next) out[n++] = "DRBPVH"[f->kind];
    out[n] = 0;
}

static void check_bytes(struct sharc_span bytes, const char *findings)
{
    char *dir = test_mkdir();
    SHARC_AUTO(sharc_freep) char *path = save(dir, "x.warc", bytes);
    struct sharc_warc_verified v;
    struct sharc_err err = SHARC_ERR_INIT;
    char letters[64];
    if (sharc_warc_verify(path, NULL, &v, &err) < 0) fail_msg("%s", err.text);
    struct sharc_warc_verified *all[] = {&v};
    sharc_warc_verify_revisits(all, 1);
    letters_of(&v, letters, sizeof letters);
    if (strcmp(letters, findings) != 0)
        fail_msg("%s, not %s: %s\n%.*s", letters, findings, v.found.first ? v.found.first->text : "",
                 SHARC_SPAN_ARG(bytes));
    sharc_warc_verified_done(&v);
    test_rmdir(dir);
}

static void check_record(const char *type, const char *extra, const char *block, const char *findings)
{
    SHARC_AUTO(sharc_buf_done) struct sharc_buf b = SHARC_BUF_INIT(1 << 20);
    put_record(&b, type, extra, sharc_span_of(block));
    check_bytes(sharc_buf_span(&b), findings);
}

static void rules_are_checked(void **state)
{
    (void)state;
    check_record("response", AS_RESPONSE, HTTP_OK, "");
    check_record("response", "", HTTP_OK, "R");
    check_record("warcinfo", AS_RESPONSE, "", "R");
    check_record("metadata", "", "a: b\r\n", "");
    check_record("metadata", "WARC-Date: 2020-01-02T03:04:05Z\r\n", "", "R");
    check_record("metadata", "WARC-Profile: x\r\n", "", "R");
    check_record("metadata", "WARC-Concurrent-To: <a:b>\r\nWARC-Concurrent-To: <a:c>\r\n", "", "");
    check_record("continuation", "WARC-Target-URI: x:y\r\n", "", "RR");
    check_record("revisit",
                 AS_RESPONSE "WARC-Profile: http://netpreserve.org/warc/1.1/revisit/identical-payload-digest\r\n",
                 HTTP_OK, "RV");
    check_record("strange", "WARC-Profile: x\r\n", "", "");
    check_record("response", "WARC-Target-URI: <http://example.com/>\r\n", HTTP_OK, "H");
}

static void digests_are_compared(void **state)
{
    (void)state;
    /* sha1 of "Wikipedia" in hex, base32 and base64 */
    static const char *const right[] = {
        "sha1:664add438097fbd4307f814de8e62a10f8905588",
        "SHA1:MZFN2Q4AS755IMD7QFG6RZRKCD4JAVMI",
        "sha-1:ZkrdQ4CX+9Qwf4FN6OYqEPiQVYg=",
        "sha1:ZkrdQ4CX-9Qwf4FN6OYqEPiQVYg",
    };
    char extra[400];
    for (size_t i = 0; i < SHARC_LENGTH(right); i++) {
        snprintf(extra, sizeof extra, AS_RESPONSE "WARC-Payload-Digest: %s\r\n", right[i]);
        check_record("response", extra, HTTP_OK "Wikipedia", "");
        check_record("response", extra, HTTP_OK "Wikipaedia", "P");
        check_record("response", extra,
                     "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n4\r\nWiki\r\n5\r\npedia\r\n0\r\n\r\n", "");
        snprintf(extra, sizeof extra, "WARC-Target-URI: x:y\r\nWARC-Block-Digest: %s\r\n", right[i]);
        check_record("resource", extra, "Wikipedia", "");
        check_record("resource", extra, "Wikipedja", "B");
    }
    check_record("resource", "WARC-Target-URI: x:y\r\nWARC-Block-Digest: crc:1234\r\n", "x", "H");
    /* what wget writes into its revisits */
    check_record("revisit",
                 AS_RESPONSE "WARC-Profile: http://x/\r\nWARC-Block-Digest: sha1:3I42H3S6NNFQ2MSVX7XZKYAYSCX5QBYJ\r\n",
                 HTTP_OK, "HV");
}

static void revisits_find_originals_in_other_files(void **state)
{
    (void)state;
#define DIGEST_LINE "WARC-Payload-Digest: sha1:MZFN2Q4AS755IMD7QFG6RZRKCD4JAVMI\r\n"
    SHARC_AUTO(sharc_buf_done) struct sharc_buf a = SHARC_BUF_INIT(1 << 20), b = SHARC_BUF_INIT(1 << 20);
    put_record(&a, "response", AS_RESPONSE DIGEST_LINE, SHARC_SPAN(HTTP_OK "Wikipedia"));
    put_record(&b, "revisit",
               AS_RESPONSE "WARC-Profile: p\r\nWARC-Refers-To: <urn:uuid:00000000-0000-4000-8000-000000000000>\r\n",
               SHARC_SPAN(HTTP_OK));
    put_record(&b, "revisit",
               AS_RESPONSE "WARC-Profile: p\r\nWARC-Refers-To-Target-URI: http://example.com/\r\n"
                           "WARC-Refers-To-Date: 2020-01-02T03:04:05.5Z\r\n",
               SHARC_SPAN(HTTP_OK));
    put_record(&b, "revisit",
               AS_RESPONSE "WARC-Profile: p\r\nWARC-Payload-Digest: sha1:664add438097fbd4307f814de8e62a10f8905588\r\n",
               SHARC_SPAN(HTTP_OK));
    put_record(&b, "revisit", AS_RESPONSE "WARC-Profile: p\r\n", SHARC_SPAN(HTTP_OK));
    char *dir = test_mkdir();
    SHARC_AUTO(sharc_freep) char *first = save(dir, "a", sharc_buf_span(&a));
    SHARC_AUTO(sharc_freep) char *second = save(dir, "b", sharc_buf_span(&b));
    struct sharc_warc_verified v[2];
    assert_int_equal(sharc_warc_verify(first, NULL, &v[0], NULL), 0);
    assert_int_equal(sharc_warc_verify(second, NULL, &v[1], NULL), 0);
    struct sharc_warc_verified *all[] = {&v[0], &v[1]};
    sharc_warc_verify_revisits(all, 2);
    assert_int_equal(v[1].counts.revisits, 4);
    assert_int_equal(v[1].counts.revisits_found, 3);
    assert_int_equal(v[1].found.count, 1);
    assert_int_equal(v[1].found.first->kind, SHARC_FINDING_REVISIT);
    sharc_warc_verified_done(&v[0]);
    sharc_warc_verified_done(&v[1]);
    test_rmdir(dir);
}

#define OTHER_DIGEST_LINE "WARC-Payload-Digest: sha1:AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA\r\n"
#define SAME_PAYLOAD "WARC-Profile: http://netpreserve.org/warc/1.1/revisit/identical-payload-digest\r\n"
#define NOT_MODIFIED "WARC-Profile: http://netpreserve.org/warc/1.1/revisit/server-not-modified\r\n"
#define BY_ID "WARC-Refers-To: <urn:uuid:00000000-0000-4000-8000-000000000000>\r\n"
#define BY_DATE "WARC-Refers-To-Target-URI: http://example.com/\r\nWARC-Refers-To-Date: 2020-01-02T03:04:05Z\r\n"
#define EMPTY_DIGEST_LINE "WARC-Payload-Digest: sha1:3I42H3S6NNFQ2MSVX7XZKYAYSCX5QBYJ\r\n"

/* The original has the sha1 of "Wikipedia" in base32. */
static void check_revisit(const char *fields, const char *findings)
{
    SHARC_AUTO(sharc_buf_done) struct sharc_buf b = SHARC_BUF_INIT(1 << 20);
    char extra[800];
    snprintf(extra, sizeof extra, AS_RESPONSE "%s", fields);
    put_record(&b, "response", AS_RESPONSE DIGEST_LINE, SHARC_SPAN(HTTP_OK "Wikipedia"));
    put_record(&b, "revisit", extra, SHARC_SPAN(HTTP_OK));
    check_bytes(sharc_buf_span(&b), findings);
}

static void a_revisit_has_the_digest_of_its_original(void **state)
{
    (void)state;
    check_revisit(SAME_PAYLOAD DIGEST_LINE BY_ID, "");
    check_revisit(SAME_PAYLOAD "WARC-Payload-Digest: sha1:664add438097fbd4307f814de8e62a10f8905588\r\n" BY_DATE, "");
    check_revisit(SAME_PAYLOAD OTHER_DIGEST_LINE BY_ID, "V");
    check_revisit(SAME_PAYLOAD OTHER_DIGEST_LINE BY_DATE, "V");
    check_revisit(SAME_PAYLOAD EMPTY_DIGEST_LINE BY_DATE, "V");
    check_revisit(NOT_MODIFIED OTHER_DIGEST_LINE BY_ID, "V");
    /* nothing to compare */
    check_revisit(NOT_MODIFIED EMPTY_DIGEST_LINE BY_ID, "");
    check_revisit(NOT_MODIFIED BY_ID, "");
    check_revisit(SAME_PAYLOAD "WARC-Payload-Digest: md5:d41d8cd98f00b204e9800998ecf8427e\r\n" BY_ID, "");
}

static uint64_t uncompared(const char *original, const char *revisit)
{
    SHARC_AUTO(sharc_buf_done) struct sharc_buf b = SHARC_BUF_INIT(1 << 20);
    struct sharc_warc_verified v, *all[] = {&v};
    put_record(&b, "response", original, SHARC_SPAN(HTTP_OK "Wikipedia"));
    put_record(&b, "revisit", revisit, SHARC_SPAN(HTTP_OK));
    assert_int_equal(sharc_warc_verify_bytes(sharc_buf_span(&b), NULL, &v, NULL), 0);
    sharc_warc_verify_revisits(all, 1);
    assert_int_equal(v.counts.revisits_found, 1);
    const uint64_t n = v.counts.revisits_uncompared;
    sharc_warc_verified_done(&v);
    return n;
}

/* A revisit of which nobody can say that it is right is not right: it is counted. */
static void revisits_that_cannot_be_compared_are_counted(void **state)
{
    (void)state;
#define ORIGINAL AS_RESPONSE DIGEST_LINE
#define REVISIT AS_RESPONSE SAME_PAYLOAD BY_ID
#define SHA256 "WARC-Payload-Digest: sha256:0000000000000000000000000000000000000000000000000000000000000000\r\n"
    assert_int_equal(uncompared(ORIGINAL, REVISIT DIGEST_LINE), 0);
    assert_int_equal(uncompared(ORIGINAL, REVISIT SHA256), 1);
    assert_int_equal(uncompared(AS_RESPONSE, REVISIT DIGEST_LINE), 1);
    assert_int_equal(uncompared(ORIGINAL, REVISIT "WARC-Payload-Digest: sha1:ZZZ\r\n"), 1);
    assert_int_equal(uncompared(ORIGINAL, REVISIT), 1);
    assert_int_equal(uncompared(ORIGINAL, AS_RESPONSE NOT_MODIFIED BY_ID SHA256), 1);
    /* The server's word: no payload is stated. */
    assert_int_equal(uncompared(ORIGINAL, AS_RESPONSE NOT_MODIFIED BY_ID), 0);
    assert_int_equal(uncompared(ORIGINAL, AS_RESPONSE NOT_MODIFIED BY_ID EMPTY_DIGEST_LINE), 0);
}

static void an_empty_file_is_a_finding(void **state)
{
    (void)state;
    check_bytes(SHARC_SPAN(""), "D");
    check_bytes(SHARC_SPAN("\r\n\r\n"), "D");
    check_bytes(SHARC_SPAN("<!DOCTYPE html>\n<title>404</title>\n<p>not here\n"), "D");
    SHARC_AUTO(sharc_buf_done) struct sharc_buf z = SHARC_BUF_INIT(1 << 20);
    put_gzip(&z, SHARC_SPAN(""));
    check_bytes(sharc_buf_span(&z), "D");
    put_gzip(&z, SHARC_SPAN("\r\n"));
    check_bytes(sharc_buf_span(&z), "D");
}

/* ArchiveWeb.page once wrote request lines without a version, so that there is no HTTP head to read. */
static void a_payload_is_found_without_an_http_head(void **state)
{
    (void)state;
    check_record("request", AS_REQUEST DIGEST_LINE, "\x01no method/\r\nHost: a\r\n\r\nWikipedia", "");
    check_record("request", AS_REQUEST EMPTY_DIGEST_LINE, "\x01no method/\r\nHost: a\r\n\r\n", "");
    check_record("request", AS_REQUEST DIGEST_LINE, "Wikipedia", "");
    check_record("request", AS_REQUEST DIGEST_LINE, "\x01no method/\r\nHost: a\r\n\r\nWikipaedia", "P");
    check_record("resource", "WARC-Target-URI: x:y\r\nWARC-Block-Digest: sha1:1112H3S6NNFQ2MSVX7XZKYAYSCX5QBYJ\r\n",
                 "x", "R");
}

/* Repair a file and walk strictly over the copy. */
static struct sharc_warc_repaired repair(const char *from, const char *to_name, struct walk *ret)
{
    char *dir = test_mkdir();
    SHARC_AUTO(sharc_freep) char *to = sharc_path_join(dir, to_name);
    struct sharc_warc_repaired done;
    struct sharc_err err = SHARC_ERR_INIT;
    if (sharc_warc_repair(from, to, NULL, &done, &err) < 0) fail_msg("%s", err.text);
    if (done.records > 0) {
        walk_file(to, NULL, ret);
        if (ret->result != 0) fail_msg("%s", ret->err.text);
        assert_int_equal(sharc_warc_repair(from, to, NULL, &done, NULL), SHARC_EEXIST);
    }
    test_rmdir(dir);
    return done;
}

static struct sharc_warc_repaired repair_bytes(struct sharc_span bytes, const char *to_name, struct walk *ret)
{
    char *dir = test_mkdir();
    SHARC_AUTO(sharc_freep) char *from = save(dir, "from", bytes);
    SHARC_AUTO(sharc_buf_done) struct sharc_buf after = SHARC_BUF_INIT(1 << 20);
    struct sharc_warc_repaired done = repair(from, to_name, ret);
    assert_int_equal(sharc_file_read(from, &after, NULL), 0);
    assert_true(sharc_span_eq(bytes, sharc_buf_span(&after))); /* the original is as it was */
    test_rmdir(dir);
    return done;
}

static void repair_gives_each_record_its_member(void **state)
{
    (void)state;
    SHARC_AUTO(sharc_buf_done) struct sharc_buf b = SHARC_BUF_INIT(1 << 20), z = SHARC_BUF_INIT(1 << 20);
    put_record(&b, "response", AS_RESPONSE, SHARC_SPAN(HTTP_OK "one"));
    size_t first = b.n;
    put_record(&b, "request", AS_REQUEST, SHARC_SPAN("GET / HTTP/1.0\r\n\r\n"));
    struct walk k;
    put_gzip(&z, sharc_buf_span(&b)); /* one member for all */
    assert_int_equal(repair_bytes(sharc_buf_span(&z), "to.warc.gz", &k).records, 2);
    assert_string_equal(k.types, "rq");
    sharc_buf_clear(&z);
    for (size_t at = 0; at < b.n; at += 100) /* members that cut records anywhere */
        put_gzip(&z, sharc_span_sub(sharc_buf_span(&b), at, at + 100));
    assert_int_equal(repair_bytes(sharc_buf_span(&z), "to.warc.gz", &k).records, 2);
    assert_string_equal(k.types, "rq");
    assert_int_equal(k.statuses[0], 200);
    assert_int_equal(repair_bytes(sharc_span_sub(sharc_buf_span(&b), 0, first + 50), "to.warc", &k).records, 1);
    assert_string_equal(k.types, "r");
    assert_int_equal(repair_bytes(sharc_span_from(sharc_buf_span(&b), 5), "to.warc", &k).left_out, 1);
    assert_string_equal(k.types, "q");
}

static void repair_corrects_a_length_that_the_digest_proves_wrong(void **state)
{
    (void)state;
    struct walk k;
    static const char bytes[] =
        "WARC/1.0\r\nWARC-Type: resource\r\nWARC-Record-ID: <a:1>\r\nWARC-Date: 2020-01-01T00:00:00Z\r\n"
        "WARC-Target-URI: x:y\r\nWARC-Block-Digest: sha1:664add438097fbd4307f814de8e62a10f8905588\r\n"
        "Content-Length: %d\r\n\r\nWikipedia\r\n\r\n"
        "WARC/1.0\r\nWARC-Type: metadata\r\nWARC-Record-ID: <a:2>\r\nWARC-Date: 2020-01-01T00:00:00Z\r\n"
        "Content-Length: 1\r\n\r\nx\r\n\r\n";
    static const int lengths[] = {0, 3, 8, 30, 500};
    for (size_t i = 0; i < SHARC_LENGTH(lengths); i++) {
        char text[1000];
        snprintf(text, sizeof text, bytes, lengths[i]);
        struct sharc_warc_repaired done = repair_bytes(sharc_span_of(text), "to.warc.gz", &k);
        assert_int_equal(done.corrected, 1);
        assert_string_equal(k.types, "sm");
    }
}

/* Each record could reach to the end of the file, by what stands behind it. */
static void repair_reads_a_file_of_wrong_lengths_a_few_times_only(void **state)
{
    (void)state;
    enum { RECORDS = 6000 };
    SHARC_AUTO(sharc_buf_done) struct sharc_buf b = SHARC_BUF_INIT(1 << 20);
    struct walk k = {0};
    for (int i = 0; i < RECORDS; i++)
        sharc_buf_put_str(&b, "WARC/1.1\r\nWARC-Type: resource\r\nWARC-Block-Digest: sha1:"
                              "AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA\r\nContent-Length: 3\r\n\r\nxxxxx\n");
    assert_int_equal(sharc_buf_result(&b, NULL), 0);
    struct sharc_warc_repaired done = repair_bytes(sharc_buf_span(&b), "to.warc.gz", &k);
    assert_int_equal(done.corrected, 0);
    assert_int_equal(done.left_out, RECORDS);
}

static void the_suite_is_judged_as_expected(void **state)
{
    (void)state;
    static const struct {
        const char *file;
        bool sound; /* no findings; checked with the public tool's verdicts */
        const char *repaired;
    } files[] = {
        {"example.warc.gz", true, "wwrqvq"},
        {"example.warc", true, "wwrqvq"},
        {"example-bad-non-chunked.warc.gz", false, "wwrqq"},
        {"example-wrong-chunks.warc.gz", false, "q"},
        {"example-bad.warc.gz.bad", false, NULL},
        {"example-digest.warc", false, "qqqq"},
        {"example-iana.org-chunked.warc", true, "wrq"},
        {"example-resource.warc.gz", true, "wws"},
        {"example-space-in-target-uri.warc.gz", true, "ws"},
        {"example-trunc.warc", false, "wwrq"},
        {"example-wget-bad-target-uri.warc.gz", true, "wqrmss"},
        {"post-test.warc.gz", true, "rqrqrq"},
        {"example.arc", true, "wr"},
        {"example.arc.gz", true, "wr"},
    };
    for (size_t i = 0; i < SHARC_LENGTH(files); i++) {
        char below[200], letters[64];
        snprintf(below, sizeof below, "suites/warcio/data/%s", files[i].file);
        SHARC_AUTO(sharc_freep) char *path = sharc_strdup(test_shared_or_skip(below));
        struct sharc_warc_verified v;
        struct walk k;
        assert_int_equal(sharc_warc_verify(path, NULL, &v, NULL), 0);
        letters_of(&v, letters, sizeof letters);
        if ((v.found.count == 0) != files[i].sound)
            fail_msg("%s: %s %s", files[i].file, letters, v.found.first ? v.found.first->text : "");
        sharc_warc_verified_done(&v);
        repair(path, "to.gz", &k);
        if (files[i].repaired && strcmp(k.types, files[i].repaired) != 0) fail_msg("%s: %s", files[i].file, k.types);
    }
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(rules_are_checked),
    cmocka_unit_test(digests_are_compared),
    cmocka_unit_test(revisits_find_originals_in_other_files),
    cmocka_unit_test(a_revisit_has_the_digest_of_its_original),
    cmocka_unit_test(revisits_that_cannot_be_compared_are_counted),
    cmocka_unit_test(an_empty_file_is_a_finding),
    cmocka_unit_test(a_payload_is_found_without_an_http_head),
    cmocka_unit_test(repair_gives_each_record_its_member),
    cmocka_unit_test(repair_corrects_a_length_that_the_digest_proves_wrong),
    cmocka_unit_test(repair_reads_a_file_of_wrong_lengths_a_few_times_only),
    cmocka_unit_test(the_suite_is_judged_as_expected),
};
TEST_MAIN(tests)

/* SPDX-License-Identifier: Apache-2.0
 *
 * The sixteen files of a public test-suite for archive readers, with what each
 * must give. Skipped where the shared material is absent.
 */
#include "warc_test.h"

#include "sharc/base_digest.h"

static const struct expectation {
    const char *file;
    const char *types; /* lenient; letters as in warc_test.h */
    bool strict_fails;
    uint64_t damaged;    /* lenient */
    uint64_t offsets[8]; /* checked up to the first 0 behind the first */
    uint64_t lengths[8];
    const char *target; /* of the last record */
} files[] = {
    {"example.warc.gz",
     "wwrqvq",
     false,
     0,
     {0, 353, 784, 2012, 2621, 3207},
     {353, 431, 1228, 609, 586, 609},
     "http://example.com/"},
    {"example.warc",
     "wwrqvq",
     false,
     0,
     {0, 488, 1197, 2566, 3370, 4316},
     {484, 705, 1365, 800, 942, 800},
     "http://example.com/"},
    {"example.arc", "wr", false, 0, {0, 151}, {150, 1656}, "http://example.com/"},
    {"example.arc.gz", "wr", false, 0, {0, 171}, {171, 856}, "http://example.com/"},
    {"bad.arc", "wrrr", true, 3, {0, 134, 202, 262}, {0}, "http://example.com/"},
    {"example-space-in-url.arc",
     "wr",
     true, /* its line ends were changed, so 12 bytes are missing at the end */
     1,
     {0, 151},
     {0},
     "http://example.com/index.cfm?FuseAction=Email&EmailTitle=Examples%20From%20The%20Live%20Web&IsPopUp=False"},
    {"example-bad-non-chunked.warc.gz", "wwrqvq", true, 0, {0}, {0}, "http://example.com/"},
    {"example-wrong-chunks.warc.gz", "rq", true, 0, {0}, {0}, "http://example.com/"},
    {"example-bad.warc.gz.bad", NULL, true, 0, {0}, {0}, NULL},
    {"example-trunc.warc", "wwrq", true, 1, {0, 488, 1197, 2566}, {0}, "http://example.com/"},
    {"example-digest.warc", "qqqq", false, 0, {0, 922, 1840, 2758}, {918, 914, 914, 910}, "http://example.com/"},
    {"example-iana.org-chunked.warc", "wrq", false, 0, {0, 405, 8379}, {401, 7970, 448}, "http://www.iana.org/"},
    {"example-resource.warc.gz", "wws", false, 0, {0, 361, 802}, {361, 441, 977}, "http://example.com/"},
    {"example-space-in-target-uri.warc.gz",
     "ws",
     false,
     0,
     {0, 241},
     {241, 342},
     "file:///example%20with%20spaces.png"},
    {"example-wget-bad-target-uri.warc.gz",
     "wqrmss",
     false,
     0,
     {0, 410, 824, 1978, 2295, 2681},
     {410, 414, 1154, 317, 386, 586},
     "metadata://gnu.org/software/wget/warc/wget.log"},
    {"post-test.warc.gz",
     "rqrqrq",
     false,
     0,
     {0, 720, 1196, 1919, 2395, 3118},
     {720, 476, 723, 476, 723, 475},
     "http://httpbin.org/post?foo=bar"},
};

static const char *path_of(const char *file)
{
    char below[200];
    snprintf(below, sizeof below, "suites/warcio/data/%s", file);
    return test_shared_or_skip(below);
}

static void compare(const struct expectation *e, const struct walk *k)
{
    for (size_t i = 0; i < k->n; i++) {
        if (i > 0 && e->offsets[i] == 0) break;
        if (k->offsets[i] != e->offsets[i] || (e->lengths[0] && k->lengths[i] != e->lengths[i]))
            fail_msg("%s: record %zu at %llu, %llu bytes", e->file, i, (unsigned long long)k->offsets[i],
                     (unsigned long long)k->lengths[i]);
    }
}

static void strict_reading_gives_what_is_expected(void **state)
{
    (void)state;
    for (size_t i = 0; i < SHARC_LENGTH(files); i++) {
        const struct expectation *e = &files[i];
        struct walk k;
        walk_file(path_of(e->file), NULL, &k);
        if (e->strict_fails) {
            if (k.result >= 0) fail_msg("%s: should be refused", e->file);
            assert_non_null(strstr(k.err.text, "offset"));
            continue;
        }
        if (k.result != 0) fail_msg("%s: %s", e->file, k.err.text);
        assert_string_equal(k.types, e->types);
        assert_string_equal(k.targets[k.n - 1], e->target);
        compare(e, &k);
    }
}

static void lenient_reading_goes_on_behind_damage(void **state)
{
    (void)state;
    for (size_t i = 0; i < SHARC_LENGTH(files); i++) {
        const struct expectation *e = &files[i];
        struct walk k;
        walk_file(path_of(e->file), &(struct sharc_warc_options){.lenient = true}, &k);
        if (k.result != 0) fail_msg("%s: %s", e->file, k.err.text);
        if (!e->types) continue;
        if (strcmp(k.types, e->types) != 0) fail_msg("%s: %s, not %s", e->file, k.types, e->types);
        if (k.stats.damaged != e->damaged) fail_msg("%s: %d damaged", e->file, (int)k.stats.damaged);
        compare(e, &k);
    }
}

static void a_wrong_offset_is_refused(void **state)
{
    (void)state;
    struct walk k;
    walk_file(path_of("example.warc.gz"), &(struct sharc_warc_options){.offset = 10}, &k);
    assert_true(k.result < 0);
    walk_file(path_of("example.warc.gz"), &(struct sharc_warc_options){.offset = 784}, &k);
    assert_int_equal(k.result, 0);
    assert_string_equal(k.types, "rqvq");
}

static void check_part(const char *file, size_t which, enum sharc_warc_part part, const char *start, const char *digest)
{
    struct sharc_warc *w = NULL;
    struct sharc_record rec;
    SHARC_AUTO(sharc_buf_done) struct sharc_buf b = SHARC_BUF_INIT(1 << 20);
    assert_int_equal(sharc_warc_open(path_of(file), NULL, &w, NULL), 0);
    for (size_t i = 0; i <= which; i++) assert_int_equal(sharc_warc_next(w, &rec, NULL), 1);
    assert_int_equal(sharc_record_read_all(&rec, part, &b, NULL), 0);
    if (!sharc_span_starts(sharc_buf_span(&b), sharc_span_of(start))) fail_msg("%s: %.30s", file, b.p);
    if (digest) {
        struct sharc_digest want, got;
        assert_int_equal(sharc_digest_parse(sharc_span_of(digest), &want), 0);
        sharc_digest_of(want.kind, sharc_buf_span(&b), &got);
        assert_true(sharc_digest_eq(&want, &got));
    }
    sharc_warc_close(w);
}

static void parts_are_decoded(void **state)
{
    (void)state;
    check_part("example.warc.gz", 2, SHARC_WARC_CONTENT, "<!doctype html>", NULL);
    check_part("example.warc.gz", 2, SHARC_WARC_PAYLOAD, "\x1f\x8b", "sha1:G7HRM7BGOKSKMSXZAHMUQTTV53QOFSMK");
    check_part("example-iana.org-chunked.warc", 1, SHARC_WARC_PAYLOAD, "<!doctype html>",
               "sha1:8846f23ce943a3b70089f86345626778cd93f11e");
    check_part("example-iana.org-chunked.warc", 1, SHARC_WARC_BODY, "001c37\r\n",
               "sha1:b1f949b4920c773fd9c863479ae9a788b948c7ad");
    check_part("example.arc.gz", 0, SHARC_WARC_BLOCK, "1 0 LiveWeb", NULL);
    check_part("example.arc.gz", 1, SHARC_WARC_BLOCK, "HTTP/1.1 200 OK", "sha1:PEWDX5GTH66WU74WBPGFECIYBMPMP3FP");
    check_part("example.arc.gz", 1, SHARC_WARC_PAYLOAD, "<!doctype html>", "sha1:B2LTWWPUOYAH7UIPQ7ZUPQ4VMBSVC36A");
    check_part("example-resource.warc.gz", 2, SHARC_WARC_CONTENT, "", "sha1:YXLHEZO6YIEPLHABGCQ2TM24WROPX6ZG");
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(strict_reading_gives_what_is_expected),
    cmocka_unit_test(lenient_reading_goes_on_behind_damage),
    cmocka_unit_test(a_wrong_offset_is_refused),
    cmocka_unit_test(parts_are_decoded),
};
TEST_MAIN(tests)

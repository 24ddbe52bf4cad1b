/* SPDX-License-Identifier: Apache-2.0 */
#include "test.h"

#include "sharc/base_file.h"
#include "sharc/seal.h"

#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>

static const enum sharc_seal_kind made[] = {SHARC_SEAL_ED25519, SHARC_SEAL_P256, SHARC_SEAL_P384};

static struct sharc_seal_key *make(enum sharc_seal_kind kind)
{
    struct sharc_seal_key *k = NULL;
    struct sharc_err err = SHARC_ERR_INIT;
    if (sharc_seal_key_make(kind, &k, &err) < 0) fail_msg("%s", err.text);
    assert_int_equal(sharc_seal_key_kind(k), kind);
    assert_true(sharc_seal_key_private(k));
    return k;
}

static struct sharc_seal_key *public_half(const struct sharc_seal_key *k)
{
    struct sharc_buf pem = SHARC_BUF_INIT(10000);
    struct sharc_seal_key *half = NULL;
    struct sharc_err err = SHARC_ERR_INIT;
    sharc_seal_key_pem(k, &pem);
    assert_true(sharc_span_starts(sharc_buf_span(&pem), SHARC_SPAN("-----BEGIN PUBLIC KEY-----\n")));
    assert_int_equal(sharc_seal_key_read(sharc_buf_span(&pem), &half, &err), 0);
    assert_false(sharc_seal_key_private(half));
    sharc_buf_done(&pem);
    return half;
}

static void test_sign_and_verify(void **state)
{
    (void)state;
    for (size_t i = 0; i < SHARC_LENGTH(made); i++) {
        struct sharc_err err = SHARC_ERR_INIT;
        SHARC_AUTO(sharc_seal_key_freep) struct sharc_seal_key *k = make(made[i]), *other = make(made[i]);
        SHARC_AUTO(sharc_seal_key_freep) struct sharc_seal_key *half = public_half(k);
        struct sharc_digest a, b;
        sharc_seal_key_fingerprint(k, &a);
        sharc_seal_key_fingerprint(half, &b);
        assert_true(sharc_digest_eq(&a, &b));
        sharc_seal_key_fingerprint(other, &b);
        assert_false(sharc_digest_eq(&a, &b));

        char data[] = "{\"pages\":3}";
        struct sharc_span span = sharc_span(data, sizeof data - 1);
        SHARC_AUTO(sharc_buf_done) struct sharc_buf sig = SHARC_BUF_INIT(SHARC_SEAL_SIGNATURE);
        assert_int_equal(sharc_seal_sign(k, span, &sig, &err), 0);
        assert_int_equal(sharc_seal_verify(half, span, sharc_buf_span(&sig), &err), 0);
        assert_int_equal(sharc_seal_verify(other, span, sharc_buf_span(&sig), &err), SHARC_EDIGEST);
        assert_int_equal(sharc_seal_sign(half, span, &sig, &err), SHARC_EINVAL);

        for (size_t bit = 0; bit < span.n * 8; bit++) {
            data[bit / 8] = (char)(data[bit / 8] ^ 1 << bit % 8);
            assert_int_equal(sharc_seal_verify(half, span, sharc_buf_span(&sig), &err), SHARC_EDIGEST);
            data[bit / 8] = (char)(data[bit / 8] ^ 1 << bit % 8);
        }
        for (size_t bit = 0; bit < sig.n * 8; bit++) {
            sig.p[bit / 8] = (char)(sig.p[bit / 8] ^ 1 << bit % 8);
            int r = sharc_seal_verify(half, span, sharc_buf_span(&sig), &err);
            assert_true(r == SHARC_EDIGEST || r == SHARC_ESYNTAX);
            assert_non_null(strstr(err.text, "signature"));
            sig.p[bit / 8] = (char)(sig.p[bit / 8] ^ 1 << bit % 8);
        }
        for (size_t n = 0; n < sig.n; n++) assert_true(sharc_seal_verify(half, span, sharc_span(sig.p, n), &err) < 0);
        sharc_buf_put_char(&sig, 0);
        assert_true(sharc_seal_verify(half, span, sharc_buf_span(&sig), &err) < 0);
    }
}

/* Test 2 of RFC 8032, 7.1: one byte, 0x72. */
static void test_ed25519_of_the_rfc(void **state)
{
    (void)state;
    uint8_t der[44] = {0x30, 0x2a, 0x30, 0x05, 0x06, 0x03, 0x2b, 0x65, 0x70, 0x03, 0x21, 0x00};
    uint8_t sig[64];
    size_t n;
    assert_int_equal(sharc_hex_decode(SHARC_SPAN("3d4017c3e843895a92b70aa74d1b7ebc9c982ccf2ec4968cc0cd55f12af4660c"),
                                      der + 12, 32, &n),
                     0);
    assert_int_equal(sharc_hex_decode(SHARC_SPAN("92a009a9f0d4cab8720e820b5f642540a2b27b5416503f8fb3762223ebdb69da"
                                                 "085ac1e43e15996e458f3613d0f11d8c387b2eaeb4302aeeb00d291612bb0c00"),
                                      sig, 64, &n),
                     0);
    SHARC_AUTO(sharc_seal_key_freep) struct sharc_seal_key *k = NULL;
    struct sharc_err err = SHARC_ERR_INIT;
    assert_int_equal(sharc_seal_key_read_der(sharc_span(der, 44), &k, &err), 0);
    assert_int_equal(sharc_seal_verify(k, SHARC_SPAN("\x72"), sharc_span(sig, 64), &err), 0);
    assert_int_equal(sharc_seal_verify(k, SHARC_SPAN("\x73"), sharc_span(sig, 64), &err), SHARC_EDIGEST);
    SHARC_AUTO(sharc_buf_done) struct sharc_buf back = SHARC_BUF_INIT(100);
    sharc_seal_key_der(k, &back);
    assert_true(sharc_span_eq(sharc_buf_span(&back), sharc_span(der, 44)));
    assert_int_equal(sharc_seal_key_read_der(sharc_span(der, 43), &(struct sharc_seal_key *){NULL}, &err),
                     SHARC_ESYNTAX);
}

static void test_files(void **state)
{
    (void)state;
    char *dir = test_mkdir();
    struct sharc_err err = SHARC_ERR_INIT;
    static const struct sharc_span passwords[] = {{NULL, 0}, {"open sesame", 11}};
    for (size_t i = 0; i < 2; i++) {
        SHARC_AUTO(sharc_freep) char *path = sharc_asprintf("%s/key%zu.pem", dir, i);
        SHARC_AUTO(sharc_seal_key_freep) struct sharc_seal_key *k = make(SHARC_SEAL_ED25519), *back = NULL;
        assert_int_equal(sharc_seal_key_save(k, path, passwords[i], &err), 0);
        struct stat st;
        assert_int_equal(stat(path, &st), 0);
        assert_int_equal(st.st_mode & 0777, 0600);
        assert_int_equal(sharc_seal_key_save(k, path, passwords[i], &err), SHARC_EEXIST);
        assert_int_equal(sharc_seal_key_load(path, passwords[i], &back, &err), 0);
        struct sharc_digest a, b;
        sharc_seal_key_fingerprint(k, &a);
        sharc_seal_key_fingerprint(back, &b);
        assert_true(sharc_digest_eq(&a, &b));

        SHARC_AUTO(sharc_buf_done) struct sharc_buf text = SHARC_BUF_INIT(10000);
        assert_int_equal(sharc_file_read(path, &text, &err), 0);
        assert_int_equal(strncmp(text.p, i ? "-----BEGIN ENCRYPTED PRIVATE KEY" : "-----BEGIN PRIVATE KEY", 22), 0);
        if (i) {
            assert_int_equal(sharc_seal_key_load(path, SHARC_SPAN_NONE, &back, &err), SHARC_EACCESS);
            assert_non_null(strstr(err.text, "name a file that holds its password"));
            assert_int_equal(sharc_seal_key_load(path, SHARC_SPAN("open sesam"), &back, &err), SHARC_EACCESS);
            assert_non_null(strstr(err.text, "password is wrong"));
        }
        assert_int_equal(chmod(path, 0640), 0);
        assert_int_equal(sharc_seal_key_load(path, passwords[i], &back, &err), SHARC_EACCESS);
        assert_non_null(strstr(err.text, "chmod 600"));
    }
    test_rmdir(dir);
}

/* Every byte of a key file, changed: another key or none, never a crash, never the same key with other bytes
 * unless only the wrapping around it changed. */
static void test_altered_key_file(void **state)
{
    (void)state;
    char *dir = test_mkdir();
    struct sharc_err err = SHARC_ERR_INIT;
    SHARC_AUTO(sharc_freep) char *path = sharc_path_join(dir, "key.pem");
    SHARC_AUTO(sharc_seal_key_freep) struct sharc_seal_key *k = make(SHARC_SEAL_P256);
    SHARC_AUTO(sharc_buf_done) struct sharc_buf text = SHARC_BUF_INIT(10000);
    assert_int_equal(sharc_seal_key_save(k, path, SHARC_SPAN_NONE, &err), 0);
    assert_int_equal(sharc_file_read(path, &text, &err), 0);
    size_t refused = 0;
    for (size_t i = 0; i < text.n; i++) {
        text.p[i] ^= 1;
        FILE *f = fopen(path, "w");
        assert_non_null(f);
        fwrite(text.p, 1, text.n, f);
        fclose(f);
        text.p[i] ^= 1;
        struct sharc_seal_key *back = NULL;
        if (sharc_seal_key_load(path, SHARC_SPAN_NONE, &back, &err) < 0) {
            assert_true(strstr(err.text, path) == err.text);
            refused++;
        }
        sharc_seal_key_free(back);
    }
    assert_true(refused > text.n / 2);
    test_rmdir(dir);
}

static void put(const char *path, const char *text, unsigned mode)
{
    FILE *f = fopen(path, "w");
    assert_non_null(f);
    fputs(text, f);
    fclose(f);
    assert_int_equal(chmod(path, mode), 0);
}

static void test_password_files(void **state)
{
    (void)state;
    char *dir = test_mkdir();
    SHARC_AUTO(sharc_freep) char *path = sharc_path_join(dir, "password");
    struct sharc_buf b = SHARC_BUF_INIT(1024);
    struct sharc_err err = SHARC_ERR_INIT;
    put(path, "open sesame\r\nsecond line\n", 0600);
    assert_int_equal(sharc_seal_password(path, &b, &err), 0);
    assert_span(sharc_buf_span(&b), "open sesame");
    put(path, "\nsecond line\n", 0600);
    assert_int_equal(sharc_seal_password(path, &b, &err), SHARC_EINVAL);
    put(path, "open", 0644);
    assert_int_equal(sharc_seal_password(path, &b, &err), SHARC_EACCESS);
    assert_null(strstr(err.text, "open sesame"));
    assert_int_equal(sharc_seal_password("/nonexistent/password", &b, &err), SHARC_ENOENT);
    sharc_seal_wipe(&b);
    test_rmdir(dir);
}

static void test_what_is_no_key(void **state)
{
    (void)state;
    char *dir = test_mkdir();
    SHARC_AUTO(sharc_freep) char *path = sharc_path_join(dir, "key.pem");
    struct sharc_seal_key *k = NULL;
    struct sharc_err err = SHARC_ERR_INIT;
    put(path, "nothing of the kind\n", 0600);
    assert_int_equal(sharc_seal_key_load(path, SHARC_SPAN_NONE, &k, &err), SHARC_ESYNTAX);
    assert_int_equal(sharc_seal_key_read(SHARC_SPAN("nothing"), &k, &err), SHARC_ESYNTAX);
    assert_int_equal(sharc_seal_key_read(SHARC_SPAN(""), &k, &err), SHARC_ESYNTAX);
    assert_int_equal(sharc_seal_key_read(SHARC_SPAN("-----BEGIN PRIVATE KEY-----\n"), &k, &err), SHARC_EINVAL);
    assert_int_equal(sharc_seal_key_make(SHARC_SEAL_RSA, &k, &err), SHARC_EUNSUPPORTED);
    assert_null(k);
    test_rmdir(dir);
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(test_sign_and_verify), cmocka_unit_test(test_ed25519_of_the_rfc),
    cmocka_unit_test(test_files),           cmocka_unit_test(test_altered_key_file),
    cmocka_unit_test(test_password_files),  cmocka_unit_test(test_what_is_no_key),
};
TEST_MAIN(tests)

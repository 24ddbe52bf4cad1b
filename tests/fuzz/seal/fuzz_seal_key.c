/* SPDX-License-Identifier: Apache-2.0
 *
 * Keys and signatures, whatever their bytes: read or refused with a sentence. A key that was read is the same when it
 * is written and read again, and no bytes but the right ones are a signature by a key that the fuzzer does not choose.
 */
#include "sharc/seal.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

#define DATA SHARC_SPAN("{\"pages\":3}")

static void again(const struct sharc_seal_key *k)
{
    SHARC_AUTO(sharc_buf_done) struct sharc_buf pem = SHARC_BUF_INIT(1u << 20), der = SHARC_BUF_INIT(1u << 20);
    SHARC_AUTO(sharc_seal_key_freep) struct sharc_seal_key *a = NULL, *b = NULL;
    struct sharc_digest x, y, z;
    sharc_seal_key_pem(k, &pem);
    sharc_seal_key_der(k, &der);
    SHARC_ASSERT(sharc_seal_key_read(sharc_buf_span(&pem), &a, NULL) == 0);
    SHARC_ASSERT(sharc_seal_key_read_der(sharc_buf_span(&der), &b, NULL) == 0);
    sharc_seal_key_fingerprint(k, &x);
    sharc_seal_key_fingerprint(a, &y);
    sharc_seal_key_fingerprint(b, &z);
    SHARC_ASSERT(x.n == 32 && sharc_digest_eq(&x, &y) && sharc_digest_eq(&x, &z));
}

static void read_key(struct sharc_span bytes)
{
    struct sharc_err err = SHARC_ERR_INIT;
    for (int der = 0; der < 2; der++) {
        SHARC_AUTO(sharc_seal_key_freep) struct sharc_seal_key *k = NULL;
        int r = der ? sharc_seal_key_read_der(bytes, &k, &err) : sharc_seal_key_read(bytes, &k, &err);
        SHARC_ASSERT(r == 0 ? !sharc_seal_key_private(k) : err.text[0] && !k);
        if (r == 0) again(k);
        if (r == 0) (void)sharc_seal_verify(k, DATA, bytes, &err);
    }
}

/* Made once: the fuzzer cannot know them. */
static void check_signature(struct sharc_span bytes)
{
    static struct sharc_seal_key *keys[SHARC_SEAL_RSA]; /* Ed25519, P-256, P-384 */
    for (int i = 0; i < SHARC_SEAL_RSA; i++) {
        SHARC_AUTO(sharc_buf_done) struct sharc_buf plain = SHARC_BUF_INIT(1u << 16), der = SHARC_BUF_INIT(1u << 16);
        struct sharc_err err = SHARC_ERR_INIT;
        if (!keys[i]) SHARC_ASSERT(sharc_seal_key_make((enum sharc_seal_kind)i, &keys[i], NULL) == 0);
        SHARC_ASSERT(sharc_seal_verify(keys[i], DATA, bytes, &err) < 0 && err.text[0]);
        if (sharc_seal_ecdsa_plain(keys[i], bytes, &plain, &err) == 0)
            SHARC_ASSERT(sharc_seal_ecdsa_der(keys[i], sharc_buf_span(&plain), &der, &err) == 0);
        sharc_buf_clear(&der);
        if (sharc_seal_ecdsa_der(keys[i], bytes, &der, &err) == 0) {
            sharc_buf_clear(&plain);
            SHARC_ASSERT(sharc_seal_ecdsa_plain(keys[i], sharc_buf_span(&der), &plain, &err) == 0);
            SHARC_ASSERT(sharc_span_eq(sharc_buf_span(&plain), bytes));
        }
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    read_key(sharc_span(data, size));
    check_signature(sharc_span(data, size));
    return 0;
}

/* SPDX-License-Identifier: Apache-2.0
 *
 * signedData, written.
 */
#include "sharc/wacz_sign.h"

#include <stdlib.h>

static bool is_ecdsa(const struct sharc_seal_key *k)
{
    enum sharc_seal_kind kind = sharc_seal_key_kind(k);
    return kind == SHARC_SEAL_P256 || kind == SHARC_SEAL_P384;
}

int sharc_wacz_signer_check(const struct sharc_wacz_signer *s, struct sharc_err *reterr)
{
    SHARC_FAIL_IF(!is_ecdsa(s->key), reterr, SHARC_EUNSUPPORTED,
                  "a WACZ is signed with an ECDSA key, best with P-384, which ReplayWeb.page checks; this is one of %s",
                  sharc_seal_kind_name(sharc_seal_key_kind(s->key)));
    SHARC_FAIL_IF(!sharc_seal_key_private(s->key), reterr, SHARC_EINVAL, "a private key is needed to sign");
    SHARC_FAIL_IF(!s->chain && s->ask, reterr, SHARC_EINVAL,
                  "the signature of a WACZ has a time stamp only if it has a certificate chain as well");
    SHARC_FAIL_IF(s->chain && !s->ask, reterr, SHARC_EINVAL,
                  "the signature of a WACZ with a certificate chain needs a time stamp as well: name an authority");
    if (!s->chain) return 0;
    SHARC_AUTO(sharc_buf_done) struct sharc_buf host = SHARC_BUF_INIT(1000);
    sharc_seal_chain_host(s->chain, &host);
    SHARC_FAIL_IF(host.n == 0, reterr, SHARC_EINVAL, "the certificate names no domain");
    return sharc_seal_chain_fits(s->chain, s->key, reterr);
}

static void put_base64(struct sharc_json *j, const char *name, struct sharc_span bytes)
{
    SHARC_AUTO(sharc_freep) char *text = sharc_malloc(SHARC_BASE64_SIZE(bytes.n));
    sharc_base64_encode(bytes, text);
    sharc_json_str(j, name, text);
}

static void put_common(struct sharc_json *j, struct sharc_span hash, sharc_time created, const char *software)
{
    char when[SHARC_TIME_TEXT];
    sharc_json_span(j, "hash", hash);
    sharc_json_str(j, "created", sharc_time_iso(created, 0, when));
    sharc_json_str(j, "software", software);
    sharc_json_str(j, "version", "0.1.0");
}

static int put_anonymous(struct sharc_json *j, const struct sharc_wacz_signer *s, struct sharc_span der,
                         struct sharc_err *reterr)
{
    SHARC_AUTO(sharc_buf_done) struct sharc_buf plain = SHARC_BUF_INIT(1000), key = SHARC_BUF_INIT(1000);
    int r = sharc_seal_ecdsa_plain(s->key, der, &plain, reterr);
    if (r < 0) return r;
    sharc_seal_key_der(s->key, &key);
    put_base64(j, "signature", sharc_buf_span(&plain));
    put_base64(j, "publicKey", sharc_buf_span(&key));
    return 0;
}

static int put_domain(struct sharc_json *j, const struct sharc_wacz_signer *s, struct sharc_span der,
                      struct sharc_err *reterr)
{
    SHARC_AUTO(sharc_buf_done)
    struct sharc_buf stamp = SHARC_BUF_INIT(SHARC_SEAL_STAMP_BYTES),
                     stamp_chain = SHARC_BUF_INIT(SHARC_SEAL_CHAIN_BYTES);
    SHARC_AUTO(sharc_buf_done)
    struct sharc_buf chain = SHARC_BUF_INIT(SHARC_SEAL_CHAIN_BYTES), host = SHARC_BUF_INIT(1000);
    SHARC_AUTO(sharc_freep) char *text = sharc_malloc(SHARC_BASE64_SIZE(der.n));
    struct sharc_seal_stamp facts;
    sharc_base64_encode(der, text);
    /* The stamp is over the text that stands in the file. */
    int r = sharc_seal_stamp_get(sharc_span_of(text), s->ask, s->ask_arg, &stamp, &facts, reterr);
    if (r == 0) r = sharc_seal_stamp_chain(sharc_buf_span(&stamp), &stamp_chain, reterr);
    if (r < 0) return r;
    sharc_seal_chain_pem(s->chain, &chain);
    sharc_seal_chain_host(s->chain, &host);
    sharc_json_str(j, "signature", text);
    sharc_json_span(j, "domain", sharc_buf_span(&host));
    sharc_json_span(j, "domainCert", sharc_buf_span(&chain));
    put_base64(j, "timeSignature", sharc_buf_span(&stamp));
    sharc_json_span(j, "timestampCert", sharc_buf_span(&stamp_chain));
    return 0;
}

int sharc_wacz_sign(void *arg, struct sharc_span hash, sharc_time created, const char *software, struct sharc_json *j,
                    struct sharc_err *reterr)
{
    const struct sharc_wacz_signer *s = arg;
    SHARC_AUTO(sharc_buf_done) struct sharc_buf der = SHARC_BUF_INIT(SHARC_SEAL_SIGNATURE);
    int r = sharc_seal_sign(s->key, hash, &der, reterr);
    if (r < 0) return r;
    put_common(j, hash, created, software);
    return s->chain ? put_domain(j, s, sharc_buf_span(&der), reterr)
                    : put_anonymous(j, s, sharc_buf_span(&der), reterr);
}

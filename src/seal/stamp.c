/* SPDX-License-Identifier: Apache-2.0
 *
 * Asking for a time stamp, and reading what the authority answered.
 */
#include "sharc/base_exhausted.h"
#include "sharc/seal_stamp.h"
#include "stamp_int.h"

#include <openssl/err.h>
#include <openssl/rand.h>
#include <stdio.h>

/* --- the question ------------------------------------------------------------- */

static void set_imprint(TS_REQ *q, struct sharc_span data)
{
    struct sharc_digest d;
    TS_MSG_IMPRINT *imprint = TS_MSG_IMPRINT_new();
    X509_ALGOR *algorithm = X509_ALGOR_new();
    if (!imprint || !algorithm) sharc__no_memory();
    sharc_digest_of(SHARC_SHA256, data, &d);
    X509_ALGOR_set_md(algorithm, EVP_sha256());
    TS_MSG_IMPRINT_set_algo(imprint, algorithm); /* these copy */
    TS_MSG_IMPRINT_set_msg(imprint, d.bytes, d.n);
    TS_REQ_set_msg_imprint(q, imprint);
    X509_ALGOR_free(algorithm);
    TS_MSG_IMPRINT_free(imprint);
}

void sharc_seal_stamp_query(struct sharc_span data, uint64_t nonce, struct sharc_buf *out)
{
    TS_REQ *q = TS_REQ_new();
    ASN1_INTEGER *n = ASN1_INTEGER_new();
    unsigned char *der = NULL;
    if (!q || !n || ASN1_INTEGER_set_uint64(n, nonce) != 1) sharc__no_memory();
    TS_REQ_set_version(q, 1);
    set_imprint(q, data);
    TS_REQ_set_nonce(q, n);
    TS_REQ_set_cert_req(q, 1);
    int length = i2d_TS_REQ(q, &der);
    if (length < 0) SHARC_BUG("OpenSSL cannot write a request");
    sharc_buf_put(out, sharc_span(der, (size_t)length));
    OPENSSL_free(der);
    ASN1_INTEGER_free(n);
    TS_REQ_free(q);
}

int sharc_seal_stamp_get(struct sharc_span data, sharc_seal_ask_fn *ask, void *arg, struct sharc_buf *ret_reply,
                         struct sharc_seal_stamp *ret, struct sharc_err *reterr)
{
    SHARC_AUTO(sharc_buf_done) struct sharc_buf query = SHARC_BUF_INIT(4096);
    uint64_t nonce;
    SHARC_FAIL_IF(RAND_bytes((unsigned char *)&nonce, sizeof nonce) != 1, reterr, SHARC_EIO, "no random number: %s",
                  sharc__seal_why());
    nonce |= UINT64_C(1) << 63; /* never 0, always as long */
    sharc_seal_stamp_query(data, nonce, &query);
    sharc_buf_clear(ret_reply);
    int r = ask(arg, sharc_buf_span(&query), ret_reply, reterr);
    if (r < 0) return r;
    struct sharc_seal_stamp stamp;
    r = sharc_seal_stamp_verify(sharc_buf_span(ret_reply), data, SHARC_SPAN_NONE, SHARC_SPAN_NONE, &stamp, reterr);
    if (r < 0) return r;
    SHARC_FAIL_IF(!stamp.has_nonce || stamp.nonce != nonce, reterr, SHARC_EDIGEST,
                  "the time stamp answers another question (its nonce is not the one that was sent)");
    *ret = stamp;
    return 0;
}

/* --- the answer --------------------------------------------------------------- */

static const char *words_of(const TS_STATUS_INFO *status, char out[200])
{
    const STACK_OF(ASN1_UTF8STRING) *words = TS_STATUS_INFO_get0_text(status);
    const ASN1_UTF8STRING *first =
        words && sk_ASN1_UTF8STRING_num(words) > 0 ? sk_ASN1_UTF8STRING_value(words, 0) : NULL;
    snprintf(out, 200, "%.*s", first ? ASN1_STRING_length(first) : 0,
             first ? (const char *)ASN1_STRING_get0_data(first) : "");
    return out[0] ? out : "it gives no reason";
}

int sharc__seal_stamp_open(struct sharc_span reply, TS_RESP **ret, struct sharc_err *reterr)
{
    SHARC_FAIL_IF(reply.n > SHARC_SEAL_STAMP_BYTES, reterr, SHARC_ELIMIT,
                  "a time stamp has at most 256 kB, this has %zu", reply.n);
    const unsigned char *p = (const unsigned char *)reply.p, *end = p + reply.n;
    SHARC_AUTO(sharc__seal_resp_free) TS_RESP *resp = reply.n ? d2i_TS_RESP(NULL, &p, (long)reply.n) : NULL;
    const char *why = resp ? "" : sharc__seal_why();
    SHARC_FAIL_IF(!resp, reterr, SHARC_ESYNTAX, "this is not a reply of a time-stamp authority (RFC 3161): %s", why);
    SHARC_FAIL_IF(p != end, reterr, SHARC_ESYNTAX, "there are %zu bytes behind the time stamp", (size_t)(end - p));
    const TS_STATUS_INFO *info = TS_RESP_get_status_info(resp);
    int64_t status = -1;
    char text[200];
    if (ASN1_INTEGER_get_int64(&status, TS_STATUS_INFO_get0_status(info)) != 1) ERR_clear_error();
    SHARC_FAIL_IF(status == TS_STATUS_GRANTED_WITH_MODS, reterr, SHARC_EACCESS,
                  "the time-stamp authority granted something else than was asked for (status 1): %s",
                  words_of(info, text));
    SHARC_FAIL_IF(status != TS_STATUS_GRANTED, reterr, SHARC_EACCESS,
                  "the time-stamp authority refused (status %lld): %s", (long long)status, words_of(info, text));
    SHARC_FAIL_IF(!TS_RESP_get_token(resp) || !TS_RESP_get_tst_info(resp), reterr, SHARC_ESYNTAX,
                  "the reply of the time-stamp authority holds no time stamp");
    *ret = SHARC_TAKE(resp);
    return 0;
}

/* YYYYMMDDhhmmss[.f…]Z */
static int read_time(const ASN1_GENERALIZEDTIME *t, sharc_time *ret)
{
    struct sharc_span s = sharc_span(ASN1_STRING_get0_data(t), (size_t)ASN1_STRING_length(t));
    if (s.n < 15 || s.p[s.n - 1] != 'Z' || sharc_time_parse(sharc_span_sub(s, 0, 14), ret, NULL) < 0)
        return SHARC_ESYNTAX;
    sharc_time unit = SHARC_SEC;
    for (size_t i = 14; i + 1 < s.n; i++) {
        if (i == 14 ? s.p[i] != '.' : !sharc_is_digit(s.p[i])) return SHARC_ESYNTAX;
        if (i == 14) continue;
        unit /= 10;
        *ret += unit * (s.p[i] - '0');
    }
    return 0;
}

static sharc_time read_accuracy(const TS_ACCURACY *a)
{
    if (!a) return SHARC_TIME_NONE;
    const ASN1_INTEGER *parts[] = {TS_ACCURACY_get_seconds(a), TS_ACCURACY_get_millis(a), TS_ACCURACY_get_micros(a)};
    static const sharc_time units[] = {SHARC_SEC, SHARC_MSEC, 1};
    sharc_time sum = 0;
    for (size_t i = 0; i < 3; i++) {
        int64_t v = 0;
        if (!parts[i]) continue;
        if (ASN1_INTEGER_get_int64(&v, parts[i]) != 1 || v < 0 || v > INT32_MAX) {
            ERR_clear_error();
            return SHARC_TIME_NONE;
        }
        sum += v * units[i];
    }
    return sum;
}

static int read_imprint(TS_TST_INFO *info, struct sharc_digest *ret, struct sharc_err *reterr)
{
    TS_MSG_IMPRINT *imprint = TS_TST_INFO_get_msg_imprint(info);
    const ASN1_OBJECT *algorithm;
    X509_ALGOR_get0(&algorithm, NULL, NULL, TS_MSG_IMPRINT_get_algo(imprint));
    int nid = OBJ_obj2nid(algorithm);
    const ASN1_OCTET_STRING *bytes = TS_MSG_IMPRINT_get_msg(imprint);
    size_t n = (size_t)ASN1_STRING_length(bytes);
    SHARC_FAIL_IF(nid != NID_sha256 && nid != NID_sha512, reterr, SHARC_EUNSUPPORTED,
                  "the time stamp is over a digest that is not SHA-256 or SHA-512");
    memset(ret, 0, sizeof *ret);
    ret->kind = nid == NID_sha256 ? SHARC_SHA256 : SHARC_SHA512;
    ret->n = nid == NID_sha256 ? 32 : 64;
    SHARC_FAIL_IF(n != ret->n, reterr, SHARC_ESYNTAX, "the digest in the time stamp has %zu bytes", n);
    memcpy(ret->bytes, ASN1_STRING_get0_data(bytes), n);
    return 0;
}

static void read_serial(const ASN1_INTEGER *serial, char *out, size_t room)
{
    size_t n = serial ? (size_t)ASN1_STRING_length(serial) : 0;
    if (n * 2 >= room) n = (room - 1) / 2;
    sharc_hex_encode(sharc_span(n ? ASN1_STRING_get0_data(serial) : NULL, n), out);
}

int sharc__seal_stamp_facts(TS_RESP *resp, struct sharc_seal_stamp *ret, struct sharc_err *reterr)
{
    TS_TST_INFO *info = TS_RESP_get_tst_info(resp);
    memset(ret, 0, sizeof *ret);
    int r = read_imprint(info, &ret->imprint, reterr);
    if (r < 0) return r;
    SHARC_FAIL_IF(read_time(TS_TST_INFO_get_time(info), &ret->at) < 0, reterr, SHARC_ESYNTAX,
                  "the time in the time stamp cannot be read");
    ret->accuracy = read_accuracy(TS_TST_INFO_get_accuracy(info));
    const ASN1_INTEGER *nonce = TS_TST_INFO_get_nonce(info);
    ret->has_nonce = nonce && ASN1_INTEGER_get_uint64(&ret->nonce, nonce) == 1;
    read_serial(TS_TST_INFO_get_serial(info), ret->serial, sizeof ret->serial);
    OBJ_obj2txt(ret->policy, sizeof ret->policy, TS_TST_INFO_get_policy_id(info), 1);
    ERR_clear_error();
    return 0;
}

int sharc_seal_stamp_read(struct sharc_span reply, struct sharc_seal_stamp *ret, struct sharc_err *reterr)
{
    SHARC_AUTO(sharc__seal_resp_free) TS_RESP *resp = NULL;
    struct sharc_seal_stamp stamp;
    int r = sharc__seal_stamp_open(reply, &resp, reterr);
    if (r == 0) r = sharc__seal_stamp_facts(resp, &stamp, reterr);
    if (r < 0) return r;
    sharc__seal_stamp_authority(resp, SHARC_SPAN_NONE, &stamp);
    *ret = stamp;
    return 0;
}

/* SPDX-License-Identifier: Apache-2.0
 *
 * Certificates: reading, telling about them.
 */
#include "x509_int.h"

#include "sharc/base_exhausted.h"

#include <openssl/err.h>
#include <openssl/pem.h>
#include <openssl/x509v3.h>
#include <stdlib.h>
#include <time.h>

int sharc__seal_read_certificates(struct sharc_span pem, size_t most, STACK_OF(X509) * *ret, struct sharc_err *reterr)
{
    SHARC_FAIL_IF(pem.n > SHARC_SEAL_CHAIN_BYTES, reterr, SHARC_ELIMIT, "more than 1 MB of certificates");
    SHARC_AUTO(sharc__seal_bio_free) BIO *b = sharc__seal_bio(pem);
    SHARC_AUTO(sharc__seal_x509s_free) STACK_OF(X509) *all = sk_X509_new_null();
    for (X509 *x; (x = PEM_read_bio_X509(b, NULL, NULL, NULL));) {
        if (!sk_X509_push(all, x)) sharc__no_memory();
        SHARC_FAIL_IF((size_t)sk_X509_num(all) > most, reterr, SHARC_ELIMIT, "more than %zu certificates", most);
    }
    /* The end of the text is an error to OpenSSL, too: one that says that no further line begins a certificate. */
    bool ended = ERR_GET_REASON(ERR_peek_last_error()) == PEM_R_NO_START_LINE;
    const char *why = sharc__seal_why();
    SHARC_FAIL_IF(!ended, reterr, SHARC_ESYNTAX, "certificate %d is damaged (%s)", sk_X509_num(all) + 1, why);
    SHARC_FAIL_IF(sk_X509_num(all) == 0, reterr, SHARC_ESYNTAX, "there is no certificate in the form of PEM");
    *ret = SHARC_TAKE(all);
    return 0;
}

int sharc_seal_chain_read(struct sharc_span pem, struct sharc_seal_chain **ret, struct sharc_err *reterr)
{
    STACK_OF(X509) *all = NULL;
    int r = sharc__seal_read_certificates(pem, SHARC_SEAL_CHAIN_LENGTH, &all, reterr);
    if (r < 0) return r;
    struct sharc_seal_chain *c = SHARC_NEW(struct sharc_seal_chain);
    c->all = all;
    *ret = c;
    return 0;
}

void sharc_seal_chain_free(struct sharc_seal_chain *c)
{
    if (!c) return;
    sk_X509_pop_free(c->all, X509_free);
    free(c);
}

void sharc_seal_chain_freep(struct sharc_seal_chain **c)
{
    sharc_seal_chain_free(*c);
    *c = NULL;
}

static X509 *first(const struct sharc_seal_chain *c)
{
    return sk_X509_value(c->all, 0);
}

size_t sharc_seal_chain_count(const struct sharc_seal_chain *c)
{
    return (size_t)sk_X509_num(c->all);
}

int sharc_seal_chain_key(const struct sharc_seal_chain *c, struct sharc_seal_key **ret, struct sharc_err *reterr)
{
    EVP_PKEY *pkey = X509_get_pubkey(first(c));
    SHARC_FAIL_IF(!pkey, reterr, SHARC_ESYNTAX, "the certificate has no key that can be read (%s)", sharc__seal_why());
    return sharc__seal_key_wrap(pkey, false, ret, reterr);
}

void sharc__seal_put_name(const X509_NAME *name, struct sharc_buf *out)
{
    SHARC_AUTO(sharc__seal_bio_free) BIO *b = BIO_new(BIO_s_mem());
    char *p;
    if (!b || X509_NAME_print_ex(b, name, 0, XN_FLAG_RFC2253 & ~(unsigned long)ASN1_STRFLGS_ESC_MSB) < 0) {
        ERR_clear_error();
        return;
    }
    long n = BIO_get_mem_data(b, &p);
    sharc_buf_put(out, sharc_span(p, (size_t)n));
}

void sharc_seal_chain_subject(const struct sharc_seal_chain *c, struct sharc_buf *out)
{
    sharc__seal_put_name(X509_get_subject_name(first(c)), out);
}

static sharc_time time_of(const ASN1_TIME *t)
{
    struct tm tm;
    sharc_time at;
    if (ASN1_TIME_to_tm(t, &tm) != 1) {
        ERR_clear_error();
        return SHARC_TIME_NONE;
    }
    const struct sharc_date d = {.year = tm.tm_year + 1900,
                                 .month = tm.tm_mon + 1,
                                 .day = tm.tm_mday,
                                 .hour = tm.tm_hour,
                                 .minute = tm.tm_min,
                                 .second = tm.tm_sec};
    return sharc_date_to_time(&d, &at) < 0 ? SHARC_TIME_NONE : at;
}

void sharc_seal_chain_validity(const struct sharc_seal_chain *c, sharc_time *ret_from, sharc_time *ret_until)
{
    *ret_from = time_of(X509_get0_notBefore(first(c)));
    *ret_until = time_of(X509_get0_notAfter(first(c)));
}

void sharc_seal_chain_fingerprint(const struct sharc_seal_chain *c, size_t i, struct sharc_digest *ret)
{
    SHARC_ASSERT(i < sharc_seal_chain_count(c));
    unsigned char *der = NULL;
    int n = i2d_X509(sk_X509_value(c->all, (int)i), &der);
    if (n < 0) SHARC_BUG("OpenSSL cannot write a certificate");
    sharc_digest_of(SHARC_SHA256, sharc_span(der, (size_t)n), ret);
    OPENSSL_free(der);
}

void sharc_seal_chain_certificate(const struct sharc_seal_chain *c, size_t i, struct sharc_buf *subject,
                                  struct sharc_buf *issuer, struct sharc_seal_validity *ret)
{
    SHARC_ASSERT(i < sharc_seal_chain_count(c));
    const X509 *x = sk_X509_value(c->all, (int)i);
    sharc__seal_put_name(X509_get_subject_name(x), subject);
    sharc__seal_put_name(X509_get_issuer_name(x), issuer);
    ret->from = time_of(X509_get0_notBefore(x));
    ret->until = time_of(X509_get0_notAfter(x));
}

bool sharc_seal_chain_is_for(const struct sharc_seal_chain *c, struct sharc_span host)
{
    if (host.n > 2 && host.p[0] == '[' && host.p[host.n - 1] == ']') host = sharc_span_sub(host, 1, host.n - 1);
    SHARC_AUTO(sharc_freep) char *name = sharc_span_dup(host);
    bool fits = host.n && strlen(name) == host.n && /* a NUL byte is part of no host */
                (X509_check_ip_asc(first(c), name, 0) == 1 ||
                 X509_check_host(first(c), name, host.n, X509_CHECK_FLAG_NO_PARTIAL_WILDCARDS, NULL) == 1);
    ERR_clear_error();
    return fits;
}

static struct sharc_span text_of(const ASN1_STRING *s)
{
    return sharc_span(ASN1_STRING_get0_data(s), (size_t)ASN1_STRING_length(s));
}

void sharc_seal_chain_host(const struct sharc_seal_chain *c, struct sharc_buf *out)
{
    const X509_NAME *name = X509_get_subject_name(first(c));
    int at = X509_NAME_get_index_by_NID(name, NID_commonName, -1);
    if (at >= 0) {
        sharc_buf_put(out, text_of(X509_NAME_ENTRY_get_data(X509_NAME_get_entry(name, at))));
        return;
    }
    GENERAL_NAMES *names = X509_get_ext_d2i(first(c), NID_subject_alt_name, NULL, NULL);
    for (int i = 0; i < sk_GENERAL_NAME_num(names); i++) {
        const GENERAL_NAME *g = sk_GENERAL_NAME_value(names, i);
        if (g->type != GEN_DNS) continue;
        sharc_buf_put(out, text_of(g->d.dNSName));
        break;
    }
    GENERAL_NAMES_free(names);
    ERR_clear_error();
}

void sharc__seal_put_certificate(X509 *x, bool another, struct sharc_buf *out)
{
    SHARC_AUTO(sharc__seal_bio_free) BIO *b = BIO_new(BIO_s_mem());
    char *p;
    if (!b || PEM_write_bio_X509(b, x) != 1) SHARC_BUG("OpenSSL cannot write a certificate");
    long n = BIO_get_mem_data(b, &p);
    if (another) sharc_buf_put_char(out, '\n');
    sharc_buf_put(out, sharc_span(p, (size_t)n));
}

void sharc_seal_chain_pem(const struct sharc_seal_chain *c, struct sharc_buf *out)
{
    for (int i = 0; i < sk_X509_num(c->all); i++) sharc__seal_put_certificate(sk_X509_value(c->all, i), i > 0, out);
}

int sharc_seal_chain_fits(const struct sharc_seal_chain *c, const struct sharc_seal_key *k, struct sharc_err *reterr)
{
    EVP_PKEY *pkey = X509_get0_pubkey(first(c));
    bool fits = pkey && EVP_PKEY_eq(pkey, k->pkey) == 1;
    ERR_clear_error();
    SHARC_FAIL_IF(!fits, reterr, SHARC_EDIGEST,
                  "the certificate is that of another key: its first certificate must belong to the key that signs");
    return 0;
}

/* SPDX-License-Identifier: Apache-2.0
 *
 * Whom https trusts: the certificates of authorities, read once for all connections.
 *
 * And what secured a connection: version, cipher, and the certificates that the server presented. libcurl shows
 * OpenSSL's own object while a transfer is under way, so that a connection used for the second time tells as
 * much as a new one. After a resumed handshake the server presents nothing; OpenSSL keeps what it presented when the
 * session began.
 */
#include "fetch_int.h"

#include <openssl/err.h>
#include <openssl/pem.h>
#include <openssl/ssl.h>

enum { TRUSTED_FOR = 24 * 3600 }; /* seconds; then the file is read again, as libcurl does */

/* --- trust --------------------------------------------------------------- */

static const char *authorities(const struct fetcher *f)
{
    const curl_version_info_data *v = curl_version_info(CURLVERSION_NOW);
    if (f->set.ca_file) return f->set.ca_file;
    return v->age >= CURLVERSION_SEVENTH ? v->cainfo : NULL;
}

static bool is_openssl(void)
{
    const char *tls = curl_version_info(CURLVERSION_NOW)->ssl_version;
    return tls && sharc_span_starts(sharc_span_of(tls), SHARC_SPAN("OpenSSL/"));
}

/* The flags are those of libcurl: an intermediate certificate in the file is trusted, too. */
static X509_STORE *read_authorities(const struct fetcher *f)
{
    X509_STORE *s = X509_STORE_new();
    if (s && X509_STORE_load_file(s, authorities(f)) == 1 &&
        X509_STORE_set_flags(s, X509_V_FLAG_TRUSTED_FIRST | X509_V_FLAG_PARTIAL_CHAIN) == 1)
        return s;
    X509_STORE_free(s);
    ERR_clear_error();
    return NULL;
}

/* A connection is about to be secured. */
static CURLcode on_ssl(CURL *easy, void *ctx, void *arg)
{
    (void)easy;
    struct fetcher *f = arg;
    sharc_time now = sharc__http_fetch_now(f);
    if (!f->trusted || now - f->trusted_since > TRUSTED_FOR * SHARC_SEC) {
        X509_STORE *s = read_authorities(f);
        if (!s && !f->trusted) return CURLE_SSL_CACERT_BADFILE;
        if (s) sharc__http_tls_forget(f);
        if (s) f->trusted = s;
        f->trusted_since = now;
    }
    SSL_CTX_set1_cert_store(ctx, f->trusted);
    return CURLE_OK;
}

void sharc__http_tls_trust(struct fetcher *f, CURL *easy)
{
    /* A proxy by https has authorities of its own, and there is one shard. */
    if (f->set.insecure || f->set.proxy || !is_openssl() || !authorities(f)) return;
    if (curl_easy_setopt(easy, CURLOPT_SSL_CTX_FUNCTION, on_ssl) != CURLE_OK) return;
    curl_easy_setopt(easy, CURLOPT_SSL_CTX_DATA, f);
    curl_easy_setopt(easy, CURLOPT_CAINFO, NULL);
}

void sharc__http_tls_forget(struct fetcher *f)
{
    X509_STORE_free(f->trusted);
    f->trusted = NULL;
}

/* --- what it was --------------------------------------------------------- */

/* NULL: no TLS, or a libcurl that was built with another library. */
static SSL *ssl_of(CURL *easy)
{
    struct curl_tlssessioninfo *info = NULL;
    if (curl_easy_getinfo(easy, CURLINFO_TLS_SSL_PTR, &info) != CURLE_OK || !info) return NULL;
    return info->backend == CURLSSLBACKEND_OPENSSL ? info->internals : NULL;
}

static void free_bio(BIO **b)
{
    BIO_free_all(*b);
}

/* False: it does not fit any more. */
static bool put_certificate(struct sharc_buf *out, const X509 *x)
{
    SHARC_AUTO(free_bio) BIO *b = BIO_new(BIO_s_mem());
    char *p;
    if (!b || PEM_write_bio_X509(b, (X509 *)(uintptr_t)x) != 1) return false;
    long n = BIO_get_mem_data(b, &p);
    if (n <= 0 || out->n + (size_t)n > out->max) return false;
    return sharc_buf_put(out, sharc_span(p, (size_t)n)) == 0;
}

static void put_chain(SSL *ssl, struct sharc_fetch_tls *ret)
{
    const STACK_OF(X509) *all = SSL_get_peer_cert_chain(ssl);
    X509 *own = all ? NULL : SSL_get1_peer_certificate(ssl); /* what some sessions keep is that one alone */
    int n = all ? sk_X509_num(all) : own ? 1 : 0;
    for (int i = 0; i < n && !ret->cut; i++)
        ret->cut =
            i >= (int)SHARC_FETCH_CERTIFICATES || !put_certificate(&ret->chain, own ? own : sk_X509_value(all, i));
    X509_free(own);
}

void sharc__http_tls_note(struct transfer *t)
{
    struct sharc_fetch_tls *tls = &t->result->tls;
    sharc__http_tls_done(tls);
    SSL *ssl = sharc_span_istarts(sharc_span_of(t->result->url), SHARC_SPAN("https:")) ? ssl_of(t->easy) : NULL;
    if (!ssl) return;
    const char *cipher = SSL_CIPHER_standard_name(SSL_get_current_cipher(ssl));
    tls->version = SSL_get_version(ssl);
    tls->cipher = cipher ? cipher : "";
    tls->verified = !t->owner->set.insecure; /* libcurl would not have let it pass */
    tls->resumed = SSL_session_reused(ssl) == 1;
    sharc_buf_init(&tls->chain, SHARC_FETCH_CHAIN);
    put_chain(ssl, tls);
    ERR_clear_error();
    if (tls->chain.n) sharc_digest_of(SHARC_SHA256, sharc_buf_span(&tls->chain), &tls->digest);
}

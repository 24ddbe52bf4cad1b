/* SPDX-License-Identifier: Apache-2.0
 *
 * Digests through OpenSSL. Algorithms are fetched once per process: looking
 * them up by name costs more than hashing a small record.
 */
#include "sharc/base_digest.h"
#include "sharc/base_exhausted.h"

#include <openssl/err.h>
#include <openssl/evp.h>
#include <pthread.h>
#include <stdlib.h>

static const struct {
    const char *name, *openssl;
    uint8_t bytes;
    bool base32; /* how archives write it */
} kinds[SHARC_DIGEST_KINDS] = {
    [SHARC_MD5] = {"md5", "MD5", 16, true},
    [SHARC_SHA1] = {"sha1", "SHA1", 20, true},
    [SHARC_SHA256] = {"sha256", "SHA256", 32, false},
    [SHARC_SHA512] = {"sha512", "SHA512", 64, false},
};

static EVP_MD *fetched[SHARC_DIGEST_KINDS];
static pthread_key_t own_context; /* EVP_MD_CTX of a thread, for sharc_digest_of */

static void free_context(void *context)
{
    EVP_MD_CTX_free(context);
}

/* OpenSSL refuses: because memory is gone, or because sharc asked for something that makes no sense. */
static SHARC_NORETURN void refused(const char *what)
{
    if (ERR_GET_REASON(ERR_peek_last_error()) == ERR_R_MALLOC_FAILURE) sharc__no_memory();
    SHARC_BUG(what);
}

static void fetch_all(void)
{
    for (size_t i = 0; i < SHARC_DIGEST_KINDS; i++) fetched[i] = EVP_MD_fetch(NULL, kinds[i].openssl, NULL);
    if (pthread_key_create(&own_context, free_context) != 0) SHARC_BUG("no thread key left");
}

static const EVP_MD *algorithm(enum sharc_digest_kind kind)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    pthread_once(&once, fetch_all);
    SHARC_ASSERT(kind < SHARC_DIGEST_KINDS);
    if (!fetched[kind]) refused("OpenSSL offers no such digest");
    return fetched[kind];
}

static EVP_MD_CTX *new_context(void)
{
    EVP_MD_CTX *c = EVP_MD_CTX_new();
    if (!c) sharc__no_memory();
    return c;
}

static void start(EVP_MD_CTX *c, enum sharc_digest_kind kind)
{
    if (EVP_DigestInit_ex(c, algorithm(kind), NULL) != 1) refused("OpenSSL cannot start a digest");
}

static void end(EVP_MD_CTX *c, enum sharc_digest_kind kind, struct sharc_digest *ret)
{
    *ret = (struct sharc_digest){.kind = kind, .n = kinds[kind].bytes};
    if (EVP_DigestFinal_ex(c, ret->bytes, NULL) != 1) refused("OpenSSL cannot end a digest");
}

/* --- streaming ------------------------------------------------------------ */

struct sharc_hasher {
    EVP_MD_CTX *context;
    enum sharc_digest_kind kind;
};

struct sharc_hasher *sharc_hasher_new(void)
{
    struct sharc_hasher *h = SHARC_NEW(struct sharc_hasher);
    h->context = new_context();
    return h;
}

void sharc_hasher_free(struct sharc_hasher *h)
{
    if (!h) return;
    EVP_MD_CTX_free(h->context);
    free(h);
}

void sharc_hasher_freep(struct sharc_hasher **h)
{
    sharc_hasher_free(*h);
    *h = NULL;
}

void sharc_hasher_start(struct sharc_hasher *h, enum sharc_digest_kind kind)
{
    h->kind = kind;
    start(h->context, kind);
}

void sharc_hasher_add(struct sharc_hasher *h, const void *p, size_t n)
{
    if (n && EVP_DigestUpdate(h->context, p, n) != 1) refused("the hasher was not started");
}

void sharc_hasher_end(struct sharc_hasher *h, struct sharc_digest *ret)
{
    end(h->context, h->kind, ret);
}

void sharc_digest_of(enum sharc_digest_kind kind, struct sharc_span s, struct sharc_digest *ret)
{
    algorithm(kind); /* makes the key */
    EVP_MD_CTX *c = pthread_getspecific(own_context);
    if (!c) {
        c = new_context();
        pthread_setspecific(own_context, c);
    }
    start(c, kind);
    if (s.n && EVP_DigestUpdate(c, s.p, s.n) != 1) refused("OpenSSL cannot hash");
    end(c, kind, ret);
}

bool sharc_digest_eq(const struct sharc_digest *a, const struct sharc_digest *b)
{
    return a->kind == b->kind && a->n == b->n && memcmp(a->bytes, b->bytes, a->n) == 0;
}

/* --- text ----------------------------------------------------------------- */

const char *sharc_digest_name(enum sharc_digest_kind kind)
{
    SHARC_ASSERT(kind < SHARC_DIGEST_KINDS);
    return kinds[kind].name;
}

int sharc_digest_kind_of(struct sharc_span name, enum sharc_digest_kind *ret)
{
    char plain[8];
    size_t n = 0;
    for (size_t i = 0; i < name.n; i++) {
        if (name.p[i] == '-') continue;
        if (n == sizeof plain) return SHARC_EUNSUPPORTED;
        plain[n++] = name.p[i];
    }
    for (int k = 0; k < SHARC_DIGEST_KINDS; k++) {
        if (!sharc_span_ieq(sharc_span(plain, n), sharc_span_of(kinds[k].name))) continue;
        *ret = (enum sharc_digest_kind)k;
        return 0;
    }
    return SHARC_EUNSUPPORTED;
}

char *sharc_digest_text(const struct sharc_digest *d, char out[SHARC_DIGEST_TEXT])
{
    const char *name = sharc_digest_name(d->kind);
    size_t n = strlen(name);
    memcpy(out, name, n);
    out[n++] = ':';
    struct sharc_span bytes = sharc_span(d->bytes, d->n);
    if (!kinds[d->kind].base32) {
        sharc_hex_encode(bytes, out + n);
        return out;
    }
    n += sharc_base32_encode(bytes, out + n);
    while (out[n - 1] == '=') out[--n] = 0;
    return out;
}

int sharc_digest_parse(struct sharc_span s, struct sharc_digest *ret)
{
    size_t colon = sharc_span_find(s, ':', 0);
    if (colon == SHARC_NPOS) return SHARC_ESYNTAX;
    struct sharc_digest d = {0};
    int r = sharc_digest_kind_of(sharc_span_sub(s, 0, colon), &d.kind);
    if (r < 0) return r;
    d.n = kinds[d.kind].bytes;
    struct sharc_span value = sharc_span_from(s, colon + 1);
    size_t letters = value.n, got = 0;
    while (letters && value.p[letters - 1] == '=') letters--;
    if (value.n == d.n * 2u && letters == value.n)
        r = sharc_hex_decode(value, d.bytes, d.n, &got);
    else if (letters == (d.n * 8u + 4) / 5)
        r = sharc_base32_decode(value, d.bytes, d.n, &got);
    else if (letters == (d.n * 8u + 5) / 6)
        r = sharc_base64_decode(value, d.bytes, d.n, &got);
    else
        r = SHARC_ESYNTAX;
    if (r < 0 || got != d.n) return SHARC_ESYNTAX;
    *ret = d;
    return 0;
}

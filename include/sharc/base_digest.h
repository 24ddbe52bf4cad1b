/* SPDX-License-Identifier: Apache-2.0
 *
 * Digests and the alphabets they are written in. OpenSSL computes, xxhash
 * fingerprints; neither header is seen outside base.
 */
#ifndef SHARC_BASE_DIGEST_H
#define SHARC_BASE_DIGEST_H

#include "sharc/base.h"

SHARC_API_BEGIN

enum sharc_digest_kind { SHARC_MD5, SHARC_SHA1, SHARC_SHA256, SHARC_SHA512, SHARC_DIGEST_KINDS };

#define SHARC_DIGEST_MAX 64
struct sharc_digest {
    enum sharc_digest_kind kind;
    uint8_t n; /* bytes used */
    uint8_t bytes[SHARC_DIGEST_MAX];
};

/* Streaming. A hasher may be started again after its end. */
struct sharc_hasher;
struct sharc_hasher *sharc_hasher_new(void);
void sharc_hasher_free(struct sharc_hasher *h);
void sharc_hasher_freep(struct sharc_hasher **h);
void sharc_hasher_start(struct sharc_hasher *h, enum sharc_digest_kind kind);
void sharc_hasher_add(struct sharc_hasher *h, const void *p, size_t n);
void sharc_hasher_end(struct sharc_hasher *h, struct sharc_digest *ret);
/* Two digests of one kind over two inputs, in less time than one after the other
 * where the processor has instructions for SHA-1 and SHA-256. May be started
 * again after its end. The two may get different numbers of bytes. */
struct sharc_hasher_pair;
struct sharc_hasher_pair *sharc_hasher_pair_new(void);
void sharc_hasher_pair_free(struct sharc_hasher_pair *h);
void sharc_hasher_pair_start(struct sharc_hasher_pair *h, enum sharc_digest_kind kind);
void sharc_hasher_pair_add(struct sharc_hasher_pair *h, struct sharc_span first, struct sharc_span second);
void sharc_hasher_pair_end(struct sharc_hasher_pair *h, struct sharc_digest *ret_first,
                           struct sharc_digest *ret_second);
/* All at once; thread-safe, no allocation per call after the first. */
void sharc_digest_of(enum sharc_digest_kind kind, struct sharc_span s, struct sharc_digest *ret);

bool sharc_digest_eq(const struct sharc_digest *a, const struct sharc_digest *b);
/* "sha256" … ; and back, any case, dashes ignored ("SHA-256"). */
const char *sharc_digest_name(enum sharc_digest_kind kind);
int sharc_digest_kind_of(struct sharc_span name, enum sharc_digest_kind *ret);

/* "sha1:BASE32…" as archives write it: base32 for sha1 and md5, hex for the
 * longer ones. */
#define SHARC_DIGEST_TEXT 160
char *sharc_digest_text(const struct sharc_digest *d, char out[SHARC_DIGEST_TEXT]);
/* Reads "algorithm:value" in base32, hex or base64 (also url-safe), any case,
 * padding optional; told apart by length. SHARC_EUNSUPPORTED for an unknown
 * algorithm, SHARC_ESYNTAX otherwise. */
int sharc_digest_parse(struct sharc_span s, struct sharc_digest *ret);

/* Alphabets. out must hold SHARC_…_SIZE(n) bytes; the length written is
 * returned, a 0 is put behind. */
#define SHARC_HEX_SIZE(n) ((n)*2 + 1)
#define SHARC_BASE32_SIZE(n) (((n) + 4) / 5 * 8 + 1)
#define SHARC_BASE64_SIZE(n) (((n) + 2) / 3 * 4 + 1)
size_t sharc_hex_encode(struct sharc_span s, char *out);
size_t sharc_base32_encode(struct sharc_span s, char *out);
size_t sharc_base64_encode(struct sharc_span s, char *out);
/* Decode into out (room bytes); SHARC_ESYNTAX or SHARC_ELIMIT. */
int sharc_hex_decode(struct sharc_span s, uint8_t *out, size_t room, size_t *ret_n);
int sharc_base32_decode(struct sharc_span s, uint8_t *out, size_t room, size_t *ret_n);
int sharc_base64_decode(struct sharc_span s, uint8_t *out, size_t room, size_t *ret_n);

/* Fingerprints: fast, stable across machines and versions, not for evidence. */
uint64_t sharc_fingerprint(struct sharc_span s, uint64_t seed);

SHARC_API_END
#endif

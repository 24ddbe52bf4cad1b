/* SPDX-License-Identifier: Apache-2.0
 *
 * What makes a statement of sharc checkable by strangers: one spelling for a JSON
 * document, a tree of digests over its rows, keys and signatures. Time stamps are in
 * seal_stamp.h. OpenSSL computes; its headers are not seen outside. Nothing here opens a
 * socket, reads a clock or asks for a password.
 *
 * Every failure of a check is one sentence that says what does not fit. SHARC_EDIGEST:
 * well-formed, but it does not belong to these bytes or this key.
 */
#ifndef SHARC_SEAL_H
#define SHARC_SEAL_H

#include "sharc/base.h"
#include "sharc/base_buf.h"
#include "sharc/base_clock.h"
#include "sharc/base_digest.h"
#include "sharc/base_node.h"

SHARC_PRIVATE_BEGIN

/* --- canonical JSON (RFC 8785) -------------------------------------------- */

/* One spelling for one document: no white space, names sorted by UTF-16 code units, the
 * RFC's escapes. Numbers are integers of at most SHARC_JCS_MOST either way: what a reader
 * that computes in doubles would alter is refused, so times are written in microseconds.
 *
 * What sharc_json (base_json.h, not pretty) writes is canonical when the names come in
 * order and the strings are UTF-8; sharc_jcs_check tells. Thus a large document is written
 * and checked in rows, without a tree of it. */
#define SHARC_JCS_MOST INT64_C(9007199254740991)

/* Append the canonical form of a tree (an entry's own name is not written), or of a JSON
 * text, to out. SHARC_EUNSUPPORTED: a number that is not such an integer; SHARC_ESYNTAX:
 * not JSON, bytes that are not UTF-8; SHARC_ELIMIT. On failure out is as it was. */
int sharc_jcs_put(struct sharc_buf *out, const struct sharc_node *n, struct sharc_err *reterr);
int sharc_jcs_put_text(struct sharc_buf *out, struct sharc_span json, struct sharc_err *reterr);
/* Is this, byte by byte, the canonical form of a document? In one pass, of any size, without a tree.
 * SHARC_ESYNTAX with the offset of the first byte that is wrong, also in the sentence. */
int sharc_jcs_check(struct sharc_span text, struct sharc_err *reterr);

/* --- Merkle tree (RFC 6962, RFC 9162) -------------------------------------- */

/* SHA-256; a leaf is hashed behind 0x00, a node behind 0x01, so that neither can pass for
 * the other. A tree of n leaves has a full tree of the largest power of two below n on its
 * left. Leaves are added in order and forgotten: memory grows with log n. */
#define SHARC_MERKLE_LEVELS 64
struct sharc_merkle {
    uint64_t count; /* leaves */
    struct sharc_hasher *hasher;
    struct sharc_digest full[SHARC_MERKLE_LEVELS]; /* by height: the full trees that count's bits name */
    /* The proof for one leaf. */
    bool followed;
    uint64_t index; /* that leaf's */
    size_t length;
    struct sharc_digest path[SHARC_MERKLE_LEVELS];
};
void sharc_merkle_init(struct sharc_merkle *m);
void sharc_merkle_done(struct sharc_merkle *m);
/* The next leaf is the one whose proof is wanted; once per tree. */
void sharc_merkle_follow(struct sharc_merkle *m);
void sharc_merkle_add(struct sharc_merkle *m, struct sharc_span leaf);
/* The same in two steps, of which the first, the long one, needs no tree. */
void sharc_merkle_leaf(struct sharc_hasher *h, struct sharc_span leaf, struct sharc_digest *ret);
void sharc_merkle_add_leaf(struct sharc_merkle *m, const struct sharc_digest *leaf);
/* The root of what was added; of nothing it is the digest of nothing. Adding may go on. */
void sharc_merkle_root(const struct sharc_merkle *m, struct sharc_digest *ret);

/* That a leaf is in a tree: the siblings on its way up, the lowest first. The path fits trees of several sizes, so
 * count must be known from where the root is known, like the root. */
struct sharc_merkle_proof {
    uint64_t index, count; /* the leaf's place, leaves of the tree */
    size_t length;
    struct sharc_digest path[SHARC_MERKLE_LEVELS];
};
/* For the leaf followed. */
void sharc_merkle_prove(const struct sharc_merkle *m, struct sharc_merkle_proof *ret);
/* SHARC_EINVAL: a proof of this length cannot be; SHARC_EDIGEST: it does not lead from the leaf to the root. */
int sharc_merkle_verify(const struct sharc_merkle_proof *p, struct sharc_span leaf, const struct sharc_digest *root,
                        struct sharc_err *reterr);

/* --- keys ------------------------------------------------------------------ */

/* A signature is bare and detached, over the exact bytes, so that OpenSSL checks it alone.
 *
 * Ed25519: 64 bytes, RFC 8032.
 *     openssl pkeyutl -verify -pubin -inkey PUB -rawin -in DATA -sigfile SIG
 * ECDSA with P-256 or P-384: DER, over SHA-256. RSA: PKCS #1 v1.5, over SHA-256.
 *     openssl dgst -sha256 -verify PUB -signature SIG DATA
 *
 * With a certificate, PUB is what this gives, and the chain is checked thus:
 *     openssl x509 -pubkey -noout -in CHAIN
 *     openssl verify -CAfile CA -untrusted CHAIN CHAIN */
enum sharc_seal_kind { SHARC_SEAL_ED25519, SHARC_SEAL_P256, SHARC_SEAL_P384, SHARC_SEAL_RSA, SHARC_SEAL_KINDS };
/* "Ed25519", "ECDSA P-256", "ECDSA P-384", "RSA". */
const char *sharc_seal_kind_name(enum sharc_seal_kind kind);

/* A public key, and the private one where it is known. Immutable: may be used by several
 * threads. RSA below 2048 bits, other curves and other algorithms are refused when read. */
struct sharc_seal_key;
void sharc_seal_key_free(struct sharc_seal_key *k);
void sharc_seal_key_freep(struct sharc_seal_key **k);

/* A new key (Ed25519, P256 or P384), also as a file: PKCS #8 PEM with mode 0600, encrypted
 * with AES-256 when a password is given (an empty one is refused; 600,000 rounds of PBKDF2). An existing file is
 * never replaced: SHARC_EEXIST. */
int sharc_seal_key_make(enum sharc_seal_kind kind, struct sharc_seal_key **ret, struct sharc_err *reterr);
int sharc_seal_key_save(const struct sharc_seal_key *k, const char *path, struct sharc_span password,
                        struct sharc_err *reterr);
/* The first line of a file, without its end: SHARC_EACCESS when others may read the file. For
 * sharc_seal_key_save and _load; wipe with sharc_seal_wipe. */
int sharc_seal_password(const char *path, struct sharc_buf *ret, struct sharc_err *reterr);
void sharc_seal_wipe(struct sharc_buf *b); /* instead of sharc_buf_done */
/* A private key in PEM (PKCS #8, and what OpenSSL reads besides). The file must not be
 * readable or writable by others: SHARC_EACCESS. password: SHARC_SPAN_NONE when there is none. */
int sharc_seal_key_load(const char *path, struct sharc_span password, struct sharc_seal_key **ret,
                        struct sharc_err *reterr);
/* A public key: PEM "PUBLIC KEY", or a certificate (of several the first). The same from DER (SPKI). */
int sharc_seal_key_read(struct sharc_span pem, struct sharc_seal_key **ret, struct sharc_err *reterr);
int sharc_seal_key_read_der(struct sharc_span der, struct sharc_seal_key **ret, struct sharc_err *reterr);

enum sharc_seal_kind sharc_seal_key_kind(const struct sharc_seal_key *k);
bool sharc_seal_key_private(const struct sharc_seal_key *k);
/* The public half: PEM text, or DER (SubjectPublicKeyInfo); appended. */
void sharc_seal_key_pem(const struct sharc_seal_key *k, struct sharc_buf *out);
void sharc_seal_key_der(const struct sharc_seal_key *k, struct sharc_buf *out);
/* SHA-256 of that DER: the name of a key. */
void sharc_seal_key_fingerprint(const struct sharc_seal_key *k, struct sharc_digest *ret);

/* --- signatures ------------------------------------------------------------ */

#define SHARC_SEAL_SIGNATURE 2048 /* bytes of the longest: RSA with 16384 bits */
/* Appended to out. SHARC_EINVAL: k has no private half. */
int sharc_seal_sign(const struct sharc_seal_key *k, struct sharc_span data, struct sharc_buf *out,
                    struct sharc_err *reterr);
/* SHARC_EDIGEST: the signature is not one of this key over these bytes; SHARC_ESYNTAX: it
 * cannot be one of this kind of key at all. */
int sharc_seal_verify(const struct sharc_seal_key *k, struct sharc_span data, struct sharc_span signature,
                      struct sharc_err *reterr);

/* A signature of ECDSA as browsers write it, the numbers r and s one behind the other, made of DER, and back;
 * appended. SHARC_ESYNTAX: not one of a key of this kind. */
int sharc_seal_ecdsa_plain(const struct sharc_seal_key *k, struct sharc_span der, struct sharc_buf *out,
                           struct sharc_err *reterr);
int sharc_seal_ecdsa_der(const struct sharc_seal_key *k, struct sharc_span plain, struct sharc_buf *out,
                         struct sharc_err *reterr);

SHARC_PRIVATE_END
#endif

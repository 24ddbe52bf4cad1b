/* SPDX-License-Identifier: Apache-2.0
 *
 * Who signed a certificate. A key that stands in the certificate itself shows that nobody
 * changed it since; whose key it is, only the reader can know.
 */
#include "check.h"

#include "sharc/seal_chain.h"

#include <stdio.h>

static struct sharc_seal_key *key_inside(struct sharc_span issued)
{
    struct sharc_seal_key *key = NULL;
    SHARC_AUTO(sharc_freep)
    char *pem = sharc__certify_string(sharc__certify_get(sharc__certify_get(issued, "key"), "pem"));
    if (pem && sharc_seal_key_read(sharc_span_of(pem), &key, NULL) == 0) return key;
    return NULL;
}

static void verify(struct checking *x, const char *file, const struct sharc_seal_key *key, struct sharc_span text,
                   struct sharc_span signature)
{
    struct sharc_err err = SHARC_ERR_INIT;
    struct sharc_digest print;
    char name[SHARC_DIGEST_TEXT];
    if (sharc_seal_verify(key, text, signature, &err) < 0) {
        sharc__certify_find(x->out, file, SHARC_NOWHERE, NULL,
                            "%s; the signature, the certificate or the key is another", err.text);
        return;
    }
    sharc_seal_key_fingerprint(key, &print);
    snprintf(x->out->signer, sizeof x->out->signer, "%s", sharc_digest_text(&print, name));
    x->out->signature = true;
}

/* --- X.509 ------------------------------------------------------------------------------------ */

/* The time at which the chain must have been valid: the stamp's, if there is one that can be believed. */
static sharc_time signed_at(const struct checking *x, struct sharc_span issued)
{
    int64_t at = SHARC_TIME_NONE;
    if (x->out->stamp && x->o->trusted.n) return x->out->stamp_says.at;
    (void)sharc_span_to_i64(sharc__certify_get(issued, "at"), &at);
    return at;
}

static int read_chain(struct checking *x, struct sharc_span issued, struct sharc_seal_key **ret,
                      struct sharc_err *reterr)
{
    SHARC_AUTO(sharc_seal_chain_freep) struct sharc_seal_chain *chain = NULL;
    SHARC_AUTO(sharc_buf_done) struct sharc_buf subject = SHARC_BUF_INIT(4096);
    SHARC_AUTO(sharc_freep) char *pem = sharc__certify_string(sharc__certify_get(issued, "chain"));
    SHARC_FAIL_IF(!pem, reterr, SHARC_ENOENT, "there is no chain of certificates that could lead to an authority");
    int r = sharc_seal_chain_read(sharc_span_of(pem), &chain, reterr);
    if (r == 0) r = sharc_seal_chain_verify(chain, x->o->trusted, signed_at(x, issued), reterr);
    if (r == 0) r = sharc_seal_chain_key(chain, ret, reterr);
    if (r < 0) return r;
    sharc_seal_chain_subject(chain, &subject);
    snprintf(x->out->subject, sizeof x->out->subject, "%s", sharc_buf_str(&subject));
    return 0;
}

void sharc__certify_check_bytes(struct checking *x, const char *file, struct sharc_span text, struct sharc_span issued,
                                struct sharc_span signature)
{
    SHARC_AUTO(sharc_seal_key_freep) struct sharc_seal_key *inside = NULL;
    struct sharc_err err = SHARC_ERR_INIT;
    x->out->signed_ = true;
    if (!x->o->key && x->o->trusted.n) {
        if (read_chain(x, issued, &inside, &err) < 0) {
            sharc__certify_find(x->out, x->o->certificate, SHARC_NOWHERE, "/issued/chain", "%s", err.text);
            return;
        }
    } else if (!x->o->key) {
        inside = key_inside(issued);
    }
    if (x->o->key || inside)
        verify(x, file, x->o->key ? x->o->key : inside, text, signature);
    else
        sharc__certify_find(x->out, x->o->certificate, SHARC_NOWHERE, "/issued/key",
                            "there is a signature and no key to check it by: name the public key");
}

/* --- time stamp --------------------------------------------------------------------------------- */

void sharc__certify_check_stamp(struct checking *x)
{
    SHARC_AUTO(sharc_freep) char *name = sharc_asprintf("%s.tsr", x->o->certificate);
    SHARC_AUTO(sharc_buf_done) struct sharc_buf reply = SHARC_BUF_INIT(SHARC_SEAL_STAMP_BYTES);
    struct sharc_err err = SHARC_ERR_INIT;
    int r = sharc__certify_beside(x, name, &reply, &err);
    if (r == 0) return;
    x->out->stamped = true;
    if (r > 0)
        r = sharc_seal_stamp_verify(sharc_buf_span(&reply), x->text, x->o->trusted, SHARC_SPAN_NONE,
                                    &x->out->stamp_says, &err);
    x->out->stamp = r == 0;
    if (r < 0) sharc__certify_find(x->out, name, SHARC_NOWHERE, NULL, "%s", err.text);
}

/* --- the signature beside it ---------------------------------------------------------------------- */

void sharc__certify_check_signature(struct checking *x, const char *file, struct sharc_span text,
                                    struct sharc_span issued)
{
    SHARC_AUTO(sharc_freep) char *name = sharc_asprintf("%s.sig", file);
    SHARC_AUTO(sharc_buf_done) struct sharc_buf signature = SHARC_BUF_INIT(SHARC_SEAL_SIGNATURE);
    struct sharc_err err = SHARC_ERR_INIT;
    bool promised = sharc__certify_get(issued, "key").p != NULL;
    int r = sharc__certify_beside(x, name, &signature, &err);
    if (r == 0) {
        if (promised || x->o->key || x->o->trusted.n)
            sharc__certify_find(x->out, name, SHARC_NOWHERE, NULL, "the signature is missing");
        return;
    }
    if (r < 0) {
        x->out->signed_ = true;
        sharc__certify_find(x->out, name, SHARC_NOWHERE, NULL, "%s", err.text);
        return;
    }
    sharc__certify_check_bytes(x, name, text, issued, sharc_buf_span(&signature));
}

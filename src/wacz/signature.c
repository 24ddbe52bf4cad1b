/* SPDX-License-Identifier: Apache-2.0
 *
 * signedData, checked: by the ten steps of "WACZ Signing and Verification" 0.1.0, section 6,
 * but for those that need what is not in the file (revocation, cross-signing).
 */
#include "sharc/wacz_sign.h"

#include <stdio.h>
#include <stdlib.h>

enum { MOST_SIGNATURE_TEXT = 8192 };
#define MOST_APART (10 * SHARC_MINUTE) /* created and the time stamp */

struct look {
    const struct sharc_node *data;
    struct sharc_span hash;
    const struct sharc_wacz_trust *trust;
    struct sharc_wacz_signature *ret;
    struct sharc_err *reterr;
};

static struct sharc_span member(const struct look *l, const char *name)
{
    const struct sharc_node *n = sharc_node_get(l->data, name);
    return n && n->kind == SHARC_STRING ? n->text : SHARC_SPAN_NONE;
}

/* A member in base64, decoded. */
static int decode(const struct look *l, const char *name, size_t most, struct sharc_buf *out)
{
    struct sharc_span text = member(l, name);
    size_t n = 0;
    SHARC_FAIL_IF(text.n == 0 || text.n > most, l->reterr, SHARC_ESYNTAX, "\"%s\" is missing or too long", name);
    sharc_buf_reserve(out, text.n);
    bool plain = sharc_span_find(text, '-', 0) == SHARC_NPOS && sharc_span_find(text, '_', 0) == SHARC_NPOS;
    int r = plain ? sharc_base64_decode(text, (uint8_t *)out->p, text.n, &n) : SHARC_ESYNTAX;
    SHARC_FAIL_IF(r < 0, l->reterr, SHARC_ESYNTAX, "\"%s\" is not base64", name);
    out->n = n;
    return 0;
}

/* --- form ------------------------------------------------------------------------ */

static bool in_list(struct sharc_span name, const char *const *list)
{
    for (; *list; list++)
        if (sharc_span_is(name, *list)) return true;
    return false;
}

static int check_form(const struct look *l, bool *ret_anonymous)
{
    static const char *const anonymous[] = {"hash", "created", "software", "version", "signature", "publicKey", NULL};
    static const char *const domain[] = {"hash",          "created",         "software",   "version",
                                         "signature",     "domain",          "domainCert", "timeSignature",
                                         "timestampCert", "crossSignedCert", NULL};
    SHARC_FAIL_IF(l->data->kind != SHARC_MAP, l->reterr, SHARC_ESYNTAX, "signedData is not an object");
    bool bare = sharc_node_get(l->data, "publicKey") != NULL;
    for (const struct sharc_node *n = l->data->first; n; n = n->next)
        SHARC_FAIL_IF(!in_list(n->name, bare ? anonymous : domain), l->reterr, SHARC_ESYNTAX,
                      "signedData has \"%.*s\", which does not belong in %s signature",
                      (int)(n->name.n < 40 ? n->name.n : 40), n->name.p, bare ? "an anonymous" : "a domain's");
    SHARC_FAIL_IF(!sharc_span_eq(member(l, "hash"), l->hash) || l->hash.n == 0, l->reterr, SHARC_EDIGEST,
                  "it is about another hash than that of datapackage.json");
    SHARC_FAIL_IF(sharc_time_parse(member(l, "created"), &l->ret->created, NULL) < 0, l->reterr, SHARC_ESYNTAX,
                  "\"created\" is not a time");
    *ret_anonymous = bare;
    return 0;
}

/* --- key and signature -------------------------------------------------------------- */

static void name_key(const struct sharc_seal_key *k, char *out, size_t room)
{
    char text[SHARC_DIGEST_TEXT];
    struct sharc_digest d;
    sharc_seal_key_fingerprint(k, &d);
    snprintf(out, room, "%s key %s", sharc_seal_kind_name(sharc_seal_key_kind(k)), sharc_digest_text(&d, text));
}

/* Tools write both forms, whatever signs. */
static int check_bytes(const struct look *l, const struct sharc_seal_key *k)
{
    SHARC_AUTO(sharc_buf_done)
    struct sharc_buf bytes = SHARC_BUF_INIT(MOST_SIGNATURE_TEXT), der = SHARC_BUF_INIT(SHARC_SEAL_SIGNATURE);
    SHARC_FAIL_IF(sharc_seal_key_kind(k) == SHARC_SEAL_ED25519, l->reterr, SHARC_EUNSUPPORTED,
                  "a WACZ is signed with ECDSA, and this is a key of Ed25519");
    int r = decode(l, "signature", MOST_SIGNATURE_TEXT, &bytes);
    if (r < 0) return r;
    if (sharc_seal_ecdsa_der(k, sharc_buf_span(&bytes), &der, NULL) == 0 &&
        sharc_seal_verify(k, l->hash, sharc_buf_span(&der), NULL) == 0)
        return 0;
    return sharc_seal_verify(k, l->hash, sharc_buf_span(&bytes), l->reterr);
}

/* It must be the key that the reader expects. */
static int check_expected(const struct look *l, const struct sharc_seal_key *k)
{
    SHARC_AUTO(sharc_seal_key_freep) struct sharc_seal_key *wanted = NULL;
    struct sharc_digest a, b;
    char text[160];
    if (!l->trust || !l->trust->key.n) return 0;
    int r = sharc_seal_key_read(l->trust->key, &wanted, l->reterr);
    if (r < 0) return sharc_err_prefix(l->reterr, r, "the key that must have signed");
    sharc_seal_key_fingerprint(k, &a);
    sharc_seal_key_fingerprint(wanted, &b);
    name_key(wanted, text, sizeof text);
    SHARC_FAIL_IF(!sharc_digest_eq(&a, &b), l->reterr, SHARC_EDIGEST,
                  "it is of another key than the one expected, the %s", text);
    l->ret->expected = true;
    return 0;
}

static int check_key(const struct look *l, const struct sharc_seal_key *k)
{
    name_key(k, l->ret->key, sizeof l->ret->key);
    int r = check_bytes(l, k);
    return r < 0 ? r : check_expected(l, k);
}

static int check_anonymous(const struct look *l)
{
    SHARC_AUTO(sharc_buf_done) struct sharc_buf der = SHARC_BUF_INIT(MOST_SIGNATURE_TEXT);
    SHARC_AUTO(sharc_seal_key_freep) struct sharc_seal_key *k = NULL;
    int r = decode(l, "publicKey", MOST_SIGNATURE_TEXT, &der);
    if (r == 0) r = sharc_seal_key_read_der(sharc_buf_span(&der), &k, l->reterr);
    if (r == 0) r = check_key(l, k);
    bool nobody = l->trust && l->trust->trusted.n && !l->ret->expected;
    SHARC_FAIL_IF(r == 0 && nobody, l->reterr, SHARC_EDIGEST, "it is anonymous: no certificate says whose key it is");
    return r;
}

/* --- domain and time ------------------------------------------------------------------ */

static int check_name(const struct look *l, const struct sharc_seal_chain *c)
{
    SHARC_AUTO(sharc_buf_done) struct sharc_buf host = SHARC_BUF_INIT(1000);
    struct sharc_span domain = member(l, "domain");
    sharc_seal_chain_host(c, &host);
    SHARC_FAIL_IF(domain.n == 0 || !sharc_span_ieq(domain, sharc_buf_span(&host)), l->reterr, SHARC_EDIGEST,
                  "it names the domain \"%.*s\", its certificate is for \"%s\"", (int)(domain.n < 200 ? domain.n : 200),
                  domain.p ? domain.p : "", sharc_buf_str(&host));
    snprintf(l->ret->domain, sizeof l->ret->domain, "%.*s", SHARC_SPAN_ARG(domain));
    return 0;
}

static int check_stamp(const struct look *l)
{
    SHARC_AUTO(sharc_buf_done) struct sharc_buf reply = SHARC_BUF_INIT(2 * SHARC_SEAL_STAMP_BYTES);
    struct sharc_span trusted = l->trust ? l->trust->trusted : SHARC_SPAN_NONE;
    struct sharc_seal_stamp s;
    int r = decode(l, "timeSignature", 2 * SHARC_SEAL_STAMP_BYTES, &reply);
    if (r < 0) return r;
    r = sharc_seal_stamp_verify(sharc_buf_span(&reply), member(l, "signature"), trusted, member(l, "timestampCert"), &s,
                                l->reterr);
    if (r < 0) return sharc_err_prefix(l->reterr, r, "timeSignature");
    sharc_time apart = s.at > l->ret->created ? s.at - l->ret->created : l->ret->created - s.at;
    SHARC_FAIL_IF(apart > MOST_APART, l->reterr, SHARC_EDIGEST,
                  "\"created\" is more than ten minutes away from the time stamp");
    l->ret->stamped = s.at;
    snprintf(l->ret->authority, sizeof l->ret->authority, "%s", s.authority);
    return 0;
}

static int check_domain(const struct look *l)
{
    SHARC_AUTO(sharc_seal_chain_freep) struct sharc_seal_chain *c = NULL;
    SHARC_AUTO(sharc_seal_key_freep) struct sharc_seal_key *k = NULL;
    struct sharc_span pem = member(l, "domainCert");
    SHARC_FAIL_IF(pem.n == 0, l->reterr, SHARC_ESYNTAX, "signedData has neither \"publicKey\" nor \"domainCert\"");
    int r = sharc_seal_chain_read(pem, &c, l->reterr);
    if (r < 0) return sharc_err_prefix(l->reterr, r, "domainCert");
    r = sharc_seal_chain_key(c, &k, l->reterr);
    if (r == 0) r = check_key(l, k);
    if (r == 0) r = check_name(l, c);
    if (r == 0) r = check_stamp(l);
    if (r < 0 || !l->trust || !l->trust->trusted.n) return r;
    r = sharc_seal_chain_verify(c, l->trust->trusted, l->ret->stamped, l->reterr);
    l->ret->trusted = r == 0;
    return r < 0 ? sharc_err_prefix(l->reterr, r, "domainCert") : 0;
}

int sharc_wacz_signature_check(const struct sharc_node *signed_data, struct sharc_span hash,
                               const struct sharc_wacz_trust *trust, struct sharc_wacz_signature *ret,
                               struct sharc_err *reterr)
{
    bool anonymous = false;
    *ret = (struct sharc_wacz_signature){.there = true, .created = SHARC_TIME_NONE, .stamped = SHARC_TIME_NONE};
    const struct look l = {.data = signed_data, .hash = hash, .trust = trust, .ret = ret, .reterr = reterr};
    int r = check_form(&l, &anonymous);
    if (r == 0) r = anonymous ? check_anonymous(&l) : check_domain(&l);
    ret->right = r == 0;
    return r;
}

/* SPDX-License-Identifier: Apache-2.0
 *
 * Signatures of WACZ files, as "WACZ Signing and Verification" 0.1.0 has them: signedData in
 * datapackage-digest.json, an ECDSA signature with SHA-256 over the text of the hash of
 * datapackage.json ("sha256:…"), in one of two forms.
 *
 *   anonymous   publicKey (SPKI, base64) and signature (r and s one behind the other, as browsers write it).
 *               ReplayWeb.page checks P-384 and no other curve.
 *   domain      domainCert (a chain), domain (the name in it), signature (DER, as authsign writes it), and a time
 *               stamp over the base64 text of the signature: timeSignature (the reply), timestampCert (its chain).
 *
 * created is not signed. Nothing else may stand in signedData.
 */
#ifndef SHARC_WACZ_SIGN_H
#define SHARC_WACZ_SIGN_H

#include "sharc/base_json.h"
#include "sharc/base_node.h"
#include "sharc/seal_chain.h"
#include "sharc/seal_stamp.h"
#include "sharc/wacz.h"

SHARC_PRIVATE_BEGIN

struct sharc_wacz_signer {
    const struct sharc_seal_key *key;     /* ECDSA, with its private half */
    const struct sharc_seal_chain *chain; /* of that key: the domain form; NULL: anonymous */
    sharc_seal_ask_fn *ask;               /* with a chain: has the signature stamped */
    void *ask_arg;
};
/* Can s sign a WACZ? SHARC_EINVAL, SHARC_EUNSUPPORTED, SHARC_EDIGEST say why not. */
int sharc_wacz_signer_check(const struct sharc_wacz_signer *s, struct sharc_err *reterr);
/* For struct sharc_wacz_options: sign = sharc_wacz_sign, sign_arg = a struct sharc_wacz_signer that passed the check.
 */
sharc_wacz_sign_fn sharc_wacz_sign;

/* Hold signedData against the hash that datapackage-digest.json states, and against whom the reader trusts.
 * SHARC_ESYNTAX: not of either form; SHARC_EDIGEST: what does not fit. */
int sharc_wacz_signature_check(const struct sharc_node *signed_data, struct sharc_span hash,
                               const struct sharc_wacz_trust *trust, struct sharc_wacz_signature *ret,
                               struct sharc_err *reterr);

SHARC_PRIVATE_END
#endif

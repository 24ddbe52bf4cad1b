/* SPDX-License-Identifier: Apache-2.0
 *
 * A certificate while it is checked.
 */
#ifndef SHARC_CERTIFY_CHECK_H
#define SHARC_CERTIFY_CHECK_H

#include "document.h"

enum { CERTIFY_MEMBERS = 20 };

struct checking {
    const struct sharc_certify_checking *o;
    struct sharc_span text; /* of the certificate, canonical */
    struct sharc_certify_checked *out;
    struct sharc_span members[CERTIFY_MEMBERS]; /* as sharc__certify_sections names them; found once: it may be long */
    bool files_bad;                             /* a file is missing, or not the one that was certified */
    bool other_rules;                           /* it was derived by rules that are not ours */
};

/* The value of a member; SHARC_SPAN_NONE. */
struct sharc_span sharc__certify_section_of(const struct checking *x, const char *name);
/* False, and a finding, when the certificate's value is not what was found. */
bool sharc__certify_compare(struct checking *x, const char *prefix, struct sharc_span said, struct sharc_span found);
/* The signature file.sig over text, by the key that is believed or the one named in issued. */
void sharc__certify_check_signature(struct checking *x, const char *file, struct sharc_span text,
                                    struct sharc_span issued);
/* The time stamp certificate.json.tsr. Before the signature: its time is when the signer's chain had to be valid. */
void sharc__certify_check_stamp(struct checking *x);
/* The same of a signature that is at hand. */
void sharc__certify_check_bytes(struct checking *x, const char *file, struct sharc_span text, struct sharc_span issued,
                                struct sharc_span signature);
/* One page with its proof. */
int sharc__certify_check_page(struct checking *x, struct sharc_err *reterr);

#endif

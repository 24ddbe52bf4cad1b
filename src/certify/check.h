/* SPDX-License-Identifier: Apache-2.0
 *
 * A certificate while it is checked.
 */
#ifndef SHARC_CERTIFY_CHECK_H
#define SHARC_CERTIFY_CHECK_H

#include "document.h"

struct sharc_zip;

enum { CERTIFY_MEMBERS = 20 };

struct checking {
    const struct sharc_certify_checking *o;
    struct sharc_span text; /* of the certificate, canonical */
    struct sharc_certify_checked *out;
    struct sharc_span members[CERTIFY_MEMBERS]; /* as sharc__certify_sections names them; found once: it may be long */
    const struct sharc_zip *zip;                /* a WACZ that it is in; NULL: it is a file */
    size_t inside;                              /* of names of files in that: "site.wacz/" */
    bool files_bad;                             /* a file is missing, or not the one that was certified */
    bool other_rules;                           /* it was derived by rules that are not ours */
};

/* The value of a member; SHARC_SPAN_NONE. */
struct sharc_span sharc__certify_section_of(const struct checking *x, const char *name);
/* False, and a finding, when the certificate's value is not what was found. */
bool sharc__certify_compare(struct checking *x, const char *prefix, struct sharc_span said, struct sharc_span found);
/* A value for a message, malloc'ed: its beginning, or "nothing". */
char *sharc__certify_short(struct sharc_span value);
/* A file that belongs to the certificate, by its name as messages have it, appended to out: 1. 0: there is none. */
int sharc__certify_beside(const struct checking *x, const char *name, struct sharc_buf *out, struct sharc_err *reterr);
/* Is it a WACZ? Then the certificate in it, and its name; zip is to be closed in either case. SHARC_ENOENT: there is
 * none in it. */
bool sharc__certify_is_container(struct sharc_span bytes);
int sharc__certify_open_container(const char *path, struct sharc_span bytes, struct sharc_zip *zip,
                                  struct sharc_buf *text, char **ret_name, struct sharc_err *reterr);
/* statement.json, where it stands beside the certificate, against the certificate. */
void sharc__certify_check_statement(struct checking *x);
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

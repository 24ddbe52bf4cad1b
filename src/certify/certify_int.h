/* SPDX-License-Identifier: Apache-2.0
 *
 * Inside room certify: what room derive found, as a document.
 *
 *   measure.c  what is known of a file: its digest, and sums by which a change can be located
 *   rows.c     one page as canonical JSON
 *   batch.c    many of them, by several threads
 *   sections.c everything else of the document
 *   locate.c   where a file differs
 */
#ifndef SHARC_CERTIFY_INT_H
#define SHARC_CERTIFY_INT_H

#include "sharc/base_arena.h"
#include "sharc/certify.h"
#include "sharc/derive.h"

/* Digest and sums of the bytes. */
void sharc__certify_measure(struct sharc_derived_file *f);
/* Two files of one name: SHARC_EINVAL. */
int sharc__certify_check_names(const struct sharc_derived *f, struct sharc_err *reterr);

/* Row i of "pages", canonical, appended. */
void sharc__certify_row(const struct sharc_derived *f, size_t i, struct sharc_buf *out);
/* The names of the document's members, in their order; ends with NULL. */
extern const char *const sharc__certify_sections[];
/* The value of a member, canonical, appended. False: it does not follow from the files ("issued"), or is written in
 * rows ("pages"), or needs these ("root"). */
bool sharc__certify_section(const struct sharc_derived *f, const char *name, struct sharc_buf *out);
/* Sentences of "does_not_say"; ends with NULL. */
extern const char *const sharc__certify_silence[];
#define CERTIFY_FORMAT "sharc-certificate-1"
/* The value of "servers". */
void sharc__certify_servers(const struct sharc_derived *f, struct sharc_json *j);

#endif

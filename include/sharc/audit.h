/* SPDX-License-Identifier: Apache-2.0
 *
 * Everything that can be checked about archive files, containers and indexes, in one call.
 */
#ifndef SHARC_AUDIT_H
#define SHARC_AUDIT_H

#include "sharc/wacz.h"
#include "sharc/warc_verify.h"

SHARC_PRIVATE_BEGIN

enum sharc_audit_kind { SHARC_AUDIT_ARCHIVE, SHARC_AUDIT_WACZ, SHARC_AUDIT_INDEX };
struct sharc_audit_file {
    enum sharc_audit_kind kind;
    char *path; /* as given; of a WARC inside a WACZ: both, joined */
    int result; /* < 0: could not be read, as err says */
    struct sharc_err err;
    struct sharc_warc_verified verified; /* the findings are for all kinds */
    struct sharc_wacz_report wacz;
    uint64_t lines; /* of an index */
    bool inside;    /* the WARC is in the WACZ that comes before */
    /* private */
    const char *name_;
    struct sharc_span bytes_;
    struct sharc_wacz *wacz_;
};

struct sharc_audit {
    struct sharc_audit_file *files; /* in the order given; the WARCs of a WACZ behind it; indexes last */
    size_t count;
    uint64_t findings;
};

struct sharc_audit_options {
    bool no_digests;
    unsigned threads; /* files at a time; 0: one per core */
    const char *const *indexes;
    size_t index_count;
    const char *temporary;         /* directory for sorting what does not fit into memory */
    struct sharc_wacz_trust trust; /* for the signatures of containers */
};
/* Check archive files ("-": standard input; a directory: all below it), WACZ containers with all that is in
 * them, and indexes of these files, as the functions above do: structure,
 * rules, digests; then, together, revisits and indexes. */
void sharc_audit(const char *const *paths, size_t count, const struct sharc_audit_options *o, struct sharc_audit *ret);
void sharc_audit_done(struct sharc_audit *a);

SHARC_PRIVATE_END
#endif

/* SPDX-License-Identifier: Apache-2.0
 *
 * Is an archive file what it should be? Structure, the rules of WARC 1.1,
 * block and payload digests, whether revisits find their originals, and whether
 * indexes say what is so; and a corrected copy of what can be corrected. Results are data: nothing is
 * printed, and a file may be checked in one thread while others check others.
 */
#ifndef SHARC_WARC_VERIFY_H
#define SHARC_WARC_VERIFY_H

#include "sharc/base_arena.h"
#include "sharc/base_file.h"
#include "sharc/warc.h"

SHARC_API_BEGIN

enum sharc_finding_kind {
    SHARC_FINDING_DAMAGE,    /* bytes that cannot be read as records */
    SHARC_FINDING_RULE,      /* readable, but against the standard */
    SHARC_FINDING_BLOCK,     /* block digest does not match */
    SHARC_FINDING_PAYLOAD,   /* payload digest does not match */
    SHARC_FINDING_REVISIT,   /* no original for a revisit, or one with another digest */
    SHARC_FINDING_HABIT,     /* a known writer's habit: no fault of the archive */
    SHARC_FINDING_INDEX,     /* an index and the records do not agree */
    SHARC_FINDING_CONTAINER, /* a WACZ is not as its standard demands */
    SHARC_FINDING_REMARK,    /* nor as it recommends: no fault either */
    SHARC_FINDING_SIGNATURE  /* a signature is not right, or not the one that is wanted */
};
/* "damage", "rule", "block digest", … */
const char *sharc_finding_name(enum sharc_finding_kind kind);
/* What helps, in one sentence; NULL: nothing general. */
const char *sharc_finding_cure(enum sharc_finding_kind kind);
/* Habits and remarks do not count. */
bool sharc_finding_counts(enum sharc_finding_kind kind);

struct sharc_finding {
    enum sharc_finding_kind kind;
    uint64_t offset;   /* SHARC_NOWHERE: none */
    uint64_t line;     /* of an index, from 1; 0: none */
    const char *where; /* the file inside a container; NULL: none */
    const char *text;  /* one sentence, without the place */
    struct sharc_finding *next;
};

/* Findings kept per file; beyond that they are only counted. */
#define SHARC_FINDINGS_KEPT 1000

/* A list of them. Must not be moved once initialised: it points into itself. */
struct sharc_findings {
    struct sharc_finding *first; /* in the order of the file */
    uint64_t count;              /* without habits and remarks */
    /* private */
    struct sharc_arena arena;
    struct sharc_finding **last_;
    size_t kept_;
};
void sharc_findings_init(struct sharc_findings *f);
void sharc_findings_done(struct sharc_findings *f);
/* Adds a copy. */
void sharc_findings_add(struct sharc_findings *f, const struct sharc_finding *what);

struct sharc_warc_counts {
    uint64_t records, bytes;
    uint64_t types[SHARC_WARC_TYPES];
    uint64_t blocks_right, blocks_wrong;
    uint64_t payloads_right, payloads_wrong;
    uint64_t payloads_framed;    /* of the right ones: taken over the chunk framing too */
    uint64_t digests_unknown;    /* an algorithm or form we do not know */
    uint64_t digests_of_nothing; /* revisits with the digest of an empty block */
    uint64_t undigested;         /* records with neither digest */
    uint64_t damaged, rules, habits;
    uint64_t revisits, revisits_found; /* found: with the right digest, as far as that can be compared */
    uint64_t revisits_uncompared;      /* of these: state the same payload, and that cannot be compared */
};

struct sharc_warc_verified {
    struct sharc_warc_counts counts;
    struct sharc_findings found;
    enum sharc_warc_packing packing;
    struct sharc_origins *origins_; /* private */
};

struct sharc_warc_verify_options {
    bool no_digests;  /* structure and rules only */
    const char *name; /* for messages; NULL: the path */
};
/* Check one file ("-": standard input). 0 whatever is found; < 0 only when the
 * file cannot be read at all. done() also after a failure. *ret must not be
 * moved: it points into itself. */
int sharc_warc_verify(const char *path, const struct sharc_warc_verify_options *o, struct sharc_warc_verified *ret,
                      struct sharc_err *reterr);
/* The same of bytes in memory; o->name is for messages. */
int sharc_warc_verify_bytes(struct sharc_span bytes, const struct sharc_warc_verify_options *o,
                            struct sharc_warc_verified *ret, struct sharc_err *reterr);
void sharc_warc_verified_done(struct sharc_warc_verified *v);
/* Then, once for all files together: look up the original of every revisit, by
 * WARC-Refers-To, by target and date, by payload digest, and compare payload digests
 * where both are of one algorithm; adds findings. */
void sharc_warc_verify_revisits(struct sharc_warc_verified *const *files, size_t count);

/* --- repair ------------------------------------------------------------------ */

/* A corrected copy: every whole record, byte for byte, each a gzip member of
 * its own (plain if the new name does not end in ".gz"). A wrong Content-Length is corrected
 * where the block digest proves the true one. What is damaged is left out and told: cut
 * records, all records of a compressed member whose checksum is wrong (it covers heads
 * and blocks, and does not say where the fault is), records with a wrong block digest or,
 * without one, a wrong payload digest, and places where no record can be read. A
 * record with a right block digest and a wrong payload digest is as it was written: it is
 * kept, and the copy has the same finding. The original is only read; `to` must not exist. */
struct sharc_warc_repair_options {
    /* Also keep records with a wrong digest, and those of a member with a wrong
     * checksum whose block is complete. The latter get a head line SHARC_WARC_DOUBTFUL, so
     * that the copy does not verify without findings. */
    bool keep_doubtful;
    sharc_warc_warn_fn *left_out; /* told of each: err.offset, and the reason without the place; NULL: nobody */
    void *arg;
};
#define SHARC_WARC_DOUBTFUL "Sharc-Doubtful"
struct sharc_warc_repaired {
    uint64_t records;   /* in the copy */
    uint64_t corrected; /* of these, with a new Content-Length */
    uint64_t doubtful;  /* of these, kept because of keep_doubtful */
    uint64_t uncovered; /* of these, from a member that the file's end cuts off: no checksum covers them */
    uint64_t left_out;  /* records and places that are not in the copy */
};
/* o may be NULL. */
int sharc_warc_repair(const char *from, const char *to, const struct sharc_warc_repair_options *o,
                      struct sharc_warc_repaired *ret, struct sharc_err *reterr);

SHARC_API_END
#endif

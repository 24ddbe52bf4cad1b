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
#include "sharc/warc_wacz.h"

enum sharc_finding_kind {
    SHARC_FINDING_DAMAGE,    /* bytes that cannot be read as records */
    SHARC_FINDING_RULE,      /* readable, but against the standard */
    SHARC_FINDING_BLOCK,     /* block digest does not match */
    SHARC_FINDING_PAYLOAD,   /* payload digest does not match */
    SHARC_FINDING_REVISIT,   /* no original for a revisit */
    SHARC_FINDING_HABIT,     /* a known writer's habit: no fault of the archive */
    SHARC_FINDING_INDEX,     /* an index and the records do not agree */
    SHARC_FINDING_CONTAINER, /* a WACZ is not as its standard demands */
    SHARC_FINDING_REMARK     /* nor as it recommends: no fault either */
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
    uint64_t revisits, revisits_found;
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
 * WARC-Refers-To, by target and date, by payload digest; adds findings. */
void sharc_warc_verify_revisits(struct sharc_warc_verified *const *files, size_t count);

/* --- indexes against archives ---------------------------------------------- */

/* An archive file, or one inside a container: then its bytes, which must outlive the
 * call, count. name: as the index calls it. */
struct sharc_agree_archive {
    const char *name, *path;
    struct sharc_span bytes; /* .p == NULL: read path */
};
/* An index in any form but the .idx of a ZipNum pair (whose data file is one),
 * plain or gzip. */
struct sharc_agree_index {
    const char *path;
    struct sharc_span bytes; /* .p == NULL: read path */
    uint64_t lines;          /* result: entries in it */
};

struct sharc_disagreement {
    size_t index;   /* the line of this index is wrong; SHARC_NPOS: a record has no line */
    uint64_t line;  /* from 1 */
    size_t archive; /* the record's; SHARC_NPOS: not among those given */
    uint64_t offset;
    const char *text;
};
/* Called by one thread at a time. */
typedef void sharc_disagree_fn(void *arg, const struct sharc_disagreement *d);

struct sharc_agree_options {
    bool last_part;        /* names count from their last '/' on */
    unsigned threads;      /* 0: one per core */
    size_t memory;         /* for sorting; 0: 8 MiB */
    const char *temporary; /* directory for what does not fit */
};
/* Does every line of the indexes point at a record with that URL, time, digest,
 * status and length, and has every record that belongs into an index (as sharc index
 * sees it) a line in one of them? Also told: lines that cannot be read, are
 * out of order, or stand twice in the same index. What a line leaves out is not
 * compared, nor are keys and media types, in which indexers differ, nor digests
 * of different kinds.
 *
 * Records and lines are written down by file and offset, sorted (on disk what
 * does not fit into memory), and walked through side by side: O((n + m) log
 * (n + m)), memory as given. SHARC_EINVAL: two archives of the same name. An
 * archive is read leniently. */
int sharc_warc_agree(const struct sharc_agree_archive *archives, size_t count, struct sharc_agree_index *indexes,
                     size_t index_count, const struct sharc_agree_options *o, sharc_disagree_fn *fn, void *arg,
                     struct sharc_err *reterr);

/* --- everything together --------------------------------------------------- */

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
    const char *temporary; /* directory for sorting what does not fit into memory */
};
/* Check archive files ("-": standard input; a directory: all below it), WACZ containers with all that is in
 * them, and indexes of these files, as the functions above do: structure,
 * rules, digests; then, together, revisits and indexes. */
void sharc_audit(const char *const *paths, size_t count, const struct sharc_audit_options *o, struct sharc_audit *ret);
void sharc_audit_done(struct sharc_audit *a);

/* --- repair ------------------------------------------------------------------ */

/* A corrected copy: every whole record, byte for byte, each a gzip member of
 * its own (plain if the new name does not end in ".gz"). A wrong Content-Length is corrected
 * where the block digest proves the true one. Damaged records are left out.
 * The original is only read; `to` must not exist. */
struct sharc_warc_repaired {
    uint64_t records;   /* in the copy */
    uint64_t corrected; /* of these, with a new Content-Length */
    uint64_t left_out;  /* records that are not whole */
    uint64_t damaged;   /* places that could not be read */
};
int sharc_warc_repair(const char *from, const char *to, struct sharc_warc_repaired *ret, struct sharc_err *reterr);

#endif

/* SPDX-License-Identifier: Apache-2.0
 *
 * Inside room derive: what one capture's records say, file by file and then together.
 *
 *   files.c    which files of an archive a capture is in
 *   read.c     from paths to what is derived
 *   parts.c    files in parts, read side by side
 *   gather.c   one pass over one part of a file: its downloads, its warcinfo
 *   decode.c   a body's two digests, as stored and decoded, in that pass
 *   chains.c   certificates that servers presented
 *   join.c     the files together: pages, and what each of their downloads is
 *   audits.c   answers 304 that were checked, and by whose choice
 *   verdict.c  what the closing records add, and where they doubt
 *   grade.c    room evidence run again over them
 *   compare.c  bodies read back for it
 *   times.c    intervals of pages and of all of them
 *   whole.c    pages with what they embed
 *   clock.c    our clock against those of the servers
 */
#ifndef SHARC_DERIVE_INT_H
#define SHARC_DERIVE_INT_H

#include "sharc/derive.h"

enum control_step { CONTROL_NONE, CONTROL_FIRST, CONTROL_SECOND, CONTROL_LATE, CONTROL_AUDIT };

void sharc__derive_gathered_init(struct sharc_gathered *g);
void sharc__derive_gathered_done(struct sharc_gathered *g);

/* A stretch of a file, and what its records say. */
struct derive_part {
    uint32_t file;
    uint64_t from, to; /* the records that begin here; to == SHARC_NOWHERE: up to the end */
    bool met;          /* a record ended where the next part begins, or the file */
    int result;
    struct sharc_gathered g;
    uint64_t records;
    struct sharc_buf info; /* the first warcinfo block that is not empty */
    sharc_time info_date;
};
void sharc__derive_part_init(struct derive_part *part); /* but for its stretch */
void sharc__derive_part_done(struct derive_part *part);
/* Its records; it was initialised. SHARC_ECORRUPT … when the file is damaged. */
int sharc__derive_gather(const struct sharc_derived_file *f, bool lenient, struct derive_part *ret,
                         struct sharc_err *reterr);
/* All files, measured and read. The parts are malloc'ed, in the order of the files, and to be released in any case. */
int sharc__derive_read(struct sharc_derived *f, const struct sharc_derive_options *o, struct derive_part **ret_parts,
                       size_t *ret_count, struct sharc_err *reterr);

/* Reads the body of a response and fills payload, content, bytes and the flags about them. */
struct decoding;
struct decoding *sharc__derive_decoding_new(void);
void sharc__derive_decoding_free(struct decoding *d);
int sharc__derive_decode(struct decoding *d, struct sharc_record *rec, struct sharc_download *ret,
                         struct sharc_err *reterr);

/* Keep a text under its digest, if it is not there and there is room. */
void sharc__derive_chain_add(struct sharc_gathered *g, struct sharc_span pem, bool cut);
void sharc__derive_chains_append(struct sharc_gathered *to, const struct sharc_gathered *from);

/* Leaves the parts empty. */
int sharc__derive_join(struct sharc_derived *f, struct derive_part *parts, size_t count, struct sharc_err *reterr);
/* What the closing records say: pages of which there is no record, and what was left out. Before the grades. */
void sharc__derive_take_verdict(struct sharc_derived *f);
/* Nothing is graded better than the crawler graded it. After the grades. */
void sharc__derive_heed_verdict(struct sharc_derived *f);
/* Pages that are another one or not there, by the crawler's word, leave the list. */
void sharc__derive_set_aside(struct sharc_derived *f);
/* After that. */
void sharc__derive_audits(struct sharc_derived *f);
int sharc__derive_grade(struct sharc_derived *f, unsigned threads, struct sharc_err *reterr);
/* Before the grades: was a clock set? */
void sharc__derive_steps(struct sharc_derived *f);
/* Was it between these two downloads? */
bool sharc__derive_stepped(const struct sharc_derived *f, uint32_t from, uint32_t to);
/* Times of which a document cannot hold the microseconds, nor the difference of two of them (RFC 8785: 2^53), are no
 * times: 1827 to 2112 are. A server may state any. */
#define DERIVE_TIME_MOST (INT64_C(1) << 53)
static inline sharc_time sane_time(sharc_time t)
{
    return t > -DERIVE_TIME_MOST / 2 && t < DERIVE_TIME_MOST / 2 ? t : SHARC_TIME_NONE;
}
/* What a revisit says up to then: its start, or earlier when a cache had kept it. Age counts whole seconds, and has
 * left out the rest. */
static inline sharc_time speaks_for(const struct sharc_download *d)
{
    return d->from - (d->age >= 0 ? (d->age + 1) * SHARC_SEC : 0);
}
void sharc__derive_intervals(struct sharc_derived *f);
void sharc__derive_wholes(struct sharc_derived *f);

#endif

/* SPDX-License-Identifier: Apache-2.0
 *
 * Do the bytes of a record have the digests that its head claims? Verification
 * and copying ask the same question, so that a record that fails the one never
 * passes the other. Start before the first read, add every piece of the block,
 * then end.
 */
#ifndef SHARC_WARC_RECORD_DIGESTS_H
#define SHARC_WARC_RECORD_DIGESTS_H

#include "sharc/base_digest.h"
#include "sharc/warc.h"

enum sharc__warc_match {
    MATCH_NO_CLAIM,   /* the head has no such digest */
    MATCH_UNKNOWN,    /* an algorithm that we do not know: nothing can be said */
    MATCH_UNREADABLE, /* a known algorithm, but its value is no digest */
    MATCH_RIGHT,
    MATCH_OTHERWISE,  /* payload: right when taken over the chunks as sent */
    MATCH_OF_NOTHING, /* block of a revisit: wget writes the digest of an empty block */
    MATCH_WRONG
};

struct sharc__warc_digests;
struct sharc__warc_digests *sharc__warc_digests_new(void);
void sharc__warc_digests_free(struct sharc__warc_digests *d);
/* false: the head claims nothing that could be compared; adding pieces is needless then. */
bool sharc__warc_digests_start(struct sharc__warc_digests *d, struct sharc_record *rec);
void sharc__warc_digests_add(struct sharc__warc_digests *d, struct sharc_span piece);
/* After the last piece of the whole block. */
struct sharc__warc_matches {
    enum sharc__warc_match block, payload;
    bool no_http; /* the payload was looked for behind the first empty line: no HTTP head could be read */
};
struct sharc__warc_matches sharc__warc_digests_end(struct sharc__warc_digests *d);
/* Which digest proves the bytes wrong: the block's, or, where no right block digest proves them right, the payload's;
 * in words, and its text in *ret. NULL: neither. */
const char *sharc__warc_digests_wrong(const struct sharc_record *rec, struct sharc__warc_matches m,
                                      struct sharc_span *ret);
/* What is known without reading the block: never right or wrong. */
struct sharc__warc_matches sharc__warc_digests_claims(const struct sharc__warc_digests *d);

#endif

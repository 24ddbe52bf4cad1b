/* SPDX-License-Identifier: Apache-2.0
 *
 * The writer from the inside:
 *   write_file.c    the file being appended to: names, offsets, taking back, sync
 *   write_member.c  one record's bytes into one member of it
 *   writer.c        which bytes: heads, digests, the records of a fetch
 *   write_ahead.c   responses packed before their turn, in other threads
 *   write_copy.c    records of other files
 */
#ifndef SHARC_WARC_WRITE_INT_H
#define SHARC_WARC_WRITE_INT_H

#include "sharc/base_codec.h"
#include "sharc/base_map.h"
#include "sharc/base_rng.h"
#include "sharc/warc_write.h"

#define OPEN_SUFFIX ".open"
#define WRITE_WHOLE ((size_t)16 << 20) /* records up to this size are packed in one go */
#define GROUP_MOST ((size_t)1 << 20)   /* fetches up to this size are written in one go */

struct sharc_warc_writer {
    struct sharc_warc_writer_options o; /* its strings are ours */
    char *strings[5];
    struct sharc_rng rng;
    uint64_t random[64]; /* of the system, for ids; the first random_left are not used yet */
    unsigned random_left;
    unsigned serial;
    /* the file */
    int fd;
    char *path;     /* without ".open" */
    char file[256]; /* the same without directory */
    uint64_t at;    /* its size: where the next record begins */
    bool new_name;  /* the directory was not synced since the file was made */
    bool broken;    /* bytes could not be taken back: no more writing */
    char info_id[SHARC_WARC_ID_TEXT];
    struct sharc_intern *chains; /* digests of the chains that it holds; made when first needed */
    /* one record */
    struct sharc_deflate *deflate;
    struct sharc_gzip *gzip; /* made when first needed */
    struct sharc_buf head, plain, packed, group;
    bool streaming;
    struct sharc_buf *sink; /* takes the bytes instead of the file */
    uint64_t begun_at, written_to;
    struct sharc_hasher *block_hash, *payload_hash;
    struct sharc_http http;
    uint64_t doubtful;                   /* copies of records with a wrong digest, made or refused */
    struct sharc__warc_digests *digests; /* of records that are copied; made when first needed */
};

/* writer.c */
/* Have a file with room and a warcinfo. */
int sharc__warc_prepare(struct sharc_warc_writer *w, sharc_time now, struct sharc_err *reterr);
void sharc__warc_make_id(struct sharc_warc_writer *w, char out[SHARC_WARC_ID_TEXT]);
/* The first record of a fetch: response, or revisit of an earlier one. */
int sharc__warc_write_main(struct sharc_warc_writer *w, const struct sharc_warc_fetch *f, const char *id,
                           struct sharc_warc_place *ret, struct sharc_err *reterr);
/* The second: its request, if there is one. concurrent_to: of the first, or "". id: "" for a new one. */
int sharc__warc_write_request(struct sharc_warc_writer *w, const struct sharc_warc_fetch *f, const char *concurrent_to,
                              const char *id, struct sharc_warc_place *ret, struct sharc_err *reterr);

/* write_ahead.c */
bool sharc__warc_ahead_fits(const struct sharc_warc_writer *w, const struct sharc_warc_ahead *a);
/* Its records, as if they had been written; the bytes are the caller's to write. */
void sharc__warc_ahead_places(struct sharc_warc_writer *w, const struct sharc_warc_ahead *a,
                              struct sharc_warc_fetch_places *ret);

/* write_file.c */
/* Make the next file if none is open; 1: it is new. */
int sharc__warc_file_open(struct sharc_warc_writer *w, sharc_time now, struct sharc_err *reterr);
int sharc__warc_file_append(struct sharc_warc_writer *w, uint64_t at, struct sharc_span bytes,
                            struct sharc_err *reterr);
/* Two pieces, one behind the other. */
int sharc__warc_file_append_two(struct sharc_warc_writer *w, uint64_t at, struct sharc_span first,
                                struct sharc_span second, struct sharc_err *reterr);
void sharc__warc_file_take_back(struct sharc_warc_writer *w, uint64_t to);
/* Remove the file that is being written. */
void sharc__warc_file_discard(struct sharc_warc_writer *w);
int sharc__warc_dir_sync(const char *path, struct sharc_err *reterr);

/* write_member.c: begin, add …, end; or abandon. size is a hint: the record's size. */
void sharc__warc_member_begin(struct sharc_warc_writer *w, uint64_t size);
int sharc__warc_member_add(struct sharc_warc_writer *w, struct sharc_span bytes, struct sharc_err *reterr);
int sharc__warc_member_end(struct sharc_warc_writer *w, struct sharc_warc_place *ret, struct sharc_err *reterr);
void sharc__warc_member_abandon(struct sharc_warc_writer *w);

#endif

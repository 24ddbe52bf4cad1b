/* SPDX-License-Identifier: Apache-2.0
 *
 * Writing WARC/1.1: gzip, one member per record, into files
 * sharc-<site>-<17 digits>-<serial>-<host>.warc.gz, with ".open" behind the
 * name until the file is complete.
 *
 * INVARIANTS; tests/warc/test_crash.c proves 1 to 5 by cutting at every byte.
 *  (1) A record is one gzip member and a member one record.
 *  (2) Bytes are appended and never changed. A record that cannot be written
 *      whole is taken back: the file ends where the record before ended.
 *  (3) When sharc_warc_writer_sync returns 0, every record written before is
 *      on the disk; a crash at any later instant does not lose it.
 *  (4) Cut at any byte, the file up to the end of its last whole member is a
 *      valid WARC; sharc_warc_recover leaves exactly that.
 *  (5) A name without ".open" belongs to a complete, synced file whose first
 *      record is its warcinfo.
 *  (6) The records of one fetch stand in one file, side by side, with one date.
 */
#ifndef SHARC_WARC_WRITE_H
#define SHARC_WARC_WRITE_H

#include "sharc/base_buf.h"
#include "sharc/base_digest.h"
#include "sharc/warc.h"

SHARC_API_BEGIN

#define SHARC_WARC_ID_TEXT 48 /* "<urn:uuid:…>" */
#define SHARC_WARC_ROLL 1000000000u

struct sharc_warc_writer_options {
    const char *path;              /* exactly this file, no roll-over; NULL: names as above in dir */
    bool no_info;                  /* no warcinfo at the start of a file */
    const char *dir;               /* made if missing */
    const char *site;              /* for the file name; odd characters become "-" */
    const char *host;              /* the crawling machine, for the file name */
    struct sharc_span info;        /* warcinfo lines ("operator: …\r\n…"), behind software and format */
    const char *software;          /* NULL: "sharc/VERSION" */
    enum sharc_digest_kind digest; /* SHARC_SHA256 or SHARC_SHA1 (0 is SHA256) */
    int level;                     /* of gzip; 0: 6 */
    bool plain;                    /* .warc, not compressed */
    uint64_t roll;                 /* begin a new file at this size; 0: SHARC_WARC_ROLL */
    uint64_t seed;                 /* record ids, for tests; 0: the system's random numbers */
    bool keep_doubtful;            /* sharc_warc_write_copy takes what it would refuse */
};

/* Bytes that can be read twice: head, then body, then the file's bytes. A
 * digest must stand before the bytes it covers, so large bodies wait in a file. */
struct sharc_warc_bytes {
    struct sharc_span head; /* HTTP head, when there is one */
    struct sharc_span body;
    int fd; /* used when fd_size > 0: pread */
    uint64_t fd_at, fd_size;
};

/* One record as the caller wants it. .p == NULL leaves a field out. */
struct sharc_warc_entry {
    enum sharc_warc_type type;
    sharc_time date;
    struct sharc_span target;
    struct sharc_span content_type; /* NULL: what suits the type */
    struct sharc_span ip;
    struct sharc_span payload_digest; /* NULL: computed for response, resource,
                                       * request with a body; a revisit needs it */
    struct sharc_span block_digest;   /* NULL: computed; used when payload_digest is given, too */
    struct sharc_span concurrent_to;
    struct sharc_span refers_to, refers_to_target, profile;
    sharc_time refers_to_date;  /* with refers_to_target */
    const char *truncated;      /* "length", "time", "disconnect", … */
    struct sharc_span protocol; /* WARC-Protocol, "h2" … */
    struct sharc_span extra;    /* further header lines, each with CRLF */
    struct sharc_warc_bytes block;
};

/* Where a record is. */
struct sharc_warc_place {
    char id[SHARC_WARC_ID_TEXT];
    char file[256]; /* final name, without ".open" and directory */
    uint64_t offset, length;
    struct sharc_digest payload; /* n == 0: none */
};

struct sharc_warc_writer;
int sharc_warc_writer_open(const struct sharc_warc_writer_options *o, struct sharc_warc_writer **ret,
                           struct sharc_err *reterr);
/* Close without finishing the file: it stays ".open", as after a crash. */
void sharc_warc_writer_free(struct sharc_warc_writer *w);
void sharc_warc_writer_freep(struct sharc_warc_writer **w);

/* Append one record (opening a file with warcinfo first, when none is open;
 * now names that file and dates its warcinfo). *ret may be NULL. SHARC_ENOSPC
 * and SHARC_EIO leave the file as it was before: try again later. */
int sharc_warc_write(struct sharc_warc_writer *w, sharc_time now, const struct sharc_warc_entry *e,
                     struct sharc_warc_place *ret, struct sharc_err *reterr);

/* Response and request packed before their turn comes; see below. */
struct sharc_warc_ahead {
    bool packed;
    char id[SHARC_WARC_ID_TEXT], request_id[SHARC_WARC_ID_TEXT], info_id[SHARC_WARC_ID_TEXT];
    struct sharc_digest payload;
    struct sharc_buf bytes; /* one member or two; the caller gives it a maximum */
    size_t response_length; /* where the second begins */
};

/* What one download left: response (or revisit), request, metadata; those
 * without bytes are left out. The response's id joins them. */
struct sharc_warc_fetch {
    sharc_time date;
    struct sharc_span target, ip, protocol;
    struct sharc_warc_bytes response;
    struct sharc_span payload_digest;     /* of the response, when the caller knows it; NULL: computed */
    struct sharc_span block_digest;       /* the same of its head and body as they are */
    const struct sharc_warc_ahead *ahead; /* response and request as a packer made them of this very fetch; or NULL */
    const char *truncated;
    bool control; /* a control download (warc_own.h), no version of the page: the response's head says "sharc-kind:
                     control" */
    struct sharc_warc_bytes request;
    /* The certificates by which the server was known, PEM, and their SHA-256 as "sha256:…": a record of its own, once
     * in each file and before the first fetch that names it. NULL: none. */
    struct sharc_span tls_chain, tls_chain_digest;
    bool tls_chain_cut;
    struct sharc_span metadata;      /* "via: …\r\nhopsFromSeed: …\r\n" */
    struct sharc_span metadata_rest; /* further lines, behind these */
    /* A revisit: what the earlier response was (never another revisit). */
    bool not_modified; /* the server said 304; else: the same payload */
    const struct sharc_warc_place *original;
    struct sharc_span original_target, original_payload_digest;
    sharc_time original_date;
};
struct sharc_warc_fetch_places {
    struct sharc_warc_place tls_chain, response, request, metadata; /* length == 0: not written */
};
/* All or nothing, but for the record of the certificates, which may stay. */
int sharc_warc_write_fetch(struct sharc_warc_writer *w, sharc_time now, const struct sharc_warc_fetch *f,
                           struct sharc_warc_fetch_places *ret, struct sharc_err *reterr);

/* Packing ahead: the writer's thread begins (which opens a file when none is
 * open, and draws the records' ids), any other thread packs response and request of f
 * with a packer of its own, and the writer's thread passes the result in f->ahead. When
 * the file has ended meanwhile they are packed anew: what was made names its warcinfo. */
int sharc_warc_ahead_begin(struct sharc_warc_writer *w, sharc_time now, struct sharc_warc_ahead *ret,
                           struct sharc_err *reterr);
struct sharc_warc_packer; /* for one thread at a time; packs as the writer does */
struct sharc_warc_packer *sharc_warc_packer_new(const struct sharc_warc_writer *like);
void sharc_warc_packer_free(struct sharc_warc_packer *p);
/* A failure (the bytes' maximum is too small) leaves it to the writer. */
int sharc_warc_ahead_pack(struct sharc_warc_packer *p, const struct sharc_warc_fetch *f, struct sharc_warc_ahead *a,
                          struct sharc_err *reterr);

/* A record from elsewhere (filter, merge, repair): its block as it is, behind
 * head (NULL: its own head, byte for byte; it must say the block's true size).
 * The record must not have been read from. Whatever its size, in bounded memory.
 * A copy has a checksum of its own, so that nothing is copied whose damage would
 * be hidden by it: SHARC_ETRUNC, SHARC_ECORRUPT or SHARC_ESYNTAX when the record or its
 * compressed member is not whole, SHARC_EDIGEST when the block digest (or, without
 * one, the payload digest) is another; the file is then as it was before. With
 * keep_doubtful wrong digests and checksums are passed over, a cut block never. */
int sharc_warc_write_copy(struct sharc_warc_writer *w, sharc_time now, struct sharc_record *rec, struct sharc_span head,
                          struct sharc_warc_place *ret, struct sharc_err *reterr);

/* Invariant (3). */
int sharc_warc_writer_sync(struct sharc_warc_writer *w, struct sharc_err *reterr);
/* Sync, and take ".open" off the current file; the next record begins a new
 * one. Nothing to do when none is open. */
int sharc_warc_writer_finish(struct sharc_warc_writer *w, struct sharc_err *reterr);

/* After a crash: cut "….open" behind its last whole record, sync, take the
 * suffix off. A file without a whole record is removed (*ret->records is 0). */
struct sharc_warc_recovered {
    uint64_t records, bytes; /* kept */
    uint64_t cut;            /* bytes taken off */
    char file[256];          /* name now, without directory; "" when removed */
};
int sharc_warc_recover(const char *path_open, struct sharc_warc_recovered *ret, struct sharc_err *reterr);
/* Every "*.open" of a directory; counts are summed, file is the last one. */
int sharc_warc_recover_dir(const char *dir, struct sharc_warc_recovered *ret, struct sharc_err *reterr);

SHARC_API_END
#endif

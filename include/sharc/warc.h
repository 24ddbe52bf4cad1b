/* SPDX-License-Identifier: Apache-2.0
 *
 * Reading archive files: WARC 0.17 to 1.1 and ARC 1 and 2; plain, gzip (one
 * member per record or one for all) and zstd (with dictionary frame); from a
 * file, standard input, or a byte offset. The form is told by the first bytes.
 *
 *   struct sharc_warc_options o = {.lenient = true};
 *   SHARC_AUTO(sharc_warc_closep) struct sharc_warc *w = NULL;
 *   r = sharc_warc_open(path, &o, &w, &err);
 *   struct sharc_record rec;
 *   while ((r = sharc_warc_next(w, &rec, &err)) > 0) {
 *       const struct sharc_http *h = sharc_record_http(&rec);
 *       if (rec.type == SHARC_WARC_RESPONSE && h)
 *           printf("%d %.*s\n", h->status, SHARC_SPAN_ARG(rec.target));
 *   }
 *
 * Memory is bounded however large a record is (a window of 1 MiB on pipes, at
 * most 16 MiB for a compressed record that is taken in one go; larger ones are
 * streamed). A reader belongs to one thread; several readers may run side by
 * side. A regular file is mapped: nobody may shorten it meanwhile.
 *
 * Strict by default: the first thing that breaks the format ends the loop with
 * an error that names file, offset and cure. Lenient: damage is counted, told
 * to warn(), and reading goes on at the next record that can be found. Habits
 * of known writers (target URIs in <>, spaces in URIs, LF line ends, missing
 * empty lines at the end of the file) are taken in both, counted, and told to
 * warn() once per file and habit.
 */
#ifndef SHARC_WARC_H
#define SHARC_WARC_H

#include "sharc/base.h"
#include "sharc/base_buf.h"
#include "sharc/base_clock.h"
#include "sharc/http.h"

SHARC_API_BEGIN

enum sharc_warc_type {
    SHARC_WARC_OTHER, /* a type the standard does not know */
    SHARC_WARC_INFO,  /* warcinfo; the file head of an ARC */
    SHARC_WARC_RESPONSE,
    SHARC_WARC_RESOURCE,
    SHARC_WARC_REQUEST,
    SHARC_WARC_METADATA,
    SHARC_WARC_REVISIT,
    SHARC_WARC_CONVERSION,
    SHARC_WARC_CONTINUATION,
    SHARC_WARC_TYPES
};
#define SHARC_WARC_BIT(type) (1u << (type))
/* "warcinfo", "response", …; "unknown" for OTHER. */
const char *sharc_warc_type_name(enum sharc_warc_type type);
/* Any case; OTHER when unknown. */
enum sharc_warc_type sharc_warc_type_of(struct sharc_span name);

typedef void sharc_warc_warn_fn(void *arg, const struct sharc_err *what);

struct sharc_warc_options {
    bool lenient;             /* continue past damage */
    bool joined;              /* strict, but several records in one gzip member (or one
                               * over several members) are no error; lenient implies it */
    unsigned types;           /* SHARC_WARC_BIT(…) | …: give only these; 0: all */
    uint64_t offset;          /* start here: the first byte of a record (or member) */
    const char *name;         /* for messages; NULL: the path */
    sharc_warc_warn_fn *warn; /* NULL: nobody listens */
    void *warn_arg;
};

struct sharc_warc_stats {
    uint64_t records;  /* found, also those that `types` left out */
    uint64_t warnings; /* habits taken */
    uint64_t joined;   /* times a member held a second record, or a record went on in a second member */
    uint64_t damaged;  /* places where reading had to be resumed */
    uint64_t skipped;  /* bytes of the file passed over on the way */
    uint64_t bytes;    /* of the file, read so far */
};

enum sharc_warc_packing { SHARC_WARC_PLAIN, SHARC_WARC_GZIP, SHARC_WARC_ZSTD };

struct sharc_warc;
/* path "-" reads standard input. o may be NULL (strict, everything). */
int sharc_warc_open(const char *path, const struct sharc_warc_options *o, struct sharc_warc **ret,
                    struct sharc_err *reterr);
/* The same on bytes in memory (a file inside a mapped ZIP), which must outlive
 * the reader; offset counts from their start. name as in the options. */
int sharc_warc_open_bytes(struct sharc_span bytes, const struct sharc_warc_options *o, struct sharc_warc **ret,
                          struct sharc_err *reterr);
void sharc_warc_close(struct sharc_warc *w);
void sharc_warc_closep(struct sharc_warc **w);
struct sharc_warc_stats sharc_warc_stats(const struct sharc_warc *w);
/* What messages call it: the path, or as the options said. */
const char *sharc_warc_name(const struct sharc_warc *w);
/* Known after the first sharc_warc_next. */
enum sharc_warc_packing sharc_warc_packing(const struct sharc_warc *w);

/* One record. All spans live until the next sharc_warc_next on its reader; an
 * absent field has .p == NULL. Of a field given twice the first counts. */
struct sharc_record {
    enum sharc_warc_type type;
    bool arc;            /* an ARC record: fields are derived from its head line */
    bool joined;         /* does not begin its member: cannot be opened by offset */
    unsigned version;    /* 100 * major + minor: 101 is WARC/1.1, 17 WARC/0.17; ARC 100, 200 */
    uint64_t offset;     /* in the file: of its first byte, or of its member */
    uint64_t block_size; /* Content-Length */
    sharc_time date;     /* SHARC_TIME_NONE when absent or unreadable */
    struct sharc_span type_name;
    struct sharc_span id;     /* with its <> */
    struct sharc_span target; /* no <>, spaces as %20 */
    struct sharc_span date_text;
    struct sharc_span content_type;
    struct sharc_span ip;
    struct sharc_span block_digest, payload_digest;
    struct sharc_span profile;
    struct sharc_span refers_to, refers_to_target, refers_to_date;
    struct sharc_span concurrent_to; /* the first; more: sharc_record_each */
    struct sharc_span truncated;
    struct sharc_span warcinfo_id;
    struct sharc_span head;                /* the head's bytes with its empty line, or the ARC line */
    const struct sharc_http_field *fields; /* WARC only */
    size_t count;
    struct sharc_warc *reader; /* private */
};

/* 1: *ret is the next record; 0: the file has ended as it should; < 0: error
 * (SHARC_ETRUNC, SHARC_ECORRUPT, SHARC_ESYNTAX, SHARC_ELIMIT, SHARC_EIO), and
 * so for every further call. What was not read of the record before is passed
 * over. */
int sharc_warc_next(struct sharc_warc *w, struct sharc_record *ret, struct sharc_err *reterr);

/* Any field, any case; .p == NULL when absent (always for ARC). */
struct sharc_span sharc_record_get(const struct sharc_record *rec, const char *name);
bool sharc_record_each(const struct sharc_record *rec, const char *name, size_t *at, struct sharc_span *ret);

/* Numbers by which a revisit and its original find each other: of a revisit
 * what it refers to, of any other record itself, so that one of them is equal.
 * By record id, by target and second, by payload digest; 0: not this way. */
#define SHARC_WARC_WAYS 3
void sharc_record_origin_keys(const struct sharc_record *rec, uint64_t ret[SHARC_WARC_WAYS]);

/* The HTTP head of a response, request or revisit (also in ARC); parsed at the
 * first call, which must come before the first read. NULL when the block
 * holds none. Owned by the reader; lives as long as the record. */
const struct sharc_http *sharc_record_http(struct sharc_record *rec);

enum sharc_warc_part {
    SHARC_WARC_BLOCK,   /* the block, byte for byte */
    SHARC_WARC_BODY,    /* behind the HTTP head, byte for byte; else the block */
    SHARC_WARC_PAYLOAD, /* the same, transfer coding undone: what payload digests cover */
    SHARC_WARC_CONTENT  /* the same, content coding undone too */
};
/* The next piece: 1, or 0 at the end, or an error; the piece lives until the
 * next call on this record. Ask for the same part each time. A block
 * that ends too early gives its bytes first and SHARC_ETRUNC then. */
int sharc_record_read(struct sharc_record *rec, enum sharc_warc_part part, struct sharc_span *ret,
                      struct sharc_err *reterr);
/* All of it into out (appended, bounded by out->max: SHARC_ELIMIT). */
int sharc_record_read_all(struct sharc_record *rec, enum sharc_warc_part part, struct sharc_buf *out,
                          struct sharc_err *reterr);
/* When it was read to its end: were its codings those that its head names, undone to their end, and was nothing behind
 * it? */
bool sharc_record_is_whole(const struct sharc_record *rec);

/* Pass over the rest of the record and say how many bytes of the file
 * it takes, as indexes count: for gzip and zstd the whole member; plain: head
 * and block without the empty lines behind. 0 for a record with rec->joined. */
int sharc_record_length(struct sharc_record *rec, uint64_t *ret, struct sharc_err *reterr);

SHARC_API_END
#endif

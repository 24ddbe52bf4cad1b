/* SPDX-License-Identifier: Apache-2.0
 *
 * Choosing records out of archive files, and what to make of them: one new WARC,
 * or a table.
 */
#ifndef SHARC_WARC_EXPORT_H
#define SHARC_WARC_EXPORT_H

#include "sharc/base.h"
#include "sharc/base_clock.h"
#include "sharc/url_scope.h"
#include "sharc/warc.h"

SHARC_API_BEGIN

/* All conditions must hold; an empty one holds always. */
struct sharc_warc_selection {
    unsigned types;                  /* SHARC_WARC_BIT(…) | …; 0: all */
    const struct sharc_scope *scope; /* sealed; decides by the target URI. Records without one stay */
    sharc_time from, to;             /* SHARC_TIME_NONE: open; to is included */
    /* "200", "3xx"; and "text/html", "image/". Of the answer: requests and metadata stay or go
     * with the response or revisit they belong to (WARC-Concurrent-To). */
    const char *const *statuses, *const *mimes;
    size_t status_count, mime_count;
    /* Asked about answers that meet the other conditions, perhaps more than once; requests and metadata stay or go
     * with their answer. NULL: all are wanted. */
    bool (*wants)(void *arg, const struct sharc_record *rec);
    void *wants_arg;
    bool chains;  /* records of certificates (warc_own.h) stay whatever the conditions are, each text once */
    bool no_info; /* leave warcinfo records out; else they stay whatever the conditions are */
    bool lenient; /* continue past damage: each damaged record and place is reported to warn and left out */
    sharc_warc_warn_fn *warn;
    void *warn_arg;
};

struct sharc_warc_selected {
    uint64_t files, records; /* read */
    uint64_t chosen;
    uint64_t left_out; /* chosen, but damaged */
    uint64_t damaged;  /* places where reading had to be resumed */
};

/* Walk through files (WARC, ARC, WACZ, directories of them) in the order given and hand
 * the chosen records to fn, unread but for their HTTP head; file is the archive
 * file's name. A result < 0 of fn ends the walk; in a lenient one only when the record
 * is not to blame (it is when it cannot be read to its end, and with SHARC_EDIGEST). A lenient
 * walk reads compressed files once more before, for their checksums. With statuses or mimes each file is read
 * twice, and 16 bytes are kept per record that answers; also with wants. */
typedef int sharc_warc_record_fn(void *arg, struct sharc_record *rec, const char *file, struct sharc_err *reterr);
int sharc_warc_select(const char *const *inputs, size_t count, const struct sharc_warc_selection *s,
                      sharc_warc_record_fn *fn, void *arg, struct sharc_warc_selected *ret, struct sharc_err *reterr);

/* Does a response, revisit or resource meet all conditions but that of its type? May read
 * its HTTP head. scratch keeps its memory between calls. */
bool sharc_warc_fits(const struct sharc_warc_selection *s, struct sharc_record *rec, struct sharc_url *scratch);

struct sharc_warc_place;
struct sharc_warc_merge {
    sharc_time now; /* of the new warcinfo record */
    int level;      /* of gzip; 0: 6 */
    const char *operator_name;
    /* Hears of every record that was written, and where. May be NULL. */
    void (*copied)(void *arg, const struct sharc_record *rec, const struct sharc_warc_place *place);
    void *copied_arg;
};
/* One WARC of the chosen records: each a gzip member (plain when output ends in ".warc"),
 * byte for byte; ARC records become WARC records. output must not exist; it
 * appears when it is complete. */
int sharc_warc_merge(const char *output, const char *const *inputs, size_t count, const struct sharc_warc_selection *s,
                     const struct sharc_warc_merge *o, struct sharc_warc_selected *ret, struct sharc_err *reterr);

/* Reads the record to its end, unread so far but for its HTTP head. SHARC_EDIGEST: its bytes do not have the digest
 * that its head claims; such a record is not copied. */
int sharc_record_check(struct sharc_record *rec, struct sharc_err *reterr);

/* A row about a record. Spans live until the record's reader goes on. */
struct sharc_warc_row {
    const char *file;
    uint64_t offset, length, block_size;
    const char *type;
    char date[SHARC_TIME_TEXT]; /* "" when there is none */
    struct sharc_span url, mime, payload_digest, ip, id;
    int status; /* 0: none */
};
/* Reads the record to its end. */
int sharc_warc_row(struct sharc_record *rec, const char *file, struct sharc_warc_row *ret, struct sharc_err *reterr);

SHARC_API_END
#endif

/* SPDX-License-Identifier: Apache-2.0
 *
 * ZIP and ZIP64 containers: reading a checked directory, writing one entry after another.
 */
#ifndef SHARC_BASE_ZIP_H
#define SHARC_BASE_ZIP_H

#include "sharc/base.h"
#include "sharc/base_buf.h"
#include "sharc/base_clock.h"
#include "sharc/base_file.h"

SHARC_API_BEGIN

/* --- reading ZIP --------------------------------------------------------- */

enum { SHARC_ZIP_STORED = 0, SHARC_ZIP_DEFLATED = 8 };

struct sharc_zip_entry {
    struct sharc_span name; /* as written; never empty; lives with the zip */
    unsigned method;        /* SHARC_ZIP_…, or another number: then it cannot be unpacked */
    bool encrypted;
    bool directory; /* the name ends in '/' */
    uint32_t crc;
    uint64_t packed, size;
    uint64_t header_at; /* offset of its local header */
};

/* The central directory of a ZIP or ZIP64, checked: every entry lies inside the
 * file, names are unique and safe (relative, no "..", no NUL, no backslash), and
 * there are at most SHARC_LIMIT_ZIP_ENTRIES. Bytes in front of the first entry are
 * allowed, a ZIP over several disks is not. */
struct sharc_zip {
    struct sharc_span bytes;
    struct sharc_zip_entry *entries; /* in the directory's order */
    size_t count;
    struct sharc_filemap map;   /* empty when opened from bytes */
    char *label;                /* for messages */
    struct sharc_intern *names; /* name to number */
};
int sharc_zip_open(struct sharc_zip *z, const char *path, struct sharc_err *reterr);
/* bytes stay the caller's and must outlive z. */
int sharc_zip_open_bytes(struct sharc_zip *z, const char *label, struct sharc_span bytes, struct sharc_err *reterr);
void sharc_zip_done(struct sharc_zip *z);
/* NULL: not there. */
const struct sharc_zip_entry *sharc_zip_find(const struct sharc_zip *z, struct sharc_span name);
/* The packed bytes, as they lie in the file: for a stored entry its content. The
 * local header is checked against the directory. */
int sharc_zip_raw(const struct sharc_zip *z, const struct sharc_zip_entry *e, struct sharc_span *ret,
                  struct sharc_err *reterr);
/* The content into out (cleared first), size and checksum verified; at most out->max
 * and SHARC_LIMIT_ZIP_UNPACKED bytes. */
int sharc_zip_read(const struct sharc_zip *z, const struct sharc_zip_entry *e, struct sharc_buf *out,
                   struct sharc_err *reterr);

/* --- writing ZIP --------------------------------------------------------- */

/* Nothing is visible under the path before sharc_zip_writer_commit. ZIP64 forms are
 * used where sizes, offsets or the count need them, and nowhere else. */
struct sharc_zip_writer;
/* when: the time that all entries carry. */
int sharc_zip_writer_new(const char *path, sharc_time when, struct sharc_zip_writer **ret, struct sharc_err *reterr);
void sharc_zip_writer_free(struct sharc_zip_writer *w); /* without commit: nothing remains */
void sharc_zip_writer_freep(struct sharc_zip_writer **w);
/* One stored entry in pieces. Its size and checksum are filled in at the end. expected: its
 * size as far as is known; only whether that reaches 4 GiB matters, and an entry
 * that was not expected to and does fails with SHARC_ELIMIT. */
int sharc_zip_begin(struct sharc_zip_writer *w, const char *name, uint64_t expected, struct sharc_err *reterr);
int sharc_zip_write(struct sharc_zip_writer *w, struct sharc_span bytes, struct sharc_err *reterr);
int sharc_zip_end(struct sharc_zip_writer *w, struct sharc_err *reterr);
/* One entry at once, deflated when that is smaller. */
int sharc_zip_add(struct sharc_zip_writer *w, const char *name, struct sharc_span bytes, struct sharc_err *reterr);
int sharc_zip_writer_commit(struct sharc_zip_writer *w, struct sharc_err *reterr);

SHARC_API_END
#endif

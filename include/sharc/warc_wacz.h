/* SPDX-License-Identifier: Apache-2.0
 *
 * ZIP containers, and WACZ: a ZIP that holds WARC files, their index, a list of
 * pages and the hashes of all of it, so that a capture travels as one file and
 * can be replayed from a web server that knows ranges.
 */
#ifndef SHARC_WARC_WACZ_H
#define SHARC_WARC_WACZ_H

#include "sharc/base.h"
#include "sharc/base_buf.h"
#include "sharc/base_clock.h"
#include "sharc/base_file.h"
#include "sharc/warc_cdx.h"

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
 * there are at most LIMIT_ZIP_ENTRIES. Bytes in front of the first entry are
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
 * and LIMIT_ZIP_UNPACKED bytes. */
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

/* --- WACZ: reading ------------------------------------------------------- */

struct sharc_wacz;
/* A ZIP with a datapackage.json. Nothing else is checked here: sharc_wacz_check. */
int sharc_wacz_open(const char *path, struct sharc_wacz **ret, struct sharc_err *reterr);
void sharc_wacz_close(struct sharc_wacz *w);
void sharc_wacz_closep(struct sharc_wacz **w);
const struct sharc_zip *sharc_wacz_zip(const struct sharc_wacz *w);
/* Add its indexes to x. w must outlive x. */
int sharc_wacz_add_index(struct sharc_wacz *w, struct sharc_cdx_index *x, enum sharc_cdx_check check,
                         struct sharc_err *reterr);
/* The bytes of a WARC by its name in the index, for sharc_warc_open_bytes; they live with
 * w. SHARC_ENOENT. */
int sharc_wacz_warc(const struct sharc_wacz *w, struct sharc_span filename, struct sharc_span *ret,
                    struct sharc_err *reterr);

/* --- WACZ: checking ------------------------------------------------------ */

struct sharc_wacz_report {
    uint64_t files, warcs, captures, pages, bytes;
    uint64_t problems; /* what the standard demands and is not so */
    uint64_t remarks;  /* what it recommends */
};
typedef void sharc_wacz_say_fn(void *arg, bool problem, const char *where, const char *what);
/* Hold the file against WACZ 1.1.1: its parts, how they are packed, datapackage.json and
 * its digest, every hash and size, pages, the order of the indexes. All findings go to
 * say. The WARCs inside and what the indexes say about them: sharc_audit.
 * Returns 0 also when there are problems; < 0 when the file cannot be read as ZIP. */
int sharc_wacz_check(const char *path, sharc_wacz_say_fn *say, void *arg, struct sharc_wacz_report *ret,
                     struct sharc_err *reterr);

/* --- WACZ: writing ------------------------------------------------------- */

struct sharc_wacz_options {
    const char *title, *description;
    const char *software;        /* NULL: "sharc VERSION" */
    const char *main_url;        /* NULL: the first page */
    sharc_time now;              /* created, and the date of the entries */
    const char *const *requires; /* WACZ files that hold the originals of revisits */
    size_t requires_count;
    const char *pages; /* a pages.jsonl to take instead of looking for pages */
    bool lenient;
    unsigned threads;                                      /* 0: one per core */
    void (*warn)(void *arg, const struct sharc_err *what); /* from any thread, one at a time */
    void *warn_arg;
};

struct sharc_wacz_written {
    uint64_t warcs, captures, pages, bytes;
};

/* Pack WARC files (.warc, .warc.gz, one member per record) with a new index
 * (ZipNum), the list of their pages (HTML with status 200, with titles) and hashes. The
 * WARCs are stored byte for byte. Memory does not depend on their size. */
int sharc_wacz_write(const char *output, const char *const *warcs, size_t count, const struct sharc_wacz_options *o,
                     struct sharc_wacz_written *ret, struct sharc_err *reterr);

#endif

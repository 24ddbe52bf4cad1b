/* SPDX-License-Identifier: Apache-2.0
 *
 * Archives of any crawler into the catalogue.
 *
 * WARC, ARC and WACZ files are read record by record; each answer becomes a
 * page of a capture with its features and links. Payloads stay where they are:
 * the catalogue knows file, offset and length. Which capture a record belongs
 * to is inferred (see enum sharc_import_by) or given.
 *
 * Safe at any instant: rows and how far their file is read are committed
 * together, so an import that was killed goes on where it stopped, and a
 * repeated one changes nothing. One thread reads, a pool extracts, one thread
 * writes; the rows do not depend on the number of threads. Memory is bounded:
 * some batches of records, and about 100 bytes per capture; but captures that our crawler made for evidence are graded
 * from their records, which needs some 4 kB a page.
 *
 * Metadata records are understood as Heritrix writes them (via, hopsFromSeed,
 * seed, fetchTimeMs, outlink), with the fields of our crawler in sharc/warc_own.h. A warcinfo
 * record names its run by isPartOf; in files of sharc that is the site.
 */
#ifndef SHARC_IMPORT_H
#define SHARC_IMPORT_H

#include "sharc/base.h"
#include "sharc/base_clock.h"
#include "sharc/store.h"

SHARC_API_BEGIN

/* What one capture is. Records of one run (the warcinfo's isPartOf) and one site
 * belong to one capture as long as no pause between them is longer than `gap`. */
enum sharc_import_by {
    SHARC_IMPORT_BY_DOMAIN, /* a site is a registered domain, else a host with its port */
    SHARC_IMPORT_BY_HOST,   /* a site is a host with its port */
    SHARC_IMPORT_BY_RUN,    /* everything of a run: one site, named by its first page */
};

#define SHARC_IMPORT_GAP (6 * SHARC_HOUR)

struct sharc_import_options {
    const char *archive; /* its directory: names of files below it are stored relative to it; may be NULL */
    enum sharc_import_by by;
    const char *site;    /* all records are of this site; NULL: inferred */
    const char *capture; /* all records are of one capture of this name; NULL: inferred */
    sharc_time gap;      /* 0: SHARC_IMPORT_GAP */
    bool no_extract;     /* no links, text digests, MinHash, titles */
    bool lenient;        /* continue past damage, and count it */
    bool merge_case;     /* URLs that differ in case only are one page */
    unsigned threads;    /* that extract; 0: one per core */
    sharc_time patience; /* how long to wait for a database that went away */
    struct sharc_clock *clock;
    const volatile bool *stop; /* becomes true: finish the batch under way and return SHARC_EINTR; may be NULL */
    /* All may be NULL; called in the thread that called sharc_import, or one at a time in others. */
    void (*warn)(void *arg, const struct sharc_err *what);
    void (*progress)(void *arg, uint64_t bytes_done, uint64_t bytes_total);
    void *arg;
};

/* What was done, and one row per capture that was touched. */
struct sharc_import_capture {
    sharc_store_id id;
    char *key, *site;
    sharc_time start, end;
    uint64_t pages, links; /* in the catalogue now */
    uint64_t repeated;     /* records whose place a later one took */
    uint64_t revisits;     /* revisit records, and second visits */
    uint64_t unresolved;   /* of these, without a known original */
};
struct sharc_import_result {
    uint64_t files, unchanged;             /* read now; in the catalogue already */
    uint64_t records;                      /* read */
    uint64_t pages;                        /* of these, answers for a page */
    uint64_t damaged;                      /* places passed over */
    uint64_t failed;                       /* files that were not read to their end; all others were read */
    uint64_t missing;                      /* inputs that are not there, or are no archive files */
    uint64_t bytes;                        /* read */
    struct sharc_import_capture *captures; /* by site, then start */
    size_t capture_count, capture_room;
};
void sharc_import_result_done(struct sharc_import_result *r);

/* Files and directories (as in sharc_warc_inputs_add) into the store. On failure
 * *ret is filled too: what was committed stays, and the same call goes on
 * there. A file that is missing or cannot be read (damage, unless lenient) is told by warn and left, the others
 * are read; the first one's code is returned then, and ret->failed and ret->missing count them. Give everything of
 * one crawl in one call. */
int sharc_import(struct sharc_store *store, const char *const *inputs, size_t count,
                 const struct sharc_import_options *o, struct sharc_import_result *ret, struct sharc_err *reterr);

/* --- is the catalogue true? ------------------------------------------------- */

/* name, what people read, how it is cured */
#define SHARC_IMPORT_FAULTS(X)                                                                                         \
    X(FILE, "missing file", "restore the file, or run sharc verify --rebuild ARCHIVE")                                 \
    X(OPEN, "unfinished file",                                                                                         \
      "run sharc crawl --archive ARCHIVE, which closes it and resumes, or sharc verify --rebuild ARCHIVE")             \
    X(POINTER, "wrong place", "run sharc verify --rebuild ARCHIVE")                                                    \
    X(RECORD, "record without row", "run sharc import ARCHIVE; if that does not help, sharc verify --rebuild ARCHIVE") \
    X(BEHIND, "not read to its end", "run sharc import ARCHIVE")                                                       \
    X(DAMAGE, "damaged file", "run sharc verify --repair FILE, which makes a sound copy")                              \
    X(UNKNOWN, "file not in the catalogue",                                                                            \
      "run sharc import ARCHIVE; if the file is gone, sharc index --fresh -o ARCHIVE/index/index.cdxj ARCHIVE")        \
    X(INDEX, "index", "run sharc index --fresh -o ARCHIVE/index/index.cdxj ARCHIVE")                                   \
    X(DATABASE, "catalogue", "run sharc verify --rebuild ARCHIVE")                                                     \
    X(UPLOAD, "unfinished upload",                                                                                     \
      "abort it with a tool of the store; never one whose object is there: some stores would delete it, too")

enum sharc_import_fault {
#define X(name, text, cure) SHARC_FAULT_##name,
    SHARC_IMPORT_FAULTS(X)
#undef X
        SHARC_FAULT_COUNT,
};
const char *sharc_import_fault_text(enum sharc_import_fault fault);
const char *sharc_import_fault_cure(enum sharc_import_fault fault);

struct sharc_import_finding {
    enum sharc_import_fault fault;
    const char *file; /* as the catalogue calls it; NULL: none */
    uint64_t offset;  /* SHARC_NOWHERE: none */
    const char *text; /* one sentence */
};
typedef void sharc_import_finding_fn(void *arg, const struct sharc_import_finding *f);

struct sharc_import_check {
    const char *archive;
    sharc_import_finding_fn *finding;
    void (*progress)(void *arg, uint64_t bytes_done, uint64_t bytes_total); /* may be NULL */
    void *arg;
    const volatile bool *stop; /* may be NULL */
    bool running;              /* a crawl is writing to the archive: its open files are left alone */
};
struct sharc_import_checked {
    uint64_t warcs, records, pages; /* files; records that answer for a page; rows that point at them */
    uint64_t repeated;              /* records that a later download replaced */
    uint64_t index_lines;
    uint64_t open; /* files that the running crawl is writing, not checked */
    uint64_t findings;
};
/* Hold the catalogue against the files it points at, and against the indexes in the
 * archive's index directory: every row's place holds that record (URL, time,
 * digest), every answer in the files has its row or was replaced by a later
 * one, every row is in the index when there is one, every file in warcs/ is known and complete. Reads all files once;
 * memory does not depend on them. 0 whatever is found. */
int sharc_import_check(struct sharc_store *store, const struct sharc_import_check *o, struct sharc_import_checked *ret,
                       struct sharc_err *reterr);

/* Make a catalogue anew: everything that `old` (may be NULL) read from files and all files of the archive are
 * imported into `fresh`, which must be empty; what no file holds (settings of sites, names, parameters,
 * states, skipped URLs and journals of our crawler's captures, rates, patterns, models) is copied. */
int sharc_import_rebuild(struct sharc_store *old, struct sharc_store *fresh, const struct sharc_import_options *o,
                         struct sharc_import_result *ret, struct sharc_err *reterr);

SHARC_API_END
#endif

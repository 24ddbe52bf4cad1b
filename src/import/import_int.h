/* SPDX-License-Identifier: Apache-2.0
 *
 * Inside the room: how a file becomes rows.
 *
 *   jobs.c      inputs -> archive files, in the order of their first record
 *   reader.c    one file -> batches of records (thread of the caller)
 *   features.c  the records of a batch -> links, text digest, MinHash (any worker)
 *   fields.c    warcinfo and metadata blocks -> what they say
 *   captures.c  which capture a record belongs to
 *   writer.c    batches in their order -> catalogue (one thread)
 *   import.c    the pipeline of the above
 *   finish.c    what needs a whole capture: originals of revisits, parents, change
 *   derived.c   grades of captures that our crawler made
 *   tree.c      the spanning tree
 */
#ifndef SHARC_IMPORT_INT_H
#define SHARC_IMPORT_INT_H

#include "sharc/archive.h"
#include "sharc/base_arena.h"
#include "sharc/base_buf.h"
#include "sharc/base_clock.h"
#include "sharc/base_digest.h"
#include "sharc/base_limits.h"
#include "sharc/base_map.h"
#include "sharc/change_text.h"
#include "sharc/extract.h"
#include "sharc/import.h"
#include "sharc/store_amend.h"
#include "sharc/store_query.h"
#include "sharc/store_weakness.h"
#include "sharc/store_write.h"
#include "sharc/warc.h"
#include "sharc/warc_inputs.h"

#include <math.h>

/* --- fields.c: blocks of "name: value" lines ---------------------------------- */

/* What a warcinfo record says about the run that made the file. Owned strings; "" when it does not say, NULL before
 * the first. */
struct import_run {
    char *name;               /* isPartOf, percent-decoding undone */
    char *site;               /* the one site that the file is about: sharc says so */
    char *strategy, *purpose; /* of sharc */
    char *weakened;           /* what sharc did that weakens its captures, as in the parameters of one */
};
void sharc__import_run_done(struct import_run *run);
/* Replace run by what the block says. */
void sharc__import_run_read(struct import_run *run, struct sharc_span block);
/* The same for rows, in the arena of their batch. */
struct import_origin {
    struct sharc_span name, site, strategy, purpose, weakened;
};

/* What a metadata record says about a fetch. Spans into the arena. */
struct import_fetch {
    struct sharc_span via;
    int hops;         /* -1: not said */
    uint8_t look;     /* enum sharc_look_kind: our crawler's second look or revisit */
    sharc_time took;  /* < 0: not said */
    int64_t slot;     /* -1: not said */
    sharc_time began; /* of our crawler's capture that it belongs to; SHARC_TIME_NONE: not said */
    bool ours;        /* our crawler says which kind of download it was; the rest is its word too */
    bool hopeless;
    int change;                   /* enum sharc_change_class, or SHARC_STORE_NO_CHANGE: not said */
    double importance;            /* of that change */
    double rate, planned, weight; /* NaN: not said */
    bool errand;                  /* our crawler did it for itself (robots.txt, sitemaps): no page */
    bool control;                 /* a control download: no version of its page, but a part of the capture */
};
#define IMPORT_FETCH_INIT                                                                              \
    {                                                                                                  \
        .hops = -1, .slot = -1, .took = -1, .began = SHARC_TIME_NONE, .change = SHARC_STORE_NO_CHANGE, \
        .rate = (double)NAN, .planned = (double)NAN, .weight = 1                                       \
    }

/* --- rows and batches ------------------------------------------------------------ */

/* One record that answers for a page. All spans and arrays lie in its batch's arena. */
struct import_row {
    uint64_t offset, length; /* length 0: cannot be opened by offset */
    sharc_time when;
    struct sharc_span url; /* page form; as written when no parser takes it */
    struct sharc_span site;
    const struct import_origin *run;
    bool revisit;      /* a revisit record */
    bool not_modified; /* of the profile server-not-modified */
    bool resource;     /* no HTTP */
    int status;        /* 0: none */
    struct sharc_span mime;
    uint64_t size;              /* of the body as archived */
    struct sharc_digest digest; /* n == 0: unknown */
    struct sharc_span etag, location;
    sharc_time last_modified;
    struct sharc_span refers_url; /* of a revisit */
    sharc_time refers_when;
    struct import_fetch fetch;
    struct sharc_span id; /* WARC-Record-ID, to find its metadata */

    /* What extraction adds. */
    struct sharc_span block; /* HTTP head and body, while it waits for a worker */
    struct sharc_span content_type;
    bool has_head, extracted; /* links are those of the page; else those that a metadata record tells */
    struct sharc_digest text_digest;
    uint32_t *minhash; /* NULL: no text */
    struct sharc_span title;
    struct sharc_span redirect; /* absolute */
    sharc_time stated;
    int64_t words, images, tables; /* < 0: unknown */
    struct sharc_store_link *links;
    size_t link_count;
};

/* Read a metadata block into row->fetch; with links: outlinks too. */
void sharc__import_fetch_read(struct import_row *row, struct sharc_span block, bool links, struct sharc_arena *arena);

/* A piece of a file: whole exchanges (an answer and the metadata behind it). */
struct import_batch {
    size_t job;
    struct import_row *rows;
    size_t count, room;
    struct import_row *controls; /* control downloads: only when they were made counts */
    size_t control_count, control_room;
    size_t bytes; /* of blocks that wait for extraction */
    struct sharc_arena arena;
    struct sharc_span *closing; /* closing records of captures, behind the rows */
    size_t closings, closing_room;
    uint64_t next;              /* offset behind it: where reading can be taken up again */
    bool resumable;             /* next begins a member */
    bool last;                  /* of its file */
    bool heads_only;            /* nothing is extracted */
    uint64_t records, damaged;  /* in it */
    bool ready;                 /* extracted; guarded by the pipeline's lock */
    struct sharc_digest digest; /* of the whole file, made with the last batch; n == 0: none */
};
struct import_batch *sharc__import_batch_new(void);
void sharc__import_batch_free(struct import_batch *b);
void sharc__import_batch_freep(struct import_batch **b);

enum {
    IMPORT_BATCH_ROWS = 512,
    IMPORT_BATCH_BYTES = 4 << 20,
    IMPORT_BATCH_MOST = 128 << 20,
    IMPORT_BODY_MOST = 32 << 20, /* a longer body is read so far */
};

/* --- jobs.c -------------------------------------------------------------------------- */

struct import_job {
    const struct sharc_warc_input *input;
    char *name; /* in the catalogue */
    uint64_t size;
    sharc_time first; /* of the earliest of its first records; SHARC_TIME_NONE: none found */
};
struct import_jobs {
    struct import_job *items;
    size_t count;
    uint64_t bytes;
    struct sharc_warc_inputs inputs;
};
void sharc__import_jobs_done(struct import_jobs *j);
/* Inputs as in sharc_warc_inputs_add; j->inputs.bad, when set before, hears of all that cannot be imported. Names
 * are relative to the archive for files inside, else absolute. Sorted by first record, then name. */
int sharc__import_jobs_find(struct import_jobs *j, const char *const *inputs, size_t count, const char *archive,
                            struct sharc_err *reterr);
/* SHA-256 of the whole file, or of the part of the ZIP. */
int sharc__import_job_digest(const struct import_job *job, struct sharc_digest *ret, struct sharc_err *reterr);

/* --- reader.c ------------------------------------------------------------------------ */

struct import_reader;
/* Begin at `offset`, where the warcinfo that said `run` is in force (NULL: none yet). job and o must outlive it. */
int sharc__import_reader_open(const struct import_job *job, size_t number, const struct sharc_import_options *o,
                              uint64_t offset, const struct import_run *run, struct import_reader **ret,
                              struct sharc_err *reterr);
void sharc__import_reader_close(struct import_reader *r);
void sharc__import_reader_closep(struct import_reader **r);
/* 1: a batch; 0: the file has ended. < 0: damage (strict): *ret is then the batch of what could be read before
 * it (or NULL); it ends where reading can be taken up. */
int sharc__import_reader_next(struct import_reader *r, struct import_batch **ret, struct sharc_err *reterr);

/* --- features.c ---------------------------------------------------------------------- */

struct import_scratch; /* of one worker */
struct import_scratch *sharc__import_scratch_new(void);
void sharc__import_scratch_free(struct import_scratch *s);
/* Fill what extraction adds, for every row that waits. */
void sharc__import_extract(struct import_batch *b, struct import_scratch *s);

/* --- captures.c ---------------------------------------------------------------------- */

/* A capture as far as inferring needs it. */
struct import_capture {
    sharc_store_id id; /* 0: not in the catalogue yet */
    sharc_store_id site_id;
    uint32_t site, run; /* texts in the table's names */
    uint32_t key;
    sharc_time start, end;
    uint32_t next;                  /* of the same site and run, or SHARC_NO_ID */
    bool touched;                   /* got records, or an import of it was interrupted */
    bool widened;                   /* start or end moved since the last commit */
    bool gone;                      /* merged into another one */
    bool crawled;                   /* by sharc: known from its crawl, not from an import */
    enum sharc_capture_state state; /* of one that was crawled; it stays */
    bool exact;                     /* its run is one capture of our crawler, named by when it began: no gap parts it */
    bool judged;                    /* our crawler has compared its pages with the capture before */
    uint64_t records;               /* that answer for its pages, also those that a later one replaced */
    bool derived;                   /* its grades were derived from the records */
    struct sharc_store_claim claim; /* of its closing record */
    struct sharc_store_weakness weakness;
};
struct import_captures {
    struct sharc_intern *names;
    struct sharc_intern *keys; /* keys in use */
    struct sharc_map64 heads;  /* site and run to the first capture + 1 */
    struct import_capture *items;
    size_t count, room;
    sharc_time gap;
    bool by_run; /* sites do not tell captures apart */
};
void sharc__import_captures_init(struct import_captures *c, sharc_time gap, bool by_run);
void sharc__import_captures_done(struct import_captures *c);
/* The number of the capture that a record of that time belongs to; its times are
 * widened. A new one has id 0 and a key of its own: `key`, or made of site and time. O(captures of site and run). */
uint32_t sharc__import_captures_at(struct import_captures *c, struct sharc_span site, struct sharc_span run,
                                   struct sharc_span key, sharc_time when);
/* One that the catalogue knows. */
uint32_t sharc__import_captures_add(struct import_captures *c, const struct import_capture *known,
                                    struct sharc_span site, struct sharc_span run, struct sharc_span key);
/* Two that turned out to be one, as a record between them showed: false when there are none (left). *a began first. */
bool sharc__import_captures_touching(const struct import_captures *c, uint32_t *ret_a, uint32_t *ret_b);

/* --- writer.c ------------------------------------------------------------------------ */

/* A file as the catalogue knows it, and what this import adds. */
struct import_file {
    sharc_store_id warc;
    enum sharc_store_warc_state state;
    uint64_t size, done, records, damaged;
    uint32_t capture; /* under way at `done`: number in captures, or SHARC_NO_ID */
    bool known;       /* read to its end before */
    bool moved;       /* known under a name where nothing is any more */
};
struct import_writer {
    struct sharc_store *store;
    struct sharc_store_batch *batch;
    const struct sharc_import_options *o;
    const struct import_jobs *jobs;
    struct import_file *files; /* one per job */
    struct import_captures captures;
    struct sharc_store_patience patience;
    struct sharc_import_result *result;
    uint64_t bytes_known, bytes_total; /* of files that are not read; of all */
};
/* Loads captures and what is known of the files. done() also after a failure. */
int sharc__import_writer_init(struct import_writer *w, struct sharc_store *store, const struct import_jobs *jobs,
                              const struct sharc_import_options *o, struct sharc_import_result *result,
                              struct sharc_err *reterr);
void sharc__import_writer_done(struct import_writer *w);
/* The next batch, in order. */
int sharc__import_writer_put(struct import_writer *w, const struct import_batch *b, struct sharc_err *reterr);
int sharc__import_writer_commit(struct import_writer *w, struct sharc_err *reterr);
/* What an import notes in the parameters of a capture. */
void sharc__import_params(const struct import_writer *w, const struct import_capture *c, struct sharc_buf *out);
/* After a failed call: 0 when it was a lost connection that is back now, so that it can be repeated. */
int sharc__import_writer_again(struct import_writer *w, int failed, struct sharc_err *reterr);

/* --- closing.c ----------------------------------------------------------------------- */

/* When a capture ended, from its closing record. */
void sharc__import_closing(struct import_writer *w, struct sharc_span lines);

/* --- derived.c ----------------------------------------------------------------------- */

/* The grades of a capture, if it is one of our crawler; it is whole. */
int sharc__import_derive(struct import_writer *w, size_t capture, struct sharc_err *reterr);

/* --- finish.c ------------------------------------------------------------------------ */

/* What needs whole captures, for all that were touched; and the rows of the result. */
int sharc__import_finish(struct import_writer *w, struct sharc_err *reterr);
enum sharc_change_class sharc__import_class(const struct sharc_store_pair *p);

/* --- tree.c -------------------------------------------------------------------------- */

/* A breadth-first spanning tree. */
struct import_tree {
    const struct sharc_store_graph *graph;
    const sharc_time *when; /* of each page's visit */
    const bool *root;       /* seeds */
    /* Filled; parent SHARC_NO_ID and hops -1 where nothing leads. A parent or hops that is given (metadata) stays. */
    uint32_t *parent;
    int32_t *hops;
};
/* Pages of one distance are visited in the order of their times; a page hangs on the first that links to it. O(pages
 * log pages + links). */
void sharc__import_tree(struct import_tree *t);

#endif

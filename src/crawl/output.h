/* SPDX-License-Identifier: Apache-2.0
 *
 * What a crawl writes: WARC files and their index, rows of the catalogue, logs. Nothing
 * here decides what is written, or when it is committed.
 *
 *   warc_files.c   the WARC files: opened, followed to their ends, closed
 *   warc_repair.c  files that a crash left open; warc_takeover.c, warc_claim.c those of another worker
 *   warc_store.c   files that go into an object store; warc_store.h; warc_handover.c from worker to worker
 *   record.c       the WARC records of a download
 *   keep.c         the version that the next download is compared with
 *   rows.c         its rows in the catalogue
 *   crawl_log.c    its line in crawl.log; progress-statistics.log
 */
#ifndef SHARC_CRAWL_OUTPUT_INT_H
#define SHARC_CRAWL_OUTPUT_INT_H

#include "context.h"
#include "download.h"
#include "pages.h"
#include "sharc/base_map.h"
#include "sharc/cdx.h"
#include "sharc/cdx_build.h"
#include "sharc/store_write.h"

#include <pthread.h>

/* A WARC file as the catalogue knows it. */
struct file {
    sharc_store_id row; /* 0: none yet */
    uint64_t end;       /* of the last record written; 0: not written to by this run */
    uint64_t records;
    bool changed; /* since the last commit */
    bool gone;    /* closed and followed to its end: the outbox does the rest */
};

/* Of a crawl. */
struct output {
    /* fields: files, rows and logs of one crawl, and how the catalogue and the object store are doing */
    const struct context *ctx;
    const char *strategy; /* its name, when it is none of schedule.h; else NULL */
    char *warc_dir;
    struct sharc_warc_writer *warc; /* shared when there are many sites */
    sharc_store_id capture;         /* whose files they are, when it is a worker's; else 0 */
    struct sharc_cdx_notes *notes;  /* lines of the index for what this run writes */
    struct sharc_intern *files;     /* names of WARC files */
    struct file *file;              /* by number of the name */
    size_t file_count, file_room;
    struct logs *logs;
    struct sharc_store_batch *batch, *spare;
    struct sharc_store_batch *written; /* it is being committed in a thread of its own; NULL: none */
    unsigned records;                  /* written since the last commit */
    sharc_time first_record;           /* when the first of them was */
    const volatile bool *stop;         /* do not wait for a lost database any longer */
    bool store_away;                   /* it is lost */
    struct sharc_outbox *outbox;       /* files go into an object store by it; NULL: they stay here */
    char *objects;                     /* that store: "s3://bucket/prefix" */
    uint64_t spooled;                  /* bytes that wait here, as of the last look, and written since */
    struct handover *handover;         /* what was taken over on its way there; NULL: nothing */
    bool away;                         /* the object store does not take them now */
    pthread_mutex_t packers_lock;
    struct sharc_warc_packer **packers; /* that no thread of the pool uses now */
    size_t packers_count, packers_room;
    struct sharc_buf scratch;
};
int sharc__crawl_output_init(struct output *o, const struct context *c, const volatile bool *stop,
                             struct sharc_err *reterr);
void sharc__crawl_output_done(struct output *o);
/* What records and rows call the strategy; must live on. */
void sharc__crawl_output_strategy(struct output *o, const char *name);

/* Of a site: its capture in the catalogue. */
struct capture {
    struct output *out;
    const struct pages *pages;
    const struct sharc_crawl_pace *pace; /* of the site */
    const char *name, *seed;             /* of the site; its first seed */
    uint32_t number;                     /* of the site */
    sharc_store_id site, id;
    sharc_time started_at;
    struct sharc_warc_writer *warc; /* its own; NULL: the crawl's */
};
void sharc__crawl_capture_init(struct capture *s, struct output *o, const struct pages *p,
                               const struct sharc_crawl_pace *pace, const char *name, uint32_t number);
void sharc__crawl_capture_done(struct capture *s);
void sharc__crawl_capture_is(struct capture *s, sharc_store_id site, sharc_store_id id, sharc_time started_at,
                             const char *seed);

/* --- warc_files.c -------------------------------------------------------------- */

/* A file of its own for a site, or (NULL) one for all. */
int sharc__crawl_warc_open(struct output *o, struct capture *s, struct sharc_err *reterr);
/* "exploration", "evidence", "watch" */
const char *sharc__crawl_purpose_word(enum sharc_crawl_purpose p);
uint32_t sharc__crawl_file(struct output *o, const char *name);
struct sharc_span sharc__crawl_file_name(const struct output *o, uint32_t file); /* SHARC_NO_ID: "" */
/* These records are written; how far their file goes is committed with them. */
void sharc__crawl_wrote(struct output *o, const struct sharc_warc_fetch_places *p);
/* The row of a WARC file, made when it is first written to and before anything of
 * it is committed: whoever finds the file open after a crash knows it is ours to cut. */
int sharc__crawl_file_row(struct output *o, const char *file, sharc_store_id *ret, struct sharc_err *reterr);
/* How far the files go, into the batch; and, when all are closed, that they are complete. */
int sharc__crawl_files_put(struct output *o, struct sharc_err *reterr);
int sharc__crawl_files_closed(struct output *o, struct sharc_err *reterr);
int sharc__crawl_index(struct output *o, struct sharc_err *reterr);
/* There is something to commit, though no record was written. */
void sharc__crawl_to_commit(struct output *o);
/* Commit the batch; a lost database is waited for. */
int sharc__crawl_batch_commit(struct output *o, struct sharc_err *reterr);
/* Some URLs of the batch get their numbers before: a commit with very many of them takes long. */
int sharc__crawl_number_urls(struct output *o, size_t most, struct sharc_err *reterr);

/* --- warc_repair.c -------------------------------------------------------------- */

int sharc__crawl_files_recover(struct output *o, struct sharc_err *reterr);

/* --- warc_takeover.c ------------------------------------------------------------ */

/* The files that earlier workers wrote for the same capture: what was committed of each becomes a complete file. */
int sharc__crawl_files_take_over(struct output *o, struct sharc_err *reterr);
/* The claim was lost: what was begun and not written down goes. All writers are closed. */
void sharc__crawl_files_abandon(struct output *o);

/* --- record.c -------------------------------------------------------------------- */

/* In the loop, when a download has ended; then in the pool, when it is processed:
 * the costly half of its records is made there. */
void sharc__crawl_pack_begin(const struct capture *s, struct job *j);
void sharc__crawl_pack(const struct capture *s, struct job *j);
/* In the loop, in order: the records, once. */
int sharc__crawl_record(struct capture *s, struct job *j, struct written *ret, struct sharc_err *reterr);
/* "first", "second", "late", "audit" */
const char *sharc__crawl_control_word(uint8_t step);
/* A metadata record about the capture as a whole. */
int sharc__crawl_record_closing(struct capture *s, struct sharc_span lines, struct sharc_err *reterr);

/* --- keep.c ----------------------------------------------------------------------- */

/* The answer of j, recorded as w says, changes v: the version of its page as it was known so far. */
void sharc__crawl_answer_to_version(struct output *o, struct pages *p, const struct job *j, const struct written *w,
                                    struct version *v);

/* --- rows.c ----------------------------------------------------------------------- */

int sharc__crawl_rows_page(struct capture *s, const struct job *j, const struct written *w, struct sharc_err *reterr);
void sharc__crawl_rows_skip(struct capture *s, uint32_t page, enum sharc_crawl_reason why, struct sharc_span detail);
/* The place of a download in the order; -1: it is fetched only because something embeds it. */
int64_t sharc__crawl_slot(const struct task *t, const struct page *p);

#endif

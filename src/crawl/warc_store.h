/* SPDX-License-Identifier: Apache-2.0
 *
 * WARC files that go into an object store. Without one all of this does nothing.
 */
#ifndef SHARC_CRAWL_WARC_STORE_H
#define SHARC_CRAWL_WARC_STORE_H

#include "output.h"

/* Where the archive's settings say that its files belong: before anything else. */
int sharc__crawl_store_find(struct output *o, struct sharc_err *reterr);
/* When the archive's settings say that its files belong into an object store: begin to bring them there, with those
 * that an earlier crawl left. Behind recovery. */
int sharc__crawl_store_open(struct output *o, struct sharc_err *reterr);
/* What is committed is safe: behind each commit, and when files have been closed. */
void sharc__crawl_store_follow(struct output *o);
/* Files that others closed there; all of them are committed. */
int sharc__crawl_store_rescan(struct output *o, struct sharc_err *reterr);
/* Is there room for another record? SHARC_ENOSPC: too many bytes wait for the store. */
int sharc__crawl_store_room(struct output *o, struct sharc_err *reterr);
/* Only files that are still written to wait here: they should be closed, so that they can go. */
bool sharc__crawl_store_presses(struct output *o);
/* All of it, and the index. stop: the next crawl does it. */
int sharc__crawl_store_finish(struct output *o, bool stop, struct sharc_err *reterr);
/* Until the store has all files that are closed; SHARC_EINTR when the crawl is to stop. */
int sharc__crawl_store_wait(struct output *o, struct sharc_err *reterr);
void sharc__crawl_store_done(struct output *o);

char *sharc__crawl_index_path(const struct output *o); /* of the index that this crawl writes; malloc'ed */

/* --- workers: warc_claim.c --------------------------------------------------------- */

/* Files are known by their names: "…-j12e3-host.warc.gz" belongs to the third claim of job 12: 3; 0: not this job's.
 * ret_digits may be NULL. */
uint64_t sharc__crawl_claim_of(const char *path, const struct sharc_crawl_job *job, struct sharc_span *ret_digits);
/* Bring one file to what was committed of it; *ret_there says whether there is one now. */
int sharc__crawl_take_file(const char *path, uint64_t done, bool *ret_there, struct sharc_err *reterr);

/* --- workers: warc_handover.c ------------------------------------------------------ */

struct handover {
    char **replaced; /* files of earlier claims that have another name now, or are in the store */
    size_t replaced_count, replaced_room;
    struct sharc_intern *stems; /* names of files without their claims */
    char **now;                 /* what they are called now, by number of the stem */
    size_t now_count, now_room;
};
void sharc__crawl_handover_free(struct handover *h); /* warc_claim.c */

/* A file of an earlier claim that is, or may be, on its way into the store; then, when that is committed, what is left
 * over of earlier claims. */
int sharc__crawl_hand_over(struct output *o, const struct sharc_store_warc *row, const char *file,
                           struct sharc_err *reterr);
int sharc__crawl_handed_over(struct output *o, struct sharc_err *reterr);
/* sharc__crawl_file for a name out of the journal: the file may have another one since it was taken over. */
uint32_t sharc__crawl_file_now(struct output *o, const char *name);
/* The claim was lost. known: names of files that have a row. */
void sharc__crawl_store_abandon(struct output *o, const struct sharc_intern *known);

/* --- warc_files.c: commits in a thread of their own ------------------------------ */

/* Begin to commit it while others fill the next one; done(arg) is called in another thread when that is over. */
void sharc__crawl_batch_begin(struct output *o, sharc_store_committed_fn *done, void *arg);
/* 0: what was begun is committed, or nothing was; 1 (only without wait): not yet. */
int sharc__crawl_batch_settle(struct output *o, bool wait, struct sharc_err *reterr);

#endif

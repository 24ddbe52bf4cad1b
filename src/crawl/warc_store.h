/* SPDX-License-Identifier: Apache-2.0
 *
 * WARC files that go into an object store. Without one all of this does nothing.
 */
#ifndef SHARC_CRAWL_WARC_STORE_H
#define SHARC_CRAWL_WARC_STORE_H

#include "output.h"

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
void sharc__crawl_store_done(struct output *o);

#endif

/* SPDX-License-Identifier: Apache-2.0
 *
 * Filling a set: pairs are collected, judged many at a time by a pool of threads, and
 * folded into the set in the order in which they came.
 */
#ifndef SHARC_DIFF_SET_H
#define SHARC_DIFF_SET_H

#include "diff_int.h"
#include "sharc/base_pool.h"

struct filler;
struct filler *sharc__diff_filler_new(struct sharc_diff_set *set, const struct sharc_diff_options *o);
void sharc__diff_filler_free(struct filler *f);
void sharc__diff_filler_freep(struct filler **f);
/* Where facts of pairs are kept: names for good, texts until the pair is judged. */
struct sharc__diff_memory sharc__diff_filler_memory(struct filler *f);
/* Judge this pair, now or later. url is copied. */
int sharc__diff_filler_add(struct filler *f, struct sharc_span url, const struct sharc_diff_facts *before,
                           const struct sharc_diff_facts *after, struct sharc_err *reterr);
/* After the last pair: templates, counts, order. */
int sharc__diff_filler_finish(struct filler *f, struct sharc_err *reterr);

#endif

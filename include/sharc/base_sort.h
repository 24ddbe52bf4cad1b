/* SPDX-License-Identifier: Apache-2.0
 *
 * Sorting more lines than fit in memory: each writer (a thread) fills a chunk,
 * sorts it by bytes and spills it as a run into one temporary file without a
 * name; at the end all runs are merged, and lines that are equal come out once.
 */
#ifndef SHARC_BASE_SORT_H
#define SHARC_BASE_SORT_H

#include "sharc/base.h"

SHARC_PRIVATE_BEGIN

struct sharc_sorter;
/* memory: for all chunks together. directory: where the temporary file goes. */
struct sharc_sorter *sharc_sorter_new(const char *directory, unsigned writers, size_t memory);
void sharc_sorter_free(struct sharc_sorter *s);
void sharc_sorter_freep(struct sharc_sorter **s);
/* line ends in its only '\n' and is at most SHARC_LIMIT_CDX_LINE long. Different writers
 * may put at the same time. */
int sharc_sorter_put(struct sharc_sorter *s, unsigned writer, struct sharc_span line, struct sharc_err *reterr);
/* A file that is sorted already takes part in the merge (its order is checked);
 * keep decides which of its lines do (NULL: all). Header lines are left out. */
int sharc_sorter_join(struct sharc_sorter *s, const char *path, bool (*keep)(void *arg, struct sharc_span line),
                      void *keep_arg, struct sharc_err *reterr);
/* Give every line, with its '\n', in order, each once. Once per sorter. */
int sharc_sorter_merge(struct sharc_sorter *s, sharc_line_fn *fn, void *arg, struct sharc_err *reterr);

SHARC_PRIVATE_END
#endif

/* SPDX-License-Identifier: Apache-2.0
 *
 * What a site's capture has brought so far. Each number has one writer, named beside it.
 */
#ifndef SHARC_CRAWL_COUNTERS_INT_H
#define SHARC_CRAWL_COUNTERS_INT_H

#include <stdint.h>

struct counters {
    uint64_t downloads, failed, bytes; /* apply.c */
    uint64_t skipped;                  /* frontier */
    uint64_t visits;                   /* apply.c: of pages the strategy knows */
    uint64_t revisits, looks;          /* apply.c */
    uint64_t not_modified, identical, gone;
    uint64_t audited, lies; /* apply.c: answers 304 that were checked by a download, and were wrong */
    uint64_t coherent;      /* agenda and apply.c: revisited and unchanged */
};

#endif

/* SPDX-License-Identifier: Apache-2.0
 *
 * What a crawl and a watch of a living site have in common: a directory of their own with an archive and the logs of
 * the site, and a clock that may be virtual.
 */
#ifndef SHARC_LAB_BENCH_H
#define SHARC_LAB_BENCH_H

#include "sharc/lab.h"
#include "sharc/store.h"
#include "virtual.h"

#define LAB_NEVER (1000 * 365 * SHARC_DAY) /* for commits by number: in virtual time an hour passes in no time */

struct lab_bench {
    char *dir, *archive, *truth, *requests;
    struct sharc_lab *lab;
    struct sharc_store *store;
    struct lab_virtual virtual;
};
/* In the directory dir, which is malloc'ed: the bench owns it now. Its names, and the archive. */
int sharc__lab_bench_open(struct lab_bench *b, char *dir, struct sharc_err *reterr);
/* The clock of site and downloads, which stands at `at`. An answer takes a tenth of the delay, 50 ms at most. */
int sharc__lab_bench_clock(struct lab_bench *b, sharc_time at, sharc_time delay, struct sharc_err *reterr);
void sharc__lab_bench_done(struct lab_bench *b);

#endif

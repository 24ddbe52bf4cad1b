/* SPDX-License-Identifier: Apache-2.0 */
#include "bench.h"

#include "sharc/archive.h"
#include "sharc/base_file.h"

#include <stdlib.h>

#define LATENCY (50 * SHARC_MSEC)

int sharc__lab_bench_open(struct lab_bench *b, char *dir, struct sharc_err *reterr)
{
    b->dir = dir;
    b->archive = sharc_path_join(dir, "archive");
    b->truth = sharc_path_join(dir, "truth.jsonl");
    b->requests = sharc_path_join(dir, "requests.jsonl");
    return sharc_archive_open(b->archive, NULL, NULL, &b->store, reterr);
}

int sharc__lab_bench_clock(struct lab_bench *b, sharc_time at, sharc_time delay, struct sharc_err *reterr)
{
    return sharc__lab_virtual_init(&b->virtual, at, delay / 10 < LATENCY ? delay / 10 : LATENCY, reterr);
}

void sharc__lab_bench_done(struct lab_bench *b)
{
    sharc_store_free(b->store);
    sharc_lab_stop(b->lab);
    sharc__lab_virtual_done(&b->virtual);
    free(b->dir);
    free(b->archive);
    free(b->truth);
    free(b->requests);
}

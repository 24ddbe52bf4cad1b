/* SPDX-License-Identifier: Apache-2.0
 *
 * How far the crawl is that runs on an archive, for whoever watches it from another process: a small file that the
 * crawl writes again every second and takes away at its end. It proves nothing and is never read by a crawl.
 */
#ifndef SHARC_ARCHIVE_LIVE_H
#define SHARC_ARCHIVE_LIVE_H

#include "sharc/archive.h"
#include "sharc/base.h"
#include "sharc/base_clock.h"

SHARC_PRIVATE_BEGIN

struct sharc_archive_live {
    sharc_time when, started; /* of this word; of the run */
    char phase[32];           /* "visits" */
    bool paused;
    uint64_t sites, sites_done;
    uint64_t known, visited, to_visit, revisited, to_revisit, coherent; /* pages */
    uint64_t controls, downloads, failed, skipped, bytes, under_way, retries;
    sharc_time expected_end; /* SHARC_TIME_NONE: cannot be told */
    sharc_time delay;        /* between requests to one host */
    char trouble[256];       /* "example.org says 503"; "": none */
    char remark[512];        /* the last that was said to whoever runs the crawl … */
    sharc_time remarked;     /* … then; SHARC_TIME_NONE: nothing was */
};

/* Replaces the file; not synced: after a crash it means nothing anyway. */
int sharc_archive_live_write(const char *dir, const struct sharc_archive_live *live, struct sharc_err *reterr);
void sharc_archive_live_remove(const char *dir);
/* True: somebody crawls this archive now, and this is what it wrote since it began. */
bool sharc_archive_live_read(const char *dir, struct sharc_archive_live *ret);

SHARC_PRIVATE_END
#endif

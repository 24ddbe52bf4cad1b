/* SPDX-License-Identifier: Apache-2.0
 *
 * What an index is to be made of: paths and directories become a list of
 * jobs, one per archive file, also of those inside WACZ containers.
 */
#ifndef SHARC_WARC_CDX_JOBS_H
#define SHARC_WARC_CDX_JOBS_H

#include "sharc/base.h"
#include "sharc/warc.h"
#include "sharc/warc_wacz.h"

enum cdx_job_kind { JOB_ARCHIVE, JOB_INDEX };

struct cdx_job {
    enum cdx_job_kind kind;
    char *path;
    char *name;                          /* as it shall stand in the lines */
    const struct sharc_zip *zip;         /* inside this container, or NULL */
    const struct sharc_zip_entry *entry; /* and there this */
    uint64_t size;
    int64_t modified; /* nanoseconds; of the container */
};

struct cdx_jobs {
    struct cdx_job *items;
    size_t count, room;
    struct sharc_zip **zips;
    size_t zip_count, zip_room;
    uint64_t bytes;
};
void sharc__cdx_jobs_done(struct cdx_jobs *j);
/* Paths may be files, directories (searched for archive files, also below) and "-".
 * root as in struct sharc_cdx_build. In the order given. */
int sharc__cdx_jobs_find(struct cdx_jobs *j, const char *const *paths, size_t count, const char *root,
                         struct sharc_err *reterr);
/* For an index: SHARC_EINVAL when two files would get the same name; else largest first,
 * so that threads end together. */
int sharc__cdx_jobs_settle(struct cdx_jobs *j, struct sharc_err *reterr);
/* Open the archive of a job; its name in messages. */
int sharc__cdx_job_open(const struct cdx_job *job, const struct sharc_warc_options *o, struct sharc_warc **ret,
                        struct sharc_err *reterr);

#endif

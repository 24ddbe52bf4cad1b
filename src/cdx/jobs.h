/* SPDX-License-Identifier: Apache-2.0
 *
 * What an index is to be made of: one job per archive file, each with the name that
 * it shall have in the lines.
 */
#ifndef SHARC_WARC_CDX_JOBS_H
#define SHARC_WARC_CDX_JOBS_H

#include "sharc/cdx_build.h"
#include "sharc/warc_inputs.h"

struct cdx_job {
    const struct sharc_warc_input *input;
    char *name; /* as it shall stand in the lines */
};

struct cdx_jobs {
    struct cdx_job *items;
    size_t count;
    struct sharc_warc_inputs inputs;
};
void sharc__cdx_jobs_done(struct cdx_jobs *j);
/* Paths as in sharc_warc_inputs_add, root as in struct sharc_cdx_build. Largest first, so that
 * threads end together. SHARC_EINVAL when two files would get the same name. */
int sharc__cdx_jobs_find(struct cdx_jobs *j, const char *const *paths, size_t count, const char *root,
                         struct sharc_err *reterr);

static inline bool sharc__cdx_job_is_index(const struct cdx_job *job)
{
    return job->input->kind == SHARC_WARC_KIND_INDEX;
}

#endif

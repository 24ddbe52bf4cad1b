/* SPDX-License-Identifier: Apache-2.0
 *
 * How sharc jobs shows jobs.
 */
#ifndef SHARC_CLI_JOBS_H
#define SHARC_CLI_JOBS_H

#include "cli.h"

#include "sharc/store_job.h"
#include "sharc/store_query.h"

/* A table, or a JSON object with all of them. */
int jobs_list(struct cli *c, struct sharc_store *store, const struct sharc_store_job_filter *f, struct sharc_err *err);
/* One job with everything that is known of it. */
int jobs_show(struct cli *c, struct sharc_store *store, sharc_store_id id, struct sharc_err *err);
/* Why it does not run, or who runs it, in a sentence. */
int jobs_explain(struct cli *c, struct sharc_store *store, sharc_store_id id, struct sharc_err *err);

#endif

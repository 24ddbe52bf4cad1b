/* SPDX-License-Identifier: Apache-2.0
 *
 * Why a job runs or does not, in a sentence.
 */
#ifndef SHARC_FLEET_EXPLAIN_H
#define SHARC_FLEET_EXPLAIN_H

#include "sharc/base_buf.h"
#include "sharc/store_job.h"

SHARC_PRIVATE_BEGIN

/* now is the database's clock. Asks the store how many jobs are ahead: spans of j must be the caller's own when they
 * come from a call on it. */
int sharc_fleet_explain(struct sharc_store *store, const struct sharc_store_job *j, sharc_time now,
                        struct sharc_buf *out, struct sharc_err *reterr);

SHARC_PRIVATE_END
#endif

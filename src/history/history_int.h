/* SPDX-License-Identifier: Apache-2.0
 *
 * Shared by the files of room history:
 *   dataset.c, sitemap.c, archive.c   where pages come from
 *   history.c                         what all of them need
 *   rates.c, kept.c                   history_rates.h
 *   trial.c                           history_trial.h
 */
#ifndef SHARC_HISTORY_INT_H
#define SHARC_HISTORY_INT_H

#include "sharc/history.h"

#define HISTORY_DAY 86400.0

/* Last of every source: count links, and refuse a history without pages. */
int sharc__history_finish(struct sharc_history *h, struct sharc_err *reterr);

#endif

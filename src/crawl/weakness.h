/* SPDX-License-Identifier: Apache-2.0
 *
 * What was done in a capture that weakens what it proves: it is written into its parameters. It sticks: a
 * capture that was begun so and resumed otherwise stays what it was.
 */
#ifndef SHARC_CRAWL_WEAKNESS_H
#define SHARC_CRAWL_WEAKNESS_H

#include "sharc/crawl.h"
#include "sharc/store_weakness.h"

/* What the options of this run say. */
void sharc__crawl_weakness_add(struct sharc_store_weakness *w, const struct sharc_crawl_options *o);

#endif

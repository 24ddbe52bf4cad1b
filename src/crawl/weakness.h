/* SPDX-License-Identifier: Apache-2.0
 *
 * What was done in a capture that weakens what it proves: it is written into its parameters. It sticks: a
 * capture that was begun so and resumed otherwise stays what it was.
 */
#ifndef SHARC_CRAWL_WEAKNESS_H
#define SHARC_CRAWL_WEAKNESS_H

#include "sharc/base_json.h"
#include "sharc/base_node.h"
#include "sharc/crawl.h"

struct weakness {
    bool insecure, trust_modified;
    uint64_t max_body; /* the smallest that was given; 0: none was */
    char *connect_to, *proxy;
};
void sharc__crawl_weakness_done(struct weakness *w);
/* What the options of this run say. */
void sharc__crawl_weakness_add(struct weakness *w, const struct sharc_crawl_options *o);
/* What an earlier run wrote. */
void sharc__crawl_weakness_read(struct weakness *w, const struct sharc_node *params);
/* "weakened": {…}, when there is anything. */
void sharc__crawl_weakness_put(const struct weakness *w, struct sharc_json *j);

#endif

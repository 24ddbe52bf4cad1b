/* SPDX-License-Identifier: Apache-2.0
 *
 * Between parts.c and looks.c: how a page wants its parts to be shown.
 */
#ifndef SHARC_SERVE_LOOKS_H
#define SHARC_SERVE_LOOKS_H

#include "sharc/extract.h"
#include "sharc/quality_weight.h"

struct serve_looks {
    const struct sharc_page *page;
    struct serve_tag *tags; /* those with a size, in page order */
    size_t count;
};
/* Of a page that lives longer. */
void sharc__serve_looks_read(const struct sharc_page *page, struct serve_looks *ret);
void sharc__serve_looks_done(struct serve_looks *l);
void sharc__serve_look_of(const struct serve_looks *all, const struct sharc_link *l, struct sharc_part_look *ret);

#endif

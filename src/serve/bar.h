/* SPDX-License-Identifier: Apache-2.0
 *
 * Between view.c, which makes the page around an archived one, and what stands in its bar.
 */
#ifndef SHARC_SERVE_BAR_H
#define SHARC_SERVE_BAR_H

#include "coherence.h"

/* bar.c */
void sharc__serve_put_bar(struct serve_call *c, struct sharc_buf *out, const struct serve_address *a,
                          const struct sharc_found *f, const struct serve_coherence *k);
/* A URL in an attribute. */
void sharc__serve_put_attribute(struct sharc_buf *out, struct sharc_span url);
/* chart.c: times of the parts as a picture, limits, and a table. */
void sharc__serve_put_parts(struct sharc_buf *out, const struct serve_address *a, const struct serve_coherence *k);

#endif

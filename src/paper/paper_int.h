/* SPDX-License-Identifier: Apache-2.0
 *
 * What the files of room paper share.
 */
#ifndef SHARC_PAPER_INT_H
#define SHARC_PAPER_INT_H

#include "sharc/paper.h"

#ifdef SHARC_CAIRO
#include <cairo.h>

/* Draw the picture at the origin of cr. */
void sharc__paper_draw(cairo_t *cr, const struct sharc_picture *p, bool dark);
/* For surfaces: bytes appended to a struct sharc_buf. */
cairo_status_t sharc__paper_bytes(void *arg, const unsigned char *bytes, unsigned n);
int sharc__paper_status(cairo_status_t status, struct sharc_err *reterr);
#endif

/* UTF-8 without control characters, malloc'ed. */
char *sharc__paper_clean(struct sharc_span text);
bool sharc__paper_begins_character(char c);

#endif

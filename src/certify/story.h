/* SPDX-License-Identifier: Apache-2.0
 *
 * A certificate for people: one page in plain words, then tables, then a page to fill in. Written once, as a
 * list of blocks, and laid out twice by room paper.
 */
#ifndef SHARC_CERTIFY_STORY_H
#define SHARC_CERTIFY_STORY_H

#include "certify_int.h"

#include "sharc/paper.h"

/* made: of the certificate that was written. most: rows of each table of pages. */
void sharc__certify_story(const struct sharc_derived *f, const struct sharc_certify_issue *o,
                          const struct sharc_certify_made *made, size_t most, struct sharc_paper *ret);

#endif

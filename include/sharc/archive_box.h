/* SPDX-License-Identifier: Apache-2.0
 *
 * The box of an archive (.control/): whoever wants something of the crawl or watch that runs there drops a file
 * into it; the one that runs takes it up, and removes the file when that is safe.
 */
#ifndef SHARC_ARCHIVE_BOX_H
#define SHARC_ARCHIVE_BOX_H

#include "sharc/archive.h"
#include "sharc/base_buf.h"
#include "sharc/base_clock.h"

SHARC_PRIVATE_BEGIN

enum { SHARC_BOX_WISH = 8192 }; /* bytes of one wish at most */

/* --- the asking side ----------------------------------------------------------------- */

/* Waits up to `patience` until it was taken (0: does not wait). SHARC_ENOENT: no such work runs there, or it ended
 * before that; SHARC_EBUSY: not yet taken. */
int sharc_box_ask(const char *archive, enum sharc_archive_work work, struct sharc_span wish, sharc_time patience,
                  struct sharc_err *reterr);

/* --- the side that runs ---------------------------------------------------------------- */

/* What was meant for somebody who is gone. */
void sharc_box_clear(const char *archive);
/* Every wish in the box, in order; they stay there until they are removed. */
struct sharc_box {
    char *dir;
    char **names;
    size_t count;
};
/* False: nothing is there. */
bool sharc_box_open(const char *archive, struct sharc_box *ret);
/* The text of the i-th; false: it is none. */
bool sharc_box_read(const struct sharc_box *b, size_t i, struct sharc_buf *out);
void sharc_box_remove(const struct sharc_box *b, size_t i);
void sharc_box_done(struct sharc_box *b);

SHARC_PRIVATE_END
#endif

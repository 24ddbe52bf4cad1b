/* SPDX-License-Identifier: Apache-2.0
 *
 * Between captures.c and second.c: captures of one URL in one second.
 */
#ifndef SHARC_SERVE_SECOND_H
#define SHARC_SERVE_SECOND_H

#include "serve_int.h"
#include "sharc/base_arena.h"

/* Of a second with more captures, or longer lines, and behind so many records that were opened for their dates,
 * captures stay as the index has them. */
enum { SERVE_MOST_OF_A_SECOND = 24, SERVE_MOST_SECOND_BYTES = 1 << 20, SERVE_MOST_TOLD_APART = 2000 };

struct serve_moment {
    struct sharc_cdx line; /* its own copy */
    const struct serve_source *source;
    bool coarse;     /* the index has whole seconds */
    bool hidden;     /* cannot be shown, so that nobody asks for it */
    sharc_time when; /* of the record; where that says less, of the index */
    int group;       /* the order in which they are given: by group, then by place */
    sharc_time place;
};

struct serve_second {
    struct sharc_arena arena;
    struct serve_moment *items;
    size_t count, room, given;
    size_t opened;
    char crowded[15]; /* a second of which there are too many */
};
void sharc__serve_second_init(struct serve_second *s);
void sharc__serve_second_done(struct serve_second *s);
void sharc__serve_second_clear(struct serve_second *s);
void sharc__serve_second_add(struct serve_second *s, const struct sharc_cdx *line, const struct serve_source *source);
/* Is there room for one more capture of the second of the last one? */
bool sharc__serve_second_takes_more(struct serve_second *s);
/* Names for all that were added, and the order asked for. */
void sharc__serve_second_tell_apart(struct serve_second *s, const struct sharc_edition *e, enum sharc_cdx_sort sort,
                                    sharc_time closest);

#endif

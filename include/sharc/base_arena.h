/* SPDX-License-Identifier: Apache-2.0
 *
 * An arena: many small pieces with one life, released together. Bounded like a
 * buffer: sharc_arena_alloc returns NULL once `max` bytes are handed out, so a
 * hostile page cannot eat the machine.
 */
#ifndef SHARC_BASE_ARENA_H
#define SHARC_BASE_ARENA_H

#include "sharc/base.h"

SHARC_API_BEGIN

struct sharc_arena {
    struct sharc_arena_block *head; /* newest block first */
    size_t used, max;               /* bytes handed out, and may be */
};

#define SHARC_ARENA_INIT(maximum) \
    {                             \
        .max = (maximum)          \
    }

void sharc_arena_init(struct sharc_arena *a, size_t max);
void sharc_arena_done(struct sharc_arena *a);
/* Forget all pieces, keep one block for the next use. */
void sharc_arena_clear(struct sharc_arena *a);

/* Zeroed, aligned for any type; NULL when the maximum is reached. */
void *sharc_arena_alloc(struct sharc_arena *a, size_t n);
/* Unaligned, not zeroed: for bytes. */
char *sharc_arena_bytes(struct sharc_arena *a, size_t n);
/* Copies with a 0 behind; .p == NULL when the maximum is reached. */
struct sharc_span sharc_arena_copy(struct sharc_arena *a, struct sharc_span s);

#define SHARC_ARENA_NEW(arena, type) ((type *)sharc_arena_alloc((arena), sizeof(type)))

SHARC_API_END
#endif

/* SPDX-License-Identifier: Apache-2.0
 *
 * A batch: the rows of some records, and the memory they live in.
 */
#include "import_int.h"

#include <stdlib.h>

enum { MOST_ARENA = 1 << 30 };

struct import_batch *sharc__import_batch_new(void)
{
    struct import_batch *b = SHARC_NEW(struct import_batch);
    sharc_arena_init(&b->arena, MOST_ARENA);
    return b;
}

void sharc__import_batch_free(struct import_batch *b)
{
    if (!b) return;
    sharc_arena_done(&b->arena);
    free(b->rows);
    free(b->controls);
    free(b->closing);
    free(b);
}

void sharc__import_batch_freep(struct import_batch **b)
{
    sharc__import_batch_free(*b);
    *b = NULL;
}

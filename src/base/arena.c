/* SPDX-License-Identifier: Apache-2.0 */
#include "sharc/base_arena.h"

#include <stdalign.h>
#include <stdlib.h>

#define BLOCK_FIRST 4096u
#define BLOCK_LARGEST (1u << 20)

struct sharc_arena_block {
    struct sharc_arena_block *older;
    size_t used, room;
    alignas(max_align_t) char bytes[];
};

void sharc_arena_init(struct sharc_arena *a, size_t max)
{
    *a = (struct sharc_arena){.max = max};
}

void sharc_arena_done(struct sharc_arena *a)
{
    while (a->head) {
        struct sharc_arena_block *older = a->head->older;
        free(a->head);
        a->head = older;
    }
    a->used = 0;
}

void sharc_arena_clear(struct sharc_arena *a)
{
    if (!a->head) return;
    while (a->head->older) {
        struct sharc_arena_block *older = a->head->older;
        a->head->older = older->older;
        free(older);
    }
    a->head->used = 0;
    a->used = 0;
}

static char *piece(struct sharc_arena *a, size_t n, size_t align)
{
    if (n > a->max || a->used > a->max - n) return NULL;
    struct sharc_arena_block *b = a->head;
    size_t at = b ? (b->used + align - 1) / align * align : 0;
    if (!b || at > b->room || n > b->room - at) {
        size_t room = b ? b->room * 2 : BLOCK_FIRST;
        if (room > BLOCK_LARGEST) room = BLOCK_LARGEST;
        if (room < n) room = n;
        b = sharc_malloc(sizeof *b + room);
        *b = (struct sharc_arena_block){.older = a->head, .room = room};
        a->head = b;
        at = 0;
    }
    b->used = at + n;
    a->used += n;
    return b->bytes + at;
}

void *sharc_arena_alloc(struct sharc_arena *a, size_t n)
{
    char *p = piece(a, n ? n : 1, alignof(max_align_t));
    if (p) memset(p, 0, n);
    return p;
}

char *sharc_arena_bytes(struct sharc_arena *a, size_t n)
{
    return piece(a, n ? n : 1, 1);
}

struct sharc_span sharc_arena_copy(struct sharc_arena *a, struct sharc_span s)
{
    if (s.n == SIZE_MAX) return SHARC_SPAN_NONE;
    char *p = piece(a, s.n + 1, 1);
    if (!p) return SHARC_SPAN_NONE;
    if (s.n) memcpy(p, s.p, s.n);
    p[s.n] = 0;
    return sharc_span(p, s.n);
}

/* SPDX-License-Identifier: Apache-2.0
 *
 * Blocks of a document.
 */
#include "sharc/paper.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

void sharc_paper_done(struct sharc_paper *p)
{
    for (size_t i = 0; i < p->count; i++)
        for (size_t k = 0; k < SHARC_PAPER_CELLS; k++) free(p->blocks[i].cells[k]);
    free(p->blocks);
    *p = (struct sharc_paper){0};
}

static struct sharc_paper_block *add(struct sharc_paper *p, enum sharc_paper_kind kind)
{
    SHARC_GROW(p->blocks, p->room, p->count + 1);
    p->blocks[p->count] = (struct sharc_paper_block){.kind = kind};
    return &p->blocks[p->count++];
}

void sharc_paper_say(struct sharc_paper *p, enum sharc_paper_kind kind, const char *fmt, ...)
{
    char *text = NULL;
    va_list args;
    va_start(args, fmt);
    int n = vasprintf(&text, fmt, args);
    va_end(args);
    if (n >= 0) add(p, kind)->cells[0] = text;
}

void sharc_paper_row(struct sharc_paper *p, enum sharc_paper_kind kind, const char *const *cells)
{
    struct sharc_paper_block *b = add(p, kind);
    for (size_t i = 0; i < SHARC_PAPER_CELLS && cells[i]; i++) b->cells[i] = sharc_strdup(cells[i]);
}

void sharc_paper_picture(struct sharc_paper *p, const struct sharc_picture *picture)
{
    add(p, SHARC_PAPER_PICTURE)->picture = *picture;
}

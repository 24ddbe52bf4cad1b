/* SPDX-License-Identifier: Apache-2.0
 *
 * Whole pages: a page with the styles, scripts, images and frames that it embeds, and what these
 * embed. The grade of the whole is the worst of its parts. What it embeds and was not captured (shut out by the
 * scope, a limit or robots.txt, not there) is counted and spoils it: nobody knows what a reader saw in its place.
 */
#include "derive_int.h"

#include "sharc/base_order.h"

#include <stdlib.h>

static void add_part(struct sharc_derived *f, uint32_t row)
{
    SHARC_GROW(f->part, f->part_room, f->part_count + 1);
    f->part[f->part_count++] = row;
}

struct finding_parts {
    struct sharc_derived *f;
    uint32_t *seen; /* by row: the page, counted from 1, for which it was found last */
};

static void take(struct finding_parts *x, size_t i, uint32_t url)
{
    uint32_t part = x->f->page_of[url];
    if (part == SHARC_DERIVED_NONE) {
        x->f->pages[i].missing++;
    } else if (x->seen[part] != i + 1) {
        x->seen[part] = (uint32_t)i + 1;
        add_part(x->f, part);
    }
}

static void embeds_of(struct finding_parts *x, size_t i, uint32_t row)
{
    struct sharc_derived *f = x->f;
    const struct sharc_derived_page *p = &f->pages[row];
    const struct sharc_download *d = p->visit == SHARC_DERIVED_NONE ? NULL : &f->all.items[p->visit];
    for (uint32_t k = 0; d && k < d->embed_count; k++) take(x, i, f->all.embeds[d->embeds + k]);
    /* What an image redirects to is seen in its place; a page that sends the reader elsewhere ends there. */
    if (d && row != i && d->target != SHARC_DERIVED_NONE) take(x, i, d->target);
}

/* The list grows while it is walked: embeds of embeds. */
static void find_parts(struct finding_parts *x, size_t i)
{
    struct sharc_derived *f = x->f;
    size_t from = f->part_count;
    x->seen[i] = (uint32_t)i + 1;
    embeds_of(x, i, (uint32_t)i);
    for (size_t k = from; k < f->part_count; k++) embeds_of(x, i, f->part[k]);
    if (f->part_count > from) qsort(f->part + from, f->part_count - from, sizeof *f->part, sharc_order_u32);
    f->pages[i].parts = (uint32_t)(f->part_count - from);
}

/* Something that a reader opens, and that is no redirect. */
static bool is_page(const struct sharc_derived *f, const struct sharc_derived_page *p)
{
    if (p->visit == SHARC_DERIVED_NONE) return false;
    const struct sharc_download *d = &f->all.items[p->visit];
    return d->status >= 200 && d->status < 300 && !(d->flags & SHARC_DOWNLOAD_EMBEDDED);
}

/* The body lies in a record that is not here: nobody knows what it embeds. */
static bool is_elsewhere(const struct sharc_derived *f, const struct sharc_derived_page *p)
{
    const struct sharc_download *d = p->visit == SHARC_DERIVED_NONE ? NULL : &f->all.items[p->visit];
    return d && (d->flags & SHARC_DOWNLOAD_REVISIT) && d->original == SHARC_DERIVED_NONE;
}

/* What is proved for another time than the rest proves nothing of the whole. */
static enum sharc_grade part_grade(const struct sharc_derived *f, const struct sharc_derived_page *p)
{
    enum sharc_grade g = is_elsewhere(f, p) ? SHARC_GRADE_UNPROVED : sharc_derived_grade(p);
    return sharc_grade_is_proof(g) && !sharc_derived_together(f, p) ? SHARC_GRADE_UNPROVED : g;
}

void sharc__derive_wholes(struct sharc_derived *f)
{
    SHARC_AUTO(sharc_freep) uint32_t *seen = SHARC_NEW_ARRAY(uint32_t, f->page_count);
    struct finding_parts x = {.f = f, .seen = seen};
    f->part_at = SHARC_NEW_ARRAY(uint32_t, f->page_count + 1);
    memset(f->wholes, 0, sizeof f->wholes);
    for (size_t i = 0; i < f->page_count; i++) {
        struct sharc_derived_page *p = &f->pages[i];
        f->part_at[i] = (uint32_t)f->part_count;
        find_parts(&x, i);
        enum sharc_grade whole = part_grade(f, p);
        for (size_t k = f->part_at[i]; k < f->part_count; k++)
            whole = sharc_grade_worse(whole, part_grade(f, &f->pages[f->part[k]]));
        if (p->missing) whole = SHARC_GRADE_UNPROVED;
        p->whole = (uint8_t)whole;
        if (is_page(f, p)) f->wholes[whole]++;
    }
    f->part_at[f->page_count] = (uint32_t)f->part_count;
}

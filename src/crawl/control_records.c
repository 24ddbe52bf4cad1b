/* SPDX-License-Identifier: Apache-2.0
 *
 * Where the records of visits and revisits are, as far as versions do not tell.
 */
#include "controls.h"

static uint64_t key(uint32_t page, bool revisit)
{
    return 2 * (uint64_t)page + revisit + 1;
}

void sharc__crawl_controls_place_again(struct controls *c, const struct record_place *p)
{
    uint64_t *number = sharc_map64_at(&c->place_of, key(p->page, p->revisit));
    if (!*number) {
        SHARC_GROW(c->places, c->place_room, c->place_count + 1);
        *number = ++c->place_count;
    }
    c->places[*number - 1] = *p;
}

static void place(struct controls *c, uint32_t page, const struct written *w, bool revisit)
{
    struct record_place p = {.page = page,
                             .file = sharc__crawl_file(c->out, w->places.response.file),
                             .offset = w->places.response.offset,
                             .revisit = revisit};
    sharc__crawl_controls_place_again(c, &p);
    sharc__crawl_note_place(c->journal, &p);
}

const struct record_place *sharc__crawl_controls_place_of(const struct controls *c, uint32_t page, bool revisit)
{
    const uint64_t *number = sharc_map64_find(&c->place_of, key(page, revisit));
    return number ? &c->places[*number - 1] : NULL;
}

/* The version knows where the bytes are. Of a record that only repeats them it does not know the head. */
void sharc__crawl_controls_visited(struct controls *c, uint32_t page, const struct written *w)
{
    if (w->any && (w->revisit || sharc__crawl_controls_place_of(c, page, false))) place(c, page, w, false);
}

void sharc__crawl_controls_revisited(struct controls *c, uint32_t page, const struct written *w)
{
    if (w->any && !w->revisit) place(c, page, w, true);
}

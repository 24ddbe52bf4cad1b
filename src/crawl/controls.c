/* SPDX-License-Identifier: Apache-2.0
 *
 * Which control download is next, and what became of it.
 */
#include "controls.h"

#include <stdlib.h>

enum { FIRSTS_MOST = 4 }; /* pairs begun on a page because the one before was torn apart */

void sharc__crawl_controls_init(struct controls *c)
{
    sharc_map64_init(&c->place_of);
}

void sharc__crawl_controls_done(struct controls *c)
{
    sharc_map64_done(&c->place_of);
    free(c->places);
    free(c->made);
    free(c->case_page);
    c->places = NULL;
    c->made = NULL;
    c->case_page = NULL;
}

/* --- where records are --------------------------------------------------------------- */

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

static const struct record_place *place_of(const struct controls *c, uint32_t page, bool revisit)
{
    const uint64_t *number = sharc_map64_find(&c->place_of, key(page, revisit));
    return number ? &c->places[*number - 1] : NULL;
}

/* The version knows where the bytes are. Of a record that only repeats them it does not know the head. */
void sharc__crawl_controls_visited(struct controls *c, uint32_t page, const struct written *w)
{
    if (w->any && (w->revisit || place_of(c, page, false))) place(c, page, w, false);
}

void sharc__crawl_controls_revisited(struct controls *c, uint32_t page, const struct written *w)
{
    if (w->any && !w->revisit) place(c, page, w, true);
}

/* --- what became of them --------------------------------------------------------------- */

static const struct control *last_made(const struct controls *c)
{
    return c->made_count ? &c->made[c->made_count - 1] : NULL;
}

/* The first of a pair whose second is still to come. */
static const struct control *half_pair(const struct controls *c)
{
    const struct control *last = last_made(c);
    return last && !c->cut_short && last->step == CONTROL_FIRST && last->file != SHARC_NO_ID ? last : NULL;
}

/* Pairs on this page that were begun, and torn apart, right before. */
static size_t firsts_in_a_row(const struct controls *c, uint32_t page)
{
    size_t n = 0;
    while (n < c->made_count && c->made[c->made_count - 1 - n].page == page &&
           c->made[c->made_count - 1 - n].step == CONTROL_FIRST)
        n++;
    return n;
}

void sharc__crawl_controls_step(const struct controls *c, struct task *t, sharc_time start, sharc_time gap_most)
{
    const struct control *first = half_pair(c);
    if (t->step != CONTROL_SECOND) return;
    if (!first || first->page != t->page || t->tries > 0 || start - first->end > gap_most) t->step = CONTROL_FIRST;
}

void sharc__crawl_controls_made_again(struct controls *c, const struct control *made)
{
    SHARC_GROW(c->made, c->made_room, c->made_count + 1);
    c->made[c->made_count++] = *made;
    c->cut_short = made->step == CONTROL_FIRST; /* unless it was made just now */
}

static void keep(struct controls *c, const struct control *made)
{
    sharc__crawl_controls_made_again(c, made);
    c->cut_short = false;
    sharc__crawl_note_control(c->journal, made);
}

void sharc__crawl_controls_made(struct controls *c, const struct job *j, const struct written *w)
{
    struct control made = {.page = j->task.page,
                           .file = SHARC_NO_ID,
                           .start = j->result->start,
                           .end = j->result->end,
                           .step = j->task.step};
    bool torn = made.step == CONTROL_FIRST && firsts_in_a_row(c, made.page) >= FIRSTS_MOST;
    if (w->any && !torn) {
        made.file = sharc__crawl_file(c->out, w->places.response.file);
        made.offset = w->places.response.offset;
    }
    keep(c, &made);
}

void sharc__crawl_controls_dropped(struct controls *c, const struct task *t)
{
    struct control made = {.page = t->page, .file = SHARC_NO_ID, .step = t->step};
    keep(c, &made);
}

void sharc__crawl_controls_end(struct controls *c)
{
    c->state = CONTROLS_OVER;
}

/* --- what is next ------------------------------------------------------------------------ */

enum controls_next sharc__crawl_controls_next(struct controls *c, struct task *ret)
{
    (void)c;
    (void)ret;
    return CONTROLS_NONE;
}

/* SPDX-License-Identifier: Apache-2.0
 *
 * The planning picker: all pages known at the first next() are ordered by the
 * row's plan function. A page that turns up later goes where the known page of
 * nearest heat stands, or, if that place has passed, comes next: in a pyramid
 * that is the longest interval left, in organ pipes the other pipe is tried
 * first.
 */
#include "schedule_int.h"

#include "sharc/base_order.h"

#include <math.h>
#include <stdlib.h>

struct neighbour {
    double heat;
    uint32_t slot;
};

struct planned {
    bool made;
    sharc_page_no *order;
    uint32_t count, at;
    uint8_t *hopeless;      /* by position, or NULL */
    double *revisit;        /* by position, or NULL */
    struct sharc_heap late; /* key: the position it should have */
    uint32_t late_seen;
    struct neighbour *by_heat; /* made when the first late page turns up */
    /* Revisit keys of late pages, by page; only with TAIL_OWN. */
    struct sharc_heap_item *late_keys;
    size_t late_keys_count, late_keys_room;
    uint32_t *position; /* of a page in `order`, only with TAIL_OWN */
};

static void *create(struct sharc_strategy *s)
{
    (void)s;
    struct planned *p = SHARC_NEW(struct planned);
    sharc_heap_init(&p->late);
    return p;
}

static void done(void *state)
{
    struct planned *p = state;
    free(p->order);
    free(p->hopeless);
    free(p->revisit);
    free(p->by_heat);
    free(p->late_keys);
    free(p->position);
    sharc_heap_done(&p->late);
    free(p);
}

static size_t bytes(const void *state)
{
    const struct planned *p = state;
    size_t each = sizeof *p->order + (p->hopeless ? 1 : 0) + (p->revisit ? sizeof *p->revisit : 0) +
                  (p->by_heat ? sizeof *p->by_heat : 0);
    return sizeof *p + p->count * each + p->late.room * sizeof *p->late.items;
}

static void make(struct sharc_strategy *s, struct planned *p)
{
    struct ranking r;
    sharc__schedule_ranking_init(&r, &s->book, PAGE_DETECTED);
    const struct row *row = ROW_OF(s->ops);
    struct plan plan = {.slot = SHARC_NEW_ARRAY(uint32_t, r.n),
                        .expected = (double)NAN,
                        .bound = (double)NAN,
                        .exact = false};
    if (s->ops->purpose == SHARC_PURPOSE_COHERENCE) plan.hopeless = SHARC_NEW_ARRAY(bool, r.n);
    if (row->tail == TAIL_OWN) plan.revisit = SHARC_NEW_ARRAY(double, r.n);
    row->plan(&r, &s->params, &plan);

    p->made = true;
    p->count = r.n;
    p->order = SHARC_NEW_ARRAY(sharc_page_no, r.n);
    if (plan.hopeless) p->hopeless = SHARC_NEW_ARRAY(uint8_t, r.n);
    if (plan.revisit) p->revisit = SHARC_NEW_ARRAY(double, r.n);
    for (uint32_t i = 0; i < r.n; i++) {
        p->order[plan.slot[i]] = r.page[i];
        if (plan.hopeless) p->hopeless[plan.slot[i]] = plan.hopeless[i];
        if (plan.revisit) p->revisit[plan.slot[i]] = plan.revisit[i];
    }
    s->expected = plan.expected;
    s->bound = plan.bound;
    s->exact = plan.exact;
    free(plan.slot);
    free(plan.hopeless);
    free(plan.revisit);
    sharc__schedule_ranking_done(&r);
}

static int by_heat(const void *a, const void *b)
{
    const struct neighbour *x = a, *y = b;
    if (x->heat < y->heat || x->heat > y->heat) return x->heat < y->heat ? -1 : 1;
    return (x->slot > y->slot) - (x->slot < y->slot);
}

static void know_neighbours(struct sharc_strategy *s, struct planned *p)
{
    if (p->by_heat || p->count == 0) return;
    p->by_heat = SHARC_NEW_ARRAY(struct neighbour, p->count);
    for (uint32_t i = 0; i < p->count; i++) {
        p->by_heat[i] = (struct neighbour){book_heat(&s->book, p->order[i]), i};
    }
    qsort(p->by_heat, p->count, sizeof *p->by_heat, by_heat);
}

/* The planned position whose page is nearest in heat. In organ pipes the nearest
 * two stand in different pipes: late pages alternate, and take the one that has
 * not passed. */
static uint32_t nearest(const struct sharc_strategy *s, const struct planned *p, double heat)
{
    size_t cooler = SHARC_COUNT_WHILE(i, p->count, p->by_heat[i].heat < heat);
    size_t above = cooler < p->count ? cooler : p->count - 1, below = cooler > 0 ? cooler - 1 : 0;
    uint32_t a = p->by_heat[above].slot, b = p->by_heat[below].slot;
    if (s->ops->purpose == SHARC_PURPOSE_BLUR || !p->hopeless) {
        uint32_t early = a < b ? a : b, late = a < b ? b : a;
        return early < p->at || p->late_seen % 2 == 1 ? late : early;
    }
    return p->by_heat[above].heat - heat <= heat - p->by_heat[below].heat ? a : b;
}

/* Among late pages with one neighbour: in pyramids the hottest of the hopeless and
 * the coldest of the hopeful first, else first come, first served. */
static uint64_t turn(const struct sharc_strategy *s, const struct planned *p, sharc_page_no page, uint32_t slot)
{
    if (s->ops->purpose == SHARC_PURPOSE_BLUR || !p->hopeless || p->count == 0) return p->late_seen;
    double heat = book_heat(&s->book, page);
    uint64_t bits;
    memcpy(&bits, &heat, sizeof bits); /* numbers >= 0 are ordered as their bits are */
    return p->hopeless[slot] ? UINT64_MAX - bits : bits;
}

static void add(struct sharc_strategy *s, sharc_page_no page)
{
    struct planned *p = s->pick;
    if (!p->made) return; /* the plan will find it in the book */
    know_neighbours(s, p);
    uint32_t slot = p->count > 0 ? nearest(s, p, book_heat(&s->book, page)) : 0;
    sharc_heap_push(&p->late, slot, turn(s, p, page, slot), page);
    p->late_seen++;
    if (ROW_OF(s->ops)->tail == TAIL_OWN) {
        SHARC_GROW(p->late_keys, p->late_keys_room, p->late_keys_count + 1);
        double key = p->revisit && p->count > 0 ? p->revisit[slot] : 0;
        p->late_keys[p->late_keys_count++] = (struct sharc_heap_item){key, slot, page};
        sharc_freep(&p->position);
    }
}

static sharc_page_no take(struct sharc_strategy *s, bool *ret_hopeless)
{
    struct planned *p = s->pick;
    if (!p->made) make(s, p);
    struct sharc_heap_item late;
    if (sharc_heap_peek(&p->late, &late) && (p->at == p->count || late.key <= p->at)) {
        sharc_heap_pop(&p->late, &late);
        *ret_hopeless = p->hopeless && p->count > 0 && p->hopeless[(uint32_t)late.key];
        return (sharc_page_no)late.value;
    }
    *ret_hopeless = p->hopeless && p->hopeless[p->at];
    return p->order[p->at++];
}

static void find_positions(struct sharc_strategy *s, struct planned *p)
{
    p->position = SHARC_NEW_ARRAY(uint32_t, s->book.room);
    for (uint32_t i = 0; i < p->count; i++) {
        p->position[p->order[i]] = i;
    }
    /* Late pages are found behind the planned ones. */
    for (size_t i = 0; i < p->late_keys_count; i++) {
        p->position[p->late_keys[i].value] = p->count + (uint32_t)i;
    }
}

static double revisit_key(struct sharc_strategy *s, sharc_page_no page)
{
    struct planned *p = s->pick;
    if (!p->position) find_positions(s, p);
    uint32_t at = p->position[page];
    return at < p->count ? p->revisit[at] : p->late_keys[at - p->count].key;
}

const struct picker sharc__schedule_pick_planned = {
    .create = create, .free = done, .add = add, .take = take, .revisit_key = revisit_key, .bytes = bytes};

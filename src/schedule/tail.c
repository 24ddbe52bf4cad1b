/* SPDX-License-Identifier: Apache-2.0
 *
 * What follows the visits. The tail is one list, made when the last page has
 * been visited: second looks, then revisits.
 *
 * The apex: in a pyramid the last download before the revisits is its own
 * revisit, so it has no place in the list.
 */
#include "schedule_int.h"

#include <math.h>
#include <stdlib.h>

#include "focus.h"

#define PLANS 8 /* parts that second looks, and revisits, are made in when beliefs guide them */

static bool to_be_revisited(const struct sharc_strategy *s, sharc_page_no p)
{
    return book_state(&s->book, p) == PAGE_VISITED;
}

static void push(struct tail *t, sharc_page_no p)
{
    t->page[t->count++] = p;
}

static void same_order(struct sharc_strategy *s)
{
    for (uint32_t i = 0; i < s->book.visits; i++) {
        if (to_be_revisited(s, s->book.order[i])) push(&s->tail, s->book.order[i]);
    }
}

/* The visits backwards, without the pages marked in skip. */
static void reversed(struct sharc_strategy *s, uint32_t from_end, const uint8_t *skip)
{
    const struct book *b = &s->book;
    for (uint32_t i = b->visits - from_end; i > 0; i--) {
        sharc_page_no p = b->order[i - 1];
        if (to_be_revisited(s, p) && !(skip && skip[p])) push(&s->tail, p);
    }
}

/* --- second looks ------------------------------------------------------------ */

/* Second looks from here on, coldest first. With beliefs the first part of them is
 * made and then all others are chosen anew: what a look finds tells about the
 * pages around. */
static void choose_looks(struct sharc_strategy *s)
{
    struct tail *t = &s->tail;
    const uint32_t budget = sharc__schedule_focus_budget(&s->book, &s->params);
    uint32_t count = 0;
    SHARC_AUTO(sharc_freep)
    sharc_page_no *hottest_first = sharc__schedule_focus_choose(&s->book, &s->params, budget - t->at, &count);
    for (uint32_t i = count; i > 0; i--) push(t, hottest_first[i - 1]);
    t->looks = t->count;
    const uint32_t part = budget / PLANS + 1;
    t->plans++;
    t->looks_closed = !s->params.believe || count == 0 || t->plans == PLANS || (count <= part && t->count == budget);
    t->renew_at = s->params.believe ? t->at + (t->looks_closed || count < part ? count : part) : 0;
}

/* The looks backwards but the last, which is the apex, then the visits backwards. */
static void revisit_reversed(struct sharc_strategy *s)
{
    struct tail *t = &s->tail;
    if (t->looks == 0) {
        reversed(s, 1, NULL);
        return;
    }
    SHARC_AUTO(sharc_freep) uint8_t *looked = SHARC_NEW_ARRAY(uint8_t, s->book.room);
    for (uint32_t i = t->looks; i > 0; i--) {
        looked[t->page[i - 1]] = 1;
        if (i < t->looks) push(t, t->page[i - 1]);
    }
    reversed(s, 0, looked);
}

/* By what is believed: what is lost comes last. */
static void revisit_by_belief(struct sharc_strategy *s)
{
    struct tail *t = &s->tail;
    uint32_t count = 0;
    const sharc_page_no apex = t->looks > 0 ? t->page[t->looks - 1] : s->book.order[s->book.visits - 1];
    SHARC_AUTO(sharc_freep) sharc_page_no *order = sharc__schedule_focus_revisits(&s->book, &s->params, apex, &count);
    for (uint32_t i = 0; i < count; i++) push(t, order[i]);
    t->renew_at = t->at + s->book.visits / PLANS + 1;
}

static void focus(struct sharc_strategy *s)
{
    struct tail *t = &s->tail;
    t->count = t->at;
    if (!t->looks_closed) choose_looks(s);
    if (s->params.believe && t->looks_closed && t->at >= t->looks)
        revisit_by_belief(s);
    else
        revisit_reversed(s);
}

struct keyed {
    double key;
    uint32_t visit; /* position of the visit; ties: the later visit first */
};

static int by_key(const void *a, const void *b)
{
    const struct keyed *x = a, *y = b;
    if (x->key < y->key || x->key > y->key) return x->key < y->key ? -1 : 1;
    return (x->visit < y->visit) - (x->visit > y->visit);
}

static void own_order(struct sharc_strategy *s)
{
    SHARC_AUTO(sharc_freep) struct keyed *items = SHARC_NEW_ARRAY(struct keyed, s->book.visits);
    size_t n = 0;
    for (uint32_t i = 0; i + 1 < s->book.visits; i++) {
        sharc_page_no p = s->book.order[i];
        if (to_be_revisited(s, p)) items[n++] = (struct keyed){s->picker->revisit_key(s, p), i};
    }
    qsort(items, n, sizeof *items, by_key);
    for (size_t i = 0; i < n; i++) {
        push(&s->tail, s->book.order[items[i].visit]);
    }
}

void sharc__schedule_tail_make(struct sharc_strategy *s)
{
    free(s->tail.page);
    /* Second looks stand twice in the list. */
    size_t room = s->book.visits;
    enum tail_kind kind = ROW_OF(s->ops)->tail;
    if (kind == TAIL_FOCUS) room *= 2;
    s->tail = (struct tail){.page = SHARC_NEW_ARRAY(sharc_page_no, room)};
    switch (kind) {
    case TAIL_FIFO: same_order(s); break;
    case TAIL_LIFO:
        if (s->book.visits > 0) reversed(s, 1, NULL);
        break;
    case TAIL_FOCUS:
        if (s->book.visits > 0) focus(s);
        break;
    case TAIL_OWN: own_order(s); break;
    case TAIL_NONE: break;
    }
    if (!s->tail.renew_at) s->tail.page = sharc_realloc(s->tail.page, s->tail.count, sizeof *s->tail.page);
}

void sharc__schedule_tail_renew(struct sharc_strategy *s)
{
    focus(s);
}

/* Downloads before the tail, failed visits included: they took slots too. */
static uint32_t first_slot_of_tail(const struct sharc_strategy *s)
{
    return s->slots - s->looks - s->revisits - (s->phase == PHASE_LATE ? (uint32_t)s->late_at : 0);
}

double sharc__schedule_tail_expected(const struct sharc_strategy *s)
{
    if (ROW_OF(s->ops)->tail == TAIL_NONE) return (double)NAN;
    const struct book *b = &s->book;
    uint32_t start = first_slot_of_tail(s);
    double sum = 0;
    /* The apex, if there is one and its download did not fail. */
    sharc_page_no last = s->tail.looks > 0 ? s->tail.page[s->tail.looks - 1] : b->visits > 0 ? b->order[start - 1] : 0;
    if (ROW_OF(s->ops)->tail != TAIL_FIFO && start > 0 && to_be_revisited(s, last)) sum += book_weight(b, last);
    /* A page of the second looks is compared with that look. */
    SHARC_AUTO(sharc_freep) uint32_t *look = s->tail.looks > s->tail.at ? SHARC_NEW_ARRAY(uint32_t, b->room) : NULL;
    for (uint32_t i = s->tail.at; i < s->tail.looks; i++) look[s->tail.page[i]] = start + i;
    for (uint32_t i = s->tail.looks; i < s->tail.count; i++) {
        sharc_page_no p = s->tail.page[i];
        uint32_t seen = look && look[p] ? look[p] : b->slot[p];
        sum += book_weight(b, p) * exp(-b->rate[p] * (start + i - seen));
    }
    return sum;
}

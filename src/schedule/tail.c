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

static bool to_be_revisited(const struct sharc_strategy *s, sharc_page p)
{
    return book_state(&s->book, p) == PAGE_VISITED;
}

static void push(struct tail *t, sharc_page p)
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
        sharc_page p = b->order[i - 1];
        if (to_be_revisited(s, p) && !(skip && skip[p])) push(&s->tail, p);
    }
}

static void focus(struct sharc_strategy *s)
{
    uint32_t count = 0;
    AUTO(sharc_freep) sharc_page *hottest_first = sharc__schedule_focus_choose(&s->book, &s->params, &count);
    if (count == 0) {
        reversed(s, 1, NULL);
        return;
    }
    AUTO(sharc_freep) uint8_t *chosen = SHARC_NEW_ARRAY(uint8_t, s->book.room);
    for (uint32_t i = count; i > 0; i--) {
        push(&s->tail, hottest_first[i - 1]);
        chosen[hottest_first[i - 1]] = 1;
    }
    s->tail.looks = count;
    for (uint32_t i = 1; i < count; i++) {
        push(&s->tail, hottest_first[i]);
    }
    reversed(s, 0, chosen);
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
    AUTO(sharc_freep) struct keyed *items = SHARC_NEW_ARRAY(struct keyed, s->book.visits);
    size_t n = 0;
    for (uint32_t i = 0; i + 1 < s->book.visits; i++) {
        sharc_page p = s->book.order[i];
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
    s->tail = (struct tail){.page = SHARC_NEW_ARRAY(sharc_page, room)};
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
    s->tail.page = sharc_realloc(s->tail.page, s->tail.count, sizeof *s->tail.page);
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
    sharc_page last = s->tail.looks > 0 ? s->tail.page[s->tail.looks - 1] : b->visits > 0 ? b->order[start - 1] : 0;
    if (ROW_OF(s->ops)->tail != TAIL_FIFO && start > 0 && to_be_revisited(s, last)) sum += book_weight(b, last);
    /* A page of the second looks is compared with that look, at start + i. */
    for (uint32_t i = s->tail.looks; i < s->tail.count; i++) {
        sharc_page p = s->tail.page[i];
        uint32_t seen = b->slot[p];
        uint32_t inner = i - s->tail.looks;
        if (s->tail.looks > 0 && inner + 1 < s->tail.looks) seen = start + s->tail.looks - 2 - inner;
        sum += book_weight(b, p) * exp(-b->rate[p] * (start + i - seen));
    }
    return sum;
}

/* SPDX-License-Identifier: Apache-2.0
 *
 * The signature of the spot of one token, and whether it can be a time or a counter.
 */
#include "evidence_int.h"

enum { LOOK_AROUND = 6 };

uint64_t sharc__evidence_norm(const struct sharc__item *it)
{
    enum sharc__look look = sharc__evidence_look(it);
    switch ((int)look) {
    case LOOK_NUMBER: return '#';
    case LOOK_RANDOM: return '*';
    case LOOK_TIME: return 'T';
    default: return sharc_fingerprint(sharc_span_trim(sharc_span(it->p, it->n)), 21);
    }
}

/* What stands at one side of an item inside its leaf: the next token, and the next word. */
static uint64_t side(const struct sharc__document *d, uint32_t item, int step)
{
    const struct sharc__leaf *l = &d->leaves[d->items[item].leaf];
    int64_t from = l->first, to = (int64_t)l->first + l->count;
    uint64_t next = 1, word = 2;
    unsigned seen = 0;
    for (int64_t i = (int64_t)item + step; i >= from && i < to && seen < LOOK_AROUND; i += step) {
        const struct sharc__item *it = &d->items[i];
        enum sharc__look look = sharc__evidence_look(it);
        if (look == LOOK_SPACE) continue;
        if (seen++ == 0) next = sharc__evidence_norm(it);
        if (look != LOOK_WORD) continue;
        word = sharc__evidence_norm(it);
        break;
    }
    return sharc__evidence_mix(next, word);
}

uint64_t sharc__evidence_spot(const struct sharc__document *d, uint32_t item)
{
    const struct sharc__leaf *l = &d->leaves[d->items[item].leaf];
    uint64_t around = sharc__evidence_mix(side(d, item, -1), side(d, item, 1));
    return sharc__evidence_mix(l->loose, around);
}

uint64_t sharc__evidence_leaf_place(uint64_t loose)
{
    return sharc__evidence_mix(loose, UINT64_C(0x776f726473));
}

uint64_t sharc__evidence_order_place(uint64_t loose)
{
    return sharc__evidence_mix(loose, UINT64_C(0x6f72646572));
}

uint64_t sharc__evidence_value(const struct sharc__item *items, size_t n)
{
    uint64_t v = n ? 0x51 : 0;
    for (size_t i = 0; i < n; i++) v = sharc__evidence_mix(v, items[i].print);
    return v;
}

static bool is_beside_amount(const struct sharc__document *d, uint32_t item, int step)
{
    const struct sharc__leaf *l = &d->leaves[d->items[item].leaf];
    int64_t i = (int64_t)item + step;
    if (i < l->first || i >= (int64_t)l->first + l->count) return false;
    const struct sharc__item *it = &d->items[i];
    return sharc__evidence_is_amount(sharc_span(it->p, it->n));
}

static bool is_beside_time(const struct sharc__document *d, uint32_t item, int step)
{
    const struct sharc__leaf *l = &d->leaves[d->items[item].leaf];
    int64_t i = (int64_t)item + step;
    return i >= l->first && i < (int64_t)l->first + l->count && sharc__evidence_look(&d->items[i]) == LOOK_TIME;
}

/* 12:05, 2026-11-16, 0.25s */
static bool is_clock(struct sharc_span s)
{
    size_t colons = 0, dashes = 0, letters = 0;
    for (size_t i = 0; i < s.n; i++) {
        bool between = i && i + 1 < s.n && sharc_is_digit(s.p[i - 1]) && sharc_is_digit(s.p[i + 1]);
        colons += between && s.p[i] == ':';
        dashes += between && s.p[i] == '-';
        letters += sharc_is_alpha(s.p[i]);
    }
    return colons || dashes == 2 || letters;
}

unsigned sharc__evidence_slow(const struct sharc__document *d, uint32_t item)
{
    const struct sharc__item *it = &d->items[item];
    struct sharc_span s = sharc_span(it->p, it->n);
    enum sharc__look look = sharc__evidence_look(it);
    if (look == LOOK_TIME) return 2;
    if (look != LOOK_NUMBER || sharc__evidence_is_amount(s) || is_beside_amount(d, item, -1) ||
        is_beside_amount(d, item, 1))
        return 0;
    return is_clock(s) || is_beside_time(d, item, -1) || is_beside_time(d, item, 1) ? 2 : 1;
}

/* SPDX-License-Identifier: Apache-2.0
 *
 * A page with everything it embeds: the four states of the literature, and the instants
 * that the known intervals of all parts share.
 */
#include "quality_int.h"

#include "sharc/quality_composite.h"

#include <math.h>
#include <stdlib.h>

/* --- words ----------------------------------------------------------------------------- */

static const struct {
    const char *word, *text;
} memento_states[] =
    {
#define X(name, word, text) {word, text},
        SHARC_MEMENTO_STATES(X)
#undef X
},
  part_states[] = {
#define X(name, word, text) {word, text},
      SHARC_PART_STATES(X)
#undef X
};

static const struct {
    enum sharc_memento_state state;
    const char *word, *text;
} patterns[] = {
#define X(name, state, word, text) {SHARC_MEMENTO_##state, word, text},
    SHARC_MEMENTO_PATTERNS(X)
#undef X
};

static const struct {
    enum sharc_part_state state;
    const char *word, *text;
} reasons[] = {
#define X(name, state, word, text) {SHARC_PART_##state, word, text},
    SHARC_PART_REASONS(X)
#undef X
};

enum sharc_memento_state sharc_memento_state_of(enum sharc_memento_pattern p)
{
    return p < SHARC_LENGTH(patterns) ? patterns[p].state : SHARC_MEMENTO_VIOLATIVE;
}
const char *sharc_memento_state_word(enum sharc_memento_state s)
{
    return s < SHARC_LENGTH(memento_states) ? memento_states[s].word : "";
}
const char *sharc_memento_state_text(enum sharc_memento_state s)
{
    return s < SHARC_LENGTH(memento_states) ? memento_states[s].text : "";
}
const char *sharc_memento_pattern_word(enum sharc_memento_pattern p)
{
    return p < SHARC_LENGTH(patterns) ? patterns[p].word : "";
}
const char *sharc_memento_pattern_text(enum sharc_memento_pattern p)
{
    return p < SHARC_LENGTH(patterns) ? patterns[p].text : "";
}
enum sharc_part_state sharc_part_state_of(enum sharc_part_reason r)
{
    return r < SHARC_LENGTH(reasons) ? reasons[r].state : SHARC_PART_OPEN;
}
const char *sharc_part_state_word(enum sharc_part_state s)
{
    return s < SHARC_LENGTH(part_states) ? part_states[s].word : "";
}
const char *sharc_part_state_text(enum sharc_part_state s)
{
    return s < SHARC_LENGTH(part_states) ? part_states[s].text : "";
}
const char *sharc_part_reason_word(enum sharc_part_reason r)
{
    return r < SHARC_LENGTH(reasons) ? reasons[r].word : "";
}
const char *sharc_part_reason_text(enum sharc_part_reason r)
{
    return r < SHARC_LENGTH(reasons) ? reasons[r].text : "";
}

/* --- as Ainsworth, Nelson, Van de Sompel -------------------------------------------------- */

enum sharc_memento_pattern sharc_quality_pattern_of(const struct sharc_known *known, const struct sharc_sighting *shown,
                                                    sharc_time begun, sharc_time ended)
{
    const struct sharc_part p = {.known = *known, .rate = (double)NAN};
    double probability;
    /* Strictly: two that were dated by the same second are not known to have met. */
    if (begun < shown->begun && shown->ended < ended) return SHARC_PATTERN_WITHIN;
    bool right = shown->begun > begun;
    bool order = shown->begun > ended || shown->ended < begun; /* it is known which of them came first */
    switch (sharc_quality_part(&p, begun, ended, &probability)) {
    case SHARC_PART_BY_EQUAL:
    case SHARC_PART_BY_AT_ONCE:
    case SHARC_PART_BY_NOT_MODIFIED: return SHARC_PATTERN_SAME_BODY;
    case SHARC_PART_BY_MODIFIED: return SHARC_PATTERN_RIGHT_BRACKET;
    case SHARC_PART_BY_NEWER: return SHARC_PATTERN_NEWER;
    case SHARC_PART_BY_OTHER: return right ? SHARC_PATTERN_RIGHT_CHANGED : SHARC_PATTERN_OTHER;
    case SHARC_PART_BY_SEEN_BEFORE:
    case SHARC_PART_BY_SEEN_AFTER:
        if (!order) return SHARC_PATTERN_SAME_TIME;
        return right ? SHARC_PATTERN_RIGHT : SHARC_PATTERN_LEFT;
    case SHARC_PART_BY_CHANGED_AROUND: return right ? SHARC_PATTERN_RIGHT_CHANGED : SHARC_PATTERN_LEFT_CHANGED;
    case SHARC_PART_REASON_COUNT: break;
    }
    return SHARC_PATTERN_NEWER;
}

/* --- as sharc ------------------------------------------------------------------------------- */

/* Where the intervals overlap: lo <= hi if all of them do. */
struct overlap {
    sharc_time lo, hi;
};

static void narrow(struct overlap *o, sharc_time from, sharc_time to)
{
    if (from > o->lo) o->lo = from;
    if (to < o->hi) o->hi = to;
}

struct edge {
    sharc_time at;
    bool leaves; /* behind `at` */
};

static int by_time(const void *a, const void *b)
{
    const struct edge *x = a, *y = b;
    if (x->at != y->at) return x->at < y->at ? -1 : 1;
    return (int)x->leaves - (int)y->leaves;
}

/* Parts that are known throughout the root's download; at first the root alone. */
static void around_root(const struct sharc_part *parts, size_t n, struct sharc_composite *ret)
{
    const struct sharc_known *root = &parts[0].known;
    ret->together = 1;
    ret->from = root->seen_from;
    ret->to = root->seen_to;
    if (root->from <= root->to) return;
    for (size_t i = 1; i < n; i++)
        ret->together += parts[i].known.from <= root->seen_from && root->seen_to <= parts[i].known.to;
}

/* A part that is known at no certain instant shares none with others. */
static void heaviest(const struct sharc_part *parts, size_t n, struct sharc_composite *ret)
{
    SHARC_AUTO(sharc_freep) struct edge *edges = SHARC_NEW_ARRAY(struct edge, 2 * n);
    size_t count = 0, now = 0;
    around_root(parts, n, ret);
    for (size_t i = 0; i < n; i++) {
        const struct sharc_known *k = &parts[i].known;
        if (k->from > k->to) continue;
        edges[count++] = (struct edge){k->from, false};
        edges[count++] = (struct edge){k->to, true};
    }
    qsort(edges, count, sizeof *edges, by_time);
    for (size_t i = 0; i < count; i++) {
        now = edges[i].leaves ? now - 1 : now + 1;
        if (edges[i].leaves || now <= ret->together) continue;
        ret->together = now;
        ret->from = edges[i].at;
        ret->to = edges[i + 1].at; /* the next event is the first that leaves, or makes a heavier set */
    }
}

static double chance_at(const struct sharc_part *parts, size_t n, sharc_time at)
{
    double product = 1, p;
    for (size_t i = 0; i < n; i++) {
        sharc_quality_part(&parts[i], at, at, &p);
        if (p == 0) return 0; /* whatever the rates of the others */
        product *= p;
    }
    return product;
}

/* At the instant of the heaviest set; if one of the others cannot have existed then, at the best of some instants at
 * which a part is known. */
static double chance(const struct sharc_part *parts, size_t n, sharc_time at)
{
    enum { TRIED = 32 };
    double best = chance_at(parts, n, at);
    for (size_t i = 0; best == 0 && i < n && i < TRIED; i++) {
        double from = chance_at(parts, n, parts[i].known.from), to = chance_at(parts, n, parts[i].known.to);
        if (isnan(from) || isnan(to)) return (double)NAN;
        best = fmax(from, to);
    }
    return best;
}

/* The root was there at some instant of its download. If that is all that is known of it, the others must be known
 * throughout. */
static bool holds(const struct overlap *others, sharc_time from, sharc_time to, const struct sharc_known *root,
                  struct overlap *ret)
{
    *ret = *others;
    if (from <= to) {
        narrow(ret, from, to);
        return ret->lo <= ret->hi;
    }
    *ret = (struct overlap){root->seen_from, root->seen_to};
    return others->lo <= root->seen_from && root->seen_to <= others->hi;
}

void sharc_quality_composite(const struct sharc_part *parts, size_t n, struct sharc_composite *ret)
{
    const struct sharc_known *root = &parts[0].known;
    struct overlap known = {INT64_MIN, INT64_MAX}, proven = known, possible = {root->possible_from, root->possible_to};
    struct overlap all;
    SHARC_ASSERT(n > 0);
    for (size_t i = 1; i < n; i++) {
        const struct sharc_known *k = &parts[i].known;
        narrow(&known, k->from, k->to);
        narrow(&proven, k->proven_from, k->proven_to);
        narrow(&possible, k->possible_from, k->possible_to);
    }
    *ret = (struct sharc_composite){.parts = n, .together = n, .probability = 1};
    bool downloaded = root->proven_from != INT64_MAX; /* the root itself, not only the server's word for it */
    if (downloaded && holds(&proven, root->proven_from, root->proven_to, root, &all)) {
        ret->state = SHARC_PART_PROVEN;
    } else if (holds(&known, root->from, root->to, root, &all)) {
        ret->state = SHARC_PART_ATTESTED;
    } else {
        /* Both ends are exclusive: an instant strictly between them is needed. */
        bool none = possible.lo != INT64_MIN && possible.hi != INT64_MAX && possible.lo >= possible.hi - 1;
        narrow(&known, root->from, root->to);
        ret->state = none ? SHARC_PART_REFUTED : SHARC_PART_OPEN;
        ret->apart = known.lo - known.hi;
        heaviest(parts, n, ret);
        ret->probability = none ? 0 : chance(parts, n, ret->from);
        return;
    }
    ret->from = all.lo;
    ret->to = all.hi;
}

sharc_time sharc_quality_quantile(const sharc_time *sorted, size_t n, double q)
{
    double at = ceil(q * (double)n) - 1;
    return sorted[at < 0 ? 0 : at >= (double)n ? n - 1 : (size_t)at];
}

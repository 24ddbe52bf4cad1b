/* SPDX-License-Identifier: Apache-2.0
 *
 * What the downloads of one URL tell about the time around them: where its content is
 * known to have existed, and where it may have.
 */
#include "quality_int.h"

#include "sharc/base_order.h"
#include "sharc/quality_composite.h"

#include <math.h>

enum relation { SAME, ALIKE, OTHER, NOTHING };

/* Other bytes with the same text, or digests that cannot be compared: the run of equal bytes ends there, and yet it is
 * no proof of a change (a server that compresses anew, a token). */
static enum relation relation(const struct sharc_sighting *a, const struct sharc_sighting *b)
{
    if (b->body == 0) return NOTHING;
    if (a->body == b->body) return SAME;
    if (a->method != b->method && a->method != 0 && b->method != 0) return ALIKE;
    return a->text != 0 && a->text == b->text ? ALIKE : OTHER;
}

bool sharc_quality_is_date(sharc_time modified, sharc_time begun)
{
    if (modified == SHARC_TIME_NONE || modified > begun) return false;
    struct sharc_date d = sharc_date_of(modified);
    if (d.year < 1991) return false;
    return !(d.month == 1 && d.day == 1 && d.hour == 0 && d.minute == 0 && d.second == 0);
}

/* The run of equal content around `shown`, and what ends it. */
struct run {
    size_t first, last;     /* sightings of the content, others between them are failures */
    sharc_time other_ended; /* end of the last sighting before that shows something else, be it alike; INT64_MIN */
    sharc_time other_begun;
};

static void extend_back(const struct sharc_sighting *s, size_t shown, struct run *run, struct sharc_known *k)
{
    bool whole = true;
    run->first = shown;
    for (size_t i = shown; i-- > 0;) {
        enum relation r = relation(&s[shown], &s[i]);
        if (r == NOTHING) continue;
        if (r == SAME) {
            if (whole) run->first = i;
            continue;
        }
        if (whole) {
            run->other_ended = s[i].ended;
            run->other_begun = s[i].begun;
        }
        whole = false;
        if (r == ALIKE) continue;
        k->possible_from = s[i].begun;
        return;
    }
}

static void extend_ahead(const struct sharc_sighting *s, size_t n, size_t shown, struct run *run, struct sharc_known *k)
{
    bool whole = true;
    run->last = shown;
    for (size_t i = shown + 1; i < n; i++) {
        enum relation r = relation(&s[shown], &s[i]);
        if (r == SAME && whole) run->last = i;
        if (r == ALIKE) whole = false;
        if (r != OTHER) continue;
        k->possible_to = s[i].ended;
        return;
    }
}

/* The earliest Last-Modified of the run counts: later ones only say that the file was touched. */
static void use_modified(const struct sharc_sighting *s, const struct run *run, struct sharc_known *k)
{
    sharc_time least = SHARC_TIME_NONE, begun = 0;
    for (size_t i = run->first; i <= run->last; i++) {
        if (s[i].body == 0 || s[i].modified == SHARC_TIME_NONE) continue;
        if (least != SHARC_TIME_NONE && s[i].modified >= least) continue;
        least = s[i].modified;
        begun = s[i].begun;
    }
    if (least == SHARC_TIME_NONE) return;
    sharc_time since = least + SHARC_QUALITY_CLOCK + SHARC_SEC,
               before = least - SHARC_QUALITY_CLOCK - 1; /* exclusive */
    if (run->other_ended != INT64_MIN && since < run->other_ended) {
        k->contradicted = since < run->other_begun;
        return;
    }
    if (since <= begun && since < k->from) {
        k->from = since;
        if (k->to < begun) k->to = begun;
        k->by_modified = true;
    }
    if (before <= k->seen_from && before > k->possible_from) {
        k->possible_from = before;
        k->possible_by_modified = true;
    }
}

void sharc_quality_known(const struct sharc_sighting *s, size_t n, size_t shown, struct sharc_known *ret)
{
    struct run run = {.other_ended = INT64_MIN, .other_begun = INT64_MIN};
    struct sharc_known k = {.possible_from = INT64_MIN,
                            .possible_to = INT64_MAX,
                            .proven_from = INT64_MAX,
                            .proven_to = INT64_MIN,
                            .from = INT64_MAX,
                            .to = INT64_MIN,
                            .seen_to = INT64_MIN};
    SHARC_ASSERT(shown < n && s[shown].body != 0);
    extend_back(s, shown, &run, &k);
    extend_ahead(s, n, shown, &run, &k);
    k.seen_from = s[run.first].begun;
    for (size_t i = run.first; i <= run.last; i++) {
        if (s[i].body == 0) continue;
        if (s[i].ended > k.seen_to) k.seen_to = s[i].ended;
        if (s[i].ended < k.from) k.from = s[i].ended;
        if (s[i].begun > k.to) k.to = s[i].begun;
        if (s[i].word) continue;
        if (s[i].ended < k.proven_from) k.proven_from = s[i].ended;
        if (s[i].begun > k.proven_to) k.proven_to = s[i].begun;
    }
    k.by_word = k.from < k.proven_from || k.to > k.proven_to;
    use_modified(s, &run, &k);
    *ret = k;
}

static sharc_time distance(const struct sharc_sighting *s, sharc_time at)
{
    return at < s->begun ? s->begun - at : at > s->ended ? at - s->ended : 0;
}

size_t sharc_quality_same_nearest(const struct sharc_sighting *s, size_t n, size_t shown, sharc_time at)
{
    size_t best = shown;
    for (size_t i = 0; i < n; i++)
        if (s[i].body == s[shown].body && distance(&s[i], at) < distance(&s[best], at)) best = i;
    return best;
}

size_t sharc_quality_nearest_sighting(const struct sharc_sighting *s, size_t n, sharc_time at)
{
    size_t before = SHARC_COUNT_WHILE(i, n, s[i].begun <= at), after = before;
    while (before > 0 && s[before - 1].body == 0) before--;
    while (after < n && s[after].body == 0) after++;
    if (before == 0) return after < n ? after : SIZE_MAX;
    if (after == n) return before - 1;
    return distance(&s[after], at) < distance(&s[before - 1], at) ? after : before - 1;
}

/* --- one part at one instant ------------------------------------------------------- */

static bool covers(sharc_time from, sharc_time to, sharc_time a, sharc_time b)
{
    return from <= a && b <= to;
}

/* How long the content must have stood beyond what is known of it, at worst. */
static sharc_time beyond(const struct sharc_known *k, sharc_time a, sharc_time b)
{
    if (k->from > k->to) {
        sharc_time lo = k->seen_from < a ? k->seen_from : a, hi = k->seen_to > b ? k->seen_to : b;
        return hi - lo;
    }
    return (a < k->from ? k->from - a : 0) + (b > k->to ? b - k->to : 0);
}

/* It is known to have changed within a gap: the chance that it had not yet, given that. */
static double before_change(double rate, double length, double gap)
{
    double all = -expm1(-rate * gap);
    if (isnan(all)) return all;
    if (!(all > 0)) return gap > 0 ? fmax(1 - length / gap, 0) : 0;
    return fmax((exp(-rate * length) - exp(-rate * gap)) / all, 0);
}

static enum sharc_part_reason open_part(const struct sharc_part *p, sharc_time a, sharc_time b, double *ret)
{
    const struct sharc_known *k = &p->known;
    sharc_time length = beyond(k, a, b);
    bool later = b > k->seen_to || (k->from <= k->to && b > k->to);
    bool other = later ? k->possible_to != INT64_MAX : k->possible_from != INT64_MIN && !k->possible_by_modified;
    if (!other) {
        *ret = exp(-p->rate * sharc_time_seconds(length));
        return later ? SHARC_PART_BY_SEEN_BEFORE : SHARC_PART_BY_SEEN_AFTER;
    }
    sharc_time gap = later ? k->possible_to - k->seen_from : k->seen_to - k->possible_from;
    if (k->from <= k->to) gap = later ? k->possible_to - k->to : k->from - k->possible_from;
    *ret = before_change(p->rate, sharc_time_seconds(length), sharc_time_seconds(gap));
    return SHARC_PART_BY_CHANGED_AROUND;
}

enum sharc_part_reason sharc_quality_part(const struct sharc_part *p, sharc_time from, sharc_time to,
                                          double *ret_probability)
{
    const struct sharc_known *k = &p->known;
    *ret_probability = 1;
    if (covers(k->proven_from, k->proven_to, from, to))
        return k->proven_from < k->proven_to ? SHARC_PART_BY_EQUAL : SHARC_PART_BY_AT_ONCE;
    if (covers(k->from, k->to, from, to))
        return k->by_modified && from < k->proven_from ? SHARC_PART_BY_MODIFIED : SHARC_PART_BY_NOT_MODIFIED;
    *ret_probability = 0;
    if (to <= k->possible_from) return k->possible_by_modified ? SHARC_PART_BY_NEWER : SHARC_PART_BY_OTHER;
    if (from >= k->possible_to) return SHARC_PART_BY_OTHER;
    return open_part(p, from, to, ret_probability);
}

double sharc_quality_excursion(double rate, double length)
{
    double x = rate * length;
    if (isnan(x)) return x;
    if (x <= 0) return 0;
    return fmax(-expm1(-x) - x * exp(-x), 0);
}

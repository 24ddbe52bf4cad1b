/* SPDX-License-Identifier: Apache-2.0
 *
 * Claims held against the log of the truth.
 */
#include "truth_int.h"

#include <stdlib.h>

#define SLACK (20 * SHARC_MSEC) /* clocks of two processes may differ by this: each reads the wall clock once */
#define EDGE (5 * SHARC_MSEC)   /* and ends of intervals are taken this exactly */
#define UNKNOWN_LENGTH SHARC_SEC

/* --- which versions a look may have seen ----------------------------------------------- */

struct range {
    size_t first, last; /* indexes into the facts of a path; first > last: none */
};

/* The version that was there at `when`; 0 when that was before the log begins. */
static size_t version_at(const struct sharc_lab_fact *f, size_t n, sharc_time when)
{
    size_t low = 0, high = n; /* f[low].when <= when < f[high].when, if low > 0 */
    while (high - low > 1) {
        size_t middle = low + (high - low) / 2;
        if (f[middle].when <= when)
            low = middle;
        else
            high = middle;
    }
    return low;
}

static struct range alive(const struct sharc_lab_fact *f, size_t n, const struct sharc_lab_look *look)
{
    sharc_time took = look->took < 0 ? UNKNOWN_LENGTH : look->took;
    return (struct range){version_at(f, n, look->when - SLACK), version_at(f, n, look->when + took + SLACK)};
}

static bool has_digest(const struct sharc_lab_look *look)
{
    return look->found && look->digest.n > 0 && look->digest.kind == SHARC_SHA256;
}

static bool in_time(sharc_time when, const struct sharc_lab_look *look)
{
    sharc_time took = look->took < 0 ? UNKNOWN_LENGTH : look->took;
    return when >= look->when - SLACK && when <= look->when + took + SLACK;
}

static bool same_body(const struct lab_answer *a, const struct sharc_lab_look *look)
{
    return sharc_digest_eq(&a->digest, &look->digest) || sharc_digest_eq(&a->coded, &look->digest);
}

static size_t index_of(const struct sharc_lab_fact *f, size_t n, uint32_t version)
{
    size_t low = 0, high = n;
    while (high - low > 1) {
        size_t middle = low + (high - low) / 2;
        *(f[middle].version <= version ? &low : &high) = middle;
    }
    return low;
}

/* By the answers that the site wrote down; false: it did not, or none fits. */
static bool answered(const struct sharc_lab_truth *t, struct sharc_span path, const struct sharc_lab_fact *f, size_t n,
                     const struct sharc_lab_look *look, struct range *ret)
{
    size_t count = 0;
    const struct lab_answer *a = sharc__lab_truth_answers(t, path, &count);
    bool any = false;
    for (size_t i = 0; i < count; i++) {
        bool fits = look->confirmed ? a[i].confirmed : has_digest(look) && same_body(&a[i], look);
        if (!fits || !in_time(a[i].when, look)) continue;
        size_t k = index_of(f, n, a[i].version);
        if (!any || k < ret->first) ret->first = k;
        if (!any || k > ret->last) ret->last = k;
        any = true;
    }
    return any;
}

/* Narrowed down by what came: the body's digest, or that there was none. */
static struct range possible(const struct sharc_lab_truth *t, struct sharc_span path, const struct sharc_lab_fact *f,
                             size_t n, const struct sharc_lab_look *look)
{
    struct range all = alive(f, n, look), fit = {1, 0};
    if (answered(t, path, f, n, look, &fit)) return fit;
    for (size_t i = all.first; i <= all.last; i++) {
        bool fits = f[i].exists == look->found &&
                    (look->confirmed || !has_digest(look) || sharc_digest_eq(&f[i].digest, &look->digest));
        if (!fits) continue;
        if (fit.first > fit.last) fit.first = i;
        fit.last = i;
    }
    return fit.first > fit.last ? all : fit;
}

static enum sharc_lab_body_check check_answers(const struct lab_answer *a, size_t n, const struct sharc_lab_look *look)
{
    enum sharc_lab_body_check found = SHARC_LAB_BODY_WRONG;
    for (size_t i = 0; i < n; i++) {
        if (!same_body(&a[i], look)) continue;
        if (in_time(a[i].when, look)) return SHARC_LAB_BODY_RIGHT;
        found = SHARC_LAB_BODY_LATE;
    }
    return found;
}

enum sharc_lab_body_check sharc_lab_check_body(const struct sharc_lab_truth *t, struct sharc_span path,
                                               const struct sharc_lab_look *look)
{
    size_t n = 0, answers = 0;
    const struct sharc_lab_fact *f = sharc_lab_truth_of(t, path, &n);
    const struct lab_answer *a = sharc__lab_truth_answers(t, path, &answers);
    if (!f || !has_digest(look) || (answers > 0 && look->confirmed)) return SHARC_LAB_BODY_UNKNOWN;
    if (answers > 0) return check_answers(a, answers, look);
    struct range now = alive(f, n, look);
    enum sharc_lab_body_check found = SHARC_LAB_BODY_WRONG;
    for (size_t i = 0; i < n; i++) {
        if (!sharc_digest_eq(&f[i].digest, &look->digest)) continue;
        if (i >= now.first && i <= now.last) return SHARC_LAB_BODY_RIGHT;
        found = SHARC_LAB_BODY_LATE;
    }
    return found;
}

/* --- claims ------------------------------------------------------------------------------- */

const char *sharc_lab_finding_text(enum sharc_lab_finding f)
{
    static const char *const text[] = {
        [SHARC_LAB_UNCHANGED] = "unchanged, as it was",
        [SHARC_LAB_CHANGED] = "changed, as it had",
        [SHARC_LAB_FALSE_UNCHANGED] = "called unchanged, but had changed",
        [SHARC_LAB_FALSE_CHANGED] = "called changed, but had not",
        [SHARC_LAB_UNCERTAIN] = "changed during a download",
        [SHARC_LAB_NOT_IN_LOG] = "not in the log",
    };
    return (size_t)f < SHARC_LENGTH(text) ? text[f] : "";
}

/* Does the page say something else in version b than in version a? */
static bool changed_between(const struct sharc_lab_fact *f, size_t a, size_t b)
{
    return f[a].state != f[b].state || f[a].exists != f[b].exists;
}

enum sharc_lab_finding sharc_lab_judge(const struct sharc_lab_truth *t, struct sharc_span path,
                                       const struct sharc_lab_look *before, const struct sharc_lab_look *after,
                                       bool said_changed)
{
    struct sharc_lab_between b = sharc_lab_between(t, path, before, after);
    if (!b.known) return SHARC_LAB_NOT_IN_LOG;
    if (!b.certain) return SHARC_LAB_UNCERTAIN;
    if (said_changed) return b.edited ? SHARC_LAB_CHANGED : SHARC_LAB_FALSE_CHANGED;
    return b.edited ? SHARC_LAB_FALSE_UNCHANGED : SHARC_LAB_UNCHANGED;
}

/* Do all versions that may have been seen then and now agree on whether it is another? */
static bool agree(const struct sharc_lab_fact *f, struct range a, struct range b, bool edited)
{
    for (size_t i = a.first; i <= a.last; i++)
        for (size_t k = b.first; k <= b.last; k++)
            if (changed_between(f, i, k) != edited) return false;
    return true;
}

/* The digest of what a look saw, all codings undone: a site that codes content writes it down. */
static struct sharc_digest content_of(const struct sharc_lab_truth *t, struct sharc_span path,
                                      const struct sharc_lab_look *look)
{
    size_t n = 0;
    const struct lab_answer *a = sharc__lab_truth_answers(t, path, &n);
    for (size_t i = 0; i < n; i++)
        if (a[i].coded.n > 0 && sharc_digest_eq(&a[i].coded, &look->digest) && in_time(a[i].when, look))
            return a[i].digest;
    static const struct sharc_digest unknown = {.n = 0};
    return look->confirmed || !has_digest(look) ? unknown : look->digest;
}

struct sharc_lab_between sharc_lab_between(const struct sharc_lab_truth *t, struct sharc_span path,
                                           const struct sharc_lab_look *before, const struct sharc_lab_look *after)
{
    struct sharc_lab_between ret = {.cause = SHARC_LAB_BY_OTHER, .noise = sharc_lab_truth_noise(t, path)};
    size_t n = 0;
    const struct sharc_lab_fact *f = sharc_lab_truth_of(t, path, &n);
    if (!f || n == 0) return ret;
    ret.known = true;
    struct range a = possible(t, path, f, n, before), b = possible(t, path, f, n, after);
    ret.edited = changed_between(f, a.first, b.first);
    ret.certain = agree(f, a, b, ret.edited);
    struct sharc_digest x = content_of(t, path, before), y = content_of(t, path, after);
    ret.bytes = x.n > 0 && sharc_digest_eq(&x, &y);
    bool any = false;
    for (size_t i = a.first + 1; i <= b.first; i++) {
        if (f[i].cause == SHARC_LAB_EDIT_VOLATILE) ret.inside = true;
        if (changed_between(f, a.first, i)) ret.undone = !ret.edited;
        if (!changed_between(f, i - 1, i)) continue;
        ret.cause = any && ret.cause != f[i].cause ? SHARC_LAB_BY_SEVERAL : f[i].cause;
        any = true;
    }
    return ret;
}

bool sharc_lab_held(const struct sharc_lab_truth *t, struct sharc_span path, const struct sharc_lab_look *look,
                    sharc_time from, sharc_time to)
{
    size_t n = 0;
    const struct sharc_lab_fact *f = sharc_lab_truth_of(t, path, &n);
    if (!f || n == 0) return true;
    struct range seen = possible(t, path, f, n, look);
    struct range ends[] = {{version_at(f, n, from - EDGE), version_at(f, n, from + EDGE)},
                           {version_at(f, n, to - EDGE), version_at(f, n, to + EDGE)}};
    for (size_t e = 0; e < SHARC_LENGTH(ends); e++) {
        bool held = false;
        for (size_t i = seen.first; i <= seen.last; i++)
            for (size_t k = ends[e].first; k <= ends[e].last; k++) held = held || !changed_between(f, i, k);
        if (!held) return false;
    }
    return true;
}

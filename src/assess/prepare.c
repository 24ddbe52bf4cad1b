/* SPDX-License-Identifier: Apache-2.0
 *
 * Rows in order, and what can be believed of them: dates of servers, 304s, and how often
 * pages change.
 */
#include "assess_int.h"
#include "sharc/rate.h"

#include <stdlib.h>

/* --- order ---------------------------------------------------------------------------------- */

static bool earlier(const struct sharc_assess *a, uint32_t i, uint32_t k)
{
    if (a->seen[i].begun != a->seen[k].begun) return a->seen[i].begun < a->seen[k].begun;
    if (a->rows[i].kind != a->rows[k].kind) return a->rows[i].kind < a->rows[k].kind;
    return i < k;
}

struct order {
    const struct sharc_assess *a;
};

static int by_time(const void *x, const void *y, void *arg)
{
    const struct order *o = arg;
    uint32_t i = *(const uint32_t *)x, k = *(const uint32_t *)y;
    return i == k ? 0 : earlier(o->a, i, k) ? -1 : 1;
}

/* By URL, counted; then by time, of which most URLs have few. */
static void sort_rows(struct sharc_assess *a)
{
    SHARC_AUTO(sharc_freep) uint32_t *order = SHARC_NEW_ARRAY(uint32_t, a->count + 1);
    struct row *rows = SHARC_NEW_ARRAY(struct row, a->count + 1);
    struct sharc_sighting *seen = SHARC_NEW_ARRAY(struct sharc_sighting, a->count + 1);
    struct order o = {a};
    for (size_t i = 0; i < a->count; i++) a->urls[a->rows[i].url].count++;
    uint32_t at = 0;
    for (size_t u = 0; u < a->url_count; u++) {
        a->urls[u].first = at;
        at += a->urls[u].count;
        a->urls[u].count = 0;
    }
    for (uint32_t i = 0; i < a->count; i++) {
        struct url *u = &a->urls[a->rows[i].url];
        order[u->first + u->count++] = i;
    }
    for (size_t u = 0; u < a->url_count; u++)
        if (a->urls[u].count > 1) qsort_r(order + a->urls[u].first, a->urls[u].count, sizeof *order, by_time, &o);
    for (size_t i = 0; i < a->count; i++) {
        rows[i] = a->rows[order[i]];
        seen[i] = a->seen[order[i]];
    }
    free(a->rows);
    free(a->seen);
    a->rows = rows;
    a->seen = seen;
    a->room = a->seen_room = a->count + 1;
}

static void sort_by_capture(struct sharc_assess *a)
{
    uint32_t at = 0;
    a->by_capture = SHARC_NEW_ARRAY(uint32_t, a->count + 1);
    for (size_t i = 0; i < a->count; i++) a->captures[a->rows[i].capture].count++;
    for (size_t i = 0; i < a->capture_count; i++) {
        a->captures[i].first = at;
        at += a->captures[i].count;
        a->captures[i].count = 0;
    }
    for (uint32_t i = 0; i < a->count; i++) {
        struct capture *c = &a->captures[a->rows[i].capture];
        a->by_capture[c->first + c->count++] = i;
    }
}

static void hang_links(struct sharc_assess *a)
{
    for (size_t i = 0; i < a->link_count; i++) {
        size_t row = sharc__assess_visit(a, a->links[i].url, a->links[i].capture);
        if (row == SIZE_MAX) continue;
        a->rows[row].embeds_at = a->links[i].at;
        a->rows[row].embeds_n = a->links[i].n;
    }
    free(a->links);
    a->links = NULL;
    a->link_count = a->link_room = 0;
}

/* --- dates ----------------------------------------------------------------------------------- */

/* Servers that make pages on the fly echo the present time, which the catalogue leaves out; where that is more than
 * half of the answers of a kind, or they have no date at all, the others are not believed either. */
static void judge_dates(struct sharc_assess *a)
{
    for (size_t i = 0; i < a->count; i++) {
        struct row *row = &a->rows[i];
        uint32_t g = a->urls[row->url].group;
        bool date = sharc_quality_is_date(a->seen[i].modified, a->seen[i].begun);
        if (!date && (row->flags & ROW_DATED)) row->flags |= ROW_UNTRUSTED;
        if (g == SHARC_NO_ID || row->status < 200 || row->status > 299) continue;
        a->groups[g].answered++;
        a->groups[g].dated += date;
    }
    for (size_t i = 0; i < a->group_count; i++) a->groups[i].trusted = a->groups[i].dated * 2 >= a->groups[i].answered;
    for (size_t i = 0; i < a->count; i++) {
        struct row *row = &a->rows[i];
        uint32_t g = a->urls[row->url].group;
        if ((row->flags & ROW_DATED) && (g == SHARC_NO_ID || !a->groups[g].trusted)) row->flags |= ROW_UNTRUSTED;
        if (row->flags & ROW_UNTRUSTED) a->seen[i].modified = SHARC_TIME_NONE;
    }
}

/* --- content ----------------------------------------------------------------------------------- */

/* The last download before that showed content; SIZE_MAX: none is known. */
static size_t content_before(const struct sharc_assess *a, size_t i)
{
    size_t first = a->urls[a->rows[i].url].first;
    while (i-- > first)
        if (a->seen[i].body && a->rows[i].digest) return i;
    return SIZE_MAX;
}

/* The second look or revisit of a page that the capture has graded: what the grade says is more than the digests. */
static void use_grade(struct sharc_assess *a, size_t look, size_t visit)
{
    enum sharc_grade_reason reason = (enum sharc_grade_reason)a->rows[visit].reason;
    if (sharc_grade_is_proof(sharc_grade_of(reason)) && a->rows[look].status < 400) {
        a->seen[look].body = a->seen[visit].body;
        a->seen[look].method = a->seen[visit].method;
    }
    bool nothing = reason == SHARC_GRADED_WEAK_VALIDATOR || reason == SHARC_GRADED_WORD_BROKEN;
    /* of a stale one the time is not known */
    bool when = reason != SHARC_GRADED_CLOCK && reason != SHARC_GRADED_STALE;
    if ((nothing && a->seen[look].word) || !when || reason == SHARC_GRADED_CUT) a->seen[look].body = 0;
}

static void settle_content(struct sharc_assess *a, size_t i)
{
    struct row *row = &a->rows[i];
    struct sharc_sighting *s = &a->seen[i];
    if (row->kind == SHARC_LOOK_VISIT) {
        if (row->reason != SHARC_GRADED_CUT) return;
        s->body = 0; /* the archive has a piece of it */
        row->flags &= (uint8_t)~ROW_SHOWN;
        return;
    }
    size_t before = row->status == 304 && !s->body ? content_before(a, i) : SIZE_MAX;
    if (before != SIZE_MAX) {
        s->body = a->seen[before].body;
        s->method = a->seen[before].method;
    }
    size_t visit = sharc__assess_visit(a, row->url, row->capture);
    if (visit == SIZE_MAX) return;
    /* A page that something embeds before its turn comes is a page all the same. */
    if (row->flags & ROW_PLANNED) a->rows[visit].flags &= (uint8_t)~ROW_FOLLOWER;
    /* Where a look was redirected to is not recorded. */
    bool moved = sharc_change_is_redirect(row->status);
    if (moved && a->rows[visit].redirect != SHARC_NO_ID) s->body = 0;
    use_grade(a, i, visit);
}

/* --- rates --------------------------------------------------------------------------------------- */

/* What all pages of a group together show: pairs of downloads, and the ages at the first one. */
static void note_url(const struct sharc_assess *a, const struct url *u, struct sharc_rate_history *h)
{
    size_t last = SIZE_MAX;
    for (size_t i = u->first; i < (size_t)u->first + u->count; i++) {
        const struct sharc_sighting *s = &a->seen[i];
        if (!s->body) continue;
        if (last == SIZE_MAX) {
            if (s->modified != SHARC_TIME_NONE)
                sharc_rate_history_age(h, sharc__assess_seconds(s->begun - s->modified), true);
        } else if (a->seen[last].method == s->method) {
            sharc_rate_history_look(h, sharc__assess_seconds(s->begun - a->seen[last].begun),
                                    a->seen[last].body != s->body);
        }
        last = i;
    }
}

static void estimate_rates(struct sharc_assess *a)
{
    struct sharc_rate_history *h = SHARC_NEW_ARRAY(struct sharc_rate_history, a->group_count + 1);
    for (size_t i = 0; i < a->url_count; i++)
        if (a->urls[i].group != SHARC_NO_ID) note_url(a, &a->urls[i], &h[a->urls[i].group]);
    for (size_t i = 0; i < a->group_count; i++) {
        a->groups[i].rate = sharc_rate_cautious(&h[i]);
        sharc_rate_history_done(&h[i]);
    }
    free(h);
}

double sharc__assess_rate(const struct sharc_assess *a, size_t i, bool *ret_own)
{
    double own = (double)a->rows[i].rate;
    uint32_t g = a->urls[a->rows[i].url].group;
    if (ret_own) *ret_own = own > 0;
    if (own > 0) return own;
    return g == SHARC_NO_ID ? (double)NAN : a->groups[g].rate;
}

/* --- intervals ------------------------------------------------------------------------------------ */

/* All rows of a run share what is known of it. */
static void name_run(struct sharc_assess *a, size_t i, uint32_t run)
{
    const struct url *u = &a->urls[a->rows[i].url];
    size_t first = u->first, end = first + u->count;
    uint64_t body = a->seen[i].body;
    for (size_t k = i; k < end && (a->seen[k].body == body || !a->seen[k].body); k++)
        if (a->seen[k].body) a->rows[k].run = run;
    for (size_t k = i; k-- > first && (a->seen[k].body == body || !a->seen[k].body);)
        if (a->seen[k].body) a->rows[k].run = run;
}

const struct sharc_known *sharc__assess_known(struct sharc_assess *a, size_t i)
{
    if (!a->rows[i].run) {
        const struct url *u = &a->urls[a->rows[i].url];
        SHARC_GROW(a->runs, a->run_room, a->run_count + 1);
        sharc_quality_known(a->seen + u->first, u->count, i - u->first, &a->runs[a->run_count++]);
        name_run(a, i, (uint32_t)a->run_count);
    }
    return &a->runs[a->rows[i].run - 1];
}

const struct sharc_known *sharc__assess_known_near(struct sharc_assess *a, size_t i, sharc_time at)
{
    enum { FEW = 16 };
    const struct url *u = &a->urls[a->rows[i].url];
    const struct sharc_known *k = sharc__assess_known(a, i);
    bool here = k->from <= at && at <= k->to;
    /* Of many sightings only those beyond other content can be nearer. */
    if (u->count > FEW) here = k->possible_from < at && at < k->possible_to;
    if (here || u->count == 1) return k;
    size_t near = sharc_quality_same_nearest(a->seen + u->first, u->count, i - u->first, at);
    return sharc__assess_known(a, u->first + near);
}

void sharc__assess_prepare(struct sharc_assess *a)
{
    sort_rows(a);
    sort_by_capture(a);
    hang_links(a);
    judge_dates(a);
    for (size_t i = 0; i < a->count; i++) settle_content(a, i);
    estimate_rates(a);
}

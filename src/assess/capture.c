/* SPDX-License-Identifier: Apache-2.0
 *
 * One capture: coherence, blur, defects, and the capture before it taken as its visits.
 */
#include "assess_int.h"
#include "sharc/store_query.h"

#include <stdlib.h>

/* --- coherence -------------------------------------------------------------------------------- */

/* Content is certainly there since: a Last-Modified as far as a server's clock can be trusted. */
static sharc_time since(const struct sharc_sighting *s)
{
    if (s->modified == SHARC_TIME_NONE) return SHARC_TIME_NONE;
    sharc_time t = s->modified + SHARC_QUALITY_CLOCK + SHARC_SEC;
    return t <= s->begun ? t : SHARC_TIME_NONE;
}

static void judge_visits(const struct sharc_assess *a, uint32_t capture, sharc_time start,
                         struct sharc_assess_capture *c)
{
    const struct capture *k = &a->captures[capture];
    struct sharc_evidence *e = SHARC_NEW_ARRAY(struct sharc_evidence, k->count + 1);
    size_t n = 0;
    bool dated = false;
    uint32_t any = SHARC_NO_ID;
    sharc_time at = SHARC_TIME_NONE, to = INT64_MAX;
    for (size_t x = 0; x < k->count; x++) {
        uint32_t i = a->by_capture[k->first + x];
        const struct row *row = &a->rows[i];
        if (row->kind != SHARC_LOOK_VISIT || !row->digest) continue;
        any = i;
        /* One whose instant is not known certainly shares none. */
        if (since(&a->seen[i]) == SHARC_TIME_NONE && a->seen[i].begun < a->seen[i].ended) continue;
        e[n] = (struct sharc_evidence){.visit = a->seen[i].begun,
                                       .revisit = SHARC_TIME_NONE,
                                       .modified = since(&a->seen[i]),
                                       .change = SHARC_NEW,
                                       .weight = 1};
        dated |= e[n++].modified != SHARC_TIME_NONE;
    }
    struct sharc_coherence o = sharc_quality_observable(e, n, &at);
    struct sharc_coherence m = sharc_quality_measurable(e, n, start);
    for (size_t i = 0; i < n; i++) {
        sharc_time from = e[i].modified == SHARC_TIME_NONE ? e[i].visit : e[i].modified;
        if (from <= at && at <= e[i].visit && e[i].visit < to) to = e[i].visit;
    }
    c->observable = (struct sharc_assess_together){.known = n > 0, .pages = o.coherent, .from = at, .to = n ? to : at};
    if (n == 0 && any != SHARC_NO_ID)
        c->observable = (struct sharc_assess_together){true, 1, a->seen[any].begun, a->seen[any].ended};
    c->measurable = (struct sharc_assess_together){.known = dated && start != SHARC_TIME_NONE,
                                                   .pages = m.coherent,
                                                   .from = start,
                                                   .to = start};
    free(e);
}

/* Of pages that were revisited: the same run of content at both times. */
static void judge_revisits(struct sharc_assess *a, uint32_t capture, struct sharc_assess_capture *c)
{
    const struct capture *k = &a->captures[capture];
    sharc_time from = INT64_MIN, to = INT64_MAX;
    for (size_t x = 0; x < k->count; x++) {
        uint32_t i = a->by_capture[k->first + x];
        if (a->rows[i].kind != SHARC_LOOK_REVISIT) continue;
        size_t visit = sharc__assess_visit(a, a->rows[i].url, capture);
        c->revisited++;
        if (visit == SIZE_MAX) continue;
        const struct sharc_sighting *v = &a->seen[visit], *r = &a->seen[i];
        if (r->begun < v->begun) c->defects[SHARC_DEFECT_BACKWARDS]++;
        bool proof = c->graded ? (a->rows[visit].flags & ROW_TOGETHER) != 0
                               : v->body && v->body == r->body && !v->word && !r->word && v->ended <= r->begun;
        if (!proof) continue;
        sharc__assess_known(a, visit);
        sharc__assess_known(a, i);
        if (!c->graded && a->rows[visit].run != a->rows[i].run) continue; /* something else was seen between */
        c->inducible.pages++;
        if (v->ended > from) from = v->ended;
        if (r->begun < to) to = r->begun;
        double rate = sharc__assess_rate(a, visit, NULL);
        if (isnan(rate) || r->begun < v->ended) continue;
        c->excursions += sharc_quality_excursion(rate, sharc__assess_seconds(r->begun - v->ended));
        c->excursions_pages++;
    }
    c->inducible.known = c->revisited > 0;
    bool told = c->graded && k->row.reference_from != SHARC_TIME_NONE && k->row.reference_to != SHARC_TIME_NONE;
    bool any = c->inducible.pages > 0 && from <= to;
    c->inducible.from = told ? k->row.reference_from : any ? from : SHARC_TIME_NONE;
    c->inducible.to = told ? k->row.reference_to : any ? to : SHARC_TIME_NONE;
}

/* --- blur -------------------------------------------------------------------------------------- */

static sharc_time revisit_of(const struct sharc_assess *a, size_t visit)
{
    const struct url *u = &a->urls[a->rows[visit].url];
    for (size_t i = visit + 1; i < (size_t)u->first + u->count; i++)
        if (a->rows[i].capture == a->rows[visit].capture && a->rows[i].kind == SHARC_LOOK_REVISIT && a->seen[i].body)
            return a->seen[i].begun;
    return SHARC_TIME_NONE;
}

/* When it changed, as far as downloads show: the server's date if it lies between them, else midway. */
static size_t changes_of(const struct sharc_assess *a, const struct url *u, double *h, size_t room, sharc_time zero)
{
    size_t n = 0, last = SIZE_MAX;
    for (size_t i = u->first; i < (size_t)u->first + u->count; i++) {
        const struct sharc_sighting *s = &a->seen[i];
        if (!s->body) continue;
        const struct sharc_sighting *b = last == SIZE_MAX ? NULL : &a->seen[last];
        last = i;
        if (!b || b->body == s->body || b->method != s->method || n == room) continue;
        sharc_time at = b->begun + (s->begun - b->begun) / 2;
        if (s->modified != SHARC_TIME_NONE && s->modified > b->begun) at = s->modified;
        h[n++] = sharc__assess_seconds(at - zero);
    }
    return n;
}

static bool is_covered(const struct sharc_assess *a, const struct url *u, sharc_time from, sharc_time to)
{
    bool before = false, after = false;
    for (size_t i = u->first; i < (size_t)u->first + u->count; i++) {
        before |= a->seen[i].body && a->seen[i].begun <= from;
        after |= a->seen[i].body && a->seen[i].begun >= to;
    }
    return before && after;
}

static void measure_blur(const struct sharc_assess *a, uint32_t capture, struct sharc_assess_capture *c)
{
    enum { MOST_CHANGES = 1000 };
    double h[MOST_CHANGES], rates = 0, sum = 0, actual = 0, end = sharc__assess_seconds(c->last - c->first);
    const struct capture *k = &a->captures[capture];
    struct sharc_assess_blur *b = &c->blur;
    for (size_t x = 0; x < k->count; x++) {
        uint32_t i = a->by_capture[k->first + x];
        const struct row *row = &a->rows[i];
        bool own;
        if (row->kind != SHARC_LOOK_VISIT || !a->seen[i].body) continue;
        double rate = sharc__assess_rate(a, i, &own), t = sharc__assess_seconds(a->seen[i].begun - c->first);
        sharc_time revisit = revisit_of(a, i);
        if (!isnan(rate)) {
            if (revisit == SHARC_TIME_NONE)
                sum += sharc_quality_blur(rate, t, 0, end);
            else
                sum += sharc_quality_blur_revisit(rate, t, sharc__assess_seconds(revisit - c->first), 0, end);
            rates += rate;
            b->pages++;
            b->estimated += !own;
        }
        const struct url *u = &a->urls[row->url];
        if (u->count < 2 || !is_covered(a, u, c->first, c->last)) continue;
        size_t n = changes_of(a, u, h, MOST_CHANGES, c->first);
        actual += sharc_quality_actual_blur(h, n, t, 0, end);
        b->actual_pages++;
    }
    b->average = b->pages ? sum / (double)b->pages : (double)NAN;
    b->least = b->pages ? rates * end / 4 / (double)b->pages : (double)NAN;
    b->most = b->pages ? rates * end / 2 / (double)b->pages : (double)NAN;
    b->actual = b->actual_pages ? actual / (double)b->actual_pages : (double)NAN;
}

/* --- the capture before as the visits ------------------------------------------------------------- */

static uint32_t capture_before(const struct sharc_assess *a, uint32_t capture)
{
    for (uint32_t i = capture; i-- > 0;)
        if (a->captures[i].site == a->captures[capture].site) return i;
    return SHARC_NO_ID;
}

static void pair_page(struct sharc_assess *a, size_t v, size_t r, struct sharc_assess_pair *p)
{
    const struct sharc_sighting *x = &a->seen[v], *y = &a->seen[r];
    if (!x->body || !y->body || (x->method != y->method && x->method && y->method)) {
        p->unknown++;
        return;
    }
    bool same = x->body == y->body;
    if (same) {
        sharc__assess_known(a, v);
        sharc__assess_known(a, r);
        same = a->rows[v].run == a->rows[r].run; /* else something different was seen between */
    }
    if (!same || x->ended > y->begun) {
        p->changed += !same;
        p->unknown += same;
        return;
    }
    if (x->word || y->word) {
        p->attested++;
        return;
    }
    p->same++;
    if (p->from == SHARC_TIME_NONE || x->ended > p->from) p->from = x->ended;
    if (p->to == SHARC_TIME_NONE || y->begun < p->to) p->to = y->begun;
}

static int pair_up(struct sharc_assess *a, uint32_t capture, struct sharc_assess_pair *p, struct sharc_err *reterr)
{
    uint32_t before = capture_before(a, capture);
    *p = (struct sharc_assess_pair){.from = SHARC_TIME_NONE, .to = SHARC_TIME_NONE};
    if (before == SHARC_NO_ID) return 0;
    p->before = a->captures[before].id;
    const struct capture *after = &a->captures[capture];
    struct sharc_store_capture_sums sums; /* of a capture that was not asked for not all pages were read */
    uint64_t both = 0;
    int r = sharc_store_capture_sum(a->store, p->before, &sums, reterr);
    if (r < 0) return r;
    for (size_t x = 0; x < after->count; x++) {
        uint32_t i = a->by_capture[after->first + x];
        if (a->rows[i].kind != SHARC_LOOK_VISIT) continue;
        size_t v = sharc__assess_visit(a, a->rows[i].url, before);
        p->only_after += v == SIZE_MAX;
        if (v == SIZE_MAX) continue;
        both++;
        pair_page(a, v, i, p);
    }
    p->only_before = sums.pages > both ? sums.pages - both : 0;
    if (p->from != SHARC_TIME_NONE && p->from > p->to) p->from = p->to = SHARC_TIME_NONE;
    return 0;
}

/* --- counting -------------------------------------------------------------------------------------- */

static void count_visit(struct sharc_assess *a, size_t i, struct sharc_assess_capture *c)
{
    const struct row *row = &a->rows[i];
    const struct sharc_sighting *s = &a->seen[i];
    int status = row->status;
    bool resource = status == 0 && row->record == SHARC_STORE_RESOURCE;
    bool content = (status >= 200 && status < 300) || status == 304 || resource;
    c->pages++;
    c->answered += content;
    c->redirects += sharc_change_is_redirect(status);
    c->reasons[row->reason]++;
    c->graded |= row->reason != SHARC_GRADED_NOT_GRADED;
    c->judged += row->reason != SHARC_GRADED_NOT_GRADED;
    c->defects[SHARC_DEFECT_NO_ANSWER] += status < 200 && !resource;
    c->defects[SHARC_DEFECT_CLIENT] += status >= 400 && status < 500;
    c->defects[SHARC_DEFECT_SERVER] += status >= 500;
    bool revisit = row->record == SHARC_STORE_IDENTICAL || row->record == SHARC_STORE_NOT_MODIFIED;
    c->defects[SHARC_DEFECT_NO_ORIGINAL] += revisit && !row->digest;
    c->defects[SHARC_DEFECT_NO_DIGEST] += content && !revisit && !row->digest;
    c->defects[SHARC_DEFECT_UNTRUSTED] += (row->flags & ROW_UNTRUSTED) != 0;
    if (s->body) c->defects[SHARC_DEFECT_CONTRADICTED] += sharc__assess_known(a, i)->contradicted;
}

static void count_time(const struct sharc_assess *a, size_t i, struct sharc_assess_capture *c)
{
    const struct sharc_sighting *s = &a->seen[i];
    if (c->first == SHARC_TIME_NONE || s->begun < c->first) c->first = s->begun;
    if (c->last == SHARC_TIME_NONE || s->ended > c->last) c->last = s->ended;
    bool early = c->start != SHARC_TIME_NONE && s->begun < c->start - SHARC_SEC;
    bool late = c->complete && c->end != SHARC_TIME_NONE && s->begun > c->end + SHARC_SEC;
    c->defects[SHARC_DEFECT_OUTSIDE] += early || late;
}

static int count_left_out(struct sharc_store *store, struct sharc_assess_capture *c, struct sharc_err *reterr)
{
    SHARC_AUTO(sharc_store_rows_freep) struct sharc_store_rows *rows = NULL;
    int r = sharc_store_skipped_counts(store, c->id, &rows, reterr);
    while (r >= 0 && (r = sharc_store_rows_next(rows, reterr)) > 0) {
        struct sharc_store_value reason, urls;
        sharc_store_rows_value(rows, 0, &reason);
        sharc_store_rows_value(rows, 1, &urls);
        SHARC_GROW(c->left_out, c->left_out_room, c->left_out_count + 1);
        c->left_out[c->left_out_count++] =
            (struct sharc_assess_left_out){sharc_span_dup(reason.s), urls.i > 0 ? (uint64_t)urls.i : 0};
    }
    return r;
}

/* Pages that belong to the capture and never answered: they count, and nothing was seen of them. */
static int count_unseen(struct sharc_store *store, struct sharc_assess_capture *c, struct sharc_err *reterr)
{
    SHARC_AUTO(sharc_store_rows_freep) struct sharc_store_rows *rows = NULL;
    int r = c->graded ? sharc_store_grades_alone(store, c->id, &rows, reterr) : 0;
    while (c->graded && r >= 0 && (r = sharc_store_rows_next(rows, reterr)) > 0) {
        struct sharc_store_value reason, urls;
        sharc_store_rows_value(rows, 0, &reason);
        sharc_store_rows_value(rows, 1, &urls);
        if (reason.i <= 0 || reason.i >= SHARC_GRADE_REASON_COUNT || urls.i <= 0) continue;
        c->reasons[reason.i] += (uint64_t)urls.i;
        c->judged += (uint64_t)urls.i;
    }
    return r;
}

void sharc_assess_capture_done(struct sharc_assess_capture *c)
{
    for (size_t i = 0; i < c->left_out_count; i++) free(c->left_out[i].reason);
    free(c->left_out);
    free(c->key);
    free(c->site);
    free(c->state);
    free(c->purpose);
    free(c->source);
    free(c->weakened);
    *c = (struct sharc_assess_capture){0};
}

int sharc_assess_judge(struct sharc_assess *a, size_t number, struct sharc_assess_capture *ret,
                       struct sharc_err *reterr)
{
    uint32_t capture = a->asked[number];
    const struct capture *k = &a->captures[capture];
    struct sharc_assess_capture c = {.id = k->id,
                                     .key = sharc_strdup(k->key),
                                     .site = sharc_strdup(k->site_name),
                                     .purpose = sharc_strdup(k->purpose),
                                     .source = sharc_strdup(k->source),
                                     .weakened = k->weakened ? sharc_strdup(k->weakened) : NULL,
                                     .state = sharc_strdup(sharc_capture_state_text(k->row.state)),
                                     .start = k->row.start,
                                     .end = k->row.end,
                                     .complete = k->row.state == SHARC_CAPTURE_COMPLETE ||
                                                 k->row.state == SHARC_CAPTURE_IMPORTED,
                                     .grader = k->grader,
                                     .claim = k->claim,
                                     .first = SHARC_TIME_NONE,
                                     .last = SHARC_TIME_NONE};
    for (size_t x = 0; x < k->count; x++) {
        uint32_t i = a->by_capture[k->first + x];
        count_time(a, i, &c);
        if (a->rows[i].kind == SHARC_LOOK_VISIT) count_visit(a, i, &c);
    }
    if (!c.graded) c.judged = c.pages;
    judge_visits(a, capture, c.first, &c);
    judge_revisits(a, capture, &c);
    measure_blur(a, capture, &c);
    int r = pair_up(a, capture, &c.pair, reterr);
    if (r >= 0) r = count_left_out(a->store, &c, reterr);
    if (r >= 0) r = count_unseen(a->store, &c, reterr);
    if (r >= 0 && a->composites) sharc__assess_composites(a, capture, &c.composites);
    if (r < 0) {
        sharc_assess_capture_done(&c);
        return r;
    }
    *ret = c;
    return 0;
}

uint64_t sharc_assess_same(const struct sharc_assess_capture *c)
{
    uint64_t same = 0;
    for (int i = 0; i < SHARC_GRADE_REASON_COUNT; i++)
        if (sharc_grade_is_proof(sharc_grade_of((enum sharc_grade_reason)i))) same += c->reasons[i];
    return c->graded ? same : c->inducible.pages;
}

/* SPDX-License-Identifier: Apache-2.0
 *
 * sharc lab judge: what a capture of a living site says, held against the truth.
 */
#include "verdict_int.h"

#include "sharc/store_query.h"
#include "sharc/url.h"

#include <stdlib.h>

/* --- one page ---------------------------------------------------------------------- */

static struct sharc_lab_look look_of(const struct sharc_store_look *l)
{
    struct sharc_lab_look look = {.when = l->when,
                                  .took = l->took,
                                  .found = l->status == 200 || l->status == 304,
                                  .confirmed = l->status == 304};
    if (look.found) look.digest = l->digest;
    return look;
}

static void note_wrong(struct sharc_lab_verdict *v, const struct sharc_store_page *p, const char *what, sharc_time from,
                       sharc_time to)
{
    if (v->wrong_count >= SHARC_LAB_WRONG_MOST) return;
    SHARC_GROW(v->wrong, v->wrong_room, v->wrong_count + 1);
    v->wrong[v->wrong_count++] = (struct sharc_lab_wrong){sharc_span_dup(p->url), what, from, to};
}

static void check_body(const struct sharc_lab_truth *t, struct sharc_span path, const struct sharc_store_page *p,
                       const struct sharc_lab_look *look, struct sharc_lab_verdict *v)
{
    switch (sharc_lab_check_body(t, path, look)) {
    case SHARC_LAB_BODY_UNKNOWN: return;
    case SHARC_LAB_BODY_RIGHT: v->bodies_right++; return;
    case SHARC_LAB_BODY_LATE:
        v->bodies_late++;
        note_wrong(v, p, "its body was served at another time", look->when, look->when);
        return;
    case SHARC_LAB_BODY_WRONG:
        v->bodies_wrong++;
        note_wrong(v, p, "the site never served its body", look->when, look->when);
        return;
    }
}

/* --- proofs ------------------------------------------------------------------------ */

struct claim {
    bool proved;
    enum sharc_grade grade;
    const char *why;
};

static const char *class_word(int c)
{
    static const char *const words[] = {"unchanged", "insignificant", "text changed", "links changed",
                                        "missing",   "new",           "redirected",   "failed"};
    return c >= 0 && (size_t)c < SHARC_LENGTH(words) ? words[c] : "not compared";
}

static struct claim claim_of(const struct sharc_store_page *p, bool graded)
{
    if (graded) {
        enum sharc_grade g = sharc_grade_of(p->grade.reason);
        return (struct claim){sharc_grade_is_proof(g), g, sharc_grade_reason_word(p->grade.reason)};
    }
    int c = p->revisit.change;
    bool proved = c != SHARC_STORE_NO_CHANGE && !sharc_change_counts((enum sharc_change_class)c);
    return (struct claim){proved, SHARC_GRADE_NONE, class_word(c)};
}

void sharc__lab_note_alarm(struct sharc_lab_alarm **list, size_t *count, size_t *room, uint32_t noise, const char *why)
{
    size_t i = 0;
    while (i < *count && ((*list)[i].noise != noise || strcmp((*list)[i].why, why) != 0)) i++;
    if (i == *count) {
        SHARC_GROW(*list, *room, *count + 1);
        (*list)[(*count)++] = (struct sharc_lab_alarm){.noise = noise, .why = why};
    }
    (*list)[i].count++;
}

struct trial {
    const struct sharc_lab_truth *truth;
    bool graded;
    sharc_time from, to; /* reference interval; SHARC_TIME_NONE: none */
    struct sharc_lab_verdict *v;
    struct lab_wholes *wholes;
};

static void judge_intervals(const struct trial *t, struct sharc_span path, const struct sharc_store_page *p,
                            const struct sharc_lab_look *visit)
{
    struct sharc_lab_evidence *e = &t->v->evidence;
    const struct sharc_store_grade *g = &p->grade;
    if (g->from == SHARC_TIME_NONE || g->to == SHARC_TIME_NONE || g->from > g->to) return;
    if (!sharc_lab_held(t->truth, path, visit, g->from, g->to)) {
        e->intervals++;
        note_wrong(t->v, p, "it was not as archived during all of its interval", g->from, g->to);
    }
    /* Pages whose interval is another one are not counted as existing then. */
    if (t->from == SHARC_TIME_NONE || t->to == SHARC_TIME_NONE || t->from < g->from || t->to > g->to) return;
    e->together++;
    if (!sharc_lab_held(t->truth, path, visit, t->from, t->to)) {
        e->reference++;
        note_wrong(t->v, p, "it was not as archived during all of the reference interval", t->from, t->to);
    }
}

/* The download that the proof begins with: a second look takes the place of the visit, if the interval begins with it.
 */
static const struct sharc_store_look *beginning(const struct sharc_store_page *p, bool graded)
{
    if (p->second.when == SHARC_TIME_NONE || p->second.status <= 0) return &p->visit;
    bool later = !graded || (p->grade.from != SHARC_TIME_NONE && p->grade.from >= p->second.when);
    return later ? &p->second : &p->visit;
}

/* Does its interval hold the reference interval, if there is one? */
static bool is_together(const struct trial *t, const struct sharc_store_grade *g)
{
    if (t->from == SHARC_TIME_NONE || t->to == SHARC_TIME_NONE || g->from == SHARC_TIME_NONE) return false;
    return g->from <= t->from && t->to <= g->to;
}

/* As a part of whole pages: what is proved for another time than the rest proves nothing of them. */
static void note_part(const struct trial *t, const struct sharc_store_page *p, const struct claim *c,
                      const struct sharc_lab_between *b)
{
    bool together = is_together(t, &p->grade);
    struct lab_part part = {.url = p->url_id,
                            .page = sharc_span_is(p->mime, "text/html") && p->visit.status == 200,
                            .proved = c->proved && together,
                            .certain = b->certain,
                            .edited = b->edited,
                            .noise = b->noise,
                            .cause = b->cause,
                            .why = c->proved && !together ? "at another time" : c->why};
    if (t->graded) sharc__lab_wholes_part(t->wholes, &part);
}

static void count_claim(struct sharc_lab_evidence *e, const struct claim *c, enum sharc_grade_reason reason,
                        const struct sharc_lab_between *b)
{
    e->pairs++;
    e->grades[c->grade]++;
    e->grade_edited[c->grade] += b->edited;
    e->by_own += c->grade == SHARC_GRADE_VOLATILE && reason == SHARC_GRADED_OWN_CONTROL;
    e->by_kind += c->grade == SHARC_GRADE_VOLATILE && reason != SHARC_GRADED_OWN_CONTROL;
    e->proved += c->proved;
    e->edited += b->edited;
    e->by_cause[b->cause] += b->edited;
}

static void judge_proof(const struct trial *t, struct sharc_span path, const struct sharc_store_page *p)
{
    struct sharc_lab_evidence *e = &t->v->evidence;
    size_t versions;
    if (!sharc_lab_truth_of(t->truth, path, &versions)) return;
    if (p->visit.when == SHARC_TIME_NONE || p->visit.status <= 0 || p->revisit.when == SHARC_TIME_NONE ||
        p->revisit.status <= 0) {
        e->unpaired++;
        return;
    }
    const struct sharc_store_look *first = beginning(p, t->graded);
    struct sharc_lab_look visit = look_of(first), revisit = look_of(&p->revisit);
    struct sharc_lab_between b = sharc_lab_between(t->truth, path, &visit, &revisit);
    struct claim c = claim_of(p, t->graded);
    note_part(t, p, &c, &b);
    if (!b.certain) {
        e->uncertain++;
        return;
    }
    count_claim(e, &c, p->grade.reason, &b);
    /* Bodies that are called the same must be. */
    bool lie = t->graded && p->grade.reason == SHARC_GRADED_SAME_CONTENT && visit.found && revisit.found && !b.bytes;
    if (c.proved && (b.edited || lie)) {
        e->false_proofs[b.cause]++;
        /* Without grades the class of the revisit is the claim, and it is told already. */
        if (t->graded) note_wrong(t->v, p, "called proved, but had been edited", first->when, p->revisit.when);
        return;
    }
    if (b.edited) e->lies += c.grade == SHARC_GRADE_ATTESTED;
    bool inside = !b.edited && !b.undone && b.inside; /* it was edited: whoever does not prove it misses nothing */
    e->inside_missed += inside && !c.proved;
    if (!b.edited && !inside && !c.proved) {
        sharc__lab_note_alarm(&e->alarm, &e->alarm_count, &e->alarm_room, b.noise, c.why);
        e->alarms++;
    }
    if (!c.proved) return;
    e->undone += b.undone;
    e->inside += inside;
    if (!b.undone) judge_intervals(t, path, p, &visit);
}

int sharc__lab_by_count(const void *a, const void *b)
{
    const struct sharc_lab_alarm *x = a, *y = b;
    if (x->count != y->count) return x->count > y->count ? -1 : 1;
    return x->noise != y->noise ? (x->noise < y->noise ? -1 : 1) : strcmp(x->why, y->why);
}

size_t sharc_lab_false_proofs(const struct sharc_lab_evidence *e)
{
    size_t n = 0;
    for (size_t i = 0; i < SHARC_LAB_CAUSES; i++) n += e->false_proofs[i];
    return n;
}

size_t sharc_lab_unedited(const struct sharc_lab_evidence *e)
{
    return e->pairs - e->edited - e->inside - e->inside_missed;
}

/* --- all pages ----------------------------------------------------------------------- */

/* Read for what they list, and not as pages. */
static bool is_service(struct sharc_span path)
{
    return sharc_span_is(path, "/robots.txt") || sharc_span_is(path, "/sitemap.xml");
}

/* Each look after the first claims something about the time since the one before. */
static void judge_page(const struct sharc_lab_truth *t, struct sharc_span path, const struct sharc_store_page *p,
                       bool graded, struct sharc_lab_verdict *v)
{
    const struct sharc_store_look *looks[] = {&p->visit, &p->second, &p->revisit}, *before = NULL;
    size_t versions;
    v->pages++;
    v->in_log += sharc_lab_truth_of(t, path, &versions) != NULL;
    for (size_t i = 0; i < SHARC_LENGTH(looks); i++) {
        const struct sharc_store_look *now = looks[i];
        if (now->when == SHARC_TIME_NONE || now->status <= 0) continue;
        struct sharc_lab_look look = look_of(now);
        v->evidence.looks += look.found && !is_service(path);
        check_body(t, path, p, &look, v);
        if (before && now->change != SHARC_STORE_NO_CHANGE) {
            struct sharc_lab_look earlier = look_of(before);
            bool said = sharc_change_counts((enum sharc_change_class)now->change);
            enum sharc_lab_finding f = sharc_lab_judge(t, path, &earlier, &look, said);
            v->comparisons++;
            v->findings[f]++;
            if (graded) continue; /* a class only tells how much changed, the grade is the claim */
            if (f == SHARC_LAB_FALSE_CHANGED || f == SHARC_LAB_FALSE_UNCHANGED)
                note_wrong(v, p, sharc_lab_finding_text(f), before->when, now->when);
        }
        before = now;
    }
}

/* Has the capture grades, and which interval does it refer to? */
static int read_capture(struct sharc_store *s, sharc_store_id capture, struct trial *ret, struct sharc_err *reterr)
{
    SHARC_AUTO(sharc_store_rows_freep) struct sharc_store_rows *rows = NULL;
    uint64_t counts[SHARC_GRADE_REASON_COUNT] = {0};
    int r = sharc_store_grade_counts(s, capture, counts, reterr);
    for (size_t i = 0; i < SHARC_GRADE_REASON_COUNT; i++) ret->graded |= i != SHARC_GRADED_NOT_GRADED && counts[i] > 0;
    struct sharc_store_capture_filter f = SHARC_STORE_CAPTURE_FILTER_INIT;
    f.id = capture;
    if (r >= 0) r = sharc_store_captures(s, &f, &rows, reterr);
    if (r >= 0) r = sharc_store_rows_next(rows, reterr);
    if (r <= 0) return r;
    struct sharc_store_capture c = SHARC_STORE_CAPTURE_INIT;
    sharc_store_read_capture(rows, &c);
    ret->from = c.reference_from;
    ret->to = c.reference_to;
    return 0;
}

int sharc_lab_verdict(struct sharc_store *s, sharc_store_id capture, const struct sharc_lab_truth *t,
                      struct sharc_lab_verdict *ret, struct sharc_err *reterr)
{
    SHARC_AUTO(sharc_store_rows_freep) struct sharc_store_rows *rows = NULL;
    SHARC_AUTO(sharc_url_done) struct sharc_url u = SHARC_URL_INIT;
    SHARC_AUTO(sharc__lab_wholes_done) struct lab_wholes wholes = {0};
    struct trial trial = {.truth = t, .from = SHARC_TIME_NONE, .to = SHARC_TIME_NONE, .v = ret, .wholes = &wholes};
    struct sharc_store_page_filter f = {.capture = capture, .looks = true, .grades = true};
    int r = read_capture(s, capture, &trial, reterr);
    if (r >= 0) r = sharc_store_pages(s, &f, &rows, reterr);
    while (r >= 0 && (r = sharc_store_rows_next(rows, reterr)) > 0) {
        struct sharc_store_page p = SHARC_STORE_PAGE_INIT;
        sharc_store_read_page(rows, &p);
        if (sharc_url_parse(&u, p.url, NULL, NULL) < 0) continue;
        judge_page(t, sharc_url_target(&u), &p, trial.graded, ret);
        judge_proof(&trial, sharc_url_target(&u), &p);
    }
    ret->evidence.graded = trial.graded;
    ret->evidence.answers += sharc_lab_truth_answers(t);
    if (ret->evidence.alarm_count > 0)
        qsort(ret->evidence.alarm, ret->evidence.alarm_count, sizeof *ret->evidence.alarm, sharc__lab_by_count);
    if (r >= 0 && trial.graded) r = sharc__lab_wholes_judge(&wholes, s, capture, &ret->evidence.wholes, reterr);
    return r < 0 ? r : 0;
}

void sharc_lab_verdict_done(struct sharc_lab_verdict *v)
{
    for (size_t i = 0; i < v->wrong_count; i++) free(v->wrong[i].url);
    free(v->wrong);
    free(v->evidence.alarm);
    free(v->evidence.wholes.alarm);
    *v = (struct sharc_lab_verdict){0};
}

size_t sharc_lab_verdict_wrong(const struct sharc_lab_verdict *v)
{
    const struct sharc_lab_evidence *e = &v->evidence;
    size_t bodies = v->bodies_late + v->bodies_wrong;
    if (e->graded) return sharc_lab_false_proofs(e) + sharc_lab_false_wholes(e) + e->intervals + e->reference + bodies;
    return v->findings[SHARC_LAB_FALSE_CHANGED] + v->findings[SHARC_LAB_FALSE_UNCHANGED] + bodies;
}

bool sharc_lab_verdict_judged(const struct sharc_lab_verdict *v)
{
    return v->comparisons > v->findings[SHARC_LAB_NOT_IN_LOG] || v->bodies_right + v->bodies_late + v->bodies_wrong > 0;
}

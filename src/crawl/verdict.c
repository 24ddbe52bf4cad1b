/* SPDX-License-Identifier: Apache-2.0
 *
 * The quality of a capture, from what was seen: expected blur from the rates,
 * coherence from the revisits, or, where there are none, from Last-Modified.
 */
#include "verdict.h"

#include "sharc/base_order.h"
#include "sharc/quality.h"

#include <math.h>
#include <stdlib.h>

struct verdicts {
    uint32_t n;
    uint32_t *page;
    struct sharc_evidence *evidence;
    double *rate, *visit, *revisit;
};

static void verdicts_done(struct verdicts *v)
{
    free(v->page);
    free(v->evidence);
    free(v->rate);
    free(v->visit);
    free(v->revisit);
}

static double seconds(const struct judged *g, sharc_time t)
{
    return (double)(t - g->first) / (double)SHARC_SEC;
}

/* By what the revisit showed, and what stands against it. */
static enum sharc_grade_reason reason_of(const struct version *v)
{
    enum sharc_grade_reason r = (enum sharc_grade_reason)v->reason;
    if (!v->revisited && r == SHARC_GRADED_WORD_BROKEN) return r; /* and there was no time to revisit it */
    if (!v->revisited) return v->marks & VERSION_CUT ? SHARC_GRADED_CUT : SHARC_GRADED_NOT_REVISITED;
    if (sharc_grade_of(r) == SHARC_GRADE_UNPROVED) return r;
    if (v->marks & VERSION_LOOK_ENDED) return SHARC_GRADED_SECOND_LOOK;
    if (v->marks & VERSION_CLOCK_SET) return SHARC_GRADED_CLOCK;
    return version_is_stale(v) ? SHARC_GRADED_STALE : r;
}

/* Served at visit and revisit what the site shows for pages that are not there. */
static bool is_not_found(const struct version *v)
{
    return (v->marks & VERSION_NOT_FOUND) && v->revisited;
}

/* What has changed, in whatever else than its text, counts: nothing is set aside but what would count as proved. So
 * whoever derives the verdict again need not believe anybody, and no share is better for it. */
static enum aside aside_of(const struct page *page, const struct version *seen)
{
    if (!seen || seen->visit == SHARC_TIME_NONE) return ASIDE_NOT;
    if (seen->revisited && !sharc_grade_is_proof(sharc_grade_of(reason_of(seen)))) return ASIDE_NOT;
    if (page->reason == SHARC_SKIP_CANONICAL) return ASIDE_CANONICAL;
    return is_not_found(seen) ? ASIDE_SOFT_404 : ASIDE_NOT;
}

enum aside sharc__crawl_aside(const struct pages *p, uint32_t page)
{
    return aside_of(&p->page[page], page_version(p, page));
}

/* A page was captured: an answer with content, or a redirect. */
static bool is_captured(const struct page *page, const struct version *seen)
{
    if (!seen || seen->visit == SHARC_TIME_NONE || (page->flags & PAGE_PREPARATION)) return false;
    if (aside_of(page, seen) != ASIDE_NOT) return false;
    return seen->answer == SHARC_ANSWER_CONTENT || seen->answer == SHARC_ANSWER_REDIRECT;
}

static void gather(const struct judged *g, struct verdicts *v)
{
    size_t most = g->pages->version_count;
    *v = (struct verdicts){.page = SHARC_NEW_ARRAY(uint32_t, most),
                           .evidence = SHARC_NEW_ARRAY(struct sharc_evidence, most),
                           .rate = SHARC_NEW_ARRAY(double, most),
                           .visit = SHARC_NEW_ARRAY(double, most),
                           .revisit = SHARC_NEW_ARRAY(double, most)};
    for (uint32_t p = 0; p < pages_count(g->pages); p++) {
        const struct page *page = &g->pages->page[p];
        const struct version *seen = page_version(g->pages, p);
        if (!is_captured(page, seen)) continue;
        uint32_t i = v->n++;
        v->page[i] = p;
        v->evidence[i] = (struct sharc_evidence){.visit = seen->visit,
                                                 .revisit = seen->revisited ? seen->revisit : SHARC_TIME_NONE,
                                                 .modified = seen->modified,
                                                 .change = (enum sharc_change_class)seen->change,
                                                 .weight = 1};
        v->rate[i] = (double)page->rate;
        v->visit[i] = seconds(g, seen->visit);
        v->revisit[i] = seen->revisited ? seconds(g, seen->revisit) : v->visit[i];
    }
}

/* What the revisits found; every page that has one counts once. */
static void count_revisits(const struct verdicts *v, struct sharc_crawl_summary *m)
{
    for (uint32_t i = 0; i < v->n; i++) {
        const struct sharc_evidence *e = &v->evidence[i];
        if (e->revisit == SHARC_TIME_NONE) continue;
        if (e->change == SHARC_FAILED)
            m->lost++;
        else if (sharc_change_counts(e->change))
            m->changed++;
        else if (e->change == SHARC_INSIGNIFICANT)
            m->alike++;
        else
            m->unchanged++;
    }
}

/* --- grades ---------------------------------------------------------------------------- */

/* Wanted, and could not be fetched. */
static bool was_lost(const struct page *page, const struct version *seen)
{
    if (page->flags & PAGE_PREPARATION) return false;
    if (seen && seen->visit != SHARC_TIME_NONE) return seen->answer == SHARC_ANSWER_FAILED;
    return page->state == PAGE_DONE && (page->reason == SHARC_SKIP_FAILED || page->reason == SHARC_SKIP_BUSY ||
                                        page->reason == SHARC_SKIP_UNREACHABLE);
}

static void grade_page(const struct judged *g, uint32_t p, struct grades *ret)
{
    const struct page *page = &g->pages->page[p];
    const struct version *seen = page_version(g->pages, p);
    struct graded row = {.page = p, .reason = SHARC_GRADED_FAILED, .from = SHARC_TIME_NONE, .to = SHARC_TIME_NONE};
    if (is_captured(page, seen)) {
        row.reason = reason_of(seen);
        row.from = seen->ended;
        if (seen->revisited) row.to = seen->revisit;
    } else if (!was_lost(page, seen)) {
        return;
    }
    ret->row[ret->n++] = row;
}

static bool is_proved(const struct graded *row)
{
    return sharc_grade_is_proof(sharc_grade_of(row->reason));
}

/* Revisits begin when all visits have ended, so one instant lies in all intervals; unless a
 * clock was set or an answer was old. Then the instant that lies in most of them. */
static void find_together(struct grades *g)
{
    SHARC_AUTO(sharc_freep) struct sharc_evidence *e = SHARC_NEW_ARRAY(struct sharc_evidence, g->n);
    size_t n = 0;
    sharc_time at = SHARC_TIME_NONE;
    for (uint32_t i = 0; i < g->n; i++)
        if (is_proved(&g->row[i]))
            e[n++] = (struct sharc_evidence){.modified = g->row[i].from, .visit = g->row[i].to, .weight = 1};
    g->from = g->to = SHARC_TIME_NONE;
    if (n == 0) return;
    sharc_quality_observable(e, n, &at);
    for (uint32_t i = 0; i < g->n; i++) {
        struct graded *row = &g->row[i];
        row->together = is_proved(row) && row->from <= at && at <= row->to;
        if (!row->together) continue;
        if (g->from == SHARC_TIME_NONE || row->from > g->from) g->from = row->from;
        if (g->to == SHARC_TIME_NONE || row->to < g->to) g->to = row->to;
    }
}

void sharc__crawl_grade(const struct judged *g, struct grades *ret)
{
    *ret = (struct grades){.row = SHARC_NEW_ARRAY(struct graded, pages_count(g->pages))};
    for (uint32_t p = 0; p < pages_count(g->pages); p++) grade_page(g, p, ret);
    find_together(ret);
}

void sharc__crawl_grades_done(struct grades *g)
{
    free(g->row);
    *g = (struct grades){0};
}

static bool is_together(const struct grades *g, uint32_t page)
{
    size_t row = SHARC_COUNT_WHILE(i, g->n, g->row[i].page < page);
    return row < g->n && g->row[row].page == page && g->row[row].together;
}

/* --- sub-sites --------------------------------------------------------------------- */

/* Host and first segment: "example.org/docs/". */
static void subsite_name(struct sharc_span url, struct sharc_buf *out)
{
    struct sharc_url u = SHARC_URL_INIT;
    if (sharc_url_parse(&u, url, NULL, NULL) == 0) {
        struct sharc_span path = sharc_url_path(&u);
        size_t slash = sharc_span_find(path, '/', 1);
        sharc_buf_put(out, sharc_url_host_port(&u));
        sharc_buf_put(out, slash == SHARC_NPOS ? SHARC_SPAN("/") : sharc_span_sub(path, 0, slash + 1));
    }
    sharc_url_done(&u);
}

static int worst_first(const void *a, const void *b)
{
    const struct sharc_crawl_subsite *x = a, *y = b;
    if (x->incoherent != y->incoherent) return x->incoherent > y->incoherent ? -1 : 1;
    if (x->blur < y->blur || x->blur > y->blur) return x->blur > y->blur ? -1 : 1;
    return strcmp(x->name, y->name);
}

static void find_worst(const struct pages *p, const struct verdicts *v, const struct grades *grades, double end,
                       struct sharc_crawl_summary *m)
{
    SHARC_AUTO(sharc_intern_freep) struct sharc_intern *names = sharc_intern_new();
    SHARC_AUTO(sharc_buf_done) struct sharc_buf name = SHARC_BUF_INIT(2 * SHARC_LIMIT_URL);
    struct sharc_crawl_subsite *all = NULL;
    size_t room = 0, count = 0;
    for (uint32_t i = 0; i < v->n; i++) {
        bool fresh = false;
        sharc_buf_clear(&name);
        subsite_name(page_url(p, v->page[i]), &name);
        uint32_t k = sharc_intern_add(names, sharc_buf_span(&name), &fresh);
        if (fresh) {
            SHARC_GROW(all, room, count + 1);
            all[count++] = (struct sharc_crawl_subsite){.name = sharc_strdup(sharc_buf_str(&name))};
        }
        all[k].pages++;
        all[k].incoherent += m->revisits && !is_together(grades, v->page[i]);
        all[k].blur += sharc_quality_blur_revisit(v->rate[i], v->visit[i], v->revisit[i], 0, end);
    }
    if (count > 0) qsort(all, count, sizeof *all, worst_first);
    for (size_t k = 0; k < count; k++) {
        bool bad = all[k].incoherent > 0 || (!m->revisits && all[k].blur > 0);
        if (m->worst_count < SHARC_LENGTH(m->worst) && bad)
            m->worst[m->worst_count++] = all[k];
        else
            free(all[k].name);
    }
    free(all);
}

/* By the revisits, of all pages that belong to the capture. */
static void count_grades(const struct grades *g, struct sharc_crawl_summary *m)
{
    m->judged = g->n;
    for (uint32_t i = 0; i < g->n; i++) {
        m->reason[g->row[i].reason]++;
        m->coherent += g->row[i].together;
        m->apart += is_proved(&g->row[i]) && !g->row[i].together;
        m->attested +=
            sharc_grade_of(g->row[i].reason) == SHARC_GRADE_ATTESTED || g->row[i].reason == SHARC_GRADED_WORD_BROKEN;
    }
    m->coherent_share = g->n ? (double)m->coherent / g->n : 0;
    m->reference_from = g->from;
    m->reference_to = g->to;
    if (g->from != SHARC_TIME_NONE) m->reference = g->from;
}

/* By what the pages state. */
static void count_stated(const struct verdicts *v, struct sharc_crawl_summary *m)
{
    struct sharc_coherence c = sharc_quality_observable(v->evidence, v->n, &m->reference);
    m->judged = c.pages;
    m->coherent = c.coherent;
    m->coherent_share = c.pages ? sharc_quality_coherence_share(&c) : 0;
}

void sharc__crawl_summary_clear(struct sharc_crawl_summary *m)
{
    for (size_t i = 0; i < m->worst_count; i++) free(m->worst[i].name);
    free(m->weakened);
    *m = (struct sharc_crawl_summary){0};
}

void sharc__crawl_judge(const struct judged *g, struct sharc_crawl_summary *ret)
{
    const struct pages *p = g->pages;
    struct sharc_crawl_summary m = {.name = g->name,
                                    .strategy = g->ops->name,
                                    .capture = g->capture,
                                    .phase = g->phase,
                                    .resumed = g->resumed,
                                    .start = g->first,
                                    .end = g->last,
                                    .reference = g->reference,
                                    .reference_from = SHARC_TIME_NONE,
                                    .reference_to = SHARC_TIME_NONE,
                                    .gone = g->count->gone,
                                    .failed = g->count->failed,
                                    .skipped = g->count->skipped,
                                    .downloads = g->count->downloads,
                                    .bytes = g->count->bytes,
                                    .revisited = g->count->revisits,
                                    .not_modified = g->count->not_modified,
                                    .identical = g->count->identical,
                                    .revisits = g->ops->revisits,
                                    .audited = g->count->audited,
                                    .lies = g->count->lies,
                                    .interrupted = g->interrupted};
    struct verdicts v;
    struct grades grades = {0};
    gather(g, &v);
    for (uint32_t i = 0; i < pages_count(p); i++) {
        const enum aside aside = sharc__crawl_aside(p, i);
        m.gone += aside == ASIDE_SOFT_404;
        m.aliases += aside == ASIDE_CANONICAL;
    }
    m.pages = v.n;
    count_revisits(&v, &m);
    m.unreached = v.n == 0 && !g->answered;
    for (uint32_t i = 0; i < v.n; i++) {
        const struct version *seen = page_version(p, v.page[i]);
        const bool embed = (p->page[v.page[i]].flags & PAGE_FOLLOWER) != 0;
        m.embeds += embed;
        m.redirects += !embed && seen && seen->answer == SHARC_ANSWER_REDIRECT;
    }
    if (m.revisits && m.reference != SHARC_TIME_NONE) { /* else it was stopped before its visits were over */
        sharc__crawl_grade(g, &grades);
        count_grades(&grades, &m);
    } else if (!m.revisits) {
        count_stated(&v, &m);
    }
    double end = g->last == SHARC_TIME_NONE ? 0 : seconds(g, g->last);
    struct sharc_capture capture = {.n = v.n, .rate = v.rate, .visit = v.visit, .revisit = v.revisit};
    if (v.n) m.blur = sharc_quality_capture_blur(&capture, 0, end) / v.n;
    find_worst(p, &v, &grades, end, &m);
    sharc__crawl_grades_done(&grades);
    verdicts_done(&v);
    sharc__crawl_summary_clear(ret);
    *ret = m;
}

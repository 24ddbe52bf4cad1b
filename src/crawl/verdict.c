/* SPDX-License-Identifier: Apache-2.0
 *
 * The quality of a capture, from what was seen: expected blur from the rates,
 * coherence from the revisits, or, where there are none, from Last-Modified.
 */
#include "verdict.h"

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

/* A page counts when it was captured: an answer with content, or a redirect. */
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
        if (!seen || seen->visit == SHARC_TIME_NONE || (page->flags & PAGE_PREPARATION)) continue;
        if (page->reason == SHARC_SKIP_CANONICAL) continue; /* counts under its other address */
        if (seen->answer != SHARC_ANSWER_CONTENT && seen->answer != SHARC_ANSWER_REDIRECT) continue;
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

/* What the revisits found; every page that has one counts once. The download at the
 * reference time is none, though it serves as one. */
static void count_revisits(const struct verdicts *v, struct sharc_crawl_summary *m)
{
    for (uint32_t i = 0; i < v->n; i++) {
        const struct sharc_evidence *e = &v->evidence[i];
        if (e->revisit == SHARC_TIME_NONE || e->revisit == e->visit) continue;
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

static bool is_coherent(const struct sharc_evidence *e, sharc_time reference)
{
    return sharc_quality_inducible(e, 1, reference).coherent == 1;
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

static void find_worst(const struct pages *p, const struct verdicts *v, double end, struct sharc_crawl_summary *m)
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
        all[k].incoherent += m->revisits && !is_coherent(&v->evidence[i], m->reference);
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

static void coherence(const struct verdicts *v, struct sharc_crawl_summary *m)
{
    struct sharc_coherence c = {0};
    if (m->revisits && m->reference != SHARC_TIME_NONE)
        c = sharc_quality_inducible(v->evidence, v->n, m->reference);
    else if (!m->revisits) /* else it was stopped before its visits were over: nothing is proved */
        c = sharc_quality_observable(v->evidence, v->n, &m->reference);
    m->judged = c.pages;
    m->coherent = c.coherent;
    m->coherent_share = c.pages ? sharc_quality_coherence_share(&c) : 0;
}

void sharc__crawl_summary_clear(struct sharc_crawl_summary *m)
{
    for (size_t i = 0; i < m->worst_count; i++) free(m->worst[i].name);
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
                                    .gone = g->count->gone,
                                    .failed = g->count->failed,
                                    .skipped = g->count->skipped,
                                    .downloads = g->count->downloads,
                                    .bytes = g->count->bytes,
                                    .revisited = g->count->revisits,
                                    .not_modified = g->count->not_modified,
                                    .identical = g->count->identical,
                                    .revisits = g->ops->revisits,
                                    .interrupted = g->interrupted};
    struct verdicts v;
    gather(g, &v);
    m.pages = v.n;
    for (uint32_t i = 0; i < pages_count(p); i++) m.aliases += p->page[i].reason == SHARC_SKIP_CANONICAL;
    count_revisits(&v, &m);
    m.unreached = v.n == 0 && !g->answered;
    for (uint32_t i = 0; i < v.n; i++) m.embeds += (p->page[v.page[i]].flags & PAGE_FOLLOWER) != 0;
    coherence(&v, &m);
    double end = g->last == SHARC_TIME_NONE ? 0 : seconds(g, g->last);
    struct sharc_capture capture = {.n = v.n, .rate = v.rate, .visit = v.visit, .revisit = v.revisit};
    if (v.n) m.blur = sharc_quality_capture_blur(&capture, 0, end) / v.n;
    find_worst(p, &v, end, &m);
    verdicts_done(&v);
    sharc__crawl_summary_clear(ret);
    *ret = m;
}

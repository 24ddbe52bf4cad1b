/* SPDX-License-Identifier: Apache-2.0
 *
 * A capture is over: what it proves, page by page, goes to the catalogue; and which pages are
 * proved with all that they embed, styles, scripts, images, frames.
 */
#include "engine.h"
#include "verdict.h"

#include "sharc/store_query.h"

#include <stdlib.h>

/* --- whole pages ----------------------------------------------------------------------- */

struct edge {
    uint32_t from, to;
};

struct whole {
    const struct pages *pages;
    uint8_t *worst; /* of a page and what it embeds; 0: does not belong to the capture */
    struct edge *edges;
    size_t count, room;
};

static void take_edge(struct whole *w, const struct sharc_store_edge *e)
{
    const uint32_t from = sharc_intern_find(w->pages->urls, e->from_url);
    const uint32_t to = sharc_intern_find(w->pages->urls, e->to_url);
    if (from == SHARC_NO_ID || !w->worst[from]) return;
    /* What an image redirects to is seen in its place; a page that sends the reader elsewhere ends there. */
    const struct version *v = page_version(w->pages, from);
    if (e->kind == SHARC_LINK_REDIRECT && !(v && v->answer == SHARC_ANSWER_REDIRECT)) return;
    /* Shut out by the scope, a limit or robots.txt, or not there: nobody knows what a reader saw in its place. */
    if (to == SHARC_NO_ID || !w->worst[to]) {
        w->worst[from] = SHARC_GRADE_UNPROVED;
        return;
    }
    SHARC_GROW(w->edges, w->room, w->count + 1);
    w->edges[w->count++] = (struct edge){from, to};
}

static int read_edges(struct whole *w, struct sharc_store *store, sharc_store_id capture, struct sharc_err *reterr)
{
    SHARC_AUTO(sharc_store_rows_freep) struct sharc_store_rows *rows = NULL;
    const struct sharc_store_link_filter f = {.capture = capture,
                                              .kinds = 1u << SHARC_LINK_EMBED | 1u << SHARC_LINK_REDIRECT,
                                              .texts = true};
    int r = sharc_store_links(store, &f, &rows, reterr);
    while (r >= 0 && (r = sharc_store_rows_next(rows, reterr)) > 0) {
        struct sharc_store_edge e;
        sharc_store_read_edge(rows, &e);
        take_edge(w, &e);
    }
    return r < 0 ? r : 0;
}

/* Styles embed images, frames embed pages: again until nothing gets worse. Grades are few, so this ends. */
static void spread(struct whole *w)
{
    bool worse = true;
    while (worse) {
        worse = false;
        for (size_t i = 0; i < w->count; i++) {
            const struct edge *e = &w->edges[i];
            if (w->worst[e->to] <= w->worst[e->from]) continue;
            w->worst[e->from] = w->worst[e->to];
            worse = true;
        }
    }
}

static int count_whole(struct site *s, const struct grades *all, struct sharc_err *reterr)
{
    const struct pages *p = &s->pages;
    struct whole w = {.pages = p, .worst = SHARC_NEW_ARRAY(uint8_t, pages_count(p))};
    for (uint32_t i = 0; i < all->n; i++) {
        const struct graded *row = &all->row[i];
        const enum sharc_grade grade = sharc_grade_of(row->reason);
        w.worst[row->page] = sharc_grade_is_proof(grade) && !row->together ? SHARC_GRADE_UNPROVED : (uint8_t)grade;
    }
    int r = read_edges(&w, s->crawl->ctx.w.store, s->capture.id, reterr);
    if (r == 0) spread(&w);
    uint64_t pages = 0, proved = 0;
    for (uint32_t i = 0; r == 0 && i < all->n; i++) {
        const uint32_t page = all->row[i].page;
        const struct version *v = page_version(p, page);
        if (!v || v->answer != SHARC_ANSWER_CONTENT || (p->page[page].flags & PAGE_FOLLOWER)) continue;
        pages++;
        proved += sharc_grade_is_proof((enum sharc_grade)w.worst[page]);
    }
    s->summary.whole = pages;
    s->summary.whole_coherent = proved;
    free(w.worst);
    free(w.edges);
    return r;
}

/* --- rows ------------------------------------------------------------------------------------ */

static int put_rows(struct site *s, const struct grades *all, struct sharc_err *reterr)
{
    struct sharc_crawl *c = s->crawl;
    SHARC_AUTO(sharc_buf_done) struct sharc_buf detail = SHARC_BUF_INIT(1u << 20);
    int r = 0;
    for (uint32_t i = 0; i < all->n && r == 0; i++) {
        const struct graded *one = &all->row[i];
        struct sharc_store_grade row = {.reason = one->reason, .from = one->from, .to = one->to};
        sharc_buf_clear(&detail);
        sharc__crawl_case_detail(&s->controls, one->page, &detail);
        row.detail = sharc_buf_span(&detail);
        r = sharc_store_batch_grade(c->out.batch, s->capture.id, page_url(&s->pages, one->page), &row, reterr);
        if (r == 0 && sharc_store_batch_full(c->out.batch)) r = sharc__crawl_commit(c, reterr);
    }
    return r;
}

int sharc__crawl_put_grades(struct site *s, const struct judged *g, struct sharc_err *reterr)
{
    struct grades all = {0};
    if (!g->ops->revisits || g->reference == SHARC_TIME_NONE) return 0; /* nothing was to be proved */
    sharc__crawl_grade(g, &all);
    int r = s->crawl->ctx.o.no_embeds ? 0 : count_whole(s, &all, reterr);
    if (r == 0) r = put_rows(s, &all, reterr);
    if (r == 0) r = sharc__crawl_put_closing(s, &all, reterr);
    sharc__crawl_grades_done(&all);
    return r;
}

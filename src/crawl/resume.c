/* SPDX-License-Identifier: Apache-2.0
 *
 * A capture begins, or goes on: the catalogue's last commit says where it was.
 * The journal brings pages and strategy back; queues are made anew from them.
 */
#include "crawl_int.h"

#include "sharc/base_codec.h"
#include "sharc/base_json.h"
#include "sharc/base_node.h"
#include "sharc/store_query.h"

#include <stdlib.h>

/* --- parameters -------------------------------------------------------------------- */

static void put_changes(const struct sharc_crawl *c, struct sharc_json *j)
{
    char text[SHARC_TIME_TEXT];
    sharc_json_array(j, "changes");
    for (size_t i = 0; i < c->changes_count; i++) {
        sharc_json_object(j, NULL);
        sharc_json_str(j, "time", sharc_time_iso(c->changes[i].when, 3, text));
        sharc_json_str(j, "setting", c->changes[i].text);
        sharc_json_end(j);
    }
    sharc_json_end(j);
}

/* At the end of the capture with what became of it. */
void sharc__crawl_params(const struct sharc_crawl *c, const struct sharc_strategy_params *p,
                         const struct sharc_crawl_summary *m, struct sharc_buf *out)
{
    struct sharc_json j;
    sharc_json_init(&j, out, false);
    sharc_json_object(&j, NULL);
    sharc_json_uint(&j, "journal", JOURNAL_FORM);
    sharc_json_real(&j, "delay", (double)c->o.pace.delay / (double)SHARC_SEC);
    sharc_json_bool(&j, "obey_robots", !c->o.ignore_robots);
    sharc_json_uint(&j, "size", p->size);
    sharc_json_real(&j, "confidence", p->confidence);
    sharc_json_real(&j, "risk", p->risk);
    sharc_json_real(&j, "focus_share", p->focus_share);
    sharc_json_uint(&j, "focus_pages", p->focus_pages);
    sharc_json_bool(&j, "focus_breadth_first", p->focus_breadth_first);
    sharc_json_uint(&j, "exact_up_to", p->exact_up_to);
    sharc_json_uint(&j, "connections", c->o.pace.connections);
    if (c->changes_count) put_changes(c, &j);
    if (m) {
        sharc_json_object(&j, "quality");
        sharc_json_bool(&j, "proved_by_revisits", m->revisits);
        sharc_json_uint(&j, "judged", m->judged);
        sharc_json_uint(&j, "coherent", m->coherent);
        sharc_json_real(&j, "blur", m->blur);
        sharc_json_real(&j, "interrupted_seconds", (double)m->interrupted / (double)SHARC_SEC);
        sharc_json_end(&j);
    }
    sharc_json_end(&j);
}

/* A strategy comes back to its old state only with its old parameters. Returns the form
 * of the journal. */
static int64_t get_params(struct sharc_span text, struct sharc_strategy_params *p)
{
    int64_t form = 0;
    struct sharc_arena arena = SHARC_ARENA_INIT(1u << 20);
    const struct sharc_node *n = NULL;
    if (sharc_json_read(text, &arena, &n, NULL) == 0) {
        form = sharc_node_int(sharc_node_get(n, "journal"), form);
        p->size = (uint32_t)sharc_node_int(sharc_node_get(n, "size"), p->size);
        p->confidence = sharc_node_real(sharc_node_get(n, "confidence"), p->confidence);
        p->risk = sharc_node_real(sharc_node_get(n, "risk"), p->risk);
        p->focus_share = sharc_node_real(sharc_node_get(n, "focus_share"), p->focus_share);
        p->focus_pages = (uint32_t)sharc_node_int(sharc_node_get(n, "focus_pages"), p->focus_pages);
        p->focus_breadth_first = sharc_node_bool(sharc_node_get(n, "focus_breadth_first"), p->focus_breadth_first);
        p->exact_up_to = (uint32_t)sharc_node_int(sharc_node_get(n, "exact_up_to"), p->exact_up_to);
    }
    sharc_arena_done(&arena);
    return form;
}

static void believe_in(struct sharc_strategy_params *p, struct site *s)
{
    p->believe = sharc__crawl_believe;
    p->believe_arg = s;
}

/* --- the journal ---------------------------------------------------------------------- */

struct replaying {
    struct site *site;
    struct sharc_inflate *inflate;
    struct sharc_buf piece;
};

static int replay_piece(void *arg, uint32_t seq, struct sharc_span bytes, struct sharc_err *reterr)
{
    struct replaying *r = arg;
    r->site->journal.seq = seq + 1;
    SHARC_FAIL_IF(sharc_inflate_member(r->inflate, bytes, &r->piece) <= 0, reterr, SHARC_ECORRUPT,
                  "%s: the journal of its capture is damaged; begin a new capture with --fresh", r->site->name);
    return sharc__crawl_replay(r->site, sharc_buf_span(&r->piece), reterr);
}

static int replay(struct site *s, struct sharc_err *reterr)
{
    struct replaying r = {.site = s, .inflate = sharc_inflate_new(), .piece = SHARC_BUF_INIT(JOURNAL_MOST)};
    int code = sharc_store_journal_each(s->crawl->w.store, s->capture, replay_piece, &r, reterr);
    sharc_inflate_free(r.inflate);
    sharc_buf_done(&r.piece);
    return code;
}

/* --- queues --------------------------------------------------------------------------- */

static void queue_again(struct site *s, uint32_t page)
{
    const struct page *p = &s->pages.page[page];
    const struct seen *v = page_seen(&s->pages, page);
    struct task t = {.page = page, .slot = s->slots ? s->slots - 1 : 0};
    if ((p->flags & PAGE_ERRAND) && p->hop == 'M' && !s->started) {
        t.kind = TASK_MANIFEST;
        sharc__crawl_queue_push(&s->errands, &t);
    } else if ((p->flags & PAGE_FOLLOWER) && p->state == PAGE_WAITING) {
        t.kind = TASK_EMBED;
        sharc__crawl_queue_push(&s->embeds, &t);
    }
    s->given_up += (p->flags & PAGE_TOLD) && p->state == PAGE_DONE && p->reason && !(v && v->status);
    if (p->state == PAGE_LATE) {
        t.kind = TASK_VISIT;
        sharc__crawl_queue_push(&s->late, &t);
    }
    if (!s->visits_over || !v) return;
    /* Followers of a page that was revisited, and the apex's own. */
    bool lead = v->revisited || page == s->apex;
    t.kind = TASK_REVISIT;
    if (page == s->apex && !v->revisited && !(p->flags & PAGE_FOLLOWER)) sharc__crawl_queue_push(&s->extra, &t);
    for (uint32_t f = p->first; lead && f != NO_PAGE; f = s->pages.page[f].next) {
        t.page = f;
        sharc__crawl_queue_push(&s->extra, &t); /* what needs none is dropped when chosen */
    }
}

static enum sharc_crawl_phase phase_of(const struct site *s)
{
    if (s->visits_over) return SHARC_CRAWL_REVISITS;
    if (s->count.looks) return SHARC_CRAWL_LOOKS;
    return s->started ? SHARC_CRAWL_VISITS : SHARC_CRAWL_PREPARING;
}

static int take_up(struct site *s, const struct sharc_store_capture *row, struct sharc_err *reterr)
{
    struct sharc_strategy_params params = s->crawl->o.params;
    SHARC_AUTO(sharc_freep) char *name = sharc_span_dup(row->strategy);
    const struct sharc_strategy_ops *ops = sharc_strategy_find(name);
    SHARC_FAIL_IF(
        !ops, reterr, SHARC_EUNSUPPORTED,
        "%s: its capture was begun with the strategy \"%s\", which is not known; begin a new one with --fresh", s->name,
        name);
    SHARC_FAIL_IF(get_params(row->params, &params) != JOURNAL_FORM, reterr, SHARC_EUNSUPPORTED,
                  "%s: its unfinished capture was begun by another version of sharc; finish it with that version, or "
                  "begin a new one with --fresh",
                  s->name);
    s->capture = row->id;
    s->started_at = row->start;
    s->resumed = true;
    s->params = params;
    s->ops = ops;
    believe_in(&params, s);
    int r = sharc_strategy_new(ops, &params, &s->strategy, reterr);
    if (r == 0) r = replay(s, reterr);
    if (r < 0) return r;
    char when[SHARC_TIME_TEXT];
    sharc__crawl_remark(s->crawl, "%s: going on with capture %lld (%s) of %s; --fresh begins a new one", s->name,
                        (long long)s->capture, name, sharc_time_iso(row->start, 0, when));
    s->phase = phase_of(s);
    for (uint32_t p = 0; p < pages_count(&s->pages); p++) {
        queue_again(s, p);
        if (s->pages.page[p].state != PAGE_REJECTED) sharc__crawl_note_session(s, p);
    }
    struct sharc_store_capture update = SHARC_STORE_CAPTURE_INIT;
    update.id = s->capture;
    update.state = SHARC_CAPTURE_RUNNING;
    return sharc_store_capture_update(s->crawl->w.store, &update, reterr);
}

/* --- beginning ------------------------------------------------------------------------- */

static int begin(struct site *s, struct sharc_err *reterr)
{
    struct sharc_crawl *c = s->crawl;
    SHARC_AUTO(sharc_buf_done) struct sharc_buf params = SHARC_BUF_INIT(4096);
    s->params = c->o.params;
    sharc__crawl_params(c, &s->params, NULL, &params);
    s->ops = c->o.strategy;
    struct sharc_strategy_params told = c->o.params;
    believe_in(&told, s);
    int r = sharc_strategy_new(c->o.strategy, &told, &s->strategy, reterr);
    if (r < 0) return r;
    struct sharc_store_capture row = SHARC_STORE_CAPTURE_INIT;
    row.site = s->id;
    row.strategy = sharc_span_of(c->o.strategy->name);
    row.purpose = c->o.purpose == SHARC_FOR_EVIDENCE ? SHARC_SPAN("evidence") : SHARC_SPAN("exploration");
    row.params = sharc_buf_span(&params);
    row.source = SHARC_SPAN("crawl");
    row.start = crawl_now(c);
    row.state = SHARC_CAPTURE_RUNNING;
    s->started_at = row.start;
    return sharc_store_capture_add(c->w.store, &row, &s->capture, NULL, reterr);
}

static int put_site(struct site *s, struct sharc_err *reterr)
{
    SHARC_AUTO(sharc_buf_done) struct sharc_buf seeds = SHARC_BUF_INIT(16u << 20);
    struct sharc_json j;
    sharc_json_init(&j, &seeds, false);
    sharc_json_array(&j, NULL);
    for (size_t i = 0; i < s->seeds_count; i++) sharc_json_str(&j, NULL, s->seeds[i]);
    sharc_json_end(&j);
    struct sharc_store_site row = {.name = sharc_span_of(s->name), .seeds = sharc_buf_span(&seeds)};
    return sharc_store_site_put(s->crawl->w.store, &row, &s->id, reterr);
}

/* The newest capture of the site that was not finished: 1 and taken up. */
static int find_unfinished(struct site *s, struct sharc_err *reterr)
{
    struct sharc_store_capture_filter f = SHARC_STORE_CAPTURE_FILTER_INIT;
    SHARC_AUTO(sharc_store_rows_freep) struct sharc_store_rows *rows = NULL;
    f.site = s->id;
    f.newest_first = true;
    int r = sharc_store_captures(s->crawl->w.store, &f, &rows, reterr);
    if (r < 0) return r;
    struct sharc_store_capture row;
    while ((r = sharc_store_rows_next(rows, reterr)) > 0) {
        sharc_store_read_capture(rows, &row);
        bool crawled = sharc_span_is(row.source, "crawl");
        if (!crawled || (row.state != SHARC_CAPTURE_RUNNING && row.state != SHARC_CAPTURE_INTERRUPTED)) continue;
        SHARC_AUTO(sharc_freep) char *strategy = sharc_span_dup(row.strategy);
        SHARC_AUTO(sharc_freep) char *params = sharc_span_dup(row.params);
        row.strategy = sharc_span_of(strategy);
        row.params = sharc_span_of(params);
        sharc_store_rows_freep(&rows);
        r = take_up(s, &row, reterr);
        return r < 0 ? r : 1;
    }
    return r;
}

int sharc__crawl_resume_or_begin(struct site *s, struct sharc_err *reterr)
{
    int r = put_site(s, reterr);
    if (r < 0) return r;
    if (!s->crawl->o.fresh) r = find_unfinished(s, reterr);
    if (r == 0) {
        r = begin(s, reterr);
        if (r == 0 && !s->crawl->o.forget) r = sharc__crawl_remember(s, reterr);
    }
    return r < 0 ? r : 0;
}

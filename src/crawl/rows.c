/* SPDX-License-Identifier: Apache-2.0
 *
 * Rows of the catalogue about a download.
 */
#include "output.h"

#include "sharc/warc_own.h"

#include <stdlib.h>

static int place_of(struct output *o, const struct written *w, struct sharc_store_place *ret, struct sharc_err *reterr)
{
    if (!w->any) return 0;
    ret->offset = w->places.response.offset;
    ret->length = w->places.response.length;
    return sharc__crawl_file_row(o, w->places.response.file, &ret->warc, reterr);
}

/* A page of its own that something embeds before its turn comes has the place of that. */
int64_t sharc__crawl_slot(const struct task *t, const struct page *p)
{
    const bool early = t->kind == TASK_EMBED && !(p->flags & PAGE_FOLLOWER);
    return t->of_strategy || early ? (int64_t)t->slot : -1;
}

static void fill_look(const struct capture *s, const struct job *j, const struct written *w, struct sharc_store_look *l)
{
    const struct sharc_fetch_result *r = j->result;
    l->when = r->start;
    l->took = r->end - r->start;
    l->slot = sharc__crawl_slot(&j->task, &s->pages->page[j->task.page]);
    l->status = r->status;
    l->size = (int64_t)j->made.size;
    l->digest = j->made.digest;
    if (j->task.kind < TASK_LOOK || !w->revisit) l->text_digest = j->made.text_digest;
    l->etag = sharc_http_get(&r->http, "ETag");
    l->last_modified = j->made.modified;
    l->change = (int)j->made.verdict.change;
    l->importance = j->made.importance;
    l->rate = j->rate;
    if (j->made.answer == SHARC_ANSWER_NOT_MODIFIED && j->in.before.has_digest) {
        l->digest = (struct sharc_digest){.kind = SHARC_SHA256, .n = sizeof j->in.before.digest};
        memcpy(l->digest.bytes, j->in.before.digest, sizeof j->in.before.digest);
        l->size = j->in.before.size;
    }
}

/* Guesses are no links of the page; a redirect is one, and so are the parts that a limit left out, together. */
static struct sharc_store_link *links_of(const struct job *j, size_t *ret_n)
{
    struct sharc_store_link *links = SHARC_NEW_ARRAY(struct sharc_store_link, j->made.page.link_count + 2);
    size_t n = 0;
    if (j->made.answer == SHARC_ANSWER_REDIRECT)
        links[n++] = (struct sharc_store_link){sharc_buf_span(&j->made.location), SHARC_LINK_REDIRECT};
    for (size_t i = 0; j->made.extracted && i < j->made.page.link_count; i++) {
        const struct sharc_link *l = &j->made.page.links[i];
        if (!(l->flags & (SHARC_LINK_SPECULATIVE | SHARC_LINK_REPEATED)))
            links[n++] = (struct sharc_store_link){l->url, l->kind};
    }
    if (sharc__crawl_parts_unread(j))
        links[n++] = (struct sharc_store_link){SHARC_SPAN(SHARC_OWN_PARTS_UNREAD), SHARC_LINK_EMBED};
    *ret_n = n;
    return links;
}

static int rows_visit(struct capture *s, const struct job *j, const struct written *w, struct sharc_err *reterr)
{
    struct output *o = s->out;
    const struct page *p = &s->pages->page[j->task.page];
    struct sharc_store_page row = SHARC_STORE_PAGE_INIT;
    row.capture = s->id;
    row.url = page_url(s->pages, j->task.page);
    if (p->via != NO_PAGE) row.parent = page_url(s->pages, p->via);
    row.redirect = sharc_buf_span(&j->made.location);
    row.hops = (int)sharc__crawl_pages_path_length(s->pages, j->task.page);
    row.hopeless = (p->flags & PAGE_HOPELESS) != 0;
    row.planned_rate = j->planned_rate;
    row.weight = (double)p->weight;
    fill_look(s, j, w, &row.visit);
    int r = place_of(o, w, &row.visit.place, reterr);
    if (r < 0) return r;
    if (w->revisit) {
        row.record = j->made.answer == SHARC_ANSWER_NOT_MODIFIED ? SHARC_STORE_NOT_MODIFIED : SHARC_STORE_IDENTICAL;
        row.body.offset = j->in.before.offset;
        row.body.length = j->in.before_length;
        if (j->in.before.file != SHARC_NO_ID)
            r = sharc__crawl_file_row(o, sharc_intern_text(o->files, j->in.before.file).p, &row.body.warc, reterr);
        if (r < 0) return r;
    }
    row.mime = sharc_buf_span(&j->made.mime);
    SHARC_AUTO(sharc_freep) struct sharc_store_link *links = NULL;
    if (j->made.extracted) {
        row.title = sharc_span_sub(j->made.page.title, 0, 512);
        if (j->made.has_minhash) row.minhash = sharc_span(j->made.minhash, sizeof j->made.minhash);
        if (j->made.has_minhash) row.words = (int64_t)j->made.words;
        row.stated = j->made.page.modified;
        row.images = j->made.page.images;
        row.tables = j->made.page.tables;
    }
    if (j->made.extracted || j->made.answer == SHARC_ANSWER_REDIRECT) {
        links = links_of(j, &row.n_links);
        row.links = links;
        row.has_links = true;
    }
    return sharc_store_batch_page(o->batch, &row, reterr);
}

/* What is archived of the page from now on, with what it embeds. */
static bool shows_another_page(const struct job *j, const struct written *w)
{
    return j->task.kind == TASK_LOOK && !w->revisit &&
           (j->made.answer == SHARC_ANSWER_CONTENT || j->made.answer == SHARC_ANSWER_REDIRECT);
}

int sharc__crawl_rows_page(struct capture *s, const struct job *j, const struct written *w, struct sharc_err *reterr)
{
    if (j->task.kind < TASK_VISIT || j->task.kind == TASK_CONTROL) return 0;
    if (j->task.kind == TASK_VISIT || j->task.kind == TASK_EMBED) return rows_visit(s, j, w, reterr);
    struct sharc_store_look look = SHARC_STORE_LOOK_INIT;
    SHARC_AUTO(sharc_freep) struct sharc_store_link *links = NULL;
    fill_look(s, j, w, &look);
    int r = place_of(s->out, w, &look.place, reterr);
    if (r < 0) return r;
    if (shows_another_page(j, w)) {
        look.links = links = links_of(j, &look.n_links);
        look.has_links = true;
    }
    return sharc_store_batch_look(s->out->batch, s->id, page_url(s->pages, j->task.page),
                                  j->task.kind == TASK_LOOK ? SHARC_LOOK_SECOND : SHARC_LOOK_REVISIT, &look, reterr);
}

void sharc__crawl_rows_skip(struct capture *s, uint32_t page, enum sharc_crawl_reason why, struct sharc_span detail)
{
    (void)sharc_store_batch_skipped(s->out->batch, s->id, page_url(s->pages, page),
                                    sharc_span_of(sharc_crawl_reason_word(why)), detail, NULL);
}

/* SPDX-License-Identifier: Apache-2.0
 *
 * Rows of the catalogue, and the one order in which things become durable:
 *
 *   WARC bytes synced ──> transaction: pages, looks, skipped, journal, how far
 *   the WARCs go ──> the next one
 */
#include "crawl_int.h"

#include "sharc/base_codec.h"
#include "sharc/base_file.h"
#include "sharc/store_query.h"

#include <math.h>
#include <stdlib.h>
#include <sys/stat.h>

uint32_t sharc__crawl_file(struct sharc_crawl *c, const char *name)
{
    uint32_t number = sharc_intern_add(c->files, sharc_span_of(name), NULL);
    SHARC_GROW(c->file, c->file_room, (size_t)number + 1);
    while (c->file_count <= number) c->file[c->file_count++] = (struct file){0};
    return number;
}

static void tell_waiting(void *arg, sharc_time pause, const struct sharc_err *why)
{
    struct sharc_crawl *c = arg;
    (void)pause;
    if (!c->store_away) sharc__crawl_remark(c, "%s: waiting until the catalogue is there again", why->text);
    c->store_away = true;
}

static struct sharc_store_patience patience_of(struct sharc_crawl *c)
{
    return (struct sharc_store_patience){
        .clock = c->w.clock, .patience = SHARC_HOUR, .stop = &c->no_wait, .waiting = tell_waiting, .arg = c};
}

static void is_back(struct sharc_crawl *c)
{
    if (c->store_away) sharc__crawl_remark(c, "the catalogue is there again: going on");
    c->store_away = false;
}

int sharc__crawl_file_row(struct sharc_crawl *c, const char *file, sharc_store_id *ret, struct sharc_err *reterr)
{
    uint32_t number = sharc__crawl_file(c, file);
    int r = 0;
    if (c->file[number].row == 0) {
        SHARC_AUTO(sharc_freep) char *name = sharc_asprintf("warcs/%s", file);
        struct sharc_store_warc w = {.name = sharc_span_of(name), .state = SHARC_STORE_WARC_PARTIAL};
        struct sharc_store_patience patience = patience_of(c);
        while ((r = sharc_store_warc_open(c->w.store, &w, &c->file[number].row, NULL, reterr)) == SHARC_ENET) {
            r = sharc_store_wait(c->w.store, &patience, reterr);
            if (r < 0) break;
        }
        if (r == 0) is_back(c);
    }
    *ret = c->file[number].row;
    return r;
}

void sharc__crawl_wrote(struct sharc_crawl *c, const struct sharc_warc_fetch_places *p)
{
    const struct sharc_warc_place *const places[] = {&p->response, &p->request, &p->metadata};
    for (size_t i = 0; i < SHARC_LENGTH(places); i++) {
        if (places[i]->length == 0) continue;
        uint32_t number = sharc__crawl_file(c, places[i]->file);
        struct file *f = &c->file[number];
        f->end = places[i]->offset + places[i]->length;
        f->records++;
        f->changed = true;
    }
}

static int put_file(struct sharc_crawl *c, uint32_t number, uint64_t end, enum sharc_store_warc_state state,
                    struct sharc_err *reterr)
{
    struct sharc_store_warc w = {.size = end, .state = state, .done = end, .records = c->file[number].records};
    int r = sharc__crawl_file_row(c, sharc_intern_text(c->files, number).p, &w.id, reterr);
    return r < 0 ? r : sharc_store_batch_warc(c->batch, &w, reterr);
}

static int put_files(struct sharc_crawl *c, struct sharc_err *reterr)
{
    int r = 0;
    for (uint32_t i = 0; i < c->file_count && r == 0; i++) {
        if (c->file[i].changed) r = put_file(c, i, c->file[i].end, SHARC_STORE_WARC_PARTIAL, reterr);
        c->file[i].changed = false;
    }
    return r;
}

/* Records that were on disk but not committed when a crawl was killed have been
 * fetched again: their file counts as read to its end all the same. */
int sharc__crawl_files_closed(struct sharc_crawl *c, struct sharc_err *reterr)
{
    int r = 0;
    for (uint32_t i = 0; i < c->file_count && r == 0; i++) {
        struct stat st;
        SHARC_AUTO(sharc_freep) char *path = sharc_path_join(c->warc_dir, sharc_intern_text(c->files, i).p);
        if (!c->file[i].end || stat(path, &st) < 0) continue;
        r = put_file(c, i, (uint64_t)st.st_size, SHARC_STORE_WARC_COMPLETE, reterr);
    }
    return r < 0 ? r : sharc__crawl_commit(c, reterr);
}

static int place_of(struct sharc_crawl *c, const struct written *w, struct sharc_store_place *ret,
                    struct sharc_err *reterr)
{
    if (!w->any) return 0;
    ret->offset = w->places.response.offset;
    ret->length = w->places.response.length;
    return sharc__crawl_file_row(c, w->places.response.file, &ret->warc, reterr);
}

static void fill_look(const struct job *j, const struct written *w, struct sharc_store_look *l)
{
    const struct sharc_fetch_result *r = j->result;
    l->when = r->start;
    l->took = r->end - r->start;
    l->slot = j->task.told ? (int64_t)j->task.slot : -1;
    l->status = r->status;
    l->size = (int64_t)j->size;
    l->digest = j->digest;
    if (j->task.kind < TASK_LOOK || !w->revisit) l->text_digest = j->text_digest;
    l->etag = sharc_http_get(&r->http, "ETag");
    l->last_modified = j->modified;
    l->change = (int)j->verdict.change;
    l->importance = j->importance;
    l->rate = j->rate;
    if (j->answer == SHARC_ANSWER_NOT_MODIFIED && j->before.has_digest) {
        l->digest = (struct sharc_digest){.kind = SHARC_SHA256, .n = sizeof j->before.digest};
        memcpy(l->digest.bytes, j->before.digest, sizeof j->before.digest);
        l->size = j->before.size;
    }
}

/* Guesses are no links of the page; a redirect is one. */
static struct sharc_store_link *links_of(const struct job *j, size_t *ret_n)
{
    struct sharc_store_link *links = SHARC_NEW_ARRAY(struct sharc_store_link, j->page.link_count + 1);
    size_t n = 0;
    if (j->answer == SHARC_ANSWER_REDIRECT)
        links[n++] = (struct sharc_store_link){sharc_buf_span(&j->location), SHARC_LINK_REDIRECT};
    for (size_t i = 0; j->extracted && i < j->page.link_count; i++) {
        const struct sharc_link *l = &j->page.links[i];
        if (!(l->flags & (SHARC_LINK_SPECULATIVE | SHARC_LINK_REPEATED)))
            links[n++] = (struct sharc_store_link){l->url, l->kind};
    }
    *ret_n = n;
    return links;
}

static int rows_visit(struct job *j, const struct written *w, struct sharc_err *reterr)
{
    struct site *s = j->site;
    struct sharc_crawl *c = s->crawl;
    const struct page *p = &s->pages.page[j->task.page];
    struct sharc_store_page row = SHARC_STORE_PAGE_INIT;
    row.capture = s->capture;
    row.url = page_url(&s->pages, j->task.page);
    if (p->via != NO_PAGE) row.parent = page_url(&s->pages, p->via);
    row.redirect = sharc_buf_span(&j->location);
    row.hops = (int)sharc__crawl_hop_count(&s->pages, j->task.page);
    row.hopeless = (p->flags & PAGE_HOPELESS) != 0;
    row.planned_rate = j->planned_rate;
    row.weight = (double)p->weight;
    fill_look(j, w, &row.visit);
    int r = place_of(c, w, &row.visit.place, reterr);
    if (r < 0) return r;
    if (w->revisit) {
        row.record = j->answer == SHARC_ANSWER_NOT_MODIFIED ? SHARC_STORE_NOT_MODIFIED : SHARC_STORE_IDENTICAL;
        row.body.offset = j->before.offset;
        row.body.length = j->before_length;
        if (j->before.file != SHARC_NO_ID)
            r = sharc__crawl_file_row(c, sharc_intern_text(c->files, j->before.file).p, &row.body.warc, reterr);
        if (r < 0) return r;
    }
    row.mime = sharc_buf_span(&j->mime);
    SHARC_AUTO(sharc_freep) struct sharc_store_link *links = NULL;
    if (j->extracted) {
        row.title = sharc_span_sub(j->page.title, 0, 512);
        if (j->has_minhash) row.minhash = sharc_span(j->minhash, sizeof j->minhash);
        if (j->has_minhash) row.words = (int64_t)j->words;
        row.stated = j->page.modified;
        row.images = j->page.images;
        row.tables = j->page.tables;
    }
    if (j->extracted || j->answer == SHARC_ANSWER_REDIRECT) {
        links = links_of(j, &row.n_links);
        row.links = links;
        row.has_links = true;
    }
    return sharc_store_batch_page(c->batch, &row, reterr);
}

int sharc__crawl_rows_page(struct job *j, const struct written *w, struct sharc_err *reterr)
{
    struct site *s = j->site;
    if (j->task.kind < TASK_VISIT) return 0;
    if (j->task.kind == TASK_VISIT || j->task.kind == TASK_EMBED) return rows_visit(j, w, reterr);
    struct sharc_store_look look = SHARC_STORE_LOOK_INIT;
    fill_look(j, w, &look);
    int r = place_of(s->crawl, w, &look.place, reterr);
    if (r < 0) return r;
    return sharc_store_batch_look(s->crawl->batch, s->capture, page_url(&s->pages, j->task.page),
                                  j->task.kind == TASK_LOOK ? SHARC_LOOK_SECOND : SHARC_LOOK_REVISIT, &look, reterr);
}

void sharc__crawl_rows_skip(struct site *s, uint32_t page, enum sharc_crawl_reason why, struct sharc_span detail)
{
    s->count.skipped++;
    if (!s->crawl->batch) return;
    (void)sharc_store_batch_skipped(s->crawl->batch, s->capture, page_url(&s->pages, page),
                                    sharc_span_of(sharc_crawl_reason_word(why)), detail, NULL);
}

/* --- commits ------------------------------------------------------------------------ */

/* Its pieces are packed: URLs of one site are much alike. */
static int put_journal(struct site *s, struct sharc_deflate *pack, struct sharc_err *reterr)
{
    struct sharc_crawl *c = s->crawl;
    if (!s->dirty) return 0;
    sharc__crawl_j_state(s);
    sharc__crawl_j_ran(s);
    sharc_buf_clear(&c->scratch2);
    int r = sharc_deflate_member(pack, sharc_buf_span(&s->journal.pending), &c->scratch2);
    if (r < 0) return sharc_fail(reterr, r, "%s: the journal is too large", s->name);
    return sharc_store_batch_journal(c->batch, s->capture, s->journal.seq++, sharc_buf_span(&c->scratch2), reterr);
}

static int sync_warcs(struct sharc_crawl *c, struct sharc_err *reterr)
{
    int r = c->warc ? sharc_warc_writer_sync(c->warc, reterr) : 0;
    for (size_t i = 0; i < c->sites && r == 0; i++) {
        struct site *s = c->site[i];
        if (s->dirty && s->warc) r = sharc_warc_writer_sync(s->warc, reterr);
    }
    return r;
}

int sharc__crawl_commit(struct sharc_crawl *c, struct sharc_err *reterr)
{
    struct sharc_deflate *pack = NULL;
    int r = 0;
    if (!c->journaled) {
        r = sync_warcs(c, reterr);
        if (r < 0) return r;
        pack = sharc_deflate_new(1);
        for (size_t i = 0; i < c->sites && r == 0; i++) r = put_journal(c->site[i], pack, reterr);
        if (r == 0) r = put_files(c, reterr);
        sharc_deflate_free(pack);
        if (r < 0) return r;
        c->journaled = true; /* a commit that fails is repeated with the same rows */
    }
    if (c->log) fflush(c->log); /* it knows at least what the catalogue knows */
    struct sharc_store_patience patience = patience_of(c);
    r = sharc_store_batch_commit_patiently(c->batch, &patience, reterr);
    if (r < 0) return r;
    is_back(c);
    for (size_t i = 0; i < c->sites; i++) {
        sharc_buf_clear(&c->site[i]->journal.pending);
        c->site[i]->dirty = false;
    }
    c->journaled = false;
    c->records = 0;
    return 0;
}

/* --- the end of a capture -------------------------------------------------------------- */

static int put_capture(struct site *s, enum sharc_capture_state state, struct sharc_err *reterr)
{
    struct sharc_store_capture row = SHARC_STORE_CAPTURE_INIT;
    row.id = s->capture;
    row.state = state;
    row.end = s->last;
    row.reference = s->summary.reference;
    SHARC_AUTO(sharc_buf_done) struct sharc_buf params = SHARC_BUF_INIT(4u << 20);
    sharc__crawl_params(s->crawl, &s->params, &s->summary, &params);
    row.params = sharc_buf_span(&params);
    return sharc_store_batch_capture(s->crawl->batch, &row, reterr);
}

int sharc__crawl_finish_site(struct site *s, struct sharc_err *reterr)
{
    struct sharc_crawl *c = s->crawl;
    sharc__crawl_judge(s);
    sharc__crawl_log_limits(s);
    bool complete = s->phase == SHARC_CRAWL_DONE;
    s->dirty = true;
    /* The capture is over when its file is closed: killed before, it is resumed and ends at once. */
    int r = sharc__crawl_commit(c, reterr);
    if (r == 0 && s->second_chances) r = sharc__crawl_skipped_anew(s, reterr);
    if (r == 0 && s->warc) r = sharc_warc_writer_finish(s->warc, reterr);
    if (r == 0 && complete && sharc__crawl_judge_aliases(s)) sharc__crawl_judge(s);
    if (r == 0 && complete) sharc__crawl_keep_rates(s);
    if (r == 0) r = put_capture(s, complete ? SHARC_CAPTURE_COMPLETE : SHARC_CAPTURE_INTERRUPTED, reterr);
    if (r == 0) r = sharc__crawl_commit(c, reterr);
    if (r == 0 && complete) r = sharc_store_journal_drop(c->w.store, s->capture, reterr);
    if (r == 0) s->finished = true;
    return r;
}

/* SPDX-License-Identifier: Apache-2.0
 *
 * Batches into the catalogue, in their order, by one thread.
 *
 * INVARIANTS
 *  (1) Rows and how far their file is read are committed together; between
 *      commits the catalogue knows nothing of either.
 *  (2) A file that cannot be taken up in the middle (records that share a gzip
 *      member) keeps its old progress until its next place where it can; its
 *      rows are then put twice, which changes nothing.
 *  (3) A capture is in the catalogue before its first page, "importing" until
 *      finish.c is done with it.
 */
#include "import_int.h"
#include "sharc/base_json.h"
#include "sharc/base_node.h"
#include "sharc/base_remote.h"
#include "sharc/url.h"

#include <stdlib.h>
#include <unistd.h>

/* --- what is known before ------------------------------------------------------ */

/* What an import noted in the parameters; a crawl's own capture is its own run, named by when it began. */
static uint64_t read_params(const struct sharc_store_capture *c, struct sharc_buf *ret_run)
{
    struct sharc_arena arena = SHARC_ARENA_INIT(1u << 20);
    const struct sharc_node *params = NULL, *run = NULL;
    sharc_buf_clear(ret_run);
    if (c->params.n && sharc_json_read(c->params, &arena, &params, NULL) == 0) run = sharc_node_get(params, "run");
    char began[SHARC_TIME_TEXT];
    bool crawled = !sharc_span_is(c->source, "import") && c->start != SHARC_TIME_NONE;
    sharc_buf_put(ret_run, run       ? sharc_node_text(run)
                           : crawled ? sharc_span_of(sharc_time_iso(c->start, 6, began))
                                     : c->key);
    int64_t records = sharc_node_int(sharc_node_get(params, "records"), 0);
    sharc_arena_done(&arena);
    return records > 0 ? (uint64_t)records : 0;
}

void sharc__import_params(const struct import_writer *w, const struct import_capture *c, struct sharc_buf *out)
{
    static const char *const by[] = {"domain", "host", "run"};
    struct sharc_json j;
    sharc_json_init(&j, out, false);
    sharc_json_object(&j, NULL);
    sharc_json_span(&j, "run", sharc_intern_text(w->captures.names, c->run));
    sharc_json_str(&j, "by", by[w->o->by]);
    sharc_json_uint(&j, "records", c->records);
    sharc_store_weakness_put(&c->weakness, &j);
    if (c->derived) {
        sharc_json_object(&j, "grades");
        sharc_json_str(&j, "by", sharc_store_grader_word(SHARC_STORE_GRADER_RECORDS));
        if (c->claim.pages) {
            sharc_json_object(&j, "claimed");
            sharc_json_uint(&j, "pages", c->claim.pages);
            sharc_json_uint(&j, "proved", c->claim.proved);
            sharc_json_uint(&j, "unfounded", c->claim.unfounded);
            sharc_json_end(&j);
        }
        sharc_json_end(&j);
    }
    sharc_json_end(&j);
}

static int load_captures(struct import_writer *w, struct sharc_err *reterr)
{
    SHARC_AUTO(sharc_store_rows_freep) struct sharc_store_rows *rows = NULL;
    SHARC_AUTO(sharc_buf_done) struct sharc_buf run = SHARC_BUF_INIT(1u << 20);
    int r = sharc_store_captures(w->store, NULL, &rows, reterr);
    while (r >= 0 && (r = sharc_store_rows_next(rows, reterr)) > 0) {
        struct sharc_store_capture c = SHARC_STORE_CAPTURE_INIT;
        sharc_store_read_capture(rows, &c);
        uint64_t records = read_params(&c, &run);
        sharc_time began;
        struct import_capture known = {.id = c.id,
                                       .records = records,
                                       .crawled = !sharc_span_is(c.source, "import"),
                                       .state = c.state,
                                       .judged = c.strategy.n > 0,
                                       .exact = c.strategy.n > 0 &&
                                                sharc_time_parse(sharc_buf_span(&run), &began, NULL) == 0,
                                       .site_id = c.site,
                                       .start = c.start,
                                       .end = c.end == SHARC_TIME_NONE ? c.start : c.end,
                                       .touched = c.state == SHARC_CAPTURE_IMPORTING};
        if (c.start == SHARC_TIME_NONE) continue;
        sharc_store_weakness_parse(&known.weakness, c.params);
        sharc__import_captures_add(&w->captures, &known, c.site_name, sharc_buf_span(&run), c.key);
    }
    return r;
}

static void note_known(struct import_file *f, const struct sharc_store_warc *s, uint64_t size)
{
    bool ended = s->state == SHARC_STORE_WARC_COMPLETE || s->state == SHARC_STORE_WARC_DAMAGED;
    *f = (struct import_file){.warc = s->id,
                              .state = s->state,
                              .size = s->size,
                              .done = s->done,
                              .records = s->records,
                              .capture = SHARC_NO_ID,
                              .known = ended && s->size == size};
}

/* A file of another name may be the same one moved: then it has the same size
 * and the same digest. */
static bool is_moved(const struct import_job *job, const struct sharc_store_warc *s)
{
    struct sharc_digest stored, now;
    if (s->size != job->size || !s->digest.n || s->state == SHARC_STORE_WARC_PARTIAL) return false;
    if (sharc_digest_parse(s->digest, &stored) < 0 || sharc__import_job_digest(job, &now, NULL) < 0) return false;
    return sharc_digest_eq(&stored, &now);
}

static bool is_there(const struct import_writer *w, struct sharc_span name)
{
    SHARC_AUTO(sharc_freep) char *path = sharc_archive_file(w->o->archive, name);
    return sharc_file_is_there(path);
}

/* A row of a file that is none of ours by name: one of ours may be it. */
static void note_moved(struct import_writer *w, const struct sharc_store_warc *s)
{
    for (size_t i = 0; i < w->jobs->count; i++) {
        if (w->files[i].warc || !is_moved(&w->jobs->items[i], s)) continue;
        note_known(&w->files[i], s, w->jobs->items[i].size);
        w->files[i].moved = !is_there(w, s->name);
        return;
    }
}

/* The catalogue's files beside ours: by name, and else by content. */
static int load_files(struct import_writer *w, struct sharc_err *reterr)
{
    SHARC_AUTO(sharc_intern_freep) struct sharc_intern *names = sharc_intern_new();
    for (size_t i = 0; i < w->jobs->count; i++) sharc_intern_add(names, sharc_span_of(w->jobs->items[i].name), NULL);
    int r = 0;
    /* Names first, so that no file is taken for a copy of another one. */
    for (int pass = 0; r >= 0 && pass < 2; pass++) {
        SHARC_AUTO(sharc_store_rows_freep) struct sharc_store_rows *rows = NULL;
        r = sharc_store_warcs(w->store, &rows, reterr);
        while (r >= 0 && (r = sharc_store_rows_next(rows, reterr)) > 0) {
            struct sharc_store_warc s = {0};
            sharc_store_read_warc(rows, &s);
            uint32_t i = sharc_intern_find(names, s.name);
            if (i != SHARC_NO_ID && pass == 0) note_known(&w->files[i], &s, w->jobs->items[i].size);
            if (i == SHARC_NO_ID && pass == 1) note_moved(w, &s);
        }
    }
    for (size_t i = 0; r >= 0 && i < w->jobs->count; i++)
        if (w->files[i].moved)
            r = sharc_store_warc_rename(w->store, w->files[i].warc, sharc_span_of(w->jobs->items[i].name), reterr);
    return r;
}

int sharc__import_writer_init(struct import_writer *w, struct sharc_store *store, const struct import_jobs *jobs,
                              const struct sharc_import_options *o, struct sharc_import_result *result,
                              struct sharc_err *reterr)
{
    const sharc_time most = INT64_MAX / 4; /* so that times of captures, plus a gap, stay times */
    sharc_time gap = o->capture || o->gap > most ? most : o->gap > 0 ? o->gap : SHARC_IMPORT_GAP;
    *w = (struct import_writer){.store = store,
                                .o = o,
                                .jobs = jobs,
                                .files = SHARC_NEW_ARRAY(struct import_file, jobs->count),
                                .patience = {.clock = o->clock ? o->clock : sharc_clock_real(),
                                             .patience = o->patience,
                                             .stop = o->stop},
                                .result = result};
    for (size_t i = 0; i < jobs->count; i++) w->files[i].capture = SHARC_NO_ID;
    sharc__import_captures_init(&w->captures, gap, o->by == SHARC_IMPORT_BY_RUN || o->site || o->capture);
    sharc_store_batch_new(store, &w->batch);
    int r = load_captures(w, reterr);
    if (r >= 0) r = load_files(w, reterr);
    return r;
}

void sharc__import_writer_done(struct import_writer *w)
{
    sharc_store_batch_free(w->batch);
    sharc__import_captures_done(&w->captures);
    free(w->files);
    *w = (struct import_writer){0};
}

int sharc__import_writer_again(struct import_writer *w, int failed, struct sharc_err *reterr)
{
    if (failed != SHARC_ENET) return failed;
    return sharc_store_wait(w->store, &w->patience, reterr);
}

/* --- captures -------------------------------------------------------------------- */

static struct sharc_span name_text(const struct import_writer *w, uint32_t id)
{
    return sharc_intern_text(w->captures.names, id);
}

static int make_capture(struct import_writer *w, struct import_capture *c, const struct import_origin *origin,
                        struct sharc_err *reterr)
{
    SHARC_AUTO(sharc_buf_done) struct sharc_buf params = SHARC_BUF_INIT(1u << 20);
    sharc__import_params(w, c, &params);
    struct sharc_store_site site = {.name = name_text(w, c->site)};
    int r = sharc_store_site_put(w->store, &site, &c->site_id, reterr);
    if (r < 0) return r;
    struct sharc_store_capture row = SHARC_STORE_CAPTURE_INIT;
    row.site = c->site_id;
    row.key = sharc_intern_text(w->captures.keys, c->key);
    row.params = sharc_buf_span(&params);
    row.source = SHARC_SPAN("import");
    if (origin->strategy.n) row.strategy = origin->strategy;
    if (origin->purpose.n) row.purpose = origin->purpose;
    row.start = c->start;
    row.end = c->end;
    row.state = SHARC_CAPTURE_IMPORTING;
    return sharc_store_capture_add(w->store, &row, &c->id, NULL, reterr);
}

static int capture_of(struct import_writer *w, const struct import_row *row, uint32_t *ret, struct sharc_err *reterr)
{
    const struct sharc_import_options *o = w->o;
    struct sharc_span site = o->site ? sharc_span_of(o->site) : row->site;
    struct sharc_span run = o->capture ? sharc_span_of(o->capture) : row->run->name;
    struct sharc_span key = o->capture ? run : SHARC_SPAN_NONE;
    if (!site.n) site = SHARC_SPAN("unknown");
    char began[SHARC_TIME_TEXT];
    sharc_time when = row->when;
    bool exact = row->fetch.began != SHARC_TIME_NONE && !o->capture;
    if (exact) {
        run = sharc_span_of(sharc_time_iso(row->fetch.began, 6, began));
        uint32_t own = sharc__import_captures_at(&w->captures, site, run, key, row->fetch.began);
        w->captures.items[own].exact = true;
        if (row->fetch.took > 0) when += row->fetch.took; /* the capture lasts until its last download has ended */
    }
    uint32_t i = sharc__import_captures_at(&w->captures, site, run, key, when);
    struct import_capture *c = &w->captures.items[i];
    c->judged = c->judged || row->run->strategy.n > 0;
    sharc_store_weakness_parse(&c->weakness, row->run->weakened);
    for (int r = 0; !c->id;) {
        r = make_capture(w, c, row->run, reterr);
        if (r < 0) r = sharc__import_writer_again(w, r, reterr);
        if (r < 0) return r;
    }
    *ret = i;
    return 0;
}

/* --- rows ------------------------------------------------------------------------ */

static struct sharc_store_look look_of(const struct import_row *row, sharc_store_id warc)
{
    struct sharc_store_look l = SHARC_STORE_LOOK_INIT;
    l.when = row->when;
    l.took = row->fetch.took;
    l.slot = row->fetch.slot;
    l.status = row->status;
    l.size = row->revisit ? -1 : (int64_t)row->size;
    l.digest = row->digest;
    l.text_digest = row->text_digest;
    l.etag = row->etag;
    l.last_modified = row->last_modified;
    l.change = row->fetch.change;
    l.importance = row->fetch.importance;
    l.rate = row->fetch.rate;
    l.place = (struct sharc_store_place){.warc = warc, .offset = row->offset, .length = row->length};
    return l;
}

static enum sharc_store_record record_of(const struct import_row *row)
{
    if (row->revisit) return row->status == 304 ? SHARC_STORE_NOT_MODIFIED : SHARC_STORE_IDENTICAL;
    return row->resource ? SHARC_STORE_RESOURCE : SHARC_STORE_RESPONSE;
}

/* A revisit record of which nobody says that it was a visit is put as a revisit; whether its visit is in the same
 * capture is seen when that is whole. */
static int put_row(struct import_writer *w, struct import_file *f, const struct import_row *row,
                   struct sharc_err *reterr)
{
    uint32_t c;
    int r = capture_of(w, row, &c, reterr);
    if (r < 0) return r;
    f->capture = c;
    w->result->pages++;
    w->captures.items[c].records++;
    w->captures.items[c].widened = true;
    struct sharc_store_look look = look_of(row, f->warc);
    sharc_store_id capture = w->captures.items[c].id;
    if (row->fetch.look != SHARC_LOOK_VISIT || (row->revisit && !row->fetch.ours)) {
        enum sharc_look_kind kind = row->fetch.look == SHARC_LOOK_SECOND ? SHARC_LOOK_SECOND : SHARC_LOOK_REVISIT;
        if (kind == SHARC_LOOK_SECOND && !row->revisit && row->status >= 200 && row->status < 400) {
            look.links = row->links;
            look.n_links = row->link_count;
            look.has_links = row->extracted || row->fetch.ours;
        }
        return sharc_store_batch_look(w->batch, capture, row->url, kind, &look, reterr);
    }
    struct sharc_store_page p = SHARC_STORE_PAGE_INIT;
    p.capture = capture;
    p.url = row->url;
    p.parent = row->fetch.via;
    p.redirect = row->redirect;
    p.hops = row->fetch.hops;
    p.hopeless = row->fetch.hopeless;
    p.planned_rate = row->fetch.planned;
    p.weight = row->fetch.weight;
    p.visit = look;
    if (look.change == SHARC_STORE_NO_CHANGE) {
        p.visit.change = SHARC_NEW; /* until it is compared with an earlier capture */
        p.visit.importance = 1;
    }
    p.record = record_of(row);
    p.mime = row->mime;
    p.title = row->title;
    if (row->minhash) p.minhash = sharc_span(row->minhash, SHARC_CHANGE_MINHASH * sizeof *row->minhash);
    p.stated = row->stated;
    p.words = row->words;
    p.images = row->images;
    p.tables = row->tables;
    p.has_links = row->extracted || row->link_count;
    p.links = row->links;
    p.n_links = row->link_count;
    return sharc_store_batch_page(w->batch, &p, reterr);
}

/* Its capture was not over before, and is in this file, too. */
static int put_control(struct import_writer *w, struct import_file *f, const struct import_row *row,
                       struct sharc_err *reterr)
{
    return row->fetch.began == SHARC_TIME_NONE ? 0 : capture_of(w, row, &f->capture, reterr);
}

/* --- batches --------------------------------------------------------------------- */

static int put_captures(struct import_writer *w, struct sharc_err *reterr)
{
    for (size_t i = 0; i < w->captures.count; i++) {
        struct import_capture *c = &w->captures.items[i];
        if (!c->widened || c->gone) continue;
        SHARC_AUTO(sharc_buf_done) struct sharc_buf params = SHARC_BUF_INIT(1u << 20);
        struct sharc_store_capture row = SHARC_STORE_CAPTURE_INIT;
        row.id = c->id;
        row.start = c->start;
        row.end = c->end;
        /* A crawl's state and parameters are its own. */
        row.state = c->crawled ? c->state : SHARC_CAPTURE_IMPORTING;
        if (!c->crawled) sharc__import_params(w, c, &params);
        if (!c->crawled) row.params = sharc_buf_span(&params);
        int r = sharc_store_batch_capture(w->batch, &row, reterr);
        if (r < 0) return r;
        c->widened = false;
    }
    return 0;
}

int sharc__import_writer_commit(struct import_writer *w, struct sharc_err *reterr)
{
    int r = put_captures(w, reterr);
    return r < 0 ? r : sharc_store_batch_commit_patiently(w->batch, &w->patience, reterr);
}

static int open_file(struct import_writer *w, size_t job, struct sharc_err *reterr)
{
    struct import_file *f = &w->files[job];
    struct sharc_store_warc row = {.name = sharc_span_of(w->jobs->items[job].name), .size = w->jobs->items[job].size};
    while (!f->warc) {
        int r = sharc_store_warc_open(w->store, &row, &f->warc, NULL, reterr);
        if (r < 0) r = sharc__import_writer_again(w, r, reterr);
        if (r < 0) return r;
    }
    return 0;
}

static int put_progress(struct import_writer *w, const struct import_batch *b, struct sharc_err *reterr)
{
    const struct import_job *job = &w->jobs->items[b->job];
    struct import_file *f = &w->files[b->job];
    char digest[SHARC_DIGEST_TEXT];
    f->done = b->next;
    f->state = !b->last ? SHARC_STORE_WARC_PARTIAL : f->damaged ? SHARC_STORE_WARC_DAMAGED : SHARC_STORE_WARC_COMPLETE;
    struct sharc_store_warc row = {.id = f->warc,
                                   .name = sharc_span_of(job->name),
                                   .size = job->size,
                                   .state = f->state,
                                   .done = f->done,
                                   .records = f->records,
                                   .capture = f->capture == SHARC_NO_ID ? 0 : w->captures.items[f->capture].id};
    if (b->digest.n) row.digest = sharc_span_of(sharc_digest_text(&b->digest, digest));
    return sharc_store_batch_warc(w->batch, &row, reterr);
}

int sharc__import_writer_put(struct import_writer *w, const struct import_batch *b, struct sharc_err *reterr)
{
    struct import_file *f = &w->files[b->job];
    int r = open_file(w, b->job, reterr);
    for (size_t i = 0; r == 0 && i < b->count; i++) r = put_row(w, f, &b->rows[i], reterr);
    for (size_t i = 0; r == 0 && i < b->control_count; i++) r = put_control(w, f, &b->controls[i], reterr);
    if (r < 0) return r;
    for (size_t i = 0; i < b->closings; i++) sharc__import_closing(w, b->closing[i]);
    f->records += b->records;
    f->damaged += b->damaged;
    w->result->records += b->records;
    w->result->damaged += b->damaged;
    if (b->resumable) r = put_progress(w, b, reterr);
    if (r == 0 && (b->last || sharc_store_batch_full(w->batch))) r = sharc__import_writer_commit(w, reterr);
    return r;
}

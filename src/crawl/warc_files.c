/* SPDX-License-Identifier: Apache-2.0
 *
 * The WARC files of a crawl and what the catalogue knows of them. The order in which things
 * become durable is in commit.c.
 */
#include "crawl_log.h"
#include "warc_store.h"

#include "sharc/archive.h"
#include "sharc/archive_places.h"
#include "sharc/base_file.h"
#include "sharc/store_query.h"
#include "sharc/warc_own.h"

#include <stdlib.h>
#include <sys/stat.h>

enum { SCRATCH_MOST = 64 << 20 };

int sharc__crawl_output_init(struct output *o, const struct context *c, const volatile bool *stop,
                             struct sharc_err *reterr)
{
    *o = (struct output){.ctx = c,
                         .stop = stop,
                         .warc_dir = sharc_archive_path(c->o.archive, SHARC_ARCHIVE_WARCS),
                         .notes = sharc_cdx_notes_new(c->o.archive, c->o.threads),
                         .files = sharc_intern_new()};
    sharc_buf_init(&o->scratch, SCRATCH_MOST);
    pthread_mutex_init(&o->packers_lock, NULL);
    sharc_store_batch_new(c->w.store, &o->batch);
    int r = sharc_dir_make(o->warc_dir, reterr);
    if (r == 0) r = sharc__crawl_logs_open(c->o.archive, c->o.job.id, &o->logs, reterr);
    return r;
}

void sharc__crawl_output_strategy(struct output *o, const char *name)
{
    o->strategy = name;
}

void sharc__crawl_output_done(struct output *o)
{
    if (!o->ctx) return;
    while (o->packers_count > 0) sharc_warc_packer_free(o->packers[--o->packers_count]);
    free(o->packers);
    pthread_mutex_destroy(&o->packers_lock);
    sharc_warc_writer_free(o->warc);
    sharc_cdx_notes_free(o->notes);
    sharc_store_batch_free(o->batch);
    sharc_store_batch_free(o->written);
    sharc_store_batch_free(o->spare);
    sharc__crawl_logs_free(o->logs);
    sharc_intern_free(o->files);
    sharc_buf_done(&o->scratch);
    sharc__crawl_store_done(o);
    sharc__crawl_handover_free(o->handover);
    free(o->file);
    free(o->warc_dir);
}

void sharc__crawl_capture_init(struct capture *s, struct output *o, const struct pages *p,
                               const struct sharc_crawl_pace *pace, const char *name, uint32_t number)
{
    *s = (struct capture){
        .out = o, .pages = p, .pace = pace, .name = name, .number = number, .started_at = SHARC_TIME_NONE};
}

void sharc__crawl_capture_is(struct capture *s, sharc_store_id site, sharc_store_id id, sharc_time started_at,
                             const char *seed)
{
    s->site = site;
    s->id = id;
    s->started_at = started_at;
    s->seed = seed;
    if (s->out->ctx->o.job.id) s->out->capture = id;
}

void sharc__crawl_capture_done(struct capture *s)
{
    sharc_warc_writer_freep(&s->warc);
}

/* --- files ------------------------------------------------------------------------- */

/* With a pause between downloads there is time to make files small. Without one
 * a crawl waits for the compression: level 1 takes a third of level 6's time, and with
 * ISA-L a sixth, for a tenth more bytes. */
static int gzip_level(const struct sharc_crawl_options *o, const struct sharc_crawl_pace *pace)
{
    return o->gzip_level ? o->gzip_level : pace->delay > 0 ? 6 : 1;
}

static void put_line(struct sharc_buf *out, const char *name, const char *value)
{
    if (value && value[0] && !strpbrk(value, "\r\n")) sharc_buf_printf(out, "%s: %s\r\n", name, value);
}

const char *sharc__crawl_purpose_word(enum sharc_crawl_purpose p)
{
    static const char *const words[] = {
        [SHARC_FOR_EXPLORATION] = "exploration", [SHARC_FOR_EVIDENCE] = "evidence", [SHARC_FOR_WATCHING] = "watch"};
    return words[p];
}

static void put_warcinfo(const struct output *o, const struct capture *s, struct sharc_buf *out)
{
    const struct context *c = o->ctx;
    char text[SHARC_TIME_TEXT];
    put_line(out, "hostname", c->o.host);
    put_line(out, "operator", c->o.operator_);
    put_line(out, "http-header-from", c->o.contact);
    put_line(out, "http-header-user-agent", c->o.user_agent);
    put_line(out, "description", c->o.description);
    put_line(out, "robots", c->o.ignore_robots ? "ignore" : "obey");
    struct sharc_own_info own;
    sharc_own_info_init(&own);
    if (s) own.site = sharc_span_of(s->name);
    own.purpose = sharc_span_of(sharc__crawl_purpose_word(c->o.purpose));
    own.strategy = sharc_span_of(o->strategy ? o->strategy : c->o.strategy->name);
    own.delay = sharc_span_of(sharc_duration_text(s ? s->pace->delay : c->o.pace.delay, text));
    own.confidence = c->o.params.confidence;
    own.risk = c->o.params.risk;
    own.focus = c->o.params.focus_share;
    if (c->o.purpose == SHARC_FOR_EVIDENCE)
        own.proof = c->o.proof == SHARC_PROOF_FULL ? SHARC_SPAN("full") : SHARC_SPAN("attested");
    own.insecure = c->o.insecure;
    own.connect_to = sharc_span_of(c->o.connect_to);
    own.proxy = sharc_span_of(c->o.proxy);
    own.trust_modified = c->o.trust_modified;
    own.cookies = c->o.cookies;
    own.header = c->o.header;
    if (c->o.max_body) own.max_body = (int64_t)(c->o.max_body < INT64_MAX ? c->o.max_body : INT64_MAX);
    sharc_own_info_put(&own, out);
}

int sharc__crawl_warc_open(struct output *o, struct capture *s, struct sharc_err *reterr)
{
    const struct sharc_crawl_options *opt = &o->ctx->o;
    SHARC_AUTO(sharc_buf_done) struct sharc_buf info = SHARC_BUF_INIT(64u << 10);
    put_warcinfo(o, s, &info);
    /* A worker's files are named after its claim: no two workers write to one, whoever has the job now. */
    SHARC_AUTO(sharc_freep)
    char *host = opt->job.id
                     ? sharc_asprintf("j%llde%lld-%s", (long long)opt->job.id, (long long)opt->job.epoch, opt->host)
                     : sharc_strdup(opt->host);
    struct sharc_warc_writer_options w = {.dir = o->warc_dir,
                                          .site = s ? s->name : "sites",
                                          .host = host,
                                          .info = sharc_buf_span(&info),
                                          .digest = SHARC_SHA256,
                                          .level = gzip_level(opt, s ? s->pace : &opt->pace),
                                          .seed = opt->seed};
    if (w.seed && s) w.seed += s->number;
    return sharc_warc_writer_open(&w, s ? &s->warc : &o->warc, reterr);
}

struct sharc_span sharc__crawl_file_name(const struct output *o, uint32_t file)
{
    return file == SHARC_NO_ID ? SHARC_SPAN("") : sharc_intern_text(o->files, file);
}

uint32_t sharc__crawl_file(struct output *o, const char *name)
{
    uint32_t number = sharc_intern_add(o->files, sharc_span_of(name), NULL);
    SHARC_GROW(o->file, o->file_room, (size_t)number + 1);
    while (o->file_count <= number) o->file[o->file_count++] = (struct file){0};
    return number;
}

static void tell_waiting(void *arg, sharc_time pause, const struct sharc_err *why)
{
    struct output *o = arg;
    (void)pause;
    if (!o->store_away) sharc__crawl_remark(o->ctx, "%s: waiting until the catalogue is available again", why->text);
    o->store_away = true;
}

static struct sharc_store_patience patience_of(struct output *o)
{
    return (struct sharc_store_patience){
        .clock = o->ctx->w.clock, .patience = SHARC_HOUR, .stop = o->stop, .waiting = tell_waiting, .arg = o};
}

static void is_back(struct output *o)
{
    if (o->store_away) sharc__crawl_remark(o->ctx, "the catalogue is available again: continuing");
    o->store_away = false;
}

int sharc__crawl_file_row(struct output *o, const char *file, sharc_store_id *ret, struct sharc_err *reterr)
{
    uint32_t number = sharc__crawl_file(o, file);
    int r = 0;
    if (o->file[number].row == 0) {
        SHARC_AUTO(sharc_freep) char *name = sharc_archive_warc_name(file);
        struct sharc_store_warc w = {.name = sharc_span_of(name),
                                     .state = SHARC_STORE_WARC_PARTIAL,
                                     .capture = o->capture};
        struct sharc_store_patience patience = patience_of(o);
        while ((r = sharc_store_warc_open(o->ctx->w.store, &w, &o->file[number].row, NULL, reterr)) == SHARC_ENET) {
            r = sharc_store_wait(o->ctx->w.store, &patience, reterr);
            if (r < 0) break;
        }
        if (r == 0) is_back(o);
    }
    *ret = o->file[number].row;
    return r;
}

void sharc__crawl_wrote(struct output *o, const struct sharc_warc_fetch_places *p)
{
    const struct sharc_warc_place *const places[] = {&p->tls_chain, &p->response, &p->request, &p->metadata};
    for (size_t i = 0; i < SHARC_LENGTH(places); i++) {
        if (places[i]->length == 0) continue;
        uint32_t number = sharc__crawl_file(o, places[i]->file);
        struct file *f = &o->file[number];
        f->end = places[i]->offset + places[i]->length;
        f->records++;
        f->changed = true;
        o->spooled += places[i]->length;
    }
}

static int put_file(struct output *o, uint32_t number, uint64_t end, enum sharc_store_warc_state state,
                    struct sharc_err *reterr)
{
    struct sharc_store_warc w = {
        .size = end, .state = state, .done = end, .records = o->file[number].records, .capture = o->capture};
    int r = sharc__crawl_file_row(o, sharc_intern_text(o->files, number).p, &w.id, reterr);
    return r < 0 ? r : sharc_store_batch_warc(o->batch, &w, reterr);
}

int sharc__crawl_files_put(struct output *o, struct sharc_err *reterr)
{
    int r = 0;
    for (uint32_t i = 0; i < o->file_count && r == 0; i++) {
        if (o->file[i].changed) r = put_file(o, i, o->file[i].end, SHARC_STORE_WARC_PARTIAL, reterr);
        o->file[i].changed = r < 0;
    }
    return r;
}

/* Records that were on disk but not committed when a crawl was killed have been
 * fetched again: their file counts as read to its end all the same. */
int sharc__crawl_files_closed(struct output *o, struct sharc_err *reterr)
{
    int r = 0;
    for (uint32_t i = 0; i < o->file_count && r == 0; i++) {
        struct stat st = {.st_size = (off_t)o->file[i].end};
        SHARC_AUTO(sharc_freep) char *path = sharc_path_join(o->warc_dir, sharc_intern_text(o->files, i).p);
        if (!o->file[i].end || (stat(path, &st) < 0 && !o->file[i].gone)) continue;
        r = put_file(o, i, (uint64_t)st.st_size, SHARC_STORE_WARC_COMPLETE, reterr);
    }
    return r;
}

/* --- commits ------------------------------------------------------------------------ */

void sharc__crawl_to_commit(struct output *o)
{
    if (o->records++ == 0) o->first_record = crawl_now(o->ctx);
}

int sharc__crawl_batch_commit(struct output *o, struct sharc_err *reterr)
{
    sharc__crawl_logs_flush(o->logs);
    struct sharc_store_patience patience = patience_of(o);
    int r = sharc_store_batch_commit_patiently(o->batch, &patience, reterr);
    if (r < 0) return r;
    is_back(o);
    o->records = 0;
    sharc__crawl_store_follow(o);
    return 0;
}

void sharc__crawl_batch_begin(struct output *o, sharc_store_committed_fn *done, void *arg)
{
    SHARC_ASSERT(!o->written);
    sharc__crawl_logs_flush(o->logs);
    o->written = o->batch;
    o->batch = SHARC_TAKE(o->spare);
    if (!o->batch) sharc_store_batch_new(o->ctx->w.store, &o->batch);
    o->records = 0;
    sharc_store_batch_begin(o->written, done, arg);
}

int sharc__crawl_batch_settle(struct output *o, bool wait, struct sharc_err *reterr)
{
    struct sharc_store_patience patience = patience_of(o);
    if (!o->written) return 0;
    if (!wait && sharc_store_batch_under_way(o->written)) return 1;
    /* What went wrong is tried again here, with all the patience that a lost database needs. */
    int r = sharc_store_batch_settle(o->written, NULL);
    if (r < 0) r = sharc_store_batch_commit_patiently(o->written, &patience, reterr);
    if (r < 0) return r;
    is_back(o);
    o->spare = SHARC_TAKE(o->written);
    return 0;
}

int sharc__crawl_number_urls(struct output *o, size_t most, struct sharc_err *reterr)
{
    struct sharc_store_patience patience = patience_of(o);
    int r = sharc_store_batch_number(o->batch, most, reterr);
    if (r == SHARC_EBUSY) return 0; /* somebody else writes the same ones: at the next turn they are there */
    if (r == SHARC_ENET) return sharc_store_wait(o->ctx->w.store, &patience, reterr);
    if (r == 0) is_back(o);
    return r;
}

/* --- index ---------------------------------------------------------------------------- */

/* Files have got other names: what the index of the job says of the old ones has to go. */
static bool is_renamed(const struct output *o)
{
    return o->handover && o->handover->replaced_count > 0;
}

/* A worker's part of the index: what belongs to its capture, into the index of its job; or all that the job ever
 * wrote. */
static int own_files(struct output *o, char ***ret, size_t *ret_count, struct sharc_err *reterr)
{
    SHARC_AUTO(sharc_store_rows_freep) struct sharc_store_rows *rows = NULL;
    struct sharc_store_warc w;
    size_t room = 0;
    const bool all = is_renamed(o);
    int r = all ? sharc_store_warcs(o->ctx->w.store, &rows, reterr)
                : sharc_store_warcs_of(o->ctx->w.store, o->capture, &rows, reterr);
    while (r >= 0 && (r = sharc_store_rows_next(rows, reterr)) > 0) {
        sharc_store_read_warc(rows, &w);
        SHARC_AUTO(sharc_freep) char *name = sharc_span_dup(w.name);
        if (w.state != SHARC_STORE_WARC_COMPLETE) continue;
        if (all && sharc__crawl_claim_of(name, &o->ctx->o.job, NULL) == 0) continue;
        SHARC_GROW(*ret, room, *ret_count + 1);
        (*ret)[(*ret_count)++] = sharc_archive_file(o->ctx->o.archive, w.name);
    }
    return r < 0 ? r : 0;
}

int sharc__crawl_index(struct output *o, struct sharc_err *reterr)
{
    const char *archive = o->ctx->o.archive;
    char **files = NULL;
    size_t count = 0;
    SHARC_AUTO(sharc_freep) char *output = sharc__crawl_index_path(o);
    int r = sharc_archive_make(archive, SHARC_ARCHIVE_INDEXES, reterr);
    if (r == 0 && o->ctx->o.job.id) r = own_files(o, &files, &count, reterr);
    if (r == 0 && !o->ctx->o.job.id) r = sharc_archive_places(archive, &files, &count, reterr);
    /* What this run wrote is noted; what an interrupted one left is read. */
    struct sharc_cdx_build how = {.threads = o->ctx->o.threads ? o->ctx->o.threads : 1,
                                  .lenient = true,
                                  .fresh = o->ctx->o.job.id && is_renamed(o),
                                  .notes = o->notes};
    struct sharc_cdx_built built;
    if (r == 0 && count > 0)
        r = sharc_cdx_build((const char *const *)files, count, output, NULL, NULL, &how, &built, reterr);
    sharc_names_free(files, count);
    return r;
}

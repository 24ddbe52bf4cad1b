/* SPDX-License-Identifier: Apache-2.0
 *
 * One file to batches of rows. Only what must be read in order is done here;
 * bodies that are worth extracting are copied for the workers.
 */
#include "import_int.h"
#include "sharc/http.h"
#include "sharc/url.h"
#include "sharc/warc_own.h"

#include <inttypes.h>
#include <stdlib.h>

enum { MOST_FIELDS_BLOCK = 16 << 20, LOOK_BACK = 8 };

struct import_reader {
    const struct import_job *job;
    size_t number;
    const struct sharc_import_options *o;
    struct sharc_warc *w;
    struct import_run run;
    struct import_origin *origin; /* run in the present batch; NULL: not made yet */
    struct sharc_record rec;      /* the one that waits, when have */
    bool have, ended;
    bool after_info; /* the last record taken was a warcinfo: what it says must not be lost between batches */
    uint64_t records_told, damaged_told;
    uint64_t undated;   /* pages that were left out */
    uint64_t damage_at; /* of the last damage, when no record came behind it; else SHARC_NOWHERE */
    struct sharc_buf block;
    struct sharc_url url;
    struct sharc_hasher *hasher;
};

void sharc__import_reader_close(struct import_reader *r)
{
    if (!r) return;
    sharc_warc_close(r->w);
    sharc__import_run_done(&r->run);
    sharc_buf_done(&r->block);
    sharc_url_done(&r->url);
    sharc_hasher_free(r->hasher);
    free(r);
}

void sharc__import_reader_closep(struct import_reader **r)
{
    sharc__import_reader_close(*r);
    *r = NULL;
}

/* Habits of writers have no code, and are nobody's concern here. */
static void note_damage(void *arg, const struct sharc_err *what)
{
    struct import_reader *r = arg;
    if (what->code == SHARC_OK) return;
    r->damage_at = what->offset;
    if (r->o->lenient && r->o->warn) r->o->warn(r->o->arg, what);
}

static char *replaced(char *text, const char *by)
{
    free(text);
    return sharc_strdup(by ? by : "");
}

int sharc__import_reader_open(const struct import_job *job, size_t number, const struct sharc_import_options *o,
                              uint64_t offset, const struct import_run *run, struct import_reader **ret,
                              struct sharc_err *reterr)
{
    SHARC_AUTO(sharc__import_reader_closep) struct import_reader *r = SHARC_NEW(struct import_reader);
    *r = (struct import_reader){.job = job, .number = number, .o = o, .damage_at = SHARC_NOWHERE};
    sharc_buf_init(&r->block, MOST_FIELDS_BLOCK);
    sharc__import_run_read(&r->run, SHARC_SPAN(""));
    if (run && run->name) {
        r->run.name = replaced(r->run.name, run->name);
        r->run.site = replaced(r->run.site, run->site);
        r->run.strategy = replaced(r->run.strategy, run->strategy);
        r->run.purpose = replaced(r->run.purpose, run->purpose);
        r->run.weakened = replaced(r->run.weakened, run->weakened);
    }
    struct sharc_warc_options wo = {
        .lenient = o->lenient,
        .offset = offset,
        .warn = note_damage,
        .warn_arg = r,
        .types = SHARC_WARC_BIT(SHARC_WARC_INFO) | SHARC_WARC_BIT(SHARC_WARC_RESPONSE) |
                 SHARC_WARC_BIT(SHARC_WARC_RESOURCE) | SHARC_WARC_BIT(SHARC_WARC_REVISIT) |
                 SHARC_WARC_BIT(SHARC_WARC_METADATA),
    };
    int k = sharc_warc_input_open(job->input, &wo, &r->w, reterr);
    if (k < 0) return k;
    *ret = SHARC_TAKE(r);
    return 0;
}

/* --- one record --------------------------------------------------------------- */

static struct sharc_span keep(struct import_batch *b, struct sharc_span s)
{
    return s.n ? sharc_arena_copy(&b->arena, s) : SHARC_SPAN_NONE;
}

/* "Text/HTML; charset=x" -> "text/html" */
static struct sharc_span media_type(struct import_batch *b, struct sharc_span value)
{
    struct sharc_span type = sharc_span_sub(sharc_http_media(value).type, 0, 128);
    char *p = type.n ? sharc_arena_bytes(&b->arena, type.n) : NULL;
    if (!p) return SHARC_SPAN_NONE;
    for (size_t i = 0; i < type.n; i++) p[i] = sharc_to_lower(type.p[i]);
    return sharc_span(p, type.n);
}

/* dns:, urn:, metadata: and their like are no pages. */
static bool page_url(struct import_reader *r, struct import_batch *b, struct import_row *row)
{
    struct sharc_span target = r->rec.target;
    if (!target.n || target.n > SHARC_LIMIT_URL) return false;
    if (sharc_url_parse(&r->url, target, NULL, NULL) < 0) {
        row->url = keep(b, target);
        row->site = SHARC_SPAN_NONE;
        return sharc_span_istarts(target, SHARC_SPAN("http"));
    }
    if (!sharc_url_is_special(&r->url)) return false;
    row->url = keep(b, sharc_url_page(&r->url));
    struct sharc_span domain = SHARC_SPAN_NONE;
    if (r->o->by != SHARC_IMPORT_BY_HOST) domain = sharc_url_registered_domain(&r->url, NULL);
    row->site = keep(b, domain.n ? domain : sharc_url_host_port(&r->url));
    return true;
}

static void read_head(struct import_reader *r, struct import_batch *b, struct import_row *row)
{
    struct sharc_record *rec = &r->rec;
    const struct sharc_http *h = sharc_record_http(rec);
    row->has_head = h != NULL;
    row->size = rec->block_size;
    struct sharc_span type = rec->type == SHARC_WARC_RESOURCE ? rec->content_type : SHARC_SPAN_NONE;
    if (h) {
        row->status = h->status;
        row->size -= h->head_size < rec->block_size ? h->head_size : rec->block_size;
        type = h->content_type;
        row->etag = keep(b, sharc_span_sub(sharc_http_get(h, "ETag"), 0, 256));
        row->location = keep(b, sharc_span_sub(sharc_http_get(h, "Location"), 0, SHARC_LIMIT_URL));
        row->last_modified = sharc_http_last_modified(h, row->when);
    }
    row->content_type = keep(b, sharc_span_sub(type, 0, 256));
    row->mime = media_type(b, row->content_type);
}

/* Damage of one record that a lenient reading takes as it is; the reader has told and counts it when it goes on. */
static bool is_passed(const struct import_reader *r, int code)
{
    return r->o->lenient &&
           (code == SHARC_ETRUNC || code == SHARC_ECORRUPT || code == SHARC_ESYNTAX || code == SHARC_ELIMIT);
}

/* A page without a date has no place among the captures. */
static int leave_undated(struct import_reader *r, struct sharc_err *reterr)
{
    enum { TELL_MOST = 20 };
    const struct sharc_record *rec = &r->rec;
    struct sharc_err err = SHARC_ERR_INIT;
    struct sharc_span date = sharc_span_sub(rec->date_text, 0, 40);
    sharc_fail(&err, SHARC_ESYNTAX, "%s: offset %" PRIu64 ": its date \"%.*s\" cannot be read%s", r->job->input->path,
               rec->offset, SHARC_SPAN_ARG(date), r->o->lenient ? ", left out" : "; setting \"lenient\" leaves it out");
    err.offset = rec->offset;
    if (!r->o->lenient) {
        if (reterr) *reterr = err;
        return err.code;
    }
    if (r->undated++ < TELL_MOST && r->o->warn) r->o->warn(r->o->arg, &err);
    return 0;
}

static int hash_payload(struct import_reader *r, struct import_row *row, struct sharc_err *reterr)
{
    struct sharc_span piece;
    int k;
    if (!r->hasher) r->hasher = sharc_hasher_new();
    sharc_hasher_start(r->hasher, SHARC_SHA1);
    while ((k = sharc_record_read(&r->rec, SHARC_WARC_PAYLOAD, &piece, reterr)) > 0)
        sharc_hasher_add(r->hasher, piece.p, piece.n);
    sharc_hasher_end(r->hasher, &row->digest);
    return k;
}

static int copy_block(struct import_reader *r, struct import_batch *b, struct import_row *row, struct sharc_err *reterr)
{
    size_t room = (size_t)r->rec.block_size, n = 0;
    char *p = sharc_arena_bytes(&b->arena, room);
    SHARC_FAIL_IF(!p, reterr, SHARC_ELIMIT, "the batch holds more than it may");
    struct sharc_span piece;
    int k;
    while ((k = sharc_record_read(&r->rec, SHARC_WARC_BLOCK, &piece, reterr)) > 0) {
        piece = sharc_span_sub(piece, 0, room - n);
        memcpy(p + n, piece.p, piece.n);
        n += piece.n;
    }
    row->block = sharc_span(p, n);
    b->bytes += n;
    return k;
}

static bool is_content(const struct import_row *row)
{
    return !row->revisit && (!row->has_head || row->status == 0 || (row->status >= 200 && row->status < 300));
}

static void read_revisit(const struct sharc_record *rec, struct import_batch *b, struct import_row *row)
{
    struct sharc_span date = rec->refers_to_date;
    row->not_modified = sharc_span_search(rec->profile, SHARC_SPAN("server-not-modified")) != SHARC_NPOS;
    row->refers_url = keep(b, rec->refers_to_target);
    if (!date.n || sharc_time_parse(date, &row->refers_when, NULL) < 0) row->refers_when = SHARC_TIME_NONE;
}

/* Once per batch and warcinfo. */
static const struct import_origin *origin(struct import_reader *r, struct import_batch *b)
{
    struct import_origin *o = r->origin ? r->origin : SHARC_ARENA_NEW(&b->arena, struct import_origin);
    if (o && !r->origin)
        *o = (struct import_origin){.name = keep(b, sharc_span_of(r->run.name)),
                                    .site = keep(b, sharc_span_of(r->run.site)),
                                    .strategy = keep(b, sharc_span_of(r->run.strategy)),
                                    .purpose = keep(b, sharc_span_of(r->run.purpose)),
                                    .weakened = keep(b, sharc_span_of(r->run.weakened))};
    r->origin = o;
    return o;
}

/* No page; its capture lasted until then, which its metadata may tell more exactly. */
static int set_aside(struct import_batch *b, const struct import_row *row)
{
    SHARC_GROW(b->controls, b->control_room, b->control_count + 1);
    b->controls[b->control_count++] = *row;
    return 0;
}

/* 1: a row; 0: no page. */
static int take_answer(struct import_reader *r, struct import_batch *b, struct sharc_err *reterr)
{
    struct sharc_record *rec = &r->rec;
    struct import_row row = {.offset = rec->offset,
                             .when = rec->date,
                             .last_modified = SHARC_TIME_NONE,
                             .refers_when = SHARC_TIME_NONE,
                             .stated = SHARC_TIME_NONE,
                             .words = -1,
                             .images = -1,
                             .tables = -1,
                             .revisit = rec->type == SHARC_WARC_REVISIT,
                             .resource = rec->type == SHARC_WARC_RESOURCE,
                             .fetch = IMPORT_FETCH_INIT};
    if (!page_url(r, b, &row)) return 0;
    if (rec->date == SHARC_TIME_NONE) return leave_undated(r, reterr);
    read_head(r, b, &row);
    if (row.revisit) read_revisit(rec, b, &row);
    row.id = keep(b, rec->id);
    bool has_digest = rec->payload_digest.n && sharc_digest_parse(rec->payload_digest, &row.digest) == 0;
    row.fetch.control = sharc_record_is_control(rec);
    bool extract = !r->o->no_extract && !row.fetch.control && is_content(&row) && sharc_extract_is_worth(row.mime) &&
                   rec->block_size <= IMPORT_BODY_MOST && rec->block_size > 0;
    int k = extract ? copy_block(r, b, &row, reterr) : !has_digest && !row.revisit ? hash_payload(r, &row, reterr) : 0;
    if (k >= 0) k = sharc_record_length(rec, &row.length, reterr);
    /* Lenient: the head is true even if the end of the block is missing. After a wrong checksum nothing is. */
    if (k < 0 && (k == SHARC_ECORRUPT || !is_passed(r, k))) return k;
    if (k < 0 && !has_digest) row.digest.n = 0;
    row.run = origin(r, b);
    SHARC_FAIL_IF(!row.run, reterr, SHARC_ELIMIT, "the batch holds more than it may");
    if (row.run->site.n) row.site = row.run->site;
    if (row.fetch.control) return set_aside(b, &row);
    SHARC_GROW(b->rows, b->room, b->count + 1);
    b->rows[b->count++] = row;
    return 1;
}

/* The answer that a metadata record belongs to is among the last ones. */
static struct import_row *answer_of(struct import_batch *b, const struct sharc_record *rec)
{
    struct import_row *control = b->control_count ? &b->controls[b->control_count - 1] : NULL;
    if (control && rec->concurrent_to.n && sharc_span_eq(control->id, rec->concurrent_to)) return control;
    for (size_t back = 1; back <= b->count && back <= LOOK_BACK; back++) {
        struct import_row *row = &b->rows[b->count - back];
        if (rec->concurrent_to.n && sharc_span_eq(row->id, rec->concurrent_to)) return row;
        if (rec->refers_to.n && sharc_span_eq(row->id, rec->refers_to)) return row;
        if (!rec->concurrent_to.n && !rec->refers_to.n && row->when == rec->date &&
            sharc_span_eq(row->url, rec->target))
            return row;
    }
    return NULL;
}

/* It is no page. */
static void leave_out(struct import_batch *b, struct import_row *row)
{
    if (row >= b->controls && row < b->controls + b->control_count) return;
    size_t at = (size_t)(row - b->rows);
    if (row->fetch.control) (void)set_aside(b, row);
    memmove(row, row + 1, (b->count - at - 1) * sizeof *row);
    b->count--;
}

static int read_fields(struct import_reader *r, struct sharc_err *reterr)
{
    sharc_buf_clear(&r->block);
    int k = sharc_record_read_all(&r->rec, SHARC_WARC_BLOCK, &r->block, reterr);
    return k == SHARC_ELIMIT ? 0 : k;
}

static int take_closing(struct import_reader *r, struct import_batch *b, struct sharc_err *reterr)
{
    int k = read_fields(r, reterr);
    if (k < 0) return k;
    SHARC_GROW(b->closing, b->closing_room, b->closings + 1);
    b->closing[b->closings++] = sharc_arena_copy(&b->arena, sharc_buf_span(&r->block));
    return 0;
}

static int take(struct import_reader *r, struct import_batch *b, struct sharc_err *reterr)
{
    struct sharc_record *rec = &r->rec;
    struct import_row *row;
    int k;
    r->after_info = false;
    switch (rec->type) {
    case SHARC_WARC_RESPONSE:
    case SHARC_WARC_RESOURCE:
    case SHARC_WARC_REVISIT: return take_answer(r, b, reterr);
    case SHARC_WARC_INFO:
        k = read_fields(r, reterr);
        r->after_info = k >= 0;
        r->origin = NULL;
        if (k >= 0) sharc__import_run_read(&r->run, sharc_buf_span(&r->block));
        return k;
    case SHARC_WARC_METADATA:
        if (sharc_record_is_verdict(rec)) return take_closing(r, b, reterr);
        if (sharc_record_is_tls_chain(rec)) return 0; /* of no page; certificates are made of the files */
        row = answer_of(b, rec);
        if (!row || !sharc_span_istarts(rec->content_type, SHARC_SPAN("application/warc-fields"))) return 0;
        k = read_fields(r, reterr);
        if (k >= 0) sharc__import_fetch_read(row, sharc_buf_span(&r->block), !r->o->no_extract, &b->arena);
        if (row->fetch.errand || row->fetch.control) leave_out(b, row);
        return k;
    case SHARC_WARC_OTHER:
    case SHARC_WARC_REQUEST:
    case SHARC_WARC_CONVERSION:
    case SHARC_WARC_CONTINUATION:
    case SHARC_WARC_TYPES: break;
    }
    return 0;
}

/* --- batches ------------------------------------------------------------------ */

static bool is_full(const struct import_batch *b)
{
    return b->count >= IMPORT_BATCH_ROWS || b->bytes >= IMPORT_BATCH_BYTES || b->arena.used >= 4 * IMPORT_BATCH_BYTES;
}

/* Between exchanges, and not right behind a warcinfo. Metadata without end is cut all the same. */
static bool may_end(const struct import_reader *r, const struct import_batch *b)
{
    if (!is_full(b) || r->after_info) return false;
    return r->rec.type != SHARC_WARC_METADATA || b->arena.used >= IMPORT_BATCH_MOST;
}

/* What was counted since the batch before. */
static void count(struct import_reader *r, struct import_batch *b, bool waiting)
{
    struct sharc_warc_stats s = sharc_warc_stats(r->w);
    uint64_t records = s.records - waiting;
    b->records = records - r->records_told;
    b->damaged = s.damaged + r->undated - r->damaged_told;
    r->records_told = records;
    r->damaged_told = s.damaged + r->undated;
}

/* Damage ends the file here; the record it is in is read again next time. */
static int stop_at(struct import_reader *r, struct import_batch *b, int code, uint64_t next)
{
    count(r, b, r->have);
    b->next = next;
    b->resumable = true;
    r->ended = true;
    return code;
}

int sharc__import_reader_next(struct import_reader *r, struct import_batch **ret, struct sharc_err *reterr)
{
    SHARC_AUTO(sharc__import_batch_freep) struct import_batch *b = NULL;
    *ret = NULL;
    if (r->ended) return 0;
    b = sharc__import_batch_new();
    r->origin = NULL;
    b->job = r->number;
    b->heads_only = r->o->no_extract;
    for (;;) {
        struct sharc_err err = SHARC_ERR_INIT;
        int k = r->have ? 1 : sharc_warc_next(r->w, &r->rec, &err);
        if (k == 0) {
            count(r, b, false);
            /* A file that breaks off may grow: then it is read again from there. */
            b->next = r->damage_at < r->job->size ? r->damage_at : r->job->size;
            b->resumable = b->last = r->ended = true;
            *ret = SHARC_TAKE(b);
            return 1;
        }
        if (k > 0 && !r->have && may_end(r, b)) {
            r->have = true;
            count(r, b, true);
            b->next = r->rec.offset;
            b->resumable = !r->rec.joined;
            *ret = SHARC_TAKE(b);
            return 1;
        }
        if (k > 0) {
            r->have = true;
            r->damage_at = SHARC_NOWHERE;
            k = take(r, b, &err);
            if (k >= 0 || is_passed(r, k)) {
                r->have = false;
                continue;
            }
        }
        k = stop_at(r, b, k, r->have ? r->rec.offset : err.offset);
        if (reterr) *reterr = err;
        *ret = SHARC_TAKE(b);
        return k;
    }
}

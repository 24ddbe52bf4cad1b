/* SPDX-License-Identifier: Apache-2.0
 *
 * The WARC records of a download: response or revisit, request, metadata.
 */
#include "output.h"
#include "warc_store.h"

#include "sharc/warc_own.h"

#include <inttypes.h>
#include <stdio.h>

/* --- metadata --------------------------------------------------------------- */

static char letter_of(const struct sharc_link *l)
{
    if (l->flags & SHARC_LINK_SPECULATIVE) return 'X';
    switch ((enum sharc_link_kind)l->kind) {
    case SHARC_LINK_EMBED: return 'E';
    case SHARC_LINK_REDIRECT: return 'R';
    case SHARC_LINK_NAVIGATION: break;
    }
    return l->place == SHARC_FROM_FORM || l->place == SHARC_FROM_FORM_BUTTON ? 'S' : 'L';
}

static enum sharc_own_kind kind_of(enum task_kind k)
{
    switch (k) {
    case TASK_LOOK: return SHARC_OWN_SECOND_LOOK;
    case TASK_REVISIT: return SHARC_OWN_REVISIT;
    case TASK_CONTROL: return SHARC_OWN_CONTROL;
    case TASK_ROBOTS:
    case TASK_LIST:
    case TASK_PROBE: return SHARC_OWN_ERRAND;
    case TASK_EMBED:
    case TASK_VISIT: break;
    }
    return SHARC_OWN_VISIT;
}

const char *sharc__crawl_control_word(uint8_t step)
{
    static const char *const words[] = {
        [CONTROL_FIRST] = "first", [CONTROL_SECOND] = "second", [CONTROL_LATE] = "late", [CONTROL_AUDIT] = "audit"};
    return words[step];
}

static void put_security(const struct sharc_fetch_tls *tls, char digest[SHARC_DIGEST_TEXT], struct sharc_own_fetch *own)
{
    if (!tls->version) return;
    own->tls_version = sharc_span_of(tls->version);
    own->tls_cipher = sharc_span_of(tls->cipher);
    if (tls->digest.n) own->tls_chain = sharc_span_of(sharc_digest_text(&tls->digest, digest));
    own->tls_verified = tls->verified;
    own->tls_resumed = tls->resumed;
}

/* What the catalogue knows of the download beside its bytes, so that it can be made
 * again from here. */
static void put_knowledge(const struct capture *s, const struct job *j, const struct page *p, struct sharc_buf *out)
{
    struct sharc_own_fetch own;
    char digest[SHARC_DIGEST_TEXT];
    sharc_own_fetch_init(&own);
    own.capture = s->started_at;
    own.kind = kind_of(j->task.kind);
    if (j->task.kind == TASK_CONTROL) own.control = sharc_span_of(sharc__crawl_control_word(j->task.step));
    own.took = j->result->end - j->result->start;
    own.slot = sharc__crawl_slot(&j->task, p);
    if (!task_is_preparation(&j->task) && j->task.kind != TASK_CONTROL) {
        own.planned_rate = j->planned_rate;
        own.rate = j->rate;
        if (p->weight < 1 || p->weight > 1) own.weight = (double)p->weight;
        own.hopeless = (p->flags & PAGE_HOPELESS) != 0;
        own.change = sharc_span_of(sharc_change_class_name(j->made.verdict.change));
        own.importance = j->made.importance;
        if (j->in.compare) own.decided_by = sharc_span_of(sharc_change_step_name(j->made.verdict.step));
    }
    put_security(&j->result->tls, digest, &own);
    sharc_own_fetch_put(&own, out);
}

static void put_metadata(const struct capture *s, const struct job *j, struct sharc_buf *out)
{
    const struct page *p = &s->pages->page[j->task.page];
    if (p->flags & PAGE_SEED) sharc_buf_put(out, SHARC_SPAN("seed: \r\n"));
    if (p->via != NO_PAGE) {
        sharc_buf_put(out, SHARC_SPAN("via: "));
        sharc_buf_put(out, page_url(s->pages, p->via));
        sharc_buf_put(out, SHARC_SPAN("\r\n"));
    }
    sharc_buf_put(out, SHARC_SPAN("hopsFromSeed: "));
    sharc__crawl_pages_path(s->pages, j->task.page, out);
    sharc_buf_printf(out, "\r\nfetchTimeMs: %" PRId64 "\r\n", (j->result->end - j->result->start) / SHARC_MSEC);
    put_knowledge(s, j, p, out);
}

/* Its links, which the pool can write down. */
static void put_outlinks(struct job *j)
{
    struct sharc_buf *out = &j->outlinks;
    if (!j->made.extracted || j->task.kind >= TASK_REVISIT) return;
    if (sharc__crawl_parts_unread(j))
        sharc_buf_put(out, SHARC_SPAN("outlink: " SHARC_OWN_PARTS_UNREAD " E =limit\r\n"));
    for (size_t i = 0; i < j->made.page.link_count; i++) {
        const struct sharc_link *l = &j->made.page.links[i];
        if (l->flags & SHARC_LINK_REPEATED) continue;
        sharc_buf_put(out, SHARC_SPAN("outlink: "));
        sharc_buf_put(out, l->url);
        const char tail[] = {' ', letter_of(l), ' '};
        sharc_buf_put(out, sharc_span(tail, sizeof tail));
        sharc_buf_put_str(out, sharc_link_place_text((enum sharc_link_place)l->place));
        sharc_buf_put(out, SHARC_SPAN("\r\n"));
    }
}

/* --- records ------------------------------------------------------------------ */

static bool is_kept(const struct job *j)
{
    return j->result->status != 0 && j->result->head.n > 0 && j->task.kind != TASK_PROBE &&
           j->result->state != SHARC_FETCH_UNWANTED;
}

static struct sharc_warc_writer *writer_of(const struct capture *s)
{
    return s->warc ? s->warc : s->out->warc;
}

struct digest_texts {
    char payload[SHARC_DIGEST_TEXT], block[SHARC_DIGEST_TEXT], chain[SHARC_DIGEST_TEXT];
};

/* What a fetch's records say; texts must live as long as they do. */
static struct sharc_warc_fetch fetch_of(const struct job *j, struct digest_texts *texts)
{
    const struct sharc_fetch_result *r = j->result;
    struct sharc_warc_fetch f = {
        .date = r->start,
        .target = sharc_span_of(r->url),
        .ip = r->ip[0] ? sharc_span_of(r->ip) : SHARC_SPAN_NONE,
        .protocol = sharc_span_of(r->protocol),
        .response = {.head = sharc_buf_span(&r->head),
                     .body = sharc_buf_span(&r->body.memory),
                     .fd = r->body.fd,
                     .fd_size = r->body.fd >= 0 ? r->body.fd_size : 0},
        .request = {.head = sharc_buf_span(&r->request), .fd = -1},
        .truncated = sharc_fetch_cut_text(r->cut),
        .tls_chain = sharc_buf_span(&r->tls.chain),
        .tls_chain_cut = r->tls.cut,
        .control = j->task.kind == TASK_CONTROL,
    };
    if (j->made.digest.n) f.payload_digest = sharc_span_of(sharc_digest_text(&j->made.digest, texts->payload));
    if (r->tls.digest.n) f.tls_chain_digest = sharc_span_of(sharc_digest_text(&r->tls.digest, texts->chain));
    if (j->made.block.n) f.block_digest = sharc_span_of(sharc_digest_text(&j->made.block, texts->block));
    return f;
}

void sharc__crawl_pack_begin(const struct capture *s, struct job *j)
{
    /* When no file can be opened now, the record is made when its turn comes. */
    if (is_kept(j) && sharc_spool_size(&j->result->body) <= PACKED_MOST / 2)
        (void)sharc_warc_ahead_begin(writer_of(s), j->result->end, &j->ahead, NULL);
}

static struct sharc_warc_packer *take_packer(struct output *o, const struct sharc_warc_writer *w)
{
    struct sharc_warc_packer *p = NULL;
    pthread_mutex_lock(&o->packers_lock);
    if (o->packers_count > 0) p = o->packers[--o->packers_count];
    pthread_mutex_unlock(&o->packers_lock);
    return p ? p : sharc_warc_packer_new(w);
}

static void give_packer(struct output *o, struct sharc_warc_packer *p)
{
    pthread_mutex_lock(&o->packers_lock);
    SHARC_GROW(o->packers, o->packers_room, o->packers_count + 1);
    o->packers[o->packers_count++] = p;
    pthread_mutex_unlock(&o->packers_lock);
}

void sharc__crawl_pack(const struct capture *s, struct job *j)
{
    struct digest_texts texts;
    if (is_kept(j)) put_outlinks(j);
    if (!j->ahead.id[0] || sharc__crawl_repeats(j)) return;
    struct sharc_warc_fetch f = fetch_of(j, &texts);
    struct sharc_warc_packer *p = take_packer(s->out, writer_of(s));
    (void)sharc_warc_ahead_pack(p, &f, &j->ahead, NULL);
    give_packer(s->out, p);
}

static int write_records(struct capture *s, struct job *j, struct sharc_err *reterr)
{
    struct output *o = s->out;
    struct sharc_warc_place original = {.offset = j->in.before.offset};
    struct sharc_digest digest = {.kind = SHARC_SHA256, .n = sizeof j->in.before.digest};
    char digest_text[SHARC_DIGEST_TEXT];
    struct digest_texts texts;
    snprintf(original.id, sizeof original.id, "%s", j->in.before_id);
    memcpy(digest.bytes, j->in.before.digest, sizeof j->in.before.digest);
    sharc_buf_clear(&o->scratch);
    put_metadata(s, j, &o->scratch);
    struct sharc_warc_fetch f = fetch_of(j, &texts);
    f.metadata = sharc_buf_span(&o->scratch);
    f.metadata_rest = sharc_buf_span(&j->outlinks);
    bool revisit = sharc__crawl_repeats(j);
    if (revisit) {
        f.not_modified = j->made.answer == SHARC_ANSWER_NOT_MODIFIED;
        f.original = &original;
        f.original_target = f.target;
        f.original_date = j->in.before.date;
        f.original_payload_digest = sharc_span_of(sharc_digest_text(&digest, digest_text));
    } else if (j->ahead.packed) {
        f.ahead = &j->ahead;
    }
    int code = sharc_warc_write_fetch(writer_of(s), j->result->end, &f, &j->written.places, reterr);
    if (code < 0) return code;
    j->written.any = true;
    j->written.revisit = revisit;
    sharc__crawl_wrote(o, &j->written.places);
    sharc_cdx_notes_add(o->notes, &f, &j->written.places);
    sharc__crawl_to_commit(o);
    return 0;
}

int sharc__crawl_record_closing(struct capture *s, struct sharc_span lines, struct sharc_err *reterr)
{
    char when[SHARC_TIME_TEXT];
    const sharc_time now = crawl_now(s->out->ctx);
    SHARC_AUTO(sharc_buf_done) struct sharc_buf extra = SHARC_BUF_INIT(4096), target = SHARC_BUF_INIT(SHARC_LIMIT_URL);
    sharc_buf_printf(&extra, "sharc-kind: verdict\r\nsharc-capture: %s\r\n", sharc_time_iso(s->started_at, 6, when));
    sharc_buf_printf(&target, "urn:sharc:verdict:%s", s->name);
    const struct sharc_warc_entry e = {.type = SHARC_WARC_METADATA,
                                       .date = now,
                                       .target = sharc_buf_span(&target),
                                       .content_type = SHARC_SPAN("application/x-ndjson"),
                                       .extra = sharc_buf_span(&extra),
                                       .block = {.body = lines, .fd = -1}};
    struct sharc_warc_fetch_places places = {0};
    const struct sharc_warc_fetch none = {0};
    sharc_store_id row;
    int r = sharc_warc_write(writer_of(s), now, &e, &places.metadata, reterr);
    if (r < 0) return r;
    sharc__crawl_wrote(s->out, &places);
    sharc_cdx_notes_add(s->out->notes, &none, &places);
    sharc__crawl_to_commit(s->out);
    return sharc__crawl_file_row(s->out, places.metadata.file, &row, reterr);
}

int sharc__crawl_record(struct capture *s, struct job *j, struct written *ret, struct sharc_err *reterr)
{
    sharc_store_id row;
    *ret = (struct written){0};
    if (!is_kept(j)) return 0;
    int r = j->written.any ? 0 : sharc__crawl_store_room(s->out, reterr);
    if (r == 0 && !j->written.any) r = write_records(s, j, reterr);
    if (r == 0) r = sharc__crawl_file_row(s->out, j->written.places.response.file, &row, reterr);
    if (r == 0) *ret = j->written;
    return r;
}

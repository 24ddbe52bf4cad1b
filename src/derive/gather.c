/* SPDX-License-Identifier: Apache-2.0
 *
 * One pass over an archive file, or a part of one. The records of a download stand side by side: an answer,
 * its request, and the metadata record in which the crawler says what it was made for.
 */
#include "derive_int.h"

#include "sharc/base_limits.h"
#include "sharc/evidence.h"
#include "sharc/http_fetch.h"
#include "sharc/url.h"

#include <stdlib.h>

enum { METADATA_MOST = 64 << 20, INFO_MOST = 1 << 20, CODINGS_MOST = 1 << 10 };

void sharc__derive_gathered_init(struct sharc_gathered *g)
{
    *g = (struct sharc_gathered){.names = sharc_intern_new()};
    sharc_map64_init(&g->chain_of);
}

void sharc__derive_gathered_done(struct sharc_gathered *g)
{
    sharc_intern_free(g->names);
    free(g->items);
    free(g->embeds);
    for (size_t i = 0; i < g->verdict_count; i++) free(g->verdicts[i].lines);
    free(g->verdicts);
    for (size_t i = 0; i < g->chain_count; i++) free(g->chains[i].pem);
    free(g->chains);
    sharc_map64_done(&g->chain_of);
    *g = (struct sharc_gathered){0};
}

bool sharc_derive_field(struct sharc_span *rest, struct sharc_span *name, struct sharc_span *value)
{
    struct sharc_span line;
    while (sharc_span_next(rest, '\n', &line)) {
        size_t colon = sharc_span_find(line, ':', 0);
        if (colon == SHARC_NPOS) continue;
        *name = sharc_span_trim(sharc_span_sub(line, 0, colon));
        *value = sharc_span_trim(sharc_span_from(line, colon + 1));
        return true;
    }
    return false;
}

struct gathering {
    struct derive_part *part;
    struct sharc_gathered *g; /* of that */
    struct decoding *decoding;
    struct sharc_buf block;
    struct sharc_url base, url; /* their memory is used again */
    bool page_form;
};

static uint32_t name_of(struct gathering *x, struct sharc_span text)
{
    return text.p ? sharc_intern_add(x->g->names, text, NULL) : SHARC_DERIVED_NONE;
}

/* --- answers ------------------------------------------------------------------------- */

/* Nearly all answers send nobody elsewhere. */
static bool leads_elsewhere(const struct sharc_http *h)
{
    struct sharc_span value;
    size_t at = 0, types = 0;
    while (sharc_http_each(h, "Content-Type", &at, &value)) types++;
    return types > 1 || sharc_http_is_redirect(h->status) || sharc_http_get(h, "Refresh").p;
}

static void read_target(struct gathering *x, const struct sharc_http *h, struct sharc_download *d)
{
    struct sharc_span location = sharc_http_is_redirect(h->status) ? sharc_http_get(h, "Location") : SHARC_SPAN_NONE;
    d->location = name_of(x, location);
    if (sharc_url_parse(&x->base, sharc_intern_text(x->g->names, d->url), NULL, NULL) < 0) return;
    SHARC_AUTO(sharc_buf_done) struct sharc_buf whole = SHARC_BUF_INIT(SHARC_EVIDENCE_LOCATION);
    sharc_evidence_location(h, &x->base, &whole);
    if (whole.n) d->whole_target = name_of(x, sharc_buf_span(&whole));
    if (!location.p || sharc_url_parse(&x->url, location, &x->base, NULL) < 0) return;
    sharc_url_strip_credentials(&x->url);
    d->target = name_of(x, sharc_url_page(&x->url));
}

/* Names that mean the same are the same here: nothing of a body depends on how its coding is spelled. */
static void read_codings(struct gathering *x, const struct sharc_http *h, struct sharc_download *d)
{
    struct sharc_span field = sharc_http_get(h, "Content-Encoding");
    if (!field.p) return;
    SHARC_AUTO(sharc_buf_done) struct sharc_buf names = SHARC_BUF_INIT(CODINGS_MOST);
    if (sharc_http_codings(h, &names, NULL) < 0)
        d->coding = name_of(x, field);
    else if (names.n)
        d->coding = name_of(x, sharc_buf_span(&names));
}

static void read_head(struct gathering *x, const struct sharc_http *h, struct sharc_download *d)
{
    uint64_t age;
    d->status = (uint16_t)h->status;
    if (sharc_http_is_part(h)) d->flags |= SHARC_DOWNLOAD_CUT;
    d->type = name_of(x, h->content_type);
    d->etag = name_of(x, sharc_http_get(h, "ETag"));
    d->modified = name_of(x, sharc_http_get(h, "Last-Modified"));
    read_codings(x, h, d);
    if (leads_elsewhere(h)) read_target(x, h, d);
    if (sharc_http_date_parse(sharc_http_get(h, "Date"), &d->date) < 0) d->date = SHARC_TIME_NONE;
    d->date = sane_time(d->date);
    if (sharc_span_to_u64(sharc_span_trim(sharc_http_get(h, "Age")), &age) == 0)
        d->age = age < INT32_MAX ? (int64_t)age : INT32_MAX - 1;
}

static void read_reference(const struct sharc_record *rec, struct sharc_download *d)
{
    struct sharc_digest payload;
    d->flags |= SHARC_DOWNLOAD_REVISIT;
    if (sharc_span_search(rec->profile, SHARC_SPAN("server-not-modified")) != SHARC_NPOS)
        d->flags |= SHARC_DOWNLOAD_NOT_MODIFIED;
    (void)sharc_warc_id_read(rec->refers_to, d->original_id);
    if (d->flags & SHARC_DOWNLOAD_NOT_MODIFIED) return; /* no payload came: the digest is that of the answer before */
    if (rec->payload_digest.p && sharc_digest_parse(rec->payload_digest, &payload) == 0 &&
        payload.kind == SHARC_SHA256) {
        memcpy(d->payload, payload.bytes, sizeof d->payload);
        d->flags |= SHARC_DOWNLOAD_HAS_PAYLOAD;
    }
}

static struct sharc_span url_of(struct gathering *x, struct sharc_span target)
{
    if (!target.p) return SHARC_SPAN("");
    if (!x->page_form || sharc_url_parse(&x->url, target, NULL, NULL) < 0) return target;
    return sharc_url_page(&x->url);
}

static int take_answer(struct gathering *x, struct sharc_record *rec, struct sharc_err *reterr)
{
    struct sharc_download d = {.offset = rec->offset,
                               .from = sane_time(rec->date),
                               .to = SHARC_TIME_NONE,
                               .capture = SHARC_TIME_NONE,
                               .date = SHARC_TIME_NONE,
                               .age = -1,
                               .file = x->part->file,
                               .original = SHARC_DERIVED_NONE,
                               .type = SHARC_DERIVED_NONE,
                               .location = SHARC_DERIVED_NONE,
                               .etag = SHARC_DERIVED_NONE,
                               .modified = SHARC_DERIVED_NONE,
                               .coding = SHARC_DERIVED_NONE,
                               .via = SHARC_DERIVED_NONE,
                               .target = SHARC_DERIVED_NONE,
                               .whole_target = SHARC_DERIVED_NONE,
                               .sent_etag = SHARC_DERIVED_NONE,
                               .tls_version = SHARC_DERIVED_NONE,
                               .tls_cipher = SHARC_DERIVED_NONE,
                               .tls_chain = SHARC_DERIVED_NONE};
    if (!sharc_warc_id_read(rec->id, d.id)) return 0; /* none of ours */
    const struct sharc_http *h = sharc_record_http(rec);
    d.url = name_of(x, url_of(x, rec->target));
    d.ip = name_of(x, rec->ip);
    d.protocol = name_of(x, sharc_record_get(rec, "WARC-Protocol"));
    /* A revisit record says "length" because the body is elsewhere. */
    d.truncated = name_of(x, rec->type == SHARC_WARC_REVISIT ? SHARC_SPAN_NONE : rec->truncated);
    if (d.truncated != SHARC_DERIVED_NONE) d.flags |= SHARC_DOWNLOAD_CUT;
    if (h) read_head(x, h, &d);
    int r = 0;
    if (rec->type == SHARC_WARC_REVISIT)
        read_reference(rec, &d);
    else
        r = sharc__derive_decode(x->decoding, rec, &d, reterr);
    if (r == 0) r = sharc_record_length(rec, &d.length, reterr);
    if (r < 0) return r;
    SHARC_GROW(x->g->items, x->g->room, x->g->count + 1);
    x->g->items[x->g->count++] = d;
    return 0;
}

/* The answer that a request or metadata record belongs to. They stand side by side. */
static struct sharc_download *answer_of(struct gathering *x, const struct sharc_record *rec)
{
    uint8_t id[16];
    struct sharc_download *last = x->g->count ? &x->g->items[x->g->count - 1] : NULL;
    if (!last || !sharc_warc_id_read(rec->concurrent_to, id) || memcmp(id, last->id, sizeof id) != 0) return NULL;
    return last;
}

static void take_request(struct gathering *x, struct sharc_record *rec)
{
    struct sharc_download *d = answer_of(x, rec);
    const struct sharc_http *h = d ? sharc_record_http(rec) : NULL;
    if (!h) return;
    if (sharc_http_get(h, "Cookie").p) d->flags |= SHARC_DOWNLOAD_COOKIE;
    if (sharc_http_get(h, "Authorization").p) d->flags |= SHARC_DOWNLOAD_AUTHORIZATION;
    d->sent_etag = name_of(x, sharc_http_get(h, "If-None-Match"));
    if (sharc_http_get(h, "If-None-Match").p || sharc_http_get(h, "If-Modified-Since").p)
        d->flags |= SHARC_DOWNLOAD_CONDITIONAL;
}

/* --- metadata ---------------------------------------------------------------------------- */

/* "http://example.org/a.css E link/@href" */
static void take_outlink(struct gathering *x, struct sharc_download *d, struct sharc_span value)
{
    struct sharc_span url = SHARC_SPAN_NONE, letter = SHARC_SPAN_NONE;
    sharc_span_next(&value, ' ', &url);
    sharc_span_next(&value, ' ', &letter);
    if (!url.n || url.n > SHARC_LIMIT_URL || !sharc_span_is(letter, "E")) return;
    SHARC_GROW(x->g->embeds, x->g->embed_room, x->g->embed_count + 1);
    x->g->embeds[x->g->embed_count++] = name_of(x, url);
    d->embed_count++;
}

static enum control_step step_of(struct sharc_span word)
{
    if (sharc_span_is(word, "first")) return CONTROL_FIRST;
    if (sharc_span_is(word, "second")) return CONTROL_SECOND;
    if (sharc_span_is(word, "audit")) return CONTROL_AUDIT;
    return sharc_span_is(word, "late") ? CONTROL_LATE : CONTROL_NONE;
}

/* "PMME": a letter for every hop; redirects behind an embed are followed for it. X: an embed that was guessed. */
static bool is_embed_path(struct sharc_span hops)
{
    while (hops.n && hops.p[hops.n - 1] == 'R') hops.n--;
    return hops.n && (hops.p[hops.n - 1] == 'E' || hops.p[hops.n - 1] == 'X');
}

static void read_fields(struct gathering *x, struct sharc_download *d)
{
    struct sharc_own_fetch own;
    struct sharc_span rest = sharc_buf_span(&x->block), name, value;
    sharc_own_fetch_init(&own);
    d->embeds = (uint32_t)x->g->embed_count;
    while (sharc_derive_field(&rest, &name, &value)) {
        if (sharc_span_ieq(name, SHARC_SPAN("outlink")))
            take_outlink(x, d, value);
        else if (sharc_span_ieq(name, SHARC_SPAN("seed")))
            d->flags |= SHARC_DOWNLOAD_SEED;
        else if (sharc_span_ieq(name, SHARC_SPAN("hopsFromSeed")) && is_embed_path(value))
            d->flags |= SHARC_DOWNLOAD_EMBEDDED;
        else if (sharc_span_ieq(name, SHARC_SPAN("via")))
            d->via = name_of(x, value);
        else
            (void)sharc_own_fetch_read(&own, name, value);
    }
    if (!own.ours) return;
    d->flags |= SHARC_DOWNLOAD_OWN;
    d->kind = (uint8_t)own.kind;
    d->capture = sane_time(own.capture);
    d->control = (uint8_t)step_of(own.control);
    d->tls_version = name_of(x, own.tls_version);
    d->tls_cipher = name_of(x, own.tls_cipher);
    d->tls_chain = name_of(x, own.tls_chain);
    if (own.tls_verified) d->flags |= SHARC_DOWNLOAD_TLS_VERIFIED;
    if (own.tls_resumed) d->flags |= SHARC_DOWNLOAD_TLS_RESUMED;
    if (own.took >= 0 && own.took < DERIVE_TIME_MOST / 2 && d->from != SHARC_TIME_NONE)
        d->to = sane_time(d->from + own.took);
}

/* What the crawler found when the capture ended: lines of JSON, perhaps in several records. */
static int take_verdict(struct gathering *x, struct sharc_record *rec, struct sharc_err *reterr)
{
    sharc_time capture;
    if (sharc_time_parse(sharc_record_get(rec, "sharc-capture"), &capture, NULL) < 0) return 0;
    sharc_buf_clear(&x->block);
    int r = sharc_record_read_all(rec, SHARC_WARC_BLOCK, &x->block, reterr);
    if (r < 0) return r;
    struct sharc_gathered *g = x->g;
    SHARC_GROW(g->verdicts, g->verdict_room, g->verdict_count + 1);
    g->verdicts[g->verdict_count++] = (struct sharc_closing){.capture = capture,
                                                             .file = x->part->file,
                                                             .offset = rec->offset,
                                                             .lines = sharc_buf_take(&x->block)};
    x->block.max = METADATA_MOST;
    return 0;
}

/* One that is longer than any that the crawler writes is none. */
static int take_chain(struct gathering *x, struct sharc_record *rec, struct sharc_err *reterr)
{
    if (rec->block_size > SHARC_FETCH_CHAIN) return 0;
    sharc_buf_clear(&x->block);
    int r = sharc_record_read_all(rec, SHARC_WARC_BLOCK, &x->block, reterr);
    if (r == 0) sharc__derive_chain_add(x->g, sharc_buf_span(&x->block), rec->truncated.p != NULL);
    return r;
}

static int take_metadata(struct gathering *x, struct sharc_record *rec, struct sharc_err *reterr)
{
    if (sharc_span_is(sharc_record_get(rec, "sharc-kind"), "verdict")) return take_verdict(x, rec, reterr);
    if (sharc_record_is_tls_chain(rec)) return take_chain(x, rec, reterr);
    struct sharc_download *d = answer_of(x, rec);
    if (!d) return 0;
    sharc_buf_clear(&x->block);
    int r = sharc_record_read_all(rec, SHARC_WARC_BLOCK, &x->block, reterr);
    if (r == 0) read_fields(x, d);
    return r;
}

static int take_info(struct gathering *x, struct sharc_record *rec, struct sharc_err *reterr)
{
    struct derive_part *part = x->part;
    if (part->info.n) return 0; /* a file has one; a merged one keeps that of its first part */
    part->info.max = INFO_MOST;
    part->info_date = rec->date;
    return sharc_record_read_all(rec, SHARC_WARC_BLOCK, &part->info, reterr);
}

/* --- the pass ------------------------------------------------------------------------------ */

static int take(struct gathering *x, struct sharc_record *rec, struct sharc_err *reterr)
{
    x->part->records++;
    switch (rec->type) {
    case SHARC_WARC_RESPONSE:
    case SHARC_WARC_REVISIT: return take_answer(x, rec, reterr);
    case SHARC_WARC_METADATA: return take_metadata(x, rec, reterr);
    case SHARC_WARC_INFO: return take_info(x, rec, reterr);
    case SHARC_WARC_REQUEST: take_request(x, rec); return 0;
    case SHARC_WARC_OTHER:
    case SHARC_WARC_RESOURCE:
    case SHARC_WARC_CONVERSION:
    case SHARC_WARC_CONTINUATION:
    case SHARC_WARC_TYPES: break;
    }
    return 0;
}

/* Up to where the next part begins. Only a reader that comes there at the end of a record, and finds one that begins
 * a unit, finds what a new reader would. */
static int take_all(struct gathering *x, struct sharc_warc *w, struct sharc_err *reterr)
{
    struct sharc_record rec;
    int r;
    while ((r = sharc_warc_next(w, &rec, reterr)) > 0 && rec.offset < x->part->to)
        if ((r = take(x, &rec, reterr)) < 0) break;
    if (r < 0) return r;
    x->part->met = r > 0 ? rec.offset == x->part->to && !rec.joined : x->part->to == SHARC_NOWHERE;
    return 0;
}

int sharc__derive_gather(const struct sharc_derived_file *f, bool lenient, struct derive_part *ret,
                         struct sharc_err *reterr)
{
    SHARC_AUTO(sharc_warc_closep) struct sharc_warc *w = NULL;
    struct sharc_warc_options o = {.joined = true, .lenient = lenient, .name = f->name, .offset = ret->from};
    struct gathering x = {.part = ret,
                          .g = &ret->g,
                          .page_form = lenient,
                          .block = SHARC_BUF_INIT(METADATA_MOST),
                          .base = SHARC_URL_INIT,
                          .url = SHARC_URL_INIT};
    int r = sharc_warc_open_bytes(f->bytes, &o, &w, reterr);
    if (r < 0) return r;
    x.decoding = sharc__derive_decoding_new();
    r = take_all(&x, w, reterr);
    sharc__derive_decoding_free(x.decoding);
    sharc_buf_done(&x.block);
    sharc_url_done(&x.base);
    sharc_url_done(&x.url);
    return r;
}

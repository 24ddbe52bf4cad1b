/* SPDX-License-Identifier: Apache-2.0
 *
 * Which bytes go into a record: head, digests, the records of one fetch. The
 * invariants are in sharc/warc_write.h.
 */
#include "record_digests.h"
#include "write_int.h"

#include "sharc/base_limits.h"
#include "sharc/base_version.h"
#include "sharc/warc_own.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/random.h>
#include <unistd.h>

#define PROFILE "http://netpreserve.org/warc/1.1/revisit/"
#define CONFORMS "http://iipc.github.io/warc-specifications/specifications/warc-format/warc-1.1/"

enum { READ_STEP = 256 << 10, HEAD_MOST = 2 * SHARC_LIMIT_WARC_HEADER };

/* --- life ---------------------------------------------------------------- */

static const char *keep(struct sharc_warc_writer *w, size_t i, const char *s)
{
    return w->strings[i] = s ? sharc_strdup(s) : NULL;
}

int sharc_warc_writer_open(const struct sharc_warc_writer_options *o, struct sharc_warc_writer **ret,
                           struct sharc_err *reterr)
{
    SHARC_FAIL_IF(!o->path && !o->dir, reterr, SHARC_EINVAL, "a WARC writer needs a directory or a path");
    struct sharc_warc_writer *w = SHARC_NEW(struct sharc_warc_writer);
    w->o = *o;
    w->fd = -1;
    w->o.path = keep(w, 0, o->path);
    w->o.dir = keep(w, 1, o->dir);
    w->o.site = keep(w, 2, o->site);
    w->o.host = keep(w, 3, o->host);
    w->o.software = o->software ? o->software : "sharc/" SHARC_VERSION;
    w->o.software = keep(w, 4, w->o.software);
    w->o.info = sharc_span(sharc_span_dup(o->info), o->info.n);
    if (w->o.digest == SHARC_MD5) w->o.digest = SHARC_SHA256;
    if (w->o.roll == 0) w->o.roll = SHARC_WARC_ROLL;
    if (o->seed) sharc_rng_init(&w->rng, o->seed);
    w->deflate = sharc_deflate_new(o->level > 0 ? o->level : 6);
    w->block_hash = sharc_hasher_new();
    w->payload_hash = sharc_hasher_new();
    sharc_buf_init(&w->head, HEAD_MOST);
    sharc_buf_init(&w->plain, WRITE_WHOLE + READ_STEP);
    sharc_buf_init(&w->packed, 2 * WRITE_WHOLE);
    sharc_buf_init(&w->group, 2 * GROUP_MOST);
    *ret = w;
    return 0;
}

void sharc_warc_writer_free(struct sharc_warc_writer *w)
{
    if (!w) return;
    sharc_closep(&w->fd);
    sharc_intern_free(w->chains);
    for (size_t i = 0; i < SHARC_LENGTH(w->strings); i++) free(w->strings[i]);
    free((char *)(uintptr_t)w->o.info.p);
    free(w->path);
    sharc_deflate_free(w->deflate);
    sharc_gzip_free(w->gzip);
    sharc_hasher_free(w->block_hash);
    sharc_hasher_free(w->payload_hash);
    sharc__warc_digests_free(w->digests);
    sharc_buf_done(&w->head);
    sharc_buf_done(&w->plain);
    sharc_buf_done(&w->packed);
    sharc_buf_done(&w->group);
    sharc_http_done(&w->http);
    free(w);
}

void sharc_warc_writer_freep(struct sharc_warc_writer **w)
{
    sharc_warc_writer_free(*w);
    *w = NULL;
}

static uint64_t next_random(struct sharc_warc_writer *w)
{
    if (w->o.seed) return sharc_rng_u64(&w->rng);
    if (w->random_left == 0) {
        if (getrandom(w->random, sizeof w->random, 0) != sizeof w->random)
            SHARC_BUG("the system gives no random numbers");
        w->random_left = SHARC_LENGTH(w->random);
    }
    return w->random[--w->random_left];
}

void sharc__warc_make_id(struct sharc_warc_writer *w, char out[SHARC_WARC_ID_TEXT])
{
    uint64_t v[2] = {next_random(w), next_random(w)};
    v[0] = (v[0] & ~UINT64_C(0xf000)) | 0x4000;               /* version 4: random */
    v[1] = (v[1] & ~(UINT64_C(3) << 62)) | UINT64_C(2) << 62; /* variant */
    snprintf(out, SHARC_WARC_ID_TEXT, "<urn:uuid:%08x-%04x-%04x-%04x-%012llx>", (unsigned)(v[0] >> 32),
             (unsigned)(v[0] >> 16 & 0xffff), (unsigned)(v[0] & 0xffff), (unsigned)(v[1] >> 48),
             (unsigned long long)(v[1] & UINT64_C(0xffffffffffff)));
}

/* --- blocks -------------------------------------------------------------- */

typedef int piece_fn(struct sharc_warc_writer *w, void *arg, struct sharc_span piece, struct sharc_err *reterr);

/* The bytes behind the HTTP head, in pieces. */
static int each_body_piece(struct sharc_warc_writer *w, const struct sharc_warc_bytes *b, piece_fn *fn, void *arg,
                           struct sharc_err *reterr)
{
    int r = b->body.n ? fn(w, arg, b->body, reterr) : 0;
    if (r < 0 || b->fd_size == 0) return r;
    SHARC_AUTO(sharc_freep) char *buffer = sharc_malloc(READ_STEP);
    for (uint64_t done = 0; done < b->fd_size && r == 0;) {
        uint64_t left = b->fd_size - done;
        ssize_t n = pread(b->fd, buffer, left < READ_STEP ? (size_t)left : READ_STEP, (off_t)(b->fd_at + done));
        if (n < 0 && errno == EINTR) continue;
        if (n <= 0)
            return sharc_fail(reterr, SHARC_EIO, "a body's temporary file cannot be read: %s",
                              n < 0 ? strerror(errno) : "it is shorter than it was");
        done += (uint64_t)n;
        r = fn(w, arg, sharc_span(buffer, (size_t)n), reterr);
    }
    return r;
}

static uint64_t size_of(const struct sharc_warc_bytes *b)
{
    return b->head.n + b->body.n + b->fd_size;
}

struct digesting {
    bool payload, chunked;
    struct sharc_chunked chunk;
};

static int digest_piece(struct sharc_warc_writer *w, void *arg, struct sharc_span piece, struct sharc_err *reterr)
{
    (void)reterr;
    struct digesting *d = arg;
    sharc_hasher_add(w->block_hash, piece.p, piece.n);
    if (!d->payload) return 0;
    if (!d->chunked) {
        sharc_hasher_add(w->payload_hash, piece.p, piece.n);
        return 0;
    }
    struct sharc_span data;
    while (sharc_chunked_step(&d->chunk, &piece, &data) > 0) sharc_hasher_add(w->payload_hash, data.p, data.n);
    return 0;
}

/* Payload digests cover the body with its transfer coding undone. */
static bool is_chunked(struct sharc_warc_writer *w, struct sharc_span head)
{
    return head.n > 0 && sharc_http_parse(&w->http, head, true, NULL) > 0 && sharc_http_is_chunked(&w->http);
}

static int digest_block(struct sharc_warc_writer *w, const struct sharc_warc_bytes *b, bool payload,
                        struct sharc_digest *ret_block, struct sharc_digest *ret_payload, struct sharc_err *reterr)
{
    struct digesting d = {.payload = payload, .chunked = payload && is_chunked(w, b->head)};
    sharc_chunked_init(&d.chunk, true);
    sharc_hasher_start(w->block_hash, w->o.digest);
    if (payload) sharc_hasher_start(w->payload_hash, w->o.digest);
    sharc_hasher_add(w->block_hash, b->head.p, b->head.n);
    int r = each_body_piece(w, b, digest_piece, &d, reterr);
    if (r < 0) return r;
    struct sharc_span rest;
    if (d.chunked && sharc_chunked_end(&d.chunk, &rest) > 0) sharc_hasher_add(w->payload_hash, rest.p, rest.n);
    sharc_hasher_end(w->block_hash, ret_block);
    if (payload) sharc_hasher_end(w->payload_hash, ret_payload);
    return 0;
}

static int emit_piece(struct sharc_warc_writer *w, void *arg, struct sharc_span piece, struct sharc_err *reterr)
{
    (void)arg;
    return sharc__warc_member_add(w, piece, reterr);
}

/* --- heads --------------------------------------------------------------- */

static void put_field(struct sharc_warc_writer *w, const char *name, struct sharc_span value)
{
    if (!value.p) return;
    sharc_buf_put_str(&w->head, name);
    sharc_buf_put(&w->head, SHARC_SPAN(": "));
    sharc_buf_put(&w->head, value);
    sharc_buf_put(&w->head, SHARC_SPAN("\r\n"));
    /* A line end inside a value would forge fields. */
    if (value.n && (memchr(value.p, '\n', value.n) || memchr(value.p, '\r', value.n))) w->head.failed = true;
}

static void put_time(struct sharc_warc_writer *w, const char *name, sharc_time t)
{
    char text[SHARC_TIME_TEXT];
    put_field(w, name, sharc_span_of(sharc_time_iso(t, 6, text)));
}

static struct sharc_span default_type(enum sharc_warc_type type)
{
    switch (type) {
    case SHARC_WARC_INFO:
    case SHARC_WARC_METADATA: return SHARC_SPAN("application/warc-fields");
    case SHARC_WARC_RESPONSE:
    case SHARC_WARC_REVISIT: return SHARC_SPAN("application/http;msgtype=response");
    case SHARC_WARC_REQUEST: return SHARC_SPAN("application/http;msgtype=request");
    case SHARC_WARC_OTHER:
    case SHARC_WARC_RESOURCE:
    case SHARC_WARC_CONVERSION:
    case SHARC_WARC_CONTINUATION:
    case SHARC_WARC_TYPES: break;
    }
    return SHARC_SPAN("application/octet-stream");
}

static void put_head(struct sharc_warc_writer *w, const struct sharc_warc_entry *e, const char *id,
                     const struct sharc_digest *block, struct sharc_span payload)
{
    char text[SHARC_DIGEST_TEXT];
    bool info = e->type == SHARC_WARC_INFO;
    sharc_buf_clear(&w->head);
    sharc_buf_put(&w->head, SHARC_SPAN("WARC/1.1\r\n"));
    put_field(w, "WARC-Type", sharc_span_of(sharc_warc_type_name(e->type)));
    put_field(w, "WARC-Record-ID", sharc_span_of(id));
    put_time(w, "WARC-Date", e->date);
    put_field(w, "WARC-Target-URI", e->target);
    if (info) put_field(w, "WARC-Filename", sharc_span_of(w->file));
    if (!info && w->info_id[0]) put_field(w, "WARC-Warcinfo-ID", sharc_span_of(w->info_id));
    put_field(w, "WARC-Concurrent-To", e->concurrent_to);
    put_field(w, "WARC-IP-Address", e->ip);
    put_field(w, "WARC-Protocol", e->protocol);
    put_field(w, "WARC-Profile", e->profile);
    put_field(w, "WARC-Refers-To", e->refers_to);
    put_field(w, "WARC-Refers-To-Target-URI", e->refers_to_target);
    if (e->refers_to_target.p) put_time(w, "WARC-Refers-To-Date", e->refers_to_date);
    put_field(w, "WARC-Truncated", sharc_span_of(e->truncated));
    put_field(w, "WARC-Block-Digest", sharc_span_of(sharc_digest_text(block, text)));
    put_field(w, "WARC-Payload-Digest", payload);
    put_field(w, "Content-Type", e->content_type.p ? e->content_type : default_type(e->type));
    sharc_buf_put(&w->head, e->extra);
    sharc_buf_printf(&w->head, "Content-Length: %llu\r\n\r\n", (unsigned long long)size_of(&e->block));
}

/* --- records ------------------------------------------------------------- */

static bool wants_payload_digest(const struct sharc_warc_entry *e)
{
    if (e->payload_digest.p) return false;
    if (e->type == SHARC_WARC_REQUEST) return size_of(&e->block) > e->block.head.n;
    return e->type == SHARC_WARC_RESPONSE || e->type == SHARC_WARC_RESOURCE || e->type == SHARC_WARC_CONVERSION;
}

/* One record into the open file. id: given, or "" for a new one. */
static int write_entry(struct sharc_warc_writer *w, const struct sharc_warc_entry *e, const char *id,
                       struct sharc_warc_place *ret, struct sharc_err *reterr)
{
    struct sharc_digest block = {0};
    struct sharc_warc_place place = {0};
    char text[SHARC_DIGEST_TEXT];
    struct sharc_span payload = e->payload_digest;
    bool compute = wants_payload_digest(e);
    if (id[0])
        snprintf(place.id, sizeof place.id, "%s", id);
    else
        sharc__warc_make_id(w, place.id);
    bool known = e->block_digest.p && !compute && sharc_digest_parse(e->block_digest, &block) == 0;
    int r = known ? 0 : digest_block(w, &e->block, compute, &block, &place.payload, reterr);
    if (r < 0) return r;
    if (compute) payload = sharc_span_of(sharc_digest_text(&place.payload, text));
    if (payload.p && !compute) (void)sharc_digest_parse(payload, &place.payload);
    put_head(w, e, place.id, &block, payload);
    SHARC_FAIL_IF(w->head.failed, reterr, SHARC_EINVAL, "a WARC field is too long or has a line end in it");
    sharc__warc_member_begin(w, w->head.n + size_of(&e->block) + 4);
    r = sharc__warc_member_add(w, sharc_buf_span(&w->head), reterr);
    if (r == 0) r = sharc__warc_member_add(w, e->block.head, reterr);
    if (r == 0) r = each_body_piece(w, &e->block, emit_piece, NULL, reterr);
    if (r == 0) r = sharc__warc_member_add(w, SHARC_SPAN("\r\n\r\n"), reterr);
    if (r == 0) r = sharc__warc_member_end(w, &place, reterr);
    if (r < 0) {
        sharc__warc_member_abandon(w);
        return r;
    }
    *ret = place;
    return 0;
}

static int write_info(struct sharc_warc_writer *w, sharc_time now, struct sharc_err *reterr)
{
    SHARC_AUTO(sharc_buf_done) struct sharc_buf b = SHARC_BUF_INIT(1 << 20);
    struct sharc_warc_place place;
    sharc_buf_printf(&b, "software: %s\r\nformat: WARC File Format 1.1\r\nconformsTo: " CONFORMS "\r\n", w->o.software);
    sharc_buf_put(&b, w->o.info);
    int r = sharc_buf_result(&b, reterr);
    if (r < 0) return r;
    struct sharc_warc_entry e = {.type = SHARC_WARC_INFO, .date = now, .block.body = sharc_buf_span(&b)};
    w->info_id[0] = 0;
    r = write_entry(w, &e, "", &place, reterr);
    if (r == 0) snprintf(w->info_id, sizeof w->info_id, "%s", place.id);
    return r;
}

int sharc__warc_prepare(struct sharc_warc_writer *w, sharc_time now, struct sharc_err *reterr)
{
    SHARC_FAIL_IF(w->fd >= 0 && w->broken, reterr, SHARC_EIO,
                  "%s" OPEN_SUFFIX ": a record could not be taken back; run sharc verify --repair FILE", w->path);
    int r = 0;
    if (w->fd >= 0 && w->at >= w->o.roll && !w->o.path) r = sharc_warc_writer_finish(w, reterr);
    if (r == 0) r = sharc__warc_file_open(w, now, reterr);
    if (r < 0) return r;
    /* at == 0 also when the first warcinfo could not be written. */
    return w->at == 0 && !w->o.no_info ? write_info(w, now, reterr) : 0;
}

int sharc_warc_write(struct sharc_warc_writer *w, sharc_time now, const struct sharc_warc_entry *e,
                     struct sharc_warc_place *ret, struct sharc_err *reterr)
{
    struct sharc_warc_place place;
    int r = sharc__warc_prepare(w, now, reterr);
    if (r == 0) r = write_entry(w, e, "", &place, reterr);
    if (r == 0 && ret) *ret = place;
    return r;
}

int sharc__warc_write_main(struct sharc_warc_writer *w, const struct sharc_warc_fetch *f, const char *id,
                           struct sharc_warc_place *ret, struct sharc_err *reterr)
{
    struct sharc_warc_entry e = {
        .type = SHARC_WARC_RESPONSE,
        .date = f->date,
        .target = f->target,
        .ip = f->ip,
        .protocol = f->protocol,
        .truncated = f->truncated,
        .payload_digest = f->payload_digest,
        .block_digest = f->block_digest,
        .block = f->response,
        .extra = f->control ? SHARC_SPAN("sharc-kind: control\r\n") : SHARC_SPAN_NONE,
    };
    if (f->original) {
        e.type = SHARC_WARC_REVISIT;
        e.profile = f->not_modified ? SHARC_SPAN(PROFILE "server-not-modified")
                                    : SHARC_SPAN(PROFILE "identical-payload-digest");
        e.refers_to = sharc_span_of(f->original->id);
        e.refers_to_target = f->original_target;
        e.refers_to_date = f->original_date;
        e.payload_digest = f->original_payload_digest;
        if (!f->not_modified) { /* the head is kept, the payload is elsewhere */
            e.block = (struct sharc_warc_bytes){.head = f->response.head, .fd = -1};
            e.block_digest = SHARC_SPAN_NONE;
            e.truncated = "length";
        }
        SHARC_FAIL_IF(!e.payload_digest.p || !e.refers_to_target.p || !e.refers_to.n, reterr, SHARC_EINVAL,
                      "a revisit needs the original's id, target, date and payload digest");
    }
    return write_entry(w, &e, id, ret, reterr);
}

int sharc__warc_write_request(struct sharc_warc_writer *w, const struct sharc_warc_fetch *f, const char *concurrent_to,
                              const char *id, struct sharc_warc_place *ret, struct sharc_err *reterr)
{
    if (size_of(&f->request) == 0) return 0;
    struct sharc_warc_entry e = {
        .type = SHARC_WARC_REQUEST,
        .date = f->date,
        .target = f->target,
        .ip = f->ip,
        .protocol = f->protocol,
        .concurrent_to = concurrent_to[0] ? sharc_span_of(concurrent_to) : SHARC_SPAN_NONE,
        .block = f->request,
    };
    return write_entry(w, &e, id, ret, reterr);
}

static int write_metadata(struct sharc_warc_writer *w, const struct sharc_warc_fetch *f, const char *concurrent_to,
                          struct sharc_warc_place *ret, struct sharc_err *reterr)
{
    if (f->metadata.n == 0) return 0;
    struct sharc_warc_entry e = {
        .type = SHARC_WARC_METADATA,
        .date = f->date,
        .target = f->target,
        .concurrent_to = concurrent_to[0] ? sharc_span_of(concurrent_to) : SHARC_SPAN_NONE,
        .block = {.head = f->metadata, .body = f->metadata_rest, .fd = -1},
    };
    return write_entry(w, &e, "", ret, reterr);
}

/* Of what secured its connection; once in each file. */
static int write_chain(struct sharc_warc_writer *w, const struct sharc_warc_fetch *f, struct sharc_warc_place *ret,
                       struct sharc_err *reterr)
{
    if (f->tls_chain.n == 0) return 0;
    if (!w->chains) w->chains = sharc_intern_new();
    if (sharc_intern_find(w->chains, f->tls_chain_digest) != SHARC_NO_ID) return 0;
    SHARC_AUTO(sharc_freep)
    char *target = sharc_asprintf(SHARC_WARC_CHAIN_TARGET "%.*s", SHARC_SPAN_ARG(f->tls_chain_digest));
    struct sharc_warc_entry e = {
        .type = SHARC_WARC_METADATA,
        .date = f->date,
        .target = sharc_span_of(target),
        .content_type = SHARC_SPAN("application/pem-certificate-chain"),
        .truncated = f->tls_chain_cut ? "length" : NULL,
        .extra = SHARC_SPAN("sharc-kind: " SHARC_WARC_CHAIN_KIND "\r\n"),
        .block = {.body = f->tls_chain, .fd = -1},
    };
    int r = write_entry(w, &e, "", ret, reterr);
    if (r == 0) sharc_intern_add(w->chains, f->tls_chain_digest, NULL);
    return r;
}

/* The records of a fetch that are not packed yet, to the file or the sink. */
static int write_fetch(struct sharc_warc_writer *w, const struct sharc_warc_fetch *f,
                       struct sharc_warc_fetch_places *places, struct sharc_err *reterr)
{
    char id[SHARC_WARC_ID_TEXT] = "";
    int r = 0;
    if (sharc__warc_ahead_fits(w, f->ahead)) {
        sharc__warc_ahead_places(w, f->ahead, places);
    } else {
        sharc__warc_make_id(w, id);
        bool has_main = size_of(&f->response) > 0;
        if (has_main) r = sharc__warc_write_main(w, f, id, &places->response, reterr);
        if (r == 0) r = sharc__warc_write_request(w, f, has_main ? id : "", "", &places->request, reterr);
    }
    if (r < 0) return r;
    const char *first = places->response.length ? places->response.id : places->request.id;
    return write_metadata(w, f, first, &places->metadata, reterr);
}

int sharc_warc_write_fetch(struct sharc_warc_writer *w, sharc_time now, const struct sharc_warc_fetch *f,
                           struct sharc_warc_fetch_places *ret, struct sharc_err *reterr)
{
    struct sharc_warc_fetch_places places = {0};
    int r = sharc__warc_prepare(w, now, reterr);
    if (r == 0) r = write_chain(w, f, &places.tls_chain, reterr);
    if (r < 0) return r;
    uint64_t before = w->at;
    bool ahead = sharc__warc_ahead_fits(w, f->ahead);
    uint64_t size = (ahead ? 0 : size_of(&f->response) + size_of(&f->request)) + f->metadata.n + f->metadata_rest.n;
    bool group = size <= GROUP_MOST;
    sharc_buf_clear(&w->group);
    w->sink = group ? &w->group : NULL;
    if (ahead && !group) r = sharc__warc_file_append(w, before, sharc_buf_span(&f->ahead->bytes), reterr);
    if (r == 0) r = write_fetch(w, f, &places, reterr);
    w->sink = NULL;
    if (r == 0 && group)
        r = sharc__warc_file_append_two(w, before, ahead ? sharc_buf_span(&f->ahead->bytes) : SHARC_SPAN_NONE,
                                        sharc_buf_span(&w->group), reterr);
    if (r < 0) {
        sharc__warc_file_take_back(w, before);
        return r;
    }
    if (ret) *ret = places;
    return 0;
}

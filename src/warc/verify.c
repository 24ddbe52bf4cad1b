/* SPDX-License-Identifier: Apache-2.0
 *
 * One walk over a file, leniently, noting everything that is not as it should
 * be. Block and payload are digested together, from the same pieces.
 */
#include "verify_int.h"

#include "sharc/base_limits.h"

#include <stdarg.h>
#include <stdio.h>

/* --- findings ------------------------------------------------------------ */

void sharc__warc_finding(struct verifying *v, enum sharc_finding_kind kind, uint64_t offset, const char *fmt, ...)
{
    char text[512];
    va_list args;
    va_start(args, fmt);
    vsnprintf(text, sizeof text, fmt, args);
    va_end(args);
    if (kind == SHARC_FINDING_RULE) v->out->counts.rules++;
    sharc_findings_add(&v->out->found, &(struct sharc_finding){.kind = kind, .offset = offset, .text = text});
}

/* The reader's words come with file and offset in front: those stand apart here. */
static const char *bare_sentence(const char *text)
{
    const char *at = strstr(text, ": offset ");
    const char *colon = at ? strchr(at + 9, ':') : NULL;
    return colon && colon[1] == ' ' ? colon + 2 : text;
}

static void from_reader(void *arg, const struct sharc_err *what)
{
    enum sharc_finding_kind kind = what->code < 0 ? SHARC_FINDING_DAMAGE : SHARC_FINDING_HABIT;
    SHARC_AUTO(sharc_freep) char *text = sharc_strdup(bare_sentence(what->text));
    char *cure = strstr(text, "; cure:");
    if (cure) *cure = 0;
    sharc__warc_finding(arg, kind, what->offset, "%s", text);
}

/* --- digests ------------------------------------------------------------- */

struct claim {
    struct sharc_digest said;
    bool there;
};

static struct claim claim_of(struct verifying *v, const struct sharc_record *rec, struct sharc_span text,
                             const char *what)
{
    struct claim c = {.there = false};
    if (!text.p) return c;
    c.there = sharc_digest_parse(text, &c.said) == 0;
    if (!c.there) {
        v->out->counts.digests_unknown++;
        if (v->told_form) return c;
        v->told_form = true;
        sharc__warc_finding(v, SHARC_FINDING_HABIT, rec->offset, "%s \"%.*s\" is in a form we do not know", what,
                            SHARC_SPAN_ARG(sharc_span_sub(text, 0, 60)));
    }
    return c;
}

/* The payload of a revisit is elsewhere; that of a segment is the whole's. */
static bool payload_is_here(const struct sharc_record *rec)
{
    return rec->type != SHARC_WARC_REVISIT && rec->type != SHARC_WARC_CONTINUATION &&
           !sharc_record_get(rec, "WARC-Segment-Number").p;
}

struct digesting {
    struct claim block, payload;
    size_t head_left;
    bool chunked;
    bool paired; /* both are of one kind, and neither is taken in a third way */
    struct sharc_chunked chunk;
};

static void digest_body(struct verifying *v, struct digesting *d, struct sharc_span body)
{
    if (!d->chunked) {
        sharc_hasher_add(v->payload, body.p, body.n);
        return;
    }
    struct sharc_span data;
    sharc_hasher_add(v->framed, body.p, body.n);
    while (sharc_chunked_step(&d->chunk, &body, &data) > 0) sharc_hasher_add(v->payload, data.p, data.n);
}

static int digest_pieces(struct verifying *v, struct digesting *d, struct sharc_record *rec, struct sharc_err *err)
{
    struct sharc_span piece;
    int r;
    while ((r = sharc_record_read(rec, SHARC_WARC_BLOCK, &piece, err)) > 0) {
        if (d->paired) {
            size_t head = piece.n < d->head_left ? piece.n : d->head_left;
            d->head_left -= head;
            sharc_hasher_pair_add(v->pair, piece, sharc_span_from(piece, head));
            continue;
        }
        if (d->block.there) sharc_hasher_add(v->block, piece.p, piece.n);
        if (!d->payload.there) continue;
        size_t skip = piece.n < d->head_left ? piece.n : d->head_left;
        d->head_left -= skip;
        digest_body(v, d, sharc_span_from(piece, skip));
    }
    return r;
}

/* wget writes the digest of nothing into its revisits. */
static bool is_digest_of_nothing(const struct sharc_digest *d)
{
    struct sharc_digest nothing;
    sharc_digest_of(d->kind, SHARC_SPAN(""), &nothing);
    return sharc_digest_eq(d, &nothing);
}

static void compare_block(struct verifying *v, const struct digesting *d, const struct sharc_record *rec,
                          const struct sharc_digest *got)
{
    struct sharc_warc_counts *c = &v->out->counts;
    if (sharc_digest_eq(got, &d->block.said)) {
        c->blocks_right++;
    } else if (rec->type == SHARC_WARC_REVISIT && is_digest_of_nothing(&d->block.said)) {
        if (!v->told_nothing)
            sharc__warc_finding(v, SHARC_FINDING_HABIT, rec->offset,
                                "the revisit's block digest is that of an empty block");
        v->told_nothing = true;
        c->digests_of_nothing++;
    } else {
        c->blocks_wrong++;
        sharc__warc_finding(v, SHARC_FINDING_BLOCK, rec->offset, "the block does not have its digest %.*s",
                            SHARC_SPAN_ARG(rec->block_digest));
    }
}

static void compare_payload(struct verifying *v, const struct digesting *d, const struct sharc_record *rec,
                            const struct sharc_digest *got)
{
    struct sharc_digest framed;
    struct sharc_warc_counts *c = &v->out->counts;
    if (d->chunked) sharc_hasher_end(v->framed, &framed);
    if (sharc_digest_eq(got, &d->payload.said)) {
        c->payloads_right++;
    } else if (d->chunked && sharc_digest_eq(&framed, &d->payload.said)) {
        c->payloads_right++;
        c->payloads_framed++;
    } else {
        c->payloads_wrong++;
        sharc__warc_finding(v, SHARC_FINDING_PAYLOAD, rec->offset, "the payload does not have its digest %.*s",
                            SHARC_SPAN_ARG(rec->payload_digest));
    }
}

static void start_digests(struct verifying *v, struct digesting *d, struct sharc_record *rec)
{
    if (d->payload.there) {
        const struct sharc_http *h = sharc_record_http(rec);
        d->head_left = h ? h->head_size : 0;
        d->chunked = h && sharc_http_is_chunked(h);
    }
    d->paired = d->block.there && d->payload.there && !d->chunked && d->block.said.kind == d->payload.said.kind;
    if (d->paired) {
        sharc_hasher_pair_start(v->pair, d->block.said.kind);
        return;
    }
    if (d->block.there) sharc_hasher_start(v->block, d->block.said.kind);
    if (d->payload.there) sharc_hasher_start(v->payload, d->payload.said.kind);
    if (!d->chunked) return;
    sharc_chunked_init(&d->chunk, true);
    sharc_hasher_start(v->framed, d->payload.said.kind);
}

static void end_digests(struct verifying *v, struct digesting *d, struct sharc_digest *block,
                        struct sharc_digest *payload)
{
    struct sharc_span rest;
    if (d->paired) {
        sharc_hasher_pair_end(v->pair, block, payload);
        return;
    }
    if (d->chunked && sharc_chunked_end(&d->chunk, &rest) > 0) sharc_hasher_add(v->payload, rest.p, rest.n);
    if (d->block.there) sharc_hasher_end(v->block, block);
    if (d->payload.there) sharc_hasher_end(v->payload, payload);
}

/* A block that ends too early is damage, which the walk counts: no comparison. */
static void check_digests(struct verifying *v, struct sharc_record *rec)
{
    struct digesting d = {.block = claim_of(v, rec, rec->block_digest, "WARC-Block-Digest")};
    struct sharc_digest block, payload;
    if (payload_is_here(rec)) d.payload = claim_of(v, rec, rec->payload_digest, "WARC-Payload-Digest");
    if (!d.block.there && !d.payload.there) {
        v->out->counts.undigested++;
        return;
    }
    start_digests(v, &d, rec);
    if (digest_pieces(v, &d, rec, NULL) < 0) return;
    end_digests(v, &d, &block, &payload);
    if (d.block.there) compare_block(v, &d, rec, &block);
    if (d.payload.there) compare_payload(v, &d, rec, &payload);
}

/* --- the walk ------------------------------------------------------------ */

static int walk(struct verifying *v, struct sharc_warc *w, struct sharc_err *reterr)
{
    struct sharc_record rec;
    struct sharc_warc_counts *c = &v->out->counts;
    int r;
    while ((r = sharc_warc_next(w, &rec, reterr)) > 0) {
        c->types[rec.type]++;
        sharc__warc_verify_rules(v, &rec);
        sharc__warc_origins_note(v->out, &rec);
        if (v->digests) check_digests(v, &rec);
    }
    struct sharc_warc_stats s = sharc_warc_stats(w);
    if (s.joined > 0)
        sharc__warc_finding(v, SHARC_FINDING_RULE, 0,
                            "in %s compressed members and records do not match: replay needs one record per member",
                            SHARC_COUNT(s.joined, "place"));
    c->records = s.records;
    c->bytes = s.bytes;
    c->damaged = s.damaged;
    c->habits = s.warnings + c->digests_unknown + c->digests_of_nothing;
    v->out->packing = sharc_warc_packing(w);
    return r;
}

static int verify(struct verifying *v, struct sharc_warc *w, struct sharc_err *reterr)
{
    sharc_map64_init(&v->ids);
    v->block = sharc_hasher_new();
    v->payload = sharc_hasher_new();
    v->framed = sharc_hasher_new();
    v->pair = sharc_hasher_pair_new();
    int r = walk(v, w, reterr);
    const struct sharc_warc_counts *c = &v->out->counts;
    if (r == 0 && c->records == 0 && c->bytes > 0 && v->out->found.count == 0)
        sharc__warc_finding(v, SHARC_FINDING_DAMAGE, 0, "there is no record in this file");
    sharc_hasher_free(v->block);
    sharc_hasher_free(v->payload);
    sharc_hasher_free(v->framed);
    sharc_hasher_pair_free(v->pair);
    sharc_map64_done(&v->ids);
    return r;
}

static int open_and_verify(const char *path, struct sharc_span bytes, const struct sharc_warc_verify_options *o,
                           struct sharc_warc_verified *ret, struct sharc_err *reterr)
{
    *ret = (struct sharc_warc_verified){.origins_ = NULL};
    sharc_findings_init(&ret->found);
    struct verifying v = {.out = ret, .digests = !(o && o->no_digests)};
    struct sharc_warc_options ro = {.lenient = true, .name = o ? o->name : NULL, .warn = from_reader, .warn_arg = &v};
    SHARC_AUTO(sharc_warc_closep) struct sharc_warc *w = NULL;
    int r = path ? sharc_warc_open(path, &ro, &w, reterr) : sharc_warc_open_bytes(bytes, &ro, &w, reterr);
    return r < 0 ? r : verify(&v, w, reterr);
}

int sharc_warc_verify(const char *path, const struct sharc_warc_verify_options *o, struct sharc_warc_verified *ret,
                      struct sharc_err *reterr)
{
    return open_and_verify(path, SHARC_SPAN_NONE, o, ret, reterr);
}

int sharc_warc_verify_bytes(struct sharc_span bytes, const struct sharc_warc_verify_options *o,
                            struct sharc_warc_verified *ret, struct sharc_err *reterr)
{
    return open_and_verify(NULL, bytes, o, ret, reterr);
}

void sharc_warc_verified_done(struct sharc_warc_verified *v)
{
    sharc_findings_done(&v->found);
    sharc__warc_origins_free(v->origins_);
    v->origins_ = NULL;
}

/* SPDX-License-Identifier: Apache-2.0
 *
 * The digests of one record. Block and payload are taken together from the same
 * pieces. Where two readings of "payload" are met in the wild, both are taken:
 *   chunked bodies     without the chunks, as the standard says, or with them
 *   no HTTP head       the whole block, or what follows its first empty line
 */
#include "record_digests.h"
#include "warc_int.h"

#include <stdlib.h>

struct claim {
    struct sharc_digest said;
    enum sharc__warc_match match; /* MATCH_RIGHT: can be compared */
};

struct sharc__warc_digests {
    struct sharc_hasher *block_hash, *payload_hash, *other_hash;
    struct sharc_hasher_pair *pair; /* block and payload together */
    struct claim block, payload;
    size_t head_left;
    bool revisit;
    bool chunked; /* other: the body with its chunks */
    bool no_http; /* other: what stands behind the first empty line */
    bool paired;  /* both are of one kind, and there is no other */
    unsigned line_ends;
    struct sharc_chunked chunk;
};

struct sharc__warc_digests *sharc__warc_digests_new(void)
{
    struct sharc__warc_digests *d = SHARC_NEW(struct sharc__warc_digests);
    d->block_hash = sharc_hasher_new();
    d->payload_hash = sharc_hasher_new();
    d->other_hash = sharc_hasher_new();
    d->pair = sharc_hasher_pair_new();
    return d;
}

void sharc__warc_digests_free(struct sharc__warc_digests *d)
{
    if (!d) return;
    sharc_hasher_free(d->block_hash);
    sharc_hasher_free(d->payload_hash);
    sharc_hasher_free(d->other_hash);
    sharc_hasher_pair_free(d->pair);
    free(d);
}

static struct claim claim_of(struct sharc_span text)
{
    struct claim c = {.match = MATCH_NO_CLAIM};
    if (!text.p) return c;
    int r = sharc_digest_parse(text, &c.said);
    bool algorithm = sharc_span_find(text, ':', 0) != SHARC_NPOS;
    c.match = r == 0 ? MATCH_RIGHT : r == SHARC_EUNSUPPORTED || !algorithm ? MATCH_UNKNOWN : MATCH_UNREADABLE;
    return c;
}

/* The payload of a revisit is elsewhere; that of a segment is the whole's. */
static bool payload_is_here(const struct sharc_record *rec)
{
    return rec->type != SHARC_WARC_REVISIT && rec->type != SHARC_WARC_CONTINUATION &&
           !sharc_record_get(rec, "WARC-Segment-Number").p;
}

static bool is_compared(const struct claim *c)
{
    return c->match == MATCH_RIGHT;
}

static void start_payload(struct sharc__warc_digests *d, struct sharc_record *rec)
{
    const struct sharc_http *h = sharc_record_http(rec);
    bool request = rec->type == SHARC_WARC_REQUEST;
    d->head_left = h ? h->head_size : 0;
    d->chunked = h && sharc_http_is_chunked(h);
    d->no_http = !h && (rec->type == SHARC_WARC_RESPONSE || request) &&
                 (!rec->content_type.p || sharc_span_istarts(rec->content_type, SHARC_SPAN("application/http")));
    if (d->chunked) sharc_chunked_init(&d->chunk, true);
    if (d->chunked || d->no_http) sharc_hasher_start(d->other_hash, d->payload.said.kind);
}

bool sharc__warc_digests_start(struct sharc__warc_digests *d, struct sharc_record *rec)
{
    d->block = claim_of(rec->block_digest);
    d->payload = claim_of(payload_is_here(rec) ? rec->payload_digest : SHARC_SPAN_NONE);
    d->revisit = rec->type == SHARC_WARC_REVISIT;
    d->chunked = d->no_http = d->paired = false;
    d->line_ends = 0;
    d->head_left = 0;
    bool block = is_compared(&d->block), payload = is_compared(&d->payload);
    if (payload) start_payload(d, rec);
    d->paired = block && payload && !d->chunked && !d->no_http && d->block.said.kind == d->payload.said.kind;
    if (d->paired) {
        sharc_hasher_pair_start(d->pair, d->block.said.kind);
        return true;
    }
    if (block) sharc_hasher_start(d->block_hash, d->block.said.kind);
    if (payload) sharc_hasher_start(d->payload_hash, d->payload.said.kind);
    return block || payload;
}

/* Bytes behind the first empty line, which may begin in an earlier piece. */
static struct sharc_span behind_empty_line(struct sharc__warc_digests *d, struct sharc_span piece)
{
    size_t i = 0;
    for (; i < piece.n && d->line_ends < 2; i++) {
        if (piece.p[i] == '\n')
            d->line_ends++;
        else if (piece.p[i] != '\r')
            d->line_ends = 0;
    }
    return sharc_span_from(piece, i);
}

static void add_payload(struct sharc__warc_digests *d, struct sharc_span body)
{
    if (d->no_http) {
        struct sharc_span behind = behind_empty_line(d, body);
        sharc_hasher_add(d->other_hash, behind.p, behind.n);
    }
    if (!d->chunked) {
        sharc_hasher_add(d->payload_hash, body.p, body.n);
        return;
    }
    struct sharc_span data;
    sharc_hasher_add(d->other_hash, body.p, body.n);
    while (sharc_chunked_step(&d->chunk, &body, &data) > 0) sharc_hasher_add(d->payload_hash, data.p, data.n);
}

void sharc__warc_digests_add(struct sharc__warc_digests *d, struct sharc_span piece)
{
    size_t head = piece.n < d->head_left ? piece.n : d->head_left;
    d->head_left -= head;
    if (d->paired) {
        sharc_hasher_pair_add(d->pair, piece, sharc_span_from(piece, head));
        return;
    }
    if (is_compared(&d->block)) sharc_hasher_add(d->block_hash, piece.p, piece.n);
    if (is_compared(&d->payload)) add_payload(d, sharc_span_from(piece, head));
}

static bool is_digest_of_nothing(const struct sharc_digest *d)
{
    struct sharc_digest nothing;
    sharc_digest_of(d->kind, SHARC_SPAN(""), &nothing);
    return sharc_digest_eq(d, &nothing);
}

static void end_hashing(struct sharc__warc_digests *d, struct sharc_digest *block, struct sharc_digest *payload,
                        struct sharc_digest *other)
{
    struct sharc_span rest;
    if (d->paired) {
        sharc_hasher_pair_end(d->pair, block, payload);
        return;
    }
    if (d->chunked && sharc_chunked_end(&d->chunk, &rest) > 0) sharc_hasher_add(d->payload_hash, rest.p, rest.n);
    if (is_compared(&d->block)) sharc_hasher_end(d->block_hash, block);
    if (is_compared(&d->payload)) sharc_hasher_end(d->payload_hash, payload);
    if (d->chunked || d->no_http) sharc_hasher_end(d->other_hash, other);
}

struct sharc__warc_matches sharc__warc_digests_claims(const struct sharc__warc_digests *d)
{
    return (struct sharc__warc_matches){d->block.match, d->payload.match, d->no_http};
}

struct sharc__warc_matches sharc__warc_digests_end(struct sharc__warc_digests *d)
{
    struct sharc_digest block, payload, other;
    struct sharc__warc_matches m = sharc__warc_digests_claims(d);
    end_hashing(d, &block, &payload, &other);
    if (is_compared(&d->block) && !sharc_digest_eq(&block, &d->block.said))
        m.block = d->revisit && is_digest_of_nothing(&d->block.said) ? MATCH_OF_NOTHING : MATCH_WRONG;
    if (is_compared(&d->payload) && !sharc_digest_eq(&payload, &d->payload.said)) {
        bool two = d->chunked || d->no_http;
        m.payload = two && sharc_digest_eq(&other, &d->payload.said) ? MATCH_OTHERWISE : MATCH_WRONG;
    }
    return m;
}

const char *sharc__warc_digests_wrong(const struct sharc_record *rec, struct sharc__warc_matches m,
                                      struct sharc_span *ret)
{
    bool block = m.block == MATCH_WRONG;
    if (!block && (m.payload != MATCH_WRONG || m.block == MATCH_RIGHT)) return NULL;
    *ret = block ? rec->block_digest : rec->payload_digest;
    return block ? "block" : "payload";
}

/* SPDX-License-Identifier: Apache-2.0
 *
 * The two digests of a body in one reading: of the payload as it is stored (transfer coding
 * undone, as WARC-Payload-Digest has it), and of the content (all codings undone), by which
 * two answers are compared.
 */
#include "derive_int.h"

#include "sharc/http.h"

#include <stdlib.h>

enum { CODING_FIELDS = 8 };

struct decoding {
    struct sharc_hasher *payload, *content;
    struct sharc_record *rec;
    uint64_t payload_bytes;
};

struct decoding *sharc__derive_decoding_new(void)
{
    struct decoding *d = SHARC_NEW(struct decoding);
    d->payload = sharc_hasher_new();
    d->content = sharc_hasher_new();
    return d;
}

void sharc__derive_decoding_free(struct decoding *d)
{
    if (!d) return;
    sharc_hasher_free(d->payload);
    sharc_hasher_free(d->content);
    free(d);
}

/* Payload pieces on their way to the decoder; the shape of sharc_pull_fn. */
static int payload_piece(void *arg, struct sharc_span *ret, struct sharc_err *reterr)
{
    struct decoding *d = arg;
    int r = sharc_record_read(d->rec, SHARC_WARC_PAYLOAD, ret, reterr);
    if (r > 0) {
        sharc_hasher_add(d->payload, ret->p, ret->n);
        d->payload_bytes += ret->n;
    }
    return r;
}

/* The head's content codings without its transfer codings, which are undone below. */
static size_t content_codings(const struct sharc_http *h, struct sharc_http_field fields[CODING_FIELDS])
{
    size_t n = 0;
    for (size_t i = 0; i < h->count && n < CODING_FIELDS; i++)
        if (sharc_span_ieq(h->fields[i].name, SHARC_SPAN("Content-Encoding"))) fields[n++] = h->fields[i];
    return n;
}

static int pull_decoded(struct decoding *d, const struct sharc_http *codings, struct sharc_download *ret,
                        struct sharc_err *reterr)
{
    SHARC_AUTO(sharc_http_body_freep) struct sharc_http_body *body = NULL;
    struct sharc_span piece;
    int r = sharc_http_body_new(codings, SHARC_HTTP_CONTENT, UINT64_MAX, payload_piece, d, &body, reterr);
    if (r == SHARC_ELIMIT) { /* more codings than anybody undoes */
        ret->flags |= SHARC_DOWNLOAD_CUT;
        while ((r = payload_piece(d, &piece, reterr)) > 0) continue;
        return r;
    }
    while (r >= 0 && (r = sharc_http_body_pull(body, &piece, reterr)) > 0) {
        sharc_hasher_add(d->content, piece.p, piece.n);
        ret->bytes += piece.n;
    }
    if (r < 0) return r;
    if (!sharc_http_body_is_whole(sharc_http_body_state(body))) ret->flags |= SHARC_DOWNLOAD_CUT;
    /* What stands behind the end of the coding belongs to the payload, too. */
    while ((r = payload_piece(d, &piece, reterr)) > 0) continue;
    return r;
}

static int pull(struct decoding *d, const struct sharc_http *h, struct sharc_download *ret, struct sharc_err *reterr)
{
    struct sharc_http_field fields[CODING_FIELDS];
    struct sharc_http codings = {.response = true, .fields = fields};
    struct sharc_span piece;
    int r;
    codings.count = h ? content_codings(h, fields) : 0;
    if (codings.count) {
        ret->flags |= SHARC_DOWNLOAD_CODED;
        return pull_decoded(d, &codings, ret, reterr);
    }
    while ((r = payload_piece(d, &piece, reterr)) > 0) continue;
    ret->bytes = d->payload_bytes;
    return r;
}

static void compare_claim(const struct sharc_record *rec, const struct sharc_digest *found, struct sharc_download *ret)
{
    struct sharc_digest said;
    if (!rec->payload_digest.p || sharc_digest_parse(rec->payload_digest, &said) < 0) return;
    if (said.kind == found->kind && !sharc_digest_eq(&said, found)) ret->flags |= SHARC_DOWNLOAD_WRONG_PAYLOAD;
}

int sharc__derive_decode(struct decoding *d, struct sharc_record *rec, struct sharc_download *ret,
                         struct sharc_err *reterr)
{
    struct sharc_digest digest;
    const struct sharc_http *h = sharc_record_http(rec);
    d->rec = rec;
    d->payload_bytes = 0;
    sharc_hasher_start(d->payload, SHARC_SHA256);
    sharc_hasher_start(d->content, SHARC_SHA256);
    uint64_t promised = 0;
    bool promises = h && h->status != 304 && !sharc_http_get(h, "Transfer-Encoding").p &&
                    sharc_http_content_length(h, &promised) == 0;
    int r = pull(d, h, ret, reterr);
    sharc_hasher_end(d->payload, &digest);
    if (r < 0) return r;
    compare_claim(rec, &digest, ret);
    memcpy(ret->payload, digest.bytes, sizeof ret->payload);
    if (ret->flags & SHARC_DOWNLOAD_CODED) sharc_hasher_end(d->content, &digest);
    memcpy(ret->content, digest.bytes, sizeof ret->content);
    ret->flags |= SHARC_DOWNLOAD_HAS_PAYLOAD | SHARC_DOWNLOAD_HAS_CONTENT;
    if ((promises && d->payload_bytes < promised) || !sharc_record_is_whole(rec)) ret->flags |= SHARC_DOWNLOAD_CUT;
    return 0;
}

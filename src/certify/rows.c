/* SPDX-License-Identifier: Apache-2.0
 *
 * One page as a row of the certificate. Names are written in the order that RFC 8785 wants, and what
 * is absent is left out; so a row has one spelling, and its bytes are the leaf of the Merkle tree.
 */
#include "certify_int.h"

#include "sharc/warc_own.h"

static void put_name(const struct sharc_derived *f, struct sharc_json *j, const char *name, uint32_t text)
{
    if (text != SHARC_DERIVED_NONE) sharc_json_span(j, name, sharc_derived_text(f, text));
}

static void put_time(struct sharc_json *j, const char *name, sharc_time t)
{
    if (t != SHARC_TIME_NONE) sharc_json_int(j, name, t);
}

static void put_sha256(struct sharc_json *j, const char *name, const uint8_t bytes[32])
{
    struct sharc_digest d = {.kind = SHARC_SHA256, .n = 32};
    char text[SHARC_DIGEST_TEXT];
    memcpy(d.bytes, bytes, 32);
    sharc_json_str(j, name, sharc_digest_text(&d, text));
}

/* "urn:uuid:…", as the record has it, without the brackets. */
static void put_id(struct sharc_json *j, const char *name, const uint8_t id[16])
{
    char text[SHARC_WARC_ID_TEXT];
    sharc_warc_id_text(id, text);
    struct sharc_span s = sharc_span_of(text);
    sharc_json_span(j, name, sharc_span_sub(s, 1, s.n - 1));
}

static void put_sent(const struct sharc_download *d, struct sharc_json *j)
{
    if (!(d->flags & (SHARC_DOWNLOAD_COOKIE | SHARC_DOWNLOAD_AUTHORIZATION | SHARC_DOWNLOAD_CONDITIONAL))) return;
    sharc_json_array(j, "sent");
    if (d->flags & SHARC_DOWNLOAD_AUTHORIZATION) sharc_json_str(j, NULL, "authorization");
    if (d->flags & SHARC_DOWNLOAD_CONDITIONAL) sharc_json_str(j, NULL, "condition");
    if (d->flags & SHARC_DOWNLOAD_COOKIE) sharc_json_str(j, NULL, "cookie");
    sharc_json_end(j);
}

static void put_security(const struct sharc_derived *f, struct sharc_json *j, const struct sharc_download *d)
{
    if (d->tls_version == SHARC_DERIVED_NONE) return;
    sharc_json_object(j, "tls");
    put_name(f, j, "chain", d->tls_chain);
    put_name(f, j, "cipher", d->tls_cipher);
    if (d->flags & SHARC_DOWNLOAD_TLS_RESUMED) sharc_json_bool(j, "resumed", true);
    sharc_json_bool(j, "verified", (d->flags & SHARC_DOWNLOAD_TLS_VERIFIED) != 0);
    put_name(f, j, "version", d->tls_version);
    sharc_json_end(j);
}

static void put_download(const struct sharc_derived *f, struct sharc_json *j, const char *name, uint32_t number)
{
    const struct sharc_download *d = &f->all.items[number];
    static const char *const kinds[] = {
#define X(constant, word) word,
        SHARC_OWN_KINDS(X)
#undef X
    };
    sharc_json_object(j, name);
    if (d->age >= 0) sharc_json_int(j, "age", d->age);
    if (d->flags & SHARC_DOWNLOAD_HAS_CONTENT) {
        sharc_json_uint(j, "bytes", d->bytes);
        put_sha256(j, "content", d->content);
    }
    if (d->flags & SHARC_DOWNLOAD_CUT) sharc_json_bool(j, "cut", true);
    put_time(j, "date", d->date);
    put_name(f, j, "etag", d->etag);
    sharc_json_uint(j, "file", f->files[d->file].number);
    put_time(j, "from", d->from);
    put_name(f, j, "ip", d->ip);
    if (!name) sharc_json_str(j, "kind", kinds[d->kind]);
    put_name(f, j, "last_modified", d->modified);
    sharc_json_uint(j, "length", d->length);
    put_name(f, j, "location", d->location);
    if (d->flags & SHARC_DOWNLOAD_NOT_MODIFIED) sharc_json_bool(j, "not_modified", true);
    sharc_json_uint(j, "offset", d->offset);
    if (d->flags & SHARC_DOWNLOAD_REVISIT) put_id(j, "original", d->original_id);
    if (d->flags & SHARC_DOWNLOAD_HAS_PAYLOAD) put_sha256(j, "payload", d->payload);
    put_id(j, "record", d->id);
    put_sent(d, j);
    sharc_json_uint(j, "status", d->status);
    put_security(f, j, d);
    put_time(j, "to", d->to);
    put_name(f, j, "truncated", d->truncated);
    put_name(f, j, "type", d->type);
    sharc_json_end(j);
}

static void put_others(const struct sharc_derived *f, const struct sharc_derived_page *p, struct sharc_json *j)
{
    if (!p->other_count) return;
    sharc_json_array(j, "others");
    for (uint32_t k = 0; k < p->other_count; k++) put_download(f, j, NULL, f->other[p->others + k]);
    sharc_json_end(j);
}

static void put_whole(const struct sharc_derived *f, size_t i, struct sharc_json *j)
{
    const struct sharc_derived_page *p = &f->pages[i];
    if (!p->parts && !p->missing) return;
    sharc_json_object(j, "whole");
    sharc_json_array(j, "embeds"); /* rows */
    for (uint32_t k = f->part_at[i]; k < f->part_at[i + 1]; k++) sharc_json_uint(j, NULL, f->part[k]);
    sharc_json_end(j);
    sharc_json_int(j, "grade", p->whole);
    sharc_json_uint(j, "not_captured", p->missing);
    sharc_json_end(j);
}

void sharc__certify_row(const struct sharc_derived *f, size_t i, struct sharc_buf *out)
{
    const struct sharc_derived_page *p = &f->pages[i];
    struct sharc_json j;
    sharc_json_init(&j, out, false);
    sharc_json_object(&j, NULL);
    if (p->detail) {
        /* Already canonical. */
        sharc_buf_put(out, SHARC_SPAN("\"differences\":"));
        sharc_buf_put_str(out, f->details[p->detail].json);
        j.first[j.depth] = false;
    }
    sharc_json_int(&j, "grade", sharc_derived_grade(p));
    if (p->known_from != SHARC_TIME_NONE) {
        sharc_json_object(&j, "known");
        sharc_json_int(&j, "from", p->known_from);
        sharc_json_int(&j, "to", p->known_to);
        sharc_json_end(&j);
    }
    put_others(f, p, &j);
    sharc_json_str(&j, "reason", sharc_grade_reason_word((enum sharc_grade_reason)p->reason));
    if (p->revisit != SHARC_DERIVED_NONE) put_download(f, &j, "revisit", p->revisit);
    if (p->stated && p->stated != p->reason)
        sharc_json_str(&j, "stated", sharc_grade_reason_word((enum sharc_grade_reason)p->stated));
    put_name(f, &j, "url", p->url);
    if (p->visit != SHARC_DERIVED_NONE) {
        put_name(f, &j, "via", f->all.items[p->visit].via);
        put_download(f, &j, "visit", p->visit);
    }
    put_whole(f, i, &j);
    sharc_json_end(&j);
}

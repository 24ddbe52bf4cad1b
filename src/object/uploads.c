/* SPDX-License-Identifier: Apache-2.0
 *
 * Uploads in parts. An answer to the completion may begin with status 200 while the store is still at work, and end
 * with an error: what it says counts.
 */
#include "object_int.h"

#include "sharc/base_digest.h"

#include <stdio.h>
#include <stdlib.h>

static char *query_of(const struct sharc_object_upload *u, const char *before)
{
    struct sharc_buf q = SHARC_BUF_INIT(8u << 10);
    sharc_buf_printf(&q, "%suploadId=", before);
    sharc__object_escape(&q, sharc_span_of(u->id), false);
    return sharc_buf_take(&q);
}

/* --- begin ------------------------------------------------------------------------ */

int sharc_object_upload_begin(struct sharc_object_store *s, const char *name, const char *type,
                              struct sharc_object_upload *ret, struct sharc_err *reterr)
{
    SHARC_AUTO(sharc_object_name_done) struct sharc_object_name n = {0};
    SHARC_AUTO(sharc__object_answer_done) struct answer a = {0};
    SHARC_AUTO(sharc_buf_done) struct sharc_buf xml = SHARC_BUF_INIT(ANSWER_MOST);
    int r = sharc_object_name_parse(name, &n, reterr);
    const struct request q = {.method = POST,
                              .name = &n,
                              .query = "uploads=",
                              .type = type,
                              .more = {"x-amz-checksum-algorithm: SHA256"},
                              .body = SHARC_OBJECT_BODY(SHARC_SPAN("")),
                              .out = &xml};
    if (r == 0) r = sharc__object_send(s, &q, &a, reterr);
    if (r < 0) return r;
    struct sharc_object_upload u = {.checksums = a.checksums};
    SHARC_FAIL_IF(!sharc__object_element(sharc_buf_span(&xml), "UploadId", u.id, sizeof u.id) || !u.id[0], reterr,
                  SHARC_ENET, "%s: the store did not say how the upload is called", name);
    *ret = u;
    return 0;
}

/* --- parts --------------------------------------------------------------------------- */

int sharc_object_upload_part(struct sharc_object_store *s, const char *name, const struct sharc_object_upload *u,
                             unsigned number, const struct sharc_object_body *body, struct sharc_object_part *ret,
                             struct sharc_err *reterr)
{
    SHARC_AUTO(sharc_object_name_done) struct sharc_object_name n = {0};
    SHARC_AUTO(sharc__object_answer_done) struct answer a = {0};
    char before[40], line[96];
    struct sharc_object_part part = {.number = number, .size = body->fd >= 0 ? body->size : body->bytes.n};
    int r = sharc_object_name_parse(name, &n, reterr);
    if (r < 0) return r;
    snprintf(before, sizeof before, "partNumber=%u&", number);
    SHARC_AUTO(sharc_freep) char *query = query_of(u, before);
    if (u->checksums) {
        uint8_t digest[32];
        sharc__object_sha256(body, digest);
        sharc_base64_encode(sharc_span(digest, sizeof digest), part.sha256);
        snprintf(line, sizeof line, "x-amz-checksum-sha256: %s", part.sha256);
    }
    const struct request q = {
        .method = PUT, .name = &n, .query = query, .more = {u->checksums ? line : NULL}, .body = *body};
    r = sharc__object_send(s, &q, &a, reterr);
    if (r < 0) return r;
    SHARC_FAIL_IF(!a.facts.etag[0], reterr, SHARC_ENET, "%s: the store did not name part %u by an ETag", name, number);
    memcpy(part.etag, a.facts.etag, sizeof part.etag);
    *ret = part;
    return 0;
}

struct parts {
    struct sharc_object_part *items;
    size_t count, room;
    struct sharc_object_part one;
    bool truncated;
    uint64_t next;
};

static int on_part(void *arg, struct sharc_span parent, struct sharc_span name, struct sharc_span text)
{
    struct parts *p = arg;
    uint64_t n = 0;
    if (sharc_span_is(name, "Part")) {
        const bool in_order = p->one.number > (p->count ? p->items[p->count - 1].number : 0);
        if (!in_order || p->count >= SHARC_OBJECT_PARTS) return SHARC_ESYNTAX;
        SHARC_GROW(p->items, p->room, p->count + 1);
        p->items[p->count++] = p->one;
        p->one = (struct sharc_object_part){0};
    } else if (sharc_span_is(parent, "Part")) {
        if (sharc_span_is(name, "PartNumber") && sharc_span_to_u64(text, &n) == 0 && n <= SHARC_OBJECT_PARTS)
            p->one.number = (unsigned)n;
        if (sharc_span_is(name, "Size")) (void)sharc_span_to_u64(text, &p->one.size);
        if (sharc_span_is(name, "ETag")) sharc__object_set_etag(p->one.etag, text);
        if (sharc_span_is(name, "ChecksumSHA256")) sharc__object_put_text(p->one.sha256, sizeof p->one.sha256, text);
    } else if (sharc_span_is(name, "IsTruncated")) {
        p->truncated = sharc_span_is(text, "true");
    } else if (sharc_span_is(name, "NextPartNumberMarker")) {
        (void)sharc_span_to_u64(text, &p->next);
    }
    return 0;
}

size_t sharc__object_count_parts(struct sharc_span xml)
{
    struct parts p = {0};
    (void)sharc__object_read_xml(xml, on_part, &p);
    free(p.items);
    return p.count;
}

static int parts_page(struct sharc_object_store *s, const struct sharc_object_name *n,
                      const struct sharc_object_upload *u, struct parts *p, struct sharc_err *reterr)
{
    SHARC_AUTO(sharc__object_answer_done) struct answer a = {0};
    SHARC_AUTO(sharc_buf_done) struct sharc_buf xml = SHARC_BUF_INIT(ANSWER_MOST);
    char before[80];
    if (p->next)
        snprintf(before, sizeof before, "max-parts=%u&part-number-marker=%llu&", s->page, (unsigned long long)p->next);
    else
        snprintf(before, sizeof before, "max-parts=%u&", s->page);
    SHARC_AUTO(sharc_freep) char *query = query_of(u, before);
    const struct request q = {
        .method = GET, .name = n, .query = query, .body = SHARC_OBJECT_BODY(SHARC_SPAN("")), .out = &xml};
    int r = sharc__object_send(s, &q, &a, reterr);
    if (r < 0) return r;
    const uint64_t seen = p->next;
    p->truncated = false;
    r = sharc__object_read_xml(sharc_buf_span(&xml), on_part, p);
    SHARC_FAIL_IF(r < 0 || (p->truncated && p->next <= seen), reterr, SHARC_ESYNTAX,
                  "%s: the store's list of parts cannot be read", n->text);
    return 0;
}

int sharc_object_upload_parts(struct sharc_object_store *s, const char *name, const struct sharc_object_upload *u,
                              struct sharc_object_part **ret, size_t *ret_count, struct sharc_err *reterr)
{
    SHARC_AUTO(sharc_object_name_done) struct sharc_object_name n = {0};
    struct parts p = {0};
    int r = sharc_object_name_parse(name, &n, reterr);
    if (r < 0) return r;
    do r = parts_page(s, &n, u, &p, reterr);
    while (r == 0 && p.truncated);
    if (r < 0) {
        free(p.items);
        return r;
    }
    *ret = p.items;
    *ret_count = p.count;
    return 0;
}

/* --- end ------------------------------------------------------------------------------- */

static void put_parts(const struct sharc_object_part *parts, size_t count, struct sharc_buf *out)
{
    sharc_buf_put_str(out, "<CompleteMultipartUpload xmlns=\"http://s3.amazonaws.com/doc/2006-03-01/\">");
    for (size_t i = 0; i < count; i++) {
        sharc_buf_printf(out, "<Part><PartNumber>%u</PartNumber><ETag>\"%s\"</ETag>", parts[i].number, parts[i].etag);
        if (parts[i].sha256[0]) sharc_buf_printf(out, "<ChecksumSHA256>%s</ChecksumSHA256>", parts[i].sha256);
        sharc_buf_put_str(out, "</Part>");
    }
    sharc_buf_put_str(out, "</CompleteMultipartUpload>");
}

int sharc_object_upload_complete(struct sharc_object_store *s, const char *name, const struct sharc_object_upload *u,
                                 const struct sharc_object_part *parts, size_t count, struct sharc_err *reterr)
{
    SHARC_AUTO(sharc_object_name_done) struct sharc_object_name n = {0};
    SHARC_AUTO(sharc__object_answer_done) struct answer a = {0};
    SHARC_AUTO(sharc_buf_done) struct sharc_buf body = SHARC_BUF_INIT(ANSWER_MOST), xml = SHARC_BUF_INIT(ANSWER_MOST);
    char code[64] = "";
    put_parts(parts, count, &body);
    int r = sharc_buf_result(&body, reterr);
    if (r == 0) r = sharc_object_name_parse(name, &n, reterr);
    if (r < 0) return r;
    SHARC_AUTO(sharc_freep) char *query = query_of(u, "");
    const struct request q = {.method = POST,
                              .name = &n,
                              .query = query,
                              .type = "application/xml",
                              .body = SHARC_OBJECT_BODY(sharc_buf_span(&body)),
                              .out = &xml};
    r = sharc__object_send(s, &q, &a, reterr);
    if (r < 0) return r;
    if (!sharc__object_element(sharc_buf_span(&xml), "Code", code, sizeof code)) {
        SHARC_FAIL_IF(!sharc__object_element(sharc_buf_span(&xml), "ETag", code, sizeof code), reterr, SHARC_ENET,
                      "%s: the store did not say whether the upload is complete", name);
        return 0;
    }
    sharc_buf_put(&a.text, sharc_buf_span(&xml));
    return sharc__object_fault(s, &q, &a, reterr);
}

int sharc_object_upload_abort(struct sharc_object_store *s, const char *name, const struct sharc_object_upload *u,
                              struct sharc_err *reterr)
{
    SHARC_AUTO(sharc_object_name_done) struct sharc_object_name n = {0};
    SHARC_AUTO(sharc__object_answer_done) struct answer a = {0};
    struct sharc_err err = SHARC_ERR_INIT;
    int r = sharc_object_name_parse(name, &n, reterr);
    if (r < 0) return r;
    SHARC_AUTO(sharc_freep) char *query = query_of(u, "");
    const struct request q = {.method = DELETE_, .name = &n, .query = query, .body = SHARC_OBJECT_BODY(SHARC_SPAN(""))};
    r = sharc__object_send(s, &q, &a, &err);
    if (r == SHARC_ENOENT) return 0;
    if (r < 0 && reterr) *reterr = err;
    return r;
}

/* --- which are under way ------------------------------------------------------------------ */

struct uploads {
    const struct sharc_object_name *prefix;
    sharc_object_uploads_fn *fn; /* NULL: only count */
    void *arg;
    size_t count;
    char key[1025];
    struct sharc_object_upload one;
    sharc_time begun;
    bool truncated;
    char next_key[1025], next_id[SHARC_OBJECT_UPLOAD_ID];
    struct sharc_err err;
};

static int end_of_upload(struct uploads *u)
{
    int r = 0;
    u->count++;
    const bool wanted = u->fn && u->one.id[0] && strncmp(u->key, u->prefix->key, strlen(u->prefix->key)) == 0;
    if (wanted) {
        SHARC_AUTO(sharc_freep) char *name = sharc__object_rename(u->prefix, sharc_span_of(u->key));
        r = u->fn(u->arg, name, &u->one, u->begun, &u->err);
    }
    u->key[0] = 0;
    u->one = (struct sharc_object_upload){0};
    u->begun = SHARC_TIME_NONE;
    return r;
}

static int on_upload(void *arg, struct sharc_span parent, struct sharc_span name, struct sharc_span text)
{
    struct uploads *u = arg;
    if (sharc_span_is(name, "Upload")) return end_of_upload(u);
    if (sharc_span_is(parent, "Upload")) {
        if (sharc_span_is(name, "Key")) sharc__object_put_text(u->key, sizeof u->key, text);
        if (sharc_span_is(name, "UploadId")) sharc__object_put_text(u->one.id, sizeof u->one.id, text);
        if (sharc_span_is(name, "Initiated")) (void)sharc_time_parse(text, &u->begun, NULL);
        return 0;
    }
    if (sharc_span_is(name, "IsTruncated")) u->truncated = sharc_span_is(text, "true");
    if (sharc_span_is(name, "NextKeyMarker")) sharc__object_put_text(u->next_key, sizeof u->next_key, text);
    if (sharc_span_is(name, "NextUploadIdMarker")) sharc__object_put_text(u->next_id, sizeof u->next_id, text);
    return 0;
}

size_t sharc__object_count_uploads(struct sharc_span xml)
{
    struct uploads *u = SHARC_NEW(struct uploads);
    (void)sharc__object_read_xml(xml, on_upload, u);
    size_t count = u->count;
    free(u);
    return count;
}

static void put_marker(struct sharc_buf *query, const char *name, const char *value)
{
    if (!value[0]) return;
    sharc_buf_printf(query, "%s=", name);
    sharc__object_escape(query, sharc_span_of(value), false);
    sharc_buf_put_char(query, '&');
}

static int uploads_page(struct sharc_object_store *s, const struct sharc_object_name *bucket, struct uploads *u,
                        struct sharc_err *reterr)
{
    SHARC_AUTO(sharc__object_answer_done) struct answer a = {0};
    SHARC_AUTO(sharc_buf_done) struct sharc_buf query = SHARC_BUF_INIT(32u << 10), xml = SHARC_BUF_INIT(ANSWER_MOST);
    SHARC_AUTO(sharc_freep) char *seen = sharc_asprintf("%s %s", u->next_key, u->next_id);
    put_marker(&query, "key-marker", u->next_key);
    sharc_buf_printf(&query, "max-uploads=%u&prefix=", s->page);
    sharc__object_escape(&query, sharc_span_of(u->prefix->key), false);
    sharc_buf_put_char(&query, '&');
    put_marker(&query, "upload-id-marker", u->next_id);
    sharc_buf_put_str(&query, "uploads=");
    int r = sharc_buf_result(&query, reterr);
    const struct request q = {
        .method = GET, .name = bucket, .query = query.p, .body = SHARC_OBJECT_BODY(SHARC_SPAN("")), .out = &xml};
    if (r == 0) r = sharc__object_send(s, &q, &a, reterr);
    if (r < 0) return r;
    u->truncated = false;
    r = sharc__object_read_xml(sharc_buf_span(&xml), on_upload, u);
    if (r < 0 && u->err.code) {
        if (reterr) *reterr = u->err;
        return r;
    }
    SHARC_AUTO(sharc_freep) char *next = sharc_asprintf("%s %s", u->next_key, u->next_id);
    SHARC_FAIL_IF(r < 0 || (u->truncated && strcmp(seen, next) == 0), reterr, SHARC_ESYNTAX,
                  "%s: the store's list of uploads cannot be read", u->prefix->text);
    return 0;
}

int sharc_object_uploads(struct sharc_object_store *s, const char *prefix, sharc_object_uploads_fn *fn, void *arg,
                         struct sharc_err *reterr)
{
    SHARC_AUTO(sharc_object_name_done) struct sharc_object_name n = {0}, bucket = {0};
    int r = sharc_object_name_parse(prefix, &n, reterr);
    if (r < 0) return r;
    SHARC_AUTO(sharc_freep) char *whole = sharc__object_rename(&n, SHARC_SPAN(""));
    if ((r = sharc_object_name_parse(whole, &bucket, reterr)) < 0) return r;
    struct uploads *u = SHARC_NEW(struct uploads);
    u->prefix = &n;
    u->fn = fn;
    u->arg = arg;
    u->begun = SHARC_TIME_NONE;
    do r = uploads_page(s, &bucket, u, reterr);
    while (r == 0 && u->truncated);
    free(u);
    return r;
}

/* --- what it comes to ----------------------------------------------------------------------- */

void sharc_object_parts_etag(const struct sharc_object_part *parts, size_t count, char ret[SHARC_OBJECT_ETAG])
{
    SHARC_AUTO(sharc_hasher_freep) struct sharc_hasher *h = sharc_hasher_new();
    struct sharc_digest d;
    ret[0] = 0;
    sharc_hasher_start(h, SHARC_MD5);
    bool good = count > 0;
    for (size_t i = 0; i < count; i++) {
        uint8_t md5[16];
        size_t n = 0;
        good = good && sharc_hex_decode(sharc_span_of(parts[i].etag), md5, sizeof md5, &n) == 0 && n == sizeof md5;
        if (good) sharc_hasher_add(h, md5, sizeof md5);
    }
    sharc_hasher_end(h, &d);
    if (!good) return;
    char hex[SHARC_HEX_SIZE(16)];
    sharc_hex_encode(sharc_span(d.bytes, 16), hex);
    snprintf(ret, SHARC_OBJECT_ETAG, "%s-%zu", hex, count);
}

size_t sharc_object_read_answer(struct sharc_span xml)
{
    char text[64];
    return (size_t)sharc__object_element(xml, "Code", text, sizeof text) + sharc__object_count_listed(xml) +
           sharc__object_count_parts(xml) + sharc__object_count_uploads(xml);
}

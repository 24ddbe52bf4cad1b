/* SPDX-License-Identifier: Apache-2.0 */
#include "object_int.h"

#include "sharc/base_digest.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

static int name_of(const char *text, bool of_object, struct sharc_object_name *ret, struct sharc_err *reterr)
{
    int r = sharc_object_name_parse(text, ret, reterr);
    if (r < 0) return r;
    SHARC_FAIL_IF(of_object && !ret->key[0], reterr, SHARC_EINVAL, "%s: names a bucket, not an object", text);
    return 0;
}

int sharc_object_head(struct sharc_object_store *s, const char *name, struct sharc_object_facts *ret,
                      struct sharc_err *reterr)
{
    SHARC_AUTO(sharc_object_name_done) struct sharc_object_name n = {0};
    SHARC_AUTO(sharc__object_answer_done) struct answer a = {0};
    int r = name_of(name, true, &n, reterr);
    const struct request q = {.method = HEAD, .name = &n, .body = SHARC_OBJECT_BODY(SHARC_SPAN(""))};
    if (r == 0) r = sharc__object_send(s, &q, &a, reterr);
    if (r == 0) *ret = a.facts;
    return r;
}

int sharc_object_get(struct sharc_object_store *s, const char *name, const struct sharc_object_facts *as, uint64_t from,
                     void *out, size_t n, struct sharc_err *reterr)
{
    SHARC_AUTO(sharc_object_name_done) struct sharc_object_name key = {0};
    SHARC_AUTO(sharc__object_answer_done) struct answer a = {0};
    SHARC_AUTO(sharc_buf_done) struct sharc_buf bytes = SHARC_BUF_INIT(n);
    char range[64], match[SHARC_OBJECT_ETAG + 16];
    int r = name_of(name, true, &key, reterr);
    if (r < 0 || n == 0) return r;
    snprintf(range, sizeof range, "Range: bytes=%" PRIu64 "-%" PRIu64, from, from + n - 1);
    const bool check = as && as->etag[0];
    if (check) snprintf(match, sizeof match, "If-Match: \"%s\"", as->etag);
    const struct request q = {.method = GET,
                              .name = &key,
                              .more = {range, check ? match : NULL},
                              .body = SHARC_OBJECT_BODY(SHARC_SPAN("")),
                              .out = &bytes};
    r = sharc__object_send(s, &q, &a, reterr);
    if (r < 0) return r;
    SHARC_FAIL_IF(bytes.n != n || (a.status == 200 && from > 0), reterr, SHARC_ETRUNC,
                  "%s: the store gave %zu bytes where %zu were asked for", name, bytes.n, n);
    SHARC_FAIL_IF(check && a.facts.etag[0] && strcmp(as->etag, a.facts.etag) != 0, reterr, SHARC_ECORRUPT,
                  "%s: the object was replaced while it was read: try again", name);
    memcpy(out, bytes.p, n);
    return 0;
}

int sharc_object_put(struct sharc_object_store *s, const char *name, const struct sharc_object_body *body,
                     const char *type, struct sharc_object_facts *ret, struct sharc_err *reterr)
{
    SHARC_AUTO(sharc_object_name_done) struct sharc_object_name n = {0};
    SHARC_AUTO(sharc__object_answer_done) struct answer a = {0};
    int r = name_of(name, true, &n, reterr);
    const struct request q = {.method = PUT, .name = &n, .type = type, .body = *body};
    if (r == 0) r = sharc__object_send(s, &q, &a, reterr);
    if (r == 0 && ret) {
        *ret = a.facts;
        ret->size = body->fd >= 0 ? body->size : body->bytes.n;
    }
    return r;
}

int sharc_object_delete(struct sharc_object_store *s, const char *name, struct sharc_err *reterr)
{
    SHARC_AUTO(sharc_object_name_done) struct sharc_object_name n = {0};
    SHARC_AUTO(sharc__object_answer_done) struct answer a = {0};
    struct sharc_err err = SHARC_ERR_INIT;
    int r = name_of(name, true, &n, reterr);
    if (r < 0) return r;
    const struct request q = {.method = DELETE_, .name = &n, .body = SHARC_OBJECT_BODY(SHARC_SPAN(""))};
    r = sharc__object_send(s, &q, &a, &err);
    char code[64] = "";
    (void)sharc__object_element(sharc_buf_span(&a.text), "Code", code, sizeof code);
    if (r == SHARC_ENOENT && strcmp(code, "NoSuchBucket") != 0) return 0;
    if (r < 0 && reterr) *reterr = err;
    return r;
}

/* --- listing ------------------------------------------------------------------- */

struct listing {
    const struct sharc_object_name *prefix;
    sharc_object_list_fn *fn; /* NULL: only count */
    void *arg;
    size_t count;
    char key[1025];
    struct sharc_object_facts facts;
    bool truncated;
    char token[TEXT_MOST];
    uint64_t seen; /* the page before, by its token */
    struct sharc_err err;
};

static int end_of_object(struct listing *l)
{
    l->count++;
    if (!l->fn || strncmp(l->key, l->prefix->key, strlen(l->prefix->key)) != 0) return 0;
    SHARC_AUTO(sharc_freep) char *name = sharc__object_rename(l->prefix, sharc_span_of(l->key));
    return l->fn(l->arg, name, &l->facts, &l->err);
}

static int on_listed(void *arg, struct sharc_span parent, struct sharc_span name, struct sharc_span text)
{
    struct listing *l = arg;
    if (sharc_span_is(name, "Contents")) {
        int r = l->key[0] ? end_of_object(l) : 0;
        l->key[0] = 0;
        l->facts = (struct sharc_object_facts){.modified = SHARC_TIME_NONE};
        return r;
    }
    if (sharc_span_is(parent, "Contents")) {
        if (sharc_span_is(name, "Key")) sharc__object_put_text(l->key, sizeof l->key, text);
        if (sharc_span_is(name, "Size")) (void)sharc_span_to_u64(text, &l->facts.size);
        if (sharc_span_is(name, "ETag")) sharc__object_set_etag(l->facts.etag, text);
        if (sharc_span_is(name, "LastModified")) (void)sharc_time_parse(text, &l->facts.modified, NULL);
        return 0;
    }
    if (sharc_span_is(name, "IsTruncated")) l->truncated = sharc_span_is(text, "true");
    if (sharc_span_is(name, "NextContinuationToken")) sharc__object_put_text(l->token, sizeof l->token, text);
    return 0;
}

static void listing_init(struct listing *l)
{
    *l = (struct listing){.facts = {.modified = SHARC_TIME_NONE}, .err = SHARC_ERR_INIT};
}

size_t sharc__object_count_listed(struct sharc_span xml)
{
    struct listing l;
    listing_init(&l);
    (void)sharc__object_read_xml(xml, on_listed, &l);
    return l.count;
}

static int list_page(struct sharc_object_store *s, struct listing *l, const struct sharc_object_name *bucket,
                     struct sharc_err *reterr)
{
    SHARC_AUTO(sharc_buf_done) struct sharc_buf query = SHARC_BUF_INIT(32u << 10), xml = SHARC_BUF_INIT(ANSWER_MOST);
    SHARC_AUTO(sharc__object_answer_done) struct answer a = {0};
    if (l->token[0]) {
        sharc_buf_put_str(&query, "continuation-token=");
        sharc__object_escape(&query, sharc_span_of(l->token), false);
        sharc_buf_put_char(&query, '&');
    }
    sharc_buf_printf(&query, "list-type=2&max-keys=%u&prefix=", s->page);
    sharc__object_escape(&query, sharc_span_of(l->prefix->key), false);
    int r = sharc_buf_result(&query, reterr);
    if (r < 0) return r;
    const struct request q = {
        .method = GET, .name = bucket, .query = query.p, .body = SHARC_OBJECT_BODY(SHARC_SPAN("")), .out = &xml};
    r = sharc__object_send(s, &q, &a, reterr);
    if (r < 0) return r;
    l->truncated = false;
    l->token[0] = 0;
    r = sharc__object_read_xml(sharc_buf_span(&xml), on_listed, l);
    if (r < 0 && l->err.code) {
        if (reterr) *reterr = l->err;
        return r;
    }
    uint64_t page = sharc_fingerprint(sharc_span_of(l->token), 1);
    SHARC_FAIL_IF(r < 0 || (l->truncated && page == l->seen), reterr, r < 0 ? r : SHARC_ESYNTAX,
                  "%s: the store's list cannot be read", l->prefix->text);
    l->seen = page;
    return 0;
}

int sharc_object_list(struct sharc_object_store *s, const char *prefix, sharc_object_list_fn *fn, void *arg,
                      struct sharc_err *reterr)
{
    SHARC_AUTO(sharc_object_name_done) struct sharc_object_name n = {0}, bucket = {0};
    int r = name_of(prefix, false, &n, reterr);
    if (r < 0) return r;
    SHARC_AUTO(sharc_freep) char *whole = sharc__object_rename(&n, SHARC_SPAN(""));
    if ((r = name_of(whole, false, &bucket, reterr)) < 0) return r;
    struct listing *l = SHARC_NEW(struct listing);
    listing_init(l);
    l->prefix = &n;
    l->fn = fn;
    l->arg = arg;
    do r = list_page(s, l, &bucket, reterr);
    while (r == 0 && l->truncated && l->token[0]);
    free(l);
    return r;
}

/* SPDX-License-Identifier: Apache-2.0
 *
 * Reading one version of a page: a file, or a record of an archive with all that its
 * head and body say. A revisit record has no body of its own; it is looked for where it
 * points.
 */
#include "diff_int.h"
#include "sharc/base_file.h"
#include "sharc/http.h"

#include <stdlib.h>

struct sharc__diff_scratch {
    struct sharc_buf body;
    struct sharc_arena texts;
    struct sharc_intern *names;
    struct sharc_url url, target;
    struct sharc_hasher *hasher;
};

/* --- life --------------------------------------------------------------------------- */

void sharc_diff_version_done(struct sharc_diff_version *v)
{
    struct sharc__diff_scratch *x = v->scratch;
    sharc_page_done(&v->page);
    sharc_page_prints_done(&v->prints);
    if (x) {
        sharc_buf_done(&x->body);
        sharc_arena_done(&x->texts);
        sharc_intern_free(x->names);
        sharc_url_done(&x->url);
        sharc_url_done(&x->target);
        sharc_hasher_free(x->hasher);
        free(x);
    }
    *v = (struct sharc_diff_version){.status = 0};
}

static struct sharc__diff_scratch *start(struct sharc_diff_version *v, const struct sharc_diff_options *o)
{
    struct sharc__diff_scratch *x = v->scratch;
    if (!x) {
        x = SHARC_NEW(struct sharc__diff_scratch);
        sharc_arena_init(&x->texts, 16u << 20);
        x->hasher = sharc_hasher_new();
    }
    sharc_arena_clear(&x->texts);
    sharc_buf_clear(&x->body);
    x->body.max = o->max_body;
    struct sharc_page page = v->page;
    struct sharc_page_prints prints = v->prints;
    prints.link_count = prints.part_count = prints.element_count = 0;
    *v = (struct sharc_diff_version){
        .when = SHARC_TIME_NONE, .last_modified = SHARC_TIME_NONE, .page = page, .prints = prints, .scratch = x};
    return x;
}

/* --- content ------------------------------------------------------------------------- */

#define NO_BASE SHARC__DIFF_NO_HOST "/"

/* Extract what the body says. x->url is where it came from. */
static void read_body(struct sharc_diff_version *v)
{
    struct sharc__diff_scratch *x = v->scratch;
    struct sharc_span body = sharc_buf_span(&x->body);
    if (!sharc_page_may_have_text(v->content_type)) return;
    struct sharc_extract_input in = {.body = body,
                                     .url = &x->url,
                                     .content_type = v->content_type,
                                     .want = SHARC_WANT_LINKS | SHARC_WANT_BLOCKS | SHARC_WANT_DATES};
    if (sharc_extract(&v->page, &in, NULL) < 0) return;
    v->has_text = sharc_page_text(&v->page, v->content_type, body, &v->text);
    if (v->has_text) sharc_page_prints_make(&v->prints, &v->page, v->text);
}

static void set_url(struct sharc__diff_scratch *x, struct sharc_span url)
{
    if (sharc_url_parse(&x->url, url, NULL, NULL) < 0 || !sharc_url_is_http(&x->url))
        sharc_url_parse(&x->url, SHARC_SPAN(NO_BASE), NULL, NULL);
}

/* What a name says about the kind, where extract does not ask it. */
static struct sharc_span type_of_name(struct sharc_span path)
{
    static const struct {
        struct sharc_span end, type;
    } kinds[] = {{SHARC_SPAN(".html"), SHARC_SPAN("text/html")},
                 {SHARC_SPAN(".htm"), SHARC_SPAN("text/html")},
                 {SHARC_SPAN(".xhtml"), SHARC_SPAN("application/xhtml+xml")},
                 {SHARC_SPAN(".svg"), SHARC_SPAN("image/svg+xml")}};
    for (size_t i = 0; i < SHARC_LENGTH(kinds); i++)
        if (path.n > kinds[i].end.n && sharc_span_ieq(sharc_span_from(path, path.n - kinds[i].end.n), kinds[i].end))
            return kinds[i].type;
    return SHARC_SPAN_NONE;
}

/* --- files ---------------------------------------------------------------------------- */

int sharc_diff_version_file(struct sharc_diff_version *v, const char *path, const char *base,
                            const struct sharc_diff_options *o, struct sharc_err *reterr)
{
    struct sharc__diff_scratch *x = start(v, o);
    int r = sharc_file_read(path, &x->body, reterr);
    if (r < 0) return r;
    struct sharc_span body = sharc_buf_span(&x->body);
    v->answer = SHARC_ANSWER_CONTENT;
    v->label = sharc_arena_copy(&x->texts, sharc_span_of(path));
    v->content_type = type_of_name(v->label);
    v->size = body.n;
    sharc_digest_of(SHARC_SHA256, body, &v->digest);
    v->has_digest = true;
    /* The last part of the name tells the kind where the bytes do not; links are relative to the rest, so that
     * two names of one page give the same links. */
    set_url(x, sharc_span_of(base ? base : NO_BASE));
    if (!base) {
        SHARC_AUTO(sharc_freep) char *name = sharc_asprintf("./%s", sharc_path_last(path));
        sharc_url_copy(&x->target, &x->url);
        if (sharc_url_parse(&x->url, sharc_span_of(name), &x->target, NULL) < 0) set_url(x, SHARC_SPAN(NO_BASE));
    }
    read_body(v);
    return 0;
}

/* --- records -------------------------------------------------------------------------- */

static void read_head(struct sharc_diff_version *v, const struct sharc_record *rec, const struct sharc_http *h)
{
    struct sharc__diff_scratch *x = v->scratch;
    v->content_type = sharc_arena_copy(&x->texts, h ? h->content_type : rec->content_type);
    if (!h) return;
    struct sharc_span modified = sharc_http_get(h, "Last-Modified");
    if (modified.p && sharc_http_date_parse(modified, &v->last_modified) < 0) v->last_modified = SHARC_TIME_NONE;
    struct sharc_span location = sharc_http_get(h, "Location");
    if (v->answer != SHARC_ANSWER_REDIRECT || !location.p) return;
    struct sharc_span to = location;
    if (sharc_url_parse(&x->target, location, &x->url, NULL) == 0) to = sharc_url_href(&x->target);
    v->redirect = sharc_arena_copy(&x->texts, to);
    sharc_digest_of(SHARC_SHA256, v->redirect, &v->digest);
    v->has_digest = true;
}

/* All of the content through the digest, the first o->max_body bytes into memory. */
static void read_content(struct sharc_diff_version *v, struct sharc_record *rec)
{
    struct sharc__diff_scratch *x = v->scratch;
    struct sharc_span piece;
    bool whole = true;
    int r;
    sharc_hasher_start(x->hasher, SHARC_SHA256);
    while ((r = sharc_record_read(rec, SHARC_WARC_CONTENT, &piece, NULL)) > 0) {
        sharc_hasher_add(x->hasher, piece.p, piece.n);
        v->size += piece.n;
        whole = whole && sharc_buf_put(&x->body, piece) == 0;
    }
    sharc_hasher_end(x->hasher, &v->digest);
    v->has_digest = true;
    if (r < 0) v->cut = true, v->remark = "the body is cut short or damaged";
    if (!whole) v->remark = "the body is too large: only its digest was compared";
    if (whole) read_body(v);
}

int sharc__diff_record_open(struct sharc_span bytes, uint64_t offset, const char *label, struct sharc_warc **ret,
                            struct sharc_record *rec, struct sharc_err *reterr)
{
    struct sharc_warc_options o = {.lenient = true, .offset = offset, .name = label};
    int r = sharc_warc_open_bytes(bytes, &o, ret, reterr);
    if (r < 0) return r;
    r = sharc_warc_next(*ret, rec, reterr);
    if (r == 0 || (r > 0 && rec->offset != offset))
        return sharc_fail(reterr, SHARC_ECORRUPT, "%s: no record begins there", label);
    return r < 0 ? r : 0;
}

/* The body of a revisit, from the record it refers to. False: it is not available. */
static bool read_original(struct sharc_diff_version *v, const struct sharc_diff_facts *f,
                          const struct sharc_record *rec, struct sharc_diff_side *const sides[2])
{
    struct sharc_digest digest = {.n = 0};
    struct sharc_span bytes = f->body_bytes, url = rec->refers_to_target.p ? rec->refers_to_target : rec->target;
    uint64_t offset = f->body_offset;
    sharc_time when = SHARC_TIME_NONE;
    sharc_digest_parse(rec->payload_digest, &digest);
    sharc_time_parse(rec->refers_to_date, &when, NULL);
    for (int i = 0; i < 2 && sides && !bytes.p; i++)
        if (sides[i]) sharc__diff_side_original(sides[i], url, &digest, when, &bytes, &offset);
    if (!bytes.p) return false;
    SHARC_AUTO(sharc_warc_closep) struct sharc_warc *w = NULL;
    struct sharc_record original;
    if (sharc__diff_record_open(bytes, offset, "original", &w, &original, NULL) < 0) return false;
    const struct sharc_http *h = sharc_record_http(&original);
    v->cut |= sharc__diff_is_cut(&original, h);
    v->answer = sharc_page_answer(h ? h->status : 0);
    if (!v->content_type.n || v->answer == SHARC_ANSWER_REDIRECT) read_head(v, &original, h);
    if (v->answer == SHARC_ANSWER_CONTENT) read_content(v, &original);
    return true;
}

int sharc__diff_version_read(struct sharc_diff_version *v, const struct sharc_diff_facts *f,
                             struct sharc_diff_side *const sides[2], const struct sharc_diff_options *o,
                             struct sharc_err *reterr)
{
    struct sharc__diff_scratch *x = start(v, o);
    SHARC_AUTO(sharc_freep)
    char *label = sharc_asprintf("%.*s#%llu", SHARC_SPAN_ARG(f->file), (unsigned long long)f->offset);
    SHARC_AUTO(sharc_warc_closep) struct sharc_warc *w = NULL;
    struct sharc_record rec;
    SHARC_FAIL_IF(!f->bytes.p, reterr, SHARC_ENOENT, "%s: the file is not available", label);
    int r = sharc__diff_record_open(f->bytes, f->offset, label, &w, &rec, reterr);
    if (r < 0) return r;
    const struct sharc_http *h = sharc_record_http(&rec);
    v->label = sharc_arena_copy(&x->texts, sharc_span_of(label));
    v->url = sharc_arena_copy(&x->texts, rec.target);
    v->when = rec.date;
    v->status = h ? h->status : 0;
    v->answer = rec.type == SHARC_WARC_RESPONSE && !h ? SHARC_ANSWER_FAILED : sharc_page_answer(v->status);
    set_url(x, rec.target);
    read_head(v, &rec, h);
    v->revisit = rec.type == SHARC_WARC_REVISIT;
    v->cut = sharc__diff_is_cut(&rec, h);
    v->attested = v->status == 304;
    if (v->revisit) {
        if (read_original(v, f, &rec, sides)) {
            if (v->cut && !v->remark) v->remark = SHARC__DIFF_CUT_REMARK;
            return 0;
        }
        v->answer = v->status == 304 ? SHARC_ANSWER_NOT_MODIFIED : SHARC_ANSWER_FAILED;
        v->remark = "the record that this revisit refers to is not available";
    } else if (v->answer == SHARC_ANSWER_CONTENT) {
        read_content(v, &rec);
        if (v->cut && !v->remark) v->remark = SHARC__DIFF_CUT_REMARK;
    }
    return 0;
}

int sharc_diff_version_record(struct sharc_diff_version *v, const char *path, uint64_t offset,
                              const struct sharc_diff_options *o, struct sharc_err *reterr)
{
    struct sharc_filemap map;
    int r = sharc_filemap_open(&map, path, reterr);
    if (r < 0) return r;
    struct sharc_diff_facts f = {.there = true, .file = sharc_span_of(path), .offset = offset, .bytes = map.bytes};
    r = sharc__diff_version_read(v, &f, NULL, o, reterr);
    sharc_filemap_done(&map);
    return r;
}

int sharc_diff_version_at(struct sharc_diff_version *v, struct sharc_diff_side *s, struct sharc_span url,
                          sharc_time when, const struct sharc_diff_options *o, struct sharc_err *reterr)
{
    struct sharc__diff_scratch *x = start(v, o);
    if (!x->names) x->names = sharc_intern_new();
    struct sharc__diff_memory m = {.texts = &x->texts, .names = x->names};
    struct sharc_diff_facts f;
    int r = sharc__diff_side_nearest(s, url, when, &m, &f, reterr);
    if (r < 0) return r;
    SHARC_FAIL_IF(r == 0, reterr, SHARC_ENOENT, "%.*s: there is no capture of it", SHARC_SPAN_ARG(url));
    struct sharc_diff_side *sides[2] = {s, NULL};
    return sharc__diff_version_read(v, &f, sides, o, reterr);
}

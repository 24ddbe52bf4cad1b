/* SPDX-License-Identifier: Apache-2.0
 *
 * From a URL and a time to an archived answer: which capture, its record, and for a revisit the
 * record that has the payload.
 */
#include "serve_int.h"

#include "sharc/base_arena.h"
#include "sharc/base_digest.h"
#include "sharc/url.h"
#include "sharc/url_canon.h"

#include <stdlib.h>

/* Captures of one URL that are tried before giving up; an archive in which more are broken is broken. */
enum { MOST_TRIES = 1000 };

struct sharc_found_memory {
    struct sharc_arena arena;
    struct sharc_http_field *fields;
};

void sharc_found_free(struct sharc_found *f)
{
    if (!f) return;
    for (size_t i = 0; i < SHARC_LENGTH(f->readers); i++) sharc_warc_close(f->readers[i]);
    if (f->memory) {
        sharc_arena_done(&f->memory->arena);
        free(f->memory->fields);
        free(f->memory);
    }
    free(f);
}

void sharc_found_freep(struct sharc_found **f)
{
    sharc_found_free(*f);
    *f = NULL;
}

struct sharc_span sharc_found_get(const struct sharc_found *f, const char *name)
{
    for (size_t i = 0; i < f->count; i++)
        if (sharc_span_ieq(f->fields[i].name, sharc_span_of(name))) return f->fields[i].value;
    return SHARC_SPAN_NONE;
}

/* --- one record ------------------------------------------------------------------------ */

static int open_record(const struct sharc_edition *e, const struct serve_source *s, const struct sharc_cdx *line,
                       struct sharc_warc **ret, struct sharc_record *ret_record, struct sharc_err *reterr)
{
    struct sharc_span name = line->field[SHARC_CDX_FILENAME], bytes;
    uint64_t offset;
    SHARC_FAIL_IF(!name.n || !sharc_cdx_number(line, SHARC_CDX_OFFSET, &offset), reterr, SHARC_ECORRUPT,
                  "a line of the index names no record");
    int r = sharc__serve_source_bytes(e, s, name, &bytes, reterr);
    if (r < 0 && reterr) reterr->code = SHARC_ECORRUPT; /* that the file is missing does not mean that there is none */
    if (r < 0) return SHARC_ECORRUPT;
    SHARC_AUTO(sharc_freep) char *label = sharc_span_dup(name);
    const struct sharc_warc_options o = {.lenient = true, .offset = offset, .name = label};
    SHARC_AUTO(sharc_warc_closep) struct sharc_warc *w = NULL;
    SHARC_FAIL_IF(offset >= bytes.n, reterr, SHARC_ECORRUPT, "%s ends before offset %llu, which an index names", label,
                  (unsigned long long)offset);
    r = sharc_warc_open_bytes(bytes, &o, &w, reterr);
    if (r >= 0) r = sharc_warc_next(w, ret_record, reterr);
    if (r < 0) return r;
    SHARC_FAIL_IF(r == 0 || ret_record->offset != offset, reterr, SHARC_ECORRUPT,
                  "%s: no record begins at offset %llu, which an index names", label, (unsigned long long)offset);
    *ret = SHARC_TAKE(w);
    return 0;
}

static bool same_key(struct sharc_span a, struct sharc_span b)
{
    SHARC_AUTO(sharc_buf_done) struct sharc_buf x = SHARC_BUF_INIT(4 * SHARC_LIMIT_URL);
    SHARC_AUTO(sharc_buf_done) struct sharc_buf y = SHARC_BUF_INIT(4 * SHARC_LIMIT_URL);
    return sharc_url_key(a, &x, NULL) == 0 && sharc_url_key(b, &y, NULL) == 0 &&
           sharc_span_eq(sharc_buf_span(&x), sharc_buf_span(&y));
}

/* An index may know a record by another URL only if the index is wrong: then nobody knows what this is. */
static bool is_of(const struct sharc_record *rec, const struct sharc_cdx *line)
{
    struct sharc_span url = line->field[SHARC_CDX_URL];
    return !url.n || sharc_span_eq(url, rec->target) || same_key(url, rec->target);
}

/* --- the original of a revisit ------------------------------------------------------------ */

struct original {
    const struct sharc_edition *edition;
    struct sharc_digest digest; /* of the revisit's payload; n == 0: unknown */
    struct sharc_span id;       /* of the record it refers to; or none */
    struct sharc_warc *reader;
    struct sharc_record record;
};

static bool digest_is(struct sharc_span text, const struct sharc_digest *want)
{
    struct sharc_digest d;
    return text.n && sharc_digest_parse(text, &d) == 0 && sharc_digest_eq(&d, want);
}

/* Digests of different kinds say nothing about each other. */
static bool digest_may_be(struct sharc_span text, const struct sharc_digest *want)
{
    struct sharc_digest d;
    if (!want->n || !text.n || sharc_digest_parse(text, &d) < 0 || d.kind != want->kind) return true;
    return sharc_digest_eq(&d, want);
}

static bool take_original(struct original *o, const struct sharc_captures *c, const struct sharc_cdx *line)
{
    SHARC_AUTO(sharc_warc_closep) struct sharc_warc *w = NULL;
    struct sharc_record rec;
    if (open_record(o->edition, sharc__serve_captures_source(c), line, &w, &rec, NULL) < 0) return false;
    bool payload = rec.type == SHARC_WARC_RESPONSE || rec.type == SHARC_WARC_RESOURCE;
    if (!payload || !is_of(&rec, line)) return false;
    bool named = o->id.n && sharc_span_eq(o->id, rec.id);
    if (!named && !digest_may_be(rec.payload_digest, &o->digest)) return false;
    o->record = rec;
    o->reader = SHARC_TAKE(w);
    return true;
}

typedef bool fits_fn(const struct original *o, const struct sharc_cdx *line);

static bool fits_any(const struct original *o, const struct sharc_cdx *line)
{
    return digest_may_be(line->field[SHARC_CDX_DIGEST], &o->digest);
}
static bool fits_digest(const struct original *o, const struct sharc_cdx *line)
{
    return digest_is(line->field[SHARC_CDX_DIGEST], &o->digest);
}
static bool fits_answer(const struct original *o, const struct sharc_cdx *line)
{
    (void)o;
    return sharc_span_is(line->field[SHARC_CDX_STATUS], "200");
}

static bool search(struct original *o, const struct sharc_cdx_query *q, fits_fn *fits)
{
    SHARC_AUTO(sharc_captures_freep) struct sharc_captures *c = NULL;
    struct sharc_cdx line;
    if (sharc_captures_ask(o->edition, q, &c, NULL) < 0) return false;
    for (unsigned tries = 0; tries < MOST_TRIES && sharc_captures_next(c, &line, NULL) > 0;) {
        if (sharc_capture_is_revisit(&line) || !fits(o, &line)) continue;
        if (take_original(o, c, &line)) return true;
        tries++;
    }
    return false;
}

/* Some writers give a 304 the digest of its own body, which is none. */
static void read_digest(struct original *o, struct sharc_span text)
{
    struct sharc_digest nothing;
    if (sharc_digest_parse(text, &o->digest) < 0) o->digest.n = 0;
    if (!o->digest.n) return;
    sharc_digest_of(o->digest.kind, SHARC_SPAN(""), &nothing);
    if (sharc_digest_eq(&o->digest, &nothing)) o->digest.n = 0;
}

static bool find_original(struct original *o, const struct sharc_record *rec, const struct sharc_http *h)
{
    char second[SHARC_TIME_TEXT], own[SHARC_TIME_TEXT];
    struct sharc_span target = rec->refers_to_target.n ? rec->refers_to_target : rec->target;
    sharc_time when;
    o->id = rec->refers_to;
    read_digest(o, rec->payload_digest);
    sharc_time_compact(rec->date, 17, own);
    if (sharc_time_parse(rec->refers_to_date, &when, NULL) == 0) {
        struct sharc_span at = sharc_span_of(sharc_time_compact(when, 14, second));
        const struct sharc_cdx_query q = {.url = target, .match = SHARC_CDX_EXACT, .from = at, .to = at};
        if (search(o, &q, fits_any)) return true;
    }
    struct sharc_cdx_query q = {.url = target,
                                .match = SHARC_CDX_EXACT,
                                .sort = SHARC_CDX_CLOSEST,
                                .closest = sharc_span_of(own)};
    if (o->digest.n && search(o, &q, fits_digest)) return true;
    q.url = rec->target;
    if (o->digest.n && rec->refers_to_target.n && search(o, &q, fits_digest)) return true;
    bool unnamed = !rec->refers_to_date.n && !o->digest.n;
    if (!h || h->status != 304 || !unnamed) return false;
    q = (struct sharc_cdx_query){.url = rec->target,
                                 .match = SHARC_CDX_EXACT,
                                 .sort = SHARC_CDX_REVERSE,
                                 .to = sharc_span_of(own)};
    return search(o, &q, fits_answer);
}

/* --- an answer ----------------------------------------------------------------------------- */

static void copy_head(struct sharc_found *f, const struct sharc_http *h)
{
    struct sharc_arena *a = &f->memory->arena;
    free(f->memory->fields);
    f->memory->fields = SHARC_NEW_ARRAY(struct sharc_http_field, h->count);
    for (f->count = 0; f->count < h->count; f->count++)
        f->memory->fields[f->count] = (struct sharc_http_field){sharc_arena_copy(a, h->fields[f->count].name),
                                                                sharc_arena_copy(a, h->fields[f->count].value)};
    f->fields = f->memory->fields;
    f->status = h->status;
}

static void set_size(struct sharc_found *f, const struct sharc_http *h)
{
    f->size = UINT64_MAX;
    if (!h) f->size = f->record.block_size;
    if (h && !sharc_http_get(h, "Transfer-Encoding").p && f->record.block_size >= h->head_size)
        f->size = f->record.block_size - h->head_size;
}

/* Head and payload are those of one record. */
static int take_whole(struct sharc_found *f, struct sharc_err *reterr)
{
    const struct sharc_http *h = sharc_record_http(&f->record);
    bool answer = f->record.type == SHARC_WARC_RESPONSE;
    bool page = sharc_span_istarts(f->url, SHARC_SPAN("http")) && answer;
    SHARC_FAIL_IF(page && (!h || h->status < 100), reterr, SHARC_ECORRUPT, "the record holds no HTTP answer");
    f->status = 200;
    if (h) copy_head(f, h);
    f->type = h ? sharc_found_get(f, "Content-Type") : sharc_arena_copy(&f->memory->arena, f->record.content_type);
    set_size(f, h);
    return 0;
}

static int take_revisit(struct sharc_found *f, const struct sharc_edition *e, struct sharc_err *reterr)
{
    struct original o = {.edition = e};
    const struct sharc_http *own = sharc_record_http(&f->record);
    SHARC_FAIL_IF(!find_original(&o, &f->record, own), reterr, SHARC_ECORRUPT,
                  "the record that a revisit refers to is in none of the files");
    bool keep = own && own->status >= 100 && own->status != 304;
    if (keep) copy_head(f, own);
    f->readers[1] = o.reader;
    f->record = o.record;
    f->revisit = true;
    const struct sharc_http *h = sharc_record_http(&f->record);
    if (!keep && h) copy_head(f, h);
    if (!keep && !h) f->status = 200;
    f->type = sharc_found_get(f, "Content-Type");
    if (!f->type.p)
        f->type = sharc_arena_copy(&f->memory->arena, h ? sharc_http_get(h, "Content-Type") : o.record.content_type);
    set_size(f, h);
    return 0;
}

/* Does it lead to where it was asked for? Whoever followed it would come back for ever. */
static bool leads_to_itself(const struct sharc_found *f)
{
    struct sharc_span location = sharc_found_get(f, "Location");
    if (!sharc_http_is_redirect(f->status) || !location.p) return false;
    struct sharc_url base = SHARC_URL_INIT, to = SHARC_URL_INIT;
    bool itself = sharc_url_parse(&base, f->url, NULL, NULL) == 0 && sharc_url_parse(&to, location, &base, NULL) == 0 &&
                  same_key(sharc_url_page(&to), f->url);
    sharc_url_done(&base);
    sharc_url_done(&to);
    return itself;
}

static int try_capture(const struct sharc_edition *e, const struct sharc_captures *c, const struct sharc_cdx *line,
                       struct sharc_found **ret, struct sharc_err *reterr)
{
    SHARC_AUTO(sharc_found_freep) struct sharc_found *f = SHARC_NEW(struct sharc_found);
    f->memory = SHARC_NEW(struct sharc_found_memory);
    sharc_arena_init(&f->memory->arena, 4u << 20);
    int r = open_record(e, sharc__serve_captures_source(c), line, &f->readers[0], &f->record, reterr);
    if (r < 0) return r;
    SHARC_FAIL_IF(!is_of(&f->record, line), reterr, SHARC_ECORRUPT,
                  "a record is not of the URL that the index says; make the index anew");
    struct sharc_span t = line->field[SHARC_CDX_TIMESTAMP];
    memcpy(f->timestamp, t.p, t.n < sizeof f->timestamp ? t.n : sizeof f->timestamp - 1);
    f->url = sharc_arena_copy(&f->memory->arena, f->record.target);
    f->when = f->record.date;
    r = f->record.type == SHARC_WARC_REVISIT ? take_revisit(f, e, reterr) : take_whole(f, reterr);
    if (r < 0) return r;
    SHARC_FAIL_IF(leads_to_itself(f), reterr, SHARC_ENOENT, "all captures of it only redirect to itself");
    SHARC_FAIL_IF(f->status == 304, reterr, SHARC_ENOENT, "all captures of it only say \"not modified\"");
    *ret = SHARC_TAKE(f);
    return 0;
}

/* --- the wish -------------------------------------------------------------------------------- */

/* A time of few digits is its beginning, for both mappings. */
static int set_query(const struct sharc_wish *w, struct sharc_span url, char digits[SHARC_TIME_TEXT],
                     struct sharc_cdx_query *q, struct sharc_err *reterr)
{
    struct sharc_span t = w->timestamp;
    sharc_time when;
    *q = (struct sharc_cdx_query){.url = url, .match = SHARC_CDX_EXACT, .sort = SHARC_CDX_REVERSE};
    if (!t.n) return 0;
    SHARC_FAIL_IF(sharc_time_parse(t, &when, NULL) < 0, reterr, SHARC_EINVAL,
                  "\"%.*s\" is no time; write 4 to 17 digits, YYYYMMDDhhmmss", (int)(t.n < 40 ? t.n : 40), t.p);
    if (t.n < 14) t = sharc_span_of(sharc_time_compact(when, 14, digits));
    if (w->mapping == SHARC_NEAREST) {
        q->sort = SHARC_CDX_CLOSEST;
        q->closest = t;
    } else {
        q->to = t;
    }
    return 0;
}

/* The reason that is worth telling: of a capture that should be there rather than of one that cannot be shown. */
static void keep_reason(struct sharc_err *kept, const struct sharc_err *why)
{
    if (!kept->code || (kept->code == SHARC_ENOENT && why->code != SHARC_ENOENT)) *kept = *why;
}

static int no_capture(const struct sharc_wish *w, const struct sharc_err *kept, struct sharc_err *reterr)
{
    char shown[SHARC_URL_SHOWN];
    sharc_url_shown(w->url, shown);
    if (!kept->code) {
        const char *when = w->mapping == SHARC_LATEST && w->timestamp.n ? " at or before that time" : "";
        return sharc_fail(reterr, SHARC_ENOENT, "%s: there is no capture of it%s", shown, when);
    }
    int code = kept->code == SHARC_ENOENT ? SHARC_ENOENT : SHARC_ECORRUPT;
    return sharc_fail(reterr, code, "%s: %s", shown, kept->text);
}

int sharc_find(const struct sharc_edition *e, const struct sharc_wish *w, struct sharc_found **ret,
               struct sharc_err *reterr)
{
    SHARC_AUTO(sharc_captures_freep) struct sharc_captures *c = NULL;
    SHARC_AUTO(sharc_buf_done) struct sharc_buf sent = SHARC_BUF_INIT(SHARC_LIMIT_URL);
    struct sharc_err kept = SHARC_ERR_INIT;
    struct sharc_cdx_query q;
    struct sharc_cdx line;
    struct sharc_span url = w->url;
    if (w->method.n && sharc_cdx_sent_url(w->url, w->method, w->content_type, w->body, &sent, NULL) == 0)
        url = sharc_buf_span(&sent);
    char digits[SHARC_TIME_TEXT];
    int r = set_query(w, url, digits, &q, reterr);
    if (r == 0) r = sharc_captures_ask(e, &q, &c, reterr);
    for (unsigned tries = 0; r >= 0 && tries < MOST_TRIES && (r = sharc_captures_next(c, &line, reterr)) > 0; tries++) {
        struct sharc_err why = SHARC_ERR_INIT;
        if (sharc_span_is(line.field[SHARC_CDX_STATUS], "304") && !sharc_capture_is_revisit(&line)) continue;
        if (try_capture(e, c, &line, ret, &why) == 0) return 0;
        keep_reason(&kept, &why);
    }
    return r < 0 ? r : no_capture(w, &kept, reterr);
}

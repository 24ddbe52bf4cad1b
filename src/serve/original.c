/* SPDX-License-Identifier: Apache-2.0
 *
 * Records that lines of an index name, and the originals of revisits.
 */
#include "find.h"

#include "sharc/base_limits.h"
#include "sharc/url_canon.h"

/* Captures whose records are opened in vain before an original counts as missing. */
enum { MOST_TRIES = 1000 };

/* --- one record ------------------------------------------------------------------------ */

static int read_record(struct sharc_warc *reader, uint64_t offset, const char *label, struct serve_opened *ret,
                       struct sharc_err *reterr)
{
    SHARC_AUTO(sharc_warc_closep) struct sharc_warc *w = reader;
    int r = sharc_warc_next(w, &ret->record, reterr);
    if (r < 0) return r;
    SHARC_FAIL_IF(r == 0 || ret->record.offset != offset, reterr, SHARC_ECORRUPT,
                  "%s: no record begins at offset %llu, which an index names", label, (unsigned long long)offset);
    ret->reader = SHARC_TAKE(w);
    return 0;
}

int sharc__serve_open_record(const struct sharc_edition *e, const struct serve_source *s, const struct sharc_cdx *line,
                             struct serve_opened *ret, struct sharc_err *reterr)
{
    struct sharc_span name = line->field[SHARC_CDX_FILENAME];
    struct sharc_warc *reader = NULL;
    uint64_t offset;
    SHARC_FAIL_IF(!name.n || !sharc_cdx_number(line, SHARC_CDX_OFFSET, &offset), reterr, SHARC_ECORRUPT,
                  "a line of the index names no record");
    SHARC_AUTO(sharc_freep) char *label = sharc_span_dup(sharc__serve_last_part(name));
    const struct sharc_warc_options o = {.lenient = true, .offset = offset, .name = label};
    int r = sharc__serve_source_open(e, s, name, &o, &reader, &ret->map, reterr);
    if (r < 0 && reterr) reterr->code = SHARC_ECORRUPT; /* that the file is missing does not mean that there is none */
    if (r < 0) return SHARC_ECORRUPT;
    r = read_record(reader, offset, label, ret, reterr);
    SHARC_FAIL_IF(r < 0 && ret->map && !sharc_filemap_intact(ret->map), reterr, SHARC_ECORRUPT,
                  "%s was shortened while it was served", label);
    return r;
}

bool sharc__serve_same_key(struct sharc_span a, struct sharc_span b)
{
    SHARC_AUTO(sharc_buf_done) struct sharc_buf x = SHARC_BUF_INIT(4 * SHARC_LIMIT_URL);
    SHARC_AUTO(sharc_buf_done) struct sharc_buf y = SHARC_BUF_INIT(4 * SHARC_LIMIT_URL);
    return sharc_url_key(a, &x, NULL) == 0 && sharc_url_key(b, &y, NULL) == 0 &&
           sharc_span_eq(sharc_buf_span(&x), sharc_buf_span(&y));
}

bool sharc__serve_is_of(const struct sharc_record *rec, const struct sharc_cdx *line)
{
    struct sharc_span url = line->field[SHARC_CDX_URL];
    return !url.n || sharc_span_eq(url, rec->target) || sharc__serve_same_key(url, rec->target);
}

/* --- the original of a revisit ------------------------------------------------------------ */

struct original {
    const struct sharc_edition *edition;
    struct serve_effort *effort;
    struct sharc_digest digest; /* of the revisit's payload; n == 0: unknown */
    struct sharc_span id;       /* of the record it refers to; or none */
    struct serve_opened found;
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
    struct serve_opened x = {.reader = NULL};
    if (sharc__serve_open_record(o->edition, sharc__serve_captures_source(c), line, &x, NULL) < 0) return false;
    SHARC_AUTO(sharc_warc_closep) struct sharc_warc *w = x.reader;
    bool payload = x.record.type == SHARC_WARC_RESPONSE || x.record.type == SHARC_WARC_RESOURCE;
    if (!payload || !sharc__serve_is_of(&x.record, line)) return false;
    bool named = o->id.n && sharc_span_eq(o->id, x.record.id);
    if (!named && !digest_may_be(x.record.payload_digest, &o->digest)) return false;
    w = NULL;
    o->found = x;
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
    for (unsigned tries = 0; tries < MOST_TRIES && o->effort->lines && sharc_captures_next(c, &line, NULL) > 0;) {
        o->effort->lines--;
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

/* Among the captures of the URL that it refers to, and of its own. */
static bool find_by_digest(struct original *o, const struct sharc_record *rec, const char *when)
{
    struct sharc_cdx_query q = {.match = SHARC_CDX_EXACT, .sort = SHARC_CDX_CLOSEST, .closest = sharc_span_of(when)};
    if (!o->digest.n) return false;
    q.url = rec->refers_to_target;
    if (q.url.n && !sharc_span_eq(q.url, rec->target) && search(o, &q, fits_digest)) return true;
    if (o->effort->hopeless.n && sharc_digest_eq(&o->effort->hopeless, &o->digest)) return false;
    q.url = rec->target;
    if (search(o, &q, fits_digest)) return true;
    o->effort->hopeless = o->digest;
    return false;
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
    if (find_by_digest(o, rec, own)) return true;
    bool unnamed = !rec->refers_to_date.n && !o->digest.n;
    if (!h || h->status != 304 || !unnamed) return false;
    const struct sharc_cdx_query q = {.url = rec->target,
                                      .match = SHARC_CDX_EXACT,
                                      .sort = SHARC_CDX_REVERSE,
                                      .to = sharc_span_of(own)};
    return search(o, &q, fits_answer);
}

int sharc__serve_original(const struct sharc_edition *e, const struct sharc_record *revisit, const struct sharc_http *h,
                          struct serve_effort *effort, struct serve_opened *ret)
{
    struct original o = {.edition = e, .effort = effort};
    if (!find_original(&o, revisit, h)) return SHARC_ENOENT;
    *ret = o.found;
    return 0;
}

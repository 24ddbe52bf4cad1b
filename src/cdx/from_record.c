/* SPDX-License-Identifier: Apache-2.0
 *
 * Records in, lines out. A request that sends something goes into the key of its
 * response, so one of the two waits for the other.
 */
#include "from_record.h"

#include "sharc/base_digest.h"
#include "sharc/base_limits.h"
#include "sharc/url_canon.h"
#include "sharc/warc_own.h"

#include <stdlib.h>

enum { MOST_REQUEST_BODY = 4 << 20 };

/* A response whose request may still come, or a request whose response may. */
struct waiting {
    bool full;
    struct sharc_buf id, target;
};

struct cdx_maker {
    struct cdx_maker_options o;
    const char *name;
    sharc_line_fn *fn;
    void *arg;
    struct sharc_buf key, line, body, query;
    struct waiting response; /* its line is in `line` */
    struct waiting request;  /* its query is in `query`, its method in `method` */
    char method[8];
    struct sharc_hasher *hasher;
    struct sharc_cdx_parser parser;
    char length[24], offset[24], status[8], when[SHARC_TIME_TEXT];
};

struct cdx_maker *sharc__cdx_maker_new(const struct cdx_maker_options *o)
{
    struct cdx_maker *m = SHARC_NEW(struct cdx_maker);
    m->o = *o;
    sharc_buf_init(&m->key, 4 * SHARC_LIMIT_URL);
    sharc_buf_init(&m->line, SHARC_LIMIT_CDX_LINE);
    sharc_buf_init(&m->body, MOST_REQUEST_BODY);
    sharc_buf_init(&m->query, 3 * MOST_REQUEST_BODY);
    sharc_buf_init(&m->response.id, SHARC_LIMIT_WARC_HEADER);
    sharc_buf_init(&m->response.target, SHARC_LIMIT_WARC_HEADER);
    sharc_buf_init(&m->request.id, SHARC_LIMIT_WARC_HEADER);
    sharc_buf_init(&m->request.target, SHARC_LIMIT_WARC_HEADER);
    sharc_cdx_parser_init(&m->parser);
    return m;
}

void sharc__cdx_maker_free(struct cdx_maker *m)
{
    if (!m) return;
    sharc_buf_done(&m->key);
    sharc_buf_done(&m->line);
    sharc_buf_done(&m->body);
    sharc_buf_done(&m->query);
    sharc_buf_done(&m->response.id);
    sharc_buf_done(&m->response.target);
    sharc_buf_done(&m->request.id);
    sharc_buf_done(&m->request.target);
    sharc_cdx_parser_done(&m->parser);
    sharc_hasher_free(m->hasher);
    free(m);
}

void sharc__cdx_maker_freep(struct cdx_maker **m)
{
    sharc__cdx_maker_free(*m);
    *m = NULL;
}

unsigned sharc__cdx_maker_types(const struct cdx_maker *m)
{
    unsigned types = SHARC_WARC_BIT(SHARC_WARC_RESPONSE) | SHARC_WARC_BIT(SHARC_WARC_REVISIT) |
                     SHARC_WARC_BIT(SHARC_WARC_RESOURCE) | SHARC_WARC_BIT(SHARC_WARC_METADATA);
    return m->o.plain_keys ? types : types | SHARC_WARC_BIT(SHARC_WARC_REQUEST);
}

void sharc__cdx_maker_start(struct cdx_maker *m, const char *name, sharc_line_fn *fn, void *arg)
{
    m->name = name;
    m->fn = fn;
    m->arg = arg;
    m->response.full = m->request.full = false;
}

bool sharc__cdx_is_blank(const struct sharc_cdx *c)
{
    return sharc_span_is(c->field[SHARC_CDX_STATUS], "304");
}

/* --- fields -------------------------------------------------------------- */

/* "text/html; charset=x" -> "text/html" */
static struct sharc_span media_type(struct sharc_span value)
{
    size_t n = 0;
    while (n < value.n && value.p[n] != ';' && !sharc_is_space(value.p[n])) n++;
    return n ? sharc_span(value.p, n) : SHARC_SPAN_NONE;
}

static void set_status(struct cdx_maker *m, int status, struct sharc_cdx *c)
{
    if (status < 100) return;
    for (int i = 0, v = status; i < 3; i++, v /= 10) m->status[2 - i] = (char)('0' + v % 10);
    c->field[SHARC_CDX_STATUS] = sharc_span(m->status, 3);
}

static void set_http_fields(struct cdx_maker *m, const struct sharc_http *h, bool revisit, struct sharc_cdx *c)
{
    if (h) set_status(m, h->status, c);
    c->field[SHARC_CDX_MIME] =
        revisit ? SHARC_SPAN("warc/revisit") : media_type(h ? sharc_http_get(h, "Content-Type") : SHARC_SPAN_NONE);
}

static void set_record_fields(struct cdx_maker *m, struct sharc_record *rec, struct sharc_cdx *c)
{
    if (rec->type == SHARC_WARC_RESPONSE || rec->type == SHARC_WARC_REVISIT)
        set_http_fields(m, sharc_record_http(rec), rec->type == SHARC_WARC_REVISIT, c);
    else
        c->field[SHARC_CDX_MIME] = media_type(rec->content_type);
}

/* Given, or made of the payload: an index without digests cannot resolve revisits. */
static int set_digest(struct cdx_maker *m, struct sharc_record *rec, struct sharc_cdx *c, char out[SHARC_DIGEST_TEXT],
                      struct sharc_err *reterr)
{
    c->field[SHARC_CDX_DIGEST] = rec->payload_digest;
    if (rec->payload_digest.n || rec->type == SHARC_WARC_REVISIT) return 0;
    if (!m->hasher) m->hasher = sharc_hasher_new();
    sharc_hasher_start(m->hasher, SHARC_SHA1);
    struct sharc_span piece;
    int r;
    while ((r = sharc_record_read(rec, SHARC_WARC_PAYLOAD, &piece, reterr)) > 0)
        sharc_hasher_add(m->hasher, piece.p, piece.n);
    struct sharc_digest d;
    sharc_hasher_end(m->hasher, &d);
    if (r < 0) return r;
    c->field[SHARC_CDX_DIGEST] = sharc_span_of(sharc_digest_text(&d, out));
    return 0;
}

static struct sharc_span number_text(uint64_t v, char out[24])
{
    char *p = out + 23;
    *p = 0;
    do {
        *--p = (char)('0' + v % 10);
        v /= 10;
    } while (v);
    return sharc_span(p, (size_t)(out + 23 - p));
}

/* The key of the target, of the target with the request's query when there is one. A URL
 * too long for a key gets the longest key that fits: two captures may then share it,
 * none is lost. */
static int make_key(struct cdx_maker *m, struct sharc_span target, const struct waiting *request,
                    struct sharc_err *reterr)
{
    sharc_buf_clear(&m->key);
    if (request) {
        SHARC_AUTO(sharc_buf_done) struct sharc_buf url = SHARC_BUF_INIT(SHARC_LIMIT_URL);
        int r = sharc__cdx_post_url(target, sharc_span_of(m->method), sharc_buf_span(&m->query), &url);
        if (r == 0 && sharc_url_key(sharc_buf_span(&url), &m->key, NULL) == 0) return 0;
        sharc_buf_clear(&m->key);
    }
    int r = sharc_url_key(sharc_span_sub(target, 0, SHARC_LIMIT_URL), &m->key, NULL);
    if (r == SHARC_ELIMIT) r = sharc_url_key(sharc_span_sub(target, 0, SHARC_LIMIT_URL / 4), &m->key, reterr);
    /* The key ends at the first space; one inside would break the line. */
    for (size_t i = 0; i < m->key.n; i++)
        if ((unsigned char)m->key.p[i] <= ' ') m->key.p[i] = '+';
    return r;
}

/* --- requests ------------------------------------------------------------ */

static void remember(struct waiting *w, const struct sharc_record *rec)
{
    w->full = true;
    sharc_buf_clear(&w->id);
    sharc_buf_put(&w->id, rec->id);
    sharc_buf_clear(&w->target);
    sharc_buf_put(&w->target, rec->target);
}

/* Does rec, which comes right behind it, belong to the same exchange? */
static bool belongs(const struct waiting *w, const struct sharc_record *rec)
{
    return w->full && w->id.n && sharc_span_eq(sharc_buf_span(&w->id), rec->concurrent_to) &&
           sharc_span_eq(sharc_buf_span(&w->target), rec->target);
}

static int flush_response(struct cdx_maker *m, struct sharc_err *reterr)
{
    if (!m->response.full) return 0;
    m->response.full = false;
    return m->fn(m->arg, sharc_buf_span(&m->line), reterr);
}

/* The line that waits gets the key, method and body of its request. */
static int amend_response(struct cdx_maker *m, struct sharc_err *reterr)
{
    struct sharc_cdx c;
    SHARC_AUTO(sharc_buf_done) struct sharc_buf line = SHARC_BUF_INIT(SHARC_LIMIT_CDX_LINE);
    int r = sharc_cdx_parse(&m->parser, sharc_buf_span(&m->line), &c, reterr);
    if (r <= 0) return r;
    r = make_key(m, c.field[SHARC_CDX_URL], &m->request, reterr);
    if (r < 0) return r;
    c.field[SHARC_CDX_KEY] = sharc_buf_span(&m->key);
    c.field[SHARC_CDX_METHOD] = sharc_span_of(m->method);
    c.field[SHARC_CDX_BODY] = m->query.n ? sharc_buf_span(&m->query) : SHARC_SPAN("");
    if (sharc_cdx_write(&c, SHARC_CDXJ, &line) < 0) return 0;
    struct sharc_buf old = m->line;
    m->line = line;
    line = old;
    return 0;
}

static int take_request(struct cdx_maker *m, struct sharc_record *rec, struct sharc_err *reterr)
{
    m->request.full = false;
    const struct sharc_http *h = sharc_record_http(rec);
    bool sends = h && (sharc_span_ieq(h->method, SHARC_SPAN("POST")) || sharc_span_ieq(h->method, SHARC_SPAN("PUT")));
    if (!sends) return flush_response(m, reterr);
    for (size_t i = 0; i <= h->method.n; i++) m->method[i] = i < h->method.n ? sharc_to_upper(h->method.p[i]) : 0;
    sharc_buf_clear(&m->body);
    int r = sharc_record_read_all(rec, SHARC_WARC_PAYLOAD, &m->body, reterr);
    if (r < 0 && r != SHARC_ELIMIT) return r;
    sharc__cdx_post_query(sharc_http_get(h, "Content-Type"), sharc_buf_span(&m->body), &m->query);
    if (belongs(&m->response, rec)) {
        r = amend_response(m, reterr);
        return r < 0 ? r : flush_response(m, reterr);
    }
    remember(&m->request, rec);
    return flush_response(m, reterr);
}

/* --- records ------------------------------------------------------------- */

/* Is it a capture, or something about one? */
static bool is_capture(const struct cdx_maker *m, const struct sharc_record *rec)
{
    if (!m->o.controls && (sharc_record_is_control(rec) || sharc_record_is_note(rec))) return false;
    switch (rec->type) {
    case SHARC_WARC_RESPONSE:
    case SHARC_WARC_REVISIT: return true;
    case SHARC_WARC_RESOURCE: return !sharc_span_istarts(rec->content_type, SHARC_SPAN("application/warc-fields"));
    case SHARC_WARC_METADATA:
        return rec->target.n && !sharc_span_istarts(rec->content_type, SHARC_SPAN("application/warc-fields"));
    case SHARC_WARC_OTHER:
    case SHARC_WARC_INFO:
    case SHARC_WARC_REQUEST:
    case SHARC_WARC_CONVERSION:
    case SHARC_WARC_CONTINUATION:
    case SHARC_WARC_TYPES: break;
    }
    return false;
}

/* A capture without one of these has no place in an index: nobody could find or open it. */
static int check_place(const struct sharc_record *rec, struct sharc_err *reterr)
{
    SHARC_FAIL_IF(rec->joined, reterr, SHARC_ESYNTAX,
                  "the record does not begin its compressed member, so that no index can point at it");
    SHARC_FAIL_IF(!rec->target.n, reterr, SHARC_ESYNTAX, "the record has no WARC-Target-URI");
    SHARC_FAIL_IF(!rec->date_text.p, reterr, SHARC_ESYNTAX, "the record has no WARC-Date");
    SHARC_FAIL_IF(rec->date == SHARC_TIME_NONE, reterr, SHARC_ESYNTAX, "its date \"%.*s\" cannot be read",
                  SHARC_SPAN_ARG(sharc_span_sub(rec->date_text, 0, 40)));
    return 0;
}

/* Where and when; the line is written. The other fields are set already. */
static int compose(struct cdx_maker *m, struct sharc_cdx *c, sharc_time date, uint64_t offset, uint64_t length,
                   struct sharc_err *reterr)
{
    c->field[SHARC_CDX_KEY] = sharc_buf_span(&m->key);
    c->field[SHARC_CDX_TIMESTAMP] =
        sharc_span_of(sharc_time_compact(date, m->o.precise && date % SHARC_SEC ? 17 : 14, m->when));
    c->field[SHARC_CDX_OFFSET] = number_text(offset, m->offset);
    c->field[SHARC_CDX_LENGTH] = number_text(length, m->length);
    c->field[SHARC_CDX_FILENAME] = sharc_span_of(m->name);
    sharc_buf_clear(&m->line);
    int r = sharc_cdx_write(c, SHARC_CDXJ, &m->line);
    SHARC_FAIL_IF(r < 0, reterr, r, "the index line is longer than %u bytes", SHARC_LIMIT_CDX_LINE);
    return 0;
}

/* 1: the line is written; 0: it has none. */
static int write_line(struct cdx_maker *m, struct sharc_record *rec, bool with_request, struct sharc_err *reterr)
{
    char digest[SHARC_DIGEST_TEXT];
    struct sharc_cdx c = {0};
    uint64_t length;
    set_record_fields(m, rec, &c);
    if (!m->o.all && sharc__cdx_is_blank(&c)) return 0;
    int r = set_digest(m, rec, &c, digest, reterr);
    if (r < 0) return r;
    r = make_key(m, rec->target, with_request ? &m->request : NULL, reterr);
    if (r < 0) return r;
    c.field[SHARC_CDX_URL] = rec->target;
    if (with_request) {
        c.field[SHARC_CDX_METHOD] = sharc_span_of(m->method);
        c.field[SHARC_CDX_BODY] = m->query.n ? sharc_buf_span(&m->query) : SHARC_SPAN("");
    }
    r = sharc_record_length(rec, &length, reterr);
    if (r == 0) r = compose(m, &c, rec->date, rec->offset, length, reterr);
    return r < 0 ? r : 1;
}

int sharc__cdx_maker_take(struct cdx_maker *m, struct sharc_record *rec, struct sharc_err *reterr)
{
    if (rec->type == SHARC_WARC_REQUEST) return take_request(m, rec, reterr);
    int r = flush_response(m, reterr);
    if (r < 0) return r;
    bool with_request = belongs(&m->request, rec);
    m->request.full = false;
    if (!is_capture(m, rec)) return 0;
    r = check_place(rec, reterr);
    if (r == 0) r = write_line(m, rec, with_request, reterr);
    if (r <= 0) return r;
    if (with_request || m->o.plain_keys) {
        r = m->fn(m->arg, sharc_buf_span(&m->line), reterr);
        return r < 0 ? r : 1;
    }
    remember(&m->response, rec);
    return 1;
}

int sharc__cdx_maker_finish(struct cdx_maker *m, struct sharc_err *reterr)
{
    return flush_response(m, reterr);
}

int sharc__cdx_maker_note(struct cdx_maker *m, const struct cdx_noted_record *n, struct sharc_err *reterr)
{
    char digest[SHARC_DIGEST_TEXT];
    struct sharc_cdx c = {0};
    set_http_fields(m, n->http, n->revisit, &c);
    if (!m->o.all && sharc__cdx_is_blank(&c)) return 0;
    c.field[SHARC_CDX_DIGEST] = sharc_span_of(sharc_digest_text(&n->place->payload, digest));
    int r = make_key(m, n->target, NULL, reterr);
    if (r < 0) return r;
    c.field[SHARC_CDX_URL] = n->target;
    m->name = n->place->file;
    r = compose(m, &c, n->date, n->place->offset, n->place->length, reterr);
    return r < 0 ? r : m->fn(m->arg, sharc_buf_span(&m->line), reterr);
}

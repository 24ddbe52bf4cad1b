/* SPDX-License-Identifier: Apache-2.0
 *
 * Headers of archived answers. What describes the bytes is sent as it was; what would steer the reader's
 * browser, or speaks of a connection that ended long ago, is kept under another name, X-Archive-Orig-…;
 * addresses are turned into addresses of this replay. A header that is not in the table may steer
 * something that nobody thought of yet: it is renamed, too.
 */
#include "call.h"
#include "serve_int.h"

#include "sharc/url.h"

enum rule {
    RENAME,     /* X-Archive-Orig-Name: value */
    KEEP,       /* as it is */
    KEEP_BYTES, /* as it is, as long as the body is the archived one */
    LINK,       /* a URL: leads into the archive; the original is kept, renamed */
    DROP,       /* not sent at all: our own server says it for this connection */
};

static const struct {
    const char *name;
    enum rule rule;
} rules[] = {
    {"accept-patch", KEEP},
    {"allow", KEEP},
    {"connection", DROP},
    {"content-base", LINK},
    {"content-disposition", KEEP},
    {"content-encoding", KEEP_BYTES},
    {"content-language", KEEP},
    {"content-length", RENAME},
    {"content-location", LINK},
    {"content-range", KEEP_BYTES}, /* of an archived 206 */
    {"content-type", KEEP},
    {"keep-alive", DROP},
    {"location", LINK},
    {"proxy-connection", DROP},
    {"transfer-encoding", RENAME},
};

/* Bytes of archived headers that are sent; libmicrohttpd has a fixed room for an answer's head. */
enum { MOST_HEAD = 24 << 10 };

static enum rule rule_of(struct sharc_span name)
{
    for (size_t i = 0; i < SHARC_LENGTH(rules); i++)
        if (sharc_span_ieq(name, sharc_span_of(rules[i].name))) return rules[i].rule;
    return RENAME;
}

/* Everything but what this very server answers is refused by the browser, whatever a page or its scripts ask for.
 * 'unsafe-inline' and 'unsafe-eval': archived pages are made of such scripts. */
#define REPLAY_POLICY                                                                                     \
    "default-src 'self' 'unsafe-inline' 'unsafe-eval' data: blob:; base-uri 'self'; form-action 'self'; " \
    "object-src 'self'"
#define PAGES_POLICY                                                                                    \
    "default-src 'none'; style-src 'self'; img-src 'self' data:; form-action 'self'; base-uri 'none'; " \
    "frame-ancestors 'none'"

void sharc__serve_policy(struct serve_call *c)
{
    sharc__serve_header(c, "Content-Security-Policy",
                        c->on_replay ? SHARC_SPAN(REPLAY_POLICY) : SHARC_SPAN(PAGES_POLICY));
    /* The path of the page that asks tells which archived page asks: sharc__serve_by_referrer. */
    sharc__serve_header(c, "Referrer-Policy", SHARC_SPAN("same-origin"));
    if (c->on_replay) sharc__serve_header(c, "X-DNS-Prefetch-Control", SHARC_SPAN("off"));
    if (!c->on_replay) sharc__serve_header(c, "X-Content-Type-Options", SHARC_SPAN("nosniff"));
    sharc__serve_guard_headers(c);
}

void sharc__serve_put_link(struct sharc_buf *out, const struct serve_address *a, const char *timestamp,
                           const char *modifier, struct sharc_span url)
{
    sharc_buf_put_char(out, '/');
    sharc_buf_put(out, a->mapping);
    sharc_buf_put_char(out, '/');
    sharc_buf_put_str(out, timestamp);
    if (a->limits.set) sharc_buf_printf(out, "~%.*s~", SHARC_SPAN_ARG(a->limits.text));
    sharc_buf_put_str(out, modifier);
    sharc_buf_put_char(out, '/');
    sharc__serve_put_url(out, url);
}

static void rename_header(struct serve_call *c, struct sharc_span name, struct sharc_span value)
{
    SHARC_AUTO(sharc_freep) char *renamed = sharc_asprintf("X-Archive-Orig-%.*s", SHARC_SPAN_ARG(name));
    sharc__serve_header(c, renamed, value);
}

static void link_header(struct serve_call *c, const struct serve_rewrite *w, const struct sharc_http_field *f)
{
    SHARC_AUTO(sharc_freep) char *name = sharc_span_dup(f->name);
    SHARC_AUTO(sharc_freep) char *modifier = sharc_span_dup(w->address->modifier);
    SHARC_AUTO(sharc_buf_done) struct sharc_buf to = SHARC_BUF_INIT(4 * SHARC_LIMIT_URL);
    struct sharc_url base = SHARC_URL_INIT, url = SHARC_URL_INIT;
    if (sharc_url_parse(&base, w->found->url, NULL, NULL) == 0 && sharc_url_parse(&url, f->value, &base, NULL) == 0 &&
        sharc_url_is_http(&url)) {
        SHARC_AUTO(sharc_freep) char *time = sharc_span_dup(w->address->timestamp);
        sharc__serve_put_link(&to, w->address, *time ? time : w->found->timestamp, modifier, sharc_url_href(&url));
        if (!to.failed) sharc__serve_header(c, name, sharc_buf_span(&to));
    }
    rename_header(c, f->name, f->value);
    sharc_url_done(&base);
    sharc_url_done(&url);
}

/* A body that is not compressed although it is said to be was unpacked by whoever archived it. */
static bool says_wrong_coding(const struct sharc_found *f, struct sharc_span peek)
{
    struct sharc_span coding = sharc_found_get(f, "Content-Encoding");
    bool gzip = sharc_span_ieq(coding, SHARC_SPAN("gzip")) || sharc_span_ieq(coding, SHARC_SPAN("x-gzip"));
    return gzip && peek.p && !(peek.n >= 2 && memcmp(peek.p, "\x1f\x8b", 2) == 0);
}

static void put_field(struct serve_call *c, const struct serve_rewrite *w, const struct sharc_http_field *f,
                      bool changed)
{
    enum rule rule = rule_of(f->name);
    if (rule == KEEP_BYTES) rule = changed ? RENAME : KEEP;
    if (rule == LINK) link_header(c, w, f);
    if (rule == RENAME) rename_header(c, f->name, f->value);
    if (rule == KEEP) {
        SHARC_AUTO(sharc_freep) char *name = sharc_span_dup(f->name);
        /* Without a type a browser would guess one, and might see a page where the archive has none. */
        if (sharc_http_answer_header(c->answer, name, f->value) < 0 &&
            sharc_span_ieq(f->name, SHARC_SPAN("Content-Type")))
            sharc__serve_header(c, "Content-Type", SHARC_SPAN("application/octet-stream"));
    }
}

void sharc__serve_head(struct serve_call *c, const struct serve_rewrite *w, bool content_changed)
{
    const struct sharc_found *f = w->found;
    size_t bytes = 0, left_out = 0;
    bool typed = false;
    for (size_t i = 0; i < f->count; i++) {
        size_t n = f->fields[i].name.n + f->fields[i].value.n + 24;
        if (bytes + n > MOST_HEAD) {
            left_out++;
            continue;
        }
        bytes += n;
        bool type = sharc_span_ieq(f->fields[i].name, SHARC_SPAN("Content-Type"));
        if (type && w->type.p && !sharc_span_eq(f->fields[i].value, w->type))
            rename_header(c, f->fields[i].name, f->fields[i].value);
        if (type && (typed || w->type.p)) continue;
        typed |= type;
        bool coding = sharc_span_ieq(f->fields[i].name, SHARC_SPAN("Content-Encoding"));
        put_field(c, w, &f->fields[i], content_changed || (coding && says_wrong_coding(f, w->peek)));
    }
    /* Raw bytes whose type is too long have none. */
    if (w->type.p || (!typed && f->type.p))
        sharc__serve_header(c, "Content-Type",
                            w->type.p                ? w->type
                            : f->type.n <= MOST_HEAD ? f->type
                                                     : SHARC_SPAN("application/octet-stream"));
    if (left_out) sharc__serve_headerf(c, "Sharc-Headers-Left-Out", "%zu", left_out);
}

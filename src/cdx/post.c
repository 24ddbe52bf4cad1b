/* SPDX-License-Identifier: Apache-2.0
 *
 * A request body as a query: how the captures of one address that differ only in what
 * was sent are told apart in an index. The rules are those of pywb 2.6 and the
 * IIPC's guideline "CDX for non-GET requests".
 */
#include "from_record.h"

#include "sharc/base_arena.h"
#include "sharc/base_digest.h"
#include "sharc/base_limits.h"
#include "sharc/base_map.h"
#include "sharc/base_node.h"
#include "sharc/http.h"

enum { MOST_QUERY = 4096, MOST_JSON_MEMORY = 32 << 20 };

static void put_encoded(struct sharc_buf *out, struct sharc_span s)
{
    for (size_t i = 0; i < s.n; i++) {
        char c = s.p[i];
        if (sharc_is_alnum(c) || (c && strchr("_.-~", c)))
            sharc_buf_put_char(out, c);
        else if (c == ' ')
            sharc_buf_put_char(out, '+');
        else
            sharc_buf_printf(out, "%%%02X", (unsigned char)c);
    }
}

static void put_pair(struct sharc_buf *out, struct sharc_span name, struct sharc_span value)
{
    if (out->n) sharc_buf_put_char(out, '&');
    put_encoded(out, name);
    sharc_buf_put_char(out, '=');
    put_encoded(out, value);
}

static void put_binary(struct sharc_buf *out, struct sharc_span body)
{
    SHARC_AUTO(sharc_freep) char *text = sharc_malloc(SHARC_BASE64_SIZE(body.n));
    sharc_base64_encode(body, text);
    sharc_buf_put(out, SHARC_SPAN("__wb_post_data="));
    sharc_buf_put_str(out, text);
}

/* --- forms --------------------------------------------------------------- */

static void put_form(struct sharc_buf *out, struct sharc_span body)
{
    if (sharc_utf8_check(body) != SHARC_NPOS) {
        put_binary(out, body);
        return;
    }
    for (size_t i = 0; i < body.n; i++) {
        char c = body.p[i];
        int high = c == '%' && i + 2 < body.n ? sharc_hex_value(body.p[i + 1]) : -1;
        int low = high >= 0 ? sharc_hex_value(body.p[i + 2]) : -1;
        if (low >= 0) {
            c = (char)(high << 4 | low);
            i += 2;
        } else if (c == '+') {
            c = ' ';
        }
        sharc_buf_put_char(out, c);
    }
}

/* The bytes between two borders: header lines, an empty line, the value. */
static void put_part(struct sharc_buf *out, struct sharc_span part)
{
    size_t empty = sharc_span_search(part, SHARC_SPAN("\r\n\r\n"));
    if (empty == SHARC_NPOS) return;
    struct sharc_span heads = sharc_span_sub(part, 0, empty), line;
    while (sharc_span_next(&heads, '\n', &line)) {
        if (!sharc_span_istarts(line, SHARC_SPAN("Content-Disposition:"))) continue;
        struct sharc_span name = sharc_http_parameter(sharc_span_trim(line), "name");
        if (name.p) put_pair(out, name, sharc_span_from(part, empty + 4));
        return;
    }
}

static void put_multipart(struct sharc_buf *out, struct sharc_span boundary, struct sharc_span body)
{
    SHARC_AUTO(sharc_buf_done) struct sharc_buf border = SHARC_BUF_INIT(512);
    sharc_buf_put(&border, SHARC_SPAN("--"));
    if (boundary.n == 0 || sharc_buf_put(&border, boundary) < 0) {
        put_binary(out, body);
        return;
    }
    size_t at = sharc_span_search(body, sharc_buf_span(&border));
    while (at != SHARC_NPOS) {
        struct sharc_span rest = sharc_span_from(body, at + border.n);
        if (sharc_span_starts(rest, SHARC_SPAN("--"))) return;
        size_t end = sharc_span_search(rest, sharc_buf_span(&border));
        struct sharc_span part = sharc_span_sub(rest, 0, end);
        if (sharc_span_ends(part, SHARC_SPAN("\r\n"))) part.n -= 2;
        put_part(out, part);
        at = end == SHARC_NPOS ? end : at + border.n + end;
    }
}

/* --- JSON ---------------------------------------------------------------- */

struct flat {
    struct sharc_buf *out;
    struct sharc_intern *names; /* to number */
    uint32_t *counts;           /* by that number */
    size_t room;
};

static void put_leaf(struct flat *f, struct sharc_span name, struct sharc_span value)
{
    bool fresh;
    uint32_t id = sharc_intern_add(f->names, name, &fresh);
    SHARC_GROW(f->counts, f->room, (size_t)id + 1);
    if (fresh) f->counts[id] = 0;
    if (++f->counts[id] == 1) {
        put_pair(f->out, name, value);
        return;
    }
    SHARC_AUTO(sharc_freep) char *numbered = sharc_asprintf("%.*s.%u_", SHARC_SPAN_ARG(name), f->counts[id]);
    put_pair(f->out, sharc_span_of(numbered), value);
}

/* Depth is bounded by the reader of the tree. Stops when the query is full. */
static void flatten(struct flat *f, const struct sharc_node *n, struct sharc_span name)
{
    if (f->out->n > 3 * MOST_QUERY) return;
    struct sharc_span value = n->text;
    switch (n->kind) {
    case SHARC_MAP:
    case SHARC_LIST:
        for (const struct sharc_node *k = n->first; k; k = k->next)
            flatten(f, k, n->kind == SHARC_MAP ? k->name : name);
        return;
    case SHARC_NULL: value = SHARC_SPAN("None"); break;
    case SHARC_BOOL: value = n->v.truth ? SHARC_SPAN("True") : SHARC_SPAN("False"); break;
    case SHARC_INT:
    case SHARC_REAL:
    case SHARC_STRING: break;
    }
    if (name.n) put_leaf(f, name, value);
}

static int flatten_text(struct flat *f, struct sharc_span text)
{
    struct sharc_arena arena = SHARC_ARENA_INIT(MOST_JSON_MEMORY);
    const struct sharc_node *root;
    int r = sharc_json_read(text, &arena, &root, NULL);
    if (r == 0) flatten(f, root, SHARC_SPAN_NONE);
    sharc_arena_done(&arena);
    return r;
}

/* One document, or one per line. */
static int put_json(struct sharc_buf *out, struct sharc_span body)
{
    struct flat f = {.out = out, .names = sharc_intern_new()};
    int r = flatten_text(&f, body);
    if (r < 0 && sharc_span_find(body, '\n', 0) != SHARC_NPOS) {
        struct sharc_span rest = body, line;
        r = 0;
        while (r == 0 && sharc_span_next(&rest, '\n', &line)) r = flatten_text(&f, line);
    }
    if (r < 0) sharc_buf_clear(out);
    sharc_intern_free(f.names);
    sharc_freep(&f.counts);
    return r;
}

/* --- all ----------------------------------------------------------------- */

/* At most MOST_QUERY characters, none of them cut in two. */
static void cut(struct sharc_buf *out)
{
    size_t characters = 0, i = 0;
    for (; i < out->n; i++)
        if (((unsigned char)out->p[i] & 0xc0) != 0x80 && characters++ == MOST_QUERY) break;
    sharc_buf_truncate(out, i);
}

void sharc__cdx_post_query(struct sharc_span content_type, struct sharc_span body, struct sharc_buf *out)
{
    struct sharc_http_media media = sharc_http_media(content_type);
    sharc_buf_clear(out);
    if (sharc_span_ieq(media.type, SHARC_SPAN("application/x-www-form-urlencoded")))
        put_form(out, body);
    else if (sharc_span_istarts(media.type, SHARC_SPAN("multipart/")))
        put_multipart(out, media.boundary, body);
    else if (sharc_span_ieq(media.type, SHARC_SPAN("application/json")))
        put_json(out, body);
    else if (!sharc_span_ieq(media.type, SHARC_SPAN("text/plain")) || put_json(out, body) < 0)
        put_binary(out, body);
    if (out->n) cut(out);
}

int sharc__cdx_post_url(struct sharc_span url, struct sharc_span method, struct sharc_span query, struct sharc_buf *out)
{
    sharc_buf_put(out, url);
    sharc_buf_put_char(out, sharc_span_find(url, '?', 0) == SHARC_NPOS ? '?' : '&');
    sharc_buf_put(out, SHARC_SPAN("__wb_method="));
    sharc_buf_put(out, method);
    if (query.n) sharc_buf_put_char(out, '&');
    if (query.n) sharc_buf_put(out, query);
    return out->failed ? SHARC_ELIMIT : 0;
}

int sharc_cdx_sent_url(struct sharc_span url, struct sharc_span method, struct sharc_span content_type,
                       struct sharc_span body, struct sharc_buf *out, struct sharc_err *reterr)
{
    SHARC_AUTO(sharc_buf_done) struct sharc_buf query = SHARC_BUF_INIT(3 * body.n + 4096);
    SHARC_AUTO(sharc_buf_done) struct sharc_buf made = SHARC_BUF_INIT(SHARC_LIMIT_URL);
    sharc__cdx_post_query(content_type, body, &query);
    int r = sharc__cdx_post_url(url, method, sharc_buf_span(&query), &made);
    SHARC_FAIL_IF(r < 0, reterr, r, "what was sent makes the URL longer than %u bytes", SHARC_LIMIT_URL);
    return sharc_buf_put(out, sharc_buf_span(&made));
}

/* SPDX-License-Identifier: Apache-2.0
 *
 * Heads of HTTP messages. One pass, one memchr per line: reading an archive
 * parses a head per record, so this stands in the hot loop.
 */
#include "sharc/base_limits.h"
#include "sharc/http.h"

#include <stdlib.h>

void sharc_http_init(struct sharc_http *h)
{
    *h = (struct sharc_http){0};
}

void sharc_http_done(struct sharc_http *h)
{
    free(h->fields);
    sharc_buf_done(&h->folds_);
    sharc_buf_done(&h->types_);
    sharc_http_init(h);
}

static bool is_blank(char c)
{
    return c == ' ' || c == '\t';
}

static struct sharc_span trim_blank(struct sharc_span s)
{
    while (s.n > 0 && is_blank(s.p[0])) s.p++, s.n--;
    while (s.n > 0 && is_blank(s.p[s.n - 1])) s.n--;
    return s;
}

/* Digits at the start of *s, at most `most` of them; -1 when there are none. */
static int take_number(struct sharc_span *s, int most)
{
    int v = -1;
    for (int i = 0; i < most && s->n > 0 && sharc_is_digit(s->p[0]); i++) {
        v = (v < 0 ? 0 : v * 10) + (s->p[0] - '0');
        *s = sharc_span_from(*s, 1);
    }
    return v;
}

/* "1.1", "2", or nothing that makes sense: then 1.0 is as good as any. */
static void take_version(struct sharc_http *h, struct sharc_span *s)
{
    int major = take_number(s, 2);
    int minor = 0;
    if (major >= 0 && s->n > 0 && s->p[0] == '.') {
        *s = sharc_span_from(*s, 1);
        minor = take_number(s, 2);
    }
    h->major = major < 0 ? 1 : major;
    h->minor = minor < 0 ? 0 : minor;
}

/* What stands behind "HTTP" in place of "/1.1": a version in another dress ("1.x", "-1.0"), or the
 * status already ("HTTP 200 Document follows"). *rest is left at the status. False: it is neither. */
static bool odd_version(struct sharc_http *h, struct sharc_span *rest)
{
    struct sharc_span s = *rest;
    bool slash = s.n > 0 && s.p[0] == '/';
    while (s.n > 0 && (is_blank(s.p[0]) || strchr("/-:_", s.p[0] ? s.p[0] : 'x'))) s = sharc_span_from(s, 1);
    size_t digits = 0;
    while (digits < s.n && sharc_is_digit(s.p[digits])) digits++;
    h->major = 1;
    h->minor = 0;
    if (digits != 3) {
        if (digits == 0 && !slash) return false;
        take_version(h, &s);
        while (s.n > 0 && !is_blank(s.p[0])) s = sharc_span_from(s, 1);
        s = trim_blank(s);
        if (!slash && (s.n < 3 || !sharc_is_digit(s.p[0]))) return false; /* a sentence about HTTP */
    }
    *rest = s;
    return true;
}

static bool is_proper_version(struct sharc_span s)
{
    return s.n >= 5 && s.p[0] == '/' && sharc_is_digit(s.p[1]) &&
           (is_blank(s.p[2]) || (s.p[2] == '.' && sharc_is_digit(s.p[3]) && is_blank(s.p[4])));
}

static bool status_line(struct sharc_http *h, struct sharc_span line)
{
    struct sharc_span rest;
    while (line.n > 0 && is_blank(line.p[0])) line = sharc_span_from(line, 1);
    if (sharc_span_istarts(line, SHARC_SPAN("HTTP"))) {
        rest = sharc_span_from(line, 4);
        if (is_proper_version(rest)) {
            rest = sharc_span_from(rest, 1);
            take_version(h, &rest);
        } else if (!odd_version(h, &rest)) {
            return false;
        } else {
            h->quirks |= SHARC_HTTP_ODD_VERSION;
        }
    } else if (sharc_span_starts(line, SHARC_SPAN("ICY "))) { /* streaming radio */
        rest = sharc_span_from(line, 3);
        h->major = 1;
        h->minor = 0;
    } else {
        return false;
    }
    h->response = true;
    rest = trim_blank(rest);
    int status = take_number(&rest, 3);
    if (status < 0) {
        h->quirks |= SHARC_HTTP_NO_STATUS;
        status = 0;
    }
    h->status = status;
    h->reason = trim_blank(rest);
    if (h->reason.n == 0) h->quirks |= SHARC_HTTP_NO_REASON;
    return true;
}

static bool is_token(char c)
{
    return sharc_is_alnum(c) || (c != 0 && strchr("!#$%&'*+-.^_`|~", c) != NULL);
}

/* "GET /path" without a version, as in HTTP/0.9 and as some archiving tools write it: only methods
 * that everybody knows, and what can be a target, or every line of text would do. */
static bool bare_request_line(struct sharc_http *h, struct sharc_span method, struct sharc_span target)
{
    static const char *const methods[] = {"GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"};
    bool known = false;
    for (size_t i = 0; i < SHARC_LENGTH(methods); i++) known |= sharc_span_is(method, methods[i]);
    if (!known || sharc_span_find(target, ' ', 0) != SHARC_NPOS) return false;
    if (!sharc_span_starts(target, SHARC_SPAN("/")) && !sharc_span_istarts(target, SHARC_SPAN("http://")) &&
        !sharc_span_istarts(target, SHARC_SPAN("https://")))
        return false;
    h->method = method;
    h->target = target;
    h->major = 0;
    h->minor = 9;
    h->quirks |= SHARC_HTTP_ODD_VERSION;
    return true;
}

/* METHOD SP target SP HTTP/x.y. The target may hold spaces, as some clients send
 * them. */
static bool request_line(struct sharc_http *h, struct sharc_span line)
{
    size_t m = 0;
    while (m < line.n && m < 64 && is_token(line.p[m])) m++;
    if (m == 0 || m >= line.n || line.p[m] != ' ') return false;
    size_t end = line.n;
    while (end > m && line.p[end - 1] != ' ') end--;
    struct sharc_span method = sharc_span_sub(line, 0, m), version = sharc_span_from(line, end);
    if (end <= m + 1 || !sharc_span_istarts(version, SHARC_SPAN("HTTP/")))
        return bare_request_line(h, method, trim_blank(sharc_span_from(line, m)));
    version = sharc_span_from(version, 5);
    take_version(h, &version);
    h->method = method;
    h->target = trim_blank(sharc_span_sub(line, m, end));
    return h->target.n > 0;
}

/* A line that begins with a blank goes on with the field before it. All folds
 * of a head together are shorter than the head, so one reservation is enough
 * and the spans into folds_ stay where they are. */
static int fold(struct sharc_http *h, struct sharc_span line, size_t head_most)
{
    line = trim_blank(line);
    if (h->count == 0) {
        h->quirks |= SHARC_HTTP_NO_COLON;
        return 0;
    }
    h->quirks |= SHARC_HTTP_FOLDED;
    struct sharc_buf *b = &h->folds_;
    if (b->p == NULL || b->n == 0) {
        b->max = SHARC_LIMIT_HTTP_HEADER + SHARC_LIMIT_HTTP_FIELDS;
        int r = sharc_buf_reserve(b, head_most);
        if (r < 0) return r;
    }
    struct sharc_span *value = &h->fields[h->count - 1].value;
    bool at_end = b->n > 0 && value->p + value->n == b->p + b->n;
    if (!at_end) {
        const char *copy = b->p + b->n;
        sharc_buf_put(b, *value);
        value->p = copy;
    }
    if (value->n > 0 && line.n > 0) {
        sharc_buf_put_char(b, ' ');
        value->n++;
    }
    sharc_buf_put(b, line);
    value->n += line.n;
    return b->failed ? SHARC_ELIMIT : 0;
}

static int field_line(struct sharc_http *h, struct sharc_span line, size_t head_most)
{
    if (is_blank(line.p[0])) return fold(h, line, head_most);
    const char *colon = memchr(line.p, ':', line.n);
    struct sharc_span name = sharc_span(line.p, colon ? (size_t)(colon - line.p) : 0);
    while (name.n > 0 && is_blank(name.p[name.n - 1])) name.n--;
    if (name.n == 0) {
        h->quirks |= SHARC_HTTP_NO_COLON;
        return 0;
    }
    if (h->count >= SHARC_LIMIT_HTTP_FIELDS) return SHARC_ELIMIT;
    SHARC_GROW(h->fields, h->room_, h->count + 1);
    h->fields[h->count++] =
        (struct sharc_http_field){name, trim_blank(sharc_span(colon + 1, (size_t)(line.p + line.n - colon - 1)))};
    return 0;
}

static void start_over(struct sharc_http *h)
{
    struct sharc_http fresh = {.fields = h->fields, .room_ = h->room_, .folds_ = h->folds_, .types_ = h->types_};
    *h = fresh;
    sharc_buf_clear(&h->folds_);
    sharc_buf_clear(&h->types_);
}

/* Cut the next line off *rest, without its line end. False: it is not whole. */
static bool next_line(struct sharc_http *h, struct sharc_span *rest, bool at_end, struct sharc_span *ret)
{
    const char *nl = rest->n ? memchr(rest->p, '\n', rest->n) : NULL;
    if (!nl) {
        if (!at_end) return false;
        h->quirks |= SHARC_HTTP_NO_END;
        *ret = *rest;
        *rest = sharc_span_from(*rest, rest->n);
    } else {
        *ret = sharc_span(rest->p, (size_t)(nl - rest->p));
        *rest = sharc_span_from(*rest, ret->n + 1);
    }
    if (ret->n > 0 && ret->p[ret->n - 1] == '\r')
        ret->n--;
    else if (nl)
        h->quirks |= SHARC_HTTP_LF_ONLY;
    return true;
}

/* 0: not whole yet, unless the bytes can never become a head. */
static int64_t wait_for_more(struct sharc_span bytes, bool cut, bool maybe, struct sharc_err *reterr)
{
    if (cut) return sharc_fail(reterr, SHARC_ELIMIT, "head is larger than SHARC_LIMIT_HTTP_HEADER");
    return maybe || bytes.n < 128 || is_token(bytes.p[0])
               ? 0
               : sharc_fail(reterr, SHARC_ESYNTAX, "this is not an HTTP head");
}

static void join_types(struct sharc_http *h)
{
    struct sharc_span value;
    size_t count = 0;
    for (size_t at = 0; sharc_http_each(h, "Content-Type", &at, &value); count++)
        if (count == 0) h->content_type = value;
    if (count < 2) return;
    h->types_.max = 3 * SHARC_LIMIT_HTTP_HEADER;
    for (size_t at = 0, n = 0; sharc_http_each(h, "Content-Type", &at, &value); n++) {
        if (n > 0) sharc_buf_put_str(&h->types_, ", ");
        sharc_buf_put(&h->types_, value);
    }
    h->content_type = sharc_buf_span(&h->types_);
}

static int64_t parse(struct sharc_http *h, struct sharc_span bytes, bool at_end, bool first, struct sharc_err *reterr)
{
    start_over(h);
    struct sharc_span rest = sharc_span_sub(bytes, 0, SHARC_LIMIT_HTTP_HEADER), line;
    const bool cut = rest.n == SHARC_LIMIT_HTTP_HEADER; /* a longer head is not waited for */
    const size_t head_most = rest.n;
    for (at_end = at_end && !cut;; first = false) {
        if (!next_line(h, &rest, at_end, &line)) return wait_for_more(bytes, cut, !first, reterr);
        if (first) {
            if (!status_line(h, line) && !request_line(h, line))
                return sharc_fail(reterr, SHARC_ESYNTAX, "this is not an HTTP head");
        } else if (line.n == 0) {
            break;
        } else {
            int r = field_line(h, line, head_most);
            if (r < 0) return sharc_fail(reterr, r, "head has more than SHARC_LIMIT_HTTP_FIELDS fields");
        }
        if (rest.n == 0 && at_end) {
            h->quirks |= SHARC_HTTP_NO_END;
            break;
        }
    }
    h->head_size = (size_t)(rest.p - bytes.p);
    join_types(h);
    return (int64_t)h->head_size;
}

int64_t sharc_http_parse(struct sharc_http *h, struct sharc_span bytes, bool at_end, struct sharc_err *reterr)
{
    return parse(h, bytes, at_end, true, reterr);
}

int64_t sharc_http_parse_fields(struct sharc_http *h, struct sharc_span bytes, bool at_end, struct sharc_err *reterr)
{
    return parse(h, bytes, at_end, false, reterr);
}

bool sharc_http_each(const struct sharc_http *h, const char *name, size_t *at, struct sharc_span *ret)
{
    const struct sharc_span want = sharc_span_of(name);
    for (size_t i = *at; i < h->count; i++) {
        if (h->fields[i].name.n == want.n && sharc_span_ieq(h->fields[i].name, want)) {
            *ret = h->fields[i].value;
            *at = i + 1;
            return true;
        }
    }
    *at = h->count;
    return false;
}

struct sharc_span sharc_http_get(const struct sharc_http *h, const char *name)
{
    size_t at = 0;
    struct sharc_span value = SHARC_SPAN_NONE;
    sharc_http_each(h, name, &at, &value);
    return value;
}

int sharc_http_content_length(const struct sharc_http *h, uint64_t *ret)
{
    struct sharc_span v = sharc_http_get(h, "Content-Length");
    if (!v.p) return SHARC_ENOENT;
    return sharc_span_to_u64(v, ret) < 0 ? SHARC_ESYNTAX : 0;
}

bool sharc_http_is_chunked(const struct sharc_http *h)
{
    struct sharc_span v, last = SHARC_SPAN_NONE;
    for (size_t at = 0; sharc_http_each(h, "Transfer-Encoding", &at, &v);) last = v;
    if (last.n < 7) return false;
    return sharc_span_ieq(sharc_span_from(last, last.n - 7), SHARC_SPAN("chunked")) &&
           (last.n == 7 || !is_token(last.p[last.n - 8]));
}

/* "bytes 0-499/500": from the first byte to the last one. */
static bool is_all_of_it(struct sharc_span range)
{
    uint64_t to, total;
    range = trim_blank(range);
    if (!sharc_span_istarts(range, SHARC_SPAN("bytes"))) return false;
    range = trim_blank(sharc_span_from(range, 5));
    size_t dash = sharc_span_find(range, '-', 0), slash = sharc_span_find(range, '/', 0);
    return dash != SHARC_NPOS && slash != SHARC_NPOS && dash < slash &&
           sharc_span_is(sharc_span_sub(range, 0, dash), "0") &&
           sharc_span_to_u64(sharc_span_sub(range, dash + 1, slash), &to) == 0 &&
           sharc_span_to_u64(sharc_span_from(range, slash + 1), &total) == 0 && to < total && to + 1 == total;
}

/* RFC 9112 6.3: with two lengths nobody knows how much it is. A transfer coding overrides them. */
static bool lengths_differ(const struct sharc_http *h)
{
    struct sharc_span value, one, first = SHARC_SPAN_NONE;
    if (sharc_http_get(h, "Transfer-Encoding").p) return false;
    for (size_t at = 0; sharc_http_each(h, "Content-Length", &at, &value);) {
        while (sharc_span_next(&value, ',', &one)) {
            one = trim_blank(one);
            if (!first.p)
                first = one;
            else if (!sharc_span_eq(first, one))
                return true;
        }
    }
    return false;
}

bool sharc_http_is_part(const struct sharc_http *h)
{
    struct sharc_span range = sharc_http_get(h, "Content-Range");
    if (h->status < 200 || h->status > 299) return false;
    if (lengths_differ(h)) return true;
    return range.p ? !is_all_of_it(range) : h->status == 206;
}

/* Cut the next parameter off *rest: up to a semicolon outside quotes. */
static bool next_parameter(struct sharc_span *rest, struct sharc_span *ret)
{
    if (!rest->p || rest->n == 0) return false;
    bool quoted = false;
    size_t i = 0;
    for (; i < rest->n && (quoted || rest->p[i] != ';'); i++) {
        if (rest->p[i] == '"') quoted = !quoted;
        if (quoted && rest->p[i] == '\\' && i + 1 < rest->n) i++;
    }
    *ret = trim_blank(sharc_span_sub(*rest, 0, i));
    *rest = sharc_span_from(*rest, i + 1);
    return true;
}

static struct sharc_span unquote(struct sharc_span s)
{
    s = trim_blank(s);
    if (s.n == 0 || (s.p[0] != '"' && s.p[0] != '\'')) return s;
    char quote = s.p[0];
    s = sharc_span_from(s, 1);
    size_t end = sharc_span_find(s, quote, 0);
    return trim_blank(sharc_span_sub(s, 0, end));
}

struct sharc_span sharc_http_parameter(struct sharc_span value, const char *name)
{
    struct sharc_span part;
    next_parameter(&value, &part); /* the value itself */
    while (next_parameter(&value, &part)) {
        size_t eq = sharc_span_find(part, '=', 0);
        if (eq == SHARC_NPOS) continue;
        if (sharc_span_ieq(trim_blank(sharc_span_sub(part, 0, eq)), sharc_span_of(name)))
            return unquote(sharc_span_from(part, eq + 1));
    }
    return SHARC_SPAN_NONE;
}

bool sharc_http_value_next(struct sharc_span *rest, struct sharc_span *ret)
{
    bool quoted = false;
    size_t i = 0;
    if (!rest->p || rest->n == 0) return false;
    for (; i < rest->n && (quoted || rest->p[i] != ','); i++) {
        if (rest->p[i] == '"') quoted = !quoted;
        if (quoted && rest->p[i] == '\\' && i + 1 < rest->n) i++;
    }
    *ret = trim_blank(sharc_span_sub(*rest, 0, i));
    *rest = sharc_span_from(*rest, i < rest->n ? i + 1 : i);
    return true;
}

static bool is_token_span(struct sharc_span s)
{
    for (size_t i = 0; i < s.n; i++)
        if (!is_token(s.p[i])) return false;
    return s.n > 0;
}

struct sharc_span sharc_http_media_essence(struct sharc_span value)
{
    struct sharc_span all = trim_blank(sharc_span_sub(value, 0, sharc_span_find(value, ';', 0)));
    size_t slash = sharc_span_find(all, '/', 0);
    bool says = slash != SHARC_NPOS && is_token_span(sharc_span_sub(all, 0, slash)) &&
                is_token_span(sharc_span_from(all, slash + 1)) && !sharc_span_is(all, "*/*") &&
                !sharc_span_ieq(all, SHARC_SPAN("unknown/unknown")) &&
                !sharc_span_ieq(all, SHARC_SPAN("application/unknown"));
    return says ? all : SHARC_SPAN_NONE;
}

/* A later value of the same type without a charset has that of the one before it. */
struct sharc_http_media sharc_http_media(struct sharc_span value)
{
    struct sharc_http_media m = {SHARC_SPAN_NONE, SHARC_SPAN_NONE, SHARC_SPAN_NONE};
    struct sharc_span rest = value, one, type = SHARC_SPAN_NONE;
    while (sharc_http_value_next(&rest, &one)) {
        struct sharc_span essence = sharc_http_media_essence(one), charset = sharc_http_parameter(one, "charset");
        if (!essence.p) continue;
        if (charset.p || !sharc_span_ieq(essence, type)) m.charset = charset;
        m.boundary = sharc_http_parameter(one, "boundary");
        m.type = type = essence;
    }
    if (type.p || !value.p) return m;
    rest = value;
    if (!sharc_http_value_next(&rest, &one)) one = value;
    m.charset = sharc_http_parameter(one, "charset");
    m.boundary = sharc_http_parameter(one, "boundary");
    next_parameter(&one, &m.type);
    return m;
}

/* SPDX-License-Identifier: Apache-2.0
 *
 * URLs of style sheets. Only what CSS needs to know where a URL is: comments,
 * strings, url() and the functions image-set() and src(). Anything else is
 * passed byte by byte.
 */
#include "extract_int.h"

struct scan {
    struct sharc_span css;
    size_t at;
    sharc_extract_ref_fn *fn;
    void *arg;
};

static char peek(const struct scan *s, size_t ahead)
{
    return s->at + ahead < s->css.n ? s->css.p[s->at + ahead] : 0;
}

static void skip_comment(struct scan *s)
{
    const char *end = memmem(s->css.p + s->at + 2, s->css.n - s->at - 2, "*/", 2);
    s->at = end ? (size_t)(end - s->css.p) + 2 : s->css.n;
}

static void skip_space(struct scan *s)
{
    while (s->at < s->css.n) {
        if (sharc_is_space(s->css.p[s->at]))
            s->at++;
        else if (peek(s, 0) == '/' && peek(s, 1) == '*')
            skip_comment(s);
        else
            return;
    }
}

/* The string whose quote stands at s->at. False when a line ends before it does. */
static bool take_string(struct scan *s, struct sharc_extract_ref *ret)
{
    char quote = s->css.p[s->at++];
    *ret = (struct sharc_extract_ref){.at = s->at, .quote = quote};
    for (; s->at < s->css.n; s->at++) {
        char c = s->css.p[s->at];
        if (c == quote || c == '\n') {
            ret->n = s->at - ret->at;
            if (c == quote) s->at++;
            return c == quote;
        }
        if (c != '\\') continue;
        ret->escaped = true;
        s->at++;
    }
    s->at = s->css.n;
    ret->n = s->at - ret->at;
    return true;
}

/* From a backslash to the last byte of what it escapes: white space behind a
 * number belongs to it. */
static void pass_escape(struct scan *s)
{
    size_t digits = 0;
    while (digits < 6 && sharc_hex_value(peek(s, 1 + digits)) >= 0) digits++;
    s->at += digits ? digits + sharc_is_space(peek(s, 1 + digits)) : 1;
}

/* url(x y) is no URL: quotes, parentheses and inner white space are not allowed bare. */
static bool take_bare(struct scan *s, struct sharc_extract_ref *ret)
{
    *ret = (struct sharc_extract_ref){.at = s->at};
    for (; s->at < s->css.n; s->at++) {
        char c = s->css.p[s->at];
        if (c == ')' || sharc_is_space(c)) break;
        if (c == '"' || c == '\'' || c == '(') return false;
        if (c == '\\') {
            ret->escaped = true;
            pass_escape(s);
        }
    }
    if (s->at > s->css.n) s->at = s->css.n;
    ret->n = s->at - ret->at;
    while (s->at < s->css.n && sharc_is_space(s->css.p[s->at])) s->at++;
    return s->at >= s->css.n || s->css.p[s->at] == ')';
}

static void report(struct scan *s, struct sharc_extract_ref *ref, bool import)
{
    ref->import = import;
    if (ref->n) s->fn(s->arg, ref);
}

/* Behind "url(" or "src(". */
static void take_url(struct scan *s, bool import)
{
    struct sharc_extract_ref ref;
    while (s->at < s->css.n && sharc_is_space(s->css.p[s->at])) s->at++;
    char c = peek(s, 0);
    bool good = c == '"' || c == '\'' ? take_string(s, &ref) : take_bare(s, &ref);
    if (good) {
        report(s, &ref, import);
        return;
    }
    while (s->at < s->css.n && s->css.p[s->at] != ')') s->at += s->css.p[s->at] == '\\' ? 2 : 1;
}

static bool is_name_byte(char c)
{
    return sharc_is_alnum(c) || c == '-' || c == '_' || (c & 0x80);
}

/* The letter of a name that stands at s->at + ahead, perhaps as an escape, and how many bytes it takes. */
static char letter_at(const struct scan *s, size_t ahead, size_t *ret_n)
{
    uint32_t code = 0;
    size_t digits = 0;
    *ret_n = 1;
    if (peek(s, ahead) != '\\') return peek(s, ahead);
    for (; digits < 6 && sharc_hex_value(peek(s, ahead + 1 + digits)) >= 0; digits++)
        code = code * 16 + (uint32_t)sharc_hex_value(peek(s, ahead + 1 + digits));
    *ret_n = digits ? 1 + digits + sharc_is_space(peek(s, ahead + 1 + digits)) : 2;
    if (!digits) return peek(s, ahead + 1);
    return code < 0x80 ? (char)code : 0;
}

/* A name at s->at + ahead, any case, with or without escapes (u\72l is url): its length as written; 0: another one. */
static size_t name_at(const struct scan *s, size_t ahead, struct sharc_span name)
{
    size_t at = ahead;
    for (size_t i = 0, n; i < name.n; i++, at += n)
        if (sharc_to_lower(letter_at(s, at, &n)) != name.p[i]) return 0;
    return at - ahead;
}

/* The function of that name: its length with the bracket; 0: another one. */
static size_t function_at(const struct scan *s, struct sharc_span name)
{
    size_t n = name_at(s, 0, name);
    return n && peek(s, n) == '(' ? n + 1 : 0;
}

static void pass_name(struct scan *s)
{
    size_t n;
    while (s->at < s->css.n && (is_name_byte(s->css.p[s->at]) || s->css.p[s->at] == '\\')) {
        (void)letter_at(s, 0, &n);
        s->at += n;
    }
    if (s->at > s->css.n) s->at = s->css.n;
}

static void take_import(struct scan *s)
{
    struct sharc_extract_ref ref;
    skip_space(s);
    char c = peek(s, 0);
    if (c == '"' || c == '\'') {
        if (take_string(s, &ref)) report(s, &ref, /* import= */ true);
    } else if (function_at(s, SHARC_SPAN("url"))) {
        s->at += function_at(s, SHARC_SPAN("url"));
        take_url(s, /* import= */ true);
    }
}

/* depth: open parentheses since image-set( began; strings in it are URLs, but
 * those of type("image/png") are not. */
static void take_name(struct scan *s, unsigned *image_set)
{
    size_t n = function_at(s, SHARC_SPAN("url"));
    if (!n) n = function_at(s, SHARC_SPAN("src"));
    if (n) {
        s->at += n;
        take_url(s, /* import= */ false);
        if (peek(s, 0) == ')') s->at++;
        return;
    }
    n = function_at(s, SHARC_SPAN("image-set"));
    if (!n) n = function_at(s, SHARC_SPAN("-webkit-image-set"));
    if (n) *image_set = 1;
    s->at += n;
    if (!n) pass_name(s);
}

static void pass_string(struct scan *s, unsigned image_set)
{
    struct sharc_extract_ref ref;
    if (take_string(s, &ref) && image_set == 1) report(s, &ref, /* import= */ false);
}

/* Nothing is named without one of @import, url(, src( and image-set(, unless with escapes: most sheets inside
 * pages have none of them. */
static bool may_name(struct sharc_span css)
{
    if (sharc_span_find(css, '@', 0) != SHARC_NPOS || sharc_span_find(css, '\\', 0) != SHARC_NPOS) return true;
    for (size_t at = 0; (at = sharc_span_find(css, '(', at)) != SHARC_NPOS; at++) {
        char before = at ? sharc_to_lower(css.p[at - 1]) : 0;
        if (before == 'l' || before == 'c' || before == 't') return true;
    }
    return false;
}

/* "@import": its length; 0: another rule. */
static size_t import_at(const struct scan *s)
{
    size_t n = name_at(s, 1, SHARC_SPAN("import"));
    return n && !is_name_byte(peek(s, 1 + n)) && peek(s, 1 + n) != '\\' ? 1 + n : 0;
}

/* A byte that belongs to no name, string or comment. *image_set counts the brackets since image-set. */
static void pass_mark(struct scan *s, unsigned *image_set)
{
    char c = s->css.p[s->at];
    if (c == '(' && *image_set) ++*image_set;
    if (c == ')' && *image_set) --*image_set;
    if (c == ';' || c == '}') *image_set = 0;
    s->at++;
}

void sharc_extract_css(struct sharc_span css, sharc_extract_ref_fn *fn, void *arg)
{
    if (!may_name(css)) return;
    struct scan s = {css, 0, fn, arg};
    unsigned image_set = 0;
    while (s.at < css.n) {
        char c = css.p[s.at];
        if (c == '/' && peek(&s, 1) == '*') {
            skip_comment(&s);
        } else if (c == '"' || c == '\'') {
            pass_string(&s, image_set);
        } else if (c == '@' && import_at(&s)) {
            s.at += import_at(&s);
            take_import(&s);
        } else if (is_name_byte(c) || c == '\\') {
            take_name(&s, &image_set);
        } else {
            pass_mark(&s, &image_set);
        }
    }
}

int sharc_extract_css_decode(struct sharc_span raw, struct sharc_buf *out)
{
    for (size_t at = 0; at < raw.n;) {
        if (raw.p[at] != '\\') {
            sharc_buf_put_char(out, raw.p[at++]);
            continue;
        }
        uint32_t code = 0;
        size_t digits = 0;
        at++;
        for (; digits < 6 && at < raw.n && sharc_hex_value(raw.p[at]) >= 0; digits++)
            code = code * 16 + (uint32_t)sharc_hex_value(raw.p[at++]);
        if (digits) {
            char utf8[4];
            if (!code || code > 0x10ffff || (code >= 0xd800 && code < 0xe000)) code = 0xfffd;
            sharc_buf_put(out, sharc_span(utf8, sharc_utf8_encode(code, utf8)));
            if (at < raw.n && sharc_is_space(raw.p[at])) at++;
        } else if (at < raw.n) {
            if (raw.p[at] != '\n') sharc_buf_put_char(out, raw.p[at]); /* a line may be continued inside a string */
            at++;
        }
    }
    return out->failed ? SHARC_ELIMIT : 0;
}

struct reading {
    struct sharc__page_private *x;
    const struct sharc__extract_source *source;
    enum sharc_link_place place;
    unsigned flags;
};

static void add_link(void *arg, const struct sharc_extract_ref *ref)
{
    const struct reading *r = arg;
    struct sharc_span url = sharc_span_sub(r->source->bytes, ref->at, ref->at + ref->n);
    if (ref->escaped) {
        sharc_buf_clear(&r->x->css);
        sharc_extract_css_decode(url, &r->x->css);
        url = sharc_buf_span(&r->x->css);
    }
    sharc__extract_page_link(r->x, url, ref->import ? SHARC_FROM_CSS_IMPORT : r->place,
                             sharc__extract_source_at(r->source, ref->at), sharc__extract_source_n(r->source, ref->n),
                             r->flags);
}

void sharc__extract_read_css(struct sharc__page_private *x, const struct sharc__extract_source *css,
                             enum sharc_link_place place, unsigned flags)
{
    struct reading r = {x, css, place, flags};
    if (x->want & SHARC_WANT_LINKS) sharc_extract_css(css->bytes, add_link, &r);
}

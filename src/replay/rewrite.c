/* SPDX-License-Identifier: Apache-2.0 */
#include "rewrite_int.h"

#include "sharc/extract.h"

#include <stdio.h>

/* What is longer, as written, can be no URL: mostly data: with an image in it. */
enum { MOST_WRITTEN = 8 * SHARC_LIMIT_URL };

void sharc__replay_rewriting_init(struct rewriting *x, struct sharc_span page, const struct sharc_rewrite *how,
                                  struct sharc_buf *out)
{
    *x = (struct rewriting){.how = how, .page = page, .masked = page, .out = out};
    sharc_buf_init(&x->utf8, SIZE_MAX / 2);
    sharc_buf_init(&x->text, SIZE_MAX / 2);
    sharc_buf_init(&x->css, SIZE_MAX / 2);
    sharc_buf_init(&x->link, SIZE_MAX / 2);
    sharc_buf_init(&x->target, 256);
    sharc_url_copy(&x->base, how->url);
    if (how->charset != SHARC_CHARSET_UTF_8) {
        struct sharc_span name = sharc_span_of(sharc_charset_name(how->charset));
        if (sharc_url_charset_new(name, &x->query_charset, NULL) < 0) x->query_charset = NULL;
    }
    if (sharc__replay_rewrite_mask(how->charset, page, &x->mask)) x->masked = sharc_buf_span(&x->mask);
}

void sharc__replay_rewriting_done(struct rewriting *x)
{
    sharc_url_done(&x->base);
    sharc_url_done(&x->url);
    sharc_url_charset_free(x->query_charset);
    sharc_buf_done(&x->mask);
    sharc_buf_done(&x->utf8);
    sharc_buf_done(&x->text);
    sharc_buf_done(&x->css);
    sharc_buf_done(&x->link);
    sharc_buf_done(&x->target);
    sharc__replay_rewrite_view_done(&x->view);
}

void sharc__replay_rewrite_splice(struct rewriting *x, size_t at, size_t n, struct sharc_span text)
{
    SHARC_ASSERT(at >= x->copied && at + n <= x->page.n);
    sharc_buf_put(x->out, sharc_span_sub(x->page, x->copied, at));
    sharc_buf_put(x->out, text);
    x->copied = at + n;
}

int sharc__replay_rewrite_finish(struct rewriting *x, struct sharc_err *reterr)
{
    sharc_buf_put(x->out, sharc_span_from(x->page, x->copied));
    return sharc_buf_result(x->out, reterr);
}

/* --- text in and out --------------------------------------------------------- */

static bool is_ascii(struct sharc_span s)
{
    for (size_t i = 0; i < s.n; i++)
        if (s.p[i] & 0x80 || s.p[i] == 0x1b) return false;
    return true;
}

struct sharc_span sharc__replay_rewrite_utf8(struct rewriting *x, struct sharc_span raw)
{
    if (x->how->charset == SHARC_CHARSET_UTF_8 || is_ascii(raw)) return raw;
    sharc_buf_clear(&x->utf8);
    return sharc_charset_decode(x->how->charset, raw, &x->utf8, NULL) < 0 ? raw : sharc_buf_span(&x->utf8);
}

/* A backslash in front of what would end the URL, or stand for something else. */
static void put_css(struct sharc_span text, char quote, struct sharc_buf *out)
{
    for (size_t i = 0; i < text.n; i++) {
        char c = text.p[i];
        bool plain = quote ? c != quote && c != '\\' : !strchr("\"'()\\ \t", c);
        if ((unsigned char)c < ' ' || c == '<' || c == '>' || c == 0x7f || c == ' ') /* no "</style", no "]]>" */
            sharc_buf_printf(out, "\\%x ", (unsigned)(unsigned char)c);
        else if (plain)
            sharc_buf_put_char(out, c);
        else
            sharc_buf_printf(out, "\\%c", c);
    }
}

void sharc__replay_rewrite_escape(struct rewriting *x, struct sharc_span text, const struct rewrite_context *c,
                                  struct sharc_buf *out)
{
    bool utf8 = x->how->charset == SHARC_CHARSET_UTF_8;
    while (text.n) {
        uint32_t code = 0;
        size_t n = *text.p & 0x80 ? sharc_utf8_decode(text, &code) : 1;
        const char *reference = n == 1 ? sharc_markup_reference(*text.p) : NULL;
        if (reference)
            sharc_buf_put_str(out, reference);
        else if (n <= 1 && c->attribute && !c->quote && sharc_is_space(*text.p)) /* would end the value */
            sharc_buf_printf(out, "&#%d;", *text.p);
        else if (n > 1 && !utf8) /* any charset has the letters of a reference */
            sharc_buf_printf(out, "&#x%x;", code);
        else
            sharc_buf_put(out, sharc_span_sub(text, 0, n ? n : 1));
        text = sharc_span_from(text, n ? n : 1);
    }
}

/* --- links ------------------------------------------------------------------- */

/* What is written there, in UTF-8 and without references and escapes. */
static struct sharc_span read_link(struct rewriting *x, struct sharc_span raw, const struct rewrite_context *c)
{
    struct sharc_span text = sharc__replay_rewrite_utf8(x, raw);
    if (c->markup && sharc_span_find(text, '&', 0) != SHARC_NPOS) {
        sharc_buf_clear(&x->text);
        sharc_html_decode(text, c->attribute, &x->text);
        text = sharc_buf_span(&x->text);
    }
    if (c->css_escaped) {
        sharc_buf_clear(&x->css);
        sharc_extract_css_decode(text, &x->css);
        text = sharc_buf_span(&x->css);
    }
    return sharc_span_trim(text);
}

static void put_json(struct sharc_span text, struct sharc_buf *out)
{
    for (size_t i = 0; i < text.n; i++) {
        char c = text.p[i];
        if ((unsigned char)c < ' ' || c == '"' || c == '\\' || c == '<' || c == '>') /* no "</script", no "-->" */
            sharc_buf_printf(out, "\\u%04x", (unsigned)(unsigned char)c);
        else
            sharc_buf_put_char(out, c);
    }
}

static void write_link(struct rewriting *x, size_t at, size_t n, const struct rewrite_context *c)
{
    struct sharc_span text = sharc_buf_span(&x->link);
    if (c->before.n) sharc__replay_rewrite_splice(x, c->name_at, 0, c->before);
    if (c->css) {
        sharc_buf_clear(&x->css);
        put_css(text, c->css_quote, &x->css);
        text = sharc_buf_span(&x->css);
    }
    if (c->markup) {
        sharc_buf_clear(&x->text);
        sharc__replay_rewrite_escape(x, text, c, &x->text);
        text = sharc_buf_span(&x->text);
    }
    if (c->json) {
        sharc_buf_clear(&x->text);
        put_json(text, &x->text);
        text = sharc_buf_span(&x->text);
    }
    /* A value that is nothing needs quotes, or the next attribute would be the
     * value. url() may be empty; a candidate of a srcset may not. */
    if (!text.n && c->attribute && !c->quote && !c->css) {
        if (!c->whole) return;
        text = SHARC_SPAN("\"\"");
    }
    sharc__replay_rewrite_splice(x, at, n, text);
}

void sharc__replay_rewrite_link(struct rewriting *x, size_t at, size_t n, const struct rewrite_context *c)
{
    if (!n || n > MOST_WRITTEN) return;
    struct sharc_span text = read_link(x, sharc_span_sub(x->page, at, at + n), c);
    bool same_page = text.n && *text.p == '#' && !x->has_base;
    if (!text.n || same_page) return;
    const struct sharc_url *base = c->kind == SHARC_REWRITE_BASE ? x->how->url : &x->base;
    if (sharc_url_parse_charset(&x->url, text, base, x->query_charset, NULL) < 0 || !sharc_url_is_http(&x->url)) return;
    sharc_buf_clear(&x->link);
    if (x->how->fn(x->how->arg, &(struct sharc_rewrite_ref){c->kind, c->use, c->in_frame, &x->url, text}, &x->link) > 0)
        write_link(x, at, n, c);
}

struct style {
    struct rewriting *x;
    struct rewrite_context context;
    size_t at;
};

static void style_link(void *arg, const struct sharc_extract_ref *ref)
{
    const struct style *s = arg;
    size_t from = sharc__replay_rewrite_view_start(&s->x->view, ref->at);
    size_t to = sharc__replay_rewrite_view_end(&s->x->view, ref->at + ref->n);
    struct rewrite_context c = s->context;
    c.css_quote = ref->quote;
    c.css_escaped = ref->escaped;
    c.use = ref->import ? SHARC_USE_STYLE : SHARC_USE_IMAGE;
    /* A reference may have put a part of the markup there (url(a&#41;…): then two
     * links can claim the same bytes. */
    if (s->at + from >= s->x->copied) sharc__replay_rewrite_link(s->x, s->at + from, to - from, &c);
}

void sharc__replay_rewrite_style(struct rewriting *x, size_t at, size_t n, const struct rewrite_context *c)
{
    struct style s = {x, *c, at};
    s.context.css = true;
    s.context.kind = SHARC_REWRITE_EMBED;
    sharc__replay_rewrite_view_read(&x->view, sharc_span_sub(x->masked, at, at + n), c->markup, c->attribute);
    sharc_extract_css(x->view.bytes, style_link, &s);
}

/* --- the two ----------------------------------------------------------------- */

typedef void work_fn(struct rewriting *x);

static void work_css(struct rewriting *x)
{
    sharc__replay_rewrite_style(x, 0, x->page.n, &(struct rewrite_context){.css = true});
}

static int rewrite(struct sharc_span page, const struct sharc_rewrite *how, work_fn *work, struct sharc_buf *out,
                   struct sharc_err *reterr)
{
    struct rewriting x;
    sharc__replay_rewriting_init(&x, page, how, out);
    work(&x);
    int r = sharc__replay_rewrite_finish(&x, reterr);
    sharc__replay_rewriting_done(&x);
    return r;
}

static void put_unit(struct sharc_buf *out, uint32_t unit, bool big)
{
    char high = (char)(unit >> 8), low = (char)unit;
    sharc_buf_put(out, sharc_span((char[]){big ? high : low, big ? low : high}, 2));
}

static void put_utf16(struct sharc_span text, bool big, struct sharc_buf *out)
{
    put_unit(out, 0xfeff, big);
    while (text.n) {
        uint32_t code = 0xfffd;
        size_t n = sharc_utf8_decode(text, &code);
        if (code > 0xffff) {
            put_unit(out, 0xd800 + ((code - 0x10000) >> 10), big);
            code = 0xdc00 + ((code - 0x10000) & 0x3ff);
        }
        put_unit(out, code, big);
        text = sharc_span_from(text, n ? n : 1);
    }
}

/* Its markup is no ASCII: through UTF-8 and back, with a byte order mark. */
static int rewrite_utf16(struct sharc_span page, const struct sharc_rewrite *how, work_fn *work, struct sharc_buf *out,
                         struct sharc_err *reterr)
{
    SHARC_AUTO(sharc_buf_done) struct sharc_buf in = SHARC_BUF_INIT(2 * page.n + 16), made = SHARC_BUF_INIT(out->max);
    struct sharc_rewrite utf8 = *how;
    utf8.charset = SHARC_CHARSET_UTF_8;
    int r = sharc_charset_decode(how->charset, page, &in, reterr);
    if (r == 0) r = rewrite(sharc_buf_span(&in), &utf8, work, &made, reterr);
    if (r < 0) return r;
    put_utf16(sharc_buf_span(&made), how->charset == SHARC_CHARSET_UTF_16BE, out);
    return sharc_buf_result(out, reterr);
}

static int rewrite_any(struct sharc_span page, const struct sharc_rewrite *how, work_fn *work, struct sharc_buf *out,
                       struct sharc_err *reterr)
{
    bool utf16 = how->charset == SHARC_CHARSET_UTF_16BE || how->charset == SHARC_CHARSET_UTF_16LE;
    return utf16 ? rewrite_utf16(page, how, work, out, reterr) : rewrite(page, how, work, out, reterr);
}

int sharc_rewrite_html(struct sharc_span page, const struct sharc_rewrite *how, struct sharc_buf *out,
                       struct sharc_err *reterr)
{
    return rewrite_any(page, how, sharc__replay_rewrite_markup, out, reterr);
}

int sharc_rewrite_css(struct sharc_span css, const struct sharc_rewrite *how, struct sharc_buf *out,
                      struct sharc_err *reterr)
{
    return rewrite_any(css, how, work_css, out, reterr);
}

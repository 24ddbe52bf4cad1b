/* SPDX-License-Identifier: Apache-2.0
 *
 * The tokenizer's states. The standard's eighty states fold into few functions,
 * because most differ only in which error they report:
 *
 *   DATA --'<' letter or '</' letter--> a tag (html_scan.c)
 *    |  \--'<!--'--> comment   '<!doctype'   '<![CDATA[' (foreign)   '<!' '<?' '</' --> bogus comment
 *    |
 *    +--<title>, <style>, <script>, …--> raw text --its own end tag--> DATA
 *    +--<plaintext>--> the rest of the page
 */
#include "html_int.h"

void sharc_html_init(struct sharc_html *h, struct sharc_span page, enum sharc_html_dialect dialect)
{
    h->page = page;
    h->at = 0;
    h->dialect = dialect;
    h->mode = SHARC_HTML_DATA;
    h->raw_tag = SHARC_TAG_OTHER;
    h->foreign_depth = 0;
    h->subset_seen = false;
    h->seen_round = 0;
    memset(h->seen, 0, sizeof h->seen);
}

static struct sharc_span rest(const struct sharc_html *h, size_t at)
{
    return sharc_span_from(h->page, at);
}

/* Offset of needle at or after `at`, or the end of the page. */
static size_t find(const struct sharc_html *h, struct sharc_span needle, size_t at)
{
    if (at >= h->page.n) return h->page.n;
    const char *hit = memmem(h->page.p + at, h->page.n - at, needle.p, needle.n);
    return hit ? (size_t)(hit - h->page.p) : h->page.n;
}

static size_t find_opener(const struct sharc_html *h, size_t at)
{
    at = html_find(h->page, '<', at);
    return at == SHARC_NPOS ? h->page.n : at;
}

static size_t min_size(size_t a, size_t b)
{
    return a < b ? a : b;
}

/* Emit [at, end) as a token of that type whose body is [body, body_end). */
static bool emit(struct sharc_html *h, struct sharc_html_token *ret, enum sharc_html_type type, size_t end, size_t body,
                 size_t body_end)
{
    ret->type = type;
    ret->raw = sharc_span(h->page.p + h->at, end - h->at);
    ret->body = sharc_span(h->page.p + body, body_end - body);
    h->at = end;
    return true;
}

static bool emit_text(struct sharc_html *h, struct sharc_html_token *ret, size_t end)
{
    ret->mode = h->mode;
    return emit(h, ret, SHARC_HTML_TEXT, end, h->at, end);
}

/* --- comments and declarations ------------------------------------------- */

/* The page ended inside a comment: dashes that had begun its end are not of it. */
static size_t without_begun_end(struct sharc_span page, size_t body)
{
    size_t end = page.n;
    if (sharc_span_ends(sharc_span_from(page, body), SHARC_SPAN("--!"))) return end - 3;
    if (sharc_span_ends(sharc_span_from(page, body), SHARC_SPAN("--"))) return end - 2;
    if (sharc_span_ends(sharc_span_from(page, body), SHARC_SPAN("-"))) return end - 1;
    return end;
}

static bool emit_comment(struct sharc_html *h, struct sharc_html_token *ret)
{
    struct sharc_span page = h->page;
    size_t body = h->at + 4;
    if (sharc_span_starts(rest(h, body), SHARC_SPAN(">")))
        return emit(h, ret, SHARC_HTML_COMMENT, body + 1, body, body);
    if (sharc_span_starts(rest(h, body), SHARC_SPAN("->")))
        return emit(h, ret, SHARC_HTML_COMMENT, body + 2, body, body);
    for (size_t at = body; (at = find(h, SHARC_SPAN("--"), at)) < page.n; at++) {
        if (sharc_span_starts(rest(h, at + 2), SHARC_SPAN(">")))
            return emit(h, ret, SHARC_HTML_COMMENT, at + 3, body, at);
        if (sharc_span_starts(rest(h, at + 2), SHARC_SPAN("!>")))
            return emit(h, ret, SHARC_HTML_COMMENT, at + 4, body, at);
    }
    return emit(h, ret, SHARC_HTML_COMMENT, page.n, body, without_begun_end(page, body));
}

/* From `body` to `close`, or to the end of the page. */
static bool emit_bogus(struct sharc_html *h, struct sharc_html_token *ret, size_t body, struct sharc_span close)
{
    size_t end = find(h, close, body);
    return emit(h, ret, SHARC_HTML_COMMENT, min_size(end + close.n, h->page.n), body, end);
}

static bool emit_doctype(struct sharc_html *h, struct sharc_html_token *ret)
{
    struct sharc_span page = h->page;
    size_t body = h->at + 9, end = find(h, SHARC_SPAN(">"), body);
    if (h->dialect == SHARC_XML && !h->subset_seen && sharc_span_find(sharc_span_sub(page, 0, end), '[', body) < end) {
        size_t close = find(h, SHARC_SPAN("]>"), body); /* declarations inside; looked for once, to stay linear */
        h->subset_seen = true;
        if (close < page.n) end = close + 1;
    }
    size_t name = html_skip_space(page, body), name_end = name;
    while (name_end < end && !html_is(page.p[name_end], HTML_SPACE)) name_end++;
    if (name < end) ret->name = sharc_span_sub(page, name, name_end);
    return emit(h, ret, SHARC_HTML_DOCTYPE, min_size(end + 1, page.n), body, end);
}

static bool emit_cdata(struct sharc_html *h, struct sharc_html_token *ret)
{
    size_t body = h->at + 9, end = find(h, SHARC_SPAN("]]>"), body);
    ret->mode = SHARC_HTML_CDATA;
    return emit(h, ret, SHARC_HTML_TEXT, min_size(end + 3, h->page.n), body, end);
}

static bool emit_declaration(struct sharc_html *h, struct sharc_html_token *ret)
{
    struct sharc_span s = rest(h, h->at + 2);
    if (sharc_span_starts(s, SHARC_SPAN("--"))) return emit_comment(h, ret);
    if (sharc_span_istarts(s, SHARC_SPAN("doctype"))) return emit_doctype(h, ret);
    if (sharc_span_starts(s, SHARC_SPAN("[CDATA[")) && sharc__extract_html_in_foreign(h)) return emit_cdata(h, ret);
    return emit_bogus(h, ret, h->at + 2, SHARC_SPAN(">"));
}

/* --- raw text ------------------------------------------------------------- */

/* Does "<name" or "</name" stand at `at`, with an end of name behind it? */
static bool tag_stands_at(const struct sharc_html *h, size_t at, struct sharc_span opener, struct sharc_span name)
{
    struct sharc_span s = rest(h, at);
    size_t n = opener.n + name.n;
    return s.n > n && sharc_span_starts(s, opener) && html_is(s.p[n], HTML_NAME_END) &&
           sharc_span_ieq(sharc_span_sub(s, opener.n, n), name);
}

/* Where the text ends: at its own end tag, or with the page. */
static size_t raw_text_end(const struct sharc_html *h)
{
    struct sharc_span name = sharc_span_of(sharc_html_tag_text((enum sharc_html_tag)h->raw_tag));
    size_t at = h->at;
    while ((at = find(h, SHARC_SPAN("</"), at)) < h->page.n && !tag_stands_at(h, at, SHARC_SPAN("</"), name)) at += 2;
    return at;
}

/* Inside "<!--" of a script a "<script" hides the next "</script>". Start right
 * behind "<!"; returns the offset where plain script goes on, sets *ret_ended
 * when the script's end tag stands there. */
static size_t pass_escaped_script(const struct sharc_html *h, size_t at, bool *ret_ended)
{
    bool hidden = false;
    for (; at < h->page.n; at++) {
        char c = h->page.p[at];
        if (c == '-' && sharc_span_starts(rest(h, at), SHARC_SPAN("-->"))) return at + 3;
        if (c != '<') continue;
        bool end = tag_stands_at(h, at, SHARC_SPAN("</"), SHARC_SPAN("script"));
        if (end && !hidden) {
            *ret_ended = true;
            return at;
        }
        if (end)
            hidden = false;
        else if (tag_stands_at(h, at, SHARC_SPAN("<"), SHARC_SPAN("script")))
            hidden = true;
    }
    return at;
}

static size_t script_end(const struct sharc_html *h)
{
    size_t at = h->at;
    while ((at = find_opener(h, at)) < h->page.n) {
        bool ended = false;
        if (tag_stands_at(h, at, SHARC_SPAN("</"), SHARC_SPAN("script"))) return at;
        if (sharc_span_starts(rest(h, at), SHARC_SPAN("<!--")))
            at = pass_escaped_script(h, at + 2, &ended);
        else
            at++;
        if (ended) return at;
    }
    return at;
}

/* --- data ------------------------------------------------------------------ */

static bool begins_markup(struct sharc_span page, size_t at)
{
    if (at + 1 >= page.n) return false;
    char next = page.p[at + 1];
    return html_is(next, HTML_LETTER) || next == '!' || next == '?' || (next == '/' && at + 2 < page.n);
}

static size_t data_end(const struct sharc_html *h)
{
    size_t at = h->at;
    while ((at = find_opener(h, at)) < h->page.n && !begins_markup(h->page, at)) at++;
    return at;
}

/* What a start tag makes of the text behind it. */
static const uint8_t mode_behind[SHARC_TAG_COUNT] = {
    [SHARC_TAG_TITLE] = SHARC_HTML_RCDATA,        [SHARC_TAG_TEXTAREA] = SHARC_HTML_RCDATA,
    [SHARC_TAG_STYLE] = SHARC_HTML_RAWTEXT,       [SHARC_TAG_XMP] = SHARC_HTML_RAWTEXT,
    [SHARC_TAG_IFRAME] = SHARC_HTML_RAWTEXT,      [SHARC_TAG_NOEMBED] = SHARC_HTML_RAWTEXT,
    [SHARC_TAG_NOFRAMES] = SHARC_HTML_RAWTEXT,    [SHARC_TAG_SCRIPT] = SHARC_HTML_SCRIPT,
    [SHARC_TAG_PLAINTEXT] = SHARC_HTML_PLAINTEXT,
};

static void after_start(struct sharc_html *h, struct sharc_html_token *t)
{
    if (h->dialect == SHARC_XML) {
        t->foreign = true;
        return;
    }
    if (h->foreign_depth || t->tag == SHARC_TAG_SVG || t->tag == SHARC_TAG_MATH)
        sharc__extract_html_foreign_start(h, t);
    if (t->foreign) return;
    h->mode = (enum sharc_html_mode)mode_behind[t->tag];
    h->raw_tag = t->tag;
}

/* A tag that the page cuts off is dropped, as the standard says. */
static bool emit_tag(struct sharc_html *h, struct sharc_html_token *ret, bool end_tag, bool of_raw_text)
{
    size_t end = sharc__extract_html_scan_tag(h, h->at + (end_tag ? 2 : 1), ret);
    if (end == SHARC_NPOS) {
        h->at = h->page.n;
        return false;
    }
    emit(h, ret, end_tag ? SHARC_HTML_END : SHARC_HTML_START, end, end, end);
    if (!end_tag)
        after_start(h, ret);
    else if (!of_raw_text && h->foreign_depth && h->dialect == SHARC_HTML)
        sharc__extract_html_foreign_end(h, ret);
    return true;
}

static bool emit_markup(struct sharc_html *h, struct sharc_html_token *ret)
{
    char next = h->page.p[h->at + 1];
    if (next == '!') return emit_declaration(h, ret);
    if (next == '?')
        return emit_bogus(h, ret, h->at + (h->dialect == SHARC_XML ? 2 : 1),
                          h->dialect == SHARC_XML ? SHARC_SPAN("?>") : SHARC_SPAN(">"));
    if (next != '/') return emit_tag(h, ret, /* end_tag= */ false, /* of_raw_text= */ false);
    if (html_is(h->page.p[h->at + 2], HTML_LETTER))
        return emit_tag(h, ret, /* end_tag= */ true, /* of_raw_text= */ false);
    return emit_bogus(h, ret, h->at + 2, SHARC_SPAN(">"));
}

static bool next_raw(struct sharc_html *h, struct sharc_html_token *ret)
{
    size_t end = h->page.n;
    if (h->mode == SHARC_HTML_SCRIPT)
        end = script_end(h);
    else if (h->mode != SHARC_HTML_PLAINTEXT)
        end = raw_text_end(h);
    if (end > h->at) return emit_text(h, ret, end);
    h->mode = SHARC_HTML_DATA;
    return emit_tag(h, ret, /* end_tag= */ true, /* of_raw_text= */ true);
}

/* An empty token but for raw and body, which each kind sets. Field by field: there are
 * millions of them, and clearing the whole at once costs more than all the rest. */
static void clear(struct sharc_html_token *t)
{
    t->mode = SHARC_HTML_DATA;
    t->tag = SHARC_TAG_OTHER;
    t->self_closing = t->foreign = t->attrs_cut = false;
    t->name = SHARC_SPAN_NONE;
    t->attrs = NULL;
    t->attr_count = 0;
    t->known = 0;
}

bool sharc_html_next(struct sharc_html *h, struct sharc_html_token *ret)
{
    if (h->at >= h->page.n) return false;
    clear(ret);
    if (h->mode != SHARC_HTML_DATA) return next_raw(h, ret);
    if (h->page.p[h->at] == '<' && begins_markup(h->page, h->at)) return emit_markup(h, ret);
    return emit_text(h, ret, data_end(h));
}

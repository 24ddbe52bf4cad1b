/* SPDX-License-Identifier: Apache-2.0
 *
 * Which charset is it? The standard's "prescan" of the first 1024 bytes, which
 * is not the tokenizer: it knows no raw text, because it runs before anybody
 * knows what the bytes mean.
 *
 * A declaration further down counts in browsers too: their parsers meet it and
 * begin anew. So the scan goes on if need be, up to LATE bytes, and there it
 * passes over scripts, styles and the like, as a parser would.
 */
#include "extract_int.h"
#include "sharc/http.h"

#define PRESCAN 1024u
#define LATE (256u << 10)

struct scan {
    struct sharc_span s;
    size_t at;
    bool late; /* behind what the standard scans */
};

struct attr {
    struct sharc_span name, value;
};

static bool is_end(char c)
{
    return sharc_is_space(c) || c == '>' || c == '/';
}

/* The standard's "get an attribute". False at the end of the tag. */
static bool next_attr(struct scan *p, struct attr *ret)
{
    struct sharc_span s = p->s;
    while (p->at < s.n && (sharc_is_space(s.p[p->at]) || s.p[p->at] == '/')) p->at++;
    if (p->at >= s.n || s.p[p->at] == '>') return false;
    size_t start = p->at++;
    while (p->at < s.n && s.p[p->at] != '=' && !is_end(s.p[p->at])) p->at++;
    *ret = (struct attr){.name = sharc_span_sub(s, start, p->at)};
    size_t equals = p->at;
    while (equals < s.n && sharc_is_space(s.p[equals])) equals++;
    if (equals >= s.n || s.p[equals] != '=') return true;
    p->at = equals + 1;
    while (p->at < s.n && sharc_is_space(s.p[p->at])) p->at++;
    if (p->at >= s.n) return false;
    char quote = s.p[p->at];
    if (quote == '"' || quote == '\'') {
        size_t end = sharc_span_find(s, quote, p->at + 1);
        if (end == SHARC_NPOS) return false;
        ret->value = sharc_span_sub(s, p->at + 1, end);
        p->at = end + 1;
        return true;
    }
    start = p->at;
    while (p->at < s.n && !sharc_is_space(s.p[p->at]) && s.p[p->at] != '>') p->at++;
    ret->value = sharc_span_sub(s, start, p->at);
    return true;
}

/* The charset in "text/html; charset=x", wherever the word stands. */
static struct sharc_span charset_in_content(struct sharc_span content)
{
    for (size_t at = 0; at < content.n;) {
        if (!sharc_span_istarts(sharc_span_from(content, at), SHARC_SPAN("charset"))) {
            at++;
            continue;
        }
        at += 7;
        while (at < content.n && sharc_is_space(content.p[at])) at++;
        if (at >= content.n || content.p[at] != '=') continue;
        at++;
        while (at < content.n && sharc_is_space(content.p[at])) at++;
        if (at >= content.n) break;
        if (content.p[at] == '"' || content.p[at] == '\'') {
            size_t end = sharc_span_find(content, content.p[at], at + 1);
            return end == SHARC_NPOS ? SHARC_SPAN_NONE : sharc_span_sub(content, at + 1, end);
        }
        size_t end = at;
        while (end < content.n && !sharc_is_space(content.p[end]) && content.p[end] != ';') end++;
        return sharc_span_sub(content, at, end);
    }
    return SHARC_SPAN_NONE;
}

/* Behind "<meta": the label it declares, or none. */
static struct sharc_span label_of_meta(struct scan *p)
{
    bool pragma = false, seen_content = false, seen_charset = false;
    struct sharc_span content = SHARC_SPAN_NONE, charset = SHARC_SPAN_NONE;
    struct attr a;
    while (next_attr(p, &a)) {
        if (sharc_span_ieq(a.name, SHARC_SPAN("http-equiv"))) {
            pragma = pragma || sharc_span_ieq(a.value, SHARC_SPAN("content-type"));
        } else if (sharc_span_ieq(a.name, SHARC_SPAN("content")) && !seen_content) {
            seen_content = true;
            content = charset_in_content(a.value);
        } else if (sharc_span_ieq(a.name, SHARC_SPAN("charset")) && !seen_charset) {
            seen_charset = true;
            charset = a.value;
        }
    }
    return seen_charset ? charset : pragma ? content : SHARC_SPAN_NONE;
}

/* A charset that a page cannot have been read in, if it could name it. */
static enum sharc_charset believable(enum sharc_charset c)
{
    if (c == SHARC_CHARSET_UTF_16BE || c == SHARC_CHARSET_UTF_16LE) return SHARC_CHARSET_UTF_8;
    return c == SHARC_CHARSET_X_USER_DEFINED ? SHARC_CHARSET_WINDOWS_1252 : c;
}

static bool known(struct sharc_span label, enum sharc_charset *ret)
{
    if (!label.n || sharc_charset_of(label, ret) < 0) return false;
    *ret = believable(*ret);
    return true;
}

/* Behind a start tag whose content is text and no markup: to its end tag. */
static void pass_raw_text(struct scan *p, struct sharc_span name)
{
    static const char *const raw[] = {"script", "style", "title", "textarea", "xmp", "iframe", "noframes", "noembed"};
    bool found = false;
    for (size_t i = 0; i < SHARC_LENGTH(raw); i++) found |= sharc_span_ieq(name, sharc_span_of(raw[i]));
    if (!found) return;
    while ((p->at = sharc_span_find(p->s, '<', p->at)) != SHARC_NPOS) {
        struct sharc_span s = sharc_span_from(p->s, p->at + 1);
        if (s.n > name.n && s.p[0] == '/' && sharc_span_ieq(sharc_span_sub(s, 1, name.n + 1), name)) return;
        p->at++;
    }
    p->at = p->s.n;
}

/* One piece of markup at '<'. True when it named the charset. */
static bool pass_markup(struct scan *p, enum sharc_charset *ret)
{
    struct sharc_span s = sharc_span_from(p->s, p->at);
    if (sharc_span_starts(s, SHARC_SPAN("<!--"))) {
        size_t end = sharc_span_search(sharc_span_from(s, 2), SHARC_SPAN("-->"));
        p->at = end == SHARC_NPOS ? p->s.n : p->at + 2 + end + 3;
        return false;
    }
    if (sharc_span_istarts(s, SHARC_SPAN("<meta")) && s.n > 5 && (sharc_is_space(s.p[5]) || s.p[5] == '/')) {
        p->at += 6;
        return known(label_of_meta(p), ret);
    }
    size_t letter = s.n > 1 && s.p[1] == '/' ? 2 : 1;
    if (letter < s.n && sharc_is_alpha(s.p[letter])) {
        struct attr unused;
        size_t start = p->at + 1;
        while (p->at < p->s.n && !sharc_is_space(p->s.p[p->at]) && p->s.p[p->at] != '>') p->at++;
        struct sharc_span name = sharc_span_sub(p->s, start, p->at);
        while (next_attr(p, &unused)) {
        }
        if (p->late) pass_raw_text(p, name);
        return false;
    }
    if (s.n > 1 && (s.p[1] == '!' || s.p[1] == '/' || s.p[1] == '?')) {
        size_t end = sharc_span_find(p->s, '>', p->at);
        p->at = end == SHARC_NPOS ? p->s.n : end;
        return false;
    }
    p->at++;
    return false;
}

/* <?xml version="1.0" encoding="x"?>, and @charset "x"; of style sheets. */
static bool declared(struct sharc_span s, enum sharc_charset *ret)
{
    if (sharc_span_starts(s, SHARC_SPAN("@charset \""))) {
        size_t end = sharc_span_find(s, '"', 10);
        return end != SHARC_NPOS && known(sharc_span_sub(s, 10, end), ret);
    }
    if (!sharc_span_starts(s, SHARC_SPAN("<?xml"))) return false;
    struct scan p = {.s = sharc_span_sub(s, 0, sharc_span_find(s, '>', 0)), .at = 5};
    struct attr a;
    while (next_attr(&p, &a))
        if (sharc_span_is(a.name, "encoding")) return known(a.value, ret);
    return false;
}

static bool scan_markup(struct scan *p, enum sharc_charset *ret)
{
    while (p->at < p->s.n && (p->at = sharc_span_find(p->s, '<', p->at)) != SHARC_NPOS)
        if (pass_markup(p, ret)) return true;
    return false;
}

static bool prescan(struct sharc_span body, enum sharc_charset *ret)
{
    struct scan p = {.s = sharc_span_sub(body, 0, PRESCAN)};
    return declared(p.s, ret) || scan_markup(&p, ret);
}

/* From the start, since the first bytes may end inside a script; what is found there was not found
 * before, or it would have counted. */
static bool late_scan(struct sharc_span body, struct sharc_span content_type, enum sharc_charset *ret)
{
    struct scan p = {.s = sharc_span_sub(body, 0, LATE), .late = true};
    struct sharc_span type = sharc_http_media(content_type).type;
    bool html = type.n == 0 || sharc_span_ieq(type, SHARC_SPAN("text/html")) ||
                sharc_span_ieq(type, SHARC_SPAN("application/xhtml+xml"));
    return html && body.n > PRESCAN && scan_markup(&p, ret);
}

enum sharc_charset sharc_extract_charset(struct sharc_span body, struct sharc_span content_type,
                                         enum sharc_charset_from *ret_from)
{
    enum sharc_charset c;
    enum sharc_charset_from from = SHARC_CHARSET_FROM_META;
    struct sharc_span http = sharc_http_media(content_type).charset;
    if (sharc_charset_of_bom(body, &c)) {
        from = SHARC_CHARSET_FROM_BOM;
    } else if (http.n && sharc_charset_of(http, &c) == 0) {
        from = SHARC_CHARSET_FROM_HTTP;
    } else if (!prescan(body, &c) && !late_scan(body, content_type, &c)) {
        from = SHARC_CHARSET_FROM_BYTES;
        c = sharc_charset_guess(body, NULL);
    }
    if (ret_from) *ret_from = from;
    return c;
}

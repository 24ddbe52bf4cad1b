/* SPDX-License-Identifier: Apache-2.0
 *
 * URLs in scripts and JSON, guessed. Only string literals that are a URL as a
 * whole are taken; a piece that is glued to others with '+' is not. Scripts are
 * not parsed: every quote may open a string, and if what follows up to the same
 * quote does not look like a URL, the closing quote is tried as an opening one.
 * So an apostrophe in a comment spoils nothing. Every byte is looked at twice at
 * most.
 */
#include "extract_int.h"

#define LONGEST_GUESS 2048u

/* --- does it look like one? ------------------------------------------------------- */

static bool is_url_byte(char c)
{
    return sharc_is_alnum(c) || (c && strchr("-._~:/?#@!&,;=%+", c)) || (c & 0x80);
}

static bool is_one_of(struct sharc_span s, const char *const *list)
{
    for (; *list; list++)
        if (sharc_span_ieq(s, sharc_span_of(*list))) return true;
    return false;
}

/* Names of things, not of places. */
static bool is_namespace(struct sharc_span url)
{
    static const char *const prefixes[] = {"http://www.w3.org/",
                                           "https://www.w3.org/",
                                           "http://schema.org",
                                           "https://schema.org",
                                           "http://ns.adobe.com/",
                                           "http://purl.org/",
                                           "http://ogp.me/ns",
                                           "http://xmlns.com/",
                                           "http://xml.org/",
                                           "http://json-schema.org/",
                                           "http://www.example",
                                           "https://www.example",
                                           "https://reactjs.org/docs/error-decoder"};
    for (size_t i = 0; i < SHARC_LENGTH(prefixes); i++)
        if (sharc_span_istarts(url, sharc_span_of(prefixes[i]))) return true;
    return false;
}

/* "example.org" or "example.org:80" in front of a path. */
static bool begins_with_host(struct sharc_span s)
{
    size_t n = 0, dot = SHARC_NPOS, letters = 0;
    for (; n < s.n && s.p[n] != '/' && s.p[n] != '?' && s.p[n] != '#' && s.p[n] != ':'; n++) {
        if (!sharc_is_alnum(s.p[n]) && s.p[n] != '-' && s.p[n] != '.') return false;
        if (s.p[n] == '.') dot = n;
        letters += sharc_is_alnum(s.p[n]);
    }
    return letters >= 3 && dot != SHARC_NPOS && dot > 0 && dot + 2 < n && sharc_is_alnum(s.p[0]);
}

/* The extension of the last segment of the path. */
static struct sharc_span extension_of(struct sharc_span url)
{
    size_t end = 0, dot = SHARC_NPOS;
    for (; end < url.n && url.p[end] != '?' && url.p[end] != '#'; end++) {
        if (url.p[end] == '.') dot = end;
        if (url.p[end] == '/') dot = SHARC_NPOS;
    }
    return dot == SHARC_NPOS || dot == 0 ? SHARC_SPAN_NONE : sharc_span_sub(url, dot + 1, end);
}

static const char *const page_extensions[] = {"html", "htm", "xhtml", "shtml", "php",  "asp",   "aspx", "jsp",  "cgi",
                                              "pdf",  "jpg", "jpeg",  "png",   "gif",  "webp",  "svg",  "avif", "ico",
                                              "mp3",  "mp4", "webm",  "ogg",   "woff", "woff2", "ttf",  "swf",  NULL};
static const char *const code_extensions[] = {"css", "js", "mjs", "json", "xml", "txt",
                                              "zip", "gz", "rss", "atom", NULL};

/* "/two/parts", "/dir/", "/x.html", "/find?q=": not "/i", "//", "/+/". */
static bool looks_like_path(struct sharc_span s)
{
    size_t slashes = 0, letters = 0, part = 0;
    for (size_t i = 0; i < s.n && s.p[i] != '?' && s.p[i] != '#'; i++) {
        letters += sharc_is_alpha(s.p[i]);
        if (s.p[i] != '/') {
            part++;
            continue;
        }
        if (i && !part) return false; /* "//" */
        slashes++;
        part = 0;
    }
    struct sharc_span extension = extension_of(s);
    if (letters < 2) return false;
    return slashes > 1 || sharc_span_find(s, '?', 1) != SHARC_NPOS || is_one_of(extension, page_extensions) ||
           is_one_of(extension, code_extensions);
}

static bool looks_like_url(struct sharc_span s)
{
    if (s.n < 4 || s.n > LONGEST_GUESS) return false;
    for (size_t i = 0; i < s.n; i++)
        if (!is_url_byte(s.p[i])) return false;
    size_t scheme = sharc_span_istarts(s, SHARC_SPAN("http://"))    ? 7
                    : sharc_span_istarts(s, SHARC_SPAN("https://")) ? 8
                                                                    : 0;
    if (scheme) return begins_with_host(sharc_span_from(s, scheme)) && !is_namespace(s);
    if (sharc_span_starts(s, SHARC_SPAN("//"))) return begins_with_host(sharc_span_from(s, 2));
    if (sharc_span_find(s, ':', 0) != SHARC_NPOS || sharc_span_find(s, ',', 0) != SHARC_NPOS) return false;
    if (s.p[0] == '/') return looks_like_path(s);
    if (sharc_span_starts(s, SHARC_SPAN("./"))) return looks_like_path(sharc_span_from(s, 1));
    if (sharc_span_starts(s, SHARC_SPAN("../"))) return looks_like_path(sharc_span_from(s, 2));
    if (!sharc_is_alnum(s.p[0])) return false;
    struct sharc_span extension = extension_of(s);
    return is_one_of(extension, page_extensions) ||
           (sharc_span_find(s, '/', 0) != SHARC_NPOS && is_one_of(extension, code_extensions));
}

/* --- where strings are ---------------------------------------------------------------- */

/* The string is one piece of a longer one: "…" + x, or x + "…". */
static bool is_glued(struct sharc_span script, size_t open, size_t close)
{
    size_t before = open, after = close + 1;
    while (before > 0 && open - before < 16 && sharc_is_space(script.p[before - 1])) before--;
    while (after < script.n && after - close < 16 && sharc_is_space(script.p[after])) after++;
    return (before > 0 && script.p[before - 1] == '+') || (after < script.n && script.p[after] == '+');
}

static bool is_quote(char c)
{
    return c == '"' || c == '\'' || c == '`';
}

/* The offset of what ends the run of bytes a URL may have, behind the quote at
 * `open`; *ret_escaped when it holds backslashes. */
static size_t run_end(struct sharc_span script, size_t open, bool *ret_escaped)
{
    size_t at = open + 1;
    *ret_escaped = false;
    while (at < script.n && (is_url_byte(script.p[at]) || script.p[at] == '\\')) {
        if (script.p[at] == '\\') {
            *ret_escaped = true;
            if (at + 1 < script.n && is_quote(script.p[at + 1])) break; /* an escaped quote */
            at++;
        }
        at++;
    }
    return at < script.n ? at : script.n;
}

void sharc_extract_script(struct sharc_span script, sharc_extract_ref_fn *fn, void *arg)
{
    SHARC_AUTO(sharc_buf_done) struct sharc_buf plain = SHARC_BUF_INIT(2 * LONGEST_GUESS);
    for (size_t at = 0; at < script.n;) {
        if (!is_quote(script.p[at])) {
            at++;
            continue;
        }
        struct sharc_extract_ref ref = {.at = at + 1, .quote = script.p[at]};
        size_t end = run_end(script, at, &ref.escaped);
        size_t open = at;
        at = end;
        if (end >= script.n || script.p[end] != ref.quote || end - ref.at > 2 * LONGEST_GUESS) continue;
        struct sharc_span text = sharc_span_sub(script, ref.at, end);
        if (ref.escaped) {
            sharc_buf_clear(&plain);
            sharc_extract_script_decode(text, &plain);
            text = sharc_buf_span(&plain);
        }
        if (!looks_like_url(text) || is_glued(script, open, end)) continue;
        ref.n = end - ref.at;
        fn(arg, &ref);
        at = end + 1;
    }
}

/* Behind "\x" or "\u": that many hex digits, or -1. */
static int32_t hex_at(struct sharc_span raw, size_t at, size_t digits)
{
    int32_t code = 0;
    if (at + digits > raw.n) return -1;
    for (size_t i = 0; i < digits; i++) {
        int v = sharc_hex_value(raw.p[at + i]);
        if (v < 0) return -1;
        code = code * 16 + v;
    }
    return code;
}

int sharc_extract_script_decode(struct sharc_span raw, struct sharc_buf *out)
{
    for (size_t at = 0; at < raw.n;) {
        if (raw.p[at] != '\\' || at + 1 >= raw.n) {
            sharc_buf_put_char(out, raw.p[at++]);
            continue;
        }
        char kind = raw.p[at + 1], utf8[4];
        size_t digits = kind == 'u' ? 4 : kind == 'x' ? 2 : 0;
        int32_t code = digits ? hex_at(raw, at + 2, digits) : (uint8_t)kind;
        if (code < 0 || (code >= 0xd800 && code < 0xe000)) code = 0xfffd;
        if (digits)
            sharc_buf_put(out, sharc_span(utf8, sharc_utf8_encode((uint32_t)code, utf8)));
        else
            sharc_buf_put_char(out, kind);
        at += 2 + (digits && hex_at(raw, at + 2, digits) >= 0 ? digits : 0);
    }
    return out->failed ? SHARC_ELIMIT : 0;
}

struct reading {
    struct sharc__page_private *x;
    const struct sharc__extract_source *source;
    unsigned flags;
};

static void add_link(void *arg, const struct sharc_extract_ref *ref)
{
    const struct reading *r = arg;
    struct sharc_span url = sharc_span_sub(r->source->bytes, ref->at, ref->at + ref->n);
    if (ref->escaped) {
        sharc_buf_clear(&r->x->script);
        sharc_extract_script_decode(url, &r->x->script);
        url = sharc_buf_span(&r->x->script);
    }
    sharc__extract_page_link(r->x, url, SHARC_FROM_SCRIPT_TEXT, sharc__extract_source_at(r->source, ref->at),
                             sharc__extract_source_n(r->source, ref->n), r->flags | SHARC_LINK_SPECULATIVE);
}

void sharc__extract_read_script(struct sharc__page_private *x, const struct sharc__extract_source *script,
                                unsigned flags)
{
    struct reading r = {x, script, flags};
    if (x->want & SHARC_WANT_LINKS && x->want & SHARC_WANT_GUESSES) sharc_extract_script(script->bytes, add_link, &r);
}

/* SPDX-License-Identifier: Apache-2.0
 *
 * Heads of answers, and how a body is taken apart.
 */
#include "evidence_int.h"
#include "sharc/base_charset.h"
#include "sharc/extract.h"
#include "sharc/http.h"
#include "sharc/url.h"

/* --- heads ---------------------------------------------------------------------------------- */

/* What stands before the parameters; all of it, where somebody joined values ("text/html, text/plain"): one browser
 * takes the first, another the last. */
static struct sharc_span media_of(struct sharc_span type)
{
    bool joined = sharc_span_find(type, ',', 0) != SHARC_NPOS;
    return sharc_span_trim(joined ? type : sharc_span_sub(type, 0, sharc_span_find(type, ';', 0)));
}

bool sharc_evidence_same_head(int status_before, struct sharc_span type_before, struct sharc_span location_before,
                              int status_after, struct sharc_span type_after, struct sharc_span location_after,
                              const char **ret_why)
{
    const char *why = "";
    if (status_before != status_after)
        why = "another status";
    else if (!sharc_span_ieq(media_of(type_before), media_of(type_after)))
        why = "another media type";
    else if (!sharc_span_ieq(sharc_http_media(type_before).charset, sharc_http_media(type_after).charset))
        why = "another charset";
    else if (!sharc_span_eq(location_before, location_after))
        why = "another Location, Refresh or further Content-Type";
    if (ret_why) *ret_why = why;
    return !*why;
}

static void add_lower(struct sharc_hasher *h, struct sharc_span s)
{
    for (size_t i = 0; i < s.n; i++) {
        const char c = sharc_to_lower(s.p[i]);
        sharc_hasher_add(h, &c, 1);
    }
    sharc_hasher_add(h, "\n", 1);
}

void sharc_evidence_print_head(int status, struct sharc_span type, struct sharc_span location, struct sharc_digest *ret)
{
    SHARC_AUTO(sharc_hasher_freep) struct sharc_hasher *h = sharc_hasher_new();
    sharc_hasher_start(h, SHARC_SHA256);
    sharc_hasher_add(h, &status, sizeof status);
    add_lower(h, media_of(type));
    add_lower(h, sharc_http_media(type).charset);
    sharc_hasher_add(h, location.n ? location.p : "", location.n);
    sharc_hasher_end(h, ret);
}

static void put_fields(const struct sharc_http *h, const char *name, size_t skip, struct sharc_buf *out)
{
    struct sharc_span value;
    for (size_t at = 0, n = 0; sharc_http_each(h, name, &at, &value); n++) {
        if (n < skip) continue;
        sharc_buf_printf(out, "\n%s: ", name);
        sharc_buf_put(out, value);
    }
}

void sharc_evidence_location(const struct sharc_http *h, const struct sharc_url *base, struct sharc_buf *out)
{
    SHARC_AUTO(sharc_url_done) struct sharc_url url = SHARC_URL_INIT;
    struct sharc_span location = sharc_http_is_redirect(h->status) ? sharc_http_get(h, "Location") : SHARC_SPAN_NONE;
    if (location.p && sharc_url_parse(&url, location, base, NULL) == 0)
        sharc_buf_put(out, sharc_span(url.p, url.n));
    else
        sharc_buf_put(out, location);
    put_fields(h, "Refresh", 0, out);
    put_fields(h, "Content-Type", 1, out);
}

/* --- forms ---------------------------------------------------------------------------------- */

static bool is_markup_at(struct sharc_span body)
{
    if (sharc_span_starts(body, SHARC_SPAN("\xef\xbb\xbf"))) body = sharc_span_from(body, 3);
    body = sharc_span_trim(sharc_span_sub(body, 0, 1024));
    return sharc_span_starts(body, SHARC_SPAN("<")) && body.n > 1 &&
           (sharc_is_alpha(body.p[1]) || body.p[1] == '!' || body.p[1] == '?');
}

/* Only what a browser takes for HTML is compared with HTML's liberties. */
enum sharc__form sharc__evidence_form(struct sharc_span type, struct sharc_span body)
{
    struct sharc_span media = sharc_http_media(type).type;
    char lower[96];
    if (!media.n) return is_markup_at(body) ? FORM_LOOSE_HTML : FORM_BYTES;
    if (media.n > sizeof lower) return FORM_BYTES;
    for (size_t i = 0; i < media.n; i++) lower[i] = sharc_to_lower(media.p[i]);
    media = sharc_span(lower, media.n);
    if (sharc_span_is(media, "text/html")) return FORM_HTML;
    if (sharc_span_ends(media, SHARC_SPAN("xml"))) return FORM_XML; /* XHTML, SVG, feeds */
    if (sharc_span_is(media, "text/css")) return FORM_STYLE;
    if (sharc_span_ends(media, SHARC_SPAN("json")) || sharc_span_ends(media, SHARC_SPAN("javascript")) ||
        sharc_span_ends(media, SHARC_SPAN("ecmascript")))
        return FORM_SCRIPT;
    return sharc_span_starts(media, SHARC_SPAN("text/")) ? FORM_TEXT : FORM_BYTES;
}

/* The body in UTF-8. A charset in which bytes were lost is no ground to compare on. */
static bool convert(struct sharc__document *d, const struct sharc_answer *a, struct sharc_span *ret)
{
    enum sharc_charset_from from;
    enum sharc_charset charset = sharc_extract_charset(a->body, a->type, &from);
    d->charset = (unsigned)charset;
    *ret = a->body;
    if (charset == SHARC_CHARSET_UTF_8) return true;
    if (charset == SHARC_CHARSET_REPLACEMENT) return false;
    if (sharc_charset_decode(charset, a->body, &d->text, NULL) < 0) return false;
    *ret = sharc_buf_span(&d->text);
    return sharc_span_search(*ret, SHARC_SPAN("\xef\xbf\xbd")) == SHARC_NPOS;
}

void sharc__evidence_read_text(struct sharc__document *d, struct sharc_span s)
{
    while (s.n && !d->full) {
        size_t end = sharc_span_find(s, '\n', 0);
        size_t n = end == SHARC_NPOS ? s.n : end + 1;
        sharc__evidence_leaf_begin(d, SHARC_HUNK_TEXT, 0, SHARC_SPAN_NONE);
        sharc__evidence_put_tokens(d, SHARC_HUNK_TEXT, sharc_span_sub(s, 0, n), /* by_space= */ true,
                                   /* visible= */ true);
        sharc__evidence_leaf_end(d);
        s = sharc_span_from(s, n);
    }
}

bool sharc__evidence_read(struct sharc__document *d, const struct sharc_answer *a)
{
    struct sharc_span s;
    enum sharc__form form = sharc__evidence_form(a->type, a->body);
    if (form == FORM_BYTES || !convert(d, a, &s)) return false;
    if (form == FORM_HTML || form == FORM_LOOSE_HTML || form == FORM_XML)
        sharc__evidence_read_markup(d, s, form);
    else if (form == FORM_TEXT)
        sharc__evidence_read_text(d, s);
    else
        sharc__evidence_read_script(d, s, form == FORM_STYLE ? SHARC_HUNK_STYLE : SHARC_HUNK_SCRIPT);
    sharc__evidence_document_close(d);
    return !d->full;
}

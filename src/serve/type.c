/* SPDX-License-Identifier: Apache-2.0
 *
 * What a browser would take an archived answer for. A page is only kept inside if we take for a page what browsers take
 * for one: of several types they believe the last that is one, and where there is none they look at the bytes (Fetch,
 * "extract a MIME type"; MIME Sniffing). So we do the same, and send one type that leaves nothing to guess.
 */
#include "call.h"
#include "serve_int.h"

enum { MOST_TYPE = 256, LOOKED_AT = 1445 };

static bool has_control(struct sharc_span value)
{
    for (size_t i = 0; i < value.n; i++)
        if (((unsigned char)value.p[i] < ' ' && value.p[i] != '\t') || value.p[i] == 0x7f) return true;
    return false;
}

/* Whoever splits at other commas than we do must not find another type in it, and it must be fit for a header. */
static bool is_plain(struct sharc_span value)
{
    return value.n <= MOST_TYPE && sharc_span_find(value, ',', 0) == SHARC_NPOS && !has_control(value);
}

static void take_last(struct sharc_span values, struct sharc_span *ret)
{
    struct sharc_span value;
    while (sharc_http_value_next(&values, &value)) {
        struct sharc_span type = sharc_http_media_essence(value);
        if (type.n > MOST_TYPE) type = SHARC_SPAN_NONE;
        if (type.n) *ret = is_plain(value) ? value : type;
        /* With a control character it is not sent, and no page. */
        if (!type.n && has_control(value)) *ret = SHARC_SPAN("application/octet-stream");
    }
}

struct sharc_span sharc__serve_type(const struct sharc_found *f)
{
    struct sharc_span type = SHARC_SPAN_NONE;
    bool typed = false;
    for (size_t i = 0; i < f->count; i++) {
        if (!sharc_span_ieq(f->fields[i].name, SHARC_SPAN("Content-Type"))) continue;
        typed = true;
        take_last(f->fields[i].value, &type);
    }
    if (!typed) take_last(f->type, &type);
    return type;
}

bool sharc__serve_is_xml(struct sharc_span essence)
{
    return sharc_span_ieq(essence, SHARC_SPAN("text/xml")) || sharc_span_ieq(essence, SHARC_SPAN("application/xml")) ||
           sharc_span_ieq(essence, SHARC_SPAN("text/xsl")) ||
           (essence.n > 4 && sharc_span_ieq(sharc_span_from(essence, essence.n - 4), SHARC_SPAN("+xml")));
}

/* "xmlns='http://www.w3.org/1999/&#120;html'": a namespace that does not stand there as it is. */
static bool has_hidden_namespace(struct sharc_span xml)
{
    for (struct sharc_span s = xml; s.n;) {
        size_t at = sharc_span_search(s, SHARC_SPAN("xmlns"));
        if (at == SHARC_NPOS) return false;
        s = sharc_span_from(s, at);
        size_t end = sharc_span_find(s, '>', 0);
        struct sharc_span tag = sharc_span_sub(s, 0, end == SHARC_NPOS ? s.n : end);
        if (sharc_span_find(tag, '&', 0) != SHARC_NPOS) return true;
        s = sharc_span_from(s, tag.n);
    }
    return false;
}

bool sharc__serve_xml_may_be_page(struct sharc_span xml)
{
    static const struct sharc_span signs[] = {SHARC_SPAN("w3.org/1999/xhtml"), SHARC_SPAN("w3.org/2000/svg"),
                                              SHARC_SPAN("<!ENTITY"), SHARC_SPAN("<?xml-stylesheet")};
    for (size_t i = 0; i < SHARC_LENGTH(signs); i++)
        if (sharc_span_search(xml, signs[i]) != SHARC_NPOS) return true;
    bool wide = sharc_span_find(xml, 0, 0) != SHARC_NPOS; /* UTF-16 */
    return wide || has_hidden_namespace(xml);
}

/* --- bytes without a type ------------------------------------------------------------------------- */

static bool looks_like_page(struct sharc_span body)
{
    struct sharc_span s = sharc_span_trim(sharc_span_sub(body, 0, 1024));
    if (sharc_span_starts(s, SHARC_SPAN("\xef\xbb\xbf"))) s = sharc_span_trim(sharc_span_from(s, 3));
    return s.n && s.p[0] == '<';
}

/* As MIME Sniffing tells text from binary data. */
static bool looks_like_text(struct sharc_span body)
{
    struct sharc_span s = sharc_span_sub(body, 0, LOOKED_AT);
    if (sharc_span_starts(s, SHARC_SPAN("\xff\xfe")) || sharc_span_starts(s, SHARC_SPAN("\xfe\xff"))) return true;
    for (size_t i = 0; i < s.n; i++)
        if ((unsigned char)s.p[i] < ' ' && (!s.p[i] || !strchr("\t\n\f\r\x1b", s.p[i]))) return false;
    return s.n > 0;
}

struct sharc_span sharc__serve_type_of_bytes(struct sharc_span body)
{
    if (looks_like_page(body)) return SHARC_SPAN("text/html");
    return looks_like_text(body) ? SHARC_SPAN("text/plain") : SHARC_SPAN("application/octet-stream");
}

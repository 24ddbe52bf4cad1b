/* SPDX-License-Identifier: Apache-2.0
 *
 * What a client may ask for: addresses of archived pages, ranges, parameters. The parts of an address must lie
 * in it, and a link made of them must be read as the same parts again; a range must lie in the file. What a
 * metadata record says about a download. And archived types: what is sent as a type must be read as that type by
 * whoever reads it again, wherever they split.
 */
#include "../../../src/serve/call.h"
#include "../../../src/serve/history.h"
#include "../../../src/serve/serve_int.h"

#include <stdlib.h>

static bool is_inside(struct sharc_span part, struct sharc_span whole)
{
    return !part.n || (part.p >= whole.p && part.p + part.n <= whole.p + whole.n);
}

static void check_address(struct sharc_span target)
{
    struct serve_address a = {.star = false}, b = {.star = false};
    if (sharc__serve_address_read(&a, target)) {
        SHARC_ASSERT(a.url.n && (is_inside(a.url, target) || is_inside(a.url, sharc_buf_span(&a.scratch))));
        SHARC_ASSERT(is_inside(a.timestamp, target) && is_inside(a.modifier, target) && a.timestamp.n <= 17);
        for (size_t i = 0; i < a.timestamp.n; i++) SHARC_ASSERT(sharc_is_digit(a.timestamp.p[i]));
    }
    if (a.url.n && !a.star && a.timestamp.n) {
        SHARC_AUTO(sharc_freep) char *time = sharc_span_dup(a.timestamp), *modifier = sharc_span_dup(a.modifier);
        SHARC_AUTO(sharc_buf_done) struct sharc_buf link = SHARC_BUF_INIT(1u << 20), again = SHARC_BUF_INIT(1u << 20);
        sharc__serve_put_link(&link, &a, time, modifier, a.url);
        for (size_t i = 0; i < link.n; i++) SHARC_ASSERT(link.p[i] > ' ' && !strchr("<>\"", link.p[i]));
        SHARC_ASSERT(sharc__serve_address_read(&b, sharc_buf_span(&link)));
        SHARC_ASSERT(sharc_span_eq(a.mapping, b.mapping) && sharc_span_eq(a.timestamp, b.timestamp) &&
                     sharc_span_eq(a.modifier, b.modifier));
        SHARC_ASSERT(a.limits.set == b.limits.set && sharc_span_eq(a.limits.text, b.limits.text));
        sharc__serve_put_link(&again, &b, time, modifier, b.url);
        SHARC_ASSERT(sharc_span_eq(sharc_buf_span(&link), sharc_buf_span(&again)));
    }
    sharc__serve_address_done(&a);
    sharc__serve_address_done(&b);
}

/* Limits are in order, and "?within=" is cut off from the end of what was given. */
static void check_limits(struct sharc_span text)
{
    struct serve_limits l = {.set = false}, again;
    SHARC_AUTO(sharc_buf_done) struct sharc_buf scratch = SHARC_BUF_INIT(4096);
    if (sharc__serve_limits_read(text, &l)) SHARC_ASSERT(l.set && l.from <= l.to && sharc_span_eq(l.text, text));
    size_t at = sharc__serve_within_at(text, &scratch, &l);
    if (at == SHARC_NPOS) return;
    SHARC_ASSERT(at < text.n && (text.p[at] == '?' || text.p[at] == '&'));
    SHARC_ASSERT(sharc__serve_limits_read(l.text, &again) && again.from == l.from && again.to == l.to);
    SHARC_ASSERT(!sharc__serve_is_inside(&l, SHARC_SPAN("19700101000000000"), l.to + SHARC_MSEC));
}

static void check_range(struct sharc_span value, uint64_t size)
{
    uint64_t from = 0, count = 0;
    int r = sharc_range_read(value, size, &from, &count);
    if (r > 0) SHARC_ASSERT(count > 0 && from < size && count <= size - from);
}

static void check_parameters(struct sharc_span query)
{
    struct sharc_http_request request = {.query = query};
    struct serve_call c = {.request = &request};
    SHARC_AUTO(sharc_buf_done) struct sharc_buf value = SHARC_BUF_INIT(4096);
    size_t at = 0, before = 0;
    while (sharc__serve_parameter(&c, "a", &at, &value)) {
        SHARC_ASSERT(at <= query.n && (at > before || at == query.n));
        if (at == before) break;
        before = at;
    }
}

/* Two values of one header, cut at the first line end. */
static void check_type(struct sharc_span text)
{
    size_t cut = sharc_span_find(text, '\n', 0);
    struct sharc_http_field fields[] = {{SHARC_SPAN("content-type"),
                                         sharc_span_sub(text, 0, cut == SHARC_NPOS ? text.n : cut)},
                                        {SHARC_SPAN("Content-Type"),
                                         cut == SHARC_NPOS ? SHARC_SPAN_NONE : sharc_span_from(text, cut + 1)}};
    struct sharc_found f = {.fields = fields, .count = 2};
    struct sharc_span type = sharc__serve_type(&f);
    if (type.n) {
        SHARC_ASSERT(type.n <= 256 && sharc_span_find(type, ',', 0) == SHARC_NPOS);
        for (size_t i = 0; i < type.n; i++) SHARC_ASSERT((unsigned char)type.p[i] >= ' ' || type.p[i] == '\t');
        struct sharc_span name = sharc_http_media(type).type;
        SHARC_ASSERT(sharc_span_find(name, '/', 0) != SHARC_NPOS && !sharc_span_is(name, "*/*"));
        fields[0].value = type;
        f.count = 1;
        SHARC_ASSERT(sharc_span_eq(sharc__serve_type(&f), type));
    }
    struct sharc_span guess = sharc__serve_type_of_bytes(text);
    SHARC_ASSERT(guess.n > 0);
    if (!sharc__serve_xml_may_be_page(text))
        SHARC_ASSERT(sharc_span_search(text, SHARC_SPAN("http://www.w3.org/1999/xhtml")) == SHARC_NPOS);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct sharc_span text = sharc_span(data, size);
    check_address(text);
    check_limits(text);
    sharc_time took = sharc__serve_read_took(text);
    SHARC_ASSERT(took >= -1 && took <= (SHARC_DAY + 1) * SHARC_MSEC);
    check_range(text, size * 7 % 1000);
    check_range(text, UINT64_MAX);
    check_parameters(text);
    check_type(text);
    return 0;
}

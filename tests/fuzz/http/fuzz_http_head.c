/* SPDX-License-Identifier: Apache-2.0
 *
 * HTTP heads, dates and parameters. What is found whole must also be found
 * when it comes in two pieces.
 */
#include "sharc/base_limits.h"
#include "sharc/http.h"

#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static size_t total(const struct sharc_http *h)
{
    size_t n = h->reason.n + h->method.n + h->target.n;
    for (size_t i = 0; i < h->count; i++) {
        n += h->fields[i].name.n + h->fields[i].value.n;
        if (h->fields[i].name.n == 0) abort();
    }
    return n;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    /* A copy without anything behind it, so that reading too far is seen. */
    char *copy = malloc(size ? size : 1);
    if (!copy) return 0;
    if (size) memcpy(copy, data, size);
    struct sharc_span bytes = sharc_span(copy, size);
    struct sharc_http h = {0};
    int64_t whole = sharc_http_parse(&h, bytes, true, NULL);
    size_t n = whole > 0 ? total(&h) : 0, count = h.count;
    if (whole > 0 && ((size_t)whole > size || n > 2 * size)) abort();
    if (whole > 0 && !(h.quirks & SHARC_HTTP_NO_END)) {
        if (sharc_http_parse(&h, sharc_span_sub(bytes, 0, (size_t)whole), false, NULL) != whole) abort();
        if (h.count != count || total(&h) != n) abort();
        if (sharc_http_parse(&h, sharc_span_sub(bytes, 0, (size_t)whole - 1), false, NULL) > 0) abort();
    }
    sharc_http_parse_fields(&h, bytes, true, NULL);
    for (size_t i = 0; i < h.count && i < 20; i++) {
        sharc_time t;
        (void)sharc_http_date_parse(h.fields[i].value, &t);
        struct sharc_http_media m = sharc_http_media(h.fields[i].value);
        if (m.type.n > h.fields[i].value.n) abort();
    }
    (void)sharc_http_is_chunked(&h);
    sharc_http_done(&h);
    free(copy);
    return 0;
}

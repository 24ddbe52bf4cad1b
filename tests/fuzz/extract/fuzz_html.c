/* SPDX-License-Identifier: Apache-2.0
 *
 * Any bytes as HTML: the tokens must be the page, byte for byte, in both
 * dialects, and the page must be in order.
 */
#include "fuzz_page.h"
#include "sharc/extract_html.h"

static void check_tokens(struct sharc_span page, enum sharc_html_dialect dialect)
{
    static struct sharc_html h;
    struct sharc_html_token t;
    const char *at = page.p;
    sharc_html_init(&h, page, dialect);
    while (sharc_html_next(&h, &t)) {
        SHARC_ASSERT(t.raw.p == at && t.raw.n);
        at += t.raw.n;
        SHARC_ASSERT(t.body.p >= t.raw.p && t.body.p + t.body.n <= at);
        for (unsigned i = 0; i < t.attr_count; i++) {
            const struct sharc_html_attr *a = &t.attrs[i];
            SHARC_ASSERT(a->name.n && a->name.p > t.raw.p && a->name.p + a->name.n < at);
            SHARC_ASSERT(!a->value.p || (a->value.p > a->name.p && a->value.p + a->value.n < at));
            SHARC_ASSERT(!a->id || t.known >> a->id & 1);
        }
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (!size) return 0;
    struct sharc_span page = sharc_span(data + 1, size - 1);
    check_tokens(page, SHARC_HTML);
    check_tokens(page, SHARC_XML);
    return fuzz_page(data + 1, size - 1, data[0] & 1 ? "application/xhtml+xml" : "text/html; charset=utf-8");
}

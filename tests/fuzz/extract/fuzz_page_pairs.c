/* SPDX-License-Identifier: Apache-2.0
 *
 * Two versions of a page, parted by the first zero byte: every element of both is in one
 * block, importance stays within its bounds, a page against itself shows nothing.
 */
#include "fuzz_page.h"
#include "sharc/extract_compare.h"

#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void read_version(struct sharc_span html, struct sharc_page *page, struct sharc_page_prints *prints)
{
    static struct sharc_url url;
    if (!url.p) sharc_url_parse(&url, SHARC_SPAN("http://example.org/"), NULL, NULL);
    struct sharc_extract_input in = {.body = html, .url = &url, .content_type = SHARC_SPAN("text/html;charset=utf-8")};
    SHARC_ASSERT(sharc_extract(page, &in, NULL) == 0);
    sharc_page_prints_make(prints, page, page->text);
}

static double check_pairs(const struct sharc_page_prints *a, const struct sharc_page_prints *b, uint64_t *ret_edit)
{
    SHARC_AUTO(sharc_page_pairs_done) struct sharc_page_pairs p = SHARC_PAGE_PAIRS_INIT;
    sharc_page_pairs_make(&p, a, b);
    SHARC_AUTO(sharc_freep) struct sharc_change_block *blocks = SHARC_NEW_ARRAY(struct sharc_change_block, p.count);
    size_t before = 0, after = 0;
    for (size_t i = 0; i < p.count; i++) {
        blocks[i] = p.pairs[i].block;
        before += blocks[i].n_before, after += blocks[i].n_after;
        SHARC_ASSERT(p.pairs[i].is_new == (blocks[i].n_before == 0) && p.pairs[i].is_gone == (blocks[i].n_after == 0));
    }
    SHARC_ASSERT(before == a->element_count && after == b->element_count);
    *ret_edit = sharc_change_edit_print(blocks, p.count);
    double e = sharc_change_importance(blocks, p.count, NULL);
    SHARC_ASSERT(e >= 0 && e <= 1);
    return e;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static struct sharc_page one, two;
    static struct sharc_page_prints x, y;
    struct sharc_span all = sharc_span(data, size), a = all, b = SHARC_SPAN("");
    size_t zero = sharc_span_find(all, 0, 0);
    if (zero != SHARC_NPOS) a = sharc_span_sub(all, 0, zero), b = sharc_span_from(all, zero + 1);
    uint64_t edit;
    read_version(a, &one, &x);
    read_version(b, &two, &y);
    check_pairs(&x, &y, &edit);
    check_pairs(&y, &x, &edit);
    SHARC_ASSERT(check_pairs(&x, &x, &edit) <= 0 && edit == 0);
    return 0;
}

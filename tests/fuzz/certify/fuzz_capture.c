/* SPDX-License-Identifier: Apache-2.0
 *
 * The files of a capture, from anybody: whatever their records say, the certificate made of them is a document in
 * canonical form, its rows are in order, and deriving it once more gives the same. Nothing is proved by one download.
 */
#include "../../../src/certify/certify_int.h"

#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static struct sharc_derived *derive(struct sharc_span bytes)
{
    SHARC_AUTO(sharc_derived_freep) struct sharc_derived *f = sharc_derived_new();
    struct sharc_derive_options o = {.capture = SHARC_TIME_NONE, .threads = 1, .measure = sharc__certify_measure};
    f->files = SHARC_NEW_ARRAY(struct sharc_derived_file, 1);
    f->files[f->file_count++] = (struct sharc_derived_file){.name = sharc_strdup("a.warc"), .bytes = bytes};
    if (sharc_derive_run(f, &o, NULL) < 0) return NULL;
    return SHARC_TAKE(f);
}

static void write_down(const struct sharc_derived *f, struct sharc_buf *out)
{
    for (size_t i = 0; sharc__certify_sections[i]; i++) {
        size_t from = out->n;
        if (!sharc__certify_section(f, sharc__certify_sections[i], out)) continue;
        SHARC_ASSERT(sharc_jcs_check(sharc_span_from(sharc_buf_span(out), from), NULL) == 0);
    }
    for (size_t i = 0; i < f->page_count; i++) {
        size_t from = out->n;
        sharc__certify_row(f, i, out);
        SHARC_ASSERT(sharc_jcs_check(sharc_span_from(sharc_buf_span(out), from), NULL) == 0);
        const struct sharc_derived_page *p = &f->pages[i];
        SHARC_ASSERT(!sharc_grade_is_proof(sharc_derived_grade(p)) ||
                     (p->visit != SHARC_DERIVED_NONE && p->revisit != SHARC_DERIVED_NONE));
        SHARC_ASSERT(i == 0 || sharc_span_cmp(sharc_derived_text(f, p[-1].url), sharc_derived_text(f, p->url)) < 0);
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    SHARC_AUTO(sharc_derived_freep) struct sharc_derived *first = derive(sharc_span(data, size));
    if (!first) return 0;
    SHARC_AUTO(sharc_derived_freep) struct sharc_derived *second = derive(sharc_span(data, size));
    SHARC_ASSERT(second);
    SHARC_AUTO(sharc_buf_done) struct sharc_buf a = SHARC_BUF_INIT(256u << 20), b = SHARC_BUF_INIT(256u << 20);
    write_down(first, &a);
    write_down(second, &b);
    SHARC_ASSERT(sharc_span_eq(sharc_buf_span(&a), sharc_buf_span(&b)));
    return 0;
}

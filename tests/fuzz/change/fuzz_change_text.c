/* SPDX-License-Identifier: Apache-2.0
 *
 * Texts of strange pages: two, parted by the first zero byte, are compared in
 * every way; a date found must be one that can be read where it was found.
 */
#include "sharc/change_compare.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct sharc_span all = sharc_span(data, size), a = all, b = SHARC_SPAN("");
    size_t zero = sharc_span_find(all, 0, 0);
    if (zero != SHARC_NPOS) a = sharc_span_sub(all, 0, zero), b = sharc_span_from(all, zero + 1);

    sharc_time t, again;
    size_t at;
    if (sharc_change_date_find(a, &t, &at)) {
        SHARC_ASSERT(at < a.n && sharc_change_date_read(sharc_span_from(a, at), &again) > 0 && again == t);
    }
    SHARC_AUTO(sharc_change_shingles_done) struct sharc_change_shingles x = SHARC_CHANGE_SHINGLES_INIT;
    SHARC_AUTO(sharc_change_shingles_done) struct sharc_change_shingles y = SHARC_CHANGE_SHINGLES_INIT;
    for (unsigned k = 1; k <= 4; k++) {
        enum sharc_change_unit unit = k % 2 ? SHARC_CHANGE_WORDS : SHARC_CHANGE_CHARS;
        sharc_change_shingles_make(&x, a, unit, k);
        sharc_change_shingles_make(&y, b, unit, k);
        double j = sharc_change_jaccard(&x, &y), back = sharc_change_jaccard(&y, &x);
        SHARC_ASSERT(j >= 0 && j <= 1 && j == back);
        uint32_t p[16];
        sharc_change_minhash(&x, 16, p);
    }
    size_t edits = sharc_change_edits(a, b, 20);
    SHARC_ASSERT(edits <= 21 && edits == sharc_change_edits(b, a, 20));

    struct sharc_change_version before = {.last_modified = SHARC_TIME_NONE, .has_text = true, .text = a};
    struct sharc_change_version after = {.last_modified = SHARC_TIME_NONE, .has_text = true, .text = b};
    struct sharc_change_options o = SHARC_CHANGE_OPTIONS;
    struct sharc_change_verdict v;
    sharc_change_compare(&before, &after, &o, &v);
    SHARC_ASSERT(v.similarity >= 0 && v.similarity <= 1);
    return 0;
}

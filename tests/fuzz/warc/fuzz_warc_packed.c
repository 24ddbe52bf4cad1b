/* SPDX-License-Identifier: Apache-2.0 */
#include "fuzz_reader.h"

#include "sharc/base_codec.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* Packed files. The first byte chooses: the bytes as they are, or records cut
 * into gzip members at places that the next bytes choose. */
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (size < 4) return 0;
    if (data[0] & 1) {
        walk_all_ways(data + 1, size - 1);
        return 0;
    }
    SHARC_AUTO(sharc_buf_done) struct sharc_buf b = SHARC_BUF_INIT(4 << 20);
    struct sharc_deflate *d = sharc_deflate_new(1);
    size_t step = (size_t)data[1] << 8 | data[2];
    struct sharc_span rest = sharc_span(data + 3, size - 3);
    for (int i = 0; rest.n > 0 && i < 100; i++) {
        struct sharc_span part = sharc_span_sub(rest, 0, i < 99 ? step + 1 : rest.n);
        if (sharc_deflate_member(d, part, &b) < 0) break;
        rest = sharc_span_from(rest, part.n);
    }
    sharc_deflate_free(d);
    walk_all_ways((const uint8_t *)sharc_buf_str(&b), b.n);
    return 0;
}

/* SPDX-License-Identifier: Apache-2.0
 *
 * Any bytes in any charset: the result is UTF-8 and within its bound.
 */
#include "fuzz_page.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (size < 2) return 0;
    struct sharc_span in = sharc_span(data + 2, size - 2);
    SHARC_AUTO(sharc_buf_done) struct sharc_buf out = SHARC_BUF_INIT((size_t)data[1] * 16);
    sharc_charset_decode((enum sharc_charset)(data[0] % SHARC_CHARSET_COUNT), in, &out, NULL);
    SHARC_ASSERT(out.n <= out.max && sharc_utf8_check(sharc_buf_span(&out)) == SHARC_NPOS);
    enum sharc_charset_from from;
    SHARC_ASSERT(sharc_extract_charset(in, SHARC_SPAN_NONE, &from) < SHARC_CHARSET_COUNT);
    return fuzz_page(data + 2, size - 2, "text/html");
}

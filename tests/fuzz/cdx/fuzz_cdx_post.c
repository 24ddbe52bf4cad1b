/* SPDX-License-Identifier: Apache-2.0
 *
 * Request bodies as queries and the titles of pages: the first line is the content type,
 * the rest the body.
 */
#include "../../../src/cdx/from_record.h"
#include "../../../src/wacz/wacz_int.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    SHARC_AUTO(sharc_buf_done) struct sharc_buf out = SHARC_BUF_INIT(1 << 24);
    struct sharc_span all = sharc_span(data, size);
    size_t end = sharc_span_find(all, '\n', 0);
    struct sharc_span body = end == SHARC_NPOS ? SHARC_SPAN_NONE : sharc_span_from(all, end + 1);
    sharc__cdx_post_query(sharc_span_sub(all, 0, end), body, &out);
    SHARC_ASSERT(out.n <= 4 * 4096);
    sharc__wacz_title(body, &out);
    SHARC_ASSERT(out.n <= 500);
    SHARC_ASSERT(sharc_utf8_check(sharc_buf_span(&out)) == SHARC_NPOS);
    return 0;
}

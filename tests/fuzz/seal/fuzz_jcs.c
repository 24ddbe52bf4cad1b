/* SPDX-License-Identifier: Apache-2.0
 *
 * The checker and the writer of canonical JSON agree: a text passes the check if and only if
 * it is what the writer makes of it.
 */
#include "sharc/seal.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    SHARC_AUTO(sharc_buf_done) struct sharc_buf out = SHARC_BUF_INIT(64u << 20);
    struct sharc_span text = sharc_span(data, size);
    struct sharc_err err = SHARC_ERR_INIT;
    bool passes = sharc_jcs_check(text, &err) == 0;
    if (!passes) SHARC_ASSERT(err.offset <= size && err.text[0]);
    bool written = sharc_jcs_put_text(&out, text, &err) == 0;
    SHARC_ASSERT(passes == (written && sharc_span_eq(sharc_buf_span(&out), text)));
    if (written) SHARC_ASSERT(sharc_jcs_check(sharc_buf_span(&out), &err) == 0);
    return 0;
}

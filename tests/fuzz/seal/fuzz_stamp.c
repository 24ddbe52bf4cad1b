/* SPDX-License-Identifier: Apache-2.0
 *
 * A reply of a time-stamp authority, whatever its bytes: read or refused with a sentence. What it stamps is not among
 * the bytes that the fuzzer chooses, so none can be right.
 */
#include "sharc/seal_chain.h"
#include "sharc/seal_stamp.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    SHARC_AUTO(sharc_buf_done) struct sharc_buf chain = SHARC_BUF_INIT(1u << 20);
    SHARC_AUTO(sharc_seal_chain_freep) struct sharc_seal_chain *c = NULL;
    struct sharc_span reply = sharc_span(data, size);
    struct sharc_seal_stamp s;
    struct sharc_err err = SHARC_ERR_INIT;
    if (sharc_seal_stamp_read(reply, &s, &err) < 0)
        SHARC_ASSERT(err.text[0]);
    else
        SHARC_ASSERT(s.imprint.n == 32 || s.imprint.n == 64);
    if (sharc_seal_stamp_chain(reply, &chain, &err) == 0)
        SHARC_ASSERT(sharc_seal_chain_read(sharc_buf_span(&chain), &c, &err) == 0 || err.code == SHARC_ELIMIT);
    SHARC_ASSERT(
        sharc_seal_stamp_verify(reply, SHARC_SPAN("not these bytes"), SHARC_SPAN_NONE, SHARC_SPAN_NONE, &s, &err) < 0);
    /* With the bytes that the seeds stamp: all of the way. */
    (void)sharc_seal_stamp_verify(reply, SHARC_SPAN("{\"pages\":3}"), SHARC_SPAN_NONE, SHARC_SPAN_NONE, &s, &err);
    return 0;
}

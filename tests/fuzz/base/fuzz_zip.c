/* SPDX-License-Identifier: Apache-2.0
 *
 * ZIP directories: every entry is found by its name, and read within its bounds.
 */
#include "sharc/base_zip.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct sharc_zip z;
    struct sharc_err err = SHARC_ERR_INIT;
    if (sharc_zip_open_bytes(&z, "fuzz", sharc_span(data, size), &err) < 0) return 0;
    SHARC_AUTO(sharc_buf_done) struct sharc_buf out = SHARC_BUF_INIT(1 << 20);
    for (size_t i = 0; i < z.count; i++) {
        const struct sharc_zip_entry *e = &z.entries[i];
        struct sharc_span raw;
        SHARC_ASSERT(sharc_zip_find(&z, e->name) == e);
        if (sharc_zip_raw(&z, e, &raw, &err) == 0) SHARC_ASSERT(raw.n == e->packed);
        if (sharc_zip_read(&z, e, &out, &err) == 0) SHARC_ASSERT(out.n == e->size);
    }
    sharc_zip_done(&z);
    return 0;
}

/* SPDX-License-Identifier: Apache-2.0
 *
 * Reading a file that may be compressed.
 */
#include "sharc/base_codec.h"
#include "sharc/base_file.h"

int sharc_file_read_any(const char *path, struct sharc_buf *buf, struct sharc_err *reterr)
{
    SHARC_AUTO(sharc_buf_done) struct sharc_buf raw = SHARC_BUF_INIT(buf->max);
    int r = sharc_file_read(path, &raw, reterr);
    if (r < 0) return r;
    sharc_buf_clear(buf);
    if (raw.n >= 2 && (unsigned char)raw.p[0] == 0x1f && (unsigned char)raw.p[1] == 0x8b) {
        r = sharc_decode(SHARC_GZIP, sharc_buf_span(&raw), buf, reterr);
        return r < 0 ? sharc_err_prefix(reterr, r, "%s", path) : 0;
    }
    struct sharc_buf swap = *buf;
    *buf = raw;
    raw = swap;
    return 0;
}

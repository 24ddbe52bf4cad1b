/* SPDX-License-Identifier: Apache-2.0
 *
 * The chunked decoder. The first byte says how large the pieces are; in
 * whatever pieces the bytes come, the same data must come out, and never more
 * bytes than went in. Then the whole body decoder, with gzip on top.
 */
#include "sharc/http.h"

#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

struct outcome {
    struct sharc_buf out;
    int result;
    struct sharc_chunked c;
};

static void decode(struct sharc_span in, size_t piece, bool tolerant, struct outcome *ret)
{
    struct sharc_span data;
    sharc_buf_init(&ret->out, in.n + 1);
    sharc_chunked_init(&ret->c, tolerant);
    while (in.n > 0 && !ret->c.done) {
        struct sharc_span part = sharc_span_sub(in, 0, piece);
        in = sharc_span_from(in, part.n);
        while ((ret->result = sharc_chunked_step(&ret->c, &part, &data)) > 0)
            if (sharc_buf_put(&ret->out, data) < 0) abort();
        if (ret->result < 0) return;
    }
    ret->result = sharc_chunked_end(&ret->c, &data);
    if (ret->result > 0 && sharc_buf_put(&ret->out, data) < 0) abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (size < 2) return 0;
    size_t piece = (size_t)data[0] + 1;
    struct sharc_span in = sharc_span(data + 1, size - 1);
    for (int tolerant = 0; tolerant < 2; tolerant++) {
        struct outcome a = {0}, b = {0};
        decode(in, in.n, tolerant, &a);
        decode(in, piece, tolerant, &b);
        if ((a.result < 0) != (b.result < 0)) abort();
        if (tolerant && a.result == SHARC_ESYNTAX) abort();
        if (a.result >= 0 && !sharc_span_eq(sharc_buf_span(&a.out), sharc_buf_span(&b.out))) abort();
        sharc_buf_done(&a.out);
        sharc_buf_done(&b.out);
    }
    struct sharc_http h = {0};
    SHARC_AUTO(sharc_buf_done) struct sharc_buf out = SHARC_BUF_INIT(1 << 20);
    (void)sharc_http_parse(
        &h, SHARC_SPAN("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\nContent-Encoding: gzip\r\n\r\n"), true, NULL);
    (void)sharc_http_decode(&h, SHARC_HTTP_CONTENT, in, &out, NULL, NULL);
    sharc_http_done(&h);
    return 0;
}

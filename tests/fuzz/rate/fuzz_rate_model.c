/* SPDX-License-Identifier: Apache-2.0
 *
 * Models from strangers: loading must refuse or give a model that can be asked
 * and saved again. The fingerprint at the end is put right first, otherwise no
 * mutation would get past it.
 */
#include "sharc/base_buf.h"
#include "sharc/base_digest.h"
#include "sharc/rate_model.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void ask(const struct sharc_rate_model *m)
{
    size_t n;
    const struct sharc_rate_column *c = sharc_rate_model_columns(m, &n);
    struct sharc_rate_value v[SHARC_RATE_COLUMNS_MAX];
    for (int round = 0; round < 4; round++) {
        for (size_t i = 0; i < n; i++) {
            v[i].word = round == 0 ? SHARC_SPAN_NONE : round == 1 ? SHARC_SPAN("") : sharc_span_of(c[i].name);
            v[i].number = round == 0 ? SHARC_RATE_UNKNOWN : round - 2;
        }
        struct sharc_rate_prediction p;
        sharc_rate_predict(m, v, &p);
        SHARC_ASSERT(isfinite(p.expected) && p.bin < sharc_rate_model_bins(m)->n);
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    SHARC_AUTO(sharc_buf_done) struct sharc_buf b = SHARC_BUF_INIT(16u << 20);
    if (sharc_buf_put(&b, sharc_span(data, size)) < 0) return 0;
    if (size >= 20) {
        uint64_t f = sharc_fingerprint(sharc_span(b.p, b.n - 8), 0x5348415243u);
        for (size_t i = 0; i < 8; i++) b.p[b.n - 8 + i] = (char)(f >> (8 * i) & 0xff);
    }
    SHARC_AUTO(sharc_rate_model_freep) struct sharc_rate_model *m = NULL;
    if (sharc_rate_model_load(sharc_buf_span(&b), &m, NULL) < 0) return 0;
    ask(m);
    SHARC_AUTO(sharc_buf_done) struct sharc_buf text = SHARC_BUF_INIT(16u << 20);
    sharc_rate_model_describe(m, &text);
    SHARC_AUTO(sharc_buf_done) struct sharc_buf again = SHARC_BUF_INIT(32u << 20);
    SHARC_ASSERT(sharc_rate_model_save(m, &again) == 0);
    SHARC_ASSERT(again.n == b.n && memcmp(again.p, b.p, b.n) == 0);
    return 0;
}

/* SPDX-License-Identifier: Apache-2.0
 *
 * Digests and alphabets: one value has one canonical spelling.
 */
#include "sharc/base_digest.h"

#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

typedef int decode_fn(struct sharc_span s, uint8_t *out, size_t room, size_t *ret_n);
typedef size_t encode_fn(struct sharc_span s, char *out);

static void check_alphabet(struct sharc_span s, decode_fn *decode, encode_fn *encode)
{
    SHARC_AUTO(sharc_freep) uint8_t *bytes = sharc_malloc(s.n), *again = sharc_malloc(s.n);
    size_t n, m;
    if (decode(s, bytes, s.n, &n) < 0) return;
    SHARC_AUTO(sharc_freep) char *text = sharc_malloc(2 * n + 16);
    size_t length = encode(sharc_span(bytes, n), text);
    SHARC_ASSERT(decode(sharc_span(text, length), again, s.n, &m) == 0);
    SHARC_ASSERT(sharc_span_eq(sharc_span(bytes, n), sharc_span(again, m)));
    SHARC_ASSERT(n == 0 || decode(sharc_span(text, length), again, n - 1, &m) == SHARC_ELIMIT);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct sharc_span s = sharc_span(data, size);
    struct sharc_digest d, back;
    if (sharc_digest_parse(s, &d) == 0) {
        char text[SHARC_DIGEST_TEXT];
        SHARC_ASSERT(sharc_digest_parse(sharc_span_of(sharc_digest_text(&d, text)), &back) == 0);
        SHARC_ASSERT(sharc_digest_eq(&d, &back));
    }
    check_alphabet(s, sharc_hex_decode, sharc_hex_encode);
    check_alphabet(s, sharc_base32_decode, sharc_base32_encode);
    check_alphabet(s, sharc_base64_decode, sharc_base64_encode);
    return 0;
}

/* SPDX-License-Identifier: Apache-2.0
 *
 * signedData of a datapackage-digest.json, whatever its bytes: right or refused with a sentence. What is found right
 * is so again, and not for another hash.
 */
#include "sharc/wacz_sign.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static int check(const struct sharc_node *digest, struct sharc_span hash, struct sharc_wacz_signature *ret,
                 struct sharc_err *err)
{
    return sharc_wacz_signature_check(sharc_node_get(digest, "signedData"), hash, NULL, ret, err);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    SHARC_AUTO(sharc_arena_done) struct sharc_arena arena = SHARC_ARENA_INIT(64u << 20);
    const struct sharc_node *digest;
    struct sharc_wacz_signature s;
    struct sharc_err err = SHARC_ERR_INIT;
    if (sharc_json_read(sharc_span(data, size), &arena, &digest, NULL) < 0) return 0;
    if (!sharc_node_get(digest, "signedData")) return 0;
    struct sharc_span hash = sharc_node_text(sharc_node_get(digest, "hash"));
    if (check(digest, hash, &s, &err) < 0) {
        SHARC_ASSERT(err.text[0] && !s.right && !s.trusted);
        return 0;
    }
    SHARC_ASSERT(s.right && s.key[0] && (s.domain[0] != 0) == (s.stamped != SHARC_TIME_NONE));
    SHARC_ASSERT(check(digest, hash, &s, &err) == 0);
    SHARC_ASSERT(check(digest, SHARC_SPAN("sha256:00"), &s, &err) < 0);
    return 0;
}

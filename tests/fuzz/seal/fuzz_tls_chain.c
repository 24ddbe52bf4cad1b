/* SPDX-License-Identifier: Apache-2.0
 *
 * Certificates that a server presents, PEM from anybody: never a crash, and what is told of them can stand in a
 * document. Their names may be in any charset, their dates in any year.
 */
#include "sharc/base_json.h"
#include "sharc/seal_chain.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void tell(const struct sharc_seal_chain *c, size_t i, struct sharc_json *j)
{
    SHARC_AUTO(sharc_buf_done) struct sharc_buf subject = SHARC_BUF_INIT(1u << 20), issuer = SHARC_BUF_INIT(1u << 20);
    struct sharc_seal_validity valid;
    struct sharc_digest print;
    char text[SHARC_TIME_TEXT];
    sharc_seal_chain_certificate(c, i, &subject, &issuer, &valid);
    sharc_seal_chain_fingerprint(c, i, &print);
    SHARC_ASSERT(print.n == 32);
    sharc_json_object(j, NULL);
    if (valid.from != SHARC_TIME_NONE) sharc_json_str(j, "from", sharc_time_iso(valid.from, 0, text));
    if (valid.until != SHARC_TIME_NONE) sharc_json_str(j, "until", sharc_time_iso(valid.until, 0, text));
    sharc_json_end(j);
    SHARC_ASSERT(sharc_utf8_check(sharc_buf_span(&subject)) == SHARC_NPOS);
    SHARC_ASSERT(sharc_utf8_check(sharc_buf_span(&issuer)) == SHARC_NPOS);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    SHARC_AUTO(sharc_seal_chain_freep) struct sharc_seal_chain *c = NULL;
    SHARC_AUTO(sharc_buf_done) struct sharc_buf out = SHARC_BUF_INIT(1u << 20);
    struct sharc_json j;
    if (sharc_seal_chain_read(sharc_span(data, size), &c, NULL) < 0) return 0;
    SHARC_ASSERT(sharc_seal_chain_count(c) > 0 && sharc_seal_chain_count(c) <= SHARC_SEAL_CHAIN_LENGTH);
    sharc_json_init(&j, &out, false);
    sharc_json_array(&j, NULL);
    for (size_t i = 0; i < sharc_seal_chain_count(c); i++) tell(c, i, &j);
    sharc_json_end(&j);
    SHARC_ASSERT(sharc_jcs_check(sharc_buf_span(&out), NULL) == 0);
    static const char *const hosts[] = {"a.example", "127.0.0.1", "[::1]", "", "*.example", "xn--a"};
    for (size_t i = 0; i < SHARC_LENGTH(hosts); i++) (void)sharc_seal_chain_is_for(c, sharc_span_of(hosts[i]));
    return 0;
}

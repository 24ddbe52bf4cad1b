/* SPDX-License-Identifier: Apache-2.0 */
#include "signer.h"

#include "sharc/base_file.h"
#include "sharc/http_post.h"

static int read_key(struct cli_signer *s, const char *key, const char *password, struct sharc_err *reterr)
{
    SHARC_AUTO(sharc_seal_wipe) struct sharc_buf secret = SHARC_BUF_INIT(1024);
    int r = password ? sharc_seal_password(password, &secret, reterr) : 0;
    return r < 0 ? r : sharc_seal_key_load(key, sharc_buf_span(&secret), &s->key, reterr);
}

static int read_chain(struct cli_signer *s, const char *path, struct sharc_err *reterr)
{
    SHARC_AUTO(sharc_buf_done) struct sharc_buf pem = SHARC_BUF_INIT(SHARC_SEAL_CHAIN_BYTES);
    int r = sharc_file_read(path, &pem, reterr);
    if (r < 0) return r;
    r = sharc_seal_chain_read(sharc_buf_span(&pem), &s->chain, reterr);
    if (r == 0) r = sharc_seal_chain_fits(s->chain, s->key, reterr);
    return r < 0 ? sharc_err_prefix(reterr, r, "%s", path) : 0;
}

int cli_signer_open(struct cli_signer *s, const char *key, const char *password, const char *chain,
                    const char *authority, struct sharc_err *reterr)
{
    *s = (struct cli_signer){.authority = authority};
    int r = read_key(s, key, password, reterr);
    if (r == 0 && chain) r = read_chain(s, chain, reterr);
    return r;
}

void cli_signer_done(struct cli_signer *s)
{
    sharc_seal_key_freep(&s->key);
    sharc_seal_chain_freep(&s->chain);
}

int cli_ask_authority(void *arg, struct sharc_span query, struct sharc_buf *reply, struct sharc_err *reterr)
{
    const struct sharc_post p = {.url = arg,
                                 .type = "application/timestamp-query",
                                 .accept = "application/timestamp-reply",
                                 .body = query};
    return sharc_http_post(&p, reply, reterr);
}

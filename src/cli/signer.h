/* SPDX-License-Identifier: Apache-2.0
 *
 * Who signs, as the command line names it: a key, its certificates, an authority for time stamps.
 */
#ifndef SHARC_CLI_SIGNER_H
#define SHARC_CLI_SIGNER_H

#include "sharc/seal_chain.h"
#include "sharc/seal_stamp.h"

struct cli_signer {
    struct sharc_seal_key *key;
    struct sharc_seal_chain *chain; /* NULL: none was named */
    const char *authority;          /* the same */
};
/* Read the files that are named; chain and password (a file) may be NULL. A chain must be that of the key. */
int cli_signer_open(struct cli_signer *s, const char *key, const char *password, const char *chain,
                    const char *authority, struct sharc_err *reterr);
void cli_signer_done(struct cli_signer *s);

/* Ask the time-stamp authority whose URL is arg (const char *): a sharc_seal_ask_fn. */
int cli_ask_authority(void *arg, struct sharc_span query, struct sharc_buf *reply, struct sharc_err *reterr);

#endif

/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SHARC_CLI_VERIFY_CERTIFICATE_H
#define SHARC_CLI_VERIFY_CERTIFICATE_H

#include "cli.h"

struct cli_certificate {
    const char *file, *key, *trusted;
    uint64_t threads;
};
/* sharc verify --certificate; an exit code. paths: where the archive files are. */
int cli_verify_certificate(struct cli *c, const struct cli_certificate *o, const char *const *paths, size_t count);

#endif

/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SHARC_CLI_EXPORT_CERTIFICATE_H
#define SHARC_CLI_EXPORT_CERTIFICATE_H

#include "cli.h"
#include "signer.h"

#include "sharc/wacz.h"

struct export_certificate {
    struct cli *c;
    const struct cli_signer *signer;
    const char *output; /* temporary files lie beside it */
    sharc_time now;
};
/* A sharc_wacz_extra_fn (arg: the struct): the certificate of the capture that is packed, derived from the WARC in the
 * container. A capture that cannot be certified has none, and a remark says why. */
int export_add_certificate(void *arg, const char *const *warcs, size_t count, sharc_wacz_add_fn *put, void *put_arg,
                           struct sharc_err *reterr);

#endif

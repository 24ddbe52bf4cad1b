/* SPDX-License-Identifier: Apache-2.0
 *
 * Archive files elsewhere (base_remote.h) of which the caller knows something already: sharc_warc_open asks for it.
 */
#ifndef SHARC_WARC_REMOTE_H
#define SHARC_WARC_REMOTE_H

#include "sharc/base_remote.h"
#include "sharc/warc.h"

SHARC_PRIVATE_BEGIN

/* Without a version nobody notices when the file is replaced while it is read, but for the records' digests. */
int sharc_warc_open_known(const char *name, const struct sharc_remote_facts *facts, const struct sharc_warc_options *o,
                          struct sharc_warc **ret, struct sharc_err *reterr);

SHARC_PRIVATE_END
#endif

/* SPDX-License-Identifier: Apache-2.0
 *
 * What every command that works on an archive needs.
 */
#ifndef SHARC_CLI_ARCHIVE_H
#define SHARC_CLI_ARCHIVE_H

#include "cli.h"
#include "sharc/archive.h"
#include "sharc/store.h"

bool cli_is_directory(const char *path);

#define OPT_STORE(value)                 \
    OPT_STRING(0, "store", value, "URL", \
               "use this catalogue: a path or postgresql://… (default: \"store:\" in sharc.yaml, else catalogue.db)")

#endif

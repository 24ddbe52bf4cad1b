/* SPDX-License-Identifier: Apache-2.0
 *
 * Which sharc this is, and which libraries it runs with: for --version, for warcinfo
 * records and for evidence.
 */
#ifndef SHARC_BASE_VERSION_H
#define SHARC_BASE_VERSION_H

#include "sharc/base.h"

SHARC_API_BEGIN

/* Of these headers. What the numbers promise is in docs/library.md. */
#define SHARC_VERSION_MAJOR 0
#define SHARC_VERSION_MINOR 1
#define SHARC_VERSION_PATCH 0
#define SHARC_VERSION "0.1.0"
/* For comparisons: #if SHARC_VERSION_NUMBER >= 2000 asks for 0.2.0 or later. */
#define SHARC_VERSION_NUMBER (SHARC_VERSION_MAJOR * 1000000 + SHARC_VERSION_MINOR * 1000 + SHARC_VERSION_PATCH)

/* Of the library that runs: a static string such as "0.1.0", and its number. */
const char *sharc_version(void);
int sharc_version_number(void);

struct sharc_library {
    const char *name, *version; /* static strings, the version at run time */
};

size_t sharc_libraries_count(void);
/* In the order of their names; i below the count. */
struct sharc_library sharc_library_at(size_t i);

SHARC_API_END
#endif

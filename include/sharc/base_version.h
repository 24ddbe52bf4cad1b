/* SPDX-License-Identifier: Apache-2.0
 *
 * Which libraries sharc runs with: for --version, for warcinfo records and for
 * evidence. Each room that owns a foreign library registers its row.
 */
#ifndef SHARC_BASE_VERSION_H
#define SHARC_BASE_VERSION_H

#include "sharc/base.h"

SHARC_API_BEGIN

struct sharc_library {
    const char *name, *version; /* static strings, the version at run time */
};

void sharc_library_add(const char *name, const char *version);
size_t sharc_libraries_count(void);
/* In the order of their names. */
struct sharc_library sharc_library_at(size_t i);

SHARC_API_END
#endif

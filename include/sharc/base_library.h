/* SPDX-License-Identifier: Apache-2.0
 *
 * For rooms that own a foreign library: each registers its version from a constructor,
 * and sharc_library_at (base_version.h) lists them.
 */
#ifndef SHARC_BASE_LIBRARY_H
#define SHARC_BASE_LIBRARY_H

#include "sharc/base_version.h"

SHARC_PRIVATE_BEGIN

/* Static strings. Before main() only: there is no lock. */
void sharc_library_add(const char *name, const char *version);

SHARC_PRIVATE_END
#endif

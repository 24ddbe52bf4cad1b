/* SPDX-License-Identifier: Apache-2.0 */
#include "sharc/base_digest.h"

#include <xxhash.h>

uint64_t sharc_fingerprint(struct sharc_span s, uint64_t seed)
{
    return XXH3_64bits_withSeed(s.n ? s.p : "", s.n, seed);
}

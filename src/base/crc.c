/* SPDX-License-Identifier: Apache-2.0 */
#include "sharc/base_codec.h"

#include <libdeflate.h>

uint32_t sharc_crc32(uint32_t crc, struct sharc_span s)
{
    return s.n ? libdeflate_crc32(crc, s.p, s.n) : crc;
}

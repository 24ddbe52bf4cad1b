/* SPDX-License-Identifier: Apache-2.0
 *
 * What the files of room change share.
 */
#ifndef SHARC_CHANGE_INT_H
#define SHARC_CHANGE_INT_H

#include "sharc/change.h"
#include "sharc/change_text.h"

/* A bijection of 64 bits in which every input bit moves every output bit. Part
 * of stored signatures: it never changes. */
static inline uint64_t sharc__change_mix(uint64_t x)
{
    x ^= x >> 30;
    x *= UINT64_C(0xbf58476d1ce4e5b9);
    x ^= x >> 27;
    x *= UINT64_C(0x94d049bb133111eb);
    return x ^ x >> 31;
}

#endif

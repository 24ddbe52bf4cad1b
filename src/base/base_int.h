/* SPDX-License-Identifier: Apache-2.0
 *
 * What the files of room base share among themselves.
 */
#ifndef SHARC_BASE_INT_H
#define SHARC_BASE_INT_H

#include "sharc/base.h"

/* A number drawn once per process, mixed into the hash tables so that nobody
 * outside can choose keys that collide. No result depends on it. */
uint64_t sharc__base_hash_seed(void);

/* Make text safe to show: bytes that would steer a terminal or are not UTF-8
 * become '?', line breaks and tabs a space. Foreign bytes reach messages. */
void sharc__base_printable(char *text);

#endif

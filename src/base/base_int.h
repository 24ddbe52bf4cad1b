/* SPDX-License-Identifier: Apache-2.0
 *
 * What the files of room base share among themselves.
 */
#ifndef SHARC_BASE_INT_H
#define SHARC_BASE_INT_H

#include "sharc/base.h"
#include "sharc/base_file.h"

/* A number drawn once per process, mixed into the hash tables so that nobody
 * outside can choose keys that collide. No result depends on it. */
uint64_t sharc__base_hash_seed(void);
/* With that seed. */
uint64_t sharc__base_hash64(uint64_t key);

/* Make text safe to show: bytes that would steer a terminal or are not UTF-8
 * become '?', line breaks and tabs a space. Foreign bytes reach messages. */
void sharc__base_printable(char *text);

/* "path: what: " and what errno says. */
int sharc__base_fail_errno(struct sharc_err *reterr, const char *path, const char *what);

/* A file to be read ("-": standard input), which is no directory. */
int sharc__base_open_for_reading(const char *path, int *ret, struct sharc_err *reterr);

/* sharc_atomic_open; not nameless: as where the file system knows no files
 * without a name. */
int sharc__base_atomic_open(struct sharc_atomic_file *f, const char *path, bool nameless, struct sharc_err *reterr);

#endif

/* SPDX-License-Identifier: Apache-2.0 */
#include "fuzz_reader.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* A file head is put in front, so that every input is an ARC. */
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static const char head[] = "filedesc://x.arc 0.0.0.0 20010203040506 text/plain 9\n1 0 test\n\n";
    size_t n = sizeof head - 1;
    uint8_t *all = malloc(n + size);
    if (!all) return 0;
    memcpy(all, head, n);
    if (size) memcpy(all + n, data, size);
    walk_all_ways(all, n + size);
    free(all);
    return 0;
}

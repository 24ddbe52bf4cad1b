/* SPDX-License-Identifier: Apache-2.0 */
#include "fuzz_reader.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* Plain WARC: the head's grammar, and finding the next record after damage. */
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    walk_all_ways(data, size);
    return 0;
}

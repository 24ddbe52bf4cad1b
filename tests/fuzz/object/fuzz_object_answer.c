/* SPDX-License-Identifier: Apache-2.0
 *
 * Answers of an object store: whatever comes, nothing breaks, and no more things are listed than bytes came.
 */
#include "sharc/object.h"

#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (sharc_object_read_answer(sharc_span(data, size)) > size) abort();
    return 0;
}

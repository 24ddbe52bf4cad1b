/* SPDX-License-Identifier: Apache-2.0 */
#include "fuzz_page.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    return fuzz_page(data, size, "text/javascript");
}

/* SPDX-License-Identifier: Apache-2.0
 *
 * Sitemaps, feeds, OAI answers, lists of URLs, PDF: the first byte chooses.
 */
#include "fuzz_page.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static const char *const types[] = {"text/xml",        "application/rss+xml", "text/plain",
                                        "application/pdf", "image/svg+xml",       ""};
    if (!size) return 0;
    return fuzz_page(data + 1, size - 1, types[data[0] % SHARC_LENGTH(types)]);
}

/* SPDX-License-Identifier: Apache-2.0
 *
 * Blocks of warcinfo and metadata records.
 */
#include "../../../src/import/import_int.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct sharc_span block = sharc_span(data, size);
    SHARC_AUTO(sharc__import_run_done) struct import_run run = {0};
    SHARC_AUTO(sharc_arena_done) struct sharc_arena arena = SHARC_ARENA_INIT(16u << 20);
    struct import_row row = {.fetch = IMPORT_FETCH_INIT};
    sharc__import_run_read(&run, block);
    SHARC_ASSERT(sharc_utf8_check(sharc_span_of(run.name)) == SHARC_NPOS);
    SHARC_ASSERT(sharc_utf8_check(sharc_span_of(run.site)) == SHARC_NPOS);
    sharc__import_fetch_read(&row, block, true, &arena);
    SHARC_ASSERT(row.fetch.hops >= -1 && row.fetch.slot >= -1 && row.fetch.via.n <= SHARC_LIMIT_URL);
    for (size_t i = 0; i < row.link_count; i++) SHARC_ASSERT(row.links[i].url.n > 0 && row.links[i].kind <= 2);
    return 0;
}

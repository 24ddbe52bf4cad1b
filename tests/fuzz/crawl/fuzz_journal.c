/* SPDX-License-Identifier: Apache-2.0
 *
 * The journal of a capture, as the catalogue hands it out: whatever stands there, reading
 * ends, stays inside the bytes, and names only pages that it has introduced.
 */
#include "../../../src/crawl/journal_read.h"

#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void check_inside(struct sharc_span all, struct sharc_span part)
{
    if (part.n && (part.p < all.p || part.p + part.n > all.p + all.n)) abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct sharc_span all = sharc_span(data, size);
    struct journal_reader r = {.in = all};
    struct journal_event e;
    struct renewed one;
    size_t left = size + 1;
    while (sharc__crawl_journal_next(&r, &e)) {
        if (r.in.n >= left) abort(); /* every event takes at least its letter */
        left = r.in.n;
        check_inside(all, e.text);
        check_inside(all, e.file);
        check_inside(all, e.etag);
        bool page = e.what != 'n' && e.what != 'o' && e.what != 'r' && e.what != 'c' && e.what != 'g' &&
                    e.what != 'x' && e.what != 'd';
        if (page && (e.page >= r.pages || e.other >= r.pages)) abort();
        if (e.what == 'n' && e.any && e.slot.page >= r.pages) abort();
        if (e.what == 'o' && e.observation.page >= r.pages) abort();
        if (e.what == 'p' && e.row.via != NO_PAGE && e.row.via >= r.pages) abort();
        for (uint64_t n = e.what == 'r' ? e.count : 0; n > 0 && sharc__crawl_journal_next_rate(&r, &one); n--)
            if (one.page >= r.pages) abort();
    }
    if (!r.bad && r.in.n > 0) abort();
    return 0;
}

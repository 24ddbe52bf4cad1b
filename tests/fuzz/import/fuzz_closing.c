/* SPDX-License-Identifier: Apache-2.0
 *
 * Closing records, which anybody can write: never a crash, no page without a download is proved by one, the scope that
 * is taken over is canonical JSON, and a capture never ends before it did.
 */
#include "../../../src/derive/derive_int.h"
#include "../../../src/import/import_int.h"

#include "sharc/seal.h"

#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

#define BEGAN (INT64_C(1794830400) * SHARC_SEC)

static void derive(struct sharc_span lines)
{
    SHARC_AUTO(sharc_derived_freep) struct sharc_derived *f = sharc_derived_new();
    struct derive_part part = {.file = 0};
    struct sharc_gathered *each = &part.g;
    sharc__derive_gathered_init(each);
    SHARC_GROW(each->verdicts, each->verdict_room, 1);
    each->verdicts[each->verdict_count++] = (struct sharc_closing){.capture = BEGAN, .lines = sharc_span_dup(lines)};
    f->files = SHARC_NEW_ARRAY(struct sharc_derived_file, 1);
    f->files[f->file_count++] = (struct sharc_derived_file){.name = sharc_strdup("a.warc")};
    f->capture = BEGAN;
    SHARC_ASSERT(sharc__derive_join(f, &part, 1, NULL) == 0);
    sharc__derive_heed_verdict(f);
    sharc__derive_intervals(f);
    SHARC_ASSERT(f->together == 0 && f->from == SHARC_TIME_NONE);
    for (size_t i = 0; i < f->page_count; i++) {
        SHARC_ASSERT(!sharc_grade_is_proof(sharc_derived_grade(&f->pages[i])));
        SHARC_ASSERT(i == 0 || sharc_span_cmp(sharc_derived_text(f, f->pages[i - 1].url),
                                              sharc_derived_text(f, f->pages[i].url)) < 0);
    }
    if (f->scope) SHARC_ASSERT(sharc_jcs_check(sharc_span_of(f->scope), NULL) == 0);
}

static void import(struct sharc_span lines)
{
    struct import_writer w = {0};
    struct import_capture known = {.id = 1, .start = BEGAN, .end = BEGAN + SHARC_SEC};
    char began[SHARC_TIME_TEXT];
    sharc__import_captures_init(&w.captures, SHARC_HOUR, false);
    sharc__import_captures_add(&w.captures, &known, SHARC_SPAN("a.example"),
                               sharc_span_of(sharc_time_iso(BEGAN, 6, began)), SHARC_SPAN("key"));
    sharc__import_closing(&w, lines);
    SHARC_ASSERT(w.captures.items[0].start == BEGAN && w.captures.items[0].end >= BEGAN + SHARC_SEC);
    sharc__import_captures_done(&w.captures);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    derive(sharc_span(data, size));
    import(sharc_span(data, size));
    return 0;
}

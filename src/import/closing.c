/* SPDX-License-Identifier: Apache-2.0
 *
 * The closing record of a capture, as our crawler wrote it behind the last download (crawl/closing.c). Anybody can
 * write one: its grades are left aside, those of the catalogue are derived from the records (derived.c). It only says
 * when the capture ended, since control downloads are no rows, and come last.
 */
#include "import_int.h"

#include "sharc/base_node.h"

/* The capture that began then; of several the one of that site. */
static struct import_capture *capture_of(struct import_writer *w, struct sharc_span began, struct sharc_span site)
{
    struct import_captures *c = &w->captures;
    struct import_capture *found = NULL;
    for (size_t i = 0; i < c->count; i++) {
        struct import_capture *one = &c->items[i];
        if (one->gone || !one->id || !sharc_span_eq(sharc_intern_text(c->names, one->run), began)) continue;
        if (!found || sharc_span_eq(sharc_intern_text(c->names, one->site), site)) found = one;
    }
    return found;
}

void sharc__import_closing(struct import_writer *w, struct sharc_span lines)
{
    SHARC_AUTO(sharc_arena_done) struct sharc_arena arena = SHARC_ARENA_INIT(16u << 20);
    const struct sharc_node *n = NULL;
    struct sharc_span line;
    sharc_time end;
    if (!sharc_span_next(&lines, '\n', &line) || sharc_json_read(line, &arena, &n, NULL) < 0) return;
    if (!sharc_span_is(sharc_node_text(sharc_node_get(n, "sharc")), "verdict")) return;
    struct import_capture *c =
        capture_of(w, sharc_node_text(sharc_node_get(n, "capture")), sharc_node_text(sharc_node_get(n, "site")));
    struct sharc_span text = sharc_node_text(sharc_node_get(n, "end"));
    if (!c || !text.n || sharc_time_parse(text, &end, NULL) < 0 || end <= c->end) return;
    c->end = end;
    c->widened = true;
}

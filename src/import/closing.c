/* SPDX-License-Identifier: Apache-2.0
 *
 * The verdict of a capture, as our crawler wrote it behind the last download (crawl/closing.c): its
 * reference interval and the grade of every page.
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

static sharc_time time_of(const struct sharc_node *n, const char *name)
{
    sharc_time t;
    struct sharc_span text = sharc_node_text(sharc_node_get(n, name));
    return text.n && sharc_time_parse(text, &t, NULL) == 0 ? t : SHARC_TIME_NONE;
}

static int take_head(struct import_writer *w, struct import_capture *c, const struct sharc_node *n,
                     struct sharc_err *reterr)
{
    struct sharc_store_capture row = SHARC_STORE_CAPTURE_INIT;
    const sharc_time end = time_of(n, "end"); /* control downloads are no rows, and come last */
    if (end != SHARC_TIME_NONE && end > c->end) {
        c->end = end;
        c->widened = true;
    }
    row.id = c->id;
    row.state = c->crawled ? c->state : SHARC_CAPTURE_IMPORTING;
    row.reference = time_of(n, "reference");
    row.reference_from = time_of(n, "reference_from");
    row.reference_to = time_of(n, "reference_to");
    return sharc_store_batch_capture(w->batch, &row, reterr);
}

/* A reason that is not known here grades nothing. */
static int take_page(struct import_writer *w, const struct import_capture *c, const struct sharc_node *n,
                     struct sharc_err *reterr)
{
    struct sharc_store_grade g = SHARC_STORE_GRADE_INIT;
    struct sharc_span url = sharc_node_text(sharc_node_get(n, "url"));
    if (!url.n || sharc_grade_reason_find(sharc_node_text(sharc_node_get(n, "reason")), &g.reason) < 0) return 0;
    g.from = time_of(n, "known_from");
    g.to = time_of(n, "known_to");
    g.detail = sharc_node_text(sharc_node_get(n, "detail"));
    int r = sharc_store_batch_grade(w->batch, c->id, url, &g, reterr);
    return r == SHARC_ELIMIT ? 0 : r;
}

int sharc__import_closing(struct import_writer *w, struct sharc_span lines, struct sharc_err *reterr)
{
    struct import_capture *c = NULL;
    struct sharc_span line;
    int r = 0;
    while (r >= 0 && sharc_span_next(&lines, '\n', &line)) {
        SHARC_AUTO(sharc_arena_done) struct sharc_arena arena = SHARC_ARENA_INIT(16u << 20);
        const struct sharc_node *n = NULL;
        if (!line.n || sharc_json_read(line, &arena, &n, NULL) < 0) continue; /* somebody else's, or damaged */
        if (sharc_span_is(sharc_node_text(sharc_node_get(n, "sharc")), "verdict")) {
            if (sharc_node_int(sharc_node_get(n, "form"), 0) != 1) return 0;
            c = capture_of(w, sharc_node_text(sharc_node_get(n, "capture")),
                           sharc_node_text(sharc_node_get(n, "site")));
            if (c && sharc_node_get(n, "judged")) r = take_head(w, c, n, reterr);
        } else if (c) {
            r = take_page(w, c, n, reterr);
        }
    }
    return r < 0 ? r : 0;
}

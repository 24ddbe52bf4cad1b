/* SPDX-License-Identifier: Apache-2.0
 *
 * /api/difference: the text of a page in two captures, side by side; of one capture: its visit against its revisit.
 */
#include "api.h"

#include "sharc/diff.h"

#include <math.h>
#include <stdlib.h>

/* Browsers count in UTF-16 units, our marks in bytes. */
static size_t units(struct sharc_span text)
{
    size_t n = 0;
    for (size_t i = 0; i < text.n; i++) {
        unsigned char c = (unsigned char)text.p[i];
        if ((c & 0xc0) != 0x80) n += c >= 0xf0 ? 2 : 1;
    }
    return n;
}

static void put_marks(struct sharc_json *j, const char *name, struct sharc_span line, const struct sharc_change_mark *m,
                      size_t count)
{
    sharc_json_array(j, name);
    for (size_t i = 0; i < count; i++) {
        sharc_json_array(j, NULL);
        sharc_json_uint(j, NULL, units(sharc_span_sub(line, 0, m[i].at)));
        sharc_json_uint(j, NULL, units(sharc_span_sub(line, m[i].at, m[i].at + m[i].n)));
        sharc_json_end(j);
    }
    sharc_json_end(j);
}

static void put_row(struct sharc_json *j, const struct sharc_change_row *row)
{
    sharc_json_object(j, NULL);
    sharc_json_str(j, "kind", sharc_change_row_word(row->kind));
    if (row->kind == SHARC_ROW_GAP) sharc_json_uint(j, "lines", row->left_out);
    if (row->before) sharc_json_span(j, "old", row->old);
    if (row->after && row->kind != SHARC_ROW_KEPT) sharc_json_span(j, "new", row->now);
    if (row->n_old_marks) put_marks(j, "old_marks", row->old, row->old_marks, row->n_old_marks);
    if (row->n_now_marks) put_marks(j, "new_marks", row->now, row->now_marks, row->n_now_marks);
    sharc_json_end(j);
}

static void put_links(struct sharc_json *j, const char *name, const struct sharc_span *links, size_t n)
{
    sharc_json_array(j, name);
    for (size_t i = 0; i < n && i < 1000; i++) sharc_json_span(j, NULL, links[i]);
    sharc_json_end(j);
}

static void put_page(struct sharc_json *j, const struct sharc_diff_page *p, const struct sharc_diff_version *before,
                     const struct sharc_diff_version *after)
{
    sharc__serve_api_time(j, "before", before ? before->when : SHARC_TIME_NONE);
    sharc__serve_api_time(j, "after", after ? after->when : SHARC_TIME_NONE);
    sharc_json_str(j, "class", sharc_diff_class_word(p->kind));
    sharc_json_str(j, "text", sharc_diff_class_name(p->kind));
    sharc_json_real(j, "similarity", p->verdict.similarity >= 0 ? p->verdict.similarity : (double)NAN);
    sharc_json_uint(j, "added", p->rows.added);
    sharc_json_uint(j, "removed", p->rows.removed);
    sharc_json_bool(j, "cut", p->rows.cut);
    sharc_json_bool(j, "readable", (before && before->has_text) || (after && after->has_text));
    sharc_json_array(j, "rows");
    for (size_t i = 0; i < p->rows.count; i++) put_row(j, &p->rows.rows[i]);
    sharc_json_end(j);
    put_links(j, "links_added", p->links_added, p->n_links_added);
    put_links(j, "links_removed", p->links_removed, p->n_links_removed);
}

static int put_difference(struct api_call *a, const struct sharc_diff_set *set, const struct sharc_diff_options *o,
                          struct sharc_err *reterr)
{
    struct sharc_diff_version before = {0}, after = {0};
    struct sharc_diff_page page = {0};
    bool old, now;
    int r = sharc_diff_set_read(set, 0, o, &before, &after, &old, &now, reterr);
    if (r >= 0 && !old && !now)
        r = sharc_fail(reterr, SHARC_ENOENT, "neither of the two downloads can be read from the archive's files");
    if (r >= 0) {
        sharc_diff_page_make(&page, old ? &before : NULL, now ? &after : NULL, o, true);
        put_page(&a->json, &page, old ? &before : NULL, now ? &after : NULL);
        sharc_diff_page_done(&page);
    }
    sharc_diff_version_done(&before);
    sharc_diff_version_done(&after);
    return r < 0 ? r : 0;
}

int sharc__serve_api_difference(struct api_call *a, struct sharc_err *reterr)
{
    SHARC_AUTO(sharc_freep) char *url = sharc__serve_api_text(a, "url");
    struct sharc_diff_options o = SHARC_DIFF_OPTIONS;
    struct sharc_diff_set set = SHARC_DIFF_SET_INIT;
    sharc_store_id first, second;
    SHARC_FAIL_IF(!*url, reterr, SHARC_EINVAL, "name a page: url=http://example.org/");
    int r = sharc__serve_api_capture_of(a, "a", &first, reterr);
    if (r == 0) r = sharc__serve_api_capture_of(a, "b", &second, reterr);
    if (r < 0) return r;
    o.url = sharc_span_of(url);
    o.threads = 1;
    o.keep = (1u << SHARC_DIFF_CLASSES) - 1;
    o.max_rows = 5000;
    r = sharc_diff_captures(a->store, a->directory, first, second, &o, &set, reterr);
    if (r >= 0 && set.count == 0) r = sharc_fail(reterr, SHARC_ENOENT, "neither capture has this page");
    sharc_json_str(&a->json, "url", url);
    if (r >= 0) r = put_difference(a, &set, &o, reterr);
    sharc_diff_set_done(&set);
    return r;
}

/* SPDX-License-Identifier: Apache-2.0
 *
 * sharc view --screenshots --warc: pictures as resource records. The URL is that of the page behind "urn:view:",
 * as other crawlers name screenshots; the date is that of the picture, Sharc-Shows that of the capture.
 */
#include "cmd_view_series.h"

#include "sharc/base_file.h"
#include "sharc/base_node.h"
#include "sharc/warc_write.h"

#include <stdlib.h>

static int put_picture(struct sharc_warc_writer *w, const char *dir, const struct sharc_node *line, sharc_time now,
                       struct sharc_err *err)
{
    SHARC_AUTO(sharc_buf_done) struct sharc_buf png = SHARC_BUF_INIT(1u << 30);
    SHARC_AUTO(sharc_freep) char *name = sharc_span_dup(sharc_node_text(sharc_node_get(line, "file")));
    SHARC_AUTO(sharc_freep) char *path = sharc_path_join(dir, name);
    struct sharc_span url = sharc_node_text(sharc_node_get(line, "url"));
    SHARC_AUTO(sharc_freep) char *target = sharc_asprintf("urn:view:%.*s", SHARC_SPAN_ARG(url));
    char extra[100], time[SHARC_TIME_TEXT];
    sharc_time shown;
    int r = sharc_time_parse(sharc_node_text(sharc_node_get(line, "timestamp")), &shown, err);
    if (r == 0) r = sharc_file_read(path, &png, err);
    if (r < 0) return r;
    snprintf(extra, sizeof extra, "Sharc-Shows: %s\r\n", sharc_time_iso(shown, shown % SHARC_SEC ? 3 : 0, time));
    const struct sharc_warc_entry e = {.type = SHARC_WARC_RESOURCE,
                                       .date = now,
                                       .target = sharc_span_of(target),
                                       .content_type = SHARC_SPAN("image/png"),
                                       .extra = sharc_span_of(extra),
                                       .block = {.body = sharc_buf_span(&png)}};
    return sharc_warc_write(w, now, &e, NULL, err);
}

int view_series_warc(const char *dir, const char *path, sharc_time now, size_t *ret_count, struct sharc_err *err)
{
    SHARC_AUTO(sharc_buf_done) struct sharc_buf text = SHARC_BUF_INIT(1u << 30);
    SHARC_AUTO(sharc_freep) char *list = sharc_path_join(dir, VIEW_SERIES_LIST);
    SHARC_AUTO(sharc_warc_writer_freep) struct sharc_warc_writer *w = NULL;
    const struct sharc_warc_writer_options o = {.path = path,
                                                .info = SHARC_SPAN("description: screenshots of archived pages\r\n")};
    struct sharc_span rest, line;
    size_t count = 0;
    int r = sharc_file_read(list, &text, err);
    if (r == 0) r = sharc_warc_writer_open(&o, &w, err);
    rest = sharc_buf_span(&text);
    while (r >= 0 && sharc_span_next(&rest, '\n', &line)) {
        SHARC_AUTO(sharc_arena_done) struct sharc_arena arena = SHARC_ARENA_INIT(1u << 20);
        const struct sharc_node *n = NULL;
        if (!line.n || sharc_json_read(line, &arena, &n, NULL) < 0) continue;
        if (!sharc_node_text(sharc_node_get(n, "file")).n) continue; /* it could not be shown */
        r = put_picture(w, dir, n, now, err);
        count++;
    }
    if (r >= 0) r = sharc_warc_writer_finish(w, err);
    if (r >= 0) *ret_count = count;
    return r < 0 ? r : 0;
}

/* SPDX-License-Identifier: Apache-2.0
 *
 * sharc view --screenshots: pictures of all pages of a capture, for reports. A line of screenshots.jsonl for each
 * page is written behind its picture, so that who begins again goes on behind the last one.
 */
#include "cmd_view_series.h"

#include "archive.h"
#include "sharc/base_digest.h"
#include "sharc/base_file.h"
#include "sharc/base_map.h"
#include "sharc/base_node.h"
#include "sharc/store_query.h"

#include <errno.h>
#include <stdlib.h>
#include <unistd.h>

/* --- which capture -------------------------------------------------------------------------------- */

static void put_digits(sharc_time t, char out[SHARC_TIME_TEXT])
{
    out[0] = 0;
    if (t != SHARC_TIME_NONE) sharc_time_compact(t, 14, out);
}

static int read_capture(const char *archive, const char *store_url, const char *name, struct series_times *t,
                        struct sharc_err *err)
{
    SHARC_AUTO(sharc_store_freep) struct sharc_store *store = NULL;
    SHARC_AUTO(sharc_store_rows_freep) struct sharc_store_rows *rows = NULL;
    const struct sharc_store_options o = {.read_only = true, .must_exist = true};
    struct sharc_store_capture_filter f = SHARC_STORE_CAPTURE_FILTER_INIT;
    struct sharc_store_capture capture;
    int r = sharc_archive_open(archive, store_url, &o, &store, err);
    if (r >= 0) r = sharc_store_capture_find(store, sharc_span_of(name), &f.id, err);
    if (r >= 0) r = sharc_store_captures(store, &f, &rows, err);
    if (r >= 0) r = sharc_store_rows_next(rows, err);
    if (r <= 0) return r;
    sharc_store_read_capture(rows, &capture);
    put_digits(capture.start, t->from);
    put_digits(capture.end, t->to);
    put_digits(capture.reference, t->reference);
    return 0;
}

int view_series_times(const struct view_settings *s, const char *archive, const char *capture, struct series_times *t,
                      struct sharc_err *err)
{
    *t = (struct series_times){.from = ""};
    if (sharc_archive_is(archive)) return read_capture(archive, s->store, capture ? capture : "latest", t, err);
    SHARC_FAIL_IF(capture, err, SHARC_EINVAL, "%s is no archive with a catalogue, which could tell its captures",
                  archive);
    return 0;
}

/* --- what was done before ------------------------------------------------------------------------------ */

static uint32_t mark(struct sharc_intern *done, const char *url, const char *timestamp, bool *fresh)
{
    SHARC_AUTO(sharc_freep) char *both = sharc_asprintf("%s %s", timestamp, url);
    return fresh ? sharc_intern_add(done, sharc_span_of(both), fresh) : sharc_intern_find(done, sharc_span_of(both));
}

/* Whose picture is there. Lines of failures are not kept: they are tried again. */
static bool is_done(const char *dir, const struct sharc_node *line)
{
    struct sharc_span file = sharc_node_text(sharc_node_get(line, "file"));
    if (!file.n || sharc_span_find(file, '/', 0) != SHARC_NPOS) return false;
    SHARC_AUTO(sharc_freep) char *name = sharc_span_dup(file);
    SHARC_AUTO(sharc_freep) char *path = sharc_path_join(dir, name);
    return access(path, R_OK) == 0;
}

/* A line that was cut when the machine went down counts for nothing, and neither does a second one of a page. */
static int read_done(const char *dir, const char *path, struct sharc_intern *done, struct sharc_buf *kept,
                     struct sharc_err *err)
{
    SHARC_AUTO(sharc_buf_done) struct sharc_buf text = SHARC_BUF_INIT(1u << 30);
    struct sharc_err why = SHARC_ERR_INIT;
    int r = sharc_file_read(path, &text, &why);
    if (r == SHARC_ENOENT) return 0;
    if (r < 0 && err) *err = why;
    struct sharc_span rest = sharc_buf_span(&text), line;
    while (r == 0 && sharc_span_next(&rest, '\n', &line)) {
        SHARC_AUTO(sharc_arena_done) struct sharc_arena arena = SHARC_ARENA_INIT(1u << 20);
        const struct sharc_node *n = NULL;
        if (!line.n || sharc_json_read(line, &arena, &n, NULL) < 0 || !is_done(dir, n)) continue;
        SHARC_AUTO(sharc_freep) char *url = sharc_span_dup(sharc_node_text(sharc_node_get(n, "url")));
        SHARC_AUTO(sharc_freep) char *time = sharc_span_dup(sharc_node_text(sharc_node_get(n, "timestamp")));
        bool fresh = false;
        mark(done, url, time, &fresh);
        if (!fresh) continue;
        sharc_buf_put(kept, line);
        sharc_buf_put_char(kept, '\n');
    }
    return r < 0 ? r : sharc_buf_result(kept, err);
}

static size_t leave_out_done(struct sharc_view_plan *p, struct sharc_intern *done)
{
    size_t kept = 0, all = p->count;
    for (size_t i = 0; i < all; i++) {
        if (mark(done, p->items[i].url, p->items[i].timestamp, NULL) != SHARC_NO_ID)
            free(p->items[i].url);
        else
            p->items[kept++] = p->items[i];
    }
    p->count = kept;
    return all - kept;
}

/* --- one picture ------------------------------------------------------------------------------------------- */

struct series {
    struct cli *c;
    const char *dir;
    FILE *list;
    struct sharc_progress *bar;
    struct series_totals *totals;
};

/* "20261101120000-example.org-a-b-1f2e3d4c.png": for people, and different for different pages. */
static char *name_of(const struct sharc_view_item *item)
{
    char words[64];
    size_t n = 0;
    const char *at = strstr(item->url, "://");
    for (at = at ? at + 3 : item->url; *at && n < sizeof words - 1; at++) {
        bool plain = sharc_is_alnum(*at) || *at == '.';
        if (plain || (n && words[n - 1] != '-')) words[n++] = plain ? *at : '-';
    }
    while (n && words[n - 1] == '-') n--;
    words[n] = 0;
    return sharc_asprintf("%s-%s-%08x.png", item->timestamp, words,
                          (unsigned)(sharc_fingerprint(sharc_span_of(item->url), 0) >> 32));
}

static void put_counts(struct sharc_json *j, const struct sharc_view_page *page)
{
    uint64_t missing = 0;
    for (size_t i = 0; i < sharc_view_requests(page); i++)
        missing += sharc_view_request(page, i)->outcome == SHARC_VIEW_MISSING;
    sharc_json_uint(j, "requests", sharc_view_requests(page));
    sharc_json_uint(j, "missing", missing);
    sharc_json_bool(j, "at_rest", sharc_view_at_rest(page));
}

static int take(void *arg, const struct sharc_view_shot *shot, struct sharc_err *err)
{
    struct series *s = arg;
    SHARC_AUTO(sharc_buf_done) struct sharc_buf line = SHARC_BUF_INIT(1u << 20);
    SHARC_AUTO(sharc_freep) char *name = name_of(shot->item);
    SHARC_AUTO(sharc_freep) char *path = sharc_path_join(s->dir, name);
    struct sharc_clock *clock = sharc_clock_real();
    struct sharc_json j;
    int r = shot->page ? sharc_file_replace(path, shot->png, err) : 0;
    if (r < 0) return r;
    sharc_json_init(&j, &line, false);
    sharc_json_object(&j, NULL);
    sharc_json_str(&j, "url", shot->item->url);
    sharc_json_str(&j, "timestamp", shot->item->timestamp);
    sharc_json_str(&j, "file", shot->page ? name : NULL);
    if (shot->page) put_counts(&j, shot->page);
    if (shot->failed) sharc_json_str(&j, "error", shot->failed->text);
    sharc_json_end(&j);
    sharc_buf_put_char(&line, '\n');
    fwrite(line.p, 1, line.n, s->list);
    SHARC_FAIL_IF(fflush(s->list) != 0, err, sharc_error_from_errno(errno), "%s: the list cannot be written: %s",
                  s->dir, strerror(errno));
    if (shot->failed) cli_note(s->c, "%s", shot->failed->text);
    s->totals->taken += shot->page != NULL;
    s->totals->failed += shot->failed != NULL;
    sharc_progress_add(s->bar, 1, clock->now(clock));
    return 0;
}

/* --- all of them --------------------------------------------------------------------------------------------- */

static void file_close(FILE **f)
{
    if (*f) fclose(*f);
}

static int begin_list(const char *dir, struct sharc_intern *done, FILE **ret, char **ret_path, struct sharc_err *err)
{
    SHARC_AUTO(sharc_buf_done) struct sharc_buf kept = SHARC_BUF_INIT(1u << 30);
    int r = sharc_dir_make(dir, err);
    *ret_path = sharc_path_join(dir, VIEW_SERIES_LIST);
    if (r == 0) r = read_done(dir, *ret_path, done, &kept, err);
    if (r == 0) r = sharc_file_replace(*ret_path, sharc_buf_span(&kept), err);
    if (r < 0) return r;
    *ret = fopen(*ret_path, "ae");
    SHARC_FAIL_IF(!*ret, err, sharc_error_from_errno(errno), "%s: %s", *ret_path, strerror(errno));
    return 0;
}

int view_series(struct cli *c, const struct view_settings *s, const struct series_times *t,
                struct series_totals *totals, struct sharc_err *err)
{
    SHARC_AUTO(sharc_view_plan_done) struct sharc_view_plan plan = {NULL, 0, 0};
    SHARC_AUTO(sharc_intern_freep) struct sharc_intern *done = sharc_intern_new();
    SHARC_AUTO(sharc_view_stopp) struct sharc_view *v = NULL;
    SHARC_AUTO(sharc_progress_freep) struct sharc_progress *bar = NULL;
    SHARC_AUTO(file_close) FILE *list = NULL;
    SHARC_AUTO(sharc_freep) char *path = NULL;
    int r = sharc_view_plan(s->o.edition, sharc_span_of(t->from), sharc_span_of(t->to), sharc_span_of(t->reference),
                            &plan, err);
    if (r < 0) return r;
    SHARC_FAIL_IF(!plan.count, err, SHARC_ENOENT, "there is no HTML page in it");
    totals->pages = plan.count;
    r = begin_list(s->dir, done, &list, &path, err);
    if (r < 0) return r;
    totals->kept = leave_out_done(&plan, done);
    if (!plan.count) return 0;
    r = sharc_view_start(&s->o, &v, err);
    if (r < 0) return r;
    bar = cli_progress(c, "screenshots", "pages", plan.count);
    struct series series = {c, s->dir, list, bar, totals};
    r = sharc_view_series(v, &plan, (unsigned)s->tabs, take, &series, err);
    struct sharc_clock *clock = sharc_clock_real();
    sharc_progress_finish(bar, clock->now(clock));
    return r;
}

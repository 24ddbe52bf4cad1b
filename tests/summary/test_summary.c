/* SPDX-License-Identifier: Apache-2.0
 *
 * Kept summaries say what the rows say, whatever happens to the rows. On every back-end.
 */
#include "../../src/summary/summary_int.h"
#include "../store/stories.h"

#include "sharc/store_amend.h"
#include "sharc/store_review.h"
#include "sharc/store_watch.h"

#include <stdio.h>
#include <stdlib.h>

/* --- what the rows say ------------------------------------------------------------------ */

/* Everything that is kept, as bytes: computed from the rows, or as the functions tell it. */
struct picture {
    struct sharc_buf bytes;
};

static void put(struct picture *p, summary_struct_fn *fn, void *x)
{
    struct summary_codec c = {.out = &p->bytes};
    fn(&c, x);
}

static size_t captures_of(struct fixture *f, sharc_store_id *ret)
{
    struct sharc_err err = SHARC_ERR_INIT;
    struct sharc_store_rows *rows = NULL;
    struct sharc_store_capture c;
    size_t n = 0;
    must(sharc_store_captures(f->store, NULL, &rows, &err), &err);
    while (next(rows) > 0) {
        sharc_store_read_capture(rows, &c);
        ret[n++] = c.id;
    }
    sharc_store_rows_free(rows);
    return n;
}

static void put_counts(struct fixture *f, struct picture *p, sharc_store_id capture, bool kept)
{
    struct sharc_err err = SHARC_ERR_INIT;
    struct sharc_store_capture_sums s;
    uint64_t reasons[SHARC_GRADE_REASON_COUNT];
    if (!kept) { /* the newest version cannot be read, so both count */
        char sql[100];
        snprintf(sql, sizeof sql, "UPDATE summary SET version = 99 WHERE capture = %lld AND name = 'counts'",
                 (long long)capture);
        fixture_sql(f, sql);
    }
    must(sharc_store_capture_sum(f->store, capture, &s, &err), &err);
    must(sharc_store_grade_counts(f->store, capture, reasons, &err), &err);
    if (!kept) fixture_sql(f, "UPDATE summary SET version = 1 WHERE name = 'counts'");
    sharc_buf_printf(&p->bytes, "%llu %llu %llu %llu %llu %llu %llu %llu %llu %lld %lld", (unsigned long long)s.pages,
                     (unsigned long long)s.failed, (unsigned long long)s.bytes, (unsigned long long)s.revisited,
                     (unsigned long long)s.coherent, (unsigned long long)s.new_pages, (unsigned long long)s.changed,
                     (unsigned long long)s.unchanged, (unsigned long long)s.with_text, (long long)s.first,
                     (long long)s.last);
    for (int i = 0; i < SHARC_GRADE_REASON_COUNT; i++)
        sharc_buf_printf(&p->bytes, " %llu", (unsigned long long)reasons[i]);
}

static void put_verdict(struct fixture *f, struct picture *p, sharc_store_id capture, bool kept)
{
    struct sharc_err err = SHARC_ERR_INIT;
    struct sharc_assess *a = NULL;
    struct sharc_assess_capture v = {0};
    struct summary_series s = {0};
    if (kept) {
        must(sharc_summary_verdict(f->store, capture, &v, &err), &err);
        must(sharc_summary_series(f->store, capture, &s.several, &s.series, &err), &err);
    } else {
        must(sharc_assess_open(f->store, capture, false, &a, &err), &err);
        must(sharc_assess_judge(a, 0, &v, &err), &err);
        s.several = sharc_assess_series(a, 0, &s.series);
    }
    put(p, sharc__summary_put_verdict, &v);
    if (s.several) put(p, sharc__summary_put_series, &s);
    sharc_assess_capture_done(&v);
    sharc_assess_series_done(&s.series);
    sharc_assess_free(a);
}

static void put_series(struct fixture *f, struct picture *p, const sharc_store_id *ids, size_t n, bool kept)
{
    struct sharc_err err = SHARC_ERR_INIT;
    struct sharc_figure_series s = {0};
    struct sharc_figure_calendar c = {0};
    struct sharc_figure_subsites parts = {0};
    struct sharc_figure_week week = {.pages = 0};
    if (kept) {
        must(sharc_summary_week(f->store, f->site, &week, &err), &err);
        must(sharc_summary_subsites(f->store, ids, n, &parts, &err), &err);
        must(sharc_summary_steps(f->store, ids, n, &s, &err), &err);
        must(sharc_summary_calendar(f->store, ids, n, SHARC_SUMMARY_ROWS, &c, &err), &err);
    } else {
        must(sharc_figure_series(f->store, ids, n, &s, &err), &err);
        must(sharc_figure_calendar(f->store, ids, n, SHARC_SUMMARY_ROWS, &c, &err), &err);
        must(sharc_figure_subsites(f->store, ids, n, &parts, &err), &err);
        must(sharc_figure_week(f->store, f->site, 0, &week, &err), &err);
    }
    put(p, sharc__summary_put_week, &week);
    for (size_t i = 0; i < s.count; i++) put(p, sharc__summary_put_step, &s.steps[i]);
    assert_string_equal(s.site, c.site);
    put(p, sharc__summary_put_calendar, &c);
    sharc_figure_series_done(&s);
    sharc_figure_calendar_done(&c);
    put(p, sharc__summary_put_subsites, &parts);
    sharc_figure_subsites_done(&parts);
}

/* How alike changed texts are is not told of captures that do not follow each other; the pair tells it. */
static void forget_similarity(struct sharc_figure_changes *c)
{
    for (size_t i = 0; i < c->count; i++)
        if (c->change[i] == SHARC_FIGURE_TEXT || c->change[i] == SHARC_FIGURE_LINKS) c->similarity[i] = 0;
}

/* A capture and an earlier one; what changed is kept where it is the one before. */
static void put_pages(struct fixture *f, struct picture *p, sharc_store_id before, sharc_store_id capture, bool kept)
{
    struct sharc_err err = SHARC_ERR_INIT;
    struct sharc_figure_sheet t = {0};
    struct sharc_summary_two two = {.read = false};
    struct sharc_figure_schedule s = {0};
    struct sharc_figure_pair pair = {0};
    struct sharc_figure_graph g = {0}, against = {0};
    const size_t most = SHARC_SUMMARY_MARKS;
    if (kept) {
        must(sharc_summary_sheet(f->store, capture, &t, &err), &err);
        must(sharc_summary_two(f->store, before, capture, &two, &err), &err);
        must(sharc_summary_schedule(f->store, capture, most, &s, &err), &err);
        must(sharc_summary_pair(f->store, before, capture, most, &pair, &err), &err);
        must(sharc_summary_graph(f->store, capture, 0, true, &g, &err), &err);
        must(sharc_summary_graph(f->store, capture, before, true, &against, &err), &err);
    } else {
        must(sharc_figure_sheet(f->store, capture, &t, &err), &err);
        must(sharc_figure_changes(f->store, before, capture, &two.changes, &err), &err);
        must(sharc_figure_schedule(f->store, capture, &s, &err), &err);
        must(sharc_figure_pair(f->store, before, capture, &pair, &err), &err);
        must(sharc_figure_graph(f->store, capture, 0, true, &g, &err), &err);
        must(sharc_figure_graph(f->store, capture, before, true, &against, &err), &err);
    }
    put(p, sharc__summary_put_sheet, &t);
    forget_similarity(&two.changes);
    put(p, sharc__summary_put_changes, &two.changes);
    put(p, sharc__summary_put_schedule, &s);
    put(p, sharc__summary_put_points, &pair);
    put(p, sharc__summary_put_graph, &g);
    put(p, sharc__summary_put_graph, &against);
    sharc_figure_sheet_done(&t);
    sharc_summary_two_done(&two);
    sharc_figure_schedule_done(&s);
    sharc_figure_pair_done(&pair);
    sharc_figure_graph_done(&g);
    sharc_figure_graph_done(&against);
}

static void draw(struct fixture *f, struct picture *p, bool kept)
{
    sharc_store_id ids[8];
    size_t n = captures_of(f, ids);
    p->bytes = (struct sharc_buf)SHARC_BUF_INIT(1u << 20);
    for (size_t i = 0; i < n; i++) {
        put_counts(f, p, ids[i], kept);
        put_verdict(f, p, ids[i], kept);
    }
    put_series(f, p, ids, n, kept);
    for (size_t i = 1; i < n; i++)
        for (size_t k = 0; k < i; k++) put_pages(f, p, ids[k], ids[i], kept);
}

static void assert_true_to_rows(struct fixture *f)
{
    struct picture kept, rows;
    draw(f, &kept, true);
    draw(f, &rows, false);
    assert_int_equal(kept.bytes.n, rows.bytes.n);
    assert_memory_equal(kept.bytes.p, rows.bytes.p, rows.bytes.n);
    sharc_buf_done(&kept.bytes);
    sharc_buf_done(&rows.bytes);
}

static uint64_t refresh(struct fixture *f)
{
    struct sharc_err err = SHARC_ERR_INIT;
    uint64_t made = 0;
    must(sharc_summary_refresh(f->store, NULL, &made, &err), &err);
    return made;
}

static uint64_t stamp(struct fixture *f)
{
    struct sharc_err err = SHARC_ERR_INIT;
    uint64_t ret;
    must(sharc_store_stamp(f->store, NULL, 0, &ret, &err), &err);
    return ret;
}

/* --- a site ------------------------------------------------------------------------------ */

/* Three captures of which all are complete. */
static void make_site(struct fixture *f)
{
    struct sharc_err err = SHARC_ERR_INIT;
    struct sharc_store_batch *b;
    make_captures(f);
    tell_stories(f);
    sharc_store_batch_new(f->store, &b);
    for (size_t i = 0; i < story_count; i++)
        if (stories[i].status_b) put_story(b, f->capture[2], &stories[i], true);
    put_linked(f, b, 2, "/linked", TO(" /a", "!/b.png"));
    for (int i = 0; i < 3; i++) {
        struct sharc_store_capture c = SHARC_STORE_CAPTURE_INIT;
        c.id = f->capture[i];
        c.state = SHARC_CAPTURE_COMPLETE;
        c.end = T0 + SHARC_DAY;
        must(sharc_store_batch_capture(b, &c, &err), &err);
    }
    commit(b);
    sharc_store_batch_free(b);
}

static void kept_summaries_are_true_to_the_rows(void **state)
{
    struct fixture *f = fixture(state);
    make_site(f);
    assert_true_to_rows(f);
    assert_true(refresh(f) > 6);
    assert_true_to_rows(f);
    assert_int_equal(refresh(f), 0); /* all is there */
    fixture_sql(f, "DELETE FROM summary");
    assert_true_to_rows(f);
}

/* --- every way to write ------------------------------------------------------------------- */

static sharc_store_id url_id(struct fixture *f, const char *url)
{
    struct sharc_err err = SHARC_ERR_INIT;
    sharc_store_id id = 0;
    must(sharc_store_url_find(f->store, sharc_span_of(url), &id, &err), &err);
    return id;
}

static struct sharc_store_batch *begin(struct fixture *f)
{
    struct sharc_store_batch *b;
    sharc_store_batch_new(f->store, &b);
    return b;
}

static void end(struct sharc_store_batch *b)
{
    commit(b);
    sharc_store_batch_free(b);
}

static void by_page(struct fixture *f, struct sharc_err *err)
{
    struct sharc_store_batch *b = begin(f);
    struct sharc_store_page p = page_of(f->capture[1], SITE "/fresh", T0 + SHARC_HOUR, 500, "x", NULL);
    (void)err;
    put_page(b, &p);
    end(b);
}

static void by_look(struct fixture *f, struct sharc_err *err)
{
    struct sharc_store_batch *b = begin(f);
    struct sharc_store_look l = SHARC_STORE_LOOK_INIT;
    l.when = T0 + 2 * SHARC_HOUR;
    l.status = 404;
    must(sharc_store_batch_look(b, f->capture[1], SHARC_SPAN(SITE "/fresh"), SHARC_LOOK_REVISIT, &l, err), err);
    end(b);
}

static void by_grade(struct fixture *f, struct sharc_err *err)
{
    struct sharc_store_batch *b = begin(f);
    struct sharc_store_grade g = SHARC_STORE_GRADE_INIT;
    g.reason = SHARC_GRADED_CLOCK;
    must(sharc_store_batch_grade(b, f->capture[1], SHARC_SPAN(SITE "/fresh"), &g, err), err);
    end(b);
}

static void by_skip(struct fixture *f, struct sharc_err *err)
{
    struct sharc_store_batch *b = begin(f);
    must(sharc_store_batch_skipped(b, f->capture[0], SHARC_SPAN(SITE "/none"), SHARC_SPAN("robots"), SHARC_SPAN_NONE,
                                   err),
         err);
    end(b);
}

static void by_forgetting_skips(struct fixture *f, struct sharc_err *err)
{
    static const char *const reasons[] = {"robots"};
    must(sharc_store_skipped_forget(f->store, f->capture[0], reasons, 1, err), err);
}

static void by_capture(struct fixture *f, struct sharc_err *err)
{
    struct sharc_store_capture c = SHARC_STORE_CAPTURE_INIT;
    c.id = f->capture[1];
    c.state = SHARC_CAPTURE_COMPLETE;
    c.reference_from = c.reference_to = T0 + SHARC_MINUTE;
    must(sharc_store_capture_update(f->store, &c, err), err);
}

static void by_review(struct fixture *f, struct sharc_err *err)
{
    struct sharc_store_review v = {.capture = f->capture[1],
                                   .url_id = url_id(f, SITE "/fresh"),
                                   .state = SHARC_REVIEW_REJECTED,
                                   .when = T0};
    must(sharc_store_review_put(f->store, &v, err), err);
}

static void by_watched(struct fixture *f, struct sharc_err *err)
{
    struct sharc_store_batch *b = begin(f);
    struct sharc_store_watched w = {.capture = f->capture[1], .url = SHARC_SPAN(SITE "/fresh"), .since = T0};
    w.until = SHARC_TIME_NONE;
    must(sharc_store_batch_watched(b, &w, err), err);
    end(b);
}

static void by_settling(struct fixture *f, struct sharc_err *err)
{
    uint64_t looks;
    must(sharc_store_settle_revisits(f->store, f->capture[1], &looks, err), err);
}

static void by_resolving(struct fixture *f, struct sharc_err *err)
{
    uint64_t revisits, open;
    must(sharc_store_resolve_revisits(f->store, f->capture[1], &revisits, &open, err), err);
}

static void by_ways(struct fixture *f, struct sharc_err *err)
{
    const struct sharc_store_way way = {.url = url_id(f, SITE "/fresh"), .hops = 2};
    must(sharc_store_amend_ways(f->store, f->capture[1], &way, 1, err), err);
}

static void by_changes(struct fixture *f, struct sharc_err *err)
{
    const struct sharc_store_verdict v = {.url = url_id(f, SITE "/fresh"), .change = SHARC_NEW, .importance = 1};
    must(sharc_store_amend_changes(f->store, f->capture[1], &v, 1, err), err);
}

static void by_merging_case(struct fixture *f, struct sharc_err *err)
{
    uint64_t merged;
    struct sharc_store_batch *b = begin(f);
    struct sharc_store_page p = page_of(f->capture[1], SITE "/FRESH", T0 + 3 * SHARC_HOUR, 200, "y", NULL);
    put_page(b, &p);
    end(b);
    refresh(f);
    must(sharc_store_merge_case(f->store, f->capture[1], &merged, err), err);
    assert_int_equal(merged, 1);
}

static void by_merging(struct fixture *f, struct sharc_err *err)
{
    must(sharc_store_capture_merge(f->store, f->capture[2], f->capture[1], err), err);
}

static void by_adding(struct fixture *f, struct sharc_err *err)
{
    struct sharc_store_capture c = SHARC_STORE_CAPTURE_INIT;
    sharc_store_id id;
    c.site = f->site;
    c.state = SHARC_CAPTURE_COMPLETE;
    c.start = T0 + 30 * SHARC_DAY;
    must(sharc_store_capture_add(f->store, &c, &id, NULL, err), err);
}

static void by_deleting(struct fixture *f, struct sharc_err *err)
{
    must(sharc_store_capture_delete(f->store, f->capture[1], err), err);
}

static void nothing_kept_outlives_a_change(void **state)
{
    static void (*const ways[])(struct fixture *, struct sharc_err *) = {
        by_page,     by_look,      by_grade, by_skip,    by_forgetting_skips, by_capture, by_review, by_watched,
        by_settling, by_resolving, by_ways,  by_changes, by_merging_case,     by_merging, by_adding, by_deleting,
    };
    struct fixture *f = fixture(state);
    make_site(f);
    for (size_t i = 0; i < SHARC_LENGTH(ways); i++) {
        struct sharc_err err = SHARC_ERR_INIT;
        refresh(f);
        uint64_t before = stamp(f);
        ways[i](f, &err);
        assert_true(stamp(f) != before);
        assert_true_to_rows(f);
        refresh(f);
        assert_true_to_rows(f);
    }
    assert_int_equal(fixture_number(f, "SELECT count(*) FROM summary WHERE capture NOT IN (SELECT id FROM capture)"),
                     0);
    assert_int_equal(fixture_number(f, "SELECT count(*) FROM revision WHERE capture NOT IN (SELECT id FROM capture)"),
                     0);
}

/* --- a site with one capture: some of it follows from the sheet ------------------------------ */

static void one_capture_is_told_as_truly(void **state)
{
    struct fixture *f = fixture(state);
    struct sharc_err err = SHARC_ERR_INIT;
    sharc_store_id ids[8];
    make_site(f);
    size_t n = captures_of(f, ids);
    for (size_t i = 0; i < n; i++)
        if (ids[i] != f->capture[1]) must(sharc_store_capture_delete(f->store, ids[i], &err), &err);
    assert_int_equal(captures_of(f, ids), 1);
    fixture_sql(f, "DELETE FROM look");
    by_page(f, &err);
    refresh(f);
    assert_int_equal(fixture_number(f, "SELECT count(*) FROM summary WHERE name IN ('week', 'subsites')"), 2);
    assert_true_to_rows(f);
    by_grade(f, &err);
    refresh(f);
    assert_true_to_rows(f);
    struct sharc_figure_week once = {.pages = 0}, week = {.pages = 0};
    must(sharc_summary_week(f->store, f->site, &once, &err), &err);
    assert_true(once.looks > 0);
    by_look(f, &err); /* now a page was looked at twice */
    refresh(f);
    assert_int_equal(fixture_number(f, "SELECT count(*) FROM summary WHERE name IN ('week', 'subsites')"), 2);
    assert_true_to_rows(f);
    must(sharc_summary_week(f->store, f->site, &week, &err), &err);
    assert_int_equal(week.looks, once.looks + 1);
    /* A watch has looks of its own. */
    fixture_sql(f, "DELETE FROM look");
    fixture_sql(f, "UPDATE capture SET source = 'watch'");
    struct sharc_store_batch *b = begin(f);
    struct sharc_store_watch_look l = SHARC_STORE_WATCH_LOOK_INIT;
    l.capture = f->capture[1];
    l.url = SHARC_SPAN(SITE "/fresh");
    l.when = T0 + 3 * SHARC_HOUR;
    l.status = 200;
    must(sharc_store_batch_watch_look(b, &l, &err), &err);
    end(b);
    refresh(f);
    assert_true_to_rows(f);
    must(sharc_summary_week(f->store, f->site, &week, &err), &err);
    assert_int_equal(week.looks, once.looks + 1);
}

/* --- what is wrong with it ------------------------------------------------------------------ */

static void bytes_of_somebody_else_are_not_believed(void **state)
{
    struct fixture *f = fixture(state);
    make_site(f);
    refresh(f);
    /* Not packed at all; and one struct in another's place. */
    fixture_sql(f, "UPDATE summary SET data = (SELECT s.data FROM summary s WHERE s.name = 'counts' LIMIT 1)"
                   " WHERE name <> 'counts'");
    assert_true_to_rows(f);
    refresh(f);
    fixture_sql(f, "UPDATE summary SET data = (SELECT s.data FROM summary s WHERE s.name = 'calendar'"
                   " ORDER BY s.capture DESC LIMIT 1)"
                   " WHERE name IN ('verdict', 'step', 'first', 'series', 'subsites', 'sheet', 'prints', 'changes',"
                   " 'schedule', 'points', 'graph', 'graph-before', 'week')");
    assert_true_to_rows(f);
}

static void damaged_structs_are_refused(void **state)
{
    (void)state;
    struct sharc_figure_calendar f = {.columns = 3, .count = 2};
    sharc_store_id captures[] = {1, 2, 3};
    sharc_time starts[] = {T0, T0 + 1, SHARC_TIME_NONE};
    struct sharc_figure_calendar_row rows[] = {{1, SHARC_SPAN("http://a/"), 2, 0}, {2, SHARC_SPAN("http://b/"), 1, 1}};
    uint8_t cells[] = {0, 1, 2, 3, 4, 5};
    SHARC_AUTO(sharc_buf_done) struct sharc_buf out = SHARC_BUF_INIT(4096);
    f.captures = captures;
    f.starts = starts;
    f.rows = rows;
    f.cells = cells;
    struct summary_codec w = {.out = &out};
    sharc__summary_put_calendar(&w, &f);
    for (size_t n = 0; n <= out.n; n++) {
        struct sharc_figure_calendar back = {0};
        struct summary_codec r = {.in = sharc_span(out.p, n)};
        sharc__summary_put_calendar(&r, &back);
        assert_true(r.failed == (n < out.n));
        if (n == out.n) assert_true(back.count == 2 && back.cells[5] == 5 && back.starts[2] == SHARC_TIME_NONE);
        sharc_figure_calendar_done(&back);
    }
    /* Numbers that promise more than there is. */
    static const char huge[] = "\x00\xff\xff\xff\xff\x0f\xff\xff\xff\xff\x0f\x00\x00\x00\x00";
    struct sharc_figure_calendar back = {0};
    struct summary_codec r = {.in = sharc_span(huge, sizeof huge - 1)};
    sharc__summary_put_calendar(&r, &back);
    assert_true(r.failed && back.count == 0);
    sharc_figure_calendar_done(&back);
}

/* Read n bytes of a sheet, of which byte `at` is another one. True: it was taken, and what it says can be read. */
static bool sheet_is_read(const struct sharc_buf *bytes, size_t n, size_t at, uint8_t mask)
{
    struct sharc_buf plain = SHARC_BUF_INIT(1u << 20);
    struct sharc_figure_sheet t = {0};
    size_t sum = 0;
    sharc_buf_put(&plain, sharc_span(bytes->p, n));
    if (at < n) plain.p[at] = (char)((uint8_t)plain.p[at] ^ mask);
    struct summary_codec c = {.in = sharc_buf_span(&plain), .plain = &plain};
    sharc__summary_put_sheet(&c, &t);
    bool taken = !c.failed && c.in.n == 0;
    for (size_t i = 0; taken && i < t.count; i++)
        sum += sharc_figure_sheet_url(&t, i).n + sharc_figure_sheet_mime(&t, i).n +
               strlen(sharc_grade_reason_word((enum sharc_grade_reason)t.reason[i]));
    sharc_figure_sheet_done(&t);
    sharc_buf_done(&plain);
    return taken && sum < SIZE_MAX;
}

static void damaged_sheets_are_refused(void **state)
{
    struct fixture *f = fixture(state);
    struct sharc_err err = SHARC_ERR_INIT;
    struct sharc_figure_sheet t = {0};
    SHARC_AUTO(sharc_buf_done) struct sharc_buf out = SHARC_BUF_INIT(1u << 20);
    make_site(f);
    must(sharc_figure_sheet(f->store, f->capture[1], &t, &err), &err);
    struct summary_codec w = {.out = &out};
    sharc__summary_put_sheet(&w, &t);
    sharc_figure_sheet_done(&t);
    assert_true(sheet_is_read(&out, out.n, SIZE_MAX, 0));
    for (size_t n = 0; n < out.n; n++) assert_false(sheet_is_read(&out, n, SIZE_MAX, 0));
    /* Whatever a byte becomes, nothing outside is read: the sanitizers are the judges. */
    for (size_t at = 0; at < out.n; at++)
        for (unsigned bit = 0; bit < 8; bit++) sheet_is_read(&out, out.n, at, (uint8_t)(1u << bit));
}

static void damaged_prints_are_refused(void **state)
{
    struct fixture *f = fixture(state);
    struct sharc_err err = SHARC_ERR_INIT;
    struct sharc_figure_prints t = {0};
    SHARC_AUTO(sharc_buf_done) struct sharc_buf out = SHARC_BUF_INIT(1u << 20);
    make_site(f);
    must(sharc_figure_prints(f->store, f->capture[1], &t, &err), &err);
    assert_true(t.count > 2);
    struct summary_codec w = {.out = &out};
    sharc__summary_put_prints(&w, &t);
    const size_t ids = out.n - sharc_figure_prints_size(t.count);
    sharc_figure_prints_done(&t);
    for (size_t n = 0; n <= out.n; n++) {
        struct sharc_buf plain = SHARC_BUF_INIT(1u << 20);
        struct sharc_figure_prints back = {0};
        sharc_buf_put(&plain, sharc_span(out.p, n));
        if (n == out.n) plain.p[ids + 8 * 1] = 0; /* the second number is no longer above the first */
        struct summary_codec c = {.in = sharc_buf_span(&plain), .plain = &plain};
        sharc__summary_put_prints(&c, &back);
        assert_true(c.failed);
        sharc_figure_prints_done(&back);
        sharc_buf_done(&plain);
    }
}

static void pictures_are_thinned(void **state)
{
    enum { ROWS = 1000, CHANGED = 10 };
    (void)state;
    struct sharc_figure_schedule s = {.count = ROWS, .every = 1, .pages = ROWS};
    struct sharc_figure_pair p = {.count = ROWS, .every = 1, .every_changed = 1, .pages = ROWS};
    s.rows = SHARC_NEW_ARRAY(struct sharc_figure_visit, ROWS);
    p.points = SHARC_NEW_ARRAY(struct sharc_figure_point, ROWS);
    for (uint32_t i = 0; i < ROWS; i++) {
        s.rows[i].url_id = i;
        p.points[i].place = i;
        p.points[i].change = i % (ROWS / CHANGED) == 7 ? SHARC_FIGURE_TEXT : SHARC_FIGURE_UNCHANGED;
    }
    sharc_figure_schedule_thin(&s, 0);
    sharc_figure_pair_thin(&p, 0);
    assert_true(s.count == ROWS && p.count == ROWS);
    sharc_figure_schedule_thin(&s, 300);
    assert_true(s.count == 250 && s.every == 4 && s.rows[249].url_id == 996 && s.pages == ROWS);
    sharc_figure_pair_thin(&p, 100); /* all that changed, and every eleventh of the others */
    size_t changed = 0;
    for (size_t i = 0; i < p.count; i++) changed += p.points[i].change == SHARC_FIGURE_TEXT;
    assert_true(changed == CHANGED && p.every == 11 && p.every_changed == 1 && p.count == CHANGED + 90);
    for (size_t i = 1; i < p.count; i++) assert_true(p.points[i].place > p.points[i - 1].place);
    /* More changed than there is room for: a quarter stays for those that stood still. */
    for (size_t i = 0; i < p.count; i++) p.points[i].change = i % 10 ? SHARC_FIGURE_TEXT : SHARC_FIGURE_UNCHANGED;
    p.every = 1;
    sharc_figure_pair_thin(&p, 20);
    assert_true(p.every_changed == 6 && p.every == 2 && p.count == 15 + 5);
    sharc_figure_schedule_done(&s);
    sharc_figure_pair_done(&p);
}

static void a_limit_and_a_stop_are_kept(void **state)
{
    struct fixture *f = fixture(state);
    struct sharc_err err = SHARC_ERR_INIT;
    const volatile bool stop = true;
    uint64_t made = 0;
    make_site(f);
    must(sharc_summary_refresh(f->store, &(struct sharc_summary_options){.rows = 1}, &made, &err), &err);
    assert_int_equal(fixture_number(f, "SELECT count(*) FROM summary WHERE name <> 'counts'"), 0);
    must(sharc_summary_refresh(f->store, &(struct sharc_summary_options){.stop = &stop}, &made, &err), &err);
    assert_int_equal(made, 0); /* counts are there already */
    assert_true_to_rows(f);
}

static void a_running_capture_is_left_alone(void **state)
{
    struct fixture *f = fixture(state);
    struct sharc_err err = SHARC_ERR_INIT;
    struct sharc_store_capture c = SHARC_STORE_CAPTURE_INIT;
    make_site(f);
    c.id = f->capture[2];
    c.state = SHARC_CAPTURE_RUNNING;
    must(sharc_store_capture_update(f->store, &c, &err), &err);
    refresh(f);
    assert_int_equal(fixture_number(f, "SELECT count(*) FROM summary WHERE name = 'calendar'"), 0);
    assert_int_equal(fixture_number(f, "SELECT count(*) FROM summary WHERE name = 'verdict'"), 2);
    assert_int_equal(fixture_number(f, "SELECT count(*) FROM summary WHERE name IN ('first', 'step')"), 2);
    assert_true_to_rows(f);
}

int main(void)
{
    static const struct CMUnitTest tests[] = {
        ON_EACH(kept_summaries_are_true_to_the_rows),  ON_EACH(nothing_kept_outlives_a_change),
        ON_EACH(one_capture_is_told_as_truly),         ON_EACH(bytes_of_somebody_else_are_not_believed),
        ON_EACH(a_limit_and_a_stop_are_kept),          ON_EACH(a_running_capture_is_left_alone),
        cmocka_unit_test(damaged_structs_are_refused), ON_EACH(damaged_sheets_are_refused),
        ON_EACH(damaged_prints_are_refused),           cmocka_unit_test(pictures_are_thinned),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

/* SPDX-License-Identifier: Apache-2.0
 *
 * The numbers behind pictures, on every back-end, against counts made by hand and by the catalogue.
 */
#include "../store/store_test.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "sharc/base_digest.h"
#include "sharc/figure.h"

#define SITE "http://example.org"
#define AT(capture, seconds) (((capture) + 1) * 7 * SHARC_DAY + (seconds)*SHARC_SEC)

struct site {
    struct fixture *f;
    struct sharc_store_batch *b;
    int visits;
};

static void begin(struct site *s, void **state)
{
    s->f = fixture(state);
    make_captures(s->f);
    sharc_store_batch_new(s->f->store, &s->b);
    s->visits = 0;
}

static void end(struct site *s)
{
    commit(s->b);
    sharc_store_batch_free(s->b);
    s->b = NULL;
}

/* A page with its text, its parent and links (ended by NULL). */
static void put(struct site *s, int capture, const char *path, const char *text, const char *parent,
                const char *const *links)
{
    char url[100], up[100];
    struct sharc_store_link list[8];
    snprintf(url, sizeof url, SITE "%s", path);
    snprintf(up, sizeof up, SITE "%s", parent ? parent : "");
    struct sharc_store_page p =
        page_of(s->f->capture[capture], url, AT(capture, s->visits++), text ? 200 : 404, text ? text : "none", text);
    p.visit.slot = s->visits;
    p.visit.took = SHARC_SEC;
    if (parent) p.parent = sharc_span_of(up);
    for (; links && links[p.n_links]; p.n_links++)
        list[p.n_links] = (struct sharc_store_link){sharc_span_of(links[p.n_links]), 0};
    p.links = list;
    p.has_links = links != NULL;
    p.mime = strstr(path, ".png") ? SHARC_SPAN("image/png") : SHARC_SPAN("text/html");
    put_page(s->b, &p);
}

static void revisit(struct site *s, int capture, const char *path, sharc_time when, enum sharc_grade_reason reason)
{
    struct sharc_err err = SHARC_ERR_INIT;
    char url[100];
    snprintf(url, sizeof url, SITE "%s", path);
    struct sharc_store_look l = SHARC_STORE_LOOK_INIT;
    l.when = when;
    l.status = 200;
    struct sharc_store_grade g = SHARC_STORE_GRADE_INIT;
    g.reason = reason;
    must(sharc_store_batch_look(s->b, s->f->capture[capture], sharc_span_of(url), SHARC_LOOK_REVISIT, &l, &err), &err);
    must(sharc_store_batch_grade(s->b, s->f->capture[capture], sharc_span_of(url), &g, &err), &err);
}

static const char *const one[] = {SITE "/a", NULL};
static const char *const two[] = {SITE "/a", SITE "/b", NULL};
static const char *const three[] = {SITE "/b", SITE "/c", SITE "/d", NULL};

/* Three captures in which each class occurs. */
static void grow(struct site *s)
{
    put(s, 0, "/", "home", NULL, two);
    put(s, 0, "/same", "same", "/", one);
    put(s, 0, "/text", "text 1", "/", one);
    put(s, 0, "/links", "links 1", "/", two);
    put(s, 0, "/gone", "gone", "/", two);
    put(s, 0, "/pic.png", "bytes", "/same", NULL);
    put(s, 1, "/", "home", NULL, two);
    put(s, 1, "/same", "same", "/", one);
    put(s, 1, "/text", "text 2", "/", one);
    put(s, 1, "/links", "links 2", "/", three);
    put(s, 1, "/new", "new", "/text", one);
    put(s, 1, "/pic.png", "other bytes", "/same", NULL);
    put(s, 2, "/", "home", NULL, two);
    put(s, 2, "/same", "same", "/", one);
    put(s, 2, "/text", "text 3", "/", one);
    put(s, 2, "/links", "links 2", "/", three);
    put(s, 2, "/new", NULL, "/text", NULL);
    put(s, 2, "/pic.png", "other bytes", "/same", NULL);
}

static void a_series(void **state)
{
    struct site s;
    struct sharc_err err = SHARC_ERR_INIT;
    begin(&s, state);
    grow(&s);
    end(&s);
    SHARC_AUTO(sharc_figure_series_done) struct sharc_figure_series f = {0};
    must(sharc_figure_series(s.f->store, s.f->capture, 3, &f, &err), &err);
    assert_int_equal(f.count, 3);
    assert_string_equal(f.site, "example.org");
    const struct sharc_figure_step *x = &f.steps[0], *y = &f.steps[1], *z = &f.steps[2];
    assert_int_equal(x->before, 0);
    assert_int_equal(x->pages, 6);
    assert_int_equal(x->links, 8);
    assert_int_equal(x->all[SHARC_FIGURE_UNCHANGED], 0);
    assert_true(isnan(x->similarity));
    assert_true(x->last - x->first == 6 * SHARC_SEC);
    assert_int_equal(y->before, s.f->capture[0]);
    assert_int_equal(y->all[SHARC_FIGURE_UNCHANGED], 2);
    assert_int_equal(y->all[SHARC_FIGURE_LINKS], 1);
    assert_int_equal(y->all[SHARC_FIGURE_NEW], 1);
    assert_int_equal(y->all[SHARC_FIGURE_MISSING], 1);
    assert_int_equal(y->all[SHARC_FIGURE_TEXT], 2);
    assert_int_equal(y->kinds[SHARC_FIGURE_IMAGE][SHARC_FIGURE_TEXT], 1);
    assert_int_equal(y->kinds[SHARC_FIGURE_HTML][SHARC_FIGURE_TEXT], 1);
    /* links: / 2, same 1, text 1 stay; links 2 → 3 with one in common; new 1 comes, gone 2 go */
    assert_int_equal(y->links, 8);
    assert_int_equal(y->links_same, 5);
    assert_int_equal(y->links_new, 3);
    assert_int_equal(y->links_gone, 3);
    assert_int_equal(z->all[SHARC_FIGURE_UNCHANGED], 4);
    assert_int_equal(z->all[SHARC_FIGURE_TEXT], 1);
    assert_int_equal(z->all[SHARC_FIGURE_MISSING], 1);
    /* unchanged HTML pages count; there are no signatures here for the changed ones */
    assert_int_equal(z->similar_of, 3);
    assert_close(z->similarity, 1, 1e-9);
    for (size_t i = 1; i < 3; i++) { /* as the catalogue counts */
        uint64_t counts[SHARC_DIFF_COUNT];
        const struct sharc_store_pair_filter filter = {.a = s.f->capture[i - 1], .b = s.f->capture[i]};
        must(sharc_store_compare_counts(s.f->store, &filter, counts, &err), &err);
        const uint64_t *all = f.steps[i].all;
        assert_int_equal(all[SHARC_FIGURE_UNCHANGED], counts[SHARC_DIFF_UNCHANGED]);
        assert_int_equal(all[SHARC_FIGURE_INSIGNIFICANT], counts[SHARC_DIFF_INSIGNIFICANT]);
        assert_int_equal(all[SHARC_FIGURE_TEXT] + all[SHARC_FIGURE_LINKS], counts[SHARC_DIFF_CHANGED]);
        assert_int_equal(all[SHARC_FIGURE_NEW], counts[SHARC_DIFF_NEW]);
        assert_int_equal(all[SHARC_FIGURE_MISSING], counts[SHARC_DIFF_DELETED]);
        assert_int_equal(all[SHARC_FIGURE_FAILED], counts[SHARC_DIFF_FAILED]);
    }
}

static void a_pair(void **state)
{
    struct site s;
    struct sharc_err err = SHARC_ERR_INIT;
    begin(&s, state);
    grow(&s);
    put(&s, 0, "/docs/a", "a", "/", NULL);
    put(&s, 1, "/docs/a", "a", "/", NULL);
    put(&s, 1, "/docs/b?x=/y/", "b", "/", NULL);
    end(&s);
    SHARC_AUTO(sharc_figure_pair_done) struct sharc_figure_pair f = {0};
    must(sharc_figure_pair(s.f->store, s.f->capture[0], s.f->capture[1], &f, &err), &err);
    assert_int_equal(f.count, 9);
    assert_int_equal(f.all[SHARC_FIGURE_NEW], 2);
    assert_int_equal(f.all[SHARC_FIGURE_UNCHANGED], 3);
    assert_int_equal(f.mime_count, 2);
    assert_span(f.mimes[0].name, "text/html");
    assert_int_equal(f.mimes[0].pages, 8);
    assert_int_equal(f.folder_count, 2);
    assert_span(f.folders[0].name, SITE "/");
    assert_int_equal(f.folders[0].pages, 7);
    assert_span(f.folders[1].name, SITE "/docs/");
    for (size_t i = 1; i < f.count; i++) assert_true(sharc_span_cmp(f.points[i - 1].url, f.points[i].url) < 0);
    assert_span(f.points[0].url, SITE "/");
    assert_close(f.points[0].similarity, 1, 1e-9);
    assert_span(f.points[2].url, SITE "/docs/b?x=/y/");
    assert_int_equal(f.points[2].folder, 1);
    assert_int_equal(f.points[2].size_a, -1);
    assert_true(isnan(f.points[2].similarity));
}

static void a_calendar(void **state)
{
    struct site s;
    struct sharc_err err = SHARC_ERR_INIT;
    begin(&s, state);
    grow(&s);
    end(&s);
    SHARC_AUTO(sharc_figure_calendar_done) struct sharc_figure_calendar f = {0};
    must(sharc_figure_calendar(s.f->store, s.f->capture, 3, 0, &f, &err), &err);
    assert_int_equal(f.columns, 2);
    assert_int_equal(f.captures[1], s.f->capture[2]);
    assert_int_equal(f.quiet, 2); /* / and /same */
    assert_int_equal(f.unknown, 0);
    assert_int_equal(f.count, 5);
    for (size_t i = 0; i < f.count; i++) {
        const uint8_t *cell = f.cells + i * f.columns;
        if (sharc_span_is(f.rows[i].url, SITE "/text")) {
            assert_int_equal(cell[0], SHARC_FIGURE_TEXT);
            assert_int_equal(cell[1], SHARC_FIGURE_TEXT);
            assert_int_equal(f.rows[i].changes, 2);
        } else if (sharc_span_is(f.rows[i].url, SITE "/gone")) {
            assert_int_equal(cell[0], SHARC_FIGURE_MISSING);
            assert_int_equal(cell[1], SHARC_FIGURE_ABSENT);
        } else if (sharc_span_is(f.rows[i].url, SITE "/links")) {
            assert_int_equal(cell[0], SHARC_FIGURE_LINKS);
            assert_int_equal(cell[1], SHARC_FIGURE_UNCHANGED);
        } else if (sharc_span_is(f.rows[i].url, SITE "/new")) {
            assert_int_equal(cell[0], SHARC_FIGURE_NEW);
            assert_int_equal(cell[1], SHARC_FIGURE_MISSING);
        } else {
            assert_span(f.rows[i].url, SITE "/pic.png");
        }
    }
    SHARC_AUTO(sharc_figure_calendar_done) struct sharc_figure_calendar g = {0};
    must(sharc_figure_calendar(s.f->store, s.f->capture, 3, 2, &g, &err), &err);
    assert_int_equal(g.count, 2);
    assert_int_equal(g.left_out, 3);
    SHARC_AUTO(sharc_figure_calendar_done) struct sharc_figure_calendar alone = {0};
    must(sharc_figure_calendar(s.f->store, s.f->capture, 1, 0, &alone, &err), &err);
    assert_int_equal(alone.count + alone.columns, 0);
    assert_int_equal(alone.quiet, 6);
}

static const struct sharc_figure_node *node_of(const struct sharc_figure_graph *f, const char *url)
{
    for (size_t i = 0; i < f->count; i++)
        if (!f->nodes[i].folded && sharc_span_is(f->nodes[i].url, url)) return &f->nodes[i];
    return NULL;
}

/* Pages that every graph must account for, whatever is folded. */
static void adds_up(const struct sharc_figure_graph *f)
{
    uint64_t pages = 0, classes = 0;
    for (size_t i = 0; i < f->count; i++) {
        pages += f->nodes[i].pages;
        assert_true(f->nodes[i].parent < i || i == 0);
        if (i) assert_int_equal(f->nodes[i].depth, f->nodes[f->nodes[i].parent].depth + 1);
        assert_true(hypot((double)f->nodes[i].x, (double)f->nodes[i].y) < 1 + 1e-5);
    }
    for (int i = 0; i < SHARC_FIGURE_CLASS_COUNT; i++) classes += f->all[i];
    assert_int_equal(pages, f->pages);
    assert_int_equal(classes, f->pages);
    if (f->count) assert_int_equal(f->nodes[0].below, f->pages);
}

static void a_graph_of_two_captures(void **state)
{
    struct site s;
    struct sharc_err err = SHARC_ERR_INIT;
    begin(&s, state);
    grow(&s);
    /* nothing changes below /still; below /text, which changes, /text/still does not */
    for (int i = 0; i < 2; i++) {
        put(&s, i, "/still", "still", "/", NULL);
        put(&s, i, "/still/a", "a", "/still", NULL);
        put(&s, i, "/still/b", "b", "/still/a", NULL);
        put(&s, i, "/text/still", "s", "/text", NULL);
    }
    end(&s);
    SHARC_AUTO(sharc_figure_graph_done) struct sharc_figure_graph whole = {0};
    SHARC_AUTO(sharc_figure_graph_done) struct sharc_figure_graph f = {0};
    must(sharc_figure_graph(s.f->store, s.f->capture[1], s.f->capture[0], false, &whole, &err), &err);
    must(sharc_figure_graph(s.f->store, s.f->capture[1], s.f->capture[0], true, &f, &err), &err);
    adds_up(&whole);
    adds_up(&f);
    assert_int_equal(whole.count, 11);
    assert_int_equal(whole.pages, 11); /* ten, and the missing one */
    assert_int_equal(f.pages, 11);
    assert_int_equal(node_of(&f, SITE "/gone")->change, SHARC_FIGURE_MISSING);
    assert_int_equal(node_of(&f, SITE "/links")->change, SHARC_FIGURE_LINKS);
    assert_int_equal(node_of(&f, SITE "/new")->change, SHARC_FIGURE_NEW);
    assert_null(node_of(&f, SITE "/still"));
    assert_non_null(node_of(&f, SITE "/same")); /* it stands still, its picture does not */
    size_t folded = 0, of_three = 0, of_one = 0;
    for (size_t i = 0; i < f.count; i++) {
        if (!f.nodes[i].folded) continue;
        folded++;
        of_three += f.nodes[i].pages == 3 && f.nodes[i].parent == 0;
        of_one += f.nodes[i].pages == 1 && sharc_span_is(f.nodes[f.nodes[i].parent].url, SITE "/text");
    }
    assert_int_equal(folded, 2);
    assert_int_equal(of_three, 1);
    assert_int_equal(of_one, 1);
}

/* Where nothing changed, two marks in an empty field would tell nobody what the site is like. */
static void a_small_site_that_stood_still_is_not_folded(void **state)
{
    struct site s;
    struct sharc_err err = SHARC_ERR_INIT;
    begin(&s, state);
    for (int i = 0; i < 2; i++) {
        put(&s, i, "/", "front", NULL, NULL);
        put(&s, i, "/a", "a", "/", NULL);
        put(&s, i, "/a/b", "b", "/a", NULL);
    }
    end(&s);
    SHARC_AUTO(sharc_figure_graph_done) struct sharc_figure_graph f = {0};
    must(sharc_figure_graph(s.f->store, s.f->capture[1], s.f->capture[0], true, &f, &err), &err);
    adds_up(&f);
    assert_int_equal(f.count, 3);
    for (size_t i = 0; i < f.count; i++) assert_false(f.nodes[i].folded);
}

/* Parents in a circle, parents that are not there, several seeds. */
static void graphs_of_strange_parents(void **state)
{
    struct site s;
    struct sharc_err err = SHARC_ERR_INIT;
    begin(&s, state);
    put(&s, 0, "/x", "x", "/y", NULL);
    put(&s, 0, "/y", "y", "/z", NULL);
    put(&s, 0, "/z", "z", "/x", NULL);
    put(&s, 0, "/own", "own", "/own", NULL);
    put(&s, 0, "/lost", "lost", "/nowhere", NULL);
    put(&s, 0, "/seed", "seed", NULL, NULL);
    end(&s);
    SHARC_AUTO(sharc_figure_graph_done) struct sharc_figure_graph f = {0};
    must(sharc_figure_graph(s.f->store, s.f->capture[0], 0, false, &f, &err), &err);
    adds_up(&f);
    assert_int_equal(f.count, 7);
    assert_int_equal(f.nodes[0].url_id, 0);
    assert_int_equal(f.nodes[0].pages, 0);
    assert_int_equal(f.all[SHARC_FIGURE_FAILED], 6); /* nothing was graded */
    SHARC_AUTO(sharc_figure_graph_done) struct sharc_figure_graph none = {0};
    must(sharc_figure_graph(s.f->store, s.f->capture[1], 0, true, &none, &err), &err);
    assert_int_equal(none.pages, 0);
}

static void a_schedule(void **state)
{
    struct site s;
    struct sharc_err err = SHARC_ERR_INIT;
    begin(&s, state);
    put(&s, 0, "/b", "b", NULL, NULL);
    put(&s, 0, "/a", "a", "/b", NULL);
    put(&s, 0, "/c", "c", "/b", NULL);
    revisit(&s, 0, "/a", AT(0, 100), SHARC_GRADED_SAME_CONTENT);
    revisit(&s, 0, "/b", AT(0, 200), SHARC_GRADED_CHANGED);
    end(&s);
    SHARC_AUTO(sharc_figure_schedule_done) struct sharc_figure_schedule f = {0};
    must(sharc_figure_schedule(s.f->store, s.f->capture[0], &f, &err), &err);
    assert_int_equal(f.count, 3);
    assert_int_equal(f.revisited, 2);
    assert_span(f.rows[0].url, SITE "/b");
    assert_true(f.rows[0].revisit == AT(0, 200));
    assert_int_equal(f.rows[1].reason, SHARC_GRADED_SAME_CONTENT);
    assert_true(f.rows[2].revisit == SHARC_TIME_NONE);
    assert_true(f.first == AT(0, 0) && f.last == AT(0, 200));
    assert_int_equal(sharc_figure_schedule(s.f->store, 99, &f, &err), SHARC_ENOENT);
    SHARC_AUTO(sharc_figure_graph_done) struct sharc_figure_graph g = {0};
    must(sharc_figure_graph(s.f->store, s.f->capture[0], 0, true, &g, &err), &err);
    assert_int_equal(g.all[SHARC_FIGURE_UNCHANGED], 1);
    assert_int_equal(g.all[SHARC_FIGURE_TEXT], 1);
    assert_int_equal(g.all[SHARC_FIGURE_FAILED], 1);
}

static void put_at(struct site *s, int capture, const char *path, sharc_time when, const char *text,
                   sharc_time modified)
{
    char url[100];
    snprintf(url, sizeof url, SITE "%s", path);
    struct sharc_store_page p = page_of(s->f->capture[capture], url, when, 200, text, text);
    p.visit.last_modified = modified;
    put_page(s->b, &p);
}

static void a_week(void **state)
{
    struct site s;
    struct sharc_err err = SHARC_ERR_INIT;
    begin(&s, state);
    const sharc_time monday = 4 * SHARC_DAY; /* 1970-01-05 */
    put_at(&s, 0, "/two-hours", monday + 9 * SHARC_HOUR + SHARC_HOUR / 2, "1", SHARC_TIME_NONE);
    put_at(&s, 1, "/two-hours", monday + 11 * SHARC_HOUR + SHARC_HOUR / 2, "2", SHARC_TIME_NONE);
    put_at(&s, 0, "/stated", monday, "1", SHARC_TIME_NONE);
    put_at(&s, 1, "/stated", monday + 30 * SHARC_DAY, "2", monday + 6 * SHARC_DAY + 23 * SHARC_HOUR);
    put_at(&s, 0, "/long", monday, "1", SHARC_TIME_NONE);
    put_at(&s, 1, "/long", monday + 8 * SHARC_DAY, "2", SHARC_TIME_NONE);
    end(&s);
    struct sharc_figure_week f;
    must(sharc_figure_week(s.f->store, 0, 0, &f, &err), &err);
    assert_int_equal(f.pages, 3);
    assert_int_equal(f.looks, 6);
    assert_int_equal(f.seen, 3);
    assert_int_equal(f.stated, 1);
    assert_close(f.changes[0][9], 0.25, 1e-9);
    assert_close(f.changes[0][10], 0.5, 1e-9);
    assert_close(f.changes[0][11], 0.25, 1e-9);
    assert_close(f.changes[6][23], 1, 1e-9);
    double changes = 0, hours = 0;
    for (int i = 0; i < 7 * 24; i++) {
        changes += f.changes[i / 24][i % 24];
        hours += f.hours[i / 24][i % 24];
    }
    assert_close(changes, 2, 1e-9); /* of the third the hour is unknown */
    assert_close(hours, 2 + 30 * 24 + 8 * 24, 1e-6);
    sharc_store_id url = 0;
    must(sharc_store_url_find(s.f->store, SHARC_SPAN(SITE "/two-hours"), &url, &err), &err);
    must(sharc_figure_week(s.f->store, 0, url, &f, &err), &err);
    assert_int_equal(f.pages, 1);
    assert_int_equal(f.seen, 1);
}

static void captures_by_words(void **state)
{
    struct site s;
    struct sharc_err err = SHARC_ERR_INIT;
    sharc_store_id *ids = NULL, other = 0, before = 9;
    size_t n = 0;
    begin(&s, state);
    end(&s);
    struct sharc_store *store = s.f->store;
    must(sharc_figure_captures(store, NULL, NULL, 0, &ids, &n, &err), &err);
    assert_int_equal(n, 3);
    free(ids);
    const struct sharc_span range = SHARC_SPAN("2..99"), key = SHARC_SPAN("week-1"), wrong = SHARC_SPAN("3..2");
    must(sharc_figure_captures(store, NULL, &range, 1, &ids, &n, &err), &err);
    assert_int_equal(n, 2);
    assert_int_equal(ids[0], s.f->capture[1]);
    free(ids);
    must(sharc_figure_captures(store, NULL, (struct sharc_span[]){SHARC_SPAN("week-3"), key}, 2, &ids, &n, &err), &err);
    assert_int_equal(n, 2);
    assert_int_equal(ids[0], s.f->capture[0]); /* by start, whatever the order of words */
    free(ids);
    assert_int_equal(sharc_figure_captures(store, NULL, &wrong, 1, &ids, &n, &err), SHARC_EINVAL);
    assert_int_equal(sharc_figure_captures(store, NULL, (struct sharc_span[]){SHARC_SPAN("70..90")}, 1, &ids, &n, &err),
                     SHARC_ENOENT);
    must(sharc_figure_before(store, s.f->capture[1], &before, &err), &err);
    assert_int_equal(before, s.f->capture[0]);
    must(sharc_figure_before(store, s.f->capture[0], &before, &err), &err);
    assert_int_equal(before, 0);
    /* another site, in between */
    sharc_store_id site = 0;
    must(sharc_store_site_put(store, &(struct sharc_store_site){.name = SHARC_SPAN("other.example")}, &site, &err),
         &err);
    struct sharc_store_capture c = SHARC_STORE_CAPTURE_INIT;
    c.site = site;
    c.start = 15 * SHARC_DAY;
    must(sharc_store_capture_add(store, &c, &other, NULL, &err), &err);
    const struct sharc_span all = SHARC_SPAN("1..99");
    assert_int_equal(sharc_figure_captures(store, NULL, &all, 1, &ids, &n, &err), SHARC_EINVAL);
    assert_non_null(strstr(err.text, "setting \"site\""));
    must(sharc_figure_captures(store, "other.example", &all, 1, &ids, &n, &err), &err);
    assert_int_equal(n, 1);
    assert_int_equal(ids[0], other);
    free(ids);
    must(sharc_figure_captures(store, NULL, NULL, 0, &ids, &n, &err), &err);
    assert_int_equal(n, 3); /* the site of the newest capture */
    free(ids);
    assert_int_equal(sharc_figure_captures(store, "nobody", NULL, 0, &ids, &n, &err), SHARC_ENOENT);
}

static void kinds_and_words(void **state)
{
    (void)state;
    assert_int_equal(sharc_figure_kind_of(SHARC_SPAN("text/html")), SHARC_FIGURE_HTML);
    assert_int_equal(sharc_figure_kind_of(SHARC_SPAN("image/svg+xml")), SHARC_FIGURE_IMAGE);
    assert_int_equal(sharc_figure_kind_of(SHARC_SPAN("application/pdf")), SHARC_FIGURE_OTHER);
    assert_int_equal(sharc_figure_kind_of(SHARC_SPAN_NONE), SHARC_FIGURE_OTHER);
    assert_int_equal(sharc_figure_kind_of(SHARC_SPAN("text/dns")), SHARC_FIGURE_DNS);
    for (unsigned i = 0; i < SHARC_FIGURE_CLASS_COUNT; i++)
        for (unsigned k = 0; k < i; k++) { /* no two are told by the same letter, word or colour */
            enum sharc_figure_class a = (enum sharc_figure_class)i, b = (enum sharc_figure_class)k;
            assert_true(sharc_figure_class_letter(a) != sharc_figure_class_letter(b));
            assert_string_not_equal(sharc_figure_class_word(a), sharc_figure_class_word(b));
            assert_true(sharc_figure_class_colour(a, false) != sharc_figure_class_colour(b, false));
            assert_true(sharc_figure_class_colour(a, true) != sharc_figure_class_colour(b, true));
        }
}

static double channel(double c)
{
    return c <= 0.03928 ? c / 12.92 : pow((c + 0.055) / 1.055, 2.4);
}

static double luminance(uint32_t rgb)
{
    return 0.2126 * channel((rgb >> 16) / 255.0) + 0.7152 * channel(((rgb >> 8) & 255) / 255.0) +
           0.0722 * channel((rgb & 255) / 255.0);
}

/* WCAG 2: text and marks are seen on both backgrounds. */
static void colours_are_seen(void **state)
{
    (void)state;
    for (unsigned i = 0; i < SHARC_FIGURE_CLASS_COUNT; i++) {
        enum sharc_figure_class c = (enum sharc_figure_class)i;
        double on_white = 1.05 / (luminance(sharc_figure_class_colour(c, false)) + 0.05);
        double on_dark = (luminance(sharc_figure_class_colour(c, true)) + 0.05) / (luminance(0x14171a) + 0.05);
        assert_true(on_white >= 4.2);
        assert_true(on_dark >= 7);
    }
}

static const struct CMUnitTest tests[] = {
    ON_EACH(a_series),
    ON_EACH(a_pair),
    ON_EACH(a_calendar),
    ON_EACH(a_graph_of_two_captures),
    ON_EACH(a_small_site_that_stood_still_is_not_folded),
    ON_EACH(graphs_of_strange_parents),
    ON_EACH(a_schedule),
    ON_EACH(a_week),
    ON_EACH(captures_by_words),
    cmocka_unit_test(kinds_and_words),
    cmocka_unit_test(colours_are_seen),
};
TEST_MAIN(tests)

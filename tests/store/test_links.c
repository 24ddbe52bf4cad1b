/* SPDX-License-Identifier: Apache-2.0
 *
 * Links, and pages grouped by folder and content.
 */
#include "stories.h"

#include <stdio.h>
#include <stdlib.h>

/* "a>img a>x", by source and target. */
static void assert_embeds(struct fixture *f, const char *wanted)
{
    struct sharc_err err = SHARC_ERR_INIT;
    struct sharc_store_rows *rows;
    struct sharc_store_edge e;
    SHARC_AUTO(sharc_buf_done) struct sharc_buf found = SHARC_BUF_INIT(1000);
    const struct sharc_store_link_filter filter = {.capture = f->capture[0], .kinds = 1u << 1, .texts = true};
    must(sharc_store_links(f->store, &filter, &rows, &err), &err);
    while (next(rows)) {
        sharc_store_read_edge(rows, &e);
        sharc_buf_printf(&found, "%s%.*s", found.n ? " " : "", SHARC_SPAN_ARG(sharc_span_from(e.to_url, sizeof SITE)));
    }
    sharc_store_rows_free(rows);
    assert_string_equal(sharc_buf_str(&found), wanted);
}

/* What a page embeds is what it embedded when it was seen last before the revisits. */
static void a_second_look_brings_links_of_its_own(void **state)
{
    struct fixture *f = fixture(state);
    struct sharc_err err = SHARC_ERR_INIT;
    make_captures(f);
    struct sharc_store_batch *b;
    const struct sharc_store_link now[] = {{SHARC_SPAN(SITE "/new"), 1}}, late[] = {{SHARC_SPAN(SITE "/late"), 1}};
    struct sharc_store_look look = SHARC_STORE_LOOK_INIT;
    const struct sharc_span url = SHARC_SPAN(SITE "/a");
    sharc_store_batch_new(f->store, &b);
    put_linked(f, b, 0, "a", TO(" b", "!img"));
    commit(b);
    assert_embeds(f, "img");
    look.when = T0 + SHARC_DAY;
    look.status = 200;
    must(sharc_store_batch_look(b, f->capture[0], url, SHARC_LOOK_SECOND, &look, &err), &err);
    commit(b);
    assert_embeds(f, "img"); /* it saw the page as it was */
    look.when++;
    look.links = now;
    look.n_links = 1;
    look.has_links = true;
    must(sharc_store_batch_look(b, f->capture[0], url, SHARC_LOOK_SECOND, &look, &err), &err);
    commit(b);
    assert_embeds(f, "new");
    /* Once more, as the look before: in a batch of its own, and in one with that. */
    struct sharc_store_look again = look;
    again.when++;
    again.has_links = false;
    must(sharc_store_batch_look(b, f->capture[0], url, SHARC_LOOK_SECOND, &again, &err), &err);
    commit(b);
    assert_embeds(f, "new");
    look.when = again.when + 1;
    look.links = late;
    must(sharc_store_batch_look(b, f->capture[0], url, SHARC_LOOK_SECOND, &look, &err), &err);
    again.when = look.when + 1;
    must(sharc_store_batch_look(b, f->capture[0], url, SHARC_LOOK_SECOND, &again, &err), &err);
    commit(b);
    assert_embeds(f, "late");
    /* A page without parts. */
    look.when = again.when + 1;
    look.n_links = 0;
    must(sharc_store_batch_look(b, f->capture[0], url, SHARC_LOOK_SECOND, &look, &err), &err);
    commit(b);
    assert_embeds(f, "");
    assert_int_equal(sharc_store_batch_look(b, f->capture[0], url, SHARC_LOOK_REVISIT, &look, &err), SHARC_EINVAL);
    sharc_store_batch_free(b);
}

static void links_can_be_read_compared_and_walked(void **state)
{
    struct fixture *f = fixture(state);
    struct sharc_err err = SHARC_ERR_INIT;
    make_captures(f);
    struct sharc_store_batch *b;
    sharc_store_batch_new(f->store, &b);
    put_linked(f, b, 0, "a", TO(" b", " c", "!img", " a"));
    put_linked(f, b, 0, "b", TO(" a", "!a", " away"));
    put_linked(f, b, 0, "c", (const char *const[]){NULL});
    put_linked(f, b, 1, "a", TO(" c", " d", "!img", " a"));
    put_linked(f, b, 1, "b", TO(" a", "!a", " away"));
    commit(b);
    sharc_store_batch_free(b);
    struct sharc_store_rows *rows;
    struct sharc_store_edge e;
    struct sharc_store_link_filter filter = {.capture = f->capture[0]};
    must(sharc_store_links(f->store, &filter, &rows, &err), &err);
    assert_int_equal(count_rows(rows), 7);
    filter.kinds = 1u << 1;
    filter.texts = true;
    must(sharc_store_links(f->store, &filter, &rows, &err), &err);
    assert_int_equal(next(rows), 1);
    sharc_store_read_edge(rows, &e);
    assert_span(e.from_url, SITE "/a");
    assert_span(e.to_url, SITE "/img");
    assert_int_equal(next(rows), 1);
    sharc_store_read_edge(rows, &e);
    assert_span(e.from_url, SITE "/b");
    assert_span(e.to_url, SITE "/a");
    assert_int_equal(e.kind, 1);
    assert_int_equal(next(rows), 0);
    sharc_store_rows_free(rows);
    /* Who links to a? */
    filter = (struct sharc_store_link_filter){.capture = f->capture[0], .to = e.to};
    must(sharc_store_links(f->store, &filter, &rows, &err), &err);
    assert_int_equal(count_rows(rows), 3);
    filter = (struct sharc_store_link_filter){.capture = f->capture[0], .from = e.from};
    must(sharc_store_links(f->store, &filter, &rows, &err), &err);
    assert_int_equal(count_rows(rows), 3);

    filter = (struct sharc_store_link_filter){.texts = true};
    must(sharc_store_link_changes(f->store, f->capture[0], f->capture[1], &filter, &rows, &err), &err);
    int came = 0, went = 0;
    while (next(rows)) {
        sharc_store_read_edge(rows, &e);
        assert_span(e.from_url, SITE "/a");
        assert_span(e.to_url, e.change > 0 ? SITE "/d" : SITE "/b");
        came += e.change > 0;
        went += e.change < 0;
    }
    sharc_store_rows_free(rows);
    assert_int_equal(came, 1);
    assert_int_equal(went, 1);

    struct sharc_store_graph g;
    must(sharc_store_graph(f->store, f->capture[0], 0, &g, &err), &err);
    assert_int_equal(g.n, 3);
    assert_true(g.url[0] < g.url[1] && g.url[1] < g.url[2]);
    assert_int_equal(g.at[3], 3); /* a→b, a→c, b→a */
    size_t degrees[3];
    for (int i = 0; i < 3; i++) degrees[i] = (size_t)(g.at[i + 1] - g.at[i]);
    assert_int_equal(degrees[0] * 100 + degrees[1] * 10 + degrees[2], 210);
    assert_int_equal(g.to[2], 0);
    sharc_store_graph_done(&g);
}

static void pages_are_grouped_by_folder_and_content(void **state)
{
    struct fixture *f = fixture(state);
    struct sharc_err err = SHARC_ERR_INIT;
    tell_stories(f);
    struct sharc_store_rows *rows;
    struct sharc_store_subsite g;
    must(sharc_store_subsites(f->store, f->capture[1], 1, f->capture[0], &rows, &err), &err);
    static const struct {
        const char *prefix;
        unsigned pages, changed;
    } want[] = {{"http://(org,example,)/", 13, 3},
                {"http://(org,example,)/Docs/", 1, 0},
                {"http://(org,example,)/docs/", 2, 2}};
    for (size_t i = 0; i < SHARC_LENGTH(want); i++) {
        assert_int_equal(next(rows), 1);
        sharc_store_read_subsite(rows, &g);
        assert_span(g.prefix, want[i].prefix);
        assert_int_equal(g.pages, want[i].pages);
        assert_int_equal(g.difference[SHARC_DIFF_CHANGED], want[i].changed);
        assert_close(g.planned_rate, 0.5 * want[i].pages, 1e-9);
    }
    assert_int_equal(next(rows), 0);
    sharc_store_rows_free(rows);
    must(sharc_store_subsites(f->store, f->capture[1], 0, 0, &rows, &err), &err);
    assert_int_equal(next(rows), 1);
    sharc_store_read_subsite(rows, &g);
    assert_span(g.prefix, "http://(org,example,)");
    assert_int_equal(g.pages, 16);
    sharc_store_rows_free(rows);
    must(sharc_store_subsites(f->store, f->capture[0], 2, 0, &rows, &err), &err);
    assert_int_equal(count_rows(rows), 4);

    struct sharc_store_duplicate d;
    must(sharc_store_duplicates(f->store, f->capture[0], false, &rows, &err), &err);
    uint64_t groups = 0, members = 0;
    while (next(rows)) {
        sharc_store_read_duplicate(rows, &d);
        if (d.group == 0) assert_int_equal(d.size, 6); /* "x": same gone 404 down 304 moved */
        groups = d.group + 1;
        members++;
    }
    sharc_store_rows_free(rows);
    assert_int_equal(groups, 3); /* "x", "1", and "<p>x" of markup and text */
    assert_int_equal(members, 6 + 3 + 2);
    must(sharc_store_duplicates(f->store, f->capture[0], true, &rows, &err), &err);
    assert_int_equal(count_rows(rows), 3);
}

static const struct CMUnitTest tests[] = {
    ON_EACH(links_can_be_read_compared_and_walked),
    ON_EACH(a_second_look_brings_links_of_its_own),
    ON_EACH(pages_are_grouped_by_folder_and_content),
};

TEST_MAIN(tests)

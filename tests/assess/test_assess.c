/* SPDX-License-Identifier: Apache-2.0
 *
 * Judging catalogues: a visit and revisit capture, single visits in a row, composite pages,
 * on every back-end.
 */
#include "../store/store_test.h"

#include <math.h>
#include <stdlib.h>

#include "sharc/assess.h"
#include "sharc/base_digest.h"
#include "sharc/store_sightings.h"

#define SITE "http://example.org"
#define EMBED 1
/* Instants with a fraction: the second is not cut off. */
#define AT(seconds) ((sharc_time)1700000000 * SHARC_SEC + (seconds)*SHARC_SEC + 1)

struct catalogue {
    struct fixture *f;
    struct sharc_store_batch *b;
};

static void begin(struct catalogue *c, void **state)
{
    c->f = fixture(state);
    make_captures(c->f);
    sharc_store_batch_new(c->f->store, &c->b);
}

/* A visit that took a second, with links to what it embeds (ended by NULL). */
static void visit(struct catalogue *c, int capture, const char *url, sharc_time when, const char *body,
                  sharc_time modified, const char *const *embeds)
{
    struct sharc_store_link links[8];
    struct sharc_store_page p = page_of(c->f->capture[capture], url, when, body ? 200 : 503, body, NULL);
    p.visit.took = SHARC_SEC;
    p.visit.last_modified = modified;
    if (!embeds) p.mime = SHARC_SPAN("image/png");
    for (; embeds && embeds[p.n_links]; p.n_links++)
        links[p.n_links] = (struct sharc_store_link){sharc_span_of(embeds[p.n_links]), EMBED};
    p.links = links;
    p.has_links = embeds != NULL;
    put_page(c->b, &p);
}

static void revisit(struct catalogue *c, int capture, const char *url, sharc_time when, int status, const char *body)
{
    struct sharc_err err = SHARC_ERR_INIT;
    struct sharc_store_look l = SHARC_STORE_LOOK_INIT;
    l.when = when;
    l.took = SHARC_SEC;
    l.status = status;
    if (body) sharc_digest_of(SHARC_SHA256, sharc_span_of(body), &l.digest);
    must(sharc_store_batch_look(c->b, c->f->capture[capture], sharc_span_of(url), SHARC_LOOK_REVISIT, &l, &err), &err);
}

static void judge(struct catalogue *c, int capture, bool composites, struct sharc_assess **a,
                  struct sharc_assess_capture *ret)
{
    struct sharc_err err = SHARC_ERR_INIT;
    commit(c->b);
    sharc_store_batch_free(c->b);
    c->b = NULL;
    must(sharc_assess_open(c->f->store, capture < 0 ? 0 : c->f->capture[capture], composites, a, &err), &err);
    must(sharc_assess_judge(*a, 0, ret, &err), &err);
}

static const char *const nothing[] = {NULL};

static void a_capture_with_revisits(void **state)
{
    struct catalogue c;
    begin(&c, state);
    SHARC_AUTO(sharc_assess_freep) struct sharc_assess *a = NULL;
    SHARC_AUTO(sharc_assess_capture_done) struct sharc_assess_capture r = {0};
    /* Same; changed; 304, the server's word; failed at the revisit; not revisited; failed at once. */
    visit(&c, 0, SITE "/same", AT(0), "one", SHARC_TIME_NONE, nothing);
    visit(&c, 0, SITE "/changed", AT(10), "two", SHARC_TIME_NONE, nothing);
    visit(&c, 0, SITE "/304", AT(20), "three", SHARC_TIME_NONE, nothing);
    visit(&c, 0, SITE "/fails", AT(30), "four", SHARC_TIME_NONE, nothing);
    visit(&c, 0, SITE "/once", AT(40), "five", SHARC_TIME_NONE, nothing);
    visit(&c, 0, SITE "/never", AT(50), NULL, SHARC_TIME_NONE, nothing);
    visit(&c, 0, SITE "/also", AT(60), "six", SHARC_TIME_NONE, nothing);
    revisit(&c, 0, SITE "/also", AT(100), 200, "six");
    revisit(&c, 0, SITE "/fails", AT(110), 503, NULL);
    revisit(&c, 0, SITE "/304", AT(120), 304, "three");
    revisit(&c, 0, SITE "/changed", AT(130), 200, "2");
    revisit(&c, 0, SITE "/same", AT(140), 200, "one");
    judge(&c, 0, false, &a, &r);
    assert_int_equal(r.pages, 7);
    assert_int_equal(r.revisited, 5);
    assert_int_equal(r.inducible.pages, 2);
    /* From the end of the last visit to the start of the first revisit of the two. */
    assert_int_equal(r.inducible.from, AT(61));
    assert_int_equal(r.inducible.to, AT(100));
    assert_int_equal(r.defects[SHARC_DEFECT_SERVER], 1);
    assert_false(r.graded);
    assert_false(r.measurable.known);
    assert_false(r.composites.known);
    assert_int_equal(r.pair.before, 0);
    assert_true(r.excursions_pages > 0 && r.excursions > 0);
}

static void two_single_visits_are_visit_and_revisit(void **state)
{
    struct catalogue c;
    begin(&c, state);
    SHARC_AUTO(sharc_assess_freep) struct sharc_assess *a = NULL;
    SHARC_AUTO(sharc_assess_capture_done) struct sharc_assess_capture r = {0};
    visit(&c, 0, SITE "/same", AT(0), "one", SHARC_TIME_NONE, nothing);
    visit(&c, 0, SITE "/also", AT(10), "two", SHARC_TIME_NONE, nothing);
    visit(&c, 0, SITE "/changed", AT(20), "three", SHARC_TIME_NONE, nothing);
    visit(&c, 0, SITE "/gone", AT(30), "four", SHARC_TIME_NONE, nothing);
    visit(&c, 0, SITE "/fails", AT(40), NULL, SHARC_TIME_NONE, nothing);
    visit(&c, 1, SITE "/also", AT(1000), "two", SHARC_TIME_NONE, nothing);
    visit(&c, 1, SITE "/same", AT(1010), "one", SHARC_TIME_NONE, nothing);
    visit(&c, 1, SITE "/changed", AT(1020), "3", SHARC_TIME_NONE, nothing);
    visit(&c, 1, SITE "/new", AT(1030), "five", SHARC_TIME_NONE, nothing);
    visit(&c, 1, SITE "/fails", AT(1040), "six", SHARC_TIME_NONE, nothing);
    judge(&c, 1, false, &a, &r);
    assert_int_equal(r.pair.before, c.f->capture[0]);
    assert_int_equal(r.pair.same, 2);
    assert_int_equal(r.pair.changed, 1);
    assert_int_equal(r.pair.unknown, 1);
    assert_int_equal(r.pair.only_before, 1);
    assert_int_equal(r.pair.only_after, 1);
    assert_int_equal(r.pair.from, AT(11));
    assert_int_equal(r.pair.to, AT(1000));
    SHARC_AUTO(sharc_assess_series_done) struct sharc_assess_series s = {0};
    assert_true(sharc_assess_series(a, 0, &s));
    assert_int_equal(s.captures, 3);
    assert_true(s.completeness > 0 && s.completeness <= 1);
    assert_true(s.coherence > 0 && s.coherence <= 1);
}

static int take_page(void *arg, const struct sharc_assess_page *p, struct sharc_err *reterr SHARC_UNUSED)
{
    struct sharc_assess_page *at = arg;
    while (at->parts) at++;
    *at = *p;
    return 0;
}

static void pages_with_what_they_embed(void **state)
{
    struct catalogue c;
    begin(&c, state);
    struct sharc_err err = SHARC_ERR_INIT;
    SHARC_AUTO(sharc_assess_freep) struct sharc_assess *a = NULL;
    SHARC_AUTO(sharc_assess_capture_done) struct sharc_assess_capture r = {0};
    /* a: both parts are seen before and after; b: one part is missing; c: its part changed between;
     * d: its part is only in another capture. */
    visit(&c, 0, SITE "/a", AT(100), "a", SHARC_TIME_NONE, (const char *[]){SITE "/1.png", SITE "/2.png", NULL});
    visit(&c, 0, SITE "/b", AT(110), "b", SHARC_TIME_NONE, (const char *[]){SITE "/1.png", SITE "/lost.png", NULL});
    visit(&c, 0, SITE "/c", AT(120), "c", SHARC_TIME_NONE, (const char *[]){SITE "/3.png", NULL});
    visit(&c, 0, SITE "/d", AT(130), "d", SHARC_TIME_NONE, (const char *[]){SITE "/4.png", NULL});
    visit(&c, 0, SITE "/1.png", AT(0), "one", SHARC_TIME_NONE, NULL);
    visit(&c, 0, SITE "/2.png", AT(10), "two", SHARC_TIME_NONE, NULL);
    visit(&c, 0, SITE "/3.png", AT(20), "three", SHARC_TIME_NONE, NULL);
    revisit(&c, 0, SITE "/1.png", AT(200), 200, "one");
    revisit(&c, 0, SITE "/2.png", AT(210), 200, "two");
    revisit(&c, 0, SITE "/3.png", AT(220), 200, "3");
    visit(&c, 1, SITE "/4.png", AT(5000), "four", SHARC_TIME_NONE, NULL);
    judge(&c, 0, true, &a, &r);
    const struct sharc_assess_composites *x = &r.composites;
    assert_int_equal(x->pages, 4);
    assert_int_equal(x->parts, 6);
    assert_int_equal(x->missing, 1);
    assert_int_equal(x->incomplete, 1);
    assert_int_equal(x->state[SHARC_PART_PROVEN], 2);
    assert_int_equal(x->state_whole[SHARC_PART_PROVEN], 1);
    assert_int_equal(x->state[SHARC_PART_OPEN], 2);
    assert_int_equal(x->memento[SHARC_MEMENTO_COHERENT], 2);
    assert_int_equal(x->patterns[SHARC_PATTERN_SAME_BODY], 3);
    assert_int_equal(x->patterns[SHARC_PATTERN_LEFT_CHANGED], 1);
    assert_int_equal(x->patterns[SHARC_PATTERN_RIGHT], 1);
    assert_int_equal(x->spread[3], AT(5000) - AT(130));
    struct sharc_assess_page pages[5] = {0};
    must(sharc_assess_pages(a, 0, take_page, pages, &err), &err);
    assert_int_equal(pages[0].composite.state, SHARC_PART_PROVEN);
    assert_int_equal(pages[0].composite.from, AT(100)); /* some time within the page's download */
    assert_int_equal(pages[0].composite.to, AT(101));
    assert_int_equal(pages[1].missing, 1);
    assert_int_equal(pages[1].parts, 3);
    assert_int_equal(pages[3].parts, 2);
}

static int take_answer(void *arg, const struct sharc_assess_answer *x, struct sharc_err *reterr SHARC_UNUSED)
{
    struct sharc_assess_answer *at = arg;
    while (at->pages) at++;
    *at = *x;
    return 0;
}

static void the_answer_for_a_moment(void **state)
{
    struct catalogue c;
    begin(&c, state);
    struct sharc_err err = SHARC_ERR_INIT;
    SHARC_AUTO(sharc_assess_freep) struct sharc_assess *a = NULL;
    SHARC_AUTO(sharc_assess_capture_done) struct sharc_assess_capture r = {0};
    visit(&c, 0, SITE "/docs/same", AT(0), "one", SHARC_TIME_NONE, nothing);
    visit(&c, 0, SITE "/docs/changed", AT(10), "two", SHARC_TIME_NONE, nothing);
    visit(&c, 0, SITE "/x.png", AT(20), "three", SHARC_TIME_NONE, NULL);
    visit(&c, 1, SITE "/docs/same", AT(1000), "one", SHARC_TIME_NONE, nothing);
    visit(&c, 1, SITE "/docs/changed", AT(1010), "2", SHARC_TIME_NONE, nothing);
    judge(&c, -1, false, &a, &r);
    struct sharc_assess_answer x[4] = {0};
    must(sharc_assess_at(a, AT(300), SHARC_ASSESS_BY_PAGE, take_answer, x, &err), &err);
    /* By name: /docs/changed, /docs/same, /x.png. */
    assert_int_equal(x[0].reason, SHARC_PART_BY_CHANGED_AROUND);
    assert_int_equal(x[0].when, AT(10));
    assert_int_equal(x[0].known.possible_to, AT(1011));
    assert_true(x[0].probability > 0 && x[0].probability < 1);
    assert_int_equal(x[1].reason, SHARC_PART_BY_EQUAL);
    assert_int_equal(x[2].reason, SHARC_PART_BY_SEEN_BEFORE);
    assert_true(isnan(x[2].probability)); /* nothing is known of how often images change here */
    memset(x, 0, sizeof x);
    must(sharc_assess_at(a, AT(300), SHARC_ASSESS_BY_SUBSITE, take_answer, x, &err), &err);
    assert_int_equal(x[0].pages, 1);
    assert_int_equal(x[1].pages, 2);
    assert_int_equal(x[1].sums[SHARC_PART_PROVEN], 1);
    memset(x, 0, sizeof x);
    must(sharc_assess_at(a, AT(300), SHARC_ASSESS_BY_MIME, take_answer, x, &err), &err);
    assert_int_equal(x[0].pages, 1);
    assert_int_equal(x[1].pages, 2);
}

static void grades_say_more_than_digests(void **state)
{
    struct catalogue c;
    begin(&c, state);
    struct sharc_err err = SHARC_ERR_INIT;
    SHARC_AUTO(sharc_assess_freep) struct sharc_assess *a = NULL;
    SHARC_AUTO(sharc_assess_capture_done) struct sharc_assess_capture r = {0};
    static const struct {
        const char *url;
        enum sharc_grade_reason reason;
        const char *again;
        int status;
    } pages[] = {{SITE "/volatile", SHARC_GRADED_OWN_CONTROL, "other token", 200},
                 {SITE "/cut", SHARC_GRADED_CUT, "body", 200},
                 {SITE "/weak", SHARC_GRADED_WEAK_VALIDATOR, "body", 304},
                 {SITE "/clock", SHARC_GRADED_CLOCK, "body", 200}};
    for (size_t i = 0; i < SHARC_LENGTH(pages); i++) {
        struct sharc_store_grade g = SHARC_STORE_GRADE_INIT;
        g.reason = pages[i].reason;
        g.from = AT(1);
        g.to = AT(100);
        visit(&c, 0, pages[i].url, AT(0), "body", SHARC_TIME_NONE, nothing);
        revisit(&c, 0, pages[i].url, AT(100), pages[i].status, pages[i].again);
        must(sharc_store_batch_grade(c.b, c.f->capture[0], sharc_span_of(pages[i].url), &g, &err), &err);
    }
    /* One that is not graded does not count, and one that is proved for another time neither. */
    visit(&c, 0, SITE "/nowhere", AT(0), NULL, SHARC_TIME_NONE, nothing);
    visit(&c, 0, SITE "/apart", AT(200), "body", SHARC_TIME_NONE, nothing);
    revisit(&c, 0, SITE "/apart", AT(300), 200, "body");
    struct sharc_store_grade apart = {.reason = SHARC_GRADED_SAME_CONTENT, .from = AT(201), .to = AT(300)};
    must(sharc_store_batch_grade(c.b, c.f->capture[0], SHARC_SPAN(SITE "/apart"), &apart, &err), &err);
    struct sharc_store_capture k = SHARC_STORE_CAPTURE_INIT;
    k.id = c.f->capture[0];
    k.state = SHARC_CAPTURE_COMPLETE;
    k.reference_from = AT(1);
    k.reference_to = AT(100);
    must(sharc_store_capture_update(c.f->store, &k, &err), &err);
    judge(&c, 0, true, &a, &r);
    assert_true(r.graded);
    assert_int_equal(r.judged, 5);
    assert_int_equal(r.pages, 6);
    assert_int_equal(r.inducible.pages, 1);
    assert_int_equal(r.inducible.from, AT(1));
    assert_int_equal(r.composites.whole, 0); /* without slots these count as embedded */
    assert_int_equal(r.composites.whole_of, 0);
    assert_int_equal(r.reasons[SHARC_GRADED_CUT], 1);
    struct sharc_assess_answer x[5] = {0};
    must(sharc_assess_at(a, AT(50), SHARC_ASSESS_BY_PAGE, take_answer, x, &err), &err);
    /* apart, clock, volatile, weak; of the one that was cut the archive has nothing that could answer */
    assert_int_equal(sharc_part_state_of(x[0].reason), SHARC_PART_OPEN);
    assert_int_equal(sharc_part_state_of(x[1].reason), SHARC_PART_OPEN);
    assert_int_equal(x[2].reason, SHARC_PART_BY_EQUAL);
    assert_int_equal(sharc_part_state_of(x[3].reason), SHARC_PART_OPEN);
    assert_int_equal(x[4].pages, 0);
}

static void an_empty_catalogue(void **state)
{
    struct fixture *f = fixture(state);
    struct sharc_err err = SHARC_ERR_INIT;
    SHARC_AUTO(sharc_assess_freep) struct sharc_assess *a = NULL;
    must(sharc_assess_open(f->store, 0, true, &a, &err), &err);
    assert_int_equal(sharc_assess_count(a), 0);
    sharc_assess_freep(&a);
    assert_int_equal(sharc_assess_open(f->store, 5, true, &a, &err), SHARC_ENOENT);
    make_captures(f);
    must(sharc_assess_open(f->store, 0, true, &a, &err), &err);
    for (size_t i = 0; i < sharc_assess_count(a); i++) {
        SHARC_AUTO(sharc_assess_capture_done) struct sharc_assess_capture r = {0};
        SHARC_AUTO(sharc_assess_series_done) struct sharc_assess_series s = {0};
        must(sharc_assess_judge(a, i, &r, &err), &err);
        assert_int_equal(r.pages, 0);
        assert_false(r.observable.known);
        assert_int_equal(r.composites.pages, 0);
        assert_false(sharc_assess_series(a, i, &s));
    }
    assert_int_equal(sharc_assess_count(a), 3);
}

static void take_text(void *arg, sharc_store_id url SHARC_UNUSED, struct sharc_span text)
{
    assert_span(text, SITE "/a");
    ++*(int *)arg;
}

static void sightings_are_read_as_they_were_written(void **state)
{
    struct catalogue c;
    begin(&c, state);
    struct sharc_err err = SHARC_ERR_INIT;
    struct sharc_store_sighting s;
    struct sharc_store_rows *rows;
    visit(&c, 0, SITE "/a", AT(0), "one", AT(-1000), nothing);
    revisit(&c, 0, SITE "/a", AT(100), 304, "one");
    commit(c.b);
    sharc_store_batch_free(c.b);
    must(sharc_store_visits(c.f->store, c.f->capture[0], &rows, &err), &err);
    assert_int_equal(must(sharc_store_rows_next(rows, &err), &err), 1);
    sharc_store_read_sighting(rows, &s);
    assert_int_equal(s.kind, SHARC_LOOK_VISIT);
    assert_int_equal(s.when, AT(0));
    assert_int_equal(s.took, SHARC_SEC);
    assert_int_equal(s.modified, AT(-1000));
    assert_int_equal(s.status, 200);
    assert_int_equal(s.digest.n, 33);
    assert_true(s.host > 0);
    assert_true(isnan(s.rate));
    assert_close(s.weight, 1, 0);
    assert_span(s.mime, "text/html");
    sharc_store_id url = s.url;
    assert_int_equal(must(sharc_store_rows_next(rows, &err), &err), 0);
    sharc_store_rows_free(rows);
    must(sharc_store_looks(c.f->store, c.f->capture[0], &rows, &err), &err);
    assert_int_equal(must(sharc_store_rows_next(rows, &err), &err), 1);
    sharc_store_read_sighting(rows, &s);
    assert_int_equal(s.kind, SHARC_LOOK_REVISIT);
    assert_int_equal(s.url, url);
    assert_int_equal(s.status, 304);
    sharc_store_rows_free(rows);
    int texts = 0;
    must(sharc_store_url_texts(c.f->store, (sharc_store_id[]){url, 999}, 2, take_text, &texts, &err), &err);
    assert_int_equal(texts, 1);
}

static const struct CMUnitTest tests[] = {
    ON_EACH(a_capture_with_revisits),
    ON_EACH(two_single_visits_are_visit_and_revisit),
    ON_EACH(pages_with_what_they_embed),
    ON_EACH(the_answer_for_a_moment),
    ON_EACH(grades_say_more_than_digests),
    ON_EACH(an_empty_catalogue),
    ON_EACH(sightings_are_read_as_they_were_written),
};
TEST_MAIN(tests)

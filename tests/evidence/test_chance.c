/* SPDX-License-Identifier: Apache-2.0
 *
 * What is the same twice by chance, and what only looks like it.
 */
#include "evidence_test.h"

#include <stdio.h>
#include <stdlib.h>

#include "sharc/base_rng.h"

enum { PAGES = 60 };

static struct sharc_rng rng;
static int minutes; /* of a clock that moves before late controls only */

#define LONG "<p>Some words about an item, which is sold here and nowhere else, as long as there is any of it left.</p>"

/* A site whose pages a function writes: what it gives at a moment, 0 at the visit, 1 at the revisit, then controls. */
struct site {
    char *(*write)(uint32_t page, int moment);
    struct sharc_case *c;
    char *visit[PAGES], *revisit[PAGES];
    double budget;
    int moment;
    unsigned pairs[PAGES], lates[PAGES];
};

static void compare_pages(const char *a, const char *b, struct sharc_difference *d)
{
    struct sharc_answer x = html(a), y = html(b);
    assert_int_equal(sharc_evidence_compare(&x, &y, d, NULL), 0);
}

static void capture(struct site *s)
{
    struct sharc_case_options o = SHARC_CASE_OPTIONS;
    o.budget = s->budget;
    s->c = sharc_case_new(&o);
    for (uint32_t i = 0; i < PAGES; i++) {
        s->visit[i] = s->write(i, 0);
        s->revisit[i] = s->write(i, 1);
        struct sharc_answer a = html(s->visit[i]), b = html(s->revisit[i]);
        struct sharc_case_facts f = {.revisited = true};
        f.visit = (struct sharc_case_answer){.status = 200, .complete = true, .type = a.type, .content = a.content};
        f.revisit = (struct sharc_case_answer){.status = 200, .complete = true, .type = b.type, .content = b.content};
        char url[64];
        snprintf(url, sizeof url, "http://shop.example/%02u", i);
        sharc_case_page(s->c, sharc_span_of(url), &f);
    }
    for (uint32_t i = 0; i < PAGES; i++) {
        struct sharc_difference d = SHARC_DIFFERENCE_INIT;
        struct sharc_places p = SHARC_PLACES_INIT;
        struct sharc_answer a = html(s->visit[i]);
        unsigned wants = sharc_case_wants(s->c, i);
        compare_pages(s->visit[i], s->revisit[i], &d);
        if (wants & SHARC_CASE_WANTS_DIFFERENCE) sharc_case_difference(s->c, i, &d);
        assert_int_equal(sharc_evidence_places(&a, &p, NULL), 0);
        if (wants & SHARC_CASE_WANTS_PLACES) sharc_case_places(s->c, i, &p);
        sharc_difference_done(&d);
        sharc_places_done(&p);
    }
    s->moment = 2;
    struct sharc_case_control want;
    while (sharc_case_next_control(s->c, &want)) {
        struct sharc_difference d = SHARC_DIFFERENCE_INIT;
        char *x = s->write(want.id, s->moment++);
        minutes += want.late ? 2 : 0;
        char *y = s->write(want.id, s->moment++);
        if (want.late) assert_true(s->pairs[want.id] > 0); /* there is one that it is compared with */
        *(want.late ? &s->lates[want.id] : &s->pairs[want.id]) += 1;
        compare_pages(x, y, &d);
        sharc_case_control(s->c, want.id, want.late, &d);
        free(x);
        free(y);
    }
}

static enum sharc_grade_reason reason_of(const struct site *s, uint32_t page)
{
    struct sharc_case_result r;
    sharc_case_result(s->c, page, &r);
    return r.reason;
}

static bool is_proved(const struct site *s, uint32_t page)
{
    return sharc_grade_is_proof(sharc_grade_of(reason_of(s, page)));
}

static void site_done(struct site *s)
{
    for (uint32_t i = 0; i < PAGES; i++) {
        free(s->visit[i]);
        free(s->revisit[i]);
    }
    sharc_case_free(s->c);
}

/* --- orders ------------------------------------------------------------------------------------------ */

enum { SAME = 17, EDITED = 31 };

static char *write_list(uint64_t order, bool swapped)
{
    struct sharc_buf b = SHARC_BUF_INIT(1u << 16);
    struct sharc_rng r;
    uint32_t rows[6] = {0, 1, 2, 3, 4, 5};
    sharc_rng_init(&r, order);
    sharc_rng_shuffle_u32(&r, rows, 6);
    if (swapped) {
        uint32_t first = rows[0];
        rows[0] = rows[1];
        rows[1] = first;
    }
    sharc_buf_put_str(&b, "<body><ul class=popular>");
    for (int i = 0; i < 6; i++) sharc_buf_printf(&b, "<li>row number %u</li>", rows[i]);
    sharc_buf_put_str(&b, "</ul>" LONG "</body>");
    return sharc_buf_take(&b);
}

/* All shuffle; one page has the same order twice. */
static char *shuffled(uint32_t page, int moment)
{
    return write_list(page == SAME && moment < 2 ? 5 : sharc_rng_u64(&rng), false);
}

/* One page has a ranking, that of all others is shuffled: nobody stands still. */
static char *one_ranked(uint32_t page, int moment)
{
    return write_list(page == EDITED ? page : sharc_rng_u64(&rng), page == EDITED && moment > 0);
}

/* Two pages have a ranking instead; that of one of them was edited. */
static char *ranked(uint32_t page, int moment)
{
    bool fixed = page == SAME || page == EDITED;
    return write_list(fixed ? page : sharc_rng_u64(&rng), page == EDITED && moment > 0);
}

/* The same, and the one that was not edited so far is edited between the two downloads of its pair. */
static char *ranked_badly(uint32_t page, int moment)
{
    bool fixed = page == SAME || page == EDITED;
    bool swapped = page == EDITED ? moment > 0 : moment % 2 && moment > 2;
    return write_list(fixed ? page : sharc_rng_u64(&rng), fixed && swapped);
}

static void an_order_may_be_the_same_by_chance(void **state)
{
    (void)state;
    sharc_rng_init(&rng, 3);
    struct site s = {.write = shuffled, .budget = 0.2};
    capture(&s);
    assert_true(s.pairs[SAME] > 0); /* the page was looked at, though it did not change */
    unsigned lost = 0; /* by chance one entry has moved, as if by hand: only a pair of the page itself excuses that */
    for (uint32_t i = 0; i < PAGES; i++) lost += !is_proved(&s, i);
    assert_true(lost * 10 <= PAGES);
    site_done(&s);
}

static void an_entry_that_moved_is_not_excused_by_other_pages(void **state)
{
    (void)state;
    sharc_rng_init(&rng, 3);
    struct site s = {.write = one_ranked, .budget = 0.13};
    capture(&s);
    unsigned proved = 0;
    for (uint32_t i = 0; i < PAGES; i++) proved += is_proved(&s, i);
    assert_false(is_proved(&s, EDITED));
    assert_true(proved * 10 >= PAGES * 8);
    site_done(&s);
}

static void a_ranking_is_not_the_same_by_chance(void **state)
{
    (void)state;
    char *(*const ways[])(uint32_t, int) = {ranked, ranked_badly};
    for (size_t i = 0; i < SHARC_LENGTH(ways); i++) {
        sharc_rng_init(&rng, 3);
        struct site s = {.write = ways[i], .budget = 0.13}; /* so that not the edited page itself is looked at */
        capture(&s);
        assert_true(s.pairs[SAME] > 0 && !s.pairs[EDITED]);
        if (is_proved(&s, EDITED)) fail_msg("way %zu: %s", i, sharc_grade_reason_word(reason_of(&s, EDITED)));
        site_done(&s);
    }
}

/* --- pools ------------------------------------------------------------------------------------------- */

static const char *const texts[] = {"Chairs of oak for the old and the young", "All of the old tables and chairs",
                                    "Tables of pine and of oak", "The old shop and the new one"};

static char *write_link(unsigned k, const char *text)
{
    return sharc_asprintf("<body><div class=spot><a href=\"/%s/b-%u%s\">%s</a></div>" LONG LONG "</body>",
                          k % 2 ? "oak" : "pine/old", 100 + k * 37, k % 3 ? "" : "/lid-7", text);
}

/* Addresses of another form and texts with words in common: what two of them share is chance. */
static char *rotating(uint32_t page, int moment)
{
    (void)moment;
    (void)page;
    unsigned k = (unsigned)sharc_rng_below(&rng, SHARC_LENGTH(texts));
    return write_link(k, texts[k]);
}

/* A page with a text of its own, edited; none of both is ever seen elsewhere. */
static char *with_own_text(uint32_t page, int moment)
{
    if (page != EDITED) return rotating(page, moment);
    return write_link(1, moment ? "Chairs of oak for the young" : "Chairs of oak for the old");
}

/* A page that does not rotate, edited from one text of the pool to another; its own pairs stand still. */
static char *with_a_text_of_the_pool(uint32_t page, int moment)
{
    if (page != 0 && page != PAGES - 1) return rotating(page, moment);
    return write_link(moment ? 1 : 2, texts[moment ? 1 : 2]);
}

static void whole_texts_have_pools(void **state)
{
    (void)state;
    sharc_rng_init(&rng, 4);
    struct site s = {.write = rotating, .budget = 1};
    capture(&s);
    unsigned proved = 0;
    for (uint32_t i = 0; i < PAGES; i++) proved += is_proved(&s, i);
    assert_true(proved >= PAGES - 2);
    site_done(&s);
}

static void a_text_of_its_own_is_in_no_pool(void **state)
{
    (void)state;
    sharc_rng_init(&rng, 4);
    struct site s = {.write = with_own_text, .budget = 1};
    capture(&s);
    assert_false(is_proved(&s, EDITED));
    site_done(&s);
}

static void a_page_whose_own_pairs_stand_still_is_not_excused(void **state)
{
    (void)state;
    sharc_rng_init(&rng, 4);
    struct site s = {.write = with_a_text_of_the_pool, .budget = 1};
    capture(&s);
    assert_true(s.pairs[0] > 0); /* the first and the last page are looked at first */
    assert_false(is_proved(&s, 0));
    assert_false(s.pairs[PAGES - 1] > 0 && is_proved(&s, PAGES - 1));
    site_done(&s);
}

/* --- pages pinned to a value of the pool ---------------------------------------------------------------- */

enum { VALUES = 6, PINNED = 7 }; /* one page in so many is pinned */

static char *write_teaser(uint64_t k)
{
    return sharc_asprintf("<body><p class=teaser>%s %s</p>" LONG LONG "</body>", texts[k % 4],
                          k < 4 ? "today" : "soon");
}

static char *drawn(uint32_t page, int moment)
{
    (void)page;
    (void)moment;
    return write_teaser(sharc_rng_below(&rng, VALUES));
}

/* Only one of those that are pinned was edited, to another value of the pool. */
static char *pinned(uint32_t page, int moment)
{
    if (page % PINNED != 3) return drawn(page, moment);
    return write_teaser((page + (page == EDITED && moment > 0)) % VALUES);
}

static void pages_that_stood_still_are_looked_at_again(void **state)
{
    (void)state;
    unsigned hidden = 0, lost = 0;
    for (uint64_t seed = 1; seed <= 8; seed++) {
        sharc_rng_init(&rng, seed);
        struct site s = {.write = pinned, .budget = 0.8};
        capture(&s);
        hidden += is_proved(&s, EDITED);
        site_done(&s);
        s = (struct site){.write = drawn, .budget = 0.8};
        capture(&s);
        for (uint32_t i = 0; i < PAGES; i++) lost += !is_proved(&s, i);
        site_done(&s);
    }
    assert_true(EDITED % PINNED == 3);
    if (hidden > 1) fail_msg("%u of 8 edited pages were excused by others", hidden);
    if (lost > PAGES) fail_msg("%u of %d pages were lost", lost, 8 * PAGES); /* of eight sites at most one */
}

/* --- another charset ---------------------------------------------------------------------------------- */

/* Of a page that cannot be compared with itself nobody knows what stood still. */
static void a_page_in_another_charset_speaks_against_no_place(void **state)
{
    (void)state;
    struct sharc_case_options o = SHARC_CASE_OPTIONS;
    struct sharc_case *c = sharc_case_new(&o);
    char *bodies[2][PAGES];
    for (uint32_t i = 0; i < PAGES; i++) {
        char url[64];
        for (int k = 0; k < 2; k++)
            bodies[k][i] =
                sharc_asprintf("<body><meta charset=%s><input name=csrf value=%016llx>" LONG "</body>",
                               k && i == EDITED ? "windows-1252" : "utf-8", 0x9e3779b97f4a7c15ull * (k * 1000 + i + 1));
        struct sharc_answer a = html(bodies[0][i]), b = html(bodies[1][i]);
        if (i == EDITED) a.type = b.type = SHARC_SPAN("text/html"); /* the page itself says which */
        struct sharc_case_facts f = {.revisited = true};
        f.visit = (struct sharc_case_answer){.status = 200, .complete = true, .type = a.type, .content = a.content};
        f.revisit = (struct sharc_case_answer){.status = 200, .complete = true, .type = b.type, .content = b.content};
        snprintf(url, sizeof url, "http://shop.example/%02u", i);
        sharc_case_page(c, sharc_span_of(url), &f);
        struct sharc_difference d = SHARC_DIFFERENCE_INIT;
        struct sharc_places p = SHARC_PLACES_INIT;
        assert_int_equal(sharc_evidence_compare(&a, &b, &d, NULL), 0);
        sharc_case_difference(c, i, &d);
        assert_int_equal(sharc_evidence_places(&a, &p, NULL), 0);
        sharc_case_places(c, i, &p);
    }
    struct sharc_case_control want;
    uint64_t number = 99;
    while (sharc_case_next_control(c, &want)) {
        struct sharc_difference d = SHARC_DIFFERENCE_INIT;
        char *pair[2];
        for (int k = 0; k < 2; k++)
            pair[k] = sharc_asprintf("<body><meta charset=utf-8><input name=csrf value=%016llx>" LONG "</body>",
                                     (unsigned long long)(0xd1b54a32d192ed03ull * ++number));
        compare_pages(pair[0], pair[1], &d);
        sharc_case_control(c, want.id, want.late, &d);
        free(pair[0]);
        free(pair[1]);
    }
    for (uint32_t i = 0; i < PAGES; i++) {
        struct sharc_case_result r;
        sharc_case_result(c, i, &r);
        assert_int_equal(sharc_grade_is_proof(sharc_grade_of(r.reason)), i != EDITED);
        free(bodies[0][i]);
        free(bodies[1][i]);
    }
    sharc_case_free(c);
}

/* --- slow clocks -------------------------------------------------------------------------------------- */

/* A clock to the minute, and every second page edited as well: the first ones that come to mind are no use. */
static char *with_a_clock(uint32_t page, int moment)
{
    return sharc_asprintf("<body><p class=clock>It is 12:%02d here</p><p class=price>%d euro</p>" LONG "</body>",
                          moment ? 7 + minutes : 0, page % 2 == 0 && moment ? 700 : 200);
}

static void late_controls_have_something_to_be_compared_with(void **state)
{
    (void)state;
    minutes = 0;
    struct site s = {.write = with_a_clock, .budget = 1};
    capture(&s);
    for (uint32_t i = 0; i < PAGES; i++) assert_int_equal(is_proved(&s, i), i % 2);
    site_done(&s);
}

/* Two pages state a time where all others have a clock; one of them was edited. */
static char *with_a_stated_time(uint32_t page, int moment)
{
    if (page != SAME && page != EDITED) return with_a_clock(1, moment);
    return sharc_asprintf("<body><p class=clock>It is %d:30 here</p><p class=price>200 euro</p>" LONG "</body>",
                          page == EDITED && moment ? 19 : 18);
}

static void a_stated_time_is_not_excused_by_clocks(void **state)
{
    (void)state;
    minutes = 0;
    struct site s = {.write = with_a_stated_time, .budget = 1};
    capture(&s);
    assert_false(is_proved(&s, EDITED));
    assert_true(is_proved(&s, SAME));
    site_done(&s);
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(a_stated_time_is_not_excused_by_clocks),
    cmocka_unit_test(an_entry_that_moved_is_not_excused_by_other_pages),
    cmocka_unit_test(an_order_may_be_the_same_by_chance),
    cmocka_unit_test(a_ranking_is_not_the_same_by_chance),
    cmocka_unit_test(whole_texts_have_pools),
    cmocka_unit_test(pages_that_stood_still_are_looked_at_again),
    cmocka_unit_test(a_page_in_another_charset_speaks_against_no_place),
    cmocka_unit_test(a_text_of_its_own_is_in_no_pool),
    cmocka_unit_test(a_page_whose_own_pairs_stand_still_is_not_excused),
    cmocka_unit_test(late_controls_have_something_to_be_compared_with),
};
TEST_MAIN(tests)

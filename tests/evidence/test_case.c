/* SPDX-License-Identifier: Apache-2.0
 *
 * A site whose pages carry a token that no request gets twice, and what its pages are worth.
 */
#include "evidence_test.h"

#include <stdio.h>
#include <stdlib.h>

#include "sharc/base_rng.h"

enum { PAGES = 100 };

static struct sharc_rng rng;

static char *page_of(int id, int price)
{
    uint64_t token = sharc_rng_u64(&rng);
    return sharc_asprintf("<html><head><title>Item %d</title></head><body><form><input type=hidden name=csrf "
                          "value=\"%016llx\"></form><p class=price>%d euro</p><p>Some words about item %d, which is "
                          "sold here and nowhere else.</p></body></html>",
                          id, (unsigned long long)token, price, id);
}

static void compare_pages(const char *a, const char *b, struct sharc_difference *d)
{
    struct sharc_answer x = html(a), y = html(b);
    assert_int_equal(sharc_evidence_compare(&x, &y, d, NULL), 0);
}

static void tokens_are_learned_and_edits_are_not(void **state)
{
    (void)state;
    sharc_rng_init(&rng, 1);
    struct sharc_case_options o = SHARC_CASE_OPTIONS;
    SHARC_AUTO(sharc_case_freep) struct sharc_case *c = sharc_case_new(&o);
    char *visit[PAGES], *revisit[PAGES];
    for (int i = 0; i < PAGES; i++) {
        visit[i] = page_of(i, 1200);
        revisit[i] = page_of(i, i % 10 == 3 ? 9900 : 1200);
        struct sharc_answer a = html(visit[i]), b = html(revisit[i]);
        struct sharc_case_facts f = {.revisited = true};
        f.visit = (struct sharc_case_answer){.status = 200, .complete = true, .type = a.type, .content = a.content};
        f.revisit = (struct sharc_case_answer){.status = 200, .complete = true, .type = b.type, .content = b.content};
        char url[64];
        snprintf(url, sizeof url, "http://shop.example/item/%d", i);
        assert_int_equal(sharc_case_page(c, sharc_span_of(url), &f), i);
    }
    for (uint32_t i = 0; i < PAGES; i++) {
        struct sharc_difference d = SHARC_DIFFERENCE_INIT;
        assert_int_equal(sharc_case_wants(c, i), SHARC_CASE_WANTS_DIFFERENCE | SHARC_CASE_WANTS_PLACES);
        compare_pages(visit[i], revisit[i], &d);
        sharc_case_difference(c, i, &d);
        struct sharc_answer a = html(visit[i]);
        struct sharc_places p = SHARC_PLACES_INIT;
        assert_int_equal(sharc_evidence_places(&a, &p, NULL), 0);
        sharc_case_places(c, i, &p);
        assert_int_equal(sharc_case_wants(c, i), 0);
    }
    struct sharc_case_control want;
    while (sharc_case_next_control(c, &want)) {
        struct sharc_difference d = SHARC_DIFFERENCE_INIT;
        int price = want.id % 10 == 3 ? 9900 : 1200;
        char *x = page_of((int)want.id, price), *y = page_of((int)want.id, price);
        compare_pages(x, y, &d);
        sharc_case_control(c, want.id, want.late, &d);
        free(x);
        free(y);
    }
    assert_true(sharc_case_requests(c) <= 6);
    for (uint32_t i = 0; i < PAGES; i++) {
        struct sharc_case_result r;
        sharc_case_result(c, i, &r);
        bool proof = sharc_grade_is_proof(sharc_grade_of(r.reason));
        if (i % 10 == 3 ? proof : !proof) fail_msg("page %u: %s", i, sharc_grade_reason_word(r.reason));
        free(visit[i]);
        free(revisit[i]);
    }
    assert_int_equal(sharc_case_volatile_count(c), 1);
    struct sharc_case_place p;
    sharc_case_volatile(c, 0, &p);
    assert_int_equal(p.kind, SHARC_HUNK_ATTRIBUTE);
    assert_string_equal(p.where, "body > form > input:csrf @value");
}

/* What one page is worth after one pair. */
static enum sharc_grade_reason reason_after(struct sharc_answer visit, struct sharc_answer revisit,
                                            struct sharc_answer first, struct sharc_answer second)
{
    struct sharc_case_options o = SHARC_CASE_OPTIONS;
    SHARC_AUTO(sharc_case_freep) struct sharc_case *c = sharc_case_new(&o);
    struct sharc_case_facts f = {.revisited = true};
    f.visit = (struct sharc_case_answer){.status = visit.status, .complete = true, .content = visit.content};
    f.revisit = (struct sharc_case_answer){.status = revisit.status, .complete = true, .content = revisit.content};
    uint32_t id = sharc_case_page(c, SHARC_SPAN("http://shop.example/"), &f);
    struct sharc_difference d = SHARC_DIFFERENCE_INIT;
    assert_int_equal(sharc_evidence_compare(&visit, &revisit, &d, NULL), 0);
    sharc_case_difference(c, id, &d);
    assert_int_equal(sharc_evidence_compare(&first, &second, &d, NULL), 0);
    sharc_case_control(c, id, /* late= */ false, &d);
    struct sharc_case_result r;
    sharc_case_result(c, id, &r);
    return r.reason;
}

#define LONG "<p>Some words about an item, which is sold here and nowhere else, as long as there is any of it left.</p>"
#define PRICE(n) html("<p class=price>" n " euro</p>" LONG)
#define BOTH(token, n) html("<input name=csrf value=" token "><p class=price>" n " euro</p>" LONG)
#define BESIDE(token, n) html("<p class=price>" token " " n "</p>" LONG)
#define LIST(items) html("<ul>" items "</ul>" LONG)

/* An edit between visit and revisit that was still there in the first download is an edit, though another one came
 * between the two downloads of the pair. */
static void an_edit_that_stayed_is_not_excused_by_the_next(void **state)
{
    (void)state;
    assert_int_equal(reason_after(BOTH("1a2b3c4d5e", "200"), BOTH("9f8e7d6c5b", "200"), BOTH("0a1b2c3d4f", "200"),
                                  BOTH("77aa66bb55", "200")),
                     SHARC_GRADED_OWN_CONTROL);
    assert_int_equal(reason_after(PRICE("200"), PRICE("500"), PRICE("500"), PRICE("700")), SHARC_GRADED_CHANGED);
    assert_int_equal(reason_after(BOTH("1a2b3c4d5e", "200"), BOTH("9f8e7d6c5b", "500"), BOTH("0a1b2c3d4f", "500"),
                                  BOTH("77aa66bb55", "700")),
                     SHARC_GRADED_CHANGED);
    assert_int_equal(reason_after(BESIDE("1a2b3c4d5e", "200"), BESIDE("9f8e7d6c5b", "500"), BESIDE("0a1b2c3d4f", "500"),
                                  BESIDE("77aa66bb55", "700")),
                     SHARC_GRADED_CHANGED);
    assert_int_equal(reason_after(html("<p class=note>no smoking here" LONG),
                                  html("<p class=note>smoking is fine" LONG),
                                  html("<p class=note>smoking is fine" LONG), html("<p class=note>ask the staff" LONG)),
                     SHARC_GRADED_CHANGED);
    assert_int_equal(reason_after(LIST("<li>a1<li>b2<li>c3"), LIST("<li>c3<li>a1<li>b2"), LIST("<li>c3<li>a1<li>b2"),
                                  LIST("<li>b2<li>c3<li>a1")),
                     SHARC_GRADED_CHANGED);
    assert_int_equal(reason_after(answer_of("image/png", "one"), answer_of("image/png", "two"),
                                  answer_of("image/png", "two"), answer_of("image/png", "three")),
                     SHARC_GRADED_CHANGED);
}

/* Error pages and redirects that look like the page. */
static void controls_of_another_kind_say_nothing(void **state)
{
    (void)state;
    struct sharc_answer a = BOTH("0a1b2c3d4f", "200"), b = BOTH("77aa66bb55", "200");
    static const int others[] = {302, 404, 500};
    for (size_t i = 0; i < SHARC_LENGTH(others); i++) {
        a.status = b.status = others[i];
        assert_false(sharc_grade_is_proof(
            sharc_grade_of(reason_after(BOTH("1a2b3c4d5e", "200"), BOTH("9f8e7d6c5b", "200"), a, b))));
    }
}

/* A list of six in the order that the number says. */
static char *list_of(uint64_t order)
{
    struct sharc_buf b = SHARC_BUF_INIT(1u << 16);
    struct sharc_rng r;
    uint32_t rows[6] = {0, 1, 2, 3, 4, 5};
    sharc_rng_init(&r, order);
    sharc_rng_shuffle_u32(&r, rows, 6);
    sharc_buf_put_str(&b, "<body><ul class=popular>");
    for (int i = 0; i < 6; i++) sharc_buf_printf(&b, "<li>row number %u</li>", rows[i]);
    sharc_buf_put_str(&b, "</ul>" LONG "</body>");
    return sharc_buf_take(&b);
}

/* Pages 0 to 9 shuffle their list on every request; on the others its order stays, but that of
 * page 25 was edited once. */
static void an_order_that_stays_elsewhere_is_not_volatile(void **state)
{
    (void)state;
    enum { LISTS = 40, SHUFFLED = 10, EDITED = 25 };
    struct sharc_case_options o = SHARC_CASE_OPTIONS;
    SHARC_AUTO(sharc_case_freep) struct sharc_case *c = sharc_case_new(&o);
    char *visit[LISTS], *revisit[LISTS];
    uint64_t request = 1000;
    for (uint32_t i = 0; i < LISTS; i++) {
        visit[i] = list_of(i < SHUFFLED ? request++ : i);
        revisit[i] = list_of(i < SHUFFLED ? request++ : i == EDITED ? 99 : i);
        struct sharc_answer a = html(visit[i]), b = html(revisit[i]);
        struct sharc_case_facts f = {.revisited = true};
        f.visit = (struct sharc_case_answer){.status = 200, .complete = true, .type = a.type, .content = a.content};
        f.revisit = (struct sharc_case_answer){.status = 200, .complete = true, .type = b.type, .content = b.content};
        char url[64];
        snprintf(url, sizeof url, "http://shop.example/list/%u", i);
        sharc_case_page(c, sharc_span_of(url), &f);
    }
    for (uint32_t i = 0; i < LISTS; i++) {
        struct sharc_difference d = SHARC_DIFFERENCE_INIT;
        struct sharc_places p = SHARC_PLACES_INIT;
        struct sharc_answer a = html(visit[i]);
        unsigned wants = sharc_case_wants(c, i);
        compare_pages(visit[i], revisit[i], &d);
        if (wants & SHARC_CASE_WANTS_DIFFERENCE) sharc_case_difference(c, i, &d);
        assert_int_equal(sharc_evidence_places(&a, &p, NULL), 0);
        if (wants & SHARC_CASE_WANTS_PLACES) sharc_case_places(c, i, &p);
        sharc_difference_done(&d);
        sharc_places_done(&p);
    }
    for (uint32_t i = 0; i < 3; i++) { /* three pages that shuffle get a pair */
        struct sharc_difference d = SHARC_DIFFERENCE_INIT;
        char *x = list_of(request++), *y = list_of(request++);
        compare_pages(x, y, &d);
        sharc_case_control(c, i, /* late= */ false, &d);
        free(x);
        free(y);
    }
    struct sharc_case_result r;
    sharc_case_result(c, 0, &r);
    assert_int_equal(r.reason, SHARC_GRADED_OWN_CONTROL);
    sharc_case_result(c, EDITED, &r);
    if (sharc_grade_is_proof(sharc_grade_of(r.reason))) fail_msg("%s", sharc_grade_reason_word(r.reason));
    for (int i = 0; i < LISTS; i++) {
        free(visit[i]);
        free(revisit[i]);
    }
}

/* What is kept of differences is bounded: those of the noisiest pages go, whatever the order, and prove nothing. */
static void memory_is_bounded(void **state)
{
    (void)state;
    struct sharc_case_options o = SHARC_CASE_OPTIONS;
    o.memory = 20000;
    for (int round = 0; round < 2; round++) {
        sharc_rng_init(&rng, 7);
        SHARC_AUTO(sharc_case_freep) struct sharc_case *c = sharc_case_new(&o);
        struct sharc_difference d[30];
        for (uint32_t i = 0; i < 30; i++) {
            struct sharc_case_facts f = {.revisited = true};
            f.visit = (struct sharc_case_answer){.status = 200, .complete = true};
            f.visit.content = (struct sharc_digest){.kind = SHARC_SHA256, .n = 32};
            f.revisit = f.visit;
            f.revisit.content.bytes[0] = 1;
            char url[64];
            snprintf(url, sizeof url, "http://shop.example/item/%u", i);
            assert_int_equal(sharc_case_page(c, sharc_span_of(url), &f), i);
            SHARC_AUTO(sharc_buf_done) struct sharc_buf a = SHARC_BUF_INIT(1 << 20), b = SHARC_BUF_INIT(1 << 20);
            for (uint32_t k = 0; k <= (i % 3 == 0 ? 40 : 0); k++) {
                sharc_buf_printf(&a, "<p class=c%c>%016llx</p>", 'a' + (char)(k % 26),
                                 (unsigned long long)sharc_rng_u64(&rng));
                sharc_buf_printf(&b, "<p class=c%c>%016llx</p>", 'a' + (char)(k % 26),
                                 (unsigned long long)sharc_rng_u64(&rng));
            }
            d[i] = (struct sharc_difference)SHARC_DIFFERENCE_INIT;
            compare_pages(sharc_buf_str(&a), sharc_buf_str(&b), &d[i]);
        }
        for (uint32_t i = 0; i < 30; i++) {
            uint32_t id = round ? 29 - i : i;
            sharc_case_difference(c, id, &d[id]);
        }
        for (uint32_t i = 0; i < 30; i++) {
            struct sharc_case_result r;
            sharc_case_result(c, i, &r);
            assert_false(sharc_grade_is_proof(sharc_grade_of(r.reason)));
            assert_int_equal(r.difference->cut, i % 3 == 0);
        }
    }
}

/* --- through a cache ------------------------------------------------------------------------ */

enum { SITE = 200, FIXED = 9 };

/* Every third page comes through a cache, or every page; the page FIXED has a token of its own, which is edited. */
struct cached_site {
    struct sharc_case *c;
    bool all;   /* pages come through it */
    bool keeps; /* the cache answers a pair by one answer */
};

static bool is_cached(const struct cached_site *s, uint32_t id)
{
    return s->all || id % 3 == 0;
}

static void compare_through(const struct cached_site *s, uint32_t id, const char *a, const char *b,
                            struct sharc_difference *d)
{
    struct sharc_answer x = html(a), y = html(b);
    x.cached = y.cached = is_cached(s, id);
    assert_int_equal(sharc_evidence_compare(&x, &y, d, NULL), 0);
}

static void tell_site(struct cached_site *s)
{
    for (uint32_t i = 0; i < SITE; i++) {
        char url[64];
        struct sharc_case_facts f = {.revisited = true};
        f.visit = f.revisit = (struct sharc_case_answer){.status = 200, .complete = true};
        snprintf(url, sizeof url, "http://shop.example/item/%u", i);
        sharc_case_page(s->c, sharc_span_of(url), &f);
    }
    for (uint32_t i = 0; i < SITE; i++) {
        struct sharc_difference d = SHARC_DIFFERENCE_INIT;
        SHARC_AUTO(sharc_freep) char *a = page_of((int)i, 1200), *b = page_of((int)i, 1200);
        compare_through(s, i, a, b, &d);
        sharc_case_difference(s->c, i, &d);
    }
}

static void make_pairs(struct cached_site *s)
{
    struct sharc_case_control want;
    while (sharc_case_next_control(s->c, &want)) {
        struct sharc_difference d = SHARC_DIFFERENCE_INIT;
        SHARC_AUTO(sharc_freep) char *a = page_of((int)want.id, 1200), *b = page_of((int)want.id, 1200);
        bool same = want.id == FIXED || (s->keeps && is_cached(s, want.id));
        compare_through(s, want.id, a, same ? a : b, &d);
        d.repeated = is_cached(s, want.id);
        sharc_case_control(s->c, want.id, want.late, &d);
    }
    assert_true(sharc_case_requests(s->c) <= SITE / 20);
}

static bool is_proved(struct sharc_case *c, uint32_t id)
{
    struct sharc_case_result r;
    sharc_case_result(c, id, &r);
    return sharc_grade_is_proof(sharc_grade_of(r.reason));
}

/* What a cache repeats is no second download: it speaks against no other page. But the pages that it keeps are not
 * excused by those that it does not keep: nobody saw them differ by themselves. */
static void what_a_cache_repeats_speaks_for_nobody(void **state)
{
    (void)state;
    sharc_rng_init(&rng, 2);
    struct sharc_case_options o = SHARC_CASE_OPTIONS;
    SHARC_AUTO(sharc_case_freep) struct sharc_case *c = sharc_case_new(&o);
    struct cached_site s = {.c = c, .keeps = true};
    tell_site(&s);
    struct sharc_difference d = SHARC_DIFFERENCE_INIT; /* one pair on a page that is kept */
    SHARC_AUTO(sharc_freep) char *a = page_of(3, 1200);
    compare_through(&s, 3, a, a, &d);
    d.repeated = true;
    sharc_case_control(c, 3, /* late= */ false, &d);
    make_pairs(&s);
    for (uint32_t i = 0; i < SITE; i++)
        if (is_proved(c, i) != !is_cached(&s, i)) fail_msg("page %u", i);
}

/* Many caches state an age of every answer, also of those that they did not keep. */
static void a_cache_that_keeps_nothing_is_no_hindrance(void **state)
{
    (void)state;
    sharc_rng_init(&rng, 3);
    struct sharc_case_options o = SHARC_CASE_OPTIONS;
    SHARC_AUTO(sharc_case_freep) struct sharc_case *c = sharc_case_new(&o);
    struct cached_site s = {.c = c, .all = true};
    tell_site(&s);
    make_pairs(&s);
    for (uint32_t i = 0; i < SITE; i++)
        if (i != FIXED && !is_proved(c, i)) fail_msg("page %u", i);
}

/* Its own pair stood still: whether a cache repeated it or not, others do not excuse it. */
static void a_page_that_stood_still_behind_a_cache_is_not_excused(void **state)
{
    (void)state;
    sharc_rng_init(&rng, 4);
    struct sharc_case_options o = SHARC_CASE_OPTIONS;
    SHARC_AUTO(sharc_case_freep) struct sharc_case *c = sharc_case_new(&o);
    struct cached_site s = {.c = c, .all = true};
    tell_site(&s);
    make_pairs(&s);
    struct sharc_difference d = SHARC_DIFFERENCE_INIT;
    SHARC_AUTO(sharc_freep) char *a = page_of(FIXED, 1200);
    compare_through(&s, FIXED, a, a, &d);
    d.repeated = true;
    sharc_case_control(c, FIXED, /* late= */ false, &d);
    assert_false(is_proved(c, FIXED));
    assert_true(is_proved(c, FIXED + 1));
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(what_a_cache_repeats_speaks_for_nobody),
    cmocka_unit_test(a_cache_that_keeps_nothing_is_no_hindrance),
    cmocka_unit_test(a_page_that_stood_still_behind_a_cache_is_not_excused),
    cmocka_unit_test(memory_is_bounded),
    cmocka_unit_test(an_order_that_stays_elsewhere_is_not_volatile),
    cmocka_unit_test(an_edit_that_stayed_is_not_excused_by_the_next),
    cmocka_unit_test(controls_of_another_kind_say_nothing),
    cmocka_unit_test(tokens_are_learned_and_edits_are_not),
};
TEST_MAIN(tests)

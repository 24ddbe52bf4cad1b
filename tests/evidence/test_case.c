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

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(tokens_are_learned_and_edits_are_not),
};
TEST_MAIN(tests)

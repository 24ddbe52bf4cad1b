/* SPDX-License-Identifier: Apache-2.0
 *
 * Two bodies, parted by the first zero byte, as answers of every form. What is called the same
 * content is the same bytes; outside HTML the same items are the same bytes as well; a difference has
 * hunks; a page does not differ from itself; what differs one way differs the other way. A control explains nothing
 * that stayed as it was.
 */
#include "sharc/evidence.h"
#include "sharc/evidence_case.h"

#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static struct sharc_answer answer_of(const char *type, struct sharc_span body)
{
    struct sharc_answer a = {.status = 200, .type = sharc_span_of(type), .body = body, .complete = true};
    sharc_digest_of(SHARC_SHA256, body, &a.content);
    return a;
}

static void check_hunks(const struct sharc_difference *d)
{
    SHARC_ASSERT(d->hunk_count > 0 && d->words > 0 && d->likeness >= 0 && d->likeness <= 1);
    for (size_t i = 0; i < d->hunk_count; i++) {
        const struct sharc_hunk *h = &d->hunks[i];
        SHARC_ASSERT(h->region < d->region_count && h->where && h->old && h->now);
        SHARC_ASSERT(h->kind < SHARC_HUNK_KIND_COUNT);
        SHARC_ASSERT(sharc_utf8_check(sharc_span_of(h->old)) == SHARC_NPOS);
        SHARC_ASSERT(sharc_utf8_check(sharc_span_of(h->now)) == SHARC_NPOS);
        SHARC_ASSERT(h->kind == SHARC_HUNK_BYTES || h->kind == SHARC_HUNK_ORDER || h->before != h->after);
    }
}

/* A page that differs between visit and revisit, with a pair that shows nothing: it is never proved. */
static void check_case(const struct sharc_answer *a, const struct sharc_answer *b, struct sharc_difference *d)
{
    struct sharc_case_options o = SHARC_CASE_OPTIONS;
    struct sharc_case *c = sharc_case_new(&o);
    struct sharc_case_facts f = {.revisited = true};
    f.visit = (struct sharc_case_answer){.status = 200, .complete = true, .type = a->type, .content = a->content};
    f.revisit = (struct sharc_case_answer){.status = 200, .complete = true, .type = b->type, .content = b->content};
    uint32_t id = sharc_case_page(c, SHARC_SPAN("http://a.example/"), &f);
    struct sharc_places p = SHARC_PLACES_INIT;
    sharc_evidence_places(a, &p, NULL);
    sharc_case_places(c, id, &p);
    sharc_case_difference(c, id, d);
    struct sharc_case_control want;
    for (int k = 0; k < 8 && sharc_case_next_control(c, &want); k++) {
        struct sharc_difference same = SHARC_DIFFERENCE_INIT;
        sharc_evidence_compare(b, b, &same, NULL);
        sharc_case_control(c, want.id, want.late, &same);
    }
    struct sharc_case_result r;
    sharc_case_result(c, id, &r);
    SHARC_ASSERT(!sharc_grade_is_proof(sharc_grade_of(r.reason)));
    /* nor by a control that ends as the revisit did and began as the visit */
    struct sharc_difference there = SHARC_DIFFERENCE_INIT;
    sharc_evidence_compare(b, a, &there, NULL);
    sharc_case_control(c, id, false, &there);
    sharc_case_result(c, id, &r);
    SHARC_ASSERT(!sharc_grade_is_proof(sharc_grade_of(r.reason)));
    struct sharc_buf text = SHARC_BUF_INIT(1u << 20);
    sharc_case_detail(c, id, &text);
    sharc_buf_done(&text);
    sharc_case_free(c);
}

static void check(const char *type, struct sharc_span x, struct sharc_span y, bool html)
{
    struct sharc_answer a = answer_of(type, x), b = answer_of(type, y);
    struct sharc_difference d = SHARC_DIFFERENCE_INIT, back = SHARC_DIFFERENCE_INIT;
    sharc_evidence_compare(&a, &a, &d, NULL);
    SHARC_ASSERT(d.relation == SHARC_RELATION_SAME_CONTENT);
    sharc_evidence_compare(&a, &b, &d, NULL);
    sharc_evidence_compare(&b, &a, &back, NULL);
    SHARC_ASSERT(d.relation == back.relation);
    SHARC_ASSERT((d.relation == SHARC_RELATION_SAME_CONTENT) == sharc_span_eq(x, y));
    SHARC_ASSERT(html || d.relation != SHARC_RELATION_SAME_ITEMS);
    if (d.relation == SHARC_RELATION_DIFFERENT) {
        check_hunks(&d);
        check_case(&a, &b, &d);
    }
    sharc_difference_done(&d);
    sharc_difference_done(&back);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct sharc_span all = sharc_span(data, size), x = all, y = SHARC_SPAN("");
    size_t cut = sharc_span_find(all, '\0', 0);
    if (cut != SHARC_NPOS) x = sharc_span_sub(all, 0, cut), y = sharc_span_from(all, cut + 1);
    check("text/html; charset=utf-8", x, y, true);
    check("application/xhtml+xml; charset=utf-8", x, y, false);
    check("application/json; charset=utf-8", x, y, false);
    check("text/plain; charset=utf-8", x, y, false);
    check("text/html", x, y, true);
    check("", x, y, false);
    return 0;
}

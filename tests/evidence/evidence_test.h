/* SPDX-License-Identifier: Apache-2.0
 *
 * Answers and comparisons in one line.
 */
#ifndef SHARC_EVIDENCE_TEST_H
#define SHARC_EVIDENCE_TEST_H

#include "test.h"

#include "sharc/evidence.h"
#include "sharc/evidence_case.h"

static inline struct sharc_answer answer_of(const char *type, const char *body)
{
    struct sharc_answer a = {.status = 200,
                             .type = sharc_span_of(type),
                             .location = SHARC_SPAN_NONE,
                             .body = sharc_span_of(body),
                             .complete = true};
    sharc_digest_of(SHARC_SHA256, a.body, &a.content);
    return a;
}

static inline struct sharc_answer html(const char *body)
{
    return answer_of("text/html; charset=utf-8", body);
}

static inline enum sharc_relation relation_of(const struct sharc_answer *a, const struct sharc_answer *b)
{
    struct sharc_difference d = SHARC_DIFFERENCE_INIT;
    struct sharc_err err = SHARC_ERR_INIT;
    assert_int_equal(sharc_evidence_compare(a, b, &d, &err), 0);
    enum sharc_relation r = d.relation;
    sharc_difference_done(&d);
    return r;
}

static inline enum sharc_relation html_relation(const char *a, const char *b)
{
    struct sharc_answer x = html(a), y = html(b);
    return relation_of(&x, &y);
}

#endif

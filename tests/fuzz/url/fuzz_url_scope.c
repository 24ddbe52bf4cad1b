/* SPDX-License-Identifier: Apache-2.0
 *
 * Input: lines "+rule" or "-rule", the last line a URL. What must hold: a rule
 * is taken or refused with a sentence; verdict, explanation and the rules tried
 * one by one agree.
 */
#include "../../../src/url/scope_int.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

#define MAX_RULES 32

static void check(const struct sharc_scope *s, struct sharc_span *taken, size_t count, const struct sharc_url *u)
{
    struct sharc_scope_verdict v;
    char room[2][SCOPE_KEY];
    SHARC_AUTO(sharc_buf_done) struct sharc_buf b = SHARC_BUF_INIT(64u << 10);
    bool in = sharc_scope_check(s, u, 3, &v);
    sharc_scope_explain(s, u, 3, &b);
    SHARC_ASSERT(sharc_span_starts(sharc_buf_span(&b), in ? SHARC_SPAN("in: ") : SHARC_SPAN("out: ")));
    if (v.why != SHARC_SCOPE_RULE && v.why != SHARC_SCOPE_NO_RULE) return;
    struct sharc_span key[2] = {sharc__url_scope_key(u, false, room[0]), sharc__url_scope_key(u, true, room[1])};
    struct sharc_url bare = SHARC_URL_INIT;
    sharc_url_copy(&bare, u);
    sharc_url_strip_credentials(&bare);
    uint32_t last = 0;
    for (size_t i = 0; i < count; i++) {
        struct rule r = {0};
        SHARC_ASSERT(sharc__url_rule_read(&r, taken[i], "fuzz", NULL) == 0);
        if (r.kind < FIRST_LIMIT && sharc__url_rule_matches(&r, sharc_url_page(&bare), key)) last = (uint32_t)i + 1;
        sharc__url_rule_done(&r);
    }
    SHARC_ASSERT(last == v.number);
    sharc_url_done(&bare);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct sharc_span rest = sharc_span(data, size), line, taken[MAX_RULES];
    struct sharc_scope *s = sharc_scope_new();
    size_t count = 0;
    while (sharc_span_next(&rest, '\n', &line) && rest.n != SHARC_NPOS) {
        struct sharc_err err = SHARC_ERR_INIT;
        if (count == MAX_RULES || !line.n) continue;
        enum sharc_scope_sign sign = line.p[0] == '+' ? SHARC_INCLUDE : SHARC_EXCLUDE;
        taken[count] = sharc_span_from(line, 1);
        if (sharc_scope_add(s, sign, taken[count], "fuzz", &err) == 0)
            count++;
        else
            SHARC_ASSERT(err.text[0] != 0);
    }
    sharc_scope_seal(s);
    struct sharc_url u = SHARC_URL_INIT;
    if (sharc_url_parse(&u, line, NULL, NULL) == 0) check(s, taken, count, &u);
    sharc_url_done(&u);
    sharc_scope_free(s);
    return 0;
}

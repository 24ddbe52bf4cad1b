/* SPDX-License-Identifier: Apache-2.0
 *
 * The cases of urlcanon (file, operation, input, expected), beside the source
 * tree; skipped where they are not.
 */
#include "test.h"

#include "../../src/url/url_int.h"
#include "suite.h"

/* What we answer differently, and why. */
static const char *const known[] = {
    /* A host of dots alone. urlcanon reads it as the address 0.0.0.0; for the
     * standard it is a domain, and its own suite says so. */
    "http:%2e/a/b", "http:%2e%2e/a/b", "http:%2e%2e%2e/a/b", "http:/%2e/a/b", "http:/%2e%2e/a/b", "http:/%2e%2e%2e/a/b",
    "http://%2e/a/b", "http://%2e%2e/a/b", "http://%2e%2e%2e/a/b", "http:///%2e/a/b", "http:///%2e%2e/a/b",
    "http:///%2e%2e%2e/a/b", "file://%2e/a/b", "file://%2e%2e/a/b", "file://%2e%2e%2e/a/b",
    /* A space in a fragment is percent-encoded since 2018. */
    "lolscheme:x x#x x", "lolscheme:/x x#x x",
    /* gopher has not been a special scheme since 2018. */
    "gopher://foo:70/", "gopher:/example.com/", "gopher:example.com/", NULL};

static void put_form(struct sharc_span in, enum sharc_url_form form, enum sharc_url_layout layout,
                     struct sharc_buf *out)
{
    assert_int_equal(sharc_url_write(in, form, layout, out, NULL), 0);
}

static void put_dots(struct sharc_span in, bool special, struct sharc_buf *out)
{
    sharc_buf_put(out, in);
    bool slash = in.n && (in.p[0] == '/' || (special && in.p[0] == '\\'));
    if (slash) sharc_buf_truncate(out, sharc__url_resolve_dots(out->p, out->n, special));
}

static void put_ipv4(struct sharc_span in, struct sharc_buf *out)
{
    uint32_t address;
    char text[IPV4_TEXT];
    if (sharc__url_loose_ipv4(in, &address))
        sharc_buf_put(out, sharc_span(text, sharc__url_ipv4_text(address, text)));
    else
        sharc_buf_put_str(out, "<None>");
}

/* One step on one piece, through the structure that steps work on. */
static void put_stepped(struct sharc_span in, sharc__url_step *step, bool query, struct sharc_buf *out)
{
    struct loose l = {.arena = SHARC_ARENA_INIT(1u << 20)};
    struct piece p = {sharc_arena_bytes(&l.arena, in.n + 1), in.n};
    if (in.n) memcpy(p.p, in.p, in.n);
    l.path = l.query = p;
    step(&l);
    sharc_buf_put(out, piece_span(query ? l.query : l.path));
    sharc_arena_done(&l.arena);
}

static void put_decoded(struct sharc_span in, struct sharc_buf *out)
{
    sharc_buf_put(out, in);
    if (in.n) sharc_buf_truncate(out, sharc__url_decode_all(in, out->p));
}

/* A host alone, seen through a URL that carries it: what stands before ")". */
static void put_host(struct sharc_span host, enum sharc_url_layout layout, bool www, struct sharc_buf *out)
{
    SHARC_AUTO(sharc_buf_done)
    struct sharc_buf url = SHARC_BUF_INIT(SHARC_LIMIT_URL), full = SHARC_BUF_INIT(SHARC_LIMIT_URL);
    sharc_buf_printf(&url, "http://%.*s/", SHARC_SPAN_ARG(host));
    put_form(sharc_buf_span(&url), www ? SHARC_FORM_ARCHIVE : SHARC_FORM_AS_IS, layout, &full);
    struct sharc_span s = sharc_buf_span(&full);
    if (www)
        s = sharc_span_sub(s, 7, s.n - 1);
    else
        s = sharc_span_sub(s, 0, sharc_span_find(s, ')', 0));
    sharc_buf_put(out, s);
}

static void run_case(struct sharc_span op, struct sharc_span in, struct sharc_buf *out)
{
    static const struct {
        const char *op;
        enum sharc_url_form form;
        enum sharc_url_layout layout;
    } forms[] = {
        {"parse+serialise is identity", SHARC_FORM_AS_IS, SHARC_AS_URL},
        {"whatwg canonicaliser", SHARC_FORM_WHATWG, SHARC_AS_URL},
        {"semantic_precise canonicaliser", SHARC_FORM_SEMANTIC_PRECISE, SHARC_AS_URL},
        {"aggressive canonicaliser", SHARC_FORM_AGGRESSIVE, SHARC_AS_URL},
        {"google", SHARC_FORM_GOOGLE, SHARC_AS_URL},
        {"googleSupplementalFromSurt", SHARC_FORM_GOOGLE, SHARC_AS_URL},
        {"Canonicalizer.IA", SHARC_FORM_ARCHIVE, SHARC_AS_URL},
        {"Canonicalizer.DefaultIA", SHARC_FORM_ARCHIVE, SHARC_AS_URL},
        {"surt", SHARC_FORM_AS_IS, SHARC_AS_SURT},
        {"surtWithoutScheme", SHARC_FORM_AS_IS, SHARC_AS_SURT_NO_SCHEME},
        {"surtWithoutTrailingComma", SHARC_FORM_AS_IS, SHARC_AS_SURT_NO_COMMA},
        {"ssurt", SHARC_FORM_AS_IS, SHARC_AS_SSURT},
    };
    for (size_t i = 0; i < SHARC_LENGTH(forms); i++)
        if (sharc_span_is(op, forms[i].op)) put_form(in, forms[i].form, forms[i].layout, out);
    if (sharc_span_is(op, "defaultIASurt")) assert_int_equal(sharc_url_key(in, out, NULL), 0);
    if (sharc_span_is(op, "resolve dots (special scheme)")) put_dots(in, true, out);
    if (sharc_span_is(op, "resolve dots (nonspecial scheme)")) put_dots(in, false, out);
    if (sharc_span_is(op, "ipv4 number parser -> dotted decimal")) put_ipv4(in, out);
    if (sharc_span_is(op, "alphaRorderQuery")) put_stepped(in, sharc__url_step_sort_pairs, true, out);
    if (sharc_span_is(op, "stripPathSessionId")) put_stepped(in, sharc__url_step_no_path_sessions_ia, false, out);
    if (sharc_span_is(op, "unescapeRepeatedly")) put_decoded(in, out);
    if (sharc_span_is(op, "massageHost")) put_host(in, SHARC_AS_URL, true, out);
    if (sharc_span_is(op, "ssurtHost")) put_host(in, SHARC_AS_SURT_NO_SCHEME, false, out);
    if (sharc_span_is(op, "reverseHost")) put_host(in, SHARC_AS_SURT_NO_SCHEME, false, out);
}

static void answers_as_urlcanon_does(void **state)
{
    (void)state;
    struct suite s;
    struct tally t = {.name = "urlcanon", .known = known};
    suite_open(&s, "urlcanon/urlcanon_cases.tsv", false);
    struct sharc_span rest = sharc_buf_span(&s.bytes), line, file, op, in, want;
    sharc_span_next(&rest, '\n', &line);
    while (sharc_span_next(&rest, '\n', &line)) {
        if (!line.n) continue;
        SHARC_AUTO(sharc_buf_done) struct sharc_buf got = SHARC_BUF_INIT(SHARC_LIMIT_URL);
        assert_true(sharc_span_next(&line, '\t', &file) && sharc_span_next(&line, '\t', &op) &&
                    sharc_span_next(&line, '\t', &in) && sharc_span_next(&line, '\t', &want));
        in = suite_unescape(in);
        want = suite_unescape(want);
        bool empty_host = !in.n && sharc_span_is(op, "reverseHost"); /* a URL has no SURT of an empty host */
        if (!empty_host) run_case(op, in, &got);
        tally_add(&t, empty_host || sharc_span_eq(sharc_buf_span(&got), want), in, sharc_buf_str(&got));
    }
    suite_close(&s);
    tally_check(&t, 1414);
}

static const struct CMUnitTest tests[] = {cmocka_unit_test(answers_as_urlcanon_does)};
TEST_MAIN(tests)

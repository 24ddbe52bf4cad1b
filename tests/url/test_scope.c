/* SPDX-License-Identifier: Apache-2.0
 *
 * Scope rules, their verdicts, and the sentences that explain them.
 */
#include "test.h"

#include "../../src/url/scope_int.h"

#include <stdio.h>
#include <stdlib.h>

/* A scope of rules written "+rule" or "-rule". */
static struct sharc_scope *scope_of(const char *const *rules)
{
    struct sharc_scope *s = sharc_scope_new();
    struct sharc_err err = SHARC_ERR_INIT;
    for (unsigned line = 1; *rules; rules++, line++) {
        char origin[32];
        snprintf(origin, sizeof origin, "settings.yaml:%u", line);
        enum sharc_scope_sign sign = **rules == '+' ? SHARC_INCLUDE : SHARC_EXCLUDE;
        if (sharc_scope_add(s, sign, sharc_span_of(*rules + 1), origin, &err) < 0) fail_msg("%s", err.text);
    }
    sharc_scope_seal(s);
    return s;
}
#define SCOPE(...) scope_of((const char *const[]){__VA_ARGS__, NULL})

static bool in_at(const struct sharc_scope *s, const char *url, unsigned depth)
{
    struct sharc_url u = SHARC_URL_INIT;
    assert_int_equal(sharc_url_parse(&u, sharc_span_of(url), NULL, NULL), 0);
    bool in = sharc_scope_check(s, &u, depth, NULL);
    sharc_url_done(&u);
    return in;
}

static bool in(const struct sharc_scope *s, const char *url)
{
    return in_at(s, url, 0);
}

static void expect_sentence(const struct sharc_scope *s, const char *url, unsigned depth, const char *sentence)
{
    struct sharc_url u = SHARC_URL_INIT;
    SHARC_AUTO(sharc_buf_done) struct sharc_buf b = SHARC_BUF_INIT(4096);
    assert_int_equal(sharc_url_parse(&u, sharc_span_of(url), NULL, NULL), 0);
    assert_int_equal(sharc_scope_explain(s, &u, depth, &b), 0);
    assert_span(sharc_buf_span(&b), sentence);
    sharc_url_done(&u);
}

static void a_seed_opens_its_directory(void **state)
{
    (void)state;
    static const struct {
        enum sharc_scope_reach reach;
        const char *rule;
        unsigned in; /* bit i: urls[i] */
    } cases[] = {
        {SHARC_REACH_PAGE, "page:https://www.example.co.uk/shelf/book?x=1", 0x01},
        {SHARC_REACH_PREFIX, "prefix:https://www.example.co.uk/shelf/", 0x07},
        {SHARC_REACH_HOST, "prefix:https://www.example.co.uk/", 0x0f},
        {SHARC_REACH_DOMAIN, "domain:example.co.uk", 0x3f},
        {SHARC_REACH_ANY, "all", 0x7f},
    };
    static const char *const urls[] = {
        "https://www.example.co.uk/shelf/book?x=1",
        "http://example.co.uk/shelf/",
        "https://www2.example.co.uk/shelf/x/y",
        "https://www.example.co.uk/other",
        "https://img.example.co.uk/x",
        "http://www.example.co.uk:8080/",
        "https://other.co.uk/",
    };
    struct sharc_url seed = SHARC_URL_INIT;
    assert_int_equal(sharc_url_parse(&seed, SHARC_SPAN("https://me:pw@www.example.co.uk/shelf/book?x=1#y"), NULL, NULL),
                     0);
    for (size_t i = 0; i < SHARC_LENGTH(cases); i++) {
        SHARC_AUTO(sharc_scope_freep) struct sharc_scope *s = sharc_scope_new();
        struct sharc_scope_verdict v;
        assert_int_equal(sharc_scope_add_seed(s, &seed, cases[i].reach, NULL, NULL), 0);
        sharc_scope_seal(s);
        assert_true(sharc_scope_check(s, &seed, 0, &v));
        assert_span(v.rule, cases[i].rule);
        assert_span(v.origin, "seed");
        for (size_t k = 0; k < SHARC_LENGTH(urls); k++) {
            if (in(s, urls[k]) == (cases[i].in >> k & 1)) continue;
            fail_msg("%s: %s", cases[i].rule, urls[k]);
        }
    }
    SHARC_AUTO(sharc_scope_freep) struct sharc_scope *s = sharc_scope_new();
    struct sharc_err err = SHARC_ERR_INIT;
    assert_int_equal(sharc_url_parse(&seed, SHARC_SPAN("mailto:x"), NULL, NULL), 0);
    assert_int_equal(sharc_scope_add_seed(s, &seed, SHARC_REACH_PREFIX, NULL, &err), SHARC_ECONFIG);
    sharc_url_done(&seed);
}

static void a_seed_by_address_stays_there(void **state)
{
    (void)state;
    SHARC_AUTO(sharc_scope_freep) struct sharc_scope *s = sharc_scope_new();
    struct sharc_url seed = SHARC_URL_INIT;
    assert_int_equal(sharc_url_parse(&seed, SHARC_SPAN("http://127.0.0.1:8080/a/"), NULL, NULL), 0);
    assert_int_equal(sharc_scope_add_seed(s, &seed, SHARC_REACH_DOMAIN, NULL, NULL), 0);
    sharc_scope_seal(s);
    assert_true(in(s, "http://127.0.0.1:8080/b"));
    assert_false(in(s, "http://127.0.0.1:8081/b"));
    assert_false(in(s, "http://127.0.0.11:8080/b"));
    sharc_url_done(&seed);
}

static void every_kind_of_rule_matches(void **state)
{
    (void)state;
    static const struct {
        const char *rule, *yes, *no;
    } cases[] = {
        {"surt:http://(org,example,", "https://a.b.example.org/x", "http://example.organic/"},
        {"surt:HTTPS://(ORG,example,www,)/A", "http://www.example.org/Ab", "http://www.example.org/a"},
        {"surt:org,example,)/", "http://example.org/", "http://www.example.org/"},
        {"surt:http://(10.0.0.1)", "http://10.0.0.1/x", "http://10.0.0.12/x"},
        {"http://(org,example,", "http://example.org/", "http://example.com/"},
        {"prefix:https://example.org/a", "http://www.example.org/ab", "http://example.org/b"},
        {"https://example.org:8080/", "https://example.org:8080/x", "https://example.org/x"},
        {"example.org/a/", "https://example.org/a/b", "https://example.org/a"},
        {"localhost:8080", "http://localhost:8080/x", "http://localhost/x"},
        {"page:https://example.org/a", "http://www.example.org/a", "https://example.org/ab"},
        {"host:www.Example.org", "https://www.example.org:81/x", "https://example.org/x"},
        {"host:[::1]", "http://[::1]:80/", "http://[::2]/"},
        {"domain:example.org", "https://a.example.org./x", "https://notexample.org/"},
        {"domain:10.0.0.1", "http://10.0.0.1:5/", "http://10.0.0.10/"},
        {"example.org", "https://a.example.org/x", "https://example.com/"},
        {"m\xc3\xbcnchen.example", "http://xn--mnchen-3ya.example/", "http://munchen.example/"},
        {"glob:*.pdf", "http://a.example/x.pdf", "http://a.example/x.pdf?y"},
        {"*/calendar/*/print", "http://a.example/calendar/2026/01/print", "http://a.example/calendar/print"},
        {"glob:a.example/*?id=*", "https://a.example/page?id=5", "https://b.example/page?id=5"},
        {"glob:https://a.example/*", "https://a.example/", "http://a.example/"},
        {"regex:/calendar/\\d{4}-\\d{2}/", "http://a.example/calendar/2026-11/x", "http://a.example/calendar/26-11/"},
        {"regex:^https?://[^/]+/(en|de)/", "https://a.example/de/x", "https://a.example/fr/de/"},
        {"regex:(?i)\\.JPE?G$", "http://a.example/x.jpeg", "http://a.example/x.jpeg?y"},
        {"all", "http://a.example/", "ftp://a.example/"},
    };
    for (size_t i = 0; i < SHARC_LENGTH(cases); i++) {
        char text[256];
        snprintf(text, sizeof text, "+%s", cases[i].rule);
        SHARC_AUTO(sharc_scope_freep) struct sharc_scope *s = SCOPE(text);
        if (!in(s, cases[i].yes)) fail_msg("\"%s\" should match %s", cases[i].rule, cases[i].yes);
        if (in(s, cases[i].no)) fail_msg("\"%s\" should not match %s", cases[i].rule, cases[i].no);
    }
}

static void the_last_match_decides(void **state)
{
    (void)state;
    SHARC_AUTO(sharc_scope_freep)
    struct sharc_scope *s =
        SCOPE("+prefix:https://example.org/", "-prefix:https://example.org/private/", "-glob:*.pdf",
              "+prefix:https://example.org/private/open/", "-regex:/old/", "+page:https://example.org/old/keep");
    assert_true(in(s, "https://example.org/"));
    assert_false(in(s, "https://example.org/private/x"));
    assert_true(in(s, "https://example.org/private/open/x.pdf"));
    assert_false(in(s, "https://example.org/private/open/old/x"));
    assert_false(in(s, "https://example.org/x.pdf"));
    assert_true(in(s, "https://example.org/old/keep"));
    assert_false(in(s, "https://other.example/"));
}

static void rules_do_not_see_credentials(void **state)
{
    (void)state;
    SHARC_AUTO(sharc_scope_freep) struct sharc_scope *s = SCOPE("+all", "-regex:secret", "-glob:*@*");
    assert_true(in(s, "https://me:secret@example.org/x?y#secret"));
}

static void limits_hold_whatever_the_rules_say(void **state)
{
    (void)state;
    SHARC_AUTO(sharc_scope_freep)
    struct sharc_scope *s = SCOPE("+max-depth:2", "-max-length:60", "+max-segments:5", "-max-repeats:2", "+all");
    assert_true(in_at(s, "http://a.example/", 2));
    assert_false(in_at(s, "http://a.example/", 3));
    assert_false(in(s, "http://a.example/xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx"));
    assert_true(in(s, "http://a.example/1/2/3/4/5/"));
    assert_false(in(s, "http://a.example/1/2/3/4/5/6"));
    assert_true(in(s, "http://a.example/x/x/y/x"));
    assert_false(in(s, "http://a.example/x/x/x"));
    SHARC_AUTO(sharc_scope_freep) struct sharc_scope *off = SCOPE("+max-repeats:2", "+all", "+max-repeats:off");
    assert_true(in(off, "http://a.example/x/x/x/x"));
    SHARC_AUTO(sharc_scope_freep) struct sharc_scope *runs = SCOPE("+all", "-max-repeats:2");
    assert_true(in(runs, "http://a.example/a/b/a/b/a"));
    assert_false(in(runs, "http://a.example/a/b/a/b/a/b"));
    assert_false(in(runs, "http://a.example/z/a/b/c/a/b/c/a/b/c/d"));
}

static void built_in_limits_can_be_replaced(void **state)
{
    (void)state;
    SHARC_AUTO(sharc_scope_freep) struct sharc_scope *s = sharc_scope_new();
    sharc_scope_add_limits(s);
    assert_int_equal(sharc_scope_add(s, SHARC_INCLUDE, SHARC_SPAN("all"), "--include", NULL), 0);
    sharc_scope_seal(s);
    assert_false(in(s, "http://a.example/x/x/x/x"));
    assert_int_equal(sharc_scope_add(s, SHARC_EXCLUDE, SHARC_SPAN("max-repeats:9"), "--exclude", NULL), 0);
    sharc_scope_seal(s);
    assert_true(in(s, "http://a.example/x/x/x/x"));
}

static void verdicts_are_explained(void **state)
{
    (void)state;
    SHARC_AUTO(sharc_scope_freep)
    struct sharc_scope *s = SCOPE("+prefix:https://example.org/", "-glob:*.pdf", "-max-depth:4", "-max-repeats:2");
    expect_sentence(s, "https://example.org/x", 0,
                    "in: include rule \"prefix:https://example.org/\" (settings.yaml:1) matches");
    expect_sentence(s, "https://example.org/x.pdf", 0,
                    "out: exclude rule \"glob:*.pdf\" (settings.yaml:2) matches and comes after include rule "
                    "\"prefix:https://example.org/\" (settings.yaml:1)");
    expect_sentence(s, "https://other.example/x.pdf", 0, "out: exclude rule \"glob:*.pdf\" (settings.yaml:2) matches");
    expect_sentence(s, "https://other.example/", 0,
                    "out: none of the 4 rules includes it; an include rule like \"host:other.example\" would");
    expect_sentence(
        s, "https://example.org/x", 7,
        "out: it is 7 links away from a seed, more than the limit \"max-depth:4\" (settings.yaml:3) allows");
    expect_sentence(s, "https://example.org/x/x/x", 1,
                    "out: its path repeats the same part 3 times in a row, more than the limit \"max-repeats:2\" "
                    "(settings.yaml:4) allows");
    expect_sentence(s, "mailto:x@example.org", 0, "out: its scheme is \"mailto\", only http and https are crawled");
}

static void bad_rules_name_place_and_cure(void **state)
{
    (void)state;
    static const struct {
        const char *rule, *part;
    } cases[] = {
        {"", "it is empty"},
        {"surt:example.org", "reversed, with commas"},
        {"surt:http://example.org/", "write prefix:"},
        {"surt:http://(", "write all"},
        {"hots:example.org", "its kind is not known"},
        {"host:", "nothing follows the colon"},
        {"host:example.org/x", "write prefix:"},
        {"domain:example.org:8080", "write prefix:"},
        {"domain:exa mple", "no domain may hold"},
        {"prefix:ftp://example.org/", "only http and https"},
        {"prefix:http://[", "is not a URL"},
        {"glob:*\xc3\xbc*", "percent-encoded"},
        {"regex:(a", "at character 2 of the expression: a parenthesis '(' is not closed"},
        {"regex:a)", "never opened"},
        {"regex:(a)\\1", "back-references"},
        {"regex:(?=a)", "look-around"},
        {"regex:*a", "nothing to repeat"},
        {"regex:[z-a]", "backwards"},
        {"regex:[a", "not closed"},
        {"regex:a{3,2}", "m smaller than n"},
        {"regex:a{5000}", "larger than 1000"},
        {"regex:((a{50}){50}){50}", "too large"},
        {"regex:((((){1000}){1000}){1000}){1000}", "too large"},
        {"regex:[[:digit:]]", "write \\d"},
        {"regex:\\q", "escape is not known"},
        {"regex:a\\", "ends in a backslash"},
        {"regex:\xc3\xbc", "ASCII"},
        {"max-depth:deep", "whole number"},
        {"max-depth:-1", "whole number"},
        {"host:a\nb", "one line"},
    };
    SHARC_AUTO(sharc_scope_freep) struct sharc_scope *s = sharc_scope_new();
    for (size_t i = 0; i < SHARC_LENGTH(cases); i++) {
        struct sharc_err err = SHARC_ERR_INIT;
        assert_int_equal(sharc_scope_add(s, SHARC_INCLUDE, sharc_span_of(cases[i].rule), "settings.yaml:12", &err),
                         SHARC_ECONFIG);
        if (!strstr(err.text, cases[i].part)) fail_msg("\"%s\": %s", cases[i].rule, err.text);
        assert_non_null(strstr(err.text, "settings.yaml:12: rule \""));
    }
}

static void expressions_match_like_expressions(void **state)
{
    (void)state;
    static const struct {
        const char *expression, *text;
        bool match;
    } cases[] = {
        {"", "", true},
        {"a|", "b", true},
        {"^$", "", true},
        {"^$", "x", false},
        {"a*b", "aaab", true},
        {"^a+?$", "aaa", true},
        {"^(ab|c)*$", "abcab", true},
        {"^(ab|c)*$", "abca", false},
        {"^a{2,3}$", "a", false},
        {"^a{2,3}$", "aaa", true},
        {"^a{2,3}$", "aaaa", false},
        {"^a{2,}$", "aaaa", true},
        {"^a{0}$", "", true},
        {"a{,2}", "a{,2}", true},
        {"a{x", "a{x", true},
        {"[]a]", "]", true},
        {"[^]a]", "a", false},
        {"[a-c-]", "-", true},
        {"[\\d.]x", ".x", true},
        {"\\x41", "A", true},
        {"\\.", "a", false},
        {"a.c", "abc", true},
        {"(?i)AbC", "xaBcx", true},
        {"x(?:y(z))?$", "xyz", true},
        {"(a*)*b", "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaac", false},
        {"(^a|b$)", "cb", true},
        {"\\D\\W\\S", "a-b", true},
    };
    for (size_t i = 0; i < SHARC_LENGTH(cases); i++) {
        const char *wrong = NULL;
        size_t at;
        struct regex *r = sharc__url_regex_new(sharc_span_of(cases[i].expression), &wrong, &at);
        if (!r) fail_msg("\"%s\": %s", cases[i].expression, wrong);
        if (sharc__url_regex_search(r, sharc_span_of(cases[i].text)) != cases[i].match)
            fail_msg("\"%s\" against \"%s\"", cases[i].expression, cases[i].text);
        sharc__url_regex_free(r);
    }
}

/* The classic that takes backtracking engines for ever. */
static void hostile_urls_cost_little(void **state)
{
    (void)state;
    char url[4096] = "http://a.example/";
    memset(url + 17, 'a', 4000);
    SHARC_AUTO(sharc_scope_freep)
    struct sharc_scope *s = SCOPE("+regex:(a|aa|a*)*(a?){50}b$", "+glob:*a*a*a*a*a*a*a*a*a*a*b");
    assert_false(in(s, url));
}

/* A table of many prefixes answers as trying them one by one would. */
static void tables_agree_with_single_rules(void **state)
{
    (void)state;
    SHARC_AUTO(sharc_scope_freep) struct sharc_scope *s = sharc_scope_new();
    struct rule rules[400] = {0};
    unsigned seed = 7;
    for (size_t i = 0; i < SHARC_LENGTH(rules); i++) {
        char text[80];
        int n = snprintf(text, sizeof text, "surt:http://(%c,", "ab"[seed % 2]);
        for (unsigned k = seed % 5; k; k--)
            n += snprintf(text + n, sizeof text - (size_t)n, "%c,", "ab"[seed >> k & 1]);
        rules[i].sign = seed >> 9 & 1 ? SHARC_INCLUDE : SHARC_EXCLUDE;
        assert_int_equal(sharc_scope_add(s, rules[i].sign, sharc_span_of(text), "test", NULL), 0);
        assert_int_equal(sharc__url_rule_read(&rules[i], sharc_span_of(text), "test", NULL), 0);
        seed = seed * 1103515245u + 12345u;
    }
    sharc_scope_seal(s);
    for (unsigned v = 0; v < 256; v++) {
        char url[64], room[2][SCOPE_KEY];
        int n = snprintf(url, sizeof url, "http://");
        for (unsigned k = 0; k < 8; k++) n += snprintf(url + n, sizeof url - (size_t)n, "%c.", "ab"[v >> k & 1]);
        struct sharc_url u = SHARC_URL_INIT;
        struct sharc_scope_verdict verdict;
        assert_int_equal(sharc_url_parse(&u, sharc_span_of(url), NULL, NULL), 0);
        struct sharc_span key[2] = {sharc__url_scope_key(&u, false, room[0]), sharc__url_scope_key(&u, true, room[1])};
        uint32_t last = 0;
        for (uint32_t i = 0; i < SHARC_LENGTH(rules); i++)
            if (sharc__url_rule_matches(&rules[i], sharc_url_page(&u), key)) last = i + 1;
        sharc_scope_check(s, &u, 0, &verdict);
        assert_int_equal(verdict.number, last);
        sharc_url_done(&u);
    }
    for (size_t i = 0; i < SHARC_LENGTH(rules); i++) sharc__url_rule_done(&rules[i]);
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(a_seed_opens_its_directory),      cmocka_unit_test(a_seed_by_address_stays_there),
    cmocka_unit_test(every_kind_of_rule_matches),      cmocka_unit_test(the_last_match_decides),
    cmocka_unit_test(rules_do_not_see_credentials),    cmocka_unit_test(limits_hold_whatever_the_rules_say),
    cmocka_unit_test(built_in_limits_can_be_replaced), cmocka_unit_test(verdicts_are_explained),
    cmocka_unit_test(bad_rules_name_place_and_cure),   cmocka_unit_test(expressions_match_like_expressions),
    cmocka_unit_test(hostile_urls_cost_little),        cmocka_unit_test(tables_agree_with_single_rules),
};
TEST_MAIN(tests)

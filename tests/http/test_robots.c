/* SPDX-License-Identifier: Apache-2.0 */
#include "test.h"

#include "../url/suite.h"
#include "sharc/http_robots.h"

#include <stdio.h>
#include <stdlib.h>

/* --- allow or not -------------------------------------------------------- */

static bool allowed(const char *file, const char *token, const char *url)
{
    SHARC_AUTO(sharc_robots_freep) struct sharc_robots *r = sharc_robots_new(sharc_span_of(file), token);
    return sharc_robots_allowed(r, sharc_span_of(url), NULL);
}

static const struct {
    const char *file, *url;
    bool allowed;
} cases[] = {
    /* no rules, no file */
    {"", "/x", true},
    {"Disallow: /\n", "/x", true}, /* in no group */
    {"User-agent: other\nDisallow: /\n", "/x", true},
    /* groups: ours, everybody's, merged, several names */
    {"User-agent: sharc\nDisallow: /a\n", "/a/b", false},
    {"User-agent: sharc\nDisallow: /a\n", "/b", true},
    {"User-agent: *\nDisallow: /a\n", "/a", false},
    {"User-agent: *\nDisallow: /\nUser-agent: sharc\nDisallow: /b\n", "/a", true},
    {"User-agent: *\nDisallow: /\nUser-agent: sharc\n", "/a", true}, /* named, without rules */
    {"User-agent: sharc\nDisallow: /a\n\nUser-agent: x\nDisallow: /\n\nUser-agent: sharc\nDisallow: /b\n", "/b", false},
    {"User-agent: sharc\nDisallow: /a\n\nUser-agent: x\nDisallow: /\n\nUser-agent: sharc\nDisallow: /b\n", "/a", false},
    {"User-agent: sharc\nDisallow: /a\n\nUser-agent: x\nDisallow: /\n\nUser-agent: sharc\nDisallow: /b\n", "/c", true},
    {"User-agent: x\nUser-agent: sharc\nDisallow: /a\n", "/a", false},
    {"User-agent: x\nSitemap: /s\nUser-agent: sharc\nDisallow: /a\n", "/a", false},
    {"User-agent: SHARC/2.0\nDisallow: /a\n", "/a", false},
    {"User-agent: sharcx\nDisallow: /a\n", "/a", true},
    {"User-agent: shar\nDisallow: /a\n", "/a", true},
    {"User-agent: * everybody\nDisallow: /a\n", "/a", false},
    {"User-agent: *foo\nDisallow: /a\n", "/a", true},
    /* the longest match decides, an allow wins a tie, an empty rule says nothing */
    {"User-agent: *\nAllow: /a/b\nDisallow: /a\n", "/a/b/c", true},
    {"User-agent: *\nAllow: /a\nDisallow: /a/b\n", "/a/b/c", false},
    {"User-agent: *\nDisallow: /a\nAllow: /a\n", "/a", true},
    {"User-agent: *\nDisallow:\n", "/a", true},
    {"User-agent: *\nDisallow: /\nAllow:\n", "/a", false},
    {"User-agent: *\nDisallow: /A\n", "/a", true},
    /* * and $ */
    {"User-agent: *\nDisallow: /*.pdf$\n", "/a/b.pdf", false},
    {"User-agent: *\nDisallow: /*.pdf$\n", "/a/b.pdf?x", true},
    {"User-agent: *\nDisallow: /*.pdf\n", "/a/b.pdf?x", false},
    {"User-agent: *\nDisallow: /a*b*c$\n", "/abcabc", false},
    {"User-agent: *\nDisallow: /a*b*c$\n", "/abcab", true},
    {"User-agent: *\nDisallow: /a*bc$\n", "/abc", false},
    {"User-agent: *\nDisallow: /ab*bc$\n", "/abc", true},
    {"User-agent: *\nDisallow: *\n", "/abc", false},
    {"User-agent: *\nDisallow: /*?*sid=\n", "/a?b&sid=1", false},
    {"User-agent: *\nDisallow: /a$b\n", "/a$b", false},
    {"User-agent: *\nDisallow: /a$\n", "/a", false},
    {"User-agent: *\nDisallow: /a$\n", "/ab", true},
    {"User-agent: *\nDisallow: /$\n", "", false},
    {"User-agent: *\nDisallow: ****/x\n", "/y/x", false},
    /* percent-encoding: what either reading forbids is not fetched */
    {"User-agent: *\nDisallow: /\xC3\xA4\n", "/%c3%a4", false},
    {"User-agent: *\nDisallow: /%c3%A4\n", "/\xC3\xA4", false},
    {"User-agent: *\nDisallow: /%62\n", "/b", false},
    {"User-agent: *\nDisallow: /b\n", "/%62", false},
    {"User-agent: *\nDisallow: /a%2Fb\n", "/a/b", true},
    {"User-agent: *\nDisallow: /a%2fb\n", "/a%2Fb", false},
    {"User-agent: *\nDisallow: /a%6\n", "/a%62", false},
    {"User-agent: *\nDisallow: /a%2A\n", "/a*", false}, /* RFC 9309, 2.2.3 */
    {"User-agent: *\nDisallow: /a%2a\n", "/ab", true},
    {"User-agent: *\nDisallow: /a%2A\n", "/a%2a", false},
    {"User-agent: *\nDisallow: /foo-%24\n", "/foo-$", false},
    {"User-agent: *\nDisallow: /foo-%24\n", "/foo-", true},
    {"User-agent: *\nDisallow: /\nAllow: /foo-%24$\n", "/foo-$", true},
    {"User-agent: *\nDisallow: /\nAllow: /foo-%24$\n", "/foo-$x", false},
    {"User-agent: *\nDisallow: /\nAllow: /a%2A\n", "/a*", true},
    {"User-agent: *\nDisallow: /a$b\n", "/a%24b", false},
    /* what no URL holds raw is encoded on both sides */
    {"User-agent: *\nDisallow: /a b\n", "/a%20b", false},
    {"User-agent: *\nDisallow: /a\"b\n", "/a%22b", false},
    {"User-agent: *\nDisallow: /a<b>\n", "/a%3Cb%3E", false},
    {"User-agent: *\nDisallow: /*{id}\n", "/x/%7bid%7d/y", false},
    {"User-agent: *\nDisallow: /*?q={id}\n", "/?q={id}", false},
    {"User-agent: *\nDisallow: /a^b\n", "/a%5Eb", false},
    {"User-agent: *\nDisallow: /a^b\n", "/a^b", false},
    {"User-agent: *\nDisallow: /a`b\n", "/a%60b", false},
    {"User-agent: *\nDisallow: /a|b\n", "/a%7Cb", false},
    {"User-agent: *\nDisallow: /?q='a'\n", "/?q=%27a%27", false},
    {"User-agent: *\nDisallow: /a\\b\n", "/a%5Cb", false},
    {"User-agent: *\nDisallow: /\nAllow: /a b\n", "/a%20b", true},
    {"User-agent: *\nDisallow: /a%20b\n", "/a b", false},
    {"User-agent: *\nDisallow: /a b\n", "/ab", true},
    /* hex digits have no case, on either side and for either kind of rule */
    {"User-agent: *\nDisallow: /\nAllow: /a%3cd\n", "/a%3cd", true},
    {"User-agent: *\nDisallow: /\nAllow: /a%3Cd\n", "/a%3cd", true},
    {"User-agent: *\nDisallow: /\nAllow: /a%3cd\n", "/a%3Cd", true},
    /* reserved characters: plain and encoded forbid each other */
    {"User-agent: *\nDisallow: /a%3Ab\n", "/a:b", false},
    {"User-agent: *\nDisallow: /a:b\n", "/a%3ab", false},
    {"User-agent: *\nDisallow: /a%40b\n", "/a@b", false},
    {"User-agent: *\nDisallow: /a@b\n", "/a%40b", false},
    {"User-agent: *\nDisallow: /?baz=https://foo.bar\n", "/?baz=https%3A%2F%2Ffoo.bar", false},
    {"User-agent: *\nDisallow: /?baz=https%3A%2F%2Ffoo.bar\n", "/?baz=https://foo.bar", false},
    {"User-agent: *\nDisallow: /a%3Fb\n", "/a?b", true},
    {"User-agent: *\nDisallow: /a?b\n", "/a%3Fb", true},
    {"User-agent: *\nDisallow: /a%25b\n", "/a%b", true},
    {"User-agent: *\nDisallow: /a%23b\n", "/a#b", true},
    {"User-agent: *\nDisallow: /%FF\n", "/\xFF", false},
    {"User-agent: *\nDisallow: /\nAllow: /%62\n", "/b", false},
    {"User-agent: *\nDisallow: /\nAllow: /%62\n", "/%62", true},
    /* lines: ends, mark, comments, spelling */
    {"User-agent: *\rDisallow: /a\r", "/a", false},
    {"User-agent: *\r\nDisallow: /a", "/a", false},
    {"\xEF\xBB\xBFUser-agent: *\nDisallow: /a\n", "/a", false},
    {"user-AGENT :\t* \n  dissalow  :  /a  # no\n", "/a", false},
    {"User-agent *\nDisallow /a\n", "/a", false},
    {"User-agent: *\nDisallow /a b\n", "/a", true},
    {"User-agent: *\nDisallow: /a b\n", "/a b", false},
    {"User-agent: *\n#Disallow: /a\n", "/a", true},
    {"User-agent: *\nDisallow: /a#b\n", "/abc", false},
    /* whole URLs */
    {"User-agent: *\nDisallow: /a\n", "https://h.example/a", false},
    {"User-agent: *\nDisallow: /a\n", "https://h.example/b#/a", true},
    {"User-agent: *\nDisallow: /?q\n", "https://h.example?q=1", false},
    {"User-agent: *\nDisallow: /b\n", "//h.example/b", false},
    {"User-agent: *\nDisallow: /\n", "https://h.example/robots.txt", true},
    {"User-agent: *\nDisallow: /\n", "https://h.example/x/robots.txt", false},
    {"User-agent: *\nDisallow: /\nAllow: /d/index.html\n", "/d/", true},
    {"User-agent: *\nDisallow: /\nAllow: /d/index.html\n", "/d/e", false},
};

static void decides(void **state)
{
    (void)state;
    for (size_t i = 0; i < SHARC_LENGTH(cases); i++)
        if (allowed(cases[i].file, "sharc", cases[i].url) != cases[i].allowed)
            fail_msg("case %zu: %s with %s", i, cases[i].url, cases[i].file);
}

static void names_the_rule(void **state)
{
    (void)state;
    SHARC_AUTO(sharc_robots_freep)
    struct sharc_robots *r =
        sharc_robots_new(SHARC_SPAN("# hello\r\n\r\nUser-agent: *\rAllow: /a/b\n\nDisallow: /a # secret\n"), "sharc");
    struct sharc_robots_rule rule;
    assert_false(sharc_robots_allowed(r, SHARC_SPAN("/a/c"), &rule));
    assert_int_equal(rule.line, 6);
    assert_span(rule.value, "/a");
    assert_true(sharc_robots_allowed(r, SHARC_SPAN("/a/b"), &rule));
    assert_int_equal(rule.line, 4);
    assert_true(sharc_robots_allowed(r, SHARC_SPAN("/"), &rule));
    assert_int_equal(rule.line, 0);
    assert_true(rule.allow);
    assert_int_equal(sharc_robots_rules(r), 2);
}

static void delay_and_sitemaps(void **state)
{
    (void)state;
    static const struct {
        const char *file;
        sharc_time delay;
    } delays[] = {
        {"User-agent: *\nCrawl-delay: 5\n", 5 * SHARC_SEC},
        {"User-agent: *\nCrawl-delay: 0.5\n", SHARC_SEC / 2},
        {"User-agent: *\nCrawl-delay: 86400\n", 300 * SHARC_SEC},
        {"User-agent: *\nCrawl-delay: 5\nUser-agent: sharc\nCrawl-delay: 2\n", 2 * SHARC_SEC},
        {"User-agent: *\nCrawl-delay: 5\nDisallow: /\nUser-agent: sharc\nDisallow: /x\n", 0},
        {"User-agent: other\nCrawl-delay: 5\n", 0},
        {"User-agent: *\nCrawl-delay: soon\n", 0},
        {"User-agent: *\nCrawl-delay: -1\n", 0},
        {"User-agent: *\nCrawl-delay: 1e300\n", 300 * SHARC_SEC},
        /* a delay is for the agents right above it, with or without a rule between */
        {"User-agent: *\nCrawl-delay: 1\n\nUser-agent: bot\nCrawl-delay: 10\nDisallow: /x\n", SHARC_SEC},
        {"User-agent: *\nDisallow:\nUser-agent: bot\nCrawl-delay: 10\n", 0},
        {"User-agent: bot\nCrawl-delay: 10\nUser-agent: *\nDisallow: /x\n", 0},
        {"User-agent: bot\nCrawl-delay: 10\nUser-agent: *\nCrawl-delay: 2\n", 2 * SHARC_SEC},
        {"User-agent: bot\nUser-agent: *\nCrawl-delay: 3\n", 3 * SHARC_SEC},
        {"User-agent: sharc\nCrawl-delay: 4\nUser-agent: bot\nCrawl-delay: 9\n", 4 * SHARC_SEC},
        {"User-agent: *\nDisallow: /x\nCrawl-delay: 5\n", 5 * SHARC_SEC},
    };
    for (size_t i = 0; i < SHARC_LENGTH(delays); i++) {
        SHARC_AUTO(sharc_robots_freep)
        struct sharc_robots *r = sharc_robots_new(sharc_span_of(delays[i].file), "sharc");
        if (sharc_robots_delay(r) != delays[i].delay) fail_msg("%s", delays[i].file);
    }
    SHARC_AUTO(sharc_robots_freep)
    struct sharc_robots *r = sharc_robots_new(
        SHARC_SPAN("Sitemap: https://h.example/1.xml\nUser-agent: x\nSITEMAP:/2.xml\nSitemap:\nDisallow: /\n"),
        "sharc");
    assert_span(sharc_robots_sitemap(r, 0), "https://h.example/1.xml");
    assert_span(sharc_robots_sitemap(r, 1), "/2.xml");
    assert_null(sharc_robots_sitemap(r, 2).p);
}

/* Text editors of one system save "Unicode" like this. */
static void reads_utf16(void **state)
{
    (void)state;
    static const char text[] = "User-agent: *\r\nDisallow: /a\r\nDisallow: /\xE4$\r\nSitemap: /s.xml\r\n";
    for (int big = 0; big < 2; big++) {
        SHARC_AUTO(sharc_buf_done) struct sharc_buf file = SHARC_BUF_INIT(1 << 10);
        sharc_buf_put(&file, big ? SHARC_SPAN("\xFE\xFF") : SHARC_SPAN("\xFF\xFE"));
        for (size_t i = 0; i + 1 < sizeof text; i++) {
            char pair[2] = {big ? 0 : text[i], big ? text[i] : 0};
            sharc_buf_put(&file, sharc_span(pair, 2));
        }
        SHARC_AUTO(sharc_robots_freep) struct sharc_robots *r = sharc_robots_new(sharc_buf_span(&file), "sharc");
        assert_int_equal(sharc_robots_rules(r), 2);
        assert_false(sharc_robots_allowed(r, SHARC_SPAN("/a"), NULL));
        assert_false(sharc_robots_allowed(r, SHARC_SPAN("/%C3%A4"), NULL));
        assert_true(sharc_robots_allowed(r, SHARC_SPAN("/b"), NULL));
        assert_span(sharc_robots_sitemap(r, 0), "/s.xml");
    }
}

static void fixed_answers(void **state)
{
    (void)state;
    SHARC_AUTO(sharc_robots_freep) struct sharc_robots *yes = sharc_robots_new_fixed(true);
    SHARC_AUTO(sharc_robots_freep) struct sharc_robots *no = sharc_robots_new_fixed(false);
    assert_true(sharc_robots_allowed(yes, SHARC_SPAN("/x"), NULL));
    assert_false(sharc_robots_allowed(no, SHARC_SPAN("/x"), NULL));
    assert_true(sharc_robots_allowed(no, SHARC_SPAN("/robots.txt"), NULL));
    assert_int_equal(sharc_robots_delay(no), 0);
    assert_null(sharc_robots_sitemap(no, 0).p);
}

/* Half a megabyte of the worst rules, and what stands behind it does not count. */
static void bounded(void **state)
{
    (void)state;
    SHARC_AUTO(sharc_buf_done) struct sharc_buf file = SHARC_BUF_INIT(2 << 20);
    sharc_buf_put_str(&file, "User-agent: *\n");
    while (file.n < SHARC_ROBOTS_BYTES) sharc_buf_put_str(&file, "Disallow: *\xFFq\n");
    sharc_buf_put_str(&file, "\nDisallow: /\n");
    SHARC_AUTO(sharc_robots_freep) struct sharc_robots *r = sharc_robots_new(sharc_buf_span(&file), "sharc");
    assert_true(sharc_robots_allowed(r, SHARC_SPAN("/x"), NULL));
    assert_false(sharc_robots_allowed(r, SHARC_SPAN("/x\xFFq"), NULL));
    assert_true(sharc_robots_bytes(r) < 16u << 20);
}

/* --- another parser's cases ---------------------------------------------- */

static void answers_as_the_reference(void **state)
{
    (void)state;
    struct suite s;
    struct tally t = {.name = "robots"};
    suite_open(&s, "robots-google/robots_cases.tsv", false);
    struct sharc_span rest = sharc_buf_span(&s.bytes), line, name, file, agent, url, want;
    sharc_span_next(&rest, '\n', &line);
    while (sharc_span_next(&rest, '\n', &line)) {
        if (!line.n) continue;
        assert_true(sharc_span_next(&line, '\t', &name) && sharc_span_next(&line, '\t', &file) &&
                    sharc_span_next(&line, '\t', &agent) && sharc_span_next(&line, '\t', &url) &&
                    sharc_span_next(&line, '\t', &want));
        SHARC_AUTO(sharc_freep) char *token = sharc_span_dup(suite_unescape(agent));
        SHARC_AUTO(sharc_robots_freep) struct sharc_robots *r = sharc_robots_new(suite_unescape(file), token);
        bool got = sharc_robots_allowed(r, suite_unescape(url), NULL);
        tally_add(&t, got == sharc_span_is(want, "allow"), name, got ? "allowed" : "denied");
    }
    suite_close(&s);
    tally_check(&t, 145);
}

/* path_params_query: a rule that is exactly the expected path must match. */
static void takes_paths_as_the_reference(void **state)
{
    (void)state;
    struct suite s;
    struct tally t = {.name = "robots paths"};
    suite_open(&s, "robots-google/path_params_query.tsv", false);
    struct sharc_span rest = sharc_buf_span(&s.bytes), line, url, want;
    sharc_span_next(&rest, '\n', &line);
    while (sharc_span_next(&rest, '\n', &line)) {
        if (!line.n) continue;
        assert_true(sharc_span_next(&line, '\t', &url) && sharc_span_next(&line, '\t', &want));
        SHARC_AUTO(sharc_freep) char *file = sharc_asprintf("User-agent: *\nDisallow: %.*s$\n", SHARC_SPAN_ARG(want));
        SHARC_AUTO(sharc_freep) char *text = sharc_span_dup(url);
        tally_add(&t, !allowed(file, "sharc", text), url, "not that path");
    }
    suite_close(&s);
    tally_check(&t, 19);
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(decides),
    cmocka_unit_test(names_the_rule),
    cmocka_unit_test(delay_and_sitemaps),
    cmocka_unit_test(reads_utf16),
    cmocka_unit_test(fixed_answers),
    cmocka_unit_test(bounded),
    cmocka_unit_test(answers_as_the_reference),
    cmocka_unit_test(takes_paths_as_the_reference),
};
TEST_MAIN(tests)

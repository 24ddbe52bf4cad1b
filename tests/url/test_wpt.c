/* SPDX-License-Identifier: Apache-2.0
 *
 * The suites of the web platform tests, and what ada adds to them. They stand
 * beside the source tree; where they are not, these tests are skipped.
 */
#include "test.h"

#include "sharc/url.h"
#include "suite.h"

#include <stdio.h>

static struct sharc_span text_of(const struct sharc_node *test, const char *name)
{
    return sharc_node_text(sharc_node_get(test, name));
}

/* The value of a part as scripts see it, with its mark where it is not empty. */
static void put_part(const struct sharc_url *u, const char *name, struct sharc_buf *out)
{
    struct sharc_span query = sharc_url_query(u), fragment = sharc_url_fragment(u);
    sharc_buf_clear(out);
    if (strcmp(name, "href") == 0) sharc_buf_put(out, sharc_url_href(u));
    if (strcmp(name, "origin") == 0) sharc_url_origin(u, out);
    if (strcmp(name, "protocol") == 0) sharc_buf_printf(out, "%.*s:", SHARC_SPAN_ARG(sharc_url_scheme(u)));
    if (strcmp(name, "username") == 0) sharc_buf_put(out, sharc_url_user(u));
    if (strcmp(name, "password") == 0) sharc_buf_put(out, sharc_url_password(u));
    if (strcmp(name, "host") == 0) sharc_buf_put(out, sharc_url_host_port(u));
    if (strcmp(name, "hostname") == 0) sharc_buf_put(out, sharc_url_host(u));
    if (strcmp(name, "port") == 0) sharc_buf_put(out, sharc_url_port_text(u));
    if (strcmp(name, "pathname") == 0) sharc_buf_put(out, sharc_url_path(u));
    if (strcmp(name, "search") == 0 && query.n) sharc_buf_printf(out, "?%.*s", SHARC_SPAN_ARG(query));
    if (strcmp(name, "hash") == 0 && fragment.n) sharc_buf_printf(out, "#%.*s", SHARC_SPAN_ARG(fragment));
}

/* Name of the first part that differs, or NULL. */
static const char *compare_parts(const struct sharc_url *u, const struct sharc_node *expected)
{
    static const char *const parts[] = {"href", "origin",   "protocol", "username", "password", "host",
                                        "port", "hostname", "pathname", "search",   "hash"};
    SHARC_AUTO(sharc_buf_done) struct sharc_buf got = SHARC_BUF_INIT(SHARC_LIMIT_URL + 16);
    for (size_t i = 0; i < SHARC_LENGTH(parts); i++) {
        const struct sharc_node *want = sharc_node_get(expected, parts[i]);
        if (!want || want->kind == SHARC_NULL) continue;
        put_part(u, parts[i], &got);
        if (!sharc_span_eq(sharc_buf_span(&got), sharc_node_text(want))) return parts[i];
    }
    return NULL;
}

static void run_parse_suite(const char *file, size_t total, const char *const *known)
{
    struct suite s;
    struct sharc_url base = SHARC_URL_INIT, u = SHARC_URL_INIT;
    struct tally t = {.name = file, .known = known};
    suite_open(&s, file, true);
    for (const struct sharc_node *test = s.root->first; test; test = test->next) {
        if (test->kind != SHARC_MAP) continue;
        const struct sharc_node *base_text = sharc_node_get(test, "base");
        bool has_base = base_text && base_text->kind == SHARC_STRING;
        bool fails = sharc_node_bool(sharc_node_get(test, "failure"), false);
        int r = has_base ? sharc_url_parse(&base, base_text->text, NULL, NULL) : 0;
        if (r == 0) r = sharc_url_parse(&u, text_of(test, "input"), has_base ? &base : NULL, NULL);
        const char *wrong = r < 0 ? "refused" : fails ? "accepted" : compare_parts(&u, test);
        if (r < 0 && fails) wrong = NULL;
        tally_add(&t, !wrong, text_of(test, "input"), wrong);
    }
    sharc_url_done(&base);
    sharc_url_done(&u);
    suite_close(&s);
    tally_check(&t, total);
}

static void parses_as_the_standard_says(void **state)
{
    (void)state;
    run_parse_suite("wpt-url/urltestdata.json", 891, NULL);
}

static void parses_lone_surrogates_as_replacement(void **state)
{
    (void)state;
    run_parse_suite("wpt-url/urltestdata-javascript-only.json", 1, NULL);
}

static void parses_what_ada_adds(void **state)
{
    (void)state;
    run_parse_suite("wpt-url/ada_extra_urltestdata.json", 28, NULL);
}

static void parses_long_hosts(void **state)
{
    (void)state;
    run_parse_suite("wpt-url/ada_long_urltestdata.json", 1, NULL);
}

/* The lengths of DNS names are checked by an optional function of ada's. The
 * standard's parser (VerifyDnsLength=false) takes these ten, and so do we: a
 * name that DNS cannot hold fails when it is looked up, with a reason. */
static const char *const dns_lengths[] = {
    "http://lorenlorenlorenlorenlorenlorenlorenlorenlorenlorenlorenlorenlore.com",
    "http://br.lorenlorenlorenlorenlorenlorenlorenlorenlorenlorenlorenlorenlore.org/",
    "http://exampleexampleexampleexampleexampleexampleexampleexampleexampleexample."
    "lorenlorenlorenlorenlorenlorenlorenlorenlorenlorenlorenlorenlore.org.br/",
    "http://br.exampleexampleexampleexampleexampleexampleexampleexampleexampleexample."
    "lorenlorenlorenlorenlorenlorenlorenlorenlorenlorenlorenlorenlore",
    "http://example..com.br",
    "http://example.com.br..",
    "http://example.com.br....",
    "http://.example.com.br",
    "http://example.com..br",
    "http://example.com.br.com.br.com.br.com.br.com.br.com.br.com.br.com.br.com.br.com.br.com.br.com.br.com.br.com.br."
    "com.br.com.br.com.br.com.br.com.br.com.br.com.br.com.br.com.br.com.br.com.br.com.br.com.br.com.br.com.br.com.br."
    "com.br.com.br.com.br.com.br.com.br.com.br.com.br.com.br.com.br",
    NULL,
};

static void leaves_dns_lengths_to_dns(void **state)
{
    (void)state;
    run_parse_suite("wpt-url/verifydnslength_tests.json", 17, dns_lengths);
}

/* Three names with ideographs that Unicode got in version 17; the ICU of Debian
 * 12 knows version 15. Keyed by the answer, the question is hard to write. */
static const char *const too_new[] = {"xn--20-9802c.xn--0w5a.xn--1-eg4e.", "xn--9-i0j5967eg3qz.ss", NULL};

/* Through a whole URL, with every byte percent-encoded, as browsers are tested. */
static void run_domain_suite(const char *file, size_t total)
{
    struct suite s;
    struct sharc_url u = SHARC_URL_INIT;
    struct tally t = {.name = file, .known = too_new};
    SHARC_AUTO(sharc_buf_done) struct sharc_buf b = SHARC_BUF_INIT(SHARC_LIMIT_URL);
    suite_open(&s, file, true);
    for (const struct sharc_node *test = s.root->first; test; test = test->next) {
        if (test->kind != SHARC_MAP) continue;
        struct sharc_span input = text_of(test, "input"), want = text_of(test, "output");
        if (!input.n) continue; /* no URL carries an empty host to the mapping */
        sharc_buf_clear(&b);
        sharc_buf_put_str(&b, "https://");
        for (size_t i = 0; i < input.n; i++) sharc_buf_printf(&b, "%%%02X", (unsigned char)input.p[i]);
        sharc_buf_put_str(&b, "/x");
        bool good = sharc_url_parse(&u, sharc_buf_span(&b), NULL, NULL) == 0;
        bool fails = sharc_node_get(test, "output")->kind == SHARC_NULL;
        tally_add(&t, fails ? !good : good && sharc_span_eq(sharc_url_host(&u), want), want, "another answer");
    }
    sharc_url_done(&u);
    suite_close(&s);
    tally_check(&t, total);
}

static void maps_domains_to_ascii(void **state)
{
    (void)state;
    run_domain_suite("wpt-url/toascii.json", 87);
}

static void maps_domains_by_uts46(void **state)
{
    (void)state;
    run_domain_suite("wpt-url/IdnaTestV2.json", 2670);
}

static void refuses_removed_code_points(void **state)
{
    (void)state;
    run_domain_suite("wpt-url/IdnaTestV2-removed.json", 20);
}

static void encodes_queries_by_charset(void **state)
{
    (void)state;
    struct suite s;
    struct tally t = {.name = "wpt-url/percent-encoding.json"};
    struct sharc_url u = SHARC_URL_INIT;
    suite_open(&s, t.name, true);
    for (const struct sharc_node *test = s.root->first; test; test = test->next) {
        if (test->kind != SHARC_MAP) continue;
        SHARC_AUTO(sharc_buf_done) struct sharc_buf b = SHARC_BUF_INIT(SHARC_LIMIT_URL);
        sharc_buf_printf(&b, "http://h/?%.*s", SHARC_SPAN_ARG(text_of(test, "input")));
        const struct sharc_node *outputs = sharc_node_get(test, "output");
        for (const struct sharc_node *want = outputs->first; want; want = want->next) {
            SHARC_AUTO(sharc_url_charset_freep) struct sharc_url_charset *charset = NULL;
            assert_int_equal(sharc_url_charset_new(want->name, &charset, NULL), 0);
            assert_int_equal(sharc_url_parse_charset(&u, sharc_buf_span(&b), NULL, charset, NULL), 0);
            tally_add(&t, sharc_span_eq(sharc_url_query(&u), want->text), want->name, sharc_url_href(&u).p);
        }
    }
    sharc_url_done(&u);
    suite_close(&s);
    tally_check(&t, 16);
}

static void run_setters_suite(const char *file, size_t total)
{
    static const char *const parts[] = {"href",     "protocol", "username", "password", "host",
                                        "hostname", "port",     "pathname", "search",   "hash"};
    struct suite s;
    struct tally t = {.name = file};
    struct sharc_url u = SHARC_URL_INIT;
    suite_open(&s, file, true);
    for (unsigned part = 0; part < SHARC_LENGTH(parts); part++) {
        const struct sharc_node *tests = sharc_node_get(s.root, parts[part]);
        for (const struct sharc_node *test = tests ? tests->first : NULL; test; test = test->next) {
            assert_int_equal(sharc_url_parse(&u, text_of(test, "href"), NULL, NULL), 0);
            sharc_url_set(&u, (enum sharc_url_part)part, text_of(test, "new_value"), NULL);
            const char *wrong = compare_parts(&u, sharc_node_get(test, "expected"));
            tally_add(&t, !wrong, text_of(test, "new_value"), wrong);
        }
    }
    sharc_url_done(&u);
    suite_close(&s);
    tally_check(&t, total);
}

static void sets_parts_as_the_standard_says(void **state)
{
    (void)state;
    run_setters_suite("wpt-url/setters_tests.json", 278);
}

static void sets_parts_that_ada_adds(void **state)
{
    (void)state;
    run_setters_suite("wpt-url/ada_extra_setters_tests.json", 18);
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(parses_as_the_standard_says), cmocka_unit_test(parses_lone_surrogates_as_replacement),
    cmocka_unit_test(parses_what_ada_adds),        cmocka_unit_test(parses_long_hosts),
    cmocka_unit_test(leaves_dns_lengths_to_dns),   cmocka_unit_test(maps_domains_to_ascii),
    cmocka_unit_test(maps_domains_by_uts46),       cmocka_unit_test(refuses_removed_code_points),
    cmocka_unit_test(encodes_queries_by_charset),  cmocka_unit_test(sets_parts_as_the_standard_says),
    cmocka_unit_test(sets_parts_that_ada_adds),
};
TEST_MAIN(tests)

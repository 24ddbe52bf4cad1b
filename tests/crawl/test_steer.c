/* SPDX-License-Identifier: Apache-2.0
 *
 * How a crawl is steered, and what it says when it cannot go on: sites out of reach,
 * limits, settings changed while it runs.
 */
#include "world.h"

#include "sharc/base_file.h"

#include <stdio.h>
#include <stdlib.h>

#define H "http://site.test"

static bool said(const struct world *w, const char *words)
{
    if (strstr(w->remarks, words)) return true;
    print_message("not said: %s\nsaid:\n%s", words, w->remarks);
    return false;
}

/* --- sites out of reach ------------------------------------------------------------- */

static struct sharc_crawl_status status_then;

static void look_at_status(struct world *w)
{
    if (w->asked_count == 2) sharc_crawl_status(w->crawl, &status_then);
}

static void refused_connections_are_told(void **state)
{
    (void)state;
    const struct web_page web[] = {{H "/robots.txt", .fails = 99, .fail_as = -SHARC_FETCH_CONNECT}};
    struct world w;
    world_init(&w, web, SHARC_LENGTH(web));
    w.at_request = look_at_status;
    assert_int_equal(world_crawl(&w, H "/", NULL), SHARC_ENET);
    assert_true(
        said(&w, "site.test cannot be reached: no connection could be made; trying again in 10 s (attempt 2 of 4)\n"));
    assert_true(said(&w, "trying again in 40 s (attempt 3 of 4)\n"));
    assert_true(said(&w, "trying again in 2 min 40 s (attempt 4 of 4)\n"));
    assert_int_equal(w.asked_count, 4);
    assert_int_equal(status_then.troubled, 1);
    assert_string_equal(status_then.trouble_site, "site.test");
    struct sharc_crawl_summary s = world_summary(&w, 0);
    assert_int_equal(s.phase, SHARC_CRAWL_SUSPENDED);
    assert_true(s.unreached);
    assert_string_equal(s.why, "it cannot be reached: no connection could be made");
    world_done(&w);
}

static void names_without_address_are_told(void **state)
{
    (void)state;
    const struct web_page web[] = {{H "/robots.txt", .fails = 1, .fail_as = -SHARC_FETCH_DNS, .status = 404},
                                   {H "/", .body = "here"}};
    struct world w;
    world_init(&w, web, SHARC_LENGTH(web));
    assert_int_equal(world_crawl(&w, H "/", NULL), 0);
    assert_true(said(&w, "site.test cannot be reached: the host name has no address; trying again in 10 s"));
    assert_true(said(&w, "site.test answers again\n"));
    assert_int_equal(world_summary(&w, 0).pages, 1);
    assert_false(world_summary(&w, 0).unreached);
    world_done(&w);
}

static void robots_that_cannot_be_had_are_told(void **state)
{
    (void)state;
    const struct web_page web[] = {{H "/robots.txt", .fails = 2, .fail_as = 500, .fields = "Retry-After: 300\r\n",
                                    .status = 404},
                                   {H "/", .body = "here"},
                                   {"http://never.test/robots.txt", .fails = 99, .fail_as = 500}};
    struct world w;
    world_init(&w, web, SHARC_LENGTH(web));
    assert_int_equal(world_crawl(&w, H "/", "http://never.test/", NULL), SHARC_ENET);
    assert_true(
        said(&w,
             "site.test does not give its robots.txt: the server says 500; trying again in 5 min (attempt 2 of 4)"));
    assert_true(
        said(&w,
             "never.test does not give its robots.txt: the server says 500; trying again in 1 min (attempt 2 of 4)"));
    assert_true(said(&w, "never.test is left for another day: its robots.txt cannot be had: the server says 500\n"));
    assert_int_equal(world_summary(&w, 0).pages, 1);
    assert_int_equal(world_summary(&w, 1).phase, SHARC_CRAWL_SUSPENDED);
    assert_int_equal(world_asked(&w, H "/robots.txt"), 3);
    world_done(&w);
}

/* Nobody repairs a certificate within a minute. */
static void refused_certificates_end_it_at_once(void **state)
{
    (void)state;
    const struct web_page web[] = {{H "/robots.txt", .fails = 99, .fail_as = -SHARC_FETCH_TLS}};
    struct world w;
    world_init(&w, web, SHARC_LENGTH(web));
    assert_int_equal(world_crawl(&w, H "/", NULL), SHARC_ENET);
    assert_int_equal(w.asked_count, 1);
    assert_non_null(strstr(world_summary(&w, 0).why, "--ca-file"));
    world_done(&w);
}

static void seeds_without_a_page_have_a_reason(void **state)
{
    (void)state;
    const struct web_page web[] = {{H "/robots.txt", .type = "text/plain", .body = "User-agent: *\nDisallow: /no\n"}};
    struct world w;
    world_init(&w, web, SHARC_LENGTH(web));
    assert_int_equal(world_crawl(&w, H "/no", "http://b.test/", "http://c.test/", NULL), 0);
    assert_string_equal(world_summary(&w, 0).why, H "/no: robots.txt does not allow it");
    assert_string_equal(world_summary(&w, 1).why, "http://b.test/: the server says 404");
    assert_false(world_summary(&w, 1).unreached);
    world_done(&w);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(refused_connections_are_told),       cmocka_unit_test(names_without_address_are_told),
        cmocka_unit_test(robots_that_cannot_be_had_are_told), cmocka_unit_test(refused_certificates_end_it_at_once),
        cmocka_unit_test(seeds_without_a_page_have_a_reason),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

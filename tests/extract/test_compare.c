/* SPDX-License-Identifier: Apache-2.0
 *
 * What is held against another version of a page, and which block is which.
 */
#include "sharc/extract_compare.h"
#include "test.h"

#include <stdlib.h>

struct version {
    struct sharc_page page;
    struct sharc_page_prints prints;
};

static void version_done(struct version *v)
{
    sharc_page_done(&v->page);
    sharc_page_prints_done(&v->prints);
}

static void read_page(struct version *v, const char *html)
{
    struct sharc_url url = SHARC_URL_INIT;
    assert_int_equal(sharc_url_parse(&url, SHARC_SPAN("http://example.org/"), NULL, NULL), 0);
    struct sharc_extract_input in = {.body = sharc_span_of(html), .url = &url, .content_type = SHARC_SPAN("text/html")};
    assert_int_equal(sharc_extract(&v->page, &in, NULL), 0);
    sharc_page_prints_make(&v->prints, &v->page, v->page.text);
    sharc_url_done(&url);
}

#define NAV "<nav><a href=/a>A</a> <a href=/b>B</a></nav>"

static void only_content_links_count(void **state)
{
    (void)state;
    SHARC_AUTO(version_done) struct version v = {.page = {0}};
    read_page(&v, "<link rel=stylesheet href=s.css?v=1><script src=x.js></script><a href=/a>a</a><a href=/a>again</a>"
                  "<img src=i.png><iframe src=f.html></iframe><style>p { background: url(b.png) }</style>");
    assert_int_equal(v.prints.link_count, 3);
    for (size_t i = 1; i < v.prints.link_count; i++) assert_true(v.prints.links[i - 1] < v.prints.links[i]);
}

static void weights_follow_roles(void **state)
{
    (void)state;
    SHARC_AUTO(version_done) struct version v = {.page = {0}};
    read_page(&v, "<header>Welcome to the garden</header>" NAV
                  "<main><p>The roses were cut today. They were red.</p><p>And the lawn too.</p></main>"
                  "<footer>Imprint and all that</footer>");
    double sum = 0, most = 0;
    unsigned role = SHARC_BLOCK_OTHER;
    for (size_t i = 0; i < v.prints.part_count; i++) {
        sum += v.prints.parts[i].weight;
        if (v.prints.parts[i].weight > most) most = v.prints.parts[i].weight, role = v.prints.parts[i].role;
    }
    assert_close(sum, 1, 1e-12);
    assert_int_equal(role, SHARC_BLOCK_MAIN);
}

static void sentences_links_and_images_are_elements(void **state)
{
    (void)state;
    SHARC_AUTO(version_done) struct version v = {.page = {0}};
    read_page(&v, "<main><p>One sentence. Another one! Version 1.5 is out.</p><img src=i.png><a href=/x></a></main>");
    assert_int_equal(v.prints.part_count, 1);
    assert_int_equal(v.prints.element_count, 5);
}

static void blocks_find_their_partners(void **state)
{
    (void)state;
    SHARC_AUTO(version_done) struct version a = {.page = {0}};
    SHARC_AUTO(version_done) struct version b = {.page = {0}};
    read_page(&a, NAV "<main><p>First.</p><p>Second.</p></main><footer>Imprint</footer>");
    read_page(&b, "<aside>New box</aside>" NAV "<main><p>First.</p><p>Third.</p></main>");
    SHARC_AUTO(sharc_page_pairs_done) struct sharc_page_pairs p = SHARC_PAGE_PAIRS_INIT;
    sharc_page_pairs_make(&p, &a.prints, &b.prints);
    assert_int_equal(p.count, 4);
    assert_int_equal(p.pairs[0].role, SHARC_BLOCK_SIDE);
    assert_true(p.pairs[0].is_new);
    assert_int_equal(p.pairs[1].role, SHARC_BLOCK_NAVIGATION);
    assert_int_equal(p.pairs[1].block.n_before, p.pairs[1].block.n_after);
    assert_int_equal(p.pairs[2].role, SHARC_BLOCK_MAIN);
    assert_false(p.pairs[2].is_new || p.pairs[2].is_gone);
    struct sharc_change_ops ops;
    sharc_change_ops(&p.pairs[2].block, &ops);
    assert_int_equal(ops.updated, 1);
    assert_int_equal(ops.inserted + ops.deleted + ops.moved, 0);
    assert_int_equal(p.pairs[3].role, SHARC_BLOCK_FOOTER);
    assert_true(p.pairs[3].is_gone);
    sharc_page_pairs_make(&p, &a.prints, &a.prints);
    assert_int_equal(p.count, 3);
    double sum = 0;
    for (size_t i = 0; i < p.count; i++) sum += p.pairs[i].block.weight;
    assert_close(sum, 1, 1e-12);
}

/* The same elements, cut into other blocks by an edit, count as they are: one that came. */
static void other_cuts_are_no_change(void **state)
{
    (void)state;
    SHARC_AUTO(version_done) struct version a = {.page = {0}};
    SHARC_AUTO(version_done) struct version b = {.page = {0}};
    read_page(&a, "<div><p>One.</p><p>Two.</p></div><div><p>Three.</p><p>Four.</p></div>");
    read_page(&b, "<main><p>One.</p><p>Two.</p><p>Three.</p></main><aside><p>Four.</p><p>Five.</p></aside>");
    SHARC_AUTO(sharc_page_pairs_done) struct sharc_page_pairs p = SHARC_PAGE_PAIRS_INIT;
    sharc_page_pairs_make(&p, &a.prints, &b.prints);
    size_t inserted = 0, others = 0;
    for (size_t i = 0; i < p.count; i++) {
        struct sharc_change_ops ops;
        sharc_change_ops(&p.pairs[i].block, &ops);
        inserted += ops.inserted;
        others += ops.updated + ops.moved + ops.deleted;
    }
    assert_int_equal(inserted, 1);
    assert_int_equal(others, 0);
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(only_content_links_count),
    cmocka_unit_test(weights_follow_roles),
    cmocka_unit_test(sentences_links_and_images_are_elements),
    cmocka_unit_test(blocks_find_their_partners),
    cmocka_unit_test(other_cuts_are_no_change),
};
TEST_MAIN(tests)

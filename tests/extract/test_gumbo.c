/* SPDX-License-Identifier: Apache-2.0
 *
 * Beside gumbo, which builds the tree that the standard describes: the same
 * names with the same characters, the same links, the same words.
 */
#include "test.h"

#include "sharc/base_clock.h"
#include "sharc/base_file.h"
#include "sharc/base_rng.h"
#include "sharc/extract_html.h"

#include <dirent.h>
#include <gumbo.h>
#include <stdio.h>
#include <stdlib.h>

/* --- every named reference ------------------------------------------------------------- */

static void gumbo_text(struct sharc_span html, struct sharc_buf *out)
{
    GumboOutput *g = gumbo_parse_with_options(&kGumboDefaultOptions, html.p, html.n);
    GumboNode *body = g->root->v.element.children.data[1];
    for (unsigned i = 0; i < body->v.element.children.length; i++) {
        const GumboNode *n = body->v.element.children.data[i];
        if (n->type == GUMBO_NODE_TEXT || n->type == GUMBO_NODE_WHITESPACE) sharc_buf_put_str(out, n->v.text.text);
    }
    gumbo_destroy_output(&kGumboDefaultOptions, g);
}

static void check_reference(struct sharc_span text)
{
    SHARC_AUTO(sharc_buf_done)
    struct sharc_buf page = SHARC_BUF_INIT(1000), ours = SHARC_BUF_INIT(1000), theirs = SHARC_BUF_INIT(1000);
    sharc_buf_printf(&page, "<body>x%.*s", SHARC_SPAN_ARG(text));
    gumbo_text(sharc_buf_span(&page), &theirs);
    sharc_buf_put_char(&ours, 'x');
    sharc_html_decode(text, false, &ours);
    assert_string_equal(sharc_buf_str(&ours), sharc_buf_str(&theirs));
}

/* The names, from the table of the tokenizer itself. */
extern const unsigned sharc__extract_entity_count;
extern const char sharc__extract_entity_names[];
extern const uint16_t sharc__extract_entity_name_at[];

static void test_references(void **state)
{
    (void)state;
    assert_int_equal(sharc__extract_entity_count, 2125);
    for (unsigned i = 0; i < sharc__extract_entity_count; i++) {
        char text[64];
        struct sharc_span name =
            sharc_span(sharc__extract_entity_names + sharc__extract_entity_name_at[i],
                       (size_t)(sharc__extract_entity_name_at[i + 1] - sharc__extract_entity_name_at[i]));
        static const char *const ends[] = {";", "", "x", "=", " ;"};
        for (size_t k = 0; k < SHARC_LENGTH(ends); k++)
            check_reference(
                sharc_span(text, (size_t)snprintf(text, sizeof text, "&%.*s%s", SHARC_SPAN_ARG(name), ends[k])));
    }
    for (unsigned i = 1; i < 0x200; i++) {
        char text[64];
        if (i == 13) continue; /* gumbo makes a line feed of it */
        check_reference(sharc_span(text, (size_t)snprintf(text, sizeof text, "&#%u;", i)));
        check_reference(sharc_span(text, (size_t)snprintf(text, sizeof text, "&#x%X", i)));
    }
}

/* --- links of trees and of tokens -------------------------------------------------------- */

struct list {
    char **items;
    size_t count, room;
};

static void add(struct list *l, const char *tag, const char *attr, struct sharc_span value)
{
    SHARC_GROW(l->items, l->room, l->count + 1);
    l->items[l->count++] = sharc_asprintf("%s %s %.*s", tag, attr, SHARC_SPAN_ARG(value));
}

static int by_text(const void *a, const void *b)
{
    return strcmp(*(char *const *)a, *(char *const *)b);
}

static void list_done(struct list *l)
{
    for (size_t i = 0; i < l->count; i++) free(l->items[i]);
    free(l->items);
}

static void collect(const GumboNode *node, struct list *l)
{
    if (node->type != GUMBO_NODE_ELEMENT && node->type != GUMBO_NODE_TEMPLATE) return;
    const GumboElement *e = &node->v.element;
    static const char *const attrs[] = {"href", "src"};
    for (size_t i = 0; i < SHARC_LENGTH(attrs); i++) {
        const GumboAttribute *a = gumbo_get_attribute(&e->attributes, attrs[i]);
        if (a && e->tag != GUMBO_TAG_UNKNOWN)
            add(l, gumbo_normalized_tagname(e->tag), attrs[i], sharc_span_of(a->value));
    }
    for (unsigned i = 0; i < e->children.length; i++) collect(e->children.data[i], l);
}

static void gumbo_links(struct sharc_span html, struct list *l)
{
    GumboOutput *g = gumbo_parse_with_options(&kGumboDefaultOptions, html.p, html.n);
    collect(g->root, l);
    gumbo_destroy_output(&kGumboDefaultOptions, g);
}

static void own_links(struct sharc_span html, struct list *l)
{
    static struct sharc_html h;
    struct sharc_html_token t;
    static const uint8_t attrs[] = {SHARC_ATTR_HREF, SHARC_ATTR_SRC};
    sharc_html_init(&h, html, SHARC_HTML);
    while (sharc_html_next(&h, &t)) {
        if (t.type != SHARC_HTML_START) continue;
        char name[64];
        snprintf(name, sizeof name, "%.*s", SHARC_SPAN_ARG(t.name));
        GumboTag tag = gumbo_tag_enum(name);
        if (tag == GUMBO_TAG_UNKNOWN) continue;
        if (t.tag == SHARC_TAG_IMAGE && !t.foreign) tag = GUMBO_TAG_IMG;
        for (size_t i = 0; i < SHARC_LENGTH(attrs); i++) {
            const struct sharc_html_attr *a = sharc_html_attr(&t, (enum sharc_html_attr_name)attrs[i]);
            SHARC_AUTO(sharc_buf_done) struct sharc_buf b = SHARC_BUF_INIT(1u << 20);
            if (!a) continue;
            sharc_html_decode(a->value, true, &b);
            add(l, gumbo_normalized_tagname(tag), sharc_html_attr_text((enum sharc_html_attr_name)attrs[i]),
                sharc_buf_span(&b));
        }
    }
}

/* How many of theirs we lack, how many of ours they lack. */
static void compare(struct sharc_span html, size_t *missing, size_t *extra, size_t *all)
{
    struct list ours = {0}, theirs = {0};
    own_links(html, &ours);
    gumbo_links(html, &theirs);
    if (ours.count) qsort(ours.items, ours.count, sizeof *ours.items, by_text);
    if (theirs.count) qsort(theirs.items, theirs.count, sizeof *theirs.items, by_text);
    *all += theirs.count;
    size_t i = 0, k = 0;
    while (i < ours.count || k < theirs.count) {
        int order = i == ours.count ? 1 : k == theirs.count ? -1 : strcmp(ours.items[i], theirs.items[k]);
        *extra += order < 0;
        *missing += order > 0;
        i += order <= 0;
        k += order >= 0;
    }
    list_done(&ours);
    list_done(&theirs);
}

static const char *pick(struct sharc_rng *r, const char *const *list, size_t n)
{
    return list[sharc_rng_below(r, n)];
}
#define PICK(r, list) pick((r), (list), SHARC_LENGTH(list))

/* Tags that a tree builder neither drops nor repeats, in any order. */
static void make_soup(struct sharc_rng *r, struct sharc_buf *b)
{
    static const char *const tags[] = {"p",   "div",      "span",  "ul",     "li",       "h1",    "img",
                                       "br",  "section",  "style", "script", "textarea", "title", "iframe",
                                       "xmp", "noscript", "link",  "input",  "video",    "source"};
    static const char *const attrs[] = {"href", "src", "HREF", "Src", "class", "a", "<", "\""};
    static const char *const values[] = {"x", "'y z'", "\"a&amp;b\"", "'&copy=1&lt'", "u/v", "\"'\"", "\"\r\n\"", "''"};
    static const char *const pieces[] = {"text",          " ",      "&amp;",           "&lt", "<3",
                                         "<!-- c -->",    "<!-->",  "<!--x--!>",       "</>", "<? x >",
                                         "<![CDATA[x]]>", "--&gt;", "<!--<script>-->", "]]>"};
    for (size_t n = 1 + sharc_rng_below(r, 30); n > 0; n--) {
        if (sharc_rng_below(r, 3) == 0) {
            sharc_buf_put_str(b, PICK(r, pieces));
            continue;
        }
        sharc_buf_printf(b, "<%s%s", sharc_rng_below(r, 3) ? "" : "/", PICK(r, tags));
        for (size_t k = sharc_rng_below(r, 4); k > 0; k--) {
            sharc_buf_printf(b, " %s", PICK(r, attrs));
            if (sharc_rng_below(r, 4)) sharc_buf_printf(b, "=%s", PICK(r, values));
        }
        sharc_buf_put_str(b, sharc_rng_below(r, 8) ? ">" : "/>");
    }
}

static void test_soup(void **state)
{
    (void)state;
    struct sharc_rng r;
    sharc_rng_init(&r, 20090503);
    size_t missing = 0, extra = 0, all = 0;
    for (int i = 0; i < 4000; i++) {
        SHARC_AUTO(sharc_buf_done) struct sharc_buf b = SHARC_BUF_INIT(100000);
        sharc_buf_put_str(&b, "<!DOCTYPE html><body>");
        make_soup(&r, &b);
        size_t before = missing + extra;
        compare(sharc_buf_span(&b), &missing, &extra, &all);
        if (missing + extra > before) print_error("%s\n", sharc_buf_str(&b));
    }
    assert_true(all > 5000);
    assert_int_equal(missing, 0);
    assert_int_equal(extra, 0);
}

/* --- real pages ----------------------------------------------------------------------------- */

static void compare_folder(const char *path, int depth, size_t *files, size_t *missing, size_t *extra, size_t *all)
{
    DIR *d = opendir(path);
    const struct dirent *e;
    while (d && (e = readdir(d)) && *files < 150) {
        if (e->d_name[0] == '.') continue;
        SHARC_AUTO(sharc_freep) char *full = sharc_path_join(path, e->d_name);
        if (e->d_type == DT_DIR && depth < 4) compare_folder(full, depth + 1, files, missing, extra, all);
        SHARC_AUTO(sharc_buf_done) struct sharc_buf b = SHARC_BUF_INIT(300u << 10);
        if (e->d_type != DT_REG || !sharc_span_ends(sharc_span_of(e->d_name), SHARC_SPAN(".html")) ||
            sharc_file_read(full, &b, NULL) < 0 || sharc_utf8_check(sharc_buf_span(&b)) != SHARC_NPOS)
            continue;
        size_t before = *missing + *extra;
        compare(sharc_buf_span(&b), missing, extra, all);
        if (*missing + *extra > before) print_error("differs: %s\n", full);
        ++*files;
    }
    if (d) closedir(d);
}

static void test_documentation_pages(void **state)
{
    (void)state;
    size_t files = 0, missing = 0, extra = 0, all = 0;
    compare_folder("/usr/share/doc", 0, &files, &missing, &extra, &all);
    if (!files) skip();
    print_message("%zu pages, %zu links\n", files, all);
    assert_int_equal(missing, 0);
    assert_int_equal(extra, 0);
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(test_references),
    cmocka_unit_test(test_soup),
    cmocka_unit_test(test_documentation_pages),
};
TEST_MAIN(tests)

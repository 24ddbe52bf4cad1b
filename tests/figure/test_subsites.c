/* SPDX-License-Identifier: Apache-2.0
 *
 * Parts of a site that change in a way of their own: found where there are some, and only there.
 */
#include "../store/store_test.h"

#include "sharc/figure.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

enum { PAGES = 600, STEPS = 10 };

struct site {
    char urls[PAGES][80];
    uint8_t cells[PAGES][STEPS];
    struct sharc_figure_watched pages[PAGES];
    size_t count;
    uint64_t random;
};

static double uniform(struct site *s)
{
    s->random = s->random * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return (double)(s->random >> 11) / 9007199254740992.0;
}

/* n pages of a folder that change with these probabilities at even and odd steps. */
static void put(struct site *s, const char *folder, size_t n, double even, double odd)
{
    for (size_t i = 0; i < n; i++, s->count++) {
        snprintf(s->urls[s->count], sizeof s->urls[0], "http://e.org/%s%zu.html", folder, i);
        for (int c = 0; c < STEPS; c++)
            s->cells[s->count][c] =
                uniform(s) < (c % 2 ? odd : even) ? SHARC_FIGURE_STEP_CHANGED : SHARC_FIGURE_STEP_SAME;
        s->pages[s->count] =
            (struct sharc_figure_watched){.url = sharc_span_of(s->urls[s->count]), .cells = s->cells[s->count]};
    }
}

static struct sharc_figure_subsites find(const struct site *s, const char *sitemap)
{
    struct sharc_err err = SHARC_ERR_INIT;
    struct sharc_figure_subsites f = {0};
    struct sharc_span map = sharc_span_of(sitemap ? sitemap : "");
    must(sharc_figure_subsites_of(s->pages, s->count, STEPS, &map, sitemap != NULL, &f, &err), &err);
    return f;
}

static const struct sharc_figure_subsite *row(const struct sharc_figure_subsites *f, const char *prefix)
{
    for (size_t i = 0; i < f->count; i++)
        if (sharc_span_is(f->rows[i].prefix, prefix)) return &f->rows[i];
    return NULL;
}

static struct site *site_new(uint64_t seed)
{
    struct site *s = SHARC_NEW(struct site);
    s->random = seed;
    return s;
}

static void a_folder_that_changes_more_often_is_found(void **state)
{
    (void)state;
    struct site *s = site_new(1);
    put(s, "about/", 60, 0.02, 0.02);
    put(s, "docs/a/", 100, 0.03, 0.03);
    put(s, "docs/b/", 100, 0.03, 0.03);
    put(s, "news/2026/", 60, 0.5, 0.5);
    put(s, "news/2025/", 20, 0.5, 0.5);
    struct sharc_figure_subsites f = find(s, NULL);
    assert_int_equal(f.count, 2);
    assert_true(f.rows[0].parent == UINT32_MAX && f.rows[0].pages == 260);
    const struct sharc_figure_subsite *news = row(&f, "http://e.org/news/");
    assert_non_null(news);
    assert_int_equal(news->parent, 0);
    assert_int_equal(news->manner, SHARC_FIGURE_FASTER);
    assert_int_equal(news->basis, SHARC_FIGURE_BY_CHANGE);
    assert_int_equal(news->pages, 80);
    assert_int_equal(news->compared, 80 * STEPS);
    assert_true(news->low < 0.5 && news->high > 0.5 && news->rest < 0.05 && news->bits > 100);
    sharc_figure_subsites_done(&f);
    free(s);
}

static void so_is_one_that_changes_at_other_times_and_one_inside_another(void **state)
{
    (void)state;
    struct site *s = site_new(2);
    put(s, "a/", 100, 0.6, 0);
    put(s, "b/", 100, 0, 0.6);
    put(s, "b/still/", 60, 0, 0);
    put(s, "calendar?day=", 40, 1, 1);
    struct sharc_figure_subsites f = find(s, NULL);
    const struct sharc_figure_subsite *calendar = row(&f, "http://e.org/calendar?");
    assert_non_null(calendar);
    assert_true(calendar->share == 1 && calendar->high == 1 && calendar->manner == SHARC_FIGURE_FASTER);
    const struct sharc_figure_subsite *still = row(&f, "http://e.org/b/still/");
    assert_non_null(still);
    assert_int_equal(still->manner, SHARC_FIGURE_SLOWER);
    assert_true(still->changed == 0 && still->low == 0 && still->high > 0);
    /* One of the two folders leaves, the other one is what is left. */
    const struct sharc_figure_subsite *a = row(&f, "http://e.org/a/"), *b = row(&f, "http://e.org/b/");
    assert_true((a != NULL) != (b != NULL));
    sharc_figure_subsites_done(&f);
    free(s);
}

/* Every seed is another site of folders that differ by chance only. */
static void chance_makes_no_sub_site(void **state)
{
    (void)state;
    for (uint64_t seed = 1; seed <= 200; seed++) {
        struct site *s = site_new(seed);
        char folder[32];
        for (int i = 0; i < 20; i++) {
            snprintf(folder, sizeof folder, "f%d/", i);
            put(s, folder, 30, 0.1, 0.1);
        }
        struct sharc_figure_subsites f = find(s, NULL);
        assert_int_equal(f.count, 1);
        sharc_figure_subsites_done(&f);
        free(s);
    }
}

static void hosts_and_sitemaps_make_parts_without_any_change(void **state)
{
    (void)state;
    struct site *s = site_new(3);
    put(s, "", 50, 0, 0);
    put(s, "docs/", 50, 0, 0);
    struct sharc_figure_subsites f = find(s, "http://e.org/docs/");
    assert_int_equal(f.count, 2);
    assert_int_equal(f.rows[1].basis, SHARC_FIGURE_BY_SITEMAP);
    assert_int_equal(f.rows[1].manner, SHARC_FIGURE_ALIKE);
    sharc_figure_subsites_done(&f);
    f = find(s, "http://e.org/none/");
    assert_int_equal(f.count, 1);
    sharc_figure_subsites_done(&f);
    free(s);
}

static void nothing_and_odd_urls_do_no_harm(void **state)
{
    (void)state;
    struct sharc_err err = SHARC_ERR_INIT;
    struct sharc_figure_subsites f = {0};
    must(sharc_figure_subsites_of(NULL, 0, 0, NULL, 0, &f, &err), &err);
    assert_int_equal(f.count, 0);
    sharc_figure_subsites_done(&f);
    static const char *const odd[] = {"",
                                      "x",
                                      "http://",
                                      "http://h",
                                      "http://h?q/r",
                                      "http://h//",
                                      "http://h/?",
                                      "dns:h",
                                      "/a/b/c/d/e/f/g/h/i/j/k/l/m/n/o/p",
                                      "/a/b?x=/y/z?",
                                      "\xff\xfe/\x01",
                                      "http://h/a#b/c"};
    struct sharc_figure_watched pages[SHARC_LENGTH(odd)];
    for (size_t i = 0; i < SHARC_LENGTH(odd); i++)
        pages[i] = (struct sharc_figure_watched){sharc_span_of(odd[i]), NULL};
    must(sharc_figure_subsites_of(pages, SHARC_LENGTH(odd), 0, NULL, 0, &f, &err), &err);
    size_t all = 0;
    for (size_t i = 0; i < f.count; i++) all += f.rows[i].pages;
    assert_int_equal(all, SHARC_LENGTH(odd) - 1); /* the empty one is none */
    sharc_figure_subsites_done(&f);
}

/* --- from a catalogue ------------------------------------------------------------------------------------- */

static void captures_tell(void **state)
{
    struct fixture *f = fixture(state);
    struct sharc_err err = SHARC_ERR_INIT;
    make_captures(f);
    struct sharc_store_batch *b;
    sharc_store_batch_new(f->store, &b);
    for (int c = 0; c < 3; c++)
        for (int i = 0; i < 60; i++) {
            char url[80], text[80];
            bool news = i < 20;
            snprintf(url, sizeof url, "http://example.org/%s/%d", news ? "news" : "docs", i);
            snprintf(text, sizeof text, "%d %d", i, news ? c : 0);
            struct sharc_store_page p = page_of(f->capture[c], url, T0 + c * SHARC_DAY + i, 200, text, text);
            put_page(b, &p);
        }
    struct sharc_store_page map = page_of(f->capture[0], "http://example.org/docs/sitemap.xml", T0, 200, "m", NULL);
    put_page(b, &map);
    commit(b);
    sharc_store_batch_free(b);
    SHARC_AUTO(sharc_figure_subsites_done) struct sharc_figure_subsites x = {0};
    must(sharc_figure_subsites(f->store, f->capture, 3, &x, &err), &err);
    assert_int_equal(x.pages, 61);
    const struct sharc_figure_subsite *docs = row(&x, "http://example.org/docs/");
    assert_non_null(docs);
    assert_true(docs->basis & SHARC_FIGURE_BY_SITEMAP);
    assert_true(docs->compared == 80 && docs->changed == 0 && docs->pages == 41);
    const struct sharc_figure_subsite *rest = row(&x, "http://example.org/");
    assert_non_null(rest);
    assert_true(rest->compared == 40 && rest->changed == 40 && rest->pages == 20);
    assert_int_equal(docs->manner, SHARC_FIGURE_SLOWER);
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(a_folder_that_changes_more_often_is_found),
    cmocka_unit_test(so_is_one_that_changes_at_other_times_and_one_inside_another),
    cmocka_unit_test(chance_makes_no_sub_site),
    cmocka_unit_test(hosts_and_sitemaps_make_parts_without_any_change),
    cmocka_unit_test(nothing_and_odd_urls_do_no_harm),
    ON_EACH(captures_tell),
};

TEST_MAIN(tests)

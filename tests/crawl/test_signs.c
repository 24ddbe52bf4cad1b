/* SPDX-License-Identifier: Apache-2.0
 *
 * An edit goes through one folder while a site is visited. The pages seen after
 * it tell of those seen before it, and these are looked at twice.
 */
#include "world.h"

#include <stdio.h>
#include <stdlib.h>

enum { EACH = 100, PAGES = 2 * EACH + 1 };
#define H "http://edited.test"

static const sharc_time edit = 60500 * SHARC_MSEC;

struct edited {
    struct web_page web[PAGES];
    char url[PAGES][40];
    char root[PAGES * 40];
};

/* The root links to pages of /a/ and /b/ in turn; /a/ is edited. */
static void make_site(struct edited *e)
{
    e->root[0] = 0;
    for (size_t i = 1; i < PAGES; i++) {
        snprintf(e->url[i], sizeof e->url[i], H "/%c/%zu", i % 2 ? 'a' : 'b', i);
        size_t n = strlen(e->root);
        snprintf(e->root + n, sizeof e->root - n, "<a href=/%c/%zu>x</a> ", i % 2 ? 'a' : 'b', i);
        e->web[i] = (struct web_page){.url = e->url[i], .body = "text", .dated = true};
        if (i % 2) {
            e->web[i].changes = &edit;
            e->web[i].changes_count = 1;
        }
    }
    e->web[0] = (struct web_page){.url = H "/", .body = e->root, .dated = true};
}

static void crawl(struct world *w, size_t stop_at)
{
    w->o.strategy = sharc_strategy_find("sharc-focus");
    w->o.params.focus_breadth_first = true;
    w->die_at = stop_at;
    w->stops = 1;
    assert_int_equal(world_crawl(w, H "/", NULL), stop_at ? SHARC_EINTR : 0);
}

static void edits_are_noticed(void **state)
{
    (void)state;
    static struct edited e;
    struct world w;
    make_site(&e);
    world_init(&w, e.web, PAGES);
    crawl(&w, 0);
    struct sharc_crawl_summary s = world_summary(&w, 0);
    assert_int_equal(s.pages, PAGES);
    unsigned looked = 0, early = 0;
    for (size_t i = 1; i < PAGES; i++) {
        sharc_time first = 0;
        for (size_t k = 0; k < w.asked_count && !first; k++)
            if (strcmp(w.asked[k].url, e.url[i]) == 0) first = w.asked[k].when;
        const bool doubtful = i % 2 && first < edit;
        const unsigned times = world_asked(&w, e.url[i]);
        early += doubtful;
        looked += doubtful && times == 3;
        if (times == 3) assert_true(i % 2);
    }
    assert_in_range(early, 28, 31);
    /* Pages that changed just before they were seen compete for the tenth of more requests. */
    assert_true(looked >= 0.8 * early);
    assert_true(s.coherent >= PAGES - 0.2 * early);
    world_done(&w);
}

static size_t words_in(const char *text)
{
    size_t n = 0;
    for (; *text; text++) n += *text == ' ';
    return n;
}

/* Stopped between second looks, it goes on: what was decided is decided again as the
 * journal has it (or the crawl would fail), and with the time of the interruption in
 * between the rest may be chosen otherwise, but as much of it. */
static void doubts_survive_an_interruption(void **state)
{
    (void)state;
    static struct edited e;
    struct world whole, parts;
    make_site(&e);
    world_init(&whole, e.web, PAGES);
    crawl(&whole, 0);
    for (size_t at = PAGES - 1; at < PAGES + 40; at += 13) {
        world_init(&parts, e.web, PAGES);
        crawl(&parts, at);
        world_end_crawl(&parts);
        crawl(&parts, 0);
        SHARC_AUTO(sharc_freep) char *one = world_order(&whole);
        SHARC_AUTO(sharc_freep) char *other = world_order(&parts);
        /* robots.txt is asked for again; nothing else. */
        const char *again = strstr(strstr(other, "/robots.txt") + 1, "/robots.txt");
        assert_non_null(again);
        SHARC_AUTO(sharc_freep)
        char *joined = sharc_asprintf("%.*s%s", (int)(again - other), other, again + strlen("/robots.txt "));
        assert_int_equal(words_in(one), words_in(joined));
        assert_memory_equal(one, joined, (size_t)(again - other));
        const uint64_t coherent = world_summary(&whole, 0).coherent;
        assert_in_range(world_summary(&parts, 0).coherent, coherent - 2, coherent + 2);
        world_done(&parts);
    }
    world_done(&whole);
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(edits_are_noticed),
    cmocka_unit_test(doubts_survive_an_interruption),
};
TEST_MAIN(tests)

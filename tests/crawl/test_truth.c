/* SPDX-License-Identifier: Apache-2.0
 *
 * What the crawler says about a capture, held against the truth: a scripted site
 * whose pages change at known instants, crawled with every strategy there is.
 */
#include "world.h"

#include "sharc/base_rng.h"
#include "sharc/quality.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

enum { PAGES = 60, CHANGES = 40 };
#define H "http://living.test"

struct living {
    struct web_page web[PAGES];
    char url[PAGES][48], body[PAGES][128];
    sharc_time change[PAGES][CHANGES];
};

/* A tree of pages; page i changes with a rate that grows with i. */
static void make_site(struct living *l, uint64_t seed)
{
    struct sharc_rng rng;
    sharc_rng_init(&rng, seed);
    for (size_t i = 0; i < PAGES; i++) {
        snprintf(l->url[i], sizeof l->url[i], H "/%s%.0zu", i ? "p" : "", i);
        snprintf(l->body[i], sizeof l->body[i], "<a href=/p%zu>a</a> <a href=/p%zu>b</a> <a href=/p%zu>c</a>",
                 3 * i + 1, 3 * i + 2, 3 * i + 3);
        double t = 0, rate = 0.03 * pow((double)i / PAGES, 4);
        size_t n = 0;
        while (n < CHANGES && rate > 0) {
            t += sharc_rng_exponential(&rng, rate);
            if (t > 1000) break;
            /* Between the slots: no change falls on the instant of a download. */
            l->change[i][n++] = (sharc_time)floor(t) * SHARC_SEC + 500 * SHARC_MSEC;
        }
        l->web[i] = (struct web_page){
            .url = l->url[i], .body = l->body[i], .changes = l->change[i], .changes_count = n, .etag = i % 2 == 0};
        if (n == 0) l->web[i].changes = NULL;
    }
}

/* Requests of one page, in order. */
static size_t times_of(const struct world *w, const char *url, double out[4])
{
    size_t n = 0;
    for (size_t i = 0; i < w->asked_count && n < 4; i++)
        if (strcmp(w->asked[i].url, url) == 0) out[n++] = (double)w->asked[i].when;
    return n;
}

/* Every page is revisited, the last one visited too, and what counts covers all of [from, to]. */
static bool truly_coherent(const struct world *w, const struct web_page *p, double from, double to)
{
    double t[4], changes[CHANGES];
    size_t n = times_of(w, p->url, t);
    for (size_t i = 0; i < p->changes_count; i++) changes[i] = (double)p->changes[i];
    assert_in_range(n, 2, 3);
    if (sharc_quality_changes(changes, p->changes_count, t[n - 2], t[n - 1]) > 0) return false;
    assert_true(t[n - 2] <= from && from <= to && to <= t[n - 1]);
    return true;
}

static void check_strategy(const struct sharc_strategy_ops *ops, struct living *l, unsigned threads)
{
    struct world w;
    world_init(&w, l->web, PAGES);
    w.o.strategy = ops;
    w.o.threads = threads;
    assert_int_equal(world_crawl(&w, H "/", NULL), 0);
    struct sharc_crawl_summary s = world_summary(&w, 0);
    assert_int_equal(s.pages, PAGES);
    assert_int_equal(s.revisits, ops->revisits);
    if (ops->revisits) {
        uint64_t coherent = 0;
        for (size_t i = 0; i < PAGES; i++)
            coherent += truly_coherent(&w, &l->web[i], (double)(s.reference_from - w.began),
                                       (double)(s.reference_to - w.began));
        if (s.coherent != coherent) print_message("%s\n", ops->name);
        assert_int_equal(s.coherent, coherent);
        assert_int_equal(s.judged, PAGES);
    } else {
        for (size_t i = 0; i < PAGES; i++) assert_int_equal(world_asked(&w, l->url[i]), 1);
    }
    assert_true(isfinite(s.blur) && s.blur >= 0);
    world_done(&w);
}

static void every_strategy_tells_the_truth(void **state)
{
    (void)state;
    static struct living l;
    for (uint64_t seed = 1; seed <= 2; seed++) {
        make_site(&l, seed);
        for (size_t i = 0; i < sharc_strategy_count(); i++) check_strategy(sharc_strategy_at(i), &l, 0);
    }
}

static void threads_change_nothing(void **state)
{
    (void)state;
    static struct living l;
    make_site(&l, 3);
    check_strategy(sharc_strategy_find("sharc-focus"), &l, 3);
    check_strategy(sharc_strategy_find("bfs-lifo"), &l, 2);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_strategy_tells_the_truth),
        cmocka_unit_test(threads_change_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

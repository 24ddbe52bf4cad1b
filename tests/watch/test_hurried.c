/* SPDX-License-Identifier: Apache-2.0
 *
 * A month of watching a living site over real HTTP in a few seconds. The clock of the watch and of the site is one: it
 * counts real time while a request is under way, and jumps to the next appointment when none is. So every request is
 * made and answered as ever, delays and budgets are kept in that time, and the site's own logs are the judge.
 */
#include "test.h"

#include "sharc/archive.h"
#include "sharc/base_file.h"
#include "sharc/http_fetch.h"
#include "sharc/lab.h"
#include "sharc/watch.h"
#include "sharc/watched.h"

#include <inttypes.h>
#include <math.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>

#define DELAY (30 * SHARC_SEC)

/* --- time that hurries ------------------------------------------------------------------- */

struct hurried {
    struct sharc_clock clock;
    _Atomic int64_t ahead;
    struct sharc_fetcher fetcher; /* hands on to: */
    struct sharc_fetcher *real;
};

static sharc_time hurried_now(struct sharc_clock *c)
{
    struct hurried *h = (struct hurried *)c;
    return sharc_clock_real()->now(sharc_clock_real()) + atomic_load(&h->ahead);
}

static int hurried_until(struct sharc_clock *c, sharc_time when, const volatile bool *stop)
{
    struct hurried *h = (struct hurried *)c;
    (void)stop;
    const sharc_time now = hurried_now(c);
    if (when > now) atomic_fetch_add(&h->ahead, when - now);
    return 0;
}

static struct hurried *of_fetcher(const struct sharc_fetcher *f)
{
    return (struct hurried *)((uintptr_t)f - offsetof(struct hurried, fetcher));
}

static int hurried_submit(struct sharc_fetcher *f, const struct sharc_fetch_request *q, struct sharc_err *reterr)
{
    return sharc_fetcher_submit(of_fetcher(f)->real, q, reterr);
}

static int hurried_wait(struct sharc_fetcher *f, sharc_time deadline, const volatile bool *stop,
                        struct sharc_fetch_result **ret, struct sharc_err *reterr)
{
    struct hurried *h = of_fetcher(f);
    if (sharc_fetcher_pending(h->real) > 0) return sharc_fetcher_wait(h->real, deadline, stop, ret, reterr);
    if (deadline != SHARC_TIME_NONE) (void)hurried_until(&h->clock, deadline, stop);
    return 0;
}

static size_t hurried_pending(const struct sharc_fetcher *f)
{
    return sharc_fetcher_pending(of_fetcher(f)->real);
}

static void hurried_abort(struct sharc_fetcher *f)
{
    sharc_fetcher_abort(of_fetcher(f)->real);
}

static void hurried_wake(struct sharc_fetcher *f)
{
    sharc_fetcher_wake(of_fetcher(f)->real);
}

static void hurried_free(struct sharc_fetcher *f)
{
    sharc_fetcher_freep(&of_fetcher(f)->real);
}

static const struct sharc_fetcher_ops hurried_ops = {.submit = hurried_submit,
                                                     .wait = hurried_wait,
                                                     .pending = hurried_pending,
                                                     .abort = hurried_abort,
                                                     .wake = hurried_wake,
                                                     .free = hurried_free};

/* --- a stretch of watching ------------------------------------------------------------------- */

struct month {
    struct hurried h;
    char *dir, *archive, *requests;
    struct sharc_lab *lab;
    struct sharc_watching_counts counts;
    uint64_t all;
};

static void begin(struct month *m)
{
    struct sharc_err err = SHARC_ERR_INIT;
    struct sharc_lab_options o = SHARC_LAB_OPTIONS;
    m->h =
        (struct hurried){.clock = {.now = hurried_now, .wait_until = hurried_until}, .fetcher = {.ops = &hurried_ops}};
    m->dir = test_mkdir();
    m->archive = sharc_path_join(m->dir, "a");
    m->requests = sharc_path_join(m->dir, "requests.jsonl");
    o.pages = 20;
    o.words = 60;
    o.hottest = 8 * SHARC_HOUR;
    o.layout_every = 0;
    o.counters = 0;
    o.sitemap_every = 0;
    o.clock = &m->h.clock;
    o.requests = m->requests;
    if (sharc_lab_start(&o, &m->lab, &err) < 0) fail_msg("%s", err.text);
}

static void watch_for(struct month *m, sharc_time time)
{
    struct sharc_err err = SHARC_ERR_INIT;
    struct sharc_store *store = NULL;
    struct sharc_watching *w = NULL;
    struct sharc_watching_options o = SHARC_WATCHING_OPTIONS;
    const struct sharc_fetcher_settings fs = {.clock = &m->h.clock, .allow_private = true};
    o.crawl.archive = m->archive;
    o.crawl.allow_private = true;
    o.crawl.reach = SHARC_REACH_HOST;
    o.crawl.no_sitemaps = true;
    o.crawl.pace.delay = DELAY;
    o.crawl.pace.pages = 20;
    o.per_hour = 1;
    o.longest = 5 * SHARC_DAY;
    o.time = time;
    int r = sharc_archive_open(m->archive, NULL, NULL, &store, &err);
    if (r == 0) r = sharc_fetcher_new(&fs, &m->h.real, &err);
    const struct sharc_watching_world world = {.clock = &m->h.clock, .fetcher = &m->h.fetcher, .store = store};
    if (r == 0) r = sharc_watching_new(&o, &world, &w, &err);
    if (r == 0) r = sharc_watching_name_line(w, sharc_span_of(sharc_lab_url(m->lab)), &err);
    if (r == 0) r = sharc_watching_run(w, &err);
    if (r < 0) fail_msg("%s", err.text);
    sharc_watching_counts(w, &m->counts);
    m->all += m->counts.requests;
    sharc_watching_free(w);
    sharc_fetcher_freep(&m->h.real);
    sharc_store_free(store);
}

/* The time of each line of the site's log. */
static sharc_time *times_of(const char *path, size_t *ret_n)
{
    struct sharc_err err = SHARC_ERR_INIT;
    SHARC_AUTO(sharc_buf_done) struct sharc_buf b = SHARC_BUF_INIT(16u << 20);
    if (sharc_file_read(path, &b, &err) < 0) fail_msg("%s", err.text);
    sharc_time *list = NULL;
    size_t room = 0;
    *ret_n = 0;
    for (const char *p = sharc_buf_str(&b); (p = strstr(p, "\"time\":\"")); p++) {
        SHARC_GROW(list, room, *ret_n + 1);
        p += strlen("\"time\":\"");
        if (sharc_time_parse(sharc_span(p, strcspn(p, "\"")), &list[*ret_n], &err) < 0) fail_msg("%s", err.text);
        ++*ret_n;
    }
    return list;
}

static void check_looks(struct month *m)
{
    struct sharc_err err = SHARC_ERR_INIT;
    struct sharc_store *store = NULL;
    struct sharc_store_rows *rows = NULL;
    struct sharc_store_watch_filter f = SHARC_STORE_WATCH_FILTER_INIT;
    struct sharc_watched w = {0};
    sharc_store_id url = 0, capture = 0;
    sharc_time last = 0, worst = 0;
    uint64_t n = 0, pages = 0;
    if (sharc_archive_open(m->archive, NULL, NULL, &store, &err) < 0) fail_msg("%s", err.text);
    f.by_url = true;
    int r = sharc_store_watch_looks(store, &f, &rows, &err);
    while (r >= 0 && (r = sharc_store_rows_next(rows, &err)) > 0) {
        struct sharc_store_watch_look l;
        sharc_store_read_watch_look(rows, &l);
        if (l.url_id == url && l.when - last > worst) worst = l.when - last;
        pages += l.url_id != url;
        url = l.url_id;
        last = l.when;
        capture = l.capture;
        n++;
    }
    if (r < 0) fail_msg("%s", err.text);
    sharc_store_rows_freep(&rows);
    assert_true(pages >= 15);
    assert_true(n <= m->all);
    if (worst > 5 * SHARC_DAY + SHARC_HOUR) fail_msg("a page waited %.2f days", (double)worst / (double)SHARC_DAY);
    /* Measures of the whole time: most of it is seen, a little more is expected. */
    assert_int_equal(sharc_watched_measure(store, capture, &w, &err), 1);
    assert_true(w.count >= 30 && w.all.fresh_seen > 0.3);
    assert_true(w.all.fresh_expected > w.all.fresh_seen && w.all.fresh_expected < 1);
    sharc_watched_done(&w);
    sharc_store_free(store);
}

static void a_month_over_http(void **state)
{
    (void)state;
    struct month m = {0};
    begin(&m);
    const sharc_time began = hurried_now(&m.h.clock);
    watch_for(&m, 14 * SHARC_DAY);
    watch_for(&m, 17 * SHARC_DAY); /* another process would do the same */
    const sharc_time took = hurried_now(&m.h.clock) - began;
    assert_true(took >= 31 * SHARC_DAY && took < 31 * SHARC_DAY + SHARC_HOUR);
    const struct sharc_lab_totals totals = sharc_lab_totals(m.lab);
    sharc_lab_stopp(&m.lab);
    size_t n;
    sharc_time *times = times_of(m.requests, &n);
    assert_int_equal(n, m.all);
    assert_int_equal(n, totals.requests);
    /* No drift: the budget of every week, and that of all. */
    for (int week = 0; week < 4; week++) {
        size_t in_week = 0;
        for (size_t i = 0; i < n; i++) in_week += (times[i] - began) / (7 * SHARC_DAY) == week;
        if (in_week < 7 * 24 - 8 || in_week > 7 * 24 + 8) fail_msg("%zu requests in week %d", in_week, week + 1);
    }
    for (size_t i = 1; i < n; i++)
        if (times[i] - times[i - 1] < DELAY)
            fail_msg("request %zu came %" PRId64 " ms after the one before", i, (times[i] - times[i - 1]) / 1000);
    free(times);
    check_looks(&m);
    free(m.archive);
    free(m.requests);
    test_rmdir(m.dir);
}

static const struct CMUnitTest tests[] = {cmocka_unit_test(a_month_over_http)};
TEST_MAIN(tests)

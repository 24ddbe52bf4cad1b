/* SPDX-License-Identifier: Apache-2.0
 *
 * The display on a stream that only remembers, in virtual time.
 */
#include "test.h"

#include "sharc/base_pool.h"
#include "sharc/base_progress.h"

#include <fcntl.h>
#include <stdlib.h>
#include <unistd.h>

struct screen {
    FILE *out;
    char *text;
    size_t n;
};

static void screen_open(struct screen *s)
{
    *s = (struct screen){0};
    s->out = open_memstream(&s->text, &s->n);
    assert_non_null(s->out);
}

static void screen_close(struct screen *s)
{
    fclose(s->out);
    free(s->text);
}

/* What was written since the last call. */
static const char *fresh(struct screen *s, size_t *mark)
{
    fflush(s->out);
    const char *p = s->text + *mark;
    *mark = s->n;
    return p;
}

#define ERASE "\r\033[K"

static void test_bar(void **state)
{
    (void)state;
    struct screen s;
    screen_open(&s);
    size_t mark = 0;
    struct sharc_progress *p = sharc_progress_new(s.out, SHARC_PROGRESS_BAR, "crawl", "pages", 1000, 0);
    sharc_progress_add(p, 1, 50 * SHARC_MSEC); /* too soon to draw */
    assert_string_equal(fresh(&s, &mark), "");
    sharc_progress_add(p, 99, SHARC_SEC);
    assert_string_equal(fresh(&s, &mark),
                        ERASE "crawl [==>                 ]  10 %  100 of 1000 pages  100 pages/s  9 s left");
    sharc_progress_add(p, 1, SHARC_SEC + 99 * SHARC_MSEC);
    assert_string_equal(fresh(&s, &mark), "");
    sharc_progress_note(p, "revisit\nphase\033[2J");
    sharc_progress_add(p, 899, 11 * SHARC_SEC);
    assert_string_equal(fresh(&s, &mark),
                        ERASE "crawl [==============] 100 %  1000 of 1000 pages  91 pages/s  revisit phase?[2J");
    sharc_progress_total(p, 2000);
    sharc_progress_note(p, NULL);
    sharc_progress_add(p, 0, 12 * SHARC_SEC);
    assert_non_null(strstr(fresh(&s, &mark), "[==========>         ]  50 %  1000 of 2000 pages"));
    sharc_progress_finish(p, 20 * SHARC_SEC);
    assert_string_equal(fresh(&s, &mark), ERASE "crawl: 1000 pages in 20 s (50 pages/s)\n");
    sharc_progress_finish(p, 30 * SHARC_SEC); /* says it once */
    sharc_progress_add(p, 1, 40 * SHARC_SEC);
    assert_string_equal(fresh(&s, &mark), "");
    sharc_progress_free(p);
    screen_close(&s);
}

/* On 80 columns: the bar gives way to words, then the speed to the note. */
static void test_little_room(void **state)
{
    (void)state;
    struct screen s;
    screen_open(&s);
    size_t mark = 0;
    struct sharc_progress *p = sharc_progress_new(s.out, SHARC_PROGRESS_BAR, "crawl", "pages", 310, 0);
    sharc_progress_note(p, "revisits, 120 coherent so far");
    sharc_progress_add(p, 246, 5 * SHARC_SEC);
    assert_string_equal(fresh(&s, &mark),
                        ERASE "crawl 246 of 310 pages  49 pages/s  1 s left  revisits, 120 coherent so far");
    sharc_progress_note(p, "revisits, 124 coherent");
    sharc_progress_add(p, 4, 6 * SHARC_SEC);
    assert_string_equal(fresh(&s, &mark),
                        ERASE "crawl  80 %  250 of 310 pages  41 pages/s  1 s left  revisits, 124 coherent");
    sharc_progress_note(p, "waiting 5 min for www.example.org; visits, 1000 known");
    sharc_progress_add(p, 0, 7 * SHARC_SEC);
    assert_string_equal(fresh(&s, &mark),
                        ERASE "crawl 250 of 310 pages  waiting 5 min for www.example.org; visits, 1000 known");
    sharc_progress_free(p);
    screen_close(&s);
}

static void test_lines(void **state)
{
    (void)state;
    struct screen s;
    screen_open(&s);
    size_t mark = 0;
    struct sharc_progress *p = sharc_progress_new(s.out, SHARC_PROGRESS_LINES, "import", "records", 400, 5);
    for (int i = 1; i < 10; i++) sharc_progress_add(p, 1, 5 + i * SHARC_SEC);
    assert_string_equal(fresh(&s, &mark), "");
    sharc_progress_add(p, 11, 5 + 10 * SHARC_SEC);
    assert_string_equal(fresh(&s, &mark), "import: 20 of 400 records (5 %), 2.0 records/s, 3 min 10 s left\n");
    sharc_progress_note(p, "third file");
    sharc_progress_add(p, 20, 5 + 20 * SHARC_SEC);
    assert_string_equal(fresh(&s, &mark), "import: 40 of 400 records (10 %), 2.0 records/s, 3 min left, third file\n");
    sharc_progress_finish(p, 5 + 21 * SHARC_SEC);
    assert_string_equal(fresh(&s, &mark), "import: 40 records in 21 s (1.9 records/s)\n");
    assert_null(strchr(s.text, '\033'));
    assert_null(strchr(s.text, '\r'));
    sharc_progress_free(p);
    screen_close(&s);
}

static void test_unknown_total_and_bytes(void **state)
{
    (void)state;
    struct screen s;
    screen_open(&s);
    size_t mark = 0;
    SHARC_AUTO(sharc_progress_freep)
    struct sharc_progress *p = sharc_progress_new(s.out, SHARC_PROGRESS_BAR, "read", "bytes", 0, 0);
    sharc_progress_add(p, 2500000, SHARC_SEC);
    assert_string_equal(fresh(&s, &mark), ERASE "read 2.5 MB  2.5 MB/s");
    sharc_progress_total(p, 5000000);
    sharc_progress_add(p, 0, SHARC_SEC + 100 * SHARC_MSEC);
    assert_non_null(strstr(fresh(&s, &mark), "2.5 MB of 5.0 MB  2.5 MB/s  1 s left"));
    sharc_progress_freep(&p); /* without finish: the bar goes, nothing is claimed */
    assert_string_equal(fresh(&s, &mark), ERASE);
    screen_close(&s);
}

static void test_one_is_singular(void **state)
{
    (void)state;
    struct screen s;
    screen_open(&s);
    size_t mark = 0;
    struct sharc_progress *p = sharc_progress_new(s.out, SHARC_PROGRESS_LINES, "lab", "crawls", 0, 0);
    sharc_progress_add(p, 1, 20 * SHARC_SEC);
    assert_string_equal(fresh(&s, &mark), "lab: 1 crawl, 3.0 crawls/min\n");
    sharc_progress_total(p, 3);
    sharc_progress_add(p, 0, 40 * SHARC_SEC);
    assert_non_null(strstr(fresh(&s, &mark), "lab: 1 of 3 crawls (33 %)"));
    sharc_progress_finish(p, 60 * SHARC_SEC);
    assert_string_equal(fresh(&s, &mark), "lab: 1 crawl in 1 min (1.0 crawls/min)\n");
    sharc_progress_free(p);
    screen_close(&s);
}

static void test_nothing_done(void **state)
{
    (void)state;
    struct screen s;
    screen_open(&s);
    struct sharc_progress *p = sharc_progress_new(s.out, SHARC_PROGRESS_LINES, "crawl", "pages", 0, 7);
    sharc_progress_finish(p, 7);
    fflush(s.out);
    assert_string_equal(s.text, "crawl: 0 pages in 0 s\n");
    sharc_progress_free(p);
    sharc_progress_free(NULL);
    screen_close(&s);
}

static void test_quiet(void **state)
{
    (void)state;
    struct screen s;
    screen_open(&s);
    struct sharc_progress *p = sharc_progress_new(s.out, SHARC_PROGRESS_QUIET, "crawl", "pages", 10, 0);
    for (int i = 0; i < 100; i++) sharc_progress_add(p, 1, i * SHARC_MINUTE);
    sharc_progress_note(p, "note");
    sharc_progress_finish(p, SHARC_DAY);
    sharc_progress_free(p);
    fflush(s.out);
    assert_int_equal(s.n, 0);
    screen_close(&s);
}

static int count_one(size_t i, unsigned thread, void *arg)
{
    (void)thread;
    sharc_progress_add(arg, 1, (sharc_time)i * SHARC_MSEC);
    return 0;
}

static void test_threads(void **state)
{
    (void)state;
    struct screen s;
    screen_open(&s);
    struct sharc_progress *p = sharc_progress_new(s.out, SHARC_PROGRESS_LINES, "x", "y", 0, 0);
    struct sharc_pool *pool = sharc_pool_new(4);
    assert_int_equal(sharc_pool_each(pool, 5000, count_one, p), 0);
    sharc_pool_free(pool);
    sharc_progress_finish(p, 10 * SHARC_SEC);
    fflush(s.out);
    assert_string_equal(s.text, "x: 5000 y in 10 s (500 y/s)\n");
    sharc_progress_free(p);
    screen_close(&s);
}

static void test_style(void **state)
{
    (void)state;
    FILE *plain = tmpfile();
    assert_non_null(plain);
    assert_int_equal(sharc_progress_style_for(plain, "xterm", true), SHARC_PROGRESS_QUIET);
    assert_int_equal(sharc_progress_style_for(plain, "xterm", false), SHARC_PROGRESS_LINES);
    fclose(plain);
    int fd = posix_openpt(O_RDWR | O_NOCTTY);
    if (fd < 0) skip();
    FILE *terminal = fdopen(fd, "r+");
    assert_int_equal(sharc_progress_style_for(terminal, "xterm", false), SHARC_PROGRESS_BAR);
    assert_int_equal(sharc_progress_style_for(terminal, "xterm", true), SHARC_PROGRESS_QUIET);
    assert_int_equal(sharc_progress_style_for(terminal, "dumb", false), SHARC_PROGRESS_LINES);
    assert_int_equal(sharc_progress_style_for(terminal, "", false), SHARC_PROGRESS_LINES);
    assert_int_equal(sharc_progress_style_for(terminal, NULL, false), SHARC_PROGRESS_LINES);
    fclose(terminal);
}

/* What was done before a resume is no speed. */
static void test_resumed(void **state)
{
    (void)state;
    struct screen s;
    screen_open(&s);
    size_t mark = 0;
    struct sharc_progress *p = sharc_progress_new(s.out, SHARC_PROGRESS_LINES, "visits", "pages", 1000, 0);
    sharc_progress_begin(p, 810);
    sharc_progress_add(p, 10, 10 * SHARC_SEC);
    assert_string_equal(fresh(&s, &mark), "visits: 820 of 1000 pages (82 %), 1.0 pages/s, 3 min left\n");
    sharc_progress_finish(p, 20 * SHARC_SEC);
    assert_string_equal(fresh(&s, &mark), "visits: 10 pages in 20 s (0.5 pages/s)\n");
    sharc_progress_free(p);
    screen_close(&s);
}

/* While nothing moves nothing is said about speed; a pause never makes the time left
 * run up. */
static void test_standing_still(void **state)
{
    (void)state;
    struct screen s;
    screen_open(&s);
    size_t mark = 0;
    struct sharc_progress *p = sharc_progress_new(s.out, SHARC_PROGRESS_LINES, "visits", "pages", 1000, 0);
    sharc_progress_add(p, 100, 10 * SHARC_SEC);
    assert_string_equal(fresh(&s, &mark), "visits: 100 of 1000 pages (10 %), 10 pages/s, 1 min 30 s left\n");
    sharc_progress_add(p, 0, 20 * SHARC_SEC);
    assert_string_equal(fresh(&s, &mark), "visits: 100 of 1000 pages (10 %), 10 pages/s, 1 min 30 s left\n");
    sharc_progress_note(p, "waiting 5 min for www.example.org");
    for (int minute = 1; minute < 60; minute++) {
        sharc_progress_add(p, 0, minute * SHARC_MINUTE);
        assert_string_equal(fresh(&s, &mark), "visits: 100 of 1000 pages (10 %), waiting 5 min for www.example.org\n");
    }
    sharc_progress_note(p, NULL);
    sharc_progress_add(p, 6, 61 * SHARC_MINUTE);
    assert_non_null(strstr(fresh(&s, &mark), "pages/min"));
    sharc_progress_free(p);
    screen_close(&s);
}

static void test_left_as_told(void **state)
{
    (void)state;
    struct screen s;
    screen_open(&s);
    size_t mark = 0;
    struct sharc_progress *p = sharc_progress_new(s.out, SHARC_PROGRESS_LINES, "visits", "pages", 100, 0);
    sharc_progress_left(p, 90 * SHARC_SEC);
    sharc_progress_add(p, 50, 10 * SHARC_SEC);
    assert_string_equal(fresh(&s, &mark), "visits: 50 of 100 pages (50 %), 5.0 pages/s, 1 min 30 s left\n");
    sharc_progress_left(p, SHARC_TIME_NONE);
    sharc_progress_add(p, 10, 20 * SHARC_SEC);
    assert_null(strstr(fresh(&s, &mark), "left"));
    sharc_progress_free(p);
    screen_close(&s);
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(test_resumed),
    cmocka_unit_test(test_standing_still),
    cmocka_unit_test(test_left_as_told),
    cmocka_unit_test(test_bar),
    cmocka_unit_test(test_little_room),
    cmocka_unit_test(test_lines),
    cmocka_unit_test(test_unknown_total_and_bytes),
    cmocka_unit_test(test_nothing_done),
    cmocka_unit_test(test_one_is_singular),
    cmocka_unit_test(test_quiet),
    cmocka_unit_test(test_threads),
    cmocka_unit_test(test_style),
};
TEST_MAIN(tests)

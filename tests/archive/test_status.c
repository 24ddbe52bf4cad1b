/* SPDX-License-Identifier: Apache-2.0 */
#include "test.h"

#include "sharc/archive_status.h"
#include "sharc/base_file.h"
#include "sharc/store_write.h"

#include <stdlib.h>
#include <unistd.h>

static const sharc_time noon = 1700000000 * SHARC_SEC;

static void put(const char *dir, const char *name, const char *text)
{
    SHARC_AUTO(sharc_freep) char *path = sharc_path_join(dir, name);
    SHARC_AUTO(sharc_freep) char *parent = sharc_path_parent(path);
    struct sharc_err err = SHARC_ERR_INIT;
    if (sharc_dir_make(parent, &err) < 0 || sharc_file_replace(path, sharc_span_of(text), &err) < 0)
        fail_msg("%s", err.text);
}

struct row {
    const char *site, *seeds, *params, *source;
    sharc_time start;
    enum sharc_capture_state state;
};

static void add(struct sharc_store *store, const struct row *r)
{
    struct sharc_store_site site = {.name = sharc_span_of(r->site), .seeds = sharc_span_of(r->seeds)};
    struct sharc_store_capture c = SHARC_STORE_CAPTURE_INIT;
    sharc_store_id id;
    assert_int_equal(sharc_store_site_put(store, &site, &c.site, NULL), 0);
    c.source = sharc_span_of(r->source ? r->source : "crawl");
    c.purpose = SHARC_SPAN("evidence");
    c.params = sharc_span_of(r->params ? r->params : "{}");
    c.start = r->start;
    c.state = r->state;
    assert_int_equal(sharc_store_capture_add(store, &c, &id, NULL, NULL), 0);
}

static char *archive_with(const struct row *rows, size_t n)
{
    char *dir = test_mkdir();
    SHARC_AUTO(sharc_store_freep) struct sharc_store *store = NULL;
    assert_int_equal(sharc_archive_open(dir, NULL, NULL, &store, NULL), 0);
    for (size_t i = 0; i < n; i++) add(store, &rows[i]);
    return dir;
}

static struct sharc_archive_status status_of(const char *dir)
{
    struct sharc_archive_status s = {0};
    struct sharc_err err = SHARC_ERR_INIT;
    if (sharc_archive_status(dir, NULL, &s, &err) < 0) fail_msg("%s", err.text);
    return s;
}

static void what_is_done_and_what_is_not(void **state)
{
    (void)state;
    const struct row rows[] = {
        {.site = "done.example", .start = noon, .state = SHARC_CAPTURE_COMPLETE},
        {.site = "stopped.example", .start = noon + 1, .state = SHARC_CAPTURE_INTERRUPTED},
        {.site = "killed.example", .start = noon + 2, .state = SHARC_CAPTURE_RUNNING},
        {.site = "read.example", .start = noon + 3, .state = SHARC_CAPTURE_IMPORTED, .source = "import"},
        {.site = "half.example", .start = noon + 4, .state = SHARC_CAPTURE_IMPORTING, .source = "import"},
    };
    char *dir = archive_with(rows, SHARC_LENGTH(rows));
    put(dir, "warcs/a.warc.gz", "12345");
    put(dir, "warcs/b.warc.gz.open", "123");
    SHARC_AUTO(sharc_archive_status_done) struct sharc_archive_status s = status_of(dir);
    assert_int_equal(s.count, 5);
    assert_int_equal(s.sites, 5);
    assert_int_equal(s.running, 0);
    assert_int_equal(s.unfinished, 3);
    assert_int_equal(s.states[SHARC_CAPTURE_COMPLETE], 1);
    assert_int_equal(s.states[SHARC_CAPTURE_IMPORTED], 1);
    assert_string_equal(s.captures[0].site, "half.example"); /* newest first */
    assert_non_null(strstr(s.captures[0].resume, "sharc import "));
    assert_true(s.captures[2].unfinished && s.captures[3].unfinished);
    assert_null(s.captures[4].resume);
    assert_int_equal(s.files.count, 1);
    assert_int_equal(s.files.bytes, 5);
    assert_int_equal(s.open.count, 1);
    assert_int_equal(s.open.bytes, 3);
    assert_int_equal(s.index, SHARC_ARCHIVE_INDEX_NONE);
    assert_false(s.held);
    test_rmdir(dir);
}

/* The crawl that holds the lock began after one capture and before the other. */
static void a_running_crawl_works_on_what_it_has_begun(void **state)
{
    (void)state;
    const struct row rows[] = {
        {.site = "killed.example", .start = noon, .state = SHARC_CAPTURE_RUNNING},
        {.site = "running.example", .start = noon + 2 * SHARC_SEC, .state = SHARC_CAPTURE_RUNNING},
    };
    char *dir = archive_with(rows, SHARC_LENGTH(rows));
    int lock;
    assert_int_equal(sharc_archive_lock(dir, SHARC_ARCHIVE_CRAWL, noon + SHARC_SEC, &lock, NULL), 0);
    struct sharc_archive_status s = status_of(dir);
    assert_true(s.held);
    assert_int_equal(s.holder.pid, getpid());
    assert_int_equal(s.running, 1);
    assert_int_equal(s.unfinished, 1);
    assert_true(s.captures[0].running);
    assert_true(s.captures[1].unfinished);
    sharc_archive_status_done(&s);
    close(lock);
    /* Whoever rebuilds crawls nothing. */
    assert_int_equal(sharc_archive_lock(dir, SHARC_ARCHIVE_REBUILD, noon + SHARC_SEC, &lock, NULL), 0);
    s = status_of(dir);
    assert_int_equal(s.running, 0);
    assert_int_equal(s.unfinished, 2);
    sharc_archive_status_done(&s);
    close(lock);
    test_rmdir(dir);
}

static void the_command_that_resumes_is_safe_to_paste(void **state)
{
    (void)state;
    const struct row rows[] = {
        {.site = "a.example",
         .seeds = "[\"http://a.example/?q=1&r=$(reboot)\", \"http://a.example/it's\"]",
         .params = "{\"delay\": 1.5, \"allow_private\": true, \"contact\": \"me@a.example; ls\", \"weakened\": "
                   "{\"insecure\": true, \"connect_to\": \"a:1:b:2 c:3:d:4\", \"max_body\": 1000}}",
         .start = noon,
         .state = SHARC_CAPTURE_INTERRUPTED},
    };
    char *dir = archive_with(rows, 1);
    SHARC_AUTO(sharc_archive_status_done) struct sharc_archive_status s = status_of(dir);
    SHARC_AUTO(sharc_freep)
    char *want = sharc_asprintf("sharc crawl -a %s --for evidence --delay 1500ms --contact 'me@a.example; ls' "
                                "--allow-private --insecure --connect-to a:1:b:2 --connect-to c:3:d:4 --max-body 1000 "
                                "'http://a.example/?q=1&r=$(reboot)' 'http://a.example/it'\\''s'",
                                dir);
    assert_string_equal(s.captures[0].resume, want);
    test_rmdir(dir);
}

static void nonsense_in_the_catalogue_makes_no_nonsense(void **state)
{
    (void)state;
    static const char *const texts[] = {"",
                                        "{",
                                        "[]",
                                        "{\"delay\": -1}",
                                        "{\"delay\": 1e300}",
                                        "{\"weakened\": 7}",
                                        "{\"delay\": \"soon\", \"contact\": [1]}"};
    for (size_t i = 0; i < SHARC_LENGTH(texts); i++) {
        const struct row row = {
            .site = "a.example", .seeds = texts[i], .params = texts[i], .start = noon, .state = SHARC_CAPTURE_RUNNING};
        char *dir = archive_with(&row, 1);
        SHARC_AUTO(sharc_archive_status_done) struct sharc_archive_status s = status_of(dir);
        assert_int_equal(s.unfinished, 1);
        assert_non_null(strstr(s.captures[0].resume, "sharc crawl -a "));
        assert_null(strstr(s.captures[0].resume, "--delay"));
        test_rmdir(dir);
    }
}

static void only_the_holder_s_own_progress_counts(void **state)
{
    (void)state;
    static const struct {
        const char *log;
        uint64_t downloads, failed; /* 0: nothing is known */
    } cases[] = {
        {"", 0, 0},
        {"timestamp  discovered\n", 0, 0},
        {"2023-11-14T22:13:00Z 9 8 7 1.00(1.00) 2(2) 5 1\n", 0, 0}, /* of the crawl before */
        {"2023-11-14T22:13:30Z 9 8 7 1.00(1.00) 2(2) 5 1\n", 7, 5},
        {"2023-11-14T22:13:30Z 9 8 7 1.00(1.00) 2(2) 5 1\n2023-11-14T22:13:31Z setting: delay=1s\n", 7, 5},
        {"2023-11-14T22:13:30Z    9     8    7 1.00(1.00)    2(2)   5 1\n2023-11-14T22:13:50Z 9 8", 7, 5},
        {"2023-11-14T22:13:30Z 9 8 99999999999999999999 1.00(1.00) 2(2) 5\n", 0, 0},
        {"2023-11-14T22:13:30Z -9 8 7 1 2 5\n\n\n\xff\xfe 1 2 3 4 5 6\n", 0, 0},
    };
    for (size_t i = 0; i < SHARC_LENGTH(cases); i++) {
        char *dir = archive_with(NULL, 0);
        int lock;
        put(dir, "logs/progress-statistics.log", cases[i].log);
        assert_int_equal(sharc_archive_lock(dir, SHARC_ARCHIVE_CRAWL, noon, &lock, NULL), 0);
        SHARC_AUTO(sharc_archive_status_done) struct sharc_archive_status s = status_of(dir);
        assert_int_equal(s.progress.known, cases[i].downloads > 0);
        assert_int_equal(s.progress.downloads, cases[i].downloads);
        assert_int_equal(s.progress.failed, cases[i].failed);
        close(lock);
        test_rmdir(dir);
    }
}

/* Only its end is read, and that may begin in the middle of a line. */
static void a_long_log_is_read_from_its_end(void **state)
{
    (void)state;
    char *dir = archive_with(NULL, 0);
    SHARC_AUTO(sharc_buf_done) struct sharc_buf log = SHARC_BUF_INIT(1 << 20);
    for (int i = 0; i < 3000; i++)
        sharc_buf_printf(&log, "2023-11-14T22:%02d:%02dZ 1 2 %d 1.00(1.00) 2(2) 5 1\n", 14 + i / 60 % 40, i % 60,
                         i + 1);
    put(dir, "logs/progress-statistics.log", sharc_buf_str(&log));
    int lock;
    assert_int_equal(sharc_archive_lock(dir, SHARC_ARCHIVE_CRAWL, noon, &lock, NULL), 0);
    SHARC_AUTO(sharc_archive_status_done) struct sharc_archive_status s = status_of(dir);
    assert_int_equal(s.progress.downloads, 3000);
    close(lock);
    test_rmdir(dir);
}

static void a_catalogue_that_cannot_be_read_is_told(void **state)
{
    (void)state;
    char *dir = test_mkdir();
    put(dir, "catalogue.db", "rubbish that is no database, and long enough to be looked at");
    put(dir, "warcs/a.warc.gz", "12345");
    SHARC_AUTO(sharc_archive_status_done) struct sharc_archive_status s = status_of(dir);
    assert_true(s.error.code < 0);
    assert_non_null(strstr(s.error.text, "catalogue.db"));
    assert_int_equal(s.files.count, 1);
    test_rmdir(dir);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_is_done_and_what_is_not),
        cmocka_unit_test(a_running_crawl_works_on_what_it_has_begun),
        cmocka_unit_test(the_command_that_resumes_is_safe_to_paste),
        cmocka_unit_test(nonsense_in_the_catalogue_makes_no_nonsense),
        cmocka_unit_test(only_the_holder_s_own_progress_counts),
        cmocka_unit_test(a_long_log_is_read_from_its_end),
        cmocka_unit_test(a_catalogue_that_cannot_be_read_is_told),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

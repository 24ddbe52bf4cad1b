/* SPDX-License-Identifier: Apache-2.0 */
#include "test.h"

#include "sharc/archive.h"
#include "sharc/base_file.h"

#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

static const sharc_time noon = 1700000000 * SHARC_SEC;

static void the_holder_is_known_by_name(void **state)
{
    (void)state;
    char *dir = test_mkdir();
    struct sharc_archive_holder h;
    struct sharc_err err = SHARC_ERR_INIT;
    int a = -1, b = -1;
    assert_false(sharc_archive_holder(dir, &h));
    assert_int_equal(sharc_archive_lock(dir, SHARC_ARCHIVE_CRAWL, noon, &a, NULL), 0);
    assert_true(sharc_archive_holder(dir, &h));
    assert_int_equal(h.work, SHARC_ARCHIVE_CRAWL);
    assert_int_equal(h.pid, getpid());
    assert_true(h.since == noon);

    assert_int_equal(sharc_archive_lock(dir, SHARC_ARCHIVE_REBUILD, noon, &b, &err), SHARC_EBUSY);
    assert_int_equal(b, -1);
    SHARC_AUTO(sharc_freep) char *pid = sharc_asprintf("process %ld since 2023-11-14T22:13:20Z", (long)getpid());
    assert_non_null(strstr(err.text, "another crawl is running on this archive"));
    assert_non_null(strstr(err.text, pid));
    close(a);
    assert_false(sharc_archive_holder(dir, &h));
    assert_int_equal(sharc_archive_lock(dir, SHARC_ARCHIVE_REBUILD, noon, &b, NULL), 0);
    assert_true(sharc_archive_holder(dir, &h));
    assert_int_equal(h.work, SHARC_ARCHIVE_REBUILD);
    close(b);
    test_rmdir(dir);
}

static void a_killed_holder_holds_nothing(void **state)
{
    (void)state;
    char *dir = test_mkdir();
    struct sharc_archive_holder h;
    int ready[2];
    assert_int_equal(pipe(ready), 0);
    pid_t child = fork();
    if (child == 0) {
        int fd;
        if (sharc_archive_lock(dir, SHARC_ARCHIVE_CRAWL, noon, &fd, NULL) < 0) _exit(1);
        (void)!write(ready[1], "x", 1);
        for (;;) pause();
    }
    char c;
    assert_int_equal(read(ready[0], &c, 1), 1);
    assert_true(sharc_archive_holder(dir, &h));
    assert_int_equal(h.pid, child);
    kill(child, SIGKILL);
    waitpid(child, NULL, 0);
    assert_false(sharc_archive_holder(dir, &h));
    int fd;
    assert_int_equal(sharc_archive_lock(dir, SHARC_ARCHIVE_CRAWL, noon, &fd, NULL), 0);
    close(fd);
    close(ready[0]);
    close(ready[1]);
    test_rmdir(dir);
}

/* Somebody holds it and the file says nothing, or rubbish. */
static void rubbish_in_the_file_is_no_name(void **state)
{
    (void)state;
    static const char *const lines[] = {
        "", "\n", "crawl", "crawl x y z", "crawl -5 never \033[31mred", "\xff\xff \xff 1 2"};
    for (size_t i = 0; i < SHARC_LENGTH(lines); i++) {
        char *dir = test_mkdir();
        struct sharc_archive_holder h;
        struct sharc_err err = SHARC_ERR_INIT;
        int a, b;
        assert_int_equal(sharc_archive_lock(dir, SHARC_ARCHIVE_CRAWL, noon, &a, NULL), 0);
        assert_int_equal(ftruncate(a, 0), 0);
        assert_true(pwrite(a, lines[i], strlen(lines[i]), 0) >= 0);
        assert_true(sharc_archive_holder(dir, &h));
        assert_int_equal(h.pid, 0);
        assert_null(strchr(h.host, '\033'));
        assert_int_equal(sharc_archive_lock(dir, SHARC_ARCHIVE_CRAWL, noon, &b, &err), SHARC_EBUSY);
        assert_non_null(strstr(err.text, "another process is writing to this archive"));
        close(a);
        test_rmdir(dir);
    }
}

/* Imports may run beside each other and beside a crawl, but nobody may replace the catalogue then. */
static void who_replaces_the_catalogue_is_alone(void **state)
{
    (void)state;
    char *dir = test_mkdir();
    struct sharc_archive_holder h;
    struct sharc_err err = SHARC_ERR_INIT;
    int one, two, crawl, rebuild;
    assert_int_equal(sharc_archive_lock(dir, SHARC_ARCHIVE_IMPORT, noon, &one, NULL), 0);
    assert_int_equal(sharc_archive_lock(dir, SHARC_ARCHIVE_IMPORT, noon, &two, NULL), 0);
    assert_true(sharc_archive_holder(dir, &h));
    assert_int_equal(h.work, SHARC_ARCHIVE_IMPORT);
    assert_int_equal(h.pid, 0);
    assert_int_equal(sharc_archive_lock(dir, SHARC_ARCHIVE_REBUILD, noon, &rebuild, &err), SHARC_EBUSY);
    assert_non_null(strstr(err.text, "files are being imported into this archive"));
    assert_int_equal(sharc_archive_lock(dir, SHARC_ARCHIVE_CRAWL, noon, &crawl, NULL), 0);
    assert_true(sharc_archive_holder(dir, &h));
    assert_int_equal(h.work, SHARC_ARCHIVE_CRAWL);
    close(crawl);
    close(one);
    close(two);
    assert_int_equal(sharc_archive_lock(dir, SHARC_ARCHIVE_REBUILD, noon, &rebuild, NULL), 0);
    assert_int_equal(sharc_archive_lock(dir, SHARC_ARCHIVE_IMPORT, noon, &one, &err), SHARC_EBUSY);
    assert_non_null(strstr(err.text, "the catalogue of this archive is being rebuilt: process "));
    close(rebuild);
    assert_false(sharc_archive_holder(dir, &h));
    test_rmdir(dir);
}

/* Asking must not stand in the way of somebody who begins. */
static void asking_takes_nothing(void **state)
{
    (void)state;
    char *dir = test_mkdir();
    SHARC_AUTO(sharc_freep) char *path = sharc_archive_path(dir, SHARC_ARCHIVE_LOCK);
    int a;
    assert_int_equal(sharc_archive_lock(dir, SHARC_ARCHIVE_CRAWL, noon, &a, NULL), 0);
    close(a);
    pid_t child = fork();
    if (child == 0) {
        struct sharc_archive_holder h;
        for (;;) (void)sharc_archive_holder(dir, &h);
    }
    int refused = 0;
    for (int i = 0; i < 20000; i++) {
        if (sharc_archive_lock(dir, SHARC_ARCHIVE_CRAWL, noon, &a, NULL) < 0)
            refused++;
        else
            close(a);
    }
    kill(child, SIGKILL);
    waitpid(child, NULL, 0);
    assert_int_equal(refused, 0);
    assert_int_equal(chmod(path, 0444), 0);
    struct sharc_archive_holder h;
    assert_false(sharc_archive_holder(dir, &h));
    test_rmdir(dir);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_holder_is_known_by_name),    cmocka_unit_test(a_killed_holder_holds_nothing),
        cmocka_unit_test(rubbish_in_the_file_is_no_name), cmocka_unit_test(who_replaces_the_catalogue_is_alone),
        cmocka_unit_test(asking_takes_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

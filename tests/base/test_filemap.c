/* SPDX-License-Identifier: Apache-2.0
 *
 * Maps of files that somebody shortens.
 */
#include "test.h"

#include "sharc/base_file.h"

#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

enum { PAGES = 16, SIZE = PAGES * 65536 };

struct place {
    char *dir, *path;
};

static int set_up(void **state)
{
    struct place *p = SHARC_NEW(struct place);
    SHARC_AUTO(sharc_buf_done) struct sharc_buf b = SHARC_BUF_INIT(SIZE);
    for (size_t i = 0; i < SIZE; i++) sharc_buf_put_char(&b, 'x');
    p->dir = test_mkdir();
    p->path = sharc_path_join(p->dir, "file");
    assert_int_equal(sharc_file_replace(p->path, sharc_buf_span(&b), NULL), 0);
    *state = p;
    return 0;
}

static int tear_down(void **state)
{
    struct place *p = *state;
    free(p->path);
    test_rmdir(p->dir);
    free(p);
    return 0;
}

static size_t count_x(struct sharc_span s)
{
    size_t n = 0;
    for (size_t i = 0; i < s.n; i++) n += s.p[i] == 'x';
    return n;
}

static void test_zeros_are_read(void **state)
{
    struct place *p = *state;
    struct sharc_filemap m, other;
    struct sharc_err err = SHARC_ERR_INIT;
    SHARC_AUTO(sharc_freep) char *second = sharc_path_join(p->dir, "other");
    assert_int_equal(sharc_filemap_guard(&err), 0);
    assert_int_equal(sharc_filemap_guard(&err), 0);
    assert_int_equal(sharc_file_replace(second, SHARC_SPAN("xx"), NULL), 0);
    assert_int_equal(sharc_filemap_open(&m, p->path, &err), 0);
    assert_int_equal(sharc_filemap_open(&other, second, &err), 0);
    assert_true(sharc_filemap_intact(&m));
    assert_int_equal(truncate(p->path, 100), 0);
    assert_false(sharc_filemap_intact(&m)); /* before anybody has read */
    assert_int_equal(count_x(m.bytes), 100);
    assert_false(sharc_filemap_intact(&m));
    /* Longer again, it is still not what it was. */
    assert_int_equal(truncate(p->path, SIZE), 0);
    assert_false(sharc_filemap_intact(&m));
    assert_true(sharc_filemap_intact(&other));
    sharc_filemap_done(&m);
    sharc_filemap_done(&other);
}

static void test_replaced_is_not_shortened(void **state)
{
    struct place *p = *state;
    struct sharc_filemap m;
    assert_int_equal(sharc_filemap_guard(NULL), 0);
    assert_int_equal(sharc_filemap_open(&m, p->path, NULL), 0);
    assert_int_equal(sharc_file_replace(p->path, SHARC_SPAN("x"), NULL), 0);
    assert_true(sharc_filemap_intact(&m));
    assert_int_equal(count_x(m.bytes), SIZE);
    assert_int_equal(unlink(p->path), 0);
    assert_true(sharc_filemap_intact(&m));
    sharc_filemap_done(&m);
}

static void *read_it(void *arg)
{
    const struct sharc_filemap *m = arg;
    return count_x(m->bytes) == 100 && !sharc_filemap_intact(m) ? arg : NULL;
}

static void test_many_threads_and_maps(void **state)
{
    struct place *p = *state;
    enum { THREADS = 8, MAPS = 200 };
    struct sharc_filemap m[MAPS];
    pthread_t threads[THREADS];
    assert_int_equal(sharc_filemap_guard(NULL), 0);
    for (int round = 0; round < 2; round++) { /* watches are used again */
        for (int i = 0; i < MAPS; i++) assert_int_equal(sharc_filemap_open(&m[i], p->path, NULL), 0);
        assert_int_equal(truncate(p->path, 100), 0);
        for (int i = 0; i < THREADS; i++) pthread_create(&threads[i], NULL, read_it, &m[i % 2 ? 0 : 20 * i]);
        for (int i = 0; i < THREADS; i++) {
            void *ok;
            pthread_join(threads[i], &ok);
            assert_non_null(ok);
        }
        for (int i = 0; i < MAPS; i++) sharc_filemap_done(&m[i]);
        SHARC_AUTO(sharc_buf_done) struct sharc_buf b = SHARC_BUF_INIT(SIZE);
        for (size_t i = 0; i < SIZE; i++) sharc_buf_put_char(&b, 'x');
        assert_int_equal(sharc_file_replace(p->path, sharc_buf_span(&b), NULL), 0);
    }
}

/* A SIGBUS that no map is the cause of ends the process as ever. */
static void test_other_signals_are_left(void **state)
{
    (void)state;
    int status;
    pid_t child = fork();
    if (child == 0) {
        signal(SIGBUS, SIG_DFL);
        sharc_filemap_guard(NULL);
        kill(getpid(), SIGBUS);
        kill(getpid(), SIGBUS);
        _exit(0);
    }
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_true(WIFSIGNALED(status));
}

#define WITH_PLACE(fn) cmocka_unit_test_setup_teardown(fn, set_up, tear_down)
static const struct CMUnitTest tests[] = {
    cmocka_unit_test(test_other_signals_are_left), /* first: the guard is set once */
    WITH_PLACE(test_zeros_are_read),
    WITH_PLACE(test_replaced_is_not_shortened),
    WITH_PLACE(test_many_threads_and_maps),
};
TEST_MAIN(tests)

/* SPDX-License-Identifier: Apache-2.0
 *
 * Errors and memory.
 */
#include "test.h"

#include "sharc/base_abort.h"
#include "sharc/base_exhausted.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

static void test_error_list(void **state)
{
    (void)state;
    assert_string_equal(sharc_error_name(SHARC_ELIMIT), "ELIMIT");
    assert_string_equal(sharc_error_text(SHARC_ELIMIT), "a limit was reached");
    assert_string_equal(sharc_error_name(0), "OK");
    assert_string_equal(sharc_error_name(-9999), "UNKNOWN");
    assert_string_equal(sharc_error_text(12345), "unknown error");
    /* Released numbers never change. */
    assert_int_equal(SHARC_ENOMEM, -1);
    assert_int_equal(SHARC_EDIGEST, -7);
    assert_int_equal(SHARC_EINTR, -19);
}

static void test_from_errno(void **state)
{
    (void)state;
    static const int pairs[][2] = {{0, 0},
                                   {ENOENT, SHARC_ENOENT},
                                   {EACCES, SHARC_EACCESS},
                                   {EROFS, SHARC_EACCESS},
                                   {ENOSPC, SHARC_ENOSPC},
                                   {EDQUOT, SHARC_ENOSPC},
                                   {EEXIST, SHARC_EEXIST},
                                   {EINTR, SHARC_EINTR},
                                   {EIO, SHARC_EIO},
                                   {EPIPE, SHARC_EIO}};
    for (size_t i = 0; i < SHARC_LENGTH(pairs); i++) assert_int_equal(sharc_error_from_errno(pairs[i][0]), pairs[i][1]);
}

static int fails(struct sharc_err *reterr, bool really)
{
    SHARC_FAIL_IF(really, reterr, SHARC_ETRUNC, "record %d: ends early", 7);
    return 0;
}

static void test_fail(void **state)
{
    (void)state;
    struct sharc_err err = SHARC_ERR_INIT;
    assert_int_equal(fails(&err, false), 0);
    assert_int_equal(err.code, 0); /* untouched on success */
    assert_int_equal(fails(NULL, true), SHARC_ETRUNC);
    assert_int_equal(fails(&err, true), SHARC_ETRUNC);
    assert_int_equal(err.code, SHARC_ETRUNC);
    assert_string_equal(err.text, "record 7: ends early");
    assert_true(err.offset == SHARC_NOWHERE);
    assert_int_equal(err.line, 0);
    assert_non_null(strstr(err.src_file, "test_base.c"));
    assert_int_equal(sharc_err_prefix(&err, SHARC_ETRUNC, "%s", "a.warc"), SHARC_ETRUNC);
    assert_int_equal(sharc_err_prefix(NULL, SHARC_EIO, "x"), SHARC_EIO);
    assert_string_equal(err.text, "a.warc: record 7: ends early");
}

static void test_long_sentences(void **state)
{
    (void)state;
    struct sharc_err err = SHARC_ERR_INIT;
    char longer[2000];
    memset(longer, 'x', sizeof longer);
    longer[sizeof longer - 1] = 0;
    sharc_fail(&err, SHARC_EIO, "%s", longer);
    assert_int_equal(strlen(err.text), sizeof err.text - 1);
    sharc_err_prefix(&err, err.code, "file");
    assert_int_equal(strncmp(err.text, "file: xxx", 9), 0);
    assert_int_equal(strlen(err.text), sizeof err.text - 1);
    sharc_err_prefix(&err, err.code, "%s", longer);
    assert_true(strlen(err.text) < sizeof err.text);
}

/* Messages quote foreign bytes; a terminal must not obey them. */
static void test_messages_are_printable(void **state)
{
    (void)state;
    struct sharc_err err = SHARC_ERR_INIT;
    sharc_fail(&err, SHARC_EIO, "%s", "a\033[2Jb\nc\td\x7f\xff\xc2\x9b\xc3\xa9\xf0\x9d\x84\x9e\xe2\x82");
    assert_string_equal(err.text, "a?[2Jb c d????\xc3\xa9\xf0\x9d\x84\x9e??");
    /* Nor be made to write backwards (U+202E, U+2067). */
    sharc_fail(&err, SHARC_EIO, "%s", "a\xe2\x80\xaez.exe\xe2\x81\xa7\xe2\x80\xa8 \xd7\x90");
    assert_string_equal(err.text, "a???z.exe?????? \xd7\x90");
    sharc_fail(&err, SHARC_EIO, "a\033b");
    sharc_err_prefix(&err, err.code, "%s", "x\ry");
    assert_int_equal(strncmp(err.text, "x y: a?", 7), 0);
}

static void test_memory(void **state)
{
    (void)state;
    void *p = sharc_malloc(0);
    assert_non_null(p);
    free(p);
    int *zeros = sharc_calloc(3, sizeof(int));
    assert_int_equal(zeros[0] | zeros[1] | zeros[2], 0);
    zeros = sharc_realloc(zeros, 100, sizeof(int));
    free(zeros);
    SHARC_AUTO(sharc_freep) char *s = sharc_strndup("abcdef", 3);
    assert_string_equal(s, "abc");
    SHARC_AUTO(sharc_freep) char *f = sharc_asprintf("%d-%s", 5, s);
    assert_string_equal(f, "5-abc");
    SHARC_AUTO(sharc_freep) char *moved = SHARC_TAKE(f);
    assert_null(f);
    assert_string_equal(moved, "5-abc");
    int *items = NULL;
    size_t room = 0;
    for (int i = 0; i < 1000; i++) {
        SHARC_GROW(items, room, (size_t)i + 1);
        items[i] = i;
    }
    assert_true(room >= 1000 && room <= 2048);
    assert_int_equal(items[999], 999);
    free(items);
}

static void test_closep(void **state)
{
    (void)state;
    int fd = open("/dev/null", O_RDONLY);
    int copy = fd;
    sharc_closep(&fd);
    assert_int_equal(fd, -1);
    assert_int_equal(fcntl(copy, F_GETFD), -1);
    sharc_closep(&fd);
}

static void break_promise(void)
{
    SHARC_ASSERT(1 + 1 == 3);
}

static void ask_too_much(void)
{
    volatile size_t n = SIZE_MAX / 2;
    free(sharc_calloc(n, 16));
}

/* Both end the process, and say why. Returns how it ended. */
static int expect_abort(void (*fn)(void), const char *message)
{
    int pipe_ends[2];
    assert_int_equal(pipe(pipe_ends), 0);
    pid_t child = fork();
    assert_true(child >= 0);
    if (child == 0) {
        signal(SIGABRT, SIG_DFL);
        dup2(pipe_ends[1], STDERR_FILENO);
        fn();
        _exit(0);
    }
    close(pipe_ends[1]);
    char said[4096] = "";
    size_t n = 0;
    for (ssize_t got; (got = read(pipe_ends[0], said + n, sizeof said - 1 - n)) > 0;) n += (size_t)got;
    close(pipe_ends[0]);
    int status;
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_false(WIFEXITED(status) && WEXITSTATUS(status) == 0);
    assert_non_null(strstr(said, message));
    return status;
}

static void test_bugs_abort(void **state)
{
    (void)state;
    expect_abort(break_promise, "internal error");
#if !defined(__SANITIZE_ADDRESS__) /* the sanitizer has its own words for it */
    expect_abort(ask_too_much, "out of memory");
#else
    (void)ask_too_much;
#endif
}

static void end_with_code(int code)
{
    _exit(10 - code);
}

static void ask_with_handler(void)
{
    sharc_on_abort(end_with_code);
    sharc__no_memory();
}

static void break_with_handler(void)
{
    sharc_on_abort(end_with_code);
    break_promise();
}

static void lose_handler(void)
{
    sharc_on_abort(end_with_code);
    sharc_on_abort(NULL);
    sharc__no_memory();
}

/* A program that prefers an exit code to a signal gets told which of the two it was. */
static void test_program_chooses_its_end(void **state)
{
    (void)state;
    int status = expect_abort(ask_with_handler, "out of memory");
    assert_true(WIFEXITED(status));
    assert_int_equal(WEXITSTATUS(status), 10 - SHARC_ENOMEM);
    status = expect_abort(break_with_handler, "internal error");
    assert_true(WIFEXITED(status));
    assert_int_equal(WEXITSTATUS(status), 10);
    status = expect_abort(lose_handler, "out of memory");
    assert_true(WIFSIGNALED(status));
    assert_int_equal(WTERMSIG(status), SIGABRT);
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(test_error_list),
    cmocka_unit_test(test_from_errno),
    cmocka_unit_test(test_fail),
    cmocka_unit_test(test_long_sentences),
    cmocka_unit_test(test_messages_are_printable),
    cmocka_unit_test(test_memory),
    cmocka_unit_test(test_closep),
    cmocka_unit_test(test_bugs_abort),
    cmocka_unit_test(test_program_chooses_its_end),
};
TEST_MAIN(tests)

/* SPDX-License-Identifier: Apache-2.0
 *
 * What every unit test includes first. A test program is a table of functions
 * and TEST_MAIN(table); it prints TAP when CMOCKA_MESSAGE_OUTPUT=tap. Its argument
 * chooses functions by name, with * and ?: test_crawl_resume 'killed_*'.
 */
#ifndef SHARC_TEST_H
#define SHARC_TEST_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "sharc/base.h"

#define TEST_MAIN(table)                                  \
    int main(void)                                        \
    {                                                     \
        return cmocka_run_group_tests(table, NULL, NULL); \
    }

/* Path of a file below the shared material beside the source tree
 * ($SHARC_SHARED, else <source>/../shared), or NULL when it is not there. The
 * result lives in a static buffer: copy it before the next call. */
const char *test_shared(const char *below);
/* The same, but skips the running test (counted as skipped) when absent. */
const char *test_shared_or_skip(const char *below);

/* A new empty directory, removed with all below it by test_rmdir. malloc'ed. */
char *test_mkdir(void);
void test_rmdir(char *path); /* frees path */

#define assert_span(span, literal) test_assert_span((span), (literal), __FILE__, __LINE__)
void test_assert_span(struct sharc_span got, const char *want, const char *file, int line);
#define assert_close(got, want, tolerance) test_assert_close((got), (want), (tolerance), __FILE__, __LINE__)
void test_assert_close(double got, double want, double tolerance, const char *file, int line);

#endif

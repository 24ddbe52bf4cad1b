/* SPDX-License-Identifier: Apache-2.0 */
#include "test.h"

#include <ftw.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

/* The first argument of every test program, whoever wrote its main(): the functions to run.
 * glibc hands the arguments of main() to constructors. */
__attribute__((constructor)) static void choose_functions(int argc, char **argv)
{
    if (argc > 1) cmocka_set_test_filter(argv[1]);
}

const char *test_shared(const char *below)
{
    static char path[4096];
    const char *root = getenv("SHARC_SHARED");
    if (root)
        snprintf(path, sizeof path, "%s/%s", root, below);
    else
        snprintf(path, sizeof path, "%s/../shared/%s", SHARC_SOURCE_DIR, below);
    return access(path, R_OK) == 0 ? path : NULL;
}

const char *test_shared_or_skip(const char *below)
{
    const char *path = test_shared(below);
    if (!path) skip();
    return path;
}

char *test_mkdir(void)
{
    char template[] = "/tmp/sharc-test.XXXXXX";
    char *made = mkdtemp(template);
    assert_non_null(made);
    return strdup(made);
}

static int remove_one(const char *path, const struct stat *st, int type, struct FTW *ftw)
{
    (void)st, (void)type, (void)ftw;
    return remove(path);
}

void test_rmdir(char *path)
{
    nftw(path, remove_one, 16, FTW_DEPTH | FTW_PHYS);
    free(path);
}

void test_assert_span(struct sharc_span got, const char *want, const char *file, int line)
{
    if (got.n == strlen(want) && memcmp(got.p ? got.p : "", want, got.n) == 0) return;
    print_error("got \"%.*s\", want \"%s\"\n", (int)got.n, got.p ? got.p : "", want);
    _fail(file, line);
}

void test_assert_close(double got, double want, double tolerance, const char *file, int line)
{
    if (fabs(got - want) <= tolerance) return;
    print_error("got %.12g, want %.12g within %g\n", got, want, tolerance);
    _fail(file, line);
}

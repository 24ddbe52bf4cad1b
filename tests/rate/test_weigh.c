/* SPDX-License-Identifier: Apache-2.0
 *
 * Weights of pages by name and from files.
 */
#include "test.h"

#include "sharc/base_file.h"
#include "sharc/rate_weight.h"

#include <math.h>
#include <stdlib.h>

static const struct sharc_span urls[] = {{"/", 1}, {"/a", 2}, {"/b", 2}};
static const uint32_t from[] = {0, 0, 1}, to[] = {1, 2, 2};
static const struct sharc_rate_graph graph = {3, urls, NULL, from, to, 3};

static char *file_of(const char *dir, const char *text)
{
    char *path = sharc_path_join(dir, "weights");
    assert_int_equal(sharc_file_replace(path, sharc_span_of(text), NULL), 0);
    return path;
}

static void names_choose_the_measure(void **state)
{
    (void)state;
    double w[3];
    assert_int_equal(sharc_rate_weigh("none", &graph, w, NULL), 0);
    assert_close(w[2], 1, 0);
    assert_int_equal(sharc_rate_weigh("indegree", &graph, w, NULL), 0);
    assert_close(w[2], 1.5, 1e-12); /* 1 + 2 links, mean 2 */
    assert_int_equal(sharc_rate_weigh("pagerank", &graph, w, NULL), 0);
    assert_true(w[2] > w[1] && w[1] > w[0]);
    assert_close(w[0] + w[1] + w[2], 3, 1e-6);
    assert_int_equal(sharc_rate_weigh("priority", &graph, w, NULL), 0);
    assert_close(w[0], 0.5, 0); /* nobody says */
    const double priority[] = {0.9, (double)NAN, 0.1};
    struct sharc_rate_graph told = graph;
    told.priority = priority;
    assert_int_equal(sharc_rate_weigh("priority", &told, w, NULL), 0);
    assert_close(w[0], 0.9, 0);
    assert_close(w[1], 0.5, 0);
}

static void a_file_names_some_pages(void **state)
{
    (void)state;
    double w[3];
    char *dir = test_mkdir(), *path = file_of(dir, "# a remark\n\n2.5 /a\n0\t /b \n7 /elsewhere\n");
    struct sharc_err err = SHARC_ERR_INIT;
    if (sharc_rate_weigh(path, &graph, w, &err) < 0) fail_msg("%s", err.text);
    assert_close(w[0], 1, 0);
    assert_close(w[1], 2.5, 0);
    assert_close(w[2], 0, 0);
    SHARC_AUTO(sharc_rate_weights_done) struct sharc_rate_weights f;
    assert_int_equal(sharc_rate_weights_read(path, &f, NULL), 0);
    assert_close(sharc_rate_weights_of(&f, SHARC_SPAN("/elsewhere")), 7, 0);
    assert_true(sharc_rate_weights_of(&f, SHARC_SPAN("/nowhere")) < 0);
    free(path);
    test_rmdir(dir);
}

static void a_bad_line_is_named(void **state)
{
    (void)state;
    static const char *const bad[] = {"1 /a\nmany /b\n", "1 /a\n-1 /b\n", "1 /a\n2\n", "1 /a\nnan /b\n",
                                      "1 /a\ninf /b\n"};
    for (size_t i = 0; i < SHARC_LENGTH(bad); i++) {
        double w[3];
        char *dir = test_mkdir(), *path = file_of(dir, bad[i]);
        struct sharc_err err = SHARC_ERR_INIT;
        assert_int_equal(sharc_rate_weigh(path, &graph, w, &err), SHARC_ESYNTAX);
        assert_non_null(strstr(err.text, "line 2"));
        free(path);
        test_rmdir(dir);
    }
}

static void a_missing_file_is_told(void **state)
{
    (void)state;
    double w[3];
    assert_int_equal(sharc_rate_weigh("/nowhere/weights", &graph, w, NULL), SHARC_ENOENT);
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(names_choose_the_measure),
    cmocka_unit_test(a_file_names_some_pages),
    cmocka_unit_test(a_bad_line_is_named),
    cmocka_unit_test(a_missing_file_is_told),
};
TEST_MAIN(tests)

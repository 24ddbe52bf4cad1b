/* SPDX-License-Identifier: Apache-2.0 */
#include "test.h"

#include "sharc/base_arena.h"
#include "sharc/base_file.h"
#include "sharc/base_node.h"
#include "sharc/sim_report.h"
#include "sharc/sim_table.h"

#include <math.h>
#include <stdlib.h>
#include <unistd.h>

#define STRATEGIES 3

struct made {
    struct sharc_sim_site *site;
    struct sharc_sim_options o;
    struct sharc_sim_result results[STRATEGIES];
};

static void make(struct made *m)
{
    struct sharc_sim_synthetic shape = SHARC_SIM_SYNTHETIC;
    shape.pages = 60;
    shape.outdegree = 5;
    assert_int_equal(sharc_sim_synthetic_new(&shape, &m->site, NULL), 0);
    m->o = (struct sharc_sim_options)SHARC_SIM_OPTIONS;
    m->o.runs = 2;
    const struct sharc_strategy_ops *ops[STRATEGIES] = {
        sharc_strategy_find("sharc-offline"),
        sharc_strategy_find("bfs-lifo"),
        sharc_strategy_find("sharc-selective-offline"),
    };
    assert_int_equal(sharc_sim_run(m->site, ops, STRATEGIES, &m->o, m->results, NULL), 0);
}

static size_t count(const char *text, const char *what)
{
    size_t n = 0;
    for (const char *p = strstr(text, what); p; p = strstr(p + 1, what)) n++;
    return n;
}

static void every_format_has_every_strategy(void **state)
{
    (void)state;
    struct made m;
    make(&m);
    static const enum sharc_sim_format formats[] = {SHARC_SIM_TEXT, SHARC_SIM_MARKDOWN, SHARC_SIM_CSV, SHARC_SIM_JSON};
    for (size_t f = 0; f < SHARC_LENGTH(formats); f++) {
        SHARC_AUTO(sharc_buf_done) struct sharc_buf out = SHARC_BUF_INIT(1u << 20);
        sharc_sim_results_write(m.site, &m.o, m.results, STRATEGIES, NULL, formats[f], &out);
        for (size_t i = 0; i < STRATEGIES; i++)
            assert_int_equal(count(sharc_buf_str(&out), m.results[i].strategy->name), 1);
    }
    sharc_sim_site_free(m.site);
}

static void json_keeps_its_names(void **state)
{
    (void)state;
    struct made m;
    make(&m);
    SHARC_AUTO(sharc_buf_done) struct sharc_buf out = SHARC_BUF_INIT(1u << 20);
    SHARC_AUTO(sharc_arena_done) struct sharc_arena arena = SHARC_ARENA_INIT(1u << 20);
    sharc_sim_results_write(m.site, &m.o, m.results, STRATEGIES, NULL, SHARC_SIM_JSON, &out);
    const struct sharc_node *root;
    assert_int_equal(sharc_json_read(sharc_buf_span(&out), &arena, &root, NULL), 0);
    assert_int_equal(sharc_node_int(sharc_node_get(root, "pages"), 0), 60);
    const struct sharc_node *results = sharc_node_get(root, "results");
    assert_int_equal(results->count, STRATEGIES);
    const struct sharc_node *second = sharc_node_at(results, 1);
    static const char *const names[] = {"strategy",           "average_blur", "incoherence",
                                        "expected_coherence", "bound",        "seconds"};
    for (size_t i = 0; i < SHARC_LENGTH(names); i++) assert_non_null(sharc_node_get(second, names[i]));
    assert_true(sharc_node_real(sharc_node_get(second, "incoherence"), -1) == m.results[1].incoherence.mean);
    assert_int_equal(sharc_node_get(sharc_node_at(results, 0), "bound")->kind, SHARC_NULL);
    sharc_sim_site_free(m.site);
}

static void pictures_show_every_page(void **state)
{
    (void)state;
    struct made m;
    make(&m);
    SHARC_AUTO(sharc_sim_trace_done) struct sharc_sim_trace t = {0};
    assert_int_equal(sharc_sim_trace_run(m.site, m.results[1].strategy, &m.o, &t, NULL), 0);
    assert_int_equal(t.slots, 119);
    SHARC_AUTO(sharc_buf_done) struct sharc_buf out = SHARC_BUF_INIT(1u << 20);
    sharc_sim_svg_pyramid(&t, "a < b & c", &out);
    assert_int_equal(count(sharc_buf_str(&out), " l\" x1"), 60);
    assert_int_equal(count(sharc_buf_str(&out), "a &lt; b &amp; c"), 2);
    assert_int_equal(count(sharc_buf_str(&out), "</svg>"), 1);
    sharc_buf_clear(&out);
    sharc_sim_svg_pipes(&t, "pipes", &out);
    assert_int_equal(count(sharc_buf_str(&out), "<rect class=\"h"), 60);
    sharc_buf_clear(&out);
    sharc_sim_svg_bars(m.results, STRATEGIES, SHARC_SIM_INCOHERENCE, "bars", &out);
    assert_int_equal(count(sharc_buf_str(&out), "rx=\"2\""), STRATEGIES);
    sharc_sim_site_free(m.site);
}

static void pictures_become_files(void **state)
{
    (void)state;
    struct made m;
    make(&m);
    char *dir = test_mkdir();
    SHARC_AUTO(sharc_freep) char *below = sharc_path_join(dir, "pictures");
    assert_int_equal(sharc_sim_svg_files(m.site, &m.o, m.results, STRATEGIES, below, NULL), 0);
    char **names;
    size_t n;
    assert_int_equal(sharc_dir_list(below, &names, &n, NULL), 0);
    assert_int_equal(n, STRATEGIES + 2);
    sharc_names_free(names, n);
    SHARC_AUTO(sharc_freep) char *one = sharc_path_join(dir, "one.svg");
    assert_int_equal(sharc_sim_svg_files(m.site, &m.o, m.results, 1, one, NULL), 0);
    assert_int_equal(access(one, R_OK), 0);
    struct sharc_err err = SHARC_ERR_INIT;
    assert_true(sharc_sim_svg_files(m.site, &m.o, m.results, 1, "/nonexistent/x.svg", &err) < 0);
    test_rmdir(dir);
    sharc_sim_site_free(m.site);
}

/* The tree-independent columns of the smallest tables, against the papers. */
static void tables_agree_with_the_papers(void **state)
{
    (void)state;
    static const char *const names[] = {"5.14"};
    for (size_t k = 0; k < SHARC_LENGTH(names); k++) {
        size_t i, n;
        assert_int_equal(sharc_sim_table_find(sharc_span_of(names[k]), &i, NULL), 0);
        struct sharc_sim_options o = SHARC_SIM_OPTIONS;
        o.runs = 1;
        SHARC_AUTO(sharc_freep) struct sharc_sim_figure *f = NULL;
        assert_int_equal(sharc_sim_table_run(i, &o, &f, &n, NULL), 0);
        static const char *const columns[] = {"sharc-revisits", "sharc-selective-offline"};
        for (size_t c = 0; c < SHARC_LENGTH(columns); c++) {
            double off = sharc_sim_column_deviation(f, n, columns[c]);
            if (!isnan(off)) assert_close(off, 0, 0.02);
        }
        SHARC_AUTO(sharc_buf_done) struct sharc_buf out = SHARC_BUF_INIT(1u << 20);
        sharc_sim_table_write(f, n, SHARC_SIM_CSV, &out);
        assert_int_equal(count(sharc_buf_str(&out), "\n"), n + 1);
    }
}

static void unknown_tables_are_refused(void **state)
{
    (void)state;
    size_t i;
    struct sharc_err err = SHARC_ERR_INIT;
    assert_int_equal(sharc_sim_table_find(SHARC_SPAN("9.9"), &i, &err), SHARC_ENOENT);
    assert_non_null(strstr(err.text, "5.14"));
    assert_int_equal(sharc_sim_table_find(SHARC_SPAN("4.4"), &i, &err), 0);
    assert_string_equal(sharc_sim_table_name(i), "4.4a");
}

static void csv_and_pictures_say_what_the_experiment_was(void **state)
{
    (void)state;
    struct made m;
    make(&m);
    SHARC_AUTO(sharc_buf_done) struct sharc_buf out = SHARC_BUF_INIT(1u << 20);
    m.o.seed = 77;
    sharc_sim_results_write(m.site, &m.o, m.results, STRATEGIES, NULL, SHARC_SIM_CSV, &out);
    assert_int_equal(count(sharc_buf_str(&out), ",site,pages,from,to,rates,known,seed,runs\n"), 1);
    assert_int_equal(count(sharc_buf_str(&out), ",60,,,oracle,0,77,2\n"), STRATEGIES);
    SHARC_AUTO(sharc_buf_done) struct sharc_buf line = SHARC_BUF_INIT(1u << 10);
    sharc_sim_describe(m.site, &m.o, &line);
    assert_non_null(strstr(sharc_buf_str(&line), ": 60 pages, rates: oracle"));
    assert_non_null(strstr(sharc_buf_str(&line), "seed 77, 2 runs"));
    sharc_sim_site_free(m.site);
}

/* One visit and one revisit cannot expect more than the bound; who looks again is marked. */
static void only_second_looks_may_exceed_the_bound(void **state)
{
    (void)state;
    struct sharc_sim_synthetic shape = SHARC_SIM_SYNTHETIC;
    struct sharc_sim_options o = SHARC_SIM_OPTIONS;
    SHARC_AUTO(sharc_freep) const struct sharc_strategy_ops **ops = NULL;
    struct sharc_sim_site *site = NULL;
    size_t n, marked = 0;
    shape.pages = 300;
    shape.slowdown = 0.01;
    assert_int_equal(sharc_sim_synthetic_new(&shape, &site, NULL), 0);
    assert_int_equal(sharc_sim_strategies_parse(SHARC_SPAN("coherence"), &ops, &n, NULL), 0);
    SHARC_AUTO(sharc_freep) struct sharc_sim_result *results = SHARC_NEW_ARRAY(struct sharc_sim_result, n);
    assert_int_equal(sharc_sim_run(site, ops, n, &o, results, NULL), 0);
    for (size_t i = 0; i < n; i++) {
        if (isnan(results[i].bound)) continue;
        marked += results[i].second_looks.mean > 0;
        if (results[i].second_looks.mean > 0) continue;
        if (results[i].expected_coherence.mean > results[i].bound * (1 + 1e-9))
            fail_msg("%s: %f of %f", ops[i]->name, results[i].expected_coherence.mean, results[i].bound);
    }
    assert_true(marked > 0);
    SHARC_AUTO(sharc_buf_done) struct sharc_buf out = SHARC_BUF_INIT(1u << 20);
    sharc_sim_results_write(site, &o, results, n, NULL, SHARC_SIM_TEXT, &out);
    assert_int_equal(count(sharc_buf_str(&out), "% ¹"), marked);
    assert_int_equal(count(sharc_buf_str(&out), "\n¹ "), 1);
    sharc_sim_site_free(site);
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(csv_and_pictures_say_what_the_experiment_was),
    cmocka_unit_test(only_second_looks_may_exceed_the_bound),
    cmocka_unit_test(every_format_has_every_strategy),
    cmocka_unit_test(json_keeps_its_names),
    cmocka_unit_test(pictures_show_every_page),
    cmocka_unit_test(pictures_become_files),
    cmocka_unit_test(tables_agree_with_the_papers),
    cmocka_unit_test(unknown_tables_are_refused),
};
TEST_MAIN(tests)

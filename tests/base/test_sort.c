/* SPDX-License-Identifier: Apache-2.0 */
#include "test.h"

#include "sharc/base_buf.h"
#include "sharc/base_file.h"
#include "sharc/base_rng.h"
#include "sharc/base_sort.h"

#include <stdio.h>
#include <stdlib.h>

struct seen {
    struct sharc_buf all;
    struct sharc_buf last;
    size_t count;
};

static int see(void *arg, struct sharc_span line, struct sharc_err *reterr)
{
    struct seen *s = arg;
    (void)reterr;
    assert_true(sharc_span_cmp(sharc_buf_span(&s->last), line) < 0);
    sharc_buf_clear(&s->last);
    sharc_buf_put(&s->last, line);
    sharc_buf_put(&s->all, line);
    s->count++;
    return 0;
}

static void seen_done(struct seen *s)
{
    sharc_buf_done(&s->all);
    sharc_buf_done(&s->last);
}
#define SEEN                                                            \
    {                                                                   \
        .all = SHARC_BUF_INIT(1 << 30), .last = SHARC_BUF_INIT(1 << 20) \
    }

static void put(struct sharc_sorter *s, unsigned writer, const char *line)
{
    assert_int_equal(sharc_sorter_put(s, writer, sharc_span_of(line), NULL), 0);
}

static void sorts_by_bytes_and_drops_doubles(void **state)
{
    (void)state;
    SHARC_AUTO(sharc_sorter_freep) struct sharc_sorter *s = sharc_sorter_new("/tmp", 2, 0);
    SHARC_AUTO(seen_done) struct seen seen = SEEN;
    put(s, 0, "b 2\n");
    put(s, 1, "a 1\n");
    put(s, 0, "\xc3\xa4\n");
    put(s, 0, "B\n");
    put(s, 1, "b 2\n");
    put(s, 1, "b 10\n");
    assert_int_equal(sharc_sorter_merge(s, see, &seen, NULL), 0);
    assert_string_equal(sharc_buf_str(&seen.all), "B\na 1\nb 10\nb 2\n\xc3\xa4\n");
}

static void nothing_gives_nothing(void **state)
{
    (void)state;
    SHARC_AUTO(sharc_sorter_freep) struct sharc_sorter *s = sharc_sorter_new("/tmp", 1, 0);
    SHARC_AUTO(seen_done) struct seen seen = SEEN;
    assert_int_equal(sharc_sorter_merge(s, see, &seen, NULL), 0);
    assert_int_equal(seen.count, 0);
}

/* Chunks are 2 MiB at least: enough lines for more runs than one merge takes. */
static void sorts_more_than_memory_holds(void **state)
{
    (void)state;
    enum { LINES = 4600, SIZE = 32000 };
    SHARC_AUTO(sharc_sorter_freep) struct sharc_sorter *s = sharc_sorter_new("/tmp", 2, 0);
    SHARC_AUTO(sharc_freep) char *line = sharc_malloc(SIZE + 2);
    struct sharc_rng rng;
    sharc_rng_init(&rng, 7);
    memset(line, 'x', SIZE);
    memcpy(line + SIZE, "\n", 2);
    for (int i = 0; i < LINES; i++) {
        char key[32];
        int n = snprintf(key, sizeof key, "%010u ", (unsigned)sharc_rng_below(&rng, 1000000000));
        memcpy(line, key, (size_t)n);
        put(s, (unsigned)i % 2, line);
    }
    SHARC_AUTO(seen_done) struct seen seen = SEEN;
    seen.all.max = 0; /* only the order counts */
    assert_int_equal(sharc_sorter_merge(s, see, &seen, NULL), 0);
    assert_true(seen.count > LINES - 5);
}

static bool keeps(void *arg, struct sharc_span line)
{
    (void)arg;
    return sharc_span_search(line, SHARC_SPAN("drop")) == SHARC_NPOS;
}

static void joins_a_sorted_file(void **state)
{
    (void)state;
    char *dir = test_mkdir();
    SHARC_AUTO(sharc_freep) char *path = sharc_path_join(dir, "old.cdxj");
    assert_int_equal(sharc_file_replace(path, SHARC_SPAN("!meta x\na 1\nc 1 drop\nc 2\ne"), NULL), 0);
    SHARC_AUTO(sharc_sorter_freep) struct sharc_sorter *s = sharc_sorter_new(dir, 1, 0);
    SHARC_AUTO(seen_done) struct seen seen = SEEN;
    put(s, 0, "b\n");
    put(s, 0, "c 2\n");
    assert_int_equal(sharc_sorter_join(s, path, keeps, NULL, NULL), 0);
    assert_int_equal(sharc_sorter_merge(s, see, &seen, NULL), 0);
    assert_string_equal(sharc_buf_str(&seen.all), "a 1\nb\nc 2\ne\n");
    test_rmdir(dir);
}

static void refuses_an_unsorted_file(void **state)
{
    (void)state;
    char *dir = test_mkdir();
    SHARC_AUTO(sharc_freep) char *path = sharc_path_join(dir, "old.cdxj");
    assert_int_equal(sharc_file_replace(path, SHARC_SPAN("a\nc\nb\n"), NULL), 0);
    SHARC_AUTO(sharc_sorter_freep) struct sharc_sorter *s = sharc_sorter_new(dir, 1, 0);
    SHARC_AUTO(seen_done) struct seen seen = SEEN;
    struct sharc_err err = SHARC_ERR_INIT;
    assert_int_equal(sharc_sorter_join(s, path, NULL, NULL, NULL), 0);
    assert_int_equal(sharc_sorter_merge(s, see, &seen, &err), SHARC_ECORRUPT);
    assert_non_null(strstr(err.text, "old.cdxj: offset 4"));
    test_rmdir(dir);
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(sorts_by_bytes_and_drops_doubles), cmocka_unit_test(nothing_gives_nothing),
    cmocka_unit_test(sorts_more_than_memory_holds),     cmocka_unit_test(joins_a_sorted_file),
    cmocka_unit_test(refuses_an_unsorted_file),
};
TEST_MAIN(tests)

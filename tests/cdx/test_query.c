/* SPDX-License-Identifier: Apache-2.0 */
#include "test.h"

#include "sharc/base_file.h"
#include "sharc/cdx.h"
#include "sharc/cdx_build.h"

#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>

#define LINE(key, time, url, status, mime)                                               \
    key " " time " {\"url\": \"" url "\", \"mime\": \"" mime "\", \"status\": \"" status \
        "\", \"digest\": \"sha1:A\", \"length\": \"1\", \"offset\": \"2\", \"filename\": \"f.warc.gz\"}\n"

static const char lines[] = LINE("org,example)/", "20100101000000", "http://example.org/", "200", "text/html") /* 0 */
    LINE("org,example)/", "20120101000000", "http://example.org/", "404", "text/html")
        LINE("org,example)/", "20140101000000", "http://www.example.org/", "200", "warc/revisit")
            LINE("org,example)/a", "20110101000000", "http://example.org/a", "200", "image/png")
                LINE("org,example)/a/b", "20110101000000", "http://example.org/a/b", "200", "image/png") /* 4 */
    LINE("org,example)/abc", "20110101000000", "http://example.org/abc", "301", "text/html")
        LINE("org,example,sub)/", "20130101000000", "http://sub.example.org/", "200", "text/html")
            LINE("org,example-not)/", "20130101000000", "http://example-not.org/", "200", "text/html")
                LINE("org,example:8080)/", "20130101000000", "http://example.org:8080/", "200", "text/html"); /* 8 */

static struct sharc_cdx_index *plain(void)
{
    struct sharc_cdx_index *x = sharc_cdx_index_new();
    struct sharc_err err = SHARC_ERR_INIT;
    if (sharc_cdx_index_add_lines(x, "lines", sharc_span_of(lines), SHARC_CDX_CHECK_ALL, &err) < 0)
        fail_msg("%s", err.text);
    return x;
}

/* The results as "timestamp url;", joined. */
static char *ask(const struct sharc_cdx_index *x, const struct sharc_cdx_query *q)
{
    SHARC_AUTO(sharc_cdx_cursor_freep) struct sharc_cdx_cursor *c = NULL;
    SHARC_AUTO(sharc_buf_done) struct sharc_buf out = SHARC_BUF_INIT(1 << 20);
    struct sharc_err err = SHARC_ERR_INIT;
    struct sharc_cdx e;
    int r = sharc_cdx_ask(x, q, &c, &err);
    while (r >= 0 && (r = sharc_cdx_next(c, &e, &err)) > 0)
        sharc_buf_printf(&out, "%.4s %.*s;", e.field[SHARC_CDX_TIMESTAMP].p, SHARC_SPAN_ARG(e.field[SHARC_CDX_URL]));
    if (r < 0) sharc_buf_printf(&out, "error %s", err.text);
    return sharc_strdup(sharc_buf_str(&out));
}

#define assert_answer(want, ...)                                                              \
    do {                                                                                      \
        SHARC_AUTO(sharc_cdx_index_freep) struct sharc_cdx_index *x_ = plain();               \
        SHARC_AUTO(sharc_freep) char *got_ = ask(x_, &(struct sharc_cdx_query){__VA_ARGS__}); \
        assert_string_equal(got_, want);                                                      \
    } while (0)

static void finds_one_url(void **state)
{
    (void)state;
    assert_answer("2010 http://example.org/;2012 http://example.org/;2014 http://www.example.org/;",
                  .url = SHARC_SPAN("https://www.example.org"));
    assert_answer("2011 http://example.org/a;", .url = SHARC_SPAN("example.org/a"));
    assert_answer("", .url = SHARC_SPAN("http://example.org/none"));
    assert_answer("", .url = SHARC_SPAN("http://zzz.org/"));
    assert_answer("", .url = SHARC_SPAN("http://aaa.com/"));
}

static void finds_hosts_with_ports_and_addresses(void **state)
{
    (void)state;
    static const char more[] = LINE("2001:db8::1)/", "20130101000000", "http://[2001:db8::1]/", "200", "text/html")
        LINE("2001:db8::1)/a", "20130101000000", "http://[2001:db8::1]/a", "200", "text/html")
            LINE("[2001:db8::1])/", "20120101000000", "http://[2001:db8::1]/", "200",
                 "text/html") /* as it was written */
        LINE("org,example)/x", "20140101000000", "http://example.org/x", "200", "text/html")
            LINE("org,example:8080)/x", "20130101000000", "http://example.org:8080/x", "200", "text/html");
    static const struct {
        const char *url, *want;
    } cases[] = {
        {"example.org:80/x", "2014 http://example.org/x;"},
        {"example.org:8080/x", "2013 http://example.org:8080/x;"},
        {"example.org:8080/*", "2013 http://example.org:8080/x;"},
        {"http://[2001:DB8::1]/", "2013 http://[2001:db8::1]/;2012 http://[2001:db8::1]/;"},
        {"[2001:db8::1]/*", "2013 http://[2001:db8::1]/;2013 http://[2001:db8::1]/a;2012 http://[2001:db8::1]/;"},
    };
    SHARC_AUTO(sharc_cdx_index_freep) struct sharc_cdx_index *x = sharc_cdx_index_new();
    assert_int_equal(sharc_cdx_index_add_lines(x, "more", sharc_span_of(more), SHARC_CDX_CHECK_ALL, NULL), 0);
    for (size_t i = 0; i < SHARC_LENGTH(cases); i++) {
        SHARC_AUTO(sharc_freep)
        char *got = ask(x, &(struct sharc_cdx_query){.url = sharc_span_of(cases[i].url)});
        assert_string_equal(got, cases[i].want);
    }
}

static void matches_wider(void **state)
{
    (void)state;
    assert_answer("2011 http://example.org/a;2011 http://example.org/a/b;2011 http://example.org/abc;",
                  .url = SHARC_SPAN("example.org/a*"));
    assert_answer("2011 http://example.org/a/b;", .url = SHARC_SPAN("example.org/a/"), .match = SHARC_CDX_PREFIX);
    assert_answer("2010 http://example.org/;2012 http://example.org/;2014 http://www.example.org/;2011 "
                  "http://example.org/a;2011 http://example.org/a/b;2011 http://example.org/abc;",
                  .url = SHARC_SPAN("example.org/anything"), .match = SHARC_CDX_HOST);
    assert_answer("2010 http://example.org/;2012 http://example.org/;2014 http://www.example.org/;2011 "
                  "http://example.org/a;2011 http://example.org/a/b;2011 http://example.org/abc;2013 "
                  "http://sub.example.org/;2013 http://example.org:8080/;",
                  .url = SHARC_SPAN("*.example.org"));
    assert_answer("2013 http://example.org:8080/;2013 http://sub.example.org/;", .url = SHARC_SPAN("*.example.org"),
                  .sort = SHARC_CDX_REVERSE, .limit = 2);
}

static void respects_time(void **state)
{
    (void)state;
    assert_answer("2012 http://example.org/;2014 http://www.example.org/;", .url = SHARC_SPAN("example.org"),
                  .from = SHARC_SPAN("2012"));
    assert_answer("2010 http://example.org/;2012 http://example.org/;", .url = SHARC_SPAN("example.org"),
                  .to = SHARC_SPAN("2012"));
    assert_answer("2012 http://example.org/;", .url = SHARC_SPAN("example.org"), .from = SHARC_SPAN("2011"),
                  .to = SHARC_SPAN("2013"));
    assert_answer("2012 http://example.org/;2010 http://example.org/;", .url = SHARC_SPAN("example.org"),
                  .to = SHARC_SPAN("2013"), .sort = SHARC_CDX_REVERSE);
    assert_answer("2013 http://sub.example.org/;2013 http://example.org:8080/;", .url = SHARC_SPAN("*.example.org"),
                  .from = SHARC_SPAN("2013"), .to = SHARC_SPAN("2013"));
    assert_answer("error from must be up to 17 digits (YYYYMMDDhhmmss), not \"soon\"", .url = SHARC_SPAN("example.org"),
                  .from = SHARC_SPAN("soon"));
}

static void finds_the_closest(void **state)
{
    (void)state;
    assert_answer("2012 http://example.org/;2014 http://www.example.org/;2010 http://example.org/;",
                  .url = SHARC_SPAN("example.org"), .sort = SHARC_CDX_CLOSEST, .closest = SHARC_SPAN("201212"));
    assert_answer("2010 http://example.org/;", .url = SHARC_SPAN("example.org"), .sort = SHARC_CDX_CLOSEST,
                  .closest = SHARC_SPAN("19990101"), .limit = 1);
    assert_answer("2014 http://www.example.org/;2012 http://example.org/;", .url = SHARC_SPAN("example.org"),
                  .sort = SHARC_CDX_CLOSEST, .closest = SHARC_SPAN("2030"), .limit = 2);
    assert_answer("error the closest captures can be asked for one URL only", .url = SHARC_SPAN("example.org/*"),
                  .sort = SHARC_CDX_CLOSEST, .closest = SHARC_SPAN("2030"));
}

static void filters_fields(void **state)
{
    (void)state;
    const char *equal[] = {"=status:200", "!mime:revisit"};
    assert_answer("2010 http://example.org/;", .url = SHARC_SPAN("example.org"), .filters = equal, .filter_count = 2);
    const char *part[] = {"status:0", "!=status:200"};
    assert_answer("2012 http://example.org/;2011 http://example.org/abc;", .url = SHARC_SPAN("*.example.org"),
                  .filters = part, .filter_count = 2);
    const char *regex[] = {"~mime:text/.*|warc", "!~status:[34].."};
    assert_answer("2010 http://example.org/;2014 http://www.example.org/;", .url = SHARC_SPAN("example.org"),
                  .filters = regex, .filter_count = 2);
    const char *bad[] = {"status"};
    assert_answer("error filter \"status\": must be [!][=|~]field:value, as in =status:200", .filters = bad,
                  .filter_count = 1);
}

static void everything_in_order(void **state)
{
    (void)state;
    SHARC_AUTO(sharc_cdx_index_freep) struct sharc_cdx_index *x = plain();
    SHARC_AUTO(sharc_freep) char *all = ask(x, &(struct sharc_cdx_query){.limit = 0});
    SHARC_AUTO(sharc_freep) char *back = ask(x, &(struct sharc_cdx_query){.sort = SHARC_CDX_REVERSE});
    size_t n = 0, m = 0;
    for (const char *p = all; *p; p++) n += *p == ';';
    for (const char *p = back; *p; p++) m += *p == ';';
    assert_int_equal(n, 9);
    assert_int_equal(m, 9);
}

static void asks_several_files_as_one(void **state)
{
    (void)state;
    SHARC_AUTO(sharc_cdx_index_freep) struct sharc_cdx_index *x = sharc_cdx_index_new();
    static const char one[] =
        LINE("a)/", "20100101000000", "http://a/", "200", "x") LINE("a)/", "20140101000000", "http://a/", "200", "x");
    static const char two[] =
        " CDX N b a m s k r M S V g\na)/ 20120101000000 http://a/ text/html 200 A - - 1 2 g.warc\n";
    assert_int_equal(sharc_cdx_index_add_lines(x, "one", sharc_span_of(one), SHARC_CDX_CHECK_SOME, NULL), 0);
    assert_int_equal(sharc_cdx_index_add_lines(x, "two", sharc_span_of(two), SHARC_CDX_CHECK_SOME, NULL), 0);
    SHARC_AUTO(sharc_freep) char *f = ask(x, &(struct sharc_cdx_query){.url = SHARC_SPAN("http://a/")});
    assert_string_equal(f, "2010 http://a/;2012 http://a/;2014 http://a/;");
    SHARC_AUTO(sharc_freep)
    char *r = ask(x, &(struct sharc_cdx_query){.url = SHARC_SPAN("http://a/"), .sort = SHARC_CDX_REVERSE});
    assert_string_equal(r, "2014 http://a/;2012 http://a/;2010 http://a/;");
    SHARC_AUTO(sharc_freep)
    char *c = ask(x, &(struct sharc_cdx_query){.url = SHARC_SPAN("http://a/"),
                                               .sort = SHARC_CDX_CLOSEST,
                                               .closest = SHARC_SPAN("2012"),
                                               .limit = 1});
    assert_string_equal(c, "2012 http://a/;");
}

static void unsorted_is_refused(void **state)
{
    (void)state;
    SHARC_AUTO(sharc_cdx_index_freep) struct sharc_cdx_index *x = sharc_cdx_index_new();
    struct sharc_err err = SHARC_ERR_INIT;
    static const char bad[] = "b)/ 20100101000000 {}\na)/ 20100101000000 {}\n";
    assert_int_equal(sharc_cdx_index_add_lines(x, "bad", sharc_span_of(bad), SHARC_CDX_CHECK_SOME, &err),
                     SHARC_ECORRUPT);
    assert_non_null(strstr(err.text, "bad: offset 22: not sorted"));
    assert_int_equal(err.offset, 22);
}

/* --- ZipNum: the same answers from blocks of every size ------------------ */

struct zipnum {
    struct sharc_buf data, idx;
};

static int put_data(void *arg, struct sharc_span b, struct sharc_err *reterr)
{
    (void)reterr;
    return sharc_buf_put(&((struct zipnum *)arg)->data, b);
}

static int put_idx(void *arg, struct sharc_span b, struct sharc_err *reterr)
{
    (void)reterr;
    return sharc_buf_put(&((struct zipnum *)arg)->idx, b);
}

static void pack(struct zipnum *z, struct sharc_span all, unsigned block)
{
    SHARC_AUTO(sharc_zipnum_freep) struct sharc_zipnum *w = sharc_zipnum_new("i.cdx.gz", block, put_data, put_idx, z);
    while (all.n) {
        size_t n = sharc_span_find(all, '\n', 0) + 1;
        assert_int_equal(sharc_zipnum_line(w, sharc_span_sub(all, 0, n), NULL), 0);
        all = sharc_span_from(all, n);
    }
    assert_int_equal(sharc_zipnum_finish(w, NULL), 0);
}

static void blocks_answer_alike(void **state)
{
    (void)state;
    static const struct sharc_cdx_query questions[] = {
        {.url = {"example.org", 11}},
        {.url = {"example.org/a*", 14}},
        {.url = {"*.example.org", 13}},
        {.url = {"*.example.org", 13}, .sort = SHARC_CDX_REVERSE},
        {.url = {"example.org", 11}, .sort = SHARC_CDX_CLOSEST, .closest = {"2011", 4}},
        {.url = {"example.org", 11}, .from = {"2011", 4}, .to = {"2013", 4}, .sort = SHARC_CDX_REVERSE},
        {.url = {"zzz.org", 7}},
        {.url = {"aaa.com", 7}, .sort = SHARC_CDX_REVERSE},
        {.limit = 0},
        {.sort = SHARC_CDX_REVERSE},
    };
    SHARC_AUTO(sharc_cdx_index_freep) struct sharc_cdx_index *flat = plain();
    for (unsigned block = 1; block <= 10; block++) {
        struct zipnum z = {SHARC_BUF_INIT(1 << 20), SHARC_BUF_INIT(1 << 20)};
        struct sharc_err err = SHARC_ERR_INIT;
        pack(&z, sharc_span_of(lines), block);
        struct sharc_cdx_index *x = sharc_cdx_index_new();
        if (sharc_cdx_index_add_zipnum(x, "i.idx", sharc_buf_span(&z.idx), sharc_buf_span(&z.data), SHARC_CDX_CHECK_ALL,
                                       &err) < 0)
            fail_msg("%s", err.text);
        for (size_t i = 0; i < SHARC_LENGTH(questions); i++) {
            SHARC_AUTO(sharc_freep) char *want = ask(flat, &questions[i]);
            SHARC_AUTO(sharc_freep) char *got = ask(x, &questions[i]);
            assert_string_equal(got, want);
        }
        sharc_cdx_index_free(x);
        sharc_buf_done(&z.data);
        sharc_buf_done(&z.idx);
    }
}

/* The other ZipNum form, with tabs, from files. */
static void reads_blocks_from_files(void **state)
{
    (void)state;
    char *dir = test_mkdir();
    struct zipnum z = {SHARC_BUF_INIT(1 << 20), SHARC_BUF_INIT(1 << 20)};
    pack(&z, sharc_span_of(lines), 100);
    SHARC_AUTO(sharc_freep) char *data = sharc_path_join(dir, "part-0.gz"), *idx = sharc_path_join(dir, "all.idx");
    SHARC_AUTO(sharc_freep) char *text = sharc_asprintf("org,example)/ 20100101000000\tpart-0\t0\t%zu\t1\n", z.data.n);
    assert_int_equal(sharc_file_replace(data, sharc_buf_span(&z.data), NULL), 0);
    assert_int_equal(sharc_file_replace(idx, sharc_span_of(text), NULL), 0);
    SHARC_AUTO(sharc_cdx_index_freep) struct sharc_cdx_index *x = sharc_cdx_index_new(), *y = sharc_cdx_index_new();
    struct sharc_err err = SHARC_ERR_INIT;
    if (sharc_cdx_index_add(x, idx, SHARC_CDX_CHECK_ALL, &err) < 0) fail_msg("%s", err.text);
    SHARC_AUTO(sharc_freep) char *got = ask(x, &(struct sharc_cdx_query){.url = SHARC_SPAN("example.org/a")});
    assert_string_equal(got, "2011 http://example.org/a;");
    /* A gzip index without its small file is unpacked. */
    SHARC_AUTO(sharc_freep) char *whole = sharc_path_join(dir, "w.cdxj.gz");
    assert_int_equal(sharc_file_replace(whole, sharc_buf_span(&z.data), NULL), 0);
    if (sharc_cdx_index_add(y, whole, SHARC_CDX_CHECK_ALL, &err) < 0) fail_msg("%s", err.text);
    SHARC_AUTO(sharc_freep) char *again = ask(y, &(struct sharc_cdx_query){.url = SHARC_SPAN("example.org/a")});
    assert_string_equal(again, got);
    sharc_buf_done(&z.data);
    sharc_buf_done(&z.idx);
    test_rmdir(dir);
}

/* pywb keeps the places of the data files in a .loc beside the .idx; @ is the directory. */
static void check_loc(const char *loc, const char *complaint)
{
    char *dir = test_mkdir();
    struct zipnum z = {SHARC_BUF_INIT(1 << 20), SHARC_BUF_INIT(1 << 20)};
    pack(&z, sharc_span_of(lines), 100);
    SHARC_AUTO(sharc_freep) char *below = sharc_path_join(dir, "data"), *idx = sharc_path_join(dir, "all.idx");
    SHARC_AUTO(sharc_freep) char *data = sharc_path_join(dir, "data/first.gz"), *locs = sharc_path_join(dir, "all.loc");
    SHARC_AUTO(sharc_freep) char *text = sharc_asprintf("org,example)/ 20100101000000\tpart-0\t0\t%zu\t1\n", z.data.n);
    SHARC_AUTO(sharc_buf_done) struct sharc_buf places = SHARC_BUF_INIT(1 << 16);
    for (; *loc; loc++)
        if (*loc == '@')
            sharc_buf_put_str(&places, dir);
        else
            sharc_buf_put_char(&places, *loc);
    assert_int_equal(mkdir(below, 0700), 0);
    assert_int_equal(sharc_file_replace(data, sharc_buf_span(&z.data), NULL), 0);
    assert_int_equal(sharc_file_replace(idx, sharc_span_of(text), NULL), 0);
    assert_int_equal(sharc_file_replace(locs, sharc_buf_span(&places), NULL), 0);
    SHARC_AUTO(sharc_cdx_index_freep) struct sharc_cdx_index *x = sharc_cdx_index_new();
    struct sharc_err err = SHARC_ERR_INIT;
    int r = sharc_cdx_index_add(x, idx, SHARC_CDX_CHECK_ALL, &err);
    if (complaint) {
        assert_int_equal(r, SHARC_ENOENT);
        assert_non_null(strstr(err.text, complaint));
    } else {
        if (r < 0) fail_msg("%s", err.text);
        SHARC_AUTO(sharc_freep) char *got = ask(x, &(struct sharc_cdx_query){.url = SHARC_SPAN("example.org/a")});
        assert_string_equal(got, "2011 http://example.org/a;");
    }
    sharc_buf_done(&z.data);
    sharc_buf_done(&z.idx);
    test_rmdir(dir);
}

static void a_loc_says_where_the_blocks_are(void **state)
{
    (void)state;
    check_loc("other\t/nowhere\npart-0\tdata/first.gz\n", NULL);
    check_loc("part-0\t@/data/first.gz\n", NULL);
    check_loc("part-0\tfile://@/data/first.gz\r\n", NULL);
    check_loc("part-0\t/nowhere/x.gz\thttp://a.example/x\tdata/first.gz\n", NULL);
    check_loc("part-0\thttp://a.example/x.gz\n", "are not fetched");
    check_loc("part-0\t/nowhere/x.gz\n", "at none of the places");
    check_loc("part-1\tdata/first.gz\n", "is not beside it");
}

static void broken_blocks_are_named(void **state)
{
    (void)state;
    static const char *const idx[] = {
        "org,example)/ 20100101000000 {\"offset\": 5, \"length\": 10000000}\n",
        "org,example)/ 20100101000000 {\"offset\": 0, \"length\": 7}\n",
        "org,example)/ 20100101000000 what\n",
        "org,example)/ 20100101000000\tother\t0\tx\t1\n",
    };
    struct zipnum z = {SHARC_BUF_INIT(1 << 20), SHARC_BUF_INIT(1 << 20)};
    pack(&z, sharc_span_of(lines), 100);
    for (size_t i = 0; i < SHARC_LENGTH(idx); i++) {
        SHARC_AUTO(sharc_cdx_index_freep) struct sharc_cdx_index *x = sharc_cdx_index_new();
        struct sharc_err err = SHARC_ERR_INIT;
        assert_int_equal(sharc_cdx_index_add_zipnum(x, "i.idx", sharc_span_of(idx[i]), sharc_buf_span(&z.data),
                                                    SHARC_CDX_CHECK_ALL, &err),
                         SHARC_ECORRUPT);
        assert_non_null(strstr(err.text, "i.idx: offset 0"));
    }
    sharc_buf_done(&z.data);
    sharc_buf_done(&z.idx);
}

/* Against a plain scan, on many lines: the search must find exactly what is there. */
static void agrees_with_a_scan(void **state)
{
    (void)state;
    SHARC_AUTO(sharc_buf_done) struct sharc_buf b = SHARC_BUF_INIT(1 << 24);
    for (int i = 0; i < 2000; i++)
        for (int k = 0; k < 1 + i % 3; k++)
            sharc_buf_printf(&b, "org,h%05d)/ %04d0101000000 {\"url\": \"http://h%05d.org/\"%*s}\n", i, 2000 + k, i,
                             i % 50, "");
    SHARC_AUTO(sharc_cdx_index_freep) struct sharc_cdx_index *x = sharc_cdx_index_new();
    assert_int_equal(sharc_cdx_index_add_lines(x, "many", sharc_buf_span(&b), SHARC_CDX_CHECK_ALL, NULL), 0);
    for (int i = 0; i < 2000; i += 7) {
        char url[40];
        snprintf(url, sizeof url, "http://h%05d.org/", i);
        SHARC_AUTO(sharc_freep) char *got = ask(x, &(struct sharc_cdx_query){.url = sharc_span_of(url)});
        size_t n = 0;
        for (const char *p = got; *p; p++) n += *p == ';';
        assert_int_equal(n, 1 + i % 3);
        assert_non_null(strstr(got, url));
    }
}

/* Whoever must not wait gets the same entries, and a word in between. */
static void test_turns(void **state)
{
    (void)state;
    SHARC_AUTO(sharc_cdx_index_freep) struct sharc_cdx_index *x = plain();
    const char *const filters[] = {"=status:200"};
    for (uint64_t turn = 1; turn < 12; turn++) {
        struct sharc_cdx_query q = {.filters = filters, .filter_count = 1};
        SHARC_AUTO(sharc_freep) char *want = ask(x, &q);
        q.turn = turn;
        SHARC_AUTO(sharc_cdx_cursor_freep) struct sharc_cdx_cursor *c = NULL;
        SHARC_AUTO(sharc_buf_done) struct sharc_buf out = SHARC_BUF_INIT(1 << 20);
        struct sharc_cdx e;
        int r = sharc_cdx_ask(x, &q, &c, NULL);
        unsigned busy = 0;
        while (r == 0 && (r = sharc_cdx_next(c, &e, NULL)) != 0) {
            busy += r == SHARC_EBUSY;
            if (r > 0)
                sharc_buf_printf(&out, "%.4s %.*s;", e.field[SHARC_CDX_TIMESTAMP].p,
                                 SHARC_SPAN_ARG(e.field[SHARC_CDX_URL]));
            assert_true(r > 0 || r == SHARC_EBUSY);
            r = 0;
        }
        assert_string_equal(sharc_buf_str(&out), want);
        assert_int_equal(busy > 0, turn == 1); /* never two lines in a row are left out here */
    }
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(test_turns),
    cmocka_unit_test(finds_one_url),
    cmocka_unit_test(finds_hosts_with_ports_and_addresses),
    cmocka_unit_test(matches_wider),
    cmocka_unit_test(respects_time),
    cmocka_unit_test(finds_the_closest),
    cmocka_unit_test(filters_fields),
    cmocka_unit_test(everything_in_order),
    cmocka_unit_test(unsorted_is_refused),
    cmocka_unit_test(asks_several_files_as_one),
    cmocka_unit_test(blocks_answer_alike),
    cmocka_unit_test(reads_blocks_from_files),
    cmocka_unit_test(agrees_with_a_scan),
    cmocka_unit_test(a_loc_says_where_the_blocks_are),
    cmocka_unit_test(broken_blocks_are_named),
};
TEST_MAIN(tests)

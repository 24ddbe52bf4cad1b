/* SPDX-License-Identifier: Apache-2.0 */
#include "test.h"

#include "sharc/warc_own.h"

#include <math.h>

/* Feed written lines to a reader, as whoever reads a record does. */
static size_t each_line(struct sharc_span block, bool (*read)(void *arg, struct sharc_span, struct sharc_span),
                        void *arg)
{
    struct sharc_span line;
    size_t n = 0;
    while (sharc_span_next(&block, '\n', &line)) {
        if (!line.n) continue;
        size_t colon = sharc_span_find(line, ':', 0);
        assert_true(colon != SHARC_NPOS);
        assert_true(read(arg, sharc_span_sub(line, 0, colon), sharc_span_trim(sharc_span_from(line, colon + 1))));
        n++;
    }
    return n;
}

static bool read_fetch(void *arg, struct sharc_span name, struct sharc_span value)
{
    return sharc_own_fetch_read(arg, name, value);
}

static bool read_info(void *arg, struct sharc_span name, struct sharc_span value)
{
    return sharc_own_info_read(arg, name, value);
}

/* Values that differ from "unknown" in every field: one that is forgotten somewhere shows. */
static void fill_TIME(sharc_time *m, int n)
{
    *m = 1700000000123456 + n;
}
static void fill_KIND(enum sharc_own_kind *m, int n)
{
    (void)n;
    *m = SHARC_OWN_REVISIT;
}
static void fill_WHOLE(int64_t *m, int n)
{
    *m = INT64_MAX - n;
}
static void fill_REAL(double *m, int n)
{
    *m = 1.0 / (3 + n);
}
static void fill_FLAG(bool *m, int n)
{
    (void)n;
    *m = true;
}
static void fill_WORD(struct sharc_span *m, int n)
{
    static const char *const words[] = {"one", "two words", "http://proxy:3128", "a:1:b:2", "\xc3\xa9t\xc3\xa9"};
    *m = sharc_span_of(words[n % 5]);
}
#define fill_SITE fill_WORD

static bool same_TIME(sharc_time a, sharc_time b)
{
    return a == b;
}
static bool same_KIND(enum sharc_own_kind a, enum sharc_own_kind b)
{
    return a == b;
}
static bool same_WHOLE(int64_t a, int64_t b)
{
    return a == b;
}
static bool same_REAL(double a, double b)
{
    return (isnan(a) && isnan(b)) || (!(a < b) && !(a > b) && !isnan(a) && !isnan(b));
}
static bool same_FLAG(bool a, bool b)
{
    return a == b;
}
static bool same_WORD(struct sharc_span a, struct sharc_span b)
{
    return sharc_span_eq(a, b);
}
#define same_SITE same_WORD

#define FILL(type, member, field) fill_##type(&x.member, n++);
#define SAME(type, member, field) \
    if (!same_##type(x.member, y.member)) fail_msg(field " did not come back: %s", sharc_buf_str(&out));
#define COUNT(type, member, field) n++;

static void every_field_of_a_download_comes_back(void **state)
{
    (void)state;
    SHARC_AUTO(sharc_buf_done) struct sharc_buf out = SHARC_BUF_INIT(1 << 16);
    struct sharc_own_fetch x, y;
    int n = 0;
    sharc_own_fetch_init(&x);
    sharc_own_fetch_init(&y);
    SHARC_OWN_FETCH(FILL)
    sharc_own_fetch_put(&x, &out);
    assert_int_equal(each_line(sharc_buf_span(&out), read_fetch, &y), n);
    SHARC_OWN_FETCH(SAME)
    assert_true(y.ours);
}

static void every_field_of_a_file_comes_back(void **state)
{
    (void)state;
    SHARC_AUTO(sharc_buf_done) struct sharc_buf out = SHARC_BUF_INIT(1 << 16);
    struct sharc_own_info x, y;
    int n = 0;
    sharc_own_info_init(&x);
    sharc_own_info_init(&y);
    SHARC_OWN_INFO(FILL)
    sharc_own_info_put(&x, &out);
    assert_int_equal(each_line(sharc_buf_span(&out), read_info, &y), n);
    SHARC_OWN_INFO(SAME)
}

static void what_is_unknown_stays_unknown(void **state)
{
    (void)state;
    SHARC_AUTO(sharc_buf_done) struct sharc_buf out = SHARC_BUF_INIT(1 << 16);
    {
        struct sharc_own_fetch x, y;
        sharc_own_fetch_init(&x);
        sharc_own_fetch_init(&y);
        sharc_own_fetch_put(&x, &out);
        assert_string_equal(sharc_buf_str(&out), "sharc-kind: visit\r\n");
        each_line(sharc_buf_span(&out), read_fetch, &y);
        SHARC_OWN_FETCH(SAME)
    }
    sharc_buf_clear(&out);
    {
        struct sharc_own_info x, y;
        sharc_own_info_init(&x);
        sharc_own_info_init(&y);
        sharc_own_info_put(&x, &out);
        assert_string_equal(sharc_buf_str(&out), "isPartOf: several sites\r\n");
        each_line(sharc_buf_span(&out), read_info, &y);
        SHARC_OWN_INFO(SAME)
    }
}

static void numbers_keep_their_last_digit(void **state)
{
    (void)state;
    static const double numbers[] = {0, 1e-300, 5e-324, 1.0 / 3, 123456789.123456789, 1.7976931348623157e308};
    for (size_t i = 0; i < SHARC_LENGTH(numbers); i++) {
        SHARC_AUTO(sharc_buf_done) struct sharc_buf out = SHARC_BUF_INIT(1 << 16);
        struct sharc_own_fetch x, y;
        sharc_own_fetch_init(&x);
        sharc_own_fetch_init(&y);
        x.rate = numbers[i];
        sharc_own_fetch_put(&x, &out);
        each_line(sharc_buf_span(&out), read_fetch, &y);
        SHARC_OWN_FETCH(SAME)
    }
}

static void every_kind_has_its_word(void **state)
{
    (void)state;
    static const enum sharc_own_kind kinds[] = {
#define X(name, word) SHARC_OWN_##name,
        SHARC_OWN_KINDS(X)
#undef X
    };
    for (size_t i = 0; i < SHARC_LENGTH(kinds); i++) {
        SHARC_AUTO(sharc_buf_done) struct sharc_buf out = SHARC_BUF_INIT(1 << 16);
        struct sharc_own_fetch x, y;
        sharc_own_fetch_init(&x);
        sharc_own_fetch_init(&y);
        x.kind = kinds[i];
        sharc_own_fetch_put(&x, &out);
        each_line(sharc_buf_span(&out), read_fetch, &y);
        assert_int_equal(y.kind, kinds[i]);
    }
}

static void nonsense_changes_nothing(void **state)
{
    (void)state;
    struct sharc_own_fetch f;
    sharc_own_fetch_init(&f);
    assert_true(sharc_own_fetch_read(&f, SHARC_SPAN("Sharc-Rate"), SHARC_SPAN("2.5")));
    assert_true(sharc_own_fetch_read(&f, SHARC_SPAN("sharc-rate"), SHARC_SPAN("-1")));
    assert_true(sharc_own_fetch_read(&f, SHARC_SPAN("sharc-rate"), SHARC_SPAN("nan")));
    assert_true(sharc_own_fetch_read(&f, SHARC_SPAN("sharc-rate"), SHARC_SPAN("fast")));
    assert_close(f.rate, 2.5, 0);
    sharc_own_fetch_read(&f, SHARC_SPAN("sharc-slot"), SHARC_SPAN("99999999999999999999"));
    sharc_own_fetch_read(&f, SHARC_SPAN("sharc-slot"), SHARC_SPAN("-3"));
    assert_true(f.slot == -1);
    sharc_own_fetch_read(&f, SHARC_SPAN("sharc-capture"), SHARC_SPAN("yesterday"));
    assert_true(f.capture == SHARC_TIME_NONE);
    assert_false(f.ours);
    sharc_own_fetch_read(&f, SHARC_SPAN("sharc-kind"), SHARC_SPAN("holiday"));
    assert_true(f.ours);
    assert_int_equal(f.kind, SHARC_OWN_VISIT);
    assert_false(sharc_own_fetch_read(&f, SHARC_SPAN("via"), SHARC_SPAN("http://a/")));
    assert_false(sharc_own_fetch_read(&f, SHARC_SPAN("sharc-strategy"), SHARC_SPAN("bfs")));
}

/* A value must not become two lines. */
static void a_line_break_is_not_written(void **state)
{
    (void)state;
    SHARC_AUTO(sharc_buf_done) struct sharc_buf out = SHARC_BUF_INIT(1 << 16);
    struct sharc_own_info i;
    sharc_own_info_init(&i);
    i.site = SHARC_SPAN("example.org");
    i.proxy = SHARC_SPAN("http://p:1\r\nsharc-purpose: evidence");
    i.delay = SHARC_SPAN("1\n2");
    sharc_own_info_put(&i, &out);
    assert_string_equal(sharc_buf_str(&out), "isPartOf: example.org\r\n");
}

static void record_ids_go_both_ways(void **state)
{
    (void)state;
    uint8_t id[16], back[16];
    char text[SHARC_WARC_ID_TEXT];
    for (size_t i = 0; i < sizeof id; i++) id[i] = (uint8_t)(0xf0 - 15 * i);
    sharc_warc_id_text(id, text);
    assert_string_equal(text, "<urn:uuid:f0e1d2c3-b4a5-9687-7869-5a4b3c2d1e0f>");
    assert_true(sharc_warc_id_read(sharc_span_of(text), back));
    assert_memory_equal(id, back, sizeof id);
    assert_true(sharc_warc_id_read(SHARC_SPAN("urn:uuid:F0E1D2C3-B4A5-9687-7869-5A4B3C2D1E0F"), back));
    assert_memory_equal(id, back, sizeof id);
    static const char *const others[] = {"",
                                         "<>",
                                         "<urn:uuid:>",
                                         "<urn:uuid:f0e1d2c3-b4a5-9687-7869-5a4b3c2d1e0>",
                                         "<urn:uuid:f0e1d2c3-b4a5-9687-7869-5a4b3c2d1e0f0>",
                                         "<urn:uuid:f0e1d2c3xb4a5-9687-7869-5a4b3c2d1e0f>",
                                         "<urn:uuid:f0e1d2c3-b4a5-9687-7869-5a4b3c2d1e-f>",
                                         "<urn:sha1:f0e1d2c3-b4a5-9687-7869-5a4b3c2d1e0f>"};
    for (size_t i = 0; i < SHARC_LENGTH(others); i++) {
        memset(back, 7, sizeof back);
        assert_false(sharc_warc_id_read(sharc_span_of(others[i]), back));
        assert_int_equal(back[0], 7);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_field_of_a_download_comes_back),
        cmocka_unit_test(every_field_of_a_file_comes_back),
        cmocka_unit_test(what_is_unknown_stays_unknown),
        cmocka_unit_test(numbers_keep_their_last_digit),
        cmocka_unit_test(every_kind_has_its_word),
        cmocka_unit_test(nonsense_changes_nothing),
        cmocka_unit_test(a_line_break_is_not_written),
        cmocka_unit_test(record_ids_go_both_ways),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

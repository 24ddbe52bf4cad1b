/* SPDX-License-Identifier: Apache-2.0
 *
 * Files of other tools: what they write otherwise than the standard says, and that
 * nothing sound in them is lost. The samples are made here, in their manner.
 */
#include "warc_test.h"

#include "sharc/base_file.h"
#include "sharc/warc_export.h"

#define BUF(name) SHARC_AUTO(sharc_buf_done) struct sharc_buf name = SHARC_BUF_INIT(1 << 20)

/* node-warc puts one line end behind a block, others none. */
static void line_ends_may_be_missing(void **state)
{
    (void)state;
    BUF(b);
    for (int run = 0; run < 4; run++) {
        int lenient = run % 2, missing = run < 2 ? 2 : 4;
        sharc_buf_clear(&b);
        for (int i = 0; i < 3; i++) {
            put_record(&b, "response", AS_RESPONSE, SHARC_SPAN(HTTP_OK "text"));
            b.n -= (size_t)missing;
        }
        struct walk k;
        walk_bytes(sharc_buf_span(&b), &(struct sharc_warc_options){.lenient = lenient}, &k);
        if (k.result != 0) fail_msg("%s", k.err.text);
        assert_string_equal(k.types, "rrr");
        assert_int_equal(k.stats.damaged, 0);
        assert_int_equal(k.stats.warnings, 3);
        for (int i = 0; i < 3; i++) assert_true(k.lengths[i] > 0);
    }
    /* but a length that is too small by a line end inside the text is not */
    sharc_buf_clear(&b);
    put_record(&b, "response", AS_RESPONSE, SHARC_SPAN(HTTP_OK "text"));
    size_t end = b.n;
    put_record(&b, "response", AS_RESPONSE, SHARC_SPAN(HTTP_OK "text"));
    memmove(b.p + end - 3, b.p + end, b.n - end);
    b.n -= 3;
    struct walk k;
    walk_bytes(sharc_buf_span(&b), NULL, &k);
    assert_int_equal(k.result, SHARC_ESYNTAX);
}

#define ARC_HEAD "1 0 Alexa Internet\nURL IP-address Archive-date Content-type Archive-length\n"
#define ARC_BODY "HTTP/1.0 200 Document follows\r\nContent-type: text/html\r\n\r\nhi\n"

/* An ARC in the form of the specification's example, with this head line in the middle. */
static void check_arc(const char *middle, const char *target, const char *types)
{
    BUF(b);
    struct walk k;
    sharc_buf_printf(&b, "filedesc://IA-001102.arc 0 19960923142103 text/plain %zu\n" ARC_HEAD "\n", strlen(ARC_HEAD));
    sharc_buf_printf(&b, "%s %zu\n" ARC_BODY "\n", middle, strlen(ARC_BODY));
    sharc_buf_printf(&b, "http://www.dryswamp.example:80/ 127.10.100.2 19961104142103 text/html %zu\n" ARC_BODY "\n",
                     strlen(ARC_BODY));
    for (int lenient = 0; lenient < 2; lenient++) {
        walk_bytes(sharc_buf_span(&b), &(struct sharc_warc_options){.lenient = lenient}, &k);
        if (k.result != 0) fail_msg("%s: %s", middle, k.err.text);
        assert_string_equal(k.types, types);
        assert_string_equal(k.targets[1], target);
        assert_string_equal(k.targets[2], "http://www.dryswamp.example:80/");
        assert_int_equal(k.stats.damaged, 0);
    }
}

static void arc_addresses_may_be_anything(void **state)
{
    (void)state;
    check_arc("http://a.example/ 0 19961104142103 text/html", "http://a.example/", "wrr");
    check_arc("http://a.example/ - 19961104142103 text/html", "http://a.example/", "wrr");
    check_arc("http://a.example/ unknown 19961104142103 text/html", "http://a.example/", "wrr");
    check_arc("http://a.example/ www.a.example 19961104142103 no-type", "http://a.example/", "wrr");
    check_arc("http://a.example/x y 1.2.3.4 19961104142103 text/html; charset=utf-8", "http://a.example/x%20y", "wrr");
    check_arc("http://a.example/ 0 19961104142103 text/html 200 - - 0 x.arc", "http://a.example/", "wrr");
    check_arc("x-shop+v1.0:4711 0 19961104142103 text/html", "x-shop+v1.0:4711", "wsr");
    check_arc("www.a.example/page 1.2.3.4 19961104142103 text/html", "www.a.example/page", "wsr");
}

/* ClueWeb09: the day of the year stands where the day of the month belongs. */
static void check_date(const char *text, const char *want)
{
    BUF(b);
    sharc_buf_printf(&b,
                     "WARC/0.18\nWARC-Type: response\nWARC-Target-URI: http://a.example/\nWARC-Date: %s\n"
                     "WARC-Record-ID: <urn:uuid:1>\nContent-Length: 0\n\n\n\n",
                     text);
    struct sharc_warc *w = NULL;
    struct sharc_record rec;
    char iso[SHARC_TIME_TEXT] = "";
    assert_int_equal(sharc_warc_open_bytes(sharc_buf_span(&b), NULL, &w, NULL), 0);
    assert_int_equal(sharc_warc_next(w, &rec, NULL), 1);
    if (rec.date != SHARC_TIME_NONE) sharc_time_iso(rec.date, 0, iso);
    assert_string_equal(iso, want);
    sharc_warc_close(w);
}

static void dates_by_the_day_of_the_year_are_read(void **state)
{
    (void)state;
    check_date("2009-03-65T08:43:19-0800", "2009-03-06T16:43:19Z");
    check_date("2009-01-13T08:43:19-0800", "2009-01-13T16:43:19Z");
    check_date("2009-02-59T23:43:19-0800", "2009-03-01T07:43:19Z");
    check_date("2008-12-366T00:00:00+0000", "2008-12-31T00:00:00Z");
    check_date("2009-12-366T00:00:00+0000", ""); /* no such day */
    check_date("2009-04-65T08:43:19-0800", "");  /* day 65 is in March */
    check_date("2009-02-30T08:43:19-0800", "");
    check_date("2009-03-65T08:43:19 yesterday", "");
    check_date("yesterday", "");
}

static int count_row(void *arg, struct sharc_record *rec, const char *file, struct sharc_err *reterr)
{
    struct sharc_warc_row row;
    int r = sharc_warc_row(rec, file, &row, reterr);
    *(int *)arg += r == 0;
    return r;
}

/* A cut block must not cost the records before it, nor the other files. */
static void a_cut_file_does_not_end_a_lenient_walk(void **state)
{
    (void)state;
    char *dir = test_mkdir();
    BUF(b);
    put_record(&b, "response", AS_RESPONSE, SHARC_SPAN(HTTP_OK "one"));
    put_record(&b, "response", AS_RESPONSE, SHARC_SPAN(HTTP_OK "two"));
    SHARC_AUTO(sharc_freep) char *cut = sharc_path_join(dir, "a.warc"), *whole = sharc_path_join(dir, "b.warc");
    SHARC_AUTO(sharc_freep) char *to = sharc_path_join(dir, "c.warc.gz");
    assert_int_equal(sharc_file_replace(cut, sharc_span_sub(sharc_buf_span(&b), 0, b.n - 8), NULL), 0);
    assert_int_equal(sharc_file_replace(whole, sharc_buf_span(&b), NULL), 0);
    const char *in[] = {cut, whole};
    struct sharc_warc_selection s = {.from = SHARC_TIME_NONE, .to = SHARC_TIME_NONE};
    struct sharc_warc_selected done;
    int rows = 0;
    assert_int_equal(sharc_warc_select(in, 2, &s, count_row, &rows, &done, NULL), SHARC_ETRUNC);
    s.lenient = true;
    rows = 0;
    assert_int_equal(sharc_warc_select(in, 2, &s, count_row, &rows, &done, NULL), 0);
    assert_int_equal(rows, 3);
    assert_int_equal(done.chosen, 3);
    assert_int_equal(done.left_out, 1);
    assert_int_equal(done.files, 2);
    assert_int_equal(sharc_warc_merge(to, in, 2, &s, &(struct sharc_warc_merge){.now = 0}, &done, NULL), 0);
    assert_int_equal(done.chosen, 3);
    assert_int_equal(done.left_out, 1);
    test_rmdir(dir);
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(line_ends_may_be_missing),
    cmocka_unit_test(arc_addresses_may_be_anything),
    cmocka_unit_test(dates_by_the_day_of_the_year_are_read),
    cmocka_unit_test(a_cut_file_does_not_end_a_lenient_walk),
};
TEST_MAIN(tests)

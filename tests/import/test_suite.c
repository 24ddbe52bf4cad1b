/* SPDX-License-Identifier: Apache-2.0
 *
 * The files of warcio's own tests: which rows they give.
 */
#include "import_test.h"

static const struct {
    const char *file;
    bool lenient;
    const char *rows; /* "URL status type offset+length [revisit offset+length];" */
} cases[] = {
    {"example.warc", false, "http://example.com/ 200 text/html 1197+1365 revisit 3370+942;"},
    {"example.warc.gz", false, "http://example.com/ 200 text/html 784+1228 revisit 2621+586;"},
    {"example.arc", false, "http://example.com/ 200 text/html 151+1656;"},
    {"example.arc.gz", false, "http://example.com/ 200 text/html 171+856;"},
    {"example-iana.org-chunked.warc", false, "http://www.iana.org/ 200 text/html 405+7970;"},
    {"example-resource.warc.gz", false, "http://example.com/ 0 text/html 802+977;"},
    {"example-space-in-target-uri.warc.gz", false, "file:///example%20with%20spaces.png 0 image/png 241+342;"},
    {"example-space-in-url.arc", true,
     "http://example.com/index.cfm?FuseAction=Email&EmailTitle=Examples%20From%20The%20Live%20Web&IsPopUp=False 200 "
     "text/html 151+0;"}, /* 12 bytes are missing at its end */
    {"example-wget-bad-target-uri.warc.gz", false, "http://example.com/ 200 text/html 824+1154;"},
    {"post-test.warc.gz", false,
     "http://httpbin.org/post 200 application/json 1196+723;"
     "http://httpbin.org/post?foo=bar 200 application/json 2395+723;"},
    {"example-digest.warc", false, ""},
    /* All records in one member: none can be opened by its offset. */
    {"example-bad-non-chunked.warc.gz", true, "http://example.com/ 200 text/html 0+0 revisit 0+0;"},
};

static void append_place(struct sharc_buf *b, const struct sharc_store_place *p)
{
    sharc_buf_printf(b, "%d+%d", (int)p->offset, (int)p->length);
}

static void list_pages(struct sharc_store *s, struct sharc_buf *b)
{
    struct sharc_store_rows *rows = NULL;
    struct sharc_err err = SHARC_ERR_INIT;
    struct sharc_store_page_filter f = {.capture = 0, .looks = true};
    sharc_store_id capture;
    if (sharc_store_capture_find(s, SHARC_SPAN("latest"), &capture, &err) < 0) return;
    f.capture = capture;
    int r = sharc_store_pages(s, &f, &rows, &err);
    while (r >= 0 && (r = sharc_store_rows_next(rows, &err)) > 0) {
        struct sharc_store_page p;
        sharc_store_read_page(rows, &p);
        sharc_buf_printf(b, "%.*s %d %.*s ", SHARC_SPAN_ARG(p.url), p.visit.status, SHARC_SPAN_ARG(p.mime));
        append_place(b, &p.visit.place);
        if (p.revisit.when != SHARC_TIME_NONE) {
            sharc_buf_put_str(b, " revisit ");
            append_place(b, &p.revisit.place);
        }
        sharc_buf_put_char(b, ';');
    }
    if (r < 0) fail_msg("%s", err.text);
    sharc_store_rows_free(rows);
}

static void warcio_files_give_their_rows(void **state)
{
    (void)state;
    (void)test_shared_or_skip("suites/warcio/data"); /* before anything is allocated */
    for (size_t i = 0; i < SHARC_LENGTH(cases); i++) {
        SHARC_AUTO(sharc_freep) char *below = sharc_asprintf("suites/warcio/data/%s", cases[i].file);
        const char *path = test_shared_or_skip(below);
        struct sharc_store *store = NULL;
        struct sharc_err err = SHARC_ERR_INIT;
        struct sharc_import_options o = {.lenient = cases[i].lenient};
        SHARC_AUTO(sharc_import_result_done) struct sharc_import_result r = {0};
        SHARC_AUTO(sharc_buf_done) struct sharc_buf got = SHARC_BUF_INIT(1 << 20);
        assert_int_equal(sharc_store_open("memory:", NULL, &store, &err), 0);
        if (sharc_import(store, &path, 1, &o, &r, &err) < 0) fail_msg("%s: %s", cases[i].file, err.text);
        list_pages(store, &got);
        if (strcmp(sharc_buf_str(&got), cases[i].rows) != 0)
            fail_msg("%s: got \"%s\", wanted \"%s\"", cases[i].file, sharc_buf_str(&got), cases[i].rows);
        sharc_store_free(store);
    }
}

/* Strict: one sentence; lenient: counted, never a crash. */
static void broken_files_are_refused_or_counted(void **state)
{
    (void)state;
    (void)test_shared_or_skip("suites/warcio/data");
    static const char *const files[] = {"example-bad-non-chunked.warc.gz", "example-bad.warc.gz.bad",
                                        "example-wrong-chunks.warc.gz", "example-trunc.warc"};
    for (size_t i = 0; i < 2 * SHARC_LENGTH(files); i++) {
        bool lenient = i % 2;
        SHARC_AUTO(sharc_freep) char *below = sharc_asprintf("suites/warcio/data/%s", files[i / 2]);
        const char *path = test_shared_or_skip(below);
        struct sharc_store *store = NULL;
        struct sharc_err err = SHARC_ERR_INIT;
        struct sharc_import_options o = {.lenient = lenient};
        SHARC_AUTO(sharc_import_result_done) struct sharc_import_result r = {0};
        assert_int_equal(sharc_store_open("memory:", NULL, &store, &err), 0);
        int k = sharc_import(store, &path, 1, &o, &r, &err);
        if (lenient && k < 0) fail_msg("%s: %s", files[i / 2], err.text);
        if (!lenient && k == 0) fail_msg("%s: was taken", files[i / 2]);
        if (!lenient) assert_non_null(strstr(err.text, files[i / 2]));
        sharc_store_free(store);
    }
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(warcio_files_give_their_rows),
    cmocka_unit_test(broken_files_are_refused_or_counted),
};
TEST_MAIN(tests)

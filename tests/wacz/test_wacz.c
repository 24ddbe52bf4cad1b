/* SPDX-License-Identifier: Apache-2.0 */
#include "test.h"

#include "../../src/wacz/wacz_int.h"
#include "sharc/base_file.h"
#include "sharc/wacz.h"
#include "sharc/warc.h"

#include <stdio.h>
#include <stdlib.h>

static const char garden[] = SHARC_SOURCE_DIR "/tests/data/garden.warc.gz";

static char *make(const char *dir, struct sharc_wacz_written *ret)
{
    char *path = sharc_path_join(dir, "garden.wacz");
    const char *warcs[] = {garden};
    struct sharc_wacz_options o = {.title = "Garden", .now = 1700000000 * SHARC_SEC, .threads = 2};
    struct sharc_err err = SHARC_ERR_INIT;
    if (sharc_wacz_write(path, warcs, 1, &o, ret, &err) < 0) fail_msg("%s", err.text);
    return path;
}

struct findings {
    struct sharc_buf text;
};

static void find(void *arg, bool problem, const char *where, const char *what)
{
    struct findings *f = arg;
    sharc_buf_printf(&f->text, "%s %s: %s\n", problem ? "problem" : "remark", where, what);
}

static void written_is_valid(void **state)
{
    (void)state;
    char *dir = test_mkdir();
    struct sharc_wacz_written written;
    SHARC_AUTO(sharc_freep) char *path = make(dir, &written);
    assert_int_equal(written.warcs, 1);
    assert_int_equal(written.captures, 11);
    assert_int_equal(written.pages, 3);
    struct findings f = {SHARC_BUF_INIT(1 << 20)};
    struct sharc_wacz_report report;
    assert_int_equal(sharc_wacz_check(path, NULL, find, &f, &report, NULL), 0);
    assert_string_equal(sharc_buf_str(&f.text), "");
    assert_int_equal(report.captures, 11);
    assert_int_equal(report.pages, 3);
    assert_int_equal(report.warcs, 1);
    assert_int_equal(report.files, 6);
    sharc_buf_done(&f.text);
    test_rmdir(dir);
}

/* A page whose record is damaged has no line in the index, and no place in the list of pages. */
static void a_damaged_page_is_not_listed(void **state)
{
    (void)state;
    char *dir = test_mkdir();
    SHARC_AUTO(sharc_freep) char *warc = sharc_path_join(dir, "a.warc.gz"), *path = sharc_path_join(dir, "a.wacz");
    SHARC_AUTO(sharc_buf_done) struct sharc_buf bytes = SHARC_BUF_INIT(1 << 20);
    assert_int_equal(sharc_file_read(garden, &bytes, NULL), 0);
    bytes.p[273 + 582 - 8] ^= 1; /* the checksum of the front page's member */
    assert_int_equal(sharc_file_replace(warc, sharc_buf_span(&bytes), NULL), 0);
    const char *warcs[] = {warc};
    struct sharc_wacz_options o = {.now = 1700000000 * SHARC_SEC, .threads = 1, .lenient = true};
    struct sharc_wacz_written written;
    assert_int_equal(sharc_wacz_write(path, warcs, 1, &o, &written, NULL), 0);
    assert_int_equal(written.captures, 10);
    assert_int_equal(written.pages, 2);
    test_rmdir(dir);
}

static void holds_what_the_standard_wants(void **state)
{
    (void)state;
    char *dir = test_mkdir();
    struct sharc_wacz_written written;
    SHARC_AUTO(sharc_freep) char *path = make(dir, &written);
    struct sharc_zip z;
    SHARC_AUTO(sharc_buf_done) struct sharc_buf b = SHARC_BUF_INIT(1 << 20), original = SHARC_BUF_INIT(1 << 20);
    assert_int_equal(sharc_zip_open(&z, path, NULL), 0);
    static const char *const names[] = {"archive/garden.warc.gz", "indexes/index.cdx.gz", "indexes/index.idx",
                                        "pages/pages.jsonl",      "datapackage.json",     "datapackage-digest.json"};
    for (size_t i = 0; i < SHARC_LENGTH(names); i++) assert_non_null(sharc_zip_find(&z, sharc_span_of(names[i])));
    assert_int_equal(sharc_zip_find(&z, SHARC_SPAN("archive/garden.warc.gz"))->method, SHARC_ZIP_STORED);
    assert_int_equal(sharc_zip_find(&z, SHARC_SPAN("indexes/index.cdx.gz"))->method, SHARC_ZIP_STORED);
    assert_int_equal(sharc_file_read(garden, &original, NULL), 0);
    assert_int_equal(sharc_zip_read(&z, &z.entries[0], &b, NULL), 0);
    assert_true(sharc_span_eq(sharc_buf_span(&b), sharc_buf_span(&original)));
    assert_int_equal(sharc_zip_read(&z, sharc_zip_find(&z, SHARC_SPAN("pages/pages.jsonl")), &b, NULL), 0);
    assert_ptr_equal(strstr(b.p, "{\"format\": \"json-pages-1.0\", \"id\": \"pages\", \"title\": \"All Pages\"}\n"),
                     b.p);
    assert_non_null(strstr(b.p,
                           "\"url\":\"http://garden.example/\",\"ts\":\"2026-11-01T10:00:01Z\",\"title\":\"A small "
                           "garden & its roses\"}"));
    assert_int_equal(sharc_zip_read(&z, sharc_zip_find(&z, SHARC_SPAN("datapackage.json")), &b, NULL), 0);
    assert_non_null(strstr(b.p, "\"wacz_version\": \"1.1.1\""));
    assert_non_null(strstr(b.p, "\"mainPageUrl\": \"http://garden.example/\""));
    assert_non_null(strstr(b.p, "\"created\": \"2023-11-14T22:13:20Z\""));
    sharc_zip_done(&z);
    test_rmdir(dir);
}

static void captures_can_be_looked_up_and_read(void **state)
{
    (void)state;
    char *dir = test_mkdir();
    struct sharc_wacz_written written;
    SHARC_AUTO(sharc_freep) char *path = make(dir, &written);
    SHARC_AUTO(sharc_wacz_closep) struct sharc_wacz *w = NULL;
    SHARC_AUTO(sharc_cdx_index_freep) struct sharc_cdx_index *x = sharc_cdx_index_new();
    SHARC_AUTO(sharc_cdx_cursor_freep) struct sharc_cdx_cursor *c = NULL;
    SHARC_AUTO(sharc_warc_closep) struct sharc_warc *reader = NULL;
    struct sharc_cdx e;
    struct sharc_span bytes;
    uint64_t offset;
    assert_int_equal(sharc_wacz_open(path, &w, NULL), 0);
    assert_int_equal(sharc_wacz_add_index(w, x, SHARC_CDX_CHECK_ALL, NULL), 0);
    assert_int_equal(sharc_cdx_ask(x, &(struct sharc_cdx_query){.url = SHARC_SPAN("garden.example/style.css")}, &c,
                                   NULL),
                     0);
    assert_int_equal(sharc_cdx_next(c, &e, NULL), 1);
    assert_int_equal(sharc_wacz_warc(w, e.field[SHARC_CDX_FILENAME], &bytes, NULL), 0);
    assert_true(sharc_cdx_number(&e, SHARC_CDX_OFFSET, &offset));
    struct sharc_warc_options o = {.offset = offset};
    struct sharc_record rec;
    assert_int_equal(sharc_warc_open_bytes(bytes, &o, &reader, NULL), 0);
    assert_int_equal(sharc_warc_next(reader, &rec, NULL), 1);
    assert_span(rec.target, "http://garden.example/style.css");
    test_rmdir(dir);
}

/* A WACZ packed by hand from named parts; NULL content leaves the part out. */
struct part {
    const char *name, *content;
    bool stored;
};

static char *report_on(const struct part *parts, size_t count)
{
    char *dir = test_mkdir();
    SHARC_AUTO(sharc_freep) char *path = sharc_path_join(dir, "x.wacz");
    SHARC_AUTO(sharc_zip_writer_freep) struct sharc_zip_writer *w = NULL;
    assert_int_equal(sharc_zip_writer_new(path, 0, &w, NULL), 0);
    for (size_t i = 0; i < count; i++) {
        struct sharc_span s = sharc_span_of(parts[i].content);
        if (!parts[i].stored) {
            assert_int_equal(sharc_zip_add(w, parts[i].name, s, NULL), 0);
            continue;
        }
        assert_int_equal(sharc_zip_begin(w, parts[i].name, 0, NULL), 0);
        assert_int_equal(sharc_zip_write(w, s, NULL), 0);
        assert_int_equal(sharc_zip_end(w, NULL), 0);
    }
    assert_int_equal(sharc_zip_writer_commit(w, NULL), 0);
    struct findings f = {SHARC_BUF_INIT(1 << 20)};
    struct sharc_wacz_report report;
    struct sharc_err err = SHARC_ERR_INIT;
    if (sharc_wacz_check(path, NULL, find, &f, &report, &err) < 0) sharc_buf_printf(&f.text, "error %s\n", err.text);
    test_rmdir(dir);
    return sharc_buf_take(&f.text);
}

static void the_validator_finds(void **state)
{
    (void)state;
    static const char zeros[] =
        "00000000000000000000000000000000000000000000000000000000000000000000000000000000000000";
    const struct part parts[] = {
        {"datapackage.json",
         "{\"profile\":\"other\",\"wacz_version\":\"0.1\",\"resources\":["
         "{\"name\":\"a\",\"path\":\"pages/pages.jsonl\",\"bytes\":3,\"hash\":\"sha256:"
         "0000000000000000000000000000000000000000000000000000000000000000\"},"
         "{\"name\":\"r\",\"path\":\"archive/readme\"},{\"name\":\"n\",\"path\":\"pages/"
         "notes.txt\",\"bytes\":\"many\"},"
         "{\"path\":\"gone\"},{\"name\":\"n\"},{\"path\":\"pages/pages.jsonl\",\"hash\":\"md5:2\"}]}",
         false},
        {"datapackage-digest.json", "{\"path\":\"x\",\"hash\":\"md5:1\"}", false},
        {"pages/pages.jsonl", "{\"no\":1}\n{\"url\":\"http://a/\",\"ts\":\"yesterday\"}\nnonsense\n", false},
        {"pages/notes.txt", "x", false},
        {"archive/a.warc.gz", zeros, false},
        {"archive/readme", "x", true},
        {"indexes/index.cdxj",
         "org,a)/ 20200101000000 {\"url\":\"http://a.org/\",\"filename\":\"b.warc\",\"offset\":0}\n", true},
    };
    static const char *const wanted[] = {
        "problem archive/a.warc.gz: is compressed by the ZIP",
        "problem archive/readme: only .warc",
        "problem pages/notes.txt: only .jsonl",
        "problem datapackage.json: profile must be",
        "problem datapackage.json: wacz_version \"0.1\"",
        "remark datapackage.json: has no title",
        "problem pages/pages.jsonl: datapackage.json says 3 bytes, it has",
        "problem pages/pages.jsonl: its bytes do not match the hash",
        "problem archive/readme: its resource does not say its number of bytes",
        "problem pages/notes.txt: its resource's \"bytes\" is not a number of bytes",
        "problem gone: is listed in datapackage.json but not in the ZIP",
        "problem datapackage.json: a resource has no path",
        "problem pages/pages.jsonl: is listed twice",
        "problem indexes/index.cdxj: is not listed",
        "problem datapackage-digest.json: path must be",
        "problem datapackage.json: its hash \"md5:1\" is not sha256:HEX",
        "problem pages/pages.jsonl: line 1 is not a header that names the format",
        "problem pages/pages.jsonl: line 2: the page has no ts",
        "problem pages/pages.jsonl: line 3:",
    };
    SHARC_AUTO(sharc_freep) char *got = report_on(parts, SHARC_LENGTH(parts));
    for (size_t i = 0; i < SHARC_LENGTH(wanted); i++)
        if (!strstr(got, wanted[i])) fail_msg("missing: %s\nin:\n%s", wanted[i], got);
    assert_null(strstr(got, "md5:2")); /* what is listed again is not read again */
}

static void a_zip_is_no_wacz(void **state)
{
    (void)state;
    const struct part parts[] = {{"x", "y", false}};
    SHARC_AUTO(sharc_freep) char *got = report_on(parts, 1);
    assert_non_null(strstr(got, "has no datapackage.json"));
}

static void finds_titles(void **state)
{
    (void)state;
    static const struct {
        const char *html, *title;
    } cases[] = {
        {"<html><title>A</title>", "A"},
        {"<TITLE lang=en>\n A  &amp;\tB&#33;&#x21; </TITLE>", "A & B!!"},
        {"<!-- <title>no</title> "
         "--><script>'<title>no</title>'</script><style><title>x</title></style><title>yes</title>",
         "yes"},
        {"<titles>no</titles><title>y</title>", "y"},
        {"<title>caf\xe9 \x96 x</title>", "caf\xc3\xa9 \xe2\x80\x93 x"},
        {"<title>caf\xc3\xa9</title>", "caf\xc3\xa9"},
        {"<title>&unknown; & &#xd800; &#x110000; &#0;</title>", "&unknown; & \xef\xbf\xbd \xef\xbf\xbd"},
        {"<title>never closed", ""},
        {"<title", ""},
        {"<!-- never closed <title>x</title>", ""},
        {"", ""},
    };
    SHARC_AUTO(sharc_buf_done) struct sharc_buf out = SHARC_BUF_INIT(4096);
    for (size_t i = 0; i < SHARC_LENGTH(cases); i++) {
        sharc__wacz_title(sharc_span_of(cases[i].html), &out);
        assert_string_equal(sharc_buf_str(&out), cases[i].title);
    }
    SHARC_AUTO(sharc_freep) char *longer = sharc_asprintf("<title>%*s</title>", 10000, "x");
    for (char *p = longer; (p = strchr(p, ' ')); p++) *p = 'y';
    sharc__wacz_title(sharc_span_of(longer), &out);
    assert_true(out.n <= 500 && out.n > 480);
}

static void takes_pages_from_a_list(void **state)
{
    (void)state;
    char *dir = test_mkdir();
    SHARC_AUTO(sharc_freep) char *list = sharc_path_join(dir, "mine.jsonl"), *path = sharc_path_join(dir, "m.wacz");
    const char *warcs[] = {garden};
    struct sharc_wacz_options o = {.now = 0, .pages = list};
    struct sharc_wacz_written written;
    struct sharc_err err = SHARC_ERR_INIT;
    assert_int_equal(sharc_file_replace(list,
                                        SHARC_SPAN(
                                            "{\"format\":\"json-pages-1.0\",\"id\":\"p\"}\n{\"url\":\"http://garden."
                                            "example/about.html\",\"ts\":\"2026-11-01T10:00:05Z\"}\n"),
                                        NULL),
                     0);
    if (sharc_wacz_write(path, warcs, 1, &o, &written, &err) < 0) fail_msg("%s", err.text);
    assert_int_equal(written.pages, 1);
    assert_int_equal(sharc_file_replace(list, SHARC_SPAN("{\"url\":\"x\"}\n"), NULL), 0);
    assert_int_equal(sharc_wacz_write(path, warcs, 1, &o, &written, &err), SHARC_ESYNTAX);
    assert_non_null(strstr(err.text, "mine.jsonl:1: "));
    test_rmdir(dir);
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(written_is_valid),
    cmocka_unit_test(a_damaged_page_is_not_listed),
    cmocka_unit_test(holds_what_the_standard_wants),
    cmocka_unit_test(captures_can_be_looked_up_and_read),
    cmocka_unit_test(the_validator_finds),
    cmocka_unit_test(a_zip_is_no_wacz),
    cmocka_unit_test(finds_titles),
    cmocka_unit_test(takes_pages_from_a_list),
};
TEST_MAIN(tests)

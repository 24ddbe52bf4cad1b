/* SPDX-License-Identifier: Apache-2.0 */
#include "../warc/warc_test.h"

#include "sharc/audit.h"
#include "sharc/base_codec.h"
#include "sharc/base_file.h"
#include "sharc/cdx.h"
#include "sharc/cdx_agree.h"
#include "sharc/cdx_build.h"
#include "sharc/warc_verify.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

enum { CAPTURES = 3000 };

struct place {
    char *dir, *warc;
    struct sharc_buf index; /* a true one */
};

static int take_line(void *arg, struct sharc_span line, struct sharc_err *reterr)
{
    (void)reterr;
    return sharc_buf_put(arg, line);
}

static int set_up(void **state)
{
    struct place *p = SHARC_NEW(struct place);
    SHARC_AUTO(sharc_buf_done) struct sharc_buf b = SHARC_BUF_INIT(16u << 20);
    p->dir = test_mkdir();
    p->warc = sharc_path_join(p->dir, "a b.warc");
    for (int i = 0; i < CAPTURES; i++)
        sharc_buf_printf(&b,
                         "WARC/1.1\r\nWARC-Type: response\r\nWARC-Record-ID: <urn:x:%d>\r\nWARC-Date: "
                         "2026-11-15T12:%02d:%02dZ\r\nWARC-Target-URI: http://example.org/%d\r\nContent-Type: "
                         "application/http\r\nContent-Length: 22\r\n\r\nHTTP/1.1 200 OK\r\n\r\n%03d\r\n\r\n",
                         i, i / 60 % 60, i % 60, i % 700, i % 1000);
    assert_int_equal(sharc_file_replace(p->warc, sharc_buf_span(&b), NULL), 0);
    sharc_buf_init(&p->index, 16u << 20);
    struct sharc_cdx_build o = {.threads = 1};
    struct sharc_cdx_built built;
    struct sharc_err err = SHARC_ERR_INIT;
    if (sharc_cdx_build((const char *const[]){p->warc}, 1, "-", take_line, &p->index, &o, &built, &err) < 0)
        fail_msg("%s", err.text);
    assert_int_equal(built.records, CAPTURES);
    *state = p;
    return 0;
}

static int tear_down(void **state)
{
    struct place *p = *state;
    sharc_buf_done(&p->index);
    free(p->warc);
    test_rmdir(p->dir);
    free(p);
    return 0;
}

struct told {
    size_t lines, records;
    struct sharc_buf text;
};

static void tell(void *arg, const struct sharc_disagreement *d)
{
    struct told *t = arg;
    if (d->index == SHARC_NPOS)
        t->records++;
    else
        t->lines++;
    sharc_buf_printf(&t->text, "%" PRIu64 ": %s\n", d->index == SHARC_NPOS ? d->offset : d->line, d->text);
}

static struct told agree(const struct place *p, struct sharc_span index, uint64_t *ret_lines)
{
    struct sharc_agree_archive archive = {"a b.warc", p->warc, SHARC_SPAN_NONE};
    struct sharc_agree_index i = {.bytes = index};
    struct sharc_agree_options o = {.last_part = true, .threads = 2, .memory = 1, .temporary = p->dir};
    struct told t = {.text = SHARC_BUF_INIT(16u << 20)};
    struct sharc_err err = SHARC_ERR_INIT;
    if (sharc_cdx_agree(&archive, 1, &i, 1, &o, tell, &t, &err) < 0) fail_msg("%s", err.text);
    if (ret_lines) *ret_lines = i.lines;
    return t;
}

static void expect(const struct place *p, struct sharc_span index, size_t lines, size_t records)
{
    struct told t = agree(p, index, NULL);
    if (t.lines != lines || t.records != records)
        fail_msg("%zu lines and %zu records, not %zu and %zu: %.1000s", t.lines, t.records, lines, records,
                 sharc_buf_str(&t.text));
    sharc_buf_done(&t.text);
}

static void true_indexes_agree(void **state)
{
    const struct place *p = *state;
    uint64_t lines;
    struct told t = agree(p, sharc_buf_span(&p->index), &lines);
    assert_string_equal(sharc_buf_str(&t.text), "");
    assert_int_equal(lines, CAPTURES);
    sharc_buf_done(&t.text);
    /* In gzip, in one member and in many. */
    SHARC_AUTO(sharc_buf_done) struct sharc_buf packed = SHARC_BUF_INIT(16u << 20);
    struct sharc_deflate *d = sharc_deflate_new(1);
    for (size_t at = 0; at < p->index.n; at += 100000)
        sharc_deflate_member(d, sharc_span_sub(sharc_buf_span(&p->index), at, at + 100000), &packed);
    expect(p, sharc_buf_span(&packed), 0, 0);
    t = agree(p, sharc_span(packed.p, packed.n - 100), &lines); /* cut: told, and what is left is compared */
    assert_true(t.lines >= 1 && t.records > 0 && t.records == CAPTURES - lines);
    sharc_buf_done(&t.text);
    sharc_deflate_free(d);
}

static void every_missing_line_is_told(void **state)
{
    const struct place *p = *state;
    SHARC_AUTO(sharc_buf_done) struct sharc_buf some = SHARC_BUF_INIT(16u << 20);
    struct sharc_span rest = sharc_buf_span(&p->index), line;
    size_t n = 0, gone = 0;
    while (sharc_span_next(&rest, '\n', &line) && line.n) {
        if (n++ % 7 == 3) {
            gone++;
            continue;
        }
        sharc_buf_put(&some, line);
        sharc_buf_put_char(&some, '\n');
    }
    expect(p, sharc_buf_span(&some), 0, gone);
    expect(p, SHARC_SPAN(""), 0, CAPTURES);
    expect(p, SHARC_SPAN("\n!meta 0 {}\n CDX N b a m s k r M S V g\n"), 0, CAPTURES);
}

static void lines_about_other_files(void **state)
{
    const struct place *p = *state;
    SHARC_AUTO(sharc_buf_done) struct sharc_buf b = SHARC_BUF_INIT(16u << 20);
    sharc_buf_put(&b, sharc_buf_span(&p->index));
    for (int i = 0; i < 100; i++)
        sharc_buf_printf(&b,
                         "z 20200101000000 {\"url\": \"http://z/\", \"filename\": \"%%z%d\", \"offset\": \"%03d\"}\n",
                         i / 50, i);
    struct told t = agree(p, sharc_buf_span(&b), NULL);
    assert_int_equal(t.lines, 2); /* once per file */
    assert_non_null(
        strstr(sharc_buf_str(&t.text), "3001: points at %z0, which is not among the files given; so do 49 others"));
    sharc_buf_done(&t.text);
}

static void what_is_left_out_is_not_compared(void **state)
{
    const struct place *p = *state;
    SHARC_AUTO(sharc_buf_done) struct sharc_buf b = SHARC_BUF_INIT(16u << 20);
    struct sharc_span rest = sharc_buf_span(&p->index), line;
    struct sharc_cdx_parser parser;
    struct sharc_cdx c;
    sharc_cdx_parser_init(&parser);
    while (sharc_span_next(&rest, '\n', &line) && line.n) {
        assert_int_equal(sharc_cdx_parse(&parser, line, &c, NULL), 1);
        c.field[SHARC_CDX_LENGTH] = c.field[SHARC_CDX_STATUS] = SHARC_SPAN_NONE;
        c.field[SHARC_CDX_DIGEST] = SHARC_SPAN("md5:AAAAAAAAAAAAAAAAAAAAAAAAAA"); /* another kind */
        c.field[SHARC_CDX_FILENAME] = SHARC_SPAN("some/where/a b.warc");
        sharc_cdx_write(&c, SHARC_CDXJ, &b);
    }
    sharc_cdx_parser_done(&parser);
    expect(p, sharc_buf_span(&b), 0, 0);
}

static void bad_lines_are_told_and_passed(void **state)
{
    const struct place *p = *state;
    SHARC_AUTO(sharc_buf_done) struct sharc_buf b = SHARC_BUF_INIT(16u << 20), packed = SHARC_BUF_INIT(16u << 20);
    sharc_buf_put(&b,
                  SHARC_SPAN("nonsense\nx 20200101000000 {\"url\": \"http://x/\"}\n")); /* no file; and unsorted then */
    for (int i = 0; i < 1500000; i++) sharc_buf_put_char(&b, 'x');
    sharc_buf_put_char(&b, '\n');
    sharc_buf_put(&b, sharc_buf_span(&p->index));
    expect(p, sharc_buf_span(&b), 4, 0);
    struct sharc_deflate *d = sharc_deflate_new(1);
    sharc_deflate_member(d, sharc_buf_span(&b), &packed);
    sharc_deflate_free(d);
    struct told t = agree(p, sharc_buf_span(&packed), NULL);
    assert_int_equal(t.lines, 4);
    assert_int_equal(t.records, 0);
    assert_non_null(strstr(sharc_buf_str(&t.text), "\n3: is longer than"));
    assert_non_null(strstr(sharc_buf_str(&t.text), "4: is smaller than the line before"));
    sharc_buf_done(&t.text);
}

static void two_of_the_same_name(void **state)
{
    const struct place *p = *state;
    struct sharc_agree_archive archives[] = {{"x/a.warc", p->warc, SHARC_SPAN_NONE},
                                             {"y/a.warc", p->warc, SHARC_SPAN_NONE}};
    struct sharc_agree_index i = {.bytes = SHARC_SPAN("")};
    struct sharc_agree_options o = {.last_part = true, .temporary = p->dir};
    struct told t = {.text = SHARC_BUF_INIT(16u << 20)};
    struct sharc_err err = SHARC_ERR_INIT;
    assert_int_equal(sharc_cdx_agree(archives, 2, &i, 1, &o, tell, &t, &err), SHARC_EINVAL);
    o.last_part = false;
    assert_int_equal(sharc_cdx_agree(archives, 2, &i, 1, &o, tell, &t, &err), 0);
    assert_int_equal(t.records, 2 * CAPTURES);
    archives[0].path = "/nowhere";
    assert_int_equal(sharc_cdx_agree(archives, 2, &i, 1, &o, tell, &t, &err), SHARC_ENOENT);
    sharc_buf_done(&t.text);
}

/* An index of another tool may have a line for a control download; ours has none. */
static void control_downloads_need_no_line(void **state)
{
    const struct place *p = *state;
    SHARC_AUTO(sharc_buf_done) struct sharc_buf b = SHARC_BUF_INIT(1u << 20), index = SHARC_BUF_INIT(1u << 20);
    static const char *const fields[] = {"", "sharc-kind: control\r\n"};
    for (int i = 0; i < 2; i++)
        sharc_buf_printf(&b,
                         "WARC/1.1\r\nWARC-Type: response\r\nWARC-Record-ID: <urn:x:%d>\r\nWARC-Date: "
                         "2026-11-15T12:00:0%dZ\r\nWARC-Target-URI: http://example.org/\r\n%sContent-Type: "
                         "application/http\r\nContent-Length: 22\r\n\r\nHTTP/1.1 200 OK\r\n\r\n%03d\r\n\r\n",
                         i, i, fields[i], i);
    assert_int_equal(sharc_file_replace(p->warc, sharc_buf_span(&b), NULL), 0);
    size_t second = b.n / 2 - strlen(fields[1]) / 2;
    struct sharc_cdx_build o = {.threads = 1};
    struct sharc_cdx_built built;
    assert_int_equal(sharc_cdx_build((const char *const[]){p->warc}, 1, "-", take_line, &index, &o, &built, NULL), 0);
    assert_int_equal(built.lines, 1);
    expect(p, sharc_buf_span(&index), 0, 0);
    sharc_buf_printf(&index,
                     "org,example)/ 20261115120001 {\"url\":\"http://example.org/\",\"filename\":\"a b.warc\","
                     "\"offset\":\"%zu\"}\n",
                     second);
    expect(p, sharc_buf_span(&index), 0, 0);
    expect(p, SHARC_SPAN(""), 0, 1); /* only the page is missed */
}

/* Containers, their WARCs and indexes of both in one call. */
static void audits_everything(void **state)
{
    const struct place *p = *state;
    SHARC_AUTO(sharc_freep) char *index = sharc_path_join(p->dir, "all.cdxj");
    SHARC_AUTO(sharc_freep) char *wacz = sharc_path_join(p->dir, "g.wacz");
    static const char garden[] = SHARC_SOURCE_DIR "/tests/data/garden.warc.gz";
    struct sharc_cdx_build b = {.threads = 1};
    struct sharc_cdx_built built;
    struct sharc_wacz_options w = {.threads = 1};
    struct sharc_wacz_written written;
    assert_int_equal(sharc_wacz_write(wacz, (const char *const[]){garden}, 1, &w, &written, NULL), 0);
    const char *const files[] = {wacz, p->warc};
    assert_int_equal(sharc_cdx_build(files, 2, index, NULL, NULL, &b, &built, NULL), 0);
    struct sharc_audit audit;
    struct sharc_audit_options o = {.threads = 2,
                                    .indexes = (const char *const[]){index},
                                    .index_count = 1,
                                    .temporary = p->dir};
    sharc_audit(files, 2, &o, &audit);
    assert_int_equal(audit.count, 4);
    for (size_t i = 0; i < audit.count; i++) {
        if (audit.files[i].result < 0) fail_msg("%s", audit.files[i].err.text);
        if (audit.files[i].verified.found.count) fail_msg("%s", audit.files[i].verified.found.first->text);
    }
    assert_int_equal(audit.findings, 0);
    assert_int_equal(audit.files[0].kind, SHARC_AUDIT_WACZ);
    assert_int_equal(audit.files[0].wacz.captures, 11);
    assert_true(audit.files[1].inside);
    assert_int_equal(audit.files[1].verified.counts.blocks_right, 23);
    assert_int_equal(audit.files[3].lines, CAPTURES + 11);
    sharc_audit_done(&audit);
}

#define WITH_PLACE(fn) cmocka_unit_test_setup_teardown(fn, set_up, tear_down)
static const struct CMUnitTest tests[] = {
    WITH_PLACE(true_indexes_agree),
    WITH_PLACE(every_missing_line_is_told),
    WITH_PLACE(lines_about_other_files),
    WITH_PLACE(what_is_left_out_is_not_compared),
    WITH_PLACE(bad_lines_are_told_and_passed),
    WITH_PLACE(two_of_the_same_name),
    WITH_PLACE(control_downloads_need_no_line),
    WITH_PLACE(audits_everything),
};
TEST_MAIN(tests)

/* SPDX-License-Identifier: Apache-2.0 */
#include "import_test.h"

/* All rows of a file, extracted; one batch must do. */
static struct import_batch *read_one(const char *path, const struct sharc_import_options *o)
{
    struct import_jobs jobs = {0};
    struct import_reader *reader = NULL;
    struct import_batch *b = NULL;
    struct sharc_err err = SHARC_ERR_INIT;
    if (sharc__import_jobs_find(&jobs, &path, 1, NULL, &err) < 0) fail_msg("%s", err.text);
    assert_int_equal(jobs.count, 1);
    if (sharc__import_reader_open(&jobs.items[0], 0, o, 0, NULL, &reader, &err) < 0) fail_msg("%s", err.text);
    if (sharc__import_reader_next(reader, &b, &err) < 0) fail_msg("%s", err.text);
    assert_true(b->last);
    struct import_scratch *s = sharc__import_scratch_new();
    sharc__import_extract(b, s);
    sharc__import_scratch_free(s);
    sharc__import_reader_close(reader);
    sharc__import_jobs_done(&jobs);
    return b;
}

static void a_page_has_features_and_links(void **state)
{
    (void)state;
    char *dir = test_mkdir();
    struct maker m;
    maker_start(&m, dir, "a.warc.gz", "isPartOf: Weekly%20run\r\n");
    PUT(&m, .url = "http://www.example.co.uk/a#top", .when = DAY_ONE,
        .head = "HTTP/1.1 200 OK\r\nContent-Type: Text/HTML; charset=utf-8\r\nETag: \"e1\"\r\n"
                "Last-Modified: Sun, 06 Nov 1994 08:49:37 GMT\r\nDate: Sun, 01 Nov 2026 10:00:00 GMT\r\n\r\n",
        .body = "<title>A  page</title><img src=i.png><a href=/b>b</a><a href=b>b again</a><table></table>"
                "one two three",
        .metadata = "via: http://www.example.co.uk/\r\nhopsFromSeed: LL\r\nsharc-slot: 3\r\nsharc-rate: "
                    "0.25\r\nfetchTimeMs: 12\r\n");
    PUT(&m, .url = "http://www.example.co.uk/old", .when = DAY_ONE + 1,
        .head = "HTTP/1.1 301 Moved\r\nLocation: /a\r\n\r\n", .body = "moved");
    PUT(&m, .url = "dns:example.co.uk", .when = DAY_ONE + 2, .body = "no page");
    SHARC_AUTO(sharc_freep) char *path = maker_end(&m);
    struct sharc_import_options o = {0};
    SHARC_AUTO(sharc__import_batch_freep) struct import_batch *b = read_one(path, &o);
    assert_int_equal(b->count, 2);
    const struct import_row *a = &b->rows[0], *old = &b->rows[1];
    assert_span(a->url, "http://www.example.co.uk/a");
    assert_span(a->site, "example.co.uk");
    assert_span(a->run->name, "Weekly run");
    assert_int_equal(a->when, DAY_ONE);
    assert_int_equal(a->status, 200);
    assert_span(a->mime, "text/html");
    assert_span(a->etag, "\"e1\"");
    assert_int_equal(a->last_modified, 784111777 * SHARC_SEC);
    assert_int_equal(a->digest.n, 32);
    assert_true(a->extracted && a->minhash && a->text_digest.n == 32);
    assert_span(a->title, "A page");
    assert_int_equal(a->images, 1);
    assert_int_equal(a->tables, 1);
    assert_int_equal(a->words, 5);
    assert_int_equal(a->link_count, 2);
    assert_span(a->links[0].url, "http://www.example.co.uk/i.png");
    assert_int_equal(a->links[0].kind, SHARC_LINK_EMBED);
    assert_span(a->links[1].url, "http://www.example.co.uk/b");
    assert_span(a->fetch.via, "http://www.example.co.uk/");
    assert_int_equal(a->fetch.hops, 2);
    assert_int_equal(a->fetch.slot, 3);
    assert_int_equal(a->fetch.took, 12 * SHARC_MSEC);
    assert_span(old->redirect, "http://www.example.co.uk/a");
    assert_int_equal(old->link_count, 1);
    assert_int_equal(old->links[0].kind, SHARC_LINK_REDIRECT);
    test_rmdir(dir);
}

static void without_extraction_there_are_heads_only(void **state)
{
    (void)state;
    char *dir = test_mkdir();
    struct maker m;
    maker_start(&m, dir, "a.warc.gz", "");
    PUT(&m, .url = "http://example.org/", .when = DAY_ONE, .body = "<a href=/b>b</a>",
        .metadata = "outlink: http://example.org/b L a/@href\r\n");
    SHARC_AUTO(sharc_freep) char *path = maker_end(&m);
    struct sharc_import_options o = {.no_extract = true};
    SHARC_AUTO(sharc__import_batch_freep) struct import_batch *b = read_one(path, &o);
    assert_int_equal(b->count, 1);
    assert_int_equal(b->rows[0].link_count, 0);
    assert_false(b->rows[0].extracted);
    assert_int_equal(b->rows[0].text_digest.n, 0);
    assert_int_equal(b->rows[0].size, 16);
    test_rmdir(dir);
}

static void metadata_tells_links_of_what_cannot_be_read(void **state)
{
    (void)state;
    char *dir = test_mkdir();
    struct maker m;
    maker_start(&m, dir, "a.warc.gz", "");
    PUT(&m, .url = "http://example.org/film.swf", .when = DAY_ONE,
        .head = "HTTP/1.1 200 OK\r\nContent-Type: application/x-shockwave-flash\r\n\r\n", .body = "FWS",
        .metadata =
            "hopsFromSeed: 53+LLE\r\noutlink: http://example.org/b L a/@href\r\n"
            "outlink: http://example.org/c.png E =EMBED_MISC\r\nsharc-kind: revisit\r\nsharc-rate: no number\r\n");
    PUT(&m, .url = "http://example.org/robots.txt", .when = DAY_ONE, .body = "x", .metadata = "sharc-kind: errand\r\n");
    /* A control download is no version of the page, whichever of its records says so. */
    PUT(&m, .url = "http://example.org/film.swf", .when = DAY_ONE + SHARC_SEC, .body = "FWS 2",
        .metadata = "sharc-kind: control\r\n", .control = true);
    PUT(&m, .url = "http://example.org/film.swf", .when = DAY_ONE + 2 * SHARC_SEC, .body = "FWS 3",
        .metadata = "sharc-kind: control\r\n");
    PUT(&m, .url = "http://example.org/film.swf", .when = DAY_ONE + 3 * SHARC_SEC, .body = "FWS 4", .control = true);
    SHARC_AUTO(sharc_freep) char *path = maker_end(&m);
    struct sharc_import_options o = {0};
    SHARC_AUTO(sharc__import_batch_freep) struct import_batch *b = read_one(path, &o);
    assert_int_equal(b->count, 1);
    const struct import_row *row = &b->rows[0];
    assert_int_equal(row->fetch.hops, 56);
    assert_int_equal(row->fetch.look, SHARC_LOOK_REVISIT);
    assert_int_equal(row->link_count, 2);
    assert_span(row->links[1].url, "http://example.org/c.png");
    assert_int_equal(row->links[1].kind, SHARC_LINK_EMBED);
    test_rmdir(dir);
}

static void revisits_name_their_originals(void **state)
{
    (void)state;
    char *dir = test_mkdir();
    struct maker m;
    struct sharc_warc_place place;
    maker_start(&m, dir, "a.warc.gz", "isPartOf: example.org\r\nsharc-strategy: bfs\r\n");
    PUT(&m, .url = "http://example.org/", .when = DAY_ONE, .body = "text", .ret = &place);
    PUT(&m, .url = "http://cdn.example/", .when = DAY_ONE + SHARC_SEC, .original = &place,
        .original_url = "http://example.org/", .original_when = DAY_ONE);
    PUT(&m, .url = "http://example.org/", .when = DAY_ONE + 2 * SHARC_SEC, .original = &place, .original_when = DAY_ONE,
        .not_modified = true, .head = "HTTP/1.1 304 Not Modified\r\n\r\n");
    SHARC_AUTO(sharc_freep) char *path = maker_end(&m);
    struct sharc_import_options o = {0};
    SHARC_AUTO(sharc__import_batch_freep) struct import_batch *b = read_one(path, &o);
    assert_int_equal(b->count, 3);
    assert_true(b->rows[1].revisit && !b->rows[1].not_modified);
    assert_true(b->rows[2].revisit && b->rows[2].not_modified);
    assert_int_equal(b->rows[2].status, 304);
    assert_span(b->rows[1].refers_url, "http://example.org/");
    assert_int_equal(b->rows[1].refers_when, DAY_ONE);
    assert_true(sharc_digest_eq(&b->rows[1].digest, &b->rows[0].digest));
    assert_span(b->rows[1].site, "example.org");
    assert_span(b->rows[1].run->site, "example.org");
    assert_span(b->rows[1].run->strategy, "bfs");
    test_rmdir(dir);
}

/* Batches end where reading can be taken up, and together they are the file. */
static void batches_resume_where_they_end(void **state)
{
    (void)state;
    enum { PAGES = 2 * IMPORT_BATCH_ROWS + 10 };
    char *dir = test_mkdir();
    struct maker m;
    maker_start(&m, dir, "a.warc.gz", "isPartOf: one\r\n");
    for (int i = 0; i < PAGES; i++) {
        char url[64];
        snprintf(url, sizeof url, "http://example.org/%d", i);
        PUT(&m, .url = url, .when = DAY_ONE + i, .body = "x", .metadata = "hopsFromSeed: L\r\n");
    }
    SHARC_AUTO(sharc_freep) char *path = maker_end(&m);
    struct import_jobs jobs = {0};
    struct sharc_import_options o = {.no_extract = true};
    struct sharc_err err = SHARC_ERR_INIT;
    assert_int_equal(sharc__import_jobs_find(&jobs, (const char *const *)&path, 1, NULL, &err), 0);
    struct import_run run = {.name = (char *)"one"};
    uint64_t at = 0, pages = 0, records = 0;
    for (bool last = false; !last;) {
        struct import_reader *reader = NULL;
        struct import_batch *b = NULL;
        assert_int_equal(sharc__import_reader_open(&jobs.items[0], 0, &o, at, at ? &run : NULL, &reader, &err), 0);
        assert_int_equal(sharc__import_reader_next(reader, &b, &err), 1);
        assert_true(b->resumable);
        for (size_t i = 0; i < b->count; i++) {
            assert_int_equal(b->rows[i].when, DAY_ONE + (sharc_time)pages + (sharc_time)i);
            assert_int_equal(b->rows[i].fetch.hops, 1);
            assert_span(b->rows[i].run->name, "one");
        }
        pages += b->count;
        records += b->records;
        at = b->next;
        last = b->last;
        sharc__import_batch_free(b);
        sharc__import_reader_close(reader);
    }
    assert_int_equal(pages, PAGES);
    assert_int_equal(records, 1 + 2 * PAGES);
    assert_int_equal(at, jobs.items[0].size);
    sharc__import_jobs_done(&jobs);
    test_rmdir(dir);
}

/* What stands before a damaged place is given out, with where it is. */
static void damage_ends_a_batch_and_says_where(void **state)
{
    (void)state;
    char *dir = test_mkdir();
    struct maker m;
    struct sharc_warc_place second;
    maker_start(&m, dir, "a.warc.gz", "");
    PUT(&m, .url = "http://example.org/1", .when = DAY_ONE, .body = "1");
    PUT(&m, .url = "http://example.org/2", .when = DAY_ONE, .body = "2", .ret = &second);
    PUT(&m, .url = "http://example.org/3", .when = DAY_ONE, .body = "3");
    SHARC_AUTO(sharc_freep) char *path = maker_end(&m);
    SHARC_AUTO(sharc_buf_done) struct sharc_buf bytes = SHARC_BUF_INIT(1 << 20);
    struct sharc_err err = SHARC_ERR_INIT;
    assert_int_equal(sharc_file_read(path, &bytes, &err), 0);
    memset(bytes.p + second.offset + 30, 0, 20);
    assert_int_equal(sharc_file_replace(path, sharc_buf_span(&bytes), &err), 0);
    struct import_jobs jobs = {0};
    assert_int_equal(sharc__import_jobs_find(&jobs, (const char *const *)&path, 1, NULL, &err), 0);
    for (int lenient = 0; lenient < 2; lenient++) {
        struct sharc_import_options o = {.lenient = lenient};
        struct import_reader *reader = NULL;
        struct import_batch *b = NULL;
        assert_int_equal(sharc__import_reader_open(&jobs.items[0], 0, &o, 0, NULL, &reader, &err), 0);
        int r = sharc__import_reader_next(reader, &b, &err);
        assert_non_null(b);
        if (lenient) {
            assert_int_equal(r, 1);
            assert_int_equal(b->count, 2);
            assert_int_equal(b->damaged, 1);
            assert_int_equal(b->next, jobs.items[0].size);
        } else {
            assert_true(r < 0);
            assert_int_equal(b->count, 1);
            assert_int_equal(b->records, 2);
            assert_int_equal(b->next, second.offset);
        }
        sharc__import_batch_free(b);
        assert_int_equal(sharc__import_reader_next(reader, &b, &err), 0);
        assert_null(b);
        sharc__import_reader_close(reader);
    }
    sharc__import_jobs_done(&jobs);
    test_rmdir(dir);
}

/* A lenient reading leaves pages out whose bytes are known to be wrong, or that have no date. */
static void what_is_left_out_is_counted(void **state)
{
    (void)state;
    char *dir = test_mkdir();
    struct maker m;
    struct sharc_warc_place second;
    maker_start(&m, dir, "a.warc.gz", "");
    PUT(&m, .url = "http://example.org/1", .when = DAY_ONE, .body = "1");
    PUT(&m, .url = "http://example.org/2", .when = DAY_ONE, .body = "2", .ret = &second);
    PUT(&m, .url = "http://example.org/3", .when = DAY_ONE, .body = "3");
    SHARC_AUTO(sharc_freep) char *path = maker_end(&m);
    SHARC_AUTO(sharc_freep) char *undated = sharc_path_join(dir, "b.warc");
    SHARC_AUTO(sharc_buf_done) struct sharc_buf bytes = SHARC_BUF_INIT(1 << 20);
    struct sharc_err err = SHARC_ERR_INIT;
    assert_int_equal(sharc_file_read(path, &bytes, &err), 0);
    bytes.p[second.offset + second.length - 8] ^= 1; /* of its checksum */
    assert_int_equal(sharc_file_replace(path, sharc_buf_span(&bytes), &err), 0);
    sharc_buf_clear(&bytes);
    for (int i = 0; i < 2; i++)
        sharc_buf_printf(
            &bytes,
            "WARC/1.0\r\nWARC-Type: resource\r\nWARC-Target-URI: http://example.org/%d\r\nWARC-Date: %s\r\n"
            "WARC-Record-ID: <urn:x:%d>\r\nContent-Type: text/plain\r\nContent-Length: 1\r\n\r\nx\r\n\r\n",
            i, i ? "2020-01-01T00:00:00Z" : "in spring", i);
    assert_int_equal(sharc_file_replace(undated, sharc_buf_span(&bytes), &err), 0);
    const char *const paths[] = {path, undated};
    struct import_jobs jobs = {0};
    assert_int_equal(sharc__import_jobs_find(&jobs, paths, 2, NULL, &err), 0);
    for (int i = 0; i < 4; i++) {
        struct sharc_import_options o = {.lenient = i / 2};
        struct import_reader *reader = NULL;
        struct import_batch *b = NULL;
        assert_int_equal(sharc__import_reader_open(&jobs.items[i % 2], 0, &o, 0, NULL, &reader, &err), 0);
        int r = sharc__import_reader_next(reader, &b, &err);
        assert_int_equal(r > 0, o.lenient);
        bool packed = sharc_span_ends(sharc_span_of(jobs.items[i % 2].name), SHARC_SPAN(".gz"));
        if (o.lenient) assert_int_equal(b->count, packed ? 2 : 1);
        if (o.lenient) assert_int_equal(b->damaged, 1);
        sharc__import_batch_free(b);
        sharc__import_reader_close(reader);
    }
    sharc__import_jobs_done(&jobs);
    test_rmdir(dir);
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(a_page_has_features_and_links),
    cmocka_unit_test(without_extraction_there_are_heads_only),
    cmocka_unit_test(metadata_tells_links_of_what_cannot_be_read),
    cmocka_unit_test(revisits_name_their_originals),
    cmocka_unit_test(batches_resume_where_they_end),
    cmocka_unit_test(damage_ends_a_batch_and_says_where),
    cmocka_unit_test(what_is_left_out_is_counted),
};
TEST_MAIN(tests)

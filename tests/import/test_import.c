/* SPDX-License-Identifier: Apache-2.0
 *
 * What imports make of archive files.
 */
#include "world.h"

#include "sharc/wacz.h"

/* --- one capture ------------------------------------------------------------------- */

static void a_file_becomes_a_capture_with_its_tree(void **state)
{
    struct world *f = world(state);
    SHARC_AUTO(sharc_freep) char *path = garden(f);
    SHARC_AUTO(sharc_import_result_done) struct sharc_import_result r = {0};
    import_with(f, path, NULL, &r);
    assert_int_equal(r.files, 1);
    assert_int_equal(r.records, 6);
    assert_int_equal(r.pages, 5);
    assert_int_equal(r.capture_count, 1);
    const struct sharc_import_capture *c = &r.captures[0];
    assert_string_equal(c->key, "example.org-20261101100000");
    assert_string_equal(c->site, "example.org");
    assert_int_equal(c->start, DAY_ONE);
    assert_int_equal(c->end, DAY_ONE + 4 * SHARC_SEC);
    assert_int_equal(c->pages, 5);
    assert_int_equal(c->links, 4);
    struct sharc_store_page root, leaf, a;
    struct sharc_store_rows *x = get_page(f, c->id, "http://example.org/", &root);
    struct sharc_store_rows *y = get_page(f, c->id, "http://example.org/c", &leaf);
    struct sharc_store_rows *z = get_page(f, c->id, "http://example.org/a", &a);
    assert_int_equal(root.hops, 0);
    assert_int_equal(root.parent_id, 0);
    assert_int_equal(leaf.hops, 2);
    assert_int_equal(leaf.parent_id, a.url_id);
    assert_int_equal(leaf.visit.status, 200);
    assert_true(leaf.visit.place.offset > 0 && leaf.visit.place.length > 0);
    sharc_store_rows_free(x);
    sharc_store_rows_free(y);
    sharc_store_rows_free(z);
}

static void importing_twice_changes_nothing(void **state)
{
    struct world *f = world(state);
    SHARC_AUTO(sharc_freep) char *path = garden(f);
    SHARC_AUTO(sharc_import_result_done) struct sharc_import_result r = {0};
    import(f, path);
    SHARC_AUTO(sharc_freep) char *pages = dump(f->store, "page");
    SHARC_AUTO(sharc_freep) char *captures = dump(f->store, "capture");
    import_with(f, path, NULL, &r);
    assert_int_equal(r.files, 0);
    assert_int_equal(r.unchanged, 1);
    assert_int_equal(r.capture_count, 0);
    SHARC_AUTO(sharc_freep) char *pages_now = dump(f->store, "page");
    SHARC_AUTO(sharc_freep) char *captures_now = dump(f->store, "capture");
    assert_string_equal(pages, pages_now);
    assert_string_equal(captures, captures_now);
}

/* A file that grew is read from where it ended; one that moved is known. */
static void files_are_known_by_place_and_content(void **state)
{
    struct world *f = world(state);
    SHARC_AUTO(sharc_freep) char *path = garden(f);
    SHARC_AUTO(sharc_freep) char *moved = sharc_path_join(f->dir, "moved.warc.gz");
    SHARC_AUTO(sharc_buf_done) struct sharc_buf bytes = SHARC_BUF_INIT(1 << 20);
    struct sharc_err err = SHARC_ERR_INIT;
    assert_int_equal(sharc_file_read(path, &bytes, &err), 0);
    SHARC_AUTO(sharc_import_result_done) struct sharc_import_result first = {0}, second = {0}, third = {0};
    struct maker m;
    struct sharc_warc_place place;
    maker_start(&m, f->dir, "more.warc.gz", "");
    PUT(&m, .url = "http://example.org/d", .when = DAY_ONE + 5 * SHARC_SEC, .body = "new", .ret = &place);
    SHARC_AUTO(sharc_freep) char *more = maker_end(&m);
    SHARC_AUTO(sharc_buf_done) struct sharc_buf tail = SHARC_BUF_INIT(1 << 20);
    assert_int_equal(sharc_file_read(more, &tail, &err), 0);
    assert_int_equal(remove(more), 0);

    import_with(f, path, NULL, &first);
    sharc_buf_put(&bytes, sharc_span_from(sharc_buf_span(&tail), place.offset));
    assert_int_equal(sharc_file_replace(path, sharc_buf_span(&bytes), &err), 0);
    import_with(f, path, NULL, &second);
    assert_int_equal(second.records, 1);
    assert_int_equal(second.capture_count, 1);
    assert_int_equal(second.captures[0].id, first.captures[0].id);
    assert_int_equal(second.captures[0].pages, 6);
    assert_int_equal(rename(path, moved), 0);
    import_with(f, moved, NULL, &third);
    assert_int_equal(third.unchanged, 1);
    SHARC_AUTO(sharc_freep) char *warcs = dump(f->store, "warc");
    assert_non_null(strstr(warcs, ",moved.warc.gz,"));
    assert_int_equal(count_table(f, "page"), 6);
}

/* --- cleaning ----------------------------------------------------------------------- */

static void the_latest_download_counts(void **state)
{
    struct world *f = world(state);
    struct maker m;
    maker_start(&m, f->dir, "a.warc.gz", "");
    PUT(&m, .url = "http://example.org/", .when = DAY_ONE + 9, .body = "late");
    PUT(&m, .url = "http://example.org/", .when = DAY_ONE, .body = "early");
    SHARC_AUTO(sharc_freep) char *path = maker_end(&m);
    SHARC_AUTO(sharc_import_result_done) struct sharc_import_result r = {0};
    import_with(f, path, NULL, &r);
    assert_int_equal(r.captures[0].pages, 1);
    assert_int_equal(r.captures[0].repeated, 1);
    struct sharc_store_page p;
    struct sharc_store_rows *rows = get_page(f, r.captures[0].id, "http://example.org/", &p);
    assert_int_equal(p.visit.when, DAY_ONE + 9);
    sharc_store_rows_free(rows);
}

static void a_revisit_in_the_same_capture_is_the_second_visit(void **state)
{
    struct world *f = world(state);
    struct maker m;
    struct sharc_warc_place place;
    maker_start(&m, f->dir, "a.warc.gz", "");
    PUT(&m, .url = "http://example.org/", .when = DAY_ONE, .body = "text", .ret = &place);
    PUT(&m, .url = "http://example.org/", .when = DAY_ONE + SHARC_MINUTE, .original = &place, .original_when = DAY_ONE);
    PUT(&m, .url = "http://example.org/b", .when = DAY_ONE + 1, .body = "old");
    PUT(&m, .url = "http://example.org/b", .when = DAY_ONE + 2 * SHARC_MINUTE, .body = "changed",
        .metadata = "sharc-kind: revisit\r\n");
    SHARC_AUTO(sharc_freep) char *path = maker_end(&m);
    SHARC_AUTO(sharc_import_result_done) struct sharc_import_result r = {0};
    import_with(f, path, NULL, &r);
    assert_int_equal(r.captures[0].pages, 2);
    assert_int_equal(r.captures[0].repeated, 0);
    struct sharc_store_page a, b;
    struct sharc_store_rows *x = get_page(f, r.captures[0].id, "http://example.org/", &a);
    struct sharc_store_rows *y = get_page(f, r.captures[0].id, "http://example.org/b", &b);
    assert_int_equal(a.visit.when, DAY_ONE);
    assert_int_equal(a.revisit.when, DAY_ONE + SHARC_MINUTE);
    assert_true(sharc_digest_eq(&a.visit.digest, &a.revisit.digest));
    assert_int_equal(a.revisit.change, SHARC_UNCHANGED);
    assert_int_equal(a.revisit.size, a.visit.size);
    assert_int_equal(a.visit.change, SHARC_NEW);
    assert_int_equal(b.revisit.when, DAY_ONE + 2 * SHARC_MINUTE);
    assert_false(sharc_digest_eq(&b.visit.digest, &b.revisit.digest));
    assert_int_equal(b.revisit.change, SHARC_TEXT_CHANGED);
    sharc_store_rows_free(x);
    sharc_store_rows_free(y);
}

static void revisits_take_over_what_their_originals_have(void **state)
{
    struct world *f = world(state);
    struct maker m;
    struct sharc_warc_place place, other;
    maker_start(&m, f->dir, "a.warc.gz", "");
    PUT(&m, .url = "http://example.org/", .when = DAY_ONE, .body = "<title>T</title><a href=/b>b</a> text",
        .ret = &place);
    PUT(&m, .url = "http://example.net/", .when = DAY_ONE, .body = "elsewhere", .ret = &other);
    PUT(&m, .url = "http://example.org/", .when = DAY_ONE + 7 * SHARC_DAY, .original = &place,
        .original_when = DAY_ONE);
    PUT(&m, .url = "http://example.org/mirror", .when = DAY_ONE + 7 * SHARC_DAY, .original = &other,
        .original_url = "http://example.net/", .original_when = DAY_ONE);
    SHARC_AUTO(sharc_freep) char *path = maker_end(&m);
    SHARC_AUTO(sharc_import_result_done) struct sharc_import_result r = {0};
    import_with(f, path, NULL, &r);
    assert_int_equal(r.capture_count, 3);
    const struct sharc_import_capture *second = &r.captures[2];
    assert_int_equal(second->revisits, 2);
    assert_int_equal(second->unresolved, 0);
    assert_int_equal(second->links, 1);
    struct sharc_store_page p, q;
    struct sharc_store_rows *x = get_page(f, second->id, "http://example.org/", &p);
    struct sharc_store_rows *y = get_page(f, second->id, "http://example.org/mirror", &q);
    assert_span(p.title, "T");
    assert_span(p.mime, "text/html");
    assert_int_equal(p.body.offset, place.offset);
    assert_int_not_equal(p.visit.place.offset, place.offset);
    assert_int_equal(p.visit.change, SHARC_UNCHANGED);
    assert_int_equal(q.body.offset, other.offset);
    sharc_store_rows_free(x);
    sharc_store_rows_free(y);
}

/* --- captures ------------------------------------------------------------------------- */

static void change_is_told_against_the_capture_before(void **state)
{
    struct world *f = world(state);
    struct maker m;
    const char *text = "one two three four five six seven eight nine ten eleven twelve ";
    maker_start(&m, f->dir, "a.warc.gz", "");
    PUT(&m, .url = "http://example.org/", .when = DAY_ONE, .body = "same");
    PUT(&m, .url = "http://example.org/t", .when = DAY_ONE + 1, .body = text);
    PUT(&m, .url = "http://example.org/m", .when = DAY_ONE + 2, .body = "<p>words here</p>");
    PUT(&m, .url = "http://example.org/g", .when = DAY_ONE + 3, .body = "here");
    sharc_time next = DAY_ONE + SHARC_DAY;
    PUT(&m, .url = "http://example.org/", .when = next, .body = "same");
    PUT(&m, .url = "http://example.org/t", .when = next + 1, .body = "quite another text than the one before it");
    PUT(&m, .url = "http://example.org/m", .when = next + 2, .body = "<p class=x>words here</p>");
    PUT(&m, .url = "http://example.org/g", .when = next + 3, .head = "HTTP/1.1 404 Not Found\r\n\r\n", .body = "no");
    PUT(&m, .url = "http://example.org/n", .when = next + 4, .body = "new");
    SHARC_AUTO(sharc_freep) char *path = maker_end(&m);
    SHARC_AUTO(sharc_import_result_done) struct sharc_import_result r = {0};
    import_with(f, path, NULL, &r);
    assert_int_equal(r.capture_count, 2);
    const struct {
        const char *url;
        int change;
    } want[] = {{"http://example.org/", SHARC_UNCHANGED},
                {"http://example.org/t", SHARC_TEXT_CHANGED},
                {"http://example.org/m", SHARC_INSIGNIFICANT},
                {"http://example.org/g", SHARC_MISSING},
                {"http://example.org/n", SHARC_NEW}};
    for (size_t i = 0; i < SHARC_LENGTH(want); i++) {
        struct sharc_store_page p;
        struct sharc_store_rows *rows = get_page(f, r.captures[1].id, want[i].url, &p);
        assert_int_equal(p.visit.change, want[i].change);
        sharc_store_rows_free(rows);
    }
}

static void hours_between_make_one_capture_of_two(void **state)
{
    struct world *f = world(state);
    struct maker m;
    struct sharc_warc_place place;
    maker_start(&m, f->dir, "1.warc.gz", "");
    PUT(&m, .url = "http://example.org/", .when = DAY_ONE, .body = "1", .ret = &place);
    PUT(&m, .url = "http://example.org/a", .when = DAY_ONE + SHARC_HOUR, .body = "a");
    SHARC_AUTO(sharc_freep) char *one = maker_end(&m);
    maker_start(&m, f->dir, "3.warc.gz", "");
    PUT(&m, .url = "http://example.org/", .when = DAY_ONE + 10 * SHARC_HOUR, .original = &place,
        .original_when = DAY_ONE);
    PUT(&m, .url = "http://example.org/b", .when = DAY_ONE + 11 * SHARC_HOUR, .body = "b");
    SHARC_AUTO(sharc_freep) char *three = maker_end(&m);
    maker_start(&m, f->dir, "2.warc.gz", "");
    PUT(&m, .url = "http://example.org/c", .when = DAY_ONE + 5 * SHARC_HOUR, .body = "c");
    SHARC_AUTO(sharc_freep) char *two = maker_end(&m);
    import(f, one);
    import(f, three);
    assert_int_equal(count_table(f, "capture"), 2);
    SHARC_AUTO(sharc_import_result_done) struct sharc_import_result r = {0};
    import_with(f, two, NULL, &r);
    assert_int_equal(count_table(f, "capture"), 1);
    assert_int_equal(r.captures[0].pages, 4);
    assert_int_equal(r.captures[0].start, DAY_ONE);
    assert_int_equal(r.captures[0].end, DAY_ONE + 11 * SHARC_HOUR);
    struct sharc_store_page p;
    struct sharc_store_rows *rows = get_page(f, r.captures[0].id, "http://example.org/", &p);
    assert_int_equal(p.visit.when, DAY_ONE);
    assert_int_equal(p.revisit.when, DAY_ONE + 10 * SHARC_HOUR);
    sharc_store_rows_free(rows);
}

static void captures_may_be_given(void **state)
{
    struct world *f = world(state);
    struct maker m;
    maker_start(&m, f->dir, "a.warc.gz", "isPartOf: x\r\n");
    PUT(&m, .url = "http://example.org/", .when = DAY_ONE, .body = "1");
    PUT(&m, .url = "http://cdn.example/", .when = DAY_ONE + 30 * SHARC_DAY, .body = "2");
    SHARC_AUTO(sharc_freep) char *path = maker_end(&m);
    SHARC_AUTO(sharc_import_result_done) struct sharc_import_result r = {0};
    struct sharc_import_options o = {.capture = "mine", .site = "my site"};
    import_with(f, path, &o, &r);
    assert_int_equal(r.capture_count, 1);
    assert_string_equal(r.captures[0].key, "mine");
    assert_string_equal(r.captures[0].site, "my site");
    assert_int_equal(r.captures[0].pages, 2);
}

/* What metadata says goes before what links say. */
static void metadata_tells_the_way(void **state)
{
    struct world *f = world(state);
    struct maker m;
    maker_start(&m, f->dir, "a.warc.gz", "isPartOf: example.org\r\nsharc-strategy: bfs\r\nsharc-purpose: evidence\r\n");
    PUT(&m, .url = "http://example.org/", .when = DAY_ONE, .body = "<a href=/a>a</a><a href=/b>b</a>",
        .metadata = "seed: \r\nhopsFromSeed: \r\nsharc-slot: 0\r\n");
    PUT(&m, .url = "http://example.org/a", .when = DAY_ONE + 1, .body = "<a href=/b>b</a>",
        .metadata = "via: http://example.org/\r\nhopsFromSeed: L\r\nsharc-slot: 1\r\nsharc-rate: 0.5\r\n");
    PUT(&m, .url = "http://cdn.example/b", .when = DAY_ONE + 2, .body = "x",
        .metadata = "via: http://example.org/a\r\nhopsFromSeed: LE\r\nsharc-hopeless: true\r\n");
    PUT(&m, .url = "http://example.org/b", .when = DAY_ONE + 3, .body = "x");
    SHARC_AUTO(sharc_freep) char *path = maker_end(&m);
    SHARC_AUTO(sharc_import_result_done) struct sharc_import_result r = {0};
    import_with(f, path, NULL, &r);
    assert_int_equal(r.capture_count, 1);
    struct sharc_store_page root, a, b, cdn;
    struct sharc_store_rows *w = get_page(f, r.captures[0].id, "http://example.org/", &root);
    struct sharc_store_rows *x = get_page(f, r.captures[0].id, "http://example.org/a", &a);
    struct sharc_store_rows *y = get_page(f, r.captures[0].id, "http://example.org/b", &b);
    struct sharc_store_rows *z = get_page(f, r.captures[0].id, "http://cdn.example/b", &cdn);
    assert_int_equal(a.parent_id, root.url_id);
    assert_int_equal(a.visit.slot, 1);
    assert_int_equal(cdn.parent_id, a.url_id);
    assert_int_equal(cdn.hops, 2);
    assert_true(cdn.hopeless);
    assert_int_equal(b.parent_id, root.url_id);
    assert_int_equal(b.hops, 1);
    sharc_store_rows_free(w);
    sharc_store_rows_free(x);
    sharc_store_rows_free(y);
    sharc_store_rows_free(z);
    SHARC_AUTO(sharc_freep) char *captures = dump(f->store, "capture");
    assert_non_null(strstr(captures, ",bfs,evidence,"));
}

static void sites_may_be_hosts_or_runs(void **state)
{
    struct world *f = world(state);
    struct maker m;
    maker_start(&m, f->dir, "a.warc.gz", "");
    PUT(&m, .url = "http://www.example.org/", .when = DAY_ONE, .body = "1");
    PUT(&m, .url = "http://img.example.org:8080/", .when = DAY_ONE + 1, .body = "2");
    PUT(&m, .url = "http://other.example/", .when = DAY_ONE + 2, .body = "3");
    SHARC_AUTO(sharc_freep) char *path = maker_end(&m);
    const char *const sites[][3] = {{"example.org", "other.example", NULL},
                                    {"img.example.org:8080", "other.example", "www.example.org"},
                                    {"example.org", NULL, NULL}};
    for (int by = 0; by < 3; by++) {
        struct sharc_store *store = NULL;
        struct sharc_err err = SHARC_ERR_INIT;
        struct sharc_import_options o = {.by = (enum sharc_import_by)by};
        const char *in = path;
        SHARC_AUTO(sharc_import_result_done) struct sharc_import_result r = {0};
        assert_int_equal(sharc_store_open("memory:", NULL, &store, &err), 0);
        assert_int_equal(sharc_import(store, &in, 1, &o, &r, &err), 0);
        for (size_t i = 0; i < 3; i++) {
            assert_int_equal(i < r.capture_count, sites[by][i] != NULL);
            if (sites[by][i]) assert_string_equal(r.captures[i].site, sites[by][i]);
        }
        sharc_store_free(store);
    }
}

static void case_may_be_merged(void **state)
{
    struct world *f = world(state);
    struct maker m;
    maker_start(&m, f->dir, "a.warc.gz", "");
    PUT(&m, .url = "http://example.org/Page", .when = DAY_ONE, .body = "1");
    PUT(&m, .url = "http://example.org/page", .when = DAY_ONE + 1, .body = "1");
    SHARC_AUTO(sharc_freep) char *path = maker_end(&m);
    SHARC_AUTO(sharc_import_result_done) struct sharc_import_result r = {0};
    struct sharc_import_options o = {.merge_case = true};
    import_with(f, path, &o, &r);
    assert_int_equal(r.captures[0].pages, 1);
    assert_int_equal(r.captures[0].repeated, 1);
    unsigned found[SHARC_FAULT_COUNT] = {0};
    struct sharc_import_check check = {.archive = f->dir, .finding = count_finding, .arg = found};
    struct sharc_import_checked sum;
    struct sharc_err err = SHARC_ERR_INIT;
    assert_int_equal(sharc_import_check(f->store, &check, &sum, &err), 0);
    assert_int_equal(sum.findings, 0);
}

/* A server's "not modified" without a digest, of a page that had another URL. */
static void originals_are_found_by_reference(void **state)
{
    struct world *f = world(state);
    SHARC_AUTO(sharc_freep) char *path = sharc_path_join(f->dir, "a.warc");
    struct sharc_err err = SHARC_ERR_INIT;
    SHARC_AUTO(sharc_buf_done) struct sharc_buf b = SHARC_BUF_INIT(1 << 16);
    const char *const blocks[] = {"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n\r\n<title>T</title>text",
                                  "HTTP/1.1 304 Not Modified\r\n\r\n"};
    const char *const heads[] = {
        "WARC-Type: response\r\nWARC-Target-URI: http://example.org/old\r\nWARC-Date: 2026-11-01T10:00:00Z\r\n",
        "WARC-Type: revisit\r\nWARC-Target-URI: http://example.org/new\r\nWARC-Date: 2026-11-02T10:00:00Z\r\n"
        "WARC-Profile: http://netpreserve.org/warc/1.1/revisit/server-not-modified\r\n"
        "WARC-Refers-To-Target-URI: http://example.org/old\r\nWARC-Refers-To-Date: 2026-11-01T10:00:00Z\r\n"};
    for (int i = 0; i < 2; i++)
        sharc_buf_printf(&b,
                         "WARC/1.0\r\n%sWARC-Record-ID: <urn:uuid:00000000-0000-4000-8000-00000000000%d>\r\n"
                         "Content-Type: application/http\r\nContent-Length: %zu\r\n\r\n%s\r\n\r\n",
                         heads[i], i, strlen(blocks[i]), blocks[i]);
    assert_int_equal(sharc_file_replace(path, sharc_buf_span(&b), &err), 0);
    SHARC_AUTO(sharc_import_result_done) struct sharc_import_result r = {0};
    import_with(f, path, NULL, &r);
    assert_int_equal(r.capture_count, 2);
    assert_int_equal(r.captures[1].revisits, 1);
    assert_int_equal(r.captures[1].unresolved, 0);
    struct sharc_store_page p;
    struct sharc_store_rows *rows = get_page(f, r.captures[1].id, "http://example.org/new", &p);
    assert_int_equal(p.record, SHARC_STORE_NOT_MODIFIED);
    assert_span(p.title, "T");
    assert_int_equal(p.body.offset, 0);
    assert_true(p.body.length > 0);
    sharc_store_rows_free(rows);
}

/* The WARC files inside a container are files of their own, named behind it. */
static void containers_are_read_in_place(void **state)
{
    struct world *f = world(state);
    SHARC_AUTO(sharc_freep) char *path = garden(f);
    SHARC_AUTO(sharc_freep) char *wacz = sharc_path_join(f->dir, "garden.wacz");
    const char *in = path;
    struct sharc_err err = SHARC_ERR_INIT;
    struct sharc_wacz_options o = {.now = DAY_ONE};
    struct sharc_wacz_written written;
    if (sharc_wacz_write(wacz, &in, 1, &o, &written, &err) < 0) fail_msg("%s", err.text);
    assert_int_equal(remove(path), 0);
    SHARC_AUTO(sharc_import_result_done) struct sharc_import_result r = {0}, again = {0};
    import_with(f, wacz, NULL, &r);
    assert_int_equal(r.captures[0].pages, 5);
    import_with(f, wacz, NULL, &again);
    assert_int_equal(again.unchanged, 1);
    SHARC_AUTO(sharc_freep) char *warcs = dump(f->store, "warc");
    assert_non_null(strstr(warcs, ",garden.wacz#archive/garden.warc.gz,"));
    unsigned found[SHARC_FAULT_COUNT] = {0};
    struct sharc_import_check check = {.archive = f->dir, .finding = count_finding, .arg = found};
    struct sharc_import_checked sum;
    assert_int_equal(sharc_import_check(f->store, &check, &sum, &err), 0);
    assert_int_equal(sum.findings, 0);
    assert_int_equal(sum.records, 5);
}

static void count_call(void *arg, const struct sharc_err *what)
{
    (void)what;
    ++*(int *)arg;
}

static void a_missing_input_does_not_keep_the_others_out(void **state)
{
    struct world *f = world(state);
    SHARC_AUTO(sharc_freep) char *path = garden(f);
    SHARC_AUTO(sharc_freep) char *absent = sharc_path_join(f->dir, "absent.warc.gz");
    const char *inputs[] = {absent, path, absent};
    int told = 0;
    struct sharc_import_options o = {.archive = f->dir, .warn = count_call, .arg = &told, .clock = sharc_clock_real()};
    SHARC_AUTO(sharc_import_result_done) struct sharc_import_result r = {0};
    struct sharc_err err = SHARC_ERR_INIT;
    assert_int_equal(sharc_import(f->store, inputs, SHARC_LENGTH(inputs), &o, &r, &err), SHARC_ENOENT);
    assert_non_null(strstr(err.text, "absent.warc.gz: there is no such file"));
    assert_int_equal(told, 2);
    assert_int_equal(r.missing, 2);
    assert_int_equal(r.failed, 0);
    assert_int_equal(r.captures[0].pages, 5);
}

static const struct CMUnitTest tests[] = {
    TEST(a_file_becomes_a_capture_with_its_tree),
    TEST(importing_twice_changes_nothing),
    TEST(files_are_known_by_place_and_content),
    TEST(the_latest_download_counts),
    TEST(a_revisit_in_the_same_capture_is_the_second_visit),
    TEST(revisits_take_over_what_their_originals_have),
    TEST(change_is_told_against_the_capture_before),
    TEST(hours_between_make_one_capture_of_two),
    TEST(captures_may_be_given),
    TEST(metadata_tells_the_way),
    IN_MEMORY(sites_may_be_hosts_or_runs),
    TEST(case_may_be_merged),
    TEST(originals_are_found_by_reference),
    IN_MEMORY(containers_are_read_in_place),
    IN_MEMORY(a_missing_input_does_not_keep_the_others_out),
};
TEST_MAIN(tests)

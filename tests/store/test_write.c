/* SPDX-License-Identifier: Apache-2.0
 *
 * What is written comes back, whole, once, and on every back-end the same.
 */
#include "store_test.h"

#include "../../src/store/store_int.h"

#include <stdio.h>
#include <stdlib.h>

static struct sharc_store_batch *batch_of(struct fixture *f)
{
    struct sharc_store_batch *b;
    sharc_store_batch_new(f->store, &b);
    return b;
}

/* The only row of the pages that f asks for. */
static struct sharc_store_rows *one_page(struct fixture *f, sharc_store_id capture, const char *url,
                                         struct sharc_store_page *ret)
{
    struct sharc_err err = SHARC_ERR_INIT;
    struct sharc_store_page_filter filter = {.capture = capture, .looks = true, .features = true};
    must(sharc_store_url_find(f->store, sharc_span_of(url), &filter.url, &err), &err);
    struct sharc_store_rows *rows;
    must(sharc_store_pages(f->store, &filter, &rows, &err), &err);
    assert_int_equal(must(sharc_store_rows_next(rows, &err), &err), 1);
    sharc_store_read_page(rows, ret);
    return rows;
}

static void a_page_comes_back_with_all_it_had(void **state)
{
    struct fixture *f = fixture(state);
    make_captures(f);
    struct sharc_err err = SHARC_ERR_INIT;
    struct sharc_store_batch *b = batch_of(f);
    uint32_t minhash[128];
    for (uint32_t i = 0; i < 128; i++) minhash[i] = i * 0x01000193u;
    struct sharc_store_page p = page_of(f->capture[0], "http://example.org/a?b=1", T0, 200, "body", "text");
    p.parent = SHARC_SPAN("http://example.org/");
    p.redirect = SHARC_SPAN("http://example.org/elsewhere");
    p.hops = 3;
    p.hopeless = true;
    p.planned_rate = 0.125;
    p.weight = 2.5;
    p.visit.took = 1234;
    p.visit.slot = 17;
    p.visit.etag = SHARC_SPAN("W/\"x\"");
    p.visit.last_modified = T0 - SHARC_DAY;
    p.visit.change = SHARC_TEXT_CHANGED;
    p.visit.importance = 0.75;
    p.visit.rate = 0.0625;
    p.visit.place = (struct sharc_store_place){f->warc, 4096, 777};
    p.record = SHARC_STORE_IDENTICAL;
    p.body = (struct sharc_store_place){f->warc, 16, 99};
    p.title = SHARC_SPAN("A t\xc3\xaftle");
    p.minhash = sharc_span(minhash, sizeof minhash);
    p.stated = T0 - 2 * SHARC_DAY;
    p.words = 100;
    p.images = 3;
    p.tables = 0;
    p.out_links = 12;
    put_page(b, &p);
    struct sharc_store_look second = SHARC_STORE_LOOK_INIT, revisit = SHARC_STORE_LOOK_INIT;
    second.when = T0 + SHARC_HOUR;
    second.slot = 40;
    second.status = 200;
    revisit.when = T0 + 2 * SHARC_HOUR;
    revisit.slot = 50;
    revisit.status = 304;
    revisit.change = SHARC_UNCHANGED;
    revisit.place = (struct sharc_store_place){f->warc, 9000, 50};
    revisit.digest = p.visit.digest;
    must(sharc_store_batch_look(b, f->capture[0], p.url, SHARC_LOOK_REVISIT, &revisit, &err), &err);
    must(sharc_store_batch_look(b, f->capture[0], p.url, SHARC_LOOK_SECOND, &second, &err), &err);
    assert_int_equal(sharc_store_batch_rows(b), 3);
    commit(b);
    assert_int_equal(sharc_store_batch_rows(b), 0);
    sharc_store_batch_free(b);
    fixture_reopen(f);

    struct sharc_store_page q;
    struct sharc_store_rows *rows = one_page(f, f->capture[0], "http://example.org/a?b=1", &q);
    assert_span(q.url, "http://example.org/a?b=1");
    assert_span(q.parent, "http://example.org/");
    assert_span(q.redirect, "http://example.org/elsewhere");
    assert_span(q.title, "A t\xc3\xaftle");
    assert_span(q.mime, "text/html");
    assert_span(q.visit.etag, "W/\"x\"");
    assert_int_equal(q.hops, 3);
    assert_true(q.hopeless);
    assert_close(q.planned_rate, 0.125, 0);
    assert_close(q.weight, 2.5, 0);
    assert_int_equal(q.visit.when, T0);
    assert_int_equal(q.visit.took, 1234);
    assert_int_equal(q.visit.slot, 17);
    assert_int_equal(q.visit.status, 200);
    assert_int_equal(q.visit.size, 4);
    assert_true(sharc_digest_eq(&q.visit.digest, &p.visit.digest));
    assert_true(sharc_digest_eq(&q.visit.text_digest, &p.visit.text_digest));
    assert_int_equal(q.visit.last_modified, T0 - SHARC_DAY);
    assert_int_equal(q.visit.change, SHARC_TEXT_CHANGED);
    assert_close(q.visit.importance, 0.75, 0);
    assert_close(q.visit.rate, 0.0625, 0);
    assert_int_equal(q.visit.place.warc, f->warc);
    assert_int_equal(q.visit.place.offset, 4096);
    assert_int_equal(q.visit.place.length, 777);
    assert_int_equal(q.record, SHARC_STORE_IDENTICAL);
    assert_int_equal(q.body.offset, 16);
    assert_int_equal(q.minhash.n, sizeof minhash);
    assert_memory_equal(q.minhash.p, minhash, sizeof minhash);
    assert_int_equal(q.stated, T0 - 2 * SHARC_DAY);
    assert_int_equal(q.words, 100);
    assert_int_equal(q.images, 3);
    assert_int_equal(q.tables, 0);
    assert_int_equal(q.out_links, 12);
    assert_int_equal(q.second.slot, 40);
    assert_int_equal(q.second.when, T0 + SHARC_HOUR);
    assert_int_equal(q.second.change, SHARC_STORE_NO_CHANGE);
    assert_int_equal(q.revisit.slot, 50);
    assert_int_equal(q.revisit.status, 304);
    assert_int_equal(q.revisit.change, SHARC_UNCHANGED);
    assert_int_equal(q.revisit.place.offset, 9000);
    assert_int_equal(must(sharc_store_rows_next(rows, &err), &err), 0);
    assert_int_equal(must(sharc_store_rows_next(rows, &err), &err), 0);
    sharc_store_rows_free(rows);
}

static void what_is_unknown_stays_unknown(void **state)
{
    struct fixture *f = fixture(state);
    make_captures(f);
    struct sharc_store_batch *b = batch_of(f);
    struct sharc_store_page p = SHARC_STORE_PAGE_INIT, q;
    p.capture = f->capture[0];
    p.url = SHARC_SPAN("http://example.org/");
    p.visit.when = T0;
    p.visit.status = SHARC_ENET;
    put_page(b, &p);
    commit(b);
    sharc_store_batch_free(b);
    struct sharc_store_rows *rows = one_page(f, f->capture[0], "http://example.org/", &q);
    assert_int_equal(q.visit.status, SHARC_ENET);
    assert_int_equal(q.visit.size, -1);
    assert_int_equal(q.visit.slot, -1);
    assert_int_equal(q.visit.took, -1);
    assert_int_equal(q.visit.digest.n, 0);
    assert_true(q.visit.last_modified == SHARC_TIME_NONE);
    assert_int_equal(q.visit.change, SHARC_STORE_NO_CHANGE);
    assert_true(isnan(q.visit.rate));
    assert_true(isnan(q.planned_rate));
    assert_int_equal(q.visit.place.warc, 0);
    assert_null(q.parent.p);
    assert_null(q.redirect.p);
    assert_null(q.title.p);
    assert_null(q.mime.p);
    assert_int_equal(q.hops, -1);
    assert_int_equal(q.words, -1);
    assert_int_equal(q.link_set, 0);
    assert_true(q.second.when == SHARC_TIME_NONE);
    assert_true(q.revisit.when == SHARC_TIME_NONE);
    sharc_store_rows_free(rows);
}

/* Latest wins, in one batch and over several, in whatever order they come. */
static void of_repeated_downloads_the_latest_stays(void **state)
{
    struct fixture *f = fixture(state);
    make_captures(f);
    struct sharc_store_batch *b = batch_of(f);
    static const int orders[6][3] = {{0, 1, 2}, {0, 2, 1}, {1, 0, 2}, {1, 2, 0}, {2, 0, 1}, {2, 1, 0}};
    static const char *const bodies[] = {"one", "three", "two"};
    for (int together = 0; together < 2; together++) {
        for (int o = 0; o < 6; o++) {
            char url[64];
            snprintf(url, sizeof url, "http://example.org/%d/%d", together, o);
            for (int i = 0; i < 3; i++) {
                int k = orders[o][i];
                struct sharc_store_page p = page_of(f->capture[0], url, T0 + k, 200, bodies[k], NULL);
                put_page(b, &p);
                if (!together) commit(b);
            }
            if (together) commit(b);
            struct sharc_store_page q;
            struct sharc_store_rows *rows = one_page(f, f->capture[0], url, &q);
            assert_int_equal(q.visit.when, T0 + 2);
            assert_int_equal(q.visit.size, 3);
            sharc_store_rows_free(rows);
        }
    }
    /* At the same time: the one further back in the files. */
    for (int i = 0; i < 3; i++) {
        struct sharc_store_page p = page_of(f->capture[0], "http://example.org/tie", T0, 200, "x", NULL), q;
        p.visit.place = (struct sharc_store_place){f->warc, i == 1 ? 500u : 100u, 10};
        put_page(b, &p);
        if (i == 1) commit(b);
        if (i != 2) continue;
        commit(b);
        struct sharc_store_rows *rows = one_page(f, f->capture[0], "http://example.org/tie", &q);
        assert_int_equal(q.visit.place.offset, 500);
        sharc_store_rows_free(rows);
    }
    sharc_store_batch_free(b);
}

static void the_same_batch_again_changes_nothing(void **state)
{
    struct fixture *f = fixture(state);
    make_captures(f);
    struct sharc_err err = SHARC_ERR_INIT;
    static const char *const counts[] = {"SELECT count(*) FROM url",     "SELECT count(*) FROM page",
                                         "SELECT count(*) FROM look",    "SELECT count(*) FROM link_set",
                                         "SELECT count(*) FROM content", "SELECT count(*) FROM skipped",
                                         "SELECT count(*) FROM journal", "SELECT count(*) FROM host",
                                         "SELECT count(*) FROM rate",    "SELECT count(*) FROM pattern",
                                         "SELECT done FROM warc",        "SELECT records FROM warc"};
    static const int64_t want[] = {4, 1, 1, 1, 1, 1, 1, 2, 1, 1, 500, 7};
    for (int round = 0; round < 3; round++) {
        struct sharc_store_batch *b = batch_of(f);
        struct sharc_store_page p = page_of(f->capture[0], "http://example.org/", T0, 200, "b", "t");
        struct sharc_store_link links[] = {{SHARC_SPAN("http://example.org/x"), 0},
                                           {SHARC_SPAN("http://other.example/y"), 1},
                                           {SHARC_SPAN("http://example.org/x"), 0}};
        p.links = links;
        p.n_links = 3;
        p.title = SHARC_SPAN("t");
        put_page(b, &p);
        struct sharc_store_look look = p.visit;
        must(sharc_store_batch_look(b, p.capture, p.url, SHARC_LOOK_REVISIT, &look, &err), &err);
        must(sharc_store_batch_skipped(b, p.capture, SHARC_SPAN("http://example.org/z"), SHARC_SPAN("robots"),
                                       SHARC_SPAN("no"), &err),
             &err);
        must(sharc_store_batch_journal(b, p.capture, 0, SHARC_SPAN("noted"), &err), &err);
        struct sharc_store_rate rate = {.url = p.url, .source = SHARC_SPAN("history"), .value = 1e-6, .when = T0};
        must(sharc_store_batch_rate(b, &rate, &err), &err);
        must(sharc_store_batch_pattern(b, p.url, SHARC_SPAN("\0\1\2"), 4, T0, &err), &err);
        struct sharc_store_warc w = {.id = f->warc, .done = 500, .records = 7, .capture = p.capture};
        must(sharc_store_batch_warc(b, &w, &err), &err);
        struct sharc_store_capture c = SHARC_STORE_CAPTURE_INIT;
        c.id = p.capture;
        c.state = SHARC_CAPTURE_IMPORTED;
        must(sharc_store_batch_capture(b, &c, &err), &err);
        commit(b);
        sharc_store_batch_free(b);
        for (size_t i = 0; i < SHARC_LENGTH(counts); i++) assert_int_equal(fixture_number(f, counts[i]), want[i]);
        fixture_reopen(f);
    }
    assert_int_equal(must(sharc_store_check(f->store, NULL, NULL, &err), &err), 0);
}

static void equal_contents_and_links_are_stored_once(void **state)
{
    struct fixture *f = fixture(state);
    make_captures(f);
    struct sharc_store_batch *b = batch_of(f);
    struct sharc_store_link links[] = {{SHARC_SPAN("http://example.org/x"), 0},
                                       {SHARC_SPAN("http://example.org/y"), 1}};
    struct sharc_store_link swapped[] = {links[1], links[0], links[1]};
    for (int i = 0; i < 6; i++) {
        char url[64];
        snprintf(url, sizeof url, "http://example.org/%d", i / 2);
        struct sharc_store_page p = page_of(f->capture[i % 2], url, T0 + i, 200, "b", "t");
        p.links = i % 2 ? links : swapped;
        p.n_links = i % 2 ? 2 : 3;
        p.title = SHARC_SPAN("same");
        p.words = 10;
        put_page(b, &p);
        if (i == 2) commit(b);
    }
    struct sharc_store_page none = page_of(f->capture[0], "http://example.org/none", T0, 200, "b", "t");
    none.has_links = true;
    put_page(b, &none);
    commit(b);
    sharc_store_batch_free(b);
    assert_int_equal(fixture_number(f, "SELECT count(*) FROM link_set"), 2);
    assert_int_equal(fixture_number(f, "SELECT max(links) FROM link_set"), 2);
    assert_int_equal(fixture_number(f, "SELECT count(*) FROM content"), 2); /* that there are no links is one */
    assert_int_equal(fixture_number(f, "SELECT count(*) FROM page"), 7);
}

/* URLs that get their numbers before the commit are the same rows. */
static void urls_may_be_numbered_before_the_commit(void **state)
{
    enum { LINKS = 50 };
    struct fixture *f = fixture(state);
    make_captures(f);
    struct sharc_err err = SHARC_ERR_INIT;
    struct sharc_store_batch *b = batch_of(f);
    char url[LINKS][64];
    struct sharc_store_link links[LINKS];
    for (int i = 0; i < LINKS; i++) {
        snprintf(url[i], sizeof url[i], "http://host%d.example/%d", i % 3, i);
        links[i] = (struct sharc_store_link){sharc_span_of(url[i]), 0};
    }
    struct sharc_store_page p = page_of(f->capture[0], "http://example.org/many", T0, 200, "b", "t"), q;
    p.links = links;
    p.n_links = LINKS;
    p.has_links = true;
    put_page(b, &p);
    int64_t before = fixture_number(f, "SELECT count(*) FROM url");
    assert_int_equal(sharc_store_batch_unnumbered(b), LINKS + 1);
    must(sharc_store_batch_number(b, 20, &err), &err);
    assert_int_equal(sharc_store_batch_unnumbered(b), LINKS + 1 - 20);
    assert_int_equal(fixture_number(f, "SELECT count(*) FROM url"), before + 20);
    assert_int_equal(fixture_number(f, "SELECT count(*) FROM page"), 0);
    while (sharc_store_batch_unnumbered(b)) must(sharc_store_batch_number(b, 20, &err), &err);
    must(sharc_store_batch_number(b, 20, &err), &err); /* none is left */
    commit(b);
    assert_int_equal(sharc_store_batch_unnumbered(b), 0);
    assert_int_equal(fixture_number(f, "SELECT count(*) FROM url"), before + LINKS + 1);
    assert_int_equal(fixture_number(f, "SELECT max(links) FROM link_set"), LINKS);
    struct sharc_store_rows *rows = one_page(f, f->capture[0], "http://example.org/many", &q);
    assert_int_equal(q.visit.status, 200);
    sharc_store_rows_free(rows);
    sharc_store_batch_free(b);
    assert_int_equal(must(sharc_store_check(f->store, NULL, NULL, &err), &err), 0);
}

static void foreign_bytes_are_made_fit(void **state)
{
    struct fixture *f = fixture(state);
    make_captures(f);
    struct sharc_err err = SHARC_ERR_INIT;
    struct sharc_store_batch *b = batch_of(f);
    struct sharc_store_page p = page_of(f->capture[0], "x", T0, 200, "b", NULL), q;
    p.url = SHARC_SPAN("http://example.org/\xff\xc3\xa4\0");
    char title[2000];
    memset(title, 'a', sizeof title);
    memcpy(title + 510, "\xe2\x82\xac", 3);
    p.title = sharc_span(title, sizeof title);
    p.mime = SHARC_SPAN("text/\xfe\0html");
    put_page(b, &p);
    commit(b);
    struct sharc_store_rows *rows = one_page(f, f->capture[0], "http://example.org/%FF\xc3\xa4%00", &q);
    assert_int_equal(q.title.n, 510);
    assert_span(q.mime, "text/\xef\xbf\xbd\xef\xbf\xbdhtml");
    sharc_store_rows_free(rows);
    sharc_store_id id;
    must(sharc_store_url_find(f->store, p.url, &id, &err), &err);

    static char huge[SHARC_LIMIT_URL + 2];
    memset(huge, 'u', sizeof huge - 1);
    p.url = sharc_span_of(huge);
    assert_int_equal(sharc_store_batch_page(b, &p, &err), SHARC_ELIMIT);
    p.url = SHARC_SPAN_NONE;
    assert_int_equal(sharc_store_batch_page(b, &p, &err), SHARC_EINVAL);
    p.url = SHARC_SPAN("http://example.org/");
    p.visit.when = SHARC_TIME_NONE;
    assert_int_equal(sharc_store_batch_page(b, &p, &err), SHARC_EINVAL);
    assert_int_equal(sharc_store_url_find(f->store, SHARC_SPAN("http://nowhere.example/"), &id, &err), SHARC_ENOENT);
    sharc_store_batch_free(b);
}

static void a_small_cache_forgets_and_finds_again(void **state)
{
    struct fixture *f = fixture(state);
    struct sharc_store_options o = {.cache_urls = 10};
    sharc_store_freep(&f->store);
    struct sharc_err err = SHARC_ERR_INIT;
    must(sharc_store_open(f->url, &o, &f->store, &err), &err);
    make_captures(f);
    struct sharc_store_batch *b = batch_of(f);
    for (int i = 0; i < 500; i++) {
        char url[64];
        snprintf(url, sizeof url, "http://h%d.example/%d", i % 37, i % 101);
        struct sharc_store_page p = page_of(f->capture[i % 3], url, T0 + i, 200, "b", NULL);
        put_page(b, &p);
        if (i % 23 == 0) commit(b);
    }
    commit(b);
    sharc_store_batch_free(b);
    assert_int_equal(fixture_number(f, "SELECT count(*) FROM url"), 500);
    assert_int_equal(fixture_number(f, "SELECT count(DISTINCT text) FROM url"), 500);
    assert_int_equal(fixture_number(f, "SELECT count(*) FROM host"), 37);
}

/* Two writers with the same URLs: both get the same numbers. */
static void two_writers_share_urls(void **state)
{
    struct fixture *f = fixture(state);
    make_captures(f);
    struct sharc_store *other = fixture_again(f, NULL);
    struct sharc_store_batch *b[2];
    sharc_store_batch_new(f->store, &b[0]);
    sharc_store_batch_new(other, &b[1]);
    for (int i = 0; i < 200; i++) {
        char url[64];
        snprintf(url, sizeof url, "http://example.org/%d", i % 150);
        struct sharc_store_page p = page_of(f->capture[i % 2], url, T0 + i, 200, "b", NULL);
        put_page(b[i % 2], &p);
        if (i % 31 == 0) commit(b[i % 2]);
    }
    for (int i = 0; i < 2; i++) {
        commit(b[i]);
        sharc_store_batch_free(b[i]);
    }
    sharc_store_free(other);
    assert_int_equal(fixture_number(f, "SELECT count(*) FROM url"), 150);
}

static void link_sets_survive_packing(void **state)
{
    (void)state;
    SHARC_AUTO(sharc_buf_done) struct sharc_buf out = SHARC_BUF_INIT(1u << 20);
    struct sharc__store_target t[] = {{300, 0}, {7, 1}, {7, 0}, {INT64_C(1) << 40, 15}, {300, 0}, {1, 2}};
    assert_int_equal(sharc__store_links_pack(t, 6, &out), 5);
    assert_memory_equal(out.p, "\x12\x60\x01", 3);
    static const struct sharc__store_target want[] = {{1, 2}, {7, 0}, {7, 1}, {300, 0}, {INT64_C(1) << 40, 15}};
    struct sharc__store_unpack u = {.rest = sharc_buf_span(&out)};
    struct sharc__store_target got;
    for (size_t i = 0; i < SHARC_LENGTH(want); i++) {
        assert_true(sharc__store_links_next(&u, &got));
        assert_true(got.to == want[i].to && got.kind == want[i].kind);
    }
    assert_false(sharc__store_links_next(&u, &got));
    /* Any bytes end. */
    u = (struct sharc__store_unpack){.rest = SHARC_SPAN("\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff")};
    assert_false(sharc__store_links_next(&u, &got));
    u = (struct sharc__store_unpack){.rest = SHARC_SPAN("\x80")};
    assert_false(sharc__store_links_next(&u, &got));
}

static const struct CMUnitTest tests[] = {
    ON_EACH(a_page_comes_back_with_all_it_had),
    ON_EACH(what_is_unknown_stays_unknown),
    ON_EACH(of_repeated_downloads_the_latest_stays),
    ON_EACH(the_same_batch_again_changes_nothing),
    ON_EACH(equal_contents_and_links_are_stored_once),
    ON_EACH(foreign_bytes_are_made_fit),
    ON_EACH(urls_may_be_numbered_before_the_commit),
    ON_EACH(a_small_cache_forgets_and_finds_again),
    ON_SHARED(two_writers_share_urls),
    cmocka_unit_test(link_sets_survive_packing),
};

TEST_MAIN(tests)

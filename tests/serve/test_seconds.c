/* SPDX-License-Identifier: Apache-2.0
 *
 * Several captures in one second, of which an index in whole seconds does not tell which is which: each has a name, the
 * same one wherever it is told of, and the name leads back to it.
 */
#include "server_test.h"

#include "sharc/cdx_build.h"

static void write_at(struct sharc_warc_writer *w, int millisecond, const char *url, const char *block)
{
    struct sharc_err err = SHARC_ERR_INIT;
    struct sharc_span b = sharc_span_of(block);
    size_t head = sharc_span_search(b, SHARC_SPAN("\r\n\r\n")) + 4;
    struct sharc_warc_entry e = {.type = SHARC_WARC_RESPONSE,
                                 .date = AT(0) + millisecond * SHARC_MSEC,
                                 .target = sharc_span_of(url)};
    e.block.head = sharc_span_sub(b, 0, head);
    e.block.body = sharc_span_from(b, head);
    must(sharc_warc_write(w, e.date, &e, NULL, &err), &err);
}

static struct sharc_warc_writer *begin_file(struct story *s)
{
    return warc_begin(s->dir, "b.warc.gz");
}

/* Served with an index of whole seconds. */
static void serve_coarse(struct story *s, struct sharc_warc_writer *w, char **index)
{
    struct sharc_err err = SHARC_ERR_INIT;
    struct sharc_cdx_built built;
    warc_end(w);
    SHARC_AUTO(sharc_freep) char *file = sharc_path_join(s->dir, "b.warc.gz");
    *index = sharc_path_join(s->dir, "coarse.cdxj");
    must(sharc_cdx_build((const char *const[]){file}, 1, *index, NULL, NULL, &(struct sharc_cdx_build){0}, &built,
                         &err),
         &err);
    s->index = *index;
    serve(s);
}

/* The path that a Link header names with this relation, or NULL. */
static char *linked(const char *answer, const char *relation)
{
    const char *at = strstr(answer, relation);
    while (at && at > answer && *at != '<') at--;
    const char *from = at ? strstr(at, "/web/") : NULL, *to = from ? strchr(from, '>') : NULL;
    return to ? sharc_span_dup(sharc_span(from, (size_t)(to - from))) : NULL;
}

static const int four[] = {700, 100, 400, 2000};

static void write_four(struct sharc_warc_writer *w)
{
    for (size_t i = 0; i < SHARC_LENGTH(four); i++) {
        SHARC_AUTO(sharc_freep) char *block = sharc_asprintf("%sversion %d.", HTML, four[i]);
        write_at(w, four[i], "http://a.example/", block);
    }
}

static void previous_and_next_reach_all(void **state)
{
    struct story *s = *state;
    SHARC_AUTO(sharc_freep) char *index = NULL;
    struct sharc_warc_writer *w = begin_file(s);
    write_four(w);
    serve_coarse(s, w, &index);
    static const char *const relations[] = {"next ", "prev "}; /* "next last memento", "first prev memento" */
    char *path = sharc_strdup("/web/20261101100000/http://a.example/");
    for (size_t way = 0; way < SHARC_LENGTH(relations); way++) {
        bool seen[SHARC_LENGTH(four)] = {false};
        for (size_t step = 0;; step++) {
            assert_true(step < SHARC_LENGTH(four));
            SHARC_AUTO(sharc_freep) char *answer = get(s->replay, path);
            if (status_of(answer) != 200) fail_msg("%s: %s", path, answer);
            for (size_t i = 0; i < SHARC_LENGTH(four); i++) {
                SHARC_AUTO(sharc_freep) char *body = sharc_asprintf("version %d.", four[i]);
                if (!strstr(answer, body)) continue;
                assert_false(seen[i]);
                seen[i] = true;
            }
            char *next = linked(answer, relations[way]);
            if (!next) break;
            free(path);
            path = next;
        }
        for (size_t i = 0; i < SHARC_LENGTH(four); i++) assert_true(seen[i]);
    }
    free(path);
}

/* By each mapping, as the map, the calendar and the verdict name them. */
static void a_name_leads_to_its_capture(void **state)
{
    struct story *s = *state;
    SHARC_AUTO(sharc_freep) char *index = NULL;
    struct sharc_warc_writer *w = begin_file(s);
    write_four(w);
    serve_coarse(s, w, &index);
    SHARC_AUTO(sharc_freep) char *map = get(s->replay, "/timemap/link/http://a.example/");
    SHARC_AUTO(sharc_freep) char *calendar = get(s->pages, "/web/*/http://a.example/");
    static const struct {
        const char *name, *body;
    } rows[] = {{"20261101100000", "version 100."},
                {"20261101100000400", "version 400."},
                {"20261101100000700", "version 700."},
                {"20261101100002", "version 2000."}};
    assert_int_equal(count_of(body_of(map), "/web/"), SHARC_LENGTH(rows));
    for (size_t i = 0; i < SHARC_LENGTH(rows); i++) {
        static const char *const ways[] = {"web", "near", "asof"};
        SHARC_AUTO(sharc_freep) char *memento = sharc_asprintf("/web/%s/http://a.example/", rows[i].name);
        assert_non_null(strstr(map, memento));
        assert_non_null(strstr(calendar, memento));
        for (size_t k = 0; k < SHARC_LENGTH(ways); k++) {
            /* 14 digits are a second to "the latest not after" */
            if (k == 2 && strlen(rows[i].name) == 14 && i == 0) continue;
            SHARC_AUTO(sharc_freep) char *path = sharc_asprintf("/%s/%s/http://a.example/", ways[k], rows[i].name);
            SHARC_AUTO(sharc_freep) char *answer = get(s->replay, path);
            if (status_of(answer) != 200 || !strstr(answer, rows[i].body)) fail_msg("%s: %s", path, answer);
            assert_non_null(strstr(answer, "\r\nMemento-Datetime: "));
        }
        SHARC_AUTO(sharc_freep) char *ask = sharc_asprintf("/api/coherence?url=http://a.example/&at=%s", rows[i].name);
        SHARC_AUTO(sharc_freep) char *said = get(s->pages, ask), *own = sharc_asprintf("\"%s\"", rows[i].name);
        assert_non_null(strstr(said, own));
        struct sharc_digest d;
        char digest[SHARC_DIGEST_TEXT];
        sharc_digest_of(SHARC_SHA256, sharc_span_of(rows[i].body), &d);
        if (!strstr(said, sharc_digest_text(&d, digest))) fail_msg("no %s in %s", digest, said);
    }
    /* Other times of that second lead to the nearest. */
    SHARC_AUTO(sharc_freep) char *near = get(s->replay, "/web/20261101100000390/http://a.example/");
    assert_line(near, "Location: /web/20261101100000400/http://a.example/");
    SHARC_AUTO(sharc_freep) char *early = get(s->replay, "/web/20261101100000050/http://a.example/");
    assert_line(early, "Location: /web/20261101100000/http://a.example/");
    /* The newest, and the latest within a second. */
    SHARC_AUTO(sharc_freep) char *newest = get(s->replay, "/web/http://a.example/");
    assert_line(newest, "Location: /web/20261101100002/http://a.example/");
    SHARC_AUTO(sharc_freep) char *latest = get(s->replay, "/asof/20261101100001/http://a.example/");
    assert_non_null(strstr(latest, "version 700."));
}

/* The page that http leads to on https, in the same second: the redirect is nothing that can be shown. */
static void a_redirect_to_itself_takes_no_name(void **state)
{
    struct story *s = *state;
    SHARC_AUTO(sharc_freep) char *index = NULL;
    struct sharc_warc_writer *w = begin_file(s);
    static const char to_itself[] = "HTTP/1.1 301 Moved\r\nLocation: https://a.example/\r\n\r\n";
    write_at(w, 100, "http://a.example/", to_itself);
    write_at(w, 300, "https://a.example/", HTML "one.");
    write_at(w, 5000, "http://a.example/", to_itself);
    write_at(w, 6000, "https://a.example/", HTML "two.");
    serve_coarse(s, w, &index);
    SHARC_AUTO(sharc_freep) char *one = get(s->replay, "/web/20261101100000/http://a.example/");
    assert_int_equal(status_of(one), 200);
    assert_non_null(strstr(one, "one."));
    assert_null(strstr(one, "/web/20261101100005/")); /* it leads to the one behind it, or back here */
    assert_non_null(strstr(one, "/web/20261101100006/http://a.example/>; rel=\"next last memento\""));
    SHARC_AUTO(sharc_freep) char *two = get(s->replay, "/web/20261101100006/http://a.example/");
    assert_non_null(strstr(two, "/web/20261101100000/http://a.example/>; rel=\"first prev memento\""));
    SHARC_AUTO(sharc_freep) char *map = get(s->replay, "/timemap/cdxj/http://a.example/");
    assert_int_equal(count_of(body_of(map), "example,a)/ 20261101100000 "), 1);
    assert_non_null(strstr(map, "20261101100000 {\"url\": \"https://a.example/\""));
}

/* More than are told apart: they stay as the index has them, and nothing is lost. */
static void a_crowded_second_is_served(void **state)
{
    struct story *s = *state;
    SHARC_AUTO(sharc_freep) char *index = NULL;
    struct sharc_warc_writer *w = begin_file(s);
    for (int i = 0; i < 100; i++) {
        SHARC_AUTO(sharc_freep) char *block = sharc_asprintf("%sversion %d.", HTML, i);
        write_at(w, i + 1, "http://a.example/", block);
    }
    write_at(w, 3000, "http://a.example/", HTML "last.");
    serve_coarse(s, w, &index);
    SHARC_AUTO(sharc_freep) char *calendar = get(s->pages, "/web/*/http://a.example/");
    assert_non_null(strstr(calendar, "101 captures"));
    SHARC_AUTO(sharc_freep) char *map = get(s->replay, "/timemap/link/http://a.example/");
    assert_int_equal(count_of(body_of(map), "memento\"; datetime="), 2);
    SHARC_AUTO(sharc_freep) char *first = get(s->replay, "/web/20261101100000/http://a.example/");
    assert_int_equal(status_of(first), 200);
    assert_non_null(strstr(first, "/web/20261101100003/http://a.example/>; rel=\"next last memento\""));
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test_setup_teardown(previous_and_next_reach_all, begin, end),
    cmocka_unit_test_setup_teardown(a_name_leads_to_its_capture, begin, end),
    cmocka_unit_test_setup_teardown(a_redirect_to_itself_takes_no_name, begin, end),
    cmocka_unit_test_setup_teardown(a_crowded_second_is_served, begin, end),
};
TEST_MAIN(tests)

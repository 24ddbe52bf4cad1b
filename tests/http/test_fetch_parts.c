/* SPDX-License-Identifier: Apache-2.0
 *
 * What needs no server: addresses, spools, states, the scripted fetcher.
 */
#include "test.h"

#include "sharc/http_fetch.h"

#include <stdio.h>
#include <unistd.h>

static void kinds_of_addresses(void **state)
{
    (void)state;
    static const struct {
        const char *host;
        int kind; /* -1: a name */
    } cases[] = {
        {"93.184.216.34", SHARC_ADDRESS_PUBLIC},
        {"1.1.1.1", SHARC_ADDRESS_PUBLIC},
        {"172.15.255.255", SHARC_ADDRESS_PUBLIC},
        {"172.32.0.0", SHARC_ADDRESS_PUBLIC},
        {"100.63.255.255", SHARC_ADDRESS_PUBLIC},
        {"223.255.255.255", SHARC_ADDRESS_PUBLIC},
        {"127.0.0.1", SHARC_ADDRESS_LOOPBACK},
        {"127.255.255.254", SHARC_ADDRESS_LOOPBACK},
        {"10.0.0.0", SHARC_ADDRESS_PRIVATE},
        {"172.16.0.1", SHARC_ADDRESS_PRIVATE},
        {"172.31.255.255", SHARC_ADDRESS_PRIVATE},
        {"192.168.1.1", SHARC_ADDRESS_PRIVATE},
        {"169.254.169.254", SHARC_ADDRESS_LINK_LOCAL},
        {"100.64.0.1", SHARC_ADDRESS_SHARED},
        {"100.127.255.255", SHARC_ADDRESS_SHARED},
        {"0.0.0.0", SHARC_ADDRESS_THIS},
        {"0.1.2.3", SHARC_ADDRESS_THIS},
        {"224.0.0.1", SHARC_ADDRESS_MULTICAST},
        {"239.255.255.255", SHARC_ADDRESS_MULTICAST},
        {"240.0.0.1", SHARC_ADDRESS_RESERVED},
        {"255.255.255.255", SHARC_ADDRESS_RESERVED},
        {"192.0.2.1", SHARC_ADDRESS_RESERVED},
        {"198.18.0.1", SHARC_ADDRESS_RESERVED},
        {"198.19.255.255", SHARC_ADDRESS_RESERVED},
        {"203.0.113.9", SHARC_ADDRESS_RESERVED},
        {"[2606:2800:220:1::1]", SHARC_ADDRESS_PUBLIC},
        {"2a00:1450::1", SHARC_ADDRESS_PUBLIC},
        {"::1", SHARC_ADDRESS_LOOPBACK},
        {"[::1]", SHARC_ADDRESS_LOOPBACK},
        {"::", SHARC_ADDRESS_THIS},
        {"fc00::1", SHARC_ADDRESS_PRIVATE},
        {"fdff::1", SHARC_ADDRESS_PRIVATE},
        {"fec0::1", SHARC_ADDRESS_PRIVATE},
        {"fe80::1", SHARC_ADDRESS_LINK_LOCAL},
        {"febf::1", SHARC_ADDRESS_LINK_LOCAL},
        {"ff02::1", SHARC_ADDRESS_MULTICAST},
        {"2001:db8::1", SHARC_ADDRESS_RESERVED},
        {"::2", SHARC_ADDRESS_RESERVED},
        {"::7f00:1", SHARC_ADDRESS_RESERVED},
        {"4000::1", SHARC_ADDRESS_RESERVED},
        /* IPv4 in disguise */
        {"::ffff:127.0.0.1", SHARC_ADDRESS_LOOPBACK},
        {"::ffff:10.0.0.1", SHARC_ADDRESS_PRIVATE},
        {"::ffff:1.1.1.1", SHARC_ADDRESS_PUBLIC},
        {"64:ff9b::7f00:1", SHARC_ADDRESS_LOOPBACK},
        {"64:ff9b:1::1", SHARC_ADDRESS_PRIVATE},
        {"2002:7f00:1::1", SHARC_ADDRESS_LOOPBACK},
        {"2002:c0a8:101::", SHARC_ADDRESS_PRIVATE},
        {"2002:101:101::", SHARC_ADDRESS_PUBLIC},
        {"2001:0:4136:e378:8000:63bf:3fff:fdd2", SHARC_ADDRESS_RESERVED}, /* of 192.0.2.45 */
        {"2001:0:4136:e378:8000:63bf:f5ff:fffe", SHARC_ADDRESS_PRIVATE},  /* of 10.0.0.1 */
        {"example.org", -1},
        {"127.0.0.1.example.org", -1},
        {"", -1},
        {"[::1", -1},
    };
    for (size_t i = 0; i < SHARC_LENGTH(cases); i++) {
        enum sharc_address_kind kind = SHARC_ADDRESS_PUBLIC;
        int r = sharc_address_kind_of_host(sharc_span_of(cases[i].host), &kind);
        if (cases[i].kind < 0 ? r != SHARC_ENOENT : r != 0 || (int)kind != cases[i].kind)
            fail_msg("%s: %d, %s", cases[i].host, r, sharc_address_kind_text(kind));
    }
    assert_int_equal(sharc_address_kind(NULL, 0), SHARC_ADDRESS_RESERVED);
}

static void words_for_states(void **state)
{
    (void)state;
#define X(name, word, code, again, text)                                      \
    assert_string_equal(sharc_fetch_state_word(SHARC_FETCH_##name), word);    \
    assert_int_equal(sharc_fetch_state_transient(SHARC_FETCH_##name), again); \
    assert_string_equal(sharc_fetch_state_text(SHARC_FETCH_##name), text);
    SHARC_FETCH_STATES(X)
#undef X
    assert_string_equal(sharc_fetch_state_word((enum sharc_fetch_state)999), "unknown");
}

/* --- spools -------------------------------------------------------------- */

static void check_bytes(const struct sharc_spool *s, size_t want)
{
    struct sharc_spool_reader rd = {.spool = s};
    struct sharc_span piece;
    size_t at = 0;
    while (sharc_spool_pull(&rd, &piece, NULL) > 0)
        for (size_t i = 0; i < piece.n; i++, at++) assert_int_equal((uint8_t)piece.p[i], at % 251);
    assert_int_equal(at, want);
    sharc_spool_reader_done(&rd);
}

static void spools_go_to_a_file(void **state)
{
    (void)state;
    char *dir = test_mkdir();
    static const size_t pieces[] = {1, 999, 1000, 1001, 70000};
    for (size_t k = 0; k < SHARC_LENGTH(pieces); k++) {
        struct sharc_spool s;
        char bytes[70000];
        size_t put = 0;
        sharc_spool_init(&s, 1000, dir);
        while (put < 200000) {
            for (size_t i = 0; i < pieces[k]; i++) bytes[i] = (char)((put + i) % 251);
            assert_int_equal(sharc_spool_put(&s, sharc_span(bytes, pieces[k]), NULL), 0);
            put += pieces[k];
            assert_int_equal(sharc_spool_size(&s), put);
            assert_int_equal(s.fd >= 0, put > 1000);
            assert_true(s.fd < 0 || s.memory.n == 0);
            if (put < 3000) check_bytes(&s, put);
        }
        check_bytes(&s, put);
        sharc_spool_done(&s);
    }
    rmdir(dir); /* succeeds only when nothing was left behind */
    assert_int_not_equal(access(dir, F_OK), 0);
    test_rmdir(dir);
}

static void spools_say_when_they_cannot(void **state)
{
    (void)state;
    struct sharc_spool s;
    struct sharc_err err;
    sharc_spool_init(&s, 4, "/no/such/directory");
    assert_int_equal(sharc_spool_put(&s, SHARC_SPAN("1234"), &err), 0);
    assert_int_equal(sharc_spool_put(&s, SHARC_SPAN("5"), &err), SHARC_ENOENT);
    assert_non_null(strstr(err.text, "/no/such/directory"));
    assert_int_equal(sharc_spool_size(&s), 4);
    sharc_spool_done(&s);
}

/* --- the scripted fetcher ------------------------------------------------ */

static void answer_by_path(void *arg, const struct sharc_fetch_request *req, sharc_time now,
                           struct sharc_fetch_answer *ret)
{
    (void)now;
    ++*(int *)arg;
    if (sharc_span_ends(req->url, SHARC_SPAN("slow"))) ret->duration = SHARC_HOUR, ret->until_first = SHARC_SEC;
    if (sharc_span_ends(req->url, SHARC_SPAN("dns"))) ret->state = SHARC_FETCH_DNS;
    if (sharc_span_ends(req->url, SHARC_SPAN("cut"))) ret->state = SHARC_FETCH_RESET;
    if (sharc_span_ends(req->url, SHARC_SPAN("bad")))
        ret->message = SHARC_SPAN("no http");
    else if (ret->state != SHARC_FETCH_DNS)
        ret->message = SHARC_SPAN("HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhello");
}

static void script_answers_in_virtual_time(void **state)
{
    (void)state;
    struct sharc_clock_virtual clock;
    sharc_clock_virtual_init(&clock, 1000 * SHARC_DAY);
    int asked = 0;
    SHARC_AUTO(sharc_fetcher_freep)
    struct sharc_fetcher *f = sharc_fetcher_new_scripted(&clock.clock, answer_by_path, &asked);
    static const struct {
        const char *url;
        uint64_t max_body;
        sharc_time max_time;
        enum sharc_fetch_state state;
        int code;
        size_t body;
        sharc_time took;
    } cases[] = {
        {"http://h.example/a", 0, 0, SHARC_FETCH_OK, 200, 5, 0},
        {"http://h.example/a", 2, 0, SHARC_FETCH_TOO_LARGE, 200, 2, 0},
        {"http://h.example/slow", 0, 0, SHARC_FETCH_OK, 200, 5, SHARC_HOUR},
        {"http://h.example/slow", 0, SHARC_MINUTE, SHARC_FETCH_TIMEOUT, 200, 5, SHARC_MINUTE},
        {"http://h.example/dns", 0, 0, SHARC_FETCH_DNS, -1, 0, 0},
        {"http://h.example/cut", 0, 0, SHARC_FETCH_RESET, 200, 5, 0},
        {"http://h.example/bad", 0, 0, SHARC_FETCH_BAD_MESSAGE, -5, 0, 0},
        {"http://h.example", 0, 0, SHARC_FETCH_OK, 200, 5, 0},
    };
    for (size_t i = 0; i < SHARC_LENGTH(cases); i++) {
        struct sharc_fetch_request req = {.url = sharc_span_of(cases[i].url),
                                          .max_body = cases[i].max_body,
                                          .max_time = cases[i].max_time};
        assert_int_equal(sharc_fetcher_submit(f, &req, NULL), 0);
        SHARC_AUTO(sharc_fetch_result_freep) struct sharc_fetch_result *r = NULL;
        assert_int_equal(sharc_fetcher_wait(f, SHARC_TIME_NONE, NULL, &r, NULL), 1);
        if (r->state != cases[i].state || r->code != cases[i].code || sharc_spool_size(&r->body) != cases[i].body ||
            r->end - r->start != cases[i].took)
            fail_msg("%zu: %s %d", i, sharc_fetch_state_word(r->state), r->code);
        assert_true(sharc_span_starts(sharc_buf_span(&r->request), SHARC_SPAN("GET /")));
        assert_int_equal(r->end, clock.at);
    }
    assert_int_equal(asked, SHARC_LENGTH(cases));
}

static void script_keeps_order_and_deadlines(void **state)
{
    (void)state;
    struct sharc_clock_virtual clock;
    sharc_clock_virtual_init(&clock, 0);
    int asked = 0;
    SHARC_AUTO(sharc_fetcher_freep)
    struct sharc_fetcher *f = sharc_fetcher_new_scripted(&clock.clock, answer_by_path, &asked);
    int tags[3];
    const char *const urls[] = {"http://h.example/slow", "http://h.example/1", "http://h.example/2"};
    const int order[] = {1, 2, 0};
    for (size_t i = 0; i < 3; i++) {
        struct sharc_fetch_request req = {.url = sharc_span_of(urls[i]), .user = &tags[i]};
        assert_int_equal(sharc_fetcher_submit(f, &req, NULL), 0);
    }
    for (size_t i = 0; i < 2; i++) {
        SHARC_AUTO(sharc_fetch_result_freep) struct sharc_fetch_result *r = NULL;
        assert_int_equal(sharc_fetcher_wait(f, SHARC_MINUTE, NULL, &r, NULL), 1);
        assert_ptr_equal(r->user, &tags[order[i]]);
        assert_int_equal(clock.at, 0);
    }
    struct sharc_fetch_result *r = NULL;
    assert_int_equal(sharc_fetcher_wait(f, SHARC_MINUTE, NULL, &r, NULL), 0);
    assert_int_equal(clock.at, SHARC_MINUTE);
    volatile bool halt = true;
    assert_int_equal(sharc_fetcher_wait(f, SHARC_TIME_NONE, &halt, &r, NULL), SHARC_EINTR);
    sharc_fetcher_wake(f);
    assert_int_equal(sharc_fetcher_wait(f, SHARC_TIME_NONE, NULL, &r, NULL), 0);
    assert_int_equal(sharc_fetcher_pending(f), 1);
    sharc_fetcher_abort(f);
    assert_int_equal(sharc_fetcher_wait(f, SHARC_TIME_NONE, NULL, &r, NULL), 1);
    assert_int_equal(r->state, SHARC_FETCH_ABORTED);
    assert_int_equal(r->end, SHARC_MINUTE);
    sharc_fetch_result_free(r);
    assert_int_equal(sharc_fetcher_wait(f, SHARC_TIME_NONE, NULL, &r, NULL), 0);
    assert_int_equal(sharc_fetcher_wait(f, SHARC_HOUR, NULL, &r, NULL), 0);
    assert_int_equal(clock.at, SHARC_HOUR);
}

static void script_from_a_table(void **state)
{
    (void)state;
    static const struct sharc_fetch_page pages[] = {
        {.url = "http://h.example/", .body = "<a href=/a>", .fields = "ETag: \"1\"\r\n"},
        {.url = "http://h.example/a", .status = 301, .fields = "Location: /b\r\n"},
    };
    struct sharc_fetch_pages table = {.pages = pages, .count = 2, .latency = SHARC_SEC};
    struct sharc_clock_virtual clock;
    sharc_clock_virtual_init(&clock, 0);
    SHARC_AUTO(sharc_fetcher_freep)
    struct sharc_fetcher *f = sharc_fetcher_new_scripted(&clock.clock, sharc_fetch_script_pages, &table);
    static const struct {
        const char *url;
        int code;
        const char *body;
    } cases[] = {{"http://h.example/", 200, "<a href=/a>"},
                 {"http://h.example/a", 301, ""},
                 {"http://h.example/x", 404, "not here"}};
    for (size_t i = 0; i < SHARC_LENGTH(cases); i++) {
        struct sharc_fetch_request req = {.url = sharc_span_of(cases[i].url)};
        assert_int_equal(sharc_fetcher_submit(f, &req, NULL), 0);
        SHARC_AUTO(sharc_fetch_result_freep) struct sharc_fetch_result *r = NULL;
        SHARC_AUTO(sharc_buf_done) struct sharc_buf out = SHARC_BUF_INIT(1000);
        assert_int_equal(sharc_fetcher_wait(f, SHARC_TIME_NONE, NULL, &r, NULL), 1);
        assert_int_equal(r->code, cases[i].code);
        assert_int_equal(sharc_fetch_decode(r, &out, NULL, NULL), 0);
        assert_string_equal(sharc_buf_str(&out), cases[i].body);
        assert_int_equal(r->first_byte - r->start, SHARC_SEC);
    }
    assert_int_equal(table.asked, 3);
    sharc_buf_done(&table.buf_);
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(kinds_of_addresses),
    cmocka_unit_test(words_for_states),
    cmocka_unit_test(spools_go_to_a_file),
    cmocka_unit_test(spools_say_when_they_cannot),
    cmocka_unit_test(script_answers_in_virtual_time),
    cmocka_unit_test(script_keeps_order_and_deadlines),
    cmocka_unit_test(script_from_a_table),
};
TEST_MAIN(tests)

/* SPDX-License-Identifier: Apache-2.0
 *
 * Messages of a browser, and the sessions that they tell of. Processes are the business of tests/e2e/view.sh.
 */
#include "test.h"

#include "../../src/browser/browser_int.h"

#include <stdio.h>
#include <stdlib.h>

enum { MOST = 1024 };

static void put(struct browser_inbox *i, struct sharc_span text)
{
    sharc__browser_inbox_put(i, text);
}

static void messages_come_in_pieces(void **state)
{
    (void)state;
    static const char text[] =
        "{\"id\":1,\"result\":{\"a\":2}}\0{\"method\":\"X.y\",\"params\":{\"b\":3},\"sessionId\":\"S\"}";
    for (size_t step = 1; step < sizeof text; step++) {
        struct browser_inbox in;
        struct browser_message m;
        size_t count = 0;
        sharc__browser_inbox_init(&in, MOST);
        for (size_t at = 0; at < sizeof text; at += step) {
            put(&in, sharc_span_sub(sharc_span(text, sizeof text), at, at + step));
            while (sharc__browser_inbox_next(&in, &m)) {
                count++;
                assert_int_equal(m.id, count == 1);
                if (count == 1) assert_int_equal(sharc_node_int(sharc_node_get(m.body, "a"), 0), 2);
                if (count == 2) assert_span(m.session, "S");
                if (count == 2) assert_span(m.method, "X.y");
            }
        }
        assert_int_equal(count, 2);
        assert_int_equal(in.dropped, 0);
        sharc__browser_inbox_done(&in);
    }
}

static void too_large_ones_are_dropped(void **state)
{
    (void)state;
    struct browser_inbox in;
    struct browser_message m;
    char much[MOST / 2];
    memset(much, 'x', sizeof much);
    sharc__browser_inbox_init(&in, MOST);
    for (int i = 0; i < 10; i++) {
        put(&in, sharc_span(much, sizeof much));
        assert_false(sharc__browser_inbox_next(&in, &m));
        assert_true(in.bytes.n <= MOST);
    }
    put(&in, sharc_span("x\0{\"id\":5}", 11));
    assert_true(sharc__browser_inbox_next(&in, &m));
    assert_int_equal(m.id, 5);
    assert_int_equal(in.dropped, 1);
    sharc__browser_inbox_done(&in);
}

/* Nobody may wait for ever for an answer because a page had a say in it. */
static void an_answer_that_cannot_be_read_has_failed(void **state)
{
    (void)state;
    struct browser_inbox in;
    struct browser_message m;
    static const char half[] = "{\"id\":12,\"result\":{\"value\":\"\\ud800\"}}";
    char deep[300] = "{\"id\":13,\"result\":";
    memset(deep + strlen(deep), '[', 200);
    sharc__browser_inbox_init(&in, MOST);
    put(&in, sharc_span(half, sizeof half));
    put(&in, sharc_span("{}\0[1]\0nonsense", 16));
    put(&in, sharc_span(deep, strlen(deep) + 1));
    assert_true(sharc__browser_inbox_next(&in, &m) && m.id == 12 && m.failed);
    assert_true(sharc__browser_inbox_next(&in, &m) && m.id == 13 && m.failed);
    assert_false(sharc__browser_inbox_next(&in, &m));
    assert_int_equal(in.dropped, 5);
    sharc__browser_inbox_done(&in);
}

/* --- sessions --------------------------------------------------------------------------------- */

static char told[4096];

static void tell(void *arg, struct sharc_browser *b, const struct sharc_browser_event *e)
{
    (void)arg, (void)b;
    static const char *const words[] = {"+", "-", "!", "?"};
    size_t n = strlen(told);
    snprintf(told + n, sizeof told - n, "%s%s ", words[e->kind], e->session ? e->session->target : "");
}

static void say(struct sharc_browser *b, const char *text)
{
    struct browser_message m;
    sharc__browser_inbox_put(&b->inbox, sharc_span(text, strlen(text) + 1));
    while (sharc__browser_inbox_next(&b->inbox, &m)) sharc__browser_take(b, &m);
}

static void attach(struct sharc_browser *b, const char *session, const char *target, const char *kind, const char *by)
{
    char text[400];
    snprintf(text, sizeof text,
             "{\"method\":\"Target.attachedToTarget\",\"params\":{\"sessionId\":\"%s\",\"targetInfo\":{\"targetId\":"
             "\"%s\",\"type\":\"%s\",\"browserContextId\":\"C\"}}%s%s%s}",
             session, target, kind, by ? ",\"sessionId\":\"" : "", by ? by : "", by ? "\"" : "");
    say(b, text);
}

static size_t sent(struct sharc_browser *b, const char *what)
{
    size_t count = 0;
    struct sharc_span rest = sharc_buf_span(&b->out);
    for (size_t at; (at = sharc_span_search(rest, sharc_span_of(what))) != SHARC_NPOS; count++)
        rest = sharc_span_from(rest, at + 1);
    return count;
}

static struct sharc_browser *fresh(void)
{
    const struct sharc_browser_options o = {.event = tell};
    told[0] = 0;
    return sharc__browser_new(&o);
}

static void everything_is_attached_once_and_let_run_last(void **state)
{
    (void)state;
    SHARC_AUTO(sharc_browser_stopp) struct sharc_browser *b = fresh();
    attach(b, "S1", "page", "page", NULL);
    assert_int_equal(sent(b, "Target.setAutoAttach"), 1);
    assert_int_equal(sent(b, "Runtime.runIfWaitingForDebugger"), 1);
    struct sharc_span out = sharc_buf_span(&b->out);
    assert_true(sharc_span_search(out, SHARC_SPAN("setAutoAttach")) < sharc_span_search(out, SHARC_SPAN("runIf")));
    attach(b, "S2", "worker", "service_worker", NULL);
    attach(b, "S3", "worker", "service_worker", "S1"); /* a second session of it */
    assert_string_equal(told, "+page +worker ");
    assert_int_equal(sent(b, "Target.detachFromTarget"), 1);
    assert_int_equal(sent(b, "Runtime.runIfWaitingForDebugger"), 3);
    attach(b, "S4", "ui", "browser_ui", NULL); /* is let run and otherwise left alone */
    assert_string_equal(told, "+page +worker ");
    assert_int_equal(sent(b, "Runtime.runIfWaitingForDebugger"), 4);
}

static void what_a_session_attached_goes_with_it(void **state)
{
    (void)state;
    SHARC_AUTO(sharc_browser_stopp) struct sharc_browser *b = fresh();
    attach(b, "S1", "page", "page", NULL);
    attach(b, "S2", "frame", "iframe", "S1");
    attach(b, "S3", "nested", "worker", "S2");
    attach(b, "S4", "other", "page", NULL);
    assert_ptr_equal(sharc_browser_nth(b, 2)->parent, sharc_browser_nth(b, 1));
    say(b, "{\"method\":\"Target.detachedFromTarget\",\"params\":{\"sessionId\":\"S1\"}}");
    assert_string_equal(told, "+page +frame +nested +other -nested -frame -page ");
    say(b, "{\"method\":\"X.y\",\"sessionId\":\"S3\"}"); /* nobody knows it any more */
    say(b, "{\"method\":\"X.y\",\"sessionId\":\"S4\"}");
    say(b, "{\"id\":77,\"error\":{\"message\":\"no\"},\"sessionId\":\"S4\"}");
    say(b, "{\"id\":78,\"result\":{},\"sessionId\":\"S4\"}");
    assert_string_equal(told, "+page +frame +nested +other -nested -frame -page !other ?other ");
}

static void a_page_cannot_make_more_sessions_than_are_allowed(void **state)
{
    (void)state;
    const struct sharc_browser_options o = {.event = NULL};
    SHARC_AUTO(sharc_browser_stopp) struct sharc_browser *b = sharc__browser_new(&o);
    for (unsigned i = 0; i < SHARC_LIMIT_BROWSER_SESSIONS + 50; i++) {
        char name[20];
        snprintf(name, sizeof name, "S%u", i);
        attach(b, name, name, "worker", NULL);
    }
    assert_non_null(sharc_browser_nth(b, SHARC_LIMIT_BROWSER_SESSIONS - 1));
    assert_null(sharc_browser_nth(b, SHARC_LIMIT_BROWSER_SESSIONS));
}

static void a_command_that_is_too_large_is_not_sent(void **state)
{
    (void)state;
    SHARC_AUTO(sharc_browser_stopp) struct sharc_browser *b = fresh();
    SHARC_AUTO(sharc_freep) char *much = sharc_malloc(SHARC_LIMIT_BROWSER_COMMAND);
    memset(much, 'x', SHARC_LIMIT_BROWSER_COMMAND);
    sharc_browser_begin(b, NULL, "A.a");
    assert_int_equal(sharc_browser_send(b), 1);
    struct sharc_json *j = sharc_browser_begin(b, NULL, "B.b");
    sharc_json_span(j, "body", sharc_span(much, SHARC_LIMIT_BROWSER_COMMAND));
    assert_int_equal(sharc_browser_send(b), 0);
    sharc_browser_begin(b, NULL, "C.c");
    assert_int_equal(sharc_browser_send(b), 3);
    static const char want[] =
        "{\"id\":1,\"method\":\"A.a\",\"params\":{}}\0{\"id\":3,\"method\":\"C.c\",\"params\":{}}";
    assert_int_equal(b->out.n, sizeof want);
    assert_memory_equal(b->out.p, want, sizeof want);
}

static void the_browser_gets_a_home_of_its_own(void **state)
{
    (void)state;
    char home[] = "HOME=/home/me", path[] = "PATH=/bin", display[] = "DISPLAY=:0",
         cache[] = "XDG_CACHE_HOME=/home/me/.cache";
    char *const ours[] = {home, path, display, cache, NULL};
    const struct sharc_browser_options o = {.program = "/bin/true", .environment = ours};
    SHARC_AUTO(sharc__browser_strings_free) char **e = sharc__browser_environment(&o, "/tmp/d");
    size_t found = 0;
    for (size_t i = 0; e[i]; i++) {
        found += strcmp(e[i], "HOME=/tmp/d/home") == 0 || strcmp(e[i], "XDG_CACHE_HOME=/tmp/d/home") == 0;
        found += strcmp(e[i], "TMPDIR=/tmp/d/tmp") == 0 || strcmp(e[i], "PATH=/bin") == 0;
        found += strcmp(e[i], "XAUTHORITY=/home/me/.Xauthority") == 0;
        assert_true(strcmp(e[i], "HOME=/home/me") != 0);
    }
    assert_int_equal(found, 5);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(messages_come_in_pieces),
        cmocka_unit_test(too_large_ones_are_dropped),
        cmocka_unit_test(an_answer_that_cannot_be_read_has_failed),
        cmocka_unit_test(everything_is_attached_once_and_let_run_last),
        cmocka_unit_test(what_a_session_attached_goes_with_it),
        cmocka_unit_test(a_page_cannot_make_more_sessions_than_are_allowed),
        cmocka_unit_test(a_command_that_is_too_large_is_not_sent),
        cmocka_unit_test(the_browser_gets_a_home_of_its_own),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

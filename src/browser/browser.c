/* SPDX-License-Identifier: Apache-2.0
 *
 * A browser that runs: commands to it, answers and events from it.
 */
#include "browser_int.h"

#include "sharc/base_file.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdlib.h>
#include <unistd.h>

enum { READ_AT_ONCE = 1 << 20, LINE_OF_STOP = 100 /* milliseconds between two looks at the flag */ };

/* --- commands ------------------------------------------------------------------------------------- */

struct sharc_json *sharc_browser_begin(struct sharc_browser *b, const struct sharc_browser_session *session,
                                       const char *method)
{
    b->begun = b->out.n;
    sharc_json_init(&b->json, &b->out, false);
    sharc_json_object(&b->json, NULL);
    sharc_json_uint(&b->json, "id", ++b->last);
    if (session) sharc_json_str(&b->json, "sessionId", session->id);
    sharc_json_str(&b->json, "method", method);
    sharc_json_object(&b->json, "params");
    return &b->json;
}

uint64_t sharc_browser_send(struct sharc_browser *b)
{
    while (b->json.depth) sharc_json_end(&b->json);
    sharc_buf_put_char(&b->out, 0);
    if (!b->out.failed && b->out.n - b->begun <= SHARC_LIMIT_BROWSER_COMMAND) return b->last;
    b->out.failed = false;
    sharc_buf_truncate(&b->out, b->begun);
    return 0;
}

/* --- messages -------------------------------------------------------------------------------------- */

void sharc__browser_tell(struct sharc_browser *b, const struct sharc_browser_event *e)
{
    if (b->o.event) b->o.event(b->o.arg, b, e);
}

static void keep_answer(struct sharc_browser *b, const struct browser_message *m)
{
    const struct sharc_node *tree = NULL;
    sharc_buf_clear(&b->answer);
    sharc_arena_clear(&b->answer_arena);
    b->answered = true;
    b->refused = m->failed;
    b->result = NULL;
    sharc_buf_put(&b->answer, m->text);
    if (sharc_json_read(sharc_buf_span(&b->answer), &b->answer_arena, &tree, NULL) == 0)
        b->result = sharc_node_get(tree, m->failed ? "error" : "result");
}

void sharc__browser_take(struct sharc_browser *b, const struct browser_message *m)
{
    struct sharc_browser_session *s = sharc__browser_session(&b->sessions, m->session);
    if (m->id && m->id == b->awaited) {
        keep_answer(b, m);
    } else if (m->id) {
        const struct sharc_browser_event e = {.kind = SHARC_BROWSER_REFUSED, .session = s, .command = m->id};
        if (m->failed) sharc__browser_tell(b, &e);
    } else if (!sharc__browser_target_event(b, m, s) && (s || !m->session.n)) {
        const struct sharc_browser_event e = {.kind = SHARC_BROWSER_EVENT,
                                              .session = s,
                                              .method = m->method,
                                              .params = m->body};
        sharc__browser_tell(b, &e);
    }
}

/* --- the pipes ---------------------------------------------------------------------------------------- */

static void hear_people(struct sharc_browser *b)
{
    char text[1024];
    ssize_t n = read(b->pipes.errors, text, sizeof text);
    if (n == 0) sharc_closep(&b->pipes.errors);
    if (n <= 0) return;
    size_t count = (size_t)n, room = sizeof b->said - 1;
    if (b->said_count + count > room) { /* older lines go */
        size_t gone = b->said_count + count - room;
        while (gone < b->said_count && b->said[gone - 1] != '\n') gone++;
        memmove(b->said, b->said + gone, b->said_count - gone);
        b->said_count -= gone;
    }
    memcpy(b->said + b->said_count, text, count);
    b->said_count += count;
    b->said[b->said_count] = 0;
}

static void write_out(struct sharc_browser *b)
{
    ssize_t n = write(b->pipes.commands, b->out.p + b->written, b->out.n - b->written);
    if (n < 0 && (errno == EAGAIN || errno == EINTR)) return;
    if (n < 0) {
        b->ended = true;
        return;
    }
    b->written += (size_t)n;
    if (b->written == b->out.n) {
        sharc_buf_clear(&b->out);
        b->written = 0;
    } else if (b->written > b->out.n / 2) {
        sharc_buf_splice(&b->out, 0, b->written, SHARC_SPAN(""));
        b->written = 0;
    }
}

static bool read_in(struct sharc_browser *b)
{
    SHARC_AUTO(sharc_freep) char *text = sharc_malloc(READ_AT_ONCE);
    struct browser_message m;
    ssize_t n = read(b->pipes.messages, text, READ_AT_ONCE);
    if (n < 0 && (errno == EAGAIN || errno == EINTR)) return false;
    if (n <= 0) {
        b->ended = true;
        return false;
    }
    sharc__browser_inbox_put(&b->inbox, sharc_span(text, (size_t)n));
    while (sharc__browser_inbox_next(&b->inbox, &m)) sharc__browser_take(b, &m);
    return true;
}

/* Its last words: the last line that is no warning of the everyday kind. */
static struct sharc_span last_words(const struct sharc_browser *b)
{
    struct sharc_span rest = sharc_span_of(b->said), line, last = SHARC_SPAN_NONE;
    while (sharc_span_next(&rest, '\n', &line)) {
        line = sharc_span_trim(line);
        static const char *const everyday[] = {"dbus", "DBus", ":WARNING:", "unexpected operator"};
        bool noise = false;
        for (size_t i = 0; i < SHARC_LENGTH(everyday); i++)
            noise = noise || sharc_span_search(line, sharc_span_of(everyday[i])) != SHARC_NPOS;
        if (line.n && !noise) last = line;
    }
    return sharc_span_sub(last, 0, 300);
}

static int has_ended(struct sharc_browser *b, struct sharc_err *reterr)
{
    char why[SHARC_TIME_TEXT];
    struct pollfd p = {.fd = b->pipes.errors, .events = POLLIN};
    while (b->pipes.errors >= 0 && poll(&p, 1, 0) > 0) hear_people(b);
    bool known = sharc__browser_guard_why(&b->guard, why);
    struct sharc_span words = last_words(b);
    return sharc_fail(reterr, SHARC_EIO, "the browser has ended%s%s%s%s%.*s", known ? " (" : "", known ? why : "",
                      known ? ")" : "", words.n ? ": " : "", SHARC_SPAN_ARG(words));
}

static int pump(struct sharc_browser *b, int milliseconds, struct sharc_err *reterr)
{
    struct pollfd p[] = {{.fd = b->pipes.messages, .events = POLLIN},
                         {.fd = b->pipes.errors, .events = POLLIN},
                         {.fd = b->out.n > b->written ? b->pipes.commands : -1, .events = POLLOUT}};
    SHARC_FAIL_IF(b->o.stop && *b->o.stop, reterr, SHARC_EINTR, "interrupted");
    if (b->ended) return has_ended(b, reterr);
    int n = poll(p, SHARC_LENGTH(p), milliseconds < LINE_OF_STOP ? milliseconds : LINE_OF_STOP);
    SHARC_FAIL_IF(n < 0 && errno != EINTR, reterr, SHARC_EIO, "waiting for the browser failed: %s", strerror(errno));
    if (n <= 0) return 0;
    if (p[1].revents) hear_people(b);
    if (p[2].revents) write_out(b);
    /* What is to be sent must not pile up: it is read on only while that is little. */
    return p[0].revents && b->out.n - b->written < SHARC_LIMIT_BROWSER_COMMAND ? read_in(b) : 0;
}

int sharc_browser_wait(struct sharc_browser *b, sharc_time most, struct sharc_err *reterr)
{
    double until = sharc_clock_mono() + (double)most / (double)SHARC_SEC;
    for (;;) {
        double left = until - sharc_clock_mono();
        int r = pump(b, left > 0 ? (int)(left * 1000 < LINE_OF_STOP ? left * 1000 + 1 : LINE_OF_STOP) : 0, reterr);
        if (r != 0 || left <= 0) return r;
    }
}

int sharc_browser_call(struct sharc_browser *b, sharc_time most, const struct sharc_node **ret,
                       struct sharc_err *reterr)
{
    double until = sharc_clock_mono() + (double)most / (double)SHARC_SEC;
    b->answered = false;
    b->awaited = sharc_browser_send(b);
    SHARC_FAIL_IF(!b->awaited, reterr, SHARC_ELIMIT, "a command for the browser is too large");
    int r = 0;
    while (r >= 0 && !b->answered) {
        double left = until - sharc_clock_mono();
        SHARC_FAIL_IF(left <= 0, reterr, SHARC_EBUSY, "the browser does not answer");
        r = sharc_browser_wait(b, sharc_time_of_seconds(left), reterr);
    }
    b->awaited = 0;
    if (r < 0) return r;
    struct sharc_span words = sharc_node_text(sharc_node_get(b->result, "message"));
    SHARC_FAIL_IF(b->refused, reterr, SHARC_EINVAL, "the browser refuses: %.*s",
                  SHARC_SPAN_ARG(words.n ? words : SHARC_SPAN("its answer cannot be read")));
    if (ret) *ret = b->result;
    return 0;
}

/* --- life ------------------------------------------------------------------------------------------------ */

static int make_directory(struct sharc_browser *b, struct sharc_err *reterr)
{
    /* Chromium makes sockets below it, whose paths must be short. */
    const char *where = b->o.temporary && strlen(b->o.temporary) < 40 ? b->o.temporary : "/tmp";
    b->directory = sharc_asprintf("%s/sharc-view-XXXXXX", where);
    if (!mkdtemp(b->directory)) {
        int why = errno;
        free(SHARC_TAKE(b->directory));
        return sharc_fail(reterr, sharc_error_from_errno(why), "%s: no directory can be made there: %s", where,
                          strerror(why));
    }
    static const char *const parts[] = {"profile", "tmp", "home"};
    int r = 0;
    for (size_t i = 0; r == 0 && i < SHARC_LENGTH(parts); i++) {
        SHARC_AUTO(sharc_freep) char *path = sharc_path_join(b->directory, parts[i]);
        r = sharc_dir_make(path, reterr);
    }
    return r;
}

static int start(struct sharc_browser *b, struct sharc_err *reterr)
{
    int r = make_directory(b, reterr);
    if (r < 0) return r;
    SHARC_AUTO(sharc__browser_strings_free) char **arguments = sharc__browser_arguments(&b->o, b->directory);
    SHARC_AUTO(sharc__browser_strings_free) char **environment = sharc__browser_environment(&b->o, b->directory);
    const struct browser_launch l = {b->o.program, b->directory, arguments, environment, b->o.isolate};
    r = sharc__browser_guard_start(&l, &b->guard, &b->pipes, &b->isolated, reterr);
    if (r < 0) return r;
    fcntl(b->pipes.commands, F_SETFL, O_NONBLOCK);
    fcntl(b->pipes.messages, F_SETFL, O_NONBLOCK);
    fcntl(b->pipes.errors, F_SETFL, O_NONBLOCK);
    sharc__browser_attach_all(b, NULL);
    sharc_browser_begin(b, NULL, "Browser.getVersion");
    r = sharc_browser_call(b, SHARC_MINUTE, NULL, reterr);
    return r < 0 ? sharc_err_prefix(reterr, r, "%s", b->o.program) : 0;
}

struct sharc_browser *sharc__browser_new(const struct sharc_browser_options *o)
{
    struct sharc_browser *b = SHARC_NEW(struct sharc_browser);
    b->o = *o;
    b->guard = (struct browser_guard){.life = -1, .status = -1};
    b->pipes = (struct browser_pipes){-1, -1, -1};
    sharc__browser_inbox_init(&b->inbox, SHARC_LIMIT_BROWSER_MESSAGE);
    sharc_buf_init(&b->out, 2 * (size_t)SHARC_LIMIT_BROWSER_COMMAND);
    sharc_buf_init(&b->answer, 2 * (size_t)SHARC_LIMIT_BROWSER_MESSAGE);
    sharc_arena_init(&b->answer_arena, 4 * (size_t)SHARC_LIMIT_BROWSER_MESSAGE);
    return b;
}

int sharc_browser_start(const struct sharc_browser_options *o, struct sharc_browser **ret, struct sharc_err *reterr)
{
    SHARC_AUTO(sharc_browser_stopp) struct sharc_browser *b = sharc__browser_new(o);
    int r = start(b, reterr);
    if (r == 0) *ret = SHARC_TAKE(b);
    return r;
}

/* Politely, for a moment: what it has on its disk goes anyway. */
static void ask_to_end(struct sharc_browser *b)
{
    b->o.event = NULL;
    b->o.stop = NULL;
    sharc_browser_begin(b, NULL, "Browser.close");
    sharc_browser_send(b);
    double until = sharc_clock_mono() + 2;
    while (!b->ended && sharc_clock_mono() < until && sharc_browser_wait(b, 100 * SHARC_MSEC, NULL) >= 0) {
    }
}

void sharc_browser_stop(struct sharc_browser *b)
{
    if (!b) return;
    if (b->guard.pid > 0 && !b->ended) ask_to_end(b);
    sharc_closep(&b->pipes.commands);
    sharc_closep(&b->pipes.messages);
    if (b->directory) sharc__browser_guard_end(&b->guard, b->directory);
    sharc_closep(&b->pipes.errors);
    sharc__browser_inbox_done(&b->inbox);
    sharc__browser_sessions_done(&b->sessions);
    sharc_buf_done(&b->out);
    sharc_buf_done(&b->answer);
    sharc_arena_done(&b->answer_arena);
    free(b->directory);
    free(b);
}

void sharc_browser_stopp(struct sharc_browser **b)
{
    sharc_browser_stop(*b);
    *b = NULL;
}

bool sharc_browser_isolated(const struct sharc_browser *b)
{
    return b->isolated;
}

/* SPDX-License-Identifier: Apache-2.0
 *
 * sharc serve: archives in a browser.
 */
#include "cli.h"
#include "cli_signals.h"

#include "sharc/base_file.h"
#include "sharc/serve.h"

#include <errno.h>
#include <stdlib.h>
#include <unistd.h>

struct serve_settings {
    struct sharc_serve_options o;
    uint64_t port, replay_port, threads, connections;
    sharc_time follow, how_long;
    const char *log, *ready_file, *token_file;
};

static void log_line(void *arg, const char *line)
{
    fprintf(arg, "%s\n", line);
    fflush(arg);
}

static void say_start(struct cli *c, const struct sharc_serve *s, struct sharc_collection *collection)
{
    const struct sharc_edition *e = sharc_collection_hold(collection);
    size_t files = sharc_edition_files(e);
    sharc_collection_release(collection, e);
    if (c->json) {
        SHARC_AUTO(sharc_buf_done) struct sharc_buf out = SHARC_BUF_INIT(64u << 10);
        struct sharc_json j;
        sharc_json_init(&j, &out, false);
        sharc_json_object(&j, NULL);
        sharc_json_str(&j, "url", sharc_serve_url(s));
        sharc_json_str(&j, "replay", sharc_serve_replay_url(s));
        sharc_json_int(&j, "pid", (int64_t)getpid());
        sharc_json_uint(&j, "files", files);
        sharc_json_end(&j);
        fprintf(c->out, "%s\n", sharc_buf_str(&out));
    } else {
        fprintf(c->out, "browse  %s\nreplay  %s\nfiles   %zu\n", sharc_serve_url(s), sharc_serve_replay_url(s), files);
    }
    fflush(c->out);
}

static void say_end(struct cli *c, const struct sharc_serve *s)
{
    struct sharc_serve_totals t = sharc_serve_totals(s);
    if (!c->json) {
        fprintf(c->out, "%s, %s shown\n", SHARC_COUNT(t.requests, "request"),
                SHARC_COUNT(t.mementos, "archived answer"));
        return;
    }
    SHARC_AUTO(sharc_buf_done) struct sharc_buf out = SHARC_BUF_INIT(64u << 10);
    struct sharc_json j;
    sharc_json_init(&j, &out, false);
    sharc_json_object(&j, NULL);
    sharc_json_uint(&j, "requests", t.requests);
    sharc_json_uint(&j, "mementos", t.mementos);
    sharc_json_uint(&j, "refused", t.refused);
    sharc_json_uint(&j, "client_errors", t.by_class[4]);
    sharc_json_uint(&j, "server_errors", t.by_class[5]);
    sharc_json_end(&j);
    fprintf(c->out, "%s\n", sharc_buf_str(&out));
}

/* Look for new files now and then, but spend at most a tenth of the time on it. */
static void refresh(struct cli *c, struct sharc_collection *collection, struct sharc_err *last)
{
    struct sharc_err err = SHARC_ERR_INIT;
    if (sharc_collection_refresh(collection, &err) < 0 && strcmp(err.text, last->text) != 0)
        cli_note(c, "%s", err.text); /* once, not every few seconds */
    *last = err;
}

static void follow(struct cli *c, const struct serve_settings *s, struct sharc_collection *collection)
{
    struct sharc_clock *clock = s->o.clock;
    const volatile bool *stop = cli_signals_flag();
    sharc_time until = s->how_long == SHARC_TIME_NONE ? INT64_MAX : clock->now(clock) + s->how_long;
    sharc_time pause = s->follow;
    struct sharc_err last = SHARC_ERR_INIT;
    for (;;) {
        sharc_time now = clock->now(clock), next = s->follow && now < until - pause ? now + pause : until;
        if (next == INT64_MAX) next = now + SHARC_DAY;
        if (clock->wait_until(clock, next, stop) == SHARC_EINTR || clock->now(clock) >= until) return;
        if (!s->follow) continue;
        double began = sharc_clock_mono();
        refresh(c, collection, &last);
        sharc_time spent = sharc_time_of_seconds(sharc_clock_mono() - began);
        pause = 10 * spent > s->follow ? 10 * spent : s->follow;
    }
}

static int write_ready_file(const char *path, const struct sharc_serve *s, struct sharc_err *err)
{
    SHARC_AUTO(sharc_buf_done) struct sharc_buf lines = SHARC_BUF_INIT(4096);
    sharc_buf_printf(&lines, "%s\n%s\n", sharc_serve_url(s), sharc_serve_replay_url(s));
    return sharc_file_replace(path, sharc_buf_span(&lines), err);
}

static void file_close(FILE **f)
{
    if (*f && *f != stdout) fclose(*f);
}

/* One line; not on the command line, where everybody on the machine can read it. */
static int read_token(struct serve_settings *s, struct sharc_buf *ret, struct sharc_err *err)
{
    int r = sharc_file_read(s->token_file, ret, err);
    if (r < 0) return r;
    while (ret->n && (unsigned char)ret->p[ret->n - 1] <= ' ') sharc_buf_truncate(ret, ret->n - 1);
    for (size_t i = 0; i < ret->n; i++)
        SHARC_FAIL_IF((unsigned char)ret->p[i] <= ' ' || (unsigned char)ret->p[i] > '~', err, SHARC_EINVAL,
                      "%s: a token is one line without blanks", s->token_file);
    SHARC_FAIL_IF(ret->n < 16, err, SHARC_EINVAL, "%s: a token needs at least 16 characters", s->token_file);
    s->o.token = sharc_buf_str(ret);
    return 0;
}

/* A trial of a strategy is a run of sharc plan. */
static char **plan_arguments(const struct sharc_serve_trial *t)
{
    char **list = SHARC_NEW_ARRAY(char *, 16);
    size_t n = 0;
    list[n++] = sharc_strdup("/proc/self/exe");
    list[n++] = sharc_strdup("plan");
    list[n++] = sharc_strdup(t->archive);
    list[n++] = sharc_strdup("--json");
    list[n++] = sharc_strdup("--quiet");
    list[n++] = sharc_asprintf("--strategy=%s", t->strategy);
    list[n++] = sharc_asprintf("--delay=%.6fs", t->delay);
    list[n++] = sharc_asprintf("--focus=%.6f", t->focus);
    if (t->known >= 0) list[n++] = sharc_asprintf("--known=%.6f", t->known);
    return list;
}

static int serve(struct cli *c, struct serve_settings *s, const char *const *paths, size_t count)
{
    struct sharc_err err = SHARC_ERR_INIT;
    SHARC_AUTO(file_close) FILE *log = NULL;
    SHARC_AUTO(sharc_collection_freep) struct sharc_collection *collection = NULL;
    SHARC_AUTO(sharc_serve_stopp) struct sharc_serve *server = NULL;
    const char *temporary = getenv("TMPDIR");
    const struct sharc_collection_options o = {.temporary = temporary && *temporary ? temporary : NULL,
                                               .threads = s->o.threads,
                                               .warn = cli_warn,
                                               .warn_arg = c};
    SHARC_AUTO(sharc_buf_done) struct sharc_buf token = SHARC_BUF_INIT(4096);
    if (s->token_file && read_token(s, &token, &err) < 0) return cli_fail(c, &err);
    cli_signals_flag();
    if (s->log && !(log = fopen(s->log, "ae"))) {
        sharc_fail(&err, sharc_error_from_errno(errno), "%s: %s", s->log, strerror(errno));
        return cli_fail(c, &err);
    }
    if (log) s->o.log = log_line, s->o.log_arg = log;
    if (sharc_collection_open(paths, count, &o, &collection, &err) < 0) return cli_fail(c, &err);
    s->o.collection = collection;
    if (sharc_serve_start(&s->o, &server, &err) < 0) return cli_fail(c, &err);
    say_start(c, server, collection);
    if (s->ready_file && write_ready_file(s->ready_file, server, &err) < 0) return cli_fail(c, &err);
    if (s->how_long == SHARC_TIME_NONE) cli_note(c, "Ctrl-C stops it");
    follow(c, s, collection);
    say_end(c, server);
    return EXIT_OK;
}

int cmd_serve(struct cli *c, int argc, char **argv)
{
    struct serve_settings s = {.o = SHARC_SERVE_OPTIONS, .follow = 5 * SHARC_SEC, .how_long = SHARC_TIME_NONE};
    s.o.trial = plan_arguments;
    s.port = s.o.port;
    s.replay_port = UINT64_MAX;
    s.connections = s.o.connections;
    const struct cli_option options[] = {
        OPT_UINT_IN(0, 65535, 'p', "port", &s.port, "N", "listen on this port for pages and APIs (default: 8080)"),
        OPT_UINT_IN(0, 65535, 0, "replay-port", &s.replay_port, "N",
                    "show archived pages on this port (default: the next one; with --port 0, any free one)"),
        OPT_STRING(0, "listen", &s.o.address, "ADDRESS", "listen on this address (default: 127.0.0.1)"),
        OPT_STRING(0, "title", &s.o.title, "TEXT", "show this title on the pages of the archive"),
        OPT_STRING(0, "public-url", &s.o.public_url, "URL",
                   "tell readers this URL for --port, when they come through a proxy"),
        OPT_STRING(0, "public-replay-url", &s.o.public_replay_url, "URL",
                   "tell readers this URL for --replay-port; it must be another origin"),
        OPT_STRING(0, "allow-origin", &s.o.allow_origin, "ORIGIN",
                   "let scripts of this web site read indexes and files"),
        OPT_DURATION(0, "follow", &s.follow, "TIME", "look for new files this often (default: 5s; 0: never)"),
        OPT_STRING(0, "log", &s.log, "FILE", "append a line to this file for each request"),
        OPT_STRING(0, "token-file", &s.token_file, "FILE",
                   "require the token in this file for catalogues, index, files and metrics"),
        OPT_STRING(0, "ready-file", &s.ready_file, "FILE", "write both addresses to this file once they answer"),
        OPT_DURATION(0, "for", &s.how_long, "TIME", "stop after this long (default: run until interrupted)"),
        OPT_HEADING("Limits"),
        OPT_UINT_IN(2, 65535, 0, "connections", &s.connections, "N",
                    "serve at most N connections at a time (default: 1024)"),
        OPT_SIZE(0, "memory", &s.o.memory, "SIZE",
                 "use at most this much memory for answers under way (default: 512Mi)"),
        OPT_UINT_IN(0, CLI_THREADS_MOST, 0, "threads", &s.threads, "N",
                    "answer with N threads (default: one per core)"),
        OPT_END,
    };
    if (cli_parse(c, &argc, argv, options)) return cli_stop(c);
    if (argc < 2) return cli_usage(c, "name an archive, a directory, or WARC, ARC or WACZ files");
    if (s.replay_port == UINT64_MAX) s.replay_port = s.port ? s.port + 1 : 0;
    if (s.replay_port > UINT16_MAX) return cli_usage(c, "--replay-port must be below 65536");
    if (s.port && s.port == s.replay_port) return cli_usage(c, "--port and --replay-port must be two ports");
    s.o.port = (uint16_t)s.port;
    s.o.replay_port = (uint16_t)s.replay_port;
    s.o.connections = (unsigned)s.connections;
    s.o.threads = (unsigned)s.threads;
    s.o.clock = sharc_clock_real();
    return serve(c, &s, (const char *const *)argv + 1, (size_t)argc - 1);
}

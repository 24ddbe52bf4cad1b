/* SPDX-License-Identifier: Apache-2.0
 *
 * sharc watch --queue: the watch of every site becomes a job.
 */
#include "archive.h"
#include "cmd_watch.h"
#include "queue.h"

static const char *const not_kept[] = {"archive",    "store", "list", "set",   "changes",  "queue",
                                       "collection", "due",   "json", "quiet", "settings", NULL};
static const char *const files[] = {"--ca-file=", "--holidays=", NULL};

struct submission {
    struct cli *c;
    const struct watch_settings *s;
    struct queue q;
};

/* "URL shortest=1h", or nothing. */
static int add_line(void *submission, struct sharc_span line, struct sharc_err *err)
{
    struct submission *u = submission;
    struct sharc_span rest = sharc_span_trim(line), url;
    if (rest.n == 0 || rest.p[0] == '#') return 0;
    line = rest;
    (void)sharc_span_next(&rest, ' ', &url);
    SHARC_FAIL_IF(!u->s->crawl.o.allow_private && crawl_is_local(url), err, SHARC_EACCESS,
                  "%.*s: is a private address; setting \"allow-private\" allows it", SHARC_SPAN_ARG(url));
    int r = sharc_watching_check_line(line, err);
    return r < 0 ? r : queue_seed(&u->q, url, line, err);
}

static int gather(struct submission *u, int argc, char **argv, struct sharc_err *err)
{
    const struct watch_settings *s = u->s;
    int r = crawl_rehearse(u->c, &s->crawl, err);
    for (int i = 1; i < argc && r == 0; i++) r = add_line(u, sharc_span_of(argv[i]), err);
    for (size_t i = 0; i < s->lists.count && r == 0; i++)
        r = watch_read_list(u->c, s->lists.items[i], add_line, u, err);
    if (r == 0 && argc < 2 && s->lists.count == 0) r = sharc_archive_sites(s->crawl.o.archive, add_line, u, err);
    return r;
}

/* What a turn of a worker has no use for. */
static int check(struct cli *c, const struct watch_settings *s)
{
    if (s->snapshot)
        return cli_usage(c,
                         "--snapshot cannot be queued: queue captures of the site beside its watch, "
                         "sharc crawl --queue --schedule %s",
                         s->snapshot);
    if (s->o.time || s->requests)
        return cli_usage(c, "--limit-time and --limit-requests end a watch that runs; \"sharc jobs cancel\" ends a "
                            "queued one");
    if (s->zone && s->o.zone && s->zone[0] != '+' && s->zone[0] != '-')
        return cli_usage(c, "--zone %s cannot be queued: write its offset, such as +02:00", s->zone);
    if (s->crawl.proxy && strchr(s->crawl.proxy, '@'))
        return cli_usage(c, "--proxy with a password cannot be queued: it would be kept in the catalogue");
    return 0;
}

int watch_submit(struct cli *c, const struct watch_settings *s, int argc, char **argv)
{
    struct sharc_err err = SHARC_ERR_INIT;
    int code = check(c, s);
    if (code) return code;
    struct submission u = {.c = c, .s = s};
    queue_init(&u.q, "watch");
    u.q.collection = s->crawl.collection;
    u.q.due = s->crawl.due;
    u.q.said = &s->crawl.said;
    u.q.not_kept = not_kept;
    u.q.files = files;
    int r = gather(&u, argc, argv, &err);
    if (r < 0)
        code = r == SHARC_ESYNTAX || r == SHARC_EACCESS ? cli_usage(c, "%s", err.text) : cli_fail(c, &err);
    else if (sharc_intern_count(u.q.names) == 0)
        code = cli_usage(c, "there is no page to watch: name at least one URL, or a file of them with --list");
    else if (queue_submit(c, &u.q, s->crawl.o.archive, s->crawl.store, &err) < 0)
        code = cli_fail(c, &err);
    queue_done(&u.q);
    return code;
}

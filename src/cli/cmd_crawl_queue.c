/* SPDX-License-Identifier: Apache-2.0
 *
 * sharc crawl --queue: every site becomes a job.
 */
#include "archive.h"
#include "cmd_crawl.h"
#include "queue.h"

#include "sharc/fleet_schedule.h"

/* What the worker decides, and what does not belong to the work. */
static const char *const not_kept[] = {"archive", "store",   "seeds",    "set",        "sites",    "memory",
                                       "spool",   "threads", "queue",    "collection", "schedule", "due",
                                       "json",    "quiet",   "settings", NULL};
static const char *const files[] = {"--cookies=", "--ca-file=", "--weights=", NULL};

struct submission {
    const struct crawl_settings *s;
    struct queue q;
};

static int add_seed(void *submission, struct sharc_span url, struct sharc_err *err)
{
    struct submission *u = submission;
    int r = crawl_check_seed(url, u->s->o.allow_private, err);
    return r < 0 ? r : queue_seed(&u->q, url, url, err);
}

/* Settings of single sites in the archive's sharc.yaml go with the job of the site. */
static int add_setting(void *submission, struct sharc_span url, struct sharc_span setting, struct sharc_err *err)
{
    return queue_setting(&((struct submission *)submission)->q, url, setting, err);
}

/* A secret in the catalogue would be everybody's who may read it. */
static int check_secrets(struct cli *c, const struct crawl_settings *s)
{
    if (s->headers.count) return cli_usage(c, "--header cannot be queued: its value would be kept in the catalogue");
    if (s->proxy && strchr(s->proxy, '@'))
        return cli_usage(c, "--proxy with a password cannot be queued: it would be kept in the catalogue");
    return 0;
}

int crawl_rehearse(struct cli *c, const struct crawl_settings *s, struct sharc_err *err)
{
    SHARC_AUTO(sharc_secrets_freep) struct sharc_secrets *secrets = NULL; /* must outlive the fetcher */
    SHARC_AUTO(sharc_fetcher_freep) struct sharc_fetcher *fetcher = NULL;
    SHARC_AUTO(sharc_freep) char *agent = crawl_agent(s);
    int r = crawl_read_secrets(c, s, &secrets, err);
    return r < 0 ? r : crawl_open_fetcher(s, sharc_clock_real(), agent, secrets, &fetcher, err);
}

static int submit(struct cli *c, struct submission *u, int argc, char **argv)
{
    const struct crawl_settings *s = u->s;
    struct sharc_err err = SHARC_ERR_INIT;
    int r = crawl_rehearse(c, s, &err);
    if (r == 0) r = crawl_each_seed(c, s, argc, argv, add_seed, u, &err);
    if (r == 0) r = cli_site_settings(c, s->o.archive, add_setting, u, &err);
    if (r < 0) return r == SHARC_ESYNTAX || r == SHARC_EACCESS ? cli_usage(c, "%s", err.text) : cli_fail(c, &err);
    if (sharc_intern_count(u->q.names) == 0) return cli_usage(c, "there is no seed to begin with");
    return queue_submit(c, &u->q, s->o.archive, s->store, &err) < 0 ? cli_fail(c, &err) : EXIT_OK;
}

int crawl_submit(struct cli *c, const struct crawl_settings *s, int argc, char **argv)
{
    struct sharc_err err = SHARC_ERR_INIT;
    if (s->schedule && sharc_fleet_schedule_check(sharc_span_of(s->schedule), &err) < 0)
        return cli_usage(c, "--schedule: %s", err.text);
    int code = check_secrets(c, s);
    if (code) return code;
    struct submission u = {.s = s};
    queue_init(&u.q, "crawl");
    u.q.collection = s->collection;
    u.q.schedule = s->schedule;
    u.q.due = s->due;
    u.q.said = &s->said;
    u.q.not_kept = not_kept;
    u.q.files = files;
    if (s->o.weights != SHARC_CRAWL_WEIGHTS_GIVEN) u.q.word = "--weights=";
    code = submit(c, &u, argc, argv);
    queue_done(&u.q);
    return code;
}

/* SPDX-License-Identifier: Apache-2.0
 *
 * sharc crawl --queue: every site becomes a job, with what was said about the options as its
 * settings. What it was told by files is written down with it: a worker on another machine does the same.
 */
#include "archive.h"
#include "cmd_crawl.h"

#include "sharc/base_map.h"
#include "sharc/fleet_schedule.h"
#include "sharc/store_job.h"

#include <stdlib.h>
#include <unistd.h>

/* What the worker decides, and what does not belong to the work. */
static const char *const not_kept[] = {"archive", "store",   "seeds",    "set",        "sites",    "memory",
                                       "spool",   "threads", "queue",    "collection", "schedule", "due",
                                       "json",    "quiet",   "settings", NULL};

struct site {
    struct cli_list seeds, settings;
};

struct submission {
    const struct crawl_settings *s;
    struct sharc_intern *names;
    struct site *site;
    size_t room;
};

static void submission_done(struct submission *u)
{
    for (uint32_t i = 0; i < sharc_intern_count(u->names); i++) {
        cli_list_done(&u->site[i].seeds);
        cli_list_done(&u->site[i].settings);
    }
    free(u->site);
    sharc_intern_free(u->names);
}

static int add_seed(void *submission, struct sharc_span url, struct sharc_err *err)
{
    struct submission *u = submission;
    SHARC_AUTO(sharc_buf_done) struct sharc_buf name = SHARC_BUF_INIT(64u << 10);
    int r = sharc_crawl_site_name(url, &name, err);
    if (r < 0) return r;
    SHARC_FAIL_IF(!u->s->o.allow_private && crawl_is_local(url), err, SHARC_EACCESS,
                  "%.*s: is a private address; setting \"allow-private\" allows it", SHARC_SPAN_ARG(url));
    bool fresh = false;
    uint32_t i = sharc_intern_add(u->names, sharc_buf_span(&name), &fresh);
    SHARC_GROW(u->site, u->room, (size_t)i + 1);
    if (fresh) u->site[i] = (struct site){0};
    cli_list_add(&u->site[i].seeds, url);
    return 0;
}

/* Settings of single sites in the archive's sharc.yaml go with the job of the site. */
static int add_setting(void *submission, struct sharc_span url, struct sharc_span setting, struct sharc_err *err)
{
    struct submission *u = submission;
    SHARC_AUTO(sharc_buf_done) struct sharc_buf name = SHARC_BUF_INIT(64u << 10);
    int r = sharc_crawl_site_name(url, &name, err);
    uint32_t i = r < 0 ? SHARC_NO_ID : sharc_intern_find(u->names, sharc_buf_span(&name));
    if (i != SHARC_NO_ID) cli_list_add(&u->site[i].settings, setting);
    return r;
}

/* --- what is written down ----------------------------------------------------------------- */

static bool is_kept(const char *said)
{
    for (size_t i = 0; not_kept[i]; i++) {
        size_t n = strlen(not_kept[i]);
        if (strncmp(said + 2, not_kept[i], n) == 0 && (said[2 + n] == '=' || said[2 + n] == 0)) return false;
    }
    return true;
}

static void put_list(struct sharc_json *j, const char *name, const struct cli_list *l)
{
    sharc_json_array(j, name);
    for (size_t i = 0; i < l->count; i++) sharc_json_str(j, NULL, l->items[i]);
    sharc_json_end(j);
}

/* The file that an option names, such as "--cookies=jar": where its name begins. A worker is started somewhere else,
 * so it gets the whole path. 0: it names none. */
static size_t file_of(const struct crawl_settings *s, const char *said)
{
    static const char *const names[] = {"--cookies=", "--ca-file=", "--weights="};
    for (size_t i = 0; i < SHARC_LENGTH(names); i++) {
        size_t n = strlen(names[i]);
        if (strncmp(said, names[i], n) != 0) continue;
        bool word = names[i][2] == 'w' && s->o.weights != SHARC_CRAWL_WEIGHTS_GIVEN;
        return word || said[n] == '/' ? 0 : n;
    }
    return 0;
}

static void put_options(struct sharc_json *j, const struct crawl_settings *s)
{
    SHARC_AUTO(sharc_freep) char *here = getcwd(NULL, 0);
    sharc_json_array(j, "options");
    for (size_t i = 0; i < s->said.count; i++) {
        const char *said = s->said.items[i];
        size_t at = here ? file_of(s, said) : 0;
        SHARC_AUTO(sharc_freep) char *whole = at ? sharc_asprintf("%.*s%s/%s", (int)at, said, here, said + at) : NULL;
        if (is_kept(said)) sharc_json_str(j, NULL, whole ? whole : said);
    }
    sharc_json_end(j);
}

static void put_params(const struct submission *u, const struct site *site, struct sharc_buf *out)
{
    struct sharc_json j;
    sharc_json_init(&j, out, false);
    sharc_json_object(&j, NULL);
    put_list(&j, "seeds", &site->seeds);
    put_options(&j, u->s);
    if (site->settings.count) put_list(&j, "site", &site->settings);
    sharc_json_end(&j);
}

/* --- jobs ------------------------------------------------------------------------------------ */

/* 1: queued; 0: it has a job already, as err says. */
static int add_job(struct sharc_store *store, const struct submission *u, uint32_t i, sharc_store_id *ret,
                   struct sharc_err *err)
{
    SHARC_AUTO(sharc_buf_done) struct sharc_buf params = SHARC_BUF_INIT(64u << 20);
    SHARC_AUTO(sharc_buf_done) struct sharc_buf seeds = SHARC_BUF_INIT(64u << 20);
    struct sharc_json j;
    put_params(u, &u->site[i], &params);
    sharc_json_init(&j, &seeds, false);
    put_list(&j, NULL, &u->site[i].seeds);
    struct sharc_store_site row = {.name = sharc_intern_text(u->names, i), .seeds = sharc_buf_span(&seeds)};
    struct sharc_store_job job = {.kind = SHARC_SPAN("crawl"),
                                  .collection = sharc_span_of(u->s->collection ? u->s->collection : ""),
                                  .params = sharc_buf_span(&params),
                                  .schedule = u->s->schedule ? sharc_span_of(u->s->schedule) : SHARC_SPAN_NONE,
                                  .due = u->s->due};
    int r = sharc_store_site_put(store, &row, &job.site, err);
    if (r == 0) r = sharc_store_job_add(store, &job, ret, err);
    return r == SHARC_EEXIST ? 0 : r < 0 ? r : 1;
}

static int add_jobs(struct cli *c, struct sharc_store *store, const struct submission *u, struct sharc_err *err)
{
    SHARC_AUTO(sharc_buf_done) struct sharc_buf out = SHARC_BUF_INIT(1u << 30);
    struct sharc_json j;
    int r = 0;
    sharc_json_init(&j, &out, true);
    sharc_json_object(&j, NULL);
    sharc_json_array(&j, "jobs");
    for (uint32_t i = 0; i < sharc_intern_count(u->names) && r >= 0; i++) {
        const struct sharc_span name = sharc_intern_text(u->names, i);
        sharc_store_id id = 0;
        r = add_job(store, u, i, &id, err);
        if (r < 0) break;
        sharc_json_object(&j, NULL);
        sharc_json_span(&j, "site", name);
        sharc_json_bool(&j, "queued", r > 0);
        if (r > 0) sharc_json_int(&j, "job", id);
        sharc_json_end(&j);
        if (r == 0) cli_note(c, "%.*s: %s; it is left as it is", SHARC_SPAN_ARG(name), err->text);
        if (r > 0 && !c->json) fprintf(c->out, "job %lld: %.*s\n", (long long)id, SHARC_SPAN_ARG(name));
    }
    sharc_json_end(&j);
    sharc_json_end(&j);
    if (c->json && r >= 0) fprintf(c->out, "%s\n", sharc_buf_str(&out));
    return r < 0 ? r : 0;
}

/* A secret in the catalogue would be everybody's who may read it. */
static int check_secrets(struct cli *c, const struct crawl_settings *s)
{
    if (s->headers.count) return cli_usage(c, "--header cannot be queued: its value would be kept in the catalogue");
    if (s->proxy && strchr(s->proxy, '@'))
        return cli_usage(c, "--proxy with a password cannot be queued: it would be kept in the catalogue");
    return 0;
}

/* What a worker would stumble over: files that are missing or wrong, a proxy that is none. */
static int rehearse(struct cli *c, const struct crawl_settings *s, struct sharc_err *err)
{
    SHARC_AUTO(sharc_secrets_freep) struct sharc_secrets *secrets = NULL; /* must outlive the fetcher */
    SHARC_AUTO(sharc_fetcher_freep) struct sharc_fetcher *fetcher = NULL;
    SHARC_AUTO(sharc_freep) char *agent = crawl_agent(s);
    int r = crawl_read_secrets(c, s, &secrets, err);
    return r < 0 ? r : crawl_open_fetcher(s, sharc_clock_real(), agent, secrets, &fetcher, err);
}

int crawl_submit(struct cli *c, const struct crawl_settings *s, int argc, char **argv)
{
    struct sharc_err err = SHARC_ERR_INIT;
    sharc_time next;
    if (s->schedule && sharc_fleet_next(sharc_span_of(s->schedule), 0, 0, &next, &err) < 0)
        return cli_usage(c, "--schedule: %s", err.text);
    int code = check_secrets(c, s);
    if (code) return code;
    SHARC_AUTO(submission_done) struct submission u = {.s = s, .names = sharc_intern_new()};
    SHARC_AUTO(sharc_store_freep) struct sharc_store *store = NULL;
    int r = rehearse(c, s, &err);
    if (r == 0) r = crawl_each_seed(c, s, argc, argv, add_seed, &u, &err);
    if (r == 0) r = cli_site_settings(c, s->o.archive, add_setting, &u, &err);
    if (r < 0) return r == SHARC_ESYNTAX || r == SHARC_EACCESS ? cli_usage(c, "%s", err.text) : cli_fail(c, &err);
    if (sharc_intern_count(u.names) == 0) return cli_usage(c, "there is no seed to begin with");
    r = sharc_archive_open(s->o.archive, s->store, NULL, &store, &err);
    if (r == 0) r = add_jobs(c, store, &u, &err);
    return r < 0 ? cli_fail(c, &err) : EXIT_OK;
}

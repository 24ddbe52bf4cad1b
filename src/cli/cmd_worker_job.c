/* SPDX-License-Identifier: Apache-2.0
 *
 * sharc worker: one job, in a thread of its own, with its own connection to the catalogue, behind a fence.
 */
#include "archive.h"
#include "cmd_worker.h"
#include "objects.h"

#include "sharc/base_arena.h"
#include "sharc/base_node.h"

#include <stdlib.h>
#include <unistd.h>

enum { WAIT_TICK = 100000, WAIT_TICKS = 50 }; /* microseconds; how many between two tries */

/* --- what the job says --------------------------------------------------------------------- */

static void read_list(const struct sharc_node *doc, const char *name, struct cli_list *ret)
{
    const struct sharc_node *list = sharc_node_get(doc, name);
    for (const struct sharc_node *n = list ? list->first : NULL; n; n = n->next) cli_list_add(ret, sharc_node_text(n));
}

static int read_params(struct slot *s, struct sharc_span params, struct sharc_err *err)
{
    SHARC_AUTO(sharc_arena_done) struct sharc_arena arena = SHARC_ARENA_INIT(256u << 20);
    const struct sharc_node *doc = NULL;
    int r = sharc_json_read(params, &arena, &doc, err);
    if (r < 0) return r;
    read_list(doc, "seeds", &s->seeds);
    read_list(doc, "options", &s->options);
    read_list(doc, "site", &s->own);
    SHARC_FAIL_IF(s->seeds.count == 0, err, SHARC_EINVAL, "the job names no seed");
    return 0;
}

/* As if they stood on the command line of sharc crawl. What is wrong goes to a buffer, not to the terminal. */
static int read_options(struct slot *s, struct sharc_err *err)
{
    char *said = NULL;
    size_t size = 0;
    struct cli c = *s->w->c;
    c.command = cli_command_find("crawl");
    c.no_files = true;
    c.err = open_memstream(&said, &size);
    SHARC_FAIL_IF(!c.err, err, SHARC_ENOMEM, "out of memory");
    int argc = 1;
    SHARC_AUTO(sharc_freep) char **argv = SHARC_NEW_ARRAY(char *, s->options.count + 2);
    argv[0] = (char *)(uintptr_t) "crawl";
    for (size_t i = 0; i < s->options.count; i++) argv[argc++] = (char *)(uintptr_t)s->options.items[i];
    int r = crawl_read_options(&c, &s->s, &argc, argv);
    struct sharc_err why = SHARC_ERR_INIT;
    if (r == 0 && crawl_choose_weights(&s->s, &why) < 0) r = cli_fail(&c, &why);
    if (r == 0) r = crawl_choose_strategy(&c, &s->s);
    if (r == 0) r = crawl_choose_controls(&c, &s->s);
    fclose(c.err);
    struct sharc_span text = sharc_span_trim(sharc_span(said, size));
    if (r) r = sharc_fail(err, SHARC_ECONFIG, "its settings are wrong: %.*s", SHARC_SPAN_ARG(text));
    free(said);
    return r;
}

/* --- the crawl ------------------------------------------------------------------------------ */

static void say(void *arg, const char *sentence)
{
    const struct slot *s = arg;
    worker_say(s->w, s, "%s", sentence);
}

static int add_seeds(struct slot *s, struct sharc_crawl *engine, struct sharc_secrets *secrets, struct sharc_err *err)
{
    int r = 0;
    for (size_t i = 0; i < s->seeds.count && r == 0; i++) {
        r = sharc_crawl_seed(engine, sharc_span_of(s->seeds.items[i]), err);
        if (r == 0) crawl_add_home(secrets, sharc_span_of(s->seeds.items[i]));
    }
    for (size_t i = 0; i < s->own.count && r == 0; i++)
        r = sharc_crawl_site_set(engine, sharc_span_of(s->seeds.items[0]), sharc_span_of(s->own.items[i]), err);
    SHARC_FAIL_IF(r == 0 && sharc_crawl_sites(engine) != 1, err, SHARC_EINVAL,
                  "the seeds of a job belong to one site, not to %zu", sharc_crawl_sites(engine));
    return r;
}

void worker_stop(struct slot *s, int how)
{
    pthread_mutex_lock(&s->w->lock);
    for (; s->stops < how; s->stops++)
        if (s->engine) sharc_crawl_stop(s->engine);
    pthread_mutex_unlock(&s->w->lock);
}

/* From here on it can be stopped, and what was said before is told to it. NULL: no longer. */
static void can_be_stopped(struct slot *s, struct sharc_crawl *engine)
{
    pthread_mutex_lock(&s->w->lock);
    s->engine = engine;
    for (int i = 0; engine && i < s->stops; i++) sharc_crawl_stop(engine);
    pthread_mutex_unlock(&s->w->lock);
}

static int run(struct slot *s, struct sharc_crawl *engine, struct sharc_secrets *secrets, struct sharc_err *err)
{
    int r = add_seeds(s, engine, secrets, err);
    if (r < 0) return r;
    can_be_stopped(s, engine);
    r = sharc_crawl_run(engine, err);
    can_be_stopped(s, NULL);
    struct sharc_crawl_summary m;
    sharc_crawl_site(engine, 0, &m);
    s->done = r == 0 && m.phase == SHARC_CRAWL_DONE;
    s->pages = m.pages;
    return r;
}

static bool is_stopped(struct slot *s)
{
    pthread_mutex_lock(&s->w->lock);
    const bool stopped = s->stops > 0;
    pthread_mutex_unlock(&s->w->lock);
    return stopped;
}

/* The object store may be away, and is asked for files of earlier workers: it is waited for, with the job in hand. */
static int open_patiently(struct slot *s, const struct sharc_crawl_world *world, struct sharc_crawl **ret,
                          struct sharc_err *err)
{
    bool told = false;
    for (;;) {
        int r = sharc_crawl_new(&s->s.o, world, ret, err);
        if (r != SHARC_ENET) return r;
        if (!told) worker_say(s->w, s, "%s: waiting until it is available again", err->text);
        told = true;
        for (int i = 0; i < WAIT_TICKS && !is_stopped(s); i++) usleep(WAIT_TICK);
        if (is_stopped(s)) return sharc_fail(err, SHARC_EINTR, "stopped before it could begin");
        (void)sharc_store_reconnect(world->store, NULL); /* it may have been the catalogue */
    }
}

static int open_and_run(struct slot *s, struct sharc_err *err)
{
    struct worker *w = s->w;
    struct crawl_settings *set = &s->s;
    struct sharc_clock *clock = sharc_clock_real();
    char host[256] = "localhost";
    (void)gethostname(host, sizeof host - 1);
    SHARC_AUTO(sharc_freep) char *agent = crawl_agent(set), *proxy = NULL, *connect_to = NULL;
    crawl_note_network(set, &proxy, &connect_to);
    set->o.archive = w->o.archive;
    set->o.locked = true; /* by the worker, beside others */
    set->o.control = false;
    set->o.user_agent = agent;
    set->o.host = host;
    set->o.threads = (unsigned)w->o.threads;
    set->o.spool = w->o.spool / w->o.sites;
    set->o.job = (struct sharc_crawl_job){s->claim.job, s->claim.epoch, s->capture};
    SHARC_AUTO(sharc_store_freep) struct sharc_store *store = NULL;
    SHARC_AUTO(sharc_secrets_freep) struct sharc_secrets *secrets = NULL; /* must outlive the fetcher */
    SHARC_AUTO(sharc_fetcher_freep) struct sharc_fetcher *fetcher = NULL;
    SHARC_AUTO(sharc_crawl_freep) struct sharc_crawl *engine = NULL;
    int r = crawl_read_secrets(w->c, set, &secrets, err);
    if (r == 0) r = sharc_archive_open(w->o.archive, w->o.store, NULL, &store, err);
    if (r < 0) return r;
    sharc_store_fence(store, s->claim, w->o.lease);
    r = crawl_open_fetcher(set, clock, agent, secrets, &fetcher, err);
    struct sharc_object_store *objects = r == 0 ? cli_objects_store(err) : NULL;
    if (r == 0 && !objects) r = err->code;
    const struct sharc_crawl_world world = {
        .clock = clock, .fetcher = fetcher, .store = store, .objects = objects, .remark = say, .arg = s};
    if (r == 0) r = open_patiently(s, &world, &engine, err);
    return r < 0 ? r : run(s, engine, secrets, err);
}

static void *do_job(void *arg)
{
    struct slot *s = arg;
    s->result = open_and_run(s, &s->err);
    pthread_mutex_lock(&s->w->lock);
    s->state = SLOT_ENDED;
    pthread_cond_signal(&s->w->wake);
    pthread_mutex_unlock(&s->w->lock);
    return NULL;
}

int worker_begin(struct slot *s, const struct sharc_store_job *job, struct sharc_err *err)
{
    *s = (struct slot){.w = s->w,
                       .claim = {job->id, job->epoch},
                       .capture = job->capture,
                       .site = sharc_span_dup(job->site_name),
                       .schedule = job->schedule.p ? sharc_span_dup(job->schedule) : NULL,
                       .due = job->due,
                       .failures = job->failures};
    int r = read_params(s, job->params, err);
    if (r == 0) r = read_options(s, err);
    if (r < 0) return r;
    s->state = SLOT_BUSY;
    r = pthread_create(&s->thread, NULL, do_job, s);
    if (r == 0) return 0;
    s->state = SLOT_FREE;
    return sharc_fail(err, SHARC_ELIMIT, "no thread could be started: %s", strerror(r));
}

void worker_clear(struct slot *s)
{
    crawl_settings_done(&s->s);
    cli_list_done(&s->seeds);
    cli_list_done(&s->options);
    cli_list_done(&s->own);
    free(s->site);
    free(s->schedule);
    *s = (struct slot){.w = s->w};
}

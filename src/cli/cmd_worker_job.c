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

int worker_read(struct slot *s, const char *command, worker_read_fn *fn, struct sharc_err *err)
{
    char *said = NULL;
    size_t size = 0;
    struct cli c = *s->w->c;
    c.command = cli_command_find(command);
    c.no_files = true;
    c.err = open_memstream(&said, &size);
    SHARC_FAIL_IF(!c.err, err, SHARC_ENOMEM, "out of memory");
    int argc = 1;
    SHARC_AUTO(sharc_freep) char **argv = SHARC_NEW_ARRAY(char *, s->options.count + 2);
    argv[0] = (char *)(uintptr_t)command;
    for (size_t i = 0; i < s->options.count; i++) argv[argc++] = (char *)(uintptr_t)s->options.items[i];
    int r = fn(&c, s, &argc, argv);
    fclose(c.err);
    struct sharc_span text = sharc_span_trim(sharc_span(said, size));
    if (r) r = sharc_fail(err, SHARC_ECONFIG, "its settings are wrong: %.*s", SHARC_SPAN_ARG(text));
    free(said);
    return r;
}

static int read_crawl(struct cli *c, struct slot *s, int *argc, char **argv)
{
    struct sharc_err why = SHARC_ERR_INIT;
    int r = crawl_read_options(c, &s->s, argc, argv);
    if (r == 0 && crawl_choose_weights(&s->s, &why) < 0) r = cli_fail(c, &why);
    if (r == 0) r = crawl_choose_strategy(c, &s->s);
    return r ? r : crawl_choose_controls(c, &s->s);
}

/* --- the crawl ------------------------------------------------------------------------------ */

void worker_remark(void *slot, const char *sentence)
{
    const struct slot *s = slot;
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
        if (s->engine)
            sharc_crawl_stop(s->engine);
        else if (s->watch)
            sharc_watching_stop(s->watch);
    pthread_mutex_unlock(&s->w->lock);
}

void worker_can_stop(struct slot *s, struct sharc_crawl *engine, struct sharc_watching *watch)
{
    pthread_mutex_lock(&s->w->lock);
    s->engine = engine;
    s->watch = watch;
    for (int i = 0; i < s->stops; i++) {
        if (engine) sharc_crawl_stop(engine);
        if (watch) sharc_watching_stop(watch);
    }
    pthread_mutex_unlock(&s->w->lock);
}

static int run(struct slot *s, struct sharc_crawl *engine, struct sharc_secrets *secrets, struct sharc_err *err)
{
    int r = add_seeds(s, engine, secrets, err);
    if (r < 0) return r;
    worker_can_stop(s, engine, NULL);
    r = sharc_crawl_run(engine, err);
    worker_can_stop(s, NULL, NULL);
    struct sharc_crawl_summary m;
    sharc_crawl_site(engine, 0, &m);
    s->done = r == 0 && m.phase == SHARC_CRAWL_DONE;
    s->pages = m.pages;
    return r;
}

bool worker_is_stopped(struct slot *s)
{
    pthread_mutex_lock(&s->w->lock);
    const bool stopped = s->stops > 0;
    pthread_mutex_unlock(&s->w->lock);
    return stopped;
}

void worker_wait(struct slot *s)
{
    for (int i = 0; i < WAIT_TICKS && !worker_is_stopped(s); i++) usleep(WAIT_TICK);
}

int worker_open_store(struct slot *s, struct sharc_store **ret, struct sharc_err *err)
{
    const struct worker_settings *o = &s->w->o;
    int r = sharc_archive_open(o->archive, o->store, NULL, ret, err);
    if (r == 0) sharc_store_fence(*ret, s->claim, o->lease);
    return r;
}

bool worker_tries_again(struct slot *s, struct sharc_store *store, bool *told, int *r, struct sharc_err *err)
{
    if (*r != SHARC_ENET) return false;
    if (!*told) worker_say(s->w, s, "%s: waiting until it is available again", err->text);
    *told = true;
    worker_wait(s);
    if (worker_is_stopped(s)) {
        *r = sharc_fail(err, SHARC_EINTR, "stopped before it could begin");
        return false;
    }
    (void)sharc_store_reconnect(store, NULL); /* it may have been the catalogue */
    return true;
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
    if (r == 0) r = worker_open_store(s, &store, err);
    if (r == 0) r = crawl_open_fetcher(set, clock, agent, secrets, &fetcher, err);
    struct sharc_object_store *objects = r == 0 ? cli_objects_store(err) : NULL;
    if (r == 0 && !objects) r = err->code;
    const struct sharc_crawl_world world = {
        .clock = clock, .fetcher = fetcher, .store = store, .objects = objects, .remark = worker_remark, .arg = s};
    for (bool told = false, again = r == 0; again; again = worker_tries_again(s, store, &told, &r, err))
        r = sharc_crawl_new(&set->o, &world, &engine, err);
    return r < 0 ? r : run(s, engine, secrets, err);
}

static void *do_job(void *arg)
{
    struct slot *s = arg;
    s->result = s->kind == JOB_WATCH ? worker_watch(s, &s->err) : open_and_run(s, &s->err);
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
                       .failures = job->failures,
                       .kind = sharc_span_is(job->kind, "watch") ? JOB_WATCH : JOB_CRAWL};
    SHARC_FAIL_IF(s->kind == JOB_CRAWL && !sharc_span_is(job->kind, "crawl"), err, SHARC_EUNSUPPORTED,
                  "this sharc does not know jobs of the kind \"%.*s\"", SHARC_SPAN_ARG(job->kind));
    int r = read_params(s, job->params, err);
    if (r == 0)
        r = s->kind == JOB_WATCH ? worker_read(s, "watch", worker_read_watch, err)
                                 : worker_read(s, "crawl", read_crawl, err);
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
    watch_settings_done(&s->watch_s);
    cli_list_done(&s->seeds);
    cli_list_done(&s->options);
    cli_list_done(&s->own);
    free(s->site);
    free(s->schedule);
    *s = (struct slot){.w = s->w};
}

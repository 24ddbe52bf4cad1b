/* SPDX-License-Identifier: Apache-2.0
 *
 * sharc worker: one turn of a watch, in the thread of its job. The watch looks at what is due and ends when nothing is
 * for a while: its job goes back into the queue until then, and whoever claims it next takes up pages and plan.
 */
#include "archive.h"
#include "cmd_worker.h"
#include "objects.h"

#include <stdlib.h>
#include <unistd.h>

#define IDLE (10 * SHARC_MINUTE)

int worker_read_watch(struct cli *c, struct slot *s, int *argc, char **argv)
{
    int r = watch_read_options(c, &s->watch_s, argc, argv);
    return r ? r : watch_choose(c, &s->watch_s);
}

static int run(struct slot *s, struct sharc_watching *watch, struct sharc_err *err)
{
    struct sharc_clock *clock = sharc_clock_real();
    struct sharc_watching_counts counts;
    worker_can_stop(s, NULL, watch);
    int r = sharc_watching_run(watch, err);
    worker_can_stop(s, NULL, NULL);
    sharc_watching_counts(watch, &counts);
    s->done = r == 0;
    s->pages = counts.looks;
    s->next = sharc_watching_next(watch);
    if (s->next != SHARC_TIME_NONE) s->next -= clock->now(clock);
    if (s->next != SHARC_TIME_NONE && s->next < 0) s->next = 0;
    return r;
}

int worker_watch(struct slot *s, struct sharc_err *err)
{
    struct worker *w = s->w;
    struct watch_settings *set = &s->watch_s;
    struct sharc_watching_options *o = &set->o;
    char host[256] = "localhost";
    (void)gethostname(host, sizeof host - 1);
    SHARC_AUTO(sharc_freep) char *agent = crawl_agent(&set->crawl);
    o->crawl = set->crawl.o;
    o->crawl.archive = w->o.archive;
    o->crawl.locked = true; /* by the worker, beside others */
    o->crawl.control = false;
    o->crawl.user_agent = agent;
    o->crawl.host = host;
    o->crawl.insecure = set->crawl.insecure;
    o->crawl.spool = w->o.spool / w->o.sites;
    o->crawl.job = (struct sharc_crawl_job){s->claim.job, s->claim.epoch, s->capture};
    o->pages = s->seeds.items;
    o->pages_count = s->seeds.count;
    o->idle = IDLE;
    SHARC_AUTO(sharc_store_freep) struct sharc_store *store = NULL;
    SHARC_AUTO(sharc_fetcher_freep) struct sharc_fetcher *fetcher = NULL;
    SHARC_AUTO(sharc_watching_freep) struct sharc_watching *watch = NULL;
    int r = worker_open_store(s, &store, err);
    if (r == 0) r = crawl_open_fetcher(&set->crawl, sharc_clock_real(), agent, NULL, &fetcher, err);
    struct sharc_object_store *objects = r == 0 ? cli_objects_store(err) : NULL;
    if (r == 0 && !objects) r = err->code;
    const struct sharc_watching_world world = {.clock = sharc_clock_real(),
                                               .fetcher = fetcher,
                                               .store = store,
                                               .objects = objects,
                                               .remark = worker_remark,
                                               .arg = s};
    for (bool told = false, again = r == 0; again; again = worker_tries_again(s, store, &told, &r, err))
        r = sharc_watching_new(o, &world, &watch, err);
    return r < 0 ? r : run(s, watch, err);
}

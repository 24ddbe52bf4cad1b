/* SPDX-License-Identifier: Apache-2.0
 *
 * sharc crawl: capture sites into an archive. This file runs the crawl; its options
 * are in cmd_crawl_options.c, what it says is in cmd_crawl_report.c.
 */
#include "cmd_crawl.h"
#include "archive.h"
#include "cli.h"
#include "cli_signals.h"
#include "objects.h"

#include "sharc/archive_live.h"
#include "sharc/base_file.h"
#include "sharc/base_pool.h"
#include "sharc/store.h"

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

/* --- seeds ---------------------------------------------------------------------------- */

struct seeding {
    struct cli *c;
    crawl_seed_fn *fn;
    void *arg;
};

/* One bad line must not stop a list of thousands. */
static int add_or_tell(const struct seeding *s, struct sharc_span url)
{
    struct sharc_err err = SHARC_ERR_INIT;
    int r = s->fn(s->arg, url, &err);
    if (r < 0) cli_note(s->c, "seed left out: %s", err.text);
    return 0;
}

static int read_seeds(const struct seeding *s, const char *path, struct sharc_err *err)
{
    SHARC_AUTO(sharc_buf_done) struct sharc_buf text = SHARC_BUF_INIT(256u << 20);
    int r = sharc_file_read_any(path, &text, err);
    struct sharc_span rest = sharc_buf_span(&text), line;
    while (r == 0 && sharc_span_next(&rest, '\n', &line)) {
        line = sharc_span_trim(line);
        if (line.n && line.p[0] != '#') r = add_or_tell(s, line);
    }
    return r;
}

int crawl_each_seed(struct cli *c, const struct crawl_settings *s, int argc, char **argv, crawl_seed_fn *fn, void *arg,
                    struct sharc_err *err)
{
    const struct seeding seeds = {c, fn, arg};
    int r = 0;
    for (int i = 1; i < argc && r == 0; i++) r = fn(arg, sharc_span_of(argv[i]), err);
    for (size_t i = 0; i < s->seeds_files.count && r == 0; i++) r = read_seeds(&seeds, s->seeds_files.items[i], err);
    for (size_t i = 0; i < s->resumed.count && r == 0; i++) r = fn(arg, sharc_span_of(s->resumed.items[i]), err);
    if (r == 0 && s->sites_listed) r = sharc_archive_sites(s->o.archive, fn, arg, err);
    return r < 0 ? r : 0;
}

struct target {
    struct sharc_crawl *crawl;
    struct sharc_secrets *secrets;
};

static int add_seed(void *target, struct sharc_span url, struct sharc_err *err)
{
    struct target *t = target;
    int r = sharc_crawl_seed(t->crawl, url, err);
    if (r >= 0) crawl_add_home(t->secrets, url);
    return r < 0 ? r : 0;
}

/* --- options ---------------------------------------------------------------------------- */

/* Whoever is crawled must be able to find out by whom. */
static bool needs_contact(const struct crawl_settings *s, int argc, char **argv)
{
    if (s->o.contact && s->o.contact[0]) return false;
    if (!s->o.allow_private || s->seeds_files.count || s->sites_listed) return true;
    for (int i = 1; i < argc; i++)
        if (!crawl_is_local(sharc_span_of(argv[i]))) return true;
    for (size_t i = 0; i < s->resumed.count; i++)
        if (!crawl_is_local(sharc_span_of(s->resumed.items[i]))) return true;
    return false;
}

/* "http://user:password@host:1" without what stands before the @. */
static char *without_user(const char *url)
{
    if (!url) return NULL;
    const char *rest = strstr(url, "://"), *at;
    rest = rest ? rest + 3 : url;
    at = strrchr(rest, '@');
    return sharc_asprintf("%.*s%s", (int)(rest - url), url, at ? at + 1 : rest);
}

static char *joined(const struct cli_list *l)
{
    SHARC_AUTO(sharc_buf_done) struct sharc_buf b = SHARC_BUF_INIT(1u << 20);
    for (size_t i = 0; i < l->count; i++) sharc_buf_printf(&b, "%s%s", i ? " " : "", l->items[i]);
    return l->count ? sharc_strdup(sharc_buf_str(&b)) : NULL;
}

void crawl_note_network(struct crawl_settings *s, char **ret_proxy, char **ret_connect_to)
{
    *ret_proxy = without_user(s->proxy);
    *ret_connect_to = joined(&s->connect_to);
    s->o.insecure = s->insecure;
    s->o.cookies = s->cookies.count > 0;
    s->o.header = s->headers.count > 0;
    s->o.proxy = *ret_proxy;
    s->o.connect_to = *ret_connect_to;
}

char *crawl_agent(const struct crawl_settings *s)
{
    if (s->user_agent) return sharc_strdup(s->user_agent);
    if (s->o.contact) return sharc_asprintf("Mozilla/5.0 (compatible; sharc/" SHARC_VERSION "; +%s)", s->o.contact);
    return sharc_strdup("Mozilla/5.0 (compatible; sharc/" SHARC_VERSION ")");
}

int crawl_open_fetcher(const struct crawl_settings *s, struct sharc_clock *clock, const char *agent,
                       const struct sharc_secrets *secrets, struct sharc_fetcher **ret, struct sharc_err *err)
{
    bool mail = s->o.contact && strchr(s->o.contact, '@') && !strstr(s->o.contact, "://");
    struct sharc_fetcher_settings f = {.clock = clock,
                                       .user_agent = agent,
                                       .from = mail ? s->o.contact : NULL,
                                       .http2 = s->http2,
                                       .insecure = s->insecure,
                                       .ca_file = s->ca_file,
                                       .proxy = s->proxy,
                                       .secrets = secrets,
                                       .allow_private = s->o.allow_private,
                                       .connect_to = s->connect_to.items,
                                       .connect_to_count = s->connect_to.count,
                                       .max_time = s->max_time,
                                       .max_body = s->o.max_body,
                                       .spool_dir = s->o.archive};
    /* Each site keeps its connection between two requests, and some have a second host. */
    if (s->sites > 2048) f.connections = (unsigned)(s->sites + s->sites / 2);
    return sharc_fetcher_new(&f, ret, err);
}

/* --- the run ---------------------------------------------------------------------------- */

struct running {
    struct cli *c;
    struct sharc_crawl *crawl;
    struct crawl_display *display;
    int argc; /* as given, to be read again */
    char **argv;
    struct crawl_settings *again; /* what was read then */
    const char *archive;
    struct sharc_archive_live live;
};

/* For whoever watches from outside, once a second. That it cannot be written is no reason to end a crawl. */
static void tell_others(struct running *r, const struct sharc_crawl_status *st)
{
    struct sharc_archive_live *l = &r->live;
    if (l->when && st->now < l->when + SHARC_SEC) return;
    l->when = st->now;
    l->started = st->started;
    snprintf(l->phase, sizeof l->phase, "%s", sharc_crawl_phase_text(st->phase));
    l->paused = st->paused;
    l->sites = st->sites;
    l->sites_done = st->sites_done;
    l->known = st->known;
    l->visited = st->visited;
    l->to_visit = st->to_visit;
    l->revisited = st->revisited;
    l->to_revisit = st->to_revisit;
    l->coherent = st->coherent;
    l->controls = st->controls;
    l->downloads = st->downloads;
    l->failed = st->failed;
    l->skipped = st->skipped;
    l->bytes = st->bytes;
    l->under_way = st->under_way;
    l->retries = st->retries;
    l->expected_end = st->expected_end;
    l->delay = st->delay;
    l->trouble[0] = 0;
    if (st->trouble) snprintf(l->trouble, sizeof l->trouble, "%.100s %.100s", st->trouble_site, st->trouble);
    (void)sharc_archive_live_write(r->archive, l, NULL);
}

static void show(void *arg, const struct sharc_crawl_status *st)
{
    struct running *r = arg;
    crawl_display_show(r->display, st);
    tell_others(r, st);
}

static void say(void *arg, const char *sentence)
{
    struct running *r = arg;
    struct sharc_clock *clock = sharc_clock_real();
    snprintf(r->live.remark, sizeof r->live.remark, "%s", sentence);
    r->live.remarked = clock->now(clock);
    crawl_display_remark(r->display, sentence);
}

static int set_site(void *crawl, struct sharc_span url, struct sharc_span setting, struct sharc_err *err)
{
    return sharc_crawl_site_set(crawl, url, setting, err);
}

static int reread(void *arg, struct sharc_crawl_reread *ret, struct sharc_err *err)
{
    struct running *r = arg;
    int argc = r->argc;
    SHARC_AUTO(sharc_freep) char **argv = SHARC_NEW_ARRAY(char *, (size_t)argc + 1);
    memcpy(argv, r->argv, (size_t)argc * sizeof *argv);
    crawl_settings_done(r->again);
    SHARC_FAIL_IF(crawl_read_options(r->c, r->again, &argc, argv) != 0, err, SHARC_ECONFIG,
                  "the settings are invalid; see the message above");
    const struct sharc_crawl_options *o = &r->again->o;
    *ret = (struct sharc_crawl_reread){.pace = o->pace, .rules = o->rules, .rules_count = o->rules_count};
    return cli_site_settings(r->c, o->archive, set_site, r->crawl, err);
}

/* Is there a site that could not be reached to its end? */
static bool is_suspended(const struct sharc_crawl *crawl)
{
    struct sharc_crawl_summary s;
    for (size_t i = 0; i < sharc_crawl_sites(crawl); i++) {
        sharc_crawl_site(crawl, i, &s);
        if (s.phase == SHARC_CRAWL_SUSPENDED && *s.why) return true;
    }
    return false;
}

static int run_crawl(struct cli *c, struct crawl_settings *s, int argc, char **argv, struct sharc_crawl *crawl,
                     struct sharc_secrets *secrets)
{
    struct target target = {crawl, secrets};
    struct sharc_err err = SHARC_ERR_INIT;
    int r = crawl_each_seed(c, s, argc, argv, add_seed, &target, &err);
    if (r >= 0) r = cli_site_settings(c, s->o.archive, set_site, crawl, &err);
    if (r == 0 && sharc_crawl_sites(crawl) == 0) return cli_usage(c, "there is no seed to begin with");
    if (r < 0) return r == SHARC_ESYNTAX || r == SHARC_EACCESS ? cli_usage(c, "%s", err.text) : cli_fail(c, &err);
    cli_signals_crawl(crawl);
    r = sharc_crawl_run(crawl, &err);
    cli_signals_release();
    const bool sites_lost = r == SHARC_ENET && is_suspended(crawl); /* else it is the catalogue that is lost */
    return r == SHARC_EINTR || sites_lost || r == 0 ? r : cli_fail(c, &err);
}

static int crawl(struct cli *c, struct crawl_settings *s, int argc, char **argv, int given_count, char **given)
{
    struct sharc_err err = SHARC_ERR_INIT;
    struct sharc_clock *clock = sharc_clock_real();
    SHARC_AUTO(sharc_freep) char *agent = crawl_agent(s);
    char host[256] = "localhost";
    (void)gethostname(host, sizeof host - 1);
    SHARC_AUTO(sharc_freep) char *proxy = NULL, *connect_to = NULL;
    crawl_note_network(s, &proxy, &connect_to);
    s->o.user_agent = agent;
    s->o.host = host;
    s->o.threads = s->threads ? (unsigned)s->threads : sharc_cpu_count();
    SHARC_AUTO(sharc_store_freep) struct sharc_store *store = NULL;
    SHARC_AUTO(sharc_secrets_freep) struct sharc_secrets *secrets = NULL; /* must outlive the fetcher */
    SHARC_AUTO(sharc_fetcher_freep) struct sharc_fetcher *fetcher = NULL;
    SHARC_AUTO(sharc_crawl_freep) struct sharc_crawl *engine = NULL;
    SHARC_AUTO(crawl_settings_done) struct crawl_settings again = {0};
    struct running run = {.c = c, .display = crawl_display_new(c), .argc = given_count, .argv = given, .again = &again};
    run.archive = s->o.archive;
    run.live.remarked = SHARC_TIME_NONE;
    struct sharc_crawl_world world = {.clock = clock, .progress = show, .remark = say, .reread = reread, .arg = &run};
    int r = crawl_read_secrets(c, s, &secrets, &err);
    if (r == SHARC_ESYNTAX) return crawl_display_free(run.display), cli_usage(c, "%s", err.text);
    if (r == 0) r = sharc_archive_open(s->o.archive, s->store, NULL, &store, &err);
    if (r == 0) r = crawl_open_fetcher(s, clock, agent, secrets, &fetcher, &err);
    world.store = store;
    world.fetcher = fetcher;
    if (r == 0 && !(world.objects = cli_objects_store(&err))) r = err.code;
    if (r == 0) r = sharc_crawl_new(&s->o, &world, &engine, &err);
    run.crawl = engine;
    int code = r < 0 ? cli_fail(c, &err) : 0;
    if (r == 0) code = run_crawl(c, s, argc, argv, engine, secrets);
    if (run.live.when) sharc_archive_live_remove(run.archive);
    crawl_display_free(run.display);
    if (r < 0 || code > 0) return code;
    const bool ended = code == 0;
    code = crawl_report(c, engine, s->o.archive, code);
    if (ended) cli_summarise(c, store);
    return code;
}

#define SET_PATIENCE (20 * SHARC_SEC)

static int change_running(struct cli *c, const struct crawl_settings *s)
{
    struct sharc_err err = SHARC_ERR_INIT;
    for (size_t i = 0; i < s->set.count; i++) {
        int r = sharc_crawl_set(s->o.archive, sharc_span_of(s->set.items[i]), SET_PATIENCE, &err);
        if (r == SHARC_ESYNTAX || r == SHARC_ECONFIG) return cli_usage(c, "--set: %s", err.text);
        if (r < 0) return cli_fail(c, &err);
    }
    return EXIT_OK;
}

static int keep_seed(void *arg, struct sharc_span url, struct sharc_err *err)
{
    struct cli_list *seeds = arg;
    (void)err;
    cli_list_add(seeds, url);
    return 0;
}

/* Without seeds: what an interrupted crawl has left, else the sites that the archive lists. */
static int find_seeds(struct cli *c, struct crawl_settings *s)
{
    struct sharc_err err = SHARC_ERR_INIT;
    SHARC_AUTO(sharc_store_freep) struct sharc_store *store = NULL;
    const struct sharc_store_options o = {.must_exist = true};
    int r = s->o.fresh ? SHARC_ENOENT : sharc_archive_open(s->o.archive, s->store, &o, &store, &err);
    if (r == 0) r = sharc_crawl_unfinished(store, keep_seed, &s->resumed, &err);
    if (r < 0 && r != SHARC_ENOENT) return cli_fail(c, &err);
    if (r > 0) {
        cli_note(
            c,
            "resuming the crawl that was interrupted (%s; --fresh captures the archive's sites again from the start)",
            SHARC_COUNT((uint64_t)r, "site"));
        return 0;
    }
    r = sharc_archive_sites(s->o.archive, NULL, NULL, &err);
    if (r < 0) return cli_fail(c, &err);
    s->sites_listed = r > 0;
    if (r > 0) return 0;
    return cli_usage(c,
                     "%sname at least one URL, or a file of them with --seeds, or list them under \"sites:\" in the "
                     "archive's sharc.yaml",
                     store ? "nothing is unfinished in the archive: " : "");
}

int cmd_crawl(struct cli *c, int argc, char **argv)
{
    SHARC_AUTO(crawl_settings_done) struct crawl_settings s = {0};
    struct sharc_err err = SHARC_ERR_INIT;
    int given_count = argc; /* reading options takes them out of argv */
    SHARC_AUTO(sharc_freep) char **given = SHARC_NEW_ARRAY(char *, (size_t)argc + 1);
    memcpy(given, argv, (size_t)argc * sizeof *argv);
    if (crawl_read_options(c, &s, &argc, argv)) return cli_stop(c);
    struct sharc_crawl_options *o = &s.o;
    if (!o->archive) return cli_usage(c, "name the archive to write to: --archive DIR");
    if (s.set.count) return change_running(c, &s);
    int code = crawl_check(c, &s);
    if (code) return code;
    if (s.queue) o->fresh = true; /* what is unfinished is not the queue's */
    if (argc < 2 && !s.seeds_files.count) {
        code = find_seeds(c, &s);
        if (code) return code;
    }
    for (int i = 1; i < argc; i++) /* before anything is made on disk */
        if (crawl_check_seed(sharc_span_of(argv[i]), o->allow_private, &err) < 0) return cli_usage(c, "%s", err.text);
    if (needs_contact(&s, argc, argv))
        return cli_usage(c, "say who crawls: --contact with a URL or an e-mail address that site owners can write to");
    if (crawl_choose_weights(&s, &err) < 0) return cli_fail(c, &err);
    code = crawl_choose_strategy(c, &s);
    if (!code) code = crawl_choose_controls(c, &s);
    if (code) return code;
    if (s.queue) return crawl_submit(c, &s, argc, argv);
    if (s.collection || s.schedule || s.due != SHARC_TIME_NONE)
        return cli_usage(c, "--collection, --schedule and --due are for jobs: add --queue");
    return crawl(c, &s, argc, argv, given_count, given);
}

/* SPDX-License-Identifier: Apache-2.0
 *
 * sharc crawl: capture sites into an archive. This file reads the options and
 * runs the crawl; what it says afterwards is in cmd_crawl_report.c.
 */
#include "cmd_crawl.h"
#include "archive.h"
#include "cli.h"

#include "sharc/base_file.h"
#include "sharc/base_pool.h"
#include "sharc/store.h"

#include <signal.h>
#include <stdlib.h>
#include <unistd.h>

struct settings {
    struct sharc_crawl_options o;
    int purpose, reach, robots;
    const char *strategy, *store, *user_agent, *proxy, *ca_file;
    uint64_t sites, gzip, depth, connections, threads, tries, focus_pages;
    double focus;
    struct cli_list seeds_files, include, exclude, groups, sources, set, connect_to;
    bool insecure, http2;
    bool sites_listed; /* no seeds were given: those of the archive's sharc.yaml */
    sharc_time max_time;
};

static void settings_done(struct settings *s)
{
    cli_list_done(&s->seeds_files);
    cli_list_done(&s->include);
    cli_list_done(&s->exclude);
    cli_list_done(&s->groups);
    cli_list_done(&s->sources);
    cli_list_done(&s->set);
    cli_list_done(&s->connect_to);
}

/* --- signals ----------------------------------------------------------------------- */

static struct sharc_crawl *running;

static void on_signal(int number)
{
    (void)number;
    if (running) sharc_crawl_stop(running);
}

static void catch_signals(struct sharc_crawl *c)
{
    struct sigaction act = {.sa_handler = on_signal};
    running = c;
    sigaction(SIGINT, &act, NULL);
    sigaction(SIGTERM, &act, NULL);
}

static void release_signals(void)
{
    struct sigaction act = {.sa_handler = SIG_DFL};
    sigaction(SIGINT, &act, NULL);
    sigaction(SIGTERM, &act, NULL);
    running = NULL;
}

/* --- seeds ---------------------------------------------------------------------------- */

static int add_seed(struct cli *c, struct sharc_crawl *crawl, struct sharc_span url, size_t *bad, struct sharc_err *err)
{
    int r = sharc_crawl_seed(crawl, url, err);
    if (r >= 0) return 0;
    if (!bad) return r;
    cli_note(c, "seed left out: %s", err->text); /* one bad line must not stop a list of thousands */
    ++*bad;
    return 0;
}

static int read_seeds(struct cli *c, struct sharc_crawl *crawl, const char *path, size_t *bad, struct sharc_err *err)
{
    AUTO(sharc_buf_done) struct sharc_buf text = SHARC_BUF_INIT(256u << 20);
    int r = sharc_file_read_any(path, &text, err);
    struct sharc_span rest = sharc_buf_span(&text), line;
    while (r == 0 && sharc_span_next(&rest, '\n', &line)) {
        line = sharc_span_trim(line);
        if (line.n && line.p[0] != '#') r = add_seed(c, crawl, line, bad, err);
    }
    return r;
}

static int add_site(void *crawl, struct sharc_span url, struct sharc_err *err)
{
    return sharc_crawl_seed(crawl, url, err);
}

/* --- options ---------------------------------------------------------------------------- */

static bool is_local_name(const char *url)
{
    static const char *const local[] = {"http://localhost", "https://localhost", "http://127.", "https://127.",
                                        "http://[::1]",     "https://[::1]",     "http://10.",  "http://192.168."};
    for (size_t i = 0; i < SHARC_LENGTH(local); i++)
        if (strncasecmp(url, local[i], strlen(local[i])) == 0) return true;
    return false;
}

/* Whoever is crawled must be able to find out by whom. */
static bool needs_contact(const struct settings *s, int argc, char **argv)
{
    if (s->o.contact && s->o.contact[0]) return false;
    if (!s->o.allow_private || s->seeds_files.count || s->sites_listed) return true;
    for (int i = 1; i < argc; i++)
        if (!is_local_name(argv[i])) return true;
    return false;
}

static char **make_rules(const struct settings *s, size_t *ret_count)
{
    size_t n = 0;
    char **rules = SHARC_NEW_ARRAY(char *, s->include.count + s->exclude.count + 1);
    if (s->depth != UINT64_MAX) rules[n++] = sharc_asprintf("+max-depth:%llu", (unsigned long long)s->depth);
    for (size_t i = 0; i < s->include.count; i++) rules[n++] = sharc_asprintf("+%s", s->include.items[i]);
    for (size_t i = 0; i < s->exclude.count; i++) rules[n++] = sharc_asprintf("-%s", s->exclude.items[i]);
    *ret_count = n;
    return rules;
}

static int choose_strategy(struct cli *c, struct settings *s)
{
    s->o.purpose = (enum sharc_crawl_purpose)s->purpose;
    if (!s->strategy) return 0;
    s->o.strategy = sharc_strategy_find(s->strategy);
    if (s->o.strategy) return 0;
    const char *names[64];
    size_t n = 0;
    for (; n < sharc_strategy_count() && n < SHARC_LENGTH(names) - 1; n++) names[n] = sharc_strategy_at(n)->name;
    names[n] = NULL;
    const char *near = cli_nearest(s->strategy, names);
    if (near) return cli_usage(c, "there is no strategy \"%s\"; did you mean \"%s\"?", s->strategy, near);
    return cli_usage(c, "there is no strategy \"%s\"; \"sharc sim --help\" names them all", s->strategy);
}

static int open_fetcher(const struct settings *s, struct sharc_clock *clock, const char *agent,
                        struct sharc_fetcher **ret, struct sharc_err *err)
{
    bool mail = s->o.contact && strchr(s->o.contact, '@') && !strstr(s->o.contact, "://");
    struct sharc_fetcher_settings f = {.clock = clock,
                                       .user_agent = agent,
                                       .from = mail ? s->o.contact : NULL,
                                       .http2 = s->http2,
                                       .insecure = s->insecure,
                                       .ca_file = s->ca_file,
                                       .proxy = s->proxy,
                                       .allow_private = s->o.allow_private,
                                       .connect_to = s->connect_to.items,
                                       .connect_to_count = s->connect_to.count,
                                       .max_time = s->max_time,
                                       .max_body = s->o.max_body};
    return sharc_fetcher_new(&f, ret, err);
}

/* --- the run ---------------------------------------------------------------------------- */

struct running {
    struct cli *c;
    struct crawl_display *display;
};

static void show(void *arg, const struct sharc_crawl_status *st)
{
    struct running *r = arg;
    crawl_display_show(r->display, st);
}

static void say(void *arg, const char *sentence)
{
    struct running *r = arg;
    crawl_display_remark(r->display, sentence);
}

static int run_crawl(struct cli *c, struct settings *s, int argc, char **argv, struct sharc_crawl *crawl)
{
    struct sharc_err err = SHARC_ERR_INIT;
    size_t bad = 0;
    int r = 0;
    for (int i = 1; i < argc && r == 0; i++) r = add_seed(c, crawl, sharc_span_of(argv[i]), NULL, &err);
    for (size_t i = 0; i < s->seeds_files.count && r == 0; i++)
        r = read_seeds(c, crawl, s->seeds_files.items[i], &bad, &err);
    if (r == 0 && s->sites_listed) r = cli_archive_sites(s->o.archive, add_site, crawl, &err);
    if (r > 0) r = 0;
    if (r == 0 && sharc_crawl_sites(crawl) == 0) return cli_usage(c, "there is no seed to begin with");
    if (r < 0) return r == SHARC_ESYNTAX || r == SHARC_EACCESS ? cli_usage(c, "%s", err.text) : cli_fail(c, &err);
    catch_signals(crawl);
    r = sharc_crawl_run(crawl, &err);
    release_signals();
    return r == SHARC_EINTR || r == SHARC_ENET || r == 0 ? r : cli_fail(c, &err);
}

static int crawl(struct cli *c, struct settings *s, int argc, char **argv)
{
    struct sharc_err err = SHARC_ERR_INIT;
    struct sharc_clock *clock = sharc_clock_real();
    AUTO(sharc_freep)
    char *agent = s->user_agent ? sharc_strdup(s->user_agent)
                  : s->o.contact
                      ? sharc_asprintf("Mozilla/5.0 (compatible; sharc/" SHARC_VERSION "; +%s)", s->o.contact)
                      : sharc_strdup("Mozilla/5.0 (compatible; sharc/" SHARC_VERSION ")");
    char host[256] = "localhost";
    (void)gethostname(host, sizeof host - 1);
    s->o.user_agent = agent;
    s->o.host = host;
    s->o.threads = s->threads ? (unsigned)s->threads : sharc_cpu_count();
    AUTO(sharc_store_freep) struct sharc_store *store = NULL;
    AUTO(sharc_fetcher_freep) struct sharc_fetcher *fetcher = NULL;
    AUTO(sharc_crawl_freep) struct sharc_crawl *engine = NULL;
    struct running run = {.c = c, .display = crawl_display_new(c)};
    struct sharc_crawl_world world = {.clock = clock, .progress = show, .remark = say, .arg = &run};
    int r = cli_archive_open(s->o.archive, s->store, NULL, &store, &err);
    if (r == 0) r = open_fetcher(s, clock, agent, &fetcher, &err);
    world.store = store;
    world.fetcher = fetcher;
    if (r == 0) r = sharc_crawl_new(&s->o, &world, &engine, &err);
    int code = r < 0 ? cli_fail(c, &err) : 0;
    if (r == 0) code = run_crawl(c, s, argc, argv, engine);
    crawl_display_free(run.display);
    if (r < 0 || code > 0) return code;
    return crawl_report(c, engine, s->o.archive, code);
}

static int change_running(struct cli *c, const struct settings *s)
{
    struct sharc_err err = SHARC_ERR_INIT;
    for (size_t i = 0; i < s->set.count; i++) {
        int r = sharc_crawl_set(s->o.archive, sharc_span_of(s->set.items[i]), &err);
        if (r == SHARC_ESYNTAX || r == SHARC_ECONFIG) return cli_usage(c, "--set: %s", err.text);
        if (r < 0) return cli_fail(c, &err);
    }
    return EXIT_OK;
}

int cmd_crawl(struct cli *c, int argc, char **argv)
{
    static const char *const purposes[] = {"exploration", "evidence", NULL};
    static const char *const reaches[] = {"page", "prefix", "host", "domain", "any", NULL};
    static const char *const robots[] = {"obey", "ignore", NULL};
    const struct sharc_crawl_options defaults = SHARC_CRAWL_OPTIONS;
    AUTO(settings_done)
    struct settings s = {.o = defaults,
                         .reach = SHARC_REACH_PREFIX,
                         .depth = UINT64_MAX,
                         .connections = 1,
                         .focus = defaults.params.focus_share};
    struct sharc_crawl_options *o = &s.o;
    const struct cli_option options[] = {
        OPT_STRING('a', "archive", &o->archive, "DIR", "the archive to write to; made if missing"),
        OPT_CHOICE(0, "for", &s.purpose, purposes, "what the capture is for (default: exploration)"),
        OPT_STRING('s', "strategy", &s.strategy, "NAME", "the order of downloads (default: by purpose)"),
        OPT_STRING('c', "contact", &o->contact, "URL|ADDRESS", "who crawls; needed for public sites"),
        OPT_STRINGS('i', "seeds", &s.seeds_files, "FILE", "read seeds from a file, one a line (- is standard input)"),
        OPT_HEADING("Politeness"),
        OPT_DURATION('d', "delay", &o->pace.delay, "TIME", "pause between requests to one host (default: 3s)"),
        OPT_UINT(0, "connections", &s.connections, "N", "per site; more than 1 only with --delay 0"),
        OPT_UINT(0, "sites", &s.sites, "N", "crawled at a time (default: 200)"),
        OPT_STRINGS(0, "host-group", &s.groups, "HOSTS", "hosts that share one pause, divided by blanks"),
        OPT_CHOICE(0, "robots", &s.robots, robots, "robots.txt (default: obey)"),
        OPT_STRING(0, "user-agent", &s.user_agent, "TEXT", "instead of sharc's own"),
        OPT_HEADING("Scope"),
        OPT_CHOICE(0, "reach", &s.reach, reaches, "what a seed opens (default: prefix)"),
        OPT_STRINGS(0, "include", &s.include, "RULE", "let these URLs in too"),
        OPT_STRINGS('x', "exclude", &s.exclude, "RULE", "shut these URLs out"),
        OPT_UINT(0, "depth", &s.depth, "N", "at most this many links from a seed"),
        OPT_UINT('n', "limit-pages", &o->pace.pages, "N", "pages of each site"),
        OPT_SIZE(0, "limit-bytes", &o->pace.bytes, "SIZE", "bytes of each site"),
        OPT_DURATION(0, "limit-time", &o->pace.time, "TIME", "time for each site"),
        OPT_SIZE(0, "max-body", &o->max_body, "SIZE", "cut longer bodies (default: 1G)"),
        OPT_STRINGS(0, "source", &s.sources, "URL", "a sitemap, feed or OAI-PMH list to read first"),
        OPT_FLAG(0, "no-embeds", &o->no_embeds, "leave images, styles and scripts alone"),
        OPT_FLAG(0, "no-sitemaps", &o->no_sitemaps, "do not look for sitemaps"),
        OPT_FLAG(0, "no-probe", &o->no_probe, "do not ask for a page that cannot exist"),
        OPT_FLAG(0, "guesses", &o->guesses, "follow URLs guessed from scripts"),
        OPT_FLAG(0, "allow-private", &o->allow_private, "go to loopback and private addresses too"),
        OPT_HEADING("Capture"),
        OPT_FLAG(0, "fresh", &o->fresh, "begin anew even if a capture could be resumed"),
        OPT_FLAG(0, "forget", &o->forget, "do not use what earlier captures know"),
        OPT_SHARE(0, "focus", &s.focus, "SHARE", "requests for second looks, at most (default: 10%)"),
        OPT_FLAG(0, "trust-last-modified", &o->trust_modified, "an equal Last-Modified proves that nothing changed"),
        OPT_FLAG(0, "no-features", &o->no_features, "leave text signatures out of the catalogue"),
        OPT_UINT(0, "gzip", &s.gzip, "LEVEL",
                 "of the WARC files, 1 (fast) to 12 (small); default: 6, without a delay 1"),
        OPT_STRING(0, "store", &s.store, "URL", "catalogue elsewhere: sqlite:PATH or postgresql://..."),
        OPT_STRING(0, "operator", &o->operator_, "TEXT", "for the WARC files"),
        OPT_STRING(0, "description", &o->description, "TEXT", "for the WARC files"),
        OPT_STRINGS(0, "set", &s.set, "NAME=VALUE", "change a setting of the crawl that runs on the archive"),
        OPT_HEADING("Network"),
        OPT_DURATION(0, "max-time", &s.max_time, "TIME", "of one download (default: 20min)"),
        OPT_UINT(0, "tries", &s.tries, "N", "of one URL, when the trouble may pass (default: 4)"),
        OPT_STRING(0, "proxy", &s.proxy, "URL", "http:// or socks5h://"),
        OPT_STRINGS(0, "connect-to", &s.connect_to, "HOST:PORT:HOST:PORT", "connect elsewhere, as curl does"),
        OPT_STRING(0, "ca-file", &s.ca_file, "FILE", "certificates to trust, PEM"),
        OPT_FLAG(0, "insecure", &s.insecure, "take any certificate"),
        OPT_FLAG(0, "http2", &s.http2, "offer HTTP/2"),
        OPT_UINT('t', "threads", &s.threads, "N", "for processing (default: one per core)"),
        OPT_END,
    };
    if (cli_parse(c, &argc, argv, options)) return cli_stop(c);
    if (!o->archive) return cli_usage(c, "name the archive to write to: --archive DIR");
    if (s.set.count) return change_running(c, &s);
    if (argc < 2 && !s.seeds_files.count) {
        struct sharc_err err = SHARC_ERR_INIT;
        int n = cli_archive_sites(o->archive, NULL, NULL, &err);
        if (n < 0) return cli_fail(c, &err);
        s.sites_listed = n > 0;
        if (n == 0)
            return cli_usage(c,
                             "name at least one URL, or a file of them with --seeds, or list them under \"sites:\" in "
                             "the archive's sharc.yaml");
    }
    if (needs_contact(&s, argc, argv))
        return cli_usage(c, "say who crawls: --contact with a URL or an e-mail address that site owners can write to");
    int code = choose_strategy(c, &s);
    if (code) return code;
    AUTO(sharc_freep) char **rules = make_rules(&s, &o->rules_count);
    o->rules = (const char *const *)rules;
    o->reach = (enum sharc_scope_reach)s.reach;
    o->ignore_robots = s.robots == 1;
    o->pace.connections = (unsigned)s.connections;
    o->params.focus_share = s.focus;
    o->tries = (unsigned)s.tries;
    o->sites = (unsigned)s.sites;
    o->gzip_level = s.gzip > 12 ? 12 : (int)s.gzip;
    o->control = true;
    o->host_groups = s.groups.items;
    o->host_groups_count = s.groups.count;
    o->sources = s.sources.items;
    o->sources_count = s.sources.count;
    code = crawl(c, &s, argc, argv);
    for (size_t i = 0; i < o->rules_count; i++) free(rules[i]);
    return code;
}

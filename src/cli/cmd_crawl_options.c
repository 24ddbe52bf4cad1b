/* SPDX-License-Identifier: Apache-2.0
 *
 * sharc crawl: its options, from the command line and from settings. They are read
 * again while a crawl runs when somebody asks for it.
 */
#include "cmd_crawl.h"

#include <stdlib.h>

void crawl_settings_done(struct crawl_settings *s)
{
    for (size_t i = 0; i < s->o.rules_count; i++) free(s->rules[i]);
    free(s->rules);
    cli_list_done(&s->seeds_files);
    cli_list_done(&s->include);
    cli_list_done(&s->exclude);
    cli_list_done(&s->groups);
    cli_list_done(&s->sources);
    cli_list_done(&s->types);
    cli_list_done(&s->not_types);
    cli_list_done(&s->set);
    cli_list_done(&s->connect_to);
    cli_weight_file_done(&s->weight_file);
}

static char **make_rules(const struct crawl_settings *s, size_t *ret_count)
{
    size_t n = 0;
    char **rules = SHARC_NEW_ARRAY(char *, s->include.count + s->exclude.count + 1);
    if (s->depth != UINT64_MAX) rules[n++] = sharc_asprintf("+max-depth:%llu", (unsigned long long)s->depth);
    for (size_t i = 0; i < s->include.count; i++) rules[n++] = sharc_asprintf("+%s", s->include.items[i]);
    for (size_t i = 0; i < s->exclude.count; i++) rules[n++] = sharc_asprintf("-%s", s->exclude.items[i]);
    *ret_count = n;
    return rules;
}

int crawl_choose_weights(struct crawl_settings *s, struct sharc_err *err)
{
    static const char *const names[] = {[SHARC_CRAWL_WEIGHTS_PRIORITY] = "priority",
                                        [SHARC_CRAWL_WEIGHTS_NONE] = "none",
                                        [SHARC_CRAWL_WEIGHTS_PAGERANK] = "pagerank",
                                        [SHARC_CRAWL_WEIGHTS_INDEGREE] = "indegree"};
    if (!s->weights) return 0;
    for (size_t i = 0; i < SHARC_LENGTH(names); i++) {
        if (strcmp(s->weights, names[i]) != 0) continue;
        s->o.weights = (enum sharc_crawl_weights)i;
        return 0;
    }
    s->o.weights = SHARC_CRAWL_WEIGHTS_GIVEN;
    s->o.weigh = cli_weight_file_of;
    s->o.weigh_arg = &s->weight_file;
    return cli_weight_file_read(s->weights, &s->weight_file, err);
}

int crawl_choose_strategy(struct cli *c, struct crawl_settings *s)
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

int crawl_read_options(struct cli *c, struct crawl_settings *s, int *argc, char **argv)
{
    static const char *const purposes[] = {"exploration", "evidence", NULL};
    static const char *const reaches[] = {"page", "prefix", "host", "domain", "any", NULL};
    static const char *const robots[] = {"obey", "ignore", NULL};
    const struct sharc_crawl_options defaults = SHARC_CRAWL_OPTIONS;
    *s = (struct crawl_settings){.o = defaults,
                                 .reach = SHARC_REACH_PREFIX,
                                 .depth = UINT64_MAX,
                                 .connections = 1,
                                 .focus = defaults.params.focus_share};
    struct sharc_crawl_options *o = &s->o;
    const struct cli_option options[] = {
        OPT_STRING('a', "archive", &o->archive, "DIR", "the archive to write to; made if missing"),
        OPT_CHOICE(0, "for", &s->purpose, purposes, "what the capture is for (default: exploration)"),
        OPT_STRING('s', "strategy", &s->strategy, "NAME", "the order of downloads (default: by purpose)"),
        OPT_STRING('c', "contact", &o->contact, "URL|ADDRESS", "who crawls; needed for public sites"),
        OPT_STRINGS('i', "seeds", &s->seeds_files, "FILE", "read seeds from a file, one a line (- is standard input)"),
        OPT_HEADING("Politeness"),
        OPT_DURATION('d', "delay", &o->pace.delay, "TIME", "pause between requests to one host (default: 3s)"),
        OPT_UINT(0, "connections", &s->connections, "N", "per site; more than 1 only with --delay 0"),
        OPT_UINT(0, "sites", &s->sites, "N", "crawled at a time (default: 200)"),
        OPT_STRINGS(0, "host-group", &s->groups, "HOSTS", "hosts that share one pause, divided by blanks"),
        OPT_CHOICE(0, "robots", &s->robots, robots, "robots.txt (default: obey)"),
        OPT_STRING(0, "user-agent", &s->user_agent, "TEXT", "instead of sharc's own"),
        OPT_HEADING("Scope"),
        OPT_CHOICE(0, "reach", &s->reach, reaches, "what a seed opens (default: prefix)"),
        OPT_STRINGS(0, "include", &s->include, "RULE", "let these URLs in too"),
        OPT_STRINGS('x', "exclude", &s->exclude, "RULE", "shut these URLs out"),
        OPT_UINT(0, "depth", &s->depth, "N", "at most this many links from a seed"),
        OPT_LIST(0, "types", &s->types, "TYPES", "only these media types: text/html,image/*"),
        OPT_LIST(0, "exclude-types", &s->not_types, "TYPES", "not these: video/*,audio/*>10M"),
        OPT_UINT('n', "limit-pages", &o->pace.pages, "N", "pages of each site"),
        OPT_SIZE(0, "limit-bytes", &o->pace.bytes, "SIZE", "bytes of each site"),
        OPT_DURATION(0, "limit-time", &o->pace.time, "TIME", "time for each site"),
        OPT_SIZE(0, "max-body", &o->max_body, "SIZE", "cut longer bodies (default: 1G)"),
        OPT_STRINGS(0, "source", &s->sources, "URL", "a sitemap, feed or OAI-PMH list to read first"),
        OPT_FLAG(0, "no-embeds", &o->no_embeds, "leave images, styles and scripts alone"),
        OPT_FLAG(0, "no-sitemaps", &o->no_sitemaps, "do not look for sitemaps"),
        OPT_FLAG(0, "no-probe", &o->no_probe, "do not ask for a page that cannot exist"),
        OPT_FLAG(0, "guesses", &o->guesses, "follow URLs guessed from scripts"),
        OPT_FLAG(0, "allow-private", &o->allow_private, "go to loopback and private addresses too"),
        OPT_HEADING("Capture"),
        OPT_FLAG(0, "fresh", &o->fresh, "begin anew even if a capture could be resumed"),
        OPT_FLAG(0, "forget", &o->forget, "do not use what earlier captures know"),
        OPT_STRING(0, "weights", &s->weights, "HOW",
                   "of pages: priority (default), pagerank, indegree, none or a file"),
        OPT_SHARE(0, "focus", &s->focus, "SHARE", "requests for second looks, at most (default: 10%)"),
        OPT_FLAG(0, "trust-last-modified", &o->trust_modified, "an equal Last-Modified proves that nothing changed"),
        OPT_FLAG(0, "no-features", &o->no_features, "leave text signatures out of the catalogue"),
        OPT_UINT(0, "gzip", &s->gzip, "LEVEL",
                 "of the WARC files, 1 (fast) to 12 (small); default: 6, without a delay 1"),
        OPT_STRING(0, "store", &s->store, "URL", "catalogue elsewhere: sqlite:PATH or postgresql://..."),
        OPT_STRING(0, "operator", &o->operator_, "TEXT", "for the WARC files"),
        OPT_STRING(0, "description", &o->description, "TEXT", "for the WARC files"),
        OPT_STRINGS(0, "set", &s->set, "NAME=VALUE", "change a setting of the crawl that runs on the archive"),
        OPT_HEADING("Network"),
        OPT_DURATION(0, "max-time", &s->max_time, "TIME", "of one download (default: 20min)"),
        OPT_UINT(0, "tries", &s->tries, "N", "of one URL, when the trouble may pass (default: 4)"),
        OPT_STRING(0, "proxy", &s->proxy, "URL", "http:// or socks5h://"),
        OPT_STRINGS(0, "connect-to", &s->connect_to, "HOST:PORT:HOST:PORT", "connect elsewhere, as curl does"),
        OPT_STRING(0, "ca-file", &s->ca_file, "FILE", "certificates to trust, PEM"),
        OPT_FLAG(0, "insecure", &s->insecure, "take any certificate"),
        OPT_FLAG(0, "http2", &s->http2, "offer HTTP/2"),
        OPT_UINT('t', "threads", &s->threads, "N", "for processing (default: one per core)"),
        OPT_END,
    };
    int r = cli_parse(c, argc, argv, options);
    if (r) return r;
    s->rules = make_rules(s, &o->rules_count);
    o->rules = (const char *const *)s->rules;
    o->reach = (enum sharc_scope_reach)s->reach;
    o->ignore_robots = s->robots == 1;
    o->pace.connections = (unsigned)s->connections;
    o->params.focus_share = s->focus;
    o->tries = (unsigned)s->tries;
    o->sites = (unsigned)s->sites;
    o->gzip_level = s->gzip > 12 ? 12 : (int)s->gzip;
    o->control = true;
    o->host_groups = s->groups.items;
    o->host_groups_count = s->groups.count;
    o->types = s->types.items;
    o->types_count = s->types.count;
    o->not_types = s->not_types.items;
    o->not_types_count = s->not_types.count;
    o->sources = s->sources.items;
    o->sources_count = s->sources.count;
    return 0;
}

/* SPDX-License-Identifier: Apache-2.0
 *
 * sharc crawl: its options, from the command line and from settings. They are read
 * again while a crawl runs when somebody asks for it.
 */
#include "cmd_crawl.h"

#include "sharc/schedule.h"

#include <stdlib.h>

void crawl_settings_done(struct crawl_settings *s)
{
    for (size_t i = 0; i < s->o.rules_count; i++) free(s->rules[i]);
    free(s->rules);
    cli_list_done(&s->seeds_files);
    cli_list_done(&s->resumed);
    cli_list_done(&s->include);
    cli_list_done(&s->exclude);
    cli_list_done(&s->groups);
    cli_list_done(&s->sources);
    cli_list_done(&s->types);
    cli_list_done(&s->not_types);
    cli_list_done(&s->set);
    cli_list_done(&s->connect_to);
    cli_list_done(&s->cookies);
    cli_list_done(&s->headers);
    cli_list_done(&s->said);
    sharc_rate_weights_done(&s->weight_file);
}

/* Scope rules of --include and --exclude, malloc'ed. */
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

void crawl_take_shared(struct crawl_settings *s)
{
    struct sharc_crawl_options *o = &s->o;
    s->rules = make_rules(s, &o->rules_count);
    o->rules = (const char *const *)s->rules;
    o->reach = (enum sharc_scope_reach)s->reach;
    o->ignore_robots = s->robots == 1;
    o->host_groups = s->groups.items;
    o->host_groups_count = s->groups.count;
    o->sources = s->sources.items;
    o->sources_count = s->sources.count;
    o->control = true;
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
    s->o.weigh = sharc_rate_weights_of;
    s->o.weigh_arg = &s->weight_file;
    return sharc_rate_weights_read(s->weights, &s->weight_file, err);
}

/* "0.05" or "5%", above 0 and up to 1. */
static bool read_share(struct sharc_span text, double *ret)
{
    bool percent = sharc_span_ends(text, SHARC_SPAN("%"));
    if (percent) text.n--;
    if (sharc_span_to_double(text, ret) < 0) return false;
    if (percent) *ret /= 100;
    return *ret > 0 && *ret <= 1;
}

int crawl_read_controls(struct cli *c, const char *text, enum sharc_crawl_controls *ret, double *ret_share)
{
    if (!text) return 0;
    if (strcmp(text, "every") == 0)
        *ret = SHARC_CRAWL_CONTROLS_EVERY;
    else if (strcmp(text, "none") == 0)
        *ret = SHARC_CRAWL_CONTROLS_NONE;
    else if (!read_share(sharc_span_of(text), ret_share))
        return cli_usage(c, "--controls: \"%s\" is neither a share, such as 5%%, nor every nor none", text);
    return 0;
}

int crawl_choose_controls(struct cli *c, struct crawl_settings *s)
{
    return crawl_read_controls(c, s->controls, &s->o.controls, &s->o.control_share);
}

int crawl_choose_strategy(struct cli *c, struct crawl_settings *s)
{
    s->o.purpose = (enum sharc_crawl_purpose)s->purpose;
    s->o.proof = (enum sharc_crawl_proof)s->proof;
    if (!s->strategy) return 0;
    s->o.strategy = sharc_strategy_find(s->strategy);
    if (s->o.strategy) return 0;
    const char *names[64];
    size_t n = 0;
    for (; n < sharc_strategy_count() && n < SHARC_LENGTH(names) - 1; n++) names[n] = sharc_strategy_at(n)->name;
    names[n] = NULL;
    const char *near = cli_nearest(s->strategy, names);
    if (near) return cli_usage(c, "there is no strategy \"%s\"; did you mean \"%s\"?", s->strategy, near);
    SHARC_AUTO(sharc_buf_done) struct sharc_buf all = SHARC_BUF_INIT(4096);
    for (size_t i = 0; i < n; i++) sharc_buf_printf(&all, "%s%s", i ? ", " : "", names[i]);
    return cli_usage(c, "there is no strategy \"%s\"; choose from %s", s->strategy, sharc_buf_str(&all));
}

int crawl_read_options(struct cli *c, struct crawl_settings *s, int *argc, char **argv)
{
    static const char *const purposes[] = {"exploration", "evidence", NULL};
    static const char *const reaches[] = {"page", "prefix", "host", "domain", "any", NULL};
    static const char *const robots[] = {"obey", "ignore", NULL};
    static const char *const proofs[] = {"full", "attested", NULL};
    const struct sharc_crawl_options defaults = SHARC_CRAWL_OPTIONS;
    *s = (struct crawl_settings){.o = defaults,
                                 .reach = SHARC_REACH_PREFIX,
                                 .depth = UINT64_MAX,
                                 .connections = 1,
                                 .due = SHARC_TIME_NONE,
                                 .focus = defaults.params.focus_share};
    struct sharc_crawl_options *o = &s->o;
    const struct cli_option options[] = {
        OPT_STRING('a', "archive", &o->archive, "DIR", "write to this archive; create it if it does not exist"),
        OPT_CHOICE(0, "for", &s->purpose, purposes, "say what the capture is for (default: exploration)"),
        OPT_STRING('s', "strategy", &s->strategy, "NAME",
                   "download in the order of this strategy (default: by purpose)"),
        OPT_STRING('c', "contact", &o->contact, "URL|ADDRESS", "tell sites whom to contact; required for public sites"),
        OPT_STRINGS('i', "seeds", &s->seeds_files, "FILE", "read seeds from a file, one per line (-: standard input)"),
        OPT_HEADING("Politeness"),
        OPT_DURATION('d', "delay", &o->pace.delay, "TIME", "wait between requests to one host (default: 3s)"),
        OPT_UINT_IN(1, 256, 0, "connections", &s->connections, "N",
                    "open up to N connections per site; more than 1 needs --delay 0"),
        OPT_UINT_IN(1, 100000, 0, "sites", &s->sites, "N", "crawl up to N sites at a time (default: 200)"),
        OPT_SIZE_IN(16 << 20, 1e15, 0, "memory", &o->memory, "SIZE",
                    "let further sites and large pages wait when the crawl takes this much memory"),
        OPT_SIZE_IN(16 << 20, 1e15, 0, "spool", &o->spool, "SIZE",
                    "let the crawl wait when files of this size wait for the object store (default: 4G)"),
        OPT_STRINGS(0, "host-group", &s->groups, "HOSTS", "let these hosts, separated by spaces, share one delay"),
        OPT_CHOICE(0, "robots", &s->robots, robots, "obey or ignore robots.txt (default: obey)"),
        OPT_STRING(0, "user-agent", &s->user_agent, "TEXT", "send this User-Agent instead of sharc's own"),
        OPT_HEADING("Scope"),
        OPT_CHOICE(0, "reach", &s->reach, reaches, "set how far the scope of a seed extends (default: prefix)"),
        OPT_STRINGS(0, "include", &s->include, "RULE", "also capture URLs that match this scope rule"),
        OPT_STRINGS('x', "exclude", &s->exclude, "RULE", "skip URLs that match this scope rule"),
        OPT_UINT(0, "depth", &s->depth, "N", "follow at most N links from a seed"),
        OPT_LIST(0, "types", &s->types, "TYPES", "keep only these media types, such as text/html,image/*"),
        OPT_LIST(0, "exclude-types", &s->not_types, "TYPES", "skip these media types, such as video/*,audio/*>10M"),
        OPT_UINT_IN(1, 1e12, 'n', "limit-pages", &o->pace.pages, "N", "capture at most N pages of each site"),
        OPT_SIZE_IN(1, 1e18, 0, "limit-bytes", &o->pace.bytes, "SIZE", "download at most this much from each site"),
        OPT_DURATION_IN(1, CLI_DURATION_MOST, 0, "limit-time", &o->pace.time, "TIME",
                        "spend at most this long on each site"),
        OPT_SIZE_IN(1, 1e18, 0, "max-body", &o->max_body, "SIZE", "cut bodies that are longer than this (default: 1G)"),
        OPT_STRINGS(0, "source", &s->sources, "URL", "read this sitemap, feed or OAI-PMH list first"),
        OPT_FLAG(0, "no-embeds", &o->no_embeds, "do not fetch images, styles and scripts"),
        OPT_FLAG(0, "no-sitemaps", &o->no_sitemaps, "do not look for sitemaps"),
        OPT_FLAG(0, "no-signals", &o->no_signals,
                 "do not read sitemaps, feeds and pages with news again to learn what has changed"),
        OPT_FLAG(0, "no-probe", &o->no_probe, "skip the request that shows how the site answers for missing pages"),
        OPT_FLAG(0, "guesses", &o->guesses, "also follow strings in scripts that look like URLs"),
        OPT_FLAG(0, "allow-private", &o->allow_private, "allow loopback and private addresses"),
        OPT_HEADING("Capture"),
        OPT_FLAG(0, "fresh", &o->fresh, "start a new capture even if one could be resumed"),
        OPT_FLAG(0, "forget", &o->forget, "ignore what earlier captures know"),
        OPT_STRING(0, "weights", &s->weights, "HOW",
                   "weigh pages by priority (default), pagerank, indegree, none or a file"),
        OPT_SHARE(0, "focus", &s->focus, "SHARE",
                  "spend at most this share of requests on second looks (default: 10%)"),
        OPT_CHOICE(0, "proof", &s->proof, proofs,
                   "prove by full downloads, or by the server's word where it is strong (default: full)"),
        OPT_SIZE_IN(1, 1e18, 0, "attest-above", &o->attest_above, "SIZE",
                    "take the server's word for larger bodies with a strong ETag (default: 10M)"),
        OPT_STRING(0, "controls", &s->controls, "SHARE|every|none",
                   "spend at most this share of requests on control downloads (default: 5%)"),
        OPT_FLAG(0, "trust-last-modified", &o->trust_modified,
                 "count a page with an equal Last-Modified as unchanged, which proves nothing"),
        OPT_FLAG(0, "no-features", &o->no_features, "keep no text signatures in the catalogue"),
        OPT_UINT_IN(1, 12, 0, "gzip", &s->gzip, "LEVEL",
                    "compress WARC files at level 1 (fast) to 12 (small); default: 6, or 1 with --delay 0"),
        OPT_STRING(0, "store", &s->store, "URL", "keep the catalogue in sqlite:PATH or postgresql://…"),
        OPT_STRING(0, "operator", &o->operator_, "TEXT", "name the operator in the WARC files"),
        OPT_STRING(0, "description", &o->description, "TEXT", "describe the capture in the WARC files"),
        OPT_STRINGS(0, "set", &s->set, "NAME=VALUE", "change a setting of the crawl that is running on the archive"),
        OPT_HEADING("Queue"),
        OPT_FLAG(0, "queue", &s->queue, "do not crawl now: queue a job for each site, which workers do"),
        OPT_STRING(0, "collection", &s->collection, "NAME",
                   "queue the jobs in this collection; collections take turns"),
        OPT_STRING(
            0, "schedule", &s->schedule, "WHEN",
            "queue them for daily, weekly, monthly, \"every 36h\", \"cron 30 3 * * 1\" (UTC) or \"changed 10%\""),
        OPT_TIME(0, "due", &s->due, "TIME", "queue them for this time (default: now)"),
        OPT_HEADING("Network"),
        OPT_DURATION_IN(1, CLI_DURATION_MOST, 0, "max-time", &s->max_time, "TIME",
                        "give up a download after this long (default: 20min)"),
        OPT_UINT_IN(1, 100, 0, "tries", &s->tries, "N",
                    "try a URL up to N times when its failure may be temporary (default: 4)"),
        OPT_STRINGS(0, "cookies", &s->cookies, "FILE",
                    "send the cookies of this file (Netscape format) to their sites"),
        OPT_STRINGS(0, "header", &s->headers, "[SITE=]NAME: VALUE",
                    "send this header to SITE (default: the hosts of the seeds), and to nobody else"),
        OPT_STRING(0, "proxy", &s->proxy, "URL", "fetch through this proxy (http:// or socks5h://)"),
        OPT_STRINGS(0, "connect-to", &s->connect_to, "HOST:PORT:HOST:PORT",
                    "connect to the second host and port instead of the first, as curl does"),
        OPT_STRING(0, "ca-file", &s->ca_file, "FILE", "trust the certificates in this PEM file"),
        OPT_FLAG(0, "insecure", &s->insecure, "accept any TLS certificate"),
        OPT_FLAG(0, "http2", &s->http2, "offer HTTP/2 to servers"),
        OPT_UINT_IN(1, CLI_THREADS_MOST, 't', "threads", &s->threads, "N",
                    "process pages with N threads (default: one per core)"),
        OPT_END,
    };
    c->site_names = sharc_crawl_setting_names();
    c->said = &s->said;
    int r = cli_parse(c, argc, argv, options);
    c->said = NULL;
    if (r) return r;
    crawl_take_shared(s);
    o->pace.connections = (unsigned)s->connections;
    o->params.focus_share = s->focus;
    o->tries = (unsigned)s->tries;
    o->sites = (unsigned)s->sites;
    o->gzip_level = s->gzip > 12 ? 12 : (int)s->gzip;
    o->types = s->types.items;
    o->types_count = s->types.count;
    o->not_types = s->not_types.items;
    o->not_types_count = s->not_types.count;
    return 0;
}

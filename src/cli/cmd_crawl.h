/* SPDX-License-Identifier: Apache-2.0
 *
 * What sharc crawl is told, and what it says: while it runs, and in the end.
 */
#ifndef SHARC_CLI_CRAWL_H
#define SHARC_CLI_CRAWL_H

#include "cli.h"

#include "sharc/crawl.h"
#include "sharc/rate_weight.h"

struct crawl_settings {
    struct sharc_crawl_options o;
    char **rules;
    int purpose, reach, robots, proof;
    const char *strategy, *store, *user_agent, *proxy, *ca_file, *weights, *controls;
    struct sharc_rate_weights weight_file;
    uint64_t sites, gzip, depth, connections, threads, tries, focus_pages;
    double focus;
    struct cli_list seeds_files, include, exclude, groups, sources, types, not_types, set, connect_to, cookies, headers;
    bool insecure, http2;
    struct cli_list resumed; /* seeds of an interrupted crawl, when none were given */
    bool sites_listed;       /* no seeds were given: those of the archive's sharc.yaml */
    sharc_time max_time;
    bool queue;
    const char *collection, *schedule;
    sharc_time due;
    struct cli_list said; /* about all options: "--delay=5s" */
};

/* From settings and command line; as cli_parse. Release with done whatever it says. */
int crawl_read_options(struct cli *c, struct crawl_settings *s, int *argc, char **argv);
void crawl_settings_done(struct crawl_settings *s);
/* Purpose and strategy by their names: 0, or the exit code. */
int crawl_choose_strategy(struct cli *c, struct crawl_settings *s);
/* --controls: 0, or the exit code. */
int crawl_choose_controls(struct cli *c, struct crawl_settings *s);
/* "5%", "every", "none"; NULL changes nothing. */
int crawl_read_controls(struct cli *c, const char *text, enum sharc_crawl_controls *ret, double *ret_share);
/* --weights: a name, or a file that is read. s must stay where it is. */
int crawl_choose_weights(struct crawl_settings *s, struct sharc_err *err);

/* Options that parse and yet make no sense, such as rules, lists, hosts to connect to: 0, or the exit code. */
int crawl_check(struct cli *c, const struct crawl_settings *s);

/* Call fn for each seed: of the command line, of files, of the interrupted crawl, of the archive's list. What is wrong
 * in a file is told and left out. */
typedef int crawl_seed_fn(void *arg, struct sharc_span url, struct sharc_err *err);
int crawl_each_seed(struct cli *c, const struct crawl_settings *s, int argc, char **argv, crawl_seed_fn *fn, void *arg,
                    struct sharc_err *err);
/* --queue: the sites become jobs; returns the exit code. */
int crawl_submit(struct cli *c, const struct crawl_settings *s, int argc, char **argv);

/* What a worker would stumble over: files that are missing or wrong, a proxy that is none. */
int crawl_rehearse(struct cli *c, const struct crawl_settings *s, struct sharc_err *err);

/* --cookies and --header. */
int crawl_read_secrets(struct cli *c, const struct crawl_settings *s, struct sharc_secrets **ret,
                       struct sharc_err *err);
/* Headers without a site go to this seed. */
void crawl_add_home(struct sharc_secrets *secrets, struct sharc_span seed);
/* The seed is on this machine or in a private network. */
bool crawl_is_local(struct sharc_span seed);
/* Before anything is made on disk: an http URL, and not on this machine or in a private network unless that is
 * allowed. */
int crawl_check_seed(struct sharc_span seed, bool allow_private, struct sharc_err *err);

/* What of the network weakens what a capture proves, to the options; both are malloc'ed, and must live as long. */
void crawl_note_network(struct crawl_settings *s, char **ret_proxy, char **ret_connect_to);

/* User-Agent, malloc'ed, and the fetcher that sends it; also for sharc watch. */
char *crawl_agent(const struct crawl_settings *s);
int crawl_open_fetcher(const struct crawl_settings *s, struct sharc_clock *clock, const char *agent,
                       const struct sharc_secrets *secrets, struct sharc_fetcher **ret, struct sharc_err *err);
/* What crawl and watch read alike (scope, robots.txt, groups of hosts, sources) into the options of a crawl. */
void crawl_take_shared(struct crawl_settings *s);

struct crawl_display;
struct crawl_display *crawl_display_new(struct cli *c);
void crawl_display_free(struct crawl_display *d); /* takes the display away */
void crawl_display_show(struct crawl_display *d, const struct sharc_crawl_status *st);
/* A sentence above the display. */
void crawl_display_remark(struct crawl_display *d, const char *sentence);

/* Summaries of all sites; result is that of sharc_crawl_run. Returns the exit code. */
int crawl_report(struct cli *c, const struct sharc_crawl *crawl, const char *archive, int result);

#endif

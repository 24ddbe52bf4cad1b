/* SPDX-License-Identifier: Apache-2.0
 *
 * --queue of crawl and watch: every site becomes a job, with what was said about the options as its settings. What it
 * was told by files is written down with it: a worker on another machine does the same.
 */
#ifndef SHARC_CLI_QUEUE_H
#define SHARC_CLI_QUEUE_H

#include "cli.h"

#include "sharc/base_map.h"
#include "sharc/store.h"

struct queue_site {
    struct cli_list seeds, settings;
};

/* What is the same for all jobs, and the sites. */
struct queue {
    const char *kind, *collection, *schedule;
    sharc_time due;
    const struct cli_list *said; /* about all options: "--delay=5s" */
    const char *const *not_kept; /* names of options that the worker decides, or that do not belong to the work */
    const char *const *files;    /* "--cookies=": those whose value is a file's name; both end with NULL */
    const char *word;            /* of them one whose value is no file's name here; may be NULL */
    struct sharc_intern *names;  /* of the sites */
    struct queue_site *site;     /* by number of the name */
    size_t room;
};
void queue_init(struct queue *q, const char *kind);
void queue_done(struct queue *q);

/* A seed, or a line of a list that begins with its URL: to the job of its site, without a password. */
int queue_seed(struct queue *q, struct sharc_span url, struct sharc_span line, struct sharc_err *err);
/* A setting of the site of a URL; ignored when it is none of them. */
int queue_setting(struct queue *q, struct sharc_span url, struct sharc_span setting, struct sharc_err *err);

/* All of them into the queue, and tell which. A site that has such a job already is left as it is. */
int queue_submit(struct cli *c, const struct queue *q, const char *archive, const char *store, struct sharc_err *err);

#endif

/* SPDX-License-Identifier: Apache-2.0
 *
 * What sharc watch is told, and what it says.
 */
#ifndef SHARC_CLI_WATCH_H
#define SHARC_CLI_WATCH_H

#include "cmd_crawl.h"

#include "sharc/watch.h"

struct watch_settings {
    struct crawl_settings crawl; /* the options that both commands have */
    struct sharc_watching_options o;
    const char *budget, *strategy, *zone, *holidays, *snapshot;
    int objective;
    struct cli_list lists, set;
    bool pause, resume, changes_only;
    uint64_t requests;
    int32_t *days;
    size_t days_count;
    sharc_time east; /* of a fixed zone */
};
int watch_read_options(struct cli *c, struct watch_settings *s, int *argc, char **argv);
void watch_settings_done(struct watch_settings *s);
/* What the words of the options mean: 0, or the exit code. */
int watch_choose(struct cli *c, struct watch_settings *s);
/* Give the lines of a file to fn. A line that is wrong (SHARC_ESYNTAX, SHARC_EACCESS, SHARC_ELIMIT: a URL that is too
 * long) is named and left out. */
typedef int watch_line_fn(void *arg, struct sharc_span line, struct sharc_err *err);
int watch_read_list(struct cli *c, const char *path, watch_line_fn *fn, void *arg, struct sharc_err *err);
/* --queue: the watches of sites become jobs; returns the exit code. */
int watch_submit(struct cli *c, const struct watch_settings *s, int argc, char **argv);

void watch_say_event(struct cli *c, const struct sharc_watching_event *e, bool changes_only);
void watch_say_end(struct cli *c, const struct sharc_watching_counts *n, bool stopped);

#endif

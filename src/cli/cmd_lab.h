/* SPDX-License-Identifier: Apache-2.0
 *
 * Shared by the files of sharc lab.
 */
#ifndef SHARC_CLI_LAB_H
#define SHARC_CLI_LAB_H

#include "cli.h"

#include "sharc/lab.h"

struct lab_settings {
    struct sharc_lab_options o;
    uint64_t pages, port, runs_wanted, words;
    unsigned runs;
    const char *dataset, *ready_file, *strategies, *keep, *edits, *noise, *faults;
    sharc_time from, to, how_long, delay;
};

/* sharc lab judge ARCHIVE --truth FILE; an exit code. */
int lab_judge(struct cli *c, const char *archive, const char *truth);
/* sharc lab run; an exit code. */
int lab_run(struct cli *c, const struct lab_settings *s);

#endif

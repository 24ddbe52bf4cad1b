/* SPDX-License-Identifier: Apache-2.0
 *
 * Shared by the files of sharc lab.
 */
#ifndef SHARC_CLI_LAB_H
#define SHARC_CLI_LAB_H

#include "cli.h"

#include "sharc/base_json.h"
#include "sharc/crawl.h"
#include "sharc/lab.h"
#include "sharc/lab_verdict.h"

struct lab_settings {
    struct sharc_lab_options o;
    uint64_t pages, port, runs_wanted, words, connections;
    unsigned runs;
    const char *dataset, *ready_file, *strategies, *keep, *edits, *noise, *faults, *signals;
    const char *controls;
    enum sharc_crawl_controls control_kind;
    double control_share;
    bool no_signals, virtual_time;
    sharc_time from, to, how_long, delay, longest;
    const char *svg;
};

/* sharc lab judge ARCHIVE --truth FILE; an exit code. */
int lab_judge(struct cli *c, const char *archive, const char *name, const char *truth);
/* What was proved, and what was said that is not true: members of an object. */
void lab_put_evidence(struct sharc_json *j, const struct sharc_lab_verdict *v);
/* What it said of changes: members of an object, or one of their own where grades are its claims. */
void lab_put_findings(struct sharc_json *j, const struct sharc_lab_verdict *v);
/* sharc lab run and sharc lab watch; exit codes. */
int lab_run(struct cli *c, struct lab_settings *s);
int lab_watch(struct cli *c, struct lab_settings *s);
/* Where archives go: the directory named, or one that goes away with us. */
char *lab_home(const struct lab_settings *s, struct sharc_err *err);
void lab_home_done(const struct lab_settings *s, const char *home);

#endif

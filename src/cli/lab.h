/* SPDX-License-Identifier: Apache-2.0
 *
 * Shared by the files of sharc lab.
 */
#ifndef SHARC_CLI_LAB_H
#define SHARC_CLI_LAB_H

#include "cli.h"

#include "sharc/lab.h"
#include "sharc/lab_truth.h"
#include "sharc/store.h"

struct lab_settings {
    struct sharc_lab_options o;
    uint64_t pages, port, runs_wanted;
    unsigned runs;
    const char *dataset, *ready_file, *strategies, *keep;
    sharc_time from, to, how_long, delay;
};

/* What a capture says, held against the truth. */
struct lab_verdict {
    size_t pages, comparisons;
    size_t findings[SHARC_LAB_FINDINGS];
    size_t bodies_right, bodies_late, bodies_wrong;
    struct lab_wrong {
        char *url, *what;
        sharc_time from, to;
    } * wrong; /* the first LAB_WRONG_MOST */
    size_t wrong_count, wrong_room;
};
#define LAB_WRONG_MOST 20u
void cli__lab_verdict_done(struct lab_verdict *v);
bool cli__lab_verdict_clean(const struct lab_verdict *v);
int cli__lab_verdict(struct sharc_store *s, sharc_store_id capture, const struct sharc_lab_truth *t,
                     struct lab_verdict *ret, struct sharc_err *reterr);

/* sharc lab judge ARCHIVE --truth FILE; an exit code. */
int cli__lab_judge(struct cli *c, const char *archive, const char *truth);
/* sharc lab run; an exit code. */
int cli__lab_run(struct cli *c, const struct lab_settings *s);

#endif

/* SPDX-License-Identifier: Apache-2.0
 *
 * What sharc verify was asked, and what came of it.
 */
#ifndef SHARC_CLI_VERIFY_H
#define SHARC_CLI_VERIFY_H

#include "cli.h"

#include "sharc/audit.h"
#include "sharc/warc_verify.h"

struct verify_settings {
    bool no_digests, habits, repair, keep_doubtful;
    const char *output;
    struct cli_list indexes;
    uint64_t threads;
    /* of an archive */
    const char *store;
    bool rebuild, lenient;
    /* of signatures */
    const char *key, *trusted;
    const char *certificate;
};

struct verify_copy { /* of the file with the same number */
    bool made;
    char *path;
    struct sharc_warc_repaired repair;
    struct sharc_findings left; /* out of the copy: where and why */
};

struct verify_work {
    const struct verify_settings *s;
    struct sharc_audit audit;
    struct verify_copy *copies;
};

/* Findings of all files, notes, copies made. */
void verify_tell_people(struct cli *c, const struct verify_work *w);
void verify_tell_json(struct cli *c, const struct verify_work *w);

#endif

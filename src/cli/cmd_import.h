/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SHARC_CLI_IMPORT_H
#define SHARC_CLI_IMPORT_H

#include "archive.h"

/* The options of sharc import. */
struct cli_import {
    const char *archive, *store, *capture, *site;
    int by;
    sharc_time gap, patience;
    bool copy, move, no_extract, lenient, merge_case;
    uint64_t threads;
};

/* Paths of files to read, and directories. */
struct cli_inputs {
    char **items;
    size_t count, room;
};

/* What argv names from 1 on, or the archive's own warcs/ when it names nothing. With s->copy or
 * s->move the files are brought to the archive's warcs/ first and *in has their paths there.
 * What cannot be brought is told and left out; the exit code of the first failure. */
int cli_import_inputs(struct cli *c, const struct cli_import *s, int argc, char **argv, struct cli_inputs *in);
void cli_inputs_done(struct cli_inputs *in);

#endif

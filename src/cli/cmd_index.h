/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SHARC_CLI_INDEX_H
#define SHARC_CLI_INDEX_H

#include "cli.h"

/* The options of sharc index. */
struct cli_index {
    /* making */
    const char *output, *root, *temporary;
    uint64_t threads, memory, zipnum;
    bool lenient, plain_keys, fresh, all;
    int format;
    /* asking */
    const char *lookup, *from, *to, *closest;
    bool reverse, check;
    int match;
    uint64_t limit;
    struct cli_list filters, fields;
};

/* Looks up captures in the indexes, WACZ files and archives that argv names from 1 on; an exit
 * code. Without s->lookup their order is checked and nothing else. */
int cli_index_ask(struct cli *c, const struct cli_index *s, int argc, char **argv);

#endif

/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SHARC_CLI_EXPORT_CATALOGUE_H
#define SHARC_CLI_EXPORT_CATALOGUE_H

#include "archive.h"

struct catalogue_table {
    const char *archive, *store;
    const char *table;
    const char *capture, *against; /* as people name captures; NULL: all, none */
    const char *url;
    const char *output; /* "-": standard output */
    bool json;          /* else CSV */
};
/* sharc export --table: any table or answer of the catalogue; an exit code. */
int cli_catalogue_table(struct cli *c, const struct catalogue_table *t);
/* The name of the i-th answer beside the store's own tables; NULL behind the last. */
const char *cli_catalogue_answer(size_t i);

#endif

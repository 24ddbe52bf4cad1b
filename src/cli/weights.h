/* SPDX-License-Identifier: Apache-2.0
 *
 * Weights of pages as a user asks for them.
 */
#ifndef SHARC_CLI_WEIGHTS_H
#define SHARC_CLI_WEIGHTS_H

#include "cli.h"

#include "sharc/base_map.h"
#include "sharc/sim_dataset.h"

/* A file of lines with a weight, a space and a URL. */
struct cli_weight_file {
    struct sharc_intern *urls;
    double *weight;
    size_t room;
};
/* SHARC_ESYNTAX names the line. To be released whatever it returns. */
int cli_weight_file_read(const char *path, struct cli_weight_file *ret, struct sharc_err *err);
void cli_weight_file_done(struct cli_weight_file *f);
/* The weight of a URL; negative: it is not in the file. */
double cli_weight_file_of(void *file, struct sharc_span url);

struct cli_graph {
    size_t n;
    const struct sharc_span *url; /* n, no two alike */
    const double *priority;       /* n, NAN: none; NULL: of no page */
    const uint32_t *from, *to;    /* links */
    size_t links;
};
/* how: "none", "priority", "pagerank", "indegree", or a file of lines with a weight, a
 * space and a URL (others keep 1). ret has n places. */
int cli_weights(const char *how, const struct cli_graph *g, double *ret, struct sharc_err *err);
/* The same for all pages of a dataset; *ret is malloc'ed. */
int cli_weights_dataset(const char *how, const struct sharc_dataset *d, double **ret, struct sharc_err *err);

#endif

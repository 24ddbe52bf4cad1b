/* SPDX-License-Identifier: Apache-2.0
 *
 * Shared by the files of sharc plan.
 */
#ifndef SHARC_CLI_PLAN_H
#define SHARC_CLI_PLAN_H

#include "cli.h"

#include "sharc/sim_plan.h"

struct plan_settings {
    struct sharc_sim_plan_options o;
    bool csv, markdown;
    const char *weights;
    /* a site that is asked */
    uint64_t sample;
    sharc_time delay;
    bool allow_private, no_sitemaps;
    const char *contact, *archive;
    struct cli_list include, exclude;
};

/* Make the plan and print it; an exit code. */
int plan_print(struct cli *c, const struct plan_settings *s, const struct sharc_dataset *d);
/* Ask the site first, or (archive) what is known of it from its last capture. */
int plan_url(struct cli *c, struct plan_settings *s, const char *url);
int plan_archive(struct cli *c, struct plan_settings *s, const char *archive);

#endif

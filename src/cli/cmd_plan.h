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

/* Make the plan and print it; an exit code. seed: the URL that a capture would begin
 * with, NULL: there is none. */
int plan_print(struct cli *c, const struct plan_settings *s, const struct sharc_dataset *d, const char *seed);
/* Shell commands for the captures that the plan recommends, malloc'ed. */
char *plan_command(const struct plan_settings *s, const struct sharc_sim_plan *plan, const char *seed, bool evidence);
/* Ask the site first, or what is known of it from the archive's last capture; an archive
 * without captures says by its settings which site is meant. */
int plan_url(struct cli *c, struct plan_settings *s, const char *url);
int plan_archive(struct cli *c, struct plan_settings *s, const char *archive);

#endif

/* SPDX-License-Identifier: Apache-2.0
 *
 * What sharc crawl says: while it runs, and in the end.
 */
#ifndef SHARC_CLI_CRAWL_H
#define SHARC_CLI_CRAWL_H

#include "cli.h"

#include "sharc/crawl.h"

struct crawl_display;
struct crawl_display *crawl_display_new(struct cli *c);
void crawl_display_free(struct crawl_display *d); /* takes the display away */
void crawl_display_show(struct crawl_display *d, const struct sharc_crawl_status *st);
/* A sentence above the display. */
void crawl_display_remark(struct crawl_display *d, const char *sentence);

/* Summaries of all sites; result is that of sharc_crawl_run. Returns the exit code. */
int crawl_report(struct cli *c, const struct sharc_crawl *crawl, const char *archive, int result);

#endif

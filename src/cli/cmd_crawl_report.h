/* SPDX-License-Identifier: Apache-2.0
 *
 * The two forms of the summary of a crawl.
 */
#ifndef SHARC_CLI_CRAWL_REPORT_H
#define SHARC_CLI_CRAWL_REPORT_H

#include "cmd_crawl.h"

/* Pages of each grade. */
void crawl_count_grades(const struct sharc_crawl_summary *s, uint64_t ret[SHARC_GRADE_COUNT]);

void crawl_report_json(struct cli *c, const struct sharc_crawl *crawl, const char *archive);

#endif

/* SPDX-License-Identifier: Apache-2.0
 *
 * SIGINT, SIGTERM and SIGHUP: the one place where commands catch them.
 */
#ifndef SHARC_CLI_SIGNALS_H
#define SHARC_CLI_SIGNALS_H

#include <stdbool.h>

struct sharc_crawl;
struct sharc_watching;

/* For work that looks at a flag: false until the first SIGINT or SIGTERM. That
 * signal has its default action again then, so a second one ends the program. */
const volatile bool *cli_signals_flag(void);

/* For a crawl: every SIGINT and SIGTERM asks it to stop (twice: at once). SIGHUP does
 * the same when there is a terminal, which has gone away then; without one it has
 * the settings read again. The crawl must live until cli_signals_release, which
 * gives the signals their default actions back. */
void cli_signals_crawl(struct sharc_crawl *crawl);
/* The same for a watch, which SIGHUP stops only when there is a terminal. */
void cli_signals_watch(struct sharc_watching *watch);
void cli_signals_release(void);

#endif

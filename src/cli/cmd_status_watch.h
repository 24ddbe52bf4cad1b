/* SPDX-License-Identifier: Apache-2.0
 *
 * sharc status of an archive in which pages are watched.
 */
#ifndef SHARC_CLI_STATUS_WATCH_H
#define SHARC_CLI_STATUS_WATCH_H

#include "cli.h"

#include "sharc/watched.h"

int status_read_watch(const char *dir, const char *store, struct sharc_watched_status *ret, struct sharc_err *err);
void status_put_watch(struct sharc_json *j, const struct sharc_watched_status *s);
void status_tell_watch(struct cli *c, const struct sharc_watched_status *s);

#endif

/* SPDX-License-Identifier: Apache-2.0
 *
 * sharc view --screenshots: between its files.
 */
#ifndef SHARC_CLI_CMD_VIEW_SERIES_H
#define SHARC_CLI_CMD_VIEW_SERIES_H

#include "cmd_view.h"

#define VIEW_SERIES_LIST "screenshots.jsonl"

struct series_times { /* of a capture, in digits; "": unknown */
    char from[SHARC_TIME_TEXT], to[SHARC_TIME_TEXT], reference[SHARC_TIME_TEXT];
};
/* capture: its name; NULL: the latest, or of files without a catalogue all that they hold. */
int view_series_times(const struct view_settings *s, const char *archive, const char *capture, struct series_times *t,
                      struct sharc_err *err);

struct series_totals {
    size_t pages, taken, kept, failed;
};
/* Pictures and their list into s->dir; what is there already is kept. */
int view_series(struct cli *c, const struct view_settings *s, const struct series_times *t,
                struct series_totals *totals, struct sharc_err *err);

/* cmd_view_warc.c. The pictures of the list as resource records urn:view:URL, in a file of their own. */
int view_series_warc(const char *dir, const char *path, sharc_time now, size_t *ret_count, struct sharc_err *err);

#endif

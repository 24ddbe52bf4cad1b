/* SPDX-License-Identifier: Apache-2.0
 *
 * What the files of sharc view share.
 */
#ifndef SHARC_CLI_CMD_VIEW_H
#define SHARC_CLI_CMD_VIEW_H

#include "cli.h"
#include "sharc/view.h"

struct view_settings {
    struct sharc_view_options o;
    const char *at, *screenshot, *pdf, *browser, *size;
    bool text, list, no_isolation;
    int mapping;
    /* of a series */
    bool screenshots;
    const char *dir, *warc, *store;
    uint64_t tabs;
};

extern const char *const view_mappings[]; /* in the order of the choices; ends with NULL */

/* cmd_view_print.c. What was shown, and what it was made of. text: NULL: not asked for. */
void view_print(struct cli *c, const struct view_settings *s, struct sharc_view *v, const struct sharc_view_page *page,
                const struct sharc_buf *text);
/* "2026-03-01 12:00:00" of a timestamp. */
const char *view_time(const char *timestamp, char out[SHARC_TIME_TEXT]);

/* cmd_view_near.c. Adds to "there is no capture" which ones there are: of the URL, or of its neighbours. */
void view_tell_near(struct cli *c, const struct sharc_edition *e, struct sharc_span url, struct sharc_span timestamp);

#endif

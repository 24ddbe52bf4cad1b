/* SPDX-License-Identifier: Apache-2.0
 *
 * sharc view: what there is, where the page that was asked for is not.
 */
#include "cmd_view.h"

#include "sharc/base_limits.h"
#include "sharc/url.h"

enum { MOST = 3, MOST_LINES = 2000 };

static size_t tell_captures(struct cli *c, const struct sharc_edition *e, struct sharc_span url,
                            struct sharc_span timestamp)
{
    SHARC_AUTO(sharc_captures_freep) struct sharc_captures *captures = NULL;
    SHARC_AUTO(sharc_buf_done) struct sharc_buf times = SHARC_BUF_INIT(1024);
    struct sharc_cdx_query q = {.url = url, .match = SHARC_CDX_EXACT, .sort = SHARC_CDX_REVERSE};
    struct sharc_cdx line;
    size_t count = 0;
    if (timestamp.n) q.sort = SHARC_CDX_CLOSEST, q.closest = timestamp;
    if (sharc_captures_ask(e, &q, &captures, NULL) < 0) return 0;
    for (; count < MOST && sharc_captures_next(captures, &line, NULL) > 0; count++) {
        struct sharc_span t = line.field[SHARC_CDX_TIMESTAMP], status = line.field[SHARC_CDX_STATUS];
        sharc_buf_printf(&times, "%s%.*s (%.*s)", count ? ", " : "", SHARC_SPAN_ARG(t),
                         SHARC_SPAN_ARG(status.n ? status : SHARC_SPAN("-")));
    }
    if (count) cli_note(c, "nearest captures of it: %s", sharc_buf_str(&times));
    return count;
}

/* URLs of the same host that begin as this one does, as far as there are some. */
static void tell_neighbours(struct cli *c, const struct sharc_edition *e, struct sharc_span url)
{
    SHARC_AUTO(sharc_captures_freep) struct sharc_captures *captures = NULL;
    SHARC_AUTO(sharc_buf_done) struct sharc_buf last = SHARC_BUF_INIT(SHARC_LIMIT_URL);
    struct sharc_cdx_query q = {.url = url, .match = SHARC_CDX_HOST};
    struct sharc_cdx line;
    size_t count = 0;
    if (sharc_captures_ask(e, &q, &captures, NULL) < 0) return;
    for (unsigned lines = 0; count < MOST && lines < MOST_LINES && sharc_captures_next(captures, &line, NULL) > 0;
         lines++) {
        char shown[SHARC_URL_SHOWN];
        bool page = sharc_span_istarts(line.field[SHARC_CDX_MIME], SHARC_SPAN("text/html"));
        if (!page || sharc_span_eq(line.field[SHARC_CDX_KEY], sharc_buf_span(&last))) continue;
        sharc_buf_clear(&last);
        sharc_buf_put(&last, line.field[SHARC_CDX_KEY]);
        cli_note(c, "%s %s", count++ ? "and" : "this archive has, for example,",
                 sharc_url_shown(line.field[SHARC_CDX_URL], shown));
    }
    if (!count) cli_note(c, "this archive has no page of that host");
}

void view_tell_near(struct cli *c, const struct sharc_edition *e, struct sharc_span url, struct sharc_span timestamp)
{
    if (!tell_captures(c, e, url, timestamp)) tell_neighbours(c, e, url);
}

/* SPDX-License-Identifier: Apache-2.0
 *
 * sharc quality: parts of sites that change in a way of their own.
 */
#include "cmd_quality.h"
#include "parts.h"

#include "sharc/store_query.h"

#include <stdlib.h>

/* Sites of the captures that were asked for, each once: fn with its name and its parts. */
typedef void parts_fn(void *arg, const char *site, const struct sharc_figure_subsites *parts);

static int name_of(const struct quality *q, sharc_store_id capture, char **ret, struct sharc_err *reterr)
{
    SHARC_AUTO(sharc_store_rows_freep) struct sharc_store_rows *rows = NULL;
    struct sharc_store_capture_filter f = SHARC_STORE_CAPTURE_FILTER_INIT;
    struct sharc_store_capture c;
    f.id = capture;
    int r = sharc_store_captures(q->store, &f, &rows, reterr);
    if (r >= 0) r = sharc_store_rows_next(rows, reterr);
    if (r <= 0) return r;
    sharc_store_read_capture(rows, &c);
    *ret = sharc_span_dup(c.site_name);
    return 0;
}

static int each_site(const struct quality *q, parts_fn *fn, void *arg, struct sharc_err *reterr)
{
    for (size_t i = 0; i < sharc_assess_count(q->assess); i++) {
        SHARC_AUTO(sharc_freep) char *site = NULL;
        SHARC_AUTO(sharc_figure_subsites_done) struct sharc_figure_subsites parts = {0};
        if (!sharc_assess_is_last(q->assess, i)) continue;
        int r = name_of(q, sharc_assess_id(q->assess, i), &site, reterr);
        if (r == 0 && site) r = cli_parts_find(q->store, site, &parts, reterr);
        if (r < 0) return r;
        fn(arg, site, &parts);
    }
    return 0;
}

static void print(void *arg, const char *site, const struct sharc_figure_subsites *parts)
{
    const struct quality *q = arg;
    (void)site;
    cli_parts_text(q->c->out, parts);
}

int quality_parts_text(const struct quality *q, struct sharc_err *reterr)
{
    struct quality copy = *q;
    return each_site(q, print, &copy, reterr);
}

static void put(void *arg, const char *site, const struct sharc_figure_subsites *parts)
{
    sharc_figure_subsites_put(arg, site, parts);
}

int quality_parts_json(const struct quality *q, struct sharc_json *j, struct sharc_err *reterr)
{
    sharc_json_array(j, "parts");
    int r = each_site(q, put, j, reterr);
    sharc_json_end(j);
    return r;
}

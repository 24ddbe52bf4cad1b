/* SPDX-License-Identifier: Apache-2.0
 *
 * sharc status: what is watched, and what is due next and why.
 */
#include "cmd_status_watch.h"
#include "archive.h"

#include "sharc/schedule_watch.h"

#include <inttypes.h>

enum { NEXT_SHOWN = 10, NEXT_JSON = 1000, URL_WIDTH = 40 };

int status_read_watch(const char *dir, const char *store, struct sharc_watched_status *ret, struct sharc_err *err)
{
    SHARC_AUTO(sharc_store_freep) struct sharc_store *s = NULL;
    struct sharc_clock *clock = sharc_clock_real();
    const struct sharc_store_options o = {.must_exist = true};
    int r = sharc_archive_open(dir, store, &o, &s, err);
    return r < 0 ? r : sharc_watched_status(s, 0, clock->now(clock), NEXT_JSON, ret, err);
}

static void put_next(struct sharc_json *j, const struct sharc_watched_next *n)
{
    const struct sharc_watch_view *v = &n->view;
    sharc_json_object(j, NULL);
    sharc_json_str(j, "url", n->url);
    sharc_json_time(j, "due", v->due);
    sharc_json_str(j, "why", sharc_watch_why_name(n->why));
    if (v->settings.held) sharc_json_time(j, "last", v->last);
    sharc_json_time(j, "last_change", v->last_change);
    sharc_json_real(j, "changes_per_hour", v->rate);
    sharc_json_real(j, "changed", v->changed);
    if (v->signals) sharc_json_uint(j, "signals", v->signals);
    sharc_json_end(j);
}

void status_put_watch(struct sharc_json *j, const struct sharc_watched_status *s)
{
    sharc_json_object(j, "watch");
    sharc_json_uint(j, "pages", s->pages);
    sharc_json_uint(j, "looks", s->looks);
    sharc_json_uint(j, "looks_last_day", s->last_day);
    sharc_json_uint(j, "changes", s->changes);
    if (s->strategy) sharc_json_str(j, "strategy", s->strategy);
    if (s->per_hour >= 0) sharc_json_real(j, "requests_per_hour", s->per_hour);
    sharc_json_bool(j, "paused", s->paused);
    sharc_json_time(j, "saved", s->saved);
    sharc_json_array(j, "next");
    for (size_t i = 0; i < s->count; i++) put_next(j, &s->next[i]);
    sharc_json_end(j);
    sharc_json_end(j);
}

void status_tell_watch(struct cli *c, const struct sharc_watched_status *s)
{
    static const char *const titles[] = {"due next", "page", "changed", "why"};
    char text[SHARC_TIME_TEXT];
    fprintf(c->out, "\n%-11s%s%s, %s (%" PRIu64 " in the last day), %s seen\n", "watched",
            SHARC_COUNT(s->pages, "page"), s->paused ? " (paused)" : "", SHARC_COUNT(s->looks, "look"), s->last_day,
            SHARC_COUNT(s->changes, "change"));
    if (s->strategy && s->per_hour >= 0)
        fprintf(c->out, "%-11s%s, %.*f requests a day\n", "", s->strategy, 24 * s->per_hour < 100 ? 1 : 0,
                24 * s->per_hour);
    if (!s->count) return;
    SHARC_AUTO(cli_table_freep) struct cli_table *t = cli_table_new(SHARC_LENGTH(titles), titles, "llrl");
    for (size_t i = 0; i < s->count && i < NEXT_SHOWN; i++) {
        const struct sharc_watched_next *n = &s->next[i];
        const size_t length = strlen(n->url);
        const bool cut = length > URL_WIDTH;
        cli_table_cell(t, "%s", n->view.due == SHARC_TIME_NONE ? "-" : sharc_time_iso(n->view.due, 0, text));
        cli_table_cell(t, "%s%s", cut ? "…" : "", n->url + (cut ? length - URL_WIDTH : 0));
        cli_table_cell(t, "%.0f %%", 100 * n->view.changed);
        cli_table_cell(t, "%s", sharc_watch_why_name(n->why));
    }
    putc('\n', c->out);
    cli_table_print(t, c->out);
    if (s->pages > NEXT_SHOWN)
        fprintf(c->out, "%s, listed by --json\n", SHARC_COUNT(s->pages - NEXT_SHOWN, "more page"));
}

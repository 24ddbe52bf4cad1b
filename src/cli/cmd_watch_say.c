/* SPDX-License-Identifier: Apache-2.0
 *
 * sharc watch: what it says while it runs, a line for each event.
 */
#include "cmd_watch.h"

#include "sharc/schedule_watch.h"

#include <inttypes.h>

static void say_json(struct cli *c, const struct sharc_watching_event *e)
{
    SHARC_AUTO(sharc_buf_done) struct sharc_buf out = SHARC_BUF_INIT(1u << 20);
    char when[SHARC_TIME_TEXT];
    struct sharc_json j;
    sharc_json_init(&j, &out, false);
    sharc_json_object(&j, NULL);
    sharc_json_str(&j, "event", sharc_watching_event_word(e->kind));
    sharc_json_str(&j, "time", sharc_time_iso(e->when, 6, when));
    if (e->site) sharc_json_str(&j, "site", e->site);
    if (e->url.n) sharc_json_span(&j, e->kind == SHARC_WATCHING_SETTING ? "setting" : "url", e->url);
    if (e->look) {
        const struct sharc_store_watch_look *l = e->look;
        sharc_json_str(&j, "shown", sharc_store_shown_word(l->shown));
        sharc_json_str(&j, "why", sharc_watch_why_name((enum sharc_watch_why)l->why));
        if (l->status) sharc_json_int(&j, "status", l->status);
        if (l->size >= 0) sharc_json_int(&j, "bytes", l->size);
        if (l->shown == SHARC_SHOWN_CHANGED) sharc_json_real(&j, "importance", l->importance);
    }
    if (e->kind == SHARC_WATCHING_JOINED) sharc_json_str(&j, "found", sharc_store_found_word(e->found));
    if (e->kind == SHARC_WATCHING_LIST) sharc_json_uint(&j, "signals", e->count);
    if (e->kind == SHARC_WATCHING_SNAPSHOT) sharc_json_uint(&j, "downloads", e->count);
    if (e->text) sharc_json_str(&j, "text", e->text);
    sharc_json_end(&j);
    fprintf(c->out, "%s\n", sharc_buf_str(&out));
    fflush(c->out);
}

static bool is_a_change(const struct sharc_watching_event *e)
{
    if (e->kind != SHARC_WATCHING_LOOK && e->kind != SHARC_WATCHING_CONTROL) return true;
    const enum sharc_store_shown s = e->look->shown;
    return s == SHARC_SHOWN_FIRST || s == SHARC_SHOWN_CHANGED || s == SHARC_SHOWN_GONE || s == SHARC_SHOWN_BACK ||
           e->kind == SHARC_WATCHING_CONTROL;
}

void watch_say_event(struct cli *c, const struct sharc_watching_event *e, bool changes_only)
{
    char when[SHARC_TIME_TEXT];
    if (changes_only && !is_a_change(e)) return;
    if (c->json) {
        say_json(c, e);
        return;
    }
    if (c->quiet) return;
    const char *word = e->look ? sharc_store_shown_word(e->look->shown) : sharc_watching_event_word(e->kind);
    fprintf(c->out, "%s  %-8s ", sharc_time_iso(e->when, 0, when), word);
    if (e->kind == SHARC_WATCHING_SNAPSHOT)
        fprintf(c->out, "%s: %s", e->site, SHARC_COUNT(e->count, "download"));
    else
        fprintf(c->out, "%.*s", SHARC_SPAN_ARG(e->url));
    if (e->kind == SHARC_WATCHING_LOOK)
        fprintf(c->out, "  (%s)", sharc_watch_why_name((enum sharc_watch_why)e->look->why));
    if (e->kind == SHARC_WATCHING_JOINED) fprintf(c->out, "  (by %s)", sharc_store_found_word(e->found));
    if (e->kind == SHARC_WATCHING_LIST) fprintf(c->out, "  (%s)", SHARC_COUNT(e->count, "signal"));
    if (e->text) fprintf(c->out, "  %s", e->text);
    putc('\n', c->out);
    fflush(c->out);
}

void watch_say_end(struct cli *c, const struct sharc_watching_counts *n, bool stopped)
{
    if (c->json) {
        SHARC_AUTO(sharc_buf_done) struct sharc_buf out = SHARC_BUF_INIT(1u << 16);
        struct sharc_json j;
        sharc_json_init(&j, &out, false);
        sharc_json_object(&j, NULL);
        sharc_json_str(&j, "event", "end");
        sharc_json_bool(&j, "stopped", stopped);
        sharc_json_uint(&j, "requests", n->requests);
        sharc_json_uint(&j, "looks", n->looks);
        sharc_json_uint(&j, "first", n->first);
        sharc_json_uint(&j, "changed", n->changed);
        sharc_json_uint(&j, "noise", n->noise);
        sharc_json_uint(&j, "gone", n->gone);
        sharc_json_uint(&j, "failed", n->failed);
        sharc_json_uint(&j, "controls", n->controls);
        sharc_json_uint(&j, "lists", n->lists);
        sharc_json_uint(&j, "joined", n->joined);
        sharc_json_uint(&j, "left", n->left);
        sharc_json_uint(&j, "snapshots", n->snapshots);
        sharc_json_end(&j);
        fprintf(c->out, "%s\n", sharc_buf_str(&out));
        return;
    }
    if (c->quiet) return;
    fprintf(c->out, "%s at pages: %" PRIu64 " first, %" PRIu64 " changed, %" PRIu64 " gone, %" PRIu64 " failed\n",
            SHARC_COUNT(n->looks, "look"), n->first, n->changed, n->gone, n->failed);
    fprintf(c->out, "%s in all", SHARC_COUNT(n->requests, "request"));
    if (n->controls) fprintf(c->out, ", %s", SHARC_COUNT(n->controls, "control download"));
    if (n->noise) fprintf(c->out, ", %s no change but noise", SHARC_COUNT(n->noise, "look was|looks were"));
    putc('\n', c->out);
}

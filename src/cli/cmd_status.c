/* SPDX-License-Identifier: Apache-2.0
 *
 * sharc status: what an archive holds, what runs on it, what is unfinished.
 */
#include "archive.h"

#include "cmd_status_watch.h"

#include "sharc/archive_status.h"
#include "sharc/base_map.h"

#include <inttypes.h>
#include <stdlib.h>

enum { SITES_SHOWN = 20, UNFINISHED_SHOWN = 10, SITE_WIDTH = 28 };

/* --- words ------------------------------------------------------------------------------ */

static const char *index_word(enum sharc_archive_index index)
{
    static const char *const words[] = {"missing", "current", "behind", "unknown"};
    return words[index];
}

/* A crawl visits first and revisits then; the catalogue knows how far it is but for the last seconds. */
static const char *phase_of(const struct sharc_archive_capture *c)
{
    if (c->controls) return "controls";
    return c->revisited ? "revisits" : c->pages ? "visits" : "beginning";
}

/* --- JSON --------------------------------------------------------------------------------- */

static void put_running(struct sharc_json *j, const struct sharc_archive_status *s)
{
    sharc_json_object(j, "running");
    sharc_json_str(j, "work", sharc_archive_work_name(s->holder.work));
    if (s->holder.pid) sharc_json_int(j, "process", s->holder.pid);
    if (s->holder.host[0]) sharc_json_str(j, "host", s->holder.host);
    sharc_json_time(j, "since", s->holder.since);
    if (s->progress.known) {
        sharc_json_object(j, "progress");
        sharc_json_time(j, "time", s->progress.when);
        sharc_json_uint(j, "discovered", s->progress.discovered);
        sharc_json_uint(j, "queued", s->progress.queued);
        sharc_json_uint(j, "downloads", s->progress.downloads);
        sharc_json_uint(j, "failed", s->progress.failed);
        sharc_json_end(j);
    }
    sharc_json_end(j);
}

static void put_capture(struct sharc_json *j, const struct sharc_archive_capture *c)
{
    sharc_json_object(j, NULL);
    sharc_json_str(j, "capture", c->key);
    sharc_json_str(j, "site", c->site);
    sharc_json_str(j, "source", c->source);
    if (c->strategy[0]) sharc_json_str(j, "strategy", c->strategy);
    if (c->purpose[0]) sharc_json_str(j, "purpose", c->purpose);
    sharc_json_str(j, "state", sharc_capture_state_text(c->state));
    sharc_json_time(j, "start", c->start);
    sharc_json_time(j, "end", c->end);
    sharc_json_time(j, "last_download", c->last);
    sharc_json_time(j, "reference_from", c->reference_from);
    sharc_json_time(j, "reference_to", c->reference_to);
    if (c->reference_from != SHARC_TIME_NONE) sharc_json_str(j, "graded_by", sharc_store_grader_word(c->grader));
    sharc_json_str(j, "weakened", c->weakened);
    sharc_json_uint(j, "pages", c->pages);
    sharc_json_uint(j, "failed", c->failed);
    sharc_json_uint(j, "revisited", c->revisited);
    sharc_json_bool(j, "running", c->running);
    if (c->running) sharc_json_str(j, "phase", phase_of(c));
    sharc_json_bool(j, "unfinished", c->unfinished);
    if (c->resume) sharc_json_str(j, "resume", c->resume);
    sharc_json_end(j);
}

static void tell_json(struct cli *c, const char *dir, const struct sharc_archive_status *s,
                      const struct sharc_watched_status *watch)
{
    SHARC_AUTO(sharc_buf_done) struct sharc_buf out = SHARC_BUF_INIT(1u << 30);
    struct sharc_json j;
    sharc_json_init(&j, &out, true);
    sharc_json_object(&j, NULL);
    sharc_json_str(&j, "archive", dir);
    if (s->catalogue) sharc_json_str(&j, "catalogue", s->catalogue);
    if (s->error.code) sharc_json_str(&j, "catalogue_error", s->error.text);
    sharc_json_uint(&j, "sites", s->sites);
    sharc_json_object(&j, "captures");
    sharc_json_uint(&j, "total", s->count);
    sharc_json_uint(&j, "running", s->running);
    sharc_json_uint(&j, "unfinished", s->unfinished);
    sharc_json_uint(&j, "complete", s->states[SHARC_CAPTURE_COMPLETE]);
    sharc_json_uint(&j, "imported", s->states[SHARC_CAPTURE_IMPORTED]);
    sharc_json_end(&j);
    sharc_json_uint(&j, "pages", s->pages);
    sharc_json_uint(&j, "failed", s->failed);
    sharc_archive_status_put_files(&j, "warcs", s);
    sharc_json_object(&j, "index");
    sharc_json_str(&j, "state", index_word(s->index));
    if (s->index == SHARC_ARCHIVE_INDEX_BEHIND) sharc_json_uint(&j, "files_behind", s->index_behind);
    sharc_json_end(&j);
    if (s->held)
        put_running(&j, s);
    else
        sharc_json_null(&j, "running");
    if (watch->any) status_put_watch(&j, watch);
    sharc_json_array(&j, "list");
    for (size_t i = 0; i < s->count; i++) put_capture(&j, &s->captures[i]);
    sharc_json_end(&j);
    sharc_json_end(&j);
    fprintf(c->out, "%s\n", sharc_buf_str(&out));
}

/* --- for people ----------------------------------------------------------------------------- */

static void line(struct cli *c, const char *label)
{
    fprintf(c->out, "%-11s", label);
}

static void tell_state(struct cli *c, uint64_t count, const char *word, const char **between)
{
    if (!count) return;
    fprintf(c->out, "%s%" PRIu64 " %s", *between, count, word);
    *between = ", ";
}

static void tell_captures(struct cli *c, const struct sharc_archive_status *s)
{
    line(c, "captures");
    fprintf(c->out, "%zu", s->count);
    const char *between = " (";
    tell_state(c, s->running, "running", &between);
    tell_state(c, s->unfinished, "unfinished", &between);
    for (int i = 0; i < SHARC_CAPTURE_STATE_COUNT; i++)
        tell_state(c, s->states[i], sharc_capture_state_text((enum sharc_capture_state)i), &between);
    fprintf(c->out, "%s of %s\n", s->count ? ")" : "", SHARC_COUNT(s->sites, "site"));
    line(c, "URLs");
    fprintf(c->out, "%" PRIu64, s->pages);
    if (s->failed) fprintf(c->out, ", %" PRIu64 " of them without an answer or with an error", s->failed);
    putc('\n', c->out);
}

static void tell_files(struct cli *c, const char *dir, const struct sharc_archive_status *s)
{
    char size[SHARC_TIME_TEXT];
    line(c, "files");
    fprintf(c->out, "%s, %s\n", SHARC_COUNT(s->files.count, "WARC file"), sharc_size_text(s->files.bytes, size));
    if (s->open.count)
        fprintf(c->out, "%-11s%" PRIu64 " more open, %s: %s\n", "", s->open.count, sharc_size_text(s->open.bytes, size),
                s->held ? "being written" : "its crawl was killed");
    if (s->elsewhere.count)
        fprintf(c->out, "%-11s%" PRIu64 " more elsewhere, %s\n", "", s->elsewhere.count,
                sharc_size_text(s->elsewhere.bytes, size));
    line(c, "index");
    switch (s->index) {
    case SHARC_ARCHIVE_INDEX_NONE: fputs("none", c->out); break;
    case SHARC_ARCHIVE_INDEX_CURRENT: fputs("up to date\n", c->out); return;
    case SHARC_ARCHIVE_INDEX_UNKNOWN: fputs("there, but which files it covers is unknown", c->out); break;
    case SHARC_ARCHIVE_INDEX_BEHIND:
        fprintf(c->out, "%s", SHARC_COUNT(s->index_behind, "file is not in it|files are not in it"));
        break;
    }
    if (s->held)
        fputs("; it is written when what runs ends\n", c->out);
    else if (!s->files.count)
        putc('\n', c->out);
    else
        fprintf(c->out, "\n%-11ssharc index -o %s/%s %s\n", "", dir, sharc_archive_part(SHARC_ARCHIVE_INDEX), dir);
}

static void tell_running(struct cli *c, const struct sharc_archive_status *s)
{
    char text[SHARC_TIME_TEXT];
    line(c, "running");
    if (!s->held) {
        fputs("nothing\n", c->out);
        return;
    }
    fprintf(c->out, "%s", sharc_archive_work_name(s->holder.work));
    if (s->holder.pid) fprintf(c->out, ", process %" PRId64, s->holder.pid);
    if (s->holder.since != SHARC_TIME_NONE) fprintf(c->out, ", since %s", sharc_time_iso(s->holder.since, 0, text));
    putc('\n', c->out);
    for (size_t i = 0; i < s->count; i++) {
        const struct sharc_archive_capture *k = &s->captures[i];
        if (!k->running) continue;
        fprintf(c->out, "%-11s%s: %s, %s", "", k->site, strcmp(k->purpose, "watch") == 0 ? "watching" : phase_of(k),
                SHARC_COUNT(k->pages, "URL"));
        if (k->revisited) fprintf(c->out, ", %" PRIu64 " revisited", k->revisited);
        putc('\n', c->out);
    }
    if (s->progress.known)
        fprintf(c->out, "%-11s%s, %" PRIu64 " queued, %" PRIu64 " failed, as of %s\n", "",
                SHARC_COUNT(s->progress.downloads, "download"), s->progress.queued, s->progress.failed,
                sharc_time_iso(s->progress.when, 0, text));
}

static void tell_unfinished(struct cli *c, const struct sharc_archive_status *s)
{
    char text[SHARC_TIME_TEXT];
    size_t told = 0;
    for (size_t i = 0; i < s->count; i++) {
        const struct sharc_archive_capture *k = &s->captures[i];
        if (!k->unfinished) continue;
        if (told++ >= UNFINISHED_SHOWN) continue;
        line(c, "unfinished");
        fprintf(c->out, "%s, begun %s, %s\n", k->key,
                k->start == SHARC_TIME_NONE ? "at an unknown time" : sharc_time_iso(k->start, 0, text),
                SHARC_COUNT(k->pages, "URL"));
        if (k->resume) fprintf(c->out, "%-11s%s\n", "", k->resume);
    }
    if (told > UNFINISHED_SHOWN)
        fprintf(c->out, "%-11s%s, listed by --json\n", "",
                SHARC_COUNT(told - UNFINISHED_SHOWN, "more is unfinished|more are unfinished"));
}

/* Bytes of a name that fit; whole characters. */
static int fit(const char *name)
{
    int n = 0, width = 0;
    for (; name[n] && width < SITE_WIDTH; width++) do
            n++;
        while ((name[n] & 0xc0) == 0x80);
    return n;
}

/* When the proved pages of a capture existed together. */
static void tell_together(struct cli *c, const struct sharc_archive_capture *k)
{
    static const char *const words[] = {[SHARC_STORE_GRADER_CRAWL] = NULL,
                                        [SHARC_STORE_GRADER_RECORDS] = "derived from imported records",
                                        [SHARC_STORE_GRADER_FILE] = "by the word of an imported file"};
    char from[SHARC_TIME_TEXT], to[SHARC_TIME_TEXT];
    if (k->reference_from == SHARC_TIME_NONE || k->reference_to == SHARC_TIME_NONE) return;
    line(c, "together");
    fprintf(c->out, "proved pages of %.*s%s\n%-11sfrom %s to %s\n", fit(k->site), k->site,
            k->site[fit(k->site)] ? "…" : "", "", sharc_time_iso(k->reference_from, 3, from),
            sharc_time_iso(k->reference_to, 3, to));
    if (words[k->grader]) fprintf(c->out, "%-11s%s\n", "", words[k->grader]);
}

static void tell_weakened(struct cli *c, const struct sharc_archive_capture *k)
{
    if (!k->weakened) return;
    line(c, "weakened");
    fprintf(c->out, "what the capture of %.*s%s proves\n%-11sby the settings %s\n", fit(k->site), k->site,
            k->site[fit(k->site)] ? "…" : "", "", CLI_SHOWN(k->weakened));
}

/* The latest capture of each site. Captures are sorted by start, so the first one seen is the latest. */
static void tell_sites(struct cli *c, const struct sharc_archive_status *s)
{
    static const char *const titles[] = {"site", "captures", "latest", "state", "URLs"};
    SHARC_AUTO(cli_table_freep) struct cli_table *t = cli_table_new(SHARC_LENGTH(titles), titles, "lrllr");
    SHARC_AUTO(sharc_intern_freep) struct sharc_intern *names = sharc_intern_new();
    SHARC_AUTO(sharc_freep) size_t *captures = SHARC_NEW_ARRAY(size_t, s->count + 1);
    SHARC_AUTO(sharc_freep) size_t *latest = SHARC_NEW_ARRAY(size_t, s->count + 1);
    char text[SHARC_TIME_TEXT];
    size_t sites = 0;
    for (size_t i = 0; i < s->count; i++) {
        bool fresh;
        uint32_t n = sharc_intern_add(names, sharc_span_of(s->captures[i].site), &fresh);
        if (fresh) latest[sites++] = i;
        captures[n]++;
    }
    for (size_t i = 0; i < sites && i < SITES_SHOWN; i++) {
        const struct sharc_archive_capture *k = &s->captures[latest[i]];
        cli_table_cell(t, "%.*s%s", fit(k->site), k->site, k->site[fit(k->site)] ? "…" : "");
        cli_table_cell(t, "%zu", captures[i]);
        cli_table_cell(t, "%s", k->start == SHARC_TIME_NONE ? "" : sharc_time_iso(k->start, 0, text));
        cli_table_cell(t, "%s",
                       k->running      ? "running"
                       : k->unfinished ? "unfinished"
                                       : sharc_capture_state_text(k->state));
        cli_table_cell(t, "%" PRIu64, k->pages);
    }
    if (!sites) return;
    for (size_t i = 0; i < sites && i < SITES_SHOWN; i++) {
        tell_together(c, &s->captures[latest[i]]);
        tell_weakened(c, &s->captures[latest[i]]);
    }
    putc('\n', c->out);
    cli_table_print(t, c->out);
    if (sites > SITES_SHOWN) fprintf(c->out, "%s, listed by --json\n", SHARC_COUNT(sites - SITES_SHOWN, "more site"));
}

static void tell_people(struct cli *c, const char *dir, const struct sharc_archive_status *s,
                        const struct sharc_watched_status *watch)
{
    line(c, "archive");
    fprintf(c->out, "%s\n", dir);
    line(c, "catalogue");
    fprintf(c->out, "%s\n", s->catalogue ? s->catalogue : s->error.code ? "cannot be read" : "none");
    if (s->catalogue) tell_captures(c, s);
    tell_files(c, dir, s);
    tell_running(c, s);
    tell_unfinished(c, s);
    tell_sites(c, s);
    if (watch->any) status_tell_watch(c, watch);
}

int cmd_status(struct cli *c, int argc, char **argv)
{
    const char *store = NULL;
    const struct cli_option options[] = {OPT_STORE(&store), OPT_END};
    if (cli_parse(c, &argc, argv, options)) return cli_stop(c);
    if (argc > 2) return cli_usage(c, "name one archive");
    const char *dir = argc == 2 ? argv[1] : ".";
    SHARC_AUTO(sharc_archive_status_done) struct sharc_archive_status s = {0};
    struct sharc_err err = SHARC_ERR_INIT;
    if (sharc_archive_status(dir, store, &s, &err) < 0) return cli_fail(c, &err);
    SHARC_AUTO(sharc_watched_status_done) struct sharc_watched_status watch = {0};
    if (s.catalogue && s.watches && status_read_watch(dir, store, &watch, &err) < 0) return cli_fail(c, &err);
    if (c->json)
        tell_json(c, dir, &s, &watch);
    else
        tell_people(c, dir, &s, &watch);
    return s.error.code ? cli_fail(c, &s.error) : EXIT_OK;
}

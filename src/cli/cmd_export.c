/* SPDX-License-Identifier: Apache-2.0
 *
 * sharc export: captures in the form that somebody else needs.
 */
#include "cmd_export.h"

#include "sharc/cdx_build.h"
#include "sharc/replay_mirror.h"
#include "sharc/wacz.h"

#include <inttypes.h>
#include <stdlib.h>

/* --- telling ------------------------------------------------------------- */

struct count {
    const char *name;  /* in JSON */
    const char *words; /* as SHARC_COUNT has them */
    uint64_t number;
};

/* start: the page to open first, or NULL. */
static void report(struct cli *c, const struct export_settings *s, const char *start, const struct count *counts,
                   size_t n)
{
    if (c->json) {
        SHARC_AUTO(sharc_buf_done) struct sharc_buf out = SHARC_BUF_INIT(64u << 10);
        struct sharc_json j;
        sharc_json_init(&j, &out, true);
        sharc_json_object(&j, NULL);
        sharc_json_str(&j, "output", s->output);
        if (start) sharc_json_str(&j, "start", start);
        for (size_t i = 0; i < n; i++) sharc_json_uint(&j, counts[i].name, counts[i].number);
        sharc_json_end(&j);
        fprintf(c->out, "%s\n", sharc_buf_str(&out));
        return;
    }
    fprintf(c->out, "%s:", s->output);
    for (size_t i = 0; i < n; i++)
        fprintf(c->out, "%s %s", i ? "," : "", SHARC_COUNT(counts[i].number, counts[i].words));
    putc('\n', c->out);
    if (start) fprintf(c->out, "open %s/%s\n", s->output, start);
}

/* --- forms --------------------------------------------------------------- */

/* Each returns 0; 1 when something damaged was left out, which was told; < 0 on failure. */

static int to_wacz(struct cli *c, const struct export_settings *s, const char *const *in, size_t count,
                   struct sharc_err *reterr)
{
    struct sharc_clock *clock = sharc_clock_real();
    struct sharc_wacz_options o = {.title = s->title,
                                   .description = s->description,
                                   .main_url = s->main_url,
                                   .now = clock->now(clock),
                                   .requires = s->requires.items,
                                   .requires_count = s->requires.count,
                                   .pages = s->pages,
                                   .lenient = s->lenient,
                                   .threads = (unsigned)s->threads,
                                   .warn = export_remark,
                                   .warn_arg = c};
    struct sharc_wacz_written w;
    int r = sharc_wacz_write(s->output, in, count, &o, &w, reterr);
    if (r < 0) return r;
    const struct count counts[] = {{"warcs", "WARC", w.warcs},
                                   {"captures", "capture", w.captures},
                                   {"pages", "page", w.pages},
                                   {"bytes", "byte", w.bytes}};
    report(c, s, NULL, counts, SHARC_LENGTH(counts));
    return 0;
}

static int to_cdxj(struct cli *c, const struct export_settings *s, const char *const *in, size_t count,
                   struct sharc_err *reterr)
{
    struct sharc_cdx_build o = {.threads = (unsigned)s->threads,
                                .lenient = s->lenient,
                                .all = s->all,
                                .fresh = true,
                                .warn = export_remark,
                                .arg = c};
    struct sharc_cdx_built b;
    int r = sharc_cdx_build(in, count, s->output, NULL, NULL, &o, &b, reterr);
    if (r < 0) return r;
    const struct count counts[] = {{"files", "file", b.files},
                                   {"lines", "line", b.lines},
                                   {"captures_left_out", "capture left out|captures left out", b.left_out}};
    report(c, s, NULL, counts, SHARC_LENGTH(counts));
    return b.damaged || b.left_out;
}

static int to_records(struct cli *c, const struct export_settings *s, const char *const *in, size_t count,
                      struct sharc_err *reterr)
{
    SHARC_AUTO(sharc_scope_freep) struct sharc_scope *scope = NULL;
    struct sharc_warc_selection sel;
    struct sharc_warc_selected done = {0};
    struct sharc_clock *clock = sharc_clock_real();
    int r = export_selection(c, s, &scope, &sel, reterr);
    if (r < 0) return r;
    struct sharc_warc_merge m = {.now = clock->now(clock), .level = (int)s->level, .operator_name = s->operator_name};
    r = s->to == TO_WARC ? sharc_warc_merge(s->output, in, count, &sel, &m, &done, reterr)
                         : export_table(c, s, in, count, &sel, &done, reterr);
    if (r < 0) return r;
    const struct count counts[] = {{"files", "file", done.files},
                                   {"records_read", "record read|records read", done.records},
                                   {"records_chosen", "record chosen|records chosen", done.chosen},
                                   {"records_left_out", "record left out|records left out", done.left_out},
                                   {"damaged_places", "damaged place", done.damaged}};
    if (strcmp(s->output, "-") != 0) report(c, s, NULL, counts, SHARC_LENGTH(counts));
    return done.damaged || done.left_out;
}

static int to_mirror(struct cli *c, const struct export_settings *s, const char *const *in, size_t count,
                     struct sharc_err *reterr)
{
    SHARC_AUTO(sharc_scope_freep) struct sharc_scope *scope = NULL;
    struct sharc_mirror_options o = {.at = s->at};
    struct sharc_mirror_made m;
    int r = export_selection(c, s, &scope, &o.selection, reterr);
    if (r == 0) r = sharc_mirror(s->output, in, count, &o, &m, reterr);
    if (r < 0) return r;
    const struct count counts[] = {{"files", "file", m.files},
                                   {"pages", "page", m.pages},
                                   {"bytes", "byte", m.bytes},
                                   {"redirects", "redirect", m.redirects},
                                   {"links_inside", "link inside|links inside", m.links_inside},
                                   {"links_outside", "link outside|links outside", m.links_outside},
                                   {"records_read", "record read|records read", m.records},
                                   {"revisits_lost", "revisit lost|revisits lost", m.lost},
                                   {"pages_unchanged", "page unchanged|pages unchanged", m.unchanged},
                                   {"damaged_places", "damaged place", m.damaged}};
    report(c, s, m.start, counts, SHARC_LENGTH(counts));
    free(m.start);
    return 0;
}

/* --- the command --------------------------------------------------------- */

static int check_usage(struct cli *c, const struct export_settings *s, int argc)
{
    bool table = s->to == TO_CSV || s->to == TO_JSON;
    if (argc < 2) return cli_usage(c, "name at least one archive file");
    if (!table && strcmp(s->output, "-") == 0) return cli_usage(c, "name what to make with --output");
    if (table && c->json && strcmp(s->output, "-") == 0)
        return cli_usage(
            c, "--json reports about an output file: name one with --output (for a table as JSON: --to json)");
    if ((s->to == TO_WACZ || s->to == TO_CDXJ) && export_selects(s))
        return cli_usage(c, "a WACZ and an index hold whole WARC files: choose records with --to warc first");
    if (s->to != TO_CDXJ && s->all)
        return cli_usage(
            c, "--all goes with --to cdxj: the index of a WACZ is for replay, where answers 304 are empty pages");
    if (s->to != TO_MIRROR && s->at != SHARC_TIME_NONE) return cli_usage(c, "--at goes with --to mirror");
    if (s->to == TO_MIRROR && s->types.count)
        return cli_usage(c, "--type: a mirror is made of responses, revisits and resources");
    return EXIT_OK;
}

static int from_catalogue(struct cli *c, struct export_settings *s, int argc)
{
    if (argc > 1) return cli_usage(c, "--table reads a catalogue: name the archive with --archive, and no files");
    if (s->to != TO_CSV && s->to != TO_JSON) return cli_usage(c, "--table needs --to csv or --to json");
    s->catalogue.output = s->output;
    s->catalogue.json = s->to == TO_JSON;
    return cli_catalogue_table(c, &s->catalogue);
}

int cmd_export(struct cli *c, int argc, char **argv)
{
    static const char *const forms[] = {"wacz", "warc", "cdxj", "csv", "json", "mirror", "history", NULL};
    SHARC_AUTO(export_settings_done)
    struct export_settings s = {.output = "-",
                                .from = SHARC_TIME_NONE,
                                .until = SHARC_TIME_NONE,
                                .at = SHARC_TIME_NONE};
    const struct cli_option options[] = {
        OPT_CHOICE('f', "to", &s.to, forms, "choose what to make (default: wacz)"),
        OPT_STRING('o', "output", &s.output, "FILE",
                   "write to this file or directory (tables: default standard output)"),
        OPT_FLAG(0, "lenient", &s.lenient, "continue past damaged records"),
        OPT_UINT_IN(1, CLI_THREADS_MOST, 't', "threads", &s.threads, "N",
                    "read N files at a time (default: one per core)"),
        OPT_FLAG(0, "all", &s.all, "include answers 304 in an index; replay tools show them as empty pages"),
        OPT_HEADING("Which records (warc, csv, json, mirror)"),
        OPT_STRINGS('i', "include", &s.include, "RULE", "export only URLs that match this scope rule (repeatable)"),
        OPT_STRINGS('x', "exclude", &s.exclude, "RULE", "leave out URLs that match this scope rule (repeatable)"),
        OPT_LIST(0, "type", &s.types, "TYPES",
                 "export only these record types: response, request, revisit, metadata, …"),
        OPT_LIST(0, "status", &s.statuses, "CODES",
                 "export only these status codes, such as 200,3xx; requests and metadata follow their response"),
        OPT_LIST(0, "mime", &s.mimes, "TYPES", "export only these media types, such as text/html,image/"),
        OPT_TIME(0, "from", &s.from, "TIME", "export only what was captured at this time or later"),
        OPT_TIME(0, "until", &s.until, "TIME", "export only what was captured at this time or earlier"),
        OPT_HEADING("Mirror"),
        OPT_TIME(0, "at", &s.at, "TIME", "take the capture of each URL closest to this time (default: the latest)"),
        OPT_HEADING("A table of an archive's catalogue (csv, json)"),
        OPT_STRING(0, "table", &s.catalogue.table, "NAME",
                   "export this table: page, link, capture, change, …; a wrong name lists all"),
        OPT_STRING('a', "archive", &s.catalogue.archive, "DIR", "use this archive (default: the current directory)"),
        OPT_STORE(&s.catalogue.store),
        OPT_STRING(0, "capture", &s.catalogue.capture, "NAME",
                   "export this capture: name, number, SITE, SITE@TIME or latest"),
        OPT_STRING(0, "against", &s.catalogue.against, "NAME", "compare with this earlier capture"),
        OPT_STRING(0, "url", &s.catalogue.url, "URL", "export the history of this URL"),
        OPT_HEADING("WARC"),
        OPT_UINT_IN(1, 12, 0, "level", &s.level, "N", "compress at level 1 to 12 (default: 6)"),
        OPT_STRING(0, "operator", &s.operator_name, "NAME", "name the operator in the warcinfo record"),
        OPT_HEADING("WACZ"),
        OPT_STRING(0, "title", &s.title, "TEXT", "give the collection this title"),
        OPT_STRING(0, "description", &s.description, "TEXT", "describe the collection, in Markdown"),
        OPT_STRING(0, "main-url", &s.main_url, "URL", "open this page first (default: the earliest one)"),
        OPT_STRING(0, "pages", &s.pages, "FILE", "use this list of pages (JSON lines) instead of looking for pages"),
        OPT_LIST(0, "requires", &s.requires, "FILES", "name other WACZ files that hold the originals of revisits"),
        OPT_END,
    };
    if (cli_parse(c, &argc, argv, options)) return cli_stop(c);
    if (s.catalogue.table) return from_catalogue(c, &s, argc);
    if (s.to == TO_HISTORY) return export_history(c, &s, argc, argv);
    int code = check_usage(c, &s, argc);
    if (code != EXIT_OK) return code;
    const char *const *in = (const char *const *)argv + 1;
    size_t count = (size_t)argc - 1;
    struct sharc_err err = SHARC_ERR_INIT;
    int r = s.to == TO_WACZ     ? to_wacz(c, &s, in, count, &err)
            : s.to == TO_CDXJ   ? to_cdxj(c, &s, in, count, &err)
            : s.to == TO_MIRROR ? to_mirror(c, &s, in, count, &err)
                                : to_records(c, &s, in, count, &err);
    return r < 0 ? cli_fail(c, &err) : r > 0 ? EXIT_FINDINGS : EXIT_OK;
}

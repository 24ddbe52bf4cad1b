/* SPDX-License-Identifier: Apache-2.0
 *
 * sharc export: captures in the form that somebody else needs.
 */
#include "cmd_export.h"

#include "sharc/archive.h"
#include "sharc/base_file.h"

#include <sys/stat.h>

static int check_signing(struct cli *c, const struct export_settings *s)
{
    bool more = s->password || s->chain || s->stamp;
    if (more && !s->sign) return cli_usage(c, "--password-file, --chain and --stamp go with --sign");
    if (s->sign && s->to != TO_WACZ) return cli_usage(c, "--sign goes with --to wacz");
    if (!s->chain != !s->stamp)
        return cli_usage(c, "--chain and --stamp go together: a WACZ is signed anonymously, or as a domain with a time "
                            "stamp");
    return EXIT_OK;
}

static int check_usage(struct cli *c, const struct export_settings *s, int argc)
{
    bool table = s->to == TO_CSV || s->to == TO_JSON;
    if (argc < 2 && !s->captures.count) return cli_usage(c, "name at least one archive file");
    if (!table && strcmp(s->output, "-") == 0) return cli_usage(c, "name what to make with --output");
    if (table && c->json && strcmp(s->output, "-") == 0)
        return cli_usage(
            c, "--json reports about an output file: name one with --output (for a table as JSON: --to json)");
    if ((s->to == TO_WACZ || s->to == TO_CDXJ) && export_selects(s))
        return cli_usage(c, "a WACZ and an index hold whole WARC files: choose records with --to warc first");
    if (s->to != TO_CDXJ && s->all)
        return cli_usage(
            c, "--all goes with --to cdxj: the index of a WACZ is for replay, which shows 304 answers as empty pages");
    if (s->to != TO_MIRROR && s->at != SHARC_TIME_NONE) return cli_usage(c, "--at goes with --to mirror");
    if (s->to == TO_MIRROR && s->types.count)
        return cli_usage(c, "--type: a mirror is made of responses, revisits and resources");
    return check_signing(c, s);
}

/* --capture is never passed over in silence. */
static int check_captures(struct cli *c, const struct export_settings *s)
{
    if (s->to != TO_WACZ && s->to != TO_WARC && s->to != TO_MIRROR)
        return cli_usage(c, "--capture goes with --to wacz, warc, mirror or history, or with --table");
    if (s->at != SHARC_TIME_NONE)
        return cli_usage(c, "--at and --capture both choose: a capture is shown as of its reference time");
    if (s->pages) return cli_usage(c, "--pages and --capture: the pages are those of the capture");
    return EXIT_OK;
}

static bool is_directory(const char *path)
{
    struct stat st;
    return stat(path, &st) == 0 && S_ISDIR(st.st_mode);
}

static int from_archive(struct cli *c, const struct export_settings *s, int argc, char **argv)
{
    const char *dir = argc > 1 ? argv[1] : s->catalogue.archive ? s->catalogue.archive : ".";
    int code = check_captures(c, s);
    if (code != EXIT_OK) return code;
    if (argc > 2 || (argc > 1 && s->catalogue.archive))
        return cli_usage(c, "--capture chooses from the catalogue of one archive: name its directory alone");
    if (!is_directory(dir) && argc > 1)
        return cli_usage(c,
                         "%s is not an archive: --capture chooses from an archive's catalogue, so name its directory",
                         dir);
    return export_captures(c, s, dir);
}

static int from_files(struct cli *c, const struct export_settings *s, int argc, char **argv)
{
    char **files = NULL;
    size_t count = 0;
    struct sharc_err err = SHARC_ERR_INIT;
    int r = sharc_archive_inputs_all((const char *const *)argv + 1, (size_t)argc - 1, &files, &count, &err);
    struct export_source from = {.files = (const char *const *)files, .count = count};
    if (r == 0) r = export_make(c, s, &from, &err);
    sharc_names_free(files, count);
    return r < 0 ? cli_fail(c, &err) : r > 0 ? EXIT_FINDINGS : EXIT_OK;
}

static int from_catalogue(struct cli *c, struct export_settings *s, int argc, char **argv)
{
    if (argc == 2 && !s->catalogue.archive && sharc_archive_is(argv[1]))
        s->catalogue.archive = argv[1];
    else if (argc > 1)
        return cli_usage(c, "--table reads a catalogue: name an archive, and no files");
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
        OPT_FLAG(0, "all", &s.all, "include 304 answers in an index; replay tools show them as empty pages"),
        OPT_HEADING("Captures of an archive (wacz, warc, mirror)"),
        OPT_STRINGS(0, "capture", &s.captures, "NAME",
                    "export this capture: name, number, SITE, SITE@TIME, TIME, latest or all (repeatable)"),
        OPT_STRING('a', "archive", &s.catalogue.archive, "DIR", "use this archive (default: the current directory)"),
        OPT_STORE(&s.catalogue.store),
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
        OPT_STRING(0, "against", &s.catalogue.against, "NAME", "compare with this earlier capture"),
        OPT_STRING(0, "url", &s.catalogue.url, "URL", "export the history of this URL"),
        OPT_HEADING("WARC"),
        OPT_UINT_IN(1, 12, 0, "level", &s.level, "N", "compress at level 1 to 12 (default: 6)"),
        OPT_STRING(0, "operator", &s.operator_name, "NAME", "name the operator in the warcinfo record"),
        OPT_HEADING("WACZ"),
        OPT_STRING(0, "title", &s.title, "TEXT", "give the collection this title"),
        OPT_STRING(0, "description", &s.description, "TEXT", "describe the collection, in Markdown"),
        OPT_STRING(0, "main-url", &s.main_url, "URL",
                   "open this page first (default: the seed; with files, the earliest page)"),
        OPT_STRING(0, "pages", &s.pages, "FILE", "use this list of pages (JSON lines) instead of looking for pages"),
        OPT_LIST(0, "requires", &s.requires, "FILES", "name other WACZ files that hold the originals of revisits"),
        OPT_HEADING("Signing a WACZ"),
        OPT_STRING(0, "sign", &s.sign, "KEY", "sign with this private key (PEM; ECDSA, best with P-384)"),
        OPT_STRING(0, "password-file", &s.password, "FILE",
                   "decrypt the key with the password on the first line of this file"),
        OPT_STRING(0, "chain", &s.chain, "FILE", "sign as the domain in these certificates of the key (PEM)"),
        OPT_STRING(0, "stamp", &s.stamp, "URL", "have the signature time-stamped by this authority (RFC 3161)"),
        OPT_END,
    };
    if (cli_parse(c, &argc, argv, options)) return cli_stop(c);
    bool one = s.catalogue.table || s.to == TO_HISTORY;
    if (one && s.captures.count > 1) return cli_usage(c, "--table and --to history take one --capture at a time");
    if (one && s.captures.count) s.catalogue.capture = s.captures.items[0];
    if (s.catalogue.table) return from_catalogue(c, &s, argc, argv);
    if (s.to == TO_HISTORY) return export_history(c, &s, argc, argv);
    int code = check_usage(c, &s, argc);
    if (code != EXIT_OK) return code;
    return s.captures.count ? from_archive(c, &s, argc, argv) : from_files(c, &s, argc, argv);
}

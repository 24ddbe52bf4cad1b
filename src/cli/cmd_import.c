/* SPDX-License-Identifier: Apache-2.0
 *
 * sharc import: archive files of any crawler into the catalogue of an archive.
 */
#include "cmd_import.h"
#include "archive.h"
#include "cli_signals.h"

#include "sharc/base_file.h"
#include "sharc/import.h"

#include <inttypes.h>
#include <stdlib.h>
#include <unistd.h>

struct watching {
    struct cli *c;
    bool lenient;
    struct sharc_progress *bar;
    uint64_t told;
};

/* Lenient: a remark, but for what is not there at all; else it is why a file is not read. */
static void remark(void *arg, const struct sharc_err *what)
{
    struct watching *w = arg;
    if (w->lenient && what->code != SHARC_ENOENT)
        cli_note(w->c, "%s", what->text);
    else
        (void)cli_fail(w->c, what);
}

static void advance(void *arg, uint64_t done, uint64_t total)
{
    struct watching *w = arg;
    struct sharc_clock *clock = sharc_clock_real();
    sharc_progress_total(w->bar, total);
    if (done > w->told) sharc_progress_add(w->bar, done - w->told, clock->now(clock));
    w->told = done > w->told ? done : w->told;
}

static void tell_json(struct cli *c, const struct sharc_import_result *r)
{
    SHARC_AUTO(sharc_buf_done) struct sharc_buf out = SHARC_BUF_INIT(1u << 30);
    char when[SHARC_TIME_TEXT];
    struct sharc_json j;
    sharc_json_init(&j, &out, true);
    sharc_json_object(&j, NULL);
    sharc_json_uint(&j, "files", r->files);
    sharc_json_uint(&j, "unchanged", r->unchanged);
    sharc_json_uint(&j, "records", r->records);
    sharc_json_uint(&j, "pages", r->pages);
    sharc_json_uint(&j, "damaged", r->damaged);
    sharc_json_uint(&j, "failed", r->failed);
    sharc_json_uint(&j, "missing", r->missing);
    sharc_json_array(&j, "captures");
    for (size_t i = 0; i < r->capture_count; i++) {
        const struct sharc_import_capture *k = &r->captures[i];
        sharc_json_object(&j, NULL);
        sharc_json_str(&j, "capture", k->key);
        sharc_json_str(&j, "site", k->site);
        sharc_json_str(&j, "start", sharc_time_iso(k->start, 6, when));
        sharc_json_str(&j, "end", sharc_time_iso(k->end, 6, when));
        sharc_json_uint(&j, "pages", k->pages);
        sharc_json_uint(&j, "links", k->links);
        sharc_json_uint(&j, "repeated", k->repeated);
        sharc_json_uint(&j, "revisits", k->revisits);
        sharc_json_uint(&j, "unresolved", k->unresolved);
        sharc_json_end(&j);
    }
    sharc_json_end(&j);
    sharc_json_end(&j);
    fprintf(c->out, "%s\n", sharc_buf_str(&out));
}

static void tell_people(struct cli *c, const struct sharc_import_result *r)
{
    static const char *const titles[] = {"capture", "start", "end", "pages", "links", "repeated", "revisits"};
    char when[SHARC_TIME_TEXT];
    if (r->capture_count) {
        SHARC_AUTO(cli_table_freep) struct cli_table *t = cli_table_new(SHARC_LENGTH(titles), titles, "lllrrrr");
        for (size_t i = 0; i < r->capture_count; i++) {
            const struct sharc_import_capture *k = &r->captures[i];
            cli_table_cell(t, "%s", k->key);
            cli_table_cell(t, "%s", sharc_time_iso(k->start, 0, when));
            cli_table_cell(t, "%s", sharc_time_iso(k->end, 0, when));
            cli_table_cell(t, "%" PRIu64, k->pages);
            cli_table_cell(t, "%" PRIu64, k->links);
            cli_table_cell(t, "%" PRIu64, k->repeated);
            if (k->unresolved)
                cli_table_cell(t, "%" PRIu64 " (%" PRIu64 " without original)", k->revisits, k->unresolved);
            else
                cli_table_cell(t, "%" PRIu64, k->revisits);
        }
        cli_table_print(t, c->out);
    }
    fprintf(c->out, "%s read, %" PRIu64 " known already; %s, %" PRIu64 " of pages",
            SHARC_COUNT(r->files - r->failed, "file"), r->unchanged, SHARC_COUNT(r->records, "record"), r->pages);
    if (r->failed) fprintf(c->out, ", %s not read to the end", SHARC_COUNT(r->failed, "file"));
    if (r->missing) fprintf(c->out, ", %s left out", SHARC_COUNT(r->missing, "input"));
    if (r->damaged) fprintf(c->out, ", %s passed over", SHARC_COUNT(r->damaged, "damaged place"));
    putc('\n', c->out);
}

/* So that nobody puts another catalogue in its place. Where no file can be made, nobody can do that either. */
static int lock_catalogue(const char *archive, int *ret, struct sharc_err *reterr)
{
    struct sharc_clock *clock = sharc_clock_real();
    int r = sharc_dir_make(archive, reterr);
    if (r == 0) r = sharc_archive_lock(archive, SHARC_ARCHIVE_IMPORT, clock->now(clock), ret, reterr);
    return r == SHARC_EACCESS ? 0 : r;
}

/* A misspelt name must not leave a new archive behind: is any of the named inputs there? */
static int check_inputs(const struct cli_import *s, int argc, char **argv, struct sharc_err *reterr)
{
    if (argc < 2 || sharc_archive_is(s->archive)) return 0;
    for (int i = 1; i < argc; i++)
        if (access(argv[i], F_OK) == 0 || strstr(argv[i], "://") || strcmp(argv[i], "-") == 0) return 0;
    return sharc_fail(reterr, SHARC_ENOENT,
                      "%s: there is no such file or directory%s; name archive files (WARC, ARC, WACZ) or directories "
                      "that hold some. No archive was made in %s",
                      argv[1], argc > 2 ? ", nor are the others there" : "", s->archive);
}

static int import(struct cli *c, const struct cli_import *s, int argc, char **argv)
{
    SHARC_AUTO(cli_inputs_done) struct cli_inputs in = {0};
    SHARC_AUTO(sharc_store_freep) struct sharc_store *store = NULL;
    SHARC_AUTO(sharc_import_result_done) struct sharc_import_result result = {0};
    struct sharc_err err = SHARC_ERR_INIT;
    SHARC_AUTO(sharc_closep) int lock = -1;
    int r = check_inputs(s, argc, argv, &err);
    if (r == 0) r = lock_catalogue(s->archive, &lock, &err);
    if (r == 0) r = sharc_archive_open(s->archive, s->store, NULL, &store, &err);
    if (r < 0) return cli_fail(c, &err);
    int brought = cli_import_inputs(c, s, argc, argv, &in);
    struct watching w = {.c = c, .lenient = s->lenient, .bar = cli_progress(c, "import", "bytes", 0)};
    struct sharc_import_options o = {.archive = s->archive,
                                     .by = (enum sharc_import_by)s->by,
                                     .site = s->site,
                                     .capture = s->capture,
                                     .gap = s->gap,
                                     .no_extract = s->no_extract,
                                     .lenient = s->lenient,
                                     .merge_case = s->merge_case,
                                     .threads = (unsigned)s->threads,
                                     .patience = s->patience,
                                     .clock = sharc_clock_real(),
                                     .stop = cli_signals_flag(),
                                     .warn = remark,
                                     .progress = advance,
                                     .arg = &w};
    r = sharc_import(store, (const char *const *)in.items, in.count, &o, &result, &err);
    sharc_progress_free(w.bar);
    bool told = result.failed || result.missing;
    if (r < 0 && !told) return cli_fail(c, &err);
    if (c->json)
        tell_json(c, &result);
    else
        tell_people(c, &result);
    if (r == 0) cli_summarise(c, store);
    if (told || brought != EXIT_OK) return told ? cli_exit_of(r) : brought;
    return result.damaged ? EXIT_FINDINGS : EXIT_OK;
}

int cmd_import(struct cli *c, int argc, char **argv)
{
    static const char *const by[] = {"domain", "host", "run", NULL};
    struct cli_import s = {.gap = SHARC_IMPORT_GAP, .patience = 5 * SHARC_MINUTE};
    const struct cli_option options[] = {
        OPT_STRING('a', "archive", &s.archive, "DIR",
                   "fill the catalogue of this archive; create it if it does not exist"),
        OPT_STORE(&s.store),
        OPT_FLAG(0, "copy", &s.copy, "copy the files into the archive's warcs/ (default: leave them where they are)"),
        OPT_FLAG(0, "move", &s.move, "move the files into the archive's warcs/"),
        OPT_FLAG(0, "lenient", &s.lenient, "continue past damaged records, and count them"),
        OPT_FLAG(0, "no-extract", &s.no_extract, "do not parse pages: no links, titles or text digests"),
        OPT_UINT_IN(1, CLI_THREADS_MOST, 't', "threads", &s.threads, "N",
                    "parse N pages at a time (default: one per core)"),
        OPT_DURATION(0, "patience", &s.patience, "TIME", "wait this long for a lost database (default: 5min)"),
        OPT_HEADING("Grouping records into captures"),
        OPT_CHOICE(0, "by", &s.by, by,
                   "treat each registered domain, each host or each run as one site (default: domain)"),
        OPT_DURATION(0, "gap", &s.gap, "TIME", "start a new capture after a pause longer than this (default: 6h)"),
        OPT_STRING(0, "capture", &s.capture, "NAME", "assign all records to one capture of this name"),
        OPT_STRING(0, "site", &s.site, "NAME", "assign all records to this site"),
        OPT_FLAG(0, "merge-case", &s.merge_case, "treat URLs that differ only in upper and lower case as one page"),
        OPT_END,
    };
    if (cli_parse(c, &argc, argv, options)) return cli_stop(c);
    if (s.copy && s.move) return cli_usage(c, "--copy or --move, not both");
    /* `sharc import my-archive` means its own files. */
    if (!s.archive && argc == 2 && sharc_archive_is(argv[1])) {
        s.archive = argv[1];
        argc = 1;
    }
    if (!s.archive && sharc_archive_is(".")) s.archive = ".";
    if (!s.archive) return cli_usage(c, "name the archive with --archive DIR; it is created if missing");
    return import(c, &s, argc, argv);
}

/* SPDX-License-Identifier: Apache-2.0
 *
 * sharc import: archive files of any crawler into the catalogue of an archive.
 */
#include "archive.h"
#include "cli_signals.h"

#include "sharc/base_file.h"
#include "sharc/import.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

struct settings {
    const char *archive, *store, *capture, *site;
    int by;
    sharc_time gap, patience;
    bool copy, move, no_extract, lenient, merge_case;
    uint64_t threads;
};

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

/* --- into warcs/ ------------------------------------------------------------ */

static int copy_bytes(const char *from, const char *to, struct sharc_err *reterr)
{
    struct sharc_filemap map;
    struct sharc_atomic_file out = {.fd = -1};
    int r = sharc_filemap_open(&map, from, reterr);
    if (r < 0) return r;
    r = sharc_atomic_open(&out, to, reterr);
    for (size_t at = 0; r == 0 && at < map.bytes.n; at += 1u << 20)
        r = sharc_atomic_write(&out, sharc_span_sub(map.bytes, at, at + (1u << 20)), reterr);
    if (r == 0) r = sharc_atomic_commit(&out, reterr);
    sharc_atomic_done(&out);
    sharc_filemap_done(&map);
    return r;
}

/* One file to ARCHIVE/warcs; *ret is its path there. A file of that name that is
 * there already is taken for the same one when it has the same size. */
static int bring(const struct settings *s, const char *from, char **ret, struct sharc_err *reterr)
{
    struct stat a, b;
    SHARC_AUTO(sharc_freep) char *dir = sharc_archive_path(s->archive, SHARC_ARCHIVE_WARCS);
    SHARC_AUTO(sharc_freep) char *to = sharc_path_join(dir, sharc_path_last(from));
    int r = sharc_dir_make(dir, reterr);
    if (r < 0) return r;
    SHARC_FAIL_IF(stat(from, &a) < 0, reterr, sharc_error_from_errno(errno), "%s: %s", from, strerror(errno));
    SHARC_FAIL_IF(S_ISDIR(a.st_mode), reterr, SHARC_EINVAL, "%s: is a directory; --copy and --move take files by name",
                  from);
    if (stat(to, &b) == 0) {
        SHARC_FAIL_IF(a.st_size != b.st_size, reterr, SHARC_EEXIST, "%s: another file of that name is there", to);
        if (s->move && (a.st_dev != b.st_dev || a.st_ino != b.st_ino)) unlink(from);
    } else if (!s->move || rename(from, to) < 0) {
        r = copy_bytes(from, to, reterr);
        if (r == 0 && s->move && unlink(from) < 0)
            r = sharc_fail(reterr, sharc_error_from_errno(errno), "%s: copied, but cannot be removed: %s", from,
                           strerror(errno));
    }
    *ret = r < 0 ? NULL : SHARC_TAKE(to);
    return r;
}

struct inputs {
    char **items;
    size_t count, room;
};

static void inputs_done(struct inputs *in)
{
    for (size_t i = 0; i < in->count; i++) free(in->items[i]);
    free(in->items);
}

static void push(struct inputs *in, char *path)
{
    SHARC_GROW(in->items, in->room, in->count + 1);
    in->items[in->count++] = path;
}

/* What is not there is the import's to complain about; what cannot be brought is told and left out. */
static int add_file(struct cli *c, const struct settings *s, const char *path, struct inputs *in)
{
    struct sharc_err err = SHARC_ERR_INIT;
    char *brought = NULL;
    bool wanted = (s->copy || s->move) && access(path, F_OK) == 0;
    if (wanted && bring(s, path, &brought, &err) < 0) return cli_fail(c, &err);
    push(in, wanted ? brought : sharc_strdup(path));
    return EXIT_OK;
}

/* Files of warcs/ can be brought one by one, and nothing else of a directory. */
static int add_part(struct cli *c, const struct settings *s, const char *archive, const char *path, struct inputs *in)
{
    struct sharc_err err = SHARC_ERR_INIT;
    char **files = NULL;
    size_t count = 0;
    if (!(s->copy || s->move) || !sharc_archive_is(archive) || !cli_is_directory(path)) return add_file(c, s, path, in);
    int code = sharc_archive_warcs(archive, /* open= */ false, &files, &count, &err) < 0 ? cli_fail(c, &err) : EXIT_OK;
    for (size_t i = 0; i < count; i++) {
        int failed = add_file(c, s, files[i], in);
        if (code == EXIT_OK) code = failed;
    }
    sharc_names_free(files, count);
    return code;
}

static int add_input(struct cli *c, const struct settings *s, const char *path, struct inputs *in)
{
    struct sharc_err err = SHARC_ERR_INIT;
    char **parts = NULL;
    size_t count = 0;
    int code = sharc_archive_inputs(path, &parts, &count, &err) < 0 ? cli_fail(c, &err) : EXIT_OK;
    for (size_t i = 0; i < count; i++) {
        int failed = add_part(c, s, path, parts[i], in);
        if (code == EXIT_OK) code = failed;
    }
    sharc_names_free(parts, count);
    return code;
}

/* The first failure is the result. */
static int find_inputs(struct cli *c, const struct settings *s, int argc, char **argv, struct inputs *in)
{
    int code = EXIT_OK;
    if (argc < 2) push(in, sharc_archive_path(s->archive, SHARC_ARCHIVE_WARCS));
    for (int i = 1; i < argc; i++) {
        int failed = add_input(c, s, argv[i], in);
        if (code == EXIT_OK) code = failed;
    }
    return code;
}

/* --- telling ------------------------------------------------------------------- */

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

/* --- the command --------------------------------------------------------------- */

/* So that nobody puts another catalogue in its place. Where no file can be made, nobody can do that either. */
static int lock_catalogue(const char *archive, int *ret, struct sharc_err *reterr)
{
    struct sharc_clock *clock = sharc_clock_real();
    int r = sharc_dir_make(archive, reterr);
    if (r == 0) r = sharc_archive_lock(archive, SHARC_ARCHIVE_IMPORT, clock->now(clock), ret, reterr);
    return r == SHARC_EACCESS ? 0 : r;
}

static int import(struct cli *c, const struct settings *s, int argc, char **argv)
{
    SHARC_AUTO(inputs_done) struct inputs in = {0};
    SHARC_AUTO(sharc_store_freep) struct sharc_store *store = NULL;
    SHARC_AUTO(sharc_import_result_done) struct sharc_import_result result = {0};
    struct sharc_err err = SHARC_ERR_INIT;
    SHARC_AUTO(sharc_closep) int lock = -1;
    int r = lock_catalogue(s->archive, &lock, &err);
    if (r == 0) r = sharc_archive_open(s->archive, s->store, NULL, &store, &err);
    if (r < 0) return cli_fail(c, &err);
    int brought = find_inputs(c, s, argc, argv, &in);
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
    if (told || brought != EXIT_OK) return told ? cli_exit_of(r) : brought;
    return result.damaged ? EXIT_FINDINGS : EXIT_OK;
}

int cmd_import(struct cli *c, int argc, char **argv)
{
    static const char *const by[] = {"domain", "host", "run", NULL};
    struct settings s = {.gap = SHARC_IMPORT_GAP, .patience = 5 * SHARC_MINUTE};
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

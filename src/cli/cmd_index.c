/* SPDX-License-Identifier: Apache-2.0
 *
 * sharc index: make indexes of archive files, and ask them.
 */
#include "cli.h"

#include "sharc/archive.h"
#include "sharc/base_file.h"
#include "sharc/cdx.h"
#include "sharc/cdx_build.h"
#include "sharc/wacz.h"

#include <inttypes.h>
#include <stdlib.h>
#include <sys/stat.h>

struct settings {
    /* making */
    const char *output, *root, *temporary;
    uint64_t threads, memory, zipnum;
    bool lenient, plain_keys, fresh, all;
    int format;
    /* asking */
    const char *lookup, *from, *to, *closest;
    bool reverse, check;
    int match;
    uint64_t limit;
    struct cli_list filters, fields;
};

static void settings_done(struct settings *s)
{
    cli_list_done(&s->filters);
    cli_list_done(&s->fields);
}

/* --- making -------------------------------------------------------------- */

struct making {
    struct cli *c;
    struct sharc_progress *bar;
    uint64_t told;
};

static void remark(void *arg, const struct sharc_err *what)
{
    cli_note(((struct making *)arg)->c, "%s", what->text);
}

static void advance(void *arg, uint64_t done, uint64_t total)
{
    struct making *m = arg;
    struct sharc_clock *clock = sharc_clock_real();
    sharc_progress_total(m->bar, total);
    sharc_progress_add(m->bar, done - m->told, clock->now(clock));
    m->told = done;
}

static int print_line(void *arg, struct sharc_span line, struct sharc_err *reterr)
{
    SHARC_FAIL_IF(fwrite(line.p, 1, line.n, arg) != line.n, reterr, SHARC_EIO, "standard output: cannot write");
    return 0;
}

static void print_summary(struct cli *c, const struct settings *s, const struct sharc_cdx_built *b)
{
    if (c->json) {
        SHARC_AUTO(sharc_buf_done) struct sharc_buf out = SHARC_BUF_INIT(4096);
        struct sharc_json j;
        sharc_json_init(&j, &out, true);
        sharc_json_object(&j, NULL);
        sharc_json_str(&j, "output", s->output);
        sharc_json_uint(&j, "files", b->files);
        sharc_json_uint(&j, "unchanged", b->unchanged);
        sharc_json_uint(&j, "records", b->records);
        sharc_json_uint(&j, "lines", b->lines);
        sharc_json_uint(&j, "damaged", b->damaged);
        sharc_json_uint(&j, "left_out", b->left_out);
        sharc_json_uint(&j, "bytes", b->bytes);
        sharc_json_end(&j);
        fprintf(c->out, "%s\n", sharc_buf_str(&out));
        return;
    }
    char size[SHARC_TIME_TEXT];
    fprintf(c->out, "%s: %s; %s indexed (%s, %s), %" PRIu64 " unchanged", s->output, SHARC_COUNT(b->lines, "line"),
            SHARC_COUNT(b->files, "file"), sharc_size_text(b->bytes, size), SHARC_COUNT(b->records, "record"),
            b->unchanged);
    if (b->left_out) fprintf(c->out, "; %s left out", SHARC_COUNT(b->left_out, "capture"));
    putc('\n', c->out);
}

/* The index of an archive that has none yet: its directory may be missing. */
static int make_place(const char *output, struct sharc_err *reterr)
{
    SHARC_AUTO(sharc_freep) char *dir = sharc_path_parent(output), *above = sharc_path_parent(dir);
    bool own = strcmp(sharc_path_last(dir), sharc_archive_part(SHARC_ARCHIVE_INDEXES)) == 0 && sharc_archive_is(above);
    return own ? sharc_archive_make(above, SHARC_ARCHIVE_INDEXES, reterr) : 0;
}

static int make(struct cli *c, const struct settings *s, int argc, char **argv)
{
    bool to_stdout = strcmp(s->output, "-") == 0;
    if (to_stdout && c->json) return cli_usage(c, "--json reports about an index file: name one with --output");
    /* Lines on standard output are the display. */
    struct making m = {.c = c, .bar = to_stdout ? NULL : cli_progress(c, "index", "bytes", 0)};
    const char *tmp = s->temporary ? s->temporary : to_stdout ? getenv("TMPDIR") : NULL;
    struct sharc_cdx_build o = {.threads = (unsigned)s->threads,
                                .memory = s->memory,
                                .temporary = tmp,
                                .root = s->root,
                                .lenient = s->lenient,
                                .plain_keys = s->plain_keys,
                                .all = s->all,
                                .fresh = s->fresh,
                                .format = (enum sharc_cdx_format)s->format,
                                .block_lines = (unsigned)s->zipnum,
                                .warn = remark,
                                .progress = to_stdout ? NULL : advance,
                                .arg = &m};
    struct sharc_cdx_built built;
    struct sharc_err err = SHARC_ERR_INIT;
    char **inputs = NULL;
    size_t count = 0;
    int r = sharc_archive_inputs_all((const char *const *)argv + 1, (size_t)argc - 1, &inputs, &count, &err);
    if (r == 0) r = make_place(s->output, &err);
    if (r == 0)
        r = sharc_cdx_build((const char *const *)inputs, count, s->output, print_line, c->out, &o, &built, &err);
    sharc_names_free(inputs, count);
    sharc_progress_free(m.bar);
    if (r < 0) return cli_fail(c, &err);
    if (!to_stdout) print_summary(c, s, &built);
    if (built.damaged)
        cli_note(c, "%s passed over", SHARC_COUNT(built.damaged, "damaged place was|damaged places were"));
    if (built.left_out) cli_note(c, "%s left out", SHARC_COUNT(built.left_out, "capture was|captures were"));
    return built.damaged || built.left_out ? EXIT_FINDINGS : EXIT_OK;
}

/* --- asking -------------------------------------------------------------- */

struct asking {
    struct cli *c;
    struct sharc_cdx_index *index;
    struct sharc_wacz **containers;
    size_t count, room;
};

static void asking_done(struct asking *a)
{
    sharc_cdx_index_free(a->index);
    for (size_t i = 0; i < a->count; i++) sharc_wacz_close(a->containers[i]);
    free(a->containers);
}

static int add_container(struct asking *a, const char *path, enum sharc_cdx_check check, struct sharc_err *reterr)
{
    struct sharc_wacz *w;
    int r = sharc_wacz_open(path, &w, reterr);
    if (r < 0) return r;
    SHARC_GROW(a->containers, a->room, a->count + 1);
    a->containers[a->count++] = w;
    return sharc_wacz_add_index(w, a->index, check, reterr);
}

static int add_index(struct asking *a, const char *path, enum sharc_cdx_check check, struct sharc_err *reterr);

/* A directory of indexes. */
static int add_directory(struct asking *a, const char *path, enum sharc_cdx_check check, struct sharc_err *reterr)
{
    char **names;
    size_t count;
    int r = sharc_dir_list(path, &names, &count, reterr);
    if (r < 0) return r;
    for (size_t i = 0; r == 0 && i < count; i++) {
        struct sharc_span name = sharc_span_of(names[i]);
        if (!sharc_span_ends(name, SHARC_SPAN(".cdxj")) && !sharc_span_ends(name, SHARC_SPAN(".cdx")) &&
            !sharc_span_ends(name, SHARC_SPAN(".idx")))
            continue;
        SHARC_AUTO(sharc_freep) char *below = sharc_path_join(path, names[i]);
        r = add_index(a, below, check, reterr);
    }
    sharc_names_free(names, count);
    return r;
}

/* Those of an archive; what they do not know yet is told, or nobody would miss it. */
static int add_archive(struct asking *a, const char *dir, enum sharc_cdx_check check, struct sharc_err *reterr)
{
    char **indexes = NULL, **inputs = NULL;
    size_t count = 0, input_count = 0;
    int r = sharc_archive_indexes(dir, &indexes, &count, reterr);
    if (r == 0 && count == 0)
        r = sharc_fail(reterr, SHARC_ENOENT, "%s: this archive has no index yet; sharc index -o %s/%s %s makes it", dir,
                       dir, sharc_archive_part(SHARC_ARCHIVE_INDEX), dir);
    for (size_t i = 0; r == 0 && i < count; i++) r = sharc_cdx_index_add(a->index, indexes[i], check, reterr);
    uint64_t behind = 0;
    SHARC_AUTO(sharc_freep) char *own = sharc_archive_path(dir, SHARC_ARCHIVE_INDEX);
    if (r == 0) r = sharc_archive_inputs(dir, &inputs, &input_count, reterr);
    if (r == 0) r = sharc_cdx_behind(own, (const char *const *)inputs, input_count, &behind, reterr);
    if (r >= 0 && behind)
        cli_note(a->c, "%s: %s in the index yet; sharc index -o %s %s brings it up to date", dir,
                 SHARC_COUNT(behind, "file is not|files are not"), own, dir);
    sharc_names_free(indexes, count);
    sharc_names_free(inputs, input_count);
    return r < 0 ? r : 0;
}

static int add_index(struct asking *a, const char *path, enum sharc_cdx_check check, struct sharc_err *reterr)
{
    struct stat st;
    if (sharc_archive_is(path)) return add_archive(a, path, check, reterr);
    if (stat(path, &st) == 0 && S_ISDIR(st.st_mode)) return add_directory(a, path, check, reterr);
    if (sharc_span_ends(sharc_span_of(path), SHARC_SPAN(".wacz"))) return add_container(a, path, check, reterr);
    return sharc_cdx_index_add(a->index, path, check, reterr);
}

/* All fields of an entry as an object, or only those asked for. */
static void print_object(struct cli *c, const struct settings *s, struct sharc_cdx_cursor *cursor, bool first)
{
    SHARC_AUTO(sharc_buf_done) struct sharc_buf out = SHARC_BUF_INIT(16u << 20);
    struct sharc_json j;
    struct sharc_span v;
    sharc_json_init(&j, &out, false);
    sharc_json_object(&j, NULL);
    for (size_t i = 0; i < s->fields.count; i++)
        if (sharc_cdx_cursor_get(cursor, sharc_span_of(s->fields.items[i]), &v))
            sharc_json_span(&j, s->fields.items[i], v);
    for (int f = 0; !s->fields.count && f < SHARC_CDX_FIELDS; f++) {
        const char *name = sharc_cdx_name((enum sharc_cdx_field)f);
        if (sharc_cdx_cursor_get(cursor, sharc_span_of(name), &v)) sharc_json_span(&j, name, v);
    }
    sharc_json_end(&j);
    fprintf(c->out, "%s%s", first ? "" : ",\n ", sharc_buf_str(&out));
}

static void print_entry(struct cli *c, const struct settings *s, struct sharc_cdx_cursor *cursor,
                        const struct sharc_cdx *e)
{
    if (!s->fields.count) {
        fprintf(c->out, "%.*s\n", SHARC_SPAN_ARG(e->line));
        return;
    }
    for (size_t i = 0; i < s->fields.count; i++) {
        struct sharc_span v = SHARC_SPAN("-");
        sharc_cdx_cursor_get(cursor, sharc_span_of(s->fields.items[i]), &v);
        fprintf(c->out, "%s%.*s", i ? " " : "", SHARC_SPAN_ARG(v));
    }
    putc('\n', c->out);
}

static int print_answers(struct cli *c, const struct settings *s, struct sharc_cdx_cursor *cursor, uint64_t *ret_count,
                         struct sharc_err *reterr)
{
    struct sharc_cdx e;
    int r;
    if (c->json) fputs("[", c->out);
    while ((r = sharc_cdx_next(cursor, &e, reterr)) > 0) {
        if (c->json)
            print_object(c, s, cursor, *ret_count == 0);
        else
            print_entry(c, s, cursor, &e);
        ++*ret_count;
    }
    if (c->json) fputs("]\n", c->out);
    return r;
}

static int ask(struct cli *c, const struct settings *s, int argc, char **argv)
{
    SHARC_AUTO(asking_done) struct asking a = {.c = c, .index = sharc_cdx_index_new()};
    SHARC_AUTO(sharc_cdx_cursor_freep) struct sharc_cdx_cursor *cursor = NULL;
    struct sharc_err err = SHARC_ERR_INIT;
    for (int i = 1; i < argc; i++)
        if (add_index(&a, argv[i], s->check ? SHARC_CDX_CHECK_ALL : SHARC_CDX_CHECK_SOME, &err) < 0)
            return cli_fail(c, &err);
    if (!s->lookup) {
        cli_note(c, "sorted");
        return EXIT_OK;
    }
    struct sharc_cdx_query q = {.url = sharc_span_of(s->lookup),
                                .match = (enum sharc_cdx_match)s->match,
                                .from = sharc_span_of(s->from),
                                .to = sharc_span_of(s->to),
                                .closest = sharc_span_of(s->closest),
                                .sort = s->closest   ? SHARC_CDX_CLOSEST
                                        : s->reverse ? SHARC_CDX_REVERSE
                                                     : SHARC_CDX_FORWARD,
                                .limit = s->limit,
                                .filters = s->filters.items,
                                .filter_count = s->filters.count};
    uint64_t count = 0;
    int r = sharc_cdx_ask(a.index, &q, &cursor, &err);
    if (r == 0) r = print_answers(c, s, cursor, &count, &err);
    if (r < 0) return cli_fail(c, &err);
    return count ? EXIT_OK : EXIT_FINDINGS;
}

int cmd_index(struct cli *c, int argc, char **argv)
{
    static const char *const formats[] = {"cdxj", "cdx9", "cdx11", NULL};
    static const char *const matches[] = {"auto", "exact", "prefix", "host", "domain", NULL};
    SHARC_AUTO(settings_done) struct settings s = {.output = "-"};
    const struct cli_option options[] = {
        OPT_STRING('o', "output", &s.output, "FILE",
                   "write to this index, or add to it if it exists (default: standard output)"),
        OPT_CHOICE('f', "format", &s.format, formats, "write lines in this format (default: cdxj)"),
        OPT_UINT_IN(1, 1e6, 'z', "zipnum", &s.zipnum, "LINES", "write a ZipNum index with this many lines per block"),
        OPT_STRING('r', "root", &s.root, "DIR", "write file names relative to this directory"),
        OPT_FLAG(0, "fresh", &s.fresh, "replace the output instead of adding to it"),
        OPT_FLAG(0, "lenient", &s.lenient, "continue past damaged records, and count them"),
        OPT_FLAG(0, "all", &s.all, "include 304 answers, which replay tools show as empty pages"),
        OPT_FLAG(0, "plain-keys", &s.plain_keys, "leave the bodies of POST requests out of the keys"),
        OPT_UINT_IN(1, CLI_THREADS_MOST, 't', "threads", &s.threads, "N",
                    "read N files at a time (default: one per core)"),
        OPT_SIZE_IN(1, 1e12, 0, "memory", &s.memory, "SIZE", "use this much memory for sorting (default: 8Mi)"),
        OPT_STRING(0, "temporary", &s.temporary, "DIR",
                   "put temporary files here when memory is not enough (default: beside the output)"),
        OPT_HEADING("Looking up captures (the arguments are indexes or archives)"),
        OPT_STRING('u', "lookup", &s.lookup, "URL",
                   "print the captures of this URL; a trailing * matches every URL with that prefix"),
        OPT_CHOICE('m', "match", &s.match, matches,
                   "choose what --lookup matches (default: auto, by the position of *)"),
        OPT_STRING(0, "from", &s.from, "TIME", "print captures made at this time or later (1 to 17 digits)"),
        OPT_STRING(0, "to", &s.to, "TIME", "print captures made at this time or earlier"),
        OPT_STRING('c', "closest", &s.closest, "TIME", "sort by distance from this time"),
        OPT_FLAG(0, "reverse", &s.reverse, "print the last capture first"),
        OPT_UINT('n', "limit", &s.limit, "N", "print at most N captures"),
        OPT_STRINGS(0, "filter", &s.filters, "EXPR",
                    "print captures that fit [!][=|~]field:value, such as =status:200 (repeatable)"),
        OPT_LIST(0, "fields", &s.fields, "NAMES", "print only these fields, separated by commas"),
        OPT_FLAG(0, "check", &s.check, "check that every line of the indexes is in order"),
        OPT_END,
    };
    if (cli_parse(c, &argc, argv, options)) return cli_stop(c);
    if (argc < 2) return cli_usage(c, "name at least one file");
    return s.lookup || s.check ? ask(c, &s, argc, argv) : make(c, &s, argc, argv);
}

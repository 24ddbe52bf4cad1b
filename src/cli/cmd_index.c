/* SPDX-License-Identifier: Apache-2.0
 *
 * sharc index: make indexes of archive files (cmd_index_ask.c asks them).
 */
#include "cmd_index.h"

#include "sharc/archive.h"
#include "sharc/base_file.h"
#include "sharc/cdx_build.h"

#include <inttypes.h>
#include <stdlib.h>

static void settings_done(struct cli_index *s)
{
    cli_list_done(&s->filters);
    cli_list_done(&s->fields);
}

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

static void print_summary(struct cli *c, const struct cli_index *s, const struct sharc_cdx_built *b)
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

static int make(struct cli *c, const struct cli_index *s, int argc, char **argv)
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

int cmd_index(struct cli *c, int argc, char **argv)
{
    static const char *const formats[] = {"cdxj", "cdx9", "cdx11", NULL};
    static const char *const matches[] = {"auto", "exact", "prefix", "host", "domain", NULL};
    SHARC_AUTO(settings_done) struct cli_index s = {.output = "-"};
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
    if ((s.lookup || s.check) && strcmp(s.output, "-") != 0)
        return cli_usage(c, "%s writes no index: leave --output out", s.lookup ? "--lookup" : "--check");
    return s.lookup || s.check ? cli_index_ask(c, &s, argc, argv) : make(c, &s, argc, argv);
}

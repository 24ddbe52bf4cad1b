/* SPDX-License-Identifier: Apache-2.0
 *
 * sharc export: captures in the form that somebody else needs.
 */
#include "cli.h"

#include "sharc/base_file.h"
#include "sharc/url_scope.h"
#include "sharc/warc_export.h"
#include "sharc/warc_wacz.h"

#include <inttypes.h>
#include <stdlib.h>

enum { TO_WACZ, TO_WARC, TO_CDXJ, TO_CSV, TO_JSON };

struct settings {
    const char *output;
    int to;
    bool lenient, check;
    struct cli_list include, exclude, types, statuses, mimes;
    sharc_time from, until;
    const char *title, *description, *main_url, *pages, *operator_name;
    struct cli_list requires;
    uint64_t threads, level;
};

static void settings_done(struct settings *s)
{
    cli_list_done(&s->include);
    cli_list_done(&s->exclude);
    cli_list_done(&s->types);
    cli_list_done(&s->statuses);
    cli_list_done(&s->mimes);
    cli_list_done(&s->requires);
}

static void remark(void *arg, const struct sharc_err *what)
{
    cli_note(arg, "%s", what->text);
}

/* --- choosing ------------------------------------------------------------ */

static int add_rules(struct sharc_scope *scope, const struct cli_list *rules, enum sharc_scope_sign sign,
                     const char *origin, struct sharc_err *reterr)
{
    for (size_t i = 0; i < rules->count; i++) {
        int r = sharc_scope_add(scope, sign, sharc_span_of(rules->items[i]), origin, reterr);
        if (r < 0) return r;
    }
    return 0;
}

/* Only excludes: all others are meant. */
static int make_scope(const struct settings *s, struct sharc_scope **ret, struct sharc_err *reterr)
{
    if (!s->include.count && !s->exclude.count) return 0;
    AUTO(sharc_scope_freep) struct sharc_scope *scope = sharc_scope_new();
    int r = s->include.count ? 0 : sharc_scope_add(scope, SHARC_INCLUDE, SPAN("all"), "default", reterr);
    if (r == 0) r = add_rules(scope, &s->include, SHARC_INCLUDE, "--include", reterr);
    if (r == 0) r = add_rules(scope, &s->exclude, SHARC_EXCLUDE, "--exclude", reterr);
    if (r < 0) return r;
    sharc_scope_seal(scope);
    *ret = TAKE(scope);
    return 0;
}

static int read_types(const struct settings *s, unsigned *ret, struct sharc_err *reterr)
{
    for (size_t i = 0; i < s->types.count; i++) {
        enum sharc_warc_type t = sharc_warc_type_of(sharc_span_of(s->types.items[i]));
        SHARC_FAIL_IF(t == SHARC_WARC_OTHER, reterr, SHARC_EINVAL, "--type: there are no \"%s\" records",
                      s->types.items[i]);
        *ret |= SHARC_WARC_BIT(t);
    }
    return 0;
}

static bool selects(const struct settings *s)
{
    return s->include.count || s->exclude.count || s->types.count || s->statuses.count || s->mimes.count ||
           s->from != SHARC_TIME_NONE || s->until != SHARC_TIME_NONE;
}

static int make_selection(struct cli *c, const struct settings *s, struct sharc_scope **scope,
                          struct sharc_warc_selection *ret, struct sharc_err *reterr)
{
    unsigned types = 0;
    int r = make_scope(s, scope, reterr);
    if (r == 0) r = read_types(s, &types, reterr);
    if (r < 0) return r;
    *ret = (struct sharc_warc_selection){.types = types,
                                         .scope = *scope,
                                         .from = s->from,
                                         .to = s->until,
                                         .statuses = s->statuses.items,
                                         .status_count = s->statuses.count,
                                         .mimes = s->mimes.items,
                                         .mime_count = s->mimes.count,
                                         .no_info = s->to != TO_WARC && selects(s) && !s->types.count,
                                         .lenient = s->lenient,
                                         .warn = remark,
                                         .warn_arg = c};
    return 0;
}

/* --- tables -------------------------------------------------------------- */

struct table {
    FILE *out;
    bool json, first;
    struct sharc_buf line;
};

static void csv_text(struct sharc_buf *b, struct sharc_span s)
{
    bool quoted = false;
    for (size_t i = 0; i < s.n; i++) quoted = quoted || (s.p[i] && strchr(",\"\r\n", s.p[i]));
    if (quoted) sharc_buf_put_char(b, '"');
    for (size_t i = 0; i < s.n; i++) {
        if (s.p[i] == '"') sharc_buf_put_char(b, '"');
        sharc_buf_put_char(b, s.p[i]);
    }
    if (quoted) sharc_buf_put_char(b, '"');
}

static void csv_row(struct sharc_buf *b, const struct sharc_warc_row *row)
{
    csv_text(b, sharc_span_of(row->file));
    sharc_buf_printf(b, ",%" PRIu64 ",%" PRIu64 ",%s,%s,", row->offset, row->length, row->type, row->date);
    csv_text(b, row->url);
    sharc_buf_put_char(b, ',');
    if (row->status) sharc_buf_printf(b, "%d", row->status);
    sharc_buf_put_char(b, ',');
    csv_text(b, row->mime);
    sharc_buf_printf(b, ",%" PRIu64 ",", row->block_size);
    csv_text(b, row->payload_digest);
    sharc_buf_put_char(b, ',');
    csv_text(b, row->ip);
    sharc_buf_put_char(b, '\n');
}

static void json_text(struct sharc_json *j, const char *name, struct sharc_span s)
{
    if (s.n)
        sharc_json_span(j, name, s);
    else
        sharc_json_null(j, name);
}

static void json_row(struct sharc_buf *b, const struct sharc_warc_row *row)
{
    struct sharc_json j;
    sharc_json_init(&j, b, false);
    sharc_json_object(&j, NULL);
    sharc_json_str(&j, "file", row->file);
    sharc_json_uint(&j, "offset", row->offset);
    sharc_json_uint(&j, "length", row->length);
    sharc_json_str(&j, "type", row->type);
    json_text(&j, "date", sharc_span_of(row->date));
    json_text(&j, "url", row->url);
    if (row->status) sharc_json_int(&j, "status", row->status);
    json_text(&j, "mime", row->mime);
    sharc_json_uint(&j, "size", row->block_size);
    json_text(&j, "digest", row->payload_digest);
    json_text(&j, "ip", row->ip);
    json_text(&j, "id", row->id);
    sharc_json_end(&j);
}

static int print_row(void *arg, struct sharc_record *rec, const char *file, struct sharc_err *reterr)
{
    struct table *t = arg;
    struct sharc_warc_row row;
    int r = sharc_warc_row(rec, file, &row, reterr);
    if (r < 0) return r;
    sharc_buf_clear(&t->line);
    if (t->json)
        json_row(&t->line, &row);
    else
        csv_row(&t->line, &row);
    if (t->json) fputs(t->first ? "[" : ",\n ", t->out);
    t->first = false;
    SHARC_FAIL_IF(fwrite(sharc_buf_str(&t->line), 1, t->line.n, t->out) != t->line.n, reterr, SHARC_EIO,
                  "the table cannot be written");
    return 0;
}

static int write_table(const struct settings *s, const char *const *in, size_t count,
                       const struct sharc_warc_selection *sel, FILE *out, struct sharc_warc_selected *done,
                       struct sharc_err *reterr)
{
    struct table t = {.out = out, .json = s->to == TO_JSON, .first = true, .line = SHARC_BUF_INIT(4u << 20)};
    if (!t.json) fputs("file,offset,length,type,date,url,status,mime,size,digest,ip\n", out);
    int r = sharc_warc_select(in, count, sel, print_row, &t, done, reterr);
    if (r == 0 && t.json) fputs(t.first ? "[]\n" : "]\n", out);
    sharc_buf_done(&t.line);
    return r;
}

static int export_table(struct cli *c, const struct settings *s, const char *const *in, size_t count,
                        const struct sharc_warc_selection *sel, struct sharc_warc_selected *done,
                        struct sharc_err *reterr)
{
    if (strcmp(s->output, "-") == 0) return write_table(s, in, count, sel, c->out, done, reterr);
    FILE *f = fopen(s->output, "wx");
    SHARC_FAIL_IF(!f, reterr, SHARC_EIO, "%s: cannot be created, or is already there", s->output);
    int r = write_table(s, in, count, sel, f, done, reterr);
    bool bad = ferror(f);
    bad = fclose(f) != 0 || bad;
    SHARC_FAIL_IF(r == 0 && bad, reterr, SHARC_EIO, "%s: cannot be written", s->output);
    return r;
}

/* --- all ----------------------------------------------------------------- */

static void report(struct cli *c, const struct settings *s, const char *const *names, const uint64_t *numbers)
{
    if (c->json) {
        AUTO(sharc_buf_done) struct sharc_buf out = SHARC_BUF_INIT(4096);
        struct sharc_json j;
        sharc_json_init(&j, &out, true);
        sharc_json_object(&j, NULL);
        sharc_json_str(&j, "output", s->output);
        for (size_t i = 0; names[i]; i++) sharc_json_uint(&j, names[i], numbers[i]);
        sharc_json_end(&j);
        fprintf(c->out, "%s\n", sharc_buf_str(&out));
        return;
    }
    fprintf(c->out, "%s:", s->output);
    for (size_t i = 0; names[i]; i++) {
        fprintf(c->out, "%s %" PRIu64 " ", i ? "," : "", numbers[i]);
        for (const char *p = names[i]; *p; p++) putc(*p == '_' ? ' ' : *p, c->out);
    }
    putc('\n', c->out);
}

static int to_wacz(struct cli *c, const struct settings *s, const char *const *in, size_t count,
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
                                   .warn = remark,
                                   .warn_arg = c};
    struct sharc_wacz_written w;
    int r = sharc_wacz_write(s->output, in, count, &o, &w, reterr);
    if (r < 0) return r;
    report(c, s, (const char *const[]){"warcs", "captures", "pages", "bytes", NULL},
           (const uint64_t[]){w.warcs, w.captures, w.pages, w.bytes});
    return 0;
}

static int to_cdxj(struct cli *c, const struct settings *s, const char *const *in, size_t count,
                   struct sharc_err *reterr)
{
    struct sharc_cdx_build o = {
        .threads = (unsigned)s->threads, .lenient = s->lenient, .fresh = true, .warn = remark, .arg = c};
    struct sharc_cdx_built b;
    int r = sharc_cdx_build(in, count, s->output, NULL, NULL, &o, &b, reterr);
    if (r < 0) return r;
    report(c, s, (const char *const[]){"files", "lines", NULL}, (const uint64_t[]){b.files, b.lines});
    return 0;
}

static int to_records(struct cli *c, const struct settings *s, const char *const *in, size_t count,
                      struct sharc_err *reterr)
{
    AUTO(sharc_scope_freep) struct sharc_scope *scope = NULL;
    struct sharc_warc_selection sel;
    struct sharc_warc_selected done = {0};
    struct sharc_clock *clock = sharc_clock_real();
    int r = make_selection(c, s, &scope, &sel, reterr);
    if (r < 0) return r;
    struct sharc_warc_merge m = {.now = clock->now(clock), .level = (int)s->level, .operator_name = s->operator_name};
    r = s->to == TO_WARC ? sharc_warc_merge(s->output, in, count, &sel, &m, &done, reterr)
                         : export_table(c, s, in, count, &sel, &done, reterr);
    if (r < 0) return r;
    if (strcmp(s->output, "-") != 0)
        report(c, s, (const char *const[]){"files", "records_read", "records_chosen", "damaged_places", NULL},
               (const uint64_t[]){done.files, done.records, done.chosen, done.damaged});
    return 0;
}

/* --- checking ------------------------------------------------------------ */

struct findings {
    struct cli *c;
    struct sharc_json *json; /* NULL: for people */
    const char *path;
};

static void print_finding(void *arg, bool problem, const char *where, const char *what)
{
    const struct findings *f = arg;
    if (!f->json) {
        fprintf(f->c->out, "%s: %s: %s%s\n", f->path, where, problem ? "" : "(remark) ", what);
        return;
    }
    sharc_json_object(f->json, NULL);
    sharc_json_bool(f->json, "problem", problem);
    sharc_json_str(f->json, "where", where);
    sharc_json_str(f->json, "what", what);
    sharc_json_end(f->json);
}

static int check_one(struct findings *f, const char *path, struct sharc_wacz_report *ret, struct sharc_err *reterr)
{
    f->path = path;
    if (f->json) {
        sharc_json_object(f->json, NULL);
        sharc_json_str(f->json, "file", path);
        sharc_json_array(f->json, "findings");
    }
    int r = sharc_wacz_check(path, print_finding, f, ret, reterr);
    if (r < 0) return r;
    if (f->json) {
        sharc_json_end(f->json);
        sharc_json_uint(f->json, "problems", ret->problems);
        sharc_json_uint(f->json, "remarks", ret->remarks);
        sharc_json_uint(f->json, "warcs", ret->warcs);
        sharc_json_uint(f->json, "captures", ret->captures);
        sharc_json_uint(f->json, "pages", ret->pages);
        sharc_json_end(f->json);
    } else {
        fprintf(f->c->out,
                "%s: %" PRIu64 " problems, %" PRIu64 " remarks; %" PRIu64 " WARCs, %" PRIu64 " captures, %" PRIu64
                " pages\n",
                path, ret->problems, ret->remarks, ret->warcs, ret->captures, ret->pages);
    }
    return 0;
}

static int check_containers(struct cli *c, int argc, char **argv)
{
    AUTO(sharc_buf_done) struct sharc_buf out = SHARC_BUF_INIT(64u << 20);
    struct sharc_json j;
    sharc_json_init(&j, &out, true);
    sharc_json_array(&j, NULL);
    struct findings f = {.c = c, .json = c->json ? &j : NULL};
    uint64_t problems = 0;
    for (int i = 1; i < argc; i++) {
        struct sharc_wacz_report report;
        struct sharc_err err = SHARC_ERR_INIT;
        if (check_one(&f, argv[i], &report, &err) < 0) return cli_fail(c, &err);
        problems += report.problems;
    }
    sharc_json_end(&j);
    if (c->json) fprintf(c->out, "%s\n", sharc_buf_str(&out));
    return problems ? EXIT_FINDINGS : EXIT_OK;
}

/* --- the command --------------------------------------------------------- */

static int check_usage(struct cli *c, const struct settings *s, int argc)
{
    bool table = s->to == TO_CSV || s->to == TO_JSON;
    if (argc < 2) return cli_usage(c, "name at least one archive file");
    if (!table && strcmp(s->output, "-") == 0) return cli_usage(c, "name the file to make with --output");
    if (table && c->json && strcmp(s->output, "-") == 0)
        return cli_usage(
            c, "--json reports about an output file: name one with --output (for a table as JSON: --to json)");
    if ((s->to == TO_WACZ || s->to == TO_CDXJ) && selects(s))
        return cli_usage(c, "a WACZ and an index hold whole WARC files: choose records with --to warc first");
    return EXIT_OK;
}

int cmd_export(struct cli *c, int argc, char **argv)
{
    static const char *const forms[] = {"wacz", "warc", "cdxj", "csv", "json", NULL};
    AUTO(settings_done) struct settings s = {.output = "-", .from = SHARC_TIME_NONE, .until = SHARC_TIME_NONE};
    const struct cli_option options[] = {
        OPT_CHOICE('f', "to", &s.to, forms, "what to make (default: wacz)"),
        OPT_STRING('o', "output", &s.output, "FILE", "the file to make; tables may go to standard output"),
        OPT_FLAG(0, "check", &s.check, "make nothing: hold the WACZ files named against the standard"),
        OPT_FLAG(0, "lenient", &s.lenient, "go on behind damaged records"),
        OPT_UINT('t', "threads", &s.threads, "N", "files read at a time (default: one per core)"),
        OPT_HEADING("Which records (warc, csv, json)"),
        OPT_STRINGS('i', "include", &s.include, "RULE", "only URLs that this scope rule takes in (repeatable)"),
        OPT_STRINGS('x', "exclude", &s.exclude, "RULE", "no URLs that this scope rule matches (repeatable)"),
        OPT_LIST(0, "type", &s.types, "TYPES", "response, request, revisit, metadata, resource, warcinfo, …"),
        OPT_LIST(0, "status", &s.statuses, "CODES", "200, 3xx, …; requests and metadata go with their response"),
        OPT_LIST(0, "mime", &s.mimes, "TYPES", "text/html, image/, …; as for --status"),
        OPT_TIME(0, "from", &s.from, "TIME", "captured at this time or later"),
        OPT_TIME(0, "until", &s.until, "TIME", "captured at this time or earlier"),
        OPT_HEADING("WARC"),
        OPT_UINT(0, "level", &s.level, "N", "of compression, 1 to 12 (default: 6)"),
        OPT_STRING(0, "operator", &s.operator_name, "NAME", "who makes the file, for its warcinfo record"),
        OPT_HEADING("WACZ"),
        OPT_STRING(0, "title", &s.title, "TEXT", "of the collection"),
        OPT_STRING(0, "description", &s.description, "TEXT", "of the collection, in Markdown"),
        OPT_STRING(0, "main-url", &s.main_url, "URL", "the page to open first (default: the earliest one)"),
        OPT_STRING(0, "pages", &s.pages, "FILE", "take this list of pages (JSON lines) instead of looking for pages"),
        OPT_LIST(0, "requires", &s.requires, "FILES", "other WACZ files that hold the originals of revisits"),
        OPT_END,
    };
    if (cli_parse(c, &argc, argv, options)) return cli_stop(c);
    if (s.check && argc > 1) return check_containers(c, argc, argv);
    int code = check_usage(c, &s, argc);
    if (code != EXIT_OK) return code;
    const char *const *in = (const char *const *)argv + 1;
    size_t count = (size_t)argc - 1;
    struct sharc_err err = SHARC_ERR_INIT;
    int r = s.to == TO_WACZ   ? to_wacz(c, &s, in, count, &err)
            : s.to == TO_CDXJ ? to_cdxj(c, &s, in, count, &err)
                              : to_records(c, &s, in, count, &err);
    return r < 0 ? cli_fail(c, &err) : EXIT_OK;
}

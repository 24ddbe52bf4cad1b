/* SPDX-License-Identifier: Apache-2.0
 *
 * sharc verify: checks files side by side, then tells what was found in the
 * order of the command line.
 */
#include "cli.h"

#include "sharc/base_pool.h"
#include "sharc/warc_verify.h"

#include <stdlib.h>

struct settings {
    bool no_digests, habits, repair;
    const char *output;
    uint64_t threads;
};

struct file {
    const char *path;
    struct sharc_warc_verified found;
    struct sharc_err err;
    int result;
    bool repaired;
    char *copy; /* name of the corrected copy */
    struct sharc_warc_repaired repair;
};

struct work {
    const struct settings *s;
    struct file *files;
    size_t count;
};

/* Read as a WARC, a container would look like a damaged one. */
static bool is_zip(const char *path)
{
    char magic[4] = "";
    FILE *f = strcmp(path, "-") == 0 ? NULL : fopen(path, "rb");
    if (!f) return false;
    bool zip = fread(magic, 1, sizeof magic, f) == sizeof magic && memcmp(magic, "PK\3\4", sizeof magic) == 0;
    fclose(f);
    return zip;
}

static int verify_one(size_t i, unsigned thread, void *arg)
{
    (void)thread;
    struct work *w = arg;
    if (is_zip(w->files[i].path)) {
        w->files[i].result = sharc_fail(&w->files[i].err, SHARC_EUNSUPPORTED,
                                        "%s: is a ZIP container; a WACZ is checked by sharc export --check %s",
                                        w->files[i].path, w->files[i].path);
        return 0;
    }
    struct sharc_warc_verify_options o = {.no_digests = w->s->no_digests};
    w->files[i].result = sharc_warc_verify(w->files[i].path, &o, &w->files[i].found, &w->files[i].err);
    return 0;
}

/* --- repair -------------------------------------------------------------- */

/* "dir/x.warc" and "dir/x.warc.gz" become "dir/x.repaired.warc.gz". */
static char *copy_name(const char *path)
{
    static const char *const suffixes[] = {".warc.gz", ".warc.zst", ".warc", ".arc.gz", ".arc"};
    struct sharc_span s = sharc_span_of(path);
    for (size_t i = 0; i < SHARC_LENGTH(suffixes); i++) {
        struct sharc_span suffix = sharc_span_of(suffixes[i]);
        if (!sharc_span_ends(s, suffix)) continue;
        const char *kind = suffixes[i][1] == 'a' ? "arc" : "warc";
        return sharc_asprintf("%.*s.repaired.%s.gz", (int)(s.n - suffix.n), path, kind);
    }
    return sharc_asprintf("%s.repaired.warc.gz", path);
}

static void repair_files(struct work *w)
{
    for (size_t i = 0; i < w->count; i++) {
        struct file *f = &w->files[i];
        if (f->result < 0 || f->found.findings == 0) continue;
        f->copy = w->s->output ? sharc_strdup(w->s->output) : copy_name(f->path);
        f->result = sharc_warc_repair(f->path, f->copy, &f->repair, &f->err);
        f->repaired = f->result == 0;
    }
}

/* --- telling ------------------------------------------------------------- */

static void put_counts(struct sharc_json *j, const struct sharc_warc_counts *c)
{
    sharc_json_uint(j, "records", c->records);
    sharc_json_uint(j, "bytes", c->bytes);
    sharc_json_object(j, "types");
    for (int t = 0; t < SHARC_WARC_TYPES; t++)
        if (c->types[t]) sharc_json_uint(j, sharc_warc_type_name((enum sharc_warc_type)t), c->types[t]);
    sharc_json_end(j);
    sharc_json_uint(j, "blocks_right", c->blocks_right);
    sharc_json_uint(j, "blocks_wrong", c->blocks_wrong);
    sharc_json_uint(j, "payloads_right", c->payloads_right);
    sharc_json_uint(j, "payloads_wrong", c->payloads_wrong);
    sharc_json_uint(j, "payloads_framed", c->payloads_framed);
    sharc_json_uint(j, "digests_unknown", c->digests_unknown);
    sharc_json_uint(j, "undigested", c->undigested);
    sharc_json_uint(j, "revisits", c->revisits);
    sharc_json_uint(j, "revisits_found", c->revisits_found);
    sharc_json_uint(j, "damaged", c->damaged);
    sharc_json_uint(j, "habits", c->habits);
}

static void put_file(struct sharc_json *j, const struct file *f, bool habits)
{
    static const char *const packings[] = {"plain", "gzip", "zstd"};
    sharc_json_object(j, NULL);
    sharc_json_str(j, "file", f->path);
    if (f->result < 0) sharc_json_str(j, "error", f->err.text);
    sharc_json_str(j, "packing", packings[f->found.packing]);
    put_counts(j, &f->found.counts);
    sharc_json_uint(j, "findings", f->found.findings);
    sharc_json_array(j, "list");
    for (const struct sharc_finding *x = f->found.first; x; x = x->next) {
        if (x->kind == SHARC_FINDING_HABIT && !habits) continue;
        sharc_json_object(j, NULL);
        sharc_json_str(j, "kind", sharc_finding_name(x->kind));
        sharc_json_uint(j, "offset", x->offset);
        sharc_json_str(j, "text", x->text);
        sharc_json_end(j);
    }
    sharc_json_end(j);
    if (f->repaired) {
        sharc_json_object(j, "repaired");
        sharc_json_str(j, "file", f->copy);
        sharc_json_uint(j, "records", f->repair.records);
        sharc_json_uint(j, "corrected", f->repair.corrected);
        sharc_json_uint(j, "left_out", f->repair.left_out);
        sharc_json_end(j);
    }
    sharc_json_end(j);
}

static int tell_json(struct cli *c, const struct work *w, uint64_t findings)
{
    AUTO(sharc_buf_done) struct sharc_buf out = SHARC_BUF_INIT(1u << 30);
    struct sharc_json j;
    sharc_json_init(&j, &out, true);
    sharc_json_object(&j, NULL);
    sharc_json_array(&j, "files");
    for (size_t i = 0; i < w->count; i++) put_file(&j, &w->files[i], w->s->habits);
    sharc_json_end(&j);
    sharc_json_uint(&j, "findings", findings);
    sharc_json_end(&j);
    fprintf(c->out, "%s\n", sharc_buf_str(&out));
    return 0;
}

/* "12" or "11 of 12". */
static void cell_of(struct cli_table *t, uint64_t right, uint64_t all)
{
    if (right == all)
        cli_table_cell(t, "%llu", (unsigned long long)all);
    else
        cli_table_cell(t, "%llu of %llu", (unsigned long long)right, (unsigned long long)all);
}

static void tell_findings(struct cli *c, const struct file *f, bool habits)
{
    uint64_t told = 0;
    for (const struct sharc_finding *x = f->found.first; x; x = x->next) {
        bool habit = x->kind == SHARC_FINDING_HABIT;
        if (habit && !habits) continue;
        fprintf(c->out, "%s: offset %llu: %s: %s\n", f->path, (unsigned long long)x->offset,
                sharc_finding_name(x->kind), x->text);
        told += !habit;
    }
    if (told < f->found.findings)
        fprintf(c->out, "%s: %llu further findings\n", f->path, (unsigned long long)(f->found.findings - told));
}

static void tell_people(struct cli *c, const struct work *w)
{
    static const char *const titles[] = {"file", "records", "blocks", "payloads", "revisits", "findings"};
    AUTO(cli_table_freep) struct cli_table *t = cli_table_new(SHARC_LENGTH(titles), titles, "lrrrrr");
    size_t rows = 0;
    for (size_t i = 0; i < w->count; i++) {
        const struct file *f = &w->files[i];
        const struct sharc_warc_counts *k = &f->found.counts;
        if (f->result < 0 && k->records == 0) continue; /* could not be read: told already */
        tell_findings(c, f, w->s->habits);
        rows++;
        cli_table_cell(t, "%s", f->path);
        cli_table_cell(t, "%llu", (unsigned long long)k->records);
        cell_of(t, k->blocks_right, k->blocks_right + k->blocks_wrong);
        cell_of(t, k->payloads_right, k->payloads_right + k->payloads_wrong);
        cell_of(t, k->revisits_found, k->revisits);
        cli_table_cell(t, "%llu", (unsigned long long)f->found.findings);
    }
    if (rows > 0) cli_table_print(t, c->out);
    for (size_t i = 0; i < w->count; i++) {
        const struct file *f = &w->files[i];
        if (f->repaired)
            fprintf(c->out, "%s: %llu records, %llu with a corrected length; %llu left out\n", f->copy,
                    (unsigned long long)f->repair.records, (unsigned long long)f->repair.corrected,
                    (unsigned long long)f->repair.left_out);
    }
}

/* --- the command --------------------------------------------------------- */

static int verify_files(struct cli *c, struct work *w)
{
    uint64_t findings = 0;
    int code = EXIT_OK;
    struct sharc_warc_verified **all = SHARC_NEW_ARRAY(struct sharc_warc_verified *, w->count);
    AUTO(sharc_pool_freep) struct sharc_pool *pool = sharc_pool_new((unsigned)w->s->threads);
    sharc_pool_each(pool, w->count, verify_one, w);
    /* Originals may be in any of the files, so they are looked up together. */
    for (size_t i = 0; i < w->count; i++) all[i] = &w->files[i].found;
    sharc_warc_verify_revisits(all, w->count);
    free(all);
    if (w->s->repair) repair_files(w);
    for (size_t i = 0; i < w->count; i++) {
        findings += w->files[i].found.findings;
        if (w->files[i].result < 0) code = cli_fail(c, &w->files[i].err);
    }
    if (c->json)
        tell_json(c, w, findings);
    else
        tell_people(c, w);
    if (code == EXIT_OK && findings > 0) code = EXIT_FINDINGS;
    return code;
}

int cmd_verify(struct cli *c, int argc, char **argv)
{
    struct settings s = {0};
    const struct cli_option options[] = {
        OPT_FLAG(0, "no-digests", &s.no_digests, "check structure and rules only"),
        OPT_FLAG(0, "habits", &s.habits, "also list oddities of known writers that do no harm"),
        OPT_FLAG(0, "repair", &s.repair, "write a corrected copy of every file with findings"),
        OPT_STRING('o', "output", &s.output, "FILE", "name of the corrected copy, for one file"),
        OPT_UINT(0, "threads", &s.threads, "N", "check so many files at a time (default: one per core)"),
        OPT_END,
    };
    if (cli_parse(c, &argc, argv, options)) return cli_stop(c);
    if (argc < 2) return cli_usage(c, "needs at least one archive file");
    if (s.threads > 1024) return cli_usage(c, "--threads: at most 1024");
    if (s.output && (!s.repair || argc != 2)) return cli_usage(c, "--output goes with --repair and one file");
    struct work w = {.s = &s, .count = (size_t)argc - 1};
    w.files = SHARC_NEW_ARRAY(struct file, w.count);
    for (size_t i = 0; i < w.count; i++) w.files[i].path = argv[i + 1];
    int code = verify_files(c, &w);
    for (size_t i = 0; i < w.count; i++) {
        sharc_warc_verified_done(&w.files[i].found);
        free(w.files[i].copy);
    }
    free(w.files);
    return code;
}

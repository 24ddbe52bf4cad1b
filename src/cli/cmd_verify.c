/* SPDX-License-Identifier: Apache-2.0
 *
 * sharc verify: checks files side by side, then tells what was found in the
 * order of the command line.
 */
#include "cmd_verify.h"
#include "cmd_verify_archive.h"
#include "cmd_verify_certificate.h"

#include "sharc/base_file.h"

#include <inttypes.h>
#include <stdlib.h>

static void settings_done(struct verify_settings *s)
{
    cli_list_done(&s->indexes);
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

/* A missing index line is no fault of the archive. */
static bool needs_repair(const struct sharc_audit_file *f)
{
    if (f->result < 0 || f->kind != SHARC_AUDIT_ARCHIVE || f->inside) return false;
    for (const struct sharc_finding *x = f->verified.found.first; x; x = x->next)
        if (sharc_finding_counts(x->kind) && x->kind != SHARC_FINDING_INDEX) return true;
    return false;
}

static void note_left_out(void *arg, const struct sharc_err *what)
{
    sharc_findings_add(arg, &(struct sharc_finding){.kind = SHARC_FINDING_DAMAGE,
                                                    .offset = what->offset,
                                                    .text = what->text});
}

static void repair_files(struct verify_work *w)
{
    for (size_t i = 0; i < w->audit.count; i++) {
        struct sharc_audit_file *f = &w->audit.files[i];
        struct verify_copy *copy = &w->copies[i];
        if (!needs_repair(f)) continue;
        copy->path = w->s->output ? sharc_strdup(w->s->output) : copy_name(f->path);
        struct sharc_warc_repair_options o = {.keep_doubtful = w->s->keep_doubtful,
                                              .left_out = note_left_out,
                                              .arg = &copy->left};
        f->result = sharc_warc_repair(f->path, copy->path, &o, &copy->repair, &f->err);
        copy->made = f->result == 0;
    }
}

enum { MOST_PEM = 1 << 20 };

/* --- the command --------------------------------------------------------- */

static int verify_files(struct cli *c, struct verify_work *w, const char *const *paths, size_t count)
{
    const char *temporary = getenv("TMPDIR");
    struct sharc_audit_options o = {.no_digests = w->s->no_digests,
                                    .threads = (unsigned)w->s->threads,
                                    .indexes = w->s->indexes.items,
                                    .index_count = w->s->indexes.count,
                                    .temporary = temporary && *temporary ? temporary : "/tmp"};
    SHARC_AUTO(sharc_buf_done)
    struct sharc_buf key = SHARC_BUF_INIT(MOST_PEM), trusted = SHARC_BUF_INIT(MOST_PEM);
    struct sharc_err err = SHARC_ERR_INIT;
    int code = EXIT_OK, r = 0;
    if (w->s->key) r = sharc_file_read(w->s->key, &key, &err);
    if (r == 0 && w->s->trusted) r = sharc_file_read(w->s->trusted, &trusted, &err);
    if (r < 0) return cli_fail(c, &err);
    o.trust = (struct sharc_wacz_trust){.key = sharc_buf_span(&key), .trusted = sharc_buf_span(&trusted)};
    sharc_audit(paths, count, &o, &w->audit);
    w->copies = SHARC_NEW_ARRAY(struct verify_copy, w->audit.count);
    for (size_t i = 0; i < w->audit.count; i++) sharc_findings_init(&w->copies[i].left);
    if (w->s->repair) repair_files(w);
    for (size_t i = 0; i < w->audit.count; i++)
        if (w->audit.files[i].result < 0) code = cli_fail(c, &w->audit.files[i].err);
    if (c->json)
        verify_tell_json(c, w);
    else
        verify_tell_people(c, w);
    return code == EXIT_OK && w->audit.findings > 0 ? EXIT_FINDINGS : code;
}

static int verify_certificate(struct cli *c, const struct verify_settings *s, int argc, char **argv)
{
    struct sharc_err err = SHARC_ERR_INIT;
    struct cli_certificate o = {.file = s->certificate, .key = s->key, .trusted = s->trusted, .threads = s->threads};
    char **inputs = NULL;
    size_t count = 0;
    if (argc > 1 &&
        sharc_archive_inputs_all((const char *const *)argv + 1, (size_t)argc - 1, &inputs, &count, &err) < 0)
        return cli_fail(c, &err);
    int code = cli_verify_certificate(c, &o, (const char *const *)inputs, count);
    sharc_names_free(inputs, count);
    return code;
}

int cmd_verify(struct cli *c, int argc, char **argv)
{
    SHARC_AUTO(settings_done) struct verify_settings s = {0};
    const struct cli_option options[] = {
        OPT_STRINGS('i', "index", &s.indexes, "FILE", "check this CDXJ or CDX index against the files (repeatable)"),
        OPT_FLAG(0, "no-digests", &s.no_digests, "check structure and rules only, not digests"),
        OPT_FLAG(0, "habits", &s.habits, "also list harmless deviations of other tools, and remarks"),
        OPT_FLAG(0, "repair", &s.repair, "write a corrected copy of every file with findings"),
        OPT_FLAG(0, "keep-doubtful", &s.keep_doubtful,
                 "in the copy, keep records with a wrong digest or checksum, marked"),
        OPT_STRING('o', "output", &s.output, "FILE", "name the corrected copy, when one file is checked"),
        OPT_UINT_IN(1, CLI_THREADS_MOST, 't', "threads", &s.threads, "N",
                    "check N files at a time (default: one per core)"),
        OPT_HEADING("Checking signatures"),
        OPT_STRING(0, "key", &s.key, "FILE", "require a signature by this public key or certificate (PEM)"),
        OPT_STRING(0, "trusted", &s.trusted, "FILE",
                   "require a certificate chain to one of the authorities in this file (PEM)"),
        OPT_HEADING("Checking an archive's catalogue"),
        OPT_FLAG(0, "rebuild", &s.rebuild, "rebuild the catalogue from the files, then check it"),
        OPT_FLAG(0, "lenient", &s.lenient, "when rebuilding, continue past damaged records"),
        OPT_STORE(&s.store),
        OPT_HEADING("Checking a certificate"),
        OPT_STRING(0, "certificate", &s.certificate, "FILE",
                   "check this certificate against the archive files (default: those beside it)"),
        OPT_END,
    };
    if (cli_parse(c, &argc, argv, options)) return cli_stop(c);
    if (s.certificate) return verify_certificate(c, &s, argc, argv);
    if (argc < 2) return cli_usage(c, "needs at least one archive file");
    bool archive = argc == 2 && (sharc_archive_is(argv[1]) || ((s.store || s.rebuild) && cli_is_directory(argv[1])));
    /* What it would pass over without a word. */
    const char *aside = s.repair          ? "--repair"
                        : s.keep_doubtful ? "--keep-doubtful"
                        : s.output        ? "--output"
                        : s.indexes.count ? "--index"
                                          : NULL;
    if (archive && aside)
        return cli_usage(c, "%s goes with archive files, and %s is an archive: name %s/%s/*", aside, argv[1], argv[1],
                         sharc_archive_part(SHARC_ARCHIVE_WARCS));
    if (archive) return cli_verify_archive(c, argv[1], s.store, s.rebuild, s.lenient);
    if (s.rebuild || s.store) return cli_usage(c, "--rebuild and --store go with one archive, a directory");
    if (s.keep_doubtful && !s.repair) return cli_usage(c, "--keep-doubtful goes with --repair");
    if (s.output && (!s.repair || argc != 2 || cli_is_directory(argv[1])))
        return cli_usage(c, "--output goes with --repair and one file");
    struct verify_work w = {.s = &s};
    struct sharc_err err = SHARC_ERR_INIT;
    char **inputs = NULL;
    size_t count = 0;
    if (sharc_archive_inputs_all((const char *const *)argv + 1, (size_t)argc - 1, &inputs, &count, &err) < 0)
        return cli_fail(c, &err);
    int code = verify_files(c, &w, (const char *const *)inputs, count);
    sharc_names_free(inputs, count);
    for (size_t i = 0; i < w.audit.count; i++) {
        free(w.copies[i].path);
        sharc_findings_done(&w.copies[i].left);
    }
    free(w.copies);
    sharc_audit_done(&w.audit);
    return code;
}

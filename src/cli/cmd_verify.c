/* SPDX-License-Identifier: Apache-2.0
 *
 * sharc verify: checks files side by side, then tells what was found in the
 * order of the command line.
 */
#include "cmd_verify_archive.h"
#include "cmd_verify_certificate.h"

#include "sharc/audit.h"
#include "sharc/base_file.h"
#include "sharc/warc_verify.h"

#include <inttypes.h>
#include <stdlib.h>

struct settings {
    bool no_digests, habits, repair, keep_doubtful;
    const char *output;
    struct cli_list indexes;
    uint64_t threads;
    /* of an archive */
    const char *store;
    bool rebuild, lenient;
    /* of signatures */
    const char *key, *trusted;
    const char *certificate;
};

static void settings_done(struct settings *s)
{
    cli_list_done(&s->indexes);
}

struct copy { /* of the file with the same number */
    bool made;
    char *path;
    struct sharc_warc_repaired repair;
    struct sharc_findings left; /* out of the copy: where and why */
};

struct work {
    const struct settings *s;
    struct sharc_audit audit;
    struct copy *copies;
};

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

static void repair_files(struct work *w)
{
    for (size_t i = 0; i < w->audit.count; i++) {
        struct sharc_audit_file *f = &w->audit.files[i];
        struct copy *copy = &w->copies[i];
        if (!needs_repair(f)) continue;
        copy->path = w->s->output ? sharc_strdup(w->s->output) : copy_name(f->path);
        struct sharc_warc_repair_options o = {.keep_doubtful = w->s->keep_doubtful,
                                              .left_out = note_left_out,
                                              .arg = &copy->left};
        f->result = sharc_warc_repair(f->path, copy->path, &o, &copy->repair, &f->err);
        copy->made = f->result == 0;
    }
}

/* --- notes --------------------------------------------------------------- */

/* What "0 findings" would otherwise seem to deny: nothing is wrong, but not everything could be checked. */
enum note { NOTE_NO_CAPTURE, NOTE_NO_DIGEST, NOTE_SIGNATURE, NOTES };
enum { NOTE_TEXT = 1000 };

/* What a right signature shows, and what it does not. */
static void note_signature(const struct sharc_wacz_signature *s, char out[NOTE_TEXT])
{
    char when[SHARC_TIME_TEXT], stamp[SHARC_TIME_TEXT + 300] = "";
    const char *more = !s->covers      ? ", but not all of the file is what was signed"
                       : s->expected   ? "; the key is the one that you named"
                       : !s->domain[0] ? "; whose key that is, the file cannot tell: compare it with --key"
                       : s->trusted    ? "; the certificates are ones that you trust"
                                       : "; whether its certificates can be trusted was not checked: use --trusted";
    if (s->stamped != SHARC_TIME_NONE)
        snprintf(stamp, sizeof stamp, ", time stamp %s of %s", sharc_time_iso(s->stamped, 0, when), s->authority);
    snprintf(out, NOTE_TEXT, "signed%s%s with the %s%s%s", s->domain[0] ? " for " : "", s->domain, s->key, stamp, more);
}

static bool note_of(const struct sharc_audit_file *f, enum note which, char out[NOTE_TEXT])
{
    const struct sharc_warc_counts *k = &f->verified.counts;
    uint64_t captures = k->types[SHARC_WARC_RESPONSE] + k->types[SHARC_WARC_REVISIT] + k->types[SHARC_WARC_RESOURCE] +
                        k->types[SHARC_WARC_CONVERSION];
    if (which == NOTE_SIGNATURE && f->wacz.signature.right) note_signature(&f->wacz.signature, out);
    if (which == NOTE_SIGNATURE || f->kind != SHARC_AUDIT_ARCHIVE || k->records == 0)
        return which == NOTE_SIGNATURE && f->wacz.signature.right;
    if (which == NOTE_NO_CAPTURE) snprintf(out, NOTE_TEXT, "the file holds no capture");
    if (which == NOTE_NO_DIGEST)
        snprintf(out, NOTE_TEXT, "%" PRIu64 " of %s no digest that can be compared", k->undigested,
                 SHARC_COUNT(k->records, "record has|records have"));
    return which == NOTE_NO_CAPTURE ? captures == 0 : k->undigested > 0;
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

/* An index inside a container is made with the container. */
static enum sharc_finding_kind cured_as(const struct sharc_finding *x)
{
    return x->kind == SHARC_FINDING_INDEX && x->where ? SHARC_FINDING_CONTAINER : x->kind;
}

static void put_finding(struct sharc_json *j, const struct sharc_finding *x)
{
    const char *cure = sharc_finding_cure(cured_as(x));
    sharc_json_object(j, NULL);
    sharc_json_str(j, "kind", sharc_finding_name(x->kind));
    if (x->where) sharc_json_str(j, "where", x->where);
    if (x->line) sharc_json_uint(j, "line", x->line);
    if (x->offset != SHARC_NOWHERE) sharc_json_uint(j, "offset", x->offset);
    sharc_json_str(j, "text", x->text);
    if (cure) sharc_json_str(j, "cure", cure);
    sharc_json_end(j);
}

static void put_signature(struct sharc_json *j, const struct sharc_wacz_signature *s)
{
    char when[SHARC_TIME_TEXT];
    sharc_json_object(j, "signature");
    sharc_json_bool(j, "right", s->right);
    sharc_json_bool(j, "covers", s->covers);
    sharc_json_bool(j, "expected", s->expected);
    sharc_json_bool(j, "trusted", s->trusted);
    if (s->key[0]) sharc_json_str(j, "key", s->key);
    if (s->domain[0]) sharc_json_str(j, "domain", s->domain);
    if (s->created != SHARC_TIME_NONE) sharc_json_str(j, "created", sharc_time_iso(s->created, 0, when));
    if (s->stamped != SHARC_TIME_NONE) sharc_json_str(j, "stamped", sharc_time_iso(s->stamped, 3, when));
    if (s->authority[0]) sharc_json_str(j, "authority", s->authority);
    sharc_json_end(j);
}

static void put_wacz(struct sharc_json *j, const struct sharc_wacz_report *r)
{
    sharc_json_uint(j, "warcs", r->warcs);
    sharc_json_uint(j, "captures", r->captures);
    sharc_json_uint(j, "pages", r->pages);
    sharc_json_uint(j, "bytes", r->bytes);
    sharc_json_uint(j, "remarks", r->remarks);
    if (r->signature.there) put_signature(j, &r->signature);
}

static void put_file(struct sharc_json *j, const struct sharc_audit_file *f, const struct copy *copy, bool habits)
{
    static const char *const types[] = {"archive", "wacz", "index"}, *const packings[] = {"plain", "gzip", "zstd"};
    sharc_json_object(j, NULL);
    sharc_json_str(j, "file", f->path);
    sharc_json_str(j, "type", types[f->kind]);
    if (f->result < 0) sharc_json_str(j, "error", f->err.text);
    if (f->kind == SHARC_AUDIT_ARCHIVE) sharc_json_str(j, "packing", packings[f->verified.packing]);
    if (f->kind == SHARC_AUDIT_ARCHIVE) put_counts(j, &f->verified.counts);
    if (f->kind == SHARC_AUDIT_WACZ) put_wacz(j, &f->wacz);
    if (f->kind == SHARC_AUDIT_INDEX) sharc_json_uint(j, "lines", f->lines);
    sharc_json_uint(j, "findings", f->verified.found.count);
    sharc_json_array(j, "list");
    for (const struct sharc_finding *x = f->verified.found.first; x; x = x->next)
        if (sharc_finding_counts(x->kind) || habits) put_finding(j, x);
    sharc_json_end(j);
    sharc_json_array(j, "notes");
    for (int n = 0; n < NOTES; n++) {
        char text[NOTE_TEXT];
        if (note_of(f, (enum note)n, text)) sharc_json_str(j, NULL, text);
    }
    sharc_json_end(j);
    if (copy->made) {
        sharc_json_object(j, "repaired");
        sharc_json_str(j, "file", copy->path);
        sharc_json_uint(j, "records", copy->repair.records);
        sharc_json_uint(j, "corrected", copy->repair.corrected);
        sharc_json_uint(j, "doubtful", copy->repair.doubtful);
        sharc_json_uint(j, "uncovered", copy->repair.uncovered);
        sharc_json_uint(j, "left_out", copy->repair.left_out);
        sharc_json_array(j, "left_out_list");
        for (const struct sharc_finding *x = copy->left.first; x; x = x->next) {
            sharc_json_object(j, NULL);
            sharc_json_uint(j, "offset", x->offset);
            sharc_json_str(j, "text", x->text);
            sharc_json_end(j);
        }
        sharc_json_end(j);
        sharc_json_end(j);
    }
    sharc_json_end(j);
}

static void tell_json(struct cli *c, const struct work *w)
{
    SHARC_AUTO(sharc_buf_done) struct sharc_buf out = SHARC_BUF_INIT(1u << 30);
    struct sharc_json j;
    sharc_json_init(&j, &out, true);
    sharc_json_object(&j, NULL);
    sharc_json_array(&j, "files");
    for (size_t i = 0; i < w->audit.count; i++) put_file(&j, &w->audit.files[i], &w->copies[i], w->s->habits);
    sharc_json_end(&j);
    sharc_json_uint(&j, "findings", w->audit.findings);
    sharc_json_end(&j);
    fprintf(c->out, "%s\n", sharc_buf_str(&out));
}

/* "12" or "11 of 12". */
static void cell_of(struct cli_table *t, uint64_t right, uint64_t all)
{
    if (right == all)
        cli_table_cell(t, "%llu", (unsigned long long)all);
    else
        cli_table_cell(t, "%llu of %llu", (unsigned long long)right, (unsigned long long)all);
}

static void tell_finding(struct cli *c, const char *path, const struct sharc_finding *x)
{
    fprintf(c->out, "%s: ", path);
    if (x->where) fprintf(c->out, "%s: ", x->where);
    if (x->line) fprintf(c->out, "line %llu: ", (unsigned long long)x->line);
    if (x->offset != SHARC_NOWHERE) fprintf(c->out, "offset %llu: ", (unsigned long long)x->offset);
    fprintf(c->out, "%s: %s\n", sharc_finding_name(x->kind), x->text);
}

static void tell_findings(struct cli *c, const struct sharc_audit_file *f, bool habits)
{
    uint64_t told = 0;
    unsigned kinds = 0;
    for (const struct sharc_finding *x = f->verified.found.first; x; x = x->next) {
        bool counts = sharc_finding_counts(x->kind);
        if (!counts && !habits) continue;
        tell_finding(c, f->path, x);
        kinds |= 1u << cured_as(x);
        told += counts;
    }
    if (told < f->verified.found.count)
        fprintf(c->out, "%s: %s\n", f->path, SHARC_COUNT(f->verified.found.count - told, "further finding"));
    for (int k = 0; kinds >> k; k++) {
        const char *cure = kinds >> k & 1 ? sharc_finding_cure((enum sharc_finding_kind)k) : NULL;
        if (cure) fprintf(c->out, "%s: cure: %s\n", f->path, cure);
    }
}

static void tell_row(struct cli_table *t, const struct sharc_audit_file *f)
{
    const struct sharc_warc_counts *k = &f->verified.counts;
    cli_table_cell(t, "%s", f->path);
    if (f->kind == SHARC_AUDIT_ARCHIVE) {
        cli_table_cell(t, "%llu", (unsigned long long)k->records);
        cell_of(t, k->blocks_right, k->blocks_right + k->blocks_wrong);
        cell_of(t, k->payloads_right, k->payloads_right + k->payloads_wrong);
        cell_of(t, k->revisits_found, k->revisits);
    } else {
        if (f->kind == SHARC_AUDIT_INDEX)
            cli_table_cell(t, "%s", SHARC_COUNT(f->lines, "line"));
        else
            cli_table_cell(t, "%s", "-");
        for (int i = 0; i < 3; i++) cli_table_cell(t, "%s", "-");
    }
    cli_table_cell(t, "%llu", (unsigned long long)f->verified.found.count);
}

static void tell_copy(struct cli *c, const char *path, const struct copy *copy)
{
    const struct sharc_warc_repaired *k = &copy->repair;
    uint64_t told = 0;
    for (const struct sharc_finding *x = copy->left.first; x; x = x->next, told++)
        fprintf(c->out, "%s: offset %" PRIu64 ": left out: %s\n", path, x->offset, x->text);
    if (told < k->left_out) fprintf(c->out, "%s: %" PRIu64 " more left out\n", path, k->left_out - told);
    if (k->records == 0) {
        fprintf(c->out, "%s: not written, no record of %s is whole\n", copy->path, path);
        return;
    }
    fprintf(c->out, "%s: %s, %" PRIu64 " with a corrected length; %" PRIu64 " left out", copy->path,
            SHARC_COUNT(k->records, "record"), k->corrected, k->left_out);
    if (k->doubtful) fprintf(c->out, "; %" PRIu64 " kept in doubt", k->doubtful);
    if (k->uncovered) fprintf(c->out, "; %" PRIu64 " of a cut member, which no checksum covers", k->uncovered);
    putc('\n', c->out);
}

static void tell_people(struct cli *c, const struct work *w)
{
    static const char *const titles[] = {"file", "records", "blocks", "payloads", "revisits", "findings"};
    SHARC_AUTO(cli_table_freep) struct cli_table *t = cli_table_new(SHARC_LENGTH(titles), titles, "lrrrrr");
    size_t rows = 0;
    for (size_t i = 0; i < w->audit.count; i++) {
        const struct sharc_audit_file *f = &w->audit.files[i];
        if (f->result < 0 && f->verified.counts.records == 0) continue; /* could not be read: told already */
        tell_findings(c, f, w->s->habits);
        for (int n = 0; n < NOTES; n++) {
            char text[NOTE_TEXT];
            if (note_of(f, (enum note)n, text)) fprintf(c->out, "%s: note: %s\n", f->path, text);
        }
        rows++;
        tell_row(t, f);
    }
    if (rows > 0) cli_table_print(t, c->out);
    for (size_t i = 0; i < w->audit.count; i++)
        if (w->copies[i].made) tell_copy(c, w->audit.files[i].path, &w->copies[i]);
}

enum { MOST_PEM = 1 << 20 };

/* --- the command --------------------------------------------------------- */

static int verify_files(struct cli *c, struct work *w, const char *const *paths, size_t count)
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
    w->copies = SHARC_NEW_ARRAY(struct copy, w->audit.count);
    for (size_t i = 0; i < w->audit.count; i++) sharc_findings_init(&w->copies[i].left);
    if (w->s->repair) repair_files(w);
    for (size_t i = 0; i < w->audit.count; i++)
        if (w->audit.files[i].result < 0) code = cli_fail(c, &w->audit.files[i].err);
    if (c->json)
        tell_json(c, w);
    else
        tell_people(c, w);
    return code == EXIT_OK && w->audit.findings > 0 ? EXIT_FINDINGS : code;
}

static int verify_certificate(struct cli *c, const struct settings *s, int argc, char **argv)
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
    SHARC_AUTO(settings_done) struct settings s = {0};
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
        OPT_STRING(0, "key", &s.key, "FILE", "it must be signed with this public key or certificate (PEM)"),
        OPT_STRING(0, "trusted", &s.trusted, "FILE", "its certificates must lead to one of these (PEM)"),
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
    if (archive) return cli_verify_archive(c, argv[1], s.store, s.rebuild, s.lenient);
    if (s.rebuild || s.store) return cli_usage(c, "--rebuild and --store go with one archive, a directory");
    if (s.keep_doubtful && !s.repair) return cli_usage(c, "--keep-doubtful goes with --repair");
    if (s.output && (!s.repair || argc != 2 || cli_is_directory(argv[1])))
        return cli_usage(c, "--output goes with --repair and one file");
    struct work w = {.s = &s};
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

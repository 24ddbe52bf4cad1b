/* SPDX-License-Identifier: Apache-2.0
 *
 * sharc verify: what was found, for people and for programs.
 */
#include "cmd_verify.h"

#include <inttypes.h>

/* --- notes --------------------------------------------------------------- */

/* What "0 findings" would otherwise seem to deny: nothing is wrong, but not everything could be checked. */
enum note { NOTE_NO_CAPTURE, NOTE_NO_DIGEST, NOTE_REVISITS, NOTE_SIGNATURE, NOTES };
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
    if (which == NOTE_REVISITS)
        snprintf(out, NOTE_TEXT,
                 "%" PRIu64 " of %s the payload of another response, which cannot be compared: there is no digest of "
                 "the same algorithm on both sides",
                 k->revisits_uncompared, SHARC_COUNT(k->revisits, "revisit states|revisits state"));
    return which == NOTE_NO_CAPTURE  ? captures == 0
           : which == NOTE_NO_DIGEST ? k->undigested > 0
                                     : k->revisits_uncompared > 0;
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
    sharc_json_uint(j, "revisits_uncompared", c->revisits_uncompared);
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

static void put_file(struct sharc_json *j, const struct sharc_audit_file *f, const struct verify_copy *copy,
                     bool habits)
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

void verify_tell_json(struct cli *c, const struct verify_work *w)
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
    fprintf(c->out, "%s: ", CLI_SHOWN(path));
    if (x->where) fprintf(c->out, "%s: ", CLI_SHOWN(x->where));
    if (x->line) fprintf(c->out, "line %llu: ", (unsigned long long)x->line);
    if (x->offset != SHARC_NOWHERE) fprintf(c->out, "offset %llu: ", (unsigned long long)x->offset);
    fprintf(c->out, "%s: %s\n", sharc_finding_name(x->kind), CLI_SHOWN(x->text));
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
        fprintf(c->out, "%s: %s\n", CLI_SHOWN(f->path), SHARC_COUNT(f->verified.found.count - told, "further finding"));
    for (int k = 0; kinds >> k; k++) {
        const char *cure = kinds >> k & 1 ? sharc_finding_cure((enum sharc_finding_kind)k) : NULL;
        if (cure) fprintf(c->out, "%s: cure: %s\n", CLI_SHOWN(f->path), cure);
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

static void tell_copy(struct cli *c, const char *name, const struct verify_copy *copy)
{
    const char *path = CLI_SHOWN(name), *to = CLI_SHOWN(copy->path);
    const struct sharc_warc_repaired *k = &copy->repair;
    uint64_t told = 0;
    for (const struct sharc_finding *x = copy->left.first; x; x = x->next, told++)
        fprintf(c->out, "%s: offset %" PRIu64 ": left out: %s\n", path, x->offset, CLI_SHOWN(x->text));
    if (told < k->left_out) fprintf(c->out, "%s: %" PRIu64 " more left out\n", path, k->left_out - told);
    if (k->records == 0) {
        fprintf(c->out, "%s: not written, no record of %s is whole\n", to, path);
        return;
    }
    fprintf(c->out, "%s: %s, %" PRIu64 " with a corrected length; %" PRIu64 " left out", to,
            SHARC_COUNT(k->records, "record"), k->corrected, k->left_out);
    if (k->doubtful) fprintf(c->out, "; %" PRIu64 " kept in doubt", k->doubtful);
    if (k->uncovered) fprintf(c->out, "; %" PRIu64 " of a cut member, which no checksum covers", k->uncovered);
    putc('\n', c->out);
}

void verify_tell_people(struct cli *c, const struct verify_work *w)
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
            if (note_of(f, (enum note)n, text)) fprintf(c->out, "%s: note: %s\n", CLI_SHOWN(f->path), CLI_SHOWN(text));
        }
        rows++;
        tell_row(t, f);
    }
    if (rows > 0) cli_table_print(t, c->out);
    for (size_t i = 0; i < w->audit.count; i++)
        if (w->copies[i].made) tell_copy(c, w->audit.files[i].path, &w->copies[i]);
}

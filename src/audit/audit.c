/* SPDX-License-Identifier: Apache-2.0
 *
 * One list of everything to be checked: containers are opened and their WARCs
 * put behind them, then all are checked side by side.
 */
#include "sharc/audit.h"
#include "sharc/base_file.h"
#include "sharc/base_limits.h"
#include "sharc/base_pool.h"
#include "sharc/cdx_agree.h"
#include "sharc/warc_inputs.h"
#include "sharc/warc_verify.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

struct auditing {
    const struct sharc_audit_options *o;
    struct sharc_audit *out;
    size_t room;
};

static struct sharc_audit_file *add(struct auditing *a, enum sharc_audit_kind kind, char *path)
{
    struct sharc_audit *out = a->out;
    SHARC_GROW(out->files, a->room, out->count + 1);
    struct sharc_audit_file *f = &out->files[out->count++];
    *f = (struct sharc_audit_file){.kind = kind, .path = path};
    return f;
}

/* --- the list ----------------------------------------------------------------- */

static bool is_zip(const char *path)
{
    char magic[4] = "";
    FILE *f = strcmp(path, "-") == 0 ? NULL : fopen(path, "rbe");
    if (!f) return false;
    bool zip = fread(magic, 1, sizeof magic, f) == sizeof magic && memcmp(magic, "PK\3\4", sizeof magic) == 0;
    fclose(f);
    return zip;
}

/* What cannot be reached inside is told by the check of the container. */
static void add_inside(struct auditing *a, const char *path, const struct sharc_zip *zip)
{
    for (size_t i = 0; i < zip->count; i++) {
        const struct sharc_zip_entry *e = &zip->entries[i];
        struct sharc_span bytes, name = e->name;
        bool warc =
            sharc_span_starts(name, SHARC_SPAN("archive/")) && sharc_warc_kind_of(name) == SHARC_WARC_KIND_ARCHIVE;
        if (!warc || e->method != SHARC_ZIP_STORED || sharc_zip_raw(zip, e, &bytes, NULL) < 0) continue;
        struct sharc_audit_file *f = add(a, SHARC_AUDIT_ARCHIVE, sharc_asprintf("%s/%.*s", path, SHARC_SPAN_ARG(name)));
        f->inside = true;
        f->bytes_ = bytes.n ? bytes : SHARC_SPAN("");
        f->name_ = f->path + strlen(path) + strlen("/archive/");
    }
}

static void add_file(struct auditing *a, const char *path)
{
    if (!is_zip(path)) {
        struct sharc_audit_file *f = add(a, SHARC_AUDIT_ARCHIVE, sharc_strdup(path));
        f->name_ = sharc_path_last(f->path);
        return;
    }
    struct sharc_audit_file *f = add(a, SHARC_AUDIT_WACZ, sharc_strdup(path));
    f->result = sharc_wacz_open(path, &f->wacz_, &f->err);
    if (f->result == 0) add_inside(a, path, sharc_wacz_zip(f->wacz_));
}

static void add_path(struct auditing *a, const char *path)
{
    SHARC_AUTO(sharc_warc_inputs_done) struct sharc_warc_inputs in = {.whole = true};
    struct sharc_err err = SHARC_ERR_INIT;
    int r = sharc_warc_inputs_add(&in, path, &err);
    for (size_t i = 0; r == 0 && i < in.count; i++) add_file(a, in.items[i].path);
    if (r == 0 && in.count == 0)
        r = sharc_fail(&err, SHARC_ENOENT, "%s: there is no archive file (WARC, ARC, WACZ) in this directory", path);
    if (r == 0) return;
    struct sharc_audit_file *f = add(a, SHARC_AUDIT_ARCHIVE, sharc_strdup(path));
    f->name_ = sharc_path_last(f->path);
    f->result = r;
    f->err = err;
}

static void add_index(struct auditing *a, const char *path)
{
    struct sharc_audit_file *f = add(a, SHARC_AUDIT_INDEX, sharc_strdup(path));
    if (sharc_span_ends(sharc_span_of(path), SHARC_SPAN(".idx")))
        f->result =
            sharc_fail(&f->err, SHARC_EINVAL, "%s: give the data file of the ZipNum index (.cdx.gz) instead", path);
    else if (access(path, R_OK) < 0)
        f->result = sharc_fail(&f->err, sharc_error_from_errno(errno), "%s: cannot open: %s", path, strerror(errno));
}

/* --- each by itself --------------------------------------------------------------- */

static void from_container(void *arg, bool problem, const char *where, const char *what)
{
    struct sharc_audit_file *f = arg;
    sharc_findings_add(&f->verified.found,
                       &(struct sharc_finding){.kind = problem ? SHARC_FINDING_CONTAINER : SHARC_FINDING_REMARK,
                                               .offset = SHARC_NOWHERE,
                                               .where = where,
                                               .text = what});
}

static void add_signature_fault(struct sharc_audit_file *f, const char *where, const char *text)
{
    sharc_findings_add(&f->verified.found, &(struct sharc_finding){.kind = SHARC_FINDING_SIGNATURE,
                                                                   .offset = SHARC_NOWHERE,
                                                                   .where = where,
                                                                   .text = text});
}

static void check_container(struct sharc_audit_file *f, const struct sharc_wacz_trust *trust)
{
    f->result = sharc_wacz_check(f->path, trust, from_container, f, &f->wacz, &f->err);
    if (f->result == 0 && f->wacz.signature.fault[0])
        add_signature_fault(f, "datapackage-digest.json", f->wacz.signature.fault);
}

static int check_one(size_t i, unsigned thread, void *arg)
{
    (void)thread;
    struct auditing *a = arg;
    struct sharc_audit_file *f = &a->out->files[i];
    struct sharc_warc_verify_options o = {.no_digests = a->o->no_digests, .name = f->path};
    sharc_findings_init(&f->verified.found);
    if (f->result < 0 || f->kind == SHARC_AUDIT_INDEX) return 0;
    if (f->kind == SHARC_AUDIT_WACZ)
        check_container(f, &a->o->trust);
    else
        f->result = f->inside ? sharc_warc_verify_bytes(f->bytes_, &o, &f->verified, &f->err)
                              : sharc_warc_verify(f->path, &o, &f->verified, &f->err);
    bool wanted = a->o->trust.key.n || a->o->trust.trusted.n;
    if (f->kind == SHARC_AUDIT_ARCHIVE && !f->inside && f->result == 0 && wanted)
        add_signature_fault(f, NULL, "there is none: archive files carry no signature");
    return 0;
}

/* Originals may be in any of the files, so they are looked up together. */
static void check_revisits(struct sharc_audit *out)
{
    struct sharc_warc_verified **all = SHARC_NEW_ARRAY(struct sharc_warc_verified *, out->count);
    for (size_t i = 0; i < out->count; i++) all[i] = &out->files[i].verified;
    sharc_warc_verify_revisits(all, out->count);
    free(all);
}

/* --- indexes ------------------------------------------------------------------------ */

struct holding { /* archives and indexes that are held against each other */
    struct sharc_agree_archive *archives;
    struct sharc_audit_file **archive_files;
    size_t archive_count, archive_room, file_room;
    struct sharc_agree_index *indexes;
    struct held_index {
        struct sharc_audit_file *file;
        const char *where;      /* inside a container */
        struct sharc_buf bytes; /* unpacked */
    } * held;
    size_t index_count, index_room, held_room;
};

static void holding_done(struct holding *h)
{
    for (size_t i = 0; i < h->index_count; i++) {
        sharc_buf_done(&h->held[i].bytes);
        free((char *)h->held[i].where);
    }
    free(h->archives);
    free(h->archive_files);
    free(h->indexes);
    free(h->held);
}

static void hold_archive(struct holding *h, struct sharc_audit_file *f)
{
    SHARC_GROW(h->archives, h->archive_room, h->archive_count + 1);
    SHARC_GROW(h->archive_files, h->file_room, h->archive_count + 1);
    h->archives[h->archive_count] = (struct sharc_agree_archive){f->name_, f->path, f->bytes_};
    h->archive_files[h->archive_count++] = f;
}

/* bytes: of an index inside a container; else the file is read. */
static struct held_index *hold_index(struct holding *h, struct sharc_audit_file *f, struct sharc_span bytes)
{
    SHARC_GROW(h->indexes, h->index_room, h->index_count + 1);
    SHARC_GROW(h->held, h->held_room, h->index_count + 1);
    h->indexes[h->index_count] = (struct sharc_agree_index){.path = f->path, .bytes = bytes};
    h->held[h->index_count] = (struct held_index){.file = f};
    return &h->held[h->index_count++];
}

static void note_disagreement(void *arg, const struct sharc_disagreement *d)
{
    const struct holding *h = arg;
    bool line = d->index != SHARC_NPOS;
    struct sharc_audit_file *f = line ? h->held[d->index].file : h->archive_files[d->archive];
    sharc_findings_add(&f->verified.found, &(struct sharc_finding){.kind = SHARC_FINDING_INDEX,
                                                                   .offset = line ? SHARC_NOWHERE : d->offset,
                                                                   .line = line ? d->line : 0,
                                                                   .where = line ? h->held[d->index].where : NULL,
                                                                   .text = d->text});
}

static void hold(const struct auditing *a, struct holding *h, bool last_part, struct sharc_audit_file *blamed)
{
    if (!h->index_count || !h->archive_count) return;
    struct sharc_agree_options o = {.last_part = last_part,
                                    .threads = a->o->threads,
                                    .temporary = a->o->temporary ? a->o->temporary : "."};
    int r = sharc_cdx_agree(h->archives, h->archive_count, h->indexes, h->index_count, &o, note_disagreement, h,
                            &blamed->err);
    if (r < 0) blamed->result = r;
    for (size_t i = 0; i < h->index_count; i++)
        if (h->held[i].file->kind == SHARC_AUDIT_INDEX) h->held[i].file->lines = h->indexes[i].lines;
}

/* The indexes of a container against its WARCs. Their data files are read; that the
 * small file of a ZipNum pair fits them was seen by the check of the container. */
static void hold_container(const struct auditing *a, size_t at)
{
    SHARC_AUTO(holding_done) struct holding h = {.index_count = 0};
    struct sharc_audit_file *f = &a->out->files[at];
    const struct sharc_zip *zip = sharc_wacz_zip(f->wacz_);
    for (size_t i = at + 1; i < a->out->count && a->out->files[i].inside; i++)
        if (a->out->files[i].result == 0) hold_archive(&h, &a->out->files[i]);
    for (size_t i = 0; i < zip->count; i++) {
        const struct sharc_zip_entry *e = &zip->entries[i];
        struct sharc_span bytes = SHARC_SPAN("");
        bool full = sharc_span_is(e->name, SHARC_WACZ_ALL); /* that in indexes/ is a choice of it */
        bool index =
            sharc_span_starts(e->name, SHARC_SPAN("indexes/")) && !sharc_span_ends(e->name, SHARC_SPAN(".idx"));
        if ((!index && !full) || e->directory) continue;
        struct sharc_buf unpacked = SHARC_BUF_INIT(SHARC_LIMIT_ZIP_UNPACKED);
        bool stored = e->method == SHARC_ZIP_STORED;
        int r = stored ? sharc_zip_raw(zip, e, &bytes, NULL) : sharc_zip_read(zip, e, &unpacked, NULL);
        if (r == 0 && unpacked.n) bytes = sharc_buf_span(&unpacked);
        struct held_index *held = hold_index(&h, f, bytes.p ? bytes : SHARC_SPAN(""));
        held->bytes = unpacked;
        held->where = sharc_span_dup(e->name);
    }
    hold(a, &h, false, f);
}

static void hold_indexes(const struct auditing *a)
{
    SHARC_AUTO(holding_done) struct holding h = {.index_count = 0};
    for (size_t i = 0; i < a->out->count; i++) {
        struct sharc_audit_file *f = &a->out->files[i];
        bool standard_input = strcmp(f->path, "-") == 0;
        if (f->result < 0 || standard_input) continue;
        if (f->kind == SHARC_AUDIT_ARCHIVE) hold_archive(&h, f);
        if (f->kind == SHARC_AUDIT_INDEX) hold_index(&h, f, SHARC_SPAN_NONE);
    }
    if (h.index_count) hold(a, &h, true, h.held[0].file);
}

/* Found in the order of the records; told in that of the lines. */
static int by_line(const void *a, const void *b)
{
    const struct sharc_finding *x = *(struct sharc_finding *const *)a, *y = *(struct sharc_finding *const *)b;
    int where = strcmp(x->where ? x->where : "", y->where ? y->where : "");
    if (where) return where;
    return x->line < y->line ? -1 : x->line > y->line;
}

static void sort_lines(struct sharc_findings *f)
{
    struct sharc_finding **lines = SHARC_NEW_ARRAY(struct sharc_finding *, SHARC_FINDINGS_KEPT), **last = &f->first;
    size_t count = 0;
    while (*last && !(*last)->line) last = &(*last)->next; /* what is about the container comes before all lines */
    for (struct sharc_finding *x = *last; x; x = x->next) lines[count++] = x;
    if (count) qsort(lines, count, sizeof *lines, by_line);
    for (size_t i = 0; i < count; i++) {
        *last = lines[i];
        last = &lines[i]->next;
    }
    *last = NULL;
    f->last_ = last;
    free(lines);
}

/* --- all ------------------------------------------------------------------------------ */

void sharc_audit(const char *const *paths, size_t count, const struct sharc_audit_options *o, struct sharc_audit *ret)
{
    *ret = (struct sharc_audit){.count = 0};
    struct auditing a = {.o = o, .out = ret};
    SHARC_AUTO(sharc_pool_freep) struct sharc_pool *pool = sharc_pool_new(o->threads);
    for (size_t i = 0; i < count; i++) add_path(&a, paths[i]);
    for (size_t i = 0; i < o->index_count; i++) add_index(&a, o->indexes[i]);
    sharc_pool_each(pool, ret->count, check_one, &a);
    check_revisits(ret);
    for (size_t i = 0; i < ret->count; i++)
        if (ret->files[i].kind == SHARC_AUDIT_WACZ && ret->files[i].result == 0) hold_container(&a, i);
    if (o->index_count) hold_indexes(&a);
    for (size_t i = 0; i < ret->count; i++) {
        if (ret->files[i].kind != SHARC_AUDIT_ARCHIVE) sort_lines(&ret->files[i].verified.found);
        ret->findings += ret->files[i].verified.found.count;
    }
}

void sharc_audit_done(struct sharc_audit *a)
{
    for (size_t i = 0; i < a->count; i++) {
        sharc_warc_verified_done(&a->files[i].verified);
        sharc_wacz_close(a->files[i].wacz_);
        free(a->files[i].path);
    }
    free(a->files);
    *a = (struct sharc_audit){.count = 0};
}

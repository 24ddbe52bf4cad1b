/* SPDX-License-Identifier: Apache-2.0
 *
 * Checking a certificate: everything that can be derived is derived again, from the files alone,
 * and compared member by member and row by row. What differs is named by its place.
 */
#include "check.h"
#include "batch.h"
#include "locate.h"

#include "sharc/base_file.h"
#include "sharc/base_limits.h"
#include "sharc/base_pool.h"
#include "sharc/base_zip.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

enum { SECTION_MOST = 1 << 30, SHORT = 60, URL_SHOWN = 120 };

void sharc__certify_find(struct sharc_certify_checked *c, const char *file, uint64_t offset, const char *path,
                         const char *fmt, ...)
{
    char text[512];
    va_list args;
    c->total++;
    if (c->count >= SHARC_CERTIFY_FINDINGS) return;
    va_start(args, fmt);
    vsnprintf(text, sizeof text, fmt, args);
    va_end(args);
    SHARC_GROW(c->findings, c->room_, c->count + 1);
    c->findings[c->count++] =
        (struct sharc_certify_finding){.file = sharc_arena_copy(&c->arena, sharc_span_of(file)).p,
                                       .offset = offset,
                                       .path = path ? sharc_arena_copy(&c->arena, sharc_span_of(path)).p : NULL,
                                       .text = sharc_arena_copy(&c->arena, sharc_span_of(text)).p};
}

void sharc_certify_checked_done(struct sharc_certify_checked *c)
{
    free(c->findings);
    sharc_arena_done(&c->arena);
    *c = (struct sharc_certify_checked){0};
}

/* --- one value against another ------------------------------------------------------------------ */

/* A cut character would not be one. */
static void trim_utf8(struct sharc_buf *b)
{
    size_t bad = sharc_utf8_check(sharc_buf_span(b));
    if (bad != SHARC_NPOS) sharc_buf_truncate(b, bad);
}

char *sharc__certify_short(struct sharc_span value)
{
    SHARC_AUTO(sharc_buf_done) struct sharc_buf out = SHARC_BUF_INIT(4 * SHORT);
    if (!value.p) return sharc_strdup("nothing");
    sharc_buf_put(&out, sharc_span_sub(value, 0, SHORT));
    trim_utf8(&out);
    if (value.n > SHORT) sharc_buf_put_str(&out, "…");
    return sharc_strdup(sharc_buf_str(&out));
}

bool sharc__certify_compare(struct checking *x, const char *prefix, struct sharc_span said, struct sharc_span found)
{
    struct certify_difference d = {SHARC_SPAN_NONE, SHARC_SPAN_NONE};
    SHARC_AUTO(sharc_buf_done) struct sharc_buf path = SHARC_BUF_INIT(64u << 10);
    sharc_buf_put_str(&path, prefix);
    if (!sharc__certify_differ(said, found, &path, &d)) return true;
    SHARC_AUTO(sharc_freep) char *a = sharc__certify_short(d.said);
    SHARC_AUTO(sharc_freep) char *b = sharc__certify_short(d.found);
    uint64_t offset = d.said.p ? (uint64_t)(d.said.p - x->text.p) : SHARC_NOWHERE;
    sharc__certify_find(x->out, x->o->certificate, offset, sharc_buf_str(&path),
                        "the certificate says %s, the files say %s", a, b);
    return false;
}

struct sharc_span sharc__certify_section_of(const struct checking *x, const char *name)
{
    for (size_t i = 0; sharc__certify_sections[i]; i++)
        if (strcmp(sharc__certify_sections[i], name) == 0) return x->members[i];
    return SHARC_SPAN_NONE;
}

/* --- files ---------------------------------------------------------------------------------------- */

static struct sharc_derived_file *file_named(struct sharc_derived *f, const char *name)
{
    for (size_t i = 0; name && i < f->file_count; i++)
        if (strcmp(f->files[i].name, name) == 0) return &f->files[i];
    return NULL;
}

/* Only what the certificate names is read: other files beside these do not matter. */
static void keep_named(const struct checking *x, struct sharc_derived *f)
{
    SHARC_AUTO(sharc_freep) bool *named = SHARC_NEW_ARRAY(bool, f->file_count);
    struct sharc_span rest = sharc__certify_section_of(x, "files"), row;
    while (sharc__certify_element(&rest, &row)) {
        SHARC_AUTO(sharc_freep) char *name = sharc__certify_string(sharc__certify_get(row, "name"));
        const struct sharc_derived_file *file = file_named(f, name);
        if (file) named[file - f->files] = true;
    }
    size_t n = 0;
    for (size_t i = 0; i < f->file_count; i++) {
        if (named[i])
            f->files[n++] = f->files[i];
        else
            sharc_derived_file_done(&f->files[i]);
    }
    f->file_count = n;
}

static void check_names(struct checking *x, struct sharc_derived *f)
{
    struct sharc_span rest = sharc__certify_section_of(x, "files"), row;
    size_t listed = 0;
    for (; sharc__certify_element(&rest, &row); listed++) {
        SHARC_AUTO(sharc_freep) char *name = sharc__certify_string(sharc__certify_get(row, "name"));
        SHARC_AUTO(sharc_freep) char *path = sharc_asprintf("/files/%zu/name", listed);
        if (file_named(f, name)) continue;
        sharc__certify_find(x->out, x->o->certificate, SHARC_NOWHERE, path,
                            "there is no file %s among those given: name it, or the directory that holds it",
                            name ? name : "of that name");
        x->files_bad = true;
    }
    if (listed) return;
    sharc__certify_find(x->out, x->o->certificate, SHARC_NOWHERE, "/files",
                        "the certificate names no archive file, so nothing can be derived again");
    x->files_bad = true;
}

static void tell_changed(struct checking *x, const struct sharc_derived_file *file, size_t i, uint64_t size,
                         const struct sharc_digest *said, struct sharc_span sums)
{
    struct certify_place at = sharc__certify_locate(file->bytes, said, size, sums);
    if (at.exact)
        sharc__certify_find(x->out, file->name, at.from, NULL,
                            "the byte here is 0x%02x; when it was certified it was 0x%02x",
                            (unsigned)(uint8_t)file->bytes.p[at.from], (unsigned)at.was);
    else if (file->bytes.n != size)
        sharc__certify_find(x->out, file->name,
                            at.blocks              ? at.from
                            : file->bytes.n < size ? file->bytes.n
                                                   : size,
                            NULL,
                            "the file has %zu bytes; when it was certified it had %" PRIu64
                            "; this is where they begin to differ, or at most 64 KiB before",
                            file->bytes.n, size);
    else if (at.blocks)
        sharc__certify_find(x->out, file->name, at.from, NULL,
                            "bytes %" PRIu64 " to %" PRIu64 " are not those that were certified (%s)", at.from,
                            at.to - 1, SHARC_COUNT(at.blocks, "block of 64 KiB differs|blocks of 64 KiB differ"));
    else {
        SHARC_AUTO(sharc_freep) char *path = sharc_asprintf("/files/%zu/sha256", i);
        sharc__certify_find(x->out, x->o->certificate, SHARC_NOWHERE, path,
                            "this is not the SHA-256 of %s, of which every block is as certified", file->name);
    }
}

static void check_file(struct checking *x, struct sharc_derived *f, struct sharc_span row, size_t i)
{
    SHARC_AUTO(sharc_freep) char *name = sharc__certify_string(sharc__certify_get(row, "name"));
    SHARC_AUTO(sharc_freep) char *hex = sharc__certify_string(sharc__certify_get(row, "sha256"));
    SHARC_AUTO(sharc_freep) char *sums = sharc__certify_string(sharc__certify_get(row, "blocks"));
    struct sharc_derived_file *file = file_named(f, name);
    struct sharc_digest said = {.kind = SHARC_SHA256};
    uint64_t size = SHARC_NOWHERE;
    size_t n = 0;
    if (!file) return;
    if (!file->sums) sharc__certify_measure(file);
    (void)sharc_span_to_u64(sharc__certify_get(row, "size"), &size);
    if (hex && sharc_hex_decode(sharc_span_of(hex), said.bytes, 32, &n) == 0) said.n = (uint8_t)n;
    if (size == file->bytes.n && sharc_digest_eq(&said, &file->digest)) return;
    x->files_bad = true;
    if (sharc_digest_eq(&said, &file->digest)) {
        SHARC_AUTO(sharc_freep) char *path = sharc_asprintf("/files/%zu/size", i);
        sharc__certify_find(x->out, x->o->certificate, SHARC_NOWHERE, path,
                            "%s has %zu bytes, and its SHA-256 is right", file->name, file->bytes.n);
        return;
    }
    tell_changed(x, file, i, size, &said, sharc_span_of(sums));
}

static void check_files(struct checking *x, struct sharc_derived *f)
{
    struct sharc_span rest = sharc__certify_section_of(x, "files"), row;
    for (size_t i = 0; sharc__certify_element(&rest, &row); i++) check_file(x, f, row, i);
}

/* --- everything derived ------------------------------------------------------------------------------- */

/* A row that is not there, in the certificate or in the files, is SHARC_SPAN_NONE. */
static void check_row(struct checking *x, size_t i, struct sharc_span said, struct sharc_span found)
{
    char prefix[48];
    snprintf(prefix, sizeof prefix, "/pages/%zu", i);
    sharc__certify_compare(x, prefix, said, found);
}

static int check_rows(struct checking *x, const struct sharc_derived *f, struct sharc_err *reterr)
{
    struct sharc_span rest = sharc__certify_section_of(x, "pages"), said = SHARC_SPAN_NONE;
    SHARC_AUTO(sharc__certify_batches_freep)
    struct certify_batches *batches = sharc__certify_batches_new(f, x->o->threads);
    struct certify_rows rows;
    int r;
    while ((r = sharc__certify_batches_next(batches, &rows, reterr)) > 0)
        for (size_t i = 0; i < rows.count; i++, x->out->rows++) {
            struct sharc_span found = sharc__certify_row_of(&rows, i);
            if (sharc__certify_element_is(&rest, found)) continue;
            bool more = sharc__certify_element(&rest, &said);
            check_row(x, rows.first + i, more ? said : SHARC_SPAN_NONE, found);
        }
    for (; r == 0 && sharc__certify_element(&rest, &said); x->out->rows++)
        check_row(x, (size_t)x->out->rows, said, SHARC_SPAN_NONE);
    return r;
}

static int check_sections(struct checking *x, const struct sharc_derived *f, struct sharc_err *reterr)
{
    int r = 0;
    SHARC_AUTO(sharc_buf_done) struct sharc_buf found = SHARC_BUF_INIT(SECTION_MOST);
    for (size_t i = 0; r == 0 && sharc__certify_sections[i]; i++) {
        const char *name = sharc__certify_sections[i];
        char prefix[48];
        snprintf(prefix, sizeof prefix, "/%s", name);
        sharc_buf_clear(&found);
        if (strcmp(name, "pages") == 0)
            r = check_rows(x, f, reterr);
        else if (sharc__certify_section(f, name, &found))
            sharc__certify_compare(x, prefix, sharc__certify_section_of(x, name), sharc_buf_span(&found));
    }
    return r;
}

/* The certificate tells the numbers; that they are not what the seed demands is a finding all the same. */
static void check_audits(struct checking *x, const struct sharc_derived *f)
{
    const struct sharc_derived_audits *a = &f->audits;
    if (a->passed_over) {
        SHARC_AUTO(sharc_buf_done)
        struct sharc_buf page = SHARC_BUF_INIT(URL_SHOWN), instead = SHARC_BUF_INIT(URL_SHOWN);
        sharc_buf_put(&page, sharc_span_sub(sharc_derived_text(f, f->pages[a->page].url), 0, URL_SHOWN));
        sharc_buf_put(&instead, sharc_span_sub(sharc_derived_text(f, f->pages[a->instead].url), 0, URL_SHOWN));
        trim_utf8(&page);
        trim_utf8(&instead);
        sharc__certify_find(x->out, x->o->certificate, SHARC_NOWHERE, "/counts/audits/passed_over",
                            "by the seed of the capture it was the turn of %s to be audited, and %s was audited "
                            "instead (%s passed over): somebody chose the audits",
                            sharc_buf_str(&page), sharc_buf_str(&instead), SHARC_COUNT(a->passed_over, "page"));
    }
    if (a->missing && f->audits_listed)
        sharc__certify_find(x->out, x->o->certificate, SHARC_NOWHERE, "/counts/audits/missing",
                            "of %s 304, %" PRIu64 " were to be audited; %s missing, and nothing says why",
                            SHARC_COUNT(a->attested, "answer|answers"), a->wanted,
                            SHARC_COUNT(a->missing, "audit is|audits are"));
}

/* What the files say, before anybody is told of it. err: why it cannot be derived. */
struct derived {
    struct sharc_derived *f;
    int result;
    struct sharc_err err;
};

static int derive(const struct checking *x, struct derived *ret, struct sharc_err *reterr)
{
    int64_t began = SHARC_TIME_NONE;
    (void)sharc_span_to_i64(sharc__certify_get(sharc__certify_section_of(x, "capture"), "began"), &began);
    struct sharc_derive_options o = {.capture = began, .threads = x->o->threads, .measure = sharc__certify_measure};
    int r = sharc_derive_open(ret->f, x->o->paths, x->o->count, reterr);
    if (r == 0) r = sharc__certify_check_names(ret->f, reterr);
    if (r < 0) return r;
    keep_named(x, ret->f);
    /* By other rules the bytes can be checked, what follows from them cannot. */
    if (!x->other_rules && ret->f->file_count) ret->result = sharc_derive_run(ret->f, &o, &ret->err);
    return 0;
}

static int check_derived(struct checking *x, const struct derived *d, struct sharc_err *reterr)
{
    check_names(x, d->f);
    check_files(x, d->f);
    if (x->other_rules || x->files_bad) return 0;
    if (d->result < 0) { /* the files are those that were certified, and yet cannot be read as they were */
        bool capture = d->result == SHARC_ENOENT || d->result == SHARC_EINVAL;
        sharc__certify_find(x->out, x->o->certificate, SHARC_NOWHERE, capture ? "/capture/began" : NULL, "%s",
                            d->err.text);
        return 0;
    }
    x->out->files = true;
    sharc_certify_sum(d->f, &x->out->sum);
    int r = check_sections(x, d->f, reterr);
    if (r == 0) check_audits(x, d->f);
    return r;
}

/* --- what the document says about itself -------------------------------------------------------------------- */

static void check_issued(struct checking *x)
{
    SHARC_AUTO(sharc_buf_done) struct sharc_buf found = SHARC_BUF_INIT(256);
    struct sharc_span issued = sharc__certify_section_of(x, "issued");
    struct sharc_span said = sharc__certify_section_of(x, "issued_sha256");
    sharc__certify_quoted_digest(issued, &found);
    if (sharc_span_eq(said, sharc_buf_span(&found))) return;
    sharc__certify_find(x->out, x->o->certificate, issued.p ? (uint64_t)(issued.p - x->text.p) : SHARC_NOWHERE,
                        "/issued",
                        "what stands here does not have the SHA-256 in /issued_sha256: one of them was changed");
}

/* What needs the whole text, read beside the files. */
struct reading {
    struct checking *x;
    struct sharc_err err; /* where it is not canonical */
    struct sharc_buf *root;
};

static void read_text(void *arg)
{
    struct reading *t = arg;
    struct sharc_span rest = sharc__certify_section_of(t->x, "pages"), row;
    struct sharc_merkle tree;
    if (sharc_jcs_check(t->x->text, &t->err) < 0) return;
    sharc_merkle_init(&tree);
    while (sharc__certify_element(&rest, &row)) sharc_merkle_add(&tree, row);
    sharc__certify_root(&tree, t->root);
    sharc_merkle_done(&tree);
}

static void check_root(struct checking *x, struct sharc_span found)
{
    struct sharc_span said = sharc__certify_section_of(x, "root");
    if (sharc_span_eq(said, found)) return;
    sharc__certify_find(x->out, x->o->certificate, said.p ? (uint64_t)(said.p - x->text.p) : SHARC_NOWHERE, "/root",
                        "this is not the root of the rows in /pages: it or one of them was changed");
}

/* One walk over the whole text, which may be long. Members are found by their names: by other rules there may be
 * others, and none is derived again. ret: the first member that is not the one expected there, SHARC_SPAN_NONE: none.
 * The result is how many stood as expected before it. */
static size_t find_members(struct checking *x, struct sharc_span *ret)
{
    struct sharc_span rest = x->text, name, value;
    size_t expected = 0;
    *ret = SHARC_SPAN_NONE;
    while (sharc__certify_member(&rest, &name, &value)) {
        for (size_t i = 0; sharc__certify_sections[i]; i++)
            if (sharc_span_is(name, sharc__certify_sections[i])) x->members[i] = value;
        if (ret->p) continue;
        const char *next = sharc__certify_sections[expected];
        if (next && sharc_span_is(name, next))
            expected++;
        else
            *ret = name;
    }
    return expected;
}

/* Members that nobody knows say nothing that was checked. */
static void check_members(struct checking *x, size_t found, struct sharc_span stray)
{
    const char *expected = sharc__certify_sections[found];
    if (stray.p) {
        SHARC_AUTO(sharc_freep) char *path = sharc_asprintf("/%.*s", SHARC_SPAN_ARG(stray));
        sharc__certify_find(x->out, x->o->certificate, (uint64_t)(stray.p - x->text.p), path,
                            "a certificate has no such member here; %s%s",
                            expected ? "expected " : "it should have ended", expected ? expected : "");
    } else if (expected) {
        sharc__certify_find(x->out, x->o->certificate, x->text.n, NULL, "member \"%s\" is missing", expected);
    }
}

/* --- all of it -------------------------------------------------------------------------------------------------- */

/* Where something else is wrong, the name of the rules may be what was changed. */
static void doubt_rules(struct checking *x)
{
    struct sharc_span said = sharc__certify_section_of(x, "rules");
    if (x->out->total)
        sharc__certify_find(x->out, x->o->certificate, (uint64_t)(said.p - x->text.p), "/rules",
                            "this sharc has " SHARC_DERIVE_RULES ": either the certificate was made by other rules, or "
                            "this was changed");
}

/* Nothing else that was found in a text that is not canonical counts: its parts may not be what they seem. */
static int tell_not_canonical(struct checking *x, const struct sharc_err *err)
{
    const char *colon = strstr(err->text, ": "); /* behind the offset, which is told apart */
    x->out->count = 0;
    x->out->total = 0;
    x->out->rules[0] = 0;
    sharc__certify_find(x->out, x->o->certificate, err->offset, NULL, "%s", colon ? colon + 2 : err->text);
    return 0;
}

/* In the order in which it is told. */
static int check_parts(struct checking *x, const struct reading *t, const struct derived *d, struct sharc_err *reterr)
{
    check_issued(x);
    check_root(x, sharc_buf_span(t->root));
    sharc__certify_check_statement(x);
    int r = check_derived(x, d, reterr);
    if (r == 0) sharc__certify_check_stamp(x);
    if (r == 0) sharc__certify_check_signature(x, x->o->certificate, x->text, sharc__certify_section_of(x, "issued"));
    if (x->other_rules) doubt_rules(x);
    return r;
}

static int check_whole(struct checking *x, struct sharc_err *reterr)
{
    struct sharc_span stray;
    size_t found = find_members(x, &stray);
    SHARC_AUTO(sharc_freep) char *rules = sharc__certify_string(sharc__certify_section_of(x, "rules"));
    x->other_rules = rules && strcmp(rules, SHARC_DERIVE_RULES) != 0;
    if (x->other_rules) snprintf(x->out->rules, sizeof x->out->rules, "%s", rules);
    if (!x->other_rules) check_members(x, found, stray);
    SHARC_AUTO(sharc_derived_freep) struct sharc_derived *f = sharc_derived_new();
    struct derived d = {.f = f, .err = SHARC_ERR_INIT};
    SHARC_AUTO(sharc_buf_done) struct sharc_buf root = SHARC_BUF_INIT(1024);
    struct reading t = {.x = x, .err = SHARC_ERR_INIT, .root = &root};
    struct sharc_pool *beside = sharc_pool_new(1);
    sharc_pool_submit(beside, read_text, &t);
    int r = x->out->total ? 0 : derive(x, &d, reterr);
    sharc_pool_free(beside);
    if (t.err.code < 0) return tell_not_canonical(x, &t.err);
    return x->out->total || r < 0 ? r : check_parts(x, &t, &d, reterr);
}

static int check_text(struct checking *x, struct sharc_err *reterr)
{
    struct sharc_err err = SHARC_ERR_INIT;
    SHARC_AUTO(sharc_freep) char *format = sharc__certify_string(sharc__certify_get(x->text, "format"));
    if (format && strcmp(format, CERTIFY_FORMAT) == 0) return check_whole(x, reterr);
    if (sharc_jcs_check(x->text, &err) < 0) return tell_not_canonical(x, &err);
    if (format && strcmp(format, CERTIFY_PAGE_FORMAT) == 0) return sharc__certify_check_page(x, reterr);
    sharc__certify_find(x->out, x->o->certificate, SHARC_NOWHERE, "/format",
                        "\"%.60s\" is not \"" CERTIFY_FORMAT "\": no certificate, or one of a newer sharc",
                        format ? format : "");
    return 0;
}

/* begin holds the text, where it is from and where findings go. Where nobody says where its files are, they are at
 * home: beside it, or in the WACZ that it is in. */
static int check_at(const struct sharc_certify_checking *o, const char *home, const struct checking *begin,
                    struct sharc_err *reterr)
{
    struct sharc_certify_checking all = *o;
    struct checking x = *begin;
    if (all.count == 0) {
        all.paths = &home;
        all.count = 1;
    }
    x.o = &all;
    return check_text(&x, reterr);
}

static int check_container(const struct sharc_certify_checking *o, struct sharc_span bytes,
                           struct sharc_certify_checked *ret, struct sharc_err *reterr)
{
    SHARC_AUTO(sharc_buf_done) struct sharc_buf text = SHARC_BUF_INIT(SHARC_LIMIT_ZIP_UNPACKED);
    SHARC_AUTO(sharc_zip_done) struct sharc_zip zip = {.count = 0};
    SHARC_AUTO(sharc_freep) char *name = NULL;
    int r = sharc__certify_open_container(o->certificate, bytes, &zip, &text, &name, reterr);
    if (r < 0) return r;
    struct sharc_certify_checking named = *o;
    named.certificate = name;
    struct checking x = {.text = sharc_buf_span(&text), .out = ret, .zip = &zip, .inside = strlen(o->certificate) + 1};
    return check_at(&named, o->certificate, &x, reterr);
}

int sharc_certify_check(const struct sharc_certify_checking *o, struct sharc_certify_checked *ret,
                        struct sharc_err *reterr)
{
    struct sharc_filemap map;
    *ret = (struct sharc_certify_checked){0};
    sharc_arena_init(&ret->arena, SIZE_MAX);
    int r = sharc_filemap_open(&map, o->certificate, reterr);
    if (r < 0) return r;
    SHARC_AUTO(sharc_freep) char *parent = sharc_path_parent(o->certificate);
    struct checking x = {.text = map.bytes, .out = ret};
    r = sharc__certify_is_container(map.bytes) ? check_container(o, map.bytes, ret, reterr)
                                               : check_at(o, parent, &x, reterr);
    sharc_filemap_done(&map);
    return r;
}

/* SPDX-License-Identifier: Apache-2.0
 *
 * Captures of a catalogue side by side. The database pairs the pages; where their records
 * lie is in its rows, so no index is needed.
 */
#include "set.h"
#include "sharc/archive.h"
#include "sharc/store_query.h"
#include "sharc/store_weakness.h"

#include <stdlib.h>

/* An archive file of the catalogue: its name, and its bytes once somebody asked. */
struct file {
    struct sharc_span name; /* interned; .p == NULL: unknown */
    struct sharc_span bytes;
    bool asked;
};

struct files {
    struct sharc_diff_side *side; /* maps them */
    const char *archive;
    struct file *items; /* by number */
    size_t count, room;
};

static void files_done(struct files *f)
{
    free(f->items);
}

static int read_names(struct files *f, struct sharc_store *store, struct sharc_intern *names, struct sharc_err *reterr)
{
    SHARC_AUTO(sharc_store_rows_freep) struct sharc_store_rows *rows = NULL;
    struct sharc_store_warc w;
    int r = sharc_store_warcs(store, &rows, reterr);
    while (r >= 0 && (r = sharc_store_rows_next(rows, reterr)) > 0) {
        sharc_store_read_warc(rows, &w);
        if (w.id < 0 || w.id > UINT32_MAX) continue;
        size_t id = (size_t)w.id, old = f->room;
        SHARC_GROW(f->items, f->room, id + 1);
        if (f->room > old) memset(f->items + old, 0, (f->room - old) * sizeof *f->items);
        if (f->count <= id) f->count = id + 1;
        f->items[id].name = sharc_intern_text(names, sharc_intern_add(names, w.name, NULL));
    }
    return r;
}

/* A WARC inside a container stands in it byte for byte: its place is found once, the map stays. */
static struct sharc_span inside(struct sharc_span container, struct sharc_span name)
{
    struct sharc_zip zip;
    struct sharc_span bytes = SHARC_SPAN_NONE;
    if (sharc_zip_open_bytes(&zip, "container", container, NULL) < 0) return bytes;
    const struct sharc_zip_entry *e = sharc_zip_find(&zip, name);
    if (!e || e->method != SHARC_ZIP_STORED || sharc_zip_raw(&zip, e, &bytes, NULL) < 0) bytes = SHARC_SPAN_NONE;
    sharc_zip_done(&zip);
    return bytes;
}

/* "warcs/a.warc.gz" below the archive, "/elsewhere/a.warc.gz", or either with "#archive/b.warc.gz" of a WACZ. */
static struct sharc_span open_file(struct files *f, struct sharc_span name)
{
    struct sharc_span file, part, bytes;
    sharc_warc_name_split(name, &file, &part);
    SHARC_AUTO(sharc_freep) char *path = sharc_archive_file(f->archive, name);
    if (sharc__diff_side_file(f->side, path, &bytes, NULL) < 0) return SHARC_SPAN_NONE;
    return part.n ? inside(bytes, part) : bytes;
}

static struct file file_of(struct files *f, sharc_store_id id)
{
    if (id <= 0 || (uint64_t)id >= f->count || !f->items[id].name.p) return (struct file){.asked = true};
    struct file *file = &f->items[id];
    if (!file->asked) file->bytes = open_file(f, file->name);
    file->asked = true;
    return *file;
}

/* --- facts ------------------------------------------------------------------------------ */

static struct sharc_diff_facts facts_of_look(struct files *f, const struct sharc_store_look *look)
{
    const struct file file = file_of(f, look->place.warc);
    return (struct sharc_diff_facts){.there = true,
                                     .status = look->status,
                                     .when = look->when,
                                     .ended = look->when == SHARC_TIME_NONE || look->took < 0 ? look->when
                                                                                              : look->when + look->took,
                                     .file = file.name,
                                     .offset = look->place.offset,
                                     .bytes = file.bytes,
                                     .digest = look->digest};
}

static struct sharc_diff_facts facts_of_page(struct files *f, const struct sharc_store_page *p,
                                             const struct sharc__diff_memory *m)
{
    struct sharc_diff_facts facts = facts_of_look(f, &p->visit);
    facts.revisit = p->record == SHARC_STORE_IDENTICAL || p->record == SHARC_STORE_NOT_MODIFIED;
    if (facts.revisit && p->body.warc) {
        facts.body_bytes = file_of(f, p->body.warc).bytes;
        facts.body_offset = p->body.offset;
    }
    if (p->mime.n) facts.mime = sharc_intern_text(m->names, sharc_intern_add(m->names, p->mime, NULL));
    return facts;
}

/* A later look whose payload is that of the visit may stand in the archive as a record that
 * only refers to it. */
static struct sharc_diff_facts facts_of_later(struct files *f, const struct sharc_store_page *p,
                                              const struct sharc_store_look *look, struct sharc_span mime)
{
    struct sharc_diff_facts facts = facts_of_look(f, look);
    const struct sharc_store_place *body = p->body.warc ? &p->body : &p->visit.place;
    facts.mime = mime;
    if (look->digest.n && sharc_digest_eq(&look->digest, &p->visit.digest)) {
        facts.revisit = true;
        facts.body_bytes = file_of(f, body->warc).bytes;
        facts.body_offset = body->offset;
    }
    return facts;
}

/* --- captures --------------------------------------------------------------------------- */

static bool is_wanted(const struct sharc_diff_options *o, struct sharc_span url)
{
    return !o->url.n || sharc_span_eq(o->url, url);
}

static int pair_captures(struct filler *fill, struct files *files, struct sharc_store *store, sharc_store_id before,
                         sharc_store_id after, const struct sharc_diff_options *o, struct sharc_err *reterr)
{
    static const struct sharc_diff_facts none = {.there = false};
    SHARC_AUTO(sharc_store_rows_freep) struct sharc_store_rows *rows = NULL;
    struct sharc__diff_memory m = sharc__diff_filler_memory(fill);
    struct sharc_store_pair_filter f = {.a = before, .b = after};
    struct sharc_store_pair p;
    int r = sharc_store_compare(store, &f, &rows, reterr);
    while (r >= 0 && (r = sharc_store_rows_next(rows, reterr)) > 0) {
        sharc_store_read_pair(rows, &p);
        if (!is_wanted(o, p.url)) continue;
        struct sharc_diff_facts a = p.in_a ? facts_of_page(files, &p.a, &m) : none;
        struct sharc_diff_facts b = p.in_b ? facts_of_page(files, &p.b, &m) : none;
        r = sharc__diff_filler_add(fill, p.url, &a, &b, reterr);
    }
    return r;
}

static int pair_looks(struct filler *fill, struct files *files, struct sharc_store *store, sharc_store_id capture,
                      const struct sharc_diff_options *o, struct sharc_err *reterr)
{
    SHARC_AUTO(sharc_store_rows_freep) struct sharc_store_rows *rows = NULL;
    struct sharc__diff_memory m = sharc__diff_filler_memory(fill);
    struct sharc_store_page_filter f = {.capture = capture, .looks = true, .grades = true};
    struct sharc_store_page p;
    int r = sharc_store_pages(store, &f, &rows, reterr);
    while (r >= 0 && (r = sharc_store_rows_next(rows, reterr)) > 0) {
        sharc_store_read_page(rows, &p);
        if (p.revisit.when == SHARC_TIME_NONE || !is_wanted(o, p.url)) continue;
        struct sharc_diff_facts a = facts_of_page(files, &p, &m), b = facts_of_later(files, &p, &p.revisit, a.mime);
        /* A page that was looked at twice before is coherent from the second look on. */
        if (p.second.when != SHARC_TIME_NONE) a = facts_of_later(files, &p, &p.second, a.mime);
        b.graded = p.grade.reason;
        if (p.grade.detail.n)
            b.graded_detail = sharc_intern_text(m.names, sharc_intern_add(m.names, p.grade.detail, NULL));
        r = sharc__diff_filler_add(fill, p.url, &a, &b, reterr);
    }
    return r;
}

/* Whose word are the grades of the capture? */
static void note_grader(const struct sharc_store_capture *c, struct sharc_diff_set *ret)
{
    struct sharc_store_claim claim;
    enum sharc_store_grader by = sharc_store_grader(c, &claim);
    ret->graded_by = sharc_store_grader_word(by);
    ret->trusted = by != SHARC_STORE_GRADER_FILE;
    ret->unfounded = claim.unfounded;
}

/* What stands in the capture's own row: `side` 0 of the one before, 1 of the one after. */
static int read_capture(struct sharc_store *store, sharc_store_id capture, int side, struct sharc_diff_set *ret,
                        struct sharc_err *reterr)
{
    SHARC_AUTO(sharc_store_rows_freep) struct sharc_store_rows *rows = NULL;
    struct sharc_store_capture_filter f = SHARC_STORE_CAPTURE_FILTER_INIT;
    struct sharc_store_capture c;
    f.id = capture;
    int r = sharc_store_captures(store, &f, &rows, reterr);
    if (r >= 0) r = sharc_store_rows_next(rows, reterr);
    if (r <= 0) return r;
    sharc_store_read_capture(rows, &c);
    ret->weakened[side] = sharc_store_weakened(c.params);
    ret->unfinished[side] = c.state != SHARC_CAPTURE_COMPLETE && c.state != SHARC_CAPTURE_IMPORTED;
    if (ret->single) note_grader(&c, ret);
    return 0;
}

int sharc_diff_captures(struct sharc_store *store, const char *archive, sharc_store_id before, sharc_store_id after,
                        const struct sharc_diff_options *o, struct sharc_diff_set *ret, struct sharc_err *reterr)
{
    SHARC_AUTO(sharc__diff_filler_freep) struct filler *fill = sharc__diff_filler_new(ret, o);
    ret->catalogue = sharc_diff_side_new(NULL);
    SHARC_AUTO(files_done) struct files files = {.side = ret->catalogue, .archive = archive};
    ret->single = before == after;
    int r = read_names(&files, store, ret->names, reterr);
    if (r >= 0) r = read_capture(store, before, 0, ret, reterr);
    if (r >= 0) r = read_capture(store, after, 1, ret, reterr);
    if (r >= 0)
        r = ret->single ? pair_looks(fill, &files, store, before, o, reterr)
                        : pair_captures(fill, &files, store, before, after, o, reterr);
    return r < 0 ? r : sharc__diff_filler_finish(fill, reterr);
}

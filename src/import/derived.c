/* SPDX-License-Identifier: Apache-2.0
 *
 * The grades of an imported capture of our crawler, from its records: room derive compares the downloads in the
 * files again. What a closing record says is kept as a claim, in numbers, beside what was found.
 */
#include "import_int.h"

#include "sharc/derive.h"

#include <stdlib.h>

struct deriving {
    struct import_writer *w;
    struct import_capture *capture;
    struct sharc_map64 warcs;  /* rows of the files it is in */
    struct sharc_intern *urls; /* of its pages */
    char **paths;
    size_t count, room;
};

static void deriving_done(struct deriving *x)
{
    sharc_map64_done(&x->warcs);
    sharc_intern_free(x->urls);
    sharc_names_free(x->paths, x->count);
}

/* --- files ------------------------------------------------------------------------------ */

static void add_path(struct deriving *x, char *path)
{
    for (size_t i = 0; i < x->count; i++)
        if (strcmp(x->paths[i], path) == 0) { /* a container has several files */
            free(path);
            return;
        }
    SHARC_GROW(x->paths, x->room, x->count + 1);
    x->paths[x->count++] = path;
}

/* Those that its rows point into, in this import or an earlier one; and files that hold only its control downloads or
 * its end: the last capture in a file is in its row. */
static int name_files(struct deriving *x, struct sharc_err *reterr)
{
    SHARC_AUTO(sharc_store_rows_freep) struct sharc_store_rows *rows = NULL;
    int r = sharc_store_warcs(x->w->store, &rows, reterr);
    while (r >= 0 && (r = sharc_store_rows_next(rows, reterr)) > 0) {
        struct sharc_store_warc warc = {0};
        sharc_store_read_warc(rows, &warc);
        if (warc.capture == x->capture->id || sharc_map64_find(&x->warcs, (uint64_t)warc.id))
            add_path(x, sharc_archive_file(x->w->o->archive, warc.name));
    }
    return r;
}

/* --- into the catalogue -------------------------------------------------------------------- */

/* Two captures of one run began at the same instant: only pages with a row are surely of this one. */
static bool is_alone(const struct deriving *x)
{
    const struct import_captures *c = &x->w->captures;
    size_t same = 0;
    for (size_t i = 0; i < c->count; i++) same += !c->items[i].gone && c->items[i].run == x->capture->run;
    return same == 1;
}

static int put_grades(struct deriving *x, const struct sharc_derived *f, struct sharc_err *reterr)
{
    struct import_capture *c = x->capture;
    bool alone = is_alone(x);
    int r = 0;
    for (size_t i = 0; r >= 0 && i < f->page_count; i++) {
        const struct sharc_derived_page *p = &f->pages[i];
        struct sharc_span url = sharc_derived_text(f, p->url);
        if (!alone && sharc_intern_find(x->urls, url) == SHARC_NO_ID) continue;
        struct sharc_store_grade g = SHARC_STORE_GRADE_INIT;
        g.reason = (enum sharc_grade_reason)p->reason;
        g.from = p->known_from;
        g.to = p->known_to;
        if (p->detail) g.detail = sharc_span_of(f->details[p->detail].line);
        bool claimed = sharc_grade_is_proof(sharc_grade_of((enum sharc_grade_reason)p->stated));
        c->claim.pages += p->stated != SHARC_GRADED_NOT_GRADED;
        c->claim.proved += claimed;
        c->claim.unfounded += claimed && !sharc_grade_is_proof(sharc_derived_grade(p));
        r = sharc_store_batch_grade(x->w->batch, c->id, url, &g, reterr);
        if (r == SHARC_ELIMIT) r = 0;
        if (r == 0 && sharc_store_batch_full(x->w->batch)) r = sharc__import_writer_commit(x->w, reterr);
    }
    return r;
}

static int put_capture(struct deriving *x, const struct sharc_derived *f, struct sharc_err *reterr)
{
    struct sharc_store_capture row = SHARC_STORE_CAPTURE_INIT;
    row.id = x->capture->id;
    row.state = SHARC_CAPTURE_IMPORTING;
    row.reference = row.reference_from = f->from;
    row.reference_to = f->to;
    x->capture->derived = x->capture->widened = true; /* parameters are written again */
    return sharc_store_batch_capture(x->w->batch, &row, reterr);
}

static void warn_unfounded(const struct deriving *x)
{
    const struct sharc_import_options *o = x->w->o;
    const struct sharc_store_claim *claim = &x->capture->claim;
    struct sharc_err err = SHARC_ERR_INIT;
    if (!claim->unfounded || !o->warn) return;
    sharc_fail(&err, SHARC_EDIGEST, "%.*s: its closing record calls %s proved that the downloads do not show to be so",
               SHARC_SPAN_ARG(sharc_intern_text(x->w->captures.keys, x->capture->key)),
               SHARC_COUNT(claim->unfounded, "page"));
    o->warn(o->arg, &err);
}

static int derive(struct deriving *x, sharc_time began, struct sharc_err *reterr)
{
    SHARC_AUTO(sharc_derived_freep) struct sharc_derived *f = sharc_derived_new();
    const struct sharc_derive_options o = {.capture = began, .threads = x->w->o->threads, .lenient = true};
    x->capture->claim = (struct sharc_store_claim){0};
    int r = sharc_derive_rows(x->w->store, x->capture->id, &x->warcs, x->urls, reterr);
    if (r >= 0) r = name_files(x, reterr);
    if (r >= 0) r = sharc_derive_open(f, (const char *const *)x->paths, x->count, reterr);
    if (r >= 0) r = sharc_derive_run(f, &o, reterr);
    bool revisited = false;
    for (size_t i = 0; r >= 0 && i < f->page_count; i++) revisited |= f->pages[i].revisit != SHARC_DERIVED_NONE;
    if (r < 0 || !revisited) return r; /* nothing was to be proved */
    r = put_grades(x, f, reterr);
    if (r >= 0) r = put_capture(x, f, reterr);
    if (r >= 0) warn_unfounded(x);
    return r;
}

int sharc__import_derive(struct import_writer *w, size_t capture, struct sharc_err *reterr)
{
    struct import_capture *c = &w->captures.items[capture];
    sharc_time began;
    if (!c->exact || c->crawled || sharc_time_parse(sharc_intern_text(w->captures.names, c->run), &began, NULL) < 0)
        return 0;
    SHARC_AUTO(deriving_done) struct deriving x = {.w = w, .capture = c, .urls = sharc_intern_new()};
    struct sharc_err err = SHARC_ERR_INIT;
    sharc_map64_init(&x.warcs);
    int r = derive(&x, began, &err);
    if (r >= 0) return 0;
    if (r == SHARC_EDB || r == SHARC_ENET || r == SHARC_EBUSY) {
        if (reterr) *reterr = err;
        return r;
    }
    /* A file that is gone, or cannot be read: there are no grades then. */
    if (w->o->warn) w->o->warn(w->o->arg, &err);
    return 0;
}

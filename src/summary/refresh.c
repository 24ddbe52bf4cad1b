/* SPDX-License-Identifier: Apache-2.0
 *
 * Making what is missing. Reading rows is what takes time, so that is what is counted against the limit.
 */
#include "summary_int.h"

#include <stdlib.h>

enum { ROWS = 30000000 };

struct capture {
    sharc_store_id id, site;
    uint64_t rows; /* pages and revisits */
    bool whole;    /* nobody is writing to it */
};

struct refreshing {
    struct summary_making m;
    struct capture *captures; /* by start */
    size_t count, room;
    uint64_t rows, left; /* of all captures; that may still be read */
    const volatile bool *stop;
};

static bool may_read(struct refreshing *f, uint64_t rows)
{
    if ((f->stop && *f->stop) || rows > f->left) return false;
    return true;
}

/* What made something has read that much. */
static void pay(struct refreshing *f, uint64_t made, uint64_t rows)
{
    if (f->m.made == made) return;
    f->left -= rows < f->left ? rows : f->left;
}

static int list(struct refreshing *f, struct sharc_err *reterr)
{
    SHARC_AUTO(sharc_store_rows_freep) struct sharc_store_rows *rows = NULL;
    struct sharc_store_capture c;
    int r = sharc_store_captures(f->m.store, NULL, &rows, reterr);
    while (r >= 0 && (r = sharc_store_rows_next(rows, reterr)) > 0) {
        sharc_store_read_capture(rows, &c);
        SHARC_GROW(f->captures, f->room, f->count + 1);
        f->captures[f->count++] = (struct capture){
            .id = c.id,
            .site = c.site,
            .whole = c.state != SHARC_CAPTURE_RUNNING && c.state != SHARC_CAPTURE_IMPORTING,
        };
    }
    return r;
}

/* Counts are kept of every capture, whatever the limit: one question each, and all else is planned by them. */
static int count(struct refreshing *f, struct sharc_err *reterr)
{
    int r = 0;
    for (size_t i = 0; r >= 0 && i < f->count; i++) {
        struct capture *c = &f->captures[i];
        struct sharc_store_capture_sums sums;
        if (c->whole) r = sharc_store_counts_keep(f->m.store, c->id, reterr);
        f->m.made += r > 0;
        if (r >= 0) r = sharc_store_capture_sum(f->m.store, c->id, &sums, reterr);
        if (r < 0) return r;
        c->rows = sums.pages + sums.revisited;
        f->rows += c->rows;
    }
    return r;
}

/* --- one site ------------------------------------------------------------------------------------ */

/* The newest captures of a site, as the web interface asks for them, and their rows. */
struct series {
    sharc_store_id ids[SHARC_SUMMARY_CAPTURES];
    const struct capture *captures[SHARC_SUMMARY_CAPTURES];
    size_t count;
    uint64_t rows;
    bool whole;
};

static void collect(const struct refreshing *f, sharc_store_id site, struct series *ret)
{
    size_t of_site = 0, skip = 0;
    *ret = (struct series){.whole = true};
    for (size_t i = 0; i < f->count; i++) of_site += f->captures[i].site == site;
    if (of_site > SHARC_SUMMARY_CAPTURES) skip = of_site - SHARC_SUMMARY_CAPTURES;
    for (size_t i = 0; i < f->count; i++) {
        const struct capture *c = &f->captures[i];
        if (c->site != site || (skip && skip--)) continue;
        ret->captures[ret->count] = c;
        ret->ids[ret->count++] = c->id;
        ret->rows += c->rows;
        ret->whole = ret->whole && c->whole;
    }
}

static int make_steps(struct refreshing *f, const struct series *s, struct sharc_err *reterr)
{
    for (size_t i = s->count; i-- > 0;) {
        struct sharc_figure_step step = {0};
        uint64_t rows = s->captures[i]->rows + (i ? s->captures[i - 1]->rows : 0), made = f->m.made;
        if (!s->captures[i]->whole || (i && !s->captures[i - 1]->whole) || !may_read(f, rows)) continue;
        int r = sharc__summary_step(&f->m, s->ids, i, &step, reterr);
        sharc_freep(&step.key);
        if (r < 0) return r;
        pay(f, made, rows);
    }
    return 0;
}

/* Pages of each capture, the newest first, what changed since the one before, and the pictures of both. */
static int make_pictures(struct refreshing *f, const struct series *s, struct sharc_err *reterr)
{
    int r = 0;
    for (size_t i = s->count; r >= 0 && i-- > 0;) {
        const struct capture *c = s->captures[i], *before = i && s->captures[i - 1]->whole ? s->captures[i - 1] : NULL;
        uint64_t made = f->m.made, rows = 3 * c->rows + (before ? before->rows : 0);
        if (!c->whole || !may_read(f, rows)) continue;
        r = sharc__summary_sheet(&f->m, c->id, NULL, reterr);
        if (r >= 0) r = sharc__summary_prints(&f->m, c->id, NULL, reterr);
        if (r >= 0 && before) r = sharc__summary_changes(&f->m, before->id, c->id, NULL, reterr);
        if (r >= 0) r = sharc__summary_pictures(&f->m, before ? before->id : 0, c->id, reterr);
        pay(f, made, rows);
    }
    return r;
}

static int make_series(struct refreshing *f, sharc_store_id site, struct sharc_err *reterr)
{
    struct series s;
    collect(f, site, &s);
    uint64_t made;
    int r = make_steps(f, &s, reterr);
    if (r >= 0) r = make_pictures(f, &s, reterr);
    if (r < 0 || !s.whole || !may_read(f, s.rows)) return r;
    made = f->m.made;
    r = sharc__summary_calendar(&f->m, s.ids, s.count, SHARC_SUMMARY_ROWS, NULL, reterr);
    pay(f, made, s.rows);
    if (r < 0 || !may_read(f, s.rows)) return r;
    made = f->m.made;
    r = sharc__summary_subsites(&f->m, s.ids, s.count, NULL, reterr);
    pay(f, made, s.rows);
    /* Observations are sorted by URL, which takes about twice as long as reading them. */
    if (r < 0 || s.count == SHARC_SUMMARY_CAPTURES || !may_read(f, 3 * s.rows)) return r;
    made = f->m.made;
    r = sharc__summary_week(&f->m, site, NULL, reterr);
    pay(f, made, 3 * s.rows);
    return r;
}

/* --- all --------------------------------------------------------------------------------------------- */

static int make_verdict(struct refreshing *f, size_t i, struct sharc_err *reterr)
{
    uint64_t made = f->m.made;
    if (!f->captures[i].whole || !may_read(f, f->rows)) return 0;
    int r = sharc__summary_verdict(&f->m, f->captures[i].id, NULL, reterr);
    pay(f, made, f->rows);
    return r;
}

static bool is_newest(const struct refreshing *f, size_t i)
{
    for (size_t k = i + 1; k < f->count; k++)
        if (f->captures[k].site == f->captures[i].site) return false;
    return true;
}

static int refresh(struct refreshing *f, struct sharc_err *reterr)
{
    int r = list(f, reterr);
    if (r >= 0) r = count(f, reterr);
    for (size_t i = f->count; r >= 0 && i-- > 0;)
        if (is_newest(f, i)) r = make_verdict(f, i, reterr);
    for (size_t i = f->count; r >= 0 && i-- > 0;)
        if (is_newest(f, i)) r = make_series(f, f->captures[i].site, reterr);
    for (size_t i = f->count; r >= 0 && i-- > 0;) r = make_verdict(f, i, reterr);
    return r < 0 ? r : 0;
}

int sharc_summary_refresh(struct sharc_store *s, const struct sharc_summary_options *o, uint64_t *ret,
                          struct sharc_err *reterr)
{
    struct refreshing f = {.m = {.store = s, .keep = true},
                           .left = o && o->rows ? o->rows : ROWS,
                           .stop = o ? o->stop : NULL};
    int r = refresh(&f, reterr);
    free(f.captures);
    if (r < 0) return r;
    *ret = f.m.made;
    return 0;
}

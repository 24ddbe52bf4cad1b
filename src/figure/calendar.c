/* SPDX-License-Identifier: Apache-2.0
 *
 * The change calendar: what happened to each page from capture to capture, pages that change
 * together side by side.
 */
#include "figure_int.h"
#include "sharc/base_map.h"
#include "sharc/store_sightings.h"

#include <stdlib.h>

enum { MOST_ROWS = 200000 };

/* Something that happened to a page at a capture. */
struct event {
    uint32_t page;
    uint32_t column;
    uint8_t change;
};

struct page {
    sharc_store_id id;
    uint32_t events; /* that give it a row */
    uint32_t row;    /* 1 + index; 0: none */
    bool unknown;
};

/* Which pages a capture has: a bit for each, as far as there is room. */
struct presence {
    uint64_t *bits;
    size_t room;
};

struct marking {
    struct sharc_figure_calendar *f;
    struct sharc_map64 page_of; /* URL number -> 1 + index */
    struct page *pages;
    size_t page_count, page_room;
    struct event *events;
    size_t event_count, event_room;
    uint32_t column;
    struct presence *there; /* of each capture */
    size_t capture_count;
};

static void marking_done(struct marking *m)
{
    for (size_t i = 0; i < m->capture_count; i++) free(m->there[i].bits);
    free(m->there);
    sharc_map64_done(&m->page_of);
    free(m->pages);
    free(m->events);
}

static uint32_t page_of(struct marking *m, sharc_store_id id)
{
    uint64_t *at = sharc_map64_at(&m->page_of, (uint64_t)id);
    if (*at == 0) {
        SHARC_GROW(m->pages, m->page_room, m->page_count + 1);
        m->pages[m->page_count++] = (struct page){.id = id};
        *at = m->page_count;
    }
    return (uint32_t)*at - 1;
}

static bool gives_row(uint8_t change)
{
    return change == SHARC_FIGURE_TEXT || change == SHARC_FIGURE_LINKS || change == SHARC_FIGURE_NEW ||
           change == SHARC_FIGURE_MISSING;
}

static int mark(void *arg, const struct sharc_store_pair *p, struct sharc_err *reterr)
{
    struct marking *m = arg;
    (void)reterr;
    struct event e = {page_of(m, p->url_id), m->column, (uint8_t)sharc_figure_class_of_pair(p)};
    SHARC_GROW(m->events, m->event_room, m->event_count + 1);
    m->events[m->event_count++] = e;
    m->pages[e.page].events += gives_row(e.change);
    m->pages[e.page].unknown = m->pages[e.page].unknown || e.change == SHARC_FIGURE_FAILED;
    return 0;
}

/* --- rows ------------------------------------------------------------------------------------------------- */

static int by_events(const void *a, const void *b, void *arg)
{
    const struct page *pages = arg;
    const struct page *x = &pages[*(const uint32_t *)a], *y = &pages[*(const uint32_t *)b];
    if (x->events != y->events) return x->events > y->events ? -1 : 1;
    return (x->id > y->id) - (x->id < y->id);
}

static void choose_rows(struct marking *m, size_t most)
{
    struct sharc_figure_calendar *f = m->f;
    SHARC_AUTO(sharc_freep) uint32_t *busy = SHARC_NEW_ARRAY(uint32_t, m->page_count + 1);
    size_t n = 0;
    for (uint32_t i = 0; i < m->page_count; i++) {
        if (m->pages[i].events)
            busy[n++] = i;
        else
            *(m->pages[i].unknown ? &f->unknown : &f->quiet) += 1;
    }
    if (n) qsort_r(busy, n, sizeof *busy, by_events, m->pages);
    f->count = n < most ? n : most;
    f->left_out = n - f->count;
    f->rows = SHARC_NEW_ARRAY(struct sharc_figure_calendar_row, f->count + 1);
    for (size_t i = 0; i < f->count; i++) {
        f->rows[i].url_id = m->pages[busy[i]].id;
        m->pages[busy[i]].row = (uint32_t)i + 1;
    }
}

/* Is the page in the capture of that number? */
static bool is_there(const struct marking *m, size_t capture, uint32_t page)
{
    const struct presence *t = &m->there[capture];
    return page / 64 < t->room && (t->bits[page / 64] >> page % 64 & 1);
}

static void fill_cells(struct marking *m)
{
    struct sharc_figure_calendar *f = m->f;
    f->cells = SHARC_NEW_ARRAY(uint8_t, f->count * f->columns + 1);
    memset(f->cells, SHARC_FIGURE_ABSENT, f->count * f->columns);
    for (uint32_t i = 0; i < m->page_count; i++)
        for (size_t k = 0; m->pages[i].row && k < f->columns; k++)
            if (is_there(m, k, i) && is_there(m, k + 1, i))
                f->cells[(m->pages[i].row - 1) * f->columns + k] = SHARC_FIGURE_UNCHANGED;
    for (size_t i = 0; i < m->event_count; i++) {
        const struct event *e = &m->events[i];
        uint32_t row = m->pages[e->page].row;
        if (!row) continue;
        f->cells[(row - 1) * f->columns + e->column] = e->change;
        f->rows[row - 1].changes += e->change == SHARC_FIGURE_TEXT || e->change == SHARC_FIGURE_LINKS;
    }
}

/* Every page of a capture is known, also one that never changes. */
static int note_pages(struct sharc_store *s, struct marking *m, sharc_store_id capture, struct presence *there,
                      struct sharc_err *reterr)
{
    SHARC_AUTO(sharc_store_rows_freep) struct sharc_store_rows *rows = NULL;
    struct sharc_store_value url;
    int r = sharc_store_page_urls(s, capture, &rows, reterr);
    while (r >= 0 && (r = sharc_store_rows_next(rows, reterr)) > 0) {
        sharc_store_rows_value(rows, 0, &url);
        uint32_t page = page_of(m, url.i);
        size_t had = there->room;
        SHARC_GROW(there->bits, there->room, (size_t)page / 64 + 1);
        memset(there->bits + had, 0, (there->room - had) * sizeof *there->bits);
        there->bits[page / 64] |= UINT64_C(1) << page % 64;
    }
    return r;
}

/* --- order -------------------------------------------------------------------------------------------------- */

/* What counts for the order: a change, a page that came, one that went. */
static uint8_t code_of(uint8_t change)
{
    return change == SHARC_FIGURE_TEXT || change == SHARC_FIGURE_LINKS ? 1
           : change == SHARC_FIGURE_NEW                                ? 2
           : change == SHARC_FIGURE_MISSING                            ? 3
                                                                       : 0;
}

struct sorting {
    const uint32_t *place; /* of each row's pattern */
    const uint32_t *pattern;
    const struct sharc_figure_calendar_row *rows;
};

static int by_place(const void *a, const void *b, void *arg)
{
    const struct sorting *k = arg;
    uint32_t i = *(const uint32_t *)a, j = *(const uint32_t *)b;
    uint32_t x = k->place[k->pattern[i]], y = k->place[k->pattern[j]];
    if (x != y) return x < y ? -1 : 1;
    return (k->rows[i].url_id > k->rows[j].url_id) - (k->rows[i].url_id < k->rows[j].url_id);
}

static void permute(struct sharc_figure_calendar *f, const uint32_t *order)
{
    struct sharc_figure_calendar_row *rows = SHARC_NEW_ARRAY(struct sharc_figure_calendar_row, f->count + 1);
    uint8_t *cells = SHARC_NEW_ARRAY(uint8_t, f->count * f->columns + 1);
    for (size_t i = 0; i < f->count; i++) {
        rows[i] = f->rows[order[i]];
        memcpy(cells + i * f->columns, f->cells + order[i] * f->columns, f->columns);
    }
    free(f->rows);
    free(f->cells);
    f->rows = rows;
    f->cells = cells;
}

static void order_rows(struct sharc_figure_calendar *f)
{
    SHARC_AUTO(sharc_intern_freep) struct sharc_intern *patterns = sharc_intern_new();
    SHARC_AUTO(sharc_freep) uint32_t *pattern = SHARC_NEW_ARRAY(uint32_t, f->count + 1);
    SHARC_AUTO(sharc_freep) uint8_t *codes = SHARC_NEW_ARRAY(uint8_t, f->columns + 1);
    for (size_t i = 0; i < f->count; i++) {
        for (size_t k = 0; k < f->columns; k++) codes[k] = code_of(f->cells[i * f->columns + k]);
        pattern[i] = sharc_intern_add(patterns, sharc_span(codes, f->columns), NULL);
    }
    size_t m = sharc_intern_count(patterns);
    SHARC_AUTO(sharc_freep) uint8_t *all = SHARC_NEW_ARRAY(uint8_t, m * f->columns + 1);
    SHARC_AUTO(sharc_freep) uint32_t *order = SHARC_NEW_ARRAY(uint32_t, m + 1);
    SHARC_AUTO(sharc_freep) uint32_t *group = SHARC_NEW_ARRAY(uint32_t, m + 1);
    SHARC_AUTO(sharc_freep) uint32_t *place = SHARC_NEW_ARRAY(uint32_t, m + 1);
    SHARC_AUTO(sharc_freep) uint32_t *rows = SHARC_NEW_ARRAY(uint32_t, f->count + 1);
    for (uint32_t i = 0; i < m; i++) memcpy(all + i * f->columns, sharc_intern_text(patterns, i).p, f->columns);
    f->groups = sharc__figure_seriate(all, m, f->columns, order, group);
    for (uint32_t i = 0; i < m; i++) place[order[i]] = i;
    for (uint32_t i = 0; i < f->count; i++) {
        rows[i] = i;
        f->rows[i].group = group[pattern[i]];
    }
    struct sorting k = {place, pattern, f->rows};
    if (f->count) qsort_r(rows, f->count, sizeof *rows, by_place, &k);
    permute(f, rows);
}

/* --- texts --------------------------------------------------------------------------------------------------- */

struct texting {
    struct sharc_figure_calendar *f;
    struct sharc_map64 row_of; /* URL number -> 1 + index */
    bool full;
};

static void take_text(void *arg, sharc_store_id url, struct sharc_span text)
{
    struct texting *t = arg;
    const uint64_t *at = sharc_map64_find(&t->row_of, (uint64_t)url);
    if (!at || *at == 0) return;
    struct sharc_span copy = sharc_arena_copy(&t->f->texts, text);
    t->f->rows[*at - 1].url = copy;
    t->full = t->full || !copy.p;
}

static int read_texts(struct sharc_store *s, struct sharc_figure_calendar *f, struct sharc_err *reterr)
{
    SHARC_AUTO(sharc_freep) sharc_store_id *ids = SHARC_NEW_ARRAY(sharc_store_id, f->count + 1);
    struct texting t = {.f = f};
    sharc_map64_init(&t.row_of);
    for (size_t i = 0; i < f->count; i++) {
        ids[i] = f->rows[i].url_id;
        *sharc_map64_at(&t.row_of, (uint64_t)ids[i]) = i + 1;
    }
    int r = sharc_store_url_texts(s, ids, f->count, take_text, &t, reterr);
    sharc_map64_done(&t.row_of);
    if (r < 0) return r;
    SHARC_FAIL_IF(t.full, reterr, SHARC_ELIMIT, "the URLs of this figure take more than 2 GB");
    return 0;
}

/* --- the calendar --------------------------------------------------------------------------------------------- */

void sharc_figure_calendar_done(struct sharc_figure_calendar *f)
{
    free(f->site);
    free(f->captures);
    free(f->starts);
    free(f->rows);
    free(f->cells);
    sharc_arena_done(&f->texts);
    *f = (struct sharc_figure_calendar){0};
}

static int columns(struct sharc_store *s, const sharc_store_id *captures, size_t n, struct sharc_figure_calendar *f,
                   struct sharc_err *reterr)
{
    f->columns = n > 0 ? n - 1 : 0;
    f->captures = SHARC_NEW_ARRAY(sharc_store_id, n + 1);
    f->starts = SHARC_NEW_ARRAY(sharc_time, n + 1);
    for (size_t i = 0; i < n; i++) {
        SHARC_AUTO(sharc__figure_capture_done) struct figure_capture c = {0};
        int r = sharc__figure_capture(s, captures[i], &c, reterr);
        if (r < 0) return r;
        if (!f->site) f->site = SHARC_TAKE(c.site_name);
        if (i == 0) continue;
        f->captures[i - 1] = c.id;
        f->starts[i - 1] = c.start;
    }
    return 0;
}

static int fill(struct sharc_store *s, struct marking *m, const sharc_store_id *captures, size_t n, size_t most,
                struct sharc_err *reterr)
{
    m->there = SHARC_NEW_ARRAY(struct presence, n + 1);
    m->capture_count = n;
    int r = n ? note_pages(s, m, captures[0], &m->there[0], reterr) : 0;
    for (size_t i = 1; r >= 0 && i < n; i++) {
        m->column = (uint32_t)i - 1;
        r = note_pages(s, m, captures[i], &m->there[i], reterr);
        if (r >= 0) r = sharc__figure_changes(s, captures[i - 1], captures[i], false, mark, m, reterr);
    }
    if (r < 0) return r;
    choose_rows(m, most);
    fill_cells(m);
    order_rows(m->f);
    return read_texts(s, m->f, reterr);
}

int sharc_figure_calendar(struct sharc_store *s, const sharc_store_id *captures, size_t n, size_t most,
                          struct sharc_figure_calendar *ret, struct sharc_err *reterr)
{
    SHARC_AUTO(sharc_figure_calendar_done) struct sharc_figure_calendar f = {0};
    struct marking m = {.f = &f};
    f.texts.max = FIGURE_TEXTS_MAX;
    int r = columns(s, captures, n, &f, reterr);
    if (r < 0) return r;
    sharc_map64_init(&m.page_of);
    r = fill(s, &m, captures, n, most && most < MOST_ROWS ? most : MOST_ROWS, reterr);
    marking_done(&m);
    if (r < 0) return r;
    *ret = f;
    f = (struct sharc_figure_calendar){0};
    return 0;
}

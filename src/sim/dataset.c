/* SPDX-License-Identifier: Apache-2.0
 *
 * The reader of recorded histories. One small row reader serves all tables: it
 * splits a line into its columns and keeps the file name and line number, so
 * that every complaint is made in the same way.
 */
#include "sharc/base_order.h"
#include "sharc/sim_dataset.h"

#include "sharc/base_arena.h"
#include "sharc/base_file.h"
#include "sharc/base_limits.h"
#include "sharc/base_node.h"

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#define COLUMNS_MAX 12

/* --- rows ---------------------------------------------------------------- */

struct table {
    char *path;
    struct sharc_span rest;
    unsigned line; /* of the row that was read last */
    unsigned columns;
    const char *header;
    struct sharc_span cell[COLUMNS_MAX];
    struct sharc_err *err;
};

#define ROW_FAIL(t, code, ...) row_fail((t), sharc_fail((t)->err, (code), __VA_ARGS__))

/* Puts file and line in front of the sentence that was just written. */
static int row_fail(struct table *t, int code)
{
    if (t->err) t->err->line = t->line;
    return sharc_err_prefix(t->err, code, "%s: line %u", t->path, t->line);
}

/* Finds name.tsv or name.tsv.gz below dir; NULL when there is neither. */
static char *table_path(const char *dir, const char *name)
{
    static const char *const endings[] = {".tsv.gz", ".tsv"};
    for (size_t i = 0; i < SHARC_LENGTH(endings); i++) {
        char *path = sharc_asprintf("%s/%s%s", dir, name, endings[i]);
        if (access(path, F_OK) == 0) return path;
        free(path);
    }
    return NULL;
}

/* Splits the next line into cells: 1 a row, 0 the end, negative an error. */
static int table_next(struct table *t)
{
    if (t->rest.n == 0) return 0;
    t->line++;
    size_t end = sharc_span_find(t->rest, '\n', 0);
    if (end == SHARC_NPOS)
        return ROW_FAIL(t, SHARC_ETRUNC, "the last line has no line end; the file was cut, copy it again");
    const char *p = t->rest.p, *stop = p + end;
    t->rest = sharc_span_from(t->rest, end + 1);
    for (unsigned c = 0; c < t->columns; c++) {
        bool last = c + 1 == t->columns;
        const char *tab = memchr(p, '\t', (size_t)(stop - p));
        if (last != (tab == NULL))
            return ROW_FAIL(t, SHARC_ESYNTAX, "%s than %u columns; a row is: %s", last ? "more" : "fewer", t->columns,
                            t->header);
        const char *cell_end = last ? stop : tab;
        t->cell[c] = sharc_span(p, (size_t)(cell_end - p));
        p = cell_end + 1;
    }
    return 1;
}

static int table_open(struct table *t, const char *dir, const char *name, const char *header, struct sharc_buf *buf,
                      struct sharc_err *reterr)
{
    *t = (struct table){.path = table_path(dir, name), .columns = 1, .header = header, .err = reterr};
    SHARC_FAIL_IF(!t->path, reterr, SHARC_ENOENT,
                  "%s: holds neither %s.tsv nor %s.tsv.gz; name the directory of a dataset", dir, name, name);
    int r = sharc_file_read_any(t->path, buf, reterr);
    if (r < 0) return r;
    t->rest = sharc_buf_span(buf);
    if (t->rest.n == 0) {
        t->line = 1;
        return ROW_FAIL(t, SHARC_ETRUNC, "the table is empty; its first line must be: %s", header);
    }
    struct sharc_span rest = t->rest;
    struct sharc_span first = sharc_span_sub(rest, 0, sharc_span_find(rest, '\n', 0));
    t->line = 1;
    if (!sharc_span_is(first, header)) return ROW_FAIL(t, SHARC_ESYNTAX, "the header must be: %s", header);
    t->rest = sharc_span_from(t->rest, first.n + 1);
    for (const char *c = header; *c; c++) t->columns += *c == '\t';
    return 0;
}

static void table_done(struct table *t)
{
    sharc_freep(&t->path);
}

static size_t count_lines(struct sharc_span s)
{
    size_t n = 0;
    for (size_t at = sharc_span_find(s, '\n', 0); at != SHARC_NPOS; at = sharc_span_find(s, '\n', at + 1)) n++;
    return n;
}

/* --- cells --------------------------------------------------------------- */

static int cell_number(struct table *t, unsigned c, const char *what, uint64_t max, uint64_t *ret)
{
    struct sharc_span s = t->cell[c];
    if (s.n > 0 && s.p[0] == '-')
        return ROW_FAIL(t, SHARC_ESYNTAX, "%s is %.*s, but it cannot be negative", what,
                        SHARC_SPAN_ARG(sharc_span_sub(s, 0, 40)));
    if (sharc_span_to_u64(s, ret) < 0 || *ret > max)
        return ROW_FAIL(t, SHARC_ESYNTAX, "%s is \"%.*s\", expected a whole number up to %llu", what,
                        SHARC_SPAN_ARG(sharc_span_sub(s, 0, 40)), (unsigned long long)max);
    return 0;
}

/* Seconds since 1970, at most the year 9999. */
static int cell_time(struct table *t, unsigned c, const char *what, double *ret)
{
    uint64_t v;
    int r = cell_number(t, c, what, UINT64_C(253402300799), &v);
    if (r == 0) *ret = (double)v;
    return r;
}

static int cell_u32(struct table *t, unsigned c, const char *what, uint32_t *ret)
{
    uint64_t v;
    int r = cell_number(t, c, what, UINT32_MAX, &v);
    if (r == 0) *ret = (uint32_t)v;
    return r;
}

/* A page id of the table `pages`, as a number from 0. */
static int cell_page(struct table *t, unsigned c, const struct sharc_dataset *d, sharc_page_no *ret)
{
    uint64_t v;
    int r = cell_number(t, c, "the page id", UINT32_MAX, &v);
    if (r < 0) return r;
    if (v == 0 || v > d->pages)
        return ROW_FAIL(t, SHARC_ESYNTAX, "page id %llu is not in the table of pages, which has ids 1 to %zu",
                        (unsigned long long)v, d->pages);
    *ret = (sharc_page_no)(v - 1);
    return 0;
}

/* --- pages --------------------------------------------------------------- */

static int page_row(struct table *t, struct sharc_dataset *d, size_t row)
{
    struct sharc_dataset_page *p = &d->page[row];
    uint64_t id;
    int r = cell_number(t, 0, "the page id", UINT32_MAX, &id);
    if (r < 0) return r;
    if (id != row + 1)
        return ROW_FAIL(t, SHARC_ESYNTAX, "page id %llu where %zu belongs; number the rows 1, 2, 3, … in order",
                        (unsigned long long)id, row + 1);
    if (t->cell[1].n == 0 || t->cell[1].p[0] != '/' || t->cell[1].n > SHARC_LIMIT_URL)
        return ROW_FAIL(t, SHARC_ESYNTAX, "the url must begin with / and have at most %u bytes", SHARC_LIMIT_URL);
    p->url = t->cell[1];
    p->mime = t->cell[2];
    r = cell_time(t, 3, "created", &p->created);
    p->deleted = HUGE_VAL;
    if (r == 0 && t->cell[4].n) r = cell_time(t, 4, "deleted", &p->deleted);
    if (r == 0 && p->deleted < p->created)
        return ROW_FAIL(t, SHARC_ESYNTAX, "the page is deleted before it is created");
    uint32_t *const counts[] = {&p->size, &p->title_words, &p->text_words, &p->images, &p->tables, &p->outlinks};
    static const char *const names[] = {"size", "title_words", "text_words", "images", "tables", "outlinks"};
    for (unsigned i = 0; r == 0 && i < SHARC_LENGTH(counts); i++) r = cell_u32(t, 5 + i, names[i], counts[i]);
    uint32_t absences;
    return r < 0 ? r : cell_u32(t, 11, "absences", &absences);
}

static int read_pages(struct sharc_dataset *d, const char *dir, struct sharc_err *reterr)
{
    SHARC_AUTO(table_done) struct table t;
    int r = table_open(&t, dir, "pages",
                       "id\turl\tmime\tcreated\tdeleted\tsize\ttitle_words\ttext_words\timages\ttables\toutlinks"
                       "\tabsences",
                       &d->text, reterr);
    if (r < 0) return r;
    size_t rows = count_lines(t.rest);
    SHARC_FAIL_IF(rows > INT32_MAX, reterr, SHARC_ELIMIT, "%s: more than %d pages", t.path, INT32_MAX);
    d->page = SHARC_NEW_ARRAY(struct sharc_dataset_page, rows);
    while ((r = table_next(&t)) > 0) {
        r = page_row(&t, d, d->pages);
        if (r < 0) return r;
        d->pages++;
    }
    SHARC_FAIL_IF(r == 0 && d->pages == 0, reterr, SHARC_EINVAL, "%s: the table has no pages; an experiment needs one",
                  t.path);
    return r;
}

/* --- lists per page ------------------------------------------------------ */

/* A table whose rows belong to pages is read into three plain arrays and then
 * sorted by page without disturbing the order of the rows (counting sort). */
struct rows {
    sharc_page_no *owner;
    double *a, *b;
    size_t n;
};

static void rows_done(struct rows *w)
{
    free(w->owner);
    free(w->a);
    free(w->b);
}

static void rows_init(struct rows *w, size_t room)
{
    *w = (struct rows){.owner = SHARC_NEW_ARRAY(sharc_page_no, room),
                       .a = SHARC_NEW_ARRAY(double, room),
                       .b = SHARC_NEW_ARRAY(double, room)};
}

/* at[p] becomes the first position of page p; returns each row's position. */
static size_t *rows_place(const struct rows *w, size_t pages, size_t **ret_at)
{
    size_t *at = SHARC_NEW_ARRAY(size_t, pages + 1), *place = SHARC_NEW_ARRAY(size_t, w->n);
    for (size_t i = 0; i < w->n; i++) at[w->owner[i] + 1]++;
    for (size_t p = 0; p < pages; p++) at[p + 1] += at[p];
    for (size_t i = 0; i < w->n; i++) place[i] = at[w->owner[i]]++;
    memmove(at + 1, at, pages * sizeof *at);
    at[0] = 0;
    *ret_at = at;
    return place;
}

static double *rows_column(const double *column, const size_t *place, size_t n)
{
    double *out = SHARC_NEW_ARRAY(double, n);
    for (size_t i = 0; i < n; i++) out[place[i]] = column[i];
    return out;
}

/* Reads one row into w->owner/a/b[w->n] and checks it. */
typedef int row_fn(struct table *t, const struct sharc_dataset *d, struct rows *w);

static int read_rows(const struct sharc_dataset *d, const char *dir, const char *name, const char *header, row_fn *fn,
                     struct rows *w, struct sharc_err *reterr)
{
    SHARC_AUTO(sharc_buf_done) struct sharc_buf buf = SHARC_BUF_INIT(SHARC_LIMIT_DATASET_BYTES);
    SHARC_AUTO(table_done) struct table t;
    int r = table_open(&t, dir, name, header, &buf, reterr);
    if (r < 0) return r;
    rows_init(w, count_lines(t.rest));
    while ((r = table_next(&t)) > 0) {
        r = fn(&t, d, w);
        if (r < 0) return r;
        w->n++;
    }
    return r;
}

static int change_row(struct table *t, const struct sharc_dataset *d, struct rows *w)
{
    size_t i = w->n;
    int r = cell_page(t, 0, d, &w->owner[i]);
    if (r == 0) r = cell_time(t, 1, "the time", &w->a[i]);
    if (r < 0) return r;
    const struct sharc_dataset_page *p = &d->page[w->owner[i]];
    if (i > 0 && (w->a[i] < w->a[i - 1] || (w->a[i] == w->a[i - 1] && w->owner[i] <= w->owner[i - 1])))
        return ROW_FAIL(t, SHARC_ESYNTAX, "rows must be sorted by time, then id, each once; sort -n -k2,2 -k1,1");
    if (w->a[i] <= p->created || w->a[i] > p->deleted)
        return ROW_FAIL(t, SHARC_ESYNTAX, "page %u changes at %.0f, outside its life from %.0f to %.0f",
                        w->owner[i] + 1, w->a[i], p->created, p->deleted);
    return 0;
}

static int read_changes(struct sharc_dataset *d, const char *dir, struct sharc_err *reterr)
{
    SHARC_AUTO(rows_done) struct rows w = {0};
    int r = read_rows(d, dir, "changes", "id\ttime", change_row, &w, reterr);
    if (r < 0) return r;
    SHARC_AUTO(sharc_freep) size_t *place = rows_place(&w, d->pages, &d->change_at);
    d->change_time = rows_column(w.a, place, w.n);
    d->changes = w.n;
    return 0;
}

static int link_row(struct table *t, const struct sharc_dataset *d, struct rows *w)
{
    sharc_page_no to = 0;
    int r = cell_page(t, 0, d, &w->owner[w->n]);
    if (r == 0) r = cell_page(t, 1, d, &to);
    if (r < 0) return r;
    w->a[w->n] = to;
    if (!sharc_span_is(t->cell[2], "link") && !sharc_span_is(t->cell[2], "spanning"))
        return ROW_FAIL(t, SHARC_ESYNTAX, "kind is \"%.*s\", expected link or spanning",
                        SHARC_SPAN_ARG(sharc_span_sub(t->cell[2], 0, 40)));
    return 0;
}

static int read_links(struct sharc_dataset *d, const char *dir, struct sharc_err *reterr)
{
    SHARC_AUTO(rows_done) struct rows w = {0};
    int r = read_rows(d, dir, "links", "from\tto\tkind", link_row, &w, reterr);
    if (r < 0) return r;
    SHARC_AUTO(sharc_freep) size_t *place = rows_place(&w, d->pages, &d->link_at);
    d->link_to = SHARC_NEW_ARRAY(sharc_page_no, w.n);
    for (size_t i = 0; i < w.n; i++) d->link_to[place[i]] = (sharc_page_no)w.a[i];
    d->links = w.n;
    return 0;
}

static int absence_row(struct table *t, const struct sharc_dataset *d, struct rows *w)
{
    int r = cell_page(t, 0, d, &w->owner[w->n]);
    if (r == 0) r = cell_time(t, 1, "from", &w->a[w->n]);
    if (r == 0) r = cell_time(t, 2, "to", &w->b[w->n]);
    if (r < 0) return r;
    if (w->b[w->n] < w->a[w->n]) return ROW_FAIL(t, SHARC_ESYNTAX, "the absence ends before it begins");
    return 0;
}

static int read_absences(struct sharc_dataset *d, const char *dir, struct sharc_err *reterr)
{
    SHARC_AUTO(rows_done) struct rows w = {0};
    SHARC_AUTO(sharc_freep) char *path = table_path(dir, "absences");
    int r = path ? read_rows(d, dir, "absences", "id\tfrom\tto", absence_row, &w, reterr) : 0;
    if (r < 0) return r;
    SHARC_AUTO(sharc_freep) size_t *place = rows_place(&w, d->pages, &d->absence_at);
    d->absent_from = rows_column(w.a, place, w.n);
    d->absent_to = rows_column(w.b, place, w.n);
    d->absences = w.n;
    return 0;
}

/* --- the whole ----------------------------------------------------------- */

/* Without site.json: from the first creation to the last event. */
static void span_from_tables(struct sharc_dataset *d)
{
    d->start = HUGE_VAL;
    d->end = 0;
    for (size_t p = 0; p < d->pages; p++) {
        if (d->page[p].created < d->start) d->start = d->page[p].created;
        if (d->page[p].created > d->end) d->end = d->page[p].created;
        if (d->page[p].deleted > d->end && isfinite(d->page[p].deleted)) d->end = d->page[p].deleted;
    }
    for (size_t i = 0; i < d->changes; i++)
        if (d->change_time[i] > d->end) d->end = d->change_time[i];
}

static int read_site(struct sharc_dataset *d, const char *dir, struct sharc_err *reterr)
{
    span_from_tables(d);
    SHARC_AUTO(sharc_freep) char *path = sharc_path_join(dir, "site.json");
    if (access(path, F_OK) != 0) {
        const char *slash = strrchr(dir, '/');
        d->name = sharc_strdup(slash && slash[1] ? slash + 1 : dir);
        return 0;
    }
    SHARC_AUTO(sharc_buf_done) struct sharc_buf buf = SHARC_BUF_INIT(SHARC_LIMIT_SETTINGS_BYTES);
    SHARC_AUTO(sharc_arena_done) struct sharc_arena arena = SHARC_ARENA_INIT(16u << 20);
    const struct sharc_node *node;
    int r = sharc_file_read(path, &buf, reterr);
    if (r < 0) return r;
    r = sharc_json_read(sharc_buf_span(&buf), &arena, &node, reterr);
    if (r < 0) return sharc_err_prefix(reterr, r, "%s", path);
    struct sharc_span name = sharc_node_text(sharc_node_get(node, "name"));
    for (size_t i = 0; i < name.n; i++)
        SHARC_FAIL_IF((unsigned char)name.p[i] < ' ', reterr, SHARC_ESYNTAX,
                      "%s: the name holds a control character; a name is one line of text", path);
    d->name = name.n ? sharc_span_dup(name) : sharc_strdup(dir);
    d->start = sharc_node_real(sharc_node_get(node, "start"), d->start);
    d->end = sharc_node_real(sharc_node_get(node, "end"), d->end);
    SHARC_FAIL_IF(!(d->start >= 0 && d->end >= d->start), reterr, SHARC_ESYNTAX,
                  "%s: start and end must be times since 1970, start first", path);
    return 0;
}

int sharc_dataset_open(const char *dir, struct sharc_dataset **ret, struct sharc_err *reterr)
{
    SHARC_AUTO(sharc_dataset_freep) struct sharc_dataset *d = SHARC_NEW(struct sharc_dataset);
    sharc_buf_init(&d->text, SHARC_LIMIT_DATASET_BYTES);
    int r = read_pages(d, dir, reterr);
    if (r == 0) r = read_changes(d, dir, reterr);
    if (r == 0) r = read_links(d, dir, reterr);
    if (r == 0) r = read_absences(d, dir, reterr);
    if (r == 0) r = read_site(d, dir, reterr);
    if (r < 0) return r;
    *ret = SHARC_TAKE(d);
    return 0;
}

void sharc_dataset_free(struct sharc_dataset *d)
{
    if (!d) return;
    free(d->name);
    free(d->page);
    free(d->change_at);
    free(d->change_time);
    free(d->link_at);
    free(d->link_to);
    free(d->absence_at);
    free(d->absent_from);
    free(d->absent_to);
    sharc_buf_done(&d->text);
    free(d);
}

void sharc_dataset_freep(struct sharc_dataset **d)
{
    sharc_dataset_free(*d);
    *d = NULL;
}

size_t sharc_dataset_between(const struct sharc_dataset *d, sharc_page_no page, double from, double to,
                             const double **ret_first)
{
    const double *t = d->change_time + d->change_at[page];
    size_t n = d->change_at[page + 1] - d->change_at[page];
    size_t first = sharc_count_until(t, n, from), last = sharc_count_until(t, n, to);
    *ret_first = t + first;
    return last > first ? last - first : 0;
}

/* SPDX-License-Identifier: Apache-2.0
 *
 * Tables for people. Widths are counted in code points: close enough for the
 * alphabets that appear in host names and paths.
 */
#include "cli.h"

#include <stdarg.h>
#include <stdlib.h>

struct cli_table {
    size_t columns;
    char *align;
    char **cells; /* row by row, the titles first; NULL at a row's start is a rule */
    size_t count, room;
};

static void add(struct cli_table *t, char *cell)
{
    SHARC_GROW(t->cells, t->room, t->count + 1);
    t->cells[t->count++] = cell;
}

struct cli_table *cli_table_new(size_t columns, const char *const *titles, const char *align)
{
    struct cli_table *t = SHARC_NEW(struct cli_table);
    t->columns = columns;
    t->align = sharc_strdup(align);
    for (size_t i = 0; i < columns; i++) add(t, sharc_strdup(titles[i]));
    cli_table_rule(t);
    return t;
}

void cli_table_free(struct cli_table *t)
{
    if (!t) return;
    for (size_t i = 0; i < t->count; i++) free(t->cells[i]);
    free(t->cells);
    free(t->align);
    free(t);
}

void cli_table_freep(struct cli_table **t)
{
    cli_table_free(*t);
    *t = NULL;
}

void cli_table_cell(struct cli_table *t, const char *fmt, ...)
{
    va_list ap;
    va_start(ap, fmt);
    char *text = NULL;
    if (vasprintf(&text, fmt, ap) < 0) text = NULL;
    va_end(ap);
    if (text && strpbrk(text, "\r\n")) {
        char *shown = sharc_strdup(CLI_SHOWN(text));
        free(text);
        text = shown;
    }
    add(t, text ? text : sharc_strdup(""));
}

void cli_table_rule(struct cli_table *t)
{
    for (size_t i = 0; i < t->columns; i++) add(t, NULL);
}

#define TERMINAL 80u

/* How a table is put on the page. One that is wider than a terminal has its titles broken into
 * two lines; if that is not enough, the first cell of a row gets a line of its own. */
struct layout {
    size_t *widths;
    bool two_lines; /* of titles */
    bool stacked;   /* the first cell stands above the others */
};

/* Where a title is broken: its last space, or its end. */
static size_t title_break(const char *title)
{
    const char *space = strrchr(title, ' ');
    return space ? (size_t)(space - title) : strlen(title);
}

static size_t title_width(const char *title, bool two_lines)
{
    size_t all = sharc_utf8_count(title), at = title_break(title);
    if (!two_lines || !title[at]) return all;
    size_t second = sharc_utf8_count(title + at + 1), first = all - second - 1;
    return first > second ? first : second;
}

static size_t total_width(const struct cli_table *t, const struct layout *l)
{
    size_t sum = 0;
    for (size_t i = 0; i < t->columns; i++) sum += l->widths[i] + (i ? 2 : 0);
    return sum;
}

static void measure(const struct cli_table *t, struct layout *l)
{
    memset(l->widths, 0, t->columns * sizeof *l->widths);
    for (size_t i = 0; i < t->count; i++) {
        size_t w = !t->cells[i]     ? 0
                   : i < t->columns ? title_width(t->cells[i], l->two_lines)
                                    : sharc_utf8_count(t->cells[i]);
        if (w > l->widths[i % t->columns]) l->widths[i % t->columns] = w;
    }
    if (l->stacked) l->widths[0] = 0;
}

/* The first layout that fits; the plain one when none does. */
static void choose_layout(const struct cli_table *t, struct layout *l)
{
    static const struct {
        bool two_lines, stacked;
    } tries[] = {{false, false}, {true, false}, {false, true}, {true, true}};
    for (size_t i = 0; i < SHARC_LENGTH(tries); i++) {
        l->two_lines = tries[i].two_lines, l->stacked = tries[i].stacked && t->columns > 1 && t->align[0] != 'r';
        measure(t, l);
        if (total_width(t, l) <= TERMINAL) return;
    }
    l->two_lines = l->stacked = false;
    measure(t, l);
}

/* A rule that is wider than the terminal would be wrapped into a second line of nothing but
 * rule. It is as wide as its title at least. */
static size_t rule_width(const struct cli_table *t, size_t column, size_t wanted, size_t at)
{
    size_t room = at < TERMINAL ? TERMINAL - at : 0, title = t->cells[column] ? sharc_utf8_count(t->cells[column]) : 0;
    if (column + 1 < t->columns || t->align[column] == 'r' || wanted <= room) return wanted;
    return room > title ? room : title;
}

static void put_line(struct sharc_buf *line, FILE *out)
{
    while (line->n && line->p[line->n - 1] == ' ') sharc_buf_truncate(line, line->n - 1);
    fprintf(out, "%s\n", sharc_buf_str(line));
    sharc_buf_clear(line);
}

static void put_rule(struct sharc_buf *line, size_t wide)
{
    for (size_t k = 0; k < wide; k++) sharc_buf_put_str(line, "─");
}

/* The cells of a row beside each other; NULL: all are rules. Stacked, the first one is left out. */
static void print_cells(const struct cli_table *t, const struct layout *l, char *const *row, FILE *out)
{
    SHARC_AUTO(sharc_buf_done) struct sharc_buf line = SHARC_BUF_INIT(1u << 20);
    for (size_t i = 0, at = 0; i < t->columns; at += l->widths[i++] + 2) {
        if (i) sharc_buf_put_str(&line, "  ");
        if (!row) {
            put_rule(&line, rule_width(t, i, l->widths[i], at));
            continue;
        }
        const char *cell = row[i] && !(l->stacked && i == 0) ? row[i] : "";
        int pad = (int)(l->widths[i] - sharc_utf8_count(cell));
        if (t->align[i] == 'r') sharc_buf_printf(&line, "%*s", pad, "");
        sharc_buf_put_str(&line, cell);
        if (t->align[i] != 'r') sharc_buf_printf(&line, "%*s", pad, "");
    }
    put_line(&line, out);
}

/* Titles of one word stand on the lower line. */
static void print_broken_titles(const struct cli_table *t, const struct layout *l, FILE *out)
{
    SHARC_AUTO(sharc_freep) char **upper = SHARC_NEW_ARRAY(char *, t->columns);
    SHARC_AUTO(sharc_freep) char **lower = SHARC_NEW_ARRAY(char *, t->columns);
    for (size_t i = 0; i < t->columns; i++) {
        char *title = t->cells[i];
        size_t at = title_break(title);
        upper[i] = sharc_strndup(title, title[at] ? at : 0);
        lower[i] = title[at] ? title + at + 1 : title;
    }
    print_cells(t, l, upper, out);
    print_cells(t, l, lower, out);
    for (size_t i = 0; i < t->columns; i++) free(upper[i]);
}

static void print_row(const struct cli_table *t, const struct layout *l, char *const *row, bool titles, FILE *out)
{
    if (row && l->stacked) fprintf(out, "%s\n", row[0]);
    if (titles && l->two_lines)
        print_broken_titles(t, l, out);
    else
        print_cells(t, l, row, out);
}

void cli_table_print(const struct cli_table *t, FILE *out)
{
    SHARC_AUTO(sharc_freep) size_t *widths = SHARC_NEW_ARRAY(size_t, t->columns);
    struct layout l = {.widths = widths};
    choose_layout(t, &l);
    for (size_t i = 0; i < t->count; i += t->columns) print_row(t, &l, t->cells[i] ? t->cells + i : NULL, i == 0, out);
}

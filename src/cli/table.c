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
    add(t, text ? text : sharc_strdup(""));
}

void cli_table_rule(struct cli_table *t)
{
    for (size_t i = 0; i < t->columns; i++) add(t, NULL);
}

static size_t width(const char *s)
{
    size_t n = 0;
    for (; *s; s++) n += ((unsigned char)*s & 0xc0) != 0x80;
    return n;
}

#define TERMINAL 80u

/* A rule that is wider than the terminal would be wrapped into a second line of nothing but
 * rule. It is as wide as its title at least. */
static size_t rule_width(const struct cli_table *t, size_t column, size_t wanted, size_t at)
{
    size_t room = at < TERMINAL ? TERMINAL - at : 0, title = t->cells[column] ? width(t->cells[column]) : 0;
    if (column + 1 < t->columns || t->align[column] == 'r' || wanted <= room) return wanted;
    return room > title ? room : title;
}

static void print_row(const struct cli_table *t, char **row, const size_t *widths, FILE *out)
{
    SHARC_AUTO(sharc_buf_done) struct sharc_buf line = SHARC_BUF_INIT(1u << 20);
    for (size_t i = 0, at = 0; i < t->columns; at += widths[i++] + 2) {
        const char *cell = row[i] ? row[i] : "";
        size_t pad = widths[i] - width(cell);
        if (i) sharc_buf_put_str(&line, "  ");
        if (!row[0]) {
            size_t wide = rule_width(t, i, widths[i], at);
            for (size_t k = 0; k < wide; k++) sharc_buf_put_str(&line, "─");
            continue;
        }
        if (t->align[i] == 'r') sharc_buf_printf(&line, "%*s", (int)pad, "");
        sharc_buf_put_str(&line, cell);
        if (t->align[i] != 'r') sharc_buf_printf(&line, "%*s", (int)pad, "");
    }
    while (line.n && line.p[line.n - 1] == ' ') sharc_buf_truncate(&line, line.n - 1);
    fprintf(out, "%s\n", sharc_buf_str(&line));
}

void cli_table_print(const struct cli_table *t, FILE *out)
{
    SHARC_AUTO(sharc_freep) size_t *widths = SHARC_NEW_ARRAY(size_t, t->columns);
    size_t rows = t->count / t->columns;
    for (size_t i = 0; i < rows * t->columns; i++) {
        size_t w = t->cells[i] ? width(t->cells[i]) : 0;
        if (w > widths[i % t->columns]) widths[i % t->columns] = w;
    }
    for (size_t r = 0; r < rows; r++) print_row(t, t->cells + r * t->columns, widths, out);
}

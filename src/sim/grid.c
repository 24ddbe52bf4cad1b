/* SPDX-License-Identifier: Apache-2.0 */
#include "grid.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

void sharc__sim_grid_done(struct grid *g)
{
    for (size_t i = 0; i < g->cells; i++) free(g->cell[i]);
    free(g->cell);
}

void sharc__sim_grid_column(struct grid *g, const char *name, bool right)
{
    SHARC_ASSERT(g->columns < GRID_COLUMNS_MAX && g->cells == 0);
    g->name[g->columns] = name;
    g->right[g->columns++] = right;
}

void sharc__sim_grid_cell(struct grid *g, const char *fmt, ...)
{
    char text[512];
    va_list args;
    va_start(args, fmt);
    vsnprintf(text, sizeof text, fmt, args);
    va_end(args);
    SHARC_GROW(g->cell, g->room, g->cells + 1);
    g->cell[g->cells++] = sharc_strdup(text);
}

void sharc__sim_grid_number(struct grid *g, double v)
{
    char text[64] = "";
    if (!isnan(v)) snprintf(text, sizeof text, "%.17g", v);
    sharc__sim_grid_cell(g, "%s", text);
}

/* Characters, not bytes: "±" is one. */
static void pad(struct sharc_buf *out, size_t n)
{
    while (n-- > 0) sharc_buf_put_char(out, ' ');
}

static void write_aligned(const struct grid *g, size_t column, const char *text, size_t width, struct sharc_buf *out)
{
    size_t fill = width - sharc_utf8_count(text);
    if (g->right[column]) pad(out, fill);
    sharc_buf_put_str(out, text);
    bool last = column + 1 == g->columns;
    if (!g->right[column] && !last) pad(out, fill);
    sharc_buf_put_str(out, last ? "\n" : "  ");
}

static void write_text(const struct grid *g, struct sharc_buf *out)
{
    size_t width[GRID_COLUMNS_MAX];
    for (size_t c = 0; c < g->columns; c++) width[c] = sharc_utf8_count(g->name[c]);
    for (size_t i = 0; i < g->cells; i++) {
        size_t w = sharc_utf8_count(g->cell[i]);
        if (w > width[i % g->columns]) width[i % g->columns] = w;
    }
    for (size_t c = 0; c < g->columns; c++) write_aligned(g, c, g->name[c], width[c], out);
    for (size_t i = 0; i < g->cells; i++) write_aligned(g, i % g->columns, g->cell[i], width[i % g->columns], out);
}

static void write_markdown(const struct grid *g, struct sharc_buf *out)
{
    for (size_t c = 0; c < g->columns; c++)
        sharc_buf_printf(out, "| %s %s", g->name[c], c + 1 == g->columns ? "|\n" : "");
    for (size_t c = 0; c < g->columns; c++)
        sharc_buf_printf(out, "|%s%s", g->right[c] ? "---:" : "---", c + 1 == g->columns ? "|\n" : "");
    for (size_t i = 0; i < g->cells; i++)
        sharc_buf_printf(out, "| %s %s", g->cell[i], (i + 1) % g->columns == 0 ? "|\n" : "");
}

/* RFC 4180, with line feeds. */
static void write_csv_cell(const char *text, bool last, struct sharc_buf *out)
{
    sharc_buf_put_csv(out, sharc_span_of(text));
    sharc_buf_put_char(out, last ? '\n' : ',');
}

void sharc__sim_grid_write(const struct grid *g, enum sharc_sim_format format, struct sharc_buf *out)
{
    if (format == SHARC_SIM_TEXT) {
        write_text(g, out);
        return;
    }
    if (format == SHARC_SIM_MARKDOWN) {
        write_markdown(g, out);
        return;
    }
    for (size_t c = 0; c < g->columns; c++) write_csv_cell(g->name[c], c + 1 == g->columns, out);
    for (size_t i = 0; i < g->cells; i++) write_csv_cell(g->cell[i], (i + 1) % g->columns == 0, out);
}

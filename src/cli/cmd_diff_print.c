/* SPDX-License-Identifier: Apache-2.0
 *
 * sharc diff of a page, for people at a terminal. Texts of pages are foreign: nothing in them may
 * steer the terminal.
 */
#include "cmd_diff_print.h"

#include "sharc/extract.h"

void cmd_diff_colour(const struct cmd_diff_printer *p, const char *code)
{
    if (p->colour) fputs(code, p->c->out);
}

void cmd_diff_put_clean(struct sharc_buf *out, struct sharc_span s)
{
    while (s.n > 0) {
        uint32_t c = 0;
        size_t n = sharc_utf8_decode(s, &c);
        if (n && !sharc_steers_terminal(c))
            sharc_buf_put(out, sharc_span_sub(s, 0, n));
        else
            sharc_buf_put_char(out, c == '\t' ? '\t' : '?');
        s = sharc_span_from(s, n ? n : 1);
    }
}

void cmd_diff_print_clean(const struct cmd_diff_printer *p, struct sharc_span s)
{
    SHARC_AUTO(sharc_buf_done) struct sharc_buf out = SHARC_BUF_INIT(SIZE_MAX / 2);
    cmd_diff_put_clean(&out, s);
    fputs(sharc_buf_str(&out), p->c->out);
}

static void print_piece(void *arg, struct sharc_span piece, bool marked)
{
    const struct cmd_diff_printer *p = arg;
    if (marked) cmd_diff_colour(p, CMD_DIFF_MARK);
    cmd_diff_print_clean(p, piece);
    if (marked) cmd_diff_colour(p, CMD_DIFF_UNMARK);
}

void cmd_diff_print_line(struct cmd_diff_printer *p, char sign, const char *code, struct sharc_span line,
                         const struct sharc_change_mark *marks, size_t n)
{
    cmd_diff_colour(p, code);
    fputc(sign, p->c->out);
    sharc_diff_pieces(line, marks, n, print_piece, p);
    if (*code) cmd_diff_colour(p, CMD_DIFF_PLAIN);
    fputc('\n', p->c->out);
}

/* --- text ------------------------------------------------------------------------------ */

/* Changed rows from i on: first what went, then what came. Returns the row behind. */
static size_t print_changes(struct cmd_diff_printer *p, const struct sharc_change_rows *r, size_t i)
{
    size_t end = i;
    while (end < r->count && cmd_diff_is_change(&r->rows[end])) end++;
    for (size_t k = i; k < end; k++)
        if (r->rows[k].before)
            cmd_diff_print_line(p, '-', CMD_DIFF_RED, r->rows[k].old, r->rows[k].old_marks, r->rows[k].n_old_marks);
    for (size_t k = i; k < end; k++)
        if (r->rows[k].after)
            cmd_diff_print_line(p, '+', CMD_DIFF_GREEN, r->rows[k].now, r->rows[k].now_marks, r->rows[k].n_now_marks);
    return end;
}

/* "@@ -from,lines +from,lines @@": 0 lines stand behind line from. */
static void print_hunk_head(const struct cmd_diff_printer *p, const struct sharc_change_rows *r, size_t from, size_t to,
                            const size_t before[2])
{
    size_t lines[2] = {0, 0};
    for (size_t i = from; i < to; i++) lines[0] += r->rows[i].before > 0, lines[1] += r->rows[i].after > 0;
    cmd_diff_colour(p, CMD_DIFF_CYAN);
    fprintf(p->c->out, "@@ -%zu,%zu +%zu,%zu @@", before[0] + (lines[0] > 0), lines[0], before[1] + (lines[1] > 0),
            lines[1]);
    cmd_diff_colour(p, CMD_DIFF_PLAIN);
    fputc('\n', p->c->out);
}

static void print_text(struct cmd_diff_printer *p, const struct sharc_change_rows *r)
{
    size_t done[2] = {0, 0}; /* lines of both sides that are behind us */
    for (size_t i = 0; i < r->count;) {
        if (r->rows[i].kind == SHARC_ROW_GAP) {
            done[0] += r->rows[i].left_out, done[1] += r->rows[i].left_out, i++;
            continue;
        }
        size_t end = i;
        while (end < r->count && r->rows[end].kind != SHARC_ROW_GAP) end++;
        print_hunk_head(p, r, i, end, done);
        while (i < end) {
            size_t from = i;
            if (cmd_diff_is_change(&r->rows[i])) {
                i = print_changes(p, r, i);
            } else {
                cmd_diff_print_line(p, ' ', "", r->rows[i].now, NULL, 0);
                i++;
            }
            for (; from < i; from++) done[0] += r->rows[from].before > 0, done[1] += r->rows[from].after > 0;
        }
    }
    if (r->cut) cli_note(p->c, "the difference is long; not all of it is shown");
}

/* --- a page ------------------------------------------------------------------------------ */

static void print_version(const struct cmd_diff_printer *p, const char *sign, const char *code,
                          const struct sharc_diff_version *v)
{
    char when[SHARC_TIME_TEXT];
    cmd_diff_colour(p, code);
    fprintf(p->c->out, "%s ", sign);
    if (!v) {
        fputs("not there", p->c->out);
    } else {
        cmd_diff_print_clean(p, v->label);
        if (v->url.n) fputs("  ", p->c->out), cmd_diff_print_clean(p, v->url);
        if (v->when != SHARC_TIME_NONE) fprintf(p->c->out, "  %s", sharc_time_iso(v->when, 0, when));
        if (v->status) fprintf(p->c->out, "  %d", v->status);
    }
    cmd_diff_colour(p, CMD_DIFF_PLAIN);
    fputc('\n', p->c->out);
    if (v && v->remark) cli_note(p->c, "%.*s: %s", SHARC_SPAN_ARG(v->label), v->remark);
}

static bool touched(const struct sharc_change_ops *o)
{
    return o->inserted + o->updated + o->moved + o->deleted > 0;
}

static void print_blocks(const struct cmd_diff_printer *p, const struct sharc_diff_page *page)
{
    static const char *const titles[] = {"block", "weight", "inserted", "updated", "moved", "deleted"};
    if (!touched(&page->ops)) return;
    SHARC_AUTO(cli_table_freep) struct cli_table *t = cli_table_new(6, titles, "lrrrrr");
    for (size_t i = 0; i < page->block_count; i++) {
        const struct sharc_diff_block *b = &page->blocks[i];
        if (!touched(&b->ops)) continue;
        cli_table_cell(t, "%s%s", sharc_block_role_text((enum sharc_block_role)b->role),
                       b->is_new    ? " (new)"
                       : b->is_gone ? " (gone)"
                                    : "");
        cli_table_cell(t, "%.3f", b->weight);
        cli_table_cell(t, "%zu", b->ops.inserted);
        cli_table_cell(t, "%zu", b->ops.updated);
        cli_table_cell(t, "%zu", b->ops.moved);
        cli_table_cell(t, "%zu", b->ops.deleted);
    }
    fputc('\n', p->c->out);
    cli_table_print(t, p->c->out);
}

static void print_links(struct cmd_diff_printer *p, const struct sharc_diff_page *page)
{
    if (page->n_links_added + page->n_links_removed == 0) return;
    fputs("\nlinks\n", p->c->out);
    for (size_t i = 0; i < page->n_links_removed; i++)
        cmd_diff_print_line(p, '-', CMD_DIFF_RED, page->links_removed[i], NULL, 0);
    for (size_t i = 0; i < page->n_links_added; i++)
        cmd_diff_print_line(p, '+', CMD_DIFF_GREEN, page->links_added[i], NULL, 0);
}

static void print_verdict(const struct cmd_diff_printer *p, const struct cmd_diff_view *v,
                          const struct sharc_diff_page *page, const struct sharc_diff_version *before,
                          const struct sharc_diff_version *after)
{
    SHARC_AUTO(sharc_buf_done) struct sharc_buf why = SHARC_BUF_INIT(64u << 10);
    struct sharc_diff_facts old = sharc_diff_facts_of(before), now = sharc_diff_facts_of(after);
    char when[SHARC_TIME_TEXT];
    sharc_diff_evidence(&page->verdict, &old, &now, &v->o->change, &why);
    cmd_diff_colour(p, CMD_DIFF_BOLD);
    fputs(sharc_diff_class_name(page->kind), p->c->out);
    cmd_diff_colour(p, CMD_DIFF_PLAIN);
    fprintf(p->c->out, ", importance %.3f\nevidence: ", page->importance);
    cmd_diff_print_clean(p, sharc_buf_span(&why));
    fputc('\n', p->c->out);
    if (page->verdict.stated != SHARC_TIME_NONE)
        fprintf(p->c->out, "the page gives its date as %s\n", sharc_time_iso(page->verdict.stated, 0, when));
}

void cmd_diff_print_page(struct cli *c, const struct cmd_diff_view *v, const struct sharc_diff_page *page,
                         const struct sharc_diff_version *before, const struct sharc_diff_version *after)
{
    struct cmd_diff_printer p = {.c = c, .colour = v->colour};
    print_version(&p, "---", CMD_DIFF_RED, before);
    print_version(&p, "+++", CMD_DIFF_GREEN, after);
    print_verdict(&p, v, page, before, after);
    print_blocks(&p, page);
    print_links(&p, page);
    if (page->rows.count) fputc('\n', c->out);
    print_text(&p, &page->rows);
}

/* SPDX-License-Identifier: Apache-2.0
 *
 * sharc diff for people at a terminal. Texts of pages are foreign: nothing in them may
 * steer the terminal.
 */
#include "cmd_diff.h"

#include <inttypes.h>

#define RED "\x1b[31m"
#define GREEN "\x1b[32m"
#define CYAN "\x1b[36m"
#define BOLD "\x1b[1m"
#define MARK "\x1b[7m"
#define UNMARK "\x1b[27m"
#define PLAIN "\x1b[0m"

struct printer {
    struct cli *c;
    bool colour;
};

static void colour(const struct printer *p, const char *code)
{
    if (p->colour) fputs(code, p->c->out);
}

/* Controls, halves of characters and what turns the direction of writing. */
static bool steers(uint32_t c, size_t n)
{
    return n == 0 || c < 0x20 || (c >= 0x7f && c < 0xa0) || (c >= 0x202a && c <= 0x202e) ||
           (c >= 0x2066 && c <= 0x2069);
}

static void put_clean(struct sharc_buf *out, struct sharc_span s)
{
    while (s.n > 0) {
        uint32_t c = 0;
        size_t n = sharc_utf8_decode(s, &c);
        if (!steers(c, n))
            sharc_buf_put(out, sharc_span_sub(s, 0, n));
        else
            sharc_buf_put_char(out, c == '\t' ? '\t' : '?');
        s = sharc_span_from(s, n ? n : 1);
    }
}

static void print_clean(const struct printer *p, struct sharc_span s)
{
    SHARC_AUTO(sharc_buf_done) struct sharc_buf out = SHARC_BUF_INIT(SIZE_MAX / 2);
    put_clean(&out, s);
    fputs(sharc_buf_str(&out), p->c->out);
}

static void print_piece(void *arg, struct sharc_span piece, bool marked)
{
    const struct printer *p = arg;
    if (marked) colour(p, MARK);
    print_clean(p, piece);
    if (marked) colour(p, UNMARK);
}

static void print_line(struct printer *p, char sign, const char *code, struct sharc_span line,
                       const struct sharc_change_mark *marks, size_t n)
{
    colour(p, code);
    fputc(sign, p->c->out);
    sharc_diff_pieces(line, marks, n, print_piece, p);
    if (*code) colour(p, PLAIN);
    fputc('\n', p->c->out);
}

/* --- text ------------------------------------------------------------------------------ */

static bool is_change(const struct sharc_change_row *row)
{
    return row->kind != SHARC_ROW_KEPT && row->kind != SHARC_ROW_GAP;
}

/* Changed rows from i on: first what went, then what came. Returns the row behind. */
static size_t print_changes(struct printer *p, const struct sharc_change_rows *r, size_t i)
{
    size_t end = i;
    while (end < r->count && is_change(&r->rows[end])) end++;
    for (size_t k = i; k < end; k++)
        if (r->rows[k].before) print_line(p, '-', RED, r->rows[k].old, r->rows[k].old_marks, r->rows[k].n_old_marks);
    for (size_t k = i; k < end; k++)
        if (r->rows[k].after) print_line(p, '+', GREEN, r->rows[k].now, r->rows[k].now_marks, r->rows[k].n_now_marks);
    return end;
}

/* "@@ -from,lines +from,lines @@": 0 lines stand behind line from. */
static void print_hunk_head(const struct printer *p, const struct sharc_change_rows *r, size_t from, size_t to,
                            const size_t before[2])
{
    size_t lines[2] = {0, 0};
    for (size_t i = from; i < to; i++) lines[0] += r->rows[i].before > 0, lines[1] += r->rows[i].after > 0;
    colour(p, CYAN);
    fprintf(p->c->out, "@@ -%zu,%zu +%zu,%zu @@", before[0] + (lines[0] > 0), lines[0], before[1] + (lines[1] > 0),
            lines[1]);
    colour(p, PLAIN);
    fputc('\n', p->c->out);
}

static void print_text(struct printer *p, const struct sharc_change_rows *r)
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
            if (is_change(&r->rows[i])) {
                i = print_changes(p, r, i);
            } else {
                print_line(p, ' ', "", r->rows[i].now, NULL, 0);
                i++;
            }
            for (; from < i; from++) done[0] += r->rows[from].before > 0, done[1] += r->rows[from].after > 0;
        }
    }
    if (r->cut) cli_note(p->c, "the difference is long; not all of it is shown");
}

/* --- a page ------------------------------------------------------------------------------ */

static void print_version(const struct printer *p, const char *sign, const char *code,
                          const struct sharc_diff_version *v)
{
    char when[SHARC_TIME_TEXT];
    colour(p, code);
    fprintf(p->c->out, "%s ", sign);
    if (!v) {
        fputs("not there", p->c->out);
    } else {
        print_clean(p, v->label);
        if (v->url.n) fputs("  ", p->c->out), print_clean(p, v->url);
        if (v->when != SHARC_TIME_NONE) fprintf(p->c->out, "  %s", sharc_time_iso(v->when, 0, when));
        if (v->status) fprintf(p->c->out, "  %d", v->status);
    }
    colour(p, PLAIN);
    fputc('\n', p->c->out);
    if (v && v->remark) cli_note(p->c, "%.*s: %s", SHARC_SPAN_ARG(v->label), v->remark);
}

static bool touched(const struct sharc_change_ops *o)
{
    return o->inserted + o->updated + o->moved + o->deleted > 0;
}

static void print_blocks(const struct printer *p, const struct sharc_diff_page *page)
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

static void print_links(struct printer *p, const struct sharc_diff_page *page)
{
    if (page->n_links_added + page->n_links_removed == 0) return;
    fputs("\nlinks\n", p->c->out);
    for (size_t i = 0; i < page->n_links_removed; i++) print_line(p, '-', RED, page->links_removed[i], NULL, 0);
    for (size_t i = 0; i < page->n_links_added; i++) print_line(p, '+', GREEN, page->links_added[i], NULL, 0);
}

static void print_verdict(const struct printer *p, const struct cmd_diff_view *v, const struct sharc_diff_page *page,
                          const struct sharc_diff_version *before, const struct sharc_diff_version *after)
{
    SHARC_AUTO(sharc_buf_done) struct sharc_buf why = SHARC_BUF_INIT(64u << 10);
    struct sharc_diff_facts old = sharc_diff_facts_of(before), now = sharc_diff_facts_of(after);
    char when[SHARC_TIME_TEXT];
    sharc_diff_evidence(&page->verdict, &old, &now, &v->o->change, &why);
    colour(p, BOLD);
    fputs(sharc_diff_class_name(page->kind), p->c->out);
    colour(p, PLAIN);
    fprintf(p->c->out, ", importance %.3f\nevidence: ", page->importance);
    print_clean(p, sharc_buf_span(&why));
    fputc('\n', p->c->out);
    if (page->verdict.stated != SHARC_TIME_NONE)
        fprintf(p->c->out, "the page gives its date as %s\n", sharc_time_iso(page->verdict.stated, 0, when));
}

void cmd_diff_print_page(struct cli *c, const struct cmd_diff_view *v, const struct sharc_diff_page *page,
                         const struct sharc_diff_version *before, const struct sharc_diff_version *after)
{
    struct printer p = {.c = c, .colour = v->colour};
    print_version(&p, "---", RED, before);
    print_version(&p, "+++", GREEN, after);
    print_verdict(&p, v, page, before, after);
    print_blocks(&p, page);
    print_links(&p, page);
    if (page->rows.count) fputc('\n', c->out);
    print_text(&p, &page->rows);
}

/* --- a set -------------------------------------------------------------------------------- */

static void print_classes(const struct printer *p, const struct sharc_diff_set *s)
{
    static const char *const titles[] = {"class", "pages", "share", "template edits"};
    SHARC_AUTO(cli_table_freep) struct cli_table *t = cli_table_new(4, titles, "lrrr");
    for (unsigned k = 0; k < SHARC_DIFF_CLASSES; k++) {
        if (!s->classes[k] && !s->template_classes[k]) continue;
        cli_table_cell(t, "%s", sharc_diff_class_name(k));
        cli_table_cell(t, "%" PRIu64, s->classes[k]);
        cli_table_cell(t, "%.1f %%", 100 * (double)s->classes[k] / (double)s->pages);
        if (s->template_classes[k])
            cli_table_cell(t, "%" PRIu64, s->template_classes[k]);
        else
            cli_table_cell(t, "%s", "");
    }
    cli_table_print(t, p->c->out);
}

static void print_together(struct cli *c, const struct sharc_diff_set *s)
{
    SHARC_AUTO(sharc_buf_done) struct sharc_buf text = SHARC_BUF_INIT(16u << 10);
    sharc_diff_together_text(&s->together, &text);
    sharc_diff_grader_text(s, &text);
    if (text.n) fprintf(c->out, "\n%s", sharc_buf_str(&text));
}

#define MOST_TEMPLATES 5u
#define TEMPLATE_LINES 6u

/* What the edit was, by one page that has it. */
static void print_edit(struct printer *p, const struct cmd_diff_view *v, const struct sharc_diff_set *s, size_t entry)
{
    struct sharc_diff_version before = {.status = 0}, after = {.status = 0};
    struct sharc_diff_page page = {.edit = 0};
    bool is_before, is_after;
    if (sharc_diff_set_read(s, entry, v->o, &before, &after, &is_before, &is_after, NULL) == 0) {
        sharc_diff_page_make(&page, is_before ? &before : NULL, is_after ? &after : NULL, v->o, /* details= */ true);
        size_t shown = 0;
        for (size_t i = 0; i < page.rows.count && shown < TEMPLATE_LINES; i++) {
            const struct sharc_change_row *row = &page.rows.rows[i];
            if (!is_change(row)) continue;
            if (row->before) print_line(p, '-', RED, row->old, row->old_marks, row->n_old_marks), shown++;
            if (row->after) print_line(p, '+', GREEN, row->now, row->now_marks, row->n_now_marks), shown++;
        }
        for (size_t i = 0; i < page.n_links_removed && shown < TEMPLATE_LINES; i++, shown++)
            print_line(p, '-', RED, page.links_removed[i], NULL, 0);
        for (size_t i = 0; i < page.n_links_added && shown < TEMPLATE_LINES; i++, shown++)
            print_line(p, '+', GREEN, page.links_added[i], NULL, 0);
    }
    sharc_diff_page_done(&page);
    sharc_diff_version_done(&before);
    sharc_diff_version_done(&after);
}

static void print_templates(struct printer *p, const struct cmd_diff_view *v, const struct sharc_diff_set *s)
{
    for (size_t i = 0; i < s->template_count && i < MOST_TEMPLATES; i++) {
        const struct sharc_diff_template *t = &s->templates[i];
        fprintf(p->c->out, "\nthe same edit on %s, importance %.3f", SHARC_COUNT(t->pages, "page"), t->importance);
        if (t->sample == SHARC_NPOS) {
            fputc('\n', p->c->out);
            continue;
        }
        fputs(", for example ", p->c->out);
        print_clean(p, s->entries[t->sample].url);
        fputc('\n', p->c->out);
        print_edit(p, v, s, t->sample);
    }
    if (s->template_count > MOST_TEMPLATES)
        fprintf(p->c->out, "\nand %s\n", SHARC_COUNT(s->template_count - MOST_TEMPLATES, "more such edit"));
}

/* Two rows: the page, and below it the evidence. Side by side they would be too wide for a terminal. */
static void add_entry(struct cli_table *t, const struct cmd_diff_view *v, const struct sharc_diff_entry *e)
{
    SHARC_AUTO(sharc_buf_done) struct sharc_buf text = SHARC_BUF_INIT(1u << 20);
    SHARC_AUTO(sharc_buf_done) struct sharc_buf why = SHARC_BUF_INIT(1u << 20);
    put_clean(&text, e->url);
    cli_table_cell(t, "%.3f", e->importance);
    cli_table_cell(t, "%s", sharc_diff_class_name(e->kind));
    cli_table_cell(t, "%s", sharc_buf_str(&text));
    sharc_diff_entry_evidence(e, &v->o->change, &why);
    if (e->remark) sharc_buf_printf(&why, "; %s", e->remark);
    sharc_buf_clear(&text);
    put_clean(&text, sharc_buf_span(&why));
    cli_table_cell(t, "%s", "");
    cli_table_cell(t, "%s", "");
    cli_table_cell(t, "  %s", sharc_buf_str(&text));
}

static void print_pages(const struct printer *p, const struct cmd_diff_view *v, const struct sharc_diff_set *s)
{
    static const char *const titles[] = {"importance", "class", "page and evidence"};
    SHARC_AUTO(cli_table_freep) struct cli_table *t = cli_table_new(3, titles, "rll");
    size_t at = 0, i, listed = 0, more = 0;
    while ((i = sharc_diff_filter_next(v->filter, s, &at)) != SHARC_NPOS) {
        if (v->filter->limit && listed == v->filter->limit) {
            more++;
            continue;
        }
        add_entry(t, v, &s->entries[i]);
        listed++;
    }
    fputc('\n', p->c->out);
    if (listed)
        cli_table_print(t, p->c->out);
    else
        fputs("no page of these classes changed\n", p->c->out);
    if (more) fprintf(p->c->out, "and %zu more (--limit 0 lists all)\n", more);
}

void cmd_diff_print_set(struct cli *c, const struct cmd_diff_view *v, const struct sharc_diff_set *s)
{
    struct printer p = {.c = c, .colour = v->colour};
    if (s->pages == 0) {
        fprintf(c->out, "%s, then %s: there is nothing to compare\n", v->names[0], v->names[1]);
        return;
    }
    fprintf(c->out, "%s: %s, then %s\n\n", SHARC_COUNT(s->pages, "page"), v->names[0], v->names[1]);
    print_classes(&p, s);
    print_together(c, s);
    print_templates(&p, v, s);
    print_pages(&p, v, s);
    if (s->unreadable) cli_note(c, "%s could not be read", SHARC_COUNT(s->unreadable, "record"));
}

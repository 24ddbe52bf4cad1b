/* SPDX-License-Identifier: Apache-2.0
 *
 * sharc diff of two captures, for people at a terminal.
 */
#include "cmd_diff_print.h"

#include <inttypes.h>

static void print_classes(const struct cmd_diff_printer *p, const struct sharc_diff_set *s)
{
    static const char *const titles[] = {"class", "URLs", "share", "template edits"};
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

static void print_together(struct cli *c, const struct cmd_diff_view *v, const struct sharc_diff_set *s)
{
    SHARC_AUTO(sharc_buf_done) struct sharc_buf text = SHARC_BUF_INIT(16u << 10);
    sharc_diff_together_text(&s->together, &text);
    sharc_diff_grader_text(s, &text);
    if (text.n) fprintf(c->out, "\n%s", sharc_buf_str(&text));
    for (int i = 0; i < 2; i++) {
        sharc_buf_clear(&text);
        sharc_diff_weakness_text(s, i, v->names[i], &text);
        if (text.n) fprintf(c->out, "%s\n", CLI_SHOWN_SPAN(sharc_span_trim(sharc_buf_span(&text))));
    }
}

#define MOST_TEMPLATES 5u
#define TEMPLATE_LINES 6u

/* What the edit was, by one page that has it. */
static void print_edit(struct cmd_diff_printer *p, const struct cmd_diff_view *v, const struct sharc_diff_set *s,
                       size_t entry)
{
    struct sharc_diff_version before = {.status = 0}, after = {.status = 0};
    struct sharc_diff_page page = {.edit = 0};
    bool is_before, is_after;
    if (sharc_diff_set_read(s, entry, v->o, &before, &after, &is_before, &is_after, NULL) == 0) {
        sharc_diff_page_make(&page, is_before ? &before : NULL, is_after ? &after : NULL, v->o, /* details= */ true);
        size_t shown = 0;
        for (size_t i = 0; i < page.rows.count && shown < TEMPLATE_LINES; i++) {
            const struct sharc_change_row *row = &page.rows.rows[i];
            if (!cmd_diff_is_change(row)) continue;
            if (row->before)
                cmd_diff_print_line(p, '-', CMD_DIFF_RED, row->old, row->old_marks, row->n_old_marks), shown++;
            if (row->after)
                cmd_diff_print_line(p, '+', CMD_DIFF_GREEN, row->now, row->now_marks, row->n_now_marks), shown++;
        }
        for (size_t i = 0; i < page.n_links_removed && shown < TEMPLATE_LINES; i++, shown++)
            cmd_diff_print_line(p, '-', CMD_DIFF_RED, page.links_removed[i], NULL, 0);
        for (size_t i = 0; i < page.n_links_added && shown < TEMPLATE_LINES; i++, shown++)
            cmd_diff_print_line(p, '+', CMD_DIFF_GREEN, page.links_added[i], NULL, 0);
    }
    sharc_diff_page_done(&page);
    sharc_diff_version_done(&before);
    sharc_diff_version_done(&after);
}

static void print_templates(struct cmd_diff_printer *p, const struct cmd_diff_view *v, const struct sharc_diff_set *s)
{
    for (size_t i = 0; i < s->template_count && i < MOST_TEMPLATES; i++) {
        const struct sharc_diff_template *t = &s->templates[i];
        fprintf(p->c->out, "\nthe same edit on %s, importance %.3f", SHARC_COUNT(t->pages, "page"), t->importance);
        if (t->sample == SHARC_NPOS) {
            fputc('\n', p->c->out);
            continue;
        }
        fputs(", for example ", p->c->out);
        cmd_diff_print_clean(p, s->entries[t->sample].url);
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
    cmd_diff_put_clean(&text, e->url);
    cli_table_cell(t, "%.3f", e->importance);
    cli_table_cell(t, "%s", sharc_diff_class_name(e->kind));
    cli_table_cell(t, "%s", sharc_buf_str(&text));
    sharc_diff_entry_evidence(e, &v->o->change, &why);
    if (e->remark) sharc_buf_printf(&why, "; %s", e->remark);
    sharc_buf_clear(&text);
    cmd_diff_put_clean(&text, sharc_buf_span(&why));
    cli_table_cell(t, "%s", "");
    cli_table_cell(t, "%s", "");
    cli_table_cell(t, "  %s", sharc_buf_str(&text));
}

static void print_pages(const struct cmd_diff_printer *p, const struct cmd_diff_view *v, const struct sharc_diff_set *s)
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
    struct cmd_diff_printer p = {.c = c, .colour = v->colour};
    if (s->pages == 0) {
        fprintf(c->out, "%s, then %s: there is nothing to compare\n", v->names[0], v->names[1]);
        return;
    }
    fprintf(c->out, "%s: %s, then %s\n\n", SHARC_COUNT(s->pages, "URL"), v->names[0], v->names[1]);
    print_classes(&p, s);
    print_together(c, v, s);
    print_templates(&p, v, s);
    print_pages(&p, v, s);
    if (s->unreadable) cli_note(c, "%s could not be read", SHARC_COUNT(s->unreadable, "record"));
}

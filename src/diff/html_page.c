/* SPDX-License-Identifier: Apache-2.0
 *
 * A page's difference as HTML: verdict, blocks, links, and the text side by side (one
 * below the other where the screen is narrow).
 */
#include "html.h"

#include <stdlib.h>

/* --- text ------------------------------------------------------------------------------ */

struct writer {
    struct sharc_buf *out;
    const char *tag; /* of what is marked */
};

static void put_piece(void *arg, struct sharc_span piece, bool marked)
{
    struct writer *w = arg;
    if (marked) sharc_buf_printf(w->out, "<%s>", w->tag);
    sharc__diff_html_text(w->out, piece);
    if (marked) sharc_buf_printf(w->out, "</%s>", w->tag);
}

static void put_cell(struct sharc_buf *out, const char *kind, uint32_t number, struct sharc_span line,
                     const struct sharc_change_mark *marks, uint32_t n, const char *tag)
{
    if (number == 0) {
        sharc_buf_put_str(out, "<div class=\"cell none\"></div>");
        return;
    }
    struct writer w = {.out = out, .tag = tag};
    sharc_buf_printf(out, "<div class=\"cell %s\"><div class=no>%u</div><div class=line>", kind, number);
    sharc_diff_pieces(line, marks, n, put_piece, &w);
    sharc_buf_put_str(out, "</div></div>");
}

/* Either side may be NULL. */
static void put_pair(struct sharc_buf *out, const struct sharc_change_row *old, const struct sharc_change_row *now)
{
    static const struct sharc_change_row none = {.kind = SHARC_ROW_KEPT};
    bool kept = old && old->kind == SHARC_ROW_KEPT;
    if (!old) old = &none;
    if (!now) now = &none;
    sharc_buf_printf(out, "<div class=\"row%s\">", kept ? " kept" : "");
    put_cell(out, kept ? "" : "old", old->before, old->old, old->old_marks, old->n_old_marks, "del");
    put_cell(out, kept ? "" : "now", now->after, now->now, now->now_marks, now->n_now_marks, "ins");
    sharc_buf_put_str(out, "</div>\n");
}

static size_t run_of(const struct sharc_change_rows *r, size_t from, enum sharc_change_row_kind kind)
{
    size_t n = 0;
    while (from + n < r->count && r->rows[from + n].kind == kind) n++;
    return n;
}

/* Lines that went and lines that came in their place share their rows. Returns the row behind them. */
static size_t put_replaced(struct sharc_buf *out, const struct sharc_change_rows *r, size_t i)
{
    size_t went = run_of(r, i, SHARC_ROW_REMOVED), came = run_of(r, i + went, SHARC_ROW_ADDED);
    for (size_t k = 0; k < went || k < came; k++)
        put_pair(out, k < went ? &r->rows[i + k] : NULL, k < came ? &r->rows[i + went + k] : NULL);
    return i + went + came;
}

static void put_rows(struct sharc_buf *out, const struct sharc_change_rows *rows)
{
    if (!rows->count) return;
    sharc_buf_printf(out, "<h3>Text: lines removed %zu, added %zu</h3>\n<div class=diff>\n", rows->removed,
                     rows->added);
    for (size_t i = 0; i < rows->count;) {
        const struct sharc_change_row *row = &rows->rows[i];
        if (row->kind == SHARC_ROW_REMOVED || row->kind == SHARC_ROW_ADDED) {
            i = put_replaced(out, rows, i);
            continue;
        }
        if (row->kind == SHARC_ROW_GAP)
            sharc_buf_printf(out, "<div class=gap>%u line%s alike</div>\n", row->left_out,
                             row->left_out > 1 ? "s" : "");
        else
            put_pair(out, row, row);
        i++;
    }
    sharc_buf_put_str(out, "</div>\n");
    if (rows->cut) sharc_buf_put_str(out, "<p class=soft>The difference is long; not all of it is shown.</p>\n");
}

/* --- blocks and links ------------------------------------------------------------------- */

static bool touched(const struct sharc_change_ops *ops)
{
    return ops->inserted + ops->updated + ops->moved + ops->deleted > 0;
}

static void put_blocks(struct sharc_buf *out, const struct sharc_diff_page *p)
{
    if (!touched(&p->ops)) return;
    sharc_buf_put_str(out, "<h3>Blocks</h3>\n<table class=narrow>\n<thead><tr><th>block<th class=n>weight<th "
                           "class=n>inserted<th class=n>updated<th class=n>moved<th class=n>deleted</thead>\n");
    for (size_t i = 0; i < p->block_count; i++) {
        const struct sharc_diff_block *b = &p->blocks[i];
        if (!touched(&b->ops)) continue;
        sharc_buf_printf(out,
                         "<tr><td>%s%s<td class=n>%.3f<td class=n>%zu<td class=n>%zu<td class=n>%zu<td class=n>%zu\n",
                         sharc_block_role_text((enum sharc_block_role)b->role),
                         b->is_new    ? " (new)"
                         : b->is_gone ? " (gone)"
                                      : "",
                         b->weight, b->ops.inserted, b->ops.updated, b->ops.moved, b->ops.deleted);
    }
    sharc_buf_put_str(out, "</table>\n");
}

#define MOST_LINKS 500u

static void put_links(struct sharc_buf *out, const char *sign, const struct sharc_span *links, size_t n)
{
    for (size_t i = 0; i < n && i < MOST_LINKS; i++) {
        sharc_buf_printf(out, "<li class=%s>", sign);
        sharc__diff_html_text(out, links[i]);
        sharc_buf_put_char(out, '\n');
    }
    if (n > MOST_LINKS) sharc_buf_printf(out, "<li class=soft>and %zu more\n", n - MOST_LINKS);
}

void sharc__diff_html_details(struct sharc_buf *out, const struct sharc_diff_page *p)
{
    put_blocks(out, p);
    if (p->n_links_added + p->n_links_removed > 0) {
        sharc_buf_printf(out, "<h3>Links: removed %zu, added %zu</h3>\n<ul class=plain>\n", p->n_links_removed,
                         p->n_links_added);
        put_links(out, "minus", p->links_removed, p->n_links_removed);
        put_links(out, "plus", p->links_added, p->n_links_added);
        sharc_buf_put_str(out, "</ul>\n");
    }
    put_rows(out, &p->rows);
}

/* --- the page ---------------------------------------------------------------------------- */

static void put_fact(struct sharc_buf *out, const char *name, struct sharc_span value)
{
    if (!value.n) return;
    sharc_buf_printf(out, "<dt>%s<dd>", name);
    sharc__diff_html_text(out, value);
    sharc_buf_put_char(out, '\n');
}

static void put_version(struct sharc_buf *out, const char *name, const struct sharc_diff_version *v)
{
    char text[SHARC_DIGEST_TEXT], size[SHARC_TIME_TEXT];
    sharc_buf_printf(out, "<div class=card><strong>%s</strong>\n<dl>\n", name);
    if (!v) {
        sharc_buf_put_str(out, "<dt>state<dd>not there\n</dl></div>\n");
        return;
    }
    put_fact(out, "from", v->label);
    put_fact(out, "URL", v->url);
    put_fact(out, "title", v->has_text ? v->page.title : SHARC_SPAN_NONE);
    if (v->when != SHARC_TIME_NONE) {
        sharc_buf_put_str(out, "<dt>captured<dd>");
        sharc__diff_html_time(out, v->when);
        sharc_buf_put_char(out, '\n');
    }
    if (v->status) sharc_buf_printf(out, "<dt>status<dd>%d\n", v->status);
    put_fact(out, "type", v->content_type);
    put_fact(out, "redirects to", v->redirect);
    sharc_buf_printf(out, "<dt>size<dd>%s\n", sharc_size_text(v->size, size));
    if (v->has_digest) put_fact(out, "digest", sharc_span_of(sharc_digest_text(&v->digest, text)));
    put_fact(out, "remark", sharc_span_of(v->remark));
    sharc_buf_put_str(out, "</dl></div>\n");
}

void sharc_diff_html_page(struct sharc_buf *out, const struct sharc_diff_page *p,
                          const struct sharc_diff_version *before, const struct sharc_diff_version *after,
                          const struct sharc_diff_options *o)
{
    SHARC_AUTO(sharc_buf_done) struct sharc_buf why = SHARC_BUF_INIT(64u << 10);
    const struct sharc_diff_version *named = after ? after : before;
    struct sharc_diff_facts old = sharc_diff_facts_of(before), now = sharc_diff_facts_of(after);
    struct sharc_span name = named->url.n ? named->url : named->label;
    SHARC_AUTO(sharc_freep) char *title = sharc_asprintf("What changed: %.*s", SHARC_SPAN_ARG(name));
    sharc_diff_evidence(&p->verdict, &old, &now, &o->change, &why);
    sharc__diff_html_begin(out, title);
    sharc_buf_put_str(out, "<h1>");
    sharc__diff_html_text(out, name);
    sharc_buf_put_str(out, "</h1>\n<p>");
    sharc__diff_html_class(out, p->kind);
    sharc_buf_put_str(out, " importance ");
    sharc__diff_html_importance(out, p->importance);
    sharc_buf_put_str(out, "</p>\n<p class=soft>Evidence: ");
    sharc__diff_html_text(out, sharc_buf_span(&why));
    sharc_buf_put_str(out, ".");
    if (p->verdict.stated != SHARC_TIME_NONE) {
        sharc_buf_put_str(out, " The page gives its date as ");
        sharc__diff_html_time(out, p->verdict.stated);
        sharc_buf_put_char(out, '.');
    }
    sharc_buf_put_str(out, "</p>\n<div class=sides>\n");
    put_version(out, "before", before);
    put_version(out, "after", after);
    sharc_buf_put_str(out, "</div>\n");
    sharc__diff_html_details(out, p);
    sharc__diff_html_end(out);
}

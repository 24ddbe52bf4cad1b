/* SPDX-License-Identifier: Apache-2.0
 *
 * Comparisons as JSON.
 */
#include "sharc/diff_report.h"

size_t sharc_diff_filter_next(const struct sharc_diff_filter *f, const struct sharc_diff_set *s, size_t *at)
{
    while (*at < s->count) {
        size_t i = (*at)++;
        const struct sharc_diff_entry *e = &s->entries[i];
        if ((f->classes >> e->kind & 1) && e->importance >= f->min_importance && (f->templates || !e->template_id))
            return i;
    }
    return SHARC_NPOS;
}

/* --- parts of both -------------------------------------------------------------------- */

static void put_time(struct sharc_json *j, const char *name, sharc_time t)
{
    char text[SHARC_TIME_TEXT];
    sharc_json_str(j, name, t == SHARC_TIME_NONE ? NULL : sharc_time_iso(t, 0, text));
}

static void put_text(struct sharc_json *j, const char *name, struct sharc_span s)
{
    if (s.p)
        sharc_json_span(j, name, s);
    else
        sharc_json_null(j, name);
}

static void put_facts(struct sharc_json *j, const char *name, const struct sharc_diff_facts *f)
{
    if (!f->there) {
        sharc_json_null(j, name);
        return;
    }
    sharc_json_object(j, name);
    put_time(j, "time", f->when);
    if (f->status > 0)
        sharc_json_int(j, "status", f->status);
    else
        sharc_json_null(j, "status");
    put_text(j, "mime", f->mime);
    put_text(j, "redirect", f->redirect);
    put_text(j, "file", f->file);
    sharc_json_uint(j, "offset", f->offset);
    if (f->graded != SHARC_GRADED_NOT_GRADED) {
        sharc_json_str(j, "grade", sharc_grade_word(sharc_grade_of(f->graded)));
        sharc_json_str(j, "reason", sharc_grade_reason_word(f->graded));
        put_text(j, "detail", f->graded_detail);
    }
    sharc_json_end(j);
}

static void put_ops(struct sharc_json *j, const struct sharc_change_ops *ops)
{
    sharc_json_object(j, "operations");
    sharc_json_uint(j, "inserted", ops->inserted);
    sharc_json_uint(j, "updated", ops->updated);
    sharc_json_uint(j, "moved", ops->moved);
    sharc_json_uint(j, "deleted", ops->deleted);
    sharc_json_end(j);
}

static void put_verdict(struct sharc_json *j, unsigned kind, const struct sharc_change_verdict *v,
                        const struct sharc_buf *why)
{
    sharc_json_str(j, "class", sharc_diff_class_word(kind));
    sharc_json_str(j, "step", sharc_change_step_name(v->step));
    if (v->similarity >= 0)
        sharc_json_real(j, "similarity", v->similarity);
    else
        sharc_json_null(j, "similarity");
    sharc_json_span(j, "evidence", sharc_buf_span(why));
    put_time(j, "stated", v->stated);
}

/* --- a page --------------------------------------------------------------------------- */

static void put_version(struct sharc_json *j, const char *name, const struct sharc_diff_version *v)
{
    char digest[SHARC_DIGEST_TEXT];
    if (!v) {
        sharc_json_null(j, name);
        return;
    }
    sharc_json_object(j, name);
    sharc_json_span(j, "from", v->label);
    put_text(j, "url", v->url);
    put_time(j, "time", v->when);
    if (v->status)
        sharc_json_int(j, "status", v->status);
    else
        sharc_json_null(j, "status");
    put_text(j, "type", v->content_type);
    put_text(j, "redirect", v->redirect);
    sharc_json_uint(j, "size", v->size);
    sharc_json_str(j, "digest", v->has_digest ? sharc_digest_text(&v->digest, digest) : NULL);
    put_time(j, "last_modified", v->last_modified);
    sharc_json_bool(j, "revisit", v->revisit);
    put_text(j, "title", v->has_text ? v->page.title : SHARC_SPAN_NONE);
    sharc_json_str(j, "remark", v->remark);
    sharc_json_end(j);
}

static void put_blocks(struct sharc_json *j, const struct sharc_diff_page *p)
{
    sharc_json_array(j, "blocks");
    for (size_t i = 0; i < p->block_count; i++) {
        const struct sharc_diff_block *b = &p->blocks[i];
        sharc_json_object(j, NULL);
        sharc_json_str(j, "role", sharc_block_role_text((enum sharc_block_role)b->role));
        sharc_json_real(j, "weight", b->weight);
        sharc_json_str(j, "state", b->is_new ? "new" : b->is_gone ? "gone" : "both");
        put_ops(j, &b->ops);
        sharc_json_end(j);
    }
    sharc_json_end(j);
}

static void put_links(struct sharc_json *j, const char *name, const struct sharc_span *links, size_t n)
{
    sharc_json_array(j, name);
    for (size_t i = 0; i < n; i++) sharc_json_span(j, NULL, links[i]);
    sharc_json_end(j);
}

static void put_row(struct sharc_json *j, const struct sharc_change_row *row)
{
    sharc_json_object(j, NULL);
    sharc_json_str(j, "kind", sharc_change_row_word(row->kind));
    if (row->kind == SHARC_ROW_GAP) sharc_json_uint(j, "lines", row->left_out);
    if (row->before) sharc_json_uint(j, "before", row->before);
    if (row->after) sharc_json_uint(j, "after", row->after);
    if (row->before) sharc_json_span(j, "old", row->old);
    if (row->after && row->kind != SHARC_ROW_KEPT) sharc_json_span(j, "new", row->now);
    sharc_json_end(j);
}

void sharc_diff_json_page(struct sharc_json *j, const struct sharc_diff_page *p,
                          const struct sharc_diff_version *before, const struct sharc_diff_version *after,
                          const struct sharc_diff_options *o)
{
    SHARC_AUTO(sharc_buf_done) struct sharc_buf why = SHARC_BUF_INIT(64u << 10);
    struct sharc_diff_facts old = sharc_diff_facts_of(before), now = sharc_diff_facts_of(after);
    sharc_diff_evidence(&p->verdict, &old, &now, &o->change, &why);
    sharc_json_object(j, NULL);
    put_version(j, "before", before);
    put_version(j, "after", after);
    put_verdict(j, p->kind, &p->verdict, &why);
    sharc_json_real(j, "importance", p->importance);
    put_ops(j, &p->ops);
    put_blocks(j, p);
    sharc_json_object(j, "links");
    put_links(j, "added", p->links_added, p->n_links_added);
    put_links(j, "removed", p->links_removed, p->n_links_removed);
    sharc_json_end(j);
    sharc_json_object(j, "text");
    sharc_json_uint(j, "added", p->rows.added);
    sharc_json_uint(j, "removed", p->rows.removed);
    sharc_json_bool(j, "cut", p->rows.cut);
    sharc_json_array(j, "rows");
    for (size_t i = 0; i < p->rows.count; i++) put_row(j, &p->rows.rows[i]);
    sharc_json_end(j);
    sharc_json_end(j);
    sharc_json_end(j);
}

/* --- a set ------------------------------------------------------------------------------ */

static void put_counts(struct sharc_json *j, const char *name, const uint64_t *counts)
{
    sharc_json_object(j, name);
    for (unsigned c = 0; c < SHARC_DIFF_CLASSES; c++) sharc_json_uint(j, sharc_diff_class_word(c), counts[c]);
    sharc_json_end(j);
}

/* Pages that were the same, by what that rests on. */
static void put_together(struct sharc_json *j, const struct sharc_diff_together *t)
{
    static const char *const names[] = {[SHARC_DIFF_DOWNLOADED] = "downloaded", [SHARC_DIFF_GRADED] = "by_grade",
                                        [SHARC_DIFF_ATTESTED] = "not_modified", [SHARC_DIFF_CUT] = "cut",
                                        [SHARC_DIFF_RECORDED] = "recorded",     [SHARC_DIFF_TRUSTED] = "last_modified"};
    bool known = t->pages[SHARC_DIFF_DOWNLOADED] + t->pages[SHARC_DIFF_GRADED] > 0;
    sharc_json_object(j, "same");
    for (unsigned i = SHARC_DIFF_DOWNLOADED; i < SHARC_DIFF_BASES; i++) sharc_json_uint(j, names[i], t->pages[i]);
    sharc_json_uint(j, "by_own_control", t->by_own);
    sharc_json_uint(j, "by_control_of_others", t->by_kind);
    put_time(j, "together_from", known && t->from <= t->until ? t->from : SHARC_TIME_NONE);
    put_time(j, "together_until", known && t->from <= t->until ? t->until : SHARC_TIME_NONE);
    sharc_json_end(j);
}

/* Of captures of a catalogue; of files nothing is known. */
static void put_weakness(struct sharc_json *j, const struct sharc_diff_set *s)
{
    static const char *const sides[] = {"before", "after"};
    if (!s->catalogue) return;
    sharc_json_object(j, "weakened");
    for (int i = 0; i < 2; i++) sharc_json_str(j, sides[i], s->weakened[i]);
    sharc_json_end(j);
    sharc_json_object(j, "unfinished");
    for (int i = 0; i < 2; i++) sharc_json_bool(j, sides[i], s->unfinished[i]);
    sharc_json_end(j);
}

static void put_templates(struct sharc_json *j, const struct sharc_diff_set *s)
{
    sharc_json_array(j, "templates");
    for (size_t i = 0; i < s->template_count; i++) {
        const struct sharc_diff_template *t = &s->templates[i];
        sharc_json_object(j, NULL);
        sharc_json_uint(j, "template", i + 1);
        sharc_json_uint(j, "pages", t->pages);
        sharc_json_real(j, "importance", t->importance);
        put_text(j, "example", t->sample == SHARC_NPOS ? SHARC_SPAN_NONE : s->entries[t->sample].url);
        sharc_json_end(j);
    }
    sharc_json_end(j);
}

static void put_entry(struct sharc_json *j, const struct sharc_diff_entry *e, const struct sharc_diff_options *o)
{
    SHARC_AUTO(sharc_buf_done) struct sharc_buf why = SHARC_BUF_INIT(64u << 10);
    sharc_diff_entry_evidence(e, &o->change, &why);
    sharc_json_object(j, NULL);
    sharc_json_span(j, "url", e->url);
    sharc_json_real(j, "importance", e->importance);
    put_verdict(j, e->kind, &e->verdict, &why);
    put_text(j, "moved_to", e->moved_to);
    if (e->shared)
        sharc_json_uint(j, "same_edit_on", e->shared);
    else
        sharc_json_null(j, "same_edit_on");
    if (e->template_id)
        sharc_json_uint(j, "template", e->template_id);
    else
        sharc_json_null(j, "template");
    sharc_json_uint(j, "links_added", e->verdict.links_added);
    sharc_json_uint(j, "links_removed", e->verdict.links_removed);
    put_ops(j, &e->ops);
    put_facts(j, "before", &e->before);
    put_facts(j, "after", &e->after);
    sharc_json_str(j, "remark", e->remark);
    sharc_json_end(j);
}

void sharc_diff_json_set(struct sharc_json *j, const struct sharc_diff_set *s, const struct sharc_diff_filter *f,
                         const char *const names[2], const struct sharc_diff_options *o)
{
    sharc_json_object(j, NULL);
    sharc_json_str(j, "before", names[0]);
    sharc_json_str(j, "after", names[1]);
    sharc_json_uint(j, "pages", s->pages);
    put_counts(j, "classes", s->classes);
    put_counts(j, "template_classes", s->template_classes);
    put_together(j, &s->together);
    put_weakness(j, s);
    sharc_json_str(j, "graded_by", s->graded_by);
    if (s->graded_by) sharc_json_uint(j, "claims_unfounded", s->unfounded);
    sharc_json_uint(j, "read", s->read);
    sharc_json_uint(j, "unreadable", s->unreadable);
    put_templates(j, s);
    sharc_json_array(j, "results");
    size_t at = 0, i, listed = 0;
    while ((!f->limit || listed < f->limit) && (i = sharc_diff_filter_next(f, s, &at)) != SHARC_NPOS) {
        put_entry(j, &s->entries[i], o);
        listed++;
    }
    sharc_json_end(j);
    sharc_json_end(j);
}

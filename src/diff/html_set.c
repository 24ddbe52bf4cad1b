/* SPDX-License-Identifier: Apache-2.0
 *
 * Two captures as an HTML page: a bar of the classes, edits of templates, the pages by
 * importance, and details of the first of them to unfold.
 */
#include "html.h"

#include <stdlib.h>

/* The details of an entry, read again. */
struct reader {
    const struct sharc_diff_set *set;
    const struct sharc_diff_options *o;
    struct sharc_diff_version before, after;
    struct sharc_diff_page page;
};

static void reader_done(struct reader *r)
{
    sharc_diff_page_done(&r->page);
    sharc_diff_version_done(&r->before);
    sharc_diff_version_done(&r->after);
}

static void put_details(struct sharc_buf *out, struct reader *r, size_t entry)
{
    bool before, after;
    struct sharc_err err = SHARC_ERR_INIT;
    if (sharc_diff_set_read(r->set, entry, r->o, &r->before, &r->after, &before, &after, &err) < 0) {
        sharc_buf_put_str(out, "<p class=soft>");
        sharc__diff_html_words(out, err.text);
        sharc_buf_put_str(out, "</p>\n");
        return;
    }
    sharc_diff_page_make(&r->page, before ? &r->before : NULL, after ? &r->after : NULL, r->o, /* details= */ true);
    sharc__diff_html_details(out, &r->page);
}

/* --- summary -------------------------------------------------------------------------- */

static void put_bar(struct sharc_buf *out, const struct sharc_diff_set *s)
{
    double at = 0;
    if (!s->pages) return;
    sharc_buf_put_str(out, "<svg class=bar viewBox=\"0 0 1000 20\" preserveAspectRatio=none role=img "
                           "aria-label=\"pages by class\">");
    for (unsigned i = 0; i <= SHARC_DIFF_CLASSES; i++) {
        uint64_t n = 0;
        for (unsigned c = 0; c < SHARC_DIFF_CLASSES; c++)
            if (i == SHARC_DIFF_CLASSES) n += s->template_classes[c];
        if (i < SHARC_DIFF_CLASSES) n = s->classes[i];
        double wide = 1000 * (double)n / (double)s->pages;
        if (n) sharc_buf_printf(out, "<rect class=c%u x=%.2f width=%.2f height=20 />", i, at, wide);
        at += wide;
    }
    sharc_buf_put_str(out, "</svg>\n");
}

static void put_summary(struct sharc_buf *out, const struct sharc_diff_set *s, const char *const names[2])
{
    put_bar(out, s);
    sharc_buf_put_str(out,
                      "<table class=narrow>\n<thead><tr><th>class<th class=n>pages<th class=n>share<th "
                      "class=n><svg class=key viewBox=\"0 0 1 1\"><rect class=c10 width=1 height=1 /></svg> template "
                      "edits</thead>\n");
    for (unsigned c = 0; c < SHARC_DIFF_CLASSES; c++) {
        if (!s->classes[c] && !s->template_classes[c]) continue;
        sharc_buf_printf(out,
                         "<tr><td><svg class=key viewBox=\"0 0 1 1\"><rect class=c%u width=1 height=1 /></svg> %s<td "
                         "class=n>%llu<td class=n>%.1f %%<td class=n>",
                         c, sharc_diff_class_name(c), (unsigned long long)s->classes[c],
                         100 * (double)s->classes[c] / (double)s->pages);
        if (s->template_classes[c]) sharc_buf_put_u64(out, s->template_classes[c]);
        sharc_buf_put_char(out, '\n');
    }
    sharc_buf_put_str(out, "</table>\n");
    SHARC_AUTO(sharc_buf_done) struct sharc_buf same = SHARC_BUF_INIT(16u << 10);
    sharc_diff_together_text(&s->together, &same);
    sharc_diff_grader_text(s, &same);
    if (same.n) {
        sharc_buf_put_str(out, "<p>");
        sharc__diff_html_text(out, sharc_span_trim(sharc_buf_span(&same)));
        sharc_buf_put_str(out, "</p>\n");
    }
    for (int i = 0; i < 2; i++) {
        sharc_buf_clear(&same);
        sharc_diff_weakness_text(s, i, names[i], &same);
        if (!same.n) continue;
        sharc_buf_put_str(out, "<p>");
        sharc__diff_html_text(out, sharc_span_trim(sharc_buf_span(&same)));
        sharc_buf_put_str(out, "</p>\n");
    }
    if (s->unreadable)
        sharc_buf_printf(out, "<p class=soft>%s could not be read.</p>\n", SHARC_COUNT(s->unreadable, "record"));
}

/* --- templates --------------------------------------------------------------------------- */

#define MOST_TEMPLATES 50u

static void put_templates(struct sharc_buf *out, struct reader *r, bool listed)
{
    const struct sharc_diff_set *s = r->set;
    if (!s->template_count) return;
    sharc_buf_printf(out,
                     "<h2>The same edit on many pages</h2>\n<p class=soft>An edit that several pages share was made to "
                     "their template.%s</p>\n",
                     listed ? "" : " These pages are not in the list below.");
    for (size_t i = 0; i < s->template_count && i < MOST_TEMPLATES; i++) {
        const struct sharc_diff_template *t = &s->templates[i];
        sharc_buf_printf(out, "<details><summary><span class=class>%s</span> importance %.3f",
                         SHARC_COUNT(t->pages, "page"), t->importance);
        if (t->sample != SHARC_NPOS) {
            sharc_buf_put_str(out, ", for example ");
            sharc__diff_html_text(out, s->entries[t->sample].url);
        }
        sharc_buf_put_str(out, "</summary>\n");
        if (t->sample != SHARC_NPOS) put_details(out, r, t->sample);
        sharc_buf_put_str(out, "</details>\n");
    }
    if (s->template_count > MOST_TEMPLATES)
        sharc_buf_printf(out, "<p class=soft>and %zu more</p>\n", s->template_count - MOST_TEMPLATES);
}

/* --- pages ------------------------------------------------------------------------------- */

static void put_evidence(struct sharc_buf *out, const struct sharc_diff_entry *e, const struct sharc_diff_options *o)
{
    SHARC_AUTO(sharc_buf_done) struct sharc_buf why = SHARC_BUF_INIT(64u << 10);
    sharc_diff_entry_evidence(e, &o->change, &why);
    sharc__diff_html_text(out, sharc_buf_span(&why));
    if (!e->remark) return;
    sharc_buf_put_str(out, "; ");
    sharc__diff_html_words(out, e->remark);
}

static void put_table(struct sharc_buf *out, const struct reader *r, const size_t *listed, size_t n, size_t details)
{
    sharc_buf_put_str(out, "<table class=pages>\n<thead><tr><th>page<th>class<th class=n>importance<th>evidence"
                           "</thead>\n<tbody>\n");
    for (size_t i = 0; i < n; i++) {
        const struct sharc_diff_entry *e = &r->set->entries[listed[i]];
        sharc_buf_put_str(out, "<tr><td class=url>");
        if (i < details) sharc_buf_printf(out, "<a href=\"#p%zu\">", i + 1);
        sharc__diff_html_text(out, e->url);
        if (i < details) sharc_buf_put_str(out, "</a>");
        sharc_buf_put_str(out, "<td>");
        sharc__diff_html_class(out, e->kind);
        sharc_buf_put_str(out, "<td class=n>");
        sharc__diff_html_importance(out, e->importance);
        sharc_buf_put_str(out, "<td class=soft>");
        put_evidence(out, e, r->o);
        sharc_buf_put_char(out, '\n');
    }
    sharc_buf_put_str(out, "</tbody>\n</table>\n");
}

static void put_all_details(struct sharc_buf *out, struct reader *r, const size_t *listed, size_t n)
{
    if (n) sharc_buf_put_str(out, "<h2>Details</h2>\n");
    for (size_t i = 0; i < n; i++) {
        const struct sharc_diff_entry *e = &r->set->entries[listed[i]];
        sharc_buf_printf(out, "<details id=p%zu%s><summary>", i + 1, i == 0 ? " open" : "");
        sharc__diff_html_class(out, e->kind);
        sharc__diff_html_text(out, e->url);
        sharc_buf_put_str(out, "</summary>\n<p class=soft>");
        put_evidence(out, e, r->o);
        sharc_buf_put_str(out, ".</p>\n");
        put_details(out, r, listed[i]);
        sharc_buf_put_str(out, "</details>\n");
    }
}

int sharc_diff_html_set(struct sharc_buf *out, const struct sharc_diff_set *s, const struct sharc_diff_filter *f,
                        const char *const names[2], size_t details, const struct sharc_diff_options *o,
                        struct sharc_err *reterr)
{
    SHARC_AUTO(reader_done) struct reader r = {.set = s, .o = o};
    SHARC_AUTO(sharc_freep) size_t *listed = SHARC_NEW_ARRAY(size_t, s->count);
    SHARC_AUTO(sharc_freep) char *title = sharc_asprintf("What changed: %s, %s", names[0], names[1]);
    size_t at = 0, n = 0, passed = 0, i;
    while ((i = sharc_diff_filter_next(f, s, &at)) != SHARC_NPOS) {
        if (!f->limit || n < f->limit) listed[n++] = i;
        passed++;
    }
    if (details > n) details = n;
    sharc__diff_html_begin(out, title);
    sharc_buf_printf(out, "<h1>What changed</h1>\n<p>%s, from <strong>", SHARC_COUNT(s->pages, "page"));
    sharc__diff_html_words(out, names[0]);
    sharc_buf_put_str(out, "</strong> to <strong>");
    sharc__diff_html_words(out, names[1]);
    sharc_buf_put_str(out, "</strong></p>\n");
    put_summary(out, s, names);
    put_templates(out, &r, f->templates);
    sharc_buf_printf(out, "<h2>Pages by importance</h2>\n<p class=soft>%zu of %zu listed</p>\n", n, passed);
    if (n) put_table(out, &r, listed, n, details);
    put_all_details(out, &r, listed, details);
    sharc__diff_html_end(out);
    return sharc_buf_result(out, reterr);
}

/* SPDX-License-Identifier: Apache-2.0
 *
 * Names of classes, and a verdict's evidence in a sentence.
 */
#include "sharc/diff.h"
#include "sharc/diff_report.h"

static const char *const class_words[] = {"unchanged", "insignificant", "text",   "links", "missing",
                                          "new",       "redirected",    "failed", "file",  "moved"};

unsigned sharc_diff_class_of(const struct sharc_change_verdict *v)
{
    bool bytes = v->change == SHARC_TEXT_CHANGED && v->step == SHARC_STEP_PAYLOAD;
    return bytes ? (unsigned)SHARC_DIFF_FILE_CHANGED : (unsigned)v->change;
}

const char *sharc_diff_class_name(unsigned c)
{
    if (c == SHARC_DIFF_FILE_CHANGED) return "file changed";
    if (c == SHARC_DIFF_MOVED) return "moved";
    return sharc_change_class_name((enum sharc_change_class)c);
}

const char *sharc_diff_class_word(unsigned c)
{
    return c < SHARC_LENGTH(class_words) ? class_words[c] : "";
}

unsigned sharc_diff_class_bits(struct sharc_span word)
{
    if (sharc_span_is(word, "all")) return (1u << SHARC_DIFF_CLASSES) - 1;
    if (sharc_span_is(word, "changed")) return SHARC_DIFF_CHANGED_CLASSES;
    for (unsigned c = 0; c < SHARC_LENGTH(class_words); c++)
        if (sharc_span_is(word, class_words[c])) return 1u << c;
    return 0;
}

/* --- evidence ------------------------------------------------------------------------- */

static void put_status(struct sharc_buf *out, const char *when, const struct sharc_diff_facts *f)
{
    if (!f->there)
        sharc_buf_printf(out, "%s: no capture of it", when);
    else if (f->status > 0)
        sharc_buf_printf(out, "%s: status %d", when, f->status);
    else if (f->status < 0)
        sharc_buf_printf(out, "%s: no answer", when);
    else
        sharc_buf_printf(out, "%s: no status", when);
    if (f->redirect.n) sharc_buf_printf(out, ", redirects to %.*s", SHARC_SPAN_ARG(f->redirect));
}

static void put_likeness(struct sharc_buf *out, const struct sharc_change_verdict *v,
                         const struct sharc_change_options *o)
{
    const char *sign = v->similarity < o->alike ? "less than" : "at least";
    sharc_buf_printf(out, "texts are %.3f alike by %s, %s the %.2f that counts as the same", v->similarity,
                     v->step == SHARC_STEP_EDITS ? "edit distance" : "shingles", sign, o->alike);
}

static void put_links(struct sharc_buf *out, const struct sharc_change_verdict *v)
{
    if (v->links_added) sharc_buf_printf(out, "; %zu link%s added", v->links_added, v->links_added > 1 ? "s" : "");
    if (v->links_removed)
        sharc_buf_printf(out, "; %zu link%s removed", v->links_removed, v->links_removed > 1 ? "s" : "");
}

void sharc_diff_evidence(const struct sharc_change_verdict *v, const struct sharc_diff_facts *before,
                         const struct sharc_diff_facts *after, const struct sharc_change_options *o,
                         struct sharc_buf *out)
{
    switch (v->step) {
    case SHARC_STEP_ANSWER:
        put_status(out, "before", before);
        sharc_buf_put_str(out, "; ");
        put_status(out, "after", after);
        return;
    case SHARC_STEP_NOT_MODIFIED: sharc_buf_put_str(out, "the server said: not modified"); return;
    case SHARC_STEP_LAST_MODIFIED: sharc_buf_put_str(out, "equal Last-Modified, which is trusted"); return;
    case SHARC_STEP_PAYLOAD:
        sharc_buf_put_str(out, v->change == SHARC_UNCHANGED ? "equal content, byte by byte, with every coding undone"
                                                            : "other bytes of content, and no text to look at");
        break;
    case SHARC_STEP_TEXT: sharc_buf_put_str(out, "other bytes, but the same text"); break;
    case SHARC_STEP_EDITS:
    case SHARC_STEP_SHINGLES: put_likeness(out, v, o); break;
    }
    put_links(out, v);
}

/* What the capture itself found: which differences are no changes, because they are there on every request. */
static void put_grade(struct sharc_buf *out, const struct sharc_diff_facts *f)
{
    if (f->graded == SHARC_GRADED_NOT_GRADED) return;
    sharc_buf_printf(out, "; %s: it %s", sharc_grade_text(sharc_grade_of(f->graded)),
                     sharc_grade_reason_text(f->graded));
    if (f->graded_detail.n) sharc_buf_printf(out, " (%.*s)", SHARC_SPAN_ARG(f->graded_detail));
}

void sharc_diff_entry_evidence(const struct sharc_diff_entry *e, const struct sharc_change_options *o,
                               struct sharc_buf *out)
{
    if (e->kind == SHARC_DIFF_MOVED) {
        sharc_buf_printf(out, "%s at %.*s", e->moved_text ? "the same text is now" : "the same content is now",
                         SHARC_SPAN_ARG(e->moved_to));
        if (e->verdict.change == SHARC_REDIRECTED) sharc_buf_put_str(out, ", and the old address leads there");
    } else {
        sharc_diff_evidence(&e->verdict, &e->before, &e->after, o, out);
    }
    if (e->shared && !e->template_id) sharc_buf_printf(out, "; the same edit on %u pages", e->shared);
    put_grade(out, &e->after);
}

/* --- what was the same ------------------------------------------------------------------ */

static void put_interval(struct sharc_buf *out, const struct sharc_diff_together *t)
{
    bool one = t->pages[SHARC_DIFF_DOWNLOADED] + t->pages[SHARC_DIFF_GRADED] == 1;
    char from[SHARC_TIME_TEXT], until[SHARC_TIME_TEXT];
    if (t->from == SHARC_TIME_NONE || t->until == SHARC_TIME_NONE) {
        sharc_buf_put_str(out, "Not all their times are known, so nothing follows about a common time.\n");
    } else if (t->from > t->until) {
        sharc_buf_put_str(out, "Their downloads overlap in time: there is no moment at which all of them are\n"
                               "known to have existed together.\n");
    } else {
        sharc_buf_printf(out, "If %s, %s\nfrom %s (last download before) to %s (first after).\n",
                         one ? "it was not changed and changed back" : "none of them was changed and changed back",
                         one ? "it existed unchanged" : "they existed together", sharc_time_iso(t->from, 0, from),
                         sharc_time_iso(t->until, 0, until));
    }
}

static void put_weaker(struct sharc_buf *out, const struct sharc_diff_together *t, enum sharc_diff_basis basis,
                       const char *why)
{
    uint64_t n = t->pages[basis];
    bool more = t->pages[SHARC_DIFF_DOWNLOADED] + (basis == SHARC_DIFF_GRADED ? 0 : t->pages[SHARC_DIFF_GRADED]) > 0;
    const char *words = more ? "more page|more pages" : "page|pages";
    if (n) sharc_buf_printf(out, "%s: %s.\n", SHARC_COUNT(n, words), why);
}

void sharc_diff_together_text(const struct sharc_diff_together *t, struct sharc_buf *out)
{
    const uint64_t n = t->pages[SHARC_DIFF_DOWNLOADED];
    if (n) {
        sharc_buf_printf(out, "%s the same before and after, by full downloads with equal content.\n",
                         SHARC_COUNT(n, "page was|pages were"));
    }
    put_weaker(out, t, SHARC_DIFF_GRADED,
               "the same but for parts that differ on every request, or for how they are\nwritten, by the capture's "
               "grades; those parts are not covered");
    if (t->by_own + t->by_kind)
        sharc_buf_printf(out,
                         "Which parts these are was shown by control downloads: for %s of\ntheir own, for %s of "
                         "pages of their kind only.\n",
                         SHARC_COUNT(t->by_own, "page|pages"), SHARC_COUNT(t->by_kind, "page|pages"));
    if (n || t->pages[SHARC_DIFF_GRADED]) put_interval(out, t);
    put_weaker(out, t, SHARC_DIFF_ATTESTED, "the same by the server's word only (304, not modified)");
    put_weaker(out, t, SHARC_DIFF_CUT, "equal as far as they go, but cut short; the rest is not known");
    put_weaker(out, t, SHARC_DIFF_RECORDED, "the same by their recorded digests; the records are not available");
    put_weaker(out, t, SHARC_DIFF_TRUSTED, "the same by their Last-Modified only, which is trusted");
}

void sharc_diff_grader_text(const struct sharc_diff_set *s, struct sharc_buf *out)
{
    if (!s->graded_by || strcmp(s->graded_by, "crawl") == 0) return;
    sharc_buf_put_str(out, s->trusted ? "Grades were derived from the records of the imported files.\n"
                                      : "Grades are the word of an imported file, and count for nothing here.\n");
    if (s->unfounded)
        sharc_buf_printf(out, "The file itself calls %s proved that its downloads do not show to be so.\n",
                         SHARC_COUNT(s->unfounded, "page"));
}

void sharc_diff_weakness_text(const struct sharc_diff_set *s, int side, const char *name, struct sharc_buf *out)
{
    if (side > 0 && s->single) return;
    if (s->unfinished[side]) sharc_buf_printf(out, "%s is not complete: pages may be missing in it. ", name);
    if (s->weakened[side])
        sharc_buf_printf(out, "What %s proves is weakened by the settings it was made with: %s.", name,
                         s->weakened[side]);
}

struct sharc_diff_facts sharc_diff_facts_of(const struct sharc_diff_version *v)
{
    struct sharc_diff_facts f = {.there = v != NULL, .when = SHARC_TIME_NONE};
    if (!v) return f;
    f.status = v->status;
    f.when = v->when;
    f.mime = v->content_type;
    f.redirect = v->redirect;
    f.file = v->label;
    return f;
}
